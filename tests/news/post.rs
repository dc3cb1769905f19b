//! Posting, by transcripts: what goes over the wire, and what every answer comes to.

use geomys::load::{
    Failure, Listed, LoadId, Login, NotSent, Posting, Question, Request, Sent, Sink, Stop, listed,
    post,
};
use geomys::net::Net;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::request;
use crate::support::script::{DEADLINE, listen, played};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: POST\nS: .\n";
const LIST: &str =
    "C: LIST ACTIVE a.b,a.c\nS: 215 x\nS: a.b 9 1 y\nS: a.c 9 1 m\nS: a.bc 1 1 y\nS: .\n";
const ARTICLE: &[u8] = b"From: a@b\r\n\r\nOne\r\n.\n..two\r\n.three\nlast";
const SENT: &str =
    "C: POST\nS: 340 go\nC: From: a@b\n|C: One\nC: ..\nC: ...two\nC: ..three\nC: last\nC: .\n";

/// The transcript of an article that is sent; a transcript passes over empty lines, so that one is heard as octets.
fn sent() -> String {
    SENT.replace('|', "C: \n")
}

fn groups() -> Vec<Vec<u8>> {
    vec![b"a.b".to_vec(), b"a.c".to_vec()]
}

fn sink() -> (Sink, mpsc::Receiver<(LoadId, geomys::load::Part)>) {
    let (sender, receiver) = mpsc::channel(64);
    (Sink::new(LoadId(1), sender), receiver)
}

/// Posts the article; where `tried` is set, an earlier attempt had that Message-ID.
async fn posted_again(
    net: &Net,
    request: &Request,
    tried: Option<&str>,
) -> (Result<Sent, NotSent>, Option<String>) {
    let (sink, _phases) = sink();
    let mut told = None;
    let article = |recommended| {
        told = recommended;
        async { Ok(ARTICLE.to_vec()) }
    };
    let groups = groups();
    let posting = post(net, request, &groups, tried, article, sink);
    let posted = timeout(DEADLINE, posting).await.expect("in time");
    (posted, told)
}

async fn posted(net: &Net, request: &Request) -> Result<Sent, NotSent> {
    posted_again(net, request, None).await.0
}

/// The words in which it was taken.
fn taken(result: Result<Sent, NotSent>) -> String {
    match result {
        Ok(Sent::Taken(words)) => words.to_string(),
        other => panic!("it was not taken: {other:?}"),
    }
}

fn refused(result: Result<Sent, NotSent>) -> Failure {
    match result {
        Err(NotSent::Refused(failure) | NotSent::Stopped(Stop::Failed(failure))) => failure,
        other => panic!("no refusal: {other:?}"),
    }
}

