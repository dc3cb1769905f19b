//! The picture of a document.

use std::sync::Arc;

use super::{Decoded, Picture};
use crate::document::model::Document;
use crate::document::shape::Shape;

impl Document {
    /// The decoded picture, if the document is one.
    pub fn picture(&self) -> Option<&Arc<Picture>> {
        match &self.body.picture()?.decoded {
            Decoded::Picture(picture) => Some(picture),
            Decoded::Pending | Decoded::Failed(_) => None,
        }
    }

    /// Returns the octets of a file as a picture, which is to be finished.
    #[must_use]
    pub fn as_picture(&self) -> Self {
        let mut picture = Self::new(self.url.clone(), Shape::Picture, self.charset_setting());
        picture.raw = self.raw.clone();
        picture
    }
}
