//! Tests of decoding and scaling.

#![cfg(feature = "images")]

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use proptest::prelude::*;

use super::decode::decode;
use super::*;
use crate::document::{Document, Shape};
use crate::text::Charset;
use crate::url::Url;

/// A picture of four quarters: red, green, blue, transparent.
fn quarters(width: u32, height: u32) -> DynamicImage {
    let colour = |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => Rgba([255, 0, 0, 255]),
        (false, true) => Rgba([0, 255, 0, 255]),
        (true, false) => Rgba([0, 0, 255, 255]),
        (false, false) => Rgba([0, 0, 0, 0]),
    };
    RgbaImage::from_fn(width, height, colour).into()
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut octets = Cursor::new(Vec::new());
    let image = match format {
        ImageFormat::Jpeg => DynamicImage::from(image.to_rgb8()),
        _ => image.clone(),
    };
    image.write_to(&mut octets, format).unwrap();
    octets.into_inner()
}

/// A PNG whose header claims this size; the checksum of the header is right.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = encoded(&quarters(2, 2), ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..29]);
    png[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    png
}

fn picture(width: u32, height: u32) -> Picture {
    decode(&encoded(&quarters(width, height), ImageFormat::Png)).unwrap()
}

fn request(area: (usize, usize), zoom: u8, middle: (f64, f64)) -> RenderRequest {
    RenderRequest {
        area,
        view: PictureView { zoom, middle },
        graphics: None,
    }
}

#[test]
fn four_formats_are_decoded() {
    for (format, name) in [
        (ImageFormat::Png, "PNG"),
        (ImageFormat::Jpeg, "JPEG"),
        (ImageFormat::Gif, "GIF"),
        (ImageFormat::WebP, "WebP"),
    ] {
        let picture = decode(&encoded(&quarters(16, 8), format)).unwrap();
        assert_eq!((picture.format, picture.size), (name, (16, 8)));
        let [red, ..] = picture.pixels.rgba[0];
        assert!(red > 200, "{name}: {:?}", picture.pixels.rgba[0]);
    }
}

#[test]
fn first_frame_of_an_animation_is_shown() {
    let mut octets = Vec::new();
    let mut encoder = image::codecs::gif::GifEncoder::new(&mut octets);
    let red = RgbaImage::from_pixel(3, 2, Rgba([255, 0, 0, 255]));
    let blue = RgbaImage::from_pixel(3, 2, Rgba([0, 0, 255, 255]));
    for frame in [red, blue] {
        encoder.encode_frame(image::Frame::new(frame)).unwrap();
    }
    drop(encoder);
    let picture = decode(&octets).unwrap();
    assert_eq!(picture.pixels.rgba, [[255, 0, 0, 255]; 6]);
}

#[test]
fn hostile_sizes_are_refused_before_memory_is_used() {
    for (width, height, expected) in [
        (100_000, 100_000, "it is wider or higher than 32768 pixels"),
        (u32::MAX >> 1, 1, "it is wider or higher than 32768 pixels"),
        (
            32_000,
            32_000,
            "32000 × 32000 pixels are more than 40 million",
        ),
    ] {
        assert_eq!(decode(&claiming(width, height)).unwrap_err(), expected);
    }
    // A GIF of 43 octets with the largest screen.
    let mut gif = encoded(&quarters(1, 1), ImageFormat::Gif);
    gif[6..10].copy_from_slice(&[0xff; 4]);
    assert_eq!(
        decode(&gif).unwrap_err(),
        "it is wider or higher than 32768 pixels"
    );
    gif[6..10].copy_from_slice(&[0xff, 0x7f, 0xff, 0x7f]);
    assert_eq!(
        decode(&gif).unwrap_err(),
        "32767 × 32767 pixels are more than 40 million"
    );
}

#[test]
fn damaged_files_are_explained() {
    let png = encoded(&quarters(64, 64), ImageFormat::Png);
    let half = &png[..png.len() / 2];
    assert!(decode(half).is_err());
    let mut wrong = png.clone();
    wrong[30] ^= 1;
    let sentence = decode(&wrong).unwrap_err();
    assert!(sentence.contains("CRC"), "{sentence}");
    let expected = "the file is not PNG, JPEG, GIF or WebP";
    assert_eq!(decode(b"iNot found\t\t\t\r\n.\r\n").unwrap_err(), expected);
    assert_eq!(decode(b"").unwrap_err(), expected);
}

