//! The tour of the demo: each of its tasks is done when the state says so, and by no key alone.

use geomys_demo::Demo;

use crate::support::screen::{Browser, EDITOR, Session};

const SETTINGS: &str = "[news]\nfrom = \"Ada <ada@example.org>\"\n";

/// An editor that answers an article.
const ANSWER: &str =
    "awk '{ print } END { print \"It is dry here.\" }' \"$1\" > \"$1.new\"\nmv \"$1.new\" \"$1\"\n";

fn browser(demo: &Demo) -> Browser {
    Browser::new()
        .demo(demo)
        .settings(SETTINGS)
        .file(EDITOR, ANSWER)
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .with_tour()
        .size((100, 34))
}

fn open(session: &Session, url: &str) {
    session.press("o");
    session.type_in(url);
    session.press("Enter");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_fifteen_tasks_are_done_by_what_is_shown_stored_and_sent() {
    let demo = Demo::start().await.unwrap();
    let session = browser(&demo).start();
    let gopher = format!("gopher://{}", demo.addresses.gopher);
    let ftp = format!("ftp://{}", demo.addresses.ftp);
    session.wait("Task 1 of 15").await;
    session.wait("Open the library").await;
    // The key of the task on another row does nothing for it.
    session.press("Enter");
    session.wait("a town of pocket gophers").await;
    assert!(
        session.screen().contains("Task 1 of 15"),
        "{}",
        session.screen()
    );
    open(&session, &format!("{gopher}/1/library"));
    session.wait("Task 2 of 15").await;
    open(&session, &format!("{gopher}/"));
    session.wait("Task 3 of 15").await;
    open(&session, &format!("{gopher}/0/about.txt"));
    session.wait("a town of pocket gophers").await;
    session.press("/");
    session.type_in("brass");
    session.wait("Task 4 of 15").await;
    session.press("Enter");
    open(&session, &format!("{gopher}/7/search%09soup"));
    session.wait("Task 5 of 15").await;
    open(&session, &format!("{ftp}/pub/texts/potato-soup.txt;type=a"));
    session.wait("Task 6 of 15").await;
    open(&session, &format!("{ftp}/pub/software/;type=d"));
    session.wait("drum.img").await;
    session.press("/");
    session.type_in("drum.img");
    session.press("Enter");
    session.wait("▌⇩ drum.img").await;
    session.press("d");
    session.wait("Task 7 of 15").await;
    let drum = session.path().join("Downloads/drum.img");
    assert!(drum.exists());
    open(&session, &format!("{gopher}/1/weather"));
    session.wait("weather").await;
    session.press("a");
    session.wait("New bookmark").await;
    assert!(
        session.screen().contains("Task 7 of 15"),
        "{}",
        session.screen()
    );
    session.press("Enter");
    session.wait("Task 8 of 15").await;
    open(&session, &format!("{gopher}/1/phlog"));
    session.wait("phlog").await;
    session.run_command("follow").await;
    session.wait("[x] Follow").await;
    session.press("Enter");
    session.wait("Task 9 of 15").await;
    session
        .wait_until("both bookmarks in the file", |_| {
            let file = session.bookmarks();
            file.contains("/1/weather") && file.contains("#follow")
        })
        .await;
    go_on(&session, &demo).await;
}

/// The tasks from the ninth on.
async fn go_on(session: &Session, demo: &Demo) {
    let gopher = format!("gopher://{}", demo.addresses.gopher);
    session.run_command("repair-all").await;
    session.press("g R");
    session.wait("Repair").await;
    session.press("y");
    session.wait("Task 10 of 15").await;
    session.press("Esc");
    let news = format!(
        "nntp://{}/underloam.infosystems.gopher",
        demo.addresses.news
    );
    open(session, &news);
    session.wait("Une carte de café").await;
    session.press("*");
    session.wait("Task 11 of 15").await;
    session.press("Enter");
    session.wait("Task 12 of 15").await;
    session.press("F");
    session.wait("Post this reply?").await;
    assert!(
        session.screen().contains("Task 12 of 15"),
        "{}",
        session.screen()
    );
    session.choose("Post it").await;
    session.wait("Task 13 of 15").await;
    open(session, &format!("{gopher}/"));
    session.wait("A map of the town").await;
    session.press("/");
    session.type_in("map of");
    session.press("Enter");
    session.wait("▌ 2").await;
    session.press("L");
    session.wait("Task 14 of 15").await;
    session.press("Ctrl-O");
    session.wait("offline").await;
    open(session, &format!("{gopher}/1/map"));
    session.wait("Task 15 of 15").await;
    session.press("Ctrl-O");
    session.wait_until_absent("offline").await;
    session.press("Ctrl-T");
    session.wait("The tour is done").await;
    session.press("Esc");
    session.wait_until_absent("The tour is done").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn task_is_put_off_and_comes_again_and_the_tour_is_left() {
    let demo = Demo::start().await.unwrap();
    let session = browser(&demo).start();
    session.wait("Open the library").await;
    session.wait("Tab later").await;
    session.press("Tab");
    // The market square is on the screen, so that the second task is done.
    session.wait("Read “What this place is”").await;
    session.wait("Task 2 of 15").await;
    session.press(&"Tab ".repeat(13));
    session.wait("Open the library").await;
    // The strip takes five lines below the status line, and Esc gives them back.
    let lines = |screen: &str| screen.lines().position(|line| line.contains("? help"));
    let with_strip = lines(&session.screen()).unwrap();
    session.press("Esc");
    session.wait_until_absent("Task 2 of 15").await;
    session.wait("Tour left").await;
    assert_eq!(lines(&session.screen()), Some(with_strip + 5));
}
