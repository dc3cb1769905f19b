//! Conversion of foreign octets to text that is safe to show.
//!
//! Everything from a server, a file or a URL becomes [`Text`] before it is shown, copied, logged or used as a file
//! name, and `Text` can be made nowhere else. It never holds C0 and C1 control characters (such as ESC, and the
//! sequences that ESC and CSI start), bidirectional overrides, line separators, or invisible characters that no
//! script needs. Tabs have become spaces. It is one line, for display; the original octets are not changed. Colours
//! are returned beside the text ([`SgrDecoder`]), never in it.
//! Besides, there are small helpers for texts of our own: counts, errors, character references of XML and HTML.

mod charset;
mod clean;
mod cut;
mod escape;
mod file_name;
mod hidden;
mod measure;
mod sample;
mod sgr;
mod shown_name;
mod stateful;
mod utf8;

use std::borrow::Cow;
use std::{fmt, io};

use clean::clean;
use measure::is_visible_ascii;
use quick_xml::escape::{resolve_html5_entity, unescape_with};

pub use charset::{Charset, CharsetDecoder, CharsetSetting, TextConverter};
pub use clean::is_harmful;
pub use cut::cut;
pub use escape::Escape;
pub use file_name::{FileUse, file_name, local_file_name};
pub use measure::{
    around, breaks, columns, hanging, prefix, shorten, shorten_middle, width, width_within, wrap,
};
pub use sample::CharsetSample;
pub use sgr::{Colour, SgrDecoder, SgrStyle, StyledRanges, TextAttribute, blank_sgr};
pub use shown_name::NameCharset;
pub use utf8::{is_utf8, utf8};

/// A line of text that may be shown on any terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(String);

impl Text {
    /// Decodes octets as UTF-8 if they are that ([`utf8`]), else by `charset`, and removes everything that could affect
    /// the terminal.
    pub fn new(octets: &[u8], charset: Charset) -> Self {
        Self::safe(decoded(octets, charset))
    }

    /// Like [`Text::new`], but octets that are malformed in `charset` are decoded as windows-1252: the text is to be
    /// sent, and holds no U+FFFD that the octets do not have.
    pub fn without_replacement(octets: &[u8], charset: Charset) -> Self {
        let text = utf8(octets);
        Self::safe(text.unwrap_or_else(|| Cow::Owned(charset.decode_without_replacement(octets))))
    }

    fn safe(text: Cow<'_, str>) -> Self {
        if is_visible_ascii(&text) {
            return Self(text.into_owned());
        }
        Self(clean(&text, &mut |_| {}))
    }

    /// The text of a string: our own sentences with foreign words in them. Removes the same characters as
    /// [`Text::new`].
    pub fn of(text: &str) -> Self {
        Self::new(text.as_bytes(), Charset::default())
    }

    /// The text, without a line end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The columns that the text takes on a terminal.
    pub fn width(&self) -> usize {
        width(&self.0)
    }

    /// Returns true if nothing would be visible.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An amount of bytes for people: `512 B`, `4.1 kB`, `147.3 MB`; powers of a thousand.
pub fn octets(count: u64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    if count < 1000 {
        return format!("{count} B");
    }
    let mut tenths = u128::from(count) * 10 / 1000;
    for unit in UNITS {
        if tenths < 10_000 {
            return format!("{}.{} {unit}", tenths / 10, tenths % 10);
        }
        tenths /= 1000;
    }
    format!("{} EB", tenths * 100)
}

/// Returns a message without the numbers that the system gives its errors, as in `no space left (os error 28)`.
pub fn without_error_numbers(message: &str) -> Cow<'_, str> {
    const BEFORE: &str = " (os error ";
    let mut parts = message.split(BEFORE);
    let first = parts.next().unwrap_or_default();
    if first.len() == message.len() {
        return Cow::Borrowed(message);
    }
    let mut kept = first.to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|digit| digit.is_ascii_digit()) => {
                kept.push_str(rest);
            }
            Some(_) | None => kept.extend([BEFORE, part]),
        }
    }
    Cow::Owned(kept)
}

/// The message of an error of the system, without its number.
pub fn system_message(error: &io::Error) -> String {
    without_error_numbers(&error.to_string()).into_owned()
}

