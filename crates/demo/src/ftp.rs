//! The FTP server: RFC 959, read-only, with RFC 2389 (FEAT), RFC 2428 (EPSV) and RFC 3659 (MLST, SIZE, MDTM, REST).
//!
//! ```text
//! command = verb [ SP argument ] CRLF
//! reply   = code SP text CRLF / code "-" text CRLF *( line CRLF ) code SP text CRLF
//! ```
//! Not implemented: everything that writes (553 or 550), active mode (502), TLS, accounts (ACCT), and structures and
//! modes other than file and stream.

mod facts;
mod transfer;

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::wire::{self, Connection, Line, Lines, number, send, split_once};
use super::world::tree::{Node, TreeEntry, resolve};
use super::world::{ACCOUNT, PASSWORD, World};

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let address = stream.local_addr()?.ip();
    let Connection { lines, out } = Connection::new(stream);
    let mut session = FtpSession {
        world,
        lines,
        waiting: VecDeque::new(),
        out,
        address,
        login: FtpLoginState::LoggedOut,
        directory: Vec::new(),
        representation: DataType::Ascii,
        offset: 0,
        passive: None,
        epsv_only: false,
    };
    session.run().await
}

/// The login state of a client.
enum FtpLoginState {
    LoggedOut,
    /// USER was sent, PASS was not.
    Named(Vec<u8>),
    Anonymous,
    Member,
}

/// The representation type, set by TYPE.
#[derive(Clone, Copy, PartialEq)]
enum DataType {
    Ascii,
    Image,
}

/// A control connection.
struct FtpSession {
    world: Arc<World>,
    lines: Lines<OwnedReadHalf>,
    /// Commands received during a transfer.
    waiting: VecDeque<Vec<u8>>,
    out: OwnedWriteHalf,
    /// The address on which data connections are offered: the one that the client connected to.
    address: std::net::IpAddr,
    login: FtpLoginState,
    /// The working directory.
    directory: Vec<Vec<u8>>,
    representation: DataType,
    /// The offset of REST, which applies to the next command only.
    offset: u64,
    /// The listener of the last PASV or EPSV.
    passive: Option<TcpListener>,
    /// True after EPSV ALL.
    epsv_only: bool,
}

impl FtpSession {
    async fn run(&mut self) -> io::Result<()> {
        self.reply(b"220-Underloam archive, at the end of the second tunnel on the left.\r\n220-Wipe your feet.\r\n220 Ready").await?;
        loop {
            let line = match self.waiting.pop_front() {
                Some(line) => line,
                None => match self.lines.next().await? {
                    Line::Whole(line) => line,
                    Line::TooLong => {
                        let refusal = b"500 That command is longer than the tunnel";
                        return self.reply(refusal).await;
                    }
                    Line::End => return Ok(()),
                },
            };
            let line = without_telnet(&line);
            let (verb, argument) = split_once(&line, b' ').unwrap_or((&line, b""));
            let verb = verb.to_ascii_uppercase();
            let reply = self.obey(&verb, argument).await?;
            self.reply(&reply).await?;
            if verb == b"QUIT" {
                return Ok(());
            }
        }
    }

    /// Sends a reply in octets, because file names are octets.
    async fn reply(&mut self, text: &[u8]) -> io::Result<()> {
        send(&mut self.out, &[text, b"\r\n"].concat()).await
    }

    fn is_member(&self) -> bool {
        matches!(self.login, FtpLoginState::Member)
    }

    fn is_in(&self) -> bool {
        matches!(self.login, FtpLoginState::Anonymous | FtpLoginState::Member)
    }

