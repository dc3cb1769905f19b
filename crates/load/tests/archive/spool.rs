//! Archives that are unpacked whole: they are read once, and each member is what it is in the archive.

use std::sync::Arc;

use geomys_load::{ArchiveStore, Purpose, Reason, Request};
use geomys_testing::loading::{Loaded, carry_out, texts};
use geomys_wire::net::Net;
use proptest::prelude::*;
use tar::EntryType;

use super::formats::{cpio_with_hard_links, lha_member};
use super::links::linked;
use super::{LocalFile, TEXT, gzipped, tarred, url, zipped};

/// A mirror of an archive.
struct Mirror {
    file: LocalFile,
    archives: Arc<ArchiveStore>,
    /// True if the archive is to be unpacked whole.
    has_spool: bool,
}

impl Mirror {
    fn new(name: &str, octets: &[u8], has_spool: bool) -> Self {
        Self {
            file: LocalFile::new(name, octets),
            archives: Arc::default(),
            has_spool,
        }
    }

    fn request(&self, path: &str) -> Request {
        let mut request = Request {
            purpose: Purpose::Save,
            ..Request::show(url(self.file.url(path)), Reason::Typed)
        };
        request.settings.archives = Arc::clone(&self.archives);
        request
    }

    async fn list(&self, path: &str) -> Loaded {
        let mut request = self.request(path);
        request.save.lists_members = true;
        // The directory of a mirror is created after the first listing.
        let directory = std::env::temp_dir().join("is/not/there");
        request.save.spool_in = Some(directory).filter(|_| self.has_spool);
        carry_out(&Net::default(), request).await
    }

    async fn save(&self, path: &str) -> Loaded {
        carry_out(&Net::default(), self.request(path)).await
    }
}

/// What came: the rows of a listing or the octets of a file, the remarks, and the end.
fn told(loaded: &Loaded, is_listing: bool) -> String {
    let remarks = loaded.remarks.iter().map(|remark| &remark.octets);
    let remarks = format!("{:?}", remarks.collect::<Vec<_>>());
    let end = format!("{:?}", loaded.end).replace(char::is_numeric, "");
    if is_listing && loaded.begin.is_some() {
        return format!("{:?} {remarks} {end}", texts(&loaded.document()));
    }
    format!("{:?} {remarks} {end}", loaded.octets)
}

/// More octets than of an archive that is stored in memory.
const LARGE: usize = 65 << 20;

#[tokio::test]
async fn archive_is_read_once_for_all_members() {
    let large = vec![b'm'; LARGE];
    let names = [
        ("a", TEXT),
        ("d/b", b"other"),
        ("d/e/c", b""),
        ("large", &large),
    ];
    let tar = tarred(names.map(|(name, octets)| (name.as_bytes(), octets)));
    for (name, octets, is_stored) in [("a.tar", tar, false), ("a.zip", zipped(names), true)] {
        let mirror = Mirror::new(name, &octets, true);
        let listing = mirror.list("").await.whole().document();
        assert_eq!(texts(&listing), ["..", "d", "a", "large"]);
        // Nothing else is there to be read.
        std::fs::remove_file(&mirror.file.path).unwrap();
        let listing = mirror.list("#d/").await.whole().document();
        assert_eq!(texts(&listing), ["..", "e", "b"]);
        for (path, content) in names {
            let saved = mirror.save(&format!("#{path}")).await.whole();
            assert!(saved.octets == content, "{name} {path}");
        }
        mirror.archives.forget_spool(&url(mirror.file.url("")));
        // The packed octets are few, and are stored in memory.
        assert_eq!(mirror.save("#large").await.end.is_ok(), is_stored);
    }
}

#[tokio::test]
async fn member_that_is_damaged_fails_alone() {
    let mut zip = zipped([("a", TEXT), ("b", b"other")]);
    let at = zip.windows(TEXT.len()).position(|part| part == TEXT);
    let name = zip.windows(1).position(|part| part == b"a").unwrap();
    // The first octet behind the name of the first member.
    zip[at.unwrap_or(name + 1)] ^= 0x55;
    let mirror = Mirror::new("a.zip", &zip, true);
    mirror.list("").await.whole();
    std::fs::remove_file(&mirror.file.path).unwrap();
    assert_eq!(mirror.save("#b").await.whole().octets, b"other");
    let failure = mirror.save("#a").await.failure();
    assert!(failure.sentence.contains("is damaged"), "{failure:?}");
}

#[tokio::test]
async fn hard_links_of_cpio_and_unknown_compressions_are_those_of_the_archive() {
    let unknown = [
        lha_member(b"-lz9-", b"a", b"octets", b"octets"),
        lha_member(b"-lh0-", b"b", b"other", b"other"),
        vec![0],
    ];
    for (name, octets, paths) in [
        (
            "a.cpio",
            cpio_with_hard_links(),
            &["#first", "#other", "#second", "#third"][..],
        ),
        ("a.lzh", unknown.concat(), &["#a", "#b"]),
    ] {
        let [plain, spooled] = [false, true].map(|has_spool| Mirror::new(name, &octets, has_spool));
        let expected = told(&plain.list("").await, true);
        assert_eq!(told(&spooled.list("").await, true), expected, "{name}");
        for path in paths {
            let expected = told(&plain.save(path).await, false);
            assert_eq!(told(&spooled.save(path).await, false), expected, "{path}");
        }
    }
    let refused = Mirror::new("a.lzh", &unknown.concat(), true);
    refused.list("").await.whole();
    let failure = refused.save("#a").await.failure();
    assert!(failure.sentence.contains("another program"), "{failure:?}");
}

/// Members of a tar, among them newer versions, links, and names that one of the others is above.
fn members() -> impl Strategy<Value = Vec<(&'static str, EntryType, &'static str)>> {
    let names = prop::sample::select(vec!["a", "b", "d", "d/a", "d/b", "d/e/f", "./a", "d/"]);
    let file = (
        Just(EntryType::Regular),
        prop::sample::select(vec!["", "one", "two two"]),
    );
    let targets = prop::sample::select(vec!["a", "b", "d", "d/a", "../a", "e/f", "/etc/x"]);
    let kinds = vec![EntryType::Link, EntryType::Symlink];
    let link = (prop::sample::select(kinds), targets);
    prop::collection::vec((names, prop_oneof![3 => file, 2 => link]), 0..9).prop_map(|all| {
        all.into_iter()
            .map(|(name, (kind, content))| (name, kind, content))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn members_of_a_spool_are_those_of_the_archive(members in members(), is_packed: bool) {
        let octets = members.iter().map(|(name, kind, content)| {
            (name.as_bytes(), *kind, content.as_bytes())
        });
        let tar = linked(&octets.collect::<Vec<_>>());
        let (name, octets) = if is_packed { ("a.tgz", gzipped(&tar)) } else { ("a.tar", tar) };
        let [plain, spooled] = [false, true].map(|has_spool| Mirror::new(name, &octets, has_spool));
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            for path in ["", "#d/", "#d/e/", "#none/"] {
                let expected = told(&plain.list(path).await, true);
                prop_assert_eq!(told(&spooled.list(path).await, true), expected, "{}", path);
            }
            for path in ["a", "b", "d", "d/a", "d/b", "d/e/f", "d/e", "none", "a/b"] {
                let path = format!("#{path}");
                let expected = told(&plain.save(&path).await, false);
                prop_assert_eq!(told(&spooled.save(&path).await, false), expected, "{}", path);
            }
            Ok(())
        })?;
    }
}
