//! Whole directories.

use std::fs;
use std::path::{Path, PathBuf};

use geomys::files::download::Error;
use geomys::files::sources::{Merge, Sources};
use geomys::files::tree::{Order, Summary, tree};
use geomys::net::Net;

use super::{HASTE, cargo, save};
use crate::support::archive::{Archive, Node, Ways};

/// Every path below a directory, and how many octets the files have.
fn below(directory: &Path) -> Vec<(String, Option<u64>)> {
    let mut found = Vec::new();
    let mut waiting = vec![directory.to_owned()];
    while let Some(at) = waiting.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let entry = entry.unwrap();
            let name = entry
                .path()
                .strip_prefix(directory)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let is = entry.metadata().unwrap();
            if is.is_dir() {
                waiting.push(entry.path());
                found.push((name, None));
            } else {
                found.push((name, Some(is.len())));
            }
        }
    }
    found.sort();
    found
}

async fn fetched(archive: &Archive, into: PathBuf) -> Summary {
    let sources = Sources::new(into.with_file_name(".sources"));
    tried(archive, into, &sources, Merge::Ask).await.unwrap()
}

async fn tried(
    archive: &Archive,
    into: PathBuf,
    sources: &Sources,
    merge: Merge,
) -> Result<Summary, Error> {
    let order = Order {
        merge,
        ..Order::new(save(archive.url("/pub/")), into)
    };
    let net = Net::default();
    Box::pin(tree(&net, order, sources, &HASTE, &mut |_| {})).await
}

fn line(kind: &str, size: usize, name: &[u8]) -> Vec<u8> {
    let mut line = format!("{kind} 1 ftp ftp {size} Mar 14 1994 ").into_bytes();
    line.extend_from_slice(name);
    line.extend_from_slice(b"\r\n");
    line
}

#[tokio::test]
async fn all_of_it_comes_once_and_a_second_run_goes_on() {
    let listing = [
        line("-rw-r--r--", 3000, b"a"),
        line("drwxr-xr-x", 0, b"deep"),
        line("drwxr-xr-x", 0, b"empty"),
        line("lrwxrwxrwx", 4, b"again -> deep"),
        line("lrwxrwxrwx", 2, b"same -> a"),
    ];
    let deep = [
        line("-rw-r--r--", 100, b"b"),
        line("lrwxrwxrwx", 3, b"loop -> /pub"),
        line("-rw-r--r--", 100, b"missing"),
    ];
    let nodes = [
        ("/", Node::Directory(line("drwxr-xr-x", 0, b"pub"))),
        ("/pub", Node::Directory(listing.concat())),
        ("/pub/a", Node::File(cargo(3000))),
        ("/pub/deep", Node::Directory(deep.concat())),
        ("/pub/deep/b", Node::File(cargo(100))),
        ("/pub/deep/loop", Node::Link("/pub")),
        ("/pub/empty", Node::Directory(Vec::new())),
        ("/pub/again", Node::Link("/pub/deep")),
        ("/pub/same", Node::Link("/pub/a")),
    ];
    let ways = Ways {
        cuts: vec![1000],
        ..Ways::default()
    };
    let archive = Archive::start(nodes, ways).await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    let first = fetched(&archive, into.clone()).await;
    assert_eq!(
        (first.files, first.directories, first.there),
        (3, 3, 0),
        "{first:?}"
    );
    assert_eq!(first.octets, 6100);
    assert_eq!(first.failures, 1);
    assert!(
        first.failed[0].0.as_str().ends_with("/pub/deep/missing"),
        "{first:?}"
    );
    assert_eq!(first.notes.len(), 2, "{first:?}");
    for note in &first.notes {
        let why = [
            "it is a directory that was entered already",
            "it leads back to a directory above it",
        ];
        assert!(why.iter().any(|why| note.ends_with(why)), "{note}");
    }
    let all = [
        ("a", Some(3000)),
        ("deep", None),
        ("deep/b", Some(100)),
        ("empty", None),
        ("same", Some(3000)),
    ]
    .map(|(name, size)| (name.to_owned(), size));
    assert_eq!(below(&into), all);
    assert_eq!(fs::read(into.join("a")).unwrap(), cargo(3000));

    let second = fetched(&archive, into.clone()).await;
    assert_eq!((second.files, second.there), (0, 3), "{second:?}");
    assert_eq!(below(&into), all);
    let sentence = second.sentence(None);
    assert_eq!(
        sentence,
        "0 files, 3 directories, 0 B; 3 there already; 1 failed"
    );
}

