//! Transfers from servers that are down or busy.

use std::net::Ipv4Addr;
use std::time::Duration;

use geomys_store::transfer::download::{DownloadOrder, Target, TransferEvent};
use geomys_store::transfer::retry::{RetryPolicy, transfer};
use geomys_testing::archive::{Archive, Node, ServerBehavior, test_octets};
use geomys_testing::ftp::Server;
use geomys_wire::net::Net;
use tokio::net::TcpSocket;

use super::{HASTE, save};

#[tokio::test]
async fn outage_of_a_host_that_was_reached_is_waited_for() {
    // The host is up, and its server is down: a bound port on which nothing listens refuses connections.
    let bound = TcpSocket::new_v4().unwrap();
    bound.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let address = bound.local_addr().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let archive = Archive::start(
        [("/a", Node::File(test_octets(500)))],
        ServerBehavior::default(),
    );
    let archive = archive.await;
    let order = |name: &str| {
        let target = Target::New(directory.path().join(name));
        DownloadOrder::new(save(archive.url("/a")), target)
    };
    let down = DownloadOrder {
        request: save(format!("ftp://{address}/a")),
        ..order("b")
    };
    let net = Net::default();
    let policy = RetryPolicy {
        initial_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(1),
        ..HASTE
    };
    let mut retries = 0;
    let mut count = |event| retries += usize::from(matches!(event, TransferEvent::Retry(..)));
    // The address of a host that was never reached may be wrong.
    assert!(
        transfer(&net, down.clone(), &policy, &mut count)
            .await
            .is_err()
    );
    assert_eq!(retries, 0);
    let mut ignore = |_| {};
    transfer(&net, order("a"), &policy, &mut ignore)
        .await
        .unwrap();
    let mut count = |event| retries += usize::from(matches!(event, TransferEvent::Retry(..)));
    assert!(transfer(&net, down, &policy, &mut count).await.is_err());
    assert_eq!(retries, 3);
}

#[tokio::test]
async fn busy_server_is_reported_and_waited_for() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("421 There are too many connected users").await;
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "331 Password?").await;
        peer.answer("PASS geomys@", "530 Sorry, max 1 users -- try again later")
            .await;
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD a", "550 No directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE a", "213 5").await;
        peer.answer("MDTM a", "500 What?").await;
        peer.serve("RETR a", "apple").await;
        peer.say("226 Done").await;
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let target = Target::New(directory.path().join("a"));
    let order = DownloadOrder::new(save(server.url("/a")), target);
    let policy = RetryPolicy {
        initial_delay: Duration::from_millis(1),
        max_delay: Duration::from_millis(1),
        ..HASTE
    };
    let mut events = Vec::new();
    let mut keep = |event| events.push(event);
    transfer(&Net::default(), order, &policy, &mut keep)
        .await
        .unwrap();
    let said: Vec<String> = events
        .into_iter()
        .filter_map(|event| match event {
            TransferEvent::Busy => Some("busy".to_owned()),
            TransferEvent::Retry(_, why) => Some(why.rsplit_once(": ").unwrap().1.to_owned()),
            TransferEvent::Octets(..)
            | TransferEvent::Received
            | TransferEvent::Unpacking(..)
            | TransferEvent::Restarted
            | TransferEvent::Outage(..) => None,
        })
        .collect();
    assert_eq!(
        said,
        [
            "busy",
            "421 There are too many connected users",
            "busy",
            "530 Sorry, max 1 users -- try again later"
        ]
    );
    server.done().await;
}
