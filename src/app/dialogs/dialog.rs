//! Dialogs: questions with a small number of answers, each of which is a command.

mod questions;

use crate::app::{Command, PendingRequest};
use crate::text::Text;

/// The message for a question that was left without an answer.
pub(crate) const UNANSWERED: &str = "not answered, so not loaded";

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
    pub(super) scrolls_by_line: bool,
    /// The commands of the answer no.
    pub(super) declined: Vec<Command>,
    /// The commands of Esc, if they differ from those of the answer no.
    pub(super) cancelled: Option<Vec<Command>>,
}

/// An answer to a question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The letter of the answer. `n` is the answer no.
    pub key: char,
    /// The effect of the answer, in words.
    pub label: String,
    pub(super) command: Option<Command>,
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
    pub(crate) fn confirm(question: &str, command: impl Into<Command>) -> Self {
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
    pub(crate) fn answer(mut self, key: char, label: &str, command: impl Into<Command>) -> Self {
        self.answers.push(Answer {
            key,
            label: label.to_owned(),
            command: Some(command.into()),
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
    pub(crate) fn cancelled(mut self, command: impl Into<Command>) -> Self {
        self.cancelled = Some(vec![command.into()]);
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
}
