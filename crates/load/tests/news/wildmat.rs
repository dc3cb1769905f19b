//! Patterns of names (RFC 3977, section 4), and the filter of a list of groups that takes them.

use geomys_page::document::find::FilterQuery;
use geomys_page::document::{Arrangement, Document, Shape};
use geomys_wire::protocol::nntp::Wildmat;
use geomys_wire::text::CharsetSetting;
use proptest::prelude::*;
use rfc1738::Url;

fn fits(pattern: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> bool {
    Wildmat::parse(pattern.as_ref()).matches(name.as_ref())
}

#[test]
fn wildmat_patterns_match_expected_names() {
    for (pattern, fit, unfit) in [
        // The example of section 4.2.
        ("a*,!*b,*c*", "aaa abc ccb xxcxx", "ab aab xxx"),
        // Exact match without wildcards.
        (
            "comp.lang.c",
            "comp.lang.c",
            "comp.lang.c++ comp.lang xcomp.lang.c comp-lang.c",
        ),
        (
            "comp.lang.c,comp.lang.c++",
            "comp.lang.c comp.lang.c++",
            "comp.lang.d",
        ),
        ("*", "a comp.lang.c", ""),
        ("comp.*", "comp.x comp.x.y comp.", "comp xcomp.x"),
        ("*.c", "a.c a.b.c .c", "a.cc c"),
        ("a*b*c", "abc axbxc abcbc aXbYbc", "ab acb abcd"),
        ("a**b", "ab axb", "a b"),
        // One character, of any number of octets.
        ("?", "a é € 😀", "aa éé"),
        ("a.?", "a.b a.ü", "a. a.bb a"),
        ("??", "ab éa 😀😀", "é a abc"),
        ("*?", "a ab é", ""),
        // The last matching pattern decides.
        ("comp.*,!comp.os.*", "comp.x comp.os", "comp.os.x alt.x"),
        (
            "comp.*,!comp.os.*,comp.os.linux",
            "comp.x comp.os.linux",
            "comp.os.x",
        ),
        ("!comp.os.*,comp.*", "comp.os.x comp.x", "alt.x"),
        ("*,!*", "", "a b"),
        ("!a", "", "a b"),
        // Empty patterns match nothing and have no effect.
        ("", "", "a"),
        (",", "", "a ,"),
        ("!", "", "a !"),
        ("a,,b, c", "a b c", "d"),
        ("a,!", "a", "b"),
        // Brackets and backslashes are literal.
        ("[ab]", "[ab]", "a b"),
        ("a\\*", "a\\ a\\x", "a* ax"),
        // A `!` after the first character is literal.
        ("a!b", "a!b", "a b"),
        ("!!a,*", "a !a", ""),
        // Case-sensitive.
        ("Comp.*", "Comp.x", "comp.x"),
    ] {
        for name in fit.split_whitespace() {
            assert!(fits(pattern, name), "{pattern} and {name}");
        }
        for name in unfit.split_whitespace() {
            assert!(!fits(pattern, name), "{pattern} and {name}");
        }
    }
    // The empty name, and octets that are no UTF-8.
    assert!(fits("*", "") && !fits("?", "") && !fits("", ""));
    assert!(fits("?", [0xE9]) && fits("??", [0xE2, 0x82]) && fits("a?c", [b'a', 0xFF, b'c']));
}

#[test]
fn pattern_of_many_stars_is_fast() {
    let pattern = format!("{}b", "a*".repeat(200));
    assert!(!fits(pattern, "a".repeat(20_000)));
}

proptest! {
    #[test]
    fn wildmat_equals_naive_matcher(pattern in "[ab*?,!é]{0,8}", name in "[abé]{0,6}") {
        /// By the letter of section 4.2, one character after the other.
        fn slow(pattern: &[char], name: &[char]) -> bool {
            match (pattern, name) {
                ([], []) => true,
                (['*', rest @ ..], _) => (0..=name.len()).any(|skip| slow(rest, &name[skip..])),
                (['?', rest @ ..], [_, left @ ..]) => slow(rest, left),
                ([item, rest @ ..], [character, left @ ..]) => item == character && slow(rest, left),
                (_, _) => false,
            }
        }
        let letters: Vec<char> = name.chars().collect();
        let mut expected = false;
        for part in pattern.split(',') {
            let (negated, part) = part.strip_prefix('!').map_or((false, part), |rest| (true, rest));
            let part: Vec<char> = part.chars().collect();
            if !part.is_empty() && slow(&part, &letters) {
                expected = !negated;
            }
        }
        prop_assert_eq!(fits(&pattern, &name), expected);
    }

    #[test]
    fn any_octets_match_without_panic(pattern: Vec<u8>, name: Vec<u8>) {
        fits(&pattern, &name);
        prop_assert!(fits(b"*", &name));
    }
}

/// The groups of a list that match a filter.
fn filtered(words: &str) -> String {
    let mut list = Document::new(
        Url::parse("news:*").unwrap(),
        Shape::Groups,
        CharsetSetting::default(),
    );
    list.append(
        b"comp.lang.c 9 1 y\ncomp.os.minix 9 1 y\ncomp.os.linux 9 1 y\nalt.Test 9 1 y\n.\n\
          alt.Test What? Tests of all.\ncomp.lang.c The language C, of course\n",
    );
    list_of(&list.finished(), words)
}

fn list_of(list: &Document, words: &str) -> String {
    // As it is typed: letter by letter.
    let mut list = list.clone();
    for end in 1..=words.len() {
        let filter = FilterQuery::new(&words[..end]);
        list = list.arranged(Arrangement {
            filter,
            ..Arrangement::default()
        });
    }
    let rows = (0..list.count()).map(|row| list.row(row).unwrap().text());
    let names = rows.map(|row| row.split_whitespace().next().unwrap().to_owned());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn group_filter_takes_words_and_patterns() {
    for (words, expected) in [
        ("os", "comp.os.minix comp.os.linux"),
        ("course", "comp.lang.c"),
        ("comp.os.*", "comp.os.minix comp.os.linux"),
        ("comp.*,!comp.os.*", "comp.lang.c"),
        ("comp.*,!comp.os.*,*linux", "comp.lang.c comp.os.linux"),
        ("*.test", "alt.Test"),
        ("comp.???.*", ""),
        ("comp.??.*", "comp.os.minix comp.os.linux"),
        ("comp.lang.c,alt.test", "comp.lang.c alt.Test"),
        // A pattern that begins with an exclusion includes everything else.
        ("!comp.*", "alt.Test"),
        ("!*.c,!alt.*", "comp.os.minix comp.os.linux"),
        // A pattern matches the whole name, and not the description.
        ("lang*", ""),
        ("*course", ""),
        // Intermediate input removes no rows permanently.
        ("alt.*,*x", "comp.os.minix comp.os.linux alt.Test"),
    ] {
        assert_eq!(filtered(words), expected, "{words}");
    }
}
