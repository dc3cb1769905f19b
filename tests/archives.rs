//! Archives, and messages inside messages: what is done with a row acts on the member, in the browser and for commands.

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;

use geomys_testing::web::{Web, in_halves, ok};
use geomys_testing::{names, sparse_tar, tarred};
use tempfile::TempDir;

use crate::support::command::{geomys_at, text};
use crate::support::screen::{Browser, Session};

fn sample() -> Vec<u8> {
    tarred(&[
        ("docs/README", b"Read me.\n"),
        ("docs/sub/deep.txt", b"Deep.\n"),
        ("one.bin", b"\0\x01\x02"),
        ("top.txt", b"The top.\n"),
    ])
}

const LETTER: &str = "From: Ada <ada@x>\nSubject: outer\nDate: Thu, 19 Nov 2026 13:00:00 +0000\nMessage-ID: <outer@x>\n\
    MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=BB\n\n--BB\n\nOuter text.\n\n--BB\n\
    Content-Type: message/rfc822\nContent-Disposition: attachment; filename=\"fwd.eml\"\n\n\
    From: Bob <bob@x>\nSubject: inner\nDate: Thu, 19 Nov 2026 12:00:00 +0000\nMessage-ID: <inner@x>\n\nInner text.\n\n--BB--\n";

/// A profile with a file, and the URL of that file.
fn profile_with(name: &str, octets: &[u8]) -> (TempDir, String) {
    let profile = tempfile::tempdir().unwrap();
    let path = profile.path().join(name);
    fs::write(&path, octets).unwrap();
    let url = format!("file://{}", path.display());
    (profile, url)
}

fn downloads(session: &Session) -> PathBuf {
    session.path().join("Downloads")
}

fn copied(session: &Session) -> String {
    session.copied.lock().unwrap().last().unwrap().clone()
}

/// Pipes the row under the cursor, or the page, to a program; returns what the program got.
async fn piped(session: &Session) -> String {
    let file = session.path().join("piped");
    session.press("|");
    session.wait("Pipe to").await;
    session.type_in(&format!("tee {}", file.display()));
    session.press("Enter");
    session.wait("“tee” exited").await;
    fs::read_to_string(file).unwrap()
}

