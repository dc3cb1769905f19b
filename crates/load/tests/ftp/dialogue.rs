//! Logging in, data connections, listings and files, line by line.

use std::net::Ipv4Addr;

use geomys_load::{Login, Purpose, Question, Reason, Request};
use geomys_testing::ftp::{Peer, Server};
use geomys_testing::loading::{carry_out, short_timeouts, show, texts, url};
use geomys_wire::net::{Net, Security};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

async fn passive(reply: &'static str) {
    let server = Server::start(async move |door| {
        let mut peer = door.accept_anonymous().await;
        let data = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = data.local_addr().unwrap().port();
        peer.answer("EPSV", "500 What?").await;
        let numbers = format!("192,0,2,1,{},{}", port / 256, port % 256);
        peer.answer("PASV", reply.replace("{}", &numbers)).await;
        peer.answer("LIST", "150 Here").await;
        let (mut data, _) = data.accept().await.unwrap();
        data.write_all(LIST.as_bytes()).await.unwrap();
        drop(data);
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&short_timeouts(), server.url("/")).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
}

#[tokio::test]
async fn pasv_address_is_ignored_for_the_server_address() {
    passive("227 Entering Passive Mode ({}).").await;
}

#[tokio::test]
async fn pasv_reply_in_other_words_is_parsed() {
    passive("227 Entering passive mode. {}").await;
    passive("227 ={}").await;
}

#[tokio::test]
async fn password_prompt_follows_331_and_530() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.expect_close().await;
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.answer("PASS byron", "530-No.\r\n530 That is not it")
            .await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let question = show(&net, server.url_of("ada", "/")).await.question();
    let expected = |said| Question::Password {
        security: Security::Plain,
        user: "ada".to_owned(),
        host: "127.0.0.1".to_owned(),
        said,
    };
    assert_eq!(question, expected(None));
    let mut request = Request::show(url(server.url_of("ada:wrong", "/")), Reason::Typed);
    request.login = Some(Login::new("ada", "byron"));
    let again = carry_out(&net, request).await;
    assert!(!format!("{again:?}").contains("byron"));
    let said = geomys_wire::text::Text::of("530 That is not it");
    assert_eq!(again.question(), expected(Some(said)));
    server.done().await;
}

#[tokio::test]
async fn user_is_logged_in_without_password_on_230() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer("USER ada", "230 Ada, of course").await;
        peer.answer("FEAT", "211-Features\r\n MLST type*;\r\n UTF8\r\n211 End")
            .await;
        peer.answer("OPTS UTF8 ON", "202 Always is").await;
        peer.answer("PWD", "257 \"/home/\"\"a\"\"\"").await;
        peer.serve("MLSD", "type=file;size=3; x\r\n").await;
        peer.say("226 Done").await;
        // The second load comes over the same connection, from the directory of the login.
        peer.answer("CWD /home/\"a\"", "250 Home").await;
        peer.serve("MLSD", "type=file;size=3; x\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::default();
    for _ in 0..2 {
        let page = show(&net, server.url_of("ada", "/")).await.whole();
        assert_eq!(texts(&page.document()), ["x"]);
    }
    server.done().await;
}

#[tokio::test]
async fn no_files_error_is_an_empty_directory() {
    for refusal in ["550 No files found", "450 No files"] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            let _data = peer.open_data_port().await;
            peer.answer("LIST", refusal).await;
            peer.expect_close().await;
        })
        .await;
        let net = Net::default();
        let page = show(&net, server.url("/")).await.whole();
        assert_eq!(page.document().count(), 0);
        drop(net);
        server.done().await;
    }
}

#[tokio::test]
async fn permission_error_is_not_an_empty_directory() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let _data = peer.open_data_port().await;
        peer.answer("LIST", "550 Permission denied").await;
    })
    .await;
    let failure = show(&Net::default(), server.url("/")).await.failure();
    assert_eq!(failure.said[0].as_str(), "550 Permission denied");
    server.done().await;
}

#[tokio::test]
async fn server_without_list_falls_back_to_nlst() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let _data = peer.open_data_port().await;
        peer.answer("LIST", "502 Never heard of it").await;
        peer.serve("NLST", "pub/readme.now\r\nold\r\n").await;
        peer.say("250 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/")).await.whole();
    assert_eq!(texts(&page.document()), ["old", "readme.now"]);
    server.done().await;
}

/// A listing of which some lines cannot be read, and the links of its rows.
const ODD: &str = "-rw-r--r-- 1 a b 5 Nov 20 10:00 plain\r\n\
                   ?weird? 5 sometime two words\r\n\
                   rw 7 words\r\n\
                   nothing that NLST has\r\n";

