//! Posting, as transcripts: the octets on the wire, and the outcome of every reply.

use std::future::ready;

use futures_util::FutureExt;
use geomys_load::{
    EarlierPost, Failure, FailureKind, LoadId, Login, PostError, PostOutcome, PostingGroup,
    PostingStatus, Question, Request, Sink, Stop, post, posting_groups,
};
use geomys_testing::script::{DEADLINE, assert_played, listen};
use geomys_wire::net::Net;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::request;

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: POST\nS: .\n";
const LIST: &str =
    "C: LIST ACTIVE a.b,a.c\nS: 215 x\nS: a.b 9 1 y\nS: a.c 9 1 m\nS: a.bc 1 1 y\nS: .\n";
const ARTICLE: &[u8] = b"From: a@b\r\n\r\nOne\r\n.\n..two\r\n.three\nlast";
const SENT: &str =
    "C: POST\nS: 340 go\nC: From: a@b\n|C: One\nC: ..\nC: ...two\nC: ..three\nC: last\nC: .\n";

/// The transcript of a sent article; transcripts skip empty lines, so the empty line is matched as octets.
fn sent() -> String {
    SENT.replace('|', "C: \n")
}

fn groups() -> Vec<Vec<u8>> {
    vec![b"a.b".to_vec(), b"a.c".to_vec()]
}

fn sink() -> (Sink, mpsc::Receiver<(LoadId, geomys_load::Part)>) {
    let (sender, receiver) = mpsc::channel(64);
    (Sink::new(LoadId(1), sender), receiver)
}

/// Posts the article; where `tried` is set, an earlier attempt had that Message-ID.
async fn posted_again(
    net: &Net,
    request: &Request,
    tried: Option<&str>,
) -> (Result<PostOutcome, PostError>, Option<String>) {
    let (sink, _phases) = sink();
    let mut recommended_id = None;
    let article = Box::new(|recommended| {
        recommended_id = recommended;
        ready(Ok(ARTICLE.to_vec())).boxed()
    });
    let groups = groups();
    let tried = tried.map(|id| EarlierPost {
        id,
        may_repeat: true,
    });
    let posting = post(net, request, &groups, tried, article, sink);
    let posted = timeout(DEADLINE, posting).await.expect("in time");
    (posted, recommended_id)
}

async fn posted(net: &Net, request: &Request) -> Result<PostOutcome, PostError> {
    posted_again(net, request, None).await.0
}

/// The server's words of acceptance.
fn taken(result: Result<PostOutcome, PostError>) -> String {
    match result {
        Ok(PostOutcome::Accepted(words)) => words.to_string(),
        other => panic!("it was not taken: {other:?}"),
    }
}

fn refused(result: Result<PostOutcome, PostError>) -> Failure {
    match result {
        Err(PostError::Refused(failure) | PostError::Stopped(Stop::Failed(failure))) => failure,
        other => panic!("no refusal: {other:?}"),
    }
}

