//! The palette: commands, themes, bookmarks and visited pages found by their letters.

use std::fs;

use geomys::demo::Demo;
use geomys::net::Limits;

use crate::support::screen::Session;

#[tokio::test(flavor = "multi_thread")]
async fn palette_lists_commands_by_context_and_the_recent_one_first() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo_in(tempfile::tempdir().unwrap(), &demo, 80, 24);
    session.press(":");
    session.wait("go to the next link").await;
    insta::assert_snapshot!("palette", session.screen());
    session.type_in("next tab");
    session.wait("▌ next-tab").await;
    session.press("Esc :");
    session.type_in("new tab");
    session.wait("▌ new-tab").await;
    session.press("Enter");
    session.wait("2 geomys:home").await;
    session.press(":");
    session.wait("Recent").await;
    session.wait("▌ new-tab").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn palette_opens_bookmarks_and_visited_pages() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo_in(tempfile::tempdir().unwrap(), &demo, 100, 30);
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
    session.wait("Newest first").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn theme_is_shown_while_it_is_chosen_and_stored_with_enter() {
    let profile = tempfile::tempdir().unwrap();
    let settings = "# Mine\nmouse = false\n\n[cache]\nsize = 0\n";
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let session = Session::start(profile, None, &[], (80, 24), Limits::default());
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
    let session = Session::start(
        tempfile::tempdir().unwrap(),
        None,
        &[],
        (80, 24),
        Limits::default(),
    );
    session.wait("geomys:home").await;
    session.press(":");
    session.type_in("catch-up");
    session.wait("▌ catch-up").await;
    session.wait(" : catch-up").await;
    insta::assert_snapshot!("elsewhere", session.screen());
    session.press("Enter");
    session.wait("catch-up works only").await;
}
