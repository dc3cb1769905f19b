//! A control connection that has logged in: what RFC 1738, section 3.2.2 has it do.

use std::fmt;

use tokio::net::TcpStream;

use super::control::Control;
use super::listing::{self, Format};
use super::{Answer, FtpError, Look, Reply, Representation, Transfer, Visitor, Walk};
use crate::net::{self, Net};

/// A control connection that has logged in, and is at rest between two commands.
pub struct Session {
    control: Control,
    host: String,
    visitor: Visitor,
    /// The directory of the login; nothing when the server would not say.
    home: Option<Vec<u8>>,
    facts: Offer,
    extended: Offer,
    representation: Representation,
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
enum Offer {
    Open,
    Declined,
}

impl Session {
    /// Connects and logs in.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn open(
        net: &Net,
        host: &str,
        port: u16,
        visitor: &Visitor,
    ) -> Result<Self, FtpError> {
        net::sendable(&visitor.user, "the user name")?;
        net::sendable(
            visitor.password.as_deref().unwrap_or_default(),
            "the password",
        )?;
        let stream = net.connect(host, port).await?;
        let control = Control::greeted(stream, &net::place(host, port), net.limits()).await?;
        let mut session = Self {
            control,
            host: host.to_owned(),
            visitor: visitor.clone(),
            home: None,
            facts: Offer::Declined,
            extended: Offer::Open,
            representation: Representation::Ascii,
        };
        session.log_in().await?;
        session.ask_features().await?;
        let place = session.ask("PWD", None, "nothing").await?;
        session.home = place.quoted_path().filter(|_| place.is_done());
        Ok(session)
    }

    async fn log_in(&mut self) -> Result<(), FtpError> {
        let user = self.visitor.user.clone();
        let reply = self.ask("USER", Some(&user), "the user name").await?;
        match reply.code() {
            200..300 => return Ok(()),
            332 => return Err(FtpError::Account { reply }),
            300..400 => {}
            _ => {
                let deed = "does not let this user in";
                return Err(FtpError::Refused { deed, reply });
            }
        }
        let Some(password) = self.visitor.password.clone() else {
            return Err(FtpError::Password { said: None });
        };
        let reply = self.ask("PASS", Some(&password), "the password").await?;
        match reply.code() {
            200..300 => Ok(()),
            332 => Err(FtpError::Account { reply }),
            430 | 500.. => Err(FtpError::Password { said: Some(reply) }),
            _ => {
                let deed = "does not let this user in";
                Err(FtpError::Refused { deed, reply })
            }
        }
    }

    /// FEAT (RFC 2389). A server that does not know it, or says it oddly, offers nothing.
    async fn ask_features(&mut self) -> Result<(), FtpError> {
        let reply = self.ask("FEAT", None, "nothing").await?;
        if !reply.is_done() {
            return Ok(());
        }
        let offers = |name: &[u8]| {
            reply.lines().any(|line| {
                let line = line.strip_prefix(b"211-").unwrap_or(line).trim_ascii();
                let word = line
                    .split(|&octet| octet == b' ')
                    .next()
                    .unwrap_or_default();
                word.eq_ignore_ascii_case(name)
            })
        };
        if offers(b"MLST") || offers(b"MLSD") {
            self.facts = Offer::Open;
        }
        if offers(b"UTF8") {
            // It is asked for; names are octets whatever the answer.
            self.ask("OPTS", Some(b"UTF8 ON"), "nothing").await?;
        }
        Ok(())
    }

    /// Whether this visitor may use it: the same user, and no other password.
    pub fn is_for(&self, visitor: &Visitor) -> bool {
        self.visitor.user == visitor.user
            && (visitor.password.is_none() || visitor.password == self.visitor.password)
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
        let deed = "does not lead back to the directory of the login";
        Err(FtpError::Refused { deed, reply })
    }

