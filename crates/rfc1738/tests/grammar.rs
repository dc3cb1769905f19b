//! A naive second implementation of section 5: a rule returns all offsets where it may end. The parser must agree.

use std::collections::BTreeSet;
use std::rc::Rc;

use proptest::prelude::*;
use rfc1738::{Scheme, Url};

use super::laws::{grammatical, nearly};

type Rule = Rc<dyn Fn(&[u8], usize) -> BTreeSet<usize>>;

fn octets(count: usize, test: impl Fn(&[u8]) -> bool + 'static) -> Rule {
    Rc::new(move |text, at| {
        let end = at + count;
        let fits = text.get(at..end).is_some_and(&test);
        fits.then_some(end).into_iter().collect()
    })
}

fn lit(word: &'static str) -> Rule {
    octets(word.len(), move |text| text == word.as_bytes())
}

fn any_case(word: &'static str) -> Rule {
    octets(word.len(), move |text| {
        text.eq_ignore_ascii_case(word.as_bytes())
    })
}

fn one_of(set: &'static str) -> Rule {
    octets(1, move |text| set.as_bytes().contains(&text[0]))
}

fn seq(rules: Vec<Rule>) -> Rule {
    Rc::new(move |text, at| {
        rules.iter().fold(BTreeSet::from([at]), |places, rule| {
            places
                .into_iter()
                .flat_map(|place| rule(text, place))
                .collect()
        })
    })
}

fn alt(rules: Vec<Rule>) -> Rule {
    Rc::new(move |text, at| rules.iter().flat_map(|rule| rule(text, at)).collect())
}

fn opt(rule: Rule) -> Rule {
    alt(vec![lit(""), rule])
}

fn many(least: usize, rule: Rule) -> Rule {
    Rc::new(move |text, at| {
        let mut ends = BTreeSet::new();
        let mut places = BTreeSet::from([at]);
        for round in 0.. {
            if round >= least {
                places.retain(|place| ends.insert(*place));
            }
            if places.is_empty() {
                break;
            }
            places = places.iter().flat_map(|place| rule(text, *place)).collect();
        }
        ends
    })
}

/// The ends of `rule` whose matched text passes `test`.
fn only(rule: Rule, test: impl Fn(&str) -> bool + 'static) -> Rule {
    Rc::new(move |text, at| {
        let mut ends = rule(text, at);
        ends.retain(|end| std::str::from_utf8(&text[at..*end]).is_ok_and(&test));
        ends
    })
}

const ALPHA: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGIT: &str = "0123456789";

fn alphadigit() -> Rule {
    alt(vec![one_of(ALPHA), one_of(DIGIT)])
}

fn digits() -> Rule {
    many(1, one_of(DIGIT))
}

fn escape() -> Rule {
    let hex = || alt(vec![one_of(DIGIT), one_of("ABCDEFabcdef")]);
    seq(vec![lit("%"), hex(), hex()])
}

fn uchar() -> Rule {
    alt(vec![
        alphadigit(),
        one_of("$-_.+"),
        one_of("!*'(),"),
        escape(),
    ])
}

fn uchar_or(more: &'static str) -> Rule {
    alt(vec![uchar(), one_of(more)])
}

fn xchar() -> Rule {
    uchar_or(";/?:@&=")
}

fn host() -> Rule {
    let inner = || many(0, alt(vec![alphadigit(), one_of("-")]));
    let short = |rule| only(rule, |label| label.len() <= 63);
    let domainlabel = short(alt(vec![
        alphadigit(),
        seq(vec![alphadigit(), inner(), alphadigit()]),
    ]));
    let toplabel = short(alt(vec![
        one_of(ALPHA),
        seq(vec![one_of(ALPHA), inner(), alphadigit()]),
    ]));
    let hostname = seq(vec![many(0, seq(vec![domainlabel, lit(".")])), toplabel]);
    let group = || {
        only(digits(), |group| {
            group.len() <= 3 && group.parse::<u16>().unwrap() <= 255
        })
    };
    let hostnumber = seq(vec![
        group(),
        lit("."),
        group(),
        lit("."),
        group(),
        lit("."),
        group(),
    ]);
    only(alt(vec![hostname, hostnumber]), |host| host.len() <= 255)
}

fn hostport() -> Rule {
    let port = only(digits(), |port| {
        let port = port.trim_start_matches('0');
        port.len() <= 5 && format!("0{port}").parse::<u32>().unwrap() <= 65535
    });
    seq(vec![host(), opt(seq(vec![lit(":"), port]))])
}

