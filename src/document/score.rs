//! Scores: which articles of a group somebody would rather see, and which not, by rules of their own.
//!
//! Every rule that fits an article changes its score; a rule with `=` settles it, and no rule after that counts. An
//! article whose score is low enough is hidden, one whose score is high enough is marked.

mod parse;

use std::cmp::Ordering;

pub use self::parse::{Fault, rule_line};
use super::header;
use crate::protocol::nntp::{Wildmat, glob, overview};
use crate::text::Charset;

/// The rules of a person, for all groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    sections: Vec<Section>,
    /// An article with this score or less is hidden.
    hide: i32,
    /// One with this score or more is marked.
    mark: i32,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            sections: Vec::new(),
            hide: -100,
            mark: 10,
        }
    }
}

/// Rules for the groups that fit a wildmat.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    /// In small letters.
    wildmat: Wildmat,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    effect: Effect,
    test: Test,
}

/// What a rule does to the score of an article that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Add(i32),
    Settle(i32),
}

/// What an article must have to fit.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// Text that fits a pattern, in small letters.
    Text(Field, String),
    /// A number that is less, or more, than this.
    Count(Counted, Ordering, u64),
}

/// A header that holds text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Subject,
    From,
    Id,
    References,
}

/// What is counted of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    /// Groups that it was posted to.
    Groups,
    /// Lines of its body.
    Lines,
}

/// What a score says of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is not to be seen.
    Hidden,
    /// It is one among many.
    Plain,
    /// It is to be noticed.
    Marked,
}

impl Rules {
    /// Whether there are none for this group.
    pub fn are_none_for(&self, group: &[u8]) -> bool {
        !self
            .sections_of(group)
            .any(|section| !section.rules.is_empty())
    }

    /// What this score says of an article.
    pub fn judge(&self, score: i32) -> Judgement {
        if score <= self.hide {
            Judgement::Hidden
        } else if score >= self.mark {
            Judgement::Marked
        } else {
            Judgement::Plain
        }
    }

    /// Tells the scores of a group's articles by the lines of their overview.
    pub(super) fn scorer(&self, group: &[u8], charset: Charset) -> Scorer<'_> {
        let rules = self.sections_of(group).flat_map(|section| &section.rules);
        Scorer {
            rules: rules.collect(),
            charset,
        }
    }

    fn sections_of(&self, group: &[u8]) -> impl Iterator<Item = &Section> {
        let group = group.to_ascii_lowercase();
        let sections = self.sections.iter();
        sections.filter(move |section| section.wildmat.fits(&group))
    }
}

/// The rules that count in one group.
pub(super) struct Scorer<'a> {
    rules: Vec<&'a Rule>,
    charset: Charset,
}

impl Scorer<'_> {
    /// The score of an article; 0 for a line that is none.
    pub(super) fn score(&self, line: &[u8]) -> i32 {
        let Some(article) = overview(line) else {
            return 0;
        };
        let mut texts: [Option<String>; 4] = [const { None }; 4];
        let mut score = 0_i32;
        for rule in &self.rules {
            let fits = match &rule.test {
                Test::Text(field, pattern) => {
                    let (place, octets) = match field {
                        Field::Subject => (0, article.subject),
                        Field::From => (1, article.from),
                        Field::Id => (2, article.id),
                        Field::References => (3, article.references),
                    };
                    // Most rules ask about the same one or two headers.
                    texts.get_mut(place).is_some_and(|text| {
                        let text = text.get_or_insert_with(|| {
                            header::decode(octets, self.charset).to_lowercase()
                        });
                        glob(pattern.as_bytes(), text.as_bytes())
                    })
                }
                Test::Count(counted, ordering, number) => {
                    let count = match counted {
                        Counted::Groups => Some(cross_posts(line).count() as u64),
                        Counted::Lines => article.lines,
                    };
                    count.is_some_and(|count| count.cmp(number) == *ordering)
                }
            };
            match rule.effect {
                Effect::Add(more) if fits => score = score.saturating_add(more),
                Effect::Settle(settled) if fits => return settled,
                Effect::Add(_) | Effect::Settle(_) => {}
            }
        }
        score
    }
}

/// The groups and numbers of the Xref field of an overview's line, which is one of those that may follow the eighth.
fn cross_posts(line: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    let extra = line.split(|&octet| octet == b'\t').skip(8);
    let mut xref = extra.filter_map(|field| {
        let (name, value) = field.trim_ascii().split_at_checked(5)?;
        name.eq_ignore_ascii_case(b"xref:").then_some(value)
    });
    super::xref::places(xref.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("*ada@*", "ada lovelace <ada@example.org>", true),
            ("*a*b", "xaxxbxb", true),
            ("*a*b", "xaxxbxbc", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("?", "é", true),
            ("**", "x", true),
        ] {
            assert_eq!(
                glob(pattern.as_bytes(), text.as_bytes()),
                fits,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn rules_add_up_until_one_settles_it() {
        let (rules, faults) = Rules::parse(
            "+10 From: ada@\n+5 subject: gopher\n[alt.*]\n= kill Subject: make*fast\n+100 Lines: < 5\n-3 Xref: > 2\n",
        );
        assert_eq!(faults, []);
        let score = |group: &[u8], line: &str| {
            rules
                .scorer(group, Charset::default())
                .score(line.as_bytes())
        };
        let line =
            "7\tOn Gopher\tAda <ADA@example.org>\td\t<i@x>\t\t9\t4\tXref: h a.b:1 c.d:2 e.f:3";
        assert_eq!(score(b"comp.x", line), 15);
        assert_eq!(score(b"alt.x", line), 112);
        let encoded = "7\t=?utf-8?q?MAKE_MONEY_fast?= gopher\tx\td\t<i@x>\t\t9\t4";
        assert_eq!(score(b"comp.x", encoded), 5);
        let settled = score(b"alt.x", encoded);
        assert_eq!(rules.judge(settled), Judgement::Hidden);
        assert_eq!(rules.judge(score(b"comp.x", line)), Judgement::Marked);
        assert_eq!(rules.judge(5), Judgement::Plain);
        assert!(Rules::default().are_none_for(b"a.b"));
        assert!(!rules.are_none_for(b"comp.x"));
        assert_eq!(score(b"alt.x", "no article"), 0);
    }
}
