//! Builders: URLs made of hosts and octets, as menus, listings and groups contain them.
//!
//! A builder writes the URL, encodes what must be encoded, and parses it with [`Url::accept`]. So the result can be
//! opened like any typed URL, and its parts decode to the given octets. An IPv6 address is passed without brackets.
//! What a URL cannot hold (a TAB in a selector, a space in a host) is an error that points into the text of the URL.

use std::net::Ipv6Addr;

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{self, ARTICLE, Class, FPATH, FSEGMENT, GROUP, SEARCH, UCHAR, USER, XCHAR};
use super::ftp::FtpType;
use super::parts::Parts;
use super::{ExtensionScheme, Url, login};

impl Url {
    /// The gopher item of `gtype` and `selector`. Port 70 is left out; the root menu is written without a path.
    pub fn gopher(host: &str, port: u16, gtype: u8, selector: &[u8]) -> Result<Url, ParseError> {
        Url::gopher_item(host, port, gtype, selector, None, None)
    }

    /// A gopher item with a search and a Gopher+ string. A Gopher+ string without a search gets an empty search.
    pub fn gopher_item(
        host: &str,
        port: u16,
        gtype: u8,
        selector: &[u8],
        search: Option<&[u8]>,
        plus: Option<&[u8]>,
    ) -> Result<Url, ParseError> {
        let mut text = address("gopher", b"", host, port, 70)?;
        text.push('/');
        if gtype != b'1' || !selector.is_empty() || search.is_some() || plus.is_some() {
            line(&mut text, &[gtype], &XCHAR, Rule("gtype", "3.4.1"))?;
            line(&mut text, selector, &XCHAR, Rule("selector", "3.4.1"))?;
        }
        fields(&mut text, search, plus)?;
        Url::accept(&text)
    }

    /// This item with a search for `words`, which replaces its search and Gopher+ string. For a wais URL, a search of
    /// its database. Any other scheme is an error.
    pub fn with_search(&self, words: &[u8]) -> Result<Url, ParseError> {
        let parts = self.base_parts();
        if let Parts::Gopher(gopher) = parts {
            let mut text = self.item(gopher.gtype, gopher.selector);
            fields(&mut text, Some(words), None)?;
            return Url::accept(&text);
        }
        if let Parts::Wais(wais) = parts {
            let database = wais.database.as_str();
            let search = escape::encode(words, &SEARCH);
            return Url::accept(&format!("{}/{database}?{search}", self.head()));
        }
        Err(self.unfit(Rule("gopherurl", "3.4"), "a gopher or wais URL"))
    }

    /// This gopher item with a Gopher+ string (`+`, `!`, `$`, `+text/plain`); its search stays. Any other scheme is
    /// an error.
    pub fn with_plus(&self, plus: &[u8]) -> Result<Url, ParseError> {
        let Parts::Gopher(gopher) = self.base_parts() else {
            return Err(self.unfit(Rule("gopherurl", "3.4"), "a gopher URL"));
        };
        let search = gopher.search.map(super::Encoded::octets);
        let mut text = self.item(gopher.gtype, gopher.selector);
        fields(&mut text, search.as_deref(), Some(plus))?;
        Url::accept(&text)
    }

    /// This gopher item without its Gopher+ string, and without the empty search that came with it. `None` if it has
    /// no Gopher+ string.
    pub fn without_plus(&self) -> Option<Url> {
        let Parts::Gopher(gopher) = self.base_parts() else {
            return None;
        };
        let plus = format!("%09{}", gopher.plus?.as_str());
        let rest = self.as_str().strip_suffix(&plus)?;
        let rest = rest.strip_suffix("%09").unwrap_or(rest);
        Url::accept(rest).ok()
    }

    /// A telnet session. An empty `user` is left out, as gopher items of type 8 have it. Port 23 is left out.
    pub fn telnet(host: &str, port: u16, user: &[u8]) -> Result<Url, ParseError> {
        Url::accept(&(address("telnet", user, host, port, 23)? + "/"))
    }

