//! Faulty servers: each case ends with the requested page or with an error, within the deadline.

use geomys_load::{Failure, Purpose, Question, Reason, Request};
use geomys_testing::ftp::Server;
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, url};
use geomys_wire::net::{Net, TransferEnd};
use geomys_wire::text::Text;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

async fn save(net: &Net, address: String) -> Loaded {
    let mut request = Request::show(url(address), Reason::Typed);
    request.purpose = Purpose::Save;
    carry_out(net, request).await
}

fn says(failure: &Failure, words: &str) {
    assert!(failure.sentence.contains(words), "{failure:?}");
}

#[tokio::test]
async fn silent_server_times_out() {
    let server = Server::start(async |door| door.accept().await.expect_close().await).await;
    let failure = show(&short_timeouts(), server.url("/")).await.failure();
    says(&failure, "did not greet within");
    server.done().await;
}

#[tokio::test]
async fn unfinished_reply_times_out() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.write(b"220-Welcome\r\nand\r\n").await;
        peer.expect_close().await;
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.expect_line("USER anonymous").await;
        peer.expect_close().await;
    })
    .await;
    says(
        &show(&short_timeouts(), server.url("/")).await.failure(),
        "did not greet",
    );
    says(
        &show(&short_timeouts(), server.url("/")).await.failure(),
        "did not reply",
    );
    server.done().await;
}

#[tokio::test]
async fn wrong_greeting_is_a_failure() {
    for (greeting, sentence) in [
        ("421 Too many users", "refused the connection"),
        ("SSH-2.0-OpenSSH", "did not answer as an FTP server"),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept().await;
            peer.say(greeting).await;
            peer.expect_close().await;
        })
        .await;
        let failure = show(&short_timeouts(), server.url("/")).await.failure();
        says(&failure, sentence);
        says(&failure, &server.place());
        server.done().await;
    }
}

#[tokio::test]
async fn unlimited_greeting_is_too_long() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.write(&b"220-la la la\r\n".repeat(30_000)).await;
        peer.expect_close().await;
    })
    .await;
    says(
        &show(&Net::default(), server.url("/")).await.failure(),
        "a reply of more than",
    );
    server.done().await;
}

/// Lists a directory on a server with this greeting and this login reply.
async fn gets_in(greeting: &'static [u8], welcome: &'static [u8]) -> Loaded {
    let server = Server::start(async move |door| {
        let mut peer = door.accept().await;
        peer.write(greeting).await;
        peer.expect_line("USER anonymous").await;
        peer.write(welcome).await;
        peer.answer("FEAT", "500").await;
        peer.answer("PWD", "257 \"/\" is where you are").await;
        peer.serve("LIST", LIST).await;
        peer.say("226").await;
    })
    .await;
    let page = show(&short_timeouts(), server.url("/")).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
    page
}

fn remarks(page: &Loaded) -> Vec<(&str, String)> {
    let remarks = page.remarks.iter();
    remarks
        .map(|remark| {
            (
                remark.title.as_str(),
                remark.octets.escape_ascii().to_string(),
            )
        })
        .collect()
}

#[tokio::test]
async fn unusual_greetings_are_accepted() {
    gets_in(b"220\r\n", b"230\r\n").await;
    gets_in(b"120 Ready in 1 minute\r\n220 Now\r\n", b"230 In\r\n").await;
    gets_in(b"\r\n220 Hello\r\n", b"202 Superfluous\r\n").await;
    // Lines of a banner that look like codes, before the greeting and in it.
    gets_in(b"100 users are online\r\n220 Hello\r\n", b"230 In\r\n").await;
    gets_in(b"230 users is the limit\r\n220 Hello\r\n", b"230 In\r\n").await;
    let page = gets_in(
        b"220-Welcome\r\n100 users are online\r\n220-230 is the limit\r\n caf\xe9\r\n220 Hello\r\n",
        b"230-Rules\r\n230-\r\n230 In\r\n",
    )
    .await;
    let said = "Welcome\\n100 users are online\\n230 is the limit\\n caf\\xe9\\n\\nRules\\n\\n";
    assert_eq!(remarks(&page), [("Server messages (2)", said.to_owned())]);
    // A greeting that ends with another code, as glFTPd's: nothing more comes.
    let page = gets_in(b"220-Welcome\r\n226 Hello\r\n", b"230 In\r\n").await;
    let said = "Welcome\\n".to_owned();
    assert_eq!(remarks(&page), [("Server messages (1)", said)]);
}

