//! POST (RFC 3977, section 6.3.1).
//!
//! ```text
//! post    = "POST" CRLF          ; 340 send the article, perhaps with a recommended Message-ID, or 440 not allowed
//! article = *( stuffed-line CRLF ) "." CRLF      ; 240 accepted, or 441 refused
//! ```
//!
//! There are two steps: after a failure in the second one it is unknown whether the article was accepted.

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError, Reply, message_id};

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Sends POST; if the server agrees, [`Dialogue::send_article`] is next. Returns the Message-ID that the server recommends,
    /// with its angle brackets, if any.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 440 if posting is not allowed.
    pub async fn post(&mut self) -> Result<Option<Vec<u8>>, NntpError> {
        let reply = self.ask(b"POST", "the command").await?;
        Ok(recommended(&reply.with_code(340)?.line))
    }

    /// Sends an article after [`Dialogue::post`]: `article` is the octets of head and body, with line ends LF or CR LF. Returns
    /// the reply of the server.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 441 if it was refused. After any other error it is unknown whether
    /// it was accepted.
    pub async fn send_article(&mut self, article: &[u8]) -> Result<Reply, NntpError> {
        self.lines.send_block(article).await?;
        Reply::parse(self.lines.line().await?)?.with_code(240)
    }
}

/// Returns the Message-ID in the text of a reply.
fn recommended(line: &[u8]) -> Option<Vec<u8>> {
    let words = line.split(u8::is_ascii_whitespace);
    let mut ids = words.filter(|word| word.starts_with(b"<") && word.ends_with(b">"));
    let id = ids.next()?;
    let inside = id.strip_prefix(b"<")?.strip_suffix(b">")?;
    let is_id = inside.contains(&b'@') && message_id(inside).is_ok();
    is_id.then(|| id.to_vec())
}
