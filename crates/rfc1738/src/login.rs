//! User, password, host and port (RFC 1738, sections 3.1 and 5).
//!
//! ```text
//! login       = [ user [ ":" password ] "@" ] hostport
//! hostport    = host [ ":" port ]
//! port        = digits
//! user        = *[ uchar | ";" | "?" | "&" | "=" ]
//! password    = *[ uchar | ";" | "?" | "&" | "=" ]
//! ```
//!
//! A limit that is not in the grammar: a port is at most 65535. An empty port is a departure.

use std::fmt;
use std::net::Ipv6Addr;

use super::cursor::Cursor;
use super::departure::Departure;
use super::error::{Message, ParseError, Rule};
use super::escape::{DIGIT, Encoded, USER, span};
use super::host::host;
use super::host::plain::HostPortLengths;

const PORT: Rule = Rule("port", "3.1");

/// A host and its port.
///
/// ```
/// use rfc1738::Url;
///
/// let url = Url::parse("telnet://ada@h.example:2323/").unwrap();
/// let address = url.base_parts().address().unwrap();
/// assert_eq!((address.host, address.written_port), ("h.example", Some(2323)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostPort<'a> {
    /// Host and port as written.
    pub text: &'a str,
    /// The host as written, with the brackets of an IPv6 literal; a host has no escapes.
    pub host: &'a str,
    /// The port as written.
    pub written_port: Option<u16>,
    /// The default port of the scheme.
    pub default_port: Option<u16>,
}

impl<'a> HostPort<'a> {
    /// The port to connect to: the one written, else the scheme's own. 0, to which nothing connects, if the port of the
    /// scheme is not known.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("http://h.example/").unwrap();
    /// assert_eq!(url.base_parts().address().unwrap().port(), 80);
    /// ```
    pub fn port(&self) -> u16 {
        self.known_port().unwrap_or(0)
    }

    /// The port written, else the scheme's own. `None` if the port of the scheme is not known.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("http://h.example:8080/").unwrap();
    /// assert_eq!(url.base_parts().address().unwrap().known_port(), Some(8080));
    /// ```
    pub fn known_port(&self) -> Option<u16> {
        self.written_port.or(self.default_port)
    }

    /// The host in lower case, and the port unless it is the default one. An IPv6 literal has its short form
    /// (RFC 5952).
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("http://H.Example:80/").unwrap();
    /// assert_eq!(url.base_parts().address().unwrap().canonical(), "h.example");
    /// ```
    pub fn canonical(&self) -> String {
        let literal = self.node().parse::<Ipv6Addr>();
        let mut text = match literal.ok().filter(|_| self.host.starts_with('[')) {
            Some(literal) => format!("[{literal}]"),
            None => self.host.to_ascii_lowercase(),
        };
        if let Some(port) = self.written_port
            && Some(port) != self.default_port
        {
            text.push(':');
            text.push_str(&port.to_string());
        }
        text
    }

    /// The host to look up or to connect to: as written, without the brackets of an IPv6 literal.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let url = Dialect::Extended.parse("http://[::1]/").unwrap();
    /// let address = url.base_parts().address().unwrap();
    /// assert_eq!((address.host, address.node()), ("[::1]", "::1"));
    /// ```
    pub fn node(&self) -> &'a str {
        let inside = self.host.strip_prefix('[');
        let inside = inside.and_then(|host| host.strip_suffix(']'));
        inside.unwrap_or(self.host)
    }
}

/// A host, its port, and the credentials.
///
/// ```
/// use rfc1738::Url;
///
/// let url = Url::parse("ftp://ada:@h.example/").unwrap();
/// let login = url.base_parts().login().unwrap();
/// assert_eq!(login.user.unwrap().as_str(), "ada");
/// assert!(login.password.unwrap().is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Login<'a> {
    /// The user; an empty one differs from none.
    pub user: Option<Encoded<'a>>,
    /// The password; present only with a user. An empty one differs from none.
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

/// Parses the two slashes of an `ip-schemepart`.
#[inline]
pub(super) fn slashes<'c, 'a>(
    cursor: &'c mut Cursor<'a>,
) -> Result<&'c mut Cursor<'a>, ParseError> {
    if cursor.octets().starts_with(b"//") {
        cursor.take(2);
        return Ok(cursor);
    }
    Err(no_slashes(cursor))
}

/// The error for missing slashes.
#[cold]
fn no_slashes(cursor: &mut Cursor<'_>) -> ParseError {
    let expected = if cursor.eat(b'/') {
        "the second \"/\""
    } else {
        "\"//\""
    };
    cursor.missing(Rule("ip-schemepart", "3.1"), expected)
}

/// Parses `login`, up to the slash after it or the end.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "parts that are handed on in memory cost more than their parsing"
)]
pub(super) fn login<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<Login<'a>, ParseError> {
    let lengths = match LoginLengths::scan(cursor.octets()) {
        Some(lengths) => lengths,
        None => login_lengths(cursor)?,
    };
    let user = lengths
        .user
        .map(|len| Encoded::new(cursor.take(len as usize)));
    let password = lengths.password.map(|len| {
        cursor.eat(b':');
        Encoded::new(cursor.take(len as usize))
    });
    cursor.eat(b'@');
    Ok(Login {
        user,
        password,
        address: lengths.hostport.take(cursor, default_port),
    })
}

