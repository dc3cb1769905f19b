//! Actions of the user on transfers.

use std::sync::Arc;

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use geomys_crawl::tree::TreeSummary;
use geomys_load::{
    NameHints, Privacy, Purpose, Reason, Request, directory_name_of, file_name_of, names_directory,
};
use geomys_page::document::{Document, Kind, Link, Shape, kind_of};
use geomys_store::transfer::download::SavedFile;
use geomys_store::transfer::queue::Destination;
use geomys_wire::text::{CharsetSetting, Text};
use rfc1738::Url;

use crate::action::Action;
use crate::dialogs::text_input::{PathInput, TextInput};
use crate::motion::Motion;
use crate::requester::OpenPage;
use crate::requester::TransferId;
use crate::transfers::message::{DirectoryTransfer, TransferJob, TransferOutcome};
use crate::transfers::{State, Transfer};
use crate::{
    Context, Dialog, Dialogs, Effect, Focus, OpenIn, TransferCommand, TransferEffect, Transfers,
    title_of,
};

/// Returns the local name of what is downloaded from a URL.
pub(crate) fn name_of_download(url: &Url, hints: &NameHints) -> String {
    if names_directory(url) {
        directory_name_of(url, hints)
    } else {
        file_name_of(url, hints)
    }
}

impl Transfers {
    /// Downloads the target of a request; asks first whether of a menu the menu alone is meant, or all below it.
    pub(crate) fn download_or_ask(&mut self, request: Request, cx: &mut Context) {
        if names_directory(&request.url) || kind_of(&request.url) != Kind::Menu {
            return self.download(request, cx);
        }
        let name = name_of_download(&request.url, &request.name_hints);
        let line = Text::of("The menu alone is one file; a mirror has all below it.");
        let (alone, mirror) = (Box::new(request.clone()), Box::new(request));
        let dialog = Dialog::new(&format!("Save the menu {name}?"))
            .with_lines(vec![line])
            .answer('s', "save the menu alone", TransferCommand::Download(alone))
            .answer('m', "mirror all below it", TransferCommand::Mirror(mirror))
            .no("cancel");
        cx.ask(dialog);
    }

    /// Adds the target of a request to the queue: a file at once, a directory after a question.
    pub(crate) fn download(&mut self, request: Request, cx: &mut Context) {
        self.download_by(request, DirectoryTransfer::New, cx);
    }

    /// Copies a directory, or a site by its links, into a directory, after a question for its path.
    pub(crate) fn mirror(request: Request, cx: &mut Context) {
        let name = directory_name_of(&request.url, &request.name_hints);
        let (url, path) = (request.url.clone(), cx.settings.downloads.join(name));
        let directory = DirectoryTransfer::New(Box::new(request));
        cx.emit(TransferEffect::Destination(directory, url, path));
    }

    /// Asks for the path of a download.
    pub(crate) fn download_as(&mut self, request: Request, cx: &mut Context) {
        if names_directory(&request.url) {
            return self.download(request, cx);
        }
        let name = file_name_of(&request.url, &request.name_hints);
        let path = cx.settings.downloads.join(&name).display().to_string();
        let input = PathInput::DownloadAs(Box::new(request), name);
        cx.ask(Dialog::input("Save as", TextInput::new(input, &path)));
    }

    /// Adds the target of a marked row to the queue: directories without a question too.
    pub(crate) fn download_marked(&mut self, request: Request, cx: &mut Context) {
        self.download_by(request, DirectoryTransfer::Marked, cx);
    }

    fn download_by(
        &mut self,
        request: Request,
        of_directory: impl FnOnce(Box<Request>) -> DirectoryTransfer,
        cx: &mut Context,
    ) {
        let name = name_of_download(&request.url, &request.name_hints);
        let path = cx.settings.downloads.join(name);
        if names_directory(&request.url) {
            let url = request.url.clone();
            let directory = of_directory(Box::new(request));
            return cx.emit(TransferEffect::Destination(directory, url, path));
        }
        let target = cx.settings.taken_name.target(path);
        self.transfer(request, Destination::File(target), cx);
    }

    /// Adds a transfer to the queue.
    pub(crate) fn transfer(&mut self, request: Request, to: Destination, cx: &mut Context) {
        cx.transfers_changed();
        let mut request = Request {
            purpose: Purpose::Save,
            ..request
        };
        // The list is written before the transfer starts, and its request is completed then.
        request.settings.private_hosts = Arc::clone(&cx.settings.history.except);
        if cx.found.is_private || request.is_private() {
            request.settings.privacy = Privacy::Private;
        }
        if let Some(item) = self.queue.choose_duplicate(&request, &to) {
            if matches!(item.state, State::Paused | State::Failed(_)) {
                item.state = State::Waiting;
            }
            let sentence = format!("{} is in the queue already", item.name);
            return cx.notify(&sentence);
        }
        let id = self.queue.add(request, to);
        if let Some(item) = self.queue.get_mut(id) {
            let sentence = format!("saving {}", item.name);
            cx.notify(&sentence);
        }
    }

