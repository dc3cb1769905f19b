//! The table `[ftp]` of settings.toml.

use toml_edit::Item;

use super::File;
use crate::load::{FtpWays, Upgrade};

const KNOWN: [&str; 4] = ["anonymous-password", "tls", "tls-by-host", "active"];

/// Reads the table over what is set. A mistake about TLS asks for the safest: whoever wants TLS wants no password sent
/// without it.
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
            "tls-by-host" => {
                let Some(hosts) = item.as_table_like() else {
                    let sentence = "this is a table of hosts, each with never, offer or require";
                    file.mistake(item.span(), sentence.to_owned());
                    ways.tls = Upgrade::Require;
                    continue;
                };
                for (host, item) in hosts.iter() {
                    let host = host.trim_end_matches('.').to_ascii_lowercase();
                    let upgrade = upgrade(file, item);
                    ways.tls_by_host.retain(|(known, _)| *known != host);
                    ways.tls_by_host.push((host, upgrade));
                }
            }
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

fn upgrade(file: &mut File<'_>, item: &Item) -> Upgrade {
    let Some(written) = file.string(item, "never, offer or require") else {
        return Upgrade::Require;
    };
    let mut all = Upgrade::ALL.into_iter();
    if let Some(upgrade) = all.find(|upgrade| upgrade.name() == written) {
        return upgrade;
    }
    let sentence =
        format!("“{written}” is none of never, offer, require; until then it is require");
    file.mistake(item.span(), sentence);
    Upgrade::Require
}
