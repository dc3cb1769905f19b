//! Names for local files, made from the names of servers.

use super::{Charset, Text};

/// The longest file name in octets; all current file systems accept this length.
const MAX_NAME_BYTES: usize = 200;

/// The end of the name of a state file, which records the origin of a partial download. No server may write one.
const STATE_FILE: &str = ".part.geomys";

/// The part of the names of temporary files and directories that Geomys writes beside others. No server may write one.
const TEMPORARY: &str = ".geomys-";

/// The use of a local file whose name a server has chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FileUse {
    /// A file among others, where a name must not hide or act: a download, a member of an archive, an attachment.
    #[default]
    Single,
    /// A file in a directory that holds nothing but the files of one server, whose names stay as far as they can.
    Mirror,
}

/// The name for a local file, made from a server's name in octets that are decoded by `charset`: its last segment
/// without control characters, at most 201 octets; never one of a file that Geomys writes for itself. `None` if nothing
/// is left.
///
/// A [`FileUse::Single`] name has no leading dot, blank or hyphen, and no character that shells and other systems
/// interpret. A [`FileUse::Mirror`] name has everything that Unix allows, but a hyphen at its beginning gets a `_`
/// before it: it would be an option to the commands of the user.
pub fn local_file_name(octets: &[u8], charset: Charset, usage: FileUse) -> Option<String> {
    let text = Text::new(octets, charset);
    let name = match usage {
        FileUse::Single => {
            let mut segments = text.as_str().rsplit(['/', '\\']);
            let last = segments.find(|segment| !segment.is_empty())?;
            let name = last.trim_start_matches(['.', ' ', '-']);
            let is_reserved = |c| matches!(c, ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0');
            limited(&name.replace(is_reserved, "_"))
                .trim_end()
                .to_owned()
        }
        FileUse::Mirror => {
            let mut segments = text.as_str().rsplit('/');
            let last = segments.find(|segment| !segment.is_empty())?;
            let hyphen = if last.starts_with('-') { "_" } else { "" };
            limited(&format!("{hyphen}{last}")).to_owned()
        }
    };
    let name = foreign(name);
    let is_none = matches!(name.as_str(), "" | "." | "..");
    (!is_none).then_some(name)
}

/// The name of a [`FileUse::Single`] file, with a fallback if nothing is left.
pub fn file_name(octets: &[u8], fallback: &str) -> String {
    let name = local_file_name(octets, Charset::default(), FileUse::Single);
    name.unwrap_or_else(|| fallback.to_owned())
}

/// The beginning of a name up to the longest length, at the end of a character.
fn limited(name: &str) -> &str {
    let end = name.floor_char_boundary(MAX_NAME_BYTES);
    name.get(..end).unwrap_or(name)
}

/// Makes another name of one that Geomys gives its own files, in any case: some file systems do not tell cases apart.
fn foreign(mut name: String) -> String {
    while let Some(at) = name.to_ascii_lowercase().find(TEMPORARY) {
        name.replace_range(at..=at, "_");
    }
    if name.to_ascii_lowercase().ends_with(STATE_FILE) {
        name.push('_');
    }
    name
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn name_in_a_mirror_keeps_what_unix_allows() {
        let exact = |octets: &[u8]| local_file_name(octets, Charset::default(), FileUse::Mirror);
        for name in [
            ".htaccess",
            " a",
            "a\\b",
            "a:b",
            "what?",
            "a ",
            "a\u{e9}",
            "a.geomys",
            "a.part",
            ".geomys",
        ] {
            assert_eq!(exact(name.as_bytes()).as_deref(), Some(name));
        }
        for (octets, expected) in [
            (b"a/b".as_slice(), "b"),
            (b"a\x1b[2Jb\n", "ab"),
            (b"-rf", "_-rf"),
            (b"a.part.geomys", "a.part.geomys_"),
            (b"A.PART.Geomys", "A.PART.Geomys_"),
            (b".settings.toml.geomys-new", ".settings.toml_geomys-new"),
            (b".a.warc.gz.Geomys-x1", ".a.warc.gz_Geomys-x1"),
        ] {
            assert_eq!(exact(octets).as_deref(), Some(expected));
        }
        for none in [b"".as_slice(), b".", b"..", b"../", b"\x07", b"a/.."] {
            assert_eq!(exact(none), None, "{}", none.escape_ascii());
        }
    }

    #[test]
    fn name_is_decoded_by_its_charset() {
        let cyrillic = Charset::named("windows-1251").unwrap();
        let octets = b"\xcf\xf0\xe8\xe2\xe5\xf2.txt";
        for usage in [FileUse::Single, FileUse::Mirror] {
            let name = |octets| local_file_name(octets, cyrillic, usage);
            assert_eq!(name(octets).as_deref(), Some("Привет.txt"));
            let utf8 = "ü.txt".as_bytes();
            assert_eq!(name(utf8).as_deref(), Some("ü.txt"));
        }
    }

    /// Names as servers may choose them: parts that are special somewhere, and any octets.
    fn octets() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            "[-. ~/\\\\:*]{1,3}".prop_map(String::into_bytes),
            "(?i)(\\.part)?\\.geomys(-new|-)?".prop_map(String::into_bytes),
            "[a-cA-C\u{e9}\u{202e}]{0,9}".prop_map(String::into_bytes),
            "n{90,120}".prop_map(String::into_bytes),
            proptest::collection::vec(any::<u8>(), 0..9),
        ];
        proptest::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn name_obeys_the_law_of_names(octets in octets()) {
            let charset = Charset::named("shift_jis").unwrap();
            for usage in [FileUse::Single, FileUse::Mirror] {
                let Some(name) = local_file_name(&octets, charset, usage) else { continue };
                prop_assert!(!name.contains(['/', '\0']), "{name}");
                prop_assert!(!matches!(&*name, "" | "." | ".."), "{name}");
                prop_assert!(name.len() <= MAX_NAME_BYTES + 1, "{name}");
                prop_assert!(!name.starts_with('-'), "{name}");
                prop_assert!(!name.chars().any(crate::text::is_harmful), "{name}");
                let lower = name.to_lowercase();
                prop_assert!(!lower.contains(TEMPORARY) && !lower.ends_with(STATE_FILE), "{name}");
                if usage == FileUse::Single {
                    prop_assert!(!name.starts_with(['.', ' ']) && !name.contains(['\\', ':', '*']), "{name}");
                }
                let again = local_file_name(name.as_bytes(), charset, usage);
                prop_assert_eq!(again.as_deref(), Some(&*name), "not the same again");
            }
        }
    }
}
