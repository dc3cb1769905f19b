//! WAIS: the demo's almanac, and servers with unusual or malformed replies.

use std::net::Ipv4Addr;

use geomys_demo::Demo;
use geomys_demo::wais::{DATABASE, DIRECTORY};
use geomys_load::check::check;
use geomys_load::{FailureKind, Purpose, Question, Reason, Request, similar_documents};
use geomys_page::document::{Document, Kind, ListOrder, Shape, SortColumn};
use geomys_testing::loading::{Loaded, carry_out, short_timeouts, show, url};
use geomys_wire::net::Net;
use rfc1738::{Dialect, repair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

async fn open(address: String) -> Loaded {
    show(&Net::default(), address).await
}

fn rows(loaded: &Loaded) -> Vec<String> {
    let document = loaded.document();
    let rows = (0..document.count()).filter_map(|row| document.row(row));
    rows.map(|row| format!("{} | {}", row.text(), row.aside.unwrap_or_default()))
        .collect()
}

#[tokio::test]
async fn search_lists_documents_that_open() {
    let demo = Demo::start().await.unwrap();
    let here = format!("wais://{}/{DATABASE}", demo.addresses.wais);
    assert_eq!(open(here.clone()).await.question(), Question::Search);
    let found = open(format!("{here}?tunnels%20address")).await.whole();
    assert_eq!(found.begin.as_ref().unwrap().shape, Shape::Hits);
    let rows = rows(&found);
    assert!(rows.len() > 1 && rows[0].ends_with("1000"), "{rows:?}");
    let document = found.document();
    for row in 0..document.count() {
        let link = document.links(row).remove(0);
        let target = link.target.unwrap();
        assert_eq!(target.verdict(), Ok(()), "{target}");
        let read = show(&Net::default(), target.to_string()).await.whole();
        assert!(read.octets.len() > 100, "{target}");
    }
    let nothing = open(format!("{here}?xyzzy")).await.whole();
    assert_eq!(nothing.octets, b"Nothing was found.\r\n");
}

#[tokio::test]
async fn check_requests_one_hit_or_one_octet() {
    let demo = Demo::start().await.unwrap();
    let server = demo.addresses.wais;
    for (rest, expected) in [
        (DATABASE, "alive: "),
        ("almanac?tunnels", "alive: "),
        // No hit, but the database exists.
        ("almanac?xyzzy", "alive: "),
        ("almanac/TEXT/6", "alive: "),
        (
            "nowhere",
            "dead: The following database is not available: nowhere",
        ),
        ("almanac/TEXT/999", "dead: There is no such document."),
    ] {
        let request = Request::show(url(format!("wais://{server}/{rest}")), Reason::Typed);
        let verdict = check(&Net::default(), &request).await.verdict;
        assert_eq!(
            format!("{}: {}", verdict.name(), verdict.words()),
            expected,
            "{rest}"
        );
    }
}

#[tokio::test]
async fn document_is_assembled_from_all_pieces() {
    let demo = Demo::start().await.unwrap();
    let long = include_bytes!("../../../assets/demo/gopher/yearbook.txt");
    let read = open(format!("wais://{}/{DATABASE}/TEXT/6", demo.addresses.wais))
        .await
        .whole();
    let text = String::from_utf8_lossy(long).replace("\r\n", "\n");
    assert_eq!(String::from_utf8_lossy(&read.octets), text);
    let picture = format!("wais://{}/{DATABASE}/GIF/9", demo.addresses.wais);
    let question = open(picture.clone()).await.question();
    assert!(matches!(question, Question::Save { .. }), "{question:?}");
    let request = Request {
        purpose: Purpose::Save,
        ..Request::show(url(picture), Reason::Typed)
    };
    let saved = carry_out(&Net::default(), request).await.whole();
    assert_eq!(
        saved.octets,
        include_bytes!("../../../assets/demo/gopher/gopher.gif")
    );
}

#[tokio::test]
async fn libwww_document_url_opens_and_is_rewritten_by_rfc_1738() {
    let demo = Demo::start().await.unwrap();
    let here = format!("wais://{}/{DATABASE}/TEXT", demo.addresses.wais);
    let old = Dialect::Extended
        .parse(&format!("{here}/0/1=127.0.0.1:210;2=almanac;3=8;"))
        .unwrap();
    let strict = format!("{here}/%01%0D127.0.0.1%3A210%02%07almanac%03%018");
    assert_eq!(old.in_rfc1738_form().unwrap().as_str(), strict);
    assert_eq!(repair(old.as_str()).unwrap().as_str(), strict);
    let read = carry_out(&Net::default(), Request::show(old, Reason::Typed))
        .await
        .whole();
    assert_eq!(read.place().as_str(), strict);
    let soup = open(format!("{here}/8")).await.whole();
    assert_eq!(read.octets, soup.octets);
    assert_eq!(open(strict).await.whole().octets, soup.octets);
}

#[tokio::test]
async fn source_document_links_to_its_database() {
    let demo = Demo::start().await.unwrap();
    let found = open(format!("wais://{}/{DIRECTORY}?soup", demo.addresses.wais))
        .await
        .whole();
    let document = found.document();
    assert_eq!(document.row(0).unwrap().kind, Kind::Search);
    let source = document.links(0).remove(0).target.unwrap();
    let source = show(&Net::default(), source.to_string()).await.whole();
    let link = source.document().links(0).remove(0).target.unwrap();
    assert_eq!(
        link.to_string(),
        format!("wais://{}/{DATABASE}", demo.addresses.wais)
    );
    assert!(
        rows(&source)
            .iter()
            .any(|row| row.contains("The almanac of Underloam"))
    );
}

#[tokio::test]
async fn refusal_quotes_the_server() {
    let demo = Demo::start().await.unwrap();
    let failure = open(format!("wais://{}/nothing?x", demo.addresses.wais))
        .await
        .failure();
    assert!(
        failure.sentence.contains("not possible"),
        "{}",
        failure.sentence
    );
    assert_eq!(
        failure.said[0].as_str(),
        "S1 The following database is not available: nothing"
    );
    assert_eq!(failure.kind, FailureKind::Missing);
    let failure = open(format!("wais://{}/{DATABASE}/TEXT/77", demo.addresses.wais))
        .await
        .failure();
    assert!(
        failure.sentence.contains("there is no such record"),
        "{}",
        failure.sentence
    );
}

/// A server that answers any request with these messages, one after the other, and then closes.
async fn answering(answers: &'static [&'static [u8]]) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        for answer in answers {
            let mut header = [0; 25];
            stream.read_exact(&mut header).await.unwrap();
            let length: usize = std::str::from_utf8(&header[..10]).unwrap().parse().unwrap();
            let mut apdu = vec![0; length];
            stream.read_exact(&mut apdu).await.unwrap();
            stream.write_all(answer).await.unwrap();
        }
    });
    (authority, serving)
}

