//! vsftpd, and pure-ftpd.

mod tls;
mod transfers;

use geomys_load::Question;
use geomys_page::document::{Document, Kind};
use geomys_testing::loading::{kind, row, show, target, texts};
use geomys_wire::net::Net;

use super::{Servers, assert_same, saves};
use crate::support::command::{geomys, text};

/// The rows of the directory `names`, one of each kind of name.
const NAMES: [&str; 9] = [
    "..",
    "burrow",
    " leading.txt",
    "a name with blanks.txt",
    "café.txt",
    "down → burrow/deep/down.txt",
    "grün.txt",
    "number #1; 100%.txt",
    "shortcut → burrow/deep",
];

fn aside(document: &Document, text: &str) -> String {
    let row = document.row(row(document, text)).expect("a row");
    let aside = row.aside.expect("a size and a date");
    aside.as_str().trim().to_owned()
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn directory_opens_as_listing() {
    let servers = Servers::named();
    let net = Net::default();
    let front = format!("ftp://{}", servers.ftp);
    let root = show(&net, &front).await.whole().document();
    let names = ["closed", "names", "tree", "octets.bin", "welcome.txt"];
    assert_eq!(texts(&root), names);
    assert_eq!(kind(&root, "names"), Kind::Menu);
    assert_eq!(
        target(&root, "names").as_str(),
        format!("{front}/names;type=d")
    );
    let names = show(&net, target(&root, "names")).await.whole().document();
    assert_eq!(texts(&names), NAMES);
    assert_eq!(kind(&names, ".."), Kind::Up);
    assert_eq!(kind(&names, "burrow"), Kind::Menu);
    assert_eq!(kind(&names, "grün.txt"), Kind::Text);
    assert_eq!(kind(&names, "shortcut → burrow/deep"), Kind::Symlink);
    assert_eq!(aside(&root, "octets.bin"), "1.5 MB  1994-12-01");
    assert_eq!(aside(&names, "a name with blanks.txt"), "7 B  1994-12-01");
    assert_eq!(aside(&names, "burrow"), "–  1994-12-01");
    for (row, name) in [
        (" leading.txt", "%20leading.txt"),
        ("a name with blanks.txt", "a%20name%20with%20blanks.txt"),
        ("café.txt", "caf%E9.txt"),
        ("grün.txt", "gr%C3%BCn.txt"),
        ("number #1; 100%.txt", "number%20%231%3B%20100%25.txt"),
    ] {
        let leads = target(&names, row);
        assert_eq!(leads.as_str(), format!("{front}/names/{name}"));
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn path_that_is_a_directory_gets_type_d() {
    let servers = Servers::named();
    let net = Net::default();
    for path in ["/names", "/names/", "/names;type=d", "/%2Fnames;type=d"] {
        let page = show(&net, format!("ftp://{}{path}", servers.ftp)).await;
        let page = page.whole();
        assert_eq!(texts(&page.document()), NAMES, "{path}");
    }
    let page = show(&net, format!("ftp://{}/names/shortcut", servers.ftp)).await;
    let page = page.whole();
    assert!(page.place().as_str().ends_with("/names/shortcut;type=d"));
    assert_eq!(texts(&page.document()), ["..", "down.txt"]);
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn every_listing_link_opens_its_file() {
    let servers = Servers::named();
    let net = Net::default();
    let listing = show(&net, format!("ftp://{}/names/", servers.ftp));
    let listing = listing.await.whole().document();
    for (row, content) in [
        (" leading.txt", "a blank before it"),
        ("a name with blanks.txt", "blanks"),
        ("café.txt", "café in Latin-1"),
        ("down → burrow/deep/down.txt", "Far down."),
        ("grün.txt", "grün in UTF-8"),
        ("number #1; 100%.txt", "marks"),
    ] {
        let page = show(&net, target(&listing, row)).await.whole();
        assert_eq!(texts(&page.document()), [content], "{row}");
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn text_loads_octet_for_octet() {
    let servers = Servers::named();
    let address = format!("ftp://{}/welcome.txt", servers.ftp);
    let file = servers.file("ftp/welcome.txt");
    let page = show(&Net::default(), &address).await.whole();
    assert_eq!(page.begin.unwrap().size, Some(file.len() as u64));
    assert_same(&page.octets, &file);
    let dumped = geomys(&["dump", &address, "--raw"], "");
    assert_same(&dumped.stdout, &file);
    let dumped = text(&geomys(&["dump", &address], "").stdout);
    assert!(
        dumped.ends_with("\n.profile begins with a dot\n.\nThat was a line of one dot. It does not end the text.\nGrüße, naïveté, Ελληνικά.\n"),
        "{dumped}"
    );
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn binary_is_offered_and_saved_octet_for_octet() {
    let servers = Servers::named();
    let net = Net::default();
    let address = format!("ftp://{}/octets.bin", servers.ftp);
    let question = show(&net, &address).await.question();
    let Question::Save { name, size, .. } = question else {
        panic!("{question:?}")
    };
    assert_eq!((name.as_str(), size), ("octets.bin", Some(1_500_000)));
    let file = servers.file("ftp/octets.bin");
    saves(&net, &address, &file).await;
    saves(&net, &format!("{address};type=i"), &file).await;
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn missing_file_quotes_the_server() {
    let servers = Servers::named();
    let net = Net::default();
    for path in ["/missing.txt", "/missing/", "/missing/deep/file.txt"] {
        let address = format!("ftp://{}{path}", servers.ftp);
        let failure = show(&net, &address).await.failure();
        assert!(failure.said[0].as_str().starts_with("550 "), "{failure:?}");
        let dumped = geomys(&["dump", &address], "");
        assert_eq!(dumped.status.code(), Some(1));
        let said = text(&dumped.stderr);
        assert!(said.contains("the server said: 550 Failed to"), "{said}");
    }
    // After a refusal the same connection is used.
    let root = show(&net, format!("ftp://{}/", servers.ftp)).await.whole();
    assert_eq!(root.document().count(), 5);
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn refused_directory_is_no_directory_that_contains_itself() {
    let servers = Servers::named();
    let net = Net::default();
    for path in ["/closed;type=d", "/closed/;type=d", "/closed/"] {
        let address = format!("ftp://{}{path}", servers.ftp);
        let failure = show(&net, address).await.failure();
        let said = failure.said[0].as_str();
        assert!(said.starts_with("550 "), "{path}: {failure:?}");
    }
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn name_with_octet_255_opens() {
    let servers = Servers::named();
    let net = Net::default();
    let front = format!("ftp://{}/names/burrow/%FF%E1%EB%EE%ED%FF/", servers.ftp);
    let page = show(&net, &front).await.whole().document();
    assert_eq!(page.count(), 2);
    let file = page.link(1, 0).expect("a file").target.expect("its URL");
    assert_eq!(
        file.as_str(),
        format!(
            "ftp://{}/names/burrow/%FF%E1%EB%EE%ED%FF/%FF.txt",
            servers.ftp
        )
    );
    let page = show(&net, file.as_str()).await.whole();
    assert_eq!(page.octets, b"windows-1251\n");
}

#[tokio::test]
#[ignore = "needs the servers that .ci/servers starts"]
async fn pattern_lists_sizes() {
    let servers = Servers::named();
    let address = format!("ftp://{}/tree/*.txt;type=d", servers.ftp);
    let page = show(&Net::default(), &address).await.whole().document();
    assert_eq!(texts(&page), ["..", "c.txt → deep/a b/c.txt", "empty.txt"]);
    assert_eq!(aside(&page, "empty.txt"), "0 B  1994-12-01");
}
