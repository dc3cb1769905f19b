//! Hostile archives: damaged, endless, and with names that lead elsewhere.

use std::cell::Cell;
use std::sync::Arc;

use geomys_load::{
    ArchiveStore, LoadId, Part, Purpose, Question, Reason, Request, Sink, Stop, load,
};
use geomys_page::archive::{UnpackError, Unpacker, segments};
use geomys_page::document::Kind;
use geomys_testing::loading::{kind, texts};
use geomys_testing::sparse_tar;
use geomys_wire::net::{Net, TransferEnd};
use proptest::prelude::*;
use tar::{Builder, EntryType};
use tokio::sync::mpsc;

use super::{LocalFile, TEXT, data, gzipped, header, tarred, url, zipped};

#[tokio::test]
async fn no_name_leads_out_of_the_archive() {
    let archive = tarred([
        (b"../../etc/passwd".as_slice(), b"up".as_slice()),
        (b"/etc/shadow", b"absolute"),
        (b"a/./b//../c", b"inside"),
        (b"..", b"nothing"),
        (b"esc\x1b[2J", b"control"),
        (b"line\nbreak", b"unlisted"),
    ]);
    let file = LocalFile::new("a.tar", &archive);
    let loaded = file.show("").await.whole();
    assert_eq!(texts(&loaded.document()), ["..", "a", "etc", "esc"]);
    assert_eq!(loaded.remarks.len(), 1, "the name with a line break");
    let etc = file.show("#etc/").await.whole().document();
    assert_eq!(texts(&etc), ["..", "passwd", "shadow"]);
    for path in ["#etc/passwd", "#../../etc/passwd", "#%2E%2E/etc/passwd"] {
        assert_eq!(file.show(path).await.whole().octets, b"up", "{path}");
    }
    assert_eq!(file.show("#a/b/c").await.whole().octets, b"inside");
    let saved = file.save("#etc/passwd").await.whole().begin.unwrap();
    assert_eq!(saved.file_name.disposition.unwrap(), b"passwd");
}

#[tokio::test]
async fn links_out_of_the_archive_and_devices_are_listed_and_not_opened() {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, target) in [
        (b"sym".as_slice(), EntryType::Symlink, "/etc/passwd"),
        (b"up", EntryType::Symlink, "../etc/passwd"),
        (b"hard", EntryType::Link, "../../etc/passwd"),
        (b"device", EntryType::Block, ""),
        (b"pipe", EntryType::Fifo, ""),
    ] {
        let mut header = header(name, kind, 0);
        header.set_link_name_literal(target).unwrap();
        header.set_cksum();
        builder.append(&header, std::io::empty()).unwrap();
    }
    let file = LocalFile::new("a.tar", &builder.into_inner().unwrap());
    let listing = file.show("").await.whole().document();
    assert_eq!(kind(&listing, "sym → /etc/passwd"), Kind::Symlink);
    for (fragment, sentence) in [
        ("#sym", "sym is a link to /etc/passwd"),
        ("#sym/x", "sym is a link to /etc/passwd"),
        ("#up", "up is a link to ../etc/passwd"),
        ("#hard", "hard is a link to ../../etc/passwd"),
        ("#device", "device is a device: not opened"),
        ("#pipe", "pipe is a named pipe: not opened"),
    ] {
        assert_eq!(file.show(fragment).await.failure().sentence, sentence);
        assert_eq!(file.save(fragment).await.failure().sentence, sentence);
    }
}

#[tokio::test]
async fn zip_whose_members_share_octets_is_refused() {
    let mut zip = zipped([("a", TEXT), ("b", TEXT)]);
    // The second entry of the directory gets the offset of the first member.
    let second = memchr::memmem::rfind(&zip, b"PK\x01\x02").unwrap();
    zip[second + 42..second + 46].fill(0);
    let file = LocalFile::new("a.zip", &zip);
    for fragment in ["", "#a", "#b"] {
        let failure = file.show(fragment).await.failure();
        assert_eq!(
            failure.sentence, "a.zip is damaged: its members overlap",
            "{fragment}"
        );
    }
}

