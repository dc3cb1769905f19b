//! The outbox as the first source of a sync: what waits is sent, one after the other, the oldest first.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use geomys_load::{FailureKind, PartSender, PostError, Reason, Request, Sink, Stop};
use geomys_wire::task::blocking;
use rfc1738::{Dialect, Url};
use tokio::sync::mpsc;

use super::report::{Note, SourceReport};
use super::run::SyncRun;
use geomys_store::files::draft::{
    self, DeliveryMethod, Draft, DraftIssue, SendRecord, ServerGroups, State, StoredDraft, check,
};
use geomys_store::outbox::{self, Outgoing, Sender, is_final, place_of, reason};

/// Reason for a mail, an upload or an article in a moderated group of which nobody knows whether it arrived.
const UNCERTAIN: &str = "unknown whether it was sent: send or delete it in the list of drafts";

/// Reason for a draft that was sent, whose Message-ID the next sync finds on the server.
const STAYS: &str = "sent, but its draft could not be moved: the next sync does it";

impl SyncRun<'_> {
    /// Sends what waits in the outbox. Returns `None` if there is nothing.
    pub(super) async fn outbox(&mut self, drafts: &Path, sender: &Sender) -> Option<SourceReport> {
        let mut report = SourceReport::new("outbox", "outbox", None);
        let directory = drafts.to_owned();
        let is_dry = self.options.is_dry;
        let listing = blocking(move || {
            if !is_dry {
                draft::sweep_notes(&directory);
            }
            let lists = [outbox::refused, outbox::uncertain, outbox::waiting];
            let [refused, uncertain, waiting] = lists.map(|list| list(&directory));
            Ok((refused?, uncertain?, waiting?))
        });
        let (refused, uncertain, waiting) = match listing.await {
            Ok(listed) => listed,
            Err(reason) => {
                let url = drafts.display().to_string();
                report.failed.push(Note { url, reason });
                self.finish([&mut report]);
                return Some(report);
            }
        };
        if refused.is_empty() && uncertain.is_empty() && waiting.is_empty() {
            return None;
        }
        let refused = refused.iter().map(|draft| {
            let why = draft.refusal.as_deref().unwrap_or("the server refused it");
            note(draft, &one_line(why))
        });
        report.failed.extend(refused);
        let uncertain = uncertain.iter().map(|draft| note(draft, UNCERTAIN));
        report.asks.extend(uncertain);
        if self.options.is_dry {
            report.planned = waiting.len();
        } else {
            self.expect(&mut report, waiting.len());
            let mut unreachable = HashSet::new();
            for stored in waiting {
                let sent = self.send(&stored, sender, &mut unreachable).await;
                sent.enter(&stored, &mut report);
                self.settle(&mut report, true);
            }
        }
        self.finish([&mut report]);
        Some(report)
    }

    async fn send(
        &mut self,
        stored: &StoredDraft,
        sender: &Sender,
        unreachable: &mut HashSet<String>,
    ) -> Sent {
        let path = stored.path.clone();
        let is_repeatable = stored.delivery == DeliveryMethod::Post;
        if stored.state == State::Sending && !is_repeatable {
            // An earlier run was killed while it sent this.
            return match blocking(move || outbox::hold(&path)).await {
                Ok(()) => Sent::Asks(UNCERTAIN.to_owned()),
                Err(why) => Sent::Later(why),
            };
        }
        let read = blocking(move || Waiting::read(path)).await;
        let waiting = match read.and_then(Waiting::checked) {
            Ok(waiting) => waiting,
            Err(why) => return Sent::Failed(why),
        };
        let Some(request) = waiting.request(self.options.request) else {
            return Sent::Failed("its server is unknown: open it in the list of drafts".to_owned());
        };
        let server = match stored.delivery {
            DeliveryMethod::Post => waiting.record.server.clone(),
            DeliveryMethod::Mail => String::new(),
            DeliveryMethod::Upload => stored.to.clone(),
        };
        if unreachable.contains(&server) {
            return Sent::Later("its server is not reached".to_owned());
        }
        let (sink, mut phases) = mpsc::channel(1);
        let sink = Sink::of(PartSender::Own(sink));
        let outgoing = Outgoing {
            draft: waiting.draft,
            path: waiting.path,
        };
        // Nobody follows the phases, but the load ends when the channel is closed.
        let ignoring = async move { while phases.recv().await.is_some() {} };
        let sending = outgoing.send(sender, self.net, &request, sink);
        match tokio::join!(sending, ignoring).0 {
            Ok(_) if matches!(stored.path.try_exists(), Ok(false)) => Sent::Gone,
            Ok(_) => Sent::Stays,
            Err(PostError::Refused(failure)) => Sent::Failed(one_line(&reason(&failure))),
            Err(PostError::Unknown(failure)) if is_repeatable => Sent::Later(failure.sentence),
            Err(PostError::Unknown(_) | PostError::Uncertain(_)) => {
                Sent::Asks(UNCERTAIN.to_owned())
            }
            Err(PostError::Stopped(Stop::Failed(failure))) => {
                if failure.kind == FailureKind::Unreachable {
                    unreachable.insert(server);
                }
                if is_final(failure.kind) {
                    Sent::Failed(one_line(&reason(&failure)))
                } else {
                    Sent::Later(failure.sentence)
                }
            }
            Err(PostError::Stopped(stop @ Stop::Needs(_))) => Sent::Asks(stop.sentence()),
            Err(PostError::Stopped(stop @ (Stop::Truncated(_) | Stop::Closed))) => {
                Sent::Later(stop.sentence())
            }
        }
    }
}

