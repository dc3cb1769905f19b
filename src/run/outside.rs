//! Other programs, and files on their way to or from them.

use std::io;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

use super::{FRAME, own_fault, sentence};
use crate::app::Message;
use crate::app::outside::Program;
use crate::app::page::WorkId;
use crate::files::command::ended;
use crate::files::download::Target;
use crate::files::{upload, view};
use crate::load::{LoadId, Request};
use crate::net::Net;

/// Reports what comes of some work, when it is done.
pub(super) fn report(
    messages: &UnboundedSender<Message>,
    work: impl Future<Output = Message> + Send + 'static,
) {
    let messages = messages.clone();
    tokio::spawn(async move {
        let _ = messages.send(work.await);
    });
}

/// Reads a file that goes with a form.
/// Whether a file can be written where it is to be without making a directory, but for `made`.
pub(super) async fn has_directory(target: &Target, made: &Path) -> Result<(), String> {
    let (Target::Free(path) | Target::New(path) | Target::Replace(path)) = target;
    let directory = path.parent().unwrap_or(made);
    let is_there = || async {
        let about = tokio::fs::metadata(directory).await;
        about.is_ok_and(|about| about.is_dir())
    };
    if directory == made || is_there().await {
        return Ok(());
    }
    let directory = directory.display();
    Err(format!("not saved: there is no directory {directory}"))
}

pub(super) async fn read(work: WorkId, path: PathBuf) -> Message {
    let octets = upload::read(&path).await;
    Message::FileRead(work, octets.map_err(|error| error.to_string()))
}

/// Loads a file that is to be looked at.
pub(super) async fn fetch(
    net: Arc<Net>,
    messages: UnboundedSender<Message>,
    id: LoadId,
    request: Request,
    name: String,
) {
    let url = request.url.clone();
    let fetching = view::fetch(&net, request, &name, progress(&messages, id));
    let fetched = match AssertUnwindSafe(fetching).catch_unwind().await {
        Ok(fetched) => fetched.map_err(|error| sentence(&error)),
        Err(_) => Err(own_fault("fetch", &url)),
    };
    let _ = messages.send(Message::Fetched(id, fetched));
}

/// Tells how a file comes along, no more than a few times a second, as the screen shows no more.
fn progress(
    messages: &UnboundedSender<Message>,
    id: LoadId,
) -> impl FnMut(u64, Option<u64>) + use<> {
    let messages = messages.clone();
    let mut told = None;
    move |octets, size| {
        let now = Instant::now();
        if told.is_none_or(|told| now.duration_since(told) > FRAME * 6) {
            told = Some(now);
            let _ = messages.send(Message::Downloading(id, octets, size));
        }
    }
}

/// Runs a program that has a window of its own, until it ends; its file goes then. Nothing it says is heard, as the
/// terminal is ours.
pub(super) fn run(program: &Program) -> Result<String, String> {
    let status = match program.arguments.split_first() {
        Some((name, arguments)) => Command::new(name)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status(),
        None => Err(io::Error::from(io::ErrorKind::NotFound)),
    };
    how(program, status)
}

/// How a program ended, or why it could not be started.
pub(super) fn how(program: &Program, status: io::Result<ExitStatus>) -> Result<String, String> {
    let name = program.arguments.first().map_or("", String::as_str);
    match status {
        Ok(status) => Ok(ended(name, status)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(format!(
            "there is no program called {name}: settings.toml names another under [open] or [view]"
        )),
        Err(error) => Err(format!("{name} could not be started: {error}")),
    }
}
