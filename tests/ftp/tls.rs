//! FTP over TLS: implicit, by AUTH TLS, by a setting; data as safe as commands (RFC 4217).

use std::sync::Arc;

use geomys::load::{FtpWays, Question, Request, Secret, Upgrade};
use geomys::net::{Limits, Net, Pin, Security, Trust};
use geomys::protocol::ftp::{Answer, Host, Safety, Session, Visitor};
use tokio_rustls::TlsAcceptor;

use crate::support::ftp::{Door, Peer, Server};
use crate::support::loading::{Loaded, carry_out, hasty, url};
use crate::support::tls::{Authority, Identity};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

const HERE: &str = "127.0.0.1";

/// Logs a visitor in over TLS, without a name.
async fn log_in(peer: &mut Peer) {
    peer.answer("PBSZ 0", "200 PBSZ=0").await;
    peer.answer("PROT P", "200 Private").await;
    peer.answer("USER anonymous", "331 Password?").await;
    peer.answer("PASS geomys@", "230 In").await;
    peer.answer("FEAT", "500 What?").await;
    peer.answer("PWD", "257 \"/\"").await;
}

async fn by_auth(door: &Door, acceptor: &TlsAcceptor) -> Peer {
    let mut peer = door.visitor().await;
    peer.say("220 Hello").await;
    peer.answer("AUTH TLS", "234 Go on").await;
    let mut peer = peer.sealed(acceptor).await;
    log_in(&mut peer).await;
    peer
}

fn request(address: &str, tls: Upgrade) -> Request {
    Request {
        ftp: Arc::new(FtpWays {
            tls,
            ..FtpWays::default()
        }),
        ..Request::show(url(address))
    }
}

fn security(loaded: &Loaded) -> Security {
    loaded.begin.as_ref().expect("a beginning").security
}

fn secured(server: &Server, rest: &str) -> String {
    server.url(rest).replacen("ftp:", "ftps:", 1)
}

#[tokio::test]
async fn data_resumes_the_session_of_the_commands() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = by_auth(&door, &acceptor).await;
        for listing in 0..4 {
            if listing > 0 {
                peer.answer("CWD /", "250 Home").await;
            }
            let resumed = peer.serve_sealed("LIST", LIST, &acceptor).await;
            assert!(resumed, "listing {listing}");
            peer.say("226 Done").await;
        }
    })
    .await;
    let net = Net::new(Limits::default()).believing(authority.certificate());
    // On a port of its own, ftps begins by AUTH TLS.
    for _ in 0..4 {
        let page = carry_out(&net, request(&secured(&server, "/"), Upgrade::Never)).await;
        let page = page.whole();
        assert_eq!(security(&page), Security::Verified);
        assert_eq!(page.octets, LIST.as_bytes());
    }
    server.done().await;
}

#[tokio::test]
async fn ftp_is_upgraded_where_the_settings_ask_for_it() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        for _ in 0..2 {
            let mut peer = by_auth(&door, &acceptor).await;
            peer.serve_sealed("LIST", LIST, &acceptor).await;
            peer.say("226 Done").await;
        }
    })
    .await;
    let net = Net::new(Limits::default()).believing(authority.certificate());
    for tls in [Upgrade::Offer, Upgrade::Require] {
        let page = carry_out(&net, request(&server.url("/"), tls))
            .await
            .whole();
        assert_eq!(security(&page), Security::Verified);
    }
    server.done().await;
}

#[tokio::test]
async fn where_it_may_stay_plain_it_does_and_says_so() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.log_in("anonymous", "geomys@").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = carry_out(&hasty(), request(&server.url("/"), Upgrade::Offer)).await;
    assert_eq!(security(&page.whole()), Security::Plain);
    server.done().await;
}

#[tokio::test]
async fn nobody_logs_in_where_tls_is_required_and_refused() {
    let server = Server::start(async |door| {
        for _ in 0..2 {
            let mut peer = door.visitor().await;
            peer.say("220 Hello").await;
            peer.answer("AUTH TLS", "502 What?").await;
            peer.is_left().await;
        }
    })
    .await;
    for (address, tls) in [
        (server.url("/"), Upgrade::Require),
        (secured(&server, "/"), Upgrade::Never),
    ] {
        let failure = carry_out(&hasty(), request(&address, tls)).await.failure();
        assert!(
            failure.sentence.contains("does not speak TLS"),
            "{failure:?}"
        );
        assert_eq!(failure.said[0].as_str(), "502 What?");
    }
    server.done().await;
}

