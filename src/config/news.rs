//! The table `[news]` of settings.toml.

use toml_edit::Item;

use super::File;
use super::tls::{by_host, upgrade};
use crate::load::{NewsServer, NewsWays};

const KNOWN: [&str; 4] = ["tls", "tls-by-host", "newsrc", "servers"];

/// Reads the table over what is set; `newsrc` is the file of what was read, as written.
pub(super) fn read(
    file: &mut File<'_>,
    item: &Item,
    ways: &mut NewsWays,
    newsrc: &mut Option<String>,
) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(item.span(), "a table is wanted here: [news]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "tls" => ways.tls = upgrade(file, item),
            "tls-by-host" => by_host(file, item, &mut ways.tls, &mut ways.tls_by_host),
            "newsrc" => {
                let written = file.string(item, "a file");
                *newsrc = written.filter(|path| !path.is_empty()).map(str::to_owned);
            }
            "servers" => servers(file, item, ways),
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &KNOWN);
                }
            }
        }
    }
    // The servers may stand before what is set for them.
    let mut servers = std::mem::take(&mut ways.servers);
    for server in &mut servers {
        server.upgrade = ways.upgrade(&server.host);
    }
    ways.servers = servers;
}

/// The servers that are asked for what another does not have.
fn servers(file: &mut File<'_>, item: &Item, ways: &mut NewsWays) {
    let Some(array) = item.as_array() else {
        let sentence = "a list of servers is wanted here, each in quotes";
        return file.mistake(item.span(), sentence.to_owned());
    };
    ways.servers.clear();
    for value in array {
        match value.as_str().and_then(NewsServer::parse) {
            Some(server) => ways.servers.push(server),
            None => {
                let sentence =
                    "this is no server; host, host:port or nntps://host:port is wanted, in quotes";
                file.mistake(value.span(), sentence.to_owned());
            }
        }
    }
}
