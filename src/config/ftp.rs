//! The table `[ftp]` of settings.toml.

use toml_edit::Item;

use super::File;
use super::tls::{by_host, upgrade};
use crate::load::FtpWays;

const KNOWN: [&str; 4] = ["anonymous-password", "tls", "tls-by-host", "active"];

/// Reads the table over what is set.
pub(super) fn read(file: &mut File<'_>, item: &Item, ways: &mut FtpWays) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(item.span(), "a table is wanted here: [ftp]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "anonymous-password" => {
                if let Some(password) = file.string(item, "a password") {
                    ways.anonymous_password = password.as_bytes().to_vec();
                }
            }
            "tls" => ways.tls = upgrade(file, item),
            "tls-by-host" => by_host(file, item, &mut ways.tls, &mut ways.tls_by_host),
            "active" => match item.as_bool() {
                Some(active) => ways.active = active,
                None => file.mistake(item.span(), "true or false is wanted here".to_owned()),
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &KNOWN);
                }
            }
        }
    }
}
