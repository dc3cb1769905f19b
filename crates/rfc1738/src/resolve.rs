//! Partial URLs and their resolution against a base (the URL draft of 1994; RFC 1808 where the draft says nothing).
//!
//! ```text
//! reference = [ url | "//" login [ "/" urlpath ] | partial ]
//! partial   = path [ ";" params ] [ "?" search ]    http: each of the three may be left out
//!           | path [ ";" params ]                   ftp: either of the two
//!           | path                                  file
//! path      = [ "/" ] segment *[ "/" segment ]
//! ```
//!
//! * A scheme and its colon make a full URL (RFC 1808, section 2.4.2; the draft: a colon before any slash). `http:a`
//!   is a full URL too, and a faulty one: a scheme never precedes a partial URL, not even the base's own scheme
//!   (section 5.2).
//! * The empty reference is the base. `//host/...` takes the scheme of the base, and `/...` its login and host as
//!   well.
//! * A path replaces the text after the rightmost slash of the base's path. In the result `.` is removed, and `..`
//!   with the segment before it, if they are whole segments as written: `%2E%2E` is a name, `%2F` is data in a name
//!   (relative to `ftp://h/%2Fetc/motd`, `../g` is in the login directory), and an empty ftp segment is a segment.
//! * `..` at the top is dropped, and dots are removed from a path that starts with a slash too (RFC 3986, section
//!   5.2.4). Only the path changes, so no number of `..` leads to another host.
//! * Params start at the first `;` of the last segment, so the draft's rightmost slash stays the rightmost. They and
//!   the search are replaced together with that segment. `;type=i` alone replaces the params and drops the search;
//!   `?a` alone replaces the search. A part that is written but empty is present, as in RFC 1738.
//! * A base without a path has an empty one. RFC 1738 requires its slash, so it is added.
//!
//! There is one exception to the draft. At the end of a path the draft removes `/.` and `/xxx/..` with the slash
//! before them: relative to `http://a/b/c`, `.` would be the file `http://a/b`, and the files of that directory would
//! then be looked up in its parent. RFC 1808 (section 4, step 6) leaves the slash: `http://a/b/`.
//!
//! The part of the base that is used is at most 8 KiB. This limit belongs to this crate; no document has it.
//!
//! The fragment of the base is dropped, that of the reference stays (RFC 3986, section 5.2.2). `https` and `ftps`
//! resolve like `http` and `ftp`, and the result is checked as the `otherurl` that it is in RFC 1738. Schemes without
//! a hierarchy (section 2.3 of RFC 1738) accept only full URLs, `//` and the empty reference; in gopher `/docs` would
//! be an item of type `d`.

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::SCHEME;
use super::fragment;
use super::scheme::{ExtensionScheme, Hierarchy, Scheme};
use super::{Dialect, Url};

/// The highest number of octets of a base before a partial URL. A page may hold thousands of partial URLs.
const MAX_BASE_BYTES: usize = 8 * 1024;

impl Hierarchy {
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
    /// Resolves `reference` relative to this URL: a full URL, or a partial one of the draft of 1994 and RFC 1808. A
    /// full URL gives itself, the empty reference gives the base without its fragment, and `#part` gives the base with
    /// this fragment. Surrounding text is an error.
    ///
    /// The error points into `reference`, at the leftmost octet that no URL could have there. If the scheme of the
    /// base has no hierarchy (RFC 1738, section 2.3), the whole path is the fault.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let base = Url::parse("http://h.example/a/b.html").unwrap();
    /// let url = base.resolve("../c.html").unwrap();
    /// assert_eq!(url.as_str(), "http://h.example/c.html");
    /// ```
    pub fn resolve(&self, reference: &str) -> Result<Url, ParseError> {
        if has_scheme(reference) {
            return Dialect::ExtendedByBase.parse(reference);
        }
        match fragment::without_valid(reference) {
            ("", None) => Ok(self.without_fragment()),
            (rest, None) => self.resolve_part(rest),
            ("", Some(fragment)) => Ok(self.with_fragment(fragment)),
            (rest, Some(fragment)) => Ok(self.resolve_part(rest)?.with_fragment(fragment)),
        }
    }

    /// Resolves a partial reference without a fragment.
    fn resolve_part(&self, reference: &str) -> Result<Url, ParseError> {
        if reference.starts_with("//") && self.has_authority() {
            return appended(&format!("{}:", self.scheme_name()), reference);
        }
        let base = self
            .extension_scheme()
            .and_then(ExtensionScheme::base_scheme);
        match base.unwrap_or(self.scheme()).hierarchy() {
            Some(hierarchy) if self.has_authority() => self.beside(hierarchy, reference),
            Some(_) | None => Err(no_hierarchy(reference)),
        }
    }

