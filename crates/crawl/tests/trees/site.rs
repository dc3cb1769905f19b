//! Mirrors of sites of the Web: what replaces a copy, what is followed, and what is left.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use geomys_crawl::tree::{DirectoryOrder, MirrorOptions, TreeSummary, VanishedFiles, tree};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_testing::web::{HttpRequest, Web, ok};
use geomys_wire::net::{Limits, Net};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::directories::below;
use super::{HASTE, save};

/// A site whose pages answer by the number of the run, which the test sets.
async fn site(
    page: impl Fn(&HttpRequest, usize) -> Vec<u8> + Send + Sync + 'static,
) -> (Web, Arc<AtomicUsize>) {
    let run = Arc::new(AtomicUsize::new(1));
    let number = Arc::clone(&run);
    let web = Web::start(move |request| match request.path() {
        "/robots.txt" => ok("", ""),
        _ => page(request, number.load(Ordering::SeqCst)),
    })
    .await;
    (web, run)
}

async fn mirror_with(net: &Net, url: &str, root: &Path) -> TreeSummary {
    let order = DirectoryOrder {
        mirror: MirrorOptions {
            vanished: VanishedFiles::Delete,
            ..MirrorOptions::default()
        },
        ..DirectoryOrder::new(save(url), root.join("here"))
    };
    let sources = DirectoryRecords::new(root.join(".sources"));
    Box::pin(tree(net, order, &sources, &HASTE, &mut |_| {}))
        .await
        .unwrap()
}

async fn mirror(web: &Web, root: &Path) -> TreeSummary {
    mirror_with(&Net::default(), &web.url("/"), root).await
}

fn html(body: &str) -> Vec<u8> {
    ok("Content-Type: text/html\r\n", body)
}

/// The content of the files below a directory, in the order of their names, without that of the first page.
fn contents(root: &Path) -> Vec<String> {
    let files = below(&root.join("here")).into_iter();
    let pages = files.filter(|(name, _)| !name.starts_with("index"));
    pages
        .map(|(name, _)| fs::read(root.join("here").join(name)).unwrap())
        .map(|octets| String::from_utf8_lossy(&octets).into_owned())
        .collect()
}

