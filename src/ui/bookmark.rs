//! The bookmark form in its box.

use geomys_store::bookmarks::followed::MAX_DEPTH;
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
    let texts = Field::TEXTS.iter();
    let labels = texts.map(|field| text::width(field.label())).max();
    let labels = labels.unwrap_or(0);
    let (verdict, can_repair) = verdict(screen, form, labels + 2, frame.width());
    let notice = notice(screen, form);
    let room = usize::from(frame.width()).saturating_sub(2).max(1);
    let toggles = matches!(form.field, Field::Follow);
    let mut keys = keys(form.completion().is_some(), can_repair, toggles).wrapped(room);
    let all_keys = self::keys(true, true, false).wrapped(room).len();
    keys.resize_with(all_keys.max(keys.len()), Hints::default);
    let fields = form.fields();
    let fixed = fields.len() + keys.len();
    // On a screen of few lines the fields and the keys are more important.
    let mut spare = frame.max_rows().saturating_sub(fixed);
    // The row of the depth is there from the start.
    let depth = usize::from(form.depth().is_none()).min(spare);
    spare -= depth;
    let below_url = spare.saturating_sub(ROWS.1).min(ROWS.0);
    let rows = fixed + depth + below_url + spare.min(ROWS.1);
    let title = if form.edited.is_some() {
        "Edit the bookmark"
    } else {
        "New bookmark"
    };
    let area = frame.draw(screen, (title, Role::Heading), rows, buffer);
    let mut cursor = None;
    let mut index = 0;
    for (number, field) in fields.into_iter().enumerate() {
        if let Some(row) = area.rows().nth(usize::from(index)) {
            screen.press(row, Click::Choose(number));
        }
        if let Field::Follow | Field::Depth = field {
            let at = draw_row(screen, form, (field, labels + 2), area, index, buffer);
            if field == form.field {
                cursor = Some(at);
            }
            index += 1;
            continue;
        }
        let label = format!("{:<labels$}", field.label());
        let (at, _) = screen.input((&label, form.input(field), false), area, index, buffer);
        screen.underline_field(labels + 2, area, index, buffer);
        if field == form.field {
            cursor = Some(at);
            screen.write_at(buffer, area, index, &Line::from(screen.mark(true)));
            if let Some(rest) = form.completion() {
                let meaning = form.completion_meaning();
                let meaning = meaning.map_or(String::new(), |words| format!("  {words}"));
                let rest = screen.line(format!("{rest}{meaning}"), Role::Dim);
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
    index += u16::try_from(depth).unwrap_or(0);
    if let Some(line) = notice.as_ref().or(verdict.get(below_url)) {
        screen.write_at(buffer, area, index, line);
    }
    prompt_box::draw_keys(screen, keys, area, buffer);
    cursor
}

/// Draws one of the rows that follow the bookmark, its marks at a column. Returns the position of the cursor.
fn draw_row(
    screen: &Screen<'_>,
    form: &BookmarkForm,
    (field, column): (Field, usize),
    area: Rect,
    row: u16,
    buffer: &mut Buffer,
) -> Position {
    let depth = form.depth();
    let (words, at) = match field {
        Field::Depth => {
            let choices = (0..=MAX_DEPTH).map(|choice| {
                let mark = if depth == Some(choice) {
                    "(•)"
                } else {
                    "( )"
                };
                let words = ["0 this page", "1", "2", "3 links away"];
                let words = words.get(usize::from(choice)).copied().unwrap_or_default();
                format!("{mark} {words}")
            });
            let choices: Vec<String> = choices.collect();
            let before = choices.iter().take(usize::from(depth.unwrap_or_default()));
            let at = before.map(|choice| text::width(choice) + 2).sum::<usize>() + 1;
            let label = format!(" {:<column$}", field.label(), column = column - 1);
            (format!("{label}{}", choices.join("  ")), column + at)
        }
        _ => {
            let mark = if depth.is_some() { "[x]" } else { "[ ]" };
            let pad = " ".repeat(column);
            (
                format!("{pad}{mark} Follow: new entries and changes"),
                column + 1,
            )
        }
    };
    screen.write_at(buffer, area, row, &screen.line(words, Role::Text));
    if field == form.field {
        screen.write_at(buffer, area, row, &Line::from(screen.mark(true)));
    }
    let x = area.x.saturating_add(u16::try_from(at).unwrap_or(u16::MAX));
    Position::new(
        x.min(area.right().saturating_sub(1)),
        area.y.saturating_add(row),
    )
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
fn keys(can_complete: bool, can_repair: bool, toggles: bool) -> Hints {
    let tick = toggles.then(|| Hint::key("Space", "tick"));
    let complete = can_complete.then(|| Hint::key("Right", "complete"));
    let repair = can_repair.then(|| Hint::key(FIX_KEY, "repair URL"));
    let keys = [Hint::key("Enter", "save"), Hint::key("Tab", "next field")];
    let keys = keys.into_iter().chain(tick).chain(complete).chain(repair);
    keys.chain([Hint::key("Esc", "cancel")]).collect()
}
