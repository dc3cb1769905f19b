//! TLS upgrades of plain connections, in the tables of the protocols that support them.
//!
//! A mistake selects the safest setting, so that no password is sent without TLS.

use geomys_page::load::TlsUpgrade;
use toml_edit::Item;

use super::file::ConfigFile;

/// Reads a table of hosts; `all` is the setting for all other hosts.
pub(super) fn by_host(
    file: &mut ConfigFile<'_>,
    item: &Item,
    all: &mut TlsUpgrade,
    hosts: &mut Vec<(String, TlsUpgrade)>,
) {
    let sentence = "this is a table of hosts, each with never, login, offer or require";
    let Some(table) = file.table(item, sentence) else {
        *all = TlsUpgrade::Require;
        return;
    };
    for (host, item) in table.iter() {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let upgrade = upgrade(file, item);
        hosts.retain(|(other, _)| *other != host);
        hosts.push((host, upgrade));
    }
}

/// Reads one of the four words.
pub(super) fn upgrade(file: &mut ConfigFile<'_>, item: &Item) -> TlsUpgrade {
    let Some(written) = file.string(item, "never, login, offer or require") else {
        return TlsUpgrade::Require;
    };
    let mut all = TlsUpgrade::ALL.into_iter();
    if let Some(upgrade) = all.find(|upgrade| upgrade.name() == written) {
        return upgrade;
    }
    let sentence =
        format!("“{written}” is none of never, login, offer, require; until then it is require");
    file.record_error(item.span(), sentence);
    TlsUpgrade::Require
}
