//! The user's settings.

use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use geomys_load::{FtpSettings, Gateways, NewsHost, NewsSettings, TelnetSettings};
use geomys_page::document::picture::Protocol;
use geomys_page::document::{Zone, score};
use geomys_store::bookmarks::archive::Archives;
use geomys_store::files::cache::CacheLimits;
use geomys_store::files::command::CommandTemplate;
use geomys_store::files::draft::Author;
use geomys_store::files::history::HistorySettings;
use geomys_store::files::logins::Netrc;
use geomys_store::files::mailcap::Entry;
use geomys_store::files::session::SessionPolicy;
use geomys_store::transfer::download::TakenName;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_wire::net::{Limits, Route};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

use crate::config_report::ConfigReport;
use crate::news::server::Newsrcs;
use crate::theme::ThemeName;

/// The user's settings that the state depends on.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a setting of its own"
)]
pub struct Settings {
    /// True in the offline mode: no server is contacted, only cached pages are shown.
    pub offline: bool,
    /// The bounds of the page cache.
    pub cache: CacheLimits,
    /// The octets that one sync fetches at most.
    pub sync_size: u64,
    /// The octets that a sync leaves free on the disk.
    pub sync_reserve: u64,
    /// The memory limits for pages.
    pub memory: Memory,
    /// The time limits of connections.
    pub timeouts: Timeouts,
    /// True if pages of the Web that a person opens may set cookies, until the browser exits.
    pub cookies: bool,
    /// The server for `news:` URLs.
    pub news_server: Option<NewsHost>,
    /// The download directory.
    pub downloads: PathBuf,
    /// The home directory, for `~` in a path.
    pub home: Option<PathBuf>,
    /// The current directory, for paths that start with `./`.
    pub directory: Option<PathBuf>,
    /// The charset for octets that are not UTF-8.
    pub charset: CharsetSetting,
    /// The time zone of displayed dates.
    pub zone: Zone,
    /// The default display of the colours that are part of a text.
    pub colours: Colours,
    /// True if the mouse is used.
    pub mouse: bool,
    /// True if the terminal gets the URLs of links, to open them itself.
    pub hyperlinks: bool,
    /// The width and the margins of text.
    pub reading: Reading,
    /// The settings for pictures.
    pub pictures: PictureSettings,
    /// The theme that colours are taken from.
    pub theme: ThemeName,
    /// The settings for FTP.
    pub ftp: Arc<FtpSettings>,
    /// The settings for news servers.
    pub news: Arc<NewsSettings>,
    /// The time after which the articles of subscribed groups are counted again; zero for never.
    pub news_refresh: Duration,
    /// The settings for terminal sessions.
    pub telnet: Arc<TelnetSettings>,
    /// The gateways for URLs, by scheme.
    pub gateways: Arc<Gateways>,
    /// The files for the marks of news servers.
    pub newsrcs: Newsrcs,
    /// The file of score rules for articles; `None` if there is none.
    pub score: Option<PathBuf>,
    /// The score rules of that file.
    pub rules: Arc<score::ScoreRules>,
    /// The logins of the netrc file, which other programs use too.
    pub netrc: Netrc,
    /// True if passwords are looked up in the keyring.
    pub keyring: bool,
    /// The route to hosts: direct or by a proxy. External programs do not use it.
    pub route: Route,
    /// The external programs for URLs that Geomys does not support.
    pub open: Openers,
    /// The viewers for files that Geomys cannot show: those of settings.toml, then those of mailcap.
    pub viewers: Vec<Entry>,
    /// The number of those from settings.toml.
    pub own_viewers: usize,
    /// The state of reading the mailcap files.
    pub mailcaps: Mailcaps,
    /// The author of articles and mails, with the editor and the mail program.
    pub author: Author,
    /// The treatment of files that have the name of a download already.
    pub taken_name: TakenName,
    /// The limits for transfers.
    pub transfers: TransferLimits,
    /// The folder for new bookmarks without another folder, as names with `/` between them; empty for the top level.
    pub inbox: String,
    /// The use of the session of the last run.
    pub session: SessionPolicy,
    /// The visits that are stored.
    pub history: HistorySettings,
    /// The page that is shown in place of the home page; `None` for that.
    pub home_page: Option<Url>,
    /// The search that is offered for typed words; `None` for none.
    pub search_engine: Option<Url>,
    /// The beginning of the URL of a page at an archive; `None` for no archive.
    pub archives: Archives,
    /// The names without a dot that are local hosts, in lower case.
    pub local_hosts: Vec<String>,
    /// True if the watched bookmarks are fetched at the start.
    pub follow: bool,
    /// The configuration files, and the mistakes in them.
    pub config: Arc<ConfigReport>,
}

