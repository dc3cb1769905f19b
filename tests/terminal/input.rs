//! The input of the terminal: keys of all terminals, and strings of which nothing acts.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::time::Duration;

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use futures_util::{StreamExt, stream};
use geomys::run::terminal_input::{Input, InputDecoder, TerminalInput};
use geomys::ui::theme::colours::Background;
use geomys_page::document::picture::Protocol;
use proptest::prelude::*;
use tokio::time::{Instant, sleep};

use crate::support::screen::event;
use crate::support::terminal::Terminal;

/// The keys, written as in keys.toml with blanks between.
fn keys(written: &str) -> Vec<Input> {
    let keys = written.split_whitespace().map(event);
    keys.map(|key| Input::Event(Event::Key(key))).collect()
}

/// The input of octets that come in one read, after which nothing comes.
fn whole(octets: &[u8]) -> Vec<Input> {
    let mut decoder = InputDecoder::default();
    let mut input = decoder.read(octets);
    input.extend(decoder.expire());
    input
}

/// The input of reads, each after a pause, and the time until the last.
async fn timed(reads: &[(u64, &str)]) -> (Vec<Input>, Duration) {
    let start = Instant::now();
    let reads: Vec<(u64, Vec<u8>)> = reads
        .iter()
        .map(|(pause, text)| (*pause, text.as_bytes().to_vec()))
        .collect();
    let reads = stream::iter(reads).then(|(pause, octets)| async move {
        sleep(Duration::from_millis(pause)).await;
        Ok(octets)
    });
    // Nothing ends an incomplete sequence but the time.
    let mut input = TerminalInput::new(Box::pin(reads.chain(stream::pending())));
    let mut all = Vec::new();
    let mut last = Duration::ZERO;
    while let Ok(next) = tokio::time::timeout(Duration::from_mins(1), input.next()).await {
        all.push(next.unwrap().unwrap());
        last = start.elapsed();
    }
    (all, last)
}

/// The octets of a line of the data: terminfo's spelling.
fn octets(written: &str) -> Vec<u8> {
    let written = written.replace("\\E", "\u{1b}").replace("^?", "\u{7f}");
    match written.split_once('^') {
        Some((before, letter)) if letter.len() == 1 && !before.contains('[') => {
            [before.as_bytes(), &[letter.as_bytes()[0] & 31]].concat()
        }
        _ => written.into_bytes(),
    }
}

#[test]
fn every_key_of_terminfo_is_known() {
    let data = include_str!("../data/terminal/keys.txt");
    let mut count = 0;
    for line in data.lines().filter(|line| !line.starts_with('#')) {
        let [written, meaning, _, names] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let found = match &whole(&octets(written))[..] {
            [] => "none".to_owned(),
            [Input::Event(Event::Key(key))] => format!("{:?} {:?}", key.code, key.modifiers),
            other => format!("{other:?}"),
        };
        assert_eq!(found, meaning, "{names}");
        count += 1;
    }
    assert_eq!(count, 234);
}

#[test]
fn letters_of_any_script_come_whole_and_in_pieces() {
    let text = "aÄ€\u{1f980}é";
    let expected = keys("a Shift-Ä € \u{1f980} é");
    assert_eq!(whole(text.as_bytes()), expected);
    let mut decoder = InputDecoder::default();
    let pieces = text.bytes().flat_map(|octet| decoder.read(&[octet]));
    assert_eq!(pieces.collect::<Vec<_>>(), expected);
    assert_eq!(whole("\u{1b}é".as_bytes()), keys("Alt-é"));
    // The octets of another charset are no letters, and take none with them.
    assert_eq!(whole(b"\xfc\xe4a\xe2\x82b"), keys("a b"));
}

