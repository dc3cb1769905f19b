//! The members of cpio archives: those of SVR4 (`newc`, with or without checksums), those of POSIX (`odc`), and those
//! of the seventh edition (`bin`), in either order of octets.
//!
//! ```text
//! archive = *( header name NUL padding data padding ) trailer    ; a member with the name TRAILER!!!
//! newc    = ( "070701" / "070702" ) 13( 8hex )  ; inode mode uid gid links time size 4*device length checksum
//! odc     = "070707" 6( 6octal ) time length size     ; device inode mode uid gid links device; 11, 6 and 11 digits
//! bin     = %o070707 12number                         ; device inode mode uid gid links device 2*time length 2*size
//! ```
//!
//! A number of bin has 16 bits. Headers and data are padded to 4 octets in newc, to 2 in bin.
//!
//! In newc the content of a file with several names (hard links) is behind the last of them; the others are empty.

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::Range;

use super::error::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::tape::stamp;
use super::visit::{Step, Visit};

/// The most octets of a name or of a link's target.
const MAX_NAME_BYTES: u64 = 64 * 1024;

/// The name of the last member.
const TRAILER: &[u8] = b"TRAILER!!!";

/// Returns true for the beginning of an archive.
pub(super) fn begins(start: &[u8]) -> bool {
    let mut magic = [b"070701", b"070702", b"070707"].into_iter();
    magic.any(|magic| start.starts_with(magic)) || begins_binary(start)
}

/// Returns true for a header of numbers: two octets alone are in many files.
fn begins_binary(start: &[u8]) -> bool {
    let Some(header) = Header::binary(start) else {
        return false;
    };
    let name = usize::try_from(header.name_length).unwrap_or(usize::MAX);
    let end = start
        .get(BINARY_BYTES..)
        .and_then(|rest| rest.get(name.wrapping_sub(1)));
    matches!(header.mode >> 12, 0o1 | 0o2 | 0o4 | 0o6 | 0o10 | 0o12) && end == Some(&0)
}

/// Visits the members of an archive, in order.
pub(super) fn visit(reader: &mut dyn Read, visitor: &mut dyn Visit) -> Result<(), UnpackError> {
    // The names of files whose content is behind another name.
    let mut waiting: HashMap<FileId, Vec<Member>> = HashMap::new();
    loop {
        let header = Header::read(reader)?;
        let name = header.name(reader)?;
        if name == TRAILER {
            break;
        }
        let mut data = reader.take(header.size);
        let kind = match header.mode & 0o170_000 {
            0o040_000 => MemberKind::Directory,
            0o120_000 if header.size <= MAX_NAME_BYTES => {
                let mut target = Vec::new();
                data.read_to_end(&mut target)?;
                MemberKind::link(target)
            }
            0o100_000 => MemberKind::File,
            _ => MemberKind::Closed("a device, a pipe or a socket"),
        };
        let is_file = kind == MemberKind::File;
        let member = Member {
            path: segments(&name),
            size: is_file.then_some(header.size),
            kind,
            modified: stamp(header.time),
            sparse: None,
        };
        if let Some(id) = header.shared.filter(|_| is_file && header.size == 0) {
            waiting.entry(id).or_default().push(member);
            continue;
        }
        let shared = header.shared.filter(|_| is_file);
        let others = shared
            .and_then(|id| waiting.remove(&id))
            .unwrap_or_default();
        let others = others.into_iter().map(|other| Member {
            size: member.size,
            ..other
        });
        let mut is_read = false;
        for member in others.chain([member.clone()]) {
            let step = match visitor.member(&member)? {
                Step::Content if is_read => visitor.repeat(&member)?,
                Step::Content => {
                    is_read = true;
                    visitor.content(&member, &mut data)?
                }
                step => step,
            };
            if step == Step::Stop {
                return Ok(());
            }
        }
        io::copy(&mut data, &mut io::sink())?;
        if data.limit() > 0 {
            return Err(UnpackError::early());
        }
        skip(reader, header.padding(header.size))?;
    }
    for member in waiting.into_values().flatten() {
        let step = match visitor.member(&member)? {
            Step::Content => visitor.content(&member, &mut io::empty())?,
            step => step,
        };
        if step == Step::Stop {
            break;
        }
    }
    Ok(())
}

/// The device, as two numbers, and the inode of a file.
type FileId = (u64, u64, u64);

/// The octets of a header of numbers.
const BINARY_BYTES: usize = 26;

/// The fields of a header.
struct Header {
    mode: u64,
    time: u64,
    size: u64,
    name_length: u64,
    /// The file, if other members of a newc archive may be names of it.
    shared: Option<FileId>,
    /// The octets of the header, and the number that what follows is padded to.
    length: u64,
    alignment: u64,
}

impl Header {
    fn read(reader: &mut dyn Read) -> Result<Self, UnpackError> {
        let mut octets = vec![0; 6];
        reader.read_exact(&mut octets)?;
        let length = match octets.as_slice() {
            b"070701" | b"070702" => 110,
            b"070707" => 76,
            _ => BINARY_BYTES,
        };
        reader
            .take((length - octets.len()) as u64)
            .read_to_end(&mut octets)?;
        if octets.len() < length {
            return Err(UnpackError::early());
        }
        let header = match length {
            110 => Self::newc(&octets),
            76 => Self::odc(&octets),
            _ => Self::binary(&octets),
        };
        header.ok_or_else(|| UnpackError::Malformed("a header is damaged".to_owned()))
    }

    fn newc(octets: &[u8]) -> Option<Self> {
        let field = |number: usize| digits(octets, 6 + number * 8..14 + number * 8, 16);
        Some(Self {
            mode: field(1)?,
            time: field(5)?,
            size: field(6)?,
            name_length: field(11)?,
            shared: (field(4)? > 1).then_some((field(7)?, field(8)?, field(0)?)),
            length: 110,
            alignment: 4,
        })
    }

    fn odc(octets: &[u8]) -> Option<Self> {
        Some(Self {
            mode: digits(octets, 18..24, 8)?,
            time: digits(octets, 48..59, 8)?,
            size: digits(octets, 65..76, 8)?,
            name_length: digits(octets, 59..65, 8)?,
            shared: None,
            length: 76,
            alignment: 1,
        })
    }

    fn binary(octets: &[u8]) -> Option<Self> {
        let number: fn([u8; 2]) -> u16 = match *octets.first_chunk()? {
            [0xc7, 0x71] => u16::from_le_bytes,
            [0x71, 0xc7] => u16::from_be_bytes,
            _ => return None,
        };
        let (header, _) = octets.split_at_checked(BINARY_BYTES)?;
        let (numbers, _) = header.as_chunks();
        let field = |at: usize| Some(u64::from(number(*numbers.get(at)?)));
        Some(Self {
            mode: field(3)?,
            time: field(8)? << 16 | field(9)?,
            size: field(11)? << 16 | field(12)?,
            name_length: field(10)?,
            shared: None,
            length: BINARY_BYTES as u64,
            alignment: 2,
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

/// Parses the digits of a field.
fn digits(octets: &[u8], field: Range<usize>, radix: u32) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(octets.get(field)?).ok()?, radix).ok()
}

fn skip(reader: &mut dyn Read, octets: u64) -> io::Result<()> {
    io::copy(&mut reader.take(octets), &mut io::sink()).map(drop)
}
