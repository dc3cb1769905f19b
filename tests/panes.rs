//! The bookmarks, panes and tabs on screens of several sizes, by keyboard and mouse.

use std::fmt::Write as _;

use crossterm::event::{MouseButton, MouseEventKind};
use geomys_demo::Demo;
use ratatui::style::Modifier;

use crate::support::screen::{Browser, Session};

const MENU: &str = "U N D E R L O A M";

/// A session on the demo's first menu, with its bookmarks.
async fn menu(demo: &Demo, size: (u16, u16)) -> Session {
    let session = Session::demo(demo, size.0, size.1);
    session.press("j Enter");
    session.wait(MENU).await;
    session.settle().await;
    session
}

/// A session on an address, with the demo's bookmarks.
fn at(demo: &Demo, addresses: &[String], size: (u16, u16)) -> Session {
    Browser::new()
        .bookmarks(demo.bookmarks())
        .open_all(addresses)
        .size(size)
        .start()
}

/// The number of the first column of the rule beside the bookmarks.
fn rule(session: &Session) -> Option<usize> {
    let screen = session.screen();
    let line = screen.lines().nth(4).unwrap_or_default();
    line.chars().position(|letter| "│┃".contains(letter))
}

#[tokio::test(flavor = "multi_thread")]
async fn drawer_opens_over_the_page_and_closes_with_esc_and_enter() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (80, 24)).await;
    assert_eq!(rule(&session), None);
    insta::assert_snapshot!("page-80x24", session.screen());
    session.press("B");
    session.wait("Bookmarks ━").await;
    assert_eq!(rule(&session), Some(40));
    insta::assert_snapshot!("drawer-80x24", session.screen());
    session.press("Esc");
    session.wait_until_absent("Bookmarks ━").await;
    session.press("B Enter");
    session.wait_until_absent("Bookmarks ━").await;
    session.wait(MENU).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn opened_bookmark_closes_the_filter() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (120, 40)).await;
    session.press("Tab /");
    session.type_in("phlog");
    session.wait("/phlog").await;
    session.press("Enter");
    session.wait("Newest first").await;
    session.wait("Bookmarks ─").await;
    assert!(!session.screen().contains("/phlog ─"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmarks_stand_beside_the_page_from_106_columns_on() {
    let demo = Demo::start().await.unwrap();
    for (size, beside) in [
        ((105, 30), None),
        ((106, 30), Some(25)),
        ((120, 40), Some(39)),
        ((200, 50), Some(40)),
    ] {
        let session = menu(&demo, size).await;
        assert_eq!(rule(&session), beside, "{size:?}");
        insta::assert_snapshot!(format!("menu-{}x{}", size.0, size.1), session.screen());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn row_of_72_columns_is_never_cut_at_80_columns_or_more() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let end = "<- column 72";
    let mut rows = String::new();
    for row in 0..120 {
        let _ = write!(rows, "0{row:.<60}{end}\t/{row}\tunderloam.example\t70\r\n");
    }
    let path = directory.path().join("gophermap");
    std::fs::write(&path, rows).unwrap();
    let address = format!("file://{}", path.display());
    for width in [80, 105, 106, 130] {
        let session = at(&demo, std::slice::from_ref(&address), (width, 24));
        session.wait(end).await;
        session.settle().await;
        let screen = session.screen();
        let rows = screen.lines().filter(|line| line.contains(end));
        assert_eq!(rows.count(), if width < 106 { 22 } else { 21 }, "{screen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn narrow_screens_show_one_part_at_a_time() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (40, 10)).await;
    // There is no room for the hint to stop a load.
    session.wait("f pick").await;
    insta::assert_snapshot!("menu-40x10", session.screen());
    session.press("B");
    session.wait("Bookmarks ━").await;
    session.press("Esc 3 s");
    session.wait("Newest first").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn split_without_room_opens_a_tab_and_says_so() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (80, 24)).await;
    session.press("3 s");
    session.wait("No room for two panes: opened in a tab").await;
    session.wait("Newest first").await;
    session.wait(" 2 ").await;
    assert_eq!(rule(&session), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn second_pane_stands_beside_below_or_in_a_tab_by_the_room_of_both() {
    let demo = Demo::start().await.unwrap();
    for (size, is_beside, is_below) in [
        ((149, 24), true, false),
        ((148, 24), false, false),
        ((148, 27), false, false),
        ((148, 28), false, true),
        ((80, 28), false, true),
        ((149, 40), true, false),
    ] {
        let session = menu(&demo, size).await;
        session.press("3 s");
        session.wait("Newest first").await;
        session.settle().await;
        let screen = session.screen();
        let shows_both = screen.contains(MENU) && screen.contains("Newest first");
        assert_eq!(shows_both, is_beside || is_below, "{size:?}\n{screen}");
        let titles = screen.lines().nth(1).unwrap_or_default();
        let is_one_line = titles.contains("market square") && titles.contains("phlog");
        assert_eq!(is_one_line, is_beside, "{size:?}\n{screen}");
        let has_tabs = screen.starts_with(" 1 ");
        assert_eq!(has_tabs, !shows_both, "{size:?}\n{screen}");
        if is_beside {
            // The bookmarks have folded away.
            assert_eq!(rule(&session), Some(74), "{screen}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_one_of_two_panes_is_replaced_and_has_its_way_back() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (160, 40)).await;
    session.press("3 s");
    session.wait("Newest first").await;
    session.settle().await;
    let before = rule_between(&session);
    session.press("Shift-Tab 1 s");
    session.wait_until_absent("Newest first").await;
    session.settle().await;
    assert_eq!(rule_between(&session), before);
    assert!(session.screen().contains(MENU));
    session.press("h");
    session.wait("Newest first").await;
    session.settle().await;
    let screen = session.screen();
    assert!(
        screen.contains(MENU) && !screen.starts_with(" 1 "),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn page_is_not_scrolled_off_after_the_screen_has_grown() {
    let directory = tempfile::tempdir().unwrap();
    let lines: String = (1..=30).fold(String::new(), |mut lines, line| {
        let _ = writeln!(lines, "line {line:02}");
        lines
    });
    let text = directory.path().join("text.txt");
    std::fs::write(&text, &lines).unwrap();
    let menu = directory.path().join("gophermap");
    let rows = lines
        .lines()
        .map(|line| format!("0{line}\t/{line}\th\t70\r\n"));
    std::fs::write(&menu, rows.collect::<String>()).unwrap();
    for path in [text, menu] {
        let address = format!("file://{}", path.display());
        let session = Browser::new().open(address).size((80, 24)).start();
        session.wait("line 22").await;
        session.press("G");
        session.wait("line 30").await;
        session.resize(20, 5);
        session.wait_until_absent("line 25").await;
        session.press("G");
        session.wait("line 30").await;
        session.resize(80, 24);
        session.wait("line 09").await;
        session.settle().await;
        let screen = session.screen();
        assert!(
            screen.contains("line 30") && !screen.contains("line 08"),
            "{screen}"
        );
        // In another tab meanwhile.
        session.press("g g G Ctrl-T");
        session.wait(" 2 ").await;
        session.resize(20, 7);
        session.press("Alt-1 G");
        session.wait("line 30").await;
        session.press("Alt-2");
        session.resize(80, 24);
        session.press("Alt-1");
        session.wait("line 10").await;
        session.settle().await;
        assert!(session.screen().contains("line 30"), "{}", session.screen());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cursor_row_of_the_page_is_grey_while_an_element_is_above_it() {
    let demo = Demo::start().await.unwrap();
    for size in [(80, 24), (120, 40)] {
        let session = menu(&demo, size).await;
        session.press("j");
        session.settle().await;
        let screen = session.screen();
        let row = usize::from(session.position_of("A map of the town").1);
        let is_reversed = || {
            let cells = session.grid();
            let start = row * usize::from(size.0);
            let cells = &cells[start..start + usize::from(size.0)];
            cells
                .iter()
                .any(|cell| cell.modifier.contains(Modifier::REVERSED))
        };
        assert!(is_reversed(), "{screen}");
        let is_covered = |screen: &str| !screen.contains("A map of the town");
        for keys in ["o", ":", "/"] {
            session.press(keys);
            let is_grey = |now: &str| now != screen && (is_covered(now) || !is_reversed());
            session.wait_until("a grey row", is_grey).await;
            session.press("Esc");
            let is_back = |now: &str| !is_covered(now) && is_reversed();
            session.wait_until("the row of the cursor", is_back).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn panes_have_titles_and_are_resized_and_stacked() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (160, 40)).await;
    session.press("3 s");
    session.wait("Newest first").await;
    session.settle().await;
    insta::assert_snapshot!("panes-160x40", session.screen());
    let before = rule_between(&session);
    session.press("+");
    session.settle().await;
    assert_eq!(rule_between(&session), before - 4);
    session.press("- -");
    session.settle().await;
    assert_eq!(rule_between(&session), before + 4);
    session.press("_");
    session.settle().await;
    insta::assert_snapshot!("stacked-160x40", session.screen());
    session.press("Shift-Tab");
    session.settle().await;
    let screen = session.screen();
    let focused = screen.lines().find(|line| line.contains('━')).unwrap();
    assert!(focused.contains("Underloam"), "{screen}");
}

/// The column of the last rule.
fn rule_between(session: &Session) -> usize {
    let screen = session.screen();
    let line: Vec<char> = screen.lines().nth(1).unwrap().chars().collect();
    line.iter()
        .rposition(|&letter| "│┃".contains(letter))
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn cursor_of_the_terminal_stands_on_the_focused_row() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (80, 24)).await;
    let before = session.cursor().unwrap();
    assert!(
        session
            .screen()
            .lines()
            .nth(before.1.into())
            .unwrap()
            .starts_with('▌')
    );
    session.press("j");
    session.settle().await;
    assert_eq!(session.cursor(), Some((before.0, before.1 + 1)));
    session.press("B");
    session.wait("Bookmarks ━").await;
    let (x, y) = session.cursor().unwrap();
    assert_eq!(x, 0);
    assert!(
        session
            .screen()
            .lines()
            .nth(y.into())
            .unwrap()
            .starts_with('▌')
    );
    session.press("Esc o");
    session.type_in("ab");
    session.wait("Open").await;
    session.wait_in_prompt("ab").await;
    let (x, y) = session.cursor().unwrap();
    let line = session.screen().lines().nth(y.into()).unwrap().to_owned();
    assert_eq!(
        line.chars().take(x.into()).collect::<String>().trim_end(),
        line.trim_end_matches(['│', '┃', ' '])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn first_page_that_is_a_form_can_be_left() {
    let demo = Demo::start().await.unwrap();
    let address = format!("gopher://{}/2", demo.addresses.phone);
    for key in ["Esc", "Ctrl-C", "Ctrl-W", "Shift-Tab q", "Shift-Tab Enter"] {
        let session = at(&demo, std::slice::from_ref(&address), (80, 24));
        session.wait("[ Leave ]").await;
        session.press(key);
        session.wait_until_absent("[ Leave ]").await;
        session.wait("Geomys").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_in_a_tab_of_its_own_closes_the_tab() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (80, 24)).await;
    session.press("g g o");
    session.type_in(&format!("gopher://{}/1/post", demo.addresses.gopher));
    session.press("Enter");
    session.wait("The parcel window").await;
    session.press("2 t");
    session.wait("[ Leave ]").await;
    session.press("Esc");
    session.wait("The parcel window").await;
    assert!(!session.screen().contains("[ Leave ]"));
}

#[tokio::test(flavor = "multi_thread")]
async fn click_follows_links_switches_tabs_and_focuses_panes() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (120, 40)).await;
    session.press("3 s");
    session.wait("Newest first").await;
    // The link of the pane without the focus.
    session.click("What this place is");
    session.wait("four hundred and six").await;
    session.press("h");
    session.wait(MENU).await;
    session.press("7 t");
    session.wait("Bursarius").await;
    session.click(" 1 ");
    session.wait(MENU).await;
    assert!(!session.screen().contains("Bursarius"));
}

#[tokio::test(flavor = "multi_thread")]
async fn wheel_scrolls_the_pane_under_the_pointer_and_keeps_the_focus() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (120, 12)).await;
    let at = session.position_of("town below a meadow");
    session.press("Tab");
    session.wait("Bookmarks ━").await;
    session.mouse(MouseEventKind::ScrollDown, at);
    session.wait_until_absent("town below a meadow").await;
    assert!(session.screen().contains("Bookmarks ━"));
    session.mouse(MouseEventKind::ScrollUp, at);
    session.wait("town below a meadow").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drag_moves_the_rule_between_panes() {
    let demo = Demo::start().await.unwrap();
    let session = menu(&demo, (120, 40)).await;
    session.press("3 s");
    session.wait("Newest first").await;
    session.settle().await;
    let column = u16::try_from(rule_between(&session)).unwrap();
    session.mouse(MouseEventKind::Down(MouseButton::Left), (column, 10));
    session.mouse(MouseEventKind::Drag(MouseButton::Left), (column + 5, 10));
    session.mouse(MouseEventKind::Up(MouseButton::Left), (column + 5, 10));
    session.settle().await;
    assert_eq!(rule_between(&session), usize::from(column + 5));
    // No pane becomes narrower than 40 columns.
    session.mouse(MouseEventKind::Down(MouseButton::Left), (column + 5, 10));
    session.mouse(MouseEventKind::Drag(MouseButton::Left), (118, 10));
    session.mouse(MouseEventKind::Up(MouseButton::Left), (118, 10));
    session.settle().await;
    assert_eq!(rule_between(&session), 79);
}

#[tokio::test(flavor = "multi_thread")]
async fn article_opens_beside_its_group_and_follows_the_cursor() {
    let demo = Demo::start().await.unwrap();
    let address = format!("nntp://{}/geomys.demo.announce", demo.addresses.news);
    let session = at(&demo, &[address], (120, 40));
    session.wait("unread").await;
    session.press("g g Enter");
    // Its pane has not the focus, so no hint says that the article loads: it is whole once it is read.
    let first = session
        .screen_when("whole article", |screen| {
            screen.contains("Message-ID:  ") && screen.contains("9 of 10 unread")
        })
        .await;
    // The group has 45 columns, the article 74.
    assert_eq!(rule_between(&session), 45);
    insta::assert_snapshot!("article-beside-group", without_cut_port(&first));
    session.press("j");
    session
        .wait_until("another article", |screen| {
            screen.contains("Message-ID:  ") && screen.contains("8 of 10 unread")
        })
        .await;
    // Enter on the article that is open gives its pane the focus.
    session.press("Enter");
    session.settle().await;
    session.press("x");
    session.wait_until_absent("Message-ID").await;
}

/// A screen without the digits of a port that a wrapped URL has on two lines.
fn without_cut_port(screen: &str) -> String {
    let mut lines: Vec<String> = screen.lines().map(str::to_owned).collect();
    let start = "gopher://127.0.0.1:";
    let cut = lines
        .iter()
        .position(|line| line.contains(&format!("example/{start}")));
    if let Some(at) = cut {
        let end = lines[at].find(start).unwrap() + start.len();
        lines[at].truncate(end);
        let rest = lines[at + 1].trim_end_matches('/');
        let kept = rest.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        lines[at + 1].truncate(kept);
    }
    lines.join("\n")
}
