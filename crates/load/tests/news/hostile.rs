//! Broken or hostile servers: an error each time, the connection closed, received rows shown, no panic.

use geomys_load::{Caution, NewsQuery, Reason, Request, Stop, request_preview};
use geomys_page::document::{Document, Shape};
use geomys_testing::loading::short_timeouts;
use geomys_testing::script::{assert_played, listen};
use geomys_wire::net::Net;
use geomys_wire::text::CharsetSetting;
use rfc1738::{Dialect, Url};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;

use super::{Loaded, document, load};

const HELLO: &str = "S: 200 hi\nC: CAPABILITIES\nS: 101 here\nS: VERSION 2\nS: OVER\nS: .\n";
const GROUP: &str = "C: GROUP a\nS: 211 2 1 2 a\n";

/// The result of a load of `path` from a server that plays `script`; checks that a later load reconnects.
async fn load_hostile(script: &str, path: &str) -> Loaded {
    let after = format!("{HELLO}C: GROUP z\nS: 211 0 1 0 z\nsilence");
    let (address, playing) = listen(&[script, &after]).await;
    let net = short_timeouts();
    let at = |path: &str| {
        let (host, port) = (address.ip().to_string(), address.port());
        let url = match path.strip_prefix("news:") {
            Some(_) => path.to_owned(),
            None => format!("nntp://{address}/{path}"),
        };
        Request {
            news_query: NewsQuery {
                server: Some((host, port).into()),
                ..NewsQuery::default()
            },
            ..Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed)
        }
    };
    let loaded = load(&net, at(path)).await;
    let later = load(&net, at("z")).await;
    assert!(
        later.end.is_ok(),
        "{script}: no second connection: {later:?}"
    );
    drop(net);
    assert_played(playing).await;
    loaded
}

/// The error text of a failed load with the server's words; checks that it has no control characters.
fn failure_text(loaded: &Loaded) -> String {
    let (sentence, said) = loaded.failure();
    let failure_text = [&[sentence.to_owned()], said.as_slice()]
        .concat()
        .join(" / ");
    assert!(
        !failure_text.chars().any(char::is_control),
        "{failure_text:?}"
    );
    assert!(
        failure_text.len() < 70_000 && sentence.len() < 300,
        "{}",
        failure_text.len()
    );
    failure_text
}

/// The rows of a load; checks that they have no control characters.
fn rows(loaded: &Loaded) -> Vec<String> {
    let begin = loaded.begin.as_ref().expect("a page");
    let mut page = Document::new(
        Url::parse("nntp://h/a").unwrap(),
        begin.shape,
        CharsetSetting::default(),
    );
    page.append(&loaded.octets);
    let page = page.finished();
    let rows = (0..page.count()).map(|number| {
        let row = page.row(number).unwrap();
        let lead = row.lead.as_ref().map_or(String::new(), ToString::to_string);
        let text = format!("{lead}|{}", row.text());
        assert!(!text.chars().any(char::is_control), "{text:?}");
        text
    });
    rows.collect()
}

#[tokio::test]
async fn greetings_of_other_protocols_fail() {
    let silent = "sent nothing";
    let odd = "did not answer as a news server";
    for (script, expected) in [
        ("S: 220 mail.example ESMTP\nsilence", odd),
        ("S: SSH-2.0-OpenSSH_9.9\nsilence", odd),
        ("S: HTTP/1.1 400 Bad Request\nsilence", odd),
        ("S| \\x15\\x03\\x01\\x00\\x02\\x02\\x0a\nsilence", odd),
        ("S: 200\\\nC: CAPABILITIES\nS: 999 what\nsilence", odd),
        ("S| \\r\\n\\r\\n\nsilence", odd),
        ("S| 200 hi\nsilence", silent),
        ("silence", silent),
        ("", "closed the connection before it answered"),
        ("S| 20", "closed the connection in the middle of a line"),
    ] {
        let loaded = load_hostile(script, "a").await;
        assert!(loaded.begin.is_none());
        let failure_text = failure_text(&loaded);
        assert!(failure_text.contains(expected), "{script}: {failure_text}");
    }
    let long_line = format!("S| 200 {}\nsilence", "x".repeat(200_000));
    let failure_text = failure_text(&load_hostile(&long_line, "a").await);
    assert!(
        failure_text.contains("65536")
            || failure_text.contains("64 KiB")
            || failure_text.contains("line"),
        "{failure_text}"
    );
}

