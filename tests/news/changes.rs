//! Cached group lists: changes since then are requested, and merged into them.

use std::fs;
use std::net::SocketAddr;

use geomys_load::{ChangesQuery, NewsQuery, Reason, Request, ServerDate, cache_key};
use geomys_page::document::Shape;
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use geomys_testing::loading::url;
use geomys_testing::script::{assert_played, listen};
use jiff::{SignedDuration, Timestamp};

use crate::support::files;
use crate::support::screen::Browser;

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

fn of(address: SocketAddr, since: Option<ChangesQuery>) -> Request {
    Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            since,
            ..NewsQuery::default()
        },
        ..Request::show(url("news:*"), Reason::Typed)
    }
}

/// Shows the list of a server; returns the profile and the screen.
async fn look(
    profile: tempfile::TempDir,
    server: SocketAddr,
    until: &[&str],
) -> (tempfile::TempDir, String) {
    let session = Browser::in_profile(profile)
        .news(server)
        .open("news:*")
        .size((100, 16))
        .start();
    for text in until {
        session.wait(text).await;
    }
    session.wait_until_absent("Bookmarks").await;
    let screen = session.screen();
    session.press("q");
    let profile = session.end().await.profile;
    (profile, screen)
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_list_is_shown_at_once_and_updated() {
    let whole = format!(
        "{HELLO}C: DATE\nS: 111 20261119080000\nC: LIST ACTIVE\nS: 215 x\nS: a.one 12 3 y\nS: b.two 4 1 y\nS: .\n\
         C: LIST NEWSGROUPS\nS: 215 x\nS: a.one\tThe first\nS: .\nsilence"
    );
    let changes = format!(
        "{HELLO}C: DATE\nS: 111 20261120203000\nC: NEWGROUPS 20261119 080000 GMT\nS: 231 x\nS: c.new 2 1 y\nS: .\n\
         C: LIST ACTIVE b.two\nS: 215 x\nS: b.two 9 1 y\nS: .\n\
         C: LIST NEWSGROUPS c.new\nS: 215 x\nS: c.new\tBrand new\nS: .\nsilence"
    );
    let refused = format!(
        "{HELLO}C: DATE\nS: 500 what\nC: NEWGROUPS 20261120 203000 GMT\nS: 500 what\nsilence"
    );
    let again = format!(
        "{HELLO}C: DATE\nS: 500 what\nC: LIST ACTIVE\nS: 215 x\nS: d.other 7 1 y\nS: .\nC: LIST NEWSGROUPS\nS: 503 none\nsilence"
    );
    let (address, playing) = listen(&[&whole, &changes, &refused, &again]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let newsrc = format!("newsrc/127.0.0.1_{}", address.port());
    fs::write(profile.path().join(newsrc), "b.two: 1-3\n").unwrap();
    let (profile, _) = look(profile, address, &["The first", "1 of 4 unread"]).await;
    files::cached_words(profile.path(), "clock 20261119080000\n").await;
    let (profile, screen) = look(profile, address, &["6 of 9 unread", "new group since"]).await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("groups-changed", screen);
    });
    files::cached_words(profile.path(), "clock 20261120203000\n").await;
    // A server that refuses NEWGROUPS: the whole list is fetched instead.
    let (profile, _) = look(profile, address, &["d.other"]).await;
    files::cached_words(profile.path(), "d.other 7 1 y").await;
    assert_played(playing).await;
    // Without a server the cached list is shown, and says so.
    let (_profile, screen) = look(profile, address, &["d.other", "(r retry)"]).await;
    assert!(screen.contains("cached 20"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn old_cached_list_is_fetched_whole() {
    let script = |changes: &str| {
        format!(
            "{HELLO}C: DATE\nS: 111 20261120203000\n{changes}C: LIST NEWSGROUPS\nS: 503 none\nsilence"
        )
    };
    let whole = script("C: LIST ACTIVE\nS: 215 x\nS: b.new 4 1 y\nS: .\n");
    let changes = format!(
        "{HELLO}C: DATE\nS: 111 20261120203000\nC: NEWGROUPS 20261119 080000 GMT\nS: 231 x\nS: b.new 4 1 y\nS: .\n\
         C: LIST NEWSGROUPS b.new\nS: 503 none\nsilence"
    );
    let (address, playing) = listen(&[&changes, &whole]).await;
    let profile = tempfile::tempdir().unwrap();
    let cache = Cache::new(
        profile.path().join("cache"),
        CacheLimits {
            size: 1 << 20,
            ..CacheLimits::default()
        },
    );
    let now = Timestamp::now();
    let keep = |days: i64| {
        let url = cache_key(&of(address, None)).unwrap();
        let head = PageHeader {
            list_date: ServerDate::parse(b"20261119080000"),
            whole: Some(now - SignedDuration::from_hours(24 * days)),
            ..PageHeader::new(url, Shape::Groups)
        };
        let octets = b"a.gone 12 3 y\r\n.\r\na.gone\tAn old one\r\n";
        cache
            .store(&head, now, std::iter::once(octets.as_slice()))
            .unwrap();
    };
    keep(6);
    let (profile, screen) = look(profile, address, &["a.gone", "b.new"]).await;
    assert!(screen.contains("a.gone"), "{screen}");
    files::cached_words(profile.path(), "b.new 4 1 y").await;
    // An update does not reset the age of the list.
    let page = cache.page(&cache_key(&of(address, None)).unwrap()).unwrap();
    assert_eq!(
        page.head.whole,
        Some(now - SignedDuration::from_hours(24 * 6))
    );
    keep(8);
    let (_profile, screen) = look(profile, address, &["b.new"]).await;
    assert!(!screen.contains("a.gone"), "{screen}");
    assert_played(playing).await;
}
