//! HTTP replies, valid and malformed.

use geomys_load::{FailureKind, Question, Reason, Request, Stop, request_preview, speaks};
use geomys_page::document::Shape;
use geomys_testing::loading::{carry_out, short_timeouts, show, texts, url};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Limits, Net};

use super::gzip;

#[tokio::test]
async fn request_has_path_and_query() {
    let web = Web::start(|_| ok("Content-Type: text/html\r\n", "<title>T</title><p>Hello")).await;
    let loaded = show(&Net::default(), web.url("/a%20b/c;d?e=f&g"))
        .await
        .whole();
    assert_eq!(loaded.begin.as_ref().unwrap().shape, Shape::Html);
    assert_eq!(loaded.begin.as_ref().unwrap().size, Some(24));
    assert_eq!(texts(&loaded.document()), ["Hello"]);
    let received = web.take_requests().pop().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        received.head,
        format!(
            "GET /a%20b/c;d?e=f&g HTTP/1.1\r\nhost: {}\r\nuser-agent: geomys/{version}\r\nconnection: close\r\n\
             accept: text/html, application/xhtml+xml, text/*;q=0.9, */*;q=0.8\r\naccept-encoding: gzip\r\n\r\n",
            web.address
        )
    );
    let expected = request_preview(&url(web.url("/a%20b/c;d?e=f&g"))).unwrap();
    assert_eq!(
        expected,
        received.head.as_bytes().escape_ascii().to_string()
    );
    assert!(speaks(&url("https://h.example/")));
}

#[tokio::test]
async fn shape_follows_media_type_else_content() {
    let html = "<!DOCTYPE html><p>x";
    for (media, body, shape) in [
        (
            "Content-Type: text/html; charset=utf-8\r\n",
            "x",
            Some(Shape::Html),
        ),
        (
            "Content-Type: APPLICATION/xhtml+xml\r\n",
            "x",
            Some(Shape::Html),
        ),
        ("Content-Type: text/plain\r\n", html, Some(Shape::Text)),
        ("Content-Type: text/css\r\n", "x", Some(Shape::Text)),
        (
            "Content-Type: application/json\r\n",
            "{}",
            Some(Shape::Json),
        ),
        (
            "Content-Type: application/atom+xml\r\n",
            "<feed/>",
            Some(Shape::Feed),
        ),
        (
            "Content-Type: application/problem+json\r\n",
            "{}",
            Some(Shape::Json),
        ),
        (
            "Content-Type: text/xml\r\n",
            "<?xml version='1.0'?>\n<!-- x --><rss version='2.0'>",
            Some(Shape::Feed),
        ),
        (
            "Content-Type: application/xml\r\n",
            "<rssx/>",
            Some(Shape::Text),
        ),
        (
            "",
            "<feed xmlns='http://www.w3.org/2005/Atom'>",
            Some(Shape::Feed),
        ),
        ("", html, Some(Shape::Html)),
        ("", "words", Some(Shape::Text)),
        ("", "", Some(Shape::Text)),
        ("", "\x7fELF\0\0\0", None),
        ("Content-Type: text/plain\r\n", "\x7fELF\0\0", None),
        ("Content-Type: image/png\r\n", "x", None),
        ("Content-Type: application/octet-stream\r\n", "x", None),
    ] {
        let web = Web::start(move |_| ok(media, body)).await;
        let loaded = show(&Net::default(), web.url("/d/a%20b.bin?x")).await;
        match shape {
            Some(shape) => assert_eq!(loaded.whole().begin.unwrap().shape, shape, "{media}{body}"),
            None => match loaded.question() {
                Question::Save { name, size, .. } => {
                    assert_eq!((name.as_str(), size), ("a b.bin", Some(body.len() as u64)));
                }
                other => panic!("{media}: {other:?}"),
            },
        }
    }
}

#[tokio::test]
async fn save_name_comes_from_content_disposition() {
    let web = Web::start(|_| {
        ok(
            "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"../a/b.pdf\"\r\n",
            "x",
        )
    })
    .await;
    let question = show(&Net::default(), web.url("/cgi?1")).await.question();
    let name = "b.pdf".to_owned();
    let (what, size) = ("a document", Some(1));
    assert_eq!(question, Question::Save { what, name, size });
}

