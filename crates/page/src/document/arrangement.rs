//! The arrangement of a list's rows: their order, and the subset that is visible.

use std::sync::Arc;

use super::continuation::ContinuationRows;
use super::filter::FilterQuery;
use super::filter::RowFilter;
use super::folds::{ArticleVisibility, ReadRows};
use super::groups::GroupListBody;
use super::model::Document;
use super::order::{ListOrder, SortColumn};
use super::row::RowOrigin;

/// The order and the visible subset of a list's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// The sort order; nothing where the rows cannot be sorted.
    pub order: Option<ListOrder>,
    /// The words that a row must contain to be visible; nothing shows all rows.
    pub filter: Option<FilterQuery>,
    /// The articles of a group that have a row.
    pub visibility: ArticleVisibility,
}

impl Document {
    /// Returns the document sorted by `order`. Slow: call it on a clone, on a blocking task.
    #[must_use]
    pub fn sorted(self, order: ListOrder) -> Self {
        let arrangement = Arrangement {
            order: Some(order),
            ..self.arrangement()
        };
        self.arranged(arrangement)
    }

    /// Returns the document finished, its rows sorted and filtered. Slow: call it on a clone, on a blocking task.
    #[must_use]
    pub fn arranged(mut self, arrangement: Arrangement) -> Self {
        let Arrangement {
            order,
            filter,
            mut visibility,
        } = arrangement;
        let has_new_rows = self.rows().needs_finish();
        if self.needs_finish() {
            self = self.finished();
        }
        if has_new_rows {
            // The folds of other rows, by line, mean nothing here. The stored folds were applied.
            visibility.folds = self.rows().visibility().folds;
        }
        let mut old = self.filter.take();
        let is_new = |order: &ListOrder| {
            self.columns().contains(&order.column) && self.order().is_some_and(|now| now != *order)
        };
        let order = order.filter(is_new);
        let (rows, source) = self.rows_mut();
        if let Some(order) = order {
            rows.sort(source, order);
            old = None;
        }
        if rows.set_visibility(source, visibility, filter.is_some()) {
            old = None;
        }
        let (rows, source) = (self.rows(), self.source());
        let filter = filter.map(|query| match old {
            Some(old) if query.narrows(&old.query) => old.narrowed(query, rows, source),
            Some(_) | None => RowFilter::new(query, rows, source),
        });
        self.filter = filter.map(Arc::new);
        self.find_continuations();
        self
    }

    /// The current arrangement of the rows.
    pub fn arrangement(&self) -> Arrangement {
        Arrangement {
            order: self.order(),
            filter: self.filter.as_ref().map(|filter| filter.query.clone()),
            visibility: self.rows().visibility(),
        }
    }

    /// The arrangement for the same page loaded again. A list of subscribed groups stays one, also where it has all
    /// groups as none is subscribed.
    pub fn lasting_arrangement(&self) -> Arrangement {
        let mut arrangement = self.arrangement();
        let groups = self.body.groups();
        if groups.is_some_and(GroupListBody::is_only_subscribed) {
            arrangement.visibility.read = ReadRows::LeftOut;
        }
        arrangement
    }

    /// The columns by which the rows can be sorted.
    pub fn columns(&self) -> &'static [SortColumn] {
        self.rows().columns()
    }

    /// The sort order of the rows; nothing where they cannot be sorted.
    pub fn order(&self) -> Option<ListOrder> {
        self.rows().order()
    }

    /// The filter: its query, the number of rows that match, the number of rows that could match.
    pub fn filter_summary(&self) -> Option<(&str, usize, usize)> {
        let filter = self.filter.as_ref()?;
        Some((filter.query.typed(), filter.count(), filter.total))
    }

    /// The number of row `number` in `other`, the same document after it was sorted or filtered. When the row is hidden
    /// there, the number of the next visible row.
    pub fn moved_to(&self, number: usize, other: &Self) -> Option<usize> {
        let row = other.rows().row_of(self.origin(number)?)?;
        Some(other.nearest(row))
    }

    /// The initial row of the cursor: the first row that is not a remark.
    pub fn initial_row(&self) -> usize {
        let is_remark = |row: &usize| matches!(self.origin(*row), Some(RowOrigin::Remark(..)));
        let rows = 0..self.count();
        rows.take_while(is_remark).count()
    }

    /// The part of the document that row `number` shows.
    pub fn origin(&self, number: usize) -> Option<RowOrigin> {
        self.rows().origin(self.row_in_body(number)?.0)
    }

    /// The row that shows this part of the document; nothing when it is hidden.
    pub fn row_of(&self, origin: RowOrigin) -> Option<usize> {
        self.position(self.rows().row_of(origin)?)
    }

    /// The row of the body that visible row `number` shows or continues, and the piece that it shows if it continues
    /// one.
    pub(super) fn row_in_body(&self, number: usize) -> Option<(usize, Option<usize>)> {
        let (record, piece) = self.continuations.record(number);
        let row = match &self.filter {
            Some(filter) => filter.row(record)?,
            None => record,
        };
        Some((row, piece))
    }

    /// The visible row of a row of the body; when it is hidden, the next visible row.
    pub(super) fn nearest(&self, row: usize) -> usize {
        let record = match &self.filter {
            Some(filter) => filter.nearest(row),
            None => row,
        };
        self.continuations.row_of(record)
    }

    /// The visible row of a row of the body; nothing when it is hidden.
    pub(super) fn position(&self, row: usize) -> Option<usize> {
        let record = match &self.filter {
            Some(filter) => filter.position(row)?,
            None => row,
        };
        Some(self.continuations.row_of(record))
    }

    /// Finds the rows that continue long records among the visible rows.
    pub(super) fn find_continuations(&mut self) {
        let (rows, source) = (self.rows(), self.source());
        self.continuations = match &self.filter {
            _ if !self.shape.has_records() => ContinuationRows::default(),
            Some(filter) => ContinuationRows::new(filter.rows(), rows, source),
            None => ContinuationRows::new(0..rows.count(source), rows, source),
        };
    }
}
