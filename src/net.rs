//! Sockets, and nothing that knows a document.
//!
//! [`Net`] is owned by the loop (or by a subcommand) and lent to every load. It knows the deadlines and caps
//! ([`Limits`]), remembers addresses of names for a while, races a host's addresses against each other, and keeps
//! quiet connections for the next load. Nothing here is static, so a test can have as many as it likes.

pub mod line;

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a name's addresses are believed.
const NAME_LIFE: Duration = Duration::from_mins(5);

/// The head start of one address before the next is tried beside it (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

/// Octets asked of a socket at once.
const READ: usize = 64 * 1024;

/// The deadline of every await and the cap of every buffer.
#[derive(Clone, Debug)]
pub struct Limits {
    /// To look up a name and to connect.
    pub connect: Duration,
    /// Between two arrivals of octets, and for a write to be taken.
    pub idle: Duration,
    /// A reply line, in octets.
    pub line: usize,
    /// A page, in octets; a download has no such cap.
    pub page: u64,
    /// How long a connection is kept for the next load.
    pub keep: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            idle: Duration::from_secs(30),
            line: 64 * 1024,
            page: 512 * 1024 * 1024,
            keep: Duration::from_mins(1),
        }
    }
}

/// What can go wrong between here and a host, as a sentence that names the host.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// The name has no address.
    #[error("{host} is not known: {source}")]
    Unknown {
        /// The name as it was asked for.
        host: String,
        /// The resolver's words.
        source: io::Error,
    },
    /// Nobody listens there.
    #[error("{place} refused the connection: nothing listens on that port")]
    Refused {
        /// `host:port`.
        place: String,
    },
    /// A deadline passed.
    #[error("{place} {deed} within {seconds} s")]
    Late {
        /// `host:port`.
        place: String,
        /// What it did not do: `did not answer`, `sent nothing more`.
        deed: &'static str,
        /// The deadline.
        seconds: u64,
    },
    /// The other end closed where more had to come.
    #[error("{place} closed the connection {when}")]
    Closed {
        /// `host:port`.
        place: String,
        /// `before it answered`, `in the middle of the reply`.
        when: &'static str,
    },
    /// A reply line, or a block, that goes past its cap.
    #[error("{place} sent a line of more than {limit} octets")]
    LongLine {
        /// `host:port`.
        place: String,
        /// The cap.
        limit: usize,
    },
    /// Something that may not be sent was about to be (RFC 1738, section 6).
    #[error("not sent: a line break or NUL stands in {what}")]
    Unsendable {
        /// Which part of the request holds it.
        what: &'static str,
    },
    /// Everything else the operating system says.
    #[error("{place}: {source}")]
    Io {
        /// `host:port`.
        place: String,
        /// The operating system's words.
        source: io::Error,
    },
}

/// The way to the network: limits, remembered names, kept connections.
#[derive(Default)]
pub struct Net {
    limits: Limits,
    names: Mutex<HashMap<(String, u16), Known>>,
    kept: Mutex<Vec<Kept>>,
}

/// The addresses of a name, and since when they are known.
type Known = (Instant, Vec<SocketAddr>);

/// A connection between two loads.
struct Kept {
    place: String,
    since: Instant,
    kind: TypeId,
    connection: Box<dyn Any + Send>,
}

impl Net {
    /// A network with these limits and nothing remembered.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    /// The deadlines and caps in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Connects to the first address of `host` that answers; a later one starts 250 ms after the one before it.
    ///
    /// # Errors
    /// [`NetError::Unknown`], [`NetError::Refused`], [`NetError::Late`] or [`NetError::Io`], of the first address.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, NetError> {
        let place = place(host, port);
        let late = |deed| NetError::Late {
            place: place.clone(),
            deed,
            seconds: self.limits.connect.as_secs(),
        };
        let addresses = timeout(self.limits.connect, self.look_up(host, port))
            .await
            .map_err(|_| late("was not found by the name service"))??;
        timeout(self.limits.connect, race(&addresses))
            .await
            .map_err(|_| late("did not answer"))?
            .map_err(|source| match source.kind() {
                io::ErrorKind::ConnectionRefused => NetError::Refused {
                    place: place.clone(),
                },
                _ => NetError::Io {
                    place: place.clone(),
                    source,
                },
            })
    }

    /// Connects to one address and port that a server named: a data connection of FTP. `place` is for the sentences.
    ///
    /// # Errors
    /// [`NetError::Refused`], [`NetError::Late`] or [`NetError::Io`].
    pub async fn connect_to(
        &self,
        address: SocketAddr,
        place: &str,
    ) -> Result<TcpStream, NetError> {
        timeout(self.limits.connect, race(&[address]))
            .await
            .map_err(|_| NetError::Late {
                place: place.to_owned(),
                deed: "did not answer",
                seconds: self.limits.connect.as_secs(),
            })?
            .map_err(|source| match source.kind() {
                io::ErrorKind::ConnectionRefused => NetError::Refused {
                    place: place.to_owned(),
                },
                _ => NetError::Io {
                    place: place.to_owned(),
                    source,
                },
            })
    }

    async fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        let key = (host.to_ascii_lowercase(), port);
        {
            let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((since, addresses)) = names.get(&key)
                && since.elapsed() < NAME_LIFE
            {
                return Ok(addresses.clone());
            }
        }
        let unknown = |source| NetError::Unknown {
            host: host.to_owned(),
            source,
        };
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port))
            .await
            .map_err(unknown)?
            .collect();
        if found.is_empty() {
            return Err(unknown(io::Error::new(
                io::ErrorKind::NotFound,
                "the name has no address",
            )));
        }
        let addresses = interleave(&found);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(key, (Instant::now(), addresses.clone()));
        Ok(addresses)
    }

    /// A kept connection to `place` of this type, if one is still young enough; the caller tries it and dials anew
    /// when the other end has gone.
    pub fn take<C: Send + 'static>(&self, place: &str) -> Option<C> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.since.elapsed() < self.limits.keep);
        let at = kept
            .iter()
            .rposition(|entry| entry.kind == TypeId::of::<C>() && entry.place == place)?;
        kept.remove(at)
            .connection
            .downcast()
            .ok()
            .map(|connection| *connection)
    }

    /// Keeps a connection whose dialogue is at rest. Never one after a fault, a deadline or a stop: its replies would
    /// answer the wrong question.
    pub fn keep<C: Send + 'static>(&self, place: &str, connection: C) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|entry| entry.since.elapsed() < self.limits.keep);
        kept.push(Kept {
            place: place.to_owned(),
            since: Instant::now(),
            kind: TypeId::of::<C>(),
            connection: Box::new(connection),
        });
    }
}

