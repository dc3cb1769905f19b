//! Header fields with parameters: `Content-Type`, `Content-Disposition`, `Content-Transfer-Encoding` (RFC 2045, section
//! 5.1; RFC 2231; RFC 6266).
//!
//! ```text
//! field     = value *( ";" name "=" ( token / quoted-string ) ) [ ";" ]
//! name      = attribute [ "*" digits ] [ "*" ]        ; a piece of a value, and its encoding
//! ext-value = charset "'" [ language ] "'" *( pct-encoded / attr-char )
//! comment   = "(" *( text / comment ) ")"             ; between all others
//! ```
//!
//! Read leniently, as people and programs write: values without quotes may have blanks (`filename=my file.txt`), the
//! closing quote may be missing, the value may be quoted or have a comment, the first semicolon may be missing. A
//! backslash before any other character than `"` or `\` stays, as some servers send paths of Windows.

use rfc1738::decode;

use super::octets;
use crate::text::Charset;

/// A header field with its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// The value before the parameters, without comments and quotes.
    pub value: Vec<u8>,
    /// The names, in small letters, and values of the parameters.
    list: Vec<(Vec<u8>, Parameter)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Parameter {
    Quoted(Vec<u8>),
    /// A value without quotes, up to the semicolon, perhaps with a comment.
    Plain(Vec<u8>),
}

impl Parameters {
    /// Parses the value of a header field.
    pub fn parse(field: &[u8]) -> Self {
        let (value, mut rest) = segment(field);
        let value = without_comments(value);
        let mut words = octets::words(&value);
        let first = words.next().unwrap_or_default();
        let (value, _) = match first.strip_prefix(b"\"") {
            Some(quoted) => unquoted(quoted),
            None => (first.to_vec(), &[][..]),
        };
        // Without the first semicolon.
        let mut list: Vec<_> = words.filter_map(parameter).collect();
        while let Some(after) = rest {
            let (text, next) = segment(after);
            list.extend(parameter(text));
            rest = next;
        }
        Self { value, list }
    }

    /// A parameter that is a token or a quoted string, such as a charset.
    pub fn token(&self, name: &str) -> Option<&[u8]> {
        let value = match self.find(name)? {
            Parameter::Quoted(value) => value.trim_ascii(),
            Parameter::Plain(value) => {
                let is_end = |octet: &u8| *octet == b'(' || octet.is_ascii_whitespace();
                let token = value.split(is_end).next().unwrap_or_default();
                token.trim_ascii()
            }
        };
        Some(value).filter(|value| !value.is_empty())
    }

    /// A parameter that is a text, such as a name of a file: the one in pieces or with a charset comes before the plain
    /// one. Octets with a known charset are decoded to UTF-8.
    pub fn text(&self, name: &str) -> Option<Vec<u8>> {
        let plain = || match self.find(name)? {
            Parameter::Quoted(value) | Parameter::Plain(value) => Some(value.clone()),
        };
        let extended = self.find(&format!("{name}*"));
        let extended = extended.and_then(|value| charset_of(value.octets()));
        let strict = || {
            let (charset, value) = extended?;
            Charset::decode_declared(charset, &percent_decoded(value)).map(String::into_bytes)
        };
        let lenient = || extended.map(|(_, value)| percent_decoded(value));
        let filled = |text: &Vec<u8>| !text.is_empty();
        (strict().filter(filled))
            .or_else(|| self.joined(name).filter(filled))
            .or_else(|| plain().filter(filled))
            .or_else(|| lenient().filter(filled))
    }

    /// The value whose pieces are numbered parameters (RFC 2231, sections 3 and 4.1).
    fn joined(&self, name: &str) -> Option<Vec<u8>> {
        let pieces = self.list.iter().filter_map(|(other, value)| {
            let rest = other.strip_prefix(name.as_bytes())?.strip_prefix(b"*")?;
            let (digits, is_encoded) = match rest.strip_suffix(b"*") {
                Some(digits) => (digits, true),
                None => (rest, false),
            };
            Some((octets::number::<u32>(digits)?, is_encoded, value.octets()))
        });
        let mut pieces: Vec<_> = pieces.collect();
        pieces.sort_by_key(|(number, ..)| *number);
        let &(_, is_encoded, first) = pieces.first()?;
        let (charset, first) = match is_encoded.then(|| charset_of(first)).flatten() {
            Some((charset, rest)) => (charset, rest),
            None => (&[][..], first),
        };
        let mut joined = Vec::new();
        for (at, (_, is_encoded, value)) in pieces.iter().enumerate() {
            let value = if at == 0 { first } else { value };
            if *is_encoded {
                joined.extend(percent_decoded(value));
            } else {
                joined.extend_from_slice(value);
            }
        }
        let decoded = Charset::decode_declared(charset, &joined);
        Some(decoded.map_or(joined, String::into_bytes))
    }

