//! Syncs of the test world.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use geomys_crawl::sync::report::{SourceReport, SyncSummary};
use geomys_crawl::sync::run::{LIMITS, SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_crawl::sync::unread::UnreadMarks;
use geomys_load::Request;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::watch::WatchedPages;
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_store::outbox::Sender;
use geomys_wire::net::{Fingerprint, Net};
use jiff::{SignedDuration, Timestamp};
use rfc1738::Dialect;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::sleep;

use super::answer::{Sent, number, path};
use super::fault::{Fault, PAGES, Rules, Wire, World};
use super::server::{Asked, Server};
use super::{closure, is_content, is_content_in_part, linked};

/// The number of links from the bookmark to a page that is fetched with it.
const DEPTH: usize = 3;

/// The octets of a run that fetches one or two pages.
const SMALL: usize = 450;

/// Copies by the numbers of their pages.
#[derive(Clone, PartialEq, Eq)]
struct Copies(BTreeMap<usize, Vec<u8>>);

impl Deref for Copies {
    type Target = BTreeMap<usize, Vec<u8>>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl fmt::Debug for Copies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self
            .iter()
            .map(|(page, copy)| (page, String::from_utf8_lossy(copy)));
        f.debug_map().entries(shown).finish()
    }
}

/// The user of a sync: the directories and what the runs know.
struct Profile<'p> {
    directory: &'p Path,
    state: SyncState,
}

/// A run that came to its end.
struct Ended {
    report: SourceReport,
    summary: SyncSummary,
    log: Vec<Asked>,
}

impl Profile<'_> {
    fn cache(&self) -> Arc<Cache> {
        let limits = CacheLimits {
            size: 1 << 20,
            synced: 1 << 20,
            ..CacheLimits::default()
        };
        let cache = Cache::new(self.directory.join("cache"), limits);
        Arc::new(cache.with_synced(self.directory.join("synced")))
    }

    fn options(size: u64) -> SyncOptions<'static> {
        SyncOptions {
            size,
            page: Some(100_000),
            limits: LIMITS,
            reserve: 0,
            is_dry: false,
            request: &Request::show,
            is_excluded: Arc::new(|url| url.as_str().contains("/excepted")),
            unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
            source_time: Duration::from_hours(3),
            progress: &|_| (),
        }
    }

    /// Looks at the first page, as the browser does. Returns the state of the page, and the requests.
    async fn look(&self, server: &Server) -> (WatchedPages, Vec<Asked>) {
        let net = Net::default();
        let url = Dialect::Extended.parse(&server.url("/")).unwrap();
        let (sender, mut looks) = unbounded_channel();
        let mut states = WatchedPages::default();
        server.take_log();
        let options = Self::options(1 << 20);
        let mut run = SyncRun::new(&net, self.cache(), options, SyncState::default());
        run.look_only(vec![url], &states.clone(), sender).await;
        while let Some(event) = looks.recv().await {
            states.note(&event);
        }
        (states, server.take_log())
    }

    /// Runs a sync as a new program does; `None` if it was killed after so many requests.
    async fn run(&mut self, server: &Server, size: u64, kill: Option<usize>) -> Option<Ended> {
        let net = Net::default();
        let options = Self::options(size);
        let bookmark = format!("Top <URL:{}> #offline{DEPTH}\n", server.url("/"));
        let bookmarks = Bookmarks::parse(bookmark.as_bytes());
        let sources = SyncSources {
            drafts: None,
            sender: &Sender::default(),
            bookmarks: &bookmarks,
            watched: &self.directory.join("watched"),
            groups: &[],
        };
        let mut run = SyncRun::new(&net, self.cache(), options, self.state.clone());
        server.take_log();
        let ended = tokio::select! {
            biased;
            () = async { match kill {
                Some(requests) => server.asked(requests).await,
                None => std::future::pending().await,
            }} => None,
            ended = run.run(&sources) => Some(ended),
        };
        let Some(ended) = ended else {
            // The clock stands until files are written that were begun.
            sleep(Duration::from_secs(1)).await;
            return None;
        };
        let (reports, summary) = ended.unwrap();
        self.state = run.into_state();
        let mut reports = reports.into_iter();
        let report = reports.find(|report| report.source == "links").unwrap();
        Some(Ended {
            report,
            summary,
            log: server.take_log(),
        })
    }

    /// Two days pass.
    fn wait(&mut self) {
        let text = self.state.to_text(Timestamp::now());
        let lines = text.lines().map(|line| {
            let (word, rest) = line.split_once(' ').unwrap();
            let (time, name) = rest.split_once(' ').unwrap();
            let time: Timestamp = time.parse().unwrap();
            let time = time - SignedDuration::from_hours(48);
            format!("{word} {time} {name}\n")
        });
        self.state = SyncState::parse(&lines.collect::<String>());
    }

    fn copy(&self, server: &Server, path: &str) -> Option<Vec<u8>> {
        let url = Dialect::Extended.parse(&server.url(path)).unwrap();
        let mut page = self.cache().unused_page(&url)?;
        let mut octets = Vec::new();
        while let Some(block) = page.octets().unwrap() {
            octets.extend(block);
        }
        Some(octets)
    }

    fn copies(&self, server: &Server) -> Copies {
        let copies = (0..=PAGES).map(|page| (page, self.copy(server, &path(page))));
        let copies = copies.filter_map(|(page, copy)| Some((page, copy?)));
        Copies(copies.collect())
    }
}

