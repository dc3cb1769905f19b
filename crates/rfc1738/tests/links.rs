//! URLs in running text: the RFC's appendix, and real letters.

use proptest::collection::vec;
use proptest::prelude::*;
use rfc1738::{LinkPieces, Message, Unexpected, links_in_text};

fn texts(text: &str) -> Vec<String> {
    links_in_text(text.as_bytes())
        .map(|found| found.url_text.into_owned())
        .collect()
}

#[test]
fn urls_of_the_rfc_appendix_are_found() {
    let text = "Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;\n      type=d> but you can probably pick it \
                up from <URL:ftp://ds.in\n      ternic.net/rfc>.  Note the warning in <URL:http://ds.internic.\n      \
                net/instructions/overview.html#WARNING>.";
    let found: Vec<_> = links_in_text(text.as_bytes()).collect();
    let texts: Vec<&str> = found.iter().map(|found| &*found.url_text).collect();
    assert_eq!(
        texts,
        [
            "ftp://info.cern.ch/pub/www/doc;type=d",
            "ftp://ds.internic.net/rfc",
            "http://ds.internic.net/instructions/overview.html"
        ]
    );
    assert!(found.iter().all(|found| found.result.is_ok()));
    assert_eq!(found[2].fragment.as_deref(), Some("WARNING"));
    assert_eq!(
        &text[found[2].range.clone()],
        "<URL:http://ds.internic.\n      net/instructions/overview.html#WARNING>"
    );
}

#[test]
fn sentence_punctuation_is_outside_the_url() {
    for (text, inside) in [
        ("See gopher://h/0/a.txt.", "gopher://h/0/a.txt"),
        ("(see http://h/a_(b))", "http://h/a_(b)"),
        ("[text](http://h/x), more", "http://h/x"),
        ("\"ftp://h/x\"?", "ftp://h/x"),
        ("'news:comp.x'!", "news:comp.x"),
        ("URL:nntp://h/a.b;", "nntp://h/a.b"),
        ("see.mailto:a@b.org: yes", "mailto:a@b.org"),
        ("http://h/a#b.", "http://h/a"),
        ("http://h/x\u{201d} he said", "http://h/x"),
        ("<HTTP://h/>x", "HTTP://h/"),
        ("1<http://h/x", "http://h/x"),
        ("<url: x-mine:a >", "x-mine:a"),
        ("finger://h/ada", "finger://h/ada"),
        ("x=gophers://h/1;", "gophers://h/1"),
    ] {
        assert_eq!(texts(text), [inside], "{text}");
    }
}

#[test]
fn urls_of_other_notations_are_found() {
    for (text, inside) in [
        ("[[http://h/a][The title]] of", "http://h/a"),
        ("[[http://h/a_[1]]]", "http://h/a_[1]"),
        ("[http://h/a]b", "http://h/a"),
        ("[a](http://h/a_(b))c", "http://h/a_(b)"),
        ("[http://h/a](http://h/a)", "http://h/a http://h/a"),
        ("file:/etc/motd, and", "file:/etc/motd"),
        ("gemini://h.example/a/.", "gemini://h.example/a/"),
        ("irc://h:6667/#geomys", "irc://h:6667/"),
        ("git+http://h/x.git", "git+http://h/x.git"),
        ("svn+ssh://ada@h/x", "svn+ssh://ada@h/x"),
        ("<gemini://h/>", "gemini://h/"),
        ("x=svn://h", "svn://h"),
    ] {
        assert_eq!(texts(text).join(" "), inside, "{text}");
    }
    assert!(links_in_text(b"gemini://h/").next().unwrap().result.is_ok());
}

