//! Running the loads of a subcommand, and its jobs over many URLs.

use std::io::{Write, stderr};
use std::sync::Arc;

use geomys_page::document::Zone;
use geomys_page::load::check::{JobLimits, UrlJob};
use geomys_page::load::{PageHead, Part, PartSender, Question, Request, Stop};
use geomys_store::bookmarks::url_jobs::{UrlTarget, run_on_targets};
use geomys_wire::net::TransferEnd;
use geomys_wire::task;
use tokio::runtime::Builder;
use tokio::sync::{Notify, mpsc};

use super::ask;
use super::context::CliContext;
use super::error::CliError;
use super::signals::stop_signal;
use crate::run::page_cache::load;

/// The most parts of a page that are queued for printing or writing.
const PARTS: usize = 64;

/// Runs a future to its end, without waiting for name look-ups that are still running.
pub(super) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    run_on(Builder::new_multi_thread().worker_threads(2), future)
}

/// Runs a future to its end on this thread, except for disk access: the thread that waits for the socket also reads from it,
/// so no other thread is woken for each arrival.
pub(super) fn block_on_current_thread<T>(future: impl Future<Output = T>) -> Result<T, CliError> {
    run_on(&mut Builder::new_current_thread(), future)
}

fn run_on<T>(runtime: &mut Builder, future: impl Future<Output = T>) -> Result<T, CliError> {
    let runtime = runtime.enable_all().build()?;
    let output = runtime.block_on(future);
    runtime.shutdown_background();
    Ok(output)
}

/// Runs a job on targets and passes each outcome to `receive`, until the last one, a signal, or an error of `receive`: the output is
/// closed, or results cannot be saved. Returns false after a signal.
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

/// Runs a request, passes each part to `take`, and returns the end of the transfer, with a note on standard error if it is not
/// confirmed. Questions of the load are answered on the terminal, if there is one.
pub(super) async fn fetch(
    context: &CliContext,
    mut request: Request,
    mut take: impl FnMut(Part) -> Result<(), CliError>,
) -> Result<TransferEnd, CliError> {
    let net = Arc::new(context.config.net(&context.paths));
    let cache = Arc::new(context.config.cache(&context.paths));
    loop {
        let (sender, mut parts) = mpsc::channel(PARTS);
        let loading = {
            let (net, cache) = (Arc::clone(&net), Arc::clone(&cache));
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
            Err(stop @ Stop::Needs(Question::LocalAddress(_))) => return Err(stop.into()),
            Err(Stop::Needs(question)) => match ask::answer(&question, &request, context)? {
                Some(answered) => request = answered,
                None => return Err(Stop::Needs(question).into()),
            },
            Err(stop) => return Err(stop.into()),
            Ok(end) => {
                if let Some(note) = end.sentence() {
                    writeln!(stderr(), "geomys: {note}")?;
                }
                return Ok(end);
            }
        }
    }
}
