//! Titles of bookmarks, fetched from their pages: by the command line and by a key.

use std::fs;
use std::net::Ipv4Addr;

use geomys_demo::Demo;
use geomys_testing::same_ports;
use geomys_testing::script::{assert_played, play};
use tokio::net::TcpListener;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// Runs `geomys bookmarks fetch-titles` on a bookmark file: its exit status, its output and its standard error, with
/// the same ports in each run, and the file after it.
fn fetch_titles(bookmarks: &str, arguments: &[&str]) -> (i32, String, String, String) {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join("bookmarks.txt");
    fs::write(&path, bookmarks).unwrap();
    let profile = profile.path().to_str().unwrap();
    let start = ["--config", profile, "bookmarks", "fetch-titles"];
    let output = geomys(&[&start, arguments].concat(), "");
    (
        output.status.code().unwrap(),
        same_ports(&text(&output.stdout)),
        same_ports(&text(&output.stderr)),
        fs::read_to_string(path).unwrap(),
    )
}

/// The bookmarks of the demo, without their titles.
fn bookmarks(demo: &Demo) -> String {
    format!(
        "<URL:gopher://{gopher}/>\n\
         <URL:gopher://{gopher}/1/phlog> #phlog\n\
         <URL:gopher://{gopher}/7/search%09address>\n\
         <URL:gopher://{gopher}/1/nowhere>\n\
         <URL:ftp://{ftp}/pub/texts/potato-soup.txt;type=a>\n  a note\n\
         <URL:ftp://{ftp}/>\n\
         <URL:ftp://ada@{ftp}/>\n\
         <URL:nntp://{news}/geomys.demo.announce/1>\n\
         <URL:nntp://{news}/geomys.demo.announce>\n\
         <URL:http://{web}/old>\n\
         <URL:gemini://{gemini}/log/>\n\
         <URL:wais://{wais}/almanac>\n\
         <URL:finger://{finger}/ada>\n\
         <URL:telnet://{telnet}/>\n\
         <URL:mailto:ada@example.org>\n\
         A page from the web <URL:http://{web}/page.html>\n",
        gopher = demo.addresses.gopher,
        ftp = demo.addresses.ftp,
        news = demo.addresses.news,
        web = demo.addresses.web,
        gemini = demo.addresses.gemini,
        wais = demo.addresses.wais,
        finger = demo.addresses.finger,
        telnet = demo.addresses.telnet,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn titles_come_from_menu_row_page_or_article() {
    let demo = Demo::start().await.unwrap();
    let file = bookmarks(&demo);
    let all = ["--matching", ":"];
    let (status, out, said, saved) = fetch_titles(&file, &[&all[..], &["--dry-run"]].concat());
    assert_eq!((status, saved.as_str()), (1, file.as_str()));
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("titles-of-bookmarks", format!("{out}\n{said}"));
    });
    let (status, same_out, same_said, saved) = fetch_titles(&file, &all);
    assert_eq!((status, same_out, same_said), (1, out, said));
    for title in [
        "The phlog of Dibble, telegraph clerk",
        "A page from the web",
    ] {
        assert!(saved.contains(&format!("{title} <URL:")), "{saved}");
    }
    assert!(saved.contains("type=a>\n  a note\n"), "{saved}");
    assert!(saved.contains("/1/phlog> #phlog\n"), "{saved}");
    // A title that the file has already is no change, and no failure.
    let (status, out, said, _) = fetch_titles(&file, &["17"]);
    assert_eq!((status, out.as_str(), said.as_str()), (0, "", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_title_stays_a_title() {
    let menu = "C: \nS| 0<URL:http://evil.example/> # Folder #watch\\x1b[31m\\t/a\\t127.0.0.1\\tPORT\\r\\n.\\r\\n\n";
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let menu = menu.replace("PORT", &address.port().to_string());
    let peer = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        play(stream, &menu).await;
    });
    let file = format!("Old <URL:gopher://{address}/0/a> #tag\n");
    let (status, _, said, saved) = tokio::task::spawn_blocking(move || fetch_titles(&file, &["1"]))
        .await
        .unwrap();
    assert_eq!((status, said.as_str()), (0, ""));
    assert_played(peer).await;
    let saved = geomys_store::bookmarks::Bookmarks::parse(saved.as_bytes());
    assert_eq!(saved.len(), 1);
    let bookmark = saved.bookmark(0).unwrap();
    assert_eq!(
        bookmark.url().unwrap().as_str(),
        format!("gopher://{address}/0/a")
    );
    assert_eq!(bookmark.tags().len(), 1);
    assert!(bookmark.notes().is_empty());
    assert!(!bookmark.title().as_str().contains('\u{1b}'));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_sets_titles_as_one_change_and_marks_the_rest() {
    let demo = Demo::start().await.unwrap();
    let (gopher, web) = (demo.addresses.gopher, demo.addresses.web);
    let file = format!(
        "First <URL:mailto:ada@example.org>\n\
         # Town\n\
         <URL:gopher://{gopher}/1/phlog>\n\
         <URL:http://{web}/page.html> #x\n\
         <URL:mailto:ada@example.org>\n\
         <URL:nntp://{}/geomys.demo.announce>\n\
         Titled <URL:gopher://{gopher}/>\n",
        demo.addresses.news
    );
    let session = Browser::new()
        .bookmarks(&file)
        .size((100, 20))
        .with_bookmarks()
        .start();
    session.wait("Titled").await;
    // The folder under the cursor: its four bookmarks without a title.
    session.press("j g t");
    session
        .wait("saved: 2 titles fetched, 1 without a title, 1 failed (z undo)")
        .await;
    let titled = file
        .replace(
            "<URL:gopher://",
            "The phlog of Dibble, telegraph clerk <URL:gopher://",
        )
        .replace("<URL:http", "A page from the web <URL:http")
        .replace("Titled The phlog of Dibble, telegraph clerk", "Titled");
    assert_eq!(session.bookmarks(), titled);
    // The mail and the group are marked, and the cursor is still on the folder.
    session.press("g t");
    session
        .wait("0 titles fetched, 1 without a title, 1 failed")
        .await;
    session.press("z");
    session.wait("Undone: 2 titles fetched").await;
    assert_eq!(session.bookmarks(), file);
    session.press("V g g g t");
    session
        .wait("No title for “First”: a mail address cannot be loaded")
        .await;
    session.press("q");
    session.end().await;
}
