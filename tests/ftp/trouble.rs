//! Servers on bad days: each ends in what the person wanted, or in a sentence, within the deadline.

use geomys::load::{Failure, Purpose, Question, Request};
use geomys::net::Net;
use geomys::text::Text;

use crate::support::ftp::Server;
use crate::support::loading::{Loaded, carry_out, hasty, show, url};

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

async fn save(net: &Net, address: String) -> Loaded {
    let mut request = Request::show(url(address));
    request.purpose = Purpose::Save;
    carry_out(net, request).await
}

fn says(failure: &Failure, words: &str) {
    assert!(failure.sentence.contains(words), "{failure:?}");
}

#[tokio::test]
async fn a_silent_server_is_given_up() {
    let server = Server::start(async |door| door.visitor().await.is_left().await).await;
    let failure = show(&hasty(), server.url("/")).await.failure();
    says(&failure, "did not greet within");
    server.done().await;
}

#[tokio::test]
async fn a_reply_that_never_ends_is_given_up() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.write(b"220-Welcome\r\nand\r\n").await;
        peer.is_left().await;
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.hear("USER anonymous").await;
        peer.is_left().await;
    })
    .await;
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "did not greet",
    );
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "did not reply",
    );
    server.done().await;
}

#[tokio::test]
async fn no_greeting_that_fits() {
    for (greeting, sentence) in [
        ("421 Too many users", "did not welcome us"),
        ("SSH-2.0-OpenSSH", "no reply of FTP"),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.visitor().await;
            peer.say(greeting).await;
            peer.is_left().await;
        })
        .await;
        let failure = show(&hasty(), server.url("/")).await.failure();
        says(&failure, sentence);
        says(&failure, &server.place());
        server.done().await;
    }
}

#[tokio::test]
async fn an_endless_greeting_is_cut() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.write(&b"220-la la la\r\n".repeat(30_000)).await;
        peer.is_left().await;
    })
    .await;
    says(
        &show(&Net::default(), server.url("/")).await.failure(),
        "a reply of more than",
    );
    server.done().await;
}

/// Lists at a server that greets by these octets, and logs in by these.
async fn gets_in(greeting: &'static [u8], welcome: &'static [u8]) -> Loaded {
    let server = Server::start(async move |door| {
        let mut peer = door.visitor().await;
        peer.write(greeting).await;
        peer.hear("USER anonymous").await;
        peer.write(welcome).await;
        peer.answer("FEAT", "500").await;
        peer.answer("PWD", "257 \"/\" is where you are").await;
        peer.serve("LIST", LIST).await;
        peer.say("226").await;
    })
    .await;
    let page = show(&hasty(), server.url("/")).await.whole();
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
async fn greetings_in_any_clothes() {
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
    let (before, welcome) = ("before the login", "welcome");
    let banner = "Welcome\\n100 users are online\\n230 is the limit\\n caf\\xe9\\n".to_owned();
    assert_eq!(
        remarks(&page),
        [(before, banner), (welcome, "Rules\\n\\n".to_owned())]
    );
    // One that ends by another code, as glFTPd's do: nothing more comes.
    let page = gets_in(b"220-Welcome\r\n226 Hello\r\n", b"230 In\r\n").await;
    assert_eq!(remarks(&page), [(before, "Welcome\\n".to_owned())]);
}

#[tokio::test]
async fn nobody_without_a_name_is_asked_for_one() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "331 Password?").await;
        peer.answer("PASS geomys@", "530 Members only").await;
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("USER anonymous", "530 Members only").await;
    })
    .await;
    for _ in 0..2 {
        let question = show(&hasty(), server.url("/")).await.question();
        let said = Some(Text::of("530 Members only"));
        let host = "127.0.0.1".to_owned();
        assert_eq!(question, Question::Login { host, said });
    }
    server.done().await;
}

