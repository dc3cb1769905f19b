//! The request of a load: a URL, and all that is known beforehand; and a person's answers, added before it is run
//! again.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use geomys_wire::net::{LocalConsent, Trust};
use geomys_wire::protocol::gopher::PlusRequest;
use geomys_wire::protocol::wais::RelevantDocument;
use geomys_wire::text::{Charset, CharsetSetting};
use rfc1738::{Encoded, Parts, Url};

use super::{
    ArchiveStore, CacheUse, ChangesQuery, CookieJar, FormAnswers, FtpSettings, Gateways, KnownCopy,
    NameHints, NewsHost, NewsSettings, OverviewQuery, PostedAnswers, Privacy, PrivateHosts, Reason,
    ResumeRequest, Version,
};
use geomys_page::document::Link;

/// The request of a load.
#[derive(Clone, Debug)]
pub struct Request {
    /// The URL.
    pub url: Url,
    /// The purpose: to show or to save.
    pub purpose: Purpose,
    /// The login that a person gave; it is used before that of the URL.
    pub login: Option<Login>,
    /// The state of the answers to a form.
    pub answers: FormAnswers,
    /// What the menu tells about the item, for Gopher.
    pub gopher: GopherRequest,
    /// The trusted certificate of [`Request::tls_authority`].
    pub trust: Trust,
    /// The client certificate that a person has chosen.
    pub certificate: IdentityChoice,
    /// What a person has agreed to.
    pub consents: Consents,
    /// The document to which those of a WAIS search are to be similar.
    pub relevant: Option<Box<RelevantDocument>>,
    /// The reason why the URL is requested: who named it.
    pub reason: Reason,
    /// What the page that links to the URL tells about the name of its file.
    pub name_hints: NameHints,
    /// The settings of the protocols.
    pub settings: ProtocolSettings,
    /// What is known of the page or the file, and how it is saved.
    pub save: SaveRequest,
    /// The server and the part of its data, for news.
    pub news_query: NewsQuery,
    /// The use of a cached page.
    pub cache_use: CacheUse,
    /// True if a person sees the answer, and judges it: the failure has the page of an error
    /// ([`Failure::page`](super::Failure::page)), and a reply over HTTP may be without a status line.
    pub is_attended: bool,
    /// True if the load waits for a short pause that a server asks for.
    pub waits: bool,
    /// The size limit of a page in octets; None for the limit of [`geomys_wire::net::Limits`].
    pub limit: Option<u64>,
}

/// The settings of the protocols for a load.
#[derive(Clone, Debug)]
pub struct ProtocolSettings {
    /// The FTP settings.
    pub ftp: Arc<FtpSettings>,
    /// The settings for news servers.
    pub news: Arc<NewsSettings>,
    /// The settings for terminal sessions.
    pub telnet: Arc<TelnetSettings>,
    /// The gateways by scheme.
    pub gateways: Arc<Gateways>,
    /// The archives that were opened last.
    pub archives: Arc<ArchiveStore>,
    /// What the tab leaves on the disk; [`Request::is_private`] knows the excepted hosts too.
    pub privacy: Privacy,
    /// The hosts of whose pages nothing is stored.
    pub private_hosts: Arc<PrivateHosts>,
    /// The cookies, for a page that a person opens; None for every other request.
    pub cookies: Option<Arc<CookieJar>>,
}

impl Default for ProtocolSettings {
    fn default() -> Self {
        Self {
            ftp: Arc::default(),
            news: Arc::default(),
            telnet: Arc::default(),
            gateways: Arc::default(),
            archives: Arc::new(ArchiveStore::disabled()),
            privacy: Privacy::default(),
            private_hosts: Arc::default(),
            cookies: None,
        }
    }
}

/// What a Gopher menu tells about an item.
#[derive(Clone, Debug, Default)]
pub struct GopherRequest {
    /// The kind of item, as a menu says it. A Gopher+ item has a known size when it is requested as one.
    pub item: GopherItem,
    /// The alternates, tried in order when the URL's own server fails.
    pub alternates: Vec<Url>,
    /// The menu that contains the item, when its attributes are requested and may come with those of all other items.
    pub directory: Option<Url>,
    /// True if a text arrives with the dots that its server added: those at the beginnings of lines, and the final one.
    pub keeps_dots: bool,
}

