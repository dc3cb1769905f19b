//! Forms, whose fields and buttons stand in the text where the page has them.

use std::sync::Arc;

use geomys_wire::text::Charset;

use super::{DEPTH, LayoutBuilder};
use crate::document::web::form::{FieldAccess, WebForm, WebWidget};
use crate::document::web::tag::StartTag;

/// The maximum length of the text before a field that becomes its hint, in characters.
const HINT: usize = 60;

/// The prompt of an `isindex` element without one (HTML 4.01, section 17.8).
const ISINDEX_PROMPT: &str = "This is a searchable index. Enter search keywords:";

/// The forms of a page while it is laid out.
#[derive(Debug, Default)]
pub(super) struct PageForms {
    /// The forms with their ids. One is that of the fields outside of all forms.
    forms: Vec<(Option<String>, WebForm)>,
    open: Option<usize>,
    outside: Option<usize>,
    /// The field that is shown at its end tag, when its text is known: its form, and its index there.
    pending: Option<(usize, usize)>,
    /// True if the page is printed: the texts of fields are shown whole.
    pub(super) is_output: bool,
    /// The text of a field that nobody edits, while it is read.
    read_only: Option<String>,
    /// The open field sets.
    field_sets: Vec<FieldSet>,
    /// Inside a button: its name if it shows none.
    pub(super) button: Option<String>,
    /// The box or the radio button whose label is read, and where that begins in the current line.
    labelled: Option<(WebWidget, usize)>,
}

/// An open field set.
#[derive(Debug, Default)]
struct FieldSet {
    is_disabled: bool,
    /// True in its first legend, whose fields stay open; None before it.
    is_in_legend: Option<bool>,
}

impl PageForms {
    /// What a reader may do with the field of an element.
    fn access(&self, element: &StartTag<'_>) -> FieldAccess {
        let mut sets = self.field_sets.iter();
        let is_in_disabled = sets.any(|set| set.is_disabled && set.is_in_legend != Some(true));
        let is_text = match element.name() {
            "input" => is_text_type(element.value("type").unwrap_or_default()),
            name => name == "textarea",
        };
        if is_in_disabled || element.value("disabled").is_some() {
            FieldAccess::Disabled
        } else if is_text && element.value("readonly").is_some() {
            FieldAccess::ReadOnly
        } else {
            FieldAccess::Open
        }
    }

    /// The form of an element: the one that it names, the open one, or the one outside of all.
    fn of(&mut self, element: &StartTag<'_>, charset: Charset) -> usize {
        let named = element.value("form").filter(|id| !id.is_empty());
        if let Some(id) = named {
            let known = self.forms.iter();
            let known = known
                .map(|(id, _)| id.as_deref())
                .position(|own| own == Some(id));
            return known
                .unwrap_or_else(|| self.add(Some(id.to_owned()), WebForm::of_page(charset)));
        }
        if let Some(form) = self.open.or(self.outside) {
            return form;
        }
        let outside = self.add(None, WebForm::of_page(charset));
        self.outside = Some(outside);
        outside
    }

    fn add(&mut self, id: Option<String>, form: WebForm) -> usize {
        self.forms.push((id, form));
        self.forms.len() - 1
    }

    fn get(&mut self, form: usize) -> Option<&mut WebForm> {
        self.forms.get_mut(form).map(|(_, form)| form)
    }

    /// The start of the label that is read, in the current line.
    pub(super) fn label_start(&mut self) -> Option<&mut usize> {
        self.labelled.as_mut().map(|(_, at)| at)
    }

    /// Returns the forms of the complete page.
    pub(super) fn finish(self) -> Vec<Arc<WebForm>> {
        let forms = self.forms.into_iter();
        forms.map(|(_, form)| Arc::new(form.finish())).collect()
    }
}

impl LayoutBuilder {
    pub(super) fn begin_form(&mut self, element: &StartTag<'_>) {
        self.paragraph();
        if self.forms.open.is_some() {
            return;
        }
        let form = WebForm::new(element, self.charset);
        let id = element.value("id").map(str::to_owned);
        // Fields before the form may have named it.
        let known = self.forms.forms.iter();
        let known = known
            .map(|(id, _)| id)
            .position(|own| id.is_some() && *own == id);
        self.forms.open = Some(match known {
            Some(known) => {
                if let Some(own) = self.forms.get(known) {
                    own.begin(form);
                }
                known
            }
            None => self.forms.add(id, form),
        });
    }

