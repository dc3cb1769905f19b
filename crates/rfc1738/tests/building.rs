//! URLs built from octets, and the navigation of the keys.

use std::borrow::Cow;

use rfc1738::{
    Dialect, FtpType, Guesses, Message, ParseError, Parts, Url, expand_typed, parse_or_repair,
    parse_typed, repair,
};

/// Parses typed text without hints for guessing.
fn typed_alone(input: &str) -> Result<Url, ParseError> {
    parse_typed(input, Guesses::default())
}

fn meant_alone(input: &str) -> Cow<'_, str> {
    expand_typed(input, Guesses::default())
}

fn url(text: &str) -> Url {
    Url::parse(text).expect(text)
}

#[test]
fn gopher_items_become_urls() {
    let made = |host, port, gtype, selector: &[u8]| {
        Url::gopher(host, port, gtype, selector).map(|url| url.to_string())
    };
    assert_eq!(made("h.org", 70, b'1', b"").unwrap(), "gopher://h.org/");
    assert_eq!(
        made("h.org", 7070, b'0', b"/a b~\xE9").unwrap(),
        "gopher://h.org:7070/0/a%20b%7E%E9"
    );
    assert_eq!(
        made("h.org", 70, b'0', b"a%09b").unwrap(),
        "gopher://h.org/0a%2509b"
    );
    assert_eq!(
        made("h.org", 70, b'\\', b"x").unwrap(),
        "gopher://h.org/%5Cx"
    );
    let error = made("h.org", 70, b'0', b"a\tb").unwrap_err();
    assert_eq!((error.at, error.rule), (17, "selector"));
    assert_eq!(made("h.org", 70, b'\t', b"").unwrap_err().rule, "gtype");
    assert_eq!(made("evil/1x", 70, b'1', b"").unwrap_err().at, 13);
    assert_eq!(made("u@evil", 70, b'1', b"").unwrap_err().at, 10);
    assert_eq!(made("evil:25", 70, b'1', b"").unwrap_err().at, 13);
    assert_eq!(made("", 70, b'1', b"").unwrap_err().rule, "host");
}

#[test]
fn gopher_searches_and_plus_strings_are_fields() {
    let item = Url::gopher("h", 70, b'7', b"/s").unwrap();
    let item = item.with_search(b"a/b?c d").unwrap();
    assert_eq!(item.as_str(), "gopher://h/7/s%09a%2Fb%3Fc%20d");
    let again = item.with_search(b"x").unwrap();
    assert_eq!(again.as_str(), "gopher://h/7/s%09x");
    assert_eq!(
        again.with_plus(b"+text/plain").unwrap().as_str(),
        "gopher://h/7/s%09x%09+text/plain"
    );
    assert_eq!(
        url("gopher://h").with_plus(b"$").unwrap().as_str(),
        "gopher://h/1%09%09$"
    );
    assert_eq!(
        url("gophers://h/7v").with_search(b"w").unwrap().as_str(),
        "gophers://h/7v%09w"
    );
    assert_eq!(
        url("wais://h/db").with_search(b"a&b c").unwrap().as_str(),
        "wais://h/db?a&b%20c"
    );
    let form = b"+\t1\r\n+-1\r\nyes\r\n.\r\n";
    let sent = Url::gopher("h", 70, b'0', b"s").unwrap();
    let sent = sent.with_plus(form).unwrap();
    let Parts::Gopher(gopher) = sent.rfc1738_parts() else {
        panic!()
    };
    assert_eq!(*gopher.plus.unwrap().octets(), *form);
    for words in [b"a\tb", b"a\rb", b"a\nb"] {
        assert_eq!(item.with_search(words).unwrap_err().rule, "search");
    }
    assert!(url("news:a.b").with_search(b"x").is_err());
}

