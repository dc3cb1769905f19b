//! Octets as a page of the Web.

#![no_main]

use geomys_fuzz::{check_document, split};
use geomys_page::document::Shape;

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    check_document(
        "http://h.example/a/b?c",
        Shape::Html,
        octets,
        usize::from(how) * 3 + 1,
    );
});
