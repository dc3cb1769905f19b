//! The handling of keys and the mouse: an overlay receives them first, then the keymap maps them to actions.

mod palette;
pub mod sequence;
mod text_input;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseEvent, MouseEventKind};

use geomys_page::document::Shape;

use crate::action::{Action, Scope};
use crate::dialogs::text_input::{InputEvent, paste};
use crate::keymap::{Key, KeyContext, KeyMatch, Keymap, write_keys};
use crate::keys::palette::visits;
use crate::keys::text_input::InputParts;
use crate::library::sync::stop_sync;
use crate::motion::Motion;
use crate::mouse::{Click, MouseParts, Press};
use crate::tabs::groups::load_older_at_end;
use crate::tabs::pane::Pane;
use crate::view::context::ViewContext;
use crate::view::kind::ViewKind;
use crate::{
    App, BookmarksPane, Command, Context, Continuations, Dialog, Focus, OpenIn, Overlay, Page,
    PendingKeys, QuitKey,
};

/// The largest number of characters that tell where a key has a command.
const MAX_PLACES_CHARS: usize = 36;

/// The key that applies the URL fix in the bookmark form.
pub const FIX_KEY: &str = "Ctrl-R";

/// Returns true if the wheel was turned down, false if up; `None` if it was not turned.
fn wheel(event: MouseEvent) -> Option<bool> {
    match event.kind {
        MouseEventKind::ScrollDown => Some(true),
        MouseEventKind::ScrollUp => Some(false),
        _ => None,
    }
}

impl App {
    /// Goes back or forward, as the buttons of the mouse do.
    pub(crate) fn navigate(&mut self, forward: bool) {
        let action = if forward {
            Action::Forward
        } else {
            Action::Back
        };
        self.pressed_action(action);
    }

    pub(crate) fn mouse(&mut self, event: MouseEvent) {
        if let Some(press) = self.mouse.clicked(event) {
            return match press.effect {
                Some(click) => self.pressed(click, press),
                None => self.click(press),
            };
        }
        if let Some(overlay) = &self.dialogs.overlay
            && let Some(is_down) = wheel(event)
        {
            let key = overlay.wheel_key(is_down);
            // The wheel was turned for the page.
            if let Some(key) = key.filter(|_| !self.dialogs.is_locked()) {
                self.key(KeyEvent::from(key));
            }
            return;
        }
        self.pending_keys = PendingKeys::None;
        let mut parts = MouseParts {
            tabs: &mut self.tabs,
            bookmarks: &mut self.bookmarks,
            transfers: &mut self.transfers,
            dialogs: &mut self.dialogs,
        };
        self.mouse.update(event, &mut parts, &mut self.cx);
    }

    /// Handles a click where nothing looks pressable.
    fn click(&mut self, press: Press) {
        self.pending_keys = PendingKeys::None;
        let mut parts = MouseParts {
            tabs: &mut self.tabs,
            bookmarks: &mut self.bookmarks,
            transfers: &mut self.transfers,
            dialogs: &mut self.dialogs,
        };
        parts.click(press, &mut self.cx);
    }

    /// Carries out a click on an element that looks pressable.
    fn pressed(&mut self, click: Click, press: Press) {
        match click {
            Click::Field(index, line) => {
                self.click(press);
                let form = self.tabs.page_mut().and_then(Page::form_mut);
                if form.is_some_and(|form| form.choose(index, line)) {
                    self.key(KeyEvent::from(KeyCode::Enter));
                }
            }
            Click::Press(key) => self.key(key.event()),
            Click::Choose(index) => {
                // A question that has just opened keeps its safe button.
                if self.dialogs.discards_click(&mut self.cx) {
                    return;
                }
                let overlay = self.dialogs.overlay.as_mut();
                if overlay.is_some_and(|overlay| overlay.choose(index)) {
                    self.key(KeyEvent::from(KeyCode::Enter));
                }
            }
            Click::Act(action) => self.pressed_action(action),
        }
    }

    /// Runs an action that the mouse has chosen; none while an element is above the page.
    fn pressed_action(&mut self, action: Action) {
        if self.dialogs.overlay.is_none() {
            self.cx.inputs += 1;
            self.cx.pages_changed();
            self.cx.questions_changed();
            self.cx.clear_notice(false);
            self.continuations = Continuations::default();
            self.pending_keys = PendingKeys::None;
            self.act(action);
        }
    }

