//! Compression (RFC 8054): when it begins, when it does not, and that the limits hold.

use std::sync::Arc;

use flate2::{Compress, FlushCompress};
use geomys_load::{Login, NewsSettings, ProtocolSettings, Reason, Request};
use geomys_testing::deflate::deflated;
use geomys_testing::loading::{carry_out, texts, url};
use geomys_testing::script::{DEADLINE, assert_played, play};
use geomys_wire::net::{Limits, Net, NetError, Security};
use geomys_wire::protocol::nntp::{Account, ArticleId, Compression, Dialogue, NntpError, OpenMode};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;

const CAN: &str =
    "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: COMPRESS LZ4 DEFLATE\nS: .\n";
const LOGIN: &str =
    "S: 480 who\nC: AUTHINFO USER ada\nS: 381 and\nC: AUTHINFO PASS byron\nS: 281 in\n";
/// The capabilities of a server under compression.
const PACKED: &str = "C: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";

fn limits() -> Limits {
    Limits {
        idle: std::time::Duration::from_secs(5),
        ..Limits::default()
    }
}

/// A dialogue with a peer that plays `plain`, and `packed` compressed.
async fn dial(plain: &str, packed: &str) -> (Dialogue<DuplexStream>, JoinHandle<()>) {
    let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
    let (plain, packed) = (plain.to_owned(), packed.to_owned());
    let playing = tokio::spawn(async move {
        play(&mut theirs, &plain).await;
        play(deflated(theirs), &packed).await;
    });
    let account = Account {
        user: "ada".to_owned(),
        password: "byron".to_owned(),
    };
    let opened = Dialogue::open(
        ours,
        "news:119",
        &limits(),
        Some(account),
        OpenMode::WithCapabilities,
        Security::Plain,
    )
    .await;
    let talk = opened.unwrap().with_compression(Compression::Offered);
    (talk, playing)
}

