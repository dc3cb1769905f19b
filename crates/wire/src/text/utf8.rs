//! UTF-8, also where some octets of it are damaged.
//!
//! The charset is judged by the whole text, the repair is by octet: a text that was cut inside a letter, or in which
//! some octets are of Latin-1, is UTF-8 still. Well-formed letters of several octets hardly occur by chance, and the
//! longer they are the less; so each is evidence for some malformed octets ([`Damage::evidence`]): a letter of four
//! octets for ten of them, one of three for five, two of two octets and one script for three each, one alone for one.
//! Letters that hardly any text has are evidence against UTF-8; those of Armenian are for one malformed octet each.
//!
//! Words of Latin letters need one letter of UTF-8 among them, if they have at least as many letters of ASCII as
//! malformed octets ([`has_latin_words`]): other charsets have no letters of ASCII inside words, but the second octets
//! of Shift-JIS and Big5, which are fewer than the octets above ASCII; and those for Latin letters have signs where
//! UTF-8 has its second octets.
//!
//! A text with a single letter whose malformed octets all stand alone between ASCII, as the letters of Latin-1 do, is
//! UTF-8 too. Octets of other charsets come in pairs and rows: a text with rows of malformed octets is UTF-8 if they
//! are few beside its letters, or stand apart from them.
//!
//! Ambiguous, and not taken for UTF-8, stay texts with more malformed octets than their letters are evidence for: a
//! single letter of two octets in words without ASCII, with two or more malformed octets beside it, is a word of
//! another charset as well, whose readers are more. The numbers are from 86,000 names in 45 charsets, of which 2.2 %
//! are taken for UTF-8 (mostly single words of the charsets of DOS, Korean and Thai), and from 163,000 names in UTF-8
//! with one to four damaged octets, of which 0.7 % are not: most have hardly a whole letter left.

use std::borrow::Cow;
use std::collections::HashMap;

use encoding_rs::WINDOWS_1252;

/// The longest row of malformed octets that may stand between ASCII beside few letters: the octets of one letter.
const MAX_ROW_BYTES: usize = 4;

/// Decodes a text that is UTF-8; its malformed octets alone are decoded as windows-1252. Returns `None` if the text is
/// in another charset. Like that of [`Charset::decode`](super::Charset::decode), the result is not safe to show.
pub fn utf8(octets: &[u8]) -> Option<Cow<'_, str>> {
    if let Ok(text) = std::str::from_utf8(octets) {
        return Some(Cow::Borrowed(text));
    }
    let damage = Damage::of(octets);
    if !damage.is_repairable() && (damage.rare > 0 || !has_latin_words(octets)) {
        return None;
    }
    let mut text = String::with_capacity(octets.len());
    for chunk in octets.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    Some(Cow::Owned(text))
}

/// The malformed octets for which a letter of two octets is evidence if another of its script is there, and those of
/// three and four octets; and the weight of a letter that hardly any text has.
const PAIRS: usize = 3;
const TRIPLES: usize = 5;
const QUADRUPLES: usize = 10;
const RARE: usize = 3;

/// The letters of several octets in a text, and its malformed octets, which stand in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Damage {
    letters: usize,
    letter_octets: usize,
    /// The letters that are in hardly any text, and those of Armenian among them.
    rare: usize,
    armenian: usize,
    /// The number of malformed sequences beside which the other letters are no chance.
    evidence: usize,
    /// The number of malformed sequences.
    malformed: usize,
    malformed_octets: usize,
    rows: usize,
    /// The octets of the longest row.
    longest: usize,
    /// True if a row stands beside a letter of several octets.
    is_beside_letter: bool,
    /// True if not every row is one octet that is a letter in Latin-1.
    is_in_rows: bool,
}

