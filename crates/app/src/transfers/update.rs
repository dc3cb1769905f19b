//! The messages and commands to the transfers.

use geomys_store::transfer::download::OversizePolicy;
use geomys_store::transfer::queue::Destination;
use geomys_store::transfer::records::MergePolicy;

use super::binary;
use super::reports::saved_sentence;
use crate::Transfers;
use crate::tabs::external::ask_where;
use crate::transfers::message::DirectoryTransfer;
use crate::transfers::pipe::ask_to_connect;
use crate::transfers::site::ask_about_taken;
use crate::{Context, Credentials, Dialogs, TransferCommand, TransferMessage};

impl Transfers {
    /// Handles a message.
    pub(crate) fn update(
        &mut self,
        message: TransferMessage,
        dialogs: &mut Dialogs,
        credentials: &mut Credentials,
        cx: &mut Context,
    ) {
        cx.transfers_changed();
        match message {
            TransferMessage::DownloadProgress(load, octets, size) => {
                self.download_progress(load, octets, size, cx);
            }
            TransferMessage::CheckProgress(load, done, known) => {
                if let Some(progress) = self.progress_mut(load) {
                    progress.urls = Some((done, known));
                }
            }
            TransferMessage::Downloaded(load, result) => {
                self.download_ended(load, result.map(|saved| saved_sentence(&saved)), cx);
            }
            TransferMessage::Piped(load, result) => {
                self.download_ended(load, result.map(|said| said.to_string()), cx);
            }
            TransferMessage::PipeAsks(load, job, target) => {
                self.take_download(load);
                ask_to_connect(*job, target, cx);
            }
            TransferMessage::Joined(load, result) => {
                self.download_ended(load, result.map(binary::saved_sentence), cx);
            }
            TransferMessage::SiteDone(load, result) => self.download_ended(load, result, cx),
            TransferMessage::SiteFileTaken(load, job) => {
                self.take_download(load);
                ask_about_taken(*job, cx);
            }
            TransferMessage::Fetched(load, result) => self.fetched(load, result, cx),
            TransferMessage::Destination(DirectoryTransfer::Marked(request), path) => {
                self.transfer(*request, Destination::Directory(path), cx);
            }
            TransferMessage::Destination(directory, path) => {
                dialogs.ask_destination(directory, path, cx);
            }
            TransferMessage::Progress(load, report) => self.transfer_progress(load, report, cx),
            TransferMessage::DirectoryProgress(load, step) => {
                self.directory_progress(load, step, cx);
            }
            TransferMessage::Ended(load, result) => {
                self.transfer_ended(load, result, credentials, cx);
            }
        }
    }

    /// Carries out a command of another part.
    pub(crate) fn carry_out(
        &mut self,
        command: TransferCommand,
        credentials: &Credentials,
        cx: &mut Context,
    ) {
        cx.transfers_changed();
        match command {
            TransferCommand::Download(request) => self.download(*request, cx),
            TransferCommand::Mirror(request) => Self::mirror(*request, cx),
            TransferCommand::Add(request, to) => self.transfer(*request, to, cx),
            TransferCommand::AskPath(pending, name) => ask_where(*pending, name, "", cx),
            TransferCommand::View(request, name, viewing) => {
                self.fetch_to_view(*request, name, viewing, credentials, cx);
            }
            TransferCommand::SetPartial(id, policy) => {
                self.resume_with(id, |item| item.partial = policy);
            }
            TransferCommand::FindDestination(id) => self.find_destination(id, cx),
            TransferCommand::Merge(id) => {
                self.resume_with(id, |item| item.merge = MergePolicy::Allow);
            }
            TransferCommand::AcceptOversize(id) => {
                self.resume_with(id, |item| item.oversize = OversizePolicy::Fetch);
            }
            TransferCommand::Site(job) => self.start_site(*job, cx),
            TransferCommand::Pipe(job) => self.start_pipe(*job, cx),
            TransferCommand::Erase(id) => self.erase(id, cx),
            TransferCommand::SaveReply(document, path) => self.save_reply(*document, path, cx),
        }
    }
}
