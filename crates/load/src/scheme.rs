//! The table of schemes: what a load, a link check, a login and the cache need to know of each. `files::cache` of the
//! store does the caching itself.
//!
//! The compiler names the rows that a new scheme needs.

use geomys_wire::net::{RequestNet, TransferEnd, authority, page_url};
use geomys_wire::protocol::gemini::MAX_URL_BYTES;
use geomys_wire::text::Text;
use rfc1738::{GroupPart, Mailto, News, Parts, Protocol, Url, Usenet};

use super::gateway::address;
use super::redirect::after_sending;
use super::request::holds_form;
use super::{
    Failure, FormAnswers, PageHead, Purpose, Request, Sink, Stop, file, finger, ftp, gemini,
    gopher, http, news, prospero, small_page, telnet, wais,
};
use geomys_page::document::Shape;

/// Loads the request by the protocol of its URL, and returns the end of the transfer.
pub(super) async fn load(
    net: &RequestNet,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    match load_by_protocol(net, request, sink).await {
        Err(stop) => after_sending(stop, sink).await,
        end => end,
    }
}

async fn load_by_protocol(
    net: &RequestNet,
    request: &Request,
    sink: &mut Sink,
) -> Result<TransferEnd, Stop> {
    // The frame of these tells that it is whole, or nothing is between: without it the load has failed.
    let framed = match request.url.protocol() {
        Protocol::Gopher(gopher) | Protocol::Cso(gopher) => {
            return gopher::load(net, request, gopher, sink).await;
        }
        Protocol::Ftp(ftp) if request.purpose == Purpose::Check => {
            return Box::pin(ftp::check(net, request, &ftp)).await;
        }
        Protocol::Telnet(url) if request.purpose == Purpose::Check => {
            return telnet::check(net, &url).await;
        }
        // Boxed: their state is large and would otherwise be part of every load.
        Protocol::Ftp(ftp) => return Box::pin(ftp::load(net, request, ftp, sink)).await,
        Protocol::Gemini(_) | Protocol::Titan(_) => {
            return Box::pin(gemini::load(net, request, sink)).await;
        }
        Protocol::Spartan(_) => {
            return Box::pin(small_page::load_spartan(net, request, sink)).await;
        }
        Protocol::Nex(nex) => return Box::pin(small_page::load_nex(net, request, nex, sink)).await,
        Protocol::Http(_) => return Box::pin(http::load(net, request, sink)).await,
        // A dot on a line of its own.
        Protocol::Nntp(_) => Box::pin(news::load(net, request, sink)).await,
        // A length, and a short piece at the end.
        Protocol::Wais(wais) => Box::pin(wais::load(net, request, wais, sink)).await,
        Protocol::File(file) => Box::pin(file::load(net, request, file, sink)).await,
        // The packets are numbered.
        Protocol::Prospero(_) => Box::pin(prospero::load(net, request, sink)).await,
        Protocol::Telnet(url) if telnet::is_telnet(&request.url) => {
            Err(telnet::session_failure(&url))
        }
        Protocol::Mailto(mailto) => show_mail(mailto, sink).await,
        // A plain connection that is closed.
        Protocol::Finger(finger) => finger::load(net, request, finger, sink).await,
        Protocol::Telnet(_) | Protocol::Other(_) => Err(Failure::unsupported(&request.url).into()),
    };
    framed.map(|()| TransferEnd::Confirmed)
}

/// Returns the reason why a link check asks nobody; None if the target of a URL can be checked.
pub(super) fn uncheckable(url: &Url) -> Option<String> {
    match url.protocol() {
        Protocol::Titan(_) => Some("it takes an upload".to_owned()),
        Protocol::Gopher(_)
        | Protocol::Cso(_)
        | Protocol::Ftp(_)
        | Protocol::Nntp(_)
        | Protocol::Http(_)
        | Protocol::Gemini(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_)
        | Protocol::Finger(_)
        | Protocol::Telnet(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_) => None,
        Protocol::File(file) => (!file.host.is_none_or(file::is_here))
            .then(|| "it is a file on another machine".to_owned()),
        Protocol::Mailto(_) => Some("a mail address cannot be loaded".to_owned()),
        Protocol::Other(_) => Some(format!(
            "Geomys does not support {}",
            Text::of(url.scheme_name())
        )),
    }
}

/// Returns true for a search that has no words yet: its load would end with
/// [`Question::Search`](super::Question::Search).
pub fn needs_search_words(request: &Request) -> bool {
    let has_no_words = match request.url.protocol() {
        Protocol::Gopher(gopher) => gopher::needs_search_words(&gopher),
        Protocol::Wais(wais) => wais::needs_search_words(&wais),
        _ => false,
    };
    has_no_words
        && request.allowed().is_ok()
        && !request.settings.gateways.uses_gateway(&request.url)
}

