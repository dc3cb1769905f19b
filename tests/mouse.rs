//! The mouse: what looks pressable is pressable, and the wheel moves in every list.

use crossterm::event::{MouseButton, MouseEventKind};
use geomys_demo::Demo;

use crate::support::screen::{Browser, Session};

/// Turns the wheel over the cell of these words.
fn wheel(session: &Session, words: &str, is_down: bool) {
    let kind = if is_down {
        MouseEventKind::ScrollDown
    } else {
        MouseEventKind::ScrollUp
    };
    session.mouse(kind, session.position_of(words));
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_and_the_url_are_pressed() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("11/30 36%").await;
    session.click("Enter open");
    session.wait("four hundred and six").await;
    session.click("h back");
    session.wait("11/30 36%").await;
    session.click("o URL");
    session.wait_in_prompt("URL (gopher").await;
    // The keys of a prompt are hints, too.
    session.click("Esc cancel");
    session.wait_until_absent("URL (gopher").await;
    session.click("gopher://");
    session.wait_in_prompt("> gopher://127.0.0.1").await;
    // What is behind the box is not pressed.
    session.click("The weather station");
    session.click("Esc cancel");
    session.wait("? help").await;
    assert!(session.screen().contains("U N D E R L O A M"));
    session.click("? help");
    session.wait("Most used").await;
    session.click("Esc close");
    session.wait_until_absent("Most used").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_the_help_the_palette_and_suggestions_are_pressed() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().demo(&demo).start();
    session.press("?");
    session.wait("Most used").await;
    wheel(&session, "Most used", true);
    session.wait("go back   1/").await;
    wheel(&session, "Most used", false);
    session.wait("open the link   1/").await;
    let (x, y) = session.cursor().unwrap();
    assert_eq!((x, y), (0, session.position_of("open the link").1));
    session.click("open a URL");
    session.wait_in_prompt("URL (gopher").await;
    session.type_in("potato");
    session.wait_in_prompt("Search gopher").await;
    session.press("Esc :");
    session.wait("Enter run").await;
    session.type_in("about");
    session.wait(": about").await;
    session.click("show the version");
    session.wait("Geomys 0.").await;
    session.press("o");
    session.type_in("Map of");
    session.wait("Down choose").await;
    session.click("Map of the town");
    session.wait_until_absent("Down choose").await;
    session.wait("gopher://127.0.0.1").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buttons_and_fields_are_pressed() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("11/30 36%").await;
    session.press("a");
    session.wait("New bookmark").await;
    session.click("Tags");
    session.type_in("seen");
    session.wait("Tags   seen").await;
    session.click("Enter save");
    session.wait("added").await;
    session.wait("z undo").await;
    assert!(
        session.bookmarks().contains("#seen"),
        "{}",
        session.bookmarks()
    );
    // A question with letters: each is a hint.
    session.press("Enter");
    session.wait("a town of pocket gophers").await;
    session.press("a");
    session.wait("New bookmark").await;
    session.click("URL  ");
    session.press("Ctrl-U");
    session.type_in(&format!("gopher://{}/", demo.addresses.gopher));
    session.click("Enter save");
    session.wait("Already a bookmark").await;
    session.click("k keep both");
    session.wait_until_absent("Already a bookmark").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cursor_of_the_terminal_stands_on_the_chosen_button() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://ftp.example.org@{}/", demo.addresses.ftp);
    let session = Browser::new().open(url).start();
    session.wait("This URL may be deceptive").await;
    for button in ["[ No ]", "[ Yes ]"] {
        session
            .wait_until(button, |_| {
                session.cursor() == Some(session.position_of(button))
            })
            .await;
        session.press("Tab");
    }
    session.click("[ No ]");
    session.wait_until_absent("This URL may be deceptive").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mouse_is_left_to_the_terminal_by_a_command() {
    let session = Browser::new().start();
    session.wait("geomys:home").await;
    session.press(":");
    session.type_in("toggle-mouse");
    session.press("Enter");
    session.wait("Mouse off").await;
    session.mouse(MouseEventKind::Down(MouseButton::Right), (0, 0));
    session.press(":");
    session.type_in("toggle-mouse");
    session.press("Enter");
    session.wait("Mouse on").await;
}

/// Presses over these words and releases beside them, and the other way round.
fn miss(session: &Session, words: &str) {
    let (x, y) = session.position_of(words);
    session.press_and_release((x, y), (x + 1, y));
    session.press_and_release((x + 1, y), (x, y));
}

#[tokio::test(flavor = "multi_thread")]
async fn press_or_release_alone_is_no_click() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .demo(&demo)
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .open(format!("gopher://{}/0/about.txt", demo.addresses.gopher))
        .start();
    session.wait("11/30 36%").await;
    session.press("B");
    session.wait("Bookmarks").await;
    session.press("j");
    let screen = session.screen();
    // A tab, a folder, a bookmark, the URL, a hint.
    for words in ["2 ", "▾ Gopher", "Potato soup", "gopher://", "? help"] {
        miss(&session, words);
        assert_eq!(session.screen(), screen, "{words}");
    }
    session.press("B");
    let page = session.page();
    // Over a text the same marks text, and follows no link.
    for words in ["What this place is", "U N D E R", "? help"] {
        miss(&session, words);
        assert_eq!(session.page(), page, "{words}");
    }
    session.click("2 ");
    session.wait("a town of pocket gophers").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn press_alone_chooses_no_button_no_field_and_no_row() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://ftp.example.org@{}/", demo.addresses.ftp);
    let session = Browser::new().open(url).start();
    session.wait("This URL may be deceptive").await;
    miss(&session, "[ No ]");
    miss(&session, "[ Yes ]");
    session.press("Tab");
    session
        .wait_until("the other button", |_| {
            session.cursor() == Some(session.position_of("[ Yes ]"))
        })
        .await;
    session.press("Esc");
    session.wait_until_absent("This URL may be deceptive").await;
    session.press("?");
    session.wait("Most used").await;
    miss(&session, "open a URL");
    session.press("Esc");
    session.wait_until_absent("Most used").await;
    session.press("a");
    session.wait("New bookmark").await;
    miss(&session, "Tags");
    session.type_in(" seen");
    assert!(session.screen().contains(" seen"));
    assert!(
        !session.screen().contains("Tags   seen"),
        "{}",
        session.screen()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_appears_under_a_pressed_button_is_not_clicked() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("11/30 36%").await;
    session.press("?");
    session.wait("Most used").await;
    let row = session.position_of("open a URL");
    session.press("Esc");
    session.wait_until_absent("Most used").await;
    session.mouse(MouseEventKind::Down(MouseButton::Left), row);
    session.press("?");
    session.wait("Most used").await;
    session.mouse(MouseEventKind::Up(MouseButton::Left), row);
    session.type_in("tab");
    let screen = session.screen();
    assert!(screen.contains("Help: tab"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rule_between_panes_is_dragged() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .demo(&demo)
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .size((120, 40))
        .start();
    session.wait("U N D E R L O A M").await;
    let (x, y) = session.position_of("│");
    session.press_and_release((x, y), (x - 5, y));
    session
        .wait_until("a narrower list", |_| session.position_of("│").0 == x - 5)
        .await;
    let screen = session.screen();
    // It was no click on what is there.
    assert_eq!(session.screen(), screen);
}
