//! The state of the browser, and the one function that changes it.
//!
//! [`App::update`] takes a [`Message`] and gives [`Effect`]s. It reads no file, opens no socket, starts no task and
//! looks at no clock (the time comes with the message), so whatever the browser does can be played in a test. A load
//! has an id: a part that no page awaits falls on the floor.

mod about;
pub mod action;
mod answer;
mod arrange;
mod ask;
mod ask_form;
mod bookmark;
mod browse;
mod bulk_edit;
mod certificate;
mod charset;
pub mod check;
pub mod choice;
mod complete;
pub mod document_view;
pub mod filter;
mod fix_url;
pub mod form;
mod go_up;
mod guess;
pub mod help;
pub mod hints;
mod keyring;
pub mod keys;
pub mod layout;
mod load_events;
mod mark;
mod memory;
mod message;
mod motion;
mod name;
pub mod news;
mod next_unread;
mod note;
mod offline;
pub mod outside;
pub mod page;
pub mod palette;
pub mod pane;
pub mod place;
mod plain_login;
pub mod prompt;
mod questions;
mod read;
mod reload;
mod save;
pub mod search_history;
pub mod server_form;
pub mod session;
mod settings;
pub mod sidebar;
pub mod tab;
pub mod transfers;
mod undo;
mod view;
pub mod write;

use std::time::Duration;

use self::action::Action;
use self::check::Checking;
use self::choice::Choice;
use self::form::Form;
use self::go_up::Climb;
use self::hints::Hints;
use self::keyring::KeyringLookup;
use self::layout::{Layout, Needs};
pub use self::message::{Effect, History, Message};
pub use self::name::title_of;
use self::page::{Page, Progress, WorkId};
use self::palette::Palette;
use self::pane::Pane;
use self::place::View;
use self::prompt::Prompt;
use self::questions::Questions;
use self::search_history::Recall;
pub use self::settings::{Mailcaps, Memory, Settings};
use self::sidebar::Sidebar;
use self::tab::Tab;
use self::transfers::Transfers;
use self::write::Writing;
use crate::files::bookmarks::Bookmarks;
use crate::files::mailcap::Viewer;
use crate::files::transfers::Unfinished;
use crate::files::trust::Pins;
use crate::keymap::{Key, Keymap};
use crate::load::{HostRules, LoadId, Login};
use crate::net::Fingerprint;
use crate::text::{ReadAs, Text};

/// A file on its way to the program that will show it.
#[derive(Clone, Debug)]
pub struct Viewing {
    /// The program.
    pub viewer: Viewer,
    /// The file's MIME type.
    pub mime: String,
}

/// Everything there is.
#[derive(Debug)]
pub struct App {
    /// Keys to actions.
    pub keymap: Keymap,
    /// What a person set.
    pub settings: Settings,
    /// The bookmarks.
    pub sidebar: Sidebar,
    /// What is known of what they name, and the check that runs.
    pub checking: Checking,
    /// What takes keys before anything else.
    pub overlay: Option<Overlay>,
    /// Files and directories on their way to the disk.
    pub transfers: Transfers,
    /// Pages that are being saved, and files that are fetched to be looked at.
    pub downloads: Vec<Download>,
    /// A sentence for the status line, until the next key.
    pub notice: Option<Notice>,
    /// Keys of a sequence that has only begun, or digits of a link's number.
    pub pending: Pending,
    /// Which half of the screen takes keys.
    pub focus: Focus,
    /// The browser is to end.
    pub is_over: bool,
    /// Names and passwords that were given, and where they were taken; they are forgotten with the browser.
    logins: Vec<(String, Login)>,
    /// Passwords that the keyring is asked for.
    lookup: Vec<KeyringLookup>,
    /// Places and users whose password the keyring does not have.
    not_in_keyring: Vec<(String, String)>,
    /// When questions open, and which keys they take.
    questions: Questions,
    /// The last login that a person has typed and no server has taken yet.
    typed: Option<(String, Login)>,
    /// Where a person wants to go in spite of hazards, as `name::host_of` has it.
    accepted_hazards: Vec<String>,
    /// How the pages of hosts are read, where somebody chose.
    charsets: Vec<(String, ReadAs)>,
    /// Words that were searched for.
    searches: Recall,
    /// What servers say of their selectors, as far as they were asked.
    rules: Vec<(String, Option<HostRules>)>,
    climb: Option<Climb>,
    /// What was read of news servers.
    read: news::Read,
    /// What is looked for in a group on its way.
    awaited: Option<next_unread::Awaited>,
    /// What an article is fetched for.
    fetched: Option<write::Fetched>,
    /// What is being written.
    writing: Option<Writing>,
    /// Files on their way to other programs.
    viewing: Vec<(LoadId, Viewing)>,
    /// Certificates that were accepted, by place.
    pins: Pins,
    /// Those that were accepted until the browser ends.
    trusted_once: Vec<(String, Fingerprint)>,
    /// Places, as `host:port` in lower case, that passwords may go to without TLS until the browser ends.
    plain_logins: Vec<String>,
    tabs: Vec<Tab>,
    tab: usize,
    size: (u16, u16),
    now: Duration,
    last_id: u64,
}

