//! Whole sessions: keys in, screen out, against the demo's servers.

use std::time::Duration;

use geomys_demo::Demo;
use geomys_wire::net::Limits;

use crate::support::screen::{Browser, Session};

#[tokio::test(flavor = "multi_thread")]
async fn bookmark_link_and_back_restore_the_page() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 106, 30);
    session.wait("Geomys").await;
    insta::assert_snapshot!("home", session.screen());
    session.press("j Enter");
    session.wait("town below a meadow").await;
    session.wait("/30 ").await;
    insta::assert_snapshot!("menu", session.screen());
    session.press("1 Enter");
    session.wait("We find this restful.").await;
    session.wait("1-9 open").await;
    insta::assert_snapshot!("text", session.page());
    session.press("h");
    session.wait("town below a meadow").await;
    // The scroll position is restored: the cursor is on the followed link.
    session.wait("▌ 1").await;
    session.press("]");
    session.wait("We find this restful.").await;
    session.press("q");
    let ended = session.end().await;
    assert!(ended.app.cx.should_exit);
}

#[tokio::test(flavor = "multi_thread")]
async fn search_item_prompts_and_words_go_into_the_url() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 30);
    session.press("j Enter");
    session.wait("town below a meadow").await;
    session.press("5 Enter");
    session.wait("Enter search").await;
    session.type_in("potato soup");
    session.press("Enter");
    session.wait("/7/search%09potato%20soup").await;
    session.wait("Search again").await;
    insta::assert_snapshot!("search", session.page());
}

#[tokio::test(flavor = "multi_thread")]
async fn panes_are_split_and_tabs_are_listed() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 160, 24);
    session.press("j Enter");
    session.wait("town below a meadow").await;
    session.press("B B Tab");
    session.press("3 s");
    session.wait("Newest first").await;
    session.wait("6/14").await;
    insta::assert_snapshot!("beside", session.screen());
    session.press("x");
    session.wait_until_absent("│").await;
    session.press("7 t");
    session.wait("Bursarius").await;
    session.wait("/10 ").await;
    insta::assert_snapshot!("tabs", session.screen());
    session.press("Alt-1");
    session.wait("town below a meadow").await;
    session.press("} Ctrl-W");
    session.wait("town below a meadow").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmark_is_added_edited_removed_and_restored() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 30);
    let before = session.bookmarks();
    session.press("j Enter");
    session.wait("town below a meadow").await;
    session.press("7 Enter");
    session.wait("Bursarius").await;
    session.press("a");
    session.wait("New bookmark").await;
    session.wait("The weather station").await;
    insta::assert_snapshot!("form", session.dialog());
    session.press("Ctrl-U");
    session.type_in("A good station");
    session.press("Tab Tab Tab");
    session.type_in("books read");
    session.press("Enter");
    session.wait("Bookmarks saved").await;
    let gopher = demo.addresses.gopher;
    let line = format!("A good station <URL:gopher://{gopher}/1/weather> #books #read\n");
    let added = before.replacen("# Gopher\n", &format!("{line}\n# Gopher\n"), 1);
    assert_eq!(session.bookmarks(), added);

    session.press("Shift-Tab e");
    session.wait("Edit the bookmark").await;
    session.press("Tab End Backspace Backspace Backspace Backspace Backspace Backspace Backspace");
    session.type_in("~ada");
    session.wait("must be encoded as").await;
    insta::assert_snapshot!("form-fault", session.dialog());
    session.press("Enter");
    session.wait("Edit the bookmark").await;
    session.press("Backspace Backspace Backspace Backspace Enter");
    session.wait("Bookmarks saved").await;
    let changed = line.replace("weather>", ">");
    let changed = added.replace(&line, &changed);
    assert_eq!(session.bookmarks(), changed);

    session.press("X");
    session.wait("“A good station” removed").await;
    // The blank line added with it stays.
    let removed = before.replacen("# Gopher\n", "\n# Gopher\n", 1);
    assert_eq!(session.bookmarks(), removed);
    session.press("z");
    session.wait("Undone: “A good station” removed").await;
    assert_eq!(session.bookmarks(), changed);
    session.press("z z");
    session.wait("Undone: “A good station” added").await;
    assert_eq!(session.bookmarks(), before);
    session.press("Z");
    session.wait("Redone").await;
    assert_eq!(session.bookmarks(), added);
}

