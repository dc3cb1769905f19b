//! A form as a view: its keys, and the sending of its answers, of a text or of a file to the server.

use std::path::PathBuf;
use std::sync::Arc;

use crossterm::event::KeyEvent;
use geomys_load::{FormAnswers, FormKind, HiddenAnswers, PostedAnswers, Request};
use geomys_page::document::{Document, suffix};
use geomys_store::files::regular;
use rfc1738::Url;
use tui_input::Input;

use crate::action::Action;
use crate::keymap::{Key, KeyContext, KeyMatch};
use crate::requester::{Arrival, NextStep, Requester};
use crate::transfers::save::{download_path, is_in_downloads};
use crate::view::context::{Outcome, State, ViewContext};
use crate::view::form::{FormEvent, FormView, Secret, Value};
use crate::view::kind::{KeyHint, ViewKind};
use crate::view::work::{WorkId, WorkResult};
use crate::{Command, Context, Dialog, Effect, Focus, PendingRequest, Settings};

/// The default file name for the reply, if the user gives only a directory.
const REPLY_FILE_NAME: &str = "reply.txt";

impl FormView {
    /// Sends the form. Asks first if its reply would be saved outside the download directory, or if a file would be
    /// sent with it.
    fn send(&mut self, is_stored: bool, cx: &mut Context) -> Outcome {
        if let Some((_, path)) = self.unconfirmed_reply_path(cx) {
            return Dialog::save_reply(path).into();
        }
        let url = self.request.url.base_parts();
        let host = url.address().map_or("", |address| address.text).to_owned();
        match self.file().map(|(_, path)| download_path(path, "", cx)) {
            Some(path) => Dialog::send_file(path, &host).into(),
            None if *self.of() == FormKind::Upload => self.confirm_upload(is_stored, cx),
            None => {
                self.send_answers(None, cx);
                Outcome::Done
            }
        }
    }

    /// Returns the file outside the download directory to which the reply would be saved, if the user has not confirmed
    /// it; with it the number of the field that names it.
    fn unconfirmed_reply_path(&self, cx: &Context) -> Option<(usize, PathBuf)> {
        let (number, typed) = self.receipt()?;
        let path = download_path(typed, REPLY_FILE_NAME, cx);
        let is_confirmed = self.confirmed_path.as_ref() == Some(&path);
        (!is_confirmed && !is_in_downloads(&path, cx)).then_some((number, path))
    }

    /// Confirms that the reply is saved to this file, and sends the form.
    pub(crate) fn confirm_reply_path(&mut self, path: PathBuf, cx: &mut Context) -> Outcome {
        self.confirmed_path = Some(path);
        self.send(false, cx)
    }

    /// Asks before the text of an upload is sent.
    fn confirm_upload(&mut self, is_stored: bool, cx: &Context) -> Outcome {
        match self.upload_request(None) {
            Ok(request) => {
                let requester = Requester::Pane(Arrival::Append);
                let pending = PendingRequest::new(request, self.title.clone(), requester);
                Dialog::send_text(pending, is_stored, cx.settings.offline).into()
            }
            Err((line, why)) => {
                self.refuse(line, &why);
                Outcome::Done
            }
        }
    }

    /// Reads the file that the user confirmed to send.
    pub(crate) fn read_file(&mut self, path: PathBuf, cx: &mut Context) {
        let work = cx.next_work();
        self.reading = Some(work);
        let limit = match self.of() {
            FormKind::Upload => regular::MAX_UPLOAD_BYTES,
            FormKind::Item | FormKind::PhoneBook | FormKind::Web(_) => regular::MAX_IN_URL_BYTES,
        };
        cx.emit(Effect::ReadFile(work, path, limit));
    }