    /// Resumes the downloads that ran when Geomys ended.
    pub(crate) fn resume_earlier(&mut self, cx: &mut Context) {
        let resumed = match self.queue.resume_earlier() {
            0 => return,
            1 => "1 download resumed".to_owned(),
            many => format!("{many} downloads resumed"),
        };
        let key = cx.key_of(Action::Transfers);
        cx.notify(&format!("{resumed} ({key} shows them)"));
        cx.transfers_changed();
    }

    /// Pauses or resumes the transfer under the cursor.
    pub(crate) fn pause(&mut self, cx: &mut Context) {
        cx.transfers_changed();
        let Some(item) = self.queue.chosen_mut() else {
            return;
        };
        match item.state {
            State::Waiting | State::Running(..) | State::Retrying(..) => {
                cx.effects.extend(stop(item));
            }
            State::Paused => {
                item.state = State::Waiting;
            }
            State::Asking(_) | State::Done(_) => {}
            State::Failed(_) => {
                let key = cx.key_of(Action::Retry);
                cx.notify(&format!("Failed ({key} retry)"));
            }
        }
    }

    /// Pauses all running and waiting transfers; if there are none, resumes all, and retries the failed ones.
    pub(crate) fn pause_all(&mut self, cx: &mut Context) {
        cx.transfers_changed();
        let is_on = |item: &Transfer| item.load().is_some() || matches!(item.state, State::Waiting);
        let items = &mut self.queue.items;
        if items.iter().any(is_on) {
            let on = items.iter_mut().filter(|item| is_on(item));
            cx.effects.extend(on.filter_map(stop));
            return;
        }
        for item in items {
            if matches!(item.state, State::Paused | State::Failed(_)) {
                item.state = State::Waiting;
            }
        }
    }

    /// Resumes the transfer under the cursor if it is paused, and fetches the failed files of a directory. If it
    /// failed, retries all that failed; if it waits for its next attempt, all that wait so, at once.
    pub(crate) fn retry(&mut self, cx: &mut Context) {
        cx.transfers_changed();
        let Some(chosen) = self.queue.chosen_mut() else {
            return;
        };
        let is_same: fn(&State) -> bool = match &chosen.state {
            State::Paused => {
                chosen.state = State::Waiting;
                return;
            }
            // Files that are there are passed over.
            State::Done(TransferOutcome::Directory(_, summary)) if summary.failures > 0 => {
                chosen.state = State::Waiting;
                return;
            }
            State::Failed(_) => |state| matches!(state, State::Failed(_)),
            State::Retrying(..) => |state| matches!(state, State::Retrying(..)),
            State::Waiting | State::Running(..) | State::Asking(_) | State::Done(_) => return,
        };
        let items = self.queue.items.iter_mut();
        for item in items.filter(|item| is_same(&item.state)) {
            // A new load begins: the old one is in its delay.
            cx.effects.extend(item.load().map(Effect::Drop));
            item.state = State::Waiting;
        }
    }

    pub(crate) fn shift_transfer(&mut self, down: bool, cx: &mut Context) {
        if self.queue.shift(down) {
            cx.transfers_changed();
            self.queue.step(0, cx.transfers_height());
        }
    }

    /// Removes the transfer under the cursor from the queue; its files stay.
    pub(crate) fn remove_transfer(&mut self, cx: &mut Context) {
        cx.transfers_changed();
        let Some(item) = self.queue.chosen() else {
            return;
        };
        let (id, is_here) = (item.id, item.amount.octets > 0);
        let is_done = matches!(item.state, State::Done(_));
        let Some(mut item) = self.queue.remove(id) else {
            return;
        };
        if is_here && !is_done {
            let sentence = format!("removed {}; its partial file stays", item.name);
            cx.notify(&sentence);
        }
        cx.effects.extend(stop(&mut item));
    }

    /// Asks whether to remove the transfer under the cursor and its partial file.
    pub(crate) fn ask_erase(&mut self, cx: &mut Context) {
        let Some(item) = self.queue.chosen() else {
            return;
        };
        match (&item.state, &item.to) {
            (State::Done(_), _) => cx.notify("The download is complete: delete the file yourself"),
            (_, Destination::Directory(_)) => {
                cx.notify("Removed from the list (files stay)");
                self.remove_transfer(cx);
            }
            (_, Destination::File(_)) => {
                let (name, octets) = (&item.name, item.amount.octets);
                cx.ask(Dialog::erase_transfer(item.id, name, octets));
            }
        }
    }

    /// Removes a transfer and its partial file.
    pub(crate) fn erase(&mut self, id: TransferId, cx: &mut Context) {
        let Some(mut item) = self.queue.remove(id) else {
            return;
        };
        let load = item.load();

        if let TransferJob::File(order) = item.job() {
            cx.emit(TransferEffect::RemovePartial(load, Box::new(order)));
        }
        item.state = State::Paused;
        cx.notify(&format!("Removed {} and its partial file", item.name));
    }

    /// Removes all complete transfers from the queue.
    pub(crate) fn clear_done(&mut self, cx: &mut Context) {
        cx.transfers_changed();
        let is_done = |item: &Transfer| matches!(item.state, State::Done(_));
        self.queue.items.retain(|item| !is_done(item));
        self.queue.step(0, cx.transfers_height());
    }

