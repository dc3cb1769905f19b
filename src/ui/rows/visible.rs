//! A row on the screen, and the parts of its text that look different: links, colours and search matches.

use std::ops::Range;

use geomys_page::document::Row;
use geomys_page::document::row::Span;
use geomys_wire::text::{StyledRanges, Text};

use super::MIN_SHARED;

pub(super) type Spans = Vec<(Range<usize>, Option<usize>)>;

/// The octet ranges of a row's spans in its text, and the link of each.
pub(super) fn spans(row: &Row) -> Spans {
    let mut at = 0;
    let next_range = |text: &Text| {
        let start = at;
        at += text.as_str().len();
        start..at
    };
    let mut next_range = next_range;
    row.spans
        .iter()
        .map(|span| (next_range(&span.text), span.link))
        .collect()
}

/// The octet ranges of some of a row's spans, as those with the names of keys.
pub(super) fn ranges_of(row: &Row, is_one: fn(&Span) -> bool) -> Vec<Range<usize>> {
    let ranges = spans(row).into_iter().zip(&row.spans);
    let ranges = ranges.filter(|(_, span)| is_one(span));
    ranges.map(|((range, _), _)| range).collect()
}

/// The SGR styles of a row's spans, by octets of the row's text.
pub(super) fn sgr_styles(row: &Row) -> StyledRanges {
    let mut at = 0;
    let mut sgr_styles = StyledRanges::new();
    for span in &row.spans {
        let shifted = span.sgr_styles.iter();
        sgr_styles.extend(
            shifted.map(|(range, sgr_style)| (range.start + at..range.end + at, *sgr_style)),
        );
        at += span.text.as_str().len();
    }
    sgr_styles
}

/// A row with the data from which its lines are drawn.
pub(super) struct VisibleRow<'a> {
    pub(super) number: usize,
    pub(super) row: &'a Row,
    /// The text, as far as it is visible.
    pub(super) text: &'a str,
    /// The width of the whole text, but at most that of the pane.
    pub(super) width: usize,
    /// False if the row is scrolled sideways.
    pub(super) is_wrapped: bool,
    /// The columns that it shares with a row beside it: where it has no room for more, its middle is left out, not its
    /// end.
    pub(super) shared: usize,
    /// True for a file: its end, which tells versions and types apart, is always shown.
    pub(super) is_file: bool,
    pub(super) spans: Spans,
    /// The names of keys, as ranges of the text.
    pub(super) keys: Vec<Range<usize>>,
    /// The numbers of links, as ranges of the text.
    pub(super) link_numbers: Vec<Range<usize>>,
    pub(super) sgr_styles: StyledRanges,
    /// The matches of the last search, as ranges of the text.
    pub(super) matches: Vec<Range<usize>>,
    /// The marked part of the text.
    pub(super) selected: Vec<Range<usize>>,
    /// The one of the matches that the search is at.
    pub(super) current: Option<Range<usize>>,
}

/// Returns the columns that are left out of a text in less room than it needs: the first one, and their number. Column
/// `differs` is shown, and the end if it can be.
fn left_out(width: usize, room: usize, differs: usize) -> (usize, usize) {
    let hidden = width + 1 - room;
    let half = room / 2;
    let most = room.saturating_sub(1 + MIN_SHARED);
    if differs < half || differs >= half + hidden {
        (half, hidden)
    } else if differs + MIN_SHARED <= most {
        (differs + MIN_SHARED, hidden)
    } else if differs.saturating_sub(hidden + 1) >= MIN_SHARED {
        (differs - hidden - 1, hidden)
    } else {
        // Both ends are too far away: the text goes on behind what is shown.
        let head = MIN_SHARED.min(half);
        (head, differs.saturating_sub(head + 2).clamp(1, hidden))
    }
}

impl VisibleRow<'_> {
    /// Returns true if the words of the last search are in the row.
    pub(super) fn has_match(&self) -> bool {
        !self.matches.is_empty()
    }

    /// Returns the columns that are left out of a row in so much room: the first one, and their number. What differs
    /// from the row beside it is shown. None if the row fits, or only its end is left out.
    pub(super) fn left_out(&self, room: usize) -> Option<(usize, usize)> {
        let shows_end = self.is_file || self.shared >= room.max(MIN_SHARED);
        if !shows_end || self.width <= room {
            return None;
        }
        Some(left_out(self.width, room, self.shared))
    }

    /// Splits a range of the text wherever its style may change.
    pub(super) fn cuts(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut cuts = vec![range.start, range.end];
        within(&mut cuts, &self.spans, range, |(span, _)| span);
        within(&mut cuts, &self.keys, range, |key| key);
        within(&mut cuts, &self.link_numbers, range, |number| number);
        within(&mut cuts, &self.sgr_styles, range, |(styled, _)| styled);
        within(&mut cuts, &self.matches, range, |found| found);
        within(&mut cuts, &self.selected, range, |selected| selected);
        cuts.retain(|cut| (range.start..=range.end).contains(cut));
        cuts.sort_unstable();
        cuts.dedup();
        cuts.iter()
            .zip(cuts.iter().skip(1))
            .map(|(&start, &end)| start..end)
            .collect()
    }
}

/// Adds the edges of the parts that touch a range; `parts` is in order.
fn within<T>(
    cuts: &mut Vec<usize>,
    parts: &[T],
    range: &Range<usize>,
    range_of: impl Fn(&T) -> &Range<usize>,
) {
    let first = parts.partition_point(|part| range_of(part).end < range.start);
    let parts = parts.iter().skip(first).map(range_of);
    let parts = parts.take_while(|part| part.start <= range.end);
    cuts.extend(parts.flat_map(|part| [part.start, part.end]));
}

/// The part that contains an octet; `parts` is in order.
pub(super) fn at<T>(
    parts: &[T],
    octet: usize,
    range_of: impl Fn(&T) -> &Range<usize>,
) -> Option<&T> {
    let after = parts.partition_point(|part| range_of(part).end <= octet);
    parts
        .get(after)
        .filter(|part| range_of(part).contains(&octet))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_differs_is_shown(room in 14_usize..100, more in 1_usize..200, differs in 0_usize..300) {
            let width = room + more;
            prop_assume!(differs < width);
            let (start, count) = left_out(width, room, differs);
            // The last column is an ellipsis where the text goes on.
            let goes_on = width - count + 1 > room;
            let end = start + count + room - 1 - start - usize::from(goes_on);
            prop_assert!(start <= room && start + count <= width);
            prop_assert!(differs < start || (start + count..end).contains(&differs), "{start} {count} {end}");
        }
    }
}
