//! Data connections (RFC 959 section 3.2, RFC 2428 section 3): opened by EPSV or PASV, used once, closed.
//!
//! The control connection is read during a transfer: ABOR stops the transfer (426, then 226), and any other command
//! waits. Not implemented: active mode, and data connections from another address than the client's.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use super::{
    DataType, FtpSession, Line, Node, World, facts, is_directory, refusal, send, without_telnet,
};
use crate::wire::{PIECE, number, split_once};
use crate::world::tree::{Entry, TreeEntry, drum, resolve};

/// The deadline for the client to open the requested data connection.
const CONNECT: Duration = Duration::from_secs(30);
/// The highest number of commands that wait for the end of a transfer.
const MAX_WAITING_COMMANDS: usize = 16;

/// The format of a listing.
#[derive(Clone, Copy)]
pub(super) enum ListFormat {
    Unix,
    Names,
    Facts,
}

/// The data of a transfer.
enum TransferData {
    Octets(Vec<u8>),
    Listing {
        path: Vec<Vec<u8>>,
        format: ListFormat,
        hidden: bool,
        member: bool,
    },
}

/// The end of a transfer.
enum TransferEnd {
    Sent(io::Result<()>),
    Aborted,
    Disconnected,
}

impl FtpSession {
    pub(super) async fn epsv(&mut self, option: &[u8]) -> io::Result<String> {
        Ok(match option {
            b"ALL" => {
                self.epsv_only = true;
                "200 EPSV it is, from now on".to_owned()
            }
            b"" | b"1" => {
                let port = self.listen().await?;
                format!("229 Entering Extended Passive Mode (|||{port}|)")
            }
            other if number(other).is_some() => {
                "522 Only IPv4 reaches down here, use (1)".to_owned()
            }
            _ => "501 EPSV takes a protocol number or ALL".to_owned(),
        })
    }

    pub(super) async fn pasv(&mut self) -> io::Result<String> {
        let IpAddr::V4(address) = self.address else {
            return Ok("425 PASV cannot say this address; use EPSV".to_owned());
        };
        if self.epsv_only {
            return Ok("501 You said EPSV ALL".to_owned());
        }
        let [high, low] = self.listen().await?.to_be_bytes();
        let [a, b, c, d] = address.octets();
        Ok(format!(
            "227 Entering Passive Mode ({a},{b},{c},{d},{high},{low})"
        ))
    }

    async fn listen(&mut self) -> io::Result<u16> {
        let listener = TcpListener::bind((self.address, 0)).await?;
        let port = listener.local_addr()?.port();
        self.passive = Some(listener);
        Ok(port)
    }

    /// The octets of the file at `path`, as stored.
    pub(super) fn octets_at(&self, path: &[u8]) -> Option<Vec<u8>> {
        match &self.at(path)?.entry().node {
            Node::File(octets) => Some(octets.clone()),
            Node::Drum => Some(drum()),
            Node::Directory(_) | Node::Many(_) | Node::Link(_) => None,
        }
    }

    /// The octets as sent in the current TYPE: in ASCII every line ends in CRLF.
    pub(super) fn as_sent(&self, octets: Vec<u8>) -> Vec<u8> {
        if self.representation == DataType::Image {
            return octets;
        }
        let mut sent = Vec::with_capacity(octets.len() + octets.len() / 16);
        for octet in octets {
            if octet == b'\n' && sent.last() != Some(&b'\r') {
                sent.push(b'\r');
            }
            sent.push(octet);
        }
        sent
    }

    pub(super) async fn retrieve(&mut self, path: &[u8], offset: u64) -> io::Result<Vec<u8>> {
        let Some(octets) = self.octets_at(path) else {
            return Ok(refusal(path, "no file here is called that"));
        };
        let mut octets = self.as_sent(octets);
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        if start > octets.len() {
            return Ok(b"554 That is past the end of the file".into());
        }
        octets.drain(..start);
        let opening = format!("150 Here come {} octets", octets.len());
        self.transfer(TransferData::Octets(octets), &opening).await
    }

    pub(super) async fn list(
        &mut self,
        argument: &[u8],
        format: ListFormat,
    ) -> io::Result<Vec<u8>> {
        let (options, path) = options(argument);
        let is_facts = matches!(format, ListFormat::Facts);
        // MLSD of something that is not a directory is an error (RFC 3659 section 7.2).
        let is_listable = |found: TreeEntry<'_>| !is_facts || is_directory(&found);
        if !self.at(path).is_some_and(is_listable) {
            return Ok(refusal(path, "no directory here is called that"));
        }
        let data = TransferData::Listing {
            path: resolve(&self.directory, path),
            format,
            hidden: is_facts || options.contains(&b'a'),
            member: self.is_member(),
        };
        self.transfer(data, "150 Here comes the listing").await
    }

