//! Actions of the user on transfers.

use std::path::PathBuf;

use super::super::action::Action;
use super::super::browse::OpenIn;
use super::super::choice::{Choice, LocalFileAction};
use super::super::page::{self, Page};
use super::super::prompt::{Prompt, PromptKind};
use super::super::{App, Effect, Focus, title_of};
use super::{
    DirectoryTransfer, State, Transfer, TransferId, TransferJob, TransferOutcome, free_destination,
};
use crate::document::{Document, Shape};
use crate::load::{Purpose, Request};
use crate::text::{self, Charset, Text};
use crate::transfer::queue::Destination;
use crate::transfer::tree::TreeSummary;
use crate::url::{FtpType, Parts, Url};

impl App {
    /// Adds the target of the chosen link to the queue: a file at once, a directory after a question.
    pub(in crate::app) fn download_chosen(&mut self) {
        if self.ask_save_attachment().is_some() {
            return;
        }
        let Some((label, request)) = self.selected_request() else {
            return;
        };
        match self.remote_page_to_file(&request.url) {
            Some(page) => {
                let open_in = LocalFileAction::Download;
                self.choose(Choice::local_file(request, label, &page, open_in));
            }
            None => self.download(request),
        }
    }

    /// Adds the target of a request to the queue: a file at once, a directory after a question.
    pub(in crate::app) fn download(&mut self, request: Request) {
        let name = text::file_name(title_of(&request.url).as_str().as_bytes(), "download");
        let path = self.settings.downloads.join(name);
        if is_directory(&request.url) {
            let url = request.url.clone();
            let directory = DirectoryTransfer::New(Box::new(request));
            return self.emit(Effect::Destination(directory, url, path));
        }
        self.transfer(request, free_destination(path));
    }

    /// Asks for the local path of a directory. The proposal `path` is free, or was used for the same directory before.
    pub(in crate::app) fn ask_destination(&mut self, directory: DirectoryTransfer, path: PathBuf) {
        if self.overlay.is_some() {
            self.notify("directory not saved: something else was asked first");
            return;
        }
        let shown = path.display().to_string();
        // A key press shortly before caused this question.
        self.questions.by_key = true;
        self.prompt(Prompt {
            remark: Some(Text::of("all files below it are saved there")),
            ..Prompt::new(PromptKind::SaveDirectory(directory, path), &shown)
        });
    }

    /// Adds a transfer to the queue.
    pub(in crate::app) fn transfer(&mut self, request: Request, to: Destination) {
        let request = Request {
            purpose: Purpose::Save,
            ..request
        };
        let id = self.transfers.add(request, to);
        if let Some(item) = self.transfers.get_mut(id) {
            let sentence = format!("saving {}", item.name);
            self.notify(&sentence);
        }
    }

    pub(in crate::app) fn transfer_all(&mut self, request: Request, path: PathBuf) {
        self.transfer(request, Destination::Directory(path));
    }

    /// Toggles the view of the transfers.
    pub(in crate::app) fn toggle_transfers(&mut self) {
        self.focus = match self.focus {
            Focus::Transfers => Focus::Panes,
            Focus::Bookmarks | Focus::Panes => {
                self.transfers.go_to_asking();
                Focus::Transfers
            }
        };
        self.transfers.step(0, self.transfers_height());
    }

    /// Returns the number of rows for transfers on the screen.
    pub(in crate::app) fn transfers_height(&self) -> usize {
        usize::from(self.layout().transfers_rows()).max(1)
    }

    /// Pauses or resumes the transfer under the cursor.
    pub(in crate::app) fn pause(&mut self) {
        let Some(item) = self.transfers.chosen_mut() else {
            return;
        };
        match item.state {
            State::Waiting | State::Running(..) | State::Retrying(..) => {
                self.effects.extend(stop(item));
            }
            State::Paused => {
                item.state = State::Waiting;
            }
            State::Asking(_) | State::Done(_) => {}
            State::Failed(_) => {
                let key = self.key_of(Action::Retry);
                self.notify(&format!("it has failed: {key} tries it again"));
            }
        }
    }

    /// Pauses all running and waiting transfers; if there are none, resumes all.
    pub(in crate::app) fn pause_all(&mut self) {
        let is_on = |item: &Transfer| item.load().is_some() || matches!(item.state, State::Waiting);
        let items = &mut self.transfers.items;
        if items.iter().any(is_on) {
            let on = items.iter_mut().filter(|item| is_on(item));
            self.effects.extend(on.filter_map(stop));
            return;
        }
        for item in items {
            if matches!(item.state, State::Paused) {
                item.state = State::Waiting;
            }
        }
    }

    /// Retries a failed transfer.
    pub(in crate::app) fn retry(&mut self) {
        if let Some(item) = self.transfers.chosen_mut() {
            match item.state {
                State::Failed(_) | State::Paused => item.state = State::Waiting,
                State::Waiting
                | State::Running(..)
                | State::Retrying(..)
                | State::Asking(_)
                | State::Done(_) => {}
            }
        }
    }

