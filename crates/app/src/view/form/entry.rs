//! A line of a form, and its answer while the user types it.

use std::fmt;

use crossterm::event::KeyCode;
use geomys_wire::protocol::gopher::form::{Field, FieldKind, FormAnswer};
use geomys_wire::text::{Charset, Text, file_name};
use tui_input::Input;

use crate::dialogs::text_input::edit;
use crate::keymap::Key;

/// A line of a form.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The question.
    pub prompt: Text,
    /// The hint beside it.
    pub hint: Text,
    /// The current answer.
    pub value: Value,
    /// The default in the server's octets. An unchanged answer is sent in this form.
    default: Vec<u8>,
    /// The choices in the server's octets, as they are sent.
    choices: Vec<Vec<u8>>,
}

/// An answer while the user types it.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text without an answer.
    Note,
    /// One line of text.
    Line(Input),
    /// One line of secret text.
    Secret(Secret),
    /// Several lines, and the index of the one with the focus.
    Lines(Vec<Input>, usize),
    /// The name of the file for the reply.
    Receipt(Input),
    /// A choice of yes or no.
    Select(bool),
    /// A choice from a list, and the index of the chosen item.
    Choose(Vec<Text>, usize),
    /// The path of a file to send.
    File(Input),
}

/// An input that `Debug` does not show.
#[derive(Clone)]
pub struct Secret(pub Input);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Entry {
    /// Creates an entry with its default answer.
    pub(crate) fn new(field: &Field<'_>, hint: Text) -> Self {
        let text = |octets: &[u8]| Text::new(octets, Charset::default());
        let input = |octets: &[u8]| Input::new(text(octets).to_string());
        let (value, default) = match &field.kind {
            FieldKind::Note => (Value::Note, b"".as_slice()),
            FieldKind::Ask(default) => (Value::Line(input(default)), *default),
            FieldKind::AskP(default) => (Value::Secret(Secret(input(default))), *default),
            FieldKind::AskL(default) => (Value::Lines(vec![input(default)], 0), *default),
            // This becomes a local file: the server may choose only a plain name.
            FieldKind::AskF(default) => (Value::Receipt(Input::new(plain_name(default))), *default),
            FieldKind::Select(is_on) => (Value::Select(*is_on), b"".as_slice()),
            FieldKind::Choose(choices) => {
                let choices = choices.iter().map(|choice| text(choice)).collect();
                (Value::Choose(choices, 0), b"".as_slice())
            }
            FieldKind::ChooseF => (Value::File(Input::default()), b"".as_slice()),
        };
        let choices = match &field.kind {
            FieldKind::Choose(choices) => choices.iter().map(|choice| choice.to_vec()).collect(),
            _ => Vec::new(),
        };
        let own = match &value {
            Value::Receipt(_) => "file name for the reply",
            Value::File(_) => "local file to send",
            _ => "",
        };
        Self {
            prompt: text(field.prompt),
            hint: if hint.is_blank() { Text::of(own) } else { hint },
            value,
            default: default.to_vec(),
            choices,
        }
    }

    /// Creates an entry of a form of the Web.
    pub(super) fn web(prompt: Text, hint: Text, value: Value) -> Self {
        Self {
            prompt,
            hint,
            value,
            default: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// Returns the octets of the input; of an unchanged input, the server's octets of the default.
    fn octets(&self, input: &Input) -> Vec<u8> {
        let default = match &self.value {
            Value::Receipt(_) => plain_name(&self.default),
            _ => Text::new(&self.default, Charset::default()).to_string(),
        };
        if input.value() == default {
            self.default.clone()
        } else {
            input.value().as_bytes().to_vec()
        }
    }

    /// Returns the octets of an answer of one line.
    pub(crate) fn typed(&self) -> Vec<u8> {
        match &self.value {
            Value::Line(input) => input.value().trim().as_bytes().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Returns the answer to be sent. The answer of a file line is `file`.
    pub(crate) fn answer(&self, file: &mut Option<Vec<u8>>) -> FormAnswer {
        match &self.value {
            Value::Note => FormAnswer::Nothing,
            Value::Line(input) | Value::Secret(Secret(input)) | Value::Receipt(input) => {
                FormAnswer::Line(self.octets(input))
            }
            Value::Lines(lines, _) => {
                let text: Vec<Vec<u8>> = lines.iter().map(|line| self.octets(line)).collect();
                match text.as_slice() {
                    [only] if only.is_empty() => FormAnswer::Lines(Vec::new()),
                    _ => FormAnswer::Lines(text),
                }
            }
            Value::Select(is_on) => FormAnswer::Select(*is_on),
            Value::Choose(_, chosen) => {
                FormAnswer::Line(self.choices.get(*chosen).cloned().unwrap_or_default())
            }
            Value::File(input) if input.value().trim().is_empty() => FormAnswer::Nothing,
            Value::File(_) => file.take().map_or(FormAnswer::Nothing, FormAnswer::File),
        }
    }
}

/// Returns a plain file name for the reply from the server's default; empty if there is none.
fn plain_name(default: &[u8]) -> String {
    if default.trim_ascii().is_empty() {
        return String::new();
    }
    file_name(default, "reply.txt")
}

/// Handles a key in an answer of several lines. Backspace at the beginning of a line joins it to the line above.
pub(crate) fn edit_lines(lines: &mut Vec<Input>, at: &mut usize, key: Key) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choice_is_sent_in_the_octets_of_the_server() {
        let field = Field::parse(b"Choose: Town\tK\xf6ln\tBonn\x07\tM\xfcnchen");
        let mut entry = Entry::new(&field, Text::default());
        for (number, octets) in [b"K\xf6ln".as_slice(), b"Bonn\x07", b"M\xfcnchen"]
            .iter()
            .enumerate()
        {
            if let Value::Choose(_, chosen) = &mut entry.value {
                *chosen = number;
            }
            assert_eq!(
                entry.answer(&mut None),
                FormAnswer::Line(octets.to_vec()),
                "{number}"
            );
        }
    }
}
