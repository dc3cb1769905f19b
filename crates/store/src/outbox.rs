//! The outbox: drafts are sent, and those whose question was answered "at the next sync" wait for it.
//!
//! ```text
//! unsent -> queued -> sending -> (sent: moved to the directory "sent") / queued / unknown / refused
//! ```
//!
//! The state is in the record beside the draft, on disk before the first octet goes to a server or a program. A post
//! keeps its Message-ID, and its server is asked for that before each repeat. A mail or an upload without an answer is
//! unknown, and is not repeated by itself. Only one process sends at a time.

mod article;
mod mail;
mod upload;

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};

use futures_util::FutureExt;
use geomys_load::{
    Failure, FailureKind, Namer, NewsHost, PostError, PostOutcome, Request, Sink, Stop, news_host,
};
use geomys_wire::net::Net;
use geomys_wire::task;
use geomys_wire::text::Text;
use rfc1738::Url;

use self::article::ArticlePost;
use crate::files::draft::{
    self, Author, DeliveryMethod, Draft, SendRecord, State, StoredDraft, list_stored,
};
use crate::files::locked_file::LockedFile;

/// Name of the file beside the directory of drafts that is locked while a draft is sent.
const LOCK: &str = "outbox.lock";

/// Error when another process sends a draft, or this one does.
pub const BUSY: &str = "another draft is being sent: try again later";

/// What sending a draft needs to know beside the draft.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    /// Settings of the author.
    pub author: Author,
    /// File of the secret for Cancel-Locks.
    pub secret: PathBuf,
}

/// Draft to be sent.
#[derive(Debug)]
pub struct Outgoing {
    /// Draft as it was read from its file.
    pub draft: Draft,
    /// File of the draft.
    pub path: PathBuf,
}

impl Outgoing {
    /// Sends the draft by its delivery method, and puts its file away or records the failure beside it.
    ///
    /// # Errors
    /// Any [`PostError`].
    pub async fn send(
        self,
        sender: &Sender,
        net: &Net,
        request: &Request,
        sink: Sink,
    ) -> Result<PostOutcome, PostError> {
        let path = self.path.clone();
        let locking = blocking(move || SendLock::take(&path)).await;
        let _lock = locking.flatten().map_err(|error| stopped(&error))?;
        let attempt = Attempt {
            is_private: request.is_private(),
            before: SendRecord::load(&self.path),
            delivery: self.draft.delivery(),
            path: self.path.clone(),
        };
        let sent = match attempt.delivery {
            DeliveryMethod::Post => {
                let groups = self.draft.header("Newsgroups").unwrap_or_default();
                let posting = ArticlePost {
                    server: server_of(request),
                    author: sender.author.for_groups(groups),
                    outgoing: self,
                    secret: sender.secret.clone(),
                };
                posting.post(net, request, sink).await
            }
            DeliveryMethod::Mail => {
                let mailed = mail::mail(&sender.author.mail, self).await;
                mailed.map_err(|error| *error)
            }
            DeliveryMethod::Upload => upload::upload(net, request, self).await,
        };
        attempt.settle(sent).await
    }
}

/// The error before anything was sent.
fn stopped(sentence: &str) -> PostError {
    let failure = Failure {
        kind: FailureKind::Transient,
        ..Failure::new(sentence)
    };
    PostError::Stopped(failure.into())
}

/// Attempt to send a draft, as its end needs it.
struct Attempt {
    path: PathBuf,
    /// True if nothing of it is to stay on the disk.
    is_private: bool,
    delivery: DeliveryMethod,
    /// Record before the attempt.
    before: SendRecord,
}

