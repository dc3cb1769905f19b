//! The shown form: its keys, and the sending of its answers to the server.

use std::path::PathBuf;
use std::sync::Arc;

use geomys_page::load::{FormAnswers, FormKind, HiddenAnswers, Request};
use geomys_store::files::regular;

use crate::app::action::Action;
use crate::app::requester::{Arrival, NextStep, Requester};
use crate::app::transfers::save::{download_path, is_in_downloads};
use crate::app::view::form::{FormEvent, FormPage};
use crate::app::{Command, Context, Dialog, Focus, Page, PendingRequest, Tabs, TabsEffect, WorkId};
use crate::keymap::{Key, KeyContext, KeyMatch};

/// The default file name for the reply, if the user gives only a directory.
const REPLY_FILE_NAME: &str = "reply.txt";

impl Tabs {
    /// Returns the form that receives keys.
    pub fn form(&self, cx: &Context) -> Option<&FormPage> {
        self.page()
            .filter(|_| cx.focus == Focus::Panes)
            .and_then(Page::form)
    }

    pub(crate) fn form_mut(&mut self, cx: &Context) -> Option<&mut FormPage> {
        let in_panes = cx.focus == Focus::Panes;
        let page = self.page_mut().filter(|_| in_panes)?;
        page.content.form_mut()
    }

    /// Moves to the next field of the shown form, or to the previous one.
    pub(crate) fn step_field(&mut self, forward: bool, cx: &Context) {
        if let Some(form) = self.form_mut(cx) {
            form.step(forward);
        }
    }

    /// Sends the shown form. Asks first if its reply would be saved outside the download directory, or if a file
    /// would be sent with it.
    pub(crate) fn send_form(&mut self, cx: &mut Context) {
        match self.unconfirmed_reply_path(cx) {
            Some((_, path)) => cx.ask(Dialog::save_reply(path)),
            None => self.send_form_with_file(cx),
        }
    }

    /// Returns the file outside the download directory to which the reply would be saved, if the user has not confirmed
    /// it; with it the number of the field that names it.
    fn unconfirmed_reply_path(&self, cx: &Context) -> Option<(usize, PathBuf)> {
        let form = self.form(cx)?;
        let (number, typed) = form.receipt()?;
        let path = download_path(typed, REPLY_FILE_NAME, cx);
        let is_confirmed = form.confirmed_path.as_ref() == Some(&path);
        (!is_confirmed && !is_in_downloads(&path, cx)).then_some((number, path))
    }

    /// Confirms that the reply is saved to this file, and sends the form.
    pub(crate) fn confirm_reply_path(&mut self, path: PathBuf, cx: &mut Context) {
        if let Some(form) = self.form_mut(cx) {
            form.confirmed_path = Some(path);
        }
        self.send_form(cx);
    }

    fn send_form_with_file(&mut self, cx: &mut Context) {
        let Some(form) = self.form(cx) else {
            return;
        };
        let url = form.request.url.base_parts();
        let host = url.address().map_or("", |address| address.text).to_owned();
        match form.file().map(|(_, path)| download_path(path, "", cx)) {
            Some(path) => cx.ask(Dialog::send_file(path, &host)),
            None if *form.of() == FormKind::Upload => self.confirm_upload(cx),
            None => self.send_answers(None, cx),
        }
    }

    /// Asks before the text of an upload is sent.
    fn confirm_upload(&mut self, cx: &mut Context) {
        let Some(form) = self.form_mut(cx) else {
            return;
        };
        match form.upload_request(None) {
            Ok(request) => {
                let requester = Requester::Pane(Arrival::Append);
                let pending = PendingRequest::new(request, form.title.clone(), requester);
                cx.ask(Dialog::send_text(pending));
            }
            Err((line, why)) => form.refuse(line, &why),
        }
    }