#[test]
fn modifiers_of_all_encodings_are_known() {
    for (octets, expected) in [
        ("\x1b\x1b[A", "Alt-Up"),
        ("\x1b\x1bOA", "Alt-Up"),
        ("\x1b[1;7C", "Ctrl-Alt-Right"),
        ("\x1b[5C", "Ctrl-Right"),
        ("\x1bO5C", "Ctrl-Right"),
        ("\x1bO1;5C", "Ctrl-Right"),
        ("\x1b[97;5u", "Ctrl-a"),
        ("\x1b[97:65;2u", "A"),
        ("\x1b[13;2u", "Shift-Enter"),
        ("\x1b[27;5;9~", "Ctrl-Tab"),
        ("\x1b[57414u", "Enter"),
        ("\x1b\r", "Alt-Enter"),
        ("\x1b\x7f", "Alt-Backspace"),
        ("\x1b\x1b", "Esc Esc"),
        ("\x1b\x1b\x1b", "Esc Esc Esc"),
        ("\x1b\x1bq", "Esc Alt-q"),
    ] {
        let found = whole(octets.as_bytes());
        assert_eq!(found, keys(expected), "{octets:?}");
    }
}

#[test]
fn mouse_of_all_encodings_is_known() {
    let click = |kind, modifiers| {
        vec![Input::Event(Event::Mouse(MouseEvent {
            kind,
            column: 199,
            row: 1,
            modifiers,
        }))]
    };
    let down = MouseEventKind::Down(MouseButton::Left);
    let up = MouseEventKind::Up(MouseButton::Left);
    let plain = KeyModifiers::NONE;
    for (octets, expected) in [
        (&b"\x1b[<0;200;2M"[..], click(down, plain)),
        (b"\x1b[<0;200;2m", click(up, plain)),
        (b"\x1b[32;200;2M", click(down, plain)),
        (b"\x1b[35;200;2M", click(up, plain)),
        (b"\x1b[M \xe8\"", click(down, plain)),
        (b"\x1b[<4;200;2M", click(down, KeyModifiers::SHIFT)),
        (b"\x1b[<65;200;2M", click(MouseEventKind::ScrollDown, plain)),
        (
            b"\x1b[<32;200;2M",
            click(MouseEventKind::Drag(MouseButton::Left), plain),
        ),
        // The buttons that go back and forward.
        (b"\x1b[<128;200;2M", vec![Input::Navigate(false)]),
        (b"\x1b[<129;200;2M", vec![Input::Navigate(true)]),
        (b"\x1b[<128;200;2m", vec![]),
        // A button that no mouse has, and a place before the first.
        (b"\x1b[<130;200;2M", vec![]),
        (b"\x1b[<0;0;0M", vec![]),
    ] {
        assert_eq!(whole(octets), expected, "{octets:?}");
    }
}

#[test]
fn pasted_text_is_no_key_however_it_comes() {
    let text = "q\r\x1b[A\x1b]0;q\x07 \x1b[20 ä €\x1b[201";
    let sent = format!("\x1b[200~{text}\x1b[201~j");
    let mut expected = vec![Input::Event(Event::Paste(text.to_owned()))];
    expected.extend(keys("j"));
    assert_eq!(whole(sent.as_bytes()), expected);
    let mut decoder = InputDecoder::default();
    let pieces = sent.bytes().flat_map(|octet| decoder.read(&[octet]));
    assert_eq!(pieces.collect::<Vec<_>>(), expected);
    // The rest of a slow paste is text too.
    decoder.read(b"\x1b[200~slow");
    assert_eq!(decoder.wait(), None);
}

#[test]
fn large_paste_comes_in_parts_that_are_the_whole() {
    let text = "€\x1b[20 ".repeat(400_000);
    let input = whole(format!("\x1b[200~{text}\x1b[201~").as_bytes());
    assert!(input.len() > 1);
    let parts = input.iter().map(|input| match input {
        Input::Event(Event::Paste(part)) => part.as_str(),
        other => panic!("{other:?}"),
    });
    assert!(parts.collect::<String>() == text, "the parts are the text");
}

