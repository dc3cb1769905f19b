//! The outbox: what was queued in the browser is sent by a sync, once.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use geomys_demo::Demo;
use geomys_testing::gate::Gate;
use geomys_testing::news::NewsServer;
use geomys_testing::script::{assert_played, listen, play};
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::{run, synced};
use crate::support::command::text;
use crate::support::screen::{Browser, EDITOR, Session};

const ADA: &str = "[news]\nfrom = \"Ada <ada@example.org>\"\n";

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";

const LIST: &str = "C: LIST ACTIVE a.b\nS: 215 x\nS: a.b 9 1 y\nS: .\n";

async fn news() -> NewsServer {
    let article = "Subject: A burrow\nFrom: bo@x\nDate: Thu, 26 Nov 2026 10:00:00 +0000\nMessage-ID: <1@x>\n\nhello";
    NewsServer::start(vec![("a.b", vec![article.to_owned()])]).await
}

/// A draft in its file, with this record.
fn draft(profile: &Path, name: &str, text: &str, record: &str) -> PathBuf {
    let drafts = profile.join("drafts");
    fs::create_dir_all(&drafts).unwrap();
    let path = drafts.join(name);
    fs::write(&path, text).unwrap();
    fs::write(path.with_extension("state"), record).unwrap();
    path
}

pub(super) fn post(profile: &Path, server: &str, state: &str) -> PathBuf {
    let text = "From: Ada <ada@example.org>\nNewsgroups: a.b\nSubject: Rain\n\nIt rains.\n";
    let record = format!("Server: {server}\nAttempts: 0\nState: {state}\nNamed-By: geomys:user\n");
    draft(profile, "1.eml", text, &record)
}

fn record(path: &Path) -> String {
    fs::read_to_string(path.with_extension("state")).unwrap()
}

/// A session of an author in the group of the server, with an editor that writes about rain.
async fn writer(server: &NewsServer) -> Session {
    let session = writer_at(server.address).await;
    session.wait("A burrow").await;
    session
}

async fn writer_at(address: SocketAddr) -> Session {
    let session = Browser::new()
        .settings(ADA)
        .file(
            EDITOR,
            "sed -i 's/^Subject: *$/Subject: Rain/' \"$1\"\necho 'It rains.' >> \"$1\"\n",
        )
        .open(format!("nntp://{address}/a.b"))
        .start();
    session.settle().await;
    session
}

