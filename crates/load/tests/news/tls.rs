//! News over TLS: implicit, by STARTTLS, for a password only (RFC 4642, RFC 8143).

use std::sync::Arc;

use geomys_load::{
    Login, NewsHost, NewsSettings, ProtocolSettings, Question, Reason, Request, TlsUpgrade,
};
use geomys_testing::loading::{Loaded, carry_out, texts, url};
use geomys_testing::script::{DEADLINE, assert_played, play};
use geomys_testing::tls::{Authority, Identity};
use geomys_wire::net::{Limits, Net, Pin, Security};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

const HERE: &str = "127.0.0.1";

const READS: &str = "C: GROUP local.burrow\nS: 211 1 7 7 local.burrow\nC: OVER 7-7\nS: 224 here\n\
    S: 7\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\n";

/// The script for one client: unencrypted, then over TLS.
struct ConnectionScript {
    plain: Option<String>,
    sealed: Option<String>,
}

/// A server that plays these scripts, one per connection.
async fn serve(
    acceptor: TlsAcceptor,
    connections: Vec<ConnectionScript>,
) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let server_address = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        for connection in connections {
            let accepting = tokio::time::timeout(DEADLINE, listener.accept());
            let (mut stream, _): (TcpStream, _) = accepting.await.expect("a client").unwrap();
            if let Some(script) = &connection.plain {
                play(&mut stream, script).await;
            }
            if let Some(script) = &connection.sealed {
                let mut stream = acceptor.accept(stream).await.expect("a handshake");
                play(&mut stream, script).await;
            }
        }
    });
    (server_address, serving)
}

