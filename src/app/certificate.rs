//! The certificate prompt, and the certificates that the user trusts.

use super::choice::Choice;
use super::pane::IncomingPage;
use super::{App, Effect};
use crate::load::Request;
use crate::net::{Pin, UntrustedCertificate};

impl App {
    /// Opens the certificate prompt, unless the user has trusted the certificate meanwhile for another page.
    pub(super) fn ask_certificate(
        &mut self,
        error: Box<UntrustedCertificate>,
        incoming: IncomingPage,
    ) {
        if self.is_trusted(&error, &incoming.request) {
            return self.request_incoming(incoming);
        }
        self.choose(Choice::certificate(error, incoming));
    }

    /// Returns true if the user has trusted the certificate that a request received.
    pub(super) fn is_trusted(&self, error: &UntrustedCertificate, request: &Request) -> bool {
        let trust = self.trust_for(request);
        let is_pinned = trust
            .pin
            .is_some_and(|pin| pin.fingerprint == error.fingerprint);
        is_pinned || trust.once == Some(error.fingerprint)
    }

    /// Trusts a certificate, permanently or until the browser exits, and starts the waiting request.
    pub(super) fn trust(
        &mut self,
        error: &UntrustedCertificate,
        incoming: IncomingPage,
        is_always: bool,
    ) {
        let (authority, fingerprint) = (error.authority.clone(), error.fingerprint);

        if is_always {
            // The date is set when the file has been written.
            let pin = Pin {
                fingerprint,
                since: None,
            };
            self.pins.put(&authority, pin);
            self.emit(Effect::Pin(authority, fingerprint));
        } else {
            self.trusted_once
                .retain(|(trusted, _)| *trusted != authority);
            self.trusted_once.push((authority, fingerprint));
        }
        self.request_incoming(incoming);
    }

    /// Handles the result of saving an accepted certificate. After an error it stays accepted until the browser exits.
    pub(super) fn pinned(&mut self, authority: &str, written: Result<Pin, String>) {
        match written {
            Ok(pin) => self.pins.put(authority, pin),
            Err(sentence) => self.report_error(&sentence),
        }
    }
}
