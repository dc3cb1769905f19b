//! Who, where, and at which port (RFC 1738, sections 3.1 and 5).
//!
//! ```text
//! login       = [ user [ ":" password ] "@" ] hostport
//! hostport    = host [ ":" port ]
//! host        = hostname | hostnumber
//! hostname    = *[ domainlabel "." ] toplabel
//! domainlabel = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
//! toplabel    = alpha | alpha *[ alphadigit | "-" ] alphadigit
//! hostnumber  = digits "." digits "." digits "." digits
//! port        = digits
//! user        = *[ uchar | ";" | "?" | "&" | "=" ]
//! password    = *[ uchar | ";" | "?" | "&" | "=" ]
//! ```
//!
//! Beyond the letter: a label has at most 63 octets and a host 255 (RFC 1034), a group of a hostnumber has one to three
//! digits and is at most 255, a port at most 65535. IPv6 literals, underscores and a trailing dot are faults.

use std::fmt;

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{ALPHADIGIT, Class, DIGIT, Encoded, USER};

const HOST: Rule = Rule("host", "3.1");
const HOSTNAME: Rule = Rule("hostname", "3.1");
const DOMAINLABEL: Rule = Rule("domainlabel", "3.1");
const TOPLABEL: Rule = Rule("toplabel", "3.1");
const HOSTNUMBER: Rule = Rule("hostnumber", "3.1");
const PORT: Rule = Rule("port", "3.1");
const HOST_CHARS: Class = ALPHADIGIT.and(b"-.");

/// A host and its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPort<'a> {
    /// Host and port as written.
    pub text: &'a str,
    /// The host as written; a host has no escapes.
    pub host: &'a str,
    /// The port that is written.
    pub written_port: Option<u16>,
    /// The port of the scheme.
    pub default_port: Option<u16>,
}

impl HostPort<'_> {
    /// The port to connect to: the one written, else the scheme's own. Nothing where neither is known.
    pub fn port(&self) -> Option<u16> {
        self.written_port.or(self.default_port)
    }
}

/// A host, its port, and who asks there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Login<'a> {
    /// The user; an empty one is not the same as none.
    pub user: Option<Encoded<'a>>,
    /// The password; never without a user, and an empty one is not the same as none.
    pub password: Option<Encoded<'a>>,
    /// The host and its port.
    pub address: HostPort<'a>,
}

impl fmt::Debug for Login<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .field("password", &self.password.map(|_| "***"))
            .field("address", &self.address)
            .finish()
    }
}

/// `login`, up to the slash after it or the end.
pub(super) fn login<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<Login<'a>, ParseError> {
    let mut user = None;
    let mut password = None;
    if names_a_user(cursor) {
        user = Some(Encoded::new(cursor.run(&USER)));
        if cursor.eat(b':') {
            password = Some(Encoded::new(cursor.run(&USER)));
        }
        if !cursor.eat(b'@') {
            let rule = if password.is_some() {
                "password"
            } else {
                "user"
            };
            return Err(cursor.stray(Rule(rule, "3.1")));
        }
    }
    Ok(Login {
        user,
        password,
        address: address(cursor, default_port)?,
    })
}

/// `hostport`, in a scheme without users.
pub(super) fn hostport<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<HostPort<'a>, ParseError> {
    let start = *cursor;
    address(cursor, default_port).map_err(|error| {
        if names_a_user(&start) {
            let len = start.rest().find('@').map_or(0, |at| at + 1);
            start.error(len, Rule("hostport", "3.1"), Message::NoUser)
        } else {
            error
        }
    })
}

/// Only an `@` before the first slash ends a user: elsewhere it is data.
fn names_a_user(cursor: &Cursor<'_>) -> bool {
    let mut octets = cursor.rest().bytes();
    octets.find(|octet| matches!(octet, b'@' | b'/')) == Some(b'@')
}

fn address<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<HostPort<'a>, ParseError> {
    let start = *cursor;
    let host = host(cursor)?;
    let written_port = if cursor.eat(b':') {
        Some(port(cursor)?)
    } else {
        None
    };
    let text = start.rest().get(..cursor.at() - start.at());
    Ok(HostPort {
        text: text.unwrap_or(host),
        host,
        written_port,
        default_port,
    })
}

/// `host`, up to a `:`, a `/` or the end.
pub(super) fn host<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    let start = *cursor;
    let host = cursor.literals(&HOST_CHARS);
    if host.is_empty() && matches!(cursor.peek(), None | Some(b':' | b'/')) {
        return Err(cursor.missing(HOST, "a host"));
    }
    // Labels first: of two faults the left one is told.
    labels(start, host, cursor.peek())?;
    match cursor.peek() {
        None | Some(b':' | b'/') => Ok(host),
        Some(_) => {
            let message = Message::HostChar(cursor.found());
            Err(cursor.error(cursor.char_len(), HOSTNAME, message))
        }
    }
}

/// Checks the labels of `host`, which starts at `place`; `after` is the octet that follows it.
fn labels(mut place: Cursor<'_>, host: &str, after: Option<u8>) -> Result<(), ParseError> {
    let whole = matches!(after, None | Some(b':' | b'/'));
    let numeric = host
        .bytes()
        .all(|octet| octet.is_ascii_digit() || octet == b'.');
    if numeric && whole {
        return if four_groups(host) {
            Ok(())
        } else {
            Err(place.error(host.len(), HOSTNUMBER, Message::HostNumber))
        };
    }
    if host.len() > 255 {
        return Err(place.error(host.len(), HOST, Message::LongHost));
    }
    let mut labels = host.split('.').peekable();
    while let Some(label) = labels.next() {
        let last = labels.peek().is_none();
        let cut_short = last && !whole;
        let rule = if last { TOPLABEL } else { DOMAINLABEL };
        if label.is_empty() && !cut_short {
            let mut error = place.error(1, rule, Message::EmptyLabel);
            if last {
                // At the end it is the dot before that is one too many.
                error.at = error.at.saturating_sub(1);
            }
            return Err(error);
        }
        if label.len() > 63 {
            return Err(place.error(label.len(), rule, Message::LongLabel));
        }
        if last && !cut_short && label.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(place.error(label.len(), TOPLABEL, Message::TopLabel));
        }
        if label.starts_with('-') {
            return Err(place.error(1, rule, Message::Hyphen));
        }
        if label.ends_with('-') && !cut_short {
            place.take(label.len() - 1);
            return Err(place.error(1, rule, Message::Hyphen));
        }
        place.take(label.len() + 1);
    }
    Ok(())
}

fn four_groups(host: &str) -> bool {
    let mut count = 0;
    host.split('.').all(|group| {
        count += 1;
        matches!(group.len(), 1..=3) && group.parse::<u16>().is_ok_and(|value| value <= 255)
    }) && count == 4
}

/// `port`, up to a `/` or the end.
fn port(cursor: &mut Cursor<'_>) -> Result<u16, ParseError> {
    let start = *cursor;
    let digits = cursor.literals(&DIGIT);
    match cursor.peek() {
        None | Some(b'/') if digits.is_empty() => Err(start.error(0, PORT, Message::NoPort)),
        None | Some(b'/') => {
            let significant = digits.trim_start_matches('0');
            if significant.is_empty() {
                return Ok(0);
            }
            let value = significant.parse();
            value.map_err(|_| start.error(digits.len(), PORT, Message::LargePort))
        }
        Some(_) => Err(cursor.missing(PORT, "a digit of a port")),
    }
}
