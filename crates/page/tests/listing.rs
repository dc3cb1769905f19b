//! Listings: lines that other clients test, samples of every format, laws for any octets, the order of rows, and how
//! they are shown.

mod display;
mod formats;
mod laws;
mod rows;
mod samples;

use geomys_page::document::{Document, ListingPlace, Shape};
use geomys_testing::loading::url;
use geomys_wire::protocol::ftp::listing::{Day, Format};
use geomys_wire::text::CharsetSetting;

const TODAY: Day = Day {
    year: 2026,
    month: 11,
    day: 20,
};

/// A page of these octets, appended in small chunks.
fn page(address: &str, octets: &[u8], format: Option<Format>) -> Document {
    let shape = Shape::Listing {
        format,
        today: TODAY,
        place: ListingPlace::Server,
    };
    let mut document = Document::new(url(address), shape, CharsetSetting::default());
    for piece in octets.chunks(37) {
        document.append(piece);
    }
    document
}
