//! Questions of a load to a person.

mod words;

use std::net::IpAddr;

use geomys_wire::net::{LocalNetwork, Security, TlsOffer, UntrustedCertificate};
use geomys_wire::text::Text;
use rfc1738::{Hazard, Url};

pub(super) use self::words::hazard_sentences;
pub use self::words::{QuestionWords, version_difference};
use super::{ServerForm, Version};

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
    /// [`IdentityChoice::name`](super::IdentityChoice::name).
    Identity {
        /// `host:port`.
        authority: String,
        /// The reason: none was sent, or the one that was shown was not accepted.
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
    /// The permission to connect to an address of this machine or its network, to which a page of another host led. The
    /// answer is the [`Consents::local`](super::Consents::local).
    LocalAddress(LocalTarget),
    /// The permission for an FTP server to connect to this machine, as it offers no other data connection. The answer
    /// is [`Consents::active`](super::Consents::active).
    ActiveMode {
        /// `host:port`.
        authority: String,
    },
    /// The permission to save more members of an archive than [`MAX_UNASKED_BYTES`], and more than a hundred times its
    /// size. The answer is [`Consents::unpack`](super::Consents::unpack).
    ///
    /// [`MAX_UNASKED_BYTES`]: crate::MAX_UNASKED_BYTES
    Unpack {
        /// The name of the archive.
        name: String,
        /// Its size in octets, as far as it has come.
        packed: u64,
        /// The octets of its members, those that were saved and those that are to be.
        unpacked: u64,
    },
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
    /// [`SaveRequest::resume`](super::SaveRequest::resume) that is removed, or has no version.
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

impl Question {
    /// Returns true if a redirect of this URL led to the host that asks. No other question follows a redirect to
    /// another server.
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
            | Self::ActiveMode { .. }
            | Self::Unpack { .. }
            | Self::Save { .. }
            | Self::Changed { .. }
            | Self::Unknown(_)
            | Self::Form(_)
            | Self::Send(_) => false,
        }
    }
}