#[test]
fn sessions_groups_and_articles_become_urls() {
    let text = |made: Result<Url, rfc1738::ParseError>| made.unwrap().to_string();
    let login = |scheme, port, user| {
        let url = Url::on_server(scheme, "h.org", port, "").unwrap();
        url.with_user(user).unwrap().to_string()
    };
    let telnet = Url::on_server("telnet", "h.org", Some(23), "");
    assert_eq!(text(telnet), "telnet://h.org/");
    assert_eq!(
        login("telnet", Some(2323), b"a b@c:d/e"),
        "telnet://a%20b%40c%3Ad%2Fe@h.org:2323/"
    );
    assert_eq!(login("tn3270", Some(23), b"u"), "tn3270://u@h.org/");
    let ftp = Url::on_server("ftp", "h.org", Some(21), "");
    assert_eq!(text(ftp), "ftp://h.org/");
    assert_eq!(login("ftp", Some(2121), b""), "ftp://@h.org:2121/");
    assert_eq!(
        text(Url::nntp("h.org", 119, b"comp.x", None)),
        "nntp://h.org/comp.x"
    );
    assert_eq!(
        text(Url::nntp("h.org", 1119, b"comp.x", Some(7))),
        "nntp://h.org:1119/comp.x/7"
    );
    assert_eq!(
        text(url("nntps://h/comp.x").numbered(7)),
        "nntps://h/comp.x/7"
    );
    assert_eq!(text(Url::news_group(b"comp.x")), "news:comp.x");
    assert_eq!(
        text(Url::news_article(b"<a/b$c#d%e@h.org>")),
        "news:a/b$c%23d%25e@h.org"
    );
    assert_eq!(text(Url::news_article(b"a@b@h.org")), "news:a%40b@h.org");
    assert_eq!(text(Url::news_group(b"3dfx.x")), "news:3dfx.x");
    assert_eq!(
        text(Url::nntp("::1", 119, b"a/5", Some(7))),
        "nntp://[::1]/a%2F5/7"
    );
    assert_eq!(
        text(Url::news_article(b"<a@[127.0.0.1]>")),
        "news:a@%5B127.0.0.1%5D"
    );
    assert_eq!(text(Url::news_article(b"a@b_c")), "news:a@b_c");
    assert_eq!(Url::news_group(b"").unwrap_err().rule, "group");
    assert_eq!(Url::nntp("h", 119, b"", None).unwrap_err().rule, "group");
    for id in [&b"no-at"[..], b"", b"@h", b"a@"] {
        assert!(Url::news_article(id).is_err(), "{id:?}");
    }
}

#[test]
fn entries_of_a_directory_become_urls() {
    let child = |base: &str, name: &[u8], kind| url(base).child(name, kind).unwrap().to_string();
    assert_eq!(child("ftp://h", b"a", None), "ftp://h/a");
    assert_eq!(child("ftp://u:p@h:2121/", b"a", None), "ftp://u:p@h:2121/a");
    assert_eq!(
        child("ftp://h/pub;type=d", b"a b;c/d\xFF", None),
        "ftp://h/pub/a%20b%3Bc%2Fd%FF"
    );
    assert_eq!(
        child("ftp://h/pub/", b"x", Some(FtpType::Directory)),
        "ftp://h/pub/x;type=d"
    );
    // An empty CWD segment stays.
    assert_eq!(
        child("ftp://h//;type=d", b"etc", Some(FtpType::Directory)),
        "ftp://h//etc;type=d"
    );
    assert_eq!(child("ftps://h/a;type=d", b"b", None), "ftps://h/a/b");
    assert_eq!(child("file:///etc", b"a#b", None), "file:///etc/a%23b");
    assert_eq!(
        child("file:///etc/", b"d", Some(FtpType::Directory)),
        "file:///etc/d/"
    );
    assert!(url("gopher://h/").child(b"a", None).is_err());
}

