//! An oracle made of the productions of RFC 1738, section 5, as the RFC prints them: `Url::parse` gives the same
//! verdict.
//!
//! Where the parser is narrower than the productions, the reason is a [`Reading`], with a text that shows it. Where it
//! is wider in another dialect, the reason is a `Departure`.

mod automaton;
mod bnf;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::collection::vec;
use proptest::prelude::*;
use rfc1738::{Dialect, Scheme, Url};

use self::automaton::Automaton;
use self::bnf::{Expression, Grammar};
use super::rows;

static GRAMMAR: LazyLock<Grammar> =
    LazyLock::new(|| bnf::grammar(include_str!("data/rfc1738.bnf")));

/// The automata of the alternatives of `url`, by the name of their scheme.
static AUTOMATA: LazyLock<BTreeMap<String, Automaton>> = LazyLock::new(|| {
    let of_scheme = |name: &str| {
        let scheme = name.strip_suffix("url").expect(name).to_owned();
        (scheme, Automaton::new(&GRAMMAR, name))
    };
    productions().iter().map(|name| of_scheme(name)).collect()
});

/// The names of the alternatives of `url`.
fn productions() -> Vec<&'static str> {
    let Expression::Alternatives(all) = &GRAMMAR["url"] else {
        panic!("url has alternatives")
    };
    let name = |part: &'static Expression| match part {
        Expression::Sequence(all) => match &all[..] {
            [Expression::Name(name)] => &**name,
            _ => panic!("{part:?}"),
        },
        _ => panic!("{part:?}"),
    };
    all.iter().map(name).collect()
}

/// A rule of RFC 1738 that its productions do not show, or a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// "New schemes follow the general syntax": a scheme with a production of its own is no `otherurl`.
    OwnProduction,
    /// A label has at most 63 octets, and a host 255 (section 3.1 refers to RFC 1034 and RFC 1123, section 2.1).
    HostLength,
    /// A `hostnumber` is an IP address: four groups of one to three digits, up to 255 (section 3.1).
    AddressGroups,
    /// A port is a number of 16 bits (RFC 793).
    PortNumber,
    /// The selector and the search are lines of the protocol, and the first tab after the type ends the selector: no
    /// tab as the type, no line break in type, selector or search (sections 3.4.1 and 6).
    GopherLine,
}

/// A text of which the productions allow more than the parser, by each reading.
const NARROWER: [(Reading, &str); 5] = [
    (Reading::OwnProduction, "ftp:a"),
    (
        Reading::HostLength,
        "http://aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg/",
    ),
    (Reading::AddressGroups, "gopher://1.2.3.256/"),
    (Reading::PortNumber, "telnet://h:65536/"),
    (Reading::GopherLine, "gopher://h/0a%0D%0Ab"),
];

/// The scheme of a text in lower case ("interpreters should use case-ignore"), and the text with it.
fn folded(text: &str) -> (String, String) {
    let (scheme, rest) = text.split_once(':').unwrap_or((text, ""));
    let scheme = scheme.to_ascii_lowercase();
    let colon = if text.contains(':') { ":" } else { "" };
    (scheme.clone(), format!("{scheme}{colon}{rest}"))
}

/// Returns true if the productions of section 5 derive the text, with the one of its scheme.
fn derives(text: &str) -> bool {
    let (scheme, text) = folded(text);
    let own = AUTOMATA.get(&scheme).unwrap_or(&AUTOMATA["other"]);
    own.matches(text.as_bytes())
}

/// The reading that refuses a text of the productions.
fn refusal(text: &str) -> Option<Reading> {
    let (scheme, text) = folded(text);
    if Scheme::named(&scheme) == Scheme::Other {
        return None;
    }
    let rest = &text[scheme.len() + 1..];
    let (hostport, path) = match (&*scheme, rest.strip_prefix("//")) {
        ("mailto", _) => return None,
        ("news", _) => (rest.rsplit_once('@').map_or("", |(_, host)| host), ""),
        (_, Some(rest)) => rest.split_once('/').unwrap_or((rest, "")),
        (_, None) => return None,
    };
    let hostport = hostport.rsplit('@').next().unwrap();
    let (host, port) = hostport.split_once(':').unwrap_or((hostport, ""));
    let is_number = host
        .bytes()
        .all(|octet| octet.is_ascii_digit() || octet == b'.');
    let is_group = |group: &str| group.len() <= 3 && group.parse::<u8>().is_ok();
    let has_break = |field: &str| {
        let field = field.to_ascii_uppercase();
        field.contains("%0A") || field.contains("%0D")
    };
    if !host.is_empty() && is_number && !host.split('.').all(is_group) {
        Some(Reading::AddressGroups)
    } else if host.len() > 255 || host.split('.').any(|label| label.len() > 63) {
        Some(Reading::HostLength)
    } else if port.trim_start_matches('0').len() > 5
        || port.parse::<u64>().is_ok_and(|port| port > 65535)
    {
        Some(Reading::PortNumber)
    } else if scheme == "gopher"
        && (path.starts_with("%09") || path.splitn(3, "%09").take(2).any(has_break))
    {
        Some(Reading::GopherLine)
    } else {
        None
    }
}

