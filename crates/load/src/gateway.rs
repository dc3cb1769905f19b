//! Gateways: other servers that load a URL for us (RFC 1738, section 4: "a URL scheme may be accessed through a
//! gateway").
//!
//! ```text
//! template = "scheme://host[:port]/" *( octet | "%u" | "%U" | "%h" | "%p" | "%d" | "%%" )
//! ```
//!
//! A gateway's own URLs are loaded directly, to avoid a loop. No gateway receives a password.

use std::borrow::Cow;

use geomys_wire::net::{NetError, ascii_url};
use geomys_wire::text::Text;
use rfc1738::{Dialect, MASK, Parts, Protocol, Url, encoded};

use super::telnet::is_telnet;

use super::{Failure, GopherRequest, Reason, Request};
use geomys_page::document::Link;

/// The schemes that never use a gateway: a file is local, the others are no network addresses.
const NEVER: [&str; 4] = ["file", "javascript", "vbscript", "data"];

/// The gateways by scheme, from settings.toml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gateways {
    templates: Vec<(String, UrlTemplate)>,
}

/// A URL template with placeholders for the requested URL.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UrlTemplate {
    /// `scheme://host:port/`, in lower case.
    root: String,
    written: String,
}

impl UrlTemplate {
    /// # Errors
    /// A message that says what would be valid.
    fn parse(written: &str) -> Result<Self, String> {
        const PLACEHOLDERS: &str = "%u is the URL, %U the URL percent-encoded, %h its host, %p its port, %d what follows them, \
                             %% a %";
        let (mut rest, mut is_filled) = (written, false);
        while let Some((_, after)) = rest.split_once('%') {
            match after.chars().next() {
                Some('u' | 'U' | 'h' | 'p' | 'd') => is_filled = true,
                Some('%') => {}
                Some(sign) => return Err(format!("unknown placeholder “%{sign}”: {PLACEHOLDERS}")),
                None => return Err(format!("incomplete placeholder at the end: {PLACEHOLDERS}")),
            }
            rest = after.get(1..).unwrap_or_default();
        }
        if !is_filled {
            return Err(format!("no placeholder for the URL: {PLACEHOLDERS}"));
        }
        let root = gateway_root(written).filter(|root| !root.contains(['%', '@']));
        let root = root.ok_or_else(|| {
            "not a gateway; expected a URL like http://gateway.example/%u".to_owned()
        })?;
        let template = Self {
            root,
            written: written.to_owned(),
        };
        match Dialect::Extended
            .parse("x-any://h:1/d")
            .and_then(|url| template.fill(&url))
        {
            Ok(url) if url.base_parts().address().is_some() && speaks(&url) => Ok(template),
            Ok(url) => Err(format!(
                "gateways by {} are not supported",
                url.scheme_name()
            )),
            Err(error) => Err(format!("the result is not a URL: {error}")),
        }
    }

    /// Returns the gateway URL for `url`.
    fn fill(&self, url: &Url) -> Result<Url, rfc1738::ParseError> {
        // No gateway gets a fragment.
        let url = &url.without_fragment();
        let parts = UrlPieces::of(url);
        let mut filled = String::new();
        let mut rest = self.written.as_str();
        while let Some((before, after)) = rest.split_once('%') {
            filled.push_str(before);
            let sign = after.get(..1).unwrap_or_default();
            match sign {
                "u" => filled.push_str(url.as_str()),
                "U" => filled.push_str(&encoded(url.as_str().as_bytes())),
                "h" => filled.push_str(parts.host),
                "p" => filled.push_str(&parts.port),
                "d" => filled.push_str(parts.rest),
                _ => filled.push('%'),
            }
            rest = after.get(sign.len()..).unwrap_or_default();
        }
        filled.push_str(rest);
        Dialect::Extended.parse(&filled)
    }
}

/// The parts of a URL that a template may contain, as they are written.
struct UrlPieces<'a> {
    host: &'a str,
    port: String,
    rest: &'a str,
}

impl<'a> UrlPieces<'a> {
    fn of(url: &'a Url) -> Self {
        let (_, schemepart) = url.as_str().split_once(':').unwrap_or_default();
        let rest = match schemepart.strip_prefix("//") {
            Some(rest) => rest.split_once('/').unwrap_or_default().1,
            None => schemepart,
        };
        let address = address(url);
        let port = address.and_then(|address| address.known_port());
        Self {
            host: address.map_or("", |address| address.node()),
            port: port.map_or(String::new(), |port| port.to_string()),
            rest,
        }
    }
}

/// Returns the host and the port of a URL of any scheme.
pub(super) fn address(url: &Url) -> Option<rfc1738::HostPort<'_>> {
    match url.base_parts() {
        Parts::Other(other) => Some(other.ip()?.0.address),
        parts => parts.address(),
    }
}

/// Returns `scheme://host:port/` of a URL, in lower case.
fn gateway_root(written: &str) -> Option<String> {
    let (scheme, rest) = written.split_once("://")?;
    let host = rest.split('/').next().filter(|host| !host.is_empty())?;
    Some(format!("{scheme}://{host}/").to_ascii_lowercase())
}

