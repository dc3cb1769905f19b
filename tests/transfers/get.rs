//! The same from the command line.

use std::fs;

use geomys::demo::Demo;

use super::{archive, cargo, names};
use crate::support::archive::{Archive, Node, Ways};
use crate::support::command::{geomys, text};

#[tokio::test(flavor = "multi_thread")]
async fn get_goes_on_with_its_own_part() {
    let ways = Ways {
        cuts: vec![10_000],
        modified: Some("19940314092600"),
        ..Ways::default()
    };
    let archive = archive(ways).await;
    let place = tempfile::tempdir().unwrap();
    let config = place.path().join("config");
    fs::create_dir(&config).unwrap();
    fs::write(config.join("settings.toml"), "[transfers]\ntries = 0\n").unwrap();
    let file = place.path().join("a");
    let (config, output) = (config.to_str().unwrap(), file.to_str().unwrap());
    let url = archive.url("/a");
    let get = || geomys(&["--config", config, "get", &url, "-o", output], "");
    let first = get();
    assert_eq!(first.status.code(), Some(1), "{first:?}");
    assert!(text(&first.stderr).contains("a.part"), "{first:?}");
    assert_eq!(
        fs::read(place.path().join("a.part")).unwrap(),
        cargo(10_000)
    );
    let second = get();
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    assert!(text(&second.stderr).ends_with(": 50.0 kB\n"), "{second:?}");
    assert_eq!(fs::read(&file).unwrap(), cargo(50_000));
    assert_eq!(names(place.path()), ["a", "config"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_tries_again_by_itself() {
    let ways = Ways {
        cuts: vec![10_000],
        ..Ways::default()
    };
    let archive = archive(ways).await;
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("a");
    let got = geomys(
        &["get", &archive.url("/a"), "-o", file.to_str().unwrap()],
        "",
    );
    assert_eq!(got.status.code(), Some(0), "{got:?}");
    assert_eq!(fs::read(&file).unwrap(), cargo(50_000));
    assert_eq!(archive.heard("RETR a"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_a_directory() {
    let demo = Demo::start().await.unwrap();
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    let url = format!("ftp://{}/pub/", demo.ftp());
    let config = place.path().join("config");
    let config = config.to_str().unwrap();
    let into_ = into.to_str().unwrap();
    let get = || geomys(&["--config", config, "get", "-r", &url, "-o", into_], "");
    let first = get();
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let said = text(&first.stderr);
    assert!(
        said.contains("10 files, 4 directories, 1.5 MB in "),
        "{said}"
    );
    let drum = into.join("software/drum.img");
    assert!(fs::read(&drum).unwrap() == geomys::demo::world::drum());
    let time = fs::metadata(&drum).unwrap().modified().unwrap();
    let since = time.duration_since(std::time::UNIX_EPOCH).unwrap();
    assert_eq!(since.as_secs(), 785_661_300, "1994-11-24 07:15:00");
    let second = get();
    let said = text(&second.stderr);
    assert!(
        said.contains("0 files, 4 directories") && said.contains("10 there already"),
        "{said}"
    );

    let refused = geomys(&["get", &url, "-o", into.join("x").to_str().unwrap()], "");
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        text(&refused.stderr).contains("this is a directory: -r"),
        "{refused:?}"
    );
    let missing = format!("ftp://{}/nothing/", demo.ftp());
    let missing = geomys(
        &["--config", config, "get", "-r", &missing, "-o", into_],
        "",
    );
    assert_eq!(missing.status.code(), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn get_stops_at_the_announced_size_and_goes_on_when_told() {
    let ways = Ways {
        announced: Some(20_000),
        ..Ways::default()
    };
    let archive = archive(ways).await;
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("a");
    let (url, output) = (archive.url("/a"), file.to_str().unwrap());
    let stopped = geomys(&["get", &url, "-o", output], "");
    assert_eq!(stopped.status.code(), Some(1), "{stopped:?}");
    let said = text(&stopped.stderr);
    assert!(
        said.contains("announced size of 20.0 kB") && said.contains("--past-size"),
        "{said}"
    );
    assert_eq!(
        fs::read(place.path().join("a.part")).unwrap(),
        cargo(20_000)
    );
    let whole = geomys(&["get", "--past-size", &url, "-o", output], "");
    assert_eq!(whole.status.code(), Some(0), "{whole:?}");
    assert_eq!(fs::read(&file).unwrap(), cargo(50_000));
    assert_eq!(names(place.path()), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_of_a_directory_lists_what_it_left_out_and_fails() {
    let listing = b"-rw-r--r-- 1 ftp ftp 3 Mar 14 1994 a\r\nwhat is this?\r\n".to_vec();
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/a", Node::File(cargo(3))),
    ];
    let archive = Archive::start(nodes, Ways::default()).await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    let url = archive.url("/pub/");
    let config = place.path().join("config");
    let (config, output) = (config.to_str().unwrap(), into.to_str().unwrap());
    let got = geomys(&["--config", config, "get", "-r", &url, "-o", output], "");
    assert_eq!(got.status.code(), Some(1), "{got:?}");
    let said = text(&got.stderr);
    assert!(
        said.contains("what is this?: this line of the listing cannot be read")
            && said.contains("1 file, 1 directory")
            && said.contains("1 failed"),
        "{said}"
    );
    assert_eq!(names(&into), ["a"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_of_a_directory_into_one_with_other_files_says_what_to_do() {
    let listing = b"-rw-r--r-- 1 ftp ftp 3 Mar 14 1994 a\r\n".to_vec();
    let nodes = [
        ("/pub", Node::Directory(listing)),
        ("/pub/a", Node::File(cargo(3))),
    ];
    let archive = Archive::start(nodes, Ways::default()).await;
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    fs::create_dir(&into).unwrap();
    fs::write(into.join("mine"), "mine").unwrap();
    let config = place.path().join("config");
    let url = archive.url("/pub/");
    let (config, output) = (config.to_str().unwrap(), into.to_str().unwrap());
    let arguments = ["--config", config, "get", "-r", &url, "-o", output];
    let refused = geomys(&arguments, "");
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = text(&refused.stderr);
    assert!(
        said.contains("holds files from elsewhere") && said.contains("--merge"),
        "{said}"
    );
    assert_eq!(names(&into), ["mine"]);
    let merged = geomys(&[arguments.as_slice(), &["--merge"]].concat(), "");
    assert_eq!(merged.status.code(), Some(0), "{merged:?}");
    assert_eq!(names(&into), ["a", "mine"]);
    // Into a directory that is there by another name: beside it.
    let above = format!("{}/", place.path().display());
    fs::rename(&into, place.path().join("pub")).unwrap();
    let arguments = ["--config", config, "get", "-r", &url, "-o", &above];
    assert_eq!(geomys(&arguments, "").status.code(), Some(0));
    assert_eq!(names(&place.path().join("pub (2)")), ["a"]);
    assert_eq!(names(place.path()), ["config", "pub", "pub (2)"]);
}
