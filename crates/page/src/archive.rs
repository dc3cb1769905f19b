//! Archives and compressed files: what they contain, from any reader, without a file on the disk.
//!
//! ```text
//! compressed = gzip / compress (.Z) / bzip2 / xz / lzma / lzip / zstd / uuencode    ; opens as what it contains
//! tree       = `ls -lR`                                               ; opens as a listing of all paths
//! archive    = tar / zip / ar (.a, .deb) / cpio / lha / shar / mailbox   ; opens as a listing, its members as files
//! path       = *( directory "/" ) [ name ] [ "/" path ]    ; the rest is a path in an archive that is a member
//! ```
//!
//! The kind is told by the first octets, never by the name. Names are cleaned: no empty segment, `.` or `..`, so that
//! none leads out of the archive. Links of tar are followed inside it, devices not opened. What is read is bounded:
//! three archives inside one another, as many compressions, and 1 GiB on the way to what is shown, or a hundred
//! times what was read of the file.

mod ar;
mod compress;
mod cpio;
mod finder;
mod lha;
mod lzw;
pub mod mailbox;
mod member;
mod meter;
mod parts;
mod peek;
mod rpm;
pub(crate) mod site;
mod sparse;
mod spool;
mod tape;
mod texts;
mod uu;
mod walk;
mod zipped;

pub use self::mailbox::mbox_message;
pub use self::member::level_above;
pub use self::member::member_url;
pub use self::member::segments;
pub use self::parts::KnownParts;
pub use self::peek::Packing;
pub use self::spool::Spool;
pub use self::walk::{LeftOut, Receiver, Unpacked, UnpackedHead, UnpackedKind, Unpacker};

use std::io;
use std::ops::Range;

use geomys_wire::text::Text;

/// The most octets that are decompressed for a page before its content begins, and for the listing of an archive,
/// unless the file is large: then a hundred times its own.
const MAX_SCANNED_BYTES: u64 = 1024 * 1024 * 1024;

/// The most archives inside one another.
const MAX_DEPTH: usize = 3;

/// The most octets of an archive that is stored in memory as a whole, because its directory is at its end.
const MAX_STORED_BYTES: u64 = 128 * 1024 * 1024;

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
    /// These octets of the file are needed, and not known ([`KnownParts`]).
    Range(Range<u64>),
    /// The directory of a zip is missing, and more of the file than its end is needed ([`KnownParts`]).
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
    depth: usize,
    /// The number of members of that archive among which it is the newest.
    members: usize,
}

impl UnpackError {
    /// The error of octets that end early.
    fn early() -> Self {
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