#[tokio::test]
async fn no_name_leads_out_of_the_place() {
    let names: [&[u8]; 8] = [
        b"../evil",
        b"/etc/evil",
        b"..\\evil",
        b"...",
        b"caf\xe9",
        b"esc\x1b[31m",
        b"-rf",
        b".hidden",
    ];
    let mut listing: Vec<u8> = names
        .iter()
        .flat_map(|name| line("-rw-r--r--", 1, name))
        .collect();
    listing.extend(line("drwxr-xr-x", 0, b"../out"));
    listing.extend(line("drwxr-xr-x", 0, b".."));
    let mut nodes = vec![("/pub", Node::Directory(listing))];
    for path in [
        "/evil",
        "/etc/evil",
        "/pub/../evil",
        "/pub/..\\evil",
        "/pub/...",
        "/pub/caf\u{fffd}",
        "/pub/esc\u{1b}[31m",
        "/pub/-rf",
        "/pub/.hidden",
    ] {
        nodes.push((path, Node::File(b"x".to_vec())));
    }
    nodes.push(("/pub/../out", Node::Directory(Vec::new())));
    let archive = Archive::start(nodes, Ways::default()).await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!(
        fs::read_dir(place.path()).unwrap().count(),
        2,
        "nothing beside it but the record"
    );
    let found = below(&into);
    assert_eq!(summary.files, names.len(), "{summary:?} {found:?}");
    let of = |wanted: &str| found.iter().any(|(name, _)| name == wanted);
    for name in [
        "evil", "evil (2)", "evil (3)", "café", "esc", "rf", "hidden", "unnamed", "out",
    ] {
        assert!(of(name), "{name}: {found:?}");
    }
}

#[tokio::test]
async fn a_link_out_of_the_tree_is_followed_once() {
    let pub_ = [
        line("-rw-r--r--", 10, b"a"),
        line("lrwxrwxrwx", 10, b"one -> /elsewhere"),
        line("lrwxrwxrwx", 10, b"two -> /elsewhere"),
    ];
    let elsewhere = [
        line("-rw-r--r--", 20, b"b"),
        line("drwxr-xr-x", 0, b"back"),
        line("drwxr-xr-x", 0, b"below"),
    ];
    let nodes = [
        ("/pub", Node::Directory(pub_.concat())),
        ("/pub/a", Node::File(cargo(10))),
        ("/pub/one", Node::Link("/elsewhere")),
        ("/pub/two", Node::Link("/elsewhere")),
        ("/elsewhere", Node::Directory(elsewhere.concat())),
        ("/elsewhere/b", Node::File(cargo(20))),
        // What is shown as a directory leads back all the same.
        ("/elsewhere/back", Node::Link("/pub")),
        (
            "/elsewhere/below",
            Node::Directory(line("-rw-r--r--", 30, b"c")),
        ),
        ("/elsewhere/below/c", Node::File(cargo(30))),
    ];
    let archive = Archive::start(nodes, Ways::default()).await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!((summary.files, summary.directories), (3, 3), "{summary:?}");
    assert_eq!(
        (summary.failures, summary.notes.len()),
        (0, 2),
        "{summary:?}"
    );
    let all = [
        ("a", Some(10)),
        ("one", None),
        ("one/b", Some(20)),
        ("one/below", None),
        ("one/below/c", Some(30)),
    ]
    .map(|(name, size)| (name.to_owned(), size));
    assert_eq!(below(&into), all);
}

