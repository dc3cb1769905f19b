//! Builders: URLs made of hosts and octets, as menus, listings and groups contain them.
//!
//! A builder writes the URL, encodes what must be encoded, and parses it with [`Dialect::Extended`]. So the result can
//! be opened like any typed URL, and its parts decode to the given octets. An IPv6 address is passed without brackets.
//! What a URL cannot hold (a TAB in a selector, a space in a host) is an error that points into the text of the URL.

use std::net::Ipv6Addr;
use std::ops::Range;

use super::cursor::Cursor;
use super::error::{Message, ParseError, Rule};
use super::escape::{self, ARTICLE, Class, FPATH, FSEGMENT, GROUP, SEARCH, UCHAR, USER, XCHAR};
use super::ftp::FtpType;
use super::parts::Parts;
use super::{Dialect, Url, WaisTarget, host, scheme};

impl Url {
    /// The URL of `path` on a server, without a user. The path is written as in a URL, without the slash that ends the
    /// host. The scheme's own port is left out.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::on_server("wais", "wais.example", Some(8210), "birds").unwrap();
    /// assert_eq!(url.as_str(), "wais://wais.example:8210/birds");
    /// ```
    pub fn on_server(
        scheme: &str,
        host: &str,
        port: Option<u16>,
        path: &str,
    ) -> Result<Url, ParseError> {
        Dialect::Extended.parse(&(server(scheme, host, port)? + path))
    }

    /// The gopher item of `gtype` and `selector`. Port 70 is left out; the root menu is written without a path.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::gopher("gopher.example", 70, b'0', b"/a b").unwrap();
    /// assert_eq!(url.as_str(), "gopher://gopher.example/0/a%20b");
    /// ```
    pub fn gopher(host: &str, port: u16, gtype: u8, selector: &[u8]) -> Result<Url, ParseError> {
        let mut text = server("gopher", host, Some(port))?;
        if gtype != b'1' || !selector.is_empty() {
            item(&mut text, gtype, selector)?;
        }
        Dialect::Extended.parse(&text)
    }

    /// The item of `gtype` and `selector` on the server of this gopher URL, with its scheme. Any other scheme is an
    /// error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://h.example:7070/0/a").unwrap();
    /// let menu = url.with_selector(b'1', b"/b c").unwrap();
    /// assert_eq!(menu.as_str(), "gopher://h.example:7070/1/b%20c");
    /// ```
    pub fn with_selector(&self, gtype: u8, selector: &[u8]) -> Result<Url, ParseError> {
        let Parts::Gopher(_) = self.base_parts() else {
            return Err(self.unfit(Rule("gopherurl", "3.4"), "a gopher URL"));
        };
        let mut text = format!("{}/", self.head());
        item(&mut text, gtype, selector)?;
        Dialect::Extended.parse(&text)
    }

    /// This item with a search for `words`, which replaces its search and Gopher+ string. For a wais URL, a search of
    /// its database; for a gemini URL, its query. Any other scheme is an error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://h.example/7/find").unwrap();
    /// assert_eq!(url.with_search(b"two words").unwrap().as_str(), "gopher://h.example/7/find%09two%20words");
    /// ```
    pub fn with_search(&self, words: &[u8]) -> Result<Url, ParseError> {
        let parts = self.base_parts();
        if let Parts::Gopher(gopher) = parts {
            let mut text = self.item(gopher.gtype, gopher.selector);
            fields(&mut text, Some(words), None)?;
            return Dialect::Extended.parse(&text);
        }
        if let Parts::Wais(wais) = parts {
            let database = wais.database.as_str();
            let search = escape::encode(words, &SEARCH);
            return Dialect::Extended.parse(&format!("{}/{database}?{search}", self.head()));
        }
        if let Parts::Http(http) = parts
            && !self.is_web()
        {
            let path = http.path.map_or("", super::Encoded::as_str);
            return Dialect::Extended.parse(&format!("{}/{path}?{}", self.head(), encoded(words)));
        }
        Err(self.unfit(Rule("gopherurl", "3.4"), "a gopher or wais URL"))
    }

    /// This URL without its query, where its scheme has one after a `?`; unchanged in any other scheme.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("http://h.example/a?b").unwrap();
    /// assert_eq!(url.without_query().as_str(), "http://h.example/a");
    /// ```
    #[must_use]
    pub fn without_query(&self) -> Url {
        let has_query = matches!(self.base_parts(), Parts::Http(http) if http.search.is_some());
        let before = self.before_fragment().split_once('?');
        let without = before.filter(|_| has_query);
        let without = without.and_then(|(before, _)| Dialect::Extended.parse(before).ok());
        without.unwrap_or_else(|| self.clone())
    }

