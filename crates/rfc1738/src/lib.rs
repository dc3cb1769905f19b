//! URLs by RFC 1738: parsing, printing, resolution, repair and search in text, checked to the letter.
//!
//! Is a text correct by RFC 1738, and if not, where is the fault?
//!
//! ```
//! let text = "gopher://tilde.example/1/~ada";
//! let error = rfc1738::Url::parse(text).unwrap_err();
//! println!("{text}\n{}", error.caret());
//! # assert_eq!(error.caret().find('^'), text.find('~'));
//! ```
//!
//! ```text
//! gopher://tilde.example/1/~ada
//!                          ^ "~" must be encoded as %7E (RFC 1738, section 2.2: selector)
//! ```
//!
//! # A tour
//!
//! * [`Url`] is checked text, and prints back as it was written. [`Url::parse`] accepts what RFC 1738 allows,
//!   [`Dialect::parse`] also what later documents allow. A [`ParseError`] has the offset of the fault, its length, the
//!   production, its section, and a sentence.
//! * [`Parts`] are the parts of a URL by the production of its scheme: a struct for each scheme, from [`Ftp`] to
//!   [`Prospero`]. Each part is [`Encoded`]: as written, and as the octets that are sent to the server.
//!   [`Parts::parse`] parses without storing anything.
//! * [`Url::protocol`] says with which [`Protocol`] a URL is opened, with [`ExtensionScheme`]s such as `gophers`.
//! * [`Url::resolve`] resolves partial URLs; [`Url::up`] and [`Url::root`] move on a server.
//! * [`repair`] makes the URL of RFC 1738 that a faulty text means. [`Url::hint`] finds typing mistakes in valid ones.
//! * [`links_in_text`] finds URLs in running text, [`LinkPieces`] while it is read; [`parse_typed`] reads what a user
//!   types.
//! * [`Url::gopher`], [`Url::child`], [`Url::news_article`] and others build URLs of octets.
//! * [`Url::canonical`] has one spelling for each resource. `Eq`, `Ord` and `Hash` use the text as written.
//! * [`Url::masked`] and [`mask`] hide passwords, which `Debug` never shows. [`Url::hazards`] lists reasons not to open
//!   a URL (section 6).
//!
//! ```
//! use rfc1738::{Parts, Url};
//!
//! let url = Url::parse("ftp://ftp.example/pub/a%20b.txt;type=a").unwrap();
//! let Parts::Ftp(ftp) = url.base_parts() else { panic!() };
//! assert_eq!(&*ftp.name().octets(), b"a b.txt");
//! assert_eq!(url.up().unwrap().as_str(), "ftp://ftp.example/pub;type=d");
//! ```
//!
//! # Departures
//!
//! A [`Departure`] is a form that RFC 1738 does not allow, or reads differently, and that a later document defines: an
//! IPv6 address, a fragment, a server in a news URL. [`Dialect::Extended`] accepts each of them, [`Url::departures`]
//! names those of a URL, and [`Url::verdict`] still gives the verdict of RFC 1738.
//!
//! ```
//! use rfc1738::{Departure, Dialect};
//!
//! let url = Dialect::Extended.parse("http://[2001:db8::1]/").unwrap();
//! assert!(url.departures().iter().eq([Departure::Ipv6]));
//! assert_eq!(url.verdict().unwrap_err().at, "http://".len());
//! ```
//!
//! # What it does not do
//!
//! It resolves no host names, opens no sockets and reads no files. It changes no URL that it parses: no letter case, no
//! dots, no escapes, until [`Url::canonical`] is called. It guesses nothing, except in [`expand_typed`], which is
//! documented to guess. It does not check addresses of mail by RFC 822, nor names of schemes by a registry. It is no
//! parser for the Web: browsers accept other texts, and so does the crate `url`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod answers;
mod bare_login;
pub mod boundary;
mod build;
mod canonical;
mod cursor;
mod departure;
mod dialect;
mod error;
mod escape;
mod explain;
mod file;
mod fragment;
mod ftp;
mod gopher;
mod hazard;
mod hint;
mod host;
mod http;
mod links;
mod login;
mod mail;
mod mailto;
mod moves;
mod nested;
mod news;
mod nntp;
mod other;
mod parts;
mod pieces;
mod production;
mod prospero;
mod protocol;
mod range;
mod repair;
mod resolve;
mod scheme;
mod script;
mod secret;
mod slip;
mod telnet;
mod token;
mod typed;
mod wais;

