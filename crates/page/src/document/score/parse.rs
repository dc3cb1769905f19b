//! The parser for the rules file.
//!
//! ```text
//! file    = *( line LF )
//! line    = [ section / limit / rule / comment ]
//! section = "[" wildmat "]"                        ; the rules below it count in these groups; those above the first, in all
//! limit   = ( "hide" / "mark" ) blank number       ; articles with at most this score are hidden, with at least this score marked
//! answer  = "answer" blank number                  ; the score of a reply to an article of the user
//! rule    = effect *blank [ "until" blank date blank ] test *( *blank "&&" *blank test )
//! effect  = ( "+" / "-" ) 1*digit                  ; the number is added to the score
//!         / "=" *blank ( "kill" / number )         ; the final score, later rules are ignored
//! date    = 4DIGIT "-" 2DIGIT "-" 2DIGIT          ; the last day on which the rule counts
//! test    = ( "Subject" / "From" / "Message-ID" / "References" ) ( ":" *blank pattern / "~" *blank regex )
//!         / ( "Lines:" / "Xref:" ) *blank ( "<" / ">" ) *blank 1*digit
//! comment = "#" *character
//! ```
//!
//! A pattern is text that the decoded header contains, ignoring case; `*` in it matches any text, `?` any character. A
//! regular expression matches anywhere in the header, ignoring case; neither contains `&&`. All tests of a rule must
//! fit. `Xref` counts the groups that an article was posted to. The case of the names is ignored.

use std::cmp::Ordering;

use geomys_wire::protocol::nntp::Wildmat;
use jiff::civil::Date;
use regex::RegexBuilder;

use super::{
    Field, RuleCount, RuleEffect, RulePattern, RuleSection, RuleTest, ScoreRule, ScoreRules,
};

/// The most octets of a compiled regular expression.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// The score of `= kill`: lower than any sum of scores.
const KILLED: i32 = i32::MIN;

/// An error in a line of the rules file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFault {
    /// The line number, from 1.
    pub line: usize,
    /// The column number, from 1.
    pub column: usize,
    /// A description of the error and its correction.
    pub sentence: String,
}

