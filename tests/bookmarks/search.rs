//! Bookmarks that hold words.

use geomys::url::mask;
use proptest::prelude::*;

use super::*;

/// The same, without any haste.
fn slowly(file: &Bookmarks, words: &[String]) -> Vec<usize> {
    let fits = |index: usize, word: &str| {
        let bookmark = file.bookmark(index).unwrap();
        let holds = |text: &str| text.to_lowercase().contains(&word.to_lowercase());
        holds(bookmark.title().as_str())
            || holds(&mask(bookmark.written().as_str()))
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
fn every_word_is_looked_for_in_every_part() {
    let file = Bookmarks::parse(
        "# Gopher Holes\nÄrger <URL:ftp://ada:secret@h/pub> #Tag words\n  A Note\nplain <URL:gopher://Host/> #x\n"
            .as_bytes(),
    );
    let found = |words: &str| file.holding(&[words.to_owned()]).len();
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

fn line() -> impl Strategy<Value = Vec<u8>> {
    let words = "([aAbkKé<>#: @/]|\\PC|URL:|<URL:|gopher://h/a|ftp://a:b@c/d){0,12}"
        .prop_map(String::into_bytes);
    prop_oneof![
        5 => ("[abK\u{212a} ]{0,4}", "[a-c@:/]{0,8}", "( #?[aKb]{1,2}){0,2}")
            .prop_map(|(title, url, tags)| format!("{title} <URL:ftp://{url}>{tags}").into_bytes()),
        1 => "#{1,2} [aKb/]{1,3}".prop_map(String::into_bytes),
        1 => "  [aKb]{1,3}".prop_map(String::into_bytes),
        1 => words,
        1 => prop::collection::vec(any::<u8>(), 0..9),
    ]
}

proptest! {
    #[test]
    fn it_finds_what_a_slow_search_finds(
        lines in prop::collection::vec(line(), 0..9),
        words in prop::collection::vec("[abkK#:/@*é]{1,2}", 0..3),
    ) {
        let file = Bookmarks::parse(&lines.join(&b'\n'));
        prop_assert_eq!(file.holding(&words), slowly(&file, &words));
    }
}
