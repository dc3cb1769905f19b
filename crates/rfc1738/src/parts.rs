//! Splits a URL into its parts: the scheme is read, then its production must match (RFC 1738, section 5).
//!
//! ```text
//! url        = httpurl | ftpurl | newsurl | nntpurl | telneturl | gopherurl |
//!              waisurl | mailtourl | fileurl | prosperourl | otherurl
//! genericurl = scheme ":" schemepart
//! ```
//!
//! `schemepart = *xchar` would make nearly anything an `otherurl`. So a URL with one of the ten schemes must match
//! its own production, or it is a fault. Success allocates nothing.

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{Encoded, SCHEME};
use super::login::{HostPort, Login, slashes};
use super::production::Production;
use super::range::Range;
use super::scheme::Scheme;
use super::{file, fragment, ftp, gopher, http, mailto, news, nntp, other, prospero, telnet, wais};

/// The longest URL in octets. The limit exists because a page may hold thousands of URLs, and each is built in full.
const MAX_URL_BYTES: usize = 64 * 1024;

/// The parts of a URL, borrowed from its text.
///
/// ```
/// use rfc1738::Parts;
///
/// let Ok(Parts::Wais(wais)) = Parts::parse("wais://h.example/birds") else { panic!() };
/// assert_eq!(wais.database.as_str(), "birds");
/// ```
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
    /// Parses a URL without storing it. Nothing may precede or follow it, not even white space. The error names the
    /// leftmost fault.
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// assert!(Parts::parse("telnet://h.example/").is_ok());
    /// assert_eq!(Parts::parse("telnet://h.example/a").unwrap_err().rule, "telneturl");
    /// ```
    #[inline]
    pub fn parse(text: &'a str) -> Result<Self, ParseError> {
        limited(text)?;
        let mut cursor = Cursor::new(text);
        let (scheme, name) = scheme(&mut cursor)?;
        scheme_part(scheme, None, name, &mut cursor)
    }

    /// The host and port to connect to, or `None` if the URL has no host, and for [`Parts::Other`].
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// assert_eq!(Parts::parse("http://h.example/").unwrap().address().unwrap().host, "h.example");
    /// assert!(Parts::parse("mailto:a@h.example").unwrap().address().is_none());
    /// ```
    pub fn address(&self) -> Option<HostPort<'a>> {
        match self {
            Parts::Ftp(ftp) => Some(ftp.login.address),
            Parts::Telnet(telnet) => Some(telnet.login.address),
            Parts::Http(http) => Some(http.address),
            Parts::Gopher(gopher) => Some(gopher.address),
            Parts::Nntp(nntp) => Some(nntp.address),
            Parts::Wais(wais) => Some(wais.address),
            Parts::Prospero(prospero) => Some(prospero.address),
            Parts::News(news) => news.server,
            Parts::Mailto(_) | Parts::File(_) | Parts::Other(_) => None,
        }
    }

    /// The login, in the two schemes that have users (ftp, telnet).
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// assert!(Parts::parse("telnet://ada@h.example").unwrap().login().unwrap().user.is_some());
    /// assert!(Parts::parse("http://h.example/").unwrap().login().is_none());
    /// ```
    pub fn login(&self) -> Option<Login<'a>> {
        match self {
            Parts::Ftp(ftp) => Some(ftp.login),
            Parts::Telnet(telnet) => Some(telnet.login),
            _ => None,
        }
    }

    /// The news group that the URL names, or whose articles it names by number.
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// assert_eq!(Parts::parse("news:a.b").unwrap().group().unwrap().as_str(), "a.b");
    /// ```
    pub fn group(&self) -> Option<Encoded<'a>> {
        self.production().group()
    }

    /// The range of article numbers that the URL names.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let (parts, _) = Dialect::Extended.parts("news:a.b/1-9").unwrap();
    /// assert_eq!(parts.range().unwrap().numbers(), Some((1, 9)));
    /// ```
    pub fn range(&self) -> Option<Range<'a>> {
        self.production().range()
    }

    /// The path whose last name is a title for the URL; empty if its path is no title.
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// let parts = Parts::parse("ftp://h.example/pub/a.txt").unwrap();
    /// assert_eq!(parts.title_path().as_str(), "a.txt");
    /// ```
    pub fn title_path(&self) -> Encoded<'a> {
        self.production().title_path()
    }

    /// Returns true if the URL is explicitly a directory, of FTP or local.
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// assert!(Parts::parse("ftp://h.example/pub/").unwrap().is_directory());
    /// assert!(!Parts::parse("ftp://h.example/pub").unwrap().is_directory());
    /// ```
    pub fn is_directory(&self) -> bool {
        self.production().is_directory()
    }

    /// Returns true for groups and articles of news.
    ///
    /// ```
    /// use rfc1738::Parts;
    ///
    /// assert!(Parts::parse("nntp://h.example/a.b").unwrap().is_news());
    /// ```
    pub const fn is_news(&self) -> bool {
        matches!(self, Parts::News(_) | Parts::Nntp(_))
    }

    /// The parts by the production of their scheme.
    pub(super) fn production(&self) -> &dyn Production<'a> {
        match self {
            Parts::Ftp(ftp) => ftp,
            Parts::Http(http) => http,
            Parts::Gopher(gopher) => gopher,
            Parts::Mailto(mailto) => mailto,
            Parts::News(news) => news,
            Parts::Nntp(nntp) => nntp,
            Parts::Telnet(telnet) => telnet,
            Parts::Wais(wais) => wais,
            Parts::File(file) => file,
            Parts::Prospero(prospero) => prospero,
            Parts::Other(other) => other,
        }
    }

    /// The scheme whose production was parsed.
    ///
    /// ```
    /// use rfc1738::{Dialect, Scheme};
    ///
    /// let (parts, _) = Dialect::Extended.parts("https://h.example/").unwrap();
    /// assert_eq!(parts.scheme(), Scheme::Http);
    /// ```
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

/// The generic parts, which every URL has.
pub(super) fn generic(text: &str) -> other::Other<'_> {
    let (text, _) = fragment::split(text);
    let colon = text.bytes().position(|octet| octet == b':');
    let (scheme, rest) = text
        .split_at_checked(colon.unwrap_or(text.len()))
        .unwrap_or((text, ""));
    other::Other {
        scheme,
        schemepart: Encoded::new(rest.strip_prefix(':').unwrap_or(rest)),
    }
}

/// Parses the scheme and its colon. The name of a scheme that is not one of the ten is returned as written.
#[inline]
pub(super) fn scheme<'a>(cursor: &mut Cursor<'a>) -> Result<(Scheme, &'a str), ParseError> {
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

/// Parses the text after the colon with the production of `scheme`, up to the end. An extension scheme has its own
/// port.
#[inline]
pub(super) fn scheme_part<'a>(
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

/// Returns an error if the text is longer than the longest URL that is parsed.
pub(super) fn limited(text: &str) -> Result<(), ParseError> {
    let Some(len) = text.len().checked_sub(MAX_URL_BYTES).filter(|&len| len > 0) else {
        return Ok(());
    };
    Err(ParseError {
        at: MAX_URL_BYTES,
        len,
        rule: "url",
        section: "5",
        message: Message::LongUrl,
    })
}
