//! The members of ar archives: libraries (`.a`) and Debian packages (`.deb`).
//!
//! ```text
//! archive = "!<arch>" LF *( header data [ LF ] )         ; data of an odd length is padded
//! header  = name date user group mode size "`" LF        ; 16, 12, 6, 6, 8 and 10 octets, padded with blanks
//! name    = text "/" / "/" offset / "#1/" length         ; GNU, GNU in the table `//`, BSD at the beginning of the data
//! ```

use std::io::{self, Read};

use geomys_wire::protocol::octets::number;

use super::error::UnpackError;
use super::member::{Member, MemberKind, segments};
use super::tape::stamp;
use super::visit::{Step, Visit};

/// The octets of a header.
const HEADER_BYTES: usize = 60;

/// The most octets of the table of long names, and of a name.
const MAX_NAMES_BYTES: u64 = 4 * 1024 * 1024;

/// Visits the members of an archive, in order.
pub(super) fn visit(reader: &mut dyn Read, visitor: &mut dyn Visit) -> Result<(), UnpackError> {
    let mut magic = [0; 8];
    reader.read_exact(&mut magic)?;
    let mut names = Vec::new();
    loop {
        let mut header = Vec::new();
        reader.take(HEADER_BYTES as u64).read_to_end(&mut header)?;
        if header.is_empty() {
            return Ok(());
        }
        let fields = Header::parse(&header).ok_or_else(|| malformed("a header is damaged"))?;
        let padded = fields.size + fields.size % 2;
        let mut data = reader.take(padded);
        if fields.name == b"//" {
            if fields.size > MAX_NAMES_BYTES {
                return Err(malformed("its names are too long"));
            }
            data.read_to_end(&mut names)?;
            continue;
        }
        let (name, name_length) = fields.long_name(&names, &mut data)?;
        let path = segments(&name);
        let member = Member {
            kind: MemberKind::File,
            size: Some(fields.size.saturating_sub(name_length)),
            modified: fields.date.and_then(stamp),
            path,
            sparse: None,
        };
        match visitor.member(&member)? {
            Step::Next => {}
            Step::Content => {
                let padding = fields.size % 2;
                let rest = data.limit().saturating_sub(padding);
                let mut content = data.by_ref().take(rest);
                if visitor.content(&member, &mut content)? == Step::Stop {
                    return Ok(());
                }
            }
            Step::Stop => return Ok(()),
        }
        io::copy(&mut data, &mut io::sink())?;
        if data.limit() > 1 {
            return Err(UnpackError::early());
        }
    }
}

fn malformed(sentence: &str) -> UnpackError {
    UnpackError::Malformed(sentence.to_owned())
}

/// The fields of a header.
struct Header<'a> {
    name: &'a [u8],
    date: Option<u64>,
    size: u64,
}

impl<'a> Header<'a> {
    fn parse(header: &'a [u8]) -> Option<Self> {
        let field = |from, to| Some(header.get(from..to)?.trim_ascii_end());
        (header.len() == HEADER_BYTES && header.ends_with(b"`\n")).then_some(())?;
        Some(Self {
            name: field(0, 16)?,
            date: number(field(16, 28)?),
            size: number(field(48, 58)?)?,
        })
    }

    /// Returns the whole name, and the octets of it that were at the beginning of the data.
    fn long_name(&self, names: &[u8], data: &mut impl Read) -> io::Result<(Vec<u8>, u64)> {
        if let Some(length) = self.name.strip_prefix(b"#1/").and_then(number::<u64>) {
            let mut name = Vec::new();
            let length = length.min(self.size).min(MAX_NAMES_BYTES);
            data.take(length).read_to_end(&mut name)?;
            let end = memchr::memchr(0, &name).unwrap_or(name.len());
            name.truncate(end);
            return Ok((name, length));
        }
        if let Some(offset) = self.name.strip_prefix(b"/").and_then(number::<usize>) {
            let name = names.get(offset..).unwrap_or_default();
            let end = memchr::memchr(b'\n', name).unwrap_or(name.len());
            let name = name.get(..end).unwrap_or_default();
            return Ok((name.strip_suffix(b"/").unwrap_or(name).to_vec(), 0));
        }
        let name = self.name.strip_suffix(b"/").unwrap_or(self.name);
        Ok((name.to_vec(), 0))
    }
}
