//! Spartan: the dialogue as a transcript, the demo's visitors' book, and servers that answer badly.

use geomys_demo::Demo;
use geomys_load::check::check;
use geomys_load::{
    Failure, FailureKind, FormAnswers, FormKind, PostedAnswers, Purpose, Question, Reason, Request,
    Stop, request_preview,
};
use geomys_page::document::{Document, Kind, LinkForm, Shape};
use geomys_testing::loading::{Loaded, carry_out, show, texts, url};
use geomys_testing::script::{assert_played, listen, peer};
use geomys_wire::net::{Limits, Net};
use geomys_wire::protocol::spartan::{Status, request};
use geomys_wire::text::CharsetSetting;
use rfc1738::Url;

#[tokio::test]
async fn dialogue_is_a_line_with_data_a_header_and_a_body() {
    let script = "C: h.example /a%20b 6
        C: data
        S: 2 text/plain; charset=utf-8
        S| The end";
    let (stream, playing) = peer(script);
    let limits = Limits::default();
    let fields = ("h.example", "/a%20b");
    let response = request(stream, fields, b"data\r\n", "h.example:300", &limits).await;
    let mut response = response.unwrap();
    assert_eq!(response.header.status, Status::Success);
    assert_eq!(response.header.meta, b"text/plain; charset=utf-8");
    let mut body = Vec::new();
    loop {
        let octets = response.body.next().await.unwrap();
        if octets.is_empty() {
            break;
        }
        body.extend(octets);
    }
    assert_eq!(body, b"The end");
    assert_played(playing).await;
}

#[test]
fn preview_is_the_line_and_the_query_as_data() {
    let preview = |text| request_preview(&url(text)).unwrap();
    assert_eq!(preview("spartan://h.example"), "h.example / 0\\r\\n");
    assert_eq!(
        preview("spartan://h.example:301/a?b%20c"),
        "h.example /a 3\\r\\nb c"
    );
    assert_eq!(preview("spartan://H.Example:300/A"), "h.example /A 0\\r\\n");
}

/// The answer to one request of `/`, whose transcript is checked.
async fn answer_of(reply: &str) -> Loaded {
    let script = format!("C: 127.0.0.1 / 0\n{reply}");
    let (address, playing) = listen(&[&script]).await;
    let loaded = show(&Net::default(), format!("spartan://{address}/")).await;
    assert_played(playing).await;
    loaded
}

async fn failure_of(reply: &str) -> Failure {
    answer_of(reply).await.failure()
}

#[tokio::test]
async fn errors_have_the_words_of_the_server() {
    let failure = failure_of("S: 4 No such desk").await;
    assert!(failure.sentence.contains(" answered 4: "), "{failure:?}");
    assert_eq!(failure.kind, FailureKind::Missing);
    assert_eq!(failure.said[0].as_str(), "No such desk");
    let failure = failure_of("S: 5 Broken").await;
    assert!(failure.sentence.contains(" answered 5: "), "{failure:?}");
    assert_eq!(failure.kind, FailureKind::ServerError);
}

#[tokio::test]
async fn header_ends_within_its_limit() {
    let longest = format!("S: 4 {}", "x".repeat(1024));
    let failure = failure_of(&longest).await;
    assert_eq!(failure.said[0].as_str().len(), 1024);
    for longer in [
        format!("S: 4 {}", "x".repeat(1025)),
        format!("S| 4 {}", "x".repeat(100_000)),
    ] {
        let failure = failure_of(&longer).await;
        assert!(
            failure.sentence.contains("header of more than 1026 bytes"),
            "{failure:?}"
        );
    }
}

