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
mod error;
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
mod visit;
mod walk;
mod zipped;

pub use self::error::{LinkTarget, MemberVersion, UnpackError};
pub use self::mailbox::mbox_message;
pub use self::member::level_above;
pub use self::member::member_url;
pub use self::member::segments;
pub use self::parts::{ComingPart, KnownParts, MAX_FETCHED_BYTES};
pub use self::peek::Packing;
pub use self::spool::Spool;
pub use self::walk::{LeftOut, Receiver, Unpacked, UnpackedHead, UnpackedKind, Unpacker};

/// The most octets that are decompressed for a page before its content begins, and for the listing of an archive,
/// unless the file is large: then a hundred times its own.
const MAX_SCANNED_BYTES: u64 = 1024 * 1024 * 1024;

/// The most archives inside one another.
const MAX_DEPTH: usize = 3;

/// The most octets of an archive that is stored in memory as a whole, because its directory is at its end.
const MAX_STORED_BYTES: u64 = 128 * 1024 * 1024;
