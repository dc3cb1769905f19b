//! The keys of the palette.

use geomys_load::Reason;
use std::collections::HashSet;

use crossterm::event::KeyCode;
use rfc1738::Dialect;

use crate::dialogs::palette::{self, Palette, PaletteEntry, PaletteTarget};
use crate::dialogs::text_input::edit;
use crate::keymap::Key;
use crate::requester::OpenPage;
use crate::{BookmarksPane, Command, Context, Dialogs, Effect, Focus, Library, Overlay, Tabs};

/// The maximum number of visited pages that are searched.
const MAX_VISITS: usize = 1000;

/// The maximum number of recent actions.
const MAX_RECENT: usize = 5;

impl Dialogs {
    /// Opens the palette.
    pub(crate) fn open_palette(
        &self,
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
        let bookmarks = bookmarks.sidebar.bookmarks.clone();
        let recent = &self.recent;
        let visits = visits(library);
        let palette = Palette::new(
            &cx.keymap,
            &contexts,
            recent,
            bookmarks,
            visits,
            &cx.settings,
        );
        cx.show(Overlay::Palette(Box::new(palette)));
    }

    /// Handles a key of the palette.
    pub(super) fn palette_key(
        &mut self,
        mut palette: Box<Palette>,
        key: Key,
        tabs: &mut Tabs,
        cx: &mut Context,
    ) {
        match key.code() {
            _ if key.is_cancel() => {
                cx.settings.theme = palette.theme;
                return;
            }
            Some(KeyCode::Enter) if palette.entry().is_some() || palette.is_empty() => {
                return self.run_entry(palette, tabs, cx);
            }
            // Nothing runs that the text does not name.
            Some(KeyCode::Enter) => {}
            Some(KeyCode::Down | KeyCode::Tab) => palette.next(),
            Some(KeyCode::Up | KeyCode::BackTab) => palette.previous(),
            _ => {
                if edit(&mut palette.input, key) {
                    palette.search();
                }
            }
        }
        let target = palette.entry().map(|entry| &entry.target);
        cx.settings.theme = match target {
            Some(PaletteTarget::Theme(theme)) => *theme,
            _ => palette.theme,
        };
        cx.show(Overlay::Palette(palette));
    }

    /// Carries out the chosen entry, if there is one.
    fn run_entry(&mut self, mut palette: Box<Palette>, tabs: &mut Tabs, cx: &mut Context) {
        cx.settings.theme = palette.theme;
        let Some(entry) = palette.entry().cloned() else {
            return;
        };
        if let Some(place) = entry.only {
            let place = place.to_lowercase();
            return cx.notify(&format!("{} works only {place}", entry.name));
        }
        match &entry.target {
            PaletteTarget::Set(name, Some(value)) => {
                cx.emit(Effect::StoreSetting(name.clone(), value.clone()));
            }
            PaletteTarget::Set(name, None) => {
                let value = cx.settings.config.value_of(name);
                palette.input = format!("set {name} {value}").into();
                palette.search();
                cx.show(Overlay::Palette(palette));
            }
            PaletteTarget::Edit(name) => {
                if let Some(line) = cx.settings.config.line_of(name) {
                    cx.emit(Effect::EditFile(line));
                }
            }
            PaletteTarget::Action(action) => {
                let recent = &mut self.recent;
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
                if let Some((rows, area)) = tabs.rows_mut(cx) {
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
fn visits(library: &Library) -> Vec<PaletteEntry> {
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
