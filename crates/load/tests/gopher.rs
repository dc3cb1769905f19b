//! Gopher: requests, and the parsing of replies.

mod directory;
mod lenient;
mod load;
mod plus_items;

use geomys_load::{LoadId, Part, Purpose, Question, Reason, Request, Sink, Stop};
use geomys_page::document::{Document, Kind, Shape};
use geomys_wire::net::{Limits, Net};
use geomys_wire::protocol::gopher::DotUnstuffer;
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;

#[test]
fn menu_parses_into_rows_and_links() {
    let menu = b"iWelcome\tfake\t(NULL)\t0\r\n\
        1A menu\t/m\texample.org\t70\r\n\
        +Its mirror\t/m\tmirror.example.org\t7070\r\n\
        0A text\t/t?x=1%\texample.org\t70\t+\r\n\
        hThe Web\tURL:http://example.org/\texample.org\t70\r\n\
        8A session\tuser\texample.org\t0\r\n\
        3An error\t\terror.host\t1\r\n\
        ZOdd\t/z\texample.org\t70\r\n\
        1Bad host\t/x\tbad~host\t70\r\n\
        no tab at all\r\n\
        .\r\n";
    let mut document = Document::new(
        Url::parse("gopher://h/").unwrap(),
        Shape::Menu,
        CharsetSetting::default(),
    );
    document.append(menu);
    let rows: Vec<String> = (0..document.count())
        .map(|number| {
            let row = document.row(number).unwrap();
            let link = document.links(number).into_iter().next();
            let target = link.map_or("-".to_owned(), |link| match link.target {
                Ok(url) => url.to_string(),
                Err(error) => format!("a fault in {} at {}", error.rule, error.at),
            });
            let number = row
                .number
                .map_or(String::new(), |number| number.to_string());
            format!("{number} {:?} {} {target}", row.kind, row.text())
        })
        .collect();
    assert_eq!(
        rows,
        [
            " Plain Welcome -",
            "1 Menu A menu gopher://example.org/1/m",
            "2 Alternate Its mirror gopher://mirror.example.org:7070/1/m",
            "3 Text A text gopher://example.org/0/t?x=1%25",
            "4 Web The Web http://example.org/",
            "5 Session A session telnet://user@example.org/",
            " Error An error -",
            "6 Unknown Odd gopher://example.org/Z/z",
            "7 Menu Bad host a fault in hostname at 12",
            " Plain no tab at all -",
        ]
    );
    assert_eq!(document.highest_link_number(), 7);
    assert_eq!(
        (1..=8).map(|n| document.row_of_link(n)).collect::<Vec<_>>(),
        [
            Some(1),
            Some(2),
            Some(3),
            Some(4),
            Some(5),
            Some(7),
            Some(8),
            None
        ]
    );
}

#[test]
fn links_of_a_long_menu_are_numbered_in_order() {
    let mut document = Document::new(
        Url::parse("gopher://h/").unwrap(),
        Shape::Menu,
        CharsetSetting::default(),
    );
    for number in 0..10_000 {
        let gtype = if number % 3 == 0 { 'i' } else { '0' };
        document.append(format!("{gtype}row\t/{number}\th\t70\r\n").as_bytes());
    }
    for (position, row) in (0..10_000).filter(|row| row % 3 != 0).enumerate() {
        assert_eq!(document.row(row).unwrap().number, Some(position + 1));
        assert_eq!(document.row_of_link(position + 1), Some(row));
    }
    assert_eq!(document.row(0).unwrap().kind, Kind::Plain);
}

