//! Login with a password: TLS is used when offered, and a question is asked when the offer is missing (RFC 4217).

use std::sync::Arc;

use geomys_load::{
    Consents, FtpSettings, LoginSecret, PlainLoginConsent, ProtocolSettings, Question, Reason,
    Request, TlsUpgrade,
};
use geomys_testing::ftp::{FtpListener, Peer, Server};
use geomys_testing::loading::{carry_out, show, url};
use geomys_testing::tls::{Authority, Identity};
use geomys_wire::net::{Limits, Net, Security};
use geomys_wire::protocol::ftp::FtpTlsMode;
use tokio_rustls::TlsAcceptor;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

/// A network that trusts the server's authority, and the server's TLS acceptor.
fn trusting() -> (Net, TlsAcceptor) {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, "127.0.0.1").acceptor();
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    (net, acceptor)
}

/// Greets a client and answers its AUTH TLS with `answer`.
async fn asking(door: &FtpListener, answer: &str) -> Peer {
    let mut peer = door.accept().await;
    peer.say("220 Hello").await;
    peer.answer("AUTH TLS", answer).await;
    peer
}

/// Logs Ada in over TLS, up to the reply to PROT.
async fn protecting(door: &FtpListener, acceptor: &TlsAcceptor, answer: &str) -> Peer {
    let peer = asking(door, "234 Go on").await;
    let mut peer = peer.accept_tls(acceptor).await;
    peer.answer("PBSZ 0", "200 PBSZ=0").await;
    peer.answer("PROT P", answer).await;
    peer
}

/// Serves a listing to Ada over TLS.
async fn over_tls(door: &FtpListener, acceptor: &TlsAcceptor) {
    let mut peer = protecting(door, acceptor, "200 Private").await;
    peer.log_in("ada", "byron").await;
    peer.serve_tls("LIST", LIST, acceptor).await;
    peer.say("226 Done").await;
}

async fn listed(mut peer: Peer) {
    peer.log_in("ada", "byron").await;
    peer.serve("LIST", LIST).await;
    peer.say("226 Done").await;
}

fn ada(server: &Server) -> Request {
    Request::show(url(server.url_of("ada:byron", "/")), Reason::Typed)
}

/// The text of the question.
async fn unencrypted(net: &Net, request: Request) -> String {
    match carry_out(net, request).await.question() {
        Question::Unencrypted(unencrypted) => unencrypted.sentence(),
        other => panic!("another question: {other:?}"),
    }
}

#[tokio::test]
async fn login_with_password_uses_offered_tls() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| over_tls(&door, &acceptor).await).await;
    let page = carry_out(&net, ada(&server)).await.whole();
    assert_eq!(page.begin.unwrap().security, Security::Verified);
    server.done().await;
}

#[tokio::test]
async fn login_without_tls_offer_stays_plain_and_prompt_says_so() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| {
        let mut peer = asking(&door, "502 What?").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.expect_close().await;
        listed(asking(&door, "502 What?").await).await;
        let mut peer = protecting(&door, &acceptor, "200 Private").await;
        peer.answer("USER bob", "331 Password?").await;
        peer.expect_close().await;
    })
    .await;
    let question = show(&net, server.url_of("ada", "/")).await.question();
    let Question::Password { security, .. } = question else {
        panic!("no password prompt: {question:?}");
    };
    assert_eq!(security.encryption(), "not encrypted");
    let page = carry_out(&net, ada(&server)).await.whole();
    assert_eq!(page.begin.unwrap().security, Security::Plain);
    let question = show(&net, server.url_of("bob", "/")).await.question();
    let Question::Password { security, .. } = question else {
        panic!("no password prompt: {question:?}");
    };
    assert_eq!(security.encryption(), "encrypted");
    server.done().await;
}

#[tokio::test]
async fn login_asks_when_tls_is_no_longer_offered() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| {
        over_tls(&door, &acceptor).await;
        asking(&door, "502 What?").await.expect_close().await;
        listed(asking(&door, "502 What?").await).await;
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        listed(peer).await;
    })
    .await;
    carry_out(&net, ada(&server)).await.whole();
    // The TLS connection is closed now.
    let server_address = server.place();
    let forgetting = Net::default();
    forgetting.record_tls_offer(&server_address).await;
    let sentence = unencrypted(&forgetting, ada(&server)).await;
    assert_eq!(
        sentence,
        format!("{server_address} has offered TLS before, but not now (“502 What?”)")
    );
    let request = Request {
        consents: Consents {
            plain_login: PlainLoginConsent::Accepted,
            ..Consents::default()
        },
        ..ada(&server)
    };
    carry_out(&forgetting, request).await.whole();
    // The setting suppresses the question.
    let request = Request {
        settings: ProtocolSettings {
            ftp: Arc::new(FtpSettings {
                tls_by_host: vec![("127.0.0.1".to_owned(), TlsUpgrade::Never)],
                ..FtpSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..ada(&server)
    };
    carry_out(&forgetting, request).await.whole();
    server.done().await;
}

#[tokio::test]
async fn unencrypted_data_is_refused_before_or_after_login() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| {
        let mut peer = protecting(&door, &acceptor, "536 Only C").await;
        peer.expect_close().await;
        let mut peer = protecting(&door, &acceptor, "530 Log in first").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.answer("PASS byron", "230 In").await;
        peer.answer("PBSZ 0", "200 PBSZ=0").await;
        peer.answer("PROT P", "536 Only C").await;
        peer.expect_close().await;
    })
    .await;
    for end in [
        "so no login was sent",
        "so the connection was closed after the login",
    ] {
        let failure = carry_out(&net, ada(&server)).await.failure();
        assert!(failure.sentence.ends_with(end), "{failure:?}");
        assert!(
            failure.advice.unwrap().contains("tls-by-host"),
            "{failure:?}"
        );
    }
    server.done().await;
}

#[test]
fn tls_mode_depends_on_setting_and_password() {
    let ways = |tls| FtpSettings {
        tls,
        ..FtpSettings::default()
    };
    for (tls, nothing, password, accepted) in [
        (
            TlsUpgrade::Never,
            FtpTlsMode::Plain,
            FtpTlsMode::Plain,
            FtpTlsMode::Plain,
        ),
        (
            TlsUpgrade::Login,
            FtpTlsMode::Plain,
            FtpTlsMode::NoDowngrade,
            FtpTlsMode::IfOffered,
        ),
        (
            TlsUpgrade::Offer,
            FtpTlsMode::IfOffered,
            FtpTlsMode::NoDowngrade,
            FtpTlsMode::IfOffered,
        ),
        (
            TlsUpgrade::Require,
            FtpTlsMode::Explicit,
            FtpTlsMode::Explicit,
            FtpTlsMode::Explicit,
        ),
    ] {
        let tls_mode = |secret| ways(tls).tls_mode(false, "h.example", 21, secret);
        assert_eq!(tls_mode(LoginSecret::Nothing), nothing);
        assert_eq!(tls_mode(LoginSecret::Password), password);
        assert_eq!(tls_mode(LoginSecret::PlainPassword), accepted);
    }
    assert_eq!(FtpSettings::default().tls, TlsUpgrade::Login);
}