/// The sentence with its first letter in upper case, unless it begins with an address, a file name or `name`.
pub fn sentence_case<'a>(sentence: &'a str, name: &str) -> Cow<'a, str> {
    let first = sentence.split_whitespace().next().unwrap_or_default();
    let word = first.trim_end_matches([':', ',', ';']);
    let mut letters = sentence.chars();
    let letter = letters.next().filter(char::is_ascii_lowercase);
    match letter {
        Some(letter) if word != name && !word.contains(['.', ':', '/']) => Cow::Owned(format!(
            "{}{}",
            letter.to_ascii_uppercase(),
            letters.as_str()
        )),
        Some(_) | None => Cow::Borrowed(sentence),
    }
}

/// A whole number with a separator between thousands: `1,204`.
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn decoded(octets: &[u8], charset: Charset) -> Cow<'_, str> {
    // The escapes are ASCII. A text that was converted has none.
    if charset.is_stateful() && Charset::with_escapes(octets).is_some() {
        return charset.decode(octets);
    }
    utf8(octets).unwrap_or_else(|| charset.decode(octets))
}

/// Resolves the character references in a text (XML 1.0, section 4.1), with the names of HTML; returns the text
/// unchanged if one of them is invalid.
pub fn resolve_references(text: &str) -> String {
    unescape_with(text, resolve_html5_entity).map_or_else(|_| text.to_owned(), Cow::into_owned)
}

/// Returns the words of a text before the first name of a type with its fields, or the path of a type; None if there
/// are none.
///
/// ```
/// use geomys_wire::text::words_before_types;
///
/// assert_eq!(words_before_types("invalid part: BadTag"), Some("invalid part: BadTag"));
/// assert_eq!(words_before_types("in ChunkType { type: IDAT }"), Some("in"));
/// assert_eq!(words_before_types("invalid part: Tag(7)"), Some("invalid part"));
/// assert_eq!(words_before_types("Tag(7)"), None);
/// ```
pub fn words_before_types(text: &str) -> Option<&str> {
    let is_brace = |(at, sign): (usize, char)| {
        let before = text.get(..at).unwrap_or_default();
        let follows_name =
            || before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        match sign {
            '{' | '[' => true,
            '(' => follows_name(),
            ':' => before.ends_with(':'),
            _ => false,
        }
    };
    let Some((at, sign)) = text.char_indices().find(|at| is_brace(*at)) else {
        return Some(text.trim()).filter(|text| !text.is_empty());
    };
    let before = text.get(..at).unwrap_or_default();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    // A list has no name before it; a struct has one, and a blank between.
    let before = match sign {
        '[' => before,
        _ => before.trim_end().trim_end_matches(is_name),
    };
    Some(before.trim().trim_end_matches([':', ',']).trim_end()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sentence_begins_with_a_capital_unless_it_begins_with_a_name() {
        for (sentence, name, expected) in [
            ("offline: no titles", "", "Offline: no titles"),
            ("stopped", "", "Stopped"),
            ("“a” removed", "", "“a” removed"),
            ("h.example: no answer", "", "h.example: no answer"),
            ("localhost refused it", "localhost", "localhost refused it"),
            ("gopher://h/ is dead", "", "gopher://h/ is dead"),
            ("", "", ""),
        ] {
            assert_eq!(sentence_case(sentence, name), expected);
        }
    }

    proptest! {
        #[test]
        fn no_number_of_the_system_stands_in_a_message(number in 1..134, before in "[a-z (]{0,9}", after in "[a-z )]{0,9}") {
            let error = io::Error::from_raw_os_error(number);
            let message = format!("{before}{error}{after}");
            let shown = without_error_numbers(&message);
            prop_assert!(!shown.contains("os error"), "{}", shown);
            prop_assert!(shown.starts_with(&before) && shown.ends_with(&after));
            prop_assert!(!system_message(&error).contains("os error"));
        }

        #[test]
        fn other_messages_stay(message in "[a-z ()0-9]{0,40}") {
            prop_assert_eq!(without_error_numbers(&message), message.as_str());
        }
    }

    #[test]
    fn references_are_resolved_by_number_and_by_name() {
        assert_eq!(
            resolve_references("a &lt; b &#233;&#xe9;&eacute;"),
            "a < b ééé"
        );
    }

    #[test]
    fn text_with_an_invalid_reference_is_unchanged() {
        assert_eq!(resolve_references("&lt;&nothing;"), "&lt;&nothing;");
        assert_eq!(resolve_references("AT&T"), "AT&T");
    }
}
