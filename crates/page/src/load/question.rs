//! Questions of a load to a person.

use std::net::IpAddr;

use geomys_wire::net::{LocalNetwork, Security, TlsOffer, UntrustedCertificate};
use geomys_wire::text::{self, Text};
use rfc1738::{Hazard, Url};

use super::{FormKind, ServerForm, Version};

/// A question that a load ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The words of a search; the answer becomes part of the URL.
    Search,
    /// A line of text that the server asks for, in its own words.
    Input {
        /// The server's words.
        prompt: Text,
        /// True if the answer is not shown and becomes no part of a URL: it is
        /// [`super::FormAnswers::Hidden`]. Otherwise it becomes the query of the URL.
        is_secret: bool,
        /// The URL that asks: that of the request, or the last of its redirects.
        url: Url,
    },
    /// A password for `user` at `host`; `said` is set when the last one was wrong.
    Password {
        /// The user name.
        user: String,
        /// The host.
        host: String,
        /// The server's words, after a failed login.
        said: Option<Text>,
        /// The security of the connection.
        security: Security,
    },
    /// A user name for `host`, because there is none yet. The answer is a [`super::Login`] with the name and an empty
    /// password: [`Question::Password`] follows when the server needs one.
    Login {
        /// The host.
        host: String,
        /// The server's words.
        said: Option<Text>,
    },
    /// An account in addition to the password, as some FTP servers need it. The answer is the account of the
    /// [`super::Login`].
    Account {
        /// The user name.
        user: String,
        /// The host.
        host: String,
        /// The server's words.
        said: Option<Text>,
        /// The security of the connection.
        security: Security,
    },
    /// The permission to send a password unencrypted to a server that has offered TLS. The answer is
    /// [`super::PlainLoginConsent::Accepted`].
    Unencrypted(UnencryptedLogin),
    /// The server for `news:` URLs.
    NewsServer,
    /// The decision about a certificate. The answer is the [`geomys_wire::net::Trust`] of the next request.
    Certificate(Box<UntrustedCertificate>),
    /// The client certificate to show to a server, for the URL and all below it. The answer is the
    /// [`super::Request::identity`].
    Identity {
        /// `host:port`.
        authority: String,
        /// The reason: none was shown, or the one that was shown was not accepted.
        why: &'static str,
        /// The server's words.
        said: Option<Text>,
        /// The URL that wants it: that of the request, or the last of its redirects.
        url: Url,
        /// The names of the stored certificates.
        names: Vec<String>,
    },
    /// The permission to open a URL with hazards. The answer is [`super::Caution::Confirmed`].
    Hazards(Vec<Hazard>),
    /// The permission to connect to an address of this machine or its network, to which a page of another host led. The answer is
    /// the [`super::Request::local_consent`].
    LocalAddress(LocalTarget),
    /// A file that cannot be shown: the name to save it under.
    Save {
        /// The kind of the file, in words.
        what: &'static str,
        /// A name that is safe for a local file.
        name: String,
        /// The size in octets, when known.
        size: Option<u64>,
    },
    /// A file that has changed since a part of it was stored: fetch it again, or resume anyway. The answer is a
    /// [`super::Request::resume`] that is removed, or has no version.
    Changed {
        /// The version at that time.
        was: Version,
        /// The current version.
        is: Version,
    },
    /// A Gopher item of this unknown type: opened as a text, as a menu, or saved.
    Unknown(u8),
    /// A form that has to be filled in first.
    Form(ServerForm),
    /// The permission to send the filled form in the URL, with these lines.
    Send(Vec<Text>),
}

/// A local address to which the page of another host led.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalTarget {
    /// `host:port`.
    pub authority: String,
    /// The address.
    pub address: IpAddr,
}

impl LocalTarget {
    /// Returns the problem as one sentence.
    pub fn sentence(&self) -> String {
        let network = LocalNetwork::of(self.address).map_or("", LocalNetwork::words);
        let authority = Text::of(&self.authority);
        if self.authority.contains(&self.address.to_string()) {
            return format!("a page of another host leads to {network}: {authority}");
        }
        let address = self.address;
        format!("a page of another host leads to {network}: {authority} is at {address}")
    }
}

