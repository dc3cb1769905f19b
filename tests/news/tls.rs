//! News over TLS: from the first octet, by STARTTLS, for a password alone (RFC 4642, RFC 8143).

use std::sync::Arc;

use geomys::load::{Login, NewsHost, NewsWays, Question, Request, Upgrade};
use geomys::net::{Limits, Net, Security};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use crate::support::loading::{Loaded, carry_out, texts, url};
use crate::support::script::{DEADLINE, play, played};
use crate::support::tls::{Authority, Identity};

const HERE: &str = "127.0.0.1";

const READS: &str = "C: GROUP local.burrow\nS: 211 1 7 7 local.burrow\nC: OVER 7-7\nS: 224 here\n\
    S: 7\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\n";

/// What one visitor is told: in the clear, then over TLS.
struct Visit {
    plain: Option<String>,
    sealed: Option<String>,
}

/// A server that serves these visitors, one after the other.
async fn serve(acceptor: TlsAcceptor, visits: Vec<Visit>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        for visit in visits {
            let visitor = tokio::time::timeout(DEADLINE, listener.accept());
            let (mut stream, _): (TcpStream, _) = visitor.await.expect("a visitor").unwrap();
            if let Some(script) = &visit.plain {
                play(&mut stream, script).await;
            }
            if let Some(script) = &visit.sealed {
                let mut stream = acceptor.accept(stream).await.expect("a handshake");
                play(&mut stream, script).await;
            }
        }
    });
    (place, serving)
}

fn request(address: &str, tls: Upgrade) -> Request {
    Request {
        news: Arc::new(NewsWays {
            tls,
            ..NewsWays::default()
        }),
        ..Request::show(url(address))
    }
}

fn is_group(page: &Loaded) {
    assert_eq!(texts(&page.document()), ["A burrow"]);
    assert_eq!(page.begin.as_ref().unwrap().security, Security::Verified);
}

fn trusting() -> (Net, TlsAcceptor) {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let net = Net::new(Limits::default()).believing(authority.certificate());
    (net, acceptor)
}

#[tokio::test]
async fn nntps_and_snews_are_sealed_from_the_first_octet() {
    let (net, acceptor) = trusting();
    for address in ["nntps://{}/local.burrow", "snews://{}/local.burrow"] {
        let sealed = format!(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
        );
        let visit = Visit {
            plain: None,
            sealed: Some(sealed),
        };
        let (place, serving) = serve(acceptor.clone(), vec![visit]).await;
        let address = address.replace("{}", &place);
        let page = carry_out(&net, request(&address, Upgrade::Never))
            .await
            .whole();
        is_group(&page);
        // Its links lead to the same server by the same way.
        assert_eq!(
            page.place().as_str(),
            format!("nntps://{place}/local.burrow")
        );
        let link = page.document().links(0).remove(0).target.unwrap();
        assert_eq!(link.as_str(), format!("nntps://{place}/local.burrow/7"));
        played(serving).await;
    }
}

#[tokio::test]
async fn the_server_that_is_set_may_be_sealed() {
    let (net, acceptor) = trusting();
    let sealed =
        format!("S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}");
    let visit = Visit {
        plain: None,
        sealed: Some(sealed),
    };
    let (place, serving) = serve(acceptor, vec![visit]).await;
    let mut request = request("news:local.burrow", Upgrade::Never);
    request.news_server = NewsHost::parse(&format!("nntps://{place}"));
    assert_eq!(request.certificate_place().as_deref(), Some(place.as_str()));
    let page = carry_out(&net, request).await.whole();
    is_group(&page);
    assert_eq!(
        page.place().as_str(),
        format!("nntps://{place}/local.burrow")
    );
    played(serving).await;
}

#[tokio::test]
async fn starttls_comes_before_everything_where_it_is_wanted() {
    let (net, acceptor) = trusting();
    for tls in [Upgrade::Offer, Upgrade::Require] {
        let visit = Visit {
            plain: Some(
                "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n\
                 C: STARTTLS\nS: 382 go on\n"
                    .to_owned(),
            ),
            sealed: Some(format!(
                "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
            )),
        };
        let (place, serving) = serve(acceptor.clone(), vec![visit]).await;
        let address = format!("nntp://{place}/local.burrow");
        is_group(&carry_out(&net, request(&address, tls)).await.whole());
        played(serving).await;
    }
}