/// Answers to questions that Geomys does not ask.
const REPLIES: [&str; 24] = [
    "\x1b]lq a title X\x1b\\",
    "\x1b]Lq an icon\x1b\\",
    "\x1b]0;q\x07",
    "\x1b]10;rgb:ffff/ffff/ffff\x07",
    "\x1b]52;c;cXF4eHF1aXQ=\x1b\\",
    "\x1b]52;p;cXF4eHF1aXQ=\x07",
    "\x1b_q any application\x1b\\",
    "\x1bXq a string\x1b\\",
    "\x1b^q a private message\x1b\\",
    "\x1bP1+r544e=787465726d\x1b\\",
    "\x1bP0+r\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1bP!|00000000\x1b\\",
    "\x1b[?64;1;2;6;9;15;18;21;22c",
    "\x1b[>41;354;0c",
    "\x1b[=0;0c",
    "\x1b[12;40R",
    "\x1b[1;5R",
    "\x1b[?1;5;1R",
    "\x1b[?2026;2$y",
    "\x1b[4;2$y",
    "\x1b[8;24;80t",
    "\x1b[?0u",
    "\x1b[?997;1n",
];

#[test]
fn replies_that_nobody_asked_for_are_no_keys() {
    for reply in REPLIES {
        assert_eq!(
            whole(format!("{reply}j").as_bytes()),
            keys("j"),
            "{reply:?}"
        );
        let mut decoder = InputDecoder::default();
        let octets = reply.bytes().chain([b'j']);
        let input = octets.flat_map(|octet| decoder.read(&[octet]));
        assert_eq!(input.collect::<Vec<_>>(), keys("j"), "{reply:?} in pieces");
    }
}

