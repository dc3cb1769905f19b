//! Gopher: requests, rows of menus, and the dots of a text.

mod attributes;
mod caps;
mod form;
mod ph;
mod plus;

use geomys_wire::protocol::gopher::{
    DotUnstuffer, Item, ReplyTail, is_final_dot, item, request, without_final_dot,
};
use proptest::prelude::*;
use rfc1738::{Parts, Url};

#[test]
fn selector_is_sent_octet_for_octet() {
    let cases: [(&str, &[u8]); 25] = [
        ("gopher://h", b"\r\n"),
        ("gopher://h/", b"\r\n"),
        ("gopher://h/1", b"\r\n"),
        ("gopher://h/1/a%78b", b"/axb\r\n"),
        ("gopher://h/1?x", b"?x\r\n"),
        ("gopher://h/0/caf%E9", b"/caf\xe9\r\n"),
        ("gopher://h/1/%2525", b"/%25\r\n"),
        (
            "gopher://h/7search%09some%20words",
            b"search\tsome words\r\n",
        ),
        ("gopher://h/7s%09q%09+", b"s\tq\t+\r\n"),
        ("gopher://h/0s%09%09!", b"s\t!\r\n"),
        ("gopher://h/7s%09%09!", b"s\t\t!\r\n"),
        ("gopher://h/%3Bmovie", b"movie\r\n"),
        ("gopher://h/0s%09%09+", b"s\t+\r\n"),
        (
            "gopher://h/0s%09%09+application/postscript%20Es_ES",
            b"s\t+application/postscript Es_ES\r\n",
        ),
        (
            "gopher://h/0s%09%09!+ABSTRACT%20+SMELL",
            b"s\t!+ABSTRACT+SMELL\r\n",
        ),
        ("gopher://h/0s%09%09!+ABSTRACT", b"s\t!+ABSTRACT\r\n"),
        ("gopher://h/1s%09%09$", b"s\t$\r\n"),
        (
            "gopher://h/1s%09%09$+VIEWS%20%20+ABSTRACT",
            b"s\t$+VIEWS+ABSTRACT\r\n",
        ),
        ("gopher://h/7s%09%09$", b"s\t\t$\r\n"),
        // The form is requested first.
        ("gopher://h/0s%09%09?", b"s\t!\r\n"),
        ("gopher://h/7s%09%09?", b"s\t\t!\r\n"),
        (
            "gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Ax%0D%0A.%0D%0A",
            b"s\t+\t1\r\n+-1\r\nx\r\n.\r\n",
        ),
        (
            "gopher://h/0s%09%09+text/plain%091%0D%0A+-1%0D%0A.%0D%0A",
            b"s\t+text/plain\t1\r\n+-1\r\n.\r\n",
        ),
        (
            "gopher://h/7s%09words%09+%091%0D%0A+-1%0D%0A%0D%0Ay%0D%0A.%0D%0A",
            b"s\twords\t+\t1\r\n+-1\r\n\r\ny\r\n.\r\n",
        ),
        ("gopher://h/0s%09%09+%090", b"s\t+\t0\r\n"),
    ];
    for (url, line) in cases {
        let url = Url::parse(url).unwrap();
        let Parts::Gopher(gopher) = url.base_parts() else {
            panic!("{url} is gopher")
        };
        assert_eq!(request(&gopher).unwrap(), line, "{url}");
    }
}

