//! News on the wire: a dialogue by RFC 3977, with RFC 4643 (authentication) and RFC 6048 (LIST COUNTS), also with
//! servers of RFC 977 and 2980.
//!
//! ```text
//! command = keyword *( WS argument ) CRLF                        ; 512 octets at most
//! reply   = 3DIGIT [ SP text ] CRLF [ *( stuffed-line CRLF ) "." CRLF ]
//! post    = "POST" CRLF          ; 340 send the article, perhaps with a recommended Message-ID, or 440 not allowed
//! article = *( stuffed-line CRLF ) "." CRLF      ; 240 accepted, or 441 refused
//! ```
//!
//! The command and the code together determine whether a block follows, so every command here lists the codes that it
//! accepts; after any other reply the dialogue must be dropped. A server that offers or has offered STARTTLS gets no
//! password before TLS begins, unless the user allows it ([`PlainLogin`]). RFC 8054 (COMPRESS) is used if requested. If
//! a server has no overview, the headers of articles are fetched by HDR or XHDR, or one by one. Commands that depend on
//! no reply are sent together ([`Dialogue::send_ahead`]).
//! Posting has two steps: after a failure in the second one it is unknown whether the article was accepted.

mod headers;
mod ids;
mod list;
mod login;
mod open;
mod overview;
mod progress;
mod reply;

use std::collections::VecDeque;

use tokio::io::{AsyncRead, AsyncWrite};

use self::login::Login;
use self::open::Capability;
use self::progress::Progress;
use crate::net::line::Lines;
use crate::net::{Security, sendable};
use crate::protocol::octets;

pub use self::ids::{References, bare_id};
pub use self::list::{ActiveGroup, ServerDate, Wildmat, description, glob, parse_active, patterns};
pub use self::login::{Account, PlainLogin};
pub use self::open::{Compression, OpenMode};
pub use self::overview::{
    MailboxMessage, MessageText, Overview, mailbox_line, mailbox_message, overview, overview_line,
};
pub use self::reply::{NntpError, PassingRefusal, Reply, WaterMarks};

/// The longest command without its CRLF, in octets (RFC 3977, section 3.1).
const COMMAND: usize = 510;

/// The longest Message-ID, in octets (RFC 3977, section 3.6).
const MESSAGE_ID: usize = 250;

/// The most articles that are requested before they are read. More are requested when half of them have come.
pub const ARTICLES_AHEAD: usize = 32;

/// The names of arguments, for the errors that refuse them.
const GROUP: &str = "the name of the group";
const PATTERN: &str = "the pattern of groups";

/// The identification of an article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArticleId<'a> {
    /// The name of a group, and the number in it.
    Number(&'a [u8], u64),
    /// The Message-ID, without the angle brackets.
    MessageId(&'a [u8]),
}

/// The kind of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Groups with their marks.
    Active,
    /// Groups with their marks and counts (RFC 6048, section 3).
    Counts,
    /// Groups with their descriptions.
    Newsgroups,
}

/// A dialogue with a server. After any error it is out of step and must be dropped.
#[derive(Debug)]
pub struct Dialogue<S> {
    lines: Lines<S>,
    /// The announced capabilities; `None` if the server does not support CAPABILITIES.
    capabilities: Option<Vec<Capability>>,
    login: Login,
    group: Option<Vec<u8>>,
    /// True if the last greeting said that posting is prohibited (201).
    prohibits_posts: bool,
    /// The keywords of commands that the server does not support, each with its reply.
    unsupported: Vec<(&'static str, Reply)>,
    security: Security,
    plain_login: PlainLogin,
    compression: Compression,
    progress: Progress,
    /// The commands that were sent before they are asked.
    sent_ahead: VecDeque<Vec<u8>>,
    /// True if the server was found to lose commands that are sent together.
    loses_windows: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Returns true if this dialogue can be used with `account`; without an account any dialogue can. A dialogue that
    /// is not logged in yet takes the account for its login.
    pub fn accepts_account(&mut self, account: Option<&Account>) -> bool {
        match (account, &self.login) {
            (None, _) => true,
            (Some(account), Login::Authenticated(current)) => account == current,
            (Some(account), Login::Anonymous | Login::Ready(_)) => {
                self.login = Login::Ready(account.clone());
                true
            }
        }
    }

    /// Selects a group.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 411 if there is no such group.
    pub async fn group(&mut self, name: &[u8]) -> Result<WaterMarks, NntpError> {
        self.group = None;
        let command = [b"GROUP ", argument(name, GROUP)?].concat();
        let reply = self.ask(&command, GROUP).await?.with_code(211)?;
        self.group = Some(name.to_vec());
        Ok(reply.marks())
    }

    /// Requests the overview of `first` to `last` in the selected group. Returns true if a block follows, to be read by
    /// [`Dialogue::block`]; false if there are no articles in that range.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn over(&mut self, first: u64, last: u64) -> Result<bool, NntpError> {
        loop {
            let keyword = self.over_keyword();
            if let Some(reply) = self.refusal_of(keyword) {
                return Err(reply.into());
            }
            let command = format!("{keyword} {first}-{last}");
            let reply = self.ask(command.as_bytes(), "the range").await?;
            match reply.code {
                224 => return Ok(true),
                420 | 423 => return Ok(false),
                500 if reply.is_unsupported() => self.unsupported.push((keyword, reply)),
                501 if keyword == "OVER" => self.unsupported.push((keyword, reply)),
                _ => return Err(reply.into()),
            }
        }
    }