impl Damage {
    fn of(octets: &[u8]) -> Self {
        let mut damage = Self::default();
        let mut scripts: HashMap<u32, usize> = HashMap::new();
        // The octets of the row that ends before the chunk.
        let mut row = 0;
        for chunk in octets.utf8_chunks() {
            let (valid, invalid) = (chunk.valid(), chunk.invalid());
            for letter in valid.chars().filter(|letter| !letter.is_ascii()) {
                let is_rare = is_rare(letter);
                damage.rare += usize::from(is_rare);
                damage.armenian += usize::from(matches!(letter, '\u{530}'..='\u{58f}'));
                if !is_rare {
                    *scripts.entry(script(letter)).or_default() += 1;
                }
                // In windows-1252 an `ß` or `Â` before a quotation mark.
                if matches!(letter, '\u{80}'..='\u{9f}' | '\u{7c0}'..='\u{7ff}') {
                    continue;
                }
                damage.letters += 1;
                damage.letter_octets += letter.len_utf8();
            }
            let (first, last) = (valid.as_bytes().first(), valid.as_bytes().last());
            if row > 0 {
                damage.is_beside_letter |= first.is_some_and(|first| !first.is_ascii());
            }
            if let Some(last) = last {
                row = 0;
                damage.is_beside_letter |= !invalid.is_empty() && !last.is_ascii();
            }
            if invalid.is_empty() {
                continue;
            }
            damage.rows += usize::from(row == 0);
            row += invalid.len();
            damage.malformed += 1;
            damage.malformed_octets += invalid.len();
            damage.longest = damage.longest.max(row);
            damage.is_in_rows |= row > 1 || !matches!(invalid, [0xc0..=0xff]);
        }
        damage.evidence = evidence(&scripts);
        damage
    }

    fn is_repairable(self) -> bool {
        let is_apart = !self.is_beside_letter;
        if self.letters > 0 && is_apart && !self.is_in_rows {
            return true;
        }
        let others = self.letters.saturating_sub(self.rare);
        if self.armenian > 1 && self.armenian == self.rare && self.malformed <= self.armenian {
            return true;
        }
        if self.rare > others {
            // A text in a rare script, if nearly all of it is well-formed.
            return self.malformed <= self.letters.div_ceil(4);
        }
        if self.evidence > 0 && self.malformed + RARE * self.rare <= self.evidence {
            return true;
        }
        let are_rows_few = || {
            (is_apart && self.longest <= MAX_ROW_BYTES && self.rows <= self.letters)
                || (self.rows == 1 && self.malformed_octets <= self.letter_octets)
                || self.malformed_octets * 2 <= self.letter_octets
        };
        self.letters > 0 && self.rare == 0 && are_rows_few()
    }
}

/// Returns true if words have a Latin letter of UTF-8 beside letters of ASCII, and these are not fewer than the
/// malformed octets.
fn has_latin_words(octets: &[u8]) -> bool {
    let (mut letters, mut ascii, mut malformed) = (0_usize, 0_usize, 0_usize);
    let words = octets.split(|octet| octet.is_ascii() && !octet.is_ascii_alphabetic());
    for word in words.filter(|word| !word.is_ascii()) {
        let of_ascii = word.iter().filter(|octet| octet.is_ascii()).count();
        ascii += of_ascii;
        for chunk in word.utf8_chunks() {
            malformed += chunk.invalid().len();
            if of_ascii > 0 {
                letters += chunk
                    .valid()
                    .chars()
                    .filter(|letter| is_latin(*letter))
                    .count();
            }
        }
    }
    letters > 0 && ascii >= malformed
}

/// Returns true for the letters and signs of Latin alphabets beside those of ASCII.
fn is_latin(letter: char) -> bool {
    matches!(letter, '\u{a0}'..='\u{17f}' | '\u{1e00}'..='\u{1eff}') || is_latin_of_few(letter)
}

/// Returns true for the letters of Vietnamese, Pinyin and Romanian among rare ones.
fn is_latin_of_few(letter: char) -> bool {
    matches!(letter, 'Ơ' | 'ơ' | 'Ư' | 'ư' | '\u{1cd}'..='\u{1dc}' | 'Ș'..='ț')
}

