//! Hazards: URLs that are valid but unwise to open (RFC 1738, section 6).
//!
//! A hazard is not a fault: a strictly valid URL can have one. Three of them (`line-break`, `nul`, `white-space`)
//! would inject lines or arguments into a dialogue, so such a URL is never sent. For the others the user decides.

use super::escape::{self, ALPHADIGIT, Class, Encoded};
use super::parts::Parts;
use super::scheme::other_port;
use super::script;
use super::{ExtensionScheme, Login, Url, WaisTarget};

/// A reason to check a valid URL before it is opened.
///
/// ```
/// use rfc1738::{Hazard, Url};
///
/// let url = Url::parse("gopher://h.example:25/0a").unwrap();
/// assert_eq!(url.hazards(), [Hazard::Port]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hazard {
    /// An encoded CR or LF, except in a filled Gopher+ form and in an answer for a Gemini server.
    LineBreak,
    /// An encoded NUL.
    Nul,
    /// An encoded space or tab where white space ends an argument on the wire: in news, and inside a finger query.
    WhiteSpace,
    /// A port that belongs to another service, or a reserved port that is not the scheme's own.
    Port,
    /// A readable password.
    Password,
    /// A user that looks like a host, as in `ftp://ftp.example.org@evil.example/`.
    UserLikeHost,
    /// A `?` in a user or password, where RFC 3986 would end the host.
    AmbiguousHost,
    /// Letters of two scripts in one label of the host, as in `http://h.comを見て/`: words that follow a host without a
    /// blank make it another host, and so do letters that look alike. Anybody can register its name.
    MixedScripts,
}

impl Hazard {
    /// The name in machine-readable output.
    ///
    /// ```
    /// use rfc1738::Hazard;
    ///
    /// assert_eq!(Hazard::LineBreak.code(), "line-break");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            Hazard::LineBreak => "line-break",
            Hazard::Nul => "nul",
            Hazard::WhiteSpace => "white-space",
            Hazard::Port => "port",
            Hazard::Password => "password",
            Hazard::UserLikeHost => "user-like-host",
            Hazard::AmbiguousHost => "ambiguous-host",
            Hazard::MixedScripts => "mixed-scripts",
        }
    }

    /// The meaning for the user, as a sentence.
    ///
    /// ```
    /// use rfc1738::Hazard;
    ///
    /// assert_eq!(Hazard::Port.sentence(), "the port belongs to another service");
    /// ```
    pub const fn sentence(self) -> &'static str {
        match self {
            Hazard::LineBreak => "an encoded line break: it is never sent",
            Hazard::Nul => "an encoded NUL: it is never sent",
            Hazard::WhiteSpace => {
                "an encoded blank, which would begin another argument: it is never sent"
            }
            Hazard::Port => "the port belongs to another service",
            Hazard::Password => "it contains a password that anybody can read",
            Hazard::UserLikeHost => "the user looks like a host; the host is what follows the @",
            Hazard::AmbiguousHost => "other programs may see another host in it",
            Hazard::MixedScripts => {
                "a part of the host has letters of two scripts: it may be another host"
            }
        }
    }

    /// Returns true if the user must confirm. A readable password is visible, and its owner wrote it there.
    ///
    /// ```
    /// use rfc1738::Hazard;
    ///
    /// assert!(Hazard::Port.needs_confirmation() && !Hazard::Nul.needs_confirmation());
    /// ```
    pub const fn needs_confirmation(self) -> bool {
        match self {
            Hazard::Port | Hazard::UserLikeHost | Hazard::AmbiguousHost | Hazard::MixedScripts => {
                true
            }
            Hazard::LineBreak | Hazard::Nul | Hazard::WhiteSpace | Hazard::Password => false,
        }
    }

    /// Returns true if the URL must not be sent.
    ///
    /// ```
    /// use rfc1738::Hazard;
    ///
    /// assert!(Hazard::Nul.is_forbidden() && !Hazard::Port.is_forbidden());
    /// ```
    pub const fn is_forbidden(self) -> bool {
        match self {
            Hazard::LineBreak | Hazard::Nul | Hazard::WhiteSpace => true,
            Hazard::Port
            | Hazard::Password
            | Hazard::UserLikeHost
            | Hazard::AmbiguousHost
            | Hazard::MixedScripts => false,
        }
    }
}

