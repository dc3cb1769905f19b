//! The home page: what it shows of the stored visits, groups, watched pages and transfers, and that it contacts no
//! server.

use std::fmt::Write as _;
use std::fs;
use std::net::TcpListener;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{Environment, UserPaths, read};
use geomys_app::bookmarks::check::LinkChecks;
use geomys_app::library::message::{LibraryEffect, LibraryMessage};
use geomys_app::{App, BookmarkEffect, BookmarkMessage, Effect, Message};
use geomys_demo::Demo;
use geomys_page::document::{ArticleNumbers, Shape};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::Checks;
use geomys_store::bookmarks::watch::WatchedPages;
use geomys_store::files::cache::{Cache, CacheLimits, PageHeader};
use geomys_store::files::history;
use jiff::{SignedDuration, Timestamp};
use rfc1738::Url;
use tempfile::TempDir;

use crate::support::screen::{Browser, Session};
use crate::support::terminal::Terminal;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// The time this many seconds ago.
fn before(seconds: i64) -> Timestamp {
    Timestamp::now() - SignedDuration::from_secs(seconds)
}

/// The lines of visits: seconds ago, URL, title.
fn visits(visits: &[(i64, &str, &str)]) -> String {
    let mut lines = String::new();
    for (seconds, url, title) in visits {
        let time = Timestamp::from_second(before(*seconds).as_second()).unwrap();
        writeln!(
            lines,
            r#"{{"time":"{time}","url":"{url}","title":"{title}","kind":"menu"}}"#
        )
        .unwrap();
    }
    lines
}

/// Caches the overview of a group with articles 1 to 25, and subscribes to it with 1 to 13 read.
fn subscribe(paths: &UserPaths, host: &str, port: u16) {
    fs::create_dir_all(paths.newsrcs()).unwrap();
    let newsrc = paths.newsrcs().join(format!("{host}_{port}"));
    fs::write(
        newsrc,
        "alt.gophers: 1-13\nalt.unseen: 1-3\nalt.left! 1-2\n",
    )
    .unwrap();
    let limits = CacheLimits {
        size: 1 << 20,
        ..CacheLimits::default()
    };
    let cache = Cache::new(paths.cache.clone(), limits);
    for group in ["alt.gophers", "alt.left"] {
        let url = Url::nntp(host, port, group.as_bytes(), None).unwrap();
        let head = PageHeader {
            highest: Some(25),
            covered: ArticleNumbers::range(1, 25),
            ..PageHeader::new(url, Shape::Group)
        };
        let none = std::iter::empty::<&[u8]>();
        cache.store(&head, before(2 * HOUR + 5), none).unwrap();
    }
}

/// The stored state of a page with three entries: two are new, and one of these has no title.
fn log(url: &str) -> String {
    let seen = before(3 * HOUR + 5);
    let entry = |name: &str, date: &str, title: &str, is_new: bool| {
        format!(
            r#"{{"url":"{url}{name}","date":"{date}","title":"{title}","seen":"{seen}","new":{is_new}}}"#
        )
    };
    format!(
        r#"{{"url":"{url}","sha256":"{}","at":"{seen}","changed":"{seen}","new":true,"entries":[{},{},{}]}}"#,
        "1".repeat(64),
        entry("lamp", "2026-11-20", "The lamp is out\\t\\u001b[31m", true),
        entry("none", "2026-11-21", "", true),
        entry("bat", "2026-11-22", "A bat", false),
    )
}

