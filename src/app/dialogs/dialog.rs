//! Dialogs: questions with a small number of answers, each of which is a command.

mod questions;

use crossterm::event::KeyCode;

use crate::app::requester::PendingRequest;
use crate::app::{Command, Context, Overlay};
use crate::keymap::Key;
use crate::text::Text;

/// The message for a question that was left without an answer.
pub(crate) const UNANSWERED: &str = "nothing was answered, so nothing was loaded";

/// A question with explaining lines and its answers.
#[derive(Clone, Debug)]
pub struct Dialog {
    /// The text of the question.
    pub question: Text,
    /// The lines that explain the question.
    pub lines: Vec<Text>,
    /// The index of the first shown line.
    pub top: usize,
    /// The answers, in order.
    pub answers: Vec<Answer>,
    /// The method of answering.
    pub answer_method: AnswerMethod,
    /// True if the question warns of a danger.
    pub is_warning: bool,
    /// The request that waits for the answer.
    pub pending: Option<Box<PendingRequest>>,
    /// The key of the answer that is safe. Its button comes first.
    safe: char,
    /// True if the lines scroll one by one, because the user must be able to read all of them before agreeing.
    scrolls_by_line: bool,
    /// The commands of the answer no.
    declined: Vec<Command>,
    /// The commands of Esc, if they differ from those of the answer no.
    cancelled: Option<Vec<Command>>,
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The letter of the answer. `n` is the answer no.
    pub key: char,
    /// The effect of the answer, in words.
    pub label: String,
    command: Option<Command>,
}

/// The method of answering a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerMethod {
    /// The letter of an answer: only for a question that opens directly after a key press.
    Letter,
    /// One of [`Dialog::buttons`] and Enter; the number is the index of the selected button.
    Button(usize),
}

impl Dialog {
    /// Creates a question without answers. It is answered by letters; if it opens without a key press, buttons replace the
    /// letters.
    pub(crate) fn new(question: &str) -> Self {
        Self {
            question: Text::of(question),
            lines: Vec::new(),
            top: 0,
            answers: Vec::new(),
            answer_method: AnswerMethod::Letter,
            is_warning: false,
            pending: None,
            safe: 'n',
            scrolls_by_line: false,
            declined: vec![Command::OpenHomeIfEmpty],
            cancelled: None,
        }
    }

    /// Creates a question that is answered with yes or no.
    pub(crate) fn confirm(question: &str, command: Command) -> Self {
        Self::new(question).answer('y', "yes", command).no("no")
    }

    /// Sets the request that waits for the answer: it ends if the user answers no. The question of a transfer stays in its
    /// row when the user leaves it, and takes a button, as it may have waited for a long time.
    pub(crate) fn about(mut self, pending: PendingRequest) -> Self {
        let pending = Box::new(pending);
        if pending.is_transfer() {
            self.cancelled = Some(Vec::new());
            self.use_buttons();
        }
        self.declined = vec![Command::CancelPending(
            pending.clone(),
            UNANSWERED.to_owned(),
        )];
        self.pending = Some(pending);
        self
    }

    /// Adds an answer.
    pub(crate) fn answer(mut self, key: char, label: &str, command: Command) -> Self {
        self.answers.push(Answer {
            key,
            label: label.to_owned(),
            command: Some(command),
        });
        self
    }

    /// Adds the answer no.
    pub(crate) fn no(mut self, label: &str) -> Self {
        self.answers.push(Answer {
            key: 'n',
            label: label.to_owned(),
            command: None,
        });
        self
    }

    /// Sets the explaining lines.
    pub(crate) fn with_lines(self, lines: Vec<Text>) -> Self {
        Self { lines, ..self }
    }

    /// Sets the commands of the answer no.
    pub(crate) fn declined(self, declined: Vec<Command>) -> Self {
        Self { declined, ..self }
    }

    /// Sets the command of Esc.
    pub(crate) fn cancelled(mut self, command: Command) -> Self {
        self.cancelled = Some(vec![command]);
        self
    }

    /// Sets the key of the answer that is safe.
    pub(crate) fn safe(self, safe: char) -> Self {
        Self { safe, ..self }
    }

    /// Makes the lines scroll one by one.
    pub(crate) fn scrolled_by_line(mut self) -> Self {
        self.scrolls_by_line = true;
        self
    }

    /// Switches to buttons.
    pub(crate) fn with_buttons(mut self) -> Self {
        self.use_buttons();
        self
    }

    /// Switches to buttons.
    pub(crate) fn use_buttons(&mut self) {
        self.answer_method = AnswerMethod::Button(0);
    }

    /// Returns the answers as buttons, the safe one first; `None` leaves the question.
    pub fn buttons(&self) -> Vec<Option<&Answer>> {
        let is_safe = |answer: &&Answer| answer.key == self.safe;
        let others = self.answers.iter().filter(|answer| !is_safe(answer));
        let safe = self.answers.iter().find(is_safe);
        std::iter::once(safe).chain(others.map(Some)).collect()
    }

    /// Handles a key: an answer, a scroll key, or a key that selects a button.
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
                None
            }
            AnswerMethod::Letter => {
                let mut answers = self.answers.iter();
                let answer = answers.find(|answer| Some(answer.key) == key.character());
                answer.map(|answer| answer.command.clone())
            }
        };
        match answer {
            Some(Some(command)) => cx.command(command),
            Some(None) => self.cancel(cx),
            None => {
                self.scroll(key);
                cx.show(Overlay::Dialog(Box::new(self)));
            }
        }
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

    /// Scrolls the lines by the usual keys.
    fn scroll(&mut self, key: Key) {
        let by: isize = match (key.code(), key.character()) {
            (Some(KeyCode::PageDown), _) | (_, Some(' ')) => 10,
            (Some(KeyCode::PageUp), _) | (_, Some('b')) => -10,
            (Some(KeyCode::Down), _) if self.scrolls_by_line => 1,
            (Some(KeyCode::Up), _) if self.scrolls_by_line => -1,
            (_, _) => return,
        };
        let last = self.lines.len().saturating_sub(1);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// Closes the question without an answer.
    fn cancel(self, cx: &mut Context) {
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