#[test]
fn up_goes_to_the_parent_and_stops_at_the_root() {
    let steps = |text: &str| {
        let mut steps = Vec::new();
        let mut here = url(text);
        while let Some(above) = here.up() {
            steps.push(above.to_string());
            here = above;
        }
        steps
    };
    assert_eq!(
        steps("ftp://u@h/a/b/c"),
        [
            "ftp://u@h/a/b;type=d",
            "ftp://u@h/a;type=d",
            "ftp://u@h/;type=d"
        ]
    );
    assert_eq!(
        steps("ftp://h/a/b/;type=d"),
        ["ftp://h/a;type=d", "ftp://h/;type=d"]
    );
    assert_eq!(
        steps("ftp://h//etc/motd"),
        ["ftp://h//etc;type=d", "ftp://h//;type=d", "ftp://h/;type=d"]
    );
    assert_eq!(
        steps("ftp://h/%2Fetc/motd"),
        ["ftp://h/%2Fetc;type=d", "ftp://h/%2F;type=d"]
    );
    assert_eq!(
        steps("ftp://h/%2fetc%2fx"),
        ["ftp://h/%2fetc;type=d", "ftp://h/%2f;type=d"]
    );
    assert!(steps("ftp://h").is_empty());
    assert_eq!(
        steps("gopher://h/0/a/b.txt"),
        ["gopher://h/1/a", "gopher://h/"]
    );
    assert_eq!(
        steps("gopher://h:7070/1/a/b/"),
        ["gopher://h:7070/1/a", "gopher://h:7070/"]
    );
    assert_eq!(
        steps("gopher://h/7/v2/vs%09words"),
        ["gopher://h/1/v2", "gopher://h/"]
    );
    assert_eq!(steps("gopher://h/0caps.txt"), ["gopher://h/"]);
    // Selectors that begin with the item type.
    for (below, above) in [
        ("00/Docs/x", &["gopher://h/11/Docs", "gopher://h/"][..]),
        ("11/a/b/", &["gopher://h/11/a", "gopher://h/"]),
        ("I9/pics/a.gif", &["gopher://h/11/pics", "gopher://h/"]),
        ("hh/a/b.html", &["gopher://h/11/a", "gopher://h/"]),
        ("II9/pics/a.gif", &["gopher://h/11/pics", "gopher://h/"]),
        ("77/idx/db%09words", &["gopher://h/11/idx", "gopher://h/"]),
        ("00/x", &["gopher://h/"]),
        ("000/x", &["gopher://h/"]),
        ("11/", &[]),
        // Another digit is a name.
        ("02/x", &["gopher://h/12", "gopher://h/"]),
        ("0/0/x", &["gopher://h/1/0", "gopher://h/"]),
    ] {
        assert_eq!(steps(&format!("gopher://h/{below}")), above, "{below}");
    }
    assert_eq!(steps("gopher://h/0"), ["gopher://h/"]);
    assert!(steps("gopher://h/1").is_empty());
    assert!(steps("gopher://h/1/").is_empty());
    assert_eq!(steps("gopher://h/hURL:http://x.org/"), ["gopher://h/"]);
    assert_eq!(steps("nntp://h/a.b/7"), ["nntp://h/a.b"]);
    assert_eq!(steps("news:a.b"), ["news:*"]);
    assert_eq!(steps("http://h/a/b?c"), ["http://h/a/", "http://h/"]);
    assert_eq!(steps("file:///a/b/"), ["file:///a/", "file:///"]);
    assert_eq!(steps("wais://h/d?x"), ["wais://h/d"]);
    assert!(steps("mailto:a@b").is_empty());
}

#[test]
fn root_is_the_top_of_the_server() {
    let root = |text: &str| url(text).root().map(|url| url.to_string());
    assert_eq!(
        root("ftp://u:p@h:1/a/b;type=d").as_deref(),
        Some("ftp://u:p@h:1/")
    );
    assert_eq!(root("gopher://h/1/a").as_deref(), Some("gopher://h/"));
    assert_eq!(root("gophers://h/1/a").as_deref(), Some("gophers://h/"));
    assert_eq!(root("news:a@b").as_deref(), Some("news:*"));
    assert_eq!(root("file:///a").as_deref(), Some("file:///"));
    assert_eq!(root("mailto:a@b"), None);
    assert_eq!(root("nntp://h/a"), None);
}

