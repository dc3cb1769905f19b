//! Keys: first to what stands over the page, then through the keymap to an action.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};

use super::action::Action;
use super::prompt::{Prompt, Typed, Wants, edit, paste};
use super::write::DraftJob;
use super::{App, Effect, Focus, Overlay, Pending};
use crate::document::{Document, Shape};
use crate::keymap::{Context, Key, Meaning, write_keys};

/// The key that takes the repair in the form of a bookmark.
pub const REPAIR: &str = "Ctrl-R";

/// Digits that a link's number can have.
const DIGITS: usize = 9;

impl App {
    pub(super) fn key(&mut self, event: KeyEvent) -> Vec<Effect> {
        if event.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let key = Key::of(event);
        if self.discards(Some(key)) {
            return Vec::new();
        }
        self.notice = None;
        match self.overlay.take() {
            None => self.browse_key(key),
            Some(Overlay::Prompt(prompt)) => self.prompt_key(prompt, key),
            Some(Overlay::Form(form)) if Some(key) == Key::parse(REPAIR) => {
                self.repair_in_form(form)
            }
            Some(Overlay::Form(mut form)) => match form.key(key) {
                Typed::On => self.keep_overlay(Overlay::Form(form)),
                Typed::Left => Vec::new(),
                Typed::Done => self.submit_form(form),
            },
            Some(Overlay::Hints(mut hints)) => match key.typed() {
                Some(letter) => {
                    hints.typed.push(letter);
                    match hints.chosen() {
                        Some((row, link)) => self.open_hint(row, link),
                        None if hints.is_possible() => self.keep_overlay(Overlay::Hints(hints)),
                        None => Vec::new(),
                    }
                }
                None => Vec::new(),
            },
            Some(Overlay::Palette(mut palette)) => {
                let count = palette.actions().len();
                match key.code() {
                    Some(KeyCode::Esc) => Vec::new(),
                    Some(KeyCode::Enter) => palette
                        .action()
                        .map_or(Vec::new(), |action| self.act(action)),
                    Some(KeyCode::Down | KeyCode::Tab) => {
                        palette.chosen = (palette.chosen + 1).min(count.saturating_sub(1));
                        self.keep_overlay(Overlay::Palette(palette))
                    }
                    Some(KeyCode::Up | KeyCode::BackTab) => {
                        palette.chosen = palette.chosen.saturating_sub(1);
                        self.keep_overlay(Overlay::Palette(palette))
                    }
                    _ if key.leaves() => Vec::new(),
                    _ => {
                        if edit(&mut palette.input, key) {
                            palette.chosen = 0;
                        }
                        self.keep_overlay(Overlay::Palette(palette))
                    }
                }
            }
            Some(Overlay::Choice(choice)) => self.choice_key(choice, key),
            Some(Overlay::Drafts(drafts)) => self.drafts_key(drafts, key),
            Some(Overlay::Info(_)) => match key.code() {
                // It is read and gone; any other key means what it means without it.
                Some(KeyCode::Esc | KeyCode::Enter | KeyCode::Char('i')) => Vec::new(),
                _ => self.browse_key(key),
            },
            Some(Overlay::ConfirmQuit) => match key.typed() {
                Some('y') => {
                    self.is_over = true;
                    Vec::new()
                }
                Some('n') => Vec::new(),
                _ if key.leaves() => Vec::new(),
                _ => self.keep_overlay(Overlay::ConfirmQuit),
            },
        }
    }

    fn prompt_key(&mut self, mut prompt: Prompt, key: Key) -> Vec<Effect> {
        if self.recall(&mut prompt, key) {
            return self.keep_overlay(Overlay::Prompt(prompt));
        }
        if let Wants::Bookmarks = prompt.wants {
            return self.filter_key(prompt, key);
        }
        let is_filter = matches!(prompt.wants, Wants::Filter);
        match prompt.key(key) {
            Typed::On if is_filter => {
                let effects = self.filter(prompt.input.value());
                self.overlay = Some(Overlay::Prompt(prompt));
                effects
            }
            Typed::Left if is_filter => self.filter(""),
            Typed::On => self.keep_overlay(Overlay::Prompt(prompt)),
            Typed::Left => self.leave_question(prompt.incoming().cloned()),
            Typed::Done => self.answer(prompt),
        }
    }

