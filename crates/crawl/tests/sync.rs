//! Limits of a sync that no setting reaches, and of its servers.

use std::sync::Arc;
use std::time::Duration;

use geomys_crawl::sync::groups::FollowedGroup;
use geomys_crawl::sync::run::{SyncOptions, SyncRun};
use geomys_crawl::sync::sources::SyncSources;
use geomys_crawl::sync::state::SyncState;
use geomys_load::Request;
use geomys_store::bookmarks::Bookmarks;
use geomys_store::files::cache::{Cache, CacheLimits};
use geomys_store::outbox::Sender;
use geomys_testing::loading::url;
use geomys_testing::news::NewsServer;
use geomys_testing::web::{Web, ok};
use geomys_wire::net::Net;

#[tokio::test]
async fn full_disk_ends_the_run_before_a_request() {
    let web = Web::start(|request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => ok("Content-Type: text/plain\r\n", "the page"),
    })
    .await;
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let text = format!("Page <URL:{}> #offline\n", web.url("/page"));
    let bookmarks = Bookmarks::parse(text.as_bytes());
    for (reserve, is_full) in [(u64::MAX, true), (0, false)] {
        web.take_requests();
        let net = Net::default();
        let options = SyncOptions {
            size: 1 << 20,
            page: None,
            reserve,
            is_dry: false,
            request: &Request::show,
            is_excluded: Arc::new(|_| false),
            source_time: Duration::from_mins(1),
            progress: &|_| (),
        };
        let sources = SyncSources {
            drafts: None,
            sender: &Sender::default(),
            bookmarks: &bookmarks,
            watched: &profile.path().join("watched"),
            groups: &[],
        };
        let mut run = SyncRun::new(&net, Arc::clone(&cache), options, SyncState::default());
        let (reports, summary) = run.run(&sources).await.unwrap();
        let report = reports
            .iter()
            .find(|report| report.title == "Page")
            .unwrap();
        let end = summary.stopped.map(|end| end.to_string());
        assert_eq!(
            end.as_deref(),
            is_full.then_some("stopped: less than 17,592,186,044,415 MiB free on the disk")
        );
        assert_eq!(
            (report.left, report.new),
            if is_full { (1, 0) } else { (0, 1) }
        );
        let asked = web.take_lines();
        assert_eq!(
            asked.iter().any(|line| line == "GET /page"),
            !is_full,
            "{asked:?}"
        );
    }
}

#[tokio::test]
async fn news_server_with_one_connection_refuses_one_and_sends_all() {
    let article = |number: usize| {
        format!(
            "Subject: s{number}\nFrom: ada@x\nDate: {number} Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@x>\n\nWords.\n"
        )
    };
    let server = NewsServer::start(vec![("a", (1..=9).map(article).collect())]).await;
    server.allow_connections(1);
    let profile = tempfile::tempdir().unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        synced: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(profile.path().join("cache"), limits);
    let cache = Arc::new(cache.with_synced(profile.path().join("synced")));
    let group = FollowedGroup {
        urls: vec![url(format!("nntp://{}/a", server.address))],
        read: Arc::default(),
    };
    let options = SyncOptions {
        size: 1 << 20,
        page: None,
        reserve: 0,
        is_dry: false,
        request: &Request::show,
        is_excluded: Arc::new(|_| false),
        source_time: Duration::from_mins(1),
        progress: &|_| (),
    };
    let sources = SyncSources {
        drafts: None,
        sender: &Sender::default(),
        bookmarks: &Bookmarks::parse(b""),
        watched: &profile.path().join("watched"),
        groups: &[group],
    };
    let net = Net::default();
    let mut run = SyncRun::new(&net, cache, options, SyncState::default());
    let (reports, _) = run.run(&sources).await.unwrap();
    let report = reports.iter().find(|report| report.source == "group");
    let report = report.unwrap();
    assert_eq!((report.new, report.later.len()), (10, 0), "{report:?}");
    assert_eq!(server.connections(), 2);
}
