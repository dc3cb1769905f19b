//! Text into parts: the scheme is read, and its production must hold (RFC 1738, section 5).
//!
//! ```text
//! url        = httpurl | ftpurl | newsurl | nntpurl | telneturl | gopherurl |
//!              waisurl | mailtourl | fileurl | prosperourl | otherurl
//! genericurl = scheme ":" schemepart
//! ```
//!
//! `schemepart = *xchar` would make nearly anything of the ten schemes an `otherurl`; a known scheme matches its own
//! production or is a fault. Nothing is allocated on success.

use super::cursor::Cursor;
use super::departure::Departures;
use super::error::{Message, ParseError, Rule};
use super::escape::{self, SCHEME};
use super::login::{HostPort, Login};
use super::scheme::{Later, Scheme};
use super::{file, ftp, gopher, http, mailto, news, nntp, other, prospero, telnet, wais};

/// The longest URL, in octets: a page names thousands, and each is built whole.
const LONGEST: usize = 64 * 1024;

/// The parts of a URL, borrowed from its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts<'a> {
    /// `ftpurl`
    Ftp(ftp::Ftp<'a>),
    /// `httpurl`
    Http(http::Http<'a>),
    /// `gopherurl`
    Gopher(gopher::Gopher<'a>),
    /// `mailtourl`
    Mailto(mailto::Mailto<'a>),
    /// `newsurl`
    News(news::News<'a>),
    /// `nntpurl`
    Nntp(nntp::Nntp<'a>),
    /// `telneturl`
    Telnet(telnet::Telnet<'a>),
    /// `waisurl`
    Wais(wais::Wais<'a>),
    /// `fileurl`
    File(file::File<'a>),
    /// `prosperourl`
    Prospero(prospero::Prospero<'a>),
    /// `otherurl`
    Other(other::Other<'a>),
}

impl<'a> Parts<'a> {
    /// Reads a URL without keeping it. Nothing may stand before or after it, no white space either. The error names the
    /// leftmost fault.
    #[inline]
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        limited(text)?;
        let mut cursor = Cursor::new(text);
        let (scheme, name) = scheme(&mut cursor)?;
        scheme_part(scheme, None, name, &mut cursor)
    }

    /// Reads what Geomys opens: a URL of RFC 1738, or one that departs from it as a later document allows; a URL of a
    /// [`Later`] scheme by the production of the scheme it is kin to, where it fits. With it come the departures; a URL
    /// of a `Later` scheme that is an `otherurl` departs from nothing.
    ///
    /// # Errors
    /// The leftmost fault that no later document allows.
    pub fn accept(text: &'a str) -> Result<(Self, Departures), ParseError> {
        limited(text)?;
        let mut cursor = Cursor::beyond(text);
        let (scheme, name) = scheme(&mut cursor)?;
        if scheme != Scheme::Other {
            let parts = scheme_part(scheme, None, name, &mut cursor)?;
            return Ok((parts, cursor.departures()));
        }
        let mut generic = cursor;
        let other = other::parse(name, &mut generic).map(Parts::Other);
        let kin = Later::named(name).and_then(|later| Some((later.kin()?, later.default_port())));
        if let Some((kin, port)) = kin
            && let Ok(parts) = scheme_part(kin, Some(port), name, &mut cursor)
        {
            let departures = match other {
                Ok(_) => Departures::NONE,
                Err(_) => cursor.departures(),
            };
            return Ok((parts, departures));
        }
        Ok((other?, Departures::NONE))
    }

    /// The host and port to connect to; nothing where the URL names none, and for [`Parts::Other`].
    pub fn address(&self) -> Option<HostPort<'a>> {
        match self {
            Parts::Ftp(ftp) => Some(ftp.login.address),
            Parts::Http(http) => Some(http.address),
            Parts::Gopher(gopher) => Some(gopher.address),
            Parts::Nntp(nntp) => Some(nntp.address),
            Parts::Telnet(telnet) => Some(telnet.login.address),
            Parts::Wais(wais) => Some(wais.address),
            Parts::Prospero(prospero) => Some(prospero.address),
            Parts::News(news) => news.server,
            Parts::Mailto(_) | Parts::File(_) | Parts::Other(_) => None,
        }
    }

    /// Who logs in where, in the two schemes that have users.
    pub fn login(&self) -> Option<Login<'a>> {
        match self {
            Parts::Ftp(ftp) => Some(ftp.login),
            Parts::Telnet(telnet) => Some(telnet.login),
            Parts::Http(_)
            | Parts::Gopher(_)
            | Parts::Mailto(_)
            | Parts::News(_)
            | Parts::Nntp(_)
            | Parts::Wais(_)
            | Parts::File(_)
            | Parts::Prospero(_)
            | Parts::Other(_) => None,
        }
    }

    /// The scheme whose production was read.
    pub const fn scheme(&self) -> Scheme {
        match self {
            Parts::Ftp(_) => Scheme::Ftp,
            Parts::Http(_) => Scheme::Http,
            Parts::Gopher(_) => Scheme::Gopher,
            Parts::Mailto(_) => Scheme::Mailto,
            Parts::News(_) => Scheme::News,
            Parts::Nntp(_) => Scheme::Nntp,
            Parts::Telnet(_) => Scheme::Telnet,
            Parts::Wais(_) => Scheme::Wais,
            Parts::File(_) => Scheme::File,
            Parts::Prospero(_) => Scheme::Prospero,
            Parts::Other(_) => Scheme::Other,
        }
    }
}

/// The view that every URL has.
pub(super) fn generic(text: &str) -> other::Other<'_> {
    let colon = text.bytes().position(|octet| octet == b':');
    let (scheme, rest) = text
        .split_at_checked(colon.unwrap_or(text.len()))
        .unwrap_or((text, ""));
    other::Other {
        scheme,
        schemepart: escape::Encoded::new(rest.strip_prefix(':').unwrap_or(rest)),
    }
}

/// Takes the scheme and its colon; the name of one that is not of the ten is as it was written.
#[inline]
fn scheme<'a>(cursor: &mut Cursor<'a>) -> Result<(Scheme, &'a str), ParseError> {
    if let Some((scheme, len)) = Scheme::at_start(cursor.octets()) {
        cursor.take(len + 1);
        return Ok((scheme, scheme.name()));
    }
    let name = cursor.literals(&SCHEME);
    if name.is_empty() || !cursor.eat(b':') {
        let message = Message::NoScheme(cursor.found());
        return Err(cursor.error(cursor.char_len(), Rule("scheme", "2.1"), message));
    }
    Ok((Scheme::named(name), name))
}

/// What follows the colon, by the production of `scheme`, to the end of the text. A later scheme has a port of its own.
#[inline]
fn scheme_part<'a>(
    scheme: Scheme,
    later: Option<u16>,
    name: &'a str,
    cursor: &mut Cursor<'a>,
) -> Result<Parts<'a>, ParseError> {
    let port = |scheme: Scheme| later.or(scheme.default_port());
    Ok(match scheme {
        Scheme::Ftp => Parts::Ftp(ftp::parse(slashes(cursor)?, port(Scheme::Ftp))?),
        Scheme::Http => Parts::Http(http::parse(slashes(cursor)?, port(Scheme::Http))?),
        Scheme::Gopher => Parts::Gopher(gopher::parse(slashes(cursor)?, port(Scheme::Gopher))?),
        Scheme::Nntp => Parts::Nntp(nntp::parse(slashes(cursor)?, port(Scheme::Nntp))?),
        Scheme::Telnet => Parts::Telnet(telnet::parse(slashes(cursor)?, port(Scheme::Telnet))?),
        Scheme::Wais => Parts::Wais(wais::parse(slashes(cursor)?, port(Scheme::Wais))?),
        Scheme::Prospero => {
            Parts::Prospero(prospero::parse(slashes(cursor)?, port(Scheme::Prospero))?)
        }
        Scheme::File => Parts::File(file::parse(cursor)?),
        Scheme::Mailto => Parts::Mailto(mailto::parse(cursor)?),
        Scheme::News => Parts::News(news::parse(cursor, later.or(Some(119)))?),
        Scheme::Other => Parts::Other(other::parse(name, cursor)?),
    })
}

/// Takes the two slashes of an `ip-schemepart`.
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

/// What stands where two slashes should.
#[cold]
fn no_slashes(cursor: &mut Cursor<'_>) -> ParseError {
    let want = if cursor.eat(b'/') {
        "the second \"/\""
    } else {
        "\"//\""
    };
    cursor.missing(Rule("ip-schemepart", "3.1"), want)
}

/// A fault where a text is longer than any URL that is opened.
fn limited(text: &str) -> Result<(), ParseError> {
    let Some(len) = text.len().checked_sub(LONGEST).filter(|&len| len > 0) else {
        return Ok(());
    };
    Err(ParseError {
        at: LONGEST,
        len,
        rule: "url",
        section: "5",
        message: Message::LongUrl,
    })
}
