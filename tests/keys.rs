//! The laws of the keys: common verbs, keys that destroy or send, and presets.

mod presets;

use std::collections::BTreeSet;
use std::fs;

use geomys::config::{Environment, KEY_PRESETS, UserPaths, read};
use geomys_app::action::Action;
use geomys_app::dialogs::help::{HelpLine, HelpOverlay, KEY_COLUMNS, KEY_GAP, MOST_USED};
use geomys_app::keymap::{Key, KeyContext, Keymap, parse_keys};
use geomys_demo::Demo;

use crate::support::screen::{Browser, Session};

/// The actions that destroy or send something.
const DESTRUCTIVE: [&[Action]; 17] = [
    // One verb: delete.
    &[
        Action::RemoveBookmark,
        Action::RemoveTransfer,
        Action::RemoveVisit,
        Action::RemoveLater,
    ],
    &[Action::ClearDone],
    &[Action::CatchUp],
    &[Action::ResetGroup],
    &[Action::RepairAll],
    &[Action::CheckAll],
    &[Action::PostArticle],
    &[Action::FollowUp],
    &[Action::ReplyByMail],
    &[Action::ForwardArticle],
    &[Action::CancelArticle],
    &[Action::Supersede],
    &[Action::SendForm],
    &[Action::SendEscape],
    &[Action::Pipe],
    &[Action::SessionKeys],
    &[Action::OpenAll],
];

/// The actions that only the palette runs.
pub const PALETTE_ONLY: [Action; 18] = [
    Action::About,
    Action::Archive,
    Action::AreYouThere,
    Action::BackOrQuit,
    Action::EraseTransfer,
    Action::FoldFolders,
    Action::FoldHeaders,
    Action::FoldThreads,
    Action::Follow,
    Action::BookmarksHistory,
    Action::Card,
    Action::Import,
    Action::InvertMarks,
    Action::MarkPattern,
    Action::Mirror,
    Action::SendBreak,
    Action::Subscribe,
    Action::Unsubscribe,
];

/// The verbs that have one key wherever they work.
const COMMON: [&[Action]; 11] = [
    &[Action::Open, Action::OpenFolder],
    &[Action::Back, Action::CloseFolder],
    &[Action::Find, Action::FilterBookmarks],
    &[Action::Download],
    &[
        Action::RemoveBookmark,
        Action::RemoveTransfer,
        Action::RemoveVisit,
        Action::RemoveLater,
    ],
    &[Action::Undo],
    &[Action::Redo],
    &[Action::Mark, Action::MarkRow],
    &[Action::CopyLink],
    &[Action::Help],
    &[Action::Info],
];

/// The keymap of a configuration directory with this keys.toml.
fn keymap_with(keys: &str) -> Keymap {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("keys.toml"), keys).unwrap();
    let paths = UserPaths::new(Some(directory.path().to_owned())).unwrap();
    let config = read(&paths, &Environment::default());
    assert_eq!(config.errors, []);
    config.keymap
}

/// All bindings: context, keys, action.
fn bindings(keymap: &Keymap) -> Vec<(KeyContext, Vec<Key>, Action)> {
    let contexts = KeyContext::ALL.into_iter();
    let bound = contexts.flat_map(|context| {
        let bound = keymap.bound_in(context).into_iter();
        bound.flat_map(move |(action, keys)| {
            keys.into_iter()
                .map(move |keys| (context, parse_keys(&keys).unwrap(), action))
        })
    });
    bound.collect()
}

