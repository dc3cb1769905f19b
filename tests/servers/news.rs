//! inn2.

use geomys_load::{Reason, Request, Stop};
use geomys_page::document::{Document, Kind};
use geomys_testing::loading::{Loaded, carry_out, kind, row, show, target, texts, url};
use geomys_wire::net::Net;

use super::Servers;
use crate::support::command::{geomys, text};

impl Servers {
    /// Loads a URL of `news:` from the server.
    async fn show_news(&self, net: &Net, address: &str) -> Loaded {
        let (host, port) = self.news.rsplit_once(':').unwrap();
        let mut request = Request::show(url(address), Reason::Typed);
        request.news_query.server = Some((host.to_owned(), port.parse().unwrap()).into());
        carry_out(net, request).await
    }
}

/// The rows after the first empty one.
fn body(document: &Document) -> Vec<String> {
    let rows = texts(document);
    let head = rows.iter().position(String::is_empty).expect("a body");
    rows[head + 1..].to_vec()
}

const FIRST: [&str; 5] = [
    "The tunnel begins at <URL:gopher://gopher.example.org/1/tunnel>.",
    ".hidden lines begin with a dot",
    ".",
    "and some hold nothing else.",
    "Grüße",
];

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn every_group_is_listed() {
    let servers = Servers::named();
    let groups = servers.show_news(&Net::default(), "news:*").await.whole();
    let groups = groups.document();
    let ours: Vec<String> = texts(&groups)
        .into_iter()
        .filter(|text| text.starts_with("local."))
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(
        ours,
        [
            "local.burrow Tunnels and those who dig them",
            "local.empty Nothing",
            "local.following What is followed",
            "local.test Tests",
            "local.writing What is written"
        ]
    );
    let dumped = text(&geomys(&["--server", &servers.news, "dump", "news:*"], "").stdout);
    let line = dumped
        .lines()
        .find(|line| line.starts_with("local.burrow "))
        .unwrap();
    assert!(line.contains("Tunnels and those who dig them"), "{line}");
    assert!(line.ends_with(" 2"), "{line}");
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn group_lists_newest_articles_first() {
    let servers = Servers::named();
    let net = Net::default();
    let address = format!("nntp://{}/local.burrow", servers.news);
    let group = show(&net, &address).await.whole().document();
    // The reply is below its parent.
    assert_eq!(texts(&group), ["Who digs here?", "Re: Who digs here?"]);
    for row in 0..2 {
        let leads = group.links(row).remove(0).target.unwrap();
        assert_eq!(leads.as_str(), format!("{address}/{}", row + 1));
        assert_eq!(group.row(row).unwrap().indent, row);
    }
    let lead = group.row(0).unwrap().lead.unwrap();
    assert_eq!(lead.as_str().trim(), "Ada");
    // The same group on the server that the user named, with that server's numbers.
    let same = servers.show_news(&net, "news:local.burrow").await.whole();
    assert_eq!(same.place().as_str(), address);
    assert_eq!(texts(&same.document()), texts(&group));
    let encoded = servers.show_news(&net, "news:local.test").await.whole();
    assert_eq!(texts(&encoded.document()), ["Grüße"]);
    let empty = servers.show_news(&net, "news:local.empty").await.whole();
    assert_eq!(empty.document().count(), 0);
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn article_has_headers_body_and_links() {
    let servers = Servers::named();
    let net = Net::default();
    let address = format!("nntp://{}/local.burrow/1", servers.news);
    let article = show(&net, &address).await.whole().document();
    assert_eq!(article.title().unwrap().as_str(), "Who digs here?");
    assert_eq!(body(&article), FIRST);
    assert_eq!(
        target(&article, FIRST[0]).as_str(),
        "gopher://gopher.example.org/1/tunnel"
    );
    let dumped = text(&geomys(&["dump", &address], "").stdout);
    assert!(dumped.starts_with("Who digs here?\nAda <"), "{dumped}");
    assert!(dumped.ends_with(&format!("\n\n{}\n", FIRST.join("\n"))));
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn article_loads_by_id_and_links_to_its_parent() {
    let servers = Servers::named();
    let net = Net::default();
    let article = servers.show_news(&net, "news:second@geomys.example.org");
    let article = article.await.whole().document();
    assert_eq!(
        body(&article),
        ["Ada wrote:", "> The tunnel begins somewhere.", "", "I do."]
    );
    assert_eq!(
        kind(&article, "> The tunnel begins somewhere."),
        Kind::Quote(1)
    );
    let references = row(&article, "References:   <first@geomys.example.org>");
    let links = article.links(references);
    let before = links[0].target.clone().unwrap();
    let before = servers.show_news(&net, before.as_str()).await.whole();
    assert_eq!(body(&before.document()), FIRST);

    let dumped = geomys(
        &[
            "--server",
            &servers.news,
            "dump",
            "news:second@geomys.example.org",
            "--links",
        ],
        "",
    );
    assert_eq!(dumped.status.code(), Some(0), "{dumped:?}");
    let dumped = text(&dumped.stdout);
    assert!(
        dumped
            .ends_with("I do.\n\n    1  news:local.burrow\n    2  news:first@geomys.example.org\n"),
        "{dumped}"
    );
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn missing_group_or_article_quotes_the_server() {
    let servers = Servers::named();
    let net = Net::default();
    let front = format!("nntp://{}", servers.news);
    for (address, said) in [
        (format!("{front}/local.none"), "411 "),
        (format!("{front}/local.burrow/99"), "423 "),
        ("news:none@geomys.example.org".to_owned(), "430 "),
    ] {
        let loaded = servers.show_news(&net, &address).await;
        let Err(Stop::Failed(failure)) = loaded.end else {
            panic!("{loaded:?}")
        };
        assert!(failure.said[0].as_str().starts_with(said), "{failure:?}");
        let dumped = geomys(&["--server", &servers.news, "dump", &address], "");
        assert_eq!(dumped.status.code(), Some(1));
        assert!(text(&dumped.stderr).contains(&format!("the server said: {said}")));
    }
}
