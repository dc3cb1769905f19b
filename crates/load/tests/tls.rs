//! Gopher over TLS: verified, or accepted by the user; never unencrypted by itself.

use std::time::Duration;

use geomys_demo::Demo;
use geomys_load::{NextReason, Purpose, Question, Reason, Request};
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, target, texts, url};
use geomys_testing::tls::{Authority, ConnectionOutcome, Identity, Server, element};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{CertificateFault, Limits, Net, Pin, Security, Trust, UntrustedCertificate};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const HERE: &str = "127.0.0.1";

async fn show_trusting(net: &Net, address: &str, trust: Trust) -> Loaded {
    let request = Request {
        trust,
        ..Request::show(url(address), Reason::Typed)
    };
    carry_out(net, request).await
}

fn certificate_error(loaded: Loaded) -> UntrustedCertificate {
    match loaded.question() {
        Question::Certificate(certificate_error) => *certificate_error,
        other => panic!("no certificate question: {other:?}"),
    }
}

fn security(loaded: &Loaded) -> Security {
    loaded.begin.as_ref().expect("a beginning").security
}

fn pinned(identity: &Identity) -> Trust {
    Trust {
        pin: Some(Pin {
            fingerprint: identity.fingerprint(),
            since: Some("2026-11-20".to_owned()),
            expires: None,
        }),
        ..Trust::default()
    }
}

#[tokio::test]
async fn certificate_of_known_authority_is_verified_without_question() {
    let authority = Authority::new();
    let mut server = Server::start(&Identity::by(&authority, HERE)).await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let menu = show(&net, server.url("/")).await.whole();
    assert_eq!(security(&menu), Security::Verified);
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );
    // Rows of the same host and port are requested over TLS too.
    let document = menu.document();
    let sealed = server.url("/0/letter");
    assert_eq!(target(&document, "A letter").as_str(), sealed);
    assert_eq!(target(&document, "A sealed letter").as_str(), sealed);
    let letter = show(&net, &sealed).await.whole();
    assert_eq!(letter.octets, b"Read in secret.\r\n");
    // A search and its parent stay over TLS.
    let search = url(server.url("/7/ask")).with_search(b"who").unwrap();
    assert_eq!(search.as_str(), server.url("/7/ask%09who"));
    assert_eq!(search.up().unwrap().as_str(), server.url("/"));
    assert_eq!(search.root().unwrap().as_str(), server.url("/"));
    let found = show(&net, search.as_str()).await.whole();
    assert_eq!(texts(&found.document()), ["You asked \"/ask\\twho\""]);
    let question = show(&net, server.url("/7/ask")).await.question();
    assert_eq!(question, Question::Search);
    let mut request = Request::show(url(server.url("/9/octets")), Reason::Typed);
    request.purpose = Purpose::Save;
    let saved = carry_out(&net, request).await.whole();
    assert_eq!(saved.octets, b"\x01octets\x02");
}

#[tokio::test]
async fn unknown_certificate_asks_before_sending() {
    let first = Identity::self_signed(HERE);
    let mut server = Server::start(&first).await;
    let net = Net::new(Limits::default());
    let expected_error = |pinned| UntrustedCertificate {
        authority: server.address.to_string(),
        fingerprint: first.fingerprint(),
        why: CertificateFault::SelfSigned,
        valid: Some(("2020-02-29".to_owned(), "2093-03-01".to_owned())),
        pinned,
        is_renewed: false,
    };
    let (question, expected) = (
        certificate_error(show(&net, server.url("/")).await),
        expected_error(None),
    );
    assert_eq!(question, expected);
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);

    let loaded = show_trusting(&net, &server.url("/"), pinned(&first)).await;
    assert_eq!(security(&loaded.whole()), Security::Pinned);
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );
    let once = Trust {
        pin: None,
        once: Some(first.fingerprint()),
        ..Trust::default()
    };
    let loaded = show_trusting(&net, &server.url("/"), once).await;
    assert_eq!(security(&loaded.whole()), Security::Unverified);
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );

    let second = Identity::self_signed(HERE);
    server.show(&second);
    let changed = certificate_error(show_trusting(&net, &server.url("/"), pinned(&first)).await);
    assert_eq!(changed.fingerprint, second.fingerprint());
    assert_eq!(changed.pinned, pinned(&first).pin);
    assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    let trust = Trust {
        once: Some(second.fingerprint()),
        ..pinned(&first)
    };
    let loaded = show_trusting(&net, &server.url("/"), trust).await;
    assert_eq!(security(&loaded.whole()), Security::Unverified);
}

