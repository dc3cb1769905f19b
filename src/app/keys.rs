//! The handling of keys: an overlay receives them first, then the keymap maps them to actions.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use super::action::{Action, Scope};
use super::prompt::{Prompt, PromptEvent, PromptKind, edit, paste};
use super::{App, Focus, Overlay, PendingKeys};
use crate::document::{Document, Shape};
use crate::keymap::{Context, Key, KeyMatch, write_keys};

/// The key that applies the URL fix in the bookmark form.
pub const FIX_KEY: &str = "Ctrl-R";

/// The largest number of digits of a link's number.
const MAX_DIGITS: usize = 9;

impl App {
    pub(super) fn key(&mut self, event: KeyEvent) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        let key = Key::of(event);
        if self.discards_key(Some(key)) {
            return;
        }
        self.notice = None;
        match self.overlay.take() {
            None => self.browse_key(key),
            Some(Overlay::Prompt(prompt)) => self.prompt_key(prompt, key),
            Some(Overlay::Form(form)) if Some(key) == Key::parse(FIX_KEY) => {
                self.repair_in_form(form);
            }
            Some(Overlay::Form(mut form)) => match form.key(key) {
                PromptEvent::Continue => self.show(Overlay::Form(form)),
                PromptEvent::Cancel => {}
                PromptEvent::Submit => self.submit_form(form),
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
            Some(Overlay::Choice(choice)) => self.choice_key(choice, key),
            Some(Overlay::Drafts(drafts)) => self.drafts_key(drafts, key),
            Some(Overlay::Info(_)) => {
                match key.code() {
                    // These keys close the panel. Any other key closes it too and has its usual effect.
                    Some(KeyCode::Esc | KeyCode::Enter | KeyCode::Char('i')) => {}
                    _ => self.browse_key(key),
                }
            }
            Some(Overlay::ConfirmQuit) => match key.character() {
                Some('y') => {
                    self.should_exit = true;
                }
                Some('n') => {}
                _ if key.is_cancel() => {}
                _ => self.show(Overlay::ConfirmQuit),
            },
        }
    }

    fn prompt_key(&mut self, mut prompt: Prompt, key: Key) {
        if self.recall_search(&mut prompt, key) {
            return self.show(Overlay::Prompt(prompt));
        }
        if let PromptKind::FindBookmarks = prompt.kind {
            return self.filter_key(prompt, key);
        }
        let is_filter = matches!(prompt.kind, PromptKind::Filter);
        match prompt.key(key) {
            PromptEvent::Continue if is_filter => {
                self.filter(prompt.input.value());
                self.show(Overlay::Prompt(prompt));
            }
            PromptEvent::Cancel if is_filter => self.filter(""),
            PromptEvent::Continue => self.show(Overlay::Prompt(prompt)),
            PromptEvent::Cancel => self.cancel_question(prompt.incoming().cloned()),
            PromptEvent::Submit => self.answer(prompt),
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if self.discards_key(None) {
            return;
        }
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => {
                prompt.paste(text);
                let words = prompt.input.value().to_owned();
                match prompt.kind {
                    PromptKind::Filter => self.filter(&words),
                    PromptKind::FindBookmarks => self.filter_by(&words),
                    _ => {}
                }
            }
            Some(Overlay::Form(form)) => paste(form.input_mut(), text),
            Some(Overlay::Palette(palette)) => paste(&mut palette.input, text),
            Some(
                Overlay::Choice(_)
                | Overlay::Drafts(_)
                | Overlay::Hints(_)
                | Overlay::Info(_)
                | Overlay::ConfirmQuit,
            ) => {}
            None => {
                if self.session_paste(text).is_some() {
                    return;
                }
                if let Some(form) = self.form_mut() {
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
    pub fn contexts(&self) -> Vec<Context> {
        match self.focus {
            Focus::Bookmarks => vec![Context::Bookmarks, Context::Global],
            Focus::Transfers => vec![Context::Transfers, Context::Global],
            Focus::Panes if self.form().is_some() => vec![Context::Form, Context::Global],
            Focus::Panes if self.page().is_some_and(|page| page.session().is_some()) => {
                vec![Context::Session, Context::Page, Context::Global]
            }
            Focus::Panes => {
                let document = self.page().and_then(super::Page::document);
                let failed = self.page().filter(|page| page.is_article());
                let failed = failed.map(|_| Context::Article);
                let kind = document.and_then(|document| match document.shape() {
                    Shape::Group => Some(Context::Group),
                    Shape::Article => Some(Context::Article),
                    Shape::Groups => Some(Context::Groups),
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
                    .then_some(Context::List);
                kind.or(failed)
                    .into_iter()
                    .chain(list)
                    .chain([Context::Page, Context::Global])
                    .collect()
            }
        }
    }

    fn browse_key(&mut self, key: Key) {
        if self.session_key(key).is_some() {
            return;
        }
        if self.form_key(key).is_some() {
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
        match self.keymap.find(&self.contexts(), &keys) {
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
                        let help = self.key_of(Action::Help);
                        self.notify(&format!(
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
        let numbered = self.focus == Focus::Panes
            && self
                .page()
                .and_then(super::Page::document)
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
    pub(super) fn act(&mut self, action: Action) {
        if let PendingKeys::Digits(digits) = std::mem::take(&mut self.pending_keys)
            && action.scope() == Scope::Link
            && !self.go_to_number(&digits)
        {
            return;
        }
        if let Some(pane) = self.pane_mut() {
            pane.cancel_run();
        }
        if self.focus == Focus::Transfers && action.scope() == Scope::Page {
            // The user must see the page that the action works on.
            self.focus = Focus::Panes;
        }
        self.carry_out(action);
    }

    /// Runs an action in its scope.
    pub(super) fn carry_out(&mut self, action: Action) {
        match action.scope() {
            Scope::Bookmarks => {
                if self.focus != Focus::Bookmarks {
                    self.focus = Focus::Bookmarks;
                    self.sidebar.shown = true;
                }
                action.run(self);
                self.reveal_all();
            }
            Scope::Transfers if self.focus != Focus::Transfers => self.toggle_transfers(),
            Scope::Form if self.form().is_none() => self.notify("there is no form here"),
            Scope::Any | Scope::Link | Scope::Page | Scope::Transfers | Scope::Form => {
                action.run(self);
            }
        }
    }

    pub(super) fn open_palette(&mut self) {
        self.show(Overlay::Palette(super::Palette::default()));
    }

    /// Quits; asks first while downloads, transfers or a post are running.
    pub(super) fn quit(&mut self) {
        let is_busy = !self.downloads.is_empty() || self.transfers.running().next().is_some();
        if !is_busy && !self.is_sending() {
            self.should_exit = true;
        } else {
            self.show(Overlay::ConfirmQuit);
        }
    }

    pub(super) fn prompt(&mut self, prompt: Prompt) {
        self.show(Overlay::Prompt(prompt));
    }
}
