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
//! Beyond the letter: a label has at most 63 octets, a host 255 (RFC 1034), a group of a hostnumber one to three digits and
//! at most 255, a port at most 65535. IPv6 literals, underscores, a trailing dot and an empty port are departures.

mod plain;

use std::fmt;
use std::net::Ipv6Addr;

use self::plain::{Place, four_groups};
use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{Message, ParseError, Rule};
use super::escape::{ALPHADIGIT, Class, DIGIT, Encoded, USER, span};

const HOST: Rule = Rule("host", "3.1");
const HOSTNAME: Rule = Rule("hostname", "3.1");
const DOMAINLABEL: Rule = Rule("domainlabel", "3.1");
const TOPLABEL: Rule = Rule("toplabel", "3.1");
const HOSTNUMBER: Rule = Rule("hostnumber", "3.1");
const PORT: Rule = Rule("port", "3.1");
const HOST_CHARS: Class = ALPHADIGIT.and(b"-.");
const LOOSE_CHARS: Class = HOST_CHARS.and(b"_");

/// A host and its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPort<'a> {
    /// Host and port as written.
    pub text: &'a str,
    /// The host as written, with the brackets of an IPv6 literal; a host has no escapes.
    pub host: &'a str,
    /// The port that is written.
    pub written_port: Option<u16>,
    /// The port of the scheme.
    pub default_port: Option<u16>,
}

impl<'a> HostPort<'a> {
    /// The port to connect to: the one written, else the scheme's own. Nothing where neither is known.
    pub fn port(&self) -> Option<u16> {
        self.written_port.or(self.default_port)
    }

    /// The host to look up or to dial: as written, without the brackets of an IPv6 literal.
    pub fn node(&self) -> &'a str {
        let inside = self.host.strip_prefix('[');
        let inside = inside.and_then(|host| host.strip_suffix(']'));
        inside.unwrap_or(self.host)
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
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "parts that are handed on in memory cost more than their parsing"
)]
pub(super) fn login<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<Login<'a>, ParseError> {
    let names = match Names::look(cursor.octets()) {
        Some(names) => names,
        None => names(cursor)?,
    };
    let user = names
        .user
        .map(|len| Encoded::new(cursor.take(len as usize)));
    let password = names.password.map(|len| {
        cursor.eat(b':');
        Encoded::new(cursor.take(len as usize))
    });
    cursor.eat(b'@');
    Ok(Login {
        user,
        password,
        address: names.place.take(cursor, default_port),
    })
}

/// `hostport`, in a scheme without users.
#[inline(always)]
#[allow(
    clippy::inline_always,
    reason = "parts that are handed on in memory cost more than their parsing"
)]
pub(super) fn hostport<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<HostPort<'a>, ParseError> {
    let place = match Place::look(cursor.octets()) {
        Some(place) => place,
        None => nameless(cursor)?,
    };
    Ok(place.take(cursor, default_port))
}

/// How long user, password, host and port are. It is small, and kept apart from what is made of it: parts that are
/// handed on as they are cost more than their parsing.
#[derive(Clone, Copy)]
struct Names {
    user: Option<u32>,
    password: Option<u32>,
    place: Place,
}

impl Names {
    #[inline]
    const fn none(place: Place) -> Self {
        Names {
            user: None,
            password: None,
            place,
        }
    }

    /// A `login` at the start of `octets`, as nearly all URLs have it; nothing where it takes a longer look.
    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "lengths that are handed on in memory cost more than their counting"
    )]
    fn look(octets: &[u8]) -> Option<Self> {
        if !sign_is_near(octets) {
            return Place::look(octets).map(Names::none);
        }
        let user = span(octets, &USER);
        let (mut end, mut password) = (user, None);
        if octets.get(end) == Some(&b':') {
            let len = span(octets.get(end + 1..)?, &USER);
            password = Some(small(len));
            end += 1 + len;
        }
        let address = octets.get(end..)?.strip_prefix(b"@")?;
        Some(Names {
            user: Some(small(user)),
            password,
            place: Place::look(address)?,
        })
    }
}

/// Whether an `@` stands so near that a user is likely. All octets are asked, which takes less than to stop at the first.
#[inline]
fn sign_is_near(octets: &[u8]) -> bool {
    let sign = |octet: &u8| u8::from(*octet == b'@');
    let near = octets.first_chunk::<16>();
    near.is_some_and(|near| near.iter().fold(0, |any, octet| any | sign(octet)) != 0)
}

/// The longer look at a `login`. Nothing is taken, only departures are noted.
#[inline(never)]
fn names(cursor: &mut Cursor<'_>) -> Result<Names, ParseError> {
    if !names_a_user(cursor) {
        return Ok(Names::none(place(cursor)?));
    }
    let mut after = *cursor;
    let user = after.run(&USER);
    let password = after.eat(b':').then(|| after.run(&USER));
    if !after.eat(b'@') {
        let rule = if password.is_some() {
            "password"
        } else {
            "user"
        };
        return Err(after.stray(Rule(rule, "3.1")));
    }
    let place = match Place::look(after.octets()) {
        Some(place) => place,
        None => self::place(&mut after)?,
    };
    cursor.departed_as(&after);
    Ok(Names {
        user: Some(small(user.len())),
        password: password.map(|password| small(password.len())),
        place,
    })
}

