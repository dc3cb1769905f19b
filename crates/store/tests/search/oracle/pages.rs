//! Generated pages, and the texts that a reader sees in them.

use std::fmt::Write as _;

use geomys_page::document::Shape;
use geomys_store::files::cache::PageHeader;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use crate::search::{Copies, head, now};

/// A form of a word, and what it is: without marks, and with them.
pub(super) type Form = (&'static str, &'static str, &'static str);

/// Words in their forms; some are parts of others.
pub(super) const FORMS: [Form; 33] = [
    ("lamp", "lamp", "lamp"),
    ("Lamp", "lamp", "lamp"),
    ("LAMPSHADE", "lampshade", "lampshade"),
    ("amp", "amp", "amp"),
    ("pierre", "pierre", "pierre"),
    ("Pierre", "pierre", "pierre"),
    ("robin", "robin", "robin"),
    ("Robin", "robin", "robin"),
    ("cafe", "cafe", "cafe"),
    ("Caf\u{e9}", "cafe", "caf\u{e9}"),
    ("cafe\u{301}", "cafe", "caf\u{e9}"),
    ("stra\u{df}e", "strasse", "stra\u{df}e"),
    ("STRASSE", "strasse", "strasse"),
    ("Sm\u{f8}rrebr\u{f8}d", "smorrebrod", "sm\u{f8}rrebr\u{f8}d"),
    ("Σίσυφος", "σίσυφοσ", "σίσυφοσ"),
    ("ΣΊΣΥΦΟΣ", "σίσυφοσ", "σίσυφοσ"),
    ("σι\u{301}συφος", "σίσυφοσ", "σίσυφοσ"),
    ("шар", "шар", "шар"),
    ("ШАРФ", "шарф", "шарф"),
    ("йод", "йод", "йод"),
    ("и\u{306}од", "йод", "йод"),
    ("ながれ", "ながれ", "ながれ"),
    ("なか\u{3099}れ", "ながれ", "ながれ"),
    ("なか\u{309b}れ", "ながれ", "ながれ"),
    ("川", "川", "川"),
    ("محمد", "محمد", "محمد"),
    ("مُحَمَّد", "محمد", "محمد"),
    ("أب", "أب", "أب"),
    ("ا\u{654}ب", "أب", "أب"),
    ("שלום", "שלום", "שלום"),
    ("שָׁלוֹם", "שלום", "שלום"),
    ("한", "한", "한"),
    ("\u{1112}\u{1161}\u{11ab}", "한", "한"),
];

/// Names of authors, and what is searched for.
pub(super) const AUTHORS: [(&str, &str); 3] = [
    ("Ada Quill <ada@h.test>", "ada"),
    ("\u{d8}rsted <hc@h.test>", "orsted"),
    ("ada.b@other.test (Bo)", "other.test"),
];

/// What stands between two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    Blank,
    Hyphen,
    SoftHyphen,
    Row,
    HyphenAndRow,
    SoftHyphenAndRow,
    Paragraph,
}

impl Between {
    pub(super) fn ends_row(self) -> bool {
        !matches!(self, Self::Blank | Self::Hyphen | Self::SoftHyphen)
    }
}

/// A page: the words of its text, each with what stands behind it, and whether it belongs to a link.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) shape: Shape,
    pub(super) title: Vec<usize>,
    pub(super) words: Vec<(usize, Between, bool)>,
    pub(super) author: Option<usize>,
    /// Hours before now: of the copy, and of its publication.
    pub(super) came: i64,
    pub(super) published: Option<i64>,
    pub(super) is_unread: bool,
    pub(super) is_kept: bool,
}

/// A text in one of its readings: without marks, and with them.
pub(super) type Reading = (String, String);

