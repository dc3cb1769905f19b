//! The import of bookmarks of another program, as one change that can be undone, with a report.

use geomys_store::bookmarks::exchange::import::{Import, ImportOptions};
use geomys_wire::text::{self, Text};

use crate::dialogs::text_input::{BookmarkInput, TextInput};
use crate::{BookmarksPane, Context, Dialog};

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
    /// Imports what was read. What is left out is told in a list.
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
        let passwords = import.passwords.iter();
        let passwords = passwords.map(|label| format!("password removed: {label}"));
        let dropped = import.dropped_tags;
        let dropped = (dropped > 0).then(|| format!("tags that follow dropped: {dropped}"));
        let lines = import
            .unread
            .iter()
            .cloned()
            .chain(passwords)
            .chain(dropped);
        let lines = lines.chain(import.tree.losses.lines());
        let lines: Vec<Text> = lines.map(|line| Text::of(&line)).collect();
        if lines.is_empty() {
            return;
        }
        let title = format!("{} ({}): {words}", import.name, import.kind);
        cx.ask(Dialog::new(&title).with_lines(lines).no("close"));
    }
}
