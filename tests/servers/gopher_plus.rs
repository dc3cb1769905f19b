//! pygopherd: an independent Gopher+ server.

use geomys_load::{GopherItem, GopherRequest, Purpose, Reason, Request};
use geomys_testing::loading::{carry_out, show, target, texts, url};
use geomys_wire::net::Net;

use super::{Servers, assert_same, saves};
use crate::support::command::{geomys, text};

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn menu_without_final_dot_is_complete_with_gopher_plus_items() {
    let servers = Servers::named();
    let menu = show(&Net::default(), format!("gopher://{}", servers.plus))
        .await
        .whole()
        .document();
    let rows = texts(&menu);
    assert_eq!(
        rows,
        [
            "burrow",
            "octets",
            "text",
            "What the text is about.",
            "In two lines."
        ]
    );
    let marks: Vec<_> = (0..3).map(|row| menu.row(row).unwrap().aside).collect();
    assert!(
        marks
            .iter()
            .all(|mark| mark.as_ref().is_some_and(|mark| mark.as_str() == "+"))
    );
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn item_attributes_are_rows() {
    let servers = Servers::named();
    let item = format!("gopher://{}/0/text.txt", servers.plus);
    let page = show(&Net::default(), format!("{item}%09%09!"))
        .await
        .whole()
        .document();
    let rows = texts(&page);
    for row in [
        "ADMIN",
        "Mod-Date     1994-12-01 12:00",
        "ABSTRACT",
        "What the text is about.",
        "In two lines.",
    ] {
        assert!(rows.iter().any(|it| it == row), "{row}: {rows:#?}");
    }
    let view = format!("{item}%09%09+text/plain");
    assert_eq!(target(&page, "text/plain").as_str(), view);
    // This server returns the text for any view.
    let file = servers.file("gopher+/text.txt");
    let loaded = show(&Net::default(), view).await.whole();
    assert_same(&loaded.octets, &file);
    assert_eq!(loaded.begin.unwrap().size, Some(file.len() as u64));
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn directory_attributes_link_to_items() {
    let servers = Servers::named();
    let page = show(
        &Net::default(),
        format!("gopher://{}/1%09%09$", servers.plus),
    )
    .await
    .whole()
    .document();
    for (name, leads) in [
        ("burrow", "1/burrow"),
        ("octets", "g/octets.gif"),
        ("text", "0/text.txt"),
    ] {
        let address = format!("gopher://{}/{leads}", servers.plus);
        assert_eq!(target(&page, name).as_str(), address);
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn files_load_octet_for_octet_with_and_without_gopher_plus() {
    let servers = Servers::named();
    let net = Net::default();
    for (path, file) in [
        ("0/text.txt%09%09+", "gopher+/text.txt"),
        ("g/octets.gif", "gopher+/octets.gif"),
        ("g/octets.gif%09%09+", "gopher+/octets.gif"),
    ] {
        let address = format!("gopher://{}/{path}", servers.plus);
        saves(&net, &address, &servers.file(file)).await;
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn errors_quote_the_server() {
    let servers = Servers::named();
    for path in ["0/none%09%09+", "0/none%09%09!", "0/none"] {
        let address = format!("gopher://{}/{path}", servers.plus);
        let dumped = geomys(&["dump", &address], "");
        assert_eq!(dumped.status.code(), Some(1), "{path}");
        let said = text(&dumped.stderr);
        assert!(said.contains("'/none' does not exist"), "{path}: {said}");
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn lines_keep_leading_dots_and_gopher_plus_item_has_size() {
    let servers = Servers::named();
    let net = Net::default();
    let address = format!("gopher://{}/0/burrow/dots.txt", servers.plus);
    let file = servers.file("gopher+/burrow/dots.txt");
    saves(&net, &address, &file).await;
    for purpose in [Purpose::Show, Purpose::Save] {
        let request = Request {
            gopher: GopherRequest {
                item: GopherItem::Plus,
                ..GopherRequest::default()
            },
            purpose,
            ..Request::show(url(&address), Reason::Typed)
        };
        let loaded = carry_out(&net, request).await.whole();
        assert_same(&loaded.octets, &file);
        assert_eq!(loaded.begin.unwrap().size, Some(file.len() as u64));
    }
}
