//! Ends of transfers that are no proper close of the data connection.

use geomys_load::{FailureKind, Purpose, Reason, Request};
use geomys_testing::ftp::Server;
use geomys_testing::loading::{carry_out, short_timeouts, url};
use geomys_wire::net::TransferEnd;
use tokio::io::AsyncWriteExt;

fn saving(server: &Server) -> Request {
    Request {
        purpose: Purpose::Save,
        ..Request::show(url(server.url("/x;type=i")), Reason::Typed)
    }
}

#[tokio::test]
async fn reset_after_all_octets_ends_a_transfer_that_is_reported_complete() {
    for (size, octets, end) in [
        ("213 5", "hello", TransferEnd::Confirmed),
        ("213 0", "", TransferEnd::Confirmed),
        // A file that is made while it is read.
        ("213 0", "hello", TransferEnd::Unconfirmed),
        ("500 What?", "hello", TransferEnd::Unconfirmed),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", size).await;
            peer.answer("MDTM x", "500 What?").await;
            peer.serve_and_reset("RETR x", octets).await;
            peer.say("226 Done").await;
        })
        .await;
        let saved = carry_out(&short_timeouts(), saving(&server)).await;
        assert_eq!(saved.octets, octets.as_bytes(), "{size}");
        assert_eq!(saved.end.unwrap(), end, "{size}");
        server.done().await;
    }
}

#[tokio::test]
async fn reset_of_a_transfer_that_is_not_reported_complete_fails_it() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", "500 What?").await;
        peer.answer("MDTM x", "500 What?").await;
        peer.serve_and_reset("RETR x", "hello").await;
        peer.say("426 Broken").await;
    })
    .await;
    let failure = carry_out(&short_timeouts(), saving(&server))
        .await
        .failure();
    assert_eq!(failure.kind, FailureKind::Transient);
    server.done().await;
}

#[tokio::test]
async fn data_connection_that_stays_open_after_all_octets_confirms_them() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", "213 5").await;
        peer.answer("MDTM x", "500 What?").await;
        let data = peer.open_data_port().await;
        peer.answer("RETR x", "150 Here").await;
        let (mut data, _) = data.accept().await.unwrap();
        data.write_all(b"hello").await.unwrap();
        peer.say("226 Done").await;
        peer.expect_close().await;
        drop(data);
    })
    .await;
    let saved = carry_out(&short_timeouts(), saving(&server)).await.whole();
    assert_eq!(saved.end.unwrap(), TransferEnd::Confirmed);
    server.done().await;
}
