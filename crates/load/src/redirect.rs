//! Redirects: the one loop of all protocols that have them, their targets, and the reasons not to follow them.
//!
//! A protocol says where a redirect leads, whether it is permanent, and whether it may be followed there. A redirect
//! with a hazard, a loop and a chain that is too long end the load. The new permanent address is that of the last
//! redirect in an unbroken permanent chain from the URL; a link check learns it, and the redirect that was not
//! followed, from the sink.

use std::borrow::Cow;
use std::sync::Arc;

use geomys_wire::net::{RequestNet, TransferEnd, trace};
use geomys_wire::text::Text;
use rfc1738::{Encoded, ExtensionScheme, Hazard, Scheme, Url, mask, repair_reference};

use super::permission::redirected;
use super::question::hazard_sentences;
use super::words::trimmed;
use super::{
    Failure, FailureKind, NextReason, PageHead, PageStorage, PrivateHosts, RedirectPolicy, Request,
    Sink, Stop,
};
use geomys_page::document::{Link, Shape};

/// Maximum number of redirects that are followed one after the other.
pub const MAX_REDIRECTS: usize = 10;

/// A redirect of a server.
pub(super) struct Redirect {
    pub(super) to: Url,
    pub(super) is_permanent: bool,
    /// The reason why this protocol does not follow it: it leads to another server or protocol.
    pub(super) leaves: Option<String>,
}

/// The target of a redirect that was not followed, and the URL that redirected to it.
#[derive(Debug)]
pub(super) struct MovedAway {
    pub(super) from: Url,
    pub(super) to: Url,
    /// True if all redirects up to this one were permanent.
    pub(super) is_permanent: bool,
}

/// The position of a load in a chain of redirects.
pub(super) struct Redirects<'n> {
    /// The network for `here`: the hosts that redirected to it are known.
    pub(super) net: Cow<'n, RequestNet>,
    pub(super) here: Url,
    /// The URLs that have redirected to it, in order.
    pub(super) from: Vec<Url>,
    is_permanent: bool,
    policy: RedirectPolicy,
    private_hosts: Arc<PrivateHosts>,
    /// True if the first request sends data: its URL without them is another page.
    is_posted: bool,
    /// True if the last answer has changed a cookie: the URLs so far may answer otherwise now.
    pub(super) may_return: bool,
    /// The number of the first URLs in `from` that may: a redirect back to them is no loop.
    returnable: usize,
}

impl<'n> Redirects<'n> {
    /// Creates the beginning of a chain of redirects.
    pub(super) fn new(net: &'n RequestNet, request: &Request) -> Self {
        Self {
            net: Cow::Borrowed(net),
            here: request.url.clone(),
            from: Vec::new(),
            is_permanent: true,
            policy: request.save.redirects.clone(),
            private_hosts: Arc::clone(&request.settings.private_hosts),
            is_posted: request.posted().is_some(),
            may_return: false,
            returnable: 0,
        }
    }

    /// Moves to the target of a redirect.
    ///
    /// # Errors
    /// The failure for a redirect that is not followed.
    pub(super) fn follow(&mut self, redirect: Redirect, sink: &mut Sink) -> Result<(), Failure> {
        let Redirect {
            to,
            is_permanent,
            leaves,
        } = redirect;
        trace::note("", format_args!("redirect to {}", to.masked()));
        match &self.policy {
            RedirectPolicy::Follow => {}
            RedirectPolicy::FollowWithin(rules) => {
                rules.admit(&to).map_err(|why| not_followed(&to, why))?;
            }
            RedirectPolicy::Report => {
                return Err(Failure {
                    next_reason: if is_permanent {
                        NextReason::MovedForGood
                    } else {
                        NextReason::Moved
                    },
                    ..not_followed(&to, "fetch that instead")
                });
            }
        }
        if self.is_posted {
            sink.sent_to.get_or_insert_with(|| to.clone());
        }
        self.is_permanent &= is_permanent;
        // The new address of a permanent redirect is judged by itself.
        if let Some(why) = leaves.as_ref().filter(|_| self.is_permanent) {
            return Err(self.leave(to, why, sink));
        }
        if let Some(why) = follow_hazard(&self.here, &to) {
            // Nor does a bookmark get an address on the way to it.
            sink.moved = None;
            return Err(not_followed(&to, &why));
        }
        if let Some(why) = leaves {
            return Err(self.leave(to, &why, sink));
        }
        let net = redirected(&self.net, &self.here);
        let is_private = self.private_hosts.include(&to);
        let net = if is_private { net.private() } else { net };
        self.net = Cow::Owned(net.requesting(&to));
        self.from.push(std::mem::replace(&mut self.here, to));
        let may_return = std::mem::take(&mut self.may_return);
        if may_return || self.is_posted && self.from.len() == 1 {
            self.returnable = self.from.len();
        }
        let to = &self.here;
        let endless = if self
            .from
            .iter()
            .skip(self.returnable)
            .any(|from| from == to)
        {
            let failure = Failure::new(format!("redirect loop back to {}", to.masked()));
            Some(Failure {
                advice: to
                    .is_web()
                    .then_some("the site may need cookies: only the browser has them, unless [network] cookies is \"off\""),
                ..failure
            })
        } else if self.from.len() > MAX_REDIRECTS {
            let most = MAX_REDIRECTS;
            let sentence = format!("more than {most} redirects, the last to {}", to.masked());
            Some(Failure::new(sentence))
        } else {
            None
        };
        if let Some(failure) = endless {
            sink.moved = None;
            return Err(failure.with_kind(FailureKind::Malformed));
        }
        if self.is_permanent {
            sink.moved = Some(to.clone());
        }
        Ok(())
    }

