//! Downloads of whole directories.

use std::fs;
use std::path::{Path, PathBuf};

use geomys_crawl::tree::{DirectoryOrder, TreeSummary, tree};
use geomys_store::transfer::download::Error;
use geomys_store::transfer::records::{DirectoryRecords, MergePolicy};
use geomys_testing::archive::{Archive, Node, ServerBehavior, line, test_octets};
use geomys_wire::net::Net;
use geomys_wire::text::{Charset, CharsetSetting};

use super::{HASTE, save};

/// Every path below a directory, with the sizes of the files.
pub(super) fn below(directory: &Path) -> Vec<(String, Option<u64>)> {
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

async fn fetched(archive: &Archive, into: PathBuf) -> TreeSummary {
    let sources = DirectoryRecords::new(into.with_file_name(".sources"));
    tried(archive, into, &sources, MergePolicy::Ask)
        .await
        .unwrap()
}

async fn tried(
    archive: &Archive,
    into: PathBuf,
    sources: &DirectoryRecords,
    merge: MergePolicy,
) -> Result<TreeSummary, Error> {
    let order = DirectoryOrder {
        merge,
        ..DirectoryOrder::new(save(archive.url("/pub/")), into)
    };
    let net = Net::default();
    Box::pin(tree(&net, order, sources, &HASTE, &mut |_| {})).await
}

#[tokio::test]
async fn tree_is_fetched_once_and_second_run_resumes() {
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
        ("/pub/a", Node::File(test_octets(3000))),
        ("/pub/deep", Node::Directory(deep.concat())),
        ("/pub/deep/b", Node::File(test_octets(100))),
        ("/pub/deep/loop", Node::Link("/pub")),
        ("/pub/empty", Node::Directory(Vec::new())),
        ("/pub/again", Node::Link("/pub/deep")),
        ("/pub/same", Node::Link("/pub/a")),
    ];
    let behavior = ServerBehavior {
        cuts: vec![1000],
        ..ServerBehavior::default()
    };
    let archive = Archive::start(nodes, behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    let first = fetched(&archive, into.clone()).await;
    assert_eq!(
        (first.files, first.directories, first.existing),
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
            "it links to a directory above it",
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
    assert_eq!(fs::read(into.join("a")).unwrap(), test_octets(3000));

    let second = fetched(&archive, into.clone()).await;
    assert_eq!((second.files, second.existing), (0, 3), "{second:?}");
    assert_eq!(below(&into), all);
    let sentence = second.sentence(None);
    assert_eq!(
        sentence,
        "0 files, 3 directories, 0 B; 3 there already; 1 failed"
    );
}

#[tokio::test]
async fn size_0_or_stars_in_a_listing_are_unknown() {
    let listing = [
        line("-rw-r--r--", 0, b"zero"),
        b"-rw-r--r-- 1 ftp ftp ****** Mar 14 1994 stars\r\n".to_vec(),
        line("-rw-r--r--", 0, b"empty"),
    ]
    .concat();
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/zero", Node::File(test_octets(3000))),
        ("/pub/stars", Node::File(test_octets(2000))),
        ("/pub/empty", Node::File(Vec::new())),
    ];
    let behavior = ServerBehavior {
        modified: Some("20261120184501"),
        ..ServerBehavior::default()
    };
    let archive = Archive::start(nodes, behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!((summary.files, summary.failures), (3, 0), "{summary:?}");
    assert_eq!(summary.octets, 5000);
    assert_eq!(fs::read(into.join("zero")).unwrap(), test_octets(3000));
    assert_eq!(fs::read(into.join("stars")).unwrap(), test_octets(2000));
    assert_eq!(fs::read(into.join("empty")).unwrap(), b"");
    // The server is asked for what its listing does not tell.
    for name in ["zero", "stars", "empty"] {
        assert_eq!(archive.command_count(&format!("SIZE {name}")), 1, "{name}");
    }
}

#[tokio::test]
async fn hostile_names_stay_inside_the_target_directory() {
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
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!(
        fs::read_dir(directory.path()).unwrap().count(),
        2,
        "nothing beside it but the record"
    );
    let found = below(&into);
    assert_eq!(summary.files, names.len(), "{summary:?} {found:?}");
    let of = |expected: &str| found.iter().any(|(name, _)| name == expected);
    for name in [
        "evil", "evil (2)", "..\\evil", "...", "café", "esc", "_-rf", ".hidden", "out",
    ] {
        assert!(of(name), "{name}: {found:?}");
    }
}

#[tokio::test]
async fn names_are_decoded_as_their_listing_is() {
    let words = ["Привет.txt", "сказка о рыбаке", "Капитан и дочь.txt"];
    let charset = Charset::named("windows-1251").unwrap();
    let listing: Vec<u8> = words
        .iter()
        .flat_map(|word| line("-rw-r--r--", 1, &charset.encode(word)))
        .collect();
    let paths = words.map(|word| {
        let lossy = String::from_utf8_lossy(&charset.encode(word)).into_owned();
        &*Box::leak(format!("/pub/{lossy}").into_boxed_str())
    });
    let files = paths.map(|path| (path, Node::File(b"x".to_vec())));
    let nodes = files
        .into_iter()
        .chain([("/pub", Node::Directory(listing))]);
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    for (name, setting, expected) in [
        ("detected", CharsetSetting::Detected, "Привет.txt"),
        ("set", CharsetSetting::Set(charset), "Привет.txt"),
        (
            "other",
            CharsetSetting::Set(Charset::default()),
            "Ïðèâåò.txt",
        ),
    ] {
        let into = directory.path().join(name);
        let mut request = save(archive.url("/pub/"));
        request.name_hints.charset = setting;
        let order = DirectoryOrder::new(request, into.clone());
        let sources = DirectoryRecords::new(directory.path().join(".sources"));
        let net = Net::default();
        let summary = Box::pin(tree(&net, order, &sources, &HASTE, &mut |_| {})).await;
        assert_eq!(summary.unwrap().files, words.len());
        assert!(into.join(expected).exists(), "{name}: {:?}", below(&into));
    }
}

#[tokio::test]
async fn few_letters_are_decoded_as_the_directory_above_is() {
    let charset = Charset::named("windows-1251").unwrap();
    let octets = |text: &str| charset.encode(text);
    let lossy = |text: &str| -> &'static str {
        let path = String::from_utf8_lossy(&charset.encode(text)).into_owned();
        Box::leak(path.into_boxed_str())
    };
    let above = ["Документация по серверу.txt", "Обновление программы.txt"];
    let listing = above
        .map(|name| line("-rw-r--r--", 1, &octets(name)))
        .concat();
    let listing = [listing, line("drwxr-xr-x", 0, b"sub")].concat();
    let file = || Node::File(b"x".to_vec());
    let nodes = [
        ("/pub", Node::Directory(listing)),
        (lossy("/pub/Документация по серверу.txt"), file()),
        (lossy("/pub/Обновление программы.txt"), file()),
        (
            "/pub/sub",
            Node::Directory(line("-rw-r--r--", 1, &octets("яя.txt"))),
        ),
        (lossy("/pub/sub/яя.txt"), file()),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!(summary.files, 3, "{summary:?}");
    assert!(into.join("sub/яя.txt").exists(), "{:?}", below(&into));
}

#[tokio::test]
async fn symlink_out_of_the_tree_is_followed_once() {
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
        ("/pub/a", Node::File(test_octets(10))),
        ("/pub/one", Node::Link("/elsewhere")),
        ("/pub/two", Node::Link("/elsewhere")),
        ("/elsewhere", Node::Directory(elsewhere.concat())),
        ("/elsewhere/b", Node::File(test_octets(20))),
        // An entry listed as a directory links to a directory anyway.
        ("/elsewhere/back", Node::Link("/pub")),
        (
            "/elsewhere/below",
            Node::Directory(line("-rw-r--r--", 30, b"c")),
        ),
        ("/elsewhere/below/c", Node::File(test_octets(30))),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("here");
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
async fn directory_loop_is_followed_once() {
    // PWD gives the real place, and the listing does not say that it is a link.
    let inside = || {
        let lines = [line("drwxr-xr-x", 0, b"loop"), line("-rw-r--r--", 10, b"a")];
        lines.concat()
    };
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(inside())),
            ("/pub/a", Node::File(test_octets(10))),
            ("/pub/loop", Node::Link("/pub")),
        ],
        ServerBehavior::default(),
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!((summary.files, summary.directories), (1, 1), "{summary:?}");
    assert!(
        summary.notes[0].contains("links to a directory"),
        "{summary:?}"
    );
    assert_eq!(below(&into), [("a".to_owned(), Some(10))]);
}

#[tokio::test]
async fn colliding_names_are_numbered_fast() {
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
            ("/pub/last", Node::File(test_octets(3))),
        ],
        ServerBehavior::default(),
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    // Only the last can be fetched; the test checks that the download gets there.
    let order = DirectoryOrder::new(save(archive.url("/pub/")), directory.path().join("pub"));
    let sources = DirectoryRecords::new(directory.path().join(".sources"));
    let mut seen = 0;
    let mut steps = |step: &geomys_crawl::tree::TreeProgress| seen = seen.max(step.found);
    let net = Net::default();
    let walking = Box::pin(tree(&net, order, &sources, &HASTE, &mut steps));
    let _ = tokio::time::timeout(std::time::Duration::from_secs(5), walking).await;
    assert_eq!(seen, 20_001, "the names were not through in time");
}

