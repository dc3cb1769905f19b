//! What is put into a request without asking: a news server, a name and a password, what is known of a certificate.

use std::sync::Arc;

use super::name::host_of;
use super::{App, Settings};
use crate::files::trust::Pins;
use crate::load::{Caution, Login, PlainLogin, Request};
use crate::net::{Fingerprint, Trust};
use crate::url::{Encoded, Parts, Scheme};

/// What requests are completed from.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    settings: &'a Settings,
    logins: &'a [(String, Login)],
    pins: &'a Pins,
    trusted_once: &'a [(String, Fingerprint)],
    plain_logins: &'a [String],
    accepted_hazards: &'a [String],
}

/// The same, for a task of its own.
#[derive(Clone, Debug)]
pub struct Complete {
    settings: Settings,
    logins: Vec<(String, Login)>,
    pins: Pins,
    trusted_once: Vec<(String, Fingerprint)>,
    plain_logins: Vec<String>,
    accepted_hazards: Vec<String>,
}

impl Complete {
    /// Puts in what is known.
    pub fn complete(&self, request: &mut Request) {
        let known = Known {
            settings: &self.settings,
            logins: &self.logins,
            pins: &self.pins,
            trusted_once: &self.trusted_once,
            plain_logins: &self.plain_logins,
            accepted_hazards: &self.accepted_hazards,
        };
        known.complete(request);
    }
}

impl Known<'_> {
    fn complete(self, request: &mut Request) {
        if request.news_server.is_none() {
            request.news_server.clone_from(&self.settings.news_server);
        }
        request.gateways = Arc::clone(&self.settings.gateways);
        if request.login.is_none() {
            let kept = || self.settings.netrc.login_for(request);
            request.login = self.login_for(request).or_else(kept);
        }
        request.ftp = Arc::clone(&self.settings.ftp);
        request.news = Arc::clone(&self.settings.news);
        self.apply_news_login(request);
        request.trust = self.trust_for(request);
        let place = request.certificate_place();
        if place.is_some_and(|place| self.plain_logins.contains(&place)) {
            request.plain_login = PlainLogin::Accepted;
        }
        if host_of(&request.asked()).is_some_and(|host| self.accepted_hazards.contains(&host)) {
            request.caution = Caution::Warned;
        }
    }

    /// Puts in what is known of the servers that an article is asked of as well.
    fn apply_news_login(self, request: &mut Request) {
        if request.news.servers.is_empty() || !matches!(request.url.reading(), Parts::News(_)) {
            return;
        }
        for server in &mut Arc::make_mut(&mut request.news).servers {
            let place = server.place();
            let known = self.logins.iter().find(|(known, _)| *known == place);
            let kept = || self.settings.netrc.member(&server.host);
            server.login = known.map(|(_, login)| login.clone()).or_else(kept);
            server.trust = self.trust_at(&server.certificate_place());
        }
    }

    /// The name and password that were given for the place of a request, when its URL names nobody else.
    fn login_for(self, request: &Request) -> Option<Login> {
        let place = request.place()?;
        let url = request.asked();
        let parts = url.parts();
        let named = parts
            .login()
            .and_then(|login| login.user)
            .map(Encoded::octets);
        // Without a user an ftp URL is anonymous (RFC 1738, section 3.2.1); news has no user in its URLs.
        if named.is_none() && parts.scheme() == Scheme::Ftp {
            return None;
        }
        let known = self.logins.iter().find(|(known, login)| {
            *known == place
                && named
                    .as_deref()
                    .is_none_or(|user| user == login.user.as_bytes())
        });
        known.map(|(_, login)| login.clone())
    }

    /// What is known of the certificate that a request will meet.
    fn trust_for(self, request: &Request) -> Trust {
        let place = request.certificate_place();
        place.map_or_else(Trust::default, |place| self.trust_at(&place))
    }

    /// What is known of the certificate of a host and port.
    fn trust_at(self, place: &str) -> Trust {
        let once = self.trusted_once.iter().find(|(known, _)| known == place);
        Trust {
            pin: self.pins.of(place).cloned(),
            once: once.map(|(_, fingerprint)| *fingerprint),
        }
    }
}

impl App {
    fn known(&self) -> Known<'_> {
        Known {
            settings: &self.settings,
            logins: &self.logins,
            pins: &self.pins,
            trusted_once: &self.trusted_once,
            plain_logins: &self.plain_logins,
            accepted_hazards: &self.accepted_hazards,
        }
    }

    /// Puts into a request what is known without asking: the news server, a name and a password, a certificate.
    pub(super) fn complete(&self, request: &mut Request) {
        self.known().complete(request);
    }

    /// What is known of the certificate that a request will meet.
    pub(super) fn trust_for(&self, request: &Request) -> Trust {
        self.known().trust_for(request)
    }

    /// All that requests are completed from, for a task of its own.
    pub(super) fn completing(&self) -> Complete {
        Complete {
            settings: self.settings.clone(),
            logins: self.logins.clone(),
            pins: self.pins.clone(),
            trusted_once: self.trusted_once.clone(),
            plain_logins: self.plain_logins.clone(),
            accepted_hazards: self.accepted_hazards.clone(),
        }
    }
}
