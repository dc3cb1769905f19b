//! Straight to a host: its addresses, remembered for a while, raced against each other.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

use super::{Known, Net, NetError, place};

/// How long a name's addresses are believed.
const NAME_LIFE: Duration = Duration::from_mins(5);

/// How many names are remembered at most.
const NAMES: usize = 1024;

/// The head start of one address before the next is tried beside it (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

impl Net {
    /// Connects to the first address of `host` that answers.
    ///
    /// # Errors
    /// [`NetError::Onion`], [`NetError::Unknown`], [`NetError::Refused`], [`NetError::Late`] or [`NetError::Io`], of
    /// the first address.
    pub(super) async fn dial(&self, host: &str, port: u16) -> Result<TcpStream, NetError> {
        let place = place(host, port);
        let addresses = timeout(self.limits.connect, self.look_up(host, port))
            .await
            .map_err(|_| NetError::Late {
                place: place.clone(),
                problem: "was not found by the name service",
                seconds: self.limits.connect.as_secs(),
            })??;
        self.dial_any(&addresses, place).await
    }

    /// A socket for datagrams to the first address of `host`.
    ///
    /// # Errors
    /// As [`Net::dial`].
    pub(super) async fn dial_datagrams(
        &self,
        host: &str,
        port: u16,
    ) -> Result<UdpSocket, NetError> {
        let place = place(host, port);
        let late = |_| NetError::Late {
            place: place.clone(),
            problem: "was not found by the name service",
            seconds: self.limits.connect.as_secs(),
        };
        let found = timeout(self.limits.connect, self.look_up(host, port)).await;
        let addresses = found.map_err(late)??;
        let io = |source| NetError::Io {
            place: place.clone(),
            source,
        };
        let Some(address) = addresses.first() else {
            return Err(io(io::Error::from(io::ErrorKind::NotFound)));
        };
        let own: (IpAddr, u16) = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED.into(), 0),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED.into(), 0),
        };
        let socket = UdpSocket::bind(own).await.map_err(io)?;
        socket.connect(address).await.map_err(io)?;
        Ok(socket)
    }

    /// Connects to the first of `addresses` that answers; `place` is for the sentences.
    pub(super) async fn dial_any(
        &self,
        addresses: &[SocketAddr],
        place: String,
    ) -> Result<TcpStream, NetError> {
        match timeout(self.limits.connect, race(addresses)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(source)) if source.kind() == io::ErrorKind::ConnectionRefused => {
                Err(NetError::Refused { place })
            }
            Ok(Err(source)) => Err(NetError::Io { place, source }),
            Err(_) => Err(NetError::Late {
                place,
                problem: "did not answer",
                seconds: self.limits.connect.as_secs(),
            }),
        }
    }

    async fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        if is_onion(host) {
            // To ask a name service would tell who is looked for (RFC 7686, section 2).
            return Err(NetError::Onion {
                host: host.to_owned(),
            });
        }
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
        keep(&mut names, key, (Instant::now(), addresses.clone()));
        Ok(addresses)
    }
}

/// Remembers a name, and forgets those that are believed no more; where too many are left, the oldest too.
fn keep(names: &mut HashMap<(String, u16), Known>, key: (String, u16), known: Known) {
    let (now, _) = known;
    names.retain(|_, (since, _)| now.saturating_duration_since(*since) < NAME_LIFE);
    while names.len() >= NAMES {
        let oldest = names.iter().min_by_key(|(_, (since, _))| *since);
        let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
            break;
        };
        names.remove(&oldest);
    }
    names.insert(key, known);
}

/// Whether a name is one of an onion service.
fn is_onion(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let top = host.rsplit('.').next().unwrap_or(host);
    top.eq_ignore_ascii_case("onion")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_forgotten() {
        let start = Instant::now();
        let mut names = HashMap::new();
        let mut add = |name: String, seconds: u64| {
            let at = start + Duration::from_secs(seconds);
            keep(&mut names, (name, 70), (at, Vec::new()));
            let mut kept: Vec<_> = names.keys().map(|(name, _)| name.clone()).collect();
            kept.sort();
            kept
        };
        assert_eq!(add("a".to_owned(), 0), ["a"]);
        assert_eq!(add("b".to_owned(), 200), ["a", "b"]);
        // The first has been believed for long enough.
        assert_eq!(add("c".to_owned(), 300), ["b", "c"]);
        for number in 0..NAMES {
            assert!(add(format!("n{number}"), 301).len() <= NAMES);
        }
        let kept = add("last".to_owned(), 302);
        assert_eq!(kept.len(), NAMES);
        assert!(kept.contains(&"last".to_owned()) && !kept.contains(&"b".to_owned()));
    }
}
