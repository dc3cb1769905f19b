//! The reasons why a load ended before its content was complete.

use std::io;

use geomys_wire::net::{NetError, TlsError};
use geomys_wire::text::{Text, without_error_numbers};
use jiff::civil::Date;
use rfc1738::Url;

use super::{LocalTarget, PageHead, Question};
use geomys_page::document::Link;

/// The reason why a load ended before its content was complete.
#[derive(Debug)]
pub enum Stop {
    /// The load failed.
    Failed(Failure),
    /// The load needs an answer from a person.
    Needs(Question),
    /// The page reached this size limit, in octets; what came is valid.
    Truncated(u64),
    /// The receiver of the parts was dropped.
    Closed,
}

/// A failure, as a page shows it: what failed and where, the server's own words, and advice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failure {
    /// One sentence, lower case, without a full stop.
    pub sentence: String,
    /// The kind of failure, which says if a retry makes sense.
    pub kind: FailureKind,
    /// What failed, where it was not the server.
    pub cause: FailureCause,
    /// The server's words, line by line.
    pub said: Box<[Text]>,
    /// The failure in fewer words, for a list that names the URL beside it; None for the sentence with the last of the
    /// server's words.
    pub brief: Option<Box<str>>,
    /// Details of the address itself.
    pub about: Option<Box<AboutAddress>>,
    /// Advice, as one sentence.
    pub advice: Option<&'static str>,
    /// The contact for reports, as the server names it.
    pub admin: Option<Box<Text>>,
    /// True if another login may help, which the user may give.
    pub wants_login: bool,
    /// The link to follow instead.
    pub next: Option<Box<Link>>,
    /// The reason for that link.
    pub next_reason: NextReason,
    /// The page that the server sent with its error; it is shown instead, and stored nowhere.
    pub page: Option<Box<ErrorPage>>,
    /// The day in UTC when the cached copy of the page came from its server, where a copy was not shown at once.
    pub cached: Option<Date>,
}

/// Details of an address, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AboutAddress {
    /// The lines.
    pub lines: Vec<Text>,
}

/// A page that a server sent with a status of an error.
#[derive(Clone, Debug)]
pub struct ErrorPage {
    /// The head, with the status.
    pub head: PageHead,
    /// The octets, decompressed.
    pub octets: Vec<u8>,
}

impl PartialEq for ErrorPage {
    fn eq(&self, other: &Self) -> bool {
        let status = |page: &Self| page.head.error_status.clone();
        (status(self), &self.octets) == (status(other), &other.octets)
    }
}

impl Eq for ErrorPage {}

/// The reason for a link to follow instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NextReason {
    /// The item has moved there.
    #[default]
    Moved,
    /// The item has moved there for good.
    MovedForGood,
    /// The server answers over TLS, which the URL does not use.
    Tls,
}

/// Returns true for a scheme, in any case, that no program and no gateway is asked for: its URLs are files of this
/// machine, or name nothing outside of a browser.
pub fn stays_here(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("file") || names_nothing(scheme)
}

/// Returns true for a scheme, in any case, whose URLs name nothing outside of a browser: scripts and data.
pub fn names_nothing(scheme: &str) -> bool {
    local_sentence(&scheme.to_ascii_lowercase()).is_some()
}

/// Returns the sentence about a scheme whose URLs name nothing on a network; `None` for any other.
fn local_sentence(scheme: &str) -> Option<String> {
    let why = match scheme {
        "data" => "the URL is itself the file, which a browser shows",
        "about" => "it names pages inside other browsers; Geomys has :help, :config and :version",
        "javascript" | "vbscript" => "the link runs a script of its page",
        "blob" => "it names what a script has made in another browser",
        _ => return None,
    };
    Some(format!("Geomys does not support {scheme}: {why}"))
}

impl Failure {
    /// Creates a permanent failure without any words of the server.
    pub fn new(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self {
            sentence: without_error_numbers(&sentence).into_owned(),
            ..Self::default()
        }
    }

