//! The listing of OS/2.
//!
//! ```text
//! entry      = 1*SP size *( 1*SP ( "DIR" / attributes ) ) 1*SP date 1*SP time 1*SP name
//! attributes = 1*( "A" / "H" / "R" / "S" )
//! date       = month "-" day "-" year       as in [`super::date`]
//! ```

use super::date::{DateOrder, DateRules};
use super::entry::{Entry, Kind, Line};
use super::words::Words;
use super::{Date, Time};
use crate::protocol::octets::number;

/// Parses a line of an OS/2 listing.
pub(super) fn line(line: &[u8], rules: DateRules) -> Option<Line<'_>> {
    let words = Words::of(line, 6);
    let size = number(words.word(0)?)?;
    let mut kind = Kind::File;
    let mut at = 1;
    loop {
        match words.word(at)? {
            b"DIR" => kind = Kind::Directory,
            word if word.iter().all(|mark| b"AHRS".contains(mark)) => {}
            _ => break,
        }
        at += 1;
    }
    let day = rules.day(words.word(at)?, DateOrder::YEAR_LAST)?.value();
    let time = Time::parse(words.word(at + 1)?)?;
    let entry = Entry {
        name: words.after(at + 1)?.trim_ascii_start(),
        kind,
        size: kind.size(Some(size)),
        date: day.map(|day| Date::new(day, Some(time))),
    };
    entry.line()
}
