//! Overviews on the way: rows appear as they come, and only those that were asked for.

use std::net::SocketAddr;

use geomys::net::{Limits, Net};

use super::load::page;
use super::{load, request, rows};
use crate::support::screen::Session;
use crate::support::script::{assert_played, listen};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\n";

fn session(address: SocketAddr, group: &str) -> Session {
    let profile = tempfile::tempdir().unwrap();
    let server = Some((address.ip().to_string(), address.port()));
    let addresses = [format!("nntp://{address}/{group}")];
    let session = Session::start(profile, server, &addresses, (80, 24), Limits::default());
    session.press("B");
    session
}

/// The rows of articles on the screen, by their subjects.
fn subjects(screen: &str) -> Vec<&str> {
    let words = screen.split_whitespace();
    words.filter(|word| word.starts_with("subject-")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_stalling_server_appear_and_stay_after_esc() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 90 1 90 a\nC: OVER 1-90\nS: 224 x\nS: 3\tsubject-3\tada@x\nS: 5\tsubject-5\tada@x\n\
         S: 4\tsubject-4\tada@x\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let session = session(address, "a");
    session.wait("subject-4").await;
    assert_eq!(
        subjects(&session.screen()),
        ["subject-5", "subject-4", "subject-3"]
    );
    // The cursor stays on its article while rows come above it, and its row stays after Esc.
    session.press("Esc");
    session.wait("stopped").await;
    assert_eq!(
        subjects(&session.screen()),
        ["subject-5", "subject-4", "subject-3"]
    );
    drop(session);
    assert_played(playing).await;
}

#[tokio::test]
async fn articles_that_were_not_requested_and_doubles_are_dropped() {
    let script = format!(
        "{HELLO}C: GROUP a\nS: 211 9 10 109 a\nC: OVER 10-109\nS: 224 x\nS: 9\texpired\nS: 10\tten\nS: 11\televen\n\
         S: 10\tten again\nS: 110\tnew\nS: 18446744073709551615\tfar\nS: 0\tnone\nS: .\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert_eq!(loaded.lines(), ["10\tten", "11\televen"]);
    let shown = rows(&page(&loaded, "news:a"));
    let shown: Vec<_> = shown.iter().map(|row| row.text()).collect();
    assert_eq!(shown, ["eleven", "ten"]);
    loaded.end.unwrap();
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn endless_articles_that_were_not_requested_end_the_load() {
    let junk = format!("S: 99\t{}\n", "x".repeat(60_000)).repeat(80);
    let script =
        format!("{HELLO}C: GROUP a\nS: 211 9 1 9 a\nC: OVER 1-9\nS: 224 x\nS: 3\tthree\n{junk}");
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let loaded = load(&net, request(&format!("nntp://{address}/a"))).await;
    assert_eq!(loaded.lines(), ["3\tthree"]);
    let sentence = loaded.failure().0;
    assert_eq!(
        sentence,
        format!("{address} sent articles that were not asked for")
    );
    playing.abort();
}
