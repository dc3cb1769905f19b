//! The demo's FTP server, as a client sees it.

use geomys_demo::{Demo, world};
use geomys_load::{Login, Phase, Purpose, Question, Reason, Request};
use geomys_page::document::{Document, Kind, ListOrder, SortColumn};
use geomys_testing::loading::{carry_out, kind, row, show, target, texts, url};
use geomys_wire::net::Net;
use tokio::net::{TcpListener, TcpStream};

async fn demo() -> (Demo, String) {
    let demo = Demo::start().await.expect("free ports");
    let front = format!("ftp://{}", demo.addresses.ftp);
    (demo, front)
}

#[tokio::test]
async fn root_directory_opens_as_listing() {
    let (_demo, front) = demo().await;
    let page = show(&Net::default(), &front).await.whole();
    assert_eq!(
        page.phases,
        [
            Phase::Connecting,
            Phase::LoggingIn,
            Phase::Negotiating,
            Phase::Waiting
        ]
    );
    let document = page.document();
    assert_eq!(
        texts(&document),
        [
            "big",
            "incoming",
            "names",
            "pub",
            ".message",
            "latest → pub/software",
            "lost → /pub/nowhere",
            "READ.ME → README",
            "README",
            "welcome.txt"
        ]
    );
    assert_eq!(kind(&document, "latest → pub/software"), Kind::Symlink);
    assert_eq!(kind(&document, "pub"), Kind::Menu);
    assert_eq!(kind(&document, "README"), Kind::Text);
    assert_eq!(
        target(&document, "pub").as_str(),
        format!("{front}/pub;type=d")
    );
    assert_eq!(
        target(&document, "README").as_str(),
        format!("{front}/README")
    );
    let aside = |text| {
        document
            .row(row(&document, text))
            .unwrap()
            .aside
            .unwrap()
            .to_string()
    };
    assert_eq!(aside("pub"), "        –  1994-12-12 18:00");
    assert!(
        aside("README").ends_with(" B  1994-03-14 09:26")
            || aside("README").ends_with("kB  1994-03-14 09:26")
    );
    assert_eq!(
        aside("README").chars().count(),
        aside("pub").chars().count()
    );
}

#[tokio::test]
async fn links_of_odd_names_open_their_files() {
    let (_demo, front) = demo().await;
    let net = Net::default();
    let document = show(&net, format!("{front}/names/"))
        .await
        .whole()
        .document();
    assert_eq!(
        texts(&document)[..2],
        ["..".to_owned(), "he said \"dig\"".to_owned()]
    );
    assert_eq!(document.count(), 10);
    let mut files = 0;
    for number in 2..document.count() {
        let link = document.links(number).remove(0);
        let page = show(&net, link.target.unwrap()).await.whole();
        assert!(page.octets.starts_with(b"You fetched it"), "{}", link.label);
        files += 1;
    }
    assert_eq!(files, 8);
    let inside = show(&net, target(&document, "he said \"dig\""))
        .await
        .whole()
        .document();
    assert_eq!(texts(&inside), ["..", "quoted.txt"]);
    let page = show(&net, target(&inside, "quoted.txt")).await.whole();
    assert!(page.octets.starts_with(b"You fetched it"));
    let up = target(&inside, "..");
    assert_eq!(show(&net, up).await.whole().document().count(), 10);
}

#[tokio::test]
async fn thousand_entries_sort_by_every_column() {
    let (_demo, front) = demo().await;
    let page = show(&Net::default(), format!("{front}/big/1000"))
        .await
        .whole();
    assert_eq!(page.place().as_str(), format!("{front}/big/1000;type=d"));
    let document = page.document();
    assert_eq!(document.count(), 1001);
    assert_eq!(texts(&document)[1], "entry-000001.txt");
    let size = document.sorted(ListOrder::new(SortColumn::Size));
    assert_eq!(texts(&size)[1], "entry-001000.txt");
    assert_eq!(texts(&size)[0], "..");
}

#[tokio::test]
async fn text_file_and_symlink_to_it_open() {
    let (_demo, front) = demo().await;
    let net = Net::default();
    let text = show(&net, format!("{front}/README")).await.whole();
    let document = text.document();
    assert!(!document.is_list());
    assert_eq!(text.begin.unwrap().size, Some(text.octets.len() as u64));
    let link = show(&net, format!("{front}/READ.ME")).await.whole();
    assert_eq!(link.octets, text.octets);
    let directory = show(&net, format!("{front}/latest")).await.whole();
    assert_eq!(
        texts(&directory.document())[1..],
        ["drum.img", "drum.README", "seeds.bin"]
    );
    let lost = show(&net, format!("{front}/lost")).await.failure();
    assert!(lost.said[0].as_str().starts_with("550 "), "{lost:?}");
    let empty = show(&net, format!("{front}/incoming")).await.whole();
    assert_eq!(texts(&empty.document()), [".."]);
}

