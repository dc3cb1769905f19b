//! News on the wire: a dialogue by RFC 3977, with RFC 4643 (names and passwords) and RFC 6048 (LIST COUNTS), and with
//! the servers of RFC 977 and 2980 that never heard of them.
//!
//! ```text
//! command = keyword *( WS argument ) CRLF                        ; 512 octets at most
//! reply   = 3DIGIT [ SP text ] CRLF [ *( stuffed-line CRLF ) "." CRLF ]
//! ```
//!
//! Whether a block follows is known from the command and the code together, so every command here names the codes
//! that it takes; after any other reply the dialogue must be dropped. A server that offers STARTTLS, or has done so,
//! gets no password before it has begun, unless a person lets it ([`PlainLogin`]). RFC 8054 (COMPRESS) is spoken where it is wished for. Where a server keeps no overview, the
//! heads of articles are asked for one by one. Left out: pipelining.

mod capabilities;
mod compress;
mod head;
mod list;
mod login;
mod open;
mod overview;
mod post;
mod reply;
mod since;
mod wildmat;

use tokio::io::{AsyncRead, AsyncWrite};

use self::capabilities::{Capabilities, Capability};
pub use self::compress::Compression;
pub use self::head::overview_line;
pub use self::list::{Active, active, description};
use self::login::Login;
pub use self::login::{Account, PlainLogin};
pub use self::open::Opening;
pub use self::overview::{Overview, overview};
pub use self::reply::{NntpError, Reply};
pub use self::since::{ServerDate, patterns};
pub use self::wildmat::{Wildmat, glob};
use crate::net::line::Lines;
use crate::net::{Security, sendable};

/// The longest command without its CRLF, in octets (RFC 3977, section 3.1).
const COMMAND: usize = 510;

/// The longest Message-ID, in octets (RFC 3977, section 3.6).
const MESSAGE_ID: usize = 250;

/// What an argument is, for the sentence that refuses it.
const GROUP: &str = "the name of the group";
const PATTERN: &str = "the pattern of groups";

/// What a group holds, by the server's word, which is not to be trusted in sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// How many articles, about.
    pub count: u64,
    /// The lowest number.
    pub low: u64,
    /// The highest number.
    pub high: u64,
}

impl Marks {
    /// Whether the marks say that there is nothing (RFC 3977, section 6.1.1.2). A group whose marks do not may be empty
    /// all the same.
    pub fn is_empty(self) -> bool {
        self.high < self.low || (self.high == 0 && self.count == 0)
    }
}

/// Which article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which<'a> {
    /// By its number in the selected group.
    Number(u64),
    /// By its Message-ID, without the angle brackets.
    Id(&'a [u8]),
}

/// Which list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Groups with their marks.
    Active,
    /// Groups with their marks and counts (RFC 6048, section 3).
    Counts,
    /// Groups with their descriptions.
    Newsgroups,
}

/// A conversation with a server. After any error it is out of step and must be dropped.
#[derive(Debug)]
pub struct Dialogue<S> {
    lines: Lines<S>,
    /// What the server announced; nothing when it knows no CAPABILITIES.
    capabilities: Option<Capabilities>,
    login: Login,
    group: Option<Vec<u8>>,
    /// The server has told that it knows XOVER only.
    has_no_over: bool,
    security: Security,
    plain_login: PlainLogin,
    compression: Compression,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Whether this dialogue serves a reader who gave `account`; one without an account takes any. Whoever is not yet
    /// logged in becomes that reader.
    pub fn serves(&mut self, account: Option<&Account>) -> bool {
        match (account, &self.login) {
            (None, _) => true,
            (Some(wanted), Login::Member(member)) => wanted == member,
            (Some(wanted), Login::Stranger | Login::Ready(_)) => {
                self.login = Login::Ready(wanted.clone());
                true
            }
        }
    }

    /// Selects a group.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 411 when there is no such group.
    pub async fn group(&mut self, name: &[u8]) -> Result<Marks, NntpError> {
        self.group = None;
        let command = [b"GROUP ", argument(name, GROUP)?].concat();
        let reply = self.ask(&command, GROUP).await?;
        match reply.code {
            211 => {
                self.group = Some(name.to_vec());
                Ok(reply.marks())
            }
            _ => Err(reply.into()),
        }
    }

