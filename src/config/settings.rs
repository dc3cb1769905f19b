//! The file settings.toml.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use geomys_load::{NewsHost, PrivateHosts};
use geomys_page::document::picture::Protocol;
use geomys_store::bookmarks::archive::ArchiveTemplate;
use geomys_store::files::regular;
use geomys_store::files::session::SessionPolicy;
use geomys_store::transfer::download::TakenName;
use geomys_wire::net::{Route, parse_rate};
use geomys_wire::text::CharsetSetting;
use jiff::SignedDuration;
use rfc1738::{Dialect, mask, parse_or_repair};
use toml_edit::{Item, TableLike};

use super::environment::Environment;
use super::file::ConfigFile;
use super::file::Value::{
    Filled, Flag, Former, Mebibytes, Number, Other, Renamed, Table, Text, Texts,
};
use super::file::{Setting, Target, line_and_column, read_setting};
use super::nearest::unknown;
use super::set::span_of;
use super::{network, news, programs};
use crate::ui::theme::colours::Background;
use crate::ui::theme::depth::ColourDepth;
use geomys_app::dialogs::suggest::can_search;
use geomys_app::manual::setting_lines;
use geomys_app::settings::{Colours, GraphicsPolicy, Margins};
use geomys_app::theme::ThemeName;
use geomys_app::{SettingLine, Settings};

/// The settings outside of all tables, and the tables.
const SETTINGS: &[Setting] = &[
    ("news-server", Filled("a host", news_server_setting)),
    (
        "downloads",
        Text("a directory", |to, written| {
            to.settings.downloads = to.expand_home(written);
            Ok(())
        }),
    ),
    ("search-engine", Text("the URL of a search", search_engine)),
    ("archive-url", Text("the URL of an archive", archive_url)),
    ("home", Text("the URL of a page", home_page)),
    ("charset", Text("a charset", charset)),
    ("session", Text("restore, ask or new", session)),
    ("page-colours", Flag(page_colours)),
    ("mouse", Flag(|to, is_on| to.settings.mouse = is_on)),
    (
        "hyperlinks",
        Flag(|to, is_on| to.settings.hyperlinks = is_on),
    ),
    ("theme", Text("a theme", theme)),
    ("background", Text("a background", background)),
    ("colours", Text("a number of colours", colours)),
    ("ascii", Flag(|to, is_on| *to.ascii |= is_on)),
    ("reading", Table(READING)),
    ("pictures", Table(PICTURES)),
    ("bookmarks", Table(BOOKMARKS)),
    ("history", Other(history)),
    ("transfers", Table(TRANSFERS)),
    ("cache", Table(CACHE)),
    ("sync", Table(SYNC)),
    ("memory", Table(MEMORY)),
    ("network", Other(network::read)),
    ("timeouts", Table(TIMEOUTS)),
    ("archives", Other(archives)),
    ("gateways", Other(network::read_gateways)),
    ("ftp", Table(network::FTP)),
    ("news", Table(news::SETTINGS)),
    ("telnet", Table(network::TELNET)),
    ("mail", Table(news::MAIL)),
    ("open", Other(programs::open)),
    (
        "view",
        Other(|file, item, to| programs::view(file, item, to, false)),
    ),
    (
        "view-in-terminal",
        Other(|file, item, to| programs::view(file, item, to, true)),
    ),
];

const READING: &[Setting] = &[
    (
        "width",
        Number(0, 1000, |to, columns| {
            to.settings.reading.width = u16::try_from(columns).unwrap_or(u16::MAX);
        }),
    ),
    (
        "centred",
        Flag(|to, is_on| {
            to.settings.reading.margins = if is_on {
                Margins::Centred
            } else {
                Margins::Left
            };
        }),
    ),
];

const PICTURES: &[Setting] = &[
    (
        "show",
        Flag(|to, is_on| to.settings.pictures.are_shown = is_on),
    ),
    (
        "graphics",
        Text("ask, kitty, iterm2, sixel or half-blocks", graphics),
    ),
];

const BOOKMARKS: &[Setting] = &[
    (
        "inbox",
        Text("a folder", |to, folder| {
            folder.clone_into(&mut to.settings.inbox);
            Ok(())
        }),
    ),
    ("follow", Flag(|to, is_on| to.settings.follow = is_on)),
    ("watch", Renamed("follow")),
];

const HISTORY: &[Setting] = &[
    (
        "size",
        Number(1, 1_000_000, |to, number| {
            to.settings.history.size = number as usize;
        }),
    ),
    (
        "days",
        Number(0, 36500, |to, days| to.settings.history.days = days),
    ),
    ("except", Texts("a list of hosts", excluded_hosts)),
];