/// Returns the number of malformed sequences beside which letters are no chance, by the number of letters of each
/// script. Letters by chance are of many scripts.
fn evidence(scripts: &HashMap<u32, usize>) -> usize {
    let of_length = |length: u32| {
        let here = move |script: &&u32| length_of(**script) == length;
        let counts = scripts
            .keys()
            .filter(here)
            .filter_map(|script| scripts.get(script));
        counts.fold((0, 0), |(all, most), count| (all + count, most.max(*count)))
    };
    let (pairs, most_pairs) = of_length(2);
    let (triples, most_triples) = of_length(3);
    let (quadruples, _) = of_length(4);
    let of_pairs = if most_pairs > 1 {
        pairs.max(most_pairs * PAIRS)
    } else {
        pairs
    };
    of_pairs + triples + most_triples * (TRIPLES - 1) + quadruples * QUADRUPLES
}

/// A number for the script of a letter, which is one of its letters or near them.
fn script(letter: char) -> u32 {
    match u32::from(letter) {
        0..=0x17f => 0x80,
        code @ ..=0x7ff => code & !0xff,
        // The letters of Chinese, Japanese and Korean, and the signs between them.
        0x3000..=0x30ff | 0x4e00..=0x9fff | 0xff00..=0xffff => 0x4e00,
        0xac00..=0xd7af => 0xac00,
        code @ ..=0xffff => code & !0x7f,
        _ => 0x1_0000,
    }
}

/// The octets of the letters of a script.
fn length_of(script: u32) -> u32 {
    match script {
        ..=0x7ff => 2,
        0x800..=0xffff => 3,
        _ => 4,
    }
}

/// Returns true for a letter that hardly any text has, but octets in other charsets often are: control characters,
/// phonetic and historic letters, Armenian, Syriac, N’Ko, and of three octets Samaritan to Mongolian, Braille and the
/// rare signs of Chinese. False for what Vietnamese, Pinyin and Romanian have among them.
fn is_rare(letter: char) -> bool {
    let is_in_use = letter == 'ƒ' || is_latin_of_few(letter);
    !is_in_use
        && matches!(
            letter,
            '\u{80}'..='\u{9f}'
                | '\u{180}'..='\u{2ff}'
                | '\u{328}'..='\u{385}'
                | '\u{460}'..='\u{48f}'
                | '\u{4a0}'..='\u{58f}'
                | '\u{700}'..='\u{8ff}'
                | '\u{1400}'..='\u{1cff}'
                | '\u{2800}'..='\u{2dff}'
                | '\u{3400}'..='\u{4dbf}'
                | '\u{a000}'..='\u{abff}'
                | '\u{d7b0}'..='\u{f8ff}'
                | '\u{30000}'..
        )
}

