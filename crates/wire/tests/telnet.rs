//! The Telnet protocol, octet for octet.

use geomys_wire::protocol::telnet::{InputMode, Telnet, TelnetCommand, TelnetOutput};
use proptest::prelude::*;

const WINDOW: (u16, u16) = (80, 24);

fn bytes(text: &str) -> Vec<u8> {
    let word = |word: &str| match word {
        "IAC" => vec![255],
        "DONT" => vec![254],
        "DO" => vec![253],
        "WONT" => vec![252],
        "WILL" => vec![251],
        "SB" => vec![250],
        "GA" => vec![249],
        "AYT" => vec![246],
        "NOP" => vec![241],
        "SE" => vec![240],
        number => match number.parse() {
            Ok(octet) => vec![octet],
            Err(_) => number.as_bytes().to_vec(),
        },
    };
    text.split_whitespace().flat_map(word).collect()
}

/// A new client after it received `heard`, with the data and the reply.
fn after(heard: &str) -> (Telnet, TelnetOutput) {
    let mut telnet = Telnet::new(WINDOW);
    let received = telnet.receive(&bytes(heard));
    (telnet, received)
}

#[test]
fn received_data_is_decoded() {
    for (heard, data) in [
        ("a IAC IAC b", b"a\xffb".as_slice()),
        ("a 13 10 b", b"a\r\nb"),
        ("a 13 0 b", b"a\rb"),
        ("a 13 b", b"a\rb"),
        ("a 13 13 10 b", b"a\r\r\nb"),
        ("a IAC AYT b IAC GA c IAC NOP d IAC 239 e", b"abcde"),
        ("a 13 IAC NOP 10 b", b"a\r\nb"),
        ("a IAC SB 99 x IAC IAC y IAC SE b", b"ab"),
        ("a IAC SE b", b"ab"),
    ] {
        let (_, received) = after(heard);
        let expected = TelnetOutput {
            data: data.to_vec(),
            reply: Vec::new(),
        };
        assert_eq!(received, expected, "{heard}");
    }
}

#[test]
fn each_option_is_answered_once() {
    for (heard, reply) in [
        ("IAC DO 24", "IAC WILL 24"),
        ("IAC DO 24 IAC DO 24", "IAC WILL 24"),
        ("IAC DO 24 IAC DONT 24", "IAC WILL 24 IAC WONT 24"),
        ("IAC DO 31", "IAC WILL 31 IAC SB 31 0 80 0 24 IAC SE"),
        ("IAC WILL 1", "IAC DO 1"),
        ("IAC WILL 1 IAC WILL 1 IAC WONT 1", "IAC DO 1 IAC DONT 1"),
        ("IAC WILL 37 IAC WILL 38", "IAC DONT 37 IAC DONT 38"),
        (
            "IAC DO 1 IAC DO 34 IAC DO 39",
            "IAC WONT 1 IAC WONT 34 IAC WONT 39",
        ),
        ("IAC WONT 5 IAC DONT 5 IAC DONT 24", ""),
        ("IAC DO 6 IAC DO 6", "IAC WONT 6 IAC WONT 6"),
        ("IAC DONT 6", ""),
        ("IAC WILL 6", "IAC DONT 6"),
        ("IAC WILL 255 IAC DO 0", "IAC DONT 255 IAC WILL 0"),
    ] {
        let (_, received) = after(heard);
        assert_eq!(received.reply, bytes(reply), "{heard}");
        assert_eq!(received.data, b"", "{heard}");
    }
}