/// Result of sending a draft; the text is the reason.
enum Sent {
    Gone,
    /// It was sent, but its draft is still there.
    Stays,
    Later(String),
    Failed(String),
    Asks(String),
}

impl Sent {
    fn enter(self, stored: &StoredDraft, report: &mut SourceReport) {
        let (list, why) = match self {
            Self::Gone => {
                report.sent += 1;
                return;
            }
            Self::Stays => {
                report.sent += 1;
                (&mut report.later, STAYS.to_owned())
            }
            Self::Later(why) => (&mut report.later, why),
            Self::Failed(why) => (&mut report.failed, why),
            Self::Asks(why) => (&mut report.asks, why),
        };
        list.push(note(stored, &why));
    }
}

/// Joins the lines of a reason.
fn one_line(reason: &str) -> String {
    let lines: Vec<&str> = reason.lines().collect();
    lines.join("; ")
}

fn note(stored: &StoredDraft, why: &str) -> Note {
    let StoredDraft { path, subject, .. } = stored;
    let about = match subject.as_str() {
        "" => String::new(),
        subject => format!("“{subject}”: "),
    };
    Note {
        url: path.display().to_string(),
        reason: format!("{about}{why}"),
    }
}

/// Draft that waits, with its record.
struct Waiting {
    path: PathBuf,
    draft: Draft,
    record: SendRecord,
}

impl Waiting {
    /// Reads a draft. Blocks.
    fn read(path: PathBuf) -> Result<Self, String> {
        Ok(Self {
            draft: draft::read(&path)?,
            record: SendRecord::load(&path),
            path,
        })
    }

    /// Returns the draft unless it has a fault: its file may have been edited.
    fn checked(self) -> Result<Self, String> {
        let issues = check(&self.draft, self.draft.delivery(), ServerGroups::Unknown);
        let fault = issues.into_iter().find_map(|issue| match issue {
            DraftIssue::Fault(fault) => Some(fault),
            DraftIssue::Remark(_) => None,
        });
        fault.map_or(Ok(self), |fault| Err(format!("it cannot be sent: {fault}")))
    }

    /// Returns the request that sends the draft.
    fn request(&self, make: &(dyn Fn(Url, Reason) -> Request + Send + Sync)) -> Option<Request> {
        let reason = Reason::Queued(self.record.namer.clone());
        match self.draft.delivery() {
            DeliveryMethod::Post => {
                let (server, url) = place_of(&self.record, &self.draft)?;
                let mut request = make(url, reason);
                request.news_query.server = Some(server);
                Some(request)
            }
            // A program takes it.
            DeliveryMethod::Mail => Some(make(Dialect::Extended.parse("news:*").ok()?, reason)),
            DeliveryMethod::Upload => Some(make(self.draft.upload_url()?, reason)),
        }
    }
}
