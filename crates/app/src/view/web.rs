//! A page of the Web. The fields and the buttons of its forms are edited, chosen and pressed where they stand.

use std::sync::Arc;

use crossterm::event::{KeyCode, KeyEvent};
use geomys_load::{Reason, Request, ServerForm};
use geomys_page::document::{
    Document, FieldAnswer, FoundLink, Link, LinkForm, WebFieldKind, WebForm, WebWidget,
};
use rfc1738::Url;
use tui_input::Input;

use crate::action::Action;
use crate::keymap::{Key, KeyContext, KeyMatch};
use crate::requester::Arrival;
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::form::{FormEvent, FormView, Value};
use crate::view::kind::{KeyHint, ViewKind, has_rows};
use crate::view::text_area::TextArea;
use crate::view::viewport::Viewport;
use crate::{Context, Focus, PendingRequest, Settings};

/// The most lines of a field on the page.
const MAX_LINES: usize = 20;

/// A page of the Web in a pane.
#[derive(Debug)]
pub struct WebView {
    /// Its rows.
    pub rows: Viewport,
    editing: Option<Box<FieldEdit>>,
}

/// A field that is edited where it stands.
#[derive(Debug)]
struct FieldEdit {
    widget: WebWidget,
    /// The form with the answers so far; its focus is on the field.
    form: FormView,
    web: Arc<WebForm>,
}

impl FieldEdit {
    fn value(&self) -> Option<&Value> {
        let entry = self.form.entries.get(self.form.at);
        entry.map(|entry| &entry.value)
    }

    /// The line and the column of the cursor in the field.
    fn caret(&self) -> (usize, usize) {
        match self.value() {
            Some(Value::Line(input)) => (0, input.visual_cursor()),
            Some(Value::Secret(secret)) => (0, secret.0.cursor()),
            Some(Value::Lines(lines, at)) => {
                let column = lines.get(*at).map(Input::visual_cursor);
                (*at, column.unwrap_or(0))
            }
            _ => (0, 0),
        }
    }

    /// Chooses the next or the previous item of a list. Returns false for a field of another kind.
    fn choose(&mut self, forward: bool) -> bool {
        let Some(Value::Choose(choices, chosen)) = self.form.value_mut() else {
            return false;
        };
        let last = choices.len().saturating_sub(1);
        *chosen = if forward {
            (*chosen + 1).min(last)
        } else {
            chosen.saturating_sub(1)
        };
        true
    }

    /// Returns true if Enter in the field sends the form: it is the only one for text.
    fn sends(&self) -> bool {
        let is_text =
            |value: &Value| matches!(value, Value::Line(_) | Value::Secret(_) | Value::Lines(..));
        let values = self.form.entries.iter().map(|entry| &entry.value);
        let is_line = matches!(self.value(), Some(Value::Line(_) | Value::Secret(_)));
        is_line && values.filter(|value| is_text(value)).count() == 1
    }
}

impl From<Document> for WebView {
    fn from(document: Document) -> Self {
        Self {
            rows: document.into(),
            editing: None,
        }
    }
}

impl WebView {
    /// Uses the part of a form under the cursor.
    fn use_widget(&mut self, link: &Link, widget: WebWidget, at: &mut ViewContext<'_>) -> Outcome {
        let (Some(LinkForm::Web(web)), Ok(action)) = (&link.form, &link.target) else {
            return Outcome::Ignored;
        };
        self.end_edit();
        if web.is_fixed(widget.field) {
            at.cx.notify("The page does not let this field be changed");
            return Outcome::Done;
        }
        let answer = match (web.kind(widget.field), widget.part) {
            (Some(WebFieldKind::Reset), _) => {
                return Outcome::of(self.rows.document.reset_form(widget.form));
            }
            (Some(WebFieldKind::Check(_, is_on)), _) => FieldAnswer::Check(!is_on),
            (Some(WebFieldKind::Choice(..)), Some(choice)) if web.is_button(widget.field) => {
                let mut form = form_view(link, web, action, at.url);
                form.press(web, widget.field, choice);
                send(&form, web, at.cx);
                return Outcome::Done;
            }
            (Some(WebFieldKind::Choice(..)), Some(choice)) => FieldAnswer::Choice(choice),
            (Some(kind @ (WebFieldKind::File | WebFieldKind::Hidden(_))), _) => {
                at.cx.notify(match kind {
                    WebFieldKind::File => "Files are not sent by forms",
                    _ => "Text too long to edit: it is sent unchanged",
                });
                return Outcome::Done;
            }
            (None, _) => return Outcome::Ignored,
            (Some(_), _) => return Outcome::of(self.begin_edit(link, at)),
        };
        Outcome::of(self.rows.document.answer(widget, answer, None))
    }

