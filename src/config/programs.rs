//! The programs of settings.toml: the tables `[open]`, `[view]` and `[view-in-terminal]`.

use geomys_store::files::mailcap::{Entry, Viewer};
use toml_edit::{Item, TableLike};

use super::file::ConfigFile;
use super::file::Target;

/// Reads the commands for addresses. An empty list removes one.
pub(super) fn open(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let Some(table) = file.table(item, "[open] is a table of commands") else {
        return;
    };
    let open = &mut to.settings.open;
    for (name, item) in table.iter() {
        let command_slot = match name {
            "telnet" => &mut open.telnet,
            "tn3270" => &mut open.tn3270,
            "http" => &mut open.http,
            "other" => &mut open.other,
            "desktop" => &mut open.desktop,
            _ => {
                file.record_unknown_key(
                    table,
                    "command",
                    name,
                    &["telnet", "tn3270", "http", "other", "desktop"],
                );
                continue;
            }
        };
        if item.as_array().is_some_and(toml_edit::Array::is_empty) {
            *command_slot = None;
        } else if let Some(command) = file.command(item) {
            *command_slot = Some(command);
        }
    }
}

/// Reads the commands by MIME type.
pub(super) fn view(
    file: &mut ConfigFile<'_>,
    item: &Item,
    to: &mut Target<'_>,
    needs_terminal: bool,
) {
    let table = file.table(item, "this is a table of MIME types and commands");
    for (pattern, item) in table.into_iter().flat_map(TableLike::iter) {
        if let Some(command) = file.command(item) {
            to.settings.own_viewers += 1;
            to.settings.viewers.push(Entry {
                pattern: pattern.to_ascii_lowercase(),
                viewer: Ok(Viewer {
                    command,
                    needs_terminal,
                }),
            });
        }
    }
}
