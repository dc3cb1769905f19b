//! The request of a load: a URL, and all that is known beforehand.

use std::fmt;
use std::sync::Arc;

use geomys_wire::net::{LocalConsent, Trust};
use geomys_wire::protocol::wais::RelevantDocument;
use rfc1738::Url;

use super::{
    CacheUse, ChangesQuery, FormAnswers, FtpSettings, Gateways, NameHints, NewsHost, NewsSettings,
    OverviewQuery, ResumeRequest, TelnetSettings, Version,
};
use crate::document::Link;

/// The request of a load.
#[derive(Clone, Debug)]
pub struct Request {
    /// The URL.
    pub url: Url,
    /// The purpose: to show or to save.
    pub purpose: Purpose,
    /// The login that a person gave; it is used before that of the URL.
    pub login: Option<Login>,
    /// The server for `news:` URLs without a host.
    pub news_server: Option<NewsHost>,
    /// The state of the answers to a form.
    pub answers: FormAnswers,
    /// The kind of Gopher item, as a menu says it. A Gopher+ item has a known size when it is requested as one.
    pub gopher_item: GopherItem,
    /// The alternates, tried in order when the URL's own server fails.
    pub alternates: Vec<Url>,
    /// The menu that contains the item, when its attributes are requested and may come with those of all other items.
    pub directory: Option<Url>,
    /// The trusted certificate of [`Request::tls_authority`].
    pub trust: Trust,
    /// The name of the client certificate that a person has chosen for this URL and all below it; it is made if there is
    /// none.
    pub identity: Option<String>,
    /// The permission to send a password unencrypted to a server that has offered TLS.
    pub plain_login: PlainLoginConsent,
    /// The document to which those of a WAIS search are to be similar.
    pub relevant: Option<Box<RelevantDocument>>,
    /// The handling of hazards: ask first, or already confirmed.
    pub caution: Caution,
    /// The page that named the URL; None if the user did, by typing it or as a bookmark.
    pub referrer: Option<Url>,
    /// The addresses of this machine and its network to which the URL may lead, although a page of another host named it.
    pub local_consent: LocalConsent,
    /// What the page that links to the URL tells about the name of its file.
    pub name_hints: NameHints,
    /// The FTP settings.
    pub ftp: Arc<FtpSettings>,
    /// The settings for news servers.
    pub news: Arc<NewsSettings>,
    /// The settings for terminal sessions.
    pub telnet: Arc<TelnetSettings>,
    /// The gateways by scheme.
    pub gateways: Arc<Gateways>,
    /// What the listing of a directory tells about the file: the URL is no directory, and these values need no question to
    /// the server. For [`Purpose::Save`] only.
    pub listed: Option<Version>,
    /// The point to resume from; for [`Purpose::Save`] only.
    pub resume: Option<ResumeRequest>,
    /// The reaction to a server that sends more of a file than it announced; for [`Purpose::Save`] only.
    pub oversize: OversizePolicy,
    /// The changes to request instead of the whole list of groups.
    pub since: Option<ChangesQuery>,
    /// The part of the overview to request instead of all of it, for a group.
    pub overview: Option<OverviewQuery>,
    /// The use of a cached page.
    pub cache_use: CacheUse,
    /// The size limit of a page in octets; None for the limit of [`geomys_wire::net::Limits`].
    pub limit: Option<u64>,
}

/// The kind of a Gopher item, as a menu says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GopherItem {
    /// An item without a Gopher+ mark.
    #[default]
    Plain,
    /// An item whose server supports Gopher+ (a `+` in the last field of its row).
    Plus,
}

impl GopherItem {
    /// Returns the kind of the item that a link leads to.
    pub fn of(link: &Link) -> Self {
        match link.attributes {
            Some(_) => Self::Plus,
            None => Self::Plain,
        }
    }
}

/// Reaction to a server that sends more than the announced size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OversizePolicy {
    /// Ask for the size again, and stop there.
    #[default]
    Stop,
    /// Fetch the rest too.
    Fetch,
}

/// The handling of a login without TLS at a server that has offered TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainLoginConsent {
    /// The load ends with [`super::Question::Unencrypted`] before a password is sent.
    #[default]
    Ask,
    /// The password may be sent: a person has agreed.
    Accepted,
}

/// The handling of a URL that has hazards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caution {
    /// The load ends with [`super::Question::Hazards`] before it connects.
    #[default]
    Ask,
    /// The URL may be opened: a person has agreed.
    Confirmed,
}

impl Request {
    /// Creates a request to show `url`, without any answers.
    pub fn show(url: Url) -> Self {
        Self {
            url,
            purpose: Purpose::Show,
            login: None,
            news_server: None,
            answers: FormAnswers::Unconfirmed,
            gopher_item: GopherItem::Plain,
            alternates: Vec::new(),
            directory: None,
            trust: Trust::default(),
            identity: None,
            plain_login: PlainLoginConsent::Ask,
            caution: Caution::Ask,
            referrer: None,
            local_consent: LocalConsent::Ask,
            relevant: None,
            name_hints: NameHints::default(),
            ftp: Arc::default(),
            news: Arc::default(),
            telnet: Arc::default(),
            gateways: Arc::default(),
            listed: None,
            resume: None,
            oversize: OversizePolicy::default(),
            since: None,
            overview: None,
            cache_use: CacheUse::default(),
            limit: None,
        }
    }
}

/// The size limit of a file that is shown as a picture, in octets.
pub const PICTURE_LIMIT: u64 = 64 * 1024 * 1024;

/// The purpose of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To show in a pane: a file that cannot be shown is not fetched; a question follows instead.
    Show,
    /// To save to a file: everything is fetched, without the page limit.
    Save,
    /// To show a file as a picture in a pane: all of it is fetched, up to [`PICTURE_LIMIT`].
    Picture,
    /// To find out whether the target exists, as a link check does: the load ends when its answer has begun, and a protocol asks
    /// for less where it can.
    Check,
}

/// A user name, a password and an account.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// The user name.
    pub user: String,
    /// The password, once it was entered; it is in no `Debug`, title, log or error.
    pub password: Option<String>,
    /// The account, for FTP servers that need one in addition (RFC 959, section 4.1.1).
    pub account: Option<String>,
}

impl Login {
    /// Creates a login with a name and a password.
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            password: Some(password.into()),
            ..Self::of(user)
        }
    }

    /// Creates a login whose password is not entered yet.
    pub fn of(user: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            password: None,
            account: None,
        }
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}
