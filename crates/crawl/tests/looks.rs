//! Looks at followed pages: what is compared and told, with or without a copy.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use geomys_crawl::sync::run::{LIMITS, SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_crawl::sync::unread::UnreadMarks;
use geomys_load::Request;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{UrlKey, current_second};
use geomys_store::bookmarks::watch::{self, WatchEvent, WatchedPages};
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_store::outbox::Sender;
use geomys_testing::loading::url;
use geomys_testing::news::NewsServer;
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Fingerprint, Net};
use rfc1738::Url;
use tokio::sync::Notify;
use tokio::sync::mpsc::unbounded_channel;

fn cache(profile: &Path) -> Arc<Cache> {
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.join("cache"), limits);
    Arc::new(cache.with_synced(profile.join("synced")))
}

fn options() -> SyncOptions<'static> {
    SyncOptions {
        size: 1 << 20,
        page: None,
        limits: LIMITS,
        reserve: 0,
        is_dry: false,
        request: &Request::show,
        is_excluded: Arc::new(|url| url.as_str().contains("/excepted")),
        unread: Arc::new(UnreadMarks::new(Box::new(|| None))),
        source_time: Duration::from_mins(1),
        progress: &|_| (),
    }
}

/// Looks at pages, and notes their states.
async fn look(profile: &Path, options: SyncOptions<'_>, urls: &[Url], states: &mut WatchedPages) {
    let net = Net::default();
    let mut run = SyncRun::new(&net, cache(profile), options, SyncState::default());
    let (sender, mut looks) = unbounded_channel();
    run.look_only(urls.to_vec(), &states.clone(), sender).await;
    while let Some(event) = looks.recv().await {
        states.note(&event);
    }
}

fn content(states: &WatchedPages, url: &Url) -> Option<Fingerprint> {
    states.of(url).and_then(|state| state.content)
}

/// A run of a sync that looks at what these bookmarks follow, with the consent of the user.
struct FollowRun {
    bookmarks: Bookmarks,
    sender: Sender,
}

impl FollowRun {
    fn new(profile: &Path, url: &Url) -> Self {
        let agreed = WatchEvent::Confirmed(UrlKey::of(url), current_second());
        watch::save(&profile.join("watched"), &[agreed], current_second()).unwrap();
        Self {
            bookmarks: Bookmarks::parse(format!("Page <URL:{url}> #follow\n").as_bytes()),
            sender: Sender::default(),
        }
    }

    /// Runs the sync. Returns the octets of the page and of the run, and the number of pages to fetch.
    async fn run(&self, profile: &Path, options: SyncOptions<'_>) -> (u64, u64, usize) {
        let sources = SyncSources {
            drafts: None,
            sender: &self.sender,
            bookmarks: &self.bookmarks,
            watched: &profile.join("watched"),
            groups: &[],
        };
        let net = Net::default();
        let mut run = SyncRun::new(&net, cache(profile), options, SyncState::default());
        let (reports, summary) = run.run(&sources).await.unwrap();
        let report = reports.iter().find(|report| report.title == "Page");
        let report = report.unwrap();
        (report.bytes, summary.bytes, report.planned)
    }
}

#[tokio::test]
async fn look_compares_mailboxes_and_groups() {
    let article =
        |id: usize| format!("Subject: s\nFrom: ada@x\nMessage-ID: <{id}@x>\n\nWords {id}.\n");
    let server = NewsServer::start(vec![("a.b", vec![article(1)])]).await;
    let profile = tempfile::tempdir().unwrap();
    let profile = profile.path();
    let mail = profile.join("mail.mbox");
    let mbox = |id| format!("From ada@x Mon Nov 30 10:00:00 2026\n{}\n", article(id));
    fs::write(&mail, mbox(1)).unwrap();
    let urls = [
        url(format!("file://{}", mail.display())),
        url(format!("nntp://{}/a.b", server.address)),
    ];
    let mut states = WatchedPages::default();
    look(profile, options(), &urls, &mut states).await;
    for url in &urls {
        assert!(content(&states, url).is_some(), "{url}: {states:?}");
    }
    fs::write(&mail, mbox(1) + &mbox(2)).unwrap();
    server.add("a.b", &article(2));
    look(profile, options(), &urls, &mut states).await;
    for url in &urls {
        assert!(states.is_new(url), "{url}: {states:?}");
    }
}

