//! Articles that are read because of others: cross-posts, and articles that rules hide.

use std::fs;

use geomys_testing::news::NewsServer;
use geomys_testing::script::{assert_played, listen};

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn cross_posts_and_hidden_articles_are_marked_read() {
    let line = |number: u64, subject: &str, xref: &str| {
        format!(
            "S: {number}\t{subject}\tada@x\t1 Oct 94 10:00:00 EST\t<{number}@x>\t\t9\t5\tXref: h {xref}\n"
        )
    };
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\nS: 211 4 1 4 a\nC: OVER 1-4\nS: 224 x\n\
         {}{}{}{}S: .\nsilence",
        line(1, "one", "a:1 b:11 c:5"),
        line(2, "two", "a:2"),
        line(3, "make money", "a:3 b:13"),
        line(4, "four", "a:4 b:14 b:x"),
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(&file), "a: \nb: 1-10\n").unwrap();
    let rules = "= kill Subject~ ^make\\s+money && Lines: < 9\n";
    fs::write(profile.path().join("score.txt"), rules).unwrap();
    let mut session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a"))
        .start();
    session.wait("3 of 3 unread").await;
    session.press("m");
    session.wait("Article marked read").await;
    let path = session.path().join(&file);
    let is_written = |words: &'static str| {
        let path = path.clone();
        move |_: &str| fs::read_to_string(&path).is_ok_and(|read| read == words)
    };
    session
        .wait_until("the marks", is_written("a: 3-4\nb: 1-10,13-14\n"))
        .await;
    session.press("C");
    session.wait("Mark all articles of a read").await;
    session.press("y");
    session.wait("All articles of a marked read").await;
    session
        .wait_until("the marks", is_written("a: 1-4\nb: 1-11,13-14\n"))
        .await;
    let profile = std::mem::replace(&mut session.profile, tempfile::tempdir().unwrap());
    session.press("q");
    session.end().await;
    drop(profile);
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn group_marked_read_in_a_list_marks_the_cross_posts_of_its_unread_articles() {
    let line = |number: u64, xref: &str| {
        format!(
            "S: {number}\tx\tada@x\t1 Oct 94 10:00:00 EST\t<{number}@x>\t\t9\t5\tXref: h {xref}\n"
        )
    };
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: DATE\nS: 500 what\nC: LIST ACTIVE\nS: 215 x\n\
         S: a 4 1 y\nS: b 20 1 y\nS: .\nC: LIST NEWSGROUPS\nS: 503 none\n\
         C: GROUP a\nS: 211 4 1 4 a\nC: OVER 2-4\nS: 224 x\n{}{}{}S: .\nsilence",
        line(2, "a:2 b:12 c:5"),
        // This article is not in the group, whatever the server says.
        line(9, "a:9 b:19"),
        line(4, "a:4 b:14"),
    );
    let (address, playing) = listen(&[&script]).await;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(&file), "a: 1\nb: 1-10\n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/"))
        .start();
    session.wait("3 of 4 unread").await;
    session.press("C");
    session.wait("Mark all articles of a read").await;
    session.press("y");
    let path = session.path().join(&file);
    let is_written = move |_: &str| {
        fs::read_to_string(&path).is_ok_and(|read| read == "a: 1-4\nb: 1-10,12,14\n")
    };
    session.wait_until("the marks", is_written).await;
    session.wait("8 of 20 unread").await;
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn thread_marked_read_marks_the_cross_posts_of_its_articles() {
    let article = |number: usize, subject: &str, references: &str| {
        format!(
            "From: Ada <ada@x>\nSubject: {subject}\nDate: Thu, 19 Nov 2026 12:0{number}:00 +0000\n\
             Message-ID: <{number}@x>\nReferences: {references}\nXref: h a:{number} b:1{number}\n\nText.\n"
        )
    };
    let articles = vec![
        article(1, "corn", ""),
        article(2, "Re: corn", "<1@x>"),
        article(3, "beans", ""),
    ];
    let server = NewsServer::start(vec![("a", articles)]).await;
    let address = server.address;
    let profile = tempfile::tempdir().unwrap();
    fs::create_dir(profile.path().join("newsrc")).unwrap();
    let file = format!("newsrc/{}_{}", address.ip(), address.port());
    fs::write(profile.path().join(&file), "a: \nb: 1-10\n").unwrap();
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a"))
        .start();
    session.wait("3 of 3 unread").await;
    session.press("g g");
    session.press("/");
    session.type_in("corn");
    session.press("Enter");
    session.wait("▌● Ada                 corn").await;
    session.press("M");
    session.wait("Thread marked read").await;
    let path = session.path().join(&file);
    let is_written =
        move |_: &str| fs::read_to_string(&path).is_ok_and(|read| read == "a: 1-2\nb: 1-12\n");
    session.wait_until("the marks", is_written).await;
    session.press("q");
    session.end().await;
}
