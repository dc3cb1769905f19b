//! Folding of text for the search: what does not count when texts are compared.
//!
//! ```text
//! lower case, and one form (NFC) of letters with marks; the last sigma of a word is a sigma
//! Latin letters without their marks, unless a word is typed with marks
//! no vowel points of Hebrew and Arabic, no tatweel, no soft hyphens
//! one form of apostrophes, quotation marks and hyphens
//! a hyphen between two letters is a blank
//! ```
//!
//! The Latin letters come from a fixed table, not from the decompositions of Unicode: those leave `ø`, `ł`, `đ` and `æ`
//! as they are, and turn `й` into `и`. A combining mark (U+0300 to U+036F) is skipped after a Latin letter only.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::char::{compose, decompose_canonical, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Plain letters, and the lower-case letters that fold to them.
const LETTERS: [(&str, &str); 34] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁẚạảấầẩẫậắằẳẵặ"),
    ("ae", "æǣǽ"),
    ("b", "ƀƃɓḃḅḇ"),
    ("c", "çćĉċčƈȼḉ"),
    ("d", "ďđƌɖɗðḋḍḏḑḓ"),
    ("dz", "ǆǳ"),
    ("e", "èéêëēĕėęěȅȇȩɇḕḗḙḛḝẹẻẽếềểễệ"),
    ("f", "ƒḟ"),
    ("g", "ĝğġģǥǧǵɠḡ"),
    ("h", "ĥħȟḣḥḧḩḫẖ"),
    ("i", "ìíîïĩīĭįıǐȉȋɨḭḯỉị"),
    ("ij", "ĳ"),
    ("j", "ĵǰɉ"),
    ("k", "ķĸƙǩḱḳḵ"),
    ("l", "ĺļľŀłƚḷḹḻḽ"),
    ("lj", "ǉ"),
    ("m", "ḿṁṃ"),
    ("n", "ñńņňŉŋƞǹṅṇṉṋ"),
    ("nj", "ǌ"),
    ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ("oe", "œ"),
    ("p", "ƥṕṗ"),
    ("q", "ɋ"),
    ("r", "ŕŗřȑȓɍṙṛṝṟ"),
    ("s", "śŝşšșſȿṡṣṥṧṩ"),
    ("ss", "ß"),
    ("t", "ţťŧțƫƭẗṫṭṯṱ"),
    ("th", "þ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗʉṳṵṷṹṻụủứừửữự"),
    ("v", "ʋṽṿ"),
    ("w", "ŵẁẃẅẇẉẘ"),
    ("x", "ẋẍ"),
    ("y", "ýÿŷƴȳɏẏẙỳỵỷỹ"),
    ("z", "źżžƶȥẑẓẕ"),
];

static TABLE: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let rows = LETTERS.iter();
    rows.flat_map(|(plain, letters)| letters.chars().map(|letter| (letter, *plain)))
        .collect()
});

/// Whether the marks of Latin letters count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LatinMarks {
    /// They are taken from their letters.
    Dropped,
    /// They stay, composed with their letters.
    Kept,
}

/// Returns a text folded, with hyphens as they are.
pub(super) fn folded(text: &str, marks: LatinMarks) -> String {
    let mut to = String::with_capacity(text.len());
    fold_letters(text, marks, |_, folded| to.push_str(folded));
    to
}

/// Calls `found` with the position of each letter in octets, and with what it folds to. Ends of rows stay.
pub(super) fn fold_letters(text: &str, latin: LatinMarks, mut found: impl FnMut(usize, &str)) {
    let mut letters = text.char_indices().peekable();
    let mut marks = String::new();
    while let Some((at, letter)) = letters.next() {
        let is_alone = letters.peek().is_none_or(|(_, next)| next.is_ascii());
        if letter.is_ascii() && is_alone {
            let lower = letter.to_ascii_lowercase();
            found(at, lower.encode_utf8(&mut [0; 4]));
            continue;
        }
        if is_ignored(letter) {
            continue;
        }
        marks.clear();
        while let Some(&(_, mark)) = letters.peek() {
            if is_mark(mark) {
                marks.push(mark);
            } else if let Some(mark) = voicing(letter, mark).filter(|_| marks.is_empty()) {
                marks.push(mark);
            } else if !is_ignored(mark) {
                break;
            }
            letters.next();
        }
        fold_letter((letter, &marks), latin, |folded| found(at, folded));
    }
}

