//! UTF-8, also where single octets of it are damaged.
//!
//! The charset is judged by the whole text, the repair is by octet: a text that was cut inside a letter, or in which
//! one octet is of Latin-1, is UTF-8 still. Well-formed letters of several octets hardly occur by chance, so a text
//! with at least as many of them as malformed sequences is UTF-8; and so is one with a single letter whose malformed
//! octets all stand alone between ASCII, as the letters of Latin-1 do: those of other charsets come in pairs and rows.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// Decodes a text that is UTF-8; its malformed octets alone are decoded as windows-1252. Returns `None` if the text is
/// in another charset. Like that of [`Charset::decode`](super::Charset::decode), the result is not safe to show.
pub fn utf8(octets: &[u8]) -> Option<Cow<'_, str>> {
    if let Ok(text) = std::str::from_utf8(octets) {
        return Some(Cow::Borrowed(text));
    }
    let (mut letters, mut malformed) = (0, 0);
    let mut is_alone = true;
    let mut chunks = octets.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        let valid = chunk.valid();
        letters += valid.bytes().filter(|octet| *octet >= 0xc0).count();
        malformed += usize::from(!chunk.invalid().is_empty());
        let next = chunks.peek().and_then(|next| next.valid().bytes().next());
        let is_ascii = |octet: Option<u8>| octet.is_none_or(|octet| octet.is_ascii());
        is_alone &= match chunk.invalid() {
            [] => true,
            [0xc0..=0xff] => is_ascii(valid.bytes().last()) && is_ascii(next),
            _ => false,
        };
    }
    if malformed > letters && !(is_alone && letters > 0) {
        return None;
    }
    let mut text = String::with_capacity(octets.len());
    for chunk in octets.utf8_chunks() {
        text.push_str(chunk.valid());
        text.push_str(&WINDOWS_1252.decode_without_bom_handling(chunk.invalid()).0);
    }
    Some(Cow::Owned(text))
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
            ("windows-1252", "«Größe» für Österreich"),
            ("gbk", "中文新闻组测试"),
            ("big5", "連線測試"),
            ("euc-jp", "日本語のニュース"),
            ("euc-kr", "한국어 뉴스"),
            ("shift_jis", "日本語のニュース"),
        ] {
            let charset = super::super::Charset::named(name).unwrap();
            let octets = charset.encode(text);
            assert!(!is_utf8(&octets), "{name}: {:?}", utf8(&octets));
        }
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
