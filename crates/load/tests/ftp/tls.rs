//! FTP over TLS: implicit, by AUTH TLS, by a setting; data protected like commands (RFC 4217).

use std::sync::Arc;

use geomys_load::{
    FtpSettings, LoginSecret, ProtocolSettings, Question, Reason, Request, TlsUpgrade,
};
use geomys_testing::ftp::{FtpListener, Peer, Server};
use geomys_testing::loading::{Loaded, as_user, carry_out, short_timeouts, url};
use geomys_testing::tls::{Authority, Identity};
use geomys_wire::net::{Limits, Net, Pin, Security, Trust};
use geomys_wire::protocol::ftp::{
    ActiveMode, DataReply, FtpCredentials, FtpHost, FtpTlsMode, NewFtpConnection,
};
use tokio_rustls::TlsAcceptor;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

const HERE: &str = "127.0.0.1";

/// Logs an anonymous client in over TLS.
async fn log_in(peer: &mut Peer) {
    peer.answer("PBSZ 0", "200 PBSZ=0").await;
    peer.answer("PROT P", "200 Private").await;
    peer.answer("USER anonymous", "331 Password?").await;
    peer.answer("PASS geomys@", "230 In").await;
    peer.answer("FEAT", "500 What?").await;
    peer.answer("PWD", "257 \"/\"").await;
}

async fn by_auth(door: &FtpListener, acceptor: &TlsAcceptor) -> Peer {
    let mut peer = door.accept().await;
    peer.say("220 Hello").await;
    peer.answer("AUTH TLS", "234 Go on").await;
    let mut peer = peer.accept_tls(acceptor).await;
    log_in(&mut peer).await;
    peer
}

fn request(address: &str, tls: TlsUpgrade) -> Request {
    Request {
        settings: ProtocolSettings {
            ftp: Arc::new(FtpSettings {
                tls,
                ..FtpSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(url(address), Reason::Typed)
    }
}

fn security(loaded: &Loaded) -> Security {
    loaded.begin.as_ref().expect("a beginning").security
}

fn secured(server: &Server, rest: &str) -> String {
    server.url(rest).replacen("ftp:", "ftps:", 1)
}

#[tokio::test]
async fn server_that_cannot_start_tls_for_data_says_why() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = by_auth(&door, &acceptor).await;
        let _data = peer.open_data_port().await;
        peer.answer("LIST", "150 Here it comes").await;
        peer.say("522 Session reuse required").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let request = request(&secured(&server, "/"), TlsUpgrade::Never);
    let failure = carry_out(&net, request).await.failure();
    assert_eq!(failure.said[0].as_str(), "522 Session reuse required");
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn data_connection_resumes_the_control_tls_session() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = by_auth(&door, &acceptor).await;
        for listing in 0..4 {
            if listing > 0 {
                peer.answer("CWD /", "250 Home").await;
            }
            let resumed = peer.serve_tls("LIST", LIST, &acceptor).await;
            assert!(resumed, "listing {listing}");
            peer.say("226 Done").await;
        }
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    // On a port of its own, ftps begins by AUTH TLS.
    for _ in 0..4 {
        let page = carry_out(&net, request(&secured(&server, "/"), TlsUpgrade::Never)).await;
        let page = page.whole();
        assert_eq!(security(&page), Security::Verified);
        assert_eq!(page.octets, LIST.as_bytes());
    }
    server.done().await;
}

#[tokio::test]
async fn settings_upgrade_ftp_to_tls() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        for _ in 0..2 {
            let mut peer = by_auth(&door, &acceptor).await;
            peer.serve_tls("LIST", LIST, &acceptor).await;
            peer.say("226 Done").await;
        }
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    for tls in [TlsUpgrade::Offer, TlsUpgrade::Require] {
        let page = carry_out(&net, request(&server.url("/"), tls))
            .await
            .whole();
        assert_eq!(security(&page), Security::Verified);
    }
    server.done().await;
}

#[tokio::test]
async fn refused_auth_tls_stays_plain_when_optional() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.log_in("anonymous", "geomys@").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = carry_out(
        &short_timeouts(),
        request(&server.url("/"), TlsUpgrade::Offer),
    )
    .await;
    assert_eq!(security(&page.whole()), Security::Plain);
    server.done().await;
}

#[tokio::test]
async fn required_tls_refused_sends_no_login() {
    let server = Server::start(async |door| {
        for _ in 0..2 {
            let mut peer = door.accept().await;
            peer.say("220 Hello").await;
            peer.answer("AUTH TLS", "502 What?").await;
            peer.expect_close().await;
        }
    })
    .await;
    for (address, tls) in [
        (server.url("/"), TlsUpgrade::Require),
        (secured(&server, "/"), TlsUpgrade::Never),
    ] {
        let failure = carry_out(&short_timeouts(), request(&address, tls))
            .await
            .failure();
        assert!(
            failure.sentence.contains("does not support TLS"),
            "{failure:?}"
        );
        assert_eq!(failure.said[0].as_str(), "502 What?");
    }
    server.done().await;
}

