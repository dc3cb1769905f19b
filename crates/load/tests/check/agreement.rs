//! A check agrees with the load of a page or a file: alive is what a load opens, and otherwise the failure tells the
//! status.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use geomys_load::check::{LinkStatus, check};
use geomys_load::{FailureKind, Purpose, Question, Reason, Request, Stop};
use geomys_testing::loading::{Loaded, carry_out, url};
use geomys_testing::tls::Identity;
use geomys_wire::net::{Limits, Net};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::{line, short};

/// A server that gives the same reply to every line, and closes.
struct Replies {
    address: SocketAddr,
    reply: Arc<Mutex<Vec<u8>>>,
    serving: JoinHandle<()>,
}

impl Replies {
    async fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let reply = Arc::new(Mutex::new(Vec::new()));
        let current = Arc::clone(&reply);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let reply = current.lock().unwrap().clone();
                tokio::spawn(answer(stream, reply));
            }
        });
        Self {
            address,
            reply,
            serving,
        }
    }

    fn set(&self, reply: impl Into<Vec<u8>>) {
        *self.reply.lock().unwrap() = reply.into();
    }
}

impl Drop for Replies {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn answer(mut stream: TcpStream, reply: Vec<u8>) {
    let mut request = Vec::new();
    let is_whole = |request: &[u8]| {
        let is_web = request.starts_with(b"GET ") || request.starts_with(b"HEAD ");
        request.ends_with(if is_web { b"\r\n\r\n" } else { b"\r\n" })
    };
    while !is_whole(&request) {
        match stream.read_u8().await {
            // A handshake, which this server does not understand.
            Ok(0x16) | Err(_) => return,
            Ok(octet) => request.push(octet),
        }
    }
    // The client may already have closed.
    let _ = stream.write_all(&reply).await;
    let _ = stream.shutdown().await;
}

/// The name of the status that a load stands for.
fn status_of(loaded: &Loaded) -> &'static str {
    match &loaded.end {
        _ if loaded.begin.is_some() => "alive",
        Ok(_)
        | Err(Stop::Needs(
            Question::Save { .. } | Question::Input { .. } | Question::Search | Question::Form(_),
        )) => "alive",
        Err(Stop::Needs(_)) => "refused",
        Err(Stop::Failed(failure)) => match failure.kind {
            FailureKind::Missing => "dead",
            FailureKind::Permanent => "refused",
            _ => "unreachable",
        },
        Err(stop) => panic!("{stop:?}"),
    }
}

/// Asserts that the check of a URL and its load agree.
async fn agree(address: &str, purpose: Purpose) -> Result<(), TestCaseError> {
    let request = Request {
        purpose,
        ..Request::show(url(address), Reason::Typed)
    };
    // A pause that one of them has learned is not valid for the other.
    let loaded = carry_out(&Net::new(short()), request.clone()).await;
    let checked = check(&Net::new(short()), &request).await.verdict;
    prop_assert_eq!(
        checked.name(),
        status_of(&loaded),
        "{}: {:?} but {:?}",
        address,
        checked,
        loaded.end
    );
    Ok(())
}

/// Runs a law for the replies of a server.
fn hold(replies: impl Strategy<Value = Vec<u8>>, urls: &[(&str, Purpose)]) {
    let runtime = Runtime::new().unwrap();
    let server = runtime.block_on(Replies::start());
    let config = Config {
        cases: 128,
        failure_persistence: None,
        ..Config::default()
    };
    let law = |reply: Vec<u8>| {
        server.set(reply);
        for (address, purpose) in urls {
            let address = address.replace("HERE", &server.address.to_string());
            runtime.block_on(agree(&address, *purpose))?;
        }
        Ok(())
    };
    TestRunner::new(config).run(&replies, law).unwrap();
}

