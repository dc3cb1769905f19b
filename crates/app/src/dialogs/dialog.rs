//! The elements above the page, and dialogs: questions with a small number of answers, or a line of input for the
//! answer. Each answer is a command.

mod inputs;
mod questions;

use crossterm::event::KeyCode;
use geomys_wire::text::Text;

use crate::bookmarks::form::BookmarkForm;
use crate::compose::message::Drafts;
use crate::dialogs::help::HelpOverlay;
use crate::dialogs::palette::Palette;
use crate::dialogs::suggest::Suggestions;
use crate::dialogs::text_input::{InputCommand, TextInput};
use crate::view::hints::Hints;
use crate::{Command, PendingRequest};

/// The message for a question that was left without an answer.
pub(crate) const UNANSWERED: &str = "not answered, so not loaded";

/// A question with explaining lines and its answers, or with a line of input.
#[derive(Clone, Debug)]
pub struct Dialog {
    /// The text of the question, or the label before the line of input.
    pub question: Text,
    /// The lines that explain the question.
    pub lines: Vec<Text>,
    /// The number of rows of the lines that are scrolled away.
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
    /// True if letters answer the question beside its buttons.
    pub has_letters: bool,
    /// Whether the question takes answers.
    pub(super) lock: Lock,
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

impl Answer {
    /// Returns true for the answer no. Where letters answer, it does what Esc does.
    pub fn is_no(&self) -> bool {
        self.command.is_none()
    }
}

/// Whether a question takes answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// The user has asked for the question, or has unlocked it.
    Open,
    /// Nobody has asked for it: it takes a key that is no letter, which unlocks it, and Esc.
    Locked,
}

/// The method of answering a question.
#[derive(Clone, Debug)]
pub enum AnswerMethod {
    /// The letter of an answer: only for a question that opens directly after a key press.
    Letter,
    /// One of [`Dialog::buttons`] and Enter; the number is the index of the selected button.
    Button(usize),
    /// A line of text and Enter.
    Text(Box<TextInput>),
}

impl Dialog {
    /// Creates a question without answers. It is answered by letters; if it opens without a key press, buttons replace
    /// the letters.
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
            has_letters: false,
            lock: Lock::Open,
            scrolls_by_line: false,
            declined: vec![Command::OpenHomeIfEmpty],
            cancelled: None,
        }
    }

    /// Creates a question that is answered with yes or no.
    pub(crate) fn confirm(question: &str, command: impl Into<Command>) -> Self {
        Self::new(question).answer('y', "yes", command).no("no")
    }

    /// Creates a question that is answered with a line of text. Esc has no other effect than closing it.
    pub(crate) fn input(label: &str, input: TextInput) -> Self {
        Self {
            answer_method: AnswerMethod::Text(Box::new(input)),
            declined: Vec::new(),
            ..Self::new(label)
        }
    }

    /// Creates the question for a URL to open, with suggestions.
    pub(crate) fn url_input() -> Self {
        let input = TextInput {
            suggestions: Some(Suggestions::default()),
            ..TextInput::new(InputCommand::Open, "")
        };
        Self::input("Open", input)
    }

    /// Sets the request that waits for the answer: it ends if the user answers no. The question of a transfer stays in
    /// its row when the user leaves it, and takes a button, as it may have waited for a long time.
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

    /// Makes letters answer the question, even if it has buttons: its user waits for it, and each answer is named.
    pub(crate) fn with_letters(mut self) -> Self {
        self.has_letters = true;
        self
    }

    /// Makes the lines scroll one by one.
    pub(crate) fn scrolled_by_line(mut self) -> Self {
        self.scrolls_by_line = true;
        self
    }

    /// Switches from letters to buttons.
    pub(crate) fn with_buttons(mut self) -> Self {
        self.use_buttons();
        self
    }

    /// Switches from letters to buttons.
    pub(crate) fn use_buttons(&mut self) {
        match self.answer_method {
            AnswerMethod::Letter | AnswerMethod::Button(_) => {
                self.answer_method = AnswerMethod::Button(0);
            }
            AnswerMethod::Text(_) => {}
        }
    }

    /// Returns the line of input; `None` if the question is answered otherwise.
    pub fn text_input(&self) -> Option<&TextInput> {
        match &self.answer_method {
            AnswerMethod::Text(input) => Some(input),
            AnswerMethod::Letter | AnswerMethod::Button(_) => None,
        }
    }

    /// Returns the answers as buttons, the safe one first; `None` leaves the question.
    pub fn buttons(&self) -> Vec<Option<&Answer>> {
        let is_safe = |answer: &&Answer| answer.key == self.safe;
        let others = self.answers.iter().filter(|answer| !is_safe(answer));
        let safe = self.answers.iter().find(is_safe);
        std::iter::once(safe).chain(others.map(Some)).collect()
    }
}

impl Overlay {
    /// Chooses a row, a button or a field by its index. Returns true if Enter carries it out.
    pub(crate) fn choose(&mut self, index: usize) -> bool {
        match self {
            Self::Form(form) => form.choose(index),
            Self::Palette(palette) => palette.chosen = Some(index),
            Self::Help(help) => help.chosen = index,
            Self::Drafts(drafts) => drafts.chosen = index,
            Self::Dialog(dialog) => match &mut dialog.answer_method {
                AnswerMethod::Button(chosen) => *chosen = index,
                AnswerMethod::Text(input) => {
                    if let Some(suggestions) = &mut input.suggestions {
                        suggestions.chosen = Some(index);
                    }
                }
                AnswerMethod::Letter => return false,
            },
            Self::Hints(_) | Self::Info(_) => return false,
        }
        !matches!(self, Self::Form(_))
    }

    /// Returns the key that moves in the list as the wheel of the mouse does; `None` if there is no list.
    pub(crate) fn wheel_key(&self, is_down: bool) -> Option<KeyCode> {
        let row = if is_down { KeyCode::Down } else { KeyCode::Up };
        let screen = if is_down {
            KeyCode::PageDown
        } else {
            KeyCode::PageUp
        };
        match self {
            Self::Palette(_) | Self::Help(_) | Self::Drafts(_) => Some(row),
            Self::Dialog(dialog) => match &dialog.answer_method {
                // Above the first suggestion, Up recalls what was typed before.
                AnswerMethod::Text(input) => {
                    let found = input.suggestions.as_ref()?;
                    let moves = is_down && !found.list.is_empty() || found.chosen.is_some();
                    moves.then_some(row)
                }
                _ if dialog.scrolls_by_line => Some(row),
                AnswerMethod::Letter | AnswerMethod::Button(_) => Some(screen),
            },
            Self::Form(_) | Self::Hints(_) | Self::Info(_) => None,
        }
    }
}

/// An element above the page that receives the keys.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The form for a bookmark.
    Form(Box<BookmarkForm>),
    /// Hint letters on the links.
    Hints(Hints),
    /// The palette of all commands.
    Palette(Box<Palette>),
    /// The keys of all contexts.
    Help(Box<HelpOverlay>),
    /// A question with a few answers, or with a line of input.
    Dialog(Box<Dialog>),
    /// The list of stored drafts.
    Drafts(Drafts),
    /// The properties of a link: names and values.
    Info(Vec<(Text, Text)>),
}
