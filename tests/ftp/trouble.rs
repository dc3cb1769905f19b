//! Servers on bad days: each ends in what the person wanted, or in a sentence, within the deadline.

use geomys::load::{Failure, Purpose, Request};
use geomys::net::Net;

use crate::support::ftp::Server;
use crate::support::loading::{Loaded, carry_out, hasty, show, url};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

async fn save(net: &Net, address: String) -> Loaded {
    let mut request = Request::show(url(address));
    request.purpose = Purpose::Save;
    carry_out(net, request).await
}

fn says(failure: &Failure, words: &str) {
    assert!(failure.sentence.contains(words), "{failure:?}");
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Server::start(async |door| door.visitor().await.is_left().await).await;
    let failure = show(&hasty(), server.url("/")).await.failure();
    says(&failure, "did not greet within");
    server.done().await;
}

#[tokio::test]
async fn a_reply_that_never_ends_is_given_up() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.write(b"220-Welcome\r\nand\r\n").await;
        peer.is_left().await;
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.hear("USER anonymous").await;
        peer.is_left().await;
    })
    .await;
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "did not greet",
    );
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "did not reply",
    );
    server.done().await;
}

#[tokio::test]
async fn no_greeting_that_fits() {
    for (greeting, sentence) in [
        ("421 Too many users", "did not welcome us"),
        ("120 Ready in 5 minutes", "did not welcome us"),
        ("SSH-2.0-OpenSSH", "no reply of FTP"),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.visitor().await;
            peer.say(greeting).await;
            peer.is_left().await;
        })
        .await;
        let failure = show(&hasty(), server.url("/")).await.failure();
        says(&failure, sentence);
        says(&failure, &server.place());
        server.done().await;
    }
}

#[tokio::test]
async fn an_endless_greeting_is_cut() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.write(&b"220-la la la\r\n".repeat(30_000)).await;
        peer.is_left().await;
    })
    .await;
    says(
        &show(&Net::default(), server.url("/")).await.failure(),
        "larger than",
    );
    server.done().await;
}

#[tokio::test]
async fn anonymous_is_not_asked_for_a_password() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "331 Password?").await;
        peer.answer("PASS geomys@", "530 Members only").await;
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "332 Account?").await;
    })
    .await;
    let failure = show(&hasty(), server.url("/")).await.failure();
    says(&failure, "lets nobody in without a name");
    assert_eq!(failure.said[0].as_str(), "530 Members only");
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "wants an account",
    );
    server.done().await;
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_servers_words() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.answer("CWD x", "550 x: no directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", b"550 x: No such file, caf\xe9\x1b[31m")
            .await;
        // A refusal is no fault: the connection goes on.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("TYPE A", "200 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = hasty();
    let failure = show(&net, server.url("/pub/x")).await.failure();
    let sentence = format!(
        "{} has no /pub/x, or does not give it to you",
        server.place()
    );
    assert_eq!(failure.sentence, sentence);
    assert_eq!(failure.said[0].as_str(), "550 x: No such file, café");
    show(&net, server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn a_transfer_that_breaks_off_keeps_what_came() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        peer.say("426 Cable cut").await;
        peer.is_left().await;
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        drop(peer);
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        peer.is_left().await;
    })
    .await;
    let net = hasty();
    for words in [
        "broke off after 44 octets",
        "before it said",
        "did not say that the transfer was complete",
    ] {
        let page = show(&net, server.url("/")).await;
        assert_eq!(page.octets, LIST.as_bytes());
        says(&page.failure(), words);
    }
    server.done().await;
}

#[tokio::test]
async fn all_octets_without_the_last_word_are_a_success() {
    let server = Server::start(async |door| {
        for _ in 0..2 {
            let mut peer = door.guest().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", "213 5").await;
            peer.serve("RETR x", "12345").await;
            // 226 never comes, and nothing more is asked here.
            peer.is_left().await;
        }
    })
    .await;
    let net = hasty();
    for _ in 0..2 {
        let saved = save(&net, server.url("/x;type=i")).await.whole();
        assert_eq!(saved.octets, b"12345");
    }
    server.done().await;
}

#[tokio::test]
async fn fewer_octets_than_promised_are_not_all() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", "213 5").await;
        peer.serve("RETR x", "123").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = save(&hasty(), server.url("/x;type=i")).await;
    says(&page.failure(), "sent 3 of 5 octets");
    server.done().await;
}

#[tokio::test]
async fn a_kept_connection_that_has_died_is_replaced_without_a_word() {
    for goodbye in [Some("421 Bored"), None] {
        let server = Server::start(async move |door| {
            let mut peer = door.guest().await;
            peer.serve("LIST", LIST).await;
            peer.say("226 Done").await;
            if let Some(goodbye) = goodbye {
                peer.say(goodbye).await;
            }
            drop(peer);
            let mut peer = door.guest().await;
            peer.serve("LIST", LIST).await;
            peer.say("226 Done").await;
        })
        .await;
        let net = hasty();
        for _ in 0..2 {
            let page = show(&net, server.url("/")).await.whole();
            assert_eq!(page.octets, LIST.as_bytes());
        }
        server.done().await;
    }
}

#[tokio::test]
async fn a_data_connection_that_stalls_is_given_up() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        let data = peer.extended().await;
        peer.answer("LIST", "150 Any minute now").await;
        let _held = data.accept().await.unwrap();
        peer.is_left().await;
    })
    .await;
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "sent nothing within",
    );
    server.done().await;
}