    /// This gopher item with a Gopher+ string (`+`, `!`, `$`, `+text/plain`); its search stays. Any other scheme is
    /// an error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://h.example/0a").unwrap();
    /// assert_eq!(url.with_plus(b"!").unwrap().as_str(), "gopher://h.example/0a%09%09!");
    /// ```
    pub fn with_plus(&self, plus: &[u8]) -> Result<Url, ParseError> {
        let Parts::Gopher(gopher) = self.base_parts() else {
            return Err(self.unfit(Rule("gopherurl", "3.4"), "a gopher URL"));
        };
        let search = gopher.search.map(super::Encoded::octets);
        let mut text = self.item(gopher.gtype, gopher.selector);
        fields(&mut text, search.as_deref(), Some(plus))?;
        Dialect::Extended.parse(&text)
    }

    /// This gopher item without its Gopher+ string, and without the empty search that came with it. `None` if it has
    /// no Gopher+ string.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("gopher://h.example/0a%09%09!").unwrap();
    /// assert_eq!(url.without_plus().unwrap().as_str(), "gopher://h.example/0a");
    /// ```
    pub fn without_plus(&self) -> Option<Url> {
        let Parts::Gopher(gopher) = self.base_parts() else {
            return None;
        };
        let plus = format!("%09{}", gopher.plus?.as_str());
        let rest = self.before_fragment().strip_suffix(&plus)?;
        let rest = rest.strip_suffix("%09").unwrap_or(rest);
        Dialect::Extended.parse(rest).ok()
    }

    /// This ftp or telnet URL with `user` as its login. Any other scheme is an error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://h.example/a").unwrap();
    /// assert_eq!(url.with_user(b"a@b").unwrap().as_str(), "ftp://a%40b@h.example/a");
    /// ```
    pub fn with_user(&self, user: &[u8]) -> Result<Url, ParseError> {
        let Some(login) = self.base_parts().login() else {
            return Err(self.unfit(Rule("ftpurl", "3.2"), "an ftp or telnet URL"));
        };
        let (scheme, user) = (self.scheme_name(), escape::encode(user, &USER));
        let (host, tail) = (login.address.text, self.tail());
        Dialect::Extended.parse(&format!("{scheme}://{user}@{host}{tail}"))
    }

    /// This URL with another host. A URL without an authority is an error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("ftp://ada@h.example:2121/a").unwrap();
    /// assert_eq!(url.with_host("i.example").unwrap().as_str(), "ftp://ada@i.example:2121/a");
    /// ```
    pub fn with_host(&self, host: &str) -> Result<Url, ParseError> {
        let text = self.as_str();
        let parts = host_range(text)
            .and_then(|range| Some((text.get(..range.start)?, text.get(range.end..)?)));
        let Some((before, after)) = parts else {
            return Err(self.unfit(Rule("ip-schemepart", "3.1"), "a URL with a host"));
        };
        Dialect::Extended.parse(&[before, host, after].concat())
    }