#[tokio::test]
async fn what_is_no_header_is_quoted() {
    for reply in [
        "S: HTTP/1.1 200 OK",
        "S: 20 text/gemini",
        "S: 6 x",
        "S: 2x",
        "S| 2 text/gemini\\n# A page\\r\\n",
        "S| 2 text/gemini",
        "S| \\r\\n",
        "S| \\x1b]0;title\\x07\\r\\n",
    ] {
        let failure = failure_of(reply).await;
        assert!(
            failure
                .sentence
                .contains("does not answer as a Spartan server does"),
            "{reply}: {failure:?}"
        );
        assert!(!failure.sentence.contains(['\u{1b}', '\u{7}']));
    }
    let failure = failure_of("").await;
    assert!(
        failure.sentence.contains("before it answered"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn bad_media_type_is_read_by_the_first_octets() {
    for media in ["nonsense", ";;;", "text", "/", ""] {
        let page = answer_of(&format!("S: 2 {media}\nS| Some words.")).await;
        assert_eq!(page.whole().octets, b"Some words.", "{media}");
    }
    let question = answer_of("S: 2 nonsense\nS| \\x00\\x01\\xff")
        .await
        .question();
    assert!(matches!(question, Question::Save { .. }), "{question:?}");
}

#[tokio::test]
async fn redirects_stay_on_the_server_and_end() {
    let (address, playing) = listen(&[
        "C: 127.0.0.1 /a 3\nC: b\nS: 3 /c",
        "C: 127.0.0.1 /c 0\nS: 2 text/gemini\nS| # Here",
    ])
    .await;
    let request = Request {
        answers: FormAnswers::Posted(PostedAnswers {
            octets: b"b\r\n".to_vec(),
            ..PostedAnswers::default()
        }),
        ..Request::show(url(format!("spartan://{address}/a")), Reason::Typed)
    };
    let page = carry_out(&Net::default(), request).await.whole();
    assert_eq!(page.place().as_str(), format!("spartan://{address}/c"));
    assert_played(playing).await;
    for to in [
        "spartan://elsewhere.example/",
        "gemini://127.0.0.1/",
        "gopher://h.example/",
        "file:///etc/passwd",
    ] {
        let failure = failure_of(&format!("S: 3 {to}")).await;
        let next = failure.next.expect("a link").target.unwrap();
        assert_eq!(next.as_str(), to);
    }
    let failure = failure_of("S: 3 /a%0D%0Ab").await;
    assert!(
        failure.sentence.contains("an encoded line break"),
        "{failure:?}"
    );
    for to in ["http://", "spartan://h ost/", "spartan:///a"] {
        failure_of(&format!("S: 3 {to}")).await;
    }
}

#[tokio::test]
async fn redirect_loop_ends() {
    let (address, playing) =
        listen(&["C: 127.0.0.1 /a 0\nS: 3 /b", "C: 127.0.0.1 /b 0\nS: 3 /a"]).await;
    let failure = show(&Net::default(), format!("spartan://{address}/a"))
        .await
        .failure();
    assert!(failure.sentence.starts_with("redirect loop"), "{failure:?}");
    assert_played(playing).await;
    let steps: Vec<String> = (0..11)
        .map(|step| format!("C: 127.0.0.1 /{step} 0\nS: 3 /{}", step + 1))
        .collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let (address, playing) = listen(&steps).await;
    let failure = show(&Net::default(), format!("spartan://{address}/0"))
        .await
        .failure();
    assert!(
        failure.sentence.starts_with("more than 10 redirects"),
        "{failure:?}"
    );
    assert_played(playing).await;
}

#[tokio::test]
async fn huge_body_is_cut_at_the_limit_of_a_page() {
    let body = format!("S: 2 text/gemini\nS| {}", "words ".repeat(20_000));
    let (address, playing) = listen(&[&format!("C: 127.0.0.1 / 0\n{body}")]).await;
    let request = Request {
        limit: Some(10_000),
        ..Request::show(url(format!("spartan://{address}/")), Reason::Typed)
    };
    let page = carry_out(&Net::default(), request).await;
    assert!(page.octets.len() <= 10_000);
    assert!(matches!(page.end, Err(Stop::Truncated(10_000))));
    assert_played(playing).await;
}

#[tokio::test]
async fn answer_that_is_a_file_is_not_saved_by_sending_again() {
    let script = "C: 127.0.0.1 / 3\nC: x\nS: 2 image/png\nS| \\x89\\x00";
    let (address, _playing) = listen(&[script]).await;
    let request = Request {
        answers: FormAnswers::Posted(PostedAnswers {
            octets: b"x\r\n".to_vec(),
            ..PostedAnswers::default()
        }),
        ..Request::show(url(format!("spartan://{address}/")), Reason::Typed)
    };
    let failure = carry_out(&Net::default(), request).await.failure();
    assert!(failure.sentence.ends_with("is an image"), "{failure:?}");
}

#[tokio::test]
async fn file_is_saved_as_it_is() {
    let reply = "C: 127.0.0.1 /picture 0\nS: 2 image/png\nS| \\x89\\x00\\x01";
    let (address, playing) = listen(&[reply, reply]).await;
    let here = url(format!("spartan://{address}/picture"));
    let question = carry_out(&Net::default(), Request::show(here.clone(), Reason::Typed))
        .await
        .question();
    let Question::Save { what, name, .. } = question else {
        panic!("{question:?}");
    };
    assert_eq!((what, name.as_str()), ("an image", "picture.png"));
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(here, Reason::Typed)
    };
    let saved = carry_out(&Net::default(), request).await.whole();
    assert_eq!(saved.octets, [0x89, 0, 1]);
    assert_played(playing).await;
}

#[tokio::test]
async fn demo_pages_open_and_the_book_asks_for_a_line() {
    let demo = Demo::start().await.unwrap();
    let net = Net::default();
    let here = format!("spartan://{}", demo.addresses.spartan);
    let first = show(&net, format!("{here}/")).await.whole();
    assert_eq!(first.begin.as_ref().unwrap().shape, Shape::Gemtext);
    let document = first.document();
    assert_eq!(document.title().unwrap().as_str(), "The visitors' book");
    let row = (0..document.count())
        .find(|row| !document.links(*row).is_empty())
        .unwrap();
    let link = document.links(row).remove(0);
    assert_eq!(link.form, Some(LinkForm::Input));
    assert_eq!(document.row(row).unwrap().kind, Kind::Search);
    assert_eq!(
        document.row(row).unwrap().text(),
        "Write a line into the book"
    );
    let opened = Request {
        answers: FormAnswers::of(&link),
        ..Request::show(link.target.unwrap(), Reason::Typed)
    };
    let Question::Form(form) = carry_out(&net, opened.clone()).await.question() else {
        panic!("no form");
    };
    assert_eq!(form.kind, FormKind::Upload);
    let answered = Request {
        answers: FormAnswers::Posted(PostedAnswers {
            octets: b"A fine day".to_vec(),
            ..PostedAnswers::default()
        }),
        ..opened
    };
    assert!(!format!("{answered:?}").contains("fine day"));
    let read = carry_out(&net, answered).await.whole();
    assert_eq!(
        texts(&read.document())[..2],
        ["The desk reads", "A fine day"]
    );
    let query = show(&net, format!("{here}/book?Dibble%20was%20here")).await;
    assert!(String::from_utf8_lossy(&query.whole().octets).contains("Dibble was here"));
    let moved = show(&net, format!("{here}/moved")).await.whole();
    assert_eq!(moved.place().as_str(), format!("{here}/"));
}

#[tokio::test]
async fn prompt_line_is_text_outside_of_spartan() {
    let demo = Demo::start().await.unwrap();
    let page = show(
        &Net::default(),
        format!("spartan://{}/", demo.addresses.spartan),
    )
    .await
    .whole();
    let own = page.document();
    let mut other = Document::new(
        Url::parse("gemini://h.example/").unwrap(),
        Shape::Gemtext,
        CharsetSetting::default(),
    );
    other.append(&page.octets);
    let links = |document: &Document| {
        (0..document.count())
            .flat_map(|row| document.links(row))
            .count()
    };
    assert_eq!(links(&own), links(&other) + 1);
}

#[tokio::test]
async fn check_tells_alive_dead_and_leading_away() {
    let demo = Demo::start().await.unwrap();
    let net = Net::default();
    for (path, verdict) in [("/", "alive"), ("/moved", "alive"), ("/nowhere", "dead")] {
        let request = Request::show(
            url(format!("spartan://{}{path}", demo.addresses.spartan)),
            Reason::Typed,
        );
        assert_eq!(
            check(&net, &request).await.verdict.name(),
            verdict,
            "{path}"
        );
    }
    let (address, _playing) = listen(&["C: 127.0.0.1 / 0\nS: 3 file:///etc/passwd"]).await;
    let request = Request::show(url(format!("spartan://{address}/")), Reason::Typed);
    assert_eq!(check(&net, &request).await.verdict.name(), "refused");
}
