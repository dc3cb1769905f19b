//! Gateways: other servers that load a URL for us (RFC 1738, section 4: "a URL scheme may be accessed through a
//! gateway").
//!
//! ```text
//! template = "scheme://host[:port]/" *( octet | "%u" | "%U" | "%h" | "%p" | "%d" | "%%" )
//! ```
//!
//! A template of settings.toml has priority. Otherwise the environment is used, in the way of libwww: `$nfs_proxy`
//! names a proxy of the Web, which receives the URL itself unless `$no_proxy` contains its host, and `$WWW_nfs_GATEWAY`
//! a server that has `/host:port/path` of it. For schemes that Geomys supports itself, the environment is used only if
//! settings.toml says so.
//!
//! A gateway's own URLs are loaded directly, to avoid a loop. No gateway receives a password.

use std::borrow::Cow;

use geomys_wire::net::{NetError, WebProxies, WebProxy, ascii_url};
use geomys_wire::text::Text;
use rfc1738::{MASK, Parts, Protocol, Url, encoded};

use super::telnet::is_session;

use super::{Failure, Request};
use crate::document::Link;

/// The schemes that never use a gateway: a file is local, the others are no network addresses.
const NEVER: [&str; 4] = ["file", "javascript", "vbscript", "data"];

/// The variables that end like gateway variables but are not: they are read as proxies elsewhere.
const OTHERS: [&str; 4] = ["http", "https", "all", "no"];

/// The gateways and proxies, by scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gateways {
    set: Vec<(String, Gateway)>,
    /// The supported schemes that still use the environment.
    from_environment: Vec<String>,
    proxies: Vec<(String, Result<WebProxy, String>)>,
    roots: Vec<(String, Result<Url, String>)>,
    exceptions: Vec<String>,
}

/// The setting of settings.toml for a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Gateway {
    Template(UrlTemplate),
    /// No gateway, even if the environment has one.
    Disabled,
}

/// Returns the route for a URL.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GatewayRoute<'a> {
    /// The URL's own server.
    Direct,
    /// A gateway, by this URL.
    Gateway(Url),
    /// A proxy of the Web, which receives the original URL.
    Proxy(&'a WebProxy),
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
        const PLACEHOLDERS: &str = "%u is the URL, %U the same with its signs encoded, %h its host, %p its port, %d what follows them, \
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
        match Url::accept("x-any://h:1/d").and_then(|url| template.fill(&url)) {
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
        Url::accept(&filled)
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
    /// Reads the variables of the environment: their names and values.
    pub fn named<'v>(variables: impl IntoIterator<Item = (&'v str, &'v str)>) -> Self {
        let mut read = Self::default();
        let mut variables: Vec<_> = variables.into_iter().collect();
        // Lower case sorts last, and overrides upper case.
        variables.sort_unstable();
        for (name, value) in variables {
            let lower = name.to_ascii_lowercase();
            if value.is_empty() {
                continue;
            }
            if let Some(scheme) = lower.strip_suffix("_proxy") {
                if !OTHERS.contains(&scheme) && !NEVER.contains(&scheme) {
                    let proxy = WebProxy::parse(value).map_err(|why| format!("${name}: {why}"));
                    put(&mut read.proxies, scheme, proxy);
                } else if scheme == "no" {
                    read.exceptions = WebProxies::parse_exceptions(value);
                }
            } else if let Some(scheme) = lower
                .strip_prefix("www_")
                .and_then(|rest| rest.strip_suffix("_gateway"))
                .filter(|scheme| !NEVER.contains(scheme))
            {
                let root = gateway_root(value).and_then(|root| Url::accept(&root).ok());
                let root = root.filter(|root| speaks(root) && !root.has_password());
                let wrong = || format!("${name} is not a gateway; expected http://host:port/");
                put(&mut read.roots, scheme, root.ok_or_else(wrong));
            }
        }
        read
    }

    /// Sets the gateway of a scheme: a template, `environment` to use the environment although Geomys supports the
    /// scheme, or an empty text for no gateway.
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
        let gateway = match written {
            "environment" => {
                self.set.retain(|(name, _)| *name != scheme);
                self.from_environment.push(scheme);
                return Ok(());
            }
            "" => Gateway::Disabled,
            written => Gateway::Template(UrlTemplate::parse(written)?),
        };
        put(&mut self.set, &scheme, gateway);
        Ok(())
    }

    /// Returns true if a URL is loaded by a gateway or a proxy.
    pub fn uses_gateway(&self, url: &Url) -> bool {
        !matches!(self.route(url), Ok(GatewayRoute::Direct))
    }

    /// The route of a request.
    ///
    /// # Errors
    /// The URL is not valid for the configured gateway.
    pub(super) fn route(&self, url: &Url) -> Result<GatewayRoute<'_>, Failure> {
        let scheme = url.scheme_name().to_ascii_lowercase();
        if self.is_gateway_url(url) {
            return Ok(GatewayRoute::Direct);
        }
        let route = match find(&self.set, &scheme) {
            Some(Gateway::Disabled) => return Ok(GatewayRoute::Direct),
            Some(Gateway::Template(template)) => {
                let by = &template.root;
                let filled = template.fill(url);
                GatewayRoute::Gateway(filled.map_err(|error| no_url(url, by, &error.to_string()))?)
            }
            None if is_ours(url) && !self.from_environment.contains(&scheme) => {
                return Ok(GatewayRoute::Direct);
            }
            None => match (self.proxy(url, &scheme), find(&self.roots, &scheme)) {
                (Some(Ok(proxy)), _) => GatewayRoute::Proxy(proxy),
                (None, Some(Ok(root))) => {
                    let (_, rest) = url.as_str().split_once(':').unwrap_or_default();
                    let filled = format!("{root}{}", rest.trim_start_matches('/'));
                    let filled = Url::accept(&filled);
                    let wrong =
                        |error: rfc1738::ParseError| no_url(url, root.as_str(), &error.to_string());
                    GatewayRoute::Gateway(filled.map_err(wrong)?)
                }
                (Some(Err(why)), _) | (None, Some(Err(why))) => {
                    return Err(Failure::new(format!("not requested: {why}")));
                }
                (None, None) => return Ok(GatewayRoute::Direct),
            },
        };
        if url.has_password() {
            return Err(secret(url, &route));
        }
        Ok(route)
    }

    /// Returns the proxy of the Web for a URL.
    fn proxy(&self, url: &Url, scheme: &str) -> Option<Result<&WebProxy, &String>> {
        let proxy = find(&self.proxies, scheme)?;
        let address = address(url);
        let is_without = address.is_some_and(|address| {
            WebProxies::is_exception(&self.exceptions, address.node(), address.port())
        });
        (!is_without).then_some(proxy.as_ref())
    }

    /// Returns true if a URL is of a gateway itself.
    fn is_gateway_url(&self, url: &Url) -> bool {
        let Some(root) = gateway_root(url.as_str()) else {
            return false;
        };
        let roots = self.roots.iter().filter_map(|(_, root)| root.as_ref().ok());
        let mut templates = self.set.iter().filter_map(|(_, gateway)| match gateway {
            Gateway::Template(template) => Some(&template.root),
            Gateway::Disabled => None,
        });
        templates.any(|name| *name == root)
            || roots.into_iter().any(|gateway| gateway.as_str() == root)
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
        Protocol::Telnet(_) => is_session(url),
        Protocol::Mailto(_) | Protocol::Other(_) => false,
    }
}

