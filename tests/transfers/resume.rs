//! Parts that may not be resumed: what they hold is not mixed with another file.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use geomys::files::download::{Order, Report, Saved, Target};
use geomys::files::retry::transfer;
use geomys::net::Net;

use super::{HASTE, archive, broken_off, cargo, names, save};
use crate::support::archive::Ways;
use crate::support::web::Web;

/// Saves, and how often all of the file was fetched again.
async fn saved(url: &str, target: &Target) -> (Saved, usize) {
    let order = Order::new(save(url), target.clone());
    let mut anew = 0;
    let saved = transfer(&Net::default(), order, &HASTE, &mut |report| {
        anew += usize::from(report == Report::Restarted);
    })
    .await;
    (saved.unwrap(), anew)
}

fn path(place: &tempfile::TempDir) -> Target {
    Target::New(place.path().join("a"))
}

fn read(place: &Path) -> Vec<u8> {
    assert_eq!(names(place), ["a"]);
    fs::read(place.join("a")).unwrap()
}

#[tokio::test]
async fn rest_that_is_ignored_without_a_size_fetches_the_file_from_its_start() {
    for no_size in [true, false] {
        let ways = Ways {
            cuts: vec![20_000],
            ignores_restart: true,
            no_size,
            ..Ways::default()
        };
        let archive = archive(ways).await;
        let place = tempfile::tempdir().unwrap();
        broken_off(&archive, &path(&place)).await;
        let (_, anew) = saved(&archive.url("/a"), &path(&place)).await;
        assert_eq!(anew, 1);
        assert!(read(place.path()) == cargo(50_000));
        assert_eq!(archive.heard("REST 11808"), 1);
    }
}

#[tokio::test]
async fn changed_file_without_size_and_time_is_not_mixed() {
    let other: Vec<u8> = cargo(60_000).iter().map(|octet| octet ^ 1).collect();
    // Equal to the old one from the part's last octets on.
    let mut zeros = vec![0; 60_000];
    zeros[..100].fill(7);
    for (old, new) in [
        (cargo(50_000), other),
        (vec![0; 50_000], zeros),
        // Shorter than the part.
        (cargo(50_000), cargo(15_000)),
        (cargo(50_000), cargo(3)),
    ] {
        let ways = Ways {
            cuts: vec![20_000],
            no_size: true,
            ..Ways::default()
        };
        let archive = archive(ways).await;
        archive.put("/a", &old);
        let place = tempfile::tempdir().unwrap();
        broken_off(&archive, &path(&place)).await;
        archive.put("/a", &new);
        let (_, anew) = saved(&archive.url("/a"), &path(&place)).await;
        assert_eq!(anew, 1);
        assert!(read(place.path()) == new);
    }
}

#[tokio::test]
async fn unchanged_file_without_size_and_time_is_resumed_by_its_overlap() {
    let ways = Ways {
        cuts: vec![20_000],
        no_size: true,
        ..Ways::default()
    };
    let archive = archive(ways).await;
    let place = tempfile::tempdir().unwrap();
    broken_off(&archive, &path(&place)).await;
    let (_, anew) = saved(&archive.url("/a"), &path(&place)).await;
    assert_eq!(anew, 0);
    assert!(read(place.path()) == cargo(50_000));
}

#[tokio::test]
async fn changed_page_of_the_web_without_validators_is_not_mixed() {
    let changed: Vec<u8> = cargo(50_000).iter().map(|octet| octet ^ 1).collect();
    let now = changed.clone();
    let web = Web::start(move |asked| {
        match asked
            .field("range")
            .and_then(|range| range.strip_prefix("bytes="))
        {
            Some(first) => {
                let first: usize = first.trim_end_matches('-').parse().unwrap();
                let range = format!("Content-Range: bytes {first}-49999/*");
                let head = format!("HTTP/1.1 206 Part\r\n{range}\r\n\r\n");
                [head.as_bytes(), &now[first..]].concat()
            }
            None => [b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &now].concat(),
        }
    })
    .await;
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.part"), cargo(20_000)).unwrap();
    let state = format!("geomys transfer 1\nurl {}\n", web.url("/a"));
    fs::write(place.path().join("a.part.geomys"), state).unwrap();
    let (_, anew) = saved(&web.url("/a"), &path(&place)).await;
    assert_eq!(anew, 1);
    assert!(read(place.path()) == changed);
    assert_eq!(web.heard()[0].field("range"), Some("bytes=11808-"));
}

#[tokio::test]
async fn crash_after_the_name_leaves_no_second_name() {
    let archive = archive(Ways::default()).await;
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    // The file has its name, and its part was not removed.
    fs::write(at("a"), cargo(50_000)).unwrap();
    fs::hard_link(at("a"), at("a.part")).unwrap();
    let state = format!("geomys transfer 1\nurl {}\n", archive.url("/a"));
    fs::write(at("a.part.geomys"), state).unwrap();
    let (second, _) = saved(&archive.url("/a"), &Target::Free(at("a"))).await;
    assert_eq!(second.path, at("a (2)"));
    assert_eq!(names(place.path()), ["a", "a (2)"]);
    for name in ["a", "a (2)"] {
        assert_eq!(fs::metadata(at(name)).unwrap().nlink(), 1, "{name}");
    }
}

#[tokio::test]
async fn state_of_a_part_is_replaced_and_never_truncated() {
    let ways = Ways {
        cuts: vec![20_000, 10_000],
        ..Ways::default()
    };
    let archive = archive(ways).await;
    let place = tempfile::tempdir().unwrap();
    broken_off(&archive, &path(&place)).await;
    let state = place.path().join("a.part.geomys");
    let (old, kept) = (fs::read(&state).unwrap(), place.path().join("kept"));
    fs::hard_link(&state, &kept).unwrap();
    broken_off(&archive, &path(&place)).await;
    assert_ne!(fs::read(&state).unwrap(), old);
    assert_eq!(
        fs::read(&kept).unwrap(),
        old,
        "a crash leaves one of the two"
    );
}

#[tokio::test]
async fn state_without_its_part_is_swept() {
    let archive = archive(Ways::default()).await;
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let state = format!("geomys transfer 1\nurl {}\n", archive.url("/a"));
    fs::write(at("a.part.geomys"), state).unwrap();
    fs::write(at("b.part.geomys"), "somebody's own").unwrap();
    saved(&archive.url("/a"), &path(&place)).await;
    let target = Target::New(at("b"));
    saved(&archive.url("/a"), &target).await;
    assert_eq!(names(place.path()), ["a", "b", "b.part.geomys"]);
}
