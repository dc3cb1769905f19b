//! The demo's web pages, as a user sees them.

use geomys_demo::Demo;
use geomys_page::load::{Purpose, Request};
use geomys_store::transfer::download::{Target, download};
use geomys_testing::loading::{show, texts, url};
use geomys_wire::net::Net;

use crate::support::command::{geomys, text};

#[tokio::test]
async fn demo_front_page_has_text_and_links() {
    let demo = Demo::start().await.unwrap();
    let web = demo.addresses.web;
    let serving = tokio::spawn(demo.serve());
    let address = format!("http://{web}/");
    let dump = move || geomys(&["dump", "--links", "--width", "72", &address], "");
    let output = tokio::task::spawn_blocking(dump).await.unwrap();
    let shown = text(&output.stdout).replace(&web.to_string(), "HERE");
    let lines = shown.lines();
    let lines: Vec<&str> = lines.filter(|line| !line.contains("gopher://")).collect();
    let shown = lines.join("\n");
    insta::with_settings!({snapshot_path => "../snapshots"}, {
        insta::assert_snapshot!("web-demo", shown);
    });
    serving.abort();
}

#[tokio::test]
async fn demo_pages_open_and_download_resumes() {
    let demo = Demo::start().await.unwrap();
    let here = format!("http://{}", demo.addresses.web);
    let serving = tokio::spawn(demo.serve());
    let net = Net::default();
    let old = show(&net, format!("{here}/old")).await.whole();
    assert_eq!(old.place(), url(format!("{here}/page.html")));
    let latin = show(&net, format!("{here}/latin1.txt")).await.whole();
    assert!(texts(&latin.document()).concat().contains('ö'));
    let failure = show(&net, format!("{here}/lost")).await.failure();
    assert_eq!(failure.said.len(), 2);

    let directory = tempfile::tempdir().unwrap();
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(format!("{here}/seeds.bin")))
    };
    let target = Target::New(directory.path().join("whole"));
    let whole = download(&net, request.clone(), target, |_, _| {})
        .await
        .unwrap();
    let octets = std::fs::read(&whole.path).unwrap();
    let place = directory.path().join("again");
    std::fs::write(directory.path().join("again.part"), &octets[..100]).unwrap();
    let state =
        format!("geomys transfer 1\nurl {here}/seeds.bin\ntag \"underloam-1\"\noctets 100\n");
    std::fs::write(directory.path().join("again.part.geomys"), state).unwrap();
    let mut first = None;
    let target = Target::New(place.clone());
    let went = |octets, _| {
        first.get_or_insert(octets);
    };
    download(&net, request, target, went).await.unwrap();
    assert_eq!(first, Some(100));
    assert_eq!(std::fs::read(place).unwrap(), octets);
    serving.abort();
}
