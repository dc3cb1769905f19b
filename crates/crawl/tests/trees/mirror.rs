//! Mirrors: a second run of the same directory.

use std::fs;
use std::path::Path;

use geomys_crawl::tree::{
    DirectoryOrder, MirrorOptions, NameFilter, RunMode, TreeSummary, VanishedFiles, tree,
};
use geomys_store::transfer::records::DirectoryRecords;
use geomys_testing::archive::{Archive, Node, ServerBehavior, line, test_octets};
use geomys_wire::net::Net;

use super::directories::below;
use super::{HASTE, save};

/// Fetches `/pub/` into the directory `here` below `root`.
async fn mirror(archive: &Archive, root: &Path, options: MirrorOptions) -> TreeSummary {
    let order = DirectoryOrder {
        mirror: options,
        ..DirectoryOrder::new(save(archive.url("/pub/")), root.join("here"))
    };
    let (net, sources) = (Net::default(), DirectoryRecords::new(root.join(".sources")));
    Box::pin(tree(&net, order, &sources, &HASTE, &mut |_| {}))
        .await
        .unwrap()
}

fn deleting(run: RunMode) -> MirrorOptions {
    MirrorOptions {
        vanished: VanishedFiles::Delete,
        run,
        ..MirrorOptions::default()
    }
}

fn names(root: &Path) -> Vec<String> {
    let found = below(&root.join("here"));
    found.into_iter().map(|(name, _)| name).collect()
}

#[tokio::test]
async fn changed_file_is_replaced_and_foreign_files_stay() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let first = mirror(&archive, root, MirrorOptions::default()).await;
    assert_eq!((first.files, first.updated), (3, 0), "{first:?}");
    // A file of the user, whose name the server takes later.
    fs::write(root.join("here/new"), "mine").unwrap();
    let listing = [line("-rw-r--r--", 12, b"a"), line("-rw-r--r--", 1, b"new")].concat();
    archive.put_directory("/pub", &listing);
    archive.put("/pub/a", &test_octets(12));
    archive.put("/pub/new", b"x");
    let second = mirror(&archive, root, MirrorOptions::default()).await;
    assert_eq!((second.files, second.updated), (2, 1), "{second:?}");
    assert_eq!(fs::read(root.join("here/a")).unwrap(), test_octets(12));
    assert_eq!(fs::read(root.join("here/new")).unwrap(), b"mine");
    let expected = ["a", "new", "new (2)", "sub", "sub/b", "sub/c"];
    assert_eq!(names(root), expected, "without --delete nothing goes");
    let third = mirror(&archive, root, MirrorOptions::default()).await;
    assert_eq!((third.files, third.existing), (0, 2), "{third:?}");
}

#[tokio::test]
async fn edited_file_is_kept_beside_its_new_version() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&archive, root, MirrorOptions::default()).await;
    let read = |name: &str| fs::read(root.join("here").join(name)).unwrap();
    for (edits, size) in [("first edit", 12), ("second", 13)] {
        fs::write(root.join("here/a"), edits).unwrap();
        let listing = [
            line("-rw-r--r--", size, b"a"),
            line("drwxr-xr-x", 0, b"sub"),
        ]
        .concat();
        archive.put_directory("/pub", &listing);
        archive.put("/pub/a", &test_octets(size));
        let again = mirror(&archive, root, MirrorOptions::default()).await;
        assert_eq!((again.files, again.updated), (1, 1), "{again:?}");
        assert!(
            again.notes[0].contains("was edited here: kept as"),
            "{again:?}"
        );
        assert_eq!(read("a"), test_octets(size));
    }
    assert_eq!(
        names(root),
        ["a", "a (2)", "a (3)", "sub", "sub/b", "sub/c"]
    );
    assert_eq!(
        (read("a (2)"), read("a (3)")),
        (b"first edit".to_vec(), b"second".to_vec())
    );
    // The new version is not an edited one, and an edited file that has vanished is not deleted.
    fs::write(root.join("here/sub/b"), "edited").unwrap();
    archive.put_directory("/pub", &line("drwxr-xr-x", 0, b"sub"));
    archive.put_directory("/pub/sub", b"");
    let deleted = mirror(&archive, root, deleting(RunMode::Real)).await;
    assert_eq!(deleted.deleted, 2, "{deleted:?}");
    assert!(
        deleted.notes[0].ends_with("b was edited here: not deleted"),
        "{deleted:?}"
    );
    assert_eq!(names(root), ["a (2)", "a (3)", "sub", "sub/b"]);
}