    /// The entry at a path as the client writes it.
    fn at(&self, path: &[u8]) -> Option<TreeEntry<'_>> {
        let path = resolve(&self.directory, path);
        self.world.tree.at(&path, self.is_member())
    }

    /// Carries out a command. Returns its reply, or, after a transfer, the last of its replies.
    async fn obey(&mut self, verb: &[u8], argument: &[u8]) -> io::Result<Vec<u8>> {
        let offset = std::mem::take(&mut self.offset);
        let option = argument.to_ascii_uppercase();
        Ok(match verb {
            b"USER" => self.user(argument).into(),
            b"PASS" => self.pass(argument),
            b"QUIT" => b"221 Mind the step".into(),
            b"NOOP" => b"200 Quite".into(),
            b"SYST" => b"215 UNIX Type: L8".into(),
            b"FEAT" => b"211-Features:\r\n EPSV\r\n MDTM\r\n MLST type*;size*;modify*;perm*;\r\n REST STREAM\r\n SIZE\r\n TVFS\r\n UTF8\r\n211 End".into(),
            b"HELP" => b"214-Known here:\r\n USER PASS QUIT NOOP SYST FEAT OPTS HELP STAT PWD CWD CDUP TYPE MODE STRU\r\n EPSV PASV LIST NLST MLSD MLST SIZE MDTM REST RETR ABOR\r\n214 Ask the postmaster about the rest".into(),
            b"OPTS" if option.starts_with(b"UTF8") => b"200 Names are octets; most of them are UTF-8".into(),
            b"OPTS" if option.starts_with(b"MLST") => b"200 MLST OPTS type;size;modify;perm;".into(),
            b"OPTS" => b"501 No such option".into(),
            b"ABOR" => b"226 Nothing to stop".into(),
            _ if !known(verb) => b"500 That word is not known in Underloam".into(),
            _ if !self.is_in() => b"530 Say who you are first: USER and PASS".into(),
            b"PWD" | b"XPWD" => self.pwd(),
            b"CWD" | b"XCWD" => self.cwd(argument),
            b"CDUP" | b"XCUP" => self.cwd(b".."),
            b"TYPE" => self.representation(&option).into(),
            b"MODE" if option == b"S" => b"200 As ever".into(),
            b"MODE" => b"504 Only stream here".into(),
            b"STRU" if option == b"F" => b"200 As ever".into(),
            b"STRU" => b"504 Only file here".into(),
            b"STAT" => b"211-Underloam archive\r\n Read-only, stream mode, file structure, no hurry\r\n211 End of status".into(),
            b"PORT" | b"EPRT" => b"502 We do not call back; use EPSV or PASV".into(),
            b"EPSV" => self.epsv(&option).await?.into(),
            b"PASV" => self.pasv().await?.into(),
            b"SIZE" => self.size(argument),
            b"MDTM" => self.mdtm(argument),
            b"MLST" => self.mlst(argument),
            b"REST" => self.rest(argument).into(),
            b"RETR" => self.retrieve(argument, offset).await?,
            b"LIST" => self.list(argument, transfer::ListFormat::Unix).await?,
            b"NLST" => self.list(argument, transfer::ListFormat::Names).await?,
            b"MLSD" => self.list(argument, transfer::ListFormat::Facts).await?,
            _ => b"550 This archive is read-only".into(),
        })
    }

    fn user(&mut self, name: &[u8]) -> &'static [u8] {
        if name.is_empty() {
            return b"501 USER wants a name";
        }
        self.login = FtpLoginState::Named(name.to_vec());
        if is_anonymous(name) {
            b"331 Anything will do as a password; an address is polite"
        } else {
            b"331 And the password?"
        }
    }

    fn pass(&mut self, password: &[u8]) -> Vec<u8> {
        let FtpLoginState::Named(name) =
            std::mem::replace(&mut self.login, FtpLoginState::LoggedOut)
        else {
            return b"503 USER comes first".into();
        };
        self.directory = Vec::new();
        if name == ACCOUNT.as_bytes() && password == PASSWORD.as_bytes() {
            self.login = FtpLoginState::Member;
            self.directory.push(name);
            return b"230 Good evening, Ada. Your papers are where you left them".into();
        }
        if is_anonymous(&name) {
            self.login = FtpLoginState::Anonymous;
            return self.with_message(230, "Come in, it is dry down here");
        }
        b"530 That is not the password".into()
    }

    /// A reply that begins with the `.message` of the working directory, as archives do.
    fn with_message(&self, code: u16, text: &str) -> Vec<u8> {
        let mut reply = Vec::new();
        if let Some(message) = self.at(b".message")
            && let Node::File(octets) = &message.entry().node
        {
            let start = format!("{code}-");
            let lines = wire::lines(octets);
            reply = lines
                .flat_map(|line| [start.as_bytes(), line, b"\r\n"].concat())
                .collect();
        }
        reply.extend_from_slice(format!("{code} {text}").as_bytes());
        reply
    }

    fn pwd(&self) -> Vec<u8> {
        let mut reply = b"257 \"".to_vec();
        for octet in path_of(&self.directory) {
            // A quote in a name is doubled (RFC 959, appendix II).
            let count = if octet == b'"' { 2 } else { 1 };
            reply.extend(std::iter::repeat_n(octet, count));
        }
        reply.extend_from_slice(b"\" is where you are");
        reply
    }

    fn cwd(&mut self, path: &[u8]) -> Vec<u8> {
        if path.is_empty() {
            return b"501 CWD wants the name of a directory".into();
        }
        if !self.at(path).is_some_and(|found| is_directory(&found)) {
            return refusal(path, "no directory here is called that");
        }
        self.directory = resolve(&self.directory, path);
        self.with_message(250, "Here you are")
    }

    fn representation(&mut self, option: &[u8]) -> &'static [u8] {
        self.representation = match option {
            b"A" | b"A N" => DataType::Ascii,
            b"I" | b"L 8" => DataType::Image,
            _ => return b"504 TYPE A and TYPE I are all there is",
        };
        b"200 As you wish"
    }

    fn rest(&mut self, argument: &[u8]) -> String {
        let Some(offset) = number(argument) else {
            return "501 REST wants a number of octets".to_owned();
        };
        self.offset = offset;
        format!("350 The next transfer starts at octet {offset}")
    }
}

