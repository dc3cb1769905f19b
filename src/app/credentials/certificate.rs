//! The certificate prompt, and the certificates that the user trusts.

use geomys_page::load::Request;
use geomys_wire::net::UntrustedCertificate;

use crate::app::credentials::message::TrustDuration;
use crate::app::{Context, CredentialEffect, Credentials, Dialog, PendingRequest};

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
