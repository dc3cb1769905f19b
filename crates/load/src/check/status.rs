//! The status of a URL, and the conversion of the end of a load to it.

use geomys_wire::text::Text;
use rfc1738::{Encoded, Url};

use crate::{Failure, FailureCause, FailureKind, Question, Stop};

/// The status of a URL after a check. The texts are safe to display, one line, without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// The target exists.
    Alive,
    /// The target exists, and has moved permanently to this URL.
    Moved(Url),
    /// The server says that the target does not exist.
    Dead(String),
    /// The server refuses access: it needs a login, has an untrusted certificate, or denies permission.
    Refused(String),
    /// The server did not answer, or its answer was malformed.
    Unreachable(String),
    /// Nothing was sent: the scheme is not supported, or the URL has hazards.
    NotChecked(String),
    /// This machine lacks something, which says nothing of the server: a run ends.
    Local(String),
}

impl LinkStatus {
    /// Returns the name of the status, which is also used in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Moved(_) => "moved",
            Self::Dead(_) => "dead",
            Self::Refused(_) => "refused",
            Self::Unreachable(_) => "unreachable",
            Self::NotChecked(_) | Self::Local(_) => "not checked",
        }
    }

    /// Returns the status of another part of the checked page: where the page has moved to, the part has the fragment
    /// of `url`, unless the new address has one.
    #[must_use]
    pub fn with_fragment_of(&self, url: &Url) -> Self {
        match (self, url.fragment().map(Encoded::as_str)) {
            (Self::Moved(to), Some(fragment)) if to.fragment().is_none() => {
                Self::Moved(to.with_fragment(fragment))
            }
            _ => self.clone(),
        }
    }

    /// Returns the details of the status.
    pub fn words(&self) -> String {
        match self {
            Self::Alive => String::new(),
            Self::Moved(url) => format!("now {}", url.masked()),
            Self::Dead(words)
            | Self::Refused(words)
            | Self::Unreachable(words)
            | Self::NotChecked(words)
            | Self::Local(words) => words.clone(),
        }
    }
}

/// Returns the status of a URL that has moved permanently to `url`, which has the status `there`. A bookmark must not
/// be changed to an address that does not work.
pub(super) fn moved_status(url: Url, there: LinkStatus) -> LinkStatus {
    let words = |words: String| format!("moved to {}; there: {words}", url.masked());
    match there {
        LinkStatus::Dead(there) => LinkStatus::Dead(words(there)),
        LinkStatus::Refused(there) => LinkStatus::Refused(words(there)),
        LinkStatus::Unreachable(there) => LinkStatus::Unreachable(words(there)),
        LinkStatus::NotChecked(why) => unaccepted_move(&url, &why),
        LinkStatus::Local(why) => LinkStatus::Local(why),
        LinkStatus::Alive => LinkStatus::Moved(url),
        LinkStatus::Moved(further) => LinkStatus::Moved(further),
    }
}

/// Returns the status of a URL that has moved permanently to `url`, which a bookmark is not changed to.
pub fn unaccepted_move(url: &Url, why: &str) -> LinkStatus {
    let to = Text::of(&url.masked());
    LinkStatus::Refused(format!(
        "moved to an address that is not accepted: {to} ({why})"
    ))
}

/// Converts the early end of a load to a status.
pub(super) fn stop_status(stop: Stop) -> LinkStatus {
    match stop {
        Stop::Failed(failure) => failure_status(&failure),
        Stop::Needs(question) => LinkStatus::Refused(match question {
            Question::Password {
                user, said: None, ..
            } => {
                format!("{} requires a password", Text::of(&user))
            }
            question => question.unanswered(),
        }),
        Stop::Truncated(_) | Stop::Closed => LinkStatus::Unreachable("it was stopped".to_owned()),
    }
}

/// Returns true for a question that only what exists can lead to.
pub(super) fn is_about_content(question: &Question) -> bool {
    match question {
        Question::Search
        | Question::Input { .. }
        | Question::Save { .. }
        | Question::Changed { .. }
        | Question::Unknown(_)
        | Question::Form(_) => true,
        Question::Password { .. }
        | Question::Login { .. }
        | Question::Account { .. }
        | Question::Unencrypted(_)
        | Question::NewsServer
        | Question::Certificate(_)
        | Question::Identity { .. }
        | Question::Hazards(_)
        | Question::LocalAddress(_)
        | Question::ActiveMode { .. }
        | Question::Unpack { .. }
        | Question::Send(_) => false,
    }
}

fn failure_status(failure: &Failure) -> LinkStatus {
    let brief = failure.brief.as_deref();
    let words = brief.map_or_else(|| failure.reason(), str::to_owned);
    if failure.cause == FailureCause::Local {
        return LinkStatus::Local(words);
    }
    match failure.kind {
        FailureKind::Missing => LinkStatus::Dead(words),
        FailureKind::Permanent => LinkStatus::Refused(words),
        FailureKind::Transient
        | FailureKind::Malformed
        | FailureKind::ServerError
        | FailureKind::Busy
        | FailureKind::ResumeMismatch
        | FailureKind::Unreachable => LinkStatus::Unreachable(words),
    }
}
