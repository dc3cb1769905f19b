//! The news groups and their articles.
//!
//! A file of `assets/demo/news/` holds a group's articles one after the other, each after a line `=====`, in the
//! format of RFC 5536 with LF instead of CRLF. Numbers are assigned here: every group starts at its own first number,
//! and after its third article one number is missing, as if that article had been cancelled. Articles of the big
//! groups are computed; all but one of these groups are in no list.

pub(crate) mod counted;
mod posted;

use std::borrow::Cow;
use std::sync::Arc;

use jiff::fmt::rfc2822;

use crate::assets::{self, Placeholders, text};
use crate::wire::{self, number, split_once};

/// The first group of the bookmarks.
pub const FIRST_GROUP: &str = "geomys.demo.announce";
/// The computed group.
pub const BIG_GROUP: &str = "geomys.demo.big";
/// The number of articles of the computed group.
pub const BIG_GROUP_ARTICLES: u64 = 100_000;
/// A group that only `ada` may read, so that a password is required.
pub const PRIVATE_GROUP: &str = "geomys.demo.attic";

/// The files of the articles.
const FILES: [&str; 4] = [
    "news/announce.txt",
    "news/infosystems.txt",
    "news/weather.txt",
    "news/attic.txt",
];

/// An article: its headers and its body, each line with CRLF.
#[derive(Clone, Debug)]
pub(crate) struct Article {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

impl Article {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut article = Self {
            head: Vec::new(),
            body: Vec::new(),
        };
        let mut part = &mut article.head;
        let mut in_head = true;
        for line in wire::lines(text) {
            if in_head && line.is_empty() {
                in_head = false;
                part = &mut article.body;
                continue;
            }
            part.extend_from_slice(line);
            part.extend_from_slice(b"\r\n");
        }
        article
    }

    /// The value of a header, unfolded, with tabs as spaces, as overviews require it (RFC 3977 section 8.3.2).
    pub(crate) fn header(&self, name: &[u8]) -> Option<Vec<u8>> {
        let mut value: Option<Vec<u8>> = None;
        for line in wire::lines(&self.head) {
            match (&mut value, line.first()) {
                (Some(value), Some(b' ' | b'\t')) => value.extend_from_slice(line),
                (Some(_), _) => break,
                (None, _) => {
                    let (field, rest) = split_once(line, b':').unwrap_or((line, b""));
                    if field.eq_ignore_ascii_case(name) {
                        value = Some(rest.trim_ascii().to_vec());
                    }
                }
            }
        }
        let mut value = value?;
        for octet in &mut value {
            if *octet == b'\t' {
                *octet = b' ';
            }
        }
        Some(value)
    }

    /// The number of lines of the body.
    pub(crate) fn lines(&self) -> usize {
        memchr::memchr_iter(b'\n', &self.body).count()
    }

    /// The number of octets of the article, with the line between head and body.
    pub(crate) fn octets(&self) -> usize {
        self.head.len() + 2 + self.body.len()
    }
}

/// A news group.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// The date of creation: `YYYYMMDD`.
    pub(crate) created: u64,
    articles: Articles,
    /// The highest number ever assigned. Numbers are not reused (RFC 3977, section 6.1.1.2).
    highest: u64,
}

#[derive(Clone, Debug)]
enum Articles {
    /// Stored articles by ascending number.
    Stored(Vec<(u64, Arc<Article>)>),
    /// Computed articles with the numbers from 1 to this.
    Computed(u64),
    /// Computed articles with the numbers from 1 to this, in a group that is in no list.
    Counted(u64),
}

impl Group {
    /// Low and high water mark and count. In an empty group the high mark is one below the low (RFC 3977 section
    /// 6.1.1.2).
    pub(crate) fn marks(&self) -> (u64, u64, u64) {
        match &self.articles {
            Articles::Stored(articles) => match (articles.first(), articles.last()) {
                (Some((low, _)), Some((high, _))) => {
                    (*low, self.highest.max(*high), articles.len() as u64)
                }
                _ => (self.highest + 1, self.highest, 0),
            },
            Articles::Computed(count) | Articles::Counted(count) => (1, *count, *count),
        }
    }

