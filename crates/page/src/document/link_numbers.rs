//! The numbers of the links of a text, which stand beside its rows as those of a menu do.

use super::body::Body;
use super::model::Document;
use super::text_line::BRACKET_LINES;

/// The largest numbers of rows whose links are numbered with a part that arrives, and when rows are folded: to find
/// links takes time for each row. The links of all rows are numbered when the document is finished.
const NEW_ROWS: usize = 4000;
const FOLDED_ROWS: usize = 20_000;

/// The rows of the body in which a link begins, in their order, one for each link.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkNumbers {
    rows: Vec<u32>,
    /// The number of rows that no later row changes.
    settled: usize,
    /// The number of rows that were searched for links.
    searched: usize,
    /// True if links are not numbered, as no pane shows the document.
    is_off: bool,
}

impl LinkNumbers {
    /// Returns the number of the first link that begins in a row, from 1.
    pub(super) fn first_in(&self, row: usize) -> Option<usize> {
        let before = self.before(row);
        let begins = self.rows.get(before).copied();
        begins
            .is_some_and(|begins| begins as usize == row)
            .then_some(before + 1)
    }

    fn before(&self, row: usize) -> usize {
        self.rows.partition_point(|&other| (other as usize) < row)
    }
}

impl Document {
    /// Returns true if links are numbered, and not those of all rows.
    pub(super) fn has_unnumbered_links(&self) -> bool {
        self.has_own_numbers() && self.rows().count(self.source()) > self.numbers.searched
    }

    fn has_own_numbers(&self) -> bool {
        let is_numbered = matches!(self.body, Body::Text(_) | Body::Web(_) | Body::Article(_));
        is_numbered && !self.numbers.is_off
    }

    /// Numbers the links of new rows, and again those of the rows before them that new ones may change.
    pub(super) fn number_new_links(&mut self) {
        self.number_next_links(NEW_ROWS);
    }

    /// Numbers the links of the next rows, `most` at the most.
    fn number_next_links(&mut self, most: usize) {
        if !self.has_own_numbers() {
            return;
        }
        let (rows, source) = (self.rows(), self.source());
        let count = rows.count(source);
        let count = count.min(self.numbers.settled.saturating_add(most));
        let settled = self.numbers.settled.min(count);
        // A URL in a text begins in a row with a colon, except where a charset can hide it. To search for links takes
        // longer.
        let is_plain = matches!(self.body, Body::Text(_)) && !source.charset.is_stateful();
        let has_colon = |row| {
            let octets = rows.octets(source, row).unwrap_or_default();
            memchr::memchr(b':', octets).is_some()
        };
        let mut found = Vec::new();
        for row in settled..count {
            if is_plain && !has_colon(row) || !rows.is_link(source, row) {
                continue;
            }
            let begun_before = usize::from(rows.continues_link(source, row));
            let links = rows.link_count(source, row).saturating_sub(begun_before);
            let row = u32::try_from(row).unwrap_or(u32::MAX);
            found.extend(std::iter::repeat_n(row, links));
        }
        let before = self.numbers.before(settled);
        self.numbers.rows.truncate(before);
        self.numbers.rows.extend(found);
        // The last row may still be growing.
        let open = BRACKET_LINES + 1;
        self.numbers.settled = settled.max(count.saturating_sub(open));
        self.numbers.searched = count;
    }

    /// Numbers all links again, after the rows have changed. Slow for a long page.
    pub(super) fn number_all_links(&mut self) {
        self.number_again(usize::MAX);
    }

    /// Numbers the links again, after rows were folded or unfolded.
    pub(super) fn number_folded_links(&mut self) {
        self.number_again(FOLDED_ROWS);
    }

    fn number_again(&mut self, most: usize) {
        self.forget_numbers();
        self.number_next_links(most);
    }

    /// Returns the empty document without what only a pane needs: the numbers of links, and the lengths of the lines of
    /// a text, and the rows that fold something.
    #[must_use]
    pub fn for_output(mut self) -> Self {
        self.numbers.is_off = true;
        self.prepare_for_output();
        self
    }

    /// Leaves out what only a pane needs, if the document is for output.
    pub(super) fn prepare_for_output(&mut self) {
        match &mut self.body {
            _ if !self.numbers.is_off => {}
            Body::Text(text) => text.leave_unmeasured(),
            Body::Gemtext(gemtext) => gemtext.add_no_words(),
            Body::Web(web) => web.prepare_for_output(),
            _ => {}
        }
    }

    /// Forgets the numbers, as those of other rows.
    pub(super) fn forget_numbers(&mut self) {
        self.numbers = LinkNumbers {
            is_off: self.numbers.is_off,
            ..LinkNumbers::default()
        };
    }

    /// The visible row with the link that has this number, and the index of the link in it, where links are numbered.
    pub fn numbered_link(&self, number: usize) -> Option<(usize, usize)> {
        if let Some(row) = self.rows().row_of_link(self.source(), number) {
            return Some((self.position(row)?, 0));
        }
        let at = number.checked_sub(1)?;
        let row = *self.numbers.rows.get(at)? as usize;
        let begun_before = usize::from(self.rows().continues_link(self.source(), row));
        let index = at - self.numbers.before(row) + begun_before;
        Some((self.position(row)?, index))
    }

    /// The visible row whose link has this number, where links are numbered.
    pub fn row_of_link(&self, number: usize) -> Option<usize> {
        self.numbered_link(number).map(|(row, _)| row)
    }

    /// The number of the first link in the text of a visible row with this many links, which may begin in a row above;
    /// `None` where links have no numbers of their own, and in a row that was not searched yet.
    pub fn number_of_first_link(&self, number: usize, links: usize) -> Option<usize> {
        let row = self.unfiltered(number)?;
        if !self.has_own_numbers() || row >= self.numbers.searched {
            return None;
        }
        let before = self.numbers.before(row);
        let begun_before = links > self.numbers.before(row + 1) - before;
        (before + 1).checked_sub(usize::from(begun_before))
    }

    /// The highest link number so far; 0 where links are not numbered.
    pub fn highest_link_number(&self) -> usize {
        let own = self.rows().highest_link_number(self.source());
        own.max(self.numbers.rows.len())
    }
}
