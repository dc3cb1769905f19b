//! Downloads: existing files stay, and a name appears only when its file is complete.

use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::{fs, thread};

use geomys_demo::Demo;
use geomys_load::{Purpose, Reason, Request};
use geomys_store::transfer::download::{Error, SavedFile, Target, download, save};
use geomys_testing::loading::{short_timeouts, url};
use geomys_wire::net::{Limits, Net};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

const OLD: &[u8] = b"what was there";
const WHOLE: &[u8] = b"all of it";

/// A temporary directory with files.
struct TestDirectory(tempfile::TempDir);

impl TestDirectory {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn with(self, name: &str) -> Self {
        fs::write(self.path(name), OLD).unwrap();
        self
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The sorted file names in the directory.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

async fn saved(target: Target) -> Result<SavedFile, Error> {
    save([&WHOLE[..3], &WHOLE[3..]].into_iter(), target).await
}

fn request(directory: impl std::fmt::Display) -> Request {
    Request {
        purpose: Purpose::Save,
        ..Request::show(url(format!("gopher://{directory}/9/file")), Reason::Typed)
    }
}

/// A server that sends `octets`, and then stalls.
async fn stalling(octets: &'static [u8]) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(octets).await.unwrap();
        std::future::pending::<()>().await;
    });
    address
}

#[tokio::test]
async fn foreign_partial_file_is_left_unchanged() {
    for target in [Target::Replace, Target::New, Target::Free] {
        let directory = TestDirectory::new().with("a.txt.part");
        let saved = saved(target(directory.path("a.txt"))).await.unwrap();
        assert_eq!(saved.path, directory.path("a.txt"));
        assert_eq!(saved.octets, 9);
        assert_eq!(directory.names(), ["a.txt", "a.txt.part"]);
        assert_eq!(directory.read("a.txt"), WHOLE);
        assert_eq!(directory.read("a.txt.part"), OLD);
    }
}

#[tokio::test]
async fn taken_name_saves_under_next_free_number() {
    let directory = TestDirectory::new().with("a.txt").with("a (2).txt");
    // A dangling link takes its name too.
    symlink("nowhere", directory.path("a (3).txt")).unwrap();
    let saved = saved(Target::Free(directory.path("a.txt"))).await.unwrap();
    assert_eq!(saved.path, directory.path("a (4).txt"));
    assert_eq!(directory.read("a.txt"), OLD);
    assert_eq!(directory.read("a (2).txt"), OLD);
    assert_eq!(directory.read("a (4).txt"), WHOLE);
    assert_eq!(directory.names().len(), 4);
}

