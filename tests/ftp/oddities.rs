//! What servers do that no RFC foresees, and Geomys does not stumble over.

use std::net::Ipv6Addr;

use geomys::document::Kind;
use geomys::load::{FailureKind, Purpose, Request};
use geomys::net::{Limits, Net};
use geomys::url::Url;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::support::ftp::{Peer, Server};
use crate::support::loading::{carry_out, hasty, kind, show, target, texts, url};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

/// Greets and logs in, up to FEAT.
async fn log_in(peer: &mut Peer) {
    peer.say("220 Hello").await;
    peer.answer("USER anonymous", "331 Password?").await;
    peer.answer("PASS geomys@", "230 In").await;
}

#[tokio::test]
async fn features_in_any_clothes() {
    for feat in [
        "211-Features:\r\n MLST type*;size*;\r\n UTF8\r\n211 End",
        "211-Features:\r\n211-mlst type*;size*;\r\n211-UTF8\r\n211 End",
        "211-Features:\r\nMLST\r\nutf8\r\n211 End",
        "211-caf\u{e9}\r\n\tMLSD\r\n\tUTF8\r\n211",
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.visitor().await;
            log_in(&mut peer).await;
            peer.answer("FEAT", feat).await;
            // FileZilla's server says 202, others 500; names are octets all the same.
            peer.answer("OPTS UTF8 ON", "202 It always is").await;
            peer.answer("PWD", "257 \"/\"").await;
            peer.serve(
                "MLSD",
                "type=cdir; .\r\nTYPE=dir;size=4096; sub\r\ntype=OS.unix=slink:/x; down\r\n",
            )
            .await;
            peer.say("226 Done").await;
        })
        .await;
        let page = show(&hasty(), server.url("/")).await.whole();
        let document = page.document();
        assert_eq!(texts(&document), ["sub", "down → /x"], "{feat}");
        assert_eq!(kind(&document, "down → /x"), Kind::Symlink);
        server.done().await;
    }
}

#[tokio::test]
async fn mlst_in_one_line_and_in_three() {
    for reply in [
        "250 type=file;size=5; a.txt",
        "250-Here\r\n type=file;size=5; a.txt\r\n250 End",
        "250-Here\r\n250-type=file;size=5; a.txt\r\n250 End",
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.visitor().await;
            log_in(&mut peer).await;
            peer.answer("FEAT", "211-Features:\r\n MLST\r\n211 End")
                .await;
            peer.answer("PWD", "257 \"/\"").await;
            peer.answer("MLST a.txt", reply).await;
            // It is known to be a file: nobody tries to enter it.
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE a.txt", "213 5").await;
            peer.serve("RETR a.txt", "hello").await;
            peer.say("226 Done").await;
        })
        .await;
        let page = show(&hasty(), server.url("/a.txt")).await.whole();
        assert_eq!(page.octets, b"hello", "{reply}");
        server.done().await;
    }
}

#[tokio::test]
async fn a_directory_with_quotes_in_its_name_is_gone_back_to() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        log_in(&mut peer).await;
        peer.answer("FEAT", "500 What?").await;
        peer.answer("PWD", b"257 \"/a \"\"q\"\" caf\xe9\" is \"your\" place")
            .await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
        peer.answer(b"CWD /a \"q\" caf\xe9", "250 Home").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = hasty();
    for _ in 0..2 {
        show(&net, server.url("/")).await.whole();
    }
    server.done().await;
}

#[tokio::test]
async fn ends_of_a_transfer_in_other_codes() {
    for end in ["200 OK", "250 Done", "226-So\r\n226 long", "226"] {
        let server = Server::start(async move |door| {
            let mut peer = door.guest().await;
            peer.serve("LIST", LIST).await;
            peer.say(end).await;
            // The session is at rest, and goes on.
            peer.answer("CWD /", "250 Home").await;
            peer.serve("LIST", LIST).await;
            peer.say(end).await;
        })
        .await;
        let net = hasty();
        for _ in 0..2 {
            assert_eq!(
                show(&net, server.url("/")).await.whole().octets,
                LIST.as_bytes(),
                "{end}"
            );
        }
        server.done().await;
    }
}

