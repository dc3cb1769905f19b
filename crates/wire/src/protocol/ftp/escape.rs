//! Octet 255 in commands: doubled, as Telnet has it (RFC 854), or as it is for servers that do not undouble it.
//!
//! Such a server has no file of the doubled name (550). Then the command is sent once more with the octet as it is; if
//! that works, the host is remembered.

use suppaftp::Status;

use super::Reply;
use crate::net::{Quirk, Quirks};

/// The octet that begins a Telnet command.
pub(super) const IAC: u8 = 255;

/// The form in which octet 255 is sent to a server.
#[derive(Debug)]
pub(super) struct TelnetEscape {
    form: EscapeForm,
    authority: String,
    quirks: Quirks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EscapeForm {
    /// Doubled; no command has shown yet if the server undoubles it.
    Untried,
    /// Doubled: the server undoubles it.
    Doubled,
    /// As it is: the server undoubles nothing, or this is being tried.
    Single,
}

impl TelnetEscape {
    /// Creates the form for a server, from the record of `quirks`.
    pub(super) fn new(authority: &str, quirks: &Quirks) -> Self {
        let form = if quirks.contains(authority, Quirk::UnescapedOctet255) {
            EscapeForm::Single
        } else {
            EscapeForm::Untried
        };
        Self {
            form,
            authority: authority.to_owned(),
            quirks: quirks.clone(),
        }
    }

    /// Appends an argument to a command line.
    pub(super) fn push(&self, line: &mut Vec<u8>, argument: &[u8]) {
        for &octet in argument {
            line.push(octet);
            if octet == IAC && self.form != EscapeForm::Single {
                line.push(IAC);
            }
        }
    }

    /// Takes the first reply to a command. Returns true if the command is to be sent once more with octet 255 as it is;
    /// [`TelnetEscape::second`] takes the reply to that.
    pub(super) fn first(&mut self, argument: Option<&[u8]>, reply: &Reply) -> bool {
        let has_iac = argument.is_some_and(|argument| memchr::memchr(IAC, argument).is_some());
        if self.form != EscapeForm::Untried || !has_iac {
            return false;
        }
        let is_missing = reply.status() == Status::FileUnavailable;
        if is_missing {
            self.form = EscapeForm::Single;
        } else if reply.is_done() || reply.is_begun() {
            self.form = EscapeForm::Doubled;
        }
        is_missing
    }

    /// Takes the reply to the second command. Returns true if the server knows the name in this form.
    pub(super) fn second(&mut self, reply: &Reply) -> bool {
        let is_known = reply.is_done() || reply.is_begun();
        if is_known {
            self.quirks
                .insert(&self.authority, Quirk::UnescapedOctet255);
        } else {
            self.form = EscapeForm::Untried;
        }
        is_known
    }
}
