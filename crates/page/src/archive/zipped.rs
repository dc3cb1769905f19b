//! The members of zip archives (APPNOTE.TXT of PKWARE, 6.3), with zip64.
//!
//! The directory is at the end, so the archive is stored in memory as a whole. Names are octets: those that are not said to
//! be UTF-8 are in the charset of the machine that wrote them, which the archive does not name.

use std::io::{Cursor, Read};
use std::rc::Rc;

use geomys_wire::text::Text;
use zip::ZipArchive;
use zip::result::ZipError;

use super::member::{Member, MemberKind, segments};
use super::meter::{Meter, Metered};
use super::walk::{Step, Visit};
use super::{MAX_STORED_BYTES, UnpackError};

/// The most members: each takes memory before the first one is known.
const MAX_MEMBERS: usize = 500_000;

/// The signature of an entry of the directory.
const ENTRY: &[u8] = b"PK\x01\x02";

/// Visits the members of an archive, in the order of its directory. Their decompressed octets are counted by `meter`.
pub(super) fn visit(
    reader: &mut dyn Read,
    meter: &Rc<Meter>,
    visitor: &mut dyn Visit,
) -> Result<(), UnpackError> {
    let mut octets = Vec::new();
    reader.take(MAX_STORED_BYTES + 1).read_to_end(&mut octets)?;
    if octets.len() as u64 > MAX_STORED_BYTES {
        return Err(UnpackError::TooLarge(MAX_STORED_BYTES));
    }
    if memchr::memmem::find_iter(&octets, ENTRY)
        .nth(MAX_MEMBERS)
        .is_some()
    {
        let sentence = format!("it has more than {MAX_MEMBERS} members");
        return Err(UnpackError::Malformed(sentence));
    }
    let mut archive = ZipArchive::new(Cursor::new(octets)).map_err(error)?;
    for index in 0..archive.len() {
        let member = member(&archive, index)?;
        if member.path.is_empty() {
            continue;
        }
        if visitor.member(&member)? == Step::Content {
            let file = archive.by_index(index).map_err(error)?;
            return visitor.content(&member, &mut Metered::new(file, meter));
        }
    }
    Ok(())
}

fn member(archive: &ZipArchive<Cursor<Vec<u8>>>, index: usize) -> Result<Member, UnpackError> {
    let entry = archive.by_index_data(index).map_err(error)?;
    let name = entry.name_raw();
    // Some programs of DOS and Windows write their own separator.
    let name = match memchr::memchr2(b'/', b'\\', name) {
        Some(_) if memchr::memchr(b'/', name).is_none() => name
            .iter()
            .map(|&octet| if octet == b'\\' { b'/' } else { octet })
            .collect(),
        _ => name.to_vec(),
    };
    let kind = if name.ends_with(b"/") || entry.is_dir() {
        MemberKind::Directory
    } else if entry.is_symlink() {
        MemberKind::Link(Vec::new())
    } else if entry.encrypted() {
        MemberKind::Closed("an encrypted file")
    } else {
        MemberKind::File
    };
    let is_file = matches!(kind, MemberKind::File | MemberKind::Closed(_));
    let modified = entry.last_modified().map(|time| {
        let (year, month, day) = (time.year(), time.month(), time.day());
        let (hour, minute, second) = (time.hour(), time.minute(), time.second());
        format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}")
    });
    Ok(Member {
        path: segments(&name),
        kind,
        size: is_file.then(|| entry.size()),
        modified,
    })
}

fn error(error: ZipError) -> UnpackError {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::CompressionMethodNotSupported(method) => UnpackError::Refused(
            format!("its compression is not supported (method {method})"),
            "save the archive, and open it with another program",
        ),
        ZipError::UnsupportedArchive(sentence) => UnpackError::Refused(
            Text::of(sentence).to_string(),
            "save the archive, and open it with another program",
        ),
        error => UnpackError::Malformed(Text::of(&error.to_string()).to_string()),
    }
}
