//! settings.toml.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toml_edit::Item;

use super::{Environment, File, Users, ftp, gateways, news, newsrc};
use crate::app::outside::Openers;
use crate::app::page::Colours;
use crate::app::transfers::Rules;
use crate::app::{Memory, Settings};
use crate::files::mailcap::{Entry, Viewer};
use crate::files::regular;
use crate::load::NewsHost;
use crate::net::{Route, WebProxies, WebProxy};
use crate::text::ReadAs;

const KNOWN: [&str; 17] = [
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

/// Transfers that may run at once, and tries in a row, at most.
const AT_ONCE: i64 = 64;
const TRIES: i64 = 1000;

const CACHE: [&str; 1] = ["size"];

const MEMORY: [&str; 2] = ["page", "pages"];

/// MiB that pages may take on the disk or in memory, at most.
const MEBIBYTES: i64 = 1024 * 1024;

const NETWORK: [&str; 2] = ["proxy", "http-proxy"];

/// How hosts are reached, and pages of the Web.
pub(super) type Ways<'a> = (&'a mut Option<Route>, &'a mut WebProxies);

pub(super) fn read(
    file: &mut File<'_>,
    settings: &mut Settings,
    ascii: &mut bool,
    ways: &mut Ways<'_>,
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
                        file.mistake(item.span(), sentence);
                    }
                },
            },
            "downloads" => {
                if let Some(written) = file.string(item, "a directory") {
                    settings.downloads = at_home(written, settings);
                }
            }
            "charset" => {
                if let Some(written) = file.string(item, "a charset") {
                    match ReadAs::named(written) {
                        Some(read_as) => settings.charset = read_as,
                        None => {
                            let sentence = format!(
                                "“{written}” is no charset; it is auto, cp437 or a name of the WHATWG list, as \
                                 in iso-8859-1, koi8-r, shift_jis, gb18030"
                            );
                            file.mistake(item.span(), sentence);
                        }
                    }
                }
            }
            "page-colours" => match item.as_bool() {
                Some(true) => settings.colours = Colours::Shown,
                Some(false) => settings.colours = Colours::Hidden,
                None => file.mistake(item.span(), "true or false is wanted here".to_owned()),
            },
            "ascii" => match item.as_bool() {
                Some(wanted) => *ascii |= wanted,
                None => file.mistake(item.span(), "true or false is wanted here".to_owned()),
            },
            "bookmarks" => bookmarks(file, item, settings),
            "transfers" => transfers(file, item, &mut settings.transfers),
            "cache" => cache(file, item, &mut settings.cache),
            "memory" => memory(file, item, &mut settings.memory),
            "network" => network(file, item, ways),
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
                    file.unknown(key, &KNOWN);
                }
                if NETWORK.contains(&name) {
                    let why = format!("in settings.toml, {name} stands outside of [network]");
                    *ways.0 = Some(Route::Shut(why));
                }
            }
        }
    }
    // The server may stand below the file.
    settings.newsrcs.named =
        newsrc::owned(file, newsrcs, settings.news_server.as_ref(), |written| {
            at_home(written, settings)
        });
}

/// A path, where `~/` is the home directory.
fn at_home(written: &str, settings: &Settings) -> PathBuf {
    match (written.strip_prefix("~/"), &settings.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(written),
    }
}

/// The table `[bookmarks]`.
fn bookmarks(file: &mut File<'_>, item: &Item, settings: &mut Settings) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(
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
                None => file.mistake(item.span(), "true or false is wanted here".to_owned()),
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &BOOKMARKS);
                }
            }
        }
    }
}

/// The table `[transfers]`.
fn transfers(file: &mut File<'_>, item: &Item, rules: &mut Rules) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(
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
                    file.unknown(key, &TRANSFERS);
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
                file.mistake(item.span(), sentence);
            }
        }
    }
}

/// The table `[cache]`.
fn cache(file: &mut File<'_>, item: &Item, octets: &mut u64) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(item.span(), "a table is wanted here: [cache]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "size" => mebibytes(file, item, 0, octets),
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &CACHE);
                }
            }
        }
    }
}

