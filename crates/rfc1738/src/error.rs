//! Parse errors: the offset of the fault, the production that failed, the text found there and the text expected.
//!
//! An error points at the first octet that no URL could have there. Everything before it is ASCII, so the octet
//! offset is the column.

use std::fmt;

use super::escape::{Class, encode};

/// A production of RFC 1738 and the section that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rule(pub(super) &'static str, pub(super) &'static str);

/// The reason why a text is not a URL.
///
/// ```
/// use rfc1738::Url;
///
/// let error = Url::parse("ftp://h.example/a b").unwrap_err();
/// assert_eq!((error.at, error.len), (17, 1));
/// assert_eq!((error.rule, error.section), ("fsegment", "2.2"));
/// assert_eq!(error.message.to_string(), "a space must be encoded as %20");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The octet offset of the fault; the length of the text if something is missing at its end.
    pub at: usize,
    /// The number of octets at fault; 0 if something is missing.
    pub len: usize,
    /// The production of RFC 1738, section 5, that does not match.
    pub rule: &'static str,
    /// The section of RFC 1738 for this production.
    pub section: &'static str,
    /// The text found and the text expected.
    pub message: Message,
}

/// The text found at the offset of a fault.
///
/// ```
/// use rfc1738::{Message, Unexpected, Url};
///
/// let error = Url::parse("http://h_h/").unwrap_err();
/// assert_eq!(error.message, Message::HostChar(Unexpected::Char('_')));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unexpected {
    /// The end of the text.
    End,
    /// A character.
    Char(char),
    /// An octet that begins no UTF-8 character.
    Octet(u8),
}

/// The fault and its correction, without the offset. `Display` is a sentence in lower case without a full stop.
///
/// ```
/// use rfc1738::{Message, Url};
///
/// let error = Url::parse("http://h.example:/").unwrap_err();
/// assert_eq!(error.message, Message::NoPort);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// No scheme and colon at the start.
    NoScheme(Unexpected),
    /// Another character is expected here.
    Expected(Unexpected, &'static str),
    /// A character that must be encoded everywhere in a URL (section 2.2).
    Unsafe(Unexpected),
    /// The `#` that starts a fragment.
    Fragment,
    /// A `%` without two hexadecimal digits.
    LoneEscape,
    /// A reserved character outside its purpose.
    Reserved(char),
    /// An escape whose octet cannot be sent there.
    Refused(u8),
    /// A character that no host may have.
    HostChar(Unexpected),
    /// A host label that is empty.
    EmptyLabel,
    /// A host label that begins or ends with `-`.
    Hyphen,
    /// A host label of more than 63 octets.
    LongLabel,
    /// A host of more than 255 octets.
    LongHost,
    /// A last label that starts with a digit in a host that is not an address.
    TopLabel,
    /// An address that is not four groups of 0 to 255.
    HostNumber,
    /// A colon without a port.
    NoPort,
    /// A port above 65535.
    LargePort,
    /// A user name in a scheme that has none.
    NoUser,
    /// `;type=` in another case.
    TypeCase,
    /// A letter after `;type=` that is not an ftptype.
    TypeLetter(Unexpected),
    /// Two segments after a WAIS host.
    WaisSegments,
    /// A partial path where the base's scheme has no hierarchy (section 2.3).
    NoHierarchy,
    /// A URL with more octets than 64 KiB, a limit of this crate.
    LongUrl,
    /// A partial URL with a base of more octets than 8 KiB, a limit of this crate.
    LongBase,
}

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Unexpected::End => f.write_str("the end"),
            Unexpected::Char(' ') => f.write_str("a space"),
            Unexpected::Char('\t') => f.write_str("a tab"),
            Unexpected::Char('\r' | '\n') => f.write_str("a line break"),
            // A character that would act on the terminal is shown by its number only.
            Unexpected::Char(c)
                if c.is_control() || !c.is_ascii() && !c.is_alphanumeric() || is_filler(c) =>
            {
                write!(f, "the character U+{:04X}", u32::from(c))
            }
            Unexpected::Char(c) => write!(f, "\"{c}\""),
            Unexpected::Octet(octet) => write!(f, "the octet {octet:02X}"),
        }
    }
}