#[tokio::test]
async fn binary_file_is_saved_octet_for_octet() {
    let (_demo, front) = demo().await;
    let net = Net::default();
    let drum = format!("{front}/pub/software/drum.img");
    let expected = Question::Save {
        what: "a binary file",
        name: "drum.img".to_owned(),
        size: Some(world::DRUM_LENGTH as u64),
    };
    assert_eq!(show(&net, &drum).await.question(), expected);
    let mut request = Request::show(url(&drum), Reason::Typed);
    request.purpose = Purpose::Save;
    let saved = carry_out(&net, request).await.whole();
    assert!(saved.octets == world::drum());
    assert_eq!(saved.begin.unwrap().size, Some(world::DRUM_LENGTH as u64));
}

#[tokio::test]
async fn password_is_prompted_once_per_connection() {
    let (demo, _) = demo().await;
    let net = Net::default();
    let home = format!("ftp://{}@{}/", world::ACCOUNT, demo.addresses.ftp);
    assert!(matches!(
        show(&net, &home).await.question(),
        Question::Password { said: None, .. }
    ));
    let mut request = Request::show(url(&home), Reason::Typed);
    request.login = Some(Login::new(world::ACCOUNT, "byron"));
    let again = carry_out(&net, request.clone()).await.question();
    assert!(
        matches!(again, Question::Password { said: Some(_), .. }),
        "{again:?}"
    );
    request.login = Some(Login::new(world::ACCOUNT, world::PASSWORD));
    let papers = carry_out(&net, request).await.whole().document();
    assert_eq!(
        texts(&papers),
        ["letters", "diary.txt", "notes on the engine.txt"]
    );
    // The connection is still authenticated: the next page asks nothing.
    let letters = show(&net, target(&papers, "letters"))
        .await
        .whole()
        .document();
    assert_eq!(texts(&letters), ["..", "unsent.txt"]);
    let in_url = format!(
        "ftp://{}:{}@{}/",
        world::ACCOUNT,
        world::PASSWORD,
        demo.addresses.ftp
    );
    assert_eq!(
        show(&Net::default(), in_url)
            .await
            .whole()
            .document()
            .count(),
        3
    );
}

#[tokio::test]
async fn second_page_reuses_the_connection() {
    let (demo, _) = demo().await;
    // A forwarder that accepts one connection only.
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = door.local_addr().unwrap();
    let server = demo.addresses.ftp;
    tokio::spawn(async move {
        let (mut client, _) = door.accept().await.unwrap();
        drop(door);
        let mut server = TcpStream::connect(server).await.unwrap();
        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
    });
    let net = Net::default();
    let names = show(&net, format!("ftp://{address}/names/")).await.whole();
    let root = show(&net, format!("ftp://{address}/")).await.whole();
    let text = show(&net, format!("ftp://{address}/pub/texts/potato-soup.txt"))
        .await
        .whole();
    let again = show(&net, format!("ftp://{address}/names/")).await.whole();
    assert_eq!(root.document().count(), 10);
    assert_eq!(again.octets, names.octets);
    assert!(!text.octets.is_empty());
}

#[tokio::test]
async fn partial_listing_has_rows() {
    let (_demo, front) = demo().await;
    let page = show(&Net::default(), format!("{front}/big/3000/"))
        .await
        .whole();
    let whole = page.document();
    let shape = page.begin.as_ref().unwrap().shape;
    let mut document = Document::new(
        page.place(),
        shape,
        geomys_wire::text::CharsetSetting::default(),
    );
    document.append(&page.octets[..5000]);
    let early = document.count();
    assert!((20..100).contains(&early), "{early}");
    assert!(document.is_link(1) && !document.row(early - 1).unwrap().spans.is_empty());
    document.append(&page.octets[5000..]);
    assert!(document.needs_finish());
    let finished = document.clone().finished();
    assert_eq!(texts(&finished), texts(&whole));
    for number in [0, 1, 17, 2000] {
        let moved = document.moved_to(number, &finished).unwrap();
        assert_eq!(document.row(number), finished.row(moved));
        let back = finished.moved_to(moved, &document).unwrap();
        assert_eq!(back, number);
    }
}
