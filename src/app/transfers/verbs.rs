//! What a person does with transfers.

use std::path::PathBuf;

use super::super::action::Action;
use super::super::browse::Where;
use super::super::choice::{Choice, OpenLocal};
use super::super::page::{self, Page};
use super::super::prompt::{Prompt, Wants};
use super::super::{App, Effect, Focus, title_of};
use super::{DirectoryTransfer, Job, Outcome, State, Transfer, TransferId, to_free};
use crate::document::{Document, Shape};
use crate::files::transfers::To;
use crate::files::tree::Summary;
use crate::load::{Purpose, Request};
use crate::text::{self, Charset, Text};
use crate::url::{FtpType, Parts, Url};

impl App {
    /// Puts what a link leads to into the queue: a file at once, all of a directory after asking.
    pub(in crate::app) fn download_chosen(&mut self) -> Vec<Effect> {
        if let Some(effects) = self.ask_save_attachment() {
            return effects;
        }
        let Some((label, request)) = self.chosen_request() else {
            return Vec::new();
        };
        match self.remote_page_to_file(&request.url) {
            Some(page) => {
                let open_in = OpenLocal::Download;
                self.choose(Choice::local_file(request, label, &page, open_in))
            }
            None => self.download(request),
        }
    }

    /// Puts what a request is for into the queue: a file at once, all of a directory after asking.
    pub(in crate::app) fn download(&mut self, request: Request) -> Vec<Effect> {
        let name = text::file_name(title_of(&request.url).as_str().as_bytes(), "download");
        let path = self.settings.downloads.join(name);
        if is_directory(&request.url) {
            let url = request.url.clone();
            let directory = DirectoryTransfer::New(Box::new(request));
            return vec![Effect::Destination(directory, url, path)];
        }
        self.transfer(request, to_free(path))
    }

    /// Asks where a directory is saved, `path` being free or its own from an earlier time.
    pub(in crate::app) fn ask_destination(
        &mut self,
        directory: DirectoryTransfer,
        path: PathBuf,
    ) -> Vec<Effect> {
        if self.overlay.is_some() {
            self.tell("directory not saved: something else was asked first");
            return Vec::new();
        }
        let shown = path.display().to_string();
        // A key has asked for it a moment ago.
        self.questions.by_key = true;
        self.prompt(Prompt {
            remark: Some(Text::of("all files below it are saved there")),
            ..Prompt::new(Wants::SaveDirectory(directory, path), &shown)
        })
    }

    /// Puts something into the queue.
    pub(in crate::app) fn transfer(&mut self, request: Request, to: To) -> Vec<Effect> {
        let request = Request {
            purpose: Purpose::Save,
            ..request
        };
        let id = self.transfers.add(request, to);
        if let Some(item) = self.transfers.get_mut(id) {
            let sentence = format!("saving {}", item.name);
            self.tell(&sentence);
        }
        Vec::new()
    }

    pub(in crate::app) fn transfer_all(&mut self, request: Request, path: PathBuf) -> Vec<Effect> {
        self.transfer(request, To::Directory(path))
    }

    /// Shows the transfers, or the panes again.
    pub(in crate::app) fn toggle_transfers(&mut self) -> Vec<Effect> {
        self.focus = match self.focus {
            Focus::Transfers => Focus::Panes,
            Focus::Bookmarks | Focus::Panes => {
                self.transfers.go_to_asking();
                Focus::Transfers
            }
        };
        self.transfers.step(0, self.transfers_height());
        Vec::new()
    }

    /// Does what a key asks for of the transfers; from elsewhere they are shown first.
    pub(in crate::app) fn act_on_transfers(&mut self, action: Action) -> Vec<Effect> {
        if self.focus != Focus::Transfers && action != Action::PauseAll {
            return self.toggle_transfers();
        }
        match action {
            Action::Pause => self.pause(),
            Action::PauseAll => self.pause_all(),
            Action::Retry => self.retry(),
            Action::ShiftDown => self.shift_transfer(true),
            Action::ShiftUp => self.shift_transfer(false),
            Action::RemoveTransfer => self.remove_transfer(),
            Action::EraseTransfer => self.ask_erase(),
            Action::ClearDone => self.clear_done(),
            _ => Vec::new(),
        }
    }

    /// Rows that the transfers have on the screen.
    pub(in crate::app) fn transfers_height(&self) -> usize {
        usize::from(self.layout().transfers_rows()).max(1)
    }

    /// Stops the one under the cursor, or lets it go on.
    pub(in crate::app) fn pause(&mut self) -> Vec<Effect> {
        let Some(item) = self.transfers.chosen_mut() else {
            return Vec::new();
        };
        match item.state {
            State::Waiting | State::Running(..) | State::Retrying(..) => stop(item),
            State::Paused => {
                item.state = State::Waiting;
                Vec::new()
            }
            State::Asks(_) | State::Done(_) => Vec::new(),
            State::Failed(_) => {
                let key = self.key_of(Action::Retry);
                self.tell(&format!("it has failed: {key} tries it again"));
                Vec::new()
            }
        }
    }

    /// Stops all that run or wait; where there are none, lets all go on.
    pub(in crate::app) fn pause_all(&mut self) -> Vec<Effect> {
        let is_on = |item: &Transfer| item.load().is_some() || matches!(item.state, State::Waiting);
        let items = &mut self.transfers.items;
        if items.iter().any(is_on) {
            let on = items.iter_mut().filter(|item| is_on(item));
            return on.flat_map(stop).collect();
        }
        for item in items {
            if matches!(item.state, State::Paused) {
                item.state = State::Waiting;
            }
        }
        Vec::new()
    }

