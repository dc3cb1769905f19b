//! Saving pages, and copying URLs to the clipboard.

use std::path::{Component, Path, PathBuf};

use geomys_load::{LoadId, NameHints, file_name_of};
use geomys_page::archive::segments;
use geomys_page::document::Document;
use geomys_store::transfer::download::Target;
use geomys_wire::text::{self, Text};
use rfc1738::Url;

use crate::dialogs::text_input::{PathInput, TextInput};
use crate::name::name_of;
use crate::tabs::pane::Pane;
use crate::transfers::message::ViewerJob;
use crate::transfers::{Download, Progress};
use crate::view::View;
use crate::{Context, Dialog, Effect, Page, Tabs, TransferEffect, Transfers, title_of};

impl Transfers {
    /// Returns the pages that are being saved, and the files that are fetched for a viewer.
    pub fn downloads(&self) -> &[Download] {
        &self.downloads
    }

    /// Shows a new download in the status line, and returns its load.
    pub(crate) fn begin_download(
        &mut self,
        name: Text,
        viewer: Option<ViewerJob>,
        cx: &mut Context,
    ) -> LoadId {
        let load = cx.next_load();
        self.downloads.push(Download {
            name,
            progress: Progress::new(load, None, cx.now),
            viewer,
        });
        load
    }

    /// Removes a download that has ended.
    pub(crate) fn take_download(&mut self, load: LoadId) -> Option<Download> {
        let at = self
            .downloads
            .iter()
            .position(|download| download.progress.load == load)?;
        Some(self.downloads.remove(at))
    }

    /// Shows a page that is being saved in the status line, and returns its load.
    fn begin_saving(&mut self, path: &Path, cx: &mut Context) -> LoadId {
        let name = name_of(path);
        cx.notify(&format!("Saving {name}"));
        self.begin_download(name, None, cx)
    }

    pub(crate) fn save_page(&mut self, target: Target, tabs: &Tabs, cx: &mut Context) {
        if let Some(document) = tabs.page().and_then(Page::offer) {
            self.save_document(document, target, cx);
        }
    }

    pub(crate) fn save_document(&mut self, document: Document, target: Target, cx: &mut Context) {
        let load = self.begin_saving(target.path(), cx);
        cx.emit(TransferEffect::Save(load, document, target));
    }

    /// Saves the reply to a form. No directories are created for it.
    pub(crate) fn save_reply(&mut self, document: Document, path: PathBuf, cx: &mut Context) {
        let load = self.begin_saving(&path, cx);
        let downloads = cx.settings.downloads.clone();
        cx.emit(TransferEffect::SaveReply(load, document, path, downloads));
    }

    pub(crate) fn download_progress(
        &mut self,
        load: LoadId,
        octets: u64,
        size: Option<u64>,
        cx: &Context,
    ) {
        if let Some(progress) = self.progress_mut(load) {
            progress.size = size;
            progress.record(octets, cx.now);
        }
    }

    /// Returns the progress of the download with this load, if it runs.
    pub(super) fn progress_mut(&mut self, load: LoadId) -> Option<&mut Progress> {
        let mut running = self.downloads.iter_mut().map(|it| &mut it.progress);
        running.find(|progress| progress.load == load)
    }

    /// Handles the end of a download: the message about it, or the error.
    pub(crate) fn download_ended(
        &mut self,
        load: LoadId,
        result: Result<String, String>,
        cx: &mut Context,
    ) {
        self.take_download(load);
        cx.report(result);
    }
}

/// Asks for the path to save the shown page.
pub(crate) fn ask_save(tabs: &Tabs, cx: &mut Context) {
    let page = tabs.page();
    let Some((page, document)) = page.and_then(|page| Some((page, page.offer()?))) else {
        return cx.notify("Nothing to save");
    };
    let name = if let View::Terminal(_) = page.view {
        let log = format!("{}.log", title_of(&page.url));
        text::file_name(log.as_bytes(), "page.log")
    } else {
        let hints = NameHints {
            title: document.title().or_else(|| Some(page.title.clone())),
            charset: document.charset().into(),
            ..NameHints::default()
        };
        let member = page.url.fragment().filter(|_| document.is_member());
        let member = member.map(|path| segments(&path.octets()));
        match (
            &page.answer.unpacked,
            member.and_then(|mut path| path.pop()),
        ) {
            (_, Some(name)) => hints.file_name(&name),
            (Some(file), None) => hints.file_name(&file.name),
            (None, None) => file_name_of(&page.url, &hints),
        }
    };
    let path = cx.settings.downloads.join(&name).display().to_string();
    let input = TextInput::new(PathInput::Page(name), &path);
    cx.ask(Dialog::input("Save as", input));
}

/// Copies the URL of the page that is shown or loading.
pub(crate) fn copy_url(tabs: &Tabs, cx: &mut Context) {
    if let Some((_, url)) = tabs.pane().and_then(Pane::address) {
        copy(&url, cx);
    }
}

/// Resolves a typed path: `~/` is the home directory, other relative paths start in the download directory. A path that
/// is only a directory gets the file name `name`.
pub(crate) fn download_path(typed: &str, name: &str, cx: &Context) -> PathBuf {
    let typed = typed.trim();
    let named;
    let typed = if typed.is_empty() || typed.ends_with('/') {
        named = format!("{typed}{name}");
        &named
    } else {
        typed
    };
    match (typed.strip_prefix("~/"), &cx.settings.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => cx.settings.downloads.join(typed),
    }
}

/// Returns true if the path is in the download directory, or in a directory below it.
pub(crate) fn is_in_downloads(path: &Path, cx: &Context) -> bool {
    let rest = path.strip_prefix(&cx.settings.downloads);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    rest.is_ok_and(|rest| rest.components().all(is_plain))
}

pub(crate) fn copy(url: &Url, cx: &mut Context) {
    let text = url.without_password().to_string();
    cx.notify(&format!("Copied {text}"));
    cx.emit(Effect::Copy(text));
}
