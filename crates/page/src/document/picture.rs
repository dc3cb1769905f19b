//! Pictures: PNG, JPEG, GIF (its first frame) and WebP.
//!
//! The octets of the file are the document; one row tells the format and the size. The pixels are decoded when all
//! octets have arrived and the picture is on the screen, on a blocking task, one picture at a time, within limits.
//! Without the feature `images` there is no decoder, and no page has this shape.

#[cfg(feature = "images")]
mod codec;
#[cfg(feature = "images")]
mod decode;
mod encode;
mod scale;
mod sixel;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use geomys_wire::text;

use super::model::Document;
use super::row::Kind;
use super::rows::{RowProvider, RowSource};
use super::shape::Shape;
use super::text_line::{TextLine, TextLinks};

pub use self::encode::{Graphics, Protocol, render};
pub use self::scale::{PicturePart, RenderRequest, RenderedPicture, Rgb, Window};

/// True if this program can decode pictures.
pub const IS_BUILT_IN: bool = cfg!(feature = "images");

/// The MIME types of the formats that can be decoded.
pub const MIME_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF, still or moving.
    Gif,
    /// WebP.
    WebP,
}

impl Format {
    /// The octets that [`Format::detect`] needs.
    const SAMPLE_BYTES: usize = 12;

    /// Detects a format by the first octets of a file.
    pub fn detect(start: &[u8]) -> Option<Self> {
        match start {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', ..] => Some(Self::Gif),
            [
                b'R',
                b'I',
                b'F',
                b'F',
                _,
                _,
                _,
                _,
                b'W',
                b'E',
                b'B',
                b'P',
                ..,
            ] => Some(Self::WebP),
            _ => None,
        }
    }

    /// Returns true if more octets may show that a file is a picture.
    pub fn may_follow(start: &[u8]) -> bool {
        let magic_numbers = [b"\x89PNG".as_slice(), b"\xff\xd8\xff", b"GIF8", b"RIFF"];
        start.len() < Self::SAMPLE_BYTES
            && Self::detect(start).is_none()
            && magic_numbers.iter().any(|magic| {
                let shorter = magic.len().min(start.len());
                magic.get(..shorter) == start.get(..shorter)
            })
    }
}

/// A decoded picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The name of the format.
    pub format: &'static str,
    /// The width and the height in the file, in pixels.
    pub size: (u32, u32),
    /// The pixels, reduced if the picture is very large.
    pub pixels: Pixels,
}

/// Pixels in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// The number of pixels in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// The pixels, row by row: red, green, blue and opacity.
    pub rgba: Vec<[u8; 4]>,
}

/// The body of a picture.
#[derive(Clone, Debug, Default)]
pub(super) struct PictureBody {
    decoded: Decoded,
    /// Memory that the task needs which decodes a clone of this body, in octets.
    reserved: usize,
    /// The wish for the pixels; it ends with the body.
    wish: Arc<()>,
    /// In a clone that a task decodes, the wish of the body that it was cloned from.
    awaited: Option<Weak<()>>,
}

/// The turn of the decoders of all documents: each may need hundreds of mebibytes.
static DECODER: Mutex<()> = Mutex::new(());

/// The state of decoding.
#[derive(Clone, Debug, Default)]
enum Decoded {
    /// The octets are still arriving, or a task decodes them.
    #[default]
    Pending,
    /// The picture.
    Picture(Arc<Picture>),
    /// The reason why the file cannot be shown.
    Failed(String),
}

impl RowProvider for PictureBody {
    fn count(&self, _: RowSource<'_>) -> usize {
        1
    }

    fn text_line<'a>(&'a self, source: RowSource<'a>, number: usize) -> Option<TextLine<'a>> {
        let size = text::octets(source.raw.len() as u64);
        let (kind, sentence) = match &self.decoded {
            Decoded::Pending => (Kind::Plain, format!("Picture, {size}")),
            Decoded::Picture(picture) => {
                let (width, height) = picture.size;
                let format = picture.format;
                let about = format!("{format} picture, {width} × {height} pixels, {size}");
                (Kind::Plain, about)
            }
            Decoded::Failed(sentence) => (
                Kind::Error,
                format!("Picture not shown: {sentence} ({size})"),
            ),
        };
        let line = TextLine::new(kind, sentence.into_bytes(), TextLinks::None);
        (number == 0).then_some(line)
    }