    pub(crate) fn key(&mut self, event: KeyEvent) {
        if event.kind == KeyEventKind::Release {
            return;
        }
        self.cx.inputs += 1;
        // A key can scroll a page, and end the typing that a question waits for.
        self.cx.pages_changed();
        self.cx.questions_changed();
        let key = Key::of(event);
        self.quit_key.see(key);
        if self.dialogs.discards_key(Some(key), &mut self.cx) {
            return;
        }
        let overlay = self.dialogs.overlay.as_ref();
        let is_typing = overlay.is_some_and(|overlay| !matches!(overlay, Overlay::Info(_)));
        self.cx.clear_notice(is_typing);
        self.continuations = Continuations::default();
        match self.dialogs.overlay.take() {
            None => self.page_key(event),
            Some(Overlay::Form(form)) if Some(key) == Key::parse(FIX_KEY) => {
                self.bookmarks
                    .repair_in_form(form, &self.tabs, &mut self.cx);
            }
            Some(Overlay::Form(mut form)) => match form.key(key) {
                InputEvent::Continue | InputEvent::Edit => self.cx.show(Overlay::Form(form)),
                InputEvent::Cancel => {}
                InputEvent::Submit => self.bookmarks.submit_form(form, &mut self.cx),
            },
            Some(Overlay::Hints(mut hints)) => {
                let key = key.latin().unwrap_or(key);
                if let Some(letter) = key.character() {
                    hints.typed.push(letter);
                    match hints.chosen() {
                        Some((row, link)) => {
                            if let Some((rows, _)) = self.tabs.rows_mut(&self.cx) {
                                rows.position.cursor = row;
                                rows.position.link = Some(link);
                            }
                            self.open_selected(OpenIn::ThisPane);
                        }
                        None if hints.is_possible() => self.cx.show(Overlay::Hints(hints)),
                        None => {}
                    }
                }
            }
            Some(Overlay::Palette(palette)) => palette.key(key, &mut self.cx),
            Some(Overlay::Help(help)) => help.key(key, &mut self.cx),
            Some(Overlay::Dialog(dialog)) => self.input_parts().dialog_key(dialog, key),
            Some(Overlay::Drafts(drafts)) => {
                self.compose
                    .drafts_key(drafts, key, &self.tabs, &mut self.cx);
            }
            Some(Overlay::Info(_)) => {
                match key.code() {
                    // These keys close the panel. Any other key closes it too and has its usual effect.
                    Some(KeyCode::Esc | KeyCode::Enter | KeyCode::Char('i')) => {}
                    // The panel lists the cookies of the page.
                    Some(KeyCode::Char('X')) if self.remove_cookie() => {}
                    _ => self.page_key(event),
                }
            }
        }
    }

    /// Finds what an open palette or prompt shows of bookmarks and visits again: they were read, or have changed.
    pub(crate) fn search_pages_again(&mut self) {
        match self.dialogs.overlay.take() {
            Some(Overlay::Palette(mut palette)) => {
                palette.set_pages(self.bookmarks.searched(&self.cx), visits(&self.library));
                self.dialogs.overlay = Some(Overlay::Palette(palette));
            }
            Some(Overlay::Dialog(mut dialog)) => {
                self.input_parts().suggest_again(&mut dialog);
                self.dialogs.overlay = Some(Overlay::Dialog(dialog));
            }
            other => self.dialogs.overlay = other,
        }
    }