/// `host:port`, as sentences name it.
pub fn place(host: &str, port: u16) -> String {
    if host.contains(':') {
        return format!("[{host}]:{port}");
    }
    format!("{host}:{port}")
}

/// Reads what has arrived, at most 64 KiB, within the idle deadline; empty at the end of the stream.
///
/// # Errors
/// [`NetError::Late`] or [`NetError::Io`].
pub async fn read<S: AsyncRead + Unpin>(
    stream: &mut S,
    place: &str,
    limits: &Limits,
) -> Result<Vec<u8>, NetError> {
    let mut octets = Vec::with_capacity(READ);
    match timeout(limits.idle, stream.read_buf(&mut octets)).await {
        Ok(Ok(_)) => Ok(octets),
        Ok(Err(source)) => Err(NetError::Io {
            place: place.to_owned(),
            source,
        }),
        Err(_) => Err(NetError::Late {
            place: place.to_owned(),
            deed: "sent nothing",
            seconds: limits.idle.as_secs(),
        }),
    }
}

/// Writes all of `octets` within the idle deadline.
///
/// # Errors
/// [`NetError::Late`] or [`NetError::Io`].
pub async fn write<S: AsyncWrite + Unpin>(
    stream: &mut S,
    octets: &[u8],
    place: &str,
    limits: &Limits,
) -> Result<(), NetError> {
    let sent = async {
        stream.write_all(octets).await?;
        stream.flush().await
    };
    match timeout(limits.idle, sent).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(source)) => Err(NetError::Io {
            place: place.to_owned(),
            source,
        }),
        Err(_) => Err(NetError::Late {
            place: place.to_owned(),
            deed: "took nothing",
            seconds: limits.idle.as_secs(),
        }),
    }
}

/// Refuses what would end a command early (RFC 1738, section 6): CR, LF or NUL. `what` names the part.
///
/// # Errors
/// [`NetError::Unsendable`].
pub fn sendable(octets: &[u8], what: &'static str) -> Result<(), NetError> {
    if octets
        .iter()
        .any(|octet| matches!(octet, b'\r' | b'\n' | 0))
    {
        Err(NetError::Unsendable { what })
    } else {
        Ok(())
    }
}

/// Families in turn, the resolver's first choice first (RFC 8305, section 4).
fn interleave(found: &[SocketAddr]) -> Vec<SocketAddr> {
    let first_is_v6 = found.first().is_some_and(SocketAddr::is_ipv6);
    let (mut first, mut second): (Vec<_>, Vec<_>) = found
        .iter()
        .copied()
        .partition(|address| address.is_ipv6() == first_is_v6);
    first.reverse();
    second.reverse();
    let mut turns = Vec::with_capacity(found.len());
    while let Some(address) = first.pop() {
        turns.push(address);
        turns.extend(second.pop());
    }
    second.reverse();
    turns.extend(second);
    turns
}

/// The first of `addresses` that takes a connection; the first one's error when none does.
async fn race(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut waiting = addresses.iter();
    let mut running = FuturesUnordered::new();
    let mut error = None;
    if let Some(address) = waiting.next() {
        running.push(TcpStream::connect(*address));
    }
    loop {
        let next = tokio::time::sleep(HEAD_START);
        tokio::select! {
            biased;
            Some(result) = running.next() => match result {
                Ok(stream) => {
                    // Small requests must not wait for an acknowledgement; failing to say so costs only time.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Err(cause) => {
                    error.get_or_insert(cause);
                    match waiting.next() {
                        Some(address) => running.push(TcpStream::connect(*address)),
                        None if running.is_empty() => break,
                        None => {}
                    }
                }
            },
            () = next, if waiting.len() > 0 => {
                running.extend(waiting.next().map(|address| TcpStream::connect(*address)));
            }
            else => break,
        }
    }
    Err(error.unwrap_or_else(|| io::Error::from(io::ErrorKind::AddrNotAvailable)))
}
