//! Scheme names, the part before the colon (RFC 1738, section 3).
//!
//! ```text
//! scheme = 1*[ lowalpha | digit | "+" | "-" | "." ]
//! ```
//!
//! Names match in any letter case (section 2.1). Unknown scheme names are accepted without a check against a
//! registry.

use std::fmt;

/// The ten schemes of RFC 1738, and one value for all others.
///
/// ```
/// use rfc1738::{Scheme, Url};
///
/// assert_eq!(Url::parse("telnet://h.example/").unwrap().scheme(), Scheme::Telnet);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scheme {
    /// File Transfer Protocol, section 3.2
    Ftp,
    /// Hypertext Transfer Protocol, section 3.3
    Http,
    /// The Gopher protocol, section 3.4
    Gopher,
    /// An address for mail, section 3.5
    Mailto,
    /// Usenet news on any server, section 3.6
    News,
    /// Usenet news on one server, section 3.7
    Nntp,
    /// An interactive session, section 3.8
    Telnet,
    /// Wide Area Information Servers, section 3.9
    Wais,
    /// A file of a host, section 3.10
    File,
    /// The Prospero directory service, section 3.11
    Prospero,
    /// Any other scheme, section 4
    Other,
}

/// The scheme that a text begins with, in any letter case; it need not be a URL. `None` if no scheme precedes the first
/// colon. As in RFC 3986, section 3.1, a letter comes first.
///
/// ```
/// use rfc1738::leading_scheme;
///
/// assert_eq!(leading_scheme("GOPHER://h.example/"), Some("GOPHER"));
/// assert_eq!(leading_scheme("see http://h.example/"), None);
/// ```
pub fn leading_scheme(text: &str) -> Option<&str> {
    let (name, _) = text.split_once(':')?;
    let is_part = |octet: u8| octet.is_ascii_alphanumeric() || b"+-.".contains(&octet);
    let is_scheme =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.bytes().all(is_part);
    is_scheme.then_some(name)
}

impl Scheme {
    /// The ten schemes, in the order of section 3.
    ///
    /// ```
    /// use rfc1738::Scheme;
    ///
    /// assert!(Scheme::ALL.iter().all(|scheme| Scheme::named(scheme.name()) == *scheme));
    /// ```
    pub const ALL: [Scheme; 10] = [
        Scheme::Ftp,
        Scheme::Http,
        Scheme::Gopher,
        Scheme::Mailto,
        Scheme::News,
        Scheme::Nntp,
        Scheme::Telnet,
        Scheme::Wais,
        Scheme::File,
        Scheme::Prospero,
    ];

    /// The row of this scheme in the table of schemes: its name, the port for a URL that has none, and the form of its
    /// partial URLs, if it has any.
    const fn row(self) -> (&'static str, Option<u16>, Option<Hierarchy>) {
        match self {
            Scheme::Ftp => ("ftp", Some(21), Some(Hierarchy::Ftp)),
            Scheme::Http => ("http", Some(80), Some(Hierarchy::Http)),
            Scheme::Gopher => ("gopher", Some(70), None),
            Scheme::Mailto => ("mailto", None, None),
            Scheme::News => ("news", None, None),
            Scheme::Nntp => ("nntp", Some(119), None),
            Scheme::Telnet => ("telnet", Some(23), None),
            Scheme::Wais => ("wais", Some(210), None),
            Scheme::File => ("file", None, Some(Hierarchy::File)),
            Scheme::Prospero => ("prospero", Some(1525), None),
            Scheme::Other => ("other", None, None),
        }
    }

    /// The scheme with this name, in any letter case; [`Scheme::Other`] if it is not one of the ten.
    ///
    /// ```
    /// use rfc1738::Scheme;
    ///
    /// assert_eq!(Scheme::named("WAIS"), Scheme::Wais);
    /// assert_eq!(Scheme::named("https"), Scheme::Other);
    /// ```
    pub fn named(name: &str) -> Self {
        let mut all = Scheme::ALL.into_iter();
        all.find(|scheme| name.eq_ignore_ascii_case(scheme.name()))
            .unwrap_or(Scheme::Other)
    }

    /// The scheme of the ten at the start of `text` and the length of its name, in any letter case, if a colon
    /// follows it. `None` for other schemes and for texts shorter than eight octets, which the slow path reads.
    #[inline]
    pub(super) fn at_start(text: &[u8]) -> Option<(Self, usize)> {
        let octets = u64::from_le_bytes(*text.first_chunk()?);
        let name = PackedName::like(octets)?;
        let fits = octets & name.mask | CAPITALS & name.mask == name.octets;
        (fits && text.get(name.len) == Some(&b':')).then_some((name.scheme, name.len))
    }

