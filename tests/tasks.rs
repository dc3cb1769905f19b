//! Twenty common tasks and a first session, done by a person who has read nothing: each key but the arrows and
//! Backspace is pressed only after the screen has shown it, in the home page, the status line or the help that `?`
//! opens.

use geomys_demo::Demo;

use crate::support::screen::{Browser, Session};

/// Presses a key after the screen shows its hint: the key and its words.
async fn press_hinted(session: &Session, key: &str, words: &str) {
    let hint = format!("{key} {words}");
    session
        .wait_until(&hint, |screen| {
            let blanks = screen.split_whitespace().collect::<Vec<_>>().join(" ");
            blanks.contains(&hint)
        })
        .await;
    session.press(key);
}

/// Searches the help for a command by words, and runs it.
async fn run_from_help(session: &Session, words: &str, description: &str) {
    session.settle().await;
    press_hinted(session, "?", "help").await;
    session.wait("Help:").await;
    session.type_in(words);
    session.wait(&format!("Help: {words}")).await;
    session
        .wait_until(description, |screen| {
            let selected = screen.lines().last().unwrap_or_default();
            selected.contains(description)
        })
        .await;
    session.press("Enter");
    session.wait_until_absent("Help:").await;
}

/// Goes to a row by the arrow, which nobody has to be told.
async fn go_down_to(session: &Session, words: &str) {
    for _ in 0..session.screen().lines().count() {
        session.settle().await;
        let screen = session.screen();
        let is_chosen = |line: &str| {
            let row = line.rsplit_once('▌');
            row.is_some_and(|(_, row)| row.contains(words))
        };
        if screen.lines().any(is_chosen) {
            return;
        }
        session.press("Down");
    }
    panic!("no row {words}: {}", session.screen());
}

/// Deletes what a line of input has, letter by letter.
fn clear_input(session: &Session) {
    session.press("End");
    session.press(&"Backspace ".repeat(100));
}