/// The client certificate that a person has chosen.
#[derive(Clone, Debug, Default)]
pub struct IdentityChoice {
    /// The name of the certificate; it is made if there is none.
    pub name: Option<String>,
    /// The URLs for which it is chosen.
    pub scope: IdentityScope,
}

/// What a person has agreed to.
#[derive(Clone, Debug, Default)]
pub struct Consents {
    /// The permission to send a password unencrypted to a server that has offered TLS.
    pub plain_login: PlainLoginConsent,
    /// The handling of hazards: ask first, or already confirmed.
    pub caution: Caution,
    /// The addresses of this machine and its network to which the URL may lead, although a page of another host named
    /// it.
    pub local: LocalConsent,
    /// True if the FTP server may connect to this machine.
    pub active: bool,
    /// True if an archive may unpack to any size.
    pub unpack: bool,
}

/// What is known of a page or a file, and how it is saved.
#[derive(Clone, Debug, Default)]
pub struct SaveRequest {
    /// The copy of the page that is stored: the server need not send the page again. None if its version is not needed.
    pub copy: Option<Box<KnownCopy>>,
    /// What the listing of a directory tells about the file: the URL is no directory, and these values need no question
    /// to the server.
    pub listed: Option<Version>,
    /// True if the names in it are wanted, to be saved: an archive is listed as a directory is.
    pub lists_members: bool,
    /// The directory, or one that is to be created, on whose disk all members of an archive are unpacked together while
    /// it is listed. The loads of the members read them there.
    pub spool_in: Option<PathBuf>,
    /// The point to resume from.
    pub resume: Option<ResumeRequest>,
    /// True if the holes of a sparse file are reported as such.
    pub takes_holes: bool,
    /// The number of octets that are wanted from there on, if not all.
    pub length: Option<u64>,
    /// The reaction to a server that sends more of a file than it announced.
    pub oversize: OversizePolicy,
    /// The reaction to a redirect.
    pub redirects: RedirectPolicy,
    /// True if a page of the Web that came compressed, though nobody asked for it, is saved as it was before: its links
    /// are read, and what is cut is not whole.
    pub decodes: bool,
}

/// Reaction to a redirect of a page that is fetched without a person who looks at it.
#[derive(Clone, Debug, Default)]
pub enum RedirectPolicy {
    /// Follow it.
    #[default]
    Follow,
    /// Follow it to where these rules admit it; else end the load with a failure whose link is the target.
    FollowWithin(RedirectRules),
    /// End the load with a failure whose link is the target.
    Report,
}

/// Rules for the targets of redirects: a rule for requests holds for those that a server leads to, too.
#[derive(Clone)]
pub struct RedirectRules(Arc<RuleOfTargets>);

/// Returns the reason why a target is not requested.
type RuleOfTargets = dyn Fn(&Url) -> Result<(), &'static str> + Send + Sync;

impl RedirectRules {
    /// Creates rules of a function that returns the reason why a URL is not requested.
    pub fn new(admit: impl Fn(&Url) -> Result<(), &'static str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(admit))
    }

    /// Judges the target of a redirect.
    ///
    /// # Errors
    /// The reason why it is not requested.
    pub fn admit(&self, target: &Url) -> Result<(), &'static str> {
        (self.0)(target)
    }
}

impl fmt::Debug for RedirectRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedirectRules").finish_non_exhaustive()
    }
}