    /// The name in lower case; `other` for [`Scheme::Other`], whose name is only in the URL.
    ///
    /// ```
    /// use rfc1738::Scheme;
    ///
    /// assert_eq!(Scheme::Prospero.name(), "prospero");
    /// ```
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The port for a URL that has none; `None` if the scheme has no host to connect to.
    ///
    /// ```
    /// use rfc1738::Scheme;
    ///
    /// assert_eq!(Scheme::Prospero.default_port(), Some(1525));
    /// assert_eq!(Scheme::Mailto.default_port(), None);
    /// ```
    pub const fn default_port(self) -> Option<u16> {
        self.row().1
    }

    /// The form of partial URLs.
    pub(super) const fn hierarchy(self) -> Option<Hierarchy> {
        self.row().2
    }
}

/// The form of the partial URLs of a scheme that has partial paths: what may follow a path.
#[derive(Clone, Copy)]
pub(super) enum Hierarchy {
    /// Params may follow: `;type=`
    Ftp,
    /// Params and a search may follow.
    Http,
    /// Nothing may follow.
    File,
}

/// A scheme name packed into a number, so that it is compared in one step, without branches that depend on the URL.
#[derive(Clone, Copy)]
struct PackedName {
    scheme: Scheme,
    len: usize,
    octets: u64,
    mask: u64,
}

/// The bit that differs between a small letter and its capital, in each of eight octets.
const CAPITALS: u64 = 0x2020_2020_2020_2020;

impl PackedName {
    /// The only scheme name that may begin like this. The first and the third letter identify each of the ten.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "a number below 32 is always inside a table of 32"
    )]
    fn like(octets: u64) -> Option<&'static PackedName> {
        static NAMES: [Option<PackedName>; 32] = PackedName::table();
        NAMES[((octets ^ octets >> 16) & 31) as usize].as_ref()
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "this is done by the compiler, which would say so"
    )]
    const fn table() -> [Option<PackedName>; 32] {
        let mut names = [None; 32];
        let mut at = 0;
        while at < Scheme::ALL.len() {
            let scheme = Scheme::ALL[at];
            let letters = scheme.name().as_bytes();
            let (mut octets, mut mask) = ([0; 8], [0; 8]);
            let mut index = 0;
            while index < letters.len() {
                octets[index] = letters[index];
                mask[index] = 0xFF;
                index += 1;
            }
            let like = ((letters[0] ^ letters[2]) & 31) as usize;
            assert!(names[like].is_none(), "two names are alike");
            names[like] = Some(PackedName {
                scheme,
                len: letters.len(),
                octets: u64::from_le_bytes(octets),
                mask: u64::from_le_bytes(mask),
            });
            at += 1;
        }
        names
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The schemes of later documents that have a protocol or parts of their own here. In RFC 1738 each is an `otherurl`.
///
/// ```
/// use rfc1738::{ExtensionScheme, Url};
///
/// let url = Url::parse("snews:a.b").unwrap();
/// assert_eq!(url.extension_scheme(), Some(ExtensionScheme::Snews));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExtensionScheme {
    /// Gopher over TLS
    Gophers,
    /// FTP with implicit TLS
    Ftps,
    /// HTTP over TLS (RFC 2818)
    Https,
    /// NNTP over TLS, RFC 5538's counterpart of `nntp`
    Nntps,
    /// News over TLS (RFC 5538: historic)
    Snews,
    /// A 3270 session over telnet (RFC 6270)
    Tn3270,
    /// The finger protocol (RFC 1288)
    Finger,
    /// The Gemini protocol, which has no RFC
    Gemini,
    /// Titan: uploads to servers of Gemini
    Titan,
    /// The Spartan protocol, which has no RFC
    Spartan,
    /// The nex protocol, which has no RFC
    Nex,
}

impl ExtensionScheme {
    /// All extension schemes.
    ///
    /// ```
    /// use rfc1738::ExtensionScheme;
    ///
    /// assert!(ExtensionScheme::ALL.contains(&ExtensionScheme::Gemini));
    /// ```
    pub const ALL: [ExtensionScheme; 11] = [
        ExtensionScheme::Gophers,
        ExtensionScheme::Ftps,
        ExtensionScheme::Https,
        ExtensionScheme::Nntps,
        ExtensionScheme::Snews,
        ExtensionScheme::Tn3270,
        ExtensionScheme::Finger,
        ExtensionScheme::Gemini,
        ExtensionScheme::Titan,
        ExtensionScheme::Spartan,
        ExtensionScheme::Nex,
    ];

