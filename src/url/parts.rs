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
use super::error::{Message, ParseError, Rule};
use super::escape::{self, SCHEME};
use super::login::{HostPort, Login};
use super::scheme::{Later, Scheme};
use super::{file, ftp, gopher, http, mailto, news, nntp, other, prospero, telnet, wais};

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
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        let (name, rest) = split(text)?;
        let scheme = Scheme::named(name);
        scheme_part(scheme, scheme.default_port(), name, rest)
    }

    /// Reads a URL of a [`Later`] scheme by the production of its kin. Nothing when it is of no such scheme or does
    /// not fit.
    pub(super) fn of_kin(text: &'a str) -> Option<Self> {
        let (name, _) = text.split_once(':')?;
        let later = Later::named(name)?;
        let kin = later.kin()?;
        let (_, rest) = split(text).ok()?;
        scheme_part(kin, Some(later.default_port()), name, rest).ok()
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
            Parts::Mailto(_) | Parts::News(_) | Parts::File(_) | Parts::Other(_) => None,
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
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    other::Other {
        scheme,
        schemepart: escape::Encoded::new(rest),
    }
}

/// The scheme and what follows its colon.
fn split(text: &str) -> Result<(&str, Cursor<'_>), ParseError> {
    let mut cursor = Cursor::new(text);
    let name = cursor.literals(&SCHEME);
    if name.is_empty() || !cursor.eat(b':') {
        let message = Message::NoScheme(cursor.found());
        return Err(cursor.error(cursor.char_len(), Rule("scheme", "2.1"), message));
    }
    Ok((name, cursor))
}

fn scheme_part<'a>(
    scheme: Scheme,
    port: Option<u16>,
    name: &'a str,
    mut cursor: Cursor<'a>,
) -> Result<Parts<'a>, ParseError> {
    match scheme {
        Scheme::Mailto => return mailto::parse(cursor).map(Parts::Mailto),
        Scheme::News => return news::parse(cursor).map(Parts::News),
        Scheme::Other => return other::parse(name, cursor).map(Parts::Other),
        Scheme::Ftp
        | Scheme::Http
        | Scheme::Gopher
        | Scheme::Nntp
        | Scheme::Telnet
        | Scheme::Wais
        | Scheme::File
        | Scheme::Prospero => {
            let rule = Rule("ip-schemepart", "3.1");
            cursor.expect(b'/', rule, "\"//\"")?;
            cursor.expect(b'/', rule, "the second \"/\"")?;
        }
    }
    match scheme {
        Scheme::Ftp => ftp::parse(cursor, port).map(Parts::Ftp),
        Scheme::Http => http::parse(cursor, port).map(Parts::Http),
        Scheme::Gopher => gopher::parse(cursor, port).map(Parts::Gopher),
        Scheme::Nntp => nntp::parse(cursor, port).map(Parts::Nntp),
        Scheme::Telnet => telnet::parse(cursor, port).map(Parts::Telnet),
        Scheme::Wais => wais::parse(cursor, port).map(Parts::Wais),
        Scheme::File => file::parse(cursor).map(Parts::File),
        Scheme::Prospero => prospero::parse(cursor, port).map(Parts::Prospero),
        Scheme::Mailto | Scheme::News | Scheme::Other => {
            other::parse(name, cursor).map(Parts::Other)
        }
    }
}
