//! The import of bookmarks of another program, as one change that can be undone, with a page that reports it.

use geomys_load::Reason;
use geomys_page::document::{Document, Shape};
use geomys_store::bookmarks::exchange::import::{Import, ImportOptions};
use geomys_store::bookmarks::exchange::{EXISTS, LeftOut};
use geomys_wire::text::{self, CharsetSetting, Text};
use rfc1738::{Dialect, parse_or_repair};

use crate::action::Action;
use crate::dialogs::text_input::{BookmarkInput, TextInput};
use crate::home::menu::Menu;
use crate::requester::Arrival;
use crate::tabs::open::open_builtin;
use crate::view::View;
use crate::view::builtin::IMPORT;
use crate::view::context::State;
use crate::{BookmarksPane, Context, Dialog, Page, Tabs};

/// How the browser imports. It writes no password into the file, and follows nothing that another person followed.
const OPTIONS: ImportOptions = ImportOptions {
    format: None,
    again: false,
    drop_passwords: true,
    keep_follow: false,
};

/// Asks for the file to import.
pub(crate) fn ask_import(cx: &mut Context) {
    let input = TextInput::new(BookmarkInput::Import, "");
    let question = "Import bookmarks from this file or directory:";
    cx.ask(Dialog::input(question, input));
}

impl BookmarksPane {
    /// Imports what was read, and opens the page that reports it.
    pub(super) fn import(&mut self, read: Result<Box<Import>, String>, cx: &mut Context) {
        let mut import = match read {
            Ok(import) => import,
            Err(sentence) => return cx.report_error(&sentence),
        };
        if let Some(fault) = import.fault() {
            return cx.report_error(&fault);
        }
        let bookmarks = self.sidebar.bookmarks.clone();
        let records = import.tree.added_dates();
        import.select(&bookmarks, OPTIONS);
        let imported = import.tree.entries().count();
        let folder = bookmarks.folder_named(&cx.settings.inbox);
        let words = format!("{} imported", text::count(imported));
        if imported > 0 {
            let change = import.tree.insert_into(&bookmarks, &folder);
            self.change_with_records(change, records, &words, cx);
        }
        self.imported = Some(import);
        open_builtin(IMPORT, cx);
    }

    /// Shows the page that reports the last import.
    pub(super) fn show_import(&self, arrival: Arrival, tabs: &mut Tabs, cx: &mut Context) {
        let Ok(url) = Dialect::Extended.parse(IMPORT) else {
            return;
        };
        if arrival == Arrival::Reload && !tabs.shows(IMPORT) {
            return;
        }
        let menu = match &self.imported {
            Some(import) => report(import, cx),
            None => {
                let mut menu = Menu::default();
                menu.info("Nothing imported since Geomys was started");
                menu
            }
        };
        let mut document = Document::new(url.clone(), Shape::Menu, CharsetSetting::default());
        document.append(menu.text.as_bytes());
        let title = Text::of("Import");
        let mut page = Page::new(url, title, document.finished(), State::Whole);
        if let View::Builtin(view) = &mut page.view {
            view.reasons = menu.reasons;
        }
        tabs.arrive(page, arrival, cx);
        cx.reveal_all();
    }
}

/// Returns the rows of the report: what was imported by its folders, what was a bookmark already, what was left out.
fn report(import: &Import, cx: &Context) -> Menu {
    let mut menu = Menu::default();
    let left_out = &import.tree.losses.entries;
    let (known, others): (Vec<&LeftOut>, Vec<&LeftOut>) =
        left_out.iter().partition(|entry| entry.reason == EXISTS);
    let imported = import.tree.entries().count();
    menu.heading(&format!("{} ({})", import.name, import.kind), 1);
    let counts = [
        (imported, "imported"),
        (known.len(), "there already"),
        (others.len(), "left out"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, words)| format!("{} {words}", text::count(*count)));
    let mut line = counts.collect::<Vec<_>>().join(", ");
    if imported > 0 {
        let undo = cx.key_of(Action::Undo);
        line = format!("{line} ({undo} takes all of it back)");
    }
    menu.info(&line);
    let remarks = import.remarks();
    if others.len() + remarks.len() > 0 {
        section(&mut menu, "Left out or changed");
    }
    for entry in others {
        menu.info(&entry.sentence());
    }
    for remark in remarks {
        menu.info(&remark);
    }
    if imported > 0 {
        section(&mut menu, "Imported");
    }
    let mut shown = Vec::new();
    for (folder, entry) in import.tree.entries() {
        if folder != shown {
            menu.info(&folder.join(" / "));
            shown = folder;
        }
        row(&mut menu, &entry.label(), &entry.url);
    }
    if !known.is_empty() {
        section(&mut menu, "There already");
    }
    for entry in known {
        row(&mut menu, &entry.label, &entry.url);
    }
    menu
}

/// Adds a heading to the rows of a report.
fn section(menu: &mut Menu, heading: &str) {
    menu.info("");
    menu.heading(heading, 2);
}

/// Adds the row of a bookmark, with its URL or the repair of it as the link.
fn row(menu: &mut Menu, label: &str, url: &str) {
    match parse_or_repair(url) {
        Ok(url) => {
            menu.link(label, &url);
            menu.reason(&url, Reason::Bookmark);
        }
        Err(error) => menu.info(&format!("{label}: {error}")),
    }
}
