//! Downloads: what is there stays, and a name appears only when all of its octets are there.

use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::thread;

use geomys::demo::Demo;
use geomys::files::download::{Error, Saved, Target, download, save};
use geomys::load::{Purpose, Request};
use geomys::net::{Limits, Net};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use crate::support::loading::{hasty, url};

const OLD: &[u8] = b"what was there";
const WHOLE: &[u8] = b"all of it";

/// A directory of files, and what it comes to hold.
struct Place(tempfile::TempDir);

impl Place {
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

    /// The names in it.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

async fn saved(target: Target) -> Result<Saved, Error> {
    save([&WHOLE[..3], &WHOLE[3..]].into_iter(), target).await
}

fn request(place: impl std::fmt::Display) -> Request {
    Request {
        purpose: Purpose::Save,
        ..Request::show(url(format!("gopher://{place}/9/file")))
    }
}

/// A server that sends `octets`, and then nothing for ever.
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
async fn a_part_that_is_there_is_not_touched() {
    for target in [Target::Replace, Target::New, Target::Free] {
        let place = Place::new().with("a.txt.part");
        let saved = saved(target(place.path("a.txt"))).await.unwrap();
        assert_eq!(saved.path, place.path("a.txt"));
        assert_eq!(saved.octets, 9);
        assert_eq!(place.names(), ["a.txt", "a.txt.part"]);
        assert_eq!(place.read("a.txt"), WHOLE);
        assert_eq!(place.read("a.txt.part"), OLD);
    }
}

#[tokio::test]
async fn the_next_free_name_is_taken() {
    let place = Place::new().with("a.txt").with("a (2).txt");
    // A link that leads nowhere has its name too.
    symlink("nowhere", place.path("a (3).txt")).unwrap();
    let saved = saved(Target::Free(place.path("a.txt"))).await.unwrap();
    assert_eq!(saved.path, place.path("a (4).txt"));
    assert_eq!(place.read("a.txt"), OLD);
    assert_eq!(place.read("a (2).txt"), OLD);
    assert_eq!(place.read("a (4).txt"), WHOLE);
    assert_eq!(place.names().len(), 4);
}

#[tokio::test]
async fn a_new_name_that_is_taken_is_told_before_anybody_is_asked() {
    let place = Place::new().with("a.txt");
    let target = Target::New(place.path("a.txt"));
    // Nobody listens there: that would be another error.
    let request = request("127.0.0.1:1");
    let error = download(&hasty(), request, target, |_, _| {}).await;
    let Err(Error::Create { source, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(source.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(place.names(), ["a.txt"]);
    assert_eq!(place.read("a.txt"), OLD);
}

#[tokio::test]
async fn a_directory_is_told_from_a_file() {
    for target in [Target::New, Target::Free, Target::Replace] {
        let place = Place::new();
        fs::create_dir(place.path("a")).unwrap();
        let error = saved(target(place.path("a"))).await.unwrap_err();
        let sentence = error.to_string();
        assert!(
            sentence.ends_with("it is a directory; a `/` at the end puts the file into it"),
            "{sentence}"
        );
        assert_eq!(place.names(), ["a"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_name_appears_when_all_octets_are_there() {
    let demo = Demo::start().await.unwrap();
    for target in [Target::New, Target::Free, Target::Replace] {
        let place = Place::new();
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(url(format!(
                "gopher://{}/9/gallery/seeds.bin",
                demo.gopher()
            )))
        };
        let net = Net::new(Limits::default());
        let mut told = 0;
        let saved = download(&net, request, target(place.path("a")), |_, _| {
            told += 1;
            assert_eq!(place.names(), ["a.part", "a.part.geomys"]);
        });
        assert_eq!(saved.await.unwrap().octets, 256);
        assert!(told > 1);
        assert_eq!(place.names(), ["a"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_taken_meanwhile_is_not_written_over() {
    let demo = Demo::start().await.unwrap();
    let net = Net::new(Limits::default());
    for (target, names) in [
        (
            Target::New as fn(PathBuf) -> Target,
            ["a", "a.part", "a.part.geomys"].as_slice(),
        ),
        (Target::Free, &["a", "a (2)"]),
    ] {
        let place = Place::new();
        let request = Request {
            purpose: Purpose::Save,
            ..Request::show(url(format!(
                "gopher://{}/9/gallery/seeds.bin",
                demo.gopher()
            )))
        };
        let saved = download(&net, request, target(place.path("a")), |_, _| {
            fs::write(place.path("a"), OLD).unwrap();
        });
        if let Err(error) = saved.await {
            let sentence = error.to_string();
            assert!(sentence.contains("it exists already"), "{sentence}");
            assert!(sentence.ends_with("a.part"), "{sentence}");
        }
        assert_eq!(place.names(), names);
        assert_eq!(place.read("a"), OLD);
        assert_eq!(place.read(names[1]).len(), 256);
    }
}

#[tokio::test]
async fn what_came_of_a_failed_download_stays_in_its_part() {
    for target in [Target::New, Target::Free, Target::Replace] {
        let place = Place::new();
        let server = stalling(b"half").await;
        let (net, target) = (hasty(), target(place.path("a")));
        let error = download(&net, request(server), target, |_, _| {}).await;
        let Err(Error::Stopped { part, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(part, Some(place.path("a.part")));
        assert_eq!(place.names(), ["a.part", "a.part.geomys"]);
        assert_eq!(place.read("a.part"), b"half");
    }
    let place = Place::new();
    let server = stalling(b"").await;
    let target = Target::New(place.path("a"));
    let error = download(&hasty(), request(server), target, |_, _| {}).await;
    assert!(
        matches!(error, Err(Error::Stopped { part: None, .. })),
        "{error:?}"
    );
    assert!(place.names().is_empty(), "nothing is left of nothing");
}

#[tokio::test]
async fn what_came_of_a_dropped_download_stays_in_its_part() {
    let place = Place::new();
    let server = stalling(b"half").await;
    let net = Net::new(Limits::default());
    let target = Target::New(place.path("a"));
    let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
    let saving = download(&net, request(server), target, |octets, _| {
        sender.send(octets).unwrap();
    });
    tokio::select! {
        result = saving => panic!("{result:?}"),
        () = async { while told.recv().await.unwrap() < 4 {} } => {}
    }
    assert_eq!(place.names(), ["a.part", "a.part.geomys"]);
    assert_eq!(place.read("a.part"), b"half");
}

#[tokio::test]
async fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
    let place = Place::new();
    fs::create_dir(place.path("in")).unwrap();
    let place = place.with("in/file");
    symlink("in/file", place.path("link")).unwrap();
    let saved_to = saved(Target::Replace(place.path("link"))).await.unwrap();
    assert_eq!(saved_to.path, place.path("link"));
    assert_eq!(
        fs::read_link(place.path("link")).unwrap(),
        Path::new("in/file")
    );
    assert_eq!(place.read("in/file"), WHOLE);
    // Nor is a link replaced that leads to nothing yet.
    symlink("in/new", place.path("dangling")).unwrap();
    saved(Target::Replace(place.path("dangling")))
        .await
        .unwrap();
    assert_eq!(
        fs::read_link(place.path("dangling")).unwrap(),
        Path::new("in/new")
    );
    assert_eq!(place.read("in/new"), WHOLE);
    assert_eq!(place.names(), ["dangling", "in", "link"]);
    assert_eq!(fs::read_dir(place.path("in")).unwrap().count(), 2);
}

#[tokio::test]
async fn a_file_that_is_replaced_keeps_its_permissions() {
    let place = Place::new().with("a");
    fs::set_permissions(place.path("a"), fs::Permissions::from_mode(0o600)).unwrap();
    let before = fs::metadata(place.path("a")).unwrap();
    saved(Target::Replace(place.path("a"))).await.unwrap();
    let after = fs::metadata(place.path("a")).unwrap();
    assert_eq!(place.read("a"), WHOLE);
    assert_eq!(after.mode(), before.mode());
    assert_ne!(
        after.ino(),
        before.ino(),
        "all of the old or all of the new"
    );
    assert_eq!(place.names(), ["a"]);
}

#[tokio::test]
async fn a_pipe_and_a_device_are_written_to_as_they_are() {
    let place = Place::new();
    let fifo = place.path("fifo");
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
    assert_eq!(place.names(), ["fifo"]);

    // Through a link, so that a mistake does not harm the machine.
    let null = place.path("null");
    symlink("/dev/null", &null).unwrap();
    saved(Target::Replace(null.clone())).await.unwrap();
    assert!(fs::metadata(null).unwrap().file_type().is_char_device());
    assert_eq!(place.names(), ["fifo", "null"]);
}
