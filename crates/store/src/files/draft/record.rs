//! The record of the attempts to send a draft, beside it.

use std::path::{Path, PathBuf};
use std::{fs, io};

use geomys_load::Namer;
use ring::rand::{SecureRandom, SystemRandom};

use super::Draft;
use crate::files::{atomic, regular};

/// Maximum size of a record file, in octets.
const RECORD_FILE: u64 = 4096;

/// Send record of a draft: the news server, the Message-ID, and the number of attempts to send it.
///
/// ```text
/// record = *( name ": " value LF )     ; Server, Message-ID, Attempts, State, Named-By
/// ```
///
/// The record is stored next to the draft, in a file with the extension `.state`, and is written before an article is
/// sent. If the reply of the server was lost, the article is requested by its Message-ID before it is sent again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendRecord {
    /// News server for the draft, as `host:port`; empty if there is none.
    pub server: String,
    /// Message-ID of the sent article, with its angle brackets.
    pub id: Option<String>,
    /// Number of attempts to send the draft.
    pub attempts: u32,
    /// Result of the last attempt.
    pub state: State,
    /// Who named the URL of the server.
    pub namer: Namer,
}

/// Result of an attempt to send a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The draft was not sent yet.
    #[default]
    Unsent,
    /// The draft waits for the next sync.
    Queued,
    /// A sync sends the draft, or was killed while it did.
    Sending,
    /// The server may have accepted the article.
    Unknown,
    /// The server refused the article.
    Refused,
}

impl State {
    fn parse(name: &str) -> Self {
        match name {
            "unsent" => Self::Unsent,
            "queued" => Self::Queued,
            "sending" => Self::Sending,
            "refused" => Self::Refused,
            _ => Self::Unknown,
        }
    }

    /// Returns the name of the state in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsent => "unsent",
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Unknown => "unknown",
            Self::Refused => "refused",
        }
    }
}

impl State {
    /// Returns true if a sync sends the draft.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::Queued | Self::Sending)
    }
}

impl SendRecord {
    /// Returns the Message-ID of an article that may have arrived. A refused one may have been refused because of its
    /// Message-ID.
    pub fn open_id(&self) -> Option<&str> {
        let is_open = self.attempts > 0 && self.state != State::Refused;
        self.id.as_deref().filter(|_| is_open)
    }

    /// Records that a mail or an upload is being sent.
    ///
    /// # Errors
    /// Errors of writing the file.
    pub fn begin(path: &Path) -> io::Result<()> {
        let record = Self::load(path);
        let state = if record.state.is_queued() {
            State::Sending
        } else {
            State::Unknown
        };
        let attempts = record.attempts.saturating_add(1);
        Self {
            attempts,
            state,
            ..record
        }
        .save(path)
    }

    /// Reads the record of the draft at `path`; returns an empty record if there is no readable one.
    pub fn load(path: &Path) -> Self {
        let written = regular::read_if_any(&record_of(path), RECORD_FILE);
        let written = written.ok().flatten().unwrap_or_default();
        let mut record = Self::default();
        for line in String::from_utf8_lossy(&written).lines() {
            let Some((name, value)) = line.split_once(": ") else {
                continue;
            };
            match name {
                "Server" => value.clone_into(&mut record.server),
                "Message-ID" => record.id = Some(value.to_owned()),
                "Attempts" => record.attempts = value.parse().unwrap_or_default(),
                "State" => record.state = State::parse(value),
                "Named-By" => record.namer = Namer::from_stored(Some(value)),
                _ => {}
            }
        }
        record
    }

