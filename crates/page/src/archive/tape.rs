//! The members of tar archives (POSIX.1 ustar and pax, GNU, star, and the tar of the seventh edition).
//!
//! ```text
//! archive = *( *( extension ) header data ) [ zeros ]    ; in blocks of 512 octets
//! ```
//!
//! The crate parses headers and records. Its reader of archives is not used: it gives the holes of a sparse file octet
//! by octet, and knows neither those of pax nor those of star.

use std::io::{self, Read};

use tar::{EntryType, Header, PaxExtensions};

use super::error::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::sparse::SparseMap;
use super::visit::{Step, Visit};

pub(super) const BLOCK_BYTES: u64 = 512;

pub(super) type Block = [u8; 512];

/// The most octets of the headers of a member: long names and extended attributes are stored in memory.
pub(super) const MAX_HEADER_BYTES: u64 = 4 * 1024 * 1024;

/// Visits the members of an archive, in order.
pub(super) fn visit(reader: &mut dyn Read, visitor: &mut dyn Visit) -> Result<(), UnpackError> {
    while let Some(entry) = TarEntry::read(reader)? {
        let mut data = reader.take(entry.stored);
        let member = entry.member(&mut data)?;
        let step = match visitor.member(&member)? {
            Step::Content => visitor.content(&member, &mut data)?,
            step => step,
        };
        if step == Step::Stop {
            return Ok(());
        }
        io::copy(&mut data, &mut io::sink())?;
        if data.limit() > 0 {
            return Err(UnpackError::early());
        }
        let padding = padding(entry.stored);
        io::copy(&mut reader.take(padding), &mut io::sink())?;
    }
    Ok(())
}

/// Returns the number of octets behind these up to the next block.
fn padding(octets: u64) -> u64 {
    (BLOCK_BYTES - octets % BLOCK_BYTES) % BLOCK_BYTES
}

fn malformed(sentence: &str) -> UnpackError {
    UnpackError::Malformed(sentence.to_owned())
}

/// Parses a number of a header: octal digits, or binary if its first bit is set; None if there is none.
pub(super) fn octal(field: &[u8]) -> Option<u64> {
    match field {
        [first, ..] if first & 0x80 != 0 => {
            let (rest, last) = field.split_last_chunk::<8>()?;
            let is_small = rest.iter().skip(1).all(|&octet| octet == 0) && *first == 0x80;
            is_small.then(|| u64::from_be_bytes(*last))
        }
        field => {
            let digits = field.trim_ascii_start();
            let digits = digits.split(|&octet| matches!(octet, 0 | b' ')).next()?;
            u64::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok()
        }
    }
}

/// A member with what its headers tell.
struct TarEntry {
    header: Header,
    /// The name and the target of a link, of the extensions of GNU.
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    records: PaxRecords,
    /// The octets of its data in the archive.
    stored: u64,
    /// The map in its header.
    map: Option<SparseMap>,
}

impl TarEntry {
    /// Reads the headers of the next member; None at the end.
    fn read(reader: &mut dyn Read) -> Result<Option<Self>, UnpackError> {
        let (mut name, mut link, mut records) = (None, None, PaxRecords::default());
        let mut room = MAX_HEADER_BYTES;
        let mut is_extended = false;
        loop {
            let Some(header) = read_header(reader)? else {
                return if is_extended {
                    Err(UnpackError::early())
                } else {
                    Ok(None)
                };
            };
            let size = header.entry_size()?;
            let is_recognized = header.as_gnu().is_some() || header.as_ustar().is_some();
            let kind = header.entry_type();
            if !is_recognized || !is_extension(kind) {
                let map = kind
                    .is_gnu_sparse()
                    .then(|| SparseMap::of_header(&header, reader));
                return Ok(Some(Self {
                    stored: records.stored.unwrap_or(size),
                    map: map.transpose()?,
                    header,
                    name,
                    link,
                    records,
                }));
            }
            room = room
                .checked_sub(size)
                .ok_or_else(|| malformed("a header is too long"))?;
            let mut octets = Vec::new();
            reader.take(size).read_to_end(&mut octets)?;
            if (octets.len() as u64) < size {
                return Err(UnpackError::early());
            }
            io::copy(&mut reader.take(padding(size)), &mut io::sink())?;
            is_extended = true;
            let text = octets.strip_suffix(b"\0").unwrap_or(&octets);
            if kind.is_gnu_longname() {
                name = Some(text.to_vec());
            } else if kind.is_gnu_longlink() {
                link = Some(text.to_vec());
            } else if kind.is_pax_local_extensions() {
                records = PaxRecords::parse(&octets);
            }
        }
    }