use std::fmt;
use std::str::FromStr;

pub use answers::{mask_answers, mask_words};
pub use build::{encoded, host_range};
pub use departure::{Departure, Departures};
pub use dialect::Dialect;
pub use error::{Message, ParseError, Unexpected};
pub use escape::{Encoded, decode};
pub use file::File;
pub use fragment::split as split_fragment;
pub use ftp::{Ftp, FtpType};
pub use gopher::Gopher;
pub use hazard::Hazard;
pub use hint::Hint;
pub use http::Http;
pub use links::{LinksInText, UrlMatch, links_in_text};
pub use login::{HostPort, Login};
pub use mail::MAX_BRACKET_BYTES;
pub use mailto::{Mailto, MailtoMessage};
pub use nested::may_hold_secret;
pub use news::{Article, GroupPart, News};
pub use nntp::Nntp;
pub use other::Other;
pub use parts::Parts;
pub use pieces::LinkPieces;
pub use prospero::Prospero;
pub use protocol::{Protocol, Usenet};
pub use range::Range;
pub use repair::{parse_or_repair, repair, repair_fragment, repair_reference};
pub use resolve::without_dots;
pub use scheme::{ExtensionScheme, Scheme, leading_scheme};
pub use secret::{MASK, mask, with_secrets_of, without_secrets};
pub use telnet::Telnet;
pub use typed::{Guesses, expand_typed, join_lines, parse_typed, strip_wrapper};
pub use wais::{Wais, WaisTarget};

/// The examples of the README, which the tests run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A checked URL of RFC 1738, as it was written.
///
/// ```
/// use rfc1738::Url;
///
/// let url: Url = "wais://wais.example/birds?owl".parse().unwrap();
/// assert_eq!(url.to_string(), "wais://wais.example/birds?owl");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url {
    text: Box<str>,
}

