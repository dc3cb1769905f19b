//! Groups of any size whose articles are computed from their numbers, so that an overview costs little more than
//! sending it. They are used to measure newsreaders on very large groups.
//!
//! Half of the articles start a thread. The others reply to one of the last thousand articles and refer to the last
//! three articles above them; an overview line has about 250 octets. One article is written each minute, in years of
//! twelve months of 28 days.

use std::fmt::{self, Display};

use super::{Article, number, split_once};

/// The prefixes of the group names, with the number of articles of each group.
pub(super) const NAMES: [(&str, u64); 2] = [
    ("geomys.demo.big.100000", 100_000),
    ("geomys.demo.big.1000000", 1_000_000),
];

/// The largest difference between an article's number and that of the article it replies to.
const REACH: u64 = 1000;

/// The highest number of references of an article.
const REFERENCES: usize = 3;

const WHO: [&str; 8] = [
    "Dibble Marl",
    "Bursarius Quill",
    "Botta of the North Hill",
    "Ada",
    "Thomomys T. Talpoides",
    "Quill, jr.",
    "The Keeper of the Drum",
    "Marl",
];

const WHAT: [&str; 8] = [
    "Tunnels that end in the middle of nowhere",
    "Roots, and who owns the plant above them",
    "On the acoustics of a chamber with two doors",
    "Potatoes (was: potatoes)",
    "Has anybody seen the menu of the seventh hill?",
    "ANNOUNCE: the moles' almanac is out",
    "Rain",
    "A question about seventy columns, and an answer to another one",
];

/// The article `number` of the group `group`, as far as an overview describes it.
struct CountedRemark<'a> {
    group: &'a str,
    number: u64,
}

/// The overview line of an article, without its end: the fields of LIST OVERVIEW.FMT (RFC 3977, section 8.3.2).
pub(crate) fn overview(group: &str, number: u64) -> Vec<u8> {
    let remark = CountedRemark { group, number };
    let lines = 8 + mixed(number) % 60;
    format!(
        "{number}\t{}\t{}\t{}\t{}\t{}\t{}\t{lines}\tXref: news.underloam.example {group}:{number}",
        remark.subject(),
        remark.from(),
        remark.date(),
        remark.id(number),
        remark.references(),
        700 + lines * 61,
    )
    .into_bytes()
}

/// The complete article.
pub(super) fn article(group: &str, number: u64) -> Article {
    let remark = CountedRemark { group, number };
    let name = if parent(number).is_some() {
        "\nReferences: "
    } else {
        ""
    };
    let text = format!(
        "Path: underloam.example!not-for-mail\nFrom: {}\nNewsgroups: {group}\nSubject: {}\nDate: {}\nMessage-ID: {}{name}{}\n\n\
         This is remark number {number}.\n\n-- \n{}, somewhere below\n",
        remark.from(),
        remark.subject(),
        remark.date(),
        remark.id(number),
        remark.references(),
        pick(&WHO, mixed(number))
    );
    Article::new(text.as_bytes())
}

/// The number of the article with this Message-ID, brackets included.
pub(super) fn number_of(group: &str, id: &[u8]) -> Option<u64> {
    let (number_text, _) = split_once(id.strip_prefix(b"<")?, b'.')?;
    let number = number(number_text)?;
    let known = CountedRemark { group, number }.id(number).to_string();
    (known.as_bytes() == id).then_some(number)
}

impl CountedRemark<'_> {
    fn subject(&self) -> impl Display + use<> {
        let (mut root, mut mark) = (self.number, "");
        while let Some(above) = parent(root) {
            (root, mark) = (above, "Re: ");
        }
        fmt::from_fn(move |f| write!(f, "{mark}{} ({root})", pick(&WHAT, mixed(root))))
    }

    fn from(&self) -> impl Display + use<> {
        let chance = mixed(self.number);
        let (who, digger) = (pick(&WHO, chance), chance % 5000);
        fmt::from_fn(move |f| write!(f, "{who} <digger{digger}@underloam.example>"))
    }

    fn date(&self) -> impl Display + use<> {
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let (minute, hour, days) = (self.number % 60, self.number / 60 % 24, self.number / 1440);
        let (day, month, year) = (1 + days % 28, pick(&MONTHS, days / 28), 1994 + days / 336);
        fmt::from_fn(move |f| write!(f, "{day:02} {month} {year} {hour:02}:{minute:02}:00 +0000"))
    }

    /// The Message-ID of an article of the same group.
    fn id(&self, number: u64) -> impl Display + use<> {
        let code = mixed(number ^ (self.group.len() as u64) << 40) >> 40;
        fmt::from_fn(move |f| write!(f, "<{number}.{code:x}@underloam.example>"))
    }

    fn references(&self) -> impl Display {
        let above = std::iter::successors(parent(self.number), |&number| parent(number));
        let above: Vec<u64> = above.take(REFERENCES).collect();
        fmt::from_fn(move |f| {
            for (place, &number) in above.iter().rev().enumerate() {
                let gap = if place > 0 { " " } else { "" };
                write!(f, "{gap}{}", self.id(number))?;
            }
            Ok(())
        })
    }
}

/// The number of the article that this one replies to.
fn parent(number: u64) -> Option<u64> {
    let chance = mixed(number);
    (chance % 2 == 1 && number > REACH).then(|| number - 1 - (chance >> 8) % (REACH - 1))
}

fn pick(names: &[&'static str], by: u64) -> &'static str {
    let place = usize::try_from(by % names.len() as u64);
    let name = place.ok().and_then(|place| names.get(place));
    name.copied().unwrap_or_default()
}

/// A pseudo-random number.
fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^= mixed >> 31;
    mixed = mixed.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 29)
}
