//! Mailboxes are read as groups are: their messages have marks, which are stored by Message-ID.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::screen::{Browser, Session};

fn message(number: usize) -> String {
    format!(
        "From ada@x.example Mon Mar  7 10:00:00 1994\nFrom: Ada {number} <a{number}@x.example>\n\
         Date: Mon, {number:02} Mar 1994 10:00:00 +0000\nMessage-ID: <{number}@x.example>\n\
         Xref: server a.b:{number}\nSubject: Tunnel {number}\n\nText of {number}.\n\n"
    )
}

fn mailbox(numbers: &[usize]) -> String {
    numbers.iter().map(|number| message(*number)).collect()
}

fn start(profile: tempfile::TempDir, file: &Path) -> Session {
    Browser::in_profile(profile)
        .open(format!("file://{}", file.display()))
        .size((100, 24))
        .start()
}

#[tokio::test(flavor = "multi_thread")]
async fn message_of_a_packed_mailbox_opens_by_its_number_and_by_its_message_id() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("talk.mbox.gz");
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed
        .write_all(mailbox(&[1, 2, 3, 4, 5]).as_bytes())
        .unwrap();
    fs::write(&file, packed.finish().unwrap()).unwrap();
    let session = start(tempfile::tempdir().unwrap(), &file);
    session.wait("● Ada 5").await;
    for (typed, words) in [
        ("2", "Text of 2."),
        ("<4@x.example>", "Text of 4."),
        ("news:1@x.example", "Text of 1."),
    ] {
        session.press("#");
        session.wait("Article number or Message-ID").await;
        session.type_in(typed);
        session.press("Enter");
        session.wait(words).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_a_mailbox_are_marked_by_their_message_ids() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("talk.mbox");
    fs::write(&file, mailbox(&[1, 2, 3, 4, 5])).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let session = start(profile, &file);
    session.wait("● Ada 5").await;
    session.press(".");
    session.wait("Text of 1.").await;
    session.press(".");
    session.wait("Text of 2.").await;
    session.press("h");
    session.wait("● Ada 3").await;
    session.wait("· Ada 1").await;
    session.wait("· Ada 2").await;
    // A mark of a key, and its undo.
    session.press("g g m");
    session.wait("· Ada 5").await;
    session.press("z");
    session.wait("● Ada 5").await;
    session.press("q");
    let profile = session.end().await.profile;
    let marks = fs::read_to_string(profile.path().join("newsrc/messages")).unwrap();
    assert_eq!(marks.lines().count(), 2, "{marks}");

    // The same messages in another order and another file, one of them new.
    let other = directory.path().join("sorted.mbox");
    fs::write(&other, mailbox(&[6, 5, 1, 2])).unwrap();
    let session = start(profile, &other);
    session.wait("● Ada 6").await;
    session.wait("· Ada 1").await;
    session.wait("· Ada 2").await;
    session.wait("● Ada 5").await;
    session.press("C");
    session.wait("Mark all articles").await;
    session.press("y");
    session.wait("· Ada 5").await;
    session.press(".");
    session
        .wait("No unread articles, entries or kept pages")
        .await;
    session.press("*");
    session.wait("No group of a news server here").await;
    session.press("q");
    let profile = session.end().await.profile;

    // A private tab knows the marks and leaves none.
    fs::write(&file, mailbox(&[6, 7, 8])).unwrap();
    let before = fs::read_to_string(profile.path().join("newsrc/messages")).unwrap();
    let session = Browser::in_profile(profile).size((100, 24)).start();
    session.run_command("private-tab").await;
    session.press("o");
    session.type_in(&format!("file://{}", file.display()));
    session.press("Enter");
    session.wait("● Ada 8").await;
    session.wait("· Ada 6").await;
    session.press(".");
    session.wait("Text of 7.").await;
    session.press("h");
    session.wait("· Ada 7").await;
    session.press("q");
    let profile = session.end().await.profile;
    let after = fs::read_to_string(profile.path().join("newsrc/messages")).unwrap();
    assert_eq!(after, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn message_without_a_message_id_stays_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("old.mbox");
    let message =
        |number: usize| message(number).replace(&format!("Message-ID: <{number}@x.example>\n"), "");
    fs::write(&file, [1, 2, 3].map(message).concat()).unwrap();
    let session = start(tempfile::tempdir().unwrap(), &file);
    session.wait("● Ada 3").await;
    session.press(".");
    session.wait("Text of 1.").await;
    session.press("h");
    session.wait("· Ada 1").await;
    session.press("q");
    let profile = session.end().await.profile;
    fs::write(&file, [3, 1, 2].map(message).concat()).unwrap();
    let session = start(profile, &file);
    session.wait("· Ada 1").await;
    session.wait("● Ada 3").await;
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mail_that_another_program_has_shown_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let maildir = directory.path().join("Maildir");
    let mail = |number: usize| {
        let text = message(number);
        text.split_once('\n').unwrap().1.to_owned()
    };
    let names = [
        (1, "cur/1.a.h:2,RS"),
        (2, "cur/2.a.h:2,S"),
        (3, "cur/3.a.h:2,F"),
        (4, "new/4.a.h"),
    ];
    for name in ["cur", "new", "tmp"] {
        fs::create_dir_all(maildir.join(name)).unwrap();
    }
    for (number, name) in names {
        fs::write(maildir.join(name), mail(number)).unwrap();
    }
    let session = start(tempfile::tempdir().unwrap(), &maildir);
    session.wait("● Ada 4").await;
    session.wait("● Ada 3").await;
    session.wait("· Ada 2").await;
    session.wait("· Ada 1").await;
    session.wait("2 of 4 unread").await;
    // A key makes it unread again, and that is kept.
    session.press("G m");
    session.wait("● Ada 1").await;
    session.press("q");
    let profile = session.end().await.profile;
    let session = start(profile, &maildir);
    session.wait("● Ada 1").await;
    session.wait("· Ada 2").await;
    session.press("G m");
    session.wait("· Ada 1").await;
    session.press("q");
    session.end().await;
    for (_, name) in names {
        assert!(maildir.join(name).is_file(), "{name} was renamed");
    }
}
