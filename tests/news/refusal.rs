//! A refused login, and what is refused for now: the page shows the words of the server, and the keys for another login
//! and for a retry.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use geomys_testing::script::{assert_played, listen};

use crate::support::screen::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn refused_login_is_retried_with_the_stored_or_another_one() {
    let start = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\nS: 480 who\n";
    let stored = format!(
        "{start}C: AUTHINFO USER ada\nS: 381 and\nC: AUTHINFO PASS byron\nS: 502 Too many connections\n"
    );
    let other = format!(
        "{start}C: AUTHINFO USER bo\nS: 381 and\nC: AUTHINFO PASS mole\nS: 281 in\nC: CAPABILITIES\n\
         S: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\nS: 211 1 1 1 a\nC: OVER 1-1\nS: 224 x\n\
         S: 1\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\nsilence"
    );
    let again = stored.replace("connections\n", "connections still\n");
    let asks = format!("{start}C: AUTHINFO USER bo\nS: 381 and\nsilence");
    let (address, playing) = listen(&[&stored, &again, &asks, &other]).await;
    let profile = tempfile::tempdir().unwrap();
    let netrc = profile.path().join(".netrc");
    fs::write(&netrc, "machine 127.0.0.1 login ada password byron\n").unwrap();
    fs::set_permissions(&netrc, Permissions::from_mode(0o600)).unwrap();
    let session = Browser::in_profile(profile)
        .news(address)
        .open(format!("nntp://{address}/a"))
        .start();
    session.wait("502 Too many connections").await;
    session.wait("Enter other login   r retry").await;
    // The retry sends the stored login again, unasked.
    session.press("r");
    session.wait("502 Too many connections still").await;
    session.press("Enter");
    session.wait("Name at 127.0.0.1").await;
    session.type_in("bo");
    session.press("Enter");
    session.wait("Password of bo").await;
    session.type_in("mole");
    session.press("Enter");
    session.wait("A burrow").await;
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_login_is_kept_where_the_server_has_no_connection_left() {
    let start = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\nS: 480 who\n";
    let login = format!("{start}C: AUTHINFO USER bo\nS: 381 and\nC: AUTHINFO PASS mole\n");
    let scripts = [
        format!("{start}silence"),
        format!("{start}C: AUTHINFO USER bo\nS: 381 and\nsilence"),
        format!("{login}S: 482 Too many connections\n"),
        format!("{login}S: 481 Too many logins of bo\n"),
        format!("{login}S: 502 Login limit reached\n"),
        format!(
            "{login}S: 281 in\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\n\
             S: 211 1 1 1 a\nC: OVER 1-1\nS: 502 Download quota used up\n"
        ),
        format!(
            "{login}S: 281 in\nC: CAPABILITIES\nS: 101 x\nS: VERSION 2\nS: OVER\nS: .\nC: GROUP a\n\
             S: 211 1 1 1 a\nC: OVER 1-1\nS: 224 x\n\
             S: 1\tA burrow\tada@x\t14 Mar 1994\t<1@x>\t\t1\t1\nS: .\nsilence"
        ),
    ];
    let (address, playing) = listen(&scripts.each_ref().map(String::as_str)).await;
    let session = Browser::new().open(format!("nntp://{address}/a")).start();
    session.wait("Name at 127.0.0.1").await;
    session.type_in("bo");
    session.press("Enter");
    session.wait("Password of bo").await;
    session.type_in("mole");
    session.press("Enter");
    // It is sent again at each retry, and nothing is asked.
    for words in [
        "482 Too many connections",
        "481 Too many logins of bo",
        "502 Login limit reached",
    ] {
        session.wait(words).await;
        session.wait("etry later").await;
        session.press("r");
    }
    session
        .wait("refused this for now: 502 Download quota used up")
        .await;
    session.press("r");
    session.wait("A burrow").await;
    session.press("q");
    session.end().await;
    assert_played(playing).await;
}