/// Returns true if a text is UTF-8, though single octets may be damaged.
pub fn is_utf8(octets: &[u8]) -> bool {
    utf8(octets).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn legacy_texts_are_not_utf8() {
        for (name, text) in [
            ("windows-1251", "Тёплый вечер"),
            ("windows-1251", "Объявление"),
            ("koi8-r", "Привет, мир"),
            ("koi8-r", "Что делать и кто виноват?"),
            ("iso-8859-5", "Съешь же ещё этих мягких"),
            ("windows-1252", "«Größe» für Österreich"),
            ("windows-1252", "FÜR GRÖßERE STRAßEN"),
            ("windows-1252", "„Das macht Spaß“, sagt sie"),
            ("windows-1252", "Ã© und ü sind Ähnliches, größer"),
            ("windows-1252", "CAFÉ» fermé à l’été"),
            ("windows-874", "สวัสดีครับ ประเทศไทย"),
            ("gbk", "中文新闻组测试"),
            ("gbk", "请问谁有这本书"),
            ("big5", "連線測試"),
            ("euc-jp", "日本語のニュース"),
            ("euc-kr", "한국어 뉴스"),
            ("shift_jis", "日本語のニュース"),
            ("koi8-u", "Бієлла"),
            ("cp866", "Аргентина"),
            ("cp866", "Программа передач"),
            ("gbk", "巴巴多斯"),
            ("big5", "巴基斯坦"),
            ("euc-jp", "ボリビア多民族国"),
            ("euc-kr", "카메룬"),
            ("windows-874", "อัฟกานิสถาน"),
            ("koi8-r", "Re: Linux: её цену назвали"),
            ("windows-1251", "Netscape: Её другие Win95"),
            ("windows-1252", "Das „Ä“ für größere Häuser"),
        ] {
            let charset = super::super::Charset::named(name).unwrap();
            let octets = charset.encode(text);
            assert!(!is_utf8(&octets), "{name}: {:?}", utf8(&octets));
        }
    }

    /// Letters of one script, and the number of malformed octets that each outweighs.
    fn letters_of_one_script() -> impl Strategy<Value = (usize, Vec<String>)> {
        let scripts = prop::sample::select(vec![
            ("[éßñü]", PAIRS, 2),
            ("[а-яё]", PAIRS, 2),
            ("[α-ω]", PAIRS, 2),
            ("[א-ת]", PAIRS, 2),
            ("[日本語のニュース、。]", TRIPLES, 1),
            ("[가-힣]", TRIPLES, 1),
            ("[क-ह]", TRIPLES, 1),
            ("[😀-😎]", QUADRUPLES, 1),
        ]);
        scripts.prop_flat_map(|(letter, weight, least)| {
            let letter = prop::string::string_regex(letter).unwrap();
            (Just(weight), prop::collection::vec(letter, least..9))
        })
    }

    /// Letters of ASCII, and not more malformed octets behind them: of a letter that was cut, the rest of one, a letter
    /// of Latin-1, or none.
    fn damaged_piece() -> impl Strategy<Value = (String, Vec<u8>)> {
        let rows: Vec<&[u8]> = vec![
            b"\xc3",
            b"\xa9",
            b"\x80",
            b"\xe2\x82",
            b"\x82\xac",
            b"\xe9",
            b"\xfc",
            b"\xd0",
            b"",
        ];
        (
            "[a-z]{2,5}",
            prop::sample::select(rows).prop_map(<[u8]>::to_vec),
        )
    }

    proptest! {
        #[test]
        fn text_around_a_bad_octet_is_unchanged(
            before in "[a-z éßñ€дж中😀]{0,20}",
            behind in "[a-z éßñ€дж中😀]{0,20}",
            octet in prop_oneof![Just(0xff_u8), Just(0xfe), 0x80..=0xc1_u8],
        ) {
            prop_assume!(!before.is_ascii() || !behind.is_ascii());
            let octets = [before.as_bytes(), &[octet], behind.as_bytes()].concat();
            let text = utf8(&octets);
            prop_assert!(text.is_some());
            let text = text.unwrap_or_default();
            prop_assert!(text.starts_with(&before) && text.ends_with(&behind));
            prop_assert_eq!(text.chars().count(), before.chars().count() + 1 + behind.chars().count());
        }

        #[test]
        fn text_around_a_row_of_bad_octets_is_unchanged(
            before in "[a-z éßñ€дж中😀]{0,20}",
            behind in "[a-z éßñ€дж中😀]{0,20}",
            row in prop::collection::vec(prop_oneof![Just(0xff_u8), Just(0xfe), 0x80..=0xc1_u8], 1..5),
        ) {
            let letters = format!("{before}{behind}");
            let octets: usize = letters.chars().map(char::len_utf8).filter(|octets| *octets > 1).sum();
            // Most of what is not ASCII is valid, or the row stands apart.
            let is_apart = !before.ends_with(|letter: char| !letter.is_ascii())
                && !behind.starts_with(|letter: char| !letter.is_ascii());
            prop_assume!(octets > 0 && (is_apart || row.len() <= octets));
            let damaged = [before.as_bytes(), &row, behind.as_bytes()].concat();
            let text = utf8(&damaged).unwrap_or_default();
            prop_assert!(text.starts_with(&before) && text.ends_with(&behind), "{text}");
            prop_assert_eq!(text.chars().count(), letters.chars().count() + row.len());
        }

        #[test]
        fn letters_of_one_script_outweigh_malformed_octets(
            (weight, letters) in letters_of_one_script(),
            pieces in prop::collection::vec("[a-z ]{0,4}", 9),
            malformed in prop::collection::vec((any::<usize>(), prop_oneof![0xfe..=0xff_u8, 0x80..=0xc1_u8]), 1..80),
        ) {
            let text = letters.iter().zip(&pieces).map(|(letter, piece)| format!("{piece}{letter}"));
            let text: Vec<char> = text.collect::<String>().chars().collect();
            // Before each letter, and at the end.
            let mut rows = vec![Vec::new(); text.len() + 1];
            let ends = rows.len();
            for (at, octet) in malformed.iter().take(weight * letters.len()) {
                rows[at % ends].push(*octet);
            }
            let mut octets = Vec::new();
            for (at, row) in rows.iter().enumerate() {
                octets.extend(row);
                octets.extend(text.get(at).into_iter().flat_map(|letter| letter.to_string().into_bytes()));
            }
            let decoded = utf8(&octets).unwrap_or_default();
            prop_assert_eq!(decoded.chars().count(), text.len() + rows.concat().len(), "{}", decoded);
            let mut shown = decoded.chars();
            prop_assert!(text.iter().all(|letter| shown.any(|other| other == *letter)));
        }

        #[test]
        fn letters_of_latin_1_between_ascii_are_repaired(
            words in prop::collection::vec("[a-z]{1,4}", 2..8),
            bad in prop::collection::vec(0xe0..=0xff_u8, 7),
            letter in "[ë日“😀д]",
        ) {
            let mut octets = letter.clone().into_bytes();
            for (word, octet) in words.iter().zip(&bad) {
                octets.extend(word.as_bytes());
                octets.push(*octet);
            }
            octets.push(b'.');
            let text = utf8(&octets).unwrap_or_default();
            prop_assert!(text.starts_with(&letter), "{text}");
            prop_assert_eq!(text.chars().count(), 2 + words.iter().take(7).map(|word| word.len() + 1).sum::<usize>());
        }

        #[test]
        fn latin_words_with_damaged_octets_are_unchanged(
            words in prop::collection::vec(prop::collection::vec(damaged_piece(), 1..5), 1..6),
            (at, letter) in (any::<usize>(), "[é-üßőřłčặșơ°]"),
        ) {
            // A whole letter behind one of ASCII.
            let at = at % words.len();
            let (mut octets, mut expected) = (Vec::new(), String::new());
            for (number, word) in words.iter().enumerate() {
                let whole = if number == at { format!("e{letter}") } else { String::new() };
                octets.extend(whole.as_bytes());
                expected.push_str(&whole);
                for (ascii, bad) in word {
                    octets.extend(ascii.as_bytes());
                    octets.extend(bad);
                    expected.push_str(ascii);
                    expected.push_str(&WINDOWS_1252.decode_without_bom_handling(bad).0);
                }
                octets.push(b' ');
                expected.push(' ');
            }
            let decoded = utf8(&octets);
            prop_assert_eq!(decoded.as_deref(), Some(expected.as_str()));
        }

        #[test]
        fn text_cut_inside_a_letter_is_utf8(text in "[a-z éßñ€дж中😀]{0,20}[éд]", last in "[é€中😀]", cut in 1..3_usize) {
            let octets = [text.as_bytes(), &last.as_bytes()[..last.len().saturating_sub(cut).max(1)]].concat();
            let decoded = utf8(&octets).unwrap_or_default();
            prop_assert!(decoded.starts_with(&text), "{decoded}");
        }

        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            prop_assert_eq!(utf8(&octets).is_some(), is_utf8(&octets));
        }
    }
}
