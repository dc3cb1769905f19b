//! Data connections: how they come about, and what goes over them (RFC 959 section 3.2, RFC 2428, RFC 4217 section 9).
//!
//! EPSV comes first, then PASV, of whose reply only the port counts, so that no server sends anybody elsewhere. Where
//! neither leads anywhere and the settings allow it, the server dials: EPRT or PORT, and only its own address is let in.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use suppaftp::Status;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::listing::Format;
use super::session::{Offer, Session, present};
use super::{FtpError, Reply, Representation};
use crate::net::{self, Net, NetError, Stream, place};

/// How long the last word of a transfer is waited for that is known to be whole.
const PATIENCE: Duration = Duration::from_secs(5);

/// The answer to a listing or a fetch.
#[derive(Debug)]
pub enum Answer {
    /// Octets are coming.
    Transfer(Transfer),
    /// There is nothing in the directory.
    Empty,
    /// The server said no; the session goes on.
    Refused(Reply),
}

/// A data connection with octets to read.
#[derive(Debug)]
pub struct Transfer {
    stream: Stream,
    place: String,
    /// The reply of a server that said at once that it was done.
    replied: Option<Reply>,
    /// The first octet of the file that comes.
    offset: u64,
    received: u64,
    is_cut: bool,
}

impl Transfer {
    /// What has arrived; empty at the end.
    ///
    /// # Errors
    /// [`NetError::Late`] or [`NetError::Io`].
    pub async fn read(&mut self, net: &Net) -> Result<Vec<u8>, NetError> {
        let mut limits = net.limits().clone();
        if self.replied.is_some() {
            // It is done: what it has sent is here, or never was.
            limits.idle = limits.idle.min(PATIENCE);
        }
        let octets = match net::read(&mut self.stream, &self.place, &limits).await {
            Err(NetError::Late { .. } | NetError::Io { .. }) if self.replied.is_some() => {
                Vec::new()
            }
            // Whether that was all is known at the end.
            Err(NetError::Cut { .. }) => {
                self.is_cut = true;
                Vec::new()
            }
            octets => octets?,
        };
        self.received += octets.len() as u64;
        Ok(octets)
    }

    /// Octets read so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Whether TLS was not ended, so that somebody may have cut it.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The first octet of the file that comes: what was asked for, or 0 where the server cannot do that.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// A data connection that is about to be.
enum Way {
    Dialled(TcpStream, String),
    Awaited(TcpListener),
}

/// A data connection and where it leads, or why there is none.
type Dialled = Result<(TcpStream, String), FtpError>;

impl Session {
    /// Lists the working directory: by MLSD where it is offered, else by LIST, else by NLST. The form is told where it
    /// follows from the command.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn list(&mut self, net: &Net) -> Result<(Answer, Option<Format>), FtpError> {
        self.represent(Representation::Ascii).await?;
        if self.facts == Offer::Open {
            match self.transfer(net, "MLSD", None, 0).await? {
                Answer::Refused(reply) if reply.is_unknown_command() => {
                    self.facts = Offer::Declined;
                }
                // LIST may know better, or say it better.
                Answer::Refused(_) => {}
                answer => return Ok((answer, Some(Format::Facts))),
            }
        }
        match self.transfer(net, "LIST", None, 0).await? {
            Answer::Refused(reply) if is_empty(&reply) => Ok((Answer::Empty, None)),
            Answer::Refused(reply) if reply.is_unknown_command() => {
                match self.transfer(net, "NLST", None, 0).await? {
                    Answer::Refused(reply) if is_empty(&reply) => Ok((Answer::Empty, None)),
                    answer => Ok((answer, Some(Format::Names))),
                }
            }
            answer => Ok((answer, None)),
        }
    }

