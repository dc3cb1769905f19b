//! Addresses: text to [`Url`] and back, to the letter of RFC 1738.
//!
//! A [`Url`] is text that was checked, and prints back as it was written. [`Url::parts`] shows what is in it, each part
//! as written and as the octets it stands for; the octets are what goes to a server. A text that is no URL gives a
//! [`ParseError`] that points at the fault. Nothing here reads names, opens sockets or guesses, but for [`typed`], which
//! says so.
//!
//! `Eq`, `Ord` and `Hash` go by the text; two spellings of one place share their [`Url::canonical`] form.

pub mod boundary;
mod build;
mod canonical;
pub mod context;
mod cursor;
mod departure;
mod error;
pub mod escape;
mod explain;
mod file;
mod ftp;
mod gopher;
mod hazard;
mod http;
mod login;
mod mailto;
mod moves;
mod nested;
mod news;
mod nntp;
mod other;
mod parts;
mod prospero;
mod range;
mod repair;
mod resolve;
mod scheme;
mod secret;
mod telnet;
mod typed;
mod wais;

use std::fmt;
use std::str::FromStr;

pub use build::encoded;
pub use departure::{Departure, Departures};
pub use error::{Message, ParseError, Stood};
pub use escape::Encoded;
pub use file::File;
pub use ftp::{Ftp, FtpType};
pub use gopher::Gopher;
pub use hazard::{Hazard, is_risky_port};
pub use http::Http;
pub use login::{HostPort, Login};
pub use mailto::{Letter, Mailto};
pub use nested::may_hold_secret;
pub use news::{Article, GroupPart, News};
pub use nntp::Nntp;
pub use other::Other;
pub use parts::Parts;
pub use prospero::Prospero;
pub use range::Range;
pub use repair::{forgiven, repair, repaired};
pub use scheme::{Later, Scheme};
pub use secret::{MASK, mask, with_secrets_of, without_secrets};
pub use telnet::Telnet;
pub use typed::{Guesses, folded, meant, typed, unwrapped};
pub use wais::{Wais, WaisTarget};

/// A URL of RFC 1738, checked, as it was written.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url {
    text: Box<str>,
}

impl Url {
    /// Takes a URL of RFC 1738 and nothing else: no white space, wrapper or fragment around it.
    ///
    /// # Errors
    /// The leftmost fault.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        Parts::parse(text)?;
        Ok(Url { text: text.into() })
    }

    /// The same for octets that may not be text; the first that is not UTF-8 is a fault like any other.
    ///
    /// # Errors
    /// The leftmost fault.
    pub fn parse_octets(octets: &[u8]) -> Result<Self, ParseError> {
        of_octets(octets, Url::parse)
    }

    /// Takes what Geomys opens: a URL of RFC 1738, or one that departs from it as a later document allows.
    /// [`Url::departures`] tells how, [`Url::verdict`] what RFC 1738 says.
    ///
    /// # Errors
    /// The leftmost fault that no later document allows.
    pub fn accept(text: &str) -> Result<Self, ParseError> {
        Parts::accept(text)?;
        Ok(Url { text: text.into() })
    }

    /// The same for octets that may not be text; the first that is not UTF-8 is a fault like any other.
    ///
    /// # Errors
    /// The leftmost fault that no later document allows.
    pub fn accept_octets(octets: &[u8]) -> Result<Self, ParseError> {
        of_octets(octets, Url::accept)
    }

    /// How opening it departs from RFC 1738. A URL that RFC 1738 allows may be read in a later document's way too:
    /// headers in a mailto URL, a server in a news URL.
    pub fn departures(&self) -> Departures {
        Parts::accept(&self.text).map_or(Departures::NONE, |(_, departures)| departures)
    }

    /// What RFC 1738 says of it.
    ///
    /// # Errors
    /// The leftmost fault of a URL that departs from it.
    pub fn verdict(&self) -> Result<(), ParseError> {
        Parts::parse(&self.text).map(|_| ())
    }

    /// The text, octet for octet as it was written. It may hold a password: show [`Url::masked`].
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Which of the ten it is, or another.
    pub fn scheme(&self) -> Scheme {
        Scheme::named(self.scheme_name())
    }

    /// The name of the scheme, in the case in which it was written.
    pub fn scheme_name(&self) -> &str {
        parts::generic(&self.text).scheme
    }

    /// The scheme, where it is one of a later document that Geomys opens.
    pub fn later(&self) -> Option<Later> {
        Later::named(self.scheme_name())
    }

    /// What is in it. All schemes but the ten are [`Parts::Other`].
    pub fn parts(&self) -> Parts<'_> {
        match self.scheme() {
            Scheme::Other => Parts::Other(parts::generic(&self.text)),
            _ => self.reading(),
        }
    }

    /// What Geomys opens: as [`Url::parts`], but `gophers`, `ftps`, `https`, `nntps`, `snews` and `tn3270` are read by
    /// the production of the scheme they are kin to, with their own default port, where it fits.
    pub fn reading(&self) -> Parts<'_> {
        // It parsed before; and the generic view is true of any URL.
        Parts::accept(&self.text)
            .map_or(Parts::Other(parts::generic(&self.text)), |(parts, _)| parts)
    }
}

/// What `parse` says to octets. An octet that is not UTF-8 is a fault at its place.
fn of_octets(
    octets: &[u8],
    parse: impl Fn(&str) -> Result<Url, ParseError>,
) -> Result<Url, ParseError> {
    if let Ok(text) = std::str::from_utf8(octets) {
        return parse(text);
    }
    // A control in its place, which is no part of any URL either, keeps all other places what they are.
    let mut text = String::with_capacity(octets.len());
    for chunk in octets.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1A}'));
    }
    parse(&text).map_err(|error| match octets.get(error.at) {
        Some(octet) if text.as_bytes().get(error.at) != Some(octet) => ParseError {
            len: 1,
            section: "2.2",
            message: Message::Unsafe(Stood::Octet(*octet)),
            ..error
        },
        Some(_) | None => error,
    })
}

impl FromStr for Url {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Url::parse(text)
    }
}

impl TryFrom<&str> for Url {
    type Error = ParseError;

    fn try_from(text: &str) -> Result<Self, ParseError> {
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