#[tokio::test]
async fn line_that_cannot_be_read_gets_its_name_from_nlst() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", ODD).await;
        peer.say("226 Done").await;
        peer.serve("NLST", "plain\r\npub/two words\r\nwords\r\nhidden\r\n")
            .await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/")).await.whole();
    let document = page.document();
    let rows = ["plain", "two words", "words", "nothing that NLST has"];
    assert_eq!(texts(&document), rows);
    let links = |row| {
        document
            .links(row)
            .into_iter()
            .map(|link| link.target.unwrap())
    };
    let links: Vec<_> = (0..rows.len()).flat_map(links).collect();
    assert_eq!(
        links,
        ["/plain", "/two%20words", "/words"].map(|path| url(server.url(path)))
    );
    // It has no size.
    assert_eq!(document.row(1).unwrap().aside.unwrap().as_str().trim(), "–");
    server.done().await;
}

#[tokio::test]
async fn listing_is_complete_where_nlst_is_refused() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", ODD).await;
        peer.say("226 Done").await;
        let _data = peer.open_data_port().await;
        peer.answer("NLST", "502 Never heard of it").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/")).await.whole();
    assert_eq!(page.document().count(), 4);
    server.done().await;
}

async fn offers_to_save(peer: &mut Peer, name: &str, octets: &[u8]) {
    peer.answer(format!("CWD {name}"), "550 No directory").await;
    peer.answer("TYPE I", "200 Yes").await;
    peer.answer(format!("SIZE {name}"), format!("213 {}", octets.len()))
        .await;
}

#[tokio::test]
async fn sound_by_name_is_a_save_question_without_retr() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        offers_to_save(&mut peer, "x.mp3", b"12345").await;
        // The answer comes over the same connection.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("CWD x.mp3", "550 No directory").await;
        peer.answer("SIZE x.mp3", "213 5").await;
        peer.answer("MDTM x.mp3", "213 19940314120000.25").await;
        peer.serve("RETR x.mp3", "12345").await;
        peer.say("226 Done").await;
    })
    .await;
    let net = Net::default();
    let expected = Question::Save {
        what: "a sound",
        name: "x.mp3".to_owned(),
        size: Some(5),
    };
    assert_eq!(show(&net, server.url("/x.mp3")).await.question(), expected);
    let mut request = Request::show(url(server.url("/x.mp3")), Reason::Typed);
    request.purpose = Purpose::Save;
    let saved = carry_out(&net, request).await.whole();
    assert_eq!(saved.octets, b"12345");
    let begin = saved.begin.unwrap();
    assert_eq!(begin.size, Some(5));
    assert_eq!(begin.version.modified.as_deref(), Some("19940314120000"));
    server.done().await;
}

#[tokio::test]
async fn binary_content_is_a_save_question() {
    const OCTETS: &[u8] = b"MZ\x00\x01\x02 not text";
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        offers_to_save(&mut peer, "thing", OCTETS).await;
        peer.serve("RETR thing", OCTETS).await;
        // An unfinished transfer: the connection is not used again.
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let page = show(&net, server.url("/thing")).await;
    assert!(page.begin.is_none());
    assert!(matches!(page.question(), Question::Save { .. }));
    server.done().await;
}

#[tokio::test]
async fn text_without_a_suffix_is_shown() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        offers_to_save(&mut peer, "motd", b"caf\xe9\x1b[1m\r\n").await;
        peer.serve("RETR motd", b"caf\xe9\x1b[1m\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/motd")).await.whole();
    assert_eq!(texts(&page.document()), ["café"]);
    assert_eq!(page.begin.unwrap().title.unwrap().as_str(), "/motd");
    server.done().await;
}

#[tokio::test]
async fn server_clock_offset_is_read_from_mdtm() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let list = "03-14-1994  12:00PM       <DIR>          sub\r\n03-14-1994  12:00PM           12 a b\r\n";
        peer.serve("LIST", list).await;
        peer.say("226 Done").await;
        peer.answer("MDTM a b", "213 19940314110042").await;
        // The offset is measured for every listing: daylight saving may begin between two.
        peer.answer("CWD /", "250 Home").await;
        peer.serve("LIST", list).await;
        peer.say("226 Done").await;
        peer.answer("MDTM a b", "500 What?").await;
        // After this refusal MDTM is not sent again.
        peer.answer("CWD /", "250 Home").await;
        peer.serve("LIST", list).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    for expected in [Some(60), None, None] {
        let page = show(&net, server.url("/")).await.whole();
        assert_eq!(page.clock, expected);
    }
    server.done().await;
}
