//! Cached pages of every scheme, and the pages that are never written to disk.

use std::fs;
use std::path::Path;

use geomys_demo::Demo;
use geomys_load::{
    FormAnswers, HiddenAnswers, Login, PageStorage, Purpose, Reason, Request, cache_key,
};
use geomys_testing::gate::hold_port_closed;
use geomys_testing::loading::{show, url};
use geomys_testing::script::{assert_played, listen};
use geomys_testing::web::Web;
use geomys_wire::net::Net;
use tempfile::TempDir;

use super::reading::wait_for_cached_pages;
use crate::support::command::{geomys, text};
use crate::support::screen::Browser;

/// A profile after a session that showed a page, until the page was cached.
pub(super) async fn shown_once(
    profile: TempDir,
    address: &str,
    words: &str,
    pages: usize,
) -> TempDir {
    let session = Browser::in_profile(profile)
        .open(address)
        .size((100, 40))
        .start();
    session.wait(words).await;
    wait_for_cached_pages(session.path(), pages).await;
    session.press("q");
    session.end().await.profile
}

#[tokio::test(flavor = "multi_thread")]
async fn cached_page_has_its_language() {
    let script = "C: 127.0.0.1 / 0
        S: 2 text/gemini;lang=de-AT
        S| Ein Maulwurf\\n=> /b Ein Verweis\\n";
    let (server, playing) = listen(&[script]).await;
    let address = format!("spartan://{server}/");
    let profile = tempfile::tempdir().unwrap();
    let profile = shown_once(profile, &address, "Ein Maulwurf", 1).await;
    assert_played(playing).await;
    let _closed_port = hold_port_closed(server).await;
    let session = Browser::in_profile(profile)
        .open(address)
        .size((100, 40))
        .start();
    session.wait("(r retry)").await;
    session.wait("Ein Verweis").await;
    session.press("J i");
    session.wait("language of this page").await;
    session.wait("de-AT").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_each_scheme_is_printed_again_without_its_server() {
    let demo = Demo::start().await.unwrap();
    let pages = [
        (
            format!("gopher://{}/1/library", demo.addresses.gopher),
            "library",
        ),
        (
            format!("gopher://{}/7/search%09address", demo.addresses.gopher),
            "ddress",
        ),
        (format!("ftp://{}/pub/", demo.addresses.ftp), "texts"),
        (
            format!(
                "ftp://{}/pub/texts/potato-soup.txt;type=a",
                demo.addresses.ftp
            ),
            "potato",
        ),
        (format!("http://{}/", demo.addresses.web), "Underloam"),
        (
            format!("wais://{}/almanac?soup", demo.addresses.wais),
            "oup",
        ),
        (format!("finger://{}/ada", demo.addresses.finger), "ada"),
        (
            format!("prospero://{}//soup", demo.addresses.prospero),
            "oup",
        ),
    ];
    let mut profile = tempfile::tempdir().unwrap();
    let mut printed = Vec::new();
    for (number, (address, words)) in pages.iter().enumerate() {
        profile = shown_once(profile, address, words, number + 1).await;
        let config = profile.path().to_str().unwrap();
        let now = geomys(&["--config", config, "dump", "--links", address], "");
        assert_eq!(now.status.code(), Some(0), "{now:?}");
        printed.push(text(&now.stdout));
    }
    drop(demo);
    let config = profile.path().to_str().unwrap();
    for ((address, _), printed) in pages.iter().zip(printed) {
        let again = geomys(
            &["--config", config, "--offline", "dump", "--links", address],
            "",
        );
        assert_eq!(text(&again.stdout), printed, "{address}");
        let said = text(&again.stderr);
        assert!(said.starts_with("geomys: cached 20"), "{said}");
    }
    let (address, _) = &pages[0];
    let other = address.replace("library", "map");
    let missing = geomys(&["--config", config, "--offline", "dump", &other], "");
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("it is not in the cache"));
}

