//! Encoding of a draft as the octets that are sent (RFC 5322; RFC 2047 for non-ASCII text).
//!
//! ```text
//! encoded-word = "=?" charset "?" ( "q" / "b" ) "?" encoded-text "?="     ; 75 octets at most
//! ```
//!
//! Lines end in CRLF. A non-ASCII body is sent with its octets as they are, as UTF-8 or in the charset that the author
//! has set, if that has all characters; format=flowed is never used.
//!
//! The crate `mail-builder` is not used: it puts every display name in quotes, encodes the whole of a header in which
//! one word is not ASCII, and sends a body that is not ASCII as quoted-printable or Base64, which newsreaders without
//! MIME show as it is. It also folds Newsgroups, Control and Supersedes, and its messages carry a Date and a Message-ID
//! that the author has not set.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Draft, PostingCharset};

/// Width of a header line that can be folded, in columns.
const COLUMNS: usize = 76;

/// The most octets of an encoded word (RFC 2047, section 2).
const WORD: usize = 75;

/// Encodes an article or a letter. Headers without a value are left out. What the charset lacks is sent as UTF-8.
pub fn encode(draft: &Draft, charset: Option<&PostingCharset>) -> Vec<u8> {
    let mut head = String::new();
    let headers = draft
        .headers
        .iter()
        .map(|(name, value)| (name, value.trim()));
    for (name, value) in headers.filter(|(_, value)| !value.is_empty()) {
        let encoded = match name.to_ascii_lowercase().as_str() {
            "from" | "to" | "cc" | "bcc" | "reply-to" | "mail-copies-to" => {
                mailboxes(value, charset)
            }
            // Old programs do not understand these headers when folded, and nothing in them needs to be encoded.
            // A list of groups has no blanks (RFC 5536, section 3.1.4), which some servers would refuse.
            "newsgroups" | "followup-to" => {
                let groups: String = value.split_whitespace().collect();
                head.extend([name, ": ", &groups, "\r\n"]);
                continue;
            }
            "control" | "message-id" | "supersedes" | "cancel-lock" | "cancel-key" => {
                head.extend([name, ": ", value, "\r\n"]);
                continue;
            }
            _ => words(value, charset),
        };
        head.push_str(&folded(&format!("{name}: {encoded}")));
    }
    let body = draft.body.lines().flat_map(|line| [line, "\r\n"]);
    let body: String = body.collect();
    let (name, octets) = in_charset(&body, charset);
    if !body.is_ascii() {
        let bits = if octets.is_ascii() { "7bit" } else { "8bit" };
        let media = format!("Content-Type: text/plain; charset={name}\r\n");
        head.extend(["MIME-Version: 1.0\r\n", &media]);
        head.extend(["Content-Transfer-Encoding: ", bits, "\r\n"]);
    }
    head.push_str("\r\n");
    [head.into_bytes(), octets].concat()
}

/// Returns the name of the charset in which a text is sent, and its octets.
fn in_charset<'c>(text: &str, charset: Option<&'c PostingCharset>) -> (&'c str, Vec<u8>) {
    let set = charset.and_then(|charset| Some((charset.name(), charset.encode(text)?)));
    set.unwrap_or_else(|| ("utf-8", text.as_bytes().to_vec()))
}

/// Encodes a comma-separated list of mailboxes; only the names can be encoded.
fn mailboxes(value: &str, charset: Option<&PostingCharset>) -> String {
    let encoded = split_at_commas(value).into_iter().map(|mailbox| {
        let Some((name, address)) = mailbox.rsplit_once('<') else {
            return mailbox.to_owned();
        };
        let name = name.trim();
        if !needs_encoding(name) {
            return mailbox.to_owned();
        }
        let inside = name
            .strip_prefix('"')
            .and_then(|name| name.strip_suffix('"'));
        let plain = match inside {
            Some(name) => name.replace("\\\"", "\"").replace("\\\\", "\\"),
            None => name.to_owned(),
        };
        format!("{} <{address}", encoded_words(&plain, charset))
    });
    encoded.collect::<Vec<_>>().join(", ")
}

fn split_at_commas(value: &str) -> Vec<&str> {
    let mut is_quoted = false;
    let mut was_escape = false;
    value
        .split(move |c: char| {
            let is_escaped = was_escape;
            was_escape = c == '\\' && !is_escaped;
            if c == '"' && !is_escaped {
                is_quoted = !is_quoted;
            }
            c == ',' && !is_quoted
        })
        .map(str::trim)
        .filter(|mailbox| !mailbox.is_empty())
        .collect()
}

/// Encodes the words from the first to the last that need it.
fn words(value: &str, charset: Option<&PostingCharset>) -> String {
    let words: Vec<&str> = value.split(' ').collect();
    let first = words.iter().position(|word| needs_encoding(word));
    let last = words.iter().rposition(|word| needs_encoding(word));
    let (Some(first), Some(last)) = (first, last) else {
        return value.to_owned();
    };
    let part = |range: Option<&[&str]>| range.unwrap_or_default().join(" ");
    let mut pieces = vec![
        part(words.get(..first)),
        encoded_words(&part(words.get(first..=last)), charset),
        part(words.get(last + 1..)),
    ];
    pieces.retain(|piece| !piece.is_empty());
    pieces.join(" ")
}

