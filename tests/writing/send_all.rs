//! Sending of all stored drafts after one question.

use geomys_demo::Demo;

use super::{ADA, files, session};

/// The text of a draft for the demo.
fn draft(subject: &str, body: &str) -> String {
    format!(
        "From: Ada <ada@example.org>\nNewsgroups: underloam.talk.weather\nSubject: {subject}\n\n{body}\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn all_drafts_are_sent_and_faulty_ones_stay() {
    let demo = Demo::start().await.unwrap();
    let session = session(&demo, "underloam.talk.weather", ADA, "");
    let drafts = session.path().join("drafts");
    std::fs::create_dir(&drafts).unwrap();
    for (name, text) in [
        ("1.eml", draft("Rain again", "It rains.")),
        ("2.eml", draft("", "No subject.")),
        ("3.eml", draft("Snow again", "It snows.")),
    ] {
        std::fs::write(drafts.join(name), text).unwrap();
    }
    session.wait("of 10").await;
    session.press("E");
    session.wait("3 drafts").await;
    session.press("S");
    session.wait("Send all 3 drafts?").await;
    let screen = session.screen();
    assert!(
        screen.contains("Rain again") && screen.contains("Snow again"),
        "{screen}"
    );
    session.press("n");
    session.wait_until_absent("Send all 3 drafts?").await;
    assert_eq!(files(&session, "drafts").len(), 3);
    session.press("E");
    session.wait("3 drafts").await;
    session.press("S");
    session.wait("Send all 3 drafts?").await;
    session.press("y");
    session.wait("1 draft   Enter").await;
    session.press("Esc r");
    session.wait("of 12").await;
    assert_eq!(files(&session, "drafts").len(), 1);
    assert!(drafts.join("2.eml").exists());
}