/// Returns true for letters that are invisible: the fillers of Hangul.
fn is_filler(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

impl Unexpected {
    fn escape(self) -> String {
        let nothing = &Class::of(b"");
        match self {
            Unexpected::End => String::new(),
            Unexpected::Octet(octet) => encode(&[octet], nothing),
            Unexpected::Char(c) => encode(c.encode_utf8(&mut [0; 4]).as_bytes(), nothing),
        }
    }
}

/// An example of a scheme, and its characters.
const SCHEME_LIKE: &str = "like \"gopher:\" (letters, digits, \"+\", \"-\", \".\")";

/// Writes the sentence about an escape whose octet cannot be sent.
fn write_refused(octet: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = match octet {
        b'\t' => "tab",
        b'\n' => "line feed",
        b'\r' => "carriage return",
        _ => "octet",
    };
    write!(
        f,
        "an encoded {name} (%{octet:02X}) cannot be sent here: remove it"
    )
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = match *self {
            Self::NoScheme(Unexpected::End) => {
                "no colon after the scheme: a URL starts with a scheme, like \"gopher:\""
            }
            Self::NoScheme(found) => {
                return write!(f, "found {found} instead of a scheme, {SCHEME_LIKE}");
            }
            Self::Expected(Unexpected::End, expected) => {
                return write!(f, "unexpected end: expected {expected}");
            }
            Self::Expected(found, expected) => {
                return write!(f, "found {found}, expected {expected}");
            }
            Self::Unsafe(found) => {
                let escape = found.escape();
                return write!(f, "{found} must be encoded as {escape}");
            }
            Self::Fragment => {
                "\"#\" starts a fragment, which is not part of a URL: remove it, or write %23"
            }
            Self::LoneEscape => {
                "\"%\" must be followed by two hexadecimal digits: write %25 for a percent sign"
            }
            Self::Reserved(c) => {
                let escape = Unexpected::Char(c).escape();
                return write!(f, "\"{c}\" is not allowed here: write {escape}");
            }
            Self::Refused(octet) => return write_refused(octet, f),
            Self::HostChar(Unexpected::Char('?')) => "\"?\" after the host must follow a \"/\"",
            Self::HostChar(found) => {
                return write!(
                    f,
                    "{found} is not allowed in a host: use letters, digits, \"-\" and \".\""
                );
            }
            Self::EmptyLabel => {
                "empty host label: write one \".\" between labels, and none at the end"
            }
            Self::Hyphen => {
                "\"-\" at the edge of a host label: it must begin and end with a letter or digit"
            }
            Self::LongLabel => "a host label has more than 63 characters",
            Self::LongHost => "a host has more than 255 characters",
            Self::TopLabel => "the last label of a host name must start with a letter",
            Self::HostNumber => "an IPv4 address is four numbers from 0 to 255, like 127.0.0.1",
            Self::NoPort => "no port after the colon: write one, or remove the colon",
            Self::LargePort => "a port is at most 65535",
            Self::NoUser => {
                "this scheme has no user name or password: remove everything up to the \"@\""
            }
            Self::TypeCase => "\";type=\" must be in lower case",
            Self::TypeLetter(found) => {
                return write!(
                    f,
                    "{found} is not a transfer type: expected a, i or d after \";type=\""
                );
            }
            Self::WaisSegments => "a WAIS document needs a type and a path: database/type/path",
            Self::NoHierarchy => "the scheme of the base has no partial URLs: write the whole URL",
            Self::LongUrl => "the URL is longer than 64 KiB, the limit of this program",
            Self::LongBase => "the base is longer than 8 KiB, the limit of this program",
        };
        f.write_str(sentence)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message {
            // These limits are not in the RFC.
            Message::LongUrl | Message::LongBase => self.message.fmt(f),
            _ => write!(
                f,
                "{} (RFC 1738, section {}: {})",
                self.message, self.section, self.rule
            ),
        }
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    /// The line to print below the text: carets under the fault, then the sentence. It starts at the text's first
    /// column. If the text is shown indented, indent this line by the same amount.
    ///
    /// ```
    /// use rfc1738::Url;
    ///
    /// let text = "ftp://h.example/50%";
    /// let error = Url::parse(text).unwrap_err();
    /// let report = format!("{text}\n{}", error.caret());
    /// assert!(report.contains("\n                  ^ \"%\" must be followed by"));
    /// ```
    pub fn caret(&self) -> String {
        let shown = match self.message {
            // Several octets are shown in one column.
            Message::Unsafe(_)
            | Message::HostChar(_)
            | Message::NoScheme(_)
            | Message::TypeLetter(_)
            | Message::LongUrl
            | Message::LongBase => 1,
            Message::Expected(Unexpected::Char(c), _) if !c.is_ascii() => 1,
            _ => self.len.max(1),
        };
        format!("{}{} {self}", " ".repeat(self.at), "^".repeat(shown))
    }
}
