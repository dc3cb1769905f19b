//! Followed pages: what a sync looks at, and what it stores of them.

use std::fs;

use geomys_demo::Demo;
use geomys_testing::web::{Web, ok};

use super::{run, synced};
use crate::support::command::text;
use crate::support::follow;

#[tokio::test(flavor = "multi_thread")]
async fn watch_command_names_its_replacement_and_sends_nothing() {
    let web = Web::start(|_| ok("Content-Type: text/plain\r\n", "a page")).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmarks = format!("Page <URL:{}> #follow\n", web.url("/"));
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    follow::look(profile).await;
    follow::make_due(profile);
    web.take_lines();
    let before = fs::read(profile.join("watched.jsonl")).unwrap();
    for options in [
        &[][..],
        &["--now"],
        &["--confirm", "--now"],
        &["--now", "--matching", "-page"],
    ] {
        let output = run(profile, &[&["bookmarks", "watch"], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(
            text(&output.stderr).contains("run geomys sync"),
            "{output:?}"
        );
    }
    assert!(web.take_lines().is_empty());
    assert_eq!(fs::read(profile.join("watched.jsonl")).unwrap(), before);
    let help = run(profile, &["bookmarks", "--help"]);
    assert!(!text(&help.stdout).contains("watch"), "{help:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_marks_changes_of_files_and_listings() {
    let files = tempfile::tempdir().unwrap();
    let page = files.path().join("page.txt");
    fs::write(&page, "one").unwrap();
    let demo = Demo::start().await.unwrap();
    let mine = format!("file://{}", page.display());
    let listing = format!("ftp://{}/pub/", demo.addresses.ftp);
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmarks = format!("Mine <URL:{mine}> #watch\nListing <URL:{listing}> #Follow\n");
    fs::write(profile.join("bookmarks.txt"), bookmarks).unwrap();
    follow::look(profile).await;
    assert_eq!(synced(profile).lines().next(), Some("Listing: 1 new"));
    let states = || fs::read_to_string(profile.join("watched.jsonl")).unwrap();
    assert!(!states().contains("\"new\":true"), "{}", states());
    fs::write(&page, "two").unwrap();
    for _ in 0..2 {
        // A file of this machine needs no copy.
        assert!(!synced(profile).contains("Mine"));
        let changed = run(profile, &["bookmarks", "list", "is:new"]);
        let changed = text(&changed.stdout);
        assert!(
            changed.lines().count() == 1 && changed.contains(&mine),
            "{changed}"
        );
    }
    assert_eq!(states().lines().count(), 2, "{}", states());
    let copies = fs::read_dir(profile.join("synced")).unwrap().flatten();
    let copies = copies.filter(|copy| copy.file_name().len() == 64);
    assert_eq!(copies.count(), 1);
    fs::remove_file(&page).unwrap();
    let output = run(profile, &["sync", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(
        said.starts_with(&format!("geomys: failed: {mine}: ")),
        "{said}"
    );
}

#[test]
fn bookmark_whose_url_has_a_fault_is_followed_by_its_tag() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    fs::write(
        profile.join("bookmarks.txt"),
        "A <URL:http://h.example/~a> #follow\n",
    )
    .unwrap();
    let agree = ["bookmarks", "edit", "1", "--add-tag", "follow"];
    let agreed = run(profile, &agree);
    assert!(
        text(&agreed.stdout).starts_with("followed line 1"),
        "{agreed:?}"
    );
    let again = run(profile, &agree);
    assert!(
        text(&again.stderr).contains("nothing to change"),
        "{again:?}"
    );
}