fn request(address: &str, tls: TlsUpgrade) -> Request {
    Request {
        settings: ProtocolSettings {
            news: Arc::new(NewsSettings {
                tls,
                ..NewsSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(url(address), Reason::Typed)
    }
}

fn is_group(page: &Loaded) {
    assert_eq!(texts(&page.document()), ["A burrow"]);
    assert_eq!(page.begin.as_ref().unwrap().security, Security::Verified);
}

fn trusting() -> (Net, TlsAcceptor) {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    (net, acceptor)
}

#[tokio::test]
async fn nntps_and_snews_use_implicit_tls() {
    let (net, acceptor) = trusting();
    for address in ["nntps://{}/local.burrow", "snews://{}/local.burrow"] {
        let sealed = format!(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
        );
        let connection = ConnectionScript {
            plain: None,
            sealed: Some(sealed),
        };
        let (server_address, serving) = serve(acceptor.clone(), vec![connection]).await;
        let address = address.replace("{}", &server_address);
        let page = carry_out(&net, request(&address, TlsUpgrade::Never))
            .await
            .whole();
        is_group(&page);
        // Its links lead to the same server over TLS.
        assert_eq!(
            page.place().as_str(),
            format!("nntps://{server_address}/local.burrow")
        );
        let link = page.document().links(0).remove(0).target.unwrap();
        assert_eq!(
            link.as_str(),
            format!("nntps://{server_address}/local.burrow/7")
        );
        assert_played(serving).await;
    }
}

#[tokio::test]
async fn configured_server_may_use_implicit_tls() {
    let (net, acceptor) = trusting();
    let sealed =
        format!("S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}");
    let connection = ConnectionScript {
        plain: None,
        sealed: Some(sealed),
    };
    let (server_address, serving) = serve(acceptor, vec![connection]).await;
    let mut request = request("news:local.burrow", TlsUpgrade::Never);
    request.news_query.server = NewsHost::parse(&format!("nntps://{server_address}"));
    assert_eq!(
        request.tls_authority().as_deref(),
        Some(server_address.as_str())
    );
    let page = carry_out(&net, request).await.whole();
    is_group(&page);
    assert_eq!(
        page.place().as_str(),
        format!("nntps://{server_address}/local.burrow")
    );
    assert_played(serving).await;
}

#[tokio::test]
async fn starttls_is_sent_first_when_configured() {
    let (net, acceptor) = trusting();
    for tls in [TlsUpgrade::Offer, TlsUpgrade::Require] {
        let connection = ConnectionScript {
            plain: Some(
                "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n\
                 C: STARTTLS\nS: 382 go on\n"
                    .to_owned(),
            ),
            sealed: Some(format!(
                "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
            )),
        };
        let (server_address, serving) = serve(acceptor.clone(), vec![connection]).await;
        let address = format!("nntp://{server_address}/local.burrow");
        is_group(&carry_out(&net, request(&address, tls)).await.whole());
        assert_played(serving).await;
    }
}

#[tokio::test]
async fn login_is_sent_after_starttls() {
    let (net, acceptor) = trusting();
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n";
    let connections = vec![ConnectionScript {
        plain: Some(format!("{hello}C: STARTTLS\nS: 382 go on\n")),
        sealed: Some(format!(
            "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n\
                 C: GROUP local.burrow\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 381 and\n\
                 C: AUTHINFO PASS byron\nS: 281 in\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
        )),
    }];
    let (server_address, serving) = serve(acceptor, connections).await;
    let mut request = request(
        &format!("nntp://{server_address}/local.burrow"),
        TlsUpgrade::Login,
    );
    request.login = Some(Login::new("ada", "byron"));
    is_group(&carry_out(&net, request).await.whole());
    assert_played(serving).await;
}

#[tokio::test]
async fn sasl_login_is_sent_after_starttls() {
    let (net, acceptor) = trusting();
    // The server announces no TLS, and STARTTLS is still sent before its only login method.
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: AUTHINFO SASL\n\
        S: SASL PLAIN\nS: .\n";
    let connections = vec![
        ConnectionScript {
            plain: Some(format!(
                "{hello}C: GROUP local.burrow\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 483 not like this\n"
            )),
            sealed: None,
        },
        ConnectionScript {
            plain: Some(format!("{hello}C: STARTTLS\nS: 382 go on\n")),
            sealed: Some(format!(
                "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: AUTHINFO SASL\nS: SASL PLAIN\nS: .\n\
                 C: AUTHINFO SASL PLAIN AGFkYQBieXJvbg==\nS: 281 in\n\
                 C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
            )),
        },
    ];
    let (server_address, serving) = serve(acceptor, connections).await;
    let mut request = request(
        &format!("nntp://{server_address}/local.burrow"),
        TlsUpgrade::Login,
    );
    request.login = Some(Login::new("ada", "byron"));
    is_group(&carry_out(&net, request).await.whole());
    assert_played(serving).await;
}

#[tokio::test]
async fn no_login_before_required_tls() {
    let (net, acceptor) = trusting();
    // The server announces USER without TLS.
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: AUTHINFO USER\nS: .\n";
    let connection = ConnectionScript {
        plain: Some(format!("{hello}C: STARTTLS\nS: 502 no\n")),
        sealed: None,
    };
    let (server_address, serving) = serve(acceptor, vec![connection]).await;
    let mut request = request(
        &format!("nntp://{server_address}/local.burrow"),
        TlsUpgrade::Require,
    );
    request.login = Some(Login::new("ada", "byron"));
    carry_out(&net, request).await.failure();
    assert_played(serving).await;
}

#[tokio::test]
async fn required_tls_refused_sends_nothing_more() {
    // 580 means that TLS is supported, but not available now (RFC 4642, section 2.2.1).
    for refusal in ["502 no", "580 not now", "500 what"] {
        let (net, acceptor) = trusting();
        let connection = ConnectionScript {
            plain: Some(format!(
                "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: STARTTLS\nS: {refusal}\n"
            )),
            sealed: None,
        };
        let (server_address, serving) = serve(acceptor, vec![connection]).await;
        let address = format!("nntp://{server_address}/local.burrow");
        let failure = carry_out(&net, request(&address, TlsUpgrade::Require))
            .await
            .failure();
        assert!(
            failure.sentence.contains("does not support TLS"),
            "{failure:?}"
        );
        assert_eq!(failure.said[0].as_str(), refusal);
        assert_played(serving).await;
    }
}

#[tokio::test]
async fn replies_before_the_tls_handshake_are_rejected() {
    let (net, acceptor) = trusting();
    let connection = ConnectionScript {
        plain: Some(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n\
             C: STARTTLS\nS| 382 go on\\r\\n101 here\\r\\n.\\r\\n\n"
                .to_owned(),
        ),
        sealed: None,
    };
    let (server_address, serving) = serve(acceptor, vec![connection]).await;
    let address = format!("nntp://{server_address}/local.burrow");
    let failure = carry_out(&net, request(&address, TlsUpgrade::Offer))
        .await
        .failure();
    assert!(
        failure.sentence.contains("sent more than requested"),
        "{failure:?}"
    );
    assert_played(serving).await;
}

/// The accepted certificate is a key, whatever else it says.
#[tokio::test]
async fn accepted_certificate_of_news_is_a_key() {
    let answers =
        format!("S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}");
    let connection = |script: &str| ConnectionScript {
        plain: None,
        sealed: Some(script.to_owned()),
    };
    for identity in Identity::faulty(HERE) {
        let (server_address, serving) = serve(identity.acceptor(), vec![connection("")]).await;
        let address = format!("nntps://{server_address}/local.burrow");
        let loaded = carry_out(&Net::default(), request(&address, TlsUpgrade::Never)).await;
        let Question::Certificate(error) = loaded.question() else {
            panic!("no certificate question");
        };
        assert_eq!(error.fingerprint, identity.fingerprint());
        drop(serving);
        let (server_address, serving) =
            serve(identity.acceptor(), vec![connection(&answers)]).await;
        let address = format!("nntps://{server_address}/local.burrow");
        let mut request = request(&address, TlsUpgrade::Never);
        request.trust.pin = Some(Pin {
            fingerprint: identity.fingerprint(),
            since: None,
            expires: None,
        });
        let page = carry_out(&Net::default(), request).await.whole();
        assert_eq!(page.begin.as_ref().unwrap().security, Security::Pinned);
        assert_eq!(texts(&page.document()), ["A burrow"]);
        assert_played(serving).await;
    }
}

#[tokio::test]
async fn unverified_certificate_is_a_question() {
    let identity = Identity::self_signed(HERE);
    let connection = ConnectionScript {
        plain: Some(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n\
             C: STARTTLS\nS: 382 go on\n"
                .to_owned(),
        ),
        sealed: Some(String::new()),
    };
    let (server_address, serving) = serve(identity.acceptor(), vec![connection]).await;
    let request = request(
        &format!("nntp://{server_address}/local.burrow"),
        TlsUpgrade::Offer,
    );
    assert_eq!(
        request.tls_authority().as_deref(),
        Some(server_address.as_str())
    );
    let Question::Certificate(error) = carry_out(&Net::default(), request).await.question() else {
        panic!("no certificate question");
    };
    assert_eq!(error.authority, server_address);
    drop(serving);
}
