//! Loads of Gopher+ replies, alternates and malformed menus.

use geomys_load::{
    FormAnswers, FormKind, GopherRequest, HiddenAnswers, Purpose, Question, Reason, Request, Stop,
};
use geomys_page::document::Shape;
use geomys_testing::gate::closed_port;
use geomys_testing::loading::{Loaded, carry_out, kind, short_timeouts, show, target, texts, url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A server for one request: gives its `host:port` and the request it received.
async fn once(reply: impl AsRef<[u8]>) -> (String, JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let reply = reply.as_ref().to_vec();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 64 * 1024];
        let count = stream.read(&mut request).await.unwrap();
        request.truncate(count);
        stream.write_all(&reply).await.unwrap();
        request
    });
    (authority, server)
}

/// The load of `path` from a server with this reply, and the request it received.
async fn of(path: &str, reply: impl AsRef<[u8]>) -> (Loaded, Vec<u8>) {
    let (authority, server) = once(reply).await;
    let loaded = show(&short_timeouts(), format!("gopher://{authority}{path}")).await;
    (loaded, server.await.unwrap())
}

#[tokio::test]
async fn header_gives_the_size_and_is_no_content() {
    let (loaded, request) = of("/0t%09%09+", "+7\r\n..a\r\nb\r\nand what belongs to nobody").await;
    let loaded = loaded.whole();
    assert_eq!(request, b"t\t+\r\n");
    assert_eq!(loaded.begin.as_ref().unwrap().size, Some(7));
    // Counted octets have no dots doubled.
    assert_eq!(loaded.octets, b"..a\r\nb\r");
    for (reply, text) in [
        ("+-1\r\n..a\r\n.\r\n", &b".a\r\n"[..]),
        ("+-2\r\n..a\r\n.\r\nb", b"..a\r\n.\r\nb"),
        ("+0\r\n", b""),
        // No header at all: it is plain Gopher.
        ("text\r\n..a\r\n.\r\n", b"text\r\n.a\r\n"),
        ("+7 apples\r\n.\r\n", b"+7 apples\r\n"),
        ("+", b"+"),
        ("", b""),
    ] {
        let (loaded, _) = of("/0t%09%09+", reply).await;
        let loaded = loaded.whole();
        assert_eq!(loaded.octets, text, "{reply}");
        assert_eq!(loaded.begin.unwrap().shape, Shape::Text);
    }
    let (menu, _) = of("/1m%09%09+", "+-2\r\n1One\t/1\th\t70\t+\r\n").await;
    assert_eq!(texts(&menu.whole().document()), ["One"]);
}

#[tokio::test]
async fn text_in_utf_16_loses_its_final_dot() {
    for (is_big, dot) in [(false, ".\r\n"), (true, ".\r\n"), (false, "")] {
        let units = "\u{feff}Grüße\r\nПривет\r\n".encode_utf16();
        let octets = units.flat_map(|unit| {
            if is_big {
                unit.to_be_bytes()
            } else {
                unit.to_le_bytes()
            }
        });
        let reply: Vec<u8> = octets.chain(dot.bytes()).collect();
        let (loaded, _) = of("/0t", reply).await;
        let document = loaded.whole().document();
        assert_eq!(texts(&document), ["Grüße", "Привет"], "{is_big} {dot:?}");
    }
}

#[tokio::test]
async fn mail_item_is_a_message() {
    let mail =
        "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\nFrom: a@example.org\r\n\r\n..Words\r\n.\r\n";
    let (loaded, _) = of("/Mt", mail).await;
    let document = loaded.whole().document().finished();
    assert_eq!(document.shape(), Shape::Article);
    assert_eq!(document.title().unwrap().as_str(), "Grüße");
    assert!(texts(&document).contains(&".Words".to_owned()));
}

