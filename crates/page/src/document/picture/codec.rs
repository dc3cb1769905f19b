//! The decoders of the four formats: each returns the pixels of the first frame.

use std::io::Cursor;
use std::num::NonZeroU64;

use geomys_wire::text::{Text, words_before_types};
use zune_jpeg::errors::DecodeErrors;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Format;

/// The maximum width and height of a picture, in pixels.
const SIDE: u32 = 32_768;

/// The maximum number of pixels of a picture.
pub(super) const PIXELS: u64 = 40_000_000;

/// The memory that a decoder needs at most for a pixel, in octets: the coefficients of a progressive JPEG and its
/// samples, or the samples and the pixels made of them.
pub(super) const PIXEL_MEMORY: usize = 10;

/// The maximum memory of a decoder, in octets.
const MEMORY: usize = 256 * 1024 * 1024;

/// A decoded file.
#[derive(Debug)]
pub(super) struct DecodedFile {
    /// The width and the height in pixels; none is 0.
    pub(super) size: (u32, u32),
    /// The pixels, row by row: red, green, blue and opacity.
    pub(super) rgba: Vec<[u8; 4]>,
    /// The metadata of the camera (Exif).
    pub(super) exif: Option<Vec<u8>>,
}

/// A format of pictures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Codec {
    /// The name of the format.
    pub(super) name: &'static str,
    /// Decodes a file. The error is a sentence.
    pub(super) decode: fn(&[u8]) -> Result<DecodedFile, String>,
}

/// Returns the codec of a file, by its first octets.
pub(super) fn codec(octets: &[u8]) -> Option<Codec> {
    let (name, decode): (_, fn(&[u8]) -> _) = match Format::detect(octets)? {
        Format::Png => ("PNG", png),
        Format::Jpeg => ("JPEG", jpeg),
        Format::Gif => ("GIF", gif),
        Format::WebP => ("WebP", webp),
    };
    Some(Codec { name, decode })
}

/// Returns the width and the height in pixels that the beginning of a file states; `None` if they stand behind it.
pub(super) fn size(beginning: &[u8]) -> Option<(u32, u32)> {
    match beginning {
        [0x89, b'P', b'N', b'G', ..] => {
            let size = beginning.get(16..24)?.as_chunks::<4>().0;
            let [width, height] = *size else { return None };
            Some((u32::from_be_bytes(width), u32::from_be_bytes(height)))
        }
        [0xff, 0xd8, 0xff, ..] => {
            let options = jpeg_options();
            let mut decoder =
                zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(beginning), options);
            decoder.decode_headers().ok()?;
            let info = decoder.info()?;
            Some((info.width.into(), info.height.into()))
        }
        [b'G', b'I', b'F', b'8', _, _, a, b, c, d, ..] => {
            let side = |octets| u32::from(u16::from_le_bytes(octets));
            Some((side([*a, *b]), side([*c, *d])))
        }
        _ => {
            let decoder = image_webp::WebPDecoder::new(Cursor::new(beginning));
            decoder.ok().map(|decoder| decoder.dimensions())
        }
    }
}

/// Checks the size of a picture before memory is used for it.
fn check_size((width, height): (u32, u32)) -> Result<(), String> {
    if width.max(height) > SIDE {
        return Err(format!("it is wider or higher than {SIDE} pixels"));
    }
    if width.min(height) == 0 {
        return Err("it has no pixels".to_owned());
    }
    if u64::from(width) * u64::from(height) > PIXELS {
        let most = PIXELS / 1_000_000;
        return Err(format!(
            "{width} × {height} pixels are more than {most} million"
        ));
    }
    Ok(())
}

/// Returns pixels of 1 to 4 samples (grey, grey and opacity, RGB, RGB and opacity) with four.
fn rgba(octets: &[u8], samples: usize) -> Vec<[u8; 4]> {
    let pixel = |samples: &[u8]| match *samples {
        [grey] => [grey, grey, grey, u8::MAX],
        [grey, opacity] => [grey, grey, grey, opacity],
        [red, green, blue] => [red, green, blue, u8::MAX],
        [red, green, blue, opacity, ..] => [red, green, blue, opacity],
        [] => [0; 4],
    };
    octets.chunks_exact(samples.max(1)).map(pixel).collect()
}

fn cut_off() -> String {
    "the file is cut off".to_owned()
}

fn too_much_memory() -> String {
    "it needs too much memory".to_owned()
}

