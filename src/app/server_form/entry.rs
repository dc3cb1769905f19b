//! A line of a form, and the answer to it while it is given.

use std::fmt;

use crossterm::event::KeyCode;
use tui_input::Input;

use crate::app::prompt::edit;
use crate::keymap::Key;
use crate::protocol::gopher::form::{Answer, Field, Kind};
use crate::text::{Charset, Text, file_name};

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

impl Entry {
    /// An entry with its default in it.
    pub(super) fn new(field: &Field<'_>, hint: Text) -> Self {
        let text = |octets: &[u8]| Text::new(octets, Charset::default());
        let input = |octets: &[u8]| Input::new(text(octets).to_string());
        let (value, default) = match &field.kind {
            Kind::Note => (Value::Note, b"".as_slice()),
            Kind::Ask(default) => (Value::Line(input(default)), *default),
            Kind::AskP(default) => (Value::Secret(Secret(input(default))), *default),
            Kind::AskL(default) => (Value::Lines(vec![input(default)], 0), *default),
            // It names a file of this machine: a server chooses no more than a plain name.
            Kind::AskF(default) => (Value::Receipt(Input::new(plain_name(default))), *default),
            Kind::Select(is_on) => (Value::Select(*is_on), b"".as_slice()),
            Kind::Choose(choices) => {
                let choices = choices.iter().map(|choice| text(choice)).collect();
                (Value::Choose(choices, 0), b"".as_slice())
            }
            Kind::ChooseF => (Value::File(Input::default()), b"".as_slice()),
        };
        let own = match &value {
            Value::Receipt(_) => "a file for the reply, among your downloads",
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
        let default = match &self.value {
            Value::Receipt(_) => plain_name(&self.default),
            Value::Note
            | Value::Line(_)
            | Value::Secret(_)
            | Value::Lines(..)
            | Value::Select(_)
            | Value::Choose(..)
            | Value::File(_) => Text::new(&self.default, Charset::default()).to_string(),
        };
        if input.value() == default {
            self.default.clone()
        } else {
            input.value().as_bytes().to_vec()
        }
    }

    /// What is typed in a line.
    pub(super) fn typed(&self) -> Vec<u8> {
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

    /// The answer that is sent; a file's is what `file` holds.
    pub(super) fn answer(&self, file: &mut Option<Vec<u8>>) -> Answer {
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

/// The name of a file for the reply, from what a server calls it; empty where it names none.
fn plain_name(default: &[u8]) -> String {
    if default.trim_ascii().is_empty() {
        return String::new();
    }
    file_name(default, "reply.txt")
}

/// A key for one of several lines: Backspace at the beginning of a line joins it to the one above.
pub(super) fn edit_lines(lines: &mut Vec<Input>, at: &mut usize, key: Key) -> bool {
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
