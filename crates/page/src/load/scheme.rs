//! The table of schemes: what a load, a link check, a login and the cache need to know of each.
//!
//! The compiler names the rows that a new scheme needs.

use geomys_wire::net::{Net, TransferEnd, authority, compared_url};
use geomys_wire::text::Text;
use rfc1738::{GroupPart, News, Parts, Url};

use super::answer::holds_form;
use super::check::{LinkStatus, ServerAnswer};
use super::gateway::address;
use super::gemini::titan;
use super::{
    Failure, FormAnswers, Purpose, Request, Sink, Stop, check, file, finger, ftp, gemini, gopher,
    http, mailto, news, nex, prospero, spartan, telnet, wais,
};

/// Loads the request by the protocol of its URL, and returns the end of the transfer.
pub(super) async fn load(
    net: &Net,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    // The frame of these tells that it is whole, or nothing is between: without it the load has failed.
    let framed = match request.url.base_parts() {
        Parts::Gopher(gopher) => return gopher::load(net, request, gopher, sink).await,
        // Boxed: their state is large and would otherwise be part of every load.
        Parts::Ftp(ftp) => return Box::pin(ftp::load(net, request, ftp, sink)).await,
        Parts::Http(_) if gemini::speaks(&request.url) || titan::speaks(&request.url) => {
            return Box::pin(gemini::load(net, request, sink)).await;
        }
        Parts::Http(_) if spartan::speaks(&request.url) => {
            return Box::pin(spartan::load(net, request, sink)).await;
        }
        Parts::Http(http) if nex::speaks(&request.url) => {
            return Box::pin(nex::load(net, request, http, sink)).await;
        }
        Parts::Http(_) => return Box::pin(http::load(net, request, sink)).await,
        // A dot on a line of its own.
        Parts::News(_) | Parts::Nntp(_) => Box::pin(news::load(net, request, sink)).await,
        // A length, and a short piece at the end.
        Parts::Wais(wais) => Box::pin(wais::load(net, request, wais, sink)).await,
        Parts::File(file) => Box::pin(file::load(net, request, file, sink)).await,
        // The packets are numbered.
        Parts::Prospero(_) => Box::pin(prospero::load(net, request, sink)).await,
        Parts::Telnet(url) if telnet::is_session(&request.url) => {
            Err(telnet::session_failure(&url))
        }
        Parts::Mailto(mailto) => mailto::load(mailto, sink).await,
        // A plain connection that is closed.
        Parts::Other(other) if finger::speaks(&request.url) => {
            finger::load(net, request, other, sink).await
        }
        Parts::Telnet(_) | Parts::Other(_) => Err(Failure::unsupported(&request.url).into()),
    };
    framed.map(|()| TransferEnd::Confirmed)
}

