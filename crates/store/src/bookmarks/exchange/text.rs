//! Text with URLs (RFC 1738, appendix): a bookmark file or any other text.
//!
//! A line of a bookmark file is read as a bookmark; other URLs in it become entries of their own. A URL over several
//! lines, or without a wrapper, becomes an entry whose title is the text before it on its line. A text whose lines all
//! begin or end with their only URL is a list: blanks delimit the URLs there, and the other words are the titles. It
//! may have a few other lines, as comments.

use geomys_wire::protocol::octets;

use rfc1738::{UrlMatch, links_in_text};

use super::builder::TreeBuilder;
use super::tree::{BookmarkTree, Entry, LossReport, WORDS_BEHIND};
use super::url_line::UrlLine;
use crate::bookmarks::line::{heading, is_blank, split_first, text};
use crate::bookmarks::{Bookmarks, Item};

pub(super) fn read(octets: &[u8]) -> BookmarkTree {
    let file = Bookmarks::parse(octets);
    let mut found = links_in_text(octets).peekable();
    let mut builder = TreeBuilder::default();
    let mut at = 0;
    let lines = octets.split_inclusive(|&octet| octet == b'\n');
    // End of the text that was read already; it may be on a later line.
    let mut done = 0;
    // End of the line on which the last URL ends.
    let mut line_end = 0;
    // Line below the notes of the last bookmark.
    let mut noted = 0;
    // In a list of URLs, no punctuation at the end of one is that of a sentence.
    let is_list = is_list(octets);
    // Depths of the headings that the line is below.
    let mut open: Vec<usize> = Vec::new();
    for (number, line) in lines.enumerate() {
        let (start, end) = (at, at + line.len());
        at = end;
        match file.on_line(number) {
            Some(Item::Folder(folder)) => {
                open.truncate(open.partition_point(|&depth| depth < folder.depth));
                builder.go_below(open.len(), &[folder.name().as_str()]);
                open.push(folder.depth);
                while found.next_if(|one| one.range.start < end).is_some() {}
            }
            // A bookmark whose wrapper is closed on the same line is read as in the bookmark file.
            Some(Item::Bookmark(bookmark)) if is_closed(line) && start >= done => {
                noted = number + 1 + bookmark.notes().len();
                builder.bookmark(&bookmark, bookmark.url_text().to_string());
                // The first wrapped URL of the line belongs to the bookmark.
                let own = start + wrapper(line).unwrap_or_default();
                // A title may be a URL, and nothing else.
                let title = octets.get(start..own).unwrap_or_default().trim_ascii();
                let is_title = str::from_utf8(title).is_ok_and(UrlLine::is_url);
                while let Some(other) = found.next_if(|one| one.range.start < end) {
                    let is_own = other.range.start == own || is_title && other.range.start < own;
                    if !is_own {
                        bare(&other, octets, other.range.start, &mut builder);
                    }
                    done = other.range.end;
                }
            }
            None if is_list && number >= noted && listed(line).is_some() => {
                if let Some(line) = listed(line) {
                    builder.entry(&Entry {
                        title: line.words.to_owned(),
                        url: line.url.to_owned(),
                        tags: line.tags.into_iter().map(str::to_owned).collect(),
                        ..Entry::default()
                    });
                }
                while found.next_if(|one| one.range.start < end).is_some() {}
            }
            Some(Item::Bookmark(_)) | None => {
                let is_other = number >= noted && start >= done && !line.trim_ascii().is_empty();
                let has_no_url = found.peek().is_none_or(|one| one.range.start >= end);
                let losses = builder.losses();
                losses.part_if(is_other && has_no_url, "lines without a URL");
                while let Some(one) = found.next_if(|one| one.range.start < end) {
                    // URLs in a note stay in the note.
                    if number >= noted {
                        bare(&one, octets, start.max(done), &mut builder);
                        let url_end = one.range.end;
                        if url_end > line_end {
                            // Once a line: there may be a million URLs on it.
                            let behind = octets.get(url_end..).unwrap_or_default();
                            line_end = url_end + split_first(behind).0.len();
                        }
                        let is_last = found.peek().is_none_or(|next| next.range.start >= line_end);
                        let behind = octets.get(url_end..line_end).unwrap_or_default();
                        let has_words = behind.iter().any(u8::is_ascii_alphanumeric);
                        let losses = builder.losses();
                        losses.part_if(is_last && has_words, WORDS_BEHIND);
                    }
                    done = one.range.end;
                }
            }
        }
    }
    builder.finish()
}

/// Returns true for a text most of whose lines are those of a list. A line that reads like a sentence, or has no URL,
/// is another one; headings count for nothing.
fn is_list(octets: &[u8]) -> bool {
    let (mut own, mut others) = (0_usize, 0_usize);
    for line in octets::lines(octets) {
        if is_blank(line) || heading(line).is_some() {
            continue;
        }
        let is_own = str::from_utf8(line).is_ok_and(|line| UrlLine::parse(line).is_some());
        if is_own {
            own += 1;
        } else {
            others += 1;
        }
    }
    own > others
}

/// Returns the URL and the words of a line of a list.
fn listed(line: &[u8]) -> Option<UrlLine<'_>> {
    str::from_utf8(line).ok().and_then(UrlLine::in_list)
}

/// Returns the offset of the first `<URL:` in a line.
fn wrapper(line: &[u8]) -> Option<usize> {
    let mut words = line.windows(5);
    words.position(|word| word.eq_ignore_ascii_case(b"<URL:"))
}

fn is_closed(line: &[u8]) -> bool {
    let from = wrapper(line).and_then(|at| line.get(at..));
    from.is_some_and(|from| from.contains(&b'>'))
}

/// Adds an entry for a URL in running text; the text before it, from offset `from` on, is the title.
fn bare(found: &UrlMatch<'_>, octets: &[u8], from: usize, builder: &mut TreeBuilder) {
    let before = octets.get(from..found.range.start).unwrap_or_default();
    let before = before.rsplit(|&octet| octet == b'\n').next();
    let title = text(before.unwrap_or_default());
    let title = title.as_str().trim();
    let title = title.trim_end_matches([':', '-', '–', '(', '"', '\'', ',']);
    let title = title.trim_start_matches(['-', '*', '•', ')', '.', ',', ';']);
    builder.link(title.trim(), &found.full_text());
}

pub(super) fn write(tree: &BookmarkTree, losses: &mut LossReport) -> Vec<u8> {
    let dated = tree.entries().filter(|(_, entry)| entry.added.is_some());
    losses.count(dated.count(), "dates");
    tree.bookmarks().octets().to_vec()
}
