//! RFC 3977, 2980 and 4643 as transcripts in memory.

use std::time::Duration;

use geomys_testing::script::{DEADLINE, assert_played, peer};
use geomys_wire::net::{Limits, NetError, Security};
use geomys_wire::protocol::nntp::{
    Account, ArticleId, Dialogue, List, NntpError, OpenMode, WaterMarks, message_id,
};
use tokio::io::DuplexStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

type Talk = Dialogue<DuplexStream>;

fn account(user: &str, password: &str) -> Account {
    Account {
        user: user.to_owned(),
        password: password.to_owned(),
    }
}

fn ada() -> Account {
    account("ada", "lovelace")
}

fn limits() -> Limits {
    Limits {
        idle: Duration::from_millis(200),
        ..Limits::default()
    }
}

async fn dial(script: &str, account: Option<Account>) -> (Result<Talk, NntpError>, JoinHandle<()>) {
    let (stream, playing) = peer(script);
    let limits = limits();
    let opened = Dialogue::open(
        stream,
        "news:119",
        &limits,
        account,
        OpenMode::WithCapabilities,
        Security::Plain,
    );
    let talk = timeout(DEADLINE, opened).await.expect("in time");
    (talk, playing)
}

/// A dialogue with a modern server that continues with this script.
async fn modern(rest: &str, account: Option<Account>) -> (Talk, JoinHandle<()>) {
    let script = format!(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: READER\nS: OVER\nS: LIST ACTIVE counts\nS: .\n{rest}"
    );
    let (talk, playing) = dial(&script, account).await;
    (talk.unwrap(), playing)
}

async fn whole(talk: &mut Talk) -> Result<Vec<u8>, NntpError> {
    let mut all = Vec::new();
    while let Some(run) = timeout(DEADLINE, talk.block()).await.expect("in time")? {
        all.extend_from_slice(&run);
    }
    Ok(all)
}

fn code(error: &NntpError) -> u16 {
    match error {
        NntpError::Declined(reply)
        | NntpError::Goodbye(reply)
        | NntpError::Malformed(reply)
        | NntpError::LoginRequired(reply)
        | NntpError::LoginRefused(reply)
        | NntpError::PasswordRequired(_, Some(reply), _) => reply.code,
        NntpError::NoCapabilities(inner) => code(inner),
        other => panic!("no reply in {other:?}"),
    }
}

#[tokio::test]
async fn refusing_greetings_are_errors_with_their_code() {
    for (greeting, expected) in [
        ("400 busy", 400),
        ("502 go away", 502),
        ("480 who are you", 480),
        ("220 mail here", 220),
        ("nonsense", 0),
        ("2000 nonsense", 0),
    ] {
        let (talk, playing) = dial(&format!("S: {greeting}\nsilence"), None).await;
        let error = talk.expect_err(greeting);
        assert_eq!(code(&error), expected, "{greeting}: {error:?}");
        assert_played(playing).await;
    }
    let (talk, playing) = dial("S| \\xE9\\n", None).await;
    assert!(matches!(talk, Err(NntpError::Malformed(_))));
    assert_played(playing).await;
    let (talk, playing) = dial("", None).await;
    assert!(matches!(talk, Err(NntpError::Net(NetError::Closed { .. }))));
    assert_played(playing).await;
}

#[tokio::test]
async fn mode_reader_is_sent_when_announced_or_without_capabilities() {
    // Announced: the capabilities are requested again.
    let (talk, playing) = dial(
        "S: 201 hi\nC: CAPABILITIES\nS: 101 list\nS: VERSION 2\nS: mode-reader\nS: .\nC: MODE READER\nS: 200 ok\n\
         C: CAPABILITIES\nS: 101 list\nS: READER\nS: OVER\nS: .\nC: OVER 1-2\nS: 423 none\nsilence",
        None,
    )
    .await;
    let mut talk = talk.unwrap();
    assert!(!talk.over(1, 2).await.unwrap());
    drop(talk);
    assert_played(playing).await;
    // Neither capabilities nor modes: 500 twice is a server of 1986.
    let (talk, playing) = dial(
        "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 500 what\nC: XOVER 1-2\nS: 224 x\nS: 1\ta\nS: .\nsilence",
        None,
    )
    .await;
    let mut talk = talk.unwrap();
    assert!(talk.over(1, 2).await.unwrap());
    assert_eq!(whole(&mut talk).await.unwrap(), b"1\ta\r\n");
    drop(talk);
    assert_played(playing).await;
    let (talk, playing) = dial(
        "S: 200 hi\nC: CAPABILITIES\nS: 500 what\nC: MODE READER\nS: 502 not you\nsilence",
        None,
    )
    .await;
    assert_eq!(code(&talk.unwrap_err()), 502);
    assert_played(playing).await;
}

