//! Threads on the screen.

use std::fmt::Write as _;

use geomys_testing::news::NewsServer;
use geomys_testing::script::{assert_played, listen};

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn deep_reply_states_its_depth_in_a_narrow_pane() {
    let mut references = String::new();
    let articles = (0..14).map(|depth| {
        let article = format!(
            "Subject: subject-{depth}\nFrom: a@x\nDate: 1 Oct 1994 10:00:00 +0000\nMessage-ID: <{depth}@x>\nReferences: {}\n\nx\n",
            references.trim()
        );
        write!(references, " <{depth}@x>").unwrap();
        article
    });
    let server = NewsServer::start(vec![("a", articles.collect())]).await;
    let session = Browser::new()
        .size((44, 24))
        .open(format!("nntp://{}/a", server.address))
        .start();
    session.wait("13 └ subject-13").await;
    let screen = session.screen();
    // Each reply stands deeper than its parent, or says how deep it is.
    let row = |depth: usize| {
        let name = format!("subject-{depth}");
        let row = screen
            .lines()
            .find(|row| row.split_whitespace().last() == Some(&name));
        row.unwrap_or_else(|| panic!("{depth}: {screen}"))
    };
    let indent = |depth: usize| row(depth).split("subject").next().unwrap().chars().count();
    for depth in 1..13 {
        let is_stated = row(depth).contains(&format!(" {depth} └ "));
        assert!(is_stated || indent(depth) > indent(depth - 1), "{screen}");
    }
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reply_in_encoded_words_joins_the_thread_of_a_raw_subject() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n\
        C: GROUP a\nS: 211 3 1 3 a\nC: OVER 1-3\nS: 224 x\n\
        S| 1\\tGr\\xfc\\xdfe aus K\\xf6ln\\tada@x\\t1 Oct 94 10:00:00 EST\\t<1@x>\\t\\t9\\t5\\r\\n\n\
        S: 2\tother\tada@x\t2 Oct 94 10:00:00 EST\t<2@x>\t\t9\t5\n\
        S: 3\t=?utf-8?q?Re=3A_Gr=C3=BC=C3=9Fe_aus__K=C3=B6ln?=\tbo@x\t3 Oct 94 10:00:00 EST\t<3@x>\t<90@x>\t9\t5\n\
        S: .\nsilence";
    let (address, playing) = listen(&[script]).await;
    let session = Browser::new().open(format!("nntp://{address}/a")).start();
    session.wait("└ Re: Grüße aus").await;
    let screen = session.screen();
    let at = |words: &str| screen.lines().position(|row| row.contains(words));
    let reply = at("└ Re: Grüße").unwrap();
    assert_eq!(at("  Grüße aus Köln"), Some(reply - 1), "{screen}");
    assert!(at("other").unwrap() > reply, "{screen}");
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thread_is_saved_as_a_mailbox() {
    let article = |number: usize, subject: &str, references: &str| {
        format!(
            "Subject: {subject}\nFrom: a@x\nDate: {number} Oct 1994 10:00:00 +0000\nMessage-ID: <{number}@x>\nReferences: {references}\n\nFrom {number}.\n"
        )
    };
    let articles = vec![
        article(1, "Burrows", ""),
        article(2, "other", ""),
        article(3, "Re: Burrows", "<1@x>"),
    ];
    let server = NewsServer::start(vec![("a", articles)]).await;
    let session = Browser::new()
        .settings("downloads = \"~/\"\n")
        .size((100, 24))
        .open(format!("nntp://{}/a", server.address))
        .start();
    session.wait("Re: Burrows").await;
    session.press("g m");
    session.wait("2 articles").await;
    session.wait("aved ").await;
    let saved = std::fs::read_to_string(session.path().join("Burrows.mbox")).unwrap();
    assert_eq!(saved.matches("From geomys ").count(), 2, "{saved}");
    assert!(saved.contains("\n>From 1.\n") && saved.contains("\n>From 3.\n"));
    assert!(!saved.contains("Subject: other"));
    session.press("q");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn article_opens_by_its_number_or_its_message_id() {
    let articles = (1..=3).map(|number| {
        format!("From: Ada <ada@x>\nSubject: s\nMessage-ID: <{number}@x>\n\nText {number}.\n")
    });
    let server = NewsServer::start(vec![("a", articles.collect())]).await;
    let session = Browser::new()
        .news(server.address)
        .open(format!("nntp://{}/a", server.address))
        .start();
    session.wait("3 of 3 unread").await;
    for (typed, words) in [
        ("2", "Text 2."),
        ("<3@x>", "Text 3."),
        ("news:1@x", "Text 1."),
    ] {
        session.press("#");
        session.wait("Article number or Message-ID").await;
        session.type_in(typed);
        session.press("Enter");
        session.wait(words).await;
    }
    session.press("#");
    session.wait("Article number or Message-ID").await;
    session.type_in("words");
    session.press("Enter");
    session
        .wait_in_prompt("neither a number nor a Message-ID")
        .await;
}
