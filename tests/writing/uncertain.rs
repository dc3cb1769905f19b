//! Articles whose answer was lost: their server is checked for them before they are sent again.

use std::os::unix::fs::PermissionsExt;

use geomys_demo::Demo;
use geomys_testing::script::play;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::{ADA, EDITOR, files, says, session, write};
use crate::support::screen::{Browser, Session};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";
const LIST: &str = "C: LIST ACTIVE a.b\nS: 215 x\nS: a.b 9 1 y\nS: .\n";

/// Reads an article up to its final dot.
async fn article(stream: &mut tokio::net::TcpStream) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(b"\r\n.\r\n") {
        heard.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(heard).unwrap()
}

/// The notes beside the only draft.
fn record(session: &Session) -> String {
    let drafts = std::fs::read_dir(session.path().join("drafts")).unwrap();
    let mut states: Vec<_> = drafts.map(|entry| entry.unwrap().path()).collect();
    states.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "state")
    });
    assert_eq!(states.len(), 1, "{states:?}");
    let mode = std::fs::metadata(&states[0]).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    std::fs::read_to_string(&states[0]).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answer_checks_for_the_article_before_sending_again() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let playing = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let script = format!(
            "{HELLO}C: GROUP a.b\nS: 211 1 7 7 a.b\nC: OVER 7-7\nS: 224 x\nS: 7\tA burrow\tbo@x\t\t<7@x>\t\t1\t1\nS: .\n\
             {LIST}{LIST}C: POST\nS: 340 Ok, recommended ID <rec@h.example>\n"
        );
        play(&mut stream, &script).await;
        let sent = article(&mut stream).await;
        // The connection dies after the final dot.
        stream.shutdown().await.unwrap();
        drop(stream);
        let (mut stream, _) = listener.accept().await.unwrap();
        let script = format!(
            "{HELLO}{LIST}C: STAT <rec@h.example>\nS: 223 0 <rec@h.example>\nC: GROUP a.b\nS: 211 1 7 7 a.b\nC: OVER 7-7\nS: 224 x\nS: 7\tA burrow\tbo@x\t\t<7@x>\t\t1\t1\nS: .\nsilence"
        );
        play(&mut stream, &script).await;
        sent
    });
    let profile = tempfile::tempdir().unwrap();
    write(&profile, "settings.toml", ADA);
    write(&profile, "signature", "Ada\n");
    write(&profile, EDITOR, &says("Rain", "Rain."));
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a.b"))
        .size((100, 30))
        .start();
    session.wait("A burrow").await;
    session.press("P");
    session.wait("Post this article?").await;
    assert!(record(&session).contains("Attempts: 0\nState: unsent\n"));
    session.choose("Post it").await;
    session.wait("Unknown whether it was sent.").await;
    assert_eq!(
        record(&session),
        format!(
            "Server: {address}\nMessage-ID: <rec@h.example>\nAttempts: 1\nState: unknown\nNamed-By: geomys:user\n"
        )
    );
    session.choose("Check, and send it if it is missing").await;
    session.wait("Posted by an earlier attempt").await;
    assert_eq!(files(&session, "drafts").len(), 0);
    assert_eq!(files(&session, "sent").len(), 1);
    drop(session);
    let sent = playing.await.unwrap();
    assert!(
        sent.contains("\r\nMessage-ID: <rec@h.example>\r\n"),
        "{sent}"
    );
    assert!(sent.contains("\r\nCancel-Lock: sha256:"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn draft_of_another_server_warns_and_is_sent_there() {
    let (one, other) = (Demo::start().await.unwrap(), Demo::start().await.unwrap());
    let session = session(&one, "underloam.talk.weather", ADA, &says("Rain", "Rain."));
    session.wait("of 10").await;
    session.press("P");
    session.wait("Post this article?").await;
    session.choose("Keep it as a draft").await;
    session.wait("raft stored").await;
    session.press("o");
    session.type_in(&format!(
        "nntp://{}/underloam.talk.weather",
        other.addresses.news
    ));
    session.press("Enter");
    session.wait("of 10").await;
    write(&session.profile, EDITOR, "true\n");
    session.press("E");
    session.wait("1 draft").await;
    session.press("Enter");
    session.wait("Note: it was written for 127.0.0.1:").await;
    session.choose("Post it to 127.0.0.1:PORT.").await;
    session.wait("Post this draft?").await;
    session.wait_until_absent("it was written for").await;
    session.choose("Post it").await;
    session.wait("Posted").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quit_while_sending_reports_the_draft() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (received, article_received) = tokio::sync::oneshot::channel();
    let playing = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let script =
            format!("{HELLO}C: GROUP a.b\nS: 211 0 0 0 a.b\n{LIST}{LIST}C: POST\nS: 340 Ok\n");
        play(&mut stream, &script).await;
        article(&mut stream).await;
        received.send(()).unwrap();
        play(&mut stream, "silence").await;
    });
    let profile = tempfile::tempdir().unwrap();
    write(&profile, "settings.toml", ADA);
    write(&profile, "signature", "Ada\n");
    write(&profile, EDITOR, &says("Rain", "Rain."));
    let session = Browser::in_profile(profile)
        .open(format!("nntp://{address}/a.b"))
        .size((100, 30))
        .start();
    session.wait("No articles here yet").await;
    session.press("P");
    session.wait("Post this article?").await;
    session.choose("Post it").await;
    session.wait("Sending it").await;
    article_received.await.unwrap();
    session.press("q");
    session.wait("A draft is being sent.").await;
    session.press("n");
    session.settle().await;
    session.press("q y");
    let profile = session.end().await.profile;
    playing.await.unwrap();
    let drafts = std::fs::read_dir(profile.path().join("drafts")).unwrap();
    let states = drafts.filter_map(|entry| {
        let path = entry.unwrap().path();
        let is_state = path
            .extension()
            .is_some_and(|extension| extension == "state");
        is_state.then(|| std::fs::read_to_string(path).unwrap())
    });
    let states: Vec<String> = states.collect();
    assert!(states[0].contains("State: unknown"), "{states:?}");
    // Its own Message-ID, as the server recommends none.
    assert!(states[0].contains("@example.org>\n"), "{states:?}");
}
