//! File of check results, one line per URL: read whole, and written whole or not at all.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use geomys_load::check::{LinkStatus, unaccepted_move, unaccepted_target};
use geomys_wire::text::Text;
use jiff::Timestamp;
use rfc1738::Dialect;
use serde::{Deserialize, Serialize};

use super::{CheckResult, Checks, LinkState, UrlKey};
use crate::bookmarks::facts::{self, Fact};
use crate::files::regular;
use crate::files::user_file::{FileError, UserFile};

impl Fact for LinkState {
    const FILE: UserFile = UserFile {
        max_bytes: regular::LIST,
        read_failed: "the link checks cannot be read",
        write_failed: "the results were not saved",
    };

    fn to_line(&self, key: &UrlKey) -> impl Serialize {
        Line::of(key, self)
    }

    fn from_line(line: &[u8]) -> Option<(UrlKey, Self)> {
        serde_json::from_slice::<Line>(line).ok()?.into_state()
    }

    fn last_needed(&self) -> Option<Timestamp> {
        Some(self.listed)
    }
}

/// Line of the file.
#[derive(Serialize, Deserialize)]
struct Line {
    url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    login: Option<u16>,
    state: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    words: String,
    at: String,
    ms: u64,
    since: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    alive: Option<String>,
    listed: String,
}

impl Line {
    fn of(key: &UrlKey, link: &LinkState) -> Self {
        Self {
            url: key.0.clone(),
            login: key.1,
            state: link.verdict.name().to_owned(),
            words: match &link.verdict {
                LinkStatus::Moved(url) => url.without_password().to_string(),
                verdict => verdict.words(),
            },
            at: link.at.to_string(),
            ms: u64::try_from(link.took.as_millis()).unwrap_or(u64::MAX),
            since: link.since.to_string(),
            alive: link.alive.map(|alive| alive.to_string()),
            listed: link.listed.to_string(),
        }
    }

    fn into_state(self) -> Option<(UrlKey, LinkState)> {
        let url = Dialect::Extended.parse(&self.url).ok()?;
        let words = || {
            // Another program may have written the file.
            Text::of(&self.words).to_string()
        };
        let verdict = match self.state.as_str() {
            "alive" => LinkStatus::Alive,
            "moved" => moved(&self.words)?,
            "dead" => LinkStatus::Dead(words()),
            "refused" => LinkStatus::Refused(words()),
            "unreachable" => LinkStatus::Unreachable(words()),
            _ => return None,
        };
        let time = |written: &str| written.parse::<Timestamp>().ok();
        let link = LinkState {
            verdict,
            at: time(&self.at)?,
            took: Duration::from_millis(self.ms),
            since: time(&self.since)?,
            alive: self.alive.as_deref().and_then(time),
            listed: time(&self.listed)?,
        };
        Some((UrlKey(UrlKey::of(&url).0, self.login), link))
    }
}

/// Returns the status of a URL that has moved. Another program may have written an address that is not accepted.
fn moved(to: &str) -> Option<LinkStatus> {
    let url = Dialect::Extended.parse(to).ok()?;
    Some(match unaccepted_target(&url) {
        Some(why) => unaccepted_move(&url, &why),
        None => LinkStatus::Moved(url),
    })
}

/// Reads the file; a missing file gives an empty set.
///
/// # Errors
/// A `FileError` of reading.
pub fn load(path: &Path) -> Result<Checks, FileError> {
    let states = facts::load(path)?;
    Ok(Checks { states })
}

/// Adds results to the file as it is now; `listed` are the URLs that are in a list now. Returns all stored states.
///
/// # Errors
/// A `FileError`; nothing is written then.
pub fn save(
    path: &Path,
    results: &[CheckResult],
    listed: &BTreeSet<UrlKey>,
    now: Timestamp,
) -> Result<Checks, FileError> {
    let states = facts::change(path, |states| {
        let mut checks = Checks { states };
        for result in results {
            checks.note(result);
        }
        checks.list(listed, now);
        checks.states
    })?;
    Ok(Checks { states })
}
