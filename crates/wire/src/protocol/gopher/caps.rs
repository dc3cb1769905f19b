//! caps.txt: a description of a server and its selectors, in a file at the selector `caps.txt`. It is a convention of
//! current servers, not in an RFC.
//!
//! ```text
//! caps = "CAPS" line-end *( [ key "=" value / "#" comment ] line-end )
//! ```
//!
//! Keys are case-sensitive; of duplicate keys the last one counts. Each server has its own path rules: a delimiter of
//! any length, a segment for the current level, one for the parent, and on some servers two delimiters in a row for the
//! parent. `Delimeter` is the conventional spelling; the correct one is read as well. Left out: the expiry time of the
//! file, which is data like any other key. Parsing never fails.

use crate::protocol::octets::{parse, split_once};

/// A parsed caps.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps<'a>(Vec<(&'a [u8], &'a [u8])>);

impl<'a> Caps<'a> {
    /// Parses a file; `None` if it does not begin with `CAPS`, as many servers send some reply for every selector.
    pub fn parse(file: &'a [u8]) -> Option<Self> {
        let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let rest = file.strip_prefix(b"CAPS")?;
        if !matches!(rest.first(), None | Some(b'\r' | b'\n' | b' ' | b'\t')) {
            return None;
        }
        let lines = rest.split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii);
        let lines = lines.filter(|line| !line.starts_with(b"#"));
        let entries = lines.filter_map(|line| split_once(line, b'='));
        let entries = entries.map(|(key, value)| (key.trim_ascii(), value.trim_ascii()));
        Some(Self(entries.collect()))
    }

    /// Returns the value of a key; `None` if it is empty.
    pub fn value(&self, key: &[u8]) -> Option<&'a [u8]> {
        let entry = self.0.iter().rev().find(|entry| entry.0 == key);
        entry.map(|entry| entry.1).filter(|value| !value.is_empty())
    }

    /// Returns the delimiter between the segments of a selector; `None` if selectors must not be split.
    pub fn delimiter(&self) -> Option<&'a [u8]> {
        self.value(b"PathDelimeter")
            .or_else(|| self.value(b"PathDelimiter"))
    }

    /// Returns the segment for the current level: `.` by default.
    pub fn identity(&self) -> &'a [u8] {
        self.value(b"PathIdentity").unwrap_or(b".")
    }

    /// Returns the segment for the parent: `..` by default.
    pub fn parent(&self) -> &'a [u8] {
        self.value(b"PathParent").unwrap_or(b"..")
    }

    /// Returns true if two delimiters in a row mean the parent, as on old Macs.
    pub fn has_parent_double(&self) -> bool {
        self.is_true(b"PathParentDouble")
    }

    /// Returns the escape character of paths.
    pub fn escape(&self) -> Option<&'a [u8]> {
        self.value(b"PathEscapeCharacter")
    }

    /// Returns true if the text before the first delimiter belongs to the path. Usually it does not: it is a copy of
    /// the item type.
    pub fn keeps_pre_delimiter(&self) -> bool {
        self.is_true(b"PathKeepPreDelimeter") || self.is_true(b"PathKeepPreDelimiter")
    }

    /// Returns the selector of the parent menu by the rules of this server; the selector of the root is empty. `None`
    /// if the server has no rules, and for the root.
    pub fn parent_menu(&self, selector: &[u8]) -> Option<Vec<u8>> {
        let delimiter = self.delimiter()?;
        if selector.is_empty() {
            return None;
        }
        let mut segments = segments(selector, delimiter, self.escape());
        let first = segments.next().unwrap_or_default();
        let mut path: Vec<&[u8]> = Vec::new();
        if self.keeps_pre_delimiter() && !first.is_empty() {
            path.push(first);
        }
        let rooted = path.is_empty();
        let mut segments = segments.peekable();
        while let Some(segment) = segments.next() {
            if segment == self.parent() {
                path.pop();
            } else if segment.is_empty() {
                // An empty last segment only marks a menu.
                if self.has_parent_double() && segments.peek().is_some() {
                    path.pop();
                }
            } else if segment != self.identity() {
                path.push(segment);
            }
        }
        if path.pop().is_none() && selector == delimiter {
            return None;
        }
        let parent = path.join(delimiter);
        if rooted && !path.is_empty() {
            return Some([delimiter, &parent].concat());
        }
        Some(parent)
    }

    /// Returns the port where the server answers over TLS; `None` without a valid one.
    pub fn tls_port(&self) -> Option<u16> {
        parse(self.value(b"ServerTLSPort")?).filter(|&port| port != 0)
    }

    fn is_true(&self, key: &[u8]) -> bool {
        self.value(key)
            .is_some_and(|value| value.eq_ignore_ascii_case(b"true"))
    }
}

/// Splits a selector at delimiters that are not escaped. Without a delimiter the whole selector is one segment.
fn segments<'a>(
    selector: &'a [u8],
    delimiter: &'a [u8],
    escape: Option<&'a [u8]>,
) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(selector);
    std::iter::from_fn(move || {
        let all = rest?;
        let mut at = 0;
        while let Some(current) = all.get(at..).filter(|current| !current.is_empty()) {
            if let Some(escape) = escape.filter(|escape| current.starts_with(escape)) {
                at += escape.len() + 1;
            } else if current.starts_with(delimiter) {
                let (segment, after) = all.split_at_checked(at)?;
                rest = after.strip_prefix(delimiter);
                return Some(segment);
            } else {
                at += 1;
            }
        }
        rest = None;
        Some(all)
    })
}