/// True if a file of the cache has these octets.
fn is_cached(profile: &Path, octets: &str) -> bool {
    let files = fs::read_dir(profile.join("cache")).into_iter().flatten();
    files.flatten().any(|entry| {
        let file = fs::read(entry.path()).unwrap();
        memchr::memmem::find(&file, octets.as_bytes()).is_some()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn page_whose_server_forbids_it_is_not_cached() {
    let web = Web::start(|request| {
        let field = match request.path() {
            "/secret" => "Cache-Control: private\r\nCache-Control: max-age=0, No-Store\r\n",
            _ => "Cache-Control: no-cache\r\n",
        };
        let path = request.path();
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{field}\r\n<p>this is {path}")
    })
    .await;
    let address = |path: &str| format!("http://{}{path}", web.address);
    let head = show(&Net::default(), address("/secret")).await.begin;
    assert_eq!(head.unwrap().storage, PageStorage::Forbidden);
    let session = Browser::new()
        .open(address("/secret"))
        .size((100, 24))
        .start();
    session.wait("this is /secret").await;
    session.press("o");
    session.type_in(&address("/public"));
    session.press("Enter");
    session.wait("this is /public").await;
    wait_for_cached_pages(session.path(), 1).await;
    // Back shows it from memory: the server is asked no more.
    web.take_requests();
    session.press("h");
    session.wait("this is /secret").await;
    session.press("q");
    let profile = session.end().await.profile;
    assert!(is_cached(profile.path(), "this is /public"));
    assert!(!is_cached(profile.path(), "this is /secret"));
    assert_eq!(web.take_requests().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_host_without_history_is_not_cached() {
    let web = Web::start(|request| {
        let path = request.path();
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>this is {path}")
    })
    .await;
    let settings = "[history]\nexcept = [\"127.0.0.1\"]\n";
    let port = web.address.port();
    let session = Browser::new()
        .settings(settings)
        .open(format!("http://127.0.0.1:{port}/secret"))
        .size((100, 24))
        .start();
    session.wait("this is /secret").await;
    session.press("o");
    session.type_in(&format!("http://localhost:{port}/public"));
    session.press("Enter");
    session.wait("this is /public").await;
    wait_for_cached_pages(session.path(), 1).await;
    session.press("q");
    let profile = session.end().await.profile;
    assert!(is_cached(profile.path(), "this is /public"));
    assert!(!is_cached(profile.path(), "this is /secret"));
}

#[test]
fn logins_forms_and_files_have_no_cache_key() {
    let key = |address: &str| cache_key(&Request::show(url(address), Reason::Typed));
    for (address, is_cached) in [
        ("gopher://example.org/1/a", true),
        ("gopher://example.org/7/a%09words", true),
        // A filled form of Gopher+.
        (
            "gopher://example.org/0/a%09%09+%091%0D%0A+-1%0D%0Ax%0D%0A.%0D%0A",
            false,
        ),
        ("ftp://example.org/a", true),
        ("ftp://ada@example.org/a", false),
        ("ftp://ada:x@example.org/a", false),
        ("http://example.org/a?b", true),
        ("https://example.org/", true),
        ("gemini://example.org/a", true),
        ("gemini://example.org/a?words", false),
        ("finger://example.org/ada", true),
        ("wais://example.org/db?soup", true),
        ("nntp://example.org/a.group", true),
        ("telnet://example.org/", false),
        ("mailto:ada@example.org", false),
        ("file:///etc/motd", false),
        ("x-mole://example.org/", false),
    ] {
        assert_eq!(key(address).is_some(), is_cached, "{address}");
    }
    let public = || Request::show(url("http://example.org/"), Reason::Typed);
    let requests = [
        Request {
            login: Some(Login::new("ada", "lovelace")),
            ..public()
        },
        Request {
            answers: FormAnswers::Hidden(HiddenAnswers(b"ada".to_vec())),
            ..public()
        },
        Request {
            purpose: Purpose::Save,
            ..public()
        },
    ];
    for request in requests {
        assert_eq!(cache_key(&request), None);
    }
    // Articles are public, though many servers show them to their users alone.
    let news = Request {
        login: Some(Login::new("ada", "lovelace")),
        ..Request::show(url("nntp://example.org/a.group"), Reason::Typed)
    };
    assert!(cache_key(&news).is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn page_behind_a_password_is_not_cached() {
    let demo = Demo::start().await.unwrap();
    let session = Browser::new()
        .open(format!("http://{}/drawer", demo.addresses.web))
        .size((100, 24))
        .start();
    session.wait("Name at").await;
    session.type_in("ada");
    session.press("Enter");
    session.wait("Password of ada").await;
    session.type_in("lovelace");
    session.press("Enter");
    // The prompt names the drawer too.
    session.wait("Pencils, a sieve").await;
    session.press("o");
    session.type_in(&format!("gopher://{}/", demo.addresses.gopher));
    session.press("Enter");
    session.wait("U N D E R L O A M").await;
    wait_for_cached_pages(session.path(), 1).await;
    session.press("q");
    let profile = session.end().await.profile;
    assert!(is_cached(profile.path(), "U N D E R L O A M"));
    assert!(!is_cached(profile.path(), "drawer</h1>"));
}