    fn find(&self, name: &str) -> Option<&Parameter> {
        let mut list = self.list.iter();
        let found = list.find(|(other, _)| other == name.as_bytes());
        found.map(|(_, value)| value)
    }
}

impl Parameter {
    fn octets(&self) -> &[u8] {
        match self {
            Self::Quoted(value) | Self::Plain(value) => value,
        }
    }
}

/// Splits before the first semicolon that is neither in quotes nor in a comment; `None` if there is none.
fn segment(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut at = 0;
    while let Some(&octet) = text.get(at) {
        let from = text.get(at..).unwrap_or_default();
        let last = || text.get(..at).unwrap_or_default().trim_ascii_end().last();
        at += match octet {
            b';' => return (text.get(..at).unwrap_or_default(), text.get(at + 1..)),
            // A quote inside a value without quotes is text.
            b'"' if matches!(last(), None | Some(b'=' | b')')) => {
                let (_, rest) = unquoted(from.get(1..).unwrap_or_default());
                from.len() - rest.len()
            }
            b'(' => comment(from).max(1),
            _ => 1,
        };
    }
    (text, None)
}

/// Parses `name "=" value`.
fn parameter(text: &[u8]) -> Option<(Vec<u8>, Parameter)> {
    let (name, value) = octets::split_once(text, b'=')?;
    let name = without_comments(name).trim_ascii().to_ascii_lowercase();
    let mut value = value.trim_ascii();
    while let Some(rest) = value
        .get(comment(value)..)
        .filter(|rest| rest.len() < value.len())
    {
        value = rest.trim_ascii();
    }
    let value = match value.strip_prefix(b"\"") {
        Some(quoted) => Parameter::Quoted(unquoted(quoted).0),
        None => Parameter::Plain(value.to_vec()),
    };
    Some((name, value))
}

/// The maximum depth of comments in comments.
const MAX_COMMENT_DEPTH: usize = 32;

/// The maximum length of a comment. Each bracket that is never closed is searched for so long only.
const MAX_COMMENT_BYTES: usize = 512;

/// The length of the comment at the beginning of a text; 0 if there is none, it does not end, or it is too deep or too
/// long.
fn comment(text: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut octets = text.iter().enumerate().take(MAX_COMMENT_BYTES);
    while let Some((at, octet)) = octets.next() {
        match octet {
            b'\\' => drop(octets.next()),
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match depth {
            0 => return if at == 0 { 0 } else { at + 1 },
            1..=MAX_COMMENT_DEPTH => {}
            _ => return 0,
        }
    }
    0
}

/// The text with a blank instead of each comment.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&octet, after)) = rest.split_first() {
        let length = if octet == b'(' { comment(rest) } else { 0 };
        plain.push(if length > 0 { b' ' } else { octet });
        rest = rest.get(length.max(1)..).unwrap_or(after);
    }
    plain
}

/// Reads a quoted string, whose opening quote was read; returns it and the text after it.
fn unquoted(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut value = Vec::new();
    let mut rest = text;
    loop {
        rest = match rest {
            [] => return (value, rest),
            [b'"', after @ ..] => return (value, after),
            [b'\\', octet @ (b'"' | b'\\'), rest @ ..] | [octet, rest @ ..] => {
                value.push(*octet);
                rest
            }
        }
    }
}

/// Splits the charset and the language off an `ext-value`.
fn charset_of(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let (charset, rest) = octets::split_once(value, b'\'')?;
    let (_language, rest) = octets::split_once(rest, b'\'')?;
    Some((charset, rest))
}

