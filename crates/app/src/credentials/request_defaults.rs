//! Request defaults: the news server, the login, the certificate trust and the charset that requests get without a
//! question.

use std::sync::Arc;

use geomys_load::{Caution, Login, Namer, PlainLoginConsent, Request};
use geomys_store::files::trust::Pins;
use geomys_wire::net::Trust;
use geomys_wire::text::CharsetSetting;
use rfc1738::{Encoded, Parts, Scheme};

use crate::name::host_of;
use crate::{Credentials, Settings};

/// A copy of the request defaults for a separate task.
#[derive(Clone, Debug)]
pub struct RequestDefaults {
    settings: Settings,
    credentials: Credentials,
}

impl RequestDefaults {
    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Sets the defaults in a request.
    pub fn apply(&self, request: &mut Request) {
        self.credentials.apply_defaults(request, &self.settings);
    }
}

/// Returns the host that led to a URL, or may redirect it: that of the page that named it, else its own; `None` if that
/// page is not known.
pub(crate) fn naming_host(request: &Request) -> Option<String> {
    match request.reason.namer() {
        Namer::User => host_of(&request.url),
        Namer::Page(page) => host_of(&page),
        Namer::Unknown => None,
    }
}

impl Credentials {
    /// Returns the credentials before any question was answered: only accepted certificates.
    pub fn of_pins(pins: Pins) -> Self {
        Self {
            pins,
            ..Self::default()
        }
    }

    /// Returns a copy of the request defaults for a separate task.
    pub fn request_defaults(&self, settings: &Settings) -> RequestDefaults {
        RequestDefaults {
            settings: settings.clone(),
            credentials: self.clone(),
        }
    }

    /// Sets the defaults in a request: the news server, the login, the certificate trust. The browser and every
    /// subcommand set them in this one place.
    pub fn apply_defaults(&self, request: &mut Request, settings: &Settings) {
        if request.news_query.server.is_none() {
            request.news_query.server.clone_from(&settings.news_server);
        }
        if request.name_hints.charset == CharsetSetting::Detected {
            request.name_hints.charset = settings.charset;
        }
        request.settings.gateways = Arc::clone(&settings.gateways);
        request.settings.archives = Arc::clone(&self.archives);
        request.settings.private_hosts = Arc::clone(&settings.history.except);
        if request.login.is_none() {
            let from_netrc = || settings.netrc.login_for(request);
            request.login = self.login_for(request).or_else(from_netrc);
        }
        request.settings.ftp = Arc::clone(&settings.ftp);
        request.settings.news = Arc::clone(&settings.news);
        request.settings.telnet = Arc::clone(&settings.telnet);
        self.apply_news_login(request, settings);
        request.trust = self.trust_for(request);
        let authority = request.tls_authority();
        if let Some(authority) = &authority {
            if self.plain_logins.contains(authority) {
                request.consents.plain_login = PlainLoginConsent::Accepted;
            }
            request.consents.active |= self.active_hosts.contains(authority);
        }
        if host_of(&request.requested_url())
            .is_some_and(|host| self.accepted_hazards.contains(&host))
        {
            request.consents.caution = Caution::Confirmed;
        }
        let host = naming_host(request);
        for (_, authority) in self.accepted_local.iter().filter(|(by, _)| *by == host) {
            request.consents.local.accept(authority);
        }
    }

    /// Sets the logins and the trust of the additional servers from which an article may be requested.
    fn apply_news_login(&self, request: &mut Request, settings: &Settings) {
        if request.settings.news.servers.is_empty()
            || !matches!(request.url.base_parts(), Parts::News(_))
        {
            return;
        }
        for server in &mut Arc::make_mut(&mut request.settings.news).servers {
            let login_scope = server.login_scope();
            let accepted = self.logins.iter().find(|(scope, _)| *scope == login_scope);
            let from_netrc = || settings.netrc.host_login(&server.host);
            server.login = accepted.map(|(_, login)| login.clone()).or_else(from_netrc);
            server.trust = self.trust_at(&server.tls_authority());
        }
    }

    /// Returns the login that was accepted for the login scope of a request, if its URL does not name another user.
    fn login_for(&self, request: &Request) -> Option<Login> {
        let login_scope = request.login_scope()?;
        let url = request.requested_url();
        let parts = url.rfc1738_parts();
        let named = parts
            .login()
            .and_then(|login| login.user)
            .map(Encoded::octets);
        // Without a user an ftp URL is anonymous (RFC 1738, section 3.2.1); news has no user in its URLs.
        if named.is_none() && parts.scheme() == Scheme::Ftp {
            return None;
        }
        let accepted = self.logins.iter().find(|(scope, login)| {
            *scope == login_scope
                && named
                    .as_deref()
                    .is_none_or(|user| user == login.user.as_bytes())
        });
        accepted.map(|(_, login)| login.clone())
    }

    /// Returns the certificate trust for a request's server.
    pub(crate) fn trust_for(&self, request: &Request) -> Trust {
        let authority = request.tls_authority();
        authority.map_or_else(Trust::default, |authority| self.trust_at(&authority))
    }

    /// Returns the certificate trust for an authority (`host:port`).
    fn trust_at(&self, authority: &str) -> Trust {
        let once = self
            .trusted_once
            .iter()
            .find(|(trusted, _)| trusted == authority);
        Trust {
            pin: self.pins.of(authority).cloned(),
            once: once.map(|(_, fingerprint)| *fingerprint),
            ..Trust::default()
        }
    }
}
