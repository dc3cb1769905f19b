//! What Gopher+ adds (1993): views, forms, and items that have moved.

use geomys_demo::Demo;
use geomys_wire::net::Limits;
use geomys_wire::protocol::gopher::attributes::items;
use geomys_wire::protocol::gopher::form::{FieldKind, Form};
use geomys_wire::protocol::gopher::{read_whole, refusal, request};
use rfc1738::{Parts, Url};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::demo;
use super::wire::Client;

async fn text(demo: &Demo, request: impl AsRef<[u8]>) -> String {
    let mut client = Client::connect(demo.addresses.gopher).await;
    client.send(request).await;
    String::from_utf8(client.rest().await).expect("UTF-8")
}

#[tokio::test]
async fn text_has_views_in_two_languages_and_types() {
    let demo = demo().await;
    let attributes = text(&demo, "/library/rules.txt\t!+VIEWS\r\n").await;
    assert!(
        attributes.ends_with(
            "\t+\r\n+VIEWS:\r\n text/plain En_GB: <310b>\r\n text/plain De_DE: <354b>\r\n text/html En_GB: <383b>\r\n.\r\n"
        ),
        "{attributes}"
    );
    let rules = "/library/rules.txt";
    let default = text(&demo, format!("{rules}\t+\r\n")).await;
    let english = text(&demo, format!("{rules}\t+text/plain En_GB\r\n")).await;
    let german = text(&demo, format!("{rules}\t+text/plain De_DE\r\n")).await;
    let html = text(&demo, format!("{rules}\t\t+text/html En_GB\r\n")).await;
    assert_eq!(default, english);
    for (reply, start) in [
        (&english, "RULES OF THE LIBRARY\r\n"),
        (&german, "REGELN DER BÜCHEREI\r\n"),
        (&html, "<html>"),
    ] {
        let (header, body) = reply.split_once("\r\n").expect("a header");
        assert_eq!(header, format!("+{}", body.len()));
        assert!(body.starts_with(start), "{body}");
    }
    let none = text(&demo, format!("{rules}\t+image/gif\r\n")).await;
    assert!(none.starts_with("--1\r\n1 Bursarius <"), "{none}");
    let plain = text(&demo, format!("{rules}\r\n")).await;
    assert!(plain.starts_with("RULES OF THE LIBRARY\r\n") && plain.ends_with("\r\n.\r\n"));
}

#[tokio::test]
async fn moved_item_names_its_new_location() {
    let demo = demo().await;
    let row = format!(
        "0Rules of the library\t/library/rules.txt\t127.0.0.1\t{}\t+",
        demo.addresses.gopher.port()
    );
    let reply = text(&demo, "/library/old-rules.txt\t+\r\n").await;
    assert_eq!(
        reply,
        format!(
            "--1\r\n3 Bursarius <postmaster@underloam.example>\r\n{row}\r\nIt hangs elsewhere now.\r\n.\r\n"
        )
    );
    let plain = text(&demo, "/library/old-rules.txt\r\n").await;
    assert!(plain.starts_with("3It hangs elsewhere now: /library/rules.txt\t"));
}

