//! Downloads to a path that is chosen for each.

use std::fs;

use geomys::demo::Demo;
use geomys::net::Limits;

use super::names;
use crate::support::screen::Session;

#[tokio::test(flavor = "multi_thread")]
async fn path_and_policy_are_chosen_for_one_download() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let downloads = profile.path().join("Downloads");
    fs::create_dir(&downloads).unwrap();
    fs::write(downloads.join("seeds.bin"), "old").unwrap();
    let line = format!("Seeds <URL:ftp://{}/pub/software/seeds.bin>\n", demo.ftp());
    fs::write(profile.path().join("bookmarks.txt"), line).unwrap();
    let session =
        Session::start(profile, None, &[], (100, 24), Limits::default()).with_bookmarks(100);
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