/// The table `[memory]`.
fn memory(file: &mut File<'_>, item: &Item, memory: &mut Memory) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(item.span(), "a table is wanted here: [memory]".to_owned());
    };
    for (name, item) in table.iter() {
        match name {
            "page" => mebibytes(file, item, 1, &mut memory.page),
            "pages" => mebibytes(file, item, 1, &mut memory.pages),
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &MEMORY);
                }
            }
        }
    }
}

/// A number of MiB, as octets.
fn mebibytes(file: &mut File<'_>, item: &Item, least: i64, octets: &mut u64) {
    let size = item.as_integer();
    let size = size.filter(|size| (least..=MEBIBYTES).contains(size));
    match size.and_then(|size| u64::try_from(size).ok()) {
        Some(size) => *octets = size << 20,
        None => {
            let sentence = format!("a number of MiB from {least} to {MEBIBYTES} is wanted here");
            file.mistake(item.span(), sentence);
        }
    }
}

/// The table `[network]`. A mistake in it shuts the way out: whoever wants a proxy wants nothing to go around it.
fn network(file: &mut File<'_>, item: &Item, (route, web): &mut Ways<'_>) {
    let before = file.mistakes.len();
    let Some(table) = item.as_table_like() else {
        file.mistake(item.span(), "a table is wanted here: [network]".to_owned());
        **route = Some(Route::Shut(MISTAKEN.to_owned()));
        return;
    };
    for (name, item) in table.iter() {
        match name {
            "proxy" => match file.string(item, "a proxy") {
                Some("") | None => {}
                Some(written) => {
                    let by = Route::by(written);
                    if let Route::Shut(why) = &by {
                        file.mistake(item.span(), why.clone());
                    }
                    **route = Some(by);
                }
            },
            "http-proxy" => match file.string(item, "a proxy") {
                Some("") | None => {}
                Some(written) => match WebProxy::parse(written) {
                    Ok(proxy) => web.set(proxy),
                    Err(why) => file.mistake(item.span(), why),
                },
            },
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &NETWORK);
                }
            }
        }
    }
    if file.mistakes.len() > before {
        **route = Some(Route::Shut(MISTAKEN.to_owned()));
    }
}

const MISTAKEN: &str = "there is a mistake in [network] of settings.toml";

/// The route that is left when the user's settings.toml could not be read: none, unless it surely sets no proxy.
pub(super) fn shut(users: &Users) -> Option<Route> {
    let why = match users {
        Users::Read => return None,
        Users::PassedOver(octets) => {
            memchr::memmem::find(octets, b"proxy")?;
            "settings.toml speaks of a proxy, and could not be read"
        }
        Users::Unreadable => "settings.toml, which may set a proxy, could not be read",
    };
    Some(Route::Shut(why.to_owned()))
}

/// Commands for addresses; an empty one is none.
fn open(file: &mut File<'_>, item: &Item, open: &mut Openers) {
    let Some(table) = item.as_table_like() else {
        return file.mistake(item.span(), "[open] is a table of commands".to_owned());
    };
    for (name, item) in table.iter() {
        let place = match name {
            "telnet" => &mut open.telnet,
            "tn3270" => &mut open.tn3270,
            "http" => &mut open.http,
            "other" => &mut open.other,
            _ => {
                if let Some((key, _)) = table.get_key_value(name) {
                    file.unknown(key, &OPENED);
                }
                continue;
            }
        };
        if item.as_array().is_some_and(toml_edit::Array::is_empty) {
            *place = None;
        } else if let Some(command) = file.command(item) {
            *place = Some(command);
        }
    }
}

/// Commands by MIME type.
fn view(file: &mut File<'_>, item: &Item, settings: &mut Settings, needs_terminal: bool) {
    let Some(table) = item.as_table_like() else {
        let sentence = "this is a table of MIME types and commands";
        return file.mistake(item.span(), sentence.to_owned());
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

/// The news server: the one that was set, else `$NNTPSERVER`, else the first line that is no comment of
/// `/etc/nntpserver`, else of `/etc/news/server`. Never a guess.
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
