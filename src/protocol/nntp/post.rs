//! POST (RFC 3977, section 6.3.1).
//!
//! ```text
//! post    = "POST" CRLF          ; 340 send it, or 440 not here
//! article = *( stuffed-line CRLF ) "." CRLF      ; 240 taken, or 441 not taken
//! ```
//!
//! It takes two steps, because a failure in the second one leaves it open whether the article was taken.

use tokio::io::{AsyncRead, AsyncWrite};

use super::{Dialogue, NntpError, Reply};

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Asks whether an article may be sent; if so, [`Dialogue::send_article`] is next.
    ///
    /// # Errors
    /// [`NntpError`]; [`NntpError::Declined`] with 440 where nobody may post.
    pub async fn post(&mut self) -> Result<(), NntpError> {
        let reply = self.ask(b"POST", "the command").await?;
        match reply.code {
            340 => Ok(()),
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
