//! Gopher+ attributes of menu items, by keyboard: how many requests they take.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::screen::{Browser, Session};

/// The reply of a server to `$`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MenuReply {
    /// Gopher+ attributes.
    GopherPlus,
    /// A plain Gopher menu.
    Plain,
}

/// A browser at `path` of a server whose menus have `rows` rows, and the requests that the server gets.
async fn at(path: &str, menu_reply: MenuReply, rows: usize) -> (Session, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let listener_address = listener.local_addr().unwrap();
    let port = listener_address.port();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let log = requests.clone();
    let row = move |item: usize| match item {
        4 => "0Item 4\ti4\tother.example\t70\t+\r\n".to_owned(),
        _ => format!("0Item {item}\ti{item}\t127.0.0.1\t{port}\t+\r\n"),
    };
    let attributes = move |item: usize| {
        let row = row(item);
        format!("+INFO: {row}+ABSTRACT:\r\n All about {item}\r\n")
    };
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            // All of the request: a socket that is closed with bytes unread is reset, and the reply may be lost.
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                line.push(stream.read_u8().await.unwrap());
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches("\r\n").to_owned();
            let reply = match line.split_once('\t') {
                Some((_, "$")) if menu_reply == MenuReply::GopherPlus => {
                    format!(
                        "+-1\r\n{}.\r\n",
                        attributes(1) + &attributes(2) + &attributes(3)
                    )
                }
                Some((item, "!")) => {
                    let item = item.trim_start_matches('i').parse().unwrap();
                    format!("+-1\r\n{}.\r\n", attributes(item))
                }
                _ => (1..=rows).fold(String::new(), |mut menu, item| {
                    write!(menu, "{}", row(item)).unwrap();
                    menu
                }),
            };
            log.lock().unwrap().push(line);
            stream.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    let address = format!("gopher://{listener_address}{path}");
    let session = Browser::new().open(address).start();
    session.wait(&format!("/{rows} ")).await;
    (session, requests)
}

/// Opens the attributes of an item, and goes back.
async fn look(session: &Session, item: usize) {
    session.press(&format!("{item} i"));
    session.wait(&format!("All about {item}")).await;
    // The URL is that of the item's own attributes, whichever request they came by.
    session.wait(&format!("/0i{item}%09%09!")).await;
    session.settle().await;
    session.press("h");
    session.wait_until_absent("All about").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn second_info_request_fetches_attributes_of_whole_menu() {
    let (session, requests) = at("/1m", MenuReply::GopherPlus, 5).await;
    for item in [1, 2, 3, 1] {
        look(&session, item).await;
    }
    let all = ["m", "i1\t!", "m\t$"];
    assert_eq!(*requests.lock().unwrap(), all);
    // An item missing from the reply is requested by itself; so is one that is loaded again.
    look(&session, 5).await;
    session.press("2 i");
    session.wait("All about 2").await;
    session.press("r");
    session.settle().await;
    session.press("h");
    session.wait_until_absent("All about").await;
    look(&session, 3).await;
    let all = [&all[..], &["i5\t!", "i2\t!"]].concat();
    assert_eq!(*requests.lock().unwrap(), all);
    // The attributes are dropped with the page.
    session.press("r");
    session.settle().await;
    look(&session, 3).await;
    look(&session, 1).await;
    look(&session, 2).await;
    let all = [&all[..], &["m", "i3\t!", "m\t$"]].concat();
    assert_eq!(*requests.lock().unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn server_without_menu_attributes_gets_that_request_once() {
    let (session, requests) = at("/", MenuReply::Plain, 3).await;
    for item in [1, 2, 3] {
        look(&session, item).await;
    }
    let all = ["", "i1\t!", "\t$", "i2\t!", "i3\t!"];
    assert_eq!(*requests.lock().unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn large_menu_and_search_fetch_attributes_item_by_item() {
    for (path, rows) in [("/1m", 257), ("/7m%09words", 5)] {
        let (session, requests) = at(path, MenuReply::GopherPlus, rows).await;
        for item in [1, 2, 3] {
            look(&session, item).await;
        }
        let requests = requests.lock().unwrap().split_off(1);
        assert_eq!(requests, ["i1\t!", "i2\t!", "i3\t!"], "{path}");
    }
}
