//! Gopher: what tells an error from a page.

use super::{asked, told};
use crate::support::script::{listen, played};
use crate::support::tls::{Identity, Server};
use geomys::demo::Demo;
use geomys::load::Request;
use geomys::load::check::check;
use geomys::net::{Limits, Net, Trust};
use geomys::url::Url;

/// What comes of asking for an item whose answer is this.
async fn of(rest: &str, script: &str) -> String {
    let (address, peer) = listen(&[script]).await;
    let verdict = told(&format!("gopher://{address}/{rest}")).await;
    played(peer).await;
    verdict
}

#[tokio::test]
async fn rows_of_errors_and_nothing_else_are_gone() {
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
            "gone: '/a' does not exist",
        ),
        (
            "1/a",
            "C: /a\nS| iOh\\t\\terror.host\\t1\\r\\n3No such file\\t\\terror.host\\t1\\r\\ni--\\t\\terror.host\\t1\\r\\n",
            "gone: No such file",
        ),
        // A menu may hold a row of an error beside what leads on.
        (
            "1/a",
            "C: /a\nS| 3Down today\\t\\terror.host\\t1\\r\\n1Elsewhere\\t/x\\th\\t70\\r\\n",
            "alive",
        ),
        ("0/a", "C: /a\nS| 3 apples\\r\\n", "alive"),
        (
            "0/a",
            "C: /a\nS| 3Not here\\t\\terror.host\\t1\\r\\n",
            "gone: Not here",
        ),
        ("9/a", "C: /a\nS| \\x00\\x01", "alive"),
        (
            "1/a",
            "C: /a",
            "no answer: 127.0.0.1:PORT closed the connection and sent nothing",
        ),
        (
            "0/a",
            "C: /a\nS| --1\\r\\n1 Ada <ada@example.org>\\r\\nNo such item\\r\\n.\\r\\n",
            "gone: No such item (error 1)",
        ),
        (
            "0/a",
            "C: /a\nS| --1\\r\\n2 Ada\\r\\nCome back\\r\\n.\\r\\n",
            "no answer: Come back (error 2)",
        ),
        (
            "0/a",
            "C: /a\nS| --1\\r\\n3 Ada\\r\\n0Now\\t/b\\th.example\\t70\\t+\\r\\n.\\r\\n",
            "moved: now gopher://h.example/0/b",
        ),
        (
            "7/a",
            "C: /a\nS| 3No words\\t\\terror.host\\t1\\r\\n",
            "alive",
        ),
        (
            "0/a",
            "C: /a\nS| \\x15\\x03\\x03\\x00\\x02\\x02\\x28",
            "refused: 127.0.0.1:PORT speaks TLS, and was asked without",
        ),
    ] {
        assert_eq!(of(rest, script).await, expected, "{rest} {script}");
    }
}

#[tokio::test]
async fn a_long_page_is_left_as_soon_as_it_is_surely_one() {
    let demo = Demo::start().await.unwrap();
    let checked = asked(&format!("gopher://{}/1/forever", demo.gopher())).await;
    assert_eq!(super::line(&checked.verdict), "alive");
}

#[tokio::test]
async fn what_would_be_asked_of_a_person_is_not_sent() {
    // Nobody listens there, and nobody is dialled.
    assert_eq!(
        told("gopher://127.0.0.1:25/0/a").await,
        "not asked: the port belongs to another service"
    );
    assert_eq!(
        told("ftp://127.0.0.1:2121/a%0D%0AQUIT").await,
        "not asked: an encoded line break: it is never sent"
    );
    let form = "gopher://127.0.0.1:1070/0/a%09%09+%091%0D%0A+-1%0D%0Ayes%0D%0A.%0D%0A";
    assert_eq!(
        told(form).await,
        "refused: this address would send a filled form, and nobody can be asked here"
    );
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_a_refusal_until_it_is_accepted() {
    let identity = Identity::self_signed("127.0.0.1");
    let server = Server::start(&identity).await;
    let url = server.url("/0/letter");
    let verdict = told(&url).await;
    assert!(
        verdict.starts_with("refused: ") && verdict.contains("not verified"),
        "{verdict}"
    );
    let request = Request {
        trust: Trust {
            once: Some(identity.fingerprint()),
            ..Trust::default()
        },
        ..Request::show(Url::accept(&url).unwrap())
    };
    let checked = check(&Net::new(Limits::default()), &request).await;
    assert_eq!(super::line(&checked.verdict), "alive");
}

#[tokio::test]
async fn finger_is_asked_its_query() {
    let (address, peer) = listen(&["C: ada\nS: Login: ada", "C: ada\n"]).await;
    let url = format!("finger://{address}/ada");
    assert_eq!(told(&url).await, "alive");
    assert_eq!(
        told(&url).await,
        "no answer: 127.0.0.1:PORT closed the connection before it answered"
    );
    played(peer).await;
}

#[tokio::test]
async fn nobody_there_and_nobody_who_speaks() {
    let (address, peer) = listen(&[]).await;
    played(peer).await;
    assert_eq!(
        told(&format!("gopher://{address}/0/a")).await,
        "no answer: 127.0.0.1:PORT refused the connection: nothing listens on that port"
    );
    assert_eq!(
        told(&format!("telnet://{address}/")).await,
        "no answer: 127.0.0.1:PORT refused the connection: nothing listens on that port"
    );
    let (address, peer) = listen(&["silence"]).await;
    assert_eq!(told(&format!("telnet://{address}/")).await, "alive");
    played(peer).await;
    for (url, expected) in [
        (
            "mailto:ada@example.org",
            "not asked: an address of mail cannot be asked",
        ),
        ("foo:bar", "not asked: Geomys does not speak foo"),
        (
            "file://elsewhere.example/etc/motd",
            "not asked: it is a file of another machine",
        ),
        ("file:///", "alive"),
        (
            "file:///no/such/file",
            "gone: No such file or directory (os error 2)",
        ),
    ] {
        assert_eq!(told(url).await, expected, "{url}");
    }
}

#[tokio::test]
async fn offline_nobody_is_asked() {
    let (address, peer) = listen(&["silence"]).await;
    let net = Net::new(Limits::default());
    net.set_offline(true);
    for (url, expected) in [
        (
            format!("gopher://{address}/"),
            "not asked: Geomys is offline",
        ),
        (
            format!("https://{address}/"),
            "not asked: Geomys is offline",
        ),
        ("file:///".to_owned(), "alive"),
    ] {
        let request = Request::show(Url::accept(&url).unwrap());
        let checked = check(&net, &request).await;
        assert_eq!(super::line(&checked.verdict), expected, "{url}");
    }
    assert!(!peer.is_finished());
    peer.abort();
}
