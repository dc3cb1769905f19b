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

use tokio::net::TcpListener;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::wire::{self, Line, Lines, send};
use super::world::tree::{Node, TreeEntry, resolve};
use super::world::{ACCOUNT, PASSWORD, World, number, split_once};

/// Runs the server for `world` on `listener` until the future is dropped.
pub async fn serve(listener: TcpListener, world: Arc<World>) {
    wire::accept(listener, world, |stream, world| async move {
        let address = stream.local_addr()?.ip();
        let (reading, out) = stream.into_split();
        let mut session = Session {
            world,
            lines: Lines::new(reading),
            waiting: VecDeque::new(),
            out,
            address,
            login: Login::LoggedOut,
            directory: Vec::new(),
            representation: Representation::Ascii,
            offset: 0,
            passive: None,
            epsv_only: false,
        };
        session.run().await
    })
    .await;
}

/// The login state of a client.
enum Login {
    LoggedOut,
    /// USER was sent, PASS was not.
    Named(Vec<u8>),
    Anonymous,
    Member,
}

/// The representation type, set by TYPE.
#[derive(Clone, Copy, PartialEq)]
enum Representation {
    Ascii,
    Image,
}

/// The next step of the dialogue.
enum FtpNext {
    Command,
    Goodbye,
}

/// A control connection.
struct Session {
    world: Arc<World>,
    lines: Lines<OwnedReadHalf>,
    /// Commands received during a transfer.
    waiting: VecDeque<Vec<u8>>,
    out: OwnedWriteHalf,
    /// The address on which data connections are offered: the one that the client connected to.
    address: std::net::IpAddr,
    login: Login,
    /// The working directory.
    directory: Vec<Vec<u8>>,
    representation: Representation,
    /// The offset of REST, which applies to the next command only.
    offset: u64,
    /// The listener of the last PASV or EPSV.
    passive: Option<TcpListener>,
    /// True after EPSV ALL.
    epsv_only: bool,
}

impl Session {
    async fn run(&mut self) -> io::Result<()> {
        self.reply("220-Underloam archive, at the end of the second tunnel on the left.\r\n220-Wipe your feet.\r\n220 Ready").await?;
        loop {
            let line = match self.waiting.pop_front() {
                Some(line) => line,
                None => match self.lines.next().await? {
                    Line::Whole(line) => line,
                    Line::TooLong => {
                        self.reply("500 That command is longer than the tunnel")
                            .await?;
                        return Ok(());
                    }
                    Line::End => return Ok(()),
                },
            };
            match self.obey(&without_telnet(&line)).await? {
                FtpNext::Command => {}
                FtpNext::Goodbye => return Ok(()),
            }
        }
    }

    async fn reply(&mut self, text: &str) -> io::Result<()> {
        self.reply_octets(text.as_bytes().to_vec()).await
    }

    /// Sends a reply in octets, because file names are octets.
    async fn reply_octets(&mut self, mut text: Vec<u8>) -> io::Result<()> {
        text.extend_from_slice(b"\r\n");
        send(&mut self.out, &text).await
    }

    fn is_member(&self) -> bool {
        matches!(self.login, Login::Member)
    }

    fn is_in(&self) -> bool {
        matches!(self.login, Login::Anonymous | Login::Member)
    }

    async fn obey(&mut self, line: &[u8]) -> io::Result<FtpNext> {
        let (verb, argument) = split_once(line, b' ').unwrap_or((line, b""));
        let verb = verb.to_ascii_uppercase();
        let offset = std::mem::take(&mut self.offset);
        match verb.as_slice() {
            b"USER" => self.user(argument).await?,
            b"PASS" => self.pass(argument).await?,
            b"QUIT" => {
                self.reply("221 Mind the step").await?;
                return Ok(FtpNext::Goodbye);
            }
            b"NOOP" => self.reply("200 Quite").await?,
            b"SYST" => self.reply("215 UNIX Type: L8").await?,
            b"FEAT" => self.reply("211-Features:\r\n EPSV\r\n MDTM\r\n MLST type*;size*;modify*;perm*;\r\n REST STREAM\r\n SIZE\r\n TVFS\r\n UTF8\r\n211 End").await?,
            b"HELP" => self.reply("214-Known here:\r\n USER PASS QUIT NOOP SYST FEAT OPTS HELP STAT PWD CWD CDUP TYPE MODE STRU\r\n EPSV PASV LIST NLST MLSD MLST SIZE MDTM REST RETR ABOR\r\n214 Ask the postmaster about the rest").await?,
            b"OPTS" if argument.to_ascii_uppercase().starts_with(b"UTF8") => self.reply("200 Names are octets; most of them are UTF-8").await?,
            b"OPTS" if argument.to_ascii_uppercase().starts_with(b"MLST") => self.reply("200 MLST OPTS type;size;modify;perm;").await?,
            b"OPTS" => self.reply("501 No such option").await?,
            b"ABOR" => self.reply("226 Nothing to stop").await?,
            _ if !known(&verb) => self.reply("500 That word is not known in Underloam").await?,
            _ if !self.is_in() => self.reply("530 Say who you are first: USER and PASS").await?,
            b"PWD" | b"XPWD" => self.pwd().await?,
            b"CWD" | b"XCWD" => self.cwd(argument).await?,
            b"CDUP" | b"XCUP" => self.cwd(b"..").await?,
            b"TYPE" => self.representation(argument).await?,
            b"MODE" => self.only(argument, b"S", "stream").await?,
            b"STRU" => self.only(argument, b"F", "file").await?,
            b"STAT" => self.reply("211-Underloam archive\r\n Read-only, stream mode, file structure, no hurry\r\n211 End of status").await?,
            b"PORT" | b"EPRT" => self.reply("502 We do not call back; use EPSV or PASV").await?,
            b"EPSV" => self.epsv(argument).await?,
            b"PASV" => self.pasv().await?,
            b"SIZE" => self.size(argument).await?,
            b"MDTM" => self.mdtm(argument).await?,
            b"MLST" => self.mlst(argument).await?,
            b"REST" => self.rest(argument).await?,
            b"RETR" => self.retrieve(argument, offset).await?,
            b"LIST" => self.list(argument, transfer::Format::Unix).await?,
            b"NLST" => self.list(argument, transfer::Format::Names).await?,
            b"MLSD" => self.list(argument, transfer::Format::Facts).await?,
            _ => self.reply("550 This archive is read-only").await?,
        }
        Ok(FtpNext::Command)
    }

