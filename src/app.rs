//! The state of the browser, and the one function that changes it.
//!
//! [`App::update`] takes a [`Message`] and returns [`Effect`]s. It reads no file, opens no socket, starts no task and
//! reads no clock (the time comes with the message), so a test can replay everything the browser does. Each load has
//! an id. A part of a load that no page waits for is ignored.

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
pub mod document_view;
pub mod external;
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
pub mod page;
pub mod palette;
pub mod pane;
mod plain_login;
pub mod prompt;
mod questions;
mod read;
mod reload;
pub mod request_defaults;
mod save;
pub mod scroll;
pub mod search_history;
pub mod server_form;
pub mod session;
mod settings;
pub mod sidebar;
pub mod tab;
pub mod transfers;
mod undo;
mod update;
mod view;
pub mod write;

use std::time::Duration;

use self::action::Action;
use self::check::LinkChecks;
use self::choice::Choice;
use self::form::BookmarkForm;
use self::hints::Hints;
use self::keyring::KeyringLookup;
use self::layout::{Layout, LayoutParams};
pub use self::message::{Effect, HistoryStep, Message};
pub use self::name::title_of;
use self::page::{Page, Progress, WorkId};
use self::palette::Palette;
use self::pane::Pane;
use self::prompt::Prompt;
use self::questions::Questions;
use self::scroll::Viewport;
use self::search_history::SearchHistory;
pub use self::settings::{Mailcaps, Memory, Settings};
use self::sidebar::Sidebar;
use self::tab::Tab;
use self::transfers::Transfers;
use self::write::DraftInProgress;
use crate::bookmarks::Bookmarks;
use crate::files::mailcap::Viewer;
use crate::files::trust::Pins;
use crate::keymap::{Key, Keymap};
use crate::load::{HostRules, LoadId, Login};
use crate::net::Fingerprint;
use crate::text::{CharsetSetting, Text};
use crate::transfer::queue::UnfinishedTransfer;

/// A viewer to start for a file that is being fetched.
#[derive(Clone, Debug)]
pub struct ViewerJob {
    /// The program.
    pub viewer: Viewer,
    /// The file's MIME type.
    pub mime: String,
}

/// The whole state of the browser.
#[derive(Debug)]
pub struct App {
    /// The bindings of keys to actions.
    pub keymap: Keymap,
    /// The user's settings.
    pub settings: Settings,
    /// The list of bookmarks.
    pub sidebar: Sidebar,
    /// The results of bookmark checks, and the running check.
    pub link_checks: LinkChecks,
    /// The element above the page that receives all keys first.
    pub overlay: Option<Overlay>,
    /// The downloads of files and directories to the disk.
    pub transfers: Transfers,
    /// Pages that are being saved, and files that are fetched for a viewer.
    pub downloads: Vec<Download>,
    /// The message in the status line, until the next key.
    pub notice: Option<Notice>,
    /// An incomplete key sequence, or the digits of a link's number typed so far.
    pub pending_keys: PendingKeys,
    /// The part of the screen that receives keys.
    pub focus: Focus,
    /// True when the browser is to exit.
    pub should_exit: bool,
    /// The logins that servers accepted, with their login scopes; dropped when the browser exits.
    logins: Vec<(String, Login)>,
    /// Pending keyring lookups.
    keyring_lookups: Vec<KeyringLookup>,
    /// Login scopes and users that have no password in the keyring.
    not_in_keyring: Vec<(String, String)>,
    /// The timing of questions, and the keys they accept.
    questions: Questions,
    /// The last login that the user typed, until a server accepts it.
    typed_login: Option<(String, Login)>,
    /// Hosts whose hazards the user accepted, as returned by `name::host_of`.
    accepted_hazards: Vec<String>,
    /// The charsets that the user chose for hosts.
    charsets: Vec<(String, CharsetSetting)>,
    /// The history of search words.
    searches: SearchHistory,
    /// The selector rules (caps.txt) of the servers that were queried; `None` for a server without rules.
    selector_rules: Vec<(String, Option<HostRules>)>,
    /// The read articles and subscriptions of news servers.
    news: news::NewsState,
    /// The article or mail being written.
    writing: Option<DraftInProgress>,
    /// Viewers to start when their files have been fetched.
    viewer_jobs: Vec<(LoadId, ViewerJob)>,
    /// Accepted certificates, by authority (`host:port`).
    pins: Pins,
    /// Certificates accepted until the browser exits, by authority.
    trusted_once: Vec<(String, Fingerprint)>,
    /// Authorities (`host:port` in lower case) to which passwords may be sent without TLS until the browser exits.
    plain_logins: Vec<String>,
    tabs: Vec<Tab>,
    tab: usize,
    size: (u16, u16),
    now: Duration,
    last_id: u64,
    /// The effects of the message at hand, in their order.
    effects: Vec<Effect>,
}

/// The part of the screen that receives keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// The list of bookmarks.
    Bookmarks,
    /// The panes with pages.
    Panes,
    /// The list of transfers, which covers the bookmarks and the panes.
    Transfers,
}