#[test]
fn malformed_rows_are_parsed_or_skipped() {
    let whole = Item {
        gtype: b'1',
        name: b"name",
        selector: b"/sel",
        host: b"h",
        port: 7070,
        plus: None,
    };
    let cases: [(&[u8], Option<Item<'_>>); 8] = [
        (b"1name\t/sel\th\t7070", Some(whole)),
        (
            b"1name\t/sel\th\t7070\t+",
            Some(Item {
                plus: Some(b"+"),
                ..whole
            }),
        ),
        (
            b"1name\t/sel\th\t7070\t?\tmore",
            Some(Item {
                plus: Some(b"?"),
                ..whole
            }),
        ),
        (b"1name\t/sel\th\t 7070 ", Some(whole)),
        (b"1name\t/sel\th\tabc", Some(Item { port: 70, ..whole })),
        (
            b"1name\t/sel",
            Some(Item {
                host: b"",
                port: 70,
                ..whole
            }),
        ),
        (b"just words", None),
        (b"", None),
    ];
    for (line, expected) in cases {
        assert_eq!(item(line), expected, "{}", line.escape_ascii());
    }
}

#[test]
fn dots_are_unstuffed_only_in_stuffed_text() {
    let cases: [(&[u8], &[u8]); 13] = [
        (b"text\r\n.\r\n", b"text\r\n"),
        (b"text\r\n.\n", b"text\r\n"),
        (b"text\r\n.", b"text\r\n"),
        (b"no dot\r\n", b"no dot\r\n"),
        (b"..stuffed\r\n.\r\n", b".stuffed\r\n"),
        (b".not stuffed\r\n", b".not stuffed\r\n"),
        (
            b"a\r\n.\r\nafter a lone dot\r\n",
            b"a\r\n.\r\nafter a lone dot\r\n",
        ),
        (b"", b""),
        // A line that begins with one dot shows that dots are not doubled.
        (b"..\r\n.\r\n.\r\n", b"..\r\n.\r\n"),
        (b"..a\r\n.b\r\n..c\r\n.\r\n", b"..a\r\n.b\r\n..c\r\n"),
        (b".b\r\n..c\r\n", b".b\r\n..c\r\n"),
        (b"..a\n...\nb\n..c", b".a\n..\nb\n.c"),
        (b"..a\r\n.\r", b"..a\r\n.\r"),
    ];
    for (wire, text) in cases {
        let mut dots = DotUnstuffer::default();
        let mut got = dots.push(wire);
        got.extend(dots.finish());
        assert_eq!(got, text, "{}", wire.escape_ascii());
    }
}

#[test]
fn dots_stay_when_text_exceeds_the_hold_limit() {
    let mut dots = DotUnstuffer::default().with_max_buffer(8);
    let mut got = dots.push(b"a\r\n..b\r\n");
    assert_eq!(got, b"a\r\n");
    got.extend(dots.push(b"..c\r\n..d\r\n"));
    assert_eq!(got, b"a\r\n..b\r\n..c\r\n..d\r\n");
    assert_eq!(dots.finish(), b"");
}

#[test]
fn final_dot_stands_alone_on_its_line() {
    for line in [".", ".\r", ".\n", ".\r\n", ".\r\r\n"] {
        assert!(is_final_dot(line.as_bytes()), "{line:?}");
    }
    for line in ["", "..", ". ", "\n.", ".\n\n", ".\n\r", "a."] {
        assert!(!is_final_dot(line.as_bytes()), "{line:?}");
    }
    for (text, rest) in [
        ("a\n.\r\n", "a\n"),
        ("a\n.", "a\n"),
        (".", ""),
        ("a.\n", "a.\n"),
        ("a\n.\nb", "a\n.\nb"),
        ("", ""),
    ] {
        assert_eq!(
            without_final_dot(text.as_bytes()),
            rest.as_bytes(),
            "{text:?}"
        );
    }
}

proptest! {
    #[test]
    fn tail_of_a_reply_in_pieces_ends_with_a_dot_as_the_whole_does(
        pieces in proptest::collection::vec(r"[.\r\na]{0,8}", 0..4),
    ) {
        let mut tail = ReplyTail::default();
        for piece in &pieces {
            tail.push(piece.as_bytes());
        }
        let text = pieces.concat();
        let is_dot = without_final_dot(text.as_bytes()).len() < text.len();
        let expected = text.ends_with("\r.\r") || text.ends_with('\n') && is_dot;
        prop_assert_eq!(tail.is_dot(), expected, "{:?}", text);
    }
}