#[test]
fn typed_input_is_parsed() {
    for (input, meant) in [
        ("gopher://h/1", "gopher://h/1"),
        ("  <URL:ftp://h/a;\n type=d>  ", "ftp://h/a;type=d"),
        ("<gopher://h/>", "gopher://h/"),
        ("url: news:a.b", "news:a.b"),
        (
            "Floodgap: the <1st> <URL:gopher://floodgap.com/> #gopher",
            "gopher://floodgap.com/",
        ),
        // Lines of `geomys bookmarks list`, their ends cut or not.
        (
            "SDF: a hole\tgopher://sdf.org/\tHoles/Old\t#a #b",
            "gopher://sdf.org/",
        ),
        ("\tnews:a.b\t\t", "news:a.b"),
        ("\tftp://ada:***@h/x\t\t", "ftp://ada@h/x"),
        ("odd\tftp://ada:p@h/x\t\t", "ftp://ada:p@h/x"),
        ("floodgap.com", "gopher://floodgap.com/"),
        ("floodgap.com:7070", "gopher://floodgap.com:7070/"),
        ("localhost:7070/0/x", "gopher://localhost:7070/0/x"),
        ("floodgap.com/1/world", "gopher://floodgap.com/1/world"),
        ("floodgap.com/world/x", "gopher://floodgap.com/1/world/x"),
        ("127.0.0.1", "gopher://127.0.0.1/"),
        ("ftp.x.org/pub", "ftp://ftp.x.org/pub"),
        ("FTP.x.org", "ftp://FTP.x.org/"),
        ("www.x.org", "http://www.x.org/"),
        ("WWW.x.org:8080/a?b", "http://WWW.x.org:8080/a?b"),
        ("tel:110", "tel:110"),
        ("news:comp.x", "news:comp.x"),
    ] {
        assert_eq!(
            typed_alone(input).map(|url| url.to_string()).as_deref(),
            Ok(meant),
            "{input}"
        );
    }
    assert_eq!(typed_alone("gopher:70").unwrap_err().at, 7);
    assert_eq!(typed_alone("").unwrap_err().at, 0);
    assert!(typed_alone("two words").is_err());
    // The parsed text is there to be shown and corrected.
    assert_eq!(
        meant_alone("floodgap.com/~ada"),
        "gopher://floodgap.com/1/~ada"
    );
    assert_eq!(
        typed_alone("floodgap.com/~ada").unwrap_err().at,
        "gopher://floodgap.com/1/".len()
    );
    // An item type is one ASCII character.
    for (input, expected) in [
        ("h.org/ü", "gopher://h.org/1/ü"),
        ("h.org/ü/x", "gopher://h.org/1/ü/x"),
    ] {
        assert_eq!(meant_alone(input), expected);
    }
    assert_eq!(meant_alone(" <news:a.b> "), "news:a.b");
    assert_eq!(
        typed_alone("Bad <URL:ftp://bad~host/> #x").unwrap_err().at,
        9
    );
}

#[test]
fn repair_is_not_tried_on_long_text() {
    let reserved = |count: usize| repair(&format!("ftp://h/{}", ";".repeat(count)));
    assert_eq!(
        reserved(64).unwrap().as_str().len(),
        "ftp://h/".len() + 64 * 3
    );
    assert_eq!(reserved(65), None);
    let unsafe_octets = |count: usize| repair(&format!("ftp://h/{}", "~".repeat(count)));
    assert!(unsafe_octets(8 * 1024 - 8).is_some());
    assert_eq!(unsafe_octets(8 * 1024 - 7), None);
}

#[test]
fn links_of_pages_are_accepted_or_repaired() {
    use rfc1738::parse_or_repair;
    for (written, opened) in [
        ("http://a_b.org/~ada#x", "http://a_b.org/%7Eada#x"),
        ("gopher://[::1]/1/a b", "gopher://[::1]/1/a%20b"),
        ("http://h/?a/b", "http://h/?a/b"),
        ("http://h/~ada?a/b", "http://h/%7Eada?a/b"),
        ("ftp://h/;TYPE=d", "ftp://h/;TYPE=d"),
        ("http://h?a", "http://h/?a"),
        ("http://h:80?a", "http://h:80/?a"),
        ("https://h?a#b", "https://h/?a#b"),
        ("gopher://h/0/a b#c d", "gopher://h/0/a%20b#c%20d"),
        ("mailto:a#b@h.org", "mailto:a%23b@h.org"),
        ("https://h:443?a/b", "https://h:443/?a/b"),
    ] {
        assert_eq!(
            parse_or_repair(written).unwrap().as_str(),
            opened,
            "{written}"
        );
    }
    assert_eq!(parse_or_repair("http://bad~host/~").unwrap_err().at, 10);
    for scheme in ["http", "https", "gophers"] {
        let error = parse_or_repair(&format!("{scheme}://u:p@h/")).unwrap_err();
        assert_eq!(
            (error.at, error.message),
            (scheme.len() + 3, Message::NoUser)
        );
    }
}

