//! Octets as data of a news server: overviews, articles, lists, and the dialogue around them.

#![no_main]

use geomys_fuzz::{check_document, connection, runtime, split};
use geomys_page::document::{ArticleNumbers, ListOrder, Shape, SortColumn};
use geomys_wire::net::{Limits, Security};
use geomys_wire::protocol::nntp::{ArticleId, Dialogue, List, OpenMode, Wildmat};

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let piece = usize::from(how >> 3) * 13 + 1;
    match how & 7 {
        0 | 1 => {
            let document = check_document("nntp://h.example/a.b", Shape::Group, octets, piece);
            for column in [
                SortColumn::Thread,
                SortColumn::Author,
                SortColumn::Subject,
                SortColumn::Date,
            ] {
                let sorted = document.clone().sorted(ListOrder::new(column));
                let numbers = sorted.thread_numbers(0);
                assert!(numbers.count(0, u64::MAX) <= octets.len() as u64);
            }
        }
        2..=4 => drop(check_document(
            "news:1@h.example",
            Shape::Article,
            octets,
            piece,
        )),
        5 => drop(check_document(
            "news://h.example/*",
            Shape::Groups,
            octets,
            piece,
        )),
        6 => {
            if let Some(numbers) = ArticleNumbers::parse(octets) {
                let written = numbers.to_string();
                assert_eq!(ArticleNumbers::parse(written.as_bytes()), Some(numbers));
            }
            let pattern = Wildmat::parse(octets);
            let _ = format!("{pattern:?}");
        }
        _ => runtime().block_on(converse(octets)),
    }
});

/// Opens a dialogue with a server that sends `octets`, and requests a group, its overview, an article and a list.
async fn converse(octets: &[u8]) {
    let stream = connection(octets);
    let limits = Limits::default();
    let dialogue = Dialogue::open(
        stream,
        "h",
        &limits,
        None,
        OpenMode::WithCapabilities,
        Security::Plain,
    );
    let Ok(mut dialogue) = dialogue.await else {
        return;
    };
    let Ok(marks) = dialogue.group(b"a.b").await else {
        return;
    };
    let _ = format!("{marks:?}");
    if let Ok(true) = dialogue.over(1, 9).await {
        while let Ok(Some(_)) = dialogue.block().await {}
    }
    if dialogue.article(ArticleId::MessageId(b"1@h")).await.is_ok() {
        while let Ok(Some(_)) = dialogue.block().await {}
    }
    if dialogue.list(List::Active, None).await.is_ok() {
        while let Ok(Some(_)) = dialogue.block().await {}
    }
}
