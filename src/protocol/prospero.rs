//! Prospero: a directory service whose links lead to objects on other servers (RFC 1738, section 3.11; protocol version 5).
//!
//! ```text
//! request  = "VERSION 5" LF "AUTHENTICATE '' UNAUTHENTICATED" user LF command
//! command  = "DIRECTORY ASCII" name [ version ] LF "LIST ATTRIBUTES COMPONENTS" LF
//!          / "GET-OBJECT-INFO" attributes "ASCII" name version LF
//! response = *( line LF )
//! ```
//!
//! It is spoken over datagrams that are told apart, acknowledged and sent again by ARDP: see `ardp.rs`. Left out:
//! authentication by more than a name, changes to directories, redirections of the transport.

pub mod ardp;
mod reply;
mod words;

use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use self::ardp::{Exchange, Taken};
pub use self::reply::{Answer, Attribute, Link, Refusal};
use self::words::word;
use crate::net::{Limits, NetError, sendable};

/// The port of Prospero (RFC 1738, section 3.11).
pub const PORT: u16 = 1525;

/// How long an answer is waited for before the question is sent again; twice as long each time.
const PATIENCE: Duration = Duration::from_secs(4);

/// How often a question is sent.
const TRIES: u32 = 3;

/// The largest datagram.
const DATAGRAM: usize = 64 * 1024;

/// Why a dialogue ended.
#[derive(Debug, thiserror::Error)]
pub enum ProsperoError {
    /// The network.
    #[error(transparent)]
    Net(#[from] NetError),
    /// What came is no answer.
    #[error("{0} does not answer as a Prospero server does")]
    Odd(String),
    /// The server does not want to.
    #[error("{0} refused to talk")]
    Refused(String),
    /// More came than is believed.
    #[error("{0} sent more than an answer can be")]
    Long(String),
}

/// What lists the links of a directory.
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

/// What tells of an object: all its attributes, since servers fail when they are asked for the ways to it alone; or
/// what is in it.
///
/// # Errors
/// [`NetError::Unsendable`].
pub fn look(what: Look, name: &[u8], version: Option<&[u8]>) -> Result<Vec<u8>, NetError> {
    let mut request = begin();
    request.extend_from_slice(match what {
        Look::Attributes => b"GET-OBJECT-INFO #ALL ASCII ".as_slice(),
        Look::Contents => b"GET-OBJECT-INFO CONTENTS ASCII ",
    });
    push(&mut request, name)?;
    request.push(b' ');
    push(&mut request, version.unwrap_or(b"0"))?;
    request.push(b'\n');
    Ok(request)
}

/// What is asked of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Its attributes.
    Attributes,
    /// Its contents, where the server itself holds them.
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

/// Asks `request` over a socket that is connected to `place`, and reads the whole answer.
///
/// # Errors
/// [`ProsperoError`].
pub async fn ask(
    socket: &UdpSocket,
    request: &[u8],
    id: u16,
    place: &str,
    limits: &Limits,
) -> Result<Answer, ProsperoError> {
    let io = |source| NetError::Io {
        place: place.to_owned(),
        source,
    };
    let refused = || NetError::Refused {
        place: place.to_owned(),
    };
    let mut exchange = Exchange::new(id);
    let mut patience = PATIENCE.min(limits.idle);
    let mut octets = vec![0; DATAGRAM];
    let end = Instant::now() + limits.idle * TRIES;
    for _ in 0..TRIES {
        for packet in ardp::packets(id, request) {
            socket.send(&packet).await.map_err(io)?;
        }
        let mut until = (Instant::now() + patience).min(end);
        patience *= 2;
        while let Ok(received) = timeout_at(until, socket.recv(&mut octets)).await {
            let length = match received {
                Ok(length) => length,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    return Err(refused().into());
                }
                Err(error) => return Err(io(error).into()),
            };
            let taken = exchange.take(octets.get(..length).unwrap_or_default());
            if let Some(acknowledgement) = exchange.acknowledgement() {
                socket.send(&acknowledgement).await.map_err(io)?;
            }
            match taken {
                Taken::Whole(text) => {
                    return Answer::parse(&text)
                        .ok_or_else(|| ProsperoError::Odd(place.to_owned()));
                }
                Taken::Refused => return Err(ProsperoError::Refused(place.to_owned())),
                Taken::Odd => return Err(ProsperoError::Odd(place.to_owned())),
                Taken::Long => return Err(ProsperoError::Long(place.to_owned())),
                // It is on its way: what is missing is waited for anew.
                Taken::Part => until = (Instant::now() + patience).min(end),
                Taken::Wait(seconds) => {
                    let wait = Duration::from_secs(u64::from(seconds));
                    until = (Instant::now() + wait.max(patience)).min(end);
                }
                Taken::Nothing => {}
            }
        }
    }
    Err(NetError::Late {
        place: place.to_owned(),
        problem: "did not answer",
        seconds: limits.idle.as_secs(),
    }
    .into())
}