    /// Begins to edit the field under the cursor. Returns false if the link is none.
    fn begin_edit(&mut self, link: &Link, at: &ViewContext<'_>) -> bool {
        let (Some(LinkForm::Web(web)), Ok(action), Some(widget)) =
            (&link.form, &link.target, link.widget)
        else {
            return false;
        };
        let mut form = form_view(link, web, action, at.url);
        if !takes_text(web, widget) || !form.focus(web, widget.field) {
            return false;
        }
        if let Some(Value::Lines(lines, line)) = form.value_mut() {
            *line = widget.part.unwrap_or(0).min(lines.len().saturating_sub(1));
        }
        self.editing = Some(Box::new(FieldEdit {
            widget,
            form,
            web: Arc::clone(web),
        }));
        self.show_edit(at.area)
    }

    /// Shows the answer of the edited field in its page, with the cursor. Returns false if the page has no such field.
    fn show_edit(&mut self, area: TextArea) -> bool {
        let caret = self.editing.as_deref().map(FieldEdit::caret);
        let is_shown = self.give_answer(caret);
        if is_shown {
            self.follow_caret(area);
        } else {
            self.editing = None;
        }
        is_shown
    }

    fn give_answer(&mut self, caret: Option<(usize, usize)>) -> bool {
        let answer = |edit: &FieldEdit| (edit.widget, edit.form.answer_here());
        let answer = self.editing.as_deref().map(answer);
        answer.is_some_and(|(widget, answer)| self.rows.document.answer(widget, answer, caret))
    }

    /// Moves the cursor of the page to the line of the edited field that has the cursor of the terminal.
    fn follow_caret(&mut self, area: TextArea) {
        let document = &self.rows.document;
        let cursor = self.rows.position.cursor;
        let has_caret = |row: &usize| document.row(*row).is_some_and(|row| row.caret.is_some());
        let mut near = cursor.saturating_sub(MAX_LINES)..=cursor.saturating_add(MAX_LINES);
        if has_caret(&cursor) {
            return;
        }
        let Some(row) = near.find(has_caret) else {
            return;
        };
        let edited = self.edited();
        let links = document.links(row);
        let is_edited = |link: &Link| link.widget.map(field_of) == edited;
        let link = links.iter().position(is_edited);
        self.rows.scroller(area).go_to(row);
        self.rows.position.link = link;
    }

    /// The form and the field that are edited.
    fn edited(&self) -> Option<(usize, usize)> {
        let edit = self.editing.as_deref()?;
        Some(field_of(edit.widget))
    }

    /// Goes to the first field on the screen, if no link is selected, and edits it if it takes text. Returns false if
    /// there is none.
    fn go_to_first_field(&mut self, at: &ViewContext<'_>) -> bool {
        if self.rows.link().is_some() {
            return false;
        }
        let shown = self.rows.on_screen(at.area).links(usize::MAX).into_iter();
        let document = &self.rows.document;
        let mut fields = shown.filter_map(|(row, index)| {
            let link = document.link(row, index)?;
            let can_be_used = match (&link.form, link.widget) {
                (Some(LinkForm::Web(web)), Some(widget)) => !web.is_fixed(widget.field),
                _ => false,
            };
            can_be_used.then_some((row, index, link))
        });
        let Some((row, index, link)) = fields.next() else {
            return false;
        };
        self.rows.scroller(at.area).go_to(row);
        self.rows.position.link = Some(index);
        self.begin_edit(&link, at);
        true
    }

