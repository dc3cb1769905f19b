//! The columns of a listing beside the name: size and date.

use std::fmt::Write as _;

use geomys_wire::protocol::ftp::listing::{Clock, Date, Entry, Kind};
use geomys_wire::text::{self, Text};

use crate::document::zone::Zone;

/// The widths of a size, and of a date with its time, in columns.
const SIZE: usize = 9;
const DATE: usize = 16;

/// The limits of the width of the name column, and its width while the names arrive.
const NAME: (usize, usize) = (20, 60);
const ARRIVING_NAME: usize = 40;

/// The text between a symbolic link and its target.
pub(super) const ARROW: &str = " → ";

/// The widths of the columns of a listing, in columns of the screen. Two blanks are between two columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListingColumns {
    /// The width of the name column, where there is room for it.
    pub name: usize,
    /// The width of the size column.
    pub size: usize,
    /// The width of the date column.
    pub date: usize,
}

impl ListingColumns {
    /// The columns for names of at most this many octets, once all have arrived.
    pub(super) fn of_names(longest: Option<usize>) -> Self {
        Self {
            name: longest.map_or(ARRIVING_NAME, |octets| octets.clamp(NAME.0, NAME.1)),
            size: SIZE,
            date: DATE,
        }
    }
}

/// The octets of an entry's name, with the target of a symbolic link.
pub(super) fn name_octets(entry: &Entry<'_>) -> usize {
    let target = match entry.kind {
        Kind::Symlink(Some(target)) => ARROW.len() + target.len(),
        _ => 0,
    };
    entry.name.len() + target
}

/// The zone in which dates are shown, and the server's clock for dates that state no zone.
#[derive(Clone, Debug, Default)]
pub(super) struct DateClocks {
    pub(super) zone: Zone,
    /// The offset of the server's clock from UTC, in minutes (positive is ahead), once it is measured.
    pub(super) server: Option<i32>,
}

impl DateClocks {
    /// The size and the date, each padded to its width, so that they are aligned.
    pub(super) fn columns(&self, entry: &Entry<'_>) -> Text {
        let size = entry.size.map_or_else(|| "–".to_owned(), text::octets);
        let date = entry.date.map(|date| self.written(date));
        let date = date.unwrap_or_default();
        Text::of(&format!("{size:>SIZE$}  {date:<DATE$}"))
    }

    /// Formats a date: in the user's zone where its instant can be computed, else as the server wrote it.
    pub(super) fn written(&self, date: Date) -> String {
        let local = match (date.time, date.clock, self.server) {
            (None, _, _) | (Some(_), Clock::Server, None) => None,
            (Some(_), Clock::Ahead(_), _) | (Some(_), Clock::Server, Some(_)) => {
                self.zone.civil(self.seconds(date))
            }
        };
        if let Some(local) = local {
            return local.strftime("%Y-%m-%d %H:%M").to_string();
        }
        let day = date.day;
        let mut written = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        if let Some(time) = date.time {
            // Writing to a text cannot fail.
            let _ = write!(written, " {:02}:{:02}", time.hour, time.minute);
        }
        written
    }

    /// The time of a date, in seconds since 1970. Without a measured clock the date is taken as UTC.
    pub(super) fn seconds(&self, date: Date) -> i64 {
        date.seconds(self.server.unwrap_or_default())
    }
}
