//! `geomys get`: what a URL names, saved.

mod bar;

use std::io::{Write, stderr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clap::Args;

use self::bar::Bar;
use super::output::{Output, clean};
use super::{Setting, Trouble, address, ask, block_on, block_on_one, fetch};
use crate::app::title_of;
use crate::files::download::{Error, Order, PastSize, Target};
use crate::files::retry::transfer;
use crate::files::sources::{Merge, Sources};
use crate::files::tree::{self, Summary, tree};
use crate::load::{Part, Purpose, Question, Request, Stop};
use crate::net::Net;
use crate::run::sentence;
use crate::text;
use crate::url::Url;

/// What is said when a person stops it.
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
    pub(super) fn run(&self, setting: &Setting) -> Result<(), Trouble> {
        let url = address(&self.address, &setting.config.settings)?;
        let is_stdout = |output: &PathBuf| output.as_os_str() == "-";
        match (self.output.as_ref().is_some_and(is_stdout), self.recursive) {
            (true, true) => Err(Trouble::new(
                "a directory goes to no standard output: -o DIR names a place for it",
            )),
            (true, false) => self.to_stdout(setting, url),
            (false, _) => {
                let request = setting.request(url, Purpose::Save)?;
                let net = setting.net();
                block_on_one(async {
                    tokio::select! {
                        biased;
                        _ = tokio::signal::ctrl_c() => {
                            let _ = writeln!(stderr());
                            Err(Trouble::new(STOPPED))
                        }
                        done = self.save(setting, &net, request) => done,
                    }
                })?
            }
        }
    }

    #[allow(clippy::unused_self)] // It is one of the ways to run it.
    fn to_stdout(&self, setting: &Setting, url: Url) -> Result<(), Trouble> {
        block_on(async {
            let mut out = Output::new();
            let fetched = fetch(setting, url, Purpose::Save, |part| {
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

    /// Where it goes, by the URL's own name where none is given.
    fn path(&self, url: &Url) -> (PathBuf, bool) {
        let name = text::file_name(title_of(url).as_str().as_bytes(), "index");
        match &self.output {
            Some(path) if path.as_os_str().as_bytes().ends_with(b"/") => (path.join(name), true),
            Some(path) => (path.clone(), true),
            None => (PathBuf::from(name), false),
        }
    }

    async fn save(&self, setting: &Setting, net: &Net, request: Request) -> Result<(), Trouble> {
        let (path, is_named) = self.path(&request.url);
        let past_size = if self.past_size {
            PastSize::Fetch
        } else {
            PastSize::Stop
        };
        if self.recursive {
            let sources = Sources::new(setting.places.sources());
            let is_chosen = self.output.is_some() && self.output.as_ref() == Some(&path);
            let into = if is_chosen {
                path
            } else {
                sources.destination(&path, &request.url)
            };
            let merge = if self.merge {
                Merge::Agreed
            } else {
                Merge::Ask
            };
            let order = tree::Order {
                merge,
                past_size,
                ..tree::Order::new(request, into)
            };
            return Box::pin(save_tree(setting, net, order, &sources)).await;
        }
        let target = if is_named {
            Target::Replace(path)
        } else {
            Target::New(path)
        };
        let order = Order {
            past_size,
            ..Order::new(request, target)
        };
        save_file(setting, net, order).await
    }
}

async fn save_file(setting: &Setting, net: &Net, order: Order) -> Result<(), Trouble> {
    let mut order = order;
    let patience = setting.config.settings.transfers.patience();
    let name = order.target.path().file_name().unwrap_or_default();
    let mut bar = Bar::new(text::Text::of(&name.to_string_lossy()).as_str());
    loop {
        let done = transfer(net, order.clone(), &patience, &mut |report| {
            bar.file(&report);
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
            Error::Stopped { stop, .. } => {
                let Stop::Needs(question) = &**stop else {
                    return Err(stopped(error));
                };
                if let Question::Changed { was, is } = question {
                    match ask::changed(was, is)? {
                        Some(earlier) => order.earlier = earlier,
                        None => return Err(Trouble::new(sentence(&error))),
                    }
                } else if let Some(request) = ask::answer(question, &order.request, setting)? {
                    order.request = request;
                } else {
                    return Err(Trouble::new(sentence(&error)));
                }
            }
            Error::Directory => {
                return Err(Trouble::new(
                    "this is a directory: -r saves all that is in it, and -o - prints its listing",
                ));
            }
            Error::PastSize { .. } => {
                let error = sentence(&error);
                return Err(Trouble::new(format!(
                    "{error}; --past-size fetches the rest"
                )));
            }
            Error::There
            | Error::Foreign { .. }
            | Error::Busy { .. }
            | Error::Create { .. }
            | Error::Write { .. } => {
                return Err(Trouble::new(sentence(&error)));
            }
        }
    }
}

/// A failure before anything came is told with the server's words.
fn stopped(error: Error) -> Trouble {
    match error {
        Error::Stopped { stop, part: None } if matches!(*stop, Stop::Failed(_)) => (*stop).into(),
        error => Trouble::new(sentence(&error)),
    }
}

async fn save_tree(
    setting: &Setting,
    net: &Net,
    order: tree::Order,
    sources: &Sources,
) -> Result<(), Trouble> {
    let mut order = order;
    let patience = setting.config.settings.transfers.patience();
    let mut bar = Bar::new(&order.into.display().to_string());
    loop {
        let mut hear = |step: &_| bar.tree(step);
        let done = Box::pin(tree(net, order.clone(), sources, &patience, &mut hear)).await;
        bar.clear();
        let error = match done {
            Ok(summary) => return told(&summary, &order.into, &bar),
            Err(error) => error,
        };
        let question = match &error {
            Error::Stopped { stop, .. } => match &**stop {
                Stop::Needs(question) => question,
                Stop::Failed(_) | Stop::Cut(_) | Stop::Closed => return Err(stopped(error)),
            },
            Error::Foreign { path } => {
                if !ask::merge(path)? {
                    let error = sentence(&error);
                    return Err(Trouble::new(format!(
                        "{error}; -o names another directory, --merge puts these files beside them"
                    )));
                }
                order.merge = Merge::Agreed;
                continue;
            }
            Error::Directory
            | Error::There
            | Error::PastSize { .. }
            | Error::Busy { .. }
            | Error::Create { .. }
            | Error::Write { .. } => return Err(stopped(error)),
        };
        match ask::answer(question, &order.request, setting)? {
            Some(answered) => order.request = answered,
            None => return Err(Trouble::new(sentence(&error))),
        }
    }
}

/// Tells what a walk came to; it has failed when anything in it has.
fn told(summary: &Summary, path: &Path, bar: &Bar) -> Result<(), Trouble> {
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
        return Err(Trouble::new(""));
    }
    Ok(())
}