async fn queued(session: &Session) {
    session.wait("At the next sync").await;
    session.press("s");
    session.wait("In the outbox: g U sync").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queued_post_is_listed_and_sent_once_by_the_next_sync() {
    let server = news().await;
    let session = writer(&server).await;
    session.press("P");
    session.wait("Post this article?").await;
    queued(&session).await;
    assert_eq!(server.received("POST").len(), 0);
    let profile = session.path().to_owned();
    let path = fs::read_dir(profile.join("drafts")).unwrap();
    let path = path.map(|entry| entry.unwrap().path());
    let path = path
        .into_iter()
        .find(|path| path.extension().unwrap() == "eml");
    let path = path.unwrap();
    let server_line = format!("Server: {}\n", server.address);
    assert_eq!(
        record(&path),
        format!("{server_line}Attempts: 0\nState: queued\nNamed-By: geomys:user\n")
    );
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    session.press("E");
    session.wait("waits for the next sync").await;
    // A draft that is edited does not leave meanwhile.
    session.press("Enter");
    session.wait("Post this draft?").await;
    assert!(record(&path).contains("State: unsent"), "{}", record(&path));
    assert!(synced(&profile).starts_with("0 new pages"));
    queued(&session).await;
    let planned = run(&profile, &["sync", "--dry-run"]);
    assert!(
        text(&planned.stdout).starts_with("outbox: 1 to send\n"),
        "{planned:?}"
    );
    assert!(synced(&profile).starts_with("outbox: 1 sent\n"));
    assert!(synced(&profile).starts_with("0 new pages"));
    let articles = server.articles("a.b");
    assert_eq!(articles.len(), 2, "{articles:?}");
    assert!(articles[1].contains("It rains."), "{articles:?}");
    assert!(!path.exists());
    assert_eq!(fs::read_dir(profile.join("sent")).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn article_written_offline_is_queued_by_enter_and_posted_by_the_next_sync() {
    let server = news().await;
    let session = writer(&server).await;
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    session.press("P");
    session.wait("Geomys is offline: it can be sent").await;
    session.wait("At the next sync").await;
    assert!(
        !session.screen().contains("Post it"),
        "{}",
        session.screen()
    );
    session.press("Enter");
    session.wait("In the outbox: g U sync").await;
    assert_eq!(server.received("POST").len(), 0);
    assert!(synced(session.path()).starts_with("outbox: 1 sent\n"));
    assert_eq!(server.articles("a.b").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_answer_is_looked_up_before_the_post_is_repeated() {
    let server = news().await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let path = post(profile, &server.address.to_string(), "queued");
    server.lose_answers(1);
    let first = run(profile, &["sync"]);
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    assert!(
        text(&first.stdout).starts_with("outbox: 1 later\n"),
        "{first:?}"
    );
    let written = record(&path);
    assert!(
        written.ends_with("Attempts: 1\nState: queued\nNamed-By: geomys:user\n"),
        "{written}"
    );
    assert!(!path.with_extension("why").exists());
    assert!(synced(profile).starts_with("outbox: 1 sent\n"));
    let id = written
        .lines()
        .find_map(|line| line.strip_prefix("Message-ID: "));
    assert_eq!(server.received("STAT"), [format!("STAT {}", id.unwrap())]);
    assert_eq!(server.received("POST").len(), 1);
    assert_eq!(server.articles("a.b").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn post_that_is_refused_for_now_is_sent_later() {
    let server = news().await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let path = post(profile, &server.address.to_string(), "queued");
    server.refuse_posts(1);
    let first = run(profile, &["sync"]);
    let (said, reasons) = (text(&first.stdout), text(&first.stderr));
    assert!(said.starts_with("outbox: 1 later\n"), "{said}{reasons}");
    assert!(record(&path).contains("State: queued"), "{}", record(&path));
    assert!(synced(profile).starts_with("outbox: 1 sent\n"));
    assert_eq!(server.received("POST").len(), 2);
    assert_eq!(server.articles("a.b").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_post_that_its_server_calls_a_duplicate_counts_as_sent() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let playing = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let begin = format!("{HELLO}{LIST}C: STAT <7@x>\nS: 430 no\nC: POST\nS: 340 go\n");
        play(&mut stream, &begin).await;
        let mut article = Vec::new();
        while !article.ends_with(b"\r\n.\r\n") {
            article.push(stream.read_u8().await.unwrap());
        }
        play(&mut stream, "S: 441 435 <7@x>\nsilence").await;
        String::from_utf8(article).unwrap()
    });
    let text = "From: Ada <ada@example.org>\nNewsgroups: a.b\nSubject: Rain\n\nIt rains.\n";
    let record = format!(
        "Server: {address}\nMessage-ID: <7@x>\nAttempts: 1\nState: sending\nNamed-By: geomys:user\n"
    );
    let path = draft(profile, "1.eml", text, &record);
    let said = synced(profile);
    assert!(said.starts_with("outbox: 1 sent\n"), "{said}");
    assert!(!path.exists());
    let article = playing.await.unwrap();
    assert!(article.contains("Message-ID: <7@x>\r\n"), "{article}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_network_keeps_a_post_queued_and_a_refusal_keeps_the_words() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = closed.local_addr().unwrap().to_string();
    drop(closed);
    let path = post(profile, &address, "queued");
    let output = run(profile, &["sync"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stdout).starts_with("outbox: 1 later\n"),
        "{output:?}"
    );
    assert!(record(&path).ends_with("Attempts: 0\nState: queued\nNamed-By: geomys:user\n"));
    assert!(!path.with_extension("why").exists());

    let refusing = format!("{HELLO}{LIST}C: POST\nS: 440 not you\nsilence");
    let (address, playing) = listen(&[&refusing]).await;
    let path = post(profile, &address.to_string(), "queued");
    let output = run(profile, &["sync"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stdout).starts_with("outbox: 1 failed\n"),
        "{output:?}"
    );
    assert!(
        record(&path).contains("State: refused"),
        "{}",
        record(&path)
    );
    let why = fs::read_to_string(path.with_extension("why")).unwrap();
    assert!(why.contains("the server said: 440 not you"), "{why}");
    // It waits for its author, and each run says so.
    for output in [output, run(profile, &["sync"])] {
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let reasons = text(&output.stderr);
        assert!(
            reasons.contains("the server said: 440 not you"),
            "{reasons}"
        );
        assert!(said.starts_with("outbox: 1 failed\n"), "{said}");
    }
    fs::remove_file(&path).unwrap();
    assert!(synced(profile).starts_with("0 new pages"));
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uncertain_mail_is_listed_and_never_repeated_by_itself() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let taken = profile.join("taken");
    let settings = format!(
        "[mail]\ncommand = [\"sh\", \"-c\", \"cat >> {}; exit $(cat {})\"]\n",
        taken.display(),
        profile.join("status").display()
    );
    fs::write(profile.join("settings.toml"), settings).unwrap();
    let mail = "From: Ada <ada@example.org>\nTo: bo@example.org\nSubject: Rain\n\nIt rains.\n";
    let killed = draft(
        profile,
        "1.eml",
        mail,
        "Server: \nAttempts: 1\nState: sending\n",
    );
    let waiting = draft(
        profile,
        "2.eml",
        &mail.replace("Rain", "Snow"),
        "Server: \nAttempts: 0\nState: queued\n",
    );
    // The mail program has no network.
    fs::write(profile.join("status"), "75").unwrap();
    for _ in 0..2 {
        let output = run(profile, &["sync"]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = text(&output.stderr);
        assert!(
            said.contains("“Rain”: unknown whether it was sent"),
            "{said}"
        );
        assert!(record(&killed).ends_with("State: unknown\n"));
        assert_eq!(record(&waiting), "Server: \nAttempts: 0\nState: queued\n");
    }
    fs::write(profile.join("status"), "0").unwrap();
    fs::remove_file(&taken).unwrap();
    assert!(synced(profile).starts_with("outbox: 1 sent, 1 to answer\n"));
    let mails = fs::read_to_string(&taken).unwrap();
    assert_eq!(mails.matches("Subject: ").count(), 1, "{mails}");
    assert!(mails.contains("Subject: Snow"), "{mails}");
    // The user decides in the browser.
    let session = Browser::in_profile(directory).start();
    session.settle().await;
    session.press("E");
    session.wait("uncertain").await;
    session.press("Enter");
    session.wait("Mail this draft?").await;
    session.wait("Note: sent once: unknown.").await;
}

/// The form of the demo's slate with a text, up to the question.
async fn upload(session: &Session, demo: &Demo, token: &str) {
    session.press("o");
    session.type_in(&format!("titan://{}/slate", demo.addresses.gemini));
    session.press("Enter");
    session.wait("Media type").await;
    session.type_in("A mole in a hat");
    session.press("Tab Tab Tab");
    session.type_in(token);
    session.press("Tab Enter");
    session.wait("Send 15 bytes of text to titan://").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_waits_for_the_sync_unless_it_needs_a_token() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40);
    upload(&session, &demo, "s3cret").await;
    assert!(
        !session.screen().contains("next sync"),
        "{}",
        session.screen()
    );
    drop(session);
    let session = Session::demo(&demo, 120, 40);
    upload(&session, &demo, "").await;
    session.press("s");
    session.wait("In the outbox: g U sync").await;
    let profile = session.path().to_owned();
    let said = synced(&profile);
    assert!(said.starts_with("outbox: 1 sent\n"), "{said}");
    assert!(synced(&profile).starts_with("0 new pages"));
    assert_eq!(fs::read_dir(profile.join("sent")).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn upload_written_offline_is_queued_by_enter() {
    let demo = Demo::start().await.unwrap();
    let session = Session::demo(&demo, 120, 40);
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    upload(&session, &demo, "").await;
    session.press("Enter");
    session.wait("In the outbox: g U sync").await;
    assert!(synced(session.path()).starts_with("outbox: 1 sent\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn post_whose_server_is_gone_is_queued_by_enter() {
    let server = news().await;
    let mut gate = Gate::before(server.address).await;
    let session = writer_at(gate.address).await;
    session.press("P");
    session.wait("Post this article?").await;
    gate.close().await;
    session.press("p");
    session.wait("It was not sent.").await;
    session.wait("At the next sync").await;
    session.press("Enter");
    session.wait("In the outbox: g U sync").await;
    gate.open().await;
    assert!(synced(session.path()).starts_with("outbox: 1 sent\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn private_tab_queues_nothing() {
    let server = news().await;
    let session = Browser::new()
        .settings(ADA)
        .file(
            EDITOR,
            "sed -i 's/^Subject: *$/Subject: Rain/' \"$1\"\necho 'It rains.' >> \"$1\"\n",
        )
        .start();
    session.settle().await;
    session.press(":");
    session.type_in("private-tab");
    session.press("Enter o");
    session.type_in(&format!("nntp://{}/a.b", server.address));
    session.press("Enter");
    session.wait("A burrow").await;
    session.press("P");
    session.wait("Post this article?").await;
    assert!(
        !session.screen().contains("next sync"),
        "{}",
        session.screen()
    );
}
