//! Fragments: in no request, and used on the page.

use std::sync::Arc;

use geomys_load::check::check;
use geomys_load::{Gateways, ProtocolSettings, Reason, Request, request_preview};
use geomys_page::document::{Document, Shape};
use geomys_testing::loading::carry_out;
use geomys_testing::script::{assert_played, listen};
use geomys_testing::web::Web;
use geomys_wire::net::Net;
use geomys_wire::text::CharsetSetting;
use rfc1738::{Dialect, Url};

use crate::cache::reading::wait_for_cached_pages;
use crate::support::command::{geomys, text};
use crate::support::screen::Browser;
use crate::support::terminal::Terminal;

fn url(text: impl AsRef<str>) -> Url {
    Dialect::ExtendedByBase.parse(text.as_ref()).expect("a URL")
}

/// The row of a page that the fragment of `address` names.
fn row(address: &str, shape: Shape, page: &str) -> Option<usize> {
    let here = url(address);
    let mut document = Document::new(here.clone(), shape, CharsetSetting::Detected);
    document.append(page.as_bytes());
    document
        .finished()
        .row_of_fragment(here.fragment().unwrap())
}

#[test]
fn raw_number_sign_starts_a_fragment_in_every_scheme() {
    for page in [
        "gopher://h.example/0/a",
        "ftp://h.example/a;type=i",
        "http://h.example/a?b",
        "https://h.example",
        "file:///tmp/a",
        "news:comp.x",
        "nntp://h.example/comp.x/1",
        "wais://h.example/db?words",
        "finger://h.example/ada",
        "gemini://h.example/",
        "spartan://h.example/",
        "nex://h.example/",
        "other:part",
    ] {
        let whole = url(format!("{page}#a%20b"));
        assert_eq!(whole.as_str(), format!("{page}#a%20b"));
        assert_eq!(whole.fragment().unwrap().octets(), &b"a b"[..], "{page}");
        assert_eq!(whole.without_fragment(), url(page));
        assert_eq!(whole.base_parts(), url(page).base_parts());
        let error = whole.verdict().unwrap_err();
        assert_eq!(error.at, page.len(), "{page}");
        let data = url(format!("{}%23b", "gopher://h.example/0/a"));
        assert!(data.fragment().is_none());
    }
    // Other programs read the host `c` here.
    for text in ["http://a#b@c/", "ftp://ada:1#2@h/"] {
        Dialect::Extended.parse(text).unwrap_err();
    }
}

#[test]
fn fragment_names_an_element_of_a_web_page() {
    let page = "<p>one<p>two <a name='Mid'></a>words<p><span id=x></span><h2 id='%C3%BC'>Three</h2>\
        <table><tr><td>a<td id=cell>b<tr id=last><td>c</table>";
    let at = |fragment: &str| row(&format!("http://h/#{fragment}"), Shape::Html, page);
    assert_eq!(at("Mid"), Some(2));
    let three = at("x").unwrap();
    assert!(three > 2);
    assert_eq!(at("%C3%BC"), Some(three));
    assert_eq!(at("three"), Some(three));
    assert!(at("last") > at("cell"));
    assert_eq!(at("absent"), None);
}

#[test]
fn fragment_names_a_heading_or_a_text() {
    let page = "the second part is below\n# One\nwords\n## The second part!\n=> /x A link\n";
    let at = |fragment: &str| row(&format!("gemini://h/#{fragment}"), Shape::Gemtext, page);
    assert_eq!(at("the-second-part"), Some(3));
    assert_eq!(at("The%20second%20part"), Some(3));
    assert_eq!(at("a_link"), Some(4));
    assert_eq!(at("absent"), None);
    assert_eq!(at(""), None);
    let text = "one\ntwo words\nthree\n";
    assert_eq!(row("gopher://h/0/a#WORDS", Shape::Text, text), Some(1));
}