    /// The entry `name` of this directory of an ftp or file URL. With [`FtpType::Directory`] an ftp URL ends with
    /// `;type=d` and a file URL with a slash. The name is octets: a slash in it is encoded. Any other scheme is an
    /// error.
    ///
    /// ```
    /// use rfc1738::{FtpType, Url};
    ///
    /// let url = Url::parse("ftp://h.example/pub").unwrap();
    /// let child = url.child(b"a/b", Some(FtpType::Directory)).unwrap();
    /// assert_eq!(child.as_str(), "ftp://h.example/pub/a%2Fb;type=d");
    /// ```
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
        Dialect::Extended.parse(&format!("{}/{path}{slash}{name}{end}", self.head()))
    }

    /// This ftp URL with the type `kind`, which replaces its own. Any other scheme is an error.
    ///
    /// ```
    /// use rfc1738::{FtpType, Url};
    ///
    /// let url = Url::parse("ftp://h.example/a;type=i").unwrap();
    /// assert_eq!(url.with_type(FtpType::Ascii).unwrap().as_str(), "ftp://h.example/a;type=a");
    /// ```
    pub fn with_type(&self, kind: FtpType) -> Result<Url, ParseError> {
        let Parts::Ftp(ftp) = self.base_parts() else {
            return Err(self.unfit(Rule("ftptype", "3.2.2"), "an ftp URL"));
        };
        let path = ftp.path.unwrap_or_default();
        let (path, letter) = (path.as_str(), kind.letter());
        Dialect::Extended.parse(&format!("{}/{path};type={letter}", self.head()))
    }

    /// A local file or directory by its absolute path (RFC 1738, section 3.10; RFC 8089, appendix B). The path is
    /// octets; its first slash may be missing.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert_eq!(Url::local_file(b"/tmp/a b").unwrap().as_str(), "file:///tmp/a%20b");
    /// ```
    pub fn local_file(path: &[u8]) -> Result<Url, ParseError> {
        let path = path.strip_prefix(b"/").unwrap_or(path);
        Dialect::Extended.parse(&format!("file:///{}", escape::encode(path, &FPATH)))
    }

    /// A group of a server, or an article of the group by number. Port 119 is left out.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::nntp("news.example", 119, b"comp.lang.rust", Some(7)).unwrap();
    /// assert_eq!(url.as_str(), "nntp://news.example/comp.lang.rust/7");
    /// ```
    pub fn nntp(
        host: &str,
        port: u16,
        group: &[u8],
        number: Option<u64>,
    ) -> Result<Url, ParseError> {
        let number = number.map_or(String::new(), |number| format!("/{number}"));
        let path = escape::encode(group, &GROUP) + &number;
        Url::on_server("nntp", host, Some(port), &path)
    }

    /// A group of a server over implicit TLS. Port 563 is left out.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::nntps("news.example", 563, b"comp.lang.rust").unwrap();
    /// assert_eq!(url.as_str(), "nntps://news.example/comp.lang.rust");
    /// ```
    pub fn nntps(host: &str, port: u16, group: &[u8]) -> Result<Url, ParseError> {
        Url::on_server("nntps", host, Some(port), &escape::encode(group, &GROUP))
    }

    /// A group on the server of this news URL, over TLS if this URL uses TLS. For any other URL, the group on any
    /// server.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("nntp://h.example/a.b/7").unwrap();
    /// assert_eq!(url.group_on_server(b"c.d").unwrap().as_str(), "nntp://h.example/c.d");
    /// ```
    pub fn group_on_server(&self, group: &[u8]) -> Result<Url, ParseError> {
        let parts = self.base_parts();
        match parts.address().filter(|_| parts.is_news()) {
            Some(server) if self.is_tls() => Url::nntps(server.node(), server.port(), group),
            Some(server) => Url::nntp(server.node(), server.port(), group, None),
            None => Url::news_group(group),
        }
    }

    /// The article with this number in the group of this nntp URL, or the message with this number in the mailbox of
    /// this file URL. Any other scheme is an error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("nntp://h.example/a.b").unwrap();
    /// assert_eq!(url.numbered(7).unwrap().as_str(), "nntp://h.example/a.b/7");
    /// ```
    pub fn numbered(&self, number: u64) -> Result<Url, ParseError> {
        if let Parts::File(_) = self.base_parts() {
            return self.child(number.to_string().as_bytes(), None);
        }
        let Parts::Nntp(nntp) = self.base_parts() else {
            return Err(self.unfit(Rule("nntpurl", "3.7"), "an nntp URL"));
        };
        Dialect::Extended.parse(&format!("{}/{}/{number}", self.head(), nntp.group.as_str()))
    }

    /// An object of a Prospero server, in the given version or in any version.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::prospero("prospero.example", None, b"/pub", Some(b"2")).unwrap();
    /// assert_eq!(url.as_str(), "prospero://prospero.example//pub;OBJECT-VERSION=2");
    /// ```
    pub fn prospero(
        host: &str,
        port: Option<u16>,
        name: &[u8],
        version: Option<&[u8]>,
    ) -> Result<Url, ParseError> {
        let version = version.map(|version| format!(";OBJECT-VERSION={}", encoded(version)));
        let path = escape::encode(name, &FPATH) + &version.unwrap_or_default();
        Url::on_server("prospero", host, port, &path)
    }

    /// A document in the database of this wais URL: its type and its id, encoded by [`encoded`]. Any other scheme is
    /// an error.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::parse("wais://h.example/birds").unwrap();
    /// assert_eq!(url.wais_document("TEXT", "1").unwrap().as_str(), "wais://h.example/birds/TEXT/1");
    /// ```
    pub fn wais_document(&self, wtype: &str, id: &str) -> Result<Url, ParseError> {
        let Parts::Wais(wais) = self.base_parts() else {
            return Err(self.unfit(Rule("waisurl", "3.9"), "a wais URL"));
        };
        let database = wais.database.as_str();
        Dialect::Extended.parse(&format!("{}/{database}/{wtype}/{id}", self.head()))
    }

    /// The URL of a WAIS document in the form of RFC 1738, if it is written as libwww did.
    ///
    /// ```
    /// use rfc1738::Dialect;
    ///
    /// let url = Dialect::Extended.parse("wais://h.example/db/TEXT/9/1=a;").unwrap();
    /// let in_form = url.in_rfc1738_form().unwrap();
    /// assert_eq!(in_form.as_str(), "wais://h.example/db/TEXT/%01%01a");
    /// ```
    pub fn in_rfc1738_form(&self) -> Option<Url> {
        let Parts::Wais(wais) = self.base_parts() else {
            return None;
        };
        let WaisTarget::Fields { wtype, .. } = wais.target else {
            return None;
        };
        let id = encoded(&wais.target.id()?);
        self.wais_document(wtype.as_str(), &id).ok()
    }

    /// A group on any server.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert_eq!(Url::news_group(b"comp.lang.rust").unwrap().as_str(), "news:comp.lang.rust");
    /// ```
    pub fn news_group(group: &[u8]) -> Result<Url, ParseError> {
        let text = format!("news:{}", escape::encode(group, &GROUP));
        if group.is_empty() {
            // An empty name or `*` would mean all groups.
            return Url::parse(&text);
        }
        Dialect::Extended.parse(&text)
    }

    /// An article by its Message-ID, with or without angle brackets. The text before and after the last `@` is
    /// encoded where necessary.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let url = Url::news_article(b"<1@news.example>").unwrap();
    /// assert_eq!(url.as_str(), "news:1@news.example");
    /// ```
    pub fn news_article(message_id: &[u8]) -> Result<Url, ParseError> {
        let id = message_id
            .strip_prefix(b"<")
            .and_then(|id| id.strip_suffix(b">"))
            .unwrap_or(message_id);
        let Some(at) = id.iter().rposition(|octet| *octet == b'@') else {
            let text = format!("news:{}", escape::encode(id, &ARTICLE));
            let mut end = Cursor::new(&text);
            end.take(text.len());
            return Err(end.missing(Rule("article", "3.6"), "the \"@\" of a Message-ID"));
        };
        let (unique, host) = id.split_at_checked(at).unwrap_or((id, &[]));
        let (unique, host) = (
            escape::encode(unique, &ARTICLE),
            host.get(1..).unwrap_or_default(),
        );
        Dialect::Extended.parse(&format!("news:{unique}@{}", encoded(host)))
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
///
/// ```
/// use rfc1738::encoded;
///
/// assert_eq!(encoded(b"50% of a/b"), "50%25%20of%20a%2Fb");
/// ```
pub fn encoded(octets: &[u8]) -> String {
    escape::encode(octets, &UCHAR)
}

/// The range of the host in the text of a URL; `None` without an authority. An IPv6 address has its brackets.
///
/// ```
/// use rfc1738::host_range;
///
/// let text = "ftp://ada@h.example:2121/";
/// assert_eq!(&text[host_range(text).unwrap()], "h.example");
/// ```
pub fn host_range(text: &str) -> Option<Range<usize>> {
    let (scheme, rest) = text.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let address = authority.rsplit('@').next()?;
    let start = scheme.len() + 3 + authority.len() - address.len();
    let end = match address.strip_prefix('[') {
        Some(inside) => inside.find(']')? + 2,
        None => address.find(':').unwrap_or(address.len()),
    };
    Some(start..start + end)
}

/// The text `scheme://host:port/`, checked where the parser could split it differently. The scheme's own port is left
/// out.
fn server(scheme: &str, host: &str, port: Option<u16>) -> Result<String, ParseError> {
    let mut text = format!("{scheme}://");
    let start = text.len();
    if host.parse::<Ipv6Addr>().is_ok() {
        text = format!("{text}[{host}]");
    } else {
        text.push_str(host);
    }
    let mut cursor = Cursor::lenient(&text);
    cursor.take(start);
    host::host(&mut cursor)?;
    if cursor.peek().is_some() {
        let found = Message::HostChar(cursor.found());
        return Err(cursor.error(1, Rule("hostname", "3.1"), found));
    }
    let port = port.filter(|port| Some(*port) != scheme::default_port(scheme));
    let port = port.map_or(String::new(), |port| format!(":{port}"));
    Ok(format!("{text}{port}/"))
}

/// Appends the type and the selector of a gopher item.
fn item(text: &mut String, gtype: u8, selector: &[u8]) -> Result<(), ParseError> {
    line(text, &[gtype], &XCHAR, Rule("gtype", "3.4.1"))?;
    line(text, selector, &XCHAR, Rule("selector", "3.4.1"))
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