#[tokio::test]
async fn file_becomes_a_directory_and_a_directory_a_file() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&archive, root, MirrorOptions::default()).await;
    // Only Geomys wrote there.
    let swapped = [line("drwxr-xr-x", 0, b"a"), line("-rw-r--r--", 5, b"sub")].concat();
    archive.put_directory("/pub", &swapped);
    archive.put_directory("/pub/a", &line("-rw-r--r--", 3, b"x"));
    archive.put("/pub/a/x", &test_octets(3));
    archive.put("/pub/sub", &test_octets(5));
    let second = mirror(&archive, root, MirrorOptions::default()).await;
    assert_eq!((second.files, second.failures), (2, 0), "{second:?}");
    assert_eq!(names(root), ["a", "a/x", "sub"]);
    assert_eq!(fs::read(root.join("here/sub")).unwrap(), test_octets(5));
    let third = mirror(&archive, root, MirrorOptions::default()).await;
    assert_eq!((third.files, third.existing), (0, 2), "{third:?}");
    // A directory with a file of the user stays, and an edited file is kept beside the directory.
    fs::write(root.join("here/a/mine"), "mine").unwrap();
    fs::write(root.join("here/sub"), "edited").unwrap();
    archive.put_directory(
        "/pub",
        &[line("-rw-r--r--", 10, b"a"), line("drwxr-xr-x", 0, b"sub")].concat(),
    );
    archive.put("/pub/a", &test_octets(10));
    archive.put_directory("/pub/sub", &line("-rw-r--r--", 3, b"b"));
    let fourth = mirror(&archive, root, MirrorOptions::default()).await;
    assert_eq!((fourth.files, fourth.failures), (2, 0), "{fourth:?}");
    assert_eq!(
        names(root),
        ["a", "a (2)", "a/mine", "a/x", "sub", "sub (2)", "sub/b"]
    );
    assert_eq!(fs::read(root.join("here/sub (2)")).unwrap(), b"edited");
}

#[tokio::test]
async fn vanished_files_are_deleted_only_if_they_came_from_there() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&archive, root, MirrorOptions::default()).await;
    fs::write(root.join("here/sub/mine"), "mine").unwrap();
    archive.put_directory("/pub", &line("drwxr-xr-x", 0, b"sub"));
    archive.put_directory("/pub/sub", &line("-rw-r--r--", 3, b"c"));
    let dry = mirror(&archive, root, deleting(RunMode::Dry)).await;
    let path = |name: &str| root.join("here").join(name).display().to_string();
    let expected = [
        format!("delete {}", path("a")),
        format!("delete {}", path("sub/b")),
    ];
    assert_eq!(dry.planned, expected);
    assert_eq!(names(root), ["a", "sub", "sub/b", "sub/c", "sub/mine"]);
    let real = mirror(&archive, root, deleting(RunMode::Real)).await;
    assert_eq!((real.deleted, real.existing), (2, 1), "{real:?}");
    assert_eq!(names(root), ["sub", "sub/c", "sub/mine"]);
    // A file of the user with the name of a deleted one is the user's.
    fs::write(root.join("here/a"), "mine").unwrap();
    let again = mirror(&archive, root, deleting(RunMode::Real)).await;
    assert_eq!(again.deleted, 0, "{again:?}");
    assert_eq!(names(root), ["a", "sub", "sub/c", "sub/mine"]);
}

#[tokio::test]
async fn nothing_is_deleted_when_a_directory_cannot_be_read() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&archive, root, MirrorOptions::default()).await;
    let listing = [
        line("drwxr-xr-x", 0, b"sub"),
        line("drwxr-xr-x", 0, b"gone"),
    ]
    .concat();
    archive.put_directory("/pub", &listing);
    let summary = mirror(&archive, root, deleting(RunMode::Real)).await;
    assert_eq!((summary.failures, summary.deleted), (1, 0), "{summary:?}");
    assert!(
        summary.notes[0].contains("nothing was deleted"),
        "{summary:?}"
    );
    assert_eq!(names(root), ["a", "sub", "sub/b", "sub/c"]);
}

#[tokio::test]
async fn filter_chooses_files_and_protects_the_others_from_deletion() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let filter = |include: &[&str], exclude: &[&str]| {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        MirrorOptions {
            filter: NameFilter {
                include: owned(include),
                exclude: owned(exclude),
            },
            ..deleting(RunMode::Real)
        }
    };
    mirror(&archive, root, filter(&["b"], &[])).await;
    assert_eq!(names(root), ["sub", "sub/b"]);
    mirror(&archive, root, filter(&[], &["sub/"])).await;
    assert_eq!(names(root), ["a", "sub", "sub/b"]);
    let last = mirror(&archive, root, filter(&["?"], &["b"])).await;
    assert_eq!((last.deleted, last.existing), (0, 1), "{last:?}");
    assert_eq!(names(root), ["a", "sub", "sub/b", "sub/c"]);
}

