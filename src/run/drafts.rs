//! Jobs for drafts: files, the editor, posting, and the mail program. The Message-ID of an article and its Cancel-Lock are
//! created and recorded before it is sent.

use std::io;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use futures_util::FutureExt;
use geomys_page::load::{
    ArticleForId, Failure, LoadId, Part, PostError, PostOutcome, Request, Sink, Stop, post,
    posting_groups,
};
use geomys_store::files::command::exit_sentence;
use geomys_store::files::draft;
use geomys_store::files::draft::{CancelSecret, Draft, DraftOrigin, SendRecord, State, new_id};
use geomys_wire::net::Net;
use geomys_wire::task;
use geomys_wire::text::Text;
use tokio::sync::mpsc;

use crate::app::Message;
use crate::app::compose::message::{DraftJob, DraftOutcome};
use crate::app::compose::server_of;

/// The maximum length of the displayed output of a mail program, in octets.
const SAID: u64 = 4096;

/// The files and services for draft jobs.
#[derive(Clone)]
pub(super) struct DraftContext {
    /// The directory of the drafts.
    pub(super) drafts: PathBuf,
    /// The file of the secret for Cancel-Locks.
    pub(super) secret: PathBuf,
    /// The access to the network.
    pub(super) net: Arc<Net>,
    /// The channel for the phases of loads, which belong to no page.
    pub(super) parts: mpsc::Sender<(LoadId, Part)>,
}

/// Returns the load that cancels a job.
pub(super) fn load_of(job: &DraftJob) -> Option<LoadId> {
    match job {
        DraftJob::List(load, ..) | DraftJob::Post(load, ..) | DraftJob::Mail(load, ..) => {
            Some(*load)
        }
        DraftJob::Create(..)
        | DraftJob::Edit(_)
        | DraftJob::Read(_)
        | DraftJob::ListDrafts
        | DraftJob::Remove(_) => None,
    }
}

/// Carries out a job. The main loop runs the editor itself, as it owns the terminal.
pub(super) async fn carry_out(context: DraftContext, job: DraftJob) -> Message {
    let DraftContext {
        drafts,
        secret,
        net,
        parts,
    } = context;
    let outcome = match job {
        DraftJob::Create(draft, author, origin) => {
            let origin = DraftOrigin { secret, ..origin };
            let created = blocking(move || draft::create(&drafts, *draft, &author, &origin)).await;
            DraftOutcome::Created(created.flatten())
        }
        DraftJob::Edit(_) => DraftOutcome::Edited(Err("editing needs a terminal".to_owned())),
        DraftJob::Read(path) => {
            let read = blocking(move || (draft::read(&path), SendRecord::load(&path))).await;
            let (read, record) = read.unwrap_or_else(|lost| (Err(lost), SendRecord::default()));
            DraftOutcome::Read(read, record)
        }
        DraftJob::ListDrafts => {
            let stored = blocking(move || draft::list_stored(&drafts)).await;
            DraftOutcome::DraftsListed(stored.flatten())
        }
        DraftJob::Remove(path) => {
            let file = path.clone();
            let removed = blocking(move || draft::remove(&file)).await;
            DraftOutcome::Removed(path, removed.flatten())
        }
        DraftJob::List(load, request, groups) => {
            let sink = Sink::new(load, parts);
            DraftOutcome::Listed(load, posting_groups(&net, &request, &groups, sink).await)
        }
        DraftJob::Post(load, request, draft, path, domain) => {
            let sending = ArticlePost {
                server: server_of(&request),
                draft: *draft,
                path: path.clone(),
                domain,
                secret,
            };
            let sink = Sink::new(load, parts);
            let posted = sending.post(&net, &request, sink).await;
            DraftOutcome::Sent(load, archive(posted, path).await)
        }
        DraftJob::Mail(load, command, draft, path) => {
            let mailed = blocking(move || mail(&command, &draft)).await;
            let mailed = mailed.unwrap_or_else(|lost| Err(Failure::new(lost)));
            let mailed = mailed.map(PostOutcome::Accepted);
            let mailed = mailed.map_err(|failure| PostError::Stopped(failure.into()));
            DraftOutcome::Sent(load, archive(mailed, path).await)
        }
    };
    Message::Compose(outcome)
}

/// Archives the file of an accepted draft, or records the failure beside it. An error here does not change the result.
async fn archive(
    taken: Result<PostOutcome, PostError>,
    path: PathBuf,
) -> Result<PostOutcome, PostError> {
    if let Err(
        PostError::Stopped(Stop::Failed(failure))
        | PostError::Refused(failure)
        | PostError::Unknown(failure),
    ) = &taken
    {
        let why = failure
            .said
            .iter()
            .fold(format!("{}\n", failure.sentence), |why, said| {
                format!("{why}the server said: {said}\n")
            });
        let file = path.clone();
        let is_refused = matches!(&taken, Err(PostError::Refused(_)));
        // Without the record only the list of drafts has less information.
        let _ = blocking(move || {
            draft::note_refusal(&file, &why);
            if is_refused {
                let state = State::Refused;
                let _ = SendRecord {
                    state,
                    ..SendRecord::load(&file)
                }
                .save(&file);
            }
        })
        .await;
    }
    let sent = taken?;
    let archived = blocking(move || draft::put_away(&path)).await;
    Ok(match archived.flatten() {
        Ok(()) => sent,
        Err(sentence) => {
            let and = |words: Text| Text::of(&format!("{words} ({sentence})"));
            match sent {
                PostOutcome::Accepted(words) => PostOutcome::Accepted(and(words)),
                PostOutcome::AlreadyPosted(words) => PostOutcome::AlreadyPosted(and(words)),
            }
        }
    })
}

pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = AssertUnwindSafe(task::blocking(work)).catch_unwind().await;
    done.map_err(|_| "the draft was lost: a bug in Geomys".to_owned())
}

/// Pipes a mail to a program, and waits for its output.
fn mail(command: &[String], letter: &Draft) -> Result<Text, Failure> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(Failure::new("no mail program is set"));
    };
    let failed = |error: io::Error| {
        Failure::new(format!("mail not accepted by {program}: {error}"))
            .with_advice("set the mail program under [mail] in settings.toml")
    };
    // The output goes to a file, so that a program with much output does not block while its input is written.
    let mut said = tempfile::tempfile().map_err(failed)?;
    let mut running = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(said.try_clone().map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    // Mail programs expect the line ends of this system on their standard input.
    let octets: Vec<u8> = draft::encode(letter)
        .into_iter()
        .filter(|&octet| octet != b'\r')
        .collect();
    let written = running
        .stdin
        .take()
        .map_or(Ok(()), |mut input| input.write_all(&octets));
    let status = running.wait().map_err(failed)?;
    if status.success() {
        written.map_err(failed)?;
        return Ok(Text::of(&format!("Mail accepted by {program}")));
    }
    Err(Failure::new(exit_sentence(program, status)).with_words(words(&mut said)))
}

/// Returns the first lines of a program's output.
fn words(said: &mut std::fs::File) -> Vec<Text> {
    use std::io::{Read, Seek};
    let mut octets = Vec::new();
    // Without the output the failure is reported all the same.
    let _ = said.rewind();
    let _ = said.take(SAID).read_to_end(&mut octets);
    let lines = octets.split(|&octet| octet == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty());
    lines
        .map(|line| Text::new(line, geomys_wire::text::Charset::default()))
        .collect()
}

/// A draft that is being posted.
pub(super) struct ArticlePost {
    /// The server, in the form of the send record.
    pub(super) server: String,
    /// The draft that was read back.
    pub(super) draft: Draft,
    /// The file of the draft.
    pub(super) path: PathBuf,
    /// The domain for generated Message-IDs, if one is set.
    pub(super) domain: Option<String>,
    /// The file of the secret for Cancel-Locks.
    pub(super) secret: PathBuf,
}

impl ArticlePost {
    /// Posts the draft. If an earlier attempt may have succeeded, the server is first asked for the article.
    pub(super) async fn post(
        self,
        net: &Net,
        request: &Request,
        sink: Sink,
    ) -> Result<PostOutcome, PostError> {
        let path = self.path.clone();
        let record = blocking(move || SendRecord::load(&path)).await;
        let record = record.unwrap_or_default();
        let (groups, earlier_id) = (self.draft.groups(), self.earlier_id(&record));
        let article: ArticleForId<'_> = Box::new(|recommended| {
            let making = blocking(move || self.article(record, recommended));
            making
                .map(|made| made.flatten().map_err(Failure::new))
                .boxed()
        });
        post(net, request, &groups, earlier_id.as_deref(), article, sink).await
    }

    /// Returns the Message-ID of an earlier attempt at this server whose answer was lost: the server may have that article.
    fn earlier_id(&self, record: &SendRecord) -> Option<String> {
        let is_lost = record.state == State::Unknown && record.server == self.server;
        let id = record.id.as_deref().filter(|_| is_lost)?;
        // With another Message-ID it is another article.
        let own = self.draft.header("Message-ID").unwrap_or(id);
        (own == id).then(|| id.to_owned())
    }

    /// Returns the octets of the article, after the attempt was recorded.
    fn article(
        mut self,
        record: SendRecord,
        recommended: Option<String>,
    ) -> Result<Vec<u8>, String> {
        let own = self.draft.header("Message-ID").map(str::to_owned);
        // A refused article may have been refused because of its Message-ID.
        let lost = record.id.filter(|_| record.state == State::Unknown);
        let id = own.clone().or(lost).or(recommended);
        let id = id.or_else(|| new_id(&self.draft, self.domain.as_deref()));
        let id = id.ok_or("no Message-ID could be made: the system gives no random bytes")?;
        let mut add = |name: &str, value: String| {
            self.draft
                .headers
                .retain(|(header, _)| !header.eq_ignore_ascii_case(name));
            self.draft.headers.push((name.to_owned(), value));
        };
        if own.is_none() {
            add("Message-ID", id.clone());
        }
        let secret = CancelSecret::load_or_create(&self.secret).map_err(|error| {
            let path = self.secret.display();
            format!("the secret for Cancel-Locks could not be read or made: {error} ({path})")
        })?;
        add("Cancel-Lock", secret.lock(&id));
        let record = SendRecord {
            server: self.server,
            id: Some(id),
            attempts: record.attempts.saturating_add(1),
            state: State::Unknown,
        };
        let path = self.path.display();
        let saved = record.save(&self.path);
        saved.map_err(|error| format!("the attempt was not written beside {path}: {error}"))?;
        Ok(draft::encode(&self.draft))
    }
}