    /// Shows an `isindex` element: a form with one field, whose answer is the query. In a form it is ignored.
    pub(super) fn isindex(&mut self, element: &StartTag<'_>) {
        if self.forms.open.is_some() {
            return;
        }
        self.begin_form(element);
        let prompt = element.value("prompt").unwrap_or(ISINDEX_PROMPT);
        self.word(&format!("{prompt} "));
        let form = self.forms.of(element, self.charset);
        let columns = self.columns;
        let field = self
            .forms
            .get(form)
            .and_then(|own| own.field(element, FieldAccess::Open, (prompt, columns)));
        if let Some((field, part)) = field {
            let widget = WebWidget { form, field, part };
            let text = self.forms.get(form).and_then(|own| own.text_of(widget));
            self.widget(widget, &text.unwrap_or_default());
        }
        self.end_form();
    }

    /// Begins a set of fields, which may be disabled as a whole (HTML, section 4.10.15).
    pub(super) fn begin_field_set(&mut self, element: &StartTag<'_>) {
        self.paragraph();
        if self.forms.field_sets.len() < DEPTH {
            self.forms.field_sets.push(FieldSet {
                is_disabled: element.value("disabled").is_some(),
                is_in_legend: None,
            });
        }
    }

    pub(super) fn end_field_set(&mut self) {
        self.paragraph();
        self.forms.field_sets.pop();
    }

    /// Begins or ends the legend of a field set.
    pub(super) fn legend(&mut self, is_start: bool) {
        self.block();
        if let Some(set) = self.forms.field_sets.last_mut() {
            set.is_in_legend = Some(is_start && set.is_in_legend.is_none());
        }
    }

    pub(super) fn end_form(&mut self) {
        self.end_button();
        self.note_label();
        if let Some(form) = self.forms.open.take() {
            let button = self.forms.get(form).and_then(WebForm::default_button);
            if let Some((field, part)) = button {
                self.word(" ");
                self.widget(WebWidget { form, field, part }, "[Send]");
            }
        }
        self.paragraph();
    }

    /// Handles the start of a field or a button.
    pub(super) fn field(&mut self, element: &StartTag<'_>) {
        self.end_field();
        self.end_button();
        self.note_label();
        let access = self.forms.access(element);
        let is_fixed = access != FieldAccess::Open;
        if element.name() == "textarea" && (is_fixed || self.forms.is_output) {
            self.forms.read_only = Some(String::new());
        }
        let before = self.line.as_ref().and_then(|line| {
            let start = line.links.last().map_or(0, |(range, _)| range.end);
            Some(ending(line.text.get(start..)?).to_owned())
        });
        let form = self.forms.of(element, self.charset);
        let Some(own) = self.forms.get(form) else {
            return;
        };
        let before = before.as_deref().unwrap_or_default();
        let Some((field, part)) = own.field(element, access, (before, self.columns)) else {
            if let Some(text) = fixed_widget(element) {
                self.word(&unbroken(&text));
            }
            return;
        };
        let widget = WebWidget { form, field, part };
        match element.name() {
            "textarea" | "select" => self.forms.pending = Some((form, field)),
            "button" => {
                self.forms.button = Some(name_of(element));
                self.end_link();
                let target = self.layout.add_widget(widget);
                self.open_link(target);
                self.word("[");
            }
            _ => {
                let text = own.text_of(widget);
                let is_labelled = matches!(text.as_deref(), Some("(*)" | "( )" | "[x]" | "[ ]"));
                let text =
                    text.map_or_else(|| format!("[{}]", name_of(element)), |text| unbroken(&text));
                self.widget(widget, &text);
                let at = self.line.as_ref().map(|line| line.text.len());
                self.forms.labelled = at.filter(|_| is_labelled).map(|at| (widget, at));
            }
        }
    }

    /// Records the text behind a box or a radio button as its label.
    pub(super) fn note_label(&mut self) {
        let Some((widget, at)) = self.forms.labelled.take() else {
            return;
        };
        let label = self.line.as_ref().and_then(|line| line.text.get(at..));
        if let (Some(label), Some(form)) = (label, self.forms.forms.get_mut(widget.form)) {
            form.1.set_label(widget, label);
        }
    }

    pub(super) fn end_button(&mut self) {
        if let Some(name) = self.forms.button.take() {
            let line = self.line.as_ref();
            if line.is_some_and(|line| line.text.ends_with('[')) {
                self.word(&name);
            }
            self.word("]");
            self.end_link();
        }
    }

    /// Handles the start or the end of a block without a meaning of its own: it ends the line, except in a button.
    pub(super) fn block(&mut self) {
        if self.forms.button.is_none() {
            self.flush();
        }
    }

