//! Certificates judged on the screen.

use geomys::net::{Fingerprint, Limits};

use crate::support::screen::Session;
use crate::support::tls::{Heard, Identity, Server};
use crate::tls::HERE;

/// The screen with fingerprints and days that are the same each time, and as wide as they were.
fn same(screen: &str, fingerprints: &[(Fingerprint, &str)]) -> String {
    let mut same = screen.to_owned();
    for (fingerprint, name) in fingerprints {
        let digits = fingerprint.to_string();
        same = same.replace(&digits, &format!("sha256:{name:.<64}"));
    }
    same.replace(&jiff::Zoned::now().date().to_string(), "YYYY-MM-DD")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_judged_on_the_screen_and_its_state_is_in_the_address_line() {
    let (first, second) = (Identity::self_signed(HERE), Identity::self_signed(HERE));
    let names = [
        (first.fingerprint(), "FIRST"),
        (second.fingerprint(), "SECOND"),
    ];
    let mut server = Server::start(&first).await;
    let profile = tempfile::tempdir().unwrap();
    let start = |profile| {
        Session::start(
            profile,
            None,
            &[server.url("/")],
            (80, 24),
            Limits::default(),
        )
    };
    let session = start(profile);
    session.wait("is not known here").await;
    insta::assert_snapshot!("unknown", same(&session.screen(), &names));
    // On a small screen the words go first, and the answers stay.
    session.resize(24, 8);
    session.wait("lines more").await;
    let small = session.screen();
    let buttons = ["[ Reject ]", "[ Trust until Geomys", "[ Trust always ]"];
    assert!(
        buttons.iter().all(|button| small.contains(button)),
        "{small}"
    );
    session.resize(80, 24);
    session.wait("is not known here").await;
    // Keys that are no answer are none.
    session.press("j Y y o");
    session.choose("Trust always").await;
    session.wait("A door of steel").await;
    session.wait("TLS, pinned :").await;
    session.wait(" 4 rows ").await;
    insta::assert_snapshot!("pinned", same(&session.screen(), &names));
    assert_eq!(server.heard().await, Heard::Nothing);
    assert_eq!(server.heard().await, Heard::Request(String::new()));
    // The search of the page stays over TLS, and nobody is asked again.
    session.press("G Enter");
    session.wait("Ask the guard:").await;
    session.press("Esc");
    session.press("o");
    session.type_in(&server.url("/7/ask"));
    session.press("Enter");
    session.wait("ask:").await;
    session.type_in("who");
    session.press("Enter");
    session.wait("You asked").await;
    session.wait("TLS, pinned :").await;
    assert_eq!(server.heard().await, Heard::Request("/ask\twho".to_owned()));
    session.press("u");
    session.wait("A door of steel").await;
    session.wait("TLS, pinned :").await;
    // What is above a page its server may say, over TLS like the rest.
    for caps in ["caps.txt", "/caps.txt"] {
        assert_eq!(server.heard().await, Heard::Request(caps.to_owned()));
    }
    assert_eq!(server.heard().await, Heard::Request(String::new()));

    // The day on which it was accepted is known once it has been written down.
    let path = session.path().join("trust.txt");
    let is_written = || std::fs::read_to_string(&path).is_ok_and(|text| text.contains("sha256:"));
    let writing = async {
        while !is_written() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), writing)
        .await
        .expect("the certificate is written down");
    session.settle().await;
    server.show(&second);
    session.press("r");
    session.wait("HAS CHANGED").await;
    insta::assert_snapshot!("changed", same(&session.screen(), &names));
    assert_eq!(server.heard().await, Heard::Nothing);
    // No letter is an answer, and the button that is selected first leaves the page as it was.
    session.press("y o a Enter");
    session.wait_gone("HAS CHANGED").await;
    session.wait("A door of steel").await;
    session.wait("was not accepted").await;
    session.press("r");
    session.wait("HAS CHANGED").await;
    assert_eq!(server.heard().await, Heard::Nothing);
    session.choose("Trust until Geomys ends").await;
    session.wait("TLS, unverified :").await;
    assert_eq!(server.heard().await, Heard::Request(String::new()));
    let path = session.path().join("trust.txt");
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written.contains(&first.fingerprint().to_string()) && written.lines().count() == 2,
        "{written}"
    );
    session.press("q");
    session.ending().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_leaves_a_page_that_says_so() {
    let mut server = Server::start(&Identity::self_signed(HERE)).await;
    let profile = tempfile::tempdir().unwrap();
    let addresses = [server.url("/"), server.url("/0/letter")];
    let session = Session::start(profile, None, &addresses, (80, 24), Limits::default());
    session.wait("is not known here").await;
    session.press("Esc");
    session.wait_gone("is not known here").await;
    session.wait("was not accepted").await;
    assert!(!session.path().join("trust.txt").exists());
    // The other tab asks for itself; once it is judged, both may use it.
    session.press("}");
    session.wait("is not known here").await;
    session.choose("Trust until Geomys ends").await;
    session.wait("Read in secret.").await;
    session.wait("TLS, unverified :").await;
    session.press("{ r");
    session.wait("A door of steel").await;
    assert!(!session.path().join("trust.txt").exists());
    let mut asked = Vec::new();
    for _ in 0..4 {
        asked.push(server.heard().await);
    }
    let request = |line: &str| Heard::Request(line.to_owned());
    assert_eq!(
        asked,
        [
            Heard::Nothing,
            Heard::Nothing,
            request("/letter"),
            request("")
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_answer_is_enough_for_every_tab() {
    let mut server = Server::start(&Identity::self_signed(HERE)).await;
    let profile = tempfile::tempdir().unwrap();
    let addresses = [server.url("/"), server.url("/0/letter")];
    let session = Session::start(profile, None, &addresses, (80, 24), Limits::default());
    session.wait("is not known here").await;
    // Both have been told that somebody has to judge.
    assert_eq!(server.heard().await, Heard::Nothing);
    assert_eq!(server.heard().await, Heard::Nothing);
    session.choose("Trust always").await;
    session.wait("A door of steel").await;
    assert_eq!(server.heard().await, Heard::Request(String::new()));
    session.press("}");
    session.wait("Read in secret.").await;
    session.wait("TLS, pinned :").await;
    assert_eq!(server.heard().await, Heard::Request("/letter".to_owned()));
}