#[test]
fn prose_with_colons_holds_no_urls() {
    for text in [
        "news: nothing",
        "Note: file:x",
        "http:",
        "http://",
        "at 12:30",
        "doi:10.1/x",
        "URL: none",
        "ftp:/x",
        "::::",
        "<URL:",
        "",
        "std::http::x",
        "https:// x",
        "http://<host>/",
        "http://{host}/x",
        "ftp://ada@<host>/",
        "http://host.<domain>/",
        "http://h:<port>/",
        "c://x",
        "1://x",
        "a-very-long-name-that-no-scheme-has://x",
        "gemini://",
        "foo:// x",
        "file: /etc",
    ] {
        assert_eq!(texts(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn malformed_url_is_found_with_its_fault() {
    let found: Vec<_> = links_in_text(b"<URL:ftp://bad~host/pub> http://h/~ada").collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].result.as_ref().unwrap_err().at, 9);
    assert_eq!(
        (
            found[1].range.clone(),
            found[1].result.as_ref().unwrap_err().at
        ),
        (25..38, 9)
    );
}

#[test]
fn hyphen_at_line_end_has_two_readings() {
    let text = b"<URL:http://h/one-\n two>";
    let found = links_in_text(text).next().unwrap();
    assert_eq!(found.url_text, "http://h/one-two");
    assert_eq!(found.without_hyphen.as_deref(), Some("http://h/onetwo"));
    let found = links_in_text(b"<URL:http://h/one\n-two>").next().unwrap();
    assert_eq!(found.without_hyphen, None);
}

#[test]
fn url_is_found_through_the_marks_of_mail_and_markup() {
    for (text, url) in [
        (
            "> see <URL:http://h/long/\n> er/x> it",
            "http://h/long/er/x",
        ),
        ("> > <URL:http://h/a\r\n> > b\r\n>>c>", "http://h/abc"),
        // Only a quotation has such marks.
        ("<URL:http://h/a\n> b>", "http://h/a"),
        ("<URL:http://h/?a=3Db=\n&c=3D1>", "http://h/?a=b&c=1"),
        ("<URL:http://h/?a=\n1>", "http://h/?a=1"),
        ("<a href=\"http://h/?a=1&amp;b=2\">", "http://h/?a=1&b=2"),
        ("<a href=http://h/?a=1&amp;b=2>", "http://h/?a=1&b=2"),
        ("http://h/?a=1&amp;b=2", "http://h/?a=1&amp;b=2"),
    ] {
        let found = links_in_text(text).next().unwrap();
        assert_eq!(found.url_text, url, "{text}");
        let shown = &text[found.range.clone()];
        assert!(
            shown.starts_with("http") || shown.starts_with('<') && shown.ends_with('>'),
            "{shown}"
        );
        assert!(found.result.is_ok(), "{text}");
    }
}

proptest! {
    #[test]
    fn parts_of_a_text_have_the_links_of_the_whole(
        words in vec(
            prop_oneof![
                Just("<URL:http://h/a"), Just("news:a.b"), Just("<"), Just(">"), Just("> "), Just("\n"), Just("\n> "),
                Just("\r\n> > "), Just(" "), Just("x"), Just("<ftp://h/a b>"), Just("=3D"), Just("<a href=\"http://h/?a&amp;b\">"),
            ],
            0..24,
        ),
        cuts in vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let text = words.concat();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(text.len());
        let whole: Vec<String> = links_in_text(&text).map(|link| link.url_text.into_owned()).collect();
        let mut pieces = LinkPieces::default();
        let mut found = Vec::new();
        let mut search = |piece: Vec<u8>| found.extend(links_in_text(&piece).map(|link| link.url_text.into_owned()));
        let mut start = 0;
        for cut in cuts {
            pieces.push(&text.as_bytes()[start..cut]);
            start = cut;
            search(pieces.next_piece());
        }
        search(pieces.into_rest());
        prop_assert_eq!(found, whole, "{:?}", text);
    }
}

/// Pieces of texts in which a URL is decoded, cut or joined.
const PIECES: [&[u8]; 16] = [
    b"x",
    b"=",
    b"=\"",
    b"up://h/?",
    b"http://h/",
    b"<URL:ftp:",
    b">",
    b"&",
    b"&amp;",
    b"\xFF",
    b"\xC3",
    b"\xC3\xA9",
    b"=3D",
    b"=E9",
    b"\n> ",
    b"#",
];

proptest! {
    #[test]
    fn fault_is_inside_its_match(pieces in vec(prop::sample::select(&PIECES[..]), 0..12)) {
        let text = pieces.concat();
        for found in links_in_text(&text) {
            if let Err(error) = &found.result {
                prop_assert!(error.at + error.len <= found.range.len(), "{:?}", found);
            }
        }
    }
}

#[test]
fn line_without_an_end_is_cut_between_words() {
    let mut pieces = LinkPieces::default();
    pieces.push(&b"x ".repeat(LinkPieces::MAX_BYTES));
    pieces.push(b"http://h/");
    let piece = pieces.next_piece();
    assert_eq!(piece.len(), 2 * LinkPieces::MAX_BYTES);
    assert_eq!(pieces.into_rest(), b"http://h/");
}

#[test]
fn non_ascii_octets_keep_offsets_right() {
    let text = b"\xE9t\xE9 http://h/\xE9 <URL:http://h/\xE9>";
    let found: Vec<_> = links_in_text(text).collect();
    assert_eq!(found[0].range, 4..14);
    assert_eq!(found[0].result.as_ref().unwrap_err().at, 9);
    assert_eq!(found[1].range, 15..31);
    assert_eq!(found[1].result.as_ref().unwrap_err().at, 9);
}

#[test]
fn url_with_non_ascii_letters_is_found_whole() {
    for whole in [
        "http://münchen.example/",
        "http://h。example/",
        "http://h．example/",
        "http://h｡example/",
        "http://h：80/",
        "http://exa\u{ad}mple.org/",
        "http://a\u{200b}b.example/",
        "http://h:80ü/",
        "ftp://jürgen@h/",
        "ftp://ada:schlüssel@h/",
        "http://h/straße",
        "http://h/a–b",
        "http://h/rubik’s_cube",
        "http://h/?q=é&r=1",
        "mailto:jürgen@example.org",
        "news:comp.über",
        "http://😀.example/",
        "http://xn--é.example/a_(b)",
    ] {
        for (before, after) in [
            ("", ""),
            ("see ", ", and"),
            ("“", "”"),
            ("(", ")."),
            ("「", "」と"),
        ] {
            let text = format!("{before}{whole}{after}");
            let found: Vec<_> = links_in_text(text.as_bytes()).collect();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].url_text, whole, "{text}");
            // Only the first host is one in another alphabet.
            let is_host = whole == "http://münchen.example/";
            assert_eq!(found[0].result.is_ok(), is_host, "{text}");
        }
    }
    // Octets of another charset, unknown here.
    for octets in [
        b"http://m\xFCnchen.example/".as_slice(),
        b"gopher://h/0caf\xE9",
    ] {
        let found = links_in_text(octets).next().unwrap();
        assert_eq!(found.range, 0..octets.len());
        assert!(found.result.is_err());
    }
}

