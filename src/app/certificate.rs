//! Certificates that a person is asked about.

use super::choice::Choice;
use super::pane::Incoming;
use super::{App, Effect};
use crate::load::Request;
use crate::net::{Doubt, Pin};

impl App {
    /// Asks a person about a certificate, unless they have trusted it meanwhile for another page.
    pub(super) fn ask_about(&mut self, doubt: Box<Doubt>, incoming: Incoming) -> Vec<Effect> {
        if self.is_trusted(&doubt, &incoming.request) {
            return self.request(incoming.request, incoming.title, incoming.arrival);
        }
        self.choose(Choice::certificate(doubt, incoming))
    }

    /// Whether a person has trusted a certificate that a request has met.
    pub(super) fn is_trusted(&self, doubt: &Doubt, request: &Request) -> bool {
        let trust = self.trust_for(request);
        let is_pinned = trust
            .pin
            .is_some_and(|pin| pin.fingerprint == doubt.fingerprint);
        is_pinned || trust.once == Some(doubt.fingerprint)
    }

    /// Trusts a certificate, always or until the browser ends, and loads what waited for it.
    pub(super) fn trust(
        &mut self,
        doubt: &Doubt,
        incoming: Incoming,
        is_always: bool,
    ) -> Vec<Effect> {
        let (place, fingerprint) = (doubt.place.clone(), doubt.fingerprint);
        let mut effects = Vec::new();
        if is_always {
            // The day is put in with the report that it was written down.
            let pin = Pin {
                fingerprint,
                since: None,
            };
            self.pins.put(&place, pin);
            effects.push(Effect::Pin(place, fingerprint));
        } else {
            self.trusted_once.retain(|(known, _)| *known != place);
            self.trusted_once.push((place, fingerprint));
        }
        effects.extend(self.request(incoming.request, incoming.title, incoming.arrival));
        effects
    }

    /// A certificate was written down, or why not: it is good until the browser ends all the same.
    pub(super) fn pinned(&mut self, place: &str, written: Result<Pin, String>) -> Vec<Effect> {
        match written {
            Ok(pin) => self.pins.put(place, pin),
            Err(sentence) => self.complain(&sentence),
        }
        Vec::new()
    }
}
