//! Mirrors: the places that are asked, one after the other, when the first one fails.
//!
//! A menu of Gopher may have `+` rows below an item, each another place of the same (RFC 1436, section 3.8). Only a
//! failure sends a load on to the next of them: a question is for the place that asks it, and a page that has begun
//! stays with whoever began it.

use super::{Begin, Phase, Request, Sink, Stop};
use crate::net::{Net, Trust};
use crate::url::{Hazard, Url};

/// Which of several places a load has come to.
#[derive(Debug, Default)]
pub(super) struct Answering {
    /// The mirror that is asked, and why the place before it did not do.
    mirror: Option<(Url, String)>,
    has_begun: bool,
}

impl Answering {
    /// What is known of a page that begins, and of the mirror that gives it.
    pub(super) fn begin(&mut self, begin: Begin) -> Begin {
        self.has_begun = true;
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
    // Nobody is asked about a mirror: one that is unwise to open is passed over.
    let unwise = |mirror: &&Url| mirror.hazards().into_iter().any(Hazard::asks);
    for mirror in request.mirrors.iter().filter(|mirror| !unwise(mirror)) {
        if sink.answering.has_begun {
            break;
        }
        sink.phase(Phase::Mirror).await?;
        sink.answering.mirror = Some((mirror.clone(), failed.sentence.clone()));
        let request = Request {
            url: mirror.clone(),
            directory: None,
            // What was said of another place's certificate is nothing here.
            trust: Trust::default(),
            ..request.clone()
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
