//! Who reads: names and passwords (RFC 4643), said when a server asks, and at the start where it says that it takes them.
//!
//! ```text
//! user = "AUTHINFO USER" WS name CRLF            ; 281 accepted, 381 and the password, 481 no
//! pass = "AUTHINFO PASS" WS password CRLF        ; 281, 481
//! sasl = "AUTHINFO SASL PLAIN" [ WS base64 ] CRLF  ; 281 or 283 accepted, 383 and the base64, 481 no
//! message = NUL name NUL password                ; what the base64 is of (RFC 4616, section 2)
//! ```
//!
//! Names are preferred, as every server takes them that offers them; SASL PLAIN is for those that take nothing else, and
//! is spoken over TLS alone. Other mechanisms are left out.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncWrite};

use super::capabilities::Capability;
use super::{COMMAND, Dialogue, NntpError, Reply};
use crate::net::{TlsOffer, sendable};

/// Who reads. The password is in no `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The name; an empty one is never sent.
    pub user: String,
    /// The password; an empty one is never sent.
    pub password: String,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

impl Account {
    /// Whether all of it is known.
    fn is_whole(&self) -> bool {
        !self.user.is_empty() && !self.password.is_empty()
    }
}

/// Whether a password may be sent without TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PlainLogin {
    /// Where the server does not announce TLS.
    #[default]
    Unannounced,
    /// No: the server has offered TLS before.
    Withdrawn(TlsOffer),
    /// Yes, whatever the server announces: a person has said so.
    Allowed,
}

/// Where the login stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Login {
    /// Nobody has said who reads.
    Stranger,
    /// It will be said when the server asks.
    Ready(Account),
    /// The server has accepted it.
    Member(Account),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Tells the server who reads, by USER and PASS where it takes them, by SASL where it takes that alone. `asked` is
    /// its request.
    pub(super) async fn log_in(&mut self, asked: Reply) -> Result<(), NntpError> {
        let account = match &self.login {
            Login::Ready(account) if !account.user.is_empty() => account.clone(),
            Login::Ready(_) | Login::Stranger => return Err(NntpError::NameWanted(asked)),
            // No name is told any more where octets are compressed: it is told on another connection.
            Login::Member(_) if self.lines.is_deflated() => return Err(NntpError::Again(asked)),
            Login::Member(_) => return Err(NntpError::Declined(asked)),
        };
        self.log_in_as(account).await
    }

    /// Whether a password may go out without TLS, for the next login.
    pub fn set_plain_login(&mut self, plain_login: PlainLogin) {
        self.plain_login = plain_login;
    }

    /// Keeps a name and a password from a connection that they are not to go over.
    fn guard(&self) -> Result<(), NntpError> {
        if self.security.is_encrypted() || self.plain_login == PlainLogin::Allowed {
            return Ok(());
        }
        if self.offers_tls() {
            return Err(NntpError::InClear);
        }
        match &self.plain_login {
            PlainLogin::Withdrawn(offer) => Err(NntpError::Withdrawn(offer.clone())),
            PlainLogin::Unannounced | PlainLogin::Allowed => Ok(()),
        }
    }

    /// Logs in before anything is asked, where a name and a password are known and the server has announced that it takes
    /// them here: some hide from strangers what they have, and never ask (RFC 4643, section 2.1). For when it is settled
    /// whether the dialogue is over TLS.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn introduce(&mut self) -> Result<(), NntpError> {
        let account = match &self.login {
            Login::Ready(account) if account.is_whole() => account.clone(),
            Login::Ready(_) | Login::Stranger | Login::Member(_) => return Ok(()),
        };
        let by_sasl = self.has(Capability::SaslPlain) && self.security.is_encrypted();
        let waits = self.offers_tls() && self.plain_login != PlainLogin::Allowed;
        if waits || !(self.has(Capability::User) || by_sasl) {
            return Ok(());
        }
        self.log_in_as(account).await?;
        self.compress().await
    }

    async fn log_in_as(&mut self, account: Account) -> Result<(), NntpError> {
        self.guard()?;
        let is_by_sasl = self.has(Capability::SaslPlain) && !self.has(Capability::User);
        let reply = if is_by_sasl && self.security.is_encrypted() {
            self.by_sasl(&account).await?
        } else {
            let reply = self.by_name(&account).await?;
            match reply.code {
                // It knows no names, or not here, whatever it announced.
                482 | 483 | 500 | 501 | 503 if self.has(Capability::SaslPlain) => {
                    if !self.security.is_encrypted() {
                        return Err(match self.plain_login {
                            PlainLogin::Allowed => reply.into(),
                            _ => NntpError::InClear,
                        });
                    }
                    self.by_sasl(&account).await?
                }
                _ => reply,
            }
        };
        match reply.code {
            // 283 has something to say about the server, which PLAIN has no use for.
            281 | 283 => {
                self.login = Login::Member(account);
                // What a member may do need not be what a stranger may.
                if self.capabilities.is_some() {
                    self.learn().await?;
                }
                Ok(())
            }
            // RFC 2980 says 482 and 502 where RFC 4643 says 481.
            481 | 482 | 502 => Err(self.wants_password(&account, Some(reply))),
            _ => Err(reply.into()),
        }
    }

    /// The password, which has to be known by now.
    fn password<'a>(&self, account: &'a Account) -> Result<&'a str, NntpError> {
        if account.password.is_empty() {
            return Err(self.wants_password(account, None));
        }
        Ok(&account.password)
    }

    fn wants_password(&self, account: &Account, refused: Option<Reply>) -> NntpError {
        NntpError::PasswordWanted(account.user.clone(), refused, self.security)
    }

    /// AUTHINFO USER and PASS (RFC 4643, section 2.3): the last reply. A refusal of PASS is one of the password.
    async fn by_name(&mut self, account: &Account) -> Result<Reply, NntpError> {
        let user = format!("AUTHINFO USER {}", account.user);
        let reply = self.exchange(user.as_bytes(), "the user name").await?;
        if reply.code != 381 {
            return Ok(reply);
        }
        let password = self.password(account)?;
        let pass = format!("AUTHINFO PASS {password}");
        let reply = self.exchange(pass.as_bytes(), "the password").await?;
        match reply.code {
            481 | 482 | 502 => Err(self.wants_password(account, Some(reply))),
            _ => Ok(reply),
        }
    }

    /// AUTHINFO SASL PLAIN (RFC 4643, section 2.4; RFC 4616): the last reply. Only ever over TLS.
    async fn by_sasl(&mut self, account: &Account) -> Result<Reply, NntpError> {
        let password = self.password(account)?;
        sendable(account.user.as_bytes(), "the user name")?;
        sendable(password.as_bytes(), "the password")?;
        let message = STANDARD.encode(format!("\0{}\0{password}", account.user));
        let whole = format!("AUTHINFO SASL PLAIN {message}");
        let what = "the user name and the password";
        if whole.len() <= COMMAND {
            return self.exchange(whole.as_bytes(), what).await;
        }
        // What is too long for a command is said when the server asks for it.
        let reply = self.exchange(b"AUTHINFO SASL PLAIN", what).await?;
        if reply.code != 383 {
            return Ok(reply);
        }
        self.lines.send(message.as_bytes(), what).await?;
        Reply::parse(self.lines.line().await?)
    }
}
