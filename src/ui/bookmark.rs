//! The bookmark form at the bottom of the screen.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::screen::Screen;
use super::theme::Role;
use crate::app::bookmarks::form::{BookmarkForm, Field, FormWarning};
use crate::app::keys::FIX_KEY;

/// Draws the form, with errors in the URL below the field. Returns the position of the terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    form: &BookmarkForm,
    status: Rect,
    buffer: &mut Buffer,
) -> Option<Position> {
    let labels = Field::ALL
        .iter()
        .map(|field| text::width(field.label()))
        .max()
        .unwrap_or(0);
    let (verdict, can_repair) = verdict(screen, form, labels + 2, status.width);
    let height = Field::ALL.len() + 2 + verdict.len();
    let area = screen.foot(status, u16::try_from(height).unwrap_or(u16::MAX), buffer);
    let title = if form.edited.is_some() {
        " Edit the bookmark"
    } else {
        " New bookmark"
    };
    screen.write_at(buffer, area, 0, &screen.line(title, Role::Heading));
    let mut cursor = None;
    let mut index = 1;
    for field in Field::ALL {
        let label = format!("{:<labels$}", field.label());
        let (at, _) = screen.input((&label, form.input(field), false), area, index, buffer);
        screen.underline_field(labels + 2, area, index, buffer);
        if field == form.field {
            cursor = Some(at);
            screen.write_at(buffer, area, index, &Line::from(screen.mark(true)));
            if let Some(rest) = form.completion() {
                let rest = screen.line(rest.to_owned(), Role::Dim);
                let width = area.right().saturating_sub(at.x);
                screen.write(buffer, Rect::new(at.x, at.y, width, 1), &rest);
            }
        }
        index += 1;
        if field == Field::Url {
            for line in &verdict {
                screen.write_at(buffer, area, index, line);
                index += 1;
            }
        }
    }
    screen.write_at(buffer, area, index, &hint(screen, form, can_repair));
    cursor
}

/// The lines about the URL, and whether it can be repaired.
fn verdict(
    screen: &Screen<'_>,
    form: &BookmarkForm,
    column: usize,
    width: u16,
) -> (Vec<Line<'static>>, bool) {
    let typed = form.input(Field::Url).value();
    match form.url() {
        Err(error) if !typed.trim().is_empty() => {
            let room = usize::from(width).saturating_sub(column + 1).max(1);
            let scroll = form.input(Field::Url).visual_scroll(room);
            let lines = screen.verdict(typed, &error, (column, scroll), width);
            (
                lines,
                screen
                    .app
                    .bookmarks
                    .parse_and_fix(typed, &screen.app.tabs, &screen.app.cx)
                    .is_ok(),
            )
        }
        Ok(url) if url.has_secret() => {
            let remark = " the password would be stored as plain text";
            let line = screen.line(remark, Role::Fault);
            (vec![line], false)
        }
        // The stored spelling differs from the typed one.
        Ok(url) if url.as_str() != typed.trim() && !form.is_url_unchanged() => {
            (vec![screen.meaning(&url)], false)
        }
        Err(_) | Ok(_) => (Vec::new(), false),
    }
}

/// The last line: the answer to the last key, or the key hints.
fn hint(screen: &Screen<'_>, form: &BookmarkForm, can_repair: bool) -> Line<'static> {
    let dim = screen.style(Role::Dim);
    let notice = screen.app.cx.notice.as_ref();
    if let Some(notice) = notice.filter(|notice| notice.by_key) {
        return Line::styled(format!(" {}", notice.text), dim);
    }
    let repair = if can_repair {
        format!("   {FIX_KEY} repair URL")
    } else {
        String::new()
    };
    let warning = match form.warning {
        FormWarning::InvalidUrl => {
            format!(" The URL has a fault. Enter again saves it as it is{repair}")
        }
        FormWarning::EncodedUrl => " URL encoded as shown, Enter saves it".to_owned(),
        FormWarning::None | FormWarning::Duplicate => String::new(),
    };
    if !warning.is_empty() {
        return screen.line(warning, Role::Fault);
    }
    let complete = match form.completion() {
        Some(_) => "   Right completes",
        None => "",
    };
    let words = format!(" Enter saves   Tab next field{complete}{repair}   Esc leaves");
    Line::styled(words, dim)
}
