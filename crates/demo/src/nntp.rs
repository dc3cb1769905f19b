//! The news server: RFC 3977, posting too, with COUNTS of RFC 6048 and AUTHINFO USER of RFC 4643.
//!
//! ```text
//! command = keyword *( WS argument ) CRLF
//! reply   = 3digit SP text CRLF [ *( stuffed-line CRLF ) "." CRLF ]
//! ```
//! Posted articles are lost when the server ends. Not implemented: transit commands, NEWNEWS, wildmats with brackets
//! (RFC 3977 has none either), TLS, compression.

mod articles;
mod lists;

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

use self::articles::Part;
use super::wire::{self, Connection, Line, PIECE, number, send, split_once};
use super::world::groups::{Group, Groups};
use super::world::{ACCOUNT, PASSWORD, World};

pub(super) async fn converse(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let Connection { mut lines, out } = Connection::new(stream);
    let mut session = NewsSession {
        groups: world.groups(),
        world,
        out,
        selected: None,
        current: None,
        login: NewsLoginState::Anonymous,
    };
    let greeting = "200 Underloam news; mind what you write";
    session.line(greeting).await?;
    loop {
        let response = match lines.next().await? {
            Line::Whole(line) => session.obey(&line).unwrap_or_else(NewsResponse::line),
            Line::TooLong => NewsResponse::End(TOO_LONG),
            Line::End => return Ok(()),
        };
        match response {
            NewsResponse::Line(text) => session.line(&text).await?,
            NewsResponse::End(text) => return session.line(text).await,
            NewsResponse::Article(text) => {
                session.line(&text).await?;
                let article = articles::receive(&mut lines).await?;
                let reply = session.post(article);
                session.line(&reply).await?;
            }
            NewsResponse::Octets(octets) => send(&mut session.out, &octets).await?,
            NewsResponse::Block(opening, lines) => session.block(&opening, lines).await?,
        }
    }
}

const TOO_LONG: &str = "501 A command is at most 512 octets long";

/// The login state of a client.
enum NewsLoginState {
    Anonymous,
    /// AUTHINFO USER was sent, PASS was not.
    Named(Vec<u8>),
    Member,
}

/// The response to a command.
enum NewsResponse {
    Line(String),
    /// A line, after which the connection ends.
    End(&'static str),
    /// A line, after which an article must be received.
    Article(String),
    /// All of a response, with its line ends.
    Octets(Vec<u8>),
    /// A line, and the lines of a block.
    Block(String, Box<dyn Iterator<Item = Vec<u8>> + Send>),
}

/// The response to a command, or the line that refuses it.
type Obeyed = Result<NewsResponse, &'static str>;

impl NewsResponse {
    fn line(text: &str) -> Self {
        Self::Line(text.to_owned())
    }
}

/// A client connection.
struct NewsSession {
    world: Arc<World>,
    /// The groups at the time of the last command.
    groups: Arc<Groups>,
    out: OwnedWriteHalf,
    /// The index of the selected group in the list.
    selected: Option<usize>,
    /// The current article's number.
    current: Option<u64>,
    login: NewsLoginState,
}

impl NewsSession {
    async fn line(&mut self, text: &str) -> io::Result<()> {
        send(&mut self.out, format!("{text}\r\n").as_bytes()).await
    }

    /// Sends a block of lines while they are made.
    async fn block(
        &mut self,
        opening: &str,
        lines: impl Iterator<Item = Vec<u8>>,
    ) -> io::Result<()> {
        let mut piece = format!("{opening}\r\n").into_bytes();
        for line in lines {
            wire::stuff(&line, &mut piece);
            if piece.len() >= PIECE {
                send(&mut self.out, &piece).await?;
                piece.clear();
            }
        }
        piece.extend_from_slice(b".\r\n");
        send(&mut self.out, &piece).await
    }

    fn is_member(&self) -> bool {
        matches!(self.login, NewsLoginState::Member)
    }

    fn group(&self) -> Option<&Group> {
        self.selected.and_then(|index| self.groups.at(index))
    }