#[tokio::test]
async fn unexpected_replies_fail() {
    let odd = "did not answer as a news server";
    for (rest, path, expected) in [
        // Another reply of the same protocol, with a block that would stay unread.
        (
            "C: GROUP a\nS: 215 list\nS: a 1 1 y\nS: .\nsilence",
            "a",
            odd,
        ),
        ("C: GROUP a\nS: 100 help\nS: .\nsilence", "a", odd),
        ("C: GROUP a\nS: nonsense\nsilence", "a", odd),
        ("C: GROUP a\nS: 2111 2 1 2 a\nsilence", "a", odd),
        ("C: GROUP a\nS: 999 2 1 2 a\nsilence", "a", odd),
        (
            "C: GROUP a\nS: 403 on fire\nsilence",
            "a",
            "refused the command / 403 on fire",
        ),
        (
            "C: GROUP a\nS: 412 none\nsilence",
            "a",
            "refused the command / 412 none",
        ),
        ("C: GROUP a\nS: 502 no\nsilence", "a", "denies access"),
        (
            "C: GROUP a\nS: 211 2 1 2 a\nC: ARTICLE 1\nS: 223 1 <a@b>\nsilence",
            "a/1",
            odd,
        ),
        // This one is valid, and the connection would be pooled if the server did not close it.
        (
            "C: GROUP a\nS: 211 2 1 2 a\nC: ARTICLE 1\nS: 420 none is current",
            "a/1",
            "has no article 1 in a",
        ),
        (
            "C: ARTICLE <a@b>\nS: 412 no group\nsilence",
            "news:a@b",
            "refused the command",
        ),
        (
            "C: LIST ACTIVE a.*\nS: 211 1 1 1 a\nsilence",
            "news:a.*",
            odd,
        ),
    ] {
        let loaded = load_hostile(&format!("{HELLO}{rest}"), path).await;
        let failure_text = failure_text(&loaded);
        assert!(failure_text.contains(expected), "{rest}: {failure_text}");
    }
}

#[tokio::test]
async fn unsolicited_block_ends_the_dialogue() {
    // In one piece with the reply, or a little later.
    let script = format!("{HELLO}C: GROUP a\nS| 211 2 1 2 a\\r\\n1\\r\\n2\\r\\n.\\r\\n\nsilence");
    let loaded = load_hostile(&script, "a").await;
    let failure_text = failure_text(&loaded);
    assert!(
        failure_text.contains("sent more than requested"),
        "{failure_text}"
    );
    let script = format!("{HELLO}{GROUP}C: OVER 1-2\nS: 1\nS: 2\nS: .\nsilence");
    let loaded = load_hostile(&script, "a").await;
    let failure_text = self::failure_text(&loaded);
    assert!(
        failure_text.contains("did not answer as a news server"),
        "{failure_text}"
    );
}

#[tokio::test]
async fn block_without_final_dot_fails() {
    let article = "C: ARTICLE <a@b>\nS: 220 0 <a@b>\nS: Subject: x\nS: \nS: hello\n";
    for (end, expected) in [
        ("", "closed the connection in the middle of the reply"),
        ("silence", "sent nothing"),
    ] {
        let loaded = load_hostile(&format!("{HELLO}{article}{end}"), "news:a@b").await;
        assert!(failure_text(&loaded).contains(expected), "{loaded:?}");
        assert!(rows(&loaded).contains(&"|hello".to_owned()));
        let over = format!("{GROUP}C: OVER 1-2\nS: 224 x\nS: 2\tnew\tada@x\n{end}");
        let loaded = load_hostile(&format!("{HELLO}{over}"), "a").await;
        assert!(failure_text(&loaded).contains(expected), "{loaded:?}");
        assert_eq!(rows(&loaded), ["ada@x|new"]);
        let list = format!(
            "C: DATE\nS: 500 what\nC: LIST ACTIVE\nC: LIST NEWSGROUPS\nS: 215 x\nS: a.b 9 1 y\n{end}"
        );
        let loaded = load_hostile(&format!("{HELLO}{list}"), "news:*").await;
        assert!(failure_text(&loaded).contains(expected), "{loaded:?}");
        assert_eq!(rows(&loaded), ["|a.b"]);
    }
    // Within CAPABILITIES. Servers that do not support the command close there.
    let script = "S: 200 hi\nC: CAPABILITIES\nS: 101 x\nS: OVER\nsilence";
    assert!(failure_text(&load_hostile(script, "a").await).contains("sent nothing"));
}

