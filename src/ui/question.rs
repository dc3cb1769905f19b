//! A question in its box, with the letters or buttons that answer it.

use std::borrow::Cow;

use geomys_wire::text;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::key_hints::{Hint, Hints};
use super::prompt_box::{self, PromptBox};
use super::screen::Screen;
use super::theme::Role;
use geomys_app::Dialog;
use geomys_app::dialogs::dialog::AnswerMethod;
use geomys_app::mouse::Click;

/// The hint at the key that unlocks a question.
pub const UNLOCK_HINT: &str = " Press Tab to answer; letters are ignored";

/// Draws a question with its details and its answers. Returns the position of the terminal's cursor: on the chosen
/// button, or on the first answer.
pub(super) fn draw(
    screen: &Screen<'_>,
    dialog: &Dialog,
    frame: PromptBox,
    buffer: &mut Buffer,
) -> Position {
    let width = usize::from(frame.width()).saturating_sub(2).max(1);
    let role = if dialog.is_warning {
        Role::Fault
    } else {
        Role::Prompt
    };
    let (title, question) = prompt_box::title(dialog);
    let mut rows: Vec<Line<'_>> = text::wrap(question.unwrap_or_default(), width)
        .into_iter()
        .map(|piece| screen.line(format!(" {piece}"), role))
        .collect();
    let mut answers = Answers::of(screen, dialog, width);
    answers.fit(frame.max_rows());
    let discarded = screen.discarded();
    // The user must see the whole question, as far as the screen allows.
    let pieces: Vec<&str> = dialog
        .lines
        .iter()
        .flat_map(|line| text::wrap(line.as_str(), frame.question_columns()))
        .skip(dialog.top)
        .collect();
    let below = answers.rows() + usize::from(discarded.is_some());
    let room = frame.max_rows().saturating_sub(rows.len() + below);
    let is_cut = pieces.len() > room;
    let room = room.saturating_sub(usize::from(is_cut));
    let shown = pieces.iter().take(room);
    rows.extend(shown.map(|piece| screen.line(format!("   {piece}"), Role::Text)));
    if is_cut {
        let more = format!(
            "   and {} lines more   Space shows them",
            pieces.len() - room
        );
        rows.push(screen.line(more, Role::Dim));
    }
    rows.extend(discarded);
    let title_role = if dialog.is_warning {
        Role::Fault
    } else {
        Role::Heading
    };
    let count = rows.len() + answers.rows();
    let area = frame.draw(screen, (&title, title_role), count, buffer);
    // If there is no room for both, the answers are more important than the question.
    let above = usize::from(area.height).saturating_sub(answers.rows());
    let hidden = rows.len().saturating_sub(above);
    screen.write_lines(buffer, area, rows.get(hidden..).unwrap_or_default());
    answers.draw(screen, area, buffer)
}

impl Screen<'_> {
    /// A line that says that the last key was discarded, if it was, or that a key has to unlock the question.
    pub(super) fn discarded(&self) -> Option<Line<'static>> {
        let dialogs = &self.app.dialogs;
        let words = if dialogs.has_discarded() {
            " Key ignored: the question has just opened"
        } else if dialogs.is_locked() {
            UNLOCK_HINT
        } else {
            return None;
        };
        Some(self.line(words, Role::Dim))
    }
}

/// The answers of a question, and its keys: letters are both.
struct Answers {
    buttons: Vec<Vec<Button>>,
    keys: Vec<Hints>,
}

/// A button of a question.
struct Button {
    spans: Vec<Span<'static>>,
    index: usize,
    is_chosen: bool,
}

impl Button {
    fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }
}