#[tokio::test]
async fn refused_anonymous_login_prompts_for_name() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "331 Password?").await;
        peer.answer("PASS geomys@", "530 Members only").await;
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "530 Members only").await;
    })
    .await;
    for _ in 0..2 {
        let question = show(&short_timeouts(), server.url("/")).await.question();
        let said = Some(Text::of("530 Members only"));
        let host = "127.0.0.1".to_owned();
        assert_eq!(question, Question::Login { host, said });
    }
    server.done().await;
}

#[tokio::test]
async fn user_goes_into_the_url_without_password() {
    let server = Server::start(async |door| {
        for password in [None, Some("by ron")] {
            let mut peer = door.accept().await;
            peer.say("220 Hello").await;
            peer.answer("AUTH TLS", "502 What?").await;
            peer.answer("USER a@da", "331 Password?").await;
            if let Some(password) = password {
                peer.answer(format!("PASS {password}"), "230 In").await;
                peer.answer("FEAT", "500 What?").await;
                peer.answer("PWD", "257 \"/\"").await;
                peer.answer("CWD pub", "250 Yes").await;
                peer.serve("LIST", LIST).await;
                peer.say("226 Done").await;
            }
        }
    })
    .await;
    let mut request = Request::show(url(server.url("/pub/")), Reason::Typed);
    request.set_user("a@da");
    let net = short_timeouts();
    let Question::Password { user, .. } = carry_out(&net, request.clone()).await.question() else {
        panic!("no password prompt");
    };
    request.set_password(&user, "by ron".to_owned());
    let page = carry_out(&net, request.clone()).await.whole();
    assert_eq!(request.url.as_str(), server.url_of("a%40da", "/pub/"));
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
}

#[tokio::test]
async fn account_is_prompted_and_sent() {
    let server = Server::start(async |door| {
        let mut peer = door.accept().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.answer("PASS byron", "332 Account?").await;
        for (account, reply) in [("lab", "530 No such account"), ("pit", "230 In")] {
            let mut peer = door.accept().await;
            peer.say("220 Hello").await;
            peer.answer("AUTH TLS", "502 What?").await;
            peer.answer("USER ada", "331 Password?").await;
            peer.answer("PASS byron", "332 Account?").await;
            peer.answer(format!("ACCT {account}"), reply).await;
            if account == "pit" {
                peer.answer("FEAT", "500 What?").await;
                peer.answer("PWD", "257 \"/\"").await;
                peer.serve("LIST", LIST).await;
                peer.say("226 Done").await;
            }
        }
    })
    .await;
    let net = short_timeouts();
    let mut request = Request::show(url(server.url_of("ada:byron", "/")), Reason::Typed);
    for (account, said) in [("lab", "332 Account?"), ("pit", "530 No such account")] {
        let Question::Account {
            user, said: words, ..
        } = carry_out(&net, request.clone()).await.question()
        else {
            panic!("no account prompt");
        };
        assert_eq!(words.unwrap().as_str(), said);
        request.set_account(&user, account.to_owned());
    }
    carry_out(&net, request).await.whole();
    server.done().await;
}

#[tokio::test]
async fn reply_421_fails_with_its_text() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "421 Timeout, goodbye").await;
        drop(peer);
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "250 Yes").await;
        let data = peer.open_data_port().await;
        let (data, _) = data.accept().await.unwrap();
        peer.answer("LIST", "150 Here").await;
        drop(data);
        peer.say("421 Going down").await;
    })
    .await;
    let net = short_timeouts();
    for words in [
        "closed the connection",
        "closed the connection after 0 bytes",
    ] {
        let failure = show(&net, server.url("/pub/")).await.failure();
        says(&failure, words);
        assert!(failure.said[0].as_str().starts_with("421 "), "{failure:?}");
    }
    server.done().await;
}