#[test]
fn large_picture_is_stored_reduced() {
    let image = DynamicImage::from(image::GrayImage::new(9000, 40));
    let picture = decode(&encoded(&image, ImageFormat::Png)).unwrap();
    assert_eq!(picture.size, (9000, 40));
    assert_eq!(picture.pixels.width, 4096);
    let rendered = render(&picture, &request((90, 40), 0, (0.5, 0.5)));
    assert_eq!((rendered.width, rendered.percent), (90, 1));
}

#[test]
fn document_tells_format_size_and_fault() {
    let url = Url::parse("gopher://h/I/a.png").unwrap();
    let text = |octets: &[u8]| {
        let mut document = Document::new(url.clone(), Shape::Picture, Charset::default());
        document.append(octets);
        assert!(document.needs_finish() && document.picture().is_none());
        let document = document.finished();
        assert!(!document.needs_finish());
        (document.row(0).unwrap().text(), document)
    };
    let png = encoded(&quarters(20, 10), ImageFormat::Png);
    let (row, document) = text(&png);
    assert_eq!(row, format!("PNG picture, 20 × 10 pixels, {} B", png.len()));
    assert!(document.memory() >= 800);
    assert_eq!(document.raw().to_vec(), png);
    let (row, document) = text(b"3Not found\t\terror.host\t1\r\n");
    assert_eq!(
        row,
        "Picture not shown: the file is not PNG, JPEG, GIF or WebP (26 B)"
    );
    assert_eq!(document.count(), 1);
}

#[test]
fn picture_fits_into_its_area() {
    let picture = picture(100, 50);
    // A small picture is not enlarged.
    let rendered = render(&picture, &request((300, 200), 0, (0.5, 0.5)));
    assert_eq!((rendered.width, rendered.dots.len()), (100, 5000));
    assert_eq!(rendered.percent, 100);
    let rendered = render(&picture, &request((10, 200), 0, (0.5, 0.5)));
    assert_eq!((rendered.width, rendered.dots.len()), (10, 50));
    assert_eq!(rendered.dots[0], [255, 0, 0]);
    assert_eq!(rendered.dots[9], [0, 255, 0]);
    assert_eq!(rendered.dots[40], [0, 0, 255]);
    // Transparent pixels are paper.
    assert_eq!(rendered.dots[49], [255, 255, 255]);
}

#[test]
fn zoom_shows_the_middle_and_moves_to_the_edges() {
    let picture = picture(100, 100);
    let mut request = request((10, 10), 4, (0.5, 0.5));
    let window = Window::new(&picture.pixels, &request);
    let corner = window.moved(request.view, -9.0, f64::MAX);
    request.view = corner;
    let rendered = render(&picture, &request);
    assert!(rendered.dots.iter().all(|dot| *dot == [0, 0, 255]));
    let window = Window::new(&picture.pixels, &request);
    assert!(window.start.0.abs() < 1e-6);
    assert!((window.start.1 + 10.0 - window.whole.1).abs() < 1e-6);
}

proptest! {
    #[test]
    fn any_octets_are_decoded_or_refused(
        octets: Vec<u8>,
        format in 0_usize..4,
        at in any::<prop::sample::Index>(),
    ) {
        let formats = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif, ImageFormat::WebP];
        let mut file = encoded(&quarters(8, 8), formats[format]);
        let at = at.index(file.len());
        let end = (at + octets.len()).min(file.len());
        file.splice(at..end, octets);
        if let Ok(picture) = decode(&file) {
            let Pixels { width, height, rgba } = &picture.pixels;
            prop_assert_eq!(width * height, rgba.len());
        }
    }

    #[test]
    fn any_part_fills_its_window(
        size in (1_u32..40, 1_u32..40),
        area in (0_usize..50, 0_usize..50),
        zoom: u8,
        middle in (0.0..1.0, 0.0..1.0),
    ) {
        let picture = picture(size.0, size.1);
        let request = request(area, zoom, middle);
        let rendered = render(&picture, &request);
        let (width, height) = Window::new(&picture.pixels, &request).size;
        prop_assert_eq!((rendered.width, rendered.dots.len()), (width, width * height));
        prop_assert!(width <= area.0.max(1) && height <= area.1.max(1));
    }
}