/// A login that would be sent unencrypted, although the server has offered TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnencryptedLogin {
    /// `host:port`.
    pub authority: String,
    /// The host alone.
    pub host: String,
    /// The table of settings.toml: `ftp` or `news`.
    pub table: &'static str,
    /// The reason why there is no TLS.
    pub reason: NoTlsReason,
    /// The server's words.
    pub said: Option<Text>,
}

/// The reason why a connection to a server that has offered TLS is not encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTlsReason {
    /// The server has offered TLS before, and does not now.
    Withdrawn(TlsOffer),
    /// The server announces TLS, and refused to begin it.
    Refused,
}

impl UnencryptedLogin {
    /// Returns the problem as one sentence.
    pub fn sentence(&self) -> String {
        let authority = Text::of(&self.authority);
        let said = self.said.as_ref();
        let said = said.map_or(String::new(), |said| format!(" (“{said}”)"));
        match &self.reason {
            NoTlsReason::Withdrawn(TlsOffer { since: Some(day) }) => {
                format!("{authority} has offered TLS since {day}, but not now{said}")
            }
            NoTlsReason::Withdrawn(TlsOffer { since: None }) => {
                format!("{authority} has offered TLS before, but not now{said}")
            }
            NoTlsReason::Refused => {
                format!("{authority} announces TLS but refused it{said}")
            }
        }
    }

    /// Returns the setting that allows passwords to this host without TLS.
    pub fn setting(&self) -> String {
        let (host, table) = (Text::of(&self.host), self.table);
        format!(
            "\"{host}\" = \"never\" under [{table}.tls-by-host] in settings.toml sends it without TLS"
        )
    }
}

/// The words of a question, for the browser and the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionWords {
    /// The label of the line that answers it, or a sentence to be answered with yes or no.
    pub prompt: String,
    /// What the user should know before the answer.
    pub remarks: Vec<Text>,
    /// True if the typed line is not shown.
    pub is_secret: bool,
}

impl QuestionWords {
    fn new(prompt: impl Into<String>, remarks: impl IntoIterator<Item = Text>) -> Self {
        Self {
            prompt: prompt.into(),
            remarks: remarks.into_iter().collect(),
            is_secret: false,
        }
    }

    fn secret(self) -> Self {
        Self {
            is_secret: true,
            ..self
        }
    }
}

impl Question {
    /// Returns the words of a question that is answered with one line or with yes or no; `None` for the others.
    pub fn words(&self) -> Option<QuestionWords> {
        Some(match self {
            Self::Search => QuestionWords::new("Search for", []),
            Self::Input {
                prompt, is_secret, ..
            } => QuestionWords {
                is_secret: *is_secret,
                ..QuestionWords::new("Answer", [prompt.clone()])
            },
            Self::Login { host, said } => {
                QuestionWords::new(format!("Name at {}", Text::of(host)), said.clone())
            }
            Self::Password {
                user,
                host,
                said,
                security,
            } => {
                let encryption = security.encryption();
                let prompt = format!("Password of {user} at {host}, {encryption}");
                QuestionWords::new(prompt, said.clone()).secret()
            }
            Self::Account {
                user,
                host,
                said,
                security,
            } => {
                let encryption = security.encryption();
                let prompt = format!("Account of {user} at {host}, {encryption}");
                QuestionWords::new(prompt, said.clone()).secret()
            }
            Self::Identity {
                authority,
                why,
                said,
                ..
            } => {
                let said = said.as_ref();
                let said = said.map_or(String::new(), |said| format!(" (“{said}”)"));
                let prompt = format!("Certificate for {}", Text::of(authority));
                QuestionWords::new(prompt, [Text::of(&format!("{why}{said}"))])
            }
            Self::NewsServer => {
                let remark = Text::of("no news server set: enter host or host:port");
                QuestionWords::new("News server", [remark])
            }
            Self::Unencrypted(unencrypted) => {
                let authority = &unencrypted.authority;
                let prompt = format!("Send the password to {authority} unencrypted?");
                let remarks = [
                    &*unencrypted.sentence(),
                    "The offer of TLS may have been removed to read the password.",
                    &unencrypted.setting(),
                ];
                QuestionWords::new(prompt, remarks.map(Text::of))
            }
            Self::Hazards(hazards) => {
                let remarks = hazards.iter().map(|hazard| Text::of(hazard.sentence()));
                QuestionWords::new("This URL may be deceptive. Open it?", remarks)
            }
            Self::LocalAddress(target) => {
                let prompt = format!("Connect to {}?", Text::of(&target.authority));
                QuestionWords::new(prompt, [Text::of(&target.sentence())])
            }
            Self::Certificate(_)
            | Self::Save { .. }
            | Self::Changed { .. }
            | Self::Unknown(_)
            | Self::Form(_)
            | Self::Send(_) => return None,
        })
    }

