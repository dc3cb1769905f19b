//! News groups and articles wherever they are read (RFC 1738, sections 3.6 and 5).
//!
//! ```text
//! newsurl   = "news:" grouppart
//! grouppart = "*" | group | article
//! group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//! article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//! ```
//!
//! An `@` makes it an article. A group has no escapes and starts with a letter; what follows the `@` is a host to the
//! letter. The forms with a server of RFC 5538 are faults here.

use super::cursor::Cursor;
use super::error::{ParseError, Rule};
use super::escape::{ALPHA, ARTICLE, Encoded, GROUP};
use super::login;

/// The part of a news URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News<'a> {
    /// `*`: all groups there are.
    All,
    /// A group, as written; it has no escapes.
    Group(&'a str),
    /// An article, by its Message-ID without the angle brackets.
    Article(Article<'a>),
}

/// `article`: a Message-ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Article<'a> {
    /// The whole Message-ID.
    pub id: Encoded<'a>,
    /// What stands before the `@`; never empty.
    pub unique: Encoded<'a>,
    /// The host after it.
    pub host: &'a str,
}

pub(super) fn parse(mut cursor: Cursor<'_>) -> Result<News<'_>, ParseError> {
    let text = cursor.rest();
    if text == "*" {
        return Ok(News::All);
    }
    if !text.contains('@') {
        if cursor.eat(b'*') {
            let rule = Rule("grouppart", "3.6");
            return Err(cursor.missing(rule, "the end, as \"*\" alone means all groups"));
        }
        let group = group(&mut cursor, "3.6")?;
        return match cursor.peek() {
            None => Ok(News::Group(group)),
            Some(_) => Err(not_in_group(&cursor, "3.6")),
        };
    }
    let rule = Rule("article", "3.6");
    let unique = Encoded::new(cursor.run(&ARTICLE));
    if unique.is_empty() && cursor.peek() == Some(b'@') {
        return Err(cursor.missing(rule, "what a Message-ID has before its \"@\""));
    }
    if !cursor.eat(b'@') {
        return Err(cursor.stray(rule));
    }
    let host = login::host(&mut cursor)?;
    if cursor.peek().is_some() {
        return Err(cursor.missing(rule, "the end of the Message-ID"));
    }
    Ok(News::Article(Article {
        id: Encoded::new(text),
        unique,
        host,
    }))
}

/// `group`, up to the first character that is not of it.
pub(super) fn group<'a>(
    cursor: &mut Cursor<'a>,
    section: &'static str,
) -> Result<&'a str, ParseError> {
    match cursor.peek() {
        Some(first) if ALPHA.has(first) => Ok(cursor.literals(&GROUP)),
        _ => Err(cursor.missing(Rule("group", section), "the first letter of a news group")),
    }
}

/// The character here belongs to no group.
pub(super) fn not_in_group(cursor: &Cursor<'_>, section: &'static str) -> ParseError {
    cursor.missing(
        Rule("group", section),
        "a letter, a digit, \"-\", \".\", \"+\" or \"_\" of a news group",
    )
}
