//! Hazardous addresses: a question comes first, and the connection only after it.

use geomys_load::{Caution, Consents, GopherRequest, Question, Reason, Request, Stop};
use geomys_testing::loading::{carry_out, short_timeouts, url};
use geomys_wire::net::Net;
use rfc1738::{Dialect, Hazard};

/// The hazards that the load of `address` asks about before it begins; none when it connects at once.
async fn hazards_to_confirm(net: &Net, address: &str) -> Vec<Hazard> {
    let url = Dialect::Extended.parse(address).unwrap();
    let loaded = carry_out(net, Request::show(url, Reason::Typed)).await;
    match loaded.end {
        Err(Stop::Needs(Question::Hazards(hazards))) => hazards,
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn hazardous_address_asks_before_connecting() {
    let net = short_timeouts();
    for (address, hazards) in [
        ("gopher://127.0.0.1:1/", vec![Hazard::Port]),
        ("gopher://127.0.0.1:6379/", vec![Hazard::Port]),
        ("nntp://127.0.0.1:25/a.b", vec![Hazard::Port]),
        (
            "ftp://ftp.example.org@127.0.0.1:1/",
            vec![Hazard::Port, Hazard::UserLikeHost],
        ),
        ("ftp://a?b@127.0.0.1:50001/", vec![Hazard::AmbiguousHost]),
        ("https://h.comを見て/", vec![Hazard::MixedScripts]),
        ("ftp://ada:secret@127.0.0.1:50001/", vec![]),
        // Port 105 is no hazard for a phone book.
        ("gopher://127.0.0.1:105/2", vec![]),
        ("gopher://127.0.0.1:105/0", vec![Hazard::Port]),
    ] {
        assert_eq!(
            hazards_to_confirm(&net, address).await,
            hazards,
            "{address}"
        );
    }
    // The user's answer decides.
    let request = Request {
        consents: Consents {
            caution: Caution::Confirmed,
            ..Consents::default()
        },
        ..Request::show(url("gopher://127.0.0.1:1/"), Reason::Typed)
    };
    let loaded = carry_out(&net, request).await;
    assert!(
        matches!(loaded.end, Err(Stop::Failed(_))),
        "{:?}",
        loaded.end
    );
}

#[tokio::test]
async fn line_break_in_url_is_refused_even_when_accepted() {
    let net = short_timeouts();
    for (address, words) in [
        ("gopher://127.0.0.1:1/0a%00b", "an encoded NUL"),
        (
            "gopher://127.0.0.1:1/0a%09%09+%0D%0A",
            "an encoded line break",
        ),
        ("ftp://127.0.0.1:1/a%0Ab", "an encoded line break"),
        ("news:a%0Ab@b.example", "an encoded line break"),
        ("http://127.0.0.1:1/a%0Ab", "an encoded line break"),
        (
            "nntp://127.0.0.1:1/g%20X",
            "an encoded blank, which would begin another argument",
        ),
        (
            "nntp://127.0.0.1:1/g%09X",
            "an encoded blank, which would begin another argument",
        ),
        (
            "finger://127.0.0.1/ada%20bob",
            "an encoded blank, which would begin another argument",
        ),
    ] {
        let request = Request {
            consents: Consents {
                caution: Caution::Confirmed,
                ..Consents::default()
            },
            ..Request::show(Dialect::Extended.parse(address).unwrap(), Reason::Typed)
        };
        let failure = carry_out(&net, request).await.failure();
        assert_eq!(
            failure.sentence,
            format!("not sent: the URL has {words}: it is never sent")
        );
        assert!(failure.advice.is_some());
    }
}

#[tokio::test]
async fn local_file_is_not_used_as_mirror() {
    let local = tempfile::NamedTempFile::new().unwrap();
    let mirror = format!("file://{}", local.path().display());
    let request = Request {
        gopher: GopherRequest {
            alternates: vec![Dialect::Extended.parse(&mirror).unwrap()],
            ..GopherRequest::default()
        },
        ..Request::show(
            Dialect::Extended
                .parse("gopher://127.0.0.1:50001/0x")
                .unwrap(),
            Reason::Typed,
        )
    };
    let failure = carry_out(&short_timeouts(), request).await.failure();
    assert!(!failure.sentence.contains("mirror"), "{failure:?}");
}
