//! Encoding of a draft as the octets that are sent (RFC 5322; RFC 2047 for non-ASCII text).
//!
//! ```text
//! encoded-word = "=?utf-8?" ( "q" / "b" ) "?" encoded-text "?="     ; 75 octets at most
//! ```
//!
//! Lines end in CRLF. A non-ASCII body is sent unchanged, declared as 8-bit UTF-8; format=flowed is never used.
//!
//! The crate `mail-builder` is not used: it puts every display name in quotes, encodes the whole of a header in which
//! one word is not ASCII, and sends a body that is not ASCII as quoted-printable or Base64, which newsreaders without
//! MIME show as it is. It also folds Newsgroups, Control and Supersedes, and its messages carry a Date and a Message-ID
//! that the author has not set.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Draft;

/// Width of a header line that can be folded, in columns.
const COLUMNS: usize = 76;

/// Octets of encoded text in one encoded word: 75 minus the delimiters, minus the room for one escape.
const WORD: usize = 45;

/// Encodes an article or a letter. Headers without a value are left out.
pub fn encode(draft: &Draft) -> Vec<u8> {
    let mut octets = String::new();
    let headers = draft
        .headers
        .iter()
        .map(|(name, value)| (name, value.trim()));
    for (name, value) in headers.filter(|(_, value)| !value.is_empty()) {
        let encoded = match name.to_ascii_lowercase().as_str() {
            "from" | "to" | "cc" | "bcc" | "reply-to" | "mail-copies-to" => mailboxes(value),
            // Old programs do not understand these headers when folded, and nothing in them needs to be encoded.
            // A list of groups has no blanks (RFC 5536, section 3.1.4), which some servers would refuse.
            "newsgroups" | "followup-to" => {
                let groups: String = value.split_whitespace().collect();
                octets.extend([name, ": ", &groups, "\r\n"]);
                continue;
            }
            "control" | "message-id" | "supersedes" | "cancel-lock" | "cancel-key" => {
                octets.extend([name, ": ", value, "\r\n"]);
                continue;
            }
            _ => words(value),
        };
        octets.push_str(&folded(&format!("{name}: {encoded}")));
    }
    if !draft.body.is_ascii() {
        octets.push_str(
            "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n",
        );
    }
    octets.push_str("\r\n");
    for line in draft.body.lines() {
        octets.push_str(line);
        octets.push_str("\r\n");
    }
    octets.into_bytes()
}

/// Encodes a comma-separated list of mailboxes; only the names can be encoded.
fn mailboxes(value: &str) -> String {
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
        format!("{} <{address}", encoded_words(&plain))
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
fn words(value: &str) -> String {
    let words: Vec<&str> = value.split(' ').collect();
    let first = words.iter().position(|word| needs_encoding(word));
    let last = words.iter().rposition(|word| needs_encoding(word));
    let (Some(first), Some(last)) = (first, last) else {
        return value.to_owned();
    };
    let part = |range: Option<&[&str]>| range.unwrap_or_default().join(" ");
    let mut pieces = vec![
        part(words.get(..first)),
        encoded_words(&part(words.get(first..=last))),
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
fn encoded_words(text: &str) -> String {
    let rare = text.bytes().filter(|octet| !octet.is_ascii()).count() * 2 < text.len();
    let cost = |c: char| match (rare, is_plain(c)) {
        (true, true) => 1,
        (true, false) => 3 * c.len_utf8(),
        (false, _) => c.len_utf8(),
    };
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for c in text.chars() {
        if used + cost(c) > WORD {
            pieces.push(String::new());
            used = 0;
        }
        used += cost(c);
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
    }
    let words = pieces.iter().map(|piece| {
        if rare {
            format!("=?utf-8?q?{}?=", quoted(piece))
        } else {
            format!("=?utf-8?b?{}?=", STANDARD.encode(piece))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns true if a character needs no escape in any position of an encoded word (RFC 2047, section 5).
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == ' ' || "!*+-/".contains(c)
}

fn quoted(text: &str) -> String {
    let mut encoded = String::new();
    for c in text.chars() {
        match c {
            ' ' => encoded.push('_'),
            c if is_plain(c) => encoded.push(c),
            c => {
                let mut octets = [0; 4];
                let octets = c.encode_utf8(&mut octets).bytes();
                encoded.extend(octets.map(|octet| format!("={octet:02X}")));
            }
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
        let sent = String::from_utf8(encode(&draft)).unwrap();
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
        let sent = String::from_utf8(encode(&draft)).unwrap();
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
            let sent = encode(&draft(&[("From", "a@b"), ("Subject", &subject)], "x\n"));
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
