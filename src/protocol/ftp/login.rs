//! From a connection to a session: who logs in, what the server can do, how safe the data is, where one stands.

use suppaftp::Status;

use super::control::{Control, Host};
use super::session::{Offer, Session};
use super::{FtpError, Login, Reply, Representation, Visitor};
use crate::net::{Net, sendable};

/// What a server said on the way in, beside what it had to.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Before the login.
    pub banner: Option<Vec<u8>>,
    /// At the login.
    pub welcome: Option<Vec<u8>>,
}

impl Session {
    /// Connects and logs in. With `active` the server may dial us for data, where it cannot be dialled.
    ///
    /// # Errors
    /// Any [`FtpError`].
    pub async fn open(
        net: &Net,
        host: &Host,
        visitor: &Visitor,
        active: bool,
    ) -> Result<Self, FtpError> {
        sendable(&visitor.user, "the user name")?;
        let secret = |octets: &Option<Vec<u8>>| octets.clone().unwrap_or_default();
        sendable(&secret(&visitor.password), "the password")?;
        sendable(&secret(&visitor.account), "the account")?;
        let control = Control::open(net, host).await?;
        let mut session = Self {
            heard: Heard {
                banner: control.greeting.remark(),
                welcome: None,
            },
            control,
            host: host.name.clone(),
            visitor: visitor.clone(),
            home: None,
            facts: Offer::Declined,
            modified: Offer::Open,
            extended: Offer::Open,
            active: if active { Offer::Open } else { Offer::Declined },
            representation: Representation::Ascii,
        };
        let waits = match session.protect(Login::NotYet).await {
            // Some want to know first who asks.
            Err(FtpError::Insecure { reply, .. }) if matches!(reply.code(), 503 | 530) => true,
            protected => protected.map(|()| false)?,
        };
        let welcome = session.log_in().await?;
        session.heard.welcome = welcome.remark();
        if waits {
            session.protect(Login::Done).await?;
        }
        session.ask_features(net).await?;
        session.home = session.place_now().await?;
        Ok(session)
    }

    async fn log_in(&mut self) -> Result<Reply, FtpError> {
        let user = self.visitor.user.clone();
        let mut reply = self.ask("USER", Some(&user), "the user name").await?;
        if reply.status() == Status::NeedPassword {
            let Some(password) = self.visitor.password.clone() else {
                return Err(FtpError::Password {
                    said: None,
                    security: self.security(),
                });
            };
            reply = self.ask("PASS", Some(&password), "the password").await?;
            if matches!(reply.code(), 430 | 500..) {
                return Err(FtpError::Password {
                    said: Some(reply),
                    security: self.security(),
                });
            }
        }
        if reply.status() == Status::LoginNeedAccount {
            let Some(account) = self.visitor.account.clone() else {
                return Err(FtpError::Account {
                    reply,
                    security: self.security(),
                });
            };
            reply = self.ask("ACCT", Some(&account), "the account").await?;
            if reply.code() >= 500 {
                return Err(FtpError::Account {
                    reply,
                    security: self.security(),
                });
            }
        }
        match reply.code() {
            200..300 => Ok(reply),
            // Nobody has asked for a password: it is the user who is not let in.
            530 => Err(FtpError::Unwanted { reply }),
            _ => {
                let problem = "does not let this user in";
                Err(FtpError::Refused { problem, reply })
            }
        }
    }

    /// Data over TLS where the control connection is (RFC 4217, section 9): never the one without the other. It comes
    /// before the login, as section 12 shows it.
    async fn protect(&mut self, login: Login) -> Result<(), FtpError> {
        if self.control.tls.is_none() {
            return Ok(());
        }
        // Some know only the second of the two; what counts is the yes to that.
        self.ask("PBSZ", Some(b"0"), "nothing").await?;
        let reply = self.ask("PROT", Some(b"P"), "nothing").await?;
        if reply.is_done() {
            return Ok(());
        }
        let problem = "speaks TLS, but sends listings and files without it";
        Err(FtpError::Insecure {
            problem,
            reply,
            login,
        })
    }

    /// FEAT (RFC 2389). A server that does not know it, or says it oddly, offers nothing.
    async fn ask_features(&mut self, net: &Net) -> Result<(), FtpError> {
        let reply = self.ask("FEAT", None, "nothing").await?;
        if !reply.is_done() {
            return Ok(());
        }
        let line_of = |name: &[u8]| {
            reply.lines().find_map(|line| {
                let line = line.strip_prefix(b"211-").unwrap_or(line).trim_ascii();
                let word = line
                    .split(|&octet| octet == b' ')
                    .next()
                    .unwrap_or_default();
                word.eq_ignore_ascii_case(name).then_some(line)
            })
        };
        let offers = |name: &[u8]| line_of(name).is_some();
        let has_tls = |line: &[u8]| line.to_ascii_uppercase().windows(3).any(|it| it == b"TLS");
        if !self.security().is_encrypted() && line_of(b"AUTH").is_some_and(has_tls) {
            net.note_tls_offer(self.control.place()).await;
        }
        if offers(b"MLST") || offers(b"MLSD") {
            self.facts = Offer::Open;
        }
        if offers(b"UTF8") {
            // It is asked for; names are octets whatever the answer.
            self.ask("OPTS", Some(b"UTF8 ON"), "nothing").await?;
        }
        Ok(())
    }
}
