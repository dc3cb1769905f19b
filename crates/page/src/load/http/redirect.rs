//! Redirects (RFC 9110, section 15.4): their targets, and the reasons not to follow them without a question.

use geomys_wire::text::Text;
use rfc1738::{Encoded, ExtensionScheme, Hazard, Scheme, Url, mask, repair_reference};

use crate::document::Link;
use crate::load::words::trimmed;
use crate::load::{Failure, hazard_sentences};

/// The most redirects that are followed.
pub(in crate::load) const REDIRECTIONS: usize = 10;

/// Returns the target of a redirect, with its fragment, else with that of `here` (RFC 9110, section 10.2.2).
pub(in crate::load) fn next(here: &Url, to: &[u8]) -> Option<Url> {
    let to = std::str::from_utf8(to).ok()?.trim();
    let (to, fragment) = to.split_once('#').unwrap_or((to, ""));
    let next = here.resolve(to).ok();
    let next = next
        .or_else(|| repair_reference(to, here))?
        .without_fragment();
    let inherited = here.fragment().map(Encoded::as_str);
    let fragment = Some(fragment).filter(|fragment| !fragment.is_empty());
    Some(match fragment.or(inherited) {
        Some(fragment) => next.with_fragment(fragment),
        None => next,
    })
}

/// Returns why a redirect is not followed without a question: it leaves TLS, or has hazards that a person has to
/// confirm. None when it may be followed. Link checks use it too.
pub(in crate::load) fn follow_hazard(here: &Url, next: &Url) -> Option<String> {
    let is_tls = |url: &Url| url.extension_scheme() == Some(ExtensionScheme::Https);
    if next.is_web() && is_tls(here) && !is_tls(next) {
        let why = "from https to plain http, which can be read and changed on the way";
        return Some(why.to_owned());
    }
    if next.scheme() == Scheme::File {
        return Some("to a file on this machine".to_owned());
    }
    let mut hazards: Vec<Hazard> = next.hazards().into_iter().collect();
    hazards.retain(|hazard| hazard.needs_confirmation() || hazard.is_forbidden());
    (!hazards.is_empty()).then(|| hazard_sentences(&hazards))
}

/// Returns the failure for a redirect to what is not a URL. A login in it is masked.
pub(in crate::load) fn not_a_url(authority: &str, to: &[u8]) -> Failure {
    let to = trimmed(to);
    let to = mask(&to);
    Failure::new(format!(
        "{authority} redirects to something that is not a URL: {to}"
    ))
}

/// Returns the failure for a redirect that is not followed.
pub(in crate::load) fn not_followed(next: &Url, why: &str) -> Failure {
    let masked = next.masked();
    let link = Link::new(Text::of(&masked), Ok(next.clone()));
    Failure {
        next: Some(Box::new(link)),
        ..Failure::new(format!("redirect to {masked}: {why}"))
            .with_advice("not followed; it is the link on this page")
    }
}

/// Returns true if two URLs have the same server and the same scheme, or are of http and have the same server.
pub(in crate::load) fn is_same_server(one: &Url, other: &Url) -> bool {
    let authority = |url: &Url| {
        let reading = url.base_parts();
        let address = reading.address()?;
        let host = address.node().to_ascii_lowercase();
        Some((url.extension_scheme(), host, address.port()))
    };
    authority(one).is_some() && authority(one) == authority(other)
}
