//! Overview lines made of the headers that HDR lists (RFC 3977, section 8.5) or XHDR (RFC 2980, section 2.6), for
//! servers without an overview.
//!
//! ```text
//! hdr    = "HDR" SP name SP range CRLF       ; 225 and a block
//! xhdr   = "XHDR" SP name SP range CRLF      ; 221 and a block; 502 not allowed
//! header = number SP value CRLF              ; XHDR has "(none)" for a header that an article lacks
//! ```

use std::collections::BTreeMap;

use tokio::io::{AsyncRead, AsyncWrite};

use super::open::Capability;
use super::{Dialogue, NntpError};
use crate::protocol::octets;

/// The most octets of a header of all articles in a range.
const MAX_HEADERS_BYTES: usize = 4 * 1024 * 1024;

/// The headers of an overview that HDR lists, in its order.
const OVERVIEW_HEADERS: [&str; 5] = ["Subject", "From", "Date", "Message-ID", "References"];

/// A command that lists a header of the articles in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeaderCommand {
    /// HDR, which a server announces.
    Hdr,
    /// XHDR, which a server of RFC 2980 may have.
    Xhdr,
}

impl HeaderCommand {
    /// The keyword, and the code behind which the list follows.
    fn keyword_and_code(self) -> (&'static str, u16) {
        match self {
            Self::Hdr => ("HDR", 225),
            Self::Xhdr => ("XHDR", 221),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Returns overview lines for `first` to `last` in the selected group, made of the headers that HDR or XHDR lists:
    /// a round trip or two for all of them. `None` if the server has neither, for which it is asked once.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn listed_headers(
        &mut self,
        first: u64,
        last: u64,
    ) -> Result<Option<Vec<u8>>, NntpError> {
        if self.has(Capability::Hdr)
            && let Some(lines) = self.listed_by(HeaderCommand::Hdr, first, last).await?
        {
            return Ok(Some(lines));
        }
        self.listed_by(HeaderCommand::Xhdr, first, last).await
    }

    async fn listed_by(
        &mut self,
        by: HeaderCommand,
        first: u64,
        last: u64,
    ) -> Result<Option<Vec<u8>>, NntpError> {
        let (keyword, code) = by.keyword_and_code();
        if self.refusal_of(keyword).is_some() {
            return Ok(None);
        }
        let commands = OVERVIEW_HEADERS.map(|name| format!("{keyword} {name} {first}-{last}"));
        let commands = commands.each_ref().map(String::as_bytes);
        // Whether a server has XHDR is only seen at the first one.
        let alone = usize::from(by == HeaderCommand::Xhdr);
        let mut lists = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            if index == alone {
                let window = commands.get(index..).unwrap_or_default();
                self.send_ahead(window).await?;
            }
            let reply = self.ask(command, "the range").await?;
            let mut list = Vec::new();
            match reply.code {
                listed if listed == code => {
                    while let Some(run) = self.block().await? {
                        let room = MAX_HEADERS_BYTES.saturating_sub(list.len());
                        list.extend(run.into_iter().take(room));
                    }
                }
                420 | 423 => {}
                _ if reply.is_unsupported() => {
                    self.unsupported.push((keyword, reply));
                    return Ok(None);
                }
                _ => return Err(reply.into()),
            }
            lists.push(list);
        }
        Ok(Some(overview_of_headers(&lists, by)))
    }
}

/// Returns overview lines, each with its CRLF, made of lists of headers: a line of each is a number, a blank and the
/// value.
fn overview_of_headers(lists: &[Vec<u8>], by: HeaderCommand) -> Vec<u8> {
    let is_none = |value: &[u8]| by == HeaderCommand::Xhdr && value == b"(none)";
    let mut articles: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    for (index, list) in lists.iter().enumerate() {
        for line in octets::lines(list) {
            let end = line.iter().position(u8::is_ascii_whitespace);
            let (number, value) = line.split_at(end.unwrap_or(line.len()));
            let Some(number) = octets::number(number) else {
                continue;
            };
            let values = articles.entry(number).or_default();
            values.resize(lists.len(), Vec::new());
            if let Some(slot) = values.get_mut(index) {
                let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
                let value = value.trim_ascii();
                let value = if is_none(value) { &[] } else { value };
                *slot = value.iter().map(blank).collect();
            }
        }
    }
    let lines = articles.into_iter().map(|(number, values)| {
        [
            number.to_string().as_bytes(),
            b"\t",
            &values.join(&b'\t'),
            b"\t\t\r\n",
        ]
        .concat()
    });
    lines.collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listed_headers_make_lines() {
        let lists = [
            b"1 one\r\n3 three\twords\r\nodd\r\n".to_vec(),
            b"3 ada@x\r\n".to_vec(),
            Vec::new(),
            b"1 <1@x>\r\n3 <3@x>\r\n".to_vec(),
            b"3 <1@x>\r\n1 \r\n".to_vec(),
        ];
        assert_eq!(
            overview_of_headers(&lists, HeaderCommand::Hdr)
                .escape_ascii()
                .to_string(),
            "1\\tone\\t\\t\\t<1@x>\\t\\t\\t\\r\\n3\\tthree words\\tada@x\\t\\t<3@x>\\t<1@x>\\t\\t\\r\\n"
        );
    }
}
