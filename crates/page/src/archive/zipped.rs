//! The members of zip archives (APPNOTE.TXT of PKWARE, 6.3), with zip64.
//!
//! The directory is at the end, so the archive is stored in memory as a whole. Names are octets: those that are not
//! UTF-8 are in the charset of the machine that wrote them. The archive names only its system: DOS has code page 437.

use std::io::{Cursor, Read, Seek};
use std::ops::Range;
use std::rc::Rc;

use geomys_wire::text::{Charset, CharsetSample, Text};
use zip::read::read_zipfile_from_stream;
use zip::result::ZipError;
use zip::{CompressionMethod, DateTime, System, ZipArchive};

use super::MAX_STORED_BYTES;
use super::error::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::meter::{Meter, Metered, PackedReader};
use super::parts::{ComingPart, KnownParts, MAX_FETCHED_BYTES, PartsReader};
use super::visit::{Step, Visit};

/// The most members: each takes memory before the first one is known.
const MAX_MEMBERS: usize = 500_000;

/// The most octets of the directory at the end of an archive that is opened by parts.
const MAX_DIRECTORY_BYTES: u64 = 64 * 1024 * 1024;

/// The octets of a member's header before its name.
const LOCAL_HEADER_BYTES: u64 = 30;

/// The octets of the extra field in a member's header, which only that tells, as programs write it.
const MAX_EXTRA_BYTES: u64 = 1024;

/// The most octets of the target of a symbolic link.
const MAX_TARGET_BYTES: u64 = 4096;

/// The signature of a member's header.
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";

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
        // The directory is not among them.
        return match visit_without_directory(&octets, meter, visitor)? {
            Step::Stop => Ok(()),
            Step::Next | Step::Content => Err(UnpackError::TooLarge(MAX_STORED_BYTES)),
        };
    }
    check_members([octets.as_slice()].into_iter())?;
    let mut archive = match ZipArchive::new(Cursor::new(octets.as_slice())) {
        Ok(archive) => archive,
        // The directory at the end is missing: each member has a header of its own.
        Err(found) if octets.starts_with(LOCAL_HEADER) => {
            return match visit_without_directory(&octets, meter, visitor)? {
                Step::Stop => Ok(()),
                Step::Next | Step::Content => Err(error(found)),
            };
        }
        Err(found) => return Err(error(found)),
    };
    visit_archive(&mut archive, &|_| Ok(()), meter, visitor)
}

/// Refuses an archive whose pieces hold the entries of too many members.
fn check_members<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<(), UnpackError> {
    let mut entries = pieces.flat_map(|piece| memchr::memmem::find_iter(piece, ENTRY));
    match entries.nth(MAX_MEMBERS) {
        Some(_) => Err(too_many()),
        None => Ok(()),
    }
}

fn too_many() -> UnpackError {
    UnpackError::Malformed(format!("it has more than {MAX_MEMBERS} members"))
}

/// Visits the members of an archive of which parts are known, and perhaps one comes.
///
/// # Errors
/// [`UnpackError::Range`] if others are needed. The directory has at most [`MAX_DIRECTORY_BYTES`].
pub(super) fn visit_parts<'p>(
    (parts, coming): (&'p KnownParts, Option<ComingPart<'p>>),
    meter: &Rc<Meter>,
    visitor: &mut dyn Visit,
) -> Result<(), UnpackError> {
    let missing = Rc::default();
    let coming_range = coming.as_ref().map_or(0..0, ComingPart::range);
    let needed = |range: Range<u64>| {
        let end = range.end.min(parts.size());
        match parts.missing(range) {
            None => Ok(()),
            Some(missing) if coming_range.contains(&missing.start) && end <= coming_range.end => {
                Ok(())
            }
            Some(missing) if end - missing.start > MAX_FETCHED_BYTES => {
                Err(UnpackError::Range(missing.start..end))
            }
            Some(missing) => Err(UnpackError::Range(missing)),
        }
    };
    check_members(parts.pieces())?;
    let reader = PackedReader::new(PartsReader::new(parts, coming, &missing), meter);
    let mut archive = match ZipArchive::new(reader) {
        Ok(archive) => archive,
        Err(found) => {
            return Err(match missing.take() {
                Some(range) if range.start < parts.size().saturating_sub(MAX_DIRECTORY_BYTES) => {
                    UnpackError::TooLarge(MAX_DIRECTORY_BYTES)
                }
                Some(range) => UnpackError::Range(range),
                None => match error(found) {
                    UnpackError::Malformed(_) => UnpackError::NoDirectory,
                    other => other,
                },
            });
        }
    };
    if archive.len() > MAX_MEMBERS {
        return Err(too_many());
    }
    let visited = visit_archive(&mut archive, &needed, meter, visitor);
    match missing.take() {
        Some(range) if visited.is_err() => needed(range).and(visited),
        Some(_) | None => visited,
    }
}