    /// Reads the file that the user confirmed to send.
    pub(crate) fn read_file(&mut self, path: PathBuf, cx: &mut Context) {
        let work = cx.next_work();
        if let Some(form) = self.form_mut(cx) {
            form.reading = Some(work);
            let limit = match form.of() {
                FormKind::Upload => regular::MAX_UPLOAD_BYTES,
                FormKind::Item | FormKind::PhoneBook | FormKind::Web(_) => {
                    regular::MAX_IN_URL_BYTES
                }
            };
            cx.emit(TabsEffect::ReadFile(work, path, limit));
        }
    }

    /// Handles the content of a file to send, or the error of reading it.
    pub(crate) fn file_read(
        &mut self,
        work: WorkId,
        octets: Result<Vec<u8>, String>,
        cx: &mut Context,
    ) {
        let Some(form) = self.form_mut(cx) else {
            return;
        };
        if form.reading.take_if(|reading| *reading == work).is_none() {
            return;
        }
        match octets {
            Ok(octets) => self.send_answers(Some(octets), cx),
            Err(sentence) => {
                let field = form.file().map_or(0, |(field, _)| field);
                form.refuse(field, &sentence);
            }
        }
    }

    /// Sends the answers. The answers to an item become part of its URL (RFC 1738, section 3.4.9), unless one is
    /// hidden: then the URL contains none of them.
    fn send_answers(&mut self, file: Option<Vec<u8>>, cx: &mut Context) {
        let unconfirmed = self.unconfirmed_reply_path(cx);
        let Some(form) = self.form_mut(cx) else {
            return;
        };
        let title = form.title.clone();
        if let FormKind::Web(web) = form.of() {
            let web = Arc::clone(web);
            match form.web_request(&web) {
                Ok(request) => cx.load(PendingRequest::for_pane(request, title, Arrival::Append)),
                Err(why) => {
                    form.refuse(0, &why);
                    form.at = form.send_button();
                }
            }
            return;
        }
        if *form.of() == FormKind::Upload {
            match form.upload_request(file) {
                Ok(request) => cx.load(PendingRequest::for_pane(request, title, Arrival::Append)),
                Err((line, why)) => form.refuse(line, &why),
            }
            return;
        }
        if let Some((number, _)) = unconfirmed {
            // The path was changed while the file was read.
            form.refuse(
                number,
                "outside the download directory: send again to confirm",
            );
            return;
        }
        let Some(octets) = form.fill(file) else {
            return;
        };
        let request = form.request.clone();
        let at = form.at;
        let receipt = form.receipt().map(|(_, name)| name.to_owned());
        let is_hidden = form.has_secret();
        let url = match form.of() {
            FormKind::Item if is_hidden => Ok(request.url.clone()),
            FormKind::Item | FormKind::Web(_) | FormKind::Upload => request.url.with_plus(&octets),
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
        let save_to = receipt.map(|name| download_path(&name, REPLY_FILE_NAME, cx));
        let pending = PendingRequest::for_pane(request, title, Arrival::Append);
        cx.load(pending.then(save_to.map(NextStep::Save)));
    }

    pub(crate) fn close_form(&mut self, cx: &mut Context) {
        if self.incoming().is_some() {
            return cx.command(Command::Act(Action::Stop));
        }
        self.leave_page(cx);
    }

    /// Handles a key in the shown form; `None` if there is no form or it does not use the key.
    pub(crate) fn form_key(&mut self, key: Key, cx: &mut Context) -> Option<()> {
        if self.form_mut(cx)?.own_key(key) {
            return Some(());
        }
        if let KeyMatch::Action(action) = cx.keymap.find(&[KeyContext::Form], &[key]) {
            cx.command(Command::Act(action));
            return Some(());
        }
        match self.form_mut(cx)?.key(key) {
            FormEvent::Handled => {}
            FormEvent::Send => self.send_form(cx),
            FormEvent::Leave => self.close_form(cx),
            FormEvent::Ignored => return None,
        }
        Some(())
    }
}