#[test]
fn punctuation_of_other_scripts_ends_a_url() {
    for after in [
        "”",
        "“",
        "»",
        "«",
        "’",
        "’ and",
        "、",
        "。",
        "。次",
        "」と",
        "）",
        "，",
        "！",
        "？",
        "】",
        "\u{a0}",
        "\u{3000}x",
        "–",
        " – x",
        "’.",
        "؟",
        "।",
        "│",
        "†)",
    ] {
        let text = format!("http://h/a{after}");
        assert_eq!(texts(&text), ["http://h/a"], "{text}");
    }
    assert_eq!(texts("http://h。"), ["http://h"]);
    assert_eq!(texts("http://h” or"), ["http://h"]);
    let two = ["http://h/a", "http://h/b"];
    assert_eq!(texts("http://h/a、http://h/b。"), two);
    assert_eq!(texts("«http://h/a»«http://h/b»"), two);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    /// A URL without fault is complete: the text after it cannot belong to it.
    #[test]
    fn found_url_never_ends_inside_a_word(word in "[a-zé.ü：。–/@:’漢]{0,12}", after in "( .*)?") {
        let text = format!("http://{word}{after}");
        for found in links_in_text(text.as_bytes()).filter(|found| found.result.is_ok()) {
            let next = text.get(found.range.end..).and_then(|rest| rest.chars().next());
            // A word of another script is not the same word.
            let is_inside = |c: char| c.is_alphanumeric() && (c == '漢') == found.url_text.ends_with('漢');
            proptest::prop_assert!(!next.is_some_and(is_inside), "{}", found.url_text);
        }
    }

    /// Words of another script are no part of the host before them, with and without port, path and full stop.
    #[test]
    fn host_ends_where_the_script_of_its_last_label_changes(
        host in "(www[.])?[a-z]{1,8}[.](com|net|jp)(:80)?|192[.]0[.]2[.]1|пример[.](рф|com)",
        words in "[を見漢字]{1,4}|[한국]{1,4}|[ไทย]{1,4}|[אבג]{1,4}|[ابج]{1,4}|[αβγ]{1,4}|[देव]{1,4}",
        mark in "[–-]?",
        after in "(/|。次の|[.] x| x|、)?",
    ) {
        let text = format!("see https://{host}{mark}{words}{after}");
        let found: Vec<_> = links_in_text(text.as_bytes()).collect();
        proptest::prop_assert_eq!(found.len(), 1);
        let url = found[0].url_text.trim_end_matches('-');
        proptest::prop_assert_eq!(url, format!("https://{host}"));
    }

    /// A host of one script, or of scripts that a language writes together, is no hazard; one with words of another
    /// script at its end is.
    #[test]
    fn last_label_of_two_scripts_is_a_hazard(
        start in "([a-z漢]{1,6}[.])?|([еж]{1,6}[.])?",
        label in "[a-zäöü]{2,6}|[漢字ひカ한]{2,6}|[а-я]{2,6}|[α-ω]{2,6}",
        other in "[ไ][ทย]{0,4}|[א-ת]{1,4}",
    ) {
        let hazards = |host: &str| {
            rfc1738::Dialect::Extended.parse(format!("https://{host}/a").as_str()).unwrap().hazards()
        };
        proptest::prop_assert_eq!(hazards(&format!("{start}{label}")), []);
        proptest::prop_assert_eq!(hazards(&format!("{start}{label}.")), []);
        let mixed = hazards(&format!("{start}{label}{other}"));
        proptest::prop_assert_eq!(mixed, [rfc1738::Hazard::MixedScripts]);
    }

    /// Letters of two scripts in any label are a hazard, as they look like another host.
    #[test]
    fn label_of_two_scripts_is_a_hazard(one in "[a-z]{1,6}[а-яα-ω]{1,6}|[а-я]{1,6}[a-z]{1,6}|[漢字]{1,3}[а-я]{1,3}") {
        let url = format!("https://{one}.example/");
        let hazards = rfc1738::Dialect::Extended.parse(url.as_str()).unwrap().hazards();
        proptest::prop_assert_eq!(hazards, [rfc1738::Hazard::MixedScripts]);
    }

    /// The words behind a host are outside of it, whatever joins them.
    #[test]
    fn words_behind_a_host_are_outside_of_it(
        url in "(https://|gopher://|mailto:ada@|news:a@)(h[.])?example[.](com|org)",
        words in "[—®’：／\u{200b}][a-z0-9]{0,6}|[。．｡][次文はж][次a-z]{0,5}[。]?|[を見][て見]{0,3}",
        end in " and|",
    ) {
        let text = format!("See {url}{words}{end}");
        let found: Vec<_> = links_in_text(&text).map(|found| found.url_text.into_owned()).collect();
        proptest::prop_assert_eq!(found, [url]);
    }

    /// Emphasis, an ellipsis and full-width marks around a URL are outside of it.
    #[test]
    fn marks_around_a_url_are_outside_of_it(
        url in "https://h[.]example/([a-z0-9_*~]{0,6}[a-z0-9])?",
        marks in "[*]{1,3}|_{1,2}|~~|[*]{1,2}_|_[*]|~~[*]",
        end in "([.,!?…。！？＂＞｜～＊]{0,3}( x)?)",
    ) {
        let closing: String = marks.chars().rev().collect();
        let text = format!("see {marks}{url}{closing}{end}");
        proptest::prop_assert_eq!(texts(&text), [url.clone()]);
        let text = format!("see {url}{end}");
        proptest::prop_assert_eq!(texts(&text), [url]);
    }
}

