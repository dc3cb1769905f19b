//! The key presets: every command has a key, no key hides another, and text is typed as it is written.

use std::fs;

use geomys::config::{Environment, KEY_PRESETS, UserPaths, read};
use geomys_app::action::Action;
use geomys_app::keymap::{KeyContext, KeyMatch, Keymap};
use geomys_demo::Demo;

use super::{PALETTE_ONLY, bindings, keymap_with, presets};
use crate::support::command::{geomys, text};
use crate::support::screen::{Browser, Session};
use crate::support::terminal::Terminal;

/// The arrows as terminals send them.
const DOWN: &str = "\x1b[B";
const UP: &str = "\x1b[A";
const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";

/// The contexts that are in force together, the most specific first.
const IN_FORCE: [&[KeyContext]; 9] = [
    &[
        KeyContext::Group,
        KeyContext::List,
        KeyContext::Page,
        KeyContext::Global,
    ],
    &[
        KeyContext::Groups,
        KeyContext::List,
        KeyContext::Page,
        KeyContext::Global,
    ],
    &[
        KeyContext::History,
        KeyContext::List,
        KeyContext::Page,
        KeyContext::Global,
    ],
    &[KeyContext::List, KeyContext::Page, KeyContext::Global],
    &[KeyContext::Article, KeyContext::Page, KeyContext::Global],
    &[KeyContext::Bookmarks, KeyContext::Global],
    &[KeyContext::Transfers, KeyContext::Global],
    &[KeyContext::Form, KeyContext::Global],
    &[
        KeyContext::SessionPage,
        KeyContext::Session,
        KeyContext::Page,
        KeyContext::Global,
    ],
];

#[test]
fn every_action_has_a_key_in_every_preset_unless_the_palette_alone_runs_it() {
    for (preset, keymap) in presets() {
        for action in Action::ALL {
            let has_key = keymap.key_of(*action).is_some();
            // Its key in this preset quits in the others.
            let is_of_tin = preset == "tin" && *action == Action::BackOrQuit;
            assert_eq!(
                has_key,
                is_of_tin || !PALETTE_ONLY.contains(action),
                "{preset}: {action:?}"
            );
        }
    }
}

/// Returns true if `keys` are the beginning of a sequence that a context before hides, or of none.
fn hidden(keymap: &Keymap, contexts: &[KeyContext]) -> Vec<String> {
    let mut hidden = Vec::new();
    for (context, keys, action) in bindings(keymap) {
        if !contexts.contains(&context) {
            continue;
        }
        for length in 1..keys.len() {
            if keymap.find(contexts, &keys[..length]) != KeyMatch::Prefix {
                hidden.push(format!("{keys:?} of {action:?} in {contexts:?}"));
            }
        }
    }
    hidden
}

#[test]
fn no_key_hides_a_sequence_that_begins_with_it() {
    for (preset, keymap) in presets() {
        for contexts in IN_FORCE {
            let hidden = hidden(&keymap, contexts);
            assert!(hidden.is_empty(), "{preset}: {hidden:?}");
        }
    }
    let keymap = keymap_with("[global]\n\"Ctrl-X\" = \"reload\"\n\"Ctrl-X k\" = \"close-tab\"\n");
    assert_eq!(hidden(&keymap, &[KeyContext::Global]).len(), 1);
}

#[test]
fn preset_takes_no_letter_from_a_form_a_session_or_a_prompt() {
    for (preset, keymap) in presets() {
        for (context, keys, action) in bindings(&keymap) {
            let takes_text = matches!(
                context,
                KeyContext::Form | KeyContext::Session | KeyContext::Prompt
            );
            let letter = keys.first().and_then(|key| key.character());
            assert!(!takes_text || letter.is_none(), "{preset}: {action:?}");
        }
    }
}

#[test]
fn own_keys_come_over_those_of_the_preset() {
    let keymap = keymap_with("preset = \"lynx\"\n[global]\n\"g\" = \"reload\"\n\"G\" = \"\"\n");
    assert_eq!(keymap.keys_of(Action::Go), ["o"]);
    assert!(keymap.keys_of(Action::Reload).contains(&"g".to_owned()));
    assert_eq!(keymap.keys_of(Action::EditUrl), ["O"]);
    // The keys of vi alone are not there.
    assert_eq!(keymap.keys_of(Action::RowDown), ["Ctrl-N", "Down"]);
    assert_eq!(
        keymap_with("preset = \"vi\"\n"),
        keymap_with(""),
        "vi is the default"
    );
}