#[tokio::test]
async fn data_in_the_clear_is_refused() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "234 Go on").await;
        let mut peer = peer.sealed(&acceptor).await;
        peer.answer("PBSZ 0", "200 PBSZ=0").await;
        peer.answer("PROT P", "536 Only C").await;
        peer.is_left().await;
    })
    .await;
    let net = Net::new(Limits::default()).believing(authority.certificate());
    let loaded = carry_out(&net, request(&server.url("/"), Upgrade::Offer)).await;
    let failure = loaded.failure();
    assert!(
        failure
            .sentence
            .contains("sends listings and files without it"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn what_is_said_between_yes_and_tls_is_believed_by_nobody() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.hear("AUTH TLS").await;
        peer.write(b"234 Go on\r\n230 In already\r\n").await;
        peer.is_left().await;
    })
    .await;
    let loaded = carry_out(&hasty(), request(&secured(&server, "/"), Upgrade::Never)).await;
    let failure = loaded.failure();
    assert!(
        failure.sentence.contains("somebody in between"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_a_question_and_may_be_pinned() {
    let identity = Identity::self_signed(HERE);
    let acceptor = identity.acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "234 Go on").await;
        peer.fails_to_seal(&acceptor).await;
        let mut peer = by_auth(&door, &acceptor).await;
        assert!(peer.serve_sealed("LIST", LIST, &acceptor).await);
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::default();
    let mut request = request(&server.url("/"), Upgrade::Offer);
    let Question::Certificate(doubt) = carry_out(&net, request.clone()).await.question() else {
        panic!("no doubt");
    };
    assert_eq!(Some(doubt.place), request.certificate_place());
    request.trust = Trust {
        pin: Some(Pin {
            fingerprint: identity.fingerprint(),
            since: None,
        }),
        once: None,
    };
    let page = carry_out(&net, request).await.whole();
    assert_eq!(security(&page), Security::Pinned);
    server.done().await;
}

#[tokio::test]
async fn a_listing_that_somebody_has_cut_does_not_pass_for_whole() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = by_auth(&door, &acceptor).await;
        peer.serve_cut("LIST", LIST, &acceptor).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::new(Limits::default()).believing(authority.certificate());
    let page = carry_out(&net, request(&secured(&server, "/"), Upgrade::Never)).await;
    // What came is shown all the same.
    assert_eq!(page.octets, LIST.as_bytes());
    let failure = page.failure();
    assert!(
        failure.sentence.contains("did not say, as TLS does"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn a_server_that_falls_back_to_plain_is_not_followed() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "234 Go on").await;
        // As vsftpd does when it cannot go on.
        peer.sealed_once(&acceptor, b"500 OOPS: no such directory\r\n")
            .await;
    })
    .await;
    let net = Net::new(Limits::default()).believing(authority.certificate());
    let loaded = carry_out(&net, request(&secured(&server, "/"), Upgrade::Never)).await;
    let failure = loaded.failure();
    assert!(
        failure.sentence.contains("went on without TLS"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn implicit_tls_comes_before_the_greeting() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.sealed(&acceptor).await;
        peer.say("220 Hello").await;
        log_in(&mut peer).await;
        assert!(peer.serve_sealed("LIST", LIST, &acceptor).await);
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::new(Limits::default()).believing(authority.certificate());
    // No port but its own says so in a URL, and that is not a test's to take.
    let (name, port) = server.place().rsplit_once(':').map(parted).unwrap();
    let host = Host {
        name,
        port,
        safety: Safety::Implicit,
        trust: Trust::default(),
    };
    let visitor = Visitor::anonymous(b"geomys@");
    let mut session = Session::open(&net, &host, &visitor, false).await.unwrap();
    let (Answer::Transfer(mut transfer), None) = session.list(&net).await.unwrap() else {
        panic!("no listing");
    };
    assert_eq!(transfer.read(&net).await.unwrap(), LIST.as_bytes());
    assert!(transfer.read(&net).await.unwrap().is_empty());
    assert!(
        session
            .finish(&net, transfer, true)
            .await
            .unwrap()
            .is_done()
    );
    server.done().await;
}

fn parted((host, port): (&str, &str)) -> (String, u16) {
    (host.to_owned(), port.parse().unwrap())
}

#[test]
fn when_tls_begins() {
    let ways = FtpWays {
        tls_by_host: vec![
            ("safe.example".to_owned(), Upgrade::Require),
            ("old.example".to_owned(), Upgrade::Never),
        ],
        tls: Upgrade::Offer,
        ..FtpWays::default()
    };
    for (is_ftps, host, port, expected) in [
        (true, "old.example", 990, Safety::Implicit),
        (true, "old.example", 21, Safety::Explicit),
        (true, "any.example", 2121, Safety::Explicit),
        (false, "Safe.example.", 21, Safety::Explicit),
        (false, "old.example", 990, Safety::Plain),
        (false, "any.example", 21, Safety::Offered),
    ] {
        let safety = ways.safety(is_ftps, host, port, Secret::Nothing);
        assert_eq!(safety, expected, "{host}:{port}");
    }
}
