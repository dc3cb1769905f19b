//! Attempts at a request: at the URL's own server or by a gateway, and then at its alternates.
//!
//! A Gopher menu may have `+` rows below an item, each with another server for the same item (RFC 1436, section 3.8).
//! Only a failure leads to the next alternate: a question belongs to the server that asks it, and a page that has begun
//! stays with its server. A person's input for one server is not sent to another.

use geomys_wire::net::{Net, TransferEnd};
use rfc1738::{ExtensionScheme, Scheme, Url};

use super::gateway::address;
use super::request::holds_form;
use super::{Phase, Question, Request, Sink, Stop, scheme};

/// Runs a request, without its alternates.
pub(super) async fn fetch(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let request = &*request.with_ascii_host()?;
    request.allowed()?;
    let net = &request.network(net);
    if let Some(target) = request.by_gateway()? {
        return Box::pin(by_gateway(net, request, &target, sink)).await;
    }
    scheme::load(net, request, sink).await
}

/// Sends a request for a gateway, in place of the `request` for the URL's own server.
async fn by_gateway(
    net: &Net,
    request: &Request,
    target: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    if let Some((host, port)) =
        address(&request.url).and_then(|address| Some((address.node(), address.known_port()?)))
    {
        net.check_literal(host, port)?;
    }
    // Both URLs are checked: neither may hold what is never sent, and each may have hazards.
    target.allowed()?;
    let net = &target.network(net);
    sink.page_source.by_gateway(&request.url, &target.url);
    scheme::load(net, target, sink).await
}

/// Runs a request at its own server, else at the first alternate that works.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    let mut failed = match fetch(net, request, sink).await {
        Err(Stop::Failed(failure)) => failure,
        end => return end,
    };
    let mut tried = 0_usize;
    // Answers to a form are for one server only.
    if request.sends_answers() {
        return Err(failed.into());
    }
    let alternates = request.gopher.alternates.iter();
    for alternate in alternates.filter(|alternate| is_usable(request, alternate)) {
        if sink.page_source.has_begun() {
            break;
        }
        sink.phase(Phase::Alternate).await?;
        sink.page_source.by_alternate(alternate, &failed.sentence);
        // Logins, answers and trust belong to the original server.
        let request = Request {
            purpose: request.purpose,
            settings: request.settings.clone(),
            limit: request.limit,
            referrer: request.referrer.clone(),
            ..Request::show(alternate.clone())
        };
        match fetch(net, &request, sink).await {
            Err(Stop::Failed(_) | Stop::Needs(Question::LocalAddress(_)))
                if !sink.page_source.has_begun() =>
            {
                tried += 1;
            }
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

/// Returns true if an alternate may be tried. No question is asked about an alternate, so it is skipped if it has hazards,
/// would receive a form, is less secure than the original server, or is a local file.
fn is_usable(request: &Request, alternate: &Url) -> bool {
    let mut hazards = alternate.hazards().into_iter();
    let is_unsafe = hazards.any(|hazard| hazard.needs_confirmation() || hazard.is_forbidden());
    let is_less_safe = request.url.extension_scheme() == Some(ExtensionScheme::Gophers)
        && alternate.extension_scheme() != Some(ExtensionScheme::Gophers);
    let is_local = alternate.scheme() == Scheme::File;
    !is_unsafe && !holds_form(alternate) && !is_less_safe && !is_local
}