#[tokio::test(flavor = "multi_thread")]
async fn first_start_writes_no_files_before_a_change() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("town below a meadow").await;
    session.press("B");
    session.wait("Suggestions").await;
    session.wait("Floodgap").await;
    // What would change a suggestion changes nothing.
    session.press("j j d");
    session.settle().await;
    session.press("Esc Esc");
    assert!(!session.path().join("bookmarks.txt").exists());
    session.press("a Enter");
    session.wait("Bookmarks saved").await;
    let file = session.bookmarks();
    let explanation = geomys::config::BOOKMARKS;
    let own = file.strip_prefix(explanation).unwrap();
    // The page alone, and none of the suggestions.
    assert_eq!(own.matches("<URL:").count(), 1, "{file}");
    assert_eq!(explanation.matches("<URL:").count(), 0);
    session.wait_until_absent("Suggestions").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_bookmark_is_shown_with_its_fault() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 30);
    session.wait("! A bad one").await;
    for _ in 0..9 {
        session.press("j");
    }
    session.wait("opens as").await;
    insta::assert_snapshot!("bad-bookmark", session.screen());
    // The bookmark stays unchanged, and opens as the equivalent URL.
    session.press("Enter");
    session.wait("/1/%7Edibble").await;
    session.wait("There is no door called").await;
    session.wait("! A bad one").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_appear_while_loading_and_esc_keeps_them() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/1/slow/1000", demo.addresses.gopher))
        .size((80, 12))
        .start();
    // Rows are on screen while it arrives.
    session
        .wait_until("rows while it arrives", |screen| {
            screen.contains("Room 3 ") && screen.contains("…  ") && screen.contains("Esc stop  ")
        })
        .await;
    session.press("Esc");
    session.wait("Stopped").await;
    let rows = session.screen();
    assert!(
        rows.contains("Room 1 ") && rows.contains("Room 3 "),
        "{rows}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn unlimited_line_and_menu_stop_at_the_page_limit() {
    let demo = Demo::start().await.unwrap();
    let limits = Limits {
        page: 1_000_000,
        ..Limits::default()
    };
    for selector in ["endless", "forever"] {
        let session = Browser::new()
            .open(format!("gopher://{}/1/{selector}", demo.addresses.gopher))
            .limits(limits.clone())
            .start();
        session.wait("Page cut at 1.0 MB").await;
        session.press("G");
        session.wait("truncated at 1.0 MB: r loads more").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn find_steps_through_matches_and_wraps() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/1/big/100000", demo.addresses.gopher))
        .start();
    session.wait("100,0").await;
    session.press("/");
    session.type_in("99999");
    session.press("Enter");
    session.wait("99,999/100,000").await;
    session.press("n");
    session.wait("Search wrapped to top").await;
    session.press("/");
    session.type_in("Room 5000 of");
    session.press("Enter");
    session.wait("▌  5000").await;
    session.press("/");
    session.type_in("Room 50");
    // Keys that come while the page is searched wait for its end.
    session.press("Enter n N");
    session.wait("▌  5000").await;
    session.settle().await;
    assert!(
        !session.screen().contains("Search wrapped"),
        "{}",
        session.screen()
    );
    session.press("/");
    session.type_in("no such words");
    session.press("Enter");
    session.wait("\"no such words\" not found").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_pages_with_advice() {
    let demo = Demo::start().await.unwrap();
    let limits = Limits {
        connect: Duration::from_millis(500),
        idle: Duration::from_millis(300),
        ..Limits::default()
    };
    let vacant = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let addresses = [
        format!("gopher://{vacant}/"),
        "gopher://no-such-host.invalid/".to_owned(),
        format!("gopher://{}/1/silent", demo.addresses.gopher),
        format!("gopher://{}/0/a%00b", demo.addresses.gopher),
        "nfs://example.org//pub".to_owned(),
    ];
    let session = Browser::new().open_all(&addresses).limits(limits).start();
    session.wait("refused the connection").await;
    insta::assert_snapshot!("refused", session.page());
    session.press("}");
    session.wait("no-such-host.invalid").await;
    session.wait("Check the name").await;
    session.press("}");
    session.wait("sent nothing within").await;
    session.press("}");
    session.wait("Not sent").await;
    session.press("}");
    session.wait("does not support nfs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn screen_is_readable_down_to_20_by_6() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40);
    session.press("j Enter");
    session.wait("/30 ").await;
    for (columns, lines) in [
        (80, 24),
        (59, 20),
        (40, 12),
        (20, 6),
        (8, 3),
        (1, 1),
        (80, 24),
    ] {
        session.resize(columns, lines);
        session.press("j");
    }
    session.press("g g");
    session.wait("town below a meadow").await;
    session.resize(20, 6);
    session.settle().await;
    insta::assert_snapshot!("small", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn screen_is_whole_after_another_size_between_two_frames() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 80, 24);
    let drawn = |screen: &str| {
        screen
            .lines()
            .filter(|line| !line.trim().is_empty())
            .count()
    };
    let whole = drawn(&session.screen());
    for _ in 0..20 {
        session.resize(1, 1);
        session.resize(80, 24);
    }
    session
        .wait_until("the whole screen", |screen| drawn(screen) == whole)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn help_lists_every_bound_key() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 140, 180);
    session.press("?");
    session.wait("In a form: ").await;
    let screen = session.screen();
    for heading in [
        "In the bookmarks",
        "Everywhere",
        "On a page",
        "In a group",
        "In a form",
    ] {
        assert!(screen.contains(heading), "{heading} is not in\n{screen}");
    }
    session.press("Esc");
    session.wait("in your terminal").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn binary_item_is_offered_as_download() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!(
        "gopher://{}/9/gallery/seeds.bin",
        demo.addresses.gopher
    )];
    let downloads = profile.path().join("Downloads");
    let session = Browser::in_profile(profile)
        .open_all(&addresses)
        .size((100, 24))
        .start();
    session.wait("Save as").await;
    session.wait("Binary file").await;
    session.press("Enter");
    session.wait("Saved").await;
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(std::fs::read(downloads.join("seeds.bin")).unwrap(), all);
    assert!(!downloads.join("seeds.bin.part").exists());
    // No file is overwritten: the second one gets a number.
    session.press("o");
    session.type_in(&addresses[0]);
    session.press("Enter");
    session.wait("Save as").await;
    session.press("Enter");
    session.wait("seeds (2).bin").await;
    assert_eq!(std::fs::read(downloads.join("seeds (2).bin")).unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn copied_url_has_no_password() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("ftp://ada:lovelace@{}/", demo.addresses.ftp))
        .size((100, 24))
        .start();
    session.wait("diary.txt").await;
    session.press("Y");
    session.wait("Copied").await;
    session.press("j y");
    session.wait("diary.txt ").await;
    session.settle().await;
    let copied = session.copied.lock().unwrap().clone();
    let ftp = demo.addresses.ftp;
    let without = [
        format!("ftp://ada@{ftp}/"),
        format!("ftp://ada@{ftp}/diary.txt"),
    ];
    assert_eq!(copied, without);
    assert!(
        !session.screen().contains("lovelace"),
        "{}",
        session.screen()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn loop_ends_on_termination_signal() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 80, 24);
    session.wait("Bookmarks").await;
    assert!(session.terminate().await.app.cx.should_exit);
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_listing_is_sorted_by_keys() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("ftp://{}/", demo.addresses.ftp))
        .size((100, 24))
        .start();
    session.wait("/11 ").await;
    insta::assert_snapshot!("listing", session.page());
    // The directories stay first; among the rest the largest leads.
    session.press(", s");
    session.wait("Sorted by size, largest first").await;
    session.press("j j j j");
    session.wait("/README").await;
    session.press(", s");
    session.wait("smallest first").await;
    // The cursor stays on its entry.
    session.press("i");
    session.wait("title  README").await;
    insta::assert_snapshot!("info", session.dialog());
    session.press("Esc Enter");
    session.wait("Sign in as").await;
    session.press("u");
    session.wait("/11 ").await;
    session.press("o");
    session.type_in(&format!("ftp://{}/names/;type=d", demo.addresses.ftp));
    session.press("Enter");
    session.wait("土竜.txt").await;
    insta::assert_snapshot!("names", session.page());
    session.press("u");
    session.wait("incoming").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn password_prompt_appears_once_and_hides_input() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("ftp://ada@{}/", demo.addresses.ftp))
        .start();
    session.wait("Password of ada at").await;
    session.type_in("wrong");
    session.wait_in_prompt("•••••").await;
    insta::assert_snapshot!("password", session.dialog());
    session.press("Enter");
    session.wait("530 That is not the password").await;
    session.type_in("lovelace");
    session.press("Enter");
    session.wait("diary.txt").await;
    assert!(!session.screen().contains("lovelace"));
    session.press("G Enter");
    session.wait("NOTES ON THE ENGINE").await;
    session.press("Y");
    session.wait("Copied").await;
    let copied = session.copied.lock().unwrap().join("");
    assert!(!copied.contains("lovelace"), "{copied}");
}