    pub(super) fn paste(&mut self, text: &str) -> Vec<Effect> {
        if self.discards(None) {
            return Vec::new();
        }
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => {
                prompt.paste(text);
                let words = prompt.input.value().to_owned();
                match prompt.wants {
                    Wants::Filter => return self.filter(&words),
                    Wants::Bookmarks => return self.filter_by(&words),
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
                if let Some(effects) = self.session_paste(text) {
                    return effects;
                }
                if let Some(form) = self.form_mut() {
                    form.paste(text);
                    return Vec::new();
                }
                // A pasted address is what somebody wants to open; Enter is still theirs to press.
                let mut prompt = Prompt::new(Wants::Url, "");
                prompt.paste(text);
                self.overlay = Some(Overlay::Prompt(prompt));
            }
        }
        Vec::new()
    }

    /// Contexts whose keys count now, the nearest first.
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

    fn keep_overlay(&mut self, overlay: Overlay) -> Vec<Effect> {
        self.overlay = Some(overlay);
        Vec::new()
    }

    fn browse_key(&mut self, key: Key) -> Vec<Effect> {
        if let Some(effects) = self.session_key(key) {
            return effects;
        }
        if let Some(effects) = self.form_key(key) {
            return effects;
        }
        if let Some(effects) = self.digit(key) {
            return effects;
        }
        let mut keys = match std::mem::take(&mut self.pending) {
            Pending::Keys(keys) => keys,
            // Esc takes the number back, and stops nothing else.
            Pending::Digits(_) if key.code() == Some(KeyCode::Esc) => return Vec::new(),
            Pending::Digits(digits) => {
                self.pending = Pending::Digits(digits);
                Vec::new()
            }
            Pending::None => Vec::new(),
        };
        if !keys.is_empty() && key.code() == Some(KeyCode::Esc) {
            return Vec::new();
        }
        keys.push(key);
        match self.keymap.meaning(&self.contexts(), &keys) {
            Meaning::Action(action) => self.act(action),
            Meaning::Begun => {
                self.pending = Pending::Keys(keys);
                Vec::new()
            }
            Meaning::Nothing => match key.without_alt() {
                // Terminals send Alt as Esc before the key.
                Some(plain) if keys.len() == 1 => {
                    let mut effects = self.act(Action::Stop);
                    effects.extend(self.browse_key(plain));
                    effects
                }
                _ => {
                    self.pending = Pending::None;
                    let help = self.key_of(Action::Help);
                    self.tell(&format!(
                        "nothing is bound to {} here; {help} tells the keys",
                        write_keys(&keys)
                    ));
                    Vec::new()
                }
            },
        }
    }

    /// A digit of a link's number, where links have numbers; `None` when the key is something else.
    fn digit(&mut self, key: Key) -> Option<Vec<Effect>> {
        let numbered = self.focus == Focus::Panes
            && self
                .page()
                .and_then(super::Page::document)
                .is_some_and(|document| document.numbers() > 0);
        if let Pending::Digits(digits) = &mut self.pending
            && key.code() == Some(KeyCode::Backspace)
        {
            digits.pop();
            if digits.is_empty() {
                self.pending = Pending::None;
            }
            return Some(Vec::new());
        }
        let digit = key
            .typed()
            .filter(char::is_ascii_digit)
            .filter(|_| numbered)?;
        match &mut self.pending {
            Pending::Digits(digits) if digits.len() < DIGITS => digits.push(digit),
            Pending::Digits(_) | Pending::Keys(_) => {}
            Pending::None if digit == '0' => {}
            Pending::None => self.pending = Pending::Digits(digit.to_string()),
        }
        Some(Vec::new())
    }

