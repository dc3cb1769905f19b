//! Items marked as Gopher+ in a menu, and dots at the start of lines.

use std::time::Duration;

use geomys_load::{GopherItem, GopherRequest, Purpose, Reason, Request};
use geomys_page::document::Shape;
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, texts, url};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::{Limits, Net};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

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
                gopher: GopherRequest {
                    item: GopherItem::Plus,
                    ..GopherRequest::default()
                },
                purpose,
                ..Request::show(url(format!("gopher://{authority}/0t")), Reason::Typed)
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
        gopher: GopherRequest {
            item: GopherItem::Plus,
            ..GopherRequest::default()
        },
        ..Request::show(url(format!("gopher://{authority}/0t")), Reason::Typed)
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

/// The load of a marked item from a server with one connection for each script.
async fn marked(path: &str, scripts: &[&str]) -> Loaded {
    let (address, server) = listen(scripts).await;
    let request = Request {
        gopher: GopherRequest {
            item: GopherItem::Plus,
            ..GopherRequest::default()
        },
        ..Request::show(url(format!("gopher://{address}{path}")), Reason::Typed)
    };
    let loaded = carry_out(&short_timeouts(), request).await;
    assert_played(server).await;
    loaded
}

#[tokio::test]
async fn marked_menus_and_searches_are_requested_with_plus() {
    let menu = r"S| +19\r\n1One\t/1\th\t70\t+\r\n.\r\n";
    for (path, request) in [("/1m", "m\t+"), ("/7m%09words", "m\twords\t+")] {
        let loaded = marked(path, &[&format!("C: {request}\n{menu}")])
            .await
            .whole();
        let begin = loaded.begin.as_ref().unwrap();
        assert_eq!((begin.shape, begin.size), (Shape::Menu, Some(19)), "{path}");
        assert_eq!(texts(&loaded.document()), ["One"]);
        // The address is that of the row.
        assert_eq!(loaded.place(), loaded.url);
    }
    // A server that does not understand it is asked again.
    let plain = [
        "C: m\t+\nS| 3What?\\t\\t\\t\\r\\n",
        "C: m\nS| 1One\\t/1\\th\\t70\\r\\n",
    ];
    let loaded = marked("/1m", &plain).await.whole();
    assert_eq!(texts(&loaded.document()), ["One"]);
}

#[tokio::test]
async fn marked_menu_reports_errors_moves_and_truncation() {
    for (reply, sentence) in [
        (r"--1\r\n2 Bo <bo@h>\r\nBusy\r\n.\r\n", "is busy (error 2)"),
        (
            r"--2\r\n3 Bo <bo@h>\r\n1New\t/new\th\t70\r\n",
            "has moved (error 3)",
        ),
        (r"+40\r\n1One\t/1\th\t70\r\n", "26 bytes are missing"),
    ] {
        let failure = marked("/1m", &[&format!("C: m\t+\nS| {reply}")])
            .await
            .failure();
        assert!(failure.sentence.ends_with(sentence), "{failure:?}");
        let next = failure.next.map(|next| next.target.unwrap().to_string());
        let moved = sentence
            .contains("moved")
            .then(|| "gopher://h/1/new".to_owned());
        assert_eq!(next, moved);
    }
}

#[tokio::test]
async fn html_in_gopher_plus_reply_is_a_page() {
    let page = "<html><p>Words";
    for header in ["+14", "+-2"] {
        let reply = format!("S| {header}\\r\\n\nS| {page}");
        let loaded = marked("/hp", &[&format!("C: p\t+\n{reply}")]).await.whole();
        assert_eq!(loaded.begin.unwrap().shape, Shape::Html, "{header}");
        assert_eq!(loaded.octets, page.as_bytes());
    }
    // A view says its type itself: a fragment of a page is one too.
    for (view, page, shape) in [
        ("text/html", "<p>Words", Shape::Html),
        ("Text/HTML De_DE", "<p>Worte", Shape::Html),
        ("text/plain", "<html><p>Words", Shape::Text),
    ] {
        let (address, server) = listen(&[&format!("C: p\t+{view}\nS| +-2\\r\\n{page}")]).await;
        let path = format!("/0p%09%09+{}", view.replace(' ', "%20"));
        let loaded = show(&short_timeouts(), format!("gopher://{address}{path}")).await;
        let loaded = loaded.whole();
        assert_eq!(loaded.begin.as_ref().unwrap().shape, shape, "{view}");
        assert_played(server).await;
    }
    // The type says that it is a page.
    let loaded = marked("/hp", &["C: p\t+\nS| +5\\r\\nWords"]).await.whole();
    assert_eq!(loaded.begin.unwrap().shape, Shape::Html);
}

#[tokio::test]
async fn slow_attributes_of_a_menu_are_replaced_by_those_of_the_item() {
    let item = r"S| +-1\r\n+INFO: 0T\tt\th\t70\t+\r\n+ADMIN:\r\n Admin: Bo\r\n.\r\n";
    let alone = format!("C: t\t!\n{item}");
    let (address, server) = listen(&["C: m\t$\nS| +-1\\r\\n\nsilence", &alone]).await;
    let request = Request {
        gopher: GopherRequest {
            directory: Some(url(format!("gopher://{address}/1m"))),
            ..GopherRequest::default()
        },
        ..Request::show(url(format!("gopher://{address}/0t%09%09!")), Reason::Typed)
    };
    let net = Net::new(Limits {
        idle: Duration::from_hours(1),
        brief: Duration::from_millis(20),
        ..Limits::default()
    });
    let loaded = carry_out(&net, request).await.whole();
    let attributes = texts(&loaded.document());
    assert!(
        attributes.iter().any(|row| row.ends_with("Bo")),
        "{attributes:?}"
    );
    assert_played(server).await;
}