    /// NLST of the working directory, or of a name (RFC 1738, section 3.2.2), which may be a pattern of the server's.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn names(&mut self, net: &Net, name: Option<&[u8]>) -> Result<Answer, FtpError> {
        self.represent(Representation::Ascii).await?;
        let name = name.map(guarded);
        self.transfer(net, "NLST", name.as_deref(), 0).await
    }

    /// Fetches a file, from the octet `offset` on where the server can do that.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn fetch(
        &mut self,
        net: &Net,
        name: &[u8],
        representation: Representation,
        offset: u64,
    ) -> Result<Answer, FtpError> {
        self.represent(representation).await?;
        self.transfer(net, "RETR", Some(name), offset).await
    }

    /// The end of a transfer: the reply that says whether all of it came. `is_all` when that is known anyhow.
    ///
    /// # Errors
    /// Any [`FtpError`]; late and missing replies among them.
    pub async fn finish(
        &mut self,
        net: &Net,
        transfer: Transfer,
        is_all: bool,
    ) -> Result<Reply, FtpError> {
        // Some servers wait for our end to close.
        drop(transfer.stream);
        let idle = net.limits().idle;
        let patience = if is_all { idle.min(PATIENCE) } else { idle };
        match transfer.replied {
            Some(reply) => Ok(reply),
            None => self.control.completion(patience).await,
        }
    }

    async fn transfer(
        &mut self,
        net: &Net,
        verb: &str,
        argument: Option<&[u8]>,
        offset: u64,
    ) -> Result<Answer, FtpError> {
        let way = self.way(net).await?;
        let offset = match offset {
            0 => 0,
            // Right before the command it is for, as some forget it else.
            offset => {
                let digits = offset.to_string();
                let reply = self.ask("REST", Some(digits.as_bytes()), "nothing").await?;
                if reply.status() == Status::RequestFilePending {
                    offset
                } else {
                    0
                }
            }
        };
        let reply = present(self.control.begin(verb, argument, "the path").await?)?;
        if !reply.is_begun() && !reply.is_done() {
            return Ok(Answer::Refused(reply));
        }
        let (stream, place) = match way {
            Way::Dialled(stream, place) => (stream, place),
            Way::Awaited(listener) => {
                let stream = self.admit(net, &listener).await?;
                (stream, self.control.place().to_owned())
            }
        };
        let stream = match &self.control.tls {
            Some(host) => net.secure_beside(stream, host).await?,
            None => Stream::Plain(stream),
        };
        Ok(Answer::Transfer(Transfer {
            stream,
            place,
            replied: reply.is_done().then_some(reply),
            offset,
            received: 0,
            is_cut: false,
        }))
    }

    /// A data connection, or somewhere to wait for one.
    async fn way(&mut self, net: &Net) -> Result<Way, FtpError> {
        match self.dial(net).await? {
            Ok((stream, place)) => Ok(Way::Dialled(stream, place)),
            Err(_) if self.active == Offer::Open && net.is_straight() => {
                Ok(Way::Awaited(self.listen().await?))
            }
            Err(error) => Err(error),
        }
    }

    /// EPSV (RFC 2428), then PASV, which can name nothing but IPv4. The inner error leaves the session at rest.
    async fn dial(&mut self, net: &Net) -> Result<Dialled, FtpError> {
        let peer = self.control.peer();
        let (mut missed, mut declined) = (None, None);
        if self.extended == Offer::Open {
            let reply = self.ask("EPSV", None, "nothing").await?;
            if let Some(port) = reply.extended_port() {
                match net.connect_beside(peer, &self.host, port).await {
                    Ok(stream) => return Ok(Ok((stream, place(&self.host, port)))),
                    // Something between here and there may know only PASV.
                    Err(error) => missed = Some(FtpError::Net(error)),
                }
            } else {
                declined = Some(reply);
            }
            self.extended = Offer::Declined;
        }
        if peer.is_ipv6() && net.is_straight() {
            // It has no other way than the first.
            self.extended = Offer::Open;
            let problem = "offers no data connection";
            let reply = declined.unwrap_or_default();
            return Ok(Err(missed.unwrap_or(FtpError::Refused { problem, reply })));
        }
        let reply = self.ask("PASV", None, "nothing").await?;
        let Some(port) = reply.passive_port() else {
            let problem = "offers no data connection";
            return Ok(Err(missed.unwrap_or(FtpError::Refused { problem, reply })));
        };
        let dialled = net.connect_beside(peer, &self.host, port).await;
        Ok(dialled
            .map(|stream| (stream, place(&self.host, port)))
            .map_err(FtpError::Net))
    }

    /// EPRT, or PORT for those who do not know it.
    async fn listen(&mut self) -> Result<TcpListener, FtpError> {
        let here = self.control.local().ip().to_canonical();
        let broken = |source| NetError::Io {
            place: here.to_string(),
            source,
        };
        let listener = TcpListener::bind((here, 0)).await.map_err(broken)?;
        let port = listener.local_addr().map_err(broken)?.port();
        let family = if here.is_ipv4() { 1 } else { 2 };
        let extended = format!("|{family}|{here}|{port}|");
        let mut reply = self
            .ask("EPRT", Some(extended.as_bytes()), "nothing")
            .await?;
        if let (false, IpAddr::V4(here)) = (reply.is_done(), here) {
            let [a, b, c, d] = here.octets();
            let [high, low] = port.to_be_bytes();
            let numbers = format!("{a},{b},{c},{d},{high},{low}");
            reply = self
                .ask("PORT", Some(numbers.as_bytes()), "nothing")
                .await?;
        }
        if reply.is_done() {
            return Ok(listener);
        }
        let problem = "offers no data connection, and dials none";
        Err(FtpError::Refused { problem, reply })
    }

    /// The connection that the server dials; anybody else's is closed.
    async fn admit(&self, net: &Net, listener: &TcpListener) -> Result<TcpStream, NetError> {
        let place = self.control.place();
        let server = self.control.peer().ip().to_canonical();
        let arrival = async {
            loop {
                let (stream, from): (TcpStream, SocketAddr) = listener.accept().await?;
                if from.ip().to_canonical() == server {
                    return Ok(stream);
                }
            }
        };
        match timeout(net.limits().connect, arrival).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(source)) => Err(NetError::Io {
                place: place.to_owned(),
                source,
            }),
            Err(_) => Err(NetError::Late {
                place: place.to_owned(),
                problem: "did not dial the data connection",
                seconds: net.limits().connect.as_secs(),
            }),
        }
    }
}

/// A name that begins like an option of `ls` is not taken for one.
fn guarded(name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"-") {
        [b"./", name].concat()
    } else {
        name.to_vec()
    }
}

/// Whether a refused listing means that there is nothing to list: many servers have no other words for it.
fn is_empty(reply: &Reply) -> bool {
    let is_refusal = matches!(
        reply.status(),
        Status::RequestFileActionIgnored | Status::FileUnavailable
    );
    is_refusal
        && reply.says(&[
            b"no files",
            b"no such file",
            b"not found",
            b"no members",
            b"no data sets",
            b"no entries",
            b"empty",
        ])
}