#[tokio::test]
async fn page_whose_server_asks_or_refuses_is_not_due_for_a_day() {
    let web = Web::start(|request| {
        let head = match request.path() {
            "/login" => "401 No\r\nWWW-Authenticate: Basic realm=\"x\"",
            "/moved" => "302 Found\r\nLocation: /excepted",
            _ => "404 No",
        };
        format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\n\r\n")
    })
    .await;
    let profile = tempfile::tempdir().unwrap();
    let urls = ["/login", "/moved", "/none"].map(|path| url(web.url(path)));
    let mut states = WatchedPages::default();
    look(profile.path(), options(), &urls, &mut states).await;
    for url in &urls {
        assert!(!states.is_due(url, current_second()), "{url}: {states:?}");
        assert_eq!(content(&states, url), None);
    }
}

#[tokio::test]
async fn look_without_space_on_the_disk_compares_all_pages() {
    let web = Web::start(|request| match request.path() {
        "/list" => ok("Content-Type: text/gemini\r\n", "=> /a A\n"),
        path => ok("Content-Type: text/plain\r\n", path),
    })
    .await;
    let urls = ["/a", "/b", "/list"].map(|path| url(web.url(path)));
    let (short, faulty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(faulty.path().join("synced"), "no directory").unwrap();
    for (profile, reserve) in [(&short, u64::MAX), (&faulty, 0)] {
        let options = SyncOptions {
            reserve,
            ..options()
        };
        let mut states = WatchedPages::default();
        look(profile.path(), options, &urls, &mut states).await;
        for url in &urls {
            assert!(content(&states, url).is_some(), "{reserve}: {url}");
            assert!(!cache(profile.path()).has(url));
        }
    }
}

#[tokio::test]
async fn page_in_the_place_of_a_list_is_no_change_without_space_on_the_disk() {
    let requests = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let web =
        Web::start(
            move |_| match requests.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
                0 => ok("Content-Type: text/gemini\r\n", "=> /a A\n"),
                _ => ok("Content-Type: text/html\r\n", "<p>Log in"),
            },
        )
        .await;
    let profile = tempfile::tempdir().unwrap();
    let list = [url(web.url("/list"))];
    let mut states = WatchedPages::default();
    for reserve in [0, u64::MAX] {
        let options = SyncOptions {
            reserve,
            ..options()
        };
        look(profile.path(), options, &list, &mut states).await;
        assert!(content(&states, &list[0]).is_some() && !states.is_new(&list[0]));
    }
    assert_eq!(web.take_lines().len(), 2);
}

#[tokio::test]
async fn sync_killed_before_first_entries_fetches_them_in_the_next_run() {
    let asked = Arc::new(Notify::new());
    let notify = Arc::clone(&asked);
    let web = Web::start(move |request| match request.path() {
        "/log" => ok(
            "Content-Type: text/gemini\r\n",
            "=> /1 2026-11-01 One\n=> /2 2026-11-02 Two\n",
        ),
        path => {
            notify.notify_one();
            ok("Content-Type: text/plain\r\n", path)
        }
    })
    .await;
    let profile = tempfile::tempdir().unwrap();
    let profile = profile.path();
    let log = url(web.url("/log"));
    let follow = FollowRun::new(profile, &log);
    let is_killed = tokio::select! {
        biased;
        () = asked.notified() => true,
        _ = follow.run(profile, options()) => false,
    };
    assert!(is_killed, "{:?}", web.take_lines());
    let is_here = |path: &str| cache(profile).has(&url(web.url(path)));
    assert!(is_here("/log") && !(is_here("/1") && is_here("/2")));
    follow.run(profile, options()).await;
    assert!(is_here("/1") && is_here("/2"), "{:?}", web.take_lines());
    let states = watch::load(&profile.join("watched")).unwrap();
    assert!(content(&states, &log).is_some() && !states.is_new(&log));
}

#[tokio::test]
async fn file_of_this_machine_is_no_octet_and_no_page_to_fetch() {
    let profile = tempfile::tempdir().unwrap();
    let profile = profile.path();
    let page = profile.join("page.txt");
    fs::write(&page, "a page").unwrap();
    let page = url(format!("file://{}", page.display()));
    let follow = FollowRun::new(profile, &page);
    for is_dry in [true, false] {
        let options = SyncOptions {
            size: 0,
            is_dry,
            ..options()
        };
        assert_eq!(follow.run(profile, options).await, (0, 0, 0));
        let states = watch::load(&profile.join("watched")).unwrap();
        assert_eq!(content(&states, &page).is_none(), is_dry);
    }
}