#[tokio::test]
async fn view_shape_follows_its_type() {
    for (path, shape) in [
        ("/0t%09%09+text/plain%20De_DE", Shape::Text),
        ("/0t%09%09+application/gopher-menu", Shape::Menu),
        ("/1t%09%09+text/plain", Shape::Text),
        ("/0t%09%09+odd", Shape::Text),
        ("/0t%09%09!", Shape::Attributes),
    ] {
        let (loaded, _) = of(path, "+-2\r\n+INFO: 0t\tt\th\t70\t+\r\n").await;
        assert_eq!(loaded.whole().begin.unwrap().shape, shape, "{path}");
    }
    let image = show(&short_timeouts(), "gopher://h/0t%09%09+image/gif").await;
    assert!(matches!(image.question(), Question::Save { what, .. } if what == "an image"));
}

#[tokio::test]
async fn error_reply_reports_code_text_and_admin() {
    for (code, words) in [
        (1, "has no such item (error 1)"),
        (2, "is busy (error 2)"),
        (7, "refused the request (error 7)"),
    ] {
        let reply = format!("--1\r\n{code} Bo <bo@h.example>\r\nNot today\r\n.\r\n");
        // Some servers send it in reply to plain requests too.
        for path in ["/0t%09%09+", "/0t", "/1t"] {
            let (loaded, _) = of(path, &reply).await;
            let failure = loaded.failure();
            assert!(failure.sentence.ends_with(words), "{path}: {failure:?}");
            assert_eq!(failure.said[0].as_str(), "Not today");
            assert_eq!(failure.admin.unwrap().as_str(), "Bo <bo@h.example>");
        }
    }
    // A text that begins with a dash is still a text.
    for text in [
        "--1\r\nof many\r\n",
        "-\r\n",
        "-5\r\n",
        "- one\r\n- two\r\n",
    ] {
        let (loaded, _) = of("/0t", text).await;
        assert_eq!(loaded.whole().octets, text.as_bytes());
    }
}

#[tokio::test]
async fn moved_item_is_a_link_and_not_followed() {
    let reply = "--1\r\n3 Bo <bo@h.example>\r\n0The rules\t/new rules\th.example\t7070\t+\r\n.\r\n";
    for path in ["/0t%09%09+", "/0t%09%09!"] {
        let (loaded, _) = of(path, reply).await;
        let next = loaded.failure().next.unwrap();
        assert_eq!(next.label.as_str(), "The rules");
        assert_eq!(
            next.target.unwrap().as_str(),
            "gopher://h.example:7070/0/new%20rules"
        );
    }
}

#[tokio::test]
async fn truncated_replies_name_what_is_missing() {
    for (path, reply, words) in [
        ("/0t%09%09+", "+9\r\nabc", "6 bytes are missing"),
        ("/0t%09%09+", "+-1\r\nabc\r\n", "before the final dot"),
        (
            "/1t%09%09+",
            "+-2\r\n1One\t/1\th\t70\r\n1Tw",
            "in the middle of a row",
        ),
    ] {
        let (loaded, _) = of(path, reply).await;
        assert!(!loaded.octets.is_empty());
        let failure = loaded.failure();
        assert!(failure.sentence.contains(words), "{failure:?}");
    }
}

#[tokio::test]
async fn menu_of_an_error_item_alone_is_a_failure_but_not_of_a_search() {
    let error = "3No such item\t\terror.host\t1\r\n";
    let alone = format!("{error}.\r\n");
    let failure = of("/1/old", &alone).await.0.failure();
    assert_eq!(
        *failure.said,
        [geomys_wire::text::Text::of("No such item")],
        "{failure:?}"
    );
    let more = format!("{error}1Home\t\th\t70\r\n.\r\n");
    for (path, reply) in [("/1/old", &more), ("/7/find%09words", &alone)] {
        let (loaded, _) = of(path, reply).await;
        assert_eq!(loaded.whole().octets, reply.as_bytes(), "{path}");
    }
}

