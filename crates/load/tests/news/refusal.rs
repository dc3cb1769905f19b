//! Refused logins: in the words of the server, and what they mean for a retry.

use geomys_load::{FailureKind, Login, Question, Reason, Request, Stop};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;
use geomys_wire::text::Text;
use rfc1738::Url;

use super::load;

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
