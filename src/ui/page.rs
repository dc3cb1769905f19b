//! A pane: its page, or the phase of its load.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::failure;
use super::form;
use super::picture;
use super::rows::Rows;
use super::screen::Screen;
use super::screen::{cells, on_screen};
use super::terminal;
use super::theme::Role;
use geomys_app::Page;
use geomys_app::tabs::pane::Pane;
use geomys_app::view::View;
use geomys_app::view::gutter::{between_margins, has_heads, rows_area};
use geomys_app::view::picture::picture_area;
use geomys_app::view::text_area::Gutter;
use geomys_app::view::viewport::Viewport;

/// Draws a pane. Returns the position of the terminal's cursor: in an input, or on the row with the focus.
pub(super) fn draw(
    screen: &Screen<'_>,
    pane: &Pane,
    area: Rect,
    focused: bool,
    buffer: &mut Buffer,
) -> Option<Position> {
    let reading = screen.app.cx.settings.reading;
    match pane.page() {
        None => {
            if let Some(incoming) = &pane.incoming {
                let phase = format!(" {}", super::status::phase(incoming));
                let line = screen.line(phase, Role::Dim);
                screen.write(buffer, Rect { height: 1, ..area }, &line);
            }
        }
        Some(page) => match &page.view {
            View::Failure(view) => {
                let area = between_margins(Gutter::default(), cells(area), reading);
                failure::draw(screen, page, view, on_screen(area), buffer);
            }
            View::Form(form) => return form::draw(screen, form, area, focused, buffer),
            View::Terminal(terminal) => {
                let cursor = terminal::draw(screen, page, terminal, area, buffer);
                return cursor.filter(|_| {
                    focused
                        && screen
                            .app
                            .tabs
                            .page()
                            .is_some_and(|page| page.session_has_keys(&screen.app.cx))
                });
            }
            View::Dropped(_) => failure::draw_dropped(screen, pane, page, area, buffer),
            View::Picture(picture) => {
                let cursor = draw_rows(screen, page, &picture.rows, (area, focused), buffer);
                picture::draw(
                    screen,
                    picture,
                    on_screen(picture_area(cells(area))),
                    buffer,
                );
                return Some(cursor);
            }
            view => {
                let rows = view.rows()?;
                return Some(draw_rows(screen, page, rows, (area, focused), buffer));
            }
        },
    }
    Some(area.as_position())
}

/// Draws the rows of a list or a text. Returns the position of the terminal's cursor.
fn draw_rows(
    screen: &Screen<'_>,
    page: &Page,
    view: &Viewport,
    (area, focused): (Rect, bool),
    buffer: &mut Buffer,
) -> Position {
    let reading = screen.app.cx.settings.reading;
    let rows = Rows {
        screen,
        page,
        view,
        area: on_screen(rows_area(view, cells(area), reading)),
        space: page.text_area(cells(area), reading),
        focused,
    };
    if has_heads(view, cells(area)) {
        rows.heads(Rect { height: 1, ..area }, buffer);
    }
    rows.draw(buffer)
}
