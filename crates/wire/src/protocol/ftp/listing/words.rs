//! Columns of formats made for people: words between blanks, and a date among them.
//!
//! ```text
//! date  = month SP day SP ( year / time ) / day SP month SP ( year / time ) / month-day SP ( year / time )
//!       / month SP day SP hour ":" minute ":" second SP year          (BSD with -T, BusyBox with --full-time)
//!       / iso [ SP time [ SP zone ] ] / month "-" day SP time         (GNU's time styles)
//! zone  = ( "+" / "-" ) 4digits
//! ```
//!
//! A month is in any language that [`month`] supports; a day may have a dot, a comma or a day sign after it.

use super::month::{self, month};
use super::{Clock, Date, Day, Time, date};
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

    /// Parses the date that begins at word `index`; returns it with the index of its last word.
    pub(super) fn date(&self, index: usize, today: Day) -> Option<(Date, usize)> {
        let first = self.word(index)?;
        if first.first()?.is_ascii_digit() {
            if let Some(day) = date::iso_day(first) {
                return Some(self.after_iso(day, index));
            }
            if let [m1, m2, b'-', d1, d2] = first {
                let day = Day::latest(number(&[*m1, *m2])?, number(&[*d1, *d2])?, today)?;
                let time = Time::parse(self.word(index + 1)?)?;
                return Some((Date::new(day, Some(time)), index + 1));
            }
            if let Some((month, day)) = month::with_day(first) {
                return self.after_day(month, day, index, today);
            }
        }
        let second = self.word(index + 1)?;
        let (month, day) = match month(first) {
            Some(month) => (month, month::day(second)?),
            None => (month(second)?, month::day(first)?),
        };
        self.after_day(month, day, index + 1, today)
    }

    /// Parses the words after a day of the form `iso` at word `index`.
    fn after_iso(&self, day: Day, index: usize) -> (Date, usize) {
        let Some(time) = self.word(index + 1).and_then(Time::parse) else {
            return (Date::new(day, None), index);
        };
        let zone = self.word(index + 2).and_then(zone);
        let date = Date {
            clock: zone.map_or(Clock::Server, Clock::Ahead),
            ..Date::new(day, Some(time))
        };
        (date, index + 1 + usize::from(zone.is_some()))
    }

    /// Parses the words after a month and a day that end at word `index`.
    fn after_day(&self, month: u8, day: u8, index: usize, today: Day) -> Option<(Date, usize)> {
        let third = self.word(index + 1)?;
        let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
        if is_year(third) {
            let day = Day::new(number(third)?, month, day)?;
            return Some((Date::new(day, None), index + 1));
        }
        let time = Time::parse(third)?;
        let fourth = self.word(index + 2).filter(|_| third.len() == 8);
        let year = fourth.filter(|word| is_year(word));
        let day = match year {
            Some(year) => Day::new(number(year)?, month, day)?,
            None => Day::latest(month, day, today)?,
        };
        let last = index + 1 + usize::from(year.is_some());
        Some((Date::new(day, Some(time)), last))
    }
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
