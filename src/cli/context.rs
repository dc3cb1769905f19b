//! The context of a subcommand: paths, configuration, the requests made from them, and how its loads and its jobs over
//! many URLs run.

use std::io::{self, Write, stdin};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use clap::Args;
use geomys_load::check::{JobLimits, UrlJob};
use geomys_load::{
    Caution, Consents, FormAnswers, PageHead, Part, PartSender, Purpose, Question, Reason, Request,
    Stop,
};
use geomys_page::document::Zone;
use geomys_store::bookmarks::url_jobs::{UrlTarget, run_on_targets};
use geomys_store::files::trust;
use geomys_wire::net::{LocalConsent, Net, TransferEnd};
use geomys_wire::task;
use geomys_wire::text::Text;
use rfc1738::{Dialect, Guesses, Hint, Url, expand_typed, mask, parse_or_repair};
use tokio::runtime::Builder;
use tokio::sync::{Notify, mpsc};

use super::argument::UrlArgument;
use super::error::CliError;
use super::signals::stop_signal;
use super::{ask, error};
use crate::cli::locale::stderr;
use crate::config::{Config, UserPaths};
use crate::run::page_cache::load;
use geomys_app::{Credentials, Settings};

/// The context of a subcommand: paths and configuration.
pub(super) struct CliContext {
    pub(super) paths: Arc<UserPaths>,
    pub(super) config: Config,
    /// Reads the configuration again.
    pub(super) read: ReadFrom,
}

/// A function that reads the configuration at these paths, with the options of the command line.
pub(super) type ReadFrom = Arc<dyn Fn(&UserPaths) -> Config + Send + Sync>;

impl CliContext {
    /// Returns a request of the command line with the request defaults and stored logins.
    pub(super) fn request(&self, url: Url, purpose: Purpose) -> Result<Request, CliError> {
        let reason = Reason::CommandLine;
        let request = self.request_with(url, reason, purpose, &Credentials::default());
        if request.tls_authority().is_none() {
            return Ok(request);
        }
        let Request { url, reason, .. } = request;
        Ok(self.request_with(url, reason, purpose, &self.credentials()?))
    }

    /// Returns the same request with accepted certificates that are already loaded.
    pub(super) fn request_with(
        &self,
        url: Url,
        reason: Reason,
        purpose: Purpose,
        credentials: &Credentials,
    ) -> Request {
        let mut request = Request {
            purpose,
            // A user who writes a filled form on the command line has seen it.
            answers: FormAnswers::Confirmed,
            // The reader of the output can stop it at any time.
            limit: Some(u64::MAX),
            ..Request::show(url, reason)
        };
        credentials.apply_defaults(&mut request, &self.config.settings);
        request
    }

    /// Loads the accepted certificates.
    pub(super) fn credentials(&self) -> Result<Credentials, CliError> {
        let pins = trust::load(&self.paths.trust()).map_err(CliError::new)?;
        Ok(Credentials::of_pins(pins))
    }
}

/// The consent that the command line gives before a question is asked.
#[derive(Debug, Args)]
pub(super) struct Consent {
    /// Open URLs with unusual ports, users or addresses without a question
    ///
    /// Such as a port of another service, a user that looks like a host, or an address of this machine or its network
    /// to which a page of another host leads. An FTP server that offers no data connection may connect to this machine,
    /// and an archive may unpack to more than 1 GiB and a hundred times its size.
    #[arg(long)]
    yes: bool,
}

impl Consent {
    /// Applies the consent to a request.
    pub(super) fn apply(&self, request: Request) -> Request {
        if !self.yes {
            return request;
        }
        Request {
            consents: Consents {
                caution: Caution::Confirmed,
                local: LocalConsent::Any,
                active: true,
                unpack: true,
                ..request.consents
            },
            ..request
        }
    }
}

/// A URL of the command line, and how it was read.
pub(super) struct TypedUrl {
    pub(super) url: Url,
    /// The sentences about a repair and about a probable mistake.
    pub(super) remarks: Vec<String>,
}

