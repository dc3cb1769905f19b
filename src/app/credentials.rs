//! Credentials: the logins, certificates and hazards that the user or a server has accepted.

pub mod certificate;
pub mod keyring;
pub mod plain_login;
pub mod request_defaults;

use crate::app::command::CredentialCommand;
use crate::app::credentials::keyring::{KeyringLookup, password_stored};
use crate::app::name::host_of;
use crate::app::{Command, Compose, Context, CredentialEffect, CredentialMessage, Effect, Tabs};
use crate::files::trust::Pins;
use crate::load::Login;
use crate::net::Fingerprint;

/// What was accepted, until the browser exits; accepted certificates are also stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Credentials {
    /// The logins that servers accepted, with their login scopes.
    logins: Vec<(String, Login)>,
    /// The last login that the user typed, until a server accepts it.
    typed_login: Option<(String, Login)>,
    /// Pending keyring lookups.
    keyring_lookups: Vec<KeyringLookup>,
    /// Login scopes and users that have no password in the keyring.
    not_in_keyring: Vec<(String, String)>,
    /// Accepted certificates, by authority (`host:port`).
    pins: Pins,
    /// Certificates accepted until the browser exits, by authority.
    trusted_once: Vec<(String, Fingerprint)>,
    /// Authorities (`host:port` in lower case) to which passwords may be sent without TLS.
    plain_logins: Vec<String>,
    /// Hosts whose hazards the user accepted, as returned by `name::host_of`.
    accepted_hazards: Vec<String>,
}

impl Credentials {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: CredentialMessage,
        tabs: &mut Tabs,
        compose: &mut Compose,
        cx: &mut Context,
    ) {
        match message {
            CredentialMessage::Pinned(authority, written) => self.pinned(&authority, written, cx),
            CredentialMessage::Keyring(work, login) => {
                self.password_looked_up(work, login, tabs, compose, cx);
            }
            CredentialMessage::PasswordStored(result) => password_stored(result, cx),
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(&mut self, command: CredentialCommand, cx: &mut Context) {
        match command {
            CredentialCommand::AcceptPlainLogin(pending, authority) => {
                self.accept_plain_login(*pending, authority, cx);
            }
            CredentialCommand::AcceptHazards(pending) => {
                let host = host_of(&pending.request.requested_url());
                self.accepted_hazards.extend(host);
                cx.request_pending(*pending);
            }
            CredentialCommand::Trust(error, pending, duration) => {
                self.trust(&error, *pending, duration, cx);
            }
            CredentialCommand::RejectCertificate(authority, pending) => {
                let sentence = format!("the certificate of {authority} was not accepted");
                cx.notify(&sentence);
                cx.command(Command::CancelPending(pending, sentence));
            }
            CredentialCommand::Store(scope, login) => cx.emit(Effect::Credentials(
                CredentialEffect::StorePassword(scope, login),
            )),
            CredentialCommand::Remember(request) => self.remember_login(&request, cx),
        }
    }
}
