//! The README matches the program: its screen is a real one, its keys are those of the keymap, its URL examples print as
//! shown.

use std::fs;
use std::path::Path;

use geomys::config::{Environment, UserPaths, read};

use crate::support::command::{geomys, text};
use geomys::app::action::Action;

#[test]
fn readme_screen_matches_snapshot() {
    let snapshot = file("tests/snapshots/main__session__menu.snap");
    let screen = snapshot.splitn(3, "---\n").nth(2).unwrap();
    // Loopback ports differ in each run; the README shows Gopher's own.
    let screen = screen.replace("127.0.0.1:PORT.", "underloam.example");
    assert_eq!(
        between("picture"),
        format!("```text\n{}\n```\n", screen.trim_end())
    );
}

#[test]
fn readme_keys_match_the_keymap() {
    let nowhere = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let keymap = read(&nowhere, &Environment::default()).keymap;
    let rows = Action::ALL.iter().map(|action| {
        let keys = keymap.keys_of(*action).into_iter();
        let keys: Vec<String> = keys
            .map(|keys| format!("`{}`", keys.replace('|', "\\|")))
            .collect();
        format!("| {} | {} |\n", keys.join(" "), action.doc())
    });
    let head = "| keys | |\n|---|---|\n".to_owned();
    let tabs = format!("| `Alt-1` … `Alt-9` | {} |\n", Action::Tab(1).doc());
    let table: String = std::iter::once(head)
        .chain(rows)
        .chain(std::iter::once(tabs))
        .collect();
    assert_eq!(between("keys"), table);
}

#[test]
fn readme_url_examples_match_the_output() {
    let mut needing_consent = 0;
    let part = between("addresses");
    let mut lines = part.lines();
    while let Some(line) = lines.next() {
        let Some(input) = line.strip_prefix("$ geomys url --json ") else {
            assert!(line.starts_with("```"), "{line}");
            continue;
        };
        let output = geomys(&["url", "--json", input.trim_matches('\'')], "");
        assert_eq!(text(&output.stdout).trim_end(), lines.next().unwrap());
        needing_consent += 1;
    }
    assert!(needing_consent >= 12, "at least a dozen: {needing_consent}");
}

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The text between the marks of a part of the README.
fn between(mark: &str) -> String {
    let readme = file("README.md");
    let (_, from) = readme.split_once(&format!("<!-- {mark}")).unwrap();
    let (_, from) = from.split_once("-->\n").unwrap();
    let (part, _) = from.split_once(&format!("<!-- /{mark}")).unwrap();
    part.to_owned()
}
