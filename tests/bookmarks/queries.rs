//! Queries of commands that change or send something: unknown words, and the question before a change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use geomys_store::bookmarks::Bookmarks;
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::command::Profile;
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
    &["merge", "--matching"],
    &["accept-move", "--matching"],
    &["fetch-titles", "--matching"],
    &["export", "--matching"],
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
            "similar",
            "untagged",
            "untitled",
            "added",
        ];
        let (name, age) = word.split_once('>').unwrap_or((word, ""));
        let is_age = age
            .trim_end_matches(['h', 'd', 'w', 'y'])
            .parse::<u16>()
            .is_ok();
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

#[test]
fn copies_are_merged_into_the_first_bookmark() {
    let file = "\
# A
<URL:gopher://h/1/x> #one
  first
    indented
Plain <URL:gopher://h/1/y> #other
# B
Named <URL:GOPHER://h:70/1/x> #two #one
  second
  first

Third <URL:gopher://H/1/x>
  third
München <URL:http://münchen.example/>
Again <URL:http://xn--mnchen-3ya.example:80> #ü
Part <URL:http://MÜNCHEN.example/#part>";
    let profile = Profile::new(file);
    let (status, printed, said) = profile.run(&["merge", "--dry-run"]);
    assert_eq!((status, said.as_str()), (0, ""));
    assert_eq!(
        printed.lines().next(),
        Some(
            "merged line 7: Named <URL:GOPHER://h:70/1/x> #two #one in B -> line 2: <URL:gopher://h/1/x> #one in A"
        )
    );
    assert_eq!(
        (printed.lines().count(), profile.file()),
        (3, file.to_owned())
    );
    let (_, lines, _) = profile.run(&["merge", "--dry-run", "--matching", "münchen"]);
    assert_eq!(lines.lines().count(), 1);
    assert_eq!(profile.run(&["merge"]).1, printed);
    assert_eq!(
        profile.file(),
        "\
# A
Named <URL:gopher://h/1/x> #one #two
  first
    indented
  second
  third
Plain <URL:gopher://h/1/y> #other
# B

München <URL:http://münchen.example/> #ü
Part <URL:http://MÜNCHEN.example/#part>"
    );
    let (status, lines, said) = profile.run(&["merge"]);
    assert_eq!(
        (status, lines.as_str(), said.as_str()),
        (0, "", "geomys: no copies to merge\n")
    );
}

proptest! {
    #[test]
    fn merge_keeps_one_bookmark_of_each_url_with_all_tags_and_notes(
        lines in prop::collection::vec(("[ab]?", "[xyz]", "( #[a-c]){0,2}", "(\n  [a-c]){0,2}", "(\n# F)?"), 0..9),
    ) {
        let lines: Vec<String> = lines
            .into_iter()
            .map(|(title, url, tags, notes, folder)| format!("{title} <URL:gopher://h/1/{url}>{tags}{notes}{folder}\n"))
            .collect();
        let file = Bookmarks::parse(lines.concat().as_bytes());
        let change = file.merging(&file.doubles());
        let applied = file.apply(&change);
        let merged = applied.bookmarks;
        let words = |file: &Bookmarks| {
            let words = file.bookmarks().flat_map(|one| {
                let url = one.url_text().to_string();
                let tags = one.tags().iter().map(|tag| format!("#{tag}")).collect::<Vec<_>>();
                let notes = one.notes().iter().map(ToString::to_string).collect::<Vec<_>>();
                [tags, notes, vec![String::new()]].concat().into_iter().map(move |word| (url.clone(), word))
            });
            words.collect::<std::collections::BTreeSet<_>>()
        };
        prop_assert_eq!(words(&merged), words(&file));
        prop_assert!(merged.doubles().is_empty());
        prop_assert_eq!(merged.folders().count(), file.folders().count());
        // One undo brings all of it back.
        let back = merged.apply(&applied.undo).bookmarks;
        prop_assert_eq!(back.octets(), file.octets());
    }
}
