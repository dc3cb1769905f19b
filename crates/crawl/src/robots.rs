//! Rules for programs that follow links: `robots.txt` of Gemini's companion specification, of Gopher, and of the Web
//! (RFC 9309).
//!
//! ```text
//! file  = *( group )
//! group = 1*( "User-agent:" name LF ) *( ( "Disallow:" / "Allow:" ) pattern LF )
//! ```
//!
//! Other lines and comments (`#`) are ignored. Over Gemini, Spartan, nex and Gopher a path is refused if a group of one
//! of the agents refuses it: a pattern is a beginning, and `Allow` is unknown. Over http the rules of the most specific
//! agent hold, and the longest pattern of them; `*` stands for anything, and `$` for the end. A line ends with LF, CR
//! or both, the name of an agent before a `/` or a blank, and octets are compared without needless percent-encoding
//! (RFC 9309, sections 2.2.1 and 2.2.2).

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use geomys_load::check::host_key;
use geomys_load::{
    Failure, FailureKind, Purpose, Reason, RedirectPolicy, Request, SaveRequest, Stop, collect,
    decompressed,
};
use geomys_wire::net::Net;
use rfc1738::{Dialect, Parts, Protocol, Url};
use tokio::time::timeout;

use crate::site::has_pages;

/// Maximum size of a file that is read, in octets: of a longer one the beginning holds (RFC 9309, section 2.5).
const CAP: usize = 512 * 1024;

/// Time limit of a file, with its redirects: one that never ends holds up no run.
const DEADLINE: Duration = Duration::from_secs(20);

/// A byte order mark in UTF-8.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Name of Geomys in these files.
const OWN_NAME: &str = "geomys";

/// Rules of one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Robots {
    /// Every path is allowed.
    All,
    /// The host could not say: it is left out this time.
    Unknown {
        /// The reason.
        why: String,
        /// False if it was not reached at all.
        is_reached: bool,
    },
    /// These rules hold.
    Rules(Rules),
}

/// Patterns of the groups that hold, and the way in which they are matched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    refused: Vec<String>,
    allowed: Vec<String>,
    is_web: bool,
}

impl Rules {
    /// Parses a file: `purposes` are the agents that the program is, beside `*` and its own name.
    pub fn parse(text: &str, purposes: &[&str], is_web: bool) -> Self {
        let mut groups: Vec<(Vec<String>, Self)> = Vec::new();
        let mut has_rules = true;
        for line in lines(text) {
            let line = line.split('#').next().unwrap_or_default();
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            match (name.as_str(), groups.last_mut()) {
                ("user-agent", group) => {
                    let value = value.split(['/', ' ', '\t']).next().unwrap_or_default();
                    let value = value.to_ascii_lowercase();
                    match group {
                        Some((agents, _)) if !has_rules => agents.push(value),
                        _ => groups.push((vec![value], Self::default())),
                    }
                    has_rules = false;
                }
                ("disallow", Some((_, rules))) => {
                    has_rules = true;
                    rules.refused.push(plain(value));
                }
                ("allow", Some((_, rules))) => {
                    has_rules = true;
                    rules.allowed.push(plain(value));
                }
                _ => {}
            }
        }
        let names = |agents: &[String], name: &str| agents.iter().any(|agent| agent == name);
        let is_named = groups.iter().any(|(agents, _)| names(agents, OWN_NAME));
        let mut all = Self {
            is_web,
            ..Self::default()
        };
        for (agents, rules) in groups {
            let holds = if is_web {
                names(&agents, if is_named { OWN_NAME } else { "*" })
            } else {
                let mut purposes = purposes.iter().chain(&[OWN_NAME, "*"]);
                purposes.any(|name| names(&agents, name))
            };
            if holds {
                all.refused.extend(rules.refused);
                all.allowed.extend(rules.allowed);
            }
        }
        all.refused.retain(|pattern| !pattern.is_empty());
        all
    }

    /// Returns true if a path with its query, or a selector, may be fetched.
    pub fn admits(&self, path: &str) -> bool {
        let path = &plain(path);
        if self.is_web {
            let longest = |patterns: &[String]| {
                let matching = patterns.iter().filter(|pattern| matches_web(pattern, path));
                matching.map(String::len).max()
            };
            return longest(&self.refused) <= longest(&self.allowed);
        }
        !self.refused.iter().any(|pattern| {
            // `/x/` holds for `/x` too, and `/` for selectors without a slash.
            pattern == "/"
                || path.starts_with(pattern)
                || pattern.strip_suffix('/').is_some_and(|name| name == path)
        })
    }
}

/// Returns the lines of a file: they end with LF, CR or both.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\r', '\n'])
}

