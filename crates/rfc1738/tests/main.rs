//! The tests of the crate: every production, and every ambiguity of RFC 1738, as rows of data.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on fails by panicking"
)]

mod allocation;
mod building;
mod departures;
mod laws;
mod links;
mod oracle;
mod readme;
mod resolve;

use rfc1738::{Dialect, Encoded, GroupPart, Login, ParseError, Parts, Scheme, Url, WaisTarget};

/// The lines of a data file without comments and empty lines.
fn rows(file: &str) -> impl Iterator<Item = &str> {
    file.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The parts of a URL, in the notation of good.txt.
fn parts_text(url: &Url) -> String {
    let mut words = vec![format!("scheme={}", url.scheme())];
    let parts = url.rfc1738_parts();
    let mut say = |label: &str, value: &str| words.push(format!("{label}={value}"));
    if let Some(Login { user, password, .. }) = parts.login() {
        user.inspect(|user| say("user", user.as_str()));
        password.inspect(|password| say("password", password.as_str()));
    }
    if let Some(address) = parts.address() {
        say("host", address.host);
        say("port", &address.port().to_string());
    }
    let mut maybe = |label: &str, part: Option<Encoded<'_>>| {
        if let Some(part) = part {
            say(label, part.as_str());
        }
    };
    match parts {
        Parts::Ftp(ftp) => {
            ftp.cwd().for_each(|segment| maybe("cwd", Some(segment)));
            maybe("name", ftp.path.is_some().then(|| ftp.name()));
            if let Some(kind) = ftp.kind {
                say("type", &kind.letter().to_string());
            }
        }
        Parts::Http(http) => {
            maybe("path", http.path);
            maybe("search", http.search);
        }
        Parts::Gopher(gopher) => {
            maybe("gtype", gopher.gtype);
            maybe("selector", Some(gopher.selector));
            maybe("search", gopher.search);
            maybe("plus", gopher.plus);
        }
        Parts::Mailto(mailto) => maybe("address", Some(mailto.address)),
        Parts::News(news) => match news.part {
            GroupPart::All => say("all", ""),
            GroupPart::Group(group) => say("group", group.as_str()),
            GroupPart::Groups(groups) => say("groups", groups.as_str()),
            GroupPart::Articles(group, range) => {
                say("group", group.as_str());
                say("range", &range.written());
            }
            GroupPart::Article(article) => say("article", article.id.as_str()),
        },
        Parts::Nntp(nntp) => {
            say("group", nntp.group.as_str());
            if let Some(number) = nntp.number {
                say("number", number);
            }
            if let Some(range) = nntp.range {
                say("range", &range.written());
            }
        }
        Parts::Telnet(_) => {}
        Parts::Wais(wais) => {
            maybe("database", Some(wais.database));
            match wais.target {
                WaisTarget::Database => {}
                WaisTarget::Search(search) => maybe("search", Some(search)),
                WaisTarget::Document { wtype, wpath } => {
                    maybe("wtype", Some(wtype));
                    maybe("wpath", Some(wpath));
                }
                WaisTarget::Fields { wtype, length, id } => {
                    maybe("wtype", Some(wtype));
                    maybe("id", Some(id));
                    say("length", length);
                }
            }
        }
        Parts::File(file) => {
            if let Some(host) = file.host {
                say("host", host);
            }
            say("path", file.path.as_str());
        }
        Parts::Prospero(prospero) => {
            maybe("path", Some(prospero.path));
            for (name, value) in prospero.fields() {
                say("field", &format!("{}={}", name.as_str(), value.as_str()));
            }
        }
        Parts::Other(other) => maybe("rest", Some(other.schemepart)),
    }
    words.join(" ")
}