#[tokio::test]
async fn sparse_member_costs_nothing_and_is_saved_only_if_a_person_agrees() {
    const SIZE: u64 = 6 << 30;
    let sparse = sparse_tar("holes", SIZE);
    let rest = tarred([(b"after".as_slice(), TEXT)]);
    let archive = [&sparse[..1024], &rest].concat();
    let file = LocalFile::new("a.tar", &archive);
    let listing = file.show("").await.whole().document();
    assert_eq!(texts(&listing), ["..", "after", "holes"]);
    assert_eq!(file.save("#after").await.whole().octets, TEXT);
    let saved = file.save("#holes").await;
    assert!(saved.begin.is_none() && saved.octets.is_empty());
    let packed = archive.len() as u64;
    match saved.end {
        Err(Stop::Needs(question @ Question::Unpack { .. })) => assert_eq!(
            question,
            Question::Unpack {
                name: "a.tar".to_owned(),
                packed,
                unpacked: SIZE
            }
        ),
        end => panic!("{end:?}"),
    }
}

#[tokio::test]
async fn members_are_counted_together() {
    const SIZE: u64 = 600 << 20;
    let [one, two] = ["one", "two"].map(|name| sparse_tar(name, SIZE));
    let file = LocalFile::new("a.tar", &[&one[..1024], &two].concat());
    let mut request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(file.url("#one")), Reason::Typed)
    };
    request.settings.archives = Arc::new(ArchiveStore::default());
    let again = Request {
        url: url(file.url("#two")),
        ..request.clone()
    };
    assert!(matches!(saved(request).await, (SIZE, Ok(_))));
    match saved(again.clone()).await {
        (0, Err(Stop::Needs(question))) => assert!(question.unanswered().contains("--yes")),
        end => panic!("{end:?}"),
    }
    let mut agreed = again;
    agreed.consents.unpack = true;
    assert!(matches!(saved(agreed).await, (SIZE, Ok(_))));
}

/// Carries a request out; returns the number of octets and the end.
async fn saved(request: Request) -> (u64, Result<TransferEnd, Stop>) {
    let (sender, mut parts) = mpsc::channel(4);
    let net = Net::default();
    let loading = load(&net, request, Sink::new(LoadId(1), sender));
    let reading = async {
        let mut count = 0;
        while let Some((_, part)) = parts.recv().await {
            match part {
                Part::Octets(octets) => count += octets.len() as u64,
                Part::End(end) => return (count, end),
                _ => {}
            }
        }
        (count, Err(Stop::Closed))
    };
    tokio::join!(loading, reading).1
}

#[tokio::test]
async fn ten_thousand_members_are_listed() {
    let names: Vec<String> = (0..10_000).map(|number| format!("d/{number:05}")).collect();
    let members = || names.iter().map(|name| (name.as_str(), b"x".as_slice()));
    let tar = tarred(members().map(|(name, octets)| (name.as_bytes(), octets)));
    for archive in [gzipped(&tar), zipped(members())] {
        let file = LocalFile::new("a", &archive);
        let listing = file.show("#d/").await.whole().document();
        assert_eq!(listing.count(), 10_001);
        assert_eq!(file.show("#d/09999").await.whole().octets, b"x");
    }
}

#[tokio::test]
async fn what_comes_before_damage_is_shown() {
    let octets = b"a line of text\n".repeat(20_000);
    let packed = gzipped(&octets);
    let cut = LocalFile::new("a.gz", &packed[..packed.len() / 2])
        .show("")
        .await;
    assert!(!cut.octets.is_empty() && octets.starts_with(&cut.octets));
    assert!(cut.failure().sentence.starts_with("a.gz is damaged: "));
    let archive = tarred([(b"a".as_slice(), TEXT), (b"b", &octets)]);
    let cut = LocalFile::new("a.tar", &archive[..archive.len() / 2]);
    let loaded = cut.show("").await;
    assert_eq!(texts(&loaded.document()), ["..", "a", "b"]);
    loaded.failure();
    assert_eq!(cut.show("#a").await.whole().octets, TEXT);
    assert!(matches!(cut.show("#b").await.end, Err(Stop::Failed(_))));
    let zip = zipped([("a", TEXT)]);
    let failure = LocalFile::new("a.zip", &zip[..zip.len() - 30])
        .show("")
        .await
        .failure();
    assert!(
        failure.sentence.starts_with("a.zip is damaged: "),
        "{failure:?}"
    );
    let failure = cut.show("#none").await.failure();
    assert!(
        failure.sentence.starts_with("a.tar is damaged: "),
        "{failure:?}"
    );
}

