//! Mirrors: the places that are asked, one after the other, when the first one fails.
//!
//! A menu of Gopher may have `+` rows below an item, each another place of the same (RFC 1436, section 3.8). Only a
//! failure sends a load on to the next of them: a question is for the place that asks it, and a page that has begun
//! stays with whoever began it. So does whatever a person has written for one place: no other is told it.

use std::sync::Arc;

use super::{Answers, Begin, Caution, GopherItem, Phase, PlainLogin, Request, Sink, Stop, UseKept};
use crate::net::{Net, Trust};
use crate::protocol::gopher::Want;
use crate::url::{Encoded, Later, Parts, Scheme, Url};

/// Which of several places a load has come to.
#[derive(Debug, Default)]
pub(super) struct Answering {
    /// The mirror that is asked, and why the place before it did not do.
    mirror: Option<(Url, String)>,
    /// The URL that a gateway is asked for, and what that asks it by.
    gateway: Option<(Url, Url)>,
    has_begun: bool,
}

impl Answering {
    /// Whether a page has begun: it stays with whoever began it.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// `url` is asked of a gateway from now on, as `asked`.
    pub(super) fn by_gateway(&mut self, url: &Url, asked: &Url) {
        self.gateway = Some((url.clone(), asked.clone()));
    }

    /// What is known of a page that begins, and of the mirror that gives it.
    pub(super) fn begin(&mut self, begin: Begin) -> Begin {
        self.has_begun = true;
        let begin = match self.gateway.take() {
            None => begin,
            Some((url, asked)) => Begin {
                url: begin.url.or(Some(asked)),
                from: [vec![url], begin.from].concat(),
                ..begin
            },
        };
        match &self.mirror {
            None => begin,
            Some((mirror, why)) => Begin {
                url: begin.url.or_else(|| Some(mirror.clone())),
                instead: Some(why.clone()),
                ..begin
            },
        }
    }
}

/// Carries a request out at its own place, else at the first mirror that does not fail.
pub(super) async fn fetch(net: &Net, request: &Request, sink: &mut Sink) -> Result<(), Stop> {
    let mut failed = match super::fetch(net, request, sink).await {
        Err(Stop::Failed(failure)) => failure,
        end => return end,
    };
    let mut tried = 0_usize;
    // What was meant for one place alone is told to no other.
    if request.sends_answers() {
        return Err(failed.into());
    }
    let fitting = request.mirrors.iter();
    for mirror in fitting.filter(|mirror| does(request, mirror)) {
        if sink.answering.has_begun {
            break;
        }
        sink.phase(Phase::Mirror).await?;
        sink.answering.mirror = Some((mirror.clone(), failed.sentence.clone()));
        let request = Request {
            url: mirror.clone(),
            purpose: request.purpose,
            directory: None,
            // What was said to another place, or of its certificate, is nothing here.
            login: None,
            answers: Answers::Unseen,
            trust: Trust::default(),
            plain_login: PlainLogin::Ask,
            news_server: None,
            gopher_item: GopherItem::Plain,
            mirrors: Vec::new(),
            caution: Caution::Ask,
            ftp: Arc::clone(&request.ftp),
            news: Arc::clone(&request.news),
            gateways: Arc::clone(&request.gateways),
            resume: None,
            since: None,
            use_kept: UseKept::default(),
            limit: request.limit,
        };
        match super::fetch(net, &request, sink).await {
            Err(Stop::Failed(_)) if !sink.answering.has_begun => tried += 1,
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

/// Whether a mirror may be asked instead. Nobody is asked about one, so it is passed over where it is unwise to open,
/// would be sent a form, is less safe than the place that it mirrors, or is a file of this machine.
fn does(request: &Request, mirror: &Url) -> bool {
    let mut hazards = mirror.hazards().into_iter();
    let unwise = hazards.any(|hazard| hazard.asks() || hazard.forbids());
    let is_less_safe =
        request.url.later() == Some(Later::Gophers) && mirror.later() != Some(Later::Gophers);
    let is_local = mirror.scheme() == Scheme::File;
    !unwise && !holds_form(mirror) && !is_less_safe && !is_local
}

/// Whether a URL holds a filled form of Gopher+.
pub(super) fn holds_form(url: &Url) -> bool {
    let Parts::Gopher(gopher) = url.reading() else {
        return false;
    };
    let plus = gopher.plus.map(Encoded::octets).unwrap_or_default();
    matches!(Want::parse(&plus), Want::Filled(_))
}
