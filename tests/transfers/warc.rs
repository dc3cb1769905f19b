//! `geomys archive`: archives of what servers send, read by a reader of their own.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use geomys_demo::Demo;
use geomys_testing::archive::Archive;
use geomys_testing::capsule::Capsule;
use geomys_testing::names;
use geomys_testing::tls::Identity;
use geomys_testing::warc::{WarcRecord, read};
use geomys_testing::web::Web;

use crate::support::command::{geomys, text};

/// Runs `geomys archive` into the file `a.warc.gz` below `root`.
fn archive(root: &Path, arguments: &[&str]) -> Output {
    let config = root.join("config");
    fs::create_dir_all(&config).unwrap();
    fs::write(
        config.join("settings.toml"),
        "[transfers]\nretry-hours = 0\n",
    )
    .unwrap();
    let (config, file) = (config.to_str().unwrap(), file(root));
    let command = ["--config", config, "archive"];
    let file = file.to_str().unwrap();
    geomys(&[command.as_slice(), arguments, &[file]].concat(), "")
}

fn file(root: &Path) -> PathBuf {
    root.join("a.warc.gz")
}

/// The URLs of the records of a type, in their order.
fn targets(records: &[WarcRecord], kind: &str) -> Vec<String> {
    let records = records.iter().filter(|record| record.kind() == kind);
    records.map(|record| record.target().to_owned()).collect()
}