/// An element above the page that receives the keys.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// A line of input.
    Prompt(Prompt),
    /// The form for a bookmark.
    Form(Box<BookmarkForm>),
    /// Hint letters on the links.
    Hints(Hints),
    /// The palette of all actions.
    Palette(Palette),
    /// A question with a few answers.
    Choice(Choice),
    /// The list of stored drafts.
    Drafts(write::Drafts),
    /// The properties of a link: names and values.
    Info(Vec<(Text, Text)>),
    /// The question before quitting while downloads are running.
    ConfirmQuit,
}

/// Typed keys that do not yet form a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PendingKeys {
    /// No typed keys.
    #[default]
    None,
    /// The beginning of a key sequence.
    Sequence(Vec<Key>),
    /// The first digits of a link's number.
    Digits(String),
}

/// A message for the status line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The text of the message.
    pub text: Text,
    /// True for an error message.
    pub is_error: bool,
}

/// A running download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The file name.
    pub name: Text,
    /// The progress of the download.
    pub progress: Progress,
}

impl App {
    /// Creates a browser with one empty tab, on a screen of `size` columns and lines.
    pub fn new(keymap: Keymap, settings: Settings, bookmarks: Bookmarks, size: (u16, u16)) -> Self {
        Self {
            keymap,
            settings,
            sidebar: Sidebar::new(bookmarks),
            link_checks: LinkChecks::default(),
            overlay: None,
            transfers: Transfers::default(),
            downloads: Vec::new(),
            notice: None,
            pending_keys: PendingKeys::None,
            focus: Focus::Bookmarks,
            should_exit: false,
            logins: Vec::new(),
            keyring_lookups: Vec::new(),
            not_in_keyring: Vec::new(),
            questions: Questions::default(),
            typed_login: None,
            accepted_hazards: Vec::new(),
            charsets: Vec::new(),
            searches: SearchHistory::default(),
            selector_rules: Vec::new(),
            news: news::NewsState::default(),
            writing: None,
            viewer_jobs: Vec::new(),
            pins: Pins::default(),
            trusted_once: Vec::new(),
            plain_logins: Vec::new(),
            tabs: vec![Tab::default()],
            tab: 0,
            size,
            now: Duration::ZERO,
            last_id: 0,
            effects: Vec::new(),
        }
    }

    /// Sets the accepted certificates.
    #[must_use]
    pub fn with_pins(self, pins: Pins) -> Self {
        Self { pins, ..self }
    }

    /// Adds the unfinished transfers of an earlier run.
    #[must_use]
    pub fn with_unfinished_transfers(self, found: Vec<UnfinishedTransfer>) -> Self {
        let transfers = Transfers::unfinished(found);
        Self { transfers, ..self }
    }

    /// Sets the link check state of the bookmarks.
    #[must_use]
    pub fn with_link_checks(self, link_checks: LinkChecks) -> Self {
        Self {
            link_checks,
            ..self
        }
    }

    /// Returns the time of the last message, by the loop's clock.
    pub fn now(&self) -> Duration {
        self.now
    }

    /// Returns the tabs, from left to right.
    pub fn tabs(&self) -> &[Tab] {
        &self.tabs
    }

    /// Returns the index of the shown tab, from 0.
    pub fn tab_index(&self) -> usize {
        self.tab
    }

    /// Returns the shown tab.
    pub fn tab(&self) -> Option<&Tab> {
        self.tabs.get(self.tab)
    }

    /// Returns the pane with the focus.
    pub fn pane(&self) -> Option<&Pane> {
        self.tab().map(Tab::pane)
    }

    /// Returns the page with the focus.
    pub fn page(&self) -> Option<&Page> {
        self.pane().and_then(Pane::page)
    }

    /// Returns the positions of all parts of the screen.
    pub fn layout(&self) -> Layout {
        let (panes, focus) = self.tab().map_or((1, 0), |tab| (tab.count(), tab.focus()));
        Layout::new(
            self.size.0,
            self.size.1,
            LayoutParams {
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

    /// Returns the page with the focus and the space for its text.
    fn page_view(&mut self) -> Option<(&mut Page, Viewport)> {
        let layout = self.layout();
        let focus = self.tab()?.focus();
        let (_, area) = *layout.panes.iter().find(|(index, _)| *index == focus)?;
        let page = self.page_mut()?;
        let view = layout::view(page, area);
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

    /// Returns the key of an action for use in a message; `:name` for an action without a key.
    fn key_of(&self, action: Action) -> String {
        self.keymap
            .key_of(action)
            .unwrap_or_else(|| format!(":{}", action.name()))
    }

    /// Shows a message in the status line.
    pub fn notify(&mut self, sentence: &str) {
        self.notice = Some(Notice {
            text: Text::of(sentence),
            is_error: false,
        });
    }

    /// Shows an error message in the status line.
    pub fn report_error(&mut self, sentence: &str) {
        self.notice = Some(Notice {
            text: Text::of(sentence),
            is_error: true,
        });
    }
}
