//! What a server tells of the items of a menu, by keyboard: how often it is asked.

use std::fmt::Write;
use std::sync::{Arc, Mutex};

use geomys::net::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::screen::Session;

/// How a server answers `$`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Every {
    /// As Gopher+ has it.
    Told,
    /// As plain Gopher has it.
    Plain,
}

/// The browser at `path` of a server whose menus have `rows` rows; and what is asked of that server.
async fn at(path: &str, every: Every, rows: usize) -> (Session, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap();
    let port = place.port();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = asked.clone();
    let row = move |item: usize| match item {
        4 => "0Item 4\ti4\tother.example\t70\t+\r\n".to_owned(),
        _ => format!("0Item {item}\ti{item}\t127.0.0.1\t{port}\t+\r\n"),
    };
    let told = move |item: usize| {
        let row = row(item);
        format!("+INFO: {row}+ABSTRACT:\r\n All about {item}\r\n")
    };
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut line = [0; 99];
            let count = stream.read(&mut line).await.unwrap();
            let line = String::from_utf8_lossy(&line[..count]);
            let line = line.trim_end_matches("\r\n").to_owned();
            let reply = match line.split_once('\t') {
                Some((_, "$")) if every == Every::Told => {
                    format!("+-1\r\n{}.\r\n", told(1) + &told(2) + &told(3))
                }
                Some((item, "!")) => {
                    let item = item.trim_start_matches('i').parse().unwrap();
                    format!("+-1\r\n{}.\r\n", told(item))
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
    let profile = tempfile::tempdir().unwrap();
    let address = format!("gopher://{place}{path}");
    let session = Session::start(profile, None, &[address], (80, 24), Limits::default());
    session.wait(&format!("{rows} rows")).await;
    (session, asked)
}

/// Looks at what is told of an item, and goes back.
async fn look(session: &Session, item: usize) {
    session.press(&format!("{item} i"));
    session.wait(&format!("All about {item}")).await;
    // The address is that of the item's own attributes, wherever they come from.
    session.wait(&format!("/0i{item}%09%09! ")).await;
    session.settle().await;
    session.press("h");
    session.wait_gone("All about").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_is_asked_about_all_of_a_menu_at_the_second_item() {
    let (session, asked) = at("/1m", Every::Told, 5).await;
    for item in [1, 2, 3, 1] {
        look(&session, item).await;
    }
    let all = ["m", "i1\t!", "m\t$"];
    assert_eq!(*asked.lock().unwrap(), all);
    // An item that it did not tell of is asked about by itself; so is one that is loaded again.
    look(&session, 5).await;
    session.press("2 i");
    session.wait("All about 2").await;
    session.press("r");
    session.settle().await;
    session.press("h");
    session.wait_gone("All about").await;
    look(&session, 3).await;
    let all = [&all[..], &["i5\t!", "i2\t!"]].concat();
    assert_eq!(*asked.lock().unwrap(), all);
    // What was told goes with the page.
    session.press("r");
    session.settle().await;
    look(&session, 3).await;
    look(&session, 1).await;
    look(&session, 2).await;
    let all = [&all[..], &["m", "i3\t!", "m\t$"]].concat();
    assert_eq!(*asked.lock().unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_cannot_tell_of_all_of_a_menu_is_asked_that_once() {
    let (session, asked) = at("/", Every::Plain, 3).await;
    for item in [1, 2, 3] {
        look(&session, item).await;
    }
    let all = ["", "i1\t!", "\t$", "i2\t!", "i3\t!"];
    assert_eq!(*asked.lock().unwrap(), all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_menu_and_a_search_are_asked_about_item_by_item() {
    for (path, rows) in [("/1m", 257), ("/7m%09words", 5)] {
        let (session, asked) = at(path, Every::Told, rows).await;
        for item in [1, 2, 3] {
            look(&session, item).await;
        }
        let asked = asked.lock().unwrap().split_off(1);
        assert_eq!(asked, ["i1\t!", "i2\t!", "i3\t!"], "{path}");
    }
}