/// A profile with visits, a subscribed group, new entries, a changed page and an unfinished transfer.
fn filled() -> TempDir {
    let profile = tempfile::tempdir().unwrap();
    let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    fs::create_dir_all(&paths.data).unwrap();
    let mut lines = Vec::new();
    for day in (3..8).rev() {
        lines.push((day * DAY + 5, "gopher://sdf.example/1/", "The SDF"));
    }
    lines.push((3 * DAY, "finger://plan.example/ada", "Ada's plan"));
    lines.push((2 * DAY + 9, "finger://plan.example/ada", "Ada's plan"));
    lines.push((2 * DAY + 5, "ftp://ftp.example/pub/", "pub"));
    lines.push((
        26 * HOUR,
        "http://www.example/",
        "A page with a long title that does not fit on the row",
    ));
    lines.push((5 * HOUR + 5, "gopher://tilde.example/0/empty", ""));
    lines.push((9 * MINUTE, "gopher://tilde.example/1/phlog", "A phlog"));
    lines.push((4 * MINUTE, "gopher://tilde.example/1/", "Tilde\\u001b[31m"));
    lines.push((3 * MINUTE + 5, "gopher://tilde.example/1/phlog", "A phlog"));
    fs::write(paths.history(), visits(&lines)).unwrap();
    subscribe(&paths, "news.example", 119);
    let bookmarks = "# Mine\nWeather <URL:gopher://weather.example/0/today> #watch\n\
                     Calm <URL:gopher://calm.example/> #watch\n\
                     Its log <URL:gemini://dome.example/log/> #watch\n\
                     Unwatched <URL:gemini://other.example/log/>\n";
    fs::write(profile.path().join("bookmarks.txt"), bookmarks).unwrap();
    let hash = "0".repeat(64);
    let changed = before(30 * HOUR);
    let state = |url: &str, is_new: bool| {
        format!(
            r#"{{"url":"{url}","sha256":"{hash}","at":"{changed}","changed":"{changed}","new":{is_new}}}"#
        )
    };
    let watched = format!(
        "{}\n{}\n{}\n{}\n",
        state("gopher://weather.example/0/today", true),
        state("gopher://calm.example/", false),
        log("gemini://dome.example/log/"),
        log("gemini://other.example/log/"),
    );
    fs::write(paths.watched(), watched).unwrap();
    let directory = profile.path().display();
    fs::write(
        paths.transfers(),
        format!("free ftp://ftp.example/pub/big.iso {directory}/big.iso\n"),
    )
    .unwrap();
    fs::write(
        profile.path().join("settings.toml"),
        "session = \"new\"\n[bookmarks]\nfollow = false\n",
    )
    .unwrap();
    profile
}

