//! A form that a server asks, while a person fills it: the +ASK of a Gopher+ item, the query of a phone book.

mod entry;

use std::path::PathBuf;

use crossterm::event::KeyCode;
use tui_input::Input;

use self::entry::edit_lines;
pub use self::entry::{Entry, Secret, Value};

use super::prompt::edit;
use super::{WorkId, prompt};
use crate::keymap::Key;
use crate::load::{Asked, FormOf, Request};
use crate::protocol::gopher::form::{Answer, Form, Unfit};
use crate::protocol::ph::{Return, Selection, query};
use crate::text::Text;

/// A form in a pane.
#[derive(Clone, Debug)]
pub struct Filling {
    /// What the server calls it.
    pub title: Text,
    /// What was asked for, and is asked for again with the answers.
    pub request: Request,
    /// Its lines, in the server's order.
    pub entries: Vec<Entry>,
    /// Which line takes keys; behind the last one stand the two buttons.
    pub at: usize,
    /// The line whose answer cannot be sent, and why.
    pub fault: Option<(usize, Text)>,
    /// The file that is read to be sent.
    pub reading: Option<WorkId>,
    /// The file outside the download directory to which somebody has agreed to save the reply.
    pub agreed: Option<PathBuf>,
    asked: Asked,
}

/// What a key did to a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// Something was typed, chosen or walked to.
    On,
    /// It is to be sent.
    Send,
    /// It is left.
    Leave,
    /// Nothing: the key is none of a form's.
    Not,
}

impl Filling {
    /// A form with its defaults in it.
    pub fn new(asked: Asked, request: Request, title: Text) -> Self {
        let lines = asked.lines.iter().map(Vec::as_slice);
        let form = Form::parse(lines);
        let hints = asked
            .hints
            .iter()
            .cloned()
            .chain(std::iter::repeat_with(Text::default));
        let entries: Vec<Entry> = form
            .fields
            .iter()
            .zip(hints)
            .map(|(field, hint)| Entry::new(field, hint))
            .collect();
        let title = asked
            .title
            .clone()
            .filter(|title| !title.is_blank())
            .unwrap_or(title);
        let mut filling = Self {
            title,
            request,
            at: entries.len() + 1,
            entries,
            fault: None,
            reading: None,
            agreed: None,
            asked,
        };
        // Behind the last button is the first line that takes keys.
        filling.turn(true);
        filling
    }

    /// What it is a form of.
    pub fn of(&self) -> FormOf {
        self.asked.of
    }

    /// The number of the button that sends.
    pub fn send_button(&self) -> usize {
        self.entries.len()
    }

    /// The number of the button that leaves.
    pub fn leave_button(&self) -> usize {
        self.entries.len() + 1
    }

    /// Whether an answer is one that nobody may see.
    pub fn has_secret(&self) -> bool {
        self.form().has_secret()
    }

    /// The file that is to be sent: the number of its line, and its path as it was typed.
    pub fn file(&self) -> Option<(usize, &str)> {
        let files = self.entries.iter().enumerate();
        let mut files = files.filter_map(|(number, entry)| match &entry.value {
            Value::File(input) => Some((number, input.value().trim())),
            Value::Note
            | Value::Line(_)
            | Value::Secret(_)
            | Value::Lines(..)
            | Value::Receipt(_)
            | Value::Select(_)
            | Value::Choose(..) => None,
        });
        files.find(|(_, path)| !path.is_empty())
    }

    /// Where the reply is to be saved: the number of its line, and the path as it was typed.
    pub fn receipt(&self) -> Option<(usize, &str)> {
        let entries = self.entries.iter().enumerate();
        let mut names = entries.filter_map(|(number, entry)| match &entry.value {
            Value::Receipt(input) => Some((number, input.value().trim())),
            Value::Note
            | Value::Line(_)
            | Value::Secret(_)
            | Value::Lines(..)
            | Value::File(_)
            | Value::Select(_)
            | Value::Choose(..) => None,
        });
        names.find(|(_, name)| !name.is_empty())
    }

    /// To the next line that takes keys, or the one before; round the ends.
    pub fn turn(&mut self, forward: bool) {
        let count = self.entries.len() + 2;
        for _ in 0..count {
            self.at = (self.at + if forward { 1 } else { count - 1 }) % count;
            let note = self.entries.get(self.at).map(|entry| &entry.value);
            if !matches!(note, Some(Value::Note)) {
                break;
            }
        }
    }

    /// A key that means something to the line it is in, before any other.
    pub fn own_key(&mut self, key: Key) -> bool {
        let Some(Value::Lines(lines, at)) = self.value_mut() else {
            return false;
        };
        match key.code() {
            Some(KeyCode::Up) if *at > 0 => *at -= 1,
            Some(KeyCode::Down) if *at + 1 < lines.len() => *at += 1,
            _ => return false,
        }
        true
    }