    /// Writes the record next to the draft at `path`, readable only by its owner.
    ///
    /// # Errors
    /// Errors of writing the file.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let id = self.id.as_deref();
        let id = id.map_or(String::new(), |id| format!("Message-ID: {id}\n"));
        let (server, attempts, state) = (&self.server, self.attempts, self.state.name());
        let namer = self.namer.to_stored();
        let namer = namer.map_or(String::new(), |namer| format!("Named-By: {namer}\n"));
        let text = format!("Server: {server}\n{id}Attempts: {attempts}\nState: {state}\n{namer}");
        atomic::replace(&record_of(path), text.as_bytes())
    }

    /// Formats the record as a line for the list of drafts; `None` if the draft was never sent, and does not wait.
    pub fn line(&self) -> Option<String> {
        let sent = self.sent();
        let is_waiting = self.state == State::Queued;
        let waits = is_waiting.then(|| "waits for the next sync".to_owned());
        let parts: Vec<String> = sent.into_iter().chain(waits).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Returns the attempts as a sentence; `None` if there were none.
    fn sent(&self) -> Option<String> {
        let times = match self.attempts {
            0 => return None,
            1 => "once".to_owned(),
            many => format!("{many} times"),
        };
        let state = match self.state {
            State::Unsent | State::Queued => "no answer",
            state @ (State::Sending | State::Unknown | State::Refused) => state.name(),
        };
        if self.server.is_empty() {
            return Some(format!("sent {times}: {state}"));
        }
        let id = self.id.as_deref().unwrap_or("no Message-ID");
        let server = &self.server;
        Some(format!("sent {times} to {server} as {id}: {state}"))
    }
}

/// Removes the record of the draft at `path`.
pub(super) fn forget(path: &Path) {
    // A letter has no record.
    let _ = fs::remove_file(record_of(path));
}

/// Generates a Message-ID for a draft: random, at `domain`, or else at the domain of the author's address.
pub fn new_id(draft: &Draft, domain: Option<&str>) -> Option<String> {
    let from = draft.header("From").unwrap_or_default();
    let address = from.rsplit_once('@').map_or("", |(_, host)| host);
    let host = address.trim_end_matches('>').trim_end_matches('.');
    let is_sign = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.');
    let is_domain = !host.is_empty() && host.len() <= 200 && host.bytes().all(is_sign);
    let own = if is_domain { host } else { "geomys.invalid" };
    Some(format!("<{}@{}>", token()?, domain.unwrap_or(own)))
}

/// Returns a random unique part for a Message-ID, which reveals nothing about the user.
pub(super) fn token() -> Option<String> {
    let mut octets = [0_u8; 15];
    SystemRandom::new().fill(&mut octets).ok()?;
    Some(octets.map(|octet| format!("{octet:02x}")).concat())
}

pub(super) fn record_of(path: &Path) -> PathBuf {
    path.with_extension("state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("1.eml");
        assert_eq!(SendRecord::load(&path), SendRecord::default());
        let record = SendRecord {
            server: "news.example:119".to_owned(),
            id: Some("<1@x>".to_owned()),
            attempts: 2,
            state: State::Unknown,
            namer: Namer::User,
        };
        record.save(&path).unwrap();
        assert_eq!(SendRecord::load(&path), record);
        let line = "sent 2 times to news.example:119 as <1@x>: unknown";
        assert_eq!(record.line().as_deref(), Some(line));
        // With an unknown state the draft may have been sent.
        fs::write(record_of(&path), "State: odd\n").unwrap();
        assert_eq!(SendRecord::load(&path).state, State::Unknown);
        forget(&path);
        assert_eq!(SendRecord::load(&path), SendRecord::default());
    }

    #[test]
    fn own_id_names_no_machine() {
        let id = |from: &str, domain| {
            let headers = vec![("From".to_owned(), from.to_owned())];
            let draft = Draft {
                headers,
                body: String::new(),
            };
            let id = new_id(&draft, domain).unwrap();
            let (token, host) = id.split_once('@').unwrap();
            assert_eq!(token.len(), 31);
            host.to_owned()
        };
        assert_eq!(id("Ada <ada@example.org>", None), "example.org>");
        assert_eq!(id("ada@example.org", Some("own.example")), "own.example>");
        assert_eq!(id("Ada <ada@[::1]>", None), "geomys.invalid>");
    }
}
