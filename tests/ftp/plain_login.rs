//! A password and TLS: taken where it is offered, and asked about where the offer is gone (RFC 4217).

use std::sync::Arc;

use geomys::files::offered::OfferFile;
use geomys::load::{FtpWays, PlainLogin, Question, Request, Secret, Upgrade};
use geomys::net::{Limits, Net, Security};
use geomys::protocol::ftp::Safety;
use tokio_rustls::TlsAcceptor;

use crate::support::ftp::{Door, Peer, Server};
use crate::support::loading::{carry_out, hasty, show, url};
use crate::support::tls::{Authority, Identity};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

/// A network that believes the server, and the server's TLS.
fn trusting() -> (Net, TlsAcceptor) {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, "127.0.0.1").acceptor();
    let net = Net::new(Limits::default()).believing(authority.certificate());
    (net, acceptor)
}

/// A visitor who is greeted, asks for TLS and gets this answer.
async fn asking(door: &Door, answer: &str) -> Peer {
    let mut peer = door.visitor().await;
    peer.say("220 Hello").await;
    peer.answer("AUTH TLS", answer).await;
    peer
}

/// Ada over TLS, up to the answer to PROT.
async fn protecting(door: &Door, acceptor: &TlsAcceptor, answer: &str) -> Peer {
    let peer = asking(door, "234 Go on").await;
    let mut peer = peer.sealed(acceptor).await;
    peer.answer("PBSZ 0", "200 PBSZ=0").await;
    peer.answer("PROT P", answer).await;
    peer
}

/// Ada over TLS reads a listing.
async fn over_tls(door: &Door, acceptor: &TlsAcceptor) {
    let mut peer = protecting(door, acceptor, "200 Private").await;
    peer.log_in("ada", "byron").await;
    peer.serve_sealed("LIST", LIST, acceptor).await;
    peer.say("226 Done").await;
}

async fn listed(mut peer: Peer) {
    peer.log_in("ada", "byron").await;
    peer.serve("LIST", LIST).await;
    peer.say("226 Done").await;
}

fn ada(server: &Server) -> Request {
    Request::show(url(server.url_of("ada:byron", "/")))
}

/// What is asked about, as a sentence.
async fn unencrypted(net: &Net, request: Request) -> String {
    match carry_out(net, request).await.question() {
        Question::Unencrypted(unencrypted) => unencrypted.sentence(),
        other => panic!("another question: {other:?}"),
    }
}

#[tokio::test]
async fn login_with_a_password_uses_tls_where_it_is_offered() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| over_tls(&door, &acceptor).await).await;
    let page = carry_out(&net, ada(&server)).await.whole();
    assert_eq!(page.begin.unwrap().security, Security::Verified);
    server.done().await;
}

#[tokio::test]
async fn login_stays_plain_where_tls_was_never_offered_and_the_prompt_says_so() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| {
        let mut peer = asking(&door, "502 What?").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.is_left().await;
        listed(asking(&door, "502 What?").await).await;
        let mut peer = protecting(&door, &acceptor, "200 Private").await;
        peer.answer("USER bob", "331 Password?").await;
        peer.is_left().await;
    })
    .await;
    let question = show(&net, server.url_of("ada", "/")).await.question();
    let Question::Password { security, .. } = question else {
        panic!("no password is wanted: {question:?}");
    };
    assert_eq!(security.encryption(), "not encrypted");
    let page = carry_out(&net, ada(&server)).await.whole();
    assert_eq!(page.begin.unwrap().security, Security::Plain);
    let question = show(&net, server.url_of("bob", "/")).await.question();
    let Question::Password { security, .. } = question else {
        panic!("no password is wanted: {question:?}");
    };
    assert_eq!(security.encryption(), "encrypted");
    server.done().await;
}

#[tokio::test]
async fn login_is_asked_about_where_the_offer_of_tls_is_gone() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| {
        over_tls(&door, &acceptor).await;
        asking(&door, "502 What?").await.is_left().await;
        listed(asking(&door, "502 What?").await).await;
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        listed(peer).await;
    })
    .await;
    carry_out(&net, ada(&server)).await.whole();
    // The connection over TLS is not there any more.
    let place = server.place();
    let forgetting = Net::default();
    forgetting.note_tls_offer(&place).await;
    let sentence = unencrypted(&forgetting, ada(&server)).await;
    assert_eq!(
        sentence,
        format!("{place} has offered TLS before, and does not now (“502 What?”)")
    );
    let request = Request {
        plain_login: PlainLogin::Accepted,
        ..ada(&server)
    };
    carry_out(&forgetting, request).await.whole();
    // Whoever has set it so is not asked.
    let request = Request {
        ftp: Arc::new(FtpWays {
            tls_by_host: vec![("127.0.0.1".to_owned(), Upgrade::Never)],
            ..FtpWays::default()
        }),
        ..ada(&server)
    };
    carry_out(&forgetting, request).await.whole();
    server.done().await;
}

#[tokio::test]
async fn offers_of_tls_are_remembered_from_any_visit_and_outlive_the_program() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data/tls-offers.txt");
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "230 In").await;
        peer.answer("FEAT", "211-Features\r\n AUTH SSL;TLS\r\n211 End")
            .await;
        peer.answer("PWD", "257 \"/\"").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
        asking(&door, "530 Not now").await.is_left().await;
    })
    .await;
    let net = hasty().remembering(Arc::new(OfferFile::new(&path)));
    show(&net, server.url("/")).await.whole();
    let place = server.place();
    let written = std::fs::read_to_string(&path).unwrap();
    let day = written
        .lines()
        .last()
        .unwrap()
        .strip_prefix(&place)
        .unwrap();
    let later = Net::default().remembering(Arc::new(OfferFile::new(&path)));
    let sentence = unencrypted(&later, ada(&server)).await;
    assert_eq!(
        sentence,
        format!("{place} has offered TLS since{day}, and does not now (“530 Not now”)")
    );
    server.done().await;
}

#[tokio::test]
async fn data_that_stays_plain_is_refused_before_the_login_or_after_it() {
    let (net, acceptor) = trusting();
    let server = Server::start(async move |door| {
        let mut peer = protecting(&door, &acceptor, "536 Only C").await;
        peer.is_left().await;
        let mut peer = protecting(&door, &acceptor, "530 Log in first").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.answer("PASS byron", "230 In").await;
        peer.answer("PBSZ 0", "200 PBSZ=0").await;
        peer.answer("PROT P", "536 Only C").await;
        peer.is_left().await;
    })
    .await;
    for end in [
        "so nobody logged in",
        "so the session was closed after the login",
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
fn a_password_decides_when_tls_begins() {
    let ways = |tls| FtpWays {
        tls,
        ..FtpWays::default()
    };
    for (tls, nothing, password, accepted) in [
        (Upgrade::Never, Safety::Plain, Safety::Plain, Safety::Plain),
        (
            Upgrade::Login,
            Safety::Plain,
            Safety::Guarded,
            Safety::Offered,
        ),
        (
            Upgrade::Offer,
            Safety::Offered,
            Safety::Guarded,
            Safety::Offered,
        ),
        (
            Upgrade::Require,
            Safety::Explicit,
            Safety::Explicit,
            Safety::Explicit,
        ),
    ] {
        let safety = |secret| ways(tls).safety(false, "h.example", 21, secret);
        assert_eq!(safety(Secret::Nothing), nothing);
        assert_eq!(safety(Secret::Password), password);
        assert_eq!(safety(Secret::PlainPassword), accepted);
    }
    assert_eq!(FtpWays::default().tls, Upgrade::Login);
}