    /// Returns the failure for a redirect to another server or protocol.
    fn leave(&self, to: Url, why: &str, sink: &mut Sink) -> Failure {
        let failure = not_followed(&to, why);
        sink.moved_away = Some(MovedAway {
            from: self.here.clone(),
            to,
            is_permanent: self.is_permanent,
        });
        failure
    }
}

/// Ends a load whose data the server has taken, with a redirect to a page that did not come: the page says so. An error
/// would make a person send the data again.
///
/// # Errors
/// The end of any other load.
pub(super) async fn after_sending(stop: Stop, sink: &mut Sink) -> Result<TransferEnd, Stop> {
    let page = match &stop {
        // The server's own page says what is wrong with what was sent.
        Stop::Failed(failure) if failure.page.is_some() => None,
        Stop::Failed(_) | Stop::Needs(_) => sink.sent_to.take(),
        Stop::Truncated(_) | Stop::Closed => None,
    };
    let Some(page) = page else {
        return Err(stop);
    };
    let masked = page.masked();
    let sentence = format!("Sent; the page {masked} did not come: {}", stop.sentence());
    let head = PageHead {
        storage: PageStorage::Forbidden,
        ..PageHead::new(Shape::Gemtext).with_title(Text::of("Sent"))
    };
    sink.begin(head).await?;
    let sentence = Text::of(&sentence);
    let link = page.without_password();
    let text = format!("{sentence}\n\n=> {} The page\n", link.as_str());
    sink.octets(text.into_bytes()).await?;
    Ok(TransferEnd::Confirmed)
}

/// Returns the target of a redirect of the server `authority`, with its fragment, else with that of `here` (RFC 9110,
/// section 10.2.2).
pub(super) fn target(here: &Url, to: &[u8], authority: &str) -> Result<Url, Failure> {
    next(here, to).ok_or_else(|| not_a_url(authority, to))
}

fn next(here: &Url, to: &[u8]) -> Option<Url> {
    // Old servers send the octets of their own charset, which the next request has as escapes.
    let to = match str::from_utf8(to) {
        Ok(to) => Cow::Borrowed(to),
        Err(_) => Cow::Owned(escaped(to)),
    };
    let to = to.trim();
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

/// Returns octets as text, those outside ASCII as escapes.
fn escaped(octets: &[u8]) -> String {
    let letters = octets.iter().map(|&octet| match octet {
        octet if octet.is_ascii() => char::from(octet).to_string(),
        octet => format!("%{octet:02X}"),
    });
    letters.collect()
}

/// Returns why a redirect is not followed without a question: it leaves TLS, or has hazards that a person has to
/// confirm. None when it may be followed.
fn follow_hazard(here: &Url, next: &Url) -> Option<String> {
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
fn not_a_url(authority: &str, to: &[u8]) -> Failure {
    let to = trimmed(to);
    let to = mask(&to);
    Failure::new(format!(
        "{authority} redirects to something that is not a URL: {to}"
    ))
    .with_kind(FailureKind::Malformed)
}

/// Returns the failure for a redirect that is not followed.
pub(super) fn not_followed(next: &Url, why: &str) -> Failure {
    let masked = next.masked();
    let link = Link::new(Text::of(&masked), Ok(next.clone()));
    Failure {
        next: Some(Box::new(link)),
        ..Failure::new(format!("redirect to {masked}: {why}"))
            .with_advice("not followed; it is the link on this page")
    }
}

/// Returns true if two URLs have the same server and the same scheme, or are of http and have the same server.
pub(super) fn is_same_server(one: &Url, other: &Url) -> bool {
    let authority = |url: &Url| {
        let reading = url.base_parts();
        let address = reading.address()?;
        let host = address.node().to_ascii_lowercase();
        Some((url.extension_scheme(), host, address.port()))
    };
    authority(one).is_some() && authority(one) == authority(other)
}