fn login() -> Rule {
    let name = || many(0, uchar_or(";?&="));
    seq(vec![
        opt(seq(vec![
            name(),
            opt(seq(vec![lit(":"), name()])),
            lit("@"),
        ])),
        hostport(),
    ])
}

fn fpath() -> Rule {
    many(0, uchar_or("?:@&=/"))
}

fn group() -> Rule {
    seq(vec![
        one_of(ALPHA),
        many(0, alt(vec![alphadigit(), one_of("-.+_")])),
    ])
}

fn url() -> Rule {
    let search = || many(0, uchar_or(";:@&="));
    let sent = || {
        only(xchar(), |c| {
            !["%09", "%0A", "%0D"].contains(&&*c.to_ascii_uppercase())
        })
    };
    let ftp = seq(vec![
        any_case("ftp"),
        lit("://"),
        login(),
        opt(seq(vec![
            lit("/"),
            fpath(),
            opt(seq(vec![lit(";type="), one_of("AIDaid")])),
        ])),
    ]);
    let file = seq(vec![
        any_case("file"),
        lit("://"),
        opt(host()),
        lit("/"),
        fpath(),
    ]);
    let http = seq(vec![
        any_case("http"),
        lit("://"),
        hostport(),
        opt(seq(vec![
            lit("/"),
            many(0, uchar_or(";:@&=/")),
            opt(seq(vec![lit("?"), search()])),
        ])),
    ]);
    let plus = opt(seq(vec![lit("%09"), many(0, xchar())]));
    let fields = opt(seq(vec![lit("%09"), many(0, sent()), plus]));
    let gopher = seq(vec![
        any_case("gopher"),
        lit("://"),
        hostport(),
        opt(seq(vec![
            lit("/"),
            opt(seq(vec![sent(), many(0, sent()), fields])),
        ])),
    ]);
    let mailto = seq(vec![any_case("mailto"), lit(":"), many(1, xchar())]);
    let article = seq(vec![many(1, uchar_or(";/?:&=")), lit("@"), host()]);
    let news = seq(vec![
        any_case("news"),
        lit(":"),
        alt(vec![lit("*"), group(), article]),
    ]);
    let nntp = seq(vec![
        any_case("nntp"),
        lit("://"),
        hostport(),
        lit("/"),
        group(),
        opt(seq(vec![lit("/"), digits()])),
    ]);
    let telnet = seq(vec![any_case("telnet"), lit("://"), login(), opt(lit("/"))]);
    let word = || many(0, uchar());
    let wais = seq(vec![
        any_case("wais"),
        lit("://"),
        hostport(),
        lit("/"),
        word(),
        alt(vec![
            lit(""),
            seq(vec![lit("?"), search()]),
            seq(vec![lit("/"), word(), lit("/"), word()]),
        ]),
    ]);
    let field = || many(0, uchar_or("?:@&"));
    let prospero = seq(vec![
        any_case("prospero"),
        lit("://"),
        hostport(),
        lit("/"),
        fpath(),
        many(0, seq(vec![lit(";"), field(), lit("="), field()])),
    ]);
    let scheme = only(many(1, alt(vec![alphadigit(), one_of("+-.")])), |name| {
        Scheme::ALL
            .iter()
            .all(|scheme| !scheme.name().eq_ignore_ascii_case(name))
    });
    let other = seq(vec![scheme, lit(":"), many(0, xchar())]);
    alt(vec![
        ftp, file, http, gopher, mailto, news, nntp, telnet, wais, prospero, other,
    ])
}

fn matches(text: &str) -> bool {
    url()(text.as_bytes(), 0).contains(&text.len())
}

#[test]
fn naive_matcher_agrees_with_the_data_files() {
    for row in super::rows(include_str!("data/good.txt")) {
        let text = row.split('\t').next().unwrap();
        assert!(matches(text), "{text}");
    }
    for row in super::rows(include_str!("data/bad.txt")) {
        // Control pictures are as invalid as the controls.
        let text = row.split('\t').next().unwrap();
        assert!(!matches(text), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parser_equals_naive_matcher(text in prop_oneof![grammatical(), nearly(), swapped()]) {
        prop_assert_eq!(Url::parse(&text).is_ok(), matches(&text), "{}", text);
    }
}

/// A URL with some characters put in the place of others, so that separators go where they do not belong.
pub(super) fn swapped() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        "[/:;?@=.%#&a0-9*-]|%09|;type=[adx]|//|:[0-9]{4,6}",
    );
    (grammatical(), prop::collection::vec(change, 1..4)).prop_map(|(mut text, changes)| {
        for (at, put) in changes {
            let at = at.index(text.len());
            text.replace_range(at..=at, &put);
        }
        text
    })
}