/// The summary of a report, without the path before it and the time behind it.
fn summary(output: &Output) -> String {
    let said = text(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    let (_, counts) = last.split_once(".warc.gz: ").unwrap_or(("", last));
    counts.split(" in ").next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn capsule_is_archived_once() {
    let capsule = Capsule::start(&Identity::self_signed("localhost"), |path| {
        let answer = match path {
            "/docs/" => "20 text/gemini\r\n=> a.png A\n=> sub/ Below\n=> gone Gone\n=> old Old\n",
            "/docs/a.png" => "20 image/png\r\nnot really\n",
            "/docs/sub/" => "20 text/gemini\r\n=> ../a.png A\n=> /docs/no No\n",
            "/docs/old" => "31 /docs/new\r\n",
            "/docs/new" => "20 text/plain\r\nnew\n",
            "/robots.txt" => "20 text/plain\r\nUser-agent: *\nDisallow: /docs/no\n",
            _ => "51 not found\r\n",
        };
        (answer.as_bytes().to_vec(), true)
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let first = archive(root, &["-r", &capsule.url("/docs/")]);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    assert!(summary(&first).starts_with("4 files"), "{first:?}");
    let records = read(&file(root));
    let expected = [
        "/robots.txt",
        "/docs/",
        "/docs/a.png",
        "/docs/sub/",
        "/docs/gone",
        "/docs/old",
        "/docs/new",
    ];
    let found: HashSet<_> = targets(&records, "response").into_iter().collect();
    assert_eq!(found, expected.map(|path| capsule.url(path)).into());
    assert_eq!(targets(&records, "request"), targets(&records, "response"));
    let metadata = records
        .iter()
        .find(|record| record.kind() == "metadata" && record.target() == capsule.url("/docs/new"));
    let via = format!("via: {}\r\n", capsule.url("/docs/old"));
    assert!(metadata.unwrap().text().starts_with(&via), "{metadata:?}");
    assert!(records[0].text().contains("robots: classic\r\n"));
    assert_eq!(names(root), ["a.warc.gz", "config"], "no file beside it");

    let octets = fs::read(file(root)).unwrap();
    let asked = |path: &str| capsule.requests().iter().filter(|one| *one == path).count();
    let second = archive(root, &["-r", &capsule.url("/docs/")]);
    assert!(summary(&second).starts_with("0 files"), "{second:?}");
    assert_eq!(fs::read(file(root)).unwrap(), octets, "nothing is new");
    assert_eq!((asked("/docs/a.png"), asked("/docs/sub/")), (1, 2));

    // A run that was killed, and the directory of another archive.
    fs::write(file(root), &octets[..octets.len() - 5]).unwrap();
    for left in [".a.warc.gz.geomys-1", ".b.warc.gz.geomys-1"] {
        fs::create_dir_all(root.join(left).join("files")).unwrap();
        fs::write(root.join(left).join("files/page"), "half").unwrap();
    }
    let third = archive(root, &["-r", &capsule.url("/docs/")]);
    assert_eq!(third.status.code(), Some(0), "{third:?}");
    let kept = [".b.warc.gz.geomys-1", "a.warc.gz", "config"];
    assert_eq!(names(root), kept);
    let repaired = targets(&read(&file(root)), "response");
    assert_eq!(repaired, targets(&records, "response"));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_and_listings_of_ftp_are_resources() {
    let server = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for expected in ["3 files", "0 files"] {
        let output = archive(root, &["-r", &server.url("/pub/")]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(summary(&output).starts_with(expected), "{output:?}");
        let records = read(&file(root));
        let mut resources = targets(&records, "resource");
        resources.sort();
        let paths = ["/pub/", "/pub/a", "/pub/sub/", "/pub/sub/b", "/pub/sub/c"];
        assert_eq!(resources, paths.map(|path| server.url(path)));
        let a = records
            .iter()
            .find(|record| record.kind() == "resource" && record.target().ends_with("/pub/a"));
        assert_eq!(a.unwrap().block, geomys_testing::archive::test_octets(10));
        assert_eq!(targets(&records, "request"), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_of_all_schemes_is_archived() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for url in demo.urls() {
        let scheme = url.split(':').next().unwrap();
        let options: &[&str] = match scheme {
            "gopher" | "gemini" | "spartan" | "nex" | "http" => {
                &["-r", "--pages", "8", "--exclude", "big*"]
            }
            "ftp" => &["-r"],
            "finger" => &[],
            _ => continue,
        };
        let texts = if scheme == "ftp" { "pub/texts/" } else { "" };
        archive(root, &[options, &[&format!("{url}{texts}")]].concat());
        let records = read(&file(root));
        let kind = if scheme == "ftp" {
            "resource"
        } else {
            "response"
        };
        let found = targets(&records, kind);
        let of_scheme = found.iter().filter(|target| target.starts_with(scheme));
        assert!(of_scheme.count() >= 1, "{scheme} {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_url_is_archived_with_its_refusal() {
    let web = Web::start(|request| match request.path() {
        "/" => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone",
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let missing = web.url("/missing");
    for _ in 0..2 {
        // The second time the archive has it.
        let output = archive(root, &[&web.url("/")]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let output = archive(root, &[&missing]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let records = read(&file(root));
    assert_eq!(
        targets(&records, "response"),
        [web.url("/"), missing.clone()]
    );
    assert!(records[0].text().contains("robots: none\r\n"));
    let refused = archive(root, &["ftp://ada:byron@127.0.0.1:1/a"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("a login"), "{refused:?}");
    let settings = "[history]\nexcept = [\"127.0.0.1\"]\n";
    fs::write(root.join("config/settings.toml"), settings).unwrap();
    let config = root.join("config");
    let options = ["--config", config.to_str().unwrap(), "get", "--warc"];
    let arguments = [file(root).to_str().unwrap().to_owned(), web.url("/")];
    let arguments = arguments.iter().map(String::as_str);
    let private = geomys(
        &options.into_iter().chain(arguments).collect::<Vec<_>>(),
        "",
    );
    assert!(text(&private.stderr).contains("history"), "{private:?}");
    assert_eq!(read(&file(root)).len(), records.len());
}

#[test]
fn archive_is_refused_beside_options_of_a_directory_and_over_another_file() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    for option in [
        ["-o", "x"].as_slice(),
        &["-r", "--delete"],
        &["-r", "--dry-run"],
    ] {
        let output = archive(root, &[option, &["gopher://127.0.0.1:1/"]].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?} {output:?}");
    }
    fs::write(file(root), "a diary").unwrap();
    let output = archive(root, &["gopher://127.0.0.1:1/"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("no archive"), "{output:?}");
    assert_eq!(fs::read(file(root)).unwrap(), b"a diary");
}
