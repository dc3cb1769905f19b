//! The questions that every kind of view answers.

use std::fmt;

use crossterm::event::KeyEvent;
use geomys_page::document::{Document, Link};
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::Url;

use crate::Settings;
use crate::action::Action;
use crate::keymap::KeyContext;
use crate::motion::Motion;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::text_area::TextArea;
use crate::view::viewport::SavedView;
use crate::view::viewport::Viewport;
use crate::view::work::{WorkId, WorkResult};

/// An action and its label in the status line.
pub type KeyHint = (Action, &'static str);

/// Answers the questions for the rows with the field `rows` of a view.
macro_rules! has_rows {
    () => {
        fn rows(&self) -> Option<&Viewport> {
            Some(&self.rows)
        }

        fn rows_mut(&mut self) -> Option<&mut Viewport> {
            Some(&mut self.rows)
        }
    };
}
pub(crate) use has_rows;

/// Returns the hints of a view with what is done with the selected link as the first.
pub(crate) fn with_open(
    view: &dyn ViewKind,
    link: Option<&Link>,
    mut hints: Vec<KeyHint>,
) -> Vec<KeyHint> {
    let open = link.map(|link| (Action::Open, view.open_label(link)));
    if let (Some(open), Some(first)) = (open, hints.first_mut())
        && first.0 == Action::Open
    {
        *first = open;
        return hints;
    }
    open.into_iter().chain(hints).collect()
}

/// One kind of view. What is not answered here is answered as for every list or text, if the view has rows.
pub(crate) trait ViewKind: fmt::Debug {
    /// Returns the document with its cursor, if the view has one.
    fn rows(&self) -> Option<&Viewport> {
        None
    }

    /// Returns the document with its cursor to be changed.
    fn rows_mut(&mut self) -> Option<&mut Viewport> {
        None
    }

    /// Returns the contexts of the keymap that apply, the most specific first.
    fn contexts(&self) -> Vec<KeyContext> {
        self.rows()
            .map_or(vec![KeyContext::Page], |rows| rows.contexts(None))
    }

    /// Carries out an action on the view.
    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match self.rows_mut() {
            Some(rows) => rows.act(action, at),
            None => Outcome::Ignored,
        }
    }

    /// Handles a key before the keymap.
    fn key(&mut self, _event: KeyEvent, _at: &mut ViewContext<'_>) -> Outcome {
        Outcome::Ignored
    }

    /// Takes pasted text.
    fn paste(&mut self, _text: &str, _at: &mut ViewContext<'_>) -> Outcome {
        Outcome::Ignored
    }

    /// Reads the content in a charset that the user chose.
    fn set_charset(&mut self, read_as: CharsetSetting, at: &mut ViewContext<'_>) {
        if let Some(rows) = self.rows_mut() {
            rows.set_charset(read_as, at);
        }
    }

    /// Opens what is under the cursor and is no link.
    fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        match self.rows_mut() {
            Some(rows) => rows.open(at),
            None => Outcome::Ignored,
        }
    }

    /// Returns what the key that opens does with the link under the cursor.
    fn open_label(&self, _link: &Link) -> &'static str {
        "open"
    }

    /// Moves the cursor, or scrolls.
    fn move_by(&mut self, motion: Motion, at: &mut ViewContext<'_>) {
        if let Some(rows) = self.rows_mut() {
            rows.move_by(motion, at.area);
        }
    }

    /// Scrolls by lines with the mouse.
    fn scroll(&mut self, lines: isize, area: TextArea) {
        if let Some(rows) = self.rows_mut() {
            rows.scroller(area).scroll_with_cursor(lines);
        }
    }

    /// Returns the link under the cursor.
    fn link(&self) -> Option<Link> {
        self.rows()?.link()
    }

    /// Returns the hints for the status line, after that of the link under the cursor.
    fn hints(&self, url: &Url, state: &State, settings: &Settings) -> Vec<KeyHint>;

    /// Returns further hints, for a wide screen.
    fn more_hints(&self) -> &'static [KeyHint] {
        &[]
    }

    /// Returns what the panel of a link tells about its row.
    fn details(&self) -> Vec<(Text, Text)> {
        let details = self
            .rows()
            .map(|rows| rows.document.details(rows.position.cursor));
        let details = details.into_iter().flatten();
        details
            .map(|(name, value)| (Text::of(name), value))
            .collect()
    }

    /// Returns what is saved, copied or piped of the view.
    fn offer(&self, _url: &Url) -> Option<Document> {
        self.rows().map(|rows| rows.document.clone())
    }

    /// Returns what brings the view back after its content was dropped, or in another run.
    fn stored(&self) -> Option<SavedView> {
        let rows = self.rows()?;
        let (position, _) = rows.own_position();
        let saved = rows.saved.clone();
        let saved = saved.filter(|saved| saved.position == position);
        Some(saved.unwrap_or_else(|| SavedView::of(rows)))
    }

    /// Takes what was stored of an earlier copy of the view.
    fn restore(&mut self, saved: SavedView) {
        if let Some(rows) = self.rows_mut() {
            rows.begin_restore(saved);
        }
    }

    /// Returns true if the result of a computation is for this view.
    fn awaits(&self, work: WorkId) -> bool {
        self.rows().is_some_and(|rows| rows.awaits(work))
    }

    /// Takes the result of a computation.
    fn take(&mut self, work: WorkId, result: WorkResult, at: &mut ViewContext<'_>) -> Outcome {
        match self.rows_mut() {
            Some(rows) => rows.take(work, &result, at),
            None => Outcome::Ignored,
        }
    }

    /// Drops what only a view on the screen needs.
    fn leave_screen(&mut self) {
        if let Some(rows) = self.rows_mut() {
            rows.document.drop_rows();
        }
    }

    /// Returns the memory of the content, in octets.
    fn memory(&self) -> usize {
        // The source view shares the octets of the rendered document.
        self.rows().map_or(0, |rows| rows.own_document().memory())
    }
}