    /// Sends the answers. The answers to an item become part of its URL (RFC 1738, section 3.4.9), unless one is
    /// hidden: then the URL contains none of them.
    fn send_answers(&mut self, file: Option<Vec<u8>>, cx: &mut Context) {
        let title = self.title.clone();
        if let FormKind::Web(web) = self.of() {
            let web = Arc::clone(web);
            match self.web_request(&web) {
                Ok(request) => cx.load(PendingRequest::for_pane(request, title, Arrival::Append)),
                Err(why) => {
                    self.refuse(0, &why);
                    self.at = self.send_button();
                }
            }
            return;
        }
        if *self.of() == FormKind::Upload {
            match self.upload_request(file) {
                Ok(request) => cx.load(PendingRequest::for_pane(request, title, Arrival::Append)),
                Err((line, why)) => self.refuse(line, &why),
            }
            return;
        }
        if let Some((number, _)) = self.unconfirmed_reply_path(cx) {
            // The path was changed while the file was read.
            self.refuse(
                number,
                "outside the download directory: send again to confirm",
            );
            return;
        }
        let Some(octets) = self.fill(file) else {
            return;
        };
        let request = self.request.clone();
        let receipt = self.receipt().map(|(_, name)| name.to_owned());
        let is_hidden = self.has_secret();
        let url = match self.of() {
            FormKind::Item if is_hidden => Ok(request.url.clone()),
            FormKind::Item | FormKind::Web(_) | FormKind::Upload => request.url.with_plus(&octets),
            FormKind::PhoneBook => request.url.with_search(&octets),
        };
        let url = match url {
            Ok(url) => url,
            Err(error) => return self.refuse(self.at, &error.to_string()),
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
}

impl ViewKind for FormView {
    fn contexts(&self) -> Vec<KeyContext> {
        vec![KeyContext::Form]
    }

    fn act(&mut self, action: Action, at: &mut ViewContext<'_>) -> Outcome {
        if at.cx.focus != Focus::Panes {
            return Outcome::Ignored;
        }
        match action {
            Action::NextField => self.step(true),
            Action::PreviousField => self.step(false),
            Action::SendForm => return self.send(at.is_stored, at.cx),
            Action::LeaveForm => at.cx.command(Command::LeavePage),
            _ => return Outcome::Ignored,
        }
        Outcome::Done
    }

    fn key(&mut self, event: KeyEvent, at: &mut ViewContext<'_>) -> Outcome {
        let key = Key::of(event);
        if at.cx.focus != Focus::Panes {
            return Outcome::Ignored;
        }
        if self.own_key(key) {
            return Outcome::Done;
        }
        if let KeyMatch::Action(action) = at.cx.keymap.find(&[KeyContext::Form], &[key]) {
            at.cx.command(Command::Act(action));
            return Outcome::Done;
        }
        match self.type_key(key) {
            FormEvent::Handled => {}
            FormEvent::Send => return self.send(at.is_stored, at.cx),
            FormEvent::Leave => at.cx.command(Command::LeavePage),
            FormEvent::Ignored => return Outcome::Ignored,
        }
        Outcome::Done
    }

    fn paste(&mut self, text: &str, at: &mut ViewContext<'_>) -> Outcome {
        let is_here = at.cx.focus == Focus::Panes;
        if is_here {
            self.insert(text);
        }
        Outcome::of(is_here)
    }

    fn hints(&self, _: &Url, _: &State, _: &Settings) -> Vec<KeyHint> {
        vec![(Action::Back, "back")]
    }

    fn offer(&self, _: &Url) -> Option<Document> {
        None
    }

    fn awaits(&self, work: WorkId) -> bool {
        self.reading == Some(work)
    }

    fn take(&mut self, _: WorkId, result: WorkResult, at: &mut ViewContext<'_>) -> Outcome {
        let WorkResult::Read(octets) = result else {
            return Outcome::Ignored;
        };
        self.reading = None;
        match octets {
            Ok(octets) => self.send_answers(Some(octets), at.cx),
            Err(sentence) => {
                let field = self.file().map_or(0, |(field, _)| field);
                self.refuse(field, &sentence);
            }
        }
        Outcome::Done
    }
}

/// The media type of a text.
const TEXT: &str = "text/gemini";

/// The media type of a file whose name says none.
const FILE: &str = "application/octet-stream";

impl FormView {
    /// Returns the request that uploads the text, or `file` if there is one.
    ///
    /// # Errors
    /// The line that cannot be sent, and the reason.
    pub(crate) fn upload_request(&self, file: Option<Vec<u8>>) -> Result<Request, (usize, String)> {
        let (mut text, mut media, mut token) = ((0, String::new()), String::new(), String::new());
        for (number, entry) in self.entries.iter().enumerate() {
            match &entry.value {
                Value::Lines(lines, _) => {
                    let lines: Vec<&str> = lines.iter().map(Input::value).collect();
                    text = (number, lines.join("\n"));
                }
                Value::Line(input) => input.value().trim().clone_into(&mut media),
                Value::Secret(Secret(input)) => input.value().clone_into(&mut token),
                Value::Note
                | Value::Receipt(_)
                | Value::Select(_)
                | Value::Choose(..)
                | Value::File(_) => {}
            }
        }
        let (line, text) = text;
        if file.is_some() && !text.is_empty() {
            return Err((line, "both a text and a file: leave one empty".to_owned()));
        }
        if file.is_none() && text.is_empty() {
            return Err((line, "nothing to send: enter a text or a file".to_owned()));
        }
        if media.is_empty() {
            let name = self.file().map_or("", |(_, path)| path);
            let known = suffix::media_type(name.as_bytes()).unwrap_or(FILE);
            let default = if file.is_some() { known } else { TEXT };
            default.clone_into(&mut media);
        }
        let posted = PostedAnswers {
            media,
            token,
            octets: file.unwrap_or_else(|| text.into_bytes()),
        };
        Ok(Request {
            answers: FormAnswers::Posted(posted),
            ..self.request.clone()
        })
    }
}
