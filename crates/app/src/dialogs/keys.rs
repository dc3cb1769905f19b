//! The keys of questions and of the help overlay.

use crossterm::event::KeyCode;
use geomys_wire::text;

use crate::dialogs::dialog::{Answer, AnswerMethod};
use crate::dialogs::help::{HelpLine, HelpOverlay, KeyedCommand, columns};
use crate::dialogs::text_input::edit;
use crate::keymap::Key;
use crate::{Command, Context, Dialog, Overlay};

impl HelpOverlay {
    /// Handles a key. Every letter filters, so that no word that is typed here runs a command.
    pub(crate) fn key(mut self, key: Key, cx: &mut Context) {
        if key.is_cancel() || key == Key::from_code(KeyCode::F(1)) {
            return;
        }
        let area = cx.layout.transfers();
        let columns = columns(area.width);
        let last = self.count(columns).saturating_sub(1);
        let screen = usize::from(area.height * columns).max(1);
        match key.code() {
            Some(KeyCode::Enter) => {
                match self.line(columns) {
                    Some(HelpLine::Command(
                        _,
                        KeyedCommand {
                            action,
                            only: Some(place),
                            ..
                        },
                    )) => {
                        let place = place.to_lowercase();
                        cx.notify(&format!("{} works only {place}", action.name()));
                    }
                    Some(HelpLine::Command(_, command)) => {
                        cx.command(Command::Act(command.action));
                    }
                    Some(HelpLine::Other(_, entry)) => {
                        cx.command(Command::Run(Box::new(entry.clone())));
                    }
                    Some(HelpLine::Count(_, place, _)) => {
                        self.input = place.to_lowercase().into();
                        self.chosen = 0;
                        cx.show(Overlay::Help(Box::new(self)));
                    }
                    Some(_) | None => {}
                }
                return;
            }
            Some(KeyCode::Down | KeyCode::Tab) => self.chosen = (self.chosen + 1).min(last),
            Some(KeyCode::Up | KeyCode::BackTab) => self.chosen = self.chosen.saturating_sub(1),
            Some(KeyCode::PageDown) => self.chosen = (self.chosen + screen).min(last),
            Some(KeyCode::PageUp) => self.chosen = self.chosen.saturating_sub(screen),
            Some(KeyCode::Char(' ')) if self.input.value().is_empty() => {
                self.chosen = (self.chosen + screen).min(last);
            }
            _ => {
                if edit(&mut self.input, key) {
                    self.chosen = 0;
                }
            }
        }
        cx.show(Overlay::Help(Box::new(self)));
    }
}

impl Dialog {
    /// Handles a key of a question without a line of input: an answer, a scroll key, or a key that selects a button.
    pub(crate) fn key(mut self, key: Key, cx: &mut Context) {
        if key.is_cancel() {
            return self.cancel(cx);
        }
        let answer = match self.answer_method {
            AnswerMethod::Button(selected) if key.code() == Some(KeyCode::Enter) => {
                let chosen = self.buttons().into_iter().nth(selected).flatten();
                match chosen.and_then(|answer| answer.command.clone()) {
                    Some(command) => return cx.command(command),
                    None => return self.decline(cx),
                }
            }
            AnswerMethod::Button(selected) => {
                self.select(key, selected);
                self.lettered(key).filter(|_| self.has_letters)
            }
            AnswerMethod::Letter => self.lettered(key),
            AnswerMethod::Text(_) => None,
        };
        match answer.map(|answer| answer.command.clone()) {
            Some(Some(command)) => cx.command(command),
            Some(None) => self.cancel(cx),
            None => {
                self.scroll(key, cx.layout.question_columns());
                cx.show(Overlay::Dialog(Box::new(self)));
            }
        }
    }

    /// Returns the answer with this letter.
    fn lettered(&self, key: Key) -> Option<&Answer> {
        let mut answers = self.answers.iter();
        answers.find(|answer| [Some(key), key.latin()].contains(&Some(Key::letter(answer.key))))
    }

    /// Selects another button.
    fn select(&mut self, key: Key, selected: usize) {
        let count = self.buttons().len();
        let next = match key.code() {
            Some(KeyCode::Tab) => (selected + 1) % count,
            Some(KeyCode::BackTab) => (selected + count - 1) % count,
            Some(KeyCode::Right) => (selected + 1).min(count - 1),
            Some(KeyCode::Left) => selected.saturating_sub(1),
            Some(KeyCode::Down) if !self.scrolls_by_line => (selected + 1).min(count - 1),
            Some(KeyCode::Up) if !self.scrolls_by_line => selected.saturating_sub(1),
            _ => selected,
        };
        self.answer_method = AnswerMethod::Button(next);
    }

    /// Scrolls the lines, which have this width, by the usual keys.
    fn scroll(&mut self, key: Key, columns: usize) {
        let by: isize = match (key.code(), key.character()) {
            (Some(KeyCode::PageDown), _) | (_, Some(' ')) => 10,
            (Some(KeyCode::PageUp), _) | (_, Some('b')) => -10,
            (Some(KeyCode::Down), _) if self.scrolls_by_line => 1,
            (Some(KeyCode::Up), _) if self.scrolls_by_line => -1,
            (_, _) => return,
        };
        let lines = self.lines.iter();
        let rows: usize = lines
            .map(|line| text::wrap(line.as_str(), columns).len())
            .sum();
        let last = rows.saturating_sub(1);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Closes the question without an answer.
    pub(crate) fn cancel(self, cx: &mut Context) {
        match self.cancelled {
            Some(commands) => cx.commands.extend(commands),
            None => self.decline(cx),
        }
    }

    /// Answers the question with no.
    fn decline(self, cx: &mut Context) {
        cx.commands.extend(self.declined);
    }
}
