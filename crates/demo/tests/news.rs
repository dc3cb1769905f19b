//! RFC 3977.

use geomys_demo::{Demo, world};

use super::demo;
use super::wire::Client;

const MENUS: &str = "underloam.infosystems.gopher";

async fn reader(demo: &Demo) -> Client {
    let mut client = Client::connect(demo.addresses.news).await;
    assert!(client.text().await.starts_with("200 "));
    client
}

async fn lines(client: &mut Client) -> Vec<String> {
    client
        .block()
        .await
        .into_iter()
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .collect()
}

#[tokio::test]
async fn groups_are_listed_with_their_numbers() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    assert!(client.ask("CAPABILITIES").await.starts_with("101 "));
    let capabilities = lines(&mut client).await;
    for announced in ["READER", "POST"] {
        assert!(capabilities.iter().any(|line| line == announced));
    }
    assert!(client.ask("LIST").await.starts_with("215 "));
    let active = lines(&mut client).await;
    assert_eq!(active[0], "geomys.demo.announce 11 1 m");
    assert!(active.contains(&format!("{} 100000 1 n", world::BIG_GROUP)));
    assert!(
        client
            .ask("LIST ACTIVE underloam.*,!*.gopher")
            .await
            .starts_with("215 ")
    );
    assert_eq!(lines(&mut client).await, ["underloam.talk.weather 27 17 y"]);
    assert!(
        client
            .ask("LIST COUNTS geomys.demo.empty")
            .await
            .starts_with("215 ")
    );
    assert_eq!(lines(&mut client).await, ["geomys.demo.empty 0 1 0 y"]);
    assert_eq!(
        client.ask(&format!("GROUP {MENUS}")).await,
        format!("211 19 401 420 {MENUS}")
    );
}

#[tokio::test]
async fn overview_has_references_for_threads() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    client.ask(&format!("GROUP {MENUS}")).await;
    assert!(client.ask("OVER 401-406").await.starts_with("224 "));
    let rows = lines(&mut client).await;
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.split('\t').collect()).collect();
    assert_eq!(
        rows.iter().map(|row| row[0]).collect::<Vec<_>>(),
        ["401", "402", "403", "405", "406"]
    );
    assert!(rows.iter().all(|row| row.len() == 9));
    assert_eq!(rows[3][1], "Re: Is a selector a path?");
    assert_eq!(rows[3][4], "<gph-4@underloam.example>");
    assert_eq!(
        rows[3][5],
        "<gph-1@underloam.example> <gph-2@underloam.example> <gph-3@underloam.example>"
    );
    assert_eq!(
        rows[3][8],
        format!("Xref: news.underloam.example {MENUS}:405")
    );
    assert!(
        client
            .ask("XHDR Message-ID 401-402")
            .await
            .starts_with("221 ")
    );
    assert_eq!(
        lines(&mut client).await,
        [
            "401 <gph-1@underloam.example>",
            "402 <gph-2@underloam.example>"
        ]
    );
}

#[tokio::test]
async fn article_sizes_and_references_match_the_overview() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    let mut count = 0;
    for group in [world::FIRST_GROUP, MENUS, "underloam.talk.weather"] {
        client.ask(&format!("GROUP {group}")).await;
        assert!(client.ask("OVER 1-").await.starts_with("224 "));
        for row in client.block().await {
            let fields: Vec<&[u8]> = row.split(|&octet| octet == b'\t').collect();
            let number = String::from_utf8_lossy(fields[0]).into_owned();
            assert!(
                client
                    .ask(&format!("ARTICLE {number}"))
                    .await
                    .starts_with(&format!("220 {number} <"))
            );
            let article = client.block().await;
            let body = article
                .iter()
                .position(Vec::is_empty)
                .map_or(0, |at| article.len() - at - 1);
            assert_eq!(
                String::from_utf8_lossy(fields[7]),
                body.to_string(),
                "lines of {group} {number}"
            );
            assert!(article.iter().all(|line| line.len() < 999));
            assert!(!article.concat().windows(8).any(|part| part == b"{gopher}"));
            for parent in String::from_utf8_lossy(fields[5])
                .split(' ')
                .filter(|id| id.contains("underloam"))
            {
                assert!(
                    client
                        .ask(&format!("STAT {parent}"))
                        .await
                        .starts_with("223 0 "),
                    "{parent}"
                );
            }
            count += 1;
        }
    }
    assert_eq!(count, 39);
}

#[tokio::test]
async fn article_body_keeps_dots_and_octets() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    assert_eq!(
        client.ask("BODY <announce-10@underloam.example>").await,
        "222 0 <announce-10@underloam.example>"
    );
    let body = client.block().await;
    let at = body
        .iter()
        .position(|line| line.starts_with(b".A line"))
        .expect("the dotted line");
    assert_eq!(body[at + 1], b"..And one that begins with two.");
    assert_eq!(body[at + 2], b".");
    client.ask("HEAD <gph-10@underloam.example>").await;
    assert!(
        client
            .block()
            .await
            .contains(&b"Subject: Une carte de caf\xe9".to_vec()),
        "Latin-1 stays Latin-1"
    );
    client.ask("ARTICLE <announce-1@underloam.example>").await;
    let article = lines(&mut client).await;
    assert!(article.contains(&format!(
        "The archive is at <URL:ftp://{}/>.",
        demo.addresses.ftp
    )));
    assert!(article.contains(&"Xref: news.underloam.example geomys.demo.announce:1".to_owned()));
}

