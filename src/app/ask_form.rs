//! The shown form: its keys, and the sending of its answers to the server.

use std::path::PathBuf;

use super::choice::Choice;
use super::page::{Content, Page};
use super::pane::Arrival;
use super::server_form::{FormEvent, FormPage};
use super::{App, Effect, Focus, WorkId};
use crate::keymap::{Context, Key, KeyMatch};
use crate::load::{FormAnswers, FormKind, HiddenAnswers, Request};

/// The default file name for the reply, if the user gives only a directory.
const REPLY_FILE_NAME: &str = "reply.txt";

impl App {
    /// Returns the form that receives keys.
    pub fn form(&self) -> Option<&FormPage> {
        self.page()
            .filter(|_| self.focus == Focus::Panes)
            .and_then(Page::form)
    }

    pub(super) fn form_mut(&mut self) -> Option<&mut FormPage> {
        let in_panes = self.focus == Focus::Panes;
        match &mut self.page_mut().filter(|_| in_panes)?.content {
            Content::Form(form) => Some(form),
            Content::Document(_) | Content::Failure(_) | Content::Session(_) | Content::Dropped => {
                None
            }
        }
    }

    /// Handles a key in the shown form; `None` if there is no form or it does not use the key.
    pub(super) fn form_key(&mut self, key: Key) -> Option<()> {
        if self.form_mut()?.own_key(key) {
            return Some(());
        }
        if let KeyMatch::Action(action) = self.keymap.find(&[Context::Form], &[key]) {
            return {
                self.act(action);
                Some(())
            };
        }
        match self.form_mut()?.key(key) {
            FormEvent::Handled => Some(()),
            FormEvent::Send => {
                self.send_form();
                Some(())
            }
            FormEvent::Leave => {
                self.close_form();
                Some(())
            }
            FormEvent::Ignored => None,
        }
    }

    /// Moves to the next field of the shown form, or to the previous one.
    pub(super) fn step_field(&mut self, forward: bool) {
        if let Some(form) = self.form_mut() {
            form.step(forward);
        }
    }

    pub(super) fn close_form(&mut self) {
        if self.pane().is_some_and(|pane| pane.incoming.is_some()) {
            return self.stop();
        }
        self.go_in_history(false);
    }

    /// Sends the shown form. Asks first if its reply would be saved outside the download directory, or if a file
    /// would be sent with it.
    pub(super) fn send_form(&mut self) {
        match self.unconfirmed_reply_path() {
            Some((_, path)) => self.choose(Choice::save_reply(path)),
            None => self.send_form_with_file(),
        }
    }

    /// Returns the file outside the download directory to which the reply would be saved, if the user has not confirmed
    /// it; with it the number of the field that names it.
    fn unconfirmed_reply_path(&self) -> Option<(usize, PathBuf)> {
        let form = self.form()?;
        let (number, typed) = form.receipt()?;
        let path = self.path(typed, REPLY_FILE_NAME);
        let is_confirmed = form.confirmed_path.as_ref() == Some(&path);
        (!is_confirmed && !self.is_in_downloads(&path)).then_some((number, path))
    }

    /// Confirms that the reply is saved to this file, and sends the form.
    pub(super) fn confirm_reply_path(&mut self, path: PathBuf) {
        if let Some(form) = self.form_mut() {
            form.confirmed_path = Some(path);
        }
        self.send_form();
    }

    fn send_form_with_file(&mut self) {
        let Some(form) = self.form() else {
            return;
        };
        let url = form.request.url.base_parts();
        let host = url.address().map_or("", |address| address.text).to_owned();
        match form.file().map(|(_, path)| self.path(path, "")) {
            Some(path) => self.choose(Choice::send_file(path, &host)),
            None => self.send_answers(None),
        }
    }

    /// Reads the file that the user confirmed to send.
    pub(super) fn read_file(&mut self, path: PathBuf) {
        let work = self.next_work();
        if let Some(form) = self.form_mut() {
            form.reading = Some(work);
            self.emit(Effect::Read(work, path));
        }
    }

    /// Handles the content of a file to send, or the error of reading it.
    pub(super) fn file_read(&mut self, work: WorkId, octets: Result<Vec<u8>, String>) {
        let Some(form) = self.form_mut() else {
            return;
        };
        if form.reading.take_if(|reading| *reading == work).is_none() {
            return;
        }
        match octets {
            Ok(octets) => self.send_answers(Some(octets)),
            Err(sentence) => {
                let field = form.file().map_or(0, |(field, _)| field);
                form.refuse(field, &sentence);
            }
        }
    }

    /// Sends the answers. The answers to an item become part of its URL (RFC 1738, section 3.4.9), unless one is
    /// hidden: then the URL contains none of them.
    fn send_answers(&mut self, file: Option<Vec<u8>>) {
        let unconfirmed = self.unconfirmed_reply_path();
        let Some(form) = self.form_mut() else {
            return;
        };
        if let Some((number, _)) = unconfirmed {
            // The path was changed while the file was read.
            form.refuse(
                number,
                "this is outside the download directory: send it again",
            );
            return;
        }
        let Some(octets) = form.fill(file) else {
            return;
        };
        let request = form.request.clone();
        let (title, at) = (form.title.clone(), form.at);
        let receipt = form.receipt().map(|(_, name)| name.to_owned());
        let is_hidden = form.has_secret();
        let url = match form.of() {
            FormKind::Item if is_hidden => Ok(request.url.clone()),
            FormKind::Item => request.url.with_plus(&octets),
            FormKind::PhoneBook => request.url.with_search(&octets),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => {
                form.refuse(at, &error.to_string());
                return;
            }
        };
        let answers = if is_hidden {
            FormAnswers::Hidden(HiddenAnswers(octets))
        } else {
            FormAnswers::Confirmed
        };
        let request = Request {
            url,
            answers,
            ..request
        };
        let save_to = receipt.map(|name| self.path(&name, REPLY_FILE_NAME));
        self.request(request, title, Arrival::Append);
        if let Some(incoming) = self.pane_mut().and_then(|pane| pane.incoming.as_mut()) {
            incoming.save_to = save_to;
        }
    }
}