#[tokio::test]
async fn groups_that_fit_no_command_are_asked_about_in_several() {
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
    let found = listed(&net, &request, &groups, sink).await.unwrap();
    let found: Vec<&[u8]> = found.iter().map(|group| group.name.as_slice()).collect();
    assert_eq!(found, [&groups[0], &groups[4], &groups[8]]);
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn the_groups_of_an_article_are_asked_about() {
    let (address, playing) = listen(&[&format!("{HELLO}{LIST}silence")]).await;
    let net = Net::default();
    let (sink, _phases) = sink();
    let request = request(&format!("nntp://{address}/a.b"));
    let found = listed(&net, &request, &groups(), sink).await.unwrap();
    let is = |name: &str, posting| Listed {
        name: name.as_bytes().to_vec(),
        posting,
    };
    assert_eq!(
        found,
        [is("a.b", Posting::Open), is("a.c", Posting::Moderated)]
    );
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn an_article_goes_stuffed_and_the_connection_is_kept() {
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
    played(playing).await;
}

#[tokio::test]
async fn a_refusal_is_in_the_servers_words_and_the_dialogue_goes_on() {
    let script = format!(
        "{HELLO}{LIST}C: POST\nS: 440 nobody posts here\n{LIST}{0}S: 441 no \\x1b[2J such\n{LIST}{0}S: 240 ok\nsilence",
        sent()
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let failure = refused(posted(&net, &request).await);
    assert_eq!(
        failure.sentence,
        format!("{address} takes no articles from here")
    );
    assert_eq!(failure.said[0].as_str(), "440 nobody posts here");
    let failure = refused(posted(&net, &request).await);
    assert_eq!(
        failure.sentence,
        format!("{address} did not take the article")
    );
    assert!(failure.said[0].as_str().starts_with("441 no "));
    assert!(posted(&net, &request).await.is_ok());
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn a_name_is_asked_for_and_the_command_repeated() {
    let asked = format!("{HELLO}{LIST}C: POST\nS: 480 who are you");
    let answered = format!(
        "{HELLO}{LIST}C: POST\nS: 480 who are you\nC: AUTHINFO USER ada\nS: 381 and\nC: AUTHINFO PASS lovelace\nS: 281 in\n\
         C: CAPABILITIES\nS: 101 x\nS: POST\nS: .\n{}S: 240 ok\nsilence",
        sent()
    );
    let (address, playing) = listen(&[&asked, &answered]).await;
    let net = Net::default();
    let mut request = request(&format!("nntp://{address}/a.b"));
    let wanted = posted(&net, &request).await;
    assert!(
        matches!(
            wanted,
            Err(NotSent::Stopped(Stop::Needs(Question::Login { .. })))
        ),
        "{wanted:?}"
    );
    request.login = Some(Login::new("ada", "lovelace"));
    assert!(posted(&net, &request).await.is_ok());
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn an_article_without_an_answer_may_have_been_taken() {
    let script = format!("{HELLO}{LIST}{}", sent());
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let lost = posted(&net, &request).await;
    assert!(matches!(lost, Err(NotSent::Unknown(_))), "{lost:?}");
    played(playing).await;
}

#[tokio::test]
async fn a_connection_that_died_while_it_was_kept_loses_no_article() {
    let first = format!("{HELLO}{LIST}");
    let second = format!("{HELLO}{LIST}{}S: 240 ok\nsilence", sent());
    let (address, playing) = listen(&[&first, &second]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (sink, _phases) = sink();
    listed(&net, &request, &groups(), sink).await.unwrap();
    assert!(posted(&net, &request).await.is_ok());
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn a_line_end_in_the_name_of_a_group_reaches_nobody() {
    let (address, playing) = listen(&[&format!("{HELLO}silence")]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (sink, _phases) = sink();
    let odd = [b"a.b\r\nPOST".to_vec()];
    let found = listed(&net, &request, &odd, sink).await;
    let Err(Stop::Failed(failure)) = found else {
        panic!("{found:?}")
    };
    assert!(failure.sentence.contains("not "), "{failure:?}");
    drop(net);
    played(playing).await;
}

const TRIED: &str = "<1@x>";

#[tokio::test]
async fn recommended_id_is_given_to_the_article() {
    let sent = sent().replace("340 go", "340 Ok, recommended ID <abc$1@h.example>");
    let script = format!("{HELLO}{LIST}{sent}S: 240 ok\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (posted, told) = posted_again(&net, &request, None).await;
    assert_eq!(taken(posted), "240 ok");
    assert_eq!(told.as_deref(), Some("<abc$1@h.example>"));
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn article_of_an_earlier_attempt_is_not_sent_again() {
    let script = format!("{HELLO}{LIST}C: STAT <1@x>\nS: 223 0 <1@x>\nsilence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    let (posted, _) = posted_again(&net, &request, Some(TRIED)).await;
    assert!(matches!(posted, Ok(Sent::There(_))), "{posted:?}");
    drop(net);
    played(playing).await;
}

#[tokio::test]
async fn duplicate_of_an_earlier_attempt_is_there_and_of_none_is_refused() {
    let again = format!("C: STAT <1@x>\nS: 430 no\n{}S: 441 435 Duplicate\n", sent());
    let kept = format!(
        "C: STAT <1@x>\nS: 430 no\n{}S: 441 try later\nC: STAT <1@x>\nS: 223 0 <1@x>\n",
        sent()
    );
    let first = format!("{}S: 441 435 Duplicate\n", sent());
    let script = format!("{HELLO}{LIST}{again}{LIST}{kept}{LIST}{first}silence");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let request = request(&format!("nntp://{address}/a.b"));
    for _ in 0..2 {
        let (posted, _) = posted_again(&net, &request, Some(TRIED)).await;
        assert!(matches!(posted, Ok(Sent::There(_))), "{posted:?}");
    }
    let (posted, _) = posted_again(&net, &request, None).await;
    assert!(matches!(posted, Err(NotSent::Refused(_))), "{posted:?}");
    drop(net);
    played(playing).await;
}
