//! A form that a server asks, while a person fills it: the +ASK of a Gopher+ item, the query of a phone book.

use std::fmt;

use crossterm::event::KeyCode;
use tui_input::Input;

use super::prompt::edit;
use super::{WorkId, prompt};
use crate::keymap::Key;
use crate::load::{Asked, FormOf, Request};
use crate::protocol::gopher::form::{Answer, Field, Form, Kind, Unfit};
use crate::protocol::ph::{Return, Selection, query};
use crate::text::{Charset, Text};

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
    asked: Asked,
}

/// A line of a form.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What is asked.
    pub prompt: Text,
    /// What is said beside it.
    pub hint: Text,
    /// The answer so far.
    pub value: Value,
    /// The default, as the server wrote it: what is not changed is sent so.
    default: Vec<u8>,
}

/// An answer while it is given.
#[derive(Clone, Debug)]
pub enum Value {
    /// There is nothing to answer.
    Note,
    /// A line.
    Line(Input),
    /// A line that nobody may see.
    Secret(Secret),
    /// Lines, and which of them takes keys.
    Lines(Vec<Input>, usize),
    /// The name of the file for the reply.
    Receipt(Input),
    /// Yes or no.
    Select(bool),
    /// One of these.
    Choose(Vec<Text>, usize),
    /// The path of a file to send.
    File(Input),
}

/// A line that no `Debug` shows.
#[derive(Clone)]
pub struct Secret(pub Input);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
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

    /// Where the reply is to be saved.
    pub fn receipt(&self) -> Option<&str> {
        let mut names = self.entries.iter().filter_map(|entry| match &entry.value {
            Value::Receipt(input) => Some(input.value().trim()),
            Value::Note
            | Value::Line(_)
            | Value::Secret(_)
            | Value::Lines(..)
            | Value::File(_)
            | Value::Select(_)
            | Value::Choose(..) => None,
        });
        names.find(|name| !name.is_empty())
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

impl Entry {
    fn new(field: &Field<'_>, hint: Text) -> Self {
        let text = |octets: &[u8]| Text::new(octets, Charset::default());
        let input = |octets: &[u8]| Input::new(text(octets).to_string());
        let (value, default) = match &field.kind {
            Kind::Note => (Value::Note, b"".as_slice()),
            Kind::Ask(default) => (Value::Line(input(default)), *default),
            Kind::AskP(default) => (Value::Secret(Secret(input(default))), *default),
            Kind::AskL(default) => (Value::Lines(vec![input(default)], 0), *default),
            Kind::AskF(default) => (Value::Receipt(input(default)), *default),
            Kind::Select(is_on) => (Value::Select(*is_on), b"".as_slice()),
            Kind::Choose(choices) => {
                let choices = choices.iter().map(|choice| text(choice)).collect();
                (Value::Choose(choices, 0), b"".as_slice())
            }
            Kind::ChooseF => (Value::File(Input::default()), b"".as_slice()),
        };
        let own = match &value {
            Value::Receipt(_) => "a file for the reply",
            Value::File(_) => "a file of yours, to send",
            Value::Note
            | Value::Line(_)
            | Value::Secret(_)
            | Value::Lines(..)
            | Value::Select(_)
            | Value::Choose(..) => "",
        };
        Self {
            prompt: text(field.prompt),
            hint: if hint.is_blank() { Text::of(own) } else { hint },
            value,
            default: default.to_vec(),
        }
    }

    /// What is typed, as octets; the default as the server wrote it where nothing was changed.
    fn octets(&self, input: &Input) -> Vec<u8> {
        let default = Text::new(&self.default, Charset::default());
        if input.value() == default.as_str() {
            self.default.clone()
        } else {
            input.value().as_bytes().to_vec()
        }
    }

    fn typed(&self) -> Vec<u8> {
        match &self.value {
            Value::Line(input) => input.value().trim().as_bytes().to_vec(),
            Value::Note
            | Value::Secret(_)
            | Value::Lines(..)
            | Value::Receipt(_)
            | Value::Select(_)
            | Value::Choose(..)
            | Value::File(_) => Vec::new(),
        }
    }

    fn answer(&self, file: &mut Option<Vec<u8>>) -> Answer {
        match &self.value {
            Value::Note => Answer::Nothing,
            Value::Line(input) | Value::Secret(Secret(input)) | Value::Receipt(input) => {
                Answer::Line(self.octets(input))
            }
            Value::Lines(lines, _) => {
                let text: Vec<Vec<u8>> = lines.iter().map(|line| self.octets(line)).collect();
                match text.as_slice() {
                    [only] if only.is_empty() => Answer::Lines(Vec::new()),
                    _ => Answer::Lines(text),
                }
            }
            Value::Select(is_on) => Answer::Select(*is_on),
            Value::Choose(choices, chosen) => {
                let choice = choices.get(*chosen);
                Answer::Line(choice.map_or(Vec::new(), |choice| choice.as_str().into()))
            }
            Value::File(input) if input.value().trim().is_empty() => Answer::Nothing,
            Value::File(_) => file.take().map_or(Answer::Nothing, Answer::File),
        }
    }
}

/// Backspace at the beginning of a line joins it to the one above.
fn edit_lines(lines: &mut Vec<Input>, at: &mut usize, key: Key) -> bool {
    let Some(line) = lines.get_mut(*at) else {
        return false;
    };
    if key.code() == Some(KeyCode::Backspace) && line.visual_cursor() == 0 && *at > 0 {
        let rest = lines.remove(*at);
        *at -= 1;
        if let Some(above) = lines.get_mut(*at) {
            let cursor = above.value().chars().count();
            let joined = format!("{}{}", above.value(), rest.value());
            *above = Input::new(joined).with_cursor(cursor);
        }
        return true;
    }
    edit(line, key)
}
