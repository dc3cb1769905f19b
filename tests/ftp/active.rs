//! Data connections that the server dials (RFC 959, section 3.2; RFC 2428, section 2): by a setting alone.

use std::net::Ipv4Addr;
use std::sync::Arc;

use geomys::load::{FtpWays, Request};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::ftp::{Peer, Server};
use crate::support::loading::{carry_out, hasty, show, url};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

fn active(address: String) -> Request {
    Request {
        ftp: Arc::new(FtpWays {
            active: true,
            ..FtpWays::default()
        }),
        ..Request::show(url(address))
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
async fn eprt_then_port() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        refuse_to_be_dialled(&mut peer).await;
        let port = peer.hear_port("EPRT |1|127.0.0.1|", "200 Yes").await;
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
        peer.hear_port("EPRT |1|127.0.0.1|", "500 What?").await;
        let port = peer.hear_port("PORT 127,0,0,1,", "200 Yes").await;
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
    let net = hasty();
    for _ in 0..2 {
        let page = carry_out(&net, active(server.url("/"))).await.whole();
        assert_eq!(page.octets, LIST.as_bytes());
    }
    server.done().await;
}

#[tokio::test]
async fn nobody_but_the_server_is_let_in() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        refuse_to_be_dialled(&mut peer).await;
        let port = peer.hear_port("EPRT |1|127.0.0.1|", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        let stranger = tokio::net::TcpSocket::new_v4().unwrap();
        stranger
            .bind((Ipv4Addr::new(127, 0, 0, 2), 0).into())
            .unwrap();
        let stranger = stranger.connect((Ipv4Addr::LOCALHOST, port).into()).await;
        send(
            TcpStream::connect((Ipv4Addr::LOCALHOST, port))
                .await
                .unwrap(),
        )
        .await;
        peer.say("226 Done").await;
        drop(stranger);
    })
    .await;
    let page = carry_out(&hasty(), active(server.url("/"))).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
}

#[tokio::test]
async fn without_the_setting_nothing_is_opened() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        refuse_to_be_dialled(&mut peer).await;
        peer.is_left().await;
    })
    .await;
    let failure = show(&hasty(), server.url("/")).await.failure();
    assert!(
        failure.sentence.contains("offers no data connection"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn a_server_that_never_dials_is_given_up() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        refuse_to_be_dialled(&mut peer).await;
        peer.hear_port("EPRT |1|127.0.0.1|", "200 Yes").await;
        peer.answer("LIST", "150 Here").await;
        peer.is_left().await;
    })
    .await;
    let failure = carry_out(&hasty(), active(server.url("/"))).await.failure();
    assert!(failure.sentence.contains("did not dial"), "{failure:?}");
    server.done().await;
}

#[tokio::test]
async fn a_reply_that_is_late_is_not_taken_for_that_to_the_next_command() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.hear("EPSV").await;
        // No EPRT comes: the connection is out of step, and closed.
        peer.is_left().await;
    })
    .await;
    let failure = carry_out(&hasty(), active(server.url("/"))).await.failure();
    assert!(failure.sentence.contains("did not reply"), "{failure:?}");
    server.done().await;
}