/// Returns the reason why a link check asks nobody; None if the target of a URL can be checked.
pub(super) fn uncheckable(url: &Url) -> Option<String> {
    match url.base_parts() {
        Parts::Http(_) if titan::speaks(url) => Some("it takes an upload".to_owned()),
        Parts::Gopher(_)
        | Parts::Ftp(_)
        | Parts::News(_)
        | Parts::Nntp(_)
        | Parts::Http(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::Prospero(_) => None,
        Parts::File(file) => (!file.host.is_none_or(file::is_here))
            .then(|| "it is a file on another machine".to_owned()),
        Parts::Mailto(_) => Some("a mail address cannot be loaded".to_owned()),
        Parts::Other(_) => (!finger::speaks(url))
            .then(|| format!("Geomys does not support {}", Text::of(url.scheme_name()))),
    }
}

/// Checks that the target of a URL exists.
pub(super) async fn check(net: &Net, request: &Request) -> Result<ServerAnswer, Stop> {
    let exists = match request.url.base_parts() {
        Parts::Gopher(url) => return check::gopher::check(net, request, &url).await,
        Parts::Http(_) if gemini::speaks(&request.url) => return gemini::check(net, request).await,
        Parts::Http(_) if spartan::speaks(&request.url) => spartan::check(net, request).await,
        Parts::Http(url) if nex::speaks(&request.url) => alive(nex::exists(net, &url).await),
        Parts::Http(_) => return check::http::check(net, request).await,
        Parts::Ftp(url) => check::ftp::check(net, request, &url).await,
        Parts::File(url) => check::file::check(&url).await,
        Parts::Wais(url) => check::wais::check(net, &url).await,
        Parts::Telnet(url) => check::session::check(net, &url).await,
        Parts::Other(url) => check::session::finger(net, &url).await,
        Parts::Mailto(_) => Ok(LinkStatus::NotChecked("it is not supported".to_owned())),
        Parts::News(_) | Parts::Nntp(_) => alive(news::exists(net, request).await),
        Parts::Prospero(url) => alive(prospero::exists(net, &url).await),
    };
    exists.map(ServerAnswer::Status)
}

/// Converts the result of a load that ends well only if its target exists.
fn alive(exists: Result<(), Stop>) -> Result<LinkStatus, Stop> {
    exists.map(|()| LinkStatus::Alive)
}

/// Returns true for a search that has no words yet: its load would end with
/// [`Question::Search`](super::Question::Search).
pub fn needs_search_words(request: &Request) -> bool {
    let has_no_words = match request.url.base_parts() {
        Parts::Gopher(gopher) => gopher::needs_search_words(&gopher),
        Parts::Wais(wais) => wais::needs_search_words(&wais),
        _ => false,
    };
    has_no_words && request.allowed().is_ok() && !request.gateways.uses_gateway(&request.url)
}

/// Returns the lines that a load of `url` would send, as far as they are known before the server has answered.
pub fn request_preview(url: &Url) -> Option<String> {
    let octets = match url.base_parts() {
        Parts::Gopher(gopher) => return gopher::request_preview(&gopher),
        Parts::Ftp(ftp) => return ftp::request_preview(&ftp),
        Parts::News(news) => news::news_preview(&news)?,
        Parts::Nntp(nntp) => news::nntp_preview(&nntp),
        Parts::Other(other) if finger::speaks(url) => finger::request_preview(&other)?,
        Parts::Http(http) if gemini::speaks(url) => gemini::request_preview(&http),
        Parts::Http(_) if titan::speaks(url) => return None,
        Parts::Http(http) if spartan::speaks(url) => spartan::request_preview(&http),
        Parts::Http(http) if nex::speaks(url) => nex::request_preview(&http),
        Parts::Http(http) => http::request_preview(&http),
        Parts::Mailto(_)
        | Parts::Telnet(_)
        | Parts::Wais(_)
        | Parts::File(_)
        | Parts::Prospero(_)
        | Parts::Other(_) => return None,
    };
    Some(octets.escape_ascii().to_string())
}

/// Returns the URL under which the page of a request is cached: the same for all ways to write it, and without a
/// password. None for a page that is never written to disk: one that needs a login, except for news, the answer to a
/// form, and what comes from no server.
pub fn cache_key(request: &Request) -> Option<Url> {
    // Changes are not a page of their own, and a gateway's pages are its own.
    let is_page = request.purpose == Purpose::Show
        && request.since.is_none()
        && !request.gateways.uses_gateway(&request.url);
    let url = is_page.then_some(&request.url)?;
    let url = match url.base_parts() {
        // Articles are public, though many servers show them to their users alone.
        Parts::News(_) | Parts::Nntp(_) => news::cache_key(request)?,
        Parts::Other(_) if finger::speaks(url) => url.clone(),
        // The query is what the user typed, perhaps a secret.
        Parts::Http(http) if !url.is_web() && http.search.is_some() => return None,
        Parts::Http(_) if titan::speaks(url) => return None,
        parts @ (Parts::Gopher(_)
        | Parts::Ftp(_)
        | Parts::Http(_)
        | Parts::Wais(_)
        | Parts::Prospero(_)) => {
            let login = parts.login();
            let is_public = request.login.is_none()
                && login.is_none_or(|login| login.user.is_none())
                && !url.has_secret()
                && request.relevant.is_none()
                && !holds_form(url)
                && matches!(
                    request.answers,
                    FormAnswers::Unconfirmed | FormAnswers::Confirmed
                );
            is_public.then(|| url.clone())?
        }
        Parts::File(_) | Parts::Mailto(_) | Parts::Telnet(_) | Parts::Other(_) => return None,
    };
    Some(compared_url(&url.without_password().without_fragment()))
}

/// Returns true if the server can report the changes since a page was cached, by [`Request::since`].
pub fn can_fetch_changes(request: &Request) -> bool {
    let parts = request.url.base_parts();
    matches!(
        parts,
        Parts::News(News {
            part: GroupPart::All,
            ..
        })
    )
}

impl Request {
    /// Returns the host and the port that the request connects to; None when there is no connection.
    pub(super) fn server(&self) -> Option<(String, u16)> {
        let url = self.requested_url();
        if url.base_parts().is_news() {
            let server = news::server(self)?;
            return Some((server.host, server.port));
        }
        let address = address(&url)?;
        let port = match url.base_parts() {
            Parts::Other(_) => address.port().unwrap_or(finger::PORT),
            _ => address.port()?,
        };
        Some((address.node().to_owned(), port))
    }

    /// Returns the login scope, for example `ftp host:port`: the server for which a login is valid. None for protocols
    /// without a login.
    pub fn login_scope(&self) -> Option<String> {
        let url = self.requested_url();
        Some(match url.base_parts() {
            Parts::News(_) | Parts::Nntp(_) => {
                let (host, port) = self.server()?;
                format!("news {}", authority(&host, port))
            }
            Parts::Ftp(ftp) => format!("{} {}", url.scheme_name(), ftp.login.address.text),
            Parts::Http(http) if url.is_web() => {
                let scheme = url.scheme_name().to_ascii_lowercase();
                format!("{scheme} {}", http.address.text)
            }
            _ => return None,
        })
    }

    /// Returns the authority whose certificate is checked, as `host:port` in lower case; None when no TLS is used.
    pub fn tls_authority(&self) -> Option<String> {
        let url = self.requested_url();
        let parts = url.base_parts();
        // Also without `s`: plain connections may be upgraded to TLS.
        let may_upgrade = parts.is_news() || matches!(parts, Parts::Ftp(_));
        let uses_tls = may_upgrade || url.is_tls() && parts.address().is_some();
        let (host, port) = self.server().filter(|_| uses_tls)?;
        Some(authority(&host.to_ascii_lowercase(), port))
    }
}
