//! Pages of Gemini, as a user sees them.

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
