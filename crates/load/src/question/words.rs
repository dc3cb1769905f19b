//! The words of questions: to ask them, to name the reason, and for a place where they cannot be asked.

use geomys_wire::net::UntrustedCertificate;
use geomys_wire::text::{self, Text};
use rfc1738::Hazard;

use super::Question;
use crate::{FormKind, Version};

/// The words of a question, for the browser and the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QuestionWords {
    /// The label of the line that answers it, or a sentence to be answered with yes or no.
    pub prompt: String,
    /// The remarks that the user should know before the answer.
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

    /// Returns the prompt as the label of a line of input: a server's own question ends as it does.
    pub fn label(&self) -> String {
        let ends = |prompt: &str| prompt.ends_with(['?', '!', '.', ':', '…']);
        let mark = if ends(&self.prompt) { "" } else { ":" };
        format!("{}{mark}", self.prompt)
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
            } => {
                let prompt = match prompt.as_str().trim() {
                    "" => "Answer",
                    prompt => prompt,
                };
                QuestionWords {
                    is_secret: *is_secret,
                    ..QuestionWords::new(prompt, [])
                }
            }
            Self::Login { host, said } => {
                QuestionWords::new(format!("Name at {}", Text::of(host)), said.clone())
            }
            Self::Password {
                user,
                host,
                said,
                security,
            }
            | Self::Account {
                user,
                host,
                said,
                security,
            } => {
                let what = match self {
                    Self::Account { .. } => "Account",
                    _ => "Password",
                };
                let (user, host) = (Text::of(user), Text::of(host));
                let encryption = security.encryption();
                let prompt = format!("{what} of {user} at {host}, {encryption}");
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
            Self::ActiveMode { .. } => {
                let prompt = "The server must connect to this machine. Allow?".to_owned();
                QuestionWords::new(prompt, [Text::of(&self.reason())])
            }
            Self::Unpack { name, .. } => {
                let prompt = format!("Unpack all of {}?", Text::of(name));
                QuestionWords::new(prompt, [Text::of(&self.reason())])
            }
            Self::Certificate(_)
            | Self::Save { .. }
            | Self::Changed { .. }
            | Self::Unknown(_)
            | Self::Form(_)
            | Self::Send(_) => return None,
        })
    }

    /// Returns the reason of the question as a sentence.
    pub fn reason(&self) -> String {
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
                format!("{authority} asks for a client certificate: {why}{said}")
            }
            Self::Password {
                user, host, said, ..
            } => {
                let (user, host) = (Text::of(user), Text::of(host));
                format!(
                    "{host} requires the password of {user}{}",
                    after_colon(said.as_ref())
                )
            }
            Self::Login { host, said } => {
                format!(
                    "{} requires a user name{}",
                    Text::of(host),
                    after_colon(said.as_ref())
                )
            }
            Self::Account { host, said, .. } => {
                format!(
                    "{} requires an account{}",
                    Text::of(host),
                    after_colon(said.as_ref())
                )
            }
            Self::NewsServer => "no news server is set".to_owned(),
            Self::Certificate(error) if error.pinned.is_some() => {
                format!("the certificate of {} has changed", error.authority)
            }
            Self::Certificate(error) => format!("unknown certificate of {}", error.authority),
            Self::Unencrypted(unencrypted) => unencrypted.sentence(),
            Self::Hazards(hazards) => hazard_sentences(hazards),
            Self::LocalAddress(target) => target.sentence(),
            Self::ActiveMode { authority } => format!(
                "{} offers no data connection (EPSV, PASV)",
                Text::of(authority)
            ),
            Self::Unpack {
                name,
                packed,
                unpacked,
            } => format!(
                "{} has {} and unpacks to {}, perhaps to fill the disk",
                Text::of(name),
                text::octets(*packed),
                text::octets(*unpacked)
            ),
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
                "a password is required, but there is no terminal to ask for it".to_owned()
            }
            Self::Login {
                host,
                said: Some(said),
            } => format!(
                "{} requires a user name, but there is no terminal to ask for it: {said}",
                Text::of(host)
            ),
            Self::Login { said: None, .. } => {
                "a user name is required, but there is no terminal to ask for it".to_owned()
            }
            Self::Account { said, .. } => format!(
                "an account is required beside the password, and there is no terminal to ask for it{}",
                after_colon(said.as_ref())
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
            Self::Hazards(_) => reason(),
            Self::LocalAddress(_) => format!("not opened: {}", reason()),
            Self::ActiveMode { .. } => {
                format!("{}, and may not connect to this machine", reason())
            }
            Self::Unpack { .. } => format!("{}; use --yes to unpack it", reason()),
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

/// Returns the words of a server for the end of a sentence.
fn after_colon(said: Option<&Text>) -> String {
    said.map_or(String::new(), |said| format!(": {said}"))
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
pub(crate) fn hazard_sentences(hazards: &[Hazard]) -> String {
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

#[cfg(test)]
mod tests {
    use geomys_wire::net::Security;

    use super::*;

    #[test]
    fn prompt_holds_no_control_characters_of_a_user_name() {
        let (user, host) = ("ada\x1b]0;x\x07".to_owned(), "h.example".to_owned());
        let (said, security) = (None, Security::Plain);
        let password = Question::Password {
            user: user.clone(),
            host: host.clone(),
            said: said.clone(),
            security,
        };
        let account = Question::Account {
            user,
            host,
            said,
            security,
        };
        for question in [password, account] {
            let words = question.words().unwrap();
            assert!(words.is_secret && words.prompt.contains(" of ada"));
            assert!(!words.prompt.contains(char::is_control), "{words:?}");
        }
    }
}