/// Visits the members of an archive. `needed` is asked before the octets of a member are read.
fn visit_archive<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    needed: &dyn Fn(Range<u64>) -> Result<(), UnpackError>,
    meter: &Rc<Meter>,
    visitor: &mut dyn Visit,
) -> Result<(), UnpackError> {
    check_overlaps(archive)?;
    if let Some(charset) = charset(archive)? {
        visitor.declare(charset);
    }
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(error)?;
        let mut member = member(&MemberFacts {
            name: entry.name_raw(),
            is_directory: entry.is_dir(),
            is_symlink: entry.is_symlink(),
            is_encrypted: entry.encrypted(),
            modified: entry.last_modified(),
            size: entry.size(),
        });
        let name = entry.name_raw().len() as u64;
        let header = LOCAL_HEADER_BYTES + name + MAX_EXTRA_BYTES;
        let end = (entry.header_start() + header).saturating_add(entry.compressed_size());
        let range = entry.header_start()..end;
        // A listing has the target of a link, unless it would have to be fetched.
        if matches!(member.kind, MemberKind::Link(_))
            && needed(range.clone()).is_ok()
            && let Ok(target) = target(archive, index)
        {
            member.kind = MemberKind::link(target);
        }
        let step = match visitor.member(&member)? {
            Step::Content => {
                needed(range)?;
                if matches!(member.kind, MemberKind::Link(_)) {
                    member.kind = MemberKind::link(target(archive, index)?);
                    return visitor.member(&member).map(drop);
                }
                let file = archive.by_index(index).map_err(error)?;
                // The crate says so only when it is read.
                if let Some(method) = unsupported(file.compression()) {
                    let refused = error(ZipError::CompressionMethodNotSupported(method));
                    visitor.refuse(&member, refused)?
                } else {
                    visitor.content(&member, &mut Metered::new(file, meter))?
                }
            }
            step => step,
        };
        if step == Step::Stop {
            break;
        }
    }
    Ok(())
}

/// Reads the target of a symbolic link.
fn target<R: Read + Seek>(
    archive: &mut ZipArchive<R>,
    index: usize,
) -> Result<Vec<u8>, UnpackError> {
    let mut target = Vec::new();
    let file = archive.by_index(index).map_err(error)?;
    file.take(MAX_TARGET_BYTES).read_to_end(&mut target)?;
    Ok(target)
}

/// Returns the charset of the names that are not UTF-8, if programs of DOS have written them.
fn charset<R: Read + Seek>(archive: &ZipArchive<R>) -> Result<Option<Charset>, UnpackError> {
    let mut sample = CharsetSample::default();
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(error)?;
        let is_of_dos = matches!(
            entry.system(),
            System::Dos | System::Os2 | System::WindowsNTFS | System::VFAT
        );
        if is_of_dos {
            sample.add(entry.name_raw());
        }
    }
    Ok((!sample.is_empty()).then(|| sample.charset_of_dos()))
}

/// Visits the first members of an archive that is cut off; returns [`Step::Stop`] if the visitor wants no more.
fn visit_without_directory(
    octets: &[u8],
    meter: &Rc<Meter>,
    visitor: &mut dyn Visit,
) -> Result<Step, UnpackError> {
    let mut rest = octets;
    while let Ok(Some(file)) = read_zipfile_from_stream(&mut rest) {
        // The type of a member is in the directory.
        let member = member(&MemberFacts {
            name: file.name_raw(),
            is_directory: file.is_dir(),
            is_symlink: false,
            is_encrypted: file.encrypted(),
            modified: file.last_modified(),
            size: file.size(),
        });
        let step = match visitor.member(&member)? {
            Step::Content => visitor.content(&member, &mut Metered::new(file, meter))?,
            step => step,
        };
        if step == Step::Stop {
            return Ok(step);
        }
    }
    Ok(Step::Next)
}

/// Refuses an archive whose members share octets: a few may unpack to any number.
fn check_overlaps<R: Read + Seek>(archive: &ZipArchive<R>) -> Result<(), UnpackError> {
    let entry = |index| {
        let entry = archive.by_index_data(index).map_err(error)?;
        Ok::<_, UnpackError>((entry.header_start(), entry.compressed_size()))
    };
    let mut ranges: Vec<(u64, u64)> = (0..archive.len()).map(entry).collect::<Result<_, _>>()?;
    ranges.sort_unstable();
    let is_overlapped = ranges.windows(2).any(|pair| match pair {
        [(start, size), (next, _)] => start.saturating_add(LOCAL_HEADER_BYTES + size) > *next,
        _ => false,
    });
    if is_overlapped {
        return Err(UnpackError::Malformed("its members overlap".to_owned()));
    }
    Ok(())
}

/// What the directory or its own header tells about a member.
struct MemberFacts<'a> {
    name: &'a [u8],
    is_directory: bool,
    is_symlink: bool,
    is_encrypted: bool,
    modified: Option<DateTime>,
    size: u64,
}

