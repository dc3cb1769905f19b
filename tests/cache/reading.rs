//! Cached pages in the real loop and on the command line.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;

use geomys_demo::{Demo, Ports};
use geomys_testing::gate::hold_port_closed;
use geomys_testing::script::{assert_played, listen};
use tempfile::TempDir;
use tokio::net::TcpSocket;

use crate::support::command::{geomys, text};
use crate::support::files;
use crate::support::screen::Browser;

fn snapshot(name: &str, screen: &str) {
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!(name, screen);
    });
}

/// The screen with the time of every cached page replaced by one fixed minute.
fn same_minute(screen: &str) -> String {
    let mut same = String::new();
    let mut rest = screen;
    while let Some((before, after)) = rest.split_once("cached 20") {
        same.push_str(before);
        same.push_str("cached 2026-11-20 12:00");
        rest = &after["26-11-20 12:00".len()..];
    }
    same + rest
}

/// Waits until the cache has `count` pages: they are written in the background.
pub(crate) async fn wait_for_cached_pages(profile: &Path, count: usize) {
    let cache = profile.join("cache");
    let is_page = |entry: &fs::DirEntry| entry.file_name().len() == 64;
    let pages = move || fs::read_dir(&cache).map_or(0, |all| all.flatten().filter(is_page).count());
    let all = files::found(profile, move || (pages() >= count).then_some(()));
    assert!(all.await.is_some(), "fewer than {count} cached pages");
}

