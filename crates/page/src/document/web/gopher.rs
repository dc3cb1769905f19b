//! Relative references on a page that came over Gopher.
//!
//! RFC 1738 gives gopher URLs no hierarchy. Browsers that show such pages (lynx, w3m) resolve them like any path, and
//! so do their authors:
//!
//! ```text
//! /Tselector     an item with its type: `/0/about.txt`, `/1`, `/0caps.txt`
//! /path          another absolute path: a selector, as the page's server has it
//! path           beside the selector of the page; `.` and `..` are removed
//! ```
//!
//! Where a reference has no type, those browsers give it the type of the page. Here it follows from the name, because
//! it decides how the answer is read: a directory is a menu, and `map.gif` an image. The page's own type is left to
//! names that tell nothing.

use rfc1738::{Encoded, Gopher, ParseError, Url, parse_or_repair, without_dots};

use crate::document::row::Kind;
use crate::document::suffix;

/// Resolves a reference without a scheme and without a host, on the page `base`, whose parts are `page`.
pub(super) fn target(reference: &str, base: &Url, page: &Gopher<'_>) -> Result<Url, ParseError> {
    let root = base.root().unwrap_or_else(|| base.clone());
    let path = match reference.strip_prefix('/') {
        Some(path) if is_typed(path) => path.to_owned(),
        Some(_) => with_type(reference, page),
        None => with_type(&beside(page.selector.as_str(), reference), page),
    };
    parse_or_repair(&format!("{}{path}", root.as_str()))
}

/// Returns true for a path that begins with an item type, before a slash or as a digit before another sign.
fn is_typed(path: &str) -> bool {
    let mut signs = path.chars();
    match (signs.next(), signs.next()) {
        (None, _) | (Some(_), None | Some('/')) => true,
        (Some(first), Some(second)) => first.is_ascii_digit() && !second.is_ascii_digit(),
    }
}

/// The selector of `reference` beside `selector`, without dot segments.
fn beside(selector: &str, reference: &str) -> String {
    let end = match reference.strip_prefix('?') {
        Some(_) => selector.len(),
        None => selector.rfind('/').map_or(0, |slash| slash + 1),
    };
    let joined = format!("{}{reference}", selector.get(..end).unwrap_or_default());
    let rooted = joined.strip_prefix('/');
    let path = without_dots(rooted.unwrap_or(&joined));
    let slash = if rooted.is_some() { "/" } else { "" };
    format!("{slash}{path}")
}

/// A selector with its type, by its name.
fn with_type(selector: &str, page: &Gopher<'_>) -> String {
    let path = selector.split('?').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default().as_bytes();
    let suffix = suffix::suffix(name)
        .unwrap_or_default()
        .to_ascii_lowercase();
    let gtype = match (suffix.as_slice(), suffix::kind(name)) {
        _ if name.is_empty() => "1",
        (b"html" | b"htm" | b"xhtml" | b"shtml", _) => "h",
        (b"gif", _) => "g",
        (_, Some(Kind::Text)) => "0",
        (_, Some(Kind::Image)) => "I",
        (_, Some(Kind::Sound)) => "s",
        (_, Some(Kind::Movie)) => ";",
        (_, Some(Kind::Document)) => "d",
        (_, Some(Kind::Binary)) => "9",
        (_, Some(_) | None) => page.gtype.map_or("1", Encoded::as_str),
    };
    format!("{gtype}{selector}")
}

#[cfg(test)]
mod tests {
    use rfc1738::{Dialect, Parts};

    use super::*;

    #[test]
    fn references_lead_where_browsers_lead() {
        for (page, reference, expected) in [
            // As lynx and w3m have them.
            ("h/dir/page.html", "other.html", "h/dir/other.html"),
            ("h/dir/page.html", "/0/root.txt", "0/root.txt"),
            ("h/dir/page.html", "/1", "1"),
            ("h/dir/page.html", "/", ""),
            ("h/dir/page.html", "/0caps.txt", "0caps.txt"),
            ("h/dir/page.html", "?q", "h/dir/page.html?q"),
            ("h/dir/page.html", "cgi?a=/b.gif", "h/dir/cgi?a=/b.gif"),
            // With the type of what they lead to.
            ("h/dir/page.html", "../x.txt", "0/x.txt"),
            ("h/dir/page.html", "pic.gif", "g/dir/pic.gif"),
            ("h/dir/page.html", "./pic.png", "I/dir/pic.png"),
            ("h/dir/page.html", "a/b.tar.gz", "9/dir/a/b.tar.gz"),
            ("h/dir/page.html", "film.mpg", ";/dir/film.mpg"),
            ("h/dir/page.html", "sub/", "1/dir/sub/"),
            ("h/dir/page.html", "..", "1/"),
            ("h/a/b/page.html", "..", "1/a/"),
            ("h/a/b/page.html", ".", "1/a/b/"),
            ("h/a/page.html", "../../../x.html", "h/x.html"),
            // A path without a type.
            ("h/dir/page.html", "/docs/x.html", "h/docs/x.html"),
            ("h/dir/page.html", "/2024/notes.txt", "0/2024/notes.txt"),
            // A selector without slashes, one of a view, one with what a URL has to encode.
            ("hpage.html", "other.html", "hother.html"),
            ("hpage.html", "../x.txt", "0x.txt"),
            ("0/dir/page%09%09+text/html", "a.html", "h/dir/a.html"),
            ("h/dir/page.html", "a b.txt", "0/dir/a%20b.txt"),
            ("h/dir/page.html", "a%20b.txt", "0/dir/a%20b.txt"),
        ] {
            for root in ["gopher://h.example/", "gophers://h.example:7070/"] {
                let base = Dialect::Extended.parse(&format!("{root}{page}")).unwrap();
                let Parts::Gopher(gopher) = base.base_parts() else {
                    panic!("{base} is gopher")
                };
                let url = target(reference, &base, &gopher).unwrap();
                assert_eq!(
                    url.canonical(),
                    Dialect::Extended
                        .parse(&format!("{root}{expected}"))
                        .unwrap()
                        .canonical(),
                    "{reference} on {base}"
                );
            }
        }
    }
}
