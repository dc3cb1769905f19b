//! The columns beside a name: size and date.

use std::fmt::Write as _;

use super::super::Zone;
use crate::protocol::ftp::listing::{Clock, Date, Entry};
use crate::text::{self, Text};

/// The columns of a size, and of a date with its time.
const SIZE: usize = 9;
const DATE: usize = 16;

/// In which zone dates are shown, and by which clock those were written that do not say it.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    pub(super) zone: Zone,
    /// How far the server's clock is ahead of UTC, in minutes, once that is known.
    pub(super) server: Option<i32>,
}

impl Clocks {
    /// Size and date, each in its own columns, so that they stand below each other.
    pub(super) fn columns(&self, entry: &Entry<'_>) -> Text {
        let size = entry.size.map(text::octets).unwrap_or_default();
        let date = entry.date.map(|date| self.written(date));
        let date = date.unwrap_or_default();
        Text::of(&format!("{size:>SIZE$}  {date:<DATE$}"))
    }

    /// A date as it is shown: in the user's zone where its instant is known, else as the server wrote it.
    fn written(&self, date: Date) -> String {
        let known = match (date.time, date.clock, self.server) {
            (None, _, _) | (Some(_), Clock::Server, None) => None,
            (Some(_), Clock::Ahead(_), _) | (Some(_), Clock::Server, Some(_)) => {
                self.zone.civil(self.seconds(date))
            }
        };
        if let Some(shown) = known {
            return shown.strftime("%Y-%m-%d %H:%M").to_string();
        }
        let day = date.day;
        let mut written = format!("{:04}-{:02}-{:02}", day.year, day.month, day.day);
        if let Some(time) = date.time {
            // Writing to a text cannot fail.
            let _ = write!(written, " {:02}:{:02}", time.hour, time.minute);
        }
        written
    }

    /// When that was, in seconds since 1970; by UTC where the clock is not known.
    pub(super) fn seconds(&self, date: Date) -> i64 {
        date.seconds(self.server.unwrap_or_default())
    }
}
