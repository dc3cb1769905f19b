//! The layout of JSON and feeds, and of pages that still arrive.

use geomys_page::document::{Document, Kind, Shape};
use geomys_testing::archive::{Archive, Node, ServerBehavior};
use geomys_testing::capsule::Capsule;
use geomys_testing::loading::{short_timeouts, show, texts, url};
use geomys_testing::script::{assert_played, listen};
use geomys_testing::tls::Identity;
use geomys_testing::web::{Web, ok};
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;

use super::html::targets;

fn page(shape: Shape, octets: impl AsRef<[u8]>) -> Document {
    let mut document = Document::new(url("http://h.example/d/x"), shape, CharsetSetting::Detected);
    document.append(octets.as_ref());
    document.finished()
}

#[test]
fn json_is_indented_with_its_urls_as_links() {
    let document = page(
        Shape::Json,
        r#"{"a":[1,-2.50e+01,"x, \"y\" {"],"b":{},"c":[ ],"d":{"u":"https:\/\/h\/p","n":null}}"#,
    );
    assert_eq!(
        texts(&document),
        [
            "{",
            "  \"a\": [",
            "    1,",
            "    -2.50e+01,",
            "    \"x, \\\"y\\\" {\"",
            "  ],",
            "  \"b\": {},",
            "  \"c\": [],",
            "  \"d\": {",
            "    \"u\": \"https://h/p\",",
            "    \"n\": null",
            "  }",
            "}"
        ]
    );
    assert_eq!(targets(&document), ["https://h/p -> https://h/p"]);
    assert!(
        document
            .source_view()
            .row(0)
            .unwrap()
            .text()
            .starts_with("{\"a\":[1")
    );
    let lines = page(Shape::Json, "{\"a\":1}\n{\"a\":2}\n");
    assert_eq!(texts(&lines)[3..], ["{", "  \"a\": 2", "}"]);
}

#[test]
fn deep_data_is_laid_out_within_its_limits() {
    for data in [
        "[".repeat(2_000_000),
        "[1,".repeat(900_000),
        "]".repeat(9),
        "\"".repeat(1_000_001),
    ] {
        let document = page(Shape::Json, &data);
        assert!(document.memory() < 60_000_000, "{}", document.memory());
    }
    let last = texts(&page(Shape::Json, "[".repeat(600_000)))
        .pop()
        .unwrap();
    assert!(last.starts_with("[only the first"), "{last}");
}

const RSS: &str = r#"<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>News of the burrow</title><link>http://h.example/</link><description>All &amp;amp; more</description>
<image><title>no</title><url>http://h.example/i.png</url></image>
<item><title><![CDATA[The <b>roof</b> leaks]]></title><link>http://h.example/1</link>
<pubDate>Sun, 22 Nov 2026 08:00:00 GMT</pubDate><dc:date>2026-11-23</dc:date><enclosure url="http://h.example/roof.ogg" type="audio/ogg"/></item>
<item><guid>http://h.example/2</guid><dc:date>2026-11-21T08:00:00Z</dc:date><title>Tea &#8212; later</title></item>
<item><guid isPermaLink="false">x</guid><title>No link</title></item></channel></rss>"#;

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">Phlog &amp;amp; notes</title>
<link rel="self" href="/feed"/><link href="/"/><entry><title>One</title><link rel="edit" href="/edit"/>
<link rel="alternate" href="one.html"/><updated>2026-11-20T00:00:00+01:00</updated><summary>x</summary></entry>
<entry><title>Two</title><link href="two.html"#;

#[test]
fn feeds_are_lists_of_links() {
    let document = page(Shape::Feed, RSS);
    assert_eq!(
        texts(&document),
        [
            "News of the burrow",
            "All & more",
            "",
            "2026-11-22  The roof leaks",
            "            [enclosure: roof.ogg]",
            "2026-11-21  Tea — later",
            "            No link"
        ]
    );
    assert_eq!(
        targets(&document),
        [
            "News of the burrow -> http://h.example/",
            "The roof leaks -> http://h.example/1",
            "[enclosure: roof.ogg] -> http://h.example/roof.ogg",
            "Tea — later -> http://h.example/2"
        ]
    );
    assert_eq!(document.title().unwrap().as_str(), "News of the burrow");

    assert_eq!(document.row(0).unwrap().kind, Kind::Heading(1));

    // A feed that ends in the middle of an item.
    let document = page(Shape::Feed, ATOM);
    assert_eq!(texts(&document)[..1], ["Phlog & notes"]);
    assert_eq!(
        targets(&document),
        [
            "Phlog & notes -> http://h.example/",
            "One -> http://h.example/d/x#entry-1fe58d938880",
            "One -> http://h.example/d/one.html"
        ]
    );
    assert_eq!(
        texts(&document)[2..],
        ["2026-11-20  One", "            Two", "", "One", "x"]
    );
}

