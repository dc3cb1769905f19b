//! The numbers of the links of a text, which stand beside its rows as those of a menu do.

use super::body::Body;
use super::model::Document;

/// The largest number of rows whose links are numbered: to find them takes time for each row.
const MAX_ROWS: usize = 4000;

/// The rows of the body in which a link begins, in their order, one for each link.
#[derive(Clone, Debug, Default)]
pub(super) struct LinkNumbers {
    rows: Vec<u32>,
    /// The number of rows that were searched.
    scanned: usize,
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
    /// Numbers the links of new rows.
    pub(super) fn number_new_links(&mut self, is_complete: bool) {
        if !matches!(self.body, Body::Text(_) | Body::Web(_) | Body::Article(_)) {
            return;
        }
        let (rows, source) = (self.rows(), self.source());
        let count = rows.count(source);
        // The last row may still be growing.
        let count = if is_complete {
            count
        } else {
            count.saturating_sub(1)
        };
        let new = self.numbers.scanned..count.min(MAX_ROWS);
        let mut found = Vec::new();
        for row in new.clone().filter(|row| rows.is_link(source, *row)) {
            let begun_before = usize::from(rows.continues_link(source, row));
            let links = rows.link_count(source, row).saturating_sub(begun_before);
            let row = u32::try_from(row).unwrap_or(u32::MAX);
            found.extend(std::iter::repeat_n(row, links));
        }
        self.numbers.rows.extend(found);
        self.numbers.scanned = new.end.max(new.start);
    }

    /// Numbers all links again, after the rows have changed.
    pub(super) fn number_links(&mut self) {
        self.numbers = LinkNumbers::default();
        self.number_new_links(true);
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

    /// The highest link number so far; 0 where links are not numbered.
    pub fn highest_link_number(&self) -> usize {
        let own = self.rows().highest_link_number(self.source());
        own.max(self.numbers.rows.len())
    }
}
