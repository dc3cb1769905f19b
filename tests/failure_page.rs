//! The page of a failed load: longer than the screen, and for URLs that name nothing on a network.

use geomys_testing::web::Web;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

#[tokio::test]
async fn long_failure_page_is_scrolled_to_its_end_and_back() {
    let web = Web::start(|_| "HTTP/1.1 503 Down\r\nContent-Length: 0\r\n\r\n").await;
    let path = "/a-long-path".repeat(300);
    for size in [(80, 24), (120, 40)] {
        let session = Browser::new().open(web.url(&path)).size(size).start();
        session.wait("Requested").await;
        session.press("G");
        session.wait("r retry   O edit URL").await;
        assert!(
            !session.screen().contains("Requested"),
            "{}",
            session.screen()
        );
        // The end is the end: the next key up moves the page at once.
        session.press("Space j End k k k");
        session.wait_until_absent("r retry   O edit URL").await;
        session.press("g g");
        session.wait("Requested").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_program_is_asked_for_a_url_that_names_nothing_on_a_network() {
    let session = Browser::new().start();
    session.wait("geomys:home").await;
    for (url, sentence) in [
        ("about:blank", "it names pages inside other browsers"),
        ("blob:x", "it names what a script has made"),
        ("data:text/plain,x", "the URL is itself the file"),
    ] {
        session.press("o");
        session.type_in(url);
        session.press("Enter");
        session.wait(sentence).await;
        assert!(!session.screen().contains("Run another program"));
    }
}

#[test]
fn url_that_names_nothing_on_a_network_has_its_own_sentence() {
    for (url, sentence) in [
        ("data:text/plain,x", "data: the URL is itself the file"),
        ("about:blank", "about: it names pages inside other browsers"),
        ("javascript:alert(1)", "javascript: the link runs a script"),
        ("JavaScript:void(0)", "javascript: the link runs a script"),
    ] {
        let output = geomys(&["dump", url], "");
        let error = text(&output.stderr);
        assert!(error.contains(sentence), "{error}");
        assert!(!error.contains("gateway"), "{error}");
        assert_eq!(error.trim().lines().count(), 1, "{error}");
        assert_eq!(output.status.code(), Some(1));
    }
}
