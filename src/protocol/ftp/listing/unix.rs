//! `ls -l`, as most servers write it.
//!
//! ```text
//! entry = mode 1*SP [ links 1*SP ] owner 1*SP [ group 1*SP ] ( size / major "," *SP minor ) 1*SP date SP name
//! mode  = ( "-" / "d" / "l" / "b" / "c" / "p" / "s" / "D" ) 9( "r" / "w" / "x" / ... ) [ "+" / "." / "@" ]
//! date  = month 1*SP day 1*SP ( year / time ) / day 1*SP month 1*SP ( year / time ) / iso 1*SP time [ 1*SP zone ]
//! name  = *octet [ " -> " target ]          the target for "l" alone
//! ```
//!
//! The number of fields before the date differs (servers leave out links or group, owners hold blanks), so the date is
//! found first, in the place where `ls` puts it before any other. One blank ends the date; more of them begin the name.

use super::{Date, Day, Entry, Kind, Line, Time, date, entry, number, small};

/// Fields that are looked at; the date begins before the eighth.
const FIELDS: usize = 12;

/// Where the date may begin, the usual place first: with all fields; without links or group; with a device's two
/// numbers; without both; with an owner or a group of two words, or of three.
const PLACES: [usize; 6] = [5, 4, 6, 3, 7, 8];

/// A line of `ls -l`. `today` settles the year of dates that have none.
pub(super) fn line(line: &[u8], today: Day) -> Line<'_> {
    if is_total(line) {
        return Line::Aside;
    }
    parse(line, today).map_or(Line::Odd, entry)
}

/// `total 123`, the first line.
fn is_total(line: &[u8]) -> bool {
    line.strip_prefix(b"total ")
        .is_some_and(|rest| number(rest.trim_ascii()).is_some())
}

fn parse(line: &[u8], today: Day) -> Option<Entry<'_>> {
    let kind = mode(line)?;
    let fields = Fields::of(line);
    let (dated, place) = PLACES
        .iter()
        .find_map(|&place| Some((dated(&fields, place, today)?, place)))?;
    // One blank; what follows belongs to the name.
    let name = line.get(dated.end..)?.strip_prefix(b" ")?;
    let size = fields.word(place - 1).and_then(number);
    let device = matches!(fields.word(place - 2), Some([.., b',']));
    let (name, kind) = match kind {
        Kind::Symlink(_) => {
            let (name, target) = target(name);
            (name, Kind::Symlink(target))
        }
        kind => (name, kind),
    };
    Some(Entry {
        name,
        kind,
        size: size.filter(|_| kind == Kind::File && !device),
        date: Some(dated.date),
    })
}

/// What the first word says the entry is; nothing when it is no mode.
fn mode(line: &[u8]) -> Option<Kind<'static>> {
    let (first, rest) = line.split_first()?;
    let kind = match first {
        b'-' => Kind::File,
        b'd' => Kind::Directory,
        b'l' => Kind::Symlink(None),
        b'b' | b'c' | b'p' | b's' | b'D' => Kind::Other,
        _ => return None,
    };
    let (bits, rest) = rest.split_at_checked(9)?;
    let is_bit = |bit: &u8| {
        matches!(
            bit,
            b'r' | b'w' | b'x' | b'-' | b's' | b'S' | b't' | b'T' | b'l' | b'L'
        )
    };
    let ends = matches!(rest, [b' ', ..] | [b'+' | b'.' | b'@', b' ', ..]);
    (ends && bits.iter().all(is_bit)).then_some(kind)
}

/// The first words of a line, and where each ends.
struct Fields<'a> {
    words: [(&'a [u8], usize); FIELDS],
    count: usize,
}

impl<'a> Fields<'a> {
    fn of(line: &'a [u8]) -> Self {
        let mut fields = Self {
            words: [(&[], 0); FIELDS],
            count: 0,
        };
        let mut rest = line;
        for field in &mut fields.words {
            let blanks = rest.iter().take_while(|&&octet| octet == b' ').count();
            let (_, word) = rest.split_at_checked(blanks).unwrap_or((rest, &[]));
            if word.is_empty() {
                break;
            }
            let length = word
                .iter()
                .position(|&octet| octet == b' ')
                .unwrap_or(word.len());
            let (word, after) = word.split_at_checked(length).unwrap_or((word, &[]));
            *field = (word, line.len() - after.len());
            rest = after;
            fields.count += 1;
        }
        fields
    }

    fn word(&self, index: usize) -> Option<&'a [u8]> {
        let index = Some(index).filter(|&index| index < self.count)?;
        self.words.get(index).map(|(word, _)| *word)
    }

    fn end(&self, index: usize) -> Option<usize> {
        let index = Some(index).filter(|&index| index < self.count)?;
        self.words.get(index).map(|(_, end)| *end)
    }
}

/// A date that was found, and where it ends in the line.
struct Dated {
    date: Date,
    end: usize,
}

/// The date that begins at field `place`, after a number.
fn dated(fields: &Fields<'_>, place: usize, today: Day) -> Option<Dated> {
    let first = fields.word(place)?;
    // A device's two numbers may stand together.
    let is_number = |octet: &u8| octet.is_ascii_digit() || *octet == b',';
    if !fields.word(place - 1)?.iter().all(is_number) {
        return None;
    }
    if let Some(day) = date::iso_day(first) {
        let time = Time::parse(fields.word(place + 1)?)?;
        let zone = matches!(fields.word(place + 2), Some([b'+' | b'-', zone @ ..])
            if zone.len() == 4 && zone.iter().all(u8::is_ascii_digit));
        return Some(Dated {
            date: Date {
                day,
                time: Some(time),
            },
            end: fields.end(place + 1 + usize::from(zone))?,
        });
    }
    let second = fields.word(place + 1)?;
    let (month, day) = match date::month(first) {
        Some(month) => (month, small(second)?),
        None => (date::month(second)?, small(first)?),
    };
    let third = fields.word(place + 2)?;
    let end = fields.end(place + 2)?;
    let date = if third.len() == 4 && third.iter().all(u8::is_ascii_digit) {
        Date {
            day: Day::new(small(third)?, month, day)?,
            time: None,
        }
    } else {
        Date {
            time: Some(Time::parse(third)?),
            day: Day::latest(month, day, today)?,
        }
    };
    Some(Dated { date, end })
}

/// A link's own name and where it leads. The first arrow is the one: it is in more targets than names.
fn target(name: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memmem::find(name, b" -> ") {
        Some(at) => (
            name.get(..at).unwrap_or(name),
            name.get(at + 4..).filter(|target| !target.is_empty()),
        ),
        None => (name, None),
    }
}
