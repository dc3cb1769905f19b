//! HTTP proxies.

use geomys_testing::loading::show;
use geomys_testing::tls::{Authority, Identity};
use geomys_testing::web::{Web, ok};
use geomys_wire::net::{Limits, Net, WebProxies, WebProxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

fn through(http: &str, https: &str, exceptions: &str) -> Net {
    Net::new(Limits::default()).with_web_proxies(WebProxies {
        http: WebProxy::parse(http).ok(),
        https: WebProxy::parse(https).ok(),
        exceptions: WebProxies::parse_exceptions(exceptions),
        invalid: None,
    })
}

#[tokio::test]
async fn http_request_goes_to_the_proxy() {
    let proxy = Web::start(|_| ok("Content-Type: text/plain\r\n", "by proxy")).await;
    let net = through(&format!("http://ada:b@{}", proxy.address), "", "here.test");
    let loaded = show(&net, "http://there.test/a?b").await.whole();
    assert_eq!(loaded.octets, b"by proxy");
    let received = proxy.take_requests().pop().unwrap();
    assert_eq!(received.path(), "http://there.test/a?b");
    assert_eq!(received.field("host"), Some("there.test"));
    assert_eq!(
        received.field("proxy-authorization"),
        Some("Basic YWRhOmI=")
    );
    // An excepted host is resolved locally, and does not exist.
    show(&net, "http://www.here.test/").await.failure();
    assert!(proxy.take_requests().is_empty());
}

#[tokio::test]
async fn https_request_is_tunnelled_through_the_proxy() {
    let authority = Authority::new();
    let identity = Identity::by(&authority, "there.test");
    let web = Web::start_tls(&identity, |_| ok("Content-Type: text/plain\r\n", "sealed")).await;
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
    let net = through("", &address.to_string(), "").with_root_certificate(authority.certificate());
    let loaded = show(&net, "https://there.test/").await.whole();
    assert_eq!(loaded.octets, b"sealed");
    assert_eq!(web.take_requests()[0].field("host"), Some("there.test"));
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
async fn malformed_proxy_setting_fails_instead_of_bypassing() {
    let web = Web::start(|_| ok("", "x")).await;
    let proxies = WebProxies::from_env(Some("https://h"), None, None);
    let net = Net::default().with_web_proxies(proxies);
    let failure = show(&net, web.url("/")).await.failure();
    assert!(failure.sentence.contains("$http_proxy"), "{failure:?}");
    assert!(web.take_requests().is_empty());
}
