//! The current day, for listings.

use geomys_wire::protocol::ftp::listing::Day;

/// Returns the local day; servers leave out the year of dates that are near it.
pub(super) fn today() -> Day {
    let date = jiff::Zoned::now().date();
    let small = |value: i8| u8::try_from(value).unwrap_or(1);
    Day {
        year: u16::try_from(date.year()).unwrap_or_default(),
        month: small(date.month()),
        day: small(date.day()),
    }
}
