//! The commands for a session: zoom, AYT, break, the escape key, the log, the question before its end, and keys with
//! modifiers.

use std::fs;
use std::net::SocketAddr;

use geomys_testing::script::{DEADLINE, assert_played};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::session::{hear, open, peer, url};
use crate::support::screen::{Browser, Session};

/// A peer that echoes keys, and plays `dialogue` on its one connection.
async fn echoing<F>(
    dialogue: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> (SocketAddr, JoinHandle<()>)
where
    F: Future<Output = ()> + Send,
{
    peer(|mut stream| async move {
        let offers = b"\xff\xfb\x01\xff\xfb\x03\xff\xfd\x1f";
        stream.write_all(offers).await.unwrap();
        hear(&mut stream, b"\xff\xf0").await;
        stream.write_all(b"ready\r\n").await.unwrap();
        dialogue(stream).await;
    })
    .await
}

/// A session on a screen of this size with a peer that plays `dialogue`.
async fn session_with<F>(
    size: (u16, u16),
    dialogue: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> (Session, JoinHandle<()>)
where
    F: Future<Output = ()> + Send,
{
    let (address, playing) = echoing(dialogue).await;
    (open(&url(address), size), playing)
}

/// A session with a peer that plays `dialogue`, opened on the help page.
async fn session_from_help<F>(
    dialogue: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> (Session, JoinHandle<()>)
where
    F: Future<Output = ()> + Send,
{
    let (address, playing) = echoing(dialogue).await;
    let session = open("geomys:help", (100, 24));
    session.wait("news groups: read, write").await;
    session.press("o");
    session.type_in(&url(address));
    session.press("Enter");
    session.wait("ready").await;
    (session, playing)
}

/// Reads from `stream` until the browser closes it.
async fn until_closed(stream: &mut TcpStream) {
    let mut heard = Vec::new();
    // A reset counts as closed.
    let _ = timeout(DEADLINE, stream.read_to_end(&mut heard))
        .await
        .expect("the browser does not close the connection");
}

#[tokio::test(flavor = "multi_thread")]
async fn zoom_gives_the_session_the_whole_screen() {
    let (session, playing) = session_with((80, 24), |mut stream| async move {
        hear(&mut stream, b"\xff\xfa\x1f\0\x50\0\x18\xff\xf0").await;
        let corners = b"\x1b[2J\x1b[1;1Hfirst\x1b[24;74Hcorner";
        stream.write_all(corners).await.unwrap();
        // The keys are the session's again.
        hear(&mut stream, b"k").await;
        stream.write_all(b"\x1b[2;1Hheard").await.unwrap();
        hear(&mut stream, b"\xff\xfa\x1f\0\x50\0\x16\xff\xf0").await;
    })
    .await;
    session.wait("ready").await;
    session.press("Ctrl-] g z");
    session
        .wait_until("the whole screen", |screen| {
            let lines: Vec<&str> = screen.lines().collect();
            lines[0] == "first" && lines[23].ends_with("corner") && lines[23].len() == 79
        })
        .await;
    session.press("k");
    session.wait("heard").await;
    // While the browser has the keys, its status line covers the last line.
    session.press("Ctrl-]");
    session.wait("Browser keys active").await;
    assert!(
        session.screen().starts_with("first\n"),
        "{}",
        session.screen()
    );
    session.press("g z");
    session.wait("ended the session").await;
    session.wait("telnet://").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_and_the_escape_key_are_sent() {
    let (session, playing) = session_with((80, 24), |mut stream| async move {
        hear(&mut stream, b"\xff\xf6").await;
        stream.write_all(b"[Yes]").await.unwrap();
        hear(&mut stream, b"\xff\xf3").await;
        stream.write_all(b"[Break]").await.unwrap();
        hear(&mut stream, b"\x1d").await;
        stream.write_all(b"[Escape]").await.unwrap();
        hear(&mut stream, b"typed").await;
    })
    .await;
    session.wait("ready").await;
    session.press("Ctrl-] :");
    session.type_in("are-you-there");
    session.press("Enter");
    session.wait("[Yes]").await;
    session.press("Ctrl-] :");
    session.type_in("send-break");
    session.press("Enter");
    session.wait("[Break]").await;
    session.press("Ctrl-] Ctrl-V");
    session.wait("[Escape]").await;
    session.type_in("typed");
    session.wait("ended the session").await;
    session.press(":");
    session.type_in("are-you-there");
    session.press("Enter");
    session.wait("Session ended").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_sent_with_their_modifiers() {
    let (session, playing) = session_with((80, 24), |mut stream| async move {
        let keys = b"\x08\x7f\x1b\x7f\x1b[1;5C\x1b[1;2A\x1b[1;2P\x1b[15;3~\x1bb\x1b[Z\x1b";
        hear(&mut stream, keys).await;
        stream.write_all(b"all of them").await.unwrap();
    })
    .await;
    session.wait("ready").await;
    session.press(
        "Ctrl-H Backspace Alt-Backspace Ctrl-Right Shift-Up Shift-F1 Alt-F5 Alt-b Shift-Tab Esc",
    );
    session.wait("all of them").await;
    assert_played(playing).await;
    // Application mode changes the arrows without modifiers only.
    let (session, playing) = session_with((80, 24), |mut stream| async move {
        stream.write_all(b"\x1b[?1happlication").await.unwrap();
        hear(&mut stream, b"\x1bOA\x1b[1;3A").await;
    })
    .await;
    session.wait("application").await;
    session.press("Up Alt-Up");
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unbound_alt_key_leaves_the_keys_to_the_browser() {
    let (session, playing) = session_with((100, 24), |mut stream| async move {
        let mut heard = Vec::new();
        while !heard.contains(&b'k') {
            let read = timeout(DEADLINE, stream.read_buf(&mut heard)).await;
            assert!(matches!(read, Ok(Ok(1..))), "{heard:?}");
        }
        // Esc was pressed while the browser had the keys.
        assert!(!heard.contains(&0x1B), "{heard:?}");
        stream.write_all(b"heard").await.unwrap();
    })
    .await;
    session.wait("ready").await;
    session.press("Ctrl-]");
    session.wait("Browser keys active").await;
    session.press("Alt-x");
    session.wait("Last tab").await;
    session.press("Esc k");
    session.wait("heard").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn running_session_ends_only_after_a_question() {
    let (session, playing) = session_from_help(|mut stream| async move {
        hear(&mut stream, b"still here").await;
        stream.write_all(b"heard").await.unwrap();
        // The browser closes the connection.
        until_closed(&mut stream).await;
    })
    .await;
    for key in ["q", "h", "r", "Left", "Alt-x"] {
        session.press("Ctrl-]");
        session.wait("Browser keys active").await;
        session.press(key);
        if key == "Alt-x" {
            // The last tab is not closed.
            session.wait("Last tab").await;
            session.press("Esc");
            continue;
        }
        session.wait("End the session with").await;
        session.press("n");
        session.wait_until_absent("End the session with").await;
        // Esc gives the keys back.
        session.press("Esc");
    }
    session.type_in("still here");
    session.wait("heard").await;
    session.press("Ctrl-] q");
    session.wait("End the session with").await;
    session.press("y");
    session.end().await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_is_left_after_the_question() {
    let (session, playing) = session_from_help(|mut stream| async move {
        until_closed(&mut stream).await;
    })
    .await;
    session.press("Ctrl-] h");
    session.wait("End the session with").await;
    session.press("y");
    session.wait("news groups: read, write").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn log_has_the_scrollback_and_the_screen() {
    let (session, playing) = session_with((80, 24), |mut stream| async move {
        let lines: Vec<String> = (0..60)
            .map(|line| format!("line \x1b[1m{line}\x1b[m\r\n"))
            .collect();
        let lines = lines.concat();
        stream.write_all(lines.as_bytes()).await.unwrap();
        stream.write_all("caf\u{e9} > ".as_bytes()).await.unwrap();
        hear(&mut stream, b"x").await;
    })
    .await;
    session.wait("caf\u{e9} >").await;
    session.press("Ctrl-] S");
    session.wait("Save as").await;
    session.press("Ctrl-U");
    let path = session.path().join("night.log");
    session.type_in(path.to_str().unwrap());
    session.press("Enter");
    session.wait("Saved").await;
    let lines: Vec<String> = (0..60).map(|line| format!("line {line}\n")).collect();
    let lines = lines.concat();
    let log = fs::read_to_string(path).unwrap();
    assert_eq!(log, format!("ready\n{lines}caf\u{e9} >\n"));
    session.press("Enter x");
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn terminal_type_is_a_setting() {
    let (address, playing) = echoing(|mut stream| async move {
        let ask = b"\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0";
        stream.write_all(ask).await.unwrap();
        hear(&mut stream, b"\xff\xfa\x18\0ANSI\xff\xf0").await;
    })
    .await;
    let settings = "[telnet]\nterminal = \"ansi\"\n";
    let session = Browser::new().settings(settings).open(url(address)).start();
    session.wait("ended the session").await;
    assert_played(playing).await;
}
