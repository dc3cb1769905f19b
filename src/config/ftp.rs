//! The table `[ftp]` of settings.toml.

use toml_edit::Item;

use super::File;
use super::tls::{by_host, upgrade};
use crate::load::FtpSettings;

const KEYS: [&str; 4] = ["anonymous-password", "tls", "tls-by-host", "active"];

/// Reads the table into the settings.
pub(super) fn read(file: &mut File<'_>, item: &Item, settings: &mut FtpSettings) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "a table is wanted here: [ftp]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "anonymous-password" => {
                if let Some(password) = file.string(item, "a password") {
                    settings.anonymous_password = password.as_bytes().to_vec();
                }
            }
            "tls" => settings.tls = upgrade(file, item),
            "tls-by-host" => by_host(file, item, &mut settings.tls, &mut settings.tls_by_host),
            "active" => match item.as_bool() {
                Some(active) => settings.active = active,
                None => file.record_error(item.span(), "true or false is wanted here".to_owned()),
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &KEYS);
                }
            }
        }
    }
}
