//! The question whether a certificate is good, and its answers.

use super::pane::Incoming;
use super::{App, Effect, Overlay};
use crate::keymap::Key;
use crate::net::{Doubt, Pin};

use crossterm::event::KeyCode;

/// A certificate that a person is to judge, and the page on its way that waits for it.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The certificate.
    pub doubt: Doubt,
    /// The page.
    pub incoming: Incoming,
}

/// What a person says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is good from now on.
    Always,
    /// It is good until the browser ends.
    Once,
    /// It is not.
    No,
}

impl Judgement {
    /// What a key says; nothing for most.
    pub fn answer(&self, key: Key) -> Option<Answer> {
        let (always, once) = self.doubt.letters();
        match key.typed() {
            Some('n') => Some(Answer::No),
            Some(letter) if letter == always => Some(Answer::Always),
            Some(letter) if letter == once => Some(Answer::Once),
            Some(_) => None,
            None => (key.code() == Some(KeyCode::Esc) || Some(key) == Key::parse("Ctrl-C"))
                .then_some(Answer::No),
        }
    }
}

impl App {
    /// Asks a person about a certificate, unless they have judged it meanwhile for another page.
    pub(super) fn ask_about(&mut self, doubt: Doubt, incoming: Incoming) -> Vec<Effect> {
        let trust = self.trust_for(&incoming.request);
        let is_pinned = trust
            .pin
            .is_some_and(|pin| pin.fingerprint == doubt.fingerprint);
        if is_pinned || trust.once == Some(doubt.fingerprint) {
            return self.request(incoming.request, incoming.title, incoming.arrival);
        }
        self.overlay = Some(Overlay::Certificate(Box::new(Judgement {
            doubt,
            incoming,
        })));
        Vec::new()
    }

    /// A certificate was judged.
    pub(super) fn judge(&mut self, judgement: Judgement, answer: Answer) -> Vec<Effect> {
        let Judgement { doubt, incoming } = judgement;
        let (place, fingerprint) = (doubt.place, doubt.fingerprint);
        let mut effects = Vec::new();
        match answer {
            Answer::Always => {
                // The day is put in with the report that it was written down.
                let pin = Pin {
                    fingerprint,
                    since: None,
                };
                self.pins.put(&place, pin);
                effects.push(Effect::Pin(place, fingerprint));
            }
            Answer::Once => {
                self.trusted_once.retain(|(known, _)| *known != place);
                self.trusted_once.push((place, fingerprint));
            }
            Answer::No => {
                let sentence = format!("the certificate of {place} was not accepted");
                self.tell(&sentence);
                return self.leave(incoming, &sentence);
            }
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
