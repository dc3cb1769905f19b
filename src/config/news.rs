//! The tables `[news]` and `[mail]` of settings.toml.

use std::time::Duration;

use geomys_page::load::NewsServer;
use geomys_store::files::draft::is_mailbox;
use geomys_wire::protocol::nntp::Compression;
use toml_edit::{Item, TableLike};

use super::file::ConfigFile;
use super::newsrc;
use super::tls::{by_host, upgrade};
use super::value::Value::{Filled, Flag, Number, Other, Text, Texts};
use super::value::{Setting, Target};

pub(super) const SETTINGS: &[Setting] = &[
    (
        "tls",
        Other(|file, item, to| to.news().tls = upgrade(file, item)),
    ),
    (
        "tls-by-host",
        Other(|file, item, to| {
            let news = to.news();
            by_host(file, item, &mut news.tls, &mut news.tls_by_host);
        }),
    ),
    (
        "compress",
        Other(|file, item, to| {
            if let Some(wished) = compression(file, item) {
                to.news().compress = wished;
            }
        }),
    ),
    ("compress-by-host", Other(compress_by_host)),
    (
        "newsrc",
        Other(|file, item, to| {
            let entry = newsrc::of_default(file, item);
            to.newsrcs.splice(..0, entry).for_each(drop);
        }),
    ),
    (
        "newsrc-by-server",
        Other(|file, item, to| to.newsrcs.extend(newsrc::by_server(file, item))),
    ),
    (
        "refresh",
        Number(0, 1440, |to, minutes| {
            to.settings.news_refresh = Duration::from_secs(60 * u64::from(minutes));
        }),
    ),
    ("servers", Other(servers)),
    (
        "headers",
        Texts("names of headers", |to, names| {
            to.news().headers = names.into();
            Ok(())
        }),
    ),
    (
        "unfold-headers",
        Flag(|to, is_on| to.news().unfolds_headers = is_on),
    ),
    ("from", Filled("a name and an address", from)),
    (
        "attribution",
        Text("a line of text", |to, line| {
            line.clone_into(&mut to.settings.author.attribution);
            Ok(())
        }),
    ),
    ("quote", Text("a sign", quote)),
    (
        "signature",
        Filled("a file", |to, path| {
            to.settings.author.signature = Some(to.expand_home(path));
            Ok(())
        }),
    ),
    ("message-id-domain", Filled("a domain", message_id_domain)),
];

pub(super) const MAIL: &[Setting] = &[("command", Texts(PROGRAM, mail_command))];

const PROGRAM: &str = "a program and its arguments";

/// The compression setting: true or false.
fn compression(file: &mut ConfigFile<'_>, item: &Item) -> Option<Compression> {
    file.flag(item).map(|is_on| {
        if is_on {
            Compression::Offered
        } else {
            Compression::Never
        }
    })
}

/// The compression settings by host.
fn compress_by_host(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let table = file.table(item, "this is a table of hosts, each with true or false");
    for (host, item) in table.into_iter().flat_map(TableLike::iter) {
        if let Some(wished) = compression(file, item) {
            let host = host.trim_end_matches('.').to_ascii_lowercase();
            let hosts = &mut to.news().compress_by_host;
            hosts.retain(|(other, _)| *other != host);
            hosts.push((host, wished));
        }
    }
}

/// The fallback servers, which are queried for articles that another server does not have.
fn servers(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let Some(array) = item.as_array() else {
        let sentence = "a list of servers is wanted here, each in quotes";
        return file.record_error(item.span(), sentence);
    };
    let servers = &mut to.news().servers;
    servers.clear();
    for value in array {
        match value.as_str().and_then(NewsServer::parse) {
            Some(server) => servers.push(server),
            None => {
                let sentence =
                    "this is no server; host, host:port or nntps://host:port is wanted, in quotes";
                file.record_error(value.span(), sentence);
            }
        }
    }
}

fn from(to: &mut Target<'_>, from: &str) -> Result<(), String> {
    if !is_mailbox(from) {
        return Err("“Name <address>” is wanted here".to_owned());
    }
    to.settings.author.from = Some(from.to_owned());
    Ok(())
}

fn quote(to: &mut Target<'_>, sign: &str) -> Result<(), String> {
    if !sign.starts_with('>') {
        return Err("what stands before a quoted line begins with “>”".to_owned());
    }
    sign.clone_into(&mut to.settings.author.quote);
    Ok(())
}

fn message_id_domain(to: &mut Target<'_>, domain: &str) -> Result<(), String> {
    if !is_domain(domain) {
        return Err("this is no domain".to_owned());
    }
    to.settings.author.message_id_domain = Some(domain.to_owned());
    Ok(())
}

/// Returns true if a text is valid after the `@` of a Message-ID.
fn is_domain(text: &str) -> bool {
    let is_sign = |octet: u8| octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.');
    text.len() <= 200 && text.bytes().all(is_sign) && text.contains('.')
}

fn mail_command(to: &mut Target<'_>, words: Vec<String>) -> Result<(), String> {
    if words.first().is_some_and(String::is_empty) {
        return Err(format!(
            "a list of {PROGRAM} is wanted here, each in quotes"
        ));
    }
    to.settings.author.mail = words;
    Ok(())
}
