//! Decoding of article headers for display: encoded words, authors, mailboxes.
//!
//! ```text
//! encoded-word = "=?" charset [ "*" language ] "?" encoding "?" encoded-text "?="     (RFC 2047, section 2; RFC 2231)
//! mailbox      = [ display-name ] "<" address ">" / address [ "(" comment ")" ]      (RFC 5322, section 3.4)
//! mailbox-list = mailbox *( "," mailbox )
//! ```
//!
//! The decoder is tolerant: it accepts words longer than 75 octets, blanks in them and words beside other text.
//! Adjacent words in one charset are joined before decoding, as a character may be split between them; but not those of
//! a charset with shift states, each of which begins in the first state. A malformed word is left
//! unchanged. Where the RFC requires a phrase, any text is accepted. Groups of mailboxes and routes are left unchanged.

use std::fmt;

use geomys_wire::text::{Charset, Text, utf8};

use super::article::{base64, unquote};

/// The maximum length of an encoded word, in octets.
const WORD: usize = 2048;

/// Decodes the encoded words in a header's value. Other text is decoded as UTF-8 or by `charset`.
pub(super) fn decode(value: &[u8], charset: Charset) -> String {
    let mut text = String::new();
    let mut pending: Option<(Vec<u8>, Vec<Vec<u8>>)> = None;
    let mut rest = value;
    while !rest.is_empty() {
        let start = memchr::memmem::find(rest, b"=?").unwrap_or(rest.len());
        let (before, from) = rest.split_at_checked(start).unwrap_or((rest, &[]));
        let Some((word, after)) = word(from) else {
            // Not an encoded word: the two octets `=?` are text.
            let (odd, after) = from.split_at_checked(2).unwrap_or((from, &[]));
            flush(&mut pending, &mut text);
            push(&mut text, before, charset);
            push(&mut text, odd, charset);
            rest = after;
            continue;
        };
        // Blanks between two encoded words are not text.
        if pending.is_none() || !before.iter().all(u8::is_ascii_whitespace) {
            flush(&mut pending, &mut text);
            push(&mut text, before, charset);
        }
        pending = match pending {
            Some((name, mut words)) if name.eq_ignore_ascii_case(word.charset) => {
                words.push(word.octets);
                Some((name, words))
            }
            mut other => {
                flush(&mut other, &mut text);
                Some((word.charset.to_vec(), vec![word.octets]))
            }
        };
        rest = after;
    }
    flush(&mut pending, &mut text);
    // An encoded word may contain line ends; a header is one line.
    text.replace(['\r', '\n'], " ")
}

/// Returns true if a header's value has encoded words, or the escapes of a charset with shift states.
pub(super) fn is_encoded(value: &[u8]) -> bool {
    memchr::memmem::find(value, b"=?").is_some() || Charset::with_escapes(value).is_some()
}

/// Decodes a header's value to displayable text.
pub fn text(value: &[u8], charset: Charset) -> Text {
    if is_encoded(value) {
        return Text::of(&decode(value, charset));
    }
    Text::without_replacement(value, charset)
}

/// The author in a From header: the name if there is one, else the address.
pub(super) fn author(from: &[u8], charset: Charset) -> Text {
    let from = from.trim_ascii();
    let name = match (
        memchr::memrchr(b'<', from),
        memchr::memchr(b'(', from),
        from.last(),
    ) {
        (Some(at), ..) => {
            let (name, address) = from.split_at_checked(at).unwrap_or((from, &[]));
            let name = unquoted(name.trim_ascii());
            if name.is_empty() {
                let address = address.strip_prefix(b"<").unwrap_or(address);
                let end = memchr::memchr(b'>', address).unwrap_or(address.len());
                address.get(..end).unwrap_or(address).to_vec()
            } else {
                name
            }
        }
        (None, Some(at), Some(b')')) => {
            let name = from.get(at + 1..from.len() - 1).unwrap_or_default();
            let address = from.get(..at).unwrap_or_default();
            let has_name = !name.trim_ascii().is_empty();
            if has_name { name } else { address }.trim_ascii().to_vec()
        }
        _ => from.to_vec(),
    };
    text(&name, charset)
}