/// Returns all readings of words with what stands between them.
pub(super) fn readings(words: &[(usize, Between, bool)]) -> Vec<Reading> {
    let mut all = vec![Reading::default()];
    for (at, (form, between, _)) in words.iter().enumerate() {
        let (_, plain, marked) = FORMS[*form];
        for (of_plain, of_marked) in &mut all {
            of_plain.push_str(plain);
            of_marked.push_str(marked);
        }
        let Some((next, ..)) = words.get(at + 1) else {
            break;
        };
        let is_unspaced = |form: usize| FORMS[form].1.chars().next() >= Some('\u{2e80}');
        let ends: &[&str] = match between {
            Between::Row if is_unspaced(*form) && is_unspaced(*next) => &["", " "],
            Between::HyphenAndRow | Between::SoftHyphenAndRow => &["", " "],
            Between::SoftHyphen => &[""],
            Between::Blank | Between::Hyphen | Between::Row | Between::Paragraph => &[" "],
        };
        let longer = all.iter().flat_map(|(plain, marked)| {
            ends.iter()
                .map(move |end| (format!("{plain}{end}"), format!("{marked}{end}")))
        });
        all = longer.collect();
    }
    all
}

impl Page {
    /// The hours before now of its publication, or of the copy.
    pub(super) fn date(&self) -> i64 {
        self.published
            .map_or(self.came, |hours| hours.max(self.came))
    }

    pub(super) fn titles(&self) -> Vec<Reading> {
        let words: Vec<_> = self
            .title
            .iter()
            .map(|form| (*form, Between::Blank, false))
            .collect();
        readings(&words)
    }

    pub(super) fn text(&self) -> Vec<Reading> {
        let mut words = self.words.clone();
        // Nothing stands between the subject and the text.
        if self.shape == Shape::Article && self.author.is_none() && self.published.is_none() {
            let subject = self.title.iter().map(|form| (*form, Between::Blank, false));
            words.splice(..0, subject);
        }
        readings(&words)
    }

    pub(super) fn address(&self, number: usize) -> String {
        let mark = if self.is_unread { "unread" } else { "read" };
        match self.shape {
            Shape::Article => format!("nntp://h.example/{mark}.x/{number}"),
            Shape::Html => format!("http://h.example/{mark}/{number}"),
            Shape::Gemtext => format!("gemini://h.example/{mark}/{number}"),
            Shape::Menu => format!("gopher://h.example/1/{mark}/{number}"),
            _ => format!("gopher://h.example/0/{mark}/{number}"),
        }
    }

    /// The rows, each with the words of it.
    pub(super) fn rows(&self) -> Vec<&[(usize, Between, bool)]> {
        self.words
            .split_inclusive(|(_, between, _)| between.ends_row())
            .collect()
    }