fn percent_decoded(value: &[u8]) -> Vec<u8> {
    let text = std::str::from_utf8(value);
    text.map_or_else(|_| value.to_vec(), |text| decode(text).into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(field: &str, name: &str) -> Option<String> {
        let text = Parameters::parse(field.as_bytes()).text(name)?;
        Some(text.escape_ascii().to_string())
    }

    #[test]
    fn names_are_read_as_rfc_6266_and_rfc_2231_show_them() {
        for (field, expected) in [
            ("Attachment; filename=example.html", Some("example.html")),
            (
                "INLINE; FILENAME= \"an example.html\"",
                Some("an example.html"),
            ),
            (
                "attachment; filename*= UTF-8''%e2%82%ac%20rates",
                Some(r"\xe2\x82\xac rates"),
            ),
            (
                "a; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac",
                Some(r"\xe2\x82\xac"),
            ),
            (
                "a; filename*=iso-8859-1'en'%A3%20rates; filename=\"x\"",
                Some(r"\xc2\xa3 rates"),
            ),
            (
                "attachment; filename=\"a\\\"b; c.txt\"; size=3",
                Some(r#"a\"b; c.txt"#),
            ),
            ("attachment; filename=\"unclosed", Some("unclosed")),
            (
                "attachment; filename=\"C:\\dir\\x.exe\"",
                Some(r"C:\\dir\\x.exe"),
            ),
            ("attachment; filename*=nonsense; filename=y", Some("y")),
            ("attachment; x; filename=z ; y", Some("z")),
            ("attachment; name=\"; filename=no\"", None),
            ("attachment; filename=", None),
            ("attachment", None),
            ("", None),
            ("attachment filename=x", Some("x")),
            (
                "attachment; filename=my report (1).txt; size=3",
                Some("my report (1).txt"),
            ),
            (
                "attachment; filename*0=\"a \"; filename*1=b.txt",
                Some("a b.txt"),
            ),
            (
                "a; filename*1*=%20b; filename*0*=koi8-r''%C4%C1; filename*2=c",
                Some(r"\xd0\xb4\xd0\xb0 bc"),
            ),
            (
                "a; filename*0*=''%41; filename*10=c; filename*2=b",
                Some("Abc"),
            ),
        ] {
            assert_eq!(text(field, "filename").as_deref(), expected, "{field}");
        }
    }

    #[test]
    fn value_is_read_without_comments_and_quotes() {
        for (field, value, charset) in [
            ("quoted-printable (ok)", "quoted-printable", None),
            ("\"quoted-printable\"", "quoted-printable", None),
            ("(a (nested; one)) base64;", "base64", None),
            (
                "text/plain; charset=us-ascii (Plain text)",
                "text/plain",
                Some("us-ascii"),
            ),
            (
                "text/plain; (c; d) charset (e) = (f) \"utf-8\"",
                "text/plain",
                Some("utf-8"),
            ),
            ("text/plain charset=utf-8", "text/plain", Some("utf-8")),
            ("text/plain;; charset=koi8-r;", "text/plain", Some("koi8-r")),
            ("text/plain (open; charset=x", "text/plain", Some("x")),
            (";charset=x", "", Some("x")),
        ] {
            let read = Parameters::parse(field.as_bytes());
            let charset = charset.map(str::as_bytes);
            assert_eq!(
                (read.value.as_slice(), read.token("charset")),
                (value.as_bytes(), charset),
                "{field}"
            );
        }
        let mixed = Parameters::parse(b"multipart/mixed; boundary=----=_Part (x)");
        assert_eq!(mixed.token("boundary"), Some(&b"----=_Part"[..]));
    }

    #[test]
    fn long_fields_take_time_in_proportion_to_their_length() {
        // Squares of these lengths take minutes.
        for odd in ["(", " ", "\"", "(\"", "=(", ";\"", "(a) (", "()"] {
            let field = format!("text/plain; x{}; charset=y", odd.repeat(500_000));
            let read = Parameters::parse(field.as_bytes());
            assert_eq!(read.value, b"text/plain", "{odd}");
        }
    }

    proptest! {
        #[test]
        fn quoted_text_is_read_back(name in "[ -~]{1,40}") {
            let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
            let field = format!("attachment; filename=\"{quoted}\"; x=y");
            let read = Parameters::parse(field.as_bytes());
            prop_assert_eq!(read.text("filename"), Some(name.into_bytes()));
            prop_assert_eq!(read.token("x"), Some(&b"y"[..]));
        }

        #[test]
        fn pieces_are_joined(name in "[ -~äд]{1,40}", size in 1..9_usize) {
            let encoded: Vec<String> = name.bytes().map(|octet| format!("%{octet:02X}")).collect();
            let pieces = encoded.chunks(size).enumerate().map(|(at, piece)| {
                let start = if at == 0 { "utf-8''" } else { "" };
                format!("; filename*{at}*={start}{}", piece.concat())
            });
            let field = format!("attachment{}", pieces.collect::<String>());
            prop_assert_eq!(Parameters::parse(field.as_bytes()).text("filename"), Some(name.into_bytes()));
        }

        #[test]
        fn any_octets_are_parsed(octets: Vec<u8>, text in r#"[a-c;="*'0-1%()\\ ]{0,30}"#) {
            for field in [[b"a; filename*=".as_slice(), &octets].concat(), text.into_bytes()] {
                let read = Parameters::parse(&field);
                drop((read.token("a"), read.text("a"), read.text("filename")));
            }
        }
    }
}
