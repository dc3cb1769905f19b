//! Passwords that the system's keyring keeps: looked for there before a person is asked, and put there when they say so.

use super::choice::{Choice, Of, YES_OR_NO, answers};
use super::pane::Incoming;
use super::prompt::{Prompt, Wants};
use super::{App, Effect, Overlay, WorkId};
use crate::load::{Login, Request};
use crate::text::Text;

/// A password that the keyring is asked for.
#[derive(Clone, Debug)]
pub(super) struct Sought {
    work: WorkId,
    user: String,
    host: String,
    incoming: Incoming,
}

impl Choice {
    /// Is this password to be kept?
    fn keep(place: String, login: Login) -> Self {
        let user = Text::of(&login.user);
        let question = format!("Keep the password of {user} at {place} in the keyring?");
        Self {
            question: Text::of(&question),
            lines: Vec::new(),
            answers: answers(&YES_OR_NO),
            of: Of::Keep(place, login),
        }
    }
}

impl App {
    /// Asks for a password: the keyring, where there is one and no other has been refused, else a person.
    pub(super) fn ask_password(
        &mut self,
        user: String,
        host: String,
        said: Option<Text>,
        mut incoming: Incoming,
    ) -> Vec<Effect> {
        let place = incoming.request.place();
        if let (true, None, Some(place)) = (self.settings.keyring, &said, place) {
            let work = self.next_work();
            self.sought.push(Sought {
                work,
                user: user.clone(),
                host,
                incoming,
            });
            return vec![Effect::Keyring(work, place, user)];
        }
        let place = format!("{user} at {host}");
        incoming.request.ask_of(&user);
        self.prompt(Prompt {
            remark: said,
            ..Prompt::new(Wants::Password(incoming, place), "")
        })
    }

    /// What the keyring had.
    pub(super) fn found_password(&mut self, work: WorkId, login: Option<Login>) -> Vec<Effect> {
        let Some(at) = self.sought.iter().position(|sought| sought.work == work) else {
            return Vec::new();
        };
        let Sought {
            user,
            host,
            mut incoming,
            ..
        } = self.sought.remove(at);
        if let Some(password) = login.and_then(|login| login.password) {
            incoming.request.give_password(&user, password);
            return self.request(incoming.request, incoming.title, incoming.arrival);
        }
        let place = format!("{user} at {host}");
        incoming.request.ask_of(&user);
        self.prompt(Prompt::new(Wants::Password(incoming, place), ""))
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
        if self.typed.is_none() || taken != self.typed || self.overlay.is_some() {
            return;
        }
        if let Some((place, login)) = self.typed.take() {
            self.overlay = Some(Overlay::Choice(Choice::keep(place, login)));
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