#[tokio::test]
async fn a_loop_that_looks_like_a_directory_is_gone_round_once() {
    // PWD gives the real place, and the listing does not say that it is a link.
    let inside = || {
        let lines = [line("drwxr-xr-x", 0, b"loop"), line("-rw-r--r--", 10, b"a")];
        lines.concat()
    };
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(inside())),
            ("/pub/a", Node::File(cargo(10))),
            ("/pub/loop", Node::Link("/pub")),
        ],
        Ways::default(),
    )
    .await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("pub");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!((summary.files, summary.directories), (1, 1), "{summary:?}");
    assert!(summary.notes[0].contains("leads back"), "{summary:?}");
    assert_eq!(below(&into), [("a".to_owned(), Some(10))]);
}

#[tokio::test]
async fn thousands_of_names_that_come_to_one_are_numbered_in_no_time() {
    let listing: Vec<u8> = (0..20_000_u32)
        .flat_map(|number| {
            // Control characters are left out of names here.
            let name: Vec<u8> = (0..15)
                .map(|bit| if number >> bit & 1 == 0 { 1 } else { 2 })
                .chain(*b"a")
                .collect();
            line("-rw-r--r--", 1, &name)
        })
        .chain(line("-rw-r--r--", 3, b"last"))
        .collect();
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(listing)),
            ("/pub/last", Node::File(cargo(3))),
        ],
        Ways::default(),
    )
    .await;
    let place = tempfile::tempdir().unwrap();
    // None of them can be fetched but the last; what is held here is that it comes to that.
    let order = Order::new(save(archive.url("/pub/")), place.path().join("pub"));
    let sources = Sources::new(place.path().join(".sources"));
    let mut seen = 0;
    let mut steps = |step: &geomys::files::tree::Step| seen = seen.max(step.found);
    let net = Net::default();
    let walking = Box::pin(tree(&net, order, &sources, &HASTE, &mut steps));
    let _ = tokio::time::timeout(std::time::Duration::from_secs(5), walking).await;
    assert_eq!(seen, 20_001, "the names were not through in time");
}

#[tokio::test]
async fn a_file_that_has_changed_without_a_change_of_size_is_noticed() {
    let listing = line("-rw-r--r--", 10, b"a");
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(listing)),
            ("/pub/a", Node::File(cargo(10))),
        ],
        Ways {
            modified: Some("20261120184501"),
            ..Ways::default()
        },
    )
    .await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("pub");
    assert_eq!(fetched(&archive, into.clone()).await.files, 1);
    let again = fetched(&archive, into.clone()).await;
    assert_eq!((again.files, again.there), (0, 1), "{again:?}");
    assert_eq!(archive.heard("RETR"), 1);
    archive.put("/pub/a", b"0123456789");
    archive.change("20261121000000");
    let changed = fetched(&archive, into.clone()).await;
    assert_eq!((changed.files, changed.there), (1, 0), "{changed:?}");
    // Nothing is written over, and it is said where it is.
    assert!(changed.notes[0].contains("a (2)"), "{changed:?}");
    assert_eq!(fs::read(into.join("a (2)")).unwrap(), b"0123456789");
}

#[tokio::test]
async fn no_server_says_whose_octets_a_part_holds() {
    let listing = [
        line("-rw-r--r--", 3, b"tool.part"),
        line("-rw-r--r--", 3, b"tool.part.geomys"),
    ]
    .concat();
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(listing)),
            ("/pub/tool.part", Node::File(cargo(3))),
            ("/pub/tool.part.geomys", Node::File(cargo(3))),
        ],
        Ways::default(),
    )
    .await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("pub");
    assert_eq!(fetched(&archive, into.clone()).await.files, 2);
    let names: Vec<String> = below(&into).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["tool.part", "tool.part.geomys_"]);
}

#[tokio::test]
async fn listing_of_bare_names_is_asked_for_by_nlst() {
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(b"apples\r\ndeep\r\n".to_vec())),
            ("/pub/apples", Node::File(cargo(3))),
            ("/pub/deep", Node::Directory(Vec::new())),
        ],
        Ways {
            names: Some("apples\r\ndeep\r\n"),
            ..Ways::default()
        },
    )
    .await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("pub");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!(archive.heard("NLST"), 1);
    assert_eq!((summary.files, summary.failures), (1, 0), "{summary:?}");
    assert_eq!(below(&into)[0], ("apples".to_owned(), Some(3)));
}

