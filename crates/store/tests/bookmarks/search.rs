//! The exact search of bookmarks.

use geomys_store::bookmarks::exchange::{BookmarkTree, Item as TreeItem};
use geomys_store::bookmarks::{Bookmark, FuzzyIndex, ScannedBookmark};
use jiff::Timestamp;
use proptest::prelude::*;
use rfc1738::mask;

use super::*;

fn holding(file: &Bookmarks, words: &[String]) -> Vec<usize> {
    file.matching(&Query::complete(&words.join(" ")).unwrap(), &|_, _| false)
}

/// The same search, by a naive algorithm.
fn slowly(file: &Bookmarks, words: &[String]) -> Vec<usize> {
    let fits = |index: usize, word: &str| {
        let bookmark = file.bookmark(index).unwrap();
        let holds = |text: &str| text.to_lowercase().contains(&word.to_lowercase());
        holds(bookmark.title().as_str())
            || holds(&mask(bookmark.url_text().as_str()))
            || holds(&file.folder_of(index).join("/"))
            || bookmark.tags().iter().any(|tag| holds(&format!("#{tag}")))
            || bookmark.notes().iter().any(|note| holds(note.as_str()))
    };
    let words: Vec<&str> = words
        .iter()
        .flat_map(|words| words.split_whitespace())
        .collect();
    let bookmarks = file.bookmarks().map(|bookmark| bookmark.index);
    bookmarks
        .filter(|&index| words.iter().all(|word| fits(index, word)))
        .collect()
}

#[test]
fn every_word_is_searched_in_every_field() {
    let file = Bookmarks::parse(
        "# Gopher Holes\nÄrger <URL:ftp://ada:secret@h/pub> #Tag words\n  A Note\nplain <URL:gopher://Host/> #x\n"
            .as_bytes(),
    );
    let found = |words: &str| holding(&file, &[words.to_owned()]).len();
    for (words, count) in [
        ("", 2),
        ("ärger", 1),
        ("ÄRGER note", 1),
        ("gopher", 2),
        ("holes plain", 1),
        ("HOST", 1),
        ("#tag", 1),
        ("#ta PUB a", 1),
        ("secret", 0),
        ("words", 0),
        ("<url:", 0),
        ("url:", 0),
    ] {
        assert_eq!(found(words), count, "{words}");
    }
}

#[test]
fn url_with_white_space_is_found_by_its_words() {
    let file = Bookmarks::parse(b"a <URL:gopher://ho st/pu\tb> #x\n");
    for (word, count) in [
        ("ho", 1),
        ("st/pu", 1),
        ("ho st", 1),
        ("host", 0),
        ("pub", 0),
    ] {
        assert_eq!(holding(&file, &[word.to_owned()]).len(), count, "{word}");
    }
}

#[test]
fn cr_inside_a_line_does_not_split_words() {
    let file = Bookmarks::parse(
        b"ab\rcd <URL:gopher://h/>\r\ne <URL:gopher://h/> #f\rg\n  hi\rjk\r\nl <URL:gopher://h/>\r",
    );
    for (word, count) in [
        ("abcd", 1),
        ("ab", 1),
        ("#f", 1),
        ("#fg", 0),
        ("hijk", 1),
        ("gopher://h/", 3),
    ] {
        let words = [word.to_owned()];
        assert_eq!(holding(&file, &words).len(), count, "{word}");
        assert_eq!(holding(&file, &words), slowly(&file, &words), "{word}");
    }
}

#[test]
fn url_state_words_are_decided_by_the_caller() {
    let file = Bookmarks::parse(b"a <URL:gopher://h/>\nb <URL:ftp://h/>\nc <URL:gopher://a~b/>\n");
    let fits = |word: &str, url: Option<&Url>| {
        ["is:dead", "dead>2w"].contains(&word) && url.is_some_and(|url| url.scheme_name() == "ftp")
    };
    for (words, found) in [
        ("is:dead", vec![1]),
        ("DEAD>2w b", vec![1]),
        ("is:dead a", vec![]),
        ("is:fault", vec![2]),
    ] {
        let words = Query::complete(words).unwrap();
        assert_eq!(file.matching(&words, &fits), found, "{words:?}");
    }
}

