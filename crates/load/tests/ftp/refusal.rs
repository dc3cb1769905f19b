//! Refusals and replies of the server that come while data is awaited.

use geomys_load::{Purpose, Reason, Request};
use geomys_page::document::Shape;
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{carry_out, show, url};
use geomys_wire::net::Net;
use tokio::net::TcpListener;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Jan 02 10:00 README\r\n";

/// Expects EPSV and `command`, begins the transfer, and refuses it; the data connection stays open.
async fn refuse_after_150(peer: &mut Peer, command: &str, reply: &str) -> TcpListener {
    let data = peer.open_data_port().await;
    peer.answer(command, "150 Here it comes").await;
    peer.say(reply).await;
    data
}

#[tokio::test]
async fn refusal_after_150_is_shown_at_once() {
    // The deadlines of the network are longer than that of the test.
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let _data = refuse_after_150(&mut peer, "LIST", "451 Disk error").await;
        // The session is still in step.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("CWD a.txt", "550 No directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE a.txt", "213 5").await;
        let _data = refuse_after_150(&mut peer, "RETR a.txt", "426 Tape is torn").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let failure = show(&net, server.url("/")).await.failure();
    assert_eq!(failure.said[0].as_str(), "451 Disk error");
    let failure = show(&net, server.url("/a.txt")).await.failure();
    assert_eq!(failure.said[0].as_str(), "426 Tape is torn");
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn refusal_in_the_middle_keeps_what_came() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE a.txt", "213 500").await;
        peer.answer("MDTM a.txt", "500 What?").await;
        let data = peer.open_data_port().await;
        peer.answer("RETR a.txt", "150 Here it comes").await;
        let (mut data, _) = data.accept().await.expect("a data connection");
        tokio::io::AsyncWriteExt::write_all(&mut data, b"begin")
            .await
            .expect("sent");
        peer.say("451 Disk error").await;
        peer.expect_close().await;
    })
    .await;
    let mut request = Request::show(url(server.url("/a.txt;type=i")), Reason::Typed);
    request.purpose = Purpose::Save;
    let loaded = carry_out(&Net::default(), request).await;
    assert_eq!(loaded.octets, b"begin");
    let failure = loaded.failure();
    assert!(
        failure
            .sentence
            .contains("closed the connection after 5 bytes")
    );
    assert_eq!(failure.said[0].as_str(), "451 Disk error");
    server.done().await;
}

#[tokio::test]
async fn final_reply_before_the_data_ends_nothing_early() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let data = peer.open_data_port().await;
        peer.answer("LIST", "150 Here it comes").await;
        peer.say("226 Sent, as far as this end knows").await;
        peer.send(&data, LIST.as_bytes()).await;
        // The readme, in the same session.
        peer.answer("MDTM README", "500 What?").await;
        peer.serve("RETR README", "Hello\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/")).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    let titles: Vec<&str> = page.remarks.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(titles, ["README"]);
    server.done().await;
}

#[tokio::test]
async fn control_connection_that_closes_during_the_data_ends_nothing() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE a.txt", "213 5").await;
        let data = peer.open_data_port().await;
        peer.answer("RETR a.txt", "150 Here it comes").await;
        drop(peer);
        let (mut data, _) = data.accept().await.expect("a data connection");
        tokio::io::AsyncWriteExt::write_all(&mut data, b"apple")
            .await
            .expect("sent");
    })
    .await;
    let page = show(&Net::default(), server.url("/a.txt;type=i")).await;
    assert_eq!(page.whole().octets, b"apple");
    server.done().await;
}

#[tokio::test]
async fn html_is_a_page_by_name_and_by_content() {
    const HTML: &str = "<!DOCTYPE html><title>Apples</title><p>Apples";
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        for (name, content) in [
            ("a.HTM", "Apples"),
            ("apples", HTML),
            ("b.txt", "Apples <html>"),
        ] {
            if name != "a.HTM" {
                peer.answer("CWD /", "250 Home").await;
            }
            peer.answer(format!("CWD {name}"), "550 No directory").await;
            if name == "a.HTM" {
                peer.answer("TYPE I", "200 Yes").await;
            }
            peer.answer(format!("SIZE {name}"), "500 What?").await;
            peer.serve(format!("RETR {name}"), content).await;
            peer.say("226 Done").await;
        }
    })
    .await;
    let net = Net::default();
    for (name, shape) in [
        ("a.HTM", Shape::Html),
        ("apples", Shape::Html),
        ("b.txt", Shape::Text),
    ] {
        let page = show(&net, server.url(&format!("/{name}"))).await.whole();
        assert_eq!(page.begin.expect("a page").shape, shape, "{name}");
    }
    server.done().await;
}