impl Url {
    /// Parses a URL of RFC 1738 and nothing else: white space, a wrapper or a fragment around it is an error.
    ///
    /// # Errors
    /// The leftmost fault.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://gopher.example/1/pub").unwrap();
    /// assert_eq!(url.scheme_name(), "gopher");
    /// let error = Url::parse("gopher://gopher.example/1/a b").unwrap_err();
    /// assert_eq!(error.at, "gopher://gopher.example/1/a".len());
    /// ```
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Parts::parse(text)?;
        Ok(Url { text: text.into() })
    }

    /// The leftmost fault of a URL of an extension scheme by the production of its base scheme; `None` if that
    /// production matches, and for all other schemes.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("https://ada@h.example/").unwrap();
    /// assert_eq!(url.base_fault().unwrap().at, "https://".len());
    /// assert_eq!(Url::parse("https://h.example/").unwrap().base_fault(), None);
    /// ```
    pub fn base_fault(&self) -> Option<ParseError> {
        dialect::base_fault(&self.text)
    }

    /// The departures from RFC 1738 that are needed to open this URL. A URL that RFC 1738 allows may depart too, if
    /// it is read as a later document says: headers in a mailto URL, a server in a news URL.
    ///
    /// ```
    /// use rfc1738::{Departure, Dialect};
    ///
    /// let url = Dialect::Extended.parse("mailto:a@h.example?subject=b").unwrap();
    /// assert!(url.departures().iter().eq([Departure::Rfc6068]));
    /// assert!(url.verdict().is_ok());
    /// ```
    pub fn departures(&self) -> Departures {
        Dialect::Extended
            .parts(&self.text)
            .map_or(Departures::NONE, |(_, departures)| departures)
    }

    /// Checks the URL against RFC 1738.
    ///
    /// # Errors
    /// The leftmost fault of a URL that departs from it.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let url = Dialect::Extended.parse("http://h.example/#b").unwrap();
    /// assert_eq!(url.verdict().unwrap_err().at, "http://h.example/".len());
    /// ```
    pub fn verdict(&self) -> Result<(), ParseError> {
        Parts::parse(&self.text).map(|_| ())
    }

    /// The text, octet for octet as it was written. It may hold a password: show [`Url::masked`].
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert_eq!(Url::parse("NEWS:a.b").unwrap().as_str(), "NEWS:a.b");
    /// ```
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The scheme: one of the ten of RFC 1738, or [`Scheme::Other`].
    ///
    /// ```
    /// use rfc1738::{Scheme, Url};
    ///
    /// assert_eq!(Url::parse("NEWS:a.b").unwrap().scheme(), Scheme::News);
    /// assert_eq!(Url::parse("irc://h.example/").unwrap().scheme(), Scheme::Other);
    /// ```
    pub fn scheme(&self) -> Scheme {
        let fast = Scheme::at_start(self.text.as_bytes());
        fast.map_or_else(|| Scheme::named(self.scheme_name()), |(scheme, _)| scheme)
    }

    /// The name of the scheme, in the case in which it was written.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert_eq!(Url::parse("NEWS:a.b").unwrap().scheme_name(), "NEWS");
    /// ```
    pub fn scheme_name(&self) -> &str {
        let colon = self.text.bytes().position(|octet| octet == b':');
        colon
            .and_then(|at| self.text.get(..at))
            .unwrap_or(&self.text)
    }

    /// The extension scheme, if the URL has one.
    ///
    /// ```
    /// use rfc1738::{ExtensionScheme, Url};
    ///
    /// let url = Url::parse("gophers://h.example/").unwrap();
    /// assert_eq!(url.extension_scheme(), Some(ExtensionScheme::Gophers));
    /// ```
    pub fn extension_scheme(&self) -> Option<ExtensionScheme> {
        ExtensionScheme::named(self.scheme_name())
    }

    /// The parts of the URL by its own scheme: all schemes except the ten of RFC 1738 are [`Parts::Other`].
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("https://h.example/a").unwrap();
    /// assert!(matches!(url.rfc1738_parts(), Parts::Other(_)));
    /// assert!(matches!(url.base_parts(), Parts::Http(_)));
    /// ```
    pub fn rfc1738_parts(&self) -> Parts<'_> {
        match self.scheme() {
            Scheme::Other => Parts::Other(parts::generic(&self.text)),
            _ => self.base_parts(),
        }
    }

    /// The parts of the URL by its base scheme: like [`Url::rfc1738_parts`], but an extension scheme (`gophers`,
    /// `ftps`, `https`, `nntps`, `snews`, `tn3270`) is parsed with the production of its base scheme and its own
    /// default port, if that production matches.
    ///
    /// ```
    /// use rfc1738::{Parts, Url};
    ///
    /// let url = Url::parse("gophers://h.example/0/a").unwrap();
    /// let Parts::Gopher(gopher) = url.base_parts() else { panic!() };
    /// assert_eq!((gopher.item_type(), gopher.selector.as_str()), (b'0', "/a"));
    /// ```
    pub fn base_parts(&self) -> Parts<'_> {
        // The text was parsed before, so this succeeds. The generic parts fit any URL.
        Dialect::Extended
            .parts(&self.text)
            .map_or(Parts::Other(parts::generic(&self.text)), |(parts, _)| parts)
    }

    /// The group that the URL names, or whose articles it names by number, with or without TLS.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("nntps://h.example/a.b/7").unwrap();
    /// assert_eq!(url.group().unwrap().as_str(), "a.b");
    /// ```
    pub fn group(&self) -> Option<Encoded<'_>> {
        self.base_parts().group()
    }

    /// Returns true for a URL of the Web: of `http` or `https`, whose production other schemes have too.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert!(Url::parse("https://h.example/").unwrap().is_web());
    /// assert!(!Url::parse("gemini://h.example/").unwrap().is_web());
    /// ```
    pub fn is_web(&self) -> bool {
        self.scheme() == Scheme::Http || self.extension_scheme() == Some(ExtensionScheme::Https)
    }

    /// Returns true if the scheme is an extension scheme with implicit TLS, as `gophers` or `gemini`.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert!(Url::parse("gemini://h.example/").unwrap().is_tls());
    /// assert!(!Url::parse("http://h.example/").unwrap().is_tls());
    /// ```
    pub fn is_tls(&self) -> bool {
        self.extension_scheme().is_some_and(ExtensionScheme::is_tls)
    }
}

impl FromStr for Url {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Url::parse(text)
    }
}

impl AsRef<str> for Url {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Url").field(&self.masked()).finish()
    }
}
