//! What is known of a draft besides its text: the server that it is for, its Message-ID, and how often it was sent.
//!
//! ```text
//! record = *( name ": " value LF )     ; Server, Message-ID, Attempts, State
//! ```
//!
//! It stands beside the draft, in a file of its name that ends in `.state`, and is written before an article is sent: an
//! article whose answer was lost is then asked for by its Message-ID before it is sent again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Draft, token};
use crate::files::{atomic, regular};

/// The longest file that is read, in octets.
const FILE: u64 = 4096;

/// The record of a draft.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The news server that it is for, as `host:port`; empty where none is known.
    pub server: String,
    /// The Message-ID that it was sent by, with its angle brackets.
    pub id: Option<String>,
    /// How often it was sent.
    pub attempts: u32,
    /// What came of the last time.
    pub state: State,
}

/// What came of an attempt to send a draft.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// There was none.
    #[default]
    Unsent,
    /// It may have been taken.
    Unknown,
    /// It was refused.
    Refused,
}

impl State {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Unsent, "unsent"),
        (Self::Unknown, "unknown"),
        (Self::Refused, "refused"),
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(state, _)| *state == self)
            .map_or("", |(_, name)| name)
    }
}

impl Record {
    /// The record of the draft at `path`; an empty one where there is none, or none that can be read.
    pub fn load(path: &Path) -> Self {
        let written = regular::read_if_any(&file_of(path), FILE);
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
                "State" => {
                    let mut all = State::ALL.into_iter();
                    let known = all.find(|(_, name)| *name == value);
                    record.state = known.map_or(State::Unknown, |(state, _)| state);
                }
                _ => {}
            }
        }
        record
    }

    /// Writes it beside the draft at `path`, readable by nobody else.
    ///
    /// # Errors
    /// Those of writing.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let id = self.id.as_deref();
        let id = id.map_or(String::new(), |id| format!("Message-ID: {id}\n"));
        let (server, attempts, state) = (&self.server, self.attempts, self.state.name());
        let text = format!("Server: {server}\n{id}Attempts: {attempts}\nState: {state}\n");
        atomic::replace(&file_of(path), text.as_bytes(), &|_| {})
    }

    /// In a line, for who looks at the draft; nothing where it was never sent.
    pub fn line(&self) -> Option<String> {
        let times = match self.attempts {
            0 => return None,
            1 => "once".to_owned(),
            many => format!("{many} times"),
        };
        let id = self.id.as_deref().unwrap_or("no Message-ID");
        let (server, state) = (&self.server, self.state.name());
        Some(format!("sent {times} to {server} as {id}: {state}"))
    }
}

/// Removes the record of the draft at `path`.
pub(super) fn forget(path: &Path) {
    // A letter has none.
    let _ = fs::remove_file(file_of(path));
}

/// A Message-ID of our own making for a draft: random, at `domain`, else at the domain of its author's address.
pub fn new_id(draft: &Draft, domain: Option<&str>) -> Option<String> {
    let from = draft.header("From").unwrap_or_default();
    let address = from.rsplit_once('@').map_or("", |(_, host)| host);
    let host = address.trim_end_matches('>').trim_end_matches('.');
    let is_sign = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.');
    let is_domain = !host.is_empty() && host.len() <= 200 && host.bytes().all(is_sign);
    let own = if is_domain { host } else { "geomys.invalid" };
    Some(format!("<{}@{}>", token()?, domain.unwrap_or(own)))
}

fn file_of(path: &Path) -> PathBuf {
    path.with_extension("state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("1.eml");
        assert_eq!(Record::load(&path), Record::default());
        let record = Record {
            server: "news.example:119".to_owned(),
            id: Some("<1@x>".to_owned()),
            attempts: 2,
            state: State::Unknown,
        };
        record.save(&path).unwrap();
        assert_eq!(Record::load(&path), record);
        let line = "sent 2 times to news.example:119 as <1@x>: unknown";
        assert_eq!(record.line().as_deref(), Some(line));
        // What nobody knows may have been sent.
        fs::write(file_of(&path), "State: odd\n").unwrap();
        assert_eq!(Record::load(&path).state, State::Unknown);
        forget(&path);
        assert_eq!(Record::load(&path), Record::default());
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
