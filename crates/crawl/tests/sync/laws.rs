//! Laws of the runs over a server with faults: a run that ended early gets further than the one before it in a world
//! that answers the same, and no good copy is replaced by something worse.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use geomys_crawl::sync::report::SyncSummary;
use geomys_crawl::sync::run::{SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_load::Request;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_store::outbox::Sender;
use geomys_testing::web::{Web, ok};
use geomys_wire::net::Net;
use proptest::prelude::*;
use rfc1738::Url;

/// Octets of a page.
const PAGE: usize = 1000;

/// Octets of a run: for two pages, and a part of the third.
const SIZE: u64 = 2500;

/// Answer of the server to a request for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Good,
    Cut,
    Empty,
    Missing,
    Busy,
    Login,
    NoStore,
    Nonsense,
}

impl Answer {
    fn octets(self, path: &str) -> Vec<u8> {
        let page = format!("{path} {}", "x".repeat(PAGE));
        let text = "Content-Type: text/plain\r\nETag: \"1\"\r\n";
        let failed =
            |status: &str| format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").into_bytes();
        match self {
            Self::Good => ok(text, page),
            Self::Cut => {
                format!("HTTP/1.1 200 OK\r\n{text}Content-Length: 5000\r\n\r\n{page}").into_bytes()
            }
            Self::Empty => Vec::new(),
            Self::Missing => failed("404 Not Found"),
            Self::Busy => failed("503 Busy\r\nRetry-After: 100"),
            Self::Login => failed("401 Who\r\nWWW-Authenticate: Basic"),
            Self::NoStore => ok(
                "Content-Type: text/plain\r\nCache-Control: no-store\r\n",
                page,
            ),
            Self::Nonsense => b"nonsense\r\n".to_vec(),
        }
    }
}

fn answers() -> impl Strategy<Value = Answer> {
    use Answer::{Busy, Cut, Empty, Good, Login, Missing, NoStore, Nonsense};
    prop_oneof![
        4 => Just(Good),
        4 => prop::sample::select(vec![Cut, Empty, Missing, Busy, Login, NoStore, Nonsense]),
    ]
}

type World = Arc<Mutex<HashMap<String, Answer>>>;

async fn serve(world: &World) -> Web {
    let world = Arc::clone(world);
    Web::start(move |request| {
        let world = world.lock().unwrap();
        let path = request.path();
        if path == "/" {
            let links: Vec<String> = world
                .keys()
                .map(|path| format!("<a href='{path}'>p</a>"))
                .collect();
            let links = links.concat();
            return ok("Content-Type: text/html\r\n", format!("<p>{links}"));
        }
        world
            .get(path)
            .copied()
            .unwrap_or(Answer::Missing)
            .octets(path)
    })
    .await
}

async fn run(
    profile: &Path,
    cache: &Arc<Cache>,
    top: &str,
    state: SyncState,
) -> (SyncSummary, SyncState) {
    let net = Net::default();
    let options = SyncOptions {
        size: SIZE,
        page: None,
        reserve: 0,
        is_dry: false,
        request: &Request::show,
        is_excluded: &|_| false,
        source_time: Duration::from_mins(1),
        progress: &|_| (),
    };
    let bookmarks = Bookmarks::parse(format!("Top <URL:{top}> #offline\n").as_bytes());
    let sources = SyncSources {
        drafts: None,
        sender: &Sender::default(),
        bookmarks: &bookmarks,
        watched: &profile.join("watched"),
        groups: &[],
    };
    let mut run = SyncRun::new(&net, Arc::clone(cache), options, state);
    let (_, summary) = run.run(&sources).await.unwrap();
    (summary, run.into_state())
}

/// The text of a copy.
fn copy(cache: &Cache, url: &str) -> Option<String> {
    let mut page = cache.unused_page(&Url::parse(url).unwrap())?;
    let mut octets = Vec::new();
    while let Some(block) = page.octets().unwrap() {
        octets.extend(block);
    }
    Some(String::from_utf8(octets).unwrap())
}

async fn judge(first: Vec<Answer>, second: Vec<Answer>) {
    let path = |number: usize| format!("/p{number}");
    let world_of = |answers: &[Answer]| -> HashMap<String, Answer> {
        let answers = answers.iter().enumerate();
        answers
            .map(|(number, answer)| (path(number), *answer))
            .collect()
    };
    let world: World = Arc::new(Mutex::new(world_of(&first)));
    let web = serve(&world).await;
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let top = web.url("/");
    let (mut state, mut asked) = (SyncState::default(), BTreeSet::new());
    for _ in 0..=first.len() {
        let (summary, next) = run(profile.path(), &cache, &top, state).await;
        state = next;
        let before = asked.len();
        asked.extend(
            web.take_lines()
                .into_iter()
                .filter(|line| line.starts_with("GET /p")),
        );
        assert!(summary.bytes <= SIZE + 3 * PAGE as u64, "{summary:?}");
        let is_early = summary.stopped.is_some() || summary.left > 0;
        let is_further = asked.len() > before || asked.len() == first.len();
        assert!(!is_early || is_further, "{summary:?} {asked:?}");
    }
    assert_eq!(asked.len(), first.len(), "each page was asked for");
    let good = |number: usize| first.get(number) == Some(&Answer::Good);
    for number in (0..first.len()).filter(|number| good(*number)) {
        assert!(copy(&cache, &web.url(&path(number))).is_some(), "{number}");
    }
    *world.lock().unwrap() = world_of(&second);
    for _ in 0..3 {
        (_, state) = run(profile.path(), &cache, &top, state).await;
    }
    for number in (0..first.len()).filter(|number| good(*number)) {
        let path = path(number);
        let kept = copy(&cache, &web.url(&path));
        let page = format!("{path} {}", "x".repeat(PAGE));
        assert_eq!(kept, Some(page), "{number}: {second:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_early_run_gets_further_and_no_copy_gets_worse(
        worlds in prop::collection::vec((answers(), answers()), 1..9),
    ) {
        let (first, second) = worlds.into_iter().unzip();
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(judge(first, second));
    }
}
