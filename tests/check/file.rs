//! Files of this machine: what a load opens is alive, and what it does not is not.

use std::fs;

use super::told;
use crate::support::loading::show;
use geomys::net::Net;

/// Whether a load opens it.
async fn opens(url: &str) -> bool {
    let loaded = show(&Net::default(), url).await;
    loaded.begin.is_some()
}

#[tokio::test]
async fn what_a_load_opens_is_alive() {
    let place = tempfile::tempdir().unwrap();
    let here = place.path().display();
    let mail = "From ada Thu Jan  1 00:00:00 1970\nFrom: ada\nDate: x\nSubject: y\n\nHello\n";
    fs::write(place.path().join("mbox"), mail).unwrap();
    fs::create_dir(place.path().join("a")).unwrap();
    fs::write(place.path().join("a/b"), "text\n").unwrap();
    let own = rustix::system::uname();
    let own = own.nodename().to_str().unwrap();
    for (url, verdict) in [
        (format!("file://{here}/mbox"), "alive"),
        // As the page of a mailbox is called.
        (format!("file://{here}/mbox/"), "alive"),
        (format!("file://{here}/mbox/1"), "alive"),
        (format!("file://{here}/mbox/x/1"), "gone"),
        (format!("file://{here}/a/"), "alive"),
        (format!("file://{here}/a/b"), "alive"),
        (format!("file://localhost{here}/a/b"), "alive"),
        (format!("file://{own}{here}/a/b"), "alive"),
        (format!("file://elsewhere.example{here}/a/b"), "not asked"),
        (format!("file://{here}/a%2Fb"), "refused"),
        (format!("file://{here}/missing"), "gone"),
        ("file:///".to_owned(), "alive"),
    ] {
        let told = told(&url).await;
        assert_eq!(told.split(':').next(), Some(verdict), "{url}: {told}");
        assert_eq!(opens(&url).await, verdict == "alive", "{url}");
    }
}
