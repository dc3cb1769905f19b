//! `:archive`: the directory or site of the shown page in an archive, from inside.

use std::fs;

use geomys_demo::Demo;

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn shown_directory_is_archived_and_a_file_that_is_there_is_asked_about() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().start();
    session.wait("Start here").await;
    session.run_command("archive").await;
    session
        .wait("Open the directory or site to archive first")
        .await;
    session.press("o");
    session.type_in(&format!("ftp://{}/pub/texts/;type=d", demo.addresses.ftp));
    session.press("Enter");
    session.wait("potato-soup.txt").await;
    session.run_command("archive").await;
    session.wait_in_prompt("texts.warc.gz").await;
    session.press("Enter");
    session.wait("Archived in").await;
    let file = session.path().join("Downloads/texts.warc.gz");
    let first = fs::read(&file).unwrap();
    assert!(!first.is_empty());
    // What waits beside it while it is written is removed.
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    session.run_command("archive").await;
    session.wait_in_prompt("texts.warc.gz").await;
    session.press("Enter");
    session.wait("Add to texts.warc.gz, which is there?").await;
    session.press("n");
    session.wait_until_absent("Add to").await;
    assert_eq!(fs::read(&file).unwrap(), first);
    let records = geomys_testing::warc::read(&file);
    let mut targets = records
        .iter()
        .filter_map(|record| record.field("WARC-Target-URI"));
    assert!(targets.any(|url| url.contains("potato-soup.txt")));
}
