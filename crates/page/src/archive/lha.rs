//! The members of LHA archives (`.lzh`, `.lha`), as DOS and the Amiga have them.
//!
//! ```text
//! archive = *( header data ) NUL
//! header  = ... "-" ( "lh" / "lz" / "pm" ) octet "-" ...       ; levels 0 to 3, the name in it or in an extension
//! name    = text [ NUL comment ]                               ; directories end with 0xFF in an extension, or with "\"
//! ```

use std::io::{self, Read};
use std::rc::Rc;

use delharc::LhaDecodeReader;
use delharc::header::{LhaHeader, TimestampResult};

use super::error::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::meter::{Meter, Metered};
use super::visit::{Step, Visit};

/// The extension of a header with the name, and the one with the directory.
const NAME: u8 = 1;
const DIRECTORY: u8 = 2;

/// Returns true for the beginning of an archive.
pub(super) fn begins(start: &[u8]) -> bool {
    let Some([b'-', first, second, _, b'-']) = start.get(2..7) else {
        return false;
    };
    let is_method = matches!((first, second), (b'l', b'h' | b'z') | (b'p', b'm'));
    is_method && start.get(20).is_some_and(|level| *level <= 3)
}

/// Visits the members of an archive, in order. Their decompressed octets are counted by `meter`.
pub(super) fn visit(
    reader: &mut dyn Read,
    meter: &Rc<Meter>,
    visitor: &mut dyn Visit,
) -> Result<(), UnpackError> {
    let mut archive = LhaDecodeReader::new(reader).map_err(io::Error::from)?;
    loop {
        let member = member(archive.header());
        let step = match visitor.member(&member)? {
            Step::Content if archive.is_decoder_supported() => {
                let mut content = Metered::new(&mut archive, meter);
                visitor.content(&member, &mut content)?
            }
            Step::Content => {
                let method = archive.header().compression.escape_ascii().to_string();
                let refused = UnpackError::Refused(
                    format!("it needs another program: its compression is {method}"),
                    "save the archive, and open it there",
                );
                visitor.refuse(&member, refused)?
            }
            step => step,
        };
        if step == Step::Stop {
            return Ok(());
        }
        if !archive.next_file().map_err(io::Error::from)? {
            return Ok(());
        }
    }
}

fn member(header: &LhaHeader) -> Member {
    let path = path(header);
    let kind = if header.is_directory() || path.ends_with(b"/") {
        MemberKind::Directory
    } else {
        MemberKind::File
    };
    let modified = match header.parse_last_modified() {
        TimestampResult::None => None,
        TimestampResult::Naive(time) => Some(time.format(STAMP).to_string()),
        TimestampResult::Utc(time) => Some(time.format(STAMP).to_string()),
    };
    Member {
        path: segments(&path),
        size: (kind == MemberKind::File).then_some(header.original_size),
        kind,
        modified,
        sparse: None,
    }
}

/// The format of a time, as MLSD has it.
const STAMP: &str = "%Y%m%d%H%M%S";

/// Returns the path with slashes; one of a directory may end with one.
fn path(header: &LhaHeader) -> Vec<u8> {
    let mut path = Vec::new();
    let mut name = None;
    for extension in header.iter_extra() {
        match extension {
            [NAME, octets @ ..] => name = Some(octets.to_vec()),
            [DIRECTORY, octets @ ..] => {
                path.extend_from_slice(octets);
                path.push(b'/');
            }
            _ => {}
        }
    }
    // A comment follows a NUL.
    let name = name.unwrap_or_else(|| header.filename.to_vec());
    path.extend(name.into_iter().take_while(|octet| *octet != 0));
    for octet in &mut path {
        if matches!(octet, 0xFF | b'\\') {
            *octet = b'/';
        }
    }
    path
}
