//! Generated queries, and what they find in a plain reading of pages.

use std::collections::BTreeMap;

use geomys_page::document::Shape;
use geomys_store::search::Rank;
use proptest::prelude::*;

use super::pages::{AUTHORS, Between, FORMS, Form, Page, Reading, readings};

/// A word or phrase of a query.
#[derive(Clone, Debug)]
pub(super) struct Term {
    pub(super) typed: String,
    pub(super) plain: String,
    pub(super) marked: String,
    pub(super) is_start: bool,
}

impl Term {
    /// Returns whether readings have the term, and whether as whole words.
    pub(super) fn is_in(&self, readings: &[Reading]) -> (bool, bool) {
        let (mut is_in, mut is_whole) = (false, false);
        for (plain, marked) in readings {
            let (text, term) = if self.plain == self.marked {
                (plain, &self.plain)
            } else {
                (marked, &self.marked)
            };
            let starts = text.char_indices().map(|(at, _)| at);
            for at in starts.filter(|at| text[*at..].starts_with(term.as_str())) {
                let is_letter = |letter: Option<char>| {
                    letter.is_some_and(|letter| letter.is_alphanumeric() && letter < '\u{2e80}')
                };
                let is_begun = is_letter(text[..at].chars().next_back());
                let goes_on = is_letter(text[at + term.len()..].chars().next());
                is_in |= !self.is_start || !is_begun;
                is_whole |= !is_begun && (self.is_start || !goes_on);
            }
        }
        (is_in, is_in && is_whole)
    }
}

/// A condition of a query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Condition {
    From(usize),
    Title(usize),
    Subject(usize),
    Unread,
    Since(i64),
    Until(i64),
    Url(usize),
    Kind(&'static str),
}

impl Condition {
    pub(super) fn typed(&self) -> String {
        match self {
            Self::From(author) => format!("from:{}", AUTHORS[*author].1),
            Self::Title(form) => format!("title:{}", FORMS[*form].0),
            Self::Subject(form) => format!("subject:{}", FORMS[*form].0),
            Self::Unread => "is:unread".to_owned(),
            Self::Since(hours) => format!("since:{hours}h"),
            Self::Until(hours) => format!("until:{hours}h"),
            Self::Url(digit) => format!("url:{digit}"),
            Self::Kind(kind) => format!("in:{kind}"),
        }
    }

    pub(super) fn is_met(&self, page: &Page, number: usize) -> bool {
        match self {
            Self::From(author) => {
                let typed = AUTHORS[*author].1;
                page.author.is_some_and(|own| match typed {
                    "ada" => own != 1,
                    typed => AUTHORS[own].1 == typed,
                })
            }
            Self::Title(form) | Self::Subject(form) => {
                term(&[*form], Typing::Quoted).is_in(&page.titles()).0
            }
            Self::Unread => page.is_unread,
            Self::Since(hours) => page.date() <= *hours,
            Self::Until(hours) => page.date() > *hours,
            Self::Url(digit) => page.address(number).contains(&digit.to_string()),
            Self::Kind("news") => page.shape == Shape::Article,
            Self::Kind("kept") => page.is_kept,
            Self::Kind(scheme) => page.address(number).starts_with(scheme),
        }
    }
}

/// A query: groups of which one term must be there, terms that must not, and conditions with their signs.
#[derive(Clone, Debug)]
pub(super) struct Query {
    pub(super) groups: Vec<Vec<Term>>,
    pub(super) excluded: Vec<Term>,
    pub(super) conditions: Vec<(Condition, bool)>,
}

/// How the words of a phrase are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typing {
    Quoted,
    Hyphens,
    /// As one word.
    Joined,
}

/// Returns the term of forms of words.
pub(super) fn term(forms: &[usize], typing: Typing) -> Term {
    let joined = |of: fn(&Form) -> &str, between: &str| {
        let words = forms.iter().map(|form| of(&FORMS[*form]));
        words.collect::<Vec<_>>().join(between)
    };
    let typed = match typing {
        _ if forms.len() == 1 => joined(|form| form.0, ""),
        Typing::Quoted => format!("\"{}\"", joined(|form| form.0, " ")),
        Typing::Hyphens => joined(|form| form.0, "-"),
        Typing::Joined => joined(|form| form.0, ""),
    };
    let between = if typing == Typing::Joined { "" } else { " " };
    Term {
        typed,
        plain: joined(|form| form.1, between),
        marked: joined(|form| form.2, between),
        is_start: false,
    }
}

impl Query {
    pub(super) fn typed(&self) -> String {
        let groups = self.groups.iter().map(|group| {
            let terms: Vec<&str> = group.iter().map(|term| term.typed.as_str()).collect();
            terms.join(" OR ")
        });
        let excluded = self.excluded.iter().map(|term| format!("-{}", term.typed));
        let conditions = self.conditions.iter().map(|(condition, is_wanted)| {
            let sign = if *is_wanted { "" } else { "-" };
            format!("{sign}{}", condition.typed())
        });
        groups
            .chain(excluded)
            .chain(conditions)
            .collect::<Vec<_>>()
            .join(" ")
    }

