//! nginx.

use geomys_load::{Login, Question, Reason, Request};
use geomys_testing::loading::{carry_out, show, target, texts, url};
use geomys_wire::net::Net;

use super::{Servers, assert_same, saves};
use crate::support::command::{geomys, text};

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn index_links_open_their_files() {
    let servers = Servers::named();
    let net = Net::default();
    let index = show(&net, format!("http://{}/names/", servers.web))
        .await
        .whole()
        .document();
    for (name, expected) in [
        ("a name with blanks.txt", "blanks"),
        ("number #1; 100%.txt", "marks"),
    ] {
        let rows = texts(&index);
        let row = rows.iter().find(|row| row.starts_with(name)).unwrap();
        let file = show(&net, target(&index, row)).await.whole();
        assert_eq!(texts(&file.document()), [expected]);
    }
    // Without its slash it is redirected.
    let moved = show(&net, format!("http://{}/names", servers.web))
        .await
        .whole();
    assert_eq!(moved.place(), url(format!("http://{}/names/", servers.web)));
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn gzip_text_loads_octet_for_octet() {
    let servers = Servers::named();
    for path in ["text.txt", "page.html"] {
        let address = format!("http://{}/{path}", servers.web);
        let loaded = show(&Net::default(), &address).await.whole();
        let file = servers.file(format!("web/{path}"));
        assert_same(&loaded.octets, &file);
        // It came in gzip, so its size is unknown.
        assert_eq!(loaded.begin.unwrap().size, None);
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn redirects_are_followed_and_a_loop_fails() {
    let servers = Servers::named();
    let output = geomys(
        &["dump", "--raw", &format!("http://{}/moved", servers.web)],
        "",
    );
    assert_same(&output.stdout, &servers.file("web/text.txt"));
    assert!(text(&output.stderr).starts_with("redirected from"));
    let output = geomys(&["dump", &format!("http://{}/round", servers.web)], "");
    assert_eq!(output.status.code(), Some(1));
    let output = geomys(&["dump", &format!("http://{}/missing", servers.web)], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("404 Not Found"));
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn interrupted_download_resumes() {
    let servers = Servers::named();
    let address = format!("http://{}/octets.bin", servers.web);
    let file = servers.file("web/octets.bin");
    saves(&Net::default(), &address, &file).await;

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("octets.bin");
    let part = directory.path().join("octets.bin.part");
    std::fs::write(&part, &file[..300_000]).unwrap();
    let state = format!("geomys transfer 1\nurl {address}\nsize 700000\noctets 300000\n");
    std::fs::write(directory.path().join("octets.bin.part.geomys"), state).unwrap();
    let output = geomys(&["get", &address, "-o", path.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_same(&std::fs::read(&path).unwrap(), &file);
    assert!(!part.exists());
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn charset_comes_from_header() {
    let servers = Servers::named();
    let output = geomys(
        &["dump", &format!("http://{}/koi8/russian.txt", servers.web)],
        "",
    );
    assert_eq!(text(&output.stdout), "Привет\n");
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn login_opens_members_page() {
    let servers = Servers::named();
    let address = format!("http://{}/members/list.txt", servers.web);
    let question = show(&Net::default(), &address).await.question();
    assert!(matches!(question, Question::Login { .. }), "{question:?}");
    let with = |password: &str| Request {
        login: Some(Login::new("ada", password)),
        ..Request::show(url(&address), Reason::Typed)
    };
    let question = carry_out(&Net::default(), with("wrong")).await.question();
    assert!(
        matches!(question, Question::Password { .. }),
        "{question:?}"
    );
    let loaded = carry_out(&Net::default(), with("byron")).await.whole();
    assert_eq!(loaded.octets, b"Ada\n");
}
