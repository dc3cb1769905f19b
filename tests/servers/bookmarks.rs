//! Other bookmark programs: they read the exports of Geomys, and Geomys reads theirs.

use std::fs;
use std::path::Path;
use std::process::Command;

use geomys_store::bookmarks::Bookmarks;
use geomys_store::bookmarks::exchange::{BookmarkFormat, BookmarkTree, detect};
use serde_json::Value;

const FILE: &str = "\
Floodgap & <friends> <URL:gopher://gopher.floodgap.com/> #gopher #start
  the largest
# Archives
GNU <URL:ftp://ftp.gnu.org/gnu/;type=d> #ftp
## The Web
Example <URL:http://www.example.com/?a=1&b=2>
  with a \"note\"
<URL:https://feeds.example.com/atom>
";

/// A temporary directory with an export in this format.
fn exported(format: BookmarkFormat) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().unwrap();
    let collection = BookmarkTree::of(&Bookmarks::parse(FILE.as_bytes()));
    let path = directory.path().join(format!("export.{format}"));
    fs::write(&path, format.write(&collection).unwrap().0).unwrap();
    (directory, path.to_str().unwrap().to_owned())
}

/// The output of a program, run with its home in this directory.
fn said(directory: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .env("HOME", directory)
        .env("XDG_DATA_HOME", directory.join("data"))
        .env("XDG_CONFIG_HOME", directory.join("config"))
        .env("LC_ALL", "C.UTF-8")
        .env("PYTHONWARNINGS", "ignore")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
#[ignore = "needs the servers that .ci/servers starts"]
fn buku_imports_and_exports_html_and_xbel() {
    for format in [BookmarkFormat::Html, BookmarkFormat::Xbel] {
        let (directory, path) = exported(format);
        let buku = |arguments: &[&str]| {
            let all = ["--nostdin", "--np", "--nc"];
            let all: Vec<&str> = all.iter().chain(arguments).copied().collect();
            said(directory.path(), "buku", &all)
        };
        buku(&["--tacit", "--import", &path]);
        let taken: Value = serde_json::from_str(&buku(&["--print", "--json"])).unwrap();
        let of = |key: &str| -> Vec<&str> {
            let all = taken.as_array().unwrap().iter();
            all.map(|one| one[key].as_str().unwrap()).collect()
        };
        assert_eq!(
            of("uri"),
            [
                "gopher://gopher.floodgap.com/",
                "ftp://ftp.gnu.org/gnu/;type=d",
                "http://www.example.com/?a=1&b=2",
                "https://feeds.example.com/atom"
            ],
            "{format}"
        );
        assert_eq!(
            of("title")[..3],
            ["Floodgap & <friends>", "GNU", "Example"],
            "{format}"
        );
        assert!(of("tags")[0].contains("gopher,start"), "{format}: {taken}");
        if format == BookmarkFormat::Html {
            assert_eq!(
                of("description")[..3],
                ["the largest", "", "with a \"note\""]
            );
        }
        // Its own export is read again.
        let back = directory.path().join(format!("back.{format}"));
        buku(&["--tacit", "--export", back.to_str().unwrap()]);
        let octets = fs::read(&back).unwrap();
        assert_eq!(detect(&octets), format);
        let collection = format.read(&octets).unwrap();
        let urls: Vec<&str> = collection
            .entries()
            .map(|(_, entry)| entry.url.as_str())
            .collect();
        assert_eq!(urls, of("uri"), "{format}");
    }
}

#[test]
#[ignore = "needs the servers that .ci/servers starts"]
fn lynx_and_w3m_show_the_links_of_an_export() {
    let (directory, path) = exported(BookmarkFormat::Html);
    let links = said(
        directory.path(),
        "lynx",
        &["-dump", "-listonly", "-nonumbers", &path],
    );
    for url in [
        "gopher://gopher.floodgap.com/",
        "ftp://ftp.gnu.org/gnu/;type=d",
        "http://www.example.com/?a=1&b=2",
    ] {
        assert!(links.contains(url), "{links}");
    }
    let page = said(
        directory.path(),
        "w3m",
        &["-dump", "-T", "text/html", &path],
    );
    for title in ["Floodgap & <friends>", "Archives", "with a \"note\""] {
        assert!(page.contains(title), "{page}");
    }
}

#[test]
#[ignore = "needs the servers that .ci/servers starts"]
fn newsboat_reads_exported_feeds_and_its_opml_is_read() {
    let (directory, path) = exported(BookmarkFormat::Newsboat);
    let cache = directory.path().join("cache.db");
    let outlines = said(
        directory.path(),
        "newsboat",
        &[
            "-u",
            &path,
            "-C",
            "/dev/null",
            "-c",
            cache.to_str().unwrap(),
            "-e",
        ],
    );
    assert_eq!(detect(outlines.as_bytes()), BookmarkFormat::Opml);
    let collection = BookmarkFormat::Opml.read(outlines.as_bytes()).unwrap();
    let urls: Vec<&str> = collection
        .entries()
        .map(|(_, entry)| entry.url.as_str())
        .collect();
    assert_eq!(
        urls,
        [
            "http://www.example.com/?a=1&b=2",
            "https://feeds.example.com/atom"
        ]
    );
}