const YES: &[u8] = b"0000000004z2wais        0\0\x02\x15\x01";

#[tokio::test]
async fn malformed_replies_fail_with_their_cause() {
    let cases: [(&[&[u8]], &str); 7] = [
        (
            &[b"HTTP/1.0 400 Bad Request\r\n\r\n0123456789"],
            "did not answer as a WAIS server",
        ),
        (
            &[b"0000000004z2wais        0\0\x02\x15\x00"],
            "refused the session",
        ),
        (
            &[b"0999999999z2wais        0"],
            "did not answer as a WAIS server",
        ),
        (
            &[b"0000000004z2wais        0\0\x02"],
            "closed the connection",
        ),
        (&[b""], "closed the connection"),
        (
            &[YES, b"0000000003z2wais        0\0\x02\x15"],
            "did not answer as a WAIS server",
        ),
        (
            &[YES, b"0000000000z2wais        0"],
            "did not answer as a WAIS server",
        ),
    ];
    for (answers, sentence) in cases {
        let (authority, _serving) = answering(answers).await;
        let failure = show(&short_timeouts(), format!("wais://{authority}/db?x"))
            .await
            .failure();
        let context = format!(
            "{}: {}",
            answers[answers.len() - 1].escape_ascii(),
            failure.sentence
        );
        assert!(failure.sentence.contains(sentence), "{context}");
    }
}

#[tokio::test]
async fn junk_before_reply_and_unknown_tags_are_skipped() {
    // An unknown tag of three octets, a hit whose headline comes before its id, and one that is cut off.
    const FOUND: &[u8] = b"junk 0000000043z2wais        0\0\x0b\x17\0\0\0\0\0\0\0\0\0\0\x63\x1c\
        \x81\x7f\x03abc\x81\x16\x0e\x7b\x02Hi\x74\x04\x01/\t\xff\x76\x02\x03\xe8\x81\x16\x20\x7b\x20";
    let (authority, serving) = answering(&[YES, FOUND]).await;
    let found = show(&Net::default(), format!("wais://{authority}/db?x"))
        .await
        .whole();
    let document = found.document();
    assert_eq!(
        (document.count(), document.row(0).unwrap().text()),
        (1, "Hi".to_owned())
    );
    let link = document.links(0).remove(0).target.unwrap();
    assert_eq!(
        link.to_string(),
        format!("wais://{authority}/db/TEXT/%01%2F%09%FF")
    );
    serving.await.unwrap();
}

