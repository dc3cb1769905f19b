//! Pages of Gemini, as a user sees them.

use std::sync::atomic::{AtomicBool, Ordering};

use geomys_testing::capsule::Capsule;
use geomys_testing::tls::Identity;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

const PAGE: &str = "20 text/gemini\r\nIntroduction\n# The first heading\n```\ncode\n```\n```A drawing\n(o)\n```\n=> /x A link\n";

#[tokio::test]
async fn gemtext_page_has_its_first_heading_as_title() {
    let identity = Identity::self_signed("localhost");
    let capsule = Capsule::start(&identity, |_| (PAGE.into(), true)).await;
    let addresses = [capsule.url("/"), capsule.url("/b")];
    let session = Browser::new().open_all(addresses).size((100, 24)).start();
    session.wait("code").await;
    // The bar of tabs names both.
    session
        .wait_until("titles of tabs", |screen| {
            let bar = screen.lines().next().unwrap_or_default();
            bar.contains("The first heading")
        })
        .await;
    session.press("q");
    let profile = session.end().await.profile;
    let history = std::fs::read_to_string(profile.path().join("history.jsonl")).unwrap();
    assert!(
        history.contains("\"title\":\"The first heading\""),
        "{history}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_of_gemtext_adds_no_word() {
    let identity = Identity::self_signed("localhost");
    let capsule = Capsule::start(&identity, |_| (PAGE.into(), true)).await;
    let url = capsule.url("/");
    let dump = move || geomys(&["dump", &url], "");
    let output = tokio::task::spawn_blocking(dump).await.unwrap();
    let expected = "Introduction\n# The first heading\n\ncode\n\nA drawing\n(o)\n\nA link\n";
    assert_eq!(text(&output.stdout), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_waits_for_a_pause_only_if_it_is_told_to() {
    let identity = Identity::self_signed("localhost");
    let asked = AtomicBool::new(false);
    let capsule = Capsule::start(&identity, move |_| {
        let has_waited = asked.fetch_xor(true, Ordering::SeqCst);
        let answer = if has_waited { PAGE } else { "44 1\r\n" };
        (answer.into(), true)
    })
    .await;
    let url = capsule.url("/");
    let dumps = move || {
        let now = geomys(&["dump", &url], "");
        // The second answer is a page, and the next ones as the first two.
        geomys(&["dump", &url], "");
        (now, geomys(&["dump", "--wait", &url], ""))
    };
    let (now, waited) = tokio::task::spawn_blocking(dumps).await.unwrap();
    let error = text(&now.stderr);
    assert!(
        error.contains("answered 44: it asks to wait (1 s)"),
        "{error}"
    );
    assert_eq!(error.trim().lines().count(), 1, "{error}");
    assert_eq!((now.status.code(), now.stdout.len()), (Some(1), 0));
    assert!(
        text(&waited.stdout).contains("The first heading"),
        "{waited:?}"
    );
}

#[tokio::test]
async fn certificate_is_made_and_changed_for_a_page_before_its_server_asks() {
    let identity = Identity::self_signed("localhost");
    let capsule = Capsule::start(&identity, |_| (PAGE.into(), true)).await;
    let session = Browser::new()
        .open(capsule.url("/a/b"))
        .size((100, 24))
        .start();
    session.wait("Introduction").await;
    session.press("g I");
    session.wait("New certificate for").await;
    session.press("1 Enter");
    session
        .wait_until("prompt", |screen| {
            screen.contains("Name of the new certificate:")
        })
        .await;
    session.type_in("ada");
    session.press("Enter");
    session.wait("Use the certificate for").await;
    session.press("p");
    session.wait("Introduction").await;
    session.press("g I");
    session.wait("1 client certificate.").await;
    session.press("1 Enter");
    session
        .wait_until("prompt", |screen| {
            screen.contains("Name of the new certificate:")
        })
        .await;
    session.type_in("bob");
    session.press("Enter");
    session.wait("Use the certificate for").await;
    session.press("h");
    session.wait("Introduction").await;
    let choices = std::fs::read_to_string(session.path().join("identities.txt")).unwrap();
    let chosen = |choices: &str| {
        let lines = choices.lines().filter(|line| !line.starts_with('#'));
        let words = lines.map(|line| line.split_once(' ').unwrap().1.to_owned());
        words.collect::<Vec<_>>()
    };
    assert_eq!(chosen(&choices), ["/ bob"]);
    // A stored one is used here.
    session.press("g I");
    session.wait("used nowhere").await;
    session.press("2 Enter");
    session.wait("use it here").await;
    session.press("u");
    session.wait("Use the certificate for").await;
    session.press("p");
    session.wait("Introduction").await;
    let choices = std::fs::read_to_string(session.path().join("identities.txt")).unwrap();
    assert_eq!(chosen(&choices), ["/ bob", "/a/b ada"]);
}
