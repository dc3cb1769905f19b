//! Refused logins: in the words of the server, and what they mean for a retry.

use geomys_load::{FailureKind, Login, Question, Reason, Request, Stop};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;
use geomys_wire::text::Text;
use rfc1738::Url;

use super::{load, request};

/// The end of a load of a group with a login, on a server that answers so behind its demand for a login.
async fn end(rest: &str) -> Stop {
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 200 hi\nC: GROUP a\nS: 480 who\n\
         C: AUTHINFO USER ada\n{rest}silence"
    );
    let (authority, playing) = listen(&[&script]).await;
    let url = Url::parse(&format!("nntp://{authority}/a")).unwrap();
    let request = Request {
        login: Some(Login::new("ada", "byron")),
        ..Request::show(url, Reason::Typed)
    };
    let loaded = load(&Net::default(), request).await;
    assert_played(playing).await;
    loaded.end.unwrap_err()
}

#[tokio::test]
async fn refused_login_is_told_in_the_words_of_the_server() {
    for (rest, words, kind) in [
        (
            "S: 381 more\nC: AUTHINFO PASS byron\nS: 502 Too many connections\n",
            "502 Too many connections",
            FailureKind::Busy,
        ),
        (
            "S: 381 more\nC: AUTHINFO PASS byron\nS: 482 4 connections are open already\n",
            "482 4 connections are open already",
            FailureKind::Busy,
        ),
        (
            "S: 381 more\nC: AUTHINFO PASS byron\nS: 482 Authentication rejected\n",
            "482 Authentication rejected",
            FailureKind::Permanent,
        ),
        (
            "S: 381 more\nC: AUTHINFO PASS byron\nS: 502 No permission\n",
            "502 No permission",
            FailureKind::Permanent,
        ),
        (
            "S: 381 more\nC: AUTHINFO PASS byron\nS: 481 Too many logins\n",
            "481 Too many logins",
            FailureKind::Busy,
        ),
        (
            "S: 481 Connection limit reached\n",
            "481 Connection limit reached",
            FailureKind::Busy,
        ),
        ("S: 501 syntax\n", "501 syntax", FailureKind::Permanent),
    ] {
        let Stop::Failed(failure) = end(rest).await else {
            panic!("no failure: {words}");
        };
        assert!(
            failure.sentence.ends_with("did not accept the login"),
            "{failure:?}"
        );
        let said: Vec<&str> = failure.said.iter().map(Text::as_str).collect();
        assert_eq!((said, failure.kind), (vec![words], kind));
        assert!(failure.wants_login);
    }
}

#[tokio::test]
async fn code_481_asks_for_another_password() {
    let stop = end("S: 381 more\nC: AUTHINFO PASS byron\nS: 481 wrong\n").await;
    assert!(
        matches!(&stop, Stop::Needs(Question::Password { said: Some(_), .. })),
        "{stop:?}"
    );
}

#[tokio::test]
async fn login_for_which_there_is_no_connection_is_tried_in_no_other_way() {
    // Over SASL it would wait for TLS.
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: AUTHINFO USER SASL\nS: SASL PLAIN\nS: .\n\
        C: AUTHINFO USER ada\nS: 482 Too many connections\nsilence";
    let (authority, playing) = listen(&[script]).await;
    let request = Request {
        login: Some(Login::new("ada", "byron")),
        ..request(&format!("nntp://{authority}/a"))
    };
    let loaded = load(&Net::default(), request).await;
    assert_played(playing).await;
    assert_eq!(loaded.failure().1, ["482 Too many connections"]);
}

#[tokio::test]
async fn refusal_for_now_is_no_missing_command() {
    const HELLO: &str =
        "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: HDR\nS: .\n";
    let group = "C: GROUP a\nS: 211 2 1 2 a\n";
    let hdr = "C: HDR Subject 1-2\nC: HDR From 1-2\nC: HDR Date 1-2\nC: HDR Message-ID 1-2\nC: HDR References 1-2\n";
    for (page, commands, words) in [
        (
            "a",
            "C: GROUP a\n".to_owned(),
            "502 Download quota exceeded",
        ),
        ("a", "C: GROUP a\n".to_owned(), "500 Too many connections"),
        (
            "a",
            format!("{group}C: OVER 1-2\n"),
            "502 Too many connections from your host",
        ),
        (
            "a",
            format!("{group}C: OVER 1-2\n"),
            "503 Rate limit: try again later",
        ),
        (
            "a",
            format!("{group}C: OVER 1-2\nS: 502 no overview\n{hdr}"),
            "502 quota used up",
        ),
        (
            "a/1",
            format!("{group}C: ARTICLE 1\n"),
            "502 Download limit reached",
        ),
    ] {
        let script = format!("{HELLO}{commands}S: {words}\nsilence");
        let (authority, playing) = listen(&[&script]).await;
        let net = Net::default();
        let loaded = load(&net, request(&format!("nntp://{authority}/{page}"))).await;
        let Err(Stop::Failed(failure)) = &loaded.end else {
            panic!("no failure: {words}");
        };
        let said: Vec<&str> = failure.said.iter().map(Text::as_str).collect();
        assert_eq!((said, failure.kind), (vec![words], FailureKind::Busy));
        assert!(
            failure.sentence.ends_with("refused this for now"),
            "{failure:?}"
        );
        assert!(
            failure
                .advice
                .is_some_and(|advice| advice.ends_with("retry later"))
        );
        drop(net);
        assert_played(playing).await;
    }
}
