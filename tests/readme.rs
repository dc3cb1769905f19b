//! The README and the manual match the program: keys are those of the keymap, URL examples print as shown.

use std::fs;
use std::path::Path;

use geomys::config::{Environment, UserPaths, read};
use geomys_app::dialogs::help::MOST_USED;
use geomys_app::manual::TOPICS;

use crate::picture::DIRECTORY;
use crate::support::command::{geomys, text};

#[test]
fn readme_is_short_and_names_topics_and_pictures() {
    let readme = file("README.md");
    assert!(readme.len() <= 8000, "{} bytes", readme.len());
    let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
    assert!(readme.contains(&format!("Topics: {}\n", topics.join(", "))));
    let mut bytes = 0;
    for (name, words) in [
        ("menu", "market square"),
        ("thread", "cloakroom ticket"),
        ("archive", "drum.img"),
        ("picture", "480 × 320 pixels"),
        ("fault", "must be"),
        ("session", "U N D E R L O A M"),
    ] {
        let path = format!("{DIRECTORY}/{name}.svg");
        assert!(readme.contains(&format!("]({path})")), "{path}");
        let picture = file(&path);
        assert!(picture.contains(words), "{path}");
        assert!(!picture.contains("127.0.0.1"), "{path}");
        bytes += picture.len();
    }
    assert!(bytes < 400_000, "{bytes} bytes");
}

#[test]
fn readme_links_lead_to_files() {
    let readme = file("README.md");
    for link in readme.split("](").skip(1) {
        let (path, _) = link.split_once(')').unwrap();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        assert!(path.exists(), "{}", path.display());
    }
}

#[test]
fn readme_keys_match_the_keymap() {
    let nowhere = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let keymap = read(&nowhere, &Environment::default()).keymap;
    let readme = file("README.md");
    let rows = readme.lines().filter_map(|line| line.strip_prefix("| `"));
    let keys: Vec<&str> = rows.map(|row| row.split_once('`').unwrap().0).collect();
    assert_eq!(keys.len(), MOST_USED.len());
    for (key, action) in keys.into_iter().zip(MOST_USED) {
        assert!(
            keymap.keys_of(action).iter().any(|bound| bound == key),
            "{key}"
        );
    }
}

#[test]
fn manual_url_examples_match_the_output() {
    let mut needing_consent = 0;
    let manual = file("assets/manual/urls.md");
    let (_, part) = manual.split_once("## Examples").unwrap();
    let mut lines = part.lines().filter(|line| !line.is_empty());
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

#[test]
fn security_promises_name_tests_that_exist() {
    let security = file("SECURITY.md");
    let (_, promised) = security.split_once("## What is promised\n").unwrap();
    let (promised, _) = promised.split_once("\n## ").unwrap();
    let mut promises = promised.split("\n- **");
    promises.next();
    for promise in promises {
        let tests: Vec<&str> = promise
            .lines()
            .filter_map(|line| line.strip_prefix("  - `")?.strip_suffix('`'))
            .collect();
        assert!(!tests.is_empty(), "no test: {promise}");
        for test in tests {
            let (path, name) = test.split_once("::").unwrap();
            assert!(file(path).contains(&format!("fn {name}(")), "{test}");
        }
    }
}
