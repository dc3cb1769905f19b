//! Downloads to a path that is chosen for each.

use std::fs;

use geomys_demo::Demo;
use geomys_testing::archive::{Archive, Node, ServerBehavior};
use geomys_testing::names;

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn path_and_policy_are_chosen_for_one_download() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let downloads = profile.path().join("Downloads");
    fs::create_dir(&downloads).unwrap();
    fs::write(downloads.join("seeds.bin"), "old").unwrap();
    let line = format!(
        "Seeds <URL:ftp://{}/pub/software/seeds.bin>\n",
        demo.addresses.ftp
    );
    fs::write(profile.path().join("bookmarks.txt"), line).unwrap();
    let session = Browser::in_profile(profile)
        .size((100, 24))
        .with_bookmarks()
        .start();
    session.wait("Seeds").await;
    session.press("g D");
    session.wait("seeds.bin").await;
    session.press("Enter");
    session.wait("If the file exists?").await;
    session.press("o D");
    session.wait("1 done").await;
    assert_eq!(names(&downloads), ["seeds.bin"]);
    assert_eq!(fs::read(downloads.join("seeds.bin")).unwrap().len(), 256);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_path_is_typed_for_one_download() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let url = format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp);
    let other = profile.path().join("other");
    fs::create_dir(&other).unwrap();
    let session = Browser::in_profile(profile)
        .open(url)
        .size((100, 24))
        .start();
    session.wait("seeds.bin").await;
    session.press("/");
    session.type_in("seeds.bin");
    session.press("Enter");
    session.wait("▌⇩ seeds.bin").await;
    session.press("g D");
    session.wait_in_prompt("Downloads/seeds.bin").await;
    session.press("Ctrl-U");
    session.type_in(&other.join("corn.bin").display().to_string());
    session.press("Enter");
    session.wait("If the file exists?").await;
    session.press("o D");
    session.wait("1 done").await;
    assert_eq!(names(&other), ["corn.bin"]);
    assert_eq!(fs::read(other.join("corn.bin")).unwrap().len(), 256);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_rows_and_those_of_a_pattern_are_marked() {
    let listing = ["a.txt", "b.TXT", "c.bin", "d.bin", "e.bin"]
        .map(|name| format!("-rw-r--r-- 1 f f 3 Mar 14 1994 {name}\r\n"));
    let nodes = [("/", Node::Directory(listing.concat().into_bytes()))];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let session = Browser::new()
        .open(archive.url("/;type=d"))
        .size((100, 24))
        .start();
    session.wait("e.bin").await;
    session.press("V");
    session.wait("5 rows are marked").await;
    session.press("V");
    session.wait("0 rows are marked").await;
    session.press(":");
    session.type_in("mark-pattern");
    session.press("Enter");
    session.wait("Mark names like").await;
    session.type_in("*.txt");
    session.press("Enter");
    session.wait("2 rows are marked").await;
    session.press(":");
    session.type_in("invert-marks");
    session.press("Enter");
    session.wait("3 rows are marked").await;
    session.run_command("invert-marks").await;
    session.wait("2 rows are marked").await;
    session.press("Esc & b i n Enter V");
    session.wait("3 rows are marked").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marked_rows_of_a_listing_are_downloaded() {
    let listing = (1..=4).map(|number| format!("-rw-r--r-- 1 f f 3 Mar 14 1994 {number}.bin\r\n"));
    let listing = listing.collect::<String>().into_bytes();
    let nodes = [
        ("/", Node::Directory(listing)),
        ("/1.bin", Node::File(b"one".to_vec())),
        ("/2.bin", Node::File(b"two".to_vec())),
        ("/3.bin", Node::File(b"six".to_vec())),
        ("/4.bin", Node::File(b"ten".to_vec())),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let profile = tempfile::tempdir().unwrap();
    let downloads = profile.path().join("Downloads");
    let url = archive.url("/;type=d");
    let session = Browser::in_profile(profile)
        .open(url)
        .size((100, 24))
        .start();
    session.wait("4.bin").await;
    session.press("g g v v");
    session.wait("2 rows are marked").await;
    session.press("j v d");
    let contents = [("1.bin", b"one"), ("2.bin", b"two"), ("4.bin", b"ten")];
    let is_saved = |(name, octets): &(&str, &[u8; 3])| {
        fs::read(downloads.join(name)).is_ok_and(|read| read == *octets)
    };
    session
        .wait_until("three files", |_| contents.iter().all(is_saved))
        .await;
    assert_eq!(names(&downloads), ["1.bin", "2.bin", "4.bin"]);
}
