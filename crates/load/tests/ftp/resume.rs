//! Resumed transfers (RFC 3659, section 5).

use geomys_load::{
    FailureKind, Purpose, Question, Reason, Request, ResumeRequest, SaveRequest, Version,
};
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{carry_out, short_timeouts, show, url};

fn version(size: u64, modified: &str) -> Version {
    Version {
        size: Some(size),
        modified: Some(modified.to_owned()),
        tag: None,
    }
}

const THEN: &str = "19940314120000";

fn from(address: String, offset: u64, version: Version) -> Request {
    Request {
        purpose: Purpose::Save,
        save: SaveRequest {
            resume: Some(ResumeRequest { offset, version }),
            ..SaveRequest::default()
        },
        ..Request::show(url(address), Reason::Typed)
    }
}

async fn tells(peer: &mut Peer, size: u64, modified: &str) {
    peer.answer("TYPE I", "200 Yes").await;
    peer.answer("SIZE x", format!("213 {size}")).await;
    peer.answer("MDTM x", format!("213 {modified}")).await;
}

#[tokio::test]
async fn rest_is_sent_right_before_retr() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 9, THEN).await;
        let data = peer.open_data_port().await;
        peer.answer("REST 4", "350 From there").await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"56789").await;
        peer.say("226 Done").await;
    })
    .await;
    let request = from(server.url("/x;type=i"), 4, version(9, THEN));
    let saved = carry_out(&short_timeouts(), request).await.whole();
    let begin = saved.begin.unwrap();
    assert_eq!((begin.offset, begin.size), (4, Some(9)));
    assert_eq!(begin.version, version(9, THEN));
    assert_eq!(saved.octets, b"56789");
    server.done().await;
}

#[tokio::test]
async fn error_after_second_preliminary_reply_fails_the_transfer() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 9, THEN).await;
        let data = peer.open_data_port().await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"1234").await;
        peer.say("150 0.004 seconds (measured here)").await;
        peer.say("426 Broken").await;
    })
    .await;
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(server.url("/x;type=i")), Reason::Typed)
    };
    let failure = carry_out(&short_timeouts(), request).await.failure();
    assert_eq!(
        failure.kind,
        FailureKind::Transient,
        "so that it is tried again"
    );
    server.done().await;
}

#[tokio::test]
async fn server_without_rest_restarts_from_zero() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 9, THEN).await;
        let data = peer.open_data_port().await;
        peer.answer("REST 4", "502 What?").await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"123456789").await;
        peer.say("226 Done").await;
    })
    .await;
    let request = from(server.url("/x;type=i"), 4, Version::default());
    let saved = carry_out(&short_timeouts(), request).await.whole();
    assert_eq!(saved.begin.unwrap().offset, 0);
    assert_eq!(saved.octets, b"123456789");
    server.done().await;
}

#[tokio::test]
async fn ignored_rest_is_noticed_by_size() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 9, THEN).await;
        let data = peer.open_data_port().await;
        peer.answer("REST 4", "350 From there").await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"123456789").await;
    })
    .await;
    let request = from(server.url("/x;type=i"), 4, version(9, THEN));
    let failure = carry_out(&short_timeouts(), request).await.failure();
    assert_eq!(failure.kind, FailureKind::ResumeMismatch, "{failure:?}");
    server.done().await;
}

#[tokio::test]
async fn refused_offset_restarts_from_zero() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", "502 What?").await;
        peer.answer("MDTM x", "502 What?").await;
        let _data = peer.open_data_port().await;
        peer.answer("REST 4", "350 From there").await;
        peer.answer("RETR x", "554 Past the end").await;
        let data = peer.open_data_port().await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"123").await;
        peer.say("226 Done").await;
    })
    .await;
    let request = from(server.url("/x;type=i"), 4, Version::default());
    let saved = carry_out(&short_timeouts(), request).await.whole();
    assert_eq!(saved.begin.unwrap().offset, 0);
    assert_eq!(saved.octets, b"123");
    server.done().await;
}

#[tokio::test]
async fn partial_file_longer_than_the_file_restarts_from_zero() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 3, THEN).await;
        let data = peer.open_data_port().await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"123").await;
        peer.say("226 Done").await;
    })
    .await;
    let request = from(server.url("/x;type=i"), 4, Version::default());
    let saved = carry_out(&short_timeouts(), request).await.whole();
    assert_eq!(
        (saved.begin.unwrap().offset, saved.octets),
        (0, b"123".to_vec())
    );
    server.done().await;
}

#[tokio::test]
async fn complete_file_is_not_fetched_again() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 9, THEN).await;
        peer.expect_close().await;
    })
    .await;
    let net = short_timeouts();
    let request = from(server.url("/x;type=i"), 9, version(9, THEN));
    let saved = carry_out(&net, request).await.whole();
    assert_eq!(saved.begin.unwrap().offset, 9);
    assert!(saved.octets.is_empty());
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn changed_file_asks_before_resuming() {
    const NOW: &str = "20261120184501";
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        tells(&mut peer, 9, NOW).await;
        // Resumed anyway, over the same connection.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("SIZE x", "213 9").await;
        peer.answer("MDTM x", format!("213 {NOW}")).await;
        let data = peer.open_data_port().await;
        peer.answer("REST 4", "350 From there").await;
        peer.answer("RETR x", "150 Here").await;
        peer.send(&data, b"56789").await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    let request = from(server.url("/x;type=i"), 4, version(9, THEN));
    let question = carry_out(&net, request).await.question();
    let (was, is) = (version(9, THEN), version(9, NOW));
    assert_eq!(question, Question::Changed { was, is });
    let request = from(server.url("/x;type=i"), 4, Version::default());
    assert_eq!(carry_out(&net, request).await.whole().octets, b"56789");
    server.done().await;
}

#[tokio::test]
async fn shown_page_is_never_resumed() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", "213 5").await;
        peer.serve("RETR x", "hello").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&short_timeouts(), server.url("/x;type=i"))
        .await
        .whole();
    assert_eq!(page.octets, b"hello");
    server.done().await;
}

proptest::proptest! {
    #[test]
    fn missing_version_fields_match_any_version(
        one in proptest::option::of(0_u64..3),
        other in proptest::option::of(0_u64..3),
    ) {
        let of = |size| Version { size, ..Version::default() };
        let may = of(one).may_be(&of(other));
        proptest::prop_assert_eq!(may, one.is_none() || other.is_none() || one == other);
        proptest::prop_assert_eq!(may, of(other).may_be(&of(one)));
    }
}
