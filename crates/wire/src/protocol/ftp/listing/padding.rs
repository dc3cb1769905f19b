//! The padding after the years of a listing.
//!
//! AIX writes a year with a blank after it, so that it is as wide as a time: `Mar 14 1994  name`, but `Nov 20 10:00
//! name`. A line alone cannot tell this blank from the first one of a name; all lines of a listing can. Other servers
//! have the padding before the year.

use super::entry::{Entry, Kind};

/// The evidence of a listing for the padding of its years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct YearPadding {
    after_year: Blanks,
    after_time: Blanks,
}

/// The fewest blanks between a date and a name so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Blanks {
    #[default]
    Unseen,
    More,
    One,
}

impl YearPadding {
    /// Counts the blanks in the line of an entry that was parsed as if there were no padding.
    pub(super) fn learn(&mut self, line: &[u8], entry: &Entry<'_>) {
        let (Some(date), false) = (entry.date, matches!(entry.kind, Kind::Symlink(_))) else {
            return;
        };
        let (seen, is_padded_before) = match date.time {
            Some(_) => (&mut self.after_time, false),
            None => (&mut self.after_year, is_padded_before_year(line, entry)),
        };
        if !entry.name.starts_with(b" ") || is_padded_before {
            *seen = Blanks::One;
        } else if *seen == Blanks::Unseen {
            *seen = Blanks::More;
        }
    }

    /// Returns true if every year has more blanks after it than a time.
    pub(super) fn is_padded(self) -> bool {
        self.after_year == Blanks::More && self.after_time != Blanks::More
    }
}

/// Returns true if more than one blank is before the last word of the date.
fn is_padded_before_year(line: &[u8], entry: &Entry<'_>) -> bool {
    let before = line
        .strip_suffix(entry.name)
        .unwrap_or(line)
        .trim_ascii_end();
    let end = before.iter().rposition(|octet| *octet == b' ');
    let before = end.and_then(|end| before.get(..end));
    before.is_some_and(|before| before.ends_with(b" "))
}