const TRANSFERS: &[Setting] = &[
    (
        "at-once",
        Number(1, 64, |to, number| {
            to.settings.transfers.at_once = number as usize;
        }),
    ),
    (
        "at-once-per-host",
        Number(1, 64, |to, number| {
            to.settings.transfers.at_once_per_host = number as usize;
        }),
    ),
    (
        "existing",
        Text("rename, skip, resume or overwrite", existing),
    ),
    ("rate-limit", Text("a rate", rate_limit)),
    (
        "tries",
        Former("retry-hours bounds the retries", |to, item| {
            if item.as_integer() == Some(0) {
                to.settings.transfers.retries.max_elapsed = Duration::ZERO;
            }
        }),
    ),
    (
        "retry-delay",
        Former("retry-hours bounds the retries", |_, _| {}),
    ),
    (
        "retry-hours",
        Number(0, 8760, |to, hours| {
            to.settings.transfers.retries.max_elapsed = Duration::from_hours(hours.into());
        }),
    ),
];

const CACHE: &[Setting] = &[
    (
        "size",
        Mebibytes(0, |to, size| to.settings.cache.size = size),
    ),
    (
        "page",
        Mebibytes(0, |to, size| to.settings.cache.page = size),
    ),
    (
        "kept",
        Mebibytes(1, |to, size| to.settings.cache.saved = size),
    ),
    ("saved", Renamed("kept")),
    (
        "days",
        Number(0, 36500, |to, days| {
            let age = SignedDuration::from_hours(24 * i64::from(days));
            to.settings.cache.age = (days > 0).then_some(age);
        }),
    ),
];

const SYNC: &[Setting] = &[
    (
        "size",
        Mebibytes(1, |to, size| to.settings.sync_size = size),
    ),
    (
        "unread",
        Mebibytes(1, |to, size| to.settings.cache.synced = size),
    ),
    ("keep", Renamed("unread")),
    (
        "reserve",
        Mebibytes(0, |to, size| to.settings.sync_reserve = size),
    ),
];

const MEMORY: &[Setting] = &[
    (
        "page",
        Mebibytes(1, |to, size| to.settings.memory.page = size),
    ),
    (
        "pages",
        Mebibytes(1, |to, size| to.settings.memory.pages = size),
    ),
];

const TIMEOUTS: &[Setting] = &[
    (
        "connect",
        Number(1, 600, |to, seconds| {
            to.settings.timeouts.connect = Duration::from_secs(seconds.into());
        }),
    ),
    (
        "idle",
        Number(1, 3600, |to, seconds| {
            to.settings.timeouts.idle = Duration::from_secs(seconds.into());
        }),
    ),
];

pub(super) fn read(file: &mut ConfigFile<'_>, mut to: Target<'_>) {
    let table = file.table;
    for (name, item) in table.iter() {
        read_setting(SETTINGS, file, table, (name, item), &mut to);
        if network::SETTINGS
            .iter()
            .any(|(setting, _)| *setting == name)
        {
            let why = format!("in settings.toml, {name} stands outside of [network]");
            *to.route = Some(Route::InvalidProxy(why));
        }
    }
    // The list of servers may precede the settings for these servers.
    let news = to.news();
    let mut servers = std::mem::take(&mut news.servers);
    for server in &mut servers {
        server.upgrade = news.upgrade(&server.host);
    }
    news.servers = servers;
    // The server may follow the newsrc file in settings.toml.
    let newsrcs = std::mem::take(&mut to.newsrcs);
    let owned = news::owned(file, newsrcs, &to);
    to.settings.newsrcs.named = owned;
}

/// Returns all settings with their default values.
pub(super) fn default_lines() -> Vec<SettingLine> {
    let lines = setting_lines().into_iter();
    let line = |(name, value)| SettingLine {
        name,
        value,
        source: None,
        line: None,
    };
    lines.map(line).collect()
}

