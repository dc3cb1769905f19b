//! Groups of any size whose articles are computed from their numbers, so that an overview costs little more than
//! sending it. They are used to measure newsreaders on very large groups.
//!
//! Half of the articles start a thread. The others reply to one of the last thousand articles and refer to the last
//! three articles above them; an overview line has about 250 octets. One article is written each minute, in years of
//! twelve months of 28 days.

use std::fmt::{self, Write};

use super::{Article, number};

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
pub(in crate::demo) fn overview(group: &str, number: u64) -> Vec<u8> {
    let remark = CountedRemark { group, number };
    let mut line = String::with_capacity(320);
    // Writing to a String cannot fail.
    let _ = remark.overview(&mut line);
    line.into_bytes()
}

/// The complete article.
pub(super) fn article(group: &str, number: u64) -> Article {
    let remark = CountedRemark { group, number };
    let mut text = String::new();
    let _ = remark.whole(&mut text);
    Article::new(text.as_bytes())
}

/// The number of the article with this Message-ID, brackets included.
pub(super) fn number_of(group: &str, id: &[u8]) -> Option<u64> {
    let inside = id
        .strip_prefix(b"<")?
        .strip_suffix(b"@underloam.example>")?;
    let at = memchr::memchr(b'.', inside)?;
    let number = number(inside.get(..at)?)?;
    let mut known = String::new();
    let _ = CountedRemark { group, number }.id(&mut known, number);
    (known.as_bytes() == id).then_some(number)
}

impl CountedRemark<'_> {
    fn overview(&self, line: &mut String) -> fmt::Result {
        write!(line, "{}\t", self.number)?;
        self.subject(line)?;
        line.push('\t');
        self.from(line)?;
        line.push('\t');
        self.date(line)?;
        line.push('\t');
        self.id(line, self.number)?;
        line.push('\t');
        self.references(line)?;
        let lines = 8 + mixed(self.number) % 60;
        write!(
            line,
            "\t{}\t{lines}\tXref: news.underloam.example {}:{}",
            700 + lines * 61,
            self.group,
            self.number
        )
    }

    fn whole(&self, text: &mut String) -> fmt::Result {
        text.push_str("Path: underloam.example!not-for-mail\nFrom: ");
        self.from(text)?;
        write!(text, "\nNewsgroups: {}\nSubject: ", self.group)?;
        self.subject(text)?;
        text.push_str("\nDate: ");
        self.date(text)?;
        text.push_str("\nMessage-ID: ");
        self.id(text, self.number)?;
        if parent(self.number).is_some() {
            text.push_str("\nReferences: ");
            self.references(text)?;
        }
        write!(
            text,
            "\n\nThis is remark number {}.\n\n-- \n{}, somewhere below\n",
            self.number,
            pick(&WHO, mixed(self.number))
        )
    }

    fn subject(&self, line: &mut String) -> fmt::Result {
        let (mut root, mut mark) = (self.number, "");
        while let Some(above) = parent(root) {
            (root, mark) = (above, "Re: ");
        }
        write!(line, "{mark}{} ({root})", pick(&WHAT, mixed(root)))
    }

    fn from(&self, line: &mut String) -> fmt::Result {
        let chance = mixed(self.number);
        let who = pick(&WHO, chance);
        write!(line, "{who} <digger{}@underloam.example>", chance % 5000)
    }

    fn date(&self, line: &mut String) -> fmt::Result {
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let (minute, hour, day) = (self.number % 60, self.number / 60 % 24, self.number / 1440);
        write!(
            line,
            "{:02} {} {} {hour:02}:{minute:02}:00 +0000",
            1 + day % 28,
            pick(&MONTHS, day / 28),
            1994 + day / 336
        )
    }

    fn id(&self, line: &mut String, number: u64) -> fmt::Result {
        let place = self.group.len() as u64;
        write!(
            line,
            "<{number}.{:x}@underloam.example>",
            mixed(number ^ place << 40) >> 40
        )
    }

    fn references(&self, line: &mut String) -> fmt::Result {
        let above = std::iter::successors(parent(self.number), |&number| parent(number));
        let above: Vec<u64> = above.take(REFERENCES).collect();
        for (place, &number) in above.iter().rev().enumerate() {
            if place > 0 {
                line.push(' ');
            }
            self.id(line, number)?;
        }
        Ok(())
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
