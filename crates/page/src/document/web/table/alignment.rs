//! The alignment of cells, by the attributes and the style of their elements, and of the columns that the markup names.

use std::iter;

use super::COLUMNS;
use crate::document::web::tag::StartTag;

/// Where the text of a cell stands in its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::document::web) enum Alignment {
    #[default]
    Left,
    Centre,
    Right,
}

impl Alignment {
    /// Reads the alignment of an element: its attribute, else that of its style.
    pub(in crate::document::web) fn of(element: &StartTag<'_>) -> Option<Self> {
        let value = element.style("text-align").or(element.value("align"))?;
        match value.trim().to_ascii_lowercase().as_str() {
            "left" | "justify" | "start" => Some(Self::Left),
            "center" | "centre" | "middle" => Some(Self::Centre),
            "right" | "end" | "char" => Some(Self::Right),
            _ => None,
        }
    }

    /// The blanks before a text of this width in these columns.
    pub(super) fn blanks(self, width: usize, columns: usize) -> usize {
        let free = columns.saturating_sub(width);
        match self {
            Self::Left => 0,
            Self::Centre => free / 2,
            Self::Right => free,
        }
    }
}

/// The columns of a table that its markup names.
#[derive(Debug, Default)]
pub(in crate::document::web) struct Columns {
    alignments: Vec<Option<Alignment>>,
    /// The alignment of the open group, and the number of columns that it has without `col`.
    group: Option<Alignment>,
    group_only: usize,
}

impl Columns {
    /// Takes the alignment of columns: of `col`, or of `colgroup`, which has columns of its own if no `col` is in it.
    pub(in crate::document::web) fn add(&mut self, element: &StartTag<'_>) {
        let own = Alignment::of(element);
        let is_group = element.name() == "colgroup";
        if is_group {
            self.group = own;
        } else {
            let others = self.alignments.len() - self.group_only;
            self.alignments.truncate(others);
        }
        let before = self.alignments.len();
        let columns = iter::repeat_n(own.or(self.group), element.count("span", COLUMNS));
        self.alignments.extend(columns);
        self.alignments.truncate(COLUMNS);
        let added = self.alignments.len() - before;
        self.group_only = if is_group { added } else { 0 };
    }

    /// Ends a group of columns.
    pub(in crate::document::web) fn end_group(&mut self) {
        self.group = None;
        self.group_only = 0;
    }

    /// The alignment of a column, from 0, if the markup states one.
    pub(super) fn alignment(&self, column: usize) -> Option<Alignment> {
        self.alignments.get(column).copied().flatten()
    }
}