/// A search response with these records.
fn response(records: &[u8]) -> Vec<u8> {
    let mut apdu = b"\0\x0b\x17\0\0\0\0\0\0\0\0\0\0\x63".to_vec();
    for digit in [
        records.len() >> 14 & 0x7F | 0x80,
        records.len() >> 7 & 0x7F | 0x80,
        records.len() & 0x7F,
    ] {
        apdu.push(u8::try_from(digit).unwrap());
    }
    apdu.extend_from_slice(records);
    [
        format!("{:010}z2wais        0", apdu.len()).into_bytes(),
        apdu,
    ]
    .concat()
}

/// A text record of `octets` octets.
fn text(octets: usize) -> Vec<u8> {
    let size = |octets: usize| {
        [
            0x80 | (octets >> 14),
            0x80 | (octets >> 7 & 0x7F),
            octets & 0x7F,
        ]
        .map(|digit| u8::try_from(digit).unwrap())
    };
    let inner = [[0x7F].as_slice(), &size(octets), &vec![b'x'; octets]].concat();
    [b"\x81\x19".as_slice(), &size(inner.len()), &inner].concat()
}

/// A hit with an id, a score, a number of octets, a date and a headline.
fn hit(id: &str, score: u16, octets: u16, date: &str, headline: &str) -> Vec<u8> {
    let (score, octets) = (score.to_be_bytes(), octets.to_be_bytes());
    let parts: [(u8, &[u8]); 5] = [
        (116, id.as_bytes()),
        (118, &score),
        (120, &octets),
        (122, date.as_bytes()),
        (123, headline.as_bytes()),
    ];
    let tlv =
        |(tag, octets): (u8, &[u8])| [&[tag, u8::try_from(octets.len()).unwrap()], octets].concat();
    let inner = parts.map(tlv).concat();
    [
        b"\x81\x16".as_slice(),
        &[u8::try_from(inner.len()).unwrap()],
        &inner,
    ]
    .concat()
}

#[tokio::test]
async fn hits_show_dates_and_are_sorted_by_column() {
    let hits = [
        hit("1", 1000, 30, "941107", "beta"),
        hit("2", 500, 900, "20010203", "Alpha"),
        hit("3", 100, 60, "19910708", "gamma"),
    ];
    let answers = vec![YES, leaked(response(&hits.concat()))].leak();
    let (authority, _serving) = answering(answers).await;
    let found = open(format!("wais://{authority}/db?x")).await.whole();
    let document = found.document();
    let asides = |document: &Document| -> Vec<String> {
        let rows = (0..document.count()).filter_map(|row| document.row(row));
        rows.map(|row| row.aside.unwrap().to_string()).collect()
    };
    assert_eq!(
        asides(&document),
        [
            "1994-11-07      30 B  TEXT  1000",
            "2001-02-03     900 B  TEXT   500",
            "1991-07-08      60 B  TEXT   100",
        ]
    );
    for (column, expected) in [
        (SortColumn::Score, ["beta", "Alpha", "gamma"]),
        (SortColumn::Date, ["Alpha", "beta", "gamma"]),
        (SortColumn::Size, ["Alpha", "gamma", "beta"]),
        (SortColumn::Name, ["Alpha", "beta", "gamma"]),
    ] {
        let sorted = document.clone().sorted(ListOrder::new(column));
        let rows: Vec<String> = (0..3).map(|row| sorted.row(row).unwrap().text()).collect();
        assert_eq!(rows, expected, "{column:?}");
        let target = sorted.links(0).remove(0).target.unwrap();
        let id = if expected[0] == "beta" { "1" } else { "2" };
        assert_eq!(
            target.to_string(),
            format!("wais://{authority}/db/TEXT/{id}")
        );
        let reversed = sorted.clone().sorted(ListOrder::new(column).by(column));
        assert_eq!(reversed.row(0).unwrap().text(), expected[2]);
    }
}

#[tokio::test]
async fn similar_documents_are_found_by_the_id_of_one() {
    let demo = Demo::start().await.unwrap();
    let search = format!("wais://{}/{DATABASE}?treatise", demo.addresses.wais);
    let found = open(search.clone()).await.whole();
    let document = found.document();
    let first = document.links(0).remove(0).target.unwrap();
    let request = similar_documents(&url(search.clone()), &first).unwrap();
    let similar = carry_out(&Net::default(), request).await.whole();
    let rows = |loaded: &Loaded| loaded.document().count();
    assert!(rows(&similar) > rows(&found), "{:?}", rows(&similar));
    let title = similar.begin.as_ref().unwrap().title.clone().unwrap();
    assert_eq!(
        title.as_str(),
        "treatise in almanac, and more like one of them"
    );
    // Only a search and a document of it.
    assert!(similar_documents(&first, &first).is_none());
    assert!(similar_documents(&url(search.clone()), &url(search)).is_none());
}