#[test]
fn part_that_has_arrived_is_laid_out() {
    let mut document = Document::new(
        url("http://h.example/"),
        Shape::Html,
        CharsetSetting::default(),
    );
    let mut page = String::from("<meta charset=utf-8><title>T</title>");
    let mut layouts = 0;
    for number in 0..2000 {
        let part = format!(
            "<h2>Part {number}</h2><p>some words of the pärt, which are many, and {number} more"
        );
        document.append(part.as_bytes());
        page.push_str(&part);
        if document.wants_layout() {
            let laid_out = document.clone().laid_out();
            document.adopt_layout(&laid_out);
            layouts += 1;
            let last = texts(&document).pop().unwrap();
            assert!(last.ends_with(&format!("pärt, which are many, and {number} more")));
        }
    }
    // The beginning is laid out with each part, the rest more seldom.
    assert!(
        page.len() > 140_000 && layouts > 700 && layouts < 1000,
        "{layouts}"
    );
    assert!(document.needs_finish());
    let document = document.finished();
    assert!(!document.needs_finish() && !document.wants_layout());
    assert_eq!(document.count(), 7999);
}

proptest! {
    #[test]
    fn any_data_and_feeds_are_laid_out_without_panic(
        octets in "([\\[\\]{},:\"\\\\/ \n]|<item>|</item>|<link href='x'/>|<title>|&amp;|&|<!\\[CDATA\\[|\\]\\]>|http://h/|\u{1b}|é){0,60}",
    ) {
        for shape in [Shape::Json, Shape::Feed] {
            let document = page(shape, &octets);
            for row in 0..document.count() {
                let shown = document.row(row).unwrap();
                prop_assert!(!shown.text().chars().any(geomys_wire::text::is_harmful));
                let spans: Vec<usize> = shown.spans.iter().filter_map(|span| span.link).collect();
                prop_assert_eq!(spans, (0..document.links(row).len()).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn title_of_an_entry_is_its_first_without_a_prefix() {
    let rss = "<rss version='2.0' xmlns:media='m' xmlns:itunes='i' xmlns:atom='a'><channel><itunes:title>no</itunes:title>\
               <title>Feed</title><atom:link rel='self' href='/self'/><link>/</link><itunes:subtitle>no</itunes:subtitle>\
               <item><media:title>no</media:title><itunes:title>no</itunes:title><title>One</title>\
               <media:title>no</media:title><title>no</title><media:group><title>no</title></media:group>\
               <link>/1</link><dc:date>2026-11-21</dc:date></item></channel></rss>";
    let rdf = "<rdf:RDF xmlns='http://purl.org/rss/1.0/'><channel><title>Feed</title></channel>\
               <item><dc:title>no</dc:title><title><![CDATA[One]]></title><link>/1</link><dc:date>2026-11-21</dc:date></item></rdf:RDF>";
    let atom = "<atom:feed xmlns:atom='a'><atom:title>Feed</atom:title><atom:entry><media:title>no</media:title>\
                <atom:title type='html'>&lt;b&gt;One&lt;/b&gt;</atom:title><atom:source><atom:title>no</atom:title></atom:source>\
                <atom:link href='/1'/><atom:published>2026-11-21T00:00:00Z</atom:published></atom:entry></atom:feed>";
    for feed in [rss, rdf, atom] {
        let document = page(Shape::Feed, feed);
        assert_eq!(texts(&document), ["Feed", "", "2026-11-21  One"], "{feed}");
        assert_eq!(
            targets(&document).last().unwrap(),
            "One -> http://h.example/1"
        );
    }
}

#[test]
fn first_link_and_date_of_an_item_count() {
    let items = [
        "<link>/1</link><link>/2</link><pubDate>19 November 2026</pubDate>",
        "<link href='/1'>words</link><dc:date>2026-11-19</dc:date><dc:date>2026-11-20</dc:date>",
        "<link> </link><guid>/1</guid><pubDate>Nov 19, 2026 2:03 PM</pubDate>",
        "<link rel='self' href='/2'/><link>/1</link><pubDate>Thu, 19 Nov 2026 23:03:00</pubDate>",
    ];
    for item in items {
        let feed = format!("<rss><channel><item><title>One</title>{item}</item></channel></rss>");
        let document = page(Shape::Feed, &feed);
        assert_eq!(texts(&document), ["2026-11-19  One"], "{item}");
        let link = document.link(0, 0).unwrap().target.unwrap();
        assert_eq!(link, url("http://h.example/1"), "{item}");
    }
}

#[test]
fn deep_elements_do_not_end_an_item() {
    let deep = ["<p>".repeat(100), "</p>".repeat(100)].concat();
    let feed = format!(
        "<feed><entry><content>{deep}</content><title>One</title></entry>\
         <entry><title>Two</title></entry></feed>"
    );
    let titles = ["            One", "            Two"];
    assert_eq!(texts(&page(Shape::Feed, &feed)), titles);
}

#[test]
fn text_that_is_a_feed_is_shown_as_one() {
    let feed = format!("\u{feff}<?xml version='1.0'?>\n<!-- <b> a feed -->\n{ATOM}");
    for (text, shape) in [
        (RSS, Shape::Feed),
        (&feed, Shape::Feed),
        ("A feed begins with <rss> or\n<feed>.\n", Shape::Text),
        ("<html><feed>", Shape::Text),
        ("", Shape::Text),
    ] {
        for piece in [1, 7, 5000] {
            let mut document = Document::new(
                url("gopher://h.example/0/feed"),
                Shape::Text,
                CharsetSetting::Detected,
            );
            for octets in text.as_bytes().chunks(piece) {
                document.append(octets);
            }
            let document = document.finished();
            assert_eq!(document.shape(), shape, "{text}");
            // The source stays the text.
            assert_eq!(document.source_view().shape(), Shape::Text);
        }
    }
}

#[tokio::test]
async fn feeds_are_lists_of_entries_in_every_scheme() {
    let net = short_timeouts();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("feed.txt");
    let rss = "<rss version='2.0'><channel><title>Feed</title><item><title>One</title><link>http://h/1</link>\
               <pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate></item></channel></rss>";
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><title>Feed</title><entry><title>One</title>\
                <link href='http://h/1'/><updated>2026-11-20T10:00:00Z</updated></entry></feed>";
    for feed in [rss, atom] {
        std::fs::write(&path, feed).unwrap();
        let file = format!("file://{}", path.display());
        let node = Node::File(feed.as_bytes().to_vec());
        let archive = Archive::start([("/feed.txt", node)], ServerBehavior::default()).await;
        let script = format!("C: feed\nS| {feed}");
        let (gopher, playing) = listen(&[&script]).await;
        let text = format!("20 text/plain\r\n{feed}");
        let typed = format!("20 application/rss+xml\r\n{feed}");
        let octets = format!("20 text/xml\r\n{feed}");
        let capsule = Capsule::start(&Identity::self_signed("127.0.0.1"), move |path| {
            let response = match path {
                "/text" => &text,
                "/typed" => &typed,
                _ => &octets,
            };
            (response.as_bytes().to_vec(), true)
        })
        .await;
        for address in [
            file,
            archive.url("/feed.txt"),
            format!("gopher://{gopher}/0feed"),
            capsule.url("/text"),
            capsule.url("/typed"),
            capsule.url("/xml"),
        ] {
            let document = show(&net, &address).await.document();
            assert_eq!(document.shape(), Shape::Feed, "{address}");
            assert_eq!(
                texts(&document),
                ["Feed", "", "2026-11-20  One"],
                "{address}"
            );
            assert_eq!(targets(&document).len(), 1, "{address}");
        }
        assert_played(playing).await;
        // On the Web the media type is the author's word.
        for (media_type, shape) in [
            ("text/plain", Shape::Text),
            ("text/xml", Shape::Feed),
            ("application/atom+xml", Shape::Feed),
        ] {
            let web = Web::start(move |_| ok(&format!("Content-Type: {media_type}\r\n"), feed));
            let web = web.await;
            let document = show(&net, format!("http://{}/", web.address)).await;
            assert_eq!(document.document().shape(), shape, "{media_type}");
        }
    }
}
