//! Decoding a picture within limits.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::error::{ImageError, LimitErrorKind};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};

use super::{Picture, Pixels};
use crate::text::Text;

/// The maximum width and height of a picture, in pixels.
const SIDE: u32 = 32_768;

/// The maximum number of pixels of a picture.
const PIXELS: u64 = 40_000_000;

/// The maximum memory of a decoder, in octets.
const MEMORY: u64 = 256 * 1024 * 1024;

/// The width and height to which a larger picture is reduced when it is decoded, in pixels.
const STORED_SIDE: u32 = 4096;

/// Decodes a picture: of an animation the first frame.
///
/// # Errors
/// A sentence.
pub(super) fn decode(octets: &[u8]) -> Result<Picture, String> {
    // The decoders are the code of others, and the file is anybody's.
    catch_unwind(AssertUnwindSafe(|| decode_limited(octets)))
        .unwrap_or_else(|_| Err("its decoder failed".to_owned()))
}

fn decode_limited(octets: &[u8]) -> Result<Picture, String> {
    let guessed = image::guess_format(octets).ok();
    let Some((format, name)) = guessed.and_then(|format| Some((format, name(format)?))) else {
        return Err("the file is not PNG, JPEG, GIF or WebP".to_owned());
    };
    let mut reader = ImageReader::with_format(Cursor::new(octets), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE);
    limits.max_image_height = Some(SIDE);
    limits.max_alloc = Some(MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| sentence(&error))?;
    let size = decoder.dimensions();
    let (width, height) = size;
    if u64::from(width) * u64::from(height) > PIXELS {
        let most = PIXELS / 1_000_000;
        return Err(format!(
            "{width} × {height} pixels are more than {most} million"
        ));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| sentence(&error))?;
    if width.max(height) > STORED_SIDE {
        image = image.thumbnail(STORED_SIDE, STORED_SIDE);
    }
    image.apply_orientation(orientation);
    let size = match orientation {
        Orientation::Rotate90
        | Orientation::Rotate270
        | Orientation::Rotate90FlipH
        | Orientation::Rotate270FlipH => (height, width),
        Orientation::NoTransforms
        | Orientation::Rotate180
        | Orientation::FlipHorizontal
        | Orientation::FlipVertical => size,
    };
    Ok(Picture {
        format: name,
        size,
        pixels: pixels(image),
    })
}

/// Returns the name of a format that is shown.
fn name(format: ImageFormat) -> Option<&'static str> {
    match format {
        ImageFormat::Png => Some("PNG"),
        ImageFormat::Jpeg => Some("JPEG"),
        ImageFormat::Gif => Some("GIF"),
        ImageFormat::WebP => Some("WebP"),
        _ => None,
    }
}

fn pixels(image: DynamicImage) -> Pixels {
    let image = image.into_rgba8();
    let (width, height) = (image.width() as usize, image.height() as usize);
    let rgba = image.pixels().map(|pixel| pixel.0).collect();
    Pixels {
        width,
        height,
        rgba,
    }
}

/// Returns the error of a decoder as a sentence.
fn sentence(error: &ImageError) -> String {
    match error {
        ImageError::Limits(limit) => match limit.kind() {
            LimitErrorKind::DimensionError => {
                format!("it is wider or higher than {SIDE} pixels")
            }
            _ => "it needs too much memory".to_owned(),
        },
        ImageError::IoError(_) => "the file is cut off".to_owned(),
        ImageError::Decoding(_)
        | ImageError::Encoding(_)
        | ImageError::Parameter(_)
        | ImageError::Unsupported(_) => {
            // The words of a decoder may quote the file.
            Text::of(&error.to_string()).to_string()
        }
    }
}