    /// Shows the field whose end tag comes, with its text.
    pub(in crate::document::web) fn end_field(&mut self) {
        let read_only = self.forms.read_only.take();
        let is_shown_whole = read_only.is_some_and(|text| self.fixed_text(&text));
        let Some((form, first)) = self.forms.pending.take() else {
            return;
        };
        let Some(own) = self.forms.get(form) else {
            return;
        };
        let is_boxes = own.is_boxes();
        own.close_field();
        if is_shown_whole {
            return own.send_unchanged(first);
        }
        let own = &*own;
        let fields = (first..own.len()).flat_map(|field| {
            let parts = own.parts(field).into_iter();
            parts.map(move |part| WebWidget { form, field, part })
        });
        let shown = |widget: WebWidget| {
            let text = own.text_of(widget)?;
            Some((widget, text, own.label(widget.field)))
        };
        let shown: Vec<_> = fields.filter_map(shown).collect();
        for (number, (widget, text, label)) in shown.into_iter().enumerate() {
            if widget.part.is_some() {
                self.flush();
            } else if number > 0 {
                self.word(" ");
            }
            self.widget(widget, &unbroken(&text));
            if is_boxes {
                self.word(&format!(" {label}"));
            }
            if widget.part.is_some() {
                if let Some(line) = &mut self.line {
                    line.is_fixed = true;
                }
                self.flush();
            }
        }
    }

    /// Shows the text of a field that nobody edits, in lines that are wrapped. Returns false for an empty one.
    fn fixed_text(&mut self, text: &str) -> bool {
        if text.trim().is_empty() {
            return false;
        }
        self.flush();
        // The first line end is not part of the text.
        for line in text.strip_prefix('\n').unwrap_or(text).lines() {
            if line.trim().is_empty() {
                self.needs_blank = true;
            }
            self.word(line);
            self.flush();
        }
        true
    }

    /// Adds a part of a form to the line, as a link.
    fn widget(&mut self, widget: WebWidget, text: &str) {
        self.end_link();
        let target = self.layout.add_widget(widget);
        self.open_link(target);
        text.chars().for_each(|c| self.put(c));
        self.end_link();
    }

    /// Handles the start of an option of a field.
    pub(in crate::document::web) fn option(&mut self, element: &StartTag<'_>) {
        if let Some(form) = self.pending_form() {
            form.option(element);
        }
    }

    /// Handles text in an element that is not shown.
    pub(in crate::document::web) fn hidden_text(&mut self, name: &str, text: &str) {
        if let Some(whole) = self.forms.read_only.as_mut().filter(|_| name == "textarea") {
            whole.push_str(text);
        }
        if matches!(name, "select" | "textarea")
            && let Some(form) = self.pending_form()
        {
            form.text(text);
        }
    }

    /// The form of the field whose text is read.
    fn pending_form(&mut self) -> Option<&mut WebForm> {
        let (form, _) = self.forms.pending?;
        self.forms.get(form)
    }
}

/// The text of a field, which is not wrapped at its blanks. The row of the line has the blanks.
fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// The text of an `input` element that is no field: a disabled button, one for a script, a disabled radio button.
fn fixed_widget(element: &StartTag<'_>) -> Option<String> {
    let own_type = element.value("type").unwrap_or_default().trim();
    let is_named = element
        .value("value")
        .is_some_and(|name| !name.trim().is_empty());
    match own_type.to_ascii_lowercase().as_str() {
        _ if element.name() != "input" => None,
        "radio" if element.value("checked").is_some() => Some("(*)".to_owned()),
        "radio" => Some("( )".to_owned()),
        "button" if !is_named => None,
        "submit" | "image" | "reset" | "button" => Some(format!("[{}]", name_of(element))),
        _ => None,
    }
}

/// Returns true for the type of an `input` element that is a line of text.
fn is_text_type(own_type: &str) -> bool {
    const OTHERS: [&str; 9] = [
        "hidden", "checkbox", "radio", "file", "submit", "image", "reset", "button", "range",
    ];
    let own_type = own_type.trim();
    !OTHERS
        .iter()
        .any(|other| own_type.eq_ignore_ascii_case(other))
}

/// The name of a button by its attributes.
fn name_of(element: &StartTag<'_>) -> String {
    // The value of a `button` is only sent.
    let own = ["value", "alt"]
        .into_iter()
        .filter(|_| element.name() == "input");
    let names = own.chain(["aria-label", "title"]);
    let mut names = names.filter_map(|name| element.value(name).map(str::trim));
    let name = names.find(|name| !name.is_empty());
    let is_reset = element
        .value("type")
        .is_some_and(|own| own.trim().eq_ignore_ascii_case("reset"));
    name.unwrap_or(if is_reset { "Reset" } else { "Submit" })
        .to_owned()
}

/// The end of a text, long enough for the hint beside a field.
fn ending(text: &str) -> &str {
    let start = text.char_indices().rev().nth(HINT - 1);
    start.map_or(text, |(at, _)| text.get(at..).unwrap_or_default())
}