#[test]
fn typed_url_is_repaired_after_guesses() {
    assert_eq!(typed_alone("https://u:p@h/").unwrap_err().at, 8);
    for (input, opened) in [
        ("http://h.org/~ada", "http://h.org/%7Eada"),
        (" http://h.org/a b ", "http://h.org/a%20b"),
        ("h.org/a|b", "gopher://h.org/1/a%7Cb"),
        ("www.h.org/ü", "http://www.h.org/%C3%BC"),
    ] {
        let url = parse_or_repair(&meant_alone(input)).unwrap();
        assert_eq!(url.as_str(), opened);
    }
    assert_eq!(
        parse_or_repair(&meant_alone("bad~host/")).unwrap_err().at,
        3
    );
}

#[test]
fn typed_group_and_path_are_guessed() {
    let is_group = |name: &str| name == "comp.infosystems.gopher" || name == "news.example.org";
    let guesses = Guesses {
        is_group: Some(&is_group),
        directory: Some("/home/ada/notes"),
        home: Some("/home/ada/"),
    };
    for (input, found) in [
        ("comp.infosystems.gopher", "news:comp.infosystems.gopher"),
        ("comp.infosystems.www", "gopher://comp.infosystems.www/"),
        ("news.example.org", "news:news.example.org"),
        ("news:<1%a~@x.example>", "news:1%25a%7E@x.example"),
        ("snews://h.example/<1@x>", "snews://h.example/1@x"),
        ("NNTP://h.example/", "news://h.example/"),
        ("nntp://h.example:1119", "news://h.example:1119/"),
        ("nntps://h.example/", "snews://h.example/"),
        ("nntp://h.example/a.b", "nntp://h.example/a.b"),
        ("nntp:///", "nntp:///"),
        ("news:<1@x", "news:<1@x"),
        ("news.example.org/1", "gopher://news.example.org/1"),
        ("/etc/motd", "file:///etc/motd"),
        ("/", "file:///"),
        ("/a b/~c;d?/", "file:///a%20b/%7Ec%3Bd?/"),
        ("./x", "file:///home/ada/notes/x"),
        ("../x", "file:///home/ada/x"),
        ("../../../../x", "file:///x"),
        ("..", "file:///home/ada/"),
        (".", "file:///home/ada/notes/"),
        ("~/mbox", "file:///home/ada/mbox"),
        ("~", "file:///home/ada/"),
        ("//h/x", "//h/x"),
        ("file:///etc/motd", "file:///etc/motd"),
        ("a。b.com", "gopher://a.b.com/"),
        ("www．example｡com/x", "http://www.example.com/x"),
    ] {
        assert_eq!(expand_typed(input, guesses), found, "{input}");
    }
    // Its start would be ambiguous.
    assert_eq!(meant_alone("./x"), "./x");
    assert_eq!(
        meant_alone("comp.infosystems.gopher"),
        "gopher://comp.infosystems.gopher/"
    );
    assert_eq!(meant_alone("a_b.org"), "gopher://a_b.org/");
}

#[test]
fn wrappers_around_a_url_are_stripped() {
    use rfc1738::strip_wrapper;
    for (input, inside) in [
        (" gopher://h/ \r\n", "gopher://h/"),
        ("<URL:gopher://h/>", "gopher://h/"),
        ("< url: gopher://h/ >", "gopher://h/"),
        ("<gopher://h/>", "gopher://h/"),
        ("URL: gopher://h/", "gopher://h/"),
        ("<URL:URL:<x>>", "x"),
        ("<gopher://h/", "<gopher://h/"),
        ("a <b> c", "a <b> c"),
        ("", ""),
    ] {
        assert_eq!(
            strip_wrapper(input.as_bytes()),
            inside.as_bytes(),
            "{input}"
        );
    }
    assert_eq!(strip_wrapper(b"<URL:\xFF>"), b"\xFF");
}

