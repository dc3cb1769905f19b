//! The question whether a password goes unencrypted to a server that has offered TLS.

use super::choice::{Choice, Of};
use super::pane::Incoming;
use super::{App, Effect};
use crate::load::Unencrypted;
use crate::text::Text;

impl Choice {
    /// Is a password sent without TLS?
    pub(super) fn plain_login(incoming: Incoming, unencrypted: &Unencrypted) -> Self {
        let question = format!("Send the password to {} unencrypted?", unencrypted.place);
        let answers = [('n', "do not send"), ('s', "send unencrypted")];
        let of = Of::PlainLogin(incoming, unencrypted.place.to_ascii_lowercase());
        Self::new(&question, &answers, of).about(vec![
            Text::of(&unencrypted.sentence()),
            Text::of("Somebody in between may have removed the offer, to read the password."),
            Text::of(&unencrypted.setting()),
        ])
    }
}

impl App {
    /// Whether a person lets passwords go to `place` without TLS.
    pub(super) fn is_plain_login(&self, place: &str) -> bool {
        self.plain_logins.contains(&place.to_ascii_lowercase())
    }

    /// Lets passwords go to `place` without TLS until the browser ends, and loads what waited for that.
    pub(super) fn accept_plain_login(&mut self, incoming: Incoming, place: String) -> Vec<Effect> {
        if !self.plain_logins.contains(&place) {
            self.plain_logins.push(place);
        }
        self.request(incoming.request, incoming.title, incoming.arrival)
    }
}
