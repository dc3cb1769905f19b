//! The table `[news]` of settings.toml.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::Item;

use super::tls::{by_host, upgrade};
use super::{File, newsrc};
use crate::files::draft::{Author, is_mailbox};
use crate::load::{NewsServer, NewsSettings};
use crate::protocol::nntp::Compression;

const KEYS: [&str; 13] = [
    "tls",
    "tls-by-host",
    "compress",
    "compress-by-host",
    "newsrc",
    "newsrc-by-server",
    "servers",
    "headers",
    "from",
    "attribution",
    "quote",
    "signature",
    "message-id-domain",
];

/// Reads the table into the settings. `newsrcs` receives the newsrc files, as written.
pub(super) fn read(
    file: &mut File<'_>,
    item: &Item,
    settings: &mut NewsSettings,
    newsrcs: &mut Vec<newsrc::NewsrcEntry>,
    author: &mut Author,
    home: Option<&Path>,
) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "a table is wanted here: [news]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "tls" => settings.tls = upgrade(file, item),
            "tls-by-host" => by_host(file, item, &mut settings.tls, &mut settings.tls_by_host),
            "compress" => {
                if let Some(wished) = compression(file, item) {
                    settings.compress = wished;
                }
            }
            "compress-by-host" => compress_by_host(file, item, &mut settings.compress_by_host),
            "newsrc" => newsrcs
                .splice(..0, newsrc::of_default(file, item))
                .for_each(drop),
            "newsrc-by-server" => newsrcs.extend(newsrc::by_server(file, item)),
            "servers" => servers(file, item, settings),
            "headers" => {
                let names = item.as_array().and_then(|array| {
                    let names = array.iter().map(|name| name.as_str().map(str::to_owned));
                    names.collect::<Option<Arc<[String]>>>()
                });
                match names {
                    Some(names) => settings.headers = names,
                    None => {
                        let sentence = "a list of names of headers is wanted here, each in quotes";
                        file.record_error(item.span(), sentence.to_owned());
                    }
                }
            }
            "from" => match file.string(item, "a name and an address") {
                Some("") | None => {}
                Some(from) if is_mailbox(from) => author.from = Some(from.to_owned()),
                Some(_) => {
                    file.record_error(item.span(), "“Name <address>” is wanted here".to_owned());
                }
            },
            "attribution" => {
                if let Some(line) = file.string(item, "a line of text") {
                    line.clone_into(&mut author.attribution);
                }
            }
            "quote" => match file.string(item, "a sign") {
                Some(sign) if sign.starts_with('>') => sign.clone_into(&mut author.quote),
                Some(_) => {
                    let sentence = "what stands before a quoted line begins with “>”";
                    file.record_error(item.span(), sentence.to_owned());
                }
                None => {}
            },
            "signature" => match file.string(item, "a file") {
                Some("") | None => {}
                Some(path) => {
                    author.signature = Some(match (path.strip_prefix("~/"), home) {
                        (Some(rest), Some(home)) => home.join(rest),
                        (_, _) => PathBuf::from(path),
                    });
                }
            },
            "message-id-domain" => match file.string(item, "a domain") {
                Some("") | None => {}
                Some(domain) if is_domain(domain) => {
                    author.message_id_domain = Some(domain.to_owned());
                }
                Some(_) => file.record_error(item.span(), "this is no domain".to_owned()),
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &KEYS);
                }
            }
        }
    }
    // The list of servers may precede the settings for these servers.
    let mut servers = std::mem::take(&mut settings.servers);
    for server in &mut servers {
        server.upgrade = settings.upgrade(&server.host);
    }
    settings.servers = servers;
}

/// The compression setting: true or false.
fn compression(file: &mut File<'_>, item: &Item) -> Option<Compression> {
    match item.as_bool() {
        Some(true) => Some(Compression::Offered),
        Some(false) => Some(Compression::Never),
        None => {
            file.record_error(item.span(), "true or false is wanted here".to_owned());
            None
        }
    }
}

/// The compression settings by host.
fn compress_by_host(file: &mut File<'_>, item: &Item, hosts: &mut Vec<(String, Compression)>) {
    let Some(table) = item.as_table_like() else {
        let sentence = "this is a table of hosts, each with true or false";
        return file.record_error(item.span(), sentence.to_owned());
    };
    for (host, item) in table.iter() {
        if let Some(wished) = compression(file, item) {
            let host = host.trim_end_matches('.').to_ascii_lowercase();
            hosts.retain(|(other, _)| *other != host);
            hosts.push((host, wished));
        }
    }
}

/// The fallback servers, which are queried for articles that another server does not have.
fn servers(file: &mut File<'_>, item: &Item, settings: &mut NewsSettings) {
    let Some(array) = item.as_array() else {
        let sentence = "a list of servers is wanted here, each in quotes";
        return file.record_error(item.span(), sentence.to_owned());
    };
    settings.servers.clear();
    for value in array {
        match value.as_str().and_then(NewsServer::parse) {
            Some(server) => settings.servers.push(server),
            None => {
                let sentence =
                    "this is no server; host, host:port or nntps://host:port is wanted, in quotes";
                file.record_error(value.span(), sentence.to_owned());
            }
        }
    }
}

/// Returns true if a text is valid after the `@` of a Message-ID.
fn is_domain(text: &str) -> bool {
    let is_sign = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.');
    text.len() <= 200 && text.bytes().all(is_sign) && text.contains('.')
}

/// Reads the table `[mail]`.
pub(super) fn mail(file: &mut File<'_>, item: &Item, author: &mut Author) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "a table is wanted here: [mail]".to_owned());
    };
    for (name, item) in table.iter() {
        if name == "command" {
            let words = item.as_array().and_then(|array| {
                let words = array.iter().map(|word| word.as_str().map(str::to_owned));
                words.collect::<Option<Vec<String>>>()
            });
            match words {
                Some(words) if words.first().is_none_or(|program| !program.is_empty()) => {
                    author.mail = words;
                }
                Some(_) | None => {
                    let sentence =
                        "a list of a program and its arguments is wanted here, each in quotes";
                    file.record_error(item.span(), sentence.to_owned());
                }
            }
        } else if let Some((key, _)) = table.get_key_value(name) {
            file.record_unknown_key(key, &["command"]);
        }
    }
}
