//! The same from the command line.

use std::fs;

use geomys::demo::Demo;

use super::{archive, cargo, names};
use crate::support::archive::Ways;
use crate::support::command::{geomys, text};

#[tokio::test(flavor = "multi_thread")]
async fn get_goes_on_with_its_own_part() {
    let ways = Ways {
        cuts: vec![1000],
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
    assert_eq!(fs::read(place.path().join("a.part")).unwrap(), cargo(1000));
    let second = get();
    assert_eq!(second.status.code(), Some(0), "{second:?}");
    assert!(text(&second.stderr).ends_with(": 5.0 kB\n"), "{second:?}");
    assert_eq!(fs::read(&file).unwrap(), cargo(5000));
    assert_eq!(names(place.path()), ["a", "config"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn get_tries_again_by_itself() {
    let ways = Ways {
        cuts: vec![1000],
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
    assert_eq!(fs::read(&file).unwrap(), cargo(5000));
    assert_eq!(archive.heard("RETR a"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_a_directory() {
    let demo = Demo::start().await.unwrap();
    let place = tempfile::tempdir().unwrap();
    let into = place.path().join("here");
    let url = format!("ftp://{}/pub/", demo.ftp());
    let get = || geomys(&["get", "-r", &url, "-o", into.to_str().unwrap()], "");
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
    let missing = geomys(&["get", "-r", &missing, "-o", into.to_str().unwrap()], "");
    assert_eq!(missing.status.code(), Some(1));
}