    /// Returns the member. The map of a sparse file may be before its data.
    fn member(&self, data: &mut dyn Read) -> Result<Member, UnpackError> {
        let records = &self.records;
        let name = records
            .sparse_name
            .as_ref()
            .or(self.name.as_ref())
            .or(records.name.as_ref());
        let name = name
            .cloned()
            .unwrap_or_else(|| self.header.path_bytes().into_owned());
        let link = || {
            let link = self.link.as_ref().or(records.link.as_ref());
            let own = || {
                self.header
                    .link_name_bytes()
                    .unwrap_or_default()
                    .into_owned()
            };
            link.cloned().unwrap_or_else(own)
        };
        let kind = match self.header.entry_type() {
            EntryType::Directory => MemberKind::Directory,
            EntryType::Symlink => MemberKind::link(link()),
            EntryType::Link => MemberKind::HardLink(link()),
            EntryType::Char | EntryType::Block => MemberKind::Closed("a device"),
            EntryType::Fifo => MemberKind::Closed("a named pipe"),
            // The tar of the seventh edition has no type for directories.
            _ if name.ends_with(b"/") => MemberKind::Directory,
            _ => MemberKind::File,
        };
        let is_file = matches!(kind, MemberKind::File | MemberKind::Closed(_));
        let sparse = match (&self.map, records.sparse_size) {
            (Some(map), _) => Some(map.clone()),
            (None, Some(size)) if records.is_map_in_data => Some(SparseMap::of_data(size, data)?),
            (None, Some(size)) => Some(SparseMap::of_records(size, &records.pieces)?),
            (None, None) => None,
        };
        let sparse = sparse.filter(|_| kind == MemberKind::File);
        let modified = self.header.mtime().ok();
        Ok(Member {
            path: segments(&name),
            size: is_file.then(|| sparse.as_ref().map_or(self.stored, SparseMap::size)),
            kind,
            modified: modified.and_then(stamp),
            sparse,
        })
    }
}

/// Returns true for a header whose data is about the next member, or about all.
fn is_extension(kind: EntryType) -> bool {
    kind.is_gnu_longname()
        || kind.is_gnu_longlink()
        || kind.is_pax_local_extensions()
        || kind.is_pax_global_extensions()
}

/// Reads a header; None at the end of the archive.
fn read_header(reader: &mut dyn Read) -> Result<Option<Header>, UnpackError> {
    let mut octets = Vec::new();
    reader.take(BLOCK_BYTES).read_to_end(&mut octets)?;
    if octets.iter().all(|&octet| octet == 0) {
        return Ok(None);
    }
    let block: Block = octets.try_into().map_err(|_| UnpackError::early())?;
    let header = Header::from_byte_slice(&block).clone();
    let sum: u32 = (block.iter().enumerate())
        .map(|(at, &octet)| {
            if (148..156).contains(&at) {
                b' '
            } else {
                octet
            }
        })
        .map(u32::from)
        .sum();
    if header.cksum()? != sum {
        return Err(malformed("a header is damaged"));
    }
    Ok(Some(header))
}

/// Formats seconds since 1970 in UTC, as MLSD does; None for the zero of archives that are the same however often they
/// are made.
pub(super) fn stamp(seconds: u64) -> Option<String> {
    (seconds > 0).then_some(())?;
    let time = jiff::Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(time.strftime("%Y%m%d%H%M%S").to_string())
}

/// The records of pax about a member, with those of GNU tar for a sparse file.
#[derive(Default)]
struct PaxRecords {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    stored: Option<u64>,
    sparse_name: Option<Vec<u8>>,
    /// The size of a sparse file with its holes.
    sparse_size: Option<u64>,
    /// The offset and the length of each piece.
    pieces: Vec<u64>,
    is_map_in_data: bool,
}

impl PaxRecords {
    fn parse(octets: &[u8]) -> Self {
        let mut records = Self::default();
        for record in PaxExtensions::new(octets).flatten() {
            let value = record.value_bytes();
            let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok();
            match record.key_bytes() {
                b"path" => records.name = Some(value.to_vec()),
                b"linkpath" => records.link = Some(value.to_vec()),
                b"size" => records.stored = number(value),
                b"GNU.sparse.name" => records.sparse_name = Some(value.to_vec()),
                b"GNU.sparse.realsize" | b"GNU.sparse.size" => records.sparse_size = number(value),
                b"GNU.sparse.offset" | b"GNU.sparse.numbytes" => {
                    records.pieces.extend(number(value));
                }
                b"GNU.sparse.map" => {
                    let numbers = value.split(|&octet| octet == b',');
                    records.pieces = numbers.filter_map(number).collect();
                }
                b"GNU.sparse.major" => records.is_map_in_data = value == b"1",
                _ => {}
            }
        }
        records
    }
}
