//! The operations of a document that apply to listings only.

use super::ListingBody;
use super::columns::ListingColumns;
use crate::document::body::Body;
use crate::document::model::Document;
use crate::document::remark::Remark;
use crate::document::row::RowOrigin;
use crate::document::zone::Zone;

impl Document {
    /// Sets the zone in which dates are shown.
    pub fn set_zone(&mut self, zone: Zone) {
        match &mut self.body {
            Body::Listing(listing) => listing.clocks.zone = zone,
            Body::Group(group) => group.zone = zone,
            Body::Article(article) => article.zone = zone,
            _ => {}
        }
    }

    /// Sets the offset of the server's clock from UTC, in minutes, for a listing.
    pub fn set_clock(&mut self, minutes: i32) {
        if let Body::Listing(listing) = &mut self.body {
            listing.clocks.server = Some(minutes);
        }
    }

    /// Returns the offset of the server's clock from UTC, in minutes, if it was set for a listing.
    pub fn clock(&self) -> Option<i32> {
        match &self.body {
            Body::Listing(listing) => listing.clocks.server,
            _ => None,
        }
    }

    /// The widths of the columns of a listing; nothing for other documents.
    pub fn listing_columns(&self) -> Option<ListingColumns> {
        Some(self.body.listing()?.columns())
    }

    /// Adds a remark of the server, folded above the entries of a listing. Other documents ignore it.
    pub fn add_remark(&mut self, remark: Remark) {
        self.change_remarks(|listing| listing.remarks.push(remark));
    }

    /// Toggles the remark whose title is row `number`, or the preformatted block that it opens. Returns true if there is
    /// one.
    pub fn toggle_remark(&mut self, number: usize) -> bool {
        if let Some(is_toggled) = self.toggle_preformatted(number) {
            return is_toggled;
        }
        let Some(RowOrigin::Remark(remark, None)) = self.origin(number) else {
            return false;
        };
        self.change_remarks(|listing| listing.remarks.toggle(remark));
        true
    }

    fn change_remarks(&mut self, change: impl FnOnce(&mut ListingBody)) {
        let before = self.rows().count(self.source());
        if let Body::Listing(listing) = &mut self.body {
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
