//! The file name in a `Content-Disposition` (RFC 6266, section 4.1; RFC 8187, section 3.2).
//!
//! ```text
//! content-disposition = disposition-type *( ";" disposition-parm )
//! filename-parm       = "filename" "=" value / "filename*" "=" ext-value
//! value               = token / quoted-string
//! ext-value           = charset "'" [ language ] "'" value-chars
//! value-chars         = *( pct-encoded / attr-char )
//! ```
//!
//! `filename*` comes before `filename`. Read leniently: a value without its closing quote, blanks around `=`, and octets
//! above ASCII in a `filename`. A backslash before any other character than `"` or `\` stays, as some servers send paths
//! of Windows. Left out: the type, as every file here is saved.

use rfc1738::decode;

use crate::text::Charset;

/// Returns the file name, as the server wrote it; the octets of `filename*` are decoded to UTF-8. The name is not safe for
/// a file system.
pub fn file_name(field: &[u8]) -> Option<Vec<u8>> {
    let mut plain = None;
    let mut rest = after(field, b';')?;
    loop {
        let (name, value, next) = parameter(rest);
        if name.eq_ignore_ascii_case(b"filename*") {
            if let Some(name) = extended(&value).filter(|name| !name.is_empty()) {
                return Some(name);
            }
        } else if name.eq_ignore_ascii_case(b"filename") && !value.is_empty() {
            plain = plain.or(Some(value));
        }
        match next {
            Some(next) => rest = next,
            None => return plain,
        }
    }
}

/// Splits the first parameter off: its name, its value, and the text after its semicolon.
fn parameter(text: &[u8]) -> (&[u8], Vec<u8>, Option<&[u8]>) {
    let end = text.iter().position(|octet| matches!(octet, b'=' | b';'));
    let (name, tail) = text.split_at(end.unwrap_or(text.len()));
    let Some(tail) = tail.strip_prefix(b"=") else {
        return (name.trim_ascii(), Vec::new(), after(text, b';'));
    };
    let value = tail.trim_ascii_start();
    let (value, next) = match value.strip_prefix(b"\"") {
        Some(quoted) => {
            let (value, rest) = unquoted(quoted);
            (value, after(rest, b';'))
        }
        None => {
            let token = value.split(|&octet| octet == b';').next();
            let token = token.unwrap_or_default().trim_ascii();
            (token.to_vec(), after(value, b';'))
        }
    };
    (name.trim_ascii(), value, next)
}

/// Returns the text after the first `octet`.
fn after(text: &[u8], octet: u8) -> Option<&[u8]> {
    text.get(memchr::memchr(octet, text)? + 1..)
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

/// Decodes an `ext-value`; `None` if it is none, or of an unknown charset.
fn extended(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let (charset, rest) = text.split_once('\'')?;
    let (_language, chars) = rest.split_once('\'')?;
    let octets = decode(chars);
    if charset.eq_ignore_ascii_case("utf-8") {
        return Some(octets.into_owned());
    }
    let decoded = Charset::named(charset)?.decode(&octets).into_owned();
    Some(decoded.into_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::file_name;

    #[test]
    fn names_are_read_as_rfc_6266_shows_them() {
        for (field, expected) in [
            ("Attachment; filename=example.html", Some("example.html")),
            (
                "INLINE; FILENAME= \"an example.html\"",
                Some("an example.html"),
            ),
            (
                "attachment; filename*= UTF-8''%e2%82%ac%20rates",
                Some("€ rates"),
            ),
            (
                "attachment; filename=\"EURO rates\"; filename*=utf-8''%e2%82%ac%20rates",
                Some("€ rates"),
            ),
            (
                "attachment; filename*=iso-8859-1'en'%A3%20rates; filename=\"x\"",
                Some("£ rates"),
            ),
            (
                "attachment; filename=\"a\\\"b; c.txt\"; size=3",
                Some("a\"b; c.txt"),
            ),
            ("attachment; filename=\"unclosed", Some("unclosed")),
            (
                "attachment; filename=\"C:\\dir\\x.exe\"",
                Some("C:\\dir\\x.exe"),
            ),
            ("attachment; filename*=nonsense; filename=y", Some("y")),
            ("attachment; x; filename=z ; y", Some("z")),
            ("attachment; name=\"; filename=no\"", None),
            ("attachment; filename=", None),
            ("attachment", None),
            ("", None),
        ] {
            let name = file_name(field.as_bytes());
            let expected = expected.map(|name| name.as_bytes().to_vec());
            assert_eq!(name, expected, "{field}");
        }
    }

    proptest! {
        #[test]
        fn quoted_name_is_read_back(name in "[ -~]{1,40}") {
            let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
            let field = format!("attachment; filename=\"{quoted}\"");
            prop_assert_eq!(file_name(field.as_bytes()), Some(name.into_bytes()));
        }

        #[test]
        fn any_octets_are_parsed(octets in proptest::collection::vec(any::<u8>(), 0..80)) {
            let field = [b"a; filename*=".as_slice(), &octets].concat();
            let _ = file_name(&field);
        }
    }
}