#[tokio::test]
async fn a_second_preliminary_reply_is_not_the_end() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        peer.say("150 0.004 seconds (measured here)").await;
        peer.say("226 Done").await;
        // The session is at rest, and in step.
        peer.answer("CWD /", "250 Home").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = hasty();
    for _ in 0..2 {
        show(&net, server.url("/")).await.whole();
    }
    server.done().await;
}

#[tokio::test]
async fn a_passive_reply_that_is_no_text() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        let data = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = data.local_addr().unwrap().port();
        peer.answer("EPSV", "502 No").await;
        let reply = [
            b"227 Pr\xeat (".as_slice(),
            format!("127,0,0,1,{},{})", port / 256, port % 256).as_bytes(),
        ]
        .concat();
        peer.answer("PASV", reply).await;
        peer.answer("LIST", "125 Here").await;
        peer.send(&data, LIST.as_bytes()).await;
        peer.say("226 Done").await;
    })
    .await;
    assert_eq!(
        show(&hasty(), server.url("/")).await.whole().octets,
        LIST.as_bytes()
    );
    server.done().await;
}

#[tokio::test]
async fn a_port_that_epsv_names_and_nobody_listens_at_is_passed_over() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        let data = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = data.local_addr().unwrap().port();
        let nobody = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let shut = nobody.local_addr().unwrap().port();
        drop(nobody);
        peer.answer("EPSV", format!("229 Here (|||{shut}|)")).await;
        peer.answer(
            "PASV",
            format!("227 (127,0,0,1,{},{})", port / 256, port % 256),
        )
        .await;
        peer.answer("LIST", "150 Here").await;
        peer.send(&data, LIST.as_bytes()).await;
        peer.say("226 Done").await;
    })
    .await;
    show(&hasty(), server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn names_that_would_be_more_than_names() {
    const NAMES: &[u8] = b"-rw-r--r-- 1 f f 1 Mar 14 1994 \x1b[31mred\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 a\rb\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 -rf\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994  two  blanks \r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 \xff\xfe\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 ..%2f..\r\n";
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.serve("LIST", NAMES).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&hasty(), server.url("/")).await.whole();
    let document = page.document();
    let shown = texts(&document).join("|");
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
    let links: Vec<String> = (0..document.count())
        .flat_map(|row| document.links(row))
        .map(|link| link.target.unwrap().path().unwrap().to_owned())
        .collect();
    let expected = [
        "%1B[31mred",
        "a%0Db",
        "-rf",
        "%20two%20%20blanks%20",
        "%FF%FE",
        "..%252f..",
    ];
    for name in expected {
        assert!(
            links.iter().any(|link| link.eq_ignore_ascii_case(name)
                || link.replace("%5B", "[").eq_ignore_ascii_case(name)),
            "{name}: {links:?}"
        );
    }
    server.done().await;
}

