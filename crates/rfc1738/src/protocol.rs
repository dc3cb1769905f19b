//! The protocols that URLs are opened with.

use super::Url;
use super::file::File;
use super::ftp::Ftp;
use super::gopher::Gopher;
use super::http::Http;
use super::mailto::Mailto;
use super::news::News;
use super::nntp::Nntp;
use super::other::Other;
use super::parts::Parts;
use super::prospero::Prospero;
use super::scheme::ExtensionScheme;
use super::telnet::Telnet;
use super::wais::Wais;

/// The protocol on the wire with which a URL is opened, and the parts of the URL by its base scheme.
///
/// Several schemes may share a protocol, with and without TLS: `news` and `nntps` are both opened with NNTP. Several
/// protocols may share a form of URLs: those of `gemini` have the production of `http`. A program that matches over
/// this enum without a wildcard has an answer for each protocol.
///
/// ```
/// use rfc1738::{Dialect, Protocol};
///
/// let url = Dialect::Extended.parse("gemini://h.example/a").unwrap();
/// let Protocol::Gemini(parts) = url.protocol() else { panic!() };
/// assert_eq!(parts.address.port(), 1965);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol<'a> {
    /// Gopher and Gopher+ (RFC 1436): `gopher`, `gophers`
    Gopher(Gopher<'a>),
    /// The phone books of CSO (RFC 2378): a `gopher` URL of item type 2
    Cso(Gopher<'a>),
    /// FTP (RFC 959): `ftp`, `ftps`
    Ftp(Ftp<'a>),
    /// NNTP (RFC 3977): `news`, `snews`, `nntp`, `nntps`
    Nntp(Usenet<'a>),
    /// HTTP (RFC 9112): `http`, `https`
    Http(Http<'a>),
    /// Gemini, which has no RFC: `gemini`
    Gemini(Http<'a>),
    /// Titan, uploads to servers of Gemini: `titan`
    Titan(Http<'a>),
    /// Spartan, which has no RFC: `spartan`
    Spartan(Http<'a>),
    /// Nex, which has no RFC: `nex`
    Nex(Http<'a>),
    /// Finger (RFC 1288): `finger`
    Finger(Other<'a>),
    /// Telnet (RFC 854): `telnet`, and `tn3270` with a terminal of its own
    Telnet(Telnet<'a>),
    /// WAIS (RFC 1625): `wais`
    Wais(Wais<'a>),
    /// Prospero: `prospero`
    Prospero(Prospero<'a>),
    /// Mail, which is written and not loaded: `mailto`
    Mailto(Mailto<'a>),
    /// A file of a host: `file`
    File(File<'a>),
    /// Any other scheme
    Other(Other<'a>),
}

/// A URL of Usenet: of news on any server, or of one server.
///
/// ```
/// use rfc1738::{Protocol, Url, Usenet};
///
/// let url = Url::parse("news:a.b").unwrap();
/// assert!(matches!(url.protocol(), Protocol::Nntp(Usenet::News(_))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usenet<'a> {
    /// `newsurl`
    News(News<'a>),
    /// `nntpurl`
    Nntp(Nntp<'a>),
}

impl Url {
    /// The protocol with which the URL is opened.
    ///
    /// ```
    /// use rfc1738::{Protocol, Url};
    ///
    /// assert!(matches!(Url::parse("https://h.example/").unwrap().protocol(), Protocol::Http(_)));
    /// assert!(matches!(Url::parse("nex://h.example/").unwrap().protocol(), Protocol::Nex(_)));
    /// ```
    pub fn protocol(&self) -> Protocol<'_> {
        match self.base_parts() {
            Parts::Gopher(gopher) if gopher.item_type() == b'2' && gopher.plus.is_none() => {
                Protocol::Cso(gopher)
            }
            Parts::Gopher(gopher) => Protocol::Gopher(gopher),
            Parts::Ftp(ftp) => Protocol::Ftp(ftp),
            Parts::News(news) => Protocol::Nntp(Usenet::News(news)),
            Parts::Nntp(nntp) => Protocol::Nntp(Usenet::Nntp(nntp)),
            Parts::Telnet(telnet) => Protocol::Telnet(telnet),
            Parts::Wais(wais) => Protocol::Wais(wais),
            Parts::Prospero(prospero) => Protocol::Prospero(prospero),
            Parts::Mailto(mailto) => Protocol::Mailto(mailto),
            Parts::File(file) => Protocol::File(file),
            Parts::Http(http) => self.http_like(http),
            Parts::Other(other) => match self.extension_scheme() {
                Some(ExtensionScheme::Finger) => Protocol::Finger(other),
                Some(_) | None => Protocol::Other(other),
            },
        }
    }

    /// The protocol of a URL with the production of `http`.
    fn http_like<'a>(&self, http: Http<'a>) -> Protocol<'a> {
        match self.extension_scheme() {
            Some(ExtensionScheme::Gemini) => Protocol::Gemini(http),
            Some(ExtensionScheme::Titan) => Protocol::Titan(http),
            Some(ExtensionScheme::Spartan) => Protocol::Spartan(http),
            Some(ExtensionScheme::Nex) => Protocol::Nex(http),
            // All after https have other productions.
            None
            | Some(
                ExtensionScheme::Https
                | ExtensionScheme::Gophers
                | ExtensionScheme::Ftps
                | ExtensionScheme::Nntps
                | ExtensionScheme::Snews
                | ExtensionScheme::Tn3270
                | ExtensionScheme::Finger,
            ) => Protocol::Http(http),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::*;

    fn name(text: &str) -> &'static str {
        match Dialect::Extended.parse(text).unwrap().protocol() {
            Protocol::Gopher(_) => "gopher",
            Protocol::Cso(_) => "cso",
            Protocol::Ftp(_) => "ftp",
            Protocol::Nntp(_) => "nntp",
            Protocol::Http(_) => "http",
            Protocol::Gemini(_) => "gemini",
            Protocol::Titan(_) => "titan",
            Protocol::Spartan(_) => "spartan",
            Protocol::Nex(_) => "nex",
            Protocol::Finger(_) => "finger",
            Protocol::Telnet(_) => "telnet",
            Protocol::Wais(_) => "wais",
            Protocol::Prospero(_) => "prospero",
            Protocol::Mailto(_) => "mailto",
            Protocol::File(_) => "file",
            Protocol::Other(_) => "other",
        }
    }

    #[test]
    fn each_scheme_has_its_protocol() {
        for (protocol, urls) in [
            (
                "gopher",
                "gopher://h/1/a gophers://h/7/q%09a gopher://h/2a%09%09+",
            ),
            ("cso", "gopher://h:105/2 gophers://h/2"),
            ("ftp", "ftp://h/a FTPS://h/a"),
            ("nntp", "news:a.b snews:a.b nntp://h/a.b nntps://h/a.b/1"),
            ("http", "http://h/ HTTPS://h/a"),
            ("gemini", "gemini://h/a GEMINI://h"),
            ("titan", "titan://h/a;size=1"),
            ("spartan", "spartan://h/a?b"),
            ("nex", "nex://h/a/"),
            ("finger", "finger://h/ada finger:ada"),
            ("telnet", "telnet://h tn3270://h"),
            ("wais", "wais://h/d"),
            ("prospero", "prospero://h/a"),
            ("mailto", "mailto:a@h.example"),
            ("file", "file:///a"),
            // A URL of a known scheme, but not in its form.
            ("other", "irc://h/a gemini:a https:a nex:a"),
        ] {
            for url in urls.split(' ') {
                assert_eq!(name(url), protocol, "{url}");
            }
        }
        for later in ExtensionScheme::ALL.map(ExtensionScheme::name) {
            let urls = [format!("{later}://h"), format!("{later}://h/a.b")];
            assert!(urls.iter().any(|url| name(url) != "other"), "{later}");
        }
    }
}
