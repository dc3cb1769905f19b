//! Gopher+: strings that ask, headers, where a reply ends, and errors.

use geomys::net::Limits;
use geomys::protocol::gopher::{
    Dots, End, Extent, Head, Header, Item, Outcome, Reply, Unstuff, Want, ask, refusal, request,
    unasked_refusal,
};
use geomys::url::{Parts, Url};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The data of a reply that comes in these pieces, what was known of its head, and how it ended.
fn read<'a>(dots: Dots, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Head, End) {
    let mut reply = Reply::new(dots);
    let mut data = Vec::new();
    for piece in pieces {
        data.extend(reply.push(piece));
    }
    let head = reply.head();
    let (rest, end) = reply.finish();
    data.extend(rest);
    (data, head, end)
}

fn plus(outcome: Outcome, extent: Extent) -> Head {
    Head::Plus(Header { outcome, extent })
}

#[test]
fn a_header_says_where_the_reply_ends() {
    use Extent::{Octets, UntilClose, UntilDot};
    use Outcome::{Given, Refused};
    let cases: [(&[u8], Head, &[u8], End); 14] = [
        (b"+5\r\nabcde", plus(Given, Octets(5)), b"abcde", End::Whole),
        (b"+5\nabcde", plus(Given, Octets(5)), b"abcde", End::Whole),
        // Exactly that many.
        (
            b"+5\r\nabcdefg",
            plus(Given, Octets(5)),
            b"abcde",
            End::Whole,
        ),
        (b"+5\r\nabc", plus(Given, Octets(5)), b"abc", End::Short(2)),
        (b"+0\r\n", plus(Given, Octets(0)), b"", End::Whole),
        (b"-3\r\nno\n", plus(Refused, Octets(3)), b"no\n", End::Whole),
        (
            b"+-1\r\na\r\n.\r\n",
            plus(Given, UntilDot),
            b"a\r\n",
            End::Whole,
        ),
        (b"+-1\na\n.\n", plus(Given, UntilDot), b"a\n", End::Whole),
        (b"+-1\r\na\r\n", plus(Given, UntilDot), b"a\r\n", End::NoDot),
        // A dot with something after it is a line; one that is not doubled stays.
        (
            b"+-1\r\na\r\n.\r\n.b\r\n..c\r\n.\r\n",
            plus(Given, UntilDot),
            b"a\r\n.\r\n.b\r\n..c\r\n",
            End::Whole,
        ),
        (
            b"+-2\r\na\r\n.\r\n",
            plus(Given, UntilClose),
            b"a\r\n.\r\n",
            End::Whole,
        ),
        (b"+-2\r\n", plus(Given, UntilClose), b"", End::Whole),
        (
            b"--1\r\n1 x\r\n.\r\n",
            plus(Refused, UntilDot),
            b"1 x\r\n",
            End::Whole,
        ),
        (
            b"--2\r\n1 x\r\nwhy",
            plus(Refused, UntilClose),
            b"1 x\r\nwhy",
            End::Whole,
        ),
    ];
    for (wire, head, data, end) in cases {
        let got = read(Dots::Doubled, [wire]);
        assert_eq!(got, (data.to_vec(), head, end), "{}", wire.escape_ascii());
        let octets = read(Dots::Doubled, wire.chunks(1));
        assert_eq!(octets, got, "one by one: {}", wire.escape_ascii());
    }
}

#[test]
fn a_reply_without_a_header_is_plain_gopher_to_its_last_octet() {
    let cases: [&[u8]; 20] = [
        b"",
        b"+",
        b"-",
        b"+-",
        b"+-2",
        b"+5",
        b"+5\r",
        b"+5\rx\n",
        b"+-3\r\nx",
        b"+-10\r\nx",
        b"+ 5\r\nx",
        b"+5 \r\nx",
        b"+\r\nx",
        b"+5x\r\n",
        b"\r\n+5\r\nx",
        b"5\r\nx",
        b"--\r\n",
        b"+99999999999999999999\r\nx",
        b"+00000000000000000000005\r\nx",
        b"1A menu\t/m\th\t70\r\n.\r\n",
    ];
    for wire in cases {
        let (data, head, end) = read(Dots::Doubled, [wire]);
        assert_eq!(data, wire, "{}", wire.escape_ascii());
        assert!(
            matches!(head, Head::None | Head::Awaited),
            "{}",
            wire.escape_ascii()
        );
        assert_eq!(end, End::Whole);
        assert_eq!(read(Dots::Doubled, wire.chunks(1)).0, wire);
    }
}

#[test]
fn a_reply_tells_when_it_has_come() {
    let mut counted = Reply::new(Dots::Plain);
    counted.push(b"+2\r\na");
    assert!(!counted.is_whole() && !counted.may_be_whole());
    counted.push(b"b");
    assert!(counted.is_whole() && counted.may_be_whole());
    let mut dotted = Reply::new(Dots::Plain);
    dotted.push(b"+-1\r\na\r\n.\r\n");
    assert!(!dotted.is_whole() && dotted.may_be_whole());
    dotted.push(b"more");
    assert!(!dotted.may_be_whole());
    let mut open = Reply::new(Dots::Plain);
    open.push(b"+-2\r\na\r\n.\r\n");
    assert!(!open.is_whole() && !open.may_be_whole());
}

