//! Text with URLs in it (RFC 1738, appendix): a bookmark file, or any other.
//!
//! A line of a bookmark file is read as one, with the other URLs in it as entries of their own. A URL that runs over
//! lines, and one without a wrapper, is an entry whose title is what stands before it on its line.

use super::builder::Builder;
use super::shelf::{Entry, Lost, Shelf};
use crate::files::bookmarks::{Bookmarks, Item};
use crate::text::{Charset, Text};
use crate::url::context::{Found, urls};

pub(super) fn read(octets: &[u8]) -> Shelf {
    let file = Bookmarks::parse(octets);
    let mut found = urls(octets).peekable();
    let mut builder = Builder::default();
    let mut at = 0;
    let mut path = Vec::new();
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    // The end of what is read already, which may be on a later line.
    let mut done = 0;
    // The line below the notes on the last bookmark.
    let mut noted = 0;
    for (number, line) in lines.enumerate() {
        let (start, end) = (at, at + line.len());
        at = end;
        match file.on_line(number) {
            Some(Item::Folder(folder)) => {
                builder.go(&folder.path(), &mut path);
                while found.next_if(|one| one.range.start < end).is_some() {}
            }
            // One that is closed on its own line is what the bookmark file says it is.
            Some(Item::Bookmark(bookmark)) if is_closed(line) && start >= done => {
                let notes = bookmark.notes();
                noted = number + 1 + notes.len();
                let notes: Vec<&str> = notes.iter().map(Text::as_str).collect();
                builder.entry(&Entry {
                    title: bookmark.title().to_string(),
                    url: bookmark.written().to_string(),
                    tags: bookmark.tags().iter().map(Text::to_string).collect(),
                    note: notes.join("\n"),
                    added: None,
                });
                let is_more = bookmark.has_other_words();
                builder.lost().part_if(is_more, "words behind a URL");
                // It is the first that is wrapped so.
                let own = start + wrapper(line).unwrap_or_default();
                while let Some(other) = found.next_if(|one| one.range.start < end) {
                    if other.range.start != own {
                        bare(&other, octets, other.range.start, &mut builder);
                    }
                    done = other.range.end;
                }
            }
            Some(Item::Bookmark(_)) | None => {
                let is_said = number >= noted && start >= done && !line.trim_ascii().is_empty();
                let is_text = found.peek().is_none_or(|one| one.range.start >= end);
                let lost = builder.lost();
                lost.part_if(is_said && is_text, "lines without a URL");
                while let Some(one) = found.next_if(|one| one.range.start < end) {
                    // What a note says stands in the note.
                    if number >= noted {
                        bare(&one, octets, start.max(done), &mut builder);
                    }
                    done = one.range.end;
                }
            }
        }
    }
    builder.done()
}

/// Where the first `<URL:` of a line is.
fn wrapper(line: &[u8]) -> Option<usize> {
    let mut words = line.windows(5);
    words.position(|word| word.eq_ignore_ascii_case(b"<URL:"))
}

fn is_closed(line: &[u8]) -> bool {
    let from = wrapper(line).and_then(|at| line.get(at..));
    from.is_some_and(|from| from.contains(&b'>'))
}

/// An entry of a URL in running text, with what stands before it from `from` on as its title.
fn bare(found: &Found<'_>, text: &[u8], from: usize, builder: &mut Builder) {
    let before = text.get(from..found.range.start).unwrap_or_default();
    let before = before.rsplit(|&octet| octet == b'\n').next();
    let title = Text::new(before.unwrap_or_default(), Charset::default());
    let title = title.as_str().trim();
    let title = title.trim_end_matches([':', '-', '–', '(', '"', '\'', ',']);
    let title = title.trim_start_matches(['-', '*', '•', ')', '.', ',', ';']);
    builder.entry(&Entry {
        title: title.trim().to_owned(),
        url: found.url_text.clone().into_owned(),
        ..Entry::default()
    });
    let lost = builder.lost();
    lost.part_if(found.fragment.is_some(), "fragments behind a #");
}

pub(super) fn write(shelf: &Shelf, lost: &mut Lost) -> Vec<u8> {
    for (_, entry) in shelf.entries() {
        lost.part_if(entry.added.is_some(), "dates");
    }
    shelf.bookmarks().octets().to_vec()
}
