//! Active data connections (RFC 959, section 3.2; RFC 2428, section 2): only with the setting or the answer to a
//! question.

use std::net::Ipv4Addr;
use std::sync::Arc;

use geomys_load::{FtpSettings, ProtocolSettings, Question, Reason, Request};
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{carry_out, short_timeouts, show, url};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

fn active(address: String) -> Request {
    Request {
        settings: ProtocolSettings {
            ftp: Arc::new(FtpSettings {
                active: true,
                ..FtpSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..Request::show(url(address), Reason::Typed)
    }
}

async fn refuse_to_be_dialled(peer: &mut Peer) {
    peer.answer("EPSV", "500 What?").await;
    peer.answer("PASV", "502 Not here").await;
}

async fn send(mut data: TcpStream) {
    data.write_all(LIST.as_bytes()).await.unwrap();
}

#[tokio::test]
async fn eprt_refused_falls_back_to_port() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        refuse_to_be_dialled(&mut peer).await;
        let port = peer.expect_port("EPRT |1|127.0.0.1|", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        send(
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap(),
        )
        .await;
        peer.say("226 Done").await;
        peer.answer("CWD /", "250 Home").await;
        peer.answer("PASV", "502 Not here").await;
        peer.expect_port("EPRT |1|127.0.0.1|", "500 What?").await;
        let port = peer.expect_port("PORT 127,0,0,1,", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        send(
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap(),
        )
        .await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    for _ in 0..2 {
        let page = carry_out(&net, active(server.url("/"))).await.whole();
        assert_eq!(page.octets, LIST.as_bytes());
    }
    server.done().await;
}

#[tokio::test]
async fn data_connection_from_another_address_is_refused() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        refuse_to_be_dialled(&mut peer).await;
        let port = peer.expect_port("EPRT |1|127.0.0.1|", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        let other_client = tokio::net::TcpSocket::new_v4().unwrap();
        other_client
            .bind((Ipv4Addr::new(127, 0, 0, 2), 0).into())
            .unwrap();
        let other_client = other_client
            .connect((Ipv4Addr::LOCALHOST, port).into())
            .await;
        send(
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap(),
        )
        .await;
        peer.say("226 Done").await;
        drop(other_client);
    })
    .await;
    let page = carry_out(&short_timeouts(), active(server.url("/")))
        .await
        .whole();
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
}

#[tokio::test]
async fn server_that_must_connect_leads_to_a_question_once() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        refuse_to_be_dialled(&mut peer).await;
        peer.expect_close().await;
        let mut peer = door.accept_anonymous().await;
        refuse_to_be_dialled(&mut peer).await;
        let port = peer.expect_port("EPRT |1|127.0.0.1|", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        send(
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap(),
        )
        .await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    let asked = show(&net, server.url("/")).await;
    assert_eq!(
        asked.question(),
        Question::ActiveMode {
            authority: server.place()
        }
    );
    let mut request = Request::show(url(server.url("/")), Reason::Typed);
    request.consents.active = true;
    let page = carry_out(&net, request).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
}

/// The user has agreed that a server which refuses may connect: one that says nothing, or whose port does not answer,
/// has refused nothing.
#[tokio::test]
async fn consent_holds_for_a_refusal_alone() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.expect_line("EPSV").await;
        // The connection is out of step after the silence.
        peer.expect_close().await;
        let mut peer = door.accept_anonymous().await;
        peer.answer("PASV", "502 Not here").await;
        peer.expect_close().await;
    })
    .await;
    let silent = server.url("/");
    let closed = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        // Nobody listens on the reserved port 1 (RFC 6335).
        peer.answer("EPSV", "229 Here (|||1|)").await;
        peer.answer("PASV", "227 Passive (127,0,0,1,0,1)").await;
        peer.expect_close().await;
    })
    .await;
    for address in [silent, closed.url("/")] {
        let mut request = Request::show(url(address), Reason::Typed);
        request.consents.active = true;
        let failure = carry_out(&short_timeouts(), request).await.failure();
        assert!(!failure.sentence.contains("did not open"), "{failure:?}");
    }
    server.done().await;
    closed.done().await;
}

#[tokio::test]
async fn missing_active_connection_times_out() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        refuse_to_be_dialled(&mut peer).await;
        peer.expect_port("EPRT |1|127.0.0.1|", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        peer.expect_close().await;
    })
    .await;
    let failure = carry_out(&short_timeouts(), active(server.url("/")))
        .await
        .failure();
    assert!(failure.sentence.contains("did not open"), "{failure:?}");
    server.done().await;
}
