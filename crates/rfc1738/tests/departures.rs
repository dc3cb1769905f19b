//! Departures from RFC 1738: the URLs that are opened anyway, and no others.

use proptest::prelude::*;
use rfc1738::{Departure, Dialect, Parts, Scheme, Url};

use super::oracle::{mutated, valid};
use super::{parts_text, rows};

fn codes(url: &Url) -> String {
    let codes: Vec<&str> = url.departures().iter().map(Departure::code).collect();
    codes.join(" ")
}

#[test]
fn departures_are_accepted_and_named_and_stay_invalid() {
    let mut wrong = Vec::new();
    for row in rows(include_str!("data/departures.txt")) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [text, expected_codes, at, parts] = fields[..] else {
            panic!("four fields: {row}");
        };
        let url = match Dialect::Extended.parse(text) {
            Ok(url) => url,
            Err(error) => {
                wrong.push(format!("{text}\n  {error}"));
                continue;
            }
        };
        assert_eq!(url.as_str(), text, "prints back as written");
        let fault = match url.verdict() {
            Ok(()) => "-".to_owned(),
            Err(error) => error.at.to_string(),
        };
        let has = [codes(&url), fault, parts_text(&url)];
        if has != [expected_codes, at, parts] {
            wrong.push(format!(
                "{text}\n  has   {has:?}\n  wants {:?}",
                [expected_codes, at, parts]
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_departure_has_an_example_and_an_rfc() {
    for departure in Departure::ALL {
        let of_it = |row: &&str| row.split('\t').nth(1).unwrap().contains(departure.code());
        let example = rows(include_str!("data/departures.txt")).find(of_it);
        assert!(example.is_some(), "{departure:?}");
        assert!(departure.sentence().contains("RFC"), "{departure:?}");
    }
}

#[test]
fn urls_no_document_allows_are_refused() {
    for (text, at) in [
        ("http://h/~ada", 9),
        ("http://[::1", 7),
        ("http://[::g]/", 7),
        ("http://[fe80::1%25eth0]/", 7),
        ("http://h../", 9),
        ("http://./", 7),
        ("http://a_b~c/", 8),
        ("http://-a_b/", 7),
        ("news:a@", 7),
        ("news:comp.*,!comp.x", 10),
        ("news:@b_c", 5),
        ("news://u@h/a.b", 7),
        ("nntp://h/", 9),
        ("nntp://h/a.b*", 12),
        ("news:a.b/", 8),
        ("news:a.b/-9", 8),
        ("news:a.b/x", 8),
        ("news:a.b/1-9-", 8),
        ("news:a.b/1/2", 8),
        ("news:a.*/1", 7),
        ("news:*/1", 6),
        ("nntp://h/a.b/", 13),
        ("nntp://h/a.b/-9", 13),
        ("nntp://h/a.b/1-x", 14),
        ("nntp://h/a.b/1,2", 14),
        ("file:x", 5),
        ("file://", 7),
        ("http://h?a/b", 8),
        ("ftp://h/a;TYPE=x", 15),
        ("ftp://h/a;TYPE=dd", 16),
        ("wais://h/db/TEXT/42/", 19),
        ("wais://h/db/TEXT/42/a=b;", 19),
        ("wais://h/db/TEXT/42/1=b;;", 19),
        ("wais://h/db/TEXT/42/1=b;x", 19),
        ("wais://h/db/TEXT/42/128=b", 19),
        ("wais://h/db/TEXT/42/1=b=c", 19),
        ("wais://h/db/TEXT/4x/1=b;", 19),
        ("x://h:/[", 7),
    ] {
        let error = Dialect::Extended.parse(text).expect_err(text);
        assert_eq!(error.at, at, "{text}: {error}");
    }
}

#[test]
fn extension_schemes_depart_only_from_the_generic_url() {
    // Valid by genericurl, so RFC 1738 has no objection.
    for text in [
        "https://h/?a/b",
        "gophers://a_b/1",
        "ftps://h:/a;TYPE=d",
        "nntps://h/3dfx",
    ] {
        let url = Url::parse(text).expect(text);
        assert!(url.departures().is_empty(), "{text}");
        assert!(!matches!(url.base_parts(), Parts::Other(_)), "{text}");
    }
    let url = Dialect::Extended.parse("gophers://[::1]/1a").unwrap();
    assert!(url.verdict().is_err());
    assert_eq!(codes(&url), "ipv6");
    assert_eq!(url.base_parts().address().unwrap().node(), "::1");
    // Of a scheme that Geomys does not open, nothing is accepted but what RFC 1738 allows.
    assert!(Dialect::Extended.parse("x-mine://[::1]/").is_err());
}

#[test]
fn departures_have_one_canonical_form() {
    for (written, canonical) in [
        ("GOPHER://[2001:DB8::1]:70/1", "gopher://[2001:db8::1]/"),
        ("ftp://h:/a;TYPE=D", "ftp://h/a;type=d"),
        ("file:/x", "file:///x"),
        ("NEWS://H:119/Comp.x", "news://h/Comp.x"),
        ("http://A_B./?%41/%2f", "http://a_b./?A/%2F"),
        ("news:%27c%2fEx", "news:%27c%2FEx"),
        ("nntp://h/%27%61", "nntp://h/%27%61"),
        ("nntp://h/a%2d%2f", "nntp://h/a-%2F"),
        (
            "WAIS://H:210/db/TEXT/9/1=a%2fb:1;3=",
            "wais://h/db/TEXT/%01%05a%2Fb%3A1%03%00",
        ),
    ] {
        let url = Dialect::Extended.parse(written).expect(written);
        assert_eq!(url.canonical().as_str(), canonical, "{written}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn valid_urls_are_accepted_without_departures(text in valid()) {
        let url = Dialect::Extended.parse(&text).unwrap();
        prop_assert!(url.verdict().is_ok());
        // Except for the two schemes that later documents define differently.
        if !matches!(url.scheme(), Scheme::Mailto | Scheme::News) {
            prop_assert!(url.departures().is_empty(), "{}", url);
            prop_assert_eq!(url.rfc1738_parts(), Parts::parse(&text).unwrap());
        }
    }

    #[test]
    fn accepted_urls_are_valid_or_have_departures(text in mutated()) {
        let Ok(url) = Dialect::Extended.parse(&text) else {
            prop_assert!(Url::parse(&text).is_err(), "{}", text);
            return Ok(());
        };
        prop_assert!(url.verdict().is_ok() || !url.departures().is_empty(), "{}", url);
        let canonical = url.canonical();
        prop_assert_eq!(Dialect::Extended.parse(canonical.as_str()), Ok(canonical.clone()));
        prop_assert_eq!(canonical.canonical(), canonical.clone());
        if url.verdict().is_ok() {
            prop_assert!(canonical.verdict().is_ok(), "{}", canonical);
        }
        for above in url.up().into_iter().chain(url.root()) {
            prop_assert_eq!(Dialect::Extended.parse(above.as_str()), Ok(above));
        }
    }
}