#[test]
fn repair_finds_the_equivalent_url() {
    for (broken, meant) in [
        (
            "gopher://tilde.example/1/~ada",
            Some("gopher://tilde.example/1/%7Eada"),
        ),
        (
            "ftp://h/a b{c}|\\^[d]`\"<e>%41%",
            Some("ftp://h/a%20b%7Bc%7D%7C%5C%5E%5Bd%5D%60%22%3Ce%3E%41%25"),
        ),
        ("ftp://h/café#1", Some("ftp://h/caf%C3%A9")),
        ("http://h/~a#b", Some("http://h/%7Ea")),
        ("gemini://h/a?b#c", Some("gemini://h/a?b")),
        ("titan://h/a#b", Some("titan://h/a")),
        ("SPARTAN://h/a#b", Some("SPARTAN://h/a")),
        ("nex://h/a/#b", Some("nex://h/a/")),
        ("http://h/?q=a/b?c", Some("http://h/?q=a%2Fb%3Fc")),
        ("ftp://h/a;b/c;TYPE=A", Some("ftp://h/a%3Bb/c;type=A")),
        ("gopher://h:/1", Some("gopher://h/1")),
        (" <URL: http://h/a> ", Some("http://h/a")),
        ("<URL:http://h/a b>", Some("http://h/a%20b")),
        ("HTTP://h?a b", Some("HTTP://h/?a%20b")),
        ("gemini://h?a b", Some("gemini://h/?a%20b")),
        ("spartan://h:300?a", Some("spartan://h:300/?a")),
        ("nex://h?a", None),
        ("http://h:?a", None),
        ("gopher://h?a", None),
        ("file:/a b", Some("file:///a%20b")),
        ("file:a", None),
        // Other parsers take good.example as the host of these.
        ("ftp://good.example#@evil.example/", None),
        ("ftp://good.example\\@evil.example/", None),
        ("ftp://good.example\t@evil.example/", None),
        ("news:<a@b.org>", Some("news:a@b.org")),
        ("gopher://h./", None),
        ("news://h/a.b", None),
        ("URL:x", None),
        ("ftp://bad_host/~x", None),
        ("http://[::1]/", None),
        ("http://u:p@h/a", Some("http://h/a")),
        ("https://u@h?a", Some("https://h/?a")),
        ("http://good.example\\@evil.example/", None),
        ("http:/h.org/~x", Some("http://h.org/%7Ex")),
        ("ftp;//h.org", Some("ftp://h.org")),
        ("<URL:http\\\\h.org>", Some("http://h.org")),
        ("http:\\\\h.org\\a b", Some("http://h.org/a%20b")),
        ("//h.org/a", Some("http://h.org/a")),
        ("hxxp://h[.]org/", Some("http://h.org/")),
        ("hxxp://h.org/a", Some("http://h.org/a")),
        ("HXXPS://h.org", Some("https://h.org")),
        ("hxxpx://h.org", Some("hxxpx://h.org")),
        ("http://a\u{3002}b.org/", Some("http://a.b.org/")),
        ("\u{200B}http://h.org/a\u{200B}", Some("http://h.org/a")),
        ("gopher://h/0a%0Ab", None),
        ("no scheme", None),
    ] {
        let repaired = repair(broken).map(|url| url.to_string());
        assert_eq!(repaired.as_deref(), meant, "{broken}");
    }
}

#[test]
fn explanation_lists_the_parts_in_order() {
    let lines = url("ftp://ada:x@h.org/pub/a%20b;type=I").explanation();
    let lines: Vec<String> = lines
        .iter()
        .map(|(label, value)| format!("{label}: {value}"))
        .collect();
    assert_eq!(
        lines,
        [
            "scheme: ftp",
            "user: ada",
            "password: ***",
            "host: h.org",
            "port: 21, the scheme's own",
            "directory: pub",
            "name: a%20b",
            "type: i"
        ]
    );
}

#[test]
fn with_user_replaces_the_login() {
    for (address, expected) in [
        ("ftp://h.example", "ftp://a%40b@h.example"),
        (
            "ftp://u:p@h.example:2121/x/y;type=a",
            "ftp://a%40b@h.example:2121/x/y;type=a",
        ),
        ("ftp://[::1]/@", "ftp://a%40b@[::1]/@"),
        ("ftps://h.example/", "ftps://a%40b@h.example/"),
    ] {
        let url = Dialect::Extended.parse(address).unwrap();
        let named = url.with_user(b"a@b").unwrap();
        assert_eq!(named.as_str(), expected);
    }
    assert!(
        Url::parse("gopher://h.example/")
            .unwrap()
            .with_user(b"a")
            .is_err()
    );
}