    fn over_keyword(&self) -> &'static str {
        if self.has(Capability::Over) && self.refusal_of("OVER").is_none() {
            "OVER"
        } else {
            "XOVER"
        }
    }

    /// The reply to an earlier command that the server does not support.
    fn refusal_of(&self, keyword: &str) -> Option<Reply> {
        let mut unsupported = self.unsupported.iter();
        let refused = unsupported.find(|(refused, _)| *refused == keyword);
        refused.map(|(_, reply)| reply.clone())
    }

    /// Sends the commands that select a group and request the overview of these numbers, in one window. Returns false
    /// if they are not sent together.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn send_overview_ahead(
        &mut self,
        group: &[u8],
        (first, last): (u64, u64),
    ) -> Result<bool, NntpError> {
        let select = [b"GROUP ", argument(group, GROUP)?].concat();
        let keyword = self.over_keyword();
        if self.refusal_of(keyword).is_some() {
            return Ok(false);
        }
        let over = format!("{keyword} {first}-{last}");
        self.send_ahead(&[&select, over.as_bytes()]).await?;
        Ok(!self.sent_ahead.is_empty())
    }

    /// Requests the headers of an article of the selected group, to be read by [`Dialogue::block`]. Returns false if
    /// there is no such article.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn head(&mut self, number: u64) -> Result<bool, NntpError> {
        let command = format!("HEAD {number}");
        let reply = self.ask(command.as_bytes(), "the number").await?;
        match reply.code {
            221 => Ok(true),
            420 | 423 | 430 => Ok(false),
            _ => Err(reply.into()),
        }
    }

    /// Requests an article, to be read by [`Dialogue::block`].
    ///
    /// # Errors
    /// [`NntpError::Declined`] with 411 if the group does not exist, 423 or 430 if the article does not;
    /// [`NntpError::Unsendable`] before anything is sent.
    pub async fn article(&mut self, id: ArticleId<'_>) -> Result<(), NntpError> {
        self.ask_article("ARTICLE", id, 220).await
    }

    /// Sends the commands for articles of a group that are read one after the other: the first one, and those that
    /// follow it, up to [`ARTICLES_AHEAD`]. The group is selected in the same window, even if it is selected already: a
    /// server may know only the articles that were there then.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn send_articles_ahead(
        &mut self,
        group: &[u8],
        numbers: &[u64],
    ) -> Result<(), NntpError> {
        if !self.takes_more(numbers.len()) {
            return Ok(());
        }
        let is_first = self.sent_ahead.is_empty();
        let mut window = Vec::new();
        if is_first || self.group.as_deref() != Some(group) {
            window.push([b"GROUP ", argument(group, GROUP)?].concat());
        }
        let numbers = numbers.iter().take(ARTICLES_AHEAD);
        window.extend(numbers.map(|number| format!("ARTICLE {number}").into_bytes()));
        if is_first {
            self.group = None;
        }
        self.send_more_ahead(window).await
    }

    /// Sends the commands for the headers of articles of the selected group that are read one after the other, up to
    /// [`ARTICLES_AHEAD`].
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn send_heads_ahead(&mut self, numbers: &[u64]) -> Result<(), NntpError> {
        if !self.takes_more(numbers.len()) {
            return Ok(());
        }
        let next = numbers.iter().take(ARTICLES_AHEAD);
        let next = next.map(|number| format!("HEAD {number}").into_bytes());
        self.send_more_ahead(next.collect()).await
    }

    /// Returns true if no command was sent whose reply would have to be dropped before a request: for this article, or
    /// for anything else.
    pub fn is_ready_for(&self, id: Option<ArticleId<'_>>) -> bool {
        let Some(next) = self.sent_ahead.front() else {
            return true;
        };
        let Some(ArticleId::Number(group, number)) = id else {
            return false;
        };
        self.group.as_deref() == Some(group) && *next == format!("ARTICLE {number}").into_bytes()
    }

    /// Checks whether an article exists.
    ///
    /// # Errors
    /// The same as [`Dialogue::article`].
    pub async fn stat(&mut self, id: ArticleId<'_>) -> Result<(), NntpError> {
        self.ask_article("STAT", id, 223).await
    }

    /// Sends a command about an article; `code` is the only reply that is no error. The group is selected only if
    /// another one is: a round trip less for each article. A server may have forgotten the group (412), or know only
    /// the articles that were there when it was selected (423); then it is selected again. In a window 423 is the
    /// answer to its own article alone.
    async fn ask_article(
        &mut self,
        keyword: &str,
        id: ArticleId<'_>,
        code: u16,
    ) -> Result<(), NntpError> {
        let (article, group) = match id {
            ArticleId::Number(group, number) => (number.to_string().into_bytes(), Some(group)),
            ArticleId::MessageId(id) => (message_id(id)?, None),
        };
        let command = [keyword.as_bytes(), b" ", &article].concat();
        let changed = group.filter(|name| self.group.as_deref() != Some(name));
        if let Some(name) = changed {
            self.group(name).await?;
        }
        let in_window = self.sent_ahead.front() == Some(&command);
        let mut reply = self.ask(&command, "the Message-ID").await?;
        let is_stale = match reply.code {
            412 => true,
            423 => !in_window,
            _ => false,
        };
        if let Some(name) = group.filter(|_| changed.is_none() && is_stale) {
            self.group(name).await?;
            reply = self.ask(&command, "the Message-ID").await?;
        }
        let reply = reply.with_code(code)?;
        let own: Option<u64> = octets::words(&reply.line).nth(1).and_then(octets::number);
        match (id, own) {
            // A server that takes no windows may answer out of step.
            (ArticleId::Number(_, number), Some(own)) if in_window && own > 0 && own != number => {
                self.progress.begin();
                Err(NntpError::Malformed(reply))
            }
            (ArticleId::Number(..) | ArticleId::MessageId(_), _) => Ok(()),
        }
    }

    /// Requests a list, to be read by [`Dialogue::block`].
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn list(&mut self, list: List, pattern: Option<&[u8]>) -> Result<(), NntpError> {
        let keywords: &[u8] = match list {
            List::Active => b"LIST ACTIVE",
            List::Counts => b"LIST COUNTS",
            List::Newsgroups => b"LIST NEWSGROUPS",
        };
        let mut command = keywords.to_vec();
        if let Some(pattern) = pattern {
            command.push(b' ');
            command.extend_from_slice(argument(pattern, PATTERN)?);
        }
        let reply = self.ask(&command, PATTERN).await?;
        reply.with_code(215).map(drop)
    }

    /// Returns true if the server announced LIST COUNTS.
    pub fn has_counts(&self) -> bool {
        self.has(Capability::Counts)
    }

    /// Returns true if the server refuses posts: its greeting says so, and its capabilities do not say otherwise.
    pub fn refuses_posts(&self) -> bool {
        self.prohibits_posts && !self.has(Capability::Post)
    }

    fn has(&self, capability: Capability) -> bool {
        let mut capabilities = self.capabilities.iter().flatten();
        capabilities.any(|announced| *announced == capability)
    }

    /// Sends a command and reads its status line. If the server requires a login (480) or another mode (401) first,
    /// that is done, the group is selected again, and the command is repeated.
    async fn ask(&mut self, command: &[u8], what: &'static str) -> Result<Reply, NntpError> {
        let mut reply = self.exchange(command, what).await?;
        if reply.code == 401 && !self.lines.is_deflated() {
            self.mode_reader().await?;
            self.select_again().await?;
            reply = self.exchange(command, what).await?;
        }
        if reply.code == 480 {
            self.log_in(reply).await?;
            // The user may have more commands.
            self.unsupported.clear();
            self.compress().await?;
            self.select_again().await?;
            reply = self.exchange(command, what).await?;
        }
        Ok(reply)
    }

    /// Selects the current group again: after a login or a change of mode the server may have lost it.
    async fn select_again(&mut self) -> Result<(), NntpError> {
        let Some(name) = self.group.clone() else {
            return Ok(());
        };
        let group = [b"GROUP ", argument(&name, GROUP)?].concat();
        let selected = self.exchange(&group, GROUP).await?;
        selected.with_code(211).map(drop)
    }

    /// Sends one command and reads one status line.
    async fn exchange(&mut self, command: &[u8], what: &'static str) -> Result<Reply, NntpError> {
        if command.len() > COMMAND {
            return Err(NntpError::Unsendable {
                what,
                reason: "is too long for a command",
            });
        }
        if self.was_sent_ahead(command).await? {
            return self.status().await;
        }
        if self.lines.is_ahead() {
            return Err(NntpError::UnexpectedData);
        }
        self.write_command(command, what).await?;
        self.status().await
    }
}

