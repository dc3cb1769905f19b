//! The marked rows of a list, for commands on several rows at once.

use geomys_page::document::{Link, RowOrigin};

use crate::app::view::context::ViewContext;
use crate::app::view::viewport::Viewport;

impl Viewport {
    /// Marks the row of the cursor, or removes its mark, and moves one row down.
    pub(super) fn toggle_mark(&mut self, at: &mut ViewContext<'_>) {
        let Some(line) = self.line_with_link(self.position.cursor) else {
            return at.cx.notify("no link on this row");
        };
        if !self.marked.remove(&line) {
            self.marked.insert(line);
        }
        self.step(1, at.area);
        let marked = match self.marked.len() {
            1 => "1 row is marked".to_owned(),
            count => format!("{count} rows are marked"),
        };
        at.cx.notify(&marked);
    }

    /// Returns true if a row is marked.
    pub fn is_marked(&self, row: usize) -> bool {
        !self.marked.is_empty()
            && self
                .line_with_link(row)
                .is_some_and(|line| self.marked.contains(&line))
    }

    /// Returns the line of a row in a list, if the row has a link.
    pub(super) fn line_with_link(&self, row: usize) -> Option<usize> {
        let line = self.document.origin(row)?.line()?;
        (self.is_list() && self.document.is_link(row)).then_some(line)
    }

    /// Returns the links of the marked rows, in the order of the rows. Rows that are hidden now are left out.
    pub(crate) fn marked_links(&self) -> Vec<Link> {
        let lines = self.marked.iter();
        let rows = lines.filter_map(|line| self.document.row_of(RowOrigin::Line(*line)));
        // The row of a hidden article may be that of its thread.
        let mut rows: Vec<usize> = rows.filter(|row| self.is_marked(*row)).collect();
        rows.sort_unstable();
        rows.dedup();
        rows.into_iter()
            .filter_map(|row| self.document.link(row, 0))
            .collect()
    }
}
