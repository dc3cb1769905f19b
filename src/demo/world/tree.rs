//! The files of the FTP server.
//!
//! Names and contents are octets. Directories of any size under `/big/` are computed entry by entry; `/ada` is
//! visible only to the account. Paths here are canonical: no empty, `.` or `..` segments.

use std::borrow::Cow;

use super::{ACCOUNT, Signs, number};

/// The largest computed directory.
const MOST_ENTRIES: u64 = 10_000_000;
/// The directories that `/big` lists. Any other number works as well.
const SIZES: [u64; 3] = [1_000, 100_000, 1_000_000];
/// The number of links that are followed in a row.
const MOST_LINKS: usize = 8;
const BIG_STAMP: &str = "19940930120000";

/// The kind and content of an entry.
#[derive(Clone, Debug)]
pub(in crate::demo) enum Node {
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
pub(in crate::demo) struct Entry {
    pub(in crate::demo) name: Cow<'static, [u8]>,
    /// `YYYYMMDDhhmmss`, as RFC 3659 writes it.
    pub(in crate::demo) modified: &'static str,
    pub(in crate::demo) node: Node,
}

impl Entry {
    /// The size of a file in octets; `None` for other entries.
    pub(in crate::demo) fn size(&self) -> Option<usize> {
        match &self.node {
            Node::File(octets) => Some(octets.len()),
            Node::Drum => Some(super::DRUM_LENGTH),
            Node::Directory(_) | Node::Many(_) | Node::Link(_) => None,
        }
    }
}

/// The root directory, as each user sees it.
#[derive(Debug)]
pub(in crate::demo) struct Tree {
    public: Entry,
    private: Entry,
}

/// An entry of the tree, or one computed for the request.
pub(in crate::demo) enum TreeEntry<'a> {
    Stored(&'a Entry),
    Computed(Entry),
}

impl TreeEntry<'_> {
    pub(in crate::demo) fn entry(&self) -> &Entry {
        match self {
            TreeEntry::Stored(entry) => entry,
            TreeEntry::Computed(entry) => entry,
        }
    }
}

impl Tree {
    pub(super) fn new(signs: &Signs) -> Self {
        Self {
            public: directory("", "19941212180000", public(signs)),
            private: directory(
                ACCOUNT,
                "19941210221500",
                vec![
                    text("diary.txt", "19941210221500", signs, asset!("diary.txt")),
                    text(
                        "notes on the engine.txt",
                        "18430901000000",
                        signs,
                        asset!("engine-notes.txt"),
                    ),
                    directory(
                        "letters",
                        "19941101080000",
                        vec![text(
                            "unsent.txt",
                            "19941101080000",
                            signs,
                            asset!("unsent.txt"),
                        )],
                    ),
                ],
            ),
        }
    }

    /// The entry at `path`; a link at its end is followed. A `member` sees the private directory.
    pub(in crate::demo) fn at(&self, path: &[Vec<u8>], member: bool) -> Option<TreeEntry<'_>> {
        self.follow(path, member, MOST_LINKS)
    }

    fn follow(&self, path: &[Vec<u8>], member: bool, links: usize) -> Option<TreeEntry<'_>> {
        let mut found = TreeEntry::Stored(&self.public);
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
                }) => match entries.iter().find(|entry| entry.name == name.as_slice()) {
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
                    None if depth == 0 && member && self.private.name == name.as_slice() => {
                        TreeEntry::Stored(&self.private)
                    }
                    None if depth == 1 && path.first().is_some_and(|first| first == b"big") => {
                        TreeEntry::Computed(many(
                            number(name).filter(|&count| count <= MOST_ENTRIES)?,
                        ))
                    }
                    None => return None,
                },
                TreeEntry::Stored(_) | TreeEntry::Computed(_) => return None,
            };
        }
        Some(found)
    }

    /// The entries of a directory, the private one first. Computed entries are made one at a time.
    pub(in crate::demo) fn list<'a>(
        &'a self,
        directory: &'a Entry,
        member: bool,
    ) -> Box<dyn Iterator<Item = Cow<'a, Entry>> + Send + 'a> {
        match &directory.node {
            Node::Directory(entries) => {
                let private = (member && directory.name.is_empty()).then_some(&self.private);
                Box::new(private.into_iter().chain(entries).map(Cow::Borrowed))
            }
            Node::Many(count) => Box::new((1..=*count).map(|number| Cow::Owned(counted(number)))),
            Node::File(_) | Node::Drum | Node::Link(_) => {
                Box::new(std::iter::once(Cow::Borrowed(directory)))
            }
        }
    }
}

