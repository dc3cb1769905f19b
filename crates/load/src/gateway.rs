//! Gateways: other servers that load a URL for us (RFC 1738, section 4: "a URL scheme may be accessed through a
//! gateway").
//!
//! ```text
//! template = "scheme://host[:port]/" *( octet | "%u" | "%U" | "%h" | "%p" | "%d" | "%%" )
//! ```
//!
//! A gateway's own URLs are loaded directly, to avoid a loop. No gateway receives a password.

mod request;

use rfc1738::{Dialect, Parts, Url, encoded};

pub use self::request::speaks;
use super::failure::stays_here;

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
        if stays_here(&scheme) {
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

    /// Returns true if a URL is of a gateway itself.
    fn is_gateway_url(&self, url: &Url) -> bool {
        gateway_root(url.as_str()).is_some_and(|root| {
            let mut templates = self.templates.iter();
            templates.any(|(_, template)| template.root == root)
        })
    }
}
