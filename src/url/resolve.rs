//! Partial URLs, and what each means beside a base (the URL draft of 1994; RFC 1808, where the draft is silent).
//!
//! ```text
//! reference = [ url | "//" login [ "/" urlpath ] | partial ]
//! partial   = path [ ";" params ] [ "?" search ]    http: each of the three may be left out
//!           | path [ ";" params ]                   ftp: either of the two
//!           | path                                  file
//! path      = [ "/" ] segment *[ "/" segment ]
//! ```
//!
//! * A scheme and its colon make a full URL (RFC 1808, section 2.4.2; the draft: a colon before any slash). `http:a` is
//!   one too, and a faulty one: a scheme never stands before a partial URL, not even the base's own (section 5.2).
//! * The empty reference is the base. `//host/...` takes the scheme of the base, and `/...` its login and host as well.
//! * A path takes the place of what follows the rightmost slash of the base's path. In the result `.` is removed, and
//!   `..` with the segment before it, where they are whole segments as written: `%2E%2E` is a name, `%2F` is data in
//!   one (beside `ftp://h/%2Fetc/motd`, `../g` is where the login leads), an empty segment of ftp is a segment.
//! * A path that starts with a slash is not changed: in both texts the removal belongs to relative paths alone.
//! * `..` at the top stays, and the server may make of it what it likes (section 5.2). Only the path is touched, so no
//!   number of them leads to another host.
//! * Params start at the first `;` of the last segment, so that the draft's rightmost slash stays the rightmost. They
//!   and the search go with the segment that is replaced. `;type=i` alone replaces the params and drops the search;
//!   `?a` alone replaces the search. A part that is written and empty is a part, as it is to RFC 1738.
//! * A base without a path has an empty one: RFC 1738 wants its slash, and it is put there.
//!
//! In one point the draft's letter is left. At the end of a path it removes `/.` and `/xxx/..` with the slash before
//! them: beside `http://a/b/c`, `.` would be the file `http://a/b`, and what is in that directory would then be looked
//! for in the one above. RFC 1808 (section 4, step 6) leaves the slash: `http://a/b/`.
//!
//! What stays of a base is at most 8 KiB: that is a limit of Geomys, of which no text knows.
//!
//! A `#fragment` is no part of a URL, and a fault here: who has one splits it off before. `https` and `ftps` resolve as
//! `http` and `ftp` do, and what comes out is checked as the `otherurl` that it is to RFC 1738. For the schemes without
//! hierarchy (section 2.3 of RFC 1738) only full URLs, `//` and the empty reference mean something; in gopher `/docs`
//! would be an item of type `d`.

use super::Url;
use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::SCHEME;
use super::scheme::{Later, Scheme};

/// The most of a base that stands before a partial URL, in octets: a page holds thousands of those.
const BASE: usize = 8 * 1024;

/// The schemes of which partial paths are made, with what each lets follow a path.
#[derive(Clone, Copy)]
enum Hierarchy {
    /// Params: `;type=`
    Ftp,
    /// Params and a search
    Http,
    /// Nothing
    File,
}

impl Hierarchy {
    fn of(url: &Url) -> Option<Self> {
        let kin = url.later().and_then(Later::kin);
        match kin.unwrap_or(url.scheme()) {
            Scheme::Ftp => Some(Hierarchy::Ftp),
            Scheme::Http => Some(Hierarchy::Http),
            Scheme::File => Some(Hierarchy::File),
            Scheme::Gopher
            | Scheme::Mailto
            | Scheme::News
            | Scheme::Nntp
            | Scheme::Telnet
            | Scheme::Wais
            | Scheme::Prospero
            | Scheme::Other => None,
        }
    }

    /// `text` up to its search.
    fn without_search(self, text: &str) -> &str {
        match self {
            Hierarchy::Http => text.split_once('?').map_or(text, |(before, _)| before),
            Hierarchy::Ftp | Hierarchy::File => text,
        }
    }

    /// `text` up to its params and its search.
    fn path(self, text: &str) -> &str {
        let text = self.without_search(text);
        match self {
            Hierarchy::Ftp | Hierarchy::Http => {
                let name = through_slash(text).len();
                let params = text.get(name..).and_then(|name| name.find(';'));
                params.map_or(text, |at| text.get(..name + at).unwrap_or(text))
            }
            Hierarchy::File => text,
        }
    }
}

