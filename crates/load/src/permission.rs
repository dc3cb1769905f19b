//! The hazards of a request: what is never sent, and what a person has to confirm; and the local addresses that a page
//! may lead to.

use geomys_wire::net::{self, Net, RequestNet, ascii_url, trace};
use geomys_wire::protocol::ph;
use rfc1738::{ExtensionScheme, Hazard, Parts, Scheme, Url};

use super::gateway::address;
use super::{Caution, Failure, LocalTarget, Namer, Question, Reason, Request, Stop};

impl Request {
    /// Checks that the URL may be sent: it holds nothing that is never sent, and its hazards were confirmed by the
    /// user.
    pub(super) fn allowed(&self) -> Result<(), Stop> {
        // A mail has lines, and none of them goes to a server.
        let is_letter = matches!(self.url.base_parts(), Parts::Mailto(_));
        if let Some(forbids) = self.url.forbidden_hazard().filter(|_| !is_letter) {
            let sentence = format!("not sent: the URL has {}", forbids.sentence());
            return Err(Stop::Failed(Failure::new(sentence).with_advice(
                "such a URL may add a second command or argument to the request; Geomys never sends it",
            )));
        }
        let hazards_to_confirm = self.hazards_to_confirm();
        if !hazards_to_confirm.is_empty() {
            return Err(Stop::Needs(Question::Hazards(hazards_to_confirm)));
        }
        Ok(())
    }

    /// Returns the network for this request: it connects to no local address to which the page of another host led.
    pub(super) fn network(&self, net: &Net) -> RequestNet {
        note_reason(&self.reason);
        let net = net.for_request(self.named_by(), &self.consents.local);
        let net = if self.is_private() {
            net.private()
        } else {
            net
        };
        net.requesting(&self.url)
    }

    /// Returns who named the host that is connected to.
    fn named_by(&self) -> net::NamedBy {
        // A news: URL names no server: that is one of the settings, or of the page itself.
        if matches!(self.url.base_parts(), Parts::News(_)) {
            return net::NamedBy::User;
        }
        match self.reason.namer() {
            Namer::User => net::NamedBy::User,
            // A file is on this machine already.
            Namer::Page(page) if page.scheme() == Scheme::File => net::NamedBy::User,
            Namer::Page(page) => host_of(&page).map_or(net::NamedBy::Unknown, net::NamedBy::Host),
            Namer::Unknown => net::NamedBy::Unknown,
        }
    }

    /// Returns the local address that the URL is written with, if a load would ask about it.
    pub fn written_local_target(&self) -> Option<LocalTarget> {
        let host = address(&self.url)?;
        let (host, port) = (host.node(), host.known_port()?);
        let address = net::written_local(&self.named_by(), &self.consents.local, (host, port))?;
        let authority = net::authority(host, port);
        Some(LocalTarget { authority, address })
    }

    /// Returns who named the URL, to be stored with a request that is put aside: the user, after agreeing to its local
    /// address.
    pub fn namer_to_store(&self) -> Namer {
        let address = address(&self.url);
        let target = address.and_then(|host| Some(net::authority(host.node(), host.known_port()?)));
        if target.is_some_and(|target| self.consents.local.includes(&target)) {
            return Namer::User;
        }
        match self.reason.namer() {
            // The store would name the host.
            Namer::Page(page) if self.settings.private_hosts.include(&page) => Namer::Unknown,
            namer => namer,
        }
    }

    /// Checks the host of a request that a gateway gets, which looks up its name.
    ///
    /// # Errors
    /// The question about a local address.
    pub(super) async fn check_gateway_target(&self, net: &Net) -> Result<(), Stop> {
        let host = address(&self.url);
        if let Some((host, port)) = host.and_then(|host| Some((host.node(), host.known_port()?))) {
            self.network(net).check_literal(host, port).await?;
        }
        Ok(())
    }

    /// Returns the hazards that a person has to confirm before the URL is opened.
    pub(super) fn hazards_to_confirm(&self) -> Vec<Hazard> {
        if self.consents.caution == Caution::Confirmed {
            return Vec::new();
        }
        let mut hazards = self.url.hazards();
        hazards.retain(|hazard| {
            hazard.needs_confirmation() && !(*hazard == Hazard::Port && has_usual_port(&self.url))
        });
        hazards
    }
}

/// Returns the network for the target to which `here` redirects.
pub(super) fn redirected(net: &RequestNet, here: &Url) -> RequestNet {
    note_reason(&Reason::Redirect(here.clone()));
    match host_of(here) {
        Some(host) => net.redirected_by(&host),
        None => net.clone(),
    }
}

/// Writes the reason of a request to the log.
fn note_reason(reason: &Reason) {
    trace::note("", format_args!("reason: {}", reason.words()));
}

/// Returns the host of a URL, as it is connected to.
fn host_of(url: &Url) -> Option<String> {
    let url = ascii_url(url).ok()?;
    Some(address(&url)?.node().to_owned())
}

/// Returns true for items of services that gopherspace links to on their own ports: a phone book, and a text of finger.
fn has_usual_port(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return false;
    };
    let port = gopher.address.port();
    match gopher.item_type() {
        b'2' => port == ph::PORT,
        b'0' => port == ExtensionScheme::Finger.default_port(),
        _ => false,
    }
}