    /// Returns true if a redirect of this URL led to the host that asks. No other question follows a redirect to another
    /// server.
    pub fn is_from_other_host(&self, url: &Url) -> bool {
        let host = |url: &Url| {
            let address = url.base_parts().address()?;
            Some(address.host.to_ascii_lowercase())
        };
        match self {
            Self::Input { url: asking, .. } | Self::Identity { url: asking, .. } => {
                host(asking) != host(url)
            }
            Self::LocalAddress(target) => {
                let asking = target.authority.rsplit_once(':').map(|(host, _)| host);
                let asking = asking.unwrap_or_default().trim_matches(['[', ']']);
                let address = url.base_parts().address();
                address.is_none_or(|address| !address.node().eq_ignore_ascii_case(asking))
            }
            Self::Search
            | Self::Password { .. }
            | Self::Login { .. }
            | Self::Account { .. }
            | Self::Unencrypted(_)
            | Self::NewsServer
            | Self::Certificate(_)
            | Self::Hazards(_)
            | Self::Save { .. }
            | Self::Changed { .. }
            | Self::Unknown(_)
            | Self::Form(_)
            | Self::Send(_) => false,
        }
    }

    /// Returns the reason of the question as a sentence.
    pub fn reason(&self) -> String {
        let colon = |said: &Option<Text>| {
            let said = said.as_ref();
            said.map_or(String::new(), |said| format!(": {said}"))
        };
        match self {
            Self::Search => "search words are missing".to_owned(),
            Self::Input { prompt, .. } => format!("the server asks “{prompt}”"),
            Self::Identity {
                authority,
                why,
                said,
                ..
            } => {
                let said = said.as_ref();
                let said = said.map_or(String::new(), |said| format!(": “{said}”"));
                format!("{authority} wants a client certificate, and {why}{said}")
            }
            Self::Password {
                user, host, said, ..
            } => {
                let (user, host) = (Text::of(user), Text::of(host));
                format!("{host} requires the password of {user}{}", colon(said))
            }
            Self::Login { host, said } => {
                format!("{} requires a user name{}", Text::of(host), colon(said))
            }
            Self::Account { host, said, .. } => {
                format!("{} requires an account{}", Text::of(host), colon(said))
            }
            Self::NewsServer => "no news server is set".to_owned(),
            Self::Certificate(error) if error.pinned.is_some() => {
                format!("the certificate of {} has changed", error.authority)
            }
            Self::Certificate(error) => format!("unknown certificate of {}", error.authority),
            Self::Unencrypted(unencrypted) => unencrypted.sentence(),
            Self::Hazards(hazards) => hazard_sentences(hazards),
            Self::LocalAddress(target) => target.sentence(),
            Self::Changed { was, is } => version_difference(was, is),
            Self::Send(_) => "this URL contains a filled form".to_owned(),
            Self::Save { .. } | Self::Unknown(_) | Self::Form(_) => self.unanswered(),
        }
    }

