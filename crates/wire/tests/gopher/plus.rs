//! Gopher+: request strings, headers, the end of a reply, and errors.

use geomys_wire::net::Limits;
use geomys_wire::protocol::gopher::{
    DotStuffing, DotUnstuffer, Extent, Header, HeaderState, Item, Outcome, PlusRequest, Reply,
    ReplyEnd, read_whole, refusal, refusal_of_plain_request, request,
};
use proptest::prelude::*;
use rfc1738::{Parts, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The data of a reply that comes in these pieces, its parsed head, and how it ended.
fn read<'a>(
    dots: DotStuffing,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<u8>, HeaderState, ReplyEnd) {
    let mut reply = Reply::new(dots);
    let mut data = Vec::new();
    for piece in pieces {
        data.extend(reply.push(piece));
    }
    let head = reply.header_state();
    let (rest, end) = reply.finish();
    data.extend(rest);
    (data, head, end)
}

fn plus(outcome: Outcome, extent: Extent) -> HeaderState {
    HeaderState::Plus(Header { outcome, extent })
}

#[test]
fn header_decides_where_the_reply_ends() {
    use Extent::{Octets, UntilClose, UntilDot};
    use Outcome::{Given, Refused};
    let cases: [(&[u8], HeaderState, &[u8], ReplyEnd); 14] = [
        (
            b"+5\r\nabcde",
            plus(Given, Octets(5)),
            b"abcde",
            ReplyEnd::Whole,
        ),
        (
            b"+5\nabcde",
            plus(Given, Octets(5)),
            b"abcde",
            ReplyEnd::Whole,
        ),
        // Exactly that many.
        (
            b"+5\r\nabcdefg",
            plus(Given, Octets(5)),
            b"abcde",
            ReplyEnd::Whole,
        ),
        (
            b"+5\r\nabc",
            plus(Given, Octets(5)),
            b"abc",
            ReplyEnd::Short(2),
        ),
        (b"+0\r\n", plus(Given, Octets(0)), b"", ReplyEnd::Whole),
        (
            b"-3\r\nno\n",
            plus(Refused, Octets(3)),
            b"no\n",
            ReplyEnd::Whole,
        ),
        (
            b"+-1\r\na\r\n.\r\n",
            plus(Given, UntilDot),
            b"a\r\n",
            ReplyEnd::Whole,
        ),
        (
            b"+-1\na\n.\n",
            plus(Given, UntilDot),
            b"a\n",
            ReplyEnd::Whole,
        ),
        (
            b"+-1\r\na\r\n",
            plus(Given, UntilDot),
            b"a\r\n",
            ReplyEnd::NoDot,
        ),
        // A dot with something after it is a line; one that is not doubled stays.
        (
            b"+-1\r\na\r\n.\r\n.b\r\n..c\r\n.\r\n",
            plus(Given, UntilDot),
            b"a\r\n.\r\n.b\r\n..c\r\n",
            ReplyEnd::Whole,
        ),
        (
            b"+-2\r\na\r\n.\r\n",
            plus(Given, UntilClose),
            b"a\r\n.\r\n",
            ReplyEnd::Whole,
        ),
        (b"+-2\r\n", plus(Given, UntilClose), b"", ReplyEnd::Whole),
        (
            b"--1\r\n1 x\r\n.\r\n",
            plus(Refused, UntilDot),
            b"1 x\r\n",
            ReplyEnd::Whole,
        ),
        (
            b"--2\r\n1 x\r\nwhy",
            plus(Refused, UntilClose),
            b"1 x\r\nwhy",
            ReplyEnd::Whole,
        ),
    ];
    for (wire, head, data, end) in cases {
        let got = read(DotStuffing::Doubled, [wire]);
        assert_eq!(got, (data.to_vec(), head, end), "{}", wire.escape_ascii());
        let octets = read(DotStuffing::Doubled, wire.chunks(1));
        assert_eq!(octets, got, "one by one: {}", wire.escape_ascii());
    }
}