#[tokio::test]
async fn a_password_waits_for_tls() {
    let (net, acceptor) = trusting();
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n";
    let visits = vec![Visit {
        plain: Some(format!("{hello}C: STARTTLS\nS: 382 go on\n")),
        sealed: Some(format!(
            "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n\
                 C: GROUP local.burrow\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 381 and\n\
                 C: AUTHINFO PASS byron\nS: 281 in\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
        )),
    }];
    let (place, serving) = serve(acceptor, visits).await;
    let mut request = request(&format!("nntp://{place}/local.burrow"), Upgrade::Login);
    request.login = Some(Login::new("ada", "byron"));
    is_group(&carry_out(&net, request).await.whole());
    played(serving).await;
}

#[tokio::test]
async fn sasl_waits_for_tls_as_well() {
    let (net, acceptor) = trusting();
    // It offers no TLS, and is asked for it all the same before the only way in that it has.
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: AUTHINFO SASL\n\
        S: SASL PLAIN\nS: .\n";
    let visits = vec![
        Visit {
            plain: Some(format!(
                "{hello}C: GROUP local.burrow\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 483 not like this\n"
            )),
            sealed: None,
        },
        Visit {
            plain: Some(format!("{hello}C: STARTTLS\nS: 382 go on\n")),
            sealed: Some(format!(
                "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: AUTHINFO SASL\nS: SASL PLAIN\nS: .\n\
                 C: AUTHINFO SASL PLAIN AGFkYQBieXJvbg==\nS: 281 in\n\
                 C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n{READS}"
            )),
        },
    ];
    let (place, serving) = serve(acceptor, visits).await;
    let mut request = request(&format!("nntp://{place}/local.burrow"), Upgrade::Login);
    request.login = Some(Login::new("ada", "byron"));
    is_group(&carry_out(&net, request).await.whole());
    played(serving).await;
}

#[tokio::test]
async fn no_password_is_said_at_the_start_before_tls_that_is_required() {
    let (net, acceptor) = trusting();
    // It announces names in the clear, and no TLS.
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: AUTHINFO USER\nS: .\n";
    let visit = Visit {
        plain: Some(format!("{hello}C: STARTTLS\nS: 502 no\n")),
        sealed: None,
    };
    let (place, serving) = serve(acceptor, vec![visit]).await;
    let mut request = request(&format!("nntp://{place}/local.burrow"), Upgrade::Require);
    request.login = Some(Login::new("ada", "byron"));
    carry_out(&net, request).await.failure();
    played(serving).await;
}

#[tokio::test]
async fn a_server_without_tls_is_asked_nothing_where_it_is_required() {
    // 580 is what it says that could, and cannot now (RFC 4642, section 2.2.1).
    for refusal in ["502 no", "580 not now", "500 what"] {
        let (net, acceptor) = trusting();
        let visit = Visit {
            plain: Some(format!(
                "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: STARTTLS\nS: {refusal}\n"
            )),
            sealed: None,
        };
        let (place, serving) = serve(acceptor, vec![visit]).await;
        let address = format!("nntp://{place}/local.burrow");
        let failure = carry_out(&net, request(&address, Upgrade::Require))
            .await
            .failure();
        assert!(
            failure.sentence.contains("does not speak TLS"),
            "{failure:?}"
        );
        assert_eq!(failure.said[0].as_str(), refusal);
        played(serving).await;
    }
}

#[tokio::test]
async fn what_is_said_before_the_handshake_is_believed_by_nobody() {
    let (net, acceptor) = trusting();
    let visit = Visit {
        plain: Some(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n\
             C: STARTTLS\nS| 382 go on\\r\\n101 here\\r\\n.\\r\\n\n"
                .to_owned(),
        ),
        sealed: None,
    };
    let (place, serving) = serve(acceptor, vec![visit]).await;
    let address = format!("nntp://{place}/local.burrow");
    let failure = carry_out(&net, request(&address, Upgrade::Offer))
        .await
        .failure();
    assert!(
        failure.sentence.contains("sent more than was asked for"),
        "{failure:?}"
    );
    played(serving).await;
}

#[tokio::test]
async fn a_certificate_of_nobody_is_a_question() {
    let identity = Identity::self_signed(HERE);
    let visit = Visit {
        plain: Some(
            "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: STARTTLS\nS: .\n\
             C: STARTTLS\nS: 382 go on\n"
                .to_owned(),
        ),
        sealed: Some(String::new()),
    };
    let (place, serving) = serve(identity.acceptor(), vec![visit]).await;
    let request = request(&format!("nntp://{place}/local.burrow"), Upgrade::Offer);
    assert_eq!(request.certificate_place().as_deref(), Some(place.as_str()));
    let Question::Certificate(doubt) = carry_out(&Net::default(), request).await.question() else {
        panic!("no doubt");
    };
    assert_eq!(doubt.place, place);
    drop(serving);
}
