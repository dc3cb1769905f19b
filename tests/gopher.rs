//! Gopher pages by keyboard.

use std::sync::{Arc, Mutex};

use geomys_testing::tls::{Authority, ConnectionOutcome, Identity, Server};
use geomys_wire::net::{Limits, Net};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use crate::support::screen::{Browser, Session};

/// A server that answers with a menu in two parts, the second one after a permission, and every other selector with a
/// text that names it.
struct SlowMenu {
    address: String,
    /// The permission to send the second part.
    go_on: Arc<Notify>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl SlowMenu {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (go_on, requests) = (Arc::new(Notify::new()), Arc::default());
        let server = Self {
            address: format!("gopher://{address}/1m"),
            go_on: Arc::clone(&go_on),
            requests: Arc::clone(&requests),
        };
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(visit(stream, Arc::clone(&go_on), Arc::clone(&requests)));
            }
        });
        server
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn visit(mut stream: TcpStream, go_on: Arc<Notify>, requests: Arc<Mutex<Vec<String>>>) {
    let mut line = [0; 99];
    let count = stream.read(&mut line).await.unwrap();
    let line = String::from_utf8_lossy(&line[..count]).into_owned();
    let line = line.trim_end_matches(['\r', '\n']);
    requests.lock().unwrap().push(line.to_owned());
    if line == "m" {
        let first = b"0First\t/first\t\t\t+\r\n0Second\t/second\t\t\r\n";
        stream.write_all(first).await.unwrap();
        go_on.notified().await;
        // The client may have closed.
        let _ = stream.write_all(b"0Third\t/third\t\t\r\n.\r\n").await;
    } else {
        let header = if line.ends_with('+') { "+-2\r\n" } else { "" };
        let text = format!("{header}the text of {line}\r\n");
        stream.write_all(text.as_bytes()).await.unwrap();
    }
}

fn start(address: &str) -> Session {
    Browser::new().open(address).start()
}

/// Waits for rows of a page that still loads.
async fn shows(session: &Session, words: &str) {
    let is_shown = |screen: &str| screen.contains(words);
    session.wait_until(words, is_shown).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn menu_left_while_loading_keeps_its_rows_and_gets_the_rest() {
    let server = SlowMenu::start().await;
    let session = start(&server.address);
    shows(&session, "Second").await;
    session.press("2 Enter");
    session.wait("the text of /second").await;
    session.press("h");
    shows(&session, "First").await;
    server.go_on.notify_one();
    session.wait("/3 ").await;
    assert!(session.screen().contains("Third"));
    assert_eq!(server.requests(), ["m", "/second"]);
    // Its rest also arrives while another page is shown.
    session.press("r");
    session.wait_until_absent("Third").await;
    shows(&session, "Second").await;
    session.press("2 Enter");
    session.wait("the text of /second").await;
    server.go_on.notify_one();
    session.press("h");
    session.wait("Third").await;
    assert_eq!(server.requests(), ["m", "/second", "m", "/second"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_of_a_marked_item_requests_it_as_gopher_plus_again() {
    let server = SlowMenu::start().await;
    let session = start(&server.address);
    shows(&session, "Second").await;
    session.press("1 Enter");
    session.wait("the text of /first").await;
    session.press("r");
    session
        .wait_until("the second request", |_| server.requests().len() == 3)
        .await;
    assert_eq!(server.requests(), ["m", "/first\t+", "/first\t+"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn chosen_charset_of_a_host_is_stored() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("gopher://{}/0a", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 99]).await.unwrap();
            stream
                .write_all(b"\xf0\xd2\xc9\xd7\xc5\xd4\r\n")
                .await
                .unwrap();
        }
    });
    let session = start(&address);
    session.wait("Привет").await;
    session.press("e");
    session.wait("Charset of").await;
    session.press("w");
    session.wait("ðÒÉ×ÅÔ").await;
    session.press("q");
    let profile = session.end().await.profile;
    let stored = std::fs::read_to_string(profile.path().join("charsets.txt")).unwrap();
    assert!(stored.ends_with("\n127.0.0.1 windows-1252\n"), "{stored}");
    let session = Browser::in_profile(profile).open(address).start();
    session.wait("ðÒÉ×ÅÔ").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chosen_charset_of_a_page_without_a_host_is_for_that_page() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("letter.txt");
    std::fs::write(&file, b"\xf0\xd2\xc9\xd7\xc5\xd4\r\n").unwrap();
    let session = start(&format!("file://{}", file.display()));
    session.wait("Привет").await;
    session.press("e");
    session.wait("Charset of").await;
    session.press("w");
    session.wait("ðÒÉ×ÅÔ").await;
    session.wait("Read as windows-1252, this page only").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn item_at_the_plain_port_is_opened_at_the_tls_port_of_caps() {
    let authority = Authority::new();
    let mut server = Server::start(&Identity::by(&authority, "127.0.0.1")).await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let session = Browser::new()
        .open(server.url("/1/plain-port"))
        .net(net)
        .start();
    session.wait("Another").await;
    session.press("1 Enter");
    session.wait("Read in secret.").await;
    session.press("h");
    session.wait("Another").await;
    session.press("2 Enter");
    session.wait("You asked").await;
    // caps.txt is requested once.
    for expected in ["/plain-port", "caps.txt", "/letter", "/another"] {
        let outcome = server.next_outcome().await;
        assert_eq!(outcome, ConnectionOutcome::Request(expected.to_owned()));
    }
}