#[tokio::test]
async fn no_server_gets_a_fragment() {
    for (scheme, script, path) in [
        ("gopher", "C: a\nS: Some words\nS: .", "/0a"),
        ("finger", "C: ada\nS: Some words", "/ada"),
        ("nex", "C: /a\nS: Some words", "/a"),
        (
            "spartan",
            "C: 127.0.0.1 /a 0\nS: 2 text/plain\nS: Some words",
            "/a",
        ),
    ] {
        let (address, playing) = listen(&[script]).await;
        let request = Request::show(
            url(format!("{scheme}://{address}{path}#words")),
            Reason::Typed,
        );
        let loaded = carry_out(&Net::default(), request).await;
        assert!(loaded.whole().octets.starts_with(b"Some words"), "{scheme}");
        assert_played(playing).await;
    }
    let web = Web::start(|_| b"HTTP/1.1 200 OK\r\n\r\nSome words".to_vec()).await;
    let request = Request::show(url(web.url("/a?b#words")), Reason::Typed);
    carry_out(&Net::default(), request).await.whole();
    // Nor does a gateway.
    let mut gateways = Gateways::default();
    gateways
        .set("nfs", &format!("http://{}/%u", web.address))
        .unwrap();
    let request = Request {
        settings: ProtocolSettings {
            gateways: Arc::new(gateways),
            ..ProtocolSettings::default()
        },
        ..Request::show(url("nfs://h.example/a#words"), Reason::Typed)
    };
    check(&Net::default(), &request).await;
    carry_out(&Net::default(), request).await.whole();
    let heads: Vec<String> = web
        .take_requests()
        .into_iter()
        .map(|one| one.head)
        .collect();
    assert_eq!(heads.len(), 3, "{heads:?}");
    assert!(
        heads
            .iter()
            .all(|head| !head.contains('#') && !head.contains("words")),
        "{heads:?}"
    );
}

#[test]
fn what_a_load_would_send_has_no_fragment() {
    for page in [
        "gopher://h/0/a",
        "gophers://h/0/a",
        "ftp://h/a/b",
        "http://h/a?b",
        "https://h/a",
        "news:comp.x",
        "nntp://h/comp.x/1",
        "finger://h/ada",
        "gemini://h/a?b",
        "spartan://h/a",
        "nex://h/a",
    ] {
        let preview = request_preview(&url(format!("{page}#words"))).unwrap();
        assert_eq!(preview, request_preview(&url(page)).unwrap());
        assert!(!preview.contains("words"), "{preview}");
    }
}

