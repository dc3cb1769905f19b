//! The fuzzy filter of bookmarks.

use geomys_store::bookmarks::FuzzyIndex;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const LIST: &str = "\
# Gopher
Floodgap Systems <URL:gopher://gopher.floodgap.com/> #start #gopher
  the first server of the new days
SDF <URL:gopher://sdf.org/> #Gopher #community
## Phlogs
Flat gap <URL:gopher://tilde.example/1/phlog> #reading
Bro\u{303}ken caf\u{e9} <URL:gopher://bad~host/>
# FTP
GNU <URL:ftp://ftp.gnu.org/gnu/;type=d> #read
<URL:ftp://ftp.example.org/floods/> #mirror
";

/// The line numbers of the matches, from 1, the best first.
fn lines(typed: &str) -> Vec<usize> {
    let file = Bookmarks::parse(LIST.as_bytes());
    let found = FuzzyIndex::new(&file).find(&Query::new(typed).unwrap(), None, &nothing);
    let line = |index| file.item(index).unwrap().line() + 1;
    found.into_iter().map(line).collect()
}

fn nothing(_: &str, _: Option<&Url>) -> bool {
    false
}

#[test]
fn word_matches_every_field_and_title_ranks_first() {
    assert_eq!(lines("gnu"), [9]);
    assert_eq!(lines("flood"), [2, 10]);
    assert_eq!(lines("FLOOD"), [2, 10]);
    assert_eq!(lines("first"), [2]);
    assert_eq!(lines("phlogs"), [6, 7]);
    assert_eq!(lines("mirror"), [10]);
    assert_eq!(lines("tilde.example"), [6]);
    assert_eq!(lines("nowhere"), [] as [usize; 0]);
    assert_eq!(lines("  "), [2, 4, 6, 7, 9, 10]);
}

#[test]
fn scattered_letters_match_in_title_or_within_one_word() {
    assert_eq!(lines("flgp"), [6, 2]);
    assert_eq!(lines("fgsys"), [2]);
    // The URL of line 10 has all letters in this order, but no single word of it does.
    assert_eq!(lines("fexo"), [] as [usize; 0]);
    assert_eq!(lines("exmpl"), [6, 10]);
    // Accents need not be typed.
    assert_eq!(lines("cafe"), [7]);
    assert_eq!(lines("caf\u{e9}"), [7]);
}

#[test]
fn every_word_must_match_in_any_order() {
    assert_eq!(lines("ftp gnu"), [9]);
    assert_eq!(lines("gnu ftp"), [9]);
    assert_eq!(lines("gopher gnu"), [] as [usize; 0]);
}

#[test]
fn tag_and_fault_words_filter() {
    assert_eq!(lines("#read"), [9, 6]);
    assert_eq!(lines("#gopher"), [2, 4]);
    assert_eq!(lines("#"), lines(""));
    assert_eq!(lines("is:fault"), [7]);
    assert_eq!(lines("is:fault gnu"), [] as [usize; 0]);
}

#[test]
fn check_words_are_decided_by_the_caller() {
    let file = Bookmarks::parse(LIST.as_bytes());
    let searched = FuzzyIndex::new(&file);
    let fits = |word: &str, url: Option<&Url>| {
        let is_ftp = url.is_some_and(|url| url.scheme_name() == "ftp");
        ["is:dead", "dead>30d", "dead>2w", "dead>12h"].contains(&word) && is_ftp
    };
    for (typed, count) in [
        ("is:dead", 2),
        ("dead>30d gnu", 1),
        ("dead>2w", 2),
        ("dead>12h", 2),
        // These may still become a filter word.
        ("is:", 6),
        ("is:dea", 6),
        ("dead>", 6),
    ] {
        let found = searched.find(&Query::new(typed).unwrap(), None, &fits);
        assert_eq!(found.len(), count, "{typed}");
    }
    // These cannot.
    for typed in ["is:daed", "dead>2x"] {
        assert!(Query::new(typed).is_err(), "{typed}");
    }
}

#[test]
fn negated_words_and_phrases_match_no_scattered_letters() {
    assert_eq!(lines("flgp"), [6, 2]);
    assert_eq!(lines("-flgp"), [2, 4, 6, 7, 9, 10]);
    assert_eq!(lines("\"flgp\""), [] as [usize; 0]);
    assert_eq!(lines("-flood"), [4, 6, 7, 9]);
    assert_eq!(lines("-phlogs -ftp"), [2, 4]);
    assert_eq!(lines("\"flat gap\""), [6]);
    assert_eq!(lines("\"gap flat\""), [] as [usize; 0]);
    assert_eq!(lines("-#re"), [2, 4, 7, 10]);
    assert_eq!(lines("-is:fault gap"), [6, 2]);
    // The beginning of a word.
    assert_eq!(lines("- -# -is: -is:dup \""), [2, 4, 6, 7, 9, 10]);
    assert_eq!(
        Query::new("\"od\" -gap \"fgp\"").unwrap().marks("Floodgap"),
        [3, 4]
    );
}

#[test]
fn duplicates_are_found_while_typing() {
    let list = "a <URL:gopher://h/>\n# b\nc <URL:news:x>\nd <URL:GOPHER://h:70/>\n";
    let searched = FuzzyIndex::new(&Bookmarks::parse(list.as_bytes()));
    let found = |typed: &str| searched.find(&Query::new(typed).unwrap(), None, &nothing);
    assert_eq!(found("is:duplicate"), [0, 3]);
    assert_eq!(found("-is:duplicate"), [2]);
    assert_eq!(found("is:repeated"), [3]);
    assert_eq!(found("-is:repeated"), [0, 2]);
}