#[tokio::test]
async fn disconnect_at_capabilities_allows_a_retry_without() {
    for script in [
        "S: 200 hi\nC: CAPABILITIES",
        "S: 200 hi\nC: CAPABILITIES\nS: 400 what",
    ] {
        let (talk, playing) = dial(script, None).await;
        assert!(matches!(talk, Err(NntpError::NoCapabilities(_))));
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn over_falls_back_to_xover() {
    let (mut talk, playing) = modern(
        "C: OVER 1-5\nS: 500 announced but unknown\nC: XOVER 1-5\nS: 420 none\nC: XOVER 6-9\nS: 503 no overview\nsilence",
        None,
    )
    .await;
    assert!(!talk.over(1, 5).await.unwrap());
    assert_eq!(code(&talk.over(6, 9).await.unwrap_err()), 503);
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn empty_groups_and_numbers_beyond_32_bits_parse() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 211 0 1 0 a\nC: GROUP a\nS: 211 0 0 0 a\nC: GROUP a\nS: 211 0 5 7\nC: GROUP a\nS: 211 7 4294967296 18446744073709551615 b c\n\
         C: GROUP a\nS: 211\nC: GROUP a\nS: 211 0 400 3 a\nC: GROUP a\nS: 411 no such\nsilence",
        None,
    )
    .await;
    let marks = |count, low, high| WaterMarks { count, low, high };
    for (expected, is_empty) in [
        (marks(0, 1, 0), true),
        (marks(0, 0, 0), true),
        (marks(0, 5, 7), false),
        (marks(7, 1 << 32, u64::MAX), false),
        (marks(0, 0, 0), true),
        (marks(0, 400, 3), true),
    ] {
        let group = talk.group(b"a").await.unwrap();
        assert_eq!(group, expected);
        assert_eq!(group.is_empty(), is_empty);
    }
    assert_eq!(code(&talk.group(b"a").await.unwrap_err()), 411);
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn login_on_480_reselects_group_and_repeats_command() {
    let (mut talk, playing) = modern(
        "C: GROUP a.b\nS: 211 2 1 2 a.b\nC: OVER 1-2\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 381 more\nC: AUTHINFO PASS lovelace\n\
         S: 281 welcome\nC: CAPABILITIES\nS: 101 list\nS: READER\nS: .\nC: GROUP a.b\nS: 211 2 1 2 a.b\nC: OVER 1-2\nS: 224 here\nS: 2\tx\nS: .\n\
         C: XOVER 1-2\nS: 224 here\nS: .\nsilence",
        Some(ada()),
    )
    .await;
    talk.group(b"a.b").await.unwrap();
    assert!(talk.over(1, 2).await.unwrap());
    assert_eq!(whole(&mut talk).await.unwrap(), b"2\tx\r\n");
    // After login the capabilities differ: OVER is missing.
    assert!(talk.over(1, 2).await.unwrap());
    assert_eq!(whole(&mut talk).await.unwrap(), b"");
    assert!(talk.accepts_account(None) && talk.accepts_account(Some(&ada())));
    assert!(!talk.accepts_account(Some(&account("bo", "x"))));
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn failed_logins_report_their_code() {
    let start = "C: GROUP a\nS: 480 who\nC: AUTHINFO USER ada\n";
    for (rest, expected) in [
        (
            "S: 381 more\nC: AUTHINFO PASS lovelace\nS: 481 wrong\nsilence",
            481,
        ),
        ("S: 482 rejected\nsilence", 482),
        (
            "S: 381 more\nC: AUTHINFO PASS lovelace\nS: 502 no\nsilence",
            502,
        ),
        ("S: 500 what\nsilence", 500),
        (
            "S: 281 in already\nC: CAPABILITIES\nS: 101 x\nS: .\nC: GROUP a\nS: 480 still not\nsilence",
            480,
        ),
        ("S: 400 closing\nsilence", 400),
    ] {
        let (mut talk, playing) = modern(&format!("{start}{rest}"), Some(ada())).await;
        let error = talk.group(b"a").await.expect_err(rest);
        assert_eq!(code(&error), expected, "{rest}");
        assert!(!format!("{error:?} {error} {talk:?}").contains("lovelace"));
        drop(talk);
        assert_played(playing).await;
    }
    // A name alone may suffice.
    let script = format!(
        "{start}S: 281 in\nC: CAPABILITIES\nS: 101 x\nS: .\nC: GROUP a\nS: 211 0 0 0\nsilence"
    );
    let (mut talk, playing) = modern(&script, Some(ada())).await;
    talk.group(b"a").await.unwrap();
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn login_is_not_sent_without_name_or_before_offered_tls() {
    for account in [None, Some(account("", "x"))] {
        let (mut talk, playing) = modern("C: GROUP a\nS: 480 who\nsilence", account).await;
        let error = talk.group(b"a").await.unwrap_err();
        assert!(matches!(error, NntpError::LoginRequired(_)), "{error:?}");
        drop(talk);
        assert_played(playing).await;
    }
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 480 who\nC: AUTHINFO USER ada\nS: 381 more\nsilence",
        Some(account("ada", "")),
    )
    .await;
    let error = talk.group(b"a").await.unwrap_err();
    assert!(matches!(&error, NntpError::PasswordRequired(user, None, _) if user == "ada"));
    drop(talk);
    assert_played(playing).await;
    let (talk, playing) = dial(
        "S: 200 hi\nC: CAPABILITIES\nS: 101 list\nS: STARTTLS\nS: .\nC: GROUP a\nS: 480 who\nsilence",
        Some(ada()),
    )
    .await;
    let mut talk = talk.unwrap();
    assert!(matches!(
        talk.group(b"a").await,
        Err(NntpError::InsecureLogin)
    ));
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn code_401_sends_mode_reader_and_repeats() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 401 MODE-READER\nC: MODE READER\nS: 200 ok\nC: GROUP a\nS: 211 0 0 0\nsilence",
        None,
    )
    .await;
    talk.group(b"a").await.unwrap();
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn code_401_later_reselects_the_group() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 211 1 1 1 a\nC: ARTICLE 1\nS: 401 MODE-READER\nC: MODE READER\nS: 200 ok\n\
         C: GROUP a\nS: 211 1 1 1 a\nC: ARTICLE 1\nS: 220 1 <c@d>\nS: Subject: x\nS: \nS: .\nsilence",
        None,
    )
    .await;
    talk.group(b"a").await.unwrap();
    talk.article(ArticleId::Number(b"a", 1)).await.unwrap();
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn group_is_sent_when_it_changes_or_the_server_forgot_it() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 211 9 1 9 a\nC: STAT 1\nS: 223 1 <1@x>\nC: STAT 2\nS: 223 2 <2@x>\n\
         C: STAT 10\nS: 423 none\nC: GROUP a\nS: 211 10 1 10 a\nC: STAT 10\nS: 223 10 <10@x>\n\
         C: STAT 3\nS: 412 no group\nC: GROUP a\nS: 211 10 1 10 a\nC: STAT 3\nS: 223 3 <3@x>\n\
         C: GROUP b\nS: 211 1 1 1 b\nC: STAT 1\nS: 223 1 <1@y>\nC: STAT 2\nS: 423 none\n\
         C: GROUP b\nS: 211 1 1 1 b\nC: STAT 2\nS: 423 none\nC: GROUP c\nS: 411 none\n\
         C: GROUP b\nS: 211 1 1 1 b\nC: STAT 1\nS: 223 1 <1@y>\nsilence",
        None,
    )
    .await;
    for number in [1, 2, 10, 3] {
        let stat = talk.stat(ArticleId::Number(b"a", number)).await;
        stat.unwrap_or_else(|error| panic!("{number}: {error}"));
    }
    talk.stat(ArticleId::Number(b"b", 1)).await.unwrap();
    for (group, number, expected) in [(b"b", 2, 423), (b"c", 1, 411)] {
        let refused = talk.stat(ArticleId::Number(group, number)).await;
        assert_eq!(code(&refused.unwrap_err()), expected);
    }
    talk.stat(ArticleId::Number(b"b", 1)).await.unwrap();
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn articles_load_by_number_and_by_id() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 211 1 9 9 a\nC: ARTICLE 7\nS: 423 none\nC: ARTICLE <a@b>\nS: 430 none\nC: ARTICLE <c@d>\nS: 220 0 <c@d>\nS| Subject: x\\n\nS| \\r\\n..dot\\n.. \\r\\n\nS: .\nC: LIST NEWSGROUPS\nS: 215 x\nS: .\nsilence",
        None,
    )
    .await;
    assert_eq!(
        code(&talk.article(ArticleId::Number(b"a", 7)).await.unwrap_err()),
        423
    );
    assert_eq!(
        code(
            &talk
                .article(ArticleId::MessageId(b"a@b"))
                .await
                .unwrap_err()
        ),
        430
    );
    talk.article(ArticleId::MessageId(b"<c@d>")).await.unwrap();
    // LF alone ends a line as well; one dot is taken off, blanks at the end are not.
    assert_eq!(
        whole(&mut talk).await.unwrap(),
        b"Subject: x\r\n\r\n.dot\r\n. \r\n"
    );
    talk.list(List::Newsgroups, None).await.unwrap();
    assert_eq!(whole(&mut talk).await.unwrap(), b"");
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn arguments_with_line_breaks_are_not_sent() {
    let (mut talk, playing) = modern("silence", None).await;
    assert!(matches!(
        talk.article(ArticleId::MessageId(b"a@b\r\nPOST")).await,
        Err(NntpError::Net(NetError::Unsendable { .. }))
    ));
    assert!(matches!(
        talk.group(b"a\r\nPOST").await,
        Err(NntpError::Net(NetError::Unsendable { .. }))
    ));
    assert!(talk.group(&b"a".repeat(600)).await.is_err());
    for bad in [b"a b".as_slice(), b"a\tb", b" a", b"a ", b""] {
        assert!(matches!(
            talk.group(bad).await,
            Err(NntpError::Unsendable { .. })
        ));
        assert!(matches!(
            talk.list(List::Active, Some(bad)).await,
            Err(NntpError::Unsendable { .. })
        ));
    }
    for bad in [b"a b@c".as_slice(), b"a\x01@b", b"a>b@c", &b"a".repeat(260)] {
        assert!(matches!(message_id(bad), Err(NntpError::Unsendable { .. })));
    }
    assert_eq!(message_id(b"<a@b>").unwrap(), b"<a@b>");
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn interrupted_block_keeps_received_lines() {
    let (mut talk, playing) =
        modern("C: LIST ACTIVE comp.*\nS: 215 x\nS: a 1 1 y\nS| b 2", None).await;
    talk.list(List::Active, Some(b"comp.*")).await.unwrap();
    let mut came = Vec::new();
    let error = loop {
        match timeout(DEADLINE, talk.block()).await.expect("in time") {
            Ok(run) => came.extend(run.expect("no end came")),
            Err(error) => break error,
        }
    };
    assert_eq!(came, b"a 1 1 y\r\nb 2");
    assert_eq!(
        error.to_string(),
        "news:119 closed the connection in the middle of the reply"
    );
    assert_played(playing).await;
}

#[tokio::test]
async fn unlimited_body_line_is_chunked_and_unlimited_reply_fails() {
    let long = "x".repeat(200_000);
    let (mut talk, playing) = modern(
        &format!(
            "C: GROUP a\nS: 211 2 1 2 a\nC: ARTICLE 1\nS: 220 1\nS| ..{long}\nS| .\nS: \nS: .\nC: ARTICLE 2\nS| 220 {long}"
        ),
        None,
    )
    .await;
    talk.article(ArticleId::Number(b"a", 1)).await.unwrap();
    let came = whole(&mut talk).await.unwrap();
    assert!(
        came == format!(".{long}.\r\n").into_bytes(),
        "{}",
        came.len()
    );
    assert!(matches!(
        talk.article(ArticleId::Number(b"a", 2)).await,
        Err(NntpError::Net(NetError::LongLine { .. }))
    ));
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn silent_server_times_out() {
    let (talk, playing) = dial("silence", None).await;
    assert!(matches!(
        talk,
        Err(NntpError::Net(NetError::Timeout { .. }))
    ));
    assert_played(playing).await;
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 211 1 1 1 a\nC: ARTICLE 1\nS: 220 1\nS| half a li\nsilence",
        None,
    )
    .await;
    talk.article(ArticleId::Number(b"a", 1)).await.unwrap();
    assert_eq!(talk.block().await.unwrap().unwrap(), b"half a li");
    assert!(matches!(
        talk.block().await,
        Err(NntpError::Net(NetError::Timeout { .. }))
    ));
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn unsolicited_line_ends_the_dialogue() {
    let (mut talk, playing) =
        modern("C: GROUP a\nS| 211 0 0 0\\r\\n400 bye\\r\\n\nsilence", None).await;
    talk.group(b"a").await.unwrap();
    let error = talk.group(b"b").await.unwrap_err();
    assert!(matches!(error, NntpError::UnexpectedData) && error.is_reconnectable());
    drop(talk);
    assert_played(playing).await;
}

/// Begins a request, and drops it.
async fn begin(request: impl Future<Output = Result<(), NntpError>>) {
    tokio::select! {
        biased;
        _ = request => panic!("an answer at once"),
        () = std::future::ready(()) => {}
    }
}

#[tokio::test]
async fn reply_that_nobody_wants_is_read_to_its_end() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nS: 211 9 1 9 a\nC: ARTICLE 1\nS: 220 1 <1@x>\nS: Subject: x\nS: \nS: words\nS: .\n\
         C: STAT 2\nS: 423 none\nC: GROUP a\nS: 211 9 1 9 a\nC: STAT 2\nS: 223 2 <2@x>\nsilence",
        None,
    )
    .await;
    talk.group(b"a").await.unwrap();
    assert!(!talk.is_mid_reply());
    // Dropped before its status line.
    begin(talk.article(ArticleId::Number(b"a", 1))).await;
    assert!(talk.is_mid_reply());
    assert!(talk.drain(1000).await && !talk.is_mid_reply());
    talk.stat(ArticleId::Number(b"a", 2)).await.unwrap();
    drop(talk);
    assert_played(playing).await;
}

