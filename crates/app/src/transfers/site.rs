//! A file that is made of a directory or a site, at a path that the user names: its archive, or the report of a check
//! of its links.

use geomys_load::{Request, directory_name_of};
use geomys_wire::text;

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::name::name_of;
use crate::transfers::message::{SiteFile, SiteJob};
use crate::{Context, Dialog, TransferCommand, TransferEffect, Transfers};

/// Asks for the path of the file.
pub(crate) fn ask_site(request: Request, kind: SiteFile, cx: &mut Context) {
    if cx.settings.history.excludes(&request.url) {
        return cx.notify("Nothing is stored of hosts without history");
    }
    let name = directory_name_of(&request.url, &request.name_hints);
    let (name, label) = match kind {
        SiteFile::Archive => (
            format!("{name}.warc.gz"),
            "Archive the directory or site in",
        ),
        SiteFile::Check(_) => (format!("{name}-links.txt"), "Check all links, report in"),
    };
    let path = cx.settings.downloads.join(&name).display().to_string();
    let input = TextInput::new(PathInput::Site(Box::new(request), name, kind), &path);
    cx.ask(Dialog::input(label, input));
}

impl Transfers {
    /// Starts to make the file, with the progress of a download.
    pub(crate) fn start_site(&mut self, job: SiteJob, cx: &mut Context) {
        let load = self.begin_download(name_of(&job.path), None, cx);
        cx.emit(TransferEffect::Site(load, Box::new(job)));
    }
}

/// Asks before a file that is there is changed.
pub(crate) fn ask_about_taken(job: SiteJob, cx: &mut Context) {
    let name = text::shorten(name_of(&job.path).as_str(), 40, "…");
    let question = match job.kind {
        SiteFile::Archive => format!("Add to {name}, which is there?"),
        SiteFile::Check(_) => format!("Replace {name}, which is there?"),
    };
    let job = SiteJob {
        may_change: true,
        ..job
    };
    // A key press shortly before caused this question.
    cx.by_key = true;
    cx.ask(Dialog::confirm(
        &question,
        TransferCommand::Site(Box::new(job)),
    ));
}
