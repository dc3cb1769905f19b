//! The palette: commands, themes, bookmarks and visited pages found by their letters.

use std::fs;

use geomys_app::Settings;
use geomys_app::action::Action;
use geomys_app::dialogs::palette::{Palette, PaletteTarget};
use geomys_app::dialogs::query_rows::SearchedBookmarks;
use geomys_app::dialogs::words::{Meaning, words_for};
use geomys_app::keymap::{KeyContext, Keymap};
use geomys_demo::Demo;
use geomys_store::bookmarks::Bookmarks;
use proptest::prelude::*;

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn palette_lists_what_the_page_can_do_and_what_was_run_last() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).start();
    session.press(":");
    session.wait("Also").await;
    insta::assert_snapshot!("palette", session.dialog());
    session.type_in("next tab");
    session.wait("▌ next-tab").await;
    session.press("Esc :");
    session.type_in("new tab");
    session.wait("▌ new-tab").await;
    session.press("Enter");
    session.wait("2 geomys:home").await;
    session.press(":");
    session.wait("Last used").await;
    session.wait("  new-tab").await;
    // Nothing is chosen, so Enter closes the palette.
    session.press("Enter");
    session.wait_until_absent("Last used").await;
    session.wait_until_absent("3 geomys:home").await;
    // The word of another program is as good as the name.
    session.press(":");
    session.type_in("main");
    session.wait("▌ home (main)").await;
    session.press("Ctrl-U");
    session.type_in("delete");
    session.wait("type its full name").await;
    session.press("Esc");
    session.wait_until_absent("full name").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn palette_opens_bookmarks_and_visited_pages() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).size((100, 30)).start();
    session.press(":");
    session.type_in("library");
    session.wait("Bookmarks").await;
    session.wait("The library").await;
    session.press("Esc o");
    session.type_in(&format!("gopher://{}/1/phlog", demo.addresses.gopher));
    session.press("Enter");
    session.wait("Newest first").await;
    session.press("Esc o");
    session.type_in("geomys:help");
    session.press("Enter");
    session.wait("geomys:help").await;
    session.press(":");
    session.type_in("phlog");
    session.wait("History").await;
    session.press("Enter");
    session.wait("No command \"phlog\"").await;
    session.press("Down Down Enter");
    session.wait("Newest first").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn theme_is_shown_while_it_is_chosen_and_stored_with_enter() {
    let settings = "# Mine\nmouse = false\n\n[cache]\nsize = 0\n";
    let session = Browser::new().settings(settings).start();
    let stored = || fs::read_to_string(session.path().join("settings.toml")).unwrap();
    session.wait("geomys:home").await;
    let colours = || -> Vec<_> { session.cells().iter().map(|cell| cell.fg).collect() };
    let before = colours();
    session.press(":");
    session.type_in("theme mono");
    session.wait("▌ theme mono").await;
    session.press("Esc");
    session.wait_until_absent("theme mono").await;
    assert_eq!(colours(), before, "Esc goes back to the theme before");
    assert_eq!(stored(), settings);
    session.press(":");
    session.type_in("theme mono");
    session.wait("▌ theme mono").await;
    session.press("Enter");
    let is_stored = |_: &str| stored() == format!("theme = \"mono\"\n{settings}");
    session.wait_until("the stored theme", is_stored).await;
    assert_ne!(colours(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn command_of_another_part_says_where_it_works() {
    let session = Browser::new().start();
    session.wait("geomys:home").await;
    session.press(":");
    session.type_in("catch-up");
    session.wait("▌ catch-up").await;
    session.wait(" : catch-up").await;
    insta::assert_snapshot!("elsewhere", session.dialog());
    session.press("Enter");
    session.wait("Catch-up works only").await;
}

const COMMANDS_THAT_NEED_THEIR_NAME: [&str; 16] = [
    "remove-bookmark",
    "remove-later",
    "remove-transfer",
    "erase-transfer",
    "clear-done",
    "remove-visit",
    "cut",
    "catch-up",
    "reset",
    "post-article",
    "supersede",
    "cancel-article",
    "accept-move",
    "repair-all",
    "follow-up",
    "send-form",
];

/// A palette without bookmarks and visits, in which a text was typed.
fn typed(text: &str) -> Palette {
    let keymap = Keymap::default();
    let bookmarks = SearchedBookmarks {
        bookmarks: Bookmarks::parse(b"Dark star <URL:gopher://tor.example/1/print> #quit\n"),
        ..SearchedBookmarks::default()
    };
    let settings = Settings::default();
    let contexts = [KeyContext::Page, KeyContext::Global];
    let keys = (&keymap, &contexts[..]);
    let visits = Vec::new();
    Palette::new(
        text.to_owned(),
        keys,
        (&[], &[]),
        bookmarks,
        visits,
        &settings,
    )
}

fn action_of_enter(text: &str) -> Option<&'static str> {
    match typed(text).entry()?.target {
        PaletteTarget::Action(action) => Some(action.name()),
        _ => None,
    }
}

#[test]
fn enter_runs_only_what_the_text_names() {
    for text in [
        "delete", "dark", "tor", "rem", "catch", "supers", "reply", "  ",
    ] {
        assert_eq!(typed(text).entry(), None, "{text}");
    }
    for (text, name) in [
        ("quit", "quit"),
        ("exit", "quit"),
        ("wq", "quit"),
        ("x", "quit"),
        ("q!", "quit"),
        ("QUIT", "quit"),
        ("settings", "config"),
        ("set", "config"),
        ("keys", "help"),
        ("main", "home"),
        ("print", "pipe"),
        ("jobs", "transfers"),
        ("yank", "all-groups"),
        ("about", "about"),
        ("version", "about"),
        ("new tab", "new-tab"),
        ("priv", "private-tab"),
        ("pri ta", "private-tab"),
    ] {
        assert_eq!(action_of_enter(text), Some(name), "{text}");
    }
    assert_eq!(
        action_of_enter("tab priv"),
        None,
        "the order of words counts"
    );
}

#[test]
fn command_that_deletes_sends_or_forgets_needs_its_whole_name() {
    for name in COMMANDS_THAT_NEED_THEIR_NAME {
        assert_eq!(action_of_enter(name), Some(name));
        assert_eq!(action_of_enter(&name.replace('-', " ")), Some(name));
        for end in 1..name.len() {
            assert_ne!(
                action_of_enter(&name[..end]),
                Some(name),
                "{}",
                &name[..end]
            );
        }
    }
    // All of them are found, and an arrow chooses one.
    let mut palette = typed("rem");
    assert_eq!(palette.named(), 4);
    palette.next();
    assert!(palette.entry().is_some());
}

proptest! {
    /// The law of the palette, over texts of names, descriptions and other words.
    #[test]
    fn enter_without_an_arrow_runs_a_command_only_by_its_name(
        text in prop_oneof![
            "[a-z!-]{1,8}",
            "[a-z]{1,4} [a-z]{1,4}",
            proptest::sample::select(Action::ALL).prop_flat_map(|action| {
                let words = format!("{} {}", action.name(), action.doc());
                (Just(words.clone()), 0..words.len(), 1..12_usize).prop_map(|(words, start, length)| {
                    words.chars().skip(start).take(length).collect::<String>()
                })
            }),
        ],
    ) {
        let palette = typed(&text);
        let plain = |text: &str| text.replace('-', " ").trim().to_lowercase();
        if let Some(PaletteTarget::Action(action)) = palette.entry().map(|entry| &entry.target) {
            let words = words_for(|meaning| *meaning == Meaning::Command(*action));
            let names: Vec<&str> = std::iter::once(action.name()).chain(words).collect();
            let is_named = |name: &str| {
                let name = plain(name);
                let mut rest = name.split(' ');
                plain(&text)
                    .split_whitespace()
                    .all(|part| rest.any(|word| word.starts_with(part)))
                    || name.starts_with(&plain(&text))
            };
            prop_assert!(names.into_iter().any(is_named), "{text}: {}", action.name());
            if action.needs_whole_name() {
                prop_assert_eq!(plain(action.name()), plain(&text));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_of_the_bookmarks_opens_them_and_changes_nothing() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).start();
    session.press("B B");
    let stored = || fs::read_to_string(session.path().join("bookmarks.txt")).unwrap();
    let before = stored();
    for name in ["remove-bookmark", "edit-bookmark", "cut", "sort-bookmarks"] {
        session.press("Esc :");
        session.type_in(name);
        session.wait(&format!("▌ {name}")).await;
        session.press("Enter");
        session.wait("Choose a bookmark, then press").await;
        session.press("B");
        session.wait_until_absent("Choose a bookmark").await;
    }
    assert_eq!(stored(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_is_found_by_its_name_with_the_value_in_force() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).start();
    session.press(":");
    session.type_in("cache.size");
    session.wait("256 (default)").await;
    session.press("Enter");
    session.wait(": set cache.size 256").await;
    session.press("Backspace");
    session.wait("set cache.size 25    now 256 (default)").await;
    session.press("Enter");
    session.wait("cache.size = 25 (restart to apply)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn word_of_a_command_is_offered_where_a_url_is_typed() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .demo(&demo)
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("U N D E R L O A M").await;
    // It shows something: Enter runs it.
    session.press("o");
    session.type_in("main");
    session.wait_in_prompt("▌ home (main)").await;
    session.wait_in_prompt("  Search ").await;
    assert!(
        !session.screen().contains("opens as"),
        "{}",
        session.screen()
    );
    session.press("Enter");
    session.wait("Start here").await;
    session.press("Esc o");
    session.wait_in_prompt("URL (gopher").await;
    // It deletes, sends or fetches: the search of the word comes first.
    session.type_in("sync");
    session.wait_in_prompt("▌ Search ").await;
    session.press("Down");
    session.wait_in_prompt("▌ sync").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn source_is_found_and_toggled_on_an_article() {
    let demo = Demo::start().await.unwrap();
    let url = format!("nntp://{}/geomys.demo.announce/11", demo.addresses.news);
    let session = Browser::new().open(url).start();
    session.wait("It came without a stamp").await;
    assert!(!session.screen().contains("Path: "));
    for source in [true, false] {
        session.run_command("source").await;
        session
            .wait_until("the other view", |screen| {
                screen.contains("Path: underloam.example") == source
            })
            .await;
    }
}