    /// The posting status (RFC 3977, section 7.6.3).
    pub(crate) fn status(&self) -> &'static str {
        match (&self.articles, self.name) {
            (Articles::Computed(_) | Articles::Counted(_), _) => "n",
            (Articles::Stored(_), FIRST_GROUP) => "m",
            (Articles::Stored(_), _) => "y",
        }
    }

    /// Returns true if LIST contains the group.
    fn is_listed(&self) -> bool {
        !self.is_counted()
    }

    /// Returns true if its overview is computed from the numbers: [`counted::overview`].
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self.articles, Articles::Counted(_))
    }

    /// Returns true if only `ada` may read the group.
    pub(crate) fn is_private(&self) -> bool {
        self.name == PRIVATE_GROUP
    }

    /// The article with this number.
    pub(crate) fn article(&self, number: u64) -> Option<Cow<'_, Article>> {
        match &self.articles {
            Articles::Stored(articles) => {
                let at = articles
                    .binary_search_by_key(&number, |(number, _)| *number)
                    .ok()?;
                articles
                    .get(at)
                    .map(|(_, article)| Cow::Borrowed(article.as_ref()))
            }
            Articles::Computed(count) => (1..=*count)
                .contains(&number)
                .then(|| Cow::Owned(computed(number))),
            Articles::Counted(count) => (1..=*count)
                .contains(&number)
                .then(|| Cow::Owned(counted::article(self.name, number))),
        }
    }

    /// The number of the article with this Message-ID, brackets included.
    pub(crate) fn number_of(&self, id: &[u8]) -> Option<u64> {
        match &self.articles {
            Articles::Stored(articles) => articles
                .iter()
                .find(|(_, article)| article.header(b"Message-ID").as_deref() == Some(id))
                .map(|(number, _)| *number),
            Articles::Computed(count) => number(
                id.strip_prefix(b"<big.")?
                    .strip_suffix(b"@underloam.example>")?,
            )
            .filter(|number| (1..=*count).contains(number)),
            Articles::Counted(count) => {
                counted::number_of(self.name, id).filter(|number| (1..=*count).contains(number))
            }
        }
    }

    /// The existing numbers in a range, ascending.
    pub(crate) fn numbers(
        &self,
        first: u64,
        last: u64,
    ) -> Box<dyn DoubleEndedIterator<Item = u64> + Send + '_> {
        match &self.articles {
            Articles::Stored(articles) => Box::new(
                articles
                    .iter()
                    .map(|(number, _)| *number)
                    .filter(move |number| (first..=last).contains(number)),
            ),
            Articles::Computed(count) | Articles::Counted(count) => {
                Box::new(first.max(1)..=last.min(*count))
            }
        }
    }
}

/// All groups.
#[derive(Clone, Debug)]
pub(crate) struct Groups {
    all: Vec<Group>,
    /// The number of posted articles, including cancelled ones.
    posted: usize,
}

