//! XML of Pinboard and del.icio.us: an element for each bookmark. Only read.
//!
//! ```text
//! <posts user="..."><post href="..." time="2010-11-07T13:12:00Z" description="title" extended="note" tag="one two"
//!   shared="no" toread="yes"/></posts>
//! ```

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, FormatError};
use super::xml::{self, XmlEvent};

/// Attributes that are read, or that hold no user data, separated by blanks.
const HANDLED_ATTRIBUTES: &str = "href time description extended tag hash meta others";

pub(super) fn read(text: &str) -> Result<BookmarkTree, FormatError> {
    let mut builder = TreeBuilder::default();
    xml::read(text, |part| {
        let XmlEvent::Start(name, attributes) = part else {
            return;
        };
        if name != "post" {
            return;
        }
        for name in attributes.keys() {
            let is_lost = !HANDLED_ATTRIBUTES.split(' ').any(|handled| handled == name);
            let what = format!("values of “{}”", geomys_wire::text::Text::of(name));
            builder.losses().part_if(is_lost, &what);
        }
        let value = |name: &str| attributes.get(name).cloned().unwrap_or_default();
        let added = builder.date(&value("time"));
        builder.entry(&Entry {
            title: value("description"),
            url: value("href"),
            tags: value("tag").split_whitespace().map(str::to_owned).collect(),
            note: quoted_blocks(&value("extended")),
            added,
        });
    })?;
    Ok(builder.finish())
}

/// Converts the elements `<blockquote>` of a note, in which Pinboard stores the quoted text of a page, to lines that begin with `> `.
pub(super) fn quoted_blocks(note: &str) -> String {
    let small = note.to_ascii_lowercase();
    let mut text = String::new();
    let mut at = 0;
    while let Some((start, quote, end)) = block(note, &small, at) {
        text.push_str(note.get(at..start).unwrap_or_default());
        push_quote(quote, &mut text);
        at = end;
    }
    text.push_str(note.get(at..).unwrap_or_default());
    text
}

/// Returns the next block from an offset on: its start, its text and its end.
fn block<'a>(note: &'a str, small: &str, from: usize) -> Option<(usize, &'a str, usize)> {
    const START: &str = "<blockquote>";
    const END: &str = "</blockquote>";
    let start = from + small.get(from..)?.find(START)?;
    let inside = start + START.len();
    let length = small.get(inside..)?.find(END);
    let end = length.map_or(note.len(), |length| inside + length);
    let quote = note.get(inside..end)?;
    Some((start, quote, note.len().min(end + END.len())))
}

/// Appends a text as lines that begin with `> `, apart from the lines around it.
pub(super) fn push_quote(quote: &str, text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for line in quote.trim().lines() {
        text.push_str("> ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
}