/// The refusal of a path.
fn refusal(path: &[u8], why: &str) -> Vec<u8> {
    [b"550 ", path, b": ", why.as_bytes()].concat()
}

fn is_anonymous(name: &[u8]) -> bool {
    [b"anonymous".as_slice(), b"ftp"]
        .iter()
        .any(|one| name.eq_ignore_ascii_case(one))
}

/// Returns true for verbs that need a login. Verbs that write are included, so that their refusal is correct.
fn known(verb: &[u8]) -> bool {
    const KNOWN: &[u8] = b" PWD XPWD CWD XCWD CDUP XCUP TYPE MODE STRU STAT PORT EPRT EPSV PASV SIZE MDTM MLST REST RETR LIST NLST \
        MLSD STOR STOU APPE DELE MKD XMKD RMD XRMD RNFR RNTO ";
    let word = [b" ", verb, b" "].concat();
    memchr::memmem::find(KNOWN, &word).is_some()
}

fn is_directory(found: &TreeEntry<'_>) -> bool {
    matches!(found.entry().node, Node::Directory(_) | Node::Many(_))
}

fn path_of(directory: &[Vec<u8>]) -> Vec<u8> {
    let mut path = b"/".to_vec();
    path.extend_from_slice(&directory.join(&b'/'));
    path
}

/// Removes Telnet commands (RFC 854) from a line: clients send IAC IP, IAC DM before ABOR, and double an octet 255.
fn without_telnet(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut octets = line.iter().copied().peekable();
    while let Some(octet) = octets.next() {
        match (octet, octets.peek().copied()) {
            (255, Some(251..=254)) => {
                octets.next();
                octets.next();
            }
            (255, Some(240..=250)) => {
                octets.next();
            }
            (255, Some(255)) => {
                octets.next();
                plain.push(255);
            }
            _ => plain.push(octet),
        }
    }
    plain
}
