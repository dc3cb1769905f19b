//! Archives: what went over the wire, in records that other programs read.

use std::fs;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use geomys_crawl::warc::{Resource, WarcError, WarcFile, WarcInfo, Written};
use geomys_load::{Purpose, Reason, Request};
use geomys_testing::capsule::Capsule;
use geomys_testing::hole::Hole;
use geomys_testing::loading::{carry_out, short_timeouts};
use geomys_testing::tls::Identity;
use geomys_testing::warc::{WarcRecord, read, sha1};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Exchange, ExchangeEnd, Net, Recording};
use proptest::prelude::*;
use rfc1738::{Dialect, Url};
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const INFO: WarcInfo<'static> = WarcInfo {
    honours_robots: true,
    description: "a test",
};

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).unwrap()
}

fn exchange(target: &str, sent: &str, received: &[u8], end: ExchangeEnd) -> Exchange {
    let mut spool = tempfile::spooled_tempfile(16);
    spool.write_all(received).unwrap();
    Exchange {
        target: url(target),
        peer: Some("192.0.2.1".parse().unwrap()),
        tls: None,
        start: SystemTime::UNIX_EPOCH + Duration::from_secs(1_790_000_000),
        duration: Duration::from_millis(250),
        sent: sent.as_bytes().to_vec(),
        received: spool,
        received_bytes: received.len() as u64,
        end,
    }
}

fn page(received: &[u8]) -> Exchange {
    exchange(
        "gopher://h.example/0/a",
        "/a\r\n",
        received,
        ExchangeEnd::Whole,
    )
}

/// The path of an archive in a new directory.
fn archive() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.warc.gz");
    (directory, path)
}

/// The records of an archive into which these exchanges went.
fn written(exchanges: Vec<Exchange>) -> Vec<WarcRecord> {
    let (_directory, path) = archive();
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    for exchange in exchanges {
        assert_eq!(archive.add_exchange(exchange, None).unwrap(), Written::New);
    }
    read(&path)
}

fn kinds(records: &[WarcRecord]) -> Vec<&str> {
    records.iter().map(WarcRecord::kind).collect()
}

/// Loads a page, and returns the records of its exchanges.
async fn recorded(text: &str) -> Vec<WarcRecord> {
    let (directory, _) = archive();
    let recording = Recording::new(directory.path().to_owned());
    let net = Net::default().with_recording(recording.clone());
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(text), Reason::Typed)
    };
    // Some end with a failure, which is recorded too.
    let _ = carry_out(&net, request).await;
    written(recording.take())
}

/// The types, media types and blocks of the request and the response.
fn messages(records: &[WarcRecord]) -> Vec<(&str, &str, String)> {
    let messages = records.iter().filter(|one| one.kind().starts_with("re"));
    let messages = messages.map(|one| (one.kind(), one.field("Content-Type").unwrap(), one.text()));
    messages.collect()
}

#[test]
fn values_of_cookies_are_masked() {
    for (head, expected) in [
        (
            "Set-Cookie: sid=s3cret; Path=/; Secure",
            "Set-Cookie: sid=******; Path=/; Secure",
        ),
        (
            "set-cookie :a = s3cret=s3cret",
            "set-cookie :a =**************",
        ),
        (
            "SET-COOKIE: s3cret; HttpOnly",
            "SET-COOKIE:*******; HttpOnly",
        ),
        (
            "Set-Cookie: a=s3\r\n cret; Path=/",
            "Set-Cookie: a=**\r\n*****; Path=/",
        ),
        (
            "Set-Cookie: a=1\r\nSet-Cookie: b=2",
            "Set-Cookie: a=*\r\nSet-Cookie: b=*",
        ),
        ("X-Note: set-cookie: a=1", "X-Note: set-cookie: a=1"),
    ] {
        for start in [
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.1 302 Found\r\n",
        ] {
            let body = "\r\n\r\nSet-Cookie: sid=text of the page\r\n";
            let octets = format!("{start}{head}{body}");
            let records = written(vec![exchange(
                "http://h.example/",
                "GET / HTTP/1.1\r\n\r\n",
                octets.as_bytes(),
                ExchangeEnd::Whole,
            )]);
            let response = records
                .iter()
                .find(|record| record.kind() == "response")
                .unwrap();
            assert_eq!(response.text(), format!("{start}{expected}{body}"));
            let written = sha1(response.field("WARC-Block-Digest").unwrap());
            let computed = digest(&SHA1_FOR_LEGACY_USE_ONLY, response.text().as_bytes());
            assert_eq!(written, computed.as_ref());
        }
    }
}