#[tokio::test(flavor = "multi_thread")]
async fn group_article_and_references_open() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let session = Browser::new()
        .open(format!("nntp://{news}/underloam.infosystems.gopher"))
        .size((110, 30))
        .start();
    session.wait("19 of 19 unread").await;
    insta::assert_snapshot!("group", session.page());
    session.press("/");
    session.type_in("three deep");
    session.press("Enter Esc");
    session.press("o");
    session.type_in(&format!("nntp://{news}/underloam.infosystems.gopher/404"));
    session.press("Enter");
    session.wait("No article").await;
    session.press("h");
    session.wait("19 of 19 unread").await;
    session.press("G k k Enter");
    // The complete article is decoded.
    session.wait("1994-05-11 20:15").await;
    insta::assert_snapshot!("article", session.page());
    // A reference opens on the server that the article came from, though no news server is set.
    session.press("J J J");
    session.wait("news:gph-2@underloam.").await;
    session.press("Enter");
    session.wait("Message-ID:  <gph-2@underloam.example>").await;
    session.press("h");
    session.wait("Message-ID:  <gph-3@underloam.example>").await;
    session.press("h");
    session.wait("17 of 19 unread").await;
    session.press("u");
    session.wait("/6 ").await;
    insta::assert_snapshot!("groups", session.page());
    session.press("Enter");
    session.wait("Spring opening").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn members_group_prompts_for_name_and_password() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open("news:geomys.demo.attic")
        .size((90, 24))
        .start();
    session.wait("News server:").await;
    session.type_in(&demo.addresses.news.to_string());
    session.press("Enter");
    session.wait("Name at").await;
    session.type_in("ada");
    session.press("Enter");
    session.wait("Password of ada").await;
    session.type_in("lovelace");
    session.press("Enter");
    session.wait("2 of 2 unread").await;
    // The article is requested with the same name and password.
    session.press("Enter");
    session.wait("Message-ID:").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn big_group_loads_newest_articles_first() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("nntp://{}/geomys.demo.big", demo.addresses.news))
        .size((100, 24))
        .start();
    session
        .wait_until("the newest, while the rest arrives", |screen| {
            screen.contains("▌●")
        })
        .await;
    session.press("i");
    session.wait("/geomys.demo.big/100000").await;
    session.press("Esc");
    session
        .wait("100,000 of 100,000 unread, 98,000 older")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn url_without_user_is_anonymous_after_another_login() {
    let demo = Demo::start().await.unwrap();
    let ftp = demo.addresses.ftp;
    let addresses = [
        format!("ftp://ada:lovelace@{ftp}/"),
        format!("ftp://ada@{ftp}/"),
    ];
    let session = Browser::new().open_all(&addresses).size((100, 24)).start();
    session.wait("diary.txt").await;
    session.press("o");
    session.type_in(&format!("ftp://{ftp}/"));
    session.press("Enter");
    session.wait("welcome.txt").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_never_appear_on_screen() {
    let bookmarks = "<URL:ftp://joe:secret@bad~host/>\n";
    let addresses = [
        "ftp://joe:secret@bad~host/".to_owned(),
        "telnet://joe:secret@h.example/".to_owned(),
    ];
    let session = Browser::new()
        .bookmarks(bookmarks)
        .open_all(&addresses)
        .size((100, 24))
        .start();
    session.wait("is not allowed in a host").await;
    assert!(!session.screen().contains("secret"), "{}", session.screen());
    session.press("Shift-Tab i");
    session.wait("fault").await;
    assert!(!session.screen().contains("secret"), "{}", session.screen());
    session.press("Esc }");
    session.wait("ost not found: h.example").await;
    assert!(!session.screen().contains("secret"), "{}", session.screen());
    session.press("a");
    session.wait("New bookmark").await;
    assert!(!session.screen().contains("secret"), "{}", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn page_left_while_loading_reloads_on_back() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/1/slow/60", demo.addresses.gopher))
        .size((90, 24))
        .start();
    session.wait("Room 2 of").await;
    session.press("j Enter");
    session.wait("This is room 2").await;
    session.press("h");
    session.wait("/60 ").await;
    session.wait("▌ 2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn esc_clears_a_pending_number_before_it_stops_loading() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/1/slow/40", demo.addresses.gopher))
        .size((90, 24))
        .start();
    session.wait("Room 2 of").await;
    session.press("1 2");
    session.wait("link 12").await;
    session.press("Esc");
    session.wait("/40 ").await;
    assert!(
        !session.screen().contains("Stopped"),
        "{}",
        session.screen()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn source_view_keeps_the_scroll_position() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 24);
    session.press("j Enter");
    session.wait("/30 ").await;
    session.press("1 2 i");
    session.wait("scheme  ftp").await;
    session.press("Esc \\");
    session.wait("Source").await;
    session.wait("null.host").await;
    session.press("\\");
    session.wait_until_absent("null.host").await;
    session.wait("▌12").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn find_in_a_long_row_is_fast() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 2];
        stream.read_exact(&mut request).await.unwrap();
        let row = format!("i{}\t\t\t\r\n", "a".repeat(16_000));
        stream.write_all(row.as_bytes()).await.unwrap();
    });
    let session = Browser::new()
        .open(format!("gopher://{address}/"))
        .size((100, 24))
        .start();
    session.wait("? help").await;
    server.await.unwrap();
    session.press("/ a Enter");
    session.wait("1 of 16,000").await;
    // Every key after that draws a frame: this would take over ten seconds if each frame read the whole row.
    for _ in 0..50 {
        session.press("j");
    }
    session.settle().await;
}
