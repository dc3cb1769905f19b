//! Directories and sites as files: walks, mirrors of them, and what their ends allow.

mod directories;
mod mirror;
mod site;

use std::time::Duration;

use geomys_crawl::tree::{DirectoryOrder, MirrorOptions, TreeSummary, VanishedFiles, tree};
use geomys_load::{Purpose, Reason, Request};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_store::transfer::retry::RetryPolicy;
use geomys_testing::archive::{Archive, Node, ServerBehavior, line, test_octets};
use geomys_testing::loading::url;
use geomys_testing::names;
use geomys_testing::tls::{Authority, Identity};
use geomys_wire::net::{Limits, Net, TransferEnd};

const HERE: &str = "127.0.0.1";

/// A retry policy without delay.
const HASTE: RetryPolicy = RetryPolicy {
    initial_delay: Duration::ZERO,
    max_delay: Duration::ZERO,
    max_attempts: 3,
    max_elapsed: Duration::from_hours(1),
    retries_silence: true,
};

fn save(address: impl AsRef<str>) -> Request {
    Request {
        purpose: Purpose::Save,
        ..Request::show(url(address), Reason::Typed)
    }
}

/// A server over TLS that closes without `close_notify`, with `/pub/a` and `/pub/b`.
async fn unconfirmed(identity: &Identity) -> Archive {
    let listing = [line("-rw-r--r--", 3, b"a"), line("-rw-r--r--", 3, b"b")].concat();
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/a", Node::File(test_octets(3))),
        ("/pub/b", Node::File(test_octets(3))),
    ];
    let behavior = ServerBehavior {
        tls: Some(identity.acceptor()),
        no_close_notify: true,
        ..ServerBehavior::default()
    };
    Archive::start(nodes, behavior).await
}

async fn mirror(net: &Net, archive: &Archive, root: &std::path::Path) -> TreeSummary {
    let order = DirectoryOrder {
        mirror: MirrorOptions {
            vanished: VanishedFiles::Delete,
            ..MirrorOptions::default()
        },
        ..DirectoryOrder::new(save(archive.tls_url("/pub/")), root.join("here"))
    };
    let sources = DirectoryRecords::new(root.join(".sources"));
    Box::pin(tree(net, order, &sources, &HASTE, &mut |_| {}))
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn unconfirmed_listing_is_walked_and_deletes_nothing() {
    let authority = Authority::new();
    let archive = unconfirmed(&Identity::by(&authority, HERE)).await;
    let net = Net::new(Limits::default()).with_root_certificate(authority.certificate());
    let directory = tempfile::tempdir().unwrap();
    let first = mirror(&net, &archive, directory.path()).await;
    assert_eq!((first.files, first.failures), (2, 0), "{first:?}");
    assert_eq!(first.end, TransferEnd::Unconfirmed);
    archive.put_directory("/pub", &line("-rw-r--r--", 3, b"a"));
    let second = mirror(&net, &archive, directory.path()).await;
    assert_eq!((second.deleted, second.failures), (0, 0), "{second:?}");
    let is_said = |words: &str| second.notes.iter().any(|note| note.contains(words));
    assert!(is_said("nothing was deleted"), "{second:?}");
    assert!(
        is_said("the server did not confirm the end of"),
        "{second:?}"
    );
    assert_eq!(names(&directory.path().join("here")), ["a", "b"]);
}

#[tokio::test]
async fn directory_uses_as_many_connections_as_its_server_allows() {
    let listing: Vec<u8> = [b"a", b"b", b"c", b"d", b"e"]
        .map(|name| line("-rw-r--r--", 500, name))
        .concat();
    let files = ["/pub/a", "/pub/b", "/pub/c", "/pub/d", "/pub/e"];
    let files = files.map(|path| (path, Node::File(test_octets(500))));
    let nodes = files
        .into_iter()
        .chain([("/pub", Node::Directory(listing))]);
    let behavior = ServerBehavior {
        connections: Some(2),
        ..ServerBehavior::default()
    };
    let archive = Archive::start(nodes, behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    let order = DirectoryOrder {
        at_once: 4,
        ..DirectoryOrder::new(save(archive.url("/pub/")), into.clone())
    };
    let sources = DirectoryRecords::new(directory.path().join(".sources"));
    let (net, mut ignore) = (Net::default(), |_: &_| {});
    // A refused file waits for the others, never for this delay.
    let policy = RetryPolicy {
        initial_delay: Duration::from_hours(1),
        max_delay: Duration::from_hours(1),
        max_elapsed: Duration::from_hours(24),
        ..HASTE
    };
    let walk = Box::pin(tree(&net, order, &sources, &policy, &mut ignore));
    let summary = walk.await.unwrap();
    assert_eq!((summary.files, summary.failures), (5, 0), "{summary:?}");
    assert_eq!(geomys_testing::names(&into).len(), 5);
    // Of four connections at once two are refused, and no more are opened: the other two stay open for all files.
    assert_eq!(archive.refused(), 2);
}