    /// Does what a key, or the palette, asks for.
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        if let Pending::Digits(digits) = std::mem::take(&mut self.pending)
            && matches!(
                action,
                Action::Open
                    | Action::OpenBeside
                    | Action::OpenTab
                    | Action::Download
                    | Action::BookmarkLink
                    | Action::CopyLink
                    | Action::Info
            )
            && !self.go_to_number(&digits)
        {
            return Vec::new();
        }
        self.fetched = None;
        if self.focus == Focus::Transfers && is_of_page(action) {
            // Who does something with a page wants to see it.
            self.focus = Focus::Panes;
        }
        self.carry_out(action)
    }

    #[allow(clippy::too_many_lines, reason = "a line an action")]
    pub(super) fn carry_out(&mut self, action: Action) -> Vec<Effect> {
        match action {
            Action::RowDown => self.step(1),
            Action::RowUp => self.step(-1),
            Action::PageDown if self.focus == Focus::Panes && self.open_form_feed() => Vec::new(),
            Action::PageDown => self.step_page(1, 1),
            Action::PageUp => self.step_page(-1, 1),
            Action::HalfPageDown => self.step_page(1, 2),
            Action::HalfPageUp => self.step_page(-1, 2),
            Action::Top => self.go_to_edge(false),
            Action::Bottom => self.go_to_edge(true),
            Action::SessionKeys => self.switch_keys(),
            Action::NextLink => self.step_link(true),
            Action::PreviousLink => self.step_link(false),
            Action::ScrollLeft => self.scroll_sideways(false),
            Action::ScrollRight => self.scroll_sideways(true),
            Action::Open => self.open_chosen(super::browse::Where::Here),
            Action::OpenBeside => self.open_chosen(super::browse::Where::Beside),
            Action::OpenTab => self.open_chosen(super::browse::Where::Tab),
            Action::Hints => self.show_hints(),
            Action::Back => self.turn(false),
            Action::Forward => self.turn(true),
            Action::Up => self.climb(false),
            Action::Root => self.climb(true),
            Action::Go => self.prompt(Prompt::new(Wants::Url, "")),
            Action::EditUrl => self.edit_url(),
            Action::Reload => self.reload(),
            Action::Stop => self.stop(),
            Action::Find => self.prompt(Prompt::new(Wants::Words, "")),
            Action::FindNext => self.find_again(crate::document::find::Direction::Down),
            Action::FindPrevious => self.find_again(crate::document::find::Direction::Up),
            Action::Download => self.download_chosen(),
            Action::Transfers => self.toggle_transfers(),
            Action::Pause
            | Action::PauseAll
            | Action::Retry
            | Action::ShiftDown
            | Action::ShiftUp
            | Action::RemoveTransfer
            | Action::EraseTransfer
            | Action::ClearDone => self.act_on_transfers(action),
            Action::Save => self.ask_save(),
            Action::BookmarkPage => self.bookmark_page(),
            Action::BookmarkLink => self.bookmark_link(),
            Action::Bookmarks => self.toggle_bookmarks(),
            Action::BookmarkLinks => self.bookmark_links(),
            Action::FilterBookmarks
            | Action::Mark
            | Action::MarkAll
            | Action::Take
            | Action::Put
            | Action::PutCopies
            | Action::EntryDown
            | Action::EntryUp
            | Action::NewFolder
            | Action::Tags
            | Action::Note
            | Action::OpenAll
            | Action::OpenFolder
            | Action::CloseFolder
            | Action::Widen => self.act_on_bookmarks(action),
            Action::NextFault => self.go_to_fault(),
            Action::Repair => self.ask_repair(),
            Action::RepairAll => self.ask_repair_all(),
            Action::EditBookmark => self.edit_bookmark(),
            Action::RemoveBookmark => self.remove_bookmark(),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::Fold => {
                self.sidebar.fold();
                self.reveal_all();
                Vec::new()
            }
            Action::Check => self.check_chosen(),
            Action::CheckAll => self.ask_check(),
            Action::NextGone => self.go_to_gone(),
            Action::TakeMoved => self.take_moved(),
            Action::Info => self.show_info(),
            Action::CopyLink => self.copy_link(),
            Action::CopyUrl => self.copy_url(),
            Action::Source => self.toggle_source(),
            Action::Charset => self.ask_charset(),
            Action::Wrap => self.toggle_wrap(),
            Action::Colours => self.toggle_colours(),
            Action::Offline => self.toggle_offline(),
            Action::SortName => self.sort(crate::document::Column::Name),
            Action::SortSize => self.sort(crate::document::Column::Size),
            Action::SortDate => self.sort(crate::document::Column::Date),
            Action::SortKind => self.sort(crate::document::Column::Kind),
            Action::SortThread
            | Action::SortAuthor
            | Action::SortSubject
            | Action::SortScore
            | Action::NextUnread
            | Action::NextGroup
            | Action::MarkArticle
            | Action::MarkThread
            | Action::CatchUp
            | Action::ResetGroup
            | Action::Subscribe
            | Action::Unsubscribe
            | Action::FoldThread
            | Action::FoldThreads
            | Action::OnlyUnread
            | Action::ShowHidden
            | Action::Parent
            | Action::ThreadRoot
            | Action::NextReply
            | Action::WholeThread
            | Action::Rule => self.act_on_news(action),
            Action::DirectoriesFirst => self.turn_directories(),
            Action::Filter => self.ask_filter(),
            Action::NextPane => self.turn_focus(true),
            Action::PreviousPane => self.turn_focus(false),
            Action::ClosePane => self.close_pane(),
            Action::NextTab => self.turn_tab(true),
            Action::PreviousTab => self.turn_tab(false),
            Action::Tab(number) => self.show_tab(usize::from(number).saturating_sub(1)),
            Action::NewTab => self.new_tab(),
            Action::CloseTab => self.close_tab(),
            Action::FoldQuotations => self.turn_quotations(),
            Action::Rot13 => self.turn_script(),
            Action::PostArticle => self.write_new(),
            Action::FollowUp => self.write_follow_up(),
            Action::ReplyByMail => self.write_letter(),
            Action::CancelArticle => self.write_cancel(),
            Action::Supersede => self.write_supersede(),
            Action::Drafts => vec![Effect::Write(DraftJob::Kept)],
            Action::NextField | Action::PreviousField | Action::SendForm | Action::LeaveForm => {
                self.act_on_form(action)
            }
            Action::Palette => {
                self.overlay = Some(Overlay::Palette(super::Palette::default()));
                Vec::new()
            }
            Action::Help => self.open_help(),
            Action::Redraw => vec![Effect::Redraw],
            Action::Suspend => vec![Effect::Suspend],
            Action::Quit => self.quit(),
        }
    }

    /// Ends, or asks first where something is on its way.
    fn quit(&mut self) -> Vec<Effect> {
        let is_busy = !self.downloads.is_empty() || self.transfers.running().next().is_some();
        if !is_busy && !self.is_sending() {
            self.is_over = true;
        } else {
            self.overlay = Some(Overlay::ConfirmQuit);
        }
        Vec::new()
    }

    pub(super) fn prompt(&mut self, prompt: Prompt) -> Vec<Effect> {
        self.overlay = Some(Overlay::Prompt(prompt));
        Vec::new()
    }
}

/// Whether an action is done with the page that is shown, and never with a transfer.
fn is_of_page(action: Action) -> bool {
    matches!(
        action,
        Action::NextLink
            | Action::PreviousLink
            | Action::ScrollLeft
            | Action::ScrollRight
            | Action::Hints
            | Action::Back
            | Action::Forward
            | Action::Up
            | Action::Root
            | Action::EditUrl
            | Action::Reload
            | Action::Find
            | Action::FindNext
            | Action::FindPrevious
            | Action::Save
            | Action::BookmarkPage
            | Action::CopyUrl
            | Action::Source
            | Action::Charset
            | Action::Wrap
            | Action::Colours
            | Action::SortName
            | Action::SortSize
            | Action::SortDate
            | Action::SortKind
    )
}
