//! Prospero: a directory service whose links lead to objects on other servers (RFC 1738, section 3.11; protocol version
//! 5).
//!
//! ```text
//! request  = "VERSION 5" LF "AUTHENTICATE '' UNAUTHENTICATED" user LF command
//! command  = "DIRECTORY ASCII" name [ version ] LF "LIST ATTRIBUTES COMPONENTS" LF
//!          / "GET-OBJECT-INFO" attributes "ASCII" name version LF
//! response = *( line LF )
//! ```
//!
//! The transport is ARDP over datagrams, which numbers, acknowledges and repeats them: see `ardp.rs`. Left out:
//! authentication by more than a name, changes to directories, redirects of the transport.

pub mod ardp;
mod reply;

use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use self::ardp::{DatagramResult, Exchange};
use self::reply::word;
pub use self::reply::{Attribute, Forwarding, Link, ProsperoRefusal, ProsperoReply};
use crate::net::{Limits, NetError, sendable};

/// The port of Prospero (RFC 1738, section 3.11).
pub const PORT: u16 = 1525;

/// The wait for a reply before the request is repeated; it doubles each time.
const RETRY_DELAY: Duration = Duration::from_secs(4);

/// The number of times a request is sent.
const TRIES: u32 = 3;

/// The largest datagram, in octets.
const DATAGRAM: usize = 64 * 1024;

/// An error of a dialogue.
#[derive(Debug, thiserror::Error)]
pub enum ProsperoError {
    /// The connection failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The reply is no valid Prospero reply.
    #[error("{0} did not answer as a Prospero server")]
    Malformed(String),
    /// The server refused the request.
    #[error("{0} refused the connection")]
    Refused(String),
    /// The reply is longer than its cap.
    #[error("{0} sent a reply that is too long")]
    TooLong(String),
}

/// Returns the request that lists the links of a directory.
///
/// # Errors
/// [`NetError::Unsendable`].
pub fn list(name: &[u8], version: Option<&[u8]>) -> Result<Vec<u8>, NetError> {
    let mut request = begin();
    request.extend_from_slice(b"DIRECTORY ASCII ");
    push(&mut request, name)?;
    if let Some(version) = version {
        request.push(b' ');
        push(&mut request, version)?;
    }
    request.extend_from_slice(b"\nLIST ATTRIBUTES COMPONENTS\n");
    Ok(request)
}

/// Returns the request for the attributes or the contents of an object. All attributes are requested, since servers
/// fail when only the access methods are requested.
///
/// # Errors
/// [`NetError::Unsendable`].
pub fn object_info(
    part: ObjectPart,
    name: &[u8],
    version: Option<&[u8]>,
) -> Result<Vec<u8>, NetError> {
    let mut request = begin();
    request.extend_from_slice(match part {
        ObjectPart::Attributes => b"GET-OBJECT-INFO #ALL ASCII ".as_slice(),
        ObjectPart::Contents => b"GET-OBJECT-INFO CONTENTS ASCII ",
    });
    push(&mut request, name)?;
    request.push(b' ');
    push(&mut request, version.unwrap_or(b"0"))?;
    request.push(b'\n');
    Ok(request)
}

/// The part of an object to request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectPart {
    /// The attributes.
    Attributes,
    /// The contents, if they are stored on the server itself.
    Contents,
}

fn begin() -> Vec<u8> {
    b"VERSION 5 Geomys\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n".to_vec()
}

fn push(request: &mut Vec<u8>, argument: &[u8]) -> Result<(), NetError> {
    sendable(argument, "the name of the object")?;
    request.extend(word(argument));
    Ok(())
}

/// Sends `request` over a socket that is connected to `authority`, and reads the whole reply.
///
/// # Errors
/// [`ProsperoError`].
pub async fn ask(
    socket: &UdpSocket,
    request: &[u8],
    id: u16,
    authority: &str,
    limits: &Limits,
) -> Result<ProsperoReply, ProsperoError> {
    let io = |source| NetError::io(authority, source);
    let name = || authority.to_owned();
    let mut exchange = Exchange::new(id);
    let mut delay = RETRY_DELAY.min(limits.idle);
    let mut octets = vec![0; DATAGRAM];
    let end = Instant::now() + limits.idle * TRIES;
    for _ in 0..TRIES {
        for packet in ardp::packets(id, request) {
            socket.send(&packet).await.map_err(io)?;
        }
        let mut until = (Instant::now() + delay).min(end);
        delay *= 2;
        while let Ok(received) = timeout_at(until, socket.recv(&mut octets)).await {
            let length = match received {
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    let authority = name();
                    return Err(NetError::Refused { authority }.into());
                }
                Err(error) => return Err(io(error).into()),
            };
            let result = exchange.receive(octets.get(..length).unwrap_or_default());
            if let Some(acknowledgement) = exchange.acknowledgement() {
                socket.send(&acknowledgement).await.map_err(io)?;
            }
            match result {
                DatagramResult::Whole(text) => {
                    let reply = ProsperoReply::parse(&text);
                    return reply.ok_or_else(|| ProsperoError::Malformed(name()));
                }
                DatagramResult::Refused => return Err(ProsperoError::Refused(name())),
                DatagramResult::Malformed => return Err(ProsperoError::Malformed(name())),
                DatagramResult::TooLong => return Err(ProsperoError::TooLong(name())),
                // The reply is arriving: the wait for the rest starts again.
                DatagramResult::Partial => until = (Instant::now() + delay).min(end),
                DatagramResult::Wait(seconds) => {
                    let wait = Duration::from_secs(u64::from(seconds));
                    until = (Instant::now() + wait.max(delay)).min(end);
                }
                DatagramResult::Ignored => {}
            }
        }
    }
    Err(NetError::timeout(authority, "did not answer", limits.idle).into())
}