#[test]
fn negated_words_and_phrases_are_matched_as_written() {
    let file = Bookmarks::parse(
        b"# FTP\nGreen hills <URL:ftp://h/>\n  hills of green\n# Other\nhills Green <URL:ftp://i/> #far\n-x <URL:gopher://j/>\n",
    );
    for (words, found) in [
        ("-ftp", vec![4]),
        ("-#far", vec![1, 4]),
        ("hills -#far", vec![1]),
        ("\"green hills\"", vec![1]),
        ("\"GREEN hills", vec![1]),
        ("-\"green hills\"", vec![3, 4]),
        ("green hills", vec![1, 3]),
        ("-\"hills of\" green", vec![3]),
        ("\"-x\"", vec![4]),
        ("\"\"", vec![1, 3, 4]),
        ("-is:fault", vec![1, 3, 4]),
    ] {
        assert_eq!(holding(&file, &[words.to_owned()]), found, "{words}");
    }
}

#[test]
fn duplicates_are_found_in_any_spelling() {
    let file = Bookmarks::parse(
        b"a <URL:gopher://h/>\nb <URL:ftp://h/>\n# c\nd <URL:gopher://H:70/>\ne <URL:gopher://h/1/x>\n",
    );
    let found = |words: &str| holding(&file, &[words.to_owned()]);
    assert_eq!(found("is:duplicate"), [0, 3]);
    assert_eq!(found("IS:Duplicate d"), [3]);
    assert_eq!(found("-is:duplicate"), [1, 4]);
    assert_eq!(found("\"is:duplicate\""), [] as [usize; 0]);
    // The first one is no repetition.
    assert_eq!(found("is:repeated"), [3]);
    assert_eq!(found("-is:repeated"), [0, 1, 4]);
    let file = Bookmarks::parse(
        b"a <URL:http://h/>\nb <URL:https://www.h/index.html>\nc <URL:http://i/>\n",
    );
    assert_eq!(holding(&file, &["is:similar".to_owned()]), [0, 1]);
}

/// The list of words about a bookmark alone; the date of a bookmark is asked of the caller.
const WORDS: &[u8] = b"\
Alpha <URL:gopher://sdf.org/> #unix
<URL:ftp://ftp.SDF.org./pub> #files
# Work
Beta <URL:http://notsdf.org/a>
  about Alpha
## Old hosts
Gamma <URL:http://m\xc3\xbcnchen.example/~x> #old
Delta <URL:gopher://192.0.2.1/>
# Old
Epsilon <URL:news:comp.infosystems.gopher>
";

#[test]
fn words_about_a_bookmark_select_it_exactly_and_fuzzily() {
    let file = Bookmarks::parse(WORDS);
    let index = FuzzyIndex::new(&file);
    let added = |word: &str, url: Option<&Url>| {
        word == "since:2019" && url.is_some_and(|url| url.scheme_name() == "gopher")
    };
    let sorted = |mut letters: Vec<char>| {
        letters.sort_unstable();
        letters
    };
    let titles = |items: Vec<usize>| {
        let letters = items.into_iter().map(|item| {
            let title = file.bookmark(item).unwrap().title();
            title.as_str().chars().next().unwrap_or('-')
        });
        sorted(letters.collect())
    };
    for (words, expected) in [
        ("is:untagged", "BDE"),
        ("-is:untagged", "A-G"),
        ("is:untitled", "-"),
        ("host:sdf.org", "A-"),
        ("HOST:.SDF.ORG.", "A-"),
        ("host:org", "A-B"),
        ("host:m\u{fc}nchen.example", "G"),
        ("host:xn--mnchen-3ya.example", "G"),
        ("host:192.0.2.1", "D"),
        ("host:2.1", "D"),
        ("folder:Work", "BGD"),
        ("folder:work/\"old hosts\"", ""),
        ("folder:\"Work/Old hosts\"", "GD"),
        ("folder:\"old hosts", "GD"),
        ("folder:Old", "E"),
        ("-folder:Work", "A-E"),
        ("since:2019", "AD"),
        ("host:sdf.org OR host:notsdf.org", "A-B"),
        ("#old OR #unix alpha OR gamma", "AG"),
        ("\"alpha\" -is:untagged OR folder:Work", "AB"),
        ("/^(alpha|bet)$/", "A"),
        ("/^(alpha|beta)/", "AB"),
        ("/#O.D/", "G"),
        ("-/gopher/", "-BG"),
        ("/about\\salpha/", "B"),
        ("/pub/", "-"),
    ] {
        let query = Query::complete(words).unwrap();
        let expected = sorted(expected.chars().collect());
        let found = titles(file.matching(&query, &added));
        assert_eq!(found, expected, "{words}");
        let found = titles(index.find(&query, None, &added));
        assert_eq!(found, expected, "fuzzy: {words}");
    }
}

