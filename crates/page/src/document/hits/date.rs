//! Dates of search results, as servers write them.
//!
//! ```text
//! date = 8DIGIT     ; year, month, day
//!      | 6DIGIT     ; year of the century, month, day: freeWAIS before 2000
//!      | 7DIGIT     ; year since 1900, month, day: the same server from 2000 on
//! ```

use std::fmt;

/// A day; the order of the fields is that of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HitDate {
    year: u32,
    month: u32,
    day: u32,
}

impl HitDate {
    /// Parses a date; `None` if it is none.
    pub(super) fn parse(written: &[u8]) -> Option<Self> {
        let digits = written.trim_ascii();
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let (year, rest) = (number / 10_000, number % 10_000);
        let year = match digits.len() {
            8 => year,
            // The first server is of 1990.
            6 if year < 70 => year + 2000,
            6 | 7 => year + 1900,
            _ => return None,
        };
        let (month, day) = (rest / 100, rest % 100);
        let is_day = (1..=12).contains(&month) && (1..=31).contains(&day);
        is_day.then_some(Self { year, month, day })
    }
}

impl fmt::Display for HitDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_servers_are_days() {
        let shown = |written: &[u8]| HitDate::parse(written).map(|date| date.to_string());
        assert_eq!(shown(b"19940517").as_deref(), Some("1994-05-17"));
        assert_eq!(shown(b"921116").as_deref(), Some("1992-11-16"));
        assert_eq!(shown(b"050102").as_deref(), Some("2005-01-02"));
        assert_eq!(shown(b"1250708").as_deref(), Some("2025-07-08"));
        assert_eq!(shown(b" 19940517 ").as_deref(), Some("1994-05-17"));
        for other in [
            &b"0"[..],
            b"",
            b"19941301",
            b"19940500",
            b"May 1994",
            b"99999999999",
        ] {
            assert_eq!(shown(other), None, "{}", other.escape_ascii());
        }
        assert!(HitDate::parse(b"991231") < HitDate::parse(b"20000101"));
    }
}
