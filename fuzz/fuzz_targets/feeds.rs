//! Octets as a feed (RSS, Atom): its page, and the entries that a subscription reads of it.

#![no_main]

use geomys_fuzz::{check_document, check_str, split};
use geomys_page::document::Shape;

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let url = "http://h.example/a/feed.xml";
    let feed = check_document(url, Shape::Feed, octets, usize::from(how) * 3 + 1);
    for entry in feed.entries() {
        check_str(&entry.title);
        check_str(entry.url.as_str());
    }
});
