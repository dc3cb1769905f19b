//! Article scores: the user's rules mark or hide the articles of a group.
//!
//! Every rule that matches an article changes its score. A rule with `=` sets the final score, and later rules are
//! ignored. An article with a score below the lower limit is hidden, with a score above the upper limit it is marked.

mod parse;

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use geomys_wire::protocol::nntp::{Overview, References, Wildmat, bare_id, glob, overview};
use geomys_wire::text::Charset;
use jiff::civil::Date;
use regex::Regex;

pub use self::parse::{NewRule, RuleFault};
use super::group::charset_of;
use super::rows::RowSource;
use super::{header, numbers};

/// The user's rules, for all groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreRules {
    sections: Vec<RuleSection>,
    /// The highest score of hidden articles.
    hide: i32,
    /// The lowest score of marked articles.
    mark: i32,
    /// The score of a reply to an article of the user, before any rule.
    answer: i32,
    /// The Message-IDs of the user's articles, without their brackets.
    own: Arc<HashSet<Vec<u8>>>,
}

impl Default for ScoreRules {
    fn default() -> Self {
        Self {
            sections: Vec::new(),
            hide: -100,
            mark: 10,
            answer: 100,
            own: Arc::default(),
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
    /// The last day on which the rule counts; `None` for always.
    until: Option<Date>,
    /// The conditions, all of which an article must meet.
    tests: Vec<RuleTest>,
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
    /// A header matches a regular expression.
    Regex(Field, RulePattern),
    /// A count is less, or greater, than a number.
    Count(RuleCount, Ordering, u64),
}

/// A regular expression, which ignores case.
#[derive(Clone, Debug)]
struct RulePattern(Regex);

impl PartialEq for RulePattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for RulePattern {}

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
        let has_answers = self.answer != 0 && !self.own.is_empty();
        let mut sections = self.sections_of(group);
        !has_answers && !sections.any(|section| !section.rules.is_empty())
    }

    /// Sets the Message-IDs of the user's articles, with or without their brackets.
    #[must_use]
    pub fn with_own(self, ids: impl IntoIterator<Item = String>) -> Self {
        let bare = ids.into_iter().map(|id| bare_id(id.as_bytes()).to_vec());
        let own = Arc::new(bare.collect());
        Self { own, ..self }
    }

    /// Returns true if an article is the user's.
    pub fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Takes the Message-IDs of the user's articles from other rules.
    #[must_use]
    pub fn with_own_of(self, other: &Self) -> Self {
        let own = Arc::clone(&other.own);
        Self { own, ..self }
    }