#[tokio::test]
async fn changed_file_of_equal_size_is_noticed() {
    let listing = line("-rw-r--r--", 10, b"a");
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(listing)),
            ("/pub/a", Node::File(test_octets(10))),
        ],
        ServerBehavior {
            modified: Some("20261120184501"),
            ..ServerBehavior::default()
        },
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    assert_eq!(fetched(&archive, into.clone()).await.files, 1);
    let again = fetched(&archive, into.clone()).await;
    assert_eq!((again.files, again.existing), (0, 1), "{again:?}");
    assert_eq!(archive.command_count("RETR"), 1);
    archive.put("/pub/a", b"0123456789");
    archive.change("20261121000000");
    let changed = fetched(&archive, into.clone()).await;
    assert_eq!((changed.files, changed.existing), (1, 0), "{changed:?}");
    // It came from there, and is replaced.
    assert_eq!(changed.updated, 1, "{changed:?}");
    assert_eq!(below(&into), [("a".to_owned(), Some(10))]);
    assert_eq!(fs::read(into.join("a")).unwrap(), b"0123456789");
}

#[tokio::test]
async fn remote_names_cannot_pose_as_partial_files() {
    let listing = [
        line("-rw-r--r--", 3, b"tool.part"),
        line("-rw-r--r--", 3, b"tool.part.geomys"),
    ]
    .concat();
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(listing)),
            ("/pub/tool.part", Node::File(test_octets(3))),
            ("/pub/tool.part.geomys", Node::File(test_octets(3))),
        ],
        ServerBehavior::default(),
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    assert_eq!(fetched(&archive, into.clone()).await.files, 2);
    let names: Vec<String> = below(&into).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["tool.part", "tool.part.geomys_"]);
}