#[test]
fn valid_urls_parse_into_their_parts() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("data/good.txt")) {
        let (text, expected) = row.split_once('\t').expect(row);
        match Url::parse(text) {
            Ok(url) => {
                assert_eq!(url.to_string(), text, "prints back as written");
                if parts_text(&url) != expected {
                    wrong.push(format!(
                        "{text}\n  has   {}\n  wants {expected}",
                        parts_text(&url)
                    ));
                }
            }
            Err(error) => wrong.push(format!("{text}\n  {error}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn malformed_urls_name_the_fault_position_and_rule() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("data/bad.txt")) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [shown, at, len, rule, section] = fields[..] else {
            panic!("five fields: {row}");
        };
        let mut text = shown.to_owned();
        for (picture, control) in [
            ("␠", " "),
            ("␉", "\t"),
            ("␊", "\n"),
            ("␍", "\r"),
            ("␀", "\0"),
        ] {
            text = text.replace(picture, control);
        }
        match Url::parse(&text) {
            Ok(url) => wrong.push(format!("{shown}\n  was taken: {}", parts_text(&url))),
            Err(error) => {
                let parts_text = [
                    &error.at.to_string(),
                    &error.len.to_string(),
                    error.rule,
                    error.section,
                ];
                if parts_text != [at, len, rule, section] {
                    wrong.push(format!(
                        "{shown}\n  says  {parts_text:?} {error}\n  wants {:?}",
                        [at, len, rule, section]
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn fault(text: &str) -> ParseError {
    Url::parse(text).expect_err(text)
}

#[test]
fn errors_quote_the_fault_and_its_correction() {
    let said = |text: &str| fault(text).to_string();
    assert_eq!(
        said("gopher://tilde.example/1/~ada"),
        "\"~\" must be encoded as %7E (RFC 1738, section 2.2: selector)"
    );
    assert_eq!(
        said("ftp://h/café"),
        "\"é\" must be encoded as %C3%A9 (RFC 1738, section 2.2: fsegment)"
    );
    assert_eq!(
        said("gopher://h/0a%0Ab"),
        "an encoded line feed (%0A) cannot be sent here: remove it (RFC 1738, section 3.4.1: selector)"
    );
    assert_eq!(
        said("ftp:"),
        "unexpected end: expected \"//\" (RFC 1738, section 3.1: ip-schemepart)"
    );
    assert_eq!(
        said("ftp://h/a;b"),
        "\";\" is not allowed here: write %3B (RFC 1738, section 3.2.2: fsegment)"
    );
}

#[test]
fn errors_hold_no_control_characters() {
    for text in [
        "ftp://h/\u{1b}[2J",
        "ftp://h/\u{9b}2J",
        "ftp://h/\u{202e}x",
        "http://\u{7}/",
        "\u{1b}",
    ] {
        let said = fault(text).to_string();
        assert!(said.is_ascii() && !said.contains('\u{1b}'), "{said:?}");
    }
}

#[test]
fn carets_point_at_the_fault() {
    assert_eq!(
        fault("ftp://bad_host/pub").caret(),
        "         ^ \"_\" is not allowed in a host: use letters, digits, \"-\" and \".\" (RFC 1738, section 3.1: hostname)"
    );
    assert!(
        fault("ftp://h/a;TYPE=d")
            .caret()
            .starts_with("         ^^^^^^ \"")
    );
    // One column, two octets.
    assert!(fault("ftp://h/é").caret().starts_with("        ^ \""));
    // A missing part is pointed at too.
    assert!(
        fault("mailto:")
            .caret()
            .starts_with("       ^ unexpected end")
    );
}

#[test]
fn non_utf8_octets_are_a_fault_at_their_offset() {
    let error = Dialect::Rfc1738.parse(b"ftp://h/a\xE9b").unwrap_err();
    assert_eq!((error.at, error.len), (9, 1));
    let error = Dialect::Rfc1738.parse(b"ftp://bad_host/\xE9").unwrap_err();
    assert_eq!((error.at, error.rule), (9, "hostname"));
    let error = Dialect::Rfc1738.parse(b"ftp://u:p\xE9@h/").unwrap_err();
    assert_eq!((error.at, error.len, error.rule), (9, 1, "password"));
    assert_eq!(
        error.to_string(),
        "the octet E9 must be encoded as %E9 (RFC 1738, section 2.2: password)"
    );
    let error = Dialect::Rfc1738.parse(b"ftp:\xFF\xFF").unwrap_err();
    assert_eq!((error.at, error.len, error.rule), (4, 1, "ip-schemepart"));
    assert_eq!(
        Dialect::Rfc1738.parse(b"news:a.b").unwrap().as_str(),
        "news:a.b"
    );
}

#[test]
fn parts_are_decoded_after_splitting() {
    let url = Url::parse("ftp://h/%2Fetc/a%2Fb%FF%00").unwrap();
    let Parts::Ftp(ftp) = url.rfc1738_parts() else {
        panic!()
    };
    let cwd: Vec<_> = ftp
        .cwd()
        .map(|segment| segment.octets().into_owned())
        .collect();
    assert_eq!(cwd, [b"/etc".to_vec()]);
    assert_eq!(*ftp.name().octets(), *b"a/b\xFF\x00");
    assert_eq!(ftp.segments().count(), 2);

    let url = Url::parse("gopher://h/%37a%2509b%09c%20d").unwrap();
    let Parts::Gopher(gopher) = url.rfc1738_parts() else {
        panic!()
    };
    assert_eq!(gopher.item_type(), b'7');
    assert_eq!(*gopher.selector.octets(), *b"a%09b");
    assert_eq!(*gopher.search.unwrap().octets(), *b"c d");
}

#[test]
fn every_scheme_is_found_by_name() {
    let ports = Scheme::ALL.map(|scheme| (scheme.name(), scheme.default_port()));
    assert_eq!(
        ports,
        [
            ("ftp", Some(21)),
            ("http", Some(80)),
            ("gopher", Some(70)),
            ("mailto", None),
            ("news", None),
            ("nntp", Some(119)),
            ("telnet", Some(23)),
            ("wais", Some(210)),
            ("file", None),
            ("prospero", Some(1525)),
        ]
    );
    for scheme in Scheme::ALL {
        assert_eq!(Scheme::named(&scheme.name().to_uppercase()), scheme);
    }
    assert_eq!(Scheme::named("gophers"), Scheme::Other);
}

#[test]
fn extension_schemes_are_opened_as_their_base_scheme() {
    let url = Url::parse("gophers://h/1a").unwrap();
    assert!(matches!(url.rfc1738_parts(), Parts::Other(_)));
    let Parts::Gopher(gopher) = url.base_parts() else {
        panic!()
    };
    assert_eq!((gopher.address.port(), gopher.selector.as_str()), (70, "a"));
    for (text, port) in [
        ("ftps://h/", 990),
        ("https://h/", 443),
        ("nntps://h/a.b", 563),
        ("tn3270://h/", 23),
    ] {
        let url = Url::parse(text).unwrap();
        assert_eq!(url.base_parts().address().unwrap().port(), port, "{text}");
    }
    // Valid by genericurl, and parsed as leniently as http.
    let url = Url::parse("https://h/?a/b").unwrap();
    let Parts::Http(http) = url.base_parts() else {
        panic!()
    };
    assert_eq!(http.search.unwrap().as_str(), "a/b");
    assert!(url.departures().is_empty());
}

#[test]
fn masked_url_hides_the_password() {
    let url = Url::parse("ftp://ada:secret@h/a:b@c").unwrap();
    assert!(url.has_password());
    assert_eq!(url.masked(), "ftp://ada:***@h/a:b@c");
    assert_eq!(url.without_password().as_str(), "ftp://ada@h/a:b@c");
    for shown in [
        format!("{url:?}"),
        format!("{:?}", url.rfc1738_parts()),
        format!("{:?}", url.explanation()),
        format!(
            "{:?}",
            Url::parse("ftps://ada:secret@h/").unwrap().rfc1738_parts()
        ),
        format!("{:?}", Url::parse("x://ada:se@cret@h/").unwrap()),
    ] {
        assert!(
            !shown.contains("secret") && !shown.contains("cret@"),
            "{shown}"
        );
    }
    let url = Url::parse("ftp://ada@h/x:y@z").unwrap();
    assert!(!url.has_password());
    assert_eq!(url.masked(), "ftp://ada@h/x:y@z");
    assert_eq!(
        Url::parse("ftp://ada:@h/").unwrap().masked(),
        "ftp://ada:***@h/"
    );
}

#[test]
fn only_a_login_password_is_masked() {
    let url = Url::parse("news:a//b:c@h.org").unwrap();
    assert_eq!(url.masked(), "news:a//b:c@h.org");
    assert_eq!(url.without_password(), url);
    // A text that is no URL hides its password too.
    assert_eq!(
        rfc1738::mask("<URL:ftp://a:b~@h_h/>"),
        "<URL:ftp://a:***@h_h/>"
    );
    for (text, masked) in [
        ("ftp://user:pa/ss@host/", "ftp://user:***@host/"),
        ("ftp:u:p@h", "ftp:u:***@h"),
        ("ftp:/u:p@h/", "ftp:/u:***@h/"),
        ("javascript:ftp://u:p@h/", "javascript:ftp://u:***@h/"),
        ("http://h:8080/~a@b", "http://h:8080/~a@b"),
        ("http://h/a:b@c", "http://h/a:b@c"),
        ("news:a//b:c@h.org", "news:a//b:***@h.org"),
    ] {
        assert_eq!(rfc1738::mask(text), masked, "{text}");
    }
    let url = Url::parse("javascript:ftp://u:p@h/").unwrap();
    assert_eq!(url.masked(), "javascript:ftp://u:***@h/");
}

#[test]
fn masked_url_hides_passwords_of_nested_urls() {
    for (written, masked, without) in [
        (
            "gopher://h/hURL:ftp://u:pw@h/",
            "gopher://h/hURL:ftp://u:***@h/",
            "gopher://h/hURL:ftp://u@h/",
        ),
        (
            "gopher://h/h/URL:ftp://u:p%2Fw@h/",
            "gopher://h/h/URL:ftp://u:***@h/",
            "gopher://h/h/URL:ftp://u@h/",
        ),
        (
            "http://h/?u=ftp%3A%2F%2Fu%3Apw%40h%2F",
            "http://h/?u=ftp%3A%2F%2Fu%3A***%40h%2F",
            "http://h/?u=ftp%3A%2F%2Fu%40h%2F",
        ),
        // The slashes as they are, as many encode it; a lower-case escape; the end of the value.
        (
            "http://h/?u=ftp%3a//u%3apw%40h&x=1",
            "http://h/?u=ftp%3a//u%3a***%40h&x=1",
            "http://h/?u=ftp%3a//u%40h&x=1",
        ),
        (
            "http://h/?u=ftp://u:pw@h/&x=a:b@c",
            "http://h/?u=ftp://u:***@h/&x=a:b@c",
            "http://h/?u=ftp://u@h/&x=a:b@c",
        ),
        // Two levels, three, and two URLs beside each other.
        (
            "http://h/?a=http%3A%2F%2Fi%2F%3Fu%3Dftp%253A%252F%252Fu%253Apw%2540h%252F",
            "http://h/?a=http%3A%2F%2Fi%2F%3Fu%3Dftp%253A%252F%252Fu%253A***%2540h%252F",
            "http://h/?a=http%3A%2F%2Fi%2F%3Fu%3Dftp%253A%252F%252Fu%2540h%252F",
        ),
        (
            "http://h/?u=ftp%25253A%25252F%25252Fu%25253Apw%252540h",
            "http://h/?u=ftp%25253A%25252F%25252Fu%25253A***%252540h",
            "http://h/?u=ftp%25253A%25252F%25252Fu%252540h",
        ),
        (
            "http://h/?a=ftp://u:pw@h/&b=ftp%3A%2F%2Fv%3Apw%40i%2F",
            "http://h/?a=ftp://u:***@h/&b=ftp%3A%2F%2Fv%3A***%40i%2F",
            "http://h/?a=ftp://u@h/&b=ftp%3A%2F%2Fv%40i%2F",
        ),
        // Nested in a URL with its own login.
        (
            "ftp://a:pw@h/ftp://u:pw@i/",
            "ftp://a:***@h/ftp://u:***@i/",
            "ftp://a@h/ftp://u@i/",
        ),
        (
            "mailto:a@b?body=ftp://u:pw@h/",
            "mailto:a@b?body=ftp://u:***@h/",
            "mailto:a@b?body=ftp://u@h/",
        ),
        // Half encoded: too much is hidden rather than too little.
        (
            "prospero://h/ftp://u:pw@i;x=y:p@z",
            "prospero://h/ftp://u:***@i;x=y:p@z",
            "prospero://h/ftp://u@i;x=y:p@z",
        ),
        (
            "http://h/?u=ftp://u:pw%40h/",
            "http://h/?u=ftp://u:***%40h/",
            "http://h/?u=ftp://u%40h/",
        ),
    ] {
        let url = Dialect::Extended.parse(written).unwrap();
        assert!(url.has_secret(), "{written}");
        assert_eq!(url.masked(), masked);
        assert_eq!(rfc1738::mask(written), masked);
        assert_eq!(rfc1738::without_secrets(written), without);
        assert_eq!(url.masked_url().as_str(), masked);
        assert_eq!(rfc1738::mask(masked), masked);
        for shown in [
            format!("{url:?} {:?}", url.base_parts()),
            format!("{:?}", url.explanation()),
        ] {
            assert!(!shown.contains("pw") && !shown.contains("p%2Fw"), "{shown}");
        }
        // The sent URL is unchanged.
        assert_eq!(url.as_str(), written);
        assert!(url.without_password().as_str().contains('p'), "{written}");
        // And the masked text gets its passwords back.
        let back = rfc1738::with_secrets_of(masked, written);
        assert_eq!(back.as_deref(), Some(written));
    }
    for plain in [
        "http://h/?m=joe%40example.org&t=12:30",
        "http://h/?u=ftp%3A%2F%2Fu%40h%2F",
        "http://h/?u=ftp%3A%2F%2Fh%2Fa%3Ab%40c",
        "gopher://h/hURL:http://h:8080/a:b@c",
        "gopher://h/0/100%25a40:b@c",
        "news:a//b:c@h.org",
        // A semicolon of a prospero URL begins a field, and still does in the masked URL.
        "prospero://h/ho://a;OBJRSION=0;file:@&?=:@&",
    ] {
        let url = Dialect::Extended.parse(plain).unwrap();
        assert_eq!(url.masked(), plain);
        assert!(!url.has_secret(), "{plain}");
    }
}

#[test]
fn mask_of_a_nested_password_ends_at_the_next_part_of_a_gopher_url() {
    for (written, masked) in [
        (
            "gopher://h/7a%09ftp://u:p@h/%09b%0D%0A",
            "gopher://h/7a%09ftp://u:***@h/%09b%0D%0A",
        ),
        (
            "gopher://h/7a%09ftp://@@news:@@@%09ophe@opher://h/7a@@b%0D%0A",
            "gopher://h/7a%09ftp://@@news:***@%09ophe@opher://h/7a@@b%0D%0A",
        ),
    ] {
        let url = Dialect::Extended.parse(written).unwrap();
        assert_eq!(url.masked(), masked);
        assert!(Dialect::Extended.parse(masked).is_ok(), "{masked}");
    }
}

#[test]
fn masked_text_is_masked_once() {
    for text in [
        "url:prospero://haelnet://N=1;x?=1;x?:@&=?:@&",
        "prospero://haelnet://N=1;x?=1;x?:@&=?:@&",
    ] {
        let masked = rfc1738::mask(text);
        assert_eq!(rfc1738::mask(&masked), masked, "{text}");
    }
}

#[test]
fn masked_password_is_filled_from_the_stored_url() {
    let fill =
        |text, stored| rfc1738::with_secrets_of(text, stored).map(std::borrow::Cow::into_owned);
    let stored = "ftp://u:pw@h/a";
    assert_eq!(fill("ftp://u:***@h/b", stored).unwrap(), "ftp://u:pw@h/b");
    assert_eq!(fill("ftp://u:new@h/b", stored).unwrap(), "ftp://u:new@h/b");
    assert_eq!(fill("ftp://u@h/b", stored).unwrap(), "ftp://u@h/b");
    assert_eq!(fill("ftp://u:***@h/b", "ftp://u@h/a"), None);
    assert_eq!(fill("ftp://h/***", "ftp://u@h/a").unwrap(), "ftp://h/***");
}

#[test]
fn equal_urls_share_one_canonical_form() {
    for (written, canonical) in [
        (
            "FTP://User@HOST.Org:21/A%2fb;type=D",
            "ftp://User@host.org/A%2Fb;type=d",
        ),
        ("ftp://h:0021/%41%7e", "ftp://h/A%7E"),
        ("http://h:8080", "http://h:8080/"),
        ("http://h:00080", "http://h/"),
        ("gopher://h", "gopher://h/"),
        ("gopher://h:70/1", "gopher://h/"),
        ("gopher://h/%31", "gopher://h/"),
        ("gopher://h/1%09", "gopher://h/1%09"),
        ("gopher://h/0", "gopher://h/0"),
        ("telnet://h", "telnet://h/"),
        ("ftp://h", "ftp://h"),
        ("gopher://h/0%3f%2F", "gopher://h/0%3F%2F"),
        ("mailto:a%40B", "mailto:a%40B"),
        ("NEWS:Id%2b@Host", "news:Id+@Host"),
        ("file://LocalHost/x", "file://localhost/x"),
        ("X-Y:A%3a%41", "x-y:A%3AA"),
        ("HTTPS://H:443", "https://h/"),
        ("nntp://H:119/Comp.x/7", "nntp://h/Comp.x/7"),
    ] {
        let url = Url::parse(written).unwrap();
        assert_eq!(url.canonical().as_str(), canonical, "{written}");
    }
    let same = |a: &str, b: &str| {
        Url::parse(a)
            .unwrap()
            .is_same_resource(&Url::parse(b).unwrap())
    };
    assert!(same("gopher://H:70/1", "gopher://h"));
    assert!(!same("ftp://h/a%2Fb", "ftp://h/a/b"));
    assert!(!same("ftp://@h/", "ftp://h/"));
}

#[test]
fn valid_urls_report_their_hazards() {
    for (text, codes) in [
        ("gopher://h/1", ""),
        ("gopher://h:70/1", ""),
        ("gopher://h:7070/1", ""),
        ("gopher://h:25/0HELO", "port"),
        ("gopher://h:6379/0x", "port"),
        ("http://h:70/", "port"),
        ("gophers://h:70/", ""),
        ("x-mine://h:25/", "port"),
        ("nfs://h:2049/a", ""),
        ("NFS://h:25/a", "port"),
        ("z39.50r://h:210/db", ""),
        ("z39.50s://h:211/db", "port"),
        ("http://h:2049/", "port"),
        ("ftp://h/a%0D%0Ab", "line-break"),
        ("ftp://h/a%0a", "line-break"),
        // An answer for a Gemini server stays encoded.
        ("gemini://h/a?b%0Ac", ""),
        ("gemini://h/a%0Ab?c", "line-break"),
        ("ftp://h/a%00", "nul"),
        ("ftp://h/a%2500", ""),
        ("nntp://h/g%20X", "white-space"),
        ("nntp://h/g%09/7", "white-space"),
        ("nntps://h/g%0B", "white-space"),
        ("news:a%20b@c.example", "white-space"),
        ("news:comp.*%20x", "white-space"),
        ("snews://h/a%09b", "white-space"),
        ("finger://h/ada%20bob", "white-space"),
        ("finger://h/%2FW%20ada", ""),
        ("finger://h/%2Fw%20ada%09bob", "white-space"),
        ("ftp://h/a%20b%09c", ""),
        ("gopher://h/0a%20b%09c%20d", ""),
        ("http://h/a%20b", ""),
        ("ftp://u:p@h/", "password"),
        ("ftp://ftp.example.org@evil.example/", "user-like-host"),
        ("ftp://ada@h/", ""),
        ("ftp://a?b@h/", "ambiguous-host"),
        ("https://h.comを見て/", "mixed-scripts"),
        ("https://hを.com/", ""),
        ("ftp://ftp.example.org.@evil.example/", "user-like-host"),
        (
            "ftp://ftp_x.example.org&x=1@evil.example/",
            "user-like-host",
        ),
        ("ftp://ftp.example.org;x@evil.example/", "user-like-host"),
        ("ftp://localhost@evil.example/", "user-like-host"),
        ("ftp://ada.@h/", ""),
        ("ftp://.@h/", ""),
        ("finger://h:79/ada", ""),
        ("finger://h:25/ada", "port"),
        ("tn3270://u@h:23/x", ""),
        (
            "ftp://a.b:c?d@h:22/%00%0d",
            "line-break nul port password user-like-host ambiguous-host",
        ),
        (
            "gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Aone%0D%0Atwo%0D%0A.%0D%0A",
            "",
        ),
        ("gopher://h/0s%09%09+%091%0D%0A+-1%0D%0A.%0D%0A", ""),
        (
            "gopher://h/0s%09%09+%091%0D%0A+-1%0D%0A.%0D%0AQUIT%0D%0A.%0D%0A",
            "line-break",
        ),
        ("gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Aone", "line-break"),
        (
            "gopher://h/0s%09%09+%091%0D%0A+-1%0D%0Aone%0A.%0D%0A",
            "line-break",
        ),
        ("gopher://h/0s%09%09+%0D%0Ax", "line-break"),
    ] {
        let hazards = Dialect::Extended.parse(text).expect(text).hazards();
        let parts_text: Vec<&str> = hazards.iter().map(|hazard| hazard.code()).collect();
        assert_eq!(parts_text.join(" "), codes, "{text}");
    }
}