#[tokio::test]
async fn missing_file_quotes_the_server() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.answer("CWD x", "550 x: no directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", b"550 x: No such file, caf\xe9\x1b[31m")
            .await;
        // A refusal is no fault: the connection stays usable.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("TYPE A", "200 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = short_timeouts();
    let failure = show(&net, server.url("/pub/x")).await.failure();
    let sentence = format!("{} has no /pub/x, or refuses access", server.place());
    assert_eq!(failure.sentence, sentence);
    assert_eq!(failure.said[0].as_str(), "550 x: No such file, café");
    show(&net, server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn interrupted_transfer_keeps_received_data() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", LIST).await;
        peer.say("426 Cable cut").await;
        peer.expect_close().await;
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", LIST).await;
        drop(peer);
        let mut peer = door.accept_anonymous().await;
        peer.serve("LIST", LIST).await;
        peer.expect_close().await;
    })
    .await;
    let net = short_timeouts();
    for words in [
        "closed the connection after 44 bytes",
        "before it reported",
        "did not report the end of the transfer",
    ] {
        let page = show(&net, server.url("/")).await;
        assert_eq!(page.octets, LIST.as_bytes());
        says(&page.failure(), words);
    }
    server.done().await;
}

#[tokio::test]
async fn complete_data_without_226_succeeds() {
    let server = Server::start(async |door| {
        for _ in 0..2 {
            let mut peer = door.accept_anonymous().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", "213 5").await;
            peer.answer("MDTM x", "550 Who knows").await;
            peer.serve("RETR x", "12345").await;
            // 226 never comes, and no further command is sent here.
            peer.expect_close().await;
        }
    })
    .await;
    let net = short_timeouts();
    for _ in 0..2 {
        let saved = save(&net, server.url("/x;type=i")).await.whole();
        assert_eq!(saved.octets, b"12345");
    }
    server.done().await;
}

#[tokio::test]
async fn fewer_octets_than_size_are_asked_for_again_once() {
    for (more, size, end) in [
        ("45", 5, TransferEnd::Confirmed),
        (
            "",
            5,
            TransferEnd::Differs {
                announced: 5,
                received: 3,
            },
        ),
        // The file is shorter now.
        ("", 3, TransferEnd::Confirmed),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", "213 5").await;
            peer.answer("MDTM x", "500 What?").await;
            peer.serve("RETR x", "123").await;
            peer.say("226 Done").await;
            peer.answer("SIZE x", format!("213 {size}")).await;
            if size == 3 {
                return;
            }
            let data = peer.open_data_port().await;
            // The last octets are asked for again: they show that the rest follows them.
            peer.answer("RETR x", "150 Here").await;
            peer.send(&data, format!("123{more}").as_bytes()).await;
            peer.say("226 Done").await;
        })
        .await;
        let page = save(&short_timeouts(), server.url("/x;type=i")).await;
        assert_eq!(page.octets, format!("123{more}").as_bytes());
        assert_eq!(page.end.unwrap(), end);
        server.done().await;
    }
}

#[tokio::test]
async fn dead_pooled_connection_is_replaced_silently() {
    for goodbye in [Some("421 Bored"), None] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            peer.serve("LIST", LIST).await;
            peer.say("226 Done").await;
            if let Some(goodbye) = goodbye {
                peer.say(goodbye).await;
            }
            drop(peer);
            let mut peer = door.accept_anonymous().await;
            peer.serve("LIST", LIST).await;
            peer.say("226 Done").await;
        })
        .await;
        let net = short_timeouts();
        for _ in 0..2 {
            let page = show(&net, server.url("/")).await.whole();
            assert_eq!(page.octets, LIST.as_bytes());
        }
        server.done().await;
    }
}

#[tokio::test]
async fn stalled_data_connection_times_out() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        let data = peer.open_data_port().await;
        peer.answer("LIST", "150 Any minute now").await;
        let _held = data.accept().await.unwrap();
        peer.expect_close().await;
    })
    .await;
    says(
        &show(&short_timeouts(), server.url("/")).await.failure(),
        "sent nothing within",
    );
    server.done().await;
}
