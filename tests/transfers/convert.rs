//! `geomys get -r --convert`: copies of mirrors that can be served again.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use geomys_testing::capsule::Capsule;
use geomys_testing::hole::{Hole, menu};
use geomys_testing::tls::Identity;

use super::site::{Pages, capsule, files_below, mirror, set};
use crate::support::command::text;

/// The files of the copy, sorted, after a check that none is executable.
fn served(root: &Path) -> Vec<String> {
    let files = files_below(&root.join("here-served"));
    for name in &files {
        let is = fs::metadata(root.join("here-served").join(name)).unwrap();
        assert_eq!(is.permissions().mode() & 0o777, 0o644, "{name}");
    }
    files
}

/// A file of the copy.
fn file(root: &Path, name: &str) -> String {
    let octets = fs::read(root.join("here-served").join(name)).unwrap();
    String::from_utf8(octets).unwrap()
}

fn last_line(output: &Output) -> String {
    let said = text(&output.stderr);
    let last = said.lines().last().unwrap_or_default();
    last.rsplit_once("here-served: ")
        .map_or(last, |(_, end)| end)
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn menus_become_gophermaps_without_commands() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(
            &[
                "iWelcome\t\terror.host\t1",
                "=touch /tmp/ran\t/x\t@",
                "=touch /tmp/ran",
                "!Title",
                "0A text\t/a.txt\t@",
                "0A text\ta.txt\t@",
                "0Gopher+\t/a.txt\t@\t+",
                "1Menu\t/docs\t@",
                "1Elsewhere\t/\tother.example\t70",
                "0Map\t/docs/gophermap\t@",
                "0Inline\t/docs/my.gophermap\t@",
                "0Text above\t/deep\t@",
                "0Below\t/deep/er/x.txt\t@",
                "0Query\t/cgi-bin/x\t@",
                "0Encoded\t/with%20blank.txt\t@",
                "0Lost\t/100%\t@",
            ],
            here,
        ),
        "/docs" => menu(&["9Data\t/docs/data.bin\t@", "1Up\t/\t@"], here),
        "/docs/data.bin" => vec![0, 1, 2, 255, b'.', b'\r', b'\n'],
        "/" => b"3No\t\terror.host\t1\r\n.\r\n".to_vec(),
        _ => b"one\r\n..two\r\n.\r\n".to_vec(),
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = format!("gopher://{}/", hole.address);
    let output = mirror(root, &["--convert", &url]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected = [
        "a.txt",
        "cgi-bin_/gophermap",
        "cgi-bin_/x",
        "deep (2)",
        "deep/er/gophermap",
        "deep/er/x.txt",
        "deep/gophermap",
        "docs/data.bin",
        "docs/gophermap",
        "docs/gophermap_",
        "docs/my.gopher_map",
        "gophermap",
        "with blank.txt",
        "x",
    ];
    assert_eq!(served(root), expected, "{output:?}");
    let (host, port) = (hole.address.ip(), hole.address.port());
    let map = format!(
        "iWelcome\t\terror.host\t1\r\n\
         i=touch /tmp/ran\t\tnull.host\t1\r\n\
         i=touch /tmp/ran\t\tnull.host\t1\r\n\
         i!Title\t\tnull.host\t1\r\n\
         0A text\t/a.txt\r\n\
         0A text\ta.txt\t{host}\t{port}\r\n\
         0Gopher+\t/a.txt\r\n\
         1Menu\t/docs\r\n\
         1Elsewhere\t/\tother.example\t70\r\n\
         0Map\t/docs/gophermap\r\n\
         0Inline\t/docs/my.gophermap\r\n\
         0Text above\t/deep\r\n\
         0Below\t/deep/er/x.txt\r\n\
         0Query\t/cgi-bin/x\r\n\
         0Encoded\t/with%20blank.txt\r\n\
         0Lost\t/100%\r\n"
    );
    assert_eq!(file(root, "gophermap"), map);
    assert_eq!(file(root, "deep/gophermap"), "");
    assert_eq!(file(root, "a.txt"), "one\r\n.two\r\n");
    let data = fs::read(root.join("here-served/docs/data.bin")).unwrap();
    assert_eq!(data, [0, 1, 2, 255, b'.', b'\r', b'\n']);
    let said = text(&output.stderr);
    for note in [
        "/0/deep is not served: its file is deep (2)",
        "/0/docs/gophermap is not served: its file is docs/gophermap_",
        "/0/docs/my.gophermap is not served: its file is docs/my.gopher_map",
        "/0/cgi-bin/x is not served: its file is cgi-bin_/x",
    ] {
        assert!(said.contains(note), "{note}: {said}");
    }
    assert_eq!(
        last_line(&output),
        "14 files to serve; 3 rows became texts; 1 row lost fields; 5 not served"
    );
    let raw = fs::read(root.join("here/index.gopher")).unwrap();
    assert!(
        raw.windows(7).any(|octets| octets == b"\r\n=touc"),
        "the mirror is what came"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn capsule_has_one_molly_with_types_and_redirects() {
    let pages = Pages::default();
    let front = "=> a A\n=> text.txt T\n=> old Old\n=> away Away\n=> q?x Q\n=> ask Ask\n=> .molly Hostile\n=> sub/ Sub\n";
    set(&pages, "/docs/", front);
    set(&pages, "/docs/a", "a\n");
    set(&pages, "/docs/text.txt", "a text\n");
    set(&pages, "/docs/old", "31 /docs/a\r\n");
    set(&pages, "/docs/away", "30 gemini://example.invalid/\r\n");
    set(&pages, "/docs/q?x", "answer\n");
    set(&pages, "/docs/ask", "10 What?\r\n");
    set(&pages, "/docs/.molly", "[CGIPaths]\n");
    set(&pages, "/docs/sub/", "=> ../a A\n");
    let capsule = capsule(&pages).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = capsule.url("/docs/");
    let first = mirror(root, &["--convert", &url]);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let expected = [
        ".molly",
        "docs/_molly",
        "docs/a",
        "docs/index.gmi",
        "docs/sub/index.gmi",
        "docs/text.txt",
    ];
    assert_eq!(served(root), expected, "{first:?}");
    assert_eq!(file(root, "docs/index.gmi"), front);
    let molly = r#"[MimeOverrides]
"/docs/\\_molly$" = "text/gemini"
"/docs/a$" = "text/gemini"
"/docs/text\\.txt$" = "text/gemini"
[TempRedirects]
[PermRedirects]
"^/docs/old$" = "/docs/a"
"#;
    assert_eq!(file(root, ".molly"), molly);
    // The query, the redirect to elsewhere, the question and the hidden file.
    assert_eq!(last_line(&first), "6 files to serve; 4 not served");

    // Again: what is gone goes, what was edited stays, and nothing else is written.
    let stamp = |name: &str| {
        fs::metadata(root.join("here-served").join(name))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = (stamp("docs/a"), stamp(".molly"));
    let same = mirror(root, &["--convert", "--json", &url]);
    assert!(
        text(&same.stdout).contains("\"files\":6,\"written\":0,"),
        "{same:?}"
    );
    assert_eq!((stamp("docs/a"), stamp(".molly")), before);
    fs::write(root.join("here-served/docs/text.txt"), "my own text\n").unwrap();
    pages.lock().unwrap().remove("/docs/sub/");
    set(&pages, "/docs/old", "now a page\n");
    set(&pages, "/docs/text.txt", "another text\n");
    let second = mirror(root, &["--delete", "--convert", &url]);
    assert!(
        !served(root).contains(&"docs/sub/index.gmi".to_owned()),
        "{second:?}"
    );
    assert_eq!(file(root, "docs/text.txt"), "my own text\n");
    assert_eq!(file(root, "docs/old"), "now a page\n");
    assert!(!file(root, ".molly").contains("/docs/old$\" = \"/docs/a"));
    let said = text(&second.stderr);
    assert!(
        said.contains("docs/text.txt was edited here: it stays"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn copy_never_fills_a_directory_of_others() {
    let hole = Hole::start(|_, here| menu(&["iText\t\terror.host\t1"], here)).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let url = format!("gopher://{}/", hole.address);
    let mine = root.join("mine");
    fs::create_dir(&mine).unwrap();
    fs::write(mine.join("letter"), "mine").unwrap();
    let into = format!("--convert={}", mine.display());
    let output = mirror(root, &[&into, &url]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        text(&output.stderr).contains("contains other files"),
        "{output:?}"
    );
    assert_eq!(files_below(&mine), ["letter"]);
    let into = format!("--convert={}", root.join("new/copy").display());
    let output = mirror(root, &[&into, &url]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(files_below(&root.join("new/copy")), ["gophermap"]);
    for url in ["http://127.0.0.1:1/", "ftp://127.0.0.1:1/"] {
        let output = mirror(root, &["--convert", url]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn charset_is_named_as_the_server_names_it() {
    let names = ["iso-8859-1", "latin1", "us-ascii", "x-unknown"];
    let identity = Identity::self_signed("localhost");
    let capsule = Capsule::start(&identity, move |path| {
        let answer = match path.trim_start_matches('/') {
            "" => {
                "20 text/gemini\r\n".to_owned()
                    + &names.map(|name| format!("=> /{name}\n")).concat()
            }
            "robots.txt" => "51 none\r\n".to_owned(),
            name => format!("20 text/plain; charset={name}\r\nwords\n"),
        };
        (answer.into_bytes(), true)
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let output = mirror(root, &["--convert", &capsule.url("/")]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let molly = file(root, ".molly");
    for name in names {
        let line = format!("\"text/plain; charset={name}\"");
        assert!(molly.contains(&line), "{name}: {molly}");
    }
}