impl Gateways {
    /// Sets the gateway of a scheme: a template, or an empty text for no gateway.
    ///
    /// # Errors
    /// A message that says what would be valid.
    pub fn set(&mut self, scheme: &str, written: &str) -> Result<(), String> {
        let scheme = scheme.to_ascii_lowercase();
        let has_name = |scheme: &str| {
            let signs = |sign: char| sign.is_ascii_alphanumeric() || "+-.".contains(sign);
            !scheme.is_empty() && scheme.chars().all(signs)
        };
        if !has_name(&scheme) {
            return Err("expected a scheme before the =, like nfs".to_owned());
        }
        if NEVER.contains(&scheme.as_str()) {
            return Err(format!("a {scheme}: URL has no gateway"));
        }
        let template = match written {
            "" => None,
            written => Some(UrlTemplate::parse(written)?),
        };
        self.templates.retain(|(name, _)| *name != scheme);
        let template = template.map(|template| (scheme, template));
        self.templates.extend(template);
        Ok(())
    }

    /// Returns true if a URL is loaded by a gateway.
    pub fn uses_gateway(&self, url: &Url) -> bool {
        !matches!(self.gateway_url(url), Ok(None))
    }

    /// Returns the URL at the gateway of a URL; `None` if its own server is asked.
    ///
    /// # Errors
    /// The URL is not valid for the configured gateway.
    fn gateway_url(&self, url: &Url) -> Result<Option<Url>, Failure> {
        let scheme = url.scheme_name();
        let own = |(name, _): &&(String, UrlTemplate)| name.eq_ignore_ascii_case(scheme);
        let template = self.templates.iter().find(own);
        let Some((_, template)) = template.filter(|_| !self.is_gateway_url(url)) else {
            return Ok(None);
        };
        let filled = template.fill(url);
        let filled = filled.map_err(|error| no_url(url, &template.root, &error.to_string()))?;
        if url.has_password() {
            return Err(secret(url, &filled));
        }
        Ok(Some(filled))
    }

    /// Returns true if a URL is of a gateway itself.
    fn is_gateway_url(&self, url: &Url) -> bool {
        gateway_root(url.as_str()).is_some_and(|root| {
            let mut templates = self.templates.iter();
            templates.any(|(_, template)| template.root == root)
        })
    }
}

/// Returns true if Geomys supports the protocol of a URL itself.
pub fn speaks(url: &Url) -> bool {
    match url.protocol() {
        Protocol::Gopher(_)
        | Protocol::Cso(_)
        | Protocol::Ftp(_)
        | Protocol::Nntp(_)
        | Protocol::Http(_)
        | Protocol::Gemini(_)
        | Protocol::Titan(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_)
        | Protocol::Finger(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_)
        | Protocol::File(_) => true,
        Protocol::Telnet(_) => is_telnet(url),
        Protocol::Mailto(_) | Protocol::Other(_) => false,
    }
}

/// Returns the failure for a URL that is not valid for a gateway.
fn no_url(url: &Url, gateway: &str, why: &str) -> Failure {
    Failure::new(format!(
        "the gateway {gateway} gives no URL for {}: {why}",
        url.masked()
    ))
}

/// Returns the failure for a URL whose password a gateway would read.
fn secret(url: &Url, filled: &Url) -> Failure {
    let who = gateway_root(filled.as_str()).unwrap_or_default();
    let without = url.without_password();
    let label = Text::of(without.as_str());
    Failure {
        advice: Some("the link on this page is the same URL without the password"),
        next: Some(Box::new(Link::new(label, Ok(without)))),
        ..Failure::new(format!(
            "not requested: the URL has a password ({MASK}), which the gateway {who} would read"
        ))
    }
}

impl Request {
    /// Returns the request to the gateway; None for the URL's own server.
    ///
    /// # Errors
    /// The URL is not valid for the configured gateway, or contains what is never sent.
    pub(super) fn by_gateway(&self) -> Result<Option<Self>, Failure> {
        let filled = self.settings.gateways.gateway_url(&self.url)?;
        Ok(filled.map(|url| Self {
            url,
            gopher: GopherRequest {
                alternates: Vec::new(),
                directory: None,
                ..self.gopher.clone()
            },
            // The gateway is one of the settings.
            reason: Reason::Setting,
            ..self.clone()
        }))
    }

    /// Returns the URL that is requested: the request's own with its host in ASCII, or that of its gateway.
    pub fn requested_url(&self) -> Cow<'_, Url> {
        match self.settings.gateways.gateway_url(&self.url) {
            Ok(Some(url)) => Cow::Owned(url),
            // A host that cannot be looked up is never requested.
            Ok(None) | Err(_) => ascii_url(&self.url).unwrap_or(Cow::Borrowed(&self.url)),
        }
    }

    /// Returns the request with its host in ASCII.
    ///
    /// # Errors
    /// Those of [`geomys_wire::net::ascii_host`].
    pub(super) fn with_ascii_host(&self) -> Result<Cow<'_, Self>, NetError> {
        Ok(match ascii_url(&self.url)? {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(url) => Cow::Owned(Self {
                url,
                ..self.clone()
            }),
        })
    }
}
