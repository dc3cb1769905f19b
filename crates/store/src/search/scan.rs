//! The search of one text: in pieces, so that a text of any length takes the memory of one.
//!
//! The octets of a piece are folded at once and searched for the words; only a piece that has one is looked at by its
//! paragraphs and rows.

use std::io::{self, Read};

use geomys_page::document::find::{SearchWord, fold_latin};

use super::query::SearchQuery;
use super::{Rank, SearchHit};
use crate::files::cache::{ROW_ENDS, ShownText};

/// Octets of a piece.
const PIECE: usize = 256 * 1024;

/// Maximum length of the line of a hit, in characters.
const MAX_LINE_CHARS: usize = 300;

/// Buffers of a thread.
#[derive(Default)]
pub(super) struct Buffers {
    /// Octets of the text that were read.
    pub(super) octets: Vec<u8>,
    /// Folded piece, behind the end of the one before.
    folded: Vec<u8>,
}

/// What a text has of the words of a query.
struct Found<'q> {
    query: &'q SearchQuery,
    /// The words that occur, in their order.
    has: Vec<bool>,
    /// Those that occur as whole words.
    whole: Vec<bool>,
    count: usize,
    first_row: Option<String>,
    /// The row of the first occurrence of a word.
    hit_row: Option<String>,
    /// The row of the first paragraph that has all words.
    near_row: Option<String>,
    /// The words of the paragraph that goes on, and the row of the first one.
    paragraph: (Vec<bool>, Option<String>),
}

/// Searches a text, whose beginning is in the buffers.
pub(super) fn hit(
    query: &SearchQuery,
    text: ShownText,
    buffers: &mut Buffers,
) -> io::Result<Option<SearchHit>> {
    let count = query.wanted.iter().count();
    let mut found = Found {
        query,
        has: vec![false; count],
        whole: vec![false; count],
        count: 0,
        first_row: None,
        hit_row: None,
        near_row: None,
        paragraph: (vec![false; count], None),
    };
    if is_excluded(query, &text, buffers, &mut |piece, folded, carried| {
        found.look(piece, folded, carried);
    })? {
        return Ok(None);
    }
    found.look_at_title(&text.title);
    if !query.are_met(&found.has) {
        return Ok(None);
    }
    let rank = if query.in_title(&text.title).is_some() {
        Rank::Title
    } else if found.near_row.is_some() {
        Rank::Near
    } else {
        Rank::Far
    };
    let row = found.near_row.or(found.hit_row).or(found.first_row);
    Ok(Some(SearchHit {
        key: text.key,
        url: text.url,
        title: text.title,
        since: Some(text.since),
        line: excerpt(query, &row.unwrap_or_default()),
        count: found.count,
        is_part: !query.are_met(&found.whole),
        rank,
    }))
}

/// Reads a text to its end, and passes each piece on: as it is, folded behind the end of the piece before, and the
/// length of that. Returns true as soon as it has an excluded word.
pub(super) fn is_excluded(
    query: &SearchQuery,
    text: &ShownText,
    Buffers { octets, folded }: &mut Buffers,
    look: &mut dyn FnMut(&str, &[u8], usize),
) -> io::Result<bool> {
    if query.is_excluded_title(&text.title) {
        return Ok(true);
    }
    folded.clear();
    // A phrase may begin in one piece and end in the next; the letter before it tells whether it is a part of a word.
    let words = query.wanted.iter().chain(query.excluded.iter());
    let carried = words
        .map(|word| word.length() - 1 + char::MAX.len_utf8())
        .max()
        .unwrap_or_default();
    let (mut rest, mut left) = (&text.rest.0, text.rest.1);
    let mut is_end = false;
    while !is_end {
        let wanted = left.min(PIECE.saturating_sub(octets.len()) as u64);
        let read = Read::by_ref(&mut rest).take(wanted).read_to_end(octets)? as u64;
        left = if read < wanted { 0 } else { left - wanted };
        is_end = left == 0;
        let end = if is_end {
            octets.len()
        } else {
            end_of_rows(octets)
        };
        let piece = str::from_utf8(octets.get(..end).unwrap_or_default());
        let piece = piece.map_err(io::Error::other)?;
        folded.drain(..folded.len().saturating_sub(carried));
        let before = folded.len();
        fold(piece, folded);
        let mut excluded = query.excluded.iter();
        if excluded.any(|word| places(word, piece, folded, before).next().is_some()) {
            return Ok(true);
        }
        look(piece, folded, before);
        // The end of the row is a blank between the words.
        octets.drain(..end);
    }
    Ok(false)
}

