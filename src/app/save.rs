//! Keeping things: saved pages, the clipboard.

use super::page::{Page, Progress};
use super::prompt::{Prompt, Wants};
use super::title_of;
use super::{App, Download, Effect, Focus};
use crate::document::Document;
use crate::files::download::{Saved, Target};
use crate::load::LoadId;
use crate::text::{self, Text};
use crate::url::Url;

use std::path::{Component, Path, PathBuf};

impl App {
    /// Shows a file on its way in the status line.
    fn begin_file(&mut self, load: LoadId, target: &Target) {
        let (Target::Free(path) | Target::New(path) | Target::Replace(path)) = target;
        let name = Text::of(&path.file_name().unwrap_or_default().to_string_lossy());
        self.tell(&format!("saving {name}"));
        let progress = Progress {
            load,
            octets: 0,
            size: None,
            since: self.now,
            now: self.now,
        };
        self.downloads.push(Download { name, progress });
    }

    pub(super) fn ask_save(&mut self) -> Vec<Effect> {
        let Some(page) = self.page().filter(|page| page.document().is_some()) else {
            self.tell("there is nothing to save");
            return Vec::new();
        };
        let name = text::file_name(title_of(&page.url).as_str().as_bytes(), "page.txt");
        let path = self.settings.downloads.join(&name).display().to_string();
        self.prompt(Prompt::new(Wants::Save(name), &path))
    }

    /// Asks where the file in an article goes that is chosen; nothing where none is.
    pub(super) fn ask_save_attachment(&mut self) -> Option<Vec<Effect>> {
        if self.focus != Focus::Panes {
            return None;
        }
        let page = self.page()?;
        page.place.link?;
        let (name, file) = page.document()?.attachment(page.place.cursor)?;
        let path = self.settings.downloads.join(&name).display().to_string();
        Some(self.prompt(Prompt::new(Wants::SaveFile(name, Box::new(file)), &path)))
    }

    pub(super) fn save_page(&mut self, target: Target) -> Vec<Effect> {
        match self.page().and_then(Page::document).cloned() {
            Some(document) => self.save_document(document, target),
            None => Vec::new(),
        }
    }

    pub(super) fn save_document(&mut self, document: Document, target: Target) -> Vec<Effect> {
        let load = self.next_load();
        self.begin_file(load, &target);
        vec![Effect::Save(load, document, target)]
    }

    /// Saves the reply to a form; directories are not made for it.
    pub(super) fn save_reply(&mut self, document: Document, path: PathBuf) -> Vec<Effect> {
        let load = self.next_load();
        self.begin_file(load, &Target::Free(path.clone()));
        let downloads = self.settings.downloads.clone();
        vec![Effect::SaveReply(load, document, path, downloads)]
    }

    pub(super) fn downloading(
        &mut self,
        load: LoadId,
        octets: u64,
        size: Option<u64>,
    ) -> Vec<Effect> {
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
        Vec::new()
    }

    pub(super) fn downloaded(
        &mut self,
        load: LoadId,
        result: Result<Saved, String>,
    ) -> Vec<Effect> {
        self.downloads
            .retain(|download| download.progress.load != load);
        match result {
            Ok(saved) => {
                self.tell(&format!(
                    "saved {} ({})",
                    saved.path.display(),
                    text::octets(saved.octets)
                ));
            }
            Err(sentence) => self.complain(&sentence),
        }
        Vec::new()
    }

    /// A path as it was typed: `~/` is the home directory, any other relative path begins where downloads go. What
    /// names only a directory gets `name` in it.
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

    /// Whether a file would be in the download directory, or in a directory of that.
    pub(super) fn is_in_downloads(&self, path: &Path) -> bool {
        let rest = path.strip_prefix(&self.settings.downloads);
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        rest.is_ok_and(|rest| rest.components().all(is_plain))
    }

    pub(super) fn copy_link(&mut self) -> Vec<Effect> {
        match self.chosen_url() {
            Some((_, url)) => self.copy(&url),
            None => Vec::new(),
        }
    }

    pub(super) fn copy_url(&mut self) -> Vec<Effect> {
        match self.address() {
            Some((_, url)) => self.copy(&url),
            None => Vec::new(),
        }
    }

    fn copy(&mut self, url: &Url) -> Vec<Effect> {
        let text = url.without_password().to_string();
        self.tell(&format!("copied {text}"));
        vec![Effect::Copy(text)]
    }
}