fn start(profile: TempDir, size: (u16, u16)) -> Session {
    Browser::in_profile(profile).size(size).start()
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_profile_shows_where_to_start() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let session = start(tempfile::tempdir().unwrap(), (columns, rows));
        session.wait("Start here").await;
        session.settle().await;
        insta::assert_snapshot!(format!("empty_{columns}x{rows}"), session.screen());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn filled_profile_shows_visits_news_entries_changes_and_transfers_with_their_age() {
    for (columns, rows) in [(80, 24), (120, 40)] {
        let session = start(filled(), (columns, rows));
        session.wait("Continue").await;
        session.wait("Unread news").await;
        session.settle().await;
        insta::assert_snapshot!(format!("filled_{columns}x{rows}"), session.screen());
        // The rest, and the rows of the start.
        session.press("G");
        let end = if columns > 105 {
            "47/47 100%"
        } else {
            "No network?"
        };
        session.wait(end).await;
        insta::assert_snapshot!(format!("filled_end_{columns}x{rows}"), session.screen());
    }
}

#[test]
fn entry_of_today_is_bold_and_stands_below_the_others() {
    let profile = filled();
    let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    let watched = fs::read_to_string(paths.watched()).unwrap();
    let today = jiff::Zoned::now().date().to_string();
    let watched = watched.replace("2026-11-20", &today);
    fs::write(paths.watched(), watched.replace("2026-11-21", "2020-11-21")).unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait_until("bold day beside its title", |screen| {
        let rows: Vec<String> = screen.rows(0, 80).collect();
        let column = |row: &str, words: &str| Some(row[..row.find(words)?].chars().count());
        let row = rows.iter().position(|row| row.contains("today  The lamp"));
        let Some((row, day)) = row.and_then(|row| Some((row, column(&rows[row], "today")?))) else {
            return false;
        };
        let title = column(&rows[row], "The lamp").unwrap();
        let is_bold = |column: usize| {
            let at = (u16::try_from(row).unwrap(), u16::try_from(column).unwrap());
            screen.cell(at.0, at.1).unwrap().bold()
        };
        let other = rows.iter().find(|row| row.contains("2020-11-21  without"));
        let other = other.and_then(|row| column(row, "without"));
        is_bold(day) && !is_bold(title) && other == Some(title)
    });
    terminal.press("q");
    terminal.end(0);
}

/// Returns true if an effect contacts a server.
fn contacts_a_server(effect: &Effect) -> bool {
    match effect {
        // Each of these reads a file.
        Effect::Library(
            LibraryEffect::Read(_)
            | LibraryEffect::ReadGroups(_)
            | LibraryEffect::ReadLater
            | LibraryEffect::ScheduleSession,
        )
        | Effect::Bookmarks(BookmarkEffect::ReadCheckResults) => false,
        _ => true,
    }
}

#[test]
fn home_page_has_no_effect_but_reading_files() {
    let profile = filled();
    let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    let config = read(&paths, &Environment::default());
    let settings = config.settings.clone();
    let mut app = App::new(
        config.keymap,
        config.settings,
        Bookmarks::parse(b""),
        (80, 24),
    )
    .with_history();
    let mut effects = app.start(&[]);
    let history = history::load(&paths.history(), &settings.history, Timestamp::now()).unwrap();
    let mut now = Duration::ZERO;
    let mut update = |app: &mut App, message| {
        now += Duration::from_secs(1);
        app.update(message, now)
    };
    effects.extend(update(
        &mut app,
        Message::Library(LibraryMessage::Read(Ok(history))),
    ));
    effects.extend(update(
        &mut app,
        Message::Library(LibraryMessage::Groups(Vec::new())),
    ));
    let key = |letter| Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    // Reload, another built-in page, back to the home page.
    for letter in ['r', '?'] {
        effects.extend(update(&mut app, key(letter)));
    }
    let reads = effects
        .iter()
        .filter(|effect| matches!(effect, Effect::Library(LibraryEffect::Read(_))));
    assert_eq!(reads.count(), 2, "the start and the reload: {effects:?}");
    let contacts: Vec<&Effect> = effects.iter().filter(|it| contacts_a_server(it)).collect();
    assert!(contacts.is_empty(), "{contacts:?}");
    let page = app.page().unwrap();
    assert!(page.url.as_str() == "geomys:home" && page.count() > 20);
}

#[test]
fn reload_reads_the_watched_pages_again() {
    let profile = filled();
    let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    let config = read(&paths, &Environment::default());
    let bookmarks = Bookmarks::parse(b"");
    let checks = LinkChecks::new(Timestamp::UNIX_EPOCH);
    let mut app =
        App::new(config.keymap, config.settings, bookmarks, (80, 24)).with_link_checks(checks);
    let mut effects = app.start(&[]);
    let loaded =
        BookmarkMessage::CheckResultsRead(Ok((Checks::default(), WatchedPages::default())));
    effects.extend(app.update(Message::Bookmarks(loaded), Duration::ZERO));
    let key = KeyEvent::new(KeyCode::Char('r'), KeyModifiers::NONE);
    effects.extend(app.update(Message::Key(key), Duration::ZERO));
    let is_read =
        |effect: &&Effect| matches!(effect, Effect::Bookmarks(BookmarkEffect::ReadCheckResults));
    assert_eq!(effects.iter().filter(is_read).count(), 2, "{effects:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_server_is_contacted_before_a_row_is_opened() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let profile = tempfile::tempdir().unwrap();
    let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    fs::create_dir_all(&paths.data).unwrap();
    let url = format!("gopher://127.0.0.1:{port}/1/");
    fs::write(paths.history(), visits(&[(5, &url, "Here")])).unwrap();
    subscribe(&paths, "127.0.0.1", port);
    let session = start(profile, (80, 24));
    session.wait("now  Here").await;
    session.wait("12 unread in alt.gophers").await;
    session.press("r");
    session.settle().await;
    let refused = listener.accept().unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::WouldBlock);
    // The first row is chosen, and opens as any link.
    session.press("Enter");
    let listener = tokio::net::TcpListener::from_std(listener).unwrap();
    listener.accept().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn home_page_follows_visits_and_keeps_the_chosen_link() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .settings("session = \"new\"\n")
        .demo(&demo)
        .size((100, 30))
        .start();
    session.wait("Start here").await;
    assert!(!session.screen().contains("Continue"));
    session.press("o");
    session.type_in(&format!("gopher://{}/1/phlog", demo.addresses.gopher));
    session.press("Enter");
    session.wait("Newest first").await;
    // On return the visit is there; the cursor was on the first link, and is on the first one again.
    session.press("h");
    session.wait("Continue").await;
    session
        .wait_until("first row chosen", |screen| {
            screen
                .lines()
                .any(|line| line.starts_with('▌') && line.contains("now  "))
        })
        .await;
    // A link that the user has chosen stays chosen.
    session.press("J J");
    session
        .wait_until("second start link", |screen| {
            let mut lines = screen.lines();
            lines.any(|line| line.contains("▌ 3 ≡ Project Gemini"))
        })
        .await;
    session.press("r");
    session.settle().await;
    let screen = session.screen();
    assert!(screen.contains("▌ 3 ≡ Project Gemini"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn private_tabs_and_history_off_leave_nothing_on_the_home_page() {
    let demo = Demo::start().await.unwrap();
    let phlog = format!("gopher://{}/1/phlog", demo.addresses.gopher);
    for settings in [
        "session = \"new\"\n",
        "session = \"new\"\nhistory = false\n",
    ] {
        let session = Browser::new()
            .settings(settings)
            .demo(&demo)
            .size((100, 30))
            .start();
        session.wait("Start here").await;
        if !settings.contains("history") {
            session.press("g P");
            session.wait("2 geomys:home").await;
        }
        session.press("o");
        session.type_in(&phlog);
        session.press("Enter");
        session.wait("Newest first").await;
        session.press("h");
        session.wait("Start here").await;
        session.press("r");
        session.settle().await;
        assert!(!session.screen().contains("Continue"), "{settings}");
    }
    // What was stored before is not shown when the history is off now.
    let profile = filled();
    let settings = "history = false\nsession = \"new\"\n[bookmarks]\nfollow = false\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let session = start(profile, (100, 40));
    session.wait("Unread news").await;
    session.settle().await;
    assert!(!session.screen().contains("visits"), "{}", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn home_setting_shows_its_page_at_the_start_and_in_new_tabs() {
    let demo = Demo::start().await.unwrap();
    let page = format!("gopher://{}/1/map", demo.addresses.gopher);
    let session = Browser::new()
        .settings(format!("session = \"new\"\nhome = \"{page}\"\n"))
        .demo(&demo)
        .start();
    session.wait("A map of Underloam").await;
    session.press("Ctrl-T");
    session.wait(" 2 ").await;
    session.wait("A map of Underloam").await;
    assert!(!session.screen().contains("Start here"));
    // The last tab shows it when it is closed, too.
    session.press("Ctrl-W Ctrl-W");
    session.wait("A map of Underloam").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn first_steps_are_gone_after_ten_visits() {
    for (count, is_shown) in [(9, true), (10, false)] {
        for size in [(80, 24), (100, 40)] {
            let profile = tempfile::tempdir().unwrap();
            let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
            fs::create_dir_all(&paths.data).unwrap();
            let line = (10 * MINUTE, "gopher://h.example/", "A hole");
            fs::write(paths.history(), visits(&vec![line; count])).unwrap();
            let session = start(profile, size);
            session.wait("A hole").await;
            session.settle().await;
            let steps = session.screen().contains("Enter opens a row, h goes back");
            assert_eq!(steps, is_shown, "{count} {size:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn click_in_the_second_column_opens_its_row() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).size((100, 40)).start();
    session.wait("Map of the town").await;
    session.settle().await;
    assert!(session.position_of("Map of the town").0 > 50);
    session.click("Map of the town");
    session.wait("A map of Underloam").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_key_stands_alone_in_a_line() {
    for size in [(100, 30), (120, 40)] {
        let session = start(tempfile::tempdir().unwrap(), size);
        session.wait("o URL  B bookmarks").await;
        session.settle().await;
        let first = usize::from(session.position_of("o URL  B bookmarks").0);
        let screen = session.screen();
        let lines = screen
            .lines()
            .map(|line| line.chars().skip(first).collect::<String>());
        let lines = lines.skip_while(|line| !line.starts_with("o URL  B bookmarks"));
        let keys: Vec<String> = lines
            .take_while(|line| !line.contains("No network"))
            .collect();
        assert!(keys.last().unwrap().contains("q quit"), "{keys:?}");
        assert!(
            keys.iter().all(|line| line.trim().contains("  ")),
            "{keys:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_take_two_lines_of_a_narrow_screen_and_can_be_pressed() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).start();
    let lines = [
        "o URL  B bookmarks  H history  D downloads  g U sync  g / search all",
        ": commands  / find  h back  ~ home  ? all keys  q quit",
    ];
    session.wait(lines[1]).await;
    let screen = session.screen();
    let rows: Vec<&str> = screen.lines().map(str::trim).collect();
    assert!(rows.windows(2).any(|rows| rows == lines), "{screen}");
    for (key, shown) in [
        ("o URL  B", "URL (gopher"),
        ("g / search all", "Search all stored pages"),
        (": commands  / find", "Enter run"),
        ("? all keys", "Most used"),
    ] {
        session.click(key);
        session
            .wait_until(shown, |screen| screen.contains(shown))
            .await;
        session.press("Esc");
        session.press("~");
        session.wait(lines[0]).await;
    }
    // What a drawer covers is not pressed.
    let covered = session.position_of("o URL  B");
    session.press("B");
    session.wait("Bookmarks ━").await;
    session.press_and_release(covered, covered);
    session.settle().await;
    let screen = session.screen();
    assert!(!screen.contains("URL (gopher"), "{screen}");
    session.press("Esc ~");
    session.wait(lines[1]).await;
    let (column, row) = session.position_of("? all keys  q quit");
    let quit = (column + 12, row);
    session.press_and_release(quit, quit);
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_opened_from_a_row_has_its_title_without_the_age() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let paths = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    fs::create_dir_all(&paths.data).unwrap();
    let url = format!("gopher://{}/1/map", demo.addresses.gopher);
    fs::write(paths.history(), visits(&[(4 * MINUTE, &url, "My map")])).unwrap();
    let session = start(profile, (80, 24));
    session.wait("4 min  My map").await;
    session.press("Enter");
    session.wait("A map of Underloam").await;
    session.press("h");
    session.wait("now  My map").await;
    session.press("A");
    session.wait("Title  My map").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_and_the_command_lead_home_in_every_preset() {
    let demo = Demo::start().await.unwrap();
    for preset in ["vi", "emacs", "lynx"] {
        let session = Browser::new()
            .file("keys.toml", format!("preset = \"{preset}\"\n"))
            .open(format!("gopher://{}/", demo.addresses.gopher))
            .start();
        for key in ["~", "Alt-Home"] {
            session.wait("U N D E R L O A M").await;
            session.press(key);
            session.wait("geomys:home").await;
            session.press("Left");
        }
        session.wait("U N D E R L O A M").await;
        if preset == "vi" {
            session.press(":");
            session.type_in("home");
            session.press("Enter");
            session.wait("geomys:home").await;
            session.press("~");
            session.wait("This is the home page").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_lead_to_the_page_that_the_settings_have_as_home() {
    let demo = Demo::start().await.unwrap();
    let home = format!("gopher://{}/0/about.txt", demo.addresses.gopher);
    let session = Browser::new()
        .settings(format!("home = \"{home}\"\n"))
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("U N D E R L O A M").await;
    session.press("~");
    session.wait("a town of pocket gophers").await;
    session.press("h");
    session.wait("U N D E R L O A M").await;
    session.press(":");
    session.type_in("home");
    session.press("Enter");
    session.wait("a town of pocket gophers").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_stays_when_there_is_nothing_to_read() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("U N D E R L O A M").await;
    session.press(".");
    session
        .wait("No unread articles, entries or kept pages")
        .await;
    assert!(session.screen().contains("U N D E R L O A M"));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_has_the_focus_at_the_start_and_the_whole_screen_without_bookmarks() {
    for bookmarks in ["", "A log <URL:gopher://127.0.0.1:1/>\n"] {
        let session = Browser::new().bookmarks(bookmarks).size((120, 30)).start();
        session.wait("geomys:home").await;
        let has_list = session.screen().contains("Bookmarks ─");
        assert_eq!(has_list, !bookmarks.is_empty(), "{}", session.screen());
        // The key of the list would go to the next dead link.
        session.press(".");
        session
            .wait("No unread articles, entries or kept pages")
            .await;
        session.press("A");
        session.wait("New bookmark").await;
        session.press("Enter");
        session.wait("Bookmarks ─").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn suggestions_are_shown_beside_the_page_while_they_have_the_focus() {
    let session = Browser::new().size((120, 30)).start();
    session.wait("geomys:home").await;
    session.press("B");
    session.wait("Bookmarks ━").await;
    session.press("B");
    session.wait_until_absent("Bookmarks ━").await;
    assert!(
        !session.screen().contains("Bookmarks ─"),
        "{}",
        session.screen()
    );
}