    /// Returns the rules that count today. The day is not read unless a rule has a last day: finding the time zone
    /// takes a millisecond of the start.
    #[must_use]
    pub fn on(mut self, today: impl Fn() -> Date) -> Self {
        for section in &mut self.sections {
            let rules = &mut section.rules;
            rules.retain(|rule| rule.until.is_none_or(|until| today() <= until));
        }
        self
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
    pub(super) fn scorer<'a>(&'a self, group: &[u8], source: RowSource<'a>) -> Scorer<'a> {
        let rules = self.sections_of(group).flat_map(|section| &section.rules);
        Scorer {
            rules: rules.collect(),
            all: self,
            source,
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
    all: &'a ScoreRules,
    source: RowSource<'a>,
}

impl Scorer<'_> {
    /// The score of an article by its overview line; 0 for a malformed line.
    pub(super) fn score(&self, line: &[u8]) -> i32 {
        let Some(article) = overview(line) else {
            return 0;
        };
        let mut texts = DecodedHeaders {
            charset: charset_of(self.source, line),
            texts: [const { None }; 4],
        };
        let references = References::new(article.references);
        let is_answer = (references.ids().last()).is_some_and(|id| self.all.own.contains(id));
        let mut score = if is_answer { self.all.answer } else { 0_i32 };
        for rule in &self.rules {
            let fits = rule.tests.iter().all(|test| match test {
                RuleTest::Text(field, pattern) => {
                    glob(pattern.as_bytes(), texts.of(*field, &article).as_bytes())
                }
                RuleTest::Regex(field, pattern) => pattern.0.is_match(texts.of(*field, &article)),
                RuleTest::Count(counted, ordering, number) => {
                    let count = match counted {
                        RuleCount::Groups => Some(numbers::of_overview(line).count() as u64),
                        RuleCount::Lines => article.lines,
                    };
                    count.is_some_and(|count| count.cmp(number) == *ordering)
                }
            });
            match rule.effect {
                RuleEffect::Add(more) if fits => score = score.saturating_add(more),
                RuleEffect::Final(score) if fits => return score,
                RuleEffect::Add(_) | RuleEffect::Final(_) => {}
            }
        }
        score
    }
}

/// The decoded headers of an article in lower case. They are cached, as most rules test the same one or two.
struct DecodedHeaders {
    charset: Charset,
    texts: [Option<String>; 4],
}

impl DecodedHeaders {
    fn of(&mut self, field: Field, article: &Overview<'_>) -> &str {
        let (index, octets) = match field {
            Field::Subject => (0, article.subject),
            Field::From => (1, article.from),
            Field::Id => (2, article.id),
            Field::References => (3, article.references),
        };
        let charset = self.charset;
        let decode = || header::decode(octets, charset).to_lowercase();
        let text = self.texts.get_mut(index);
        text.map_or("", |text| text.get_or_insert_with(decode))
    }
}

#[cfg(test)]
mod tests {
    use rfc1738::Url;

    use super::*;
    use crate::document::raw::LineBuffer;

    fn score_of(rules: &ScoreRules, group: &[u8], line: &str) -> i32 {
        let (url, raw) = (Url::parse("nntp://h/a").unwrap(), LineBuffer::default());
        let source = RowSource {
            url: &url,
            raw: &raw,
            charset: Charset::default(),
            converted_from: None,
            is_detected: true,
        };
        rules.scorer(group, source).score(line.as_bytes())
    }

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
        let score = |group: &[u8], line: &str| score_of(&rules, group, line);
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

    #[test]
    fn reply_to_an_own_article_is_marked() {
        let (rules, faults) = ScoreRules::parse("answer 50\n-9999 From: troll@\n");
        assert_eq!(faults, []);
        let rules = rules.with_own(["<1@x>".to_owned()]);
        let score = |references: &str, from: &str| {
            let line = format!("7\tRe: x\t{from}\td\t<i@x>\t{references}\t9\t4");
            score_of(&rules, b"a.b", &line)
        };
        assert_eq!(score("<0@x> <1@x>", "ada@x"), 50);
        assert_eq!(score("<1@x> <2@x>", "ada@x"), 0);
        assert_eq!(score("<1@x>", "troll@x"), -9949);
        assert!(!rules.is_empty_for(b"c"));
    }

    #[test]
    fn new_rules_fit_the_subject_or_the_thread_and_nothing_else() {
        let is_hit = |rule: &NewRule, line: &str| {
            let today = "2026-12-22".parse().unwrap();
            let (rules, faults) = ScoreRules::parse(&rule.lines(today));
            assert_eq!(faults, []);
            let (url, raw) = (Url::parse("nntp://h/a").unwrap(), LineBuffer::default());
            let source = RowSource {
                url: &url,
                raw: &raw,
                charset: Charset::default(),
                converted_from: None,
                is_detected: true,
            };
            rules.scorer(b"a", source).score(line.as_bytes()) != 0
        };
        let subject = NewRule::new(-1, "Subject", "What *is* [it]? && why").unwrap();
        for (text, fits) in [
            ("What *is* [it]? && why", true),
            ("Re: what *IS* [it]? && why", true),
            ("Re[2]: Re: What *is* [it]? && why", true),
            ("What this is [it]? && why", false),
            ("What *is* [it]! && why", false),
            ("What *is* [it]? && why not", false),
            ("So: What *is* [it]? && why", false),
        ] {
            let line = format!("7\t{text}\tAda <a@x>\td\t<i@x>\t\t9\t4");
            assert_eq!(is_hit(&subject, &line), fits, "{text}");
        }
        let author = NewRule::new(-1, "From", "A*a <a@x>").unwrap();
        assert!(is_hit(&author, "7\ts\tA*a <a@x>\td\t<i@x>\t\t9\t4"));
        assert!(!is_hit(&author, "7\ts\tAnna <a@x>\td\t<i@x>\t\t9\t4"));
        let thread = NewRule::thread(-1, "<1*@x>");
        for (id, references, fits) in [
            ("<1*@x>", "", true),
            ("<2@x>", "<1*@x>", true),
            ("<3@x>", "<1*@x> <2@x>", true),
            ("<11@x>", "<12@x>", false),
        ] {
            let line = format!("7\ts\tAda <a@x>\td\t{id}\t{references}\t9\t4");
            assert_eq!(is_hit(&thread, &line), fits, "{id}");
        }
    }

    #[test]
    fn all_conditions_must_fit_until_the_rule_expires() {
        let line =
            "7\tOn Gopher\tAda <ADA@example.org>\td\t<i@x>\t\t9\t4\tXref: h a.b:1 c.d:2 e.f:3";
        let (rules, faults) = ScoreRules::parse(
            "+1 From: ada && Subject: gopher && Lines: < 9\n+10 from: ada && Xref: > 9\n+100 Subject~ ^on (gopher|veronica)$\n\
             +1000 until 2026-11-22 From: ada\n",
        );
        assert_eq!(faults, []);
        let score = |rules: &ScoreRules| score_of(rules, b"a", line);
        let day = |day: &str| day.parse::<Date>().unwrap();
        assert_eq!(score(&rules.clone().on(|| day("2026-11-22"))), 1101);
        assert_eq!(score(&rules.on(|| day("2026-11-23"))), 101);
    }
}
