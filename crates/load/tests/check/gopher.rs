//! Gopher: the distinction of errors and pages.

use geomys_demo::Demo;
use geomys_load::check::check;
use geomys_load::{Reason, Request};
use geomys_testing::script::{assert_played, listen};
use geomys_testing::tls::{Identity, Server};
use geomys_wire::net::{Limits, Net, Trust};
use rfc1738::Dialect;

use super::{check_url, verdict_text};

/// The verdict for an item with this reply.
async fn of(rest: &str, script: &str) -> String {
    let (address, peer) = listen(&[script]).await;
    let verdict = verdict_text(&format!("gopher://{address}/{rest}")).await;
    assert_played(peer).await;
    verdict
}

#[tokio::test]
async fn menu_of_only_error_rows_is_dead() {
    for (rest, script, expected) in [
        ("1/a", "C: /a\nS| iHello\\tx\\th\\t70\\r\\n", "alive"),
        (
            "1/a",
            "C: /a\nS| 1Hello\\t/x\\th\\t70\\r\\n.\\r\\n",
            "alive",
        ),
        (
            "1/a",
            "C: /a\nS| 3'/a' does not exist\\t\\terror.host\\t1\\r\\n.\\r\\n",
            "dead: '/a' does not exist",
        ),
        (
            "1/a",
            "C: /a\nS| iOh\\t\\terror.host\\t1\\r\\n3No such file\\t\\terror.host\\t1\\r\\ni--\\t\\terror.host\\t1\\r\\n",
            "dead: No such file",
        ),
        // A menu may hold an error row beside working links.
        (
            "1/a",
            "C: /a\nS| 3Down today\\t\\terror.host\\t1\\r\\n1Elsewhere\\t/x\\th\\t70\\r\\n",
            "alive",
        ),
        ("0/a", "C: /a\nS| 3 apples\\r\\n", "alive"),
        (
            "0/a",
            "C: /a\nS| 3Not here\\t\\terror.host\\t1\\r\\n",
            "dead: Not here",
        ),
        ("9/a", "C: /a\nS| \\x00\\x01", "alive"),
        (
            "1/a",
            "C: /a",
            "unreachable: 127.0.0.1:PORT closed the connection before it answered",
        ),
        (
            "0/a",
            "C: /a\nS| --1\\r\\n1 Ada <ada@example.org>\\r\\nNo such item\\r\\n.\\r\\n",
            "dead: No such item (error 1)",
        ),
        (
            "0/a",
            "C: /a\nS| --1\\r\\n2 Ada\\r\\nCome back\\r\\n.\\r\\n",
            "unreachable: Come back (error 2)",
        ),
        (
            "0/a",
            "C: /a\nS| --1\\r\\n3 Ada\\r\\n0Now\\t/b\\t127.0.0.1\\t25\\t+\\r\\n.\\r\\n",
            "refused: moved to an address that is not accepted: gopher://127.0.0.1:25/0/b (the port belongs to another service)",
        ),
        (
            "7/a",
            "C: /a\nS| 3No words\\t\\terror.host\\t1\\r\\n",
            "alive",
        ),
        (
            "0/a",
            "C: /a\nS| \\x15\\x03\\x03\\x00\\x02\\x02\\x28",
            "refused: 127.0.0.1:PORT expects TLS",
        ),
    ] {
        assert_eq!(of(rest, script).await, expected, "{rest} {script}");
    }
}

#[tokio::test]
async fn check_of_long_page_stops_early() {
    let demo = Demo::start().await.unwrap();
    let checked = check_url(&format!("gopher://{}/1/forever", demo.addresses.gopher)).await;
    assert_eq!(super::line(&checked.verdict), "alive");
}

#[tokio::test]
async fn urls_that_need_a_question_are_not_checked() {
    // No server listens there, and no connection is made.
    assert_eq!(
        verdict_text("gopher://127.0.0.1:25/0/a").await,
        "not checked: the port belongs to another service"
    );
    assert_eq!(
        verdict_text("ftp://127.0.0.1:2121/a%0D%0AQUIT").await,
        "not checked: an encoded line break: it is never sent"
    );
    let form = "gopher://127.0.0.1:1070/0/a%09%09+%091%0D%0A+-1%0D%0Ayes%0D%0A.%0D%0A";
    assert_eq!(
        verdict_text(form).await,
        "refused: this URL would send a filled form, and there is no terminal to confirm it"
    );
}

#[tokio::test]
async fn unverified_certificate_is_refused_until_accepted() {
    let identity = Identity::self_signed("127.0.0.1");
    let server = Server::start(&identity).await;
    let url = server.url("/0/letter");
    let verdict = verdict_text(&url).await;
    assert!(
        verdict.starts_with("refused: ") && verdict.contains("not verified"),
        "{verdict}"
    );
    let request = Request {
        trust: Trust {
            once: Some(identity.fingerprint()),
            ..Trust::default()
        },
        ..Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed)
    };
    let checked = check(&Net::new(Limits::default()), &request).await;
    assert_eq!(super::line(&checked.verdict), "alive");
}

#[tokio::test]
async fn finger_check_sends_its_query() {
    let (address, peer) = listen(&["C: ada\nS: Login: ada", "C: ada\n"]).await;
    let url = format!("finger://{address}/ada");
    assert_eq!(verdict_text(&url).await, "alive");
    assert_eq!(
        verdict_text(&url).await,
        "unreachable: 127.0.0.1:PORT closed the connection before it answered"
    );
    assert_played(peer).await;
}

#[tokio::test]
async fn closed_port_and_silent_server_are_unreachable() {
    let (address, peer) = listen(&[]).await;
    assert_played(peer).await;
    assert_eq!(
        verdict_text(&format!("gopher://{address}/0/a")).await,
        "unreachable: 127.0.0.1:PORT refused the connection: nothing listens on that port"
    );
    assert_eq!(
        verdict_text(&format!("telnet://{address}/")).await,
        "unreachable: 127.0.0.1:PORT refused the connection: nothing listens on that port"
    );
    let (address, peer) = listen(&["silence"]).await;
    assert_eq!(verdict_text(&format!("telnet://{address}/")).await, "alive");
    assert_played(peer).await;
    for (url, expected) in [
        (
            "mailto:ada@example.org",
            "not checked: a mail address cannot be loaded",
        ),
        ("foo:bar", "not checked: Geomys does not support foo"),
        (
            "file://elsewhere.example/etc/motd",
            "not checked: it is a file on another machine",
        ),
        ("file:///", "alive"),
        (
            "file:///no/such/file",
            "dead: file not found: /no/such/file",
        ),
    ] {
        assert_eq!(verdict_text(url).await, expected, "{url}");
    }
}

#[tokio::test]
async fn offline_check_connects_to_no_server() {
    let (address, peer) = listen(&["silence"]).await;
    let net = Net::new(Limits::default());
    net.set_offline(true);
    for (url, expected) in [
        (
            format!("gopher://{address}/"),
            "not checked: Geomys is offline",
        ),
        (
            format!("https://{address}/"),
            "not checked: Geomys is offline",
        ),
        ("file:///".to_owned(), "alive"),
    ] {
        let request = Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed);
        let checked = check(&net, &request).await;
        assert_eq!(super::line(&checked.verdict), expected, "{url}");
    }
    assert!(!peer.is_finished());
    peer.abort();
}