/// Parses `hostport`, in a scheme without users.
#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "parts that are handed on in memory cost more than their parsing"
)]
pub(super) fn hostport<'a>(
    cursor: &mut Cursor<'a>,
    default_port: Option<u16>,
) -> Result<HostPort<'a>, ParseError> {
    let lengths = match HostPortLengths::scan(cursor.octets()) {
        Some(lengths) => lengths,
        None => hostport_lengths_without_user(cursor)?,
    };
    Ok(lengths.take(cursor, default_port))
}

/// The lengths of user, password, host and port. The struct is small and separate from the parts made of it, because
/// passing the parts through memory costs more than parsing them.
#[derive(Clone, Copy)]
struct LoginLengths {
    user: Option<u32>,
    password: Option<u32>,
    hostport: HostPortLengths,
}

impl LoginLengths {
    #[inline]
    const fn anonymous(hostport: HostPortLengths) -> Self {
        LoginLengths {
            user: None,
            password: None,
            hostport,
        }
    }

    /// Scans a `login` at the start of `octets`, as nearly all URLs have it. Returns `None` if the slow path is
    /// needed.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "lengths that are handed on in memory cost more than their counting"
    )]
    fn scan(octets: &[u8]) -> Option<Self> {
        if !sign_is_near(octets) {
            return HostPortLengths::scan(octets).map(LoginLengths::anonymous);
        }
        let user = span(octets, &USER);
        let (mut end, mut password) = (user, None);
        if octets.get(end) == Some(&b':') {
            let len = span(octets.get(end + 1..)?, &USER);
            password = Some(small(len));
            end += 1 + len;
        }
        let address = octets.get(end..)?.strip_prefix(b"@")?;
        Some(LoginLengths {
            user: Some(small(user)),
            password,
            hostport: HostPortLengths::scan(address)?,
        })
    }
}

/// Returns true if an `@` is so near that a user is likely. All octets are tested, which is faster than stopping at
/// the first.
#[inline]
fn sign_is_near(octets: &[u8]) -> bool {
    let sign = |octet: &u8| u8::from(*octet == b'@');
    let near = octets.first_chunk::<16>();
    near.is_some_and(|near| near.iter().fold(0, |any, octet| any | sign(octet)) != 0)
}

/// The slow path for a `login`. Nothing is taken, only departures are recorded.
#[inline(never)]
fn login_lengths(cursor: &mut Cursor<'_>) -> Result<LoginLengths, ParseError> {
    if !has_user(cursor) {
        return Ok(LoginLengths::anonymous(hostport_lengths(cursor)?));
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
    let hostport = match HostPortLengths::scan(after.octets()) {
        Some(lengths) => lengths,
        None => hostport_lengths(&mut after)?,
    };
    cursor.copy_departures(&after);
    Ok(LoginLengths {
        user: Some(small(user.len())),
        password: password.map(|password| small(password.len())),
        hostport,
    })
}

/// The slow path for a `hostport`. Nothing is taken, only departures are recorded.
#[inline(never)]
fn hostport_lengths_without_user(cursor: &mut Cursor<'_>) -> Result<HostPortLengths, ParseError> {
    hostport_lengths(cursor).map_err(|error| {
        if has_user(cursor) {
            let len = cursor.rest().find('@').map_or(0, |at| at + 1);
            cursor.error(len, Rule("hostport", "3.1"), Message::NoUser)
        } else {
            error
        }
    })
}

fn hostport_lengths(cursor: &mut Cursor<'_>) -> Result<HostPortLengths, ParseError> {
    let mut after = *cursor;
    let host = small(host(&mut after)?.len());
    let port = if after.eat(b':') {
        port(&mut after)?
    } else {
        None
    };
    cursor.copy_departures(&after);
    Ok(HostPortLengths {
        host,
        text: small(after.since(cursor).len()),
        port,
    })
}

/// A text in memory is shorter than 4 GiB, or it holds no URL.
fn small(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// Returns true if the text has a user. Only an `@` before the first slash ends a user; after it, it is data.
fn has_user(cursor: &Cursor<'_>) -> bool {
    let mut octets = cursor.rest().bytes();
    octets.find(|octet| matches!(octet, b'@' | b'/')) == Some(b'@')
}

/// `port`, up to a `/` or the end. `None` if it is empty, which is a departure.
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
        // After a port, the same as after a host.
        Some(b'?') if !digits.is_empty() => {
            let message = Message::HostChar(cursor.found());
            Err(cursor.error(1, PORT, message))
        }
        Some(b'#') if !digits.is_empty() => Err(cursor.error(1, PORT, Message::Fragment)),
        Some(_) => Err(cursor.missing(PORT, "a digit of a port")),
    }
}