impl Attempt {
    /// Puts away the file of an accepted draft, or removes it after a private request; or records the failure beside
    /// it. An error here does not change the result.
    async fn settle(self, sent: Result<PostOutcome, PostError>) -> Result<PostOutcome, PostError> {
        let outcome = match sent {
            Ok(outcome) => outcome,
            Err(error) => {
                let (state, why) = self.after(&error);
                // Without the record only the list of drafts has less information, and an article is looked up once
                // more.
                let _ = blocking(move || self.note(state, why.as_deref())).await;
                return Err(error);
            }
        };
        let put_away = blocking(move || {
            if self.is_private {
                draft::remove(&self.path)
            } else {
                if self.delivery == DeliveryMethod::Post {
                    draft::note_posted(&self.path);
                }
                draft::put_away(&self.path)
            }
        });
        let put_away = put_away.await;
        Ok(match put_away.flatten() {
            Ok(()) => outcome,
            Err(sentence) => {
                let and = |words: Text| Text::of(&format!("{words} ({sentence})"));
                match outcome {
                    PostOutcome::Accepted(words) => PostOutcome::Accepted(and(words)),
                    PostOutcome::AlreadyPosted(words) => PostOutcome::AlreadyPosted(and(words)),
                }
            }
        })
    }

    /// Returns the state after an error, `None` for the one before the attempt, and the reason to be stored.
    fn after(&self, error: &PostError) -> (Option<State>, Option<String>) {
        let was_queued = self.before.state.is_queued();
        match error {
            PostError::Refused(failure) => (Some(State::Refused), Some(reason(failure))),
            // It is asked for by its Message-ID before it is repeated.
            PostError::Unknown(_) if was_queued && self.delivery == DeliveryMethod::Post => {
                (Some(State::Queued), None)
            }
            PostError::Unknown(failure) | PostError::Uncertain(failure) => {
                (Some(State::Unknown), Some(reason(failure)))
            }
            PostError::Stopped(Stop::Failed(failure)) if was_queued => {
                let is_refusal = !failure.said.is_empty() && is_final(failure.kind);
                // A lost network is no message.
                let refusal = is_refusal.then(|| reason(failure));
                (is_refusal.then_some(State::Refused), refusal)
            }
            PostError::Stopped(Stop::Failed(failure)) => (None, Some(reason(failure))),
            PostError::Stopped(Stop::Needs(_) | Stop::Truncated(_) | Stop::Closed) => (None, None),
        }
    }

    /// Writes the state and the reason. Blocks.
    fn note(self, state: Option<State>, why: Option<&str>) {
        if let Some(why) = why {
            draft::note_refusal(&self.path, why);
        }
        let now = SendRecord::load(&self.path);
        let record = match state {
            Some(state) => SendRecord {
                state,
                ..now.clone()
            },
            None if self.before.state == State::Sending => SendRecord {
                state: State::Queued,
                ..self.before
            },
            None => self.before,
        };
        if record != now {
            let _ = record.save(&self.path);
        }
    }
}

/// Returns true if another attempt would fail too.
pub fn is_final(kind: FailureKind) -> bool {
    match kind {
        FailureKind::Permanent | FailureKind::Missing | FailureKind::ResumeMismatch => true,
        FailureKind::Transient
        | FailureKind::Malformed
        | FailureKind::ServerError
        | FailureKind::Busy
        | FailureKind::Unreachable => false,
    }
}

/// Returns the text of the file with the reason.
pub fn reason(failure: &Failure) -> String {
    let said = failure.said.iter();
    said.fold(format!("{}\n", failure.sentence), |why, said| {
        format!("{why}the server said: {said}\n")
    })
}

/// Queues a draft for the next sync; a post goes to `server`, in the form of the send record, which `namer` named.
/// Blocks.
///
/// # Errors
/// A sentence.
pub fn queue(path: &Path, server: &str, namer: Namer) -> Result<(), String> {
    let record = SendRecord::load(path);
    // An article that was refused is another one from now on.
    let id = record.id.filter(|_| record.state != State::Refused);
    let record = SendRecord {
        server: server.to_owned(),
        id,
        state: State::Queued,
        namer,
        ..record
    };
    let failed = |error: io::Error| {
        format!(
            "the draft is not in the outbox: {error} ({})",
            path.display()
        )
    };
    record.save(path).map_err(failed)
}

/// Creates the draft of an upload that waits for the next sync. Blocks.
///
/// # Errors
/// A sentence.
pub fn queue_upload(drafts: &Path, draft: Draft, namer: Namer) -> Result<(), String> {
    let (author, origin) = (Author::default(), draft::DraftOrigin::default());
    let path = draft::create(drafts, draft, &author, &origin)?;
    queue(&path, "", namer)
}

