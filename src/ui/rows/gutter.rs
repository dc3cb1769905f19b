//! The columns to the left of a row's text.

use geomys_page::document::{Kind, Row};
use geomys_wire::text;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::Rows;
use crate::ui::theme::{Glyph, Role, Theme};
use geomys_app::view::text_area::Gutter;

impl Rows<'_> {
    /// Draws the cursor mark or that of a cached page, the link's number (or its hint), and the glyph of its kind.
    pub(super) fn gutter(
        &self,
        number: usize,
        row: &Row,
        first: bool,
        marked: bool,
        gutter: Gutter,
        line: &mut Line<'static>,
    ) {
        let screen = self.screen;
        line.push_span(if marked {
            let role = if self.focused && !screen.has_element_above() {
                Role::Mark
            } else {
                Role::MarkAway
            };
            screen.span(screen.glyph(Glyph::Cursor).to_owned(), role)
        } else {
            let availability = first.then(|| self.availability(number, 0)).flatten();
            screen.availability(availability)
        });
        let hint = self
            .hint(number, 0)
            .filter(|_| first && self.view.document.is_list());
        if gutter.number > 0 {
            let (text, role) = match hint {
                Some(hint) => (hint.to_owned(), Role::Hint),
                None => {
                    let digits = row.number.filter(|_| first);
                    (
                        digits.map_or(String::new(), |digits| digits.to_string()),
                        Role::Number,
                    )
                }
            };
            let pad = " ".repeat(gutter.number.saturating_sub(text::width(&text)));
            line.push_span(pad);
            line.push_span(screen.span(text, role));
            line.push_span(" ");
        }
        if gutter.glyph {
            let glyph = if first {
                screen.glyph(Theme::mark(row.kind))
            } else {
                " "
            };
            let (text, style) = match hint.filter(|_| gutter.number == 0) {
                Some(hint) => (
                    text::columns(&format!("{hint:<2}"), 0, 2),
                    screen.style(Role::Hint),
                ),
                None => {
                    let mark = if first && self.view.marks.is_marked(number, &self.view.document) {
                        if screen.theme.is_ascii { "*" } else { "+" }
                    } else {
                        " "
                    };
                    let style = match row.kind {
                        // A heading has no glyph that its style could be for.
                        Kind::Heading(_) => Style::new(),
                        kind => screen.style(Theme::glyph_role(kind)),
                    };
                    (format!("{glyph}{mark}"), style)
                }
            };
            line.push_span(Span::styled(text, style));
        }
    }
}
