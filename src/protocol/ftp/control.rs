//! The control connection: commands out, replies in, each by its deadline.
//!
//! ```text
//! command = verb [ SP argument ] CRLF
//! ```
//!
//! It is a connection of Telnet, as far as that an octet 255 goes out doubled (RFC 854). Where TLS begins on it, nothing
//! that came before counts after.
//!
//! The names of replies and types are suppaftp's; its own control connection is not used, as it takes any line of text
//! that looks like a code for the end of a reply, waits for ever for the end of a reply without text, and can begin TLS
//! neither before the greeting nor with a certificate that a person has to judge.

use std::net::SocketAddr;
use std::time::Duration;

use suppaftp::Status;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::{FtpError, Login, Reply};
use crate::net::line::Lines;
use crate::net::{
    Limits, Net, NetError, Security, Stream, TlsError, TlsHost, Trust, place, sendable,
};

/// How long a line that might end a reply is taken for a part of it: servers send a reply at once.
const PATIENCE: Duration = Duration::from_secs(2);

/// Octets of a reply.
const LONGEST: usize = 256 * 1024;

/// How often a server may say that it will be ready soon.
const DELAYS: usize = 8;

/// A host and a port, and how they are reached.
#[derive(Clone, Debug)]
pub struct Host {
    /// The name, as it is dialled.
    pub name: String,
    /// The port.
    pub port: u16,
    /// When TLS begins.
    pub safety: Safety,
    /// What is known of its certificate.
    pub trust: Trust,
}

impl Host {
    /// `host:port`, for the sentences.
    pub fn place(&self) -> String {
        place(&self.name, self.port)
    }
}

/// When a connection becomes TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Safety {
    /// Never.
    Plain,
    /// By AUTH TLS where the server knows that, else never.
    Offered,
    /// The same, but not without where the server has offered it before: a password is going to be sent.
    Guarded,
    /// By AUTH TLS, or there is no dialogue (RFC 4217).
    Explicit,
    /// Before the greeting.
    Implicit,
}

/// A control connection that has been greeted.
pub(super) struct Control {
    lines: Lines<Stream>,
    peer: SocketAddr,
    local: SocketAddr,
    place: String,
    limits: Limits,
    /// How safe it is, and what data connections need to be as safe.
    pub(super) security: Security,
    pub(super) tls: Option<TlsHost>,
    /// What the server said first.
    pub(super) greeting: Reply,
}

impl Control {
    /// Connects, and waits for the greeting.
    pub(super) async fn open(net: &Net, host: &Host) -> Result<Self, FtpError> {
        let place = host.place();
        let broken = |source| NetError::Io {
            place: place.clone(),
            source,
        };
        let stream = net.connect(&host.name, host.port).await?;
        let peer = stream.peer_addr().map_err(broken)?;
        let local = stream.local_addr().map_err(broken)?;
        let (stream, security, tls) = match host.safety {
            Safety::Implicit => {
                let shaken = net.secure_first(stream, &host.name, host.port, &host.trust);
                let (stream, security, tls) = shaken.await?;
                (stream, security, Some(tls))
            }
            Safety::Plain | Safety::Offered | Safety::Guarded | Safety::Explicit => {
                (Stream::Plain(stream), Security::Plain, None)
            }
        };
        let mut control = Self {
            lines: Lines::new(stream, &place, net.limits()),
            peer,
            local,
            place,
            limits: net.limits().clone(),
            security,
            tls,
            greeting: Reply::default(),
        };
        control.greeting = control.greeted().await?;
        match host.safety {
            Safety::Plain | Safety::Implicit => Ok(control),
            Safety::Offered | Safety::Guarded | Safety::Explicit => {
                control.secured(net, host).await
            }
        }
    }

