//! A control connection that has logged in: what RFC 1738, section 3.2.2 has it do.

use std::fmt;

use suppaftp::Status;

use super::control::Control;
use super::listing::{self, Format};
use super::login::Heard;
use super::{FtpError, Reply, Representation, Visitor};
use crate::net::Security;

/// A control connection that has logged in, and is at rest between two commands.
pub struct Session {
    pub(super) control: Control,
    pub(super) host: String,
    pub(super) visitor: Visitor,
    /// The directory of the login; nothing when the server would not say.
    pub(super) home: Option<Vec<u8>>,
    pub(super) facts: Offer,
    /// MDTM.
    pub(super) modified: Offer,
    /// EPSV.
    pub(super) extended: Offer,
    /// PORT and EPRT.
    pub(super) active: Offer,
    pub(super) representation: Representation,
    pub(super) heard: Heard,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("host", &self.host)
            .field("visitor", &self.visitor)
            .finish_non_exhaustive()
    }
}

/// Whether an extension is worth trying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    Open,
    Declined,
}

/// How far a walk came.
#[derive(Debug)]
pub enum Walk {
    /// Into the last directory.
    Arrived {
        /// What the server said of it, beside what it had to.
        said: Option<Vec<u8>>,
        /// How many empty segments led nowhere, and were passed over.
        passed: usize,
    },
    /// The server would not enter this one of the path's segments.
    Stopped {
        /// Which one, from 0.
        at: usize,
        /// Its words.
        reply: Reply,
    },
}

/// What a name turned out to be.
#[derive(Debug)]
pub enum Look {
    /// A directory, and the session is in it now; what the server said of it, beside what it had to.
    Directory(Option<Vec<u8>>),
    /// No directory; what the server said to that.
    Other(Reply),
}

impl Session {
    /// Whether this visitor may use it: the same user, and no other password or account.
    pub fn is_for(&self, visitor: &Visitor) -> bool {
        self.visitor.user == visitor.user
            && (visitor.password.is_none() || visitor.password == self.visitor.password)
            && (visitor.account.is_none() || visitor.account == self.visitor.account)
    }

    /// How safe the connection is.
    pub fn security(&self) -> Security {
        self.control.security
    }

    /// What the server said on the way in.
    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    /// Whether it can go back to where it began: only then is it worth keeping.
    pub fn has_home(&self) -> bool {
        self.home.is_some()
    }