    /// Creates the failure for a URL whose scheme is not supported, or that has a fault by its base scheme.
    pub(super) fn unsupported(url: &Url) -> Self {
        if let Some(error) = url.base_fault() {
            return Self::new(format!("the URL has a fault: {error}"));
        }
        let scheme = Text::of(&url.scheme_name().to_ascii_lowercase());
        if let Some(sentence) = local_sentence(scheme.as_str()) {
            return Self::new(sentence);
        }
        let parts = url.explanation();
        let width = parts.iter().map(|(label, _)| label.len()).max();
        let width = width.unwrap_or_default();
        let parts = parts.into_iter();
        let about = parts.map(|(label, value)| Text::of(&format!("{label:width$}  {value}")));
        Self {
            about: Some(Box::new(AboutAddress {
                lines: about.collect(),
            })),
            advice: Some(
                "set a gateway under [gateways] or a program under [open] in settings.toml, or copy the URL for another program",
            ),
            ..Self::new(format!(
                "Geomys does not support {scheme}, and no gateway is set for it"
            ))
        }
    }

    /// Creates the failure for a server that has closed the connection, where even an empty answer has some octets.
    pub(super) fn empty(authority: &str) -> Self {
        let closed = NetError::closed(authority, "before it answered");
        Self::new(Text::of(&closed.to_string()).to_string()).with_kind(FailureKind::Malformed)
    }

    /// Returns the failure to open `url` with the hint at another URL, if `url` looks like a typing mistake.
    pub(super) fn with_hint(mut self, url: &Url) -> Self {
        if let Some(hint) = url.hint() {
            self.sentence = format!("{}; {hint}", self.sentence);
        }
        self
    }

    /// Returns the sentence with the last words of the server, for a place with one line.
    pub fn reason(&self) -> String {
        match self.said.last() {
            Some(said) => format!("{}: {}", self.sentence, said.as_str().trim()),
            None => self.sentence.clone(),
        }
    }

    /// Returns the failure with this kind.
    pub(super) fn with_kind(self, kind: FailureKind) -> Self {
        Self { kind, ..self }
    }

    /// Returns the failure with these fewer words, if there are any.
    pub(super) fn with_brief(self, brief: &str) -> Self {
        let brief = Some(brief.into()).filter(|_| !brief.is_empty());
        Self { brief, ..self }
    }

    /// Returns the failure with this advice.
    #[must_use]
    pub fn with_advice(self, advice: &'static str) -> Self {
        let advice = Some(advice);
        Self { advice, ..self }
    }

    /// Returns the failure with these words of the server.
    #[must_use]
    pub fn with_words(self, said: impl IntoIterator<Item = Text>) -> Self {
        let said = said.into_iter().collect();
        Self { said, ..self }
    }
}

