//! The Xref header: the other groups of an article (RFC 5536, section 3.2.14).
//!
//! ```text
//! xref = server 1*( 1*blank group ":" number )
//! ```

use std::collections::HashMap;

use geomys_wire::protocol::nntp::overview;
use geomys_wire::protocol::octets;

use super::numbers::ArticleNumbers;
use super::raw::LineBuffer;

/// The maximum number of octets of an article that are searched for its headers.
const HEAD: usize = 256 * 1024;

/// The groups in the value of an Xref header, with the article's number in each. Malformed words are ignored.
pub(super) fn groups(value: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    // The first word is the server's name.
    octets::words(value).skip(1).filter_map(|word| {
        let at = memchr::memrchr(b':', word)?;
        let (group, number) = word.split_at_checked(at)?;
        let number = octets::number(number.get(1..)?)?;
        (!group.is_empty()).then_some((group, number))
    })
}

/// The groups in the Xref field of an overview line, with the article's number in each. It is one of the optional fields
/// behind the eighth.
pub(super) fn of_overview(line: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    let extra = line.split(|&octet| octet == b'\t').skip(8);
    let mut xref = extra.filter_map(|field| {
        let (name, value) = field.trim_ascii().split_at_checked(5)?;
        name.eq_ignore_ascii_case(b"xref:").then_some(value)
    });
    groups(xref.next().unwrap_or_default())
}

/// The groups that articles were posted to, with the numbers of the articles in each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossPosts {
    /// The numbers by group.
    pub groups: HashMap<Vec<u8>, ArticleNumbers>,
}

impl CrossPosts {
    /// Adds the groups of an overview line, if its number is one of these.
    pub fn add(&mut self, line: &[u8], numbers: &ArticleNumbers) {
        if overview(line).is_some_and(|article| numbers.contains(article.number)) {
            self.add_line(line);
        }
    }

    /// Adds the groups of an overview line.
    pub(super) fn add_line(&mut self, line: &[u8]) {
        for (group, number) in of_overview(line) {
            match self.groups.get_mut(group) {
                Some(known) => known.insert(number, number),
                None => {
                    let numbers = ArticleNumbers::range(number, number);
                    self.groups.insert(group.to_vec(), numbers);
                }
            }
        }
    }
}

/// The value of a header of an article, with its lines joined; nothing where the header is missing.
pub(super) fn header(article: &LineBuffer, name: &[u8]) -> Option<Vec<u8>> {
    let mut value: Option<Vec<u8>> = None;
    let mut scanned = 0;
    for number in 0..article.lines() {
        let line = article.line(number)?;
        scanned += line.len() + 1;
        if line.is_empty() || scanned > HEAD {
            break;
        }
        match (&mut value, line.first()) {
            (Some(value), Some(b' ' | b'\t')) => value.extend_from_slice(line),
            (Some(_), _) => break,
            (None, _) => {
                let split = line.split_at_checked(name.len());
                let found = split.filter(|(start, _)| start.eq_ignore_ascii_case(name));
                value = found.and_then(|(_, rest)| Some(rest.strip_prefix(b":")?.to_vec()));
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_numbers() {
        let found: Vec<_> = groups(b" news.example.org a.b:12 c:d:3\tx:y :4 e.f:+5 g.h:").collect();
        assert_eq!(found, [(b"a.b".as_slice(), 12), (b"c:d", 3)]);
        assert_eq!(groups(b"").count(), 0);
        let mut article = LineBuffer::default();
        article.append(b"Subject: x\nXREF: h a.b:1\n\tc.d:2\nFrom: x\n\nXref: h e.f:3\n");
        let value = header(&article, b"Xref").unwrap();
        let found: Vec<_> = groups(&value).collect();
        assert_eq!(found, [(b"a.b".as_slice(), 1), (b"c.d", 2)]);
        assert_eq!(header(&article, b"References"), None);
    }
}
