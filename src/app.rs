//! The state of the browser, and the one function that changes it.
//!
//! [`App::update`] takes a [`Message`] and gives [`Effect`]s. It reads no file, opens no socket, starts no task and
//! looks at no clock (the time comes with the message), so whatever the browser does can be played in a test. A load
//! has an id: a part that no page awaits falls on the floor.

mod about;
pub mod action;
mod arrange;
mod arrive;
mod ask;
mod ask_form;
mod bookmark;
mod browse;
pub mod certificate;
mod charset;
pub mod choice;
mod climb;
pub mod fill;
pub mod form;
mod guess;
pub mod help;
pub mod hints;
mod keep;
mod keyring;
mod keys;
pub mod layout;
mod mark;
mod motion;
mod name;
pub mod news;
pub mod outside;
pub mod page;
pub mod palette;
pub mod pane;
pub mod place;
pub mod prompt;
mod read;
mod read_on;
pub mod recall;
pub mod sidebar;
pub mod tab;
pub mod transfers;
mod view;
pub mod write;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::KeyEvent;

use self::action::Action;
use self::certificate::Judgement;
use self::choice::Choice;
use self::climb::Climb;
use self::form::Form;
use self::hints::Hints;
use self::keyring::Sought;
use self::layout::{Layout, Needs};
pub use self::name::{host_and_port, title_of};
use self::news::{Changes, NewsPlace, Newsrcs};
use self::outside::{Openers, Program};
use self::page::{Colours, Page, Progress, WorkId};
use self::palette::Palette;
use self::pane::Pane;
use self::place::View;
use self::prompt::Prompt;
use self::recall::Recall;
use self::sidebar::Sidebar;
use self::tab::Tab;
use self::transfers::{Ended, Job, Rules, Transfers};
use self::write::{Errand, Outcome, Writing};
use crate::document::find::{Direction, Needle};
use crate::document::marks::Marks;
use crate::document::score;
use crate::document::{Arrangement, Document, Zone};
use crate::files::bookmarks::{Bookmarks, Change};
use crate::files::download::{Order as Fetch, Report, Saved, Target};
use crate::files::draft::Author;
use crate::files::mailcap::{Entry, Viewer};
use crate::files::netrc::Netrc;
use crate::files::transfers::Unfinished;
use crate::files::tree::Step;
use crate::files::trust::Pins;
use crate::files::view::Fetched;
use crate::keymap::{Key, Keymap};
use crate::load::{FtpWays, HostRules, LoadId, Login, NewsWays, Part, Request};
use crate::net::{Fingerprint, Pin, Route};
use crate::text::{ReadAs, Text};

/// What happened.
#[derive(Debug)]
pub enum Message {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this many columns and lines now.
    Resize(u16, u16),
    /// A load reports.
    Part(LoadId, Part),
    /// A page is finished, or arranged.
    Finished(WorkId, Document),
    /// A find ended: the row, if there is one.
    Found(WorkId, Option<usize>),
    /// The bookmark file was changed (and this takes it back), or why not.
    Bookmarks(History, Result<(Bookmarks, Change), String>),
    /// An accepted certificate was written down, or why not.
    Pinned(String, Result<Pin, String>),
    /// A file that is fetched to be looked at comes along.
    Downloading(LoadId, u64, Option<u64>),
    /// A page was saved: the file, or a sentence.
    Downloaded(LoadId, Result<Saved, String>),
    /// A transfer of a file comes along.
    Transferring(LoadId, Report),
    /// A transfer of a directory comes along.
    Walking(LoadId, Step),
    /// A transfer has ended.
    Transferred(LoadId, Result<transfers::Outcome, Ended>),
    /// The transfers that have not ended were written down, or why not.
    TransfersWritten(Result<(), String>),
    /// A file is here to be looked at, or a sentence.
    Fetched(LoadId, Result<Fetched, String>),
    /// A program has ended: how, or why it could not be started.
    Ran(Result<String, String>),
    /// What a server says of its selectors; nothing when it does not.
    Rules(WorkId, String, Option<HostRules>),
    /// The programs that mailcap names.
    Viewers(Vec<Entry>),
    /// What the keyring has for a password that was asked for.
    Keyring(WorkId, Option<Login>),
    /// The keyring keeps a password, or why not.
    Kept(Result<(), String>),
    /// A file that goes with a form has been read, or why not.
    FileRead(WorkId, Result<Vec<u8>, String>),
    /// What was read of a news server, after so many changes were written down; or why not.
    Marks(NewsPlace, usize, Result<Marks, String>),
    /// All rules for articles, after one was written down; or why it was not.
    Rule(Result<score::Rules, String>),
    /// Something has come of an errand for what is being written.
    Written(Outcome),
    /// The system asks to end (SIGTERM, SIGHUP).
    Terminate,
}

