//! Nex: the demo's back room, and servers that answer badly.

use geomys_demo::Demo;
use geomys_load::check::check;
use geomys_load::{Question, Reason, Request, Stop, request_preview};
use geomys_page::document::{Kind, Shape};
use geomys_testing::loading::{carry_out, short_timeouts, show, texts, url};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;

#[test]
fn preview_is_the_decoded_path() {
    let preview = |text| request_preview(&url(text)).unwrap();
    assert_eq!(preview("nex://h.example"), "/\\r\\n");
    assert_eq!(preview("nex://h.example/a%20b/"), "/a b/\\r\\n");
    assert_eq!(preview("nex://h.example/a?b"), "/a?b\\r\\n");
}

#[tokio::test]
async fn line_end_in_a_path_is_never_sent() {
    for path in ["a%0D%0Ab", "a%0Ab", "a%00b"] {
        let failure = show(&Net::default(), format!("nex://127.0.0.1:1/{path}"))
            .await
            .failure();
        assert!(failure.sentence.starts_with("not sent: "), "{failure:?}");
    }
}

#[tokio::test]
async fn directory_is_text_with_links() {
    let demo = Demo::start().await.unwrap();
    let net = Net::default();
    let here = format!("nex://{}/", demo.addresses.nex);
    let first = show(&net, &here).await.whole();
    assert_eq!(first.begin.as_ref().unwrap().shape, Shape::Gemtext);
    let document = first.document();
    assert!(document.outline().is_empty(), "a directory has no headings");
    let rows = texts(&document);
    assert!(rows.contains(&"# Not a heading, only a line".to_owned()));
    let mut kinds = Vec::new();
    for row in 0..document.count() {
        for link in document.links(row) {
            kinds.push(document.row(row).unwrap().kind);
            let target = link.target.unwrap();
            let answer = carry_out(&net, Request::show(target.clone(), Reason::Typed)).await;
            if target.as_str().contains("door") {
                assert!(matches!(answer.question(), Question::Save { .. }));
            } else {
                assert!(!answer.whole().octets.is_empty(), "{target}");
            }
        }
    }
    assert_eq!(
        kinds,
        [Kind::Text, Kind::Menu, Kind::Image, Kind::Text, Kind::Menu]
    );
}

#[tokio::test]
async fn file_is_what_its_suffix_says() {
    for (path, reply, shape) in [
        ("/a.txt", "=> b c", Shape::Text),
        ("/a.gmi", "=> b c", Shape::Gemtext),
        ("/a.html", "<p>b</p>", Shape::Html),
        ("/a", "words", Shape::Text),
        ("/a/", "words", Shape::Gemtext),
    ] {
        let script = format!("C: {path}\nS| {reply}");
        let (address, playing) = listen(&[&script]).await;
        let page = show(&Net::default(), format!("nex://{address}{path}"))
            .await
            .whole();
        assert_eq!(page.begin.unwrap().shape, shape, "{path}");
        assert_played(playing).await;
    }
    let (address, playing) = listen(&["C: /a\nS| \\x00\\x01\\xff\\x00"]).await;
    let question = show(&Net::default(), format!("nex://{address}/a"))
        .await
        .question();
    assert!(matches!(question, Question::Save { .. }), "{question:?}");
    assert_played(playing).await;
}

#[tokio::test]
async fn preformatted_mark_and_prompt_line_have_no_meaning() {
    let reply = "C: /\nS| ```\\n=> a b\\n=: c d\\n=>e f\\n> g";
    let (address, playing) = listen(&[reply]).await;
    let page = show(&Net::default(), format!("nex://{address}/"))
        .await
        .whole();
    let document = page.document();
    assert_eq!(texts(&document), ["```", "b", "=: c d", "=>e f", "> g"]);
    assert_eq!(document.links(1).len(), 1);
    assert_eq!(document.links(3).len(), 0);
    assert_played(playing).await;
}

#[tokio::test]
async fn silent_server_ends_in_time_and_a_huge_page_at_its_limit() {
    let (address, playing) = listen(&["C: /\nsilence"]).await;
    let failure = show(&short_timeouts(), format!("nex://{address}/"))
        .await
        .failure();
    assert!(
        failure.sentence.contains(&address.to_string()),
        "{failure:?}"
    );
    assert_played(playing).await;
    let script = format!("C: /\nS| {}", "words ".repeat(20_000));
    let (address, playing) = listen(&[&script]).await;
    let request = Request {
        limit: Some(10_000),
        ..Request::show(url(format!("nex://{address}/")), Reason::Typed)
    };
    let page = carry_out(&Net::default(), request).await;
    assert!(matches!(page.end, Err(Stop::Truncated(10_000))));
    assert_played(playing).await;
}

#[tokio::test]
async fn check_asks_whether_the_server_says_anything() {
    let demo = Demo::start().await.unwrap();
    let net = Net::default();
    let request = Request::show(
        url(format!("nex://{}/lamp.txt", demo.addresses.nex)),
        Reason::Typed,
    );
    assert_eq!(check(&net, &request).await.verdict.name(), "alive");
    let (address, playing) = listen(&["C: /"]).await;
    let request = Request::show(url(format!("nex://{address}/")), Reason::Typed);
    assert_ne!(check(&net, &request).await.verdict.name(), "alive");
    assert_played(playing).await;
}
