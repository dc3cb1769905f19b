//! Properties of all URLs, and of all texts.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use rfc1738::{
    Dialect, ExtensionScheme, FtpType, GroupPart, Guesses, News, Parts, Scheme, Url, links_in_text,
    parse_or_repair, parse_typed, repair, strip_wrapper,
};

use super::oracle::{mutated, of_server, valid};

/// Returns true for the characters of `xchar` and the sign of its escapes.
fn may_stand_in_a_url(octet: u8) -> bool {
    octet.is_ascii_alphanumeric() || b"$-_.+!*'(),;/?:@&=%".contains(&octet)
}

fn decoded(text: &str) -> Vec<u8> {
    rfc1738::decode(text).into_owned()
}

/// Pieces of texts that have logins in and beside URLs.
const PIECES: &[&str] = &[
    ":", ":", "@", "@", "//", "://", "/", ";", "=", "?", "&", "%3A", "%40", "%2F", "%25", "%09",
    "url:", "ftp", "http", "gopher", "news", "mailto", "prospero", "telnet", "h", "1", "~", " ",
    "<", ">", "***",
];

/// Returns the names of the schemes whose URLs may have a server.
fn schemes() -> Vec<&'static str> {
    let own = Scheme::ALL.into_iter().map(Scheme::name);
    let own = own.filter(|scheme| *scheme != "mailto");
    own.chain(ExtensionScheme::ALL.into_iter().map(ExtensionScheme::name))
        .collect()
}