#[tokio::test]
async fn final_dot_may_end_with_lf() {
    let script = format!(
        "{HELLO}C: ARTICLE <a@b>\nS| 220 0\\nSubject: x\\n\\n..\\n. \\n.\\n\n\
         C: GROUP z\nS: 211 0 1 0 z\nsilence"
    );
    let (address, playing) = listen(&[&script]).await;
    let net = Net::default();
    let at = |url: &str| Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            ..NewsQuery::default()
        },
        ..Request::show(Dialect::Extended.parse(url).unwrap(), Reason::Typed)
    };
    let loaded = load(&net, at("news:a@b")).await;
    assert!(loaded.end.is_ok(), "{loaded:?}");
    assert_eq!(loaded.octets, b"Subject: x\r\n\r\n.\r\n \r\n");
    // The dialogue is in sync.
    assert!(load(&net, at("news:z")).await.end.is_ok());
    drop(net);
    assert_played(playing).await;
}

#[tokio::test]
async fn escape_sequences_are_removed() {
    let escape = "\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\xe2\\x80\\xae";
    let script = format!("{HELLO}C: GROUP a\nS| 411 {escape} no\\r\\n");
    assert!(failure_text(&load_hostile(&script, "a").await).contains("411"));
    let script = format!(
        "{HELLO}{GROUP}C: OVER 1-2\nS| 224 {escape}\\r\\n2\\t{escape}x\\t{escape}ada\\t{escape}\\t<{escape}>\\t\\t1\\t1\\r\\n.\\r\\n\nC: x"
    );
    let (address, playing) = listen(&[&script]).await;
    let url = format!("nntp://{address}/a");
    let loaded = load(
        &short_timeouts(),
        Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed),
    )
    .await;
    assert_eq!(rows(&loaded).len(), 1);
    drop(playing);
    let script = format!(
        "{HELLO}C: DATE\nS: 500 what\nC: LIST ACTIVE\nS| 215 x\\r\\n{escape}a.b 9 1 y\\r\\n.\\r\\n\n\
         C: LIST NEWSGROUPS\nS| 215 x\\r\\na.b {escape}\\r\\n.\\r\\n\nC: x"
    );
    let (address, playing) = listen(&[&script]).await;
    let request = Request {
        news_query: NewsQuery {
            server: Some((address.ip().to_string(), address.port()).into()),
            ..NewsQuery::default()
        },
        ..Request::show(Dialect::Extended.parse("news:*").unwrap(), Reason::Typed)
    };
    let loaded = load(&short_timeouts(), request).await;
    assert_eq!(rows(&loaded).len(), 1);
    drop(playing);
}

#[tokio::test]
async fn malformed_group_numbers_are_corrected() {
    for (marks, highest) in [
        ("211", 0),
        ("211 a b c", 0),
        ("211 -5 -9 -1 a", 0),
        ("211 \\xff\\xfe 1", 0),
        ("211 5 9 1 a", 1),
        (
            "211 99999999999999999999 99999999999999999999 99999999999999999999 a",
            0,
        ),
        ("211 1 18446744073709551615 0 a", 0),
    ] {
        let script = format!("{HELLO}C: GROUP a\nS| {marks}\\r\\n\nsilence");
        let (address, playing) = listen(&[&script]).await;
        let net = short_timeouts();
        let url = format!("nntp://{address}/a");
        let loaded = load(
            &net,
            Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed),
        )
        .await;
        // The group is empty, and no overview is requested.
        assert!(loaded.end.is_ok(), "{marks}: {loaded:?}");
        assert_eq!(loaded.begin.unwrap().highest, Some(highest), "{marks}");
        drop(net);
        assert_played(playing).await;
    }
}

#[tokio::test]
async fn huge_number_ranges_need_few_windows() {
    for marks in [
        "1 1 18446744073709551615",
        "3 9223372036854775807 9223372036854775809",
        "0 0 18446744073709551615",
    ] {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reads, mut writes) = stream.into_split();
            let mut lines = BufReader::new(reads).lines();
            let mut windows = 0;
            writes.write_all(b"200 hi\r\n").await.unwrap();
            while let Ok(Some(line)) = lines.next_line().await {
                let answer = match line.split(' ').next().unwrap() {
                    "CAPABILITIES" => "101 x\r\nOVER\r\n.\r\n".to_owned(),
                    "GROUP" => format!("211 {marks} a\r\n"),
                    "OVER" => {
                        windows += 1;
                        // The server sends any numbers, inside the window or not.
                        "224 x\r\n18446744073709551615\tmost\r\n18446744073709551616\tmore\r\n-1\tless\r\n0\tnone\r\n.\r\n".to_owned()
                    }
                    other => panic!("{other}"),
                };
                if writes.write_all(answer.as_bytes()).await.is_err() {
                    break;
                }
            }
            windows
        });
        let net = short_timeouts();
        let url = format!("nntp://{address}/a");
        let loaded = load(
            &net,
            Request::show(Dialect::Extended.parse(&url).unwrap(), Reason::Typed),
        )
        .await;
        assert!(loaded.end.is_ok(), "{loaded:?}");
        let is_requested = marks.ends_with(" 18446744073709551615");
        let rows = rows(&loaded);
        assert_eq!(rows.iter().any(|row| row.contains("most")), is_requested);
        assert!(!rows.iter().any(|row| row.contains("none")), "{marks}");
        drop(net);
        let windows = serving.await.unwrap();
        assert!(windows <= 100, "{marks}: {windows} windows");
    }
}

