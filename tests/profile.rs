//! The files of version 0.1, read by this one: `tests/data/profile-0.1` was written by it. Later versions keep this test.

use std::fs;
use std::path::Path;

use geomys::config::{Environment, UserPaths, read};
use geomys::keymap::{Key, KeyContext, KeyMatch};
use tempfile::TempDir;

use crate::support::command::{geomys, text};
use crate::support::terminal::Terminal;
use geomys::app::action::Action;

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
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/profile-0.1");
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
fn former_names_of_actions_and_styles_count_and_are_reported() {
    let profile = profile();
    let places = UserPaths::new(Some(profile.path().to_owned())).unwrap();
    let config = read(&places, &Environment::default());
    let said = config.errors.iter().map(|mistake| {
        let sentence = mistake.to_string();
        let name = sentence.rsplit('/').next().unwrap();
        name.to_owned()
    });
    assert_eq!(
        said.collect::<Vec<_>>(),
        [
            "keys.toml:2:7: “take” is called “cut” now",
            "keys.toml:3:7: “put” is called “paste” now",
            "keys.toml:4:7: “put-copies” is called “paste-copies” now",
            "keys.toml:5:9: “next-gone” is called “next-dead” now",
            "keys.toml:6:9: “take-moved” is called “accept-move” now",
            "keys.toml:7:9: “find-bookmarks” is called “filter-bookmarks” now",
            "theme.toml:2:1: “gone” is called “dead” now",
            "theme.toml:3:1: “silent” is called “unreachable” now",
            "theme.toml:6:1: “gone” is called “dead” now",
        ]
    );
    let contexts = [KeyContext::Bookmarks, KeyContext::Global];
    let cut = config.keymap.find(&contexts, &[Key::letter('x')]);
    assert_eq!(cut, KeyMatch::Action(Action::Cut));
}

#[test]
fn former_states_of_links_are_read() {
    let profile = profile();
    for filter in ["is:dead", "is:gone", "dead>0", "gone>0h"] {
        let found = lines(&profile, &["bookmarks", "list", filter]);
        assert!(
            found.len() == 1 && found[0].contains("Missing"),
            "{found:?}"
        );
    }
    for filter in ["is:unreachable", "is:silent", "is:no-answer"] {
        let found = lines(&profile, &["bookmarks", "list", filter]);
        assert!(found.len() == 1 && found[0].contains("GNU"), "{found:?}");
    }
    for option in ["--dead-for", "--gone-for"] {
        let found = lines(&profile, &["bookmarks", "check", option, "0h"]);
        assert!(
            found.len() == 1 && found[0].starts_with("dead\t"),
            "{found:?}"
        );
    }
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
    terminal.wait("2 transfers");
    terminal.wait("latest");
    terminal.press("D");
    terminal.press("q");
    terminal.end(0);
}