#[tokio::test]
async fn taken_new_name_fails_before_connecting() {
    let directory = TestDirectory::new().with("a.txt");
    let target = Target::New(directory.path("a.txt"));
    // The port is closed: connecting would give another error.
    let request = request("127.0.0.1:1");
    let error = download(&short_timeouts(), request, target, |_, _| {}).await;
    let Err(Error::Create { source, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(source.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(directory.names(), ["a.txt"]);
    assert_eq!(directory.read("a.txt"), OLD);
}

#[tokio::test]
async fn directory_as_target_is_an_error() {
    for target in [Target::New, Target::Free, Target::Replace] {
        let directory = TestDirectory::new();
        fs::create_dir(directory.path("a")).unwrap();
        let error = saved(target(directory.path("a"))).await.unwrap_err();
        let sentence = error.to_string();
        assert!(
            sentence.ends_with("it is a directory; add a final / to save into it"),
            "{sentence}"
        );
        assert_eq!(directory.names(), ["a"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn final_name_appears_when_download_is_complete() {
    let demo = Demo::start().await.unwrap();
    for target in [Target::New, Target::Free, Target::Replace] {
        let directory = TestDirectory::new();
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(
                url(format!(
                    "gopher://{}/9/gallery/seeds.bin",
                    demo.addresses.gopher
                )),
                Reason::Typed,
            )
        };
        let net = Net::new(Limits::default());
        let mut reports = 0;
        let saved = download(&net, request, target(directory.path("a")), |_, _| {
            // A file that comes whole has no name before, another one is partial.
            let names = directory.names();
            assert!(
                names.is_empty() || names == ["a.part", "a.part.geomys"],
                "{names:?}"
            );
            reports += 1;
        });
        assert_eq!(saved.await.unwrap().octets, 256);
        assert!(reports > 1);
        assert_eq!(directory.names(), ["a"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn name_taken_during_download_is_not_overwritten() {
    let demo = Demo::start().await.unwrap();
    let net = Net::new(Limits::default());
    for (target, names) in [
        (
            Target::New as fn(PathBuf) -> Target,
            ["a", "a.part", "a.part.geomys"].as_slice(),
        ),
        (Target::Free, &["a", "a (2)"]),
    ] {
        let directory = TestDirectory::new();
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(
                url(format!(
                    "gopher://{}/9/gallery/seeds.bin",
                    demo.addresses.gopher
                )),
                Reason::Typed,
            )
        };
        let saved = download(&net, request, target(directory.path("a")), |_, _| {
            fs::write(directory.path("a"), OLD).unwrap();
        });
        if let Err(error) = saved.await {
            let sentence = error.to_string();
            assert!(sentence.contains("it exists already"), "{sentence}");
            assert!(sentence.ends_with("a.part"), "{sentence}");
        }
        assert_eq!(directory.names(), names);
        assert_eq!(directory.read("a"), OLD);
        assert_eq!(directory.read(names[1]).len(), 256);
    }
}

#[tokio::test]
async fn failed_download_stays_in_partial_file() {
    for target in [Target::New, Target::Free, Target::Replace] {
        let directory = TestDirectory::new();
        let server = stalling(b"half").await;
        let (net, target) = (short_timeouts(), target(directory.path("a")));
        let error = download(&net, request(server), target, |_, _| {}).await;
        let Err(Error::Stopped { part, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(part, Some(directory.path("a.part")));
        assert_eq!(directory.names(), ["a.part", "a.part.geomys"]);
        assert_eq!(directory.read("a.part"), b"half");
    }
    let directory = TestDirectory::new();
    let server = stalling(b"").await;
    let target = Target::New(directory.path("a"));
    let error = download(&short_timeouts(), request(server), target, |_, _| {}).await;
    assert!(
        matches!(error, Err(Error::Stopped { part: None, .. })),
        "{error:?}"
    );
    assert!(directory.names().is_empty(), "nothing is left of nothing");
}

#[tokio::test]
async fn cancelled_download_stays_in_partial_file() {
    let directory = TestDirectory::new();
    let server = stalling(b"half").await;
    let net = Net::new(Limits::default());
    let target = Target::New(directory.path("a"));
    let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let saving = download(&net, request(server), target, |octets, _| {
        sender.send(octets).unwrap();
    });
    tokio::select! {
        result = saving => panic!("{result:?}"),
        () = async { while reports.recv().await.unwrap() < 4 {} } => {}
    }
    assert_eq!(directory.names(), ["a.part", "a.part.geomys"]);
    assert_eq!(directory.read("a.part"), b"half");
}

#[tokio::test]
async fn replacing_a_symlink_replaces_its_target() {
    let directory = TestDirectory::new();
    fs::create_dir(directory.path("in")).unwrap();
    let directory = directory.with("in/file");
    symlink("in/file", directory.path("link")).unwrap();
    let saved_to = saved(Target::Replace(directory.path("link")))
        .await
        .unwrap();
    assert_eq!(saved_to.path, directory.path("link"));
    assert_eq!(
        fs::read_link(directory.path("link")).unwrap(),
        Path::new("in/file")
    );
    assert_eq!(directory.read("in/file"), WHOLE);
    // A dangling link is not replaced either.
    symlink("in/new", directory.path("dangling")).unwrap();
    saved(Target::Replace(directory.path("dangling")))
        .await
        .unwrap();
    assert_eq!(
        fs::read_link(directory.path("dangling")).unwrap(),
        Path::new("in/new")
    );
    assert_eq!(directory.read("in/new"), WHOLE);
    assert_eq!(directory.names(), ["dangling", "in", "link"]);
    assert_eq!(fs::read_dir(directory.path("in")).unwrap().count(), 2);
}

#[tokio::test]
async fn replaced_file_keeps_its_permissions() {
    let directory = TestDirectory::new().with("a");
    fs::set_permissions(directory.path("a"), fs::Permissions::from_mode(0o600)).unwrap();
    let before = fs::metadata(directory.path("a")).unwrap();
    saved(Target::Replace(directory.path("a"))).await.unwrap();
    let after = fs::metadata(directory.path("a")).unwrap();
    assert_eq!(directory.read("a"), WHOLE);
    assert_eq!(after.mode(), before.mode());
    assert_ne!(
        after.ino(),
        before.ino(),
        "all of the old or all of the new"
    );
    assert_eq!(directory.names(), ["a"]);
}

#[tokio::test]
async fn pipe_and_device_are_written_in_place() {
    let directory = TestDirectory::new();
    let fifo = directory.path("fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let reader = thread::spawn({
        let fifo = fifo.clone();
        move || {
            let mut octets = Vec::new();
            fs::File::open(fifo)
                .unwrap()
                .read_to_end(&mut octets)
                .unwrap();
            octets
        }
    });
    saved(Target::Replace(fifo.clone())).await.unwrap();
    assert!(fs::symlink_metadata(&fifo).unwrap().file_type().is_fifo());
    assert_eq!(reader.join().unwrap(), WHOLE);
    assert_eq!(directory.names(), ["fifo"]);

    // Through a link, so that a defect does not harm the machine.
    let null = directory.path("null");
    symlink("/dev/null", &null).unwrap();
    saved(Target::Replace(null.clone())).await.unwrap();
    assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    assert_eq!(directory.names(), ["fifo", "null"]);
}