/// Law 1: each copy is as before, or as a whole page that was sent.
fn judge_copies(before: &Copies, after: &Copies, log: &[Asked]) {
    for (page, octets) in &before.0 {
        assert!(
            after.contains_key(page),
            "the copy of page {page} is gone: {octets:?}"
        );
    }
    for (page, octets) in &after.0 {
        let is_old = before.get(page) == Some(octets);
        let is_sent = log.iter().any(|asked| match &asked.sent {
            Sent::Whole(sent) => is_content(octets, sent),
            Sent::Unconfirmed(sent) => {
                is_content_in_part(octets, sent, before.get(page).map(Vec::as_slice))
            }
            _ => false,
        });
        let shown = String::from_utf8_lossy(octets);
        assert!(is_old || is_sent, "page {page} is now {shown}");
    }
    // No menu is replaced by a page that is none.
    for (page, octets) in &before.0 {
        let is_gemtext = |octets: &[u8]| octets.starts_with(b"# page");
        let words = b"<!DOCTYPE";
        assert!(!is_gemtext(octets) || !after[page].starts_with(words));
    }
}

/// Law 2: nothing that a rule forbids is requested or stored.
fn judge_rules(profile: &Profile<'_>, server: &Server, log: &[Asked]) {
    let rules = server.phase().rules;
    let asked = |name: &str| log.iter().any(|asked| asked.path.starts_with(name));
    assert!(!asked("/excepted"), "{log:?}");
    assert!(!asked("/search"), "{log:?}");
    let is_known = matches!(rules, Rules::Hidden | Rules::Marked);
    assert!(!is_known || !asked("/hidden"), "{log:?}");
    assert_eq!(profile.copy(server, "/excepted/x"), None);
    // Gopher has no status: any answer without rules is none.
    let has_none = rules == Rules::Missing || server.wire == Wire::Gopher && rules == Rules::Broken;
    let has_rules = is_known || has_none;
    let pages = log.iter().filter(|asked| number(&asked.path).is_some());
    assert!(has_rules || pages.count() == 0, "{log:?}");
}

/// Law 3: each page that is known was requested, or has its number in the report. The pages that a copy leads to are
/// known.
fn judge_count(ended: &Ended, after: &Copies, server: &Server) {
    let Ended { report, log, .. } = ended;
    let linked = |page| {
        after
            .get(&page)
            .map(|copy| linked(copy))
            .unwrap_or_default()
    };
    let known = closure(linked, DEPTH);
    let asked: BTreeSet<usize> = log.iter().filter_map(|asked| number(&asked.path)).collect();
    let named = report.later.len() + report.failed.len() + report.asks.len();
    let named = named + report.not_stored.len();
    let told = named + report.new + report.same + report.today + report.left;
    assert!(
        told >= known.len(),
        "{told} of {known:?}; asked {asked:?}: {report:?} {:?}",
        server.phase()
    );
    let is_silent = |asked: &&Asked| asked.sent == Sent::Nothing;
    if log.iter().filter(is_silent).count() < 2 {
        let left: Vec<_> = known.difference(&asked).collect();
        let unasked = report.today + report.left + named;
        assert!(left.len() <= unasked, "{left:?} not asked: {report:?}");
    }
}

/// Law 5: one link, one request. A redirect leads to a page once more, and what is busy is asked again.
fn judge_requests(server: &Server, log: &[Asked]) {
    let phase = server.phase();
    let mut requests: BTreeMap<&str, usize> = BTreeMap::new();
    for asked in log {
        *requests.entry(&asked.path).or_default() += 1;
    }
    for (path, count) in requests {
        let Some(page) = number(path) else {
            assert!(
                count == 1 || !path.ends_with("robots.txt"),
                "{path}: {log:?}"
            );
            continue;
        };
        let leads = |fault: &&Fault| matches!(fault, Fault::Moved(to) | Fault::MovedForGood(to) if *to == page);
        let redirects = phase.faults.iter().filter(leads).count() * 4;
        let again = match phase.faults[page] {
            Fault::Busy | Fault::Empty | Fault::ToItself => 1,
            _ => 0,
        };
        assert!(
            count <= (1 + redirects) * (1 + again),
            "{path} was asked for {count} times: {log:?}"
        );
    }
}

/// Judges a run.
async fn step(profile: &mut Profile<'_>, server: &Server, size: u64) -> Ended {
    let before = profile.copies(server);
    let ended = profile.run(server, size, None).await.unwrap();
    let after = profile.copies(server);
    judge_copies(&before, &after, &ended.log);
    judge_rules(profile, server, &ended.log);
    judge_count(&ended, &after, server);
    judge_requests(server, &ended.log);
    ended
}

