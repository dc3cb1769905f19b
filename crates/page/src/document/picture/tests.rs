//! Tests of decoding and scaling.

#![cfg(feature = "images")]

use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Url;

use super::decode::{self, decode, upright};
use super::*;
use crate::document::{Document, Shape};

/// The same picture of 16 × 8 pixels in each format: four quarters in red, green, blue, and transparent or black.
const FILES: [(&str, &[u8]); 3] = [
    (
        "JPEG",
        include_bytes!("../../../../../tests/data/pictures/quarters.jpg"),
    ),
    (
        "GIF",
        include_bytes!("../../../../../tests/data/pictures/quarters.gif"),
    ),
    (
        "WebP",
        include_bytes!("../../../../../tests/data/pictures/quarters.webp"),
    ),
];

/// The same picture as a PNG of any size.
fn png(width: u32, height: u32) -> Vec<u8> {
    let colour = |x, y| match (x < width / 2, y < height / 2) {
        (true, true) => [255, 0, 0, 255],
        (false, true) => [0, 255, 0, 255],
        (true, false) => [0, 0, 255, 255],
        (false, false) => [0, 0, 0, 0],
    };
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| colour(x, y)));
    let pixels: Vec<[u8; 4]> = pixels.collect();
    png_of(width, height, png::ColorType::Rgba, pixels.as_flattened())
}

fn png_of(width: u32, height: u32, colours: png::ColorType, samples: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let mut encoder = png::Encoder::new(&mut octets, width, height);
    encoder.set_color(colours);
    encoder
        .write_header()
        .unwrap()
        .write_image_data(samples)
        .unwrap();
    octets
}

/// A PNG whose header claims this size; the checksum of the header is right.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = png(2, 2);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let mut crc = flate2::Crc::new();
    crc.update(&png[12..29]);
    png[29..33].copy_from_slice(&crc.sum().to_be_bytes());
    png
}

fn picture(width: u32, height: u32) -> Picture {
    decode(&png(width, height)).unwrap()
}

fn request(area: (usize, usize), zoom: u8, middle: (f64, f64)) -> RenderRequest {
    RenderRequest {
        area,
        view: PicturePart { zoom, middle },
        graphics: None,
    }
}

/// Checks that the quarters of a picture have these colours, roughly: JPEG is not exact.
fn assert_quarters(picture: &Picture, expected: [[u8; 3]; 3]) {
    let Pixels {
        width,
        height,
        rgba,
    } = &picture.pixels;
    let (right, below) = (width - 1, (height - 1) * width);
    for (at, expected) in [0, right, below].into_iter().zip(expected) {
        let [red, green, blue, opacity] = rgba[at];
        let shown = [red, green, blue];
        let is_near = shown
            .iter()
            .zip(expected)
            .all(|(&shown, expected)| shown.abs_diff(expected) < 40);
        assert!(
            is_near && opacity == 255,
            "{}, pixel {at}: {shown:?}",
            picture.format
        );
    }
}

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];

#[test]
fn four_formats_are_decoded() {
    let png = png(16, 8);
    for (name, file) in FILES.into_iter().chain([("PNG", png.as_slice())]) {
        let picture = decode(file).unwrap();
        assert_eq!((picture.format, picture.size), (name, (16, 8)));
        assert_quarters(&picture, [RED, GREEN, BLUE]);
        let [.., opacity] = *picture.pixels.rgba.last().unwrap();
        assert_eq!(opacity == 0, name != "JPEG", "{name}");
    }
}

#[test]
fn other_colours_are_decoded() {
    let cmyk = include_bytes!("../../../../../tests/data/pictures/cmyk.jpg");
    assert_quarters(&decode(cmyk).unwrap(), [RED, GREEN, BLUE]);
    let grey = decode(include_bytes!(
        "../../../../../tests/data/pictures/grey.jpg"
    ))
    .unwrap();
    assert_quarters(&grey, [[76; 3], [150; 3], [29; 3]]);
    for (colours, samples, expected) in [
        (png::ColorType::Grayscale, [7_u8].as_slice(), [7, 7, 7, 255]),
        (png::ColorType::GrayscaleAlpha, &[7, 9], [7, 7, 7, 9]),
        (png::ColorType::Rgb, &[1, 2, 3], [1, 2, 3, 255]),
    ] {
        let picture = decode(&png_of(1, 1, colours, samples)).unwrap();
        assert_eq!(picture.pixels.rgba, [expected]);
    }
}