#[tokio::test]
async fn certificate_error_names_its_cause() {
    let authority = Authority::new();
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    for (identity, why) in [
        (Identity::self_signed(HERE), CertificateFault::SelfSigned),
        (
            Identity::by(&Authority::named("Another"), HERE),
            CertificateFault::UnknownIssuer,
        ),
        (
            Identity::by(&Authority::new(), HERE),
            CertificateFault::OtherSigner,
        ),
        (
            Identity::expired(&authority, HERE),
            CertificateFault::Expired,
        ),
        (
            Identity::by(&authority, "elsewhere.example"),
            CertificateFault::OtherName,
        ),
    ] {
        let mut server = Server::start(&identity).await;
        let certificate_error = certificate_error(show(&net, server.url("/")).await);
        assert_eq!(certificate_error.why, why);
        assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
        // The user may accept each.
        let loaded = show_trusting(&net, &server.url("/"), pinned(&identity)).await;
        assert_eq!(security(&loaded.whole()), Security::Pinned);
    }
}

/// The accepted certificate is a key: its version, its extensions and its names do not matter.
#[tokio::test]
async fn accepted_certificate_is_a_key_whatever_else_it_says() {
    let net = Net::new(Limits::default());
    for identity in Identity::faulty(HERE) {
        let mut server = Server::start(&identity).await;
        let question = certificate_error(show(&net, server.url("/")).await);
        assert_eq!(question.why, CertificateFault::SelfSigned);
        assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
        let once = Trust {
            once: Some(identity.fingerprint()),
            ..Trust::default()
        };
        for (trust, expected) in [
            (pinned(&identity), Security::Pinned),
            (once, Security::Unverified),
        ] {
            let loaded = show_trusting(&net, &server.url("/"), trust).await;
            assert_eq!(security(&loaded.whole()), expected);
            let request = ConnectionOutcome::Request(String::new());
            assert_eq!(server.next_outcome().await, request);
        }
        // Another certificate with these faults is no key.
        let other = pinned(&Identity::version_one(HERE));
        let question = certificate_error(show_trusting(&net, &server.url("/"), other).await);
        assert_eq!(question.fingerprint, identity.fingerprint());
    }
}

/// The same over HTTPS.
#[tokio::test]
async fn accepted_certificate_of_the_web_is_a_key() {
    let net = Net::new(Limits::default());
    for identity in Identity::faulty(HERE) {
        let web = Web::start_tls(&identity, |_| ok("Content-Type: text/plain\r\n", "A page")).await;
        let address = format!("https://{}/", web.address);
        let question = certificate_error(show(&net, &address).await);
        assert_eq!(question.fingerprint, identity.fingerprint());
        assert!(web.take_lines().is_empty());
        let page = show_trusting(&net, &address, pinned(&identity)).await;
        let page = page.whole();
        assert_eq!(security(&page), Security::Pinned);
        assert_eq!(page.octets, b"A page");
    }
}

/// A server that has the certificate but not its key is refused.
#[tokio::test]
async fn accepted_certificate_needs_its_key() {
    let net = Net::new(Limits::default());
    let identity = Identity::version_one(HERE);
    let stolen = Identity::self_signed(HERE).showing(&identity);
    for stolen in [stolen.clone(), stolen.over_tls12()] {
        let mut server = Server::start(&stolen).await;
        let loaded = show_trusting(&net, &server.url("/"), pinned(&identity)).await;
        let sentence = loaded.failure().sentence;
        assert!(
            sentence.contains("its certificate is not accepted: bad signature"),
            "{sentence}"
        );
        assert_eq!(server.next_outcome().await, ConnectionOutcome::NoRequest);
    }
}

