//! What Geomys opens although RFC 1738 does not allow it, or reads in another way than RFC 1738 does.
//!
//! A departure is no fault to mend: a later document allows the form, and only it says what the server should hear. The
//! verdict of RFC 1738 stays what it is, beside it ([`Url::verdict`](super::Url::verdict)).

/// A form of a later document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Departure {
    /// `[::1]` for a host.
    Ipv6,
    /// `host.example.` with the dot of the root.
    TrailingDot,
    /// `a_b.example`, which no host name of RFC 1034 is, and the DNS answers to all the same.
    Underscore,
    /// `host:` and no port.
    EmptyPort,
    /// `news://host/…`, patterns of groups, and names that RFC 1738 has not foreseen.
    Rfc5538,
    /// `mailto:` with headers, or without an address.
    Rfc6068,
    /// `file:/path`
    Rfc8089,
    /// `/` and `?` in the search part of an http URL.
    HttpQuery,
    /// `;TYPE=` in another case.
    TypeCase,
    /// `news:group/1-9`: articles of a group by their numbers.
    Range,
    /// `wais://host/db/TEXT/42/1=…;2=…;`: a document as libwww wrote it.
    WaisFields,
}

impl Departure {
    /// All of them, in the order in which they are told.
    pub const ALL: [Departure; 11] = [
        Departure::Ipv6,
        Departure::TrailingDot,
        Departure::Underscore,
        Departure::EmptyPort,
        Departure::Rfc5538,
        Departure::Rfc6068,
        Departure::Rfc8089,
        Departure::HttpQuery,
        Departure::TypeCase,
        Departure::Range,
        Departure::WaisFields,
    ];

    /// The word for it in machine-readable output.
    pub const fn code(self) -> &'static str {
        match self {
            Departure::Ipv6 => "ipv6",
            Departure::TrailingDot => "trailing-dot",
            Departure::Underscore => "underscore",
            Departure::EmptyPort => "empty-port",
            Departure::Rfc5538 => "rfc5538",
            Departure::Rfc6068 => "rfc6068",
            Departure::Rfc8089 => "rfc8089",
            Departure::HttpQuery => "http-query",
            Departure::TypeCase => "type-case",
            Departure::Range => "range",
            Departure::WaisFields => "wais-fields",
        }
    }

    /// What is taken, and the document that allows it.
    pub const fn sentence(self) -> &'static str {
        match self {
            Departure::Ipv6 => "an IPv6 address for a host (RFC 3986, section 3.2.2)",
            Departure::TrailingDot => "a dot that ends the host (RFC 3986, section 3.2.2)",
            Departure::Underscore => "an underscore in the host (RFC 3986, section 3.2.2)",
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
        }
    }
}

/// A set of departures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Departures(u16);

impl Departures {
    /// None.
    pub const NONE: Departures = Departures(0);

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Each once, in the order of [`Departure::ALL`].
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