#[test]
fn reply_without_header_is_plain_gopher() {
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
        let (data, head, end) = read(DotStuffing::Doubled, [wire]);
        assert_eq!(data, wire, "{}", wire.escape_ascii());
        assert!(
            matches!(head, HeaderState::None | HeaderState::Incomplete),
            "{}",
            wire.escape_ascii()
        );
        assert_eq!(end, ReplyEnd::Whole);
        assert_eq!(read(DotStuffing::Doubled, wire.chunks(1)).0, wire);
    }
}

#[test]
fn reply_reports_when_it_is_complete() {
    let mut counted = Reply::new(DotStuffing::Plain);
    counted.push(b"+2\r\na");
    assert!(!counted.is_whole() && !counted.may_be_whole());
    counted.push(b"b");
    assert!(counted.is_whole() && counted.may_be_whole());
    let mut dotted = Reply::new(DotStuffing::Plain);
    dotted.push(b"+-1\r\na\r\n.\r\n");
    assert!(!dotted.is_whole() && dotted.may_be_whole());
    dotted.push(b"more");
    assert!(!dotted.may_be_whole());
    let mut open = Reply::new(DotStuffing::Plain);
    open.push(b"+-2\r\na\r\n.\r\n");
    assert!(!open.is_whole() && !open.may_be_whole());
}

#[test]
fn text_with_a_lone_dot_inside_is_not_unstuffed() {
    let wire = b"+-1\r\n..\r\n..a\n.\n.\r\n";
    assert_eq!(read(DotStuffing::Plain, [&wire[..]]).0, b"..\r\n..a\n.\n");
    // A lone dot in the middle shows that they are not doubled.
    assert_eq!(read(DotStuffing::Doubled, [&wire[..]]).0, b"..\r\n..a\n.\n");
    let doubled = b"+-1\r\n..\r\n..a\n.\r\n";
    assert_eq!(read(DotStuffing::Doubled, [&doubled[..]]).0, b".\r\n.a\n");
    let mut plain = DotUnstuffer::new(DotStuffing::Plain);
    assert_eq!(plain.push(b"..a\r\n."), b"..a\r\n");
    assert!(plain.is_at_dot());
}

#[test]
fn error_parses_into_code_admin_and_text() {
    let ours = refusal(b"1 Bursarius <post@u.example>\r\nThere is no door\r\nof that name\r\n");
    assert_eq!(ours.code, Some(1));
    assert_eq!(ours.admin, b"Bursarius <post@u.example>");
    assert_eq!(ours.message, [&b"There is no door"[..], b"of that name"]);
    assert_eq!(ours.moved, None);
    // The Minnesota servers send a row in place of the error text.
    let row = refusal(b"1 Admin <a@b>\r\n0'/x' does not exist\t\t\t\r\n");
    assert_eq!((row.code, row.admin), (Some(1), &b"Admin <a@b>"[..]));
    assert_eq!(row.message, [b"'/x' does not exist"]);
    let first = refusal(b"0text\t\t\t\r\n.\r\n");
    assert_eq!((first.code, first.admin), (None, &b""[..]));
    assert_eq!(first.message, [b"text"]);
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
        assert_eq!(moved.message, [b"It has moved."]);
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
        assert_eq!((read.code, read.message.as_slice()), (code, words));
    }
}

#[test]
fn unrequested_gopher_plus_error_is_recognized() {
    let minnesota = b"--1\r\n1 Admin <a@b>\r\n0'/x' does not exist\t\t\t\r\n.\r\n";
    let refusal = refusal_of_plain_request(minnesota).unwrap();
    assert_eq!(
        (refusal.code, refusal.message),
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
        assert_eq!(
            refusal_of_plain_request(text),
            None,
            "{}",
            text.escape_ascii()
        );
    }
}

#[test]
fn gopher_plus_string_parses_into_its_request() {
    assert_eq!(PlusRequest::parse(b"+"), PlusRequest::View(b""));
    assert_eq!(
        PlusRequest::parse(b"+text/plain De_DE"),
        PlusRequest::View(b"text/plain De_DE")
    );
    assert_eq!(PlusRequest::parse(b"?"), PlusRequest::Form);
    assert_eq!(PlusRequest::parse(b"!"), PlusRequest::Attributes(b""));
    assert_eq!(
        PlusRequest::parse(b"$+VIEWS"),
        PlusRequest::EveryAttribute(b"+VIEWS")
    );
    assert!(matches!(
        PlusRequest::parse(b"+\t1\r\n+-1\r\na\r\n.\r\n"),
        PlusRequest::FilledForm(_)
    ));
    for odd in [&b""[..], b"x", b"?x", b"+\t1", b"+\t1\r\nx"] {
        assert_eq!(PlusRequest::parse(odd), PlusRequest::Other(odd));
        assert_eq!(PlusRequest::parse(odd).wire(), odd);
    }
    assert_eq!(PlusRequest::parse(b"$"), PlusRequest::EveryAttribute(b""));
}

