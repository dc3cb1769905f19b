//! Replies of servers that keep the connection open, or write menus in their own way.

use std::time::Duration;

use geomys_load::check::{LinkStatus, check};
use geomys_load::{Purpose, Question, Reason, Request};
use geomys_page::document::{Document, Shape};
use geomys_testing::loading::{carry_out, show, target, texts, url};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::{Limits, Net};
use geomys_wire::text::CharsetSetting;
use rfc1738::Dialect;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A network that waits for hours, except after what may be the end of a reply.
fn patient() -> Net {
    Net::new(Limits {
        idle: Duration::from_hours(1),
        brief: Duration::from_millis(20),
        ..Limits::default()
    })
}

#[tokio::test]
async fn final_dot_on_open_connection_ends_the_page() {
    for (path, request, reply, expected) in [
        (
            "/1m",
            "m",
            r"1One\t/1\th\t70\r\n.\r\n",
            "1One\t/1\th\t70\r\n.\r\n",
        ),
        ("/1m", "m", r"1One\t/1\th\t70\n.\n", "1One\t/1\th\t70\n.\n"),
        ("/1m", "m", r".\r\n", ".\r\n"),
        (
            "/1m",
            "m",
            r"iOne\t\t\t\r\r\n.\r\r\n",
            "iOne\t\t\t\r\r\n.\r\r\n",
        ),
        ("/1m", "m", r"iOne\t\t\t\r.\r", "iOne\t\t\t\n.\n"),
        ("/0t", "t", r"a\r\n.\r\n", "a\r\n"),
        ("/0t%09%09+", r"t\t+", r"+-1\r\na\r\n.\r\n", "a\r\n"),
        ("/9f%09%09+", r"f\t+", r"+-1\r\na\r\n.\r\n", "a\r\n"),
        (
            "/0t%09%09!",
            r"t\t!",
            r"+-1\r\n+INFO: 0t\r\n.\r\n",
            "+INFO: 0t\r\n",
        ),
        (
            "/0t%09%09!",
            r"t\t!",
            r"+INFO: 0t\r\n.\r\n",
            "+INFO: 0t\r\n",
        ),
    ] {
        let script = format!("C: {}\nS| {reply}\nsilence", request.replace(r"\t", "\t"));
        let (address, server) = listen(&[&script]).await;
        let is_file = path.starts_with("/9");
        let request = Request {
            purpose: if is_file {
                Purpose::Save
            } else {
                Purpose::Show
            },
            ..Request::show(url(format!("gopher://{address}{path}")), Reason::Typed)
        };
        let loaded = carry_out(&patient(), request).await.whole();
        assert_eq!(
            loaded.octets.escape_ascii().to_string(),
            expected.as_bytes().escape_ascii().to_string(),
            "{path} {reply}"
        );
        assert_played(server).await;
    }
}

#[tokio::test]
async fn final_dot_on_open_connection_ends_errors_forms_and_checks() {
    let refusal = r"S| --1\r\n1 Bo <bo@h>\r\nGone\r\n.\r\n";
    for (path, request) in [
        ("/0t", "t"),
        ("/1t", "t"),
        ("/0t%09%09+", "t\t+"),
        ("/0t%09%09?", "t\t!"),
    ] {
        let (address, server) = listen(&[&format!("C: {request}\n{refusal}\nsilence")]).await;
        let loaded = show(&patient(), format!("gopher://{address}{path}")).await;
        assert_eq!(loaded.failure().said[0].as_str(), "Gone", "{path}");
        assert_played(server).await;
    }
    let form = "C: t\t!\nS| +-1\\r\\n+INFO: 0t\\tt\\th\\t70\\t?\\r\\n+ASK:\\r\\n Ask: Who\\r\\n.\\r\\n\nsilence";
    let (address, server) = listen(&[form]).await;
    let asked = show(&patient(), format!("gopher://{address}/0t%09%09?")).await;
    assert!(matches!(asked.question(), Question::Form(_)));
    assert_played(server).await;

    let error = r"S| 3Gone\t\terror.host\t1\r\n.\r\n";
    let (address, server) = listen(&[&format!("C: t\n{error}\nsilence")]).await;
    let request = Request::show(url(format!("gopher://{address}/1t")), Reason::Typed);
    let checked = check(&patient(), &request).await;
    assert_eq!(checked.verdict, LinkStatus::Dead("Gone".to_owned()));
    assert_played(server).await;
}

#[tokio::test]
async fn text_row_without_fields_loses_its_type() {
    let rows = "iWelcome\r\ni\r\n1No fields\r\nwords\r\ni  indented\r\n.\r\n";
    let (address, server) = listen(&[&format!("C: \nS| {}", rows.escape_default())]).await;
    let document = show(&patient(), format!("gopher://{address}/")).await;
    let document = document.whole().document();
    assert_eq!(document.shape(), Shape::Menu);
    let expected = ["Welcome", "", "1No fields", "words", "  indented"];
    assert_eq!(texts(&document), expected);
    assert_eq!(document.highest_link_number(), 0);
    assert_played(server).await;
}

#[tokio::test]
async fn cr_cr_lf_is_one_line_end() {
    for (path, reply, expected) in [
        (
            "/1",
            r"iOne\t\t\t\r\r\n1Two\t/2\th\t70\r\r\n.\r\r\n",
            ["One", "Two"],
        ),
        ("/0t", r"One\r\r\nTwo\r\r\n.\r\r\n", ["One", "Two"]),
    ] {
        let selector = if path == "/1" { "" } else { "t" };
        let (address, server) = listen(&[&format!("C: {selector}\nS| {reply}")]).await;
        let loaded = show(&patient(), format!("gopher://{address}{path}")).await;
        let document = loaded.whole().document();
        assert_eq!(texts(&document), expected);
        assert_played(server).await;
    }
}