    fn octets<'a>(&'a self, _: RowSource<'a>, _: usize) -> Option<&'a [u8]> {
        None
    }

    fn needs_finish(&self) -> bool {
        matches!(self.decoded, Decoded::Pending)
    }

    fn finish(&mut self, source: RowSource<'_>) {
        let _turn = DECODER.lock().unwrap_or_else(PoisonError::into_inner);
        let awaited = self.awaited.as_ref();
        if awaited.is_some_and(|awaited| awaited.strong_count() == 0) {
            return;
        }
        self.decoded = match decoded(&source.raw.to_vec()) {
            Ok(picture) => Decoded::Picture(Arc::new(picture)),
            Err(sentence) => Decoded::Failed(sentence),
        };
    }

    fn memory(&self) -> usize {
        match &self.decoded {
            Decoded::Picture(picture) => size_of_val(picture.pixels.rgba.as_slice()),
            Decoded::Pending | Decoded::Failed(_) => self.reserved,
        }
    }
}

#[cfg(feature = "images")]
fn decoded(octets: &[u8]) -> Result<Picture, String> {
    decode::decode(octets)
}

/// Returns the memory that decoding a file with this beginning needs at most, in octets.
#[cfg(feature = "images")]
fn needed_memory(beginning: &[u8]) -> usize {
    decode::needed_memory(beginning)
}

#[cfg(not(feature = "images"))]
fn needed_memory(_: &[u8]) -> usize {
    0
}

#[cfg(not(feature = "images"))]
fn decoded(_: &[u8]) -> Result<Picture, String> {
    Err("this Geomys is built without pictures".to_owned())
}

/// The most octets of a file that are searched for its size.
const BEGINNING: usize = 64 * 1024;

impl Document {
    /// The decoded picture, if the document is one.
    pub fn picture(&self) -> Option<&Arc<Picture>> {
        match &self.body.picture()?.decoded {
            Decoded::Picture(picture) => Some(picture),
            Decoded::Pending | Decoded::Failed(_) => None,
        }
    }

    /// Returns the memory that decoding the picture needs at most, in octets; `None` if it is decoded, or is none.
    pub fn picture_memory(&self) -> Option<usize> {
        let picture = self.body.picture()?;
        let is_pending = matches!(picture.decoded, Decoded::Pending);
        let needed = || needed_memory(&self.raw.beginning(BEGINNING));
        is_pending.then(|| needed().saturating_add(self.raw.len()))
    }

    /// Returns a clone that a task decodes, while this document uses `memory` octets for it. When this document is
    /// dropped or [`Document::drop_picture`] is called before its turn, the clone is not decoded.
    #[must_use]
    pub fn decoding_picture(&mut self, memory: usize) -> Self {
        let mut clone = self.clone();
        let wish = Arc::default();
        clone.set_picture(|picture| picture.awaited = Some(Arc::downgrade(&wish)));
        self.set_picture(|picture| (picture.reserved, picture.wish) = (memory, wish));
        clone
    }

    /// Drops the pixels of the picture, which can be decoded again.
    pub fn drop_picture(&mut self) {
        self.set_picture(|picture| {
            let decoded = match std::mem::take(&mut picture.decoded) {
                failed @ Decoded::Failed(_) => failed,
                Decoded::Pending | Decoded::Picture(_) => Decoded::Pending,
            };
            *picture = PictureBody {
                decoded,
                ..PictureBody::default()
            };
        });
    }

    /// Shows a sentence instead of the picture, which is not decoded.
    pub fn refuse_picture(&mut self, sentence: String) {
        self.set_picture(|picture| picture.decoded = Decoded::Failed(sentence));
    }

    fn set_picture(&mut self, change: impl FnOnce(&mut PictureBody)) {
        if let Some(picture) = self.body.picture_mut() {
            change(picture);
        }
    }

    /// Returns the octets of a file as a picture, which is to be finished.
    #[must_use]
    pub fn as_picture(&self) -> Self {
        let mut picture = Self::new(self.url.clone(), Shape::Picture, self.charset_setting());
        picture.raw = self.raw.clone();
        picture
    }
}