#[test]
fn terminal_types_are_listed_then_restart() {
    let ask = "IAC SB 24 1 IAC SE ";
    let (_, received) = after(&format!("IAC DO 24 {}", ask.repeat(3)));
    assert_eq!(
        received.reply,
        bytes(
            "IAC WILL 24 IAC SB 24 0 XTERM IAC SE IAC SB 24 0 ANSI IAC SE IAC SB 24 0 ANSI IAC SE"
        )
    );
    // The option was not negotiated.
    assert_eq!(after(ask).1.reply, b"");
    // The type of the settings comes first, and none comes twice.
    for (terminal, listed) in [
        (
            "xterm-256color",
            ["XTERM-256COLOR", "ANSI", "ANSI", "XTERM-256COLOR"],
        ),
        ("vt100", ["VT100", "ANSI", "ANSI", "VT100"]),
        ("ansi", ["ANSI", "ANSI", "ANSI", "ANSI"]),
    ] {
        let mut telnet = Telnet::new(WINDOW).with_terminal(terminal);
        let received = telnet.receive(&bytes(&format!("IAC DO 24 {}", ask.repeat(4))));
        let types = listed.map(|name| format!("IAC SB 24 0 {name} IAC SE"));
        let expected = format!("IAC WILL 24 {}", types.join(" "));
        assert_eq!(received.reply, bytes(&expected), "{terminal}");
    }
}

#[test]
fn commands_have_two_octets() {
    assert_eq!(
        TelnetCommand::AreYouThere.encode().to_vec(),
        bytes("IAC AYT")
    );
    assert_eq!(TelnetCommand::Break.encode(), [255, 243]);
}

#[test]
fn resize_sends_window_size_with_escaped_octets() {
    let (mut telnet, _) = after("IAC DO 31");
    assert_eq!(
        telnet.resize((255, 511)),
        bytes("IAC SB 31 0 IAC IAC 1 IAC IAC IAC SE")
    );
    assert_eq!(Telnet::new(WINDOW).resize((90, 30)), b"");
}

#[test]
fn typed_input_is_sent_by_negotiated_mode() {
    let (line, _) = after("");
    assert_eq!(
        (line.mode(), line.encode_input(b"ls\r")),
        (InputMode::Line, b"ls\r\n".to_vec())
    );
    assert_eq!(line.encode_input(b"\xff"), b"\xff\xff");
    // A service that echoes sees every key, but it may read lines.
    let (echoing, _) = after("IAC WILL 1");
    assert_eq!(
        (echoing.mode(), echoing.encode_input(b"\r")),
        (InputMode::Character, b"\r\n".to_vec())
    );
    let (back, _) = after("IAC WILL 1 IAC WONT 1");
    assert_eq!(back.mode(), InputMode::Line);
    let (key, _) = after("IAC WILL 1 IAC WILL 3");
    assert_eq!(
        (key.mode(), key.encode_input(b"\r")),
        (InputMode::Character, b"\r\0".to_vec())
    );
    let (binary, _) = after("IAC WILL 1 IAC WILL 3 IAC DO 0 IAC WILL 0");
    assert_eq!(binary.encode_input(b"\r\xff"), b"\r\xff\xff");
}

#[test]
fn binary_option_passes_octets_unchanged() {
    let (mut telnet, _) = after("IAC WILL 0");
    assert_eq!(telnet.receive(b"a\r\0b\r\nc").data, b"a\r\0b\r\nc");
}

/// The negotiation of the telnetd of inetutils, and the replies to it.
#[test]
fn inetutils_negotiation_completes() {
    let mut telnet = Telnet::new(WINDOW);
    assert_eq!(telnet.opening(), bytes("IAC DO 3 IAC WILL 24 IAC WILL 31"));
    let first = telnet.receive(&bytes(
        "IAC WILL 37 IAC WILL 38 IAC DO 24 IAC DO 32 IAC DO 35 IAC DO 39 IAC DO 36",
    ));
    assert_eq!(
        first.reply,
        bytes("IAC DONT 37 IAC DONT 38 IAC WONT 32 IAC WONT 35 IAC WONT 39 IAC WONT 36")
    );
    let second = telnet.receive(&bytes(
        "IAC SB 24 1 IAC SE IAC WILL 3 IAC DO 1 IAC DO 34 IAC DO 31 IAC WILL 5 IAC DO 33 IAC WILL 1 IAC DO 6 IAC DO 0 \
         login: IAC WILL 0",
    ));
    assert_eq!(second.data, b"login:");
    assert_eq!(
        second.reply,
        bytes(
            "IAC SB 24 0 XTERM IAC SE IAC WONT 1 IAC WONT 34 IAC SB 31 0 80 0 24 IAC SE IAC DONT 5 IAC WONT 33 IAC DO 1 \
             IAC WONT 6 IAC WILL 0 IAC DO 0"
        )
    );
    assert_eq!(telnet.mode(), InputMode::Character);
    assert_eq!(telnet.encode_input(b"\r"), b"\r");
}

