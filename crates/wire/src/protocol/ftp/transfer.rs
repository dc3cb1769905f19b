//! Transfers over an open data connection.
//!
//! The control connection is read while data is awaited: a server that cannot continue says why (425, 426, 451), and
//! may leave the data connection open. Such a reply ends the transfer as soon as the octets have been read that came
//! before it.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::data::DataConnection;
use super::session::FtpConnection;
use super::{FtpError, Reply};
use crate::net::{self, Limits, NetError, RequestNet, Stream, TransferEnd, within};

/// The longest wait for the final reply of a complete transfer.
const FINAL_REPLY_DELAY: Duration = Duration::from_secs(5);

/// The longest wait for octets that a server sent before its refusal, and for the reasons of a failed data connection.
const REFUSAL_DELAY: Duration = Duration::from_millis(500);

/// The longest wait for the server to open a data connection.
const MAX_ACCEPT_TIME: Duration = Duration::from_secs(10);

/// An open data connection to read from.
#[derive(Debug)]
pub struct Transfer {
    /// The connection, until its end.
    stream: Option<Stream>,
    authority: String,
    /// Octets that were read before, and come first.
    pub(super) ahead: Vec<u8>,
    ending: Ending,
    /// The offset of the first octet in the file.
    offset: u64,
    received: u64,
    end: TransferEnd,
    /// The reset at the end of the connection: the final reply tells whether this was all.
    reset: Option<Box<NetError>>,
}

/// The final reply of a transfer.
#[derive(Debug)]
pub(super) enum Ending {
    /// The reply has not come.
    Awaited,
    /// The reply came instead of a preliminary one, before the data connection was open.
    Early(Reply),
    /// The reply came after a preliminary one.
    Replied(Reply),
    /// The control connection broke.
    Lost,
}

impl Transfer {
    /// Returns the number of octets read so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// Takes the reset at the end of the data connection, if there was one. Devices end so: the final reply tells
    /// whether all octets came.
    pub fn take_reset(&mut self) -> Option<NetError> {
        self.reset.take().map(|reset| *reset)
    }

    /// Returns the end of the data connection, after its last octets. The final reply must confirm it, and an announced
    /// size that was reached confirms it too.
    pub fn end(&self) -> TransferEnd {
        self.end
    }

    /// Returns the offset of the first octet in the file: the requested one, or 0 if the server cannot restart.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the deadlines for the next octets.
    fn limits(&self, net: &RequestNet) -> Limits {
        let mut limits = net.limits().clone();
        let longest = match &self.ending {
            // The server has sent everything: the rest arrives soon or never.
            Ending::Early(_) => FINAL_REPLY_DELAY,
            Ending::Replied(reply) if !reply.is_done() => REFUSAL_DELAY,
            Ending::Awaited | Ending::Replied(_) | Ending::Lost => limits.idle,
        };
        limits.idle = limits.idle.min(longest);
        limits
    }

    /// Converts the result of a read; an empty vector is the end.
    fn check(&mut self, octets: Result<Vec<u8>, NetError>) -> Result<Vec<u8>, NetError> {
        let octets = match (octets, &self.ending) {
            (Err(NetError::Timeout { .. } | NetError::Io { .. }), Ending::Early(_)) => Vec::new(),
            (Err(_), Ending::Replied(reply)) if !reply.is_done() => Vec::new(),
            (Ok(octets), _) => octets,
            (Err(error), _) if error.is_reset() => {
                self.end = TransferEnd::Unconfirmed;
                self.reset = Some(Box::new(error));
                Vec::new()
            }
            (Err(error), _) => {
                self.end = TransferEnd::of(Err(error), false)?;
                Vec::new()
            }
        };
        self.received += octets.len() as u64;
        if octets.is_empty() {
            self.stream = None;
        }
        Ok(octets)
    }
}

