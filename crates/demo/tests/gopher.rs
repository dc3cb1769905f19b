//! RFC 1436, and the attributes of Gopher+.

use std::net::SocketAddr;

use super::demo;
use super::wire::Client;

async fn ask(server: SocketAddr, request: impl AsRef<[u8]>) -> Vec<u8> {
    let mut client = Client::connect(server).await;
    client.send(request).await;
    client.rest().await
}

async fn text(server: SocketAddr, request: impl AsRef<[u8]>) -> String {
    String::from_utf8(ask(server, request).await).expect("UTF-8")
}

#[tokio::test]
async fn root_menu_lists_rooms_and_other_servers() {
    let demo = demo().await;
    let menu = text(demo.addresses.gopher, "\r\n").await;
    let here = format!("127.0.0.1\t{}", demo.addresses.gopher.port());
    assert!(menu.contains(&format!("\r\n1The library\t/library\t{here}\t+\r\n")));
    assert!(menu.contains(&format!(
        "\r\nhThe archive, by FTP\tURL:ftp://{}/\t{here}\r\n",
        demo.addresses.ftp
    )));
    assert!(menu.contains("iVisitors so far: one. Hello.\t\tnull.host\t1\r\n"));
    assert!(menu.ends_with("\r\n.\r\n"));
    assert!(
        menu.lines()
            .all(|line| line == "." || line.split('\t').count() >= 4)
    );
}

#[tokio::test]
async fn every_local_menu_row_opens() {
    let demo = demo().await;
    let here = format!("\t127.0.0.1\t{}\t+", demo.addresses.gopher.port());
    let mut rooms = vec![String::new()];
    let mut seen = 0;
    while let Some(room) = rooms.get(seen).cloned() {
        seen += 1;
        let menu = ask(demo.addresses.gopher, format!("{room}\r\n")).await;
        assert!(!menu.starts_with(b"3"), "{room} leads nowhere");
        for row in String::from_utf8_lossy(&menu).lines() {
            let Some((kind, selector)) =
                row.strip_suffix(&here).and_then(|row| row.split_once('\t'))
            else {
                continue;
            };
            if kind.starts_with('1') && !rooms.iter().any(|room| room == selector) {
                rooms.push(selector.to_owned());
            }
        }
    }
    assert!(seen > 8, "only {seen} rooms");
}

#[tokio::test]
async fn text_is_dot_stuffed_and_ends_with_a_dot() {
    let demo = demo().await;
    let book = text(demo.addresses.gopher, "/library/dots.txt\r\n").await;
    assert!(
        book.contains("reader ate it.\r\n..\r\n...\r\n....\r\n..hidden"),
        "{book}"
    );
    assert!(book.ends_with("part of the book.\r\n.\r\n"));
    assert_eq!(
        text(demo.addresses.gopher, "/library/empty.txt\r\n").await,
        ".\r\n"
    );
}

#[tokio::test]
async fn binary_is_sent_octet_for_octet() {
    let demo = demo().await;
    let seeds: Vec<u8> = (0..=255).collect();
    assert_eq!(
        ask(demo.addresses.gopher, "/gallery/seeds.bin\r\n").await,
        seeds
    );
}

#[tokio::test]
async fn selectors_of_any_octets_are_served() {
    let demo = demo().await;
    for selector in [
        b"/odd/with space".as_slice(),
        b"/odd/what?who=me&why",
        b"/odd/100%",
        b"/odd/%41",
        b"/odd/a#b",
        b"/odd/a;type=a",
        b"/odd/caf\xe9",
        b"/odd/caf\xc3\xa9",
        b"odd without a slash",
    ] {
        let reply = ask(demo.addresses.gopher, [selector, b"\r\n"].concat()).await;
        assert!(
            reply.starts_with(b"It arrived.\r\n"),
            "{}",
            String::from_utf8_lossy(selector)
        );
    }
    assert!(
        ask(demo.addresses.gopher, "/odd/A\r\n")
            .await
            .starts_with(b"3")
    );
}

#[tokio::test]
async fn search_ignores_case_and_reports_no_match() {
    let demo = demo().await;
    let found = text(demo.addresses.gopher, "/search\tPOTATO soup\r\n").await;
    assert!(
        found.starts_with("iThe librarian found one text:\t"),
        "{found}"
    );
    assert!(found.contains("0Still here\t/phlog/2026-04-still-here.txt\t"));
    let none = text(demo.addresses.gopher, "/search\tzeppelin\r\n").await;
    assert!(none.starts_with("iThe librarian looked everywhere and found nothing."));
    assert!(none.ends_with("\r\n.\r\n"));
}

