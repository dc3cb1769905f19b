//! Finger (RFC 1288) as transcripts.

use geomys_load::{Caution, Consents, Question, Reason, Request, request_preview, speaks};
use geomys_page::document::Shape;
use geomys_testing::loading::{carry_out, short_timeouts, show, url};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;

#[tokio::test]
async fn request_line_is_the_path_of_the_address() {
    for (path, line) in [
        ("/ada", "ada"),
        ("/", ""),
        ("", ""),
        ("/%2FW%20ada", "/W ada"),
        ("/ada%40far.example", "ada@far.example"),
    ] {
        let script = format!("C: {line}\nS: Login: somebody\nS| no end");
        let (address, playing) = listen(&[&script]).await;
        let loaded = show(&Net::default(), format!("finger://{address}{path}"))
            .await
            .whole();
        assert_eq!(loaded.begin.as_ref().unwrap().shape, Shape::Text);
        assert_eq!(loaded.octets, b"Login: somebody\r\nno end");
        assert_played(playing).await;
    }
    let request = request_preview(&url("finger://h/caf%E9")).unwrap();
    assert_eq!(request, "caf\\xe9\\r\\n");
}

#[tokio::test]
async fn user_before_host_is_the_request() {
    let (address, playing) = listen(&["C: ada\nS: Ada"]).await;
    show(&Net::default(), format!("finger://ada@{address}"))
        .await
        .whole();
    assert_played(playing).await;
    assert!(speaks(&url("finger://ada@host/")));
}

#[tokio::test]
async fn line_break_in_request_is_not_sent() {
    for address in ["finger://h.example/ada%0D%0Abo", "finger://h.example/a%00"] {
        let failure = show(&Net::default(), address).await.failure();
        assert!(
            failure.sentence.starts_with("not sent"),
            "{}",
            failure.sentence
        );
    }
}

#[tokio::test]
async fn silent_server_times_out() {
    let (address, playing) = listen(&["C: \nsilence"]).await;
    let failure = show(&short_timeouts(), format!("finger://{address}/"))
        .await
        .failure();
    assert!(
        failure.sentence.contains(&address.to_string()),
        "{}",
        failure.sentence
    );
    playing.abort();
}

#[tokio::test]
async fn gopher_item_on_finger_port_opens_without_question() {
    // No server listens there: only the missing question matters.
    for (address, asks) in [
        ("gopher://127.0.0.1:79/0ada", false),
        ("gopher://127.0.0.1:79/1ada", true),
        ("gopher://127.0.0.1:25/0ada", true),
        ("finger://127.0.0.1:25/ada", true),
    ] {
        let request = Request {
            consents: Consents {
                caution: Caution::Ask,
                ..Consents::default()
            },
            ..Request::show(url(address), Reason::Typed)
        };
        let end = carry_out(&short_timeouts(), request).await.end;
        let needs_question = matches!(end, Err(geomys_load::Stop::Needs(Question::Hazards(_))));
        assert_eq!(needs_question, asks, "{address}: {end:?}");
    }
}