/// Returns a path or a pattern in the form that is compared (RFC 9309, section 2.2.2): unreserved characters as they
/// are, other octets that are encoded in upper case, and those beyond ASCII encoded. A selector is compared so, too:
/// where it is not a URL, more is refused than the file says.
fn plain(path: &str) -> String {
    let (mut plain, mut rest) = (String::with_capacity(path.len()), path.as_bytes());
    while let Some((&octet, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| octet == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let encoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = after
            .get(if encoded.is_some() { 2 } else { 0 }..)
            .unwrap_or_default();
        let octet = encoded.unwrap_or(octet);
        let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
        if is_unreserved || encoded.is_none() && octet.is_ascii() {
            plain.push(char::from(octet));
        } else {
            // Writing to a string does not fail.
            let _ = write!(plain, "%{octet:02X}");
        }
    }
    plain
}

/// Returns true if a path begins as a pattern of RFC 9309 says.
fn matches_web(pattern: &str, path: &str) -> bool {
    let (pattern, is_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let mut last = first;
    for piece in pieces {
        let Some((_, after)) = rest.split_once(piece) else {
            return false;
        };
        (rest, last) = (after, piece);
    }
    !is_end || rest.is_empty() || path.ends_with(last) && pattern.contains('*')
}

impl Robots {
    /// Fetches the rules of the host of `request` for a program with these purposes.
    async fn fetch(net: &Net, request: &Request, purposes: &[&str]) -> Self {
        let Some(url) = file_of(&request.url) else {
            return Self::All;
        };
        let is_gopher = matches!(url.protocol(), Protocol::Gopher(_));
        let is_web = matches!(url.protocol(), Protocol::Http(_));
        let asked = Request {
            url: url.clone(),
            // Whatever its media type is, and whether it may be stored.
            purpose: Purpose::Save,
            save: SaveRequest {
                redirects: match &request.save.redirects {
                    RedirectPolicy::Report => RedirectPolicy::Follow,
                    policy => policy.clone(),
                },
                ..SaveRequest::default()
            },
            ..request.clone()
        };
        let Ok((octets, _, end)) = timeout(DEADLINE, collect(net, asked, CAP)).await else {
            return Self::Unknown {
                why: format!("it did not end within {} s", DEADLINE.as_secs()),
                is_reached: true,
            };
        };
        match end {
            Ok(_) => {}
            Err(
                Stop::Failed(Failure {
                    kind: FailureKind::Permanent | FailureKind::Missing,
                    ..
                })
                | Stop::Needs(_),
            ) => return Self::All,
            Err(Stop::Failed(failure)) => {
                return Self::Unknown {
                    is_reached: failure.kind != FailureKind::Unreachable,
                    why: failure.sentence,
                };
            }
            Err(stop @ (Stop::Truncated(_) | Stop::Closed)) => {
                return Self::Unknown {
                    why: stop.sentence(),
                    is_reached: true,
                };
            }
        }
        let text = text_of(octets);
        // Servers answer a missing selector with a text or a menu.
        let has_rules = |line: &str| {
            let line = line.trim_start().to_ascii_lowercase();
            line.starts_with("user-agent:") || line.starts_with("disallow:")
        };
        if is_gopher && !lines(&text).any(has_rules) {
            return Self::All;
        }
        Self::Rules(Rules::parse(&text, purposes, is_web))
    }

    /// Returns true if a URL of the host may be fetched.
    pub fn admits(&self, url: &Url) -> bool {
        match self {
            Self::All => true,
            Self::Unknown { .. } => false,
            Self::Rules(rules) => path_of(url).is_none_or(|path| rules.admits(&path)),
        }
    }
}

/// The rules of the hosts of a run, each asked once. Copies share them.
#[derive(Clone, Debug)]
pub struct KnownRobots {
    purposes: &'static [&'static str],
    hosts: Arc<Mutex<HashMap<String, Robots>>>,
}

impl KnownRobots {
    /// Creates the rules for a program with these purposes, before any host was asked.
    pub fn new(purposes: &'static [&'static str]) -> Self {
        Self {
            purposes,
            hosts: Arc::default(),
        }
    }

    /// Returns the rules of the host of `request`, and true if it was asked now.
    pub async fn of(&self, net: &Net, request: &Request) -> (Robots, bool) {
        if let Some(known) = self.known(&request.url) {
            return (known, false);
        }
        let robots = Robots::fetch(net, request, self.purposes).await;
        self.hosts().insert(rules_key(&request.url), robots.clone());
        (robots, true)
    }

    /// Returns the rules of the host of a URL, if it was asked.
    pub fn known(&self, url: &Url) -> Option<Robots> {
        self.hosts().get(&rules_key(url)).cloned()
    }

    /// Notes that a host could not say its rules in the time of the caller.
    pub fn give_up(&self, url: &Url, why: String) {
        let is_reached = false;
        let unknown = Robots::Unknown { why, is_reached };
        self.hosts().insert(rules_key(url), unknown);
    }

    fn hosts(&self) -> MutexGuard<'_, HashMap<String, Robots>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the name under which the rules of the host of a URL are known: its scheme and its authority.
pub(crate) fn rules_key(url: &Url) -> String {
    let request = Request::show(url.clone(), Reason::Link(url.clone()));
    let authority = host_key(&request).map_or_else(String::new, |(authority, _)| authority);
    format!("{} {authority}", url.scheme_name())
}

/// Returns the text of a file of rules, of which the beginning came: its whole lines, without a byte order mark.
fn text_of(octets: Vec<u8>) -> String {
    let mut octets = decompressed(octets, CAP);
    if octets.len() >= CAP {
        let end = memchr::memrchr2(b'\n', b'\r', &octets).map_or(0, |end| end + 1);
        octets.truncate(end);
    }
    let text = octets.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&octets);
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the URL of the file of rules; `None` for protocols without one.
fn file_of(url: &Url) -> Option<Url> {
    if !has_pages(url) {
        return None;
    }
    let is_gopher = matches!(url.protocol(), Protocol::Gopher(_));
    let name = if is_gopher {
        "0robots.txt"
    } else {
        "robots.txt"
    };
    let parts = url.base_parts();
    let address = parts.address()?;
    let scheme = url.scheme_name();
    Dialect::Extended
        .parse(&format!("{scheme}://{}/{name}", address.text))
        .ok()
}

/// Returns what the patterns are compared with: the path with its query, or the selector.
fn path_of(url: &Url) -> Option<String> {
    match url.base_parts() {
        Parts::Gopher(gopher) => {
            Some(String::from_utf8_lossy(&gopher.selector.octets()).into_owned())
        }
        Parts::Http(http) => {
            let path = http.path.as_ref().map_or("", |path| path.as_str());
            let search = http.search.as_ref();
            let search = search.map_or(String::new(), |search| format!("?{}", search.as_str()));
            Some(format!("/{path}{search}"))
        }
        Parts::Ftp(_)
        | Parts::Mailto(_)
        | Parts::News(_)
        | Parts::Nntp(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_matching_group_refuses_over_gemini_and_gopher() {
        let text = "# all\nUser-agent: *\nDisallow: /cgi/\nUser-agent: archiver\nUser-agent: indexer\n\
                    Disallow: /old # why\nAllow: /old/kept\nUser-agent: webproxy\nDisallow: /\n\
                    User-agent: Geomys\nDisallow: 1/x\nDisallow:\n";
        let rules = Rules::parse(text, &["archiver"], false);
        for (path, expected) in [
            ("/", true),
            ("/cgi", false),
            ("/cgi/a", false),
            ("/cgi-bin", true),
            ("/old/kept", false),
            ("1/x/y", false),
            ("/x", true),
            ("", true),
        ] {
            assert_eq!(rules.admits(path), expected, "{path}");
        }
        assert!(!Rules::parse("User-agent: *\nDisallow: /", &[], false).admits("selector"));
        assert!(Rules::parse("no rules at all", &[], false).admits("/"));
    }

    #[test]
    fn whole_lines_of_the_beginning_hold() {
        let marked = [BYTE_ORDER_MARK, b"User-agent: *\nDisallow: /x".as_slice()].concat();
        assert_eq!(text_of(marked), "User-agent: *\nDisallow: /x");
        let long = b"Disallow: /x\n".repeat(CAP / 13 + 1);
        let (whole, cut) = long.split_at(CAP);
        assert!(!whole.ends_with(b"\n") && !cut.is_empty());
        let text = text_of(whole.to_vec());
        assert!(text.ends_with("Disallow: /x\n"));
    }

    #[test]
    fn longest_pattern_of_the_most_specific_group_decides_over_http() {
        let text = "User-agent: *\nDisallow: /\n\nUser-agent: geomys\nDisallow: /a\nAllow: /a/b\n\
                    Disallow: /*.gif$\nDisallow: /q*/x\n";
        let rules = Rules::parse(text, &["archiver"], true);
        for (path, expected) in [
            ("/", true),
            ("/a/c", false),
            ("/a/b/c", true),
            ("/z.gif", false),
            ("/z.gif?x", true),
            ("/q1/x", false),
            ("/q1/y", true),
        ] {
            assert_eq!(rules.admits(path), expected, "{path}");
        }
        assert!(!Rules::parse("User-agent: *\nDisallow: /", &[], true).admits("/a"));
    }

    #[test]
    fn line_ends_agents_and_encodings_are_those_of_rfc_9309() {
        for (text, refused, admitted) in [
            ("User-agent: *\rDisallow: /priv\r", "/priv/a", "/a"),
            ("User-agent: *\r\nDisallow: /%70riv\r\n", "/priv", "/a"),
            ("User-agent: *\nDisallow: /priv\n", "/%70ri%76", "/a"),
            (
                "User-agent: *\nDisallow: /ä/%c3%b6\n",
                "/%C3%a4/%C3%B6",
                "/a",
            ),
            ("User-agent: *\nDisallow: /a%2fb\n", "/a%2Fb", "/a/b"),
            (
                "User-agent: Geomys/1.0 (x)\nDisallow: /b\n\nUser-agent: *\nDisallow: /a\n",
                "/b",
                "/a",
            ),
        ] {
            let rules = Rules::parse(text, &["archiver"], true);
            assert!(!rules.admits(refused), "{text:?} {refused}");
            assert!(rules.admits(admitted), "{text:?} {admitted}");
        }
        for text in [
            "User-agent: *\rDisallow: /priv",
            "User-agent: Archiver/2\nDisallow: /%70riv",
        ] {
            assert!(
                !Rules::parse(text, &["archiver"], false).admits("/priv"),
                "{text:?}"
            );
        }
    }
}
