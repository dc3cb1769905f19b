//! POST (RFC 3977, section 6.3.1).
//!
//! ```text
//! post    = "POST" CRLF          ; 340 send it, perhaps with a Message-ID for it, or 440 not here
//! article = *( stuffed-line CRLF ) "." CRLF      ; 240 taken, or 441 not taken
//! ```
//!
//! It takes two steps, because a failure in the second one leaves it open whether the article was taken.

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError, Reply, message_id};

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Asks whether an article may be sent; if so, [`Dialogue::send_article`] is next. Gives the Message-ID that the server
    /// recommends for it, with its angle brackets, where it does.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 440 where nobody may post.
    pub async fn post(&mut self) -> Result<Option<Vec<u8>>, NntpError> {
        let reply = self.ask(b"POST", "the command").await?;
        match reply.code {
            340 => Ok(recommended(&reply.line)),
            _ => Err(reply.into()),
        }
    }

    /// Sends an article once the server has asked for it: `article` is its octets, head and body, with line ends of either
    /// kind. Gives the server's words.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 441 where it was not taken. After any other error nobody knows whether
    /// it was.
    pub async fn send_article(&mut self, article: &[u8]) -> Result<Reply, NntpError> {
        self.lines.send_block(article).await?;
        let reply = Reply::parse(self.lines.line().await?)?;
        match reply.code {
            240 => Ok(reply),
            _ => Err(reply.into()),
        }
    }
}

/// The Message-ID in the words of a reply.
fn recommended(line: &[u8]) -> Option<Vec<u8>> {
    let words = line.split(u8::is_ascii_whitespace);
    let mut ids = words.filter(|word| word.starts_with(b"<") && word.ends_with(b">"));
    let id = ids.next()?;
    let inside = id.strip_prefix(b"<")?.strip_suffix(b">")?;
    let is_id = inside.contains(&b'@') && message_id(inside).is_ok();
    is_id.then(|| id.to_vec())
}
