//! HTTP logins.

use geomys_load::{Login, Question, Reason, Request};
use geomys_testing::loading::{carry_out, show, url};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;

fn answer(request: &HttpRequest) -> Vec<u8> {
    let refused = |scheme: &str| {
        format!("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: {scheme}\r\n\r\n").into_bytes()
    };
    match (request.path(), request.field("authorization")) {
        ("/digest", _) => refused("Digest realm=\"x\""),
        // ada:pa:ss
        (_, Some("Basic YWRhOnBhOnNz")) => ok("Content-Type: text/plain\r\n", "in"),
        _ => refused("Basic realm=\"the burrow\", charset=\"UTF-8\""),
    }
}

fn with(login: Login, address: &str) -> Request {
    Request {
        login: Some(login),
        ..Request::show(url(address), Reason::Typed)
    }
}

#[tokio::test]
async fn status_401_prompts_for_name_then_password() {
    let web = Web::start(answer).await;
    let net = Net::default();
    let question = show(&net, web.url("/")).await.question();
    let Question::Login { host, said } = question else {
        panic!("{question:?}");
    };
    assert_eq!(host, web.address.to_string());
    let warning = "the burrow: this is plain http: the password can be read on the way";
    assert_eq!(said.unwrap().as_str(), warning);

    let loaded = carry_out(&net, with(Login::of("ada"), &web.url("/"))).await;
    let Question::Password { user, said, .. } = loaded.question() else {
        panic!("no password prompt");
    };
    assert_eq!((user.as_str(), said.unwrap().as_str()), ("ada", warning));
    assert!(
        web.take_requests()
            .iter()
            .all(|request| request.field("authorization").is_none())
    );

    let loaded = carry_out(&net, with(Login::new("ada", "wrong"), &web.url("/"))).await;
    let Question::Password { said, .. } = loaded.question() else {
        panic!("no password prompt");
    };
    assert!(
        said.unwrap()
            .as_str()
            .contains("refused the password of ada")
    );

    let loaded = carry_out(&net, with(Login::new("ada", "pa:ss"), &web.url("/"))).await;
    assert_eq!(loaded.whole().octets, b"in");
}

#[tokio::test]
async fn login_impossible_by_basic_is_a_failure() {
    let web = Web::start(answer).await;
    let failure = show(&Net::default(), web.url("/digest")).await.failure();
    assert!(
        failure.sentence.contains("Digest authentication"),
        "{failure:?}"
    );
    let request = with(Login::new("a:b", "c"), &web.url("/"));
    let failure = carry_out(&Net::default(), request).await.failure();
    assert!(failure.sentence.starts_with("not sent"));
}

#[tokio::test]
async fn password_is_not_sent_to_a_redirect_target() {
    let other = Web::start(|_| ok("", "other")).await;
    let to = other.address;
    let web =
        Web::start(move |_| format!("HTTP/1.1 302 Found\r\nLocation: http://{to}/\r\n\r\n")).await;
    let request = with(Login::new("ada", "pa:ss"), &web.url("/"));
    carry_out(&Net::default(), request).await.whole();
    assert!(web.take_requests()[0].field("authorization").is_some());
    assert_eq!(other.take_requests()[0].field("authorization"), None);
}
