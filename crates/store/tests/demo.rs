//! The bookmarks of the demo: every one opens, and all schemes are among them.

use std::sync::Arc;

use geomys_demo::Demo;
use geomys_load::{
    Gateways, NewsHost, NewsQuery, ProtocolSettings, Question, Reason, Request, Stop,
};
use geomys_page::document::Document;
use geomys_store::bookmarks::Bookmarks;
use geomys_testing::loading::{Loaded, carry_out};
use geomys_wire::net::Net;
use rfc1738::Scheme;

#[tokio::test]
async fn every_demo_bookmark_opens_and_all_schemes_occur() {
    let demo = Demo::start().await.unwrap();
    let bookmarks = Bookmarks::of(demo.bookmarks().into_bytes());
    let net = Net::default();
    let mut gateways = Gateways::default();
    gateways.set("x-mole", &demo.gateway()).unwrap();
    let gateways = Arc::new(gateways);
    let mut schemes = Vec::new();
    for bookmark in bookmarks.bookmarks() {
        let Ok(url) = bookmark.url() else {
            assert!(bookmark.title().as_str().starts_with("A bad one"));
            continue;
        };
        schemes.push(url.scheme());
        if url.scheme() == Scheme::Telnet {
            // A session, not a page: tested above.
            continue;
        }
        if url.as_str().contains("/big") {
            // These pages never end.
            continue;
        }
        let request = Request {
            settings: ProtocolSettings {
                gateways: Arc::clone(&gateways),
                ..ProtocolSettings::default()
            },
            news_query: NewsQuery {
                server: Some(NewsHost::plain(
                    demo.addresses.news.ip().to_string(),
                    demo.addresses.news.port(),
                )),
                ..NewsQuery::default()
            },
            ..Request::show(url.clone(), Reason::Typed)
        };
        let loaded: Loaded = carry_out(&net, request).await;
        match &loaded.end {
            Ok(_) => {
                let document: Document = loaded.document();
                assert!(document.count() > 0, "{url}");
            }
            Err(Stop::Needs(
                Question::Search
                | Question::Input { .. }
                | Question::Login { .. }
                | Question::Password { .. }
                | Question::Save { .. },
            )) => {}
            other => panic!("{url}: {other:?}"),
        }
    }
    for scheme in Scheme::ALL {
        assert!(schemes.contains(&scheme), "{scheme}");
    }
}
