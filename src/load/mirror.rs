//! Mirrors: the servers that are tried, in order, when the first one fails.
//!
//! A Gopher menu may have `+` rows below an item, each with another server for the same item (RFC 1436, section 3.8).
//! Only a failure leads to the next mirror: a question belongs to the server that asks it, and a page that has begun
//! stays with its server. A person's input for one server is not sent to another.

use std::sync::Arc;

use super::{
    CacheUse, Caution, FormAnswers, GopherItem, PageHead, Phase, PlainLoginConsent, Request, Sink,
    Stop,
};
use crate::net::{Net, Trust};
use crate::protocol::gopher::PlusRequest;
use crate::url::{Encoded, ExtensionScheme, Parts, Scheme, Url};

/// The source of a page: the server, a mirror or a gateway.
#[derive(Debug, Default)]
pub(super) struct PageSource {
    /// The current mirror, and the error of the server before it.
    mirror: Option<(Url, String)>,
    /// The original URL, and the one that the gateway receives.
    gateway: Option<(Url, Url)>,
    has_begun: bool,
}

impl PageSource {
    /// Returns true if a page has begun: it stays with its server.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Records that a gateway is used for `url`, by the URL `gateway_url`.
    pub(super) fn by_gateway(&mut self, url: &Url, gateway_url: &Url) {
        self.gateway = Some((url.clone(), gateway_url.clone()));
    }

    /// Adds the gateway or the mirror to the head of a page.
    pub(super) fn begin(&mut self, page_head: PageHead) -> PageHead {
        self.has_begun = true;
        let page_head = match self.gateway.take() {
            None => page_head,
            Some((url, gateway_url)) => PageHead {
                url: page_head.url.or(Some(gateway_url)),
                from: [vec![url], page_head.from].concat(),
                ..page_head
            },
        };
        match &self.mirror {
            None => page_head,
            Some((mirror, why)) => PageHead {
                url: page_head.url.or_else(|| Some(mirror.clone())),
                mirror_reason: Some(why.clone()),
                ..page_head
            },
        }
    }
}

/// Runs a request at its own server, else at the first mirror that works.
pub(super) async fn fetch(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let mut failed = match super::fetch(net, request, sink).await {
        Err(Stop::Failed(failure)) => failure,
        end => return end,
    };
    let mut tried = 0_usize;
    // Answers to a form are for one server only.
    if request.sends_answers() {
        return Err(failed.into());
    }
    let mirrors = request.mirrors.iter();
    for mirror in mirrors.filter(|mirror| is_usable(request, mirror)) {
        if sink.page_source.has_begun {
            break;
        }
        sink.phase(Phase::Mirror).await?;
        sink.page_source.mirror = Some((mirror.clone(), failed.sentence.clone()));
        let request = Request {
            url: mirror.clone(),
            purpose: request.purpose,
            directory: None,
            // Logins, answers and trust belong to the original server.
            login: None,
            answers: FormAnswers::Unconfirmed,
            trust: Trust::default(),
            plain_login: PlainLoginConsent::Ask,
            news_server: None,
            gopher_item: GopherItem::Plain,
            mirrors: Vec::new(),
            caution: Caution::Ask,
            ftp: Arc::clone(&request.ftp),
            news: Arc::clone(&request.news),
            gateways: Arc::clone(&request.gateways),
            resume: None,
            since: None,
            cache_use: CacheUse::default(),
            limit: request.limit,
        };
        match super::fetch(net, &request, sink).await {
            Err(Stop::Failed(_)) if !sink.page_source.has_begun => tried += 1,
            end => return end,
        }
    }
    failed.sentence = match tried {
        0 => failed.sentence,
        1 => format!("{}; its mirror failed too", failed.sentence),
        many => format!("{}; its {many} mirrors failed too", failed.sentence),
    };
    Err(failed.into())
}

/// Returns true if a mirror may be tried. No question is asked about a mirror, so it is skipped if it has hazards,
/// would receive a form, is less secure than the original server, or is a local file.
fn is_usable(request: &Request, mirror: &Url) -> bool {
    let mut hazards = mirror.hazards().into_iter();
    let is_unsafe = hazards.any(|hazard| hazard.needs_confirmation() || hazard.is_forbidden());
    let is_less_safe = request.url.extension_scheme() == Some(ExtensionScheme::Gophers)
        && mirror.extension_scheme() != Some(ExtensionScheme::Gophers);
    let is_local = mirror.scheme() == Scheme::File;
    !is_unsafe && !holds_form(mirror) && !is_less_safe && !is_local
}

/// Returns true if a URL contains a filled form of Gopher+.
pub(super) fn holds_form(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.base_parts() else {
        return false;
    };
    let plus = gopher.plus.map(Encoded::octets).unwrap_or_default();
    matches!(PlusRequest::parse(&plus), PlusRequest::FilledForm(_))
}
