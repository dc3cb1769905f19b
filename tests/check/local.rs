//! What this machine lacks is no fault of a server: a run ends with one sentence, and marks nobody.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use std::time::Duration;

use geomys::config::{self, Environment, UserPaths};
use geomys_app::bookmarks::message::{BulkOutcome, BulkReport};
use geomys_app::{App, BookmarkEffect, BookmarkMessage, Effect, Message};
use geomys_load::check::{LinkCheckResult, LinkStatus};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::{CheckResult, UrlKey, current_second};
use geomys_testing::web::{Web, ok};

use crate::support::command::text;
use crate::support::screen::event;

/// Runs the binary with so few descriptors that it cannot connect to many servers at once.
fn run_with_few_descriptors(profile: &Path, arguments: &[&str]) -> Output {
    Command::new("sh")
        .args([
            "-c",
            "ulimit -n 12; exec \"$0\" \"$@\"",
            env!("CARGO_BIN_EXE_geomys"),
            "--config",
        ])
        .arg(profile)
        .args(arguments)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn lack_of_descriptors_ends_a_check_and_blames_nobody() {
    // Connections to these wait: nobody accepts them, and the backlog is open.
    let listeners = (2..32).map(|host| std::net::TcpListener::bind((format!("127.0.0.{host}"), 0)));
    let listeners: Vec<_> = listeners.map(Result::unwrap).collect();
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path();
    let lines = listeners.iter().map(|listener| {
        let address = listener.local_addr().unwrap();
        format!("B <URL:gopher://{address}/0/x>\n")
    });
    fs::write(profile.join("bookmarks.txt"), lines.collect::<String>()).unwrap();
    let output = run_with_few_descriptors(profile, &["bookmarks", "check"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = text(&output.stderr);
    assert!(
        said.contains("stopped: ") && said.contains("open files"),
        "{said}"
    );
    assert!(!text(&output.stdout).contains("unreachable"), "{output:?}");
    let listed = run_with_few_descriptors(profile, &["bookmarks", "list", "is:unreachable"]);
    assert!(listed.stdout.is_empty(), "{listed:?}");

    let links = listeners.iter().map(|listener| {
        let address = listener.local_addr().unwrap();
        format!("<a href=gopher://{address}/0/x>x</a>")
    });
    let links: String = links.collect();
    let web = Web::start(move |_| ok("Content-Type: text/html\r\n", &links)).await;
    let page = web.url("/");
    for arguments in [
        &["check", &page][..],
        &["check", "-r", "--ignore-robots", &page],
    ] {
        let output = run_with_few_descriptors(profile, arguments);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = text(&output.stderr);
        assert!(
            said.contains("stopped: ") && said.contains("open files"),
            "{said}"
        );
        assert!(!text(&output.stdout).contains("unreachable"), "{output:?}");
    }
}

#[test]
fn lack_of_descriptors_ends_a_check_in_the_browser() {
    let places = UserPaths::new(Some("/nonexistent".into())).unwrap();
    let config = config::read(&places, &Environment::default());
    let list = "<URL:gopher://a.example/>\n<URL:gopher://b.example/>\n<URL:gopher://c.example/>\n";
    let bookmarks = Bookmarks::parse(list.as_bytes());
    let mut app = App::new(config.keymap, config.settings, bookmarks.clone(), (80, 24));
    app.start(&[]);
    let mut update = |message| app.update(message, Duration::ZERO);
    let keys = ["B", "g", "k"].map(event).map(Message::Key);
    let effects: Vec<Effect> = keys.into_iter().flat_map(&mut update).collect();
    let load = effects.iter().find_map(|effect| match effect {
        Effect::Bookmarks(BookmarkEffect::RunBulk(load, _)) => Some(*load),
        _ => None,
    });
    let load = load.expect("a check");
    let lacking = LinkStatus::Local("too many open files".to_owned());
    let results = [LinkStatus::Alive, lacking, LinkStatus::Alive];
    let outcomes = results.into_iter().enumerate().map(|(item, verdict)| {
        let url = bookmarks.bookmark(item).unwrap().url().unwrap().clone();
        BulkOutcome::Checked(CheckResult {
            key: UrlKey::of(&url),
            checked: LinkCheckResult {
                verdict,
                took: Duration::ZERO,
                is_answered: true,
            },
            at: current_second(),
        })
    });
    let report = BulkReport {
        outcomes: outcomes.collect(),
        total: 3,
    };
    let effects = update(Message::Bookmarks(BookmarkMessage::BulkReported(
        load, report,
    )));
    let dropped = |effect: &Effect| matches!(effect, Effect::Drop(dropped) if *dropped == load);
    assert!(effects.iter().any(dropped));
    let notice = app.cx.notice.as_ref().unwrap().text.as_str();
    assert_eq!(
        notice,
        "Stopped: too many open files; 1 of 3 checked, results saved"
    );
}
