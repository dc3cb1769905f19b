//! Downloads to a name that is taken.

use std::fs;
use std::path::Path;

use geomys_store::transfer::download::{DownloadOrder, Error, SavedFile, TakenName};
use geomys_store::transfer::retry::transfer;
use geomys_testing::archive::{Archive, ServerBehavior, test_octets};
use geomys_testing::names;
use geomys_wire::net::Net;

use super::{HASTE, save};

async fn fetched(archive: &Archive, policy: TakenName, path: &Path) -> Result<SavedFile, Error> {
    let order = DownloadOrder::new(save(archive.url("/a")), policy.target(path.to_owned()));
    transfer(&Net::default(), order, &HASTE, &mut |_| {}).await
}

#[tokio::test]
async fn policies_for_a_taken_name_keep_what_they_say() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    for (policy, expected) in [
        (TakenName::Rename, &["a", "a (2)"][..]),
        (TakenName::Skip, &["a"]),
        (TakenName::Resume, &["a", "a (2)"]),
        (TakenName::Overwrite, &["a"]),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, "another file").unwrap();
        let saved = fetched(&archive, policy, &path).await;
        assert_eq!(names(directory.path()), expected, "{policy:?}");
        let is_overwritten = fs::read(&path).unwrap() == test_octets(50_000);
        assert_eq!(is_overwritten, policy == TakenName::Overwrite, "{policy:?}");
        match policy {
            TakenName::Skip => assert!(matches!(saved, Err(Error::AlreadyComplete)), "{saved:?}"),
            _ => assert_eq!(fs::read(saved.unwrap().path).unwrap(), test_octets(50_000)),
        }
    }
}

#[tokio::test]
async fn file_of_another_program_is_resumed_if_it_is_the_beginning() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    for length in [20_000, 50_000] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, test_octets(length)).unwrap();
        let saved = fetched(&archive, TakenName::Resume, &path).await.unwrap();
        assert_eq!((saved.path, saved.octets), (path.clone(), 50_000));
        assert_eq!(fs::read(&path).unwrap(), test_octets(50_000));
        assert_eq!(names(directory.path()), ["a"]);
    }
    // Another file of the same name is not touched, though its end is requested first.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    let other: Vec<u8> = test_octets(20_000).iter().map(|octet| octet ^ 1).collect();
    fs::write(&path, &other).unwrap();
    let saved = fetched(&archive, TakenName::Resume, &path).await.unwrap();
    assert_eq!(saved.path, directory.path().join("a (2)"));
    assert_eq!(fs::read(&path).unwrap(), other);
    assert_eq!(fs::read(saved.path).unwrap(), test_octets(50_000));
    assert_eq!(names(directory.path()), ["a", "a (2)"]);
}
