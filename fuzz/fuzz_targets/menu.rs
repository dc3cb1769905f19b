//! Octets as data of a Gopher server or a phone book: menus, texts, Gopher+ attributes and forms, capabilities.

#![no_main]

use geomys_fuzz::{check_document, check_str, split};
use geomys_page::document::Shape;
use geomys_wire::protocol::gopher::{attributes, caps::Caps, form};
use geomys_wire::text::{Charset, SgrDecoder, Text, file_name};

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let piece = usize::from(how >> 3) * 7 + 1;
    match how & 7 {
        0 | 1 => drop(check_document(
            "gopher://h.example/1/",
            Shape::Menu,
            octets,
            piece,
        )),
        2 => drop(check_document(
            "gopher://h.example/0/a",
            Shape::Text,
            octets,
            piece,
        )),
        3 => drop(check_document(
            "gopher://h.example/1/%09%09!",
            Shape::Attributes,
            octets,
            piece,
        )),
        4 => drop(check_document(
            "gopher://h.example/2/",
            Shape::People,
            octets,
            piece,
        )),
        5 => {
            for item in attributes::items(octets) {
                let _ = format!("{item:?}");
            }
            let lines = octets.split(|&octet| octet == b'\n');
            let _ = format!("{:?}", form::Form::parse(lines));
        }
        6 => drop(Caps::parse(octets)),
        _ => {
            let name = file_name(octets, "file");
            check_str(&name);
            assert!(!name.contains('/') && !name.is_empty() && name != ".." && name != ".");
            check_str(Text::new(octets, Charset::default()).as_str());
            let (text, _) = SgrDecoder::new(Charset::default()).read(octets);
            check_str(text.as_str());
        }
    }
});
