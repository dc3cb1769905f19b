//! Octets as data of a WAIS server or a phone book: whole dialogues, descriptions of sources, results.

#![no_main]

use geomys_fuzz::{check_document, connection, runtime, split};
use geomys_page::document::Shape;
use geomys_wire::net::Limits;
use geomys_wire::protocol::{ph, wais};

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    match how & 3 {
        0 => drop(wais::source(octets)),
        1 => drop(check_document(
            "wais://h.example/d?w",
            Shape::Hits,
            octets,
            usize::from(how) + 1,
        )),
        2 => runtime().block_on(search(octets)),
        _ => runtime().block_on(look_up(octets)),
    }
});

async fn search(octets: &[u8]) {
    // The header of the message is given, so that its length is usually correct.
    let message = [
        format!("{:010}z2wais        0", octets.len()).as_bytes(),
        octets,
    ]
    .concat();
    let limits = Limits::default();
    let again = message.repeat(3);
    let mut dialogue = wais::Dialogue::new(connection(&again), "h", &limits);
    let _ = dialogue.begin().await;
    let mut dialogue = wais::Dialogue::new(connection(&message), "h", &limits);
    if let Ok(found) = dialogue.search(b"d", b"w", None, 9).await {
        let _ = format!("{found:?}");
    }
    let mut dialogue = wais::Dialogue::new(connection(&message), "h", &limits);
    if let Ok(piece) = dialogue.piece(b"d", b"TEXT", b"1", 0).await {
        assert!(piece.octets.len() <= octets.len());
    }
    // The header is fuzzed too.
    let mut dialogue = wais::Dialogue::new(connection(octets), "h", &limits);
    let _ = dialogue.begin().await;
}

async fn look_up(octets: &[u8]) {
    let mut dialogue = ph::PhDialogue::new(connection(octets), "h", &Limits::default());
    if let Ok(fields) = dialogue.fields().await {
        let _ = format!("{fields:?}");
        let _ = dialogue.query(b"query a").await;
    }
}