#[test]
fn headers_of_ten_megabytes_are_truncated() {
    let long = "x".repeat(10_000_000);
    let article = format!("Subject: {long}\nFrom: {long}\nReferences: <{long}@x>\n\nhello\n");
    let article = document("nntp://h/a/1", Shape::Article, article.as_bytes()).finished();
    for number in 0..article.count() {
        assert!(article.row(number).unwrap().text().len() < 200_000);
        article.links(number);
    }
    let last = article.row(article.count() - 1).unwrap();
    assert_eq!(last.text(), "hello");
    let line = format!("7\t{long}\t{long}\t{long}\t<{long}@x>\t<{long}@x>\t1\t1\r\n");
    let group = document("nntp://h/a", Shape::Group, line.as_bytes()).finished();
    // The rest of the record is in rows below it.
    assert!((1..group.count()).all(|row| group.continues(row)));
    assert!((0..group.count()).all(|row| group.row(row).unwrap().text().len() < 200_000));
    group.references(Some(0));
}

#[tokio::test]
async fn line_breaks_never_inject_a_command() {
    // In an address: no connection is made.
    for address in [
        "news:a%0D%0APOST%0D%0A@b.example",
        "news:a@b%0D%0AQUIT",
        "nntp://127.0.0.1:1/a%0D%0APOST",
        "nntp://127.0.0.1:1/a%00b/1-2",
        "news:a%0Ab/1-",
        "news:a%0D*",
    ] {
        let Ok(url) = Dialect::Extended.parse(address) else {
            continue;
        };
        let mut request = Request::show(url, Reason::Typed);
        request.news_query.server = Some(("127.0.0.1".to_owned(), 1).into());
        let loaded = load(&short_timeouts(), request).await;
        assert!(
            loaded.failure().0.starts_with("not sent"),
            "{address}: {loaded:?}"
        );
    }
    // In server data: a link has no target, or is not sent, or holds no line break.
    let article = b"Subject: x\nReferences: <a\rQUIT@b> <c%0d%0aPOST@d> <e\0f@g> <h i@j>\nNewsgroups: a\rb,c%0Ad\n\n\
        article <k\rl@m> <URL:news:n%0D%0Ao@p> news:q%0Ar@s\n";
    let article = document("nntp://127.0.0.1:1/a/1", Shape::Article, article).finished();
    let overview = b"7\tx\tada@x\t\t<1\rQUIT@x>\t<2\rPOST@x> <3%0d%0aPOST@x>\t1\t1\r\n";
    let group = document("nntp://127.0.0.1:1/a", Shape::Group, overview).finished();
    let mut links = Vec::new();
    for page in [&article, &group] {
        for number in 0..page.count() {
            links.extend(
                page.links(number)
                    .into_iter()
                    .filter_map(|link| link.target.ok()),
            );
        }
        links.extend(page.references(None));
        links.extend(page.references(Some(0)));
    }
    assert!(links.len() > 3, "{links:?}");
    for url in links {
        let sent = request_preview(&url).unwrap_or_default();
        // An article by its number takes two request lines, everything else one.
        let lines = if url.as_str().ends_with(|end: char| end.is_ascii_digit()) {
            2
        } else {
            1
        };
        let rest = sent.replacen("\\r\\n", "", lines);
        let is_safe = !["\\r", "\\n", "\\x00"]
            .iter()
            .any(|sign| rest.contains(sign));
        assert!(url.forbidden_hazard().is_some() || is_safe, "{url}: {sent}");
        let mut request = Request::show(url.clone(), Reason::Typed);
        request.news_query.server = Some(("127.0.0.1".to_owned(), 1).into());
        request.consents.caution = Caution::Confirmed;
        let loaded = load(&short_timeouts(), request).await;
        // Port 1 is closed: a request that may be sent fails only there.
        assert!(
            matches!(loaded.end, Err(Stop::Failed(_))),
            "{url}: {loaded:?}"
        );
    }
}