/// The server of a request for news, and the part of its data.
#[derive(Clone, Debug, Default)]
pub struct NewsQuery {
    /// The server for `news:` URLs without a host.
    pub server: Option<NewsHost>,
    /// The changes to request instead of the whole list of groups.
    pub since: Option<ChangesQuery>,
    /// The part of the overview to request instead of all of it, for a group.
    pub overview: Option<OverviewQuery>,
    /// The numbers of the articles of the same group that are requested next, in this order, for an article by its
    /// number: they are sent for in one window.
    pub next_articles: Vec<u64>,
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
    /// Creates a request to show `url` for this reason, without any answers.
    pub fn show(url: Url, reason: Reason) -> Self {
        Self {
            url,
            purpose: Purpose::Show,
            login: None,
            answers: FormAnswers::Unconfirmed,
            gopher: GopherRequest::default(),
            trust: Trust::default(),
            certificate: IdentityChoice::default(),
            consents: Consents::default(),
            relevant: None,
            reason,
            name_hints: NameHints::default(),
            settings: ProtocolSettings::default(),
            save: SaveRequest::default(),
            news_query: NewsQuery::default(),
            cache_use: CacheUse::default(),
            waits: true,
            is_attended: false,
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
    /// To find out whether the target exists, as a link check does: the load ends when its answer has begun, and a
    /// protocol asks for less where it can.
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

impl Request {
    /// Sets the user name. An ftp URL without a user gets this one, so that its links have it too.
    pub fn set_user(&mut self, user: &str) {
        self.login = Some(Login::of(user));
        let Parts::Ftp(ftp) = self.url.base_parts() else {
            return;
        };
        if ftp.login.user.is_none()
            && let Ok(url) = self.url.with_user(user.as_bytes())
        {
            self.url = url;
        }
    }

    /// Sets the user whose password has to be entered, and clears the password.
    pub fn request_password(&mut self, user: &str) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        user.clone_into(&mut login.user);
        login.password = None;
    }

    /// Sets the password of `user`.
    pub fn set_password(&mut self, user: &str, password: String) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        user.clone_into(&mut login.user);
        login.password = Some(password);
    }

    /// Sets the account of `user`, who has a password already.
    pub fn set_account(&mut self, user: &str, account: String) {
        let login = self.login.get_or_insert_with(|| Login::of(user));
        login.account = Some(account);
    }

    /// Returns true if the request leaves nothing on the disk.
    pub fn is_private(&self) -> bool {
        self.settings.privacy == Privacy::Private || self.settings.private_hosts.include(&self.url)
    }

    /// The charset that the user chose for pages.
    pub fn chosen_charset(&self) -> Option<Charset> {
        match self.name_hints.charset {
            CharsetSetting::Set(charset) => Some(charset),
            CharsetSetting::Detected => None,
        }
    }

    /// The body of the POST request, if the request is one.
    pub fn posted(&self) -> Option<&PostedAnswers> {
        match &self.answers {
            FormAnswers::Posted(posted) => Some(posted),
            FormAnswers::Unconfirmed
            | FormAnswers::Confirmed
            | FormAnswers::Hidden(_)
            | FormAnswers::Fill(_) => None,
        }
    }

    /// Returns true if the request sends answers to a form, which may change something on the server each time.
    pub fn sends_answers(&self) -> bool {
        match self.answers {
            FormAnswers::Unconfirmed => holds_form(&self.url),
            FormAnswers::Fill(_) => false,
            FormAnswers::Confirmed | FormAnswers::Hidden(_) | FormAnswers::Posted(_) => true,
        }
    }
}

/// Returns true if a URL contains a filled form of Gopher+.
pub(super) fn holds_form(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return false;
    };
    let plus = gopher.plus.map(Encoded::octets).unwrap_or_default();
    matches!(PlusRequest::parse(&plus), PlusRequest::FilledForm(_))
}

/// The URLs of a server for which a client certificate is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdentityScope {
    /// The URL that asks, and all below it.
    #[default]
    Page,
    /// All of the host and port.
    Host,
}

/// The telnet settings of settings.toml.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelnetSettings {
    /// The terminal type, which becomes `$TERM` on the server.
    pub terminal: String,
}

impl Default for TelnetSettings {
    fn default() -> Self {
        Self {
            terminal: "xterm-256color".to_owned(),
        }
    }
}

/// The most octets in the name of a terminal type (RFC 1091, section 5).
const MAX_NAME_BYTES: usize = 40;

impl TelnetSettings {
    /// Returns true if this can be the name of a terminal type: letters, digits and `+-./_`, at most 40.
    pub fn is_terminal_name(name: &str) -> bool {
        let is_allowed = |octet: u8| octet.is_ascii_alphanumeric() || b"+-./_".contains(&octet);
        (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_allowed)
    }
}
