//! Screens of a login and of a failure.

mod tls_offers;

use geomys_demo::Demo;
use geomys_wire::net::Limits;

use crate::support::screen::Session;

macro_rules! snapshot {
    ($name:literal, $screen:expr) => {
        insta::with_settings!({ snapshot_path => "snapshots" }, {
            insta::assert_snapshot!($name, $screen);
        })
    };
}

#[tokio::test(flavor = "multi_thread")]
async fn login_and_failure_screens() {
    let demo = Demo::start().await.unwrap();
    let profile = tempfile::tempdir().unwrap();
    let addresses = [format!("ftp://ada@{}/", demo.addresses.ftp)];
    let session = Session::start(profile, None, &addresses, (80, 24), Limits::default());
    session.wait("Password of ada").await;
    session.type_in("byron");
    session.press("Enter");
    session.wait("530 That is not the password").await;
    snapshot!("login", session.screen());
    session.type_in("lovelace");
    session.press("Enter");
    session.wait("diary.txt").await;
    session.press("o");
    session.type_in(&format!(
        "ftp://{}/pub/nothing/here.txt",
        demo.addresses.ftp
    ));
    session.press("Enter");
    session.wait("Look in the directory above").await;
    snapshot!("failure", session.screen());
}