impl ScoreRules {
    /// Parses a rules file. A malformed line is skipped and reported.
    pub fn parse(text: &str) -> (Self, Vec<RuleFault>) {
        let mut rules = Self::default();
        let mut faults = Vec::new();
        let mut section = RuleSection {
            wildmat: Wildmat::parse(b"*"),
            rules: Vec::new(),
        };
        for (index, whole) in text.lines().enumerate() {
            match line(whole, &mut rules, &mut section) {
                Ok(()) => {}
                Err((rest, sentence)) => {
                    let before = whole.len().saturating_sub(rest.len());
                    let before = whole.get(..before).unwrap_or_default();
                    faults.push(RuleFault {
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

/// A rule that is to be added to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRule {
    score: i32,
    /// The conditions, each of which is a line of its own: one of them is enough.
    tests: Vec<String>,
    /// The number of days for which it counts; `None` for always.
    pub days: Option<u16>,
}

impl NewRule {
    /// Creates a rule that adds `score` to articles by this author, or with exactly this subject, whether they are
    /// replies or not. Returns nothing for a text with fewer than three letters or digits (two outside ASCII):
    /// otherwise the author of a subject could make the user hide the whole group.
    pub fn new(score: i32, header: &'static str, text: &str) -> Option<Self> {
        let text = without_controls(text);
        let letters = text.chars().filter(|letter| letter.is_alphanumeric());
        let weight: usize = letters
            .map(|letter| if letter.is_ascii() { 2 } else { 3 })
            .sum();
        let test = match header {
            "Subject" => {
                let text = regex::escape(text.trim());
                format!(r"Subject~ ^((re|aw|sv|vs|antw|odp)[\d\[\]^]*:\s*)*{text}$")
            }
            _ => containing(header, &text),
        };
        (weight >= 6).then(|| Self {
            score,
            tests: vec![test],
            days: None,
        })
    }

    /// Creates a rule that adds `score` to the first article of a thread, by its Message-ID, and to all replies.
    pub fn thread(score: i32, root: &str) -> Self {
        let root = without_controls(root);
        let tests = ["References", "Message-ID"].map(|header| containing(header, &root));
        Self {
            score,
            tests: tests.into(),
            days: None,
        }
    }

    /// Formats the rule as lines of the file, on this day.
    pub fn lines(&self, today: Date) -> String {
        let last = self
            .days
            .map(|days| today.saturating_add(jiff::Span::new().days(days)));
        let until = last.map_or(String::new(), |last| format!("until {last} "));
        let lines = self.tests.iter();
        let lines: Vec<String> = lines
            .map(|test| format!("{:+} {until}{test}", self.score))
            .collect();
        lines.join("\n")
    }
}

/// Removes control characters, one of which would begin another line.
fn without_controls(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// The condition that a header contains this text. A text with signs that mean something in a pattern is quoted.
fn containing(header: &str, text: &str) -> String {
    let text = text.trim();
    if text.contains(['*', '?']) || text.contains("&&") {
        format!("{header}~ {}", regex::escape(text))
    } else {
        format!("{header}: {text}")
    }
}

/// A parse error: the text from the error on, and its description.
type RuleError<'a> = (&'a str, String);

fn line<'a>(
    whole: &'a str,
    rules: &mut ScoreRules,
    section: &mut RuleSection,
) -> Result<(), RuleError<'a>> {
    let line = whole.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(());
    }
    let start = whole.trim_start();
    if let Some(rest) = line.strip_prefix('[') {
        let wildmat = rest.strip_suffix(']').map(str::trim);
        let Some(wildmat) = wildmat.filter(|wildmat| !wildmat.is_empty()) else {
            let sentence = "expected a section like [comp.*]";
            return Err((start, sentence.to_owned()));
        };
        let next = RuleSection {
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
            "answer" => Some(&mut rules.answer),
            _ => None,
        };
        if let Some(limit) = limit {
            let rest = rest.trim_start();
            let wrong = || (rest, format!("“{rest}” is not a score; expected a number"));
            *limit = rest.parse().map_err(|_| wrong())?;
            return Ok(());
        }
    }
    let (effect, rest) = effect(start)?;
    let (until, rest) = until(rest)?;
    let mut tests = Vec::new();
    let mut rest = Some(rest);
    while let Some(text) = rest {
        let (one, after) = match text.split_once("&&") {
            Some((one, after)) => (one, Some(after.trim_start())),
            None => (text, None),
        };
        let one = one.trim_end();
        // An error is the text from there to the end of the line.
        let at = |(from, sentence): RuleError<'a>| {
            let start = one.len().saturating_sub(from.len());
            (text.get(start..).unwrap_or_default(), sentence)
        };
        tests.push(test(one).map_err(at)?);
        rest = after;
    }
    section.rules.push(ScoreRule {
        effect,
        until,
        tests,
    });
    Ok(())
}

/// Parses the date until which a rule counts.
fn until(text: &str) -> Result<(Option<Date>, &str), RuleError<'_>> {
    let Some((word, rest)) = text.split_once(char::is_whitespace) else {
        return Ok((None, text));
    };
    if !word.eq_ignore_ascii_case("until") {
        return Ok((None, text));
    }
    let rest = rest.trim_start();
    let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match word.parse() {
        Ok(date) => Ok((Some(date), after.trim_start())),
        Err(_) => Err((
            rest,
            format!("“{word}” is not a date; expected one like 2026-12-31"),
        )),
    }
}

fn effect(text: &str) -> Result<(RuleEffect, &str), RuleError<'_>> {
    let wrong = |sentence: &str| (text, sentence.to_owned());
    let rule = "a rule must begin with a score, like +10, -50 or = kill";
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
        ("+", Ok(number)) if is_digits => RuleEffect::Add(number),
        ("-", Ok(number)) if is_digits => RuleEffect::Add(-number),
        ("=", Ok(number)) => RuleEffect::Final(number),
        ("=", Err(_)) if word.eq_ignore_ascii_case("kill") => RuleEffect::Final(KILLED),
        ("+" | "-" | "=", _) => {
            return Err((rest, format!("“{word}” is not a score; expected a number")));
        }
        _ => return Err(wrong(rule)),
    };
    Ok((effect, after.trim_start()))
}