#[test]
fn exchange_is_three_records_behind_the_first_one() {
    let (_directory, path) = archive();
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    let via = url("gopher://h.example:70/1/");
    let added = archive.add_exchange(page(b"text\r\n.\r\n"), Some(&via));
    assert_eq!(added.unwrap(), Written::New);
    let records = read(&path);
    assert_eq!(
        kinds(&records),
        ["warcinfo", "response", "request", "metadata"]
    );
    let info = records[0].text();
    for line in [
        "software: geomys/",
        "format: WARC File Format 1.1\r\n",
        "conformsTo: http://iipc.github.io/warc-specifications/",
        "robots: classic\r\n",
        "description: a test\r\n",
    ] {
        assert!(info.contains(line), "{info}");
    }
    let response = &records[1];
    for (name, value) in [
        ("WARC-Target-URI", "gopher://h.example/0/a"),
        ("WARC-Date", "2026-09-21T14:13:20Z"),
        ("WARC-IP-Address", "192.0.2.1"),
        ("WARC-Protocol", "gopher"),
        ("Content-Type", "application/gopher; msgtype=response"),
    ] {
        assert_eq!(response.field(name), Some(value));
    }
    assert_eq!(response.field("WARC-Payload-Digest"), None);
    assert_eq!(response.text(), "text\r\n.\r\n");
    assert_eq!(records[2].text(), "/a\r\n");
    assert_eq!(
        records[3].text(),
        "via: gopher://h.example/1/\r\nfetchTimeMs: 250\r\n"
    );
    for record in &records[2..] {
        let id = response.field("WARC-Record-ID");
        assert_eq!(record.field("WARC-Concurrent-To"), id);
    }
}

#[tokio::test]
async fn octets_of_the_wire_are_recorded() {
    let hole = Hole::start(|line, _| format!("<{line}>\r\n.\r\n").into_bytes()).await;
    let at = hole.address;
    for (address, protocol, request, response) in [
        (
            format!("gopher://{at}/0/a%20b"),
            "gopher",
            "/a b\r\n",
            "</a b>\r\n.\r\n",
        ),
        (format!("nex://{at}/a"), "nex", "/a\r\n", "</a>\r\n.\r\n"),
        (
            format!("finger://{at}/ada"),
            "finger",
            "ada\r\n",
            "<ada>\r\n.\r\n",
        ),
    ] {
        let records = recorded(&address).await;
        let media = |kind: &str| format!("application/{protocol}; msgtype={kind}");
        assert_eq!(
            messages(&records),
            [
                ("response", &*media("response"), response.to_owned()),
                ("request", &*media("request"), request.to_owned())
            ]
        );
        assert_eq!(records[1].all("WARC-Protocol"), [protocol]);
        assert_eq!(records[1].field("WARC-IP-Address"), Some("127.0.0.1"));
    }
}

#[tokio::test]
async fn answer_of_gemini_has_its_header_and_the_version_of_tls() {
    let answer = |path: &str| match path {
        "/a" => (b"20 text/gemini\r\n# A\n".to_vec(), true),
        _ => (b"51 not here\r\n".to_vec(), true),
    };
    let capsule = Capsule::start(&Identity::self_signed("localhost"), answer).await;
    for (path, expected) in [("/a", "20 text/gemini\r\n# A\n"), ("/b", "51 not here\r\n")] {
        let records = recorded(&capsule.url(path)).await;
        assert_eq!(records[1].text(), expected);
        assert_eq!(records[2].text(), format!("{}\r\n", capsule.url(path)));
        assert_eq!(records[1].all("WARC-Protocol"), ["tls/1.3", "gemini"]);
        assert_eq!(records[1].field("WARC-Truncated"), None);
    }
}

#[tokio::test]
async fn redirects_are_recorded_with_the_url_of_each() {
    let answer = |path: &str| match path {
        "/a" => (b"30 /b\r\n".to_vec(), true),
        _ => (b"20 text/plain\r\nb".to_vec(), true),
    };
    let capsule = Capsule::start(&Identity::self_signed("localhost"), answer).await;
    let records = recorded(&capsule.url("/a")).await;
    let targets: Vec<_> = records[1..].iter().map(WarcRecord::target).collect();
    let (a, b) = (capsule.url("/a"), capsule.url("/b"));
    assert_eq!(targets, [&a, &a, &a, &b, &b, &b]);
}