#[test]
fn words_behind_a_host_are_no_part_of_it() {
    for (text, inside) in [
        ("https://example.comを見て", "https://example.com"),
        ("https://example.comを見て。次", "https://example.com"),
        ("https://example.com:8080を見て", "https://example.com:8080"),
        ("ftp://ada:x@h.exampleを", "ftp://ada:x@h.example"),
        ("http://[::1]を見て", "http://[::1]"),
        ("URL:https://example.comを", "https://example.com"),
        // No change at the end of the host.
        ("https://exampleпример.com/", "https://exampleпример.com/"),
        ("https://日本語.テスト/", "https://日本語.テスト/"),
        ("https://例え。com/", "https://例え。com/"),
        ("https://h.example/を見て", "https://h.example/を見て"),
        (
            "https://ja.example/wiki/ア・カ",
            "https://ja.example/wiki/ア・カ",
        ),
        ("https://h.example/a\u{200b}", "https://h.example/a"),
        // The mark belongs to the URL if none is before it.
        ("https://h.example/a_", "https://h.example/a_"),
        ("x=https://h.example/?q=", "https://h.example/?q="),
    ] {
        assert_eq!(texts(text), [inside], "{text}");
    }
}

#[test]
fn stray_opening_in_long_text_is_fast() {
    let text = "<URL:".repeat(200_000);
    assert_eq!(links_in_text(text.as_bytes()).count(), 0);
    let text = format!("http://h/{}", ")".repeat(1_000_000));
    assert_eq!(links_in_text(text.as_bytes()).next().unwrap().range, 0..9);
    for repeated in ["é", "–", "–é", "–a"] {
        let text = format!("news:x{}", repeated.repeat(400_000));
        assert_eq!(links_in_text(text.as_bytes()).count(), 1, "{repeated}");
    }
}