/// Which half of the screen takes keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The bookmarks.
    Bookmarks,
    /// The panes.
    Panes,
    /// The transfers, which stand over both.
    Transfers,
}

/// What stands over the page and takes keys.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// A line of input.
    Prompt(Prompt),
    /// The form of a bookmark.
    Form(Box<Form>),
    /// Letters for links.
    Hints(Hints),
    /// Every action by name.
    Palette(Palette),
    /// A question with a few answers.
    Choice(Choice),
    /// The drafts that are kept.
    Drafts(write::Drafts),
    /// What a link is: names and values.
    Info(Vec<(Text, Text)>),
    /// Quit, though downloads are running?
    ConfirmQuit,
}

/// Keys that mean nothing yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Pending {
    /// None.
    #[default]
    None,
    /// The beginning of a sequence.
    Keys(Vec<Key>),
    /// Digits of a link's number.
    Digits(String),
}

/// A sentence for the status line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence.
    pub text: Text,
    /// Something failed.
    pub is_fault: bool,
}

/// A download that is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The name of its file.
    pub name: Text,
    /// How it goes.
    pub progress: Progress,
}

impl App {
    /// A browser with one empty tab, on a screen of `size` columns and lines.
    pub fn new(keymap: Keymap, settings: Settings, bookmarks: Bookmarks, size: (u16, u16)) -> Self {
        Self {
            keymap,
            settings,
            sidebar: Sidebar::new(bookmarks),
            checking: Checking::default(),
            overlay: None,
            transfers: Transfers::default(),
            downloads: Vec::new(),
            notice: None,
            pending: Pending::None,
            focus: Focus::Bookmarks,
            is_over: false,
            logins: Vec::new(),
            lookup: Vec::new(),
            not_in_keyring: Vec::new(),
            questions: Questions::default(),
            typed: None,
            accepted_hazards: Vec::new(),
            charsets: Vec::new(),
            searches: Recall::default(),
            rules: Vec::new(),
            climb: None,
            read: news::Read::default(),
            awaited: None,
            fetched: None,
            writing: None,
            viewing: Vec::new(),
            pins: Pins::default(),
            trusted_once: Vec::new(),
            plain_logins: Vec::new(),
            tabs: vec![Tab::default()],
            tab: 0,
            size,
            now: Duration::ZERO,
            last_id: 0,
        }
    }

    /// The same browser, which knows of certificates that were accepted.
    #[must_use]
    pub fn trusting(self, pins: Pins) -> Self {
        Self { pins, ..self }
    }

    /// The same browser, with transfers that an earlier one did not end.
    #[must_use]
    pub fn transferring_again(self, found: Vec<Unfinished>) -> Self {
        let transfers = Transfers::unfinished(found);
        Self { transfers, ..self }
    }

    /// The same browser, with what is known of the bookmarks.
    #[must_use]
    pub fn knowing(self, checking: Checking) -> Self {
        Self { checking, ..self }
    }