#[tokio::test]
async fn listing_of_bare_names_is_verified_by_nlst() {
    let archive = Archive::start(
        [
            ("/pub", Node::Directory(b"apples\r\ndeep\r\n".to_vec())),
            ("/pub/apples", Node::File(test_octets(3))),
            ("/pub/deep", Node::Directory(Vec::new())),
        ],
        ServerBehavior {
            names: Some("apples\r\ndeep\r\n"),
            ..ServerBehavior::default()
        },
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    let summary = fetched(&archive, into.clone()).await;
    assert_eq!(archive.command_count("NLST"), 1);
    assert_eq!((summary.files, summary.failures), (1, 0), "{summary:?}");
    assert_eq!(below(&into)[0], ("apples".to_owned(), Some(3)));
}

#[tokio::test]
async fn unreadable_listing_is_skipped_and_reported() {
    let archive = Archive::start(
        [("/pub", Node::Directory(b"apples\r\npears\r\n".to_vec()))],
        ServerBehavior::default(),
    )
    .await;
    let directory = tempfile::tempdir().unwrap();
    let summary = fetched(&archive, directory.path().join("pub")).await;
    assert_eq!(archive.command_count("NLST"), 1, "and refused");
    assert_eq!((summary.files, summary.failures), (0, 2), "{summary:?}");
    assert!(
        summary.failed[0].0.as_str().ends_with("/pub/: apples"),
        "{summary:?}"
    );
}

/// A server with one file of this content.
async fn server(octets: &[u8]) -> Archive {
    let listing = line("-rw-r--r--", octets.len(), b"setup.exe");
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/setup.exe", Node::File(octets.to_vec())),
    ];
    Archive::start(nodes, ServerBehavior::default()).await
}

