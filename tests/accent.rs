//! One accent for what has the focus, colours of kinds, the scroll bar, and the high-contrast theme.

use geomys_demo::Demo;
use ratatui::style::{Color, Modifier};

use crate::support::screen::{Browser, Session};

const DARK: &str = "background = \"dark\"\n";

/// The accent of the default theme on a dark background.
const ACCENT: Option<Color> = Some(Color::Indexed(75));

async fn listing(demo: &Demo, settings: &str) -> Session {
    let session = Browser::new()
        .demo(demo)
        .settings(settings)
        .open(format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp))
        .size((120, 40))
        .start();
    session.wait("drum.img").await;
    session.settle().await;
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn pane_with_the_focus_has_the_accent_in_title_rule_and_cursor() {
    let demo = Demo::start().await.unwrap();
    let session = listing(&demo, DARK).await;
    assert_eq!(session.style_of("━").fg, ACCENT);
    let cursor = session.cursor().unwrap();
    let grid = session.grid();
    let cell = &grid[usize::from(cursor.1) * 120 + usize::from(cursor.0)];
    assert_eq!(Some(cell.fg), ACCENT);
    assert!(cell.modifier.contains(Modifier::REVERSED));
    // The bookmarks without the focus have none.
    assert_ne!(session.style_of("Bookmarks ").fg, ACCENT);
    session.press("Tab");
    session.wait("e edit").await;
    assert_eq!(session.style_of("Bookmarks ").fg, ACCENT);
}

#[tokio::test(flavor = "multi_thread")]
async fn directories_and_archives_of_a_listing_have_colours_and_files_have_none() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .settings(DARK)
        .open(format!("ftp://{}/pub/;type=d", demo.addresses.ftp))
        .start();
    session.wait("software").await;
    session.settle().await;
    assert_eq!(session.style_of("pictures").fg, ACCENT);
    assert_eq!(session.style_of("INDEX").fg, Some(Color::Reset));
}

#[tokio::test(flavor = "multi_thread")]
async fn scroll_bar_stands_in_the_rule_beside_a_page_that_is_longer_than_its_pane() {
    let demo = Demo::start().await.unwrap();
    let bar = |session: &Session| {
        let screen = session.screen();
        let rows = screen.lines().enumerate();
        let rows: Vec<usize> = rows
            .filter_map(|(row, line)| line.contains('┃').then_some(row))
            .collect();
        rows
    };
    let session = listing(&demo, DARK).await;
    assert_eq!(bar(&session), Vec::<usize>::new());
    session.press("o");
    session.type_in(&format!("gopher://{}/1/types", demo.addresses.gopher));
    session.press("Enter");
    session.wait("One row of each kind").await;
    session.settle().await;
    let top = bar(&session);
    assert!(!top.is_empty());
    session.press("G");
    session.settle().await;
    let bottom = bar(&session);
    assert_eq!(bottom.len(), top.len());
    assert!(bottom.first() > top.first(), "{top:?} {bottom:?}");
    // The page keeps its columns: the bar is in the rule.
    let screen = session.screen();
    let column = |line: &str| line.chars().position(|cell| cell == '│' || cell == '┃');
    let columns: Vec<usize> = screen.lines().skip(1).filter_map(column).collect();
    assert!(columns.iter().all(|at| *at == columns[0]), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn high_contrast_has_its_own_ground_bold_text_and_a_yellow_row() {
    let demo = Demo::start().await.unwrap();
    for (background, ground, ink) in [("dark", 16, 231), ("light", 231, 16)] {
        let settings = format!("theme = \"high-contrast\"\nbackground = \"{background}\"\n");
        let session = listing(&demo, &settings).await;
        for cell in session.grid() {
            assert_ne!(cell.fg, Color::Reset, "{}", cell.symbol());
            assert_ne!(cell.bg, Color::Reset, "{}", cell.symbol());
            assert!(cell.modifier.contains(Modifier::BOLD), "{}", cell.symbol());
        }
        let text = session.style_of("Bookmarks ");
        assert_eq!(text.bg, Some(Color::Indexed(ground)));
        let name = session.style_of("drum.README");
        let is_row = name.bg == Some(Color::Indexed(226));
        assert!(is_row || name.fg == Some(Color::Indexed(ink)), "{name:?}");
        let cursor = session.cursor().unwrap();
        let row = &session.grid()[usize::from(cursor.1) * 120 + usize::from(cursor.0) + 4];
        assert_eq!((row.fg, row.bg), (Color::Indexed(16), Color::Indexed(226)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_ascii_a_directory_is_a_slash_a_mark_a_star_and_gopher_plus_a_plus() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .settings("ascii = true\n")
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("A map of the town").await;
    session.press("v");
    session.wait("1 row is marked").await;
    let screen = session.screen();
    assert!(screen.contains("=*What this place is"), "{screen}");
    let map = screen.lines().find(|line| line.contains("A map")).unwrap();
    assert!(map.contains("/ A map of the town"), "{map}");
    assert!(map.trim_end().ends_with('+'), "{map}");
}