/// Parses a URL of the command line as the address prompt does: a host means gopher, a path means a file, and faults
/// are repaired.
pub(super) fn address(written: &UrlArgument, settings: &Settings) -> Result<Url, CliError> {
    typed_url(written, settings).map(|typed| typed.url)
}

/// Returns the path of a file that is meant by a name without a scheme: `notes.txt` is also a host. An existing regular
/// file wins, and a directory only as `DIR/`. It is said on standard error.
pub(super) fn existing_file(written: &UrlArgument) -> Result<Option<UrlArgument>, CliError> {
    let name = written.unmasked();
    let path = Path::new(name);
    if !is_file_name(name) {
        return Ok(None);
    }
    let kind = if path.is_file() { "file" } else { "directory" };
    writeln!(
        stderr(),
        "geomys: {} is taken for the {kind} here, not for a host",
        Text::of(&written.to_string())
    )?;
    Ok(Some(UrlArgument::new(&format!("./{name}"))))
}

/// Returns true for the name of such a file.
pub(super) fn is_file_name(name: &str) -> bool {
    let path = Path::new(name);
    let is_name = !name.contains("://") && !name.starts_with(['/', '.', '~']);
    is_name && (path.is_file() || name.ends_with('/') && path.is_dir())
}

/// Reads a line of standard input.
fn read_line() -> Result<String, CliError> {
    let mut line = String::new();
    match stdin().read_line(&mut line)? {
        0 => Err(CliError::Usage("no URL on standard input".to_owned())),
        _ => Ok(line),
    }
}

/// Parses a URL as [`address`] does, with remarks for the user; `-` is a line of standard input.
pub(super) fn typed_url(written: &UrlArgument, settings: &Settings) -> Result<TypedUrl, CliError> {
    let guesses = Guesses {
        is_group: None,
        directory: settings.directory.as_deref().and_then(Path::to_str),
        home: settings.home.as_deref().and_then(Path::to_str),
    };
    let line;
    let written = if written.is_stdin() {
        line = read_line()?;
        line.trim()
    } else {
        written.unmasked()
    };
    if let Some(error) = error::unknown_word(written) {
        return Err(CliError::Usage(error));
    }
    let expanded = expand_typed(written, guesses);
    let url = parse_or_repair(&expanded).map_err(|error| {
        let caret = error.masked(&expanded).caret();
        CliError::Usage(format!("not a URL\n  {}\n  {caret}", mask(&expanded)))
    })?;
    let hint = url.hint();
    if hint == Some(Hint::DrivePath) {
        return Err(CliError::Usage(format!(
            "not a URL\n  {}\n  {}",
            mask(&expanded),
            Hint::DrivePath
        )));
    }
    let is_repaired = Dialect::Extended.parse(&*expanded).is_err();
    let repair = is_repaired.then(|| format!("repaired {} to {}", mask(&expanded), url.masked()));
    let remarks = repair.into_iter().chain(hint.map(|hint| hint.to_string()));
    Ok(TypedUrl {
        remarks: remarks.collect(),
        url,
    })
}

/// The most parts of a page that are queued for printing or writing.
const PARTS: usize = 64;

/// Runs a future to its end, without waiting for name look-ups that are still running.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    run_on(Builder::new_multi_thread().worker_threads(2), future)
}

/// Runs a future to its end on this thread, except for disk access: the thread that waits for the socket also reads
/// from it, so no other thread is woken for each arrival.
pub(super) fn block_on_current_thread<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    run_on(&mut Builder::new_current_thread(), future)
}

/// The number of threads that a command starts beside its own, at least.
const THREADS: usize = 3;

