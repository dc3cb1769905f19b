//! The TLS port of a Gopher server: its menus may name its own items at the port of plain Gopher, as a row has no field
//! for TLS. `ServerTLSPort` of its caps.txt says that both ports are one server's. The file is requested when the user
//! first opens such an item from a page over TLS, and once per session.

use std::collections::HashMap;

use geomys_load::{HostRules, Request};
use geomys_wire::text::Text;
use rfc1738::{Dialect, Parts, Scheme, Url};

use crate::tabs::go_up::caps_of_server;
use crate::tabs::message::RulesUse;
use crate::{Context, Credentials, OpenIn, TabsEffect};

/// The selector rules (caps.txt) of the servers that were queried; `None` for a server without rules.
#[derive(Debug, Default)]
pub(crate) struct SelectorRules(pub(super) HashMap<String, Option<HostRules>>);

impl SelectorRules {
    /// Requests the rules of the shown page's server if they decide whether this item of it is requested over TLS, and
    /// are unknown. Returns false if they do not: then the item can be opened at once.
    pub(crate) fn request_tls_port(
        &self,
        page: Option<&Url>,
        item: &Request,
        title: &Text,
        open_in: OpenIn,
        credentials: &Credentials,
        cx: &mut Context,
    ) -> bool {
        let page = page.filter(|page| is_at_plain_port(&item.url, page));
        let Some((page, (host, caps))) = page.and_then(|page| Some((page, caps_of_server(page)?)))
        else {
            return false;
        };
        if self.0.contains_key(&host) {
            return false;
        }
        cx.notify("Requesting the TLS port of the server");
        let mut request = Request::show(caps, item.reason.clone());
        credentials.apply_defaults(&mut request, &cx.settings);
        let usage = RulesUse::Open(Box::new(item.clone()), title.clone(), open_in);
        let request = Box::new(request);
        cx.emit(TabsEffect::Rules(page.clone(), host, request, usage));
        true
    }

    /// Returns the URL of an item on a page over TLS, if its server says that it answers there. Any other URL is
    /// returned unchanged.
    pub(crate) fn at_tls_port(&self, url: Url, page: &Url) -> Url {
        let over_tls = || {
            if !is_at_plain_port(&url, page) {
                return None;
            }
            let (host, _) = caps_of_server(page)?;
            let port = self.0.get(&host)?.as_ref()?.tls_port()?;
            if page.base_parts().address()?.port() != port {
                return None;
            }
            let root = page.root()?;
            Dialect::Extended
                .parse(&format!("{root}{}", url.path().unwrap_or_default()))
                .ok()
        };
        over_tls().unwrap_or(url)
    }
}

/// Returns true for an item at the port of plain Gopher, on the host of a page that came over TLS from another port.
fn is_at_plain_port(item: &Url, page: &Url) -> bool {
    let (Parts::Gopher(there), Parts::Gopher(here)) = (item.base_parts(), page.base_parts()) else {
        return false;
    };
    let port = Scheme::Gopher.default_port();
    let is_same_host = here
        .address
        .node()
        .eq_ignore_ascii_case(there.address.node());
    let is_plain_port = there.address.known_port() == port && here.address.known_port() != port;
    page.is_tls() && !item.is_tls() && is_same_host && is_plain_port
}
