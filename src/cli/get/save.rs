//! Saving of one resource, with its questions and its progress.

use std::io::{Write, stderr};

use super::bar::ProgressBar;
use crate::cli::ask;
use crate::cli::context::CliContext;
use crate::cli::error::CliError;
use crate::cli::output::{Output, clean};
use crate::load::{Question, Request, Stop};
use crate::net::Net;
use crate::run::sentence;
use crate::text;
use crate::transfer::download::{DownloadOrder, Error, PartialFilePolicy};
use crate::transfer::retry::transfer;
use crate::transfer::sources::{MergePolicy, Sources};
use crate::transfer::tree::{self, TreeSummary, tree};

/// Saves a file.
pub(super) async fn file(
    context: &CliContext,
    net: &Net,
    order: DownloadOrder,
) -> Result<(), CliError> {
    let mut order = order;
    let retry_policy = context.config.settings.transfers.retry_policy();
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
                writeln!(stderr(), "{}: {size}", clean(&path))?;
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
                    "this is a directory: -r downloads it, -o - prints its listing",
                ));
            }
            Error::Oversize { .. } => {
                let error = sentence(&error);
                return Err(CliError::new(format!(
                    "{error}; --past-size downloads the rest"
                )));
            }
            Error::AlreadyComplete => {
                let path = order.target.path().display().to_string();
                writeln!(stderr(), "{}: there already", clean(&path))?;
                return Ok(());
            }
            Error::Foreign { .. }
            | Error::Busy { .. }
            | Error::Create { .. }
            | Error::Write { .. } => return Err(to_cli_error(error)),
        }
    }
}

/// Asks the question that stopped a transfer, and returns the request with the answer.
fn answered(context: &CliContext, error: Error, request: &Request) -> Result<Request, CliError> {
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

/// Saves a directory with all that is below it.
pub(super) async fn directory(
    context: &CliContext,
    net: &Net,
    order: tree::DirectoryOrder,
    sources: &Sources,
) -> Result<(), CliError> {
    let mut order = order;
    let retry_policy = context.config.settings.transfers.retry_policy();
    let mut bar = ProgressBar::new(&order.into.display().to_string());
    loop {
        let mut report = |step: &_| bar.tree(step);
        let walk = tree(net, order.clone(), sources, &retry_policy, &mut report);
        let done = Box::pin(walk).await;
        bar.clear();
        let error = match done {
            Ok(summary) => return print_summary(&summary, &order, &bar),
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

/// Prints the summary of a directory; fails if any file failed.
fn print_summary(
    summary: &TreeSummary,
    order: &tree::DirectoryOrder,
    bar: &ProgressBar,
) -> Result<(), CliError> {
    let mut out = Output::new();
    for line in &summary.planned {
        writeln!(out, "{}", text::Text::of(line))?;
    }
    out.end()?;
    let dry_run = match order.mirror.run {
        tree::RunMode::Dry => "dry run: ",
        tree::RunMode::Real => "",
    };
    let mut err = stderr().lock();
    for note in &summary.notes {
        writeln!(err, "{}", text::Text::of(note))?;
    }
    for line in summary.failed_lines() {
        writeln!(err, "{}", text::Text::of(&line))?;
    }
    let sentence = summary.sentence(Some(bar.elapsed()));
    let path = order.into.display().to_string();
    writeln!(err, "{dry_run}{}: {sentence}", clean(&path))?;
    if summary.failures > 0 {
        return Err(CliError::new(""));
    }
    Ok(())
}
