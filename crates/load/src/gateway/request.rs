//! The request that goes to a gateway in place of the URL's own server.

use std::borrow::Cow;

use geomys_page::document::Link;
use geomys_wire::net::{NetError, ascii_url};
use geomys_wire::text::Text;
use rfc1738::{MASK, Protocol, Url};

use super::{UrlTemplate, gateway_root};
use crate::telnet::is_telnet;
use crate::{Failure, Gateways, GopherRequest, Reason, Request};

impl Gateways {
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
    pub(crate) fn by_gateway(&self) -> Result<Option<Self>, Failure> {
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
    pub(crate) fn with_ascii_host(&self) -> Result<Cow<'_, Self>, NetError> {
        Ok(match ascii_url(&self.url)? {
            Cow::Borrowed(_) => Cow::Borrowed(self),
            Cow::Owned(url) => Cow::Owned(Self {
                url,
                ..self.clone()
            }),
        })
    }
}