/// Returns true if a text must be encoded to be decoded unchanged.
fn needs_encoding(text: &str) -> bool {
    !text.is_ascii() || text.contains("=?")
}

/// Formats a text as encoded words without splitting a character.
fn encoded_words(text: &str, charset: Option<&PostingCharset>) -> String {
    let (name, all) = in_charset(text, charset);
    let charset = charset.filter(|charset| charset.name() == name);
    let is_rare = all.iter().filter(|octet| !octet.is_ascii()).count() * 2 < text.len();
    // Octets with shift states are no readable letters.
    let is_rare = is_rare && !all.contains(&0x1b);
    let word = |piece: &str| {
        let (_, octets) = in_charset(piece, charset);
        if is_rare {
            format!("=?{name}?q?{}?=", quoted(&octets))
        } else {
            format!("=?{name}?b?{}?=", STANDARD.encode(octets))
        }
    };
    let (mut words, mut piece) = (Vec::new(), String::new());
    for c in text.chars() {
        piece.push(c);
        if word(&piece).len() > WORD {
            piece.pop();
            words.push(word(&piece));
            piece = c.to_string();
        }
    }
    words.push(word(&piece));
    words.join(" ")
}

/// Encodes octets by "q", so that none needs an escape in any position of an encoded word (RFC 2047, section 5).
fn quoted(octets: &[u8]) -> String {
    let mut encoded = String::new();
    for octet in octets {
        match *octet {
            b' ' => encoded.push('_'),
            plain if plain.is_ascii_alphanumeric() || b"!*+-/".contains(&plain) => {
                encoded.push(char::from(plain));
            }
            // Writing to a string cannot fail.
            other => drop(write!(encoded, "={other:02X}")),
        }
    }
    encoded
}

/// Folds a header at its blanks to lines of [`COLUMNS`], and appends the line end.
fn folded(header: &str) -> String {
    let mut text = String::new();
    let mut column = 0;
    for (number, word) in header.split(' ').enumerate() {
        // A line of blanks alone is no header line: two blanks stay together, and the first word stays after the name.
        let may_fold = number > 1 && !word.is_empty() && !text.ends_with(' ');
        if may_fold && column + 1 + word.len() > COLUMNS {
            text.push_str("\r\n ");
            column = 1;
        } else if number > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += word.len();
    }
    text.push_str("\r\n");
    text
}

#[cfg(test)]
mod tests {
    use geomys_page::document::{Document, Shape};
    use geomys_wire::text::CharsetSetting;
    use proptest::prelude::*;
    use rfc1738::Url;

    use super::*;

    fn draft(headers: &[(&str, &str)], body: &str) -> Draft {
        let headers = headers.iter();
        Draft {
            headers: headers
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn ascii_goes_as_it_is() {
        let draft = draft(
            &[
                ("From", "Ada <a@b.example>"),
                ("Newsgroups", "a.b, a.c"),
                ("Subject", "A = b?"),
                ("Keywords", " "),
            ],
            "One\n.\n..\ntwo",
        );
        let sent = String::from_utf8(encode(&draft, None)).unwrap();
        assert_eq!(
            sent,
            "From: Ada <a@b.example>\r\nNewsgroups: a.b,a.c\r\nSubject: A = b?\r\n\r\nOne\r\n.\r\n..\r\ntwo\r\n"
        );
    }

    #[test]
    fn what_is_not_ascii_is_encoded_or_declared() {
        let draft = draft(
            &[
                ("From", "\"Björn, the \\\"Bear\\\"\" <b@c.example>"),
                ("Subject", "Re: Grüße aus Köln today"),
                ("Organization", "Подземный город"),
            ],
            "Grüße\n",
        );
        let sent = String::from_utf8(encode(&draft, None)).unwrap();
        assert_eq!(
            sent,
            "From: =?utf-8?q?Bj=C3=B6rn=2C_the_=22Bear=22?= <b@c.example>\r\n\
             Subject: Re: =?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?= today\r\n\
             Organization: =?utf-8?b?0J/QvtC00LfQtdC80L3Ri9C5INCz0L7RgNC+0LQ=?=\r\n\
             MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGrüße\r\n"
        );
    }

    proptest! {
        #[test]
        fn a_subject_is_read_as_it_was_written(words in prop::collection::vec("[a-zA-Zäßж漢=?_<>]{1,70}", 1..12)) {
            let subject = words.join(" ");
            let sent = encode(&draft(&[("From", "a@b"), ("Subject", &subject)], "x\n"), None);
            for line in sent.split(|&octet| octet == b'\n') {
                prop_assert!(line.is_ascii());
                prop_assert!(line.len() <= 300);
            }
            let url = Url::parse("news:a@b.example").unwrap();
            let mut document = Document::new(url, Shape::Article, CharsetSetting::default());
            document.append(&sent);
            prop_assert_eq!(document.finished().title().unwrap().to_string(), subject);
        }
    }
}
