//! The text of a page as its rows show it, for the search of copies.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use geomys_wire::text::{Charset, CharsetSetting};
use jiff::Timestamp;
use rfc1738::Url;

use super::page_text::{SOFT_HYPHEN_END, row_text};
use crate::document::model::Document;
use crate::document::pieces::pieces;
use crate::document::row::Row;
use crate::document::shape::Shape;

/// What a page says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownPage {
    /// The title; the subject of an article.
    pub title: Option<String>,
    /// The name and the address of the author of an article.
    pub author: Option<String>,
    /// The date of an article.
    pub date: Option<Timestamp>,
}

/// Calls `row` with the text of each row of a page and the ranges of the labels of links in it, in order, and returns
/// what the page says of itself. `declared` is the charset that its server or the page declares. A long page is read in
/// pieces. Takes time for a long one.
///
/// # Errors
/// The first error of `row`.
pub fn shown_rows<E>(
    (url, shape): (&Url, Shape),
    (setting, declared): (CharsetSetting, Option<Charset>),
    octets: &[u8],
    mut row: impl FnMut(&str, &[Range<usize>]) -> Result<(), E>,
) -> Result<ShownPage, E> {
    let (mut page, mut charset) = (ShownPage::default(), declared);
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
    let mut labels = Vec::new();
    for (number, piece) in pieces.enumerate() {
        let mut document = Document::new(url.clone(), shape, setting).for_output();
        document.declare(charset);
        document.append(&piece);
        let document = document.finished();
        if number == 0 {
            let (author, date) = document.author_and_date();
            page = ShownPage {
                title: document.title().map(|title| title.to_string()),
                author: author.map(|author| author.to_string()),
                date,
            };
        }
        // What follows is in the charset of what tells one.
        charset = charset
            .or_else(|| document.declared_charset())
            .or_else(|| document.non_utf8_charset());
        // What an article decodes may have octets that it has not itself.
        let may_be_soft =
            shape == Shape::Article || memchr::memchr(SOFT_HYPHEN_END, &piece).is_some();
        for number in 0..document.count() {
            if let Some(shown) = document.row(number) {
                labels.clear();
                if shape.has_labels() {
                    find_labels(&shown, &mut labels);
                }
                let text = if may_be_soft {
                    row_text(&document, number, &shown)
                } else {
                    shown.text()
                };
                row(&text, &labels)?;
            }
        }
    }
    Ok(page)
}

/// Adds the ranges of the labels in the text of a row. A row that is a link itself is one label.
fn find_labels(row: &Row, labels: &mut Vec<Range<usize>>) {
    let (mut at, mut before) = (0, None);
    for span in &row.spans {
        let end = at + span.text.as_str().len();
        let link = span.link.filter(|_| !span.is_field);
        match labels.last_mut() {
            Some(last) if link.is_some() && link == before => last.end = end,
            _ if link.is_some() => labels.push(at..end),
            _ => {}
        }
        (at, before) = (end, link);
    }
    if row.kind.is_link() && row.spans.iter().all(|span| span.link.is_none()) {
        labels.push(0..at);
    }
}
