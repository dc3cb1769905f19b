//! gophernicus.

use geomys::document::Kind;
use geomys::load::Question;
use geomys::net::Net;

use super::{Servers, assert_same, saves, with_crlf};
use crate::support::command::{geomys, text};
use crate::support::loading::{kind, show, target, texts};

#[tokio::test]
async fn a_menu_has_its_rows_and_links() {
    let Some(servers) = Servers::named() else {
        return;
    };
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
    assert_eq!(menu.numbers(), 7);
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
async fn names_of_a_directory_lead_to_its_files() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let net = Net::default();
    let menu = show(&net, format!("gopher://{}/1/burrow", servers.gopher))
        .await
        .whole()
        .document();
    // The server writes names with blanks and marks in a way of its own, which it gets back as it is.
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
async fn a_text_comes_octet_for_octet() {
    let Some(servers) = Servers::named() else {
        return;
    };
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
    // The tab is shown as the blanks up to its stop.
    assert_eq!(dumped[5..], expected[5..]);
    assert_eq!(dumped[..3], expected[..3]);
}

#[tokio::test]
async fn a_binary_is_offered_and_saved_octet_for_octet() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let net = Net::default();
    let address = format!("gopher://{}/9/octets.bin", servers.gopher);
    let asked = show(&net, &address).await.question();
    assert!(
        matches!(&asked, Question::Save { name, .. } if name == "octets.bin"),
        "{asked:?}"
    );
    saves(&net, &address, &servers.file("gopher/octets.bin")).await;
}

#[tokio::test]
async fn an_error_is_a_row_that_leads_nowhere() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let net = Net::default();
    let menu = show(&net, format!("gopher://{}/1/none/", servers.gopher))
        .await
        .whole()
        .document();
    let error = texts(&menu)[0].clone();
    assert!(error.starts_with("Error: File or directory not found!"));
    assert_eq!(kind(&menu, &error), Kind::Error);
    assert_eq!(menu.numbers(), 0);
    // Without the slash, and to who asks for a text, the server says it in a text, and in nothing but words.
    for address in ["1/none", "0/missing.txt"] {
        let page = show(&net, format!("gopher://{}/{address}", servers.gopher))
            .await
            .whole()
            .document();
        assert_eq!(texts(&page)[0], error);
        assert_eq!(page.numbers(), 0);
    }
}

#[tokio::test]
async fn lines_that_begin_with_dots_keep_them() {
    let Some(servers) = Servers::named() else {
        return;
    };
    let address = format!("gopher://{}/0/burrow/dots.txt", servers.gopher);
    let file = with_crlf(&servers.file("gopher/burrow/dots.txt"));
    saves(&Net::default(), &address, &file).await;
    let shown = show(&Net::default(), &address).await.whole();
    assert_same(&shown.octets, &file);
}