/// Returns true if Geomys handles a URL itself: it supports the protocol, or writes a mail.
fn is_ours(url: &Url) -> bool {
    speaks(url) || matches!(url.protocol(), Protocol::Mailto(_))
}

fn find<'a, T>(list: &'a [(String, T)], scheme: &str) -> Option<&'a T> {
    let found = list.iter().find(|(name, _)| name == scheme);
    found.map(|(_, value)| value)
}

fn put<T>(list: &mut Vec<(String, T)>, scheme: &str, value: T) {
    list.retain(|(name, _)| name != scheme);
    list.push((scheme.to_owned(), value));
}

/// Returns the failure for a URL that is not valid for a gateway.
fn no_url(url: &Url, gateway: &str, why: &str) -> Failure {
    Failure::new(format!(
        "the gateway {gateway} gives no URL for {}: {why}",
        url.masked()
    ))
}

/// Returns the failure for a URL whose password a gateway would read.
fn secret(url: &Url, route: &GatewayRoute<'_>) -> Failure {
    let who = match route {
        GatewayRoute::Gateway(to) => gateway_root(to.as_str()).unwrap_or_default(),
        GatewayRoute::Proxy(proxy) => proxy.authority(),
        GatewayRoute::Direct => String::new(),
    };
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
    /// Returns the request to the gateway; None for the URL's own server, and for a proxy.
    ///
    /// # Errors
    /// The URL is not valid for the configured gateway, or contains what is never sent.
    pub(super) fn by_gateway(&self) -> Result<Option<Self>, Failure> {
        match self.gateways.route(&self.url)? {
            GatewayRoute::Gateway(url) => Ok(Some(Self {
                url,
                mirrors: Vec::new(),
                directory: None,
                // The gateway is one of the settings.
                referrer: None,
                ..self.clone()
            })),
            GatewayRoute::Direct | GatewayRoute::Proxy(_) => Ok(None),
        }
    }

    /// Returns true if the request goes to a proxy of the Web, although its URL is of another scheme.
    pub(super) fn is_for_proxy(&self) -> bool {
        matches!(self.gateways.route(&self.url), Ok(GatewayRoute::Proxy(_)))
    }

    /// Returns the URL that is requested: the request's own with its host in ASCII, or that of its gateway.
    pub fn requested_url(&self) -> Cow<'_, Url> {
        match self.gateways.route(&self.url) {
            Ok(GatewayRoute::Gateway(url)) => Cow::Owned(url),
            Ok(GatewayRoute::Direct | GatewayRoute::Proxy(_)) | Err(_) => {
                // A host that cannot be looked up is never requested.
                ascii_url(&self.url).unwrap_or(Cow::Borrowed(&self.url))
            }
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
