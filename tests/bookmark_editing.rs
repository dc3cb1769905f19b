//! Bookmark management by keys: filter, move, edit, repair, undo, beside edits from outside.

use std::fs;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use geomys::config::{self, Environment, UserPaths};
use geomys::ui;
use geomys_app::{App, BookmarkEffect, BookmarkMessage, Effect, Focus, Message};
use geomys_demo::Demo;
use geomys_store::bookmarks::Bookmarks;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::support::command::geomys;
use crate::support::screen::{Browser, Session, event};

const LIST: &str = "\
My links
# Gopher
Floodgap Systems <URL:gopher://gopher.floodgap.com/> #start
SDF <URL:gopher://sdf.org/>
  public access
A bad one <URL:gopher://tilde.example/1/~ada> #tilde
## Phlogs
Flat gap <URL:gopher://tilde.example/1/phlog>
# FTP
GNU <URL:ftp://ftp.gnu.org/gnu/;type=d>
Worse <URL:ftp://host:port/>
";

fn session(size: (u16, u16)) -> Session {
    Browser::new()
        .bookmarks(LIST)
        .size(size)
        .with_bookmarks()
        .start()
}

/// Waits until the file has this content.
async fn written(session: &Session, file: &str) {
    let path = session.path().join("bookmarks.txt");
    let is_there = |_: &str| fs::read_to_string(&path).is_ok_and(|read| read == file);
    session
        .wait_until("the file as it should be", is_there)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn filter_narrows_bookmarks_while_typing_and_esc_restores_the_tree() {
    let session = session((80, 24));
    session.press("/");
    session.type_in("flgp");
    session.wait("2 of 6").await;
    insta::assert_snapshot!("filter", session.page());
    session.press("Ctrl-U");
    session.type_in("gopher is:fault");
    session.wait("1 of 6").await;
    session.press("Tab");
    session.wait("▌! A bad one").await;
    session.press("Esc");
    session.wait("! A bad one").await;
    session.wait("▾ FTP").await;
    // The cursor stays on the match.
    session.wait("▌! A bad one").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_word_in_the_filter_matches_nothing_and_names_the_known_ones() {
    let session = session((80, 24));
    session.press("/");
    session.type_in("-is:alx");
    session.wait("unknown word “is:alx”").await;
    session.wait("is:unreachable").await;
    session.wait_until_absent("Floodgap").await;
    // The beginning of a word is no error while it is typed, but then it is.
    session.press("Ctrl-U");
    session.type_in("-is:aliv");
    session.wait("6 of 6").await;
    session.press("Tab");
    session.wait("unknown word “is:aliv”").await;
    session.wait_until_absent("Floodgap").await;
    session.press("V");
    session.wait("No marked bookmarks").await;
    session.press("Esc");
    session.wait("Floodgap").await;
    session.press("/");
    session.type_in("dead>soon");
    session.wait("invalid comparison “dead>soon”").await;
    session.press("Enter");
    session.wait("/dead>soon").await;
    session.press("Esc");
    session.wait("Floodgap").await;
    assert_eq!(session.bookmarks(), LIST);
}

/// A list of so many bookmarks, of which ten are wanted.
fn long_list(count: usize) -> String {
    let line = |number: usize| {
        let title = if number % (count / 10) == 7 {
            "Wanted"
        } else {
            "Other"
        };
        format!("{title} {number} <URL:gopher://h.example/1/{number}>\n")
    };
    (0..count).map(line).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn filter_stays_after_an_edit_in_a_list_of_any_length() {
    for count in [100, 2500] {
        let session = Browser::new()
            .bookmarks(long_list(count))
            .with_bookmarks()
            .start();
        let tagged = |tag: &str| {
            session
                .bookmarks()
                .lines()
                .filter(|line| line.contains(tag))
                .count()
        };
        session.press("/");
        session.type_in("wanted");
        session
            .wait(&format!("10 of {}", geomys_wire::text::count(count)))
            .await;
        session.press("Tab");
        session.press("j #");
        session.wait("─ Tags ─").await;
        session.type_in("one");
        session.press("Enter");
        session.wait("tagged").await;
        session.settle().await;
        assert!(session.screen().contains("/wanted"), "{}", session.screen());
        assert_eq!(tagged("#one"), 1);
        session.press("v v #");
        session.wait("─ Tags ─").await;
        session.type_in("two");
        session.press("Enter");
        session.wait("2 bookmarks tagged").await;
        session.settle().await;
        assert!(session.screen().contains("/wanted"), "{}", session.screen());
        // An edited bookmark stays under the cursor until other words are typed, though it does not match any more.
        session.press("e Ctrl-U");
        session.type_in("Renamed");
        session.press("Enter");
        session.wait("edited (z undo)").await;
        session.settle().await;
        session
            .wait_until("the edited bookmark", |screen| {
                screen.contains("/wanted") && screen.contains("▌▸ Renamed")
            })
            .await;
        assert_eq!(tagged("Renamed"), 1);
        session.press("z");
        session.wait("Undone").await;
        session.settle().await;
        assert!(session.screen().contains("/wanted"), "{}", session.screen());
        assert_eq!(tagged("Wanted"), 10);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_merged_by_one_key_and_undone_in_one_step() {
    let list = "One <URL:gopher://h/1/x> #a\nTwo <URL:gopher://H:70/1/x> #b\n  note\nOther <URL:gopher://h/1/y>\n";
    let session = Browser::new().bookmarks(list).with_bookmarks().start();
    session.press("G g M");
    session.wait("No copies to merge").await;
    session.press("g g g M");
    session.wait("copy of “One” merged (z undo)").await;
    let merged = "One <URL:gopher://h/1/x> #a #b\n  note\nOther <URL:gopher://h/1/y>\n";
    assert_eq!(session.bookmarks(), merged);
    session.press("z");
    session.wait("Undone: copy of “One” merged").await;
    assert_eq!(session.bookmarks(), list);
    session.press("V g M");
    session.wait("copy of “One” merged (z undo)").await;
    written(&session, merged).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn marked_bookmarks_are_moved_and_undone() {
    let session = session((80, 24));
    session.press("j v v m");
    session.wait("2 entries cut").await;
    session.press("G k k p");
    session.wait("2 entries moved to FTP").await;
    insta::assert_snapshot!("moved", session.screen());
    let lines: Vec<String> = session.bookmarks().lines().map(str::to_owned).collect();
    assert_eq!(
        lines[lines.len() - 3..],
        [
            "Floodgap Systems <URL:gopher://gopher.floodgap.com/> #start",
            "SDF <URL:gopher://sdf.org/>",
            "  public access"
        ]
    );
    session.press("z");
    session.wait("Undone: 2 entries moved to FTP").await;
    assert_eq!(session.bookmarks(), LIST);
    session.press("Z");
    session.wait("Redone: 2 entries moved to FTP").await;
    session.press("z");
    session.wait("Undone").await;
    // A copy can be pasted any number of times.
    let line = "Floodgap Systems <URL:gopher://gopher.floodgap.com/> #start\n";
    session.press("g g j m g v g v Esc");
    written(&session, &LIST.replace(line, &line.repeat(3))).await;
    session.press("z z");
    written(&session, LIST).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_faster_than_the_disk_are_all_applied() {
    let session = session((80, 24));
    session.press("j J J J K");
    session.wait("moved up (z undo)").await;
    let file = session.bookmarks();
    let phlogs = file.split("## Phlogs\n").nth(1).unwrap();
    assert!(
        phlogs.starts_with("Floodgap") || phlogs.starts_with("Flat gap"),
        "{file}"
    );
    session.press("z z z z z");
    written(&session, LIST).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_is_made_renamed_moved_and_removed_with_contents() {
    let session = session((80, 24));
    session.press("f");
    session.wait("New folder").await;
    session.type_in("Radio");
    session.press("Enter");
    session.wait("folder “Radio” created").await;
    session.press("e Ctrl-U");
    session.type_in("Wireless");
    session.press("Enter");
    session.wait("folder “Radio” renamed").await;
    assert!(session.bookmarks().contains("\n# Wireless\n"));
    session.press("g g X");
    session.wait("Remove the folder “Gopher”?").await;
    session.wait("Its 4 bookmarks are removed too").await;
    session.press("y");
    session.wait("folder “Gopher” removed").await;
    assert!(!session.bookmarks().contains("sdf.org"));
    session.press("z");
    session.wait("Undone: folder “Gopher” removed").await;
    session.press("z");
    session.wait("Undone: folder “Radio” renamed").await;
    session.press("z");
    session.wait("Undone: folder “Radio” created").await;
    assert_eq!(session.bookmarks(), LIST);
}

#[tokio::test(flavor = "multi_thread")]
async fn form_points_at_a_fault_repairs_it_or_saves_it() {
    let session = session((80, 24));
    session.press("j j j e");
    session.wait("Edit the bookmark").await;
    session.wait("Ctrl-R repair URL").await;
    insta::assert_snapshot!("form-repair", session.dialog());
    // An existing fault does not prevent a change of the title.
    session.type_in("!");
    session.press("Enter");
    session.wait("“A bad one” edited").await;
    assert!(
        session
            .bookmarks()
            .contains("A bad one! <URL:gopher://tilde.example/1/~ada> #tilde")
    );
    session.press("e Ctrl-R");
    session.wait("%7Eada").await;
    session.press("Enter");
    session.wait("“A bad one!” edited").await;
    assert!(
        session
            .bookmarks()
            .contains("<URL:gopher://tilde.example/1/%7Eada> #tilde")
    );
    // A new fault is saved when the user confirms.
    session.press("e Tab");
    session.type_in("<");
    session.press("Enter");
    session.wait("Enter again saves it as it is").await;
    session.press("Enter");
    session.wait("edited (z undo)").await;
    assert!(
        session
            .bookmarks()
            .contains("<URL:gopher://tilde.example/1/%7Eada<> #tilde")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn form_stores_the_shown_url() {
    let session = session((80, 24));
    let stored = |url: &str| LIST.replace("gopher://gopher.floodgap.com/", url);
    session.press("j e Tab Ctrl-U");
    session.type_in("gopher://h/0/a b.txt");
    session.wait("opens as gopher://h/0/a%20b.txt").await;
    session.press("Enter");
    session.wait("Enter again saves it as it is").await;
    session.press("Enter");
    written(&session, &stored("gopher://h/0/a b.txt")).await;
    session.wait("Bookmarks saved").await;
    // The list shows the fault, and the repair is the announced one.
    session.wait("! Floodgap Systems").await;
    session.press("e");
    session.wait_until_absent("Bookmarks saved").await;
    session.press("Ctrl-R Enter");
    // The message about the write would replace that of the next form.
    session.wait("Bookmarks saved").await;
    written(&session, &stored("gopher://h/0/a%20b.txt")).await;
    // A bracket would end the URL: its encoded form is shown before it is saved.
    session.press("e Tab Ctrl-U");
    session.type_in("gopher://h/0/a>b");
    session.press("Enter");
    session.wait("URL encoded as shown, Enter saves it").await;
    session.wait("URL    gopher://h/0/a%3Eb").await;
    session.press("Enter");
    written(&session, &stored("gopher://h/0/a%3Eb")).await;
    // A wrapper may run over lines when it is pasted; a space in it stays a fault.
    session.press("e Tab Ctrl-U");
    session.paste("<URL:gopher://h/0/\n   long name.txt>\n");
    session.press("Enter");
    session.wait("URL    gopher://h/0/long name.txt").await;
    session.press("Esc");
}

#[tokio::test(flavor = "multi_thread")]
async fn form_leaves_an_untouched_malformed_url_alone() {
    let session = session((80, 24));
    let path = session.path().join("bookmarks.txt");
    let list = LIST.replace("gopher://sdf.org/", "sdf.org");
    fs::write(&path, &list).unwrap();
    session.wait("! SDF").await;
    session.press("j j e");
    session.wait("Edit the bookmark").await;
    session.type_in("!");
    session.press("Enter");
    session.wait("Bookmarks saved").await;
    assert_eq!(session.bookmarks(), list.replace("SDF <", "SDF! <"));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_bookmark_goes_to_top_or_inbox() {
    for (inbox, is_in) in [("", vec![]), ("Later", vec!["Later"])] {
        let settings = format!("[bookmarks]\ninbox = \"{inbox}\"\n");
        let session = Browser::new()
            .bookmarks(LIST)
            .settings(settings)
            .open("file:///etc/hostname")
            .start();
        session.wait("hostname").await;
        session.press("a");
        session.wait("New bookmark").await;
        session.wait(format!("Folder {inbox}").trim_end()).await;
        session.press("Enter");
        session.wait("Bookmarks saved").await;
        let file = Bookmarks::parse(session.bookmarks().as_bytes());
        let url = rfc1738::Url::parse("file:///etc/hostname").unwrap();
        let added = file.same_as(&url);
        assert_eq!(file.folder_of(added[0]), is_in);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn form_completes_folders_and_tags_and_takes_note_lines() {
    let session = session((80, 24));
    session.press("j e Tab Tab Ctrl-U");
    session.type_in("gopher/p");
    session.wait("Right complete").await;
    session.press("Right Tab");
    session.type_in(" ti");
    session.press("Right Tab");
    session.type_in("one | two");
    session.wait("Note   one | two").await;
    insta::assert_snapshot!("form-note", session.dialog());
    session.press("Enter");
    session.wait("edited (z undo)").await;
    let line = "Floodgap Systems <URL:gopher://gopher.floodgap.com/> #start #tilde\n  one\n  two\n";
    let file = session.bookmarks();
    let phlogs = file.split("## Phlogs\n").nth(1).unwrap();
    assert!(phlogs.contains(line), "{file}");
    session.press("#");
    session.wait_in_prompt("> start tilde").await;
    session.type_in("x");
    session.press("Enter");
    session.wait("tagged").await;
    assert!(session.bookmarks().contains("#start #tilde #x\n"));
    session.press("'");
    session.wait_in_prompt("> one | two").await;
    session.press("Ctrl-U Enter");
    session.wait("note on").await;
    assert!(!session.bookmarks().contains("  one\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_bookmark_on_home_page_takes_any_url() {
    let session = session((80, 24));
    session.press("j a");
    session.wait("New bookmark").await;
    session.type_in("A hole");
    session.press("Tab Enter");
    session.wait("A bookmark needs a URL").await;
    session.type_in("gopher://hole.example/");
    session.press("Enter");
    session.wait("Bookmarks saved").await;
    let file = session.bookmarks();
    let made = Bookmarks::parse(file.as_bytes());
    let url = rfc1738::Url::parse("gopher://hole.example/").unwrap();
    let same = made.same_as(&url);
    assert_eq!(made.folder_of(same[0]), ["Gopher"], "{file}");
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_bookmark_is_noticed() {
    let session = session((80, 24));
    session.press("j j e Tab Ctrl-U");
    session.type_in("GOPHER://Gopher.Floodgap.com:70/");
    session.press("Enter");
    session
        .wait("Already a bookmark: “Floodgap Systems” in Gopher.")
        .await;
    insta::assert_snapshot!("equal", session.dialog());
    session.press("b");
    session.wait("Edit the bookmark").await;
    session.press("Enter g");
    session.wait("▌▸ Floodgap Systems").await;
    assert_eq!(session.bookmarks(), LIST);
}

#[tokio::test(flavor = "multi_thread")]
async fn existing_duplicate_is_opened_at_its_current_line() {
    let session = session((80, 24));
    let path = session.path().join("bookmarks.txt");
    session.press("j j e Tab Ctrl-U");
    session.type_in("GOPHER://Gopher.Floodgap.com:70/");
    session.press("Enter");
    session.wait("Already a bookmark").await;
    let more = format!("Above <URL:gopher://above.example/>\n{LIST}");
    fs::write(&path, &more).unwrap();
    session.wait("Above").await;
    session.press("g");
    session.wait("▌▸ Floodgap Systems").await;
    session.press("j j e Tab Ctrl-U");
    session.type_in("gopher://gopher.floodgap.com/");
    session.press("Enter");
    session.wait("Already a bookmark").await;
    let lines = more
        .lines()
        .filter(|line| !line.starts_with("Floodgap Systems"));
    let less = lines.collect::<Vec<_>>().join("\n");
    fs::write(&path, less.replace("Above", "Still above")).unwrap();
    session.wait("Still above").await;
    session.press("g");
    session
        .wait("“Floodgap Systems” was removed from the file")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_bookmarks_are_found_and_repaired_singly_or_all() {
    let session = session((80, 24));
    session.press("!");
    session.wait("▌! A bad one").await;
    session.press("Ctrl-R");
    session.wait("Repair “A bad one”?").await;
    insta::assert_snapshot!("repair", session.dialog());
    session.press("y");
    session.wait("“A bad one” repaired").await;
    session.press("! Ctrl-R");
    session.wait("No repair known").await;
    session.press("z");
    session.wait("Undone").await;
    // The marked ones, then the filtered ones, then all.
    session.press("V Ctrl-R");
    session
        .wait("Repair 1 URL? 1 more must be edited by hand.")
        .await;
    session.press("n V /");
    session.type_in("worse");
    session.press("Tab g R");
    session.wait("No repair known for any fault").await;
    session.press("Esc g R");
    session
        .wait("Repair 1 URL? 1 more must be edited by hand.")
        .await;
    session.press("y");
    session.wait("repaired (z undo)").await;
    assert_eq!(session.bookmarks(), LIST.replace("/~ada", "/%7Eada"));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_links_are_added_as_a_folder() {
    let session = session((80, 24));
    session.press("g b");
    session.wait("links of this page").await;
    session.press("Ctrl-U");
    session.type_in("From home");
    session.press("Enter");
    session.wait("links put into From home").await;
    let file = session.bookmarks();
    assert!(file.starts_with(LIST), "{file}");
    let made = Bookmarks::parse(&file.as_bytes()[LIST.len()..]);
    assert_eq!(made.folders().count(), 1);
    assert!(made.len() > 5, "{file}");
    assert_eq!(made.faults(), 0);
    session.press("z");
    session.wait("Undone").await;
    assert_eq!(session.bookmarks(), LIST);
}

#[tokio::test(flavor = "multi_thread")]
async fn wide_pane_shows_bookmark_columns() {
    let session = session((120, 24));
    session.press("w");
    session.wait("gopher://gopher.flood").await;
    session.wait("#start").await;
    insta::assert_snapshot!("wide", session.screen());
    session.press("w");
    session.wait_until_absent("#start").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_edit_is_merged_and_conflict_keeps_both_lines() {
    let session = session((80, 40));
    let path = session.path().join("bookmarks.txt");
    session.wait("GNU").await;
    session.press("G k");
    session.wait("▌▸ GNU").await;
    // Another line changes while no key is pressed: the cursor stays on its entry.
    fs::write(&path, LIST.replace("SDF", "Super Dimension")).unwrap();
    session.wait("Super Dim").await;
    session.wait("▌▸ GNU").await;
    // The same line changes while it is open in the form.
    session.press("e Ctrl-U");
    session.type_in("Ours");
    session.wait("Ours").await;
    let theirs = LIST
        .replace("SDF", "Super Dimension")
        .replace("GNU", "Theirs");
    fs::write(&path, &theirs).unwrap();
    session.wait("Theirs").await;
    session.press("Enter");
    session
        .wait("was changed in the file by another program")
        .await;
    insta::assert_snapshot!("conflict", session.screen());
    let line = "Theirs <URL:ftp://ftp.gnu.org/gnu/;type=d>\n";
    let both = format!("{line}{}", line.replace("Theirs", "Ours"));
    assert_eq!(session.bookmarks(), theirs.replace(line, &both));
    session.press("z");
    session.wait("Undone").await;
    assert_eq!(session.bookmarks(), theirs);
}

/// Keys that change the bookmarks, and answers to their prompts.
fn key_sequences() -> impl Strategy<Value = Vec<&'static str>> {
    let key_sequences = prop::sample::select(vec![
        "j",
        "j",
        "k",
        "v",
        "V",
        "m",
        "p",
        "P",
        "J",
        "K",
        "X",
        "X y",
        "f a Enter",
        "e Enter",
        "e b Enter",
        "# c Enter",
        "' d Enter",
        "R y",
        "g R y",
        "!",
        "Space",
        "h",
        "Esc",
        "G",
        "g g",
        "z",
        "Z",
        "/ g Tab",
    ]);
    prop::collection::vec(key_sequences, 0..40)
}

/// Presses the keys, then undoes every change; returns the file before and after.
fn done_and_undone(keys_pressed: &[&str]) -> (String, String) {
    let nowhere = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let config = config::read(&nowhere, &Environment::default());
    let mut file = Bookmarks::parse(LIST.as_bytes());
    let mut app = App::new(config.keymap, config.settings, file.clone(), (80, 24));
    app.start(&[]);
    let mut screen = Terminal::new(TestBackend::new(80, 24)).unwrap();
    let keys_pressed = keys_pressed.iter().flat_map(|keys| keys.split(' '));
    for key in keys_pressed.chain(["Esc", "Esc", "Esc"]).chain(["z"; 60]) {
        if key == "z" {
            // Enter may have opened a page.
            app.cx.focus = Focus::Bookmarks;
        }
        let mut waiting = app.update(Message::Key(event(key)), Duration::ZERO);
        while let Some(effect) = waiting.pop() {
            let message = match effect {
                Effect::Bookmarks(BookmarkEffect::Save(history, change, ..)) => {
                    let applied = file.apply(&change);
                    assert_eq!(&applied.conflicts, &[]);
                    file = applied.bookmarks.clone();
                    Message::Bookmarks(BookmarkMessage::Saved(history, Ok(applied)))
                }
                _ => continue,
            };
            waiting.extend(app.update(message, Duration::ZERO));
        }
        assert_eq!(app.bookmarks.sidebar.bookmarks.octets(), file.octets());
        screen
            .draw(|frame| {
                ui::draw(&app, &config.theme, frame);
            })
            .unwrap();
    }
    let after = String::from_utf8_lossy(file.octets()).into_owned();
    (LIST.to_owned(), after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn any_key_sequence_can_be_undone(keys_pressed in key_sequences()) {
        let (before, after) = done_and_undone(&keys_pressed);
        prop_assert_eq!(after, before);
    }
}

#[test]
fn outdated_filter_result_changes_nothing() {
    let nowhere = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let config = config::read(&nowhere, &Environment::default());
    let lines = (0..3000).map(|number| format!("Burrow {number} <URL:gopher://hole{number}/>\n"));
    let list: String = lines.collect();
    let file = Bookmarks::parse(list.as_bytes());
    let mut app = App::new(config.keymap, config.settings, file, (80, 24));
    app.start(&[]);
    let key = |letter| Message::Key(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE));
    // 80 columns show the bookmarks on request only.
    app.update(key('B'), Duration::ZERO);
    let press = |app: &mut App, letter: char| app.update(key(letter), Duration::ZERO).pop();
    // The index is built when the filter opens; words typed before that wait for it.
    let Some(Effect::Bookmarks(BookmarkEffect::Filter(early, ready))) = press(&mut app, '/') else {
        panic!("many are made ready on a task")
    };
    assert!(press(&mut app, '1').is_none());
    let ready = Message::Bookmarks(BookmarkMessage::Filtered(early, Box::new(ready.run())));
    let Some(Effect::Bookmarks(BookmarkEffect::Filter(first, one))) =
        app.update(ready, Duration::ZERO).pop()
    else {
        panic!("many are searched on a task")
    };
    assert!(one.searched.is_some());
    let Some(Effect::Bookmarks(BookmarkEffect::Filter(second, two))) = press(&mut app, '7') else {
        panic!("many are searched on a task")
    };
    app.update(
        Message::Bookmarks(BookmarkMessage::Filtered(first, Box::new(one.run()))),
        Duration::ZERO,
    );
    assert_eq!(app.bookmarks.sidebar.rows().len(), 3000);
    app.update(
        Message::Bookmarks(BookmarkMessage::Filtered(second, Box::new(two.run()))),
        Duration::ZERO,
    );
    let found = app.bookmarks.sidebar.rows().len();
    assert!((1..3000).contains(&found), "{found}");
    // A longer query searches only the previous matches.
    let Some(Effect::Bookmarks(BookmarkEffect::Filter(_, third))) = press(&mut app, '0') else {
        panic!("many are searched on a task")
    };
    assert_eq!(third.among.as_ref().map(|among| among.len()), Some(found));
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmark_of_the_shown_page_has_a_star_and_is_edited_by_a() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    let list = format!(
        "Map <URL:gopher://{gopher}/1/map> #place\nText <URL:gopher://{gopher}/0/about.txt>\n\
         Files <URL:ftp://{}/>\nTalk <URL:news:*>\nSoup <URL:gopher://{gopher}/7/search>\n",
        demo.addresses.ftp
    );
    let map = format!("gopher://{gopher}/1/map");
    let session = Browser::new()
        .bookmarks(list)
        .open(map.clone())
        .size((120, 30))
        .start();
    session.wait(" ★ gopher://").await;
    for row in ["▸ Map", "≡ Text", "▸ Files", "▸ Talk", "? Soup"] {
        session.wait(row).await;
    }
    session.press("a");
    session.wait("Edit the bookmark").await;
    session.wait("Tags   place").await;
    session.press("Ctrl-U");
    session.type_in("The map");
    session.press("Enter");
    session.wait("▸ The map").await;
    let line = format!("The map <URL:{map}> #place\n");
    let is_written = |_: &str| session.bookmarks().starts_with(&line);
    session.wait_until("the new title", is_written).await;
    session.press("o");
    session.type_in(&format!("gopher://{gopher}/1/phlog"));
    session.press("Enter");
    session.wait("Newest first").await;
    session.wait_until_absent("★").await;
    session.press("a");
    session.wait("New bookmark").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_bookmark_line_fills_the_form_from_any_field() {
    for tabs in [0, 1, 3] {
        let session = session((80, 24));
        session.wait("Floodgap").await;
        session.press("j a");
        session.wait("New bookmark").await;
        for _ in 0..tabs {
            session.press("Tab");
        }
        session.paste("Dark star <URL:gopher://tor.example/1/print> #quit #old\n  a note\n");
        session.wait("gopher://tor.example/1/print").await;
        session.press("Enter");
        session.wait("Bookmarks saved").await;
        let list = session.bookmarks();
        let line = "Dark star <URL:gopher://tor.example/1/print> #quit #old\n  a note\n";
        assert!(list.contains(line), "{list}");
    }
    let session = session((80, 24));
    session.wait("Floodgap").await;
    session.press("j a");
    session.wait("New bookmark").await;
    session.press("Tab");
    session.paste("gopher://tor.example/");
    session.wait("URL    gopher://tor.example/").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pasted_url_goes_to_its_field_from_all_but_the_note() {
    let url = "gopher://tor.example/1/print";
    for (tabs, is_taken) in [(0, true), (2, true), (3, true), (4, false)] {
        let session = session((80, 24));
        session.wait("Floodgap").await;
        session.press("j a");
        session.wait("New bookmark").await;
        for _ in 0..tabs {
            session.press("Tab");
        }
        session.paste(&format!("<URL:{url}>\n"));
        session.wait(url).await;
        let is_there = session.screen().contains(&format!("URL    {url}"));
        assert_eq!(is_there, is_taken, "{tabs}");
        // A second one replaces nothing.
        if is_taken {
            session.paste("gopher://other.example/");
            session.wait("gopher://other.example/").await;
            session.wait(&format!("URL    {url}")).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bookmarks_of_another_program_are_imported_and_undone_at_once() {
    let session = Browser::new().start();
    session.wait("Start here").await;
    let list = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n\
        <DT><A HREF=\"gopher://one.example/\" ADD_DATE=\"1000000000\">One</A>\n\
        <DT><A HREF=\"http://u:secret@two.example/\" TAGS=\"follow\">Two</A>\n\
        <DT><A HREF=\"place:sort=8\">Most visited</A>\n</DL><p>\n";
    let path = session.path().join("browser.html");
    fs::write(&path, list).unwrap();
    session.press(":");
    session.type_in("import");
    session.wait("▌ import").await;
    session.press("Enter");
    session.wait("Import bookmarks from").await;
    session.press("Ctrl-U");
    session.type_in(&path.display().to_string());
    session.press("Enter");
    session.wait("2 imported (z takes all of it back)").await;
    session.wait("password removed").await;
    session.wait("tags that follow dropped: 1").await;
    session.wait("not imported: scripts").await;
    session.wait("Bookmarks saved: 2 imported (z undo)").await;
    let stored = || fs::read_to_string(session.path().join("bookmarks.txt")).unwrap();
    assert!(
        stored().contains("One <URL:gopher://one.example/>"),
        "{}",
        stored()
    );
    assert!(
        !stored().contains("secret") && !stored().contains("#follow"),
        "{}",
        stored()
    );
    let dates = fs::read_to_string(session.path().join("added.jsonl")).unwrap();
    assert!(dates.contains("2001-09-09"), "{dates}");
    session.press("z");
    session.wait("Undone: 2 imported").await;
    assert!(!stored().contains("one.example"), "{}", stored());
}

#[tokio::test(flavor = "multi_thread")]
async fn import_is_reported_on_a_page_with_links() {
    let target = Browser::new();
    let session = target
        .bookmarks("Old <URL:gopher://old.example/>\n")
        .file("page.txt", "The page of the list\n")
        .size((100, 40))
        .start();
    session.wait("Start here").await;
    let page = session.path().join("page.txt");
    let list = format!(
        "# Work\n=> gopher://old.example/ Old\n=> other.gmi Relative\n=> file://{} Mine\n\
         => http://h.example/a~b Faulty\n",
        page.display()
    );
    let path = session.path().join("list.gmi");
    fs::write(&path, list).unwrap();
    session.run_command("import").await;
    session.wait("Import bookmarks from").await;
    session.press("Ctrl-U");
    session.type_in(&path.display().to_string());
    session.press("Enter");
    session
        .wait("2 imported, 1 there already, 1 left out")
        .await;
    session.wait("line 3: Relative: its URL is relative").await;
    session.wait("There already").await;
    // A link opens, and the way back leads to the report.
    session.press("/");
    session.type_in("Mine");
    session.press("Enter Esc Enter");
    session.wait("The page of the list").await;
    session.press("h");
    session.wait("2 imported, 1 there already").await;
    assert!(session.bookmarks().contains("a~b"));
    session.press("z");
    session.wait("Undone: 2 imported").await;
    assert_eq!(session.bookmarks(), "Old <URL:gopher://old.example/>\n");
    // The page is made again from the import, and is empty in another run.
    session.press("r");
    session.wait("2 imported, 1 there already").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_cannot_be_imported_says_why() {
    let session = Browser::new().start();
    session.wait("Start here").await;
    let path = session.path().join("none.html");
    session.press(":");
    session.type_in("import");
    session.press("Enter");
    session.wait("Import bookmarks from").await;
    session.press("Enter");
    session.wait("Nothing imported").await;
    session.run_command("import").await;
    session.wait("Import bookmarks from").await;
    session.press("Ctrl-U");
    session.type_in(&path.display().to_string());
    session.press("Enter");
    session.wait("none.html cannot be read").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn conflict_of_git_in_the_file_is_said_and_both_sides_stay() {
    let conflict = "<<<<<<< HEAD\nOne <URL:gopher://one.example/>\n=======\n\
        Two <URL:gopher://two.example/>\n>>>>>>> other\n";
    let session = Browser::new().bookmarks(conflict).size((120, 24)).start();
    session.wait("line 1: a conflict of git").await;
    session.press("B");
    session.wait("One").await;
    session.wait("Two").await;
    assert_eq!(session.bookmarks(), conflict);
    let output = geomys(
        &[
            "--config",
            session.path().to_str().unwrap(),
            "bookmarks",
            "list",
        ],
        "",
    );
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("bookmarks.txt: line 1: a conflict of git"),
        "{said}"
    );
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
}