    /// Returns the error message for a place where no question can be asked.
    pub fn unanswered(&self) -> String {
        let reason = || self.reason();
        match self {
            Self::Search => format!(
                "{}: add them after %09 in a gopher URL, after ? in a wais URL",
                reason()
            ),
            Self::Input { .. } => format!(
                "{}: open it in the browser, or add the answer after ? to the address",
                reason()
            ),
            Self::Password {
                user,
                said: Some(said),
                ..
            } => format!("the password of {} was refused: {said}", Text::of(user)),
            Self::Password { said: None, .. } => {
                "a password is required, and there is no terminal to ask for it".to_owned()
            }
            Self::Login {
                host,
                said: Some(said),
            } => format!(
                "{} requires a user name, and there is no terminal to ask for it: {said}",
                Text::of(host)
            ),
            Self::Login { said: None, .. } => {
                "a user name is required, and there is no terminal to ask for it".to_owned()
            }
            Self::Account { said, .. } => format!(
                "an account is required beside the password, and there is no terminal to ask for it{}",
                said.as_ref()
                    .map_or(String::new(), |said| format!(": {said}"))
            ),
            Self::Unencrypted(unencrypted) => format!(
                "{}, so the password was not sent; {}",
                reason(),
                unencrypted.setting()
            ),
            Self::NewsServer => format!(
                "{}: use --server, news-server in settings.toml, or $NNTPSERVER",
                reason()
            ),
            Self::Certificate(cert_error) => untrusted(cert_error),
            Self::Identity { .. } => {
                format!("{}; open it in the browser to choose one", reason())
            }
            Self::Hazards(_) => format!(
                "not opened: it needs a confirmation, and there is no terminal to ask: {}",
                reason()
            ),
            Self::LocalAddress(_) => format!("not opened: {}", reason()),
            Self::Save { .. } => "this is a file to save: use `geomys get`".to_owned(),
            Self::Changed { .. } => {
                "the file has changed on the server since the partial download".to_owned()
            }
            Self::Unknown(_) => "unknown type: `geomys get` saves it".to_owned(),
            Self::Form(form) if form.kind == FormKind::Upload => {
                "this takes a text or a file to send: open it in the browser".to_owned()
            }
            Self::Form(_) => {
                "this is a form: fill it in the browser, or add the answers to the URL".to_owned()
            }
            Self::Send(_) => {
                "this URL would send a filled form, and there is no terminal to confirm it"
                    .to_owned()
            }
        }
    }
}

/// Returns the difference between two versions of a file, as one sentence.
pub fn version_difference(was: &Version, is: &Version) -> String {
    let size = |version: &Version| version.size.map(text::octets);
    let words = |what: &str, was: Option<String>, is: Option<String>| match (was, is) {
        (Some(was), Some(is)) if was != is => Some(format!("{what} {was}, and {is} now")),
        (Some(_) | None, _) => None,
    };
    let exact = |version: &Version| version.size.map(|size| format!("{size} octets"));
    let sizes = words("it had", size(was), size(is)).or(words("it had", exact(was), exact(is)));
    let times = words(
        "it was of",
        was.modified.as_deref().map(day),
        is.modified.as_deref().map(day),
    )
    .or(words(
        "it was of",
        was.modified.clone(),
        is.modified.clone(),
    ));
    let differences: Vec<String> = sizes.into_iter().chain(times).collect();
    if differences.is_empty() {
        return "it has changed on the server since the partial download".to_owned();
    }
    format!(
        "it has changed on the server since the partial download: {}",
        differences.join("; ")
    )
}

/// Formats `20261120184501` as `2026-11-20`.
fn day(modified: &str) -> String {
    let parts = (modified.get(..4), modified.get(4..6), modified.get(6..8));
    match parts {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => Text::of(modified).to_string(),
    }
}

/// Returns the hazards of a URL, as one sentence.
pub(super) fn hazard_sentences(hazards: &[Hazard]) -> String {
    let sentences: Vec<&str> = hazards.iter().map(|hazard| hazard.sentence()).collect();
    sentences.join("; ")
}

/// Returns the message for an untrusted certificate when no question can be asked.
fn untrusted(cert_error: &UntrustedCertificate) -> String {
    let UntrustedCertificate {
        authority,
        fingerprint,
        why,
        valid: _,
        pinned,
        is_renewed,
    } = cert_error;
    let why = Text::of(&why.to_string());
    match pinned {
        None => format!(
            "the certificate of {authority} is not verified: {why}. Nothing was sent. Its fingerprint is {fingerprint}. Open the URL in the browser to accept it"
        ),
        Some(_) if *is_renewed => format!(
            "the accepted certificate of {authority} has expired, and the new one is not verified: {why}. Nothing was sent. Its fingerprint is {fingerprint}. Open the URL in the browser to accept it"
        ),
        Some(pin) => format!(
            "the certificate of {authority} has changed: {why}. Nothing was sent. It was {}, and is {fingerprint} now; somebody may intercept the connection. Open the URL in the browser to decide",
            pin.fingerprint
        ),
    }
}
