//! Partial files that may not be resumed: their content is not mixed with another file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use geomys_store::transfer::download::{DownloadOrder, SavedFile, Target, TransferEvent};
use geomys_store::transfer::retry::transfer;
use geomys_testing::archive::{Archive, RestartSupport, ServerBehavior, SizeSupport, test_octets};
use geomys_testing::names;
use geomys_testing::web::Web;
use geomys_wire::net::Net;

use super::{HASTE, broken_off, save};

/// Saves a file, and counts the restarts from zero.
async fn saved(url: &str, target: &Target) -> (SavedFile, usize) {
    let order = DownloadOrder::new(save(url), target.clone());
    let mut restarts = 0;
    let saved = transfer(&Net::default(), order, &HASTE, &mut |report| {
        restarts += usize::from(report == TransferEvent::Restarted);
    })
    .await;
    (saved.unwrap(), restarts)
}

fn path(directory: &tempfile::TempDir) -> Target {
    Target::New(directory.path().join("a"))
}

fn read(directory: &Path) -> Vec<u8> {
    assert_eq!(names(directory), ["a"]);
    fs::read(directory.join("a")).unwrap()
}

#[tokio::test]
async fn ignored_rest_without_size_restarts_from_zero() {
    for size in [SizeSupport::Refused, SizeSupport::Supported] {
        let behavior = ServerBehavior {
            cuts: vec![20_000],
            restart: RestartSupport::Ignored,
            size,
            ..ServerBehavior::default()
        };
        let archive = Archive::of_one_file(behavior).await;
        let directory = tempfile::tempdir().unwrap();
        broken_off(&archive, &path(&directory)).await;
        let (_, restarts) = saved(&archive.url("/a"), &path(&directory)).await;
        assert_eq!(restarts, 1);
        assert!(read(directory.path()) == test_octets(50_000));
        assert_eq!(archive.command_count("REST 11808"), 1);
    }
}

#[tokio::test]
async fn changed_file_without_size_and_time_is_not_mixed() {
    let other: Vec<u8> = test_octets(60_000).iter().map(|octet| octet ^ 1).collect();
    // Equal to the old one from the last octets of the partial file on.
    let mut zeros = vec![0; 60_000];
    zeros[..100].fill(7);
    for (old, new) in [
        (test_octets(50_000), other),
        (vec![0; 50_000], zeros),
        // Shorter than the partial file.
        (test_octets(50_000), test_octets(15_000)),
        (test_octets(50_000), test_octets(3)),
    ] {
        let behavior = ServerBehavior {
            cuts: vec![20_000],
            size: SizeSupport::Refused,
            ..ServerBehavior::default()
        };
        let archive = Archive::of_one_file(behavior).await;
        archive.put("/a", &old);
        let directory = tempfile::tempdir().unwrap();
        broken_off(&archive, &path(&directory)).await;
        archive.put("/a", &new);
        let (_, restarts) = saved(&archive.url("/a"), &path(&directory)).await;
        assert_eq!(restarts, 1);
        assert!(read(directory.path()) == new);
    }
}

