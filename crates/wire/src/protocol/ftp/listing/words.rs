//! Columns of formats made for people: words between blanks, and a date among them.
//!
//! ```text
//! date  = month SP day SP ( year [ SP time ] / time ) / day SP month SP ( year [ SP time ] / time )
//!       / month-day SP ( year [ SP time ] / time )
//!       / month SP day SP hour ":" minute ":" second SP year          (BSD with -T, BusyBox with --full-time)
//!       / iso [ SP time [ SP zone ] ] / month "-" day SP ( year / time )      (GNU's time styles)
//!       / number SP number SP ( year / time ) / ( day / named ) [ SP time ]   (both as in [`super::date`])
//! zone  = ( "+" / "-" ) 4digits
//! ```
//!
//! A month is in any language that [`month`] supports; a day and a year may have a dot, a comma or a sign after
//! them. A time, a zone or a last year without a word after it is the name; a time is the beginning of the name after a
//! year with two blanks before it.

use super::date::{self, DateOrder, DateRules};
use super::month::{self, month};
use super::{Clock, Date, Day, Time};
use crate::protocol::octets::number;

/// The most words read in a line: the longest sequence before a name.
pub(super) const MAX_WORDS: usize = 13;

/// The first words of a line, and their positions.
pub(super) struct Words<'a> {
    line: &'a [u8],
    ranges: [(usize, usize); MAX_WORDS],
    count: usize,
}

impl<'a> Words<'a> {
    /// Splits off the first `max` words of a line.
    pub(super) fn of(line: &'a [u8], max: usize) -> Self {
        let mut ranges = [(0, 0); MAX_WORDS];
        let mut count = 0;
        let mut octets = line.iter();
        let end = |octets: &std::slice::Iter<'_, u8>| line.len() - octets.as_slice().len();
        for range in ranges.iter_mut().take(max) {
            if octets.position(|octet| !is_blank(*octet)).is_none() {
                break;
            }
            let start = end(&octets) - 1;
            let after = match octets.position(|octet| is_blank(*octet)) {
                Some(_) => end(&octets) - 1,
                None => line.len(),
            };
            *range = (start, after);
            count += 1;
        }
        Self {
            line,
            ranges,
            count,
        }
    }

    /// Returns the word with this index.
    pub(super) fn word(&self, index: usize) -> Option<&'a [u8]> {
        let (start, end) = *self.ranges.get(..self.count)?.get(index)?;
        self.line.get(start..end)
    }

    /// Returns the number of words.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the part of the line before a word.
    pub(super) fn before(&self, index: usize) -> Option<&'a [u8]> {
        let (start, _) = *self.ranges.get(..self.count)?.get(index)?;
        self.line.get(..start)
    }

    /// Returns the part of the line after a word, with its blanks.
    pub(super) fn after(&self, index: usize) -> Option<&'a [u8]> {
        let (_, end) = *self.ranges.get(..self.count)?.get(index)?;
        self.line.get(end..)
    }

    /// Returns the time in a word; `None` if no word follows it, which makes it the name.
    fn time(&self, index: usize) -> Option<Time> {
        self.word(index + 1)?;
        Time::parse(self.word(index)?)
    }

    /// Returns true if more than one blank is before a word.
    fn is_padded(&self, index: usize) -> bool {
        let before = self.before(index).unwrap_or_default();
        matches!(before, [.., last, end] if is_blank(*last) && is_blank(*end))
    }

    /// Parses the date that begins at word `index`; returns it with the index of its last word. A date that the rules
    /// do not determine is `None`.
    pub(super) fn date(&self, index: usize, rules: DateRules) -> Option<(Option<Date>, usize)> {
        let first = self.word(index)?;
        if first.first()?.is_ascii_digit() {
            if let Some(day) = rules.day(first, DateOrder::YEAR_LAST) {
                let (time, clock, last) = self.after_whole_day(index);
                let date = day.value().map(|day| Date {
                    clock,
                    ..Date::new(day, time)
                });
                return Some((date, last));
            }
            if let [m1, m2, b'-', d1, d2] = first {
                let (month, day) = (number(&[*m1, *m2])?, number(&[*d1, *d2])?);
                return self.after_day(month, day, index, rules);
            }
            if let Some((month, day)) = month::with_day(first) {
                return self.after_day(month, day, index, rules);
            }
        }
        if let Some(day) = date::named_day(first) {
            let (time, clock, last) = self.after_whole_day(index);
            let date = Date {
                clock,
                ..Date::new(day, time)
            };
            return Some((Some(date), last));
        }
        let second = self.word(index + 1)?;
        let (month, day) = match (month(first), month(second)) {
            (Some(month), _) => (month, month::day(second)?),
            (None, Some(month)) => (month, month::day(first)?),
            (None, None) => two_numbers(first, second, rules)?,
        };
        self.after_day(month, day, index + 1, rules)
    }

    /// Parses the time and the zone after a day with a year at word `index`; returns the index of the last word of the
    /// date.
    fn after_whole_day(&self, index: usize) -> (Option<Time>, Clock, usize) {
        let Some(time) = self.time(index + 1) else {
            return (None, Clock::Server, index);
        };
        let is_name = self.word(index + 3).is_none();
        let zone = self.word(index + 2).filter(|_| !is_name).and_then(zone);
        let clock = zone.map_or(Clock::Server, Clock::Ahead);
        (Some(time), clock, index + 1 + usize::from(zone.is_some()))
    }

    /// Parses the words after a month and a day that end at word `index`.
    fn after_day(
        &self,
        month: u8,
        day: u8,
        index: usize,
        rules: DateRules,
    ) -> Option<(Option<Date>, usize)> {
        let third = self.word(index + 1)?;
        if let Some(year) = month::year(third) {
            let day = Day::new(year, month, day)?;
            // `ls` pads a year to the width of a time: then the time belongs to the name.
            let has_time = !self.is_padded(index + 1);
            let time = self.time(index + 2).filter(|_| has_time);
            let last = index + 1 + usize::from(time.is_some());
            return Some((Some(Date::new(day, time)), last));
        }
        let time = Time::parse(third)?;
        let has_year = third.len() == 8 && self.word(index + 3).is_some();
        let fourth = self.word(index + 2).filter(|_| has_year);
        let year = fourth.and_then(month::year);
        let day = match year {
            Some(year) => Day::new(year, month, day)?,
            None => Day::latest(month, day, rules.today)?,
        };
        let last = index + 1 + usize::from(year.is_some());
        Some((Some(Date::new(day, Some(time))), last))
    }
}

/// Parses a month and a day that are two numbers.
fn two_numbers(first: &[u8], second: &[u8], rules: DateRules) -> Option<(u8, u8)> {
    let (one, two) = (number(first)?, number(second)?);
    let is_day_first = rules.orders().next()? == DateOrder::DayMonthYear || one > 12;
    Some(if is_day_first { (two, one) } else { (one, two) })
}

/// Returns true if an octet separates words.
fn is_blank(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t')
}

/// Parses the offset of a clock from UTC, in minutes.
fn zone(word: &[u8]) -> Option<i16> {
    let (sign, digits) = word.split_first()?;
    let [h1, h2, m1, m2] = *digits else {
        return None;
    };
    let (hours, minutes) = (number::<i16>(&[h1, h2])?, number::<i16>(&[m1, m2])?);
    let ahead = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
    match sign {
        b'+' => Some(ahead),
        b'-' => Some(-ahead),
        _ => None,
    }
}
