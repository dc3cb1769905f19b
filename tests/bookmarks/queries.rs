//! Queries of commands that change or send something: unknown words, and the question before a change.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::Config;

use super::command::Profile;
use super::*;
use crate::support::terminal::Terminal;

const LIST: &str = "\
a <URL:gopher://127.0.0.1:9/> #watch
b <URL:gopher://127.0.0.1:9/1/b> #t
b again <URL:gopher://127.0.0.1:9/1/b>
bad <URL:gopher://bad~host/>
";

/// Every command that takes a query, without its query.
const COMMANDS: [&[&str]; 13] = [
    &["list", "--"],
    &["list", "--fuzzy", "--"],
    &["list", "--json", "--sort", "title", "--"],
    &["check", "--"],
    &["check", "--dead-for", "1d", "--"],
    &["remove", "--matching"],
    &["remove", "--yes", "--matching"],
    &["edit", "--add-tag", "x", "--matching"],
    &["repair", "--matching"],
    &["accept-move", "--matching"],
    &["fetch-titles", "--matching"],
    &["export", "--matching"],
    &["watch", "--now", "--confirm", "--matching"],
];

/// The files of a profile, with their content.
fn files(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| (path.clone(), fs::read(path).unwrap_or_default()))
        .collect()
}

/// A word that looks like a keyword and is none.
fn unknown_word() -> impl Strategy<Value = String> {
    let known = |word: &str| {
        let names = [
            "alive",
            "dead",
            "moved",
            "refused",
            "unreachable",
            "unchecked",
            "new",
            "fault",
            "duplicate",
            "repeated",
            "gone",
            "silent",
            "no-answer",
        ];
        let (name, age) = word.split_once('>').unwrap_or((word, ""));
        let is_age = age.trim_end_matches(['h', 'd', 'w']).parse::<u16>().is_ok();
        word.strip_prefix("is:")
            .is_some_and(|name| names.contains(&name))
            || names.contains(&name) && is_age
    };
    let words = prop_oneof![
        3 => "is:[a-z-]{0,10}",
        1 => "is:(aliv|ded|duplicates|moved>2d|dead[0-9])",
        2 => "(alive|dead|moved|fault|[a-z]{1,6})[<>]=?-?[a-z0-9]{0,4}",
        1 => "(alive|dead|moved|refused|unreachable)(=|==|:)[0-9]{1,3}[hdw]?",
    ];
    words.prop_filter("no known word", move |word| !known(word))
}

proptest! {
    #![proptest_config(Config { cases: 12, failure_persistence: None, ..Config::default() })]

    #[test]
    fn unknown_word_ends_every_command_and_changes_nothing(
        word in unknown_word(),
        sign in "-?",
        before in "(b |-#t |\"a b\" )?",
        after in "( is:alive| b| -a)?",
    ) {
        let profile = Profile::new(LIST);
        let files_before = files(profile.directory());
        let query = format!("{before}{sign}{word}{after}");
        for command in COMMANDS {
            let arguments: Vec<&str> = command.iter().copied().chain([query.as_str()]).collect();
            let (status, out, said) = profile.run(&arguments);
            prop_assert_eq!((status, out.as_str()), (2, ""), "{:?}: {}", arguments, said);
            prop_assert!(said.contains(&format!("“{word}”: known are ")), "{:?}: {}", arguments, said);
            prop_assert_eq!(files(profile.directory()), files_before.clone(), "{:?}", arguments);
        }
    }
}

#[test]
fn change_of_several_matches_is_asked_on_a_terminal_only() {
    let profile = Profile::new(LIST);
    let on_terminal = |arguments: &[&str], question: &str, answer: &str, status: u32| {
        let arguments = [&["bookmarks"], arguments].concat();
        let mut terminal = Terminal::run(profile.directory(), &arguments);
        if !question.is_empty() {
            terminal.wait(question);
            terminal.press(answer);
        }
        terminal.end(status);
        assert_eq!(
            terminal.screen().contains("y or n"),
            !question.is_empty(),
            "{}",
            terminal.screen()
        );
    };
    let edit = ["edit", "--matching", "gopher", "--add-tag", "x"];
    on_terminal(&edit, "Change 4 bookmarks? y or n:", "n\r", 1);
    let remove = ["remove", "--matching", "gopher"];
    on_terminal(&remove, "Remove 4 bookmarks? y or n:", "\r", 1);
    assert_eq!(profile.file(), LIST);
    // One bookmark, those that are named, and a command with --yes are not asked about.
    on_terminal(&["remove", "--matching", "bad~host"], "", "", 0);
    on_terminal(&["edit", "1", "2", "--add-tag", "x"], "", "", 0);
    on_terminal(&["remove", "--matching", "again", "2", "--yes"], "", "", 0);
    assert_eq!(profile.file(), "a <URL:gopher://127.0.0.1:9/> #watch #x\n");
    let (status, _, said) = profile.run(&["remove", "1", "--yes"]);
    assert_eq!(status, 2, "{said}");
    let profile = Profile::new(LIST);
    let (status, lines, said) = profile.run(&remove);
    assert_eq!((status, lines.lines().count(), said.as_str()), (0, 4, ""));
    let profile = Profile::new(LIST);
    let mut terminal = Terminal::run(profile.directory(), &[&["bookmarks"][..], &edit].concat());
    terminal.wait("Change 4 bookmarks? y or n:");
    terminal.press("y\r");
    terminal.end(0);
    assert_eq!(profile.file().matches("#x").count(), 4);
}
