//! The commands that a load of news sends, to be shown before it starts.

use geomys_wire::protocol::nntp::message_id;
use rfc1738::{GroupPart, News, Nntp, Range};

use super::target::bare;

/// Returns the commands for a `news:` URL, as far as they are known before the server has answered.
pub(in crate::load) fn news_preview(url: &News<'_>) -> Option<Vec<u8>> {
    Some(match url.part {
        GroupPart::All => b"LIST ACTIVE\r\n".to_vec(),
        GroupPart::Groups(pattern) => [b"LIST ACTIVE ", &*pattern.octets(), b"\r\n"].concat(),
        GroupPart::Group(name) => [b"GROUP ", &*name.octets(), b"\r\n"].concat(),
        GroupPart::Articles(name, range) => {
            let group = [b"GROUP ", &*name.octets(), b"\r\n"].concat();
            [group, range_preview(range).into_bytes()].concat()
        }
        GroupPart::Article(article) => {
            let id = message_id(bare(&article.id.octets())).ok()?;
            [b"ARTICLE ", id.as_slice(), b"\r\n"].concat()
        }
    })
}

/// Returns the commands for an `nntp:` URL.
pub(in crate::load) fn nntp_preview(url: &Nntp<'_>) -> Vec<u8> {
    let range = url.range.or(url.number.map(Range::One));
    let articles = range.map_or(String::new(), range_preview);
    [
        b"GROUP ",
        &*url.group.octets(),
        b"\r\n",
        articles.as_bytes(),
    ]
    .concat()
}

/// Returns the command for articles by their numbers. The server's marks may make a range shorter.
fn range_preview(range: Range<'_>) -> String {
    match (range, range.numbers()) {
        (Range::One(_), Some((number, _))) => format!("ARTICLE {number}\r\n"),
        (Range::From(_) | Range::Between(..), _) => format!("OVER {}\r\n", range.written()),
        (Range::One(_), None) => String::new(),
    }
}
