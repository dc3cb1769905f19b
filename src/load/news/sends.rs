//! The lines that a load of news sends, to be shown before it does.

use super::wanted::bare;
use crate::protocol::nntp::message_id;
use crate::url::{GroupPart, News, Nntp, Range};

/// The lines that a load of this URL sends, as far as they are known before.
pub(in crate::load) fn sends_news(url: &News<'_>) -> Option<Vec<u8>> {
    Some(match url.part {
        GroupPart::All => b"LIST ACTIVE\r\n".to_vec(),
        GroupPart::Groups(pattern) => [b"LIST ACTIVE ", &*pattern.octets(), b"\r\n"].concat(),
        GroupPart::Group(name) => [b"GROUP ", &*name.octets(), b"\r\n"].concat(),
        GroupPart::Articles(name, range) => {
            let group = [b"GROUP ", &*name.octets(), b"\r\n"].concat();
            [group, sends_range(range).into_bytes()].concat()
        }
        GroupPart::Article(article) => {
            let id = message_id(bare(&article.id.octets())).ok()?;
            [b"ARTICLE ", id.as_slice(), b"\r\n"].concat()
        }
    })
}

/// The same of an `nntp:` URL.
pub(in crate::load) fn sends_nntp(url: &Nntp<'_>) -> Vec<u8> {
    let range = url.range.or(url.number.map(Range::One));
    let articles = range.map_or(String::new(), sends_range);
    [
        b"GROUP ",
        &*url.group.octets(),
        b"\r\n",
        articles.as_bytes(),
    ]
    .concat()
}

/// What asks for articles by their numbers. The server's marks may make a range shorter.
fn sends_range(range: Range<'_>) -> String {
    match (range, range.numbers()) {
        (Range::One(_), Some((number, _))) => format!("ARTICLE {number}\r\n"),
        (Range::From(_) | Range::Between(..), _) => format!("OVER {}\r\n", range.written()),
        (Range::One(_), None) => String::new(),
    }
}
