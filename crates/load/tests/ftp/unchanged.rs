//! Files that are not fetched again, as they have the time and the size that their copies had (RFC 3659, sections 3 and
//! 4).

use geomys_load::{KnownCopy, Reason, Request, SaveRequest, Version};
use geomys_testing::ftp::Server;
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, url};

const THEN: &str = "19940314120000";

async fn load(server: &Server, version: Version) -> Loaded {
    let url = url(server.url("/x;type=i"));
    let copy = KnownCopy {
        url: url.clone(),
        version,
        charset: None,
    };
    let request = Request {
        save: SaveRequest {
            copy: Some(Box::new(copy)),
            ..SaveRequest::default()
        },
        ..Request::show(url, Reason::Typed)
    };
    carry_out(&short_timeouts(), request).await.whole()
}

fn version(size: Option<u64>, modified: Option<&str>) -> Version {
    Version {
        size,
        modified: modified.map(str::to_owned),
        tag: None,
    }
}

#[tokio::test]
async fn file_with_the_time_and_size_of_its_copy_is_not_fetched() {
    for size in [Some(9), None] {
        let server = Server::start(async |door| {
            let mut peer = door.accept_anonymous().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", "213 9").await;
            peer.answer("MDTM x", "213 19940314120000.000").await;
        })
        .await;
        let loaded = load(&server, version(size, Some(THEN))).await;
        let head = loaded.begin.unwrap();
        assert!(head.is_unchanged && loaded.octets.is_empty());
        assert_eq!(head.version, version(Some(9), Some(THEN)));
        server.done().await;
    }
}

#[tokio::test]
async fn file_with_another_time_or_size_or_none_is_fetched() {
    for (modified, copy) in [
        ("213 20261120120000", version(Some(9), Some(THEN))),
        ("213 19940314120000", version(Some(8), Some(THEN))),
        ("213 19940314120000", Version::default()),
        ("550 Not here", version(Some(9), Some(THEN))),
        ("213 1994", version(Some(9), Some(THEN))),
        ("500 What?", version(Some(9), None)),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", "213 9").await;
            peer.answer("MDTM x", modified).await;
            peer.serve("RETR x", "the file.").await;
            peer.say("226 Done").await;
        })
        .await;
        let loaded = load(&server, copy).await;
        assert_eq!(loaded.octets, b"the file.", "{modified}");
        assert!(!loaded.begin.unwrap().is_unchanged, "{modified}");
        server.done().await;
    }
}
