//! Octet 255 in names: doubled as Telnet has it, or as it is on servers that do not undouble it.

use geomys_testing::ftp::Server;
use geomys_testing::loading::show;
use geomys_wire::net::Net;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

#[tokio::test]
async fn name_that_is_missing_doubled_is_tried_as_it_is_and_the_host_remembered() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer(b"CWD \xff\xff\xe1", "550 Failed to change directory")
            .await;
        peer.answer(b"CWD \xff\xe1", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
        drop(peer);
        // A new session of the same host, at once as it is.
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer(b"SIZE \xff.txt", "213 6").await;
        peer.serve(b"RETR \xff.txt", "apple\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::default();
    show(&net, server.url("/%FF%E1/")).await.whole();
    let page = show(&net, server.url("/%FF.txt;type=i")).await.whole();
    assert_eq!(page.octets, b"apple\n");
    server.done().await;
}

#[tokio::test]
async fn file_without_size_is_fetched_over_a_second_data_connection() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let _unused = peer.open_data_port().await;
        peer.answer(b"RETR \xff\xff", "550 Failed to open file")
            .await;
        peer.serve(b"RETR \xff", "apple\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/%FF;type=a")).await;
    assert_eq!(page.whole().octets, b"apple\r\n");
    server.done().await;
}

#[tokio::test]
async fn missing_name_is_tried_once_each_way_and_fails_with_the_first_reply() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        for again in [false, true] {
            if again {
                // The session is still in step.
                peer.answer("CWD /", "250 Home").await;
            }
            peer.answer(b"CWD \xff\xff", "550 Doubled: no such directory")
                .await;
            peer.answer(b"CWD \xff", "550 Single: no such directory")
                .await;
        }
    })
    .await;
    let net = Net::default();
    for _ in 0..2 {
        let failure = show(&net, server.url("/%FF/")).await.failure();
        assert_eq!(failure.said[0].as_str(), "550 Doubled: no such directory");
    }
    server.done().await;
}

#[tokio::test]
async fn server_that_undoubles_gets_only_doubled_names() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer(b"CWD \xff\xff", "250 Yes").await;
        peer.answer(b"CWD a\xff\xff", "550 No such directory").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let failure = show(&net, server.url("/%FF/a%FF/")).await.failure();
    assert_eq!(failure.said[0].as_str(), "550 No such directory");
    drop(net);
    server.done().await;
}
