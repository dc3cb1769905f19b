//! Questions of transfers: a question waits in the row of its transfer, and is opened there.

use std::path::{Path, PathBuf};

use geomys_load::{Question, Request};
use geomys_store::transfer::queue::Destination;
use geomys_wire::net::shown_url;
use geomys_wire::text::{Text, octets};

use crate::name::name_of;
use crate::requester::TransferId;
use crate::transfers::message::{DirectoryTransfer, TransferQuestion};
use crate::transfers::{State, Transfer};
use crate::{
    Command, Context, Credentials, Dialog, PendingRequest, TransferCommand, TransferEffect,
    Transfers,
};

impl TransferQuestion {
    /// Returns the question in a few words.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Directory => "directory?",
            Self::Foreign(_) => "merge?",
            Self::Oversize(_) => "fetch more?",
            Self::Load(Question::Search) => "search words?",
            Self::Load(Question::Input { .. }) => "answer?",
            Self::Load(Question::Password { .. }) => "password?",
            Self::Load(Question::Login { .. }) => "name?",
            Self::Load(Question::Account { .. }) => "account?",
            Self::Load(Question::NewsServer) => "news server?",
            Self::Load(Question::Certificate(_) | Question::Identity { .. }) => "certificate?",
            Self::Load(Question::Unencrypted(_)) => "unencrypted password?",
            Self::Load(Question::Hazards(_)) => "unsafe address?",
            Self::Load(Question::LocalAddress(_)) => "local address?",
            Self::Load(Question::ActiveMode { .. }) => "may the server connect?",
            Self::Load(Question::Unpack { .. }) => "unpack all?",
            Self::Load(Question::Changed { .. }) => "file changed?",
            Self::Load(Question::Send(_)) => "send the form?",
            Self::Load(Question::Save { .. } | Question::Unknown(_) | Question::Form(_)) => "?",
        }
    }

    /// Returns the reason of the question as a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Directory => "this is a directory".to_owned(),
            Self::Foreign(path) => {
                format!(
                    "{} contains other files",
                    Text::of(&path.display().to_string())
                )
            }
            Self::Oversize(size) => format!(
                "stopped at the announced size of {}: the server sends more",
                octets(*size)
            ),
            Self::Load(question) => question.reason(),
        }
    }
}

impl Transfers {
    /// Opens the question of a transfer.
    pub(crate) fn ask_for_transfer(&self, id: TransferId, cx: &mut Context) {
        let Some(item) = self.queue.items().iter().find(|item| item.id == id) else {
            return;
        };
        let State::Asking(question) = &item.state else {
            return;
        };
        let question = question.clone();
        let pending = item.pending();
        match *question {
            TransferQuestion::Load(question) => {
                cx.command(Command::Ask(question, Box::new(pending)));
            }
            TransferQuestion::Directory => cx.ask(Dialog::whole_directory(id, pending)),
            TransferQuestion::Foreign(path) => cx.ask(merge(id, pending, &path)),
            TransferQuestion::Oversize(size) => cx.ask(past_size(id, pending, size)),
        }
    }

    /// Resumes the transfers whose question was answered for a page or another transfer.
    pub(crate) fn resume_answered(&mut self, credentials: &Credentials, cx: &Context) {
        let asking = self.queue.asking();
        let answered = asking
            .filter(|item| credentials.is_answered(item, cx))
            .map(|item| item.id);
        for id in answered.collect::<Vec<_>>() {
            if let Some(item) = self.queue.asking_mut(id) {
                item.state = State::Waiting;
            }
        }
    }

    /// Resumes a transfer whose question was answered: it waits in the queue.
    pub(crate) fn resume_transfer(&mut self, id: TransferId, request: Request, cx: &mut Context) {
        cx.transfers_changed();
        self.resume_with(id, |item| item.request = request);
    }

    /// Resumes a transfer that asks, after this change.
    pub(crate) fn resume_with(&mut self, id: TransferId, change: impl FnOnce(&mut Transfer)) {
        if let Some(item) = self.queue.asking_mut(id) {
            change(item);
            item.state = State::Waiting;
        }
    }