impl Stop {
    /// Returns the reason as one sentence, for a place where no question can be asked.
    pub fn sentence(&self) -> String {
        match self {
            Self::Failed(failure) => failure.sentence.clone(),
            Self::Needs(question) => question.unanswered(),
            Self::Truncated(_) | Self::Closed => "it was stopped".to_owned(),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl From<NetError> for Stop {
    fn from(error: NetError) -> Self {
        if let NetError::LocalAddress { authority, address } = error {
            return Self::Needs(Question::LocalAddress(LocalTarget { authority, address }));
        }
        Self::Failed(Failure {
            kind: FailureKind::of(&error),
            cause: FailureCause::of(&error),
            advice: error.advice(),
            ..Failure::new(Text::of(&error.to_string()).to_string())
        })
    }
}

impl From<TlsError> for Stop {
    fn from(error: TlsError) -> Self {
        match error {
            TlsError::Net(error) => error.into(),
            TlsError::UntrustedCertificate(cert_error) => {
                Self::Needs(Question::Certificate(cert_error))
            }
        }
    }
}

/// The kind of a failure, which says if a retry makes sense.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureKind {
    /// A retry will fail too: a refusal, or a malformed answer.
    #[default]
    Permanent,
    /// The server answered that the requested object does not exist.
    Missing,
    /// The connection broke.
    Transient,
    /// The answer is not one of the protocol: another attempt would give the same.
    Malformed,
    /// The server answered with an error of its own, which does not say that a later attempt makes sense.
    ServerError,
    /// The server has no free connection now: a retry makes sense after a while, and with fewer connections.
    Busy,
    /// The data that came is not the requested part: the transfer cannot resume, and starts again.
    ResumeMismatch,
    /// No server was reached: the address is wrong, or the network is down.
    Unreachable,
}

impl FailureKind {
    /// Returns the kind of a network error.
    pub(super) fn of(error: &NetError) -> Self {
        match error {
            NetError::Timeout { .. }
            | NetError::Closed { .. }
            | NetError::TlsTruncated { .. }
            | NetError::Io { .. } => Self::Transient,
            NetError::HostNotFound { .. }
            | NetError::InvalidHost { .. }
            | NetError::Refused { .. }
            | NetError::ProxyUnreachable { .. }
            | NetError::ProxyRefused { .. }
            | NetError::Offline { .. } => Self::Unreachable,
            NetError::Onion { .. }
            | NetError::LongLine { .. }
            | NetError::Unsendable { .. }
            | NetError::NotTls { .. }
            | NetError::OldTls { .. }
            | NetError::Tls { .. }
            | NetError::NoDatagrams { .. }
            | NetError::Identity { .. }
            | NetError::LocalAddress { .. }
            | NetError::InvalidProxy { .. } => Self::Permanent,
        }
    }
}

/// What failed, as far as the system tells it: a run over many servers goes on after one of them, and not after the
/// rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureCause {
    /// The server, or what it said.
    #[default]
    Server,
    /// The server said nothing in time.
    Silence,
    /// The system has no route, or reaches no name service.
    NoNetwork,
    /// This machine has no space, descriptors or memory.
    Local,
}

impl FailureCause {
    /// Returns the cause of a network error.
    fn of(error: &NetError) -> Self {
        match error {
            NetError::Timeout { .. } => Self::Silence,
            NetError::HostNotFound { source, .. } | NetError::Io { source, .. } => {
                Self::of_io(source)
            }
            NetError::Identity { source, .. } => Self::of_io(source),
            _ => Self::Server,
        }
    }

    /// Returns the cause of an error of the system.
    pub fn of_io(error: &io::Error) -> Self {
        // EMFILE and ENFILE have no kind.
        if matches!(error.raw_os_error(), Some(23 | 24)) {
            return Self::Local;
        }
        match error.kind() {
            io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::HostUnreachable => Self::NoNetwork,
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::OutOfMemory => Self::Local,
            _ => {
                // The error of `getaddrinfo` has no number: these are the words of glibc and musl for EAI_AGAIN and
                // EAI_MEMORY.
                let words = error.to_string();
                let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
                if says(&["Temporary failure in name resolution", "Try again"]) {
                    Self::NoNetwork
                } else if says(&["Memory allocation failure", "Out of memory"]) {
                    Self::Local
                } else {
                    Self::Server
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cause_is_what_the_system_says() {
        let of = |number| FailureCause::of_io(&io::Error::from_raw_os_error(number));
        for (numbers, cause) in [
            (&[100, 101, 113][..], FailureCause::NoNetwork),
            (&[12, 23, 24, 28, 122], FailureCause::Local),
            (&[13, 32, 104, 111], FailureCause::Server),
        ] {
            for number in numbers {
                assert_eq!(of(*number), cause, "{number}");
            }
        }
        let lookup = |words| {
            let words = format!("failed to lookup address information: {words}");
            FailureCause::of_io(&io::Error::other(words))
        };
        let again = lookup("Temporary failure in name resolution");
        assert_eq!(again, FailureCause::NoNetwork);
        assert_eq!(lookup("Name or service not known"), FailureCause::Server);
    }
}
