//! Dates of a listing: a calendar day, an optional time of day, and the clock of the server or UTC.
//!
//! ```text
//! iso   = year ( "-" month "-" day / "/" month "/" day / "." month "." day )
//! day   = number ( "-" / "/" / "." ) number ( "-" / "/" / "." ) year        dots: the day comes first
//! named = day "-" month-name "-" year / month-name "-" day "-" year
//! year  = 4digits / 2digits / 3digits                  two from 70 to 99 are 1970 to 1999; three count from 1900
//! time  = hour ":" minute [ ":" second [ "." digits ] ]
//! mlsx  = year month day hour minute second [ "." digits ]                    (RFC 3659, section 2.3)
//! ```

use super::entry::Column;
use super::month;
use super::padding::YearPadding;
use crate::protocol::octets::{number, split_once};

/// A reference day for dates without a year, where the year does not matter.
pub(super) const ANY_DAY: Day = Day {
    year: 9999,
    month: 12,
    day: 31,
};

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

/// A time of day; missing seconds are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// The hour, from 0 to 23.
    pub hour: u8,
    /// The minute.
    pub minute: u8,
    /// The second; 60 is a leap second.
    pub second: u8,
}

/// The modification time of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Date {
    /// The day.
    pub day: Day,
    /// The time of day, if the listing has one.
    pub time: Option<Time>,
    /// The clock of the date.
    pub clock: Clock,
}

/// The order of the numbers in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateOrder {
    /// Month, day, year.
    MonthDayYear,
    /// Day, month, year.
    DayMonthYear,
    /// Year, month, day.
    YearMonthDay,
}

impl DateOrder {
    /// All orders, the most frequent one first.
    pub(super) const ALL: [Self; 3] = [Self::MonthDayYear, Self::DayMonthYear, Self::YearMonthDay];

    /// The orders of all servers but OS/400.
    pub(super) const YEAR_LAST: &[Self] = &[Self::MonthDayYear, Self::DayMonthYear];
}

/// The rules by which the dates of a listing are read: all lines have one order of day and month, and one padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DateRules {
    /// The day on which the listing was received, for dates without a year.
    pub(super) today: Day,
    /// True for each of [`DateOrder::ALL`] that is possible.
    possible: [bool; 3],
    /// The number of lines whose dates did not depend on the order, since the last that did.
    independent: usize,
    pub(super) padding: YearPadding,
}

impl From<Day> for DateRules {
    fn from(today: Day) -> Self {
        Self {
            today,
            possible: [true; 3],
            independent: 0,
            padding: YearPadding::default(),
        }
    }
}

impl DateRules {
    /// Returns true if a blank after a year is padding, and no part of the name.
    pub fn is_padded(self) -> bool {
        self.padding.is_padded()
    }

    /// Returns the rules under which each blank after the first belongs to the name.
    pub(super) fn unpadded(self) -> Self {
        Self {
            padding: YearPadding::default(),
            ..self
        }
    }

    /// Returns the possible orders.
    pub(super) fn orders(self) -> impl Iterator<Item = DateOrder> {
        let orders = DateOrder::ALL.into_iter().zip(self.possible);
        orders.filter_map(|(order, is_possible)| is_possible.then_some(order))
    }

    /// Returns the rules with these orders alone.
    pub(super) fn with_orders(self, is_possible: impl Fn(DateOrder) -> bool) -> Self {
        Self {
            possible: DateOrder::ALL.map(is_possible),
            independent: 0,
            ..self
        }
    }

    /// Returns true if more lines change nothing: one order is left, or the dates of the format do not depend on it.
    pub(super) fn is_settled(self) -> bool {
        self.independent >= super::SAMPLE || self.orders().nth(1).is_none()
    }

    /// Counts a line whose date does not depend on the order.
    pub(super) fn count_independent(&mut self) {
        self.independent += 1;
    }

    /// Parses the forms `iso` and `day` in one of `orders`. A day that the rules do not determine is
    /// unknown.
    pub(super) fn day(self, text: &[u8], orders: &[DateOrder]) -> Option<Column<Day>> {
        let mut fields = text.split(|octet| matches!(octet, b'-' | b'/' | b'.'));
        let fields = [fields.next()?, fields.next()?, fields.next()?, {
            fields.next().unwrap_or_default()
        }];
        let [first, second, third, b""] = fields else {
            return None;
        };
        if first.len() == 4 {
            let day = Day::new(number(first)?, number(second)?, number(third)?);
            return day.map(Column::Value);
        }
        // Nobody writes the month first with dots.
        let has_dots = memchr::memchr(b'.', text).is_some();
        let day_in = |order: DateOrder| {
            let (year, month, day) = match order {
                DateOrder::MonthDayYear if has_dots => return None,
                DateOrder::MonthDayYear => (third, first, second),
                DateOrder::DayMonthYear => (third, second, first),
                DateOrder::YearMonthDay => (first, second, third),
            };
            let day = Day::new(short_year(year)?, number(month)?, number(day)?)?;
            // No file is of next year's next: then the first number is no year.
            let is_future = day.year > self.today.year.saturating_add(1);
            (order != DateOrder::YearMonthDay || !is_future).then_some(day)
        };
        orders.iter().find_map(|&order| day_in(order))?;
        let mut days = self.orders().filter(|order| orders.contains(order));
        let day = days.find_map(day_in);
        // Where even the year may be the first number, only a day that all orders agree on is known.
        let is_sure = !orders.contains(&DateOrder::YearMonthDay)
            || days.filter_map(day_in).all(|other| Some(other) == day);
        Some(day.filter(|_| is_sure).into())
    }
}

