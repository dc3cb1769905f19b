//! The picture of a document.

use std::sync::Arc;

use super::{Decoded, Picture, PictureBody, needed_memory};
use crate::document::model::Document;
use crate::document::shape::Shape;

/// The most octets of a file that are searched for its size.
const BEGINNING: usize = 64 * 1024;

impl Document {
    /// The decoded picture, if the document is one.
    pub fn picture(&self) -> Option<&Arc<Picture>> {
        match &self.body.picture()?.decoded {
            Decoded::Picture(picture) => Some(picture),
            Decoded::Pending | Decoded::Failed(_) => None,
        }
    }

    /// Returns the memory that decoding the picture needs at most, in octets; `None` if it is decoded, or is none.
    pub fn picture_memory(&self) -> Option<usize> {
        let picture = self.body.picture()?;
        let is_pending = matches!(picture.decoded, Decoded::Pending);
        let needed = || needed_memory(&self.raw.beginning(BEGINNING));
        is_pending.then(|| needed().saturating_add(self.raw.len()))
    }

    /// Returns a clone that a task decodes, while this document uses `memory` octets for it. When this document is dropped or
    /// [`Document::drop_picture`] is called before its turn, the clone is not decoded.
    #[must_use]
    pub fn decoding_picture(&mut self, memory: usize) -> Self {
        let mut clone = self.clone();
        let wish = Arc::default();
        clone.set_picture(|picture| picture.awaited = Some(Arc::downgrade(&wish)));
        self.set_picture(|picture| (picture.reserved, picture.wish) = (memory, wish));
        clone
    }

    /// Drops the pixels of the picture, which can be decoded again.
    pub fn drop_picture(&mut self) {
        self.set_picture(|picture| {
            let decoded = match std::mem::take(&mut picture.decoded) {
                failed @ Decoded::Failed(_) => failed,
                Decoded::Pending | Decoded::Picture(_) => Decoded::Pending,
            };
            *picture = PictureBody {
                decoded,
                ..PictureBody::default()
            };
        });
    }

    /// Shows a sentence instead of the picture, which is not decoded.
    pub fn refuse_picture(&mut self, sentence: String) {
        self.set_picture(|picture| picture.decoded = Decoded::Failed(sentence));
    }

    fn set_picture(&mut self, change: impl FnOnce(&mut PictureBody)) {
        if let Some(picture) = self.body.picture_mut() {
            change(picture);
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