    /// Ends the editing. The answer stays.
    fn end_edit(&mut self) -> Option<Box<FieldEdit>> {
        self.give_answer(None);
        self.editing.take()
    }

    /// Returns true if the cursor is still on the edited field.
    fn is_on_field(&self) -> bool {
        let link = self.rows.link();
        link.and_then(|link| link.widget).map(field_of) == self.edited()
    }

    /// Goes to the next or the previous link and edits it, if it is a field for text or a list of choices. Returns
    /// false if there is none.
    fn step(&mut self, forward: bool, at: &ViewContext<'_>) -> bool {
        self.end_edit();
        let before = self.rows.link().as_ref().and_then(text_lines);
        let (mut has_moved, mut here) = (false, None);
        while let FoundLink::Row(_) = self.rows.scroller(at.area).step_link(forward) {
            has_moved = true;
            here = self.rows.link();
            // The lines of a text are one field.
            let field = here.as_ref().and_then(text_lines);
            if field.is_none() || field != before {
                break;
            }
        }
        if let Some(link) = here {
            self.begin_edit(&link, at);
        }
        has_moved
    }

    /// Handles a key in the edited field. Returns false for one that ends the editing and has another meaning.
    fn edit_key(&mut self, key: Key, at: &mut ViewContext<'_>) -> bool {
        let Some(edit) = self.editing.as_deref_mut() else {
            return false;
        };
        let code = key.code();
        let is_vertical = matches!(code, Some(KeyCode::Up | KeyCode::Down));
        if is_vertical && edit.choose(code == Some(KeyCode::Down)) || edit.form.own_key(key) {
            return self.show_edit(at.area);
        }
        match at.cx.keymap.find(&[KeyContext::Form], &[key]) {
            KeyMatch::Action(action) => return self.edit_act(action, at),
            KeyMatch::Prefix | KeyMatch::Unbound => {}
        }
        if code == Some(KeyCode::Enter) && !matches!(edit.value(), Some(Value::Lines(..))) {
            if edit.sends() {
                return self.send_edited(at);
            }
            self.step(true, at);
            return true;
        }
        if edit.form.type_key(key) == FormEvent::Handled {
            return self.show_edit(at.area);
        }
        self.end_edit();
        false
    }

    /// Carries out an action for the edited field.
    fn edit_act(&mut self, action: Action, at: &mut ViewContext<'_>) -> bool {
        match action {
            Action::NextField | Action::PreviousField => {
                self.step(action == Action::NextField, at);
            }
            Action::SendForm => return self.send_edited(at),
            Action::LeaveForm => drop(self.end_edit()),
            _ => {
                self.end_edit();
                return false;
            }
        }
        true
    }

    /// Ends the editing and sends the form.
    fn send_edited(&mut self, at: &mut ViewContext<'_>) -> bool {
        let edit = self.end_edit();
        if let Some(edit) = &edit {
            send(&edit.form, &edit.web, at.cx);
        }
        edit.is_some()
    }
}

/// The form and the field of a part of a form.
fn field_of(widget: WebWidget) -> (usize, usize) {
    (widget.form, widget.field)
}

/// The form and the field of a link that is a line of a text.
fn text_lines(link: &Link) -> Option<(usize, usize)> {
    let (Some(LinkForm::Web(web)), Some(widget)) = (&link.form, link.widget) else {
        return None;
    };
    let is_lines = matches!(web.kind(widget.field), Some(WebFieldKind::Lines(_)));
    is_lines.then(|| field_of(widget))
}

/// Returns true for a field that is edited: one for text, or a list of choices.
fn takes_text(web: &WebForm, widget: WebWidget) -> bool {
    match web.kind(widget.field) {
        _ if web.is_fixed(widget.field) => false,
        Some(WebFieldKind::Line(_) | WebFieldKind::Secret(_) | WebFieldKind::Lines(_)) => true,
        Some(WebFieldKind::Choice(..)) => widget.part.is_none(),
        _ => false,
    }
}

