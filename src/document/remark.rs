//! What a server says beside a directory: its greeting, its notes on the place, a README.

use super::{Document, Origin};
use crate::text::Text;

/// Some lines that are shown folded above the entries of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is, in a few words: `welcome`, `note on this directory`, the name of a file.
    pub title: Text,
    /// Its lines, as they came.
    pub octets: Vec<u8>,
}

impl Document {
    /// Takes what a server says beside a directory: it stands folded above the entries. Other pages have no place for it.
    pub fn remark(&mut self, remark: Remark) {
        if let Some(listing) = self.body.listing_mut() {
            listing.remark(remark);
        }
    }

    /// Folds or unfolds the remark whose title is row `number`; whether there is one.
    pub fn fold(&mut self, number: usize) -> bool {
        let Some(Origin::Remark(remark, None)) = self.origin(number) else {
            return false;
        };
        if let Some(listing) = self.body.listing_mut() {
            listing.fold(remark);
        }
        true
    }
}