/// An encoded word.
struct EncodedWord<'a> {
    charset: &'a [u8],
    octets: Vec<u8>,
}

/// Parses the encoded word at the beginning of `text`. Returns it with the text behind it.
fn word(text: &[u8]) -> Option<(EncodedWord<'_>, &[u8])> {
    let inside = text.strip_prefix(b"=?")?;
    let inside = inside.get(..WORD).unwrap_or(inside);
    let mut fields = inside.splitn(3, |&octet| octet == b'?');
    let (charset, encoding, content) = (fields.next()?, fields.next()?, fields.next()?);
    let end = memchr::memmem::find(content, b"?=")?;
    let encoded = content.get(..end)?;
    let octets = match encoding {
        b"B" | b"b" => Some(base64(encoded).octets)
            .filter(|octets| encoded.is_empty() || !octets.is_empty())?,
        b"Q" | b"q" => q_decoded(encoded),
        _ => return None,
    };
    let after = text.get(2 + charset.len() + 1 + encoding.len() + 1 + end + 2..)?;
    let charset = charset.split(|&octet| octet == b'*').next()?;
    let fits = |octet: &u8| octet.is_ascii_graphic();
    (!charset.is_empty() && charset.len() <= 40 && charset.iter().all(fits))
        .then_some((EncodedWord { charset, octets }, after))
}

/// Decodes the Q encoding (RFC 2047, section 4.2).
fn q_decoded(text: &[u8]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(text.len());
    for (at, word) in text.split(|&octet| octet == b'_').enumerate() {
        octets.extend((at > 0).then_some(b' '));
        unquote(word, &mut octets);
    }
    octets
}

/// Decodes adjacent encoded words in one charset.
fn flush(pending: &mut Option<(Vec<u8>, Vec<Vec<u8>>)>, text: &mut String) {
    let Some((name, words)) = pending.take() else {
        return;
    };
    // ASCII says nothing about other octets.
    let is_ascii = name.eq_ignore_ascii_case(b"us-ascii");
    let charset = Charset::named(&String::from_utf8_lossy(&name)).filter(|_| !is_ascii);
    let is_one_text = !charset.is_some_and(Charset::is_stateful);
    for run in words.chunk_by(|word, next| is_one_text || is_shifted_between(word, next)) {
        let octets = run.concat();
        let decoded = charset.map(|charset| charset.decode(&octets));
        match decoded.filter(|decoded| !decoded.contains(char::REPLACEMENT_CHARACTER)) {
            Some(decoded) => text.push_str(&decoded),
            None => push(text, &octets, charset.unwrap_or_default()),
        }
    }
}

/// Returns true if a text in ISO-2022-JP was split between two octets without a shift: the first word does not end in
/// ASCII, to which the second one returns.
fn is_shifted_between(word: &[u8], next: &[u8]) -> bool {
    let is_return = |at: Option<usize>, octets: &[u8]| {
        let escape = at.and_then(|at| octets.get(at..at + 3));
        escape.map(|escape| matches!(escape, b"\x1b(B" | b"\x1b(J"))
    };
    let last = is_return(memchr::memrchr(0x1b, word), word);
    let first = is_return(memchr::memchr(0x1b, next), next);
    last == Some(false) && first == Some(true)
}

fn push(text: &mut String, octets: &[u8], charset: Charset) {
    let charset = Charset::with_escapes(octets).unwrap_or(charset);
    match utf8(octets) {
        Some(utf8) if !charset.is_stateful() => text.push_str(&utf8),
        Some(_) | None => text.push_str(&charset.decode_without_replacement(octets)),
    }
}

