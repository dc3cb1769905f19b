//! A form of a page of the Web: its lines, and the request that sends the answers.

use geomys_load::{FormAnswers, PostedAnswers, Request};
use geomys_page::document::{FieldAnswer, FormMethod, WebChoice, WebField, WebFieldKind, WebForm};
use geomys_wire::net::shown_url;
use geomys_wire::text::{self, Text};
use rfc1738::Url;
use tui_input::Input;

use super::{Entry, FormView, Secret, Value};

/// The maximum width of a prompt, a hint and a choice, in columns.
const SHOWN: usize = 60;

/// The lines of a form: the method and the URL, then the fields.
pub(super) fn entries(form: &WebForm, action: &Url) -> Vec<Entry> {
    let method = form.method.name();
    let target = format!("{method} {}", shown_url(action));
    let note = Entry::web(Text::of(&target), Text::default(), Value::Note);
    std::iter::once(note)
        .chain(form.shown().map(entry))
        .collect()
}

fn entry(field: &WebField) -> Entry {
    let input = |text: &str| Input::new(Text::of(text).to_string());
    let value = match &field.kind {
        WebFieldKind::Hidden(_) | WebFieldKind::Reset => Value::Note,
        WebFieldKind::File => {
            let words = format!("{}: a file, which is not sent", field.name);
            return Entry::web(short(&words), Text::default(), Value::Note);
        }
        WebFieldKind::Line(text) => Value::Line(input(text)),
        WebFieldKind::Secret(text) => Value::Secret(Secret(input(text))),
        WebFieldKind::Lines(text) if text.is_empty() => Value::Lines(vec![Input::default()], 0),
        WebFieldKind::Lines(text) => Value::Lines(text.lines().map(input).collect(), 0),
        WebFieldKind::Check(_, is_on) => Value::Select(*is_on),
        WebFieldKind::Choice(choices, chosen) => {
            let label = |choice: &WebChoice| match choice.value() {
                value if field.is_button && !value.is_empty() => short(value),
                _ => short(&choice.label),
            };
            Value::Choose(choices.iter().map(label).collect(), *chosen)
        }
    };
    let hint = match &field.kind {
        WebFieldKind::Check(value, _) if field.hint.is_empty() => value,
        _ => &field.hint,
    };
    let prompt = if field.is_button {
        "button"
    } else {
        &field.name
    };
    Entry::web(short(prompt), short(hint), value)
}

/// A text of the server for one line of the form.
fn short(words: &str) -> Text {
    Text::of(&text::shorten(words, SHOWN, "..."))
}

impl FormView {
    /// Moves the focus to the line of a field. Returns false if it has none.
    pub(crate) fn focus(&mut self, form: &WebForm, field: usize) -> bool {
        let index = form.shown_index(field);
        // The first line is the note.
        self.at = index.map_or(0, |index| index + 1);
        index.is_some()
    }

    /// Chooses the button that sends the form. A button without others has no line.
    pub(crate) fn press(&mut self, form: &WebForm, field: usize, button: usize) {
        if self.focus(form, field)
            && let Some(Value::Choose(_, chosen)) = self.value_mut()
        {
            *chosen = button;
        }
    }

    /// Returns the answer of the line with the focus.
    pub(crate) fn answer_here(&self) -> FieldAnswer {
        let entry = self.entries.get(self.at);
        entry.map_or(FieldAnswer::Nothing, answer)
    }

    /// Returns the request that sends the answers to a form of the Web.
    ///
    /// # Errors
    /// The reason why the form cannot be sent.
    pub(crate) fn web_request(&self, form: &WebForm) -> Result<Request, String> {
        let action = &self.request.url;
        if !action.is_web() {
            return Err("forms are sent by http and https only".to_owned());
        }
        // The first line is the note.
        let answers: Vec<FieldAnswer> = self.entries.iter().skip(1).map(answer).collect();
        let pairs = form.pairs(&answers);
        let (url, answers) = match form.method {
            FormMethod::Get if form.has_secret() => {
                return Err("this form would put a password into its URL".to_owned());
            }
            FormMethod::Get => {
                let query = format!("?{}", form.query(&pairs));
                let url = action.resolve(&query).map_err(|error| error.to_string())?;
                (url, FormAnswers::Confirmed)
            }
            FormMethod::Post => {
                let (media, octets) = form.body(&pairs);
                let posted = PostedAnswers {
                    media,
                    octets,
                    ..PostedAnswers::default()
                };
                (action.clone(), FormAnswers::Posted(posted))
            }
        };
        Ok(Request {
            url,
            answers,
            ..self.request.clone()
        })
    }
}

fn answer(entry: &Entry) -> FieldAnswer {
    match &entry.value {
        Value::Note => FieldAnswer::Nothing,
        Value::Line(input)
        | Value::Secret(Secret(input))
        | Value::Receipt(input)
        | Value::File(input) => FieldAnswer::Text(input.value().to_owned()),
        Value::Lines(lines, _) => {
            let lines: Vec<&str> = lines.iter().map(Input::value).collect();
            FieldAnswer::Text(lines.join("\r\n"))
        }
        Value::Select(is_on) => FieldAnswer::Check(*is_on),
        Value::Choose(_, chosen) => FieldAnswer::Choice(*chosen),
    }
}
