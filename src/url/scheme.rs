//! The names before the colon (RFC 1738, section 3).
//!
//! ```text
//! scheme = 1*[ lowalpha | digit | "+" | "-" | "." ]
//! ```
//!
//! Names are matched without regard to case (section 2.1). Whether a scheme of another name is registered is not asked.

use std::fmt;

/// The ten schemes of RFC 1738, and all others together.
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
    /// Usenet news wherever it is read, section 3.6
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
    /// Any other, section 4
    Other,
}

impl Scheme {
    /// The ten, in the order of section 3.
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

    /// The scheme of this name, in any case; [`Scheme::Other`] for a name that is none of the ten.
    pub fn named(name: &str) -> Self {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
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

    /// The one of the ten whose name, in any case, and a colon begin `text`, and the length of the name. Nothing for other
    /// schemes and for texts of less than eight octets, which take a longer look.
    #[inline]
    pub(super) fn at_start(text: &[u8]) -> Option<(Self, usize)> {
        let octets = u64::from_le_bytes(*text.first_chunk()?);
        let name = Name::like(octets)?;
        let fits = octets & name.mask | CAPITALS & name.mask == name.octets;
        (fits && text.get(name.len) == Some(&b':')).then_some((name.scheme, name.len))
    }

    /// The name in lower case; `other` for [`Scheme::Other`], whose name only the URL knows.
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

    /// The port that is meant when a URL names none; nothing where the scheme has no host to connect to.
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

/// A name as a number, so that it is compared at once: any decision that depends on the URL takes longer than that.
#[derive(Clone, Copy)]
struct Name {
    scheme: Scheme,
    len: usize,
    octets: u64,
    mask: u64,
}

/// The bit that tells a small letter from its capital, in eight octets.
const CAPITALS: u64 = 0x2020_2020_2020_2020;

impl Name {
    /// The only name that may begin like this. The first and the third letter tell the ten apart.
    #[inline]
    #[allow(
        clippy::indexing_slicing,
        reason = "a number below 32 is always inside a table of 32"
    )]
    fn like(octets: u64) -> Option<&'static Name> {
        static NAMES: [Option<Name>; 32] = Name::table();
        NAMES[((octets ^ octets >> 16) & 31) as usize].as_ref()
    }

    #[allow(
        clippy::indexing_slicing,
        reason = "this is done by the compiler, which would say so"
    )]
    const fn table() -> [Option<Name>; 32] {
        let mut names = [None; 32];
        let mut at = 0;
        while at < Scheme::ALL.len() {
            let scheme = Scheme::ALL[at];
            let letters = scheme.name().as_bytes();
            let (mut octets, mut mask) = ([0; 8], [0; 8]);
            let mut place = 0;
            while place < letters.len() {
                octets[place] = letters[place];
                mask[place] = 0xFF;
                place += 1;
            }
            let like = ((letters[0] ^ letters[2]) & 31) as usize;
            assert!(names[like].is_none(), "two names are alike");
            names[like] = Some(Name {
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

/// The schemes of later documents that Geomys opens. To RFC 1738 each is an `otherurl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Later {
    /// Gopher over TLS
    Gophers,
    /// FTP with TLS from the first octet
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

impl Later {
    /// All of them.
    pub const ALL: [Later; 7] = [
        Later::Gophers,
        Later::Ftps,
        Later::Https,
        Later::Nntps,
        Later::Snews,
        Later::Tn3270,
        Later::Finger,
    ];

    /// The one of this name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Later::ALL
            .into_iter()
            .find(|later| name.eq_ignore_ascii_case(later.name()))
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Later::Gophers => "gophers",
            Later::Ftps => "ftps",
            Later::Https => "https",
            Later::Nntps => "nntps",
            Later::Snews => "snews",
            Later::Tn3270 => "tn3270",
            Later::Finger => "finger",
        }
    }

    /// The port that is meant when a URL names none.
    pub const fn default_port(self) -> u16 {
        match self {
            Later::Gophers => 70,
            Later::Ftps => 990,
            Later::Https => 443,
            Later::Nntps | Later::Snews => 563,
            Later::Tn3270 => 23,
            Later::Finger => 79,
        }
    }

    /// The scheme of the ten whose production it borrows; `finger` has none.
    pub const fn kin(self) -> Option<Scheme> {
        match self {
            Later::Gophers => Some(Scheme::Gopher),
            Later::Ftps => Some(Scheme::Ftp),
            Later::Https => Some(Scheme::Http),
            Later::Nntps => Some(Scheme::Nntp),
            Later::Snews => Some(Scheme::News),
            Later::Tn3270 => Some(Scheme::Telnet),
            Later::Finger => None,
        }
    }
}