    /// A telnet session on a 3270 terminal (RFC 6270), for gopher items of type T.
    pub fn tn3270(host: &str, port: u16, user: &[u8]) -> Result<Url, ParseError> {
        Url::accept(&(address("tn3270", user, host, port, 23)? + "/"))
    }

    /// The login directory of an ftp server, with the user if one is given. Port 21 is left out.
    pub fn ftp(host: &str, port: u16, user: Option<&[u8]>) -> Result<Url, ParseError> {
        // No user and an empty user differ.
        let text = match user {
            Some(b"") => address("ftp", b"", host, port, 21)?.replacen("//", "//@", 1),
            Some(user) => address("ftp", user, host, port, 21)?,
            None => address("ftp", b"", host, port, 21)?,
        };
        Url::accept(&(text + "/"))
    }

    /// This ftp URL with `user` as its login. Any other scheme is an error.
    pub fn with_user(&self, user: &[u8]) -> Result<Url, ParseError> {
        let Parts::Ftp(_) = self.base_parts() else {
            return Err(self.unfit(Rule("ftpurl", "3.2"), "an ftp URL"));
        };
        let scheme = self.scheme_name();
        let before = self.head().get(scheme.len() + 3..).unwrap_or_default();
        let host = before.rsplit_once('@').map_or(before, |(_, host)| host);
        let user = escape::encode(user, &USER);
        Url::accept(&format!("{scheme}://{user}@{host}{}", self.tail()))
    }

    /// The entry `name` of this directory of an ftp or file URL. With [`FtpType::Directory`] an ftp URL ends with
    /// `;type=d` and a file URL with a slash. The name is octets: a slash in it is encoded. Any other scheme is an
    /// error.
    pub fn child(&self, name: &[u8], kind: Option<FtpType>) -> Result<Url, ParseError> {
        let parts = self.base_parts();
        let (path, end) = if let Parts::Ftp(ftp) = parts {
            let end = kind.map(|kind| format!(";type={}", kind.letter()));
            (ftp.path.unwrap_or_default(), end.unwrap_or_default())
        } else if let Parts::File(file) = parts {
            let directory = kind == Some(FtpType::Directory);
            (file.path, if directory { "/" } else { "" }.to_owned())
        } else {
            return Err(self.unfit(Rule("fpath", "3.2.2"), "an ftp or file URL"));
        };
        let path = path.as_str();
        let slash = if path.is_empty() || path.ends_with('/') {
            ""
        } else {
            "/"
        };
        let name = escape::encode(name, &FSEGMENT);
        Url::accept(&format!("{}/{path}{slash}{name}{end}", self.head()))
    }

    /// This ftp URL with the type `kind`, which replaces its own. Any other scheme is an error.
    pub fn with_type(&self, kind: FtpType) -> Result<Url, ParseError> {
        let Parts::Ftp(ftp) = self.base_parts() else {
            return Err(self.unfit(Rule("ftptype", "3.2.2"), "an ftp URL"));
        };
        let path = ftp.path.unwrap_or_default();
        let (path, letter) = (path.as_str(), kind.letter());
        Url::accept(&format!("{}/{path};type={letter}", self.head()))
    }

    /// A group of a server, or an article of the group by number. Port 119 is left out.
    pub fn nntp(
        host: &str,
        port: u16,
        group: &[u8],
        number: Option<u64>,
    ) -> Result<Url, ParseError> {
        let mut text = address("nntp", b"", host, port, 119)?;
        text.push('/');
        text.push_str(&escape::encode(group, &GROUP));
        if let Some(number) = number {
            text.push('/');
            text.push_str(&number.to_string());
        }
        Url::accept(&text)
    }