/// The characters that look like parts of a host to a reader.
const HOSTLY: Class = ALPHADIGIT.and(b"-._");

/// Ports from 1024 on whose services could take a line of another protocol for one of their own commands.
const SERVICES: [u16; 29] = [
    1719, 1720, 1723, 2049, 3306, 3389, 3659, 4045, 4190, 5060, 5061, 5432, 5900, 6000, 6379, 6566,
    6665, 6666, 6667, 6668, 6669, 6679, 6697, 8332, 9100, 9200, 10080, 11211, 27017,
];

/// Returns true if `port` needs confirmation, where `own` is the scheme's own port.
fn is_risky_port(port: u16, own: Option<u16>) -> bool {
    Some(port) != own && (port < 1024 || SERVICES.contains(&port))
}

impl Url {
    /// The hazard that forbids sending or forwarding this URL, if it has one.
    ///
    /// ```
    /// use rfc1738::{Dialect, Hazard, Url};
    ///
    /// let url = Url::parse("ftp://h.example/a%0D%0ADELE%20b").unwrap();
    /// assert_eq!(url.forbidden_hazard(), Some(Hazard::LineBreak));
    /// let answer = Dialect::Extended.parse("gemini://h.example/a?b%0Ac").unwrap();
    /// assert_eq!(answer.forbidden_hazard(), None);
    /// ```
    pub fn forbidden_hazard(&self) -> Option<Hazard> {
        // All forbidden hazards are escapes.
        if !self.has_escapes() {
            return None;
        }
        self.hazards()
            .into_iter()
            .find(|hazard| hazard.is_forbidden())
    }

    /// The hazards of this URL, each once, in the order of [`Hazard`].
    ///
    /// ```
    /// use rfc1738::{Hazard, Url};
    ///
    /// let url = Url::parse("ftp://ftp.example.org@h.example/").unwrap();
    /// assert_eq!(url.hazards(), [Hazard::UserLikeHost]);
    /// ```
    pub fn hazards(&self) -> Vec<Hazard> {
        self.hazards_of(self.base_parts())
    }

    /// The hazards, with the result of [`Url::base_parts`] given by the caller.
    ///
    /// ```
    /// use rfc1738::{Hazard, Url};
    ///
    /// let url = Url::parse("ftp://u:p@h.example/").unwrap();
    /// assert_eq!(url.hazards_of(url.base_parts()), [Hazard::Password]);
    /// ```
    pub fn hazards_of(&self, parts: Parts<'_>) -> Vec<Hazard> {
        let mut hazards = Vec::new();
        // A selector and a search hold no line breaks, so only a form could.
        let form = matches!(parts, Parts::Gopher(gopher) if gopher.plus.is_some_and(is_form));
        let (breaks, nul) = if self.has_escapes() {
            controls(self.in_lines(&parts))
        } else {
            (false, false)
        };
        if breaks && !form {
            hazards.push(Hazard::LineBreak);
        }
        if nul {
            hazards.push(Hazard::Nul);
        }
        if self.splits_argument(&parts) {
            hazards.push(Hazard::WhiteSpace);
        }
        let generic = match parts {
            Parts::Other(other) => other.ip().map(|(login, _)| login),
            _ => None,
        };
        let login = parts.login().or(generic);
        let address = parts.address().or(generic.map(|login| login.address));
        let written_port = address.and_then(|address| Some((address, address.written_port?)));
        let risky = written_port.is_some_and(|(address, port)| {
            let of_extension = || self.extension_scheme().map(ExtensionScheme::default_port);
            let own = address.default_port.or_else(of_extension);
            is_risky_port(port, own.or_else(|| other_port(self.scheme_name())))
        });
        if risky {
            hazards.push(Hazard::Port);
        }
        if self.has_password() || self.is_bare_login() {
            hazards.push(Hazard::Password);
        }
        if login.is_some_and(|login| looks_like_host(&login)) {
            hazards.push(Hazard::UserLikeHost);
        }
        let asks = |part: Option<Encoded<'_>>| part.is_some_and(|part| part.as_str().contains('?'));
        if login.is_some_and(|login| asks(login.user) || asks(login.password)) {
            hazards.push(Hazard::AmbiguousHost);
        }
        if address.is_some_and(|address| script::is_mixed(address.host)) {
            hazards.push(Hazard::MixedScripts);
        }
        hazards
    }