#[test]
fn answers_that_are_used_are_read() {
    for (octets, expected) in [
        (
            "\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\",
            Input::Background(Background::Light),
        ),
        (
            "\x1b]11;rgb:f/f/f\x07",
            Input::Background(Background::Light),
        ),
        (
            "\u{9d}11;rgb:00/2b/36\u{9c}",
            Input::Background(Background::Dark),
        ),
        (
            "\x1b]11;rgba:0/0/0/f\x07",
            Input::Background(Background::Dark),
        ),
        ("\x1b_Gi=31;OK\x1b\\", Input::Graphics(Protocol::Kitty)),
        (
            "\x1bP>|WezTerm 20240203-110809-5046fc22\x1b\\",
            Input::Graphics(Protocol::Iterm2),
        ),
    ] {
        assert_eq!(whole(octets.as_bytes()), [expected], "{octets:?}");
    }
    for octets in [
        "\x1b_Gi=31;ENOTSUPPORTED\x1b\\",
        "\x1bP>|tmux 3.4\x1b\\",
        "\x1b]11;?\x07",
    ] {
        assert_eq!(whole(octets.as_bytes()), [], "{octets:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn answer_in_pieces_two_seconds_late_is_no_key() {
    let answer: Vec<String> = "\x1b]11;rgb:0000/2b2b/3636\x1b\\q"
        .chars()
        .map(String::from)
        .collect();
    let pieces = answer.iter().map(|piece| (100, piece.as_str()));
    let reads: Vec<(u64, &str)> = [(2000, "j")].into_iter().chain(pieces).collect();
    let mut expected = keys("j");
    expected.push(Input::Background(Background::Dark));
    expected.extend(keys("q"));
    assert_eq!(timed(&reads).await.0, expected);
}

#[tokio::test(start_paused = true)]
async fn introducer_alone_is_a_key_after_150_ms() {
    for letter in ["]", "P", "X", "_", "^", "[", "O"] {
        let typed = format!("\x1b{letter}");
        let alt = format!("Alt-{letter}");
        let (input, time) = timed(&[(0, &typed)]).await;
        assert_eq!(input, keys(&alt));
        assert!(time.as_millis().abs_diff(150) <= 1, "{letter}: {time:?}");
        // Further keys are not swallowed: a letter after the time, the same key and a key with ESC before it.
        let (input, _) = timed(&[
            (0, &typed),
            (160, "q"),
            (0, &typed),
            (30, &typed),
            (30, "\x1b[A"),
        ])
        .await;
        assert_eq!(input, keys(&format!("{alt} q {alt} {alt} Up")), "{letter}");
    }
}

#[tokio::test(start_paused = true)]
async fn unfinished_string_ends_after_a_second() {
    for begun in [
        "\x1b]0;q", "\x1bPq", "\x1bXq", "\x1b^q", "\x1b_q", "\x1b[1;", "\x1b[M!",
    ] {
        let (input, _) = timed(&[(0, begun), (1001, "j")]).await;
        assert_eq!(input, keys("j"), "{begun:?}");
    }
    for begun in ["\x1b]0;q", "\x1bPq", "\x1bXq", "\x1b^q", "\x1b_q"] {
        let (input, _) = timed(&[(0, begun), (990, "q"), (990, "\x1b\\j")]).await;
        assert_eq!(input, keys("j"), "{begun:?} that is slow");
        let (input, time) = timed(&[(0, begun), (200, "\x1b[A")]).await;
        assert_eq!(input, keys("Up"), "{begun:?} and a key");
        assert!(time.as_millis() <= 201, "{time:?}");
        let (input, _) = timed(&[(0, begun), (200, "\x1b")]).await;
        assert_eq!(input, keys("Esc"), "{begun:?} and Esc");
    }
}

#[tokio::test(start_paused = true)]
async fn esc_waits_150_ms_at_most_and_takes_no_later_key_with_it() {
    let (input, time) = timed(&[(0, "\x1b")]).await;
    assert_eq!(input, keys("Esc"));
    assert!(time.as_millis().abs_diff(150) <= 1, "{time:?}");
    let (input, time) = timed(&[(0, "\x1b"), (20, "q")]).await;
    assert_eq!(input, keys("Esc q"));
    assert!(time.as_millis().abs_diff(20) <= 1, "{time:?}");
    let (input, _) = timed(&[(0, "\x1b"), (20, "\x1b"), (20, "O")]).await;
    assert_eq!(input, keys("Esc Esc O"));
}

#[test]
fn no_timer_runs_between_two_sequences() {
    for complete in [
        "",
        "j",
        "\x1b[A",
        "\x1bOA",
        "\x1b]0;q\x07",
        "\x1bq",
        "\x1b[7$",
        "\x1b[[A",
    ] {
        let mut decoder = InputDecoder::default();
        decoder.read(complete.as_bytes());
        assert_eq!(decoder.wait(), None, "{complete:?}");
    }
}

/// The introducer of a control string in one of its forms, and a terminator.
fn string_control() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let begin = prop::sample::select(b"PX]^_".to_vec());
    let end = prop::sample::select(vec![&b"\x1b\\"[..], b"\x9c", b"\xc2\x9c"]);
    (begin, 0..3_u8, end).prop_map(|(letter, form, end)| {
        let c1 = letter + 0x40;
        let begin = match form {
            0 => vec![0x1b, letter],
            1 => vec![c1],
            _ => vec![0xc2, c1],
        };
        (begin, end.to_vec())
    })
}

/// Octets none of which ends a string.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let octets = any::<u8>().prop_filter("no terminator", |octet| {
        !matches!(octet, 0x1b | 0x9c | 0x07)
    });
    prop::collection::vec(octets, 1..60)
        .prop_filter("no answer", |content| !content.starts_with(b"11;"))
}

/// The input of octets in reads of these sizes.
fn in_reads(octets: &[u8], sizes: &[usize]) -> Vec<Input> {
    let mut decoder = InputDecoder::default();
    let (mut input, mut rest) = (Vec::new(), octets);
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            return input;
        }
        let (read, after) = rest.split_at((*size).min(rest.len()));
        input.extend(decoder.read(read));
        rest = after;
    }
    unreachable!("the sizes are not empty")
}

