//! Saving pages, and copying URLs to the clipboard.

use super::page::{Page, Progress};
use super::prompt::{Prompt, PromptKind};
use super::title_of;
use super::{App, Download, Effect, Focus};
use crate::document::Document;
use crate::load::LoadId;
use crate::text::{self, Text};
use crate::transfer::download::{SavedFile, Target};
use crate::url::Url;

use std::path::{Component, Path, PathBuf};

impl App {
    /// Shows a file that is being saved in the status line.
    fn begin_file(&mut self, load: LoadId, target: &Target) {
        let (Target::Free(path) | Target::New(path) | Target::Replace(path)) = target;
        let name = Text::of(&path.file_name().unwrap_or_default().to_string_lossy());
        self.notify(&format!("saving {name}"));
        let progress = Progress {
            load,
            octets: 0,
            size: None,
            since: self.now,
            now: self.now,
        };
        self.downloads.push(Download { name, progress });
    }

    pub(super) fn ask_save(&mut self) {
        let Some(page) = self.page().filter(|page| page.document().is_some()) else {
            self.notify("there is nothing to save");
            return;
        };
        let name = text::file_name(title_of(&page.url).as_str().as_bytes(), "page.txt");
        let path = self.settings.downloads.join(&name).display().to_string();
        self.prompt(Prompt::new(PromptKind::SavePage(name), &path));
    }

    /// Asks for the path to save the chosen attachment of an article. Returns `None` if none is chosen.
    pub(super) fn ask_save_attachment(&mut self) -> Option<()> {
        if self.focus != Focus::Panes {
            return None;
        }
        let page = self.page()?;
        page.position.link?;
        let (name, file) = page.document()?.attachment(page.position.cursor)?;
        let path = self.settings.downloads.join(&name).display().to_string();
        self.prompt(Prompt::new(
            PromptKind::SaveAttachment(name, Box::new(file)),
            &path,
        ));
        Some(())
    }

    pub(super) fn save_page(&mut self, target: Target) {
        if let Some(document) = self.page().and_then(Page::document).cloned() {
            self.save_document(document, target);
        }
    }

    pub(super) fn save_document(&mut self, document: Document, target: Target) {
        let load = self.next_load();
        self.begin_file(load, &target);
        self.emit(Effect::Save(load, document, target));
    }

    /// Saves the reply to a form. No directories are created for it.
    pub(super) fn save_reply(&mut self, document: Document, path: PathBuf) {
        let load = self.next_load();
        self.begin_file(load, &Target::Free(path.clone()));
        let downloads = self.settings.downloads.clone();
        self.emit(Effect::SaveReply(load, document, path, downloads));
    }

    pub(super) fn download_progress(&mut self, load: LoadId, octets: u64, size: Option<u64>) {
        let now = self.now;
        if let Some(download) = self
            .downloads
            .iter_mut()
            .find(|download| download.progress.load == load)
        {
            download.progress = Progress {
                octets,
                size,
                now,
                ..download.progress
            };
        }
    }

    pub(super) fn download_ended(&mut self, load: LoadId, result: Result<SavedFile, String>) {
        self.downloads
            .retain(|download| download.progress.load != load);
        match result {
            Ok(saved) => {
                self.notify(&format!(
                    "saved {} ({})",
                    saved.path.display(),
                    text::octets(saved.octets)
                ));
            }
            Err(sentence) => self.report_error(&sentence),
        }
    }

    /// Resolves a typed path: `~/` is the home directory, other relative paths start in the download directory. A path that
    /// is only a directory gets the file name `name`.
    pub(super) fn path(&self, typed: &str, name: &str) -> PathBuf {
        let typed = typed.trim();
        let named;
        let typed = if typed.is_empty() || typed.ends_with('/') {
            named = format!("{typed}{name}");
            &named
        } else {
            typed
        };
        match (typed.strip_prefix("~/"), &self.settings.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.settings.downloads.join(typed),
        }
    }

    /// Returns true if the path is in the download directory, or in a directory below it.
    pub(super) fn is_in_downloads(&self, path: &Path) -> bool {
        let rest = path.strip_prefix(&self.settings.downloads);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        rest.is_ok_and(|rest| rest.components().all(is_plain))
    }

    pub(super) fn copy_link(&mut self) {
        if let Some((_, url)) = self.selected_url() {
            self.copy(&url);
        }
    }

    pub(super) fn copy_url(&mut self) {
        if let Some((_, url)) = self.address() {
            self.copy(&url);
        }
    }

    fn copy(&mut self, url: &Url) {
        let text = url.without_password().to_string();
        self.notify(&format!("copied {text}"));
        self.emit(Effect::Copy(text));
    }
}