/// Pieces of replies, in any order.
fn pieces(pieces: &'static [&'static [u8]]) -> impl Strategy<Value = Vec<u8>> {
    let any = proptest::collection::vec(any::<u8>(), 0..12);
    let piece = prop_oneof![
        8 => proptest::sample::select(pieces).prop_map(<[u8]>::to_vec),
        1 => any,
    ];
    proptest::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

#[test]
fn check_of_any_gopher_reply_agrees_with_its_load() {
    let replies = pieces(&[
        b"iWelcome\t\tnull.host\t1\r\n",
        b"iOh\tfake\r\n",
        b"3No such item\t\terror.host\t1\r\n",
        b"3 apples\r\n",
        b"1Home\t/\th.example\t70\r\n",
        b"i words",
        b"words\r\n",
        b"\r\n",
        b".\r\n",
        b".\n",
        b"+-1\r\n",
        b"+3\r\n",
        b"--1\r\n1 Ada <ada@h.example>\r\nNo such item\r\n",
        b"--1\r\n2 Ada <ada@h.example>\r\nCome back\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
    ]);
    let urls = [
        ("gopher://HERE/1/a", Purpose::Show),
        ("gopher://HERE/0/a", Purpose::Show),
        ("gopher://HERE/h/a", Purpose::Show),
        ("gopher://HERE/9/a", Purpose::Save),
        ("gopher://HERE/7/a%09words", Purpose::Show),
        ("gopher://HERE/0/a%09%09+", Purpose::Show),
    ];
    hold(replies, &urls);
}

#[test]
fn check_of_any_finger_nex_or_spartan_reply_agrees_with_its_load() {
    let replies = pieces(&[
        b"2 text/gemini\r\n",
        b"2 image/png\r\n",
        b"3 /b\r\n",
        b"3 file:///etc/passwd\r\n",
        b"4 What?\r\n",
        b"5 Oh\r\n",
        b"words\r\n",
        b"\x00\x01",
    ]);
    let urls = [
        ("finger://HERE/ada", Purpose::Show),
        ("nex://HERE/a/", Purpose::Show),
        ("nex://HERE/a.txt", Purpose::Show),
        ("nex://HERE/a.bin", Purpose::Save),
        ("spartan://HERE/a.bin", Purpose::Save),
    ];
    hold(replies, &urls);
}

#[test]
fn check_of_any_web_status_agrees_with_its_load() {
    // A page is requested without a range, so none is beyond its end (416). A slow request (408, 425) says nothing
    // about the target.
    let statuses =
        (200..=599_u16).prop_filter("other", |status| !matches!(status, 408 | 416 | 425));
    let heads = statuses.prop_map(|status| {
        let head = "Content-Type: text/plain\r\nContent-Length: 0";
        format!("HTTP/1.1 {status} Any\r\n{head}\r\n\r\n").into_bytes()
    });
    let odd = pieces(&[b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 ", b"220 mail\r\n"]);
    let replies = prop_oneof![8 => heads, 1 => odd];
    hold(replies, &[("http://HERE/a", Purpose::Show)]);
}

#[tokio::test]
async fn server_that_expects_tls_says_so_to_check_and_page() {
    for behaviour in ["silent", "reset", "closed", "alert"] {
        let acceptor = Identity::self_signed("127.0.0.1").acceptor();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut first = [0];
                stream.peek(&mut first).await.unwrap();
                match (first, behaviour) {
                    ([0x16], _) => {
                        tokio::spawn(acceptor.accept(stream));
                    }
                    (_, "silent") => open.push(stream),
                    // Unread data resets the connection.
                    (_, "reset") => drop(stream),
                    (_, behaviour) => {
                        let alert = [0x15, 3, 1, 0, 2, 2, 70];
                        let mut line = Vec::new();
                        while !line.ends_with(b"\n") {
                            line.push(stream.read_u8().await.unwrap());
                        }
                        let sent = if behaviour == "alert" {
                            &alert[..]
                        } else {
                            &[]
                        };
                        stream.write_all(sent).await.unwrap();
                    }
                }
            }
        });
        let net = Net::new(Limits {
            idle: Duration::from_mins(1),
            silence: Duration::from_millis(50),
            brief: Duration::from_secs(20),
            ..Limits::default()
        });
        let expected = format!("{address} expects TLS");
        // A phone book is not asked for TLS while it is silent, and its dialogue knows no alert.
        let phone_book = matches!(behaviour, "reset" | "closed").then_some("/2%09a");
        for path in ["/1/a", "/0/a", "/9/a"].into_iter().chain(phone_book) {
            let address = format!("gopher://{address}{path}");
            let request = Request {
                purpose: Purpose::Save,
                ..Request::show(url(&address), Reason::Typed)
            };
            let checked = check(&net, &request).await.verdict;
            let status = LinkStatus::Refused(expected.clone());
            assert_eq!(checked, status, "{behaviour} {path}");
            let failure = carry_out(&net, request).await.failure();
            assert_eq!(failure.sentence, expected, "{behaviour} {path}");
        }
        serving.abort();
    }
}

#[tokio::test]
async fn file_that_begins_like_a_tls_alert_is_a_file() {
    let server = Replies::start().await;
    for reply in [
        &b"\x15\x03"[..],
        b"\x15\x03\x01\x00\x02\x02\x46 and more",
        b"\x15\x03\x00\x10 something else",
    ] {
        server.set(reply);
        let address = format!("gopher://{}/9/a", server.address);
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(url(&address), Reason::Typed)
        };
        assert_eq!(
            line(&check(&Net::new(short()), &request).await.verdict),
            "alive"
        );
        let saved = carry_out(&Net::new(short()), request).await.whole();
        assert_eq!(saved.octets, reply);
    }
}

#[tokio::test]
async fn error_row_among_texts_is_an_error_and_one_among_links_is_none() {
    let server = Replies::start().await;
    let address = format!("gopher://{}/1/a", server.address);
    let request = Request::show(url(&address), Reason::Typed);
    let net = Net::new(short());
    server.set("iOh\t\terror.host\t1\r\n3No such item\t\terror.host\t1\r\n.\r\n");
    let status = LinkStatus::Dead("No such item".to_owned());
    assert_eq!(check(&net, &request).await.verdict, status);
    let failure = carry_out(&net, request.clone()).await.failure();
    assert_eq!(failure.kind, FailureKind::Missing);
    // No word of the server is lost.
    assert_eq!(
        *failure.said,
        ["Oh", "No such item"].map(geomys_wire::text::Text::of)
    );
    server.set("iOh\t\terror.host\t1\r\n3Closed\t\terror.host\t1\r\n1Home\t/\th.example\t70\r\n");
    assert_eq!(check(&net, &request).await.verdict, LinkStatus::Alive);
    carry_out(&net, request).await.whole();
}
