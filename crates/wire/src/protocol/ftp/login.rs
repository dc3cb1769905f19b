//! Login: credentials, features of the server, protection of data connections, and the login directory.

use suppaftp::Status;

use super::control::{Control, FtpHost};
use super::session::{ExtensionState, FtpConnection, HiddenNames};
use super::{ActiveMode, FtpCredentials, FtpError, Login, Reply, Representation};
use crate::net::{RequestNet, sendable};

/// The messages of the server before and at the login, without the mandatory last lines.
#[derive(Clone, Debug, Default)]
pub struct LoginMessages {
    /// The text of the greeting.
    pub banner: Option<Vec<u8>>,
    /// The text of the login reply.
    pub welcome: Option<Vec<u8>>,
}

/// A connection to a server that has greeted, before the login.
pub struct NewFtpConnection {
    control: Control,
    host: String,
    credentials: FtpCredentials,
}

impl NewFtpConnection {
    /// Connects, for a login with these credentials.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn open(
        net: &RequestNet,
        host: &FtpHost,
        credentials: &FtpCredentials,
    ) -> Result<Self, FtpError> {
        sendable(&credentials.user, "the user name")?;
        let secret =
            |octets: &Option<Vec<u8>>, what| sendable(octets.as_deref().unwrap_or(b""), what);
        secret(&credentials.password, "the password")?;
        secret(&credentials.account, "the account")?;
        Ok(Self {
            control: Control::open(net, host).await?,
            host: host.name.clone(),
            credentials: credentials.clone(),
        })
    }

    /// Logs in. `active` tells when the server may open data connections.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn log_in(
        self,
        net: &RequestNet,
        active: ActiveMode,
    ) -> Result<FtpConnection, FtpError> {
        let mut connection = FtpConnection {
            login_messages: LoginMessages {
                banner: self.control.greeting.remark(),
                welcome: None,
            },
            control: self.control,
            host: self.host,
            credentials: self.credentials,
            home: None,
            working_path: Some(Vec::new()),
            facts: ExtensionState::Declined,
            modified: ExtensionState::Usable,
            hidden: HiddenNames::Unknown,
            lists_hidden: false,
            extended: ExtensionState::Usable,
            active,
            representation: Some(Representation::Ascii),
            is_restarting: false,
        };
        let is_tls_after_login = match connection.protect(Login::NotYet).await {
            // Some servers require the login first.
            Err(FtpError::Insecure { reply, .. }) if matches!(reply.code(), 503 | 530) => true,
            protected => protected.map(|()| false)?,
        };
        let welcome = connection.log_in().await?;
        connection.login_messages.welcome = welcome.remark();
        if is_tls_after_login {
            connection.protect(Login::Done).await?;
        }
        connection.ask_features(net).await?;
        connection.home = connection.working_directory().await?;
        Ok(connection)
    }
}

impl FtpConnection {
    /// Sends USER, and PASS and ACCT if the server requests them. Returns the last reply.
    async fn log_in(&mut self) -> Result<Reply, FtpError> {
        let security = self.security();
        let wants_password = |refusal| FtpError::Password { refusal, security };
        let wants_account = |reply| FtpError::Account { reply, security };
        let user = self.credentials.user.clone();
        let mut reply = check_busy(self.ask("USER", Some(&user), "the user name").await?)?;
        if reply.status() == Status::NeedPassword {
            let Some(password) = self.credentials.password.clone() else {
                return Err(wants_password(None));
            };
            reply = check_busy(self.ask("PASS", Some(&password), "the password").await?)?;
            if matches!(reply.code(), 430 | 500..) {
                return Err(wants_password(Some(reply)));
            }
        }
        if reply.status() == Status::LoginNeedAccount {
            let Some(account) = self.credentials.account.clone() else {
                return Err(wants_account(reply));
            };
            reply = self.ask("ACCT", Some(&account), "the account").await?;
            if reply.code() >= 500 {
                return Err(wants_account(reply));
            }
        }
        // The server did not request a password: it refuses the user.
        if reply.code() == 530 {
            return Err(FtpError::UserRefused { reply });
        }
        reply.done_or("refused this user")
    }

    /// Turns TLS on for data connections if the control connection has it (RFC 4217, section 9): never the one without
    /// the other. It is done before the login, as in section 12.
    async fn protect(&mut self, login: Login) -> Result<(), FtpError> {
        if self.control.tls.is_none() {
            return Ok(());
        }
        // Some servers know only PROT; its reply is the one that counts.
        self.ask("PBSZ", Some(b"0"), "nothing").await?;
        let reply = self.ask("PROT", Some(b"P"), "nothing").await?;
        if reply.is_done() {
            return Ok(());
        }
        let problem = "supports TLS, but sends listings and files without it";
        Err(FtpError::Insecure {
            problem,
            reply,
            login,
        })
    }

    /// Sends FEAT (RFC 2389). Without a valid reply the server offers nothing.
    async fn ask_features(&mut self, net: &RequestNet) -> Result<(), FtpError> {
        let reply = self.ask_optional("FEAT", None, "nothing").await?;
        if !reply.is_done() {
            return Ok(());
        }
        let offers = |name: &[u8]| reply.feature(name).is_some();
        self.control.record_announcement(net, &reply).await;
        if offers(b"MLST") || offers(b"MLSD") {
            self.facts = ExtensionState::Usable;
        }
        if offers(b"UTF8") {
            // The reply does not matter: names are octets in any case.
            self.ask_optional("OPTS", Some(b"UTF8 ON"), "nothing")
                .await?;
        }
        Ok(())
    }
}

/// Returns the reply, or an error if it says that the server accepts no more users: no other password helps.
fn check_busy(reply: Reply) -> Result<Reply, FtpError> {
    if reply.is_busy() {
        return Err(FtpError::refused("accepts no more users", reply));
    }
    Ok(reply)
}
