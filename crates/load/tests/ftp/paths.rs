//! The commands for a URL's path (RFC 1738, section 3.2.2).

use geomys_testing::ftp::Server;
use geomys_testing::loading::{show, target, texts, url};
use geomys_wire::net::Net;

const LIST: &str = "-rw-r--r-- 1 ftp ftp 12 Mar 14 1994 a file\r\n";

/// Shows the path at a server that hears these commands before LIST, each answered by 250.
async fn lists(path: &str, commands: &'static [&[u8]]) {
    let server = Server::start(async move |door| {
        let mut peer = door.accept_anonymous().await;
        for command in commands {
            peer.answer(command, "250 Yes").await;
        }
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    let page = show(&net, server.url(path)).await.whole();
    assert_eq!(page.octets, LIST.as_bytes());
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn each_segment_is_one_cwd() {
    lists("", &[]).await;
    lists("/", &[]).await;
    lists("/;type=d", &[]).await;
    lists("/a/b%20c/", &[b"CWD a", b"CWD b c"]).await;
    lists("/a/b;type=d", &[b"CWD a", b"CWD b"]).await;
    lists("/a/b", &[b"CWD a", b"CWD b"]).await;
    lists("/%2Fetc/x;type=d", &[b"CWD /etc", b"CWD x"]).await;
}

#[tokio::test]
async fn name_octets_are_sent_unchanged() {
    lists("/caf%E9/", &[b"CWD caf\xe9"]).await;
    lists("/caf%C3%A9/", &[b"CWD caf\xc3\xa9"]).await;
    lists("/a%3Btype=i/%23x;type=d", &[b"CWD a;type=i", b"CWD #x"]).await;
    lists("/-R/%20x%20/", &[b"CWD -R", b"CWD  x "]).await;
    lists("/voil%C3%A0%A0%85;type=d", &[b"CWD voil\xc3\xa0\xa0\x85"]).await;
    // Telnet doubles the octet 255.
    lists("/%FF/", &[b"CWD \xff\xff"]).await;
}

#[tokio::test]
async fn refused_empty_segment_is_skipped() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("PWD", "257 \"/\"").await;
        peer.answer("CWD ", "501 CWD wants a name").await;
        peer.answer("CWD etc", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("//etc/")).await.whole();
    // And the server says so.
    let remarks: Vec<&str> = page
        .remarks
        .iter()
        .map(|remark| remark.title.as_str())
        .collect();
    assert_eq!(remarks, ["an empty name"]);
    server.done().await;
}

#[tokio::test]
async fn empty_segment_that_stays_is_kept_as_in_the_rfc() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("PWD", "257 \"/home\"").await;
        peer.answer("CWD ", "250 Yes").await;
        peer.answer("PWD", "257 \"/home\"").await;
        peer.answer("CWD etc", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("//etc/")).await.whole();
    assert!(page.remarks.is_empty(), "{:?}", page.remarks);
    server.done().await;
}

#[tokio::test]
async fn empty_segment_that_leads_elsewhere_is_undone() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.answer("PWD", "257 \"/pub\"").await;
        peer.answer("CWD ", "250 Home").await;
        peer.answer("PWD", "257 \"/\"").await;
        peer.answer("CWD /pub", "250 Yes").await;
        peer.answer("CWD etc", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/pub//etc/"))
        .await
        .whole();
    assert_eq!(page.remarks.len(), 1);
    server.done().await;
}

#[tokio::test]
async fn type_d_with_pattern_lists_matching_names() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.answer("CWD *.txt", "550 No directory").await;
        // LIST of the contents of a directory that matches is not shown.
        peer.serve(
            "LIST *.txt",
            "d.txt:\r\n-rw-r--r-- 1 f f 1 Mar 14 1994 c.txt\r\n",
        )
        .await;
        peer.say("226 Done").await;
        peer.serve("NLST *.txt", "a.txt\r\nb.txt\r\n").await;
        peer.say("226 Done").await;
        peer.answer("CWD /", "250 Home").await;
        peer.answer("CWD -l*", "550 No directory").await;
        // The server would read it as an option of ls.
        let _data = peer.open_data_port().await;
        peer.answer("LIST ./-l*", "550 No such thing").await;
        let _data = peer.open_data_port().await;
        peer.answer("NLST ./-l*", "550 No such thing").await;
    })
    .await;
    let net = Net::default();
    let page = show(&net, server.url("/pub/*.txt;type=d")).await.whole();
    assert_eq!(page.place().as_str(), server.url("/pub;type=d"));
    let document = page.document();
    assert_eq!(texts(&document), ["..", "a.txt", "b.txt"]);
    let first = target(&document, "a.txt");
    assert_eq!(first.as_str(), server.url("/pub/a.txt"));
    let failure = show(&net, server.url("/-l*;type=d")).await.failure();
    assert_eq!(failure.said[0].as_str(), "550 No directory");
    server.done().await;
}

