//! Ages of stored entries, which no single reading of the clock decides.
//!
//! A machine without a battery may start years ahead. So entries are removed by their age only if another entry bears the
//! clock out: one of an earlier day, at most [`MAX_GAP`] before the present time. After a jump of the clock, nothing is removed
//! until what is stored on a later day confirms it. A removal of more than half of the entries leaves a copy for a week.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// Maximum time since the newest entry of an earlier day.
const MAX_GAP: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Minimum time to an entry of an earlier day: a run over midnight confirms nothing.
const MIN_GAP: SignedDuration = SignedDuration::from_hours(12);

/// Time for which a copy is stored.
const COPY_AGE: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The present time, judged by the times of entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AgeClock {
    now: Timestamp,
    /// Time of the newest entry of an earlier day.
    newest: Option<Timestamp>,
}

impl AgeClock {
    /// Judges `now` by the times of entries in any order.
    pub(crate) fn judge(now: Timestamp, times: impl IntoIterator<Item = Timestamp>) -> Self {
        Self {
            now,
            newest: times
                .into_iter()
                .filter(|time| is_earlier(*time, now))
                .max(),
        }
    }

    /// Judges `now` by the times of entries in the order in which they were written. The clock was ahead at an entry that is
    /// later than one after it.
    pub(crate) fn judge_in_order(
        now: Timestamp,
        times: impl DoubleEndedIterator<Item = Timestamp>,
    ) -> Self {
        let mut next = Timestamp::MAX;
        let real = times.rev().map(|time| {
            next = next.min(time);
            next
        });
        Self::judge(now, real)
    }

    /// Returns true if the entries bear the clock out.
    pub(crate) fn is_trusted(&self) -> bool {
        let since = self.newest.map(|newest| self.now.duration_since(newest));
        since.is_some_and(|since| since <= MAX_GAP)
    }

    /// Returns the time before which entries are older than `age`; `None` if the clock is not trusted, so that none is.
    pub(crate) fn oldest(&self, age: SignedDuration) -> Option<Timestamp> {
        let oldest = self.now.checked_sub(age).ok();
        oldest.filter(|_| self.is_trusted())
    }
}

/// Returns true if a time is of an earlier day than `now`, so that it says something of the clock.
pub(crate) fn is_earlier(time: Timestamp, now: Timestamp) -> bool {
    now.duration_since(time) >= MIN_GAP && day(time) < day(now)
}