    /// Changes the state by what happened at `now` (since the start), and says what is to be done.
    pub fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.now = now;
        self.questions.by_key = matches!(message, Message::Key(_) | Message::Paste(_));
        let is_open = self.overlay.is_some();
        let mut effects = match message {
            Message::Key(key) => self.key(key),
            Message::Paste(text) => self.paste(&text),
            Message::Resize(width, height) => {
                self.size = (width, height);
                self.reveal_all();
                Vec::new()
            }
            Message::Part(load, part) => self.part(load, part),
            Message::Finished(work, document) => self.finished(work, document),
            Message::Found(work, row) => self.found(work, row),
            Message::Bookmarks(history, result) => self.bookmarks_changed(history, result),
            Message::BookmarksTouched => self.bookmarks_touched(),
            Message::BookmarksRead(result) => self.bookmarks_read(result),
            Message::Filtered(work, filtered) => self.filtered(work, *filtered),
            Message::Known(known) => self.known_before(known),
            Message::Checked(load, report) => self.checked(load, report),
            Message::CheckEnded(load) => self.check_ended(load),
            Message::Watched(events) => self.watched(events),
            Message::NewlyWatched(bookmarks, items) => {
                self.newly_watched(bookmarks, items);
                Vec::new()
            }
            Message::Pinned(place, written) => self.pinned(&place, written),
            Message::Downloading(load, octets, size) => self.downloading(load, octets, size),
            Message::Downloaded(load, result) => self.downloaded(load, result),
            Message::Transferring(load, report) => self.transferring(load, report),
            Message::Walking(load, step) => self.walking(load, step),
            Message::Transferred(load, result) => self.transferred(load, result),
            Message::Destination(directory, path) => self.ask_destination(directory, path),
            Message::TransfersWritten(written) | Message::FindingsWritten(written) => {
                if let Err(sentence) = written {
                    self.complain(&sentence);
                }
                Vec::new()
            }
            Message::Fetched(load, result) => self.fetched(load, result),
            Message::Ran(result) => {
                self.ran(result);
                Vec::new()
            }
            Message::Rules(work, host, rules) => self.ruled(work, host, rules),
            Message::Viewers(entries) => {
                self.settings.viewers.extend(entries);
                self.settings.mailcaps = Mailcaps::Read;
                Vec::new()
            }
            Message::Keyring(work, login) => self.found_password(work, login),
            Message::Kept(kept) => {
                self.kept_password(kept);
                Vec::new()
            }
            Message::FileRead(work, octets) => self.file_read(work, octets),
            Message::Marks(server, changes, result) => self.marked(&server, changes, result),
            Message::Folds(server, changes, result) => self.folds_read(&server, changes, result),
            Message::MarksDue => self.marks_due(),
            Message::Rule(result) => self.ruled_by(result),
            Message::PageKept(kept) => {
                if let Err(sentence) = kept {
                    self.complain(&sentence);
                }
                Vec::new()
            }
            Message::Written(outcome) => self.written(outcome),
            Message::Terminate => {
                self.is_over = true;
                Vec::new()
            }
        };
        effects.extend(self.load_dropped());
        effects.extend(self.fit_memory());
        if !self.questions.by_key && !is_open {
            self.has_opened_by_itself();
        }
        effects.extend(self.fit_sessions());
        effects.extend(self.ask());
        effects.extend(self.mark_shown());
        effects.extend(self.schedule_marks());
        effects.extend(self.turn_transfers());
        effects.extend(self.write_findings());
        effects.retain(|effect| !matches!(effect, Effect::Load(load, _) if !self.awaits(*load)));
        effects
    }

    /// The time of the last message, by the loop's clock.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// The tabs, from left to right.
    pub fn tabs(&self) -> &[Tab] {
        &self.tabs
    }

    /// Which tab is shown, from 0.
    pub fn tab_index(&self) -> usize {
        self.tab
    }

    /// The tab that is shown.
    pub fn tab(&self) -> Option<&Tab> {
        self.tabs.get(self.tab)
    }

    /// The pane with the focus.
    pub fn pane(&self) -> Option<&Pane> {
        self.tab().map(Tab::pane)
    }

    /// The page with the focus.
    pub fn page(&self) -> Option<&Page> {
        self.pane().and_then(Pane::page)
    }

    /// Where everything stands on the screen.
    pub fn layout(&self) -> Layout {
        let (panes, focus) = self.tab().map_or((1, 0), |tab| (tab.count(), tab.focus()));
        Layout::new(
            self.size.0,
            self.size.1,
            Needs {
                tabs: self.tabs.len(),
                panes,
                focus,
                bookmarks: self.sidebar.shown,
                wide: self.sidebar.is_wide || self.sidebar.is_filtered(),
                bookmarks_focus: self.focus == Focus::Bookmarks,
            },
        )
    }

    fn tab_mut(&mut self) -> Option<&mut Tab> {
        self.tabs.get_mut(self.tab)
    }

    fn pane_mut(&mut self) -> Option<&mut Pane> {
        self.tab_mut().map(Tab::pane_mut)
    }

    fn page_mut(&mut self) -> Option<&mut Page> {
        self.pane_mut().and_then(Pane::page_mut)
    }

    /// The page with the focus and the room it has.
    fn page_view(&mut self) -> Option<(&mut Page, View)> {
        let layout = self.layout();
        let focus = self.tab()?.focus();
        let (_, place) = *layout.panes.iter().find(|(index, _)| *index == focus)?;
        let page = self.page_mut()?;
        let view = layout::view(page, place);
        Some((page, view))
    }

    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn next_load(&mut self) -> LoadId {
        LoadId(self.next_id())
    }

    fn next_work(&mut self) -> WorkId {
        WorkId(self.next_id())
    }

    fn awaits(&self, load: LoadId) -> bool {
        self.tabs.iter().any(|tab| tab.loads().contains(&load))
    }

    /// The key of an action, for a sentence that tells of it; its name where it has none.
    fn key_of(&self, action: Action) -> String {
        self.keymap
            .key_of(action)
            .unwrap_or_else(|| format!(":{}", action.name()))
    }

    /// Says something in the status line.
    pub fn tell(&mut self, sentence: &str) {
        self.notice = Some(Notice {
            text: Text::of(sentence),
            is_fault: false,
        });
    }

    /// Says in the status line that something failed.
    pub fn complain(&mut self, sentence: &str) {
        self.notice = Some(Notice {
            text: Text::of(sentence),
            is_fault: true,
        });
    }
}
