//! Transfers: lost connections, restarts, whole directories; the queue on the screen.

mod convert;
mod download_path;
mod get;
mod gone;
mod killed;
mod kinds;
mod links;
mod mirrored;
mod names;
mod site;
mod warc;

use std::fs;

use geomys_demo::Demo;
use geomys_testing::archive::{Archive, Node, RestartSupport, ServerBehavior, line, test_octets};
use geomys_testing::names;
use geomys_wire::text::Charset;

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn name_of_one_downloaded_file_is_decoded_as_its_listing_is() {
    let words = ["Привет.txt", "сказка о рыбаке", "Капитан и дочь.txt"];
    let charset = Charset::named("windows-1251").unwrap();
    let listing: Vec<u8> = words
        .iter()
        .flat_map(|word| line("-rw-r--r--", 1, &charset.encode(word)))
        .collect();
    let lossy = String::from_utf8_lossy(&charset.encode(words[0])).into_owned();
    let file = &*Box::leak(format!("/pub/{lossy}").into_boxed_str());
    let nodes = vec![
        (file, Node::File(b"x".to_vec())),
        ("/pub", Node::Directory(listing)),
    ];
    let archive = Archive::start(nodes, ServerBehavior::default()).await;
    let url = archive.url("/pub/");
    let session = Browser::new().open(url).start();
    session.wait("Привет.txt").await;
    let downloads = session.path().join("Downloads");
    for (charset, name) in [("", "Привет.txt"), ("e w", "Ïðèâåò.txt")] {
        session.press(charset);
        session.wait(name).await;
        session.press("/");
        session.type_in(name);
        session.wait("1 of 1").await;
        session.press("Enter d");
        session.wait("Saved ").await;
        assert!(downloads.join(name).exists(), "{name}");
        session.press("Esc");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transfers_survive_a_restart() {
    let behavior = ServerBehavior {
        cuts: vec![10_000; 20],
        restart: RestartSupport::Refused,
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let profile = tempfile::tempdir().unwrap();
    fs::write(
        profile.path().join("settings.toml"),
        "[transfers]\nretry-hours = 0\n",
    )
    .unwrap();
    let listed = profile.path().join("transfers.txt");
    let path = profile.path().to_owned();
    let session = Browser::in_profile(profile)
        .open(archive.url("/a;type=i"))
        .size((100, 24))
        .start();
    session.wait("Save as").await;
    session.press("Enter D");
    session.wait("failed").await;
    session.press("q q");
    let ended = session.end().await;
    assert!(ended.app.cx.should_exit);
    let text = fs::read_to_string(&listed).unwrap();
    assert_eq!(
        text.lines()
            .filter(|line| line.starts_with("from=geomys:user free ftp://"))
            .count(),
        1,
        "{text}"
    );

    // The server no longer interrupts.
    archive.disable_cuts();
    let session = Browser::in_profile(ended.profile).size((100, 24)).start();
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
async fn stalled_transfer_shows_what_has_arrived() {
    let behavior = ServerBehavior {
        cuts: vec![33_000; 2],
        stalls: true,
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let session = Browser::new().open(archive.url("/a;type=i")).start();
    session.wait("Save as").await;
    session.press("Enter D");
    session.wait("33.0 of 50.0 kB").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn download_of_a_private_tab_is_not_said_to_resume() {
    let behavior = ServerBehavior {
        cuts: vec![10_000; 9],
        stalls: true,
        ..ServerBehavior::default()
    };
    let archive = Archive::of_one_file(behavior).await;
    let session = Browser::new().size((100, 24)).start();
    session.wait("geomys:home").await;
    session.press("g P");
    session.wait("Private tab").await;
    session.press("o");
    session.type_in(&archive.url("/a;type=i"));
    session.press("Enter");
    session.wait("Save as").await;
    session.press("Enter D");
    session.wait("1 running").await;
    session.press("D q");
    session.wait("Quit? 1 private download ends.").await;
    session.press("y");
    let ended = session.end().await;
    assert!(!ended.profile.path().join("transfers.txt").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn running_transfers_resume_at_the_next_start_and_paused_ones_do_not() {
    for is_paused in [false, true] {
        let behavior = ServerBehavior {
            cuts: vec![10_000; 9],
            stalls: true,
            ..ServerBehavior::default()
        };
        let archive = Archive::of_one_file(behavior).await;
        let profile = tempfile::tempdir().unwrap();
        let path = profile.path().to_owned();
        let addresses = [archive.url("/a;type=i")];
        let session = Browser::in_profile(profile)
            .open_all(&addresses)
            .size((100, 24))
            .start();
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
        let session = Browser::in_profile(ended.profile).size((100, 24)).start();
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
    let session = Browser::in_profile(profile).with_bookmarks().start();
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
    session.wait("Saved").await;
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
    let session = Browser::in_profile(profile).with_bookmarks().start();
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
        let session = Browser::in_profile(profile)
            .size((120, 24))
            .with_bookmarks()
            .start();
        session.wait("Software").await;
        session.press("d");
        session.wait_in_prompt("software (2)").await;
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