/// Opens a URL.
async fn open(session: &Session, url: &str) {
    run_from_help(session, "open a url", "open a URL").await;
    session.wait("or host").await;
    session.type_in(url);
    session.press("Enter");
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_common_tasks_are_done_with_keys_that_the_screen_shows() {
    let demo = Demo::start().await.unwrap();
    for (columns, lines) in [(80, 24), (120, 40)] {
        let session = Browser::new().demo(&demo).size((columns, lines)).start();

        // 1. Open a menu.
        press_hinted(&session, "o", "open").await;
        session.wait("or host").await;
        session.type_in(&format!("gopher://{}/", demo.addresses.gopher));
        session.press("Enter");
        session.wait("U N D E R L O A M").await;

        // 2. Follow a link.
        press_hinted(&session, "Enter", "open").await;
        session.wait("a town of pocket gophers").await;

        // 3. Find a word in the text.
        press_hinted(&session, "/", "find").await;
        session.type_in("brass");
        session.wait("1 of 1").await;
        session.press("Enter");
        session.wait_until_absent("Find ").await;

        // 4. Bookmark the page.
        run_from_help(&session, "bookmark the page", "bookmark the page").await;
        session.wait("New bookmark").await;
        press_hinted(&session, "Enter", "save").await;
        session.wait_until_absent("New bookmark").await;

        // 5. Go back.
        run_from_help(&session, "go back", "go back").await;
        session.wait("U N D E R L O A M").await;

        // 6. Find the bookmark again, 7. rename it, and open it.
        if columns < 106 {
            run_from_help(&session, "hide the bookmarks", "hide the bookmarks").await;
        } else {
            run_from_help(&session, "next pane", "go to the next pane").await;
        }
        press_hinted(&session, "/", "filter").await;
        session.type_in("What this");
        session.wait("/What this").await;
        press_hinted(&session, "Tab", "to the list").await;
        press_hinted(&session, "e", "edit").await;
        session.wait("Edit the bookmark").await;
        clear_input(&session);
        session.type_in("All about the town");
        press_hinted(&session, "Enter", "save").await;
        session.wait_until_absent("Edit the bookmark").await;
        session.wait("edited (z undo)").await;
        assert!(session.bookmarks().contains("All about the town"));
        session.press("Enter");
        session.wait("a town of pocket gophers").await;

        // 8. Download a file from an FTP directory, and watch its progress.
        open(
            &session,
            &format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp),
        )
        .await;
        session.wait("drum.img").await;
        go_down_to(&session, "drum.img").await;
        press_hinted(&session, "d", "download").await;
        session.wait("Saved ").await;
        run_from_help(&session, "hide the transfers", "hide the transfers").await;
        session.wait("100%").await;
        press_hinted(&session, "D", "close").await;
        session.wait_until_absent("100%").await;

        // 9. Show two pages side by side, where there is room.
        open(&session, &format!("gopher://{}/", demo.addresses.gopher)).await;
        session.wait("U N D E R L O A M").await;
        run_from_help(&session, "new pane", "open in a new pane").await;
        if columns >= 106 {
            session.wait("What this place is ━").await;
            session.wait("U N D E R L O A M").await;
        } else {
            session.wait("2 What this place is").await;
        }

        // 10. Read the next unread article.
        open(
            &session,
            &format!("nntp://{}/underloam.talk.weather", demo.addresses.news),
        )
        .await;
        session.wait("Footsteps").await;
        press_hinted(&session, ".", "next").await;
        session.wait("the thermometer alive?").await;
        press_hinted(&session, ".", "next").await;
        session.wait("Weather Station").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_more_tasks_are_done_with_keys_that_the_screen_shows() {
    let demo = Demo::start().await.unwrap();
    for (columns, lines) in [(80, 24), (120, 40)] {
        let session = Browser::new().demo(&demo).size((columns, lines)).start();

        // 11. Search a server by words.
        open(
            &session,
            &format!("gopher://{}/7/search", demo.addresses.gopher),
        )
        .await;
        session.wait("Enter search").await;
        session.type_in("potato");
        press_hinted(&session, "Enter", "search").await;
        session.wait("The librarian found").await;

        // 12. Repair the URL of a page that does not exist.
        open(
            &session,
            &format!("gopher://{}/0/nowhere", demo.addresses.gopher),
        )
        .await;
        session.wait("There is no door called").await;
        press_hinted(&session, "O", "edit URL").await;
        session.wait("/0/nowhere").await;
        clear_input(&session);
        session.type_in(&format!("gopher://{}/0/about.txt", demo.addresses.gopher));
        press_hinted(&session, "Enter", "open").await;
        session.wait("a town of pocket gophers").await;

        // 13. Scroll a text by screens, and 14. go to the next match.
        session.press("Space");
        let first = if lines < 30 {
            session.wait_until_absent("a town of pocket gophers").await;
            2
        } else {
            1
        };
        press_hinted(&session, "/", "find").await;
        session.type_in("the");
        session.wait(&format!("{first} of 12")).await;
        press_hinted(&session, "Enter", "keep").await;
        run_from_help(&session, "next match", "go to the next match").await;
        session.wait(&format!("{} of 12", first + 1)).await;

        // 15. Copy the URL of the page.
        run_from_help(&session, "copy the page", "copy the page's URL").await;
        session.wait("about.txt").await;
        let copied = session.copied.lock().unwrap().clone();
        assert!(copied.iter().any(|url| url.ends_with("/0/about.txt")));

        // 16. Sort a directory by size, and 17. mark two files and download them.
        open(
            &session,
            &format!("ftp://{}/pub/software/;type=d", demo.addresses.ftp),
        )
        .await;
        session.wait("drum.img").await;
        run_from_help(&session, "sort by size", "sort by size").await;
        session.wait("Sorted by size").await;
        go_down_to(&session, "drum.README").await;
        press_hinted(&session, "v", "mark").await;
        go_down_to(&session, "seeds.bin").await;
        press_hinted(&session, "v", "mark").await;
        press_hinted(&session, "d", "download").await;
        session.wait("Saved ").await;

        // 18. Subscribe to a group, and 19. mark it read.
        open(&session, &format!("nntp://{}/", demo.addresses.news)).await;
        session.wait("underloam.talk.weather").await;
        // The message about the file takes the place of the hints.
        session.press("Esc");
        press_hinted(&session, "*", "subscribe").await;
        session.settle().await;
        press_hinted(&session, "Enter", "open").await;
        session.wait(" unread").await;
        run_from_help(&session, "mark the group read", "mark the group read").await;
        press_hinted(&session, "y", "yes").await;
        session.wait_until_absent("Mark all articles").await;

        // 20. Open a tab, and go from one to the other.
        run_from_help(&session, "private tab", "open a private tab").await;
        session.wait(" 2 ").await;
        run_from_help(&session, "previous tab", "go to the previous tab").await;
        session.wait_until_absent("Help:").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_session_needs_no_key_that_was_not_on_the_screen() {
    let demo = Demo::start().await.unwrap();
    for size in [(80, 24), (100, 30), (120, 40)] {
        let session = Browser::new()
            .demo(&demo)
            .open(format!("gopher://{}/", demo.addresses.gopher))
            .size(size)
            .start();
        session.wait("U N D E R L O A M").await;
        // Follow a link, find a word, bookmark the page, and go back: the help shows a key at once.
        press_hinted(&session, "Enter", "open").await;
        session.wait("a town of pocket gophers").await;
        press_hinted(&session, "/", "find").await;
        session.type_in("brass");
        session.wait("1 of 1").await;
        press_hinted(&session, "Enter", "keep").await;
        press_hinted(&session, "?", "help").await;
        session.wait("bookmark the page").await;
        press_hinted(&session, "Esc", "close").await;
        session.wait_until_absent("Most used").await;
        session.press("a");
        press_hinted(&session, "Enter", "save").await;
        session.wait("added").await;
        press_hinted(&session, "?", "help").await;
        session.wait("go back").await;
        press_hinted(&session, "Esc", "close").await;
        session.wait_until_absent("Most used").await;
        session.press("h");
        session.wait("U N D E R L O A M").await;
        // Out: the help shows the key; and another URL before.
        press_hinted(&session, "?", "help").await;
        session.type_in("quit");
        session
            .wait_until("q quit", |screen| {
                let words = |line: &str| line.split_whitespace().eq(["q", "quit"]);
                screen.lines().any(words)
            })
            .await;
        press_hinted(&session, "Esc", "close").await;
        session.wait_until_absent("Most used").await;
        press_hinted(&session, "o", "URL").await;
        session.wait_in_prompt("URL (gopher").await;
        press_hinted(&session, "Esc", "cancel").await;
        session.wait_until_absent("URL (gopher").await;
        session.press("q");
        session.end().await;
    }
}