    fn has_escapes(&self) -> bool {
        self.as_str().as_bytes().contains(&b'%')
    }

    /// The part of the URL that is sent in lines. The id of a WAIS document is sent with its length instead, and may
    /// hold NULs and line breaks (RFC 1625). A Gemini server gets an answer encoded, so it may have several lines.
    fn in_lines(&self, parts: &Parts<'_>) -> &str {
        let text = self.before_fragment();
        let id = match parts {
            Parts::Wais(wais) => match wais.target {
                WaisTarget::Document { wpath, .. } => wpath.as_str(),
                WaisTarget::Fields { id, .. } => id.as_str(),
                WaisTarget::Database | WaisTarget::Search(_) => "",
            },
            Parts::Http(http) if self.extension_scheme() == Some(ExtensionScheme::Gemini) => {
                http.search.map_or("", |search| search.as_str())
            }
            _ => "",
        };
        text.strip_suffix(id).unwrap_or(text)
    }

    /// Returns true if an encoded space would split an argument in two: in news (RFC 3977, section 3.1), and in a
    /// finger query after the `/W` that may begin it (RFC 1288, section 2.3).
    fn splits_argument(&self, parts: &Parts<'_>) -> bool {
        match parts {
            Parts::News(_) | Parts::Nntp(_) => has_blank(&escape::decode(self.before_fragment())),
            Parts::Other(other) if self.extension_scheme() == Some(ExtensionScheme::Finger) => {
                let query = other.ip().map(|(login, path)| [login.user, path]);
                query.into_iter().flatten().flatten().any(|query| {
                    let query = query.octets();
                    let words = match query.split_at_checked(2) {
                        Some((switch, words)) if switch.eq_ignore_ascii_case(b"/w") => words,
                        Some(_) | None => &query,
                    };
                    has_blank(words.trim_ascii())
                })
            }
            _ => false,
        }
    }
}

/// Returns true for a space or tab. Line breaks are a separate hazard.
fn has_blank(octets: &[u8]) -> bool {
    let is_blank = |octet: &u8| matches!(octet, b' ' | b'\t' | 0x0B | 0x0C);
    octets.iter().any(is_blank)
}

/// Tells whether a text has encoded line breaks, and whether it has encoded NULs.
fn controls(text: &str) -> (bool, bool) {
    let (mut breaks, mut nul) = (false, false);
    for (at, _) in text.match_indices('%') {
        match escape::escaped(text.as_bytes(), at) {
            Some(b'\r' | b'\n') => breaks = true,
            Some(0) => nul = true,
            Some(_) | None => {}
        }
    }
    (breaks, nul)
}

/// Returns true if the visible start of a user looks like a host.
fn looks_like_host(login: &Login<'_>) -> bool {
    let Some(user) = login.user else {
        return false;
    };
    let octets = user.octets();
    let name = octets
        .split(|octet| !HOSTLY.has(*octet))
        .next()
        .unwrap_or(&[]);
    let labels = name
        .split(|octet| *octet == b'.')
        .filter(|label| !label.is_empty());
    labels.count() > 1 || name.eq_ignore_ascii_case(b"localhost")
}

/// Returns true if a Gopher+ string is a filled form as section 3.4.9 writes it: `+` and an optional view, TAB, `1`,
/// the line `+-1`, the answers, and a full stop on a line of its own. Every line ends with CR LF, and nothing
/// follows.
fn is_form(plus: Encoded<'_>) -> bool {
    let octets = plus.octets();
    let view = octets.iter().position(|octet| *octet == b'\t');
    let (view, rest) = octets.split_at(view.unwrap_or(0));
    let line = |octet: &u8| matches!(octet, b'\r' | b'\n' | 0);
    let (Some(answers), [b'+', view @ ..]) = (rest.strip_prefix(b"\t1\r\n+-1\r\n"), view) else {
        return false;
    };
    if view.iter().any(line) {
        return false;
    }
    let mut ended = false;
    let mut rest = answers;
    while let Some(at) = rest.iter().position(|octet| matches!(octet, b'\r' | b'\n')) {
        let (line, end) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        let Some(after) = end.strip_prefix(b"\r\n") else {
            return false;
        };
        if ended {
            return false;
        }
        ended = line == b".";
        rest = after;
    }
    ended && rest.is_empty()
}