proptest! {
    #[test]
    fn unstuffed_text_keeps_its_octets(lines in proptest::collection::vec("\\.{0,3}[a-z]{0,3}", 0..9)) {
        let sent: String = lines.iter().flat_map(|line| [line, "\r\n"]).collect();
        let read = |octets: &[u8]| {
            let mut dots = DotUnstuffer::default();
            let text = dots.push(octets);
            [text, dots.finish()].concat()
        };
        let is_single = |line: &String| line.starts_with('.') && !line.starts_with("..");
        if lines.iter().any(is_single) {
            prop_assert_eq!(read(format!("{sent}.\r\n").as_bytes()), sent.as_bytes());
        }
        // A server that doubles dots loses nothing either.
        let stuffed: String = lines.iter().flat_map(|line| {
            let dot = if line.starts_with('.') { "." } else { "" };
            [dot, line, "\r\n"]
        }).collect();
        prop_assert_eq!(read(format!("{stuffed}.\r\n").as_bytes()), sent.as_bytes());
    }

    #[test]
    fn unstuffing_does_not_depend_on_chunks(
        octets in proptest::collection::vec(prop_oneof![Just(b'.'), Just(b'\r'), Just(b'\n'), Just(b'x')], 0..60),
        cut in any::<proptest::sample::Index>(),
    ) {
        let mut whole = DotUnstuffer::default();
        let mut expected = whole.push(&octets);
        expected.extend(whole.finish());
        let (first, second) = octets.split_at(cut.index(octets.len() + 1));
        let mut parts = DotUnstuffer::default();
        let mut got = parts.push(first);
        got.extend(parts.push(second));
        got.extend(parts.finish());
        prop_assert_eq!(got, expected);
    }

    #[test]
    fn any_octets_parse_as_menu_without_losing_lines(octets in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut document = Document::new(Url::parse("gopher://h/").unwrap(), Shape::Menu, CharsetSetting::default());
        document.append(&octets);
        for number in 0..document.count() {
            prop_assert!(document.row(number).is_some());
            prop_assert_eq!(document.is_link(number), !document.links(number).is_empty());
        }
        prop_assert!(document.count() + 1 >= octets.split(|&octet| octet == b'\n').count().saturating_sub(1));
    }
}

#[tokio::test]
async fn load_sends_selector_and_returns_text() {
    let (url, server) = answer("/0/a%20text", b"line\r\n..dots\r\n.\r\n").await;
    let (parts, end) = fetch(Request::show(url, Reason::Typed)).await;
    assert_eq!(server.await.unwrap(), b"/a text\r\n");
    assert_eq!(parts, b"line\r\n.dots\r\n");
    assert!(end.is_ok());
}