#[tokio::test]
async fn payload_of_http_is_digested_as_it_was_sent() {
    let body = "5\r\nhello\r\n0\r\n\r\n";
    let answer = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{body}");
    let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 200000\r\n\r\n";
    let missing = format!("{missing}{}", "x".repeat(200_000));
    let (whole, absent) = (answer.clone(), missing.clone());
    let web = Web::start(move |request| match request.path() {
        "/" => whole.clone(),
        _ => absent.clone(),
    })
    .await;
    for (path, expected, payload) in [
        ("/", &answer, body),
        ("/gone", &missing, &missing[missing.len() - 200_000..]),
    ] {
        let records = recorded(&web.url(path)).await;
        assert_eq!(records[1].text(), *expected);
        let written = records[1].field("WARC-Payload-Digest").unwrap();
        let computed = digest(&SHA1_FOR_LEGACY_USE_ONLY, payload.as_bytes());
        assert_eq!(sha1(written), computed.as_ref());
        assert_eq!(records[1].all("WARC-Protocol"), ["http/1.1"]);
        assert!(
            records[2]
                .text()
                .starts_with(&format!("GET {path} HTTP/1.1\r\n"))
        );
        assert_eq!(records[1].field("WARC-Truncated"), None);
    }
}

#[tokio::test]
async fn malformed_and_cut_answers_are_kept_as_they_came() {
    let web = Web::start(|request| match request.path() {
        "/cut" => "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        _ => "SSH-2.0-nothing\r\n",
    })
    .await;
    let cut = recorded(&web.url("/cut")).await;
    assert!(cut[1].text().ends_with("\r\n\r\nhalf"));
    assert_eq!(cut[1].field("WARC-Truncated"), Some("disconnect"));
    let malformed = recorded(&web.url("/")).await;
    assert_eq!(malformed[1].text(), "SSH-2.0-nothing\r\n");
    assert_eq!(malformed[1].field("WARC-Payload-Digest"), None);
}

#[tokio::test]
async fn reason_of_a_cut_is_told() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let silent = format!("finger://{}/ada", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"half").await.unwrap();
        // It stays open, and says nothing more.
        stream.read_to_end(&mut Vec::new()).await.unwrap();
    });
    let hole = Hole::start(|_, _| b"0123456789".to_vec()).await;
    let long = format!("finger://{}/ada", hole.address);
    for (address, limit, reason) in [(silent, None, "time"), (long, Some(4), "length")] {
        let (directory, _) = archive();
        let recording = Recording::new(directory.path().to_owned());
        let net = short_timeouts().with_recording(recording.clone());
        let request = Request {
            limit,
            ..Request::show(url(&address), Reason::Typed)
        };
        carry_out(&net, request).await;
        let records = written(recording.take());
        assert_eq!(records[1].field("WARC-Truncated"), Some(reason));
    }
    server.await.unwrap();
}