    /// CWD, once for each segment (RFC 1738, section 3.2.2). An empty segment is sent as one and passed over when it is
    /// refused. Where a directory may not be entered but what is in it may, the rest is tried as one path.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn walk(&mut self, path: &[Vec<u8>]) -> Result<Walk, FtpError> {
        for (at, segment) in path.iter().enumerate() {
            let reply = self.ask("CWD", Some(segment), "the path").await?;
            if reply.is_done() || segment.is_empty() {
                continue;
            }
            let rest = path.get(at..).unwrap_or_default();
            if rest.len() > 1
                && self
                    .ask("CWD", Some(&joined(rest)), "the path")
                    .await?
                    .is_done()
            {
                return Ok(Walk::Arrived);
            }
            return Ok(Walk::Stopped { at, reply });
        }
        Ok(Walk::Arrived)
    }

    /// Finds out what a name in the working directory is, and enters it when it is a directory.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn look(&mut self, name: &[u8]) -> Result<Look, FtpError> {
        if self.facts == Offer::Open {
            let reply = self.ask("MLST", Some(name), "the path").await?;
            let entry = reply.lines().find_map(|line| {
                match Format::Facts.line(line.strip_prefix(b" ")?, listing::Day::default()) {
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
            Look::Directory
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
        let size = reply.lines().last().and_then(|line| {
            let digits = line.strip_prefix(b"213 ")?.trim_ascii();
            std::str::from_utf8(digits).ok()?.parse().ok()
        });
        Ok(size.ok_or(reply))
    }

    /// Lists the working directory: by MLSD where it is offered, else by LIST, else by NLST. The form is told where it
    /// follows from the command.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn list(&mut self, net: &Net) -> Result<(Answer, Option<Format>), FtpError> {
        self.represent(Representation::Ascii).await?;
        if self.facts == Offer::Open {
            match self.transfer(net, "MLSD", None).await? {
                Answer::Refused(reply) if reply.is_unknown_command() => {
                    self.facts = Offer::Declined;
                }
                // LIST may know better, or say it better.
                Answer::Refused(_) => {}
                answer => return Ok((answer, Some(Format::Facts))),
            }
        }
        match self.transfer(net, "LIST", None).await? {
            Answer::Refused(reply) if is_empty(&reply) => Ok((Answer::Empty, None)),
            Answer::Refused(reply) if reply.is_unknown_command() => {
                match self.transfer(net, "NLST", None).await? {
                    Answer::Refused(reply) if is_empty(&reply) => Ok((Answer::Empty, None)),
                    answer => Ok((answer, Some(Format::Names))),
                }
            }
            answer => Ok((answer, None)),
        }
    }

    /// Fetches a file.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn fetch(
        &mut self,
        net: &Net,
        name: &[u8],
        representation: Representation,
    ) -> Result<Answer, FtpError> {
        self.represent(representation).await?;
        self.transfer(net, "RETR", Some(name)).await
    }

    /// The end of a transfer: the reply that says whether all of it came.
    ///
    /// # Errors
    /// Any [`FtpError`]; late and missing replies among them.
    pub async fn finish(&mut self, transfer: Transfer) -> Result<Reply, FtpError> {
        // Some servers wait for our end to close.
        drop(transfer.stream);
        match transfer.replied {
            Some(reply) => Ok(reply),
            None => self.control.reply().await,
        }
    }

    async fn transfer(
        &mut self,
        net: &Net,
        verb: &str,
        argument: Option<&[u8]>,
    ) -> Result<Answer, FtpError> {
        let (stream, place) = self.dial(net).await?;
        let reply = self.ask(verb, argument, "the path").await?;
        if !reply.is_begun() && !reply.is_done() {
            return Ok(Answer::Refused(reply));
        }
        Ok(Answer::Transfer(Transfer {
            stream,
            place,
            replied: reply.is_done().then_some(reply),
            received: 0,
        }))
    }

    async fn dial(&mut self, net: &Net) -> Result<(TcpStream, String), FtpError> {
        let port = self.data_port().await?;
        let peer = self.control.peer();
        let stream = net.connect_beside(peer, &self.host, port).await?;
        Ok((stream, net::place(&self.host, port)))
    }

    /// Where the server waits for a data connection: EPSV first (RFC 2428), then PASV.
    async fn data_port(&mut self) -> Result<u16, FtpError> {
        if self.extended == Offer::Open {
            let reply = self.ask("EPSV", None, "nothing").await?;
            if let Some(port) = reply.extended_port().filter(|_| reply.code() == 229) {
                return Ok(port);
            }
            self.extended = Offer::Declined;
        }
        let reply = self.ask("PASV", None, "nothing").await?;
        let port = reply.passive_port().filter(|_| reply.code() == 227);
        port.ok_or(FtpError::Refused {
            deed: "offers no data connection",
            reply,
        })
    }

    async fn represent(&mut self, wanted: Representation) -> Result<(), FtpError> {
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
        let deed = match wanted {
            Representation::Ascii => "does not send text (TYPE A)",
            Representation::Image => "does not send octets as they are (TYPE I)",
        };
        Err(FtpError::Refused { deed, reply })
    }

    /// One command. A server that says goodbye instead of replying has left.
    async fn ask(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        let reply = self.control.ask(verb, argument, what).await?;
        if reply.code() == 421 {
            let deed = "closed the connection";
            return Err(FtpError::Refused { deed, reply });
        }
        Ok(reply)
    }

    /// `host:port` of the control connection.
    pub fn place(&self) -> &str {
        self.control.place()
    }
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

/// Whether a refused listing means that there is nothing to list: many servers have no other words for it.
fn is_empty(reply: &Reply) -> bool {
    matches!(reply.code(), 450 | 550)
        && !reply.says(&[b"denied", b"permi", b"not allowed", b"no access"])
}
