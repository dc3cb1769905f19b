//! The descriptions of the files of a directory, which bulletin boards and old servers keep in a file beside them.
//!
//! ```text
//! files.bbs    = *( name [ 1*SP type ] [ 1*SP size ] [ 1*SP date ] 1*SP description *( LF continuation ) LF )
//! type         = "A" / "B"                  ; before a size: a text or a binary file
//! continuation = 1*SP [ "|" / "+" ] text / ( "|" / "+" ) text
//! descript.ion = *( ( name / DQUOTE name DQUOTE ) 1*SP description [ %x04 program-data ] LF )
//! date         = 1*2digit ( "-" / "/" ) 1*2digit ( "-" / "/" ) 2*4digit / 6digit
//! ```
//!
//! Both are read by one parser. What follows a `%x04`, or the end of a file of DOS (`%x1A`), is left out.

use std::collections::HashMap;

use crate::protocol::octets::{self, number};
use crate::text::{Charset, CharsetSample};

/// The names of files with descriptions, in lower case.
const NAMES: [&[u8]; 7] = [
    b"files.bbs",
    b"descript.ion",
    b"00-index.txt",
    b"00_index.txt",
    b"00index.txt",
    b"00-index",
    b"index.bbs",
];

/// The most octets of a description: the rest is left out.
const MAX_DESCRIPTION_BYTES: usize = 1000;

/// The descriptions of files by their names, in any letter case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Descriptions {
    texts: HashMap<Vec<u8>, Vec<u8>>,
    /// The charset of the descriptions that are not UTF-8.
    charset: Charset,
}

/// A file in a list with descriptions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedFile<'a> {
    /// The name.
    pub name: &'a [u8],
    /// The size in octets, if it stands there.
    pub size: Option<u64>,
    /// The first line of the description; it may be empty.
    pub text: &'a [u8],
}

impl Descriptions {
    /// Returns true if a file of this name has descriptions of those beside it.
    pub fn are_in(name: &[u8]) -> bool {
        let lower = name.to_ascii_lowercase();
        NAMES.contains(&lower.as_slice())
    }

    /// Reads a file with descriptions. The first one of a name counts.
    pub fn parse(octets: &[u8]) -> Self {
        let end = memchr::memchr(0x1a, octets).unwrap_or(octets.len());
        let mut found: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
        let mut last: Option<Vec<u8>> = None;
        for line in octets::lines(octets.get(..end).unwrap_or(octets)) {
            if let Some(more) = continuation(line) {
                let text = last.as_ref().and_then(|name| found.get_mut(name));
                if let Some(text) = text.filter(|text| text.len() < MAX_DESCRIPTION_BYTES) {
                    text.push(b' ');
                    text.extend_from_slice(more);
                    text.truncate(MAX_DESCRIPTION_BYTES);
                }
                continue;
            }
            last = None;
            let Some(file) = DescribedFile::parse(line).filter(|file| !file.text.is_empty()) else {
                continue;
            };
            let name = file.name.to_ascii_lowercase();
            if !found.contains_key(&name) {
                let end = file.text.len().min(MAX_DESCRIPTION_BYTES);
                let text = file.text.get(..end).unwrap_or_default().to_vec();
                found.insert(name.clone(), text);
                last = Some(name);
            }
        }
        let mut sample = CharsetSample::default();
        for text in found.values() {
            sample.add(text);
        }
        Self {
            texts: found,
            // Both kinds of files are of DOS.
            charset: sample.charset_of_dos(),
        }
    }

    /// Returns the description of a file.
    pub fn of(&self, name: &[u8]) -> Option<&[u8]> {
        if self.texts.is_empty() {
            return None;
        }
        let text = self.texts.get(&name.to_ascii_lowercase());
        text.map(Vec::as_slice)
    }

    /// Returns the charset of the descriptions beside names in `chosen`, unless that is the default.
    pub fn charset(&self, chosen: Charset) -> Charset {
        if chosen == Charset::default() {
            self.charset
        } else {
            chosen
        }
    }
}

