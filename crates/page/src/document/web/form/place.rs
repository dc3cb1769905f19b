//! What stands of a form in the text of its page: its fields with their answers, as `[text_]`, `[x]` or `(*)`.

use geomys_wire::text;

use super::{FieldAnswer, WebField, WebFieldKind, WebForm, words};
use crate::document::web::tag::StartTag;

/// The columns of a field without a size and a default, and the most of one line that are shown.
const FIELD_COLUMNS: usize = 20;
pub(super) const MAX_FIELD_COLUMNS: usize = 40;

/// The most lines of a field that are shown.
pub(super) const MAX_FIELD_LINES: usize = 20;

/// A part of a form that stands in the text of the page: a field, a line of one, a radio button, a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebWidget {
    /// The index of the form among those of the page.
    pub form: usize,
    /// The index of the field among those of the form.
    pub field: usize,
    /// The index of the choice that a button stands for, or of the line of a text; nothing for a field as a whole.
    pub part: Option<usize>,
}

impl WebForm {
    /// Sets the label of a box or of a radio button: the text behind it.
    pub(in crate::document::web) fn set_label(&mut self, widget: WebWidget, label: &str) {
        let label = label.trim();
        let Some(field) = self
            .fields
            .get_mut(widget.field)
            .filter(|_| !label.is_empty())
        else {
            return;
        };
        match (&mut field.kind, widget.part) {
            (WebFieldKind::Choice(choices, _), Some(part)) => {
                if let Some(choice) = choices.get_mut(part) {
                    label.clone_into(&mut choice.label);
                }
            }
            (WebFieldKind::Check(..), None) => label.clone_into(&mut field.hint),
            _ => {}
        }
    }

    /// Gives the answer to a field. Returns false for an answer of another kind.
    pub(in crate::document::web) fn answer(&mut self, field: usize, answer: &FieldAnswer) -> bool {
        let kind = self.fields.get_mut(field).map(|field| &mut field.kind);
        match (kind, answer) {
            (
                Some(
                    WebFieldKind::Line(text)
                    | WebFieldKind::Secret(text)
                    | WebFieldKind::Lines(text),
                ),
                FieldAnswer::Text(answer),
            ) => text.clone_from(answer),
            (Some(WebFieldKind::Check(_, is_on)), FieldAnswer::Check(answer)) => *is_on = *answer,
            (Some(WebFieldKind::Choice(choices, chosen)), FieldAnswer::Choice(answer))
                if *answer < choices.len() =>
            {
                *chosen = *answer;
            }
            _ => return false,
        }
        true
    }

    /// Moves the cursor in a field that is edited, and shows the part of its text around it; `None` where it is not
    /// edited any more.
    pub(in crate::document::web) fn set_caret(
        &mut self,
        field: usize,
        caret: Option<(usize, usize)>,
    ) {
        if let Some(field) = self.fields.get_mut(field) {
            let around = |at: usize, first: usize, shown: usize| {
                first.clamp((at + 1).saturating_sub(shown.max(1)), at)
            };
            field.caret = caret;
            field.first = caret.map_or((0, 0), |(line, column)| {
                let (first, size) = (field.first, field.size);
                (
                    around(line, first.0, size.0),
                    around(column, first.1, size.1),
                )
            });
        }
    }

    /// The cursor in a part of the form in its page: its octet in the text of the part.
    pub(in crate::document::web) fn caret_in(
        &self,
        widget: WebWidget,
        text: &str,
    ) -> Option<usize> {
        let field = self.fields.get(widget.field)?;
        let (line, column) = field.caret?;
        let is_here = field.first.0 + widget.part.unwrap_or(0) == line;
        // The text begins with a bracket.
        let column = 1 + column.saturating_sub(field.first.1);
        is_here.then(|| text::prefix(text, column))
    }

