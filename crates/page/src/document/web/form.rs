//! The forms of a page: what the user can fill in, and the answers.
//!
//! Left out: files, and scripts that change a form.

mod encode;

use geomys_wire::text::{self, Charset};

use self::encode::{multipart, urlencoded};
use super::tag::StartTag;

/// The maximum number of fields that are named in the line of a form, and of fields of a form.
const NAMED: usize = 8;
const FIELDS: usize = 1000;

/// The maximum number of choices of a field.
const CHOICES: usize = 2000;

/// The maximum length of a text that can be edited, in octets.
const EDITED: usize = 16 * 1024;

/// The maximum length of a displayed name.
const NAME: usize = 40;

/// A form on a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebForm {
    /// The method by which the answers are sent.
    pub method: FormMethod,
    /// True if the body of the request is `multipart/form-data`.
    is_multipart: bool,
    /// The charset of the answers: one that the form accepts, else that of the page.
    charset: Charset,
    /// The reference to the resource that receives the answers.
    pub(super) action: String,
    fields: Vec<WebField>,
    open: OpenField,
    /// The text before the field that was read last.
    before: String,
}

/// The field whose text and options are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum OpenField {
    #[default]
    None,
    Lines,
    Options,
    /// The options of a field with several answers, with its name: each becomes a box.
    Boxes(String),
}

/// A choice of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebChoice {
    /// The label; the name of a button.
    pub label: String,
    /// The value; without one the label is sent.
    value: Option<String>,
}

impl WebChoice {
    /// The value that is sent.
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.label)
    }
}

/// The method by which the answers to a form are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormMethod {
    /// The answers are the query of the URL.
    #[default]
    Get,
    /// The answers are the body of the request. It may change something on the server each time.
    Post,
}

impl FormMethod {
    /// The name of the method in HTTP.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebField {
    /// The name, under which the answer is sent.
    pub name: String,
    /// The hint beside the field; often empty.
    pub hint: String,
    /// The kind of answer, with its default.
    pub kind: WebFieldKind,
}

/// The kind of a field, with its default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebFieldKind {
    /// A value that is sent unchanged and not shown.
    Hidden(String),
    /// A line of text.
    Line(String),
    /// A line of secret text.
    Secret(String),
    /// Lines of text.
    Lines(String),
    /// A value that is sent if the box is checked.
    Check(String, bool),
    /// One of these choices, with the index of the default.
    Choice(Vec<WebChoice>, usize),
    /// A file, which is not sent.
    File,
}

/// The answer to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldAnswer {
    /// Nothing is sent.
    Nothing,
    /// A text.
    Text(String),
    /// True if the box is checked.
    Check(bool),
    /// The index of the choice.
    Choice(usize),
}

impl WebForm {
    pub(super) fn new(element: &StartTag<'_>, page: Charset) -> Self {
        let accepted = element.value("accept-charset").unwrap_or_default();
        let mut accepted = accepted.split([' ', ',']).filter_map(Charset::named);
        let is = |name: &str, value: &str| {
            let found = element.value(name).unwrap_or_default();
            found.trim().eq_ignore_ascii_case(value)
        };
        Self {
            method: if is("method", "post") {
                FormMethod::Post
            } else {
                FormMethod::Get
            },
            is_multipart: is("enctype", "multipart/form-data"),
            charset: accepted.next().unwrap_or(page),
            action: element.value("action").unwrap_or_default().to_owned(),
            ..Self::default()
        }
    }

