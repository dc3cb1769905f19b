//! The control connection: commands out, replies in, each by its deadline.
//!
//! ```text
//! command = verb [ SP argument ] CRLF
//! ```
//!
//! Of Telnet only one rule applies: an octet 255 is sent doubled (RFC 854), see [`super::escape`]. When TLS begins,
//! everything that came before is discarded.
//!
//! The names of replies and types are suppaftp's. Its own control connection is not used: it takes any line of text
//! that looks like a code for the end of a reply, waits forever for the end of a reply without text, and can begin TLS
//! neither before the greeting nor with a certificate that the user has to accept.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use suppaftp::Status;
use tokio::time::error::Elapsed;
use tokio::time::timeout;

use super::escape::{IAC, TelnetEscape};
use super::{FtpError, Login, Reply};
use crate::net::line::Lines;
use crate::net::{
    Limits, NetError, OfferEvidence, Quirk, Quirks, RecordedOffer, RequestNet, Security, Stream,
    TlsTickets, Trust, authority, sendable, trace,
};
use crate::protocol::octets::parse;

/// The time in which another line may follow a line that looks like the end of a reply: servers send a reply at once.
const END_OF_REPLY_DELAY: Duration = Duration::from_secs(2);

/// The most octets of a reply.
const MAX_REPLY_BYTES: usize = 256 * 1024;

/// The most replies of a server that say it will be ready soon.
const MAX_DELAYS: usize = 8;

/// An FTP server: host, port and the use of TLS.
#[derive(Clone, Debug)]
pub struct FtpHost {
    /// The host name to connect to.
    pub name: String,
    /// The port.
    pub port: u16,
    /// The use of TLS.
    pub tls_mode: FtpTlsMode,
    /// The accepted certificates.
    pub trust: Trust,
}

impl FtpHost {
    /// Returns `host:port`, for messages.
    pub fn authority(&self) -> String {
        authority(&self.name, self.port)
    }
}

/// The point at which a connection becomes TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FtpTlsMode {
    /// Never: plain FTP.
    Plain,
    /// By AUTH TLS if the server offers it, else never.
    IfOffered,
    /// By AUTH TLS if the server offers it. No plain FTP if the server has offered it before: a password will be sent.
    NoDowngrade,
    /// By AUTH TLS always, or the dialogue fails (RFC 4217).
    Explicit,
    /// From the first octet, before the greeting.
    Implicit,
    /// From the first octet if the server greets only then, else as [`FtpTlsMode::Explicit`].
    Detect,
}

/// A control connection, after the greeting.
pub(super) struct Control {
    lines: Lines<Stream>,
    limits: Limits,
    /// The address of the server; data connections go there too.
    pub(super) peer: SocketAddr,
    /// The local address of the connection.
    pub(super) local: SocketAddr,
    /// The text `host:port`, for messages.
    pub(super) authority: String,
    /// The encryption of the control connection; `tls` is the configuration for data connections.
    pub(super) security: Security,
    pub(super) tls: Option<Arc<TlsTickets>>,
    /// True if the server answered that it does not have AUTH TLS (500, 502, 504).
    lacks_auth_tls: bool,
    /// The first reply.
    pub(super) greeting: Reply,
    /// The form of octet 255 in commands.
    pub(super) escape: TelnetEscape,
    quirks: Quirks,
    /// The number of commands whose final reply has not been read.
    pending: usize,
    /// True while a command is being sent: dropped then, the connection is out of step.
    is_sending: bool,
    /// The code of a reply of several lines whose end has not been read.
    begun: Option<u16>,
    /// True if a command was answered since the connection was idle: an idle one may be closed at any time.
    is_alive: bool,
}

impl Control {
    /// Connects, waits for the greeting, and begins TLS.
    pub(super) async fn open(net: &RequestNet, host: &FtpHost) -> Result<Self, FtpError> {
        match host.tls_mode {
            FtpTlsMode::Plain | FtpTlsMode::Implicit => {
                Self::connect(net, host).await?.greeted(net, host).await
            }
            FtpTlsMode::IfOffered | FtpTlsMode::NoDowngrade | FtpTlsMode::Explicit => {
                let control = Self::connect(net, host).await?.greeted(net, host).await?;
                control.upgrade_to_tls(net, host).await
            }
            FtpTlsMode::Detect => Self::detect_tls(net, host).await,
        }
    }

    /// Connects.
    pub(super) async fn connect(net: &RequestNet, host: &FtpHost) -> Result<Self, FtpError> {
        let authority = host.authority();
        let to_net_error = |source| NetError::io(&authority, source);
        let stream = net.connect(&host.name, host.port).await?;
        let peer = stream.peer_addr().map_err(to_net_error)?;
        let local = stream.local_addr().map_err(to_net_error)?;
        Ok(Self {
            lines: Lines::new(Stream::from(stream), &authority, net.limits()),
            limits: net.limits().clone(),
            peer,
            local,
            escape: TelnetEscape::new(&authority, net.quirks()),
            authority,
            security: Security::Plain,
            tls: None,
            lacks_auth_tls: false,
            greeting: Reply::default(),
            quirks: net.quirks().clone(),
            pending: 0,
            is_sending: false,
            begun: None,
            is_alive: true,
        })
    }

