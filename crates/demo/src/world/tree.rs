//! The files of the FTP server.
//!
//! Names and contents are octets. Directories of any size under `/big/`, listed there or not, are computed entry by
//! entry; `/ada` is visible only to the account. Paths here are canonical: no empty, `.` or `..` segments.

use std::borrow::Cow;

use crate::assets::{self, Placeholders, text};
use crate::wire::{number, split_once};

/// The one account of the FTP and news servers.
pub const ACCOUNT: &str = "ada";
/// The length of the big computed file of the FTP server in octets.
pub const DRUM_LENGTH: usize = 1_500_007;

/// The largest computed directory.
const MAX_ENTRIES: u64 = 10_000_000;
/// The number of links that are followed in a row.
const MAX_LINKS: usize = 8;
const BIG_STAMP: &str = "19940930120000";

/// The kind and content of an entry.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Directory(Vec<Entry>),
    /// A computed directory with this many files.
    Many(u64),
    /// A text (LF between lines), or any octets.
    File(Vec<u8>),
    /// The drum, which is computed on request.
    Drum,
    /// A symbolic link and its target.
    Link(&'static str),
}

/// A name in a directory.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Cow<'static, [u8]>,
    /// `YYYYMMDDhhmmss`, as RFC 3659 writes it.
    pub(crate) modified: &'static str,
    pub(crate) node: Node,
}

impl Entry {
    /// Adds an entry below this directory.
    fn insert(&mut self, path: &'static [u8], modified: &'static str, node: Node) {
        let Node::Directory(entries) = &mut self.node else {
            return;
        };
        let Some((first, rest)) = split_once(path, b'/') else {
            let name = Cow::Borrowed(path);
            return entries.push(Entry {
                name,
                modified,
                node,
            });
        };
        if let Some(directory) = entries.iter_mut().find(|entry| entry.name == first) {
            directory.insert(rest, modified, node);
        }
    }

    /// The visible entries of a directory; for another entry, itself. Computed entries are made one at a time.
    pub(crate) fn list(
        &self,
        member: bool,
    ) -> Box<dyn Iterator<Item = Cow<'_, Entry>> + Send + '_> {
        match &self.node {
            Node::Directory(entries) => {
                let visible = entries.iter().filter(move |entry| entry.is_visible(member));
                Box::new(visible.map(Cow::Borrowed))
            }
            Node::Many(count) => Box::new((1..=*count).map(|number| Cow::Owned(counted(number)))),
            Node::File(_) | Node::Drum | Node::Link(_) => {
                Box::new(std::iter::once(Cow::Borrowed(self)))
            }
        }
    }

    /// Returns true if a user sees the entry: only the account sees its own directory.
    fn is_visible(&self, member: bool) -> bool {
        member || self.name != ACCOUNT.as_bytes()
    }

    /// The size of a file in octets; `None` for other entries.
    pub(crate) fn size(&self) -> Option<usize> {
        match &self.node {
            Node::File(octets) => Some(octets.len()),
            Node::Drum => Some(DRUM_LENGTH),
            Node::Directory(_) | Node::Many(_) | Node::Link(_) => None,
        }
    }
}

/// The root directory.
#[derive(Debug)]
pub(crate) struct Tree(Entry);

/// An entry of the tree, or one computed for the request.
pub(crate) enum TreeEntry<'a> {
    Stored(&'a Entry),
    Computed(Entry),
}

impl TreeEntry<'_> {
    pub(crate) fn entry(&self) -> &Entry {
        match self {
            TreeEntry::Stored(entry) => entry,
            TreeEntry::Computed(entry) => entry,
        }
    }
}