    /// Asks for the overview of `first` to `last` in the selected group. Whether a block follows, to be read by
    /// [`Dialogue::block`]: none does when there are no articles in that range.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn over(&mut self, first: u64, last: u64) -> Result<bool, NntpError> {
        loop {
            let over = self.has(Capability::Over) && !self.has_no_over;
            let keyword = if over { "OVER" } else { "XOVER" };
            let command = format!("{keyword} {first}-{last}");
            let reply = self.ask(command.as_bytes(), "the range").await?;
            match reply.code {
                224 => return Ok(true),
                420 | 423 => return Ok(false),
                500 | 501 if over => self.has_no_over = true,
                _ => return Err(reply.into()),
            }
        }
    }

    /// Asks for the headers of an article of the selected group; their octets are then read by [`Dialogue::block`].
    /// Whether there is such an article.
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

    /// Asks for an article; its octets are then read by [`Dialogue::block`].
    ///
    /// # Errors
    /// [`NntpError::Declined`] with 423 or 430 when it is not there; [`NntpError::Unsendable`] before anything is sent.
    pub async fn article(&mut self, which: Which<'_>) -> Result<(), NntpError> {
        let reply = self.ask_of("ARTICLE", which).await?;
        match reply.code {
            220 => Ok(()),
            _ => Err(reply.into()),
        }
    }

    /// Asks whether there is such an article.
    ///
    /// # Errors
    /// As [`Dialogue::article`].
    pub async fn stat(&mut self, which: Which<'_>) -> Result<(), NntpError> {
        let reply = self.ask_of("STAT", which).await?;
        match reply.code {
            223 => Ok(()),
            _ => Err(reply.into()),
        }
    }

    /// Asks something of an article.
    async fn ask_of(&mut self, keyword: &str, which: Which<'_>) -> Result<Reply, NntpError> {
        let article = match which {
            Which::Number(number) => number.to_string().into_bytes(),
            Which::Id(id) => message_id(id)?,
        };
        let command = [keyword.as_bytes(), b" ", &article].concat();
        self.ask(&command, "the Message-ID").await
    }

    /// Asks for a list; its lines are then read by [`Dialogue::block`].
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
        match reply.code {
            215 => Ok(()),
            _ => Err(reply.into()),
        }
    }

    /// Whether LIST COUNTS is announced.
    pub fn has_counts(&self) -> bool {
        self.has(Capability::Counts)
    }

    /// The next run of the block that follows the reply; `None` at its end.
    ///
    /// # Errors
    /// [`NntpError::Net`].
    pub async fn block(&mut self) -> Result<Option<Vec<u8>>, NntpError> {
        Ok(self.lines.block().await?)
    }

    fn has(&self, capability: Capability) -> bool {
        let known = self.capabilities.as_ref();
        known.is_some_and(|known| known.has(capability))
    }

    /// Sends a command and reads its status line. Where the server wants to know first who reads (480), or in which mode
    /// (401), it is told, the group is selected again, and the command is repeated.
    async fn ask(&mut self, command: &[u8], what: &'static str) -> Result<Reply, NntpError> {
        let mut reply = self.exchange(command, what).await?;
        if reply.code == 401 && !self.lines.is_deflated() {
            self.mode_reader().await?;
            self.select_again().await?;
            reply = self.exchange(command, what).await?;
        }
        if reply.code == 480 {
            self.log_in(reply).await?;
            self.compress().await?;
            self.select_again().await?;
            reply = self.exchange(command, what).await?;
        }
        Ok(reply)
    }

    /// Selects the group that was selected: a server that knows its reader better, or another mode, may have let it go.
    async fn select_again(&mut self) -> Result<(), NntpError> {
        let Some(name) = self.group.clone() else {
            return Ok(());
        };
        let group = [b"GROUP ", argument(&name, GROUP)?].concat();
        let selected = self.exchange(&group, GROUP).await?;
        match selected.code {
            211 => Ok(()),
            _ => Err(selected.into()),
        }
    }

    /// One command, one status line, nothing else.
    async fn exchange(&mut self, command: &[u8], what: &'static str) -> Result<Reply, NntpError> {
        if command.len() > COMMAND {
            return Err(NntpError::Unsendable {
                what,
                why: "is longer than a command may be",
            });
        }
        if self.lines.is_ahead() {
            return Err(NntpError::Ahead);
        }
        self.lines.send(command, what).await?;
        Reply::parse(self.lines.line().await?)
    }
}

/// One argument of a command, as it is (RFC 3977, section 3.1).
///
/// # Errors
/// [`NntpError::Unsendable`] when it is empty, or holds white space, which would begin another argument; line breaks and
/// NUL are refused when they are sent.
fn argument<'a>(octets: &'a [u8], what: &'static str) -> Result<&'a [u8], NntpError> {
    sendable(octets, what)?;
    let why = if octets.is_empty() {
        "is empty"
    } else if octets.iter().any(u8::is_ascii_whitespace) {
        "holds a blank, which would begin another argument"
    } else {
        return Ok(octets);
    };
    Err(NntpError::Unsendable { what, why })
}

/// A Message-ID with its angle brackets, fit to be sent (RFC 3977, section 3.6).
///
/// # Errors
/// [`NntpError::Unsendable`] when it holds a control character, a blank or a bracket, or is too long.
pub fn message_id(id: &[u8]) -> Result<Vec<u8>, NntpError> {
    let what = "the Message-ID";
    sendable(id, what)?;
    let id = id.strip_prefix(b"<").unwrap_or(id);
    let id = id.strip_suffix(b">").unwrap_or(id);
    let why = if id.len() + 2 > MESSAGE_ID {
        "is longer than 250 octets"
    } else if id.iter().any(|octet| *octet <= b' ' || *octet == 0x7F) {
        "holds a blank or a control character"
    } else if id.iter().any(|octet| matches!(octet, b'<' | b'>')) {
        "holds an angle bracket"
    } else {
        return Ok([b"<", id, b">"].concat());
    };
    Err(NntpError::Unsendable { what, why })
}
