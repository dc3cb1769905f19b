//! Gateways: other servers that are asked for what a URL names (RFC 1738, section 4: "a URL scheme may be accessed through
//! a gateway").
//!
//! ```text
//! template = "scheme://host[:port]/" *( octet | "%u" | "%U" | "%h" | "%p" | "%d" | "%%" )
//! ```
//!
//! A template of settings.toml comes first. Without one the environment counts, as libwww read it: `$nfs_proxy` names a
//! proxy of the Web, which is asked for the URL itself unless `$no_proxy` names its host, and `$WWW_nfs_GATEWAY` a server
//! that has `/host:port/path` of it. The environment counts for schemes that Geomys speaks only where settings.toml says so.
//!
//! What a gateway's own address names is asked for straight, so that nothing goes round in a circle. No gateway is told a
//! password.

use std::borrow::Cow;

use super::{Failure, Link, Request, speaks};
use crate::net::{WebProxies, WebProxy};
use crate::text::Text;
use crate::url::{MASK, Parts, Url, encoded};

/// Schemes that nobody else is asked for: a file is of this machine, the others are no addresses.
const NEVER: [&str; 4] = ["file", "javascript", "vbscript", "data"];

/// Variables that are no gateways, though their names end so: they are read as proxies elsewhere.
const OTHERS: [&str; 4] = ["http", "https", "all", "no"];

/// Who is asked for URLs of which scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gateways {
    set: Vec<(String, Gateway)>,
    /// Schemes that are spoken here, for which the environment counts all the same.
    wanted: Vec<String>,
    proxies: Vec<(String, Result<WebProxy, String>)>,
    roots: Vec<(String, Result<Url, String>)>,
    not_for: Vec<String>,
}

/// What settings.toml says of a scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Gateway {
    Template(Template),
    /// There is none, whatever the environment says.
    Nobody,
}

/// By what way a URL is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way<'a> {
    /// Of its own server.
    Straight,
    /// As this URL.
    Gateway(Url),
    /// Of a proxy of the Web, by itself.
    Proxy(&'a WebProxy),
}

/// A URL with places for those that it is to be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    /// `scheme://host:port/`, in lower case.
    place: String,
    written: String,
}

impl Template {
    /// # Errors
    /// A sentence that says what would be right.
    fn parse(written: &str) -> Result<Self, String> {
        const KNOWN: &str = "%u is the URL, %U the same with its signs encoded, %h its host, %p its port, %d what follows them, \
                             %% a %";
        let (mut rest, mut is_filled) = (written, false);
        while let Some((_, after)) = rest.split_once('%') {
            match after.chars().next() {
                Some('u' | 'U' | 'h' | 'p' | 'd') => is_filled = true,
                Some('%') => {}
                Some(sign) => return Err(format!("“%{sign}” is not known here: {KNOWN}")),
                None => return Err(format!("a % stands alone at the end: {KNOWN}")),
            }
            rest = after.get(1..).unwrap_or_default();
        }
        if !is_filled {
            return Err(format!("nothing of the URL is filled in: {KNOWN}"));
        }
        let place = place(written).filter(|place| !place.contains(['%', '@']));
        let place = place.ok_or_else(|| {
            "this is no address of a gateway; one is like http://gateway.example/%u".to_owned()
        })?;
        let template = Self {
            place,
            written: written.to_owned(),
        };
        match Url::accept("x-any://h:1/d").and_then(|url| template.fill(&url)) {
            Ok(url) if url.reading().address().is_some() && speaks(&url) => Ok(template),
            Ok(url) => Err(format!(
                "Geomys cannot ask a gateway by {}",
                url.scheme_name()
            )),
            Err(error) => Err(format!("this makes no URL: {error}")),
        }
    }

    /// The URL that is asked for instead of `url`.
    fn fill(&self, url: &Url) -> Result<Url, crate::url::ParseError> {
        let parts = Pieces::of(url);
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

/// What a template may hold of a URL, as it is written.
struct Pieces<'a> {
    host: &'a str,
    port: String,
    rest: &'a str,
}

impl<'a> Pieces<'a> {
    fn of(url: &'a Url) -> Self {
        let (_, schemepart) = url.as_str().split_once(':').unwrap_or_default();
        let rest = match schemepart.strip_prefix("//") {
            Some(rest) => rest.split_once('/').unwrap_or_default().1,
            None => schemepart,
        };
        let address = address(url);
        let port = address.and_then(|address| address.port());
        Self {
            host: address.map_or("", |address| address.node()),
            port: port.map_or(String::new(), |port| port.to_string()),
            rest,
        }
    }
}

/// The host and the port of a URL of any scheme.
pub(super) fn address(url: &Url) -> Option<crate::url::HostPort<'_>> {
    match url.reading() {
        Parts::Other(other) => Some(other.ip()?.0.address),
        parts => parts.address(),
    }
}