/// Checks one argument of a command (RFC 3977, section 3.1).
///
/// # Errors
/// [`NntpError::Unsendable`] if it is empty or contains white space, which would begin another argument. Line breaks
/// and NUL are refused when they are sent.
fn argument<'a>(octets: &'a [u8], what: &'static str) -> Result<&'a [u8], NntpError> {
    sendable(octets, what)?;
    let reason = if octets.is_empty() {
        "is empty"
    } else if octets.iter().any(u8::is_ascii_whitespace) {
        "contains a blank, which would begin another argument"
    } else {
        return Ok(octets);
    };
    Err(NntpError::Unsendable { what, reason })
}

/// Checks a Message-ID and adds its angle brackets (RFC 3977, section 3.6).
///
/// # Errors
/// [`NntpError::Unsendable`] if it contains a control character, a blank or a bracket, or is too long.
pub fn message_id(id: &[u8]) -> Result<Vec<u8>, NntpError> {
    let what = "the Message-ID";
    sendable(id, what)?;
    let id = id.strip_prefix(b"<").unwrap_or(id);
    let id = id.strip_suffix(b">").unwrap_or(id);
    let reason = if id.len() + 2 > MESSAGE_ID {
        "is longer than 250 octets"
    } else if id.iter().any(|octet| *octet <= b' ' || *octet == 0x7F) {
        "contains a blank or a control character"
    } else if id.iter().any(|octet| matches!(octet, b'<' | b'>')) {
        "contains an angle bracket"
    } else {
        return Ok([b"<", id, b">"].concat());
    };
    Err(NntpError::Unsendable { what, reason })
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Sends POST; if the server agrees, [`Dialogue::send_article`] is next. Returns the Message-ID that the server
    /// recommends, with its angle brackets, if any.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 440 if posting is not allowed.
    pub async fn post(&mut self) -> Result<Option<Vec<u8>>, NntpError> {
        let reply = self.ask(b"POST", "the command").await?;
        Ok(recommended(&reply.with_code(340)?.line))
    }

    /// Sends an article after [`Dialogue::post`]: `article` is the octets of head and body, with line ends LF or CR LF.
    /// Returns the reply of the server.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 441 if it was refused. After any other error it is unknown whether
    /// it was accepted.
    pub async fn send_article(&mut self, article: &[u8]) -> Result<Reply, NntpError> {
        self.lines.send_block(article).await?;
        Reply::parse(self.lines.line().await?)?.with_code(240)
    }
}

/// Returns the Message-ID in the text of a reply.
fn recommended(line: &[u8]) -> Option<Vec<u8>> {
    let words = line.split(u8::is_ascii_whitespace);
    let mut ids = words.filter(|word| word.starts_with(b"<") && word.ends_with(b">"));
    let id = ids.next()?;
    let inside = id.strip_prefix(b"<")?.strip_suffix(b">")?;
    let is_id = inside.contains(&b'@') && message_id(inside).is_ok();
    is_id.then(|| id.to_vec())
}