#[tokio::test]
async fn a_name_goes_into_the_address_and_its_password_does_not() {
    let server = Server::start(async |door| {
        for password in [None, Some("by ron")] {
            let mut peer = door.visitor().await;
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
    let mut request = Request::show(url(server.url("/pub/")));
    request.name("a@da");
    let net = hasty();
    let Question::Password { user, .. } = carry_out(&net, request.clone()).await.question() else {
        panic!("no password is wanted");
    };
    request.give_password(&user, "by ron".to_owned());
    let page = carry_out(&net, request.clone()).await.whole();
    assert_eq!(request.url.as_str(), server.url_of("a%40da", "/pub/"));
    assert_eq!(page.octets, LIST.as_bytes());
    server.done().await;
}

#[tokio::test]
async fn an_account_is_asked_for_and_given() {
    let server = Server::start(async |door| {
        let mut peer = door.visitor().await;
        peer.say("220 Hello").await;
        peer.answer("AUTH TLS", "502 What?").await;
        peer.answer("USER ada", "331 Password?").await;
        peer.answer("PASS byron", "332 Account?").await;
        for (account, reply) in [("lab", "530 No such account"), ("pit", "230 In")] {
            let mut peer = door.visitor().await;
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
    let net = hasty();
    let mut request = Request::show(url(server.url_of("ada:byron", "/")));
    for (account, said) in [("lab", "332 Account?"), ("pit", "530 No such account")] {
        let Question::Account {
            user, said: words, ..
        } = carry_out(&net, request.clone()).await.question()
        else {
            panic!("no account is wanted");
        };
        assert_eq!(words.unwrap().as_str(), said);
        request.give_account(&user, account.to_owned());
    }
    carry_out(&net, request).await.whole();
    server.done().await;
}

#[tokio::test]
async fn goodbye_half_way_is_said_in_its_words() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.answer("CWD pub", "421 Timeout, goodbye").await;
        drop(peer);
        let mut peer = door.guest().await;
        peer.answer("CWD pub", "250 Yes").await;
        let data = peer.extended().await;
        let (data, _) = data.accept().await.unwrap();
        peer.answer("LIST", "150 Here").await;
        drop(data);
        peer.say("421 Going down").await;
    })
    .await;
    let net = hasty();
    for words in ["closed the connection", "broke off after 0 octets"] {
        let failure = show(&net, server.url("/pub/")).await.failure();
        says(&failure, words);
        assert!(failure.said[0].as_str().starts_with("421 "), "{failure:?}");
    }
    server.done().await;
}

#[tokio::test]
async fn what_is_not_there_is_said_in_the_servers_words() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.answer("CWD x", "550 x: no directory").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", b"550 x: No such file, caf\xe9\x1b[31m")
            .await;
        // A refusal is no fault: the connection goes on.
        peer.answer("CWD /", "250 Home").await;
        peer.answer("TYPE A", "200 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let net = hasty();
    let failure = show(&net, server.url("/pub/x")).await.failure();
    let sentence = format!(
        "{} has no /pub/x, or does not give it to you",
        server.place()
    );
    assert_eq!(failure.sentence, sentence);
    assert_eq!(failure.said[0].as_str(), "550 x: No such file, café");
    show(&net, server.url("/")).await.whole();
    server.done().await;
}

#[tokio::test]
async fn a_transfer_that_breaks_off_keeps_what_came() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        peer.say("426 Cable cut").await;
        peer.is_left().await;
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        drop(peer);
        let mut peer = door.guest().await;
        peer.serve("LIST", LIST).await;
        peer.is_left().await;
    })
    .await;
    let net = hasty();
    for words in [
        "broke off after 44 octets",
        "before it said",
        "did not say that the transfer was complete",
    ] {
        let page = show(&net, server.url("/")).await;
        assert_eq!(page.octets, LIST.as_bytes());
        says(&page.failure(), words);
    }
    server.done().await;
}

#[tokio::test]
async fn all_octets_without_the_last_word_are_a_success() {
    let server = Server::start(async |door| {
        for _ in 0..2 {
            let mut peer = door.guest().await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE x", "213 5").await;
            peer.answer("MDTM x", "550 Who knows").await;
            peer.serve("RETR x", "12345").await;
            // 226 never comes, and nothing more is asked here.
            peer.is_left().await;
        }
    })
    .await;
    let net = hasty();
    for _ in 0..2 {
        let saved = save(&net, server.url("/x;type=i")).await.whole();
        assert_eq!(saved.octets, b"12345");
    }
    server.done().await;
}

#[tokio::test]
async fn fewer_octets_than_promised_are_not_all() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE x", "213 5").await;
        peer.answer("MDTM x", "500 What?").await;
        peer.serve("RETR x", "123").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = save(&hasty(), server.url("/x;type=i")).await;
    says(&page.failure(), "sent 3 of 5 octets");
    server.done().await;
}

#[tokio::test]
async fn a_kept_connection_that_has_died_is_replaced_without_a_word() {
    for goodbye in [Some("421 Bored"), None] {
        let server = Server::start(async move |door| {
            let mut peer = door.guest().await;
            peer.serve("LIST", LIST).await;
            peer.say("226 Done").await;
            if let Some(goodbye) = goodbye {
                peer.say(goodbye).await;
            }
            drop(peer);
            let mut peer = door.guest().await;
            peer.serve("LIST", LIST).await;
            peer.say("226 Done").await;
        })
        .await;
        let net = hasty();
        for _ in 0..2 {
            let page = show(&net, server.url("/")).await.whole();
            assert_eq!(page.octets, LIST.as_bytes());
        }
        server.done().await;
    }
}

#[tokio::test]
async fn a_data_connection_that_stalls_is_given_up() {
    let server = Server::start(async |door| {
        let mut peer = door.guest().await;
        let data = peer.extended().await;
        peer.answer("LIST", "150 Any minute now").await;
        let _held = data.accept().await.unwrap();
        peer.is_left().await;
    })
    .await;
    says(
        &show(&hasty(), server.url("/")).await.failure(),
        "sent nothing within",
    );
    server.done().await;
}
