//! The handling of keys: an overlay receives them first, then the keymap maps them to actions.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use crate::app::Command;
use crate::app::action::{Action, Scope};
use crate::app::dialogs::dialog::{Dialog, UNANSWERED};
use crate::app::dialogs::prompt::{BookmarkInput, Prompt, PromptEvent, PromptKind, edit, paste};
use crate::app::{App, Focus, Overlay, PendingKeys};
use crate::document::{Document, Shape};
use crate::keymap::{Context as KeyContext, Key, KeyMatch, write_keys};

/// The key that applies the URL fix in the bookmark form.
pub const FIX_KEY: &str = "Ctrl-R";

/// The largest number of digits of a link's number.
const MAX_DIGITS: usize = 9;

impl App {
    pub(crate) fn key(&mut self, event: KeyEvent) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        let key = Key::of(event);
        if self.discards_key(Some(key)) {
            return;
        }
        self.cx.notice = None;
        match self.dialogs.overlay.take() {
            None => self.browse_key(key),
            Some(Overlay::Prompt(prompt)) => self.prompt_key(prompt, key),
            Some(Overlay::Form(form)) if Some(key) == Key::parse(FIX_KEY) => {
                self.bookmarks
                    .repair_in_form(form, &self.tabs, &mut self.cx);
            }
            Some(Overlay::Form(mut form)) => match form.key(key) {
                PromptEvent::Continue => self.show(Overlay::Form(form)),
                PromptEvent::Cancel => {}
                PromptEvent::Submit => self.bookmarks.submit_form(form, &mut self.cx),
            },
            Some(Overlay::Hints(mut hints)) => {
                if let Some(letter) = key.character() {
                    hints.typed.push(letter);
                    match hints.chosen() {
                        Some((row, link)) => self.open_hint(row, link),
                        None if hints.is_possible() => self.show(Overlay::Hints(hints)),
                        None => {}
                    }
                }
            }
            Some(Overlay::Palette(mut palette)) => {
                let count = palette.actions().len();
                match key.code() {
                    Some(KeyCode::Esc) => {}
                    Some(KeyCode::Enter) => {
                        if let Some(action) = palette.action() {
                            self.act(action);
                        }
                    }
                    Some(KeyCode::Down | KeyCode::Tab) => {
                        palette.chosen = (palette.chosen + 1).min(count.saturating_sub(1));
                        self.show(Overlay::Palette(palette));
                    }
                    Some(KeyCode::Up | KeyCode::BackTab) => {
                        palette.chosen = palette.chosen.saturating_sub(1);
                        self.show(Overlay::Palette(palette));
                    }
                    _ if key.is_cancel() => {}
                    _ => {
                        if edit(&mut palette.input, key) {
                            palette.chosen = 0;
                        }
                        self.show(Overlay::Palette(palette));
                    }
                }
            }
            Some(Overlay::Dialog(dialog)) => dialog.key(key, &mut self.cx),
            Some(Overlay::Drafts(drafts)) => {
                self.compose
                    .drafts_key(drafts, key, &self.tabs, &mut self.cx)
            }
            Some(Overlay::Info(_)) => {
                match key.code() {
                    // These keys close the panel. Any other key closes it too and has its usual effect.
                    Some(KeyCode::Esc | KeyCode::Enter | KeyCode::Char('i')) => {}
                    _ => self.browse_key(key),
                }
            }
        }
    }

    fn prompt_key(&mut self, mut prompt: Prompt, key: Key) {
        if self.dialogs.recall_search(&mut prompt, key) {
            return self.show(Overlay::Prompt(prompt));
        }
        if let PromptKind::Bookmarks(BookmarkInput::Filter) = prompt.kind {
            return self.filter_key(prompt, key);
        }
        let is_filter = matches!(prompt.kind, PromptKind::Filter);
        match prompt.key(key) {
            PromptEvent::Continue if is_filter => {
                self.tabs.filter(prompt.input.value(), &mut self.cx);
                self.show(Overlay::Prompt(prompt));
            }
            PromptEvent::Cancel if is_filter => self.tabs.filter("", &mut self.cx),
            PromptEvent::Continue => self.show(Overlay::Prompt(prompt)),
            PromptEvent::Cancel => {
                // The question of a transfer stays in its row.
                let pending = prompt.pending().filter(|pending| !pending.is_transfer());
                if let Some(pending) = pending.cloned() {
                    let command = Command::CancelPending(Box::new(pending), UNANSWERED.to_owned());
                    self.cx.command(command);
                }
            }
            PromptEvent::Submit => self.answer(prompt),
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        if self.discards_key(None) {
            return;
        }
        match &mut self.dialogs.overlay {
            Some(Overlay::Prompt(prompt)) => {
                prompt.paste(text);
                let words = prompt.input.value().to_owned();
                match prompt.kind {
                    PromptKind::Filter => self.tabs.filter(&words, &mut self.cx),
                    PromptKind::Bookmarks(BookmarkInput::Filter) => self.bookmarks.filter_by(&words, &mut self.cx),
                    _ => {}
                }
            }
            Some(Overlay::Form(form)) => paste(form.input_mut(), text),
            Some(Overlay::Palette(palette)) => paste(&mut palette.input, text),
            Some(
                Overlay::Dialog(_) | Overlay::Drafts(_) | Overlay::Hints(_) | Overlay::Info(_),
            ) => {}
            None => {
                if self.tabs.session_paste(text, &mut self.cx).is_some() {
                    return;
                }
                if let Some(form) = self.tabs.form_mut(&self.cx) {
                    form.paste(text);
                    return;
                }
                // Pasted text becomes an address to open. The user still has to press Enter.
                let mut prompt = Prompt::new(PromptKind::Url, "");
                prompt.paste(text);
                self.show(Overlay::Prompt(prompt));
            }
        }
    }

    /// Returns the active key contexts, the most specific first.
    pub fn contexts(&self) -> Vec<KeyContext> {
        match self.cx.focus {
            Focus::Bookmarks => vec![KeyContext::Bookmarks, KeyContext::Global],
            Focus::Transfers => vec![KeyContext::Transfers, KeyContext::Global],
            Focus::Panes if self.tabs.form(&self.cx).is_some() => {
                vec![KeyContext::Form, KeyContext::Global]
            }
            Focus::Panes
                if self
                    .tabs
                    .page()
                    .is_some_and(|page| page.session().is_some()) =>
            {
                vec![KeyContext::Session, KeyContext::Page, KeyContext::Global]
            }
            Focus::Panes => {
                let document = self.tabs.page().and_then(crate::app::Page::document);
                let failed = self.tabs.page().filter(|page| page.is_article());
                let failed = failed.map(|_| KeyContext::Article);
                let kind = document.and_then(|document| match document.shape() {
                    Shape::Group => Some(KeyContext::Group),
                    Shape::Article => Some(KeyContext::Article),
                    Shape::Groups => Some(KeyContext::Groups),
                    Shape::Menu
                    | Shape::Attributes
                    | Shape::People
                    | Shape::Hits
                    | Shape::Html
                    | Shape::Text
                    | Shape::Listing { .. } => None,
                });
                let list = document
                    .is_some_and(Document::is_list)
                    .then_some(KeyContext::List);
                kind.or(failed)
                    .into_iter()
                    .chain(list)
                    .chain([KeyContext::Page, KeyContext::Global])
                    .collect()
            }
        }
    }

    fn browse_key(&mut self, key: Key) {
        if self.tabs.session_key(key, &mut self.cx).is_some() {
            return;
        }
        if self.tabs.form_key(key, &mut self.cx).is_some() {
            return;
        }
        if self.digit(key).is_some() {
            return;
        }
        let mut keys = match std::mem::take(&mut self.pending_keys) {
            PendingKeys::Sequence(keys) => keys,
            // Esc discards the number and stops nothing else.
            PendingKeys::Digits(_) if key.code() == Some(KeyCode::Esc) => return,
            PendingKeys::Digits(digits) => {
                self.pending_keys = PendingKeys::Digits(digits);
                Vec::new()
            }
            PendingKeys::None => Vec::new(),
        };
        if !keys.is_empty() && key.code() == Some(KeyCode::Esc) {
            return;
        }
        keys.push(key);
        match self.cx.keymap.find(&self.contexts(), &keys) {
            KeyMatch::Action(action) => self.act(action),
            KeyMatch::Prefix => {
                self.pending_keys = PendingKeys::Sequence(keys);
            }
            KeyMatch::Unbound => {
                match key.without_alt() {
                    // Terminals send Alt as an Esc before the key.
                    Some(plain) if keys.len() == 1 => {
                        self.act(Action::Stop);
                        self.browse_key(plain);
                    }
                    _ => {
                        self.pending_keys = PendingKeys::None;
                        let help = self.cx.key_of(Action::Help);
                        self.cx.notify(&format!(
                            "nothing is bound to {} here; {help} tells the keys",
                            write_keys(&keys)
                        ));
                    }
                }
            }
        }
    }

    /// Handles a digit of a link's number on pages with numbered links; `None` for any other key.
    fn digit(&mut self, key: Key) -> Option<()> {
        let numbered = self.cx.focus == Focus::Panes
            && self
                .tabs
                .page()
                .and_then(crate::app::Page::document)
                .is_some_and(|document| document.highest_link_number() > 0);
        if let PendingKeys::Digits(digits) = &mut self.pending_keys
            && key.code() == Some(KeyCode::Backspace)
        {
            digits.pop();
            if digits.is_empty() {
                self.pending_keys = PendingKeys::None;
            }
            return Some(());
        }
        let digit = key
            .character()
            .filter(char::is_ascii_digit)
            .filter(|_| numbered)?;
        match &mut self.pending_keys {
            PendingKeys::Digits(digits) if digits.len() < MAX_DIGITS => digits.push(digit),
            PendingKeys::Digits(_) | PendingKeys::Sequence(_) => {}
            PendingKeys::None if digit == '0' => {}
            PendingKeys::None => self.pending_keys = PendingKeys::Digits(digit.to_string()),
        }
        Some(())
    }

    /// Carries out an action from a key or the palette.
    pub(crate) fn act(&mut self, action: Action) {
        if let PendingKeys::Digits(digits) = std::mem::take(&mut self.pending_keys)
            && action.scope() == Scope::Link
            && !self.tabs.go_to_number(&digits, &mut self.cx)
        {
            return;
        }
        if let Some(pane) = self.tabs.pane_mut() {
            pane.cancel_run();
        }
        if self.cx.focus == Focus::Transfers && action.scope() == Scope::Page {
            // The user must see the page that the action works on.
            self.cx.focus = Focus::Panes;
        }
        self.carry_out(action);
    }

    /// Runs an action in its scope.
    pub(crate) fn carry_out(&mut self, action: Action) {
        match action.scope() {
            Scope::Bookmarks => {
                if self.cx.focus != Focus::Bookmarks {
                    self.cx.focus = Focus::Bookmarks;
                    self.bookmarks.sidebar.shown = true;
                }
                action.run(self);
                self.reveal_all();
            }
            Scope::Transfers if self.cx.focus != Focus::Transfers => {
                self.transfers.toggle(&mut self.cx)
            }
            Scope::Form if self.tabs.form(&self.cx).is_none() => {
                self.cx.notify("there is no form here")
            }
            Scope::Any | Scope::Link | Scope::Page | Scope::Transfers | Scope::Form => {
                action.run(self);
            }
        }
    }

    pub(crate) fn open_palette(&mut self) {
        self.show(Overlay::Palette(crate::app::Palette::default()));
    }

    /// Quits; asks first while downloads, transfers or a post are running.
    pub(crate) fn quit(&mut self) {
        match self.quit_question() {
            Some(question) => {
                let dialog = Dialog::confirm(&question, Command::Quit).declined(Vec::new());
                self.cx.ask(dialog);
            }
            None => self.cx.should_exit = true,
        }
    }

    /// Returns the question before quitting; `None` if nothing is running.
    fn quit_question(&self) -> Option<String> {
        if self.compose.is_sending() {
            return Some("It is being sent. Quit? The draft stays; it may have been taken.".into());
        }
        match self.transfers.queue.running().count() {
            0 if self.transfers.downloads.is_empty() => None,
            0 => Some("A file is being saved. Quit and leave it unfinished?".into()),
            1 => Some("A transfer is running. Quit? It can be gone on with.".into()),
            many => Some(format!(
                "{many} transfers are running. Quit? They can be gone on with."
            )),
        }
    }

    pub(crate) fn prompt(&mut self, prompt: Prompt) {
        self.show(Overlay::Prompt(prompt));
    }
}