    /// The row of this scheme in the table of extension schemes: its name, the port for a URL that has none, whether
    /// it implies TLS, and the base scheme, one of the ten, whose production is used.
    const fn row(self) -> (&'static str, u16, bool, Option<Scheme>) {
        match self {
            ExtensionScheme::Gophers => ("gophers", 70, true, Some(Scheme::Gopher)),
            ExtensionScheme::Ftps => ("ftps", 990, true, Some(Scheme::Ftp)),
            ExtensionScheme::Https => ("https", 443, true, Some(Scheme::Http)),
            ExtensionScheme::Nntps => ("nntps", 563, true, Some(Scheme::Nntp)),
            ExtensionScheme::Snews => ("snews", 563, true, Some(Scheme::News)),
            ExtensionScheme::Tn3270 => ("tn3270", 23, false, Some(Scheme::Telnet)),
            ExtensionScheme::Finger => ("finger", 79, false, None),
            ExtensionScheme::Gemini => ("gemini", 1965, true, Some(Scheme::Http)),
            ExtensionScheme::Titan => ("titan", 1965, true, Some(Scheme::Http)),
            ExtensionScheme::Spartan => ("spartan", 300, false, Some(Scheme::Http)),
            ExtensionScheme::Nex => ("nex", 1900, false, Some(Scheme::Http)),
        }
    }

    /// The extension scheme with this name, in any letter case.
    ///
    /// ```
    /// use rfc1738::ExtensionScheme;
    ///
    /// assert_eq!(ExtensionScheme::named("FTPS"), Some(ExtensionScheme::Ftps));
    /// assert_eq!(ExtensionScheme::named("ftp"), None);
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let mut all = ExtensionScheme::ALL.into_iter();
        all.find(|later| name.eq_ignore_ascii_case(later.name()))
    }

    /// The name in lower case.
    ///
    /// ```
    /// use rfc1738::ExtensionScheme;
    ///
    /// assert_eq!(ExtensionScheme::Tn3270.name(), "tn3270");
    /// ```
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The port for a URL that has none.
    ///
    /// ```
    /// use rfc1738::ExtensionScheme;
    ///
    /// assert_eq!(ExtensionScheme::Gemini.default_port(), 1965);
    /// ```
    pub const fn default_port(self) -> u16 {
        self.row().1
    }

    /// Returns true if the scheme implies TLS.
    ///
    /// ```
    /// use rfc1738::ExtensionScheme;
    ///
    /// assert!(ExtensionScheme::Nntps.is_tls() && !ExtensionScheme::Nex.is_tls());
    /// ```
    pub const fn is_tls(self) -> bool {
        self.row().2
    }

    /// The base scheme, one of the ten, whose production is used; `None` for `finger`.
    ///
    /// ```
    /// use rfc1738::{ExtensionScheme, Scheme};
    ///
    /// assert_eq!(ExtensionScheme::Nntps.base_scheme(), Some(Scheme::Nntp));
    /// assert_eq!(ExtensionScheme::Finger.base_scheme(), None);
    /// ```
    pub const fn base_scheme(self) -> Option<Scheme> {
        self.row().3
    }
}

/// Returns true if a scheme has this name: one of the ten or an extension scheme, in any letter case.
pub(super) fn is_known(name: &str) -> bool {
    Scheme::named(name) != Scheme::Other || ExtensionScheme::named(name).is_some()
}

/// The ports of other schemes, for which a URL with that port is not unusual: only ports that are
/// reserved or belong to a service.
const OTHER_PORTS: [(&str, u16); 21] = [
    ("acap", 674),
    ("afp", 548),
    ("imap", 143),
    ("imaps", 993),
    ("ipp", 631),
    ("irc", 6667),
    ("ircs", 6697),
    ("ldap", 389),
    ("ldaps", 636),
    ("nfs", 2049),
    ("pop", 110),
    ("rsync", 873),
    ("rtsp", 554),
    ("sftp", 22),
    ("smb", 445),
    ("ssh", 22),
    ("tftp", 69),
    ("vnc", 5900),
    ("z39.50", 210),
    ("z39.50r", 210),
    ("z39.50s", 210),
];

/// The own port of another scheme.
pub(super) fn other_port(name: &str) -> Option<u16> {
    let mut ports = OTHER_PORTS.iter();
    let own = ports.find(|(other, _)| name.eq_ignore_ascii_case(other));
    own.map(|(_, port)| *port)
}

/// The port of a scheme by its name, for a URL that has none.
pub(super) fn default_port(name: &str) -> Option<u16> {
    let later = ExtensionScheme::named(name).map(ExtensionScheme::default_port);
    later.or(Scheme::named(name).default_port())
}
