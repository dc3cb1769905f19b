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
mod post;

use std::io;
use std::sync::Arc;

use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};

use super::wire::{self, Line, Lines, PIECE, send};
use super::world::groups::{Group, Groups};
use super::world::{ACCOUNT, PASSWORD, World, number};

/// Runs the server for `world` on `listener` until the future is dropped.
pub async fn serve(listener: TcpListener, world: Arc<World>) {
    wire::accept(listener, world, visit).await;
}

async fn visit(stream: TcpStream, world: Arc<World>) -> io::Result<()> {
    let (reading, out) = stream.into_split();
    let mut lines = Lines::new(reading);
    let mut session = Session {
        groups: world.groups(),
        world,
        out,
        selected: None,
        current: None,
        login: Login::Anonymous,
    };
    session
        .reply("200 Underloam news; mind what you write")
        .await?;
    loop {
        match lines.next().await? {
            Line::Whole(line) => match session.obey(&line).await? {
                NntpNext::Command => {}
                NntpNext::Article => {
                    let article = post::receive(&mut lines).await?;
                    session.take(article).await?;
                }
                NntpNext::Goodbye => return Ok(()),
            },
            Line::TooLong => {
                session
                    .reply("501 A command is at most 512 octets long")
                    .await?;
                return Ok(());
            }
            Line::End => return Ok(()),
        }
    }
}

/// The login state of a client.
enum Login {
    Anonymous,
    /// AUTHINFO USER was sent, PASS was not.
    Named(Vec<u8>),
    Member,
}

/// The next step of the dialogue.
enum NntpNext {
    Command,
    /// An article must be received first.
    Article,
    Goodbye,
}

/// A client connection.
struct Session {
    world: Arc<World>,
    /// The groups at the time of the last command.
    groups: Arc<Groups>,
    out: OwnedWriteHalf,
    /// The index of the selected group in the list.
    selected: Option<usize>,
    /// The current article's number.
    current: Option<u64>,
    login: Login,
}

impl Session {
    async fn reply(&mut self, text: &str) -> io::Result<()> {
        send(&mut self.out, format!("{text}\r\n").as_bytes()).await
    }

    fn is_member(&self) -> bool {
        matches!(self.login, Login::Member)
    }

    fn group(&self) -> Option<&Group> {
        self.selected.and_then(|index| self.groups.at(index))
    }

    async fn obey(&mut self, line: &[u8]) -> io::Result<NntpNext> {
        self.groups = self.world.groups();
        let mut words = line
            .split(u8::is_ascii_whitespace)
            .filter(|word| !word.is_empty());
        let keyword = words.next().unwrap_or_default().to_ascii_uppercase();
        let arguments: Vec<&[u8]> = words.collect();
        if line.len() > 510 {
            self.reply("501 A command is at most 512 octets long")
                .await?;
            return Ok(NntpNext::Command);
        }
        match (keyword.as_slice(), arguments.as_slice()) {
            (b"QUIT", []) => {
                self.reply("205 Until next time").await?;
                return Ok(NntpNext::Goodbye);
            }
            (b"CAPABILITIES", _) => {
                let login = if self.is_member() { "" } else { "AUTHINFO USER\r\n" };
                self.reply(&format!(
                    "101 Capabilities follow\r\nVERSION 2\r\nIMPLEMENTATION Underloam postal service\r\nREADER\r\nPOST\r\n{login}HDR\r\n\
                     LIST ACTIVE COUNTS HEADERS NEWSGROUPS OVERVIEW.FMT\r\nOVER MSGID\r\n."
                ))
                .await?;
            }
            (b"MODE", [word]) if word.eq_ignore_ascii_case(b"READER") => self.reply("200 Reading it is, and writing").await?,
            (b"DATE", []) => self.reply("111 20261120120000").await?,
            (b"HELP", _) => self.reply("100 Known here\r\nARTICLE AUTHINFO BODY CAPABILITIES DATE GROUP HDR HEAD HELP LAST LIST LISTGROUP\r\nMODE NEWGROUPS NEXT OVER POST QUIT STAT XHDR XOVER\r\n.").await?,
            (b"POST", []) => {
                let id = self.world.groups().next_id();
                let reply = format!("340 Write, and end with a dot; recommended ID {id}");
                self.reply(&reply).await?;
                return Ok(NntpNext::Article);
            }
            (b"AUTHINFO", [kind, rest @ ..]) => self.authinfo(kind, rest).await?,
            (b"LIST", rest) => self.list(rest).await?,
            (b"NEWGROUPS", [date, _, ..]) => self.new_groups(date).await?,
            (b"GROUP", [name]) => self.select(name).await?,
            (b"LISTGROUP", rest) => self.list_group(rest).await?,
            (b"ARTICLE", rest) => self.article(articles::Part::Article, rest).await?,
            (b"HEAD", rest) => self.article(articles::Part::Head, rest).await?,
            (b"BODY", rest) => self.article(articles::Part::Body, rest).await?,
            (b"STAT", rest) => self.article(articles::Part::Stat, rest).await?,
            (b"NEXT", []) => self.step(articles::Step::NntpNext).await?,
            (b"LAST", []) => self.step(articles::Step::Last).await?,
            (b"OVER" | b"XOVER", rest) => self.over(rest).await?,
            (b"HDR", [header, rest @ ..]) => self.header(225, header, rest).await?,
            (b"XHDR", [header, rest @ ..]) => self.header(221, header, rest).await?,
            (b"QUIT" | b"MODE" | b"DATE" | b"POST" | b"AUTHINFO" | b"NEWGROUPS" | b"GROUP" | b"NEXT" | b"LAST" | b"HDR" | b"XHDR", _) => {
                self.reply("501 That word takes other arguments").await?;
            }
            _ => self.reply("500 That word is not known here").await?,
        }
        Ok(NntpNext::Command)
    }

