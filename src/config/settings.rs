//! The file settings.toml.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::Item;

use super::{Environment, File, UserFileState, ftp, gateways, news, newsrc};
use crate::app::external::Openers;
use crate::app::page::Colours;
use crate::app::transfers::TransferLimits;
use crate::app::{Memory, Settings};
use crate::files::mailcap::{Entry, Viewer};
use crate::files::regular;
use crate::load::NewsHost;
use crate::net::{Route, WebProxies, WebProxy};
use crate::text::CharsetSetting;

const KEYS: [&str; 17] = [
    "news-server",
    "downloads",
    "charset",
    "page-colours",
    "ascii",
    "bookmarks",
    "transfers",
    "cache",
    "memory",
    "network",
    "gateways",
    "ftp",
    "news",
    "mail",
    "open",
    "view",
    "view-in-terminal",
];

const TRANSFERS: [&str; 3] = ["at-once", "at-once-per-host", "tries"];

const BOOKMARKS: [&str; 2] = ["inbox", "watch"];

const OPENED: [&str; 4] = ["telnet", "tn3270", "http", "other"];

/// The highest number of parallel transfers, and of tries in a row.
const AT_ONCE: i64 = 64;
const TRIES: i64 = 1000;

const CACHE: [&str; 1] = ["size"];

const MEMORY: [&str; 2] = ["page", "pages"];

/// The highest number of MiB for pages on the disk or in memory.
const MEBIBYTES: i64 = 1024 * 1024;

const NETWORK: [&str; 2] = ["proxy", "http-proxy"];

/// The route to hosts, and the proxies for web pages.
pub(super) type NetworkSettings<'a> = (&'a mut Option<Route>, &'a mut WebProxies);

pub(super) fn read(
    file: &mut File<'_>,
    settings: &mut Settings,
    ascii: &mut bool,
    routes: &mut NetworkSettings<'_>,
) {
    let mut newsrcs = Vec::new();
    for (name, item) in file.table.iter() {
        match name {
            "news-server" => match file.string(item, "a host") {
                Some("") | None => {}
                Some(written) => match NewsHost::parse(written) {
                    Some(server) => settings.news_server = Some(server),
                    None => {
                        let sentence = format!(
                            "“{written}” is no server; host, host:port or nntps://host is wanted"
                        );
                        file.record_error(item.span(), sentence);
                    }
                },
            },
            "downloads" => {
                if let Some(written) = file.string(item, "a directory") {
                    settings.downloads = expand_home(written, settings);
                }
            }
            "charset" => {
                if let Some(written) = file.string(item, "a charset") {
                    match CharsetSetting::named(written) {
                        Some(read_as) => settings.charset = read_as,
                        None => {
                            let sentence = format!(
                                "“{written}” is no charset; it is auto, cp437 or a name of the WHATWG list, as \
                                 in iso-8859-1, koi8-r, shift_jis, gb18030"
                            );
                            file.record_error(item.span(), sentence);
                        }
                    }
                }
            }
            "page-colours" => match item.as_bool() {
                Some(true) => settings.colours = Colours::Shown,
                Some(false) => settings.colours = Colours::Hidden,
                None => file.record_error(item.span(), "true or false is wanted here".to_owned()),
            },
            "ascii" => match item.as_bool() {
                Some(is_ascii) => *ascii |= is_ascii,
                None => file.record_error(item.span(), "true or false is wanted here".to_owned()),
            },
            "bookmarks" => bookmarks(file, item, settings),
            "transfers" => transfers(file, item, &mut settings.transfers),
            "cache" => cache(file, item, &mut settings.cache),
            "memory" => memory(file, item, &mut settings.memory),
            "network" => network(file, item, routes),
            "gateways" => gateways::read(file, item, Arc::make_mut(&mut settings.gateways)),
            "ftp" => ftp::read(file, item, Arc::make_mut(&mut settings.ftp)),
            "news" => {
                news::read(
                    file,
                    item,
                    Arc::make_mut(&mut settings.news),
                    &mut newsrcs,
                    &mut settings.author,
                    settings.home.as_deref(),
                );
            }
            "mail" => news::mail(file, item, &mut settings.author),
            "open" => open(file, item, &mut settings.open),
            "view" => view(file, item, settings, false),
            "view-in-terminal" => view(file, item, settings, true),
            _ => {
                if let Some((key, _)) = file.table.get_key_value(name) {
                    file.record_unknown_key(key, &KEYS);
                }
                if NETWORK.contains(&name) {
                    let why = format!("in settings.toml, {name} stands outside of [network]");
                    *routes.0 = Some(Route::InvalidProxy(why));
                }
            }
        }
    }
    // The server may follow the newsrc file in settings.toml.
    settings.newsrcs.named =
        newsrc::owned(file, newsrcs, settings.news_server.as_ref(), |written| {
            expand_home(written, settings)
        });
}