#[tokio::test]
async fn compression_begins_after_the_login() {
    let plain = format!(
        "S: 200 hi\n{CAN}C: ARTICLE <a@b>\n{LOGIN}{CAN}C: COMPRESS DEFLATE\nS: 206 go on\n"
    );
    let packed = format!(
        "{PACKED}C: ARTICLE <a@b>\nS: 220 0 <a@b>\nS: Subject: x\nS: \nS: ..x\nS: .\n\
         C: GROUP a\nS: 211 1 1 1 a\nC: OVER 1-1\nS: 423 none\nsilence"
    );
    let (mut talk, playing) = dial(&plain, &packed).await;
    talk.article(ArticleId::MessageId(b"a@b")).await.unwrap();
    let mut came = Vec::new();
    while let Some(run) = talk.block().await.unwrap() {
        came.extend(run);
    }
    assert_eq!(came, b"Subject: x\r\n\r\n.x\r\n");
    assert_eq!(talk.group(b"a").await.unwrap().high, 1);
    assert!(!talk.over(1, 1).await.unwrap());
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn refused_compression_continues_uncompressed() {
    for refusal in [
        "403 not now",
        "502 not you",
        "503 not that",
        "501 what",
        "500 what",
    ] {
        let plain = format!(
            "S: 200 hi\n{CAN}C: GROUP a\n{LOGIN}{CAN}C: COMPRESS DEFLATE\nS: {refusal}\n\
             C: GROUP a\nS: 211 7 1 7 a\nC: GROUP b\nS: 211 8 1 8 a\nsilence"
        );
        let (mut talk, playing) = dial(&plain, "").await;
        assert_eq!(talk.group(b"a").await.unwrap().high, 7, "{refusal}");
        // The command is not sent again.
        assert_eq!(talk.group(b"b").await.unwrap().high, 8, "{refusal}");
        drop(talk);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn no_compression_without_login_or_announcement() {
    let plain = format!("S: 200 hi\n{CAN}C: GROUP a\nS: 211 7 1 7 a\nsilence");
    let (mut talk, playing) = dial(&plain, "").await;
    talk.group(b"a").await.unwrap();
    drop(talk);
    assert_played(playing).await;
    let cannot = CAN.replace("DEFLATE", "GZIP");
    let plain =
        format!("S: 200 hi\n{CAN}C: GROUP a\n{LOGIN}{cannot}C: GROUP a\nS: 211 7 1 7 a\nsilence");
    let (mut talk, playing) = dial(&plain, "").await;
    talk.group(b"a").await.unwrap();
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn login_is_not_sent_under_compression() {
    let plain =
        format!("S: 200 hi\n{CAN}C: GROUP a\n{LOGIN}{CAN}C: COMPRESS DEFLATE\nS: 206 go on\n");
    let packed = format!("{PACKED}C: GROUP a\nS: 211 0 0 0 a\nC: GROUP b\nS: 480 who\nsilence");
    let (mut talk, playing) = dial(&plain, &packed).await;
    talk.group(b"a").await.unwrap();
    let error = talk.group(b"b").await.unwrap_err();
    assert!(
        matches!(error, NntpError::LoginWhileCompressed(_)) && error.is_reconnectable(),
        "{error:?}"
    );
    drop(talk);
    assert_played(playing).await;
}

/// A dialogue with a peer that has begun compression and sends these octets.
async fn begun(octets: Vec<u8>) -> Dialogue<DuplexStream> {
    let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let plain =
            format!("S: 200 hi\n{CAN}C: GROUP a\n{LOGIN}{CAN}C: COMPRESS DEFLATE\nS: 206 go on\n");
        play(&mut theirs, &plain).await;
        // The command comes first: an unsolicited reply would be rejected.
        let _ = theirs.read(&mut [0; 1]).await;
        let _ = theirs.write_all(&octets).await;
        let _ = theirs.read_to_end(&mut Vec::new()).await;
    });
    let account = Account {
        user: "ada".to_owned(),
        password: "byron".to_owned(),
    };
    let limits = limits();
    let opened = Dialogue::open(
        ours,
        "news:119",
        &limits,
        Some(account),
        OpenMode::WithCapabilities,
        Security::Plain,
    );
    opened.await.unwrap().with_compression(Compression::Offered)
}

fn packed(octets: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(octets.len() + 1024);
    Compress::new(flate2::Compression::best(), false)
        .compress_vec(octets, &mut packed, FlushCompress::Sync)
        .unwrap();
    packed
}

#[tokio::test]
async fn malformed_deflate_ends_the_dialogue() {
    let mut talk = begun(vec![0xFF; 100]).await;
    let error = timeout(DEADLINE, talk.group(b"a"))
        .await
        .expect("in time")
        .unwrap_err();
    let NntpError::Net(NetError::Io { source, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(source.to_string(), "its compression is broken");
}

#[tokio::test]
async fn deflate_bomb_stops_at_the_line_limit() {
    // 64 MiB of one line, in 64 KiB.
    let bomb = packed(&vec![b'1'; 64 << 20]);
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let mut talk = begun(bomb).await;
    let error = timeout(DEADLINE, talk.group(b"a"))
        .await
        .expect("in time")
        .unwrap_err();
    assert!(
        matches!(error, NntpError::Net(NetError::LongLine { .. })),
        "{error:?}"
    );
    // A capability list without end.
    let mut oversized = b"101 here\r\n".to_vec();
    oversized.extend(b"X\r\n".repeat(8 << 20));
    let mut talk = begun(packed(&oversized)).await;
    let error = timeout(DEADLINE, talk.group(b"a"))
        .await
        .expect("in time")
        .unwrap_err();
    assert!(matches!(error, NntpError::Malformed(_)), "{error:?}");
}

#[tokio::test]
async fn login_demand_under_compression_reconnects() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        for (group, end) in [("a", "C: GROUP b\nS: 480 once more\nsilence"), ("b", "")] {
            let accepting = timeout(DEADLINE, listener.accept());
            let (mut stream, _) = accepting.await.expect("a client").unwrap();
            let plain = format!(
                "S: 200 hi\n{CAN}C: GROUP {group}\n{LOGIN}{CAN}C: COMPRESS DEFLATE\nS: 206 go on\n"
            );
            play(&mut stream, &plain).await;
            let packed = format!(
                "{PACKED}C: GROUP {group}\nS: 211 1 7 7 {group}\nC: OVER 7-7\nS: 224 here\n\
                 S: 7\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\n{end}"
            );
            play(deflated(stream), &packed).await;
        }
    });
    let net = Net::default();
    for group in ["a", "b"] {
        let request = Request {
            login: Some(Login::new("ada", "byron")),
            settings: ProtocolSettings {
                news: Arc::new(NewsSettings {
                    compress_by_host: vec![("127.0.0.1".to_owned(), Compression::Offered)],
                    ..NewsSettings::default()
                }),
                ..ProtocolSettings::default()
            },
            ..Request::show(url(format!("nntp://{authority}/{group}")), Reason::Typed)
        };
        let page = carry_out(&net, request).await.whole();
        assert_eq!(texts(&page.document()), ["A burrow"]);
    }
    assert_played(serving).await;
}
