//! The marked rows of a list, for commands on several rows at once.

use std::collections::BTreeSet;

use geomys_page::document::{Document, Link, RowOrigin};
use geomys_wire::protocol::nntp::glob;
use geomys_wire::text;

use crate::dialogs::text_input::{InputCommand, TextInput};
use crate::view::context::Outcome;
use crate::{Context, Dialog};

/// The marked rows of a list, by their lines.
#[derive(Debug, Default)]
pub struct Marks {
    lines: BTreeSet<usize>,
}

impl Marks {
    /// Marks a row, or removes its mark. Returns false if the row has no link.
    pub(super) fn toggle(&mut self, row: usize, document: &Document, cx: &mut Context) -> bool {
        let Some(line) = line_with_link(document, row) else {
            cx.notify("No link on this row");
            return false;
        };
        if !self.lines.remove(&line) {
            self.lines.insert(line);
        }
        self.notify(cx);
        true
    }

    /// Marks all shown rows with a link; removes all marks if there are any.
    pub(super) fn mark_rows(&mut self, document: &Document, cx: &mut Context) -> Outcome {
        let chosen = if self.lines.is_empty() {
            lines_with_links(document)
        } else {
            BTreeSet::new()
        };
        self.replace(chosen, document, cx)
    }

    /// Marks the shown rows that are not marked, and no others.
    pub(super) fn invert(&mut self, document: &Document, cx: &mut Context) -> Outcome {
        let unmarked = &lines_with_links(document) - &self.lines;
        self.replace(unmarked, document, cx)
    }

    /// Marks the shown rows whose names match a pattern, beside those that are marked: `*` is any text, `?` any
    /// character.
    pub(crate) fn mark_pattern(&mut self, pattern: &str, document: &Document, cx: &mut Context) {
        let pattern = pattern.trim().to_lowercase();
        let matches = |row: &usize| {
            let link = document.link(*row, 0);
            link.is_some_and(|link| {
                let name = link.label.as_str().to_lowercase();
                glob(pattern.as_bytes(), name.trim_end_matches('/').as_bytes())
            })
        };
        let rows = (0..document.count()).filter(matches);
        self.lines
            .extend(rows.filter_map(|row| line_with_link(document, row)));
        self.notify(cx);
    }

    fn replace(
        &mut self,
        lines: BTreeSet<usize>,
        document: &Document,
        cx: &mut Context,
    ) -> Outcome {
        if !document.is_list() {
            return Outcome::Ignored;
        }
        self.lines = lines;
        self.notify(cx);
        Outcome::Done
    }

    fn notify(&self, cx: &mut Context) {
        let marked = match self.lines.len() {
            1 => "1 row is marked".to_owned(),
            count => format!("{} rows are marked", text::count(count)),
        };
        cx.notify(&marked);
    }

    /// Removes all marks. Returns false if there was none.
    pub(crate) fn clear(&mut self) -> bool {
        !std::mem::take(&mut self.lines).is_empty()
    }

    /// Returns true if a row is marked.
    pub fn is_marked(&self, row: usize, document: &Document) -> bool {
        !self.lines.is_empty()
            && line_with_link(document, row).is_some_and(|line| self.lines.contains(&line))
    }

    /// Returns the links of the marked rows, in the order of the rows; those of articles in the order of their numbers,
    /// in which a series was posted. Rows that are hidden now are left out.
    pub(crate) fn links(&self, document: &Document) -> Vec<Link> {
        let lines = self.lines.iter();
        let rows = lines.filter_map(|line| document.row_of(RowOrigin::Line(*line)));
        // The row of a hidden article may be that of its thread.
        let mut rows: Vec<usize> = rows.filter(|row| self.is_marked(*row, document)).collect();
        let number = |row: usize| document.article(row).map(|article| article.number);
        rows.sort_unstable_by_key(|&row| (number(row), row));
        rows.dedup();
        rows.into_iter()
            .filter_map(|row| document.link(row, 0))
            .collect()
    }
}

/// Asks for the pattern of the rows to mark.
pub(super) fn ask_mark_pattern(document: &Document) -> Outcome {
    if !document.is_list() {
        return Outcome::Ignored;
    }
    let input = TextInput::new(InputCommand::MarkPattern, "");
    Dialog::input("Mark names like *.txt", input).into()
}

fn lines_with_links(document: &Document) -> BTreeSet<usize> {
    let rows = 0..document.count();
    rows.filter_map(|row| line_with_link(document, row))
        .collect()
}

/// Returns the line of a row in a list, if the row has a link.
fn line_with_link(document: &Document, row: usize) -> Option<usize> {
    let line = document.origin(row)?.line()?;
    (document.is_list() && document.is_link(row)).then_some(line)
}
