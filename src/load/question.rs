//! What a load may need to know of a person.

use super::{Asked, Version};
use crate::net::{Doubt, Security, TlsOffer};
use crate::text::{self, Text};
use crate::url::Hazard;

/// A question that a load ended with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// The words of a search; the answer goes into the URL.
    Search,
    /// A password for `user` at `host`; what the server said when the last one was wrong.
    Password {
        /// Who logs in.
        user: String,
        /// Where.
        host: String,
        /// The server's words, on a second try.
        said: Option<Text>,
        /// How safe the connection is that it would go over.
        security: Security,
    },
    /// A name to log in by at `host`, as nobody has given one yet. It is answered by a [`super::Login`] with the name and an
    /// empty password: [`Question::Password`] follows when the server wants one.
    Login {
        /// Where.
        host: String,
        /// The server's words.
        said: Option<Text>,
    },
    /// An account beside the password, as some servers of FTP want one. It is answered by the [`super::Login`]'s.
    Account {
        /// Who logs in.
        user: String,
        /// Where.
        host: String,
        /// The server's words.
        said: Option<Text>,
        /// How safe the connection is that it would go over.
        security: Security,
    },
    /// A password would go out unencrypted to a server that has offered TLS: is it sent all the same? It is answered by
    /// [`super::PlainLogin::Accepted`].
    Unencrypted(Unencrypted),
    /// The host that `news:` URLs go to.
    NewsServer,
    /// Is this certificate good? It is answered by the [`crate::net::Trust`] of the next request.
    Certificate(Box<Doubt>),
    /// The URL is unwise to open: is it opened all the same? It is answered by [`super::Caution::Warned`].
    Hazards(Vec<Hazard>),
    /// It cannot be shown: where is it to be saved?
    Save {
        /// What kind of thing it is, for the question.
        what: &'static str,
        /// A name that is safe for a local file.
        name: String,
        /// Its size in octets, when known.
        size: Option<u64>,
    },
    /// It has changed since a part of it came: is it fetched anew, or gone on with? It is answered by a
    /// [`super::Request::resume`] that is gone, or that knows no version.
    Changed {
        /// What the server said then.
        was: Version,
        /// What it says now.
        is: Version,
    },
    /// Nobody knows what a Gopher item of this type is: is it read as a text, as a menu, or saved?
    Unknown(u8),
    /// A form is to be filled before it is given.
    Form(Asked),
    /// The URL holds a filled form, with these lines: are they to be sent?
    Send(Vec<Text>),
}

/// A server that a password would go to unencrypted, though it has offered TLS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unencrypted {
    /// `host:port`.
    pub place: String,
    /// The host alone.
    pub host: String,
    /// The table of settings.toml: `ftp` or `news`.
    pub table: &'static str,
    /// Why there is no TLS.
    pub why: NoTls,
    /// The server's words.
    pub said: Option<Text>,
}

/// Why a connection to a server that has offered TLS is without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTls {
    /// The server has offered TLS before, and does not now.
    Withdrawn(TlsOffer),
    /// The server announces TLS, and refused to begin it.
    Refused,
}

impl Unencrypted {
    /// What is wrong, as one sentence.
    pub fn sentence(&self) -> String {
        let place = Text::of(&self.place);
        let said = self.said.as_ref();
        let said = said.map_or(String::new(), |said| format!(" (“{said}”)"));
        match &self.why {
            NoTls::Withdrawn(TlsOffer { since: Some(day) }) => {
                format!("{place} has offered TLS since {day}, and does not now{said}")
            }
            NoTls::Withdrawn(TlsOffer { since: None }) => {
                format!("{place} has offered TLS before, and does not now{said}")
            }
            NoTls::Refused => format!("{place} announces TLS, and refused to begin it{said}"),
        }
    }

    /// The setting that lets passwords go to this host without TLS.
    pub fn setting(&self) -> String {
        let (host, table) = (Text::of(&self.host), self.table);
        format!(
            "\"{host}\" = \"never\" under [{table}.tls-by-host] in settings.toml sends it without TLS"
        )
    }
}

impl Question {
    /// The sentence for where nobody can be asked.
    pub fn unanswered(&self) -> String {
        match self {
            Self::Search => "a search needs words: add them to the address after %09".to_owned(),
            Self::Password {
                user,
                said: Some(said),
                ..
            } => format!("the password of {} was not taken: {said}", Text::of(user)),
            Self::Password { said: None, .. } => {
                "a password is wanted, and nobody can be asked for it here".to_owned()
            }
            Self::Login {
                host,
                said: Some(said),
            } => format!(
                "{} lets nobody in without a name, and nobody can be asked for one here: {said}",
                Text::of(host)
            ),
            Self::Login { said: None, .. } => {
                "a name to log in by is wanted, and nobody can be asked for it here".to_owned()
            }
            Self::Account { said, .. } => format!(
                "an account is wanted beside the password, and nobody can be asked for it here{}",
                said.as_ref()
                    .map_or(String::new(), |said| format!(": {said}"))
            ),
            Self::Unencrypted(unencrypted) => format!(
                "{}, so the password was not sent; {}",
                unencrypted.sentence(),
                unencrypted.setting()
            ),
            Self::NewsServer => "no news server is set: name one with --server, in settings.toml \
                                 or in $NNTPSERVER"
                .to_owned(),
            Self::Certificate(doubt) => untrusted(doubt),
            Self::Hazards(hazards) => format!(
                "not opened without asking, and nobody can be asked here: {}",
                sentences(hazards)
            ),
            Self::Save { .. } => "this is nothing to show; `geomys get` saves it".to_owned(),
            Self::Changed { .. } => {
                "the file has changed on its server since a part of it came".to_owned()
            }
            Self::Unknown(_) => {
                "this is of a type that Geomys does not know; `geomys get` saves it".to_owned()
            }
            Self::Form(_) => {
                "a form must be filled first: open it in the browser, or add the answers to the \
                              address"
                    .to_owned()
            }
            Self::Send(_) => {
                "this address would send a filled form, and nobody can be asked here".to_owned()
            }
        }
    }
}

/// How a file differs from what it was, in a sentence.
pub fn difference(was: &Version, is: &Version) -> String {
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
        return "it has changed on its server since a part of it came".to_owned();
    }
    format!(
        "it has changed on its server since a part of it came: {}",
        differences.join("; ")
    )
}

/// `20261120184501` as `2026-11-20`.
fn day(modified: &str) -> String {
    let parts = (modified.get(..4), modified.get(4..6), modified.get(6..8));
    match parts {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => Text::of(modified).to_string(),
    }
}

/// What a person should know of a URL.
pub fn sentences(hazards: &[Hazard]) -> String {
    let sentences: Vec<&str> = hazards.iter().map(|hazard| hazard.sentence()).collect();
    sentences.join("; ")
}

/// The sentence for a certificate that nobody is there to judge.
fn untrusted(doubt: &Doubt) -> String {
    let Doubt {
        place,
        fingerprint,
        why,
        valid: _,
        known,
    } = doubt;
    let why = Text::of(&why.to_string());
    match known {
        None => format!(
            "the certificate of {place} is not verified, as {why}; nothing was sent. It is {fingerprint}. A page \
             that is opened in the browser asks whether it is good"
        ),
        Some(pin) => format!(
            "the certificate of {place} has changed, and {why}; nothing was sent. It was {}, and is {fingerprint} \
             now; somebody may stand in between. A page that is opened in the browser asks whether it is good",
            pin.fingerprint
        ),
    }
}
