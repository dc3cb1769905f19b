//! Dates of a listing: civil, with or without a time of day, as the server wrote them.
//!
//! ```text
//! ls    = month SP day SP ( year / hour ":" minute )
//! iso   = year "-" month "-" day [ SP hour ":" minute [ ":" second [ "." digits ] ] ]
//! mlsx  = year month day hour minute second [ "." digits ]                    (RFC 3659, section 2.3)
//! ```

use super::{number, small};

/// A day of the calendar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    /// The year.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

/// A time of day; servers that leave the seconds out mean zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// The hour, from 0 to 23.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second; 60 happens.
    pub second: u8,
}

/// When an entry was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    /// The day.
    pub day: Day,
    /// The time, where the listing has one.
    pub time: Option<Time>,
}

impl Day {
    /// A day that is in the calendar.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let longest = match month {
            2 if year.is_multiple_of(4)
                && (!year.is_multiple_of(100) || year.is_multiple_of(400)) =>
            {
                29
            }
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=longest)
            .contains(&day)
            .then_some(Self { year, month, day })
    }

    /// The last such day up to `today`, tomorrow included: a server's clock may be ahead, and its zone is not known.
    pub(super) fn latest(month: u8, day: u8, today: Self) -> Option<Self> {
        let last = today.next();
        let later = (month, day) > (last.month, last.day);
        let year = last.year.checked_sub(u16::from(later))?;
        // The 29th of February is in one year of four, now and then of eight.
        (0..8).find_map(|back| Self::new(year.checked_sub(back)?, month, day))
    }

    fn next(self) -> Self {
        Self::new(self.year, self.month, self.day.saturating_add(1))
            .or_else(|| Self::new(self.year, self.month.saturating_add(1), 1))
            .or_else(|| Self::new(self.year.saturating_add(1), 1, 1))
            .unwrap_or(self)
    }
}

impl Time {
    fn new(hour: u8, minute: u8, second: u8) -> Option<Self> {
        (hour < 24 && minute < 60 && second <= 60).then_some(Self {
            hour,
            minute,
            second,
        })
    }

    /// `hour ":" minute [ ":" second ]`, with a fraction that is passed over.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let text = text.split(|&octet| octet == b'.').next()?;
        let mut fields = text.split(|&octet| octet == b':');
        let (hour, minute) = (fields.next()?, fields.next()?);
        let second = fields.next().map_or(Some(0), small)?;
        if hour.len() > 2 || minute.len() != 2 || fields.next().is_some() {
            return None;
        }
        Self::new(small(hour)?, small(minute)?, second)
    }

    /// The same on a clock of twelve hours.
    pub(super) fn twelve(self, afternoon: bool) -> Option<Self> {
        let hour = match (self.hour, afternoon) {
            (0 | 13.., _) => return None,
            (12, false) => 0,
            (12, true) => 12,
            (hour, false) => hour,
            (hour, true) => hour + 12,
        };
        Some(Self { hour, ..self })
    }
}

/// The number of an English month, by its first three letters.
pub(super) fn month(word: &[u8]) -> Option<u8> {
    let [a, b, c] = word else { return None };
    let number = match &[a | 0x20, b | 0x20, c | 0x20] {
        b"jan" => 1,
        b"feb" => 2,
        b"mar" => 3,
        b"apr" => 4,
        b"may" => 5,
        b"jun" => 6,
        b"jul" => 7,
        b"aug" => 8,
        b"sep" => 9,
        b"oct" => 10,
        b"nov" => 11,
        b"dec" => 12,
        _ => return None,
    };
    Some(number)
}

/// `year "-" month "-" day`.
pub(super) fn iso_day(text: &[u8]) -> Option<Day> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
        return None;
    };
    Day::new(
        small(&[y1, y2, y3, y4])?,
        small(&[m1, m2])?,
        small(&[d1, d2])?,
    )
}

/// `mlsx`, the value of the fact `modify`.
pub(super) fn stamp(text: &[u8]) -> Option<Date> {
    let digits = text.split(|&octet| octet == b'.').next()?;
    let (day, time) = digits.split_at_checked(8)?;
    let (year, month_day) = day.split_at_checked(4)?;
    let (month, day) = month_day.split_at_checked(2)?;
    let day = Day::new(small(year)?, small(month)?, small(day)?)?;
    let time = match time {
        [h1, h2, m1, m2, s1, s2] => Some(Time::new(
            small(&[*h1, *h2])?,
            small(&[*m1, *m2])?,
            small(&[*s1, *s2])?,
        )?),
        _ => None,
    };
    Some(Date { day, time })
}

/// Seconds since 1970, UTC, as EPLF has them.
pub(super) fn seconds(digits: &[u8]) -> Option<Date> {
    let seconds = i64::try_from(number(digits)?).ok()?;
    let stamp = jiff::Timestamp::from_second(seconds).ok()?;
    let civil = jiff::tz::TimeZone::UTC.to_datetime(stamp);
    let small = |value: i8| u8::try_from(value).ok();
    Some(Date {
        day: Day::new(
            u16::try_from(civil.year()).ok()?,
            small(civil.month())?,
            small(civil.day())?,
        )?,
        time: Time::new(
            small(civil.hour())?,
            small(civil.minute())?,
            small(civil.second())?,
        ),
    })
}
