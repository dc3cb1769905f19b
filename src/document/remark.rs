//! The remarks of a server on a directory: its greeting, its notes on the directory, a README.

use super::{Document, RowOrigin};
use crate::text::Text;

/// A text that is shown folded above the entries of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The title in a few words: `welcome`, `note on this directory`, the name of a file.
    pub title: Text,
    /// The received lines.
    pub octets: Vec<u8>,
}

impl Document {
    /// Adds a remark of the server, folded above the entries of a listing. Other documents ignore it.
    pub fn add_remark(&mut self, remark: Remark) {
        if let Some(listing) = self.body.listing_mut() {
            listing.remark(remark);
        }
    }

    /// Toggles the remark whose title is row `number`. Returns true if there is one.
    pub fn toggle_remark(&mut self, number: usize) -> bool {
        let Some(RowOrigin::Remark(remark, None)) = self.origin(number) else {
            return false;
        };
        if let Some(listing) = self.body.listing_mut() {
            listing.toggle_remark(remark);
        }
        true
    }
}
