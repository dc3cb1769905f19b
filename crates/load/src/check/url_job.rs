//! Jobs over many URLs at the same time: a few per host, more in total, and none to an authority that does not answer.
//!
//! A [`UrlJob`] is what is done with each URL: its link is checked, or its title or its content is fetched. Each job
//! waits for a permit of its authority, then of its host, and then for one of the total. The permits are given in the
//! order of waiting, and the first URLs of all hosts wait before the second ones, so that a host with many URLs delays
//! no other. URLs without a host, such as files, are limited only in total, and a missing answer does not affect the
//! others. A panic ends the job of its URL alone.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use geomys_wire::net::Net;
use rfc1738::Protocol;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::timeout;

use super::{LinkStatus, host_key};
use crate::Request;

/// The jobs in a row without an answer after which an authority is skipped.
const MAX_FAILURES: usize = 2;

/// A job that is done with each URL of many, and its outcome.
pub trait UrlJob: Clone + Send + Sync {
    /// The result for one URL.
    type Outcome: Send;

    /// Sends the requests of one URL, without questions, and not at all for a URL with hazards.
    fn run<'a>(self, net: &'a Net, request: &'a Request) -> BoxFuture<'a, Self::Outcome>;

    /// Returns the error if the server did not answer.
    fn missing_answer(outcome: &Self::Outcome) -> Option<&str>;

    /// Returns the words of the server if it had no connection for the job. If it has some for others, the job is done
    /// again once one of them has ended; if it has none, the other jobs at the server are not done.
    fn lacks_connection(_request: &Request, _outcome: &Self::Outcome) -> Option<String> {
        None
    }

    /// Creates the outcome of a URL whose job did not end, by the reason.
    fn failed(status: LinkStatus) -> Self::Outcome;
}

/// The limits for jobs that run at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobLimits {
    /// The limit in total.
    pub total: usize,
    /// The limit per host.
    pub per_host: usize,
    /// The limit per server of Gopher, if it is lower: these have fewer connections.
    pub per_gopher: usize,
    /// The limit per server of Gemini, if it is lower: one that wants pauses gets no request in a pause.
    pub per_gemini: usize,
    /// The limit per server of news, if it is lower: articles that follow one another on a connection come in windows.
    pub per_news: usize,
}

impl Default for JobLimits {
    fn default() -> Self {
        Self {
            total: 64,
            per_host: 4,
            per_gopher: 4,
            per_gemini: 4,
            per_news: 4,
        }
    }
}

/// The authority (`host:port`) and the host of a URL; None for one without a connection.
type HostKey = Option<(String, String)>;

/// The number of jobs at an authority in a row without an answer, and the last error.
#[derive(Debug, Default)]
struct AuthorityFailures {
    in_row: usize,
    words: String,
    /// True if it has no connection at all.
    is_refused: bool,
}

impl AuthorityFailures {
    /// Returns the status of the jobs that are not done; `None` if they are.
    fn status(&self) -> Option<LinkStatus> {
        let words = self.words.clone();
        if self.is_refused {
            return Some(LinkStatus::Refused(words));
        }
        (self.in_row >= MAX_FAILURES).then_some(LinkStatus::Unreachable(words))
    }
}

/// The permits of an authority: as many as [`MAX_FAILURES`] until it answers, and then as many as its host. So one that
/// never answers is asked no more often, and leaves permits to the other ports of its host.
struct AuthorityPermits {
    semaphore: Semaphore,
    /// The permits that there are.
    all: AtomicUsize,
    /// The permits that are added after the first answer.
    more: AtomicUsize,
}

impl AuthorityPermits {
    fn new(first: usize, all: usize) -> Self {
        let limit = |limit: usize| limit.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            semaphore: Semaphore::new(limit(first)),
            all: AtomicUsize::new(limit(first)),
            more: AtomicUsize::new(limit(all) - limit(first)),
        }
    }

    /// Adds the other permits after the first answer.
    fn raise(&self) {
        let more = self.more.swap(0, Ordering::Relaxed);
        self.all.fetch_add(more, Ordering::Relaxed);
        self.semaphore.add_permits(more);
    }

    /// Takes a permit away for good, as the server has no connection for it. Returns false, and keeps the permit, if it
    /// is the last.
    fn lower(&self, permit: SemaphorePermit<'_>) -> bool {
        self.more.store(0, Ordering::Relaxed);
        let fewer = |all: usize| (all > 1).then(|| all - 1);
        let all = self
            .all
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer);
        if all.is_ok() {
            permit.forget();
        }
        all.is_ok()
    }
}

