//! The table `[news]` of settings.toml.

use toml_edit::Item;

use super::File;
use super::tls::{by_host, upgrade};
use crate::load::NewsWays;

const KNOWN: [&str; 2] = ["tls", "tls-by-host"];

/// Reads the table over what is set.
pub(super) fn read(file: &mut File<'_>, item: &Item, ways: &mut NewsWays) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(item.span(), "a table is wanted here: [news]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "tls" => ways.tls = upgrade(file, item),
            "tls-by-host" => by_host(file, item, &mut ways.tls, &mut ways.tls_by_host),
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &KNOWN);
                }
            }
        }
    }
}
