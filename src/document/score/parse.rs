//! The file of rules.
//!
//! ```text
//! file    = *( line LF )
//! line    = [ section / limit / rule / comment ]
//! section = "[" wildmat "]"                        ; the rules below it count in these groups; those above the first, in all
//! limit   = ( "hide" / "mark" ) blank number       ; from this score down articles are hidden, from this one up marked
//! rule    = effect *blank test
//! effect  = ( "+" / "-" ) 1*digit                  ; so much is added to the score
//!         / "=" *blank ( "kill" / number )         ; that is the score, and no rule after it counts
//! test    = ( "Subject:" / "From:" / "Message-ID:" / "References:" ) *blank pattern
//!         / ( "Lines:" / "Xref:" ) *blank ( "<" / ">" ) *blank 1*digit
//! comment = "#" *character
//! ```
//!
//! A pattern is text that the header holds, capitals and small letters alike, encoded words decoded; `*` in it is any
//! text, `?` any character. `Xref` counts the groups that an article was posted to. Capitals in the names do not matter.

use std::cmp::Ordering;

use super::{Counted, Effect, Field, Rule, Rules, Section, Test};
use crate::protocol::nntp::Wildmat;

/// Lower than any score that rules add up to.
const KILLED: i32 = i32::MIN;

/// A line that is no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub sentence: String,
}

impl Rules {
    /// Reads the rules of a file. A line with a fault is passed over, and told of.
    pub fn parse(text: &str) -> (Self, Vec<Fault>) {
        let mut rules = Self::default();
        let mut faults = Vec::new();
        let mut section = Section {
            wildmat: Wildmat::parse(b"*"),
            rules: Vec::new(),
        };
        for (index, whole) in text.lines().enumerate() {
            match line(whole, &mut rules, &mut section) {
                Ok(()) => {}
                Err((rest, sentence)) => {
                    let before = whole.len().saturating_sub(rest.len());
                    let before = whole.get(..before).unwrap_or_default();
                    faults.push(Fault {
                        line: index + 1,
                        column: before.chars().count() + 1,
                        sentence,
                    });
                }
            }
        }
        rules.sections.push(section);
        (rules, faults)
    }
}

/// A rule as it is written: so much for articles whose header of this name holds this text. Nothing for a text with fewer
/// than three letters or digits (two of those that are not ASCII), the `*` and `?` of patterns not counted: whoever writes a
/// subject could hide the whole group by it.
pub fn rule_line(score: i32, header: &str, text: &str) -> Option<String> {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    let weight: usize = letters
        .map(|letter| if letter.is_ascii() { 2 } else { 3 })
        .sum();
    (weight >= 6).then(|| format!("{score:+} {header}: {}", text.trim()))
}

/// What is wrong: from where on, and why.
type Wrong<'a> = (&'a str, String);

fn line<'a>(whole: &'a str, rules: &mut Rules, section: &mut Section) -> Result<(), Wrong<'a>> {
    let line = whole.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(());
    }
    let start = whole.trim_start();
    if let Some(rest) = line.strip_prefix('[') {
        let wildmat = rest.strip_suffix(']').map(str::trim);
        let Some(wildmat) = wildmat.filter(|wildmat| !wildmat.is_empty()) else {
            let sentence = "a section is the names of groups between [ and ], as in [comp.*]";
            return Err((start, sentence.to_owned()));
        };
        let next = Section {
            wildmat: Wildmat::parse(wildmat.to_ascii_lowercase().as_bytes()),
            rules: Vec::new(),
        };
        rules.sections.push(std::mem::replace(section, next));
        return Ok(());
    }
    if let Some((word, rest)) = line.split_once(char::is_whitespace) {
        let limit = match word.to_ascii_lowercase().as_str() {
            "hide" => Some(&mut rules.hide),
            "mark" => Some(&mut rules.mark),
            _ => None,
        };
        if let Some(limit) = limit {
            let rest = rest.trim_start();
            let wrong = || {
                (
                    rest,
                    format!("“{rest}” is no score; a number is wanted here"),
                )
            };
            *limit = rest.parse().map_err(|_| wrong())?;
            return Ok(());
        }
    }
    let (effect, rest) = effect(start)?;
    let test = test(rest)?;
    section.rules.push(Rule { effect, test });
    Ok(())
}