    async fn authinfo(&mut self, kind: &[u8], rest: &[&[u8]]) -> io::Result<()> {
        if self.is_member() {
            return self.reply("502 You are in already").await;
        }
        match (kind.to_ascii_uppercase().as_slice(), rest) {
            (b"USER", [name]) => {
                self.login = Login::Named(name.to_vec());
                self.reply("381 And the password?").await
            }
            (b"PASS", [password]) => {
                let Login::Named(name) = std::mem::replace(&mut self.login, Login::Anonymous)
                else {
                    return self.reply("482 AUTHINFO USER comes first").await;
                };
                if name == ACCOUNT.as_bytes() && *password == PASSWORD.as_bytes() {
                    self.login = Login::Member;
                    return self.reply("281 Good evening, Ada").await;
                }
                self.reply("481 That is not the password").await
            }
            _ => {
                self.reply("501 AUTHINFO USER and AUTHINFO PASS are all there is")
                    .await
            }
        }
    }

    /// Selects a group if it exists. After 411 and 480 the previous group stays selected.
    async fn enter(&mut self, name: &[u8]) -> io::Result<Option<String>> {
        let groups = Arc::clone(&self.groups);
        let Some((index, group)) = groups.named(name) else {
            self.reply("411 No such group here").await?;
            return Ok(None);
        };
        if group.is_private() && !self.is_member() {
            self.reply("480 The attic is locked: AUTHINFO USER").await?;
            return Ok(None);
        }
        let (low, high, count) = group.marks();
        self.selected = Some(index);
        self.current = (count > 0).then_some(low);
        Ok(Some(format!("211 {count} {low} {high} {}", group.name)))
    }

    async fn select(&mut self, name: &[u8]) -> io::Result<()> {
        match self.enter(name).await? {
            Some(reply) => self.reply(&reply).await,
            None => Ok(()),
        }
    }

    /// Sends a block of lines while they are made.
    async fn block(
        &mut self,
        opening: &str,
        lines: impl Iterator<Item = Vec<u8>>,
    ) -> io::Result<()> {
        let mut piece = format!("{opening}\r\n").into_bytes();
        for line in lines {
            if line.first() == Some(&b'.') {
                piece.push(b'.');
            }
            piece.extend_from_slice(&line);
            piece.extend_from_slice(b"\r\n");
            if piece.len() >= PIECE {
                send(&mut self.out, &piece).await?;
                piece.clear();
            }
        }
        piece.extend_from_slice(b".\r\n");
        send(&mut self.out, &piece).await
    }
}

/// A range of article numbers: `12`, `12-` or `12-20`.
fn range(argument: &[u8]) -> Option<(u64, u64)> {
    match super::world::split_once(argument, b'-') {
        None => number(argument).map(|one| (one, one)),
        Some((first, b"")) => number(first).map(|first| (first, u64::MAX)),
        Some((first, last)) => Some((number(first)?, number(last)?)),
    }
}