#[test]
fn beginning_of_a_keyword_is_no_error_while_it_is_typed() {
    for typed in [
        "is:", "-is:aliv", "is:unr", "is:rep", "dead>", "#", "is:dead",
    ] {
        assert!(Query::new(typed).is_ok(), "{typed}");
    }
    for typed in ["is:alx", "is:alive2", "dead>x", "ded>", "a<b"] {
        assert!(Query::new(typed).is_err(), "{typed}");
    }
}

#[test]
fn negated_or_quoted_query_narrows_only_with_fewer_results() {
    for (short, long, narrows) in [
        ("-a", "-ab", false),
        ("-a", "-a b", true),
        ("a", "-a", false),
        ("a", "\"ab\"", true),
        ("\"a", "\"a b", true),
        ("\"a\"", "ab", false),
    ] {
        assert_eq!(
            Query::new(long)
                .unwrap()
                .narrows(&Query::new(short).unwrap()),
            narrows,
            "{short} {long}"
        );
    }
}

#[test]
fn passwords_are_not_searched() {
    let file = Bookmarks::parse(b"a <URL:ftp://ada:Sesame@h/b>\nc <URL:ftp://eve:sesame@h:x/d>\n");
    let searched = FuzzyIndex::new(&file);
    for (typed, count) in [
        ("sesame", 0),
        ("ssm", 0),
        ("ftp", 2),
        ("ada", 1),
        ("eve", 1),
    ] {
        let found = searched.find(&Query::new(typed).unwrap(), None, &nothing);
        assert_eq!(found.len(), count, "{typed}");
    }
}

#[test]
fn parallel_search_finds_the_same_as_sequential() {
    // Enough lines for several threads; the folder begins in another thread's part than most of its bookmarks.
    let lines = (0..20_000).map(|number| format!("Burrow <URL:gopher://h/1/{number}>\n"));
    let list = format!("# Far\n{}", lines.collect::<String>());
    let file = Bookmarks::parse(list.as_bytes());
    let searched = FuzzyIndex::new(&file);
    let found = |typed: &str| searched.find(&Query::new(typed).unwrap(), None, &nothing);
    assert_eq!(found("far").len(), 20_000);
    assert_eq!(found("19999"), [20_000]);
}

#[test]
fn matched_letters_are_marked() {
    assert_eq!(Query::new("gap").unwrap().marks("Floodgap"), [5, 6, 7]);
    assert_eq!(
        Query::new("fgap f").unwrap().marks("Floodgap"),
        [0, 5, 6, 7]
    );
    assert_eq!(Query::new("ken").unwrap().marks("Bro\u{303}ken"), [3, 4, 5]);
    assert_eq!(
        Query::new("#tag is:fault").unwrap().marks("tag"),
        [] as [usize; 0]
    );
}

#[test]
fn tags_are_sorted_by_use() {
    let file = Bookmarks::parse(b"a <URL:news:a> #x #y\nb <URL:news:b> #y #a\n");
    assert_eq!(file.tags_in_use(), ["y", "a", "x"]);
}

/// Returns true if a word is a pattern between slashes, which a longer word need not be.
fn has_pattern(typed: &str) -> bool {
    let mut words = typed.split_whitespace();
    words.any(|word| word.len() > 2 && word.starts_with('/') && word.ends_with('/'))
}

proptest! {
    #[test]
    fn longer_query_matches_no_more(
        lines in vec("[a-c\u{e9} ]{0,6} <URL:(news|gopher):[a-c/]{1,6}>( #[a-c]{1,3})?", 1..8),
        typed in "[a-c\u{e9}/#]{1,4}( [a-c]{1,2})?",
        more in "[a-c/]{1,2}( [a-c])?",
    ) {
        let longer = format!("{typed}{more}");
        prop_assume!(!has_pattern(&typed) && !has_pattern(&longer));
        let file = Bookmarks::parse(lines.join("\n").as_bytes());
        let searched = FuzzyIndex::new(&file);
        let (short, long) = (Query::new(&typed).unwrap(), Query::new(&longer).unwrap());
        prop_assert!(long.narrows(&short));
        let found = searched.find(&short, None, &nothing);
        let all = searched.find(&long, None, &nothing);
        prop_assert_eq!(searched.find(&long, Some(&found), &nothing), all);
    }

    #[test]
    fn negated_word_finds_what_its_phrase_does_not(
        lines in vec("[a-c\u{e9} ]{0,6} <URL:(news|gopher):[a-c/]{1,6}>( #[a-c]{1,3})?", 1..8),
        word in "[a-c\u{e9}/]{1,3}",
    ) {
        prop_assume!(!has_pattern(&word));
        let file = Bookmarks::parse(lines.join("\n").as_bytes());
        let searched = FuzzyIndex::new(&file);
        let found = |typed: String| {
            let mut found = searched.find(&Query::new(&typed).unwrap(), None, &nothing);
            found.sort_unstable();
            found
        };
        let with = found(format!("\"{word}\""));
        let rest: Vec<usize> = found(String::new()).into_iter().filter(|index| !with.contains(index)).collect();
        prop_assert_eq!(found(format!("-{word}")), rest);
    }
}