/// A profile after a session that read a group, an article and its references.
async fn read_once(demo: &Demo) -> TempDir {
    let session = Browser::new()
        .open(format!(
            "nntp://{}/underloam.infosystems.gopher",
            demo.addresses.news
        ))
        .size((100, 24))
        .start();
    session.wait("19 of 19 unread").await;
    session.press("G k k Enter");
    session.wait("1994-05-11 20:15").await;
    session.press("J J J");
    session.wait("news:gph-2@underloam.example").await;
    session.press("Enter");
    session.wait("Message-ID:  <gph-2@underloam.example>").await;
    wait_for_cached_pages(session.path(), 3).await;
    session.press("q");
    session.end().await.profile
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_pages_open_when_the_server_is_down() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let profile = read_once(&demo).await;
    drop(demo);
    let closed_port = hold_port_closed(news).await;
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{news}/underloam.infosystems.gopher"))
        .size((100, 24))
        .start();
    session.wait("(r retry)").await;
    session.wait("cached 20").await;
    session.wait("●").await;
    snapshot("group-kept", &same_minute(&session.screen()));
    // Read articles are marked as usual.
    session.press("G k k Enter");
    session.wait("1994-05-11 20:15").await;
    snapshot("article-kept", &same_minute(&session.screen()));
    session.press("J J J Enter");
    session.wait("Message-ID:  <gph-2@underloam.example>").await;
    session.press("h h");
    session.wait("17 of 19 unread").await;
    session.press("g g Enter");
    session.wait("not in the cache").await;
    snapshot("nothing-kept", &session.screen());
    session.press("h");
    session.wait("17 of 19 unread").await;
    // The server is back, and gets a request again.
    drop(closed_port);
    let _demo = Demo::start_on(Ports {
        news: news.port(),
        ..Ports::default()
    })
    .await
    .unwrap();
    session.press("r");
    session.wait_until_absent("cached 20").await;
    session.wait("Enter open").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offline_mode_connects_to_no_server() {
    let demo = Demo::start().await.unwrap();
    let profile = read_once(&demo).await;
    let session = Browser::in_profile(profile)
        .open(format!(
            "nntp://{}/underloam.infosystems.gopher",
            demo.addresses.news
        ))
        .size((100, 24))
        .start();
    session.wait("17 of 19 unread").await;
    session.press(":");
    session.type_in("offline");
    session.press("Enter");
    session.wait("pages come from the cache").await;
    // An open pooled connection is not used either.
    session.press("r");
    session.wait("offline, windows-1252, cached 20").await;
    session.wait("✓").await;
    snapshot("offline", &same_minute(&session.screen()));
    session.press("o");
    session.type_in(&format!("gopher://{}/", demo.addresses.gopher));
    session.press("Enter");
    session.wait("was not contacted: Geomys is offline").await;
    session.press(":");
    session.type_in("offline");
    session.press("Enter");
    session.wait("Online").await;
    session.press("r");
    session.wait("U N D E R L O A M").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn password_is_not_cached() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("nntp://{}/geomys.demo.attic", demo.addresses.news))
        .size((90, 24))
        .start();
    session.wait("Name at").await;
    session.type_in("ada");
    session.press("Enter");
    session.wait("Password of ada").await;
    session.type_in("lovelace");
    session.press("Enter");
    session.wait("2 of 2 unread").await;
    session.press("Enter");
    session.wait("Message-ID:").await;
    wait_for_cached_pages(session.path(), 2).await;
    for entry in fs::read_dir(session.path().join("cache")).unwrap() {
        let octets = fs::read(entry.unwrap().path()).unwrap();
        assert!(memchr::memmem::find(&octets, b"lovelace").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_prints_cached_page() {
    let demo = Demo::start().await.unwrap();
    let profile = read_once(&demo).await;
    let config = profile.path().to_str().unwrap();
    let group = format!(
        "nntp://{}/underloam.infosystems.gopher",
        demo.addresses.news
    );
    let now = geomys(&["--config", config, "dump", &group], "");
    assert_eq!(text(&now.stderr), "");
    let offline = geomys(&["--config", config, "--offline", "dump", &group], "");
    assert_eq!(offline.status.code(), Some(0), "{offline:?}");
    assert_eq!(text(&offline.stdout), text(&now.stdout));
    assert!(text(&now.stdout).contains("1994-05-11"), "{now:?}");
    let said = text(&offline.stderr);
    assert!(
        said.starts_with("geomys: cached 20") && said.contains("Geomys is offline"),
        "{said}"
    );
    let other = format!("nntp://{}/underloam.talk.weather", demo.addresses.news);
    let missing = geomys(&["--config", config, "--offline", "dump", &other], "");
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(
        text(&missing.stderr),
        format!(
            "geomys: {} was not contacted: Geomys is offline, and it is not in the cache\n",
            demo.addresses.news
        )
    );
    let news = demo.addresses.news;
    drop(demo);
    let _closed_port = hold_port_closed(news).await;
    let offline = geomys(&["--config", config, "dump", &group], "");
    assert_eq!(text(&offline.stdout), text(&now.stdout));
    assert!(text(&offline.stderr).contains("refused the connection"));
    // An article by its Message-ID is the same everywhere.
    let by_id = "news:gph-2@underloam.example";
    let server = news.to_string();
    let article = geomys(
        &[
            "--config", config, "--server", &server, "dump", by_id, "--raw",
        ],
        "",
    );
    assert_eq!(article.status.code(), Some(0), "{article:?}");
    assert!(text(&article.stdout).contains("Message-ID: <gph-2@underloam.example>\r\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_group_does_not_reset_read_marks() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let profile = read_once(&demo).await;
    drop(demo);
    let _closed_port = hold_port_closed(news).await;
    // The newsrc has higher numbers than this page.
    let newsrc = profile
        .path()
        .join(format!("newsrc/127.0.0.1_{}", news.port()));
    let read = "underloam.infosystems.gopher: 1-9999\n";
    fs::write(&newsrc, read).unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{news}/underloam.infosystems.gopher"))
        .size((100, 24))
        .start();
    session.wait("cached 20").await;
    session.settle().await;
    // A key takes the message away that stands in the place of the count.
    session.press("Esc");
    session.wait("all 19 read").await;
    session.press("q");
    let _profile = session.end().await.profile;
    assert_eq!(fs::read_to_string(&newsrc).unwrap(), read);
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_group_list_without_server_says_offline() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let session = Browser::new()
        .news(news)
        .open("news:*")
        .size((100, 16))
        .start();
    session.wait("1/6 ").await;
    wait_for_cached_pages(session.path(), 1).await;
    session.press("q");
    let profile = session.end().await.profile;
    drop(demo);
    let _closed_port = hold_port_closed(news).await;
    let session = Browser::in_profile(profile)
        .news(news)
        .open("news:*")
        .size((100, 16))
        .start();
    session.wait("(r retry)").await;
    session.wait("cached 20").await;
    session.press("k");
    session.wait("/6 ").await;
    snapshot("groups-kept", &same_minute(&session.screen()));
    session.press("Ctrl-O r");
    session.wait("Offline: from the cache").await;
    session.wait("offline, cached 20").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_article_marks_no_numbers_of_another_server() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: ARTICLE <1@x>\nS: 220 0 <1@x>\n\
         S: Message-ID: <1@x>\nS: Xref: h a.b:501\nS: \nS: Both.\nS: .\nsilence";
    let (address, playing) = listen(&[script]).await;
    // The port of the other server is closed.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let other = closed.local_addr().unwrap();
    let newsrc = |profile: &Path, server: SocketAddr| {
        fs::read_to_string(profile.join(format!("newsrc/127.0.0.1_{}", server.port())))
    };
    let mut profile = tempfile::tempdir().unwrap();
    for (server, since) in [(address, ""), (other, "cached 20")] {
        let session = Browser::in_profile(profile)
            .news(server)
            .open("news:1@x")
            .size((100, 24))
            .start();
        session.wait("Both.").await;
        session.wait(since).await;
        wait_for_cached_pages(session.path(), 1).await;
        session.settle().await;
        if server == other {
            // Nor after a key.
            session.press("m");
            session.wait("No article here").await;
        }
        session.press("q");
        let left = session.end().await.profile;
        profile = left;
    }
    assert_played(playing).await;
    assert_eq!(newsrc(profile.path(), address).unwrap(), "a.b! 501\n");
    newsrc(profile.path(), other).unwrap_err();
}
