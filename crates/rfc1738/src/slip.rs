//! Slips: what keyboards, mail programs and forums make of the beginning of a URL, and what was meant.
//!
//! ```text
//! http:/h   http;//h   http//h   http:///h   http:\\h\x     the separator after the scheme
//! file;///x   file//h/x                                     the same: a path of a file has one slash more
//! //h/x                                                     no scheme: http
//! hxxp://h[.]org/                                           written so that nobody opens it by accident
//! http://a。b.org/                                          a full stop of another script (RFC 3490, section 3.1)
//! ```
//!
//! Invisible characters at the ends ([`without_invisible`]) come with a text that was copied. No rule guesses a host:
//! it has the letters that are written.

use super::scheme::{ExtensionScheme, Scheme, default_port};

/// Full stops that a host may have instead of a dot (RFC 3490, section 3.1).
const STOPS: [char; 3] = ['\u{3002}', '\u{FF0E}', '\u{FF61}'];

/// Characters that take no room, and mark where a line may break, in which direction text runs, or how it is encoded.
const INVISIBLE: [char; 17] = [
    '\u{AD}', '\u{200B}', '\u{200C}', '\u{200D}', '\u{200E}', '\u{200F}', '\u{202A}', '\u{202B}',
    '\u{202C}', '\u{202D}', '\u{202E}', '\u{2060}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
    '\u{FEFF}',
];

/// Dots and colons in brackets, with what they stand for.
const DISARMED: [(&str, &str); 4] = [("[.]", "."), ("[dot]", "."), ("[:]", ":"), ("[://]", "://")];

/// `text` without white space and invisible characters at its ends.
pub(super) fn without_invisible(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || INVISIBLE.contains(&letter))
}

/// The text that was meant by one with slips in its scheme, its separator or the dots of its host; `None` if there are
/// none.
pub(super) fn without_slips(text: &str) -> Option<String> {
    if let Some(file) = without_file_slip(text) {
        return Some(file);
    }
    let (scheme, rest) = scheme(text)?;
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    let (authority, after) = rest.split_at_checked(end)?;
    let is_host = |letter: char| letter.is_alphanumeric() || letter == '[';
    if !authority.starts_with(is_host) {
        return None;
    }
    // Backslashes are slashes only where the separator has them, too.
    let has_backslashes = text.as_bytes().get(scheme.len()..).is_some_and(|rest| {
        rest.strip_prefix(b":")
            .is_some_and(|rest| rest.starts_with(b"\\"))
    });
    let after = if has_backslashes {
        let end = after.find(['?', '#']).unwrap_or(after.len());
        let (path, query) = after.split_at_checked(end)?;
        format!("{}{query}", path.replace('\\', "/"))
    } else {
        after.to_owned()
    };
    let authority = DISARMED
        .iter()
        .fold(authority.to_owned(), |host, (written, meant)| {
            host.replace(written, meant)
        });
    let meant = format!("{scheme}://{}{after}", authority.replace(STOPS, "."));
    (meant != text).then_some(meant)
}

/// A host, with what follows it, that has dots where a full stop of another script was typed; `None` without one.
pub(super) fn with_dots(text: &str) -> Option<String> {
    let end = text.find(['/', ':']).unwrap_or(text.len());
    let (host, rest) = text.split_at(end);
    host.contains(STOPS)
        .then(|| host.replace(STOPS, ".") + rest)
}

/// The URL of a file that was meant by one without a colon, or with a semicolon for it. `file:` with fewer slashes has
/// a meaning of its own.
fn without_file_slip(text: &str) -> Option<String> {
    let (name, rest) = text.split_at_checked(Scheme::File.name().len())?;
    let path = rest.strip_prefix(';').unwrap_or(rest);
    let slashes = path.len() - path.trim_start_matches('/').len();
    let is_slip = Scheme::named(name) == Scheme::File && (2..=3).contains(&slashes);
    is_slip.then(|| format!("{name}:{path}"))
}

/// The scheme that was meant, and what follows its separator. `None` for a text without a separator, and for a scheme
/// whose URLs have no host after it.
fn scheme(text: &str) -> Option<(&str, &str)> {
    if let Some(rest) = text.strip_prefix("//") {
        return Some(("http", rest));
    }
    let length = text.find(|letter: char| !letter.is_ascii_alphanumeric())?;
    let (name, rest) = text.split_at_checked(length)?;
    let written = name.to_ascii_lowercase();
    let name = match written.as_str() {
        "hxxp" => "http",
        "hxxps" => "https",
        _ => name,
    };
    let after = rest
        .strip_prefix("[:]")
        .or_else(|| rest.strip_prefix([':', ';']));
    let path = after.unwrap_or(rest);
    let host = path.trim_start_matches(['/', '\\']);
    let slashes = path.len() - host.len();
    let is_separator = match after {
        Some(_) => (1..=3).contains(&slashes),
        None => slashes == 2 || rest.starts_with("[://]"),
    };
    let host = rest.strip_prefix("[://]").unwrap_or(host);
    let base = ExtensionScheme::named(name).and_then(ExtensionScheme::base_scheme);
    let has_server = match base.unwrap_or(Scheme::named(name)) {
        // One word is a group: only before a slash is it a server (RFC 5538).
        Scheme::News => host.trim_end_matches('/').contains('/'),
        _ => default_port(name).is_some(),
    };
    (has_server && is_separator).then_some((name, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_undone() {
        for (written, meant) in [
            ("http:/h.org/x", Some("http://h.org/x")),
            ("http;//h.org/x", Some("http://h.org/x")),
            ("http//h.org/x", Some("http://h.org/x")),
            ("gopher:///h.org/1", Some("gopher://h.org/1")),
            ("http:\\\\h.org\\x?a\\b", Some("http://h.org/x?a\\b")),
            ("http://h.org\\x", None),
            ("//h.org/x", Some("http://h.org/x")),
            ("hxxps://h[.]org/a[.]b", Some("https://h.org/a[.]b")),
            ("hxxp[://]h[dot]org", Some("http://h.org")),
            ("http[:]//h[.]org:80/", Some("http://h.org:80/")),
            (
                "ftp://a\u{3002}b\u{FF0E}org/\u{3002}",
                Some("ftp://a.b.org/\u{3002}"),
            ),
            ("http://h.org/", None),
            ("http://[::1]/", None),
            ("news:/a.b", None),
            ("news:/h.org/a.b", Some("news://h.org/a.b")),
            ("finger:/h.org/ada", Some("finger://h.org/ada")),
            ("mailto//a@b", None),
            ("file:/x", None),
            ("file:///x", None),
            ("file;///x", Some("file:///x")),
            ("file//h.org/x", Some("file://h.org/x")),
            ("files//h.org/x", None),
            ("x//h.org", None),
            ("http:x", None),
            ("http:////h.org", None),
            ("//", None),
            ("", None),
        ] {
            assert_eq!(without_slips(written).as_deref(), meant, "{written}");
        }
    }
}