/// The keymap of each preset.
fn presets() -> [(&'static str, Keymap); 4] {
    KEY_PRESETS.map(|(name, _)| (name, keymap_with(&format!("preset = \"{name}\"\n"))))
}

#[test]
fn destructive_key_means_nothing_else_in_any_context() {
    for (preset, keymap) in presets() {
        destructive_keys_are_unique(preset, &keymap);
    }
}

fn destructive_keys_are_unique(preset: &str, keymap: &Keymap) {
    for verb in DESTRUCTIVE {
        let of_verb: BTreeSet<Vec<String>> = bindings(keymap)
            .iter()
            .filter(|(_, _, action)| verb.contains(action))
            .map(|(_, keys, _)| keys.iter().map(ToString::to_string).collect())
            .collect();
        assert!(!of_verb.is_empty(), "{preset}: {verb:?}");
        for (context, keys, action) in bindings(keymap) {
            let written: Vec<String> = keys.iter().map(ToString::to_string).collect();
            assert!(
                !of_verb.contains(&written) || verb.contains(&action),
                "{preset}: {written:?} is {action:?} in {context:?}, and {verb:?}"
            );
        }
    }
}

#[test]
fn common_verb_has_one_key_everywhere() {
    for (preset, keymap) in presets() {
        common_verbs_share_a_key(preset, &keymap);
    }
}

fn common_verbs_share_a_key(preset: &str, keymap: &Keymap) {
    let first = |action| keymap.key_of(action).unwrap();
    for verb in COMMON {
        let shared = verb.iter().map(|action| {
            let keys = keymap.keys_of(*action);
            keys.into_iter().collect::<BTreeSet<String>>()
        });
        let shared = shared.reduce(|a, b| &a & &b).unwrap();
        assert!(!shared.is_empty(), "{preset}: {verb:?}");
        // Nothing else has the verb's first key.
        let key = parse_keys(&first(verb[0])).unwrap();
        for (context, keys, action) in bindings(keymap) {
            assert!(
                keys != key || verb.contains(&action),
                "{preset}: {key:?} of {verb:?} is {action:?} in {context:?}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn key_without_a_command_is_reported() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 100, 24);
    session.wait("Bookmarks ━").await;
    session.press("I");
    session.wait("No command on I (? help)").await;
    session.press("F");
    session
        .wait("No command on F here (in a group: follow up")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn second_ctrl_c_quits_after_a_message() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).start();
    session.wait("in your terminal").await;
    session.press("Ctrl-C");
    session.wait("Ctrl-C again quits").await;
    // Another key makes the next one the first.
    session.press("j");
    session.wait_until_absent("Ctrl-C again quits").await;
    session.press("/");
    session.type_in("Floodgap");
    session.press("Enter Ctrl-C");
    assert!(
        !session.screen().contains("again quits"),
        "{}",
        session.screen()
    );
    session.press("Ctrl-C");
    session.wait("Ctrl-C again quits").await;
    session.press("Ctrl-C");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn text_without_a_link_offers_to_save_the_page() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .demo(&demo)
        .open(format!("gopher://{}/0/about.txt", demo.addresses.gopher))
        .start();
    session.settle().await;
    session.press("d");
    session.wait("No link selected (S saves this page)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn help_shows_the_focused_context_first_filters_and_runs() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 80, 24);
    session.wait("Potato soup").await;
    session.press("?");
    session.wait("In the bookmarks").await;
    let headings = session.screen();
    let headings: Vec<&str> = headings
        .lines()
        .filter(|line| ["Most used", "In the bookmarks"].contains(&line.trim()))
        .map(str::trim)
        .collect();
    assert_eq!(headings, ["Most used", "In the bookmarks"]);
    // Each letter filters: no word that is typed here runs a command.
    for word in ["quit", "queue", "exit", "print", "search"] {
        session.type_in(word);
        session.wait(&format!("Help: {word}")).await;
        session.press("Ctrl-U");
    }
    session.type_in("exit");
    session.wait("q                   quit").await;
    session.press("Ctrl-U");
    session.type_in("print");
    session.wait("pipe the page").await;
    session.press("Ctrl-U");
    // What has no key, settings and topics are found, too.
    session.type_in("fullscreen");
    session.wait("toggle full screen").await;
    session.press("Ctrl-U");
    session.type_in("news-server");
    session.wait("Settings").await;
    session.press("Enter");
    session.wait(": set news-server").await;
    session.press("Esc ?");
    session.wait("Help:").await;
    session.type_in("tls");
    session.wait("help network").await;
    session.press("F1");
    session.wait_until_absent("Help:").await;
    session.press("? q Ctrl-C");
    session.wait_until_absent("Help:").await;
    session.press("?");
    session.wait("Help:").await;
    session.type_in("toggle wrap");
    session.wait_until_absent("In the bookmarks").await;
    session.wait("w                   toggle wrapping").await;
    session.press("Ctrl-U");
    session.type_in("list drafts");
    session.wait("E                   list the outbox").await;
    session.press("Esc");
    session.wait_until_absent("Help:").await;
    session.press("?");
    session.type_in("open a url");
    session.wait("open a URL").await;
    session.press("Enter");
    session.wait_in_prompt("URL (gopher").await;
}

#[test]
fn no_key_stands_twice_within_the_contexts_in_force() {
    let keymap = keymap_with("");
    let in_force = [
        KeyContext::Group,
        KeyContext::List,
        KeyContext::Page,
        KeyContext::Global,
    ];
    let help = HelpOverlay::new(&keymap, &in_force, Vec::new());
    let mut seen = BTreeSet::new();
    let mut headings = 0;
    for line in help.lines(2) {
        match line {
            HelpLine::Heading(_) => headings += 1,
            HelpLine::Command(_, command) if headings <= in_force.len() + 1 => {
                for key in command.keys.iter().filter(|key| *key != "…") {
                    assert!(seen.insert(key.clone()), "{key} of {:?}", command.action);
                }
            }
            HelpLine::Command(..)
            | HelpLine::Other(..)
            | HelpLine::Place(_)
            | HelpLine::Count(..)
            | HelpLine::Blank => {}
        }
    }
    assert!(headings > in_force.len() + 1 && seen.len() > 80);
}

/// The rows of the help at 80 columns and 24 lines: the status line is not one of them.
const HELP_ROWS: usize = 23;

/// The most pages of the help there.
const MAX_HELP_PAGES: usize = 5;

#[test]
fn help_has_few_pages_in_every_context_and_shows_every_key_of_a_pair() {
    use KeyContext::{Bookmarks, Global, Group, Groups, History, List, Page, Transfers};
    for (preset, keymap) in presets() {
        for context in KeyContext::ALL {
            let below: &[KeyContext] = match context {
                Global => &[],
                Bookmarks | Transfers | Page => &[Global],
                Group | Groups | History => &[List, Page, Global],
                _ => &[Page, Global],
            };
            let in_force: Vec<KeyContext> = [&[context], below].concat();
            let help = HelpOverlay::new(&keymap, &in_force, Vec::new());
            let lines = help.lines(1);
            let pages = lines.len().div_ceil(HELP_ROWS);
            assert!(
                pages <= MAX_HELP_PAGES,
                "{preset}, {context:?}: {pages} pages"
            );
            for line in lines {
                if let HelpLine::Command(_, command) = line
                    && command.doc != command.action.doc()
                {
                    let keys = command.keys.join(KEY_GAP);
                    assert!(keys.chars().count() <= KEY_COLUMNS, "{preset}: {keys}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn help_begins_with_the_most_used_keys_and_cuts_no_description() {
    for (columns, lines) in [(80, 24), (100, 30), (120, 40)] {
        let session = Browser::new()
            .open("geomys:help")
            .size((columns, lines))
            .start();
        session.wait("news groups: read, write").await;
        session.press("?");
        session.wait("Most used").await;
        session.wait("Space more").await;
        let first = session.screen();
        for command in MOST_USED {
            assert!(first.contains(command.doc()), "{}", command.doc());
        }
        let pages = first.lines().last().unwrap().split("1/").nth(1).unwrap();
        let pages: usize = pages.split_whitespace().next().unwrap().parse().unwrap();
        assert!(pages <= 5, "{first}");
        // From 100 columns on in columns; a comma stands between two keys, a blank between those of a sequence.
        let is_wide = first
            .lines()
            .any(|line| line.contains("Enter, l") && line.trim().chars().count() > 60);
        assert_eq!(is_wide, columns >= 100, "{first}");
        assert!(first.contains("o, g o "), "{first}");
        for page in 1..=pages {
            session.wait(&format!("{page}/{pages}")).await;
            let screen = session.screen();
            let (rows, _) = screen.trim_end().rsplit_once('\n').unwrap();
            let rows: Vec<&str> = rows.lines().skip(1).collect();
            assert!(!rows.iter().any(|row| row.ends_with('…')), "{screen}");
            session.press("Space");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn command_of_another_place_says_where_it_works() {
    let session = Browser::new().start();
    session.press("?");
    session.type_in("mark the thread");
    session.wait("Elsewhere").await;
    session.press("Enter");
    session.wait("works only in a group").await;
}

#[tokio::test(start_paused = true)]
async fn prefix_key_shows_what_may_follow_after_a_while() {
    let session = Browser::new().start();
    session.wait("Start here").await;
    session.press("Tab g");
    session.wait("go to the top").await;
    // The status line stays, with the typed key.
    assert_eq!(
        session.screen().lines().last().unwrap().trim_end().get(..2),
        Some(" g")
    );
    session.press("Esc");
    session.wait_until_absent("go to the top").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_may_follow_have_their_whole_descriptions() {
    for size in [(80, 24), (100, 30), (120, 40)] {
        let session = Browser::new().size(size).start();
        session.wait("Start here").await;
        session.settle().await;
        session.press("g");
        session.wait("reopen the tab closed last").await;
        let screen = session.screen();
        let mut below = screen.lines().skip_while(|line| !line.starts_with("────"));
        assert!(below.all(|line| !line.contains('…')), "{screen}");
        // In columns, below the heading of the part that they are for, and with hints of their own.
        let heads = screen.lines().filter(|line| line.starts_with(" On a page"));
        assert_eq!(heads.count(), 1, "{screen}");
        assert!(screen.contains("Everywhere"), "{screen}");
        let two = |line: &str| line.contains("go to the top") && line.trim().len() > 40;
        assert!(screen.lines().any(two), "{screen}");
        let status = screen.lines().last().unwrap().trim_end();
        assert!(
            status.ends_with("Esc cancel") && !status.contains("help"),
            "{status}"
        );
        session.press("Esc");
        session.wait_until_absent("reopen the tab").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn topics_are_pages_that_link_to_each_other() {
    let session = Browser::new().open("geomys:help").start();
    session.wait("news groups: read, write").await;
    session.press("o");
    session.type_in("geomys:help/ftp");
    session.press("Enter");
    session.wait("Browse a directory").await;
}

#[test]
fn descriptions_have_a_verb_and_at_most_60_characters() {
    for action in Action::ALL {
        let doc = action.doc();
        assert!(doc.chars().count() <= 60 && !doc.ends_with('.'), "{doc}");
        assert!(
            !doc.contains(", or not") && !doc.starts_with("to "),
            "{doc}"
        );
    }
}

/// The last row of the screen.
fn status(session: &Session) -> String {
    session.screen().lines().last().unwrap().trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_fill_the_row_and_end_with_the_help() {
    let demo = Demo::start().await.unwrap();
    let menu = format!("gopher://{}/", demo.addresses.gopher);
    for (columns, expected) in [
        (40, "Enter open  f pick  ? help"),
        (
            80,
            "Enter open  f pick  a bookmark  q quit  o URL  / find  ? help",
        ),
        (
            120,
            "Enter open  f pick  a bookmark  t tab  s beside  y copy  L keep  q quit  o URL  / find  ? help",
        ),
    ] {
        let session = Browser::new()
            .open(menu.clone())
            .size((columns, 24))
            .start();
        session.wait("11/30 36%").await;
        let row = status(&session);
        let (left, hints) = row.split_once("   Enter").map_or_else(
            || {
                row.split_once("   ?")
                    .map_or((&*row, ""), |(left, _)| (left, "? help"))
            },
            |(left, _)| (left, &row[left.len() + 3..]),
        );
        assert_eq!(hints.trim(), expected, "{row}");
        // Where Enter leads stands in the address line.
        let screen = session.screen();
        assert!(columns < 80 || screen.contains("→ 127.0.0.1"), "{screen}");
        assert_eq!(left.trim(), "11/30 36%");
        session.press("Enter");
        session.wait("Top").await;
        assert!(
            columns < 80 || status(&session).contains("h back"),
            "{}",
            status(&session)
        );
        session.press("h");
        session.wait("11/30 36%").await;
        assert!(!status(&session).contains("h back"), "{}", status(&session));
        // A message leaves the last hint.
        session.press("I");
        session.wait("No command on I").await;
        assert!(status(&session).ends_with("? help"), "{}", status(&session));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_name_the_keys_of_the_preset() {
    for (preset, hints) in [
        ("emacs", ["G URL", "? help", "Ctrl-S find"]),
        ("lynx", ["g URL", "? help", "/ find"]),
    ] {
        let session = Browser::new()
            .file("keys.toml", format!("preset = \"{preset}\"\n"))
            .open("geomys:help")
            .size((120, 24))
            .start();
        session.wait("news groups: read, write").await;
        for hint in hints {
            assert!(status(&session).contains(hint), "{}", status(&session));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_a_cyrillic_layout_are_those_of_their_positions() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("town below a meadow").await;
    // G, g g, and f with its letter.
    session.press("П");
    session.wait("100%").await;
    session.press("п п");
    session.wait(" 1/").await;
    session.press("а");
    session.wait("Esc").await;
    session.press("ф");
    session.press("Enter");
    session.wait("four hundred and six").await;
    // A line of input takes them as text.
    session.press("щ");
    session.type_in("щука");
    session.wait_in_prompt("щука").await;
    session.press("Esc");
    session.press("й");
    session.end().await;
}