/// The URLs of the stored visits.
fn history(session: &Session) -> String {
    fs::read_to_string(session.path().join("history.jsonl")).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_in_an_archive_act_on_the_member() {
    let (profile, archive) = profile_with("a.tar", &sample());
    let session = Browser::in_profile(profile).open(&archive).start();
    session.wait("top.txt").await;
    session.press("G");
    session.wait("▌≡ top.txt").await;
    session.press("y");
    session.wait("Copied").await;
    assert_eq!(copied(&session), format!("{archive}#top.txt"));
    assert_eq!(piped(&session).await, "The top.\n");
    session.press("S");
    session.wait_in_prompt("Downloads/top.txt").await;
    session.press("Esc d");
    session.wait("Saved").await;
    let saved = fs::read(downloads(&session).join("top.txt")).unwrap();
    assert_eq!(saved, b"The top.\n");
    session.press("A");
    session.wait("New bookmark").await;
    session.press("Enter");
    session.wait("added at the top").await;
    assert!(
        session
            .bookmarks()
            .contains(&format!("<URL:{archive}#top.txt>"))
    );
    // Two marked rows: a file and a directory with all below it.
    session.press("k v g g j v d");
    let is_saved = |_: &str| downloads(&session).join("docs/sub/deep.txt").exists();
    session.wait_until("the directory", is_saved).await;
    session.settle().await;
    session.press("D");
    session.wait("3 done").await;
    assert_eq!(names(&downloads(&session)), ["docs", "one.bin", "top.txt"]);
    assert_eq!(names(&downloads(&session).join("docs")), ["README", "sub"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_and_session_store_the_path_of_a_member() {
    let (profile, archive) = profile_with("a.tar", &sample());
    let member = format!("{archive}#docs/README");
    let session = Browser::in_profile(profile).open(&archive).start();
    session.wait("top.txt").await;
    session.press("g g j Enter");
    session.wait("README").await;
    session.press("G Enter");
    session.wait("Read me.").await;
    session.press("S");
    session.wait_in_prompt("Downloads/README").await;
    session.press("Enter");
    session.wait("Saved").await;
    assert_eq!(names(&downloads(&session)), ["README"]);
    session
        .wait_until("the visit", |_| history(&session).contains(&member))
        .await;
    session.press("q");
    let profile = session.end().await.profile;
    let session = Browser::in_profile(profile).restoring().start();
    session.wait("Read me.").await;
    session.press("h");
    session.wait("≡ README").await;
    session.press("u");
    session.wait("top.txt").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_at_a_message_inside_a_message_act_on_it() {
    let (profile, letter) = profile_with("outer.eml", LETTER.as_bytes());
    let member = format!("{letter}#fwd.eml");
    let session = Browser::in_profile(profile).open(&letter).start();
    session.wait("fwd.eml, message/rfc822").await;
    session.press("J");
    session.press("y");
    session.wait("Copied").await;
    assert_eq!(copied(&session), member);
    let inner = piped(&session).await;
    assert!(
        inner.starts_with("From: Bob") && inner.contains("Inner text."),
        "{inner}"
    );
    session.press("A");
    session.wait("New bookmark").await;
    session.press("Enter");
    session.wait("added at the top").await;
    assert!(session.bookmarks().contains(&format!("<URL:{member}>")));
    session.press("Enter");
    session.wait("Inner text.").await;
    session
        .wait_until("the visit", |_| history(&session).contains(&member))
        .await;
    let inner = piped(&session).await;
    assert!(inner.starts_with("From: Bob"), "{inner}");
    session.press("S");
    session.wait_in_prompt("Downloads/fwd.eml").await;
    session.press("Enter");
    session.wait("Saved").await;
    let saved = fs::read_to_string(downloads(&session).join("fwd.eml")).unwrap();
    assert_eq!(saved, inner);
    session.press("u");
    session.wait("Outer text.").await;
    session.press("h");
    session.wait("Inner text.").await;
    session.press("q");
    let profile = session.end().await.profile;
    let session = Browser::in_profile(profile).restoring().start();
    session.wait("Inner text.").await;
    assert!(!session.screen().contains("Not on this page"));
}

#[tokio::test(flavor = "multi_thread")]
async fn key_up_leaves_a_restored_member_that_is_not_loaded() {
    let (profile, archive) = profile_with("a.tar", &sample());
    let gone = profile.path().join("gone.tar");
    let member = format!("{archive}#docs/sub/deep.txt");
    let session = Browser::in_profile(profile).open(&member).start();
    session.wait("Deep.").await;
    session.press("q");
    let profile = session.end().await.profile;
    let path = profile.path().join("a.tar");
    fs::rename(&path, &gone).unwrap();
    let session = Browser::in_profile(profile).restoring().start();
    session.wait("File not found").await;
    fs::rename(&gone, &path).unwrap();
    session.press("u");
    session.wait("deep.txt").await;
    session.wait("#docs/sub/").await;
}

/// A message with a picture, in a message.
const WITH_PICTURE: &str = "From: Ada <ada@x>\nSubject: outer\nDate: Thu, 19 Nov 2026 13:00:00 +0000\nContent-Type: multipart/mixed; boundary=BB\n\n--BB\n\nOuter text.\n\n\
    --BB\nContent-Type: message/rfc822\nContent-Disposition: attachment; filename=\"fwd.eml\"\n\n\
    From: Bob <bob@x>\nSubject: inner\nContent-Type: multipart/mixed; boundary=CC\n\n--CC\n\nInner text.\n\n\
    --CC\nContent-Type: application/x-seeds; name=\"seeds.bin\"\nContent-Transfer-Encoding: base64\n\nAAEC\n--CC--\n\n--BB--\n";

#[tokio::test(flavor = "multi_thread")]
async fn get_saves_the_attachment_that_the_fragment_names() {
    let server =
        Web::start(|_| ok("Content-Type: message/rfc822\r\n", WITH_PICTURE.as_bytes())).await;
    let (directory, local) = profile_with("outer.eml", WITH_PICTURE.as_bytes());
    let web = format!("http://{}/outer.eml", server.address);
    for url in [local, web] {
        let get = |fragment: &str, into: &str| {
            let url = format!("{url}#{fragment}");
            let arguments = ["--config", "config", "get", &url, "-o", into];
            let get = geomys_at(directory.path(), &arguments);
            assert_eq!(get.status.code(), Some(0), "{url}: {}", text(&get.stderr));
        };
        get("fwd.eml", "in/");
        let inner = fs::read_to_string(directory.path().join("in/fwd.eml")).unwrap();
        assert!(
            inner.starts_with("From: Bob") && inner.contains("Inner text."),
            "{inner}"
        );
        assert!(!inner.contains("Outer"), "{inner}");
        get("fwd.eml/seeds.bin", "in/");
        assert_eq!(
            fs::read(directory.path().join("in/seeds.bin")).unwrap(),
            [0, 1, 2]
        );
        // A fragment that names no attachment is that of the message.
        get("top", "whole");
        assert_eq!(
            fs::read_to_string(directory.path().join("whole")).unwrap(),
            WITH_PICTURE
        );
        fs::remove_dir_all(directory.path().join("in")).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn attachment_has_a_url_and_opens_in_a_pane_or_a_tab() {
    let (profile, letter) = profile_with("outer.eml", LETTER.as_bytes());
    let session = Browser::in_profile(profile)
        .open(&letter)
        .size((160, 40))
        .start();
    session.wait("fwd.eml, message/rfc822").await;
    session.press("J t");
    session.wait("Inner text.").await;
    session.wait(" 1 outer   2 inner").await;
    session.press("{");
    session.wait("Outer text.").await;
    session.wait_until_absent("Inner text.").await;
    session.press("s");
    session.wait("Inner text.").await;
    assert!(session.screen().contains("Outer text."));
    // An attachment that is no page.
    let (profile, letter) = profile_with("outer.eml", WITH_PICTURE.as_bytes());
    let session = Browser::in_profile(profile)
        .open(format!("{letter}#fwd.eml"))
        .start();
    session.wait("seeds.bin, application/x-seeds").await;
    session.press("J y");
    session.wait("Copied").await;
    assert_eq!(copied(&session), format!("{letter}#fwd.eml/seeds.bin"));
}

#[test]
fn written_sparse_file_has_its_holes() {
    const SIZE: u64 = 7 << 30;
    let (directory, archive) = profile_with("a.tar", &sparse_tar("holes", SIZE));
    for arguments in [vec!["get"], vec!["get", "-r"], vec!["mirror"]] {
        let into = directory.path().join(arguments.join(""));
        let (url, target) = match arguments.len() {
            1 if arguments[0] == "get" => (format!("{archive}#holes"), vec!["-o"]),
            1 => (archive.clone(), vec![]),
            _ => (archive.clone(), vec!["-o"]),
        };
        let end = if url == archive { "" } else { "/" };
        let path = format!("{}{end}", into.display());
        let arguments: Vec<&str> = ["--config", "config"]
            .into_iter()
            .chain(arguments)
            .chain(["--yes", &url])
            .chain(target)
            .chain([path.as_str()])
            .collect();
        let get = geomys_at(directory.path(), &arguments);
        assert_eq!(get.status.code(), Some(0), "{}", text(&get.stderr));
        let file = fs::metadata(into.join("holes")).unwrap();
        assert_eq!(file.len(), SIZE);
        assert!(file.blocks() <= 128, "{}", file.blocks());
        let mut start = [0; 1024];
        let opened = fs::File::open(into.join("holes")).unwrap();
        opened.read_exact_at(&mut start, 0).unwrap();
        assert_eq!(
            start,
            <[u8; 1024]>::try_from([[b'x'; 512], [0; 512]].concat()).unwrap()
        );
    }
}

#[test]
fn get_unpacks_many_times_an_archive_only_with_yes() {
    let (directory, archive) = profile_with("a.tar", &sparse_tar("holes", 6 << 30));
    for arguments in [vec!["get"], vec!["get", "-r"]] {
        let member = match arguments.len() {
            1 => format!("{archive}#holes"),
            _ => archive.clone(),
        };
        let arguments: Vec<&str> = ["--config", "config"]
            .into_iter()
            .chain(arguments)
            .chain([member.as_str(), "-o", "into"])
            .collect();
        let get = geomys_at(directory.path(), &arguments);
        let said = text(&get.stderr);
        assert_eq!(get.status.code(), Some(1), "{said}");
        assert!(
            said.contains("unpacks to 6.4 GB") && said.contains("--yes"),
            "{said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn status_line_has_the_progress_of_an_archive() {
    let first = vec![0; 1 << 20];
    let archive = tarred(&[("first", first.as_slice()), ("wanted", b"Here it is.\n")]);
    let (address, second_half) = in_halves(&archive);
    let session = Browser::new()
        .open(format!("http://{address}/a.tar#wanted"))
        .start();
    let is_read =
        |screen: &str| screen.contains("reading the archive: ") && screen.contains(" % of 1.0 MB");
    session.screen_when("progress", is_read).await;
    second_half.send(()).unwrap();
    session.wait("Here it is.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recursive_get_fetches_the_members_of_an_archive() {
    let server = Web::start(|_| ok("Content-Type: application/x-tar\r\n", sample())).await;
    let (directory, local) = profile_with("a.tar", &sample());
    let web = format!("http://{}/a.tar", server.address);
    for (url, into, expected) in [
        (local.clone(), "all", vec!["docs", "one.bin", "top.txt"]),
        (format!("{local}#docs/"), "some", vec!["README", "sub"]),
        (web, "far", vec!["docs", "one.bin", "top.txt"]),
    ] {
        let get = geomys_at(
            directory.path(),
            &["--config", "config", "get", "-r", &url, "-o", into],
        );
        assert_eq!(get.status.code(), Some(0), "{url}: {}", text(&get.stderr));
        let into = directory.path().join(into);
        assert_eq!(names(&into), expected, "{url}");
    }
    // A file is all that is below it.
    let member = format!("{local}#docs/README");
    let arguments = ["--config", "config", "get", "-r", &member, "-o", "one/"];
    let get = geomys_at(directory.path(), &arguments);
    assert_eq!(get.status.code(), Some(0), "{}", text(&get.stderr));
    let saved = fs::read(directory.path().join("one/README")).unwrap();
    assert_eq!(saved, b"Read me.\n");
    // Each member has its own time, so that a second run finds it there.
    let again = geomys_at(
        directory.path(),
        &[
            "--config",
            "config",
            "get",
            "-r",
            &local,
            "-o",
            "all",
            "--dry-run",
        ],
    );
    let again = text(&again.stderr);
    assert!(
        again.contains("0 files") && again.contains("4 there already"),
        "{again}"
    );
    let deep = directory.path().join("all/docs/sub/deep.txt");
    assert_eq!(fs::read(deep).unwrap(), b"Deep.\n");
    // The archive was stored, so that its members and directories needed few requests.
    let requests = server.take_lines();
    assert!(requests.len() <= 3, "{requests:?}");
    // A file that is no archive is no directory.
    let file = format!("file://{}", directory.path().join("all/top.txt").display());
    let get = geomys_at(
        directory.path(),
        &["--config", "config", "get", "-r", &file],
    );
    assert_eq!(get.status.code(), Some(1));
    assert!(text(&get.stderr).contains("not a directory"), "{get:?}");
}
