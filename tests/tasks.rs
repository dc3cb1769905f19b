//! Thirty-five common tasks and a first session, done by a person who has read nothing, on two sizes of the screen. A
//! key is pressed only while the screen shows it with its verb: in the status line, on the home page, in a box or in a
//! message. Some tasks go by the help that `?` opens, and a word for what is wanted. Each task ends with a state: a
//! file, a page, a mark, a copied text.

mod bookmarks;
mod copies;
mod files;
mod hand;
mod news;
mod pages;
mod settings;

use self::hand::Hand;
use self::hand::Way::{Help, Home, Shown};
use self::hand::{SIZES, Way};
use geomys_demo::Demo;

use crate::support::screen::Browser;

/// Makes the list of the tasks, with the way to the command of each at 80 columns and at 120, and a test of each.
macro_rules! tasks {
    ($( $module:ident $name:ident $narrow:expr, $wide:expr; )*) => {
        const TASKS: &[(&str, [Way; 2])] = &[ $( (stringify!($name), [$narrow, $wide]), )* ];

        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                for (size, way) in SIZES.into_iter().zip([$narrow, $wide]) {
                    $module::$name(size, way).await;
                }
            }
        )*
    };
}

tasks! {
    pages open_by_name Shown, Shown;
    pages follow_a_link_and_go_back Shown, Shown;
    pages use_a_search_row Shown, Shown;
    pages open_in_a_tab_and_close_it Help("tab"), Shown;
    pages find_the_next_match_and_leave Shown, Shown;
    bookmarks bookmark_with_folder_and_tag Shown, Shown;
    bookmarks open_a_bookmark Home, Shown;
    bookmarks rename_a_bookmark Shown, Shown;
    bookmarks delete_a_bookmark_and_undo Shown, Shown;
    files sort_by_date_and_read_the_readme Shown, Shown;
    files download_a_file Shown, Shown;
    files download_a_directory Shown, Shown;
    files save_the_page Help("save"), Shown;
    news subscribe_and_read_the_next_unread Shown, Shown;
    news follow_up Shown, Shown;
    news catch_up Shown, Shown;
    pages use_the_history_and_reopen_a_tab Home, Shown;
    pages copy_a_link Help("copy"), Shown;
    settings choose_another_theme Home, Shown;
    settings set_the_news_server Help("server"), Help("server");
    settings change_a_key Help("keys"), Help("keys");
    copies sync_and_read_offline Home, Shown;
    copies keep_a_link Help("keep"), Shown;
    copies search_all_texts Home, Shown;
    files mirror_a_site Help("mirror"), Shown;
    settings change_a_setting Help("settings"), Shown;
    files read_a_file_in_a_zip_on_ftp Shown, Shown;
    news reply_with_the_next_sync Shown, Shown;
    bookmarks bring_a_bookmark_back_the_next_day Help("restore"), Help("restore");
    bookmarks import_the_bookmarks_of_a_browser Shown, Shown;
    pages show_two_menus_side_by_side Help("split"), Shown;
    bookmarks follow_a_phlog Shown, Shown;
    files find_the_downloaded_file Shown, Shown;
    pages use_the_mouse_only Shown, Shown;
    pages quit Home, Shown;
}

#[test]
fn most_tasks_are_shown_on_the_screen() {
    assert_eq!(TASKS.len(), 35);
    let shown = |size: usize| {
        let ways = TASKS.iter().map(|(_, ways)| &ways[size]);
        ways.filter(|way| !matches!(way, Help(_))).count()
    };
    assert!(shown(0) >= 22, "{}", shown(0));
    assert!(shown(1) >= 30, "{}", shown(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn first_session_needs_no_key_that_was_not_on_the_screen() {
    let demo = Demo::start().await.unwrap();
    for size in [(80, 24), (100, 30), (120, 40)] {
        let start = Browser::new()
            .demo(&demo)
            .open(format!("gopher://{}/", demo.addresses.gopher));
        let hand = Hand::start(start, size, Shown);
        hand.wait("U N D E R L O A M").await;
        // Follow a link, find a word, bookmark the page, and go back: the help shows a key at once.
        hand.shown("Enter", "open").await;
        hand.wait("a town of pocket gophers").await;
        hand.shown("/", "find").await;
        hand.type_in("brass");
        hand.wait("1 of 1").await;
        hand.shown("Enter", "keep").await;
        hand.shown("?", "help").await;
        hand.shown("Esc", "close").await;
        hand.wait_until_absent("Most used").await;
        hand.shown("Esc", "leave").await;
        hand.shown("a", "bookmark").await;
        hand.shown("Enter", "save").await;
        hand.wait("added").await;
        hand.take_message_away().await;
        hand.shown("h", "back").await;
        hand.wait("U N D E R L O A M").await;
        // Out: the help shows the key; and another URL before.
        hand.shown("?", "help").await;
        hand.type_in("quit");
        hand.wait_for_key("q", "quit").await;
        hand.shown("Esc", "close").await;
        hand.wait_until_absent("Most used").await;
        hand.shown("o", "URL").await;
        hand.wait_in_prompt("URL (gopher").await;
        hand.shown("Esc", "cancel").await;
        hand.wait_until_absent("URL (gopher").await;
        hand.shown("q", "quit").await;
        hand.end().await;
    }
}