    /// Tries one again that has failed.
    pub(in crate::app) fn retry(&mut self) -> Vec<Effect> {
        if let Some(item) = self.transfers.chosen_mut() {
            match item.state {
                State::Failed(_) | State::Paused => item.state = State::Waiting,
                State::Waiting
                | State::Running(..)
                | State::Retrying(..)
                | State::Asks(_)
                | State::Done(_) => {}
            }
        }
        Vec::new()
    }

    pub(in crate::app) fn shift_transfer(&mut self, down: bool) -> Vec<Effect> {
        if self.transfers.shift(down) {
            self.transfers.step(0, self.transfers_height());
        }
        Vec::new()
    }

    /// Takes the one under the cursor out; what came of it stays.
    pub(in crate::app) fn remove_transfer(&mut self) -> Vec<Effect> {
        let Some(item) = self.transfers.chosen() else {
            return Vec::new();
        };
        let (id, is_here) = (item.id, item.amount.octets > 0);
        let is_done = matches!(item.state, State::Done(_));
        let Some(mut item) = self.transfers.remove(id) else {
            return Vec::new();
        };
        if is_here && !is_done {
            let sentence = format!("removed {}; what came of it stays", item.name);
            self.tell(&sentence);
        }
        stop(&mut item)
    }

    /// Asks whether the one under the cursor is taken out, and what came of it too.
    pub(in crate::app) fn ask_erase(&mut self) -> Vec<Effect> {
        let Some(item) = self.transfers.chosen() else {
            return Vec::new();
        };
        match (&item.state, &item.to) {
            (State::Done(_), _) => self.tell("it is whole: the file is yours to delete"),
            (_, To::Directory(_)) => {
                self.tell("the files of a directory are yours to delete; only the transfer goes");
                return self.remove_transfer();
            }
            (_, To::File(_)) => {
                let choice = Choice::erase(item.id, &item.name, item.amount.octets);
                return self.choose(choice);
            }
        }
        Vec::new()
    }

    /// Takes a transfer out, and what came of it.
    pub(in crate::app) fn erase(&mut self, id: TransferId) -> Vec<Effect> {
        let Some(mut item) = self.transfers.remove(id) else {
            return Vec::new();
        };
        let load = item.load();
        let mut effects = Vec::new();
        if let Job::File(order) = item.job() {
            effects.push(Effect::Forget(load, Box::new(order)));
        }
        item.state = State::Paused;
        self.tell(&format!("removed {}, and what came of it", item.name));
        effects
    }

    /// Takes out all that are done.
    pub(in crate::app) fn clear_done(&mut self) -> Vec<Effect> {
        let is_done = |item: &Transfer| matches!(item.state, State::Done(_));
        self.transfers.items.retain(|item| !is_done(item));
        self.transfers.step(0, self.transfers_height());
        Vec::new()
    }

    /// Opens what a transfer asks, tells where it was saved, or opens the directory that it comes from.
    pub(in crate::app) fn open_transfer(&mut self, place: Where) -> Vec<Effect> {
        let Some(item) = self.transfers.chosen() else {
            return Vec::new();
        };
        let from = match &item.state {
            State::Done(Outcome::File(saved)) => {
                let sentence = format!("it is in {}", saved.path.display());
                self.tell(&sentence);
                return Vec::new();
            }
            State::Done(Outcome::Directory(_, summary)) if summary.failures > 0 => {
                let (summary, url) = (summary.clone(), item.request.url.clone());
                return self.show_failures(&summary, url);
            }
            State::Done(Outcome::Directory(path, _)) => {
                let sentence = format!("it is in {}", path.display());
                self.tell(&sentence);
                return Vec::new();
            }
            State::Asks(_) => return self.ask_for_transfer(item.id),
            State::Waiting
            | State::Running(..)
            | State::Retrying(..)
            | State::Paused
            | State::Failed(_) => item.request.url.up(),
        };
        match from {
            Some(url) => self.open(url, None, place),
            None => {
                self.tell("no directory is known that it comes from");
                Vec::new()
            }
        }
    }
}

impl App {
    /// Shows all that failed of a directory, on a page of its own.
    fn show_failures(&mut self, summary: &Summary, url: Url) -> Vec<Effect> {
        let mut document = Document::new(url.clone(), Shape::Text, Charset::default());
        let lines = summary.failed_lines();
        document.append(format!("{}\n\n{}\n", summary.sentence(None), lines.join("\n")).as_bytes());
        let title = Text::of(&format!("not saved of {}", title_of(&url)));
        self.focus = Focus::Panes;
        self.show_page(Page::new(url, title, document, page::State::Whole))
    }
}

/// Stops a transfer; one that has ended stays as it is.
fn stop(item: &mut Transfer) -> Vec<Effect> {
    let load = item.load();
    match item.state {
        State::Waiting | State::Running(..) | State::Retrying(..) => item.state = State::Paused,
        State::Paused | State::Asks(_) | State::Failed(_) | State::Done(_) => {}
    }
    load.map(Effect::Drop).into_iter().collect()
}

/// Whether a URL says that it is a directory, of FTP or of this machine.
fn is_directory(url: &Url) -> bool {
    match url.reading() {
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
