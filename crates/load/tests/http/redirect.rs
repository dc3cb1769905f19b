//! Redirects that are followed, and those that are not.

use geomys_load::{Purpose, Question, Reason, Request};
use geomys_testing::loading::{carry_out, show, url};
use geomys_testing::tls::{Authority, Identity};
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::Net;

fn answer(request: &HttpRequest) -> Vec<u8> {
    let to = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n").into_bytes();
    match request.path() {
        "/one" => to("two?x#part"),
        "/two?x" => to(&format!("http://{}/three", request.address)),
        "/three" => ok("Content-Type: text/plain\r\n", "here"),
        "/circle" => to("/circle2"),
        "/circle2" => to("/circle"),
        "/latin1" => b"HTTP/1.1 302 Found\r\nLocation: /caf\xE9?\xFC\r\n\r\n".to_vec(),
        "/caf%E9?%FC" => ok("Content-Type: text/plain\r\n", "Latin-1"),
        "/nowhere" => b"HTTP/1.1 301 Moved\r\n\r\n".to_vec(),
        "/odd" => to("http://[::1"),
        "/gopher" => to("gopher://h.example/1/there"),
        "/port" => to("http://127.0.0.1:25/"),
        path => {
            let number: u32 = path.trim_start_matches("/long").parse().unwrap();
            to(&format!("/long{}", number + 1))
        }
    }
}

#[tokio::test]
async fn followed_redirects_are_listed() {
    let web = Web::start(answer).await;
    let loaded = show(&Net::default(), web.url("/one")).await.whole();
    assert_eq!(loaded.octets, b"here");
    let begin = loaded.begin.unwrap();
    // A target without a fragment has that of the redirect before it.
    assert_eq!(begin.url.unwrap().as_str(), web.url("/three#part"));
    let from: Vec<&str> = begin.from.iter().map(rfc1738::Url::as_str).collect();
    assert_eq!(from, [web.url("/one"), web.url("/two?x#part")]);
    assert_eq!(
        geomys_load::redirected(&begin.from),
        format!(
            "redirected from {}, and from {}",
            web.url("/one"),
            web.url("/two?x#part")
        )
    );
}

#[tokio::test]
async fn target_in_another_charset_is_asked_for_by_its_octets() {
    let web = Web::start(answer).await;
    let loaded = show(&Net::default(), web.url("/latin1")).await.whole();
    assert_eq!(loaded.octets, b"Latin-1");
}

#[tokio::test]
async fn redirect_loop_and_chain_are_limited() {
    let web = Web::start(answer).await;
    for (path, words) in [
        ("/circle", "redirect loop"),
        ("/long0", "more than 10 redirects"),
        ("/nowhere", "without a target"),
        ("/odd", "redirects to something that is not a URL"),
    ] {
        let failure = show(&Net::default(), web.url(path)).await.failure();
        assert!(failure.sentence.contains(words), "{}", failure.sentence);
    }
    let long = web
        .take_requests()
        .iter()
        .filter(|request| request.path().starts_with("/long"))
        .count();
    assert_eq!(long, 11);
}

#[tokio::test]
async fn redirect_to_other_scheme_or_hazard_is_a_link() {
    let web = Web::start(answer).await;
    for (path, to) in [
        ("/gopher", "gopher://h.example/1/there"),
        ("/port", "http://127.0.0.1:25/"),
    ] {
        let failure = show(&Net::default(), web.url(path)).await.failure();
        assert_eq!(failure.next.unwrap().target, Ok(url(to)));
    }
}

#[tokio::test]
async fn redirect_from_https_to_http_is_not_followed() {
    let authority = Authority::new();
    let identity = Identity::by(&authority, "127.0.0.1");
    let plain = Web::start(|_| ok("", "plain")).await;
    let to = plain.address;
    let sealed = Web::start_tls(&identity, move |request| match request.path() {
        "/out" => format!("HTTP/1.1 302 Found\r\nLocation: http://{to}/\r\n\r\n").into_bytes(),
        _ => ok("Content-Type: text/plain\r\n", "sealed"),
    })
    .await;
    let net = Net::default().with_root_certificate(authority.certificate());
    let loaded = show(&net, format!("https://{}/", sealed.address))
        .await
        .whole();
    assert_eq!(loaded.octets, b"sealed");
    let failure = show(&net, format!("https://{}/out", sealed.address))
        .await
        .failure();
    assert!(
        failure.sentence.contains("from https to plain http"),
        "{}",
        failure.sentence
    );
    assert_eq!(failure.next.unwrap().target, Ok(url(plain.url("/"))));
    assert!(plain.take_requests().is_empty());
}

#[tokio::test]
async fn unverified_certificate_is_a_question() {
    let identity = Identity::self_signed("127.0.0.1");
    let sealed = Web::start_tls(&identity, |_| ok("", "sealed")).await;
    let address = format!("https://{}/", sealed.address);
    let question = show(&Net::default(), &address).await.question();
    assert!(matches!(question, Question::Certificate(_)), "{question:?}");
    assert!(sealed.take_requests().is_empty());

    // After a redirect no question about another server can be asked: the link of the failure leads there.
    let to = sealed.address;
    let plain =
        Web::start(move |_| format!("HTTP/1.1 302 Found\r\nLocation: https://{to}/\r\n\r\n")).await;
    let failure = show(&Net::default(), plain.url("/")).await.failure();
    assert_eq!(failure.next.unwrap().target, Ok(url(&address)));
}

#[tokio::test]
async fn download_follows_redirects() {
    let web = Web::start(answer).await;
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(web.url("/one")), Reason::Typed)
    };
    let loaded = carry_out(&Net::default(), request).await.whole();
    assert_eq!(loaded.octets, b"here");
}