    fn input_parts(&mut self) -> InputParts<'_> {
        InputParts {
            tabs: &mut self.tabs,
            bookmarks: &mut self.bookmarks,
            transfers: &mut self.transfers,
            library: &self.library,
            compose: &mut self.compose,
            dialogs: &mut self.dialogs,
            credentials: &mut self.credentials,
            cx: &mut self.cx,
        }
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.cx.inputs += 1;
        self.cx.pages_changed();
        if self.dialogs.discards_key(None, &mut self.cx) {
            return;
        }
        let is_dialog = |overlay: &mut Overlay| matches!(overlay, Overlay::Dialog(_));
        if let Some(Overlay::Dialog(dialog)) = self.dialogs.overlay.take_if(is_dialog) {
            return self.input_parts().paste_into(dialog, text);
        }
        match &mut self.dialogs.overlay {
            Some(Overlay::Form(form)) => form.paste(text),
            Some(Overlay::Palette(palette)) => {
                paste(&mut palette.input, text);
                palette.search();
            }
            Some(Overlay::Help(help)) => paste(&mut help.input, text),
            Some(
                Overlay::Dialog(_) | Overlay::Drafts(_) | Overlay::Hints(_) | Overlay::Info(_),
            ) => {}
            None => {
                let paste =
                    |view: &mut dyn ViewKind, at: &mut ViewContext<'_>| view.paste(text, at);
                if self.tabs.have_done(&mut self.cx, paste) {
                    return;
                }
                // Pasted text becomes an address to open. The user still has to press Enter.
                self.input_parts()
                    .paste_into(Box::new(Dialog::url_input()), text);
            }
        }
    }

    fn page_key(&mut self, event: KeyEvent) {
        if self
            .tabs
            .have_done(&mut self.cx, |view, at| view.key(event, at))
        {
            return;
        }
        let key = Key::of(event);
        if self.puts_task_off(key) {
            return;
        }
        let is_numbered =
            self.cx.focus == Focus::Panes && self.tabs.page().is_some_and(Page::has_link_numbers);
        if self.pending_keys.take_digit(key, is_numbered) {
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
        match self.cx.keymap.find(&self.tabs.contexts(&self.cx), &keys) {
            KeyMatch::Action(Action::Stop) if QuitKey::is(key) && !self.is_in_session() => {
                self.pending_keys = PendingKeys::None;
                if !self.stop() && self.quit_key.press(&mut self.cx) {
                    self.quit();
                }
            }
            KeyMatch::Action(action) => self.act(action),
            KeyMatch::Prefix => {
                self.pending_keys = PendingKeys::Sequence(keys);
                self.continuations.schedule(&mut self.cx);
            }
            KeyMatch::Unbound => {
                if event.modifiers.contains(KeyModifiers::ALT) && keys.len() == 1 {
                    // Terminals send Alt as an Esc before the key. In a session, Esc would give the session the next
                    // keys.
                    if !self.is_in_session() {
                        self.act(Action::Stop);
                    }
                    let modifiers = event.modifiers - KeyModifiers::ALT;
                    return self.page_key(KeyEvent { modifiers, ..event });
                }
                self.pending_keys = PendingKeys::None;
                let advice = elsewhere(&self.cx.keymap, &keys)
                    .unwrap_or_else(|| format!("({} help)", self.cx.key_of(Action::Help)));
                let written = write_keys(&keys);
                self.cx.notify(&format!("No command on {written} {advice}"));
            }
        }
    }

    /// Returns true if a terminal session has the focus.
    fn is_in_session(&self) -> bool {
        let page = self.tabs.page().filter(|_| self.cx.focus == Focus::Panes);
        page.is_some_and(|page| page.state.is_in_session())
    }

    /// Carries out an action from a key or the palette.
    pub(crate) fn act(&mut self, action: Action) {
        if let PendingKeys::Digits(digits) = std::mem::take(&mut self.pending_keys)
            && action.scope() == Scope::Link
            && !self.tabs.go_to_number(&digits, &mut self.cx)
        {
            return;
        }
        if self.tabs.keeps_session(action, &mut self.cx) {
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
        if self
            .tabs
            .have_done(&mut self.cx, |view, at| view.act(action, at))
        {
            return;
        }
        match action.scope() {
            // The user must see the list, and what is selected in it, before anything in it changes.
            Scope::Bookmarks if self.cx.focus != Focus::Bookmarks => {
                self.cx.focus = Focus::Bookmarks;
                self.bookmarks.sidebar.shown = true;
                self.cx.reveal_all();
                notify_list_opened("bookmark", action, &mut self.cx);
            }
            Scope::Transfers if self.cx.focus != Focus::Transfers => {
                self.transfers.toggle(&mut self.cx);
                notify_list_opened("transfer", action, &mut self.cx);
            }
            Scope::Bookmarks => {
                action.run(self);
                self.cx.reveal_all();
            }
            Scope::Any | Scope::Link | Scope::Page | Scope::Transfers => {
                action.run(self);
            }
        }
    }

    /// Moves the cursor of the part with the focus.
    pub(crate) fn move_cursor(&mut self, motion: Motion) {
        match self.cx.focus {
            Focus::Bookmarks => self.bookmarks.move_cursor(motion, &self.cx),
            Focus::Transfers => self.transfers.move_cursor(motion, &self.cx),
            Focus::Panes => {
                self.tabs.move_cursor(motion, &mut self.cx);
                load_older_at_end(self.tabs.page(), motion, &mut self.cx);
                self.tabs.follow_cursor(&mut self.cx);
            }
        }
    }

    /// Moves to the next or the previous link if it is on the screen, else one row.
    pub(crate) fn step_link_or_scroll(&mut self, forward: bool) {
        let rows = self.tabs.rows_mut(&self.cx);
        if rows.is_some_and(|(rows, area)| rows.on_screen(area).has_link(forward)) {
            let step = if forward {
                Action::NextLink
            } else {
                Action::PreviousLink
            };
            self.tabs
                .have_done(&mut self.cx, |view, at| view.act(step, at));
            self.tabs.follow_cursor(&mut self.cx);
        } else {
            self.move_cursor(Motion::Rows(if forward { 1 } else { -1 }));
        }
    }

    /// Moves one screen down; at the end of an article, goes on to the next unread one, in the next group after the
    /// last.
    pub(crate) fn read_on(&mut self) {
        let is_page = self.cx.focus == Focus::Panes;
        if is_page && self.waits_for_marks(Action::ReadOn) {
            return;
        }
        let tab = self.tabs.tab();
        let has_article = tab.is_some_and(|tab| tab.article_pane(&self.cx).is_some());
        if has_article && self.tabs.scroll_article_beside(&mut self.cx) {
            return;
        }
        if has_article
            || is_page
                && self
                    .tabs
                    .tab()
                    .is_some_and(|tab| tab.is_at_end_of_article(&self.cx))
            || is_page && self.news.lists_unread(&self.tabs)
        {
            self.news.read_on(&mut self.tabs, &mut self.cx);
        } else {
            self.move_cursor(Motion::Screens(1, 1));
        }
    }

    /// Goes to the next unread article, or new entry.
    pub(crate) fn next_unread(&mut self) {
        if !self.waits_for_marks(Action::NextUnread) {
            self.news.next_unread(&mut self.tabs, &mut self.cx);
        }
    }

    /// Goes to the next group with unread articles.
    pub(crate) fn next_group(&mut self) {
        if !self.waits_for_marks(Action::NextGroup) {
            self.news.next_group(&self.tabs, &mut self.cx);
        }
    }

    fn waits_for_marks(&mut self, action: Action) -> bool {
        self.news.waits_for_marks(action, &self.tabs, &mut self.cx)
    }

    /// Undoes the last change, of bookmarks or of marks.
    pub(crate) fn undo(&mut self) {
        if self.news.history.last_change() > self.bookmarks.changes.last_change() {
            self.news.undo(&mut self.tabs, &mut self.cx);
        } else {
            self.bookmarks.undo(&mut self.cx);
        }
    }

    /// Redoes the change that was undone last.
    pub(crate) fn redo(&mut self) {
        if self.news.history.last_undone() > self.bookmarks.changes.last_undone() {
            self.news.redo(&mut self.tabs, &mut self.cx);
        } else {
            self.bookmarks.redo(&mut self.cx);
        }
    }

    /// Moves the focus to the next or the previous pane. The bookmarks are the leftmost one.
    pub(crate) fn move_focus(&mut self, forward: bool) {
        let bookmarks = usize::from(self.bookmarks.sidebar.shown);
        let Some(tab) = self.tabs.tab_mut() else {
            return;
        };
        let count = tab.count() + bookmarks;
        let at = match self.cx.focus {
            Focus::Bookmarks => 0,
            Focus::Panes | Focus::Transfers => tab.focus() + bookmarks,
        };
        let to = if forward { at + 1 } else { at + count - 1 } % count;
        self.cx.focus = match to.checked_sub(bookmarks) {
            None => Focus::Bookmarks,
            Some(pane) => {
                tab.set_focus(pane);
                Focus::Panes
            }
        };
        self.cx.reveal_all();
    }

    /// Closes the pane with the focus. The bookmarks are only hidden.
    pub(crate) fn close_pane(&mut self) {
        match self.cx.focus {
            Focus::Bookmarks => self.bookmarks.toggle(&mut self.cx),
            Focus::Transfers => self.transfers.toggle(&mut self.cx),
            Focus::Panes => self.tabs.close_pane(&mut self.cx),
        }
    }

    /// Goes one level back: to the page before, from an article or a group without one to what it is in; else quits. A
    /// list of groups is in nothing, even if one of its groups was shown before it.
    pub(crate) fn back_or_quit(&mut self) {
        let has = |contexts: &[KeyContext], context| contexts.contains(&context);
        let contexts = self.tabs.contexts(&self.cx);
        let before = self.tabs.pane().and_then(Pane::page_before);
        let is_inner =
            before.is_some_and(|page| matches!(page.shape(), Some(Shape::Group | Shape::Article)));
        let is_groups = has(&contexts, KeyContext::Groups);
        let is_inside = has(&contexts, KeyContext::Article) || has(&contexts, KeyContext::Group);
        self.act(match before {
            _ if self.cx.focus != Focus::Panes => Action::Quit,
            Some(_) if !(is_groups && is_inner) => Action::Back,
            None if is_inside => Action::Up,
            Some(_) | None => Action::Quit,
        });
    }

    /// Quits; asks first while downloads, transfers or a post are running.
    pub(crate) fn quit(&mut self) {
        let question = if self.compose.is_sending() {
            "A draft is being sent. Quit? It stays as a draft.".to_owned()
        } else if self.library.sync.running.is_some() {
            "Quit while a sync is running? The next one continues.".to_owned()
        } else {
            let running = self.transfers.queue.running();
            let (private, resumed): (Vec<_>, Vec<_>) =
                running.partition(|item| item.request.is_private());
            match private.len() + resumed.len() {
                0 if self.transfers.downloads().is_empty() => match self.tabs.tabs().len() {
                    count @ 2.. if self.library.session.loses_tabs(&self.cx) => {
                        format!("{count} tabs are open. Quit?")
                    }
                    _ => {
                        self.cx.should_exit = true;
                        return;
                    }
                },
                0 => "A file is being saved. Quit and leave it unfinished?".to_owned(),
                _ => quit_question(private.len(), resumed.len()),
            }
        };
        let dialog = Dialog::confirm(&question, Command::Quit).declined(Vec::new());
        self.cx.ask(dialog);
    }

    /// Stops the first of these that is active: a load, a find, a filter, a download, a sync, a link check, a fetch of
    /// titles. Returns false if none is.
    pub(crate) fn stop(&mut self) -> bool {
        let (tabs, bookmarks, cx) = (&mut self.tabs, &mut self.bookmarks, &mut self.cx);
        if cx.focus == Focus::Transfers {
            self.transfers.toggle(cx);
            return true;
        }
        let is_loading = tabs.pane().is_some_and(Pane::is_loading);
        cx.focus == Focus::Bookmarks && bookmarks.stop_background(cx)
            || bookmarks.stop_in_bookmarks(cx)
            || !is_loading && BookmarksPane::close_drawer(cx)
            || self.compose.stop_draft(cx)
            || tabs.pane_mut().is_some_and(|pane| pane.stop(cx))
            || self.transfers.stop_download(cx)
            || stop_sync(&mut self.library, cx)
            || bookmarks.stop_background(cx)
    }
}

/// Tells how to run an action on an entry of the list that it has just opened.
fn notify_list_opened(entry: &str, action: Action, cx: &mut Context) {
    let key = cx.key_of(action);
    cx.notify(&format!("Choose a {entry}, then press {key}"));
}

/// Returns where keys without a command have one, as `here (in a group: follow up)`; `None` if they have none anywhere.
fn elsewhere(keymap: &Keymap, keys: &[Key]) -> Option<String> {
    let mut places = String::new();
    for (context, action) in keymap.meanings(keys) {
        let place = format!("{}: {}", context.heading(), action.name().replace('-', " "));
        let place = place.to_lowercase();
        if places.is_empty() {
            places = place;
        } else if places.len() + place.len() <= MAX_PLACES_CHARS {
            places.extend(["; ", &place]);
        }
    }
    (!places.is_empty()).then(|| format!("here ({places})"))
}

/// Returns the question before the browser ends while downloads run: these of private tabs, which no list remembers,
/// and these that resume.
fn quit_question(private: usize, resumed: usize) -> String {
    let resumed = match resumed {
        0 => None,
        1 => Some("1 download resumes next time".to_owned()),
        many => Some(format!("{many} downloads resume next time")),
    };
    let private = match private {
        0 => None,
        1 => Some("1 private download ends".to_owned()),
        many => Some(format!("{many} private downloads end")),
    };
    let all: Vec<String> = resumed.into_iter().chain(private).collect();
    format!("Quit? {}.", all.join(", "))
}
