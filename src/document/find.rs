//! Text search in a document, fast enough for a million rows.
//!
//! A row matches when its displayed text matches. Octets are scanned first, at memory speed, and only a line that could
//! match is parsed into a row. So the hidden selectors and hosts of a menu never match.

pub use super::filter_query::FilterQuery;
use super::model::Document;
pub use super::search_text::SearchText;
use crate::text::Text;

/// The direction of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Search to the end, then wrap to the top.
    Down,
    /// Search to the top, then wrap to the end.
    Up,
}

/// Finds the next row that matches. The search ends with row `from` itself. Slow on a long document: call it on a
/// blocking task, with a clone.
pub fn find(
    document: &Document,
    needle: &SearchText,
    from: usize,
    direction: Direction,
) -> Option<usize> {
    let count = document.count();
    let from = from.min(count.checked_sub(1)?);
    let matches = |&number: &usize| {
        document
            .octets_of(number)
            .is_none_or(|line| needle.could_be_in(line))
            && document.row(number).is_some_and(|row| needle.is_in(&row))
            || document.continues(number + 1) && is_across(document, needle, number)
    };
    match direction {
        Direction::Down => (from + 1..count).chain(0..=from).find(matches),
        Direction::Up => (0..from).rev().chain((from..count).rev()).find(matches),
    }
}

/// Returns true if the words begin at the end of row `number` and end in the row that continues its line.
fn is_across(document: &Document, needle: &SearchText, number: usize) -> bool {
    let near = needle.words().len() * 4;
    let text = |octets| Text::new(octets, document.charset()).to_string();
    let before = match document.octets_of(number) {
        Some(octets) => {
            let last = octets.get(octets.len().saturating_sub(near)..);
            text(last.unwrap_or_default())
        }
        None => document.row(number).map_or(String::new(), |row| row.text()),
    };
    let behind = document.octets_of(number + 1).unwrap_or_default();
    let behind = text(behind.get(..near).unwrap_or(behind));
    let matches = needle.matches(&format!("{before}{behind}"));
    let cut = before.len();
    matches
        .iter()
        .any(|found| found.start < cut && found.end > cut)
}
