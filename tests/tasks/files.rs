//! Tasks with files on FTP servers.

use std::fs;
use std::io::{Cursor, Write as _};

use geomys_demo::Demo;
use geomys_testing::archive::{Archive, Node, ServerBehavior, line};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::hand::{Hand, Way};
use crate::support::screen::Browser;

/// The hand in a directory of the FTP server of the demo, which has this file.
async fn in_directory(demo: &Demo, path: &str, file: &str, size: (u16, u16), way: Way) -> Hand {
    let hand = Hand::start(Browser::new().demo(demo), size, way);
    hand.open(&format!("ftp://{}{path}", demo.addresses.ftp))
        .await;
    hand.wait(file).await;
    hand
}

pub async fn sort_by_date_and_read_the_readme(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = in_directory(&demo, "/", "welcome.txt", size, way).await;
    hand.shown(",", "sort").await;
    hand.shown("d", "sort by date, or reverse").await;
    hand.wait("Sorted by date, newest first").await;
    hand.go_down_to("≡ README").await;
    hand.shown("Enter", "open").await;
    hand.wait("for clients that think they have seen it").await;
}

pub async fn download_a_file(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = in_directory(&demo, "/pub/software/;type=d", "drum.img", size, way).await;
    hand.go_down_to("drum.README").await;
    hand.shown("d", "download").await;
    hand.wait("Saved ").await;
    assert!(hand.path().join("Downloads/drum.README").exists());
}

pub async fn download_a_directory(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = in_directory(&demo, "/pub/;type=d", "texts", size, way).await;
    hand.go_down_to("texts").await;
    hand.shown("d", "download").await;
    hand.wait("Save directory as").await;
    hand.shown("Enter", "save").await;
    let soup = hand.path().join("Downloads/texts/potato-soup.txt");
    hand.wait_until("the file", |_| soup.exists()).await;
}

pub async fn save_the_page(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = Hand::start(Browser::new().demo(&demo), size, way);
    hand.open(&format!("gopher://{}/0/about.txt", demo.addresses.gopher))
        .await;
    hand.wait("a town of pocket gophers").await;
    hand.command("S", "save", "save the page").await;
    hand.wait_in_prompt("about.txt").await;
    hand.shown("Enter", "save").await;
    hand.wait("Saved ").await;
    assert!(
        hand.file("Downloads/about.txt")
            .contains("a town of pocket gophers")
    );
}

pub async fn mirror_a_site(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = in_directory(&demo, "/pub/texts/;type=d", "potato-soup.txt", size, way).await;
    hand.named("mirror", "mirror the page's directory or site")
        .await;
    hand.wait("Save directory as").await;
    hand.shown("Enter", "save").await;
    let soup = hand.path().join("Downloads/texts/potato-soup.txt");
    hand.wait_until("the file", |_| soup.exists()).await;
}

/// A zip archive with one file.
fn zip_of(name: &str, content: &[u8]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file(name, SimpleFileOptions::default()).unwrap();
    zip.write_all(content).unwrap();
    zip.finish().unwrap().into_inner()
}

pub async fn read_a_file_in_a_zip_on_ftp(size: (u16, u16), way: Way) {
    let zip = zip_of("tunnels.txt", b"Dig left at the root.\n");
    let nodes = vec![
        ("/pub/maps.zip", Node::File(zip.clone())),
        (
            "/pub",
            Node::Directory(line("-rw-r--r--", zip.len(), b"maps.zip")),
        ),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let hand = Hand::start(Browser::new(), size, way);
    hand.open(&archive.url("/pub/")).await;
    hand.wait("maps.zip").await;
    hand.go_down_to("maps.zip").await;
    hand.shown("Enter", "open").await;
    hand.wait("tunnels.txt").await;
    hand.go_down_to("tunnels.txt").await;
    hand.shown("Enter", "open").await;
    hand.wait("Dig left at the root.").await;
}

pub async fn find_the_downloaded_file(size: (u16, u16), way: Way) {
    let demo = Demo::start().await.unwrap();
    let hand = in_directory(&demo, "/pub/software/;type=d", "drum.img", size, way).await;
    hand.go_down_to("drum.README").await;
    hand.shown("d", "download").await;
    hand.wait("Saved ").await;
    // The next key takes the message away.
    hand.go_down_to("seeds.bin").await;
    hand.shown("D", "downloads").await;
    hand.shown("Enter", "open file").await;
    let path = hand.path().join("Downloads/drum.README");
    let text = fs::read_to_string(path).unwrap();
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap();
    hand.wait(first.trim()).await;
}