#[tokio::test]
async fn unchanged_file_without_size_and_time_is_resumed_by_its_overlap() {
    let behavior = ServerBehavior {
        cuts: vec![20_000],
        size: SizeSupport::Refused,
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    broken_off(&archive, &path(&directory)).await;
    let (_, restarts) = saved(&archive.url("/a"), &path(&directory)).await;
    assert_eq!(restarts, 0);
    assert!(read(directory.path()) == test_octets(50_000));
}

#[tokio::test]
async fn changed_page_of_the_web_without_validators_is_not_mixed() {
    let changed: Vec<u8> = test_octets(50_000).iter().map(|octet| octet ^ 1).collect();
    let now = changed.clone();
    let web = Web::start(move |request| {
        match request
            .field("range")
            .and_then(|range| range.strip_prefix("bytes="))
        {
            Some(first) => {
                let first: usize = first.trim_end_matches('-').parse().unwrap();
                let range = format!("Content-Range: bytes {first}-49999/*");
                let head = format!("HTTP/1.1 206 Part\r\n{range}\r\n\r\n");
                [head.as_bytes(), &now[first..]].concat()
            }
            None => [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &now].concat(),
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("a.part"), test_octets(20_000)).unwrap();
    let state = format!("geomys transfer 1\nurl {}\n", web.url("/a"));
    fs::write(directory.path().join("a.part.geomys"), state).unwrap();
    let (_, restarts) = saved(&web.url("/a"), &path(&directory)).await;
    assert_eq!(restarts, 1);
    assert!(read(directory.path()) == changed);
    assert_eq!(web.take_requests()[0].field("range"), Some("bytes=11808-"));
}

#[tokio::test]
async fn crash_after_final_name_leaves_no_partial_file() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    // The file has its final name, and its partial file was not removed.
    fs::write(at("a"), test_octets(50_000)).unwrap();
    fs::hard_link(at("a"), at("a.part")).unwrap();
    let state = format!("geomys transfer 1\nurl {}\n", archive.url("/a"));
    fs::write(at("a.part.geomys"), state).unwrap();
    let (second, _) = saved(&archive.url("/a"), &Target::Free(at("a"))).await;
    assert_eq!(second.path, at("a (2)"));
    assert_eq!(names(directory.path()), ["a", "a (2)"]);
    for name in ["a", "a (2)"] {
        assert_eq!(fs::metadata(at(name)).unwrap().nlink(), 1, "{name}");
    }
}

#[tokio::test]
async fn state_of_partial_file_is_replaced_and_never_truncated() {
    let behavior = ServerBehavior {
        cuts: vec![20_000, 10_000],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    broken_off(&archive, &path(&directory)).await;
    let state = directory.path().join("a.part.geomys");
    let (old, linked) = (fs::read(&state).unwrap(), directory.path().join("kept"));
    fs::hard_link(&state, &linked).unwrap();
    broken_off(&archive, &path(&directory)).await;
    assert_ne!(fs::read(&state).unwrap(), old);
    assert_eq!(
        fs::read(&linked).unwrap(),
        old,
        "a crash leaves one of the two"
    );
}

#[tokio::test]
async fn state_without_partial_file_is_removed() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let state = format!("geomys transfer 1\nurl {}\n", archive.url("/a"));
    fs::write(at("a.part.geomys"), state).unwrap();
    fs::write(at("b.part.geomys"), "somebody's own").unwrap();
    saved(&archive.url("/a"), &path(&directory)).await;
    let target = Target::New(at("b"));
    saved(&archive.url("/a"), &target).await;
    assert_eq!(names(directory.path()), ["a", "b", "b.part.geomys"]);
}

#[tokio::test]
async fn whole_file_of_a_stopped_transfer_is_not_fetched_again() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    for target in [Target::New, Target::Free, Target::Suggested, Target::Resume] {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        // The transfer was stopped between the final name, another one than its target here, and the removal of its
        // state.
        fs::write(at("a (2)"), "the whole file").unwrap();
        let is = fs::metadata(at("a (2)")).unwrap();
        let url = archive.url("/a");
        let state = format!(
            "geomys transfer 1\nurl {url}\nwhole {} {} 14\n",
            is.dev(),
            is.ino()
        );
        fs::write(at("a.part.geomys"), state).unwrap();
        let (file, _) = saved(&url, &target(at("a"))).await;
        assert_eq!((file.path, file.octets), (at("a (2)"), 14));
        assert_eq!(names(directory.path()), ["a (2)"]);
    }
    assert_eq!(archive.command_count("RETR /a"), 0);
}

#[tokio::test]
async fn another_file_with_the_inode_of_a_whole_one_is_not_taken_for_it() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("other"), "another file").unwrap();
    let is = fs::metadata(at("other")).unwrap();
    let url = archive.url("/a");
    let (device, inode) = (is.dev(), is.ino());
    let state = format!("geomys transfer 1\nurl {url}\nwhole {device} {inode} 50000\n");
    fs::write(at("a.part.geomys"), state).unwrap();
    let (file, _) = saved(&url, &Target::New(at("a"))).await;
    assert_eq!((file.path, file.octets), (at("a"), 50_000));
    assert_eq!(fs::read_to_string(at("other")).unwrap(), "another file");
}