    fn obey(&mut self, line: &[u8]) -> Obeyed {
        self.groups = self.world.groups();
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let keyword = words.next().unwrap_or_default().to_ascii_uppercase();
        let arguments: Vec<&[u8]> = words.collect();
        if line.len() > 510 {
            return Err(TOO_LONG);
        }
        match (keyword.as_slice(), arguments.as_slice()) {
            (b"QUIT", []) => Ok(NewsResponse::End("205 Until next time")),
            (b"CAPABILITIES", _) => {
                let login = if self.is_member() {
                    ""
                } else {
                    "AUTHINFO USER\r\n"
                };
                Ok(NewsResponse::Line(format!(
                    "101 Capabilities follow\r\nVERSION 2\r\nIMPLEMENTATION Underloam postal service\r\nREADER\r\nPOST\r\n{login}HDR\r\n\
                     LIST ACTIVE COUNTS HEADERS NEWSGROUPS OVERVIEW.FMT\r\nOVER MSGID\r\n."
                )))
            }
            (b"MODE", [word]) if word.eq_ignore_ascii_case(b"READER") => {
                Ok(NewsResponse::line("200 Reading it is, and writing"))
            }
            (b"DATE", []) => Ok(NewsResponse::line("111 20261120120000")),
            (b"HELP", _) => Ok(NewsResponse::line(
                "100 Known here\r\nARTICLE AUTHINFO BODY CAPABILITIES DATE GROUP HDR HEAD HELP LAST LIST LISTGROUP\r\nMODE NEWGROUPS NEXT OVER POST QUIT STAT XHDR XOVER\r\n.",
            )),
            (b"POST", []) => {
                let id = self.groups.next_id();
                Ok(NewsResponse::Article(format!(
                    "340 Write, and end with a dot; recommended ID {id}"
                )))
            }
            (b"AUTHINFO", [kind, rest @ ..]) => self.authinfo(kind, rest),
            (b"LIST", rest) => self.list(rest),
            (b"NEWGROUPS", [date, _, ..]) => self.new_groups(date),
            (b"GROUP", [name]) => self.select(name).map(NewsResponse::Line),
            (b"LISTGROUP", rest) => self.list_group(rest),
            (b"ARTICLE", rest) => self.article(Part::Article, rest),
            (b"HEAD", rest) => self.article(Part::Head, rest),
            (b"BODY", rest) => self.article(Part::Body, rest),
            (b"STAT", rest) => self.article(Part::Stat, rest),
            (b"NEXT", []) => self.next(),
            (b"LAST", []) => self.last(),
            (b"OVER" | b"XOVER", rest) => self.over(rest),
            (b"HDR", [header, rest @ ..]) => self.header(225, header, rest),
            (b"XHDR", [header, rest @ ..]) => self.header(221, header, rest),
            (
                b"QUIT" | b"MODE" | b"DATE" | b"POST" | b"AUTHINFO" | b"NEWGROUPS" | b"GROUP"
                | b"NEXT" | b"LAST" | b"HDR" | b"XHDR",
                _,
            ) => Err("501 That word takes other arguments"),
            _ => Err("500 That word is not known here"),
        }
    }

    fn authinfo(&mut self, kind: &[u8], rest: &[&[u8]]) -> Obeyed {
        if self.is_member() {
            return Err("502 You are in already");
        }
        match (kind.to_ascii_uppercase().as_slice(), rest) {
            (b"USER", [name]) => {
                self.login = NewsLoginState::Named(name.to_vec());
                Ok(NewsResponse::line("381 And the password?"))
            }
            (b"PASS", [password]) => {
                let NewsLoginState::Named(name) =
                    std::mem::replace(&mut self.login, NewsLoginState::Anonymous)
                else {
                    return Err("482 AUTHINFO USER comes first");
                };
                if name != ACCOUNT.as_bytes() || *password != PASSWORD.as_bytes() {
                    return Err("481 That is not the password");
                }
                self.login = NewsLoginState::Member;
                Ok(NewsResponse::line("281 Good evening, Ada"))
            }
            _ => Err("501 AUTHINFO USER and AUTHINFO PASS are all there is"),
        }
    }

    /// Selects a group if it exists, and returns its line. After 411 and 480 the previous group stays selected.
    fn select(&mut self, name: &[u8]) -> Result<String, &'static str> {
        let (index, group) = self.groups.named(name).ok_or("411 No such group here")?;
        if group.is_private() && !self.is_member() {
            return Err(LOCKED);
        }
        let (low, high, count) = group.marks();
        let line = format!("211 {count} {low} {high} {}", group.name);
        self.selected = Some(index);
        self.current = (count > 0).then_some(low);
        Ok(line)
    }
}

const LOCKED: &str = "480 The attic is locked: AUTHINFO USER";

/// A range of article numbers: `12`, `12-` or `12-20`.
fn range(argument: &[u8]) -> Option<(u64, u64)> {
    match split_once(argument, b'-') {
        None => number(argument).map(|one| (one, one)),
        Some((first, b"")) => number(first).map(|first| (first, u64::MAX)),
        Some((first, last)) => Some((number(first)?, number(last)?)),
    }
}