#[tokio::test]
async fn directories_of_two_servers_are_not_merged_without_question() {
    let (ours, theirs) = (server(b"ours").await, server(b"evil").await);
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    let sources = DirectoryRecords::new(directory.path().join(".sources"));
    let first = tried(&ours, into.clone(), &sources, MergePolicy::Ask)
        .await
        .unwrap();
    assert_eq!((first.files, first.existing), (1, 0), "{first:?}");
    let refused = tried(&theirs, into.clone(), &sources, MergePolicy::Ask).await;
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    assert_eq!(theirs.command_count("USER"), 0, "no connection was made");
    // In a directory of its own, or in the same one after the user's choice.
    let beside = sources.destination(&into, &super::url(theirs.url("/pub/")));
    assert_eq!(beside, directory.path().join("pub (2)"));
    let merged = tried(&theirs, into.clone(), &sources, MergePolicy::Allow)
        .await
        .unwrap();
    assert_eq!((merged.files, merged.existing), (1, 0), "{merged:?}");
    assert_eq!(fs::read(into.join("setup.exe")).unwrap(), b"ours");
    assert_eq!(fs::read(into.join("setup (2).exe")).unwrap(), b"evil");
    // Each recognizes its own file, and asks no more.
    for server in [&ours, &theirs] {
        let again = tried(server, into.clone(), &sources, MergePolicy::Ask)
            .await
            .unwrap();
        assert_eq!((again.files, again.existing), (0, 1), "{again:?}");
        let directory = sources.destination(&into, &super::url(server.url("/pub")));
        assert_eq!(directory, into);
    }
}

#[tokio::test]
async fn foreign_directory_is_not_filled_without_question() {
    let ours = server(b"ours").await;
    let directory = tempfile::tempdir().unwrap();
    let into = directory.path().join("pub");
    fs::create_dir(&into).unwrap();
    fs::write(into.join("setup.exe"), b"mine").unwrap();
    let sources = DirectoryRecords::new(directory.path().join(".sources"));
    let refused = tried(&ours, into.clone(), &sources, MergePolicy::Ask).await;
    assert!(matches!(refused, Err(Error::Foreign { .. })), "{refused:?}");
    let merged = tried(&ours, into.clone(), &sources, MergePolicy::Allow)
        .await
        .unwrap();
    assert_eq!(
        (merged.files, merged.existing),
        (1, 0),
        "of the same size: {merged:?}"
    );
    assert_eq!(fs::read(into.join("setup.exe")).unwrap(), b"mine");
}

#[tokio::test]
async fn name_with_line_break_is_skipped_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let from = directory.path().join("from");
    fs::create_dir(&from).unwrap();
    fs::write(from.join("a"), "a").unwrap();
    fs::write(from.join("two\nlines"), "b").unwrap();
    let request = save(format!("file://{}/", from.display()));
    let order = DirectoryOrder::new(request, directory.path().join("to"));
    let sources = DirectoryRecords::new(directory.path().join(".sources"));
    let net = Net::default();
    let summary = Box::pin(tree(&net, order, &sources, &HASTE, &mut |_| {}))
        .await
        .unwrap();
    assert_eq!((summary.files, summary.failures), (1, 1), "{summary:?}");
    assert!(
        summary.failed[0].1.contains("1 name contains a line break"),
        "{summary:?}"
    );
}