/// A text record with this text of up to 120 octets.
fn short_text(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).unwrap();
    [
        b"\x81\x19".as_slice(),
        &[length + 2, 0x7F, length],
        text.as_bytes(),
    ]
    .concat()
}

#[tokio::test]
async fn html_document_is_rendered() {
    let page = "<h1>Soup</h1><p>Of <a href=\"gopher://h.example/1/potatoes\">potatoes</a>";
    let answers = vec![YES, leaked(response(&short_text(page)))].leak();
    let (authority, _serving) = answering(answers).await;
    let read = open(format!("wais://{authority}/db/HTML/1")).await.whole();
    assert_eq!(read.begin.as_ref().unwrap().shape, Shape::Html);
    let document = read.document();
    let rows: Vec<String> = (0..document.count())
        .map(|row| document.row(row).unwrap().text().trim().to_owned())
        .collect();
    assert_eq!(rows, ["Soup", "", "Of potatoes"]);
    let links = (0..document.count()).flat_map(|row| document.links(row));
    let links: Vec<String> = links.map(|link| link.target.unwrap().to_string()).collect();
    assert_eq!(links, ["gopher://h.example/1/potatoes"]);
}

/// Reads the next request of a client.
async fn request(stream: &mut tokio::net::TcpStream) -> Vec<u8> {
    let mut header = [0; 25];
    stream.read_exact(&mut header).await.unwrap();
    let length: usize = std::str::from_utf8(&header[..10]).unwrap().parse().unwrap();
    let mut apdu = vec![0; length];
    stream.read_exact(&mut apdu).await.unwrap();
    apdu
}

/// A server with Nagle's algorithm sends the rest of a response only after an acknowledgement, which the next request
/// carries.
#[tokio::test]
async fn next_piece_is_requested_while_the_response_arrives() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        request(&mut stream).await;
        stream.write_all(YES).await.unwrap();
        request(&mut stream).await;
        let first = response(&text(10_000));
        stream.write_all(&first[..4096]).await.unwrap();
        let second = request(&mut stream).await;
        stream.write_all(&first[4096..]).await.unwrap();
        stream.write_all(&response(&text(7))).await.unwrap();
        second
    });
    let address = format!("wais://{authority}/db/TEXT/1");
    let read = show(&short_timeouts(), address).await.whole();
    assert_eq!(read.octets.len(), 10_007);
    let second = serving.await.unwrap();
    let asks = |term: &[u8]| second.windows(term.len()).any(|octets| octets == term);
    assert!(
        asks(b"10000") && asks(b"20000"),
        "{}",
        second.escape_ascii()
    );
}

fn leaked(octets: Vec<u8>) -> &'static [u8] {
    octets.leak()
}

#[tokio::test]
async fn document_id_holds_any_octets() {
    let answers = vec![YES, leaked(response(&text(5)))].leak();
    let (authority, serving) = answering(answers).await;
    let address = format!("wais://{authority}/db/TEXT/%01%0Ahost%07%01%00%0D");
    let loaded = show(&Net::default(), address).await.whole();
    assert_eq!(loaded.octets, b"xxxxx");
    serving.await.unwrap();
    // An invalid id is still never sent.
    let failure = show(&short_timeouts(), "wais://127.0.0.1:1/db%0D/TEXT/1")
        .await
        .failure();
    assert!(
        failure.sentence.starts_with("not sent"),
        "{}",
        failure.sentence
    );
}

#[tokio::test]
async fn truncated_document_is_a_failure() {
    let refusal = b"\x1c\0\x09S2Busy..\0\x1d";
    let answers = vec![
        YES,
        leaked(response(&text(10_000))),
        leaked(response(refusal)),
    ]
    .leak();
    let (authority, serving) = answering(answers).await;
    let loaded = show(&Net::default(), format!("wais://{authority}/db/TEXT/1")).await;
    assert_eq!(loaded.octets.len(), 10_000);
    let failure = loaded.failure();
    assert!(
        failure
            .sentence
            .contains("closed the connection after 10000 bytes"),
        "{}",
        failure.sentence
    );
    assert_eq!(failure.kind, FailureKind::Transient);
    serving.await.unwrap();
}