    async fn greeted(&mut self) -> Result<Reply, FtpError> {
        let wait = Wait {
            late: "did not greet",
            closed: "before it greeted",
        };
        for _ in 0..DELAYS {
            let reply = self.read(wait).await?;
            match (reply.status(), reply.code()) {
                (Status::Ready, _) => return Ok(reply),
                // Ready soon; or a banner whose line looks like a code.
                (_, 100..200) => {}
                (_, 200..300) if self.goes_on().await => {}
                (_, 200..300) => return Ok(reply),
                _ => {
                    let problem = "did not welcome us";
                    return Err(FtpError::Refused { problem, reply });
                }
            }
        }
        Err(late(&self.place, wait.late, self.limits.idle))
    }

    /// AUTH TLS.
    async fn secured(mut self, net: &Net, host: &Host) -> Result<Self, FtpError> {
        let reply = self.ask("AUTH", Some(b"TLS"), "nothing").await?;
        let stream = match (reply.status(), self.lines.is_ahead()) {
            (Status::AuthOk, false) => self.lines.into_stream(),
            (Status::AuthOk, true) => {
                // Whoever stands in between wrote this, and would have it read as if it were safe.
                let problem =
                    "said more than its yes to TLS, which somebody in between may have said";
                return Err(FtpError::Refused { problem, reply });
            }
            _ => {
                let offer = match host.safety {
                    Safety::Plain | Safety::Offered => None,
                    Safety::Guarded => net.tls_offer(&self.place).await,
                    Safety::Explicit | Safety::Implicit => {
                        let problem = "does not speak TLS (AUTH TLS)";
                        return Err(FtpError::Insecure {
                            problem,
                            reply,
                            login: Login::NotYet,
                        });
                    }
                };
                return match offer {
                    None => Ok(self),
                    Some(offer) => Err(FtpError::Withdrawn { offer, reply }),
                };
            }
        };
        net.note_tls_offer(&self.place).await;
        let Stream::Plain(stream) = stream else {
            return Err(FtpError::Garbled {
                place: self.place,
                said: Vec::new(),
            });
        };
        let shaken = net.secure_first(stream, &host.name, host.port, &host.trust);
        let (stream, security, tls) = shaken.await?;
        Ok(Self {
            lines: Lines::new(stream, &self.place, &self.limits),
            security,
            tls: Some(tls),
            ..self
        })
    }

    /// The address that the connection leads to; data connections go there too.
    pub(super) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// The address that it comes from.
    pub(super) fn local(&self) -> SocketAddr {
        self.local
    }

    /// `host:port`, for the sentences.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Sends `verb` and its argument, an empty one included, and waits for the reply that says what came of it. `what`
    /// names the argument for the sentence that refuses it.
    pub(super) async fn ask(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        let mut reply = self.begin(verb, argument, what).await?;
        // Another reply follows one that says that it takes a while.
        for _ in 0..DELAYS {
            if !reply.is_begun() {
                break;
            }
            reply = self.read(ANSWER).await?;
        }
        Ok(reply)
    }

    /// As [`Control::ask`], but the reply may say that it has only begun.
    pub(super) async fn begin(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        let mut line = verb.as_bytes().to_vec();
        if let Some(argument) = argument {
            sendable(argument, what)?;
            line.push(b' ');
            for &octet in argument {
                line.push(octet);
                if octet == IAC {
                    line.push(IAC);
                }
            }
        }
        self.lines.send(&line, what).await?;
        self.read(ANSWER).await
    }

    /// Waits for a reply that is still to come: the end of a transfer.
    pub(super) async fn completion(&mut self, patience: Duration) -> Result<Reply, FtpError> {
        let wait = Wait {
            late: "did not say that the transfer was complete",
            closed: "before it said that the transfer was complete",
        };
        let reply = timeout(patience, self.completing()).await;
        self.told(reply, wait, patience)
    }

    /// The first reply that is not preliminary (RFC 959, section 4.2): pure-ftpd measures a transfer that broke under the
    /// code that began it.
    async fn completing(&mut self) -> Result<Reply, FtpError> {
        loop {
            let reply = self.frame().await?;
            if !reply.is_begun() {
                return Ok(reply);
            }
        }
    }