#[tokio::test]
async fn body_is_read_chunked_by_length_or_to_the_end() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n\
                   3;ext=1\r\none\r\n4\r\n two\r\n0\r\nX: y\r\n\r\n";
    let closed = "HTTP/1.0 200 OK\r\nServer: old\r\n\r\none two";
    let long = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\none two and more";
    for answer in [chunked, closed, long] {
        let web = Web::start(move |_| answer).await;
        let loaded = show(&Net::default(), web.url("/")).await.whole();
        assert_eq!(loaded.octets, b"one two");
    }
}

#[tokio::test]
async fn truncated_body_is_a_failure() {
    for answer in [
        "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\nbegun",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\nzz\r\n",
    ] {
        let web = Web::start(move |_| answer).await;
        let loaded = show(&Net::default(), web.url("/")).await;
        assert_eq!(loaded.octets, b"begun", "{answer}");
        loaded.failure();
    }
}

#[tokio::test]
async fn only_gzip_is_decoded() {
    let text = "all that burrows\n".repeat(1000);
    let packed = gzip(text.as_bytes());
    let body = packed.clone();
    let web = Web::start(move |_| ok("Content-Encoding: gzip\r\n", &body)).await;
    let loaded = show(&Net::default(), web.url("/")).await.whole();
    assert_eq!(loaded.octets, text.as_bytes());
    assert_eq!(loaded.begin.unwrap().size, None);

    let cut = packed[..packed.len() / 2].to_vec();
    let web = Web::start(move |_| ok("Content-Encoding: gzip\r\n", &cut)).await;
    let failure = show(&Net::default(), web.url("/")).await.failure();
    assert!(failure.sentence.contains("malformed compressed data"));

    let web = Web::start(|_| ok("Content-Encoding: br\r\n", "x")).await;
    let failure = show(&Net::default(), web.url("/")).await.failure();
    assert!(failure.sentence.contains("the encoding br"), "{failure:?}");
}

#[tokio::test]
async fn gzip_bomb_is_truncated_at_the_page_limit() {
    let net = Net::new(Limits {
        page: 1 << 20,
        ..Limits::default()
    });
    let packed = gzip(&vec![b'x'; 1 << 25]);
    let web = Web::start(move |_| ok("Content-Encoding: gzip\r\n", &packed)).await;
    let loaded = show(&net, web.url("/")).await;
    assert_eq!(loaded.octets.len(), 1 << 20);
    assert!(
        matches!(loaded.end, Err(Stop::Truncated(_))),
        "{:?}",
        loaded.end
    );
}

#[tokio::test]
async fn malformed_http_is_a_failure() {
    let many = (0..2000).map(|number| format!("X-{number}: y\r\n"));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", many.collect::<String>());
    for answer in [
        "<html>an answer of HTTP/0.9\r\n".to_owned(),
        "220 mail.example ESMTP\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(500_000)),
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx".to_owned(),
        many,
        String::new(),
    ] {
        let web = Web::start(move |_| answer.clone()).await;
        let failure = show(&Net::default(), web.url("/")).await.failure();
        let authority = web.address.to_string();
        assert!(
            failure.sentence.contains(&authority),
            "{}",
            failure.sentence
        );
        assert!(failure.sentence.len() < 300, "{}", failure.sentence);
    }
}

#[tokio::test]
async fn silent_server_times_out() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let failure = show(&short_timeouts(), format!("http://{address}/"))
        .await
        .failure();
    assert!(failure.sentence.contains("sent nothing"), "{failure:?}");
}

#[tokio::test]
async fn error_status_is_reported_with_its_page() {
    let page = "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n\
                <title>404</title><h1>Not here</h1><script>x</script><p>It never\nwas.";
    let web = Web::start(move |_| page).await;
    let failure = show(&Net::default(), web.url("/x")).await.failure();
    assert_eq!(
        failure.sentence,
        format!("{} answered 404 Not Found", web.address)
    );
    assert_eq!(failure.kind, FailureKind::Missing);
    let said: Vec<&str> = failure
        .said
        .iter()
        .map(geomys_wire::text::Text::as_str)
        .collect();
    assert_eq!(said, ["Not here", "It never was."]);

    let web = Web::start(|_| "HTTP/1.1 503 \r\nContent-Type: image/png\r\n\r\nx").await;
    let failure = show(&Net::default(), web.url("/x")).await.failure();
    assert_eq!(failure.kind, FailureKind::Busy);
    assert!(failure.said.is_empty());
}