    async fn user(&mut self, name: &[u8]) -> io::Result<()> {
        if name.is_empty() {
            return self.reply("501 USER wants a name").await;
        }
        self.login = Login::Named(name.to_vec());
        match name.to_ascii_lowercase().as_slice() {
            b"anonymous" | b"ftp" => {
                self.reply("331 Anything will do as a password; an address is polite")
                    .await
            }
            _ => self.reply("331 And the password?").await,
        }
    }

    async fn pass(&mut self, password: &[u8]) -> io::Result<()> {
        let Login::Named(name) = std::mem::replace(&mut self.login, Login::LoggedOut) else {
            return self.reply("503 USER comes first").await;
        };
        self.directory = Vec::new();
        if name == ACCOUNT.as_bytes() && password == PASSWORD.as_bytes() {
            self.login = Login::Member;
            self.directory.push(name);
            return self
                .reply("230 Good evening, Ada. Your papers are where you left them")
                .await;
        }
        if [b"anonymous".as_slice(), b"ftp"].contains(&name.to_ascii_lowercase().as_slice()) {
            self.login = Login::Anonymous;
            return self.with_message(230, "Come in, it is dry down here").await;
        }
        self.reply("530 That is not the password").await
    }

    /// Sends a reply that begins with the `.message` of the working directory, as archives do.
    async fn with_message(&mut self, code: u16, text: &str) -> io::Result<()> {
        let mut reply = Vec::new();
        let mut path = self.directory.clone();
        path.push(b".message".to_vec());
        if let Some(message) = self.world.tree.at(&path, self.is_member())
            && let Node::File(octets) = &message.entry().node
        {
            for line in wire::lines(octets) {
                reply.extend_from_slice(format!("{code}-").as_bytes());
                reply.extend_from_slice(line);
                reply.extend_from_slice(b"\r\n");
            }
        }
        reply.extend_from_slice(format!("{code} {text}").as_bytes());
        self.reply_octets(reply).await
    }

    async fn pwd(&mut self) -> io::Result<()> {
        let mut reply = b"257 \"".to_vec();
        // A quote in a name is doubled (RFC 959, appendix II).
        reply.extend(path_of(&self.directory).into_iter().flat_map(|octet| {
            if octet == b'"' {
                vec![octet; 2]
            } else {
                vec![octet]
            }
        }));
        reply.extend_from_slice(b"\" is where you are");
        self.reply_octets(reply).await
    }

    async fn cwd(&mut self, path: &[u8]) -> io::Result<()> {
        if path.is_empty() {
            return self.reply("501 CWD wants the name of a directory").await;
        }
        let directory = resolve(&self.directory, path);
        let is_directory = self
            .world
            .tree
            .at(&directory, self.is_member())
            .is_some_and(|found| is_directory(&found));
        if !is_directory {
            return self.refuse(path, "no directory here is called that").await;
        }
        self.directory = directory;
        self.with_message(250, "Here you are").await
    }

    async fn refuse(&mut self, path: &[u8], why: &str) -> io::Result<()> {
        let mut reply = b"550 ".to_vec();
        reply.extend_from_slice(path);
        reply.extend_from_slice(format!(": {why}").as_bytes());
        self.reply_octets(reply).await
    }

    async fn representation(&mut self, argument: &[u8]) -> io::Result<()> {
        match argument.to_ascii_uppercase().as_slice() {
            b"A" | b"A N" => self.representation = Representation::Ascii,
            b"I" | b"L 8" => self.representation = Representation::Image,
            _ => return self.reply("504 TYPE A and TYPE I are all there is").await,
        }
        self.reply("200 As you wish").await
    }

    async fn only(&mut self, argument: &[u8], letter: &[u8], name: &str) -> io::Result<()> {
        if argument.eq_ignore_ascii_case(letter) {
            return self.reply("200 As ever").await;
        }
        self.reply(&format!("504 Only {name} here")).await
    }

    async fn rest(&mut self, argument: &[u8]) -> io::Result<()> {
        let Some(offset) = number(argument) else {
            return self.reply("501 REST wants a number of octets").await;
        };
        self.offset = offset;
        self.reply(&format!("350 The next transfer starts at octet {offset}"))
            .await
    }
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