/// Runs a job on one URL.
pub fn run_job<'a, J: UrlJob + 'a>(
    job: J,
    net: &'a Net,
    request: &'a Request,
) -> BoxFuture<'a, J::Outcome> {
    catch_panic(job.run(net, request), J::failed).boxed()
}

/// Runs a job on each URL, and reports each outcome as it comes, with the number of the request. All jobs run in this
/// future: dropping it cancels them at once.
pub fn run_jobs<'a, J: UrlJob + 'a>(
    kind: J,
    net: &'a Net,
    requests: impl IntoIterator<Item = &'a Request>,
    limits: JobLimits,
    report: &'a mut (dyn FnMut(usize, J::Outcome) + Send),
) -> BoxFuture<'a, ()> {
    let requests = requests.into_iter();
    let entries: Vec<_> = requests
        .map(|request| (host_key(request), request))
        .collect();
    let per_server = move |request: &&Request| match request.url.protocol() {
        Protocol::Gopher(_) => limits.per_host.min(limits.per_gopher),
        Protocol::Gemini(_) => limits.per_host.min(limits.per_gemini),
        Protocol::Nntp(_) => limits.per_host.min(limits.per_news),
        _ => limits.per_host,
    };
    run::<J, _, _>(
        entries,
        limits,
        (per_server, |request: &&Request, outcome: &_| {
            J::lacks_connection(request, outcome)
        }),
        move |request| run_job(kind.clone(), net, request),
        report,
    )
    .boxed()
}

/// The outcomes of jobs on many URLs, as they come. The jobs run while the next outcome is waited for; dropping this
/// cancels them.
pub struct JobOutcomes<'a, T> {
    outcomes: UnboundedReceiver<(usize, T)>,
    /// `None` once all jobs have ended.
    running: Option<BoxFuture<'a, ()>>,
}

impl<'a, T: Send + 'a> JobOutcomes<'a, T> {
    /// Starts a job on each URL, as [`run_jobs`] does.
    pub fn start<J: UrlJob<Outcome = T> + 'a>(
        kind: J,
        net: &'a Net,
        requests: &'a [Request],
        limits: JobLimits,
    ) -> Self {
        let (sender, outcomes) = unbounded_channel();
        let running = async move {
            let mut send = |number: usize, outcome| {
                // The receiver lives as long as the jobs.
                let _ = sender.send((number, outcome));
            };
            run_jobs(kind, net, requests, limits, &mut send).await;
        };
        Self {
            outcomes,
            running: Some(running.boxed()),
        }
    }

    /// Returns the next outcome with the number of its request; `None` after the last. Dropping the future loses none.
    pub async fn next(&mut self) -> Option<(usize, T)> {
        if let Some(running) = &mut self.running {
            tokio::select! {
                biased;
                outcome = self.outcomes.recv() => return outcome,
                () = running => self.running = None,
            }
        }
        self.outcomes.recv().await
    }
}

/// Returns the result of a job. If it panics, `failed` gets the status of a URL that was not requested.
async fn catch_panic<T>(job: impl Future<Output = T>, failed: impl FnOnce(LinkStatus) -> T) -> T {
    let outcome = AssertUnwindSafe(job).catch_unwind().await;
    outcome.unwrap_or_else(|_| failed(LinkStatus::NotChecked("a bug in Geomys".to_owned())))
}

/// Returns the result of `fetch` within a time limit for all of its requests.
pub(super) async fn fetch_within<T>(
    limit: Duration,
    fetch: impl Future<Output = Result<T, LinkStatus>>,
) -> Result<T, LinkStatus> {
    // Boxed: its state is large, and there may be many.
    let fetched = timeout(limit, Box::pin(fetch)).await;
    let incomplete = |_| format!("incomplete after {} s", limit.as_secs());
    fetched.map_err(|late| LinkStatus::Unreachable(incomplete(late)))?
}

