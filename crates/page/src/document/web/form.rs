//! The forms of a page: what the user can fill in, where it stands in the text, and the answers.
//!
//! Left out: files, and scripts that change a form.

mod encode;
mod place;
mod submission;

use std::borrow::Cow;

use geomys_wire::text::{self, Charset};

use self::encode::ISINDEX;
pub use self::place::WebWidget;
use self::place::{MAX_FIELD_COLUMNS, MAX_FIELD_LINES, shown_size};
pub use self::submission::FormMethod;
use self::submission::{BodyEncoding, Submission};
use super::tag::StartTag;

/// The maximum number of fields of a form.
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
    /// The encoding of the body of the request.
    encoding: BodyEncoding,
    /// The charset of the answers: one that the form accepts, else that of the page.
    charset: Charset,
    /// The reference to the resource that receives the answers.
    pub(super) action: String,
    fields: Vec<WebField>,
    /// True if a button sends the form.
    has_button: bool,
    open: OpenField,
}

/// The field whose text and options are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum OpenField {
    #[default]
    None,
    Lines,
    Options,
    /// The options of a field with several answers, with its name: each becomes a box.
    Boxes(String, FieldAccess),
}

/// A choice of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebChoice {
    /// The label; the name of a button.
    pub label: String,
    /// The value; without one the label is sent.
    value: Option<String>,
    /// True for a button that is a picture: the point in it is sent.
    is_picture: bool,
    /// What a button changes of the form that it sends.
    submission: Submission,
}

impl WebChoice {
    fn new(label: String, value: Option<String>) -> Self {
        Self {
            label,
            value,
            ..Self::default()
        }
    }

    /// The value that is sent.
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.label)
    }
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebField {
    /// The name, under which the answer is sent.
    pub name: String,
    /// The hint beside the field; often empty.
    pub hint: String,
    /// The text that stands in the field while it is empty.
    placeholder: String,
    /// The kind of answer, with its default, or with the answer that was given.
    pub kind: WebFieldKind,
    /// True for the choice between the buttons that send the form.
    pub is_button: bool,
    access: FieldAccess,
    /// The lines and the columns that are shown.
    size: (usize, usize),
    /// The line and the column at which what is shown begins.
    first: (usize, usize),
    /// The line and the column of the cursor, while the field is edited.
    caret: Option<(usize, usize)>,
}