fn run_on<T>(runtime: &mut Builder, future: impl Future<Output = T>) -> Result<T, CliError> {
    // The runtime panics where it cannot start its threads.
    let threads: Vec<io::Result<JoinHandle<()>>> = (0..THREADS)
        .map(|_| thread::Builder::new().spawn(|| ()))
        .collect();
    for thread in threads {
        let error = |error| CliError::new(format!("no thread can be started: {error}"));
        let _ = thread.map_err(error)?.join();
    }
    let runtime = runtime.enable_all().build()?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

/// Runs a job on targets and passes each outcome to `receive`, until the last one, a signal, or an error of `receive`:
/// the output is closed, or results cannot be saved. Returns false after a signal.
pub(super) fn run_on_each<J: UrlJob>(
    kind: J,
    context: &CliContext,
    targets: &[UrlTarget],
    limits: JobLimits,
    mut receive: impl FnMut(&UrlTarget, J::Outcome) -> Result<(), CliError> + Send,
) -> Result<bool, CliError> {
    let net = context.config.net(&context.paths);
    let (stop, mut failure) = (Notify::new(), None);
    let has_ended = block_on(async {
        let mut report = |target: &UrlTarget, outcome| {
            if failure.is_none()
                && let Err(error) = receive(target, outcome)
            {
                failure = Some(error);
                stop.notify_one();
            }
        };
        let running = run_on_targets(kind, &net, targets, limits, &mut report);
        let stopped = stop_signal()?;
        Ok::<bool, CliError>(tokio::select! {
            // Polled first: what was received so far is saved.
            biased;
            () = stopped => false,
            () = stop.notified() => true,
            () = running => true,
        })
    })??;
    failure.map_or(Ok(has_ended), Err)
}

/// Runs a request, passes each part to `take`, and returns the end of the transfer, with a note on standard error if it
/// is not confirmed. Questions of the load are answered on the terminal, if there is one.
pub(super) async fn fetch(
    context: &CliContext,
    request: Request,
    take: impl FnMut(Part) -> Result<(), CliError>,
) -> Result<TransferEnd, CliError> {
    let net = Arc::new(context.config.net(&context.paths));
    Ok(fetch_over(&net, context, request, take).await??)
}

/// Runs a request as [`fetch`] does over a network whose connections are kept for the next request. The inner error is
/// that of the load.
pub(super) async fn fetch_over(
    net: &Arc<Net>,
    context: &CliContext,
    mut request: Request,
    mut take: impl FnMut(Part) -> Result<(), CliError>,
) -> Result<Result<TransferEnd, Stop>, CliError> {
    let cache = Arc::new(context.config.cache(&context.paths));
    loop {
        let (sender, mut parts) = mpsc::channel(PARTS);
        let loading = {
            let (net, cache) = (Arc::clone(net), Arc::clone(&cache));
            let request = request.clone();
            task::spawn(async move { load(&net, &cache, request, PartSender::Own(sender)).await })
        };
        let mut end = Err(Stop::Closed);
        while let Some(part) = parts.recv().await {
            match part {
                Part::End(result) => end = result,
                part => {
                    if let Part::Head(PageHead {
                        cached: Some(cached),
                        ..
                    }) = &part
                    {
                        let since = Zone::system().written(cached.stored_at);
                        let reason = cached
                            .reason
                            .as_deref()
                            .unwrap_or("no server was contacted");
                        writeln!(stderr(), "geomys: cached {since}: {reason}")?;
                    }
                    take(part)?;
                }
            }
        }
        loading.abort();
        match end {
            // Output to a pipe or a screen must not depend on a network that a page names: only --yes permits it.
            Err(stop @ Stop::Needs(Question::LocalAddress(_))) => return Ok(Err(stop)),
            Err(Stop::Needs(question)) => match ask::answer(&question, &request, context)? {
                Some(answered) => request = answered,
                None => return Ok(Err(Stop::Needs(question))),
            },
            Err(stop) => return Ok(Err(stop)),
            Ok(end) => {
                if let Some(note) = end.sentence() {
                    writeln!(stderr(), "geomys: {note}")?;
                }
                return Ok(Ok(end));
            }
        }
    }
}
