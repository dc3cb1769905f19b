//! Departures: URL forms that [`Dialect::Extended`](super::Dialect::Extended) accepts although RFC 1738 does not allow
//! them, or reads differently from RFC 1738.
//!
//! A departure is not a fault to repair: a later document allows the form and defines what is sent to the server. The
//! verdict of RFC 1738 does not change ([`Url::verdict`](super::Url::verdict)).

/// A URL form that a later document defines.
///
/// ```
/// use rfc1738::{Departure, Dialect};
///
/// let url = Dialect::Extended.parse("http://h.example./").unwrap();
/// assert_eq!(url.departures().iter().next(), Some(Departure::TrailingDot));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Departure {
    /// An IPv6 literal as the host: `[::1]`.
    Ipv6,
    /// A host with the dot of the root: `host.example.`.
    TrailingDot,
    /// An underscore in a host: `a_b.example`. RFC 1034 has no such host name, but the DNS resolves it.
    Underscore,
    /// A host with letters outside ASCII: `münchen.example`.
    International,
    /// A colon without a port: `host:`.
    EmptyPort,
    /// A news URL with a server (`news://host/…`), a pattern of groups, or names that RFC 1738 does not have.
    Rfc5538,
    /// A `mailto:` URL with headers, or without an address.
    Rfc6068,
    /// A file URL without slashes before the path: `file:/path`.
    Rfc8089,
    /// A `/` or `?` in the search part of an http URL.
    HttpQuery,
    /// A type suffix in other letter case: `;TYPE=`.
    TypeCase,
    /// Articles of a group by their numbers: `news:group/1-9`.
    Range,
    /// A WAIS document as libwww wrote it: `wais://host/db/TEXT/42/1=…;2=…;`.
    WaisFields,
    /// A fragment: `#` and the name of a part of the page.
    Fragment,
}

impl Departure {
    /// All departures, in the order in which they are reported.
    ///
    /// ```
    /// use rfc1738::Departure;
    ///
    /// assert!(Departure::ALL.contains(&Departure::Fragment));
    /// ```
    pub const ALL: [Departure; 13] = [
        Departure::Ipv6,
        Departure::TrailingDot,
        Departure::Underscore,
        Departure::International,
        Departure::EmptyPort,
        Departure::Rfc5538,
        Departure::Rfc6068,
        Departure::Rfc8089,
        Departure::HttpQuery,
        Departure::TypeCase,
        Departure::Range,
        Departure::WaisFields,
        Departure::Fragment,
    ];

    /// The name in machine-readable output.
    ///
    /// ```
    /// use rfc1738::Departure;
    ///
    /// assert_eq!(Departure::TrailingDot.code(), "trailing-dot");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            Departure::Ipv6 => "ipv6",
            Departure::TrailingDot => "trailing-dot",
            Departure::Underscore => "underscore",
            Departure::International => "international-host",
            Departure::EmptyPort => "empty-port",
            Departure::Rfc5538 => "rfc5538",
            Departure::Rfc6068 => "rfc6068",
            Departure::Rfc8089 => "rfc8089",
            Departure::HttpQuery => "http-query",
            Departure::TypeCase => "type-case",
            Departure::Range => "range",
            Departure::WaisFields => "wais-fields",
            Departure::Fragment => "fragment",
        }
    }

    /// A sentence with the accepted form and the document that allows it.
    ///
    /// ```
    /// use rfc1738::Departure;
    ///
    /// let sentence = Departure::EmptyPort.sentence();
    /// assert_eq!(sentence, "a colon without a port (RFC 3986, section 3.2.3)");
    /// ```
    pub const fn sentence(self) -> &'static str {
        match self {
            Departure::Ipv6 => "an IPv6 address for a host (RFC 3986, section 3.2.2)",
            Departure::TrailingDot => "a dot that ends the host (RFC 3986, section 3.2.2)",
            Departure::Underscore => "an underscore in the host (RFC 3986, section 3.2.2)",
            Departure::International => {
                "letters outside ASCII in the host, which is looked up in its ASCII form (RFC 5890, section 2.3.2)"
            }
            Departure::EmptyPort => "a colon without a port (RFC 3986, section 3.2.3)",
            Departure::Rfc5538 => "a form of news and nntp URLs of RFC 5538, sections 3 and 4",
            Departure::Rfc6068 => "headers in a mailto URL, or no address (RFC 6068, section 2)",
            Departure::Rfc8089 => "a file URL without \"//\" (RFC 8089, section 2)",
            Departure::HttpQuery => "\"/\" or \"?\" in a query (RFC 3986, section 3.4)",
            Departure::TypeCase => "\";type=\" in another case (RFC 822, section 3.4.7)",
            Departure::Range => {
                "articles of a group by their numbers, as tin and lynx have it (range of RFC 3977, section 8.3)"
            }
            Departure::WaisFields => {
                "a WAIS document by its length and the fields of its id, as libwww wrote it (doc-ids of RFC 1625)"
            }
            Departure::Fragment => {
                "a fragment, which is used on the page and never sent (RFC 3986, section 3.5)"
            }
        }
    }
}

/// A set of departures.
///
/// ```
/// use rfc1738::{Departure, Dialect};
///
/// let departures = Dialect::Extended.parse("http://a_b.:/").unwrap().departures();
/// let codes: Vec<_> = departures.iter().map(Departure::code).collect();
/// assert_eq!(codes, ["trailing-dot", "underscore", "empty-port"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departures(u16);

impl Departures {
    /// The empty set.
    ///
    /// ```
    /// use rfc1738::Departures;
    ///
    /// assert_eq!(Departures::NONE.iter().next(), None);
    /// ```
    pub const NONE: Departures = Departures(0);

    /// Returns true if the set is empty.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// assert!(Url::parse("news:a.b").unwrap().departures().is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The departures in the set, in the order of [`Departure::ALL`].
    ///
    /// ```
    /// use rfc1738::{Departure, Dialect};
    ///
    /// let url = Dialect::Extended.parse("news:").unwrap();
    /// assert!(url.departures().iter().eq([Departure::Rfc5538]));
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Departure> {
        Departure::ALL
            .into_iter()
            .filter(move |departure| self.0 & bit(*departure) != 0)
    }

    pub(super) fn add(&mut self, departure: Departure) {
        self.0 |= bit(departure);
    }
}

const fn bit(departure: Departure) -> u16 {
    1 << departure as u16
}