fn day(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// The copy of entries that were removed: beside their file, as `history.jsonl.old`, or in their directory, as `old`.
#[derive(Debug)]
pub(crate) struct RemovedCopy(PathBuf);

impl RemovedCopy {
    /// Returns the copy for a file with an entry on each line.
    pub(crate) fn beside(file: &Path) -> Self {
        let mut name = OsString::from(file);
        name.push(".old");
        Self(name.into())
    }

    /// Returns the copy for a directory with a file for each entry.
    pub(crate) fn inside(directory: &Path) -> Self {
        Self(directory.join("old"))
    }

    /// Returns the path.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns true if there is a copy.
    pub(crate) fn exists(&self) -> bool {
        self.0.symlink_metadata().is_ok()
    }

    /// Returns true if `removed` of `all` entries may be removed at `now`: they are not more than half, or `write` has
    /// made a copy of them. While there is an earlier copy, they wait.
    ///
    /// # Errors
    /// Errors of `write`, after which nothing may be removed.
    pub(crate) fn admits(
        &self,
        removed: usize,
        all: usize,
        now: Timestamp,
        write: impl FnOnce(&Path) -> io::Result<()>,
    ) -> io::Result<bool> {
        if removed <= all / 2 {
            return Ok(true);
        }
        if self.exists() {
            return Ok(false);
        }
        write(&self.0)?;
        self.stamp(now)?;
        Ok(true)
    }

    /// Removes a copy that is a week old. One from the future, when the clock was ahead, is a week old in a week.
    ///
    /// # Errors
    /// Errors of the system.
    pub(crate) fn sweep(&self, clock: &AgeClock) -> io::Result<()> {
        let Some(since) = self.since() else {
            return Ok(());
        };
        if since > clock.now {
            return self.stamp(clock.now);
        }
        match clock.oldest(COPY_AGE) {
            Some(oldest) if since < oldest => self.discard(),
            Some(_) | None => Ok(()),
        }
    }

    /// Removes the copy.
    ///
    /// # Errors
    /// Errors of the system.
    pub(crate) fn discard(&self) -> io::Result<()> {
        let removed = match self.0.symlink_metadata() {
            Ok(is) if is.is_dir() => fs::remove_dir_all(&self.0),
            Ok(_) => fs::remove_file(&self.0),
            Err(error) => Err(error),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Returns the time when the copy was made; `None` if there is none.
    pub(crate) fn since(&self) -> Option<Timestamp> {
        let made = self.0.symlink_metadata().ok()?.modified().ok()?;
        Timestamp::try_from(made).ok()
    }

    /// Sets the time when the copy was made.
    ///
    /// # Errors
    /// Errors of the system.
    pub(crate) fn stamp(&self, time: Timestamp) -> io::Result<()> {
        File::open(&self.0)?.set_modified(time.into())
    }
}

/// Moves the files of entries into the directory of their copy.
///
/// # Errors
/// Errors of the system.
pub(crate) fn move_into<'a>(copy: &Path, files: impl Iterator<Item = &'a Path>) -> io::Result<()> {
    super::atomic::create_directory(copy)?;
    for file in files {
        let Some(name) = file.file_name() else {
            continue;
        };
        match fs::rename(file, copy.join(name)) {
            // The user may have removed it first.
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 3600;
    const DAY: i64 = 24 * HOUR;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn is_trusted(now: i64, times: &[i64]) -> bool {
        AgeClock::judge_in_order(at(now), times.iter().map(|time| at(*time))).is_trusted()
    }

    #[test]
    fn clock_ahead_is_trusted_on_the_day_after_what_it_has_stored() {
        let (newest, ahead) = (100 * DAY, 5000 * DAY);
        assert!(is_trusted(newest + DAY, &[newest]));
        assert!(is_trusted(newest + 30 * DAY, &[newest]));
        assert!(!is_trusted(newest + 31 * DAY, &[newest]));
        assert!(!is_trusted(ahead, &[newest]));
        // What was stored on the same day says nothing, nor over midnight.
        assert!(!is_trusted(
            ahead + 20 * HOUR,
            &[newest, ahead, ahead + HOUR]
        ));
        let evening = ahead + 23 * HOUR;
        assert!(!is_trusted(evening + 2 * HOUR, &[newest, evening]));
        assert!(is_trusted(ahead + DAY, &[newest, ahead]));
        // The clock was right in between: it was wrong before.
        assert!(!is_trusted(ahead + DAY, &[newest, ahead, newest + DAY]));
        assert!(!is_trusted(ahead, &[]));
    }

    #[test]
    fn copy_of_a_large_removal_is_stored_for_a_week() {
        let directory = tempfile::tempdir().unwrap();
        let copy = RemovedCopy::beside(&directory.path().join("list"));
        let write = |path: &Path| fs::write(path, "entries");
        let trusted = |now: i64| AgeClock::judge(at(now), [at(now - DAY)]);
        assert!(copy.admits(5, 10, at(0), write).unwrap() && !copy.exists());
        assert!(copy.admits(6, 10, at(100 * DAY), write).unwrap());
        assert_eq!(copy.path(), directory.path().join("list.old"));
        // A second one waits for the end of the first.
        assert!(!copy.admits(6, 10, at(101 * DAY), write).unwrap());
        copy.sweep(&trusted(106 * DAY)).unwrap();
        assert!(copy.exists());
        // The clock is ahead.
        copy.sweep(&AgeClock::judge(at(5000 * DAY), [at(106 * DAY)]))
            .unwrap();
        assert!(copy.exists());
        // It was ahead when the copy was made.
        copy.sweep(&trusted(50 * DAY)).unwrap();
        copy.sweep(&trusted(56 * DAY)).unwrap();
        assert!(copy.exists());
        copy.sweep(&trusted(58 * DAY)).unwrap();
        assert!(!copy.exists());
    }

    proptest! {
        #[test]
        fn one_reading_of_the_clock_removes_nothing(
            gaps in proptest::collection::vec(0..20 * DAY, 1..20),
            ahead in 31 * DAY..20_000 * DAY,
            stored in proptest::collection::vec(0..11 * HOUR, 0..9),
        ) {
            let mut times: Vec<i64> = gaps.iter().scan(DAY, |time, gap| {
                *time += gap;
                Some(*time)
            }).collect();
            let start = times.last().unwrap() + ahead;
            // What the same run stores bears nothing out, however much it is.
            let mut stored = stored;
            stored.sort_unstable();
            times.extend(stored.iter().map(|later| start + later));
            let clock = AgeClock::judge_in_order(
                at(start + 11 * HOUR), times.iter().map(|time| at(*time)));
            prop_assert_eq!(clock.oldest(SignedDuration::ZERO), None);
        }
    }
}
