//! The page of a server's form that the user fills in: the +ASK of a Gopher+ item, the query of a phone book, or a form
//! of the Web, or an upload.

mod entry;
mod send;
mod web;

pub use self::entry::{Entry, Secret, Value};

use std::path::PathBuf;

use crossterm::event::KeyCode;
use geomys_load::{FormKind, Request, ServerForm, upload_token};
use geomys_wire::protocol::gopher::form::{Form, FormAnswer, InvalidAnswer};
use geomys_wire::protocol::ph::{Selection, query};
use geomys_wire::text::Text;
use tui_input::Input;

use self::entry::edit_lines;
use crate::WorkId;
use crate::dialogs::text_input;
use crate::dialogs::text_input::edit;
use crate::keymap::Key;

/// A form in a pane.
#[derive(Clone, Debug)]
pub struct FormView {
    /// The title, from the server.
    pub title: Text,
    /// The request that led to the form. It is sent again with the answers.
    pub request: Request,
    /// The lines of the form, in the server's order.
    pub entries: Vec<Entry>,
    /// The index of the line with the focus. The two buttons follow the last line.
    pub at: usize,
    /// The line whose answer cannot be sent, and the reason.
    pub fault: Option<(usize, Text)>,
    /// The task that reads the file to be sent.
    pub reading: Option<WorkId>,
    /// The file outside the download directory that the user accepted for the reply.
    pub confirmed_path: Option<PathBuf>,
    server_form: ServerForm,
}

/// The result of a key in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormEvent {
    /// The key was used: for typing, choosing or moving.
    Handled,
    /// The form is to be sent.
    Send,
    /// The form is to be closed.
    Leave,
    /// The key has no meaning in a form.
    Ignored,
}

/// Returns true for Ctrl-W in an empty field: it has no word to delete, so it closes the tab.
fn is_close_key(input: &Input, key: Key) -> bool {
    input.value().is_empty() && key.to_string() == "Ctrl-W"
}

impl FormView {
    /// Creates a form with its default answers.
    pub fn new(server_form: ServerForm, request: Request, title: Text) -> Self {
        let lines = server_form.lines.iter().map(Vec::as_slice);
        let form = Form::parse(lines);
        let hints = server_form
            .hints
            .iter()
            .cloned()
            .chain(std::iter::repeat_with(Text::default));
        let mut entries: Vec<Entry> = match &server_form.kind {
            FormKind::Web(form) => web::entries(form, &request.url),
            FormKind::Item | FormKind::PhoneBook | FormKind::Upload => form
                .fields
                .iter()
                .zip(hints)
                .map(|(field, hint)| Entry::new(field, hint))
                .collect(),
        };
        let mut values = entries.iter_mut().map(|entry| &mut entry.value);
        if !server_form.text.is_empty()
            && let Some(Value::Lines(lines, _)) =
                values.find(|value| matches!(value, Value::Lines(..)))
        {
            // The end of the last line is kept, as an empty line behind it.
            let text = server_form.text.split('\n');
            let text = text.map(|line| line.strip_suffix('\r').unwrap_or(line));
            *lines = text.map(|line| Input::new(line.to_owned())).collect();
        }
        let secret = entries.iter_mut().find_map(|entry| match &mut entry.value {
            Value::Secret(Secret(input)) => Some(input),
            _ => None,
        });
        if let Some(input) = secret.filter(|_| server_form.kind == FormKind::Upload) {
            let token = upload_token(&request.url);
            *input = Input::new(String::from_utf8_lossy(&token.0).into_owned());
        }
        let title = server_form
            .title
            .clone()
            .filter(|title| !title.is_blank())
            .unwrap_or(title);
        let mut page = Self {
            title,
            request,
            at: entries.len() + 1,
            entries,
            fault: None,
            reading: None,
            confirmed_path: None,
            server_form,
        };
        // The step after the last button goes to the first line that takes input.
        page.step(true);
        page
    }

    /// Returns the kind of the form.
    pub fn of(&self) -> &FormKind {
        &self.server_form.kind
    }

    /// Returns the index of the send button.
    pub fn send_button(&self) -> usize {
        self.entries.len()
    }

    /// Returns the index of the cancel button.
    pub fn leave_button(&self) -> usize {
        self.entries.len() + 1
    }

    /// Returns true if an answer is secret.
    pub fn has_secret(&self) -> bool {
        self.form().has_secret()
    }

    /// Returns the file to be sent: the index of its line, and its path as typed.
    pub fn file(&self) -> Option<(usize, &str)> {
        self.path(|value| match value {
            Value::File(input) => Some(input),
            _ => None,
        })
    }

    /// Returns the file for the reply: the index of its line, and its path as typed.
    pub fn receipt(&self) -> Option<(usize, &str)> {
        self.path(|value| match value {
            Value::Receipt(input) => Some(input),
            _ => None,
        })
    }

    /// Returns the first line with a path in the input that `of` chooses.
    fn path(&self, of: impl Fn(&Value) -> Option<&Input>) -> Option<(usize, &str)> {
        let lines = self.entries.iter().enumerate();
        let mut paths =
            lines.filter_map(|(number, entry)| Some((number, of(&entry.value)?.value().trim())));
        paths.find(|(_, path)| !path.is_empty())
    }

