//! Questions with a few answers.

mod questions;

use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::ask::UNANSWERED;
use super::browse::Where;
use super::form::Form;
use super::mark::CaughtUp;
use super::news::NewsPlace;
use super::pane::Incoming;
use super::transfers::TransferId;
use super::{App, Effect, Overlay, Viewing};
use crate::files::bookmarks::{Bookmarks, Draft};
use crate::keymap::Key;
use crate::load::{Login, Request};
use crate::net::Doubt;
use crate::text::Text;
use crate::url::Url;

/// A question, what it is about, and its answers.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The question.
    pub question: Text,
    /// What it is about, line by line.
    pub lines: Vec<Text>,
    /// The line that is shown first.
    pub top: usize,
    /// The answers: the letter of each, and what it does. `n` is the answer that does nothing.
    pub answers: Vec<(char, String)>,
    /// How it is answered.
    pub answered_by: AnsweredBy,
    /// What is to be decided.
    pub of: Of,
}

/// How a question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnsweredBy {
    /// By the letter of an answer: only a question that appears directly on a key press.
    Letter,
    /// By choosing one of [`Choice::buttons`], this one being selected, and pressing Enter.
    Button(usize),
}

/// What a question is to decide.
#[derive(Clone, Debug)]
pub enum Of {
    /// What an item of a type that nobody knows is read as.
    Unknown(Incoming),
    /// Whether a URL with hazards is opened.
    AcceptHazards(Incoming),
    /// Whether passwords go to this place without TLS.
    PlainLogin(Incoming, String),
    /// Whether the filled form in a URL is sent.
    Send(Incoming),
    /// Whether this file goes with the form that is shown.
    SendFile(PathBuf),
    /// Whether the reply to the form that is shown is saved to this file.
    SaveReply(PathBuf),
    /// Whether a file of this machine is opened, or downloaded; and what the link to it says.
    LocalFile(Box<Request>, Text, OpenLocal),
    /// Whether this is run, the program first; or else the page that tells what this address is.
    Run(Vec<String>, Option<Url>),
    /// Whether a URL is opened as it is, or this one with the words that stand behind its `?`.
    Query(Url, Url),
    /// How the page that is shown is read.
    Charset,
    /// Whether this of a group is marked read.
    CatchUp(NewsPlace, Vec<u8>, CaughtUp),
    /// Of what a rule for articles is made.
    Rule {
        /// The group that it is for.
        group: Vec<u8>,
        /// The author of the article.
        author: String,
        /// Its subject.
        subject: String,
    },
    /// Whether a file of this name is saved, or looked at.
    View(Incoming, String, Viewing),
    /// Whether a certificate is trusted.
    Certificate(Box<Doubt>, Incoming),
    /// What becomes of the partial file of a file that has changed.
    Changed(Incoming),
    /// Whether all of what turned out to be a directory is wanted.
    All(Incoming),
    /// Whether the files of a directory are added to one that holds others.
    Merge(Incoming),
    /// Whether what comes past the announced size is fetched.
    PastSize(Incoming),
    /// Whether a transfer goes, and what came of it.
    Erase(TransferId),
    /// Whether the keyring keeps this password for this place.
    Keep(String, Login),
    /// What becomes of the draft that is shown.
    Draft,
    /// Whether the draft in this file is removed.
    RemoveDraft(PathBuf),
    /// Whether the group that something was posted to is opened again.
    Again(Url),
    /// Whether some of these bookmarks are removed, folders among them.
    Remove(Bookmarks, Vec<usize>),
    /// Whether these are opened in tabs.
    OpenAll(Vec<(Text, Url)>),
    /// What becomes of what is in the form, as there is a bookmark to that place among these at this index.
    Both(Box<Form>, Bookmarks, usize),
    /// Whether these bookmarks get the URLs that they mean.
    Repair(Bookmarks, Vec<(usize, Url)>),
    /// Whether these bookmarks are watched, or lose the tag.
    Watch(Bookmarks, Vec<usize>),
    /// Whether these links become bookmarks, in a folder named like the page.
    Links(Vec<Draft>, String),
    /// Which of these bookmarks are checked: the letter for each choice, and the items of the file that it means.
    Check(Bookmarks, Vec<(char, Vec<usize>)>),
}