#[tokio::test]
async fn pages_that_are_private_are_left_out() {
    let web = Web::start(|request| match request.field("authorization") {
        None if request.path() == "/" => {
            b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
                .to_vec()
        }
        _ => ok("Cache-Control: private, No-Store\r\n", "secret"),
    })
    .await;
    let (directory, path) = archive();
    let recording = Recording::new(directory.path().to_owned());
    let net = Net::default().with_recording(recording.clone());
    let mut request = Request::show(url(&web.url("/")), Reason::Typed);
    request.set_password("ada", "byron".to_owned());
    carry_out(&net, request).await;
    carry_out(&net, Request::show(url(&web.url("/stored")), Reason::Typed)).await;
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    let outcomes = recording.take().into_iter();
    let outcomes: Vec<_> = outcomes
        .map(|one| archive.add_exchange(one, None).unwrap())
        .collect();
    let expected = [
        Written::LeftOut("it needs a login"),
        Written::LeftOut("its server forbids storing it"),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(kinds(&read(&path)), ["warcinfo"]);
}

#[test]
fn login_of_a_proxy_is_removed_from_a_request() {
    let sent = "GET http://h/ HTTP/1.1\r\nHost: h\r\nProxy-Authorization: Basic eA==\r\n\r\n";
    let answer = b"HTTP/1.1 200 OK\r\n\r\nx";
    let records = written(vec![exchange(
        "http://h/",
        sent,
        answer,
        ExchangeEnd::Whole,
    )]);
    assert_eq!(
        records[2].text(),
        "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n"
    );
}

#[test]
fn cut_archive_is_repaired_at_every_octet_of_its_last_member() {
    let (directory, path) = archive();
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    archive.add_exchange(page(b"the first page"), None).unwrap();
    drop(archive);
    let octets = fs::read(&path).unwrap();
    let records = read(&path);
    let ends: Vec<_> = records.iter().map(|record| record.end).collect();
    let again = directory.path().join("again.warc.gz");
    for cut in 0..octets.len() {
        fs::write(&again, &octets[..cut]).unwrap();
        let archive = WarcFile::open(&again, INFO).unwrap();
        let whole = ends.iter().rev().find(|end| **end <= cut);
        let has = archive.answer(&url("gopher://h.example/0/a")).is_some();
        assert_eq!(has, cut >= ends[2], "{cut}: its request has come");
        drop(archive);
        let expected = whole.map_or(&octets[..0], |end| &octets[..*end]);
        let repaired = fs::read(&again).unwrap();
        assert!(repaired.starts_with(expected), "{cut}");
        // A new first record, if that was cut.
        assert_eq!(
            read(&again).len(),
            ends.iter().filter(|end| **end <= cut).count().max(1)
        );
    }
}

#[test]
fn file_that_is_no_archive_stays_as_it_is() {
    let (_directory, path) = archive();
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    archive.add_exchange(page(b"page"), None).unwrap();
    let mut damaged = fs::read(&path).unwrap();
    assert!(matches!(
        WarcFile::open(&path, INFO),
        Err(WarcError::Busy { .. })
    ));
    drop(archive);
    let at = read(&path)[1].end - 9;
    damaged[at] ^= 0xFF;
    let other = {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(b"a diary").unwrap();
        gzip.finish().unwrap()
    };
    for octets in [b"h".as_slice(), b"hello", &other, &damaged] {
        fs::write(&path, octets).unwrap();
        let opened = WarcFile::open(&path, INFO);
        assert!(
            matches!(
                opened,
                Err(WarcError::Foreign { .. } | WarcError::Damaged { .. })
            ),
            "{opened:?}"
        );
        assert_eq!(fs::read(&path).unwrap(), octets);
    }
}

#[test]
fn answer_that_is_there_is_not_written_again() {
    let (_directory, path) = archive();
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    assert_eq!(
        archive.add_exchange(page(b"one"), None).unwrap(),
        Written::New
    );
    drop(archive);
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    for (received, expected) in [
        (b"one", Written::Same),
        (b"two", Written::New),
        (b"two", Written::Same),
        (b"one", Written::New),
    ] {
        assert_eq!(
            archive.add_exchange(page(received), None).unwrap(),
            expected
        );
    }
    assert_eq!(kinds(&read(&path)).len(), 1 + 3 * 3);
}

#[test]
fn file_of_ftp_is_a_resource() {
    let (directory, path) = archive();
    let file = directory.path().join("file");
    fs::write(&file, "octets").unwrap();
    let mut archive = WarcFile::open(&path, INFO).unwrap();
    let mut add = || {
        let resource = Resource {
            url: &url("ftp://ada:byron@h.example:21/pub/a"),
            via: Some(&url("ftp://h.example/pub/")),
            media_type: "application/octet-stream",
            start: SystemTime::UNIX_EPOCH,
        };
        archive.add_resource(&resource, &mut fs::File::open(&file).unwrap())
    };
    assert_eq!(add().unwrap(), Written::New);
    assert_eq!(add().unwrap(), Written::Same);
    let records = read(&path);
    assert_eq!(kinds(&records), ["warcinfo", "resource", "metadata"]);
    assert_eq!(records[1].text(), "octets");
    assert_eq!(records[1].field("WARC-Protocol"), Some("ftp"));
    assert_eq!(records[1].target(), "ftp://ada@h.example/pub/a");
    assert_eq!(records[2].text(), "via: ftp://h.example/pub/\r\n");
}

/// Any end of an exchange.
fn any_end() -> impl Strategy<Value = ExchangeEnd> {
    prop_oneof![
        Just(ExchangeEnd::Whole),
        Just(ExchangeEnd::Limit),
        Just(ExchangeEnd::Timeout),
        Just(ExchangeEnd::Disconnect),
        Just(ExchangeEnd::Dropped),
    ]
}

fn appended(path: &Path, bodies: &[(Vec<u8>, ExchangeEnd)]) {
    for (number, (body, end)) in bodies.iter().enumerate() {
        let mut archive = WarcFile::open(path, INFO).unwrap();
        for target in [
            format!("http://h.example/{number}"),
            format!("gemini://h.example/{number}"),
        ] {
            let sent = "GET / HTTP/1.1\r\n\r\n";
            archive
                .add_exchange(exchange(&target, sent, body, *end), None)
                .unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// `read` checks the members, digests and references.
    #[test]
    fn any_answers_are_whole_members_with_their_digests(
        bodies in proptest::collection::vec(
            (prop_oneof![
                proptest::collection::vec(any::<u8>(), 1..300),
                "HTTP/1\\.1 [0-9]{3} [a-z\r\n:-]{0,80}".prop_map(String::into_bytes),
            ], any_end()),
            1..4,
        )
    ) {
        let (_directory, path) = archive();
        appended(&path, &bodies);
        let records = read(&path);
        let responses: Vec<_> = records.iter().filter(|one| one.kind() == "response").collect();
        prop_assert_eq!(responses.len(), bodies.len() * 2);
        for (response, (body, _)) in responses.iter().step_by(2).zip(&bodies) {
            prop_assert_eq!(&response.block, body);
        }
    }
}
