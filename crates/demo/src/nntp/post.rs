//! POST (RFC 3977, section 6.3.1).
//!
//! ```text
//! article = *( stuffed-line CRLF ) "." CRLF
//! ```

use std::io;

use tokio::io::AsyncRead;

use super::super::wire::{Line, Lines};
use super::{Groups, NewsSession};
use crate::world::groups::Article;

/// The longest accepted article, in octets.
const ARTICLE: usize = 256 * 1024;

/// Reads an article. Returns nothing of it if it is too long.
pub(super) async fn receive<R: AsyncRead + Unpin>(
    lines: &mut Lines<R>,
) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let mut is_short = true;
    loop {
        match lines.next().await? {
            Line::Whole(line) if line == b"." => return Ok(is_short.then_some(text)),
            Line::Whole(line) => {
                is_short &= text.len() + line.len() <= ARTICLE;
                if is_short {
                    let line = line.strip_prefix(b".").unwrap_or(&line);
                    text.extend_from_slice(line);
                    text.push(b'\n');
                }
            }
            Line::TooLong | Line::End => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl NewsSession {
    /// Accepts an article, or not. Returns the reply.
    pub(super) fn post(&self, article: Option<Vec<u8>>) -> String {
        let posted = article.ok_or("the article is too long").and_then(|text| {
            let change = |groups: &mut Groups| groups.post(Article::new(&text));
            self.world.change_groups(change)
        });
        match posted {
            Ok(()) => "240 It hangs on the board of the post office".to_owned(),
            Err(why) => format!("441 Not taken: {why}"),
        }
    }
}