/// Judges a look of the browser: nothing but the page is fetched, and its state is that of its copy.
async fn judge_look(profile: &Profile<'_>, server: &Server) {
    let before = profile.copies(server);
    let (states, log) = profile.look(server).await;
    let after = profile.copies(server);
    judge_copies(&before, &after, &log);
    let phase = server.phase();
    // What turns out to be no page is asked for once more, to be compared as a file, and not stored.
    let is_file = |fault: &Fault| matches!(fault, Fault::BinaryType | Fault::Huge);
    let leads_to_file = phase.faults[0].is_redirect() && phase.faults.iter().any(is_file);
    let is_compared = is_file(&phase.faults[0]) || leads_to_file;
    if !is_compared {
        judge_requests(server, &log);
    }
    let asked = |name: &str| log.iter().any(|asked| asked.path.starts_with(name));
    assert!(!asked("/excepted") && !asked("/robots.txt"), "{log:?}");
    if !phase.faults[0].is_redirect() {
        let others = log.iter().find(|asked| number(&asked.path) != Some(0));
        assert!(others.is_none(), "{log:?}");
    }
    let url = Dialect::Extended.parse(&server.url("/")).unwrap();
    let state = states.of(&url).and_then(|state| state.content);
    if let (Some(seen), Some(copy)) = (state, after.get(&0)) {
        let is_unstored = log.iter().any(|asked| asked.sent == Sent::Unstorable);
        let is_same = seen == Fingerprint::of(copy);
        assert!(is_same || is_unstored || is_compared, "{log:?}");
    }
    // What was stored was compared.
    let is_stored = after
        .get(&0)
        .is_some_and(|copy| before.get(&0) != Some(copy));
    assert!(!is_stored || state.is_some(), "{states:?} {log:?}");
    let is_whole = |asked: &Asked| matches!(&asked.sent, Sent::Whole(sent) if !sent.is_empty());
    let came = log.iter().any(is_whole);
    assert!(!came || !states.to_octets().is_empty(), "{log:?}");
}

/// Law 4: runs that end early come to an end, in a world that answers the same.
async fn judge_progress(directory: &Path, server: &Server, all: &Copies) {
    let mut profile = Profile {
        directory,
        state: SyncState::default(),
    };
    for _ in 0..PAGES + 6 {
        let ended = step(&mut profile, server, SMALL as u64).await;
        assert!(
            ended.summary.bytes <= SMALL as u64 + 2048,
            "{:?}",
            ended.summary
        );
        if ended.summary.stopped.is_none() {
            break;
        }
        profile.wait();
    }
    let copies = profile.copies(server);
    let fitting = all.iter().filter(|(_, copy)| copy.len() < SMALL);
    let mut missing = fitting.filter(|(page, _)| !copies.contains_key(page));
    assert_eq!(missing.next(), None, "{:?}", server.phase());
}

/// Runs syncs of a world, and judges them by the laws.
pub async fn judge(world: &World) {
    let server = Server::start(world.wire, world.now.clone()).await;
    let directory = tempfile::tempdir().unwrap();
    let new = |directory| Profile {
        directory,
        state: SyncState::default(),
    };
    let [one, two, three, four] =
        ["one", "two", "three", "four"].map(|name| directory.path().join(name));
    let mut undisturbed = new(&one);
    step(&mut undisturbed, &server, 1 << 20).await;
    let all = undisturbed.copies(&server);
    // Law 6: killed, and run again.
    let mut killed = new(&two);
    killed.run(&server, 1 << 20, Some(world.kill)).await;
    step(&mut killed, &server, 1 << 20).await;
    let is_ordered = !world.now.may_be_left(world.wire);
    if is_ordered {
        assert_eq!(killed.copies(&server), all);
    }
    if world.is_even() {
        // The same day.
        step(&mut undisturbed, &server, 1 << 20).await;
    }
    if is_ordered {
        assert_eq!(undisturbed.copies(&server), all);
        judge_progress(&three, &server, &all).await;
    }
    let looked = new(&four);
    if !world.is_even() {
        judge_look(&looked, &server).await;
    }
    server.set(&world.later);
    if !world.is_even() {
        judge_look(&looked, &server).await;
    }
    undisturbed.wait();
    if !world.is_even() {
        undisturbed.run(&server, 1 << 20, Some(world.kill)).await;
    }
    step(&mut undisturbed, &server, 1 << 20).await;
    // What is well again is here.
    server.set(&world.later.healed());
    undisturbed.wait();
    step(&mut undisturbed, &server, 1 << 20).await;
    let copies = undisturbed.copies(&server);
    let links = |page: usize| world.later.links[page].clone();
    for page in closure(links, DEPTH) {
        let copy = copies.get(&page);
        let copy = copy.unwrap_or_else(|| panic!("page {page} is not here"));
        assert!(String::from_utf8_lossy(copy).contains(&format!("page {page} The")));
    }
}
