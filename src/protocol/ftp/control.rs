//! The control connection: commands out, replies in, each by its deadline.
//!
//! suppaftp carries it and nothing outside this file knows that. It is used for its framing alone (Telnet's 0xFF, the
//! ends of replies, its caps): what a reply means is read elsewhere, from its octets. Known limits of its framing: any
//! line that begins with three digits and a blank ends a reply of many lines, and a reply without text never ends, so
//! that the deadline does. It logs commands, passwords among them: Geomys has no logger, and one that it gets must leave
//! the target `suppaftp` out.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use suppaftp::FtpError as Fault;
use suppaftp::tokio::AsyncRustlsFtpStream;
use suppaftp::types::Response;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::octets::{Octets, carried};
use super::{FtpError, Reply};
use crate::net::{Limits, NetError, sendable};

/// A control connection that has been greeted.
pub(super) struct Control {
    stream: AsyncRustlsFtpStream,
    peer: SocketAddr,
    place: String,
    limits: Limits,
}

impl Control {
    /// Waits for the greeting. `place` is `host:port`, for the sentences.
    pub(super) async fn greeted(
        stream: TcpStream,
        place: &str,
        limits: &Limits,
    ) -> Result<Self, FtpError> {
        let peer = stream.peer_addr().map_err(|source| NetError::Io {
            place: place.to_owned(),
            source,
        })?;
        let greeting = AsyncRustlsFtpStream::connect_with_stream(stream);
        let mut stream = match timeout(limits.idle, greeting).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(Fault::UnexpectedResponse(response))) => {
                return Err(FtpError::Refused {
                    deed: "did not welcome us",
                    reply: Reply::new(response.body),
                });
            }
            Ok(Err(fault)) => return Err(broken(fault, place, "before it greeted")),
            Err(_) => return Err(late(place, "did not greet", limits.idle)),
        };
        stream.set_encoding(Octets).await;
        Ok(Self {
            stream,
            peer,
            place: place.to_owned(),
            limits: limits.clone(),
        })
    }

    /// The address that the connection leads to; data connections go there too.
    pub(super) fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// `host:port`, for the sentences.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Sends `verb` and its argument, an empty one included, and waits for the reply, whatever it is. `what` names the
    /// argument for the sentence that refuses it.
    pub(super) async fn ask(
        &mut self,
        verb: &str,
        argument: Option<&[u8]>,
        what: &'static str,
    ) -> Result<Reply, FtpError> {
        let mut line = verb.to_owned();
        if let Some(argument) = argument {
            sendable(argument, what)?;
            line.push(' ');
            line.push_str(&carried(argument));
        }
        // No code is expected: so every reply comes back whole, and as the same variant.
        let reply = self.stream.custom_command(line, &[]);
        let wait = Wait {
            late: "did not reply",
            closed: "before it answered",
        };
        settle(reply, &self.place, wait, self.limits.idle).await
    }

    /// Waits for a reply that is still to come: the end of a transfer.
    pub(super) async fn reply(&mut self) -> Result<Reply, FtpError> {
        let reply = self.stream.read_response_in(&[]);
        let wait = Wait {
            late: "did not say that the transfer was complete",
            closed: "before it said that the transfer was complete",
        };
        settle(reply, &self.place, wait, self.limits.idle).await
    }
}

/// The words for a reply that does not come.
struct Wait {
    late: &'static str,
    closed: &'static str,
}

async fn settle(
    reply: impl Future<Output = Result<Response, Fault>>,
    place: &str,
    wait: Wait,
    deadline: Duration,
) -> Result<Reply, FtpError> {
    match timeout(deadline, reply).await {
        Ok(Ok(response) | Err(Fault::UnexpectedResponse(response))) => {
            Ok(Reply::new(response.body))
        }
        Ok(Err(fault)) => Err(broken(fault, place, wait.closed)),
        Err(_) => Err(late(place, wait.late, deadline)),
    }
}

fn late(place: &str, deed: &'static str, deadline: Duration) -> FtpError {
    FtpError::Net(NetError::Late {
        place: place.to_owned(),
        deed,
        seconds: deadline.as_secs(),
    })
}

fn broken(fault: Fault, place: &str, when: &'static str) -> FtpError {
    let place = place.to_owned();
    FtpError::Net(match fault {
        Fault::ConnectionError(source) if source.kind() == io::ErrorKind::UnexpectedEof => {
            NetError::Closed { place, when }
        }
        Fault::ConnectionError(source) => NetError::Io { place, source },
        Fault::BadResponse
        | Fault::UnexpectedResponse(_)
        | Fault::SecureError(_)
        | Fault::InvalidAddress(_)
        | Fault::DataConnectionAlreadyOpen => return FtpError::Garbled { place },
    })
}
