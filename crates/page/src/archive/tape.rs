//! The members of tar archives (POSIX.1 ustar and pax, GNU, and the tar of the seventh edition).

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use tar::{Archive, Entry, EntryType};

use super::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::walk::{Step, Visit};

/// The most octets of the headers of a member: long names and extended attributes are stored in memory.
const MAX_HEADER_BYTES: u64 = 4 * 1024 * 1024;

/// Visits the members of an archive, in order.
pub(super) fn visit(reader: &mut dyn Read, visitor: &mut dyn Visit) -> Result<(), UnpackError> {
    let room = Rc::new(Cell::new(MAX_HEADER_BYTES));
    let mut archive = Archive::new(Guard {
        reader,
        room: Rc::clone(&room),
    });
    for entry in archive.entries()? {
        let mut entry = entry?;
        let stored = entry.header().entry_size().unwrap_or_default();
        room.set(stored.max(entry.size()).saturating_add(MAX_HEADER_BYTES));
        let member = member(&mut entry)?;
        let step = match visitor.member(&member)? {
            Step::Content => visitor.content(&member, &mut entry)?,
            step => step,
        };
        if step == Step::Stop {
            break;
        }
    }
    Ok(())
}

/// A reader that gives no more octets than the members seen so far need, and a header.
struct Guard<'a> {
    reader: &'a mut dyn Read,
    room: Rc<Cell<u64>>,
}

impl Read for Guard<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        match self.room.get().checked_sub(count as u64) {
            Some(room) => self.room.set(room),
            None => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "a header is too long",
                ));
            }
        }
        Ok(count)
    }
}

fn member<R: Read>(entry: &mut Entry<'_, R>) -> io::Result<Member> {
    let sparse = SparseRecords::of(entry)?;
    let entry_type = entry.header().entry_type();
    let name = sparse
        .name
        .unwrap_or_else(|| entry.path_bytes().into_owned());
    let kind = match entry_type {
        EntryType::Directory => MemberKind::Directory,
        EntryType::Symlink => MemberKind::Link(link_name(entry)),
        EntryType::Link => MemberKind::HardLink(link_name(entry)),
        EntryType::Char | EntryType::Block => MemberKind::Closed("a device"),
        EntryType::Fifo => MemberKind::Closed("a named pipe"),
        // The tar of the seventh edition has no type for directories.
        _ if name.ends_with(b"/") => MemberKind::Directory,
        _ if sparse.is_sparse => MemberKind::Closed("a sparse file of pax"),
        _ => MemberKind::File,
    };
    let is_file = matches!(kind, MemberKind::File | MemberKind::Closed(_));
    let modified = entry.header().mtime().ok();
    Ok(Member {
        path: segments(&name),
        kind,
        size: is_file.then(|| sparse.size.unwrap_or(entry.size())),
        modified: modified.and_then(stamp),
    })
}

fn link_name<R: Read>(entry: &Entry<'_, R>) -> Vec<u8> {
    entry.link_name_bytes().unwrap_or_default().into_owned()
}

/// Formats seconds since 1970 in UTC, as MLSD does; None for the zero of archives that are the same however often they
/// are made.
pub(super) fn stamp(seconds: u64) -> Option<String> {
    (seconds > 0).then_some(())?;
    let time = jiff::Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
    Some(time.strftime("%Y%m%d%H%M%S").to_string())
}

/// The records of GNU tar for a sparse file in the format of pax, whose data is a map and pieces.
#[derive(Default)]
struct SparseRecords {
    is_sparse: bool,
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

impl SparseRecords {
    fn of<R: Read>(entry: &mut Entry<'_, R>) -> io::Result<Self> {
        let mut records = Self::default();
        for record in entry.pax_extensions()?.into_iter().flatten().flatten() {
            let number = || std::str::from_utf8(record.value_bytes()).ok()?.parse().ok();
            match record.key_bytes() {
                b"GNU.sparse.name" => records.name = Some(record.value_bytes().to_vec()),
                b"GNU.sparse.realsize" | b"GNU.sparse.size" => records.size = number(),
                _ => {}
            }
            records.is_sparse |= record.key_bytes().starts_with(b"GNU.sparse.");
        }
        Ok(records)
    }
}
