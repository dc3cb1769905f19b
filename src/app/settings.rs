//! What a person set.

use std::path::PathBuf;
use std::sync::Arc;

use super::news::Newsrcs;
use super::outside::Openers;
use super::page::Colours;
use super::transfers::Rules;
use crate::document::{Zone, score};
use crate::files::draft::Author;
use crate::files::mailcap::Entry;
use crate::files::netrc::Netrc;
use crate::load::{FtpWays, Gateways, NewsHost, NewsWays};
use crate::net::Route;
use crate::text::ReadAs;

/// What a person set, as far as the state depends on it.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// No server is asked, and only what is kept is shown.
    pub offline: bool,
    /// Octets of the pages that are kept to be read without a network; 0 for none.
    pub cache: u64,
    /// How much memory pages take.
    pub memory: Memory,
    /// Where `news:` URLs go.
    pub news_server: Option<NewsHost>,
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
    /// Who else is asked for URLs of which scheme.
    pub gateways: Arc<Gateways>,
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
    /// The folder of new bookmarks for which none is named, `/` between a folder and one inside it; empty for the top.
    pub inbox: String,
    /// Whether what is watched of the bookmarks is fetched when the browser starts.
    pub watch: bool,
}

/// How much memory pages take, in octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Of one page, unless somebody wants more of it.
    pub page: u64,
    /// Of all pages together.
    pub pages: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            page: 128 << 20,
            pages: 1 << 30,
        }
    }
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