    /// Adds the field of an element; `before` is the text on its left.
    pub(super) fn field(&mut self, element: &StartTag<'_>, before: &str) {
        let value = |name: &str| element.value(name).unwrap_or_default().to_owned();
        let name = value("name").trim().to_owned();
        self.open = OpenField::None;
        if self.fields.len() >= FIELDS || name.is_empty() || element.value("disabled").is_some() {
            return;
        }
        let kind = match element.name() {
            "textarea" => {
                self.open = OpenField::Lines;
                WebFieldKind::Lines(String::new())
            }
            "select" if element.value("multiple").is_some() => {
                self.open = OpenField::Boxes(name);
                return;
            }
            "select" => {
                self.open = OpenField::Options;
                WebFieldKind::Choice(Vec::new(), 0)
            }
            // A button without a type sends the form.
            "button" if element.value("type").is_some_and(|kind| kind != "submit") => return,
            "button" => return self.choice("", name, value("value"), false),
            _ => match value("type").trim().to_ascii_lowercase().as_str() {
                "hidden" => WebFieldKind::Hidden(value("value")),
                "password" => WebFieldKind::Secret(value("value")),
                "reset" | "image" | "button" => return,
                "file" => WebFieldKind::File,
                "submit" => return self.choice("", name, value("value"), false),
                "checkbox" => {
                    let on = element.value("value").unwrap_or("on").to_owned();
                    WebFieldKind::Check(on, element.value("checked").is_some())
                }
                "radio" => {
                    let on = element.value("value").unwrap_or("on").to_owned();
                    let checked = element.value("checked").is_some();
                    return self.choice(&name, on.clone(), on, checked);
                }
                _ => WebFieldKind::Line(value("value")),
            },
        };
        let hints = ["placeholder", "title", "aria-label"].map(|name| element.value(name));
        let last = std::mem::replace(&mut self.before, before.to_owned());
        let own = before.strip_prefix(&last).unwrap_or(before);
        let hint = hints.into_iter().flatten().next().unwrap_or(own);
        self.fields.push(WebField {
            hint: short(hint),
            name,
            kind,
        });
    }

    /// Adds a choice of radio buttons, or of submit buttons, whose choice has no name.
    fn choice(&mut self, name: &str, label: String, value: String, is_checked: bool) {
        let choice = WebChoice {
            label,
            value: Some(value),
        };
        let mut fields = self.fields.iter_mut().rev();
        let known = fields.find_map(|field| match &mut field.kind {
            WebFieldKind::Choice(choices, chosen) if field.name == name => Some((choices, chosen)),
            _ => None,
        });
        match known {
            Some((choices, chosen)) if choices.len() < CHOICES => {
                if is_checked {
                    *chosen = choices.len();
                }
                choices.push(choice);
            }
            Some(_) => {}
            None => self.fields.push(WebField {
                name: name.to_owned(),
                hint: String::new(),
                kind: WebFieldKind::Choice(vec![choice], 0),
            }),
        }
    }

    /// Adds an option of the open `select` element.
    pub(super) fn option(&mut self, element: &StartTag<'_>) {
        let value = element.value("value").map(str::to_owned);
        let is_selected = element.value("selected").is_some();
        match &self.open {
            OpenField::Boxes(name) if self.fields.len() < FIELDS => {
                let name = name.clone();
                self.fields.push(WebField {
                    name,
                    hint: String::new(),
                    kind: WebFieldKind::Check(value.unwrap_or_default(), is_selected),
                });
            }
            OpenField::Options => {
                if let Some(field) = self.fields.last_mut()
                    && let WebFieldKind::Choice(choices, chosen) = &mut field.kind
                    && choices.len() < CHOICES
                {
                    if is_selected {
                        *chosen = choices.len();
                    }
                    choices.push(WebChoice {
                        label: String::new(),
                        value,
                    });
                }
            }
            OpenField::None | OpenField::Lines | OpenField::Boxes(_) => {}
        }
    }

    /// Adds text inside the open element: the text of a `textarea`, the label of an option.
    pub(super) fn text(&mut self, words: &str) {
        let Some(last) = self.fields.last_mut() else {
            return;
        };
        match (&self.open, &mut last.kind) {
            (OpenField::Lines, WebFieldKind::Lines(lines)) => lines.push_str(words),
            (OpenField::Options, WebFieldKind::Choice(choices, _)) => {
                if let Some(choice) = choices.last_mut() {
                    choice.label.push_str(words);
                }
            }
            (OpenField::Boxes(_), WebFieldKind::Check(..)) => last.hint.push_str(words),
            _ => {}
        }
    }

