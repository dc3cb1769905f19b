//! The members of cpio archives: those of SVR4 (`newc`, with or without checksums), and those of POSIX (`odc`).
//!
//! ```text
//! archive = *( header name NUL padding data padding ) trailer      ; the trailer is a member with the name TRAILER!!!
//! newc    = ( "070701" / "070702" ) 13( 8hex )    ; inode mode uid gid links time size 4*device length checksum, padded to 4
//! odc     = "070707" 6( 6octal ) time length size ; device inode mode uid gid links device, then 11, 6 and 11 octal digits
//! ```

use std::io::{self, Read};

use super::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::tape::stamp;
use super::walk::{Step, Visit};

/// The most octets of a name or of a link's target.
const MAX_NAME_BYTES: u64 = 64 * 1024;

/// The name of the last member.
const TRAILER: &[u8] = b"TRAILER!!!";

/// Returns true for the beginning of an archive.
pub(super) fn begins(start: &[u8]) -> bool {
    [b"070701", b"070702", b"070707"]
        .iter()
        .any(|magic| start.starts_with(*magic))
}

/// Visits the members of an archive, in order.
pub(super) fn visit(reader: &mut dyn Read, visitor: &mut dyn Visit) -> Result<(), UnpackError> {
    loop {
        let header = Header::read(reader)?;
        let name = header.name(reader)?;
        if name == TRAILER {
            return Ok(());
        }
        let mut data = reader.take(header.size);
        let kind = match header.mode & 0o170_000 {
            0o040_000 => MemberKind::Directory,
            0o120_000 if header.size <= MAX_NAME_BYTES => {
                let mut target = Vec::new();
                data.read_to_end(&mut target)?;
                MemberKind::Link(target)
            }
            0o100_000 => MemberKind::File,
            _ => MemberKind::Closed("a device, a pipe or a socket"),
        };
        let member = Member {
            path: segments(&name),
            size: (kind == MemberKind::File).then_some(header.size),
            kind,
            modified: stamp(header.time),
        };
        match visitor.member(&member)? {
            Step::Next => {}
            Step::Content => return visitor.content(&member, &mut data).map(drop),
            Step::Stop => return Ok(()),
        }
        io::copy(&mut data, &mut io::sink())?;
        if data.limit() > 0 {
            return Err(UnpackError::early());
        }
        skip(reader, header.padding(header.size))?;
    }
}

/// The fields of a header.
struct Header {
    mode: u64,
    time: u64,
    size: u64,
    name_length: u64,
    /// The octets of the header, and the number that what follows is padded to.
    length: u64,
    alignment: u64,
}

impl Header {
    fn read(reader: &mut dyn Read) -> Result<Self, UnpackError> {
        let mut magic = [0; 6];
        reader.read_exact(&mut magic)?;
        let (length, radix) = match &magic {
            b"070701" | b"070702" => (110_usize, 16),
            b"070707" => (76, 8),
            _ => return Err(UnpackError::Malformed("a header is damaged".to_owned())),
        };
        let mut fields = vec![0; length - magic.len()];
        reader.read_exact(&mut fields)?;
        let field = |from: usize, to: usize| {
            let digits = std::str::from_utf8(fields.get(from..to)?).ok()?;
            u64::from_str_radix(digits, radix).ok()
        };
        let header = if radix == 16 {
            let field = |number: usize| field(number * 8, number * 8 + 8);
            (field(1), field(5), field(6), field(11))
        } else {
            (field(12, 18), field(42, 53), field(59, 70), field(53, 59))
        };
        let (Some(mode), Some(time), Some(size), Some(name_length)) = header else {
            return Err(UnpackError::Malformed("a header is damaged".to_owned()));
        };
        Ok(Self {
            mode,
            time,
            size,
            name_length,
            length: length as u64,
            alignment: if radix == 16 { 4 } else { 1 },
        })
    }

    /// Reads the name, and the padding behind it.
    fn name(&self, reader: &mut dyn Read) -> Result<Vec<u8>, UnpackError> {
        if self.name_length > MAX_NAME_BYTES {
            return Err(UnpackError::Malformed("a name is too long".to_owned()));
        }
        let mut name = Vec::new();
        reader.take(self.name_length).read_to_end(&mut name)?;
        if (name.len() as u64) < self.name_length {
            return Err(UnpackError::early());
        }
        skip(reader, self.padding(self.length + self.name_length))?;
        let end = memchr::memchr(0, &name).unwrap_or(name.len());
        name.truncate(end);
        Ok(name)
    }

    /// Returns the number of octets behind these.
    fn padding(&self, octets: u64) -> u64 {
        octets.next_multiple_of(self.alignment) - octets
    }
}

fn skip(reader: &mut dyn Read, octets: u64) -> io::Result<()> {
    io::copy(&mut reader.take(octets), &mut io::sink()).map(drop)
}