    /// A group of a server over implicit TLS. Port 563 is left out.
    pub fn nntps(host: &str, port: u16, group: &[u8]) -> Result<Url, ParseError> {
        let text = address("nntps", b"", host, port, 563)?;
        Url::accept(&format!("{text}/{}", escape::encode(group, &GROUP)))
    }

    /// A group on the server of this news URL, over TLS if this URL uses TLS. For any other URL, the group on any
    /// server.
    pub fn group_on_server(&self, group: &[u8]) -> Result<Url, ParseError> {
        let parts = self.base_parts();
        let address = match parts {
            Parts::Nntp(_) | Parts::News(_) => parts.address(),
            Parts::Http(_)
            | Parts::Ftp(_)
            | Parts::Gopher(_)
            | Parts::Mailto(_)
            | Parts::Telnet(_)
            | Parts::Wais(_)
            | Parts::File(_)
            | Parts::Prospero(_)
            | Parts::Other(_) => None,
        };
        match (address, self.extension_scheme()) {
            (Some(server), Some(ExtensionScheme::Nntps | ExtensionScheme::Snews)) => {
                Url::nntps(server.node(), server.port().unwrap_or(563), group)
            }
            (Some(server), _) => {
                Url::nntp(server.node(), server.port().unwrap_or(119), group, None)
            }
            (None, _) => Url::news_group(group),
        }
    }

    /// The article with this number in the group of this nntp URL, or the message with this number in the mailbox of
    /// this file URL. Any other scheme is an error.
    pub fn numbered(&self, number: u64) -> Result<Url, ParseError> {
        if let Parts::File(_) = self.base_parts() {
            return self.child(number.to_string().as_bytes(), None);
        }
        let Parts::Nntp(nntp) = self.base_parts() else {
            return Err(self.unfit(Rule("nntpurl", "3.7"), "an nntp URL"));
        };
        Url::accept(&format!("{}/{}/{number}", self.head(), nntp.group.as_str()))
    }

    /// An object of a Prospero server, in the given version or in any version.
    pub fn prospero(
        host: &str,
        port: Option<u16>,
        name: &[u8],
        version: Option<&[u8]>,
    ) -> Result<Url, ParseError> {
        let mut text = address("prospero", b"", host, port.unwrap_or(1525), 1525)?;
        text.push('/');
        text.push_str(&escape::encode(name, &FPATH));
        if let Some(version) = version {
            text.push_str(";OBJECT-VERSION=");
            text.push_str(&escape::encode(version, &UCHAR));
        }
        Url::accept(&text)
    }

    /// A WAIS database.
    pub fn wais(host: &str, port: Option<u16>, database: &[u8]) -> Result<Url, ParseError> {
        let text = address("wais", b"", host, port.unwrap_or(210), 210)?;
        Url::accept(&format!("{text}/{}", escape::encode(database, &UCHAR)))
    }

    /// A document in the database of this wais URL: its type and its id, encoded by [`encoded`]. Any other scheme is
    /// an error.
    pub fn wais_document(&self, wtype: &str, id: &str) -> Result<Url, ParseError> {
        let Parts::Wais(wais) = self.base_parts() else {
            return Err(self.unfit(Rule("waisurl", "3.9"), "a wais URL"));
        };
        let database = wais.database.as_str();
        Url::accept(&format!("{}/{database}/{wtype}/{id}", self.head()))
    }

    /// A group on any server.
    pub fn news_group(group: &[u8]) -> Result<Url, ParseError> {
        let text = format!("news:{}", escape::encode(group, &GROUP));
        if group.is_empty() {
            // An empty name or `*` would mean all groups.
            return Url::parse(&text);
        }
        Url::accept(&text)
    }

