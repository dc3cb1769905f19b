//! Detection of archives and compressed files by their first octets.

use std::io::{self, Read};

use super::compress::Compression;
use super::{cpio, lha, mailbox, site};
use crate::document::{Kind, suffix};

/// The octets of a header of tar (POSIX.1, "ustar Interchange Format").
const TAR_HEADER_BYTES: usize = 512;

/// The checksum in a header of tar.
const TAR_CHECKSUM: std::ops::Range<usize> = 148..156;

/// The beginnings of packed files, without those of tar.
const MAGIC_NUMBERS: [&[u8]; 13] = [
    &[0x1f, 0x8b, 8],
    &[0x1f, 0x9d],
    b"BZh",
    b"\xfd7zXZ\0",
    &[0x28, 0xb5, 0x2f, 0xfd],
    b"LZIP\x01",
    b"begin ",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"!<arch>\n",
    b"07070",
    &[0xed, 0xab, 0xee, 0xdb],
    b"From ",
];

/// The packing of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// One compressed file.
    Compressed(Compression),
    /// A tar archive.
    Tar,
    /// A zip archive.
    Zip,
    /// An archive of ar, as libraries (`.a`) and Debian packages (`.deb`) are.
    Ar,
    /// An archive of cpio, as packages of RPM contain one.
    Cpio,
    /// An archive of LHA.
    Lha,
    /// A text of shar, told by its name too.
    Shar,
    /// A mailbox (RFC 4155).
    Mailbox,
    /// The tree of a whole site, told by its name too.
    Site,
}

impl Packing {
    /// The octets that [`Packing::detect`] needs.
    pub const SAMPLE_BYTES: usize = TAR_HEADER_BYTES;

    /// Detects a packing by the first octets of a file, of which there are [`Packing::SAMPLE_BYTES`] unless it is
    /// shorter.
    pub fn detect(start: &[u8]) -> Option<Self> {
        if let Some(compression) = Compression::detect(start) {
            return Some(Self::Compressed(compression));
        }
        if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
            Some(Self::Zip)
        } else if start.starts_with(b"!<arch>\n") {
            Some(Self::Ar)
        } else if cpio::begins(start) {
            Some(Self::Cpio)
        } else if lha::begins(start) {
            Some(Self::Lha)
        } else if is_tar(start) {
            Some(Self::Tar)
        } else if mailbox::begins(start) {
            Some(Self::Mailbox)
        } else {
            None
        }
    }

    /// Detects the packing of a file with this name. A document, a picture or a sound in zip is for other programs.
    pub fn of(name: &[u8], start: &[u8]) -> Option<Self> {
        let is_for_others = || {
            let kind = suffix::kind(name);
            !matches!(kind, None | Some(Kind::Binary | Kind::Text))
        };
        let packing =
            Self::detect(start).filter(|packing| *packing != Self::Zip || !is_for_others());
        let is_site = || site::begins(name, start).then_some(Self::Site);
        packing
            .or_else(|| Self::of_text(name, start))
            .or_else(is_site)
    }

    /// Returns the packing that a text has by its name, or says that it has. Words may stand before what is packed.
    fn of_text(name: &[u8], start: &[u8]) -> Option<Self> {
        memchr::memchr(0, start).is_none().then_some(())?;
        match suffix::suffix(name)
            .unwrap_or_default()
            .to_ascii_lowercase()
            .as_slice()
        {
            b"uue" | b"uu" => Some(Self::Compressed(Compression::Uuencode)),
            b"shar" => Some(Self::Shar),
            _ => says_shar(start).then_some(Self::Shar),
        }
    }

    /// Returns true if more octets may show that a text is packed.
    pub fn may_follow(start: &[u8]) -> bool {
        start.len() < Self::SAMPLE_BYTES
            && Self::detect(start).is_none()
            && (memchr::memchr(0, start).is_some()
                || MAGIC_NUMBERS.iter().any(|magic| {
                    let magic = magic.get(..start.len()).unwrap_or(magic);
                    start.starts_with(magic)
                }) && memchr::memchr_iter(b'\n', start).nth(1).is_none())
    }

    /// Returns true for an archive, whose members are addressed by a fragment.
    pub fn is_archive(self) -> bool {
        !matches!(self, Self::Compressed(_) | Self::Site)
    }
}

/// Returns true for a header of tar: its checksum is right, so the oldest archives count too, which have no magic
/// number.
fn is_tar(start: &[u8]) -> bool {
    let Some(header) = start.get(..TAR_HEADER_BYTES) else {
        return false;
    };
    let stored = header.get(TAR_CHECKSUM).unwrap_or_default();
    let digits: Vec<u8> = stored
        .iter()
        .copied()
        .skip_while(|octet| *octet == b' ')
        .take_while(|octet| (b'0'..=b'7').contains(octet))
        .collect();
    let stored = std::str::from_utf8(&digits).ok();
    let stored = stored.and_then(|digits| u32::from_str_radix(digits, 8).ok());
    let sum: u32 = header
        .iter()
        .enumerate()
        .map(|(at, octet)| {
            let is_checksum = TAR_CHECKSUM.contains(&at);
            u32::from(if is_checksum { b' ' } else { *octet })
        })
        .sum();
    stored == Some(sum)
}

/// A reader whose first octets can be examined before they are read.
pub(super) struct PeekReader<R> {
    start: Vec<u8>,
    at: usize,
    reader: R,
    /// An error of the reader behind the first octets.
    error: Option<io::Error>,
}

impl<R: Read> PeekReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            start: Vec::new(),
            at: 0,
            reader,
            error: None,
        }
    }

    /// Returns the first octets, at most `count`.
    ///
    /// # Errors
    /// The reader's error, if there are none before it.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        let missing = count.saturating_sub(self.start.len()) as u64;
        if missing > 0 && self.error.is_none() {
            let read = self
                .reader
                .by_ref()
                .take(missing)
                .read_to_end(&mut self.start);
            self.error = read.err();
        }
        if self.start.is_empty()
            && let Some(error) = self.error.take()
        {
            return Err(error);
        }
        Ok(&self.start)
    }
}

impl<R: Read> Read for PeekReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut rest = self.start.get(self.at..).unwrap_or_default();
        if rest.is_empty() {
            return match self.error.take() {
                Some(error) => Err(error),
                None => self.reader.read(buffer),
            };
        }
        let count = rest.read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

/// Returns true if a text that begins so says that it is an archive of shar.
fn says_shar(start: &[u8]) -> bool {
    let start = start.to_ascii_lowercase();
    let mut names = [b"shell archive".as_slice(), b"shar archive"].into_iter();
    start.starts_with(b"#") && names.any(|name| memchr::memmem::find(&start, name).is_some())
}
