//! A password and STARTTLS: taken where it is announced, and asked about where it is refused or gone (RFC 4642).

use std::sync::Arc;

use geomys::load::{Login, NewsWays, PlainLogin, Question, Request, Upgrade};
use geomys::net::Net;

use crate::support::command::{geomys_in, text};
use crate::support::loading::{carry_out, texts, url};
use crate::support::script::{listen, played};

const READS: &str = "C: GROUP local.burrow\nS: 211 1 7 7 local.burrow\nC: OVER 7-7\nS: 224 here\n\
    S: 7\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\n";

/// A greeting, and CAPABILITIES with these beside the usual ones.
fn hello(capabilities: &str) -> String {
    format!("S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\n{capabilities}S: .\n")
}

/// The dialogue of a login without TLS that is asked for, and a group.
fn logs_in(capabilities: &str) -> String {
    let (hello, learnt) = (hello(capabilities), hello(capabilities));
    let learnt = learnt.strip_prefix("S: 200 hi\n").unwrap();
    format!(
        "{hello}C: GROUP local.burrow\nS: 480 who\nC: AUTHINFO USER ada\nS: 381 and\n\
         C: AUTHINFO PASS byron\nS: 281 in\n{learnt}{READS}"
    )
}

fn ada(place: impl std::fmt::Display, tls: Upgrade, plain_login: PlainLogin) -> Request {
    Request {
        login: Some(Login::new("ada", "byron")),
        plain_login,
        news: Arc::new(NewsWays {
            tls_by_host: vec![("127.0.0.1".to_owned(), tls)],
            ..NewsWays::default()
        }),
        ..Request::show(url(format!("nntp://{place}/local.burrow")))
    }
}

const STARTTLS: &str = "S: STARTTLS\n";

#[tokio::test]
async fn starttls_that_is_announced_and_refused_is_asked_about() {
    let refuses = format!("{}C: STARTTLS\nS: 580 cannot\n", hello(STARTTLS));
    for tls in [Upgrade::Login, Upgrade::Offer] {
        let (place, playing) = listen(&[&refuses]).await;
        let question = carry_out(&Net::default(), ada(place, tls, PlainLogin::Ask)).await;
        let Question::Unencrypted(unencrypted) = question.question() else {
            panic!("another question");
        };
        assert_eq!(
            unencrypted.sentence(),
            format!("{place} announces TLS, and refused to begin it (“580 cannot”)")
        );
        assert!(unencrypted.setting().contains("[news.tls-by-host]"));
        played(playing).await;
        // A person lets it go; TLS is tried once more.
        let (place, playing) = listen(&[&refuses, &logs_in(STARTTLS)]).await;
        let request = ada(place, tls, PlainLogin::Accepted);
        let page = carry_out(&Net::default(), request).await.whole();
        assert_eq!(texts(&page.document()), ["A burrow"]);
        played(playing).await;
    }
}

#[tokio::test]
async fn never_is_honoured_where_tls_is_announced() {
    let (place, playing) = listen(&[&logs_in(STARTTLS)]).await;
    let request = ada(place, Upgrade::Never, PlainLogin::Ask);
    carry_out(&Net::default(), request).await.whole();
    played(playing).await;
}

#[tokio::test]
async fn login_is_asked_about_where_starttls_is_announced_no_longer() {
    let anonymous = format!("{}{READS}", hello(STARTTLS));
    // The announcement is remembered from a visit without a login.
    let asked = format!("{}C: GROUP local.burrow\nS: 480 who\nsilence", hello(""));
    // Where names are taken at the start, none is given then either.
    let early = format!("{}silence", hello("S: AUTHINFO USER\n"));
    for gone in [&asked, &early] {
        let (place, playing) = listen(&[&anonymous, gone, &logs_in("")]).await;
        let net = Net::default();
        let read = Request {
            login: None,
            ..ada(place, Upgrade::Login, PlainLogin::Ask)
        };
        carry_out(&net, read).await.whole();
        let stripped = Net::default();
        stripped.note_tls_offer(&place.to_string()).await;
        assert!(net.tls_offer(&place.to_string()).await.is_some());
        let request = ada(place, Upgrade::Login, PlainLogin::Ask);
        let question = carry_out(&stripped, request).await.question();
        let Question::Unencrypted(unencrypted) = question else {
            panic!("another question: {question:?}");
        };
        assert!(
            unencrypted.sentence().ends_with("does not now"),
            "{unencrypted:?}"
        );
        let request = ada(place, Upgrade::Login, PlainLogin::Accepted);
        carry_out(&stripped, request).await.whole();
        played(playing).await;
    }
}

#[tokio::test]
async fn login_where_tls_was_never_offered_stays_as_it_was() {
    let (place, playing) = listen(&[&logs_in("")]).await;
    let request = ada(place, Upgrade::Login, PlainLogin::Ask);
    carry_out(&Net::default(), request).await.whole();
    played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_terminal_the_sentence_names_the_setting() {
    let asked = format!("{}C: GROUP local.burrow\nS: 480 who\nsilence", hello(""));
    let (place, playing) = listen(&[&asked, &asked]).await;
    let profile = tempfile::tempdir().unwrap();
    let directory = profile.path().to_str().unwrap();
    let offers = format!("# words\n{place} 2026-11-01\n");
    std::fs::write(profile.path().join("tls-offers.txt"), offers).unwrap();
    let netrc = profile.path().join(".netrc");
    std::fs::write(&netrc, "machine 127.0.0.1 login ada password byron\n").unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&netrc, private).unwrap();
    let address = format!("nntp://{place}/local.burrow");
    for command in [&["dump"][..], &["get", "-o", "-"]] {
        let arguments = [command, &["--config", directory, &address]].concat();
        let output = geomys_in(&[("HOME", directory)], &arguments, "");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            text(&output.stderr),
            format!(
                "geomys: {place} has offered TLS since 2026-11-01, and does not now, so the password was not sent; \
                 \"127.0.0.1\" = \"never\" under [news.tls-by-host] in settings.toml sends it without TLS\n"
            )
        );
    }
    played(playing).await;
}
