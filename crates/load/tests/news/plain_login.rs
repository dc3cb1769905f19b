//! Login with a password: STARTTLS is used when announced, and a question is asked when it is refused or missing (RFC
//! 4642).

use std::sync::Arc;

use geomys_load::{
    Consents, Login, NewsSettings, PlainLoginConsent, ProtocolSettings, Question, Reason, Request,
    TlsUpgrade,
};
use geomys_testing::loading::{carry_out, texts, url};
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;

const READS: &str = "C: GROUP local.burrow\nS: 211 1 7 7 local.burrow\nC: OVER 7-7\nS: 224 here\n\
    S: 7\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\n";

/// A greeting, and CAPABILITIES with these in addition to the usual ones.
fn hello(capabilities: &str) -> String {
    format!("S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\n{capabilities}S: .\n")
}

/// The dialogue of a login without TLS on demand, and a group.
fn logs_in(capabilities: &str) -> String {
    let (hello, learnt) = (hello(capabilities), hello(capabilities));
    let learnt = learnt.strip_prefix("S: 200 hi\n").unwrap();
    format!(
        "{hello}C: GROUP local.burrow\nS: 480 who\nC: AUTHINFO USER ada\nS: 381 and\n\
         C: AUTHINFO PASS byron\nS: 281 in\n{learnt}{READS}"
    )
}

fn ada(
    authority: impl std::fmt::Display,
    tls: TlsUpgrade,
    plain_login: PlainLoginConsent,
) -> Request {
    Request {
        login: Some(Login::new("ada", "byron")),
        consents: Consents {
            plain_login,
            ..Consents::default()
        },
        settings: ProtocolSettings {
            news: Arc::new(NewsSettings {
                tls_by_host: vec![("127.0.0.1".to_owned(), tls)],
                ..NewsSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(
            url(format!("nntp://{authority}/local.burrow")),
            Reason::Typed,
        )
    }
}

const STARTTLS: &str = "S: STARTTLS\n";

#[tokio::test]
async fn refused_starttls_asks_before_login() {
    let refuses = format!("{}C: STARTTLS\nS: 580 cannot\n", hello(STARTTLS));
    for tls in [TlsUpgrade::Login, TlsUpgrade::Offer] {
        let (authority, playing) = listen(&[&refuses]).await;
        let question =
            carry_out(&Net::default(), ada(authority, tls, PlainLoginConsent::Ask)).await;
        let Question::Unencrypted(unencrypted) = question.question() else {
            panic!("another question");
        };
        assert_eq!(
            unencrypted.sentence(),
            format!("{authority} announces TLS but refused it (“580 cannot”)")
        );
        assert!(unencrypted.setting().contains("[news.tls-by-host]"));
        assert_played(playing).await;
        // The user accepts it; TLS is tried once more.
        let (authority, playing) = listen(&[&refuses, &logs_in(STARTTLS)]).await;
        let request = ada(authority, tls, PlainLoginConsent::Accepted);
        let page = carry_out(&Net::default(), request).await.whole();
        assert_eq!(texts(&page.document()), ["A burrow"]);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn announced_starttls_that_does_not_exist_is_no_offer() {
    for refusal in ["500 what", "502 unavailable", "503 not supported"] {
        let refuses = format!("{}C: STARTTLS\nS: {refusal}\n", hello(STARTTLS));
        let (authority, playing) = listen(&[
            &refuses,
            &logs_in(STARTTLS),
            &refuses,
            &logs_in(""),
            &refuses,
        ])
        .await;
        let request = || ada(authority, TlsUpgrade::Login, PlainLoginConsent::Ask);
        let visit = async || carry_out(&Net::default(), request()).await;
        visit().await.whole();
        // Nor is it recorded: nothing is asked where the announcement is missing.
        let net = Net::default();
        let page = carry_out(&net, request()).await.whole();
        assert_eq!(texts(&page.document()), ["A burrow"]);
        assert_eq!(net.tls_offer(&authority.to_string()).await, None);
        // A server that has accepted STARTTLS has it.
        let accepted = Net::default();
        accepted.record_tls_offer(&authority.to_string()).await;
        let question = carry_out(&accepted, request()).await.question();
        assert!(matches!(question, Question::Unencrypted(_)), "{question:?}");
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn tls_never_logs_in_plain_where_tls_is_announced() {
    let (authority, playing) = listen(&[&logs_in(STARTTLS)]).await;
    let request = ada(authority, TlsUpgrade::Never, PlainLoginConsent::Ask);
    carry_out(&Net::default(), request).await.whole();
    assert_played(playing).await;
}

#[tokio::test]
async fn starttls_no_longer_announced_asks_before_login() {
    let anonymous = format!("{}{READS}", hello(STARTTLS));
    // The announcement is remembered from a connection without a login.
    let login_demanded = format!("{}C: GROUP local.burrow\nS: 480 who\nsilence", hello(""));
    // When USER is announced at the start, no name is sent then either.
    let early = format!("{}silence", hello("S: AUTHINFO USER\n"));
    for later in [&login_demanded, &early] {
        let (authority, playing) = listen(&[&anonymous, later, &logs_in("")]).await;
        let net = Net::default();
        let read = Request {
            login: None,
            ..ada(authority, TlsUpgrade::Login, PlainLoginConsent::Ask)
        };
        carry_out(&net, read).await.whole();
        let stripped = Net::default();
        stripped.record_tls_offer(&authority.to_string()).await;
        assert!(net.tls_offer(&authority.to_string()).await.is_some());
        let request = ada(authority, TlsUpgrade::Login, PlainLoginConsent::Ask);
        let question = carry_out(&stripped, request).await.question();
        let Question::Unencrypted(unencrypted) = question else {
            panic!("another question: {question:?}");
        };
        assert!(
            unencrypted.sentence().ends_with("but not now"),
            "{unencrypted:?}"
        );
        let request = ada(authority, TlsUpgrade::Login, PlainLoginConsent::Accepted);
        carry_out(&stripped, request).await.whole();
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn login_without_tls_offer_asks_nothing() {
    let (authority, playing) = listen(&[&logs_in("")]).await;
    let request = ada(authority, TlsUpgrade::Login, PlainLoginConsent::Ask);
    carry_out(&Net::default(), request).await.whole();
    assert_played(playing).await;
}
