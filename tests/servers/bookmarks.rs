//! The programs that others keep their bookmarks with: they read what Geomys writes, and the other way round.

use std::fs;
use std::path::Path;
use std::process::Command;

use geomys::files::bookmarks::Bookmarks;
use geomys::files::exchange::{Format, Shelf, detect};
use serde_json::Value;

use super::Servers;

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

/// A place of a program's own with an export in it, where these programs are.
fn exported(format: Format) -> Option<(tempfile::TempDir, String)> {
    Servers::named()?;
    let place = tempfile::tempdir().unwrap();
    let shelf = Shelf::of(&Bookmarks::parse(FILE.as_bytes()));
    let path = place.path().join(format!("export.{format}"));
    fs::write(&path, format.write(&shelf).0).unwrap();
    Some((place, path.to_str().unwrap().to_owned()))
}

/// What a program prints, at home in a place of its own.
fn said(place: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .env("HOME", place)
        .env("XDG_DATA_HOME", place.join("data"))
        .env("XDG_CONFIG_HOME", place.join("config"))
        .env("LC_ALL", "C.UTF-8")
        .env("PYTHONWARNINGS", "ignore")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn buku_takes_html_and_xbel_in_and_gives_them_back() {
    for format in [Format::Html, Format::Xbel] {
        let Some((place, path)) = exported(format) else {
            return;
        };
        let buku = |arguments: &[&str]| {
            let all = ["--nostdin", "--np", "--nc"];
            let all: Vec<&str> = all.iter().chain(arguments).copied().collect();
            said(place.path(), "buku", &all)
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
        if format == Format::Html {
            assert_eq!(
                of("description")[..3],
                ["the largest", "", "with a \"note\""]
            );
        }
        // And what it writes itself is read again.
        let back = place.path().join(format!("back.{format}"));
        buku(&["--tacit", "--export", back.to_str().unwrap()]);
        let octets = fs::read(&back).unwrap();
        assert_eq!(detect(&octets), format);
        let shelf = format.read(&octets).unwrap();
        let urls: Vec<&str> = shelf
            .entries()
            .map(|(_, entry)| entry.url.as_str())
            .collect();
        assert_eq!(urls, of("uri"), "{format}");
    }
}

#[test]
fn lynx_and_w3m_show_the_links_of_an_export() {
    let Some((place, path)) = exported(Format::Html) else {
        return;
    };
    let links = said(
        place.path(),
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
    let page = said(place.path(), "w3m", &["-dump", "-T", "text/html", &path]);
    for title in ["Floodgap & <friends>", "Archives", "with a \"note\""] {
        assert!(page.contains(title), "{page}");
    }
}

#[test]
fn newsboat_reads_our_list_of_feeds_and_its_outlines_are_read() {
    let Some((place, path)) = exported(Format::Newsboat) else {
        return;
    };
    let cache = place.path().join("cache.db");
    let outlines = said(
        place.path(),
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
    assert_eq!(detect(outlines.as_bytes()), Format::Opml);
    let shelf = Format::Opml.read(outlines.as_bytes()).unwrap();
    let urls: Vec<&str> = shelf
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

#[test]
fn lftp_lists_our_bookmarks() {
    let Some((place, path)) = exported(Format::Lftp) else {
        return;
    };
    let own = place.path().join("data").join("lftp");
    fs::create_dir_all(&own).unwrap();
    fs::copy(&path, own.join("bookmarks")).unwrap();
    let list = said(place.path(), "lftp", &["-c", "bookmark list"]);
    assert!(
        list.contains("ftp://ftp.gnu.org/gnu/;type=d") && list.contains("GNU"),
        "{list}"
    );
    let shelf = Format::Lftp
        .read(&fs::read(own.join("bookmarks")).unwrap())
        .unwrap();
    assert_eq!(shelf.entries().count(), 3);
}
