//! Downloads and their resumption.

use geomys_load::{Purpose, Question, Reason, Request, ResumeRequest, SaveRequest, Version};
use geomys_testing::loading::{Loaded, carry_out, url};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;

const OCTETS: &[u8] = b"0123456789";
const FIELDS: &str = "ETag: \"v1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n";

/// A server that supports ranges.
fn answer(request: &HttpRequest) -> Vec<u8> {
    let same = request.field("if-range").is_none_or(|tag| tag == "\"v1\"");
    let range = request.field("range").filter(|_| same);
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
        save: SaveRequest {
            resume: Some(ResumeRequest { offset, version }),
            ..SaveRequest::default()
        },
        ..Request::show(url(web.url("/a")), Reason::Typed)
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
async fn interrupted_download_resumes_by_range() {
    let web = Web::start(answer).await;
    let whole = save(&web, 0, Version::default()).await.whole();
    let begin = whole.begin.unwrap();
    assert_eq!((begin.offset, begin.version), (0, version()));
    let rest = save(&web, 4, version()).await.whole();
    assert_eq!(
        (rest.begin.unwrap().offset, rest.octets.as_slice()),
        (4, &OCTETS[4..])
    );
    let requests = web.take_requests();
    assert_eq!(requests[0].field("range"), None);
    assert_eq!(requests[1].field("range"), Some("bytes=4-"));
    assert_eq!(requests[1].field("if-range"), Some("\"v1\""));
    assert_eq!(requests[1].field("accept-encoding"), Some("identity"));

    // By its date, without an entity tag.
    let dated = Version {
        tag: None,
        ..version()
    };
    save(&web, 4, dated).await;
    let requests = web.take_requests();
    assert_eq!(
        requests[0].field("if-range"),
        Some("Sun, 06 Nov 1994 08:49:37 GMT")
    );
}

#[tokio::test]
async fn complete_file_is_not_fetched_again() {
    let web = Web::start(answer).await;
    let loaded = save(&web, 10, version()).await.whole();
    assert_eq!((loaded.begin.unwrap().offset, loaded.octets.len()), (10, 0));
    // The local file is longer than the remote one: they differ.
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
    // The partial file has no version: the whole file is fetched.
    let loaded = save(&web, 12, Version::default()).await.whole();
    assert_eq!(
        (loaded.begin.unwrap().offset, loaded.octets.as_slice()),
        (0, OCTETS)
    );
}

#[tokio::test]
async fn changed_file_asks_before_resuming() {
    let web = Web::start(answer).await;
    let was = Version {
        tag: Some("\"v0\"".into()),
        ..version()
    };
    let question = save(&web, 4, was.clone()).await.question();
    assert_eq!(question, Question::Changed { was, is: version() });
}

#[tokio::test]
async fn server_without_ranges_restarts_from_zero() {
    let web = Web::start(|_| ok(FIELDS, OCTETS)).await;
    let loaded = save(&web, 4, version()).await.whole();
    assert_eq!(
        (loaded.begin.unwrap().offset, loaded.octets.as_slice()),
        (0, OCTETS)
    );
}

#[tokio::test]
async fn wrong_content_range_is_a_failure() {
    let web =
        Web::start(|_| "HTTP/1.1 206 Part\r\nContent-Range: bytes 3-9/10\r\n\r\n3456789").await;
    let failure = save(&web, 4, Version::default()).await.failure();
    assert!(failure.sentence.contains("another range"), "{failure:?}");
}