    /// Finds the local path for a transfer of a directory.
    pub(crate) fn find_destination(&mut self, id: TransferId, cx: &mut Context) {
        let Some(item) = self.queue.asking_mut(id) else {
            return;
        };
        let (url, path) = (item.request.url.clone(), item.to.path().to_owned());
        cx.emit(TransferEffect::Destination(
            DirectoryTransfer::Queued(id),
            url,
            path,
        ));
    }

    /// Resumes a transfer as the transfer of a complete directory to this path.
    pub(crate) fn accept_directory(&mut self, id: TransferId, path: PathBuf) {
        self.resume_with(id, |item| {
            item.name = name_of(&path);
            item.to = Destination::Directory(path);
        });
    }

    /// Handles a question that was cancelled, or answered with no.
    pub(crate) fn decline_transfer(&mut self, id: TransferId, sentence: &str, cx: &mut Context) {
        cx.transfers_changed();
        if let Some(item) = self.queue.asking_mut(id) {
            item.state = State::Failed(Text::of(sentence));
        }
    }
}

impl Credentials {
    /// Returns true if the answer to a transfer's question is available now.
    fn is_answered(&self, item: &Transfer, cx: &Context) -> bool {
        let State::Asking(question) = &item.state else {
            return false;
        };
        match &**question {
            TransferQuestion::Load(Question::Certificate(certificate_error)) => {
                self.is_trusted(certificate_error, &item.request)
            }
            TransferQuestion::Load(Question::Unencrypted(unencrypted)) => {
                self.is_plain_login(&unencrypted.authority)
            }
            TransferQuestion::Load(Question::Password { .. } | Question::Login { .. }) => {
                let mut request = item.request.clone();
                self.apply_defaults(&mut request, &cx.settings);
                request.login != item.request.login
            }
            TransferQuestion::Load(Question::ActiveMode { authority }) => {
                self.is_active_host(authority)
            }
            TransferQuestion::Load(Question::LocalAddress(_)) => {
                let mut request = item.request.clone();
                self.apply_defaults(&mut request, &cx.settings);
                request.consents.local != item.request.consents.local
            }
            TransferQuestion::Load(
                Question::Search
                | Question::Input { .. }
                | Question::Identity { .. }
                | Question::Account { .. }
                | Question::NewsServer
                | Question::Hazards(_)
                | Question::Unpack { .. }
                | Question::Save { .. }
                | Question::Changed { .. }
                | Question::Unknown(_)
                | Question::Form(_)
                | Question::Send(_),
            )
            | TransferQuestion::Directory
            | TransferQuestion::Foreign(_)
            | TransferQuestion::Oversize(_) => false,
        }
    }
}

/// Creates the question whether to add files to a directory with other files.
fn merge(id: TransferId, pending: PendingRequest, path: &Path) -> Dialog {
    let to = format!("to {}", path.display());
    let lines = [&*shown_url(&pending.request.url), &to]
        .map(Text::of)
        .to_vec();
    let (find, merge) = (
        TransferCommand::FindDestination(id),
        TransferCommand::Merge(id),
    );
    Dialog::new("The directory contains other files. Add these?")
        .no("leave it")
        .answer('o', "save to another directory", find)
        .answer('m', "add to this one", merge)
        .with_lines(lines)
        .about(pending)
}

/// Creates the question whether to transfer more than the announced size.
fn past_size(id: TransferId, pending: PendingRequest, size: u64) -> Dialog {
    let question = format!(
        "{} is larger than announced. Download the rest?",
        pending.title
    );
    let announced = format!("the server announced {}, but sends more", octets(size));
    let lines = [&*shown_url(&pending.request.url), &announced].map(Text::of);
    let accept = Command::Transfers(TransferCommand::AcceptOversize(id));
    Dialog::new(&question)
        .no("leave it")
        .answer('r', "fetch the rest", accept)
        .with_lines(lines.to_vec())
        .about(pending)
}
