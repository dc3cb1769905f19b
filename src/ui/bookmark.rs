//! The bookmark form in its box.

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::key_hints::{Hint, Hints};
use super::prompt_box::{self, BoxPlace, PromptBox};
use super::screen::Screen;
use super::theme::Role;
use geomys_app::Layout;
use geomys_app::bookmarks::form::{BookmarkForm, Field, FormWarning};
use geomys_app::keys::FIX_KEY;
use geomys_app::mouse::Click;

/// The rows below the URL for its error or its meaning, and the row below the fields for the answer to a key. Both are
/// there from the start, so that no field moves while the user types.
const ROWS: (usize, usize) = (2, 1);

/// Draws the form, with errors in the URL below the field. Returns the position of the terminal's cursor.
pub(super) fn draw(
    screen: &Screen<'_>,
    form: &BookmarkForm,
    layout: &Layout,
    buffer: &mut Buffer,
) -> Option<Position> {
    let frame = PromptBox::new(layout, BoxPlace::Middle);
    let labels = Field::ALL
        .iter()
        .map(|field| text::width(field.label()))
        .max()
        .unwrap_or(0);
    let (verdict, can_repair) = verdict(screen, form, labels + 2, frame.width());
    let notice = notice(screen, form);
    let room = usize::from(frame.width()).saturating_sub(2).max(1);
    let mut keys = keys(form.completion().is_some(), can_repair).wrapped(room);
    let all_keys = self::keys(true, true).wrapped(room).len();
    keys.resize_with(all_keys.max(keys.len()), Hints::default);
    let fixed = Field::ALL.len() + keys.len();
    // On a screen of few lines the fields and the keys are more important.
    let spare = frame.max_rows().saturating_sub(fixed);
    let below_url = spare.saturating_sub(ROWS.1).min(ROWS.0);
    let rows = fixed + below_url + spare.min(ROWS.1);
    let title = if form.edited.is_some() {
        "Edit the bookmark"
    } else {
        "New bookmark"
    };
    let area = frame.draw(screen, (title, Role::Heading), rows, buffer);
    let mut cursor = None;
    let mut index = 0;
    for (number, field) in Field::ALL.into_iter().enumerate() {
        if let Some(row) = area.rows().nth(usize::from(index)) {
            screen.press(row, Click::Choose(number));
        }
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
            for (line, row) in verdict.iter().take(below_url).zip(index..) {
                screen.write_at(buffer, area, row, line);
            }
            index += u16::try_from(below_url).unwrap_or(0);
        }
    }
    if let Some(line) = notice.as_ref().or(verdict.get(below_url)) {
        screen.write_at(buffer, area, index, line);
    }
    prompt_box::draw_keys(screen, keys, area, buffer);
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

/// The answer to the last key.
fn notice(screen: &Screen<'_>, form: &BookmarkForm) -> Option<Line<'static>> {
    let notice = screen.app.cx.notice.as_ref();
    if let Some(notice) = notice.filter(|notice| notice.by_key) {
        return Some(screen.line(format!(" {}", notice.text), Role::Dim));
    }
    let warning = match form.warning {
        FormWarning::InvalidUrl => "The URL has a fault. Enter again saves it as it is",
        FormWarning::EncodedUrl => "URL encoded as shown, Enter saves it",
        FormWarning::None | FormWarning::Duplicate => return None,
    };
    Some(screen.line(format!(" {warning}"), Role::Fault))
}

/// The keys of the form.
fn keys(can_complete: bool, can_repair: bool) -> Hints {
    let complete = can_complete.then(|| Hint::key("Right", "complete"));
    let repair = can_repair.then(|| Hint::key(FIX_KEY, "repair URL"));
    let keys = [Hint::key("Enter", "save"), Hint::key("Tab", "next field")];
    let keys = keys.into_iter().chain(complete).chain(repair);
    keys.chain([Hint::key("Esc", "cancel")]).collect()
}
