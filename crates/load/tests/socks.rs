//! SOCKS5 proxies: every connection goes through them, by host name.

use geomys_demo::Demo;
use geomys_load::{Purpose, Reason, Request};
use geomys_page::document::Shape;
use geomys_testing::loading::{carry_out, short_timeouts, show, texts, url};
use geomys_testing::socks::{self, Rule};
use geomys_testing::tls::{Authority, ConnectionOutcome, Identity, Server};
use geomys_wire::net::{Limits, Net, Proxy, Route};

fn through(proxy: &socks::Proxy) -> Net {
    Net::new(Limits::default())
        .with_route(Route::from_setting(&format!("socks5://{}", proxy.address)))
}

#[tokio::test(flavor = "multi_thread")]
async fn gopher_connects_through_proxy_by_name() {
    let (demo, proxy) = (
        Demo::start().await.unwrap(),
        socks::Proxy::start(Rule::Open).await,
    );
    let net = through(&proxy);
    let port = demo.addresses.gopher.port();
    // Only the proxy resolves this host.
    let loaded = show(&net, format!("gopher://Hole.test:{port}/1/library"))
        .await
        .whole();
    assert!(!texts(&loaded.document()).is_empty());
    assert_eq!(proxy.connections(), [format!("name Hole.test:{port}")]);
    // An IP address is sent as an address.
    show(&net, format!("gopher://127.0.0.1:{port}/0/no-such"))
        .await
        .failure();
    assert_eq!(
        proxy.connections().last(),
        Some(&format!("address 127.0.0.1:{port}"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn ftp_control_and_data_connect_through_proxy() {
    let (demo, proxy) = (
        Demo::start().await.unwrap(),
        socks::Proxy::start(Rule::Open).await,
    );
    let net = through(&proxy);
    let port = demo.addresses.ftp.port();
    let listing = show(&net, format!("ftp://archive.test:{port}/"))
        .await
        .whole();
    assert!(matches!(
        listing.begin.as_ref().map(|begin| begin.shape),
        Some(Shape::Listing { .. })
    ));
    let mut request = Request::show(
        url(format!("ftp://archive.test:{port}/README")),
        Reason::Typed,
    );
    request.purpose = Purpose::Save;
    let saved = carry_out(&net, request).await.whole();
    assert!(!saved.octets.is_empty());
    let connections = proxy.connections();
    // One control connection, which was pooled, and one per transfer: the listing, its README, the file.
    assert_eq!(connections.len(), 4, "{connections:?}");
    assert_eq!(connections[0], format!("name archive.test:{port}"));
    assert!(
        connections
            .iter()
            .all(|connections| connections.starts_with("name archive.test:")),
        "{connections:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn news_and_tls_connect_through_proxy() {
    let (demo, proxy) = (
        Demo::start().await.unwrap(),
        socks::Proxy::start(Rule::Open).await,
    );
    let authority = Authority::new();
    let mut server = Server::start(&Identity::by(&authority, "secret.onion")).await;
    let net = through(&proxy).with_root_certificate(authority.certificate());
    let news = demo.addresses.news.port();
    show(
        &net,
        format!("nntp://news.test:{news}/geomys.demo.announce"),
    )
    .await
    .whole();
    let port = server.address.port();
    // The certificate is for the name, which only the proxy can reach.
    show(&net, format!("gophers://secret.onion:{port}/"))
        .await
        .whole();
    assert_eq!(
        server.next_outcome().await,
        ConnectionOutcome::Request(String::new())
    );
    let connections = [
        format!("name news.test:{news}"),
        format!("name secret.onion:{port}"),
    ];
    assert_eq!(proxy.connections(), connections);
}

#[tokio::test(flavor = "multi_thread")]
async fn proxy_login_is_sent() {
    let demo = Demo::start().await.unwrap();
    let proxy = socks::Proxy::start(Rule::Members("ada", "love lace:@")).await;
    let page = format!("gopher://hole.test:{}/", demo.addresses.gopher.port());
    let by = |login: &str| {
        Net::new(Limits::default()).with_route(Route::from_setting(&format!(
            "socks5h://{login}{}",
            proxy.address
        )))
    };
    show(&by("ada:love%20lace%3A%40@"), &page).await.whole();
    let wrong = show(&by("ada:lovelace@"), &page).await.failure();
    assert!(
        wrong.sentence.contains("refused this user name"),
        "{wrong:?}"
    );
    assert!(!format!("{wrong:?}").contains("lovelace"), "{wrong:?}");
    let none = show(&by(""), &page).await.failure();
    let sentence = format!(
        "the proxy {} did not connect to hole.test:{}: it requires a user name and password, or refused the given ones",
        proxy.address,
        demo.addresses.gopher.port()
    );
    assert_eq!(none.sentence, sentence);
    assert_eq!(proxy.connections().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn proxy_refusal_is_reported_and_never_bypassed() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.addresses.gopher;
    for (code, words) in [
        (1, "it failed without a reason"),
        (2, "its rules forbid the connection"),
        (3, "network unreachable"),
        (4, "host unreachable"),
        (5, "the host refused the connection"),
        (6, "the host did not answer in time"),
    ] {
        let proxy = socks::Proxy::start(Rule::Refuse(code)).await;
        // The server is reachable without the proxy.
        let failure = show(&through(&proxy), format!("gopher://{gopher}/"))
            .await
            .failure();
        let sentence = format!(
            "the proxy {} did not connect to {gopher}: {words}",
            proxy.address
        );
        assert_eq!(failure.sentence, sentence);
    }
    let closed_port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap()
    };
    let net = Net::new(Limits::default()).with_route(Route::from_setting(&closed_port.to_string()));
    for page in [
        format!("gopher://{gopher}/"),
        format!("ftp://{}/", demo.addresses.ftp),
        format!("nntp://{}/geomys.demo.announce", demo.addresses.news),
        format!("gophers://{gopher}/"),
    ] {
        let failure = show(&net, &page).await.failure();
        assert!(
            failure.sentence.contains("is unreachable")
                && failure.sentence.contains(&closed_port.to_string()),
            "{failure:?}"
        );
        assert!(failure.advice.unwrap().contains("never bypasses it"));
    }
    // An invalid proxy setting blocks every connection.
    let net = Net::new(Limits::default()).with_route(Route::from_setting("http://127.0.0.1:8080"));
    let failure = show(&net, format!("gopher://{gopher}/")).await.failure();
    assert!(failure.sentence.contains("not connected"), "{failure:?}");
}

#[tokio::test]
async fn silent_proxy_times_out() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let net = short_timeouts().with_route(Route::from_setting(&address.to_string()));
    let failure = show(&net, "gopher://hole.test/").await.failure();
    assert!(
        failure.sentence.contains("it did not answer within"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn onion_host_without_proxy_is_refused_without_lookup() {
    for host in ["abc.onion", "x.ABC.Onion", "abc.onion."] {
        let net = Net::new(Limits::default());
        let failure = show_any(&net, &format!("gopher://{host}/")).await;
        assert_eq!(
            failure.sentence,
            format!("{host} is an onion service and needs a proxy")
        );
        assert!(failure.advice.unwrap().contains("9050"), "{failure:?}");
    }
}

/// The failure of a URL that may depart from RFC 1738.
async fn show_any(net: &Net, address: &str) -> geomys_load::Failure {
    let url = rfc1738::Dialect::Extended.parse(address).unwrap();
    carry_out(net, Request::show(url, Reason::Typed))
        .await
        .failure()
}

#[test]
fn proxy_spellings_parse_and_errors_hide_the_password() {
    for (written, place) in [
        ("127.0.0.1:9050", "127.0.0.1:9050"),
        ("localhost", "localhost:1080"),
        ("socks5://127.0.0.1:9050", "127.0.0.1:9050"),
        ("SOCKS5H://u:p@proxy.example:1/", "proxy.example:1"),
        (" socks5://[::1]:9050 ", "[::1]:9050"),
    ] {
        assert_eq!(Proxy::parse(written).unwrap().authority(), place);
    }
    for written in [
        "",
        "http://s3cret:s3cret@h:1",
        "socks4://h:1",
        "socks5://s3cret@h:1",
        "socks5://u:@h:1",
        "socks5://u:s3cret@h:99999",
        "socks5://u:s3cret@h:1/path s3cret",
        "u:s3cret@ h",
    ] {
        let route = Route::from_setting(written);
        assert!(
            matches!(&route, Route::InvalidProxy(why) if !why.contains("s3cret")),
            "{written}: {route:?}"
        );
    }
    let proxy = format!("{:?}", Route::from_setting("socks5://u:s3cret@h:1"));
    assert!(!proxy.contains("s3cret"), "{proxy}");
}
