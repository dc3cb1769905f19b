//! A mirror that is browsed: `geomys DIR/` shows its files as the pages of the site.

use std::fs;

use geomys_testing::hole::{Hole, menu};

use super::site::{Pages, capsule, files_below, set};
use crate::support::command::geomys;
use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_mirrored_hole_open_its_files() {
    let hole = Hole::start(|selector, here| match selector {
        "" => menu(
            &[
                "iThe hall\t\terror.host\t1",
                "1The docs\t/docs\t@",
                "0Too late\t/late\t@",
            ],
            here,
        ),
        "/docs" => menu(&["0Inside\t/docs/in\t@", "9Octets\t/docs/o.bin\t@"], here),
        "/docs/in" => b"Words of the inside\r\n.\r\n".to_vec(),
        "/docs/o.bin" => vec![0, 1, 2, 3],
        "/late" => b"Words of the server\r\n.\r\n".to_vec(),
        _ => b"3No\t\terror.host\t1\r\n.\r\n".to_vec(),
    })
    .await;
    let (profile, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let here = directory.path().join("here");
    let url = format!("gopher://{}/", hole.address);
    let (config, into) = (profile.path().to_str().unwrap(), here.to_str().unwrap());
    let arguments = [
        "--config",
        config,
        "get",
        "-r",
        "--exclude",
        "late",
        "-o",
        into,
        &url,
    ];
    let output = geomys(&arguments, "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    // The rules of the host for the page above are no page.
    let asked = || {
        let requests = hole.requests().into_iter();
        let pages = requests.filter(|selector| !selector.ends_with("caps.txt"));
        pages.collect::<Vec<_>>()
    };
    let (before, files) = (asked(), files_below(&here));
    assert!(!files.contains(&"late".to_owned()), "{files:?}");

    let session = Browser::in_profile(profile)
        .size((100, 24))
        .open(format!("{into}/"))
        .start();
    session.wait("The hall").await;
    session.press("1 Enter");
    session.wait("Inside").await;
    session.press("1 Enter");
    session.wait("Words of the inside").await;
    session.press("Y");
    session.wait("Copied").await;
    let copied = session.copied.lock().unwrap().clone();
    assert_eq!(copied, [format!("{url}0/docs/in")]);
    session.press("Backspace");
    session.wait("Octets").await;
    session.press("u");
    session.wait("The hall").await;
    assert_eq!(asked(), before);
    session.press("2 Enter");
    session.wait("Words of the server").await;
    assert_eq!(asked().len(), before.len() + 1);
    session.terminate().await;
    assert_eq!(files_below(&here), files);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_and_media_types_of_a_mirrored_capsule_hold() {
    let pages = Pages::default();
    set(&pages, "/docs/", "# The capsule\n=> old The old page\n");
    set(&pages, "/docs/old", "31 /docs/new\r\n");
    set(&pages, "/docs/new", "# The new page\n=> . Up\n");
    let capsule = capsule(&pages).await;
    let (profile, directory) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let here = directory.path().join("here");
    let (config, into) = (profile.path().to_str().unwrap(), here.to_str().unwrap());
    let url = capsule.url("/docs/");
    let output = geomys(&["--config", config, "get", "-r", "-o", into, &url], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(fs::exists(here.join("new")).unwrap());
    drop(capsule);
    let session = Browser::in_profile(profile)
        .size((100, 24))
        .open(format!("{into}/"))
        .start();
    session.wait("The capsule").await;
    session.press("1 Enter");
    session.wait("The new page").await;
    session.press("1 Enter");
    session.wait("The old page").await;
    session.terminate().await;
}
