//! The day a listing is asked for.

use crate::protocol::ftp::listing::Day;

/// The day it is here; servers leave the year out of dates that are near it.
pub(super) fn today() -> Day {
    let date = jiff::Zoned::now().date();
    let small = |value: i8| u8::try_from(value).unwrap_or(1);
    Day {
        year: u16::try_from(date.year()).unwrap_or_default(),
        month: small(date.month()),
        day: small(date.day()),
    }
}
