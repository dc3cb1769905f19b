//! The tables `[news]`, with the files of read articles by server, and `[mail]` of settings.toml.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use geomys_load::{NewsHost, NewsServer};
use geomys_store::files::draft::{GroupAuthor, PostingCharset, is_mailbox};
use geomys_wire::protocol::nntp::{Compression, Wildmat};
use toml_edit::{Item, TableLike};

use super::file::ConfigFile;
use super::file::Value::{Filled, Flag, Number, Other, Text, Texts};
use super::file::{Setting, Target};
use super::nearest::unknown;
use super::network::{by_host, upgrade};
use geomys_app::news::server::NewsAuthority;

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
            let entry = of_default(file, item);
            to.newsrcs.splice(..0, entry).for_each(drop);
        }),
    ),
    (
        "newsrc-by-server",
        Other(|file, item, to| to.newsrcs.extend(by_server(file, item))),
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
    (
        "charset",
        Filled("a charset", |to, name| {
            to.settings.author.charset = Some(posting_charset(name)?);
            Ok(())
        }),
    ),
    ("groups", Other(groups)),
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
        let sentence = "expected a list of servers, each in quotes";
        return file.record_error(item.span(), sentence);
    };
    let servers = &mut to.news().servers;
    servers.clear();
    for value in array {
        match value.as_str().and_then(NewsServer::parse) {
            Some(server) => servers.push(server),
            None => {
                let sentence = "expected host, host:port or nntps://host:port, in quotes";
                file.record_error(value.span(), sentence);
            }
        }
    }
}

fn from(to: &mut Target<'_>, from: &str) -> Result<(), String> {
    to.settings.author.from = Some(mailbox(from)?);
    Ok(())
}

fn mailbox(from: &str) -> Result<String, String> {
    let is_valid = is_mailbox(from);
    is_valid
        .then(|| from.to_owned())
        .ok_or_else(|| "expected “Name <address>”".to_owned())
}

fn posting_charset(name: &str) -> Result<PostingCharset, String> {
    PostingCharset::named(name).ok_or_else(|| {
        format!("articles cannot be sent as “{name}”: expected utf-8, iso-8859-1, koi8-r, …")
    })
}

/// The settings of an author by group.
fn groups(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let sentence = "this is a table of groups, each with from, signature or charset";
    to.settings.author.by_group.clear();
    let table = file.table(item, sentence);
    for (pattern, item) in table.into_iter().flat_map(TableLike::iter) {
        let mut author = GroupAuthor {
            groups: Wildmat::parse(pattern.as_bytes()),
            ..GroupAuthor::default()
        };
        let table = file.table(item, sentence);
        for (name, item) in table.into_iter().flat_map(TableLike::iter) {
            let Some(written) = file.string(item, "a text") else {
                continue;
            };
            let set = match name {
                "from" => mailbox(written).map(|from| author.from = Some(from)),
                "charset" => posting_charset(written).map(|set| author.charset = Some(set)),
                "signature" => {
                    author.signature = Some(to.expand_home(written));
                    Ok(())
                }
                _ => Err(unknown("setting", name, &["from", "signature", "charset"])),
            };
            if let Err(sentence) = set {
                file.record_error(item.span(), sentence);
            }
        }
        to.settings.author.by_group.push(author);
    }
}

fn quote(to: &mut Target<'_>, sign: &str) -> Result<(), String> {
    if !sign.starts_with('>') {
        return Err("quote must begin with “>”".to_owned());
    }
    sign.clone_into(&mut to.settings.author.quote);
    Ok(())
}

fn message_id_domain(to: &mut Target<'_>, domain: &str) -> Result<(), String> {
    if !is_domain(domain) {
        return Err("not a domain".to_owned());
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
        return Err(format!("expected a list of {PROGRAM}, each in quotes"));
    }
    to.settings.author.mail = words;
    Ok(())
}

/// A newsrc file as settings.toml names it.
pub(super) struct NewsrcEntry {
    /// The server of the file; `None` for the server of `news-server`.
    server: Option<NewsHost>,
    written: String,
    span: Option<Range<usize>>,
}

/// The file for the server of `news-server`.
pub(super) fn of_default(file: &mut ConfigFile<'_>, item: &Item) -> Option<NewsrcEntry> {
    let written = file
        .string(item, "a file")
        .filter(|path| !path.is_empty())?;
    Some(NewsrcEntry {
        server: None,
        written: written.to_owned(),
        span: item.span(),
    })
}

/// The files for individual servers.
pub(super) fn by_server(file: &mut ConfigFile<'_>, item: &Item) -> Vec<NewsrcEntry> {
    let table = file.table(
        item,
        "this is a table of servers, each with a file in quotes",
    );
    let mut all = Vec::new();
    for (server, item) in table.into_iter().flat_map(TableLike::iter) {
        let Some(entry) = of_default(file, item) else {
            continue;
        };
        match NewsHost::parse(server) {
            Some(host) => all.push(NewsrcEntry {
                server: Some(host),
                ..entry
            }),
            None => {
                let sentence = format!("expected host or host:port, not “{server}”");
                file.record_error(item.span(), sentence);
            }
        }
    }
    all
}

/// The servers of these files. A file belongs to one server.
pub(super) fn owned(
    file: &mut ConfigFile<'_>,
    all: Vec<NewsrcEntry>,
    to: &Target<'_>,
) -> Vec<(NewsAuthority, PathBuf)> {
    let default = to.settings.news_server.as_ref();
    let mut owned: Vec<(NewsAuthority, PathBuf)> = Vec::new();
    for entry in all {
        let Some(server) = entry.server.as_ref().or(default).map(NewsAuthority::from) else {
            let sentence = "a newsrc belongs to one server: set news-server, or name the server under [news.newsrc-by-server]";
            file.record_error(entry.span, sentence);
            continue;
        };
        let path = to.expand_home(&entry.written);
        let is_taken =
            |(owner, taken): &(NewsAuthority, PathBuf)| *owner != server && *taken == path;
        if owned.iter().any(is_taken) {
            let sentence = "this file is named for another server already";
            file.record_error(entry.span, sentence);
            continue;
        }
        // An entry under [news.newsrc-by-server] takes precedence.
        owned.retain(|(owner, _)| *owner != server);
        owned.push((server, path));
    }
    owned
}
