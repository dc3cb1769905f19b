//! The network, its limits and the page cache, as they are configured: the tables `[network]`, `[ftp]`, `[telnet]` and
//! `[gateways]` of settings.toml, and the TLS upgrades of plain connections.
//!
//! A mistake in TLS selects the safest setting, so that no password is sent without it.

use std::sync::Arc;

use geomys_load::{TelnetSettings, TlsUpgrade};
use geomys_store::files::cache::Cache;
use geomys_store::files::tls_offers::OfferFile;
use geomys_store::files::trust::PinFile;
use geomys_wire::net::{Limits, Net, Route, WebProxy};
use toml_edit::{Item, TableLike};

use super::file::Value::{Filled, Flag, Other, Table, Text};
use super::file::{ConfigFile, UserFileState};
use super::file::{Setting, Target};
use super::{Config, UserPaths};

pub(super) const SETTINGS: &[Setting] = &[
    ("proxy", Filled("a proxy", proxy)),
    ("http-proxy", Filled("a proxy", http_proxy)),
    ("cookies", Text("session or off", cookies)),
];

/// Reads the table `[network]`. A mistake in it disables all connections, because the user may want a proxy that
/// nothing bypasses.
pub(super) fn read(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let before = file.errors.len();
    Table(SETTINGS).read("network", file, item, to);
    if file.errors.len() > before {
        let why = "there is a mistake in [network] of settings.toml";
        *to.route = Some(Route::InvalidProxy(why.to_owned()));
    }
}

fn proxy(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    match Route::from_setting(written) {
        Route::InvalidProxy(why) => Err(why),
        route => {
            *to.route = Some(route);
            Ok(())
        }
    }
}

fn http_proxy(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.web.set(WebProxy::parse(written)?);
    Ok(())
}

fn cookies(to: &mut Target<'_>, written: &str) -> Result<(), String> {
    to.settings.cookies = match written {
        "session" => true,
        "off" => false,
        _ => return Err(format!("“{written}” is neither session nor off")),
    };
    Ok(())
}

/// The route if the user's settings.toml could not be read: no connections, unless the file certainly sets no proxy.
pub(super) fn route_if_unreadable(file_state: &UserFileState) -> Option<Route> {
    if !file_state.may_speak_of(b"proxy") {
        return None;
    }
    let why = match file_state {
        UserFileState::Ignored(_) => "settings.toml speaks of a proxy, and could not be read",
        UserFileState::Read | UserFileState::Unreadable => {
            "settings.toml, which may set a proxy, could not be read"
        }
    };
    Some(Route::InvalidProxy(why.to_owned()))
}

impl Config {
    /// Returns the configured limits.
    pub fn limits(&self) -> Limits {
        let (memory, timeouts) = (self.settings.memory, self.settings.timeouts);
        let defaults = Limits::default();
        Limits {
            page: memory.page,
            list: defaults.list.max(memory.page),
            connect: timeouts.connect,
            idle: timeouts.idle,
            ..defaults
        }
    }

    /// Returns the network with the configured limits and proxies, and the user's files for TLS.
    pub fn net(&self, paths: &UserPaths) -> Net {
        let net = Net::new(self.limits())
            .with_route(self.route.clone())
            .with_web_proxies(self.web.clone())
            .with_offer_store(Arc::new(OfferFile::new(paths.offered())))
            .with_pin_store(Arc::new(PinFile::new(paths.trust())))
            .with_identity_store(Arc::new(paths.identities()));
        net.set_offline(self.settings.offline);
        net.set_rate_limit(self.settings.transfers.rate);
        net
    }

    /// Returns the page cache.
    pub fn cache(&self, paths: &UserPaths) -> Cache {
        Cache::new(paths.cache.clone(), self.settings.cache)
            .with_saved(paths.saved_pages())
            .with_synced(paths.synced_pages())
    }
}

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

pub(super) const TELNET: &[Setting] = &[(
    "terminal",
    Text("a terminal type", |to, written| {
        if !TelnetSettings::is_terminal_name(written) {
            return Err(format!(
                "invalid terminal type “{written}”; use letters, digits and + - . / _, at most 40"
            ));
        }
        written.clone_into(&mut Arc::make_mut(&mut to.settings.telnet).terminal);
        Ok(())
    }),
)];

/// Reads the gateways by scheme.
pub(super) fn read_gateways(file: &mut ConfigFile<'_>, item: &Item, to: &mut Target<'_>) {
    let table = file.table(item, "expected a table: [gateways]");
    let gateways = Arc::make_mut(&mut to.settings.gateways);
    for (scheme, item) in table.into_iter().flat_map(TableLike::iter) {
        if let Some(written) = file.string(item, "the address of a gateway")
            && let Err(why) = gateways.set(scheme, written)
        {
            file.record_error(item.span(), why);
        }
    }
}

pub(super) const FTP: &[Setting] = &[
    (
        "anonymous-password",
        Text("a password", |to, password| {
            to.ftp().anonymous_password = password.as_bytes().to_vec();
            Ok(())
        }),
    ),
    (
        "tls",
        Other(|file, item, to| to.ftp().tls = upgrade(file, item)),
    ),
    (
        "tls-by-host",
        Other(|file, item, to| {
            let ftp = to.ftp();
            by_host(file, item, &mut ftp.tls, &mut ftp.tls_by_host);
        }),
    ),
    ("active", Flag(|to, is_on| to.ftp().active = is_on)),
];
