//! Sessions in a pane: the real loop, and a peer that plays a transcript.

use std::net::{Ipv4Addr, SocketAddr};

use geomys_demo::Demo;
use geomys_testing::script::{DEADLINE, assert_played, listen};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::support::screen::{Browser, Session};

pub(super) fn open(address: &str, size: (u16, u16)) -> Session {
    Browser::new().open(address).size(size).start()
}

pub(super) fn url(address: SocketAddr) -> String {
    format!("telnet://{address}/")
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_go_to_the_session_until_the_escape_key() {
    let (address, playing) =
        listen(&["S| Name? \nC: ada\nS| Hello, \\x1b[1mada\\x1b[m!\\r\\n> \nC: q\nS| Bye.\\r\\n"])
            .await;
    let session = open(&url(address), (80, 24));
    session.wait("Name?").await;
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("asked", screen(&session, address));
    });
    // `q` does not quit, and `?` does not open the help.
    session.press("a d x Backspace a Enter");
    session.wait("Hello, ada!").await;
    session.press("Ctrl-]");
    session.wait("Browser keys active").await;
    // Another page does not end it.
    session.press("o");
    session.type_in("geomys:help");
    session.press("Enter");
    session.wait("news groups: read, write").await;
    session.press("Ctrl-W Enter");
    session.wait("Hello, ada!").await;
    session.press("q Enter");
    session.wait("ended the session").await;
    session.wait("Bye.").await;
    assert_played(playing).await;
}

/// A peer that plays `dialogue` on its one connection.
pub(super) async fn peer<F>(
    dialogue: impl FnOnce(TcpStream) -> F + Send + 'static,
) -> (SocketAddr, JoinHandle<()>)
where
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let playing = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        dialogue(stream).await;
    });
    (address, playing)
}

