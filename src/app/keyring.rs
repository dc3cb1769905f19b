//! Passwords that the system's keyring keeps: looked for there before a person is asked, and put there when they say so.

use super::choice::{Choice, Of, YES_OR_NO};
use super::pane::{Arrival, Incoming};
use super::prompt::{Prompt, Wants};
use super::{App, Effect, WorkId};
use crate::load::{Login, Phase, Question, Request};
use crate::net::Security;
use crate::text::Text;

/// A password that the keyring is asked for.
#[derive(Clone, Debug)]
pub(super) struct KeyringLookup {
    work: WorkId,
    place: String,
    user: String,
    host: String,
    security: Security,
    incoming: Incoming,
}

impl Choice {
    /// Is this password to be kept?
    fn keep(place: String, login: Login) -> Self {
        let user = Text::of(&login.user);
        let question = format!("Keep the password of {user} at {place} in the keyring?");
        Self::new(&question, &YES_OR_NO, Of::Keep(place, login))
    }
}

impl App {
    /// Asks for a password: the keyring, where there is one and no other has been refused, else a person.
    pub(super) fn ask_password(
        &mut self,
        user: &str,
        host: &str,
        said: Option<Text>,
        security: Security,
        mut incoming: Incoming,
    ) -> Vec<Effect> {
        // That of a transfer was asked for when the transfer ended with its question.
        if said.is_none() && !incoming.is_transfer() {
            let effects = self.seek_password(user, host, security, &incoming);
            if !effects.is_empty() {
                // The page is on its way as before, while the keyring is asked.
                if incoming.arrival != Arrival::Draft
                    && let Some(pane) = self.pane_mut()
                {
                    pane.incoming = Some(incoming);
                }
                return effects;
            }
        }
        let place = format!("{user} at {host}, {}", security.encryption());
        incoming.request.ask_of(user);
        self.prompt(Prompt {
            remark: said,
            ..Prompt::new(Wants::Password(incoming, place), "")
        })
    }

    /// Asks the keyring for a password; nothing where there is none, or it does not have that password.
    pub(super) fn seek_password(
        &mut self,
        user: &str,
        host: &str,
        security: Security,
        incoming: &Incoming,
    ) -> Vec<Effect> {
        let Some(place) = incoming.request.place().filter(|_| self.settings.keyring) else {
            return Vec::new();
        };
        let (user, host) = (user.to_owned(), host.to_owned());
        let wanted = (place, user);
        if self.not_in_keyring.contains(&wanted) {
            return Vec::new();
        }
        let (place, user) = wanted;
        let work = self.next_work();
        self.lookup.push(KeyringLookup {
            work,
            place: place.clone(),
            user: user.clone(),
            host,
            security,
            incoming: incoming.clone(),
        });
        vec![Effect::Keyring(work, place, user)]
    }

    /// What the keyring had.
    pub(super) fn found_password(&mut self, work: WorkId, login: Option<Login>) -> Vec<Effect> {
        let Some(at) = self.lookup.iter().position(|lookup| lookup.work == work) else {
            return Vec::new();
        };
        let KeyringLookup {
            place,
            user,
            host,
            security,
            mut incoming,
            ..
        } = self.lookup.remove(at);
        if let Some(password) = login.and_then(|login| login.password) {
            incoming.request.give_password(&user, password);
            return match incoming.arrival {
                Arrival::Next | Arrival::Again(_) => self.load_again(&incoming),
                Arrival::Draft | Arrival::Transfer(_) => {
                    self.request(incoming.request, incoming.title, incoming.arrival)
                }
            };
        }
        self.not_in_keyring.push((place, user.clone()));
        let said = None;
        let question = Question::Password {
            user,
            host,
            said,
            security,
        };
        match incoming.arrival {
            Arrival::Next | Arrival::Again(_) => {
                if let Some(waiting) = self.incoming_mut(incoming.load) {
                    waiting.question = Some(question);
                }
            }
            Arrival::Draft => self.put_back_for_draft(question),
            // It asks already.
            Arrival::Transfer(_) => {}
        }
        Vec::new()
    }

    /// Starts the load of a page on its way again, wherever that is; nothing when it is no longer awaited.
    fn load_again(&mut self, incoming: &Incoming) -> Vec<Effect> {
        let load = self.next_load();
        let mut request = incoming.request.clone();
        self.complete(&mut request);
        let Some(waiting) = self.incoming_mut(incoming.load) else {
            return Vec::new();
        };
        waiting.load = load;
        waiting.request = request.clone();
        waiting.phase = Phase::Connecting;
        vec![Effect::Load(load, request)]
    }

    /// A person has typed the password of a request: it may be kept, once the server has taken it.
    pub(super) fn note_typed(&mut self, request: &Request) {
        if self.settings.keyring {
            self.typed = request.place().zip(request.login.clone());
        }
    }

    /// A server has taken the login of this request: is its password kept?
    pub(super) fn ask_to_keep(&mut self, request: &Request) {
        let taken = request.place().zip(request.login.clone());
        if taken == self.typed
            && let Some((place, login)) = self.typed.take()
        {
            self.ask_later(Choice::keep(place, login));
        }
    }

    /// What came of keeping a password.
    pub(super) fn kept_password(&mut self, kept: Result<(), String>) {
        match kept {
            Ok(()) => self.tell("the keyring keeps the password"),
            Err(sentence) => self.complain(&sentence),
        }
    }
}
