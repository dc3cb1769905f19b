//! Rows without room: the whole text stands in the details and, on a wide screen, in the status line. A row looks the
//! same with the cursor on it.

use geomys_testing::script::listen;

use crate::support::screen::{Browser, Session};

const LONG: &str = "A row about the weather above the town that is much longer than the screen of a terminal is wide, and ends so";

/// A menu with a long row between two short ones, and one without a link.
async fn menu(size: (u16, u16)) -> Session {
    let script = format!(
        "C: 
        S: 0First\t/1\th.example\t70
        S: 0{LONG}\t/2\th.example\t70
        S: 0Third\t/3\th.example\t70
        S: i{LONG}, without a link\t\tnull.host\t1
        S: ."
    );
    let (address, _playing) = listen(&[&script]).await;
    let session = Browser::new()
        .open(format!("gopher://{address}/"))
        .size(size)
        .start();
    session.wait("Third").await;
    session
}

/// The row of the long link, without the mark of the cursor.
fn long_row(session: &Session) -> String {
    let screen = session.screen();
    let row = screen.lines().find(|line| line.contains("A row about"));
    row.unwrap().replace('▌', " ")
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_row_keeps_its_look_under_the_cursor_and_is_whole_in_its_details() {
    let session = menu((80, 24)).await;
    let before = long_row(&session);
    assert!(before.trim_end().ends_with('…'), "{before}");
    session.press("j");
    session.wait("▌ 2").await;
    assert_eq!(long_row(&session), before);
    session.press("i");
    session.wait("title").await;
    let details = session.dialog();
    let first: Vec<&str> = details.lines().skip(1).take(2).map(str::trim).collect();
    let words = first.join(" ");
    assert!(words.starts_with("title"), "{details}");
    assert!(words.contains(LONG), "{details}");
    session.press("Esc G i");
    session.wait("row").await;
    let details = session.dialog();
    let words: Vec<&str> = details.split_whitespace().collect();
    assert!(
        words
            .join(" ")
            .contains(&format!("row {LONG}, without a link")),
        "{details}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whole_text_of_a_cut_row_stands_left_of_the_hints_where_it_fits() {
    let in_status = |session: &Session| {
        let screen = session.screen();
        screen.lines().last().unwrap().to_owned()
    };
    // The bookmarks take a third of the screen.
    let session = menu((150, 24)).await;
    session.press("B");
    session.wait("Bookmarks ").await;
    session.press("Tab j");
    session
        .wait_until("the long row", |screen| screen.contains("▌ 2"))
        .await;
    let status = in_status(&session);
    if long_row(&session).contains('…') {
        assert!(status.contains(LONG), "{status}");
    }
    assert!(status.contains("? help"), "{status}");
    let narrow = menu((80, 24)).await;
    narrow.press("j");
    narrow.wait("▌ 2").await;
    let status = in_status(&narrow);
    assert!(!status.contains("A row about"), "{status}");
}