#[tokio::test]
async fn a_stopped_load_leaves_nothing_to_be_read_by_the_next() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.hear("CWD slow").await;
        peer.is_left().await;
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    // The reply would have come to the next command; so there is none on that connection.
    let net = Net::new(Limits::default());
    let stopped = tokio::time::timeout(
        std::time::Duration::from_millis(300),
        show(&net, server.url("/slow/")),
    );
    assert!(stopped.await.is_err());
    show(&net, server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn a_readme_is_shown_above_and_costs_nothing_when_it_does_not_come() {
    const WITH: &str = "-rw-r--r-- 1 f f 6 Mar 14 1994 README\r\n";
    for (reply, expected) in [("150 Here", Some("README")), ("550 Not you", None)] {
        let server = Server::start(async move |door| {
            let mut peer = door.guest().await;
            peer.serve("LIST", WITH).await;
            peer.say("226 Done").await;
            let data = peer.extended().await;
            peer.answer("RETR README", reply).await;
            if expected.is_some() {
                peer.send(&data, b"Hello.\n").await;
                peer.say("226 Done").await;
            }
        })
        .await;
        let page = show(&hasty(), server.url("/")).await.whole();
        let titles: Vec<&str> = page
            .remarks
            .iter()
            .map(|remark| remark.title.as_str())
            .collect();
        assert_eq!(titles, expected.into_iter().collect::<Vec<_>>());
        assert_eq!(target(&page.document(), "README").path(), Some("README"));
        server.done().await;
    }
}

/// A server of IPv6 can name its data connections by EPSV alone.
#[tokio::test]
async fn ipv6() {
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else {
        // A machine without it.
        return;
    };
    let place = listener.local_addr().unwrap();
    let server = Server::at(listener, async |door| {
        let mut peer = door.guest().await;
        let data = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await.unwrap();
        let port = data.local_addr().unwrap().port();
        peer.answer("EPSV", format!("229 Here (|||{port}|)")).await;
        peer.answer("LIST", "150 Here").await;
        let (mut stream, _) = data.accept().await.unwrap();
        stream.write_all(LIST.as_bytes()).await.unwrap();
        drop(stream);
        peer.say("226 Done").await;
        // And there is no other way: PASV could only name another host.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("EPSV", "500 What?").await;
        peer.is_left().await;
    });
    let net = hasty();
    let request = Request::show(Url::accept(&format!("ftp://[::1]:{}/", place.port())).unwrap());
    let page = carry_out(&net, request.clone()).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    let failure = carry_out(&net, request).await.failure();
    assert!(
        failure.sentence.contains("offers no data connection"),
        "{failure:?}"
    );
    server.done().await;
}

#[tokio::test]
async fn a_refusal_in_other_words_is_no_empty_directory() {
    for (reply, kind) in [
        ("550 Zugriff verweigert", FailureKind::Permanent),
        ("450 Directory busy, try later", FailureKind::Transient),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.guest().await;
            let _data = peer.extended().await;
            peer.answer("LIST", reply).await;
        })
        .await;
        let failure = show(&hasty(), server.url("/")).await.failure();
        assert_eq!((failure.said[0].as_str(), failure.kind), (reply, kind));
        server.done().await;
    }
}

#[tokio::test]
async fn a_user_who_is_not_let_in_before_a_password_is_not_asked_for_one() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer(
            "USER ada",
            "530 Non-anonymous sessions must use encryption.",
        )
        .await;
    })
    .await;
    let failure = show(&hasty(), server.url_of("ada", "/")).await.failure();
    assert!(
        failure.sentence.contains("does not let ada in"),
        "{failure:?}"
    );
    assert!(failure.advice.unwrap().contains("ftps://"), "{failure:?}");
    server.done().await;
}

#[tokio::test]
async fn an_empty_password_is_one() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.log_in("bob", "").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let mut request = Request::show(url(server.url_of("bob", "/")));
    request.give_password("bob", String::new());
    carry_out(&hasty(), request).await.whole();
    server.done().await;
}

#[tokio::test]
async fn text_is_saved_with_line_ends_of_its_own() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.answer("MDTM a.txt", "500 What?").await;
        peer.serve("RETR a.txt", "one\r\ntwo\rthree\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let mut request = Request::show(url(server.url("/a.txt;type=a")));
    request.purpose = Purpose::Save;
    let saved = carry_out(&hasty(), request).await.whole();
    assert_eq!(saved.octets, b"one\ntwo\rthree\n");
    server.done().await;
}

#[tokio::test]
async fn a_long_readme_is_shown_as_far_as_it_is_read() {
    const WITH: &str = "-rw-r--r-- 1 f f 99999 Mar 14 1994 README\r\n";
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.serve("LIST", WITH).await;
        peer.say("226 Done").await;
        peer.serve("RETR README", "words and words\r\n".repeat(10_000))
            .await;
    })
    .await;
    let page = show(&Net::default(), server.url("/")).await.whole();
    assert_eq!(page.remarks[0].octets.len(), 64 * 1024);
    server.done().await;
}

#[tokio::test]
async fn a_listing_that_is_done_at_once_is_an_empty_one() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        let _data = peer.extended().await;
        peer.answer("LIST", "226 Nothing to send").await;
    })
    .await;
    let page = show(&hasty(), server.url("/")).await.whole();
    assert!(page.octets.is_empty());
    server.done().await;
}
