//! DIRECTORY of VMS.
//!
//! ```text
//! entry     = file *( 1*SP fact ) / file 1*SP refusal / file CRLF rest       the last where the name is long
//! rest      = 1*SP fact *( 1*SP fact )
//! file      = name ";" version
//! fact      = ( blocks [ "/" allocated ] / digits ( "KB" / "MB" ) ) / date 1*SP time / "[" owner "]" ... / "(" protection ")"
//! date      = day "-" month "-" year          "19-NOV-2026"
//! refusal   = "%" message / "No privilege" ... / "insufficient privilege" ...
//! heading   = "Directory " [ device ":" ] "[" directory "]"
//! total     = ( "Total of " / "Grand total of " ) ...
//! ```
//!
//! The version is a part of the file name: it distinguishes the versions of a file, and RETR takes it. `NAME.DIR;1` is
//! the directory `NAME`, as CWD takes it. A size is in blocks of 512 octets: it is the capacity of the blocks, the last
//! of which may not be full.
//!
//! An entry of two lines is made from the first line, which has no date, and the facts of the second; a second line
//! without a first is unrecognized. Nothing is copied.

use super::entry::{Entry, Kind, Line};
use super::words::Words;
use super::{Date, Time, date};
use crate::protocol::octets::number;

/// The size of a block, in octets.
const BLOCK: u64 = 512;

/// The number of words read in a line.
const FACTS: usize = 8;

/// Parses a line of a VMS listing.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    if is_frame(line) {
        return Some(Line::Metadata);
    }
    parse(line).and_then(Entry::line)
}

/// Parses a line together with its neighbours.
pub(super) fn joined<'a>(
    before: Option<&[u8]>,
    line: &'a [u8],
    after: Option<&[u8]>,
) -> Option<Line<'a>> {
    match self::line(line) {
        Some(Line::Entry(entry)) if lacks_facts(&entry) => {
            let facts = after.and_then(rest).unwrap_or_default();
            Some(Line::Entry(Entry {
                size: facts.size(entry.kind),
                date: facts.date,
                ..entry
            }))
        }
        None => match before.and_then(self::line) {
            Some(Line::Entry(entry)) if lacks_facts(&entry) => rest(line).map(|_| Line::Metadata),
            Some(Line::Entry(_) | Line::Metadata | Line::Unrecognized) | None => None,
        },
        parsed @ Some(Line::Entry(_) | Line::Metadata | Line::Unrecognized) => parsed,
    }
}

/// Returns true if the facts of an entry may be in the next line.
fn lacks_facts(entry: &Entry<'_>) -> bool {
    entry.date.is_none() && entry.size.is_none()
}

/// Returns the facts of a line that continues an entry.
fn rest(line: &[u8]) -> Option<VmsFacts> {
    VmsFacts::read(line, 0).filter(|facts| facts.date.is_some())
}

fn is_frame(line: &[u8]) -> bool {
    let heading = |rest: &[u8]| rest.trim_ascii_end().ends_with(b"]") && rest.contains(&b'[');
    line.trim_ascii().is_empty()
        || line.strip_prefix(b"Directory ").is_some_and(heading)
        || line.starts_with(b"Total of ")
        || line.starts_with(b"Grand total of ")
}

fn parse(line: &[u8]) -> Option<Entry<'_>> {
    let semicolon = memchr::memchr(b';', line)?;
    let words = Words::of(line, 2);
    let file = words.word(0)?;
    let version = file.get(semicolon.checked_add(1)?..)?;
    let name = file.get(..semicolon)?;
    if !line.starts_with(file) || name.is_empty() || number::<u64>(version).is_none() {
        return None;
    }
    let (name, kind) = match name.split_at_checked(name.len().wrapping_sub(4)) {
        Some((name, suffix)) if suffix.eq_ignore_ascii_case(b".DIR") => (name, Kind::Directory),
        Some(_) | None => (file, Kind::File),
    };
    let refused = words.after(0).is_some_and(|rest| {
        let rest = rest.trim_ascii_start();
        rest.starts_with(b"%")
            || rest.starts_with(b"No privilege")
            || rest.starts_with(b"insufficient privilege")
    });
    let facts = if refused {
        VmsFacts::default()
    } else {
        VmsFacts::read(line, 1)?
    };
    Some(Entry {
        name,
        kind,
        size: facts.size(kind),
        date: facts.date,
    })
}

/// The facts of a file.
#[derive(Default)]
struct VmsFacts {
    /// The capacity of its blocks.
    octets: Option<u64>,
    date: Option<Date>,
}

impl VmsFacts {
    /// Reads the facts from word `at` on; `None` if there is anything else.
    fn read(line: &[u8], mut at: usize) -> Option<Self> {
        let words = Words::of(line, FACTS);
        let (mut facts, mut has_date) = (Self::default(), false);
        while let Some(word) = words.word(at) {
            if matches!(word.first(), Some(b'[' | b'(')) {
                break;
            }
            if is_day(word) {
                let time = words.word(at + 1).and_then(Time::parse);
                at += usize::from(time.is_some());
                facts.date = date::named_day(word).map(|day| Date::new(day, time));
                has_date = true;
            } else if has_date && word.iter().all(u8::is_ascii_alphabetic) {
                // An owner without brackets.
                break;
            } else {
                let used = word.split(|&octet| octet == b'/').next()?;
                let is_blocks = |octet: &u8| octet.is_ascii_digit() || b"/KMB".contains(octet);
                if facts.octets.is_some() || used.is_empty() || !word.iter().all(is_blocks) {
                    return None;
                }
                facts.octets = octets(used);
            }
            at += 1;
        }
        Some(facts)
    }

    fn size(&self, kind: Kind<'_>) -> Option<u64> {
        kind.size(self.octets)
    }
}

/// Parses a number of blocks, or a size with its unit.
fn octets(size: &[u8]) -> Option<u64> {
    let units: [(&[u8], u64); 2] = [(b"KB", 1024), (b"MB", 1024 * 1024)];
    let with_unit = units
        .iter()
        .find_map(|(name, unit)| Some((size.strip_suffix(*name)?, *unit)));
    let (digits, unit) = with_unit.unwrap_or((size, BLOCK));
    number::<u64>(digits)?.checked_mul(unit)
}

/// Returns true for a word that stands for a day, even in an unknown language.
fn is_day(word: &[u8]) -> bool {
    let mut fields = word.split(|&octet| octet == b'-');
    let (day, month, year) = (fields.next(), fields.next(), fields.next());
    let is_number = |field: Option<&[u8]>| field.and_then(number::<u16>).is_some();
    is_number(day)
        && is_number(year)
        && month.is_some_and(|month| !month.is_empty())
        && fields.next().is_none()
}