/// Takes a draft out of the outbox, to be edited. Blocks.
///
/// # Errors
/// A sentence: it is being sent, or the record could not be written.
pub fn hold(path: &Path) -> Result<(), String> {
    let _lock = SendLock::take(path)?;
    let record = SendRecord::load(path);
    let state = match record.state {
        State::Queued => State::Unsent,
        // The process that sent it was killed.
        State::Sending => State::Unknown,
        State::Unsent | State::Unknown | State::Refused => return Ok(()),
    };
    let failed = |error: io::Error| format!("{} stays in the outbox: {error}", path.display());
    SendRecord { state, ..record }.save(path).map_err(failed)
}

/// Lists the drafts that wait for a sync, the oldest first. Blocks.
///
/// # Errors
/// A sentence.
pub fn waiting(drafts: &Path) -> Result<Vec<StoredDraft>, String> {
    stored(drafts, |draft| draft.state.is_queued())
}

/// Lists the drafts that a server has refused, and that nobody has edited since, the oldest first. Blocks.
///
/// # Errors
/// A sentence.
pub fn refused(drafts: &Path) -> Result<Vec<StoredDraft>, String> {
    stored(drafts, |draft| draft.state == State::Refused)
}

/// Lists the drafts of which nobody knows whether they arrived, the oldest first: the user decides. Blocks.
///
/// # Errors
/// A sentence.
pub fn uncertain(drafts: &Path) -> Result<Vec<StoredDraft>, String> {
    stored(drafts, |draft| draft.state == State::Unknown)
}

/// Lists some of the drafts, the oldest first.
fn stored(
    drafts: &Path,
    is_listed: impl Fn(&StoredDraft) -> bool,
) -> Result<Vec<StoredDraft>, String> {
    let mut stored = list_stored(drafts)?;
    stored.retain(is_listed);
    stored.reverse();
    Ok(stored)
}

/// Returns the news server of a request, as [`NewsHost::parse`] reads it; empty if there is none.
pub fn server_of(request: &Request) -> String {
    match news_host(&request.url, request.news_query.server.as_ref()) {
        Some(NewsHost { host, port, is_tls }) => {
            let scheme = if is_tls { "nntps://" } else { "" };
            let host = host.to_ascii_lowercase();
            if host.contains(':') && !host.starts_with('[') {
                format!("{scheme}[{host}]:{port}")
            } else {
                format!("{scheme}{host}:{port}")
            }
        }
        None => String::new(),
    }
}

/// Returns the server of a send record, and the URL of the draft's first group there.
pub fn place_of(record: &SendRecord, draft: &Draft) -> Option<(NewsHost, Url)> {
    let server = NewsHost::parse(&record.server)?;
    let groups = draft.groups();
    let group = groups.first().map(Vec::as_slice).unwrap_or_default();
    let url = if server.is_tls {
        Url::nntps(&server.host, server.port, group)
    } else {
        Url::nntp(&server.host, server.port, group, None)
    };
    Some((server, url.ok()?))
}

/// Lock of the outbox, until it is dropped: the system drops it with its process.
struct SendLock {
    _file: LockedFile,
}

impl SendLock {
    /// Locks the outbox of a draft, if no other process sends, and the draft is still there.
    fn take(draft: &Path) -> Result<Self, String> {
        let failed = |error: io::Error| format!("the outbox cannot be locked: {error}");
        let above = draft.parent().and_then(Path::parent);
        let path = above.unwrap_or_else(|| Path::new("")).join(LOCK);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = options.mode(0o600).open(path).map_err(failed)?;
        let file = LockedFile::if_free(file).ok_or(BUSY)?;
        if !draft.exists() {
            return Err("the draft is gone: it was sent or deleted".to_owned());
        }
        Ok(Self { _file: file })
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = AssertUnwindSafe(task::blocking(work)).catch_unwind().await;
    done.map_err(|_| "the draft was lost: a bug in Geomys".to_owned())
}
