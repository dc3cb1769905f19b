use std::os::unix::fs::PermissionsExt;

use proptest::prelude::*;

use super::*;

fn url(text: &str) -> Url {
    Url::accept(text).unwrap()
}

struct SourcesFixture {
    root: tempfile::TempDir,
    sources: Sources,
}

impl SourcesFixture {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let sources = Sources::new(root.path().join("data/sources"));
        Self { root, sources }
    }

    /// Creates a directory with a file in it.
    fn filled(&self, name: &str) -> PathBuf {
        let path = self.root.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("x"), "x").unwrap();
        path
    }
}

#[test]
fn directory_is_found_by_its_source_url() {
    let fixture = SourcesFixture::new();
    let (a, b) = (url("ftp://a.example/pub/"), url("ftp://b.example/pub/"));
    let base = fixture.root.path().join("pub-1.0");
    assert_eq!(fixture.sources.destination(&base, &a), base);
    fs::create_dir(&base).unwrap();
    let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
    fs::write(base.join("x"), "x").unwrap();
    record
        .add(Path::new("x"), &url("ftp://ada:secret@a.example/pub/x"))
        .unwrap();
    assert!(matches!(
        fixture.sources.open(&base, &a, MergePolicy::Ask),
        Err(Error::Busy)
    ));
    drop(record);
    let record = fixture
        .sources
        .open(&base, &url("ftp://a.example/pub;type=d"), MergePolicy::Ask);
    let record = record.unwrap();
    let paths = record.paths(&url("ftp://ada@a.example/pub/x"));
    assert_eq!(paths, [fs::canonicalize(base.join("x")).unwrap()]);
    assert!(record.paths(&url("ftp://b.example/pub/x")).is_empty());
    drop(record);
    // The directory of another URL is next to it.
    let second = fixture.root.path().join("pub-1.0 (2)");
    assert_eq!(fixture.sources.destination(&base, &a), base);
    assert_eq!(fixture.sources.destination(&base, &b), second);
    assert!(matches!(
        fixture.sources.open(&base, &b, MergePolicy::Ask),
        Err(Error::Foreign)
    ));
    fixture.sources.open(&base, &b, MergePolicy::Allow).unwrap();
    fixture.sources.open(&base, &b, MergePolicy::Ask).unwrap();
    let written = fs::read_dir(fixture.root.path().join("data/sources")).unwrap();
    for entry in written {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        assert!(!text.contains("secret"), "{text}");
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn directory_without_a_record_is_foreign_unless_it_is_empty() {
    let fixture = SourcesFixture::new();
    let a = url("ftp://a.example/pub/");
    let mine = fixture.filled("mine");
    assert!(matches!(
        fixture.sources.check(&mine, &a, MergePolicy::Ask),
        Err(Error::Foreign)
    ));
    assert!(matches!(
        fixture.sources.open(&mine, &a, MergePolicy::Ask),
        Err(Error::Foreign)
    ));
    fs::remove_file(mine.join("x")).unwrap();
    fixture.sources.check(&mine, &a, MergePolicy::Ask).unwrap();
    fixture
        .sources
        .check(&fixture.root.path().join("new"), &a, MergePolicy::Ask)
        .unwrap();
}

#[test]
fn line_that_was_cut_by_a_crash_counts_as_nothing() {
    let fixture = SourcesFixture::new();
    let (a, base) = (url("ftp://a.example/pub/"), fixture.root.path().join("pub"));
    fs::create_dir(&base).unwrap();
    let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
    fs::write(base.join("x"), "x").unwrap();
    record
        .add(Path::new("x"), &url("ftp://a.example/pub/x"))
        .unwrap();
    record
        .file
        .write_all(b"file ftp://a.example/pub/y yes-and-n")
        .unwrap();
    drop(record);
    let mut record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
    record
        .add(Path::new("z"), &url("ftp://a.example/pub/z"))
        .unwrap();
    drop(record);
    let record = fixture.sources.open(&base, &a, MergePolicy::Ask).unwrap();
    for (name, count) in [("x", 1), ("y", 0), ("z", 1)] {
        let from = url(&format!("ftp://a.example/pub/{name}"));
        assert_eq!(record.paths(&from).len(), count, "{name}");
    }
}

proptest! {
    #[test]
    fn no_record_makes_it_stumble(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
        let record = [HEAD, b"path /a\n", octets.as_slice()].concat();
        let _ = ParsedRecord::parse(&record, Path::new("/a"));
        let _ = ParsedRecord::parse(&octets, Path::new("/a"));
    }
}
