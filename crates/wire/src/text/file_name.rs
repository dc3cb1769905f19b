//! Names for local files, made from the names of servers.

use super::{Charset, Text};

/// The longest file name in octets; all current file systems accept this length.
const MAX_NAME_BYTES: usize = 200;

/// The end of the name of a state file, which records the origin of a partial download. No server may write one.
const STATE_FILE: &str = ".part.geomys";

/// A name for a local file, made from a server's name in octets: its last segment, without control characters,
/// separators, leading dots or spaces, at most 200 octets, and never empty (`fallback` is used instead).
pub fn file_name(octets: &[u8], fallback: &str) -> String {
    safe_file_name(octets, Charset::default()).unwrap_or_else(|| fallback.to_owned())
}

/// A name as [`file_name`] makes it, for octets that are decoded by `charset`; `None` if nothing is left.
pub fn safe_file_name(octets: &[u8], charset: Charset) -> Option<String> {
    let text = Text::new(octets, charset);
    let mut segments = text.as_str().rsplit(['/', '\\']);
    let last = segments.find(|segment| !segment.is_empty())?;
    let name = last.trim_start_matches(['.', ' ', '-']).trim_end();
    let is_reserved = |c| matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0');
    limited(name.replace(is_reserved, "_"))
}

/// A name for a file in a directory that holds nothing but the files of one server: everything that a file name of
/// Unix may hold stays, except control characters and invisible ones. `None` if nothing is left, and for `.` and `..`.
pub fn exact_file_name(octets: &[u8], charset: Charset) -> Option<String> {
    let text = Text::new(octets, charset);
    let mut segments = text.as_str().rsplit('/');
    let last = segments.find(|segment| !segment.is_empty())?;
    let is_directory = matches!(last, "." | "..");
    limited(last.to_owned()).filter(|_| !is_directory)
}

/// Shortens a name to the longest length, at the end of a character.
fn limited(mut name: String) -> Option<String> {
    name.truncate(name.floor_char_boundary(MAX_NAME_BYTES));
    if name.to_ascii_lowercase().ends_with(STATE_FILE) {
        name.push('_');
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn exact_name_keeps_what_unix_allows() {
        let exact = |octets: &[u8]| exact_file_name(octets, Charset::default());
        for name in [
            ".profile", " a", "-rf", "a\\b", "a:b", "what?", "a ", "a\u{e9}",
        ] {
            assert_eq!(exact(name.as_bytes()).as_deref(), Some(name));
        }
        assert_eq!(exact(b"a/b").as_deref(), Some("b"));
        assert_eq!(exact(b"a\x1b[2Jb\n").as_deref(), Some("ab"));
        assert_eq!(exact(b"a.part.geomys").as_deref(), Some("a.part.geomys_"));
        for none in [b"".as_slice(), b".", b"..", b"../", b"\x07", b"a/.."] {
            assert_eq!(exact(none), None, "{}", none.escape_ascii());
        }
    }

    #[test]
    fn name_is_decoded_by_its_charset() {
        let cyrillic = Charset::named("windows-1251").unwrap();
        let octets = b"\xcf\xf0\xe8\xe2\xe5\xf2.txt";
        for name in [exact_file_name, safe_file_name] {
            assert_eq!(name(octets, cyrillic).as_deref(), Some("Привет.txt"));
            let utf8 = "ü.txt".as_bytes();
            assert_eq!(name(utf8, cyrillic).as_deref(), Some("ü.txt"));
        }
    }

    proptest! {
        #[test]
        fn name_is_one_segment(octets in proptest::collection::vec(any::<u8>(), 0..300)) {
            let charset = Charset::named("shift_jis").unwrap();
            for name in [exact_file_name, safe_file_name].iter().filter_map(|name| name(&octets, charset)) {
                prop_assert!(!name.contains(['/', '\0']), "{name}");
                prop_assert!(name.len() <= MAX_NAME_BYTES + 1 && !matches!(&*name, "." | ".."), "{name}");
                prop_assert!(!name.chars().any(crate::text::is_harmful), "{name}");
            }
        }
    }
}
