//! The sorted list of bookmarks in the browser: a view that changes no file.

use crate::support::screen::{Browser, Session};

/// The titles of the list, from the top.
fn titles(session: &Session) -> Vec<String> {
    let screen = session.screen();
    // The last line is a message.
    let rows = screen.lines().take(20);
    let words = rows.filter_map(|line| {
        let at = line.find("Item ")?;
        line[at..].split(' ').nth(1).map(str::to_owned)
    });
    words.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_sorted_by_a_key_and_the_file_stays() {
    let file =
        "Item B <URL:gopher://b/>\n# F\nItem C <URL:gopher://c/>\n## G\nItem A <URL:gopher://a/>\n";
    let added = "{\"url\":\"gopher://c/\",\"added\":\"2026-11-02T08:00:00Z\"}\n\
        {\"url\":\"gopher://b/\",\"added\":\"2026-11-01T08:00:00Z\"}\n";
    let visits = "{\"time\":\"2026-11-22T21:03:00Z\",\"url\":\"gopher://a/\"}\n\
        {\"time\":\"2026-11-20T21:03:00Z\",\"url\":\"gopher://b/\"}\n";
    let session = Browser::new()
        .bookmarks(file)
        .file("added.jsonl", added)
        .file("history.jsonl", visits)
        .start();
    // The recent visits on the home page.
    session.wait("gopher://b/").await;
    session.press("B");
    session.wait("▾ G").await;
    assert_eq!(titles(&session), ["B", "C", "A"]);
    session.press(",");
    session.wait("Sort the bookmarks?").await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("sort-bookmarks", session.dialog());
    });
    session.press("a");
    session.wait("last added").await;
    assert_eq!(titles(&session), ["C", "B", "A"]);
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("bookmarks-last-added", session.page());
    });
    session.press("i");
    session.wait("2026-11-02").await;
    session.press("Esc J");
    session.wait("A sorted list cannot be rearranged").await;
    session.press(", v");
    session.wait("last visited").await;
    assert_eq!(titles(&session), ["A", "B", "C"]);
    session.press("i");
    session.wait("2026-11-22").await;
    // The matches of a filter have the same order.
    session.press("Esc / g o p h e r Tab");
    session.wait("/gopher").await;
    assert_eq!(titles(&session), ["A", "B", "C"]);
    session.press("Esc");
    session.wait("last visited").await;
    // A removed bookmark leaves the list; an undo brings it back.
    session.press("X");
    session.wait("“Item A” removed").await;
    session.wait("1/2 50%").await;
    session.press("z");
    session.wait("Undone: “Item A” removed").await;
    session
        .wait_until("three rows", |_| titles(&session).len() == 3)
        .await;
    session.press(", h");
    session.wait("Bookmarks by host").await;
    assert_eq!(titles(&session), ["A", "B", "C"]);
    session.press(", f");
    session.wait("▾ G").await;
    assert_eq!(titles(&session), ["B", "C", "A"]);
    assert_eq!(session.bookmarks(), file);
    session.press("q");
    session.end().await;
}
