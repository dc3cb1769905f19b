//! The archive of a directory or a site, in a file that the user names.

use geomys_load::{Request, directory_name_of};
use geomys_wire::text;

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::name::name_of;
use crate::transfers::message::ArchiveJob;
use crate::{Context, Dialog, TransferCommand, TransferEffect, Transfers};

/// Asks for the file of the archive.
pub(crate) fn ask_archive(request: Request, cx: &mut Context) {
    if cx.settings.history.excludes(&request.url) {
        return cx.notify("Hosts without history are not archived");
    }
    let name = directory_name_of(&request.url, &request.name_hints);
    let name = format!("{name}.warc.gz");
    let path = cx.settings.downloads.join(&name).display().to_string();
    let input = TextInput::new(PathInput::Archive(Box::new(request), name), &path);
    cx.ask(Dialog::input("Archive the directory or site in", input));
}

impl Transfers {
    /// Starts to archive, with the progress of a download.
    pub(crate) fn archive(&mut self, job: ArchiveJob, cx: &mut Context) {
        let load = self.begin_download(name_of(&job.path), None, cx);
        cx.emit(TransferEffect::Archive(load, Box::new(job)));
    }
}

/// Asks before something is added to a file that is there.
pub(crate) fn ask_to_append(job: ArchiveJob, cx: &mut Context) {
    let name = text::shorten(name_of(&job.path).as_str(), 40, "…");
    let job = ArchiveJob {
        appends: true,
        ..job
    };
    // A key press shortly before caused this question.
    cx.by_key = true;
    cx.ask(Dialog::confirm(
        &format!("Add to {name}, which is there?"),
        TransferCommand::Archive(Box::new(job)),
    ));
}
