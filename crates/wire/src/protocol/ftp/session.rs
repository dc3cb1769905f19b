//! A control connection after the login: the commands of RFC 1738, section 3.2.2.

use std::fmt;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use suppaftp::Status;

use super::control::Control;
use super::listing::{self, Format};
use super::login::LoginMessages;
use super::{ActiveMode, FtpCredentials, FtpError, Reply, Representation};
use crate::net::{Drain, Security};
use crate::protocol::octets::parse;

/// A control connection after the login, idle between two commands.
pub struct FtpConnection {
    pub(super) control: Control,
    pub(super) host: String,
    pub(super) credentials: FtpCredentials,
    /// The login directory; `None` if the server does not tell it.
    pub(super) home: Option<Vec<u8>>,
    /// The segments from the login directory to the working directory; `None` if they are unknown.
    pub(super) working_path: Option<Vec<Vec<u8>>>,
    /// MLSD and MLST.
    pub(super) facts: ExtensionState,
    /// MDTM.
    pub(super) modified: ExtensionState,
    /// The option of LIST for names that begin with a dot.
    pub(super) hidden: HiddenNames,
    /// True if the last listing lacks no names that begin with a dot.
    pub(super) lists_hidden: bool,
    /// EPSV.
    pub(super) extended: ExtensionState,
    /// When the server may open data connections (PORT and EPRT).
    pub(super) active: ActiveMode,
    /// `None` while the reply to TYPE is not read.
    pub(super) representation: Option<Representation>,
    /// True from REST on until its transfer begins: the server may restart another one.
    pub(super) is_restarting: bool,
    pub(super) login_messages: LoginMessages,
}

impl fmt::Debug for FtpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FtpConnection")
            .field("host", &self.host)
            .field("credentials", &self.credentials)
            .finish_non_exhaustive()
    }
}

/// The state of an extension in this connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExtensionState {
    /// The extension may be tried.
    Usable,
    /// The server does not offer the extension, or has declined it.
    Declined,
}

/// The use of `LIST -a` in this connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HiddenNames {
    /// The system of the server is not known.
    Unknown,
    /// The server is a Unix: the option may be tried.
    Usable,
    /// The server is no Unix, or does not take the option.
    Declined,
}

/// The result of entering a path segment by segment.
#[derive(Debug)]
pub enum PathOutcome {
    /// The connection is in the last directory.
    Entered {
        /// The text of the server about the directory, without the mandatory last line.
        remark: Option<Vec<u8>>,
        /// The number of empty segments that were skipped.
        skipped: usize,
    },
    /// The server refused a segment of the path.
    Refused {
        /// The index of the segment, from 0.
        at: usize,
        /// The reply of the server.
        reply: Reply,
    },
}

/// The kind of a name, found by trying to enter it.
#[derive(Debug)]
pub enum NameProbe {
    /// A directory, which the connection has entered; with the text of the server about it, without the mandatory last
    /// line.
    Directory(Option<Vec<u8>>),
    /// No directory; with the reply of the server.
    Other(Reply),
}

impl Drain for FtpConnection {
    fn is_mid_reply(&self) -> bool {
        self.is_reusable() && self.control.is_mid_reply()
    }

    /// The data connection of a transfer is closed: the server says so, or that all was sent.
    fn drain(&mut self, most: usize) -> BoxFuture<'_, bool> {
        self.working_path = None;
        self.control.drain(most).boxed()
    }
}

impl FtpConnection {
    /// Returns true if nothing has come since the last reply, and the server has not closed the connection.
    pub fn is_quiet(&mut self) -> bool {
        self.control.is_quiet()
    }

    /// Returns true if a login with these credentials may reuse the connection: the same user, and no other password or
    /// account.
    pub fn is_for(&self, credentials: &FtpCredentials) -> bool {
        self.credentials.user == credentials.user
            && (credentials.password.is_none() || credentials.password == self.credentials.password)
            && (credentials.account.is_none() || credentials.account == self.credentials.account)
    }

    /// Returns the encryption of the control connection.
    pub fn security(&self) -> Security {
        self.control.security
    }

