//! FTP and news: servers that may require a login.

use geomys_demo::Demo;
use geomys_load::check::check;
use geomys_load::{Login, NewsQuery, Reason, Request};
use geomys_testing::ftp::Server;
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;
use rfc1738::Dialect;

use super::{line, short, verdict_text};

/// The verdict for an FTP server that plays these lines after its greeting and the login.
async fn ftp(rest: &str, script: &str) -> String {
    let login =
        "S: 220 hello\nC: USER anonymous\nS: 331 who\nC: PASS geomys@\nS: 230 in\nC: FEAT\n";
    let (address, peer) = listen(&[&format!("{login}{script}")]).await;
    let verdict = verdict_text(&format!("ftp://{address}/{rest}")).await;
    assert_played(peer).await;
    verdict
}

#[tokio::test]
async fn ftp_check_uses_mlst_cwd_or_size() {
    // There is no data connection, so only the replies to the other commands count.
    let no_data = "C: EPSV\nS: 500 what\nC: PASV\nS: 500 what";
    let size = "C: CWD a.txt\nS: 550 no\nC: TYPE I\nS: 200 ok\nC: SIZE a.txt\nS: 213 12";
    let old = "S: 500 what\nC: PWD\nS: 257 \"/\"\n";
    let new = "S: 211-x\nS:  MLST type*;\nS: 211 end\nC: PWD\nS: 257 \"/\"\n";
    for (rest, script, expected) in [
        ("pub/", "C: CWD pub\nS: 250 ok", "alive"),
        (
            "pub/",
            "C: CWD pub\nS: 550 No such directory",
            "dead: 550 No such directory",
        ),
        (
            "pub/",
            "C: CWD pub\nS: 550 Permission denied",
            "refused: 550 Permission denied",
        ),
        ("pub/", "C: CWD pub\nS: 450 busy", "unreachable: 450 busy"),
        ("pub", "C: CWD pub\nS: 250 ok", "alive"),
        ("a.txt", &format!("{size}\n{no_data}"), "alive"),
        (
            "a.txt",
            "C: CWD a.txt\nS: 550 no\nC: TYPE I\nS: 200 ok\nC: SIZE a.txt\nS: 550 No such file\nC: MDTM a.txt\nS: 550 no",
            "dead: 550 No such file",
        ),
        (
            "a.txt",
            &format!(
                "C: CWD a.txt\nS: 550 no\nC: TYPE I\nS: 200 ok\nC: SIZE a.txt\nS: 502 what\nC: MDTM a.txt\nS: 213 19941220000000\n{no_data}"
            ),
            "alive",
        ),
        (
            "a.txt",
            "C: CWD a.txt\nS: 550 no\nC: TYPE I\nS: 200 ok\nC: SIZE a.txt\nS: 500 what\nC: MDTM a.txt\nS: 500 what",
            "refused: the server reports nothing about a file (no MLST, SIZE or MDTM)",
        ),
    ] {
        assert_eq!(
            ftp(rest, &format!("{old}{script}")).await,
            expected,
            "{rest} {script}"
        );
    }
    let script = format!(
        "C: MLST a.txt\nS: 250-x\nS:  type=file;size=3; a.txt\nS: 250 end\nC: TYPE I\nS: 200 ok\n{no_data}"
    );
    assert_eq!(ftp("a.txt", &format!("{new}{script}")).await, "alive");
}

#[tokio::test]
async fn file_that_is_found_but_not_sent_is_not_alive() {
    for (reply, expected) in [
        ("550 Failed to open file.", "refused"),
        ("150 Here it comes", "alive"),
    ] {
        let server = Server::start(async move |door| {
            let mut peer = door.accept_anonymous().await;
            // vsftpd tells the size of a file that nobody may read.
            peer.answer("CWD a.txt", "550 Failed to change directory.")
                .await;
            peer.answer("TYPE I", "200 Yes").await;
            peer.answer("SIZE a.txt", "213 12").await;
            let data = peer.open_data_port().await;
            peer.answer("RETR a.txt", reply).await;
            drop(data);
        })
        .await;
        let verdict = verdict_text(&server.url("/a.txt")).await;
        assert!(verdict.starts_with(expected), "{verdict}");
        server.done().await;
    }
}