#[test]
fn line_breaks_are_sent_only_in_a_filled_form() {
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
        let Parts::Gopher(gopher) = url.base_parts() else {
            panic!("{url} is gopher")
        };
        assert!(request(&gopher).is_err(), "{plus}");
    }
}

#[tokio::test]
async fn short_reply_is_fetched_up_to_its_cap() {
    let limits = Limits::default();
    for (wire, cap, data, end) in [
        (
            &b"+-1\r\n+INFO: 1T\t\t\t\r\n.\r\n"[..],
            100,
            &b"+INFO: 1T\t\t\t\r\n"[..],
            Some(ReplyEnd::Whole),
        ),
        (b"CAPS\r\n", 100, b"CAPS\r\n", Some(ReplyEnd::Whole)),
        (b"+9\r\nshort", 100, b"short", Some(ReplyEnd::Short(4))),
        (b"+-2\r\nmuch too long", 6, b"much t", None),
    ] {
        let (mut client, mut server) = tokio::io::duplex(64);
        let serve = async move {
            let mut request = [0; 4];
            server.read_exact(&mut request).await.unwrap();
            server.write_all(wire).await.unwrap();
            request
        };
        client.write_all(b"s!\r\n").await.unwrap();
        let (request, whole) = tokio::join!(serve, read_whole(&mut client, "h:70", &limits, cap));
        let whole = whole.unwrap();
        assert_eq!(&request, b"s!\r\n");
        assert_eq!((whole.data.as_slice(), whole.end), (data, end));
        assert_eq!(whole.header.is_some(), wire.starts_with(b"+"));
    }
    // A count, or a final dot, completes the reply: the server may keep the connection open.
    let short_timeouts = Limits {
        idle: std::time::Duration::from_millis(50),
        ..Limits::default()
    };
    let (mut client, mut server) = tokio::io::duplex(64);
    server.write_all(b"+-1\r\nok\r\n.\r\n").await.unwrap();
    let whole = read_whole(&mut client, "h:70", &short_timeouts, 100)
        .await
        .unwrap();
    assert_eq!(
        (whole.data.as_slice(), whole.end),
        (&b"ok\r\n"[..], Some(ReplyEnd::Whole))
    );
    server.write_all(b"+-1\r\nok\r\n").await.unwrap();
    assert!(
        read_whole(&mut client, "h:70", &short_timeouts, 100)
            .await
            .is_err()
    );
    drop(server);
    let (mut client, mut server) = tokio::io::duplex(64);
    server.write_all(b"+2\r\nok").await.unwrap();
    let whole = read_whole(&mut client, "h:70", &limits, 100).await.unwrap();
    assert_eq!(whole.data, b"ok");
    drop(server);
}

/// Octets that often look like replies.
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
    fn reply_parsing_does_not_depend_on_chunks(
        wire in replies(),
        cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..5),
        is_text in any::<bool>(),
    ) {
        let dots = if is_text { DotStuffing::Doubled } else { DotStuffing::Plain };
        let whole = read(dots, [wire.as_slice()]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(wire.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(wire.len());
        let mut start = 0;
        let pieces: Vec<&[u8]> = cuts.iter().map(|&end| &wire[std::mem::replace(&mut start, end)..end]).collect();
        prop_assert_eq!(read(dots, pieces), whole);
    }

    #[test]
    fn reply_without_header_keeps_every_octet(wire in replies()) {
        let (data, head, _) = read(DotStuffing::Doubled, [wire.as_slice()]);
        if !matches!(head, HeaderState::Plus(_)) {
            prop_assert_eq!(data, wire);
        }
    }
}
