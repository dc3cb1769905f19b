//! Names and passwords.

use geomys::load::{Login, Question, Request};
use geomys::net::Net;

use super::ok;
use crate::support::loading::{carry_out, show, url};
use crate::support::web::{Asked, Web};

fn answer(asked: &Asked) -> Vec<u8> {
    let refused = |scheme: &str| {
        format!("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: {scheme}\r\n\r\n").into_bytes()
    };
    match (asked.path(), asked.field("authorization")) {
        ("/digest", _) => refused("Digest realm=\"x\""),
        // ada:pa:ss
        (_, Some("Basic YWRhOnBhOnNz")) => ok("Content-Type: text/plain\r\n", "in"),
        _ => refused("Basic realm=\"the burrow\", charset=\"UTF-8\""),
    }
}

fn with(login: Login, address: &str) -> Request {
    Request {
        login: Some(login),
        ..Request::show(url(address))
    }
}

#[tokio::test]
async fn a_name_and_a_password_are_asked_for_one_after_the_other() {
    let web = Web::start(answer).await;
    let net = Net::default();
    let question = show(&net, web.url("/")).await.question();
    let Question::Login { host, said } = question else {
        panic!("{question:?}");
    };
    assert_eq!(host, web.address.to_string());
    let warning = "the burrow: this is plain http, and anybody on the way can read the password";
    assert_eq!(said.unwrap().as_str(), warning);

    let loaded = carry_out(&net, with(Login::of("ada"), &web.url("/"))).await;
    let Question::Password { user, said, .. } = loaded.question() else {
        panic!("no password is wanted");
    };
    assert_eq!((user.as_str(), said.unwrap().as_str()), ("ada", warning));
    assert!(
        web.heard()
            .iter()
            .all(|asked| asked.field("authorization").is_none())
    );

    let loaded = carry_out(&net, with(Login::new("ada", "wrong"), &web.url("/"))).await;
    let Question::Password { said, .. } = loaded.question() else {
        panic!("no password is wanted");
    };
    assert!(said.unwrap().as_str().contains("does not let ada in"));

    let loaded = carry_out(&net, with(Login::new("ada", "pa:ss"), &web.url("/"))).await;
    assert_eq!(loaded.whole().octets, b"in");
}

#[tokio::test]
async fn what_cannot_be_said_in_basic_is_not_tried() {
    let web = Web::start(answer).await;
    let failure = show(&Net::default(), web.url("/digest")).await.failure();
    assert!(
        failure.sentence.contains("a login by Digest"),
        "{failure:?}"
    );
    let request = with(Login::new("a:b", "c"), &web.url("/"));
    let failure = carry_out(&Net::default(), request).await.failure();
    assert!(failure.sentence.starts_with("not sent"));
}

#[tokio::test]
async fn a_password_is_told_to_no_other_place() {
    let other = Web::start(|_| ok("", "other")).await;
    let to = other.address;
    let web =
        Web::start(move |_| format!("HTTP/1.1 302 Found\r\nLocation: http://{to}/\r\n\r\n")).await;
    let request = with(Login::new("ada", "pa:ss"), &web.url("/"));
    carry_out(&Net::default(), request).await.whole();
    assert!(web.heard()[0].field("authorization").is_some());
    assert_eq!(other.heard()[0].field("authorization"), None);
}
