//! The form that is shown: its keys, and the way of its answers to the server.

use std::path::PathBuf;

use super::action::Action;
use super::choice::Choice;
use super::page::{Content, Page};
use super::pane::Arrival;
use super::server_form::{Filled, Filling};
use super::{App, Effect, Focus, WorkId};
use crate::keymap::{Context, Key, Meaning};
use crate::load::{Answers, FormOf, Hidden, Request};

/// What a file for the reply is called where only its directory is named.
const REPLY: &str = "reply.txt";

impl App {
    /// The form that takes keys, if one does.
    pub fn form(&self) -> Option<&Filling> {
        self.page()
            .filter(|_| self.focus == Focus::Panes)
            .and_then(Page::form)
    }

    pub(super) fn form_mut(&mut self) -> Option<&mut Filling> {
        let in_panes = self.focus == Focus::Panes;
        match &mut self.page_mut().filter(|_| in_panes)?.content {
            Content::Form(filling) => Some(filling),
            Content::Document(_)
            | Content::Failure(_)
            | Content::Session(_)
            | Content::Forgotten => None,
        }
    }

    /// A key for the form that is shown; nothing when there is none, or the key means nothing to it.
    pub(super) fn form_key(&mut self, key: Key) -> Option<Vec<Effect>> {
        if self.form_mut()?.own_key(key) {
            return Some(Vec::new());
        }
        if let Meaning::Action(action) = self.keymap.meaning(&[Context::Form], &[key]) {
            return Some(self.act(action));
        }
        match self.form_mut()?.key(key) {
            Filled::On => Some(Vec::new()),
            Filled::Send => Some(self.send_form()),
            Filled::Leave => Some(self.leave_form()),
            Filled::Not => None,
        }
    }

    /// What the actions of forms do.
    pub(super) fn act_on_form(&mut self, action: Action) -> Vec<Effect> {
        let forward = action == Action::NextField;
        match (self.form_mut(), action) {
            (None, _) => {
                self.tell("there is no form here");
                Vec::new()
            }
            (Some(_), Action::SendForm) => self.send_form(),
            (Some(_), Action::LeaveForm) => self.leave_form(),
            (Some(filling), _) => {
                filling.turn(forward);
                Vec::new()
            }
        }
    }

    fn leave_form(&mut self) -> Vec<Effect> {
        if self.pane().is_some_and(|pane| pane.incoming.is_some()) {
            return self.stop();
        }
        self.turn(false)
    }

    /// Sends the form that is shown, and asks first where its reply would be saved outside the download directory, or a
    /// file goes with it.
    fn send_form(&mut self) -> Vec<Effect> {
        match self.unagreed_receipt() {
            Some((_, path)) => self.choose(Choice::save_reply(path)),
            None => self.send_form_with_file(),
        }
    }

    /// The file outside the download directory to which the reply would be saved, when nobody has agreed to that; and the
    /// line that names it.
    fn unagreed_receipt(&self) -> Option<(usize, PathBuf)> {
        let filling = self.form()?;
        let (number, typed) = filling.receipt()?;
        let path = self.path(typed, REPLY);
        let is_agreed = filling.agreed.as_ref() == Some(&path);
        (!is_agreed && !self.is_in_downloads(&path)).then_some((number, path))
    }

    /// Somebody has agreed to save the reply to this file.
    pub(super) fn agree_to_receipt(&mut self, path: PathBuf) -> Vec<Effect> {
        if let Some(filling) = self.form_mut() {
            filling.agreed = Some(path);
        }
        self.send_form()
    }

    fn send_form_with_file(&mut self) -> Vec<Effect> {
        let Some(filling) = self.form() else {
            return Vec::new();
        };
        let url = filling.request.url.reading();
        let host = url.address().map_or("", |address| address.text).to_owned();
        match filling.file().map(|(_, path)| self.path(path, "")) {
            Some(path) => self.choose(Choice::send_file(path, &host)),
            None => self.send_answers(None),
        }
    }

    /// Reads the file that somebody has agreed to send.
    pub(super) fn read_file(&mut self, path: PathBuf) -> Vec<Effect> {
        let work = self.next_work();
        match self.form_mut() {
            Some(filling) => {
                filling.reading = Some(work);
                vec![Effect::Read(work, path)]
            }
            None => Vec::new(),
        }
    }

    /// A file has been read, or could not be.
    pub(super) fn file_read(
        &mut self,
        work: WorkId,
        octets: Result<Vec<u8>, String>,
    ) -> Vec<Effect> {
        let Some(filling) = self.form_mut() else {
            return Vec::new();
        };
        if filling
            .reading
            .take_if(|reading| *reading == work)
            .is_none()
        {
            return Vec::new();
        }
        match octets {
            Ok(octets) => self.send_answers(Some(octets)),
            Err(sentence) => {
                let field = filling.file().map_or(0, |(field, _)| field);
                filling.refuse(field, &sentence);
                Vec::new()
            }
        }
    }

    /// Sends the answers. Those to an item become its address (RFC 1738, section 3.4.9), unless one is hidden: then they
    /// stand in none.
    fn send_answers(&mut self, file: Option<Vec<u8>>) -> Vec<Effect> {
        let unagreed = self.unagreed_receipt();
        let Some(filling) = self.form_mut() else {
            return Vec::new();
        };
        if let Some((number, _)) = unagreed {
            // It was changed while the file was read.
            filling.refuse(
                number,
                "this is outside the download directory: send it again",
            );
            return Vec::new();
        }
        let Some(octets) = filling.fill(file) else {
            return Vec::new();
        };
        let request = filling.request.clone();
        let (title, at) = (filling.title.clone(), filling.at);
        let receipt = filling.receipt().map(|(_, name)| name.to_owned());
        let is_hidden = filling.has_secret();
        let url = match filling.of() {
            FormOf::Item if is_hidden => Ok(request.url.clone()),
            FormOf::Item => request.url.with_plus(&octets),
            FormOf::PhoneBook => request.url.with_search(&octets),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => {
                filling.refuse(at, &error.to_string());
                return Vec::new();
            }
        };
        let answers = if is_hidden {
            Answers::Hidden(Hidden(octets))
        } else {
            Answers::Agreed
        };
        let request = Request {
            url,
            answers,
            ..request
        };
        let keep = receipt.map(|name| self.path(&name, REPLY));
        let effects = self.request(request, title, Arrival::Next);
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.as_mut()) {
            incoming.keep = keep;
        }
        effects
    }
}