    /// Toggles the view of the transfers.
    pub(crate) fn toggle(&mut self, cx: &mut Context) {
        cx.focus = match cx.focus {
            Focus::Transfers => Focus::Panes,
            Focus::Bookmarks | Focus::Panes => {
                self.queue.go_to_asking();
                Focus::Transfers
            }
        };
        self.queue.step(0, cx.transfers_height());
    }

    /// Opens the question of a transfer, shows where it was saved, or opens its remote directory.
    pub(crate) fn open_selected(&self, open_in: OpenIn, cx: &mut Context) {
        let Some(item) = self.queue.chosen() else {
            return;
        };
        match &item.state {
            State::Done(TransferOutcome::Directory(_, summary)) if summary.failures > 0 => {
                show_failures(summary, &item.request, cx);
            }
            State::Done(
                TransferOutcome::File(SavedFile { path, .. })
                | TransferOutcome::Skipped(path)
                | TransferOutcome::Directory(path, _),
            ) => match Url::local_file(path.as_os_str().as_bytes()) {
                Ok(url) => cx.open(OpenPage::at(url, Reason::Typed).open_in(open_in)),
                Err(_) => cx.notify(&format!("Saved as {}", path.display())),
            },
            State::Asking(_) => self.ask_for_transfer(item.id, cx),
            State::Waiting
            | State::Running(..)
            | State::Retrying(..)
            | State::Paused
            | State::Failed(_) => match item.request.url.up() {
                Some(url) => {
                    let reason = item.request.reason.clone();
                    cx.open(OpenPage::at(url, reason).open_in(open_in));
                }
                None => cx.notify("This transfer has no directory"),
            },
        }
    }

    /// Moves the cursor of the queue.
    pub(crate) fn move_cursor(&mut self, motion: Motion, cx: &Context) {
        let height = cx.transfers_height();
        let rows = motion.rows(height, self.queue.items().len());
        self.queue.step(rows, height);
    }

    /// Returns the selected transfer as a link to its source.
    pub(crate) fn selected_link(&self) -> Option<Link> {
        let item = self.queue.chosen()?;
        let url = item.request.url.clone();
        Some(Link::new(item.name.clone(), Ok(url)))
    }

    /// The reason of the chosen transfer.
    pub(crate) fn reason_of_selected(&self) -> Option<Reason> {
        Some(self.queue.chosen()?.request.reason.clone())
    }

    /// The file or directory of the chosen transfer, if it has ended.
    pub(crate) fn saved_path(&self) -> Option<PathBuf> {
        match &self.queue.chosen()?.state {
            State::Done(
                TransferOutcome::File(SavedFile { path, .. })
                | TransferOutcome::Skipped(path)
                | TransferOutcome::Directory(path, _),
            ) => Some(path.clone()),
            State::Waiting
            | State::Running(..)
            | State::Retrying(..)
            | State::Paused
            | State::Asking(_)
            | State::Failed(_) => None,
        }
    }

    /// Stops the last page that is being saved or file that is fetched for a viewer. Returns false if there is none.
    pub(crate) fn stop_download(&mut self, cx: &mut Context) -> bool {
        let Some(download) = self.downloads.pop() else {
            return false;
        };
        let name = download.name;
        cx.notify(&format!("Stopped: {name} has a .part file"));
        cx.cancel([download.progress.load]);
        true
    }
}

impl Dialogs {
    /// Asks for the local path of a directory. The proposal `path` is free, or was used for the same directory before.
    pub(crate) fn ask_destination(
        &mut self,
        directory: DirectoryTransfer,
        path: PathBuf,
        cx: &mut Context,
    ) {
        if self.overlay.is_some() {
            return cx.notify("Directory not saved: answer the open question first");
        }
        let shown = path.display().to_string();
        // A key press shortly before caused this question.
        cx.by_key = true;
        let input = TextInput {
            remark: Some(Text::of("all files below it are saved there")),
            ..TextInput::new(PathInput::Directory(directory, path), &shown)
        };
        cx.ask(Dialog::input("Save directory as", input));
    }
}

/// Shows the failures of a directory on a new page.
fn show_failures(summary: &TreeSummary, request: &Request, cx: &mut Context) {
    let url = &request.url;
    let mut document = Document::new(url.clone(), Shape::Text, CharsetSetting::default());
    let lines = summary.failed_lines();
    document.append(format!("{}\n\n{}\n", summary.sentence(None), lines.join("\n")).as_bytes());
    let title = Text::of(&format!("not saved of {}", title_of(url)));
    let page = OpenPage::made(url.clone(), document, None, request.reason.clone());
    cx.open(page.titled(title));
}

/// Pauses a transfer, and returns the effect that stops its load; one that has ended stays as it is.
fn stop(item: &mut Transfer) -> Option<Effect> {
    let load = item.load();
    item.resumes = false;
    match item.state {
        State::Waiting | State::Running(..) | State::Retrying(..) => item.state = State::Paused,
        State::Paused | State::Asking(_) | State::Failed(_) | State::Done(_) => {}
    }
    load.map(Effect::Drop)
}