impl Groups {
    pub(super) fn new(placeholders: &Placeholders) -> Self {
        let mut files: Vec<Arc<Article>> = FILES
            .iter()
            .flat_map(|file| articles(&placeholders.fill(assets::file(file))))
            .map(Arc::new)
            .collect();
        // The articles are numbered by the time on their writer's clock.
        files.sort_by_cached_key(|article| {
            let date = rfc2822::parse(text(&article.header(b"Date")?)).ok()?;
            Some(date.datetime())
        });
        let mut groups: Vec<Group> = assets::table("news/groups.txt")
            .map(|[created, first, name, description]| {
                let belongs = |article: &&Arc<Article>| {
                    article.header(b"Newsgroups").is_some_and(|names| {
                        let mut names = names.split(|&octet| octet == b',');
                        names.any(|one| one.trim_ascii() == name)
                    })
                };
                let first = number(first).unwrap_or(1);
                let numbered = (first..)
                    .filter(|number| *number != first + 3)
                    .zip(files.iter().filter(belongs).cloned());
                let (name, description) = (text(name), text(description));
                let created = number(created).unwrap_or_default();
                Group {
                    name,
                    description,
                    created,
                    articles: Articles::Stored(numbered.collect()),
                    highest: 0,
                }
            })
            .collect();
        groups.push(Group {
            name: BIG_GROUP,
            description: "A hundred thousand remarks about potatoes (computed)",
            created: 1994_1001,
            articles: Articles::Computed(BIG_GROUP_ARTICLES),
            highest: 0,
        });
        groups.extend(counted::NAMES.map(|(name, count)| Group {
            name,
            description: "As many remarks as the name says (computed)",
            created: 1994_1001,
            articles: Articles::Counted(count),
            highest: 0,
        }));
        Self {
            all: groups,
            posted: 0,
        }
    }

    /// The groups that LIST contains.
    pub(crate) fn listed(&self) -> impl Iterator<Item = &Group> {
        self.all.iter().filter(|group| group.is_listed())
    }

    /// The group with this name. Names are case-sensitive.
    pub(crate) fn named(&self, name: &[u8]) -> Option<(usize, &Group)> {
        self.all
            .iter()
            .enumerate()
            .find(|(_, group)| group.name.as_bytes() == name)
    }

    pub(crate) fn at(&self, index: usize) -> Option<&Group> {
        self.all.get(index)
    }

    /// The article with this Message-ID, brackets included, and one of its groups.
    pub(crate) fn identified(&self, id: &[u8]) -> Option<(&Group, Cow<'_, Article>)> {
        self.all
            .iter()
            .find_map(|group| Some((group, group.article(group.number_of(id)?)?)))
    }
}

/// The articles of a file.
fn articles(file: &[u8]) -> Vec<Article> {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for line in wire::lines(file) {
        if line == b"=====" {
            texts.push(Vec::new());
        } else if let Some(text) = texts.last_mut() {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
    }
    texts.iter().map(|text| Article::new(text)).collect()
}

/// Article `number` of the big group, which has threads of five articles: a question and its answers.
fn computed(number: u64) -> Article {
    const WHO: [&str; 5] = ["Dibble", "Bursarius", "Botta", "Marl", "Quill"];
    const WHAT: [&str; 7] = [
        "boiled",
        "mashed",
        "left in the ground",
        "painted",
        "as ballast",
        "in letters",
        "at weddings",
    ];
    let pick = |names: &[&'static str], by: u64| {
        usize::try_from(by % names.len() as u64)
            .ok()
            .and_then(|at| names.get(at).copied())
            .unwrap_or_default()
    };
    let place = (number - 1) % 5;
    let root = number - place;
    let subject = format!(
        "{}Potatoes, {} (part {})",
        if place == 0 { "" } else { "Re: " },
        pick(&WHAT, root / 5),
        root.div_ceil(5)
    );
    let parents: Vec<String> = (root..number)
        .map(|parent| format!("<big.{parent}@underloam.example>"))
        .collect();
    let references = if parents.is_empty() {
        String::new()
    } else {
        format!("References: {}\n", parents.join(" "))
    };
    let who = pick(&WHO, number);
    let text = format!(
        "Path: underloam.example!not-for-mail\nFrom: {who} <{}@underloam.example>\nNewsgroups: {BIG_GROUP}\nSubject: {subject}\n\
         Date: {:02} Oct 1994 {:02}:{:02}:00 +0000\nMessage-ID: <big.{number}@underloam.example>\n{references}\n\
         This is remark number {number} about potatoes.\n\nIt does not differ much from remark number {}.\n\n-- \n{who}, of the long cellar\n",
        who.to_ascii_lowercase(),
        1 + number / 3600 % 31,
        number / 60 % 24,
        number % 60,
        number.saturating_sub(1),
    );
    Article::new(text.as_bytes())
}
