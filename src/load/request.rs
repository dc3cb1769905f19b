//! What is asked of a load: a URL, and all that is known beforehand.

use std::fmt;
use std::sync::Arc;

use super::protocol_parts::protocol_parts;
use super::{
    Answers, FtpWays, Gateways, NewsHost, NewsWays, Resume, Since, UseKept, finger, gopher, mirror,
    news,
};
use crate::net::{Trust, place};
use crate::url::{Hazard, Later, Parts, Url};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Request {
    /// Of what.
    pub url: Url,
    /// What for.
    pub purpose: Purpose,
    /// A name and a password that a person gave; before those of the URL.
    pub login: Option<Login>,
    /// The server that `news:` URLs without a host go to.
    pub news_server: Option<NewsHost>,
    /// What is known of the answers to a form.
    pub answers: Answers,
    /// Whether a menu says that it is an item of Gopher+, which tells its size when it is asked for as one.
    pub gopher_item: GopherItem,
    /// Where the same is to be had: asked in turn when the URL's own place fails.
    pub mirrors: Vec<Url>,
    /// The menu that it is an item of, when its attributes are wanted and may be had with those of all the others.
    pub directory: Option<Url>,
    /// What is known of the certificate of [`Request::certificate_place`].
    pub trust: Trust,
    /// Whether a password may go out unencrypted to a server that has offered TLS.
    pub plain_login: PlainLogin,
    /// Whether a person is asked about hazards first.
    pub caution: Caution,
    /// How FTP is spoken.
    pub ftp: Arc<FtpWays>,
    /// How news servers are spoken to.
    pub news: Arc<NewsWays>,
    /// Who else is asked for URLs of which scheme.
    pub gateways: Arc<Gateways>,
    /// How much of it is here already; for [`Purpose::Save`] alone.
    pub resume: Option<Resume>,
    /// Of a list of all groups only what has changed.
    pub since: Option<Since>,
    /// Whether what is kept will do.
    pub use_kept: UseKept,
    /// How many octets of a page are wanted at most; nothing for as many as [`crate::net::Limits`] has.
    pub limit: Option<u64>,
}

/// What a menu says of a Gopher item.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GopherItem {
    /// Nothing.
    #[default]
    Plain,
    /// Its server knows Gopher+ (a `+` in the last field of its row).
    Plus,
}

/// What is done about a login without TLS at a server that has offered TLS.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlainLogin {
    /// The load ends with [`super::Question::Unencrypted`] before a password is sent.
    #[default]
    Ask,
    /// A person has been asked, and lets the password be sent.
    Accepted,
}

/// What is done about a URL that is unwise to open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Caution {
    /// The load ends with [`super::Question::Hazards`] before anybody is dialled.
    #[default]
    Ask,
    /// A person has been asked, and wants it opened.
    Warned,
}

impl Request {
    /// Whom it asks, as `ftp host:port`: where a name and a password are good. Nothing where nobody logs in.
    pub fn place(&self) -> Option<String> {
        let url = self.asked();
        match protocol_parts(&url) {
            Parts::Ftp(ftp) => {
                let scheme = url.scheme_name();
                Some(format!("{scheme} {}", ftp.login.address.text))
            }
            Parts::Nntp(_) | Parts::News(_) => {
                let server = news::server(self)?;
                Some(format!("news {}", place(&server.host, server.port)))
            }
            Parts::Http(http) => {
                let scheme = url.scheme_name().to_ascii_lowercase();
                Some(format!("{scheme} {}", http.address.text))
            }
            Parts::Gopher(_)
            | Parts::Mailto(_)
            | Parts::Telnet(_)
            | Parts::Wais(_)
            | Parts::File(_)
            | Parts::Prospero(_)
            | Parts::Other(_) => None,
        }
    }

    /// Whose certificate has to be good, as `host:port` in lower case; nothing where no TLS is spoken.
    pub fn certificate_place(&self) -> Option<String> {
        let url = self.asked();
        let parts = protocol_parts(&url);
        let (host, port) = match (&parts, url.later()) {
            // Plain ones may be asked to speak TLS, or offer it.
            (Parts::Nntp(_) | Parts::News(_), _) => {
                let server = news::server(self)?;
                (server.host, server.port)
            }
            (Parts::Ftp(_), _) | (Parts::Gopher(_), Some(Later::Gophers)) => {
                let address = parts.address()?;
                (address.node().to_owned(), address.port()?)
            }
            (_, Some(Later::Https)) => {
                let address = url.reading().address()?;
                (address.node().to_owned(), address.port()?)
            }
            _ => return None,
        };
        Some(place(&host.to_ascii_lowercase(), port))
    }

    /// To show what `url` names, with no answers yet.
    pub fn show(url: Url) -> Self {
        Self {
            url,
            purpose: Purpose::Show,
            login: None,
            news_server: None,
            answers: Answers::Unseen,
            gopher_item: GopherItem::Plain,
            mirrors: Vec::new(),
            directory: None,
            trust: Trust::default(),
            plain_login: PlainLogin::Ask,
            caution: Caution::Ask,
            ftp: Arc::default(),
            news: Arc::default(),
            gateways: Arc::default(),
            resume: None,
            since: None,
            use_kept: UseKept::default(),
            limit: None,
        }
    }

    /// Whether it sends answers to a form, which may change something there each time they are sent.
    pub fn sends_answers(&self) -> bool {
        match self.answers {
            Answers::Unseen => mirror::holds_form(&self.url),
            Answers::Agreed | Answers::Hidden(_) => true,
        }
    }

    /// What a person is to be asked about before it is opened.
    pub(super) fn hazards_to_confirm(&self) -> Vec<Hazard> {
        match self.caution {
            Caution::Ask => {
                let mut hazards = self.url.hazards();
                // The port is that of what is asked.
                let at_home = gopher::is_phone_book(&self.url) || finger::is_asked_by(&self.url);
                hazards.retain(|hazard| hazard.asks() && !(at_home && *hazard == Hazard::Port));
                hazards
            }
            Caution::Warned => Vec::new(),
        }
    }
}

/// What a load is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To show in a pane: what cannot be shown is not fetched, but asked about.
    Show,
    /// To save to a file: everything is fetched, without the cap of a page.
    Save,
}

/// A name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    /// Who.
    pub user: String,
    /// The password, once it has been told; it is in no `Debug`, title, log or error.
    pub password: Option<String>,
    /// The account, for the servers of FTP that want one beside (RFC 959, section 4.1.1).
    pub account: Option<String>,
}

impl Login {
    /// A name and a password.
    pub fn new(user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            password: Some(password.into()),
            ..Self::of(user)
        }
    }

    /// A name, whose password nobody has told yet.
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
