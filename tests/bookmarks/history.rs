//! Stored earlier states, and the files after a crash.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::command::text as said;
use crate::support::screen::Browser;

/// Runs `geomys bookmarks` on the files of a directory.
fn run(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_geomys"))
        .arg("--config")
        .arg(directory)
        .arg("bookmarks")
        .args(arguments)
        .env_clear()
        .env("TZ", "UTC")
        .output()
        .unwrap()
}

fn file_in(directory: &Path) -> String {
    fs::read_to_string(directory.join("bookmarks.txt")).unwrap()
}

/// A crash between any two steps of a write leaves the complete old or new file, and the next
/// write works.
#[test]
fn kill_during_save_leaves_old_or_new_file() {
    for (step, is_new) in [
        ("read", false),
        ("opened", false),
        ("written", false),
        ("synced", false),
        ("renamed", true),
    ] {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("bookmarks.txt"), FILE).unwrap();
        let killed = run(
            directory.path(),
            &["--die-at", step, "add", "gopher://killed/"],
        );
        assert_eq!(killed.status.signal(), Some(9), "{step}: {killed:?}");
        let new = FILE.replacen("words\n", "words\n<URL:gopher://killed/>\n\n", 1);
        let expected = if is_new { &new } else { FILE };
        assert_eq!(file_in(directory.path()), expected, "{step}");
        let stored = said(&run(directory.path(), &["history", "--show", "1"]).stdout);
        assert_eq!(stored, FILE, "{step}");
        let next = run(directory.path(), &["add", "gopher://next/"]);
        assert_eq!(next.status.code(), Some(0), "{next:?}");
        assert!(file_in(directory.path()).contains("<URL:gopher://next/>\n"));
        // The state before the kill is not stored twice.
        let history = said(&run(directory.path(), &["history"]).stdout);
        assert_eq!(
            history.lines().count(),
            if is_new { 2 } else { 1 },
            "{step}: {history}"
        );
    }
}

#[test]
fn two_processes_writing_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("bookmarks.txt"), FILE).unwrap();
    let writers: Vec<_> = (0..2)
        .map(|writer| {
            let directory = directory.path().to_owned();
            std::thread::spawn(move || {
                for number in 0..20 {
                    let url = format!("gopher://w{writer}/0/n{number}");
                    let output = run(&directory, &["add", &url]);
                    assert_eq!(output.status.code(), Some(0), "{output:?}");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let file = file_in(directory.path());
    assert_eq!(file.matches("<URL:gopher://w").count(), 40);
    let others = file
        .lines()
        .filter(|line| !line.starts_with("<URL:gopher://w"));
    let others: Vec<&str> = others.filter(|line| !line.is_empty()).collect();
    let before: Vec<&str> = FILE.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(others, before);
}

const FILE: &str = "\
some words
# Gopher
Floodgap <URL:gopher://gopher.floodgap.com/> #start #gopher
  a note
  another note

## Phlogs
Broken <URL:gopher://bad~host/> and words after it #x
# FTP
<url: ftp://ftp.gnu.org/gnu/
;type=d > two <URL:news:*>
GNU <URL: ftp://ftp.gnu.org/ gnu/;type=d> two <URL:news:*>
last line without its end";

/// Runs the program in a profile, where no file can get an octet, as on a full disk.
fn run_on_full_disk(directory: &Path, arguments: &[&str]) -> Output {
    let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" --config \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_geomys")]);
    command.arg(directory).args(arguments).output().unwrap()
}

#[test]
fn full_disk_leaves_file_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bookmarks.txt");
    fs::write(&path, FILE).unwrap();
    let small = run_on_full_disk(directory.path(), &["bookmarks", "add", "gopher://h/"]);
    assert_eq!(small.status.code(), Some(1), "{small:?}");
    assert!(
        String::from_utf8_lossy(&small.stderr).contains("not saved"),
        "{small:?}"
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), FILE);
}

#[test]
fn export_on_a_full_disk_leaves_the_last_one() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("bookmarks.txt"), FILE).unwrap();
    fs::write(at("last.html"), "the last export").unwrap();
    for name in ["last.html", "first.html"] {
        let path = at(name);
        let arguments = ["bookmarks", "export", path.to_str().unwrap()];
        let small = run_on_full_disk(directory.path(), &arguments);
        assert_eq!(small.status.code(), Some(1), "{small:?}");
        let said = String::from_utf8_lossy(&small.stderr);
        assert!(said.contains("was not written"), "{said}");
    }
    assert_eq!(
        fs::read_to_string(at("last.html")).unwrap(),
        "the last export"
    );
    assert!(!at("first.html").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn earlier_state_is_listed_and_restored_in_the_browser() {
    let session = Browser::new()
        .bookmarks("# Mine\nOne <URL:gopher://one.example/>\n")
        .open("geomys:home")
        .start();
    session.wait("Start here").await;
    session.run_command("bookmarks-history").await;
    session.wait("No earlier state").await;
    session.press("B j X");
    session
        .wait_until("no bookmark", |_| {
            !session.bookmarks().contains("one.example")
        })
        .await;
    session.press("Esc");
    session.run_command("bookmarks-history").await;
    session.wait_in_prompt("1 bookmark; then").await;
    session.type_in("one");
    session.press("Enter");
    session.wait("Not a number of a state").await;
    session.type_in("1");
    session.press("Enter");
    session.wait("Back to state 1").await;
    assert!(session.bookmarks().contains("one.example"));
    session.press("B");
    session.wait("▸ One").await;
}