#[tokio::test]
async fn page_that_nothing_links_to_is_asked_once_and_stays_as_it_is() {
    let (web, run) = site(|request, run| match (request.path(), run) {
        ("/", 1) => html("<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a>"),
        ("/", _) => html("<a href=/c>c</a>"),
        ("/a", 1) => html("good a"),
        ("/b", 1) => html("good b"),
        ("/a", _) => html("maintenance"),
        ("/c", _) => html("c"),
        _ => b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&web, root).await;
    run.store(2, Ordering::SeqCst);
    web.take_lines();
    let second = mirror(&web, root).await;
    assert_eq!(
        (second.deleted, second.unlinked, second.updated),
        (1, 1, 1),
        "{second:?}"
    );
    assert_eq!(contents(root), ["good a", "c"]);
    let asked = web.take_lines();
    assert_eq!(
        asked.iter().filter(|line| *line == "GET /a").count(),
        1,
        "{asked:?}"
    );
}

#[tokio::test]
async fn copy_stays_where_something_worse_comes() {
    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }
    let names = ["cut", "empty", "none", "part", "zip"];
    let (web, run) = site(move |request, run| match (request.path(), run) {
        ("/", _) => html(&names.map(|name| format!("<a href=/{name}>x</a>")).concat()),
        ("/zip", 1) => ok("Content-Type: application/zip\r\n", "good /zip"),
        (path, 1) => ok("Content-Type: text/plain\r\n", format!("good {path}")),
        ("/cut", _) => {
            let whole = packed(&"another page ".repeat(99));
            let cut = &whole[..whole.len() - 9];
            ok(
                "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n",
                cut,
            )
        }
        ("/empty", _) => ok("Content-Type: text/plain\r\n", ""),
        ("/none", _) => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
        ("/part", _) => {
            b"HTTP/1.1 206 Part\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-3/9\r\n\
                          Content-Length: 4\r\n\r\npart"
                .to_vec()
        }
        _ => html("log in"),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let first = mirror(&web, root).await;
    assert_eq!((first.files, first.failures), (6, 0), "{first:?}");
    let good = contents(root);
    assert_eq!(good, names.map(|name| format!("good /{name}")));
    run.store(2, Ordering::SeqCst);
    let second = mirror(&web, root).await;
    assert_eq!(contents(root), good, "{second:?}");
    // The empty ones and the login stay in silence of the server; what is malformed has failed.
    assert_eq!(
        (second.updated, second.kept, second.failures),
        (0, 3, 2),
        "{second:?}"
    );
}

#[tokio::test]
async fn links_of_compressed_and_untyped_pages_are_followed() {
    type Pack = fn(&[u8]) -> Vec<u8>;
    fn deflated(octets: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }
    fn zlib(octets: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }
    fn gzip(octets: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    }
    let kinds: [(&str, Pack); 6] = [
        (
            "Content-Type: text/html\r\nContent-Encoding: deflate\r\n",
            deflated,
        ),
        (
            "Content-Type: text/html\r\nContent-Encoding: deflate\r\n",
            zlib,
        ),
        (
            "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
            gzip,
        ),
        (
            "Content-Type: text/html\r\nContent-Encoding: gzip, gzip\r\n",
            |octets| gzip(&gzip(octets)),
        ),
        (
            "Content-Type: text/html\r\nContent-Encoding: deflate, gzip\r\n",
            |octets| gzip(&zlib(octets)),
        ),
        ("", <[u8]>::to_vec),
    ];
    for (fields, pack) in kinds {
        let (web, _) = site(move |request, _| match request.path() {
            "/" => ok(fields, pack("<p><a href=/a>a</a>".repeat(999).as_bytes())),
            _ => html("a"),
        })
        .await;
        let directory = tempfile::tempdir().unwrap();
        let summary = mirror(&web, directory.path()).await;
        assert_eq!(
            (summary.files, summary.failures),
            (2, 0),
            "{fields}: {summary:?}"
        );
    }
}

#[tokio::test]
async fn redirects_in_a_loop_are_missing_pages() {
    let (web, _) = site(|request, _| match request.path() {
        "/" => html("<a href=/a>a</a><a href=/self>self</a><a href=/fine>fine</a>"),
        "/c" => html("c"),
        path => {
            let to = match path {
                "/a" => "/b",
                "/b" => "/a",
                "/fine" => "/c",
                own => own,
            };
            format!("HTTP/1.1 302 On\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes()
        }
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let summary = mirror(&web, directory.path()).await;
    assert_eq!(
        (summary.files, summary.missing, summary.failures),
        (2, 2, 0),
        "{summary:?}"
    );
    let looped = summary
        .notes
        .iter()
        .filter(|note| note.contains("it redirects in a loop"));
    assert_eq!(looped.count(), 2, "{summary:?}");
}

#[tokio::test]
async fn host_that_is_silent_is_left_after_two_pages() {
    let silent = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = silent.local_addr().unwrap();
    let links: Vec<String> = (0..20)
        .map(|number| format!("<a href=/{number}>x</a>"))
        .collect();
    let links = links.concat();
    let serving = tokio::spawn(async move {
        let (mut open, mut pages) = (Vec::new(), 0);
        while let Ok((mut stream, _)) = silent.accept().await {
            let mut line = [0; 64];
            let length = stream.read(&mut line).await.unwrap();
            let line = String::from_utf8_lossy(&line[..length]).into_owned();
            let answer = if line.starts_with("GET /robots.txt") {
                ok("", "")
            } else if line.starts_with("GET / ") {
                html(&links)
            } else if line.starts_with("GET /end") {
                return pages;
            } else {
                pages += 1;
                open.push(stream);
                continue;
            };
            stream.write_all(&answer).await.unwrap();
        }
        pages
    });
    let directory = tempfile::tempdir().unwrap();
    let limits = Limits {
        idle: std::time::Duration::from_secs(1),
        ..Limits::default()
    };
    let net = Net::new(limits);
    let url = format!("http://{address}/");
    let summary = mirror_with(&net, &url, directory.path()).await;
    assert!((17..=18).contains(&summary.left_out.silent), "{summary:?}");
    let mut end = tokio::net::TcpStream::connect(address).await.unwrap();
    end.write_all(b"GET /end HTTP/1.1\r\n\r\n").await.unwrap();
    // Two, and the one that was begun between their ends; none twice.
    let asked = serving.await.unwrap();
    assert_eq!(asked, 20 - summary.left_out.silent, "{summary:?}");
}