/// Returns the lines that a load of `url` would send, as far as they are known before the server has answered.
pub fn request_preview(url: &Url) -> Option<String> {
    let octets = match url.protocol() {
        Protocol::Gopher(gopher) | Protocol::Cso(gopher) => {
            return gopher::request_preview(&gopher);
        }
        Protocol::Ftp(ftp) => return ftp::request_preview(&ftp),
        Protocol::Nntp(Usenet::News(news)) => news::news_preview(&news)?,
        Protocol::Nntp(Usenet::Nntp(nntp)) => news::nntp_preview(&nntp),
        Protocol::Finger(finger) => finger::request_preview(&finger)?,
        Protocol::Gemini(gemini) => gemini::request_preview(&gemini),
        Protocol::Spartan(spartan) => small_page::spartan_preview(&spartan),
        Protocol::Nex(nex) => small_page::nex_preview(&nex),
        Protocol::Http(http) => http::request_preview(&http),
        Protocol::Titan(_)
        | Protocol::Mailto(_)
        | Protocol::Telnet(_)
        | Protocol::Wais(_)
        | Protocol::File(_)
        | Protocol::Prospero(_)
        | Protocol::Other(_) => return None,
    };
    Some(octets.escape_ascii().to_string())
}

/// Returns the octets of the request line of `request`, and how many a server takes, where that is limited: in Gemini.
pub fn line_limit(request: &Request) -> Option<(usize, usize)> {
    match request.url.protocol() {
        Protocol::Gemini(url) => {
            let bytes = gemini::line_bytes(&url, &request.answers);
            Some((bytes, MAX_URL_BYTES))
        }
        _ => None,
    }
}

/// Returns the URL under which the page of a request is cached: the same for all ways to write it, and without a
/// password. None for a page that is never written to disk: one that needs a login, except for news, the answer to a
/// form, and what comes from no server.
pub fn cache_key(request: &Request) -> Option<Url> {
    // Changes are not a page of their own, and a gateway's pages are its own.
    let is_page = request.purpose == Purpose::Show
        && request.news_query.since.is_none()
        && !request.settings.gateways.uses_gateway(&request.url);
    let url = is_page.then_some(&request.url)?;
    let url = match url.protocol() {
        // Articles are public, though many servers show them to their users alone.
        Protocol::Nntp(_) => news::cache_key(request)?,
        Protocol::Finger(_) => url.clone(),
        // The query is what the user typed, perhaps a secret.
        Protocol::Gemini(http) | Protocol::Spartan(http) | Protocol::Nex(http)
            if http.search.is_some() =>
        {
            return None;
        }
        Protocol::Gopher(_)
        | Protocol::Cso(_)
        | Protocol::Ftp(_)
        | Protocol::Http(_)
        | Protocol::Gemini(_)
        | Protocol::Spartan(_)
        | Protocol::Nex(_)
        | Protocol::Wais(_)
        | Protocol::Prospero(_) => {
            let login = url.base_parts().login();
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
        Protocol::Titan(_)
        | Protocol::File(_)
        | Protocol::Mailto(_)
        | Protocol::Telnet(_)
        | Protocol::Other(_) => return None,
    };
    Some(page_url(&url))
}

/// Returns true if the server can report the changes since a page was cached, by
/// [`NewsQuery::since`](super::NewsQuery::since).
pub fn can_fetch_changes(request: &Request) -> bool {
    let protocol = request.url.protocol();
    matches!(
        protocol,
        Protocol::Nntp(Usenet::News(News {
            part: GroupPart::All,
            ..
        }))
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
        Some((address.node().to_owned(), address.known_port()?))
    }

    /// Returns the login scope, for example `ftp host:port`: the server for which a login is valid. None for protocols
    /// without a login.
    pub fn login_scope(&self) -> Option<String> {
        let url = self.requested_url();
        match url.protocol() {
            Protocol::Nntp(_) => {
                let (host, port) = self.server()?;
                Some(format!("news {}", authority(&host, port)))
            }
            Protocol::Ftp(ftp) => Some(format!("{} {}", url.scheme_name(), ftp.login.address.text)),
            Protocol::Http(http) => {
                let scheme = url.scheme_name().to_ascii_lowercase();
                Some(format!("{scheme} {}", http.address.text))
            }
            Protocol::Gopher(_)
            | Protocol::Cso(_)
            | Protocol::Gemini(_)
            | Protocol::Titan(_)
            | Protocol::Spartan(_)
            | Protocol::Nex(_)
            | Protocol::Finger(_)
            | Protocol::Telnet(_)
            | Protocol::Wais(_)
            | Protocol::Prospero(_)
            | Protocol::Mailto(_)
            | Protocol::File(_)
            | Protocol::Other(_) => None,
        }
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

/// Shows the mail of a `mailto:` URL (RFC 1738, section 3.5; RFC 6068) as a text. Nothing is sent.
async fn show_mail(url: Mailto<'_>, sink: &mut Sink) -> Result<(), Stop> {
    let letter = url.letter();
    let mut text = Vec::new();
    for (name, value) in &letter.headers {
        text.extend([name.as_bytes(), b": ", value, b"\n"].concat());
    }
    for name in &letter.left_out {
        text.extend([b"(", &**name, b" is left out: no address may set it)\n"].concat());
    }
    text.push(b'\n');
    text.extend_from_slice(&letter.body);
    sink.begin(PageHead::new(Shape::Text)).await?;
    sink.octets(text).await
}