#[test]
fn a_file_that_ends_in_a_dot_keeps_its_doubled_dots() {
    let wire = b"+-1\r\n..\r\n..a\n.\n.\r\n";
    assert_eq!(read(Dots::Plain, [&wire[..]]).0, b"..\r\n..a\n.\n");
    // A lone dot in the middle shows that they are not doubled.
    assert_eq!(read(Dots::Doubled, [&wire[..]]).0, b"..\r\n..a\n.\n");
    let doubled = b"+-1\r\n..\r\n..a\n.\r\n";
    assert_eq!(read(Dots::Doubled, [&doubled[..]]).0, b".\r\n.a\n");
    let mut plain = Unstuff::new(Dots::Plain);
    assert_eq!(plain.push(b"..a\r\n."), b"..a\r\n");
    assert!(plain.is_at_dot());
}

#[test]
fn errors_have_a_code_somebody_to_tell_and_words() {
    let ours = refusal(b"1 Bursarius <post@u.example>\r\nThere is no door\r\nof that name\r\n");
    assert_eq!(ours.code, Some(1));
    assert_eq!(ours.admin, b"Bursarius <post@u.example>");
    assert_eq!(ours.address(), Some(&b"post@u.example"[..]));
    assert_eq!(ours.words, [&b"There is no door"[..], b"of that name"]);
    assert_eq!(ours.moved, None);
    // As the servers of Minnesota have it: a row in the place of words.
    let row = refusal(b"1 Admin <a@b>\r\n0'/x' does not exist\t\t\t\r\n");
    assert_eq!((row.code, row.address()), (Some(1), Some(&b"a@b"[..])));
    assert_eq!(row.words, [b"'/x' does not exist"]);
    let first = refusal(b"0text\t\t\t\r\n.\r\n");
    assert_eq!((first.code, first.admin), (None, &b""[..]));
    assert_eq!(first.words, [b"text"]);
    let new = Item {
        gtype: b'0',
        name: b"Here",
        selector: b"/new",
        host: b"h",
        port: 7070,
        plus: Some(b"+"),
    };
    for moved in [
        &b"3 A <a@b>\r\n0Here\t/new\th\t7070\t+\r\nIt has moved.\r\n"[..],
        b"3 0Here\t/new\th\t7070\t+\r\nIt has moved.\r\n",
    ] {
        let moved = refusal(moved);
        assert_eq!((moved.code, moved.moved), (Some(3), Some(new)));
        assert_eq!(moved.words, [b"It has moved."]);
    }
    for (data, code, words) in [
        (&b""[..], None, &[][..]),
        (b"2", Some(2), &[]),
        (b"5 *UMNDES\n", Some(5), &[]),
        (b"not a code\n", None, &[&b"not a code"[..]]),
        (b"12monkeys\n", None, &[b"12monkeys"]),
        (b"99999999999 x\n", None, &[b"99999999999 x"]),
    ] {
        let read = refusal(data);
        assert_eq!((read.code, read.words.as_slice()), (code, words));
    }
}

#[test]
fn an_error_of_gopher_plus_is_known_where_nobody_asked_for_one() {
    let minnesota = b"--1\r\n1 Admin <a@b>\r\n0'/x' does not exist\t\t\t\r\n.\r\n";
    let known = unasked_refusal(minnesota).unwrap();
    assert_eq!(
        (known.code, known.words),
        (Some(1), vec![&b"'/x' does not exist"[..]])
    );
    for text in [
        &b""[..],
        b"--1",
        b"--1\r\n",
        b"--1\r\nminus minus one\r\n",
        b"+-1\r\n1 Admin <a@b>\r\n",
        b"3Not here\t\terror.host\t1\r\n.\r\n",
        b"-- \r\n1 signature\r\n",
    ] {
        assert_eq!(unasked_refusal(text), None, "{}", text.escape_ascii());
    }
}

#[test]
fn a_gopher_plus_string_says_what_it_wants() {
    assert_eq!(Want::parse(b"+"), Want::View(b""));
    assert_eq!(
        Want::parse(b"+text/plain De_DE"),
        Want::View(b"text/plain De_DE")
    );
    assert_eq!(Want::parse(b"?"), Want::Form);
    assert_eq!(Want::parse(b"!"), Want::Attributes(b""));
    assert_eq!(Want::parse(b"$+VIEWS"), Want::EveryAttribute(b"+VIEWS"));
    assert!(matches!(
        Want::parse(b"+\t1\r\n+-1\r\na\r\n.\r\n"),
        Want::Filled(_)
    ));
    for odd in [&b""[..], b"x", b"?x", b"+\t1", b"+\t1\r\nx"] {
        assert_eq!(Want::parse(odd), Want::Odd(odd));
        assert_eq!(Want::parse(odd).wire(), odd);
    }
    assert!(Want::parse(b"?").is_of_attributes() && Want::parse(b"$").is_of_attributes());
    assert!(!Want::parse(b"+").is_of_attributes());
}

