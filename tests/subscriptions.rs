//! Subscriptions: the dated entries of watched pages, from one request, to the home page and the command line.

use geomys::demo::Demo;
use geomys::load::Request;
use geomys::load::check::content;
use geomys::net::{Limits, Net};
use geomys::url::Url;

use crate::support::script::{assert_played, listen};
use crate::support::web::Web;

/// The entries of a page as lines of date, title and URL.
async fn entries(url: &str) -> Vec<String> {
    let request = Request::show(Url::accept(url).unwrap());
    let content = content(&Net::new(Limits::default()), &request)
        .await
        .unwrap();
    let entries = content.entries.iter();
    entries
        .map(|entry| format!("{} {} {}", entry.date, entry.title, entry.url))
        .collect()
}

#[tokio::test]
async fn entries_of_a_phlog_come_with_the_one_request_of_the_watch() {
    let script = "C: /phlog\nS: 02026-11-20 The lamp\t/a.txt\th.example\t70\nS: .\n";
    let (address, peer) = listen(&[script]).await;
    let found = entries(&format!("gopher://{address}/1/phlog")).await;
    assert_played(peer).await;
    assert_eq!(found, ["2026-11-20 The lamp gopher://h.example/0/a.txt"]);
}

#[tokio::test]
async fn feed_behind_a_redirect_has_its_links_relative_to_the_last_url() {
    let feed = "<feed><entry><title>One</title><link href='one'/><published>2026-11-01</published></entry></feed>";
    for media in ["application/atom+xml", "text/xml", "text/plain"] {
        let page = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {media}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{feed}",
            feed.len()
        );
        let server = Web::start(move |request| match request.path() {
            "/old" => "HTTP/1.1 301 Moved\r\nLocation: /blog/feed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                .to_owned(),
            _ => page.clone(),
        })
        .await;
        let found = entries(&format!("http://{}/old", server.address)).await;
        let expected = format!("2026-11-01 One http://{}/blog/one", server.address);
        let is_feed = media != "text/plain";
        assert_eq!(
            found,
            if is_feed { vec![expected] } else { vec![] },
            "{media}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_has_a_gemlog_a_feed_and_a_phlog() {
    let demo = Demo::start().await.unwrap();
    let (gemini, web, gopher) = (demo.gemini(), demo.web(), demo.gopher());
    for (url, first) in [
        (
            format!("gemini://{gemini}/log/"),
            "2026-11-20 The lamp is out, and the stars are better",
        ),
        (
            format!("http://{web}/feed.xml"),
            "2026-11-18 A roof at last",
        ),
        (format!("gopher://{gopher}/1/phlog"), "2026-11-01 A visitor"),
    ] {
        let found = entries(&url).await;
        assert!(found.len() > 1, "{url}");
        assert!(found[0].starts_with(first), "{found:?}");
    }
}
