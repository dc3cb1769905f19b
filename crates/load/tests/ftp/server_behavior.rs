//! Server behaviour beyond the RFCs that Geomys handles.

use std::net::Ipv6Addr;

use geomys_load::{FailureKind, Purpose, Reason, Request};
use geomys_page::document::Kind;
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::gate::closed_port;
use geomys_testing::loading::{carry_out, kind, short_timeouts, show, target, texts, url};
use geomys_wire::net::{Limits, Net};
use rfc1738::Dialect;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

/// Greets and logs in, up to FEAT.
async fn log_in(peer: &mut Peer) {
    peer.say("220 Hello").await;
    peer.answer("USER anonymous", "331 Password?").await;
    peer.answer("PASS geomys@", "230 In").await;
}

#[tokio::test]
async fn feat_reply_is_parsed_in_any_format() {
    for feat in [
        "211-Features:\r\n MLST type*;size*;\r\n UTF8\r\n211 End",
        "211-Features:\r\n211-mlst type*;size*;\r\n211-UTF8\r\n211 End",
        "211-Features:\r\nMLST\r\nutf8\r\n211 End",
        "211-caf\u{e9}\r\n\tMLSD\r\n\tUTF8\r\n211",
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept().await;
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
        let page = show(&short_timeouts(), server.url("/")).await.whole();
        let document = page.document();
        assert_eq!(texts(&document), ["sub", "down → /x"], "{feat}");
        assert_eq!(kind(&document, "down → /x"), Kind::Symlink);
        server.done().await;
    }
}

#[tokio::test]
async fn mlst_reply_is_parsed_in_one_line_or_three() {
    for reply in [
        "250 type=file;size=5; a.txt",
        "250-Here\r\n type=file;size=5; a.txt\r\n250 End",
        "250-Here\r\n250-type=file;size=5; a.txt\r\n250 End",
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept().await;
            log_in(&mut peer).await;
            peer.answer("FEAT", "211-Features:\r\n MLST\r\n211 End")
                .await;
            peer.answer("PWD", "257 \"/\"").await;
            peer.answer("MLST a.txt", reply).await;
            // It was listed as a file: no CWD is sent.
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE a.txt", "213 5").await;
            peer.serve("RETR a.txt", "hello").await;
            peer.say("226 Done").await;
        })
        .await;
        let page = show(&short_timeouts(), server.url("/a.txt")).await.whole();
        assert_eq!(page.octets, b"hello", "{reply}");
        server.done().await;
    }
}

#[tokio::test]
async fn login_directory_with_quotes_is_restored() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
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
    let net = short_timeouts();
    for _ in 0..2 {
        show(&net, server.url("/")).await.whole();
    }
    server.done().await;
}

#[tokio::test]
async fn transfer_end_is_accepted_with_any_2xx_code() {
    for end in ["200 OK", "250 Done", "226-So\r\n226 long", "226"] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.serve("LIST", LIST).await;
            peer.say(end).await;
            // The session is idle, and continues.
            peer.answer("CWD /", "250 Home").await;
            peer.serve("LIST", LIST).await;
            peer.say(end).await;
        })
        .await;
        let net = short_timeouts();
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
async fn second_preliminary_reply_does_not_end_the_transfer() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", LIST).await;
        peer.say("150 0.004 seconds (measured here)").await;
        peer.say("226 Done").await;
        // The session is idle, and in sync.
        peer.answer("CWD /", "250 Home").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    for _ in 0..2 {
        show(&net, server.url("/")).await.whole();
    }
    server.done().await;
}

#[tokio::test]
async fn pasv_reply_with_non_utf8_text_is_parsed() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
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
        show(&short_timeouts(), server.url("/"))
            .await
            .whole()
            .octets,
        LIST.as_bytes()
    );
    server.done().await;
}

