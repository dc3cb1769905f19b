//! The title row of a pane, the position in a page or a list, and the title of the terminal's window.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::screen::Screen;
use super::screen::{cells, on_screen};
use super::theme::{Glyph, Role};
use geomys_app::settings::Reading;
use geomys_app::tabs::pane::Pane;
use geomys_app::view::View;
use geomys_app::{App, Focus, Layout, Page};

/// The maximum width of the title of the window, in columns.
const MAX_TITLE_COLUMNS: usize = 100;

/// Returns the title for the window of the terminal: that of the page, unless it is nobody else's business.
pub fn window_title(app: &App) -> String {
    let page = app.page().filter(|page| !page.is_confidential());
    let is_private = app.tabs.tab().is_none_or(|tab| tab.is_private);
    match page.filter(|_| !is_private).map(|page| page.title.as_str()) {
        None | Some("") => "Geomys".to_owned(),
        Some(title) => {
            let title = text::shorten(title.trim(), MAX_TITLE_COLUMNS, "…");
            format!("{title} - Geomys")
        }
    }
}

/// The title row of a pane: a name on the left, the position on the right, a rule between them.
pub(super) struct Title<'a> {
    pub(super) name: &'a str,
    pub(super) aside: &'a str,
    /// The role of the text on the right.
    pub(super) role: Role,
    pub(super) focused: bool,
}

impl Title<'_> {
    /// The title as a line of this width. The pane with the focus has a bold name and a thick rule, the others are dim.
    pub(super) fn line(&self, screen: &Screen<'_>, width: u16) -> Line<'static> {
        let (name_role, rule_role, glyph) = if self.focused {
            (Role::Focus, Role::Focus, Glyph::Thick)
        } else {
            (Role::Dim, Role::Rule, Glyph::Line)
        };
        let width = usize::from(width);
        let aside = match self.aside {
            "" => String::new(),
            aside => format!(" {aside} "),
        };
        let room = width.saturating_sub(text::width(&aside) + 3);
        let name = screen.shorten(self.name.trim(), room);
        let name = if name.is_empty() {
            String::new()
        } else {
            format!(" {name} ")
        };
        let rule = width.saturating_sub(text::width(&name) + text::width(&aside));
        Line::from(vec![
            screen.span(name, name_role),
            screen.span(screen.glyph(glyph).repeat(rule), rule_role),
            screen.span(aside, self.role),
        ])
    }
}

/// Draws the title row of a pane.
pub(super) fn draw(
    screen: &Screen<'_>,
    pane: &Pane,
    area: Rect,
    page_area: Rect,
    focused: bool,
    buffer: &mut Buffer,
) {
    let aside = pane
        .page()
        .and_then(|page| of_page(page, page_area, screen.app.cx.settings.reading));
    let title = Title {
        name: pane.title(),
        aside: aside.as_deref().unwrap_or_default(),
        role: if focused { Role::Focus } else { Role::Dim },
        focused,
    };
    screen.write(buffer, area, &title.line(screen, area.width));
}

/// The position in the part of the screen with the focus.
pub(super) fn position(screen: &Screen<'_>, layout: &Layout) -> Option<String> {
    let app = screen.app;
    let (row, count) = match app.cx.focus {
        Focus::Bookmarks => {
            let sidebar = app.bookmarks.listed();
            (sidebar.cursor, sidebar.rows().len())
        }
        Focus::Transfers => {
            let queue = &app.transfers.queue;
            (queue.cursor, queue.items().len())
        }
        Focus::Panes => {
            let area = layout.pane(app.tabs.tab()?.focus())?;
            return of_page(app.page()?, on_screen(area), app.cx.settings.reading);
        }
    };
    (count > 0).then(|| in_list(row, count))
}

/// The position in a page: the row of the cursor of a list, the last visible row of a text. `None` for a page without
/// rows.
pub(super) fn of_page(page: &Page, area: Rect, reading: Reading) -> Option<String> {
    if let View::Picture(picture) = &page.view
        && let Some((_, rendered)) = picture.shown()
    {
        return Some(format!("{}%", rendered.percent));
    }
    let rows = page.rows()?;
    let count = rows.count();
    if count == 0 {
        return None;
    }
    let position = rows.position;
    if let View::Found(found) = &page.view {
        let pages = found.pages();
        return (pages > 0).then(|| in_list(found.page(), pages));
    }
    if page.state.is_arriving() {
        let row = if rows.is_list() {
            position.cursor
        } else {
            position.top.0
        };
        return Some(of_rows(row, count));
    }
    if rows.is_list() {
        return Some(in_list(position.cursor, count));
    }
    let area = page.text_area(cells(area), reading);
    // Every row has at least one line, so most positions are decided without layout.
    let is_at_end =
        position.top.0.saturating_add(area.height) >= count && rows.on_screen(area).is_at_end();
    Some(match (position.top == (0, 0), is_at_end) {
        (true, true) => "All".to_owned(),
        (true, false) => "Top".to_owned(),
        (false, true) => "Bot".to_owned(),
        (false, false) => in_list(rows.on_screen(area).last_row(), count),
    })
}

/// The position of a row, from 0, in a list: `14/30 46%`.
pub(super) fn in_list(row: usize, count: usize) -> String {
    let percent = (row + 1).saturating_mul(100) / count.max(1);
    format!("{} {}%", of_rows(row, count), percent.min(100))
}

fn of_rows(row: usize, count: usize) -> String {
    let row = (row + 1).min(count);
    format!("{}/{}", text::count(row), text::count(count))
}