    /// Completes the form at its end: labels become one line.
    pub(super) fn finish(mut self) -> Self {
        for field in &mut self.fields {
            match &mut field.kind {
                WebFieldKind::Choice(choices, _) => {
                    for choice in choices {
                        choice.label = words(&choice.label);
                    }
                }
                WebFieldKind::Check(value, _) if value.is_empty() => *value = words(&field.hint),
                // The first line end is not part of the text.
                WebFieldKind::Lines(lines) => {
                    if let Some(rest) = lines.strip_prefix('\n') {
                        *lines = rest.to_owned();
                    }
                }
                _ => {}
            }
            // A text that is too long to be edited is sent as it is.
            if let WebFieldKind::Line(text) | WebFieldKind::Secret(text) | WebFieldKind::Lines(text) =
                &mut field.kind
                && text.len() > EDITED
            {
                field.kind = WebFieldKind::Hidden(std::mem::take(text));
            }
            field.hint = short(&field.hint);
        }
        let is_empty =
            |kind: &_| matches!(kind, WebFieldKind::Choice(choices, _) if choices.is_empty());
        self.fields.retain(|field| !is_empty(&field.kind));
        self.open = OpenField::None;
        self.before.clear();
        self
    }

    /// The fields that the user fills in. The choice between buttons has no name.
    pub fn shown(&self) -> impl Iterator<Item = &WebField> {
        self.fields.iter().filter(|field| field.is_shown())
    }

    /// Returns true if the form has a secret field.
    pub fn has_secret(&self) -> bool {
        let mut kinds = self.fields.iter().map(|field| &field.kind);
        kinds.any(|kind| matches!(kind, WebFieldKind::Secret(_)))
    }

    /// The names and values to send, for the answers to the shown fields in their order.
    pub fn pairs(&self, answers: &[FieldAnswer]) -> Vec<(String, String)> {
        let mut answers = answers.iter();
        let mut pairs = Vec::new();
        for field in &self.fields {
            let name = field.name.clone();
            let answer = if field.is_shown() {
                answers.next()
            } else {
                None
            };
            match (&field.kind, answer) {
                // The field that a page has for the name of the charset.
                (WebFieldKind::Hidden(_), _) if name == "_charset_" => {
                    pairs.push((name, self.charset.name().to_owned()));
                }
                (WebFieldKind::Hidden(value), _) => pairs.push((name, value.clone())),
                (WebFieldKind::Check(value, _), Some(FieldAnswer::Check(true))) => {
                    pairs.push((name, value.clone()));
                }
                (WebFieldKind::Choice(choices, chosen), answer) => {
                    let index = match answer {
                        Some(FieldAnswer::Choice(index)) => *index,
                        _ => *chosen,
                    };
                    if let Some(choice) = choices.get(index) {
                        let is_button = name.is_empty();
                        let name = if is_button {
                            choice.label.clone()
                        } else {
                            name
                        };
                        pairs.push((name, choice.value().to_owned()));
                    }
                }
                (_, Some(FieldAnswer::Text(text))) => pairs.push((name, text.clone())),
                (_, _) => {}
            }
        }
        pairs
    }

    /// The query of a GET request.
    pub fn query(&self, pairs: &[(String, String)]) -> String {
        urlencoded(pairs, self.charset)
    }

    /// The body of a POST request, with its media type.
    pub fn body(&self, pairs: &[(String, String)]) -> (String, Vec<u8>) {
        if self.is_multipart {
            multipart(pairs, self.charset)
        } else {
            let media = "application/x-www-form-urlencoded".to_owned();
            (media, self.query(pairs).into_bytes())
        }
    }

    /// The line that describes the form.
    pub(super) fn words(&self) -> String {
        let mut words = format!("[form: {}", self.method.name());
        let action = short(&self.action);
        if !action.is_empty() {
            words.push(' ');
            words.push_str(&action);
        }
        let mut names: Vec<String> = Vec::new();
        for field in self.shown().filter(|field| !field.name.is_empty()) {
            let name = short(&field.name);
            if !names.contains(&name) {
                names.push(name);
            }
            if names.len() > FIELDS_COUNTED {
                break;
            }
        }
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        match names.len() {
            0 => {}
            1 => words.push_str(", field "),
            _ => words.push_str(", fields "),
        }
        words.push_str(&names.join(", "));
        match more {
            0 => words.push(']'),
            more => words = format!("{words} and {more} more]"),
        }
        words
    }
}

/// The number of different names that are counted in the line of a form.
const FIELDS_COUNTED: usize = 100;

impl WebField {
    fn is_shown(&self) -> bool {
        match &self.kind {
            WebFieldKind::Hidden(_) => false,
            WebFieldKind::Choice(choices, _) => !self.name.is_empty() || choices.len() > 1,
            _ => true,
        }
    }
}

/// A text in one line.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn short(text: &str) -> String {
    text::shorten(&words(text), NAME, "...")
}