#[tokio::test]
async fn closed_epsv_port_falls_back_to_pasv() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let data = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = data.local_addr().unwrap().port();
        let (shut, _held) = closed_port();
        let shut = shut.port();
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
    show(&short_timeouts(), server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn hostile_names_lead_to_their_files_unchanged() {
    const NAMES: &[u8] = b"-rw-r--r-- 1 f f 1 Mar 14 1994 \x1b[31mred\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 a\rb\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 -rf\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994  two  blanks \r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 \xff\xfe\r\n\
        -rw-r--r-- 1 f f 1 Mar 14 1994 ..%2f..\r\n";
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", NAMES).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&short_timeouts(), server.url("/")).await.whole();
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
async fn cancelled_load_closes_its_connection() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.expect_line("CWD slow").await;
        peer.expect_close().await;
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    // The late reply would be taken for the next command's, so that connection gets no more commands.
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
async fn readme_is_shown_above_the_listing_or_skipped_when_refused() {
    const WITH: &str = "-rw-r--r-- 1 f f 6 Mar 14 1994 README\r\n";
    for (reply, expected) in [("150 Here", Some("README")), ("550 Not you", None)] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.serve("LIST", WITH).await;
            peer.say("226 Done").await;
            let data = peer.open_data_port().await;
            peer.answer("RETR README", reply).await;
            if expected.is_some() {
                peer.send(&data, b"Hello.\n").await;
                peer.say("226 Done").await;
            }
        })
        .await;
        let page = show(&short_timeouts(), server.url("/")).await.whole();
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
async fn ipv6_server_is_listed_by_epsv() {
    let Ok(listener) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await else {
        // A machine without IPv6.
        return;
    };
    let authority = listener.local_addr().unwrap();
    let server = Server::at(listener, async |door| {
        let mut peer = door.accept_anonymous().await;
        let data = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).await.unwrap();
        let port = data.local_addr().unwrap().port();
        peer.answer("EPSV", format!("229 Here (|||{port}|)")).await;
        peer.answer("LIST", "150 Here").await;
        let (mut stream, _) = data.accept().await.unwrap();
        stream.write_all(LIST.as_bytes()).await.unwrap();
        drop(stream);
        peer.say("226 Done").await;
        // PASV is no fallback: it can only name an IPv4 host.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("EPSV", "500 What?").await;
        peer.expect_close().await;
    });
    let net = short_timeouts();
    let request = Request::show(
        Dialect::Extended
            .parse(&format!("ftp://[::1]:{}/", authority.port()))
            .unwrap(),
        Reason::Typed,
    );
    let page = carry_out(&net, request.clone()).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    let failure = carry_out(&net, request).await.failure();
    let expected = "offers no data connection over IPv6; its IPv4 address may work";
    assert!(failure.sentence.contains(expected), "{failure:?}");
    server.done().await;
}

#[tokio::test]
async fn refused_list_in_other_words_is_a_failure() {
    for (reply, kind) in [
        ("550 Zugriff verweigert", FailureKind::Permanent),
        ("450 Directory busy, try later", FailureKind::Busy),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            let _data = peer.open_data_port().await;
            peer.answer("LIST", reply).await;
        })
        .await;
        let failure = show(&short_timeouts(), server.url("/")).await.failure();
        assert_eq!((failure.said[0].as_str(), failure.kind), (reply, kind));
        server.done().await;
    }
}

#[tokio::test]
async fn user_refused_before_password_gets_no_prompt() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer(
            "USER ada",
            "530 Non-anonymous sessions must use encryption.",
        )
        .await;
    })
    .await;
    let failure = show(&short_timeouts(), server.url_of("ada", "/"))
        .await
        .failure();
    assert!(
        failure.sentence.contains("refused the login of ada"),
        "{failure:?}"
    );
    assert!(failure.advice.unwrap().contains("ftps://"), "{failure:?}");
    server.done().await;
}

#[tokio::test]
async fn empty_password_is_sent() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.log_in("bob", "").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let mut request = Request::show(url(server.url_of("bob", "/")), Reason::Typed);
    request.set_password("bob", String::new());
    carry_out(&short_timeouts(), request).await.whole();
    server.done().await;
}

#[tokio::test]
async fn ascii_download_is_saved_with_local_line_endings() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("MDTM a.txt", "500 What?").await;
        peer.serve("RETR a.txt", "one\r\ntwo\rthree\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let mut request = Request::show(url(server.url("/a.txt;type=a")), Reason::Typed);
    request.purpose = Purpose::Save;
    let saved = carry_out(&short_timeouts(), request).await.whole();
    assert_eq!(saved.octets, b"one\ntwo\rthree\n");
    server.done().await;
}

#[tokio::test]
async fn long_readme_is_shown_truncated() {
    const WITH: &str = "-rw-r--r-- 1 f f 99999 Mar 14 1994 README\r\n";
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
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
async fn list_answered_with_226_is_an_empty_directory() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let _data = peer.open_data_port().await;
        peer.answer("LIST", "226 Nothing to send").await;
    })
    .await;
    let page = show(&short_timeouts(), server.url("/")).await.whole();
    assert!(page.octets.is_empty());
    server.done().await;
}
