//! Saving of one resource, with its questions and its progress.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use geomys_crawl::archive::Archive;
use geomys_crawl::served::{CopyServer, CopySummary, convert};
use geomys_crawl::tree::{self, LeftOut, TreeSummary, tree};
use geomys_load::{Part, Question, Request, Stop};
use geomys_page::document::Shape;
use geomys_store::transfer::download::{DownloadOrder, Error, PartialFilePolicy, SavedFile};
use geomys_store::transfer::load_parts;
use geomys_store::transfer::records::{DirectoryRecords, MergePolicy};
use geomys_store::transfer::retry::transfer;
use geomys_wire::net::Net;
use geomys_wire::task::blocking;
use geomys_wire::text;
use rfc1738::Url;
use serde::Serialize;

use super::bar::ProgressBar;
use crate::cli::ask;
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::error::{Output, clean};
use crate::cli::locale::{stderr, stdout};
use crate::cli::url::json;
use crate::run::sentence;

/// Saves a file.
pub(super) async fn file(
    context: &CliContext,
    net: &Net,
    order: DownloadOrder,
    is_json: bool,
) -> Result<(), CliError> {
    let mut order = order;
    let retry_policy = context.config.settings.transfers.retries;
    let name = order.target.path().file_name().unwrap_or_default();
    let mut bar = ProgressBar::new(text::Text::of(&name.to_string_lossy()).as_str());
    loop {
        let done = transfer(net, order.clone(), &retry_policy, &mut |event| {
            bar.file(&event);
        })
        .await;
        bar.clear();
        let error = match done {
            Ok(saved) => {
                let size = text::octets(saved.octets);
                let path = saved.path.display().to_string();
                let note = saved.end.sentence();
                let note = note.map_or(String::new(), |note| format!("; {note}"));
                writeln!(stderr(), "{}: {size}{note}", clean(&path))?;
                if is_json {
                    print_file(&order.request.url, path, &saved)?;
                }
                return Ok(());
            }
            Err(error) => error,
        };
        match &error {
            Error::Stopped { stop, .. } => match &**stop {
                Stop::Needs(Question::Changed { .. })
                    if order.partial == PartialFilePolicy::ResumeUnchanged =>
                {
                    let path = order.target.path().display().to_string();
                    writeln!(
                        stderr(),
                        "{}: changed since the partial download: fetched again",
                        clean(&path)
                    )?;
                    order.partial = PartialFilePolicy::Restart;
                }
                Stop::Needs(_) | Stop::Failed(_) | Stop::Truncated(_) | Stop::Closed => {
                    order.request = answered(context, error, &order.request)?;
                }
            },
            Error::Directory => {
                return Err(CliError::new(
                    "this is a directory: `geomys mirror` downloads it, -o - prints its listing",
                ));
            }
            Error::AlreadyComplete => {
                let path = order.target.path().display().to_string();
                writeln!(stderr(), "{}: there already", clean(&path))?;
                return Ok(());
            }
            Error::Foreign { .. }
            | Error::Link { .. }
            | Error::Busy { .. }
            | Error::Oversize { .. }
            | Error::NotReplaced { .. }
            | Error::Create { .. }
            | Error::Write { .. } => return Err(to_cli_error(error)),
        }
    }
}

/// Prints a saved file as JSON.
pub(super) fn print_file(url: &Url, path: String, saved: &SavedFile) -> io::Result<()> {
    SavedUrl {
        url: url.masked_answers(),
        path,
        bytes: saved.octets,
        end: saved.end.name(),
        notes: saved.end.note().into_iter().collect(),
        files: None,
        served: None,
    }
    .print()
}

/// A saved URL, as printed. The keys of its JSON are part of the interface: scripts read them.
#[derive(Serialize)]
struct SavedUrl<'a> {
    url: Cow<'a, str>,
    path: String,
    bytes: u64,
    /// `confirmed`, or `unconfirmed` if some of it may be missing.
    end: &'static str,
    notes: Vec<String>,
    /// The numbers of a directory.
    #[serde(flatten)]
    files: Option<SavedFiles>,
    /// The copy of a mirror that can be served.
    #[serde(skip_serializing_if = "Option::is_none")]
    served: Option<ServedCopy>,
}