#[tokio::test]
async fn long_or_malformed_reply_is_not_read_to_its_end() {
    for (rest, most) in [
        (
            "S: 220 1 <1@x>\nS: Subject: x\nS: \nS: words\nS: .\nsilence",
            10,
        ),
        ("S: what\nsilence", 1000),
        ("S: 220 1 <1@x>\nS: Subject: x\n", 1000),
    ] {
        let (mut talk, playing) = modern(&format!("C: ARTICLE <1@x>\n{rest}"), None).await;
        begin(talk.article(ArticleId::MessageId(b"1@x"))).await;
        assert!(!talk.drain(most).await, "{rest}");
        drop(talk);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn dialogue_out_of_step_is_not_read_to_its_end() {
    let (mut talk, playing) = modern(
        "C: GROUP a\nC: ARTICLE 5\nC: ARTICLE 4\nS: 211 5 1 5 a\nS: 220 4 <4@x>\nS: .\nS: 220 5 <5@x>\nS: .\nsilence",
        None,
    )
    .await;
    talk.send_articles_ahead(b"a", &[5, 4]).await.unwrap();
    let error = talk.article(ArticleId::Number(b"a", 5)).await.unwrap_err();
    assert!(matches!(error, NntpError::Malformed(_)), "{error:?}");
    assert!(talk.has_lost_window(&error));
    // All replies would come, but those to what is asked next may be others, too.
    assert!(!talk.is_mid_reply());
    assert!(!talk.drain(1000).await);
    drop(talk);
    assert_played(playing).await;
}
