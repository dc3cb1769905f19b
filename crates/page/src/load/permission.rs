//! The hazards of a request: what is never sent, and what a person has to confirm; and the local addresses that a page may lead to.

use geomys_wire::net::{Net, ascii_url};
use geomys_wire::protocol::ph;
use rfc1738::{ExtensionScheme, Hazard, Parts, Scheme, Url};

use super::gateway::address;
use super::{Caution, Failure, Question, Request, Stop};

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
    pub(super) fn network(&self, net: &Net) -> Net {
        // A news: URL names no server: that is one of the settings, or of the page itself.
        let names_host = !matches!(self.url.base_parts(), Parts::News(_));
        let page = self.referrer.as_ref().filter(|_| names_host);
        // A file is on this machine already.
        let page = page.filter(|page| page.scheme() != Scheme::File);
        let host = page.map(|page| host_of(page).unwrap_or_default());
        net.led_by(host.as_deref(), &self.consents.local)
            .requesting(&self.url)
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
pub(super) fn redirected(net: &Net, here: &Url) -> Net {
    match host_of(here) {
        Some(host) => net.redirected_by(&host),
        None => net.clone(),
    }
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
