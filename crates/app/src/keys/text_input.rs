//! The keys of a line of input, what a typed text shows at once, and what it does at Enter.

use crossterm::event::KeyCode;
use geomys_load::Reason;
use geomys_wire::text::Text;
use rfc1738::mask;
use tui_input::Input;

use crate::dialogs::dialog::AnswerMethod;
use crate::dialogs::palette::{PaletteEntry, commands};
use crate::dialogs::text_input::{
    BookmarkInput, InputCommand, InputEvent, LINE_END, RequestInput, TextInput, paste,
};
use crate::dialogs::words::is_known;
use crate::keymap::Key;
use crate::library::message::IdentityChange;
use crate::{
    BookmarksPane, Command, Compose, Context, Credentials, Dialog, Dialogs, Effect, Library,
    LibraryCommand, Overlay, Tabs, Transfers,
};

/// The parts that a line of input shows its text in, or that get it.
pub(super) struct InputParts<'a> {
    pub(super) tabs: &'a mut Tabs,
    pub(super) bookmarks: &'a mut BookmarksPane,
    pub(super) transfers: &'a mut Transfers,
    pub(super) library: &'a Library,
    pub(super) compose: &'a mut Compose,
    pub(super) dialogs: &'a mut Dialogs,
    pub(super) credentials: &'a mut Credentials,
    pub(super) cx: &'a mut Context,
}