/// Checks that `dump`, `get`, `links` and `bookmarks check` read a page by its URL with a fragment, and send the URL
/// without it. `script` is the dialogue of one request, `content` the page, which begins with a line "Some words".
async fn assert_fragment_is_not_sent(script: &str, scheme: &str, path: &str, content: &str) {
    let (address, playing) = listen(&[script; 3]).await;
    let profile = tempfile::tempdir().unwrap();
    let config = profile.path().to_str().unwrap();
    let sent = format!("{scheme}://{address}{path}");
    let page = format!("{sent}#words");
    let run = |status, arguments: &[&str]| {
        // `links` reads its standard input.
        let arguments = [&["--config", config], arguments].concat();
        let output = geomys(&arguments, format!("See {page}."));
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        text(&output.stdout)
    };
    assert!(run(0, &["dump", &page]).starts_with("Some words\n"));
    assert_eq!(run(0, &["get", "-o", "-", &page]), content);
    let links = run(0, &["links"]);
    assert!(links.contains(&page), "{links}");
    let bookmark = format!("A page <URL:{page}>\n");
    std::fs::write(profile.path().join("bookmarks.txt"), bookmark).unwrap();
    let checked = run(0, &["bookmarks", "check"]);
    assert!(checked.starts_with("alive\t"), "{checked}");
    let without = format!("checked as {sent}, as \"#\" starts a fragment");
    assert!(checked.contains(&without), "{checked}");
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_for_scripts_send_no_fragment_to_a_gopher_server() {
    let script = "C: a\nS: Some words\nS: .";
    assert_fragment_is_not_sent(script, "gopher", "/0a", "Some words\r\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_for_scripts_read_a_page_without_its_fragment() {
    let reply = "C: 127.0.0.1 /a 0\nS: 2 text/gemini\nS| Some words\\n=> /b A link\\n";
    let content = "Some words\n=> /b A link\n";
    assert_fragment_is_not_sent(reply, "spartan", "/a", content).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_for_scripts_read_a_directory_without_its_fragment() {
    let reply = "C: /a/\nS| Some words\\n=> b.txt A file\\n";
    let content = "Some words\n=> b.txt A file\n";
    assert_fragment_is_not_sent(reply, "nex", "/a/", content).await;
}

fn site(path: &str) -> Vec<u8> {
    let filler = "<p>filler".repeat(60);
    let page = match path {
        "/" => format!(
            "<p>Start <a href='#end'>down here</a>{filler}<h2 id=end>The end of one</h2>{filler}"
        ),
        _ => format!("<p>Second{filler}<h2 id=mid>The middle of two</h2>{filler}"),
    };
    let link = "<p><a href='two.html#mid'>to two</a>";
    let page = page.replace("The end of one</h2>", &format!("The end of one</h2>{link}"));
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{page}").into_bytes()
}

#[tokio::test(flavor = "multi_thread")]
async fn fragment_of_a_redirect_is_used_and_else_that_of_the_link() {
    let web = Web::start(|request| match request.path() {
        "/old" => b"HTTP/1.1 301 Moved\r\nLocation: /two.html#mid\r\n\r\n".to_vec(),
        "/older" => b"HTTP/1.1 301 Moved\r\nLocation: /two.html\r\n\r\n".to_vec(),
        path => site(path),
    })
    .await;
    for link in ["/old", "/old#nowhere", "/older#mid"] {
        let session = Browser::new().open(web.url(link)).start();
        session.wait("The middle of two").await;
        assert!(session.screen().contains("two.html#mid"), "{link}");
    }
    let requests = web.take_requests();
    assert!(requests.iter().all(|request| !request.head.contains('#')));
}

#[tokio::test(flavor = "multi_thread")]
async fn link_to_the_same_page_scrolls_and_one_to_another_loads_and_scrolls() {
    let web = Web::start(|request| site(request.path())).await;
    let session = Browser::new().open(web.url("/")).start();
    session.wait("down here").await;
    session.press("J Enter");
    session.wait("The end of one").await;
    assert!(session.screen().contains("#end"), "{}", session.screen());
    assert_eq!(web.take_requests().len(), 1);
    session.press("J Enter");
    session.wait("The middle of two").await;
    assert!(session.screen().contains("two.html#mid"));
    let requests = web.take_requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].head.starts_with("GET /two.html HTTP"));
    session.press("o");
    session.type_in(&web.url("/two.html#nowhere"));
    session.press("Enter");
    session.wait("Not on this page: #nowhere").await;
}

#[test]
fn bookmark_keeps_its_fragment_and_opens_there() {
    let page = "filler\r\n".repeat(60) + "A chapter of its own\r\n" + &"filler\r\n".repeat(60);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let script = format!("C: a\nS| {}\nS: .", page.replace("\r\n", "\\r\\n"));
    let (address, playing) = runtime.block_on(listen(&[&script]));
    let profile = tempfile::tempdir().unwrap();
    let line = format!("Book <URL:gopher://{address}/0a#chapter-of>\n");
    std::fs::write(profile.path().join("bookmarks.txt"), &line).unwrap();
    let target = format!("gopher://{address}/0a#chapter-of");
    let mut terminal = Terminal::run(profile.path(), &[&target]);
    terminal.wait("A chapter of its own");
    assert!(terminal.screen().contains("/0a#chapter-of"));
    runtime.block_on(assert_played(playing));
    terminal.press("q");
    terminal.end(0);
    let file = std::fs::read_to_string(profile.path().join("bookmarks.txt")).unwrap();
    assert_eq!(file, line);
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_of_a_page_opens_at_the_fragment_that_is_asked_for() {
    let filler = "<p>x".repeat(40);
    let page = format!("<h2 id=one>One</h2>{filler}<h2 id=two>Two</h2>{filler}");
    let page =
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n{page}");
    let web = Web::start(move |_| page.clone().into_bytes()).await;
    let session = Browser::new().open(web.url("/a#one")).start();
    session.wait("/a#one").await;
    session.wait("One").await;
    wait_for_cached_pages(session.path(), 1).await;
    session.press("Ctrl-O");
    session.wait("pages come from the cache").await;
    for (fragment, heading) in [("#two", "Two"), ("", "One")] {
        session.press("~ o");
        session.type_in(&web.url(&format!("/a{fragment}")));
        session.press("Enter");
        let is_there = |screen: &str| {
            let address = screen.lines().next().unwrap_or_default();
            let top = screen.lines().nth(1).unwrap_or_default();
            let page = address.split_whitespace().next().unwrap_or_default();
            page.ends_with(&format!("/a{fragment}")) && top.contains(heading)
        };
        session.wait_until(heading, is_there).await;
    }
}
