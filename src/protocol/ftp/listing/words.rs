//! The columns of forms that are made for eyes: words between blanks, and a date among them.
//!
//! ```text
//! date  = month SP day SP ( year / time ) / day SP month SP ( year / time ) / month-day SP ( year / time )
//!       / month SP day SP hour ":" minute ":" second SP year          (BSD with -T, BusyBox with --full-time)
//!       / iso [ SP time [ SP zone ] ] / month "-" day SP time         (GNU's time styles)
//! zone  = ( "+" / "-" ) 4digits
//! ```
//!
//! A month stands in any language that [`month`] knows; a day may have a dot, a comma or its own sign after it.

use super::month::{self, month};
use super::{Clock, Date, Day, Time, date, small};

/// Words that are looked at: the longest row of them before a name.
pub(super) const MOST: usize = 13;

/// The first words of a line, and where they stand.
pub(super) struct Words<'a> {
    line: &'a [u8],
    places: [(usize, usize); MOST],
    count: usize,
}

impl<'a> Words<'a> {
    /// The first `most` words of a line.
    pub(super) fn of(line: &'a [u8], most: usize) -> Self {
        let mut places = [(0, 0); MOST];
        let mut count = 0;
        let mut octets = line.iter();
        let end = |octets: &std::slice::Iter<'_, u8>| line.len() - octets.as_slice().len();
        for place in places.iter_mut().take(most) {
            if octets.position(|octet| !is_blank(*octet)).is_none() {
                break;
            }
            let start = end(&octets) - 1;
            let after = match octets.position(|octet| is_blank(*octet)) {
                Some(_) => end(&octets) - 1,
                None => line.len(),
            };
            *place = (start, after);
            count += 1;
        }
        Self {
            line,
            places,
            count,
        }
    }

    /// The word of this number.
    pub(super) fn word(&self, index: usize) -> Option<&'a [u8]> {
        let (start, end) = *self.places.get(..self.count)?.get(index)?;
        self.line.get(start..end)
    }

    /// Words that there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// What stands before a word.
    pub(super) fn before(&self, index: usize) -> Option<&'a [u8]> {
        let (start, _) = *self.places.get(..self.count)?.get(index)?;
        self.line.get(..start)
    }

    /// What follows a word, blanks and all.
    pub(super) fn after(&self, index: usize) -> Option<&'a [u8]> {
        let (_, end) = *self.places.get(..self.count)?.get(index)?;
        self.line.get(end..)
    }

    /// The date that begins at word `place`, and its last word.
    pub(super) fn date(&self, place: usize, today: Day) -> Option<(Date, usize)> {
        let first = self.word(place)?;
        if first.first()?.is_ascii_digit() {
            if let Some(day) = date::iso_day(first) {
                return Some(self.after_iso(day, place));
            }
            if let [m1, m2, b'-', d1, d2] = first {
                let day = Day::latest(small(&[*m1, *m2])?, small(&[*d1, *d2])?, today)?;
                let time = Time::parse(self.word(place + 1)?)?;
                return Some((Date::new(day, Some(time)), place + 1));
            }
            if let Some((month, day)) = month::with_day(first) {
                return self.after_day(month, day, place, today);
            }
        }
        let second = self.word(place + 1)?;
        let (month, day) = match month(first) {
            Some(month) => (month, month::day(second)?),
            None => (month(second)?, month::day(first)?),
        };
        self.after_day(month, day, place + 1, today)
    }

    /// What may follow a day of the form `iso` at word `place`.
    fn after_iso(&self, day: Day, place: usize) -> (Date, usize) {
        let Some(time) = self.word(place + 1).and_then(Time::parse) else {
            return (Date::new(day, None), place);
        };
        let date = Date::new(day, Some(time));
        match self.word(place + 2).and_then(zone) {
            Some(minutes) => (
                Date {
                    clock: Clock::Ahead(minutes),
                    ..date
                },
                place + 2,
            ),
            None => (date, place + 1),
        }
    }

    /// What may follow a month and a day, the later of which is word `place`.
    fn after_day(&self, month: u8, day: u8, place: usize, today: Day) -> Option<(Date, usize)> {
        let third = self.word(place + 1)?;
        let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
        if is_year(third) {
            let day = Day::new(small(third)?, month, day)?;
            return Some((Date::new(day, None), place + 1));
        }
        let time = Time::parse(third)?;
        if third.len() == 8
            && let Some(year) = self.word(place + 2).filter(|word| is_year(word))
        {
            let day = Day::new(small(year)?, month, day)?;
            return Some((Date::new(day, Some(time)), place + 2));
        }
        let day = Day::latest(month, day, today)?;
        Some((Date::new(day, Some(time)), place + 1))
    }
}

/// Whether an octet stands between words.
fn is_blank(octet: u8) -> bool {
    matches!(octet, b' ' | b'\t')
}

/// How far a clock is ahead of UTC, in minutes.
fn zone(word: &[u8]) -> Option<i16> {
    let (sign, digits) = word.split_first()?;
    let [h1, h2, m1, m2] = *digits else {
        return None;
    };
    let (hours, minutes) = (small::<i16>(&[h1, h2])?, small::<i16>(&[m1, m2])?);
    let ahead = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
    match sign {
        b'+' => Some(ahead),
        b'-' => Some(-ahead),
        _ => None,
    }
}