#[test]
fn picture_of_a_turned_camera_is_upright() {
    let picture = decode(include_bytes!(
        "../../../../../tests/data/pictures/rotated.jpg"
    ))
    .unwrap();
    assert_eq!(picture.size, (8, 16));
    assert_eq!((picture.pixels.width, picture.pixels.height), (8, 16));
    let [red, green, blue, _] = picture.pixels.rgba[0];
    assert!(blue > 200 && red < 50 && green < 50, "{red} {green} {blue}");
}

#[test]
fn eight_orientations_show_the_same_letter() {
    // F, as it is stored by a camera in each orientation.
    let stored = [
        "### #.. ##. #..",
        "### ..# .## ..#",
        "..# .## ..# ###",
        "#.. ##. #.. ###",
        "#### #.#. #...",
        "#... #.#. ####",
        "...# .#.# ####",
        "#### .#.# ...#",
    ];
    for (orientation, letter) in (1..).zip(stored) {
        let rows: Vec<&str> = letter.split(' ').collect();
        let pixels = Pixels {
            width: rows[0].len(),
            height: rows.len(),
            rgba: rows.concat().bytes().map(|dot| [dot; 4]).collect(),
        };
        let shown = upright(pixels, orientation);
        let rows: Vec<String> = (shown.rgba.chunks(shown.width))
            .map(|row| row.iter().map(|dot| char::from(dot[0])).collect())
            .collect();
        assert_eq!(rows.join(" "), stored[0], "{orientation}");
    }
}

#[test]
fn first_frame_of_an_animation_is_shown() {
    let gif = include_bytes!("../../../../../tests/data/pictures/frames.gif").as_slice();
    let webp = include_bytes!("../../../../../tests/data/pictures/frames.webp");
    for file in [gif, webp] {
        let picture = decode(file).unwrap();
        assert_eq!(picture.pixels.rgba, [[255, 0, 0, 255]; 6]);
    }
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
    // A small GIF with the largest screen.
    let mut gif = include_bytes!("../../../../../tests/data/pictures/quarters.gif").to_vec();
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
    let png = png(64, 64);
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
    let grey = png_of(9000, 40, png::ColorType::Grayscale, &vec![90; 9000 * 40]);
    let picture = decode(&grey).unwrap();
    assert_eq!(picture.size, (9000, 40));
    assert_eq!(picture.pixels.width, 4096);
    let rendered = render(&picture, &request((90, 40), 0, (0.5, 0.5)));
    assert_eq!((rendered.width, rendered.percent), (90, 1));
}

#[test]
fn document_tells_format_size_and_fault() {
    let url = Url::parse("gopher://h/I/a.png").unwrap();
    let text = |octets: &[u8]| {
        let mut document = Document::new(url.clone(), Shape::Picture, CharsetSetting::default());
        document.append(octets);
        assert!(document.needs_finish() && document.picture().is_none());
        let document = document.finished();
        assert!(!document.needs_finish());
        (document.row(0).unwrap().text(), document)
    };
    let png = png(20, 10);
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
    let rendered = render(&picture, &request((300, 200), 0, (0.5, 0.5)));
    assert_eq!((rendered.width, rendered.dots.len()), (100, 5000));
    assert_eq!(rendered.percent, 100);
    // A small picture is enlarged by whole factors until it takes a third of the area.
    for (area, percent) in [((301, 999), 200), ((999, 151), 200), ((650, 400), 300)] {
        let rendered = render(&picture, &request(area, 0, (0.5, 0.5)));
        let rows = rendered.dots.len() / rendered.width;
        assert_eq!(
            (rendered.percent, rendered.width, rows),
            (percent, percent as usize, percent as usize / 2)
        );
    }
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
        let mut file = FILES.get(format).map_or_else(|| png(8, 8), |(_, file)| file.to_vec());
        let at = at.index(file.len());
        let end = (at + octets.len()).min(file.len());
        file.splice(at..end, octets);
        if let Ok(picture) = decode(&file) {
            let Pixels { width, height, rgba } = &picture.pixels;
            prop_assert_eq!(width * height, rgba.len());
        }
    }

    #[test]
    fn any_metadata_have_an_orientation(mut octets: Vec<u8>, start in 0_usize..4) {
        let starts = [b"II*\0\x08\0\0\0".as_slice(), b"MM\0*\0\0\0\x08", b"Exif\0\0II*\0", b""];
        octets.splice(0..0, starts[start].iter().copied());
        prop_assert!((1..=8).contains(&decode::orientation(&octets)));
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
        let fits = area.0 >= size.0 as usize && area.1 >= size.1 as usize;
        if fits && zoom == 0 {
            prop_assert_eq!(rendered.percent % 100, 0);
            prop_assert!(3 * width >= area.0 || 3 * height >= area.1);
        }
    }
}