    pub(super) fn admits(&self, page: &Page, number: usize) -> bool {
        let mut names: BTreeMap<String, bool> = BTreeMap::new();
        for (condition, is_wanted) in &self.conditions {
            let is_met = condition.is_met(page, number);
            let typed = condition.typed();
            // `in:kept` is no alternative of another kind.
            let name = match typed.as_str() {
                "in:kept" => "kept",
                typed => typed.split(':').next().unwrap(),
            };
            if *is_wanted {
                *names.entry(name.to_owned()).or_default() |= is_met;
            } else if is_met {
                return false;
            }
        }
        names.values().all(|is_met| *is_met)
    }

    /// Returns true if readings have a term of each group.
    pub(super) fn is_in(&self, texts: &[Reading]) -> bool {
        let has = |group: &Vec<Term>| group.iter().any(|term| term.is_in(texts).0);
        self.groups.iter().all(has)
    }

    /// Returns the rank of a page, and whether it has parts of words only; nothing if it is not found.
    pub(super) fn rank(&self, page: &Page, number: usize) -> Option<(Rank, bool)> {
        let (title, text) = (page.titles(), page.text());
        let is_there = |term: &Term| {
            let (in_title, in_text) = (term.is_in(&title), term.is_in(&text));
            (in_title.0 || in_text.0, in_title.1 || in_text.1)
        };
        if !self.admits(page, number) || self.excluded.iter().any(|term| is_there(term).0) {
            return None;
        }
        let has_all = |is_there: &dyn Fn(&Term) -> bool| {
            self.groups.iter().all(|group| group.iter().any(is_there))
        };
        if !has_all(&|term| is_there(term).0) {
            return None;
        }
        let is_part = !has_all(&|term| is_there(term).1);
        let is_near = || {
            let ends = page
                .words
                .split_inclusive(|(_, between, _)| *between == Between::Paragraph);
            let mut paragraphs = ends.map(|words| self.is_in(&readings(words)));
            paragraphs.any(|is_near| is_near)
        };
        let rank = if self.is_in(&title) {
            Rank::Title
        } else if page
            .labels()
            .iter()
            .any(|label| self.is_in(&readings(label)))
        {
            Rank::Link
        } else if is_near() {
            Rank::Near
        } else {
            Rank::Far
        };
        Some((rank, is_part))
    }
}

pub(super) fn condition() -> impl Strategy<Value = Condition> {
    prop_oneof![
        (0..AUTHORS.len()).prop_map(Condition::From),
        (0..FORMS.len()).prop_map(Condition::Title),
        (0..FORMS.len()).prop_map(Condition::Subject),
        Just(Condition::Unread),
        (0..120_i64).prop_map(Condition::Since),
        (0..120_i64).prop_map(Condition::Until),
        (0..6_usize).prop_map(Condition::Url),
        prop::sample::select(vec!["news", "gopher", "gemini", "http", "kept"])
            .prop_map(Condition::Kind),
    ]
}

pub(super) fn typing() -> impl Strategy<Value = Typing> {
    prop::sample::select(vec![Typing::Quoted, Typing::Hyphens, Typing::Joined])
}

/// A word of a page: whether it is taken, the page, the place in it, how many words, and how they are typed.
pub(super) type Place = (bool, u16, u16, usize, Typing);

pub(super) fn place() -> impl Strategy<Value = Place> {
    (
        any::<bool>(),
        any::<u16>(),
        any::<u16>(),
        1..4_usize,
        typing(),
    )
}

pub(super) fn any_term() -> impl Strategy<Value = Term> {
    let forms = prop_oneof![
        3 => prop::collection::vec(0..FORMS.len(), 1..2),
        2 => prop::collection::vec(0..FORMS.len(), 2..4),
    ];
    let terms = (forms, typing(), prop::bool::weighted(0.2));
    terms.prop_map(|(forms, typing, is_start)| {
        let mut term = term(&forms, typing);
        if is_start && forms.len() == 1 {
            term.typed.push('*');
            term.is_start = true;
        }
        term
    })
}

prop_compose! {
    /// A query; its terms are often words that stand together in a page, by the number of the page and the place.
    pub(super) fn query()(
        groups in prop::collection::vec(prop::collection::vec((any_term(), place()), 1..3), 1..3),
        excluded in prop::collection::vec(any_term(), 0..2),
        conditions in prop::collection::vec((condition(), prop::bool::weighted(0.7)), 0..3),
    ) -> (Vec<Vec<(Term, Place)>>, Vec<Term>, Vec<(Condition, bool)>) {
        (groups, excluded, conditions)
    }
}
