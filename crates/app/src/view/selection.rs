//! The marked part of a text: lines that a key marks, or what the mouse is dragged over. It is copied as text, with the
//! lines of a wrapped row joined.

use std::ops::{Range, RangeInclusive};

use geomys_wire::text;

use crate::action::Action;
use crate::motion::{Edge, Motion};
use crate::view::context::{Outcome, ViewContext};
use crate::view::scroll::RowsOnScreen;
use crate::view::text_area::TextArea;
use crate::view::viewport::Viewport;
use crate::{Context, Effect};

/// The largest text that is copied, in octets: terminals drop longer ones.
const MAX_BYTES: usize = 1024 * 1024;

/// A place in a text: a row, and an octet of its text.
pub(crate) type TextPoint = (usize, usize);

/// A marked part of a text, until its rows are others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selection {
    anchor: TextPoint,
    end: TextPoint,
    /// True for whole lines, which the motion keys extend.
    by_lines: bool,
    /// True for what was copied when the mouse was released.
    is_copied: bool,
}

impl Selection {
    /// Returns the marked rows.
    fn rows(self) -> RangeInclusive<usize> {
        let (first, last) = self.ordered();
        first.0..=last.0
    }

    fn ordered(self) -> (TextPoint, TextPoint) {
        (self.anchor.min(self.end), self.anchor.max(self.end))
    }

    /// Returns the marked octets of a row with a text of this length; `None` if nothing of it is marked.
    pub fn range_in(self, row: usize, length: usize) -> Option<Range<usize>> {
        if !self.rows().contains(&row) {
            return None;
        }
        if self.by_lines {
            return Some(0..length);
        }
        let (first, last) = self.ordered();
        let start = if row == first.0 {
            first.1.min(length)
        } else {
            0
        };
        let end = if row == last.0 {
            last.1.min(length)
        } else {
            length
        };
        Some(start..end)
    }
}

impl Viewport {
    /// Marks the first line on the screen, or with marked lines the next one.
    pub(super) fn mark_lines(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        if self.count() == 0 {
            return Outcome::Ignored;
        }
        match self.selection.filter(|selection| selection.by_lines) {
            Some(selection) => self.extend(selection, 1, at.area),
            None => {
                let point = (self.position.top.0, 0);
                self.selection = Some(Selection {
                    anchor: point,
                    end: point,
                    by_lines: true,
                    is_copied: false,
                });
            }
        }
        let copy = at.cx.key_of(Action::CopyLink);
        let count = self
            .selection
            .map_or(0, |selection| selection.rows().count());
        at.cx.notify(&format!(
            "Lines marked: {count} (j k more or less, {copy} copy)"
        ));
        Outcome::Done
    }

    /// Extends marked lines by a motion. Returns false if no lines are marked: any other mark goes.
    pub(super) fn extend_by(&mut self, motion: Motion, area: TextArea) -> bool {
        let Some(selection) = self.selection.filter(|selection| selection.by_lines) else {
            self.selection = None;
            return false;
        };
        let rows = match motion {
            Motion::Rows(rows) => rows,
            Motion::Screens(..) => motion.rows(area.height, 0),
            Motion::Edge(Edge::Top) => isize::MIN,
            Motion::Edge(Edge::Bottom) => isize::MAX,
        };
        self.extend(selection, rows, area);
        true
    }

    fn extend(&mut self, selection: Selection, rows: isize, area: TextArea) {
        let last = self.count().saturating_sub(1);
        let end = selection.end.0.saturating_add_signed(rows).min(last);
        self.selection = Some(Selection {
            end: (end, 0),
            ..selection
        });
        if end <= self.position.top.0 {
            self.position.top = (end, 0);
        } else if end >= self.on_screen(area).last_row() {
            // Its last line is the last one on the screen.
            let lines = area
                .height
                .saturating_sub(self.on_screen(area).height_of(end));
            self.position.top = (end, 0);
            self.scroller(area).scroll(-lines.cast_signed());
        }
    }

    /// Marks the text between two cells of the pane: columns and lines, from 0.
    pub(crate) fn select(&mut self, from: (usize, usize), to: (usize, usize), area: TextArea) {
        let shown = self.on_screen(area);
        let last = self.count().saturating_sub(1);
        // A cell below the text is at its end.
        let point = |cell| shown.point_at(cell).unwrap_or((last, usize::MAX));
        // The cell under the pointer is marked, too.
        let next = |(x, y): (usize, usize)| (x + 1, y);
        let is_forward = (from.1, from.0) <= (to.1, to.0);
        let (anchor, end) = if is_forward {
            (point(from), point(next(to)))
        } else {
            (point(next(from)), point(to))
        };
        self.selection = Some(Selection {
            anchor,
            end,
            by_lines: false,
            is_copied: false,
        });
    }

    /// Copies the marked text. Returns false if nothing is marked.
    pub(crate) fn copy_selection(&mut self, area: TextArea, cx: &mut Context) -> bool {
        let Some(selection) = self.selection.filter(|selection| !selection.is_copied) else {
            return false;
        };
        let (copied, is_cut) = self.selected_text(selection, area);
        if copied.is_empty() {
            self.selection = None;
            return true;
        }
        let lines = copied.lines().count();
        let count = if lines > 1 {
            format!("{} lines", text::count(lines))
        } else {
            format!("{} characters", text::count(copied.chars().count()))
        };
        let cut = if is_cut { ", cut at 1 MiB" } else { "" };
        cx.notify(&format!("Copied {count}{cut}"));
        cx.emit(Effect::Copy(copied));
        // What the mouse has marked stays marked, but is not copied again by the key.
        self.selection = (!selection.by_lines).then_some(Selection {
            is_copied: true,
            ..selection
        });
        true
    }

    /// Returns the marked text, without the numbers of its links, and true if it is cut.
    fn selected_text(&self, selection: Selection, area: TextArea) -> (String, bool) {
        let shown = self.on_screen(area);
        let mut copied = String::new();
        for row in selection.rows() {
            let Some(laid_out) = shown.laid_out(row) else {
                break;
            };
            let Some(mut range) = selection.range_in(row, laid_out.text.len()) else {
                break;
            };
            if row > *selection.rows().start() {
                copied.push('\n');
            }
            let mut line = String::new();
            for number in laid_out
                .numbers
                .ranges()
                .chain(std::iter::once(range.end..range.end))
            {
                let piece = range.start..number.start.clamp(range.start, range.end);
                line.push_str(laid_out.text.get(piece).unwrap_or_default());
                range.start = number.end.clamp(range.start, range.end);
            }
            copied.push_str(line.trim_end());
            if copied.len() > MAX_BYTES {
                copied.truncate(copied.floor_char_boundary(MAX_BYTES));
                return (copied, true);
            }
        }
        if selection.by_lines {
            copied.push('\n');
        }
        (copied, false)
    }
}

impl RowsOnScreen<'_> {
    /// Returns the place in the text under a cell of the pane; `None` below the text.
    fn point_at(&self, (column, line): (usize, usize)) -> Option<TextPoint> {
        let (row, line) = self.row_at(line)?;
        let laid_out = self.laid_out(row)?;
        let range = laid_out.lines.get(line)?.clone();
        let column = self.text_column(&laid_out, line, column).unwrap_or(0);
        let shown = laid_out.text.get(range.clone())?;
        Some((row, range.start + text::prefix(shown, column)))
    }
}