#[tokio::test]
async fn unknown_selector_returns_an_error_row() {
    let demo = demo().await;
    let reply = ask(demo.addresses.gopher, b"/no\xe9\r\n").await;
    assert_eq!(
        reply,
        b"3There is no door called '/no\xe9' in Underloam\t\terror.host\t1\r\n.\r\n"
    );
    let long = ask(demo.addresses.gopher, vec![b'a'; 20_000]).await;
    assert!(long.starts_with(b"3That selector is longer"));
}

#[tokio::test]
async fn item_attributes_are_served() {
    let demo = demo().await;
    let expected = format!(
        "+-1\r\n+INFO: 1The library\t/library\t127.0.0.1\t{}\t+\r\n\
         +ADMIN:\r\n Admin: Bursarius <postmaster@underloam.example>\r\n Mod-Date: 1994-12-01 <19941201092600>\r\n\
         +VIEWS:\r\n application/gopher+-menu: <",
        demo.addresses.gopher.port()
    );
    let reply = text(demo.addresses.gopher, "/library\t!\r\n").await;
    assert!(reply.starts_with(&expected), "{reply}");
    assert!(
        reply.ends_with(">\r\n+ABSTRACT:\r\n Eleven shelves, one ladder, no fines.\r\n.\r\n"),
        "{reply}"
    );
    assert_eq!(
        text(demo.addresses.gopher, "/library\t\t!\r\n").await,
        reply,
        "with the empty search of RFC 1738"
    );
    let chosen = text(demo.addresses.gopher, "/library\t!+ABSTRACT\r\n").await;
    assert!(chosen.contains("+ABSTRACT:") && !chosen.contains("+ADMIN:"));
    assert!(
        text(demo.addresses.gopher, "/search\t\t!\r\n")
            .await
            .starts_with("+-1\r\n+INFO: 7Search")
    );
}

#[tokio::test]
async fn attributes_of_every_menu_item_are_served() {
    let demo = demo().await;
    let reply = text(demo.addresses.gopher, "\t$+VIEWS\r\n").await;
    assert!(reply.starts_with("+-1\r\n+INFO: "));
    assert!(reply.contains("+INFO: 7Search the texts of the town\t/search\t"));
    assert!(!reply.contains("+ADMIN"));
    assert!(reply.ends_with("\r\n.\r\n"));
}

#[tokio::test]
async fn gopher_plus_replies_and_errors_have_headers() {
    let demo = demo().await;
    let counted = text(demo.addresses.gopher, "/library/dots.txt\t+\r\n").await;
    let (header, body) = counted.split_once("\r\n").expect("a header");
    assert_eq!(header, format!("+{}", body.len()));
    assert!(
        body.contains("\r\n.\r\n..\r\n...\r\n"),
        "counted text is not stuffed"
    );
    let menu = text(demo.addresses.gopher, "/weather\t+\r\n").await;
    assert!(menu.starts_with("+-2\r\ni") && !menu.ends_with("\r\n.\r\n"));
    let search = text(demo.addresses.gopher, "/search\tdots\t+\r\n").await;
    assert!(search.starts_with("+-2\r\niThe librarian found"));
    let error = text(demo.addresses.gopher, "/nothing\t!\r\n").await;
    assert!(
        error.starts_with("--1\r\n1 Bursarius <postmaster@underloam.example>\r\nThere is no door")
    );
}

#[tokio::test]
async fn generated_menus_are_streamed() {
    let demo = demo().await;
    let menu = text(demo.addresses.gopher, "/big/2500\r\n").await;
    assert_eq!(menu.lines().count(), 2501);
    assert!(
        menu.lines()
            .nth(2499)
            .expect("a row")
            .starts_with("0Room 2500 of the long corridor\t/row/2500\t")
    );
    let mut slow = Client::connect(demo.addresses.gopher).await;
    slow.send("/slow/100000\r\n").await;
    assert!(slow.text().await.starts_with("0Room 1 "));
    let mut unlimited = Client::connect(demo.addresses.gopher).await;
    unlimited.send("/endless\r\n").await;
    assert!(
        unlimited
            .octets(1_000_000)
            .await
            .iter()
            .all(|&octet| octet == b'a')
    );
    assert!(
        text(demo.addresses.gopher, "/cut\r\n")
            .await
            .ends_with("of the long corr")
    );
    assert!(
        !text(demo.addresses.gopher, "/nodot\r\n")
            .await
            .contains("\r\n.\r\n")
    );
}
