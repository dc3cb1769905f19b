//! Direct connections to a host: its addresses are cached for a while and raced against each other.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

use super::{Net, NetError, RequestNet, ResolvedAddresses, ascii_host, authority, within};

/// The time for which a name's addresses are cached.
const NAME_LIFE: Duration = Duration::from_mins(5);

/// The highest number of cached names.
const NAMES: usize = 1024;

/// The head start of one address before the next is tried in parallel (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

impl RequestNet {
    /// Connects like [`Net::dial`] to the addresses that the load may connect to. If none of them answers, the others
    /// need a permission.
    ///
    /// # Errors
    /// Those of [`Net::dial`], and [`NetError::LocalAddress`].
    pub(super) async fn dial_permitted(
        &self,
        host: &str,
        port: u16,
    ) -> Result<TcpStream, NetError> {
        let addresses = self.addresses(host, port).await?;
        self.look_up_naming_host(&addresses).await;
        let (permitted, refused) = self.permitted(host, port, addresses);
        if permitted.is_empty()
            && let Some(error) = refused
        {
            return Err(error);
        }
        let dialled = self.dial_any(&permitted, &authority(host, port)).await;
        dialled.map_err(|error| refused.unwrap_or(error))
    }

    /// A socket for datagrams to the first address of `host`.
    ///
    /// # Errors
    /// Those of [`Net::dial`].
    pub(super) async fn dial_datagrams(
        &self,
        host: &str,
        port: u16,
    ) -> Result<UdpSocket, NetError> {
        let addresses = self.addresses(host, port).await?;
        self.look_up_naming_host(&addresses).await;
        let (addresses, refused) = self.permitted(host, port, addresses);
        if addresses.is_empty()
            && let Some(error) = refused
        {
            return Err(error);
        }
        let io = |source| NetError::io(&authority(host, port), source);
        let first = addresses.first();
        let address = first.ok_or_else(|| io(io::ErrorKind::NotFound.into()))?;
        let own: IpAddr = match address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((own, 0)).await.map_err(io)?;
        socket.connect(address).await.map_err(io)?;
        self.record_reached(host, Some(address.ip()));
        Ok(socket)
    }
}

impl Net {
    /// Connects to the first address of `host` that answers.
    ///
    /// # Errors
    /// [`NetError::Onion`], [`NetError::HostNotFound`], [`NetError::Refused`], [`NetError::Timeout`] or
    /// [`NetError::Io`], of the first address.
    pub(super) async fn dial(&self, host: &str, port: u16) -> Result<TcpStream, NetError> {
        let addresses = self.addresses(host, port).await?;
        self.dial_any(&addresses, &authority(host, port)).await
    }

    /// Connects to the first of `addresses` that answers; `authority` is for error messages.
    pub(super) async fn dial_any(
        &self,
        addresses: &[SocketAddr],
        authority: &str,
    ) -> Result<TcpStream, NetError> {
        let dialled = race(addresses);
        let dialled = within(self.limits.connect, authority, "did not answer", dialled).await;
        dialled.map_err(|error| match error {
            NetError::Io { authority, source }
                if source.kind() == io::ErrorKind::ConnectionRefused =>
            {
                NetError::Refused { authority }
            }
            error => error,
        })
    }

    /// The addresses of a host, looked up within the deadline.
    pub(super) async fn addresses(
        &self,
        host: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, NetError> {
        let deadline = self.limits.connect;
        let found = timeout(deadline, self.look_up(host, port)).await;
        found.unwrap_or_else(|_| {
            let problem = "was not found by the name service";
            Err(NetError::timeout(&authority(host, port), problem, deadline))
        })
    }

    async fn look_up(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, NetError> {
        if is_onion(host) {
            // A query to a name service would reveal the name (RFC 7686, section 2).
            return Err(NetError::Onion {
                host: host.to_owned(),
            });
        }
        let host = &*ascii_host(host)?;
        let key = (host.to_ascii_lowercase(), port);
        {
            let names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((since, addresses)) = names.get(&key)
                && since.elapsed() < NAME_LIFE
            {
                return Ok(addresses.clone());
            }
        }
        let not_found = |source| NetError::HostNotFound {
            host: host.to_owned(),
            source,
        };
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, port))
            .await
            .map_err(not_found)?
            .collect();
        if found.is_empty() {
            let why = "the name has no address";
            return Err(not_found(io::Error::new(io::ErrorKind::NotFound, why)));
        }
        let addresses = interleave(&found);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        remember(&mut names, key, (Instant::now(), addresses.clone()));
        Ok(addresses)
    }
}

/// Caches a name, and removes expired ones; if too many are left, the oldest too.
fn remember(
    names: &mut HashMap<(String, u16), ResolvedAddresses>,
    key: (String, u16),
    resolved: ResolvedAddresses,
) {
    let (now, _) = resolved;
    names.retain(|_, (since, _)| now.saturating_duration_since(*since) < NAME_LIFE);
    while names.len() >= NAMES
        && let Some((oldest, _)) = names.iter().min_by_key(|(_, (since, _))| *since)
    {
        names.remove(&oldest.clone());
    }
    names.insert(key, resolved);
}

/// Returns true for the name of an onion service.
fn is_onion(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let top = host.rsplit('.').next().unwrap_or(host);
    top.eq_ignore_ascii_case("onion")
}

/// Orders addresses by alternating families, the resolver's first choice first (RFC 8305, section 4).
fn interleave(found: &[SocketAddr]) -> Vec<SocketAddr> {
    let first_is_v6 = found.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<SocketAddr>, Vec<SocketAddr>) = found
        .iter()
        .partition(|address| address.is_ipv6() == first_is_v6);
    let mut second = second.into_iter();
    let pairs = first.into_iter().map(|address| (address, second.next()));
    let mut turns: Vec<SocketAddr> = pairs
        .flat_map(|(first, second)| std::iter::once(first).chain(second))
        .collect();
    turns.extend(second);
    turns
}

/// Connects to the first of `addresses` that accepts. If none does, returns the error of the first one to which there
/// is a route.
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
                    // Small requests must not wait for an acknowledgement. If this fails, only time is lost.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Err(cause) => {
                    let is_unrouted = |error: &mut io::Error| {
                        error.kind() == io::ErrorKind::NetworkUnreachable
                    };
                    error.take_if(is_unrouted);
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
            remember(&mut names, (name, 70), (at, Vec::new()));
            let mut left: Vec<_> = names.keys().map(|(name, _)| name.clone()).collect();
            left.sort();
            left
        };
        assert_eq!(add("a".to_owned(), 0), ["a"]);
        assert_eq!(add("b".to_owned(), 200), ["a", "b"]);
        // The first one has expired.
        assert_eq!(add("c".to_owned(), 300), ["b", "c"]);
        for number in 0..NAMES {
            assert!(add(format!("n{number}"), 301).len() <= NAMES);
        }
        let left = add("last".to_owned(), 302);
        assert_eq!(left.len(), NAMES);
        assert!(left.contains(&"last".to_owned()) && !left.contains(&"b".to_owned()));
    }
}
