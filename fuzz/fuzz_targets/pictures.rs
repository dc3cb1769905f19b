//! Octets as a picture, and the parts of Geomys that draw one: its orientation, its scale, and the sequences for
//! terminals.

#![no_main]

use geomys_fuzz::split;
use geomys_page::document::picture::{Graphics, PicturePart, Protocol, RenderRequest, render};
use geomys_page::document::{Document, Shape};
use geomys_wire::text::CharsetSetting;
use rfc1738::Dialect;

/// The memory of a picture that is decoded, in octets. A few octets can state 40 million pixels, which take seconds on
/// a thread of their own; the target looks for time that is not that of the pixels.
const MEMORY: usize = 1_000_000;

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let url = Dialect::Extended
        .parse("http://h.example/a.png")
        .expect("the URL of a target is one");
    let mut document = Document::new(url, Shape::Picture, CharsetSetting::default());
    document.append(octets);
    if document
        .picture_memory()
        .is_some_and(|memory| memory > MEMORY)
    {
        return;
    }
    let document = document.finished();
    let Some(picture) = document.picture() else {
        return;
    };
    let pixels = &picture.pixels;
    assert_eq!(pixels.rgba.len(), pixels.width * pixels.height);
    let cell = Some((u16::from(how & 15) + 1, u16::from(how >> 4) + 1));
    let protocols = [Protocol::Kitty, Protocol::Iterm2, Protocol::Sixel];
    let graphics = protocols.map(|protocol| Graphics::new(protocol, cell));
    for graphics in graphics.into_iter().chain([None]) {
        let view = PicturePart {
            zoom: how % 9,
            middle: (f64::from(how) / 255.0, 0.5),
        };
        let rendered = render(picture, &RenderRequest::new((40, 12), view, graphics));
        assert_eq!(
            rendered.dots.len().checked_rem(rendered.width).unwrap_or(0),
            0
        );
        // A sequence holds no octet that ends it early.
        if let Some(sequence) = &rendered.sequence {
            let inside = sequence
                .replace("\x1b\\", "")
                .replace("\x1b_G", "")
                .replace("\x1bPq", "");
            assert!(inside.chars().all(|sign| sign.is_ascii()));
        }
    }
});
