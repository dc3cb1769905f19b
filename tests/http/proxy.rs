//! Proxies of the Web.

use geomys::net::{Limits, Net, WebProxies, WebProxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::ok;
use crate::support::loading::show;
use crate::support::tls::{Authority, Identity};
use crate::support::web::Web;

fn through(http: &str, https: &str, not_for: &str) -> Net {
    Net::new(Limits::default()).by_web(WebProxies {
        http: WebProxy::parse(http).ok(),
        https: WebProxy::parse(https).ok(),
        not_for: WebProxies::without(not_for),
        shut: None,
    })
}

#[tokio::test]
async fn a_plain_page_is_asked_of_the_proxy() {
    let proxy = Web::start(|_| ok("Content-Type: text/plain\r\n", "by proxy")).await;
    let net = through(&format!("http://ada:b@{}", proxy.address), "", "here.test");
    let loaded = show(&net, "http://there.test/a?b").await.whole();
    assert_eq!(loaded.octets, b"by proxy");
    let asked = proxy.heard().pop().unwrap();
    assert_eq!(asked.path(), "http://there.test/a?b");
    assert_eq!(asked.field("host"), Some("there.test"));
    assert_eq!(asked.field("proxy-authorization"), Some("Basic YWRhOmI="));
    // A host that is excepted is looked up here, and is nowhere.
    show(&net, "http://www.here.test/").await.failure();
    assert!(proxy.heard().is_empty());
}

#[tokio::test]
async fn a_sealed_page_goes_through_it() {
    let authority = Authority::new();
    let identity = Identity::by(&authority, "there.test");
    let web = Web::sealed(&identity, |_| ok("Content-Type: text/plain\r\n", "sealed")).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let to = web.address;
    let proxying = tokio::spawn(async move {
        let mut heads = Vec::new();
        for answer in ["200 Established", "403 Not you"] {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            heads.push(String::from_utf8(head).unwrap());
            let line = format!("HTTP/1.1 {answer}\r\nVia: x\r\n\r\n");
            stream.write_all(line.as_bytes()).await.unwrap();
            if answer.starts_with("200") {
                let mut there = TcpStream::connect(to).await.unwrap();
                // Either end may close as it likes.
                let _ = copy_bidirectional(&mut stream, &mut there).await;
            }
        }
        heads
    });
    let net = through("", &address.to_string(), "").believing(authority.certificate());
    let loaded = show(&net, "https://there.test/").await.whole();
    assert_eq!(loaded.octets, b"sealed");
    assert_eq!(web.heard()[0].field("host"), Some("there.test"));
    let failure = show(&net, "https://there.test:8443/").await.failure();
    assert!(failure.sentence.contains("403 Not you"), "{failure:?}");
    let heads = proxying.await.unwrap();
    assert_eq!(
        heads,
        [
            "CONNECT there.test:443 HTTP/1.1\r\nHost: there.test:443\r\n\r\n",
            "CONNECT there.test:8443 HTTP/1.1\r\nHost: there.test:8443\r\n\r\n",
        ]
    );
}

#[tokio::test]
async fn a_proxy_that_is_written_wrongly_is_no_reason_to_go_around_it() {
    let web = Web::start(|_| ok("", "x")).await;
    let proxies = WebProxies::named(Some("https://h"), None, None);
    let net = Net::default().by_web(proxies);
    let failure = show(&net, web.url("/")).await.failure();
    assert!(failure.sentence.contains("$http_proxy"), "{failure:?}");
    assert!(web.heard().is_empty());
}