#[tokio::test]
async fn listing_that_cannot_be_read_is_left_out_and_told() {
    let archive = Archive::start(
        [("/pub", Node::Directory(b"apples\r\npears\r\n".to_vec()))],
        Ways::default(),
    )
    .await;
    let place = tempfile::tempdir().unwrap();
    let summary = fetched(&archive, place.path().join("pub")).await;
    assert_eq!(archive.heard("NLST"), 1, "and refused");
    assert_eq!((summary.files, summary.failures), (0, 2), "{summary:?}");
    assert!(
        summary.failed[0].0.as_str().ends_with("/pub/: apples"),
        "{summary:?}"
    );
}

/// A server that has one file, and what is in it.
async fn server(octets: &[u8]) -> Archive {
    let listing = line("-rw-r--r--", octets.len(), b"setup.exe");
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/setup.exe", Node::File(octets.to_vec())),
    ];
    Archive::start(nodes, Ways::default()).await
}

#[tokio::test]
async fn directories_of_two_places_are_not_merged_unasked() {
    let (ours, theirs) = (server(b"ours").await, server(b"evil").await);
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("pub");
    let sources = Sources::new(place.path().join(".sources"));
    let first = tried(&ours, into.clone(), &sources, Merge::Ask)
        .await
        .unwrap();
    assert_eq!((first.files, first.there), (1, 0), "{first:?}");
    let refused = tried(&theirs, into.clone(), &sources, Merge::Ask).await;
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    assert_eq!(theirs.heard("USER"), 0, "nobody was asked");
    // In a directory of its own, and in the same one when that is wanted.
    let beside = sources.destination(&into, &super::url(theirs.url("/pub/")));
    assert_eq!(beside, place.path().join("pub (2)"));
    let merged = tried(&theirs, into.clone(), &sources, Merge::Agreed)
        .await
        .unwrap();
    assert_eq!((merged.files, merged.there), (1, 0), "{merged:?}");
    assert_eq!(fs::read(into.join("setup.exe")).unwrap(), b"ours");
    assert_eq!(fs::read(into.join("setup (2).exe")).unwrap(), b"evil");
    // Each of them knows its own file again, and asks no more.
    for server in [&ours, &theirs] {
        let again = tried(server, into.clone(), &sources, Merge::Ask)
            .await
            .unwrap();
        assert_eq!((again.files, again.there), (0, 1), "{again:?}");
        let place = sources.destination(&into, &super::url(server.url("/pub")));
        assert_eq!(place, into);
    }
}

#[tokio::test]
async fn directory_that_nobody_downloaded_is_not_filled_unasked() {
    let ours = server(b"ours").await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("pub");
    fs::create_dir(&into).unwrap();
    fs::write(into.join("setup.exe"), b"mine").unwrap();
    let sources = Sources::new(place.path().join(".sources"));
    let refused = tried(&ours, into.clone(), &sources, Merge::Ask).await;
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    let merged = tried(&ours, into.clone(), &sources, Merge::Agreed)
        .await
        .unwrap();
    assert_eq!(
        (merged.files, merged.there),
        (1, 0),
        "of the same size: {merged:?}"
    );
    assert_eq!(fs::read(into.join("setup.exe")).unwrap(), b"mine");
}

#[tokio::test]
async fn name_that_no_listing_can_hold_is_left_out_and_told() {
    let place = tempfile::tempdir().unwrap();
    let from = place.path().join("from");
    fs::create_dir(&from).unwrap();
    fs::write(from.join("a"), "a").unwrap();
    fs::write(from.join("two\nlines"), "b").unwrap();
    let request = save(format!("file://{}/", from.display()));
    let order = Order::new(request, place.path().join("to"));
    let sources = Sources::new(place.path().join(".sources"));
    let net = Net::default();
    let summary = Box::pin(tree(&net, order, &sources, &HASTE, &mut |_| {}))
        .await
        .unwrap();
    assert_eq!((summary.files, summary.failures), (1, 1), "{summary:?}");
    assert!(
        summary.failed[0].1.contains("1 name holds a line break"),
        "{summary:?}"
    );
}