    /// An article by its Message-ID, with or without angle brackets. The text before and after the last `@` is
    /// encoded where necessary.
    pub fn news_article(message_id: &[u8]) -> Result<Url, ParseError> {
        let id = message_id
            .strip_prefix(b"<")
            .and_then(|id| id.strip_suffix(b">"))
            .unwrap_or(message_id);
        let mut halves = id.rsplitn(2, |octet| *octet == b'@');
        let mut text = "news:".to_owned();
        match (halves.next(), halves.next()) {
            (Some(host), Some(unique)) => {
                text.push_str(&escape::encode(unique, &ARTICLE));
                text.push('@');
                text.push_str(&escape::encode(host, &UCHAR));
                Url::accept(&text)
            }
            (unique, _) => {
                text.push_str(&escape::encode(unique.unwrap_or(b""), &ARTICLE));
                let mut end = Cursor::new(&text);
                end.take(text.len());
                Err(end.missing(Rule("article", "3.6"), "the \"@\" of a Message-ID"))
            }
        }
    }

    /// Scheme, host, type and selector of a gopher URL, to which fields are appended.
    fn item(&self, gtype: Option<super::Encoded<'_>>, selector: super::Encoded<'_>) -> String {
        let gtype = gtype.map_or("1", super::Encoded::as_str);
        format!("{}/{gtype}{}", self.head(), selector.as_str())
    }

    fn unfit(&self, rule: Rule, expected: &'static str) -> ParseError {
        let len = self.scheme_name().len();
        let cursor = Cursor::new(self.as_str());
        cursor.error(len, rule, Message::Expected(cursor.found(), expected))
    }
}

/// Octets encoded for any part of a URL: everything except the literals of `uchar` becomes an escape.
pub fn encoded(octets: &[u8]) -> String {
    escape::encode(octets, &UCHAR)
}

/// The text `scheme://user@host:port`, checked where the parser could split it differently.
fn address(
    scheme: &str,
    user: &[u8],
    host: &str,
    port: u16,
    default: u16,
) -> Result<String, ParseError> {
    let mut text = format!("{scheme}://");
    if !user.is_empty() {
        text.push_str(&escape::encode(user, &USER));
        text.push('@');
    }
    let start = text.len();
    if host.parse::<Ipv6Addr>().is_ok() {
        text.push('[');
        text.push_str(host);
        text.push(']');
    } else {
        text.push_str(host);
    }
    let mut cursor = Cursor::lenient(&text);
    cursor.take(start);
    login::host(&mut cursor)?;
    if cursor.peek().is_some() {
        let found = Message::HostChar(cursor.found());
        return Err(cursor.error(1, Rule("hostname", "3.1"), found));
    }
    if port != default {
        text.push(':');
        text.push_str(&port.to_string());
    }
    Ok(text)
}

/// Appends `octets` that go into a line of the gopher protocol. Octets that end a field or the line are an error.
fn line(text: &mut String, octets: &[u8], literal: &Class, rule: Rule) -> Result<(), ParseError> {
    let sendable = octets
        .iter()
        .position(|octet| matches!(octet, b'\t' | b'\r' | b'\n'));
    let Some(at) = sendable else {
        text.push_str(&escape::encode(octets, literal));
        return Ok(());
    };
    let (before, after) = octets.split_at_checked(at).unwrap_or((octets, &[]));
    text.push_str(&escape::encode(before, literal));
    Err(ParseError {
        at: text.len(),
        len: 3,
        rule: rule.0,
        section: rule.1,
        message: Message::Refused(after.first().copied().unwrap_or(b'\t')),
    })
}

/// Appends the search and the Gopher+ string to a gopher item.
fn fields(text: &mut String, search: Option<&[u8]>, plus: Option<&[u8]>) -> Result<(), ParseError> {
    if search.is_none() && plus.is_none() {
        return Ok(());
    }
    text.push_str("%09");
    // This is the narrower class of the production, so that every interpretation of the RFC accepts the result.
    line(
        text,
        search.unwrap_or(b""),
        &SEARCH,
        Rule("search", "3.4.2"),
    )?;
    if let Some(plus) = plus {
        text.push_str("%09");
        text.push_str(&escape::encode(plus, &XCHAR));
    }
    Ok(())
}
