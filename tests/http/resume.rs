//! Downloads, and how they go on.

use geomys::load::{Purpose, Question, Request, Resume, Version};
use geomys::net::Net;

use super::ok;
use crate::support::loading::{Loaded, carry_out, url};
use crate::support::web::{Asked, Web};

const OCTETS: &[u8] = b"0123456789";
const FIELDS: &str = "ETag: \"v1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

/// A server that knows ranges.
fn answer(asked: &Asked) -> Vec<u8> {
    let same = asked.field("if-range").is_none_or(|tag| tag == "\"v1\"");
    let range = asked.field("range").filter(|_| same);
    let Some(first) = range.and_then(|range| range.strip_prefix("bytes=")) else {
        return ok(FIELDS, OCTETS);
    };
    let first: usize = first.trim_end_matches('-').parse().unwrap();
    if first >= OCTETS.len() {
        return b"HTTP/1.1 416 No\r\nContent-Range: bytes */10\r\n\r\n".to_vec();
    }
    let head = format!("HTTP/1.1 206 Part\r\n{FIELDS}Content-Range: bytes {first}-9/10\r\n\r\n");
    [head.as_bytes(), &OCTETS[first..]].concat()
}

async fn save(web: &Web, offset: u64, version: Version) -> Loaded {
    let request = Request {
        purpose: Purpose::Save,
        resume: Some(Resume { offset, version }),
        ..Request::show(url(web.url("/a")))
    };
    carry_out(&Net::default(), request).await
}

fn version() -> Version {
    Version {
        size: Some(10),
        modified: Some("19941106084937".to_owned()),
        tag: Some("\"v1\"".into()),
    }
}

#[tokio::test]
async fn a_download_goes_on_where_it_was_broken_off() {
    let web = Web::start(answer).await;
    let whole = save(&web, 0, Version::default()).await.whole();
    let begin = whole.begin.unwrap();
    assert_eq!((begin.offset, begin.version), (0, version()));
    let rest = save(&web, 4, version()).await.whole();
    assert_eq!(
        (rest.begin.unwrap().offset, rest.octets.as_slice()),
        (4, &OCTETS[4..])
    );
    let asked = web.heard();
    assert_eq!(asked[0].field("range"), None);
    assert_eq!(asked[1].field("range"), Some("bytes=4-"));
    assert_eq!(asked[1].field("if-range"), Some("\"v1\""));
    assert_eq!(asked[1].field("accept-encoding"), Some("identity"));

    // By its date, where there is no tag.
    let dated = Version {
        tag: None,
        ..version()
    };
    save(&web, 4, dated).await;
    let asked = web.heard();
    assert_eq!(
        asked[0].field("if-range"),
        Some("Sun, 06 Nov 1994 08:49:37 GMT")
    );
}

#[tokio::test]
async fn what_is_here_whole_is_not_fetched_again() {
    let web = Web::start(answer).await;
    let loaded = save(&web, 10, version()).await.whole();
    assert_eq!((loaded.begin.unwrap().offset, loaded.octets.len()), (10, 0));
    // There is more of it here than there: it is another one.
    let question = save(
        &web,
        12,
        Version {
            size: Some(12),
            ..version()
        },
    )
    .await
    .question();
    assert!(matches!(question, Question::Changed { .. }));
    // Nothing is known of what is here: all of it comes.
    let loaded = save(&web, 12, Version::default()).await.whole();
    assert_eq!(
        (loaded.begin.unwrap().offset, loaded.octets.as_slice()),
        (0, OCTETS)
    );
}

#[tokio::test]
async fn what_has_changed_is_told() {
    let web = Web::start(answer).await;
    let was = Version {
        tag: Some("\"v0\"".into()),
        ..version()
    };
    let question = save(&web, 4, was.clone()).await.question();
    assert_eq!(question, Question::Changed { was, is: version() });
}

#[tokio::test]
async fn a_server_without_ranges_begins_anew() {
    let web = Web::start(|_| ok(FIELDS, OCTETS)).await;
    let loaded = save(&web, 4, version()).await.whole();
    assert_eq!(
        (loaded.begin.unwrap().offset, loaded.octets.as_slice()),
        (0, OCTETS)
    );
}

#[tokio::test]
async fn another_part_than_was_asked_for_is_not_taken() {
    let web =
        Web::start(|_| "HTTP/1.1 206 Part\r\nContent-Range: bytes 3-9/10\r\n\r\n3456789").await;
    let failure = save(&web, 4, Version::default()).await.failure();
    assert!(failure.sentence.contains("another part"), "{failure:?}");
}
