//! The messages and commands to the credentials.

use crate::credentials::Credentials;
use crate::credentials::request_defaults::naming_host;
use crate::name::host_of;
use crate::{
    Command, Compose, Context, CredentialCommand, CredentialEffect, CredentialMessage,
    LibraryEffect, Tabs,
};
use geomys_load::Reason;

impl Credentials {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: CredentialMessage,
        tabs: &mut Tabs,
        compose: &mut Compose,
        cx: &mut Context,
    ) {
        cx.questions_changed();
        cx.transfers_changed();
        match message {
            CredentialMessage::Pinned(authority, pin) => self.pins.put(&authority, pin),
            CredentialMessage::Keyring(lookup, login) => {
                self.password_looked_up(*lookup, login, tabs, compose, cx);
            }
            CredentialMessage::PasswordStored(result) => {
                cx.report(result.map(|()| "password stored in the keyring".to_owned()));
            }
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(&mut self, command: CredentialCommand, cx: &mut Context) {
        cx.transfers_changed();
        match command {
            CredentialCommand::AcceptPlainLogin(pending, authority) => {
                self.accept_plain_login(*pending, authority, cx);
            }
            CredentialCommand::AcceptActiveMode(pending, authority) => {
                self.accept_active_mode(*pending, &authority, cx);
            }
            CredentialCommand::AcceptHazards(pending) => {
                let host = host_of(&pending.request.requested_url());
                self.accepted_hazards.extend(host);
                cx.load(*pending);
            }
            CredentialCommand::AcceptLocalAddress(pending, authority) => {
                if let Reason::Queued(_) = pending.request.reason {
                    let url = pending.request.url.without_password();
                    cx.emit(LibraryEffect::Agree(url, authority.clone()));
                }
                let accepted = (naming_host(&pending.request), authority);
                if !self.accepted_local.contains(&accepted) {
                    self.accepted_local.push(accepted);
                }
                cx.load(*pending);
            }
            CredentialCommand::Trust(error, pending, duration) => {
                self.trust(&error, *pending, duration, cx);
            }
            CredentialCommand::RejectCertificate(authority, pending) => {
                let sentence = format!("the certificate of {authority} was not accepted");
                cx.notify(&sentence);
                cx.command(Command::CancelPending(pending, sentence));
            }
            CredentialCommand::Store(scope, login) => {
                cx.emit(CredentialEffect::StorePassword(scope, login));
            }
            CredentialCommand::Remember(request) => {
                self.keep_login(&request);
                self.ask_store_login(&request, cx);
            }
            CredentialCommand::Keep(request) => self.keep_login(&request),
        }
    }
}