/// A key with which no handshake can be checked is named before anybody is asked for trust.
#[tokio::test]
async fn key_that_cannot_be_checked_is_named_before_the_question() {
    let net = Net::new(Limits::default());
    let info = |algorithm: &[u8], key: &[u8]| {
        let key = element(0x03, &[b"\0", key].concat());
        element(0x30, &[element(0x30, algorithm), key].concat())
    };
    let rsa = |octets: usize| {
        let modulus = element(0x02, &[vec![0], vec![0xc3; octets]].concat());
        let key = element(0x30, &[modulus, element(0x02, &[1, 0, 1])].concat());
        info(
            b"\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00",
            &key,
        )
    };
    let k256 = b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x0a";
    let p521 = b"\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x23";
    for (info, kind) in [
        (rsa(128), "RSA with 1024 bits"),
        (rsa(64), "RSA with 512 bits"),
        (rsa(2048), "RSA with 16384 bits"),
        (info(p521, &[4; 133]), "ECDSA with P-521"),
        (info(k256, &[4; 65]), "ECDSA with K-256 (secp256k1)"),
        (info(b"\x06\x03\x2b\x65\x71", &[4; 57]), "Ed448"),
        (
            info(b"\x06\x03\x2a\x03\x04", &[4; 57]),
            "of an unknown kind",
        ),
    ] {
        let identity = Identity::with_key(HERE, &info);
        let server = Server::start(&identity).await;
        for trust in [Trust::default(), pinned(&identity)] {
            let loaded = show_trusting(&net, &server.url("/"), trust).await;
            let expected = format!(
                "TLS with {} failed: its key cannot be checked: it is {kind}",
                server.address
            );
            assert_eq!(loaded.failure().sentence, expected);
        }
    }
}

#[tokio::test]
async fn certificate_after_an_expired_one_is_told_as_renewed() {
    let identity = Identity::self_signed(HERE);
    let server = Server::start(&identity).await;
    let net = Net::new(Limits::default());
    for (expires, is_renewed) in [
        (Some("1995-01-31"), true),
        (Some("2093-03-01"), false),
        (None, false),
    ] {
        let mut trust = pinned(&Identity::self_signed_and_expired(HERE));
        let pin = trust.pin.as_mut().unwrap();
        pin.expires = expires.map(str::to_owned);
        let question = certificate_error(show_trusting(&net, &server.url("/"), trust).await);
        assert_eq!(question.is_renewed, is_renewed);
        let sentences = question.sentences();
        let alarm = sentences
            .iter()
            .any(|sentence| sentence.contains("HAS CHANGED"));
        assert_eq!(alarm, !is_renewed, "{sentences:?}");
        assert_eq!(question.pin().expires.as_deref(), Some("2093-03-01"));
    }
}

#[tokio::test]
async fn missing_close_notify_is_unconfirmed_unless_gopher_marks_the_end() {
    let identity = Identity::self_signed(HERE);
    let server = Server::start(&identity).await;
    let net = Net::new(Limits::default());
    let letter = server.url("/0/letter-without-end");
    let loaded = show_trusting(&net, &letter, pinned(&identity)).await;
    assert_eq!(loaded.whole().octets, b"Read in secret.\r\n");
    let cut = show_trusting(&net, &server.url("/0/cut"), pinned(&identity)).await;
    assert_eq!(cut.unconfirmed().octets, b"Read in");
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_server_for_tls_url_and_tls_server_for_plain_url_fail() {
    let demo = Demo::start().await.unwrap();
    // It waits for a line ending in the handshake, or answers with an error item, depending on the handshake's octets.
    let failure = show(
        &short_timeouts(),
        format!("gophers://{}/", demo.addresses.gopher),
    )
    .await
    .failure();
    assert!(
        failure.sentence.contains("does not seem to speak TLS"),
        "{failure:?}"
    );
    assert!(failure.advice.unwrap().contains("a scheme without the s"));

    // A server that answers at once, unencrypted.
    let net = Net::new(Limits::default());
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let answering = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut hello = [0; 6];
        stream.read_exact(&mut hello).await.unwrap();
        // The handshake comes, and no selector.
        assert_eq!(hello[0], 0x16);
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"3No such thing\t\t\t\r\n.\r\n")
            .await
            .unwrap();
        listener
    });
    let failure = show(&net, format!("gophers://{address}/")).await.failure();
    assert_eq!(
        failure.sentence,
        format!("{address} does not seem to speak TLS: it answered with something else")
    );
    // No unencrypted connection followed.
    let listener = answering.await.unwrap();
    let again = tokio::time::timeout(Duration::from_millis(1), listener.accept()).await;
    assert!(again.is_err(), "{again:?}");

    // An alert instead of a handshake: no version that both speak, or a key of a kind that only the server knows.
    for (alert, sentence) in [
        (
            70,
            "supports neither TLS 1.2 nor 1.3: it sent the alert ProtocolVersion",
        ),
        (40, "kind of key in common; keys of K-256 (secp256k1)"),
    ] {
        let old = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = old.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = old.accept().await.unwrap();
            stream
                .write_all(&[0x15, 3, 1, 0, 2, 2, alert])
                .await
                .unwrap();
            // Until the other end has received it.
            let _ = stream.read_to_end(&mut Vec::new()).await;
        });
        let failure = show(&net, format!("gophers://{address}/")).await.failure();
        assert!(failure.sentence.contains(sentence), "{failure:?}");
    }

    let server = Server::start(&Identity::self_signed(HERE)).await;
    for rest in ["/", "/1/long-enough-to-be-a-handshake"] {
        let failure = show(&net, format!("gopher://{}{rest}", server.address))
            .await
            .failure();
        assert_eq!(failure.sentence, format!("{} expects TLS", server.address));
    }
}

