//! Errors of archives, and links that lead to another member.

use std::io;
use std::ops::Range;

use geomys_wire::text::Text;

/// An error of an archive, or of its content.
#[derive(Debug)]
pub enum UnpackError {
    /// The receiver is closed.
    Closed,
    /// The octets are damaged or end early, in words.
    Malformed(String),
    /// There is no such member.
    Missing,
    /// The member is a directory, but a file was requested.
    Directory,
    /// The member is a link to another one, or was typed as it is shown, and has this path.
    Link(LinkTarget),
    /// The member is not opened: the reason, and what to do instead.
    Refused(String, &'static str),
    /// These octets of the file are needed, and not known ([`KnownParts`](super::KnownParts)).
    Range(Range<u64>),
    /// The directory of a zip is missing, and more of the file than its end is needed
    /// ([`KnownParts`](super::KnownParts)).
    NoDirectory,
    /// More octets than this would have to be read.
    TooLarge(u64),
    /// An archive inside three others.
    TooDeep,
}

/// The member that a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTarget {
    /// The path of the member.
    pub path: Vec<Vec<u8>>,
    /// The version that a hard link of a tar means; None for the one that counts.
    pub version: Option<MemberVersion>,
}

/// A version of a member that has newer ones in the same archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberVersion {
    /// The number of segments before the path in its archive.
    pub(super) depth: usize,
    /// The number of members of that archive among which it is the newest.
    pub(super) members: usize,
}

impl UnpackError {
    /// The error of octets that end early.
    pub(super) fn early() -> Self {
        Self::Malformed("it ends early".to_owned())
    }
}

impl From<io::Error> for UnpackError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Self::early(),
            _ => Self::Malformed(Text::of(&error.to_string()).to_string()),
        }
    }
}
