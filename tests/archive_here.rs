//! `:archive` and `:check`: the directory or site of the shown page in an archive, and the report of a check of its
//! links, from inside.

use std::fs;

use geomys_demo::Demo;
use geomys_testing::web::{HttpRequest, Web, ok};

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

#[tokio::test(flavor = "multi_thread")]
async fn site_of_the_shown_page_is_checked_with_a_report_in_a_file() {
    let web = Web::start(|request: &HttpRequest| match request.path() {
        "/" => ok(
            "Content-Type: text/html\r\n",
            "<p>Top <a href='/a'>A</a> <a href='http://h:x/'>B</a>",
        ),
        "/a" => ok(
            "Content-Type: text/html\r\n",
            "<p>Below <a href='/gone'>C</a>",
        ),
        "/robots.txt" => ok("", ""),
        _ => b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
    })
    .await;
    let session = Browser::new().start();
    session.wait("Start here").await;
    session.run_command("check").await;
    session
        .wait("Open the directory or site to check first")
        .await;
    session.press("o");
    session.type_in(&web.url("/"));
    session.press("Enter");
    session.wait("Top").await;
    session.run_command("check").await;
    session.wait_in_prompt("-links.txt").await;
    session.press("Enter");
    session.wait("3 pages, 3 URLs: 1 dead, 1 malformed").await;
    let downloads = fs::read_dir(session.path().join("Downloads")).unwrap();
    let files: Vec<_> = downloads.map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    let report = fs::read_to_string(file).unwrap();
    let expected = format!("{}: row 1: dead: {}", web.url("/a"), web.url("/gone"));
    assert!(report.contains(&expected), "{report}");
    assert!(report.contains("    http://h:x/\n"), "{report}");
    fs::write(file, "mine").unwrap();
    session.run_command("check").await;
    session.wait_in_prompt("-links.txt").await;
    session.press("Enter");
    session.wait("which is there?").await;
    session.press("n");
    session.wait_until_absent("which is there?").await;
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}
