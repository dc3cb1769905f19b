//! Paths in UTF-8, as they are shown, at a server whose names are in an older charset.

use geomys_load::check::check;
use geomys_load::{Reason, Request};
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{carry_out, show, texts, url};
use geomys_wire::net::Net;

const LIST: &[u8] = b"-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 gr\xf6\xdfe.txt\r\n";
const ROOT: &[u8] = b"B\xfcro\r\nB\xfccher\r\nreadme\r\n";
const NO: &str = "550 No such file or directory";

/// Refuses the directory `Büro` in UTF-8, and enters it in windows-1252.
async fn find_directory(peer: &mut Peer) {
    peer.answer("CWD /", "250 Home").await;
    peer.answer("CWD B\u{fc}ro", NO).await;
    peer.answer("TYPE A", "200 Yes").await;
    peer.serve("NLST", ROOT).await;
    peer.say("226 Done").await;
    peer.answer(b"CWD B\xfcro", "250 Yes").await;
}

#[tokio::test]
async fn directory_is_listed_by_its_name_as_it_is_shown() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD B\u{fc}ro", NO).await;
        find_last(&mut peer).await;
        peer.answer("CWD /", "250 Home").await;
        peer.answer(b"CWD B\xfcro", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let page = show(&net, server.url("/B%C3%BCro/")).await.whole();
    let found = page.begin.as_ref().unwrap().url.clone().unwrap();
    assert_eq!(found.as_str(), server.url("/B%FCro;type=d"));
    assert_eq!(texts(&page.document()), ["..", "größe.txt"]);
    drop(net);
    server.done().await;
}

/// Looks the last segment up in the login directory.
async fn find_last(peer: &mut Peer) {
    peer.answer("CWD /", "250 Home").await;
    peer.serve("NLST", ROOT).await;
    peer.say("226 Done").await;
}

#[tokio::test]
async fn file_is_fetched_by_its_path_as_it_is_shown() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD B\u{fc}ro", NO).await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE B\u{fc}ro/gr\u{f6}\u{df}e.txt", NO).await;
        find_directory(&mut peer).await;
        peer.serve("NLST", b"./gr\xf6\xdfe.txt\r\n").await;
        peer.say("226 Done").await;
        peer.answer("CWD /", "250 Home").await;
        peer.answer(b"CWD B\xfcro", "250 Yes").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer(b"SIZE gr\xf6\xdfe.txt", "213 5").await;
        peer.serve(b"RETR gr\xf6\xdfe.txt", "Text.").await;
        peer.say("226 Done").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let path = server.url("/B%C3%BCro/gr%C3%B6%C3%9Fe.txt;type=i");
    let page = carry_out(&net, Request::show(url(path), Reason::Typed)).await;
    assert_eq!(page.whole().octets, b"Text.");
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn refusal_stays_if_no_name_is_shown_so() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD B\u{e4}ro", NO).await;
        find_last(&mut peer).await;
        peer.answer("CWD /", "250 Home").await;
        // A check looks in the same way.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("CWD B\u{fc}ro", NO).await;
        find_last(&mut peer).await;
        peer.answer("CWD /", "250 Home").await;
        peer.answer(b"CWD B\xfcro", "250 Yes").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let failure = show(&net, server.url("/B%C3%A4ro/")).await.failure();
    assert_eq!(failure.said[0].as_str(), NO);
    let request = Request::show(url(server.url("/B%C3%BCro/")), Reason::Typed);
    let checked = check(&net, &request).await;
    assert_eq!(checked.verdict.name(), "alive");
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn refusal_stays_if_the_names_do_not_come() {
    let server = Server::start(async |door| {
        // A goodbye at EPSV is a lost connection: it is not asked again, on a new one and later.
        for (commands, reply) in [
            (&["EPSV", "PASV"][..], "425 No data connection"),
            (&["EPSV", "PASV"], "425 No data connection"),
            (&["EPSV"], "421 Goodbye"),
            (&["PASV"], "421 Goodbye"),
            (&["PASV"], "421 Goodbye"),
        ] {
            let mut peer = door.accept_anonymous().await;
            peer.answer("CWD B\u{fc}ro", NO).await;
            peer.answer("CWD /", "250 Home").await;
            for command in commands {
                peer.answer(*command, reply).await;
            }
            peer.expect_close().await;
        }
    })
    .await;
    for _ in 0..2 {
        let net = Net::default();
        let failure = show(&net, server.url("/B%C3%BCro/")).await.failure();
        assert_eq!(failure.said[0].as_str(), NO);
        let request = Request::show(url(server.url("/B%C3%BCro/")), Reason::Typed);
        let checked = check(&net, &request).await;
        assert_eq!(checked.verdict.name(), "dead", "{checked:?}");
    }
    server.done().await;
}
