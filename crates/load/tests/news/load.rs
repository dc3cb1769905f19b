//! Loads: from scripted servers on loopback, and from the demo.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use geomys_demo::{Demo, world};
use geomys_load::{
    LoadId, Login, NewsQuery, NewsServer, NewsSettings, Part, Phase, ProtocolSettings, Purpose,
    Question, Reason, Request, Sink, Stop,
};
use geomys_page::document::{Document, Kind, Shape};
use geomys_testing::script::{DEADLINE, assert_played, listen};
use geomys_wire::net::{Limits, Net};
use geomys_wire::text::CharsetSetting;
use rfc1738::{Dialect, Url};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Loaded, load, request, rows};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: OVER\nS: .\n";

pub(super) fn page(loaded: &Loaded, url: &str) -> Document {
    let begin = loaded.begin.clone().expect("a beginning");
    let url = begin.url.unwrap_or_else(|| Url::parse(url).unwrap());
    let mut document = Document::new(url, begin.shape, CharsetSetting::default());
    document.append(&loaded.octets);
    document
}

#[tokio::test]
async fn news_url_without_server_is_a_question() {
    let net = Net::default();
    for url in ["news:*", "news:a.b", "news:a@b.example"] {
        let loaded = load(&net, request(url)).await;
        assert!(
            matches!(loaded.end, Err(Stop::Needs(Question::NewsServer))),
            "{url}: {loaded:?}"
        );
        assert!(loaded.phases.is_empty());
    }
}

#[tokio::test]
async fn line_break_in_message_id_is_not_sent() {
    let net = Net::default();
    let mut request = request("news:a%0D%0APOST@b.example");
    // No server listens there: connecting would give another error.
    request.news_query.server = Some(("127.0.0.1".to_owned(), 1).into());
    let loaded = load(&net, request).await;
    assert!(loaded.failure().0.starts_with("not sent"), "{loaded:?}");
    assert!(loaded.phases.is_empty());
}

