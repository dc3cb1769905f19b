//! Stored files, read by a program that has not written them: the forms in `tests/data/profile` stay readable.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::command::{geomys, text};
use crate::support::terminal::Terminal;

/// A copy of the profile in a directory of its own.
fn profile() -> TempDir {
    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &target);
            } else {
                fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/profile");
    copy(&data, directory.path());
    directory
}

/// The lines that a command prints over the profile.
fn lines(profile: &TempDir, arguments: &[&str]) -> Vec<String> {
    let config = profile.path().to_str().unwrap();
    let output = geomys(&[&["--config", config], arguments].concat(), "");
    let lines = text(&output.stdout);
    assert!(!lines.is_empty(), "{arguments:?}: {}", text(&output.stderr));
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn states_of_links_are_read() {
    let profile = profile();
    for filter in ["is:dead", "dead>0"] {
        let found = lines(&profile, &["bookmarks", "list", filter]);
        assert!(
            found.len() == 1 && found[0].contains("Missing"),
            "{found:?}"
        );
    }
    let found = lines(&profile, &["bookmarks", "list", "is:unreachable"]);
    assert!(found.len() == 1 && found[0].contains("GNU"), "{found:?}");
    let found = lines(&profile, &["bookmarks", "check", "--dead-for", "0h"]);
    assert!(
        found.len() == 1 && found[0].starts_with("dead\t"),
        "{found:?}"
    );
}

#[test]
fn words_that_no_release_had_are_refused() {
    let profile = profile();
    let config = profile.path().to_str().unwrap();
    for filter in ["is:gone", "is:silent", "is:no-answer"] {
        let output = geomys(&["--config", config, "bookmarks", "list", filter], "");
        let error = text(&output.stderr);
        assert!(error.contains("unknown word"), "{filter}: {error}");
    }
    let output = geomys(
        &["--config", config, "bookmarks", "check", "--gone-for", "0h"],
        "",
    );
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn cached_pages_are_read() {
    let profile = profile();
    let group = "nntp://127.0.0.1:44565/underloam.infosystems.gopher";
    let shown = lines(&profile, &["--offline", "dump", group]);
    assert!(
        shown.len() == 19 && shown[0].starts_with("Lost Visitor"),
        "{shown:?}"
    );
    let article = lines(&profile, &["--offline", "dump", &format!("{group}/420")]);
    assert!(
        article
            .iter()
            .any(|line| line == "Message-ID:  <gph-18@underloam.example>")
    );
}

#[test]
fn unfinished_transfers_and_read_marks_are_shown() {
    let profile = profile();
    let group = "nntp://127.0.0.1:44565/underloam.infosystems.gopher";
    let mut terminal = Terminal::run(profile.path(), &["--offline", group]);
    // Read: it has no bullet.
    terminal.wait("▌· Lost Visitor");
    terminal.wait("● Ada");
    terminal.press("D");
    terminal.wait("2 paused");
    terminal.wait("latest");
    terminal.press("D");
    terminal.press("q");
    terminal.end(0);
}