/// Expands `~/` to the home directory.
fn expand_home(written: &str, settings: &Settings) -> PathBuf {
    match (written.strip_prefix("~/"), &settings.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(written),
    }
}

/// The table `[bookmarks]`.
fn bookmarks(file: &mut File<'_>, item: &Item, settings: &mut Settings) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(
            item.span(),
            "a table is wanted here: [bookmarks]".to_owned(),
        );
    };
    for (name, item) in table.iter() {
        match name {
            "inbox" => {
                if let Some(folder) = file.string(item, "a folder") {
                    folder.clone_into(&mut settings.inbox);
                }
            }
            "watch" => match item.as_bool() {
                Some(watch) => settings.watch = watch,
                None => file.record_error(item.span(), "true or false is wanted here".to_owned()),
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &BOOKMARKS);
                }
            }
        }
    }
}

/// The table `[transfers]`.
fn transfers(file: &mut File<'_>, item: &Item, rules: &mut TransferLimits) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(
            item.span(),
            "a table is wanted here: [transfers]".to_owned(),
        );
    };
    for (name, item) in table.iter() {
        let most = match name {
            "at-once" | "at-once-per-host" => AT_ONCE,
            "tries" => TRIES,
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &TRANSFERS);
                }
                continue;
            }
        };
        let least = i64::from(name != "tries");
        let number = item
            .as_integer()
            .filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| u32::try_from(number).ok());
        match (name, number) {
            ("at-once", Some(number)) => rules.at_once = number as usize,
            ("at-once-per-host", Some(number)) => rules.at_once_per_host = number as usize,
            (_, Some(number)) => rules.tries = number,
            (_, None) => {
                let sentence = format!("a number from {least} to {most} is wanted here");
                file.record_error(item.span(), sentence);
            }
        }
    }
}

/// The table `[cache]`.
fn cache(file: &mut File<'_>, item: &Item, octets: &mut u64) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "a table is wanted here: [cache]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "size" => mebibytes(file, item, 0, octets),
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &CACHE);
                }
            }
        }
    }
}

/// The table `[memory]`.
fn memory(file: &mut File<'_>, item: &Item, memory: &mut Memory) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "a table is wanted here: [memory]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "page" => mebibytes(file, item, 1, &mut memory.page),
            "pages" => mebibytes(file, item, 1, &mut memory.pages),
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &MEMORY);
                }
            }
        }
    }
}

/// Reads a number of MiB, as octets.
fn mebibytes(file: &mut File<'_>, item: &Item, least: i64, octets: &mut u64) {
    let size = item.as_integer();
    let size = size.filter(|size| (least..=MEBIBYTES).contains(size));
    match size.and_then(|size| u64::try_from(size).ok()) {
        Some(size) => *octets = size << 20,
        None => {
            let sentence = format!("a number of MiB from {least} to {MEBIBYTES} is wanted here");
            file.record_error(item.span(), sentence);
        }
    }
}

