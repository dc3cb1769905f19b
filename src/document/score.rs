//! Article scores: the user's rules mark or hide the articles of a group.
//!
//! Every rule that matches an article changes its score. A rule with `=` sets the final score, and later rules are
//! ignored. An article with a score below the lower limit is hidden, with a score above the upper limit it is marked.

mod parse;

use std::cmp::Ordering;

pub use self::parse::{RuleFault, rule_line};
use super::header;
use crate::protocol::nntp::{Wildmat, glob, overview};
use crate::text::Charset;

/// The user's rules, for all groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreRules {
    sections: Vec<RuleSection>,
    /// The highest score of hidden articles.
    hide: i32,
    /// The lowest score of marked articles.
    mark: i32,
}

impl Default for ScoreRules {
    fn default() -> Self {
        Self {
            sections: Vec::new(),
            hide: -100,
            mark: 10,
        }
    }
}

/// The rules for groups that match a wildmat.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RuleSection {
    /// The pattern of group names, in lower case.
    wildmat: Wildmat,
    rules: Vec<ScoreRule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ScoreRule {
    effect: RuleEffect,
    test: RuleTest,
}

/// The effect of a rule on the score of a matching article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleEffect {
    Add(i32),
    Final(i32),
}

/// The condition of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RuleTest {
    /// A header matches a pattern, which is in lower case.
    Text(Field, String),
    /// A count is less, or greater, than a number.
    Count(RuleCount, Ordering, u64),
}

/// A header with text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Subject,
    From,
    Id,
    References,
}

/// A countable property of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleCount {
    /// The number of groups that it was posted to.
    Groups,
    /// The number of lines of its body.
    Lines,
}

/// The class of an article by its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreClass {
    /// The article is hidden.
    Hidden,
    /// The article is neither hidden nor marked.
    Plain,
    /// The article is marked as interesting.
    Marked,
}

impl ScoreRules {
    /// Returns true if there are no rules for this group.
    pub fn is_empty_for(&self, group: &[u8]) -> bool {
        !self
            .sections_of(group)
            .any(|section| !section.rules.is_empty())
    }

    /// Classifies a score.
    pub fn classify(&self, score: i32) -> ScoreClass {
        if score <= self.hide {
            ScoreClass::Hidden
        } else if score >= self.mark {
            ScoreClass::Marked
        } else {
            ScoreClass::Plain
        }
    }

    /// Returns the scorer for the articles of a group.
    pub(super) fn scorer(&self, group: &[u8], charset: Charset) -> Scorer<'_> {
        let rules = self.sections_of(group).flat_map(|section| &section.rules);
        Scorer {
            rules: rules.collect(),
            charset,
        }
    }

    fn sections_of(&self, group: &[u8]) -> impl Iterator<Item = &RuleSection> {
        let group = group.to_ascii_lowercase();
        let sections = self.sections.iter();
        sections.filter(move |section| section.wildmat.matches(&group))
    }
}

/// The rules for one group.
pub(super) struct Scorer<'a> {
    rules: Vec<&'a ScoreRule>,
    charset: Charset,
}

impl Scorer<'_> {
    /// The score of an article by its overview line; 0 for a malformed line.
    pub(super) fn score(&self, line: &[u8]) -> i32 {
        let Some(article) = overview(line) else {
            return 0;
        };
        let mut texts: [Option<String>; 4] = [const { None }; 4];
        let mut score = 0_i32;
        for rule in &self.rules {
            let fits = match &rule.test {
                RuleTest::Text(field, pattern) => {
                    let (index, octets) = match field {
                        Field::Subject => (0, article.subject),
                        Field::From => (1, article.from),
                        Field::Id => (2, article.id),
                        Field::References => (3, article.references),
                    };
                    // Decoded headers are cached, as most rules test the same one or two.
                    texts.get_mut(index).is_some_and(|text| {
                        let text = text.get_or_insert_with(|| {
                            header::decode(octets, self.charset).to_lowercase()
                        });
                        glob(pattern.as_bytes(), text.as_bytes())
                    })
                }
                RuleTest::Count(counted, ordering, number) => {
                    let count = match counted {
                        RuleCount::Groups => Some(cross_posts(line).count() as u64),
                        RuleCount::Lines => article.lines,
                    };
                    count.is_some_and(|count| count.cmp(number) == *ordering)
                }
            };
            match rule.effect {
                RuleEffect::Add(more) if fits => score = score.saturating_add(more),
                RuleEffect::Final(score) if fits => return score,
                RuleEffect::Add(_) | RuleEffect::Final(_) => {}
            }
        }
        score
    }
}

/// The groups and numbers in the Xref field of an overview line. It is one of the optional fields behind the eighth.
fn cross_posts(line: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    let extra = line.split(|&octet| octet == b'\t').skip(8);
    let mut xref = extra.filter_map(|field| {
        let (name, value) = field.trim_ascii().split_at_checked(5)?;
        name.eq_ignore_ascii_case(b"xref:").then_some(value)
    });
    super::xref::groups(xref.next().unwrap_or_default())
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
        let (rules, faults) = ScoreRules::parse(
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
        let killed = score(b"alt.x", encoded);
        assert_eq!(rules.classify(killed), ScoreClass::Hidden);
        assert_eq!(rules.classify(score(b"comp.x", line)), ScoreClass::Marked);
        assert_eq!(rules.classify(5), ScoreClass::Plain);
        assert!(ScoreRules::default().is_empty_for(b"a.b"));
        assert!(!rules.is_empty_for(b"comp.x"));
        assert_eq!(score(b"alt.x", "no article"), 0);
    }
}