/// The copy of a mirror that can be served.
#[derive(Serialize)]
struct ServedCopy {
    path: String,
    files: usize,
    written: usize,
    /// Rows of menus that became texts.
    texts: usize,
    /// Rows of menus that lost fields.
    fields: usize,
    not_served: usize,
    notes: Vec<String>,
}

impl ServedCopy {
    fn of(path: &Path, copy: CopySummary) -> Self {
        Self {
            path: path.display().to_string(),
            files: copy.files,
            written: copy.written,
            texts: copy.texts,
            fields: copy.fields,
            not_served: copy.not_served,
            notes: copy.notes,
        }
    }
}

/// The numbers of the files of a directory.
#[derive(Serialize)]
struct SavedFiles {
    files: usize,
    /// The steps of a dry run, a line for each file.
    planned: Vec<String>,
    directories: usize,
    updated: usize,
    deleted: usize,
    existing: usize,
    changing: usize,
    missing: usize,
    /// Pages of an earlier run that nothing links to now.
    unlinked: usize,
    /// Files that stayed, as what came in their place may be cut.
    kept: usize,
    unanswered: usize,
    failed: usize,
    left_out: Box<LeftOut>,
}

impl SavedFiles {
    fn of(summary: &TreeSummary) -> Self {
        Self {
            files: summary.files,
            planned: summary.planned.clone(),
            directories: summary.directories,
            updated: summary.updated,
            deleted: summary.deleted,
            existing: summary.existing,
            changing: summary.changing,
            missing: summary.missing,
            unlinked: summary.unlinked,
            kept: summary.kept,
            unanswered: summary.unanswered,
            failed: summary.failures,
            left_out: summary.left_out.clone(),
        }
    }
}

impl SavedUrl<'_> {
    fn print(&self) -> io::Result<()> {
        json::line(self, &mut stdout())
    }
}

/// Asks the question that stopped a transfer, and returns the request with the answer.
pub(super) fn answered(
    context: &CliContext,
    error: Error,
    request: &Request,
) -> Result<Request, CliError> {
    if let Error::Stopped { stop, .. } = &error
        && let Stop::Needs(question) = &**stop
        && let Some(answered) = ask::answer(question, request, context)?
    {
        return Ok(answered);
    }
    Err(to_cli_error(error))
}

/// Converts an error; a failure before any data includes the lines of the server.
fn to_cli_error(error: Error) -> CliError {
    match error {
        Error::Stopped { stop, part: None }
            if matches!(
                *stop,
                Stop::Failed(_) | Stop::Needs(Question::Hazards(_) | Question::LocalAddress(_))
            ) =>
        {
            (*stop).into()
        }
        error => CliError::new(sentence(&error)),
    }
}

/// Returns true if the fragment of a URL names a file in an archive, not a directory.
pub(super) async fn is_member_file(net: &Net, request: &Request) -> bool {
    let fragment = request.url.fragment();
    if fragment.is_none_or(|member| member.as_str().ends_with('/')) {
        return false;
    }
    let mut request = request.clone();
    request.save.lists_members = true;
    load_parts(net, request, async |mut parts| {
        while let Some(part) = parts.recv().await {
            if let Part::Head(head) = part {
                return !matches!(head.shape, Shape::Listing { .. });
            }
        }
        false
    })
    .await
}

