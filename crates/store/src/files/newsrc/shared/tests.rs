//! Changes here, and another newsreader that writes its view of the file back.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

fn read(number: u64) -> MarkChange {
    MarkChange::Read(ArticleNumbers::range(number, number))
}

/// A file that both programs write.
struct TestFile {
    _directory: TempDir,
    path: PathBuf,
    ours: SharedNewsrc,
}

impl TestFile {
    fn new(content: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(".newsrc");
        fs::write(&path, content).unwrap();
        Self {
            ours: SharedNewsrc::new(&path),
            path,
            _directory: directory,
        }
    }

    /// Writes the file as the other program.
    fn theirs(&self, content: &str) {
        fs::write(&self.path, content).unwrap();
    }

    /// Changes the group `g` here, and returns the file.
    fn change(&mut self, changes: impl IntoIterator<Item = MarkChange>) -> String {
        let changes = changes.into_iter().map(|change| (b"g".to_vec(), change));
        self.ours.change(&changes.collect::<Vec<_>>()).unwrap();
        self.content()
    }

    fn merge(&mut self) -> String {
        self.ours.merge().unwrap();
        self.content()
    }

    fn content(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

#[test]
fn change_of_another_newsreader_is_preserved() {
    let mut file = TestFile::new("");
    file.change([read(1)]);
    file.theirs("x.y: 1-9\r\ng: 1\r\n");
    assert_eq!(file.change([read(2)]), "x.y: 1-9\r\ng: 1-2\r\n");
}

#[test]
fn first_change_keeps_a_private_backup() {
    use std::os::unix::fs::PermissionsExt;
    let mut file = TestFile::new("");
    let backup = file.path.with_file_name(".newsrc.geomys-backup");
    file.change([read(1)]);
    assert!(!backup.exists(), "there was nothing to keep");
    // A new session.
    file.ours = SharedNewsrc::new(&file.path);
    file.change([read(2)]);
    file.change([read(3)]);
    assert_eq!(fs::read_to_string(&backup).unwrap(), "g! 1\n");
    assert_eq!(file.content(), "g! 1-3\n");
    let mode = fs::metadata(&backup).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn marks_survive_an_old_view_that_is_written_back() {
    let mut file = TestFile::new("g: 1-3\nother: 1\n");
    assert_eq!(
        file.change([read(18), read(20)]),
        "g: 1-3,18,20\nother: 1\n"
    );
    file.theirs("g: 1-3,16\nother: 1-2\n");
    assert_eq!(file.change([read(22)]), "g: 1-3,16,18,20,22\nother: 1-2\n");
    // The same view again, and at the end without another change.
    file.theirs("g: 1-3,16-17\nother: 1-2\n");
    assert_eq!(file.merge(), "g: 1-3,16-18,20,22\nother: 1-2\n");
    // Nothing is written where nothing is missing.
    let before = fs::metadata(&file.path).unwrap().modified().unwrap();
    file.merge();
    assert_eq!(
        fs::metadata(&file.path).unwrap().modified().unwrap(),
        before
    );
}

#[test]
fn unread_marks_and_subscriptions_survive_an_old_view_too() {
    let mut file = TestFile::new("g! 1-9\n");
    file.change([MarkChange::Unread(ArticleNumbers::range(4, 5))]);
    file.change([MarkChange::Subscribe(true)]);
    file.theirs("g! 1-10\n");
    assert_eq!(file.merge(), "g: 1-3,6-10\n");
    file.change([MarkChange::Reset]);
    file.theirs("g: 1-3,6-11\n");
    assert_eq!(file.merge(), "g: 11\n");
    // A group that the other program does not know.
    let new = [(b"new".to_vec(), read(7))];
    file.ours.change(&new).unwrap();
    file.theirs("g: 11-12\n");
    assert_eq!(file.merge(), "g: 11-12\nnew! 7\n");
}

#[test]
fn what_another_newsreader_takes_away_stays_away() {
    // It has read all marks of here, and takes one of them away.
    let mut file = TestFile::new("g: 1-3\n");
    file.change([read(18), read(20), MarkChange::Subscribe(true)]);
    file.theirs("g: 1-3,18\n");
    assert_eq!(file.change([read(22)]), "g: 1-3,18,22\n");
    // It has written them itself, so that it has seen them, and takes all away.
    file.theirs("g: 1-3,16,18,22\n");
    assert_eq!(file.change([read(24)]), "g: 1-3,16,18,22,24\n");
    file.theirs("g: 1-3\n");
    assert_eq!(file.merge(), "g: 1-3,24\n");
    // It unsubscribes, and marks a range unread.
    file.change([MarkChange::Read(ArticleNumbers::range(4, 100))]);
    file.theirs("g! 1-50\n");
    assert_eq!(file.merge(), "g! 1-50\n");
}

#[test]
fn what_the_user_takes_away_stays_away() {
    let mut file = TestFile::new("g: 1-3\n");
    file.change([read(18), read(20)]);
    file.change([MarkChange::Unread(ArticleNumbers::range(18, 18))]);
    file.theirs("g: 1-3,16\n");
    assert_eq!(file.merge(), "g: 1-3,16,20\n");
}

#[test]
fn many_versions_are_bounded_and_the_first_one_stays() {
    let mut file = TestFile::new("g:\n");
    for number in 1..=300 {
        file.change([read(2 * number)]);
    }
    assert!(file.ours.versions.0.len() <= MAX_VERSIONS);
    file.theirs("g: 1\n");
    let all =
        ArticleNumbers::parse(file.merge().trim_start_matches("g:").trim().as_bytes()).unwrap();
    assert_eq!(all.count(1, 1000), 301);
}

/// A change of one mark, far from those of the other program.
fn own_change() -> impl Strategy<Value = (u8, u64, bool)> {
    (0..3_u8, 0..30_u64, any::<bool>())
        .prop_map(|(group, number, is_read)| (group, 1000 + 2 * number, is_read))
}

proptest! {
    /// The other program has read the file once, at any time, and only adds marks: every change here from that time on
    /// survives each of its writes, and nothing else is changed.
    #[test]
    fn changes_after_the_read_of_another_program_survive(
        before in proptest::collection::vec(own_change(), 0..8),
        rounds in proptest::collection::vec(
            (proptest::collection::vec(own_change(), 0..8), proptest::collection::vec((0..3_u8, 0..400_u64), 0..4)),
            1..4,
        ),
    ) {
        let mut file = TestFile::new("a: 1-3\nb! 2\n");
        let name = |group: u8| vec![b'a' + group];
        let change = |number, is_read| {
            let numbers = ArticleNumbers::range(number, number);
            if is_read { MarkChange::Read(numbers) } else { MarkChange::Unread(numbers) }
        };
        for (group, number, is_read) in before {
            file.ours.change(&[(name(group), change(number, is_read))]).unwrap();
        }
        let start = file.content();
        let mut theirs = Newsrc::parse(start.as_bytes());
        let mut expected = theirs.clone();
        // A program that reads the file as it was written by nobody else starts a new memory.
        if file.ours.written.is_some() {
            file.theirs(&format!("{start}# seen\n"));
            theirs = Newsrc::load(&file.path).unwrap();
            file.merge();
        }
        for (own, added) in rounds {
            for (group, number, is_read) in own {
                expected.apply(&name(group), &change(number, is_read));
                file.ours.change(&[(name(group), change(number, is_read))]).unwrap();
            }
            for (group, number) in added {
                let read = read(2 * number);
                theirs.apply(&name(group), &read);
                expected.apply(&name(group), &read);
            }
            file.theirs(&String::from_utf8(theirs.octets()).unwrap());
            file.merge();
            let merged = Newsrc::load(&file.path).unwrap();
            for group in 0..3 {
                let read = |newsrc: &Newsrc| newsrc.marks().read(&name(group)).to_string();
                prop_assert_eq!(read(&merged), read(&expected));
            }
        }
    }
}
