//! The search of one text: in pieces, so that a text of any length takes the memory of one.
//!
//! The octets of a piece are folded at once and searched for the words; only a piece that has one is looked at by its
//! labels, paragraphs and rows.

use std::io::{self, Read};
use std::ops::Range;

use geomys_page::document::find::{FoldedText, ROW_ENDS};

use super::query::SearchQuery;
use super::{Rank, SearchHit};
use crate::files::cache::ShownText;

/// Octets of a piece.
const PIECE: usize = 256 * 1024;

/// Maximum length of the line of a hit, in characters.
const MAX_LINE_CHARS: usize = 300;

/// Buffers of a thread.
pub(super) struct Buffers {
    /// Octets of the text that were read.
    pub(super) octets: Vec<u8>,
    /// Folded piece, behind the end of the one before.
    folded: FoldedText,
    /// Folded paragraph or label.
    part: FoldedText,
}

impl Buffers {
    pub(super) fn new(query: &SearchQuery) -> Self {
        Self {
            octets: Vec::new(),
            folded: FoldedText::new(query.has_marks()),
            part: FoldedText::new(query.wanted.have_marks()),
        }
    }
}

/// What a search of a text has found.
pub(super) enum Found {
    /// The text has the words.
    Hit(Box<SearchHit>),
    /// It has not all of them.
    Nothing,
    /// It has an excluded word.
    Excluded,
}

/// A piece of a text.
struct Piece<'a> {
    text: &'a str,
    /// The piece, folded behind the end of the one before.
    folded: &'a FoldedText,
    /// The length of that end, in octets.
    before: usize,
    /// The place of the piece in the text.
    offset: u64,
}

/// What a text has of the words of a query.
struct Search<'a> {
    query: &'a SearchQuery,
    part: &'a mut FoldedText,
    /// The words that occur, in their order.
    has: Vec<bool>,
    /// Those that occur as whole words.
    whole: Vec<bool>,
    /// Those of the piece or label that is looked at.
    here: Vec<bool>,
    count: usize,
    first_row: Option<String>,
    /// The row of the first occurrence of a word.
    hit_row: Option<String>,
    /// The row of the first label that has all words.
    label_row: Option<String>,
    /// The row of the first paragraph that has all words.
    near_row: Option<String>,
    /// The words of the paragraph that goes on, and the row of the first one.
    paragraph: (Vec<bool>, Option<String>),
    /// The labels from the present piece on, once they were read; none where their words do not count.
    labels: Option<std::vec::IntoIter<Range<u64>>>,
}

/// Searches a text, whose beginning is in the buffers.
pub(super) fn search(
    query: &SearchQuery,
    text: ShownText,
    buffers: &mut Buffers,
) -> io::Result<Found> {
    if query.is_excluded_title(&text.title) {
        return Ok(Found::Excluded);
    }
    let Buffers {
        octets,
        folded,
        part,
    } = buffers;
    let count = query.wanted.iter().count();
    let is_titled = query.in_title(&text.title).is_some();
    let mut search = Search {
        query,
        part,
        has: vec![false; count],
        whole: vec![false; count],
        here: vec![false; count],
        count: 0,
        first_row: None,
        hit_row: None,
        label_row: None,
        near_row: None,
        paragraph: (vec![false; count], None),
        labels: (is_titled || !text.has_labels()).then(|| Vec::new().into_iter()),
    };
    let is_excluded = read_pieces(query, &text, (octets, folded), &mut |piece| {
        search.look(piece, &text)
    })?;
    if is_excluded {
        return Ok(Found::Excluded);
    }
    search.look_at_title(&text.title);
    if !query.are_met(&search.has) {
        return Ok(Found::Nothing);
    }
    let rank = if is_titled {
        Rank::Title
    } else if search.label_row.is_some() {
        Rank::Link
    } else if search.near_row.is_some() {
        Rank::Near
    } else {
        Rank::Far
    };
    let row = search.label_row.or(search.near_row).or(search.hit_row);
    let row = row.or(search.first_row).unwrap_or_default();
    Ok(Found::Hit(Box::new(SearchHit {
        date: Some(text.date),
        key: text.key,
        url: text.url,
        title: text.title,
        line: excerpt(query, &row),
        count: search.count,
        is_part: !query.are_met(&search.whole),
        rank,
    })))
}

