//! The settings of an author, for all texts and for single groups.

use std::path::{Path, PathBuf};

use geomys_wire::protocol::nntp::Wildmat;
use geomys_wire::text::Charset;

/// Settings of the author, from settings.toml.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// `Name <address>`; `None` until it is set or entered.
    pub from: Option<String>,
    /// The line above a quotation, with `{name}`, `{date}`, `{group}`, `{subject}` and `{id}` in it.
    pub attribution: String,
    /// Prefix of a quoted line.
    pub quote: String,
    /// File with the signature, which is appended to the text.
    pub signature: Option<PathBuf>,
    /// Domain of generated Message-IDs, if one is set.
    pub message_id_domain: Option<String>,
    /// Charset in which texts are sent; UTF-8 if it is not set.
    pub charset: Option<PostingCharset>,
    /// What differs in single groups.
    pub by_group: Vec<GroupAuthor>,
    /// Program that reads a letter from its standard input, and its arguments; empty if none is set.
    pub mail: Vec<String>,
    /// Editor and its arguments.
    pub editor: Vec<String>,
}

/// What an author has set for some groups. `None` is the same as everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupAuthor {
    /// The groups.
    pub groups: Wildmat,
    /// `Name <address>`.
    pub from: Option<String>,
    /// File with the signature; an empty path for none.
    pub signature: Option<PathBuf>,
    /// Charset in which texts are sent.
    pub charset: Option<PostingCharset>,
}

impl Author {
    /// Returns the settings for a text in these groups, separated by commas: those of the first entry that fits the
    /// first group which any entry fits.
    #[must_use]
    pub fn for_groups(&self, groups: &str) -> Self {
        let of_group = |group: &str| {
            let mut entries = self.by_group.iter();
            entries.find(|entry| entry.groups.matches(group.as_bytes()))
        };
        let mut author = self.clone();
        let Some(own) = groups.split(',').map(str::trim).find_map(of_group) else {
            return author;
        };
        author.from = own.from.clone().or(author.from);
        author.charset = own.charset.clone().or(author.charset);
        if let Some(path) = &own.signature {
            author.signature = Some(path.clone()).filter(|path| path != Path::new(""));
        }
        author
    }

    /// Returns the value of From, empty if it is not set.
    pub(super) fn mailbox(&self) -> &str {
        self.from.as_deref().unwrap_or_default()
    }
}

/// A charset in which texts are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingCharset {
    charset: Charset,
    /// The name that a text declares, in small letters.
    name: String,
}

impl PostingCharset {
    /// The charset with this name; `None` if it cannot be written, or has no such name in mail and news: each name must
    /// say which characters its octets are.
    pub fn named(name: &str) -> Option<Self> {
        let charset = Charset::named(name)?;
        let name = name.trim().to_ascii_lowercase();
        let is_plain = name.eq_ignore_ascii_case(charset.name()) || name.starts_with("iso-8859-");
        let this = Self { charset, name };
        (is_plain && this.encode("a").as_deref() == Some(b"a")).then_some(this)
    }

    /// The name that a text declares, in small letters.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Encodes a text; `None` if it has a character that the charset lacks.
    pub(super) fn encode(&self, text: &str) -> Option<Vec<u8>> {
        let octets = self.charset.encode(text);
        // What the Web reads as windows-1252 has these characters, what mail calls iso-8859-1 has not.
        let is_control = |octet: &u8| (0x80..0xa0).contains(octet);
        let is_foreign = self.name.starts_with("iso-8859-") && octets.iter().any(is_control);
        (!is_foreign && self.charset.decode(&octets) == text).then_some(octets)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_names_that_declare_their_octets_are_charsets_of_texts() {
        for name in [
            "koi8-r",
            "ISO-8859-1",
            "iso-8859-2",
            "iso-2022-jp",
            "utf-8",
            "big5",
        ] {
            assert!(PostingCharset::named(name).is_some(), "{name}");
        }
        for name in ["utf-16", "utf-32", "latin1", "us-ascii", "klingon-9", ""] {
            assert_eq!(PostingCharset::named(name), None, "{name}");
        }
        let latin = PostingCharset::named("iso-8859-1").unwrap();
        assert_eq!(latin.encode("é").as_deref(), Some(&b"\xe9"[..]));
        assert_eq!(latin.encode("1 €"), None);
        let windows = PostingCharset::named("windows-1252").unwrap();
        assert_eq!(windows.encode("€").as_deref(), Some(&b"\x80"[..]));
    }

    #[test]
    fn first_entry_that_fits_a_group_counts() {
        let entry = |groups: &str, from: &str, signature: Option<&str>| GroupAuthor {
            groups: Wildmat::parse(groups.as_bytes()),
            from: (!from.is_empty()).then(|| from.to_owned()),
            signature: signature.map(PathBuf::from),
            charset: None,
        };
        let author = Author {
            from: Some("a".to_owned()),
            signature: Some("all".into()),
            by_group: vec![
                entry("de.test", "", Some("")),
                entry("de.*,!de.alt.*", "b", Some("de")),
                entry("*.test", "c", None),
            ],
            ..Author::default()
        };
        for (groups, from, signature) in [
            ("", "a", Some("all")),
            ("comp.misc", "a", Some("all")),
            ("de.test", "a", None),
            ("de.comp, alt.test", "b", Some("de")),
            ("de.alt.x", "a", Some("all")),
            ("comp.misc,alt.test", "c", Some("all")),
        ] {
            let here = author.for_groups(groups);
            assert_eq!(here.from.as_deref(), Some(from), "{groups}");
            assert_eq!(
                here.signature.as_deref(),
                signature.map(Path::new),
                "{groups}"
            );
        }
    }

    proptest! {
        #[test]
        fn encoded_text_is_read_back_by_its_name(
            name in prop::sample::select(vec!["koi8-r", "iso-8859-1", "iso-8859-15", "windows-1251", "iso-2022-jp", "big5", "cp437"]),
            text in "[ -~äß€жд日本語あ]{0,30}",
        ) {
            let charset = PostingCharset::named(name).unwrap();
            if let Some(octets) = charset.encode(&text) {
                let read = Charset::decode_declared(charset.name().as_bytes(), &octets);
                prop_assert_eq!(read.unwrap(), text);
            }
        }
    }
}
