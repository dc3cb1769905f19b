//! International host names: looked up and sent in ASCII, shown in Unicode.

use std::sync::Arc;

use geomys_load::check::{LinkStatus, check};
use geomys_load::{PrivateHosts, Reason, Request, cache_key};
use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::checks::UrlKey;
use geomys_store::bookmarks::dates::LastVisits;
use geomys_store::files::history::{History, HistorySettings, Visit, VisitKind};
use geomys_testing::loading::carry_out;
use geomys_testing::socks::{Proxy, Rule};
use geomys_testing::tls::{Authority, ConnectionOutcome, Identity, Server};
use geomys_testing::web::Web;
use geomys_wire::net::{Limits, Net, Route};
use rfc1738::{Dialect, Url};

use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// The network through a proxy that resolves every name.
fn through(proxy: &Proxy) -> Net {
    let route = Route::from_setting(&format!("socks5://{}", proxy.address));
    Net::new(Limits::default()).with_route(route)
}

fn request(text: impl AsRef<str>) -> Request {
    Request::show(
        Dialect::Extended.parse(text.as_ref()).unwrap(),
        Reason::Typed,
    )
}

const PAGE: &str = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A page</p>";

#[tokio::test(flavor = "multi_thread")]
async fn host_is_looked_up_and_named_to_a_web_server_in_ascii() {
    let proxy = Proxy::start(Rule::Open).await;
    let server = Web::start(|_| PAGE).await;
    let port = server.address.port();
    let net = through(&proxy);
    carry_out(&net, request(format!("http://münchen.example:{port}/a")))
        .await
        .whole();
    let host = format!("xn--mnchen-3ya.example:{port}");
    assert_eq!(proxy.connections(), [format!("name {host}")]);
    let requests = server.take_requests();
    assert_eq!(requests[0].path(), "/a");
    assert_eq!(requests[0].field("host"), Some(&*host));
    let checked = request(format!("http://münchen.example:{port}/a"));
    assert_eq!(check(&net, &checked).await.verdict, LinkStatus::Alive);
    assert_eq!(
        proxy.connections(),
        [format!("name {host}"), format!("name {host}")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_is_checked_against_the_ascii_form() {
    let proxy = Proxy::start(Rule::Open).await;
    let authority = Authority::new();
    let identity = Identity::by(&authority, "xn--mnchen-3ya.example");
    let mut server = Server::start(&identity).await;
    let net = through(&proxy).with_root_certificate(authority.certificate());
    let port = server.address.port();
    carry_out(&net, request(format!("gophers://münchen.example:{port}/")))
        .await
        .whole();
    let outcome = server.next_outcome().await;
    assert_eq!(outcome, ConnectionOutcome::Request(String::new()));
    assert_eq!(
        proxy.connections(),
        [format!("name xn--mnchen-3ya.example:{port}")]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn host_that_no_name_service_can_have_is_an_error() {
    let proxy = Proxy::start(Rule::Open).await;
    let name = "ü".repeat(70);
    let failure = carry_out(
        &through(&proxy),
        request(format!("gopher://{name}.example/")),
    )
    .await
    .failure();
    assert!(
        failure
            .sentence
            .ends_with("is not a host name: no name service takes its letters"),
        "{failure:?}"
    );
    assert!(proxy.connections().is_empty());
}

#[test]
fn logins_and_certificates_are_the_same_for_both_forms() {
    let both = ["ftp://münchen.example/", "ftp://xn--mnchen-3ya.example/"];
    let requests = both.map(request);
    let [first, second] = requests.each_ref().map(Request::login_scope);
    assert_eq!(first, second);
    let [first, second] = requests.each_ref().map(Request::tls_authority);
    assert_eq!(first.as_deref(), Some("xn--mnchen-3ya.example:21"));
    assert_eq!(first, second);
}

#[test]
fn url_in_text_is_one_link_to_its_host() {
    let found = geomys(
        &["links"],
        "Siehe http://münchen.example/, oder „http://пример.рф“.",
    );
    assert_eq!(found.status.code(), Some(0), "{found:?}");
    assert_eq!(
        text(&found.stdout),
        "1:7: http://münchen.example/\n1:38: http://пример.рф\n"
    );
    let output = geomys(&["url", "http://раypal.example/a"], "");
    let printed = text(&output.stdout);
    let ascii = "in ASCII   http://xn--ypal-43d9g.example/a";
    assert!(printed.contains(ascii), "{printed}");
    let url = Dialect::Extended.parse("http://münchen.example/").unwrap();
    assert_eq!(url.as_str(), "http://münchen.example/");
    assert_eq!(Url::parse(url.as_str()).unwrap_err().at, 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn host_is_shown_in_unicode_and_mixed_scripts_with_its_ascii_form() {
    // The first two letters of the third host are Cyrillic.
    let bookmarks = "<URL:gopher://münchen.invalid/>\n<URL:gopher://xn--e1afmkfd.xn--p1ai/>\n<URL:gopher://раypal.invalid/>\n";
    let session = Browser::new()
        .bookmarks(bookmarks)
        .size((120, 40))
        .with_bookmarks()
        .start();
    session.wait("geomys:home").await;
    for shown in [
        "gopher://münchen.invalid/",
        "gopher://пример.рф/",
        "gopher://раypal.invalid (xn--ypal-43d9g.invalid)/",
    ] {
        session.wait(shown).await;
        session.press("j");
    }
    assert_eq!(session.bookmarks(), bookmarks);
    // The URL bar shows what is opened, with its page or without.
    session.press("Enter");
    session.wait("This URL may be deceptive. Open it?").await;
    session
        .wait("a part of the host has letters of two scripts")
        .await;
    session.choose("Yes").await;
    session.wait("Host not found: xn--ypal-43d9g.invalid").await;
    let screen = session.screen();
    let bar = screen.lines().next().unwrap();
    assert!(
        bar.contains("gopher://раypal.invalid (xn--ypal-43d9g.invalid)/"),
        "{screen}"
    );
}

/// Spellings of one host.
const SPELLINGS: [&str; 4] = [
    "http://MÜNCHEN.example/",
    "http://münchen.example/",
    "HTTP://xn--mnchen-3ya.example:80",
    "http://XN--MNCHEN-3YA.example/",
];

#[test]
fn spellings_of_a_host_are_one_url_for_bookmarks_checks_and_cache() {
    let keys = SPELLINGS.map(|url| UrlKey::of(&Dialect::Extended.parse(url).unwrap()));
    assert!(
        keys.iter()
            .all(|key| key.as_str() == "http://xn--mnchen-3ya.example/")
    );
    let keys = SPELLINGS.map(|url| cache_key(&request(url)).unwrap().to_string());
    assert_eq!(keys, ["http://xn--mnchen-3ya.example/"; 4]);
    let lines = SPELLINGS.map(|url| format!("<URL:{url}>\n")).concat();
    let file = Bookmarks::parse(lines.as_bytes());
    assert_eq!(file.doubles(), [[0, 1, 2, 3]]);
    // The file keeps the spelling, and the verdict stays strict.
    assert_eq!(file.octets(), lines.as_bytes());
    let verdicts = SPELLINGS.map(|url| Dialect::Extended.parse(url).unwrap().verdict().is_ok());
    assert_eq!(verdicts, [false, false, true, true]);
    for url in SPELLINGS {
        assert_eq!(
            file.same_as(&Dialect::Extended.parse(url).unwrap()),
            [0, 1, 2, 3]
        );
        let printed = text(&geomys(&["url", "--json", url], "").stdout);
        assert!(
            printed.contains("\"url\":\"http://xn--mnchen-3ya.example/\""),
            "{printed}"
        );
    }
    // Other hosts and other parts of a page stay apart.
    let others = b"<URL:http://munchen.example/>\n<URL:http://m\xc3\xbcnchen.example/#a>\n<URL:http://m\xc3\xbcnchen.example/#b>\n";
    assert!(Bookmarks::parse(others).doubles().is_empty());
}

#[test]
fn spellings_of_a_host_are_one_page_in_the_history() {
    let mut history = History::default();
    for (second, url) in SPELLINGS.iter().enumerate() {
        let time = jiff::Timestamp::from_second(second.try_into().unwrap()).unwrap();
        history.push(&Visit::new(
            time,
            &Dialect::Extended.parse(url).unwrap(),
            "",
            VisitKind::Web,
        ));
    }
    let visits = LastVisits::of(&history);
    for url in SPELLINGS {
        assert_eq!(visits.time(url).unwrap().as_second(), 3, "{url}");
    }
    let keys: Vec<_> = history.iter().map(|visit| visit.key()).collect();
    assert_eq!(keys, ["http://xn--mnchen-3ya.example/"; 4]);
    // A host that is left out of the history is so in each spelling.
    let mut except = PrivateHosts::default();
    except.add("münchen.example").unwrap();
    let settings = HistorySettings {
        except: Arc::new(except),
        ..HistorySettings::default()
    };
    assert!(
        SPELLINGS
            .iter()
            .all(|url| settings.excludes(&Dialect::Extended.parse(url).unwrap()))
    );
}