/// Returns the length of the rows that are whole; of a row that is longer than a piece, the letters that are.
fn end_of_rows(octets: &[u8]) -> usize {
    let [row, paragraph] = ROW_ENDS;
    let end = memchr::memrchr2(row, paragraph, octets).filter(|&end| end > 0);
    end.unwrap_or_else(|| match str::from_utf8(octets) {
        Ok(_) => octets.len(),
        Err(error) => error.valid_up_to().max(1),
    })
}

/// Appends a folded text; the ends of its rows become blanks.
fn fold(text: &str, to: &mut Vec<u8>) {
    let [row, paragraph] = ROW_ENDS;
    let start = to.len();
    let mut rest = text;
    while !rest.is_ascii() {
        let at = rest.bytes().position(|octet| !octet.is_ascii());
        let at = at.unwrap_or_default();
        // From the row with the letter on, as a mark belongs to the letter before it.
        let from = memchr::memrchr2(
            row,
            paragraph,
            rest.as_bytes().get(..at).unwrap_or_default(),
        );
        let (plain, marked) = rest.split_at(from.unwrap_or_default());
        let end = memchr::memchr2(
            row,
            paragraph,
            marked.as_bytes().get(1..).unwrap_or_default(),
        );
        let (marked, after) = marked.split_at(end.map_or(marked.len(), |end| end + 1));
        to.extend_from_slice(plain.as_bytes());
        let mut letters = String::with_capacity(marked.len());
        fold_latin(marked, &mut letters);
        to.extend_from_slice(letters.as_bytes());
        rest = after;
    }
    to.extend_from_slice(rest.as_bytes());
    let folded = to.get_mut(start..).unwrap_or_default();
    for octet in folded {
        let is_end = *octet == row || *octet == paragraph;
        *octet = if is_end {
            b' '
        } else {
            octet.to_ascii_lowercase()
        };
    }
}

/// Returns the places of a word in a piece that end in it, behind the `before` octets of the piece before it.
fn places<'a>(
    word: &'a SearchWord,
    piece: &'a str,
    folded: &'a [u8],
    before: usize,
) -> impl Iterator<Item = usize> + 'a {
    let from = before.saturating_sub(word.length() - 1);
    let mut places = word.places(folded, from).peekable();
    let is_marked = places.peek().is_some()
        && word.has_its_marks(&piece.replace(ROW_ENDS.map(char::from), " "));
    places.filter(move |_| is_marked)
}