#[tokio::test]
async fn form_is_marked_in_menu_and_echoes_answers() {
    let demo = demo().await;
    let port = demo.addresses.gopher.port();
    let office = text(&demo, "/post\r\n").await;
    assert!(office.contains(&format!(
        "\r\n0Send a telegram (a form to fill in)\t/post/telegram\t127.0.0.1\t{port}\t?\r\n"
    )));
    let attributes = text(&demo, "/post/telegram\t!+ASK\r\n").await;
    assert_eq!(
        attributes,
        format!(
            "+-1\r\n+INFO: 0Send a telegram\t/post/telegram\t127.0.0.1\t{port}\t?\r\n+ASK:\r\n \
             Note: Dibble writes down what you say, and reads it back.\r\n Ask: To whom?\tBotta\r\n \
             AskP: Password of the day (any will do)\r\n AskL: Your words\r\n Select: Urgent:1\r\n \
             Select: With flowers\r\n Choose: By which tunnel?\tThe short one\tThe dry one\tThe one with the view\r\n \
             AskF: Keep the receipt as\treceipt.txt\r\n ChooseF: Enclose a file\r\n.\r\n"
        )
    );
    let every = text(&demo, "/post\t$+ASK\r\n").await;
    assert!(every.contains("\t?\r\n+ASK:\r\n Note: Dibble"), "{every}");
    let receipt = "+-1\r\nTELEGRAM, as the clerk took it down\r\n\r\nTo whom?\r\n    Zoe\r\n\
        Password of the day (any will do)\r\n    3 octets, since forgotten\r\nYour words\r\n    2 lines:\r\n    come\r\n    .soon\r\n\
        Urgent\r\n    no\r\nWith flowers\r\n    yes\r\nBy which tunnel?\r\n    The dry one\r\n\
        Keep the receipt as\r\n    r.txt\r\nEnclose a file\r\n    a file of 9 octets:\r\none\r\n...\r\n.\r\n";
    let answers = "+-1\r\nZoe\r\nabc\r\n2\r\ncome\r\n.soon\r\n0\r\n1\r\nThe dry one\r\nr.txt\r\none\r\n..\r\n.\r\n";
    for fields in ["\t+\t1", "\t\t+\t1"] {
        let reply = text(&demo, format!("/post/telegram{fields}\r\n{answers}")).await;
        assert_eq!(reply, receipt);
    }
}

#[tokio::test]
async fn unfilled_form_is_an_error() {
    let demo = demo().await;
    let unfilled = text(&demo, "/post/telegram\t+\r\n").await;
    assert!(
        unfilled.contains("\r\nThis door asks questions first\r\n"),
        "{unfilled}"
    );
    let counted = text(&demo, "/post/telegram\t+\t1\r\n+7\r\nabc\r\n").await;
    assert!(counted.contains("\r\nA form is sent as +-1,"), "{counted}");
    let old = text(&demo, "/post/telegram\r\n").await;
    assert!(old.starts_with("3This door asks questions first, which your client cannot hear\t"));
}

#[tokio::test]
async fn geomys_client_fills_the_form_and_follows_a_moved_item() {
    let demo = demo().await;
    let authority = demo.addresses.gopher.to_string();
    let limits = Limits::default();
    let fetch = async |url: &Url| {
        let Parts::Gopher(gopher) = url.base_parts() else {
            panic!("{url} is gopher")
        };
        let mut stream = TcpStream::connect(demo.addresses.gopher).await.unwrap();
        let line = request(&gopher).unwrap();
        stream.write_all(&line).await.unwrap();
        read_whole(&mut stream, &authority, &limits, 1_000_000)
            .await
            .unwrap()
    };
    let url = Url::parse(&format!("gopher://{authority}/0/post/telegram%09%09?")).unwrap();
    let attributes = fetch(&url).await;
    let item = items(&attributes.data).next().unwrap();
    let form = Form::parse(item.block(b"ASK").unwrap().lines());
    let kinds: Vec<bool> = form
        .fields
        .iter()
        .map(|field| matches!(field.kind, FieldKind::Select(_)))
        .collect();
    assert_eq!(kinds.iter().filter(|is_select| **is_select).count(), 2);
    assert_eq!(form.fields.len(), 9);
    let lines: [&[u8]; 6] = [b"Botta", b"", b"2", b"one", b"two", b"1"];
    let answers = form.answers(&lines);
    let filled = url.with_plus(&form.fill(b"", &answers).unwrap()).unwrap();
    assert!(filled.hazards().iter().all(|hazard| !hazard.is_forbidden()));
    let receipt = fetch(&filled).await;
    let receipt = String::from_utf8(receipt.data).unwrap();
    assert!(receipt.contains("To whom?\r\n    Botta\r\n"), "{receipt}");
    assert!(
        receipt.contains("Your words\r\n    2 lines:\r\n    one\r\n    two\r\n"),
        "{receipt}"
    );
    assert!(
        receipt.ends_with("Enclose a file\r\n    (nothing)\r\n"),
        "{receipt}"
    );
    let old = Url::parse(&format!(
        "gopher://{authority}/0/library/old-rules.txt%09%09+"
    ))
    .unwrap();
    let old = fetch(&old).await;
    let moved = refusal(&old.data).moved.unwrap();
    assert_eq!(moved.selector, b"/library/rules.txt");
}
