//! The remarks of a server on a directory: its greeting, its notes on the directory, a README.

use super::listing::ListingBody;
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
        self.change_remarks(|listing| listing.remark(remark));
    }

    /// Toggles the remark whose title is row `number`. Returns true if there is one.
    pub fn toggle_remark(&mut self, number: usize) -> bool {
        let Some(RowOrigin::Remark(remark, None)) = self.origin(number) else {
            return false;
        };
        self.change_remarks(|listing| listing.toggle_remark(remark));
        true
    }

    fn change_remarks(&mut self, change: impl FnOnce(&mut ListingBody)) {
        let before = self.rows().count(self.source());
        if let Some(listing) = self.body.listing_mut() {
            change(listing);
        }
        let after = self.rows().count(self.source());
        // A filter shows no remarks.
        if self.filter.is_none() {
            let distance = after.cast_signed().wrapping_sub(before.cast_signed());
            self.continuations.shift(distance);
        }
    }
}
