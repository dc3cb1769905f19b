//! Commands that depend on no reply go in one window.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use geomys_load::{OverviewGoal, OverviewQuery, Question, ReadArticles, Reason, Request, Stop};
use geomys_page::document::ArticleNumbers;
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::{Limits, Net, Quirk};
use rfc1738::Dialect;

use super::{Loaded, load, request};

/// The request for all groups of a server.
fn all_groups(address: SocketAddr) -> Request {
    let url = Dialect::Extended.parse(&format!("news://{address}/*"));
    Request::show(url.unwrap(), Reason::Typed)
}

#[tokio::test]
async fn first_list_is_requested_in_one_window() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: LIST COUNTS\nS: .\n\
        C: DATE\nC: LIST COUNTS\nC: LIST NEWSGROUPS\n\
        S: 111 20261129090000\nS: 215 x\nS: a.b 9 1 9 y\nS: .\nS: 215 x\nS: a.b\tWords\nS: .\nsilence";
    let (address, playing) = listen(&[script]).await;
    let net = Net::default();
    let loaded = load(&net, all_groups(address)).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(loaded.lines(), ["a.b 9 1 9 y", ".", "a.b\tWords"]);
    assert!(loaded.begin.unwrap().list_date.is_some());
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn window_is_repeated_behind_a_login() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: .\n\
        C: DATE\nC: LIST ACTIVE\nC: LIST NEWSGROUPS\nS: 111 20261129090000\nS: 480 who\nS: 480 who\nsilence";
    let (address, playing) = listen(&[script]).await;
    let net = Net::default();
    let loaded = load(&net, all_groups(address)).await;
    assert!(matches!(
        loaded.end,
        Err(Stop::Needs(Question::Login { .. }))
    ));
    drop(net);
    assert_played(playing).await;
}

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

/// The reply with an article.
fn sent(number: u64) -> String {
    format!("S: 220 {number} <{number}@x>\nS: Subject: s{number}\nS: .\n")
}

/// Loads an article of the group `a`; these follow it.
async fn article(net: &Net, address: SocketAddr, number: u64, next: &[u64]) -> Loaded {
    let mut request = request(&format!("nntp://{address}/a/{number}"));
    request.news_query.next_articles = next.to_vec();
    load(net, request).await
}

