//! Whole sessions: bookmarks checked by keys, their status marks, watched pages.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};

use geomys_demo::Demo;
use geomys_testing::script::{assert_played, listen};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::support::screen::{Browser, Session};
use crate::support::{files, follow};

/// A profile with this bookmark file.
fn profile(bookmarks: &str) -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("bookmarks.txt"), bookmarks).unwrap();
    profile
}

/// The address of a closed port.
async fn dead() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    listener.local_addr().unwrap()
}

fn start(profile: TempDir, size: (u16, u16)) -> Session {
    Browser::in_profile(profile)
        .size(size)
        .with_bookmarks()
        .start()
}

/// Quits, waits until all files are written, and returns the profile for the next start.
async fn quit(session: Session) -> TempDir {
    session.press("q");
    session.end().await.profile
}

/// Waits until the file of the profile holds this text: it is written beside the loop.
async fn written(session: &Session, name: &str, text: &str) -> String {
    let (path, wanted) = (session.path().join(name), text.to_owned());
    let file = files::found(session.path(), move || {
        let file = fs::read_to_string(&path).ok()?;
        file.contains(&wanted).then_some(file)
    });
    file.await
        .unwrap_or_else(|| panic!("{name} lacks {text:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn checked_bookmarks_have_status_marks() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let dead = dead().await;
    let port = gopher.port();
    let moved = format!(
        "C: /a\nS| --1\\r\\n3 Ada\\r\\n1Now\\t/phlog\\t127.0.0.1\\t{port}\\t+\\r\\n.\\r\\n"
    );
    let (address, peer) = listen(&[moved.as_str()]).await;
    let file = format!(
        "# Town\n\
         The square <URL:gopher://{gopher}/>\n\
         Nowhere <URL:gopher://{gopher}/1/nowhere>\n\
         # Elsewhere\n\
         Silent <URL:gopher://{dead}/0/a>\n\
         Moved <URL:gopher://{address}/0/a> #x\n\
         Locked <URL:ftp://ada:wrong@{}/>\n\
         A letter <URL:mailto:ada@example.org>\n\
         Bad <URL:gopher://bad~host/>\n",
        demo.addresses.ftp
    );
    let session = start(profile(&file), (100, 20));
    session.wait("Nowhere").await;
    session.press("g k");
    session.wait("Check which bookmarks").await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("check-which", session.dialog());
    });
    session.press("f");
    session.wait("Checked 2, 1 dead").await;
    session.press("g k a");
    session
        .wait("Checked 6, 1 dead, 1 moved, 1 refused, 1 unreachable")
        .await;
    assert_played(peer).await;
    session.press("j j");
    session.wait("dead since").await;
    let today = geomys_store::bookmarks::checks::day(jiff::Timestamp::now());
    let screen = session.screen().replace(&today, "the-day-it");
    // The last row shows a part of the address, whose port differs in each run.
    let (screen, _) = screen.trim_end().rsplit_once('\n').unwrap();
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("check-marks", screen);
    });
    session.press("i");
    session.wait("checked  dead since").await;
    let screen = session.screen();
    assert!(screen.contains("checked  dead since"), "{screen}");
    session.press("Esc .");
    session.wait("unreachable since").await;
    session.press(".");
    session.wait("moved, now gopher://127.0.0.1:").await;
    session.press("g m");
    session.wait("Bookmarks saved").await;
    assert!(
        session
            .bookmarks()
            .contains(&format!("Moved <URL:gopher://{gopher}/1/phlog> #x\n"))
    );
    // The new URL has no result yet.
    session.wait_until_absent("→ Moved").await;
    session.press("z");
    session.wait("→ Moved").await;
    // The save is reported; waiting for it keeps the report from covering the next status.
    session.wait("Undone").await;
    // Of all marked bookmarks, only the moved one gets a new URL.
    session.press("V g m");
    session.wait("Bookmarks saved").await;
    assert_eq!(
        session.bookmarks(),
        file.replace(&format!("{address}/0/a"), &format!("{gopher}/1/phlog"))
    );
    session.press("z V");
    session.wait("→ Moved").await;
    session.wait("Undone").await;
    session.press(".");
    session.wait("refused since").await;
    session.press("j c");
    session
        .wait("Not checked: a mail address cannot be loaded")
        .await;
    session.press("g g j c");
    session.wait("Alive").await;
    quit(session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn check_covers_the_urls_its_question_named() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let file = format!(
        "# Town\nThe square <URL:gopher://{gopher}/>\n\
         Nowhere <URL:gopher://{gopher}/1/nowhere>\n\
         # Elsewhere\nA letter <URL:mailto:ada@example.org>\n"
    );
    let session = start(profile(&file), (100, 20));
    session.wait("Nowhere").await;
    session.press("g k");
    session.wait("the 2 in Town").await;
    // Other bookmarks now have the lines of those in the folder.
    let letters = "Above <URL:mailto:above@example.org>\n".repeat(3);
    fs::write(
        session.path().join("bookmarks.txt"),
        format!("{letters}{file}"),
    )
    .unwrap();
    session.wait("Above").await;
    session.press("f");
    session.wait("Checked 2, 1 dead").await;
    quit(session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filtered_bookmarks_are_checked_and_filter_updates() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let file = format!(
        "# Town\n\
         The square <URL:gopher://{gopher}/> #x\n\
         Nowhere <URL:gopher://{gopher}/1/nowhere> #x\n\
         # Elsewhere\n\
         Nothing <URL:gopher://{gopher}/1/nothing> #x\n\
         Other <URL:gopher://{gopher}/1/other>\n"
    );
    let session = start(profile(&file), (100, 20));
    session.wait("Nowhere").await;
    session.press("/");
    session.type_in("#x");
    session.wait("3 of 4").await;
    session.press("Tab g k");
    session.wait("Check which bookmarks").await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("check-which-filtered", session.dialog());
    });
    session.press("s");
    session.wait("Checked 3, 2 dead").await;
    // New results change the matches of a filter without a key press.
    session.press("Esc /");
    session.type_in("is:dead");
    session.wait("2 of 4").await;
    session.press("Tab g g g k a");
    session.wait("✗ Other").await;
    session.wait("Checked 4, 3 dead").await;
    session.press("/ Ctrl-U");
    session.type_in("dead>12h");
    session.wait("0 of 4").await;
    session.press("Esc");
    quit(session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn esc_stops_a_check_and_keeps_its_results() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let silent = silent.local_addr().unwrap();
    let file = format!(
        "The square <URL:gopher://{gopher}/>\n\
         Nowhere <URL:gopher://{gopher}/1/nowhere>\n\
         One <URL:gopher://{silent}/1>\n\
         Two <URL:gopher://{silent}/2>\n\
         Three <URL:gopher://{silent}/3>\n"
    );
    let session = start(profile(&file), (80, 12));
    session.wait("Nowhere").await;
    session.press("g k");
    session
        .wait_until("two of five", |screen| {
            screen.contains("checked 2 of 5, 1 dead")
        })
        .await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("check-running", session.screen());
    });
    session.press("c");
    session
        .wait_until("a refusal", |screen| screen.contains("A check is running"))
        .await;
    session.press("Esc");
    session.wait("Stopped: 2 of 5 checked").await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("check-stopped", session.screen());
    });
    let stored = written(&session, "checks.jsonl", "nowhere").await;
    assert_eq!(stored.lines().count(), 2, "{stored}");
    // The stored results are there after a restart.
    let profile = quit(session).await;
    let session = start(profile, (80, 12));
    session.wait("✗ Nowhere").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quit_during_check_stores_its_results() {
    let demo = Demo::start().await.unwrap();
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let file = format!(
        "Nowhere <URL:gopher://{}/1/nowhere>\nOne <URL:gopher://{}/1>\n",
        demo.addresses.gopher,
        silent.local_addr().unwrap()
    );
    let session = start(profile(&file), (80, 12));
    session.wait("Nowhere").await;
    session.press("g k");
    session
        .wait_until("one of two", |screen| screen.contains("checked 1 of 2"))
        .await;
    let profile = quit(session).await;
    let stored = fs::read_to_string(profile.path().join("checks.jsonl")).unwrap();
    assert_eq!(stored.lines().count(), 1, "{stored}");
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_watched_page_is_new_until_opened() {
    let files = tempfile::tempdir().unwrap();
    let page = files.path().join("page.txt");
    fs::write(&page, "one\n").unwrap();
    let file = format!("Mine <URL:file://{}> #watch\n", page.display());
    let profile = profile(&file);
    follow::look(profile.path()).await;
    fs::write(&page, "two\n").unwrap();
    follow::make_due(profile.path());
    let session = start(profile, (100, 12));
    session.wait("● Mine").await;
    session.wait("new on ").await;
    session.press("Enter");
    session.wait("two").await;
    session.wait_until_absent("●").await;
    let profile = quit(session).await;
    let text = fs::read_to_string(profile.path().join("watched.jsonl")).unwrap();
    assert!(text.contains("\"new\":false"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_watched_url_asks_once() {
    let files = tempfile::tempdir().unwrap();
    let page = files.path().join("page.txt");
    fs::write(&page, "one\n").unwrap();
    let file = format!("Mine <URL:file://{}> #watch\n", page.display());
    let session = start(profile(&file), (80, 12));
    session.wait("Follow this URL once a day?").await;
    // The safe answer comes first, and is not remembered.
    session.press("Tab Enter");
    session.wait_until_absent("Follow this URL").await;
    let profile = quit(session).await;
    assert!(!profile.path().join("watched.jsonl").exists());
    let session = start(profile, (80, 12));
    session.wait("Follow this URL once a day?").await;
    session.press("Tab Right Enter");
    written(&session, "watched.jsonl", "sha256").await;
    let session = start(quit(session).await, (80, 12));
    session.wait("Mine").await;
    session.settle().await;
    assert!(
        !session.screen().contains("Contact"),
        "{}",
        session.screen()
    );
    // The tag may be removed instead.
    let other = files.path().join("other.txt");
    let other = format!("Other <URL:file://{}> #x #watch\n", other.display());
    let profile = quit(session).await;
    fs::write(profile.path().join("bookmarks.txt"), file + &other).unwrap();
    let session = start(profile, (80, 12));
    session.wait("Follow this URL once a day?").await;
    session.press("Tab Right Right Enter");
    session.wait("Bookmarks saved").await;
    assert!(
        session.bookmarks().ends_with("other.txt> #x\n"),
        "{}",
        session.bookmarks()
    );
    assert!(session.bookmarks().starts_with("Mine <URL"));
    assert!(session.bookmarks().contains(" #watch\nOther"));
}

#[tokio::test(flavor = "multi_thread")]
async fn watch_disabled_fetches_nothing() {
    let (address, peer) = listen(&["silence"]).await;
    let profile = profile(&format!("Mine <URL:gopher://{address}/> #watch\n"));
    fs::write(
        profile.path().join("settings.toml"),
        "[bookmarks]\nfollow = false\n",
    )
    .unwrap();
    let session = start(profile, (80, 12));
    session.wait("Mine").await;
    let profile = quit(session).await;
    assert!(!profile.path().join("watched.jsonl").exists());
    assert!(!peer.is_finished());
    peer.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn filter_by_age_marks_what_it_shows() {
    let ago = |days: i64| jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * days);
    for days in [190, 2] {
        let profile = profile("A <URL:gopher://h.example/1/a>\nB <URL:gopher://h.example/1/b>\n");
        let (at, since) = (ago(days), ago(190));
        let checks = format!(
            "{{\"url\":\"gopher://h.example/1/a\",\"state\":\"dead\",\"at\":\"{at}\",\"ms\":1,\"since\":\"{since}\",\"listed\":\"{at}\"}}\n"
        );
        std::fs::write(profile.path().join("checks.jsonl"), checks).unwrap();
        let session = start(profile, (80, 12));
        session.wait("✗ A").await;
        session.press("/");
        session.type_in("dead>26w");
        session.wait("1 of 2").await;
        session.press("Tab V");
        session.wait("1 marked").await;
        session.press("Esc Esc");
        quit(session).await;
    }
}

#[test]
fn pane_filter_uses_stored_check_results() {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use geomys_app::bookmarks::check::LinkChecks;
    use geomys_app::{App, BookmarkMessage, Message};
    use geomys_load::check::{LinkCheckResult, LinkStatus, PageContent};
    use geomys_store::bookmarks::checks::{CheckResult, Checks, UrlKey};
    use geomys_store::bookmarks::watch::{WatchEvent, WatchedPages};
    use geomys_store::bookmarks::{Bookmarks, FuzzyIndex, Query};
    use geomys_wire::net::Fingerprint;
    use jiff::Timestamp;
    use rfc1738::Dialect;

    let file = "one <URL:gopher://h/1/one>\n\
                two <URL:ftp://ada:secret@h/two>\n\
                three <URL:gopher://h/1/three>\n\
                bad <URL:gopher://bad~host/>\n";
    let bookmarks = Bookmarks::parse(file.as_bytes());
    let now: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
    let long_ago: Timestamp = "2026-10-01T12:00:00Z".parse().unwrap();
    let key = |written: &str| UrlKey::with_login(&Dialect::Extended.parse(written).unwrap());
    let mut checks = Checks::default();
    checks.note(&CheckResult {
        key: key("ftp://ada:secret@h/two"),
        checked: LinkCheckResult {
            verdict: LinkStatus::Dead("no".to_owned()),
            took: std::time::Duration::ZERO,
            is_answered: true,
        },
        at: long_ago,
    });
    let mut watched = WatchedPages::default();
    for content in [b"a", b"b"] {
        let content = Some(PageContent {
            fingerprint: Fingerprint::of(content),
            entries: Vec::new(),
            octets: content.len() as u64,
            end: geomys_wire::net::TransferEnd::Confirmed,
            copy: geomys_load::KnownCopy::none(
                Dialect::Extended.parse("gopher://h/1/three").unwrap(),
            ),
        });
        watched.note(&WatchEvent::Fetched(
            key("gopher://h/1/three"),
            content,
            now,
        ));
    }
    let mut app = App::new(
        keymap(),
        geomys_app::Settings::default(),
        bookmarks.clone(),
        (80, 24),
    )
    .with_link_checks(LinkChecks::new(now));
    app.update(
        Message::Bookmarks(BookmarkMessage::CheckResultsRead(Ok((checks, watched)))),
        std::time::Duration::ZERO,
    );
    let fits = app.bookmarks.checks.link_status_matcher(&app.cx);
    let found =
        |query: &str| FuzzyIndex::new(&bookmarks).find(&Query::new(query).unwrap(), None, &fits);
    assert_eq!(found("is:dead"), [1]);
    assert_eq!(found("dead>30d"), [1]);
    assert_eq!(found("dead>60d"), [0_usize; 0]);
    assert_eq!(found("is:new"), [2]);
    assert_eq!(found("is:unchecked"), [0, 2]);
    // The key for the next dead bookmark finds the same.
    let to_any = |places: &[&str]| -> Vec<usize> {
        let may_be = bookmarks.may_be_to_any(places.iter().copied());
        (0..bookmarks.len())
            .filter(|&index| may_be(index))
            .collect()
    };
    assert_eq!(to_any(&["ftp://ada@h/two", "gopher://h/1/three"]), [1, 2]);
    assert_eq!(to_any(&[]), [0_usize; 0]);
    app.cx.focus = geomys_app::Focus::Bookmarks;
    let mut visited = Vec::new();
    for _ in 0..3 {
        let key = KeyEvent::new(KeyCode::Char('.'), KeyModifiers::NONE);
        app.update(Message::Key(key), std::time::Duration::ZERO);
        visited.push(app.bookmarks.sidebar.cursor);
    }
    assert_eq!(visited, [1, 2, 1]);
}

/// The shipped keymap.
fn keymap() -> geomys_app::keymap::Keymap {
    let nowhere = geomys::config::UserPaths::new(Some("/nonexistent".into())).unwrap();
    geomys::config::read(&nowhere, &geomys::config::Environment::default()).keymap
}

#[test]
fn next_dead_bookmark_is_found_at_any_distance() {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use geomys_app::bookmarks::check::LinkChecks;
    use geomys_app::{App, BookmarkMessage, Focus, Message, Settings};
    use geomys_load::check::{LinkCheckResult, LinkStatus};
    use geomys_store::bookmarks::Bookmarks;
    use geomys_store::bookmarks::checks::{CheckResult, Checks, UrlKey};
    use geomys_store::bookmarks::watch::WatchedPages;
    use rfc1738::Dialect;

    let now: jiff::Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
    let mut checks = Checks::default();
    let mut file = String::new();
    for number in 0..3000 {
        let written = format!("ftp://ada:secret@h/{number}");
        // One URL with a password, and one without.
        let written = match number {
            1500 => written,
            _ => written.replace(":secret", ""),
        };
        if [3, 1500, 2600].contains(&number) {
            checks.note(&CheckResult {
                key: UrlKey::with_login(&Dialect::Extended.parse(&written).unwrap()),
                checked: LinkCheckResult {
                    verdict: LinkStatus::Dead("no".to_owned()),
                    took: std::time::Duration::ZERO,
                    is_answered: true,
                },
                at: now,
            });
        }
        file.extend(["x <URL:", &written, ">\n"]);
    }
    let bookmarks = Bookmarks::parse(file.as_bytes());
    let mut app = App::new(keymap(), Settings::default(), bookmarks, (80, 24))
        .with_link_checks(LinkChecks::new(now));
    app.cx.focus = Focus::Bookmarks;
    let none = std::time::Duration::ZERO;
    app.update(
        Message::Bookmarks(BookmarkMessage::CheckResultsRead(Ok((
            checks,
            WatchedPages::default(),
        )))),
        none,
    );
    let mut visited = Vec::new();
    for _ in 0..4 {
        let key = KeyEvent::new(KeyCode::Char('.'), KeyModifiers::NONE);
        app.update(Message::Key(key), none);
        visited.push(app.bookmarks.sidebar.cursor);
    }
    assert_eq!(visited, [3, 1500, 2600, 3]);
}