impl<'a> DescribedFile<'a> {
    /// Parses a line that is no continuation; None if it begins with no name.
    pub fn parse(line: &'a [u8]) -> Option<Self> {
        let end = memchr::memchr(4, line).unwrap_or(line.len());
        let line = line.get(..end)?;
        let (name, rest) = match line.strip_prefix(b"\"") {
            Some(quoted) => {
                let end = memchr::memchr(b'"', quoted)?;
                (quoted.get(..end)?, quoted.get(end + 1..)?)
            }
            None => word(line),
        };
        if !name.iter().any(u8::is_ascii_alphanumeric) {
            return None;
        }
        let mut rest = rest.trim_ascii();
        if let (b"A" | b"B", after) = word(rest)
            && size(word(after.trim_ascii()).0).is_some()
        {
            rest = after.trim_ascii();
        }
        let (first, after) = word(rest);
        let size = size(first);
        if size.is_some() {
            rest = after.trim_ascii();
        }
        let (first, after) = word(rest);
        if is_date(first) || size.is_some() && is_day(first) {
            rest = after.trim_ascii();
        }
        Some(Self {
            name,
            size,
            text: rest,
        })
    }
}

/// Returns the text of a line that continues a description.
fn continuation(line: &[u8]) -> Option<&[u8]> {
    let is_mark = |octet: &u8| matches!(octet, b' ' | b'\t' | b'|' | b'+');
    line.first().filter(|octet| is_mark(octet))?;
    let start = line.iter().position(|octet| !is_mark(octet));
    Some(line.get(start?..)?.trim_ascii())
}

/// Splits a line behind its first word.
fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let end = memchr::memchr2(b' ', b'\t', line).unwrap_or(line.len());
    line.split_at(end)
}

/// Parses a size: octets, or thousands with a `k`.
fn size(word: &[u8]) -> Option<u64> {
    let (digits, unit) = match word.split_last() {
        Some((b'k' | b'K', digits)) => (digits, 1024),
        Some((b'b' | b'B', digits)) => (digits, 1),
        _ => (word, 1),
    };
    number::<u64>(digits)?.checked_mul(unit)
}

/// Returns true for the digits of a year, a month and a day: `940523`.
fn is_day(word: &[u8]) -> bool {
    word.len() == 6 && word.iter().all(u8::is_ascii_digit)
}

fn is_date(word: &[u8]) -> bool {
    let parts: Vec<&[u8]> = word.split(|octet| matches!(octet, b'-' | b'/')).collect();
    parts.len() == 3
        && parts
            .iter()
            .all(|part| (1..=4).contains(&part.len()) && part.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text<'a>(descriptions: &'a Descriptions, name: &str) -> &'a str {
        std::str::from_utf8(descriptions.of(name.as_bytes()).unwrap_or(b"none")).unwrap()
    }

    #[test]
    fn lists_of_bulletin_boards_are_read() {
        let bbs = Descriptions::parse(
            b"== Area 7: Games ==\r\n\
              DOOM1_9.ZIP  2208012  02-01-95  Doom, the first episode\r\n\
              \x20                              | for four players\r\n\
              KEEN.ZIP     200k Commander Keen\r\n\
              PLAIN.ZIP\r\n\
              NODATE.ARJ A game of chess\r\n\x1aFILE.ZIP not there\r\n",
        );
        assert_eq!(
            text(&bbs, "doom1_9.zip"),
            "Doom, the first episode for four players"
        );
        assert_eq!(text(&bbs, "KEEN.ZIP"), "Commander Keen");
        assert_eq!(text(&bbs, "NODATE.ARJ"), "A game of chess");
        assert_eq!(text(&bbs, "PLAIN.ZIP"), "none");
        assert_eq!(text(&bbs, "FILE.ZIP"), "none");
        let ion = Descriptions::parse(
            b"\"a long name.txt\" Letters to Ada\x04\xc2more\r\nreadme.1st Read this\r\n",
        );
        assert_eq!(text(&ion, "A long name.txt"), "Letters to Ada");
        assert_eq!(text(&ion, "README.1ST"), "Read this");
        let old = Descriptions::parse(b"A.ZIP Gr\x94\xe1e\nB.ZIP \x8epfel\n");
        assert_eq!(old.charset(Charset::default()), Charset::CP437);
        let koi = Charset::named("koi8-r").unwrap();
        assert_eq!(old.charset(koi), koi);
    }

    proptest! {
        #[test]
        fn any_octets_are_read(octets: Vec<u8>) {
            Descriptions::parse(&octets);
        }

        #[test]
        fn description_of_a_name_is_found(name in "[a-z]{1,8}\\.[a-z]{3}", size: u32, words in "[A-Za-z][A-Za-z ]{0,30}[a-z]") {
            let list = format!("{} {size} 11-20-94 {words}\n", name.to_uppercase());
            let read = Descriptions::parse(list.as_bytes());
            prop_assert_eq!(read.of(name.as_bytes()), Some(words.as_bytes()));
        }
    }
}
