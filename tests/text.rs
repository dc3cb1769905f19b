//! The one door from foreign octets to text.

use geomys::text::{Charset, Text, breaks, columns, count, file_name, octets, shorten, width};
use proptest::prelude::*;

#[test]
fn escapes_of_every_kind_go_and_the_words_stay() {
    let cases: [(&[u8], &str); 14] = [
        (b"plain", "plain"),
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07after", "after"),
        (b"\x1b]52;c;aGk=\x1b\\after", "after"),
        (b"\x1bPq#0\x1b\\after", "after"),
        (b"\x1b(Bcharset", "charset"),
        (b"\x1bcreset", "reset"),
        ("\u{9b}2Jgone".as_bytes(), "gone"),
        ("\u{202e}desrever\u{202c}".as_bytes(), "desrever"),
        (b"a\tb", "a       b"),
        (b"bell\x07back\x08null\0", "bellbacknull"),
        (b"caf\xe9", "café"),
        ("café".as_bytes(), "café"),
        (b"\x1b[", ""),
    ];
    for (octets, shown) in cases {
        assert_eq!(
            Text::new(octets, Charset::default()).as_str(),
            shown,
            "{octets:?}"
        );
    }
}

#[test]
fn a_charset_is_for_what_is_not_utf8() {
    let koi8 = Charset::named("koi8-r").unwrap();
    assert_eq!(
        Text::new(b"\xf0\xd2\xc9\xd7\xc5\xd4", koi8).as_str(),
        "Привет"
    );
    assert_eq!(Text::new("Привет".as_bytes(), koi8).as_str(), "Привет");
    assert_eq!(Charset::named("no such charset"), None);
}

#[test]
fn lines_break_after_blanks_and_never_inside_a_character() {
    let parts = |text: &str, columns| -> Vec<String> {
        geomys::text::wrap(text, columns)
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(parts("one two three", 8), ["one two ", "three"]);
    assert_eq!(parts("onetwothree", 4), ["onet", "woth", "ree"]);
    assert_eq!(parts("日本語です", 4), ["日本", "語で", "す"]);
    assert_eq!(parts("", 4), [""]);
    assert_eq!(parts("wide", 0), ["wide"]);
}

#[test]
fn a_file_name_is_harmless() {
    let cases: [(&[u8], &str); 8] = [
        (b"/pub/linux.tar.xz", "linux.tar.xz"),
        (b"../../.bashrc", "bashrc"),
        (b"-rf", "rf"),
        (b"a\x1b[2Jb\n.txt", "ab.txt"),
        (b"C:\\windows\\x.exe", "x.exe"),
        (b"....", "fallback"),
        (b"what?", "what_"),
        (b"", "fallback"),
    ];
    for (octets, name) in cases {
        assert_eq!(file_name(octets, "fallback"), name, "{octets:?}");
    }
    assert!(file_name(&b"x".repeat(1000), "f").len() <= 200);
}

#[test]
fn sizes_and_counts_read_well() {
    assert_eq!(octets(12), "12 B");
    assert_eq!(octets(4_140), "4.1 kB");
    assert_eq!(octets(147_300_000), "147.3 MB");
    assert_eq!(octets(u64::MAX), "18.4 EB");
    assert_eq!(count(1_204), "1,204");
    assert_eq!(count(7), "7");
    assert_eq!(count(1_000_000), "1,000,000");
}

proptest! {
    #[test]
    fn nothing_that_touches_a_terminal_comes_through(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
        for charset in ["utf-8", "windows-1252", "shift_jis", "iso-2022-jp", "utf-16le"] {
            let text = Text::new(&octets, Charset::named(charset).unwrap());
            prop_assert!(!text.as_str().chars().any(char::is_control));
            let overrides = ['\u{202a}', '\u{202b}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2028}'];
            let hidden = text.as_str().contains(overrides);
            prop_assert!(!hidden);
            prop_assert_eq!(Text::of(text.as_str()), text);
        }
    }

    #[test]
    fn parts_of_a_text_are_all_of_it_and_fit(text in "[ a-zé日\u{301}]{0,60}", room in 2..30_usize) {
        let text = Text::of(&text);
        let pieces = geomys::text::wrap(text.as_str(), room);
        prop_assert_eq!(pieces.concat(), text.as_str());
        for piece in &pieces {
            prop_assert!(width(piece.trim_end()) <= room, "{piece:?} in {room}");
        }
        prop_assert_eq!(breaks(text.as_str(), room).len(), pieces.len());
    }

    #[test]
    fn columns_are_never_more_than_asked(text in "\\PC{0,40}", from in 0..40_usize, room in 0..40_usize) {
        prop_assert!(width(&columns(&text, from, room)) <= room);
        prop_assert!(width(&shorten(&text, room, "…")) <= room);
    }
}
