//! Addresses of this machine and its network: a page of another host leads there with a permission only.

use std::net::TcpListener;

use geomys_load::check::{FetchTitle, JobLimits};
use geomys_load::check::{LinkStatus, check, run_jobs};
use geomys_load::{
    LocalTarget, Namer, Purpose, Question, Reason, Request, Sink, Stop, TelnetInput, host_rules,
    run_telnet,
};
use geomys_testing::loading::{carry_out, short_timeouts, show};
use geomys_testing::socks::{self, Rule};
use geomys_testing::web::Web;
use geomys_wire::net::{Limits, LocalConsent, Net, Route, WebProxies, WebProxy};
use rfc1738::{Dialect, Url};
use tokio::sync::mpsc;

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

fn ok(fields: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 200 OK\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

fn any(text: &str) -> Url {
    Dialect::Extended
        .parse(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A request for a URL that the page `by` names.
fn named_by(by: &str, url: &str) -> Request {
    Request::show(any(url), Reason::Link(any(by)))
}

/// The local address that a load asks about.
async fn asked(net: &Net, request: Request) -> Option<LocalTarget> {
    match carry_out(net, request).await.end {
        Err(Stop::Needs(Question::LocalAddress(target))) => Some(target),
        _ => None,
    }
}

/// A server of loopback that nobody may contact.
fn untouched() -> (TcpListener, u16) {
    let listener = TcpListener::bind("0.0.0.0:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn assert_untouched(listener: &TcpListener) {
    let refused = listener.accept().unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::WouldBlock);
}

/// A network whose names all lead to loopback, where they are looked up by the proxy.
fn through(proxy: &socks::Proxy) -> Net {
    Net::new(Limits::default()).with_route(Route::from_setting(&proxy.address.to_string()))
}

const ELSEWHERE: &str = "http://page.example/";

#[tokio::test]
async fn page_of_another_host_is_asked_about_in_every_scheme() {
    let (listener, port) = untouched();
    let net = short_timeouts();
    for (scheme, rest) in [
        ("gopher", "1/"),
        ("gophers", "1/"),
        ("ftp", "a"),
        ("ftps", "a"),
        ("http", ""),
        ("https", ""),
        ("gemini", ""),
        ("spartan", ""),
        ("nex", ""),
        ("nntp", "a.b/1"),
        ("nntps", "a.b/1"),
        ("wais", "d?a"),
        ("prospero", "a"),
        ("finger", "ada"),
    ] {
        let url = format!("{scheme}://127.0.0.1:{port}/{rest}");
        let target = asked(&net, named_by(ELSEWHERE, &url)).await;
        let target = target.unwrap_or_else(|| panic!("{url}"));
        assert_eq!(target.authority, format!("127.0.0.1:{port}"), "{url}");
        let save = Request {
            purpose: Purpose::Save,
            ..named_by(ELSEWHERE, &url)
        };
        assert!(asked(&net, save).await.is_some(), "{url}");
        let checked = check(&net, &named_by(ELSEWHERE, &url)).await.verdict;
        let LinkStatus::Refused(words) = checked else {
            panic!("{url}: {checked:?}");
        };
        assert!(words.contains("this machine"), "{words}");
    }
    let (sender, mut parts) = mpsc::channel(16);
    let (_keys, typed) = mpsc::unbounded_channel::<TelnetInput>();
    let request = named_by(ELSEWHERE, &format!("telnet://127.0.0.1:{port}/"));
    run_telnet(
        &net,
        request,
        typed,
        Sink::new(geomys_load::LoadId(1), sender),
    )
    .await;
    let mut end = None;
    while let Some((_, part)) = parts.recv().await {
        end = Some(part);
    }
    let asked = |part| {
        matches!(
            part,
            Some(geomys_load::Part::End(Err(Stop::Needs(
                Question::LocalAddress(_)
            ))))
        )
    };
    assert!(asked(end));
    let mut fetched = Vec::new();
    run_jobs(
        FetchTitle,
        &net,
        &[named_by(ELSEWHERE, &format!("http://127.0.0.1:{port}/"))],
        JobLimits::default(),
        &mut |_, title| fetched.push(title),
    )
    .await;
    assert!(
        matches!(fetched.as_slice(), [Err(LinkStatus::Refused(_))]),
        "{fetched:?}"
    );
    let caps = named_by(ELSEWHERE, &format!("gopher://127.0.0.1:{port}/0caps.txt"));
    assert_eq!(host_rules(&net, &caps).await, None);
    assert_untouched(&listener);
}

#[tokio::test]
async fn address_is_judged_however_its_host_is_written() {
    let (listener, port) = untouched();
    let net = short_timeouts();
    for host in [
        "localhost",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "[fe80::1]",
        "[fd00::1]",
    ] {
        let url = format!("http://{host}:{port}/");
        let target = asked(&net, named_by(ELSEWHERE, &url)).await;
        assert!(target.is_some(), "{url}");
    }
    assert_untouched(&listener);
}

#[tokio::test]
async fn nothing_is_asked_of_the_user_and_of_local_pages() {
    let web = Web::start(|_| ok("", "inside")).await;
    let (url, port) = (web.url("/"), web.address.port());
    let net = Net::default();
    show(&net, &url).await.whole();
    for by in [
        "http://127.0.0.1:1/",
        "http://192.168.1.1/",
        "gopher://[::1]/",
        "file:///tmp/page.html",
    ] {
        let loaded = carry_out(&net, named_by(by, &url)).await.whole();
        assert_eq!(loaded.octets, b"inside", "{by}");
    }
    // A page of a name that only this machine or its network has is local too, before it was reached.
    let name = format!("http://localhost:{port}/");
    carry_out(&net, named_by(&name, &url)).await.whole();
    // A name of the Internet is not, whatever its address is.
    let resolving = named_by("http://localhost.example:1/", &url);
    assert!(asked(&net, resolving).await.is_some());
    let unknown = Request::show(any(&url), Reason::Restored(Namer::Unknown));
    assert!(asked(&net, unknown).await.is_some());
    // So is what the user has accepted, at this authority alone.
    let mut accepted = named_by(ELSEWHERE, &url);
    accepted.consents.local.accept(&format!("127.0.0.1:{port}"));
    carry_out(&net, accepted.clone()).await.whole();
    accepted.url = any(&name);
    assert!(asked(&net, accepted.clone()).await.is_some());
    accepted.consents.local = LocalConsent::Any;
    carry_out(&net, accepted).await.whole();
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_of_another_host_is_asked_about() {
    let inside = Web::start(|_| ok("", "inside")).await;
    let to = inside.address;
    let web = Web::start(move |_| {
        format!("HTTP/1.1 301 Moved\r\nLocation: http://{to}/\r\n\r\n").into_bytes()
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let net = through(&proxy);
    let outside = format!("http://page.example:{}/", web.address.port());
    let typed = Request::show(any(&outside), Reason::Typed);
    let target = asked(&net, typed.clone()).await.unwrap();
    assert_eq!(target.authority, to.to_string());
    let checked = check(&net, &typed).await.verdict;
    assert!(
        matches!(&checked, LinkStatus::Refused(words) if words.contains("this machine")),
        "{checked:?}"
    );
    let output = geomys(
        &["dump", &outside, "--proxy", &proxy.address.to_string()],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.contains("leads to this machine") && said.contains("--yes"),
        "{said}"
    );
    assert!(inside.take_requests().is_empty());
    // The answer of the user, and that of the command line.
    let mut accepted = typed;
    accepted.consents.local.accept(&target.authority);
    assert_eq!(carry_out(&net, accepted).await.whole().octets, b"inside");
    let yes = [
        "dump",
        "--yes",
        &outside,
        "--proxy",
        &proxy.address.to_string(),
    ];
    let output = geomys(&yes, "");
    assert_eq!(text(&output.stdout), "inside\n", "{output:?}");
    // A redirect of a local page stays on this machine.
    show(&Net::default(), web.url("/")).await.whole();
}

#[tokio::test]
async fn proxy_is_asked_for_names_and_not_for_local_literals() {
    let web = Web::start(|_| ok("", "inside")).await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let net = through(&proxy);
    let port = web.address.port();
    let by_name = named_by(ELSEWHERE, &format!("http://name.example:{port}/"));
    carry_out(&net, by_name).await.whole();
    assert!(
        asked(&net, named_by(ELSEWHERE, &web.url("/")))
            .await
            .is_some()
    );
    assert_eq!(proxy.connections(), [format!("name name.example:{port}")]);
    // A proxy of the Web likewise; it may be on this machine itself.
    let mut proxies = WebProxies::default();
    proxies.set(WebProxy::parse(&web.address.to_string()).unwrap());
    let net = Net::default().with_web_proxies(proxies);
    carry_out(&net, named_by(ELSEWHERE, "http://name.example/"))
        .await
        .whole();
    assert!(
        asked(&net, named_by(ELSEWHERE, "http://10.0.0.1/"))
            .await
            .is_some()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn link_of_a_page_asks_and_a_typed_url_does_not() {
    let inside = Web::start(|_| ok("Content-Type: text/plain\r\n", "a page inside")).await;
    let url = inside.url("/");
    let link = url.clone();
    let web = Web::start(move |_| {
        let page = format!("<a href=\"{link}\">a link inside</a>");
        ok("Content-Type: text/html\r\n", &page)
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let outside = format!("http://page.example:{}/", web.address.port());
    let start = [outside];
    let session = Browser::new()
        .open_all(&start)
        .size((90, 24))
        .net(through(&proxy))
        .start();
    session.wait("a link inside").await;
    session.press("J Enter");
    session.wait("Connect to 127.0.0.1").await;
    session.wait("leads to this machine").await;
    assert!(inside.take_requests().is_empty());
    session.press("Esc");
    session.wait_until_absent("Connect to").await;
    session.press("o");
    session.type_in(&url);
    session.press("Enter");
    session.wait("a page inside").await;
    session.press("h");
    session.wait("a link inside").await;
    // A download waits for the answer in its row.
    assert_eq!(inside.take_requests().len(), 1);
    session.press("d D");
    session.wait("local address?").await;
    assert!(inside.take_requests().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn restored_download_of_a_page_asks_again() {
    let inside = Web::start(|_| ok("Content-Type: text/plain\r\n", "a file inside")).await;
    let link = inside.url("/a.txt");
    let url = format!("ftp://{}/a/;type=d", inside.address);
    let web = Web::start(move |_| {
        let page = format!("<a href=\"{link}\">a file</a> <a href=\"{url}\">a directory</a>");
        ok("Content-Type: text/html\r\n", &page)
    })
    .await;
    let proxy = socks::Proxy::start(Rule::Open).await;
    let outside = format!("http://page.example:{}/", web.address.port());
    let profile = tempfile::tempdir().unwrap();
    let listed = profile.path().join("transfers.txt");
    let net = || through(&proxy);
    let session = Browser::in_profile(profile)
        .open(outside)
        .size((90, 24))
        .net(net())
        .start();
    session.wait("a directory").await;
    session.press("J d J d");
    session.wait("Save directory as").await;
    session.press("Enter");
    session.wait("2 questions (D)").await;
    session.press("q");
    let ended = session.end().await;
    let text = std::fs::read_to_string(&listed).unwrap();
    let from = format!("running from=http://page.example:{}/ ", web.address.port());
    let lines = text.lines().filter(|line| line.starts_with(&from));
    assert_eq!(lines.count(), 2, "{text}");
    let session = Browser::in_profile(ended.profile)
        .size((90, 24))
        .net(net())
        .start();
    session.wait("2 questions (D)").await;
    assert!(inside.take_requests().is_empty());
    session.press("D");
    session.wait("local address?").await;
    // The answer of the user is for this address.
    session.press("Enter");
    session.wait("Connect to 127.0.0.1").await;
    session.press("Tab Enter");
    session.wait("done").await;
    assert!(!inside.take_requests().is_empty());
}