/// A telnetd that has taken the client for one that edits lines: it turns go-ahead on again, and still echoes.
#[test]
fn keys_are_sent_at_once_after_kludge_line_mode() {
    let mut telnet = Telnet::new(WINDOW);
    telnet.opening();
    let received = telnet.receive(&bytes("IAC WILL 3 IAC WILL 1 IAC DO 6 IAC WONT 3 $"));
    assert_eq!(received.data, b"$");
    assert_eq!(received.reply, bytes("IAC DO 1 IAC WONT 6 IAC DONT 3"));
    assert_eq!(telnet.mode(), InputMode::Character);
    assert_eq!(telnet.encode_input(b"\t"), b"\t");
}

/// Octets with many Telnet commands.
fn wire() -> impl Strategy<Value = Vec<u8>> {
    let octet = prop_oneof![
        3 => Just(255_u8),
        3 => 240_u8..=254,
        3 => prop_oneof![Just(0_u8), Just(1), Just(3), Just(6), Just(24), Just(31), Just(13), Just(10)],
        1 => any::<u8>(),
    ];
    proptest::collection::vec(octet, 0..200)
}

proptest! {
    #[test]
    fn decoding_does_not_depend_on_chunks(octets in wire(), cut in 0..200_usize) {
        let (first, second) = octets.split_at(cut.min(octets.len()));
        let whole = Telnet::new(WINDOW).receive(&octets);
        let mut telnet = Telnet::new(WINDOW);
        let (first, second) = (telnet.receive(first), telnet.receive(second));
        prop_assert_eq!(whole.data, [first.data, second.data].concat());
        prop_assert_eq!(whole.reply, [first.reply, second.reply].concat());
    }

    #[test]
    fn typed_input_decodes_back_unchanged(typed in proptest::collection::vec(any::<u8>(), 0..80), by_key: bool) {
        let mut ours = Telnet::new(WINDOW);
        if by_key {
            ours.receive(&[255, 251, 1, 255, 251, 3]);
        }
        let heard = Telnet::new(WINDOW).receive(&ours.encode_input(&typed));
        let expected: Vec<u8> = match ours.mode() {
            InputMode::Character => typed,
            InputMode::Line => typed.iter().flat_map(|&octet| {
                if octet == b'\r' { vec![b'\r', b'\n'] } else { vec![octet] }
            }).collect(),
        };
        // A NUL that follows a typed CR is dropped.
        if !expected.windows(2).any(|pair| pair == [b'\r', 0]) {
            prop_assert_eq!(heard.data, expected);
        }
    }

    #[test]
    fn reply_length_is_bounded_by_input(octets in wire()) {
        // The longest reply is the window size; the shortest request has three octets.
        let received = Telnet::new(WINDOW).receive(&octets);
        prop_assert!(received.reply.len() <= octets.len() * 5, "{:?}", received.reply);
        prop_assert!(received.data.len() <= octets.len());
    }
}

#[test]
fn two_peers_stop_negotiating() {
    let (mut one, mut other) = (Telnet::new(WINDOW), Telnet::new(WINDOW));
    let (from_one, from_other) = (one.opening(), other.opening());
    let mut to_other = [from_one, one.receive(&from_other).reply].concat();
    for _ in 0..4 {
        to_other = one.receive(&other.receive(&to_other).reply).reply;
    }
    assert_eq!(to_other, b"");
}