fn test(text: &str) -> Result<RuleTest, RuleError<'_>> {
    let wrong = |sentence: &str| (text, sentence.to_owned());
    let expected =
        "expected a header and a colon: Subject, From, Message-ID, References, Lines or Xref";
    let sign = text.find([':', '~']).ok_or_else(|| wrong(expected))?;
    let (name, rest) = text.split_at_checked(sign).ok_or_else(|| wrong(expected))?;
    let is_regex = rest.starts_with('~');
    let rest = rest.get(1..).unwrap_or_default().trim();
    let field = |field| {
        if rest.is_empty() {
            return Err((
                text,
                "expected the content of the header after the colon".to_owned(),
            ));
        }
        if is_regex {
            let pattern = RegexBuilder::new(rest)
                .case_insensitive(true)
                .size_limit(MAX_REGEX_BYTES)
                .build();
            return match pattern {
                Ok(pattern) => Ok(RuleTest::Regex(field, RulePattern(pattern))),
                Err(_) => Err((rest, format!("“{rest}” is not a regular expression"))),
            };
        }
        Ok(RuleTest::Text(field, format!("*{}*", rest.to_lowercase())))
    };
    match name.trim().to_ascii_lowercase().as_str() {
        "subject" => field(Field::Subject),
        "from" => field(Field::From),
        "message-id" => field(Field::Id),
        "references" => field(Field::References),
        "lines" if !is_regex => count(RuleCount::Lines, rest),
        "xref" if !is_regex => count(RuleCount::Groups, rest),
        _ => Err(wrong(expected)),
    }
}

fn count(counted: RuleCount, rest: &str) -> Result<RuleTest, RuleError<'_>> {
    let wrong = || (rest, "expected < or > and a number, like > 5".to_owned());
    let (sign, number) = rest.split_at_checked(1).ok_or_else(wrong)?;
    let ordering = match sign {
        "<" => Ordering::Less,
        ">" => Ordering::Greater,
        _ => return Err(wrong()),
    };
    let number = number.trim().parse().map_err(|_| wrong())?;
    Ok(RuleTest::Count(counted, ordering, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_pointed_at() {
        let (rules, faults) = ScoreRules::parse(
            "# a comment\n\nhide -5\n[a.*\nfrom: x\n+x From: y\n+5 Form: x\n  -1 Lines: 5\n+1 Subject:\nmark all\n= KILL from: É\n\
             +1 until soon From: x\n+1 From: x && Form: y && Lines: > 3\n+1 Subject~ (x && From: y\n+1 Lines~ x\n",
        );
        let positions: Vec<(usize, usize)> = faults
            .iter()
            .map(|fault| (fault.line, fault.column))
            .collect();
        assert_eq!(
            positions,
            [
                (4, 1),
                (5, 1),
                (6, 2),
                (7, 4),
                (8, 13),
                (9, 4),
                (10, 6),
                (12, 10),
                (13, 15),
                (14, 13),
                (15, 4)
            ]
        );
        assert_eq!(rules.hide, -5);
        let count: usize = rules
            .sections
            .iter()
            .map(|section| section.rules.len())
            .sum();
        assert_eq!(count, 1);
    }

    #[test]
    fn a_rule_that_is_written_is_read_again() {
        for nothing in ["", " ", "?", "***", "e", "no", "?*a b*?", "\u{662f}"] {
            assert_eq!(NewRule::new(-9999, "Subject", nothing), None, "{nothing:?}");
        }
        for enough in ["FAQ", "\u{662f}\u{5426}"] {
            assert!(
                NewRule::new(-9999, "Subject", enough).is_some(),
                "{enough:?}"
            );
        }
        let today = "2026-12-22".parse().unwrap();
        let rule = NewRule::new(-9999, "From", "Ada\n && Bo <ada@example.org>").unwrap();
        assert_eq!(
            rule.lines(today),
            r"-9999 From~ Ada \&\& Bo <ada@example\.org>"
        );
        let rule = NewRule {
            days: Some(30),
            ..rule
        };
        let line = rule.lines(today);
        assert_eq!(
            line,
            r"-9999 until 2027-01-21 From~ Ada \&\& Bo <ada@example\.org>"
        );
        let (rules, faults) = ScoreRules::parse(&line);
        assert_eq!(faults, []);
        let rule = &rules.sections[0].rules[0];
        assert_eq!((rule.effect, rule.tests.len()), (RuleEffect::Add(-9999), 1));
        assert_eq!(rule.until, Some("2027-01-21".parse().unwrap()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_file_of_rules(text in "(\\[|\\]|[+=-]|[0-9]|kill| |From:|From~|until |2026-12-31|&&|Lines:|<|é|\n|.){0,60}") {
            let (_, faults) = ScoreRules::parse(&text);
            let lines = text.lines().count();
            assert!(faults.iter().all(|fault| (1..=lines).contains(&fault.line) && fault.column > 0));
        }
    }
}
