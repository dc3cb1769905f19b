//! Transfers: lost connections, restarts, changed files.

mod existing_files;
mod resume;
mod retry;
mod sizes;

use std::fs;
use std::time::Duration;

use geomys_load::{Purpose, Question, Reason, Request, Stop};
use geomys_store::transfer::download::{
    DownloadOrder, Error, PartialFilePolicy, Target, TransferEvent,
};
use geomys_store::transfer::retry::{RetryPolicy, transfer};
use geomys_testing::archive::{Archive, RestartSupport, ServerBehavior, test_octets};
use geomys_testing::loading::url;
use geomys_testing::names;
use geomys_wire::net::Net;

/// A retry policy without delay.
const HASTE: RetryPolicy = RetryPolicy {
    initial_delay: Duration::ZERO,
    max_delay: Duration::ZERO,
    max_attempts: 3,
    max_elapsed: Duration::from_hours(1),
    retries_silence: true,
};

fn save(address: impl AsRef<str>) -> Request {
    Request {
        purpose: Purpose::Save,
        ..Request::show(url(address), Reason::Typed)
    }
}

#[tokio::test]
async fn lost_connection_resumes_the_transfer() {
    for restart in [RestartSupport::Supported, RestartSupport::Refused] {
        let behavior = ServerBehavior {
            cuts: vec![20_000, 25_000, 30_000],
            restart,
            ..ServerBehavior::default()
        };
        let archive = Archive::of_one_file(behavior).await;
        let directory = tempfile::tempdir().unwrap();
        let order = DownloadOrder::new(
            save(archive.url("/a")),
            Target::New(directory.path().join("a")),
        );
        let mut most = 0;
        let saved = transfer(&Net::default(), order, &HASTE, &mut |report| {
            if let TransferEvent::Octets(here, size) = report {
                assert!(
                    here >= most,
                    "nothing that was here is lost: {here} < {most}"
                );
                assert_eq!(size, Some(50_000));
                most = here;
            }
        })
        .await
        .unwrap();
        assert_eq!(saved.octets, 50_000);
        // Resumed, or restarted from zero each time.
        let times = if restart == RestartSupport::Refused {
            4
        } else {
            3
        };
        assert_eq!(archive.command_count("RETR"), times);
        assert_eq!(
            fs::read(directory.path().join("a")).unwrap(),
            test_octets(50_000)
        );
        assert_eq!(names(directory.path()), ["a"]);
    }
}

#[tokio::test]
async fn server_without_progress_is_given_up() {
    let behavior = ServerBehavior {
        cuts: vec![0; 20],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let order = DownloadOrder::new(
        save(archive.url("/a")),
        Target::New(directory.path().join("a")),
    );
    let error = transfer(&Net::default(), order, &HASTE, &mut |_| {}).await;
    assert!(
        matches!(error, Err(Error::Stopped { part: None, .. })),
        "{error:?}"
    );
    assert_eq!(
        archive.command_count("RETR"),
        4,
        "once, and three times more"
    );
    assert!(names(directory.path()).is_empty());
}

#[tokio::test]
async fn refused_transfer_is_not_retried() {
    let archive = Archive::of_one_file(ServerBehavior::default()).await;
    let directory = tempfile::tempdir().unwrap();
    let order = DownloadOrder::new(
        save(archive.url("/b")),
        Target::New(directory.path().join("b")),
    );
    let error = transfer(&Net::default(), order, &HASTE, &mut |_| {}).await;
    assert!(error.is_err());
    assert_eq!(archive.command_count("SIZE b"), 1);
}

/// Interrupts a download after ten thousand octets, so that a partial file is left.
async fn broken_off(archive: &Archive, target: &Target) {
    let order = DownloadOrder::new(save(archive.url("/a")), target.clone());
    let patience = RetryPolicy {
        max_attempts: 0,
        ..HASTE
    };
    let error = transfer(&Net::default(), order, &patience, &mut |_| {}).await;
    assert!(
        matches!(error, Err(Error::Stopped { part: Some(_), .. })),
        "{error:?}"
    );
}

#[tokio::test]
async fn own_partial_file_is_resumed_and_a_foreign_one_is_not() {
    let behavior = ServerBehavior {
        cuts: vec![10_000],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("a.part"), "somebody's").unwrap();
    let target = Target::Free(at("a"));
    broken_off(&archive, &target).await;
    assert_eq!(
        names(directory.path()),
        ["a (2).part", "a (2).part.geomys", "a.part"]
    );
    assert_eq!(fs::read(at("a (2).part")).unwrap(), test_octets(10_000));
    let state = fs::read_to_string(at("a (2).part.geomys")).unwrap();
    assert!(
        state.contains("\nsize 50000\n") && state.contains("\noctets 10000\n"),
        "{state}"
    );

    let mut first = None;
    let order = DownloadOrder::new(save(archive.url("/a")), target);
    let saved = transfer(&Net::default(), order, &HASTE, &mut |report| {
        if let TransferEvent::Octets(here, _) = report {
            first.get_or_insert(here);
        }
    })
    .await;
    assert_eq!(saved.unwrap().path, at("a"));
    assert_eq!(first, Some(10_000), "what was here counts from the start");
    assert_eq!(fs::read(at("a")).unwrap(), test_octets(50_000));
    assert_eq!(fs::read(at("a.part")).unwrap(), b"somebody's");
    assert_eq!(names(directory.path()), ["a", "a.part"]);
}

#[tokio::test]
async fn changed_file_asks_before_resuming() {
    let directory = tempfile::tempdir().unwrap();
    let target = Target::New(directory.path().join("a"));
    let behavior = ServerBehavior {
        cuts: vec![10_000],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    broken_off(&archive, &target).await;
    let other: Vec<u8> = test_octets(60_000).iter().map(|octet| octet ^ 1).collect();
    archive.put("/a", &other);
    let order = DownloadOrder::new(save(archive.url("/a")), target);
    let error = transfer(&Net::default(), order.clone(), &HASTE, &mut |_| {}).await;
    let Err(Error::Stopped { stop, .. }) = error else {
        panic!("{error:?}");
    };
    let Stop::Needs(Question::Changed { was, is }) = *stop else {
        panic!("{stop:?}");
    };
    assert_eq!((was.size, is.size), (Some(50_000), Some(60_000)));
    assert_eq!(
        fs::read(directory.path().join("a.part")).unwrap(),
        test_octets(10_000)
    );
    let order = DownloadOrder {
        partial: PartialFilePolicy::Restart,
        ..order
    };
    transfer(&Net::default(), order, &HASTE, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), other);
    assert_eq!(names(directory.path()), ["a"]);
}

#[tokio::test]
async fn locked_partial_file_is_not_written_twice() {
    let directory = tempfile::tempdir().unwrap();
    let target = Target::New(directory.path().join("a"));
    let behavior = ServerBehavior {
        cuts: vec![10_000],
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    broken_off(&archive, &target).await;
    let part = fs::File::open(directory.path().join("a.part")).unwrap();
    part.lock().unwrap();
    let order = DownloadOrder::new(save(archive.url("/a")), target);
    let error = transfer(&Net::default(), order.clone(), &HASTE, &mut |_| {}).await;
    let Err(error @ Error::Busy { .. }) = error else {
        panic!("{error:?}");
    };
    assert!(
        error
            .to_string()
            .ends_with("a.part is being written by another transfer")
    );
    drop(part);
    transfer(&Net::default(), order, &HASTE, &mut |_| {})
        .await
        .unwrap();
    assert_eq!(
        fs::read(directory.path().join("a")).unwrap(),
        test_octets(50_000)
    );
}
