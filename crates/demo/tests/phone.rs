//! RFC 2378.

use geomys_wire::net::Limits;
use geomys_wire::protocol::ph::{PhDialogue, PhError, Selection, query, typed};
use tokio::net::TcpStream;

use super::demo;
use super::wire::Client;

/// The lines of a reply, up to the final one.
async fn reply(client: &mut Client, command: &str) -> Vec<String> {
    client.send(format!("{command}\r\n")).await;
    let mut lines = Vec::new();
    loop {
        let line: String = client.line().await.into_iter().map(char::from).collect();
        let is_last = !line.starts_with('-') && !line.starts_with('1');
        lines.push(line);
        if is_last {
            return lines;
        }
    }
}

#[tokio::test]
async fn root_menu_links_to_the_phone_book() {
    let demo = demo().await;
    let mut gopher = Client::connect(demo.addresses.gopher).await;
    gopher.send("\r\n").await;
    let menu = String::from_utf8(gopher.rest().await).unwrap();
    let port = demo.addresses.phone.port();
    let row = format!("\r\n2The phone book of the town\t\t127.0.0.1\t{port}\r\n");
    assert!(menu.contains(&row), "{menu}");
}

#[tokio::test]
async fn queries_match_words_fields_and_wildcards() {
    let demo = demo().await;
    let mut client = Client::connect(demo.addresses.phone).await;
    assert_eq!(
        reply(&mut client, "query MARIGOLD").await,
        [
            "102:There was 1 match to your request.",
            "-200:1:       alias: marigold",
            "-200:1:        name: Marigold Thomomys",
            "-200:1:       title: Baker",
            "-200:1:  department: Market square",
            "-200:1:       phone: 21",
            "-200:1:       email: marigold@underloam.example",
            "-200:1:     address: Stall nine",
            "-200:1:            : Market square",
            "200:Ok.",
        ]
    );
    assert_eq!(
        reply(&mut client, "query delver return alias fax").await,
        [
            "102:There were 2 matches to your request.",
            "-200:1:       alias: j-delver",
            "-508:1:         fax: Not present in entry.",
            "-200:2:       alias: jo-delver",
            "-508:2:         fax: Not present in entry.",
            "200:Ok.",
        ]
    );
    for (command, aliases) in [
        ("query name=delver name=jon", &["j-delver"][..]),
        ("query jon*", &["j-delver", "jo-delver"]),
        ("query jon+", &["jo-delver"]),
        ("query jonn?", &["jo-delver"]),
        ("query [bd]otta", &["botta"]),
        ("query \"jon delver\"", &["j-delver"]),
        ("query \"delver jon\"", &[]),
        ("query delver jon", &["j-delver"]),
        (
            "query department=\"town council\" name=*burrowes",
            &["percival"],
        ),
        ("query *******************z", &[]),
        ("query zo\u{e9}", &[]),
        ("ph alias=zoe", &["zoe"]),
    ] {
        let lines = reply(&mut client, &format!("{command} return alias")).await;
        let found: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.split_once("alias: "))
            .map(|found| found.1)
            .collect();
        assert_eq!(found, aliases, "{command}: {lines:?}");
    }
    // The book is in ISO 8859-1.
    client.send(b"query zo\xe9 return name\r\n").await;
    client.line().await;
    assert_eq!(
        client.line().await,
        b"-200:1:        name: Zo\xe9 de la Taupini\xe8re"
    );
}

#[tokio::test]
async fn refused_queries_have_their_codes() {
    let demo = demo().await;
    let mut client = Client::connect(demo.addresses.phone).await;
    for (command, last) in [
        ("query nobody", "501:No matches to your query."),
        ("query shoe_size=9", "507:Field does not exist: shoe_size"),
        (
            "query dibble return shoe_size",
            "507:Field does not exist: shoe_size",
        ),
        ("query hours=always", "515:No indexed field in query."),
        ("query", "515:No indexed field in query."),
        (
            "change alias=ada make phone=2",
            "517:Operation failed because database is read-only.",
        ),
        ("sing", "514:Unknown command."),
        ("", "514:Unknown command."),
        ("set verbose=off", "200:Done."),
        ("status", "201:Database ready, read-only."),
        ("siteinfo", "200:Ok."),
        ("quit", "200:Bye!"),
    ] {
        assert_eq!(
            reply(&mut client, command).await.last().unwrap(),
            last,
            "{command}"
        );
    }
    assert_eq!(client.rest().await, b"");
}

#[tokio::test]
async fn geomys_client_reads_the_phone_book() {
    let demo = demo().await;
    let authority = demo.addresses.phone.to_string();
    let stream = TcpStream::connect(demo.addresses.phone).await.unwrap();
    let mut book = PhDialogue::new(stream, &authority, &Limits::default());
    let fields = book.fields().await.unwrap();
    assert_eq!(fields.len(), 10);
    assert!(
        fields
            .iter()
            .any(|field| field.name == b"address" && !field.has("Indexed"))
    );
    let line = typed(b"name=* return all").unwrap();
    let reply = book.query(&line).await.unwrap();
    assert_eq!((reply.count, reply.entries.len()), (Some(12), 12));
    let dibble = &reply.entries[0];
    let mut fields = dibble.fields.iter();
    let address = fields.find(|field| field.name == b"address");
    assert_eq!(address.unwrap().values.len(), 3);
    let missing = Selection {
        field: None,
        value: b"no body".to_vec(),
    };
    let line = query(&[missing]).unwrap();
    assert!(matches!(book.query(&line).await, Err(PhError::Declined(reply)) if reply.code == 501));
    book.quit().await.unwrap();
}