#[tokio::test]
async fn mirror_is_loaded_when_the_server_fails() {
    let (good, _server) = once("here\r\n.\r\n").await;
    let (bad, _other) = once("3Gone\t\terror.host\t1\r\n.\r\n").await;
    let (dead, _held) = closed_port();
    let dead = dead.to_string();
    let ask = |first: &str, alternates: &[&str]| Request {
        gopher: GopherRequest {
            alternates: alternates
                .iter()
                .map(|authority| url(format!("gopher://{authority}/0t")))
                .collect(),
            ..GopherRequest::default()
        },
        ..Request::show(url(format!("gopher://{first}/0t")), Reason::Typed)
    };
    let loaded = carry_out(&short_timeouts(), ask(&dead, &[&bad, &good]))
        .await
        .whole();
    assert_eq!(loaded.octets, b"here\r\n");
    assert_eq!(loaded.place().as_str(), format!("gopher://{good}/0t"));
    let why = loaded.begin.unwrap().alternate_reason.unwrap();
    assert!(why.contains("refused the connection"), "{why}");

    let failure = carry_out(&short_timeouts(), ask(&dead, &[&dead, &dead]))
        .await
        .failure();
    assert!(
        failure.sentence.ends_with("; its 2 mirrors failed too"),
        "{failure:?}"
    );
    // A page that has begun is not loaded from a mirror.
    let (cut, _server) = once("1One\t/1\th").await;
    let request = Request {
        gopher: GopherRequest {
            alternates: vec![url(format!("gopher://{dead}/1t"))],
            ..GopherRequest::default()
        },
        ..Request::show(url(format!("gopher://{cut}/1t")), Reason::Typed)
    };
    let failure = carry_out(&short_timeouts(), request).await.failure();
    assert!(
        failure.sentence.ends_with("in the middle of a row"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn form_answers_are_not_sent_to_mirrors() {
    const FILLED: &str = "+%091%0D%0A+-1%0D%0Asecret%0D%0A.%0D%0A";
    let (dead, _held) = closed_port();
    let dead = dead.to_string();
    let (mirror, server) = once("here\r\n.\r\n").await;
    let alternates = vec![url(format!("gopher://{mirror}/0t"))];
    let hidden = HiddenAnswers(b"+\t1\r\n+-1\r\nsecret\r\n.\r\n".to_vec());
    let form = url(format!("gopher://{dead}/0t%09%09?"));
    let filled = url(format!("gopher://{dead}/0t%09%09{FILLED}"));
    let safe = url(format!("gophers://{dead}/0t"));
    for (url, answers) in [
        (form, FormAnswers::Hidden(hidden)),
        (filled, FormAnswers::Confirmed),
        // A request over TLS is not repeated unencrypted.
        (safe, FormAnswers::Unconfirmed),
    ] {
        let request = Request {
            answers,
            gopher: GopherRequest {
                alternates: alternates.clone(),
                ..GopherRequest::default()
            },
            ..Request::show(url, Reason::Typed)
        };
        let loaded = carry_out(&short_timeouts(), request).await;
        assert!(loaded.octets.is_empty());
        let failure = loaded.failure();
        assert!(!failure.sentence.contains("mirror"), "{failure:?}");
    }
    assert!(!server.is_finished());
    // A mirror that is a filled form itself is skipped, whatever was confirmed for another URL.
    let request = Request {
        gopher: GopherRequest {
            alternates: vec![url(format!("gopher://{mirror}/0t%09%09{FILLED}"))],
            ..GopherRequest::default()
        },
        ..Request::show(url(format!("gopher://{dead}/0t")), Reason::Typed)
    };
    carry_out(&short_timeouts(), request).await.failure();
    assert!(!server.is_finished());
}

#[tokio::test]
async fn mirror_row_belongs_to_the_row_above() {
    let menu = "0Text\t/t\ta\t70\r\n+One\t/1\tb\t70\r\n+Two\t/2\tc\t71\r\n0Other\t/o\ta\t70\r\n";
    let (loaded, _) = of("/1m", menu).await;
    let document = loaded.whole().document();
    let alternates = |row: usize| -> Vec<String> {
        let link = document.links(row).remove(0);
        link.alternates.iter().map(ToString::to_string).collect()
    };
    assert_eq!(alternates(0), ["gopher://b/0/1", "gopher://c:71/0/2"]);
    assert_eq!(alternates(1), ["gopher://c:71/0/2"]);
    assert!(alternates(3).is_empty());
}

#[tokio::test]
async fn lone_cr_ends_a_row() {
    let menu = b"iHello\t\th\t1\r1One\t/1\th\t70\r1Two\t/2\th\t71\r.\r";
    let (loaded, _) = of("/1m", menu).await;
    let document = loaded.whole().document();
    assert_eq!(texts(&document), ["Hello", "One", "Two"]);
    assert_eq!(target(&document, "Two").as_str(), "gopher://h:71/1/2");
    let (text, _) = of("/0t", b"one\r..two\r.\r").await;
    assert_eq!(texts(&text.whole().document()), ["one", ".two"]);
    // A saved file is unchanged.
    let (authority, _server) = once(b"a\rb").await;
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(format!("gopher://{authority}/9f")), Reason::Typed)
    };
    assert_eq!(
        carry_out(&short_timeouts(), request).await.whole().octets,
        b"a\rb"
    );
}

#[tokio::test]
async fn malformed_rows_are_shown() {
    let menu = "no tab at all\r\n\
        0blank port\t/a\th\t\r\n\
        0no port\t/b\th\r\n\
        0odd port\t/c\th\tseventy\r\n\
        0port past the end\t/d\th\t70000\r\n\
        0five\t/e\th\t70\t+\r\n\
        0six\t/f\th\t70\t+\tmore\r\n\
        0five, odd\t/g\th\t70\tsomething\r\n\
        0no host\t/h\t\t70\r\n\
        \t\t\t\r\n\
        \r\n\
        0\t/i\th\t70\r\n";
    let (loaded, _) = of("/1m", menu).await;
    let loaded_from = loaded.url.to_string();
    let document = loaded.whole().document();
    assert_eq!(document.count(), 12);
    for (row, path) in [
        (1, "/a"),
        (2, "/b"),
        (3, "/c"),
        (4, "/d"),
        (5, "/e"),
        (6, "/f"),
        (7, "/g"),
    ] {
        let link = document.links(row).remove(0);
        assert_eq!(link.target.unwrap().as_str(), format!("gopher://h/0{path}"));
        assert_eq!(link.attributes.is_some(), row == 5 || row == 6, "{path}");
    }
    // A blank host is the server of the page.
    let here = loaded_from.replace("/1m", "/0/h");
    assert_eq!(target(&document, "no host").as_str(), here);
    assert!(document.links(9)[0].target.is_err());
    assert!(document.row(0).unwrap().text().contains("no tab"));
}

#[tokio::test]
async fn line_of_16_mib_is_split_into_16_kib_rows() {
    for path in ["/1m", "/0t"] {
        let (loaded, _) = of(path, vec![b'x'; 16 << 20]).await;
        assert_eq!(loaded.octets.len(), 16 << 20);
        let document = loaded.document();
        assert_eq!(document.count(), 1025, "{path}");
        let rows = (0..document.count()).map(|row| document.row(row).unwrap().text().len());
        let rows: Vec<usize> = rows.collect();
        assert_eq!(rows.iter().sum::<usize>(), 16 << 20);
        assert_eq!(rows.iter().max(), Some(&16_383));
    }
}

const ATTRIBUTES: &str = "+-1\r\n\
    +INFO: 0The rules\t/rules\tlocalhost\t1\t+\r\n\
    +ADMIN\r\n Admin: Bo <bo@h.example>\r\n Mod-Date: Tue <19941220092600>\r\n\
    +VIEWS:\r\n text/plain En_GB: <10k>\r\n text/plain De_DE: <.5k>\r\n application/postscript\r\n\
    +ABSTRACT: 0At length\t/long\th.example\t70\r\n\
    +ASK:\r\n Ask: Who?\r\n\
    +3D: of this\r\n see gopher://h.example/1x\r\n.\r\n";

#[tokio::test]
async fn attributes_become_rows_and_views_become_links() {
    let (loaded, request) = of("/0/rules%09%09!", ATTRIBUTES).await;
    assert_eq!(request, b"/rules\t!\r\n");
    let loaded = loaded.whole();
    let item = loaded.url.as_str().replace("%09%09!", "");
    let document = loaded.document();
    let rows = texts(&document);
    assert!(
        rows[0].starts_with("URL") && rows[0].ends_with(&item),
        "{rows:?}"
    );
    let at = |text: &str| {
        rows.iter()
            .position(|row| row == text)
            .unwrap_or_else(|| panic!("{text}: {rows:#?}"))
    };
    let to = |text: &str| {
        document.links(at(text))[0]
            .target
            .clone()
            .unwrap()
            .to_string()
    };
    assert_eq!(rows[at("ADMIN") - 1], "");
    at("Mod-Date     1994-12-20 09:26");
    assert_eq!(to("Admin        Bo <bo@h.example>"), "mailto:bo@h.example");
    // The URL that was loaded takes precedence over the one in the reply.
    assert_eq!(to("The rules"), item);
    let german = format!("{:<24} De_DE", "text/plain");
    assert_eq!(to(&german), format!("{item}%09%09+text/plain%20De_DE"));
    let aside = document.row(at(&german)).unwrap().aside.unwrap();
    assert_eq!(aside.as_str(), "512 B");
    assert_eq!(
        kind(&document, "application/postscript"),
        geomys_page::document::Kind::Document
    );
    assert_eq!(to("ABSTRACT: At length"), "gopher://h.example/0/long");
    assert_eq!(to("ASK"), format!("{item}%09%09?"));
    assert_eq!(to("see gopher://h.example/1x"), "gopher://h.example/1x");
    at("3D  of this");
}

#[tokio::test]
async fn menu_attributes_link_to_each_item() {
    let reply = "+-1\r\n+INFO: 0A\t/a\th\t70\t+\r\n+VIEWS:\r\n text/plain:\r\n+INFO: 1B\t/b\th\t70\t+\r\n+VIEWS:\r\n text/html:\r\n.\r\n";
    let (loaded, _) = of("/1/%09%09$", reply).await;
    let document = loaded.whole().document();
    assert_eq!(
        target(&document, "text/plain").as_str(),
        "gopher://h/0/a%09%09+text/plain"
    );
    assert_eq!(
        target(&document, "text/html").as_str(),
        "gopher://h/1/b%09%09+text/html"
    );
    assert_eq!(target(&document, "B").as_str(), "gopher://h/1/b");
}

#[tokio::test]
async fn missing_attributes_show_the_url_parts() {
    for reply in [
        "just a text\r\n.\r\n",
        "3'x' is not here\t\terror.host\t1\r\n.\r\n",
        "--1\r\n1 Bo\r\n.\r\n",
    ] {
        let (loaded, _) = of("/0/rules%09%09!", reply).await;
        let rows = texts(&loaded.document());
        assert!(
            rows.iter().any(|row| row == "selector     /rules"),
            "{rows:?}"
        );
        loaded.failure();
    }
    let (dead, _held) = closed_port();
    let dead = dead.to_string();
    let loaded = show(&short_timeouts(), format!("gopher://{dead}/0/rules%09%09!")).await;
    assert!(texts(&loaded.document()).len() > 5);
}

#[tokio::test]
async fn form_is_fetched_and_becomes_a_question() {
    let (loaded, request) = of("/0/rules%09%09?", ATTRIBUTES).await;
    assert_eq!(request, b"/rules\t!\r\n");
    match loaded.question() {
        Question::Form(form) => {
            assert_eq!(form.lines, [b"Ask: Who?"]);
            assert_eq!(form.kind, FormKind::Item);
            assert_eq!(form.title.unwrap().as_str(), "The rules");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn item_marked_as_form_without_form_is_loaded() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap();
    let server = tokio::spawn(async move {
        let mut request = Vec::new();
        for reply in ["+-1\r\n+INFO: 0T\t/t\th\t70\t?\r\n.\r\n", "+4\r\ntext"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut line = [0; 99];
            let count = stream.read(&mut line).await.unwrap();
            request.push(line[..count].to_vec());
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
        request
    });
    let loaded = show(
        &short_timeouts(),
        format!("gopher://{authority}/0/t%09%09?"),
    )
    .await
    .whole();
    assert_eq!(loaded.octets, b"text");
    assert_eq!(server.await.unwrap(), [b"/t\t!\r\n", b"/t\t+\r\n"]);
}

const FILLED: &[u8] = b"+\t1\r\n+-1\r\nBo\r\n.\r\n";

#[tokio::test]
async fn filled_form_is_sent_after_confirmation() {
    // No server listens there: nothing is sent before the question.
    let filled = url("gopher://h.example/0/t").with_plus(FILLED).unwrap();
    let unseen = carry_out(&short_timeouts(), Request::show(filled, Reason::Typed)).await;
    match unseen.question() {
        Question::Send(lines) => assert_eq!(lines[0].as_str(), "Bo"),
        other => panic!("{other:?}"),
    }
    // The confirmed octets are the sent ones, to the last one.
    let plus = b"+\t1\r\n+-1\r\na\x1b]0;b\x07c\td\\\xe9\xc3\xa9\xe2\x80\xae\xc2\x9b\r\n.\r\n";
    let filled = url("gopher://h.example/0/t").with_plus(plus).unwrap();
    let unseen = carry_out(&short_timeouts(), Request::show(filled, Reason::Typed)).await;
    match unseen.question() {
        Question::Send(lines) => {
            assert_eq!(lines[0].as_str(), r"a\x1b]0;b\x07c\td\\\xe9é\u{202e}\u{9b}");
        }
        other => panic!("{other:?}"),
    }
    for hidden in [false, true] {
        let (authority, server) = once("+-1\r\nThank you\r\n.\r\n").await;
        let plain = url(format!("gopher://{authority}/0/t"));
        let (url, answers) = if hidden {
            let form = plain.with_plus(b"?").unwrap();
            (form, FormAnswers::Hidden(HiddenAnswers(FILLED.to_vec())))
        } else {
            (plain.with_plus(FILLED).unwrap(), FormAnswers::Confirmed)
        };
        let request = Request {
            answers,
            ..Request::show(url.clone(), Reason::Typed)
        };
        assert!(!format!("{request:?}").contains("Bo\\r") || !hidden);
        let loaded = carry_out(&short_timeouts(), request).await.whole();
        assert_eq!(server.await.unwrap(), [b"/t\t".as_slice(), FILLED].concat());
        assert_eq!(loaded.octets, b"Thank you\r\n");
        assert_eq!(loaded.place(), url);
    }
}

#[tokio::test]
async fn unknown_item_type_is_a_question() {
    let loaded = show(&short_timeouts(), "gopher://h.example/Xthing").await;
    assert_eq!(loaded.question(), Question::Unknown(b'X'));
    let (authority, _server) = once("octets").await;
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(format!("gopher://{authority}/Xthing")), Reason::Typed)
    };
    assert_eq!(
        carry_out(&short_timeouts(), request).await.whole().octets,
        b"octets"
    );
}

#[tokio::test]
async fn phone_book_form_lists_fields_and_reply_is_rows() {
    let demo = geomys_demo::Demo::start().await.unwrap();
    let book = format!("gopher://{}/2", demo.addresses.phone);
    match show(&short_timeouts(), &book).await.question() {
        Question::Form(form) => {
            assert_eq!(form.kind, FormKind::PhoneBook);
            assert_eq!(
                form.lines[..3],
                [
                    b"Ask: Words".to_vec(),
                    b"Ask: alias".to_vec(),
                    b"Ask: name".to_vec()
                ]
            );
        }
        other => panic!("{other:?}"),
    }
    let loaded = show(&short_timeouts(), format!("{book}%09dibble"))
        .await
        .whole();
    let document = loaded.document();
    let mail = texts(&document)
        .iter()
        .position(|row| row.starts_with("email "))
        .unwrap();
    let target = document.links(mail)[0].target.clone().unwrap();
    assert_eq!(target.as_str(), "mailto:dibble@underloam.example");
    let failure = show(&short_timeouts(), format!("{book}%09nobody"))
        .await
        .failure();
    assert!(failure.sentence.contains("no match"), "{failure:?}");
}

#[tokio::test]
async fn other_server_on_phone_book_port_is_a_failure() {
    let (loaded, _) = of("/2%09x", "HTTP/1.0 400 Bad Request\r\n").await;
    assert!(loaded.failure().sentence.contains("unexpected reply"));
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = silent.local_addr().unwrap();
    match show(&short_timeouts(), format!("gopher://{authority}/2"))
        .await
        .end
    {
        Err(Stop::Failed(failure)) => assert!(failure.sentence.contains("sent nothing")),
        other => panic!("{other:?}"),
    }
}