/// Calls `found` with what a letter and the marks behind it fold to.
fn fold_letter((letter, marks): (char, &str), latin: LatinMarks, mut found: impl FnMut(&str)) {
    if marks.is_empty() && !has_other_form(letter) {
        fold_lower(letter, latin, &mut found);
        return;
    }
    if latin == LatinMarks::Dropped && is_latin(letter) {
        fold_lower(letter, latin, &mut found);
        let others = marks.chars().filter(|mark| !is_latin_mark(*mark));
        others
            .nfc()
            .for_each(|mark| found(mark.encode_utf8(&mut [0; 4])));
        return;
    }
    let composed = std::iter::once(letter).chain(marks.chars()).nfc();
    for letter in composed.filter(|letter| !is_ignored(*letter)) {
        fold_lower(letter, latin, &mut found);
    }
}

/// Calls `found` with what a letter folds to that has no marks behind it.
fn fold_lower(letter: char, latin: LatinMarks, found: &mut impl FnMut(&str)) {
    let mut was_latin = false;
    for lower in letter.to_lowercase() {
        match plain(lower).filter(|_| latin == LatinMarks::Dropped) {
            Some(plain) => {
                found(plain);
                was_latin = true;
            }
            // The dot that `İ` leaves behind.
            None if was_latin && latin == LatinMarks::Dropped && is_latin_mark(lower) => {}
            None => {
                found(sign(lower).encode_utf8(&mut [0; 4]));
                was_latin = lower.is_ascii_alphabetic();
            }
        }
    }
}

/// Returns the plain letters of a Latin letter with marks, in lower case.
fn plain(letter: char) -> Option<&'static str> {
    if !matches!(letter, '\u{80}'..='\u{2bb}' | '\u{1e00}'..='\u{1eff}') {
        return None;
    }
    let letter_itself = || {
        let mut first = None;
        decompose_canonical(letter, |part| first = first.or(Some(part)));
        first.filter(|first| *first != letter)
    };
    let known = TABLE.get(&letter).copied();
    known.or_else(|| TABLE.get(&letter_itself()?).copied())
}

fn is_latin(letter: char) -> bool {
    let lower = letter.to_lowercase().next().unwrap_or(letter);
    lower.is_ascii_alphabetic() || plain(lower).is_some()
}

fn is_latin_mark(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}')
}

/// Returns the one form of a letter or sign that has several.
fn sign(letter: char) -> char {
    match letter {
        '’' | 'ʼ' => '\'',
        '“' | '”' | '„' => '"',
        // The last one is the maqaf of Hebrew.
        '‐' | '‑' | '\u{5be}' => '-',
        'ς' => 'σ',
        other => other,
    }
}

/// Returns true for letters and marks that are another one in their only form (NFC).
fn has_other_form(letter: char) -> bool {
    // Most texts need no search in the tables of Unicode.
    letter >= '\u{340}' && is_nfc_quick(std::iter::once(letter)) == IsNormalized::No
}

/// Returns true for what never counts: soft hyphens, the vowel points and accents of Hebrew, and those of Arabic with
/// the tatweel. The hamza and the madda of Arabic make other letters.
fn is_ignored(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}'
            | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
            | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{656}'..='\u{65f}' | '\u{670}'
            | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}'
    )
}

/// Returns true for marks that belong to the letter before them, and for the conjoining letters of Hangul and of Kirat
/// Rai.
fn is_mark(letter: char) -> bool {
    match letter {
        // Most texts need no search in the tables of Unicode.
        '\0'..='\u{2ff}'
        | '\u{370}'..='\u{482}'
        | '\u{48a}'..='\u{590}'
        | '\u{1e00}'..='\u{20cf}'
        | '\u{2100}'..='\u{2cee}'
        | '\u{2e80}'..='\u{3029}'
        | '\u{3030}'..='\u{3098}'
        | '\u{309b}'..='\u{a66e}'
        | '\u{ac00}'..='\u{d7af}' => false,
        '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}' | '\u{16d67}' => true,
        other => is_combining_mark(other) && !is_ignored(other),
    }
}

/// Returns the combining form of a sign of voicing that stands behind a kana as a character of its own.
fn voicing(kana: char, sign: char) -> Option<char> {
    let mark = match sign {
        '\u{309b}' => '\u{3099}',
        '\u{309c}' => '\u{309a}',
        _ => return None,
    };
    compose(kana, mark).map(|_| mark)
}

