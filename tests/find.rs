//! Find in a page, as the user types.

use geomys_demo::Demo;
use ratatui::style::Modifier;

use crate::support::screen::{Browser, Session};

/// A session on the demo's text of three hundred lines.
fn text(demo: &Demo) -> Session {
    let address = format!("gopher://{}/0/about.txt", demo.addresses.gopher);
    Browser::new().open(address).start()
}

#[tokio::test(flavor = "multi_thread")]
async fn find_counts_its_matches_shows_the_current_one_and_esc_returns() {
    let demo = Demo::start().await.unwrap();
    let session = text(&demo);
    session.wait("a town of pocket gophers").await;
    let before = session.screen();
    session.press("/");
    session.type_in("tunnel");
    session.wait("1 of 2").await;
    let (current, other) = (
        session.style_of("tunnels."),
        session.style_of("tunnel leads"),
    );
    assert_ne!(current, other, "the current match looks like the other");
    assert!(other.add_modifier.contains(Modifier::REVERSED), "{other:?}");
    session.type_in("s");
    session.wait("1 of 1").await;
    session.press("Backspace");
    session.wait("1 of 2").await;
    session.press("Esc");
    session.wait_until_absent("Find ").await;
    session.settle().await;
    assert_eq!(session.screen(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn match_in_the_row_of_the_cursor_of_a_menu_is_seen_while_it_is_typed() {
    let demo = Demo::start().await.unwrap();
    let menu = format!("gopher://{}/", demo.addresses.gopher);
    let session = Browser::new().open(menu).start();
    session.wait("The library").await;
    let plain = session.style_of("The library");
    session.press("/");
    session.type_in("library");
    session.wait_in_prompt("1 of 1").await;
    assert_eq!(session.style_of("The library"), plain);
    let (column, line) = session.position_of("The library");
    let found = usize::from(line) * 80 + usize::from(column) + "The ".len();
    assert_ne!(session.grid()[found].style(), plain, "the match");
}

#[tokio::test(flavor = "multi_thread")]
async fn enter_keeps_the_match_and_its_count() {
    let demo = Demo::start().await.unwrap();
    let session = text(&demo);
    session.wait("a town of pocket gophers").await;
    session.press("/");
    session.type_in("tunnel");
    session.wait("1 of 2").await;
    session.press("Enter n");
    session.wait("2 of 2").await;
    session.press("n");
    session.wait("Search wrapped to top").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn message_of_a_search_without_a_match_goes_with_the_next_letter() {
    let demo = Demo::start().await.unwrap();
    let session = text(&demo);
    session.wait("a town of pocket gophers").await;
    session.press("/");
    session.type_in("tunnelx");
    session.wait("\"tunnelx\" not found").await;
    session.press("Backspace");
    session.wait("1 of 2").await;
    assert!(
        !session.screen().contains("not found"),
        "{}",
        session.screen()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn source_of_a_page_has_matches_of_its_own() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("http://{}/", demo.addresses.web))
        .start();
    session.wait("Underloam on the Web").await;
    session.press("/");
    session.type_in("Underloam");
    session.wait("1 of 1").await;
    session.press("Enter \\");
    session.wait("Source").await;
    session.press("j");
    session.wait_until_absent("Source").await;
    assert!(!session.screen().contains("1 of 1"), "{}", session.screen());
    session.press("n");
    session.wait(" of 2").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn result_is_kept_for_a_page_that_is_not_in_front() {
    let demo = Demo::start().await.unwrap();
    let url = |selector: &str| format!("gopher://{}{selector}", demo.addresses.gopher);
    let session = Browser::new()
        .open_all([url("/0/about.txt"), url("/1/map")])
        .start();
    session.press("Alt-1");
    session.wait("a town of pocket gophers").await;
    // The search ends after the other tab is shown: keys come before results.
    session.press("/ t u n n e l Enter Alt-2");
    session.wait("A map of Underloam").await;
    session.settle().await;
    assert!(!session.screen().contains("1 of 2"));
    session.press("Alt-1");
    session.wait("1 of 2").await;
    session.wait("tunnels.").await;
}