    pub(in crate::app) fn shift_transfer(&mut self, down: bool) {
        if self.transfers.shift(down) {
            self.transfers.step(0, self.transfers_height());
        }
    }

    /// Removes the transfer under the cursor from the queue; its files stay.
    pub(in crate::app) fn remove_transfer(&mut self) {
        let Some(item) = self.transfers.chosen() else {
            return;
        };
        let (id, is_here) = (item.id, item.amount.octets > 0);
        let is_done = matches!(item.state, State::Done(_));
        let Some(mut item) = self.transfers.remove(id) else {
            return;
        };
        if is_here && !is_done {
            let sentence = format!("removed {}; what came of it stays", item.name);
            self.notify(&sentence);
        }
        self.effects.extend(stop(&mut item));
    }

    /// Asks whether to remove the transfer under the cursor and its partial file.
    pub(in crate::app) fn ask_erase(&mut self) {
        let Some(item) = self.transfers.chosen() else {
            return;
        };
        match (&item.state, &item.to) {
            (State::Done(_), _) => self.notify("it is whole: the file is yours to delete"),
            (_, Destination::Directory(_)) => {
                self.notify("the files of a directory are yours to delete; only the transfer goes");
                self.remove_transfer();
            }
            (_, Destination::File(_)) => {
                let choice = Choice::erase_transfer(item.id, &item.name, item.amount.octets);
                self.choose(choice);
            }
        }
    }

    /// Removes a transfer and its partial file.
    pub(in crate::app) fn erase(&mut self, id: TransferId) {
        let Some(mut item) = self.transfers.remove(id) else {
            return;
        };
        let load = item.load();

        if let TransferJob::File(order) = item.job() {
            self.emit(Effect::RemovePartial(load, Box::new(order)));
        }
        item.state = State::Paused;
        self.notify(&format!("removed {}, and what came of it", item.name));
    }

    /// Removes all complete transfers from the queue.
    pub(in crate::app) fn clear_done(&mut self) {
        let is_done = |item: &Transfer| matches!(item.state, State::Done(_));
        self.transfers.items.retain(|item| !is_done(item));
        self.transfers.step(0, self.transfers_height());
    }

    /// Opens the question of a transfer, shows where it was saved, or opens its remote directory.
    pub(in crate::app) fn open_transfer(&mut self, open_in: OpenIn) {
        let Some(item) = self.transfers.chosen() else {
            return;
        };
        let from = match &item.state {
            State::Done(TransferOutcome::File(saved)) => {
                let sentence = format!("it is in {}", saved.path.display());
                self.notify(&sentence);
                return;
            }
            State::Done(TransferOutcome::Directory(_, summary)) if summary.failures > 0 => {
                let (summary, url) = (summary.clone(), item.request.url.clone());
                return self.show_failures(&summary, url);
            }
            State::Done(TransferOutcome::Directory(path, _)) => {
                let sentence = format!("it is in {}", path.display());
                self.notify(&sentence);
                return;
            }
            State::Asking(_) => return self.ask_for_transfer(item.id),
            State::Waiting
            | State::Running(..)
            | State::Retrying(..)
            | State::Paused
            | State::Failed(_) => item.request.url.up(),
        };
        match from {
            Some(url) => self.open(url, None, open_in),
            None => {
                self.notify("no directory is known that it comes from");
            }
        }
    }
}

impl App {
    /// Shows the failures of a directory on a new page.
    fn show_failures(&mut self, summary: &TreeSummary, url: Url) {
        let mut document = Document::new(url.clone(), Shape::Text, Charset::default());
        let lines = summary.failed_lines();
        document.append(format!("{}\n\n{}\n", summary.sentence(None), lines.join("\n")).as_bytes());
        let title = Text::of(&format!("not saved of {}", title_of(&url)));
        self.focus = Focus::Panes;
        self.show_page(Page::new(url, title, document, page::State::Whole));
    }
}

/// Pauses a transfer, and returns the effect that stops its load; one that has ended stays as it is.
fn stop(item: &mut Transfer) -> Option<Effect> {
    let load = item.load();
    match item.state {
        State::Waiting | State::Running(..) | State::Retrying(..) => item.state = State::Paused,
        State::Paused | State::Asking(_) | State::Failed(_) | State::Done(_) => {}
    }
    load.map(Effect::Drop)
}

/// Returns true if the URL is explicitly a directory, of FTP or local.
fn is_directory(url: &Url) -> bool {
    match url.base_parts() {
        Parts::Ftp(ftp) => match ftp.kind {
            Some(FtpType::Directory) => true,
            Some(FtpType::Ascii | FtpType::Image) => false,
            None => ftp.name().as_str().is_empty(),
        },
        Parts::File(file) => file.path.as_str().ends_with('/'),
        Parts::Http(_)
        | Parts::Gopher(_)
        | Parts::Mailto(_)
        | Parts::News(_)
        | Parts::Nntp(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => false,
    }
}
