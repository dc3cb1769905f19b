//! Partial URLs: the examples of the RFCs, their results by our grammar, and properties of all of them.

use proptest::prelude::*;
use rfc1738::{Departure, Dialect, Message, ParseError, Parts, Scheme, Unexpected, Url};

use super::oracle::{mutated, valid};

fn url(text: &str) -> Url {
    Dialect::Extended.parse(text).expect(text)
}

fn fault(base: &str, reference: &str) -> ParseError {
    url(base).resolve(reference).expect_err(reference)
}

/// Each row is a reference and what it means beside `base`.
fn all_mean(base: &str, rows: &[(&str, &str)]) {
    let base = url(base);
    let mut wrong = Vec::new();
    for (reference, expected) in rows {
        match base.resolve(reference) {
            Ok(found) if found.as_str() == *expected => {}
            Ok(found) => wrong.push(format!("{reference}\n  is    {found}\n  wants {expected}")),
            Err(error) => wrong.push(format!("{reference}\n{}", error.caret())),
        }
    }
    assert!(wrong.is_empty(), "{base}\n{}", wrong.join("\n"));
}

/// The base of the examples of RFC 1808, section 5, is `http://a/b/c/d;p?q#f`; ours has no fragment.
const BASE: &str = "http://a/b/c/d;p?q";

