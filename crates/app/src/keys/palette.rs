//! The keys of the palette, and what its entries do.

use geomys_load::Reason;
use std::collections::HashSet;

use crossterm::event::KeyCode;
use rfc1738::Dialect;

use crate::dialogs::palette::{self, Palette, PaletteEntry, PaletteTarget};
use crate::dialogs::text_input::edit;
use crate::keymap::Key;
use crate::requester::OpenPage;
use crate::{App, BookmarksPane, Command, Context, Dialogs, Effect, Focus, Library, Overlay, Tabs};

/// The maximum number of visited pages that are searched.
const MAX_VISITS: usize = 1000;

/// The maximum number of recent actions.
const MAX_RECENT: usize = 3;

impl Dialogs {
    /// Opens the palette with this text in its input.
    pub(crate) fn open_palette(
        &self,
        text: &str,
        tabs: &Tabs,
        bookmarks: &BookmarksPane,
        library: &Library,
        cx: &mut Context,
    ) {
        let mut contexts = tabs.contexts(cx);
        // Commands of the page work while another part has the focus.
        let focus = std::mem::replace(&mut cx.focus, Focus::Panes);
        contexts.extend(tabs.contexts(cx));
        cx.focus = focus;
        let bookmarks = bookmarks.searched(cx);
        let here = tabs
            .page()
            .map_or_else(Vec::new, |page| page.offered(&cx.settings));
        let palette = Palette::new(
            text.to_owned(),
            (&cx.keymap, &contexts),
            (&here, &self.recent),
            bookmarks,
            visits(library),
            &cx.settings,
        );
        cx.show(Overlay::Palette(Box::new(palette)));
    }
}

impl Palette {
    /// Handles a key of the self.
    pub(super) fn key(mut self: Box<Self>, key: Key, cx: &mut Context) {
        match key.code() {
            _ if key.is_cancel() => {
                cx.settings.theme = self.theme;
                return;
            }
            Some(KeyCode::Enter) if self.entry().is_some() || self.is_empty() => {
                cx.settings.theme = self.theme;
                if let Some(entry) = self.entry() {
                    cx.command(Command::Run(Box::new(entry.clone())));
                }
                return;
            }
            // Nothing runs that the text does not name.
            Some(KeyCode::Enter) => {}
            Some(KeyCode::Down | KeyCode::Tab) => self.next(),
            Some(KeyCode::Up | KeyCode::BackTab) => self.previous(),
            _ => {
                if edit(&mut self.input, key) {
                    self.search();
                }
            }
        }
        let target = self.entry().map(|entry| &entry.target);
        cx.settings.theme = match target {
            Some(PaletteTarget::Theme(theme)) => *theme,
            _ => self.theme,
        };
        cx.show(Overlay::Palette(self));
    }
}

impl App {
    /// Opens the palette with the value of a setting, to be changed.
    pub(crate) fn open_setting(&mut self, name: &str) {
        let value = self.cx.settings.config.value_of(name);
        let text = format!("set {name} {value}");
        let (tabs, bookmarks) = (&self.tabs, &self.bookmarks);
        (self.dialogs).open_palette(&text, tabs, bookmarks, &self.library, &mut self.cx);
    }

    /// Carries out an entry of the palette, the help, or the suggestions for a URL.
    pub(crate) fn run_entry(&mut self, entry: &PaletteEntry) {
        let cx = &mut self.cx;
        if let Some(place) = entry.only {
            let place = place.to_lowercase();
            return cx.notify(&format!("{} works only {place}", entry.name));
        }
        match &entry.target {
            PaletteTarget::Set(name, value) => {
                cx.emit(Effect::StoreSetting(name.clone(), value.clone()));
            }
            PaletteTarget::Type(text) => {
                let (tabs, bookmarks) = (&self.tabs, &self.bookmarks);
                self.dialogs
                    .open_palette(text, tabs, bookmarks, &self.library, cx);
            }
            PaletteTarget::Edit(name) => {
                if let Some(line) = cx.settings.config.line_of(name) {
                    cx.emit(Effect::EditFile(line));
                }
            }
            PaletteTarget::Action(action) => {
                let recent = &mut self.dialogs.recent;
                recent.retain(|earlier| earlier != action);
                recent.insert(0, *action);
                recent.truncate(MAX_RECENT);
                cx.command(Command::Act(*action));
            }
            PaletteTarget::Theme(theme) => {
                cx.settings.theme = *theme;
                let (name, value) = ("theme".to_owned(), theme.name().to_owned());
                cx.emit(Effect::StoreSetting(name, value));
            }
            PaletteTarget::Row(row) => {
                if let Some((rows, area)) = self.tabs.rows_mut(cx) {
                    rows.scroller(area).show_row(*row);
                }
            }
            PaletteTarget::Page(title, url) => {
                let title = Some(title.clone()).filter(|title| !title.is_blank());
                cx.open(OpenPage::at(url.clone(), Reason::Typed).titled(title));
            }
        }
    }
}

/// The visited pages, the latest first, each once.
pub(super) fn visits(library: &Library) -> Vec<PaletteEntry> {
    let mut seen = HashSet::new();
    let visits = library.history().iter().rev();
    let visits = visits.filter(|visit| seen.insert(visit.key()));
    let entries = visits.filter_map(|visit| {
        Some(palette::visit(
            visit.title,
            Dialect::Extended.parse(visit.url).ok()?,
        ))
    });
    entries.take(MAX_VISITS).collect()
}
