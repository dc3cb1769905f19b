//! `geomys get` of groups and threads as mailboxes, and `geomys post`.

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
        let mut arguments = vec!["get".to_owned(), "--yes".to_owned(), url.clone()];
        arguments.extend(["-o".to_owned(), file.display().to_string()]);
        arguments.extend(thread.then(|| "--thread".to_owned()));
        let (is_done, _, errors) = run(&directory, arguments, "").await;
        assert!(is_done, "{errors}");
        assert!(errors.contains(&format!("{count} articles")), "{errors}");
        let saved = fs::read_to_string(&file).unwrap();
        assert_eq!(saved.matches("From geomys ").count(), count, "{saved}");
        assert!(saved.contains("\n>From 3.\n"), "{saved}");
        assert_eq!(saved.contains("Subject: other"), !thread);
        // Standard output gets the same octets.
        let mut arguments = vec!["get".to_owned(), "--yes".to_owned(), url];
        arguments.extend(["-o".to_owned(), "-".to_owned()]);
        arguments.extend(thread.then(|| "--thread".to_owned()));
        let (is_done, output, errors) = run(&directory, arguments, "").await;
        assert!(is_done && output == saved, "{output}{errors}");
    }
    // A range without articles is no mailbox.
    let url = format!("nntp://{}/a/50-60", server.address);
    let file = directory.path().join("none.mbox");
    for output in ["-", &file.display().to_string()] {
        let arguments = ["get", "--yes", &url, "-o", output].map(str::to_owned);
        let (is_done, output, errors) = run(&directory, arguments.to_vec(), "").await;
        assert!(!is_done && output.is_empty(), "{output}");
        assert!(errors.contains("/50-60: no articles"), "{errors}");
        assert!(!file.exists());
    }
    let arguments = ["get", "--yes", "--thread", "news:1@x.example"];
    let arguments = arguments.map(str::to_owned).to_vec();
    let (is_done, _, errors) = run(&directory, arguments, "").await;
    assert!(!is_done && errors.contains("by its number"), "{errors}");
}

#[tokio::test(flavor = "multi_thread")]
async fn articles_of_a_mailbox_are_requested_in_windows() {
    let articles = (1..=40).map(|number| article(number, "Burrows", ""));
    let server = NewsServer::start(vec![("a", articles.collect())]).await;
    server.hold_articles(10);
    let directory = tempfile::tempdir().unwrap();
    let url = format!("nntp://{}/a", server.address);
    let file = directory.path().join("box.mbox").display().to_string();
    let arguments = ["get", "--yes", &url, "-o", &file].map(str::to_owned);
    let (is_done, _, errors) = run(&directory, arguments.to_vec(), "").await;
    assert!(is_done && errors.contains("40 articles"), "{errors}");
    assert!(server.windows() <= 5, "{}", server.windows());
    // With the overview, and once more with the first articles: a server may know only those of that moment.
    assert_eq!(server.received("GROUP").len(), 2);
}

const ARTICLE: &str =
    "From: Ada <ada@example.org>\nNewsgroups: a\nSubject: Tunnels\n\nThey are dry.\n";

#[tokio::test(flavor = "multi_thread")]
async fn article_of_standard_input_is_posted() {
    let server = server().await;
    let directory = tempfile::tempdir().unwrap();
    let post = |more: &[&str]| {
        let mut arguments = vec![
            "--server".to_owned(),
            server.address.to_string(),
            "post".to_owned(),
        ];
        arguments.extend(more.iter().map(|word| (*word).to_owned()));
        arguments
    };
    let (is_done, output, errors) = run(&directory, post(&["--dry-run"]), ARTICLE).await;
    assert!(is_done && output.is_empty(), "{errors}");
    assert_eq!(server.articles("a").len(), 3);
    let (is_done, output, errors) = run(&directory, post(&[]), ARTICLE).await;
    assert!(is_done, "{errors}");
    let sent = server.articles("a").pop().unwrap();
    assert!(
        output.starts_with('<') && sent.contains(&format!("Message-ID: {output}")),
        "{output}{sent}"
    );
    assert!(
        sent.contains("They are dry.") && sent.contains("Cancel-Lock: "),
        "{sent}"
    );
    // Its Message-ID is known, so that replies to it are marked.
    let known = fs::read_to_string(directory.path().join("posted.txt")).unwrap();
    assert_eq!(known, output);
    // Faults are told before a server is asked.
    let (is_done, _, errors) = run(&directory, post(&[]), "Newsgroups: a\nSubject: x\n\ny\n").await;
    assert!(!is_done && errors.contains("From is empty"), "{errors}");
    // What may be a command to servers is told once, as in the browser.
    let cancel = ARTICLE.replace("Subject", "Control: cancel <1@x.example>\nSubject");
    let newgroup = ARTICLE.replace("Subject", "Control: newgroup a.c\nSubject");
    for (input, note) in [
        (
            cancel,
            "note: the article has no Cancel-Lock of yours, so most servers ignore it\n",
        ),
        (
            newgroup,
            "note: Control is a command to all servers: newgroup a.c\n",
        ),
    ] {
        let (is_done, _, errors) = run(&directory, post(&[]), input.leak()).await;
        assert!(is_done && errors.matches(note).count() == 1, "{errors}");
    }
    // What a server refuses stays a draft.
    let group = ARTICLE;
    let (is_done, _, errors) = run(
        &directory,
        post(&[]),
        "From: Ada <ada@example.org>\nNewsgroups: b\nSubject: Tunnels\n\nDry.\n",
    )
    .await;
    assert!(
        !is_done && errors.contains("the server has no group b"),
        "{errors}"
    );
    let drafts = || {
        fs::read_dir(directory.path().join("drafts"))
            .unwrap()
            .count()
    };
    let before = drafts();
    // What it refuses for now waits in the outbox.
    server.refuse_posts(1);
    let (is_done, _, errors) = run(&directory, post(&[]), group).await;
    assert!(
        !is_done && errors.contains("refused the article; the article waits for geomys sync"),
        "{errors}"
    );
    // So it does without a server.
    let mut arguments = post(&[]);
    arguments[1] = "127.0.0.1:1".to_owned();
    let (is_done, _, errors) = run(&directory, arguments, group).await;
    assert!(
        !is_done && errors.contains("waits for geomys sync"),
        "{errors}"
    );
    assert!(drafts() > before);
    let (is_done, _, errors) = run(&directory, post(&["--later"]), group).await;
    assert!(is_done && errors.contains("in the outbox"), "{errors}");
}