    /// Back to the directory of the login, as a kept session must before it is used again. An error when it cannot, or
    /// when the other end has gone.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn go_home(&mut self) -> Result<(), FtpError> {
        let home = self.home.clone().unwrap_or_default();
        let reply = self.ask("CWD", Some(&home), "the login directory").await?;
        if reply.is_done() {
            return Ok(());
        }
        let problem = "does not lead back to the directory of the login";
        Err(FtpError::Refused { problem, reply })
    }

    /// PWD: what the server calls the directory that the session is in; nothing when it would not say.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn place_now(&mut self) -> Result<Option<Vec<u8>>, FtpError> {
        let reply = self.ask("PWD", None, "nothing").await?;
        Ok(reply.quoted_path().filter(|_| reply.is_done()))
    }

    /// CWD, once for each segment (RFC 1738, section 3.2.2). An empty segment is sent as one, and passed over when it is
    /// refused or leads elsewhere. Where a directory may not be entered but what is in it may, the rest is tried as one
    /// path.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn walk(&mut self, path: &[Vec<u8>]) -> Result<Walk, FtpError> {
        let mut said = None;
        let mut passed = 0;
        for (at, segment) in path.iter().enumerate() {
            if segment.is_empty() {
                passed += usize::from(!self.enter_nothing().await?);
                continue;
            }
            let reply = self.ask("CWD", Some(segment), "the path").await?;
            if reply.is_done() {
                said = reply.remark();
                continue;
            }
            let rest = path.get(at..).unwrap_or_default();
            if rest.len() > 1 {
                let whole = self.ask("CWD", Some(&joined(rest)), "the path").await?;
                if whole.is_done() {
                    let said = whole.remark();
                    return Ok(Walk::Arrived { said, passed });
                }
            }
            return Ok(Walk::Stopped { at, reply });
        }
        Ok(Walk::Arrived { said, passed })
    }

    /// CWD with a null argument. What it means is the server's; only one that stays where it was has understood it as
    /// the RFC does. Whether it has.
    async fn enter_nothing(&mut self) -> Result<bool, FtpError> {
        let before = self.place_now().await?;
        let reply = self.ask("CWD", Some(b""), "the path").await?;
        if !reply.is_done() {
            return Ok(false);
        }
        let after = self.place_now().await?;
        let Some(before) = before.filter(|before| Some(before) != after.as_ref()) else {
            return Ok(true);
        };
        let back = self.ask("CWD", Some(&before), "the path").await?;
        if back.is_done() {
            return Ok(false);
        }
        let problem = "does not lead back from where an empty name led";
        Err(FtpError::Refused {
            problem,
            reply: back,
        })
    }

    /// Finds out what a name in the working directory is, and enters it when it is a directory.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn look(&mut self, name: &[u8]) -> Result<Look, FtpError> {
        if self.facts == Offer::Open {
            let reply = self.ask("MLST", Some(name), "the path").await?;
            let entry = reply.lines().find_map(|line| {
                let line = [b" ".as_slice(), b"250 ", b"250-"]
                    .into_iter()
                    .find_map(|lead| line.strip_prefix(lead))?;
                match Format::Facts.line(line, listing::Day::default()) {
                    listing::Line::Entry(entry) => Some(entry.kind),
                    listing::Line::Aside | listing::Line::Odd => None,
                }
            });
            if entry == Some(listing::Kind::File) {
                return Ok(Look::Other(reply));
            }
        }
        let reply = self.ask("CWD", Some(name), "the path").await?;
        Ok(if reply.is_done() {
            Look::Directory(reply.remark())
        } else {
            Look::Other(reply)
        })
    }

    /// SIZE, in octets as TYPE I counts them; the reply when it gives none.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn size(&mut self, name: &[u8]) -> Result<Result<u64, Reply>, FtpError> {
        self.represent(Representation::Image).await?;
        let reply = self.ask("SIZE", Some(name), "the path").await?;
        let size = reply
            .digits()
            .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        Ok(size.ok_or(reply))
    }

    /// MDTM: when a file was changed last, in UTC as fourteen digits (RFC 3659, section 3); nothing when the server does
    /// not say.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn modified(&mut self, name: &[u8]) -> Result<Option<String>, FtpError> {
        if self.modified == Offer::Declined {
            return Ok(None);
        }
        let reply = self.ask("MDTM", Some(name), "the path").await?;
        if reply.is_unknown_command() {
            self.modified = Offer::Declined;
        }
        let digits = reply.digits().and_then(|digits| digits.get(..14));
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_digit));
        Ok(digits.map(|digits| digits.iter().copied().map(char::from).collect()))
    }

    /// TYPE, unless it is in force.
    pub(super) async fn represent(&mut self, wanted: Representation) -> Result<(), FtpError> {
        if self.representation == wanted {
            return Ok(());
        }
        let letter: &[u8] = match wanted {
            Representation::Ascii => b"A",
            Representation::Image => b"I",
        };
        let reply = self.ask("TYPE", Some(letter), "nothing").await?;
        if reply.is_done() {
            self.representation = wanted;
            return Ok(());
        }
        let problem = match wanted {
            Representation::Ascii => "does not send text (TYPE A)",
            Representation::Image => "does not send octets as they are (TYPE I)",
        };
        Err(FtpError::Refused { problem, reply })
    }

    /// One command, and what came of it. A server that says goodbye instead has left.
    pub(super) async fn ask(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        present(self.control.ask(verb, argument, what).await?)
    }

    /// `host:port` of the control connection.
    pub fn place(&self) -> &str {
        self.control.place()
    }
}

/// A reply, unless it is a goodbye.
pub(super) fn present(reply: Reply) -> Result<Reply, FtpError> {
    if reply.status() == Status::NotAvailable {
        let problem = "closed the connection";
        return Err(FtpError::Refused { problem, reply });
    }
    Ok(reply)
}

/// Segments as one path, without the empty ones.
pub fn joined(segments: &[Vec<u8>]) -> Vec<u8> {
    let named: Vec<&[u8]> = segments
        .iter()
        .map(Vec::as_slice)
        .filter(|segment| !segment.is_empty())
        .collect();
    named.join(&b'/')
}
