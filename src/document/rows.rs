//! How a body turns lines into rows.

use std::ops::Range;

use super::arrangement::Named;
use super::{Column, Link, Order, Origin, Raw, Row, Shown};
use crate::text::{Charset, Text};
use crate::url::Url;

/// What a body reads its rows from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    pub(super) url: &'a Url,
    pub(super) raw: &'a Raw,
    pub(super) charset: Charset,
}

/// How a body turns lines into rows. Rows are numbered from 0; a number past the end gives nothing.
pub(super) trait Rows {
    /// Rows so far.
    fn count(&self, source: Source<'_>) -> usize {
        source.raw.lines()
    }

    /// Row `number`, as it is shown.
    fn row(&self, source: Source<'_>, number: usize) -> Option<Row>;

    /// The octets that row `number` is made of, where its text stands in them as it is shown; for searching.
    fn octets<'a>(&'a self, source: Source<'a>, number: usize) -> Option<&'a [u8]> {
        source.raw.line(number)
    }

    /// Whether row `number` continues the line of the row before it, which is too long for one row.
    fn continues(&self, _source: Source<'_>, _number: usize) -> bool {
        false
    }

    /// Those links of row `number` that `which` holds, in the order in which they stand. No URL of another is built.
    fn links(&self, source: Source<'_>, number: usize, which: Range<usize>) -> Vec<Link>;

    /// How many links row `number` has. Builds no URL.
    fn link_count(&self, source: Source<'_>, number: usize) -> usize;

    /// Whether row `number` has a link. Cheap: it is asked of many rows in a row.
    fn is_link(&self, source: Source<'_>, number: usize) -> bool {
        self.link_count(source, number) > 0
    }

    /// The row whose link has this number, where links are numbered.
    fn numbered(&self, _source: Source<'_>, _number: usize) -> Option<usize> {
        None
    }

    /// The highest number that a link has so far; 0 where links are not numbered.
    fn numbers(&self, _source: Source<'_>) -> usize {
        0
    }

    /// More octets have come.
    fn arrived(&mut self, _source: Source<'_>) {}

    /// All octets have come. Runs on a blocking task: it may take its time.
    fn finish(&mut self, _source: Source<'_>) {}

    /// Whether [`Rows::finish`] has something to do.
    fn wants_finish(&self) -> bool {
        false
    }

    /// Rows of a list are walked one by one; a text is scrolled.
    fn is_list(&self) -> bool;

    /// What the content calls itself, once that is known.
    fn title(&self, _source: Source<'_>) -> Option<Text> {
        None
    }

    /// By what the rows can be sorted.
    fn columns(&self) -> &'static [Column] {
        &[]
    }

    /// How the rows are sorted; nothing where they cannot be.
    fn order(&self) -> Option<Order> {
        None
    }

    /// Sorts the rows. Runs on a blocking task: it may take its time.
    fn sort(&mut self, _source: Source<'_>, _order: Order) {}

    /// Which articles of a group have a row.
    fn shown(&self) -> Shown {
        Shown::default()
    }

    /// Gives a row to these articles of a group; to all of them, each by itself, where a filter is to choose among them.
    /// Whether rows have changed. Runs on a blocking task: it may take its time.
    fn show(&mut self, _source: Source<'_>, _shown: Shown, _filtered: bool) -> bool {
        false
    }

    /// Octets of memory that it takes besides those that it is made from.
    fn memory(&self) -> usize {
        0
    }

    /// What a row is made of.
    fn origin(&self, row: usize) -> Option<Origin> {
        Some(Origin::Line(row))
    }

    /// The row that is made of this.
    fn row_of(&self, origin: Origin) -> Option<usize> {
        match origin {
            Origin::Line(line) => Some(line),
            Origin::Up | Origin::Remark(..) => None,
        }
    }

    /// By what a filter judges row `number`.
    fn named<'a>(&'a self, _source: Source<'a>, _number: usize) -> Named<'a> {
        Named::Text
    }
}

/// The link of a row that has one at most, if it is wanted.
pub(super) fn only(which: &Range<usize>, link: impl FnOnce() -> Option<Link>) -> Vec<Link> {
    let is_wanted = which.contains(&0);
    is_wanted.then(link).flatten().into_iter().collect()
}
