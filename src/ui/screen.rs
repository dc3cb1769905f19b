//! The data and the tools of drawing that all parts of the screen share.

use std::borrow::Cow;
use std::cell::RefCell;

use geomys_page::document::Link;
use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use rfc1738::Url;

use super::theme::{Glyph, Role, Theme};
use geomys_app::action::Action;
use geomys_app::copies::Availability;
use geomys_app::mouse::{Click, Region};
use geomys_app::{App, Overlay};

/// The data that every part of the screen needs for drawing.
pub(super) struct Screen<'a> {
    pub(super) app: &'a App,
    pub(super) theme: &'a Theme,
    /// The area of the terminal.
    pub(super) area: Rect,
    /// The link under the cursor of the page with the focus.
    pub(super) link: Option<Link>,
    /// The areas that can be clicked, those drawn last at the end.
    pub(super) regions: RefCell<Vec<Region>>,
    /// The hyperlinks of the terminal.
    pub(super) links: RefCell<Vec<Hyperlink>>,
    /// The whole text of the row under the cursor, if it had no room.
    pub(super) cut_row: RefCell<Option<String>>,
}

/// A part of the screen that the terminal shows as a hyperlink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hyperlink {
    /// The area.
    pub area: Rect,
    /// The URL.
    pub url: String,
}

impl Screen<'_> {
    /// Makes an area react to a click.
    pub(super) fn press(&self, area: Rect, click: Click) {
        let area = area.intersection(self.area);
        self.regions.borrow_mut().push(Region {
            area: cells(area),
            click,
        });
    }

    /// Returns true if links are hyperlinks of the terminal: not in a private tab, and not behind an element.
    pub(super) fn has_hyperlinks(&self) -> bool {
        let is_private = self.app.tabs.tab().is_some_and(|tab| tab.is_private);
        self.app.cx.settings.hyperlinks && !is_private && self.app.dialogs.overlay.is_none()
    }

    /// Makes an area a hyperlink of the terminal.
    pub(super) fn hyperlink(&self, area: Rect, url: &Url) {
        let url = url.as_str().to_owned();
        let area = area.intersection(self.area);
        self.links.borrow_mut().push(Hyperlink { area, url });
    }

    pub(super) fn style(&self, role: Role) -> Style {
        self.theme.style(role)
    }

    pub(super) fn glyph(&self, glyph: Glyph) -> &str {
        self.theme.glyph(glyph)
    }

    /// A text in the style of a role.
    pub(super) fn span<'t>(&self, text: impl Into<Cow<'t, str>>, role: Role) -> Span<'t> {
        Span::styled(text, self.style(role))
    }

    /// A line in the style of a role.
    pub(super) fn line<'t>(&self, text: impl Into<Cow<'t, str>>, role: Role) -> Line<'t> {
        Line::styled(text, self.style(role))
    }

    /// The mark of the selected row; a space beside the others.
    pub(super) fn mark(&self, is_selected: bool) -> Span<'static> {
        let mark = if is_selected {
            self.glyph(Glyph::Cursor)
        } else {
            " "
        };
        self.span(mark.to_owned(), Role::Mark)
    }

    /// The mark of a link that can be opened offline, or that the next sync fetches; a space for any other.
    pub(super) fn availability(&self, availability: Option<Availability>) -> Span<'static> {
        let (glyph, role) = match availability {
            Some(Availability::Here) => (Glyph::Cached, Role::Cached),
            Some(Availability::Queued) => (Glyph::Queued, Role::State),
            Some(Availability::Missing) | None => return Span::raw(" "),
        };
        self.span(self.glyph(glyph).to_owned(), role)
    }

    /// A text that ends in an ellipsis if it is wider than `width` columns.
    pub(super) fn shorten(&self, text: &str, width: usize) -> String {
        text::shorten(text, width, self.glyph(Glyph::Ellipsis))
    }

    /// Writes one line into an area; the part that does not fit is left out.
    pub(super) fn write(&self, buffer: &mut Buffer, area: Rect, line: &Line<'_>) {
        let area = area.intersection(self.area);
        if !area.is_empty() {
            buffer.set_line(area.x, area.y, line, area.width);
        }
    }

    /// Gives a row the style of the cursor. Reversed parts of it, such as matches, stay distinct.
    pub(super) fn highlight(&self, buffer: &mut Buffer, row: Rect) {
        let cursor = self.style(Role::Cursor);
        let is_reversed = cursor.add_modifier.contains(Modifier::REVERSED);
        for position in row.intersection(self.area).positions() {
            let Some(cell) = buffer.cell_mut(position) else {
                continue;
            };
            let was_reversed = cell.modifier.contains(Modifier::REVERSED);
            if is_reversed {
                // A reversed colour would be a block of that colour.
                cell.fg = Color::Reset;
                cell.bg = Color::Reset;
                cell.modifier.remove(Modifier::DIM);
            }
            cell.set_style(cursor);
            if is_reversed && was_reversed {
                cell.modifier.remove(Modifier::REVERSED);
            }
        }
    }

    /// Gives the row of the cursor in a page or a list its style: grey while an element above it takes the keys.
    pub(super) fn highlight_below(&self, buffer: &mut Buffer, row: Rect) {
        if !self.has_element_above() {
            return self.highlight(buffer, row);
        }
        for position in row.intersection(self.area).positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.set_style(Style::reset().patch(self.style(Role::CursorAway)));
            }
        }
    }

    /// Returns true if an element above the page takes the keys. The hints of links are in the page.
    pub(super) fn has_element_above(&self) -> bool {
        let overlay = self.app.dialogs.overlay.as_ref();
        overlay.is_some_and(|overlay| !matches!(overlay, Overlay::Hints(_)))
    }

    /// Dims an area that is behind a drawer.
    pub(super) fn dim(&self, buffer: &mut Buffer, area: Rect) {
        for position in area.intersection(self.area).positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.set_style(Style::reset().patch(self.style(Role::Dim)));
            }
        }
    }

    /// Clears an area.
    pub(super) fn clear(&self, buffer: &mut Buffer, area: Rect) {
        for position in area.intersection(self.area).positions() {
            if let Some(cell) = buffer.cell_mut(position) {
                cell.reset();
            }
        }
    }

    /// The key of an action for the key hints, as bound in the keymap.
    pub(super) fn key(&self, action: Action) -> Option<String> {
        self.app.cx.keymap.key_of(action)
    }
}

/// The area of the app, as ratatui draws it.
pub(super) fn on_screen(area: geomys_app::Rect) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height)
}

/// The area of ratatui, as the app knows it.
pub(super) fn cells(area: Rect) -> geomys_app::Rect {
    geomys_app::Rect::new(area.x, area.y, area.width, area.height)
}