    /// Waits for the greeting, after the TLS handshake if TLS is implicit.
    pub(super) async fn greeted(self, net: &RequestNet, host: &FtpHost) -> Result<Self, FtpError> {
        let mut control = match host.tls_mode {
            FtpTlsMode::Implicit => self.start_tls(net, host).await?,
            _ => self,
        };
        control.greeting = control.read_greeting().await?;
        Ok(control)
    }

    /// Returns true if nothing has arrived since the last reply, not even the end of the connection.
    pub(super) fn is_quiet(&mut self) -> bool {
        self.is_alive = false;
        self.lines.more().now_or_never().is_none()
    }

    /// Waits for the greeting.
    async fn read_greeting(&mut self) -> Result<Reply, FtpError> {
        let wait = WaitMessages {
            timeout: "did not greet",
            closed: "before it greeted",
        };
        for _ in 0..MAX_DELAYS {
            let reply = self.read(wait).await?;
            match (reply.status(), reply.code()) {
                (Status::Ready, _) => return Ok(reply),
                // The server will be ready soon; or a line of the banner looks like a code.
                (_, 100..200) => {}
                (_, 200..300) if self.has_more_lines().await => {}
                (_, 200..300) => return Ok(reply),
                _ => return Err(FtpError::refused("refused the connection", reply)),
            }
        }
        Err(NetError::timeout(&self.authority, wait.timeout, self.limits.idle).into())
    }

    /// Sends AUTH TLS and does the handshake.
    pub(super) async fn upgrade_to_tls(
        mut self,
        net: &RequestNet,
        host: &FtpHost,
    ) -> Result<Self, FtpError> {
        let reply = self.ask("AUTH", Some(b"TLS"), "nothing").await?;
        if reply.status() != Status::AuthOk {
            self.lacks_auth_tls = matches!(reply.code(), 500 | 502 | 504);
            let recorded = match host.tls_mode {
                FtpTlsMode::Plain | FtpTlsMode::IfOffered => None,
                FtpTlsMode::NoDowngrade => net.tls_offer(&self.authority).await,
                FtpTlsMode::Explicit | FtpTlsMode::Implicit | FtpTlsMode::Detect => {
                    return Err(FtpError::Insecure {
                        problem: "does not support TLS (AUTH TLS)",
                        reply,
                        login: Login::NotYet,
                    });
                }
            };
            return match recorded {
                None => Ok(self),
                Some(recorded) if self.retracts(net, recorded.evidence).await => Ok(self),
                Some(RecordedOffer { offer, .. }) => Err(FtpError::Withdrawn { offer, reply }),
            };
        }
        if self.lines.is_ahead() {
            // An attacker in the middle may have written this to have it read as if it came over TLS.
            let problem = "sent more than its reply to AUTH TLS, which may have been injected";
            return Err(FtpError::refused(problem, reply));
        }
        net.record_tls_offer(&self.authority).await;
        self.start_tls(net, host).await
    }

    /// Returns true if the server still announces the AUTH TLS that it does not have, and never accepted it: then it is
    /// a mistake of the server, and not somebody who removes the offer.
    async fn retracts(&mut self, net: &RequestNet, evidence: OfferEvidence) -> bool {
        if !self.lacks_auth_tls || evidence == OfferEvidence::Accepted {
            return false;
        }
        let Ok(features) = self.ask("FEAT", None, "nothing").await else {
            return false;
        };
        self.record_announcement(net, &features).await;
        features.announces_tls()
    }

    /// Records the announcement of TLS in a reply to FEAT, or that it is none.
    pub(super) async fn record_announcement(&self, net: &RequestNet, features: &Reply) {
        if self.security.is_encrypted() || !features.announces_tls() {
            return;
        }
        if self.lacks_auth_tls {
            net.retract_tls_announcement(&self.authority).await;
        } else {
            net.record_tls_announcement(&self.authority).await;
        }
    }

    /// Does the TLS handshake.
    async fn start_tls(self, net: &RequestNet, host: &FtpHost) -> Result<Self, FtpError> {
        let Some(stream) = self.lines.into_stream().into_plain() else {
            return Err(FtpError::Malformed {
                authority: self.authority,
                line: Vec::new(),
            });
        };
        let handshake = net.start_tls_first(stream, &host.name, host.port, &host.trust);
        let (stream, security, tls) = handshake.await?;
        Ok(Self {
            lines: Lines::new(stream, &self.authority, &self.limits),
            security,
            tls: Some(Arc::new(tls)),
            ..self
        })
    }

