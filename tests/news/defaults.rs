//! Request defaults: the browser and the subcommands send the same logins to the same servers.

use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::support::command::{geomys_in, text};
use crate::support::screen::Browser;

const ARTICLE: &str = "220 0 <rain@h.example>\r\nFrom: Ada <ada@h.example>\r\nSubject: Rain\r\n\
    Message-ID: <rain@h.example>\r\n\r\nIt rained for members.\r\n.\r\n";

/// A server that has one article, for its member `ada` alone; or one without any article.
async fn serve(has_article: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(talk(stream, has_article));
        }
    });
    address
}

async fn talk(stream: TcpStream, has_article: bool) {
    let (reader, mut writer) = stream.into_split();
    let mut lines = BufReader::new(reader).lines();
    let mut is_member = false;
    let mut reply = "200 hi\r\n";
    loop {
        if writer.write_all(reply.as_bytes()).await.is_err() {
            return;
        }
        let Ok(Some(line)) = lines.next_line().await else {
            return;
        };
        reply = match line.as_str() {
            "CAPABILITIES" => "101 here\r\nVERSION 2\r\nREADER\r\nAUTHINFO USER\r\n.\r\n",
            "AUTHINFO USER ada" => "381 and\r\n",
            "AUTHINFO PASS byron" => {
                is_member = true;
                "281 in\r\n"
            }
            line if !line.starts_with("ARTICLE") => "500 what\r\n",
            _ if !has_article => "430 no such article\r\n",
            _ if is_member => ARTICLE,
            _ => "480 members only\r\n",
        };
    }
}

/// A profile with a server that lacks the article, and one that has it for those in netrc.
async fn profile() -> (TempDir, SocketAddr) {
    let (empty, members) = (serve(false).await, serve(true).await);
    let profile = tempfile::tempdir().unwrap();
    let settings = format!("news-server = \"{empty}\"\n[news]\nservers = [\"{members}\"]\n");
    fs::write(profile.path().join("settings.toml"), settings).unwrap();
    let netrc = profile.path().join(".netrc");
    fs::write(&netrc, "machine 127.0.0.1 login ada password byron\n").unwrap();
    fs::set_permissions(&netrc, Permissions::from_mode(0o600)).unwrap();
    (profile, empty)
}

#[tokio::test(flavor = "multi_thread")]
async fn fallback_news_server_gets_the_netrc_login_from_the_browser() {
    let (profile, empty) = profile().await;
    let session = Browser::in_profile(profile)
        .news(empty)
        .open("news:rain@h.example")
        .start();
    session.wait("It rained for members.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fallback_news_server_gets_the_netrc_login_from_dump() {
    let (profile, _) = profile().await;
    let directory = profile.path().to_str().unwrap();
    let arguments = ["dump", "--config", directory, "news:rain@h.example"];
    let output = geomys_in(&[("HOME", directory)], &arguments, "");
    let (page, errors) = (text(&output.stdout), text(&output.stderr));
    assert!(page.contains("It rained for members."), "{page}{errors}");
}
