//! gophernicus.

use geomys_load::{FailureKind, Question};
use geomys_page::document::Kind;
use geomys_testing::loading::{kind, show, target, texts};
use geomys_wire::net::Net;

use super::{Servers, assert_same, saves, with_crlf};
use crate::support::command::{geomys, text};

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn menu_has_rows_and_links() {
    let servers = Servers::named();
    let front = format!("gopher://{}", servers.gopher);
    let menu = show(&Net::default(), &front).await.whole().document();
    assert_eq!(
        texts(&menu)[..9],
        [
            "The hall",
            "",
            "A text",
            "The burrow",
            "Octets",
            "Nothing there",
            "The Web",
            "Elsewhere",
            "A search",
        ]
    );
    assert_eq!(menu.highest_link_number(), 7);
    for (row, is, leads) in [
        ("A text", Kind::Text, format!("{front}/0/text.txt")),
        ("The burrow", Kind::Menu, format!("{front}/1/burrow")),
        ("Octets", Kind::Binary, format!("{front}/9/octets.bin")),
        ("The Web", Kind::Web, "http://www.example.org/".to_owned()),
        (
            "Elsewhere",
            Kind::Menu,
            "gopher://gopher.example.org:7070/1/1/far".to_owned(),
        ),
        ("A search", Kind::Search, format!("{front}/7/search")),
    ] {
        assert_eq!(kind(&menu, row), is, "{row}");
        assert_eq!(target(&menu, row).as_str(), leads);
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn directory_links_open_their_files() {
    let servers = Servers::named();
    let net = Net::default();
    let menu = show(&net, format!("gopher://{}/1/burrow", servers.gopher))
        .await
        .whole()
        .document();
    // The server encodes names with blanks and marks in its own way, and gets them back unchanged.
    for (name, expected) in [
        ("a name with blanks.txt", "Blanks are part of a selector."),
        ("number #1.txt", "So is this."),
    ] {
        let row = texts(&menu)
            .into_iter()
            .find(|text| text.starts_with(name))
            .unwrap();
        let file = show(&net, target(&menu, &row)).await.whole();
        assert_eq!(texts(&file.document()), [expected]);
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn text_loads_octet_for_octet() {
    let servers = Servers::named();
    let address = format!("gopher://{}/0/text.txt", servers.gopher);
    let file = servers.file("gopher/text.txt");
    let loaded = show(&Net::default(), &address).await.whole();
    assert_same(&loaded.octets, &with_crlf(&file));
    let dumped = geomys(&["dump", &address, "--raw"], "");
    assert_same(&dumped.stdout, &with_crlf(&file));
    let dumped = text(&geomys(&["dump", &address], "").stdout);
    let expected = String::from_utf8(file).unwrap();
    let (dumped, expected): (Vec<_>, Vec<_>) =
        (dumped.lines().collect(), expected.lines().collect());
    // The tab is shown as blanks up to the tab stop.
    assert_eq!(dumped[5..], expected[5..]);
    assert_eq!(dumped[..3], expected[..3]);
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn binary_is_offered_and_saved_octet_for_octet() {
    let servers = Servers::named();
    let net = Net::default();
    let address = format!("gopher://{}/9/octets.bin", servers.gopher);
    let question = show(&net, &address).await.question();
    assert!(
        matches!(&question, Question::Save { name, .. } if name == "octets.bin"),
        "{question:?}"
    );
    saves(&net, &address, &servers.file("gopher/octets.bin")).await;
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn menu_of_an_error_row_is_an_error() {
    let servers = Servers::named();
    let net = Net::default();
    let menu = show(&net, format!("gopher://{}/1/none/", servers.gopher)).await;
    let failure = menu.failure();
    assert_eq!(failure.kind, FailureKind::Missing);
    let error = failure.said[0].to_string();
    assert!(error.starts_with("Error: File or directory not found!"));
    // Without the slash, and for a text item, the server sends the error as plain text.
    for address in ["1/none", "0/missing.txt"] {
        let page = show(&net, format!("gopher://{}/{address}", servers.gopher))
            .await
            .whole()
            .document();
        assert_eq!(texts(&page)[0], error);
        assert_eq!(page.highest_link_number(), 0);
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn lines_keep_leading_dots() {
    let servers = Servers::named();
    let address = format!("gopher://{}/0/burrow/dots.txt", servers.gopher);
    let file = with_crlf(&servers.file("gopher/burrow/dots.txt"));
    saves(&Net::default(), &address, &file).await;
    let shown = show(&Net::default(), &address).await.whole();
    assert_same(&shown.octets, &file);
}
