//! Pages that are asked for only if they are no longer as their copies.

use geomys_load::{FailureKind, KnownCopy, PageStorage, Reason, Request, SaveRequest, Version};
use geomys_testing::loading::{Loaded, carry_out, url};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;
use geomys_wire::text::Charset;
use proptest::prelude::*;

const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
const DIGITS: &str = "19941106084937";

fn version(tag: Option<&str>, modified: Option<&str>) -> Version {
    Version {
        size: None,
        modified: modified.map(str::to_owned),
        tag: tag.map(Into::into),
    }
}

/// Loads a path of which a copy of this version is here, that came from another path.
async fn load_as(web: &Web, (path, real): (&str, &str), version: Version) -> Loaded {
    let copy = KnownCopy {
        url: url(web.url(real)),
        version,
        charset: Charset::named("utf-8"),
    };
    let request = Request {
        save: SaveRequest {
            copy: Some(Box::new(copy)),
            ..SaveRequest::default()
        },
        ..Request::show(url(web.url(path)), Reason::Typed)
    };
    carry_out(&Net::default(), request).await
}

async fn load(web: &Web, path: &str, version: Version) -> Loaded {
    load_as(web, (path, path), version).await
}

/// The conditions of the requests so far.
fn conditions(web: &Web) -> Vec<(Option<String>, Option<String>)> {
    let requests = web.take_requests();
    let field = |request: &HttpRequest, name| request.field(name).map(str::to_owned);
    requests
        .iter()
        .map(|request| {
            (
                field(request, "if-none-match"),
                field(request, "if-modified-since"),
            )
        })
        .collect()
}

/// Answers a request without a condition with a page, and one with a condition with the fields that its path names.
fn answer(request: &HttpRequest) -> Vec<u8> {
    let has_condition = ["if-none-match", "if-modified-since"]
        .iter()
        .any(|name| request.field(name).is_some());
    let fields = match request.path() {
        "/same" => "",
        "/tag" => "ETag: \"a\"\r\n",
        "/weak" => "ETag: W/\"a\"\r\n",
        "/other-tag" => "ETag: \"b\"\r\n",
        "/other-date" => "Last-Modified: Mon, 07 Nov 1994 08:49:37 GMT\r\n",
        "/other-charset" => "Content-Type: text/plain; charset=koi8-r\r\n",
        "/vary" => "Vary: *\r\n",
        "/no-store" => "Cache-Control: no-store\r\n",
        "/412" => return b"HTTP/1.1 412 Precondition Failed\r\nContent-Length: 0\r\n\r\n".to_vec(),
        "/away" => return b"HTTP/1.1 302 Found\r\nLocation: /same\r\n\r\n".to_vec(),
        "/always" => return b"HTTP/1.1 304 Not Modified\r\n\r\n".to_vec(),
        path => panic!("{path}"),
    };
    if has_condition {
        return format!("HTTP/1.1 304 Not Modified\r\n{fields}\r\n").into_bytes();
    }
    ok("Content-Type: text/plain\r\nETag: \"now\"\r\n", "the page")
}

#[tokio::test]
async fn tag_is_sent_alone_and_a_date_without_one() {
    let web = Web::start(answer).await;
    for (tag, modified, expected) in [
        (Some("\"a\""), None, (Some("\"a\""), None)),
        (Some("\"a\""), Some(DIGITS), (Some("\"a\""), None)),
        (Some("W/\"a\""), Some(DIGITS), (Some("W/\"a\""), None)),
        (Some("\"\""), None, (Some("\"\""), None)),
        (None, Some(DIGITS), (None, Some(DATE))),
    ] {
        let loaded = load(&web, "/same", version(tag, modified)).await.whole();
        let head = loaded.begin.unwrap();
        assert!(head.is_unchanged && loaded.octets.is_empty(), "{tag:?}");
        let (tag, date) = expected;
        let expected = (tag.map(str::to_owned), date.map(str::to_owned));
        assert_eq!(conditions(&web), [expected]);
    }
}