/// What is done with a file of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenLocal {
    /// It is opened.
    Pane(Where),
    /// It is copied to the downloads.
    Download,
}

/// The answers to a question of yes or no.
pub(super) const YES_OR_NO: [(char, &str); 2] = [('y', "yes"), ('n', "no")];

/// What a key does to the buttons of a question.
enum Pressed {
    /// It selects another one, or shows other lines.
    On(Choice),
    /// The answer of this letter is chosen; without one the question is left.
    Chosen(Choice, Option<char>),
}

impl Choice {
    /// A question that is answered by letters when a key leads to it, and by buttons when it opens by itself.
    pub(super) fn new(question: &str, answers: &[(char, &str)], of: Of) -> Self {
        let answers = answers.iter();
        Self {
            question: Text::of(question),
            lines: Vec::new(),
            top: 0,
            answers: answers
                .map(|(letter, does)| (*letter, (*does).to_owned()))
                .collect(),
            answered_by: AnsweredBy::Letter,
            of,
        }
    }

    /// The same question, with lines that say what it is about.
    pub(super) fn about(self, lines: Vec<Text>) -> Self {
        Self { lines, ..self }
    }

    /// The same question, answered by buttons.
    fn with_buttons(mut self) -> Self {
        self.use_buttons();
        self
    }

    /// Lets buttons answer it from now on.
    pub(super) fn use_buttons(&mut self) {
        self.answered_by = AnsweredBy::Button(0);
    }

    /// The buttons, the safe one first: the letter of its answer, if there is one, and what it does.
    pub fn buttons(&self) -> Vec<(Option<char>, &str)> {
        let safe = match self.of {
            Of::Draft => 'k',
            _ => 'n',
        };
        let is_safe = |answer: &&(char, String)| answer.0 == safe;
        let button = |answer: &'_ (char, String)| Some(answer.0);
        let first = self.answers.iter().find(is_safe);
        let first = first.map_or((None, "leave it"), |answer| (button(answer), &*answer.1));
        let others = self.answers.iter().filter(|answer| !is_safe(answer));
        let others = others.map(|answer| (button(answer), &*answer.1));
        std::iter::once(first).chain(others).collect()
    }

    /// Whether its lines are read one by one: who is to agree sees all of them, however many they are.
    fn is_read(&self) -> bool {
        matches!(self.of, Of::Draft | Of::Repair(..))
    }

    /// Shows other lines, by the keys that scroll everywhere.
    fn scroll(&mut self, key: Key) {
        let by: isize = match (key.code(), key.typed()) {
            (Some(KeyCode::PageDown), _) | (_, Some(' ')) => 10,
            (Some(KeyCode::PageUp), _) | (_, Some('b')) => -10,
            (Some(KeyCode::Down), _) if self.is_read() => 1,
            (Some(KeyCode::Up), _) if self.is_read() => -1,
            (_, _) => return,
        };
        let last = self.lines.len().saturating_sub(1);
        self.top = self.top.saturating_add_signed(by).min(last);
    }

    /// A key, while the button `selected` is selected.
    fn press(mut self, key: Key, selected: usize) -> Pressed {
        let buttons = self.buttons();
        let count = buttons.len();
        let is_read = self.is_read();
        let next = match key.code() {
            Some(KeyCode::Enter) => {
                let chosen = buttons.get(selected).and_then(|(letter, _)| *letter);
                return Pressed::Chosen(self, chosen);
            }
            Some(KeyCode::Tab) => (selected + 1) % count,
            Some(KeyCode::BackTab) => (selected + count - 1) % count,
            Some(KeyCode::Right) => (selected + 1).min(count - 1),
            Some(KeyCode::Left) => selected.saturating_sub(1),
            Some(KeyCode::Down) if !is_read => (selected + 1).min(count - 1),
            Some(KeyCode::Up) if !is_read => selected.saturating_sub(1),
            _ => {
                self.scroll(key);
                selected
            }
        };
        self.answered_by = AnsweredBy::Button(next);
        Pressed::On(self)
    }

