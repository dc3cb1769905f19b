//! The attributes of an item, requested with those of its whole menu or alone.

use std::sync::{Arc, Mutex};

use geomys_demo::Demo;
use geomys_load::{GopherRequest, Reason, Request};
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, texts, url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The reply to `!`.
const ALONE: &str = "+INFO: 0B\tb\tHOST\r\n+ADMIN:\r\n Admin: alone\r\n";

/// The reply to `$`.
const EVERY: &str = "+INFO: 1A\ta\tHOST\r\n+ADMIN:\r\n Admin: of a\r\n\
    +INFO: ihello\t\tnull.host\t1\r\n\
    +INFO: 9B\tb\tHOST\r\n+ADMIN:\r\n Admin: of b\r\n+VIEWS:\r\n text/plain: <1k>\r\n\
    +INFO: 0C\tc\tHOST\r\n\
    +INFO: 0D\td\tother.example\t70\t+\r\n+ADMIN:\r\n Admin: of d\r\n";

/// A load of `b` in the menu `m`, where `$` is answered with `reply`; and the requests.
async fn of(reply: &str) -> (Loaded, Vec<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authority = listener.local_addr().unwrap();
    let here = format!("127.0.0.1\t{}\t+", authority.port());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (log, reply) = (requests.clone(), reply.replace("HOST", &here));
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut line = [0; 99];
            let count = stream.read(&mut line).await.unwrap();
            let line = String::from_utf8_lossy(&line[..count]).into_owned();
            let reply = if line.ends_with("$\r\n") {
                reply.clone()
            } else {
                format!("+-1\r\n{}.\r\n", ALONE.replace("HOST", &here))
            };
            log.lock().unwrap().push(line);
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    let request = Request {
        gopher: GopherRequest {
            directory: Some(url(format!("gopher://{authority}/1m"))),
            ..GopherRequest::default()
        },
        ..Request::show(
            url(format!("gopher://{authority}/0b%09%09!")),
            Reason::Typed,
        )
    };
    let loaded = carry_out(&short_timeouts(), request).await.whole();
    let requests = requests.lock().unwrap().clone();
    (loaded, requests)
}

#[tokio::test]
async fn item_attributes_come_from_the_menu_reply() {
    let counted = |every: &str| format!("+-2\r\n{every}");
    for reply in [format!("+-1\r\n{EVERY}.\r\n"), counted(EVERY)] {
        let (loaded, requests) = of(&reply).await;
        assert_eq!(requests, ["m\t$\r\n"]);
        let octets = String::from_utf8(loaded.octets.clone()).unwrap();
        assert!(octets.starts_with("+INFO: 9B\tb\t"), "{octets}");
        assert!(octets.ends_with("<1k>\r\n"), "{octets}");
        // The parts of the URL are listed above, as when the item is requested by itself.
        let rows = texts(&loaded.document());
        assert!(rows[0].contains("/0b"), "{rows:?}");
        let description = |path: &str, authority: &str| {
            let directory = loaded.begin.as_ref().unwrap().directory.as_ref().unwrap();
            let item = directory.item(&url(format!("gopher://{authority}{path}%09%09!")));
            item.map(|item| String::from_utf8_lossy(item).into_owned())
        };
        let here = loaded.url.as_str().split('/').nth(2).unwrap();
        assert!(description("/1a", here).unwrap().ends_with("of a\r\n"));
        assert!(
            description("/0d", "other.EXAMPLE")
                .unwrap()
                .ends_with("of d\r\n")
        );
        // One item has no more than its row, and the others are missing.
        for (path, authority) in [("/0c", here), ("/0d", here), ("/0b", "other.example")] {
            assert_eq!(description(path, authority), None, "{path} at {authority}");
        }
    }
}

#[tokio::test]
async fn unusable_menu_reply_falls_back_to_item_attributes() {
    let large = " x\r\n".repeat(300_000);
    for reply in [
        // No Gopher+, a reply whose end is uncertain, an error.
        "0B\tb\th\t70\r\n.\r\n".to_owned(),
        "3No such item\t\terror.host\t1\r\n.\r\n".to_owned(),
        EVERY.to_owned(),
        String::new(),
        "--1\r\n1 Bo <bo@h.example>\r\nNo\r\n.\r\n".to_owned(),
        // Truncated, or too large.
        format!("+-1\r\n{EVERY}"),
        format!("+9999\r\n{EVERY}"),
        "+9999999\r\n".to_owned(),
        format!("+-1\r\n{EVERY}+INFO: 0E\te\tHOST\r\n{large}.\r\n"),
        // Another item, or nothing but its row.
        "+-1\r\n+INFO: 0B\tb\tother.example\t70\t+\r\n+ADMIN:\r\n Admin: x\r\n.\r\n".to_owned(),
        "+-1\r\n+INFO: 0B\tb\tHOST\r\n.\r\n".to_owned(),
        "+-1\r\n.\r\n".to_owned(),
    ] {
        let (loaded, requests) = of(&reply).await;
        let start: String = reply.chars().take(60).collect();
        assert_eq!(requests, ["m\t$\r\n", "b\t!\r\n"], "{start}");
        assert!(loaded.octets.ends_with(b"alone\r\n"), "{start}");
        assert!(loaded.begin.unwrap().directory.is_none(), "{start}");
    }
}

#[tokio::test]
async fn menu_and_item_attributes_agree() {
    let demo = Demo::start().await.unwrap();
    let menu = format!("gopher://{}/1/library", demo.addresses.gopher);
    let document = show(&short_timeouts(), &menu).await.whole().document();
    let links = (0..document.count()).flat_map(|row| document.links(row));
    let mut described = 0;
    for about in links.filter_map(|link| link.attributes) {
        let request = Request {
            gopher: GopherRequest {
                directory: Some(url(&menu)),
                ..GopherRequest::default()
            },
            ..Request::show(about.clone(), Reason::Typed)
        };
        let among = carry_out(&short_timeouts(), request).await;
        let alone = show(&short_timeouts(), about.as_str()).await;
        assert_eq!(among.octets, alone.octets, "{about}");
        assert_eq!(among.end.is_ok(), alone.end.is_ok(), "{about}");
        // A moved item gives no page in either way.
        assert_eq!(among.begin.is_some(), alone.begin.is_some(), "{about}");
        described += usize::from(among.begin.is_some_and(|begin| begin.directory.is_some()));
    }
    assert!(described > 3, "{described}");
}
