//! The session: tabs are restored at the next start, whatever ended the last one.

use std::fs;
use std::path::Path;

use geomys_demo::Demo;
use geomys_store::files::history::Visit;
use geomys_store::files::session::SessionState;
use tempfile::TempDir;

use crate::support::screen::{Browser, Session};
use crate::support::terminal::Terminal;
use crate::terminal::exit::wait_for;

fn start(profile: TempDir, demo: &Demo) -> Session {
    Browser::in_profile(profile)
        .restoring()
        .demo(demo)
        .size((100, 30))
        .start()
}

fn stored(profile: &Path) -> SessionState {
    let octets = fs::read(profile.join("session.json")).unwrap();
    serde_json::from_slice(&octets).unwrap()
}

async fn quit(session: Session) -> TempDir {
    session.press("q");
    let ended = session.end().await;
    assert_eq!(ended.unsaved, Vec::<String>::new());
    ended.profile
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_positions_and_back_lists_are_restored() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("4 Enter");
    session.wait("Keeper: Botta").await;
    session.press("h");
    session.wait("▌ 4").await;
    session.press("7 t");
    session.wait("Bursarius").await;
    let profile = quit(session).await;
    let state = stored(profile.path());
    assert_eq!((state.tabs.len(), state.shown), (2, 1));
    assert_eq!(state.tabs[0].panes[0].pages.len(), 3, "home, menu, library");

    let session = start(profile, &demo);
    session.wait("Bursarius").await;
    let origin = "From the cache (r retry): the last session was restored";
    session.wait(origin).await;
    session.press("Alt-1");
    session.wait("▌ 7").await;
    session.press("]");
    session.wait("Keeper: Botta").await;
    session.press("h h");
    session.wait("the Internet of RFC 1738").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folded_bookmarks_are_restored() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B");
    session.wait("▾ Gopher").await;
    let all = session.screen();
    session.press("j");
    session.run_command("fold-folders").await;
    session.wait("▸ Gopher").await;
    assert!(!session.screen().contains('▾'), "{}", session.screen());
    session.run_command("fold-folders").await;
    session.wait("▾ Gopher").await;
    assert_eq!(
        session.screen().matches('▾').count(),
        all.matches('▾').count()
    );
    session.run_command("fold-folders").await;
    session.press("Enter");
    session.wait("▾ Gopher").await;
    session.press("Esc");
    let profile = quit(session).await;
    assert!(!stored(profile.path()).closed_folders.is_empty());

    let session = start(profile, &demo);
    session.press("B");
    session.wait("▾ Gopher").await;
    assert_eq!(
        session.screen().matches('▾').count(),
        1,
        "{}",
        session.screen()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn panes_are_restored() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("7 s");
    session.wait("Today below").await;
    let session = start(quit(session).await, &demo);
    session.wait("Today below").await;
    session.wait("market square").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn search_is_not_sent_again_until_the_user_asks_for_it() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("5 Enter");
    session.wait("Enter search").await;
    session.type_in("potato soup");
    session.press("Enter");
    session.wait("Search again").await;
    let profile = quit(session).await;
    let pages = &stored(profile.path()).tabs[0].panes[0].pages;
    assert!(pages.last().unwrap().on_request, "{pages:?}");
    let session = start(profile, &demo);
    session.wait("load it again").await;
    assert!(!session.screen().contains("Search again"));
    session.press("r");
    session.wait("Search again").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_session_is_said_and_its_file_stays_beside_the_new_one() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let damaged = "{\"tabs\":[{\"panes\":[{\"pages\":[{\"url\":\"gopher://h/\"";
    fs::write(profile.path().join("session.json"), damaged).unwrap();
    let session = start(profile, &demo);
    session.wait("Session damaged; copied to ").await;
    session.press("B j Enter");
    session.wait("/30 ").await;
    let profile = quit(session).await;
    assert_eq!(stored(profile.path()).tabs.len(), 1);
    let copy = profile.path().join("session-damaged.json");
    assert_eq!(fs::read_to_string(copy).unwrap(), damaged);
}

#[tokio::test(flavor = "multi_thread")]
async fn question_of_a_restored_page_is_not_asked_at_the_start() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    // The port of another service is a hazard, which a load asks about.
    let page = "{\"url\":\"gopher://127.0.0.1:25/1/x\",\"title\":\"x\"}";
    let state = format!("{{\"tabs\":[{{\"panes\":[{{\"pages\":[{page}]}}]}}]}}");
    fs::write(profile.path().join("session.json"), state).unwrap();
    let session = start(profile, &demo);
    session.wait("r load it again").await;
    assert!(session.screen().contains("gopher://127.0.0.1:25/1/x"));
    session.press("r");
    session.wait("Open it?").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn address_opens_alone_and_the_session_waits_until_it_is_taken_up() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("11/30 36%").await;
    let profile = quit(session).await;
    let address = |path: &str| format!("gopher://{}/1/{path}", demo.addresses.gopher);
    let open = |profile, path: &str| {
        Browser::in_profile(profile)
            .restoring()
            .open(address(path))
            .size((100, 30))
            .start()
    };
    let mut profile = profile;
    // No start with a URL replaces the session, or adds a tab to it.
    for _ in 0..3 {
        let session = open(profile, "weather");
        session.wait("Bursarius").await;
        session.press("Alt-2");
        session.settle().await;
        assert!(
            !session.screen().contains("market square"),
            "{}",
            session.screen()
        );
        profile = quit(session).await;
    }
    let session = open(profile, "weather");
    session.wait("Bursarius").await;
    // A tab of this run that was closed comes first.
    session.press("t");
    session.press("Ctrl-W g T");
    session.settle().await;
    session.press("g T");
    session.wait("market square").await;
    let profile = quit(session).await;
    let session = start(profile, &demo);
    session.wait("market square").await;
    session.press("Alt-2");
    session.wait("Bursarius").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_that_waits_is_restored_at_the_next_start_without_a_url() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    let profile = quit(session).await;
    let address = format!("gopher://{}/1/weather", demo.addresses.gopher);
    let session = Browser::in_profile(profile)
        .restoring()
        .open(address)
        .start();
    session.wait("Bursarius").await;
    let profile = quit(session).await;
    let session = start(profile, &demo);
    session.wait("market square").await;
    // The page of the run between is a closed tab.
    session.press("g T");
    session.wait("Bursarius").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_tab_is_opened_again() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("7 t");
    session.wait("Bursarius").await;
    session.press("Ctrl-W");
    session.wait("market square").await;
    session.press("g T");
    session.wait("Bursarius").await;
    session.press("g T");
    session.wait("No tab was closed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn private_tab_leaves_nothing_on_the_disk() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("g P");
    session.wait("Private tab").await;
    session.press("o");
    session.type_in(&format!("gopher://{}/1/weather", demo.addresses.gopher));
    session.press("Enter");
    session.wait("Bursarius").await;
    let profile = quit(session).await;
    assert_eq!(stored(profile.path()).tabs.len(), 1);
    let history = fs::read_to_string(profile.path().join("history.jsonl")).unwrap();
    assert!(!history.contains("weather"), "{history}");
    let session = fs::read_to_string(profile.path().join("session.json")).unwrap();
    assert!(!session.contains("weather"), "{session}");
}

#[tokio::test(flavor = "multi_thread")]
async fn second_process_starts_a_session_of_its_own_and_asks_before_it_ends() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("bookmarks.txt"), demo.bookmarks()).unwrap();
    let mut first = Terminal::run(profile.path(), &[]);
    first.wait("geomys:home");
    first.press("Bj\r");
    first.wait("What this place is");
    let weather = format!("gopher://{}/1/weather", demo.addresses.gopher);
    let mut second = Terminal::run(profile.path(), &[&weather, &weather]);
    second.wait("Bursarius");
    assert!(!second.screen().contains("market square"));
    // Both write to one history.
    let history = || fs::read_to_string(profile.path().join("history.jsonl")).unwrap_or_default();
    wait_for(|| history().lines().count() == 3);
    second.press("q");
    second.wait("2 tabs are open. Quit?");
    second.press("y");
    second.end(0);
    first.press("q");
    first.end(0);
    let state = stored(profile.path());
    assert_eq!(state.tabs.len(), 1);
    assert!(!format!("{state:?}").contains("weather"), "{state:?}");
    assert_eq!(history().lines().count(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_and_session_are_whole_after_a_hundred_kills() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path();
    let server = demo.addresses.gopher.to_string();
    let (menu, weather) = (
        format!("gopher://{server}/"),
        format!("gopher://{server}/1/weather"),
    );
    let session = || fs::read_to_string(path.join("session.json")).unwrap_or_default();
    let history = || fs::read_to_string(path.join("history.jsonl")).unwrap_or_default();
    let mut arguments = vec![menu.as_str()];
    let (mut before, mut shown) = (String::new(), "market square");
    for round in 0..100 {
        let mut terminal = Terminal::run(path, &arguments);
        arguments.clear();
        terminal.wait(shown);
        shown = &server;
        if round % 10 == 0 {
            // What was stored is shown again, whatever happens after that.
            terminal.press(&format!("o{weather}\r"));
            terminal.wait("Bursarius");
            wait_for(|| session().contains("/1/weather\""));
            wait_for(|| history().len() > before.len());
            shown = "Bursarius";
        } else {
            terminal.press(["4\r", "h", "7\r", "]", "1\r"][round % 5]);
        }
        terminal.kill();
        let history = history();
        assert!(history.starts_with(&before), "round {round}: {history}");
        for line in history.lines() {
            serde_json::from_str::<Visit>(line).unwrap();
        }
        assert_eq!(stored(path).tabs.len(), 1, "round {round}");
        before = history;
    }
    assert!(before.lines().count() >= 10, "{before}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sort_orders_and_search_words_are_stored_except_those_of_private_tabs() {
    let demo = Demo::start().await.unwrap();
    let open = |profile, url: String| {
        Browser::in_profile(profile)
            .restoring()
            .open(url)
            .size((100, 30))
            .start()
    };
    let listing = format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp);
    let search = format!("gopher://{}/7/search", demo.addresses.gopher);
    let session = open(tempfile::tempdir().unwrap(), listing.clone());
    session.wait("seeds.bin").await;
    session.press(", s");
    session.wait("Size ▾").await;
    session.press("o");
    session.type_in(&search);
    session.press("Enter");
    session.wait("Enter search").await;
    session.type_in("address");
    session.press("Enter");
    session.wait("search%09address").await;
    let profile = quit(session).await;
    let state = stored(profile.path());
    assert_eq!(state.searches, ["address"]);
    assert_eq!(state.orders.len(), 1);

    let session = open(profile, listing.clone());
    session.wait("Size ▾").await;
    // The other order, and other words, in a private tab.
    session.press("g P o");
    session.type_in(&format!("ftp://{}/pub/texts/;type=d", demo.addresses.ftp));
    session.press("Enter");
    session.wait("potato-soup").await;
    session.press(", d");
    session.wait("Modified ▾").await;
    session.press("o");
    session.type_in(&search);
    session.press("Enter");
    session.wait("Enter search").await;
    session.press("Up");
    session.wait_in_prompt("address").await;
    session.press("Ctrl-U");
    session.type_in("burrow");
    session.press("Enter");
    session.wait("search%09burrow").await;
    let profile = quit(session).await;
    assert_eq!(stored(profile.path()).searches, ["address"]);
}

/// Opens a browser on a URL of the demo, after the restored tabs.
fn open_url(profile: TempDir, url: &str) -> Session {
    Browser::in_profile(profile)
        .restoring()
        .open(url)
        .size((100, 30))
        .start()
}

#[tokio::test(flavor = "multi_thread")]
async fn choice_of_a_private_tab_hides_the_stored_order_and_leaves_it_on_disk() {
    let demo = Demo::start().await.unwrap();
    let listing = format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp);
    let session = open_url(tempfile::tempdir().unwrap(), &listing);
    session.wait("seeds.bin").await;
    session.press(", s");
    session.wait("Size \u{25be}").await;
    session.press("g P o");
    session.type_in(&format!("ftp://{}/pub/texts/;type=d", demo.addresses.ftp));
    session.press("Enter");
    session.wait("potato-soup").await;
    session.press(", d");
    session.wait("Modified \u{25be}").await;
    let session = open_url(quit(session).await, &listing);
    session.wait("Size \u{25be}").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn order_of_a_group_is_restored_for_this_group_only() {
    let demo = Demo::start().await.unwrap();
    let gopher = format!(
        "nntp://{}/underloam.infosystems.gopher",
        demo.addresses.news
    );
    let session = open_url(tempfile::tempdir().unwrap(), &gopher);
    session.wait("of 19 unread").await;
    session.press(", s");
    session.wait("Sorted by subject").await;
    let sorted = |screen: &str| !screen.contains('├') && screen.contains("Attributes: ask a thing");
    assert!(sorted(&session.screen()), "{}", session.screen());
    let profile = quit(session).await;
    let orders = stored(profile.path()).orders;
    assert_eq!(orders.len(), 1, "{orders:?}");
    assert!(
        orders.keys().all(|key| key.ends_with("gopher")),
        "{orders:?}"
    );

    fs::write(profile.path().join("session.json"), {
        let state = SessionState {
            orders,
            ..SessionState::default()
        };
        serde_json::to_string(&state).unwrap()
    })
    .unwrap();
    let session = open_url(profile, &gopher);
    session
        .wait_until("the order of subjects", |screen| {
            screen.contains("of 19 unread") && sorted(screen)
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn display_of_colours_is_restored_for_the_pages_of_the_host() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("g c");
    session
        .wait("Page colours off, for all pages of this host")
        .await;
    let profile = quit(session).await;
    let host = demo.addresses.gopher.ip().to_string();
    assert_eq!(stored(profile.path()).colours, [(host, false)].into());
    let session = start(profile, &demo);
    session.wait("market square").await;
    session.press("g c");
    session
        .wait("Page colours on, for all pages of this host")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn order_of_the_bookmarks_is_restored() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B , t");
    session.wait("Bookmarks by title").await;
    session.press("Esc");
    let session = start(quit(session).await, &demo);
    session.press("B");
    session.wait("Bookmarks by title").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_private_tab_open_private_tabs() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("g P B j Enter");
    session.wait("/30 ").await;
    session.press("7 t");
    session.wait("Bursarius").await;
    let profile = quit(session).await;
    assert_eq!(stored(profile.path()).tabs.len(), 1, "the home page alone");
    let history = fs::read_to_string(profile.path().join("history.jsonl")).unwrap_or_default();
    assert_eq!(history, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_session_becomes_closed_tabs() {
    let demo = Demo::start().await.unwrap();
    let session = start(tempfile::tempdir().unwrap(), &demo);
    session.press("B j Enter");
    session.wait("/30 ").await;
    session.press("7 t");
    session.wait("Bursarius").await;
    let profile = quit(session).await;
    fs::write(profile.path().join("settings.toml"), "session = \"ask\"\n").unwrap();
    let session = start(profile, &demo);
    session
        .wait("Restore the 2 tabs of the last session?")
        .await;
    session.press("Enter");
    session.wait_until_absent("Restore the 2 tabs").await;
    session.press("g T");
    session.wait("Bursarius").await;
    session.press("g T");
    session.wait("market square").await;
    session.press("g T");
    session.wait("No tab was closed").await;
}
