//! How the rows of a list are arranged: their order, and which of them are shown.

use std::sync::Arc;

use super::find::Needle;
use super::{Column, Document, Order, Rows, Shown, Source};

/// What is wanted of a list's rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrangement {
    /// How they are sorted; nothing where they cannot be.
    pub order: Option<Order>,
    /// What the names of those that are shown hold; nothing shows all.
    pub filter: Option<Needle>,
    /// Which articles of a group have a row.
    pub shown: Shown,
}

/// What a row is made of: it keeps this when rows change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The way up.
    Up,
    /// A remark, by its number: its title, or the line of this number.
    Remark(usize, Option<usize>),
    /// The line of this number.
    Line(usize),
}

/// The rows that a filter lets through.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    needle: Needle,
    /// The numbers that they have without it, in order.
    rows: Vec<u32>,
    /// Rows that have a name at all.
    of: usize,
}

/// By what a filter judges a row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named<'a> {
    /// It has no name, as the row that leads up: it is not shown while there is a filter.
    Nothing,
    /// By these octets.
    Octets(&'a [u8]),
    /// By its whole text, and the column on its left.
    Text,
    /// As [`Named::Text`]; by this name of a group, where the words are a pattern (RFC 3977, section 4).
    Group(&'a [u8]),
}

impl Document {
    /// The same document, sorted. Long: call it on a clone, on a blocking task.
    #[must_use]
    pub fn sorted(self, order: Order) -> Self {
        let arrangement = Arrangement {
            order: Some(order),
            ..self.arrangement()
        };
        self.arranged(arrangement)
    }

    /// The same document, finished, its rows sorted and filtered so. Long: call it on a clone, on a blocking task.
    #[must_use]
    pub fn arranged(mut self, arrangement: Arrangement) -> Self {
        if self.wants_finish() {
            self = self.finished();
        }
        let Arrangement {
            order,
            filter,
            shown,
        } = arrangement;
        let mut old = self.filter.take();
        let is_new = |order: &Order| {
            self.columns().contains(&order.column) && self.order().is_some_and(|now| now != *order)
        };
        let order = order.filter(is_new);
        let (rows, source) = self.rows_mut();
        if let Some(order) = order {
            rows.sort(source, order);
            old = None;
        }
        if rows.show(source, shown, filter.is_some()) {
            old = None;
        }
        let (rows, source) = (self.rows(), self.source());
        let filter = filter.map(|needle| match old {
            Some(old) if needle.narrows(old.needle()) => old.narrowed(needle, rows, source),
            Some(_) | None => Filter::new(needle, rows, source),
        });
        self.filter = filter.map(Arc::new);
        self
    }

    /// How its rows are arranged.
    pub fn arrangement(&self) -> Arrangement {
        Arrangement {
            order: self.order(),
            filter: self.filter.as_ref().map(|filter| filter.needle().clone()),
            shown: self.rows().shown(),
        }
    }

    /// By what its rows can be sorted.
    pub fn columns(&self) -> &'static [Column] {
        self.rows().columns()
    }

    /// How its rows are sorted; nothing where they cannot be.
    pub fn order(&self) -> Option<Order> {
        self.rows().order()
    }

    /// Its filter: the words, the rows that hold them, the rows that could.
    pub fn filtered(&self) -> Option<(&str, usize, usize)> {
        let filter = self.filter.as_ref()?;
        Some((filter.needle().words(), filter.count(), filter.of()))
    }

    /// Where the row `number` stands in `other`, the same document after it was sorted or filtered; where the next row
    /// does, when it is not shown there.
    pub fn moved_to(&self, number: usize, other: &Self) -> Option<usize> {
        let row = other.rows().row_of(self.origin(number)?)?;
        Some(match &other.filter {
            Some(filter) => filter.nearest(row),
            None => row,
        })
    }

    /// The row where the cursor rests until somebody moves it: the first that is no remark.
    pub fn rest(&self) -> usize {
        let is_remark = |row: &usize| matches!(self.origin(*row), Some(Origin::Remark(..)));
        let rows = 0..self.count();
        rows.take_while(is_remark).count()
    }

    /// What row `number` is made of.
    pub fn origin(&self, number: usize) -> Option<Origin> {
        self.rows().origin(self.unfiltered(number)?)
    }

    /// The row that is made of this, when it is shown.
    pub fn row_of(&self, origin: Origin) -> Option<usize> {
        let row = self.rows().row_of(origin)?;
        match &self.filter {
            Some(filter) => filter.place(row),
            None => Some(row),
        }
    }

    /// The number that row `number` has without the filter.
    pub(super) fn unfiltered(&self, number: usize) -> Option<usize> {
        match &self.filter {
            Some(filter) => filter.row(number),
            None => Some(number),
        }
    }
}

impl Filter {
    /// The rows whose name holds the words. Long on a long list.
    pub(super) fn new(needle: Needle, rows: &dyn Rows, source: Source<'_>) -> Self {
        let mut of = 0;
        let count = u32::try_from(rows.count(source)).unwrap_or(u32::MAX);
        let pattern = needle.pattern();
        let shown = (0..count).filter(|&row| {
            let named = rows.named(source, row as usize);
            of += usize::from(!matches!(named, Named::Nothing));
            match (&pattern, named) {
                (Some(pattern), Named::Group(name)) => pattern.fits(&name.to_ascii_lowercase()),
                (_, named) => is_shown(&needle, named, rows, source, row as usize),
            }
        });
        let rows = shown.collect();
        Self { needle, rows, of }
    }

    /// The same for more words: only what these let through can be let through by more.
    pub(super) fn narrowed(&self, needle: Needle, rows: &dyn Rows, source: Source<'_>) -> Self {
        let shown = self.rows.iter().copied().filter(|&row| {
            let named = rows.named(source, row as usize);
            is_shown(&needle, named, rows, source, row as usize)
        });
        let rows = shown.collect();
        Self {
            needle,
            rows,
            of: self.of,
        }
    }

    /// The words.
    pub(super) fn needle(&self) -> &Needle {
        &self.needle
    }

    /// Rows that are shown.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// Rows that could be.
    pub(super) fn of(&self) -> usize {
        self.of
    }

    /// The number that shown row `number` has without the filter.
    pub(super) fn row(&self, number: usize) -> Option<usize> {
        self.rows.get(number).map(|&row| row as usize)
    }

    /// Where a row is shown; where the next one is, when it is not.
    pub(super) fn nearest(&self, row: usize) -> usize {
        self.rows.partition_point(|&shown| (shown as usize) < row)
    }

    /// Where a row is shown.
    pub(super) fn place(&self, row: usize) -> Option<usize> {
        let place = self.nearest(row);
        (self.row(place) == Some(row)).then_some(place)
    }
}

fn is_shown(
    needle: &Needle,
    named: Named<'_>,
    rows: &dyn Rows,
    source: Source<'_>,
    row: usize,
) -> bool {
    match named {
        Named::Nothing => false,
        Named::Octets(octets) => needle.is_in_octets(octets, source.charset),
        Named::Text | Named::Group(_) => {
            rows.octets(source, row)
                .is_none_or(|octets| needle.could_be_in(octets))
                && rows.row(source, row).is_some_and(|row| needle.is_in(&row))
        }
    }
}