    /// The labels of links: whole rows of menus and gemtext, runs of words of web pages.
    pub(super) fn labels(&self) -> Vec<Vec<(usize, Between, bool)>> {
        let rows = self.rows().into_iter();
        match self.shape {
            Shape::Menu | Shape::Gemtext => {
                rows.filter(|row| row[0].2).map(<[_]>::to_vec).collect()
            }
            Shape::Html => {
                let runs = rows.flat_map(|row| row.chunk_by(|a, b| a.2 == b.2));
                runs.filter(|run| run[0].2).map(<[_]>::to_vec).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The octets of the page.
    pub(super) fn octets(&self) -> String {
        let mut page = match self.shape {
            Shape::Html => "<html><body><p>".to_owned(),
            Shape::Article => self.head(),
            _ => String::new(),
        };
        for row in self.rows() {
            let is_link = row[0].2;
            page.push_str(match self.shape {
                Shape::Menu if is_link => "0",
                Shape::Menu => "i",
                Shape::Gemtext if is_link => "=> /x ",
                _ => "",
            });
            for run in row.chunk_by(|a, b| a.2 == b.2) {
                let is_anchor = self.shape == Shape::Html && run[0].2;
                page.push_str(if is_anchor { "<a href=/x>" } else { "" });
                for (at, (form, between, _)) in run.iter().enumerate() {
                    let end = match between {
                        Between::Hyphen | Between::HyphenAndRow => "-",
                        Between::SoftHyphen | Between::SoftHyphenAndRow => "\u{ad}",
                        Between::Blank => " ",
                        Between::Row | Between::Paragraph => "",
                    };
                    let is_last = at + 1 == run.len();
                    let end_of_label = if is_anchor && is_last { "</a>" } else { "" };
                    write!(page, "{}{end_of_label}{end}", FORMS[*form].0).unwrap();
                }
            }
            let is_paragraph = row.last().is_some_and(|word| word.1 == Between::Paragraph);
            page.push_str(match (self.shape, is_paragraph) {
                (Shape::Menu, false) => "\t/x\th.example\t70\r\n",
                (Shape::Menu, true) => "\t/x\th.example\t70\r\ni\t\th.example\t70\r\n",
                (Shape::Html, false) => "<br>",
                (Shape::Html, true) => "</p><p>",
                (_, false) => "\n",
                (_, true) => "\n\n",
            });
        }
        page
    }

    pub(super) fn head(&self) -> String {
        let mut head = "Content-Type: text/plain; charset=utf-8\n".to_owned();
        let subject: Vec<&str> = self.title.iter().map(|form| FORMS[*form].0).collect();
        writeln!(head, "Subject: {}", subject.join(" ")).unwrap();
        if let Some(author) = self.author {
            writeln!(head, "From: {}", AUTHORS[author].0).unwrap();
        }
        if let Some(hours) = self.published {
            let date = hours_ago(hours).to_zoned(TimeZone::UTC);
            writeln!(head, "Date: {}", rfc2822::to_string(&date).unwrap()).unwrap();
        }
        head.push('\n');
        head
    }

    pub(super) fn store(&self, copies: &Copies, number: usize) {
        let is_article = self.shape == Shape::Article;
        let title: Vec<&str> = self.title.iter().map(|form| FORMS[*form].0).collect();
        let head = PageHeader {
            title: (!is_article).then(|| title.join(" ")),
            published: self.published.filter(|_| !is_article).map(hours_ago),
            ..head(&self.address(number), self.shape)
        };
        let octets = self.octets();
        let octets = std::iter::once(octets.as_bytes());
        let cache = match copies.cache.saved() {
            Some(saved) if self.is_kept => saved,
            _ => &copies.cache,
        };
        cache.store(&head, hours_ago(self.came), octets).unwrap();
    }
}

pub(super) fn hours_ago(hours: i64) -> Timestamp {
    now() - SignedDuration::from_hours(hours)
}

pub(super) fn between() -> impl Strategy<Value = Between> {
    prop_oneof![
        6 => Just(Between::Blank),
        2 => Just(Between::Hyphen),
        1 => Just(Between::SoftHyphen),
        3 => Just(Between::Row),
        2 => Just(Between::HyphenAndRow),
        1 => Just(Between::SoftHyphenAndRow),
        1 => Just(Between::Paragraph),
    ]
}

prop_compose! {
    pub(super) fn page()(
        shape in prop::sample::select(vec![Shape::Text, Shape::Gemtext, Shape::Html, Shape::Menu, Shape::Article]),
        title in prop::collection::vec(0..FORMS.len(), 1..4),
        words in prop::collection::vec((0..FORMS.len(), between(), prop::bool::weighted(0.3)), 1..12),
        author in prop::option::of(0..AUTHORS.len()),
        came in 1..60_i64,
        published in prop::option::of(-9..120_i64),
        is_unread: bool,
        is_kept in prop::bool::weighted(0.3),
    ) -> Page {
        let author = author.filter(|_| shape == Shape::Article);
        let mut page = Page { shape, title, words, author, came, published, is_unread, is_kept };
        if shape == Shape::Html {
            // A page of the Web has no soft hyphens before `<br>`.
            let soft = page.words.iter_mut().filter(|word| word.1 == Between::SoftHyphenAndRow);
            soft.for_each(|word| word.1 = Between::HyphenAndRow);
        }
        if matches!(shape, Shape::Menu | Shape::Gemtext) {
            // A row is a link or none.
            let mut is_link = page.words[0].2;
            let mut is_first = false;
            for word in &mut page.words {
                if std::mem::take(&mut is_first) {
                    is_link = word.2;
                }
                word.2 = is_link;
                is_first = word.1.ends_row();
            }
        }
        page
    }
}
