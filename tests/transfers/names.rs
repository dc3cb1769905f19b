//! Names of downloaded files.

use std::fs;

use geomys_demo::Demo;
use geomys_testing::names;
use geomys_testing::web::Web;

use super::site::{files_below, mirror};
use crate::support::command::{geomys_at, text};

/// A server of the Web whose files have their path as content.
async fn web() -> Web {
    Web::start(|request| {
        let path = request.path().to_owned();
        let fields = match path.as_str() {
            "/named" => "Content-Disposition: attachment; filename*=UTF-8''%D0%B0.txt\r\n",
            "/evil" => "Content-Disposition: attachment; filename=\"../../.ssh/keys\"\r\n",
            "/paper" => "Content-Type: application/pdf\r\n",
            "/latest" => {
                return b"HTTP/1.1 302 Found\r\nLocation: /files/v2.tar.gz\r\n\r\n".to_vec();
            }
            _ => "Content-Type: application/octet-stream\r\n",
        };
        let length = path.len();
        format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n{fields}\r\n{path}").into_bytes()
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn get_names_files_of_the_web_and_numbers_taken_names() {
    let web = web().await;
    let directory = tempfile::tempdir().unwrap();
    for path in [
        "/med.bin",
        "/med.bin",
        "/b/med.bin",
        "/named",
        "/named",
        "/evil",
        "/paper",
        "/latest",
    ] {
        let got = geomys_at(directory.path(), &["get", &web.url(path)]);
        assert_eq!(got.status.code(), Some(0), "{got:?}");
    }
    assert_eq!(
        names(directory.path()),
        [
            "keys",
            "med (2).bin",
            "med (3).bin",
            "med.bin",
            "paper.pdf",
            "v2.tar.gz",
            "а (2).txt",
            "а.txt",
        ]
    );
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    assert_eq!(read("med (3).bin"), "/b/med.bin");
    // A named file is replaced, and the server does not name another.
    let arguments = ["get", "-o", "med.bin", &web.url("/named")];
    assert_eq!(
        geomys_at(directory.path(), &arguments).status.code(),
        Some(0)
    );
    assert_eq!(read("med.bin"), "/named");
    assert_eq!(names(directory.path()).len(), 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_names_answers_of_other_schemes() {
    let demo = Demo::start().await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let urls = [
        format!("finger://{}/ada", demo.addresses.finger),
        format!("gopher://{}/2%09ada", demo.addresses.phone),
        format!("wais://{}/almanac?soup", demo.addresses.wais),
        format!("wais://{}/almanac/TEXT/7", demo.addresses.wais),
    ];
    for url in &urls {
        for _ in 0..2 {
            let got = geomys_at(directory.path(), &["get", url]);
            assert_eq!(got.status.code(), Some(0), "{url}: {got:?}");
        }
    }
    let expected = [
        "7 (2).txt",
        "7.txt",
        "ada (2).txt",
        "ada (3).txt",
        "ada (4).txt",
        "ada.txt",
        "soup (2).txt",
        "soup.txt",
    ];
    assert_eq!(names(directory.path()), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_saves_several_urls_into_a_directory() {
    let web = web().await;
    let directory = tempfile::tempdir().unwrap();
    let urls = [
        web.url("/a.bin"),
        "http://127.0.0.1:1/x".to_owned(),
        web.url("/.b"),
    ];
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let got = geomys_at(
        directory.path(),
        &[&["get", "-o", "in/"], &urls[..]].concat(),
    );
    assert_eq!(got.status.code(), Some(1), "one has failed");
    let said = text(&got.stderr);
    assert!(
        said.contains("a.bin: 6 B") && said.contains("geomys: "),
        "{said}"
    );
    // A name is not changed inside of a directory that was chosen.
    assert_eq!(names(&directory.path().join("in")), [".b", "a.bin"]);
    let got = geomys_at(directory.path(), &["get", urls[0], urls[2]]);
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    assert_eq!(names(directory.path()), ["a.bin", "b", "in"]);
    let into_file = geomys_at(directory.path(), &["get", "-o", "b", urls[0], urls[2]]);
    assert_eq!(into_file.status.code(), Some(2), "{into_file:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_an_earlier_record_keep_their_names() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://{}/pub/", demo.addresses.ftp);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let first = mirror(root, &[&url]);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let all = files_below(&root.join("here"));
    let (below, _) = all.iter().find_map(|name| name.split_once('/')).unwrap();
    // An earlier version has written names that this one does not give.
    let renamed = format!("-{below}");
    fs::rename(
        root.join("here").join(below),
        root.join("here").join(&renamed),
    )
    .unwrap();
    for record in fs::read_dir(root.join("config/sources")).unwrap() {
        let path = record.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let text = text.replace(&format!(" {below}/"), &format!(" {renamed}/"));
        fs::write(&path, text).unwrap();
    }
    let mut expected: Vec<String> = all
        .iter()
        .map(|name| match name.strip_prefix(&format!("{below}/")) {
            Some(rest) => format!("{renamed}/{rest}"),
            None => name.clone(),
        })
        .collect();
    expected.sort();
    let gone = expected
        .iter()
        .find(|name| name.starts_with(&renamed))
        .unwrap();
    fs::remove_file(root.join("here").join(gone)).unwrap();
    let again = mirror(root, &[&url]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert_eq!(files_below(&root.join("here")), expected, "{again:?}");
    assert!(!root.join("here").join(below).exists());
}