#[tokio::test]
async fn long_group_list_is_split_into_several_commands() {
    let groups: Vec<Vec<u8>> = (0..9)
        .map(|number| format!("{}{number}", "a".repeat(99)).into_bytes())
        .collect();
    let names = |groups: &[Vec<u8>]| String::from_utf8(groups.join(&b',')).unwrap();
    // Four names of 100 octets and their commas fit, five do not.
    let lists: Vec<String> = groups
        .chunks(4)
        .map(|some| {
            let names = names(some);
            let first = names.split(',').next().unwrap();
            format!("C: LIST ACTIVE {names}\nS: 215 x\nS: {first} 9 1 y\nS: .\n")
        })
        .collect();
    let (address, playing) = listen(&[&format!("{HELLO}{}silence", lists.concat())]).await;
    let net = Net::default();
    let (sink, _phases) = sink();
    let request = request(&format!("nntp://{address}/a.b"));
    let found = posting_groups(&net, &request, &groups, sink).await.unwrap();
    let found: Vec<&[u8]> = found.iter().map(|group| group.name.as_slice()).collect();
    assert_eq!(found, [&groups[0], &groups[4], &groups[8]]);
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn posting_status_of_each_group_is_requested() {
    let (address, playing) = listen(&[&format!("{HELLO}{LIST}silence")]).await;
    let net = Net::default();
    let (sink, _phases) = sink();
    let request = request(&format!("nntp://{address}/a.b"));
    let found = posting_groups(&net, &request, &groups(), sink)
        .await
        .unwrap();
    let is = |name: &str, posting| PostingGroup {
        name: name.as_bytes().to_vec(),
        posting,
    };
    assert_eq!(
        found,
        [
            is("a.b", PostingStatus::Open),
            is("a.c", PostingStatus::Moderated)
        ]
    );
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn article_is_dot_stuffed_and_the_connection_is_pooled() {
    let script = format!(
        "{HELLO}{LIST}{0}S: 240 ok\n{LIST}{0}S: 240 again\nsilence",
        sent()
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    assert_eq!(taken(posted(&net, &request).await), "240 ok");
    assert_eq!(taken(posted(&net, &request).await), "240 again");
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn refused_post_quotes_the_server_and_dialogue_continues() {
    let script = format!(
        "{HELLO}{LIST}C: POST\nS: 440 nobody posts here\n{LIST}{0}S: 441 no \\x1b[2J such\n{LIST}{0}S: 240 ok\n{LIST}{0}S: 441 Too many posts\nsilence",
        sent()
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let failure = refused(posted(&net, &request).await);
    assert_eq!(
        failure.sentence,
        format!("{address} does not allow posting")
    );
    assert_eq!(failure.said[0].as_str(), "440 nobody posts here");
    let failure = refused(posted(&net, &request).await);
    assert_eq!(failure.sentence, format!("{address} refused the article"));
    assert!(failure.said[0].as_str().starts_with("441 no "));
    assert!(posted(&net, &request).await.is_ok());
    // A refusal that will end is no refusal of the article.
    let later = posted(&net, &request).await;
    let Err(PostError::Stopped(Stop::Failed(failure))) = later else {
        panic!("{later:?}");
    };
    assert_eq!(failure.kind, FailureKind::Busy);
    assert_eq!(failure.said[0].as_str(), "441 Too many posts");
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn login_demand_prompts_and_post_is_repeated() {
    let demands_login = format!("{HELLO}{LIST}C: POST\nS: 480 who are you");
    let answered = format!(
        "{HELLO}{LIST}C: POST\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 381 and\nC: AUTHINFO PASS lovelace\nS: 281 in\n\
         C: CAPABILITIES\nS: 101 x\nS: POST\nS: .\n{}S: 240 ok\nsilence",
        sent()
    );
    let (address, playing) = listen(&[&demands_login, &answered]).await;
    let net = Net::default();
    let mut request = request(&format!("nntp://{address}/a.b"));
    let refused = posted(&net, &request).await;
    assert!(
        matches!(
            refused,
            Err(PostError::Stopped(Stop::Needs(Question::Login { .. })))
        ),
        "{refused:?}"
    );
    request.login = Some(Login::new("ada", "lovelace"));
    assert!(posted(&net, &request).await.is_ok());
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn missing_answer_is_an_unknown_outcome() {
    let script = format!("{HELLO}{LIST}{}", sent());
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let lost = posted(&net, &request).await;
    assert!(matches!(lost, Err(PostError::Unknown(_))), "{lost:?}");
    assert_played(playing).await;
}

#[tokio::test]
async fn dead_pooled_connection_loses_no_article() {
    let first = format!("{HELLO}{LIST}");
    let second = format!("{HELLO}{LIST}{}S: 240 ok\nsilence", sent());
    let (address, playing) = listen(&[&first, &second]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (sink, _phases) = sink();
    posting_groups(&net, &request, &groups(), sink)
        .await
        .unwrap();
    assert!(posted(&net, &request).await.is_ok());
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn line_break_in_group_name_is_not_sent() {
    let (address, playing) = listen(&[&format!("{HELLO}silence")]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (sink, _phases) = sink();
    let odd = [b"a.b\r\nPOST".to_vec()];
    let found = posting_groups(&net, &request, &odd, sink).await;
    let Err(Stop::Failed(failure)) = found else {
        panic!("{found:?}")
    };
    assert!(failure.sentence.contains("not "), "{failure:?}");
    drop(net);
    assert_played(playing).await;
}

const TRIED: &str = "<1@x>";

#[tokio::test]
async fn recommended_message_id_is_returned() {
    let sent = sent().replace("340 go", "340 Ok, recommended ID <abc$1@h.example>");
    let script = format!("{HELLO}{LIST}{sent}S: 240 ok\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (posted, recommended_id) = posted_again(&net, &request, None).await;
    assert_eq!(taken(posted), "240 ok");
    assert_eq!(recommended_id.as_deref(), Some("<abc$1@h.example>"));
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn article_of_an_earlier_attempt_is_not_sent_again() {
    let script = format!("{HELLO}{LIST}C: STAT <1@x>\nS: 223 0 <1@x>\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (posted, _) = posted_again(&net, &request, Some(TRIED)).await;
    assert!(
        matches!(posted, Ok(PostOutcome::AlreadyPosted(_))),
        "{posted:?}"
    );
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn duplicate_is_posted_after_an_earlier_attempt_and_refused_without() {
    let again = format!("C: STAT <1@x>\nS: 430 no\n{}S: 441 435 Duplicate\n", sent());
    let previous = format!(
        "C: STAT <1@x>\nS: 430 no\n{}S: 441 try later\nC: STAT <1@x>\nS: 223 0 <1@x>\n",
        sent()
    );
    let first = format!("{}S: 441 435 Duplicate\n", sent());
    let script = format!("{HELLO}{LIST}{again}{LIST}{previous}{LIST}{first}silence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    for _ in 0..2 {
        let (posted, _) = posted_again(&net, &request, Some(TRIED)).await;
        assert!(
            matches!(posted, Ok(PostOutcome::AlreadyPosted(_))),
            "{posted:?}"
        );
    }
    let (posted, _) = posted_again(&net, &request, None).await;
    assert!(matches!(posted, Err(PostError::Refused(_))), "{posted:?}");
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn absence_of_an_earlier_article_tells_nothing_in_a_moderated_group() {
    let script = format!("{HELLO}{LIST}C: STAT <1@x>\nS: 430 no\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let tried = Some(EarlierPost {
        id: TRIED,
        may_repeat: false,
    });
    let article = Box::new(|_| ready(Ok(ARTICLE.to_vec())).boxed());
    let (sink, _phases) = sink();
    let groups = groups();
    let posted = timeout(
        DEADLINE,
        post(&net, &request, &groups, tried, article, sink),
    );
    let Err(PostError::Uncertain(failure)) = posted.await.unwrap() else {
        panic!("it was sent again");
    };
    let expected = "unknown whether it was sent: a.c is moderated";
    assert_eq!(failure.sentence, expected);
    drop(net);
    assert_played(playing).await;
}
