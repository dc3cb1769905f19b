//! caps.txt: what a server says of itself and of its selectors, in a file at the selector `caps.txt`. No RFC has it; it
//! is a custom of the servers of today.
//!
//! ```text
//! caps = "CAPS" line-end *( [ key "=" value / "#" comment ] line-end )
//! ```
//!
//! Keys are compared as written; of two the last counts. The paths of a server are cut by its own rules: a delimiter of
//! any length, a segment that means nothing, one that means the segment above, and, on some, two delimiters in a row
//! that mean it too. `Delimeter` is the custom's spelling; the right one is read as well. Left out: the time until a
//! file is asked for again, which is data like any other key. Nothing here fails.

/// A caps.txt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caps<'a>(Vec<(&'a [u8], &'a [u8])>);

impl<'a> Caps<'a> {
    /// Reads a file; one that does not begin with `CAPS` is none, as many servers answer with something for every
    /// selector.
    pub fn parse(file: &'a [u8]) -> Option<Self> {
        let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let rest = file.strip_prefix(b"CAPS")?;
        if !matches!(rest.first(), None | Some(b'\r' | b'\n' | b' ' | b'\t')) {
            return None;
        }
        let lines = rest.split(|&octet| octet == b'\n').map(<[u8]>::trim_ascii);
        let entries = lines
            .filter(|line| !line.starts_with(b"#"))
            .filter_map(|line| {
                let at = memchr::memchr(b'=', line)?;
                let (key, value) = line.split_at_checked(at)?;
                Some((key.trim_ascii(), value.get(1..)?.trim_ascii()))
            });
        Some(Self(entries.collect()))
    }

    /// Every key with its value, in order.
    pub fn entries(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + '_ {
        self.0.iter().copied()
    }

    /// The value of a key; an empty one is none.
    pub fn value(&self, key: &[u8]) -> Option<&'a [u8]> {
        let entry = self.0.iter().rev().find(|entry| entry.0 == key);
        entry.map(|entry| entry.1).filter(|value| !value.is_empty())
    }

    /// What separates the segments of a selector. Nothing when selectors are not to be cut.
    pub fn delimiter(&self) -> Option<&'a [u8]> {
        self.value(b"PathDelimeter")
            .or_else(|| self.value(b"PathDelimiter"))
    }

    /// The segment that means nothing: `.` unless the server says otherwise.
    pub fn identity(&self) -> &'a [u8] {
        self.value(b"PathIdentity").unwrap_or(b".")
    }

    /// The segment that means the one above: `..` unless the server says otherwise.
    pub fn parent(&self) -> &'a [u8] {
        self.value(b"PathParent").unwrap_or(b"..")
    }

    /// Whether two delimiters in a row mean the segment above, as on old Macs.
    pub fn has_parent_double(&self) -> bool {
        self.is_true(b"PathParentDouble")
    }

    /// What takes its meaning from what follows it.
    pub fn escape(&self) -> Option<&'a [u8]> {
        self.value(b"PathEscapeCharacter")
    }

    /// Whether what stands before the first delimiter belongs to the path. It mostly does not: it is a copy of the item
    /// type.
    pub fn keeps_pre_delimiter(&self) -> bool {
        self.is_true(b"PathKeepPreDelimeter") || self.is_true(b"PathKeepPreDelimiter")
    }

    /// The name of the charset of texts and menus.
    pub fn encoding(&self) -> Option<&'a [u8]> {
        self.value(b"ServerDefaultEncoding")
            .or_else(|| self.value(b"DefaultEncoding"))
    }

    /// What the server is, in a line.
    pub fn description(&self) -> Option<&'a [u8]> {
        self.value(b"ServerDescription")
    }

    /// The program that serves.
    pub fn software(&self) -> Option<&'a [u8]> {
        self.value(b"ServerSoftware")
    }

    /// Its version.
    pub fn software_version(&self) -> Option<&'a [u8]> {
        self.value(b"ServerSoftwareVersion")
    }

    /// Whom to write to.
    pub fn admin(&self) -> Option<&'a [u8]> {
        self.value(b"ServerAdmin")
    }

    /// The port at which it speaks TLS; 0 and what is no port are none.
    pub fn tls_port(&self) -> Option<u16> {
        let port = std::str::from_utf8(self.value(b"ServerTLSPort")?).ok()?;
        port.parse().ok().filter(|port| *port != 0)
    }

    /// The selector of the menu above `selector`, by this server's rules; the root's is empty. Nothing when the server
    /// has no rule, and for the root, which has nothing above it.
    pub fn above(&self, selector: &[u8]) -> Option<Vec<u8>> {
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
                // The last one only says that a menu was meant.
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
        let above = path.join(delimiter);
        if rooted && !path.is_empty() {
            return Some([delimiter, &above].concat());
        }
        Some(above)
    }

    fn is_true(&self, key: &[u8]) -> bool {
        self.value(key)
            .is_some_and(|value| value.eq_ignore_ascii_case(b"true"))
    }
}

/// The parts between delimiters that are not escaped. One of a selector without any is the selector.
fn segments<'a>(
    selector: &'a [u8],
    delimiter: &'a [u8],
    escape: Option<&'a [u8]>,
) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(selector);
    std::iter::from_fn(move || {
        let all = rest?;
        let mut at = 0;
        while let Some(here) = all.get(at..).filter(|here| !here.is_empty()) {
            if let Some(escape) = escape.filter(|escape| here.starts_with(escape)) {
                at += escape.len() + 1;
            } else if here.starts_with(delimiter) {
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