    /// Moves the focus to the next or the previous line that takes input, with wrap at the ends.
    pub fn step(&mut self, forward: bool) {
        let count = self.entries.len() + 2;
        for _ in 0..count {
            self.at = (self.at + if forward { 1 } else { count - 1 }) % count;
            let note = self.entries.get(self.at).map(|entry| &entry.value);
            if !matches!(note, Some(Value::Note)) {
                break;
            }
        }
    }

    /// Moves the focus to a field or a button, and in it to a line, which chooses. Returns true for a button, which
    /// Enter presses.
    pub(crate) fn choose(&mut self, index: usize, line: usize) -> bool {
        let was_here = self.at == index;
        self.at = index.min(self.leave_button());
        match self.value_mut() {
            Some(Value::Choose(choices, chosen)) => {
                *chosen = line.min(choices.len().saturating_sub(1));
            }
            Some(Value::Lines(lines, at)) => *at = line.min(lines.len().saturating_sub(1)),
            Some(Value::Select(is_on)) => *is_on ^= was_here,
            Some(_) => {}
            None => return true,
        }
        false
    }

    /// Handles a key with a special meaning in the current line. Called before all other keys.
    pub(super) fn own_key(&mut self, key: Key) -> bool {
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

    /// Handles any other key.
    pub(super) fn type_key(&mut self, key: Key) -> FormEvent {
        if key.code() == Some(KeyCode::Enter) {
            return self.enter();
        }
        let typed = key.character();
        let done = match self.value_mut() {
            Some(
                Value::Line(input)
                | Value::Secret(Secret(input))
                | Value::Receipt(input)
                | Value::File(input),
            ) => !is_close_key(input, key) && edit(input, key),
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
                    _ if typed.is_none() => return FormEvent::Ignored,
                    _ => {}
                }
                true
            }
            None if typed == Some(' ') => return self.enter(),
            None if typed == Some('q') => return FormEvent::Leave,
            // An unused letter is not run as a command: a typing error could close the form.
            Some(Value::Note) | None => typed.is_some(),
        };
        if done {
            self.fault = None;
            FormEvent::Handled
        } else {
            FormEvent::Ignored
        }
    }

    fn enter(&mut self) -> FormEvent {
        if self.at == self.send_button() {
            return FormEvent::Send;
        }
        if self.at == self.leave_button() {
            return FormEvent::Leave;
        }
        if let Some(Value::Lines(lines, at)) = self.value_mut() {
            *at = (*at + 1).min(lines.len());
            lines.insert(*at, Input::default());
        } else {
            self.step(true);
        }
        FormEvent::Handled
    }

    /// Inserts pasted text: all its lines into an answer with several lines, else the first line.
    pub(super) fn insert(&mut self, text: &str) {
        match self.value_mut() {
            Some(
                Value::Line(input)
                | Value::Secret(Secret(input))
                | Value::Receipt(input)
                | Value::File(input),
            ) => text_input::paste(input, text),
            Some(Value::Lines(lines, at)) => {
                for (number, line) in text.lines().enumerate() {
                    if number > 0 {
                        *at = (*at + 1).min(lines.len());
                        lines.insert(*at, Input::default());
                    }
                    if let Some(input) = lines.get_mut(*at) {
                        text_input::paste(input, line);
                    }
                }
            }
            Some(Value::Note | Value::Select(_) | Value::Choose(..)) | None => {}
        }
    }

    /// Encodes the answers for the request: as a Gopher+ string, or as the words of a query. `file` is the content of
    /// the file to be sent. An error is shown at its line.
    pub fn fill(&mut self, file: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let filled = match &self.server_form.kind {
            FormKind::Item => self
                .fill_item(file)
                .map_err(|unfit| (unfit.field, unfit.to_string())),
            FormKind::PhoneBook => self.fill_query(),
            // The answers are not one string: see `web` and `upload`.
            FormKind::Web(_) | FormKind::Upload => Ok(Vec::new()),
        };
        match filled {
            Ok(octets) => Some(octets),
            Err((field, why)) => {
                self.refuse(field, &why);
                None
            }
        }
    }

    /// Shows the error of an answer, and moves the focus to its line.
    pub fn refuse(&mut self, field: usize, why: &str) {
        let field = field.min(self.entries.len());
        self.fault = Some((field, Text::of(why)));
        self.at = field;
    }

    fn fill_item(&self, mut file: Option<Vec<u8>>) -> Result<Vec<u8>, InvalidAnswer> {
        let answers: Vec<FormAnswer> = self
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
            let why = "enter a word here or below".to_owned();
            return Err((0, why));
        }
        let mut line = words.concat();
        if !selections.is_empty() {
            let query = query(&selections).map_err(|error| (0, error.to_string()))?;
            let rest = query.strip_prefix(b"query ").unwrap_or(&query);
            // The words may contain a clause for the fields to return: selections stand before that.
            line = if line.is_empty() {
                rest.to_vec()
            } else {
                [rest, b" ", &line].concat()
            };
        }
        Ok(line)
    }

    fn form(&self) -> Form<'_> {
        Form::parse(self.server_form.lines.iter().map(Vec::as_slice))
    }

    pub(super) fn value_mut(&mut self) -> Option<&mut Value> {
        self.entries.get_mut(self.at).map(|entry| &mut entry.value)
    }
}
