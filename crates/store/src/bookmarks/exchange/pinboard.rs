//! Notes in HTML, and the XML of Pinboard and del.icio.us: an element for each bookmark. Only read.
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
            builder.losses().field_if(is_lost, name);
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

/// Converts the elements `<blockquote>` of a note, in which Pinboard stores the quoted text of a page, to lines that
/// begin with `> `.
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

/// Text behind a `<DD>`. Line breaks of the file stay, as no program writes tags for all of them.
#[derive(Default)]
pub(super) struct NoteText {
    text: String,
    /// Offsets at which the open quotes begin.
    quotes: Vec<usize>,
    /// True behind a tag that breaks the line: a line break of the file that follows is the same one.
    is_broken: bool,
    /// True if the text ends with a line break of the file.
    ends_line: bool,
}

impl NoteText {
    pub(super) fn push(&mut self, words: &str) {
        let mut words = words;
        if self.is_broken {
            words = words.trim_start_matches([' ', '\t']);
            if words.is_empty() {
                return;
            }
            words = words.strip_prefix('\n').unwrap_or(words);
            self.is_broken = false;
        }
        self.text.push_str(words);
        if !words.is_empty() {
            self.ends_line = words.trim_end_matches([' ', '\t']).ends_with('\n');
        }
    }

    /// Breaks the line, at a `<BR>`.
    pub(super) fn break_line(&mut self) {
        if !self.ends_line {
            self.text.push('\n');
        }
        self.is_broken = true;
        self.ends_line = false;
    }

    /// Ends a paragraph: the next one is below a blank line.
    pub(super) fn break_paragraph(&mut self) {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        self.is_broken = true;
        self.ends_line = false;
    }

    pub(super) fn open_quote(&mut self) {
        self.quotes.push(self.text.len());
    }

    pub(super) fn close_quote(&mut self) {
        if let Some(start) = self.quotes.pop() {
            let quote = self.text.split_off(start.min(self.text.len()));
            push_quote(&quote, &mut self.text);
            self.is_broken = true;
        }
    }

    /// Returns the note. Blanks directly behind the tag are no indentation.
    pub(super) fn finish(mut self) -> String {
        while !self.quotes.is_empty() {
            self.close_quote();
        }
        self.text.trim_start_matches([' ', '\t']).to_owned()
    }
}
