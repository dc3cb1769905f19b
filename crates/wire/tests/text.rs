//! The only conversion from remote octets to text.

use geomys_wire::text::{
    Charset, Colour, SgrDecoder, Text, TextAttribute, blank_sgr, breaks, columns, count, file_name,
    octets, shorten, shorten_middle, width,
};
use proptest::prelude::*;

#[test]
fn escape_sequences_are_removed_and_words_stay() {
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
fn overstruck_text_of_nroff_is_bold_and_underlined() {
    let styled = |octets: &[u8]| {
        let parts = painted(octets).into_iter();
        let parts = parts.map(|(words, _, _, marks)| (words, marks));
        (text_of(octets), parts.collect::<Vec<_>>())
    };
    let part = |words: &str, marks: &str| (words.to_owned(), marks.to_owned());
    assert_eq!(
        styled(b"N\x08NA\x08AM\x08ME\x08E of _\x08f_\x08i_\x08le"),
        (
            "NAME of file".to_owned(),
            vec![part("NAME", "B"), part("fil", "U")]
        )
    );
    // Bold and underlined, in either order; printed four times.
    assert_eq!(
        styled(b"_\x08x\x08xy\x08y\x08_ z\x08z\x08z\x08z"),
        ("xy z".to_owned(), vec![part("xy", "BU"), part("z", "B")])
    );
    let (text, parts) = styled("é\x08é".as_bytes());
    assert_eq!((text.as_str(), parts), ("é", vec![part("é", "B")]));
    // Other characters are not hidden by what follows.
    for (octets, shown) in [
        (b"evil\x08\x08good".as_slice(), "evilgood"),
        (b"\x08\x08a\x08", "a"),
        (b"a\x08\x1b[2Jb", "ab"),
        (b"_\x08\x1bc", "_"),
    ] {
        assert_eq!(styled(octets), (shown.to_owned(), vec![]), "{octets:?}");
    }
    // A colour continues behind an overstruck letter.
    let colours = painted(b"\x1b[31ma b\x08b c");
    let marks = colours
        .iter()
        .map(|(words, _, _, marks)| (words.as_str(), marks.as_str()));
    assert_eq!(
        marks.collect::<Vec<_>>(),
        [("a ", ""), ("b", "B"), (" c", "")]
    );
    assert!(colours.iter().all(|(_, colour, ..)| colour.is_some()));
}

#[test]
fn cursor_right_leaves_blanks() {
    for (octets, shown) in [
        (b"a\x1b[3Cb".as_slice(), "a   b"),
        (b"\x1b[Cb", " b"),
        (b"\x1b[0Cb", " b"),
        (b"a\x1b[1;2Cb\x1b[?3Cc", "abc"),
        (b"a\x1b[99999999999999999999999999Cb", "ab"),
    ] {
        assert_eq!(text_of(octets), shown, "{octets:?}");
    }
    // A line is hardly longer than its source, whatever the distances are.
    let line = b"\x1b[9999Cx".repeat(1000);
    assert!(text_of(&line).len() < 4096 + 2 * line.len());
    // A URL behind it is found.
    assert_eq!(blank_sgr(b"\x1b[3Cftp://h/").as_ref(), b"    ftp://h/");
}

fn text_of(octets: &[u8]) -> String {
    Text::new(octets, Charset::default()).to_string()
}

#[test]
fn charset_applies_to_text_that_is_not_utf8() {
    let koi8 = Charset::named("koi8-r").unwrap();
    assert_eq!(
        Text::new(b"\xf0\xd2\xc9\xd7\xc5\xd4", koi8).as_str(),
        "Привет"
    );
    assert_eq!(Text::new("Привет".as_bytes(), koi8).as_str(), "Привет");
    assert_eq!(Charset::named("no such charset"), None);
}

/// The coloured parts of a line: their text, foreground, background, and modifiers by first letter.
fn painted(octets: &[u8]) -> Vec<(String, Option<Colour>, Option<Colour>, String)> {
    let (text, sgr_styles) = SgrDecoder::new(Charset::default()).read(octets);
    let parts = sgr_styles.into_iter().map(|(range, sgr_style)| {
        let marks = TextAttribute::ALL
            .into_iter()
            .filter(|mark| sgr_style.has(*mark));
        let marks = marks.map(|mark| format!("{mark:?}")[..1].to_owned());
        let words = text.as_str()[range].to_owned();
        (
            words,
            sgr_style.foreground,
            sgr_style.background,
            marks.collect(),
        )
    });
    parts.collect()
}

#[test]
fn colours_are_read_beside_the_text() {
    use Colour::{Indexed, Rgb};
    type Part = (&'static str, Option<Colour>, Option<Colour>, &'static str);
    let cases: [(&[u8], &[Part]); 19] = [
        (b"plain", &[]),
        (
            b"a \x1b[31mred\x1b[0m b",
            &[("red", Some(Indexed(1)), None, "")],
        ),
        (
            b"\x1b[1;4;97;44mall",
            &[("all", Some(Indexed(15)), Some(Indexed(4)), "BU")],
        ),
        (
            b"\x1b[2;3;7mx\x1b[22my\x1b[23;27mz",
            &[("x", None, None, "DIR"), ("y", None, None, "IR")],
        ),
        (
            b"\x1b[38;5;208mx\x1b[39my",
            &[("x", Some(Indexed(208)), None, "")],
        ),
        (b"\x1b[48;2;1;2;3mx", &[("x", None, Some(Rgb(1, 2, 3)), "")]),
        (
            b"\x1b[38:2::1:2:3mx",
            &[("x", Some(Rgb(1, 2, 3)), None, "")],
        ),
        (
            b"\x1b[38:5:9mx\x1b[mz",
            &[("x", Some(Indexed(9)), None, "")],
        ),
        (b"\x1b[4:3mx\x1b[4:0my", &[("x", None, None, "U")]),
        (
            b"\x1b[107mx\x1b[49my",
            &[("x", None, Some(Indexed(15)), "")],
        ),
        (
            "\u{9b}31mx".as_bytes(),
            &[("x", Some(Indexed(1)), None, "")],
        ),
        // An escape that changes nothing splits nothing.
        (b"\x1b[31ma\x1b[31mb", &[("ab", Some(Indexed(1)), None, "")]),
        // An underline colour sets neither blink nor bold.
        (b"\x1b[58;5;1mx", &[]),
        // An unknown parameter does nothing, and the supported ones beside it apply.
        (b"\x1b[5;8;9;31;999mx", &[("x", Some(Indexed(1)), None, "")]),
        (b"\x1b[38;5mx\x1b[38;2;300;1;1my", &[]),
        (b"\x1b[?1mx\x1b[>4;1my\x1b[1 mz\x1b[31Kk", &[]),
        // Text in its background's colour is made visible, but blocks of one colour stay.
        (b"\x1b[30;40mhidden", &[]),
        (b"\x1b[1;30;40mhidden", &[("hidden", None, None, "B")]),
        (
            "\u{1b}[31;41m▀▀".as_bytes(),
            &[("▀▀", Some(Indexed(1)), Some(Indexed(1)), "")],
        ),
    ];
    for (octets, parts) in cases {
        let parts: Vec<_> = parts
            .iter()
            .map(|(words, foreground, background, marks)| {
                (
                    (*words).to_owned(),
                    *foreground,
                    *background,
                    (*marks).to_owned(),
                )
            })
            .collect();
        assert_eq!(
            painted(octets),
            parts,
            "{:?}",
            octets.escape_ascii().to_string()
        );
    }
}

#[test]
fn colour_continues_through_chunks_of_a_line() {
    let mut decoder = SgrDecoder::new(Charset::default());
    assert_eq!(decoder.read(b"\x1b[31m").1, []);
    let (text, sgr_styles) = decoder.read(b"red");
    assert_eq!(text.as_str(), "red");
    assert_eq!(sgr_styles[0].0, 0..3);
    assert_eq!(SgrDecoder::new(Charset::default()).read(b"next line").1, []);
    assert_eq!(
        &*blank_sgr(b"a\x1b[1mb\x1b[2Jc\x1b[\x1b[m"),
        b"a    b\x1b[2Jc\x1b[   "
    );
}

#[test]
fn lines_wrap_after_blanks_and_never_inside_a_character() {
    let parts = |text: &str, columns| -> Vec<String> {
        geomys_wire::text::wrap(text, columns)
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
fn file_name_is_sanitized() {
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
fn sizes_and_counts_are_formatted() {
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
    fn sanitized_text_has_no_control_characters(octets in proptest::collection::vec(any::<u8>(), 0..200)) {
        for charset in ["utf-8", "windows-1252", "shift_jis", "iso-2022-jp", "utf-16le", "cp437"] {
            let text = Text::new(&octets, Charset::named(charset).unwrap());
            prop_assert!(!text.as_str().chars().any(char::is_control));
            let overrides = ['\u{202a}', '\u{202b}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2028}'];
            let hidden = text.as_str().contains(overrides);
            prop_assert!(!hidden);
            prop_assert_eq!(Text::of(text.as_str()), text);
        }
    }

    #[test]
    fn text_is_the_same_with_and_without_colours(
        pieces in proptest::collection::vec(prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..20),
            "[ a-zé▀]{0,8}".prop_map(String::into_bytes),
            "\u{1b}\\[[0-9;:]{0,12}m".prop_map(String::into_bytes),
            "\u{1b}\\[[0-9;?]{0,3}[A-Za-z]".prop_map(String::into_bytes),
            Just(b"\x1b]0;title\x07".to_vec()),
        ], 0..12)
    ) {
        let line = pieces.concat();
        for charset in ["windows-1252", "shift_jis", "cp437", "utf-16le"] {
            let charset = Charset::named(charset).unwrap();
            let (text, sgr_styles) = SgrDecoder::new(charset).read(&line);
            prop_assert_eq!(&text, &Text::new(&line, charset));
            prop_assert!(!text.as_str().chars().any(char::is_control));
            let mut end = 0;
            for (range, _) in sgr_styles {
                prop_assert!(range.start >= end && range.start < range.end);
                prop_assert!(text.as_str().get(range.clone()).is_some());
                end = range.end;
            }
        }
        prop_assert_eq!(blank_sgr(&line).len(), line.len());
    }

    #[test]
    fn wrapped_pieces_join_to_the_text_and_fit(text in "[ a-zé日\u{301}]{0,60}", room in 2..30_usize) {
        let text = Text::of(&text);
        let pieces = geomys_wire::text::wrap(text.as_str(), room);
        prop_assert_eq!(pieces.concat(), text.as_str());
        for piece in &pieces {
            prop_assert!(width(piece.trim_end()) <= room, "{piece:?} in {room}");
        }
        prop_assert_eq!(breaks(text.as_str(), room).len(), pieces.len());
    }

    #[test]
    fn columns_stay_within_the_width(text in "\\PC{0,40}", from in 0..40_usize, room in 0..40_usize) {
        prop_assert!(width(&columns(&text, from, room)) <= room);
        prop_assert!(width(&shorten(&text, room, "…")) <= room);
        prop_assert!(width(&shorten_middle(&text, room, "…")) <= room);
    }
}

#[test]
fn invisible_characters_stay_only_where_a_script_needs_them() {
    for (written, shown) in [
        // Zero-width, soft hyphens, fillers, tags: removed.
        ("pay\u{200b}pal", "paypal"),
        ("co\u{ad}operate", "cooperate"),
        ("a\u{200c}b\u{200d}c\u{2060}d\u{feff}e\u{34f}f", "abcdef"),
        ("\u{3164}a\u{ffa0}b\u{115f}c\u{1160}d", "abcd"),
        ("a\u{e0061}\u{e0062}\u{e007f}b", "ab"),
        ("a\u{fe0f}b\u{e0100}c\u{180e}d\u{2064}e\u{1d173}f", "abcdef"),
        // Persian and Hindi are written with joiners.
        ("می\u{200c}خواهم", "می\u{200c}خواهم"),
        ("क्\u{200d}ष क्\u{200c}ष", "क्\u{200d}ष क्\u{200c}ष"),
        ("می\u{200c}\u{200c}خ", "می\u{200c}خ"),
        // Emoji of several, a heart in colour, keycaps, the flag of Scotland.
        ("👩\u{200d}👩\u{200d}👦", "👩\u{200d}👩\u{200d}👦"),
        (
            "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
            "❤\u{fe0f}\u{200d}🔥 1\u{fe0f}\u{20e3}",
        ),
        (
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        ),
        ("🏴\u{e0067}\u{e0062}x", "🏴x"),
        ("👩\u{200d}x", "👩x"),
        ("☃\u{fe0f}\u{fe0e}\u{fe00}", "☃\u{fe0f}"),
        // An ideograph in another form, Mongolian, Hangul of old.
        ("葛\u{e0100}", "葛\u{e0100}"),
        ("ᠠ\u{180b}\u{180e}", "ᠠ\u{180b}"),
        (
            "\u{1100}\u{1160}\u{11a8} \u{115f}\u{1161}",
            "\u{1100}\u{1160}\u{11a8} \u{115f}\u{1161}",
        ),
    ] {
        assert_eq!(
            Text::of(written).as_str(),
            shown,
            "{}",
            written.escape_unicode()
        );
    }
}

#[test]
fn file_names_hold_no_invisible_characters() {
    let name = "read\u{200b}me\u{ad}\u{3164}.t\u{e0078}xt";
    assert_eq!(file_name(name.as_bytes(), "fallback"), "readme.txt");
    assert_eq!(
        file_name("\u{3164}\u{200b}".as_bytes(), "fallback"),
        "fallback"
    );
}

#[test]
fn stacked_combining_marks_are_cut() {
    let heap = format!("e{}x", "\u{301}".repeat(30_000));
    let shown = Text::of(&heap);
    assert_eq!(shown.as_str(), format!("e{}x", "\u{301}".repeat(10)));
    // A cluster that occurs in no language is split by blanks.
    let shown = Text::of(&"क्".repeat(100));
    assert!(
        shown
            .as_str()
            .split(' ')
            .all(|part| part.chars().count() <= 33),
        "{shown}"
    );
    assert_eq!(shown.as_str().replace(' ', ""), "क्".repeat(100));
}

#[test]
fn name_is_cut_in_the_middle_and_keeps_its_suffix() {
    for (columns, expected) in [
        (40, "debian-12.1.0-amd64-netinst.iso"),
        (31, "debian-12.1.0-amd64-netinst.iso"),
        (20, "debian-12.…tinst.iso"),
        (5, "de…so"),
        (1, "…"),
        (0, ""),
    ] {
        let short = shorten_middle("debian-12.1.0-amd64-netinst.iso", columns, "…");
        assert_eq!(short, expected, "{columns}");
    }
    assert_eq!(shorten_middle("日本語日本語.gz", 8, "…"), "日本….gz");
}

#[test]
fn long_url_is_broken_after_a_slash() {
    for (text, columns, parts) in [
        (
            "see https://h.example/one/two/three/four there",
            20,
            vec!["see ", "https://h.example/", "one/two/three/four ", "there"],
        ),
        ("https://h.example/one", 30, vec!["https://h.example/one"]),
        (
            "https://h.example/abcdefghijkl",
            20,
            vec!["https://h.example/", "abcdefghijkl"],
        ),
        (
            "https://a-long-host.example",
            10,
            vec!["https://a-", "long-host.", "example"],
        ),
        (
            "and/or/either/neither",
            10,
            vec!["and/or/eit", "her/neithe", "r"],
        ),
        ("a b/c d", 4, vec!["a ", "b/c ", "d"]),
    ] {
        assert_eq!(geomys_wire::text::wrap(text, columns), parts, "{text}");
    }
}
