//! The marked rows of a list, for commands on several rows at once.

use std::collections::BTreeSet;

use geomys_page::document::{Link, RowOrigin};
use geomys_wire::protocol::nntp::glob;
use geomys_wire::text;

use crate::app::dialogs::text_input::{InputCommand, TextInput};
use crate::app::view::context::{Outcome, ViewContext};
use crate::app::view::viewport::Viewport;
use crate::app::{Context, Dialog};

impl Viewport {
    /// Marks the row of the cursor, or removes its mark, and moves one row down.
    pub(super) fn toggle_mark(&mut self, at: &mut ViewContext<'_>) {
        let Some(line) = self.line_with_link(self.position.cursor) else {
            return at.cx.notify("No link on this row");
        };
        if !self.marked.remove(&line) {
            self.marked.insert(line);
        }
        self.scroller(at.area).step(1);
        self.notify_marks(at.cx);
    }

    /// Marks all shown rows with a link; removes all marks if there are any.
    pub(super) fn mark_rows(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        let chosen = if self.marked.is_empty() {
            self.lines_with_links()
        } else {
            BTreeSet::new()
        };
        self.replace_marks(chosen, at.cx)
    }

    /// Marks the shown rows that are not marked, and no others.
    pub(super) fn invert_marks(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        let shown = self.lines_with_links();
        self.replace_marks(&shown - &self.marked, at.cx)
    }

    /// Asks for the pattern of the rows to mark.
    pub(super) fn ask_mark_pattern(&self) -> Outcome {
        if !self.is_list() {
            return Outcome::Ignored;
        }
        let input = TextInput::new(InputCommand::MarkPattern, "");
        Dialog::input("Mark names like *.txt", input).into()
    }

    /// Marks the shown rows whose names match a pattern, beside those that are marked: `*` is any text, `?` any character.
    pub(crate) fn mark_pattern(&mut self, pattern: &str, cx: &mut Context) {
        let pattern = pattern.trim().to_lowercase();
        let matches = |row: &usize| {
            let link = self.document.link(*row, 0);
            link.is_some_and(|link| {
                let name = link.label.as_str().to_lowercase();
                glob(pattern.as_bytes(), name.trim_end_matches('/').as_bytes())
            })
        };
        let rows = (0..self.count()).filter(matches);
        let chosen: Vec<usize> = rows.filter_map(|row| self.line_with_link(row)).collect();
        self.marked.extend(chosen);
        self.notify_marks(cx);
    }

    fn replace_marks(&mut self, marked: BTreeSet<usize>, cx: &mut Context) -> Outcome {
        if !self.is_list() {
            return Outcome::Ignored;
        }
        self.marked = marked;
        self.notify_marks(cx);
        Outcome::Done
    }

    fn notify_marks(&self, cx: &mut Context) {
        let marked = match self.marked.len() {
            1 => "1 row is marked".to_owned(),
            count => format!("{} rows are marked", text::count(count)),
        };
        cx.notify(&marked);
    }

    fn lines_with_links(&self) -> BTreeSet<usize> {
        let rows = 0..self.count();
        rows.filter_map(|row| self.line_with_link(row)).collect()
    }

    /// Returns true if a row is marked.
    pub fn is_marked(&self, row: usize) -> bool {
        !self.marked.is_empty()
            && self
                .line_with_link(row)
                .is_some_and(|line| self.marked.contains(&line))
    }

    /// Returns the line of a row in a list, if the row has a link.
    fn line_with_link(&self, row: usize) -> Option<usize> {
        let line = self.document.origin(row)?.line()?;
        (self.is_list() && self.document.is_link(row)).then_some(line)
    }

    /// Returns the links of the marked rows, in the order of the rows; those of articles in the order of their numbers, in
    /// which a series was posted. Rows that are hidden now are left out.
    pub(crate) fn marked_links(&self) -> Vec<Link> {
        let lines = self.marked.iter();
        let rows = lines.filter_map(|line| self.document.row_of(RowOrigin::Line(*line)));
        // The row of a hidden article may be that of its thread.
        let mut rows: Vec<usize> = rows.filter(|row| self.is_marked(*row)).collect();
        let number = |row: usize| self.document.article(row).map(|article| article.number);
        rows.sort_unstable_by_key(|&row| (number(row), row));
        rows.dedup();
        rows.into_iter()
            .filter_map(|row| self.document.link(row, 0))
            .collect()
    }
}
