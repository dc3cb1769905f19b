//! Symbolic links on the way to downloaded files: those of the path that the user names are followed, none below it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Output};

use geomys_demo::Demo;
use geomys_testing::warc::read;

use super::site::{Pages, capsule, files_below, mirror, set};
use crate::support::command::text;

/// Replaces a file or a directory of a mirror by a link out of it, and returns the directory that it leads to.
fn link_out(root: &Path, name: &str) -> std::path::PathBuf {
    let (outside, path) = (root.join("outside"), root.join(name));
    fs::create_dir_all(&outside).unwrap();
    if path.is_dir() {
        fs::remove_dir_all(&path).unwrap();
        symlink(&outside, path).unwrap();
    } else {
        fs::remove_file(&path).unwrap();
        fs::write(outside.join("own"), "mine").unwrap();
        symlink(outside.join("own"), path).unwrap();
    }
    outside
}

/// Asserts that a run has skipped a link, named it, failed, and left what is outside as it was.
fn is_skipped(output: &Output, link: &str, outside: &Path, expected: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let is_named = |line: &str| line.contains("skipped") && line.contains(link);
    assert!(said.lines().any(is_named), "{link}: {said}");
    assert_eq!(files_below(outside), expected, "{said}");
    if outside.join("own").exists() {
        assert_eq!(fs::read_to_string(outside.join("own")).unwrap(), "mine");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mirror_of_ftp_writes_through_no_link_below_its_directory() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://{}/pub/", demo.addresses.ftp);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    // The directory that the user names is a link.
    fs::create_dir(root.join("real")).unwrap();
    symlink("real", root.join("here")).unwrap();
    let first = mirror(root, &[&url]);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let all = files_below(&root.join("real"));
    assert!(root.join("here").is_symlink() && all.len() > 3, "{all:?}");
    let again = mirror(root, &[&url]);
    assert_eq!(again.status.code(), Some(0), "{again:?}");
    assert_eq!(files_below(&root.join("real")), all);

    let file = all.iter().find(|name| !name.contains('/')).unwrap();
    let outside = link_out(root, &format!("real/{file}"));
    is_skipped(&mirror(root, &[&url]), file, &outside, &["own"]);
    fs::remove_file(root.join("real").join(file)).unwrap();
    fs::remove_file(outside.join("own")).unwrap();

    let below = all.iter().find_map(|name| name.split_once('/')).unwrap().0;
    let outside = link_out(root, &format!("real/{below}"));
    is_skipped(&mirror(root, &["--delete", &url]), below, &outside, &[]);
}

#[tokio::test(flavor = "multi_thread")]
async fn site_and_its_copy_are_written_through_no_link_below_their_directories() {
    let pages = Pages::default();
    set(&pages, "/", "=> /a.gmi A\n=> /docs/b.gmi B\n");
    set(&pages, "/a.gmi", "a\n");
    set(&pages, "/docs/b.gmi", "b\n");
    let capsule = capsule(&pages).await;
    let url = capsule.url("/");
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let run = || mirror(root, &["--convert", &url]);
    let first = run();
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    set(&pages, "/a.gmi", "another a\n");
    set(&pages, "/docs/b.gmi", "another b\n");

    for (name, link) in [("here/a.gmi", "a.gmi"), ("here/docs", "docs")] {
        let outside = link_out(root, name);
        let expected: &[&str] = if link == "docs" { &[] } else { &["own"] };
        is_skipped(&run(), link, &outside, expected);
        fs::remove_file(root.join(name)).unwrap();
        fs::remove_dir_all(outside).unwrap();
        assert_eq!(run().status.code(), Some(0));
    }
    for (name, link) in [("here-served/a.gmi", "a.gmi"), ("here-served/docs", "docs")] {
        let outside = link_out(root, name);
        let expected: &[&str] = if link == "docs" { &[] } else { &["own"] };
        set(&pages, "/a.gmi", "a third a\n");
        set(&pages, "/docs/b.gmi", "a third b\n");
        is_skipped(&run(), link, &outside, expected);
        fs::remove_file(root.join(name)).unwrap();
        fs::remove_dir_all(outside).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn path_that_the_user_names_may_lead_through_links_and_open_files() {
    let demo = Demo::start().await.unwrap();
    let url = format!("ftp://{}/README", demo.addresses.ftp);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::create_dir(root.join("real")).unwrap();
    symlink("real", root.join("Downloads")).unwrap();
    let run = |shell: &str| {
        let output = Command::new("sh")
            .args(["-c", shell, "sh", env!("CARGO_BIN_EXE_geomys"), &url])
            .current_dir(root)
            .env_clear()
            .env("HOME", root)
            .output()
            .unwrap();
        assert!(output.status.success(), "{shell}: {output:?}");
    };
    run("\"$1\" get -o Downloads/ \"$2\"");
    assert_eq!(files_below(&root.join("real")), ["README"]);
    run("exec 3>piped; \"$1\" get -o /dev/fd/3 \"$2\"");
    let octets = fs::read(root.join("real/README")).unwrap();
    assert_eq!(fs::read(root.join("piped")).unwrap(), octets);
    // The archive and what is written beside it go to the place of the link, too.
    fs::create_dir(root.join("archives")).unwrap();
    fs::write(root.join("archives/a.warc.gz"), "").unwrap();
    symlink("archives/a.warc.gz", root.join("a.warc.gz")).unwrap();
    run("\"$1\" get --warc a.warc.gz \"$2\"");
    run("exec 3<>archives/b.warc.gz; \"$1\" get --warc /dev/fd/3 \"$2\"");
    assert_eq!(
        files_below(&root.join("archives")),
        ["a.warc.gz", "b.warc.gz"]
    );
    assert!(root.join("a.warc.gz").is_symlink());
    for name in ["a.warc.gz", "b.warc.gz"] {
        let records = read(&root.join("archives").join(name));
        let has_file = records.iter().any(|record| record.kind() == "resource");
        assert!(has_file, "{name}");
    }
}