/// `scheme://host:port/` of an address, in lower case.
fn place(written: &str) -> Option<String> {
    let (scheme, rest) = written.split_once("://")?;
    let host = rest.split('/').next().filter(|host| !host.is_empty())?;
    Some(format!("{scheme}://{host}/").to_ascii_lowercase())
}

impl Gateways {
    /// Reads the variables of the environment: their names, and what they hold.
    pub fn named<'v>(variables: impl IntoIterator<Item = (&'v str, &'v str)>) -> Self {
        let mut read = Self::default();
        let mut variables: Vec<_> = variables.into_iter().collect();
        // Small letters come last, and count.
        variables.sort_unstable();
        for (name, value) in variables {
            let small = name.to_ascii_lowercase();
            if value.is_empty() {
                continue;
            }
            if let Some(scheme) = small.strip_suffix("_proxy") {
                if !OTHERS.contains(&scheme) && !NEVER.contains(&scheme) {
                    let proxy = WebProxy::parse(value).map_err(|why| format!("${name}: {why}"));
                    put(&mut read.proxies, scheme, proxy);
                } else if scheme == "no" {
                    read.not_for = WebProxies::without(value);
                }
            } else if let Some(scheme) = small
                .strip_prefix("www_")
                .and_then(|rest| rest.strip_suffix("_gateway"))
                .filter(|scheme| !NEVER.contains(scheme))
            {
                let root = place(value).and_then(|place| Url::accept(&place).ok());
                let root = root.filter(|root| speaks(root) && !root.has_password());
                let wrong = || format!("${name} is no address of a gateway, as http://host:port/");
                put(&mut read.roots, scheme, root.ok_or_else(wrong));
            }
        }
        read
    }

    /// Takes what settings.toml says of a scheme: a template, `environment` for what the environment says although the scheme
    /// is spoken here, or nothing for nobody.
    ///
    /// # Errors
    /// A sentence that says what would be right.
    pub fn set(&mut self, scheme: &str, written: &str) -> Result<(), String> {
        let scheme = scheme.to_ascii_lowercase();
        let has_name = |scheme: &str| {
            let signs = |sign: char| sign.is_ascii_alphanumeric() || "+-.".contains(sign);
            !scheme.is_empty() && scheme.chars().all(signs)
        };
        if !has_name(&scheme) {
            return Err("the name of a scheme is wanted before the =, as nfs".to_owned());
        }
        if NEVER.contains(&scheme.as_str()) {
            return Err(format!("a {scheme}: address is for no other machine"));
        }
        let gateway = match written {
            "environment" => {
                self.set.retain(|(known, _)| *known != scheme);
                self.wanted.push(scheme);
                return Ok(());
            }
            "" => Gateway::Nobody,
            written => Gateway::Template(Template::parse(written)?),
        };
        put(&mut self.set, &scheme, gateway);
        Ok(())
    }

    /// Whether somebody else is asked for a URL than its own server.
    pub fn takes(&self, url: &Url) -> bool {
        !matches!(self.way(url), Ok(Way::Straight))
    }

    /// By what way a URL is asked for.
    ///
    /// # Errors
    /// It cannot be asked for by the way that is set.
    pub(super) fn way(&self, url: &Url) -> Result<Way<'_>, Failure> {
        let scheme = url.scheme_name().to_ascii_lowercase();
        if self.is_a_gateways(url) {
            return Ok(Way::Straight);
        }
        let way = match find(&self.set, &scheme) {
            Some(Gateway::Nobody) => return Ok(Way::Straight),
            Some(Gateway::Template(template)) => {
                let by = &template.place;
                let filled = template.fill(url);
                Way::Gateway(filled.map_err(|error| no_url(url, by, &error.to_string()))?)
            }
            None if is_ours(url) && !self.wanted.contains(&scheme) => return Ok(Way::Straight),
            None => match (self.proxy(url, &scheme), find(&self.roots, &scheme)) {
                (Some(Ok(proxy)), _) => Way::Proxy(proxy),
                (None, Some(Ok(root))) => {
                    let (_, rest) = url.as_str().split_once(':').unwrap_or_default();
                    let filled = format!("{root}{}", rest.trim_start_matches('/'));
                    let filled = Url::accept(&filled);
                    let wrong = |error: crate::url::ParseError| {
                        no_url(url, root.as_str(), &error.to_string())
                    };
                    Way::Gateway(filled.map_err(wrong)?)
                }
                (Some(Err(why)), _) | (None, Some(Err(why))) => {
                    return Err(Failure::new(format!("not asked: {why}")));
                }
                (None, None) => return Ok(Way::Straight),
            },
        };
        if url.has_password() {
            return Err(secret(url, &way));
        }
        Ok(way)
    }

    /// The proxy of the Web for a URL.
    fn proxy(&self, url: &Url, scheme: &str) -> Option<Result<&WebProxy, &String>> {
        let proxy = find(&self.proxies, scheme)?;
        let address = address(url);
        let is_without = address.is_some_and(|address| {
            WebProxies::names(&self.not_for, address.node(), address.port().unwrap_or(0))
        });
        (!is_without).then_some(proxy.as_ref())
    }

    /// Whether a URL is of a gateway itself.
    fn is_a_gateways(&self, url: &Url) -> bool {
        let Some(place) = place(url.as_str()) else {
            return false;
        };
        let roots = self.roots.iter().filter_map(|(_, root)| root.as_ref().ok());
        let mut templates = self.set.iter().filter_map(|(_, gateway)| match gateway {
            Gateway::Template(template) => Some(&template.place),
            Gateway::Nobody => None,
        });
        templates.any(|known| *known == place)
            || roots.into_iter().any(|root| root.as_str() == place)
    }
}