    /// Returns true if `//` follows the scheme and starts a host. In a mail address or Message-ID it does not.
    fn has_authority(&self) -> bool {
        let name = self.scheme_name();
        let rest = self.as_str().get(name.len()..);
        !matches!(self.scheme(), Scheme::Mailto | Scheme::News)
            && rest.is_some_and(|rest| rest.starts_with("://"))
    }

    /// Replaces the path, params or search of this URL.
    fn beside(&self, hierarchy: Hierarchy, reference: &str) -> Result<Url, ParseError> {
        let head = self.head();
        let tail = match self.tail() {
            "" => "/",
            tail => tail,
        };
        let path = hierarchy.path(reference);
        let base_path = if reference.starts_with('/') {
            ""
        } else if !path.is_empty() {
            through_slash(hierarchy.path(tail))
        } else if reference.starts_with('?') {
            hierarchy.without_search(tail)
        } else {
            hierarchy.path(tail)
        };
        if head.len() + base_path.len() > MAX_BASE_BYTES {
            let cursor = Cursor::new(reference);
            return Err(cursor.error(
                reference.len(),
                Rule("genericurl", "2.3"),
                Message::LongBase,
            ));
        }
        // The URL is checked before dots are removed, so that a fault in a removed segment is found too.
        let written = appended(&format!("{head}{base_path}"), reference)?;
        if path.is_empty() {
            return Ok(written);
        }
        // A URL that is valid with its dots is valid without them, so this step cannot fail.
        let path_here = format!("{base_path}{path}");
        let settled = without_dots(path_here.strip_prefix('/').unwrap_or(&path_here));
        let rest = reference.get(path.len()..).unwrap_or("");
        Dialect::Extended.parse(&format!("{head}/{settled}{rest}"))
    }
}

fn has_scheme(reference: &str) -> bool {
    let mut cursor = Cursor::new(reference);
    !cursor.literals(&SCHEME).is_empty() && cursor.eat(b':')
}

/// `text` up to and including its rightmost slash; empty if it has none.
fn through_slash(text: &str) -> &str {
    let end = text.rfind('/').map_or(0, |at| at + 1);
    text.get(..end).unwrap_or("")
}

/// Appends `reference` to the used part of a base. The base was accepted before, so a fault belongs to the reference:
/// a base that breaks the rule of its own base scheme (`https://user@host/`) stays the extension URL that it was.
fn appended(base: &str, reference: &str) -> Result<Url, ParseError> {
    let text = format!("{base}{reference}");
    let url = match Dialect::ExtendedByBase.parse(&text) {
        Err(error) if error.at < base.len() => Dialect::Extended.parse(&text),
        url => url,
    };
    url.map_err(|error| {
        let error = if error.at < base.len() {
            own_fault(base, reference, error)
        } else {
            ParseError {
                at: error.at - base.len(),
                ..error
            }
        };
        // A reference has no more octets.
        let len = error.len.min(reference.len().saturating_sub(error.at));
        ParseError { len, ..error }
    })
}

/// Returns the fault of a reference whose base has one too, which is `error`: that below another host.
fn own_fault(base: &str, reference: &str, error: ParseError) -> ParseError {
    let scheme = base.split_once("://").map_or(base, |(scheme, _)| scheme);
    let plain = format!("{scheme}://h/");
    match Dialect::Extended.parse(&format!("{plain}{reference}")) {
        Err(own) if own.at >= plain.len() => ParseError {
            at: own.at - plain.len(),
            ..own
        },
        Ok(_) | Err(_) => ParseError { at: 0, ..error },
    }
}

/// Removes dot segments from a path, of which the slash at the start is left out (RFC 1808, section 4, step 6; RFC
/// 3986, section 5.2.4).
///
/// ```
/// use rfc1738::without_dots;
///
/// assert_eq!(without_dots("a/./b/../c"), "a/c");
/// ```
pub fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut written = path.split('/').peekable();
    while let Some(segment) = written.next() {
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => {
                segments.push(segment);
                continue;
            }
        }
        if written.peek().is_none() && !segments.is_empty() {
            // The result is a directory, so the slash at its end stays.
            segments.push("");
        }
    }
    segments.join("/")
}

fn no_hierarchy(reference: &str) -> ParseError {
    let cursor = Cursor::new(reference);
    if reference.starts_with('#') {
        // The part before `#` is the empty reference, which is valid.
        return cursor.stray(Rule("genericurl", "2.2"));
    }
    cursor.error(
        reference.len(),
        Rule("genericurl", "2.3"),
        Message::NoHierarchy,
    )
}