/// Returns all settings with their values: those of the file, then the others with their defaults.
pub(super) fn lines(file: &ConfigFile<'_>) -> Vec<SettingLine> {
    let mut lines = default_lines();
    let tables = file.table.iter().filter_map(|(name, item)| {
        let table = item.as_table_like()?;
        Some(table.iter().map(move |(key, _)| format!("{name}.{key}")))
    });
    let keys = file.table.iter().map(|(name, _)| name.to_owned());
    for name in keys.chain(tables.flatten()) {
        let Some(span) = span_of(file.table, &name) else {
            continue;
        };
        let (row, _) = line_and_column(file.text, span.start);
        let value = file.text.get(span).unwrap_or_default();
        let line = SettingLine {
            value: mask(&value.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned(),
            source: Some(format!("settings.toml:{row}")),
            line: Some(row),
            name,
        };
        match lines.iter_mut().find(|known| known.name == line.name) {
            Some(known) => *known = line,
            None => lines.push(line),
        }
    }
    lines
}

/// Returns true for a setting that the running program does not read again.
pub fn is_read_at_start(name: &str) -> bool {
    let table = name.split('.').next().unwrap_or_default();
    matches!(table, "network" | "timeouts" | "cache" | "memory" | "mouse")
}

fn news_server_setting(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    let server = NewsHost::parse(written)
        .ok_or_else(|| format!("not a server: “{written}”; {}", NewsHost::EXPECTED))?;
    to.settings.news_server = Some(server);
    Ok(())
}

/// Reads the most octets a second of all transfers, or "" for no limit.
fn rate_limit(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    let rate = parse_rate(written);
    if rate.is_none() && !matches!(written, "" | "0") {
        return Err(format!(
            "expected bytes per second, like 500k or 2M, not “{written}”"
        ));
    }
    to.settings.transfers.rate = rate;
    Ok(())
}

/// Reads the URL of a search, or "" for none.
fn search_engine(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.search_engine = match written {
        "" => None,
        _ => {
            let url = Dialect::Extended.parse(written).ok().filter(can_search);
            Some(url.ok_or_else(|| {
                format!(
                    "expected the URL of a search (gopher://host/7/search), not “{}”",
                    mask(written)
                )
            })?)
        }
    };
    Ok(())
}

/// Reads the URL of a page at an archive, or "" for none.
fn archive_url(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.archives.web = match written {
        "" => None,
        _ => Some(archive_template(written)?),
    };
    Ok(())
}

fn archive_template(written: &str) -> Result<ArchiveTemplate, String> {
    ArchiveTemplate::parse(written).ok_or_else(|| {
        format!(
            "expected the URL of an archive (https://web.archive.org/web/{{date}}/{{url}}), not “{}”",
            mask(written)
        )
    })
}

/// Reads the archives of single schemes.
fn archives(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let table = file.table(item, "expected a table: [archives]");
    for (scheme, item) in table.into_iter().flat_map(TableLike::iter) {
        let Some(written) = file.string(item, "the URL of an archive") else {
            continue;
        };
        match archive_template(written) {
            Ok(template) => {
                let scheme = scheme.to_ascii_lowercase();
                to.settings.archives.schemes.insert(scheme, template);
            }
            Err(why) => file.record_error(item.span(), why),
        }
    }
}

/// Reads the URL of the page in place of the home page, or "" for none.
fn home_page(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.home_page = match written {
        "" => None,
        _ => {
            let url = parse_or_repair(written);
            let expected = || format!("expected the URL of a page, not “{}”", mask(written));
            Some(url.map_err(|_| expected())?)
        }
    };
    Ok(())
}

fn charset(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.charset = CharsetSetting::named(written)
        .ok_or_else(|| format!("unknown charset “{written}”; use auto or a name as koi8-r"))?;
    Ok(())
}

fn theme(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    let names = ThemeName::ALL.map(ThemeName::name);
    to.settings.theme =
        ThemeName::named(written).ok_or_else(|| unknown("theme", written, &names))?;
    Ok(())
}

fn colours(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    *to.depth = match written {
        "auto" => None,
        _ => {
            let depth = ColourDepth::named(written);
            let [none, sixteen, table, all] = ColourDepth::NAMES;
            let names = ["auto", none, sixteen, table, all];
            Some(depth.ok_or_else(|| unknown("number of colours", written, &names))?)
        }
    };
    Ok(())
}

fn background(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    *to.background = match written {
        "auto" => None,
        "dark" => Some(Background::Dark),
        "light" => Some(Background::Light),
        _ => return Err(unknown("background", written, &["auto", "dark", "light"])),
    };
    Ok(())
}

fn session(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.session = SessionPolicy::named(written)
        .ok_or_else(|| unknown("session", written, &["restore", "ask", "new"]))?;
    Ok(())
}

fn graphics(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.pictures.graphics = match written {
        "ask" => GraphicsPolicy::Ask,
        "kitty" => GraphicsPolicy::Fixed(Protocol::Kitty),
        "iterm2" => GraphicsPolicy::Fixed(Protocol::Iterm2),
        "sixel" => GraphicsPolicy::Fixed(Protocol::Sixel),
        "half-blocks" => GraphicsPolicy::HalfBlocks,
        _ => {
            let known = ["ask", "kitty", "iterm2", "sixel", "half-blocks"];
            return Err(unknown("graphics", written, &known));
        }
    };
    Ok(())
}

fn existing(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    let known = ["rename", "skip", "resume", "overwrite"];
    to.settings.taken_name =
        TakenName::named(written).ok_or_else(|| unknown("choice", written, &known))?;
    Ok(())
}

fn page_colours(to: &mut Target<'_>, is_on: bool) {
    to.settings.colours = if is_on {
        Colours::Shown
    } else {
        Colours::Hidden
    };
}

/// Reads `history = false`, or the table `[history]`.
fn history(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    match item.as_bool() {
        Some(is_on) => to.settings.history.is_on = is_on,
        None => {
            let before = file.errors.len();
            Table(HISTORY).read("history", file, item, to);
            // A mistake may be in the list of exceptions, or in its name; without it pages would be stored that are in
            // it.
            if file.errors.len() > before {
                to.settings.history.except = Arc::new(PrivateHosts::unreadable());
            }
        }
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature of the settings with lists"
)]
fn excluded_hosts(to: &mut Target<'_>, hosts: Vec<String>) -> Result<(), String> {
    let mut list = PrivateHosts::default();
    let added = hosts.iter().map(|host| list.add(host));
    added.collect::<Result<Vec<()>, _>>()?;
    to.settings.history.except = Arc::new(list);
    Ok(())
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