#[tokio::test]
async fn sound_item_is_a_save_question_without_connecting() {
    let url = Url::parse("gopher://127.0.0.1:7070/s/some/file.wav").unwrap();
    let (_, end) = fetch(Request::show(url, Reason::Typed)).await;
    match end {
        Err(Stop::Needs(Question::Save { name, .. })) => assert_eq!(name, "file.wav"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn download_keeps_every_octet() {
    let octets: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    let (url, server) = answer("/9/x", &octets).await;
    let (got, end) = fetch(Request {
        purpose: Purpose::Save,
        ..Request::show(url, Reason::Typed)
    })
    .await;
    server.await.unwrap();
    assert!(end.is_ok());
    assert!(got == octets);
}

#[tokio::test]
async fn error_item_instead_of_text_is_a_failure_with_its_text() {
    for path in ["/0/missing", "/9/missing"] {
        let (url, server) = answer(path, b"3Not here, sorry\t\terror.host\t1\r\n.\r\n").await;
        let (octets, end) = fetch(Request {
            purpose: Purpose::Save,
            ..Request::show(url, Reason::Typed)
        })
        .await;
        server.await.unwrap();
        assert_eq!(octets, b"");
        match end {
            Err(Stop::Failed(failure)) => assert_eq!(failure.said[0].as_str(), "Not here, sorry"),
            other => panic!("{other:?}"),
        }
    }
    // A text that begins with a 3 is still a text.
    let (url, server) = answer("/0/three", b"3\tthings\tto\tdo\r\nand more\r\n").await;
    let (octets, end) = fetch(Request::show(url, Reason::Typed)).await;
    server.await.unwrap();
    assert!(end.is_ok());
    assert_eq!(octets, b"3\tthings\tto\tdo\r\nand more\r\n");
}

#[tokio::test]
async fn truncated_menu_keeps_its_rows_and_fails() {
    let menu = b"1One\t/1\th\t70\r\n1Two\t/2\th";
    let (url, server) = answer("/1/cut", menu).await;
    let (octets, end) = fetch(Request::show(url, Reason::Typed)).await;
    server.await.unwrap();
    assert_eq!(octets, menu);
    match end {
        Err(Stop::Failed(failure)) => {
            assert!(
                failure.sentence.contains("in the middle of a row"),
                "{failure:?}"
            );
        }
        other => panic!("{other:?}"),
    }
    // A menu has at least its final dot, and a file may be empty.
    let (url, server) = answer("/1/nothing", b"").await;
    let (_, end) = fetch(Request::show(url, Reason::Typed)).await;
    server.await.unwrap();
    assert!(matches!(end, Err(Stop::Failed(_))), "{end:?}");
    for (path, whole) in [
        ("/1/whole", &b"1One\t/1\th\t70\r\n"[..]),
        ("/1/whole", b"1One\t/1\th\t70\n."),
        ("/1/whole", b"."),
        ("/0/whole", b""),
    ] {
        let (url, server) = answer(path, whole).await;
        let (_, end) = fetch(Request::show(url, Reason::Typed)).await;
        server.await.unwrap();
        assert!(end.is_ok(), "{}", whole.escape_ascii());
    }
}

#[tokio::test]
async fn nul_in_selector_is_never_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    for path in ["/0/a%00b"] {
        let url = Url::parse(&format!("gopher://127.0.0.1:{port}{path}")).unwrap();
        let (_, end) = fetch(Request::show(url, Reason::Typed)).await;
        match end {
            Err(Stop::Failed(failure)) => {
                assert!(
                    failure
                        .sentence
                        .contains("an encoded NUL: it is never sent"),
                    "{failure:?}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
    // Encoded CR, LF and TAB are already refused by the parser.
    for path in ["/0/a%0D%0AQUIT", "/7/a%09b%0A"] {
        assert!(Url::parse(&format!("gopher://127.0.0.1:{port}{path}")).is_err());
    }
    drop(listener);
}

#[tokio::test]
async fn silent_server_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("gopher://{}/1/x", listener.local_addr().unwrap())).unwrap();
    let (_, end) = fetch(Request::show(url, Reason::Typed)).await;
    match end {
        Err(Stop::Failed(failure)) => {
            assert!(failure.sentence.contains("sent nothing"), "{failure:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// A server for one request: gives its URL and the request it received.
async fn answer(path: &str, reply: &[u8]) -> (Url, tokio::task::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("gopher://{}{path}", listener.local_addr().unwrap());
    let reply = reply.to_vec();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\n") {
            assert!(stream.read_buf(&mut request).await.unwrap() > 0);
        }
        stream.write_all(&reply).await.unwrap();
        request
    });
    (Url::parse(&url).unwrap(), server)
}

/// The octets of a load, and its end.
async fn fetch(request: Request) -> (Vec<u8>, Result<geomys_wire::net::TransferEnd, Stop>) {
    let limits = Limits {
        connect: std::time::Duration::from_secs(5),
        idle: std::time::Duration::from_millis(300),
        brief: std::time::Duration::from_millis(300),
        ..Limits::default()
    };
    let net = Net::new(limits);
    let (sender, mut parts) = mpsc::channel(1000);
    geomys_load::load(&net, request, Sink::new(LoadId(1), sender)).await;
    let mut octets = Vec::new();
    while let Some((_, part)) = parts.recv().await {
        match part {
            Part::Octets(more) => octets.extend(more),
            Part::End(end) => return (octets, end),
            Part::Phase(_)
            | Part::Head(_)
            | Part::Terminal(_)
            | Part::Remark(_)
            | Part::Size(_)
            | Part::Clock(_)
            | Part::Names(_)
            | Part::Hole(_)
            | Part::Covered(_) => {}
        }
    }
    panic!("a load ends");
}