/// Reads a text to its end, and passes each piece on. Returns true as soon as it has an excluded word.
fn read_pieces(
    query: &SearchQuery,
    text: &ShownText,
    (octets, folded): (&mut Vec<u8>, &mut FoldedText),
    look: &mut dyn FnMut(&Piece<'_>) -> io::Result<()>,
) -> io::Result<bool> {
    folded.clear();
    // A phrase may begin in one piece and end in the next; the letter before it tells whether it is a part of a word.
    let words = query.wanted.iter().chain(query.excluded.iter());
    let carried = words
        .map(|word| word.max_length() + char::MAX.len_utf8())
        .max()
        .unwrap_or_default();
    let (mut rest, mut left) = (&text.rest.0, text.rest.1);
    let (mut is_end, mut offset) = (false, 0);
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
        let before = folded.keep_end(carried);
        folded.push(piece);
        let mut excluded = query.excluded.iter();
        if excluded.any(|word| word.places(folded, before).next().is_some()) {
            return Ok(true);
        }
        look(&Piece {
            text: piece,
            folded,
            before,
            offset,
        })?;
        // The end of the row is a blank between the words.
        octets.drain(..end);
        offset += end as u64;
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

impl Search<'_> {
    fn look(&mut self, piece: &Piece<'_>, text: &ShownText) -> io::Result<()> {
        let [row, paragraph] = ROW_ENDS.map(char::from);
        if self.first_row.is_none() {
            let first = piece.text.split([row, paragraph]).next();
            self.first_row = first.map(str::to_owned);
        }
        let Some(first) = self.count_words(piece) else {
            if self.near_row.is_none() && piece.text.contains(paragraph) {
                self.end_paragraph();
            }
            return Ok(());
        };
        if self.hit_row.is_none() {
            // A place in the folded piece is one in the piece.
            let at = first.saturating_sub(piece.before);
            self.hit_row = piece.text.is_ascii().then(|| row_at(piece.text, at));
        }
        if self.label_row.is_none() && self.query.are_met(&self.here) {
            self.look_at_labels(piece, text)?;
        }
        if self.near_row.is_some() {
            return Ok(());
        }
        for (number, part) in piece.text.split(paragraph).enumerate() {
            if number > 0 {
                self.end_paragraph();
            }
            self.look_at_paragraph(part);
            if self.near_row.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Counts the words in a piece. Returns the place of the first one.
    fn count_words(&mut self, piece: &Piece<'_>) -> Option<usize> {
        let mut first: Option<usize> = None;
        let flags = self.has.iter_mut().zip(&mut self.whole);
        let flags = flags.zip(&mut self.here);
        for (word, ((has, whole), here)) in self.query.wanted.iter().zip(flags) {
            let mut count = 0;
            for place in word.places(piece.folded, piece.before) {
                first = Some(first.map_or(place.start, |first| first.min(place.start)));
                *whole = *whole || word.is_whole(piece.folded, &place);
                count += 1;
            }
            self.count += count;
            *has |= count > 0;
            *here = count > 0;
        }
        first
    }

    /// Looks for a label in a piece that has all words.
    fn look_at_labels(&mut self, piece: &Piece<'_>, text: &ShownText) -> io::Result<()> {
        let labels = match &mut self.labels {
            Some(labels) => labels,
            labels => labels.insert(text.labels()?.into_iter()),
        };
        let end = piece.offset + piece.text.len() as u64;
        while let Some(label) = labels.as_slice().first().filter(|label| label.start < end) {
            let at = |place: u64| usize::try_from(place.checked_sub(piece.offset)?).ok();
            let place = at(label.start).zip(at(label.end));
            labels.next();
            let Some((start, label)) =
                place.and_then(|(start, end)| Some((start, piece.text.get(start..end)?)))
            else {
                continue;
            };
            self.part.clear();
            self.part.push(label);
            for (word, here) in self.query.wanted.iter().zip(&mut self.here) {
                *here = word.places(self.part, 0).next().is_some();
            }
            if self.query.are_met(&self.here) {
                self.label_row = Some(row_at(piece.text, start));
                break;
            }
        }
        Ok(())
    }

    fn end_paragraph(&mut self) {
        self.paragraph.0.fill(false);
        self.paragraph.1 = None;
    }

    /// Looks at a paragraph, or the part of one in a piece.
    fn look_at_paragraph(&mut self, part: &str) {
        self.part.clear();
        self.part.push(part);
        let (has, row) = &mut self.paragraph;
        let mut first: Option<usize> = None;
        for (word, has) in self.query.wanted.iter().zip(has.iter_mut()) {
            let mut places = word.places(self.part, 0);
            if let Some(place) = places.next() {
                first = Some(first.map_or(place.start, |first| first.min(place.start)));
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
        let title = self.query.wanted.fold(title);
        let flags = self.has.iter_mut().zip(&mut self.whole);
        let flags = flags.zip(&mut self.here);
        for (word, ((has, whole), here)) in self.query.wanted.iter().zip(flags) {
            let mut count = 0;
            for place in word.places(&title, 0) {
                *whole = *whole || word.is_whole(&title, &place);
                count += 1;
            }
            self.count += count;
            *has |= count > 0;
            *here = count > 0;
        }
        if self.query.are_met(&self.here) {
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
    let mut end = 0;
    for row in text.split(ROW_ENDS.map(char::from)) {
        end += FoldedText::of(row, false).octets().len() + 1;
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