/// Reads from `stream` until it has received these octets, and nothing that follows them.
pub(super) async fn hear(stream: &mut TcpStream, expected: &[u8]) {
    let mut heard = Vec::new();
    while !heard.ends_with(expected) {
        let read = timeout(DEADLINE, stream.read_u8()).await;
        let Ok(Ok(octet)) = read else {
            panic!("waited for {expected:?}, heard {heard:?}");
        };
        heard.push(octet);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn window_size_is_sent_at_start_and_on_resize() {
    let (address, playing) = peer(|mut stream| async move {
        stream
            .write_all(b"\xff\xfb\x01\xff\xfb\x03\xff\xfd\x1f")
            .await
            .unwrap();
        // Sixty columns; twenty lines, less two.
        hear(&mut stream, b"\xff\xfa\x1f\0\x3c\0\x12\xff\xf0").await;
        stream
            .write_all(b"\x1b[2J\x1b[3;5Hready\x1b[6n\x1b[c")
            .await
            .unwrap();
        hear(&mut stream, b"\x1b[3;10R\x1b[?1;2c").await;
        hear(&mut stream, b"\xff\xfa\x1f\0\x64\0\x1c\xff\xf0").await;
        // Keys are sent one by one, without local echo.
        stream
            .write_all(b"\x1b[?1h\x1b[2J\x1b[Hwider")
            .await
            .unwrap();
        hear(&mut stream, b"x\r\0\x1bOA\x03").await;
    })
    .await;
    let session = open(&url(address), (60, 20));
    session.wait("ready").await;
    session.resize(100, 30);
    session.wait("wider").await;
    session.press("x Enter Up Ctrl-C");
    session.wait("ended the session").await;
    assert!(!session.screen().contains("widerx"));
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn echoing_peer_gets_every_key_without_sga() {
    let (address, playing) = peer(|mut stream| async move {
        stream
            .write_all(b"\xff\xfb\x01\xff\xfc\x03$ ")
            .await
            .unwrap();
        hear(&mut stream, b"\xff\xfd\x01").await;
        stream.write_all(b"ready ").await.unwrap();
        for key in [b"q".as_slice(), b"\t", b"\x1b", "é".as_bytes(), b"\x03"] {
            hear(&mut stream, key).await;
            stream.write_all(b"+").await.unwrap();
        }
    })
    .await;
    let session = open(&url(address), (80, 24));
    session.wait("ready").await;
    for (key, echo) in [
        ("q", "ready +"),
        ("Tab", "ready ++"),
        ("Esc", "ready +++"),
        ("é", "ready ++++"),
        ("Ctrl-C", "ready +++++"),
    ] {
        session.press(key);
        session.wait(echo).await;
    }
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn urgent_command_is_no_text() {
    let (address, playing) = peer(|mut stream| async move {
        stream.write_all(b"ready ").await.unwrap();
        hear(&mut stream, b"x\r\n").await;
        // IAC as urgent data and DM after it, as BSD and inetutils send it after Ctrl-C.
        rustix::net::send(&stream, b"\xff", rustix::net::SendFlags::OOB).unwrap();
        stream.write_all(b"\xf2interrupted").await.unwrap();
    })
    .await;
    // In UTF-8 a single DM would not be visible.
    let session = Browser::new()
        .settings("charset = \"latin1\"\n")
        .open(url(address))
        .start();
    session.wait("ready").await;
    session.press("x Enter");
    session.wait("interrupted").await;
    assert!(
        session.screen().contains("\ninterrupted"),
        "{}",
        session.screen()
    );
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scrollback_is_shown() {
    let lines: Vec<String> = (0..100).map(|line| format!("line {line}")).collect();
    let lines = lines.join("\\r\\n") + "\\r\\n";
    let (address, playing) = listen(&[&format!("S| {lines}\nC: ok")]).await;
    let session = open(&url(address), (80, 24));
    session.wait("line 99").await;
    session.press("Ctrl-] g g");
    session.wait("line 0\n").await;
    session.press("Space");
    session.wait("line 25").await;
    // The cursor is shown where text is typed.
    session.press("Enter o k Enter");
    session.wait("line 99").await;
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_output_stays_in_its_pane() {
    let rude = "S| \\x1b]0;title\\x07\\x1b]52;c;aGVsbG8=\\x07\\x1b[8;99;99t\\x07\\x1b[999;999Hfar\\x1b[H\\x1b[?1049h\\xe2\\x80\\xaebidi";
    let (address, playing) = listen(&[rude]).await;
    let session = open(&url(address), (80, 24));
    session.wait("bidi").await;
    assert_played(playing).await;
    assert!(session.copied.lock().unwrap().is_empty());
    let screen = session.screen();
    assert!(
        !screen.contains('\u{202e}') && !screen.contains('\u{1b}'),
        "{screen}"
    );
    assert!(
        screen.lines().next().unwrap().contains("telnet://"),
        "{screen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn huge_repeats_and_harmful_characters_are_limited() {
    let flood = "a\\x1b[65535b".repeat(20_000);
    let picture = "\\x1b[22;58H\\xe2\\x9d\\xa4\\xef\\xb8\\x8f\\x1b[21;58Hx\\x1b[2J\\x1b[Hover";
    let (address, playing) = listen(&[&format!("S| {flood}{picture}")]).await;
    let session = open(&url(address), (80, 24));
    session.wait("over").await;
    session.wait("ended the session").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn long_paste_completes_while_echoed() {
    const LENGTH: usize = 1024 * 1024;
    let (address, playing) = peer(|mut stream| async move {
        stream
            .write_all(b"\xff\xfb\x01\xff\xfb\x03ready")
            .await
            .unwrap();
        hear(&mut stream, b"\xff\xfd\x01\xff\xfd\x03").await;
        stream.write_all(b", go on").await.unwrap();
        let (mut heard, mut buffer) = (0, vec![0; 64 * 1024]);
        while heard < LENGTH {
            let read = timeout(DEADLINE, stream.read(&mut buffer)).await;
            assert!(matches!(read, Ok(Ok(1..))), "{read:?} after {heard} octets");
            let read = read.unwrap().unwrap();
            // The peer stops reading until its echo is read.
            stream.write_all(&buffer[..read]).await.unwrap();
            heard += read;
        }
        stream.write_all(b"\x1b[2J\x1b[Hall of it").await.unwrap();
    })
    .await;
    let session = open(&url(address), (80, 24));
    session.wait("ready, go on").await;
    session.paste(&"x".repeat(LENGTH));
    session.wait("all of it").await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn url_login_is_shown_as_advice() {
    let (address, playing) = listen(&["S| login: "]).await;
    let session = open(&format!("telnet://ada:lovelace@{address}/"), (110, 24));
    session.wait("login:").await;
    session
        .wait("[Log in as ada with the password lovelace, says the URL]")
        .await;
    // The address line does not show the password.
    let screen = session.screen();
    assert_eq!(screen.matches("lovelace").count(), 1, "{screen}");
    assert_played(playing).await;
}

fn screen(session: &Session, address: SocketAddr) -> String {
    session
        .screen()
        .replace(&address.port().to_string(), "PORT.")
}

#[tokio::test(flavor = "multi_thread")]
async fn telnet_session_is_left_and_entered_again() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 80, 24);
    session.press("o");
    session.type_in(&format!("telnet://{}/", demo.addresses.telnet));
    session.press("Enter");
    // The name of the counter is also a suggestion of the prompt.
    session.wait("Type help, and quit").await;
    session.type_in("size");
    session.press("Enter");
    session.wait("columns and").await;
    session.press("Ctrl-]");
    session.press("o");
    session.type_in("geomys:help");
    session.press("Enter");
    session.wait("news groups: read, write").await;
    session.press("{");
    session.wait("columns and").await;
    session.press("Ctrl-]");
    session.type_in("quit");
    session.press("Enter");
    session.wait("Good night.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn session_goes_on_after_a_window_without_room_for_it() {
    let (address, playing) = peer(|mut stream| async move {
        stream.write_all(b"one\r\ntwo\r\nready> ").await.unwrap();
        hear(&mut stream, b"k\r\n").await;
    })
    .await;
    let session = open(&url(address), (80, 24));
    session.wait("ready>").await;
    for lines in (1..=6).rev() {
        session.resize(80, lines);
        session.settle().await;
    }
    session.resize(80, 24);
    session.wait("ready>").await;
    session.press("k Enter");
    session.wait("ended the session").await;
    assert_played(playing).await;
}
