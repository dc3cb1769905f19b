//! The members of archives: their names, cleaned, and their URLs.

use std::collections::HashSet;
use std::fmt::Write as _;

use geomys_wire::text::{Charset, Text};
use rfc1738::{Encoded, Url};

use super::sparse::SparseMap;

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The cleaned path, one segment or more.
    pub(super) path: Vec<Vec<u8>>,
    pub(super) kind: MemberKind,
    pub(super) size: Option<u64>,
    /// The time of the last change, as MLSD writes it.
    pub(super) modified: Option<String>,
    /// The map of a file whose holes are not in the archive.
    pub(super) sparse: Option<SparseMap>,
}

impl Member {
    /// Returns the number of octets of its content in the archive, unpacked.
    pub(super) fn stored(&self) -> Option<u64> {
        self.sparse
            .as_ref()
            .map_or(self.size, |map| Some(map.stored()))
    }
}

/// The kind of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MemberKind {
    File,
    Directory,
    /// A symbolic link, with its target as the archive has it; without one if that is its content.
    Link(Vec<u8>),
    /// Another name of a member, which is named by its path.
    HardLink(Vec<u8>),
    /// A member that is not opened: the reason, in words.
    Closed(&'static str),
}

impl MemberKind {
    /// Creates the kind of a symbolic link, whose target is known.
    pub(super) fn link(target: Vec<u8>) -> Self {
        match target.as_slice() {
            [] => Self::Closed("a link without a target"),
            _ => Self::Link(target),
        }
    }
}

/// Splits a path, and cleans it: without empty segments, `.` and `..`.
pub fn segments(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|&octet| octet == b'/')
        .filter(|segment| !matches!(*segment, b"" | b"." | b".."))
        .map(<[u8]>::to_vec)
        .collect()
}

/// Returns a path for display.
pub(super) fn shown(path: &[Vec<u8>]) -> Text {
    Text::new(&path.join(&b'/'), Charset::default())
}

/// Returns the URL of a member below the page `url`, which is an archive or a directory in one.
pub fn member_url(url: &Url, name: &[u8], is_directory: bool) -> Url {
    let above = url.fragment().map(|fragment| fragment.as_str().to_owned());
    let above = above.unwrap_or_default();
    let slash = if above.is_empty() || above.ends_with('/') {
        ""
    } else {
        "/"
    };
    let end = if is_directory { "/" } else { "" };
    let name = encoded(name);
    url.with_fragment(&format!("{above}{slash}{name}{end}"))
}

/// Returns the URL of the directory above a member, or of its archive; that above the archive for the archive itself.
pub fn level_above(url: &Url) -> Option<Url> {
    let Some(fragment) = url.fragment().map(Encoded::as_str) else {
        return url.up();
    };
    let path = fragment.trim_end_matches('/');
    Some(match path.rsplit_once('/') {
        Some((above, _)) => url.with_fragment(&format!("{above}/")),
        None => url.without_fragment(),
    })
}

/// Escapes a name for a fragment.
fn encoded(name: &[u8]) -> String {
    let mut text = String::with_capacity(name.len());
    for &octet in name {
        if octet.is_ascii_alphanumeric() || b"-_.~".contains(&octet) {
            text.push(char::from(octet));
        } else {
            // A string takes all that is written.
            let _ = write!(text, "%{octet:02X}");
        }
    }
    text
}

/// The listing of a directory of an archive: lines of MLSD (RFC 3659, section 7), one for each name; several where the
/// newest counts, which is the last.
pub(super) struct MemberListing {
    /// True if the newest member of a name counts, not the first.
    pub(super) is_newest: bool,
    lines: Vec<u8>,
    names: HashSet<Vec<u8>>,
    /// The number of members without a line, because their names are not valid in one.
    pub(super) left_out: usize,
    /// The number of members whose name another one had before.
    pub(super) repeated: usize,
}

impl MemberListing {
    pub(super) fn new(is_newest: bool) -> Self {
        Self {
            is_newest,
            lines: Vec::new(),
            names: HashSet::new(),
            left_out: 0,
            repeated: 0,
        }
    }

    /// Adds a member that is below the directory `above`.
    pub(super) fn add(&mut self, member: &Member, above: usize) {
        let Some(name) = member.path.get(above) else {
            return;
        };
        if name.iter().any(|octet| matches!(octet, b'\r' | b'\n' | 0)) {
            self.left_out += 1;
            return;
        }
        let is_own = member.path.len() == above + 1;
        if !self.names.insert(name.clone()) {
            // A directory has an entry of its own beside those in it.
            if !is_own || member.kind == MemberKind::Directory {
                return;
            }
            self.repeated += 1;
            if !self.is_newest {
                return;
            }
        }
        let kind = if is_own {
            &member.kind
        } else {
            &MemberKind::Directory
        };
        let own = |value: Option<String>| value.filter(|_| is_own);
        self.lines.extend(facts(kind));
        if let Some(size) = own(member.size.map(|size| size.to_string())) {
            self.lines.extend(format!("size={size};").bytes());
        }
        if let Some(modified) = own(member.modified.clone()) {
            self.lines.extend(format!("modify={modified};").bytes());
        }
        self.lines.push(b' ');
        self.lines.extend_from_slice(name);
        self.lines.extend_from_slice(b"\r\n");
    }

    /// Takes the lines that were added since the last call.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.lines)
    }

    /// The number of octets that [`MemberListing::take`] returns.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }
}

fn facts(kind: &MemberKind) -> Vec<u8> {
    let is_valid = |octet: &u8| *octet >= b' ' && *octet != b';';
    match kind {
        MemberKind::File | MemberKind::HardLink(_) => b"type=file;".to_vec(),
        MemberKind::Directory => b"type=dir;".to_vec(),
        MemberKind::Link(target) if !target.is_empty() && target.iter().all(is_valid) => {
            [b"type=OS.unix=slink:", target.as_slice(), b";"].concat()
        }
        MemberKind::Link(_) => b"type=OS.unix=symlink;".to_vec(),
        MemberKind::Closed(_) => b"type=OS.unix=other;".to_vec(),
    }
}