/// Resolves `path` as written by a user in the directory `from`: absolute or relative, with `.`, `..` and empty
/// segments.
pub(in crate::demo) fn resolve(from: &[Vec<u8>], path: &[u8]) -> Vec<Vec<u8>> {
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

fn directory(name: &'static str, modified: &'static str, entries: Vec<Entry>) -> Entry {
    Entry {
        name: Cow::Borrowed(name.as_bytes()),
        modified,
        node: Node::Directory(entries),
    }
}

fn text(name: &'static str, modified: &'static str, signs: &Signs, content: &[u8]) -> Entry {
    octets(name.as_bytes(), modified, signs.fill(content))
}

fn octets(name: &'static [u8], modified: &'static str, content: Vec<u8>) -> Entry {
    Entry {
        name: Cow::Borrowed(name),
        modified,
        node: Node::File(content),
    }
}

fn link(name: &'static str, modified: &'static str, target: &'static str) -> Entry {
    Entry {
        name: Cow::Borrowed(name.as_bytes()),
        modified,
        node: Node::Link(target),
    }
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

macro_rules! asset {
    ($name:literal) => {
        include_bytes!(concat!("../../../assets/demo/ftp/", $name))
    };
}
use asset;

fn public(signs: &Signs) -> Vec<Entry> {
    vec![
        text(".message", "19941212180000", signs, asset!("message.txt")),
        link("READ.ME", "19940314092600", "README"),
        text("README", "19940314092600", signs, asset!("README")),
        directory("big", BIG_STAMP, SIZES.into_iter().map(many).collect()),
        directory("incoming", "19940401000000", Vec::new()),
        link("latest", "19941124071500", "pub/software"),
        link("lost", "19940401000000", "/pub/nowhere"),
        directory("names", "20260301101500", names()),
        directory("pub", "19941212180000", archive(signs)),
        text(
            "welcome.txt",
            "19941212180000",
            signs,
            asset!("welcome.txt"),
        ),
    ]
}

/// Names with every character that a name may hold.
fn names() -> Vec<Entry> {
    const STAMP: &str = "20260301101500";
    let odd = |name| octets(name, STAMP, asset!("odd.txt").to_vec());
    vec![
        odd(b"#hash#.txt"),
        odd(b"100% wool.txt"),
        odd(b"a;type=i"),
        odd(b"caf\xe9 (latin-1).txt"),
        odd(b"caf\xc3\xa9 (utf-8).txt"),
        directory("he said \"dig\"", STAMP, vec![odd(b"quoted.txt")]),
        odd(b"question?.txt"),
        odd(b"two  spaces.txt"),
        odd("\u{571f}\u{7adc}.txt".as_bytes()),
    ]
}

fn archive(signs: &Signs) -> Vec<Entry> {
    let pictures = vec![
        octets(
            b"door.png",
            "19970210080000",
            asset!("../gopher/door.png").to_vec(),
        ),
        octets(
            b"gopher.gif",
            "19940918140000",
            asset!("../gopher/gopher.gif").to_vec(),
        ),
    ];
    let drum = Entry {
        name: Cow::Borrowed(b"drum.img"),
        modified: "19941124071500",
        node: Node::Drum,
    };
    let software = vec![
        text(
            "drum.README",
            "19941124071500",
            signs,
            asset!("drum.README"),
        ),
        drum,
        octets(
            b"seeds.bin",
            "19940918140000",
            asset!("../gopher/seeds.bin").to_vec(),
        ),
    ];
    let texts = vec![
        text(
            "how-to-fetch.txt",
            "19940520110000",
            signs,
            asset!("how-to-fetch.txt"),
        ),
        octets(
            b"latin1.txt",
            "19940714200000",
            asset!("../gopher/latin1.txt").to_vec(),
        ),
        text(
            "potato-soup.txt",
            "20260409190000",
            signs,
            asset!("potato-soup.txt"),
        ),
    ];
    vec![
        text(
            ".message",
            "19941212180000",
            signs,
            asset!("pub-message.txt"),
        ),
        text("INDEX", "19941212180000", signs, asset!("INDEX")),
        directory("pictures", "19940918140000", pictures),
        directory("software", "19941124071500", software),
        directory("texts", "20260409190000", texts),
    ]
}
