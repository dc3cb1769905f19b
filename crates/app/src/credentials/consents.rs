//! What the user consents to: certificates, and a password that is sent unencrypted though the server has offered TLS.

use geomys_load::{QuestionWords, Request};
use geomys_wire::net::UntrustedCertificate;

use crate::credentials::message::TrustDuration;
use crate::{Context, CredentialCommand, CredentialEffect, Credentials, Dialog, PendingRequest};

impl Credentials {
    /// Opens the certificate prompt, unless the user has trusted the certificate meanwhile for another page.
    pub(crate) fn ask_certificate(
        &self,
        error: &UntrustedCertificate,
        pending: PendingRequest,
        cx: &mut Context,
    ) {
        if self.is_trusted(error, &pending.request) {
            return cx.load(pending);
        }
        cx.ask(Dialog::certificate(error, pending));
    }

    /// Returns true if the user has trusted the certificate that a request received.
    pub(crate) fn is_trusted(&self, error: &UntrustedCertificate, request: &Request) -> bool {
        let trust = self.trust_for(request);
        let is_pinned = trust
            .pin
            .is_some_and(|pin| pin.fingerprint == error.fingerprint);
        is_pinned || trust.once == Some(error.fingerprint)
    }

    /// Trusts a certificate, permanently or until the browser exits, and starts the waiting request.
    pub(crate) fn trust(
        &mut self,
        error: &UntrustedCertificate,
        pending: PendingRequest,
        duration: TrustDuration,
        cx: &mut Context,
    ) {
        let (authority, fingerprint) = (error.authority.clone(), error.fingerprint);

        if duration == TrustDuration::Always {
            // The date is set when the file has been written.
            let pin = error.pin();
            self.pins.put(&authority, pin.clone());
            cx.emit(CredentialEffect::Pin(authority, pin));
        } else {
            self.trusted_once
                .retain(|(trusted, _)| *trusted != authority);
            self.trusted_once.push((authority, fingerprint));
        }
        cx.load(pending);
    }
}

impl Dialog {
    /// Creates the question whether an FTP server may connect to this machine.
    pub(crate) fn active_mode(
        mut pending: PendingRequest,
        authority: String,
        words: QuestionWords,
    ) -> Self {
        let waiting = pending.clone();
        pending.request.consents.active = true;
        let accept = CredentialCommand::AcceptActiveMode(Box::new(pending), authority);
        Self::confirm(&words.prompt, accept)
            .with_lines(words.remarks)
            .about(waiting)
    }

    /// Creates the question whether to send a password without TLS.
    pub(crate) fn plain_login(
        pending: PendingRequest,
        authority: &str,
        words: QuestionWords,
    ) -> Self {
        let accept = CredentialCommand::AcceptPlainLogin(
            Box::new(pending.clone()),
            authority.to_ascii_lowercase(),
        );
        Self::new(&words.prompt)
            .no("do not send")
            .answer('s', "send unencrypted", accept)
            .with_lines(words.remarks)
            .about(pending)
    }
}

impl Credentials {
    /// Returns true if the user accepted passwords without TLS for this authority.
    pub(crate) fn is_plain_login(&self, authority: &str) -> bool {
        self.plain_logins.contains(&authority.to_ascii_lowercase())
    }

    /// Returns true if the FTP server at this authority may connect to this machine.
    pub(crate) fn is_active_host(&self, authority: &str) -> bool {
        self.active_hosts.contains(&authority.to_ascii_lowercase())
    }

    /// Lets the FTP server at this authority connect to this machine until the program ends, and continues the load
    /// that asked.
    pub(crate) fn accept_active_mode(
        &mut self,
        pending: PendingRequest,
        authority: &str,
        cx: &mut Context,
    ) {
        if !self.is_active_host(authority) {
            self.active_hosts.push(authority.to_ascii_lowercase());
        }
        cx.load(pending);
    }

    /// Accepts passwords without TLS for this authority until the program ends, and continues the load that asked.
    pub(crate) fn accept_plain_login(
        &mut self,
        pending: PendingRequest,
        authority: String,
        cx: &mut Context,
    ) {
        if !self.plain_logins.contains(&authority) {
            self.plain_logins.push(authority);
        }
        cx.load(pending);
    }
}
