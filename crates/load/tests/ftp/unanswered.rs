//! Commands that a server or a firewall does not answer: the next connection does without them.

use std::net::Ipv4Addr;
use std::time::Duration;

use geomys_load::check::{LinkStatus, check};
use geomys_load::{Purpose, Reason, Request};
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{carry_out, short_timeouts, show, url};
use geomys_testing::tls::{Authority, Identity};
use geomys_wire::net::{Limits, Net, Security};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

async fn serve_by_pasv(peer: &mut Peer, command: &str, octets: &str) {
    let data = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let [high, low] = data.local_addr().unwrap().port().to_be_bytes();
    let reply = format!("227 Passive (127,0,0,1,{high},{low})");
    peer.answer("PASV", reply).await;
    let (mut data, _) = data.accept().await.unwrap();
    peer.answer(command, "150 Here").await;
    data.write_all(octets.as_bytes()).await.unwrap();
    drop(data);
    peer.say("226 Done").await;
}

#[tokio::test]
async fn silence_at_epsv_leads_to_pasv_on_the_next_connections() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.expect_line("EPSV").await;
        // The connection is out of step.
        peer.expect_close().await;
        let mut peer = door.accept_anonymous().await;
        serve_by_pasv(&mut peer, "LIST", LIST).await;
        drop(peer);
        let mut peer = door.accept_anonymous().await;
        serve_by_pasv(&mut peer, "LIST", LIST).await;
    })
    .await;
    let net = short_timeouts();
    for _ in 0..2 {
        let page = show(&net, server.url("/")).await.whole();
        assert_eq!(page.octets, LIST.as_bytes());
    }
    server.done().await;
}

#[tokio::test]
async fn connection_lost_at_a_command_is_opened_again_without_it() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "331 Password?").await;
        peer.answer("PASS geomys@", "230 In").await;
        peer.expect_line("FEAT").await;
        drop(peer);
        let log_in = async || {
            let mut peer = door.accept().await;
            peer.say("220 Hello").await;
            peer.answer("USER anonymous", "331 Password?").await;
            peer.answer("PASS geomys@", "230 In").await;
            peer.answer("PWD", "257 \"/\"").await;
            peer.answer("TYPE I", "200 Yes").await;
            peer
        };
        let mut peer = log_in().await;
        peer.expect_line("SIZE x").await;
        drop(peer);
        let mut peer = log_in().await;
        peer.expect_line("MDTM x").await;
        drop(peer);
        let mut peer = log_in().await;
        peer.expect_line("EPSV").await;
        drop(peer);
        let mut peer = log_in().await;
        serve_by_pasv(&mut peer, "RETR x", "hello").await;
    })
    .await;
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(server.url("/x;type=i")), Reason::Typed)
    };
    let saved = carry_out(&short_timeouts(), request).await.whole();
    assert_eq!(saved.octets, b"hello");
    server.done().await;
}

#[tokio::test]
async fn goodbye_at_a_command_is_a_lost_connection() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "331 Password?").await;
        peer.answer("PASS geomys@", "230 In").await;
        peer.answer("FEAT", "421 Service not available").await;
        drop(peer);
        let log_in = async || {
            let mut peer = door.accept().await;
            peer.say("220 Hello").await;
            peer.answer("USER anonymous", "331 Password?").await;
            peer.answer("PASS geomys@", "230 In").await;
            peer.answer("PWD", "257 \"/\"").await;
            peer
        };
        let mut peer = log_in().await;
        peer.answer("EPSV", "421 Bye").await;
        drop(peer);
        let mut peer = log_in().await;
        serve_by_pasv(&mut peer, "LIST", LIST).await;
        drop(peer);
        let mut peer = log_in().await;
        serve_by_pasv(&mut peer, "LIST", LIST).await;
    })
    .await;
    let net = short_timeouts();
    for _ in 0..2 {
        let page = show(&net, server.url("/")).await.whole();
        assert_eq!(page.octets, LIST.as_bytes());
    }
    server.done().await;
}

#[tokio::test]
async fn check_goes_on_without_a_command_at_which_the_server_hangs_up() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD x", "550 No directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.expect_line("SIZE x").await;
        drop(peer);
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD x", "550 No directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("MDTM x", "213 20260101000000").await;
        let data = peer.open_data_port().await;
        peer.answer("RETR x", "150 Here").await;
        drop(data);
    })
    .await;
    let request = Request::show(url(server.url("/x")), Reason::Typed);
    let result = check(&short_timeouts(), &request).await;
    assert_eq!(result.verdict, LinkStatus::Alive);
    server.done().await;
}

#[tokio::test]
async fn server_that_is_gone_is_asked_for_everything_again_later() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.expect_line("EPSV").await;
        drop(peer);
        // It was not the command.
        drop(door.accept().await);
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    show(&net, server.url("/")).await.failure();
    show(&net, server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn auth_without_an_answer_is_never_left_out() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.expect_line("AUTH TLS").await;
        drop(peer);
    })
    .await;
    let address = server.url("/").replace("ftp:", "ftps:");
    show(&short_timeouts(), address).await.failure();
    server.done().await;
}

/// A network in which a server is silent for a short time before a second connection is tried.
fn impatient(authority: &Authority) -> Net {
    let limits = Limits {
        silence: Duration::from_millis(100),
        ..Limits::default()
    };
    Net::new(limits).with_root_certificate(authority.certificate())
}

async fn log_in_protected(peer: &mut Peer) {
    peer.answer("PBSZ 0", "200 Yes").await;
    peer.answer("PROT P", "200 Yes").await;
    peer.log_in("anonymous", "geomys@").await;
}

#[tokio::test]
async fn silent_server_gets_tls_on_a_second_connection_and_is_remembered() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, "127.0.0.1").acceptor();
    let server = Server::start(async move |door| {
        let mut silent = door.accept().await;
        for _ in 0..2 {
            let mut peer = door.accept_tls(&acceptor).await;
            peer.say("220 Hello").await;
            log_in_protected(&mut peer).await;
            peer.serve_tls("LIST", LIST, &acceptor).await;
            peer.say("226 Done").await;
        }
        silent.expect_close().await;
    })
    .await;
    let net = impatient(&authority);
    let address = server.url("/").replace("ftp:", "ftps:");
    for _ in 0..2 {
        let page = show(&net, &address).await.whole();
        assert_eq!(page.begin.unwrap().security, Security::Verified);
    }
    server.done().await;
}

#[tokio::test]
async fn late_greeting_without_tls_wins_over_a_silent_handshake() {
    let authority = Authority::new();
    let acceptor = Identity::by(&authority, "127.0.0.1").acceptor();
    let server = Server::start(async move |door| {
        let mut peer = door.accept().await;
        let mut second = door.accept().await;
        peer.say("220 I had to look up your name").await;
        peer.answer("AUTH TLS", "234 Go ahead").await;
        let mut peer = peer.accept_tls(&acceptor).await;
        log_in_protected(&mut peer).await;
        peer.serve_tls("LIST", LIST, &acceptor).await;
        peer.say("226 Done").await;
        second.wait_for_close().await;
    })
    .await;
    let address = server.url("/").replace("ftp:", "ftps:");
    let page = show(&impatient(&authority), &address).await.whole();
    assert_eq!(page.begin.unwrap().security, Security::Verified);
    server.done().await;
}