/// What a reader may do with a field that is shown (HTML 4.01, section 17.12).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FieldAccess {
    /// It is filled in and sent.
    #[default]
    Open,
    /// It is sent as it is.
    ReadOnly,
    /// It is neither filled in nor sent.
    Disabled,
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
    /// The button that undoes all answers.
    Reset,
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
        let own = Submission::new(element, ["action", "method", "enctype"]);
        Self {
            method: own.method.unwrap_or_default(),
            encoding: own.encoding.unwrap_or_default(),
            charset: accepted.next().unwrap_or(page),
            action: own.action.unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The form of the fields outside of all forms, or before theirs.
    pub(super) fn of_page(charset: Charset) -> Self {
        Self {
            charset,
            ..Self::default()
        }
    }

    /// Adds the field of an element; `before` is the text on its left, `columns` those of the pane. Returns the index
    /// of the field, and of the choice that the element is; nothing for an element that is not shown.
    pub(super) fn field(
        &mut self,
        element: &StartTag<'_>,
        access: FieldAccess,
        (before, columns): (&str, usize),
    ) -> Option<(usize, Option<usize>)> {
        let value = |name: &str| element.value(name).unwrap_or_default().to_owned();
        let name = match element.name() {
            ISINDEX => ISINDEX.to_owned(),
            _ => value("name").trim().to_owned(),
        };
        self.open = OpenField::None;
        if self.fields.len() >= FIELDS {
            return None;
        }
        let is_disabled = access == FieldAccess::Disabled;
        let mut own_type = value("type").trim().to_ascii_lowercase();
        let is_pressed = matches!(
            own_type.as_str(),
            "submit" | "image" | "button" | "reset" | "checkbox" | "radio" | "file"
        );
        // A field that nobody sees catches programs which fill in all of them.
        if element.name() == "input" && !is_pressed && element.is_hidden() {
            "hidden".clone_into(&mut own_type);
        }
        let checked = element.value("checked").is_some();
        let on = || element.value("value").unwrap_or("on").to_owned();
        let kind = match (element.name(), own_type.as_str()) {
            ("textarea", _) => {
                self.open = OpenField::Lines;
                WebFieldKind::Lines(String::new())
            }
            (ISINDEX, _) => WebFieldKind::Line(String::new()),
            ("select", _) if element.value("multiple").is_some() => {
                self.open = OpenField::Boxes(name, access);
                return Some((self.fields.len(), None));
            }
            ("select", _) => {
                self.open = OpenField::Options;
                WebFieldKind::Choice(Vec::new(), 0)
            }
            ("button" | "input", "reset") if !is_disabled => WebFieldKind::Reset,
            // Of what nobody can press the text alone stands in the page.
            ("button", _) | ("input", "submit" | "image" | "reset" | "radio") if is_disabled => {
                return None;
            }
            // A button without a type sends the form.
            ("button", "" | "submit") | ("input", "submit" | "image") => {
                self.has_button = true;
                let choice = WebChoice {
                    label: name,
                    value: Some(value("value")),
                    is_picture: element.name() == "input" && own_type == "image",
                    submission: Submission::new(
                        element,
                        ["formaction", "formmethod", "formenctype"],
                    ),
                };
                return self.choice("", choice, false);
            }
            ("button", _) | ("input", "button") => return None,
            (_, "hidden") => WebFieldKind::Hidden(value("value")),
            (_, "password") => WebFieldKind::Secret(value("value")),
            (_, "file") => WebFieldKind::File,
            (_, "checkbox") => WebFieldKind::Check(on(), checked),
            (_, "radio") if name.is_empty() => return None,
            (_, "radio") => {
                let choice = WebChoice::new(on(), Some(on()));
                return self.choice(&name, choice, checked);
            }
            _ => WebFieldKind::Line(value("value")),
        };
        let hints = ["placeholder", "title", "aria-label"].map(|name| element.value(name));
        let hint = hints.into_iter().flatten().next().unwrap_or(before);
        let size = shown_size(element, &kind, columns);
        self.fields.push(WebField {
            hint: short(hint),
            placeholder: short(element.value("placeholder").unwrap_or_default()),
            size,
            access,
            ..WebField::new(&name, kind)
        });
        let is_hidden = own_type == "hidden";
        (!is_hidden).then_some((self.fields.len() - 1, None))
    }

    /// Takes the attributes of its element, which comes after some of its fields.
    pub(super) fn begin(&mut self, element: Self) {
        *self = Self {
            fields: std::mem::take(&mut self.fields),
            has_button: self.has_button,
            ..element
        };
    }

    /// Returns true while the options of a field with several answers are read.
    pub(super) fn is_boxes(&self) -> bool {
        matches!(self.open, OpenField::Boxes(..))
    }

    /// The number of its fields.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// Adds a button that sends the form, if it has fields and no button. Returns the indices of its field and its
    /// choice.
    pub(super) fn default_button(&mut self) -> Option<(usize, Option<usize>)> {
        let has_fields = self.fields.iter().any(WebField::is_shown);
        if self.has_button || !has_fields {
            return None;
        }
        self.has_button = true;
        self.choice(
            "",
            WebChoice::new(String::new(), Some(String::new())),
            false,
        )
    }

    /// The form as a part of it sends it: by the button that the part is, else by the first one.
    pub(super) fn sent_by(&self, widget: WebWidget) -> Cow<'_, Self> {
        let button = self.is_button(widget.field).then_some(widget.part);
        let mut fields = self.fields.iter().filter(|field| field.is_button);
        let choice = fields.next().and_then(|field| match &field.kind {
            WebFieldKind::Choice(choices, _) => choices.get(button.flatten().unwrap_or(0)),
            _ => None,
        });
        let own = choice.map(|choice| &choice.submission);
        match own.filter(|own| **own != Submission::default()) {
            None => Cow::Borrowed(self),
            Some(own) => Cow::Owned(Self {
                action: own.action.clone().unwrap_or_else(|| self.action.clone()),
                method: own.method.unwrap_or(self.method),
                encoding: own.encoding.unwrap_or(self.encoding),
                ..self.clone()
            }),
        }
    }

    /// Adds a choice of radio buttons, or of submit buttons, whose choice has no name. Returns the indices of the field
    /// and of the choice.
    fn choice(
        &mut self,
        name: &str,
        choice: WebChoice,
        is_checked: bool,
    ) -> Option<(usize, Option<usize>)> {
        let is_button = name.is_empty();
        let is_known = |field: &WebField| {
            field.name == name
                && field.is_button == is_button
                && matches!(field.kind, WebFieldKind::Choice(..))
        };
        let field = self.fields.iter().rposition(is_known).unwrap_or_else(|| {
            let kind = WebFieldKind::Choice(Vec::new(), 0);
            self.fields.push(WebField {
                is_button,
                ..WebField::new(name, kind)
            });
            self.fields.len() - 1
        });
        let WebFieldKind::Choice(choices, chosen) = &mut self.fields.get_mut(field)?.kind else {
            return None;
        };
        if choices.len() >= CHOICES {
            return None;
        }
        if is_checked {
            *chosen = choices.len();
        }
        choices.push(choice);
        Some((field, Some(choices.len() - 1)))
    }

    /// Adds an option of the open `select` element.
    pub(super) fn option(&mut self, element: &StartTag<'_>) {
        let value = element.value("value").map(str::to_owned);
        let is_selected = element.value("selected").is_some();
        match &self.open {
            OpenField::Boxes(name, access) if self.fields.len() < FIELDS => {
                let kind = WebFieldKind::Check(value.unwrap_or_default(), is_selected);
                self.fields.push(WebField {
                    access: *access,
                    ..WebField::new(name, kind)
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
                    choices.push(WebChoice::new(String::new(), value));
                }
            }
            OpenField::None | OpenField::Lines | OpenField::Boxes(..) => {}
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
            (OpenField::Boxes(..), WebFieldKind::Check(..)) => last.hint.push_str(words),
            _ => {}
        }
    }

    /// Completes the field whose end tag comes. All lines of a text are shown, up to a limit.
    pub(super) fn close_field(&mut self) {
        let is_one = !self.is_boxes();
        if let Some(field) = self.fields.last_mut().filter(|_| is_one) {
            match &mut field.kind {
                WebFieldKind::Lines(lines) => {
                    // The first line end is not part of the text.
                    if let Some(rest) = lines.strip_prefix('\n') {
                        *lines = rest.to_owned();
                    }
                    let shown = field.size.0.max(lines.lines().count());
                    field.size.0 = shown.clamp(1, MAX_FIELD_LINES);
                }
                WebFieldKind::Choice(choices, _) => {
                    let labels = choices.iter().map(|choice| words(&choice.label));
                    let widest = labels.map(|label| text::width(&label)).max();
                    field.size.1 = widest.map_or(1, |widest| widest + 1).min(MAX_FIELD_COLUMNS);
                }
                _ => {}
            }
        }
        self.open = OpenField::None;
    }

    /// Sends the text of a field as it is, without showing it.
    pub(super) fn send_unchanged(&mut self, field: usize) {
        let kind = self.fields.get_mut(field).map(|field| &mut field.kind);
        if let Some(kind) = kind
            && let WebFieldKind::Lines(text) = kind
        {
            *kind = WebFieldKind::Hidden(std::mem::take(text));
        }
    }

    /// Completes the form at the end of its page: labels become one line.
    pub(super) fn finish(mut self) -> Self {
        for field in &mut self.fields {
            match &mut field.kind {
                WebFieldKind::Choice(choices, _) => {
                    for choice in choices {
                        choice.label = words(&choice.label);
                    }
                }
                WebFieldKind::Check(value, _) if value.is_empty() => *value = words(&field.hint),
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
        self
    }

    /// The fields that the user fills in. The choice between buttons has no name.
    pub fn shown(&self) -> impl Iterator<Item = &WebField> {
        self.fields.iter().filter(|field| field.is_shown())
    }

    /// Returns true if the form sends a secret field.
    pub fn has_secret(&self) -> bool {
        let mut sent = self.fields.iter().filter(|field| field.is_sent());
        sent.any(|field| matches!(field.kind, WebFieldKind::Secret(_)))
    }

    /// The kind of a field, with its default or the answer that was given.
    pub fn kind(&self, field: usize) -> Option<&WebFieldKind> {
        self.fields.get(field).map(|field| &field.kind)
    }

    /// Returns true for the choice between the buttons that send the form.
    pub fn is_button(&self, field: usize) -> bool {
        let field = self.fields.get(field);
        field.is_some_and(|field| field.is_button)
    }

    /// Returns true for a field that the page shows and does not let be changed.
    pub fn is_fixed(&self, field: usize) -> bool {
        let field = self.fields.get(field);
        field.is_some_and(|field| field.access != FieldAccess::Open)
    }

    /// The index of a field among the shown ones; nothing for one that is not shown.
    pub fn shown_index(&self, field: usize) -> Option<usize> {
        self.fields.get(field).filter(|field| field.is_shown())?;
        let before = self.fields.get(..field)?;
        Some(before.iter().filter(|field| field.is_shown()).count())
    }
}

impl WebField {
    fn new(name: &str, kind: WebFieldKind) -> Self {
        Self {
            name: name.to_owned(),
            hint: String::new(),
            placeholder: String::new(),
            kind,
            is_button: false,
            access: FieldAccess::Open,
            size: (1, 0),
            first: (0, 0),
            caret: None,
        }
    }

    fn is_sent(&self) -> bool {
        self.access != FieldAccess::Disabled
    }

    fn is_shown(&self) -> bool {
        match &self.kind {
            _ if self.access != FieldAccess::Open => false,
            WebFieldKind::Hidden(_) | WebFieldKind::Reset => false,
            WebFieldKind::Choice(choices, _) => {
                !choices.is_empty() && (!self.is_button || choices.len() > 1)
            }
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