#[tokio::test]
async fn page_without_a_version_that_can_be_sent_comes_whole() {
    let web = Web::start(answer).await;
    let long = format!("\"{}\"", "x".repeat(2000));
    let tags = [
        "\"a b\"",
        "\"a\"b\"",
        "\"\u{e4}\"",
        "a\"",
        "w/\"a\"",
        "W/\"",
        "\"",
        "\"a\u{7f}\"",
        &long,
    ];
    let odd = tags.iter().map(|tag| version(Some(tag), Some(DIGITS)));
    let dates = ["", "1994", "19941399084937", "x9941106084937"];
    let dates = dates.iter().map(|date| version(None, Some(date)));
    for version in odd.chain(dates).chain([Version::default()]) {
        let loaded = load(&web, "/same", version.clone()).await.whole();
        assert_eq!(loaded.octets, b"the page", "{version:?}");
        let head = loaded.begin.unwrap();
        assert_eq!(head.version.tag.as_deref(), Some("\"now\""));
        assert!(!head.is_unchanged);
        assert_eq!(conditions(&web), [(None, None)], "{version:?}");
    }
}

#[tokio::test]
async fn answer_about_another_version_is_not_believed() {
    let web = Web::start(answer).await;
    let (tag, date) = (version(Some("\"a\""), None), version(None, Some(DIGITS)));
    for (path, version, is_believed) in [
        ("/tag", &tag, true),
        ("/weak", &tag, true),
        ("/vary", &tag, true),
        ("/other-date", &tag, true),
        ("/other-tag", &date, true),
        ("/other-tag", &tag, false),
        ("/other-date", &date, false),
        ("/other-charset", &tag, false),
        ("/412", &tag, false),
    ] {
        let loaded = load(&web, path, version.clone()).await;
        let asked = conditions(&web).len();
        if path == "/412" {
            assert_eq!(loaded.failure().kind, FailureKind::Malformed);
            assert_eq!(asked, 2, "asked again without a condition");
            continue;
        }
        let loaded = loaded.whole();
        assert_eq!(loaded.begin.unwrap().is_unchanged, is_believed, "{path}");
        assert_eq!(loaded.octets.is_empty(), is_believed, "{path}");
        assert_eq!(asked, if is_believed { 1 } else { 2 }, "{path}");
    }
    let loaded = load(&web, "/no-store", tag).await.whole();
    let head = loaded.begin.unwrap();
    assert!(head.is_unchanged && head.storage == PageStorage::Forbidden);
}

#[tokio::test]
async fn unchanged_page_that_was_not_asked_about_is_a_failure() {
    let web = Web::start(answer).await;
    for version in [Version::default(), version(Some("\"a\""), None)] {
        let real = ("/always", "/elsewhere");
        let failure = load_as(&web, real, version).await.failure();
        assert_eq!(failure.kind, FailureKind::Malformed);
        assert!(failure.sentence.contains("304 Not Modified"), "{failure:?}");
    }
    assert_eq!(conditions(&web), [(None, None), (None, None)]);
}

#[tokio::test]
async fn only_the_page_at_the_end_of_a_redirect_has_a_version() {
    let web = Web::start(answer).await;
    let tag = version(Some("\"a\""), None);
    let loaded = load_as(&web, ("/away", "/same"), tag.clone()).await.whole();
    let head = loaded.begin.unwrap();
    assert!(head.is_unchanged);
    assert_eq!(head.url.unwrap().as_str(), web.url("/same"));
    let asked = Some("\"a\"".to_owned());
    assert_eq!(conditions(&web), [(None, None), (asked, None)]);
    // It was the page itself before, or another one.
    for real in ["/away", "/other"] {
        let loaded = load_as(&web, ("/away", real), tag.clone()).await.whole();
        assert_eq!(loaded.octets, b"the page", "{real}");
    }
}

proptest! {
    #[test]
    fn any_tag_makes_a_request_of_one_field_or_none(
        tag in prop_oneof![any::<String>(), "(W/)?\"[!-~ ]{0,8}\""],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(async {
            let web = Web::start(|_: &HttpRequest| ok("", "whole")).await;
            let loaded = load(&web, "/same", version(Some(&tag), Some(DIGITS))).await.whole();
            assert_eq!(loaded.octets, b"whole");
            let [(sent, date)] = conditions(&web).try_into().unwrap();
            assert!(date.is_none());
            assert!(sent.is_none_or(|sent| sent == tag));
        });
    }
}