#[tokio::test]
async fn articles_that_follow_are_sent_for_in_one_window() {
    let script = format!(
        "{HELLO}C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nC: ARTICLE 3\n\
         S: 211 5 1 5 a\n{}S: 423 gone\n{}silence",
        sent(5),
        sent(3)
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = article(&net, address, 5, &[4, 3]).await;
    assert_eq!(loaded.lines(), ["Subject: s5"]);
    // A missing article is the answer to its own command alone.
    let missing = article(&net, address, 4, &[3]).await;
    assert_eq!(missing.failure().1, ["423 gone"]);
    let loaded = article(&net, address, 3, &[]).await;
    assert_eq!(loaded.lines(), ["Subject: s3"]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn articles_that_nobody_wants_any_more_are_read_to_their_end() {
    let script = format!(
        "{HELLO}C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nC: ARTICLE 3\n\
         S: 211 5 1 5 a\n{}{}{}C: GROUP b\nS: 411 none\nsilence",
        sent(5),
        sent(4),
        sent(3)
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = article(&net, address, 5, &[4, 3]).await;
    assert_eq!(loaded.lines(), ["Subject: s5"]);
    let other = load(&net, request(&format!("nntp://{address}/b"))).await;
    assert_eq!(other.failure().1, ["411 none"]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn server_that_loses_windows_is_asked_one_by_one() {
    let window = format!(
        "{HELLO}C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nC: ARTICLE 3\nS: 211 5 1 5 a\n{}",
        sent(5)
    );
    let alone = format!(
        "{HELLO}C: GROUP a\nS: 211 5 1 5 a\nC: ARTICLE 4\n{}C: ARTICLE 3\n{}silence",
        sent(4),
        sent(3)
    );
    // It answers another command, with a reply to none, or not at all: then the wait is shorter than for a first reply.
    for lost in [sent(3), "S: 281 welcome\n".to_owned(), String::new()] {
        let first = format!("{window}{lost}silence");
        let (address, playing) = listen(&[&first, &alone]).await;
        let net = Net::new(impatient());
        let loaded = article(&net, address, 5, &[4, 3]).await;
        assert_eq!(loaded.lines(), ["Subject: s5"]);
        for (number, next) in [(4, &[3][..]), (3, &[])] {
            let loaded = article(&net, address, number, next).await;
            assert_eq!(loaded.lines(), [format!("Subject: s{number}")]);
        }
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn server_that_answers_no_window_is_asked_one_by_one_at_the_next_load() {
    let window = format!("{HELLO}C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nsilence");
    let alone = format!(
        "{HELLO}C: GROUP a\nS: 211 5 1 5 a\nC: ARTICLE 5\n{}C: ARTICLE 4\n{}silence",
        sent(5),
        sent(4)
    );
    let (address, playing) = listen(&[&window, &alone]).await;
    let net = Net::new(Limits {
        idle: Duration::from_secs(2),
        ..Limits::default()
    });
    let silent = article(&net, address, 5, &[4]).await;
    assert!(silent.end.is_err(), "{silent:?}");
    for (number, next) in [(5, &[4][..]), (4, &[])] {
        let loaded = article(&net, address, number, next).await;
        assert_eq!(loaded.lines(), [format!("Subject: s{number}")]);
    }
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn windows_are_tried_again_some_requests_after_a_silence() {
    let slow = format!(
        "{HELLO}C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nS: 211 5 1 5 a\n{}silence",
        sent(5)
    );
    // The next 32 requests are single commands: that for article 4 is the first of them.
    let single = format!("C: ARTICLE 2\n{}", sent(2)).repeat(31);
    let alone = format!(
        "{HELLO}C: GROUP a\nS: 211 5 1 5 a\nC: ARTICLE 4\n{}{single}\
         C: GROUP a\nC: ARTICLE 2\nC: ARTICLE 1\nS: 211 5 1 5 a\n{}{}silence",
        sent(4),
        sent(2),
        sent(1)
    );
    let (address, playing) = listen(&[&slow, &alone]).await;
    let net = Net::new(impatient());
    for (number, next) in [(5, &[4][..]), (4, &[])] {
        let loaded = article(&net, address, number, next).await;
        assert_eq!(loaded.lines(), [format!("Subject: s{number}")]);
    }
    for _ in 0..32 {
        let loaded = article(&net, address, 2, &[1]).await;
        assert_eq!(loaded.lines(), ["Subject: s2"]);
    }
    let loaded = article(&net, address, 1, &[]).await;
    assert_eq!(loaded.lines(), ["Subject: s1"]);
    drop(net);
    assert_played(playing).await;
}

/// Limits with which only a lost window is noticed before the other end of a test gives up.
fn impatient() -> Limits {
    Limits {
        idle: Duration::from_hours(1),
        silence: Duration::from_millis(300),
        ..Limits::default()
    }
}

#[tokio::test]
async fn list_of_a_server_that_loses_windows_is_asked_for_again() {
    let alone = format!(
        "{HELLO}C: DATE\nS: 500 what\nC: LIST ACTIVE\nS: 215 x\nS: a 1 1 y\nS: .\n\
         C: LIST NEWSGROUPS\nS: 503 none\nsilence"
    );
    // It is out of step, or silent.
    for lost in ["S: 211 1 1 1 a\n", ""] {
        let first = format!(
            "{HELLO}C: DATE\nC: LIST ACTIVE\nC: LIST NEWSGROUPS\nS: 500 what\n{lost}silence"
        );
        let (address, playing) = listen(&[&first, &alone]).await;
        let net = Net::new(impatient());
        let loaded = load(&net, all_groups(address)).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        assert_eq!(loaded.lines(), ["a 1 1 y", "."]);
        assert!(
            net.quirks()
                .contains(&address.to_string(), Quirk::LosesWindows)
        );
        drop(net);
        assert_played(playing).await;
    }
}

/// Opens the group `a`, of which these articles are known and read.
async fn group(net: &Net, address: SocketAddr, known: &str) -> Loaded {
    let known = Arc::new(ArticleNumbers::parse(known.as_bytes()).unwrap());
    let mut request = request(&format!("nntp://{address}/a"));
    request.news_query.overview = Some(OverviewQuery {
        goal: OverviewGoal::Open,
        read: ReadArticles::Known(Arc::clone(&known)),
        known: Some(known),
        highest: None,
    });
    load(net, request).await
}

#[tokio::test]
async fn group_and_its_new_overview_are_requested_in_one_window() {
    let lost = "S: 411 no such group\nS: 412 no group\nC: GROUP b\nS: 411 none\nsilence";
    for (rest, expected, covered) in [
        (
            "S: 211 103 1 103 a\nS: 224 x\nS: 101\tone\nS: 103\tthree\nS: 104\tlater\nS: .\nC: GROUP b\nS: 411 none\nsilence",
            Some(&["101\tone", "103\tthree"][..]),
            "101-103",
        ),
        (
            "S: 211 100 1 100 a\nS: 423 none\nC: GROUP b\nS: 411 none\nsilence",
            Some(&[]),
            "",
        ),
        // Some servers send articles outside of the range.
        (
            "S: 211 100 1 100 a\nS: 224 x\nS: 100\told\nS: .\nC: GROUP b\nS: 411 none\nsilence",
            Some(&[]),
            "",
        ),
        // The group was numbered again.
        (
            "S: 211 2 1 2 a\nS: 423 none\nC: OVER 1-2\nS: 224 x\nS: 2\tnew\nS: .\nC: GROUP b\nS: 411 none\nsilence",
            Some(&["2\tnew"]),
            "1-2",
        ),
        (lost, None, ""),
    ] {
        let script = format!("{HELLO}C: GROUP a\nC: OVER 101-200\n{rest}");
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let loaded = group(&net, address, "1-100").await;
        match expected {
            Some(lines) => assert_eq!(loaded.lines(), lines, "{rest}: {loaded:?}"),
            None => assert_eq!(loaded.failure().1, ["411 no such group"]),
        }
        assert_eq!(loaded.covered.to_string(), covered, "{rest}");
        // The connection is in step.
        let other = load(&net, request(&format!("nntp://{address}/b"))).await;
        assert_eq!(other.failure().1, ["411 none"]);
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn group_of_a_server_that_loses_windows_is_asked_for_again() {
    let first = format!(
        "{HELLO}C: GROUP a\nC: OVER 101-200\nS: 211 101 1 101 a\nS: 211 101 1 101 a\nsilence"
    );
    let alone = format!(
        "{HELLO}C: GROUP a\nS: 211 101 1 101 a\nC: OVER 101-101\nS: 224 x\nS: 101\tone\nS: .\nsilence"
    );
    let (address, playing) = listen(&[&first, &alone]).await;
    let net = Net::default();
    let loaded = group(&net, address, "1-100").await;
    assert_eq!(loaded.lines(), ["101\tone"], "{loaded:?}");
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn server_that_resets_a_window_is_asked_one_by_one() {
    // It closes with the second command unread, which resets the connection.
    for replied in ["S: 211 101 1 101 a\n", ""] {
        let first = format!("{HELLO}C: GROUP a\n{replied}");
        let alone = format!(
            "{HELLO}C: GROUP a\nS: 211 101 1 101 a\nC: OVER 101-101\nS: 224 x\nS: 101\tone\nS: .\nsilence"
        );
        let (address, playing) = listen(&[&first, &alone]).await;
        let net = Net::default();
        let loaded = group(&net, address, "1-100").await;
        assert_eq!(loaded.lines(), ["101\tone"], "{loaded:?}");
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn commands_lost_behind_the_first_reply_are_sent_again() {
    // The descriptions of groups; the other end closes, or is silent.
    for end in ["", "silence"] {
        let first = format!(
            "{HELLO}C: DATE\nC: LIST ACTIVE\nC: LIST NEWSGROUPS\nS: 500 what\nS: 215 x\nS: a 1 1 y\nS: .\n{end}"
        );
        let rest = format!("{HELLO}C: LIST NEWSGROUPS\nS: 215 x\nS: a\tWords\nS: .\nsilence");
        let (address, playing) = listen(&[&first, &rest]).await;
        let net = Net::new(impatient());
        let loaded = load(&net, all_groups(address)).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        assert_eq!(loaded.lines(), ["a 1 1 y", ".", "a\tWords"]);
        assert!(
            net.quirks()
                .contains(&address.to_string(), Quirk::LosesWindows)
        );
        drop(net);
        assert_played(playing).await;
    }

    // The second list of headers.
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: HDR\nS: .\nC: GROUP a\nS: 211 1 1 1 a\n";
    let no_overview = "C: XOVER 1-1\nS: 500 what\n";
    let names = ["Subject", "From", "Date", "Message-ID", "References"];
    let window = names.map(|name| format!("C: HDR {name} 1-1\n")).concat();
    let answered = names
        .map(|name| format!("C: HDR {name} 1-1\nS: 225 x\nS: 1 {name}\nS: .\n"))
        .concat();
    for end in ["", "silence"] {
        let first = format!("{hello}{no_overview}{window}S: 225 x\nS: 1 one\nS: .\n{end}");
        let rest = format!("{hello}{answered}silence");
        let (address, playing) = listen(&[&first, &rest]).await;
        let net = Net::new(impatient());
        let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        assert_eq!(
            loaded.lines(),
            ["1\tSubject\tFrom\tDate\tMessage-ID\tReferences\t\t"]
        );
        drop(net);
        assert_played(playing).await;
    }

    // The first command of the window is refused, and the others are lost.
    let by_xhdr = names
        .map(|name| format!("C: XHDR {name} 1-1\nS: 221 x\nS: 1 {name}\nS: .\n"))
        .concat();
    let first = format!("{hello}{no_overview}{window}S: 500 what\nsilence");
    let rest = format!("{hello}C: HDR Subject 1-1\nS: 500 what\n{by_xhdr}silence");
    let (address, playing) = listen(&[&first, &rest]).await;
    let net = Net::new(impatient());
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(
        loaded.lines(),
        ["1\tSubject\tFrom\tDate\tMessage-ID\tReferences\t\t"]
    );
    drop(net);
    assert_played(playing).await;

    // A connection that is lost in the middle of a list is no such sign.
    let cut = format!("{hello}{no_overview}{window}S: 225 x\nS: 1 one");
    let (address, playing) = listen(&[&cut]).await;
    let net = Net::default();
    assert!(
        load(&net, request(&format!("nntp://{address}/a")))
            .await
            .end
            .is_err()
    );
    assert!(
        !net.quirks()
            .contains(&address.to_string(), Quirk::LosesWindows)
    );
    assert_played(playing).await;
}

#[tokio::test]
async fn pooled_connection_to_a_server_that_loses_windows_is_sent_none() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 5 1 5 a\nC: ARTICLE 5\n{}C: ARTICLE 4\n{}silence",
        sent(5),
        sent(4)
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    assert!(article(&net, address, 5, &[]).await.end.is_ok());
    net.quirks()
        .insert(&address.to_string(), Quirk::LosesWindows);
    let loaded = article(&net, address, 4, &[3]).await;
    assert_eq!(loaded.lines(), ["Subject: s4"]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn window_selects_its_group_again() {
    // Article 6 is newer than the first selection of the group.
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 5 1 5 a\nC: ARTICLE 5\n{}\
         C: GROUP a\nC: ARTICLE 6\nC: ARTICLE 4\nS: 211 6 1 6 a\n{}{}silence",
        sent(5),
        sent(6),
        sent(4)
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    for (number, next) in [(5, &[][..]), (6, &[4]), (4, &[])] {
        let loaded = article(&net, address, number, next).await;
        assert_eq!(loaded.lines(), [format!("Subject: s{number}")]);
    }
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn refusal_of_one_article_leaves_the_rest_of_its_window() {
    for refusal in ["403 broken", "451 taken down"] {
        let script = format!(
            "{HELLO}C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nS: 211 5 1 5 a\nS: {refusal}\n{}silence",
            sent(4)
        );
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let refused = article(&net, address, 5, &[4]).await;
        assert_eq!(refused.failure().1, [refusal]);
        let loaded = article(&net, address, 4, &[]).await;
        assert_eq!(loaded.lines(), ["Subject: s4"], "{refusal}");
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn command_that_is_too_long_is_not_sent_in_a_window() {
    let (address, playing) = listen(&[&format!("{HELLO}silence")]).await;
    let net = Net::default();
    let name = "a".repeat(600);
    let mut request = request(&format!("nntp://{address}/{name}/5"));
    request.news_query.next_articles = vec![4];
    let loaded = load(&net, request).await;
    assert_eq!(
        loaded.failure().0,
        "not sent: the name of the group is too long for a command"
    );
    drop(net);
    assert_played(playing).await;
}