#[test]
fn masks_that_touch_are_one() {
    let text = "spartan://h.o777777777777777777777777777771ffinhttps://news:#%ccorg%6Efz:@helnetr://h/fffffffff:23le://:@loct(m@elnfitp:/f/z:@helnexr://h/:23lhers:////fz:@helnetr:/2h/:23le://:@l://a23stethm@elnfitp:~//fz77777777777777777777777777777777777777777773ffffffffffffff7777777777777777777777777777777777777777777777777777777777777778fffff:@helnetr://h/:23le://:@l://f777777";
    let masked = rfc1738::mask(text);
    assert_eq!(rfc1738::mask(&masked), masked);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn grammatical_urls_parse_and_print_back(text in valid()) {
        match Url::parse(&text) {
            Ok(url) => prop_assert_eq!(url.to_string(), text),
            Err(error) => prop_assert!(false, "{}\n{}", text, error.caret()),
        }
    }

    #[test]
    fn canonical_form_is_idempotent_and_equivalent(text in valid()) {
        let url = Url::parse(&text).unwrap();
        let canonical = url.canonical();
        prop_assert_eq!(canonical.canonical(), canonical.clone());
        prop_assert_eq!(url.scheme(), canonical.scheme());
        prop_assert!(url.is_same_resource(&canonical));
        if let (Parts::Ftp(a), Parts::Ftp(b)) = (url.rfc1738_parts(), canonical.rfc1738_parts()) {
            let octets = |ftp: rfc1738::Ftp<'_>| ftp.segments().map(|part| part.octets().into_owned()).collect::<Vec<_>>();
            prop_assert_eq!(octets(a), octets(b));
            prop_assert_eq!(a.kind, b.kind);
            prop_assert_eq!(a.login.user.map(|user| user.octets().into_owned()), b.login.user.map(|user| user.octets().into_owned()));
            prop_assert_eq!(a.login.address.port(), b.login.address.port());
        }
    }

    #[test]
    fn faults_are_inside_the_text_after_valid_octets(text in mutated()) {
        if let Err(error) = Url::parse(&text) {
            prop_assert!(error.at + error.len <= text.len(), "{:?}", error);
            // The leftmost fault: all before it could stand in a URL.
            prop_assert!(text.bytes().take(error.at).all(may_stand_in_a_url), "{error:?}");
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn any_octets_parse_without_panic(octets in vec(any::<u8>(), 0..64), text in "\\PC{0,40}", near in mutated()) {
        if let Err(error) = Dialect::Rfc1738.parse(&octets) {
            prop_assert!(error.at + error.len <= octets.len());
        }
        for text in [&text, &near] {
            let _ = parse_typed(text, Guesses::default());
            if let Ok(url) = Url::parse(text) {
                let _ = (url.up(), url.root(), url.masked(), url.explanation(), url.base_parts(), format!("{url:?}"));
            }
        }
        let _ = links_in_text(&octets).count();
    }

    #[test]
    fn found_urls_are_in_text_order(words in vec(prop_oneof![mutated(), "[ <>.,:#\n-]{0,3}", "<?[uU]RL:"], 0..6)) {
        let text = words.join(" ");
        let mut end = 0;
        for found in links_in_text(text.as_bytes()) {
            prop_assert!(found.range.start >= end && found.range.end <= text.len() && found.range.start < found.range.end);
            end = found.range.end;
        }
    }

    #[test]
    fn repaired_url_is_valid_and_equivalent(text in mutated()) {
        if let Some(url) = repair(&text) {
            prop_assert_eq!(repair(url.as_str()), Some(url.clone()));
            prop_assert_eq!(Url::parse(url.as_str()).unwrap(), url.clone());
            // Repair may drop a fragment, wrappers, white space at the ends, the colon of an empty port.
            let fragment = text.contains('#');
            let empty_port = text.replacen("://", "", 1).contains(":/") || text.ends_with(':');
            // It may insert the slash before a query.
            let slashless = text.split('/').nth(2).is_some_and(|place| place.contains('?'));
            // Slips before the host, and a login of the Web, are undone.
            let before_host = url.as_str().split_inclusive("//").next().unwrap_or_default();
            let starts_alike = text.starts_with(before_host) || !before_host.ends_with("//");
            let slip = !starts_alike || text.contains(":///") || text.contains(['[', '\\']) || url.as_str().starts_with("http") && text.contains('@');
            if !slip && !fragment && !empty_port && !slashless && !text.contains(['<', '>']) && text.trim() == text {
                prop_assert_eq!(decoded(url.as_str()), decoded(&text));
            }
        }
    }

    #[test]
    fn slip_before_the_host_is_undone_for_each_scheme(
        scheme in prop::sample::select(schemes()),
        host in "[a-z]{1,6}(\\.[a-z]{2,4}){0,2}(:[1-9][0-9])?",
        path in prop_oneof!["", "[a-z0-9]{1,5}(/[a-z0-9]{1,3}){0,2}/?"],
    ) {
        let meant = format!("{scheme}://{host}/{path}");
        let is_valid = Dialect::ExtendedByBase.parse(&meant).is_ok();
        let is_file = scheme == "file";
        // One slash before a group means no server, and a file has a path of its own after one slash and after three.
        let is_group = ["news", "snews"].contains(&scheme) && !path.trim_end_matches('/').contains(char::is_alphanumeric);
        let slips = ["//", ";//", ":/", ":///"].into_iter().take(if is_file { 2 } else { 4 });
        for separator in slips.filter(|_| is_valid && !is_group) {
            let slip = format!("{scheme}{separator}{host}/{path}");
            let url = parse_or_repair(&slip);
            prop_assert_eq!(url.map(|url| url.to_string()), Ok(meant.clone()), "{}", slip);
            // The repair is strict, where RFC 1738 has such a URL.
            if Url::parse(&meant).is_ok() {
                prop_assert_eq!(repair(&slip).map(|url| url.to_string()), Some(meant.clone()), "{}", slip);
            }
        }
        // What is right stays.
        if is_valid {
            prop_assert_eq!(parse_or_repair(&meant).map(|url| url.to_string()), Ok(meant));
        }
    }

    #[test]
    fn stripping_wrappers_is_idempotent(text in "([ <>]|<?[uU][rR][lL]:|\\PC){0,8}") {
        let once = strip_wrapper(text.as_bytes());
        prop_assert_eq!(strip_wrapper(once), once);
        prop_assert!(std::str::from_utf8(once).is_ok());
    }

    #[test]
    fn gopher_items_keep_their_octets(
        host in of_server("host"),
        port in any::<u16>(),
        gtype in any::<u8>(),
        selector in vec(any::<u8>(), 0..24),
        search in option::of(vec(any::<u8>(), 0..12)),
        plus in option::of(vec(any::<u8>(), 0..12)),
    ) {
        let refused = |octets: &[u8]| octets.iter().any(|octet| b"\t\r\n".contains(octet));
        let hopeless = refused(&[gtype]) || refused(&selector) || search.as_deref().is_some_and(refused);
        let mut item = Url::gopher(&host, port, gtype, &selector);
        if let Some(words) = &search {
            item = item.and_then(|item| item.with_search(words));
        }
        if let Some(plus) = &plus {
            item = item.and_then(|item| item.with_plus(plus));
        }
        match item {
            Err(_) => prop_assert!(hopeless),
            Ok(url) => {
                prop_assert!(!hopeless);
                let Parts::Gopher(gopher) = url.rfc1738_parts() else { panic!() };
                prop_assert_eq!(gopher.address.host, host);
                prop_assert_eq!(gopher.address.port(), port);
                prop_assert_eq!(gopher.item_type(), gtype);
                prop_assert_eq!(&*gopher.selector.octets(), &*selector);
                let given = search.or_else(|| plus.is_some().then(Vec::new));
                prop_assert_eq!(gopher.search.map(|part| part.octets().into_owned()), given);
                prop_assert_eq!(gopher.plus.map(|part| part.octets().into_owned()), plus);
            }
        }
    }

    #[test]
    fn children_keep_their_octets_and_up_returns(names in vec(vec(any::<u8>(), 1..10), 1..5)) {
        let mut here = Url::parse("ftp://h.org/").unwrap();
        for name in &names {
            here = here.child(name, Some(FtpType::Directory)).unwrap();
        }
        {
            let Parts::Ftp(ftp) = here.rfc1738_parts() else { panic!() };
            let segments: Vec<_> = ftp.segments().map(|part| part.octets().into_owned()).collect();
            prop_assert_eq!(segments, names.clone());
        }
        // A first name that starts with a slash is an absolute path, and is handled separately.
        if !names[0].starts_with(b"/") {
            for _ in &names {
                here = here.up().unwrap();
            }
            prop_assert_eq!(here.as_str(), "ftp://h.org/;type=d");
            prop_assert_eq!(here.up(), None);
        }
    }

    #[test]
    fn message_ids_keep_their_octets(unique in vec(any::<u8>(), 1..16), host in of_server("host")) {
        let id = [&unique[..], b"@", host.as_bytes()].concat();
        let url = Url::news_article(&id).unwrap();
        let Parts::News(News { part: GroupPart::Article(article), .. }) = url.rfc1738_parts() else { panic!() };
        prop_assert_eq!(&*article.id.octets(), &*id);
        prop_assert_eq!(article.host, host);
    }

    #[test]
    fn masked_url_holds_no_password(hostport in of_server("hostport"), password in "[a-z]{6,9}") {
        let text = format!("ftp://user:{password}@{hostport}/");
        let url = Url::parse(&text).unwrap();
        let Parts::Ftp(ftp) = url.rfc1738_parts() else { panic!() };
        prop_assume!(!ftp.login.address.text.contains(&password));
        prop_assert!(!url.masked().contains(&password));
        prop_assert!(Url::parse(&url.masked()).is_ok());
        prop_assert!(!url.without_password().has_password());
    }

    #[test]
    fn masked_text_is_masked_once(
        pieces in vec(prop::sample::select(PIECES), 1..24),
    ) {
        let text = pieces.concat();
        let masked = rfc1738::mask(&text);
        prop_assert_eq!(rfc1738::mask(&masked), &*masked, "{}", text);
    }

    #[test]
    fn masked_nested_url_holds_no_password(
        password in "[a-z]{6,9}",
        tail in "[a-z&=.-]{0,6}",
        levels in vec(any::<bool>(), 0..4),
    ) {
        let mut text = format!("ftp://user:{password}@host.example/{tail}");
        for in_query in levels {
            let nested = rfc1738::encoded(text.as_bytes());
            text = if in_query {
                format!("http://h/?u={nested}&x=1")
            } else {
                format!("gopher://h/hURL:{text}")
            };
        }
        let url = Dialect::Extended.parse(&text).unwrap();
        let masked = url.masked().into_owned();
        prop_assert!(!masked.contains(&password), "{masked}");
        prop_assert!(Dialect::Extended.parse(&masked).is_ok());
        prop_assert_eq!(rfc1738::mask(&masked), &*masked);
        let without = rfc1738::without_secrets(&text);
        prop_assert!(!without.contains(&password) && without.contains("user"));
        prop_assert!(!Dialect::Extended.parse(&*without).unwrap().has_secret());
        let back = rfc1738::with_secrets_of(&masked, &text).unwrap();
        prop_assert_eq!(back, text);
    }
}