    /// Sends data. Returns the last reply.
    async fn transfer(&mut self, data: TransferData, opening: &str) -> io::Result<Vec<u8>> {
        let Some(listener) = self.passive.take() else {
            return Ok(b"425 Say EPSV or PASV first".into());
        };
        // The first reply is sent before the data connection exists, because some clients connect only then.
        self.reply(opening.as_bytes()).await?;
        let Some(stream) = self.meet(listener).await else {
            return Ok(b"425 Nobody came to the data connection".into());
        };
        match self.carry(stream, data).await? {
            TransferEnd::Sent(Ok(())) => Ok(b"226 That was all".into()),
            TransferEnd::Sent(Err(_)) => {
                Ok(b"426 The data connection closed before the end".into())
            }
            TransferEnd::Aborted => Ok(b"426 Stopped in the middle\r\n226 As you asked".into()),
            TransferEnd::Disconnected => Err(io::ErrorKind::ConnectionAborted.into()),
        }
    }

    /// Accepts the data connection from the client's own address; others are closed.
    async fn meet(&self, listener: TcpListener) -> Option<TcpStream> {
        let visitor = self.out.peer_addr().ok()?.ip();
        let arrival = async {
            loop {
                let (stream, from) = listener.accept().await.ok()?;
                if from.ip() == visitor {
                    return Some(stream);
                }
            }
        };
        timeout(CONNECT, arrival).await.ok().flatten()
    }

    async fn carry(&mut self, stream: TcpStream, data: TransferData) -> io::Result<TransferEnd> {
        let world = Arc::clone(&self.world);
        let mut sending = std::pin::pin!(load(world, stream, data));
        loop {
            tokio::select! {
                sent = &mut sending => return Ok(TransferEnd::Sent(sent)),
                line = self.lines.next(), if self.waiting.len() < MAX_WAITING_COMMANDS => match line {
                    Ok(Line::Whole(line)) if without_telnet(&line).eq_ignore_ascii_case(b"ABOR") => return Ok(TransferEnd::Aborted),
                    Ok(Line::Whole(line)) => self.waiting.push_back(line),
                    // A long download is not idle, so only the data connection has a deadline now.
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => {}
                    Ok(Line::TooLong | Line::End) | Err(_) => return Ok(TransferEnd::Disconnected),
                },
            }
        }
    }
}

/// Sends the data and closes, which in stream mode is the end of the file.
async fn load(world: Arc<World>, mut stream: TcpStream, data: TransferData) -> io::Result<()> {
    match data {
        TransferData::Octets(octets) => {
            for piece in octets.chunks(PIECE) {
                send(&mut stream, piece).await?;
            }
        }
        TransferData::Listing {
            path,
            format,
            hidden,
            member,
        } => {
            let Some(found) = world.tree.at(&path, member) else {
                return Ok(());
            };
            let directory = found.entry();
            let mut piece = Vec::with_capacity(PIECE + 512);
            if matches!(format, ListFormat::Facts) {
                facts::facts(directory, "cdir", b".", &mut piece);
                piece.extend_from_slice(b"\r\n");
            }
            for entry in directory.list(member) {
                let is_hidden = entry.name.first() == Some(&b'.');
                if is_hidden && !hidden {
                    continue;
                }
                write(&entry, format, &mut piece);
                if piece.len() >= PIECE {
                    send(&mut stream, &piece).await?;
                    piece.clear();
                }
            }
            send(&mut stream, &piece).await?;
        }
    }
    stream.shutdown().await
}

fn write(entry: &Entry, format: ListFormat, piece: &mut Vec<u8>) {
    match format {
        ListFormat::Unix => facts::unix(entry, &entry.name, piece),
        ListFormat::Names => piece.extend_from_slice(&entry.name),
        ListFormat::Facts => facts::facts(entry, facts::kind(&entry.node), &entry.name, piece),
    }
    piece.extend_from_slice(b"\r\n");
}

/// The `ls` options that many clients put before the path, and the path.
fn options(argument: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut options = Vec::new();
    let mut rest = argument;
    while let Some(flags) = rest.strip_prefix(b"-") {
        let (flags, path) = split_once(flags, b' ').unwrap_or((flags, b""));
        options.extend_from_slice(flags);
        rest = path;
    }
    (options, rest)
}
