//! POST at the demo's news server: posted articles can be read, followed up and cancelled.

use super::demo;
use super::wire::Client;

const GROUP: &str = "underloam.talk.weather";

async fn post(client: &mut Client, article: &str) -> String {
    let reply = client.ask("POST").await;
    let prompt = "340 Write, and end with a dot; recommended ID <post-";
    assert!(reply.starts_with(prompt), "{article}: {reply}");
    client.ask(&format!("{article}\r\n.")).await
}

#[tokio::test]
async fn posted_article_is_read_and_cancelled() {
    let demo = demo().await;
    let mut client = Client::connect(demo.addresses.news).await;
    assert!(client.text().await.starts_with("200 "));
    let head = format!("From: Ada <ada@example.org>\r\nNewsgroups: {GROUP}\r\nSubject: Rain\r\n");
    let answer = post(
        &mut client,
        &format!("{head}\r\nIt rains.\r\n..dots\r\n..."),
    )
    .await;
    assert!(answer.starts_with("240 "), "{answer}");
    // Another client sees it too.
    let mut other = Client::connect(demo.addresses.news).await;
    other.text().await;
    assert_eq!(
        other.ask(&format!("GROUP {GROUP}")).await,
        format!("211 11 17 28 {GROUP}")
    );
    assert_eq!(
        other.ask("ARTICLE 28").await,
        "220 28 <post-1@underloam.example>"
    );
    let article = other.block().await;
    let at = article.iter().position(Vec::is_empty).unwrap();
    assert_eq!(article[at + 1..], [&b"It rains."[..], b".dots", b".."]);
    assert!(article.contains(&b"Date: Fri, 20 Nov 2026 12:01:00 +0000".to_vec()));
    // Only its author can cancel it.
    let cancel = |from: &str| {
        format!(
            "From: {from}\r\nNewsgroups: {GROUP}\r\nSubject: x\r\nControl: cancel <post-1@underloam.example>\r\n\r\nx"
        )
    };
    let answer = post(&mut other, &cancel("Marl <marl@example.org>")).await;
    assert_eq!(
        answer,
        "441 Not taken: only its author can cancel an article"
    );
    assert!(
        other
            .ask("STAT <post-1@underloam.example>")
            .await
            .starts_with("223 ")
    );
    let answer = post(&mut other, &cancel("Ada <ada@example.org>")).await;
    assert!(answer.starts_with("240 "), "{answer}");
    assert!(
        other
            .ask("STAT <post-1@underloam.example>")
            .await
            .starts_with("430 ")
    );
    assert_eq!(
        client.ask(&format!("GROUP {GROUP}")).await,
        format!("211 10 17 28 {GROUP}")
    );
}

#[tokio::test]
async fn invalid_article_is_refused_with_reason() {
    let demo = demo().await;
    let mut client = Client::connect(demo.addresses.news).await;
    client.text().await;
    for (article, why) in [
        (
            "Newsgroups: geomys.demo.empty\r\nSubject: x\r\n\r\nx",
            "From is missing: who are you?",
        ),
        (
            "From: a@b\r\nSubject: x\r\n\r\nx",
            "Newsgroups is missing: where to?",
        ),
        (
            "From: a@b\r\nNewsgroups: no.such\r\nSubject: x\r\n\r\nx",
            "there is no such group here",
        ),
        (
            "From: a@b\r\nNewsgroups: geomys.demo.big\r\nSubject: x\r\n\r\nx",
            "nobody can post to one of its groups",
        ),
        (
            "From: a@b\r\nNewsgroups: geomys.demo.announce\r\nSubject: x\r\n\r\nx",
            "the postmaster approves what stands in one of its groups",
        ),
        (
            "From: a@b\r\nNewsgroups: geomys.demo.empty\r\nSubject: x\r\n\r\n \r\n",
            "the article says nothing",
        ),
        (
            "From: a@b\r\nNewsgroups: geomys.demo.empty\r\nSubject: x\r\nMessage-ID: <gph-1@underloam.example>\r\n\r\nx",
            "an article with that Message-ID is here already",
        ),
    ] {
        assert_eq!(
            post(&mut client, article).await,
            format!("441 Not taken: {why}")
        );
    }
    let long = format!("From: a@b\r\n\r\n{}", "x".repeat(4000) + "\r\n");
    let long = long.clone() + &format!("{}\r\n", "x".repeat(4000)).repeat(70);
    assert_eq!(
        post(&mut client, long.trim_end()).await,
        "441 Not taken: the article is too long"
    );
    assert!(
        client
            .ask("GROUP geomys.demo.empty")
            .await
            .starts_with("211 0 ")
    );
}
