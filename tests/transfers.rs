//! Transfers: lost connections, restarts, changed files; whole directories; the queue on the screen.

mod chosen;
mod end;
mod get;
mod mirror;
mod names;
mod resume;
mod taken;
mod tree;
mod waiting;

use std::fs;
use std::path::Path;
use std::time::Duration;

use geomys_demo::Demo;
use geomys_page::load::{Purpose, Question, Request, Stop};
use geomys_store::transfer::download::{
    DownloadOrder, Error, PartialFilePolicy, Target, TransferEvent,
};
use geomys_store::transfer::retry::{RetryPolicy, transfer};
use geomys_testing::archive::{Archive, Node, RestartSupport, ServerBehavior};
use geomys_testing::loading::url;
use geomys_wire::net::{Limits, Net};

use crate::support::screen::Session;

/// A retry policy without delay.
const HASTE: RetryPolicy = RetryPolicy {
    first: Duration::ZERO,
    most: Duration::ZERO,
    tries: 3,
    time: Duration::from_hours(1),
};

/// Test octets that never repeat the previous one.
fn test_octets(length: usize) -> Vec<u8> {
    let octet = |at: usize| u8::try_from((at * 7 + at / 256) % 256).unwrap();
    (0..length).map(octet).collect()
}

fn save(address: impl AsRef<str>) -> Request {
    Request {
        purpose: Purpose::Save,
        ..Request::show(url(address))
    }
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

async fn archive(behavior: ServerBehavior) -> Archive {
    Archive::start([("/a", Node::File(test_octets(50_000)))], behavior).await
}

#[tokio::test]
async fn lost_connection_resumes_the_transfer() {
    for restart in [RestartSupport::Supported, RestartSupport::Refused] {
        let behavior = ServerBehavior {
            cuts: vec![20_000, 25_000, 30_000],
            restart,
            ..ServerBehavior::default()
        };
        let archive = archive(behavior).await;
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
    let archive = archive(behavior).await;
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
    let archive = archive(ServerBehavior::default()).await;
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
    let patience = RetryPolicy { tries: 0, ..HASTE };
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
    let archive = archive(behavior).await;
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
    let archive = archive(behavior).await;
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
    let archive = archive(behavior).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn transfers_survive_a_restart() {
    let behavior = ServerBehavior {
        cuts: vec![10_000; 20],
        restart: RestartSupport::Refused,
        ..ServerBehavior::default()
    };
    let archive = archive(behavior).await;
    let profile = tempfile::tempdir().unwrap();
    fs::write(
        profile.path().join("settings.toml"),
        "[transfers]\ntries = 1\n",
    )
    .unwrap();
    let listed = profile.path().join("transfers.txt");
    let path = profile.path().to_owned();
    let addresses = [archive.url("/a;type=i")];
    let session = Session::start(profile, None, &addresses, (100, 24), Limits::default());
    session.wait("Save as").await;
    session.press("Enter D");
    session.wait("failed").await;
    session.press("q q");
    let ended = session.end().await;
    assert!(ended.app.cx.should_exit);
    let text = fs::read_to_string(&listed).unwrap();
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("free ftp://"))
            .count(),
        1,
        "{text}"
    );

    // The server no longer interrupts.
    archive.disable_cuts();
    let session = Session::start(ended.profile, None, &[], (100, 24), Limits::default());
    session.press("D");
    session.wait("10.0 of 50.0 kB").await;
    session.wait("paused").await;
    session.press("p");
    session.wait("done").await;
    assert_eq!(
        fs::read(path.join("Downloads/a")).unwrap(),
        test_octets(50_000)
    );
    assert_eq!(names(&path.join("Downloads")), ["a"]);
    session.press("q q");
    let _profile = session.end().await.profile;
    let text = fs::read_to_string(&listed).unwrap();
    assert!(text.lines().all(|line| line.starts_with('#')), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn running_transfers_resume_at_the_next_start_and_paused_ones_do_not() {
    for is_paused in [false, true] {
        let behavior = ServerBehavior {
            cuts: vec![10_000; 9],
            stalls: true,
            ..ServerBehavior::default()
        };
        let archive = archive(behavior).await;
        let profile = tempfile::tempdir().unwrap();
        let path = profile.path().to_owned();
        let addresses = [archive.url("/a;type=i")];
        let session = Session::start(profile, None, &addresses, (100, 24), Limits::default());
        session.wait("Save as").await;
        session.press("Enter D");
        session.wait("1 running").await;
        if is_paused {
            session.press("p");
            session.wait("paused").await;
            session.press("q q");
        } else {
            session.press("D q");
            session.wait("Quit? 1 download resumes next time.").await;
            session.press("y");
        }
        let ended = session.end().await;
        // Without addresses the home page is shown, and the download resumes.
        let session = Session::start(ended.profile, None, &[], (100, 24), Limits::default());
        if is_paused {
            session.press("D");
        } else {
            session.wait("1 download resumed (D shows them)").await;
            session.press("D p");
        }
        session.wait("paused").await;
        archive.disable_cuts();
        session.press("p");
        session.wait("done").await;
        let saved = fs::read(path.join("Downloads/a")).unwrap();
        assert_eq!(saved, test_octets(50_000));
        session.press("q q");
        session.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transfer_prompts_for_password() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let line = format!("Diary <URL:ftp://ada@{}/diary.txt>\n", demo.addresses.ftp);
    fs::write(profile.path().join("bookmarks.txt"), line).unwrap();
    let path = profile.path().join("Downloads/diary.txt");
    let session =
        Session::start(profile, None, &[], (80, 24), Limits::default()).with_bookmarks(80);
    session.wait("Diary").await;
    session.press("d");
    // The question waits in the row of the transfer, and the status line has a mark.
    session.wait("1 question (D)").await;
    session.press("D");
    session.wait("password?").await;
    session.press("Enter");
    session.wait("Password of ada").await;
    session.type_in("lovelace");
    session.press("Enter");
    session.wait("saved").await;
    assert!(!fs::read(&path).unwrap().is_empty());
    // This password is remembered.
    session.press("D Tab d");
    session.wait("diary (2).txt").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_is_fetched_whole_after_question() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let downloads = profile.path().join("Downloads");
    let line = format!(
        "Software <URL:ftp://{}/pub/software/>\n",
        demo.addresses.ftp
    );
    fs::write(profile.path().join("bookmarks.txt"), line).unwrap();
    let session =
        Session::start(profile, None, &[], (80, 24), Limits::default()).with_bookmarks(80);
    session.wait("Software").await;
    session.press("d");
    session.wait("Save directory as").await;
    session.press("Enter D");
    session.wait("3 files").await;
    session.wait("done").await;
    assert_eq!(
        names(&downloads.join("software")),
        ["drum.README", "drum.img", "seeds.bin"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn directory_is_saved_beside_a_foreign_directory() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let downloads = profile.path().join("Downloads");
    fs::create_dir_all(downloads.join("software")).unwrap();
    fs::write(downloads.join("software/mine"), "mine").unwrap();
    let line = format!(
        "Software <URL:ftp://{}/pub/software/>\n",
        demo.addresses.ftp
    );
    fs::write(profile.path().join("bookmarks.txt"), line).unwrap();
    // The second time the saved path is known.
    let mut profile = profile;
    for _ in 0..2 {
        let session = Session::start(profile, None, &[], (120, 24), Limits::default());
        session.wait("Software").await;
        session.press("d");
        session.wait("software (2)").await;
        session.press("Enter D");
        session.wait("done").await;
        session.press("q q");
        profile = session.end().await.profile;
    }
    assert_eq!(names(&downloads), ["software", "software (2)"]);
    assert_eq!(names(&downloads.join("software")), ["mine"]);
    let files = ["drum.README", "drum.img", "seeds.bin"];
    assert_eq!(names(&downloads.join("software (2)")), files);
}
