//! The actions of all lists and texts.

use geomys_page::document::find::Direction;
use geomys_page::document::{Document, FoundLink, SortColumn};

use crate::action::Action;
use crate::dialogs::palette::Palette;
use crate::motion::{Edge, Motion};
use crate::settings::Colours;
use crate::view::context::{Outcome, ViewContext};
use crate::view::hints::Hints;
use crate::view::marks::ask_mark_pattern;
use crate::view::text_area::TextArea;
use crate::view::viewport::{RenderedDocument, Viewport};
use crate::{Context, Focus, Overlay};

/// The number of columns of one step of sideways scrolling.
const SIDEWAYS: usize = 8;

impl Viewport {
    /// Carries out what all lists and texts can do.
    pub(crate) fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        match action {
            Action::NextLink => self.go_to_link(true, at),
            Action::PreviousLink => self.go_to_link(false, at),
            Action::ScrollLeft => self.scroll_sideways(false, at),
            Action::ScrollRight => self.scroll_sideways(true, at),
            Action::Hints => self.show_hints(at),
            Action::Find => return self.ask_find(),
            Action::FindNext => self.find_again(Direction::Down, at),
            Action::FindPrevious => self.find_again(Direction::Up, at),
            Action::MarkRow if !self.is_list() => return self.mark_lines(at),
            Action::CopyLink => return Outcome::of(self.copy_selection(at.area, at.cx)),
            Action::MarkRow => {
                if self
                    .marks
                    .toggle(self.position.cursor, &self.document, at.cx)
                {
                    self.scroller(at.area).step(1);
                }
            }
            Action::MarkRows => return self.marks.mark_rows(&self.document, at.cx),
            Action::InvertMarks => return self.marks.invert(&self.document, at.cx),
            Action::MarkPattern => return ask_mark_pattern(&self.document),
            Action::Source => self.toggle_source(at),
            Action::Charset => return self.ask_charset(),
            Action::Wrap => self.toggle_wrap(at),
            Action::Colours => toggle_colours(at),
            Action::Filter => return self.ask_filter(at),
            Action::SortName => self.sort(SortColumn::Name, at),
            Action::SortSize => self.sort(SortColumn::Size, at),
            Action::SortDate => self.sort(SortColumn::Date, at),
            Action::SortKind => self.sort(SortColumn::Kind, at),
            Action::SortThread => self.sort(SortColumn::Thread, at),
            Action::SortAuthor => self.sort(SortColumn::Author, at),
            Action::SortSubject => self.sort(SortColumn::Subject, at),
            Action::SortScore => self.sort(SortColumn::Score, at),
            Action::DirectoriesFirst => self.toggle_directories(at),
            Action::Outline => return Outcome::of(self.show_outline(at.cx)),
            Action::FoldBlocks => return self.refold(Document::toggle_blocks, at.area),
            Action::FoldQuotations => return self.refold(Document::toggle_quotations, at.area),
            Action::FoldHeaders => return self.refold(Document::toggle_headers, at.area),
            _ => return Outcome::Ignored,
        }
        Outcome::Done
    }

    /// Opens what is under the cursor and is no link: a folded remark or quotation.
    pub(crate) fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        if self.fold_remark(at.area) {
            return Outcome::Done;
        }
        let cursor = self.position.cursor;
        if self.position.link.is_none() || !self.document.is_folded(cursor) {
            return Outcome::Ignored;
        }
        self.refold(|page, _| page.toggle_quotation(cursor), at.area)
    }

    /// Moves the cursor, or scrolls.
    pub(crate) fn move_by(&mut self, motion: Motion, area: TextArea) {
        if self.extend_by(motion, area) {
            return;
        }
        match motion {
            Motion::Rows(rows) => self.scroller(area).step(rows),
            Motion::Screens(..) => self.scroller(area).page(motion.rows(area.height, 0)),
            Motion::Edge(Edge::Bottom) => self.scroller(area).to_bottom(),
            Motion::Edge(Edge::Top) => self.position.go_to_top(),
        }
    }

    fn go_to_link(&mut self, forward: bool, at: &mut ViewContext<'_>) {
        at.cx.focus = Focus::Panes;
        self.selection = None;
        match (self.scroller(at.area).step_link(forward), forward) {
            (FoundLink::Row(_), _) => {}
            (FoundLink::None, true) => at.cx.notify("No more links below"),
            (FoundLink::None, false) => at.cx.notify("No more links above"),
            (FoundLink::Beyond(_), _) => at.cx.notify("No link yet, press again to continue"),
        }
    }

    fn show_hints(&self, at: &mut ViewContext<'_>) {
        at.cx.focus = Focus::Panes;
        let links = self.on_screen(at.area).links(Hints::MAX_LINKS);
        if links.is_empty() {
            at.cx.notify("No link on this screen");
        } else {
            at.cx.show(Overlay::Hints(Hints::new(links)));
        }
    }

    fn scroll_sideways(&mut self, right: bool, at: &mut ViewContext<'_>) {
        // A page that is wrapped may have rows that are not.
        let unwrapped = self.document.preformatted_columns();
        let hidden = if self.wrap {
            unwrapped.saturating_sub(at.area.columns)
        } else {
            usize::MAX
        };
        let left = if right {
            self.position.left.saturating_add(SIDEWAYS)
        } else {
            self.position.left.saturating_sub(SIDEWAYS)
        };
        self.position.left = left.min(hidden);
        if hidden == 0 {
            let wrap = at.cx.key_of(Action::Wrap);
            at.cx.notify(&format!("Lines are wrapped ({wrap} unwrap)"));
        }
    }

    fn toggle_wrap(&mut self, at: &mut ViewContext<'_>) {
        self.wrap = !self.wrap;
        self.position.left = 0;
        self.position.top.1 = 0;
        self.scroller(at.area).reveal();
        at.cx.notify(if self.wrap {
            "wrapping on"
        } else {
            "wrapping off"
        });
    }

    fn toggle_source(&mut self, at: &mut ViewContext<'_>) {
        if at.state.is_arriving() {
            return at
                .cx
                .notify("Wait until the page is loaded to show the source");
        }
        // The matches and the marked text are those of the document that is left.
        self.search.forget_matches();
        self.selection = None;
        match self.rendered.take() {
            Some(rendered) => {
                self.document = rendered.document;
                (self.position, self.wrap) = (rendered.position, rendered.wrap);
                at.cx.notify("The page");
            }
            None => {
                let source = self.document.source_view();
                self.rendered = Some(RenderedDocument {
                    document: std::mem::replace(&mut self.document, source.into()),
                    position: self.position,
                    wrap: self.wrap,
                });
                self.wrap = true;
                self.position.go_to_top();
                at.cx.notify("Source");
            }
        }
    }

    /// Lists the headings in the palette. Returns false if there are none.
    fn show_outline(&self, cx: &mut Context) -> bool {
        let headings = self.document.outline();
        if headings.is_empty() {
            return false;
        }
        let palette = Palette::outline(headings, cx.settings.theme);
        cx.show(Overlay::Palette(Box::new(palette)));
        true
    }

    /// Folds or unfolds the remark under the cursor; on a text without a chosen link, the first block on the screen.
    /// Returns false if there is none.
    fn fold_remark(&mut self, area: TextArea) -> bool {
        let rows = match self.position.link {
            _ if self.is_list() => self.position.cursor..self.position.cursor + 1,
            Some(_) => return false,
            None => self.position.top.0..self.position.top.0 + area.height,
        };
        let document = &mut *self.document;
        let is_folded = rows.into_iter().any(|row| document.toggle_remark(row));
        self.scroller(area).reveal();
        is_folded
    }

    /// Changes the folds of the document by `toggle`. It gets the first row on screen, and returns the row to go to
    /// afterwards, or `None` without a change.
    pub(crate) fn refold(
        &mut self,
        toggle: impl FnOnce(&mut Document, usize) -> Option<usize>,
        area: TextArea,
    ) -> Outcome {
        let top = self.position.top.0;
        let Some(row) = toggle(&mut self.document, top) else {
            return Outcome::Ignored;
        };
        self.selection = None;
        self.position.cursor = row;
        self.position.link = None;
        self.position.top = (row.min(top), 0);
        self.scroller(area).reveal();
        Outcome::Done
    }
}

/// Shows or hides the colours of the pages of a host.
fn toggle_colours(at: &mut ViewContext<'_>) {
    let is_private = at.cx.found.is_private;
    let shown = at.choices.colours_of(at.url, &at.cx.settings, is_private);
    let (colours, sentence) = match shown {
        Colours::Shown => (Colours::Hidden, "page colours off"),
        Colours::Hidden => (Colours::Shown, "page colours on"),
    };
    if at.choices.set_colours(at.url, colours, at.chosen()) {
        at.cx
            .notify(&format!("{sentence}, for all pages of this host"));
    } else {
        at.cx.notify(sentence);
    }
}
