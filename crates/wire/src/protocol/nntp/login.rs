//! Authentication (RFC 4643): on request of the server, and at the start if the server announces it.
//!
//! ```text
//! user = "AUTHINFO USER" WS name CRLF            ; 281 accepted, 381 password required, 481 refused, 482 and 502 refused or busy
//! pass = "AUTHINFO PASS" WS password CRLF        ; 281, 481, 482, 502
//! sasl = "AUTHINFO SASL PLAIN" [ WS base64 ] CRLF  ; 281 or 283 accepted, 383 send the base64, 481 refused
//! message = NUL name NUL password                ; the content of the base64 (RFC 4616, section 2)
//! ```
//!
//! AUTHINFO USER is preferred, as every server that announces it accepts it. SASL PLAIN is for servers that accept
//! nothing else, and is used over TLS only. Other mechanisms are left out.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncRead, AsyncWrite};

use super::open::Capability;
use super::{COMMAND, Dialogue, NntpError, Reply};
use crate::net::{TlsOffer, sendable};

/// The credentials of a reader. `Debug` omits the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The user name; an empty one is never sent.
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
    /// Returns true if user name and password are present.
    fn is_complete(&self) -> bool {
        !self.user.is_empty() && !self.password.is_empty()
    }
}

/// The permission to send a password without TLS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PlainLogin {
    /// Allowed if the server does not announce TLS.
    #[default]
    Unannounced,
    /// Forbidden: the server has offered TLS before.
    Withdrawn(TlsOffer),
    /// Allowed in any case: the user has confirmed it.
    Allowed,
}

/// The state of the login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Login {
    /// There are no credentials.
    Anonymous,
    /// There are credentials, to be sent on request.
    Ready(Account),
    /// The server has accepted the credentials.
    Authenticated(Account),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Dialogue<S> {
    /// Logs in by USER and PASS if the server accepts them, by SASL if it accepts only that. `request` is the reply of
    /// the server that requires the login.
    pub(super) async fn log_in(&mut self, request: Reply) -> Result<(), NntpError> {
        let account = match &self.login {
            Login::Ready(account) if !account.user.is_empty() => account.clone(),
            Login::Ready(_) | Login::Anonymous => return Err(NntpError::LoginRequired(request)),
            // No login while compressed: it is done on another connection.
            Login::Authenticated(_) if self.lines.is_deflated() => {
                return Err(NntpError::LoginWhileCompressed(request));
            }
            Login::Authenticated(_) => return Err(NntpError::Declined(request)),
        };
        self.log_in_as(account).await
    }

    /// Sets the permission to send a password without TLS, for the next login.
    pub fn set_plain_login(&mut self, plain_login: PlainLogin) {
        self.plain_login = plain_login;
    }

    /// Fails if the credentials must not be sent over this connection.
    fn check_connection(&self) -> Result<(), NntpError> {
        if self.security.is_encrypted() || self.plain_login == PlainLogin::Allowed {
            return Ok(());
        }
        if self.offers_tls() {
            return Err(NntpError::InsecureLogin);
        }
        match &self.plain_login {
            PlainLogin::Withdrawn(offer) => Err(NntpError::Withdrawn(offer.clone())),
            PlainLogin::Unannounced | PlainLogin::Allowed => Ok(()),
        }
    }

    /// Logs in before the first request, if there are credentials and the server announces that it accepts them: some
    /// servers hide groups from anonymous readers and never request a login (RFC 4643, section 2.1). To be called after
    /// the decision about TLS.
    ///
    /// # Errors
    /// [`NntpError`].
    pub async fn log_in_early(&mut self) -> Result<(), NntpError> {
        let account = match &self.login {
            Login::Ready(account) if account.is_complete() => account.clone(),
            Login::Ready(_) | Login::Anonymous | Login::Authenticated(_) => return Ok(()),
        };
        let by_sasl = self.has(Capability::SaslPlain) && self.security.is_encrypted();
        let needs_tls = self.offers_tls() && self.plain_login != PlainLogin::Allowed;
        if needs_tls || !(self.has(Capability::User) || by_sasl) {
            return Ok(());
        }
        self.log_in_as(account).await?;
        self.compress().await
    }

    async fn log_in_as(&mut self, account: Account) -> Result<(), NntpError> {
        self.check_connection()?;
        let is_by_sasl = self.has(Capability::SaslPlain) && !self.has(Capability::User);
        let reply = if is_by_sasl && self.security.is_encrypted() {
            self.by_sasl(&account).await?
        } else {
            let reply = self.by_name(&account).await?;
            match reply.code {
                // The server does not accept AUTHINFO USER here, although it announced it.
                482 | 483 | 500 | 501 | 503
                    if self.has(Capability::SaslPlain) && reply.passing().is_none() =>
                {
                    if !self.security.is_encrypted() {
                        return Err(match self.plain_login {
                            PlainLogin::Allowed => reply.into(),
                            _ => NntpError::InsecureLogin,
                        });
                    }
                    self.by_sasl(&account).await?
                }
                _ => reply,
            }
        };
        match reply.code {
            // 283 contains data about the server, which PLAIN does not use.
            281 | 283 => {
                self.login = Login::Authenticated(account);
                // The capabilities may differ after the login.
                if self.capabilities.is_some() {
                    self.read_capabilities().await?;
                }
                Ok(())
            }
            401..=482 | 484..=599 => Err(self.login_refused(&account, reply)),
            _ => Err(reply.into()),
        }
    }

    /// Returns the password, or an error if it is missing.
    fn password<'a>(&self, account: &'a Account) -> Result<&'a str, NntpError> {
        if account.password.is_empty() {
            return Err(self.password_required(account, None));
        }
        Ok(&account.password)
    }

    fn password_required(&self, account: &Account, refused: Option<Reply>) -> NntpError {
        NntpError::PasswordRequired(account.user.clone(), refused, self.security)
    }

    /// The error of a refused login. Servers of RFC 2980 refuse a password by 482 and 502, others have no connection
    /// left or no right to give: only their words say which. A 481 that speaks of connections refuses no password.
    fn login_refused(&self, account: &Account, reply: Reply) -> NntpError {
        if reply.code == 481 && reply.passing().is_none() {
            return self.password_required(account, Some(reply));
        }
        NntpError::LoginRefused(reply)
    }

    /// Sends AUTHINFO USER and PASS (RFC 4643, section 2.3) and returns the last reply. What is refused behind the name
    /// is refused for good.
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
            481 | 482 | 502 => Err(self.login_refused(account, reply)),
            _ => Ok(reply),
        }
    }

    /// Sends AUTHINFO SASL PLAIN (RFC 4643, section 2.4; RFC 4616) and returns the last reply. Only over TLS.
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
        // A message too long for the command is sent when the server requests it.
        let reply = self.exchange(b"AUTHINFO SASL PLAIN", what).await?;
        if reply.code != 383 {
            return Ok(reply);
        }
        self.lines.send(message.as_bytes(), what).await?;
        Reply::parse(self.lines.line().await?)
    }
}