proptest! {
    #[test]
    fn nothing_in_a_string_acts(
        (begin, end) in string_control(),
        content in content(),
        sizes in prop::collection::vec(1_usize..9, 1..5),
    ) {
        // An octet before 9C would make it a part of a character.
        let sent = [&begin[..], &content, b" ", &end, b"j"].concat();
        prop_assert_eq!(in_reads(&sent, &sizes), keys("j"));
        let unfinished = [&begin[..], &content].concat();
        prop_assert_eq!(whole(&unfinished), []);
    }

    #[test]
    fn escape_sequence_in_a_string_does_not_act(
        (begin, end) in string_control(),
        parts in prop::collection::vec((content(), prop::sample::select(vec!["q", "[A", "]", "OP", "\x1b", "[200~", "\r"])), 1..6),
    ) {
        let inner = parts.iter().flat_map(|(content, sequence)| {
            [&content[..], b"\x1b", sequence.as_bytes(), b" "].concat()
        });
        let sent = [begin, inner.collect(), end, b"j".to_vec()].concat();
        prop_assert_eq!(whole(&sent), keys("j"));
    }

    #[test]
    fn pieces_of_a_read_are_the_read(octets in prop::collection::vec(input_octet(), 0..80), cut in 0_usize..80) {
        let (first, second) = octets.split_at(cut.min(octets.len()));
        let mut decoder = InputDecoder::default();
        let mut pieces = decoder.read_part(first);
        pieces.extend(decoder.read(second));
        pieces.extend(decoder.expire());
        prop_assert_eq!(pieces, whole(&octets));
    }

    #[test]
    fn key_after_anything_acts(octets in prop::collection::vec(input_octet(), 0..80)) {
        let mut decoder = InputDecoder::default();
        decoder.read(&octets);
        decoder.expire();
        // A paste has no time in which it ends.
        decoder.read(b"\x1b[201~");
        decoder.expire();
        prop_assert_eq!(decoder.wait(), None);
        prop_assert_eq!(decoder.read(b"j"), keys("j"));
    }
}

/// Octets of which many begin or end something.
fn input_octet() -> impl Strategy<Value = u8> {
    let special = b"\x1b\x1b\x1b[]OPX^_\\;012~MAu$<\x07\x9b\x9c\x9d\xc2 ".to_vec();
    prop_oneof![2 => prop::sample::select(special), 1 => any::<u8>()]
}

#[test]
fn replies_leave_the_browser_as_it_is() {
    let profile = tempfile::tempdir().unwrap();
    let mut terminal = Terminal::run(profile.path(), &[]);
    terminal.wait("geomys:home");
    for reply in REPLIES {
        terminal.press(reply);
    }
    // Unfinished, with the key that would end the browser; a key that begins with ESC acts at once.
    terminal.press("\x1b]2;quit q");
    terminal.press_until("\x1b[B", "the next row", |screen| !screen.contains("▌ 1 "));
    terminal.press("o");
    terminal.wait("URL (gopher");
    terminal.press(&format!("gopher://{}h.example/", REPLIES.concat()));
    terminal.wait("gopher://h.example/");
    terminal.press("\x1b");
    terminal.wait_until_absent("h.example/");
    terminal.press("q");
    terminal.end(0);
    terminal.check_modes();
    assert!(!profile.path().join("settings.toml").exists());
}

#[test]
fn reply_is_no_part_of_an_answer_to_a_command() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut line = String::new();
        BufReader::new(&stream).read_line(&mut line).unwrap();
        (&stream).write_all(b"iFound\t\tx\t1\r\n.\r\n").unwrap();
        line
    });
    let profile = tempfile::tempdir().unwrap();
    let url = format!("gopher://{address}/7/find");
    let mut terminal = Terminal::run(profile.path(), &["dump", &url]);
    terminal.wait("Search for:");
    terminal.press(&format!("moles{} and voles\r", REPLIES.concat()));
    assert_eq!(asked.join().unwrap(), "/find\tmoles and voles\r\n");
    terminal.end(0);
    terminal.check_modes();
}
