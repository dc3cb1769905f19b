//! Decoding a picture within limits, and its orientation by the metadata of a camera (Exif 2.3, section 4.6.4, tag
//! 274).

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::codec::codec;
use super::scale::{PicturePart, RenderRequest};
use super::{Picture, Pixels, codec, scale};

/// The width and height to which a larger picture is reduced when it is decoded, in pixels.
const STORED_SIDE: usize = 4096;

/// Decodes a picture: of an animation the first frame.
///
/// # Errors
/// A sentence.
pub(super) fn decode(octets: &[u8]) -> Result<Picture, String> {
    // The decoders are the code of others, and the file is anybody's.
    let decoded = catch_unwind(AssertUnwindSafe(|| decode_limited(octets)));
    decoded.unwrap_or_else(|_| Err("its decoder failed".to_owned()))
}

/// Returns the memory that decoding a file with this beginning needs at most, in octets.
pub(super) fn needed_memory(beginning: &[u8]) -> usize {
    let size = catch_unwind(AssertUnwindSafe(|| codec::size(beginning)));
    let pixels = match size.ok().flatten() {
        Some((width, height)) => u64::from(width) * u64::from(height),
        None => codec::PIXELS,
    };
    // A larger picture is refused before memory is used for it.
    let pixels = if pixels > codec::PIXELS { 0 } else { pixels };
    usize::try_from(pixels).map_or(usize::MAX, |pixels| pixels * codec::PIXEL_MEMORY)
}

fn decode_limited(octets: &[u8]) -> Result<Picture, String> {
    let Some(codec) = codec(octets) else {
        return Err("the file is not PNG, JPEG, GIF or WebP".to_owned());
    };
    let file = (codec.decode)(octets)?;
    let (width, height) = file.size;
    let pixels = Pixels {
        width: width as usize,
        height: height as usize,
        rgba: file.rgba,
    };
    if pixels.rgba.len() != pixels.width * pixels.height {
        return Err("its decoder failed".to_owned());
    }
    let orientation = file.exif.as_deref().map_or(1, orientation);
    let mut picture = reduced(Picture {
        format: codec.name,
        size: file.size,
        pixels,
    });
    picture.pixels = upright(picture.pixels, orientation);
    if orientation >= 5 {
        picture.size = (height, width);
    }
    Ok(picture)
}

/// Reduces a large picture, on paper.
fn reduced(picture: Picture) -> Picture {
    if picture.pixels.width.max(picture.pixels.height) <= STORED_SIDE {
        return picture;
    }
    let request = RenderRequest {
        area: (STORED_SIDE, STORED_SIDE),
        view: PicturePart::default(),
        graphics: None,
    };
    let rendered = scale::render(&picture, &request);
    let rgba = rendered.dots.iter();
    let rgba: Vec<_> = rgba
        .map(|&[red, green, blue]| [red, green, blue, u8::MAX])
        .collect();
    let width = rendered.width.max(1);
    Picture {
        pixels: Pixels {
            width,
            height: rgba.len() / width,
            rgba,
        },
        ..picture
    }
}

/// Turns and mirrors pixels as their orientation says.
pub(super) fn upright(pixels: Pixels, orientation: u16) -> Pixels {
    let (width, height) = (pixels.width, pixels.height);
    if !(2..=8).contains(&orientation) {
        return pixels;
    }
    let is_turned = orientation >= 5;
    let (across, down) = if is_turned {
        (height, width)
    } else {
        (width, height)
    };
    // The stored column and row of each shown pixel.
    let stored = |x: usize, y: usize| match orientation {
        2 => (width - 1 - x, y),
        3 => (width - 1 - x, height - 1 - y),
        4 => (x, height - 1 - y),
        5 => (y, x),
        6 => (y, height - 1 - x),
        7 => (width - 1 - y, height - 1 - x),
        _ => (width - 1 - y, x),
    };
    let places = (0..down).flat_map(|y| (0..across).map(move |x| (x, y)));
    let rgba = places.filter_map(|(x, y)| {
        let (x, y) = stored(x, y);
        pixels.rgba.get(y * width + x).copied()
    });
    Pixels {
        rgba: rgba.collect(),
        width: across,
        height: down,
    }
}

/// The tag of the orientation.
const ORIENTATION: u16 = 274;

/// The octets of an entry of a directory.
const ENTRY: usize = 12;

/// Returns the orientation of a picture, 1 to 8; 1 if the metadata have none.
pub(super) fn orientation(exif: &[u8]) -> u16 {
    find(exif)
        .filter(|value| (1..=8).contains(value))
        .unwrap_or(1)
}

fn find(exif: &[u8]) -> Option<u16> {
    let tiff = exif.strip_prefix(b"Exif\0\0").unwrap_or(exif);
    let is_little = match tiff.first_chunk()? {
        b"II*\0" => true,
        b"MM\0*" => false,
        _ => return None,
    };
    let short = |octets: &[u8]| {
        let octets = *octets.first_chunk()?;
        Some(if is_little {
            u16::from_le_bytes(octets)
        } else {
            u16::from_be_bytes(octets)
        })
    };
    let offset = *tiff.get(4..)?.first_chunk()?;
    let offset = if is_little {
        u32::from_le_bytes(offset)
    } else {
        u32::from_be_bytes(offset)
    };
    let directory = tiff.get(usize::try_from(offset).ok()?..)?;
    let count = short(directory)?;
    let mut entries = directory.get(2..)?.chunks_exact(ENTRY).take(count.into());
    let entry = entries.find(|entry| short(entry) == Some(ORIENTATION))?;
    short(entry.get(8..)?)
}