fn effect(text: &str) -> Result<(Effect, &str), Wrong<'_>> {
    let wrong = |sentence: &str| (text, sentence.to_owned());
    let rule = "a rule begins with a score, as in +10, -50 or = kill";
    let (sign, rest) = text.split_at_checked(1).ok_or_else(|| wrong(rule))?;
    let rest = rest.trim_start();
    let end = |rest: &str| {
        let first = rest.find(char::is_whitespace);
        first.unwrap_or(rest.len())
    };
    let (word, after) = rest.split_at_checked(end(rest)).unwrap_or((rest, ""));
    let number = word.parse::<i32>();
    let is_digits = word.starts_with(|first: char| first.is_ascii_digit());
    let effect = match (sign, number) {
        ("+", Ok(number)) if is_digits => Effect::Add(number),
        ("-", Ok(number)) if is_digits => Effect::Add(-number),
        ("=", Ok(number)) => Effect::Settle(number),
        ("=", Err(_)) if word.eq_ignore_ascii_case("kill") => Effect::Settle(KILLED),
        ("+" | "-" | "=", _) => {
            return Err((
                rest,
                format!("“{word}” is no score; a number is wanted here"),
            ));
        }
        _ => return Err(wrong(rule)),
    };
    Ok((effect, after.trim_start()))
}

fn test(text: &str) -> Result<Test, Wrong<'_>> {
    let wrong = |sentence: &str| (text, sentence.to_owned());
    let known = "a header and a colon are wanted here; known are: Subject, From, Message-ID, References, Lines, Xref";
    let (name, rest) = text.split_once(':').ok_or_else(|| wrong(known))?;
    let rest = rest.trim();
    let field = |field| {
        if rest.is_empty() {
            return Err((
                text,
                "behind the colon stands what the header holds".to_owned(),
            ));
        }
        Ok(Test::Text(field, format!("*{}*", rest.to_lowercase())))
    };
    match name.trim().to_ascii_lowercase().as_str() {
        "subject" => field(Field::Subject),
        "from" => field(Field::From),
        "message-id" => field(Field::Id),
        "references" => field(Field::References),
        "lines" => count(Counted::Lines, rest),
        "xref" => count(Counted::Groups, rest),
        _ => Err(wrong(known)),
    }
}

fn count(counted: Counted, rest: &str) -> Result<Test, Wrong<'_>> {
    let wrong = || {
        (
            rest,
            "a number is counted by < or > and a number, as in > 5".to_owned(),
        )
    };
    let (sign, number) = rest.split_at_checked(1).ok_or_else(wrong)?;
    let ordering = match sign {
        "<" => Ordering::Less,
        ">" => Ordering::Greater,
        _ => return Err(wrong()),
    };
    let number = number.trim().parse().map_err(|_| wrong())?;
    Ok(Test::Count(counted, ordering, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_pointed_at() {
        let (rules, faults) = Rules::parse(
            "# a comment\n\nhide -5\n[a.*\nfrom: x\n+x From: y\n+5 Form: x\n  -1 Lines: 5\n+1 Subject:\nmark all\n= KILL from: É\n",
        );
        let places: Vec<(usize, usize)> = faults
            .iter()
            .map(|fault| (fault.line, fault.column))
            .collect();
        assert_eq!(
            places,
            [(4, 1), (5, 1), (6, 2), (7, 4), (8, 13), (9, 4), (10, 6)]
        );
        assert_eq!(rules.hide, -5);
        let kept: usize = rules
            .sections
            .iter()
            .map(|section| section.rules.len())
            .sum();
        assert_eq!(kept, 1);
    }

    #[test]
    fn a_rule_that_is_written_is_read_again() {
        for nothing in ["", " ", "?", "***", "e", "no", "?*a b*?", "\u{662f}"] {
            assert_eq!(rule_line(-9999, "Subject", nothing), None, "{nothing:?}");
        }
        for enough in ["FAQ", "\u{662f}\u{5426}"] {
            assert!(rule_line(-9999, "Subject", enough).is_some(), "{enough:?}");
        }
        let line = rule_line(-9999, "From", "Ada\n <ada@example.org>").unwrap();
        assert_eq!(line, "-9999 From: Ada <ada@example.org>");
        let (rules, faults) = Rules::parse(&line);
        assert_eq!(faults, []);
        assert_eq!(rules.sections[0].rules[0].effect, Effect::Add(-9999));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_file_of_rules(text in "(\\[|\\]|[+=-]|[0-9]|kill| |From:|Lines:|<|é|\n|.){0,60}") {
            let (_, faults) = Rules::parse(&text);
            let lines = text.lines().count();
            assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && fault.column > 0));
        }
    }
}
