//! Folding of text for the search: lower case, and Latin letters without their marks.
//!
//! The letters come from a fixed table, not from the decompositions of Unicode: those leave `ø`, `ł`, `đ` and `æ` as
//! they are, and turn `й` into `и`. A combining mark (U+0300 to U+036F) is skipped after a Latin letter only.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Plain letters, and the lower-case letters that fold to them.
const LETTERS: [(&str, &str); 37] = [
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
    ("'", "’ʼ"),
    ("\"", "“”„"),
    ("-", "‐‑"),
];

static TABLE: LazyLock<HashMap<char, &'static str>> = LazyLock::new(|| {
    let rows = LETTERS.iter();
    rows.flat_map(|(plain, letters)| letters.chars().map(|letter| (letter, *plain)))
        .collect()
});

/// Appends a text, folded.
pub fn fold(text: &str, to: &mut String) {
    if text.is_ascii() {
        let start = to.len();
        to.push_str(text);
        if let Some(new) = to.get_mut(start..) {
            new.make_ascii_lowercase();
        }
        return;
    }
    fold_letters(text, |_, folded| to.push_str(folded));
}

/// Calls `found` with the position of each letter in octets, and with what it folds to.
pub(super) fn fold_letters(text: &str, mut found: impl FnMut(usize, &str)) {
    let mut is_latin = false;
    for (at, letter) in text.char_indices() {
        if is_latin && matches!(letter, '\u{300}'..='\u{36f}') {
            continue;
        }
        if letter.is_ascii() {
            let lower = letter.to_ascii_lowercase();
            found(at, lower.encode_utf8(&mut [0; 4]));
            is_latin = lower.is_ascii_alphabetic();
            continue;
        }
        for lower in letter.to_lowercase() {
            // The dot that `İ` leaves behind.
            if is_latin && lower == '\u{307}' {
                continue;
            }
            if let Some(plain) = TABLE.get(&lower) {
                found(at, plain);
                is_latin = true;
            } else {
                found(at, lower.encode_utf8(&mut [0; 4]));
                is_latin = lower.is_ascii_alphabetic();
            }
        }
    }
}

/// Returns true if folding takes marks from a text: a word that is typed with them matches only with them.
pub(super) fn has_marks(text: &str) -> bool {
    let mut folded = String::new();
    fold(text, &mut folded);
    folded != text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folded(text: &str) -> String {
        let mut to = String::new();
        fold(text, &mut to);
        to
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
            ("が", "が"),
            ("и\u{306}", "и\u{306}"),
            ("ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ] {
            assert_eq!(folded(text), expected, "{text}");
        }
        assert!(has_marks("café") && has_marks("cafe\u{301}") && !has_marks("Cafe"));
    }

    proptest! {
        #[test]
        fn folding_is_stable_and_its_positions_are_those_of_letters(text in "\\PC{0,40}") {
            let once = folded(&text);
            prop_assert_eq!(folded(&once), once.clone());
            let mut pieces = String::new();
            fold_letters(&text, |at, piece| {
                assert!(text.is_char_boundary(at));
                pieces.push_str(piece);
            });
            prop_assert_eq!(pieces, once);
        }
    }
}