    /// Sends `verb` and its argument, an empty one included, and waits for the final reply. `what` names the argument
    /// in the error that refuses it.
    pub(super) async fn ask(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        let reply = self.ask_once(verb, argument, what).await?;
        if !self.escape.first(argument, &reply) {
            return Ok(reply);
        }
        let second = self.ask_once(verb, argument, what).await?;
        let is_known = self.escape.second(&second);
        let is_last = second.status() == Status::NotAvailable;
        Ok(if is_known || is_last { second } else { reply })
    }

    /// Sends a command that is not necessary, like [`Control::ask`]. Where the server hangs up at it, or does not
    /// answer it within `silence`, the connection is of no more use, and the next one does not send it: the reply is
    /// 502 then.
    pub(super) async fn ask_optional(
        &mut self,
        verb: &'static str,
        argument: Option<&[u8]>,
        (what, silence): (&'static str, Option<Duration>),
    ) -> Result<Reply, FtpError> {
        if self.is_unanswered(verb) {
            return Ok(Reply::new(b"502 Not sent\r\n".to_vec()));
        }
        let silence = silence.filter(|silence| *silence <= self.limits.idle);
        let is_alive = self.is_alive;
        let asking = self.ask(verb, argument, what);
        let answered = match silence {
            None => asking.await,
            Some(silence) => match timeout(silence, asking).await {
                Ok(answered) => answered,
                Err(_) => {
                    Err(NetError::timeout(&self.authority, REPLY_WAIT.timeout, silence).into())
                }
            },
        };
        let answered = match answered {
            // A goodbye at the command is a lost connection, too.
            Ok(reply) if reply.status() == Status::NotAvailable => {
                let authority = self.authority.clone();
                let when = "at the command";
                Err(NetError::Closed { authority, when }.into())
            }
            answered => answered,
        };
        match answered {
            Err(FtpError::Net(error)) if error.is_closed() || silence.is_some() => {
                if is_alive {
                    return Err(self.not_answered(verb, error));
                }
                Err(FtpError::Unanswered { quirk: None, error })
            }
            answered => answered,
        }
    }

    /// Returns true if the server was found not to answer a command.
    pub(super) fn is_unanswered(&self, verb: &'static str) -> bool {
        self.quirks
            .contains(&self.authority, Quirk::Unanswered(verb))
    }

    /// Converts the error of a command that is not necessary: where the server hung up at it, or was silent, the next
    /// connection does not send it.
    pub(super) fn unanswered(&self, verb: &'static str, error: FtpError) -> FtpError {
        match error {
            FtpError::Net(error @ NetError::Timeout { .. }) => self.not_answered(verb, error),
            FtpError::Net(error) if error.is_closed() => self.not_answered(verb, error),
            error => error,
        }
    }

    fn not_answered(&self, verb: &'static str, error: NetError) -> FtpError {
        let quirk = Quirk::Unanswered(verb);
        trace::note(
            &self.authority,
            format_args!("{verb} is not answered: {error}"),
        );
        self.quirks.insert(&self.authority, quirk);
        FtpError::Unanswered {
            quirk: Some(quirk),
            error,
        }
    }

    async fn ask_once(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        let mut reply = self.begin(verb, argument, what).await?;
        // A preliminary reply is followed by another one.
        for _ in 0..MAX_DELAYS {
            if !reply.is_begun() {
                break;
            }
            reply = self.read(REPLY_WAIT).await?;
        }
        Ok(reply)
    }

    /// Works like [`Control::ask`], but may return a preliminary reply (1yz), and sends the command only once.
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
            self.escape.push(&mut line, argument);
        }
        self.pending += 1;
        self.is_sending = true;
        self.lines.send(&line, what).await?;
        self.is_sending = false;
        let reply = self.read(REPLY_WAIT).await?;
        self.is_alive = true;
        Ok(reply)
    }

    /// Waits until the server says something. The future can be dropped without loss.
    pub(super) async fn more(&mut self) -> Result<(), NetError> {
        self.lines.more().await
    }

    /// Reads the reply that has begun to arrive while data is awaited.
    pub(super) async fn reply(&mut self) -> Result<Reply, FtpError> {
        self.read(REPLY_WAIT).await
    }

    /// Waits for the reply at the end of a transfer.
    pub(super) async fn completion(&mut self, deadline: Duration) -> Result<Reply, FtpError> {
        let wait = WaitMessages {
            timeout: "did not report the end of the transfer",
            closed: "before it reported the end of the transfer",
        };
        let reply = timeout(deadline, self.final_reply()).await;
        self.with_messages(reply, wait, deadline)
    }

    /// Reads the first reply that is not preliminary (RFC 959, section 4.2): pure-ftpd reports the size of a transfer
    /// under the preliminary code again.
    async fn final_reply(&mut self) -> Result<Reply, FtpError> {
        loop {
            let reply = self.read_lines().await?;
            if !reply.is_begun() {
                return Ok(reply);
            }
        }
    }

    /// Reads a whole reply within the deadline.
    async fn read(&mut self, wait: WaitMessages) -> Result<Reply, FtpError> {
        let deadline = self.limits.idle;
        let reply = timeout(deadline, self.read_lines()).await;
        self.with_messages(reply, wait, deadline)
    }

    /// Returns the result of a wait; errors get the messages of `wait`.
    fn with_messages(
        &self,
        reply: Result<Result<Reply, FtpError>, Elapsed>,
        wait: WaitMessages,
        deadline: Duration,
    ) -> Result<Reply, FtpError> {
        match reply {
            Ok(Err(FtpError::Net(NetError::Closed { .. }))) => {
                Err(NetError::closed(&self.authority, wait.closed).into())
            }
            Ok(Err(FtpError::Net(NetError::Timeout { .. }))) | Err(_) => {
                Err(NetError::timeout(&self.authority, wait.timeout, deadline).into())
            }
            Ok(reply) => reply,
        }
    }

    /// Returns true if replies are under way that can be read to their end.
    pub(super) fn is_mid_reply(&self) -> bool {
        self.pending > 0 && !self.is_sending
    }

    /// Reads the replies under way to their end and drops them. Returns false if they are longer than `most` octets, or
    /// malformed.
    pub(super) async fn drain(&mut self, most: usize) -> bool {
        let mut count = 0;
        // The end of a reply of several lines whose beginning was read.
        while let Some(code) = self.begun {
            let Ok(line) = self.lines.line().await else {
                return false;
            };
            count += line.len();
            if code_prefix(&line) == Some((code, false)) {
                self.end_reply(code);
            }
            if count > most {
                return false;
            }
        }
        while self.pending > 0 {
            let Ok(reply) = self.read_lines().await else {
                return false;
            };
            count += reply.lines().map(<[u8]>::len).sum::<usize>();
            if count > most || reply.status() == Status::NotAvailable {
                return false;
            }
        }
        true
    }

    /// Counts a reply that was read to its end.
    fn end_reply(&mut self, code: u16) {
        self.begun = None;
        if !(100..200).contains(&code) {
            self.pending = self.pending.saturating_sub(1);
        }
    }

    /// Reads lines up to the one that ends the reply.
    async fn read_lines(&mut self) -> Result<Reply, FtpError> {
        let mut octets = Vec::new();
        let mut first = self.lines.line().await?;
        while first.trim_ascii().is_empty() {
            // Some servers send blank lines first.
            first = self.lines.line().await?;
        }
        let Some((code, mut is_continued)) = code_prefix(&first) else {
            return Err(FtpError::Malformed {
                authority: self.authority.clone(),
                line: first,
            });
        };
        push(&mut octets, &first);
        self.begun = is_continued.then_some(code);
        while is_continued {
            let line = self.lines.line().await?;
            push(&mut octets, &line);
            if octets.len() > MAX_REPLY_BYTES {
                return Err(FtpError::TooLong {
                    authority: self.authority.clone(),
                    limit: MAX_REPLY_BYTES,
                });
            }
            is_continued = match code_prefix(&line) {
                None | Some((_, true)) => true,
                Some((end, false)) if end == code => false,
                // A line of text that looks like a code, or the end of a reply as glFTPd writes it. If no other line
                // follows, it was the end.
                Some((_, false)) => self.has_more_lines().await,
            };
        }
        let reply = Reply::new(octets);
        self.end_reply(reply.code());
        Ok(reply)
    }

    /// Returns true if another line comes soon.
    async fn has_more_lines(&mut self) -> bool {
        let delay = END_OF_REPLY_DELAY.min(self.limits.idle / 4);
        matches!(timeout(delay, self.lines.more()).await, Ok(Ok(())))
    }
}

/// Returns the code at the start of a reply line, and whether more lines follow.
fn code_prefix(line: &[u8]) -> Option<(u16, bool)> {
    let (digits, rest) = line.split_at_checked(3)?;
    let code = parse(digits)?;
    let is_continued = match rest.first() {
        Some(b'-') => true,
        Some(b' ' | b'\t') | None => false,
        Some(_) => return None,
    };
    // RFC 959, section 4.2, and 6yz of RFC 2228.
    (100..700).contains(&code).then_some((code, is_continued))
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

/// The messages for a reply that does not come.
#[derive(Clone, Copy)]
struct WaitMessages {
    timeout: &'static str,
    closed: &'static str,
}

const REPLY_WAIT: WaitMessages = WaitMessages {
    timeout: "did not reply",
    closed: "before it answered",
};