impl Answers {
    fn of(screen: &Screen<'_>, dialog: &Dialog, width: usize) -> Self {
        let answers = dialog.answers.iter();
        let escape = |label: Cow<'static, str>| Hint::key("Esc", label);
        match dialog.answer_method {
            AnswerMethod::Button(chosen) => {
                let select = Hint::key("Tab", "select");
                let keys = [
                    select,
                    Hint::key("Enter", "choose"),
                    escape("cancel".into()),
                ];
                Self {
                    buttons: in_rows(buttons(screen, dialog, chosen), width),
                    keys: keys.into_iter().collect::<Hints>().wrapped(width),
                }
            }
            AnswerMethod::Letter | AnswerMethod::Text(_) => {
                let (no, others): (Vec<_>, Vec<_>) = answers.partition(|answer| answer.is_no());
                let letters = others
                    .into_iter()
                    .map(|answer| Hint::key(&answer.key.to_string(), answer.label.clone()));
                let no = no.first().map_or(escape("cancel".into()), |answer| {
                    escape(answer.label.clone().into()).or_letter(answer.key)
                });
                Self {
                    buttons: Vec::new(),
                    keys: letters.chain([no]).collect::<Hints>().wrapped(width),
                }
            }
        }
    }

    /// Leaves out keys where there is no room for them beside the buttons and a row of the question.
    fn fit(&mut self, rows: usize) {
        let room = rows.saturating_sub(self.buttons.len() + 1);
        if !self.buttons.is_empty() {
            self.keys.truncate(room);
        }
    }

    fn rows(&self) -> usize {
        self.buttons.len() + self.keys.len()
    }

    /// Draws the answers at the bottom of an area. Returns the position of the chosen one.
    fn draw(self, screen: &Screen<'_>, area: Rect, buffer: &mut Buffer) -> Position {
        let skipped = usize::from(area.height).saturating_sub(self.rows());
        let first = area.rows().nth(skipped).unwrap_or(area);
        let mut cursor = Position::new(first.x + 1, first.y);
        for (buttons, row) in self.buttons.into_iter().zip(area.rows().skip(skipped)) {
            let mut x = row.x + 1;
            for button in buttons {
                let width = u16::try_from(button.width()).unwrap_or(u16::MAX);
                let room = Rect::new(x, row.y, width, 1).intersection(row);
                // The mark comes before the button.
                if button.is_chosen {
                    cursor = Position::new((x + 1).min(row.right()), row.y);
                }
                screen.press(room, Click::Choose(button.index));
                screen.write(buffer, room, &Line::from(button.spans));
                x = x.saturating_add(width + BUTTON_GAP);
            }
        }
        prompt_box::draw_keys(screen, self.keys, area, buffer);
        cursor
    }
}

/// The columns between two buttons.
const BUTTON_GAP: u16 = 3;

/// The buttons that answer a question, with the chosen one marked.
fn buttons(screen: &Screen<'_>, dialog: &Dialog, chosen: usize) -> Vec<Button> {
    let buttons = dialog.buttons().into_iter().enumerate();
    let buttons = buttons.map(|(index, answer)| {
        let label = answer.map_or("cancel", |answer| &answer.label);
        let is_chosen = index == chosen;
        let role = if is_chosen { Role::Cursor } else { Role::Text };
        let letter = answer.filter(|_| dialog.has_letters);
        let letter = letter.map_or(String::new(), |answer| format!("{} ", answer.key));
        let spans = vec![
            screen.mark(is_chosen),
            screen.span(letter, Role::Key),
            screen.span(format!("[ {} ]", text::sentence_case(label, "")), role),
        ];
        Button {
            spans,
            index,
            is_chosen,
        }
    });
    buttons.collect()
}

/// Arranges buttons in rows of this width; in columns if they take more than one.
fn in_rows(mut buttons: Vec<Button>, width: usize) -> Vec<Vec<Button>> {
    let gap = usize::from(BUTTON_GAP);
    let all: usize = buttons.iter().map(|button| button.width() + gap).sum();
    if all > width + gap {
        let widest = buttons.iter().map(Button::width).max().unwrap_or(0);
        for button in &mut buttons {
            let pad = widest.saturating_sub(button.width());
            button.spans.push(Span::raw(" ".repeat(pad)));
        }
    }
    let mut rows: Vec<Vec<Button>> = vec![Vec::new()];
    for button in buttons {
        let taken =
            |row: &Vec<Button>| row.iter().map(|button| button.width() + gap).sum::<usize>();
        let is_full = rows
            .last()
            .is_some_and(|row| !row.is_empty() && taken(row) + button.width() > width);
        if is_full {
            rows.push(vec![button]);
        } else if let Some(row) = rows.last_mut() {
            row.push(button);
        }
    }
    rows
}
