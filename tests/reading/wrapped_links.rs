//! URLs in brackets that run over several rows: each is one link.

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// A text with a URL in brackets over three rows between two others.
const TEXT: &str = "See http://a.example/ and\nthe map <URL:http://h.example/one/\n   two/\n   three> of http://b.example/\n";

fn page() -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("links.txt");
    std::fs::write(&path, TEXT).unwrap();
    let url = format!("file://{}", path.display());
    (directory, url)
}

#[test]
fn dump_numbers_a_url_over_several_rows_once() {
    let (_directory, url) = page();
    let output = geomys(&["dump", "--links", &url], "");
    assert_eq!(
        text(&output.stdout),
        "See http://a.example/[1] and\n\
         the map <URL:http://h.example/one/\n\
         \x20  two/\n\
         \x20  three>[2] of http://b.example/[3]\n\
         \n\
         \x20   1  http://a.example/\n\
         \x20   2  http://h.example/one/two/three\n\
         \x20   3  http://b.example/\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn url_over_several_rows_has_one_hint_and_is_selected_once() {
    let (directory, url) = page();
    let session = Browser::in_profile(directory).open(url).start();
    session.wait("See http://a.example/").await;
    let address = |screen: &str| screen.lines().next().unwrap_or_default().to_owned();
    let targets = [
        "http://a.example/",
        "http://h.example/one/two/three",
        "http://b.example/",
    ];
    for (key, targets) in [("J", &targets[..]), ("K", &[targets[1], targets[0]])] {
        for target in targets {
            session.press(key);
            session
                .wait_until(target, |screen| address(screen).contains(target))
                .await;
        }
        session.press(key);
        session.wait("No more links").await;
    }
    session.press("f");
    session.wait_until_absent("See http://a.example/").await;
    let screen = session.screen();
    // The label covers the first letters of a link.
    let (_, page) = screen.split_once('\n').unwrap();
    assert!(!page.contains("http://b.example/"), "{screen}");
    assert!(!screen.contains("<URL:"), "{screen}");
    assert!(screen.contains("   two/\n   three>[2] of"), "{screen}");
}