impl Tree {
    pub(super) fn new(placeholders: &Placeholders) -> Self {
        let mut root = Entry {
            name: Cow::Borrowed(b""),
            modified: "19941212180000",
            node: Node::Directory(Vec::new()),
        };
        for [modified, content, path] in assets::table("ftp/tree.txt") {
            let (kind, rest) = split_once(content, b' ').unwrap_or((content, b""));
            let node = match kind {
                b"link" => Node::Link(text(rest)),
                b"text" => Node::File(placeholders.fill(assets::file(text(rest)))),
                b"octets" => Node::File(assets::file(text(rest)).to_vec()),
                b"drum" => Node::Drum,
                b"numbered" => {
                    let count = path.rsplit(|octet| *octet == b'/').next();
                    Node::Many(count.and_then(number).unwrap_or_default())
                }
                _ => Node::Directory(Vec::new()),
            };
            root.insert(path, text(modified), node);
        }
        Self(root)
    }

    /// The entry at `path`; a link at its end is followed. A `member` sees the private directory.
    pub(crate) fn at(&self, path: &[Vec<u8>], member: bool) -> Option<TreeEntry<'_>> {
        self.follow(path, member, MAX_LINKS)
    }

    fn follow(&self, path: &[Vec<u8>], member: bool, links: usize) -> Option<TreeEntry<'_>> {
        let mut found = TreeEntry::Stored(&self.0);
        for (depth, name) in path.iter().enumerate() {
            if let Node::Many(count) = found.entry().node {
                let digits = name.strip_prefix(b"entry-")?.strip_suffix(b".txt")?;
                let entry = counted(number(digits).filter(|wanted| (1..=count).contains(wanted))?);
                // For example, "entry-7.txt" does not exist, although 7 is a valid number.
                found = (entry.name == name.as_slice()).then_some(TreeEntry::Computed(entry))?;
                continue;
            }
            found = match found {
                TreeEntry::Stored(Entry {
                    node: Node::Directory(entries),
                    ..
                }) => match entries
                    .iter()
                    .find(|entry| entry.name == name.as_slice() && entry.is_visible(member))
                {
                    Some(Entry {
                        node: Node::Link(target),
                        ..
                    }) => {
                        let above = path.get(..depth)?;
                        self.follow(
                            &resolve(above, target.as_bytes()),
                            member,
                            links.checked_sub(1)?,
                        )?
                    }
                    Some(entry) => TreeEntry::Stored(entry),
                    None if depth == 1 && path.first().is_some_and(|first| first == b"big") => {
                        TreeEntry::Computed(many(
                            number(name).filter(|&count| count <= MAX_ENTRIES)?,
                        ))
                    }
                    None => return None,
                },
                TreeEntry::Stored(_) | TreeEntry::Computed(_) => return None,
            };
        }
        Some(found)
    }
}

/// Resolves `path` as written by a user in the directory `from`: absolute or relative, with `.`, `..` and empty
/// segments.
pub(crate) fn resolve(from: &[Vec<u8>], path: &[u8]) -> Vec<Vec<u8>> {
    let mut segments = if path.first() == Some(&b'/') {
        Vec::new()
    } else {
        from.to_vec()
    };
    for segment in path.split(|&octet| octet == b'/') {
        match segment {
            b"" | b"." => {}
            b".." => {
                segments.pop();
            }
            name => segments.push(name.to_vec()),
        }
    }
    segments
}

fn many(count: u64) -> Entry {
    Entry {
        name: Cow::Owned(count.to_string().into_bytes()),
        modified: BIG_STAMP,
        node: Node::Many(count),
    }
}

fn counted(number: u64) -> Entry {
    let content =
        format!("Sack {number} of the long cellar: potatoes, and a label that says potatoes.\n");
    Entry {
        name: Cow::Owned(format!("entry-{number:06}.txt").into_bytes()),
        modified: BIG_STAMP,
        node: Node::File(content.into_bytes()),
    }
}

/// The octets of the drum: every value, in an order that no wrong transfer mode leaves intact by luck.
pub fn drum() -> Vec<u8> {
    // Xorshift64 is short, gives the same result on every machine, and produces CR, LF, NUL and 0xFF.
    let mut state: u64 = 0x1738_1994;
    let mut octets = Vec::with_capacity(DRUM_LENGTH + 8);
    while octets.len() < DRUM_LENGTH {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        octets.extend_from_slice(&state.to_le_bytes());
    }
    octets.truncate(DRUM_LENGTH);
    octets
}