#[tokio::test]
async fn ftp_check_without_login_is_refused_or_unreachable() {
    for (script, expected) in [
        (
            "S: 220 hello\nC: USER anonymous\nS: 530 members only",
            "refused: 127.0.0.1:PORT requires a user name, but there is no terminal to ask for it: 530 members only",
        ),
        (
            "S: 421 too many",
            "unreachable: 127.0.0.1:PORT refused the connection: 421 too many",
        ),
    ] {
        let (address, peer) = listen(&[script]).await;
        let verdict = verdict_text(&format!("ftp://{address}/pub/")).await;
        assert_played(peer).await;
        assert_eq!(
            verdict.replace("127.0.0.1 requires", "127.0.0.1:PORT requires"),
            expected
        );
    }
    let demo = Demo::start().await.unwrap();
    let ftp = demo.addresses.ftp;
    for (rest, expected) in [
        ("pub/", "alive"),
        ("pub", "alive"),
        ("pub/nothing", "dead"),
        ("nowhere/at/all", "dead"),
    ] {
        let verdict = verdict_text(&format!("ftp://{ftp}/{rest}")).await;
        assert!(verdict.starts_with(expected), "{rest}: {verdict}");
    }
    let url = Dialect::Extended
        .parse(&format!("ftp://ada@{ftp}/"))
        .unwrap();
    let net = Net::new(short());
    let anonymous = check(&net, &Request::show(url.clone(), Reason::Typed)).await;
    assert_eq!(line(&anonymous.verdict), "refused: ada requires a password");
    let request = Request {
        login: Some(Login::new("ada", "lovelace")),
        ..Request::show(url, Reason::Typed)
    };
    assert_eq!(line(&check(&net, &request).await.verdict), "alive");
}

#[tokio::test]
async fn news_check_uses_group_stat_or_greeting() {
    let demo = Demo::start().await.unwrap();
    let news = demo.addresses.news;
    let net = Net::new(short());
    for (url, expected) in [
        (format!("nntp://{news}/geomys.demo.announce"), "alive"),
        (format!("nntp://{news}/geomys.demo.announce/1"), "alive"),
        (
            format!("nntp://{news}/geomys.demo.announce/4711"),
            "dead: 127.0.0.1:PORT has no article 4711 in geomys.demo.announce: 423",
        ),
        (
            format!("nntp://{news}/no.such.group"),
            "dead: 127.0.0.1:PORT has no group no.such.group: 411",
        ),
        ("news:*".to_owned(), "alive"),
        ("news:geomys.demo.announce".to_owned(), "alive"),
        (
            "news:nobody@nowhere.example".to_owned(),
            "dead: 127.0.0.1:PORT does not have the article nobody@nowhere.example: 430",
        ),
        (
            "news:geomys.demo.attic".to_owned(),
            "refused: 127.0.0.1 requires a user name",
        ),
    ] {
        let request = Request {
            news_query: NewsQuery {
                server: Some((news.ip().to_string(), news.port()).into()),
                ..NewsQuery::default()
            },
            ..Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed)
        };
        let verdict = line(&check(&net, &request).await.verdict);
        assert!(verdict.starts_with(expected), "{url}: {verdict}");
    }
    assert_eq!(
        verdict_text("news:comp.risks").await,
        "refused: no news server is set: use --server, news-server in settings.toml, or $NNTPSERVER"
    );
}

#[tokio::test]
async fn news_check_fetches_no_article() {
    let script = "\
        S: 200 hello
        C: CAPABILITIES
        S: 101 here
        S: VERSION 2
        S: READER
        S: .
        C: STAT <a@b>
        S: 223 0 <a@b>
    ";
    let (address, peer) = listen(&[script]).await;
    let request = Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            ..NewsQuery::default()
        },
        ..Request::show(Dialect::Extended.parse("news:a@b").unwrap(), Reason::Typed)
    };
    let net = Net::new(short());
    assert_eq!(line(&check(&net, &request).await.verdict), "alive");
    assert_played(peer).await;
}