/// The settings for pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureSettings {
    /// True if pictures are shown in the pane.
    pub are_shown: bool,
    /// The graphics to show them with.
    pub graphics: GraphicsPolicy,
}

/// The choice of a graphics protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphicsPolicy {
    /// The protocol that the terminal reports; else half-blocks.
    #[default]
    Ask,
    /// This protocol.
    Fixed(Protocol),
    /// Half-blocks.
    HalfBlocks,
}

/// The width and the margins of wrapped text in a pane that is wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The greatest width in columns; 0 for that of the pane.
    pub width: u16,
    /// The margins beside it.
    pub margins: Margins,
}

/// The margins beside a text that is narrower than its pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Margins {
    /// Equal margins on both sides.
    #[default]
    Centred,
    /// A margin on the right only.
    Left,
}

impl Default for Reading {
    fn default() -> Self {
        Self {
            width: 80,
            margins: Margins::default(),
        }
    }
}

/// The memory limits for pages, in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The limit for one page, until the user loads more of it.
    pub page: u64,
    /// The limit for all pages together.
    pub pages: u64,
}

/// The time limits of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The limit for the lookup of a name plus the connection.
    pub connect: Duration,
    /// The limit between two arrivals of octets.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        let Limits { connect, idle, .. } = Limits::default();
        Self { connect, idle }
    }
}

impl Memory {
    /// Returns the limit of the next load of a page that was truncated at `limit`, in octets; `None` if the limit of
    /// all pages allows no more.
    pub fn next_limit(&self, limit: u64) -> Option<u64> {
        (limit < self.pages).then(|| limit.saturating_mul(2).min(self.pages))
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            page: 128 << 20,
            pages: 1 << 30,
        }
    }
}

/// The state of reading the mailcap files. They are read when the first viewer is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mailcaps {
    /// The files are not read yet.
    Unread(Vec<PathBuf>),
    /// The files are being read; a question to the user waits for them.
    Reading,
    /// The files were read, or there are none.
    #[default]
    Read,
}

/// The limits for parallel transfers and retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferLimits {
    /// The maximum number of transfers at once.
    pub at_once: usize,
    /// The maximum number of transfers at once from one host.
    pub at_once_per_host: usize,
    /// The retries after a failed connection.
    pub retries: RetryPolicy,
    /// The most octets a second of all transfers together.
    pub rate: Option<NonZeroU64>,
}

impl Default for TransferLimits {
    fn default() -> Self {
        Self {
            at_once: 8,
            at_once_per_host: 2,
            retries: RetryPolicy::default(),
            rate: None,
        }
    }
}

/// Display of the colours that are part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// The colours are displayed.
    #[default]
    Shown,
    /// The colours are not displayed.
    Hidden,
}

/// The programs for URLs that Geomys does not open itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Openers {
    /// The program for terminal sessions, instead of the terminal in a pane.
    pub telnet: Option<CommandTemplate>,
    /// The program for sessions on a 3270 terminal.
    pub tn3270: Option<CommandTemplate>,
    /// The program for web pages, instead of showing them in a pane.
    pub http: Option<CommandTemplate>,
    /// The program for all other URLs.
    pub other: Option<CommandTemplate>,
    /// The program of the desktop for links and files.
    pub desktop: Option<CommandTemplate>,
}