/// Reads the table `[network]`. A mistake in it disables all connections, because the user may want a proxy that
/// nothing bypasses.
fn network(file: &mut File<'_>, item: &Item, (route, web): &mut NetworkSettings<'_>) {
    let before = file.errors.len();
    let Some(table) = item.as_table_like() else {
        file.record_error(item.span(), "a table is wanted here: [network]".to_owned());
        **route = Some(Route::InvalidProxy(INVALID_TABLE.to_owned()));
        return;
    };
    for (name, item) in table.iter() {
        match name {
            "proxy" => match file.string(item, "a proxy") {
                Some("") | None => {}
                Some(written) => {
                    let by = Route::from_setting(written);
                    if let Route::InvalidProxy(why) = &by {
                        file.record_error(item.span(), why.clone());
                    }
                    **route = Some(by);
                }
            },
            "http-proxy" => match file.string(item, "a proxy") {
                Some("") | None => {}
                Some(written) => match WebProxy::parse(written) {
                    Ok(proxy) => web.set(proxy),
                    Err(why) => file.record_error(item.span(), why),
                },
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &NETWORK);
                }
            }
        }
    }
    if file.errors.len() > before {
        **route = Some(Route::InvalidProxy(INVALID_TABLE.to_owned()));
    }
}

const INVALID_TABLE: &str = "there is a mistake in [network] of settings.toml";

/// The route if the user's settings.toml could not be read: no connections, unless the file certainly sets no proxy.
pub(super) fn route_if_unreadable(file_state: &UserFileState) -> Option<Route> {
    let why = match file_state {
        UserFileState::Read => return None,
        UserFileState::Ignored(octets) => {
            memchr::memmem::find(octets, b"proxy")?;
            "settings.toml speaks of a proxy, and could not be read"
        }
        UserFileState::Unreadable => "settings.toml, which may set a proxy, could not be read",
    };
    Some(Route::InvalidProxy(why.to_owned()))
}

/// Reads the commands for addresses. An empty list removes one.
fn open(file: &mut File<'_>, item: &Item, open: &mut Openers) {
    let Some(table) = item.as_table_like() else {
        return file.record_error(item.span(), "[open] is a table of commands".to_owned());
    };
    for (name, item) in table.iter() {
        let command_slot = match name {
            "telnet" => &mut open.telnet,
            "tn3270" => &mut open.tn3270,
            "http" => &mut open.http,
            "other" => &mut open.other,
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.record_unknown_key(key, &OPENED);
                }
                continue;
            }
        };
        if item.as_array().is_some_and(toml_edit::Array::is_empty) {
            *command_slot = None;
        } else if let Some(command) = file.command(item) {
            *command_slot = Some(command);
        }
    }
}

/// Reads the commands by MIME type.
fn view(file: &mut File<'_>, item: &Item, settings: &mut Settings, needs_terminal: bool) {
    let Some(table) = item.as_table_like() else {
        let sentence = "this is a table of MIME types and commands";
        return file.record_error(item.span(), sentence.to_owned());
    };
    for (pattern, item) in table.iter() {
        if let Some(command) = file.command(item) {
            settings.viewers.push(Entry {
                pattern: pattern.to_ascii_lowercase(),
                viewer: Ok(Viewer {
                    command,
                    needs_terminal,
                }),
            });
        }
    }
}

/// The news server: the one in the settings, else `$NNTPSERVER`, else the first line of `/etc/nntpserver` or
/// `/etc/news/server` that is not a comment. It is never guessed.
pub fn news_server(settings: &Settings, environment: &Environment) -> Option<NewsHost> {
    if settings.news_server.is_some() {
        return settings.news_server.clone();
    }
    if let Some(server) = environment.nntpserver.as_deref().and_then(NewsHost::parse) {
        return Some(server);
    }
    ["/etc/nntpserver", "/etc/news/server"]
        .into_iter()
        .find_map(|path| {
            let text = regular::read(Path::new(path), regular::BY_HAND).ok()?;
            let text = String::from_utf8(text).ok()?;
            let mut lines = text.lines().map(str::trim);
            NewsHost::parse(lines.find(|line| !line.is_empty() && !line.starts_with('#'))?)
        })
}
