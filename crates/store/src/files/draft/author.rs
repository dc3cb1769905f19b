//! The settings of an author.

use std::path::PathBuf;

/// Settings of the author, from settings.toml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// `Name <address>`; `None` until it is set or entered.
    pub from: Option<String>,
    /// The line above a quotation, with `{name}`, `{date}`, `{group}`, `{subject}` and `{id}` in it.
    pub attribution: String,
    /// Prefix of a quoted line.
    pub quote: String,
    /// File with the signature, which is appended to the text.
    pub signature: Option<PathBuf>,
    /// Domain of generated Message-IDs, if one is set.
    pub message_id_domain: Option<String>,
    /// Program that reads a letter from its standard input, and its arguments; empty if none is set.
    pub mail: Vec<String>,
    /// Editor and its arguments.
    pub editor: Vec<String>,
}

impl Author {
    /// Returns the value of From, empty if it is not set.
    pub(super) fn mailbox(&self) -> &str {
        self.from.as_deref().unwrap_or_default()
    }
}
