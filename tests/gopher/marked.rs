//! Items marked as Gopher+ in a menu, and dots at the start of lines.

use geomys::load::{GopherItem, Purpose, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::support::loading::{carry_out, short_timeouts, show, url};

/// A server for these requests, one after the other: each is a line, and its answer.
async fn each(script: &[(&'static str, &'static str)]) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let script = script.to_vec();
    let server = tokio::spawn(async move {
        for (request, reply) in script {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut received = vec![0; request.len()];
            stream.read_exact(&mut received).await.unwrap();
            assert_eq!(
                received.escape_ascii().to_string(),
                request.as_bytes().escape_ascii().to_string()
            );
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    (authority, server)
}

#[tokio::test]
async fn gopher_plus_item_falls_back_to_plain_request() {
    for purpose in [Purpose::Show, Purpose::Save] {
        for (script, octets, size) in [
            (
                &[("t\t+\r\n", "+8\r\n..a\r\n..b and more")][..],
                "..a\r\n..b",
                Some(8),
            ),
            (&[("t\t+\r\n", "+-2\r\n..a\r\n.\r\n")], "..a\r\n.\r\n", None),
            (
                &[("t\t+\r\n", "what?\r\n"), ("t\r\n", "..a\r\n.\r\n")],
                ".a\r\n",
                None,
            ),
            (
                &[("t\t+\r\n", ""), ("t\r\n", "..a\r\n.b\r\n")],
                "..a\r\n.b\r\n",
                None,
            ),
        ] {
            let (authority, server) = each(script).await;
            let request = Request {
                gopher_item: GopherItem::Plus,
                purpose,
                ..Request::show(url(format!("gopher://{authority}/0t")))
            };
            let loaded = carry_out(&short_timeouts(), request).await.whole();
            assert_eq!(
                loaded.octets.escape_ascii().to_string(),
                octets.as_bytes().escape_ascii().to_string()
            );
            assert_eq!(loaded.begin.unwrap().size, size);
            server.await.unwrap();
        }
    }
    // A Gopher+ error is a failure.
    let (authority, server) = each(&[("t\t+\r\n", "--1\r\n1 Bo <bo@h>\r\nGone\r\n.\r\n")]).await;
    let request = Request {
        gopher_item: GopherItem::Plus,
        ..Request::show(url(format!("gopher://{authority}/0t")))
    };
    let failure = carry_out(&short_timeouts(), request).await.failure();
    assert!(failure.sentence.ends_with("(error 1)"), "{failure:?}");
    server.await.unwrap();
}

#[tokio::test]
async fn truncated_text_keeps_held_back_octets() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 3];
        stream.read_exact(&mut request).await.unwrap();
        stream.write_all(b"one\r\n..two\r\nthree").await.unwrap();
        // Nothing more is sent, and the connection stays open.
        let _ = stream.read(&mut request).await;
    });
    let loaded = show(&short_timeouts(), format!("gopher://{authority}/0t")).await;
    assert_eq!(loaded.octets, b"one\r\n.two\r\nthree");
    loaded.failure();
    server.await.unwrap();
}