impl FtpConnection {
    /// Reads the next octets of a transfer; an empty vector is the end.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn read(
        &mut self,
        net: &RequestNet,
        transfer: &mut Transfer,
    ) -> Result<Vec<u8>, FtpError> {
        if !transfer.ahead.is_empty() {
            return Ok(std::mem::take(&mut transfer.ahead));
        }
        loop {
            let limits = transfer.limits(net);
            let Some(stream) = &mut transfer.stream else {
                return Ok(Vec::new());
            };
            let reading = net::read(stream, &transfer.authority, &limits);
            let octets = match transfer.ending {
                Ending::Awaited => tokio::select! {
                    biased;
                    octets = reading => octets,
                    said = self.control.more() => {
                        transfer.ending = self.ending(said).await?;
                        continue;
                    }
                },
                Ending::Early(_) | Ending::Replied(_) | Ending::Lost => reading.await,
            };
            return Ok(transfer.check(octets)?);
        }
    }

    /// Reads the reply that begins to arrive during a transfer; `said` is the result of waiting for it.
    async fn ending(&mut self, said: Result<(), NetError>) -> Result<Ending, FtpError> {
        if said.is_err() {
            // Firewalls drop control connections that are idle for long. The data may come all the same.
            return Ok(Ending::Lost);
        }
        match self.control.reply().await {
            Ok(reply) if reply.is_begun() => Ok(Ending::Awaited),
            Ok(reply) => Ok(Ending::Replied(reply)),
            Err(FtpError::Net(_)) => Ok(Ending::Lost),
            Err(error) => Err(error),
        }
    }

    /// Waits for the final reply of a transfer without octets, and returns it if it is a refusal.
    ///
    /// # Errors
    /// Any [`FtpError`], also for timeouts and missing replies.
    pub async fn refusal(
        &mut self,
        net: &RequestNet,
        transfer: &mut Transfer,
    ) -> Result<Option<Reply>, FtpError> {
        transfer.stream = None;
        let reply = match std::mem::replace(&mut transfer.ending, Ending::Lost) {
            Ending::Early(reply) | Ending::Replied(reply) => reply,
            Ending::Awaited | Ending::Lost => self.control.completion(net.limits().idle).await?,
        };
        let refusal = (!reply.is_done()).then(|| reply.clone());
        transfer.ending = Ending::Replied(reply);
        Ok(refusal)
    }

    /// Ends a transfer and returns the final reply, which says whether the transfer was complete. `is_all` is true if
    /// all octets have already arrived.
    ///
    /// # Errors
    /// Any [`FtpError`], also for timeouts and missing replies.
    pub async fn finish(
        &mut self,
        net: &RequestNet,
        transfer: Transfer,
        is_all: bool,
    ) -> Result<Reply, FtpError> {
        // Some servers wait until the client closes.
        drop(transfer.stream);
        let idle = net.limits().idle;
        let deadline = if is_all {
            idle.min(FINAL_REPLY_DELAY)
        } else {
            idle
        };
        match transfer.ending {
            Ending::Early(reply) | Ending::Replied(reply) => Ok(reply),
            Ending::Awaited | Ending::Lost => self.control.completion(deadline).await,
        }
    }

    /// Opens the data connection of a command that has begun: waits for the server to connect, and starts TLS. The
    /// inner error is the refusal of a server that cannot open it.
    pub(super) async fn open_data(
        &mut self,
        net: &RequestNet,
        data: DataConnection,
        mut ending: Ending,
        offset: u64,
    ) -> Result<Result<Transfer, Reply>, FtpError> {
        let host = self.control.tls.clone();
        let server = self.control.peer.ip().to_canonical();
        let control_authority = self.control.authority.clone();
        let opening = async move {
            let (stream, authority) = match data {
                DataConnection::Connected(stream, authority) => (stream, authority),
                DataConnection::Listening(listener) => {
                    let stream = accept(net, &listener, server, &control_authority).await?;
                    (stream, control_authority)
                }
            };
            let stream = match &host {
                Some(host) => net.start_tls_additional(stream, host).await?,
                None => Stream::from(stream),
            };
            Ok::<_, FtpError>((stream, authority))
        };
        tokio::pin!(opening);
        let opened = loop {
            tokio::select! {
                biased;
                opened = &mut opening => break opened,
                said = self.control.more(), if matches!(ending, Ending::Awaited) => {
                    ending = self.ending(said).await?;
                    if let Ending::Replied(reply) = &ending && !reply.is_done() {
                        return Ok(Err(reply.clone()));
                    }
                }
            }
        };
        match opened {
            Ok((stream, authority)) => Ok(Ok(Transfer {
                stream: Some(stream),
                authority,
                ahead: Vec::new(),
                ending,
                offset,
                received: 0,
                end: TransferEnd::default(),
                reset: None,
            })),
            Err(FtpError::Net(error)) if matches!(ending, Ending::Awaited) => {
                let said = timeout(REFUSAL_DELAY.min(net.limits().idle), self.control.more()).await;
                match said {
                    Ok(Ok(())) => match self.ending(Ok(())).await? {
                        Ending::Replied(reply) if !reply.is_done() => Ok(Err(reply)),
                        _ => Err(error.into()),
                    },
                    Ok(Err(_)) | Err(_) => Err(error.into()),
                }
            }
            Err(error) => Err(error),
        }
    }
}

/// Accepts the connection of the server; connections from other addresses are closed.
async fn accept(
    net: &RequestNet,
    listener: &TcpListener,
    server: IpAddr,
    authority: &str,
) -> Result<TcpStream, NetError> {
    let accepting = async {
        loop {
            let (stream, from): (TcpStream, SocketAddr) = listener.accept().await?;
            if from.ip().to_canonical() == server {
                return Ok(stream);
            }
        }
    };
    let problem = "did not open the data connection";
    let longest = net.limits().connect.min(MAX_ACCEPT_TIME);
    within(longest, authority, problem, accepting).await
}
