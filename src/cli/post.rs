//! `geomys post`: posts an article of standard input.

use std::collections::HashSet;
use std::io::{Read, Write, stdin};
use std::path::Path;

use clap::Args;
use geomys_load::{
    Failure, FailureKind, LoadId, PostError, PostOutcome, Purpose, Request, Sink, Stop,
    posting_groups,
};
use geomys_store::files::draft::{
    self, Author, DeliveryMethod, Draft, DraftIssue, DraftOrigin, ServerGroups, posted_ids,
};
use geomys_store::outbox::{self, Outgoing, Sender, server_of};
use geomys_wire::net::Net;
use geomys_wire::task;
use rfc1738::Url;
use tokio::sync::mpsc;

use super::ask;
use super::context::{CliContext, block_on};
use super::error::{CliError, clean};
use super::locale::{stderr, stdout};

/// The most octets of an article.
const MAX_BYTES: u64 = 1024 * 1024;

#[derive(Debug, Args)]
pub(super) struct Post {
    /// Put the article into the outbox: `geomys sync` sends it
    #[arg(long)]
    later: bool,

    /// Append no signature
    #[arg(long)]
    no_signature: bool,

    /// Check the article, send nothing
    #[arg(long, conflicts_with = "later")]
    dry_run: bool,
}

impl Post {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let settings = &context.config.settings;
        let mut text = String::new();
        let read = stdin().take(MAX_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| CliError::cannot_run(format!("standard input: {error}")))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(CliError::cannot_run("the article is longer than 1 MiB"));
        }
        let mut article = Draft::parse(&text).map_err(CliError::cannot_run)?;
        let groups = article.header("Newsgroups").unwrap_or_default();
        let own = settings.author.for_groups(groups);
        if let (None, Some(from)) = (article.header("From"), &own.from) {
            article.headers.insert(0, ("From".to_owned(), from.clone()));
        }
        let mut remarks = HashSet::new();
        report(&article, ServerGroups::Unknown, &mut remarks)?;
        let group = article.groups().into_iter().next().unwrap_or_default();
        let url = Url::news_group(&group).map_err(CliError::cannot_run)?;
        let request = context.request(url, Purpose::Show)?;
        if server_of(&request).is_empty() {
            return Err(CliError::cannot_run("no news server is set: --server HOST"));
        }
        if self.dry_run {
            return Ok(());
        }
        let author = Author {
            signature: own
                .signature
                .filter(|_| !self.no_signature && !article.body.contains("\n-- \n")),
            ..own
        };
        let origin = DraftOrigin {
            server: server_of(&request),
            namer: request.namer_to_store(),
            secret: context.paths.cancel_secret(),
            ..DraftOrigin::default()
        };
        let path = draft::create(&context.paths.drafts(), article, &author, &origin);
        let path = path.map_err(CliError::new)?;
        if self.later || settings.offline {
            queue(&path, &request)?;
            writeln!(stderr(), "geomys: in the outbox, for the next sync")?;
            return Ok(());
        }
        block_on(send(context, request, author, &path, remarks))?
    }
}

/// Reports what is wrong with an article, without the remarks that were made before. A fault is an error.
fn report(
    article: &Draft,
    groups: ServerGroups<'_>,
    remarks: &mut HashSet<String>,
) -> Result<(), CliError> {
    let mut faults = Vec::new();
    for issue in draft::check(article, DeliveryMethod::Post, groups) {
        match issue {
            DraftIssue::Fault(fault) => faults.push(fault),
            DraftIssue::Remark(remark) if !remarks.insert(remark.clone()) => {}
            DraftIssue::Remark(remark) => {
                writeln!(stderr(), "geomys: note: {}", clean(&remark))?;
            }
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(CliError::new(format!("not posted: {}", faults.join("; "))))
}

fn queue(path: &Path, request: &Request) -> Result<(), CliError> {
    outbox::queue(path, &server_of(request), request.namer_to_store()).map_err(CliError::new)
}

/// Sends a draft. It waits in the outbox if the server cannot take it now, and stays a draft if it is refused.
async fn send(
    context: &CliContext,
    mut request: Request,
    author: Author,
    path: &Path,
    mut remarks: HashSet<String>,
) -> Result<(), CliError> {
    let net = context.config.net(&context.paths);
    let article = draft::read(path).map_err(CliError::new)?;
    let sender = Sender {
        author,
        secret: context.paths.cancel_secret(),
    };
    let error = loop {
        let listed = posting_groups(&net, &request, &article.groups(), sink()).await;
        let stop = match listed {
            Ok(listed) => {
                report(&article, ServerGroups::Listed(&listed), &mut remarks)
                    .map_err(|error| stored(error, path))?;
                let outgoing = Outgoing {
                    draft: article.clone(),
                    path: path.to_owned(),
                };
                match send_once(outgoing, &sender, &net, &request).await {
                    Ok(outcome) => return posted(context, &outcome),
                    Err(PostError::Stopped(stop)) => stop,
                    Err(error) => break error,
                }
            }
            Err(stop) => stop,
        };
        match stop {
            Stop::Needs(question) => match ask::answer(&question, &request, context)? {
                Some(answered) => request = answered,
                None => return Err(stored(Stop::Needs(question).into(), path)),
            },
            stop => break PostError::Stopped(stop),
        }
    };
    match error {
        PostError::Stopped(Stop::Failed(failure)) | PostError::Unknown(failure)
            if is_temporary(&failure) =>
        {
            queue(path, &request)?;
            Err(CliError::new(format!(
                "{}; the article waits for geomys sync",
                failure.sentence
            )))
        }
        PostError::Stopped(stop) => Err(stored(stop.into(), path)),
        PostError::Refused(failure)
        | PostError::Unknown(failure)
        | PostError::Uncertain(failure) => Err(stored(Stop::Failed(failure).into(), path)),
    }
}

/// Sends a draft once.
async fn send_once(
    outgoing: Outgoing,
    sender: &Sender,
    net: &Net,
    request: &Request,
) -> Result<PostOutcome, PostError> {
    Box::pin(outgoing.send(sender, net, request, sink())).await
}

/// Returns a sink whose parts nobody reads.
fn sink() -> Sink {
    let (sender, mut parts) = mpsc::channel(16);
    task::spawn(async move { while parts.recv().await.is_some() {} });
    Sink::new(LoadId(0), sender)
}

/// Returns true if a later attempt may succeed.
fn is_temporary(failure: &Failure) -> bool {
    match failure.kind {
        FailureKind::Transient | FailureKind::Busy | FailureKind::Unreachable => true,
        FailureKind::Permanent
        | FailureKind::Missing
        | FailureKind::Malformed
        | FailureKind::ServerError
        | FailureKind::ResumeMismatch => false,
    }
}

/// Prints the Message-ID of the posted article.
fn posted(context: &CliContext, outcome: &PostOutcome) -> Result<(), CliError> {
    let (PostOutcome::Accepted(words) | PostOutcome::AlreadyPosted(words)) = outcome;
    writeln!(stderr(), "geomys: posted: {words}")?;
    if let Some(id) = posted_ids(&context.paths.posted()).last() {
        writeln!(stdout(), "{}", clean(id))?;
    }
    Ok(())
}

/// Returns an error that names the file of the draft.
fn stored(error: CliError, path: &Path) -> CliError {
    let file = path.display();
    match error {
        CliError::Failed {
            message,
            server_lines,
        } => CliError::Failed {
            message: format!("{message}; the article is {file}"),
            server_lines,
        },
        error => error,
    }
}