    /// Returns the messages of the server at the login.
    pub fn login_messages(&self) -> &LoginMessages {
        &self.login_messages
    }

    /// Sets when the server may open data connections.
    pub fn set_active(&mut self, active: ActiveMode) {
        self.active = active;
    }

    /// Returns true if the last listing has the names that begin with a dot.
    pub fn lists_hidden(&self) -> bool {
        self.lists_hidden
    }

    /// Returns true if the idle connection can be pooled: it can return to the login directory, and no restart is set.
    pub fn is_reusable(&self) -> bool {
        self.has_login_directory() && !self.is_restarting
    }

    /// Returns true if the connection can return to the login directory.
    pub fn has_login_directory(&self) -> bool {
        self.home.is_some()
    }

    /// Returns to the login directory, as a pooled connection must before it is reused. Fails if that is refused or the
    /// connection is closed.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn enter_login_directory(&mut self) -> Result<(), FtpError> {
        let home = self.home.clone().unwrap_or_default();
        self.working_path = None;
        let reply = self.ask("CWD", Some(&home), "the login directory").await?;
        reply.done_or("does not return to the login directory")?;
        self.working_path = Some(Vec::new());
        Ok(())
    }

    /// Returns true if an idle connection is in the directory of this path from the login directory, and the server has
    /// neither closed the connection nor sent anything.
    pub fn is_idle_in(&mut self, path: &[Vec<u8>]) -> bool {
        self.working_path.as_deref() == Some(path) && self.control.is_quiet()
    }

    /// Sends PWD and returns the working directory; `None` if the server does not tell it.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn working_directory(&mut self) -> Result<Option<Vec<u8>>, FtpError> {
        let reply = self.ask("PWD", None, "nothing").await?;
        Ok(reply.quoted_path().filter(|_| reply.is_done()))
    }

    /// Sends CWD once for each segment (RFC 1738, section 3.2.2). An empty segment is sent as one, and skipped if it is
    /// refused or leads elsewhere. If a directory may not be entered, the remaining segments are tried as one path.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn enter_path(&mut self, path: &[Vec<u8>]) -> Result<PathOutcome, FtpError> {
        let mut remark = None;
        let mut skipped = 0;
        let before = self.working_path.take();
        if !path.is_empty() && before.as_deref() == Some(path) {
            self.working_path = before;
            return Ok(PathOutcome::Entered { remark, skipped });
        }
        let is_plain = path.iter().all(|segment| !segment.is_empty());
        for (at, segment) in path.iter().enumerate() {
            if segment.is_empty() {
                skipped += usize::from(!self.enter_empty_segment().await?);
                continue;
            }
            let reply = self.ask("CWD", Some(segment), "the path").await?;
            if reply.is_done() {
                remark = reply.remark();
                continue;
            }
            let rest = path.get(at..).unwrap_or_default();
            if rest.len() > 1 {
                let whole = self.ask("CWD", Some(&joined(rest)), "the path").await?;
                if whole.is_done() {
                    let remark = whole.remark();
                    return Ok(PathOutcome::Entered { remark, skipped });
                }
            }
            return Ok(PathOutcome::Refused { at, reply });
        }
        if before.is_some_and(|before| before.is_empty()) && is_plain {
            self.working_path = Some(path.to_vec());
        }
        Ok(PathOutcome::Entered { remark, skipped })
    }

    /// Sends CWD with an empty argument. Returns true if the server stays in the same directory, as the RFC means it;
    /// otherwise the connection returns to that directory.
    async fn enter_empty_segment(&mut self) -> Result<bool, FtpError> {
        let before = self.working_directory().await?;
        let reply = self.ask("CWD", Some(b""), "the path").await?;
        if !reply.is_done() {
            return Ok(false);
        }
        let after = self.working_directory().await?;
        let Some(before) = before.filter(|before| Some(before) != after.as_ref()) else {
            return Ok(true);
        };
        let reply = self.ask("CWD", Some(&before), "the path").await?;
        reply.done_or("does not return from the directory with the empty name")?;
        Ok(false)
    }

    /// Determines the kind of a name in the working directory, and enters it if it is a directory.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn probe_name(&mut self, name: &[u8]) -> Result<NameProbe, FtpError> {
        if self.facts == ExtensionState::Usable {
            let reply = self.ask_optional("MLST", Some(name), "the path").await?;
            let entry = reply.lines().find_map(|line| {
                let line = [b" ".as_slice(), b"250 ", b"250-"]
                    .into_iter()
                    .find_map(|lead| line.strip_prefix(lead))?;
                match Format::Facts.line(line, listing::Day::default()) {
                    listing::Line::Entry(entry) => Some(entry.kind),
                    listing::Line::Metadata | listing::Line::Unrecognized => None,
                }
            });
            if entry == Some(listing::Kind::File) {
                return Ok(NameProbe::Other(reply));
            }
        }
        let reply = self.ask("CWD", Some(name), "the path").await?;
        Ok(if reply.is_done() {
            if let Some(path) = &mut self.working_path {
                path.push(name.to_vec());
            }
            NameProbe::Directory(reply.remark())
        } else {
            NameProbe::Other(reply)
        })
    }

    /// Sends SIZE and returns the size in octets, as TYPE I counts them; or the reply if it gives none.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn size(&mut self, name: &[u8]) -> Result<Result<u64, Reply>, FtpError> {
        self.represent(Representation::Image).await?;
        let reply = self.ask_optional("SIZE", Some(name), "the path").await?;
        Ok(reply.digits().and_then(parse).ok_or(reply))
    }

    /// Sends MDTM and returns the modification time in UTC as fourteen digits (RFC 3659, section 3); `None` if the
    /// server does not tell it.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn modified(&mut self, name: &[u8]) -> Result<Option<String>, FtpError> {
        if self.modified == ExtensionState::Declined {
            return Ok(None);
        }
        let reply = self.ask_optional("MDTM", Some(name), "the path").await?;
        if reply.is_unknown_command() {
            self.modified = ExtensionState::Declined;
        }
        let digits = reply.digits().and_then(|digits| digits.get(..14));
        let digits = digits.filter(|digits| digits.iter().all(u8::is_ascii_digit));
        Ok(digits.map(|digits| digits.iter().copied().map(char::from).collect()))
    }

    /// Sends TYPE, unless the representation is set already.
    pub(super) async fn represent(
        &mut self,
        representation: Representation,
    ) -> Result<(), FtpError> {
        if self.representation == Some(representation) {
            return Ok(());
        }
        let (letter, problem): (&[u8], _) = match representation {
            Representation::Ascii => (b"A", "does not send text (TYPE A)"),
            Representation::Image => (b"I", "does not send binary files (TYPE I)"),
        };
        self.representation = None;
        let reply = self.ask("TYPE", Some(letter), "nothing").await?;
        reply.done_or(problem)?;
        self.representation = Some(representation);
        Ok(())
    }

    /// Sends one command and returns its reply. A goodbye (421) is an error.
    pub(super) async fn ask(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        not_goodbye(self.control.ask(verb, argument, what).await?)
    }

    /// Sends one command that is not necessary, as [`Control::ask_optional`] does.
    pub(super) async fn ask_optional(
        &mut self,
        verb: &'static str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        not_goodbye(
            self.control
                .ask_optional(verb, argument, (what, None))
                .await?,
        )
    }

    /// Returns `host:port` of the control connection.
    pub fn authority(&self) -> &str {
        &self.control.authority
    }
}

/// Returns the reply, or an error if it is a goodbye (421).
pub(super) fn not_goodbye(reply: Reply) -> Result<Reply, FtpError> {
    if reply.status() == Status::NotAvailable {
        return Err(FtpError::refused("closed the connection", reply));
    }
    Ok(reply)
}

/// Joins segments to one path, without the empty ones.
pub fn joined(segments: &[Vec<u8>]) -> Vec<u8> {
    let named = segments.iter().filter(|segment| !segment.is_empty());
    named.cloned().collect::<Vec<_>>().join(&b'/')
}
