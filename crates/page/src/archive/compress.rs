//! The decoders of compressed files, each with the memory that it may take.

use std::io::{self, BufRead, BufReader, Read};

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::{LzipReader, LzmaReader, XzReader};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::lzw::LzwReader;
use super::rpm::PayloadReader;
use super::uu::{self, UuReader};

/// The most memory for the dictionary of xz and lzma, in KiB.
const XZ_MEMORY_KIB: u32 = 128 * 1024;

/// The largest dictionary of lzip, as the logarithm of its octets.
const LZIP_BITS: u8 = 27;

/// A compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952.
    Gzip,
    /// The LZW of Unix: `.Z`.
    Compress,
    Bzip2,
    Xz,
    /// The LZMA of `lzma`, without a magic number.
    Lzma,
    Lzip,
    /// RFC 8878.
    Zstandard,
    /// The text of uuencode.
    Uuencode,
    /// A package of RPM, which contains a compressed cpio archive.
    Rpm,
}

impl Compression {
    /// Detects a compression by its magic number.
    pub(super) fn detect(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            [0x1f, 0x9d, flags, ..] if (9..=16).contains(&(flags & 0x1f)) => Some(Self::Compress),
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
                if rest.starts_with(b"1AY&SY") || rest.starts_with(b"\x17rE8P\x90") =>
            {
                Some(Self::Bzip2)
            }
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [b'L', b'Z', b'I', b'P', 1, dictionary, ..] if dictionary & 0x1f <= LZIP_BITS => {
                Some(Self::Lzip)
            }
            [0xed, 0xab, 0xee, 0xdb, ..] => Some(Self::Rpm),
            _ if is_lzma(start) => Some(Self::Lzma),
            _ if uu::begins(start) => Some(Self::Uuencode),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
                Some(Self::Zstandard)
            }
            _ => None,
        }
    }

    /// Returns a reader of the decompressed octets.
    pub(super) fn decoder<'a>(self, reader: impl Read + 'a) -> Box<dyn Read + 'a> {
        match self {
            Self::Gzip => Box::new(MemberReader::<GzDecoder<_>>::new(BufReader::new(reader))),
            Self::Compress => Box::new(LzwReader::new(BufReader::new(reader))),
            Self::Bzip2 => Box::new(MemberReader::<BzDecoder<_>>::new(BufReader::new(reader))),
            Self::Xz => Box::new(XzReader::new_mem_limit(reader, true, XZ_MEMORY_KIB)),
            Self::Lzma => Box::new(LzmaDecoder::Unread(Some(reader))),
            Self::Lzip => Box::new(LzipReader::new(reader)),
            Self::Uuencode => Box::new(UuReader::new(reader)),
            Self::Rpm => Box::new(PayloadReader::new(reader)),
            Self::Zstandard => Box::new(FrameReader {
                reader: BufReader::new(reader),
                decoder: FrameDecoder::new(),
                is_in_frame: false,
            }),
        }
    }

    /// Returns the name of what a compressed file contains: without the suffix, `.tgz` as `.tar`.
    pub(super) fn inner_name(self, name: &[u8]) -> Vec<u8> {
        let suffixes: &[&[u8]] = match self {
            Self::Gzip => &[b".gz", b".z"],
            Self::Compress => &[b".z"],
            Self::Bzip2 => &[b".bz2", b".bz"],
            Self::Xz => &[b".xz"],
            Self::Lzma => &[b".lzma"],
            Self::Lzip => &[b".lz"],
            Self::Uuencode => &[b".uue", b".uu"],
            Self::Rpm => &[b".rpm"],
            Self::Zstandard => &[b".zst"],
        };
        let lower = name.to_ascii_lowercase();
        let mut suffixes = suffixes.iter();
        let suffix = suffixes.find(|suffix| lower.len() > suffix.len() && lower.ends_with(suffix));
        let end = name.len() - suffix.map_or(0, |suffix| suffix.len());
        name.get(..end).unwrap_or(name).to_vec()
    }
}