#[test]
fn words_without_a_value_and_faulty_patterns_are_errors() {
    for (words, fault) in [
        ("host:", "nothing after “host:”"),
        ("folder:/", "nothing after “folder:”"),
        ("since:soon", "unknown time “since:soon”"),
        ("until:2019-13", "unknown time “until:2019-13”"),
        ("added>soon", "invalid comparison “added>soon”"),
        ("added<1y", "invalid comparison “added<1y”"),
        ("OR x", "“OR” without a word on both sides"),
        ("x OR", "“OR” without a word on both sides"),
        ("x OR OR y", "“OR” without a word on both sides"),
        ("/a(/", "invalid pattern: unclosed group"),
        ("/(a{1000}){1000}/", "invalid pattern: it is too long"),
    ] {
        let error = Query::complete(words).unwrap_err();
        assert_eq!(error.fault(), fault, "{words}");
        assert!(!error.advice().is_empty());
    }
    // What is still being typed is no error.
    for typed in [
        "host:",
        "folder:",
        "folder:\"",
        "since:",
        "since:201",
        "until:2019-1",
        "added>",
        "x OR",
        "is:unt",
    ] {
        let query = Query::new(typed).unwrap();
        assert_eq!(query.is_blank(), !typed.starts_with('x'), "{typed}");
    }
    for text in ["or", "/", "//", "/usr", "\"OR\"", "\"host:\"", "newsince:x"] {
        assert!(Query::complete(text).is_ok(), "{text}");
    }
}

#[test]
fn longer_alternatives_find_more() {
    let [one, two] = ["alpha", "alpha OR beta"].map(|words| Query::complete(words).unwrap());
    assert!(!two.narrows(&one) && !one.narrows(&two) && two.narrows(&two));
}

#[test]
fn words_about_the_date_of_addition_compare_it() {
    let url = Url::parse("gopher://h/").unwrap();
    let file = Bookmarks::parse(b"<URL:gopher://h/>\n");
    let mut tree = BookmarkTree::of(&file);
    let added: Timestamp = "2019-07-01T12:00:00Z".parse().unwrap();
    for entry in &mut tree.items {
        if let TreeItem::Entry(entry) = entry {
            entry.added = Some(added.as_second());
        }
    }
    let dates = tree.added_dates();
    let now: Timestamp = "2026-11-22T12:00:00Z".parse().unwrap();
    for (word, expected) in [
        ("since:2019", Some(true)),
        ("since:2020", Some(false)),
        ("until:2019", Some(true)),
        ("until:2019-06", Some(false)),
        ("until:2019-07-01", Some(true)),
        ("added>1y", Some(true)),
        ("added>8y", Some(false)),
        ("since:1y", Some(false)),
        ("is:dead", None),
        ("dead>1y", None),
    ] {
        assert_eq!(dates.matches(word, &url, now), expected, "{word}");
    }
    let other = Url::parse("gopher://i/").unwrap();
    assert_eq!(dates.matches("until:2030", &other, now), Some(false));
}

#[test]
fn words_that_look_like_keywords_are_errors() {
    for words in [
        "is:aliv",
        "-is:aliv",
        "x IS:DED",
        "is:",
        "--is:dead",
        "!is:dead",
        "is:\"dead\"",
        "dead>2x",
        "-dead>",
        "dead>soon",
        "dead>-1d",
        "words>30d",
        ">30d",
        "dead<30d",
        "dead>=30d",
        "dead=30d",
        "dead:30d",
        "is:dead>2d",
        "dead>70000d",
        "unchecked>2d",
    ] {
        let error = Query::complete(words).unwrap_err().to_string();
        assert!(error.contains("known are "), "{words}: {error}");
    }
    for words in [
        "is",
        "<url:",
        "<URL:gopher://h/>",
        "->",
        ">",
        "http://h/?a>b",
        "\"is:aliv\"",
        "-\"dead>\"",
        "#a>b",
        "dead: x",
        "=",
        "a=1",
        "dead>2w",
        "-IS:Alive",
        "analysis:x",
    ] {
        assert!(Query::complete(words).is_ok(), "{words}");
    }
    let error = Query::complete("-is:aliv").unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown word “is:aliv”: known are is:alive, is:dead, is:duplicate, is:fault, is:moved, is:new, is:refused, is:repeated, \
         is:similar, is:unchecked, is:unreachable, is:untagged, is:untitled"
    );
}

