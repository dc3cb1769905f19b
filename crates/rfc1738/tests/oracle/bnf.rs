//! Reads the notation of RFC 1738, section 5: productions of literals, names, alternatives and repetitions.
//!
//! ```text
//! file        = *( name "=" expression )          ; a comment runs from ";" to the end of the line
//! expression  = sequence *( "|" sequence )
//! sequence    = 1*( [ number ] "*" element | element )
//! element     = name | <"> literal <"> | "<" <"> ">" | "[" expression "]"
//! ```
//!
//! Brackets alone make what is in them optional; after a `*` they only hold it together.

use std::collections::BTreeMap;

/// The right side of a production.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Literal(String),
    Name(String),
    Sequence(Vec<Expression>),
    Alternatives(Vec<Expression>),
    /// At least this many times.
    Repeated(usize, Box<Expression>),
    Optional(Box<Expression>),
}

/// The productions by their names.
pub(crate) type Grammar = BTreeMap<String, Expression>;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Literal(String),
    Name(String),
    Number(usize),
    Sign(char),
}

pub(crate) fn grammar(text: &str) -> Grammar {
    let mut definitions: Vec<(String, Vec<Token>)> = Vec::new();
    for line in text.lines() {
        let mut tokens = tokens(line);
        if !line.starts_with(' ') && tokens.get(1) == Some(&Token::Sign('=')) {
            let Token::Name(name) = tokens.remove(0) else {
                panic!("no name: {line}")
            };
            tokens.remove(0);
            definitions.push((name, tokens));
        } else if !tokens.is_empty() {
            let (_, last) = definitions.last_mut().expect("a production");
            last.extend(tokens);
        }
    }
    let parsed = definitions.into_iter().map(|(name, tokens)| {
        let mut rest = &tokens[..];
        let expression = expression(&mut rest);
        assert!(rest.is_empty(), "{name}: {rest:?}");
        (name, expression)
    });
    parsed.collect()
}

fn tokens(line: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match first {
            ';' => break,
            '"' => {
                let len = rest[1..].find('"').expect(line);
                tokens.push(Token::Literal(rest[1..=len].to_owned()));
                len + 2
            }
            '<' => {
                assert!(rest.starts_with("<\">"), "{line}");
                tokens.push(Token::Literal("\"".to_owned()));
                3
            }
            '=' | '|' | '[' | ']' | '*' => {
                tokens.push(Token::Sign(first));
                1
            }
            _ => {
                let is_in = |c: char| c.is_ascii_alphanumeric() || "+-_".contains(c);
                let len = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
                let word = &rest[..len];
                tokens.push(
                    word.parse()
                        .map_or_else(|_| Token::Name(word.to_owned()), Token::Number),
                );
                len
            }
        };
        rest = rest[len..].trim_start();
    }
    tokens
}

fn expression(rest: &mut &[Token]) -> Expression {
    let mut all = vec![sequence(rest)];
    while eat(rest, '|') {
        all.push(sequence(rest));
    }
    match all.len() {
        1 => all.remove(0),
        _ => Expression::Alternatives(all),
    }
}

fn sequence(rest: &mut &[Token]) -> Expression {
    let mut all = Vec::new();
    while let Some(token) = rest.first() {
        match token {
            Token::Sign('|' | ']') => break,
            Token::Number(least) => {
                *rest = &rest[1..];
                assert!(eat(rest, '*'), "{rest:?}");
                all.push(Expression::Repeated(*least, Box::new(element(rest).1)));
            }
            Token::Sign('*') => {
                *rest = &rest[1..];
                all.push(Expression::Repeated(0, Box::new(element(rest).1)));
            }
            _ => all.push(match element(rest) {
                (true, inside) => Expression::Optional(Box::new(inside)),
                (false, element) => element,
            }),
        }
    }
    Expression::Sequence(all)
}

/// An element, and whether it was in brackets.
fn element(rest: &mut &[Token]) -> (bool, Expression) {
    let (first, after) = rest.split_first().expect("an element");
    *rest = after;
    match first {
        Token::Literal(word) => (false, Expression::Literal(word.clone())),
        Token::Name(name) => (false, Expression::Name(name.clone())),
        Token::Sign('[') => {
            let inside = expression(rest);
            assert!(eat(rest, ']'), "{rest:?}");
            (true, inside)
        }
        Token::Sign(_) | Token::Number(_) => panic!("{first:?}"),
    }
}

fn eat(rest: &mut &[Token], sign: char) -> bool {
    let here = rest.first() == Some(&Token::Sign(sign));
    if here {
        *rest = &rest[1..];
    }
    here
}