#[test]
fn line_breaks_go_out_in_a_filled_form_and_nowhere_else() {
    for plus in [
        "!%0D%0A",
        "+%0D%0A",
        "+%091%0D%0A+-1%0D%0Ax",
        "+%091%0D%0A+-1%0D%0Ax%0D%0A.%0D%0Amore%0D%0A",
        "+%091%0D%0A+-1%0D%0Ax%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Ax%0D.%0D%0A",
        "+%091%0D%0A+-1%0D%0A.%0D%0A.%0D%0A",
        "+%091%0D%0A+7%0D%0Ax%0D%0A.%0D%0A",
        "+%091%0D%0A+-1%0D%0Aa%00b%0D%0A.%0D%0A",
        "+a%0Db%091%0D%0A+-1%0D%0A.%0D%0A",
        "+%00",
    ] {
        let url = Url::parse(&format!("gopher://h/0s%09%09{plus}")).unwrap();
        let Parts::Gopher(gopher) = url.parts() else {
            panic!("{url} is gopher")
        };
        assert!(request(&gopher).is_err(), "{plus}");
    }
}

#[tokio::test]
async fn a_short_reply_is_asked_for_as_a_whole() {
    let limits = Limits::default();
    for (wire, cap, data, end) in [
        (
            &b"+-1\r\n+INFO: 1T\t\t\t\r\n.\r\n"[..],
            100,
            &b"+INFO: 1T\t\t\t\r\n"[..],
            Some(End::Whole),
        ),
        (b"CAPS\r\n", 100, b"CAPS\r\n", Some(End::Whole)),
        (b"+9\r\nshort", 100, b"short", Some(End::Short(4))),
        (b"+-2\r\nmuch too long", 6, b"much t", None),
    ] {
        let (mut client, mut server) = tokio::io::duplex(64);
        let serve = async move {
            let mut asked = [0; 4];
            server.read_exact(&mut asked).await.unwrap();
            server.write_all(wire).await.unwrap();
            asked
        };
        let (asked, whole) = tokio::join!(serve, ask(&mut client, b"s!\r\n", "h:70", &limits, cap));
        let whole = whole.unwrap();
        assert_eq!(&asked, b"s!\r\n");
        assert_eq!((whole.data.as_slice(), whole.end), (data, end));
        assert_eq!(whole.header.is_some(), wire.starts_with(b"+"));
    }
    // A count is enough, and a dot that nothing follows: the server may keep its end open.
    let hasty = Limits {
        idle: std::time::Duration::from_millis(50),
        ..Limits::default()
    };
    let (mut client, mut server) = tokio::io::duplex(64);
    server.write_all(b"+-1\r\nok\r\n.\r\n").await.unwrap();
    let whole = ask(&mut client, b"\r\n", "h:70", &hasty, 100)
        .await
        .unwrap();
    assert_eq!(
        (whole.data.as_slice(), whole.end),
        (&b"ok\r\n"[..], Some(End::Whole))
    );
    server.write_all(b"+-1\r\nok\r\n").await.unwrap();
    assert!(
        ask(&mut client, b"\r\n", "h:70", &hasty, 100)
            .await
            .is_err()
    );
    drop(server);
    let (mut client, mut server) = tokio::io::duplex(64);
    server.write_all(b"+2\r\nok").await.unwrap();
    let whole = ask(&mut client, b"\r\n", "h:70", &limits, 100)
        .await
        .unwrap();
    assert_eq!(whole.data, b"ok");
    drop(server);
}

/// Octets that look like replies more often than chance would have it.
fn replies() -> impl Strategy<Value = Vec<u8>> {
    let start = prop_oneof![
        Just(b"+-1\r\n".to_vec()),
        Just(b"--1\n".to_vec()),
        Just(b"+-2\r\n".to_vec()),
        (0..40_u64).prop_map(|count| format!("+{count}\r\n").into_bytes()),
        Just(Vec::new()),
    ];
    let octet = prop_oneof![
        Just(b'.'),
        Just(b'\r'),
        Just(b'\n'),
        Just(b'+'),
        Just(b'-'),
        Just(b'1'),
        Just(b'\t'),
        Just(b' '),
        any::<u8>()
    ];
    (start, proptest::collection::vec(octet, 0..60))
        .prop_map(|(start, rest)| [start, rest].concat())
}

proptest! {
    #[test]
    fn a_reply_reads_the_same_however_it_is_cut(
        wire in replies(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..5),
        is_text in any::<bool>(),
    ) {
        let dots = if is_text { Dots::Doubled } else { Dots::Plain };
        let whole = read(dots, [wire.as_slice()]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(wire.len());
        let mut start = 0;
        let pieces: Vec<&[u8]> = cuts.iter().map(|&end| &wire[std::mem::replace(&mut start, end)..end]).collect();
        prop_assert_eq!(read(dots, pieces), whole);
    }

    #[test]
    fn a_reply_without_a_header_loses_no_octet(wire in replies()) {
        let (data, head, _) = read(Dots::Doubled, [wire.as_slice()]);
        if !matches!(head, Head::Plus(_)) {
            prop_assert_eq!(data, wire);
        }
    }
}
