//! The text of a page as its rows show it, for the search of copies.

use std::borrow::Cow;
use std::iter;

use geomys_wire::text::{Charset, CharsetSetting};
use rfc1738::Url;

use crate::document::model::Document;
use crate::document::pieces::pieces;
use crate::document::shape::Shape;

/// Calls `row` with the text of each row of a page, and returns its title if it has one. `declared` is the charset that
/// its server or the page declares. A long page is read in pieces. Takes time for a long one.
///
/// # Errors
/// The first error of `row`.
pub fn shown_rows<E>(
    (url, shape): (&Url, Shape),
    (setting, declared): (CharsetSetting, Option<Charset>),
    octets: &[u8],
    mut row: impl FnMut(&str) -> Result<(), E>,
) -> Result<Option<String>, E> {
    let (mut title, mut charset) = (None, declared);
    let chosen = match setting {
        CharsetSetting::Set(charset) => Some(charset),
        CharsetSetting::Detected => declared,
    };
    // In some charsets the octet of a line end is a part of a letter.
    let is_cut =
        !chosen.is_some_and(Charset::precedes_lines) && Charset::with_escapes(octets).is_none();
    let pieces: Box<dyn Iterator<Item = Cow<'_, [u8]>>> = if is_cut {
        Box::new(pieces(shape, octets))
    } else {
        Box::new(iter::once(Cow::Borrowed(octets)))
    };
    for (number, piece) in pieces.enumerate() {
        let mut document = Document::new(url.clone(), shape, setting).for_output();
        document.declare(charset);
        document.append(&piece);
        let document = document.finished();
        if number == 0 {
            title = document.title().map(|title| title.to_string());
        }
        // What follows is in the charset of what tells one.
        charset = charset
            .or_else(|| document.declared_charset())
            .or_else(|| document.non_utf8_charset());
        for number in 0..document.count() {
            if let Some(shown) = document.row(number) {
                row(&shown.text())?;
            }
        }
    }
    Ok(title)
}