/// The longer look at a `hostport`. Nothing is taken, only departures are noted.
#[inline(never)]
fn nameless(cursor: &mut Cursor<'_>) -> Result<Place, ParseError> {
    place(cursor).map_err(|error| {
        if names_a_user(cursor) {
            let len = cursor.rest().find('@').map_or(0, |at| at + 1);
            cursor.error(len, Rule("hostport", "3.1"), Message::NoUser)
        } else {
            error
        }
    })
}

fn place(cursor: &mut Cursor<'_>) -> Result<Place, ParseError> {
    let mut after = *cursor;
    let host = small(host(&mut after)?.len());
    let port = if after.eat(b':') {
        port(&mut after)?
    } else {
        None
    };
    cursor.departed_as(&after);
    Ok(Place {
        host,
        text: small(after.since(cursor).len()),
        port,
    })
}

/// A text in memory is shorter than 4 GiB, or there is no URL in it.
fn small(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Only an `@` before the first slash ends a user: elsewhere it is data.
fn names_a_user(cursor: &Cursor<'_>) -> bool {
    let mut octets = cursor.rest().bytes();
    octets.find(|octet| matches!(octet, b'@' | b'/')) == Some(b'@')
}

/// `host`, up to a `:`, a `/` or the end; or what a later document allows in its place.
pub(super) fn host<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    let start = *cursor;
    let fault = match strict_host(cursor) {
        Ok(host) => return Ok(host),
        Err(fault) => fault,
    };
    *cursor = start;
    if cursor.may_depart()
        && let Some(host) = ipv6(cursor).or_else(|| loose_host(cursor))
    {
        return Ok(host);
    }
    Err(fault)
}

/// `host` to the letter, up to a `:`, a `/` or the end.
pub(super) fn strict_host<'a>(cursor: &mut Cursor<'a>) -> Result<&'a str, ParseError> {
    if let Some(len) = plain::host(cursor.octets())
        && matches!(cursor.octets().get(len), None | Some(b':' | b'/'))
    {
        return Ok(cursor.take(len));
    }
    let start = *cursor;
    let host = cursor.literals(&HOST_CHARS);
    if host.is_empty() && matches!(cursor.peek(), None | Some(b':' | b'/')) {
        return Err(cursor.missing(HOST, "a host"));
    }
    // Labels first: of two faults the left one is told.
    labels(start, host, cursor.peek())?;
    match cursor.peek() {
        None | Some(b':' | b'/') => Ok(host),
        Some(octet) => {
            let found = Message::HostChar(cursor.found());
            let message = if octet == b'#' {
                Message::Fragment
            } else {
                found
            };
            Err(cursor.error(cursor.char_len(), HOSTNAME, message))
        }
    }
}

/// `[` IPv6 address `]` (RFC 3986, section 3.2.2; without a zone); nothing, and nothing taken, where none stands here.
fn ipv6<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let inside = cursor.rest().strip_prefix('[')?;
    let (literal, after) = inside.split_once(']')?;
    literal.parse::<Ipv6Addr>().ok()?;
    if !matches!(after.bytes().next(), None | Some(b':' | b'/')) {
        return None;
    }
    let host = cursor.take(literal.len() + 2);
    cursor.depart(Departure::Ipv6);
    Some(host)
}

/// A host as the DNS knows it: with underscores, and with the dot of the root at its end; nothing, and nothing taken,
/// where none stands here.
fn loose_host<'a>(cursor: &mut Cursor<'a>) -> Option<&'a str> {
    let mut after = *cursor;
    let host = after.literals(&LOOSE_CHARS);
    if !matches!(after.peek(), None | Some(b':' | b'/')) {
        return None;
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    if name.is_empty() || labels(*cursor, name, None).is_err() {
        return None;
    }
    if name.len() < host.len() {
        after.depart(Departure::TrailingDot);
    }
    if name.contains('_') {
        after.depart(Departure::Underscore);
    }
    *cursor = after;
    Some(host)
}

/// Checks the labels of `host`, which starts at `place`; `after` is the octet that follows it.
fn labels(mut place: Cursor<'_>, host: &str, after: Option<u8>) -> Result<(), ParseError> {
    let whole = matches!(after, None | Some(b':' | b'/'));
    let numeric = host
        .bytes()
        .all(|octet| octet.is_ascii_digit() || octet == b'.');
    if numeric && whole {
        return if four_groups(host.as_bytes()) {
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

/// `port`, up to a `/` or the end; none where a later document lets it be empty.
fn port(cursor: &mut Cursor<'_>) -> Result<Option<u16>, ParseError> {
    let start = *cursor;
    let digits = cursor.literals(&DIGIT);
    match cursor.peek() {
        None | Some(b'/') if digits.is_empty() => {
            if cursor.may_depart() {
                cursor.depart(Departure::EmptyPort);
                return Ok(None);
            }
            Err(start.error(0, PORT, Message::NoPort))
        }
        None | Some(b'/') => {
            let significant = digits.trim_start_matches('0');
            if significant.is_empty() {
                return Ok(Some(0));
            }
            let value = significant.parse().map(Some);
            value.map_err(|_| start.error(digits.len(), PORT, Message::LargePort))
        }
        Some(_) => Err(cursor.missing(PORT, "a digit of a port")),
    }
}