#[tokio::test]
async fn blank_host_is_the_server_of_the_page() {
    let rows = concat!(
        r"0Here\t/a\t\t70\r\n0No fields\t/b\r\n0Port 0\t/c\t\t0\r\n",
        r"0Another port\t/d\t\t7\r\n+Mirror\t/m\t\t\r\n8Session\tada\t\t0\r\n"
    );
    let (address, server) = listen(&[&format!("C: \nS| {rows}")]).await;
    let loaded = show(&patient(), format!("gopher://{address}/")).await;
    let document = loaded.whole().document();
    let host = address.ip();
    for (row, expected) in [
        ("Here", format!("gopher://{address}/0/a")),
        ("No fields", format!("gopher://{address}/0/b")),
        ("Port 0", format!("gopher://{address}/0/c")),
        ("Another port", format!("gopher://{host}:7/0/d")),
        ("Mirror", format!("gopher://{address}/0/m")),
        ("Session", format!("telnet://ada@{host}/")),
    ] {
        assert_eq!(target(&document, row).as_str(), expected, "{row}");
    }
    assert_played(server).await;
}

#[tokio::test]
async fn links_of_html_page_lead_to_items_of_its_server() {
    let page = "<html><p><a href=other.html>A page</a> <p><a href='/0/about.txt'>A text</a> \
        <p><a href='pic.gif#top'>A picture</a> <p><a href=http://h.example/>The Web</a>";
    let (address, server) = listen(&[&format!("C: /d/page.html\nS: {page}")]).await;
    let loaded = show(&patient(), format!("gopher://{address}/h/d/page.html")).await;
    let document = loaded.whole().document();
    assert_eq!(document.shape(), Shape::Html);
    for (row, expected) in [
        ("A page", format!("gopher://{address}/h/d/other.html")),
        ("A text", format!("gopher://{address}/0/about.txt")),
        ("A picture", format!("gopher://{address}/g/d/pic.gif#top")),
        ("The Web", "http://h.example/".to_owned()),
    ] {
        assert_eq!(target(&document, row).as_str(), expected, "{row}");
    }
    assert_played(server).await;
}

#[test]
fn rows_of_page_over_tls_stay_on_tls_on_its_host_and_port_only() {
    let rows = b"0Same\t/a\tH.example\t7070\t+\r\n0Blank\t/b\t\t\r\n0Port\t/c\th.example\t70\r\n\
        0Host\t/d\ti.example\t7070\r\nhWritten\tURL:gopher://h.example:7070/0/e\th.example\t7070\r\n\
        +Mirror\t/f\th.example\t7070\r\n";
    let mut document = Document::new(
        Dialect::Extended
            .parse("gophers://h.example:7070/1/m")
            .unwrap(),
        Shape::Menu,
        CharsetSetting::default(),
    );
    document.append(rows);
    for (row, expected) in [
        ("Same", "gophers://H.example:7070/0/a"),
        ("Blank", "gophers://h.example:7070/0/b"),
        ("Port", "gopher://h.example/0/c"),
        ("Host", "gopher://i.example:7070/0/d"),
        ("Written", "gopher://h.example:7070/0/e"),
    ] {
        assert_eq!(target(&document, row).as_str(), expected, "{row}");
    }
    let same = document.links(0).remove(0);
    assert_eq!(
        same.attributes.unwrap().as_str(),
        "gophers://H.example:7070/0/a%09%09!"
    );
    let written = document.links(4).remove(0);
    assert_eq!(
        written.alternates[0].as_str(),
        "gophers://h.example:7070/h/f"
    );
}

/// Loads an item of this type from a server that answers with these octets.
async fn answered(gtype: char, reply: &[u8]) -> geomys_testing::loading::Loaded {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let reply = reply.to_vec();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut line = [0; 64];
        let _ = stream.read(&mut line).await.unwrap();
        for octets in reply.chunks(3) {
            stream.write_all(octets).await.unwrap();
        }
    });
    let loaded = show(&patient(), format!("gopher://{address}/{gtype}/x")).await;
    server.await.unwrap();
    loaded
}

#[tokio::test]
async fn item_of_the_web_is_html_unless_it_is_a_file_or_an_error() {
    for page in [
        "<table><tr><td>One<td>Two</table>",
        "<p>A <b>bold</b> word",
        "Words, and <i>more</i>",
        "<!-- first --><center>Centred</center>",
        "GIFs and RIFFs &amp; words",
        "  \r\n<a href=x>A link</a>",
        "",
    ] {
        let document = answered('h', page.as_bytes()).await.whole().document();
        assert_eq!(document.shape(), Shape::Html, "{page}");
        let text = answered('0', page.as_bytes()).await.whole().document();
        assert_eq!(text.shape(), Shape::Text, "{page}");
    }
    for (file, expected) in [
        (b"\x89PNG\r\n\x1a\n0000".as_slice(), "picture"),
        (b"GIF89a\x01\0\x01\0\0\0\0", "picture"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "picture"),
        (b"PK\x03\x04\x14\0\0\0\0\0", "archive"),
    ] {
        let loaded = answered('h', file).await;
        let question = format!("{:?}", loaded.end);
        let is_page = loaded.begin.is_some_and(|head| head.shape == Shape::Html);
        assert!(!is_page, "{expected}: {question}");
    }
    let failure = answered('h', b"3No such page\t\terror.host\t1\r\n.\r\n")
        .await
        .failure();
    assert_eq!(failure.said[0].as_str(), "No such page");
}
