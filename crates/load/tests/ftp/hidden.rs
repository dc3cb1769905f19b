//! Names that begin with a dot, on servers without MLSD.

use geomys_load::{Purpose, Reason, Request};
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, texts, url};

const FILE: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";
const DOT: &str = "drwxr-xr-x 4 0 0 4096 Nov 29 10:07 .\r\n";
const HIDDEN: &str = "-rw-r--r-- 1 ftp ftp 12 Nov 29 10:07 .htaccess\r\n";

async fn save(server: &Server) -> Loaded {
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(server.url("/")), Reason::Typed)
    };
    carry_out(&short_timeouts(), request).await.whole()
}

async fn log_in_to_unix(peer: &mut Peer) {
    peer.answer("PWD", "257 \"/\"").await;
    peer.answer("SYST", "215 UNIX Type: L8").await;
}

#[tokio::test]
async fn unix_lists_hidden_names() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        log_in_to_unix(&mut peer).await;
        peer.serve("LIST -a", [DOT, HIDDEN, FILE].concat()).await;
        peer.say("226 Done").await;
    })
    .await;
    let saved = save(&server).await;
    assert_eq!(saved.octets, [DOT, HIDDEN, FILE].concat().as_bytes());
    assert!(!saved.begin.unwrap().lacks_hidden);
    server.done().await;
}

#[tokio::test]
async fn option_that_is_refused_or_taken_for_a_name_is_left_out() {
    for refusal in [
        "550 No such file",
        "",
        "ls: cannot access '-a': No such file or directory\r\n",
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.answer("SYST", "215 UNIX Type: L8").await;
            if refusal.starts_with("550") {
                let data = peer.open_data_port().await;
                peer.answer("LIST -a", refusal).await;
                drop(data);
            } else {
                peer.serve("LIST -a", refusal).await;
                peer.say("226 Done").await;
            }
            peer.serve("LIST", FILE).await;
            peer.say("226 Done").await;
            // The option is not tried again.
            peer.answer("CWD /", "250 Home").await;
            peer.serve("LIST", FILE).await;
            peer.say("226 Done").await;
        })
        .await;
        let net = short_timeouts();
        for _ in 0..2 {
            let page = show(&net, server.url("/")).await.whole();
            assert_eq!(page.octets, FILE.as_bytes(), "{refusal}");
            assert!(page.begin.as_ref().unwrap().lacks_hidden);
            assert_eq!(texts(&page.document()), ["a file"]);
        }
        server.done().await;
    }
}

#[tokio::test]
async fn empty_directory_does_not_end_the_option() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD a", "250 In").await;
        peer.answer("SYST", "215 UNIX").await;
        for (command, octets) in [("LIST -a", ""), ("LIST", "")] {
            peer.serve(command, octets).await;
            peer.say("226 Done").await;
        }
        peer.answer("CWD /", "250 Home").await;
        peer.answer("CWD b", "250 In").await;
        peer.serve("LIST -a", HIDDEN).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    assert!(
        show(&net, server.url("/a/"))
            .await
            .whole()
            .octets
            .is_empty()
    );
    let page = show(&net, server.url("/b/")).await.whole();
    assert_eq!(page.octets, HIDDEN.as_bytes());
    server.done().await;
}
