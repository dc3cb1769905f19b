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

impl Scheme {
    /// The ten schemes, in the order of section 3.
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

    /// The scheme with this name, in any letter case; [`Scheme::Other`] if it is not one of the ten.
    pub fn named(name: &str) -> Self {
        let is = |scheme: &str| name.eq_ignore_ascii_case(scheme);
        match name.len() {
            3 if is("ftp") => Scheme::Ftp,
            4 if is("http") => Scheme::Http,
            4 if is("news") => Scheme::News,
            4 if is("nntp") => Scheme::Nntp,
            4 if is("wais") => Scheme::Wais,
            4 if is("file") => Scheme::File,
            6 if is("gopher") => Scheme::Gopher,
            6 if is("mailto") => Scheme::Mailto,
            6 if is("telnet") => Scheme::Telnet,
            8 if is("prospero") => Scheme::Prospero,
            _ => Scheme::Other,
        }
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
    pub const fn name(self) -> &'static str {
        match self {
            Scheme::Ftp => "ftp",
            Scheme::Http => "http",
            Scheme::Gopher => "gopher",
            Scheme::Mailto => "mailto",
            Scheme::News => "news",
            Scheme::Nntp => "nntp",
            Scheme::Telnet => "telnet",
            Scheme::Wais => "wais",
            Scheme::File => "file",
            Scheme::Prospero => "prospero",
            Scheme::Other => "other",
        }
    }

    /// The port for a URL that has none; `None` if the scheme has no host to connect to.
    pub const fn default_port(self) -> Option<u16> {
        match self {
            Scheme::Ftp => Some(21),
            Scheme::Http => Some(80),
            Scheme::Gopher => Some(70),
            Scheme::Nntp => Some(119),
            Scheme::Telnet => Some(23),
            Scheme::Wais => Some(210),
            Scheme::Prospero => Some(1525),
            Scheme::Mailto | Scheme::News | Scheme::File | Scheme::Other => None,
        }
    }

    /// The section of RFC 1738 that describes the scheme.
    pub const fn section(self) -> &'static str {
        match self {
            Scheme::Ftp => "3.2",
            Scheme::Http => "3.3",
            Scheme::Gopher => "3.4",
            Scheme::Mailto => "3.5",
            Scheme::News => "3.6",
            Scheme::Nntp => "3.7",
            Scheme::Telnet => "3.8",
            Scheme::Wais => "3.9",
            Scheme::File => "3.10",
            Scheme::Prospero => "3.11",
            Scheme::Other => "4",
        }
    }
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
    #[allow(
        clippy::indexing_slicing,
        reason = "a number below 32 is always inside a table of 32"
    )]
    fn like(octets: u64) -> Option<&'static PackedName> {
        static NAMES: [Option<PackedName>; 32] = PackedName::table();
        NAMES[((octets ^ octets >> 16) & 31) as usize].as_ref()
    }

    #[allow(
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

/// The schemes of later documents that Geomys opens. In RFC 1738 each is an `otherurl`.
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
}

impl ExtensionScheme {
    /// All extension schemes.
    pub const ALL: [ExtensionScheme; 7] = [
        ExtensionScheme::Gophers,
        ExtensionScheme::Ftps,
        ExtensionScheme::Https,
        ExtensionScheme::Nntps,
        ExtensionScheme::Snews,
        ExtensionScheme::Tn3270,
        ExtensionScheme::Finger,
    ];

    /// The extension scheme with this name, in any letter case.
    pub fn named(name: &str) -> Option<Self> {
        ExtensionScheme::ALL
            .into_iter()
            .find(|later| name.eq_ignore_ascii_case(later.name()))
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            ExtensionScheme::Gophers => "gophers",
            ExtensionScheme::Ftps => "ftps",
            ExtensionScheme::Https => "https",
            ExtensionScheme::Nntps => "nntps",
            ExtensionScheme::Snews => "snews",
            ExtensionScheme::Tn3270 => "tn3270",
            ExtensionScheme::Finger => "finger",
        }
    }

    /// The port for a URL that has none.
    pub const fn default_port(self) -> u16 {
        match self {
            ExtensionScheme::Gophers => 70,
            ExtensionScheme::Ftps => 990,
            ExtensionScheme::Https => 443,
            ExtensionScheme::Nntps | ExtensionScheme::Snews => 563,
            ExtensionScheme::Tn3270 => 23,
            ExtensionScheme::Finger => 79,
        }
    }

    /// The base scheme, one of the ten, whose production is used; `None` for `finger`.
    pub const fn base_scheme(self) -> Option<Scheme> {
        match self {
            ExtensionScheme::Gophers => Some(Scheme::Gopher),
            ExtensionScheme::Ftps => Some(Scheme::Ftp),
            ExtensionScheme::Https => Some(Scheme::Http),
            ExtensionScheme::Nntps => Some(Scheme::Nntp),
            ExtensionScheme::Snews => Some(Scheme::News),
            ExtensionScheme::Tn3270 => Some(Scheme::Telnet),
            ExtensionScheme::Finger => None,
        }
    }
}
