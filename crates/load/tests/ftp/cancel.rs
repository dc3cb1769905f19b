//! A load that nobody wants any more: its data connection is closed, the reply is read to its end, and the connection
//! is used again.

use geomys_load::{LoadId, Part, Purpose, Reason, Request, ResumeRequest, Sink, Version, load};
use geomys_testing::archive::{Archive, Node, ServerBehavior, line, test_octets};
use geomys_testing::ftp::Server;
use geomys_testing::loading::{carry_out, show, url};
use geomys_wire::net::Net;
use tokio::sync::{mpsc, oneshot};

/// Loads a URL until the server has heard something, or octets have come, and drops the load.
async fn load_until(net: &Net, address: String, heard: impl Future<Output = ()>) {
    load_request_until(net, Request::show(url(address), Reason::Typed), heard).await;
}

async fn load_request_until(net: &Net, request: Request, heard: impl Future<Output = ()>) {
    let (sender, mut parts) = mpsc::channel(16);
    let loading = Box::pin(load(net, request, Sink::new(LoadId(1), sender)));
    let octets = async {
        while let Some((_, part)) = parts.recv().await {
            if matches!(part, Part::Octets(_)) {
                break;
            }
        }
    };
    let enough = async {
        tokio::select! {
            () = octets => {}
            () = heard => {}
        }
    };
    tokio::select! {
        () = enough => {}
        () = loading => panic!("the load has ended"),
    }
}

#[tokio::test]
async fn connection_of_a_dropped_load_is_used_again() {
    let (heard, hears) = oneshot::channel();
    let server = Server::start(async move |door| {
        let mut peer = door.accept_anonymous().await;
        // Dropped while the reply to CWD is awaited.
        peer.expect_line("CWD a").await;
        heard.send(()).unwrap();
        peer.say("250-It").await;
        peer.say(" takes").await;
        peer.say("250 time").await;
        peer.answer("CWD /", "250 Home").await;
        // Dropped while data comes.
        let line = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 notes\r\n";
        let data = peer.open_data_port().await;
        let (mut data, _) = data.accept().await.unwrap();
        peer.answer("LIST", "150 Here it comes").await;
        tokio::io::AsyncWriteExt::write_all(&mut data, line.as_bytes())
            .await
            .unwrap();
        let mut rest = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut data, &mut rest)
            .await
            .ok();
        peer.say("426 Failure writing network stream").await;
        peer.answer("CWD /", "250 Home").await;
        peer.serve("LIST", line).await;
        peer.say("226 Done").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    load_until(&net, server.url("/a/"), async { hears.await.unwrap() }).await;
    load_until(&net, server.url("/"), std::future::pending()).await;
    let page = show(&net, server.url("/")).await.whole();
    assert_eq!(page.document().count(), 1);
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn twelve_dropped_downloads_need_one_login() {
    let nodes = [
        (
            "/",
            Node::Directory(line("-rw-r--r--", 8_000_000, b"a.txt")),
        ),
        (
            "/a.txt",
            Node::File(
                test_octets(8_000_000)
                    .iter()
                    .map(|octet| octet % 64 + 32)
                    .collect(),
            ),
        ),
    ];
    let server = Archive::start(nodes, ServerBehavior::default()).await;
    let net = Net::default();
    for _ in 0..12 {
        load_until(&net, server.url("/a.txt"), std::future::pending()).await;
    }
    show(&net, server.url("/")).await.whole();
    assert_eq!(server.command_count("USER"), 1);
}

#[tokio::test]
async fn type_is_sent_again_after_its_reply_was_dropped() {
    let (heard, hears) = oneshot::channel();
    let (dropped, is_dropped) = oneshot::channel::<()>();
    let server = Server::start(async move |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Binary").await;
        peer.answer("SIZE a.bin", "213 5").await;
        peer.answer("MDTM a.bin", "213 19940314120000").await;
        peer.serve("RETR a.bin", b"\0\r\n\xff.").await;
        peer.say("226 Done").await;
        peer.answer("CWD /", "250 Home").await;
        peer.expect_line("TYPE A").await;
        heard.send(()).unwrap();
        is_dropped.await.unwrap();
        peer.say("200 Text").await;
        peer.answer("CWD /", "250 Home").await;
        peer.answer("TYPE I", "200 Binary").await;
        peer.answer("SIZE a.bin", "213 5").await;
        peer.answer("MDTM a.bin", "213 19940314120000").await;
        peer.serve("RETR a.bin", b"\0\r\n\xff.").await;
        peer.say("226 Done").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let save = || Request {
        purpose: Purpose::Save,
        ..Request::show(url(server.url("/a.bin;type=i")), Reason::Typed)
    };
    carry_out(&net, save()).await.whole();
    load_until(&net, server.url("/"), async { hears.await.unwrap() }).await;
    dropped.send(()).unwrap();
    assert_eq!(carry_out(&net, save()).await.whole().octets, b"\0\r\n\xff.");
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn connection_with_a_pending_restart_is_not_used_again() {
    for is_dropped in [true, false] {
        let (heard, hears) = oneshot::channel();
        let (dropped, drops) = oneshot::channel::<()>();
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.answer("TYPE I", "200 Binary").await;
            peer.answer("SIZE a.bin", "213 9").await;
            peer.answer("MDTM a.bin", "213 19940314120000").await;
            let _data = peer.open_data_port().await;
            peer.expect_line("REST 4").await;
            if is_dropped {
                heard.send(()).unwrap();
                drops.await.unwrap();
                peer.say("350 From there").await;
            } else {
                peer.say("350 From there").await;
                peer.answer("RETR a.bin", "550 No").await;
                // The file may be shorter now.
                let _data = peer.open_data_port().await;
                peer.answer("RETR a.bin", "550 No").await;
            }
            peer.expect_close().await;
        })
        .await;
        let net = Net::default();
        let mut save = Request {
            purpose: Purpose::Save,
            ..Request::show(url(server.url("/a.bin;type=i")), Reason::Typed)
        };
        save.save.resume = Some(ResumeRequest {
            offset: 4,
            version: Version::default(),
        });
        if is_dropped {
            load_request_until(&net, save, async { hears.await.unwrap() }).await;
            dropped.send(()).unwrap();
        } else {
            carry_out(&net, save).await.failure();
        }
        server.done().await;
        drop(net);
    }
}
