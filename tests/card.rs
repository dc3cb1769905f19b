//! The screen as a picture in a file.

use std::fs;

use geomys_demo::Demo;

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn screen_is_saved_as_a_picture_and_replaced_after_a_question_only() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .settings("background = \"dark\"\n")
        .open(format!("gopher://{}/", demo.addresses.gopher))
        .start();
    session.wait("The weather station").await;
    session.run_command("card").await;
    session.wait_in_prompt("screen.svg").await;
    session.press("Enter");
    session.wait("Saved ").await;
    let file = session.path().join("Downloads/screen.svg");
    let picture = fs::read_to_string(&file).unwrap();
    for part in ["<svg ", "The weather station", "fill=\"#1d2129\"", "</svg>"] {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    // The box that asked for the file is not in it.
    assert!(!picture.contains("Save the screen"), "{picture}");
    session.press("Enter");
    session.wait("a town of pocket gophers").await;
    session.run_command("card").await;
    session.wait_in_prompt("screen.svg").await;
    session.press("Enter");
    session.wait("Replace screen.svg?").await;
    session.press("n");
    session.wait_until_absent("Replace").await;
    assert_eq!(fs::read_to_string(&file).unwrap(), picture);
    session.run_command("card").await;
    session.wait_in_prompt("screen.svg").await;
    session.press("Enter");
    session.wait("Replace screen.svg?").await;
    session.press("y");
    session.wait("Saved ").await;
    let replaced = fs::read_to_string(&file).unwrap();
    assert!(replaced.contains("a town of pocket gophers"), "{replaced}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_picture_of_a_private_tab_or_a_login() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new().start();
    session.wait("Start here").await;
    session.run_command("private-tab").await;
    session.run_command("card").await;
    session.wait("No picture of a private tab").await;
    session.press("x o");
    session.type_in(&format!("ftp://ada:lovelace@{}/", demo.addresses.ftp));
    session.press("Enter");
    session.wait("diary.txt").await;
    session.run_command("card").await;
    session.wait("No picture of a page behind a login").await;
    assert!(!session.path().join("Downloads").exists());
}
