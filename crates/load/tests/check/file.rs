//! Local files: alive when a load would open them.

use std::fs;

use geomys_testing::loading::show;
use geomys_wire::net::Net;

use super::verdict_text;

/// Returns true if a load opens the URL.
async fn opens(url: &str) -> bool {
    let loaded = show(&Net::default(), url).await;
    loaded.begin.is_some()
}

#[tokio::test]
async fn file_that_a_load_opens_is_alive() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path().display();
    let mail = "From ada Thu Jan  1 00:00:00 1970\nFrom: ada\nDate: x\nSubject: y\n\nHello\n";
    fs::write(directory.path().join("mbox"), mail).unwrap();
    fs::create_dir(directory.path().join("a")).unwrap();
    fs::write(directory.path().join("a/b"), "text\n").unwrap();
    let own = rustix::system::uname();
    let own = own.nodename().to_str().unwrap();
    for (url, verdict) in [
        (format!("file://{here}/mbox"), "alive"),
        // The URL of a message in a mailbox.
        (format!("file://{here}/mbox/"), "alive"),
        (format!("file://{here}/mbox/1"), "alive"),
        (format!("file://{here}/mbox/x/1"), "dead"),
        (format!("file://{here}/a/"), "alive"),
        (format!("file://{here}/a/b"), "alive"),
        (format!("file://localhost{here}/a/b"), "alive"),
        (format!("file://{own}{here}/a/b"), "alive"),
        (format!("file://elsewhere.example{here}/a/b"), "not checked"),
        (format!("file://{here}/a%2Fb"), "refused"),
        (format!("file://{here}/missing"), "dead"),
        ("file:///".to_owned(), "alive"),
    ] {
        let text = verdict_text(&url).await;
        assert_eq!(text.split(':').next(), Some(verdict), "{url}: {text}");
        assert_eq!(opens(&url).await, verdict == "alive", "{url}");
    }
}