    /// The page on its way that waits for the answer.
    pub fn incoming(&self) -> Option<&Incoming> {
        match &self.of {
            Of::Unknown(incoming)
            | Of::AcceptHazards(incoming)
            | Of::PlainLogin(incoming, _)
            | Of::Send(incoming)
            | Of::Changed(incoming)
            | Of::All(incoming)
            | Of::Merge(incoming)
            | Of::PastSize(incoming)
            | Of::Certificate(_, incoming)
            | Of::View(incoming, ..) => Some(incoming),
            Of::SendFile(_)
            | Of::SaveReply(_)
            | Of::LocalFile(..)
            | Of::Run(..)
            | Of::Query(..)
            | Of::Charset
            | Of::CatchUp(..)
            | Of::Rule { .. }
            | Of::Draft
            | Of::Remove(..)
            | Of::OpenAll(_)
            | Of::Both(..)
            | Of::Repair(..)
            | Of::Watch(..)
            | Of::Links(..)
            | Of::Again(_)
            | Of::Erase(_)
            | Of::Check(..)
            | Of::RemoveDraft(_)
            | Of::Keep(..) => None,
        }
    }
}

impl App {
    /// A key, while a question is asked; one that is no answer changes nothing.
    pub(super) fn choice_key(&mut self, choice: Choice, key: Key) -> Vec<Effect> {
        if key.leaves() {
            return self.leave_choice(choice);
        }
        match choice.answered_by {
            AnsweredBy::Button(selected) => match choice.press(key, selected) {
                Pressed::On(choice) => {
                    self.overlay = Some(Overlay::Choice(choice));
                    Vec::new()
                }
                Pressed::Chosen(choice, None | Some('n')) => self.decline(choice),
                Pressed::Chosen(choice, Some(letter)) => self.chosen_answer(choice.of, letter),
            },
            AnsweredBy::Letter => {
                let mut answers = choice.answers.iter().map(|(letter, _)| *letter);
                match answers.find(|letter| Some(*letter) == key.typed()) {
                    Some('n') => self.leave_choice(choice),
                    Some(letter) => self.chosen_answer(choice.of, letter),
                    None => {
                        let mut choice = choice;
                        choice.scroll(key);
                        self.overlay = Some(Overlay::Choice(choice));
                        Vec::new()
                    }
                }
            }
        }
    }

    /// Leaves a question without an answer.
    fn leave_choice(&mut self, choice: Choice) -> Vec<Effect> {
        match choice.of {
            // Esc leaves the question, not what was typed.
            Of::Both(form, ..) => {
                self.overlay = Some(Overlay::Form(form));
                Vec::new()
            }
            Of::Draft => self.keep_draft(""),
            _ if choice.incoming().is_some_and(Incoming::is_transfer) => Vec::new(),
            _ => self.decline(choice),
        }
    }

    /// Answers a question with no: what waited for the answer ends.
    fn decline(&mut self, choice: Choice) -> Vec<Effect> {
        match choice.of {
            Of::Certificate(doubt, incoming) => {
                let sentence = format!("the certificate of {} was not accepted", doubt.place);
                self.tell(&sentence);
                self.leave(incoming, &sentence)
            }
            // A page may be on its way meanwhile.
            Of::Watch(..) => Vec::new(),
            _ => match choice.incoming().cloned() {
                Some(incoming) => self.leave(incoming, UNANSWERED),
                None if self.page().is_none() => self.open_home(),
                None => Vec::new(),
            },
        }
    }
}
