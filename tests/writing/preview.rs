//! What is visible of a draft before it is sent.

use geomys_demo::Demo;
use tempfile::TempDir;

use super::{ADA, EDITOR, write};
use crate::support::screen::{Browser, Session};

/// A session at 80x24 on this group or article of the demo, whose editor runs this script.
fn session(demo: &Demo, address: String, editor: &str) -> Session {
    let profile: TempDir = tempfile::tempdir().unwrap();
    write(&profile, "settings.toml", ADA);
    write(&profile, "signature", "Ada, Analyst\n");
    write(&profile, EDITOR, editor);
    Browser::in_profile(profile)
        .news(demo.addresses.news)
        .open(address)
        .size((80, 24))
        .start()
}

/// An editor script that sets the headers, and writes long lines above the signature or the forwarded article.
fn writes_long_lines() -> String {
    let words = "words ".repeat(70);
    let line = |number: usize| format!("{number} {words}end{number}.");
    let text: Vec<String> = (1..=4).map(line).collect();
    format!(
        "awk -v said='{}' '/^Subject: *$/ {{ print \"Subject: Long\"; next }} /^To: *$/ {{ print \"To: bo@example.org\"; next }} \
         /^-- $|^-----/ && !done {{ print said; print \"\"; done = 1 }} {{ print }}' \"$1\" > \"$1.new\"\nmv \"$1.new\" \"$1\"\n",
        text.join("\\n")
    )
}

/// Waits for the question, and checks that the end of the text is on the screen.
async fn ends_visibly(session: Session, question: &str, recipient: &str) {
    session.wait(question).await;
    session.wait(recipient).await;
    let screen = session.screen();
    assert!(
        screen.contains("end4.") && !screen.contains("end1."),
        "{screen}"
    );
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn last_rows_of_long_lines_are_visible_in_every_draft() {
    let demo = Demo::start().await.unwrap();
    let editor = writes_long_lines();
    let news = demo.addresses.news;
    let empty = || session(&demo, format!("nntp://{news}/geomys.demo.empty"), &editor);
    let written = empty();
    written.wait("No articles here yet").await;
    written.press("P");
    written.wait("end4.").await;
    // Rows are scrolled, not lines: each is visible.
    written.press("Space");
    written.wait("end1.").await;
    written.press("Down Down Down");
    written.wait("2 words").await;
    written.press("PgUp PgUp");
    ends_visibly(written, "Post this article?", "To geomys.demo.empty as Ada").await;
    for (key, question, recipient) in [
        ("F", "Post this reply?", " as Ada"),
        (
            "R",
            "Send this mail?",
            "To Botta <library@underloam.example> as Ada",
        ),
        ("g F", "Send this mail?", "To bo@example.org as Ada"),
    ] {
        let written = session(&demo, "news:gph-2@underloam.example".to_owned(), &editor);
        written.wait("It is a word that the server").await;
        written.press(key);
        ends_visibly(written, question, recipient).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_without_a_recipient_has_the_same_layout() {
    let demo = Demo::start().await.unwrap();
    let editor = writes_long_lines().replace("To: bo@example.org", "To:");
    let session = session(&demo, "news:gph-2@underloam.example".to_owned(), &editor);
    session.wait("It is a word that the server").await;
    session.press("g F");
    session.wait("It cannot be sent: To is empty.").await;
    session.wait("To nobody as Ada").await;
    assert!(session.screen().contains("end4."), "{}", session.screen());
}