    /// A reply, whole within the deadline.
    async fn read(&mut self, wait: Wait) -> Result<Reply, FtpError> {
        let patience = self.limits.idle;
        let reply = timeout(patience, self.frame()).await;
        self.told(reply, wait, patience)
    }

    /// What came of a wait, in its words.
    fn told(
        &self,
        reply: Result<Result<Reply, FtpError>, Elapsed>,
        wait: Wait,
        patience: Duration,
    ) -> Result<Reply, FtpError> {
        match reply {
            Ok(Err(FtpError::Net(NetError::Closed { place, .. }))) => {
                let when = wait.closed;
                Err(NetError::Closed { place, when }.into())
            }
            Ok(Err(FtpError::Net(NetError::Late { place, seconds, .. }))) => {
                let problem = wait.late;
                Err(FtpError::Net(NetError::Late {
                    place,
                    problem,
                    seconds,
                }))
            }
            Ok(reply) => reply,
            Err(_) => Err(late(&self.place, wait.late, patience)),
        }
    }

    /// Reads lines up to the one that ends the reply.
    async fn frame(&mut self) -> Result<Reply, FtpError> {
        let mut octets = Vec::new();
        let mut first = self.lines.line().await?;
        while first.trim_ascii().is_empty() {
            // Some say nothing before they speak.
            first = self.lines.line().await?;
        }
        let Some(begun) = Head::of(&first) else {
            return Err(FtpError::Garbled {
                place: self.place.clone(),
                said: first,
            });
        };
        push(&mut octets, &first);
        let mut is_over = !begun.goes_on;
        while !is_over {
            let line = self.lines.line().await?;
            let head = Head::of(&line);
            push(&mut octets, &line);
            if octets.len() > LONGEST {
                return Err(FtpError::Endless {
                    place: self.place.clone(),
                    limit: LONGEST,
                });
            }
            is_over = match head {
                Some(head) if head.goes_on => false,
                Some(head) if head.code == begun.code => true,
                // It may be a line of text that looks like one of a code, or the end in the manner of glFTPd. What comes
                // next tells, and so does it that nothing comes.
                Some(_) => !self.goes_on().await,
                None => false,
            };
        }
        Ok(Reply::new(octets))
    }

    /// Whether another line comes soon.
    async fn goes_on(&mut self) -> bool {
        self.lines.is_ahead()
            || timeout(PATIENCE.min(self.limits.idle / 4), self.lines.more())
                .await
                .is_ok_and(|more| more.is_ok())
    }
}

/// The octet by which Telnet's own commands begin.
const IAC: u8 = 255;

/// How a line of a reply begins.
struct Head {
    code: u16,
    /// More lines follow.
    goes_on: bool,
}

impl Head {
    fn of(line: &[u8]) -> Option<Self> {
        let (digits, rest) = line.split_at_checked(3)?;
        let code = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let goes_on = match rest.first() {
            Some(b'-') => true,
            Some(b' ' | b'\t') | None => false,
            Some(_) => return None,
        };
        // RFC 959, section 4.2, and 6yz of RFC 2228.
        (100..700).contains(&code).then_some(Self { code, goes_on })
    }
}

fn push(octets: &mut Vec<u8>, line: &[u8]) {
    let mut line = line.iter().copied().peekable();
    while let Some(octet) = line.next() {
        octets.push(octet);
        if octet == IAC {
            line.next_if_eq(&IAC);
        }
    }
    octets.extend_from_slice(b"\r\n");
}

/// The words for a reply that does not come.
#[derive(Clone, Copy)]
struct Wait {
    late: &'static str,
    closed: &'static str,
}

const ANSWER: Wait = Wait {
    late: "did not reply",
    closed: "before it answered",
};

fn late(place: &str, problem: &'static str, deadline: Duration) -> FtpError {
    FtpError::Net(NetError::Late {
        place: place.to_owned(),
        problem,
        seconds: deadline.as_secs(),
    })
}

impl From<TlsError> for FtpError {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::Net(error) => Self::Net(error),
            TlsError::Doubt(doubt) => Self::Doubt(doubt),
        }
    }
}