#[tokio::test]
async fn long_header_takes_no_memory() {
    // A name of 16 MB in a few octets.
    let name = vec![b'n'; 16 << 20];
    let mut builder = Builder::new(Vec::new());
    let long = header(b"././@LongLink", EntryType::GNULongName, name.len() as u64);
    builder.append(&long, name.as_slice()).unwrap();
    let file = LocalFile::new("a.tar.gz", &gzipped(&builder.into_inner().unwrap()));
    let failure = file.show("").await.failure();
    assert_eq!(
        failure.sentence,
        "a.tar.gz is damaged: a header is too long"
    );
}

#[test]
fn archive_in_a_zip_is_not_read_on_when_nobody_waits() {
    // Four megabytes before the wanted file, in a few octets.
    let zeros = vec![0; 4 << 20];
    let tar = tarred([(b"zeros".as_slice(), zeros.as_slice()), (b"last", TEXT)]);
    let zip = zipped([("a.tar", tar.as_slice())]);
    assert!(zip.len() < 16 << 10, "{}", zip.len());
    let count = Cell::new(0);
    let is_closed = move || {
        count.set(count.get() + 1);
        count.get() > 50
    };
    let mut receiver = |_| Ok(());
    let mut unpacker = Unpacker::new(false, &mut receiver, is_closed);
    let end = unpacker.run(&mut zip.as_slice(), b"a.zip", &segments(b"a.tar/last"));
    assert!(matches!(end, Err(UnpackError::Closed)), "{end:?}");
}

/// Samples to be damaged.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let tar = tarred([(b"d/a".as_slice(), TEXT), (b"b", b"two")]);
    vec![
        ("a.tar.gz", gzipped(&tar)),
        ("a.tar", tar),
        ("a.zip", zipped([("d/a", TEXT), ("b", b"two")])),
        ("a.Z", data("numbers-16.Z")),
        ("a.xz", data("numbers.xz")),
        ("a.zst", data("numbers.zst")),
        ("a.zip", data("encrypted.zip")),
        ("a.zip", data("zip64.zip")),
        ("a.tar.gz", data("sparse-1.0.tar.gz")),
        ("a.lzma", data("numbers.lzma")),
        ("a.lz", data("numbers.lz")),
        ("a.lzh", super::formats::lha()),
        ("a.cpio", super::formats::cpio()),
        ("a.rpm", super::formats::rpm()),
        ("a.zip", data("shrunk.zip")),
        (
            "a.a",
            [
                b"!<arch>\n".as_slice(),
                b"a/              0           0     0     100644  4         `\ntext",
            ]
            .concat(),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn damaged_archives_end_without_a_panic(
        sample in 0_usize..16,
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<proptest::sample::Index>(),
    ) {
        let (name, mut octets) = samples().swap_remove(sample);
        for (at, octet) in &changes {
            let at = at.index(octets.len());
            octets[at] = *octet;
        }
        if changes.len() > 3 {
            octets.truncate(cut.index(octets.len()));
        }
        let file = LocalFile::new(name, &octets);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for fragment in ["", "#d/a", "#d/"] {
            let loaded = runtime.block_on(file.show(fragment));
            if let Err(Stop::Failed(failure)) = &loaded.end {
                prop_assert!(!failure.sentence.contains("reader failed"), "{}", failure.sentence);
            }
        }
    }
}