    /// Any other key.
    pub fn key(&mut self, key: Key) -> Filled {
        if key.code() == Some(KeyCode::Enter) {
            return self.enter();
        }
        let typed = key.typed();
        let done = match self.value_mut() {
            Some(
                Value::Line(input)
                | Value::Secret(Secret(input))
                | Value::Receipt(input)
                | Value::File(input),
            ) => edit(input, key),
            Some(Value::Lines(lines, at)) => edit_lines(lines, at, key),
            Some(Value::Select(is_on)) => {
                *is_on ^= typed == Some(' ');
                typed.is_some()
            }
            Some(Value::Choose(choices, chosen)) => {
                let count = choices.len().max(1);
                match key.code() {
                    Some(KeyCode::Right | KeyCode::Char(' ')) => *chosen = (*chosen + 1) % count,
                    Some(KeyCode::Left) => *chosen = (*chosen + count - 1) % count,
                    _ if typed.is_none() => return Filled::Not,
                    _ => {}
                }
                true
            }
            None if typed == Some(' ') => return self.enter(),
            // A letter that nothing takes is no command: the form would be gone by a slip.
            Some(Value::Note) | None => typed.is_some(),
        };
        if done {
            self.fault = None;
            Filled::On
        } else {
            Filled::Not
        }
    }

    fn enter(&mut self) -> Filled {
        if self.at == self.send_button() {
            return Filled::Send;
        }
        if self.at == self.leave_button() {
            return Filled::Leave;
        }
        if let Some(Value::Lines(lines, at)) = self.value_mut() {
            *at = (*at + 1).min(lines.len());
            lines.insert(*at, Input::default());
        } else {
            self.turn(true);
        }
        Filled::On
    }

    /// Takes pasted text: all its lines where lines are wanted, else the first.
    pub fn paste(&mut self, text: &str) {
        match self.value_mut() {
            Some(
                Value::Line(input)
                | Value::Secret(Secret(input))
                | Value::Receipt(input)
                | Value::File(input),
            ) => prompt::paste(input, text),
            Some(Value::Lines(lines, at)) => {
                for (number, line) in text.lines().enumerate() {
                    if number > 0 {
                        *at = (*at + 1).min(lines.len());
                        lines.insert(*at, Input::default());
                    }
                    if let Some(input) = lines.get_mut(*at) {
                        prompt::paste(input, line);
                    }
                }
            }
            Some(Value::Note | Value::Select(_) | Value::Choose(..)) | None => {}
        }
    }

    /// What is sent for the answers: a Gopher+ string, or the words of a query. `file` is what the file holds that is
    /// sent with them. A fault stays at its line.
    pub fn fill(&mut self, file: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let filled = match self.asked.of {
            FormOf::Item => self
                .fill_item(file)
                .map_err(|unfit| (unfit.field, unfit.to_string())),
            FormOf::PhoneBook => self.fill_query(),
        };
        match filled {
            Ok(octets) => Some(octets),
            Err((field, why)) => {
                self.refuse(field, &why);
                None
            }
        }
    }

    /// Says what is wrong with the answer of a line, and goes there.
    pub fn refuse(&mut self, field: usize, why: &str) {
        let field = field.min(self.entries.len());
        self.fault = Some((field, Text::of(why)));
        self.at = field;
    }

    fn fill_item(&self, mut file: Option<Vec<u8>>) -> Result<Vec<u8>, Unfit> {
        let answers: Vec<Answer> = self
            .entries
            .iter()
            .map(|entry| entry.answer(&mut file))
            .collect();
        self.form().fill(b"", &answers)
    }

    fn fill_query(&self) -> Result<Vec<u8>, (usize, String)> {
        let typed = self.entries.iter().map(Entry::typed);
        let mut typed = typed.enumerate().filter(|(_, typed)| !typed.is_empty());
        let (mut words, mut selections) = (Vec::new(), Vec::new());
        for (number, value) in &mut typed {
            let field = self
                .entries
                .get(number)
                .map(|entry| entry.prompt.to_string());
            match field.filter(|_| number > 0) {
                None => words.push(value),
                Some(field) => selections.push(Selection {
                    field: Some(field.into_bytes()),
                    value,
                }),
            }
        }
        if selections.is_empty() && words.is_empty() {
            let why = "a word is wanted, here or below".to_owned();
            return Err((0, why));
        }
        let mut line = words.concat();
        if !selections.is_empty() {
            let query = query(&selections, &Return::Default);
            let query = query.map_err(|error| (0, error.to_string()))?;
            let rest = query.strip_prefix(b"query ").unwrap_or(&query);
            // The line of words may say what is to be returned: fields stand before that.
            line = if line.is_empty() {
                rest.to_vec()
            } else {
                [rest, b" ", &line].concat()
            };
        }
        Ok(line)
    }

    fn form(&self) -> Form<'_> {
        Form::parse(self.asked.lines.iter().map(Vec::as_slice))
    }

    fn value_mut(&mut self) -> Option<&mut Value> {
        self.entries.get_mut(self.at).map(|entry| &mut entry.value)
    }
}