/// Returns true if folding takes marks from a text: a word that is typed with them matches only with them.
pub(super) fn has_marks(text: &str) -> bool {
    folded(text, LatinMarks::Dropped) != folded(text, LatinMarks::Kept)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plain(text: &str) -> String {
        folded(text, LatinMarks::Dropped)
    }

    #[test]
    fn latin_letters_lose_their_marks_and_others_keep_them() {
        for (text, expected) in [
            ("Café", "cafe"),
            ("Cafe\u{301}", "cafe"),
            ("Smørrebrød", "smorrebrod"),
            ("ŁÓDŹ", "lodz"),
            ("Đà Nẵng", "da nang"),
            ("Straße", "strasse"),
            ("Æther œuvre", "aether oeuvre"),
            ("İstanbul ısı", "istanbul isi"),
            ("Þórr", "thorr"),
            ("Йод", "йод"),
            ("и\u{306}", "й"),
            ("it’s “so”", "it's \"so\""),
            ("co\u{ad}operate", "cooperate"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
        assert!(has_marks("café") && has_marks("cafe\u{301}") && has_marks("straße"));
        assert!(!has_marks("Cafe") && !has_marks("it’s") && !has_marks("Σίσυφος"));
        assert_eq!(
            folded("CAFE\u{301} Straße", LatinMarks::Kept),
            "café straße"
        );
    }

    #[test]
    fn forms_of_other_scripts_are_one() {
        for (one, other) in [
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("σι\u{301}συφος", "Σίσυφος"),
            ("\u{1f71}", "\u{3ac}"),
            ("が", "か\u{3099}"),
            ("が", "か\u{309b}"),
            ("パ", "ハ\u{309a}"),
            ("각", "\u{1100}\u{1161}\u{11a8}"),
            ("مُحَمَّد", "محمد"),
            ("مـحـمـد", "محمد"),
            ("أ", "ا\u{654}"),
            ("أ", "ا\u{64e}\u{654}"),
            ("שָׁלוֹם", "שלום"),
            ("\u{fb2a}לום", "שלום"),
            ("בית־ספר", "בית-ספר"),
            ("\u{f900}", "\u{8c48}"),
            // A mark of another script behind a Latin letter.
            ("À\u{1134b}", "À\u{11347}\u{1133e}"),
        ] {
            assert_eq!(plain(one), plain(other), "{one} {other}");
        }
        for (one, other) in [("は", "ば"), ("أ", "ا"), ("ί", "ι"), ("й", "и")] {
            assert_ne!(plain(one), plain(other), "{one} {other}");
        }
    }

    #[test]
    fn each_letter_is_its_decomposition() {
        let mut count = 0;
        for letter in ('\0'..=char::MAX).map(String::from) {
            let decomposed: String = letter.nfd().collect();
            if letter == decomposed {
                continue;
            }
            count += 1;
            for (before, behind) in [("", ""), ("a", ""), ("か", "x"), ("", "\u{301}")] {
                for marks in [LatinMarks::Dropped, LatinMarks::Kept] {
                    let [composed, decomposed] = [&letter, &decomposed]
                        .map(|letter| format!("{before}{letter}{behind}"))
                        .map(|text| {
                            folded(&text.nfc().collect::<String>(), marks) == folded(&text, marks)
                        });
                    assert!(composed && decomposed, "{before}{letter}{behind}");
                }
            }
        }
        assert!(count > 13_000);
    }

    proptest! {
        #[test]
        fn folding_is_stable_and_its_positions_are_those_of_letters(
            text in prop_oneof!["\\PC{0,40}", "[a-ceéßか\u{3099}\u{309b}\u{301}\u{323}\u{ad}ά\u{64e}\u{654}اи\u{306}]{0,12}"],
        ) {
            for marks in [LatinMarks::Dropped, LatinMarks::Kept] {
                let once = folded(&text, marks);
                prop_assert_eq!(folded(&once, marks), once.clone());
                let composed: String = text.nfc().collect();
                let decomposed: String = text.nfd().collect();
                prop_assert_eq!(folded(&composed, marks), folded(&decomposed, marks));
                fold_letters(&text, marks, |at, _| assert!(text.is_char_boundary(at)));
            }
        }
    }
}