#[tokio::test]
async fn overview_windows_load_newest_first_and_grow_over_holes() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 4 1 1000 a\nC: OVER 901-1000\nS: 224 x\nS: 950\told\nS: odd line\nS: 1000\tnew\nS: .\n\
         C: OVER 701-900\nS: 423 none\nC: OVER 301-700\nS: 224 x\nS: .\nC: OVER 1-300\nS: 420 none\nC: GROUP b\nS: 411 none\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(loaded.lines(), ["950\told", "odd line", "1000\tnew"]);
    let shown: Vec<_> = rows(&page(&loaded, "news:a"))
        .iter()
        .map(geomys_page::document::Row::text)
        .collect();
    assert_eq!(shown, ["new", "old", "odd line"]);
    assert_eq!(loaded.covered.to_string(), "1-1000");
    assert_eq!(
        loaded.phases,
        [Phase::Connecting, Phase::Negotiating, Phase::Waiting]
    );
    // The next load goes over the same connection.
    let loaded = load(&net, request(&format!("nntp://{address}/b"))).await;
    let (sentence, said) = loaded.failure();
    assert_eq!(sentence, format!("{address} has no group b"));
    assert_eq!(said, ["411 none"]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn dead_pooled_connection_reconnects_silently() {
    for goodbye in [
        "",
        "C: GROUP b\nS: 400 idle",
        "C: GROUP b\nS: 503 time out",
        "C: GROUP b\nS: 205 bye",
        "S: 400 too late",
    ] {
        let first = format!("{HELLO}C: GROUP a\nS: 211 0 0 0\n{goodbye}");
        let second = format!("{HELLO}C: GROUP b\nS: 211 0 1 0 b\nsilence");
        let (address, playing) = listen(&[&first, &second]).await;
        let net = Net::default();
        let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
        assert!(loaded.end.is_ok(), "{goodbye}: {loaded:?}");
        let loaded = load(&net, request(&format!("nntp://{address}/b"))).await;
        assert!(loaded.end.is_ok(), "{goodbye}: {loaded:?}");
        assert_eq!(page(&loaded, "news:b").count(), 0);
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn old_server_is_retried_without_capabilities() {
    let second = "S: 200 hi\nC: MODE READER\nS: 500 what\nC: GROUP a\nS: 211 1 5 5 a\nC: XOVER 5-5\nS: 224 x\nS: 5\tx\nS: .\nsilence";
    let (address, playing) = listen(&["S: 200 hi\nC: CAPABILITIES", second]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(loaded.lines(), ["5\tx"]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn fault_keeps_received_rows_and_drops_the_connection() {
    let script =
        format!("{HELLO}C: GROUP a\nS: 211 2 1 2 a\nC: OVER 1-2\nS: 224 x\nS: 1\told\nS| 2\tne");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert_eq!(loaded.lines(), ["1\told", "2\tne"]);
    let shown: Vec<_> = rows(&page(&loaded, "news:a"))
        .iter()
        .map(geomys_page::document::Row::text)
        .collect();
    assert_eq!(shown, ["ne", "old"]);
    assert!(loaded.covered.is_empty(), "{loaded:?}");
    assert_eq!(
        loaded.failure().0,
        format!("{address} closed the connection in the middle of the reply")
    );
    assert_played(playing).await;
}

#[tokio::test]
async fn silent_server_times_out() {
    let (address, playing) = listen(&["silence"]).await;
    let net = Net::new(Limits {
        idle: Duration::from_millis(200),
        ..Limits::default()
    });
    let loaded = load(&net, request(&format!("nntp://{address}/a/1"))).await;
    assert!(loaded.failure().0.contains("sent nothing"), "{loaded:?}");
    assert_played(playing).await;
}

#[tokio::test]
async fn unlimited_article_is_truncated_and_readable() {
    let script = format!(
        "{HELLO}C: ARTICLE <a@b.example>\nS: 220 0\nS: Subject: x\nS: \nS| {}\nsilence",
        "y".repeat(300_000)
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::new(Limits {
        page: 100_000,
        ..Limits::default()
    });
    let mut request = request("news:a@b.example");
    request.news_query.server = Some((address.ip().to_string(), address.port()).into());
    let loaded = load(&net, request).await;
    assert!(
        matches!(loaded.end, Err(Stop::Truncated(100_000))),
        "{:?}",
        loaded.end
    );
    assert_eq!(loaded.octets.len(), 100_000);
    assert!(loaded.octets.starts_with(b"Subject: x\r\n\r\nyyy"));
    assert_played(playing).await;
}

#[tokio::test]
async fn group_list_loads_without_descriptions() {
    let script = format!(
        "{HELLO}C: DATE\nS: 500 what\nC: LIST ACTIVE\nS: 215 x\nS: a.b 9 1 y\nS: .\nC: LIST NEWSGROUPS\nS: 503 none\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let mut request = request("news:*");
    request.news_query.server = Some((address.ip().to_string(), address.port()).into());
    let loaded = load(&net, request).await;
    assert!(loaded.end.is_ok());
    let page = page(&loaded, "news:*");
    assert_eq!(page.count(), 1);
    assert_eq!(page.row(0).unwrap().aside.unwrap().as_str(), "9");
    drop(net);
    assert_played(playing).await;
}

async fn demo() -> (Demo, Net) {
    (Demo::start().await.unwrap(), Net::default())
}

fn at(demo: &Demo, url: &str) -> Request {
    let address = demo.addresses.news;
    Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            ..NewsQuery::default()
        },
        ..request(&url.replace("{news}", &address.to_string()))
    }
}

#[tokio::test]
async fn demo_groups_load() {
    let (demo, net) = demo().await;
    let loaded = load(&net, at(&demo, "news:*")).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    let page = page(&loaded, "news:*");
    let groups = rows(&page);
    assert_eq!(groups.len(), 6);
    let text = groups[0].text();
    assert!(
        text.starts_with("geomys.demo.announce") && text.ends_with("(moderated by the postmaster)"),
        "{text}"
    );
    assert_eq!(groups[5].aside.as_ref().unwrap().as_str(), "100,000");
    assert_eq!(
        page.links(0)[0].target.as_ref().unwrap().as_str(),
        "news:geomys.demo.announce"
    );
    assert!(groups.iter().all(|row| row.kind == Kind::Group));
}

#[tokio::test]
async fn demo_group_and_its_articles_open() {
    let (demo, net) = demo().await;
    let loaded = load(&net, at(&demo, "news:underloam.infosystems.gopher")).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    let begin = loaded.begin.as_ref().unwrap();
    assert_eq!(begin.shape, Shape::Group);
    assert_eq!(
        begin.title.as_ref().unwrap().as_str(),
        "underloam.infosystems.gopher"
    );
    let group = page(&loaded, "news:underloam.infosystems.gopher");
    assert_eq!(
        group.url().as_str(),
        format!(
            "nntp://{}/underloam.infosystems.gopher",
            demo.addresses.news
        )
    );
    let articles = rows(&group);
    assert_eq!(articles.len(), 19);
    assert!(articles.iter().all(|row| row.kind == Kind::Article));
    // The newest first.
    let link = &group.links(0)[0];
    assert!(link.target.as_ref().unwrap().as_str().ends_with("/420"));
    assert!(
        articles
            .iter()
            .any(|row| row.lead.as_ref().unwrap().as_str() == "François Taupe")
    );
    for number in 0..group.count() {
        let link = &group.links(number)[0];
        let url = link.target.as_ref().unwrap().as_str();
        let loaded = load(&net, request(url)).await;
        assert!(loaded.end.is_ok(), "{url}: {loaded:?}");
        let article = page(&loaded, url);
        assert!(article.needs_finish());
        let article = article.finished();
        assert_eq!(article.title().unwrap(), link.label, "{url}");
    }
}

#[tokio::test]
async fn article_loads_by_id_and_missing_one_fails() {
    let (demo, net) = demo().await;
    let loaded = load(&net, at(&demo, "news:gph-1@underloam.example")).await;
    assert!(loaded.end.is_ok());
    assert_eq!(loaded.begin.as_ref().unwrap().shape, Shape::Article);
    let mut save = at(&demo, "news:gph-1@underloam.example");
    save.purpose = Purpose::Save;
    assert_eq!(load(&net, save).await.octets, loaded.octets);
    let loaded = load(&net, at(&demo, "news:none@underloam.example")).await;
    let (sentence, said) = loaded.failure();
    assert!(sentence.ends_with("does not have the article none@underloam.example"));
    assert_eq!(said, ["430 No article has that Message-ID"]);
    let loaded = load(&net, at(&demo, "nntp://{news}/geomys.demo.announce/404")).await;
    assert!(
        loaded
            .failure()
            .0
            .ends_with("has no article 404 in geomys.demo.announce")
    );
    let loaded = load(
        &net,
        at(
            &demo,
            "nntp://{news}/geomys.demo.announce/99999999999999999999",
        ),
    )
    .await;
    assert!(
        loaded
            .failure()
            .0
            .starts_with("no article number is as high")
    );
}

#[tokio::test]
async fn private_group_prompts_for_name_then_password() {
    let (demo, net) = demo().await;
    let url = "nntp://{news}/geomys.demo.attic";
    let loaded = load(&net, at(&demo, url)).await;
    let host = demo.addresses.news.ip().to_string();
    assert!(
        matches!(&loaded.end, Err(Stop::Needs(Question::Login { host: login_host, said: Some(_) })) if *login_host == host),
        "{loaded:?}"
    );
    let login = |user: &str, password: &str| Request {
        login: Some(Login::new(user, password)),
        ..at(&demo, url)
    };
    let loaded = load(&net, login("ada", "")).await;
    assert!(
        matches!(&loaded.end, Err(Stop::Needs(Question::Password { user, said: None, .. })) if user == "ada"),
        "{loaded:?}"
    );
    let loaded = load(&net, login("ada", "babbage")).await;
    let Err(Stop::Needs(Question::Password {
        said: Some(said), ..
    })) = &loaded.end
    else {
        panic!("{loaded:?}");
    };
    assert_eq!(said.as_str(), "481 That is not the password");
    assert!(!format!("{loaded:?}").contains("babbage"));
    let loaded = load(&net, login("ada", "lovelace")).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(page(&loaded, "news:x").count(), 2);
    // An authenticated session stays authenticated.
    let loaded = load(&net, at(&demo, "nntp://{news}/geomys.demo.attic/1")).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
}

#[tokio::test]
async fn empty_group_has_no_rows() {
    let (demo, net) = demo().await;
    let loaded = load(&net, at(&demo, "news:geomys.demo.empty")).await;
    assert!(loaded.end.is_ok());
    assert_eq!(page(&loaded, "news:x").count(), 0);
}

#[tokio::test]
async fn big_group_shows_newest_articles_while_loading() {
    let (demo, net) = demo().await;
    // A small channel: the load cannot run ahead of the reader.
    let (sender, mut receiver) = mpsc::channel(1);
    let request = at(&demo, &format!("nntp://{{news}}/{}", world::BIG_GROUP));
    let loading = geomys_load::load(&net, request, Sink::new(LoadId(1), sender));
    let reading = async {
        let mut document = None;
        let mut first = None;
        while let Some((_, part)) = receiver.recv().await {
            match part {
                Part::Phase(_)
                | Part::Terminal(_)
                | Part::Remark(_)
                | Part::Clock(_)
                | Part::Names(_)
                | Part::Size(_)
                | Part::Hole(_)
                | Part::Covered(_) => {}
                Part::Head(begin) => {
                    document = Some(Document::new(
                        begin.url.unwrap(),
                        begin.shape,
                        CharsetSetting::default(),
                    ));
                }
                Part::Octets(octets) => {
                    let document = document.as_mut().unwrap();
                    document.append(&octets);
                    first.get_or_insert_with(|| document.count());
                }
                Part::End(end) => {
                    end.unwrap();
                    break;
                }
            }
        }
        (document.unwrap(), first.unwrap())
    };
    let (document, first) = timeout(DEADLINE, async { tokio::join!(loading, reading).1 })
        .await
        .expect("in time");
    assert_eq!(first, 100);
    assert_eq!(document.count(), 100_000);
    for (row, number) in [(0, 100_000), (99, 99_901), (100, 99_900), (99_999, 1)] {
        let url = document.links(row)[0].target.as_ref().unwrap().to_string();
        assert!(url.ends_with(&format!("/{number}")), "row {row}: {url}");
    }
}

#[tokio::test]
async fn sparse_group_without_overviews_lists_numbers_first() {
    let new = "S: 221 x\nS: Subject: new\nS: .\n";
    let last = "S: 221 x\nS: Subject: old\nS: .\nsilence";
    let one_by_one = format!("C: HEAD 3999999990\n{new}C: HEAD 7\nS: 423 gone\nC: HEAD 1\n{last}");
    let together = format!("C: HEAD 3999999990\nC: HEAD 7\nC: HEAD 1\n{new}S: 423 gone\n{last}");
    let old = "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 500 what\n";
    for (hello, over, range, heads) in [
        (old, "XOVER", "", one_by_one),
        (HELLO, "OVER", " 1-4000000000", together),
    ] {
        let script = format!(
            "{hello}C: GROUP a\nS: 211 3 1 4000000000 a\nC: {over} 3999999901-4000000000\n\
             S: 503 no overview here\nC: XHDR Subject 3999999501-4000000000\nS: 502 no permission\nC: LISTGROUP a{range}\nS: 211 list\nS: 1\nS: 7\nS: odd\nS: 3999999990\n\
             S: 4000000001\nS: .\n{heads}"
        );
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
        assert_eq!(
            String::from_utf8_lossy(&loaded.octets),
            "3999999990\tnew\t\t\t\t\t\t\r\n1\told\t\t\t\t\t\t\r\n"
        );
        loaded.end.unwrap();
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn overview_range_begins_at_one() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 3 0 3 a\nC: OVER 1-3\nS: 224 x\nS: .\n\
         C: GROUP b\nS: 211 1 0 0 b\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    for group in ["a", "b"] {
        let loaded = load(&net, request(&format!("nntp://{address}/{group}"))).await;
        loaded.end.unwrap();
    }
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn overview_missing_falls_back_to_head() {
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 500 what\n\
        C: GROUP a\nS: 211 2 4 6 a\nC: XOVER 4-6\nS: 503 no overview here\n\
        C: XHDR Subject 4-6\nS: 500 what\n\
        C: HEAD 6\nS: 221 6 <6@x>\nS: Subject: Re: five\nS: From: ada@x\nS: Message-ID: <6@x>\nS: References: <5@x>\nS: .\n\
        C: HEAD 5\nS: 221 5 <5@x>\nS: Subject: five\nS: Message-ID: <5@x>\nS: Lines: 3\nS: .\n\
        C: HEAD 4\nS: 423 gone\nsilence";
    let (address, playing) = listen(&[script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert_eq!(
        String::from_utf8_lossy(&loaded.octets),
        "6\tRe: five\tada@x\t\t<6@x>\t<5@x>\t\t\r\n5\tfive\t\t\t<5@x>\t\t\t3\r\n"
    );
    loaded.end.unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn missing_articles_keep_the_connection() {
    // One connection serves for all of it.
    let script = format!(
        "{HELLO}C: ARTICLE <a@b>\nS: 430 gone\nC: GROUP a\nS: 411 none\nC: GROUP b\nS: 211 1 1 1 b\n\
         C: ARTICLE 7\nS: 423 gone\nC: ARTICLE <c@d>\nS: 220 0 <c@d>\nS: Subject: x\nS: .\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    for (missing, said) in [
        ("news://{}/a@b", "430 gone"),
        ("nntp://{}/a", "411 none"),
        ("nntp://{}/b/7", "423 gone"),
    ] {
        let missing = missing.replace("{}", &address.to_string());
        let loaded = load(
            &net,
            Request::show(Dialect::Extended.parse(&missing).unwrap(), Reason::Typed),
        )
        .await;
        assert_eq!(loaded.failure().1, [said]);
    }
    let there = Dialect::Extended
        .parse(&format!("news://{address}/c@d"))
        .unwrap();
    load(&net, Request::show(there, Reason::Typed))
        .await
        .end
        .unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn missing_article_is_requested_from_other_servers() {
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";
    let missing = format!("{hello}C: ARTICLE <a@b>\nS: 430 not here\nsilence");
    let shut = format!("{hello}C: ARTICLE <a@b>\nS: 480 who are you\nsilence");
    let has = format!(
        "{hello}C: ARTICLE <a@b>\nS: 220 0 <a@b>\nS: Subject: x\nS:\nS: hello\nS: .\nsilence"
    );
    let (first, playing_first) = listen(&[&missing, &missing]).await;
    let (second, playing_second) = listen(&[&shut, &shut]).await;
    let (third, playing_third) = listen(&[&has]).await;
    let request_with = |others: &[SocketAddr]| Request {
        news_query: NewsQuery {
            server: Some((first.ip().to_string(), first.port()).into()),
            ..NewsQuery::default()
        },
        settings: ProtocolSettings {
            news: Arc::new(NewsSettings {
                servers: others
                    .iter()
                    .map(|place| NewsServer::parse(&place.to_string()).unwrap())
                    .collect(),
                ..NewsSettings::default()
            }),
            ..ProtocolSettings::default()
        },
        ..request("news:a@b")
    };
    let net = Net::default();
    let loaded = load(&net, request_with(&[first, second, third])).await;
    let begin = loaded.begin.as_ref().unwrap();
    assert_eq!(
        begin.url.as_ref().unwrap().as_str(),
        format!("news://{third}/a@b")
    );
    assert_eq!(
        begin.alternate_reason.as_deref(),
        Some(format!("{first} does not have the article a@b").as_str())
    );
    loaded.end.unwrap();
    drop(net);
    let net = Net::default();
    let loaded = load(&net, request_with(&[second])).await;
    let failure = loaded.failure();
    assert!(
        failure
            .0
            .ends_with(&format!("; {second} required a user name and password")),
        "{failure:?}"
    );
    drop(net);
    assert_played(playing_first).await;
    assert_played(playing_second).await;
    assert_played(playing_third).await;
}

#[tokio::test]
async fn other_servers_get_their_own_logins() {
    let hello = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";
    let missing = format!("{hello}C: ARTICLE <a@b>\nS: 430 not here\nsilence");
    let asks = format!(
        "{hello}C: ARTICLE <a@b>\nS: 480 who are you\nC: AUTHINFO USER bob\nS: 381 and\nC: AUTHINFO PASS secret\n"
    );
    let takes = format!(
        "{asks}S: 281 in\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: .\nC: ARTICLE <a@b>\n\
         S: 220 0 <a@b>\nS: Subject: x\nS: .\nsilence"
    );
    let refuses = format!("{asks}S: 481 no\nsilence");
    for (script, is_taken) in [(&takes, true), (&refuses, false)] {
        let (first, playing_first) = listen(&[&missing]).await;
        let (second, playing_second) = listen(&[script]).await;
        let request = Request {
            news_query: NewsQuery {
                server: Some((first.ip().to_string(), first.port()).into()),
                ..NewsQuery::default()
            },
            login: Some(Login::new("ada", "byron")),
            settings: ProtocolSettings {
                news: Arc::new(NewsSettings {
                    servers: vec![NewsServer {
                        login: Some(Login::new("bob", "secret")),
                        ..NewsServer::parse(&second.to_string()).unwrap()
                    }],
                    ..NewsSettings::default()
                }),
                ..ProtocolSettings::default()
            },
            ..request("news:a@b")
        };
        let net = Net::default();
        let loaded = load(&net, request).await;
        if is_taken {
            loaded.end.unwrap();
        } else {
            let sentence = loaded.failure().0;
            let warning = format!("; {second} refused the stored password");
            assert!(sentence.ends_with(&warning), "{sentence}");
        }
        drop(net);
        assert_played(playing_first).await;
        assert_played(playing_second).await;
    }
}

#[tokio::test]
async fn article_range_limits_the_overview_request() {
    for (range, window) in [
        ("20-40", Some("20-40")),
        ("20-", Some("20-90")),
        ("85-9999", Some("85-90")),
        ("0-12", Some("10-12")),
        ("1-9", None),
        ("91-", None),
    ] {
        let over = window.map_or(String::new(), |window| {
            let (first, _) = window.split_once('-').unwrap();
            format!("C: OVER {window}\nS: 224 x\nS: {first}\tA burrow\tada@x\nS: .\n")
        });
        let script = format!("{HELLO}C: GROUP a\nS: 211 81 10 90 a\n{over}silence");
        let (address, playing) = listen(&[&script]).await;
        let net = Net::default();
        let request = Request::show(
            Dialect::Extended
                .parse(&format!("nntp://{address}/a/{range}"))
                .unwrap(),
            Reason::Typed,
        );
        let loaded = load(&net, request).await;
        assert!(loaded.end.is_ok(), "{range}: {loaded:?}");
        let begin = loaded.begin.as_ref().unwrap();
        // The group continues above the shown range, and has not been renumbered.
        assert_eq!(begin.highest, Some(90));
        let place = begin.url.clone().unwrap();
        assert_eq!(place.as_str(), format!("nntp://{address}/a/{range}"));
        let page = page(&loaded, place.as_str());
        assert_eq!(page.count(), usize::from(window.is_some()), "{range}");
        if let Some(window) = window {
            let link = page.links(0).remove(0).target.unwrap();
            let (first, _) = window.split_once('-').unwrap();
            assert_eq!(link.as_str(), format!("nntp://{address}/a/{first}"));
        }
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn article_numbers_load_from_the_configured_server() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 9 1 9 a\nC: OVER 3-4\nS: 224 x\nS: 3\tx\nS: .\n\
         C: ARTICLE 3\nS: 220 3\nS: Subject: x\nS: \nS: .\nC: ARTICLE 4\nS: 220 4\nS: Subject: y\nS: \nS: .\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    for (written, place) in [
        ("news:a/3-4", "a/3-4"),
        ("news:a/3", "a/3"),
        ("news:a/4", "a/4"),
    ] {
        let mut request = Request::show(Dialect::Extended.parse(written).unwrap(), Reason::Typed);
        request.news_query.server = Some((address.ip().to_string(), address.port()).into());
        let loaded = load(&net, request).await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        let begin = loaded.begin.unwrap();
        assert_eq!(
            begin.url.unwrap().as_str(),
            format!("nntp://{address}/{place}")
        );
    }
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn invalid_article_ranges_send_nothing() {
    for (written, sentence) in [
        (
            "nntp://h/a/9-3",
            "nothing was requested: the range 9-3 ends before it begins",
        ),
        (
            "news://h/a/99999999999999999999999-",
            "no article number is as high as 99999999999999999999999-",
        ),
        (
            "nntp://h/a/99999999999999999999999",
            "no article number is as high as 99999999999999999999999",
        ),
    ] {
        let request = Request::show(Dialect::Extended.parse(written).unwrap(), Reason::Typed);
        let loaded = load(&Net::default(), request).await;
        assert_eq!(loaded.failure().0, sentence);
    }
}
