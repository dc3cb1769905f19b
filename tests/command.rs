//! The command line, run as a person would.

use geomys::demo::Demo;

use crate::support::command::{geomys, text, unread};

#[test]
fn url_tells_the_parts_or_points_at_the_fault() {
    let output = geomys(
        &[
            "url",
            "ftp://ada:secret@ftp.example.org/pub/a%20b;type=i",
            "gopher://bad_host/1/x",
        ],
        "",
    );
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("url", text(&output.stdout));
    let output = geomys(&["url"], "<URL:news:*>\n\nftp://\u{e9}/\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).starts_with("news:*\n"), "{output:?}");
    let output = geomys(&["url", "gopher://h/"], "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn bookmarks_are_listed_and_added() {
    let directory = tempfile::tempdir().unwrap();
    let config = directory.path().to_str().unwrap();
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = ["--config", config, "bookmarks"]
            .iter()
            .chain(arguments)
            .copied()
            .collect();
        geomys(&all, "")
    };
    let path = run(&["path"]);
    assert_eq!(
        text(&path.stdout).trim_end(),
        directory.path().join("bookmarks.txt").to_str().unwrap()
    );
    let listed = run(&["list"]);
    assert!(
        text(&listed.stdout)
            .starts_with("Floodgap Systems\tgopher://gopher.floodgap.com/\tGopher\t#start\n")
    );
    assert!(!directory.path().join("bookmarks.txt").exists());
    let added = run(&[
        "add",
        "gopher://h/",
        "--title",
        "A hole",
        "--folder",
        "Mine",
        "--tag",
        "new",
    ]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let added = run(&["add", "Another <URL:ftp://h/;type=d> #x"]);
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let listed = text(&run(&["list"]).stdout);
    assert!(
        listed.contains("A hole\tgopher://h/\tMine\t#new\n"),
        "{listed}"
    );
    assert!(
        listed.ends_with("Another\tftp://h/;type=d\tMine\t#x\n"),
        "{listed}"
    );
    let refused = run(&["add", "gopher://bad~host/"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains('^'), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn dump_prints_a_page_and_get_saves_a_file() {
    let demo = Demo::start().await.unwrap();
    let gopher = demo.gopher();
    let output = geomys(
        &["dump", &format!("gopher://{gopher}/1/library"), "--links"],
        "",
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    insta::assert_snapshot!(
        "dump",
        text(&output.stdout).replace(&gopher.to_string(), "HOST:PORT")
    );

    let missing = geomys(
        &["dump", &format!("gopher://{gopher}/9/gallery/seeds.bin")],
        "",
    );
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing.stderr).contains("geomys get"), "{missing:?}");

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("seeds");
    let url = format!("gopher://{gopher}/9/gallery/seeds.bin");
    let saved = geomys(&["get", &url, "-o", file.to_str().unwrap()], "");
    assert_eq!(saved.status.code(), Some(0), "{saved:?}");
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(std::fs::read(&file).unwrap(), all);
    assert_eq!(geomys(&["get", &url, "-o", "-"], "").stdout, all);
    let into = format!("{}/", directory.path().join("in").display());
    let saved = geomys(&["get", &url, "-o", &into], "");
    assert_eq!(saved.status.code(), Some(0), "{saved:?}");
    assert_eq!(std::fs::read(format!("{into}seeds.bin")).unwrap(), all);
    let search = geomys(&["dump", &format!("gopher://{gopher}/7/search")], "");
    assert_eq!(search.status.code(), Some(1));
    assert!(text(&search.stderr).contains("needs words"), "{search:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_has_seen_enough_is_no_failure() {
    let demo = Demo::start().await.unwrap();
    let page = format!("gopher://{}/1/library", demo.gopher());
    let file = format!("gopher://{}/9/gallery/seeds.bin", demo.gopher());
    let config = tempfile::tempdir().unwrap();
    for arguments in [
        &["url", &page] as &[&str],
        &["dump", &page],
        &["dump", &page, "--raw"],
        &["get", &file, "-o", "-"],
        &[
            "--config",
            config.path().to_str().unwrap(),
            "bookmarks",
            "list",
        ],
    ] {
        let output = unread(arguments);
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

#[test]
fn a_wrong_command_line_is_two_and_a_failure_is_one() {
    assert_eq!(geomys(&["--no-such-option"], "").status.code(), Some(2));
    assert_eq!(
        geomys(&["dump", "gopher://127.0.0.1:1/"], "").status.code(),
        Some(1)
    );
    assert_eq!(
        geomys(&["dump", "not a url at all"], "").status.code(),
        Some(1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn gopher_plus_and_phone_books_are_for_scripts_too() {
    let demo = Demo::start().await.unwrap();
    let (gopher, phone) = (demo.gopher(), demo.phone());
    let dump = |address: String| async move {
        let run = tokio::task::spawn_blocking(move || geomys(&["dump", &address], ""));
        let output = run.await.unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let rules = format!("gopher://{gopher}/0/library/rules.txt");
    let (code, out, _) = dump(format!("{rules}%09%09+text/plain%20De_DE")).await;
    assert_eq!(code, Some(0));
    assert!(out.starts_with("REGELN DER BÜCHEREI\n"), "{out}");
    let (code, out, _) = dump(format!("{rules}%09%09!")).await;
    assert_eq!(code, Some(0));
    assert!(
        out.contains("Bursarius <postmaster@underloam.example>"),
        "{out}"
    );
    let (code, _, err) = dump(format!("gopher://{gopher}/0/library/old-rules.txt%09%09+")).await;
    assert_eq!(code, Some(1));
    assert!(
        err.contains(&format!("it has moved (error 3); now {rules}\n")),
        "{err}"
    );
    // Whoever writes a filled form has seen it.
    let form = format!("gopher://{gopher}/0/post/telegram%09%09");
    let filled = "+%091%0D%0A+-1%0D%0ABotta%0D%0Ax%0D%0A0%0D%0A1%0D%0A0%0D%0AThe%20dry%20one%0D%0A%0D%0A.%0D%0A";
    let (code, out, _) = dump(format!("{form}{filled}")).await;
    assert_eq!(code, Some(0));
    assert!(out.contains("    The dry one\n"), "{out}");
    let (code, _, err) = dump(format!("{form}?")).await;
    assert_eq!(code, Some(1));
    assert!(err.contains("a form must be filled first"), "{err}");
    let (code, out, _) = dump(format!("gopher://{phone}/2%09dibble%20return%20email")).await;
    assert_eq!(code, Some(0));
    assert_eq!(out, "email        dibble@underloam.example\n");
    let (code, _, err) = dump(format!("gopher://{phone}/2%09nobody")).await;
    assert_eq!(code, Some(1));
    assert!(err.contains("knows nobody like that (501)"), "{err}");
}
