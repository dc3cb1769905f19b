//! The characters of a session: line drawing, and charsets in both directions.

use geomys_testing::script::{assert_played, listen};
use tokio::io::AsyncWriteExt;

use super::session::{hear, open, peer, url};
use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn line_drawing_is_drawn() {
    let drawn =
        "S| \\x1b(0lqqk\\x1b(B\\r\\n\\x1b)0\\x0ex\\x0fab\\x0ex\\x0f\\r\\n\\x1b(0mqqj\\x1b(B x";
    let (address, playing) = listen(&[drawn]).await;
    let session = open(&url(address), (80, 24));
    session.wait("┌──┐").await;
    session.wait("│ab│").await;
    session.wait("└──┘ x").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_is_chosen_for_output_and_keys() {
    let (address, playing) = peer(|mut stream| async move {
        stream
            .write_all(b"\xff\xfb\x01\xff\xfb\x03ready")
            .await
            .unwrap();
        hear(&mut stream, b"k").await;
        stream
            .write_all(b"\r\n\xc9\xcd\xbb \x82t\x82\r\n")
            .await
            .unwrap();
        hear(&mut stream, b"\x87a\x82?").await;
    })
    .await;
    let session = open(&url(address), (80, 24));
    session.wait("ready").await;
    session.press("Ctrl-] e");
    session.wait("Charset of sessions").await;
    session.press("p");
    session.wait("Read as cp437").await;
    session.press("Enter k");
    session.wait("╔═╗ été").await;
    session.type_in("\u{e7}");
    session.paste("a\u{e9}\u{4e2d}");
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_of_the_settings_is_used_without_a_question() {
    let (address, playing) = peer(|mut stream| async move {
        stream
            .write_all(b"\xd0\xd2\xc9\xd7\xc5\xd4> ")
            .await
            .unwrap();
        // The line is edited and echoed here.
        hear(&mut stream, b"\xc4\xc1\r\n").await;
    })
    .await;
    let session = Browser::new()
        .settings("charset = \"koi8-r\"\n")
        .open(url(address))
        .start();
    session.wait("привет>").await;
    session.type_in("дно");
    session.wait("привет> дно").await;
    session.press("Backspace Backspace");
    session.type_in("а");
    session.press("Enter");
    session.wait("привет> да").await;
    session.wait("ended the session").await;
    assert_played(playing).await;
}
