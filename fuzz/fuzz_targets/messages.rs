//! Octets as the body of a message in a transfer encoding, as the values of its headers, and as the date of an article.

#![no_main]

use geomys_fuzz::{check_document, split};
use geomys_page::document::{ListOrder, Shape, SortColumn};

/// The encodings of the body, and what it is.
const HEADS: [&str; 7] = [
    "Content-Transfer-Encoding: quoted-printable",
    "Content-Transfer-Encoding: base64",
    "Content-Transfer-Encoding: x-uuencode",
    "Content-Type: text/plain; charset=iso-2022-jp-2",
    "Content-Type: text/plain; charset=hz",
    "Content-Type: text/plain; charset=utf-7",
    "Content-Type: multipart/digest; boundary=a",
];

geomys_fuzz::target!(|octets: &[u8]| {
    let (how, octets) = split(octets);
    let piece = usize::from(how >> 4) * 13 + 1;
    let message = match HEADS.get(usize::from(how & 15)) {
        Some(head) => [b"Subject: a\n", head.as_bytes(), b"\n\n", octets].concat(),
        None => {
            let value = octets.split(|octet| *octet == b'\n').next();
            let name: &[u8] =
                [&b"Content-Type: "[..], b"Content-Disposition: "][usize::from(how & 1)];
            [
                name,
                value.unwrap_or_default(),
                b"\n\n--a\n\nSubject: b\n\nc\n",
            ]
            .concat()
        }
    };
    let mut document = check_document("news:1@h.example", Shape::Article, &message, piece);
    while let Some(inside) = (0..document.count()).find_map(|row| document.attached_message(row)) {
        document = inside.finished();
    }
    let date = octets.split(|octet| matches!(octet, b'\n' | b'\t')).next();
    let line = [
        b"7\tsubject\tfrom\t",
        date.unwrap_or_default(),
        b"\t<1@x>\n",
    ]
    .concat();
    let group = check_document("nntp://h.example/a.b", Shape::Group, &line, piece);
    drop(group.sorted(ListOrder::new(SortColumn::Date)));
});