/// Whether Geomys does something with a URL itself: it speaks to its server, or writes a letter.
fn is_ours(url: &Url) -> bool {
    speaks(url) || matches!(url.reading(), Parts::Mailto(_))
}

fn find<'a, T>(list: &'a [(String, T)], scheme: &str) -> Option<&'a T> {
    let found = list.iter().find(|(known, _)| known == scheme);
    found.map(|(_, value)| value)
}

fn put<T>(list: &mut Vec<(String, T)>, scheme: &str, value: T) {
    list.retain(|(known, _)| known != scheme);
    list.push((scheme.to_owned(), value));
}

/// The failure of a URL that a gateway cannot be asked for.
fn no_url(url: &Url, gateway: &str, why: &str) -> Failure {
    Failure::new(format!(
        "the gateway {gateway} cannot be asked for {}, as that makes no URL: {why}",
        url.masked()
    ))
}

/// The failure of a URL whose password would be told to somebody else.
fn secret(url: &Url, way: &Way<'_>) -> Failure {
    let who = match way {
        Way::Gateway(to) => place(to.as_str()).unwrap_or_default(),
        Way::Proxy(proxy) => proxy.place(),
        Way::Straight => String::new(),
    };
    let without = url.without_password();
    let label = Text::of(without.as_str());
    Failure {
        advice: Some("the link of this page is the same address without its password"),
        next: Some(Box::new(Link::new(label, Ok(without)))),
        ..Failure::new(format!(
            "not asked: the address holds a password ({MASK}), and the gateway {who} would read it"
        ))
    }
}

impl Request {
    /// The request as its gateway is asked; nothing where it is asked of its own server, or of a proxy by its own URL.
    ///
    /// # Errors
    /// It cannot be asked for by the way that is set, or holds what is never sent.
    pub(super) fn by_gateway(&self) -> Result<Option<Self>, Failure> {
        match self.gateways.way(&self.url)? {
            Way::Gateway(url) => Ok(Some(Self {
                url,
                mirrors: Vec::new(),
                directory: None,
                ..self.clone()
            })),
            Way::Straight | Way::Proxy(_) => Ok(None),
        }
    }

    /// Whether a proxy of the Web is asked for its URL, which is of another scheme.
    pub(super) fn is_for_proxy(&self) -> bool {
        matches!(self.gateways.way(&self.url), Ok(Way::Proxy(_)))
    }

    /// The URL that somebody is asked for: the request's own, or what its gateway has in its place.
    pub(crate) fn asked(&self) -> Cow<'_, Url> {
        match self.gateways.way(&self.url) {
            Ok(Way::Gateway(url)) => Cow::Owned(url),
            Ok(Way::Straight | Way::Proxy(_)) | Err(_) => Cow::Borrowed(&self.url),
        }
    }
}
