//! The network, its limits and the page cache, as they are configured; the table `[network]` of settings.toml.

use std::sync::Arc;

use geomys_store::files::cache::Cache;
use geomys_store::files::tls_offers::OfferFile;
use geomys_store::files::trust::PinFile;
use geomys_wire::net::{Limits, Net, Route, WebProxy};
use toml_edit::Item;

use super::file::{ConfigFile, UserFileState};
use super::value::Value::{Filled, Table};
use super::value::{Setting, Target};
use super::{Config, UserPaths};

pub(super) const SETTINGS: &[Setting] = &[
    ("proxy", Filled("a proxy", proxy)),
    ("http-proxy", Filled("a proxy", http_proxy)),
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
        net
    }

    /// Returns the page cache.
    pub fn cache(&self, paths: &UserPaths) -> Cache {
        Cache::new(paths.cache.clone(), self.settings.cache).with_saved(paths.saved_pages())
    }
}
