//! The characters of a session: line drawing, and charsets in both directions.

use geomys_testing::script::{assert_played, listen};
use geomys_wire::text::Charset;
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

#[tokio::test(flavor = "multi_thread")]
async fn charset_of_a_host_is_detected_for_output_and_keys() {
    let (address, playing) = peer(|mut stream| async move {
        // It echoes, and reads single keys.
        stream.write_all(b"\xff\xfb\x01\xff\xfb\x03").await.unwrap();
        let banner = "Добро пожаловать на наш сервер! Введите имя: ";
        let koi8 = Charset::named("koi8-r").unwrap().encode(banner);
        let (first, rest) = koi8.split_at(3);
        stream.write_all(first).await.unwrap();
        stream.write_all(rest).await.unwrap();
        hear(&mut stream, b"\xc4\xc1").await;
    })
    .await;
    let session = open(&url(address), (80, 24));
    session
        .wait("Добро пожаловать на наш сервер! Введите имя:")
        .await;
    session.wait("Read as KOI8").await;
    session.type_in("да");
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn octet_that_is_no_utf8_is_shown() {
    let (address, playing) = listen(&["S| caf\\xe9 ouvert"]).await;
    let session = open(&url(address), (80, 24));
    session.wait("café ouvert").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bulletin_board_is_drawn_on_the_screen_of_a_pc() {
    let (address, playing) = peer(|mut stream| async move {
        stream.write_all(b"\xff\xfd\x1f").await.unwrap();
        hear(&mut stream, b"\xff\xfb\x1f").await;
        let rule = [b"\xc9".as_slice(), &[0xcd; 20], b"\xbb\r\n"].concat();
        stream.write_all(&rule).await.unwrap();
        stream
            .write_all(b"\xba The board \xba\x1b[25;1Hthe last line")
            .await
            .unwrap();
        hear(&mut stream, b"\xff\xfa\x1f\x00\x50\x00\x19\xff\xf0").await;
        stream.write_all(b" of 25").await.unwrap();
        // The zoom key fills the screen.
        hear(&mut stream, b"\xff\xfa\x1f\x00\x64\x00\x1e\xff\xf0").await;
    })
    .await;
    let session = open(&url(address), (100, 30));
    session.wait("the last line of 25").await;
    session.wait("║ The board ║").await;
    session.press("Ctrl-] g z");
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_screen_that_is_higher_than_its_pane_are_reached() {
    let (address, playing) = peer(|mut stream| async move {
        stream
            .write_all(b"\xff\xfb\x01\xff\xfb\x03\xff\xfd\x1f")
            .await
            .unwrap();
        let frame = "╔═══════════╗\r\n║ The board ║\r\n╚═══════════╝";
        stream
            .write_all(&Charset::CP437.encode(frame))
            .await
            .unwrap();
        hear(&mut stream, b"\xff\xfa\x1f\x00\x50\x00\x19\xff\xf0").await;
        stream.write_all(b"\x1b[25;1Hthe last line").await.unwrap();
        hear(&mut stream, b"k").await;
        stream.write_all(b"\x1b[5;1Hfifth").await.unwrap();
        hear(&mut stream, b"q").await;
    })
    .await;
    let session = open(&url(address), (80, 24));
    session.wait("the last line").await;
    session.wait_until_absent("The board").await;
    session.press("Ctrl-] g g");
    session.wait("The board").await;
    session.wait_until_absent("the last line").await;
    session.press("G");
    session.wait("the last line").await;
    session.press("Enter k");
    session.wait("fifth").await;
    session.wait("The board").await;
    session.press("Ctrl-] G");
    session.wait("the last line").await;
    session.press("Enter q");
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_that_was_a_mistake_is_changed_again() {
    let (address, playing) = peer(|mut stream| async move {
        stream.write_all(b"\xff\xfb\x01\xff\xfb\x03").await.unwrap();
        let koi8 = Charset::named("koi8-r").unwrap();
        stream.write_all(&koi8.encode("привет> ")).await.unwrap();
        hear(&mut stream, b"q").await;
    })
    .await;
    let session = open(&url(address), (80, 24));
    session.wait("привет>").await;
    session.press("Ctrl-] e");
    session.wait("Charset of sessions").await;
    session.press("p");
    session.wait("Read as cp437").await;
    session.wait_until_absent("привет").await;
    session.press("e");
    session.wait("Charset of sessions").await;
    session.press("a");
    session.wait("привет>").await;
    session.press("Enter q");
    session.wait("ended the session").await;
    assert_played(playing).await;
}
