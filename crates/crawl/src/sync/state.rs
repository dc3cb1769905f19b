//! What a sync knows of the runs before it, in a file beside its lock: a line for each page and each source.
//!
//! ```text
//! line = "asked" SP time SP url LF     ; when a page was last asked for
//!      / "lost" SP time SP source LF   ; since when a source is unreachable
//!      / "left" SP time SP source LF   ; when a run has left pages of a source for the next one
//!      / "full" SP time SP octets LF   ; the room of the pages that are saved for later, when one did not fit
//! ```
//!
//! Every other line is ignored. Deleting the file forgets everything: then pages are asked for once more.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use rfc1738::Url;

use super::report::SourceReport;

/// Minimum time between two requests for a page whose server cannot tell whether it has changed: a bit less than a day,
/// so that a sync every morning asks once.
const BETWEEN: SignedDuration = SignedDuration::from_hours(20);

/// Time after which a source that is unreachable is named with the day since when.
const LONG: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Time after which a page that was not asked for again is forgotten.
const FORGOTTEN: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Pages and sources of earlier runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncState {
    asked: HashMap<String, Timestamp>,
    lost: HashMap<String, Timestamp>,
    left: HashMap<String, Timestamp>,
    saved_room: Option<(u64, Timestamp)>,
}

impl SyncState {
    /// Parses a file; any text is accepted.
    pub fn parse(text: &str) -> Self {
        let mut state = Self::default();
        for line in text.lines() {
            let mut words = line.splitn(3, ' ');
            let (Some(word), Some(time), Some(name)) = (words.next(), words.next(), words.next())
            else {
                continue;
            };
            if let ("full", Ok(time), Ok(room)) = (word, time.parse(), name.parse()) {
                state.saved_room = Some((room, time));
                continue;
            }
            let list = match word {
                "asked" => &mut state.asked,
                "lost" => &mut state.lost,
                "left" => &mut state.left,
                _ => continue,
            };
            if let Ok(time) = time.parse() {
                list.insert(name.to_owned(), time);
            }
        }
        state
    }

    /// Returns the text of the file, without the pages that were not asked for long before `now`.
    pub fn to_text(&self, now: Timestamp) -> String {
        let asked = self.asked.iter();
        let asked = asked.filter(|(_, time)| now.duration_since(**time) < FORGOTTEN);
        let lines = asked.map(|entry| ("asked", entry));
        let lines = lines.chain(self.lost.iter().map(|entry| ("lost", entry)));
        let lines = lines.chain(self.left.iter().map(|entry| ("left", entry)));
        let lines = lines.map(|(word, (name, time))| format!("{word} {time} {name}\n"));
        let mut lines: Vec<String> = lines.collect();
        let full = self.saved_room.iter();
        lines.extend(full.map(|(room, time)| format!("full {time} {room}\n")));
        lines.sort_unstable();
        lines.concat()
    }

    /// Notes that a page was asked for, by the key of its copy.
    pub(super) fn note_asked(&mut self, key: &Url, now: Timestamp) {
        self.asked.insert(key.as_str().to_owned(), now);
    }

    /// Returns the time when a page was last asked for.
    pub(super) fn asked(&self, key: &Url) -> Option<Timestamp> {
        self.asked.get(key.as_str()).copied()
    }

    /// Returns the room in octets that the pages that are saved for later had when one did not fit; `None` if all did.
    pub(super) fn saved_room(&self) -> Option<u64> {
        self.saved_room.map(|(room, _)| room)
    }

    /// Notes this room; `None` if all pages fit.
    pub(super) fn note_saved_room(&mut self, room: Option<u64>) {
        self.saved_room = room.map(|room| (room, Timestamp::now()));
    }

    /// Returns true if a page was asked for within about a day. A clock that was set back counts as a day, too.
    pub(super) fn was_asked_today(&self, key: &Url, now: Timestamp) -> bool {
        self.asked(key).is_some_and(|time| {
            let since = now.duration_since(time);
            since < BETWEEN && !since.is_negative()
        })
    }

    /// Returns true if the last run has left pages of a source.
    pub(super) fn was_left(&self, report: &SourceReport) -> bool {
        self.left.contains_key(&report.key())
    }

    /// Notes whether a source was reached in a run and whether pages were left, and tells it since when it was not
    /// reached, if that is long ago.
    pub(super) fn note_source(&mut self, report: &mut SourceReport, now: Timestamp) {
        let key = report.key();
        if report.left > 0 {
            self.left.insert(key.clone(), now);
        } else {
            self.left.remove(&key);
        }
        match report.is_reached() {
            Some(true) => {
                self.lost.remove(&key);
            }
            Some(false) => {
                let since = *self.lost.entry(key).or_insert(now);
                let is_long = now.duration_since(since) >= LONG;
                report.unreachable_since = is_long.then(|| since.strftime("%Y-%m-%d").to_string());
            }
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::SAVED;
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written_and_old_pages_are_forgotten() {
        let now: Timestamp = "2026-11-28T10:00:00Z".parse().unwrap();
        let text = "asked 2026-11-28T09:00:00Z gopher://a.example/0/x\nasked 2026-01-01T00:00:00Z gopher://old.example/\n\
                    lost 2026-11-01T00:00:00Z kept\nother\nasked never x\n\
                    full 2026-11-01T00:00:00Z 2000\nfull 2026-11-01T00:00:00Z much\n";
        let mut state = SyncState::parse(text);
        let url = |text: &str| Url::parse(text).unwrap();
        assert!(state.was_asked_today(&url("gopher://a.example/0/x"), now));
        assert!(!state.was_asked_today(&url("gopher://old.example/"), now));
        let kept = state.to_text(now);
        assert_eq!(kept.lines().count(), 3, "{kept}");
        assert_eq!(SyncState::parse(&kept).saved_room(), Some(2000));
        let mut report = SourceReport::new(SAVED, "kept pages", None);
        report.left = 1;
        state.note_source(&mut report, now);
        assert_eq!(report.unreachable_since, None, "nobody was asked");
    }
}