/// Removes the quotes around a name and the backslashes inside them.
fn unquoted(name: &[u8]) -> Vec<u8> {
    let Some(inside) = name
        .strip_prefix(b"\"")
        .map(|name| name.strip_suffix(b"\"").unwrap_or(name))
    else {
        return name.to_vec();
    };
    let mut plain = Vec::with_capacity(inside.len());
    let mut escaped = false;
    for &octet in inside {
        if octet == b'\\' && !escaped {
            escaped = true;
        } else {
            plain.push(octet);
            escaped = false;
        }
    }
    plain
}

/// A mailbox in a header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mailbox {
    /// The decoded name; empty, or the address, where there is none.
    pub name: String,
    /// The address.
    pub address: String,
}

impl fmt::Display for Mailbox {
    /// Formats the mailbox for a draft: the name decoded, in quotes where necessary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.is_empty() || self.name == self.address {
            return f.write_str(&self.address);
        }
        let is_atom = |c: char| c.is_alphanumeric() || " !#$%&'*+-/=?^_`{|}~".contains(c);
        if self.name.chars().all(is_atom) {
            return write!(f, "{} <{}>", self.name, self.address);
        }
        let inside = self.name.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "\"{inside}\" <{}>", self.address)
    }
}

/// Parses the mailboxes in a header's value, in their order.
pub fn mailboxes(value: &[u8], charset: Charset) -> Vec<Mailbox> {
    let mut all = Vec::new();
    let (mut is_quoted, mut is_escaped, mut comments) = (false, false, 0_usize);
    let parts = value.split(|octet| {
        let was_escaped = std::mem::take(&mut is_escaped);
        match octet {
            _ if was_escaped => {}
            b'\\' => is_escaped = true,
            b'"' if comments == 0 => is_quoted = !is_quoted,
            b'(' if !is_quoted => comments += 1,
            b')' if !is_quoted => comments = comments.saturating_sub(1),
            b',' => return !is_quoted && comments == 0,
            _ => {}
        }
        false
    });
    for part in parts
        .map(<[u8]>::trim_ascii)
        .filter(|part| !part.is_empty())
    {
        all.push(Mailbox {
            name: author(part, charset).to_string(),
            address: address(part),
        });
    }
    all
}

/// The address of an unparsed mailbox.
pub(super) fn address(mailbox: &[u8]) -> String {
    let start = memchr::memrchr(b'<', mailbox).map_or(0, |at| at + 1);
    let rest = mailbox.get(start..).unwrap_or_default();
    let end = rest.iter().position(|octet| matches!(octet, b'>' | b'('));
    let address = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    Text::new(address.trim_ascii(), Charset::default()).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(value: &str) -> Vec<String> {
        let all = mailboxes(value.as_bytes(), Charset::default());
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn mailboxes_are_split_and_decoded() {
        assert_eq!(read(" , "), [""; 0]);
        assert_eq!(read("a@b"), ["a@b"]);
        assert_eq!(
            read("\"Bear, the \\\"B\\\"\" <a@b>, c@d (Ada, again),=?utf-8?q?=C3=A4?= <e@f>"),
            [
                "\"Bear, the \\\"B\\\"\" <a@b>",
                "\"Ada, again\" <c@d>",
                "ä <e@f>"
            ]
        );
        assert_eq!(read("=?utf-8?q?a=2Cb?= <c@d>"), ["\"a,b\" <c@d>"]);
    }

    #[test]
    fn encoded_word_that_is_no_base64_is_left_unchanged() {
        for (value, expected) in [
            (
                "=?utf-8?B?not base64 at all?= y",
                "=?utf-8?B?not base64 at all?= y",
            ),
            ("=?utf-8?B?w6Q=?= y", "ä y"),
            ("=?utf-8?B??= y", " y"),
        ] {
            assert_eq!(decode(value.as_bytes(), Charset::default()), expected);
        }
    }

    proptest! {
        #[test]
        fn written_mailbox_is_read_as_it_was(name in "[a-zA-Zäß,.\"(]{1,20}", address in "[a-z]{1,9}@[a-z]{1,9}") {
            let mailbox = Mailbox { name, address };
            prop_assert_eq!(mailboxes(mailbox.to_string().as_bytes(), Charset::default()), [mailbox]);
        }
    }
}
