//! Finger (RFC 1288) as transcripts.

use geomys::document::Shape;
use geomys::load::{Caution, Question, Request, sends, speaks};
use geomys::net::Net;

use crate::support::loading::{carry_out, hasty, show, url};
use crate::support::script::{listen, played};

#[tokio::test]
async fn what_is_asked_is_what_the_address_says() {
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
        played(playing).await;
    }
    let asked = sends(&url("finger://h/caf%E9")).unwrap();
    assert_eq!(asked, "caf\\xe9\\r\\n");
}

#[tokio::test]
async fn a_user_may_stand_before_the_host() {
    let (address, playing) = listen(&["C: ada\nS: Ada"]).await;
    show(&Net::default(), format!("finger://ada@{address}"))
        .await
        .whole();
    played(playing).await;
    assert!(speaks(&url("finger://ada@host/")));
}

#[tokio::test]
async fn what_would_be_a_second_line_is_not_sent() {
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
async fn silence_has_an_end() {
    let (address, playing) = listen(&["C: \nsilence"]).await;
    let failure = show(&hasty(), format!("finger://{address}/"))
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
async fn a_gopher_item_may_ask_it_without_a_question() {
    // Nothing listens there: what matters is that nobody is asked first.
    for (address, asks) in [
        ("gopher://127.0.0.1:79/0ada", false),
        ("gopher://127.0.0.1:79/1ada", true),
        ("gopher://127.0.0.1:25/0ada", true),
        ("finger://127.0.0.1:25/ada", true),
    ] {
        let request = Request {
            caution: Caution::Ask,
            ..Request::show(url(address))
        };
        let end = carry_out(&hasty(), request).await.end;
        let asked = matches!(end, Err(geomys::load::Stop::Needs(Question::Hazards(_))));
        assert_eq!(asked, asks, "{address}: {end:?}");
    }
}