/// What is to be done outside of the state.
#[derive(Debug)]
pub enum Effect {
    /// Start a load.
    Load(LoadId, Request),
    /// Drop a load, or a download.
    Drop(LoadId),
    /// Finish a document on a blocking task.
    Finish(WorkId, Document),
    /// Sort and filter a document's rows on a blocking task.
    Arrange(WorkId, Document, Arrangement),
    /// Find in a document on a blocking task: from this row, this way.
    Find(WorkId, Document, Needle, usize, Direction),
    /// Change the bookmark file.
    Bookmarks(History, Change),
    /// Write down that a certificate is accepted for a place.
    Pin(String, Fingerprint),
    /// Load into a file, or all of a directory into one.
    Transfer(LoadId, Box<Job>),
    /// Write down that of the first of these transfers, which had not ended, the second ones are left.
    Transfers(Vec<Unfinished>, Vec<Unfinished>),
    /// Take away what a transfer has left, when its load has been dropped.
    Forget(Option<LoadId>, Box<Fetch>),
    /// Write a page's octets to a file.
    Save(LoadId, Document, Target),
    /// Load into a file of this name that goes when it has been looked at.
    Fetch(LoadId, Request, String),
    /// Ask a server, by this name, for the rules of its selectors.
    Rules(WorkId, String, Box<Request>),
    /// Run another program.
    Run(Program),
    /// Read the mailcap files.
    Viewers(Vec<PathBuf>),
    /// Read a file that goes with a form.
    Read(WorkId, PathBuf),
    /// Write down in a file what was read of a news server, and read that file; with no changes, only read it.
    Marks(NewsPlace, PathBuf, Changes),
    /// Write down a rule for the articles of a group.
    Rule(PathBuf, String, String),
    /// Ask the keyring for the password of a user at a place.
    Keyring(WorkId, String, String),
    /// Have the keyring keep a password for a place.
    Keep(String, Login),
    /// Do something for what is being written.
    Write(Errand),
    /// Put text on the terminal's clipboard.
    Copy(String),
    /// Draw everything anew.
    Redraw,
    /// Give the terminal back and stop until the shell says go on.
    Suspend,
}

/// What a change to the bookmarks is in their history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// Something new, which can be undone.
    Done,
    /// It takes the last one back.
    Undone,
    /// It does again what was taken back.
    Redone,
}

/// What a person set, as far as the state depends on it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where `news:` URLs go.
    pub news_server: Option<(String, u16)>,
    /// Where downloads go.
    pub downloads: PathBuf,
    /// What `~` stands for in a path.
    pub home: Option<PathBuf>,
    /// Where paths that start with `./` start from.
    pub directory: Option<PathBuf>,
    /// How octets that are not UTF-8 are read.
    pub charset: ReadAs,
    /// In which zone dates are shown.
    pub zone: Zone,
    /// Whether the colours that texts come with are shown, until somebody wants them otherwise.
    pub colours: Colours,
    /// How FTP is spoken.
    pub ftp: Arc<FtpWays>,
    /// How news servers are spoken to.
    pub news: Arc<NewsWays>,
    /// Where is written down what was read of news servers.
    pub newsrcs: Newsrcs,
    /// The file of rules for articles; nothing where none is kept.
    pub score: Option<PathBuf>,
    /// Those rules.
    pub rules: Arc<score::Rules>,
    /// Names and passwords that the person keeps for other programs too.
    pub netrc: Netrc,
    /// Whether there is a keyring to ask for passwords.
    pub keyring: bool,
    /// How hosts are reached; other programs go their own way.
    pub route: Route,
    /// What is run for addresses that Geomys does not speak.
    pub open: Openers,
    /// What shows files that Geomys cannot: those of settings.toml, then those of mailcap.
    pub viewers: Vec<Entry>,
    /// How far those of mailcap are among them.
    pub mailcaps: Mailcaps,
    /// Who writes, and how.
    pub author: Author,
    /// How many transfers run at once.
    pub transfers: Rules,
}

/// How far the mailcap files have been read: no sooner than somebody needs a viewer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mailcaps {
    /// They are read when a file is to be saved or looked at.
    Unread(Vec<PathBuf>),
    /// They are being read, and that question waits for it.
    Reading,
    /// They have been read, or there are none.
    #[default]
    Read,
}

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
    sought: Vec<Sought>,
    /// The last login that a person has typed and no server has taken yet.
    typed: Option<(String, Login)>,
    /// Where a person wants to go in spite of hazards, as `name::host_of` has it.
    dared: Vec<String>,
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
    awaited: Option<read_on::Awaited>,
    /// What is being written.
    writing: Option<Writing>,
    /// Files on their way to other programs.
    viewing: Vec<(LoadId, Viewing)>,
    /// Certificates that were accepted, by place.
    pins: Pins,
    /// Those that were accepted until the browser ends.
    trusted_once: Vec<(String, Fingerprint)>,
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
    Form(Form),
    /// Is this certificate good?
    Certificate(Box<Judgement>),
    /// Letters for links.
    Hints(Hints),
    /// Every action by name.
    Palette(Palette),
    /// A question with a few answers.
    Choice(Choice),
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
            overlay: None,
            transfers: Transfers::default(),
            downloads: Vec::new(),
            notice: None,
            pending: Pending::None,
            focus: Focus::Bookmarks,
            is_over: false,
            logins: Vec::new(),
            sought: Vec::new(),
            typed: None,
            dared: Vec::new(),
            charsets: Vec::new(),
            searches: Recall::default(),
            rules: Vec::new(),
            climb: None,
            read: news::Read::default(),
            awaited: None,
            writing: None,
            viewing: Vec::new(),
            pins: Pins::default(),
            trusted_once: Vec::new(),
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

    /// Changes the state by what happened at `now` (since the start), and says what is to be done.
    pub fn update(&mut self, message: Message, now: Duration) -> Vec<Effect> {
        self.now = now;
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
            Message::Pinned(place, written) => self.pinned(&place, written),
            Message::Downloading(load, octets, size) => self.downloading(load, octets, size),
            Message::Downloaded(load, result) => self.downloaded(load, result),
            Message::Transferring(load, report) => self.transferring(load, report),
            Message::Walking(load, step) => self.walking(load, step),
            Message::Transferred(load, result) => self.transferred(load, result),
            Message::TransfersWritten(written) => {
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
            Message::Rule(result) => self.ruled_by(result),
            Message::Written(outcome) => self.written(outcome),
            Message::Terminate => {
                self.is_over = true;
                Vec::new()
            }
        };
        effects.extend(self.ask());
        effects.extend(self.write_marks_when_left());
        effects.extend(self.turn_transfers());
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
