//! `geomys get`: saves the resource of a URL.

mod bar;

use std::io::{Write, stderr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;

use self::bar::ProgressBar;
use super::ask;
use super::context::{CliContext, address};
use super::error::CliError;
use super::fetch::{block_on, block_on_current_thread, fetch};
use super::output::{Output, clean};
use crate::app::title_of;
use crate::load::{Part, Purpose, Question, Request, Stop};
use crate::net::Net;
use crate::run::sentence;
use crate::text;
use crate::transfer::download::{DownloadOrder, Error, OversizePolicy, Target};
use crate::transfer::retry::transfer;
use crate::transfer::sources::{MergePolicy, Sources};
use crate::transfer::tree::{self, TreeSummary, tree};
use crate::url::Url;

/// The message after an interrupt.
const STOPPED: &str = "stopped; the same command goes on from there";

#[derive(Debug, Args)]
pub(super) struct Get {
    /// What to save
    #[arg(value_name = "URL")]
    address: String,

    /// The file to write, replaced if it is there; a `/` at the end puts the URL's own name into that directory; `-` is
    /// standard output. Without it, the URL's own name in this directory, which must not be taken
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// All of a directory, into a directory of its own; what an earlier run fetched from the same URL is passed over
    #[arg(short, long)]
    recursive: bool,

    /// Fetch the rest too where a server sends more than the size that it announced
    #[arg(long)]
    past_size: bool,

    /// With -r: put the files into a directory that holds others, beside those
    #[arg(long, requires = "recursive")]
    merge: bool,
}

impl Get {
    pub(super) fn run(&self, context: &CliContext) -> Result<(), CliError> {
        let url = address(&self.address, &context.config.settings)?;
        let is_stdout = |output: &PathBuf| output.as_os_str() == "-";
        match (self.output.as_ref().is_some_and(is_stdout), self.recursive) {
            (true, true) => Err(CliError::new(
                "a directory goes to no standard output: -o DIR names a place for it",
            )),
            (true, false) => to_stdout(context, url),
            (false, _) => {
                let request = context.request(url, Purpose::Save)?;
                let net = context.net();
                block_on_current_thread(async {
                    tokio::select! {
                        biased;
                        _ = tokio::signal::ctrl_c() => {
                            let _ = writeln!(stderr());
                            Err(CliError::new(STOPPED))
                        }
                        done = self.save(context, &net, request) => done,
                    }
                })?
            }
        }
    }

    /// Returns the path to save to, and true if the user gave it; otherwise the name is that of the URL.
    fn path(&self, url: &Url) -> (PathBuf, bool) {
        let name = text::file_name(title_of(url).as_str().as_bytes(), "index");
        match &self.output {
            Some(path) if path.as_os_str().as_bytes().ends_with(b"/") => (path.join(name), true),
            Some(path) => (path.clone(), true),
            None => (PathBuf::from(name), false),
        }
    }

    async fn save(
        &self,
        context: &CliContext,
        net: &Net,
        request: Request,
    ) -> Result<(), CliError> {
        let (path, is_named) = self.path(&request.url);
        let past_size = if self.past_size {
            OversizePolicy::Fetch
        } else {
            OversizePolicy::Stop
        };
        if self.recursive {
            let sources = Sources::new(context.paths.sources());
            let is_chosen = self.output.as_ref() == Some(&path);
            let into = if is_chosen {
                path
            } else {
                sources.destination(&path, &request.url)
            };
            let merge = if self.merge {
                MergePolicy::Allow
            } else {
                MergePolicy::Ask
            };
            let order = tree::DirectoryOrder {
                merge,
                oversize: past_size,
                ..tree::DirectoryOrder::new(request, into)
            };
            return Box::pin(save_tree(context, net, order, &sources)).await;
        }
        let target = if is_named {
            Target::Replace(path)
        } else {
            Target::New(path)
        };
        let order = DownloadOrder {
            oversize: past_size,
            ..DownloadOrder::new(request, target)
        };
        save_file(context, net, order).await
    }
}

fn to_stdout(context: &CliContext, url: Url) -> Result<(), CliError> {
    block_on(async {
        let mut out = Output::new();
        let fetched = fetch(context, url, Purpose::Save, |part| {
            if let Part::Octets(octets) = part {
                out.write_all(&octets)?;
            }
            Ok(())
        })
        .await;
        out.end()?;
        fetched
    })?
}

async fn save_file(context: &CliContext, net: &Net, order: DownloadOrder) -> Result<(), CliError> {
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
                Stop::Needs(Question::Changed { was, is }) => match ask::changed(was, is)? {
                    Some(partial) => order.partial = partial,
                    None => return Err(to_cli_error(error)),
                },
                Stop::Needs(_) | Stop::Failed(_) | Stop::Truncated(_) | Stop::Closed => {
                    order.request = answered(context, error, &order.request)?;
                }
            },
            Error::Directory => {
                return Err(CliError::new(
                    "this is a directory: -r saves all that is in it, and -o - prints its listing",
                ));
            }
            Error::Oversize { .. } => {
                let error = sentence(&error);
                return Err(CliError::new(format!(
                    "{error}; --past-size fetches the rest"
                )));
            }
            Error::AlreadyComplete
            | Error::Foreign { .. }
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
        Error::Stopped { stop, part: None } if matches!(*stop, Stop::Failed(_)) => (*stop).into(),
        error => CliError::new(sentence(&error)),
    }
}

async fn save_tree(
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
            Ok(summary) => return print_summary(&summary, &order.into, &bar),
            Err(error) => error,
        };
        if let Error::Foreign { path } = &error {
            if !ask::merge(path)? {
                let error = sentence(&error);
                return Err(CliError::new(format!(
                    "{error}; -o names another directory, --merge puts these files beside them"
                )));
            }
            order.merge = MergePolicy::Allow;
        } else {
            order.request = answered(context, error, &order.request)?;
        }
    }
}

/// Prints the summary of a directory; fails if any file failed.
fn print_summary(summary: &TreeSummary, path: &Path, bar: &ProgressBar) -> Result<(), CliError> {
    let mut err = stderr().lock();
    for note in &summary.notes {
        writeln!(err, "{}", text::Text::of(note))?;
    }
    for line in summary.failed_lines() {
        writeln!(err, "{}", text::Text::of(&line))?;
    }
    let sentence = summary.sentence(Some(bar.elapsed()));
    writeln!(err, "{}: {sentence}", clean(&path.display().to_string()))?;
    if summary.failures > 0 {
        return Err(CliError::new(""));
    }
    Ok(())
}