impl Url {
    /// The URL that `reference` means where this one is the base: a full URL, or a partial one of the draft of 1994 and
    /// RFC 1808. A full URL gives itself, the empty reference gives the base; nothing may stand around either, and no
    /// fragment behind.
    ///
    /// The error points into `reference`: at the leftmost octet that no URL could have there. Where the scheme of the
    /// base has no hierarchy (RFC 1738, section 2.3), a path is at fault as a whole.
    pub fn resolve(&self, reference: &str) -> Result<Url, ParseError> {
        if reference.is_empty() {
            return Ok(self.clone());
        }
        if has_scheme(reference) {
            return Url::accept(reference);
        }
        if reference.starts_with("//") && self.has_authority() {
            return appended(&format!("{}:", self.scheme_name()), reference);
        }
        match Hierarchy::of(self) {
            Some(hierarchy) if self.has_authority() => self.beside(hierarchy, reference),
            Some(_) | None => Err(no_hierarchy(reference)),
        }
    }

    /// Whether `//` follows the scheme and starts a host. In a mail address or Message-ID it does not.
    fn has_authority(&self) -> bool {
        let name = self.scheme_name();
        let rest = self.as_str().get(name.len()..);
        !matches!(self.scheme(), Scheme::Mailto | Scheme::News)
            && rest.is_some_and(|rest| rest.starts_with("://"))
    }

    /// A path, params or a search in the place of this URL's.
    fn beside(&self, hierarchy: Hierarchy, reference: &str) -> Result<Url, ParseError> {
        let head = self.head();
        let tail = match self.tail() {
            "" => "/",
            tail => tail,
        };
        let path = hierarchy.path(reference);
        let kept = if reference.starts_with('/') {
            ""
        } else if !path.is_empty() {
            through_slash(hierarchy.path(tail))
        } else if reference.starts_with('?') {
            hierarchy.without_search(tail)
        } else {
            hierarchy.path(tail)
        };
        if head.len() + kept.len() > BASE {
            let place = Cursor::new(reference);
            return Err(place.error(
                reference.len(),
                Rule("genericurl", "2.3"),
                Message::LongBase,
            ));
        }
        // Checked before anything is removed: a fault is one in a segment that goes away, too.
        let written = appended(&format!("{head}{kept}"), reference)?;
        if path.is_empty() || path.starts_with('/') {
            return Ok(written);
        }
        // What is valid with its dots is valid without them, so this has no fault to point at.
        let settled = without_dots(&format!("{kept}{path}"));
        let rest = reference.get(path.len()..).unwrap_or("");
        Url::accept(&format!("{head}{settled}{rest}"))
    }
}

fn has_scheme(reference: &str) -> bool {
    let mut cursor = Cursor::new(reference);
    !cursor.literals(&SCHEME).is_empty() && cursor.eat(b':')
}

/// `text` up to its rightmost slash and with it; nothing of it where there is none.
fn through_slash(text: &str) -> &str {
    let end = text.rfind('/').map_or(0, |at| at + 1);
    text.get(..end).unwrap_or("")
}

/// `reference` behind the part of a base that stays. That part was parsed before, so a fault is one of the reference.
fn appended(kept: &str, reference: &str) -> Result<Url, ParseError> {
    Url::accept(&format!("{kept}{reference}")).map_err(|error| ParseError {
        at: error.at.saturating_sub(kept.len()),
        ..error
    })
}

/// RFC 1808, section 4, step 6, on a path that starts with a slash.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut written = path.split('/').skip(1).peekable();
    while let Some(segment) = written.next() {
        match (segment, segments.last()) {
            (".", _) => {}
            ("..", Some(before)) if *before != ".." => {
                segments.pop();
            }
            _ => {
                segments.push(segment);
                continue;
            }
        }
        if written.peek().is_none() {
            // What is left is a directory: the slash at its end stays.
            segments.push("");
        }
    }
    format!("/{}", segments.join("/"))
}

fn no_hierarchy(reference: &str) -> ParseError {
    let place = Cursor::new(reference);
    if reference.starts_with('#') {
        // Of the empty reference, which would do.
        return place.stray(Rule("genericurl", "2.2"));
    }
    place.error(
        reference.len(),
        Rule("genericurl", "2.3"),
        Message::NoHierarchy,
    )
}
