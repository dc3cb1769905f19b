//! `geomys get` of groups and threads as mailboxes.

use std::fs;

use geomys_testing::news::NewsServer;
use tempfile::TempDir;
use tokio::task::spawn_blocking;

use crate::support::command::{geomys_in, text};

fn article(number: usize, subject: &str, references: &str) -> String {
    format!(
        "Subject: {subject}\nFrom: a@x\nDate: {number} Oct 1994 10:00:00 +0000\nNewsgroups: a\nMessage-ID: <{number}@x>\nReferences: {references}\n\nFrom {number}.\n"
    )
}

async fn server() -> NewsServer {
    let articles = vec![
        article(1, "Burrows", ""),
        article(2, "other", ""),
        article(3, "Re: Burrows", "<1@x>"),
    ];
    NewsServer::start(vec![("a", articles)]).await
}

/// Runs the program in a directory; returns its exit status, its output and its errors.
async fn run(
    directory: &TempDir,
    arguments: Vec<String>,
    input: &'static str,
) -> (bool, String, String) {
    let home = directory.path().to_str().unwrap().to_owned();
    let output = spawn_blocking(move || {
        let mut all = vec!["--config".to_owned(), home.clone()];
        all.extend(arguments);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        geomys_in(&[("HOME", home.as_str())], &all, input)
    });
    let output = output.await.unwrap();
    (
        output.status.success(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn group_and_thread_are_saved_as_mailboxes() {
    let server = server().await;
    let directory = tempfile::tempdir().unwrap();
    for (url, thread, count) in [
        (format!("nntp://{}/a", server.address), false, 3),
        (format!("nntp://{}/a/2-3", server.address), false, 2),
        (format!("nntp://{}/a/3", server.address), true, 2),
    ] {
        let file = directory.path().join("box.mbox");
        let mut arguments = vec!["get".to_owned(), "--yes".to_owned(), url];
        arguments.extend(["-o".to_owned(), file.display().to_string()]);
        arguments.extend(thread.then(|| "--thread".to_owned()));
        let (is_done, _, errors) = run(&directory, arguments, "").await;
        assert!(is_done, "{errors}");
        assert!(errors.contains(&format!("{count} articles")), "{errors}");
        let saved = fs::read_to_string(&file).unwrap();
        assert_eq!(saved.matches("From geomys ").count(), count, "{saved}");
        assert!(saved.contains("\n>From 3.\n"), "{saved}");
        assert_eq!(saved.contains("Subject: other"), !thread);
    }
    let arguments = ["get", "--yes", "--thread", "news:1@x.example"];
    let arguments = arguments.map(str::to_owned).to_vec();
    let (is_done, _, errors) = run(&directory, arguments, "").await;
    assert!(!is_done && errors.contains("by its number"), "{errors}");
}