/// Returns the sentence for every other error of a decoder: its own words, which may quote the file, unless they name
/// types.
fn damaged(error: &impl std::error::Error) -> String {
    let said = Text::of(&error.to_string()).to_string();
    match words_before_types(&said) {
        Some(words) if words.len() == said.trim().len() => format!("the file is damaged: {words}"),
        Some(words) if words.starts_with("CRC") => {
            "the file is damaged: a checksum (CRC) is wrong".to_owned()
        }
        Some(_) | None => "the file is damaged".to_owned(),
    }
}

fn png(octets: &[u8]) -> Result<DecodedFile, String> {
    let sentence = |error| match error {
        png::DecodingError::IoError(_) => cut_off(),
        png::DecodingError::LimitsExceeded => too_much_memory(),
        error => damaged(&error),
    };
    let limits = png::Limits { bytes: MEMORY };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(octets), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let size = decoder.read_header_info().map_err(sentence)?.size();
    check_size(size)?;
    let mut reader = decoder.read_info().map_err(sentence)?;
    let mut samples = vec![0; reader.output_buffer_size().ok_or_else(too_much_memory)?];
    let frame = reader.next_frame(&mut samples).map_err(sentence)?;
    let exif = reader.info().exif_metadata.as_ref();
    Ok(DecodedFile {
        size,
        rgba: rgba(&samples, frame.color_type.samples()),
        exif: exif.map(|exif| exif.to_vec()),
    })
}

fn jpeg(octets: &[u8]) -> Result<DecodedFile, String> {
    let sentence = |error| match error {
        DecodeErrors::ExhaustedData | DecodeErrors::IoErrors(_) => cut_off(),
        error => damaged(&error),
    };
    let options = jpeg_options();
    let mut decoder = zune_jpeg::JpegDecoder::new_with_options(ZCursor::new(octets), options);
    decoder.decode_headers().map_err(sentence)?;
    let info = decoder.info().ok_or_else(cut_off)?;
    let size = (info.width.into(), info.height.into());
    check_size(size)?;
    let colours = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => ColorSpace::Luma,
        _ => ColorSpace::RGB,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(colours));
    let exif = decoder.exif().cloned();
    let samples = decoder.decode().map_err(sentence)?;
    Ok(DecodedFile {
        size,
        rgba: rgba(&samples, colours.num_components()),
        exif,
    })
}

fn jpeg_options() -> DecoderOptions {
    DecoderOptions::default()
        .set_strict_mode(false)
        .set_max_width(usize::MAX)
        .set_max_height(usize::MAX)
}

fn gif(octets: &[u8]) -> Result<DecodedFile, String> {
    let sentence = |error| match error {
        gif::DecodingError::UnexpectedEof | gif::DecodingError::Io(_) => cut_off(),
        gif::DecodingError::OutOfMemory | gif::DecodingError::MemoryLimit => too_much_memory(),
        error => damaged(&error),
    };
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let limit =
        NonZeroU64::new(MEMORY as u64).map_or(gif::MemoryLimit::Unlimited, gif::MemoryLimit::Bytes);
    options.set_memory_limit(limit);
    let mut decoder = options.read_info(Cursor::new(octets)).map_err(sentence)?;
    let (width, height) = (decoder.width(), decoder.height());
    let size = (width.into(), height.into());
    check_size(size)?;
    let frame = decoder.read_next_frame().map_err(sentence)?;
    let frame = frame.ok_or_else(cut_off)?;
    // The frame may be smaller than the picture, and lie beside it.
    let (width, left) = (usize::from(width), usize::from(frame.left));
    let mut rgba = vec![[0; 4]; width * usize::from(height)];
    let lines = rgba.chunks_exact_mut(width).skip(frame.top.into());
    let (pixels, _) = frame.buffer.as_chunks::<4>();
    for (line, pixels) in lines.zip(pixels.chunks(usize::from(frame.width).max(1))) {
        for (to, from) in line.iter_mut().skip(left).zip(pixels) {
            *to = *from;
        }
    }
    Ok(DecodedFile {
        size,
        rgba,
        exif: None,
    })
}

fn webp(octets: &[u8]) -> Result<DecodedFile, String> {
    let sentence = |error| match error {
        image_webp::DecodingError::IoError(_) => cut_off(),
        image_webp::DecodingError::MemoryLimitExceeded => too_much_memory(),
        error => damaged(&error),
    };
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(octets)).map_err(sentence)?;
    let size = decoder.dimensions();
    check_size(size)?;
    decoder.set_memory_limit(MEMORY);
    let exif = decoder.exif_metadata().map_err(sentence)?;
    let mut samples = vec![0; decoder.output_buffer_size().ok_or_else(too_much_memory)?];
    decoder.read_image(&mut samples).map_err(sentence)?;
    Ok(DecodedFile {
        size,
        rgba: rgba(&samples, if decoder.has_alpha() { 4 } else { 3 }),
        exif,
    })
}