/// The fields that the fast scan visits: line, folders, title, URL, tags and notes of each bookmark.
fn swept(octets: &[u8]) -> Vec<(usize, Vec<String>, String)> {
    let all = Query::default();
    let take = |passed: &ScannedBookmark<'_>, found: &mut Vec<_>| {
        let (tags, notes) = (passed.parts.tags(), passed.notes());
        let said = format!(
            "{} {} {tags:?} {notes:?}",
            passed.parts.title(),
            passed.parts.url_text()
        );
        found.push((passed.line, passed.folder.to_vec(), said));
    };
    all.scan(octets, &|_, _| false, take).concat()
}

/// The same fields of the parsed bookmarks.
fn read(octets: &[u8]) -> Vec<(usize, Vec<String>, String)> {
    let file = Bookmarks::parse(octets);
    let said = |one: Bookmark<'_>| {
        let (tags, notes) = (one.tags(), one.notes());
        let said = format!("{} {} {tags:?} {notes:?}", one.title(), one.url_text());
        (one.line, file.folder_of(one.index), said)
    };
    file.bookmarks().map(said).collect()
}

#[test]
fn parallel_search_equals_sequential_search() {
    let mut list = b"# Deep\n### Deeper\n".to_vec();
    for number in 0..30_000 {
        list.extend(format!("Burrow {number} <URL:gopher://h/1/{number}> #t\n").bytes());
        if number % 3 == 0 {
            list.extend(b"  one note\n  and <URL:gopher://another/>\n");
        }
        if number % 4999 == 0 {
            list.extend(b"## Beside\n# with <URL:gopher://h/>\n");
        }
    }
    assert!(list.len() > 1 << 20);
    assert_eq!(swept(&list), read(&list));
    // Nothing but notes below the first line, and no line end at all.
    let notes = [
        b"a <URL:gopher://h/>\n".to_vec(),
        b"  note\n".repeat(200_000),
    ]
    .concat();
    assert_eq!(swept(&notes), read(&notes));
    let line = vec![b'x'; 1 << 20];
    assert_eq!(swept(&line), read(&line));
}

fn line() -> impl Strategy<Value = Vec<u8>> {
    let words = "([aAbkKé<>#: @/]|\\PC|URL:|<URL:|gopher://h/a|ftp://a:b@c/d){0,12}"
        .prop_map(String::into_bytes);
    prop_oneof![
        5 => ("([abK\u{212a} ]|a\rb){0,4}", "[a-c@:/ \t\r]{0,8}", "( #?[aKb\r]{1,2}){0,2}\r?")
            .prop_map(|(title, url, tags)| format!("{title} <URL:ftp://{url}>{tags}").into_bytes()),
        1 => "#{1,2} [aKb/]{1,3}".prop_map(String::into_bytes),
        1 => "  ([aKb]|a\rb){1,3}".prop_map(String::into_bytes),
        1 => words,
        1 => prop::collection::vec(any::<u8>(), 0..9),
    ]
}

proptest! {
    #[test]
    fn search_equals_naive_search(
        lines in prop::collection::vec(line(), 0..9),
        words in prop::collection::vec("[abkK#:/@*é]{1,2}|ab", 0..3),
    ) {
        let file = Bookmarks::parse(&lines.join(&b'\n'));
        prop_assert_eq!(holding(&file, &words), slowly(&file, &words));
        prop_assert_eq!(swept(file.octets()), read(file.octets()));
    }

    #[test]
    fn negated_word_finds_the_complement(
        lines in prop::collection::vec(line(), 0..9),
        word in "[abkK#:/@*é]{1,2}|\"[abK ]{1,3}\"|is:fault|is:duplicate|is:repeated|is:dead",
    ) {
        let file = Bookmarks::parse(&lines.join(&b'\n'));
        let state = |_: &str, url: Option<&Url>| url.is_some_and(|url| url.as_str().len() % 2 == 0);
        let found = |words: String| file.matching(&Query::complete(&words).unwrap(), &state);
        let with = found(word.clone());
        prop_assume!(!word.trim_matches(['"', ' ']).is_empty());
        let rest: Vec<usize> = found(String::new()).into_iter().filter(|index| !with.contains(index)).collect();
        prop_assert_eq!(found(format!("-{word}")), rest);
    }
}