    /// The text of a part of the form in its page: `[text_]`, `[x]`, `(*)`; nothing for a button, whose text is the
    /// page's.
    pub(in crate::document::web) fn text_of(&self, widget: WebWidget) -> Option<String> {
        let field = self.fields.get(widget.field)?;
        let part = widget.part;
        Some(match &field.kind {
            WebFieldKind::Hidden(_) | WebFieldKind::Reset => return None,
            WebFieldKind::Line(text) if text.is_empty() => field.boxed(field.placeholder()),
            WebFieldKind::Line(text) => field.boxed(text),
            WebFieldKind::Secret(text) if text.is_empty() => field.boxed(field.placeholder()),
            WebFieldKind::Secret(text) => field.boxed(&"*".repeat(text.chars().count())),
            WebFieldKind::Lines(text) if text.is_empty() && part == Some(0) => {
                field.boxed(field.placeholder())
            }
            WebFieldKind::Lines(text) => {
                let line = text.lines().nth(field.first.0 + part.unwrap_or(0));
                field.boxed(line.unwrap_or_default())
            }
            WebFieldKind::Check(_, true) => "[x]".to_owned(),
            WebFieldKind::Check(_, false) => "[ ]".to_owned(),
            WebFieldKind::Choice(_, _) if field.is_button => return None,
            WebFieldKind::Choice(_, chosen) if part == Some(*chosen) => "(*)".to_owned(),
            WebFieldKind::Choice(_, _) if part.is_some() => "( )".to_owned(),
            WebFieldKind::Choice(choices, chosen) => {
                let chosen = choices.get(*chosen).map(|choice| words(&choice.label));
                field.boxed(&chosen.unwrap_or_default())
            }
            WebFieldKind::File => "[file, not sent]".to_owned(),
        })
    }

    /// The parts of a field in its page: its lines, or the field as a whole.
    pub(in crate::document::web) fn parts(&self, field: usize) -> Vec<Option<usize>> {
        match self.fields.get(field) {
            Some(field) if matches!(field.kind, WebFieldKind::Lines(_)) => {
                (0..field.size.0).map(Some).collect()
            }
            Some(_) => vec![None],
            None => Vec::new(),
        }
    }

    /// The label of a box that was an option.
    pub(in crate::document::web) fn label(&self, field: usize) -> String {
        let field = self.fields.get(field);
        field.map_or(String::new(), |field| words(&field.hint))
    }
}

impl WebField {
    /// The text that stands in the field while it is empty, and not edited.
    fn placeholder(&self) -> &str {
        if self.caret.is_none() {
            &self.placeholder
        } else {
            ""
        }
    }

    /// The shown part of a text, in brackets.
    fn boxed(&self, shown: &str) -> String {
        let columns = self.size.1;
        let shown = text::columns(shown, self.first.1, columns);
        let rest = columns.saturating_sub(text::width(&shown));
        format!("[{shown}{}]", "_".repeat(rest))
    }
}

/// The lines and the columns of the field of an element: those that it states, else those of its default. A text of
/// several lines may be as wide as a pane of `pane` columns.
pub(super) fn shown_size(
    element: &StartTag<'_>,
    kind: &WebFieldKind,
    pane: usize,
) -> (usize, usize) {
    let number = |name: &str| element.value(name)?.trim().parse().ok();
    let own = match kind {
        WebFieldKind::Line(text) if !text.is_empty() => text::width(text) + 1,
        WebFieldKind::Lines(_) => MAX_FIELD_COLUMNS,
        _ => FIELD_COLUMNS,
    };
    let columns = number("size").or(number("cols")).unwrap_or(own);
    let lines: usize = number("rows").unwrap_or(2);
    let most = match kind {
        // Two brackets are beside it.
        WebFieldKind::Lines(_) => pane.saturating_sub(2).max(1),
        _ => MAX_FIELD_COLUMNS,
    };
    (lines.clamp(1, MAX_FIELD_LINES), columns.clamp(1, most))
}