/// Returns the error of a fetch that the server did not answer.
pub(super) fn unreachable_words<T>(fetched: &Result<T, LinkStatus>) -> Option<&str> {
    match fetched {
        Err(LinkStatus::Unreachable(words)) => Some(words),
        Ok(_) | Err(_) => None,
    }
}

/// Runs `job` for each entry within the limits; `per_server` is that of its authority, and `lacks_connection` says
/// whether it had no connection for the job.
async fn run<J: UrlJob, T: Copy, F: Future<Output = J::Outcome>>(
    entries: Vec<(HostKey, T)>,
    limits: JobLimits,
    (per_server, lacks_connection): (
        impl Fn(&T) -> usize,
        impl Fn(&T, &J::Outcome) -> Option<String>,
    ),
    job: impl Fn(T) -> F,
    mut report: impl FnMut(usize, J::Outcome),
) {
    let semaphore = |limit: usize| Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS));
    let total = &semaphore(limits.total);
    let failures = &Mutex::new(HashMap::<String, AuthorityFailures>::new());
    let mut hosts: HashMap<Option<String>, (usize, Arc<Semaphore>)> = HashMap::new();
    let mut authorities: HashMap<String, Arc<AuthorityPermits>> = HashMap::new();
    let mut queue = Vec::new();
    for (number, (key, entry)) in entries.into_iter().enumerate() {
        let (authority, host) = key.unzip();
        let limit = host.as_ref().map_or(usize::MAX, |_| limits.per_host);
        let host = hosts.entry(host);
        let (turn, host) = host.or_insert_with(|| (0, Arc::new(semaphore(limit))));
        let per_server = per_server(&entry);
        let authority = authority.map(|authority| {
            let permits = authorities.entry(authority.clone());
            let permits = permits.or_insert_with(|| {
                let first = per_server.min(MAX_FAILURES);
                Arc::new(AuthorityPermits::new(first, per_server))
            });
            (authority, Arc::clone(permits))
        });
        queue.push((*turn, number, Arc::clone(host), authority, entry));
        *turn += 1;
    }
    queue.sort_by_key(|(turn, ..)| *turn);
    let (job, lacks_connection) = (&job, &lacks_connection);
    let jobs = queue
        .into_iter()
        .map(|(_, number, host, authority, entry)| async move {
            // The semaphores are never closed.
            let Some((authority, permits)) = authority else {
                let _permits = (host.acquire().await, total.acquire().await);
                return (number, job(entry).await);
            };
            loop {
                let own = permits.semaphore.acquire().await;
                let _permits = (host.acquire().await, total.acquire().await);
                let failed = failures.lock().await;
                let status = failed.get(&authority).and_then(AuthorityFailures::status);
                drop(failed);
                if let Some(status) = status {
                    return (number, J::failed(status));
                }
                let outcome = job(entry).await;
                let refused = lacks_connection(&entry, &outcome);
                if refused.is_some()
                    && let Ok(own) = own
                    && permits.lower(own)
                {
                    continue;
                }
                let mut failures = failures.lock().await;
                if let Some(words) = refused {
                    let failed = failures.entry(authority).or_default();
                    (failed.is_refused, failed.words) = (true, words);
                } else if let Some(words) = J::missing_answer(&outcome) {
                    let failed = failures.entry(authority).or_default();
                    failed.in_row += 1;
                    words.clone_into(&mut failed.words);
                } else {
                    failures.remove(&authority);
                    permits.raise();
                }
                return (number, outcome);
            }
        });
    let mut jobs = stream::iter(jobs).buffer_unordered(usize::MAX);
    while let Some((number, outcome)) = jobs.next().await {
        report(number, outcome);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use proptest::prelude::*;
    use tokio::time::{Instant, sleep};

    use super::*;
    use crate::check::{CheckLink, LinkCheckResult};

    fn key(number: u8) -> HostKey {
        (number > 0).then(|| {
            let host = format!("h{}", number % 5);
            (format!("{host}:{number}"), host)
        })
    }

    /// The course of the checks of some entries.
    #[derive(Default)]
    struct Course {
        /// The number of each entry that was checked, and the second in which its check began.
        started: Vec<(usize, u64)>,
        running: Vec<usize>,
        /// The most checks at once, in total and per host.
        most: usize,
        most_per_host: usize,
        /// The number of each entry that was reported, and the words if there was no answer.
        reported: Vec<(usize, String)>,
    }

    impl Course {
        fn begin(&mut self, number: usize, second: u64, entries: &[HostKey]) {
            self.started.push((number, second));
            self.running.push(number);
            self.most = self.most.max(self.running.len());
            let host = |number: usize| entries[number].as_ref().map(|(_, host)| host);
            if host(number).is_some() {
                let running = self.running.iter();
                let here = running.filter(|other| host(**other) == host(number));
                self.most_per_host = self.most_per_host.max(here.count());
            }
        }
    }

    /// Checks entries on a clock that waits for nobody; `outcome` says for each entry after how many seconds its check
    /// ends, and with which words if there is no answer.
    fn play(
        entries: &[HostKey],
        limits: JobLimits,
        outcome: impl Fn(usize) -> (u64, Option<&'static str>),
    ) -> Course {
        let course = RefCell::new(Course::default());
        let (course_of, outcome) = (&course, &outcome);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        runtime.unwrap().block_on(async {
            let start = Instant::now();
            let check = |number: usize| async move {
                let second = start.elapsed().as_secs();
                course_of.borrow_mut().begin(number, second, entries);
                let (seconds, words) = outcome(number);
                sleep(Duration::from_secs(seconds)).await;
                let mut course = course_of.borrow_mut();
                course.running.retain(|other| *other != number);
                let unreachable = |words: &str| LinkStatus::Unreachable(words.to_owned());
                LinkCheckResult {
                    verdict: words.map_or(LinkStatus::Alive, unreachable),
                    took: Duration::ZERO,
                    is_answered: words.is_none(),
                }
            };
            let numbered = entries.iter().cloned().zip(0..).collect();
            let per_server = |_: &_| limits.per_host;
            let never = |_: &_, _: &_| None;
            let by_server = (per_server, never);
            run::<CheckLink, _, _>(numbered, limits, by_server, check, |number, checked| {
                let words = checked.verdict.words();
                course_of.borrow_mut().reported.push((number, words));
            })
            .await;
        });
        course.into_inner()
    }

    #[tokio::test]
    async fn link_whose_check_panics_is_not_checked() {
        let checked = catch_panic(async { panic!("on purpose") }, |status| status).await;
        assert_eq!(
            checked,
            LinkStatus::NotChecked("a bug in Geomys".to_owned())
        );
        let checked = catch_panic(async { LinkStatus::Alive }, |status| status).await;
        assert_eq!(checked, LinkStatus::Alive);
    }

    proptest! {
        #[test]
        fn each_entry_is_returned_once_within_the_limits(
            authorities in proptest::collection::vec(0_u8..20, 0..300),
            seconds in proptest::collection::vec(0_u64..1000, 300),
            all in 1_usize..70,
            per_host in 1_usize..6,
            silent in 0_u8..20,
        ) {
            let entries: Vec<HostKey> = authorities.into_iter().map(key).collect();
            let limits = JobLimits { total: all, per_host, ..JobLimits::default() };
            let silent = key(silent);
            let course = play(&entries, limits, |number| {
                (seconds[number], (entries[number] == silent).then_some("nobody"))
            });
            let mut reported: Vec<usize> =
                course.reported.iter().map(|(number, _)| *number).collect();
            reported.sort_unstable();
            prop_assert_eq!(reported, (0..entries.len()).collect::<Vec<_>>());
            for (number, words) in &course.reported {
                let expected = if entries[*number] == silent { "nobody" } else { "" };
                prop_assert_eq!(words, expected);
            }
            prop_assert!(course.most <= all && course.most_per_host <= per_host);
            // Two checks without an answer, and one that was begun between their ends.
            let failed = course.started.iter().filter(|(number, _)| entries[*number] == silent).count();
            if silent.is_some() {
                prop_assert!(failed < 2 * MAX_FAILURES, "{} asked in vain", failed);
            } else {
                let here = entries.iter().filter(|entry| entry.is_none()).count();
                prop_assert_eq!(failed, here);
            }
        }
    }

    #[test]
    fn entries_without_authority_do_not_wait_for_a_host() {
        let mut entries = vec![None; 10];
        entries.extend([key(1), key(1)]);
        let limits = JobLimits {
            total: 9,
            per_host: 1,
            ..JobLimits::default()
        };
        let course = play(&entries, limits, |number| match number {
            0..10 => (1, Some("the disk is away")),
            _ => (5, None),
        });
        let started_at = |second| {
            let started = course.started.iter().filter(move |(_, at)| *at == second);
            started.map(|(number, _)| *number).collect::<Vec<_>>()
        };
        // As many as the total limit allows, without waiting for the host.
        let first = started_at(0);
        assert_eq!(first.len(), 9);
        assert!(first.contains(&10) && !first.contains(&11), "{first:?}");
        // The others are still checked.
        assert_eq!(started_at(1), [8, 9]);
        assert_eq!(started_at(5), [11]);
    }

    #[test]
    fn silent_port_does_not_hold_up_the_other_ports_of_its_host() {
        // Two ports of one host: the first one never answers.
        let mut entries = vec![key(1); 10];
        entries.extend(vec![key(6); 10]);
        let limits = JobLimits::default();
        let course = play(&entries, limits, |number| match number {
            0..10 => (45, Some("nobody")),
            _ => (1, None),
        });
        let others = course.started.iter().filter(|(number, _)| *number >= 10);
        let last = others.map(|(_, second)| *second).max();
        assert!(last < Some(10), "{:?}", course.started);
        let silent = course.started.iter().filter(|(number, _)| *number < 10);
        assert_eq!(silent.count(), MAX_FAILURES);
    }

    #[test]
    fn an_authority_that_answers_again_is_checked_further() {
        let entries = vec![key(1); 6];
        let limits = JobLimits {
            total: 1,
            per_host: 1,
            ..JobLimits::default()
        };
        let course = play(&entries, limits, |number| {
            let words = [Some("nobody"), None, Some("nobody"), Some("still nobody")];
            (1, words.get(number).copied().flatten())
        });
        assert_eq!(course.started, [(0, 0), (1, 1), (2, 2), (3, 3)]);
        let words = [
            "nobody",
            "",
            "nobody",
            "still nobody",
            "still nobody",
            "still nobody",
        ];
        let words = words.map(str::to_owned);
        assert_eq!(course.reported, (0..6).zip(words).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn refused_connection_is_one_refusal_and_the_rest_goes_over_the_others() {
        let entries = (0..9).map(|number| (key(1), number)).collect();
        let limits = JobLimits::default();
        let (open, refused) = (Cell::new(0), Cell::new(0));
        let (open, refused) = (&open, &refused);
        // A server with two connections.
        let check = |_: usize| async move {
            open.set(open.get() + 1);
            let is_refused = open.get() > 2;
            refused.set(refused.get() + usize::from(is_refused));
            tokio::task::yield_now().await;
            open.set(open.get() - 1);
            let words = "too many connections".to_owned();
            LinkCheckResult {
                verdict: if is_refused {
                    LinkStatus::Refused(words)
                } else {
                    LinkStatus::Alive
                },
                took: Duration::ZERO,
                is_answered: true,
            }
        };
        let is_refused = |_: &usize, outcome: &LinkCheckResult| {
            (outcome.verdict != LinkStatus::Alive).then(String::new)
        };
        let by_server = (|_: &usize| limits.per_host, is_refused);
        let mut alive = 0;
        run::<CheckLink, _, _>(entries, limits, by_server, check, |_, checked| {
            alive += usize::from(checked.verdict == LinkStatus::Alive);
        })
        .await;
        assert_eq!((alive, refused.get()), (9, 2));
    }

    #[tokio::test]
    async fn server_without_a_connection_is_asked_once() {
        let entries = (0..9).map(|number| (key(1), number)).collect();
        let limits = JobLimits {
            per_host: 1,
            ..JobLimits::default()
        };
        let asked = &Cell::new(0);
        let check = |_: usize| async move {
            asked.set(asked.get() + 1);
            CheckLink::failed(LinkStatus::Refused("502 no".to_owned()))
        };
        let refused = |_: &usize, _: &LinkCheckResult| Some("502 no".to_owned());
        let by_server = (|_: &usize| limits.per_host, refused);
        let mut verdicts = Vec::new();
        run::<CheckLink, _, _>(entries, limits, by_server, check, |_, checked| {
            verdicts.push(checked.verdict);
        })
        .await;
        assert_eq!(verdicts, vec![LinkStatus::Refused("502 no".to_owned()); 9]);
        assert_eq!(asked.get(), 1);
    }
}