#[test]
fn normal_examples_of_rfc_1808_resolve() {
    all_mean(
        BASE,
        &[
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/d;x"),
            ("g;x", "http://a/b/c/g;x"),
            // Without its `#s`.
            ("g;x?y", "http://a/b/c/g;x?y"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../", "http://a/"),
            ("../../g", "http://a/g"),
        ],
    );
    // RFC 1738 has no slash in a search: that is a departure.
    all_mean(BASE, &[("g?y/./x", "http://a/b/c/g?y/./x")]);
    let departures = url(BASE).resolve("g?y/./x").unwrap().departures();
    assert!(departures.iter().eq([Departure::HttpQuery]));
    all_mean(
        "https://a/b/c/d;p?q",
        &[("g?y/./x", "https://a/b/c/g?y/./x")],
    );
    // The fragment of the base is dropped.
    for base in [BASE.to_owned(), format!("{BASE}#f")] {
        all_mean(
            &base,
            &[
                ("", BASE),
                ("#s", "http://a/b/c/d;p?q#s"),
                ("g#s", "http://a/b/c/g#s"),
                ("g#s/./x", "http://a/b/c/g#s/./x"),
                ("g?y#s", "http://a/b/c/g?y#s"),
                ("g;x?y#s", "http://a/b/c/g;x?y#s"),
            ],
        );
    }
}

#[test]
fn abnormal_examples_of_rfc_3986_resolve() {
    all_mean(
        BASE,
        &[
            ("", BASE),
            ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            // Section 5.3: what to write for a name with a colon.
            ("./this:that", "http://a/b/c/this:that"),
            ("this%3Athat", "http://a/b/c/this%3Athat"),
        ],
    );
    // Repeating the scheme of the base makes no partial URL: these are full URLs, and invalid in http.
    for reference in ["http:g", "http:", "HTTP:/g"] {
        assert_eq!(
            fault(BASE, reference),
            Url::parse(reference).expect_err(reference)
        );
    }
}

#[test]
fn examples_of_rfc_1630_resolve() {
    // The draft has rules without examples; RFC 1630 has examples of the same rules.
    for base in ["http://a/b/c//d/e/f", "http://a/b/c//d/e/"] {
        all_mean(
            base,
            &[
                ("g", "http://a/b/c//d/e/g"),
                ("/g", "http://a/g"),
                ("//g", "http://g"),
                ("../g", "http://a/b/c//d/g"),
                ("g:h", "g:h"),
            ],
        );
    }
}

#[test]
fn http_references_resolve() {
    all_mean(
        "http://h:8080",
        &[
            ("g", "http://h:8080/g"),
            ("?y", "http://h:8080/?y"),
            (";x", "http://h:8080/;x"),
            (".", "http://h:8080/"),
            ("..", "http://h:8080/"),
            ("../", "http://h:8080/"),
            ("", "http://h:8080"),
            ("//g:70", "http://g:70"),
        ],
    );
    all_mean(
        "http://h/a;b/c;d?e",
        &[
            // The rightmost slash counts, even in params; the params belong to the last segment.
            ("g", "http://h/a;b/g"),
            ("../g", "http://h/g"),
            (";x", "http://h/a;b/c;x"),
            (";x/y", "http://h/a;b/;x/y"),
            ("g;x/../y", "http://h/a;b/y"),
            ("..;x", "http://h/;x"),
            // Empty is not absent.
            ("?", "http://h/a;b/c;d?"),
            (";", "http://h/a;b/c;"),
            ("g?", "http://h/a;b/g?"),
            // A colon without a scheme before it.
            ("?y:z", "http://h/a;b/c;d?y:z"),
            ("a_b:c", "http://h/a;b/a_b:c"),
            (":c", "http://h/a;b/:c"),
        ],
    );
    all_mean(
        "http://h/a/./b/../c/d",
        &[("g", "http://h/a/c/g"), ("?y", "http://h/a/./b/../c/d?y")],
    );
}

#[test]
fn ftp_references_resolve() {
    all_mean(
        "ftp://ada:secret@h:2121/pub/a/b;type=i",
        &[
            ("g", "ftp://ada:secret@h:2121/pub/a/g"),
            ("g;type=d", "ftp://ada:secret@h:2121/pub/a/g;type=d"),
            (";type=a", "ftp://ada:secret@h:2121/pub/a/b;type=a"),
            ("..;type=d", "ftp://ada:secret@h:2121/pub/;type=d"),
            ("../x/./y", "ftp://ada:secret@h:2121/pub/x/y"),
            ("/g", "ftp://ada:secret@h:2121/g"),
            ("/", "ftp://ada:secret@h:2121/"),
            ("../../../g", "ftp://ada:secret@h:2121/g"),
            ("", "ftp://ada:secret@h:2121/pub/a/b;type=i"),
            // Another host has another login.
            ("//x.org/g", "ftp://x.org/g"),
            ("//bob@x.org", "ftp://bob@x.org"),
            // There is no search in ftp: these are names.
            ("?y", "ftp://ada:secret@h:2121/pub/a/?y"),
            ("g?y/../z", "ftp://ada:secret@h:2121/pub/a/z"),
        ],
    );
    // A directory by its type alone is a name like any other (RFC 1808, section 5.3).
    all_mean(
        "ftp://h/pub;type=d",
        &[("g", "ftp://h/g"), ("./", "ftp://h/")],
    );
    all_mean(
        "ftp://h",
        &[("g", "ftp://h/g"), (";type=a", "ftp://h/;type=a")],
    );
    // A segment with nothing in it is a CWD with a null argument, and `..` takes that one back.
    all_mean(
        "ftp://h//etc//motd",
        &[
            ("g", "ftp://h//etc//g"),
            ("../g", "ftp://h//etc/g"),
            ("../../g", "ftp://h//g"),
            ("../../../g", "ftp://h/g"),
            ("../../../../g", "ftp://h/g"),
            ("a//b", "ftp://h//etc//a//b"),
            ("..//g", "ftp://h//etc//g"),
        ],
    );
    // Escapes are data, whatever they stand for.
    all_mean(
        "ftp://h/%2Fetc/motd",
        &[
            ("g", "ftp://h/%2Fetc/g"),
            ("%2E%2E/g", "ftp://h/%2Fetc/%2E%2E/g"),
            ("..%2Fg", "ftp://h/%2Fetc/..%2Fg"),
            ("%2e/.%2E", "ftp://h/%2Fetc/%2e/.%2E"),
            ("/%2Fg", "ftp://h/%2Fg"),
            ("../g", "ftp://h/g"),
        ],
    );
}

#[test]
fn file_and_extension_scheme_references_resolve() {
    all_mean(
        "file:///a/b/c",
        &[
            ("g", "file:///a/b/g"),
            ("../..", "file:///"),
            ("../../../g", "file:///g"),
            ("/g", "file:///g"),
            ("?y", "file:///a/b/?y"),
            ("//h/g", "file://h/g"),
            ("///g", "file:///g"),
            (".//g", "file:///a/b//g"),
            ("../..//g", "file:////g"),
        ],
    );
    all_mean(
        "HTTPS://h/a/b?c/d",
        &[
            ("g", "HTTPS://h/a/g"),
            ("?y", "HTTPS://h/a/b?y"),
            ("//g/x", "HTTPS://g/x"),
        ],
    );
    all_mean(
        "ftps://u@h/a/b;type=i",
        &[
            ("g", "ftps://u@h/a/g"),
            (";type=a", "ftps://u@h/a/b;type=a"),
        ],
    );
}

#[test]
fn fault_of_a_reference_is_named_and_not_that_of_its_base() {
    for base in [
        "gemini://htpmün",
        "http://münchen.example/a/",
        "ftp://münchen.example/a/",
    ] {
        let base = Dialect::Extended.parse(base).unwrap();
        for (reference, at) in [("\0", 0), ("ab\u{1}", 2), ("/a\0b", 2)] {
            let error = base.resolve(reference).unwrap_err();
            assert_eq!(
                (error.at, error.len),
                (at, 1),
                "{base} {reference:?} {error:?}"
            );
        }
        base.resolve("ab").unwrap();
    }
}

#[test]
fn base_that_breaks_the_rule_of_its_base_scheme_resolves_its_references() {
    let base = Dialect::Extended
        .parse("https://user@h/a/b")
        .expect("an extension scheme");
    let resolved = |reference| base.resolve(reference).map(|url| url.to_string());
    assert_eq!(resolved("?y"), Ok("https://user@h/a/b?y".into()));
    assert_eq!(resolved("../g"), Ok("https://user@h/g".into()));
    let fault = base.resolve("g h").expect_err("a blank");
    assert_eq!((fault.at, fault.len), (1, 1));
}

#[test]
fn non_hierarchical_base_takes_only_host_or_full_url() {
    for base in [
        "gopher://h/1/docs",
        "gophers://h/1/docs",
        "nntp://h/comp.x",
        "telnet://u@h/",
        "tn3270://h/",
        "wais://h/db",
        "prospero://h/x",
        "x-mine://h/a/b",
        "finger://h/ada",
        "news:comp.x",
        "news:a/b@h",
        "mailto:ada@h.org",
        "x-mine:a/b",
        "https:a/b",
    ] {
        for reference in ["g", "/0/g", "../g", ".", "?y", ";type=a", "/", "é"] {
            let error = fault(base, reference);
            let actual = (error.at, error.len, error.section, error.message);
            assert_eq!(
                actual,
                (0, reference.len(), "2.3", Message::NoHierarchy),
                "{base} {reference}"
            );
        }
        all_mean(base, &[("", base), ("http://x.org/", "http://x.org/")]);
        all_mean(base, &[("#s", &format!("{base}#s"))]);
    }
    assert_eq!(
        fault("news:comp.x", "g").to_string(),
        "the scheme of the base has no partial URLs: write the whole URL (RFC 1738, section 2.3: genericurl)"
    );
    all_mean(
        "gopher://h:7070/1/docs",
        &[("//x.org/0a", "gopher://x.org/0a")],
    );
    all_mean("telnet://u@h/", &[("//x.org", "telnet://x.org")]);
    all_mean("x-mine://h/a", &[("//g/b", "x-mine://g/b")]);
    // A mail address, a Message-ID and a URL without host have no host to replace.
    for base in [
        "mailto://x",
        "news://x@h",
        "news:comp.x",
        "x-mine:a//b",
        "x-mine:a://b",
    ] {
        assert_eq!(fault(base, "//g").message, Message::NoHierarchy, "{base}");
    }
}

#[test]
fn faults_are_offsets_in_the_reference() {
    for (base, reference, at, len, rule) in [
        ("http://a/b/c", "g h", 1, 1, "hsegment"),
        ("http://a/b/c", "../g%2", 4, 2, "escape"),
        ("http://a/b/c", "é", 0, 2, "hsegment"),
        ("http://a/b/c", "//bad~host/", 5, 1, "hostname"),
        ("http://a/b/c", "//u@h/", 2, 2, "hostport"),
        ("ftp://h/a;type=i", ";TYPE=x", 6, 1, "ftptype"),
        ("ftp://h/a;type=i", "b/c;x", 3, 1, "fsegment"),
        ("ftp://h/a;type=i", ";type=x", 6, 1, "ftptype"),
        ("ftp://h/a;type=i", ";type=a/b", 7, 1, "ftptype"),
        ("ftp://h", "///g", 2, 1, "host"),
        ("file:///a", "b;c", 1, 1, "fsegment"),
        ("file:///a", "//h", 3, 0, "fileurl"),
        ("gopher://h/", "//h/0a%0A", 6, 3, "selector"),
        // A removed segment must be valid too.
        ("http://a/b/c", "x y/../g", 1, 1, "hsegment"),
        // A full URL is unchanged.
        ("http://a/b/c", "ftp://h/;x", 8, 1, "fsegment"),
    ] {
        let error = fault(base, reference);
        assert_eq!(
            (error.at, error.len, error.rule),
            (at, len, rule),
            "{base} {reference} {error}"
        );
    }
    let error = fault("ftp://h/a", "b c");
    assert_eq!(error.message, Message::Unsafe(Unexpected::Char(' ')));
    assert!(error.caret().starts_with(" ^ a space"));
}

/// Bases that paths resolve against.
fn hierarchical() -> impl Strategy<Value = Url> {
    let later = |text: String| {
        let text = text.replacen("http:", "https:", 1);
        text.replacen("ftp:", "ftps:", 1)
    };
    let base = valid().prop_filter("a scheme with paths", |text| {
        ["ftp:", "http:", "file:"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
    });
    (base, any::<bool>())
        .prop_map(move |(text, as_later)| url(&if as_later { later(text) } else { text }))
}

fn path() -> impl Strategy<Value = String> {
    let segment = prop_oneof![
        3 => Just("..".to_owned()),
        1 => Just(".".to_owned()),
        1 => Just(String::new()),
        1 => Just("%2E%2e".to_owned()),
        3 => "[a-z%2F;?:@&=.]{0,4}",
    ];
    proptest::collection::vec(segment, 0..7).prop_map(|segments| segments.join("/"))
}

fn is_path(reference: &str) -> bool {
    let name = |octet: u8| octet.is_ascii_alphanumeric() || b"+-.".contains(&octet);
    let scheme = reference.bytes().take_while(|octet| name(*octet)).count();
    !reference.starts_with("//") && (scheme == 0 || reference.as_bytes().get(scheme) != Some(&b':'))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn full_url_ignores_the_base(base in valid(), reference in mutated()) {
        let parsed = Dialect::Extended.parse(&reference);
        // The insertion may be before or inside the scheme; then it is a partial URL.
        let no_scheme = matches!(&parsed, Err(ParseError { message: Message::NoScheme(_), .. }));
        if !no_scheme {
            prop_assert_eq!(url(&base).resolve(&reference), parsed);
        }
    }

    #[test]
    fn empty_reference_is_the_base(base in valid()) {
        let base = url(&base);
        prop_assert_eq!(base.resolve(""), Ok(base));
    }

    #[test]
    fn any_reference_resolves_without_panic(base in valid(), reference in "[/.;?#%]{0,3}\\PC{0,20}") {
        match url(&base).resolve(&reference) {
            Ok(found) => prop_assert_eq!(Dialect::Extended.parse(found.as_str()), Ok(found)),
            Err(error) => prop_assert!(error.at + error.len <= reference.len(), "{:?}", error),
        }
    }

    #[test]
    fn path_reference_keeps_host_and_login(base in hierarchical(), reference in path()) {
        prop_assume!(is_path(&reference));
        if let Ok(found) = base.resolve(&reference) {
            prop_assert_eq!(found.scheme_name(), base.scheme_name());
            prop_assert_eq!(found.rfc1738_parts().login(), base.rfc1738_parts().login());
            prop_assert_eq!(found.rfc1738_parts().address(), base.rfc1738_parts().address());
            if let (Parts::File(a), Parts::File(b)) = (found.rfc1738_parts(), base.rfc1738_parts()) {
                prop_assert_eq!(a.host, b.host);
            }
            if let (Parts::Other(a), Parts::Other(b)) = (found.rfc1738_parts(), base.rfc1738_parts()) {
                prop_assert_eq!(a.ip().map(|(login, _)| login), b.ip().map(|(login, _)| login));
            }
        }
    }

    #[test]
    fn resolved_path_has_no_dot_segments(base in hierarchical(), reference in path()) {
        prop_assume!(is_path(&reference));
        let Ok(found) = base.resolve(&reference) else { return Ok(()) };
        // When a segment was appended, neither `.` nor `..` is left.
        let web = base.scheme() == Scheme::Http || base.scheme_name() == "https";
        let appended = !reference.is_empty() && !reference.starts_with(if web { &['?', ';'][..] } else { &[';'][..] });
        if appended {
            let text = found.as_str();
            let path = if web { text.split('?').next().unwrap() } else { text };
            let mut segments: Vec<&str> = path.splitn(4, '/').nth(3).unwrap().split('/').collect();
            let last = segments.pop().unwrap();
            segments.push(last.split(';').next().unwrap());
            for segment in &segments {
                prop_assert!(*segment != "." && *segment != "..", "{} {} {}", base, reference, found);
            }
        }
    }
}
