//! Marked lines and dragged text are copied as text: wrapped rows are joined, and numbers of links left out.

use std::fs;

use crossterm::event::{MouseButton, MouseEventKind};

use crate::support::screen::{Browser, Session};

/// A session with a text file of these lines.
async fn text(lines: &str, size: (u16, u16)) -> (Session, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("notes.txt");
    fs::write(&path, lines).unwrap();
    let session = Browser::new()
        .open(format!("file://{}", path.display()))
        .size(size)
        .start();
    session.wait("The first line").await;
    (session, directory)
}

fn copied(session: &Session) -> Vec<String> {
    session.copied.lock().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_marked_and_copied_by_keys() {
    let long = "word ".repeat(40);
    let lines = format!("The first line http://a.example/ ends\n{long}\nThird\nFourth\n");
    let (session, _directory) = text(&lines, (80, 24)).await;
    session.press("v");
    session.wait("Lines marked: 1").await;
    session.press("j j k");
    session.press("y");
    session.wait("Copied 2 lines").await;
    let expected = format!(
        "The first line http://a.example/ ends\n{}\n",
        long.trim_end()
    );
    assert_eq!(copied(&session), [expected]);
    assert!(session.screen().contains("The first line"));
    // Nothing is marked any more: y copies the URL of the link again.
    session.press("J y");
    session.wait("Copied http://a.example/").await;
    session.press("v");
    session.wait("Lines marked: 1").await;
    session.press("G Esc y");
    session.wait("Copied http://a.example/").await;
    assert_eq!(copied(&session).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn dragged_text_is_marked_and_copied_at_the_release() {
    let (session, _directory) = text("The first line\nThe second line\nThird\n", (80, 24)).await;
    let from = session.position_of("first");
    let to = session.position_of("second");
    let left = MouseButton::Left;
    session.mouse(MouseEventKind::Down(left), from);
    session.mouse(MouseEventKind::Drag(left), (to.0 + 2, to.1));
    session.mouse(MouseEventKind::Drag(left), (to.0 + 5, to.1));
    session.mouse(MouseEventKind::Up(left), (to.0 + 5, to.1));
    session
        .wait("Shift-drag leaves the mouse to the terminal")
        .await;
    assert_eq!(copied(&session), ["first line\nThe second"]);
    // Backwards within a line; said only once.
    session.mouse(MouseEventKind::Down(left), (to.0 + 5, to.1));
    session.mouse(MouseEventKind::Drag(left), to);
    session.mouse(MouseEventKind::Up(left), to);
    session.wait("Copied 6 characters").await;
    assert_eq!(copied(&session)[1], "second");
    // The key copies a URL, as nothing is marked by keys.
    session.press("y");
    session.wait("No link").await;
    // A click copies nothing.
    session.mouse(MouseEventKind::Down(left), from);
    session.mouse(MouseEventKind::Up(left), from);
    session.settle().await;
    assert_eq!(copied(&session).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_of_a_large_text_is_cut_and_says_so() {
    let lines = format!("The first line\n{}", "0123456789abcde\n".repeat(80_000));
    let (session, _directory) = text(&lines, (80, 24)).await;
    session.press("G");
    session.wait("Bot ").await;
    session.press("g g v G y");
    session.wait("cut at 1 MiB").await;
    assert_eq!(copied(&session)[0].len(), 1024 * 1024);
}