impl Found<'_> {
    fn look(&mut self, piece: &str, folded: &[u8], before: usize) {
        let [row, paragraph] = ROW_ENDS;
        if self.first_row.is_none() {
            let first = piece.split([char::from(row), char::from(paragraph)]).next();
            self.first_row = first.map(str::to_owned);
        }
        let mut first: Option<usize> = None;
        let flags = self.has.iter_mut().zip(&mut self.whole);
        for (word, (has, whole)) in self.query.wanted.iter().zip(flags) {
            let mut count = 0;
            for at in places(word, piece, folded, before) {
                first = Some(first.map_or(at, |first| first.min(at)));
                *whole = *whole || word.is_whole(folded, at);
                count += 1;
            }
            self.count += count;
            *has |= count > 0;
        }
        if self.near_row.is_some() {
            return;
        }
        let Some(first) = first else {
            if piece.contains(char::from(paragraph)) {
                self.end_paragraph();
            }
            return;
        };
        if self.hit_row.is_none() {
            // A place in the folded piece is one in the piece.
            let at = first.saturating_sub(before);
            self.hit_row = piece.is_ascii().then(|| row_at(piece, at));
        }
        for (number, part) in piece.split(char::from(paragraph)).enumerate() {
            if number > 0 {
                self.end_paragraph();
            }
            self.look_at_paragraph(part);
            if self.near_row.is_some() {
                return;
            }
        }
    }

    fn end_paragraph(&mut self) {
        self.paragraph.0.fill(false);
        self.paragraph.1 = None;
    }

    /// Looks at a paragraph, or the part of one in a piece.
    fn look_at_paragraph(&mut self, part: &str) {
        let mut folded = Vec::new();
        fold(part, &mut folded);
        let (has, row) = &mut self.paragraph;
        let mut first: Option<usize> = None;
        for (word, has) in self.query.wanted.iter().zip(has.iter_mut()) {
            if let Some(at) = word.places(&folded, 0).next() {
                first = Some(first.map_or(at, |first| first.min(at)));
                *has = true;
            }
        }
        if let Some(first) = first {
            let found = folded_row_at(part, first);
            self.hit_row.get_or_insert_with(|| found.clone());
            row.get_or_insert(found);
        }
        if self.query.are_met(has) {
            self.near_row.clone_from(row);
        }
    }

    fn look_at_title(&mut self, title: &str) {
        let mut folded = Vec::new();
        fold(title, &mut folded);
        let mut in_title = Vec::new();
        let flags = self.has.iter_mut().zip(&mut self.whole);
        for (word, (has, whole)) in self.query.wanted.iter().zip(flags) {
            let mut count = 0;
            for at in places(word, title, &folded, 0) {
                *whole = *whole || word.is_whole(&folded, at);
                count += 1;
            }
            self.count += count;
            *has |= count > 0;
            in_title.push(count > 0);
        }
        if self.query.are_met(&in_title) {
            let first = self.first_row.clone().unwrap_or_default();
            self.near_row.get_or_insert(first);
        }
    }
}

/// Returns the row at a place in a text.
fn row_at(text: &str, at: usize) -> String {
    let ends = ROW_ENDS.map(char::from);
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    // A phrase that began in the piece before ends in the first row.
    let behind = behind.trim_start_matches(ends);
    let before = text.get(..text.len() - behind.len()).unwrap_or(before);
    let at = before.len();
    let start = before.rfind(ends).map_or(0, |end| end + 1);
    let end = behind.find(ends).map_or(text.len(), |end| at + end);
    text.get(start..end).unwrap_or_default().to_owned()
}

/// Returns the row at a place in the folded text of a text.
fn folded_row_at(text: &str, at: usize) -> String {
    let (mut folded, mut end) = (Vec::new(), 0);
    for row in text.split(ROW_ENDS.map(char::from)) {
        folded.clear();
        fold(row, &mut folded);
        end += folded.len() + 1;
        if at < end {
            return row.to_owned();
        }
    }
    String::new()
}

/// Returns the part of a line around its first mark.
fn excerpt(query: &SearchQuery, line: &str) -> String {
    if line.chars().count() <= MAX_LINE_CHARS {
        return line.to_owned();
    }
    let first = query
        .wanted
        .ranges(line)
        .first()
        .map_or(0, |mark| mark.start);
    let before = line.get(..first).unwrap_or_default().chars().count();
    let skipped = before.saturating_sub(MAX_LINE_CHARS / 3);
    let part: String = line.chars().skip(skipped).take(MAX_LINE_CHARS).collect();
    if skipped > 0 {
        format!("…{part}")
    } else {
        part
    }
}
