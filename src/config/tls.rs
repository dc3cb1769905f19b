//! Whether plain connections become safe ones, in the tables of the protocols that can do so.
//!
//! A mistake asks for the safest: whoever wants TLS wants no password sent without it.

use toml_edit::Item;

use super::File;
use crate::load::Upgrade;

/// A table of hosts; `all` is what counts for the others.
pub(super) fn by_host(
    file: &mut File<'_>,
    item: &Item,
    all: &mut Upgrade,
    hosts: &mut Vec<(String, Upgrade)>,
) {
    let Some(table) = item.as_table_like() else {
        let sentence = "this is a table of hosts, each with never, login, offer or require";
        file.mistake(item.span(), sentence.to_owned());
        *all = Upgrade::Require;
        return;
    };
    for (host, item) in table.iter() {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let upgrade = upgrade(file, item);
        hosts.retain(|(known, _)| *known != host);
        hosts.push((host, upgrade));
    }
}

/// One of the four words.
pub(super) fn upgrade(file: &mut File<'_>, item: &Item) -> Upgrade {
    let Some(written) = file.string(item, "never, login, offer or require") else {
        return Upgrade::Require;
    };
    let mut all = Upgrade::ALL.into_iter();
    if let Some(upgrade) = all.find(|upgrade| upgrade.name() == written) {
        return upgrade;
    }
    let sentence =
        format!("“{written}” is none of never, login, offer, require; until then it is require");
    file.mistake(item.span(), sentence);
    Upgrade::Require
}