fn member(facts: &MemberFacts<'_>) -> Member {
    // Some programs of DOS and Windows write their own separator.
    let name = match memchr::memchr2(b'/', b'\\', facts.name) {
        Some(_) if memchr::memchr(b'/', facts.name).is_none() => (facts.name.iter())
            .map(|&octet| if octet == b'\\' { b'/' } else { octet })
            .collect(),
        _ => facts.name.to_vec(),
    };
    let kind = if name.ends_with(b"/") || facts.is_directory {
        MemberKind::Directory
    } else if facts.is_symlink {
        MemberKind::Link(Vec::new())
    } else if facts.is_encrypted {
        MemberKind::Closed("an encrypted file")
    } else {
        MemberKind::File
    };
    let is_file = matches!(kind, MemberKind::File | MemberKind::Closed(_));
    let modified = facts.modified.map(|time| {
        let (year, month, day) = (time.year(), time.month(), time.day());
        let (hour, minute, second) = (time.hour(), time.minute(), time.second());
        format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}")
    });
    Member {
        path: segments(&name),
        kind,
        size: is_file.then_some(facts.size),
        modified,
        sparse: None,
    }
}

/// Returns the number of a compression that the crate does not know.
#[expect(deprecated, reason = "nothing else tells the number")]
fn unsupported(method: CompressionMethod) -> Option<u16> {
    match method {
        CompressionMethod::Unsupported(number) => Some(number),
        _ => None,
    }
}

fn error(error: ZipError) -> UnpackError {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::CompressionMethodNotSupported(method) => UnpackError::Refused(
            format!("it needs another program: its compression is method {method}"),
            "save the archive, and open it there",
        ),
        ZipError::UnsupportedArchive(sentence) => UnpackError::Refused(
            Text::of(sentence).to_string(),
            "save the archive, and open it with another program",
        ),
        error => UnpackError::Malformed(Text::of(&error.to_string()).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use zip::write::SimpleFileOptions;

    use super::super::walk::Unpacker;
    use super::*;

    /// Returns a zip with one member, deflated.
    fn zipped(name: &str, octets: &[u8]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer
            .start_file(name, SimpleFileOptions::default())
            .unwrap();
        writer.write_all(octets).unwrap();
        writer.finish().unwrap().into_inner()
    }

    /// Opens what is known of a zip, with a bound for what is unpacked.
    fn open(parts: &KnownParts, path: &[Vec<u8>], meter: Meter) -> Result<(), UnpackError> {
        let mut receive = |_| Ok(());
        let mut unpacker = Unpacker::new(false, &mut receive, || false);
        unpacker.meter = Rc::new(meter);
        unpacker.run_zip((parts, None), b"a.zip", path)
    }

    fn known(size: u64, end: &[u8]) -> KnownParts {
        let mut parts = KnownParts::new(size);
        parts.add(size - end.len() as u64, end.to_vec());
        parts
    }

    #[test]
    fn octets_that_never_came_allow_no_unpacking() {
        let mut inner = tar::Builder::new(Vec::new());
        for (name, size) in [("zeros", 2_000_000), ("last", 1)] {
            let mut header = tar::Header::new_gnu();
            header.set_size(size);
            header.set_cksum();
            let octets = io::repeat(0).take(size);
            inner.append_data(&mut header, name, octets).unwrap();
        }
        let zip = zipped("a.tar", &inner.into_inner().unwrap());
        let path = [b"a.tar".to_vec(), b"last".to_vec()];
        let parts = known(1 << 40, &zip);
        let opened = open(&parts, &path, Meter::new(1000, || false));
        assert!(
            matches!(opened, Err(UnpackError::TooLarge(_))),
            "{opened:?}"
        );
        open(&parts, &path, Meter::new(1 << 30, || false)).unwrap();
    }

    #[test]
    fn nobody_waits_for_a_directory() {
        let zip = zipped("a", b"");
        let parts = known(zip.len() as u64, &zip);
        let opened = open(&parts, &[], Meter::new(1000, || true));
        assert!(matches!(opened, Err(UnpackError::Closed)), "{opened:?}");
    }

    #[test]
    fn large_directory_is_not_fetched() {
        let end = |size: u32| {
            let mut end = vec![0; 128 * 1024];
            end.extend(b"PK\x05\x06\0\0\0\0\xff\x7f\xff\x7f");
            end.extend(size.to_le_bytes());
            end.extend(((1 << 31) - 22 - size).to_le_bytes());
            end.extend([0, 0]);
            end
        };
        let opened = |size| open(&known(1 << 31, &end(size)), &[], Meter::new(1000, || false));
        let range = opened(60 << 20);
        assert!(matches!(range, Err(UnpackError::Range(_))), "{range:?}");
        let large = opened(65 << 20);
        assert!(matches!(large, Err(UnpackError::TooLarge(_))), "{large:?}");
    }

    #[test]
    fn many_members_are_refused_before_they_are_read() {
        let entries = ENTRY.repeat(MAX_MEMBERS + 1);
        let opened = open(&known(1 << 31, &entries), &[], Meter::new(1000, || false));
        assert!(
            matches!(&opened, Err(UnpackError::Malformed(sentence)) if sentence.contains("members")),
            "{opened:?}"
        );
    }
}