#[tokio::test]
async fn refused_directory_is_refused_once_and_not_listed() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        // vsftpd would answer LIST with the entry of the directory itself.
        peer.answer("CWD b", "550 Failed to change directory.")
            .await;
        peer.answer("CWD /", "250 Home").await;
        // A directory with a sign of a pattern in its name.
        let entry = "drwx------ 2 0 0 6 Nov 20 10:00 b*\r\n";
        peer.answer("CWD b*", "550 Failed to change directory.")
            .await;
        peer.serve("LIST b*", entry).await;
        peer.say("226 Done").await;
        peer.serve("NLST b*", "b*\r\n").await;
        peer.say("226 Done").await;
        peer.expect_close().await;
    })
    .await;
    let net = Net::default();
    for path in ["/b;type=d", "/b*;type=d"] {
        let failure = show(&net, server.url(path)).await.failure();
        let said: Vec<&str> = failure
            .said
            .iter()
            .map(geomys_wire::text::Text::as_str)
            .collect();
        assert_eq!(said, ["550 Failed to change directory."], "{path}");
    }
    drop(net);
    server.done().await;
}

#[tokio::test]
async fn type_d_with_pattern_lists_sizes_and_dates() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.answer("CWD *.txt", "550 No directory").await;
        let lines =
            "-rw-r--r-- 1 f f 1234 Mar 14 1994 a.txt\r\n-rw-r--r-- 1 f f 99 Mar 14 1994 b.txt\r\n";
        peer.serve("LIST *.txt", lines).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/pub/*.txt;type=d"))
        .await
        .whole();
    assert_eq!(page.place().as_str(), server.url("/pub;type=d"));
    let document = page.document();
    assert_eq!(texts(&document), ["..", "a.txt", "b.txt"]);
    let first = target(&document, "a.txt");
    assert_eq!(first.as_str(), server.url("/pub/a.txt"));
    let row = document.row(1).expect("a row");
    let aside = row.aside.expect("a size and a date");
    assert_eq!(aside.as_str().trim(), "1.2 kB  1994-03-14");
    server.done().await;
}

#[tokio::test]
async fn forbidden_directory_is_crossed_by_the_joined_path() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD home", "550 Not you").await;
        peer.answer("CWD home/me/pub", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    show(&Net::default(), server.url("/home/me/pub/"))
        .await
        .whole();
    server.done().await;
}

#[tokio::test]
async fn file_in_forbidden_directory_is_fetched_by_full_path() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD home", "550 Not you").await;
        peer.answer("TYPE I", "200 Yes").await;
        peer.answer("SIZE home/note.txt", "500 What?").await;
        peer.serve("RETR home/note.txt", "hello\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/home/note.txt;type=i"))
        .await
        .whole();
    assert_eq!(page.octets, b"hello\r\n");
    server.done().await;
}

#[tokio::test]
async fn type_a_is_text_and_sends_no_size_command() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.serve("RETR x.zip", "hello\r\n").await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/x.zip;type=a"))
        .await
        .whole();
    assert_eq!(page.octets, b"hello\r\n");
    server.done().await;
}

#[tokio::test]
async fn path_that_is_a_directory_gets_type_d() {
    let server = Server::start(async |door| {
        let mut peer = door.accept_anonymous().await;
        peer.answer("CWD pub", "250 Yes").await;
        peer.serve("LIST", LIST).await;
        peer.say("226 Done").await;
    })
    .await;
    let page = show(&Net::default(), server.url("/pub")).await.whole();
    assert_eq!(page.place().as_str(), server.url("/pub;type=d"));
    let document = page.document();
    assert_eq!(texts(&document), ["..", "a file"]);
    assert_eq!(
        target(&document, "a file").as_str(),
        server.url("/pub/a%20file")
    );
    assert_eq!(target(&document, "..").as_str(), server.url("/;type=d"));
    server.done().await;
}

#[tokio::test]
async fn line_break_in_path_is_not_sent() {
    for path in ["/a%0D%0ADELE%20x/", "/%0a;type=d", "/x/%00"] {
        // No server listens there: a connection would be refused.
        let failure = show(&Net::default(), format!("ftp://127.0.0.1:2121{path}"))
            .await
            .failure();
        assert!(failure.sentence.starts_with("not sent: "), "{failure:?}");
    }
    let failure = show(&Net::default(), "ftp://a%0Db:c@127.0.0.1:2121/")
        .await
        .failure();
    assert!(
        failure.sentence.contains("an encoded line break"),
        "{failure:?}"
    );
}

#[test]
fn planned_commands_are_listed() {
    for (address, commands) in [
        ("ftp://h.example", "LIST"),
        ("ftp://h.example/a%20b/c", "CWD a b, TYPE I, RETR c"),
        ("ftp://h.example/c;type=a", "TYPE A, RETR c"),
        ("ftp://h.example/%2Fetc/x;type=d", "CWD /etc, CWD x, LIST"),
        ("ftp://h.example/%E9/", "CWD \\xe9, LIST"),
    ] {
        assert_eq!(
            geomys_load::request_preview(&url(address)).as_deref(),
            Some(commands)
        );
    }
    assert_eq!(
        geomys_load::request_preview(&url("ftp://h.example/a%0Ab")),
        None
    );
}

#[test]
fn with_type_replaces_the_type() {
    use rfc1738::FtpType;
    for (address, expected) in [
        ("ftp://u:p@h.example/a/b", "ftp://u:p@h.example/a/b;type=d"),
        ("ftp://h.example/a;type=i", "ftp://h.example/a;type=d"),
        ("ftp://h.example", "ftp://h.example/;type=d"),
    ] {
        let typed = url(address).with_type(FtpType::Directory).unwrap();
        assert_eq!(typed.as_str(), expected);
    }
    assert!(
        url("gopher://h.example/")
            .with_type(FtpType::Directory)
            .is_err()
    );
}