#[test]
fn mark_inside_of_a_host_does_not_make_it_another_one() {
    for host in [
        "www.exam\u{200b}ple.com",
        "www.col·lecció.cat",
        "exa—mple.com",
        "例え。テスト",
        "例え。com",
        "a。b.com",
    ] {
        let text = format!("https://{host}/a");
        let found: Vec<_> = links_in_text(&text)
            .map(|found| found.url_text.into_owned())
            .collect();
        assert_eq!(found, [text.as_str()]);
    }
}

#[test]
fn ampersand_of_an_attribute_is_read_in_each_spelling() {
    for written in ["&amp;", "&#38;", "&#x26;", "&"] {
        let text = format!("<a href=\"http://h.example/?a=1{written}b=2\">");
        let found = links_in_text(&text).next().unwrap();
        assert_eq!(found.url_text, "http://h.example/?a=1&b=2");
    }
}

#[test]
fn octet_outside_utf8_in_an_attribute_is_one_fault() {
    let text = b"<a href=\"http://h.example/?a&amp;b\xFF\">";
    let found = links_in_text(text).next().unwrap();
    let error = found.result.unwrap_err();
    assert_eq!((error.at, error.len), (21, 1));
    let expected = Message::Unsafe(Unexpected::Octet(0xFF));
    assert_eq!(error.message, expected);
}

#[test]
fn marks_without_width_at_the_ends_are_removed() {
    for mark in ["\u{ad}", "\u{200e}", "\u{202a}", "\u{2069}"] {
        let url = rfc1738::repair(&format!("{mark}http://h.example/a{mark}")).unwrap();
        assert_eq!(url.as_str(), "http://h.example/a");
    }
}