/// The clock of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clock {
    /// The server's clock: its time zone is not in the listing.
    Server,
    /// A clock that is ahead of UTC by this number of minutes; behind UTC if negative.
    Ahead(i16),
}

impl Clock {
    /// UTC, the clock of MLSD and EPLF.
    pub const UTC: Self = Self::Ahead(0);
}

impl Date {
    /// Creates a date by the server's clock.
    pub fn new(day: Day, time: Option<Time>) -> Self {
        Self {
            day,
            time,
            clock: Clock::Server,
        }
    }

    /// Returns seconds since 1970, UTC; `server` is the offset of the server's clock from UTC in minutes. A date
    /// without a time is the start of the day.
    pub fn seconds(self, server: i32) -> i64 {
        let Day { year, month, day } = self.day;
        // The year begins in March here, so that the leap day is its last day.
        let year = i64::from(year) - i64::from(month <= 2);
        let month = (i64::from(month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
        let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
        let days = year * 365 + leaps + day_of_year - 719_468;
        let Some(time) = self.time else {
            return days * 86_400;
        };
        let ahead = match self.clock {
            Clock::Server => i64::from(server),
            Clock::Ahead(minutes) => i64::from(minutes),
        };
        let minutes = i64::from(time.hour) * 60 + i64::from(time.minute) - ahead;
        days * 86_400 + minutes * 60 + i64::from(time.second)
    }
}

impl Day {
    /// Creates a day; `None` if it is not in the calendar.
    pub fn new(year: u16, month: u8, day: u8) -> Option<Self> {
        let cycle = if year.is_multiple_of(100) { 400 } else { 4 };
        let longest = match month {
            2 if year.is_multiple_of(cycle) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        (1..=longest)
            .contains(&day)
            .then_some(Self { year, month, day })
    }

    /// Returns the last day with this month and day up to `today`, tomorrow included: the server's clock may be ahead,
    /// and its time zone is unknown.
    pub(super) fn latest(month: u8, day: u8, today: Self) -> Option<Self> {
        let last = today.next();
        let later = (month, day) > (last.month, last.day);
        let year = last.year.checked_sub(u16::from(later))?;
        // The 29th of February is in one year of four, sometimes of eight.
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

    /// Parses `hour ":" minute [ ":" second ]`; a fraction is ignored.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let (text, fraction) = split_once(text, b'.').unwrap_or((text, b"0"));
        if fraction.is_empty() || !fraction.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let mut fields = text.split(|&octet| octet == b':');
        let (hour, minute) = (fields.next()?, fields.next()?);
        let second = fields.next().map_or(Some(0), number)?;
        if hour.len() > 2 || minute.len() != 2 || fields.next().is_some() {
            return None;
        }
        Self::new(number(hour)?, number(minute)?, second)
    }

    /// Converts a time of a 12-hour clock.
    pub(super) fn twelve(self, afternoon: bool) -> Option<Self> {
        // Some servers write the hour after midnight as 00.
        let hour = match (self.hour, afternoon) {
            (13.., _) => return None,
            (0 | 12, false) => 0,
            (0 | 12, true) => 12,
            (hour, false) => hour,
            (hour, true) => hour + 12,
        };
        Some(Self { hour, ..self })
    }
}

/// Parses a year of two, three or four digits.
fn short_year(digits: &[u8]) -> Option<u16> {
    match (digits.len(), number::<u16>(digits)?) {
        (2, year @ 70..) | (3, year) => Some(1900 + year),
        (2, year) => Some(2000 + year),
        (4, year) => Some(year),
        _ => None,
    }
}

/// Parses a day of the form `named`.
pub(super) fn named_day(text: &[u8]) -> Option<Day> {
    let mut fields = text.split(|&octet| octet == b'-');
    let (first, second, year) = (fields.next()?, fields.next()?, fields.next()?);
    if fields.next().is_some() {
        return None;
    }
    let (month, day) = match month::month(second) {
        Some(month) => (month, first),
        None => (month::month(first)?, second),
    };
    Day::new(short_year(year)?, month, number(day)?)
}

/// Parses a day of the form `iso`, without dots.
pub(super) fn iso_day(text: &[u8]) -> Option<Day> {
    let ([y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2]
    | [y1, y2, y3, y4, b'/', m1, m2, b'/', d1, d2]) = *text
    else {
        return None;
    };
    Day::new(
        number(&[y1, y2, y3, y4])?,
        number(&[m1, m2])?,
        number(&[d1, d2])?,
    )
}

/// Parses `mlsx`, the value of the fact `modify`.
pub(super) fn stamp(text: &[u8]) -> Option<Date> {
    let digits = text.split(|&octet| octet == b'.').next()?;
    let (day, time) = digits.split_at_checked(8)?;
    let (year, month_day) = day.split_at_checked(4)?;
    let (month, day) = month_day.split_at_checked(2)?;
    let day = Day::new(number(year)?, number(month)?, number(day)?)?;
    let time = match time {
        [h1, h2, m1, m2, s1, s2] => Some(Time::new(
            number(&[*h1, *h2])?,
            number(&[*m1, *m2])?,
            number(&[*s1, *s2])?,
        )?),
        _ => None,
    };
    Some(Date {
        day,
        time,
        clock: Clock::UTC,
    })
}

/// Parses seconds since 1970, UTC, as in EPLF.
pub(super) fn seconds(digits: &[u8]) -> Option<Date> {
    let seconds = number(digits)?;
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
        clock: Clock::UTC,
    })
}
