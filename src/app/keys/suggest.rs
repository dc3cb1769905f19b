//! The keys of the prompt for a URL.

use crossterm::event::KeyCode;
use tui_input::Input;

use crate::app::dialogs::prompt::{Prompt, PromptEvent};
use crate::app::{App, OpenIn, Overlay};
use crate::keymap::Key;
use crate::url::mask;

impl App {
    /// Handles a key of the prompt for a URL.
    pub(super) fn url_key(&mut self, mut prompt: Prompt, key: Key) {
        let back = prompt.suggestions.chosen.is_none();
        match key.code() {
            Some(KeyCode::Up) if back => self.recall_address(&mut prompt, true),
            Some(KeyCode::Down) if self.dialogs.addresses.is_back() => {
                self.recall_address(&mut prompt, false);
            }
            Some(KeyCode::Down | KeyCode::Tab) => prompt.suggestions.next(),
            Some(KeyCode::Up | KeyCode::BackTab) => prompt.suggestions.previous(),
            _ => {
                let before = prompt.input.value().to_owned();
                match prompt.key(key) {
                    PromptEvent::Submit => return self.open_suggestion(prompt),
                    PromptEvent::Cancel => return self.dialogs.addresses.begin(),
                    PromptEvent::Continue if prompt.input.value() == before => {}
                    PromptEvent::Continue => self.suggest(&mut prompt),
                }
            }
        }
        self.cx.show(Overlay::Prompt(prompt));
    }

    /// Inserts pasted text into the prompt for a URL, and shows it.
    pub(super) fn paste_url(&mut self, mut prompt: Prompt, text: &str) {
        prompt.paste(text);
        self.suggest(&mut prompt);
        self.cx.show(Overlay::Prompt(prompt));
    }

    /// Finds the suggestions for the text of the prompt.
    fn suggest(&self, prompt: &mut Prompt) {
        let bookmarks = &self.bookmarks.sidebar.bookmarks;
        let (history, engine) = (self.library.history(), &self.cx.settings.search_engine);
        let typed = prompt.input.value().to_owned();
        let suggestions = &mut prompt.suggestions;
        let local_hosts = &self.cx.settings.local_hosts;
        suggestions.search(&typed, bookmarks, history, engine.as_ref(), local_hosts);
    }

    /// Goes to the URL that was typed before the shown one, or after it.
    fn recall_address(&mut self, prompt: &mut Prompt, back: bool) {
        let now = prompt.input.value();
        if let Some(text) = self.dialogs.addresses.step(back, now) {
            prompt.input = Input::new(text);
            self.suggest(prompt);
            prompt.suggestions.chosen = None;
        }
    }

    /// Opens the chosen suggestion, else the typed text.
    fn open_suggestion(&mut self, prompt: Prompt) {
        // Up shows the text again as it was typed; a password is not shown twice.
        let typed = prompt.input.value();
        if mask(typed) == typed {
            self.dialogs.addresses.add(typed, false);
        }
        match prompt.suggestions.entry().and_then(|entry| entry.page()) {
            Some((title, url)) => {
                let title = Some(title.clone()).filter(|title| !title.is_blank());
                self.cx.open(url.clone(), title, OpenIn::ThisPane);
            }
            None => self.answer(prompt),
        }
    }
}
