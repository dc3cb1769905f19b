//! The offline mode by itself: when two unrelated hosts are not found, until a host answers.

use geomys_demo::Demo;

use super::reading::wait_for_cached_pages;
use crate::support::screen::{Browser, Session};

/// The message when the offline mode begins by itself.
const DOWN: &str = "Offline: the network is down";

/// Opens a typed URL of a host that does not exist, and waits for its failure.
async fn open_missing(session: &Session, host: &str) {
    session.press("o");
    session.type_in(&format!("gopher://{host}/"));
    session.press("Enter");
    session.wait(&format!("Host not found: {host}.")).await;
}

/// Returns true if the address line shows the offline mode.
fn is_offline(session: &Session) -> bool {
    session.screen().lines().next().unwrap().contains("offline")
}

#[tokio::test(flavor = "multi_thread")]
async fn two_unrelated_hosts_that_are_not_found_begin_it_and_an_answer_ends_it() {
    let demo = Demo::start().await.unwrap();
    let root = format!("gopher://{}/", demo.addresses.gopher);
    let session = Browser::new().open(root).size((100, 24)).start();
    session.wait("market square").await;
    wait_for_cached_pages(session.path(), 1).await;
    // One host, however often, and another one of its site are no evidence.
    for host in ["one.invalid", "one.invalid", "www.one.invalid"] {
        open_missing(&session, host).await;
        session.settle().await;
        assert!(!is_offline(&session), "{}", session.screen());
    }
    open_missing(&session, "two.invalid").await;
    session.wait(&format!("{DOWN} (r tries again)")).await;
    // A typed URL and a reload try the network all the same. It is said once.
    open_missing(&session, "three.invalid").await;
    session
        .wait_until("offline", |_| is_offline(&session))
        .await;
    assert!(!session.screen().contains(DOWN), "{}", session.screen());
    session.press("h h h h h");
    session.wait("market square").await;
    session.settle().await;
    // Nothing is sent for a link.
    session.press("7 Enter");
    session.wait("Kept: the next sync fetches it").await;
    // The cursor has the column of the mark.
    session.press("j");
    session.wait("◷ 7").await;
    session.press("r");
    session.wait("Online again").await;
    session.press("7 Enter");
    session.wait("Bursarius").await;
    // A host that answers between two others shows that the network is there.
    open_missing(&session, "one.invalid").await;
    session.press("h r");
    session.wait("Bursarius").await;
    session.settle().await;
    open_missing(&session, "two.invalid").await;
    session.settle().await;
    assert!(!is_offline(&session), "{}", session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn sync_by_key_tries_a_network_that_is_down() {
    let session = Browser::new().size((100, 24)).start();
    for host in ["one.invalid", "two.invalid"] {
        open_missing(&session, host).await;
    }
    session.wait(DOWN).await;
    session.press("g U");
    session.wait("Sync: nothing new").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unreachable_proxy_is_an_error_and_no_offline_mode() {
    let session = Browser::new()
        .settings("[network]\nproxy = \"socks5://127.0.0.1:1\"\n")
        .size((100, 24))
        .start();
    for host in ["one.invalid", "two.invalid", "three.invalid"] {
        session.press("o");
        session.type_in(&format!("gopher://{host}/"));
        session.press("Enter");
        session.wait(&format!("The proxy for {host}")).await;
        session.settle().await;
        assert!(!is_offline(&session), "{}", session.screen());
    }
}