/// Returns true for the header of `lzma`: properties, the size of a dictionary that is a power of two or halfway to the
/// next, a size that is unknown or possible, and the first octet of the data, which is 0.
fn is_lzma(start: &[u8]) -> bool {
    let [0x5d, d1, d2, d3, d4, s1, s2, s3, s4, s5, s6, s7, s8, 0, ..] = *start else {
        return false;
    };
    let dictionary = u32::from_le_bytes([d1, d2, d3, d4]);
    let size = u64::from_le_bytes([s1, s2, s3, s4, s5, s6, s7, s8]);
    let is_usual = dictionary.is_power_of_two() || dictionary.count_ones() == 2;
    is_usual && dictionary >= 4096 && (size == u64::MAX || size < 1 << 38)
}

/// A decoder of `lzma`, which reads its header with the first octets.
enum LzmaDecoder<R> {
    Unread(Option<R>),
    Reading(Box<LzmaReader<R>>),
}

impl<R: Read> Read for LzmaDecoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self {
                Self::Reading(reader) => return reader.read(buffer),
                Self::Unread(reader) => {
                    let Some(reader) = reader.take() else {
                        return Ok(0);
                    };
                    let reader = LzmaReader::new_mem_limit(reader, XZ_MEMORY_KIB, None)?;
                    *self = Self::Reading(Box::new(reader));
                }
            }
        }
    }
}

/// A decoder of one member: a compressed file may have several, one behind the other.
trait MemberDecoder: Read + Sized {
    type Reader: BufRead;

    /// The first octet of a member.
    const FIRST: u8;

    fn begin(reader: Self::Reader) -> Self;

    fn into_reader(self) -> Self::Reader;
}

impl<R: BufRead> MemberDecoder for GzDecoder<R> {
    type Reader = R;

    const FIRST: u8 = 0x1f;

    fn begin(reader: R) -> Self {
        Self::new(reader)
    }

    fn into_reader(self) -> R {
        self.into_inner()
    }
}

impl<R: BufRead> MemberDecoder for BzDecoder<R> {
    type Reader = R;

    const FIRST: u8 = b'B';

    fn begin(reader: R) -> Self {
        Self::new(reader)
    }

    fn into_reader(self) -> R {
        self.into_inner()
    }
}

/// A reader of all members of a file; None at its end. Other octets behind them are padding, as on tapes: gzip and
/// bzip2 ignore them, while the crates' decoders of several members take them for damage.
struct MemberReader<D>(Option<D>);

impl<D: MemberDecoder> MemberReader<D> {
    fn new(reader: D::Reader) -> Self {
        Self(Some(D::begin(reader)))
    }
}

impl<D: MemberDecoder> Read for MemberReader<D> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(mut decoder) = self.0.take() {
            let count = decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                self.0 = Some(decoder);
                return Ok(count);
            }
            let mut reader = decoder.into_reader();
            if reader.fill_buf()?.first() == Some(&D::FIRST) {
                self.0 = Some(D::begin(reader));
            }
        }
        Ok(0)
    }
}

/// A reader of all frames of a `.zst`: the decoder of the crate ends behind the first.
struct FrameReader<R> {
    reader: BufReader<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
}

impl<R: Read> FrameReader<R> {
    /// Begins the next frame. Returns false at the end.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.reader.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.reader) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let mut skipped = self.reader.by_ref().take(u64::from(length));
                    io::copy(&mut skipped, &mut io::sink())?;
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}

impl<R: Read> Read for FrameReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_in_frame && !self.begin()? {
                return Ok(0);
            }
            self.is_in_frame = true;
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let strategy = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.decoder.decode_blocks(&mut self.reader, strategy);
                decoded.map_err(io::Error::other)?;
            }
            let count = Read::read(&mut self.decoder, buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.is_in_frame = false;
        }
    }
}