/// The form of a link as a view, with the answers of the page at `from`.
fn form_view(link: &Link, web: &Arc<WebForm>, action: &Url, from: &Url) -> FormView {
    let request = Request::show(action.clone(), Reason::Link(from.clone()));
    FormView::new(ServerForm::web(web), request, link.label.clone())
}

fn send(form: &FormView, web: &WebForm, cx: &mut Context) {
    match form.web_request(web) {
        Ok(request) => {
            let title = form.title.clone();
            cx.load(PendingRequest::for_pane(request, title, Arrival::Append));
        }
        Err(why) => cx.report_error(&why),
    }
}

impl ViewKind for WebView {
    has_rows!();

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        if self.editing.is_some() && self.edit_act(action, at) {
            return Outcome::Done;
        }
        self.rows.act(action, at)
    }

    fn open(&mut self, at: &mut ViewContext<'_>) -> Outcome {
        let link = self.rows.link();
        match link.and_then(|link| Some((link.widget?, link))) {
            Some((widget, link)) => self.use_widget(&link, widget, at),
            None if self.go_to_first_field(at) => Outcome::Done,
            None => self.rows.open(at),
        }
    }

    fn contexts(&self) -> Vec<KeyContext> {
        match &self.editing {
            Some(_) => vec![KeyContext::Form],
            None => self.rows.contexts(None),
        }
    }

    fn key(&mut self, event: KeyEvent, at: &mut ViewContext<'_>) -> Outcome {
        if at.cx.focus != Focus::Panes {
            return Outcome::Ignored;
        }
        let key = Key::of(event);
        if self.editing.is_none() {
            // From a box, a choice or a button, too; the arrow keys scroll.
            let is_tab = matches!(key.code(), Some(KeyCode::Tab | KeyCode::BackTab));
            let is_widget = || self.rows.link().is_some_and(|link| link.widget.is_some());
            return match at.cx.keymap.find(&[KeyContext::Form], &[key]) {
                KeyMatch::Action(step @ (Action::NextField | Action::PreviousField))
                    if is_tab && is_widget() =>
                {
                    Outcome::of(self.step(step == Action::NextField, at))
                }
                // With more panes the key goes to the next one.
                KeyMatch::Action(Action::NextField) if is_tab && at.cx.layout.count() == 1 => {
                    Outcome::of(self.go_to_first_field(at))
                }
                _ => Outcome::Ignored,
            };
        }
        if !self.is_on_field() {
            self.end_edit();
            return Outcome::Ignored;
        }
        Outcome::of(self.edit_key(key, at))
    }

    fn paste(&mut self, text: &str, at: &mut ViewContext<'_>) -> Outcome {
        let is_here = at.cx.focus == Focus::Panes && self.is_on_field();
        match self.editing.as_deref_mut().filter(|_| is_here) {
            Some(edit) => {
                edit.form.insert(text);
                Outcome::of(self.show_edit(at.area))
            }
            None => Outcome::Ignored,
        }
    }

    fn leave_screen(&mut self) {
        self.end_edit();
        self.rows.document.drop_rows();
    }

    fn open_label(&self, link: &Link) -> &'static str {
        let (Some(LinkForm::Web(web)), Some(widget)) = (&link.form, link.widget) else {
            return "open";
        };
        match web.kind(widget.field) {
            _ if web.is_button(widget.field) => "send",
            Some(WebFieldKind::Reset) => "reset",
            Some(WebFieldKind::Check(..) | WebFieldKind::Choice(..)) => "choose",
            _ => "edit",
        }
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        match &self.editing {
            Some(_) => vec![
                (Action::NextField, "next"),
                (Action::SendForm, "send"),
                (Action::LeaveForm, "done"),
            ],
            None => self.rows.text_hints(),
        }
    }

    fn more_hints(&self) -> &'static [KeyHint] {
        self.rows.more_text_hints()
    }
}