impl InputParts<'_> {
    /// Handles a key of a question.
    pub(super) fn dialog_key(&mut self, mut dialog: Box<Dialog>, key: Key) {
        let AnswerMethod::Text(input) = &mut dialog.answer_method else {
            return dialog.key(key, self.cx);
        };
        match self.input_key(input, key) {
            InputEvent::Continue => self.cx.show(Overlay::Dialog(dialog)),
            InputEvent::Cancel => dialog.cancel(self.cx),
            InputEvent::Edit => {
                let text = input.input.value().replace(LINE_END, "\n");
                let editor = self.cx.settings.author.editor.clone();
                self.cx.emit(Effect::EditText(editor, text));
                self.cx.show(Overlay::Dialog(dialog));
            }
            InputEvent::Submit => {
                if let Err(remark) = self.submit(input) {
                    input.remark = remark.or(input.remark.take());
                    self.cx.show(Overlay::Dialog(dialog));
                }
            }
        }
    }

    /// Inserts pasted text into a line of input. Other questions ignore it.
    pub(super) fn paste_into(&mut self, mut dialog: Box<Dialog>, text: &str) {
        if let AnswerMethod::Text(input) = &mut dialog.answer_method {
            if input.takes_lines() {
                let lines: Vec<&str> = text.trim_end().lines().collect();
                paste(&mut input.input, &lines.join(&LINE_END.to_string()));
            } else {
                paste(&mut input.input, text);
            }
            self.follow_input(input);
        }
        self.cx.show(Overlay::Dialog(dialog));
    }

    fn input_key(&mut self, input: &mut TextInput, key: Key) -> InputEvent {
        let special = match input.command {
            InputCommand::Open => self.suggestion_key(input, key),
            InputCommand::Request(_, RequestInput::Search) => {
                self.dialogs.recall_search(input, key)
            }
            InputCommand::Bookmarks(BookmarkInput::Filter) => {
                self.bookmarks.filter_key(key, self.cx)
            }
            InputCommand::Find(_)
            | InputCommand::Filter
            | InputCommand::MarkPattern
            | InputCommand::Article
            | InputCommand::Request(..)
            | InputCommand::Path(_)
            | InputCommand::Author(_)
            | InputCommand::RenameIdentity(_)
            | InputCommand::Bookmarks(_) => None,
        };
        if let Some(event) = special {
            return event;
        }
        let before = input.input.value().to_owned();
        let event = input.key(key);
        match event {
            InputEvent::Continue if input.input.value() != before => self.follow_input(input),
            InputEvent::Cancel => self.leave_input(&input.command),
            InputEvent::Continue | InputEvent::Submit | InputEvent::Edit => {}
        }
        event
    }

    /// Shows the suggestions or the matches for a text that has changed.
    fn follow_input(&mut self, input: &mut TextInput) {
        let words = input.input.value();
        match &input.command {
            InputCommand::Open => self.suggest(input),
            InputCommand::Find(origin) => {
                self.tabs.ask(self.cx, |view, at| {
                    if let Some(rows) = view.rows_mut() {
                        rows.find_typed(words, origin, at);
                    }
                });
            }
            InputCommand::Filter => self.filter(words),
            InputCommand::Bookmarks(BookmarkInput::Filter) => {
                let bookmarks = &mut *self.bookmarks;
                let checks = &bookmarks.checks;
                bookmarks.sidebar.filter_by(words, checks, self.cx);
            }
            InputCommand::Request(..) => input.count(),
            InputCommand::MarkPattern
            | InputCommand::Article
            | InputCommand::Path(_)
            | InputCommand::Author(_)
            | InputCommand::RenameIdentity(_)
            | InputCommand::Bookmarks(_) => {}
        }
    }

    /// Filters the rows of the page.
    fn filter(&mut self, words: &str) {
        self.tabs.ask(self.cx, |view, at| {
            if let Some(rows) = view.rows_mut() {
                rows.filter(words, at.cx);
            }
        });
    }

    /// Removes what was shown for a text that was cancelled.
    fn leave_input(&mut self, command: &InputCommand) {
        match command {
            InputCommand::Open => self.dialogs.addresses.begin(),
            InputCommand::Find(origin) => {
                if let Some((rows, _)) = self.tabs.rows_mut(self.cx) {
                    rows.leave_find(origin.as_ref().clone());
                }
            }
            InputCommand::Filter => self.filter(""),
            InputCommand::Bookmarks(BookmarkInput::Filter) => {
                self.bookmarks.sidebar.clear_filter(self.cx);
            }
            InputCommand::MarkPattern
            | InputCommand::Article
            | InputCommand::Request(..)
            | InputCommand::Path(_)
            | InputCommand::Author(_)
            | InputCommand::RenameIdentity(_)
            | InputCommand::Bookmarks(_) => {}
        }
    }

    /// Carries out the command of a submitted text. A text that is refused is an error; with the new remark about it,
    /// if there is one.
    fn submit(&mut self, input: &TextInput) -> Result<(), Option<Text>> {
        let (tabs, cx) = (&mut *self.tabs, &mut *self.cx);
        let answer = input.input.value();
        match input.command.clone() {
            InputCommand::Open => return self.open_input(input),
            InputCommand::Article => {
                let url = tabs.typed_article(answer);
                let url = url.map_err(|why| Some(Text::of(&why)))?;
                self.dialogs.open_typed(url, Reason::Typed, cx);
            }
            InputCommand::Find(origin) => {
                tabs.ask(cx, |view, at| {
                    if let Some(rows) = view.rows_mut() {
                        rows.keep_find(answer, *origin, at);
                    }
                });
            }
            InputCommand::Filter => self.filter(answer),
            InputCommand::MarkPattern => {
                if let Some((rows, _)) = tabs.rows_mut(cx) {
                    rows.marks.mark_pattern(answer, &rows.document, cx);
                }
            }
            InputCommand::Request(pending, input) => {
                let (dialogs, credentials) = (&mut *self.dialogs, &mut *self.credentials);
                return dialogs.answer_request(*pending, input, answer, credentials, tabs, cx);
            }
            InputCommand::Path(input) => self.transfers.answer(input, answer, tabs, cx),
            InputCommand::Author(kind) => {
                return self.compose.name_author(answer, *kind, tabs, cx);
            }
            InputCommand::Bookmarks(input) => self.bookmarks.answer(input, answer, cx),
            InputCommand::RenameIdentity(name) => {
                let new = answer.trim().to_owned();
                if new.is_empty() {
                    return Err(None);
                }
                if new != name {
                    let rename = IdentityChange::Rename { name, new };
                    cx.command(LibraryCommand::ChangeIdentity(rename));
                }
            }
        }
        Ok(())
    }

    /// Handles a key that chooses a suggestion or recalls an earlier URL. Returns `None` for other keys.
    fn suggestion_key(&mut self, input: &mut TextInput, key: Key) -> Option<InputEvent> {
        let suggestions = input.suggestions.as_mut()?;
        match key.code() {
            Some(KeyCode::Up) if suggestions.chosen.is_none() => self.recall_address(input, true),
            Some(KeyCode::Down) if self.dialogs.addresses.is_back() => {
                self.recall_address(input, false);
            }
            Some(KeyCode::Down | KeyCode::Tab) => suggestions.next(),
            Some(KeyCode::Up | KeyCode::BackTab) => suggestions.previous(),
            _ => return None,
        }
        Some(InputEvent::Continue)
    }

    /// Finds the suggestions for the text of a line that has some.
    fn suggest(&self, input: &mut TextInput) {
        let bookmarks = self.bookmarks.searched(self.cx);
        let pages = (&bookmarks, self.library.history());
        let settings = &self.cx.settings;
        if let Some(suggestions) = &mut input.suggestions {
            let typed = input.input.value();
            let named = if is_known(typed) {
                let contexts = self.tabs.contexts(self.cx);
                PaletteEntry::named_by(&commands(&self.cx.keymap, &contexts, settings), typed)
            } else {
                Vec::new()
            };
            let engine = settings.search_engine.as_ref();
            suggestions.search(typed, pages, named, engine, &settings.local_hosts);
        }
    }

    /// Finds the suggestions again, after bookmarks or visits were read or have changed. The chosen one stays chosen.
    pub(super) fn suggest_again(&mut self, dialog: &mut Dialog) {
        let AnswerMethod::Text(input) = &mut dialog.answer_method else {
            return;
        };
        let Some(suggestions) = &mut input.suggestions else {
            return;
        };
        let chosen = suggestions.entry().cloned();
        suggestions.forget_pages();
        self.suggest(input);
        if let Some(suggestions) = &mut input.suggestions {
            let mut entries = suggestions.list.iter();
            suggestions.chosen = match chosen {
                None => None,
                Some(chosen) => entries
                    .position(|entry| *entry == chosen)
                    .or(suggestions.chosen),
            };
        }
    }

    /// Goes to the URL that was typed before the shown one, or after it.
    fn recall_address(&mut self, input: &mut TextInput, back: bool) {
        let now = input.input.value();
        if let Some(text) = self.dialogs.addresses.step(back, now) {
            input.input = Input::new(text);
            self.suggest(input);
            if let Some(suggestions) = &mut input.suggestions {
                suggestions.chosen = None;
            }
        }
    }

    /// Opens the chosen suggestion, else the typed text. The opened URL is the one that the dialog shows.
    fn open_input(&mut self, input: &TextInput) -> Result<(), Option<Text>> {
        let typed = input.input.value();
        // Up shows the text again as it was typed; a password is not shown twice.
        if input.suggestions.is_some() && mask(typed) == typed {
            self.dialogs.addresses.add(typed, false);
        }
        if let Some(entry) = input.suggested() {
            self.cx.command(Command::Run(Box::new(entry.clone())));
        } else if !typed.trim().is_empty() {
            let url = self.bookmarks.parse_and_fix(typed, self.tabs, self.cx);
            let url = url.map_err(|_| None)?;
            self.dialogs.open_typed(url, Reason::Typed, self.cx);
        }
        Ok(())
    }
}