#[tokio::test]
async fn dry_run_writes_nothing() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let dry = mirror(&archive, root, deleting(RunMode::Dry)).await;
    assert_eq!((dry.files, dry.planned.len()), (3, 3), "{dry:?}");
    assert_eq!(fs::read_dir(root).unwrap().count(), 0);
    assert_eq!(archive.command_count("RETR"), 0);
}

#[tokio::test]
async fn link_in_the_place_of_a_new_file_is_skipped_in_both_runs() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&archive, root, MirrorOptions::default()).await;
    std::os::unix::fs::symlink(root, root.join("here/new")).unwrap();
    let listing = [line("-rw-r--r--", 10, b"a"), line("-rw-r--r--", 1, b"new")].concat();
    archive.put_directory("/pub", &listing);
    archive.put("/pub/new", b"x");
    for run in [RunMode::Dry, RunMode::Real] {
        let options = MirrorOptions {
            run,
            ..MirrorOptions::default()
        };
        let summary = mirror(&archive, root, options).await;
        assert_eq!((summary.files, summary.failures), (0, 1), "{summary:?}");
        let (_, why) = &summary.failed[0];
        assert!(why.contains("is a symbolic link"), "{why}");
    }
}

#[tokio::test]
async fn files_of_a_directory_are_fetched_with_few_commands() {
    let count = 20;
    let names: Vec<String> = (0..count).map(|number| format!("f{number:02}")).collect();
    let lines = names
        .iter()
        .flat_map(|name| line("-rw-r--r--", 7, name.as_bytes()));
    let mut nodes = vec![("/pub/deep", Node::Directory(lines.collect()))];
    nodes.push(("/pub", Node::Directory(line("drwxr-xr-x", 0, b"deep"))));
    for name in &names {
        let path = &*Box::leak(format!("/pub/deep/{name}").into_boxed_str());
        nodes.push((path, Node::File(test_octets(7))));
    }
    let behavior = ServerBehavior {
        modified: Some("20261120184501"),
        ..ServerBehavior::default()
    };
    let archive = Archive::start(nodes, behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let summary = mirror(&archive, directory.path(), MirrorOptions::default()).await;
    assert_eq!(summary.files, count, "{summary:?}");
    // MDTM, EPSV and RETR for each file; two logins and two listings.
    assert_eq!(archive.command_count("RETR"), count);
    assert_eq!(archive.command_count("SIZE"), 0);
    let all = archive.command_count("");
    assert!(all <= 3 * count + 30, "{all} commands");
}

#[tokio::test]
async fn more_than_half_of_a_mirror_is_not_deleted() {
    let all: Vec<String> = (0..12).map(|number| format!("f{number}")).collect();
    let listing: Vec<u8> = all
        .iter()
        .flat_map(|name| line("-rw-r--r--", 1, name.as_bytes()))
        .collect();
    let archive = Archive::of_a_tree(10).await;
    archive.put_directory("/pub", &listing);
    for name in &all {
        archive.put(Box::leak(format!("/pub/{name}").into_boxed_str()), b"x");
    }
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    mirror(&archive, root, MirrorOptions::default()).await;
    for (left, expected) in [(5, (0, 1, 12)), (6, (6, 0, 6))] {
        let listing = all
            .iter()
            .take(left)
            .flat_map(|name| line("-rw-r--r--", 1, name.as_bytes()));
        archive.put_directory("/pub", &listing.collect::<Vec<u8>>());
        let run = mirror(&archive, root, deleting(RunMode::Real)).await;
        let counts = (run.deleted, run.failures, names(root).len());
        assert_eq!(counts, expected, "{run:?}");
    }
}

#[tokio::test]
async fn hidden_file_is_not_deleted_by_a_listing_that_lacks_such_names() {
    let archive = Archive::of_a_tree(10).await;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let file = |name: &[u8]| line("-rw-r--r--", 1, name);
    archive.put_directory(
        "/pub",
        &[file(b".htaccess"), file(b"a"), file(b"b")].concat(),
    );
    for path in ["/pub/.htaccess", "/pub/a", "/pub/b"] {
        archive.put(path, b"x");
    }
    let first = mirror(&archive, root, deleting(RunMode::Real)).await;
    assert_eq!((first.files, first.failures), (3, 0), "{first:?}");
    // The server is no Unix: without its names that begin with a dot the listing tells nothing about them.
    archive.put_directory("/pub", &file(b"a"));
    let second = mirror(&archive, root, deleting(RunMode::Real)).await;
    assert_eq!((second.deleted, second.failures), (1, 0), "{second:?}");
    assert_eq!(names(root), [".htaccess", "a"]);
}
