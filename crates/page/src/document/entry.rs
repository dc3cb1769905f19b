//! The entries that a page lists, and the identity of each: what stays the same when dates, titles and tracking words
//! change.
//!
//! ```text
//! identity = id / link / title      ; the first that there is
//! ```
//!
//! A web link is compared without its tracking words, and `https` is `http`. Its fragment counts: a page may be a whole
//! log.

use geomys_wire::net::{Fingerprint, compared_url};
use jiff::civil::Date;
use rfc1738::{Dialect, Url};

/// The digits of a fingerprint in an anchor.
const ANCHOR_DIGITS: usize = 12;

/// The maximum length of an identity, in octets: a longer one is its fingerprint.
const MAX_ID_BYTES: usize = 512;

/// The beginnings of the names of parameters that say where a link was found.
const TRACKING: [&str; 16] = [
    "utm_", "fbclid", "gclid", "dclid", "msclkid", "mc_cid", "mc_eid", "igshid", "yclid", "_hsenc",
    "_hsmi", "wt_mc", "xtor", "cmpid", "ncid", "mtm_",
];

/// An entry that a page lists: a post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageEntry {
    /// The identity, which is its own within the page.
    pub id: String,
    /// The day, as the page states it; nothing if it states none.
    pub date: Option<Date>,
    /// The time of its last change, as the page writes it; nothing if it states none.
    pub updated: Option<String>,
    /// The title without the day; empty if there is none.
    pub title: String,
    /// The URL of the post.
    pub url: Url,
    /// True if the page has its text, too, at the row of its [anchor](Self::anchor).
    pub has_text: bool,
}

impl PageEntry {
    /// The name of the row where the text of the entry begins, in the page that lists it.
    pub fn anchor(id: &str) -> String {
        let fingerprint = Fingerprint::of(id.as_bytes()).to_string();
        let digits = fingerprint.rsplit(':').next().unwrap_or_default();
        format!("entry-{}", digits.get(..ANCHOR_DIGITS).unwrap_or(digits))
    }
}

/// Returns the identity of an entry: of its identifier, else of its link, else of its title.
pub fn identity(id: Option<&str>, link: Option<&Url>, title: &str) -> String {
    let id = id.map(str::trim).filter(|id| !id.is_empty());
    let identity = match (id, link) {
        (Some(id), _) => match Dialect::Extended.parse(id) {
            Ok(url) if url.is_web() => link_identity(&url),
            _ => id.to_owned(),
        },
        (None, Some(link)) => link_identity(link),
        (None, None) => title.to_owned(),
    };
    if identity.len() > MAX_ID_BYTES {
        return Fingerprint::of(identity.as_bytes()).to_string();
    }
    identity
}

/// Returns true for an identifier that leads somewhere.
pub(super) fn looks_like_url(id: &str) -> bool {
    id.contains("://")
}

fn link_identity(url: &Url) -> String {
    let compared = compared_url(&url.without_password());
    let text = compared.as_str();
    if !url.is_web() {
        return text.to_owned();
    }
    let text = text
        .strip_prefix("https://")
        .map_or_else(|| text.to_owned(), |rest| format!("http://{rest}"));
    let (page, fragment) = match text.split_once('#') {
        Some((page, fragment)) => (page, Some(fragment)),
        None => (text.as_str(), None),
    };
    let (path, query) = match page.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (page, None),
    };
    let mut identity = path.to_owned();
    for (sign, parameters) in [('?', query), ('#', fragment)] {
        let parameters = parameters.map(without_tracking).unwrap_or_default();
        if !parameters.is_empty() {
            identity.push(sign);
            identity.push_str(&parameters);
        }
    }
    identity
}

/// Returns true for the word of a query that says where a link was found, in any case: `utm_source=feed`.
pub fn is_tracking(word: &str) -> bool {
    let begins = |name: &&str| {
        let start = word.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    TRACKING.iter().any(begins)
}

/// Returns parameters without those that say where a link was found.
fn without_tracking(parameters: &str) -> String {
    let kept = parameters
        .split('&')
        .filter(|parameter| !is_tracking(parameter));
    kept.collect::<Vec<_>>().join("&")
}