#[tokio::test]
async fn charset_comes_from_header_then_meta_then_detection() {
    let koi = b"\xf0\xd2\xc9\xd7\xc5\xd4";
    for (fields, body) in [
        ("Content-Type: text/html; charset=koi8-r\r\n", koi.to_vec()),
        (
            "Content-Type: text/html; charset=\"KOI8-R\"\r\n",
            [b"<meta charset=latin1>".as_slice(), koi].concat(),
        ),
        (
            "Content-Type: text/html\r\n",
            [
                b"<META content='text/html; charset=koi8-r'>".as_slice(),
                koi,
            ]
            .concat(),
        ),
        ("Content-Type: text/html\r\n", "Привет".as_bytes().to_vec()),
        (
            "Content-Type: text/html; charset=koi8-r\r\n",
            "\u{feff}Привет".as_bytes().to_vec(),
        ),
        (
            "Content-Type: text/html; charset=iso-2022-jp\r\n",
            b"\x1b$B\x27\x31\x27\x62\x27\x5a\x27\x53\x27\x56\x27\x64\x1b(B".to_vec(),
        ),
        ("Content-Type: text/plain; charset=koi8-r\r\n", koi.to_vec()),
    ] {
        let answer = ok(fields, &body);
        let web = Web::start(move |_| answer.clone()).await;
        let loaded = show(&Net::default(), web.url("/")).await.whole();
        let begin = loaded.begin.as_ref().unwrap();
        let mut document = geomys_page::document::Document::new(
            loaded.place(),
            begin.shape,
            geomys_wire::text::CharsetSetting::Detected,
        );
        document.declare(begin.charset);
        document.append(&loaded.octets);
        assert_eq!(texts(&document.finished()), ["Привет"], "{fields}");
    }
}

#[tokio::test]
async fn message_of_an_error_is_shown_once() {
    let page = "<title>404 Not Found</title><center><h1>404 Not Found</h1></center><hr><p>gone<p>gone<center>nginx/1.18.0</center>";
    let web = Web::start(move |_| {
        let length = page.len();
        format!("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{page}")
    })
    .await;
    let failure = show(&Net::default(), web.url("/")).await.failure();
    assert!(failure.sentence.ends_with("answered 404 Not Found"));
    let said: Vec<&str> = failure
        .said
        .iter()
        .map(geomys_wire::text::Text::as_str)
        .collect();
    assert_eq!(said, ["gone", "nginx/1.18.0"]);
}

#[tokio::test]
async fn line_break_in_url_is_not_sent() {
    for address in ["http://h.example/a%0D%0AX:%20y", "http://h.example/?%00"] {
        let loaded = carry_out(&Net::default(), Request::show(url(address), Reason::Typed)).await;
        // HTTP would send the escape encoded; it is refused anyway, as in every scheme.
        assert!(loaded.failure().sentence.starts_with("not sent"));
    }
}

#[tokio::test]
async fn compressed_line_ends_need_little_more_memory_than_the_limit_of_a_page() {
    let limit = 200_000;
    for (octets, most) in [
        (b"\n".repeat(4_000_000), limit * 3 / 2),
        (b"some words of a line\n".repeat(200_000), limit * 26 / 25),
    ] {
        let body = gzip(&octets);
        let web = Web::start(move |_| {
            ok(
                "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
                &body,
            )
        })
        .await;
        let request = Request {
            limit: Some(limit as u64),
            ..Request::show(url(web.url("/")), Reason::Typed)
        };
        let loaded = carry_out(&Net::default(), request).await;
        let document = loaded.document();
        assert!(matches!(loaded.end, Err(Stop::Truncated(_))));
        assert_eq!(document.raw().len(), limit);
        let memory = document.raw().memory();
        assert!(memory <= most, "{memory} of {most}");
    }
}