#[tokio::test]
async fn unencrypted_data_is_refused() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "234 Go on").await;
        let mut peer = peer.accept_tls(&acceptor).await;
        peer.answer("PBSZ 0", "200 PBSZ=0").await;
        peer.answer("PROT P", "536 Only C").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let loaded = carry_out(&net, request(&server.url("/"), TlsUpgrade::Offer)).await;
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
async fn replies_before_the_tls_handshake_are_rejected() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.expect_line("AUTH TLS").await;
        peer.write(b"234 Go on\r\n230 In already\r\n").await;
        peer.expect_close().await;
    })
    .await;
    let loaded = carry_out(
        &short_timeouts(),
        request(&secured(&server, "/"), TlsUpgrade::Never),
    )
    .await;
    let failure = loaded.failure();
    assert!(
        failure.sentence.contains("may have been injected"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn unverified_certificate_asks_and_may_be_pinned() {
    asks_and_may_be_pinned(&Identity::self_signed(HERE)).await;
}

/// The accepted certificate is a key for commands and data, whatever else it says.
#[tokio::test]
async fn accepted_certificate_of_ftp_is_a_key() {
    for identity in Identity::faulty(HERE) {
        asks_and_may_be_pinned(&identity).await;
    }
}

async fn asks_and_may_be_pinned(identity: &Identity) {
    let acceptor = identity.acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "234 Go on").await;
        peer.expect_failed_handshake(&acceptor).await;
        let mut peer = by_auth(&door, &acceptor).await;
        assert!(peer.serve_tls("LIST", LIST, &acceptor).await);
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::default();
    let mut request = request(&server.url("/"), TlsUpgrade::Offer);
    let Question::Certificate(error) = carry_out(&net, request.clone()).await.question() else {
        panic!("no certificate question");
    };
    assert_eq!(Some(error.authority), request.tls_authority());
    request.trust = Trust {
        pin: Some(Pin {
            fingerprint: identity.fingerprint(),
            since: None,
            expires: None,
        }),
        ..Trust::default()
    };
    let page = carry_out(&net, request).await.whole();
    assert_eq!(security(&page), Security::Pinned);
    server.done().await;
}

#[tokio::test]
async fn listing_without_close_notify_is_kept_unconfirmed() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = by_auth(&door, &acceptor).await;
        peer.serve_tls_truncated("LIST", LIST, &acceptor).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let page = carry_out(&net, request(&secured(&server, "/"), TlsUpgrade::Never)).await;
    assert_eq!(page.unconfirmed().octets, LIST.as_bytes());
    server.done().await;
}

#[tokio::test]
async fn plain_reply_during_tls_is_rejected() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "234 Go on").await;
        // vsftpd does this when it cannot continue.
        peer.reply_plain_after_handshake(&acceptor, b"500 OOPS: no such directory\r\n")
            .await;
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let loaded = carry_out(&net, request(&secured(&server, "/"), TlsUpgrade::Never)).await;
    let failure = loaded.failure();
    assert!(
        failure.sentence.contains("continued without TLS"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn implicit_tls_starts_before_the_greeting() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, HERE).acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.accept_tls(&acceptor).await;
        peer.say("220 Hello").await;
        log_in(&mut peer).await;
        assert!(peer.serve_tls("LIST", LIST, &acceptor).await);
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let (name, port) = server.place().rsplit_once(':').map(parted).unwrap();
    let host = FtpHost {
        name,
        port,
        tls_mode: FtpTlsMode::Implicit,
        trust: Trust::default(),
    };
    let credentials = FtpCredentials::anonymous(b"geomys@");
    let net = as_user(&net);
    let connection = NewFtpConnection::open(&net, &host, &credentials);
    let mut session = connection
        .await
        .unwrap()
        .log_in(&net, ActiveMode::Asked)
        .await
        .unwrap();
    let (DataReply::Transfer(mut transfer), None) = session.list(&net).await.unwrap() else {
        panic!("no listing");
    };
    let octets = session.read(&net, &mut transfer).await.unwrap();
    assert_eq!(octets, LIST.as_bytes());
    assert!(session.read(&net, &mut transfer).await.unwrap().is_empty());
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
fn tls_mode_depends_on_scheme_host_and_port() {
    let ways = FtpSettings {
        tls_by_host: vec![
            ("safe.example".to_owned(), TlsUpgrade::Require),
            ("old.example".to_owned(), TlsUpgrade::Never),
        ],
        tls: TlsUpgrade::Offer,
        ..FtpSettings::default()
    };
    for (is_ftps, host, port, expected) in [
        (false, "one.example", 2990, FtpTlsMode::IfOffered),
        (true, "old.example", 990, FtpTlsMode::Implicit),
        (true, "old.example", 21, FtpTlsMode::Detect),
        (true, "any.example", 2121, FtpTlsMode::Detect),
        (false, "Safe.example.", 21, FtpTlsMode::Explicit),
        (false, "old.example", 990, FtpTlsMode::Plain),
        (false, "any.example", 21, FtpTlsMode::IfOffered),
    ] {
        let tls_mode = ways.tls_mode(is_ftps, host, port, LoginSecret::Nothing);
        assert_eq!(tls_mode, expected, "{host}:{port}");
    }
}