/// Saves a directory with all that is below it.
pub(super) async fn directory(
    context: &CliContext,
    net: &Net,
    order: tree::DirectoryOrder,
    sources: &DirectoryRecords,
    (is_json, convert): (bool, Option<PathBuf>),
) -> Result<(), CliError> {
    let mut order = order;
    let retry_policy = context.config.settings.transfers.retries;
    let into = order.archive.as_ref().map(Archive::path);
    let mut bar = ProgressBar::new(&into.unwrap_or(&order.into).display().to_string());
    loop {
        let mut report = |step: &_| bar.tree(step);
        let walk = tree(net, order.clone(), sources, &retry_policy, &mut report);
        let done = Box::pin(walk).await;
        bar.clear();
        let error = match done {
            Ok(summary) => {
                let copy = match &convert {
                    Some(into) => Some(write_copy(&order, sources, into, &summary).await?),
                    None => None,
                };
                return print_summary(&summary, &order, &bar, (is_json, copy));
            }
            Err(error) => error,
        };
        if let Error::Foreign { path } = &error {
            if !ask::merge(path)? {
                let error = sentence(&error);
                return Err(CliError::new(format!(
                    "{error}; use -o for another directory, or --merge to add the files"
                )));
            }
            order.merge = MergePolicy::Allow;
        } else {
            order.request = answered(context, error, &order.request)?;
        }
    }
}

/// Writes the copy of a mirror that can be served, and prints its notes. Pages that ask for an answer are not served
/// either.
async fn write_copy(
    order: &tree::DirectoryOrder,
    sources: &DirectoryRecords,
    into: &Path,
    mirrored: &TreeSummary,
) -> Result<(PathBuf, CopySummary), CliError> {
    let (sources, mirror, path) = (sources.clone(), order.into.clone(), into.to_owned());
    let url = order.request.url.clone();
    let converting = blocking(move || {
        let server = CopyServer::of(&url)?;
        Some(convert(&sources, &url, server, (&mirror, &path)))
    });
    let shown = into.display().to_string();
    let mut copy = match converting.await {
        Some(Ok(copy)) => copy,
        Some(Err(error)) => {
            return Err(CliError::new(format!(
                "{shown}: {error}; --convert=DIR writes to another directory"
            )));
        }
        None => CopySummary::default(),
    };
    copy.not_served += mirrored.unanswered;
    Ok((into.to_owned(), copy))
}

/// Prints the summary of a directory, and of its copy; fails if any file failed.
fn print_summary(
    summary: &TreeSummary,
    order: &tree::DirectoryOrder,
    bar: &ProgressBar,
    (is_json, copy): (bool, Option<(PathBuf, CopySummary)>),
) -> Result<(), CliError> {
    let mut out = Output::new();
    for line in summary.planned.iter().filter(|_| !is_json) {
        writeln!(out, "{}", text::Text::of(line))?;
    }
    out.end()?;
    let dry_run = match order.mirror.run {
        tree::RunMode::Dry => "dry run: ",
        tree::RunMode::Real => "",
    };
    let skipped = copy.as_ref().map_or(0, |(_, copy)| copy.skipped);
    let mut err = stderr();
    for note in &summary.notes {
        writeln!(err, "{}", clean(note))?;
    }
    for line in summary.failed_lines() {
        writeln!(err, "{}", clean(&line))?;
    }
    let sentence = summary.sentence(Some(bar.elapsed()));
    let into = order.archive.as_ref().map(Archive::path);
    let path = into.unwrap_or(&order.into).display().to_string();
    writeln!(err, "{dry_run}{}: {sentence}", clean(&path))?;
    if let Some((path, copy)) = &copy {
        for note in &copy.notes {
            writeln!(err, "{}", clean(note))?;
        }
        let path = path.display().to_string();
        writeln!(err, "{}: {}", clean(&path), copy.sentence())?;
    }
    if is_json {
        SavedUrl {
            url: order.request.url.masked_answers(),
            path,
            bytes: summary.octets,
            end: summary.end.name(),
            notes: summary.notes.clone(),
            files: Some(SavedFiles::of(summary)),
            served: copy.map(|(path, copy)| ServedCopy::of(&path, copy)),
        }
        .print()?;
    }
    if summary.failures > 0 || skipped > 0 {
        return Err(CliError::new(""));
    }
    Ok(())
}