#[test]
fn unknown_preset_is_reported_with_its_position_and_the_names() {
    let directory = tempfile::tempdir().unwrap();
    for (written, expected) in [
        (
            "\"nano\"",
            "keys.toml:1:10: unknown preset “nano”; expected vi, emacs, lynx, tin",
        ),
        (
            "7",
            "keys.toml:1:10: expected the name of a preset (vi, emacs, lynx, tin), in quotes",
        ),
    ] {
        let keys = format!("preset = {written}\n[global]\n\"Q\" = \"quit\"\n");
        fs::write(directory.path().join("keys.toml"), keys).unwrap();
        let path = directory.path().to_str().unwrap();
        let output = geomys(&["--config", path, "config", "check"], "");
        assert_eq!(output.status.code(), Some(1));
        let listed = text(&output.stdout);
        assert_eq!(listed, format!("{path}/{expected}\n"));
        // The rest of the file applies, to the default keys.
        let paths = UserPaths::new(Some(directory.path().to_owned())).unwrap();
        let config = read(&paths, &Environment::default());
        assert_eq!(config.keymap.keys_of(Action::Quit), ["q", "Q"]);
    }
}

#[test]
fn config_show_prints_a_preset_that_can_be_used_as_a_file() {
    for (name, content) in &KEY_PRESETS[1..] {
        let output = geomys(&["config", "show", &format!("keys-{name}")], "");
        assert_eq!(text(&output.stdout), *content);
        // As a whole file over the keys of vi it adds its own keys.
        let keymap = keymap_with(content);
        let preset = keymap_with(&format!("preset = \"{name}\"\n"));
        for (context, keys, action) in bindings(&preset) {
            assert_eq!(keymap.find(&[context], &keys), KeyMatch::Action(action));
        }
    }
}

/// A session of the demo with this preset.
fn session(preset: &str, demo: &Demo) -> Session {
    let keys = format!("preset = \"{preset}\"\n");
    Browser::new()
        .file("keys.toml", keys)
        .demo(demo)
        .size((120, 40))
        .start()
}

#[tokio::test(flavor = "multi_thread")]
async fn help_and_hints_show_the_keys_of_the_preset() {
    let demo = Demo::start().await.unwrap();
    for (preset, keys) in [
        ("emacs", ["Ctrl-S", "Ctrl-N"]),
        ("lynx", ["Ctrl-R", "Ctrl-N"]),
    ] {
        let session = session(preset, &demo);
        session.wait("Start here").await;
        session.press("?");
        session.wait("Help:").await;
        session.type_in(if preset == "emacs" {
            "find text"
        } else {
            "reload"
        });
        session.wait(keys[0]).await;
        session.press("Ctrl-U");
        session.type_in("one row down");
        session.wait(keys[1]).await;
        session.press("Ctrl-G");
        session.wait_until_absent("Help:").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_letter_can_be_typed_into_a_prompt_of_each_preset() {
    let demo = Demo::start().await.unwrap();
    for (preset, _) in KEY_PRESETS {
        let session = session(preset, &demo);
        session.wait("Start here").await;
        session.press("o");
        let typed = "gopher://h/abcdefghijklmnopqrstuvwxyz?=+-/";
        session.type_in(typed);
        session.wait_in_prompt(typed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arrows_walk_a_menu_with_the_keys_of_lynx() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    fs::write(profile.path().join("keys.toml"), "preset = \"lynx\"\n").unwrap();
    let phlog = format!("gopher://{}/1/phlog", demo.addresses.gopher);
    let mut terminal = Terminal::run(profile.path(), &[&phlog]);
    terminal.wait("Newest first");
    // The first link is chosen.
    terminal.press(RIGHT);
    terminal.wait("The lamp lit up this morning");
    terminal.press(LEFT);
    terminal.wait("Newest first");
    terminal.press(DOWN);
    terminal.press(RIGHT);
    terminal.wait("The brass has gone green");
    terminal.press(LEFT);
    terminal.wait("Newest first");
    terminal.press(UP);
    terminal.press(RIGHT);
    terminal.wait("The lamp lit up this morning");
    terminal.press(LEFT);
    terminal.wait("Newest first");
    // Over the lines of text between the links.
    for _ in 0..4 {
        terminal.press(DOWN);
    }
    terminal.press(RIGHT);
    terminal.wait("It smells of soil");
    // `g` opens a URL, and Q quits.
    terminal.press("g");
    terminal.wait("URL (gopher");
    terminal.press("\x07");
    terminal.wait_until_absent("URL (gopher");
    terminal.press("Q");
    terminal.end(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn news_is_read_with_the_keys_of_tin() {
    let demo = Demo::start().await.unwrap();
    let group = format!("nntp://{}/underloam.talk.weather", demo.addresses.news);
    let session = Browser::new()
        .file("keys.toml", "preset = \"tin\"\n")
        .demo(&demo)
        .open(group)
        .size((80, 24))
        .start();
    session.wait("10 of 10 unread").await;
    // Tab reads on, and q goes one level back: to the group, to the groups, out.
    session.press("Tab");
    session.wait("Message-ID:").await;
    session.press("q");
    session.wait("9 of 10 unread").await;
    session.press("s");
    session.wait("Subscribed to underloam.talk.weather").await;
    session.press("c");
    session.wait("Mark all articles").await;
    session.press("y");
    session.wait("marked read").await;
    session.press("q");
    session.wait("geomys.demo.announce").await;
    session.press("q");
    session.end().await;
}
