//! Syncs that are killed at any moment: nothing is lost, and nothing is posted twice.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use geomys_testing::news::NewsServer;

use super::{Pages, capsule, offline, set, synced};

/// Number of runs that are killed.
const KILLS: usize = 50;

/// Runs a sync, and kills it as soon as `is_time`. Returns true if it was killed.
async fn killed(profile: &Path, is_time: impl Fn() -> bool) -> bool {
    let mut child = Command::new(env!("CARGO_BIN_EXE_geomys"))
        .args(["--config", profile.to_str().unwrap(), "sync"])
        .env_clear()
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    loop {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        if is_time() {
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
        tokio::task::yield_now().await;
    }
}

fn queue_post(profile: &Path, server: &str, number: usize) {
    let path = profile.join(format!("drafts/{number:03}.eml"));
    let draft =
        format!("From: a@example.org\nNewsgroups: a.b\nSubject: Post {number}\n\nText {number}.\n");
    fs::write(&path, draft).unwrap();
    let record = format!("Server: {server}\nAttempts: 0\nState: queued\nNamed-By: geomys:user\n");
    fs::write(path.with_extension("state"), record).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_syncs_lose_nothing_and_post_nothing_twice() {
    let server = NewsServer::start(vec![("a.b", Vec::new())]).await;
    let pages = Pages::default();
    let names: Vec<&'static str> = (0..20)
        .map(|number| &*Box::leak(format!("/page{number}").into_boxed_str()))
        .collect();
    let links = names.iter().map(|name| format!("=> {name} x\n"));
    let links = links.collect::<Vec<_>>().concat();
    set(&pages, &[("/robots.txt", ""), ("/top", &links)]);
    for name in &names {
        set(&pages, &[(name, &format!("the text of {name}\n"))]);
    }
    let capsule = capsule(&pages).await;
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let bookmark = format!("Top <URL:{}> #offline\n", capsule.url("/top"));
    fs::write(profile.join("bookmarks.txt"), bookmark).unwrap();
    fs::create_dir(profile.join("drafts")).unwrap();
    let address = server.address.to_string();
    let commands = || -> usize {
        let kinds = ["CAPABILITIES", "LIST", "STAT", "POST"];
        kinds.iter().map(|kind| server.received(kind).len()).sum()
    };
    let (mut kills, mut posts) = (0, 0);
    for run in 0.. {
        if kills == KILLS {
            break;
        }
        for _ in 0..2 {
            posts += 1;
            queue_post(profile, &address, posts);
        }
        let (asked, stored) = (commands(), server.articles("a.b").len());
        let requested = capsule.requests().len();
        let is_time = || match run % 3 {
            // At a command of the outbox.
            0 => commands() > asked + run % 7,
            // When the server has taken an article, and has perhaps not answered yet.
            1 => server.articles("a.b").len() > stored + run % 2,
            // At a page.
            _ => capsule.requests().len() > requested + run % 5,
        };
        kills += usize::from(killed(profile, is_time).await);
        assert!(run < 4 * KILLS, "most runs are killed");
    }
    // What a killed run may have sent is looked up.
    synced(profile);
    let mut left = fs::read_dir(profile.join("drafts")).unwrap();
    assert!(!left.any(|entry| is_draft(&entry.unwrap())));
    let mut found = BTreeMap::new();
    for article in server.articles("a.b") {
        let subject = article.lines().find(|line| line.starts_with("Subject: "));
        *found.entry(subject.unwrap().to_owned()).or_insert(0) += 1;
    }
    let expected = (1..=posts).map(|number| (format!("Subject: Post {number}"), 1));
    assert_eq!(found, expected.collect());
    let sent = fs::read_dir(profile.join("sent")).unwrap();
    assert_eq!(
        sent.filter(|entry| is_draft(entry.as_ref().unwrap()))
            .count(),
        posts
    );
    for name in names {
        let shown = offline(profile, &capsule.url(name));
        assert_eq!(shown, format!("the text of {name}\n"));
    }
}

/// True for a draft with its text: a kill may leave the name that was reserved for one.
fn is_draft(entry: &fs::DirEntry) -> bool {
    let path = entry.path();
    let is_draft = path.extension().is_some_and(|extension| extension == "eml");
    is_draft && entry.metadata().unwrap().len() > 0
}