/// Returns true if RFC 1738 allows the text: its productions, as they are read here.
fn is_valid(text: &str) -> bool {
    derives(text) && refusal(text).is_none()
}

/// A text that `expression` derives, by numbers that decide at each alternative.
fn walk(expression: &Expression, dice: &mut impl FnMut() -> usize, text: &mut String) {
    match expression {
        Expression::Literal(word) => text.push_str(word),
        Expression::Name(name) => walk(&GRAMMAR[name], dice, text),
        Expression::Sequence(all) => all.iter().for_each(|part| walk(part, dice, text)),
        Expression::Alternatives(all) => walk(&all[dice() % all.len()], dice, text),
        Expression::Optional(inside) => {
            if dice().is_multiple_of(2) {
                walk(inside, dice, text);
            }
        }
        Expression::Repeated(least, inside) => {
            // Sometimes more than a label may have.
            let more = match dice() % 64 {
                0 => 70,
                more => more % 5,
            };
            (0..least + more).for_each(|_| walk(inside, dice, text));
        }
    }
}

/// Texts that a production derives.
fn derived(production: &'static str) -> impl Strategy<Value = String> + Clone {
    any::<u64>().prop_map(move |seed| {
        // A xorshift: the same numbers for the same seed.
        let mut state = seed | 1;
        let mut dice = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state >> 33).unwrap()
        };
        let mut text = String::new();
        walk(&GRAMMAR[production], &mut dice, &mut text);
        text
    })
}

/// URLs of RFC 1738, of each of its productions in equal parts.
pub(super) fn valid() -> impl Strategy<Value = String> {
    prop::sample::select(productions())
        .prop_flat_map(derived)
        .prop_filter("no text of a reading", |text| is_valid(text))
}

/// Hosts, with or without a port, as a production derives them.
pub(super) fn of_server(production: &'static str) -> impl Strategy<Value = String> + Clone {
    derived(production).prop_filter("no text of a reading", |text| {
        is_valid(&format!("http://{text}/"))
    })
}

/// Texts of the productions with some characters inserted, replaced or removed.
pub(super) fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..3_usize,
        "[/:;?@=.%#&a0-9*-]|%0[09AD]|;type=[adx]|//|:[0-9]{4,6}|[ -~]|\\PC",
    );
    let text = prop::sample::select(productions()).prop_flat_map(derived);
    (text, vec(change, 1..4)).prop_map(|(mut text, changes)| {
        for (at, kind, put) in changes {
            let at = at.index(text.len() + 1);
            let at = (0..=at)
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap();
            let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
            match kind {
                0 => text.insert_str(at, &put),
                1 => text.replace_range(at..end, &put),
                _ => text.replace_range(at..end, ""),
            }
        }
        text
    })
}

#[test]
fn productions_of_section_5_are_those_of_the_ten_schemes_and_others() {
    let mut names: Vec<_> = Scheme::ALL.iter().map(|scheme| scheme.name()).collect();
    names.push("other");
    names.sort_unstable();
    assert_eq!(AUTOMATA.keys().collect::<Vec<_>>(), names);
    assert_eq!(GRAMMAR.len(), 67);
}

#[test]
fn readings_refuse_what_the_productions_allow() {
    for (reading, text) in NARROWER {
        let other = AUTOMATA["other"].matches(text.as_bytes());
        assert!(
            derives(text) || reading == Reading::OwnProduction && other,
            "{text}"
        );
        assert_eq!(
            refusal(text),
            Some(reading).filter(|_| derives(text)),
            "{text}"
        );
        assert!(Url::parse(text).is_err(), "{text}");
    }
}

#[test]
fn oracle_agrees_with_the_data_files() {
    for row in rows(include_str!("data/good.txt")) {
        let text = row.split('\t').next().unwrap();
        assert!(is_valid(text), "{text}");
    }
    for row in rows(include_str!("data/bad.txt")) {
        // Control pictures are as invalid as the controls.
        let text = row.split('\t').next().unwrap();
        assert!(!is_valid(text), "{text}");
    }
    for row in rows(include_str!("data/departures.txt")) {
        let fields: Vec<&str> = row.split('\t').collect();
        assert_eq!(is_valid(fields[0]), fields[2] == "-", "{row}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn derived_text_gets_the_verdict_of_the_oracle(text in prop::sample::select(productions()).prop_flat_map(derived)) {
        prop_assert!(derives(&text), "{}", text);
        prop_assert_eq!(Url::parse(&text).is_ok(), is_valid(&text), "{}", text);
    }

    #[test]
    fn mutated_text_gets_the_verdict_of_the_oracle(text in mutated()) {
        prop_assert_eq!(Url::parse(&text).is_ok(), is_valid(&text), "{}", text);
    }

    #[test]
    fn what_the_oracle_refuses_is_accepted_only_with_a_departure(text in mutated()) {
        if let Ok(url) = Dialect::Extended.parse(&text) {
            prop_assert!(is_valid(&text) || url.departures().iter().next().is_some(), "{}", text);
        } else {
            prop_assert!(!is_valid(&text), "{}", text);
        }
    }
}