#[tokio::test]
async fn connection_that_hangs_where_tls_answers_offers_tls() {
    let acceptor = Identity::self_signed(HERE).acceptor();
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        // It waits for more of what it takes for a handshake.
        let mut waiting = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            let mut first = [0];
            stream.peek(&mut first).await.unwrap();
            if first == [0x16] {
                tokio::spawn(acceptor.accept(stream));
            } else {
                waiting.push(stream);
            }
        }
    });
    // The answer does not wait for the deadline of the silent connection.
    let net = Net::new(Limits {
        idle: Duration::from_hours(1),
        silence: Duration::from_millis(50),
        brief: Duration::from_secs(20),
        ..Limits::default()
    });
    for path in ["/0/a%20b", "/0/a%09%09+", "/0/a%09%09?", "/1/m"] {
        let failure = show(&net, format!("gopher://{address}{path}"))
            .await
            .failure();
        assert_eq!(failure.sentence, format!("{address} expects TLS"), "{path}");
        assert_eq!(failure.next_reason, NextReason::Tls);
        let next = failure.next.unwrap().target.unwrap();
        assert_eq!(next.as_str(), format!("gophers://{address}{path}"));
    }

    // Without TLS there it is a timeout.
    let silent = TcpListener::bind((HERE, 0)).await.unwrap();
    let address = silent.local_addr().unwrap();
    let failure = show(&short_timeouts(), format!("gopher://{address}/0/a")).await;
    let failure = failure.failure();
    assert!(failure.sentence.contains("sent nothing"), "{failure:?}");
    assert_eq!(failure.next, None);
}

#[tokio::test]
async fn slow_server_without_tls_is_waited_for() {
    // The second connection is closed, or as silent as the first one.
    for closes in [true, false] {
        let listener = TcpListener::bind((HERE, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let (mut slow, _) = listener.accept().await.unwrap();
            let mut line = [0; 4];
            slow.read_exact(&mut line).await.unwrap();
            let (mut second, _) = listener.accept().await.unwrap();
            let mut handshake = [0; 1024];
            let length = second.read(&mut handshake).await.unwrap();
            let kind = handshake[..length].first().copied();
            let second = Some(second).filter(|_| !closes);
            slow.write_all(b"slow\r\n").await.unwrap();
            drop((slow, second));
            (line, kind)
        });
        let net = Net::new(Limits {
            idle: Duration::from_hours(1),
            silence: Duration::from_millis(50),
            brief: Duration::from_hours(1),
            ..Limits::default()
        });
        let page = show(&net, format!("gopher://{address}/0/a")).await.whole();
        assert_eq!(page.octets, b"slow\r\n");
        assert_eq!(server.await.unwrap(), (*b"/a\r\n", Some(0x16)));
    }
}