#[tokio::test]
async fn refused_commands_have_their_codes() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    for (command, code) in [
        ("ARTICLE 1", "412"),
        ("NEXT", "412"),
        ("OVER 1-2", "412"),
        ("LISTGROUP", "412"),
        ("GROUP no.such.group", "411"),
        ("GROUP geomys.demo.empty", "211"),
        ("STAT", "420"),
        ("NEXT", "420"),
        ("OVER 1-5", "423"),
        ("GROUP geomys.demo.announce", "211"),
        ("LAST", "422"),
        ("STAT 4", "423"),
        ("STAT 11", "223"),
        ("NEXT", "421"),
        ("LAST", "223 10 "),
        ("ARTICLE <nothing@nowhere.example>", "430"),
        ("ARTICLE one", "501"),
        ("GROUP", "501"),
        ("LIST EVERYTHING", "501"),
        ("IHAVE <x@y>", "500"),
        ("MODE READER", "200"),
        ("DATE", "111 20261120120000"),
        ("QUIT", "205"),
    ] {
        let answer = client.ask(command).await;
        assert!(answer.starts_with(code), "{command}: {answer}");
    }
    let mut rude = reader(&demo).await;
    rude.send(vec![b'a'; 20_000]).await;
    assert!(rude.text().await.starts_with("501 "));
}

#[tokio::test]
async fn private_group_requires_login() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    let group = format!("GROUP {}", world::PRIVATE_GROUP);
    assert!(client.ask(&group).await.starts_with("480 "));
    assert!(
        client
            .ask("AUTHINFO PASS lovelace")
            .await
            .starts_with("482 ")
    );
    assert!(client.ask("AUTHINFO USER ada").await.starts_with("381 "));
    assert!(client.ask("AUTHINFO PASS byron").await.starts_with("481 "));
    assert!(client.ask("AUTHINFO USER ada").await.starts_with("381 "));
    assert!(
        client
            .ask("AUTHINFO PASS lovelace")
            .await
            .starts_with("281 ")
    );
    assert!(client.ask(&group).await.starts_with("211 2 1 2 "));
}

#[tokio::test]
async fn big_group_is_generated() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    client.ask(&format!("GROUP {}", world::BIG_GROUP)).await;
    assert!(client.ask("OVER 99001-").await.starts_with("224 "));
    let rows = lines(&mut client).await;
    assert_eq!(rows.len(), 1000);
    assert!(rows[999].starts_with("100000\tRe: Potatoes, "));
    assert!(
        client
            .ask("STAT <big.77@underloam.example>")
            .await
            .starts_with("223 0 ")
    );
}

#[tokio::test]
async fn generated_group_overview_matches_its_articles() {
    let demo = demo().await;
    let mut client = reader(&demo).await;
    let group = "geomys.demo.big.100000";
    assert!(
        client
            .ask(&format!("GROUP {group}"))
            .await
            .starts_with("211 100000 1 100000 ")
    );
    assert!(client.ask("OVER 99901-").await.starts_with("224 "));
    let rows = lines(&mut client).await;
    assert_eq!(rows.len(), 100);
    let octets: usize = rows.iter().map(String::len).sum();
    assert!((200..300).contains(&(octets / rows.len())), "{octets}");
    let answer = rows.iter().find(|row| row.contains("\tRe: ")).unwrap();
    let fields: Vec<&str> = answer.split('\t').collect();
    assert!(
        client
            .ask(&format!("HEAD {}", fields[4]))
            .await
            .starts_with("221 0 ")
    );
    let head = lines(&mut client).await;
    for (name, value) in ["Subject", "From", "Date", "Message-ID", "References"]
        .into_iter()
        .zip(&fields[1..])
    {
        let line = format!("{name}: {value}");
        assert!(head.contains(&line), "{line} is not in {head:?}");
    }
    assert!(
        client
            .ask(&format!("STAT {}", fields[5].split(' ').next().unwrap()))
            .await
            .starts_with("223 0 ")
    );
    // It is in no list, so that the town stays as small as it is.
    assert!(
        client
            .ask("LIST ACTIVE geomys.demo.big.*")
            .await
            .starts_with("215 ")
    );
    assert_eq!(lines(&mut client).await, [] as [String; 0]);
}

#[tokio::test]
async fn crowded_server_lists_all_groups() {
    let demo = Demo::crowded(1234).await.unwrap();
    let mut client = reader(&demo).await;
    for (command, count) in [
        ("LIST ACTIVE", 1240),
        ("LIST COUNTS crowd.*", 1234),
        ("LIST NEWSGROUPS *.chamber77", 1),
        ("NEWGROUPS 20261120 120000 GMT", 0),
    ] {
        let reply = client.ask(command).await;
        assert!(reply.starts_with('2'), "{command}: {reply}");
        assert_eq!(lines(&mut client).await.len(), count, "{command}");
    }
    // The town itself is as small as ever.
    let town = self::demo().await;
    let mut client = reader(&town).await;
    client.ask("LIST ACTIVE").await;
    assert_eq!(lines(&mut client).await.len(), 6);
}
