//! The heads of articles and of their parts (RFC 2045 to 2047, RFC 2183).
//!
//! ```text
//! head = *( name *WS ":" value EOL *( WS value EOL ) )
//! ```
//!
//! A head ends at an empty line, or before the first line that is no header. The headers that describe a body fall back
//! to plain text where they are invalid. Of a head that is longer than [`MAX_HEAD_BYTES`] only the beginning is read.

use geomys_wire::protocol::octets;
use geomys_wire::protocol::parameters::Parameters;
use geomys_wire::text::Charset;

use super::transfer::TransferEncoding;
use crate::document::header;

/// Splits a part into its head, with the last line end, and its body. A part that starts with an empty line has no
/// head.
pub(super) fn split(octets: &[u8]) -> (&[u8], &[u8]) {
    let mut at = 0;
    for line in octets.split_inclusive(|&octet| octet == b'\n') {
        let is_blank = matches!(line, b"\r\n" | b"\n");
        let continues = at > 0 && matches!(line, [b' ' | b'\t', ..]);
        let is_envelope = at == 0 && (line.starts_with(b"From ") || line.starts_with(b">From "));
        if !is_blank && (continues || is_envelope || header_of(line).is_some()) {
            at += line.len();
            continue;
        }
        // A line that is no header belongs to the body.
        let start = at + if is_blank { line.len() } else { 0 };
        let body = octets.get(start..).unwrap_or_default();
        return (octets.get(..at).unwrap_or_default(), body);
    }
    (octets, &[])
}

/// The name and the value of a header line.
fn header_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, value) = octets::split_once(line, b':')?;
    let name = name.trim_ascii_end();
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_graphic);
    is_name.then_some((name, value.trim_ascii()))
}

/// The most octets of a head that are read.
pub(super) const MAX_HEAD_BYTES: usize = 1024 * 1024;

/// The names and values of a head, with continued lines joined (RFC 5322, section 2.2.3).
pub(super) fn unfolded(head: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let head = head.get(..MAX_HEAD_BYTES).unwrap_or(head);
    let mut headers: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for line in octets::lines(head) {
        if let (Some(b' ' | b'\t'), Some((_, value))) = (line.first(), headers.last_mut()) {
            value.push(b' ');
            value.extend_from_slice(line.trim_ascii());
        } else if let Some((name, value)) = header_of(line) {
            headers.push((name.to_vec(), value.to_vec()));
        }
    }
    headers
}

/// The media type of a part that states none, or an invalid one (RFC 2045, section 5.2).
pub(super) const TEXT: &str = "text/plain";

/// The headers of a part that say what its body is.
pub(super) struct PartHead {
    /// The media type, in small letters.
    pub(super) kind: String,
    /// The parameters of the media type.
    pub(super) parameters: Parameters,
    disposition: Parameters,
    pub(super) encoding: TransferEncoding,
}

impl PartHead {
    pub(super) fn new(head: &[u8], default: &str) -> Self {
        let headers = unfolded(head);
        let field = |name: &str| {
            let mut headers = headers.iter();
            let found = headers.find(|(other, _)| other.eq_ignore_ascii_case(name.as_bytes()));
            found.map(|(_, value)| Parameters::parse(value))
        };
        let parameters = field("Content-Type");
        let kind = match &parameters {
            Some(parameters) => media_type(&parameters.value).unwrap_or_else(|| TEXT.to_owned()),
            None => default.to_owned(),
        };
        let encoding = field("Content-Transfer-Encoding").unwrap_or_default();
        Self {
            kind,
            parameters: parameters.unwrap_or_default(),
            disposition: field("Content-Disposition").unwrap_or_default(),
            encoding: TransferEncoding::named(&encoding.value),
        }
    }

    /// The boundary of a multipart. Where it states none, the first line that looks like one is.
    pub(super) fn boundary<'a>(&'a self, body: &'a [u8]) -> Option<&'a [u8]> {
        if !self.kind.starts_with("multipart/") {
            return None;
        }
        self.parameters.token("boundary").or_else(|| {
            let lines = octets::lines(body).filter_map(|line| line.strip_prefix(b"--"));
            let mut lines = lines.map(<[u8]>::trim_ascii_end);
            lines.find(|line| !line.is_empty())
        })
    }

    pub(super) fn is_attachment(&self) -> bool {
        let disposition = self.disposition.value.to_ascii_lowercase();
        // A disposition that is unknown is that of an attachment (RFC 2183, section 2.8).
        let is_shown =
            matches!(disposition.as_slice(), b"" | b"inline") || disposition.contains(&b'=');
        !is_shown || !is_text(&self.kind) && !self.kind.starts_with("multipart/")
    }

    /// The name of a file, decoded.
    pub(super) fn name(&self, charset: Charset) -> Vec<u8> {
        let name = self.disposition.text("filename");
        let name = name.or_else(|| self.parameters.text("name"));
        let name = name.unwrap_or_default();
        header::decode(&name, charset).into_bytes()
    }

    /// Returns true if the media type has a parameter with this value.
    pub(super) fn is(&self, name: &str, value: &str) -> bool {
        let token = self.parameters.token(name);
        token.is_some_and(|token| token.eq_ignore_ascii_case(value.as_bytes()))
    }
}

/// Returns true for a media type that people read: texts, and reports of mail servers (RFC 3464, 5965, 8098).
fn is_text(kind: &str) -> bool {
    kind.starts_with("text/")
        || matches!(
            kind,
            "message/delivery-status"
                | "message/global-delivery-status"
                | "message/disposition-notification"
                | "message/feedback-report"
                | "message/global-headers"
        )
}

/// Returns a text that consists of headers (RFC 6522, section 4) with its encoded words decoded.
pub(super) fn decoded_headers(text: &[u8], charset: Charset) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut lines = text.split_inclusive(|&octet| octet == b'\n').peekable();
    while let Some(line) = lines.next() {
        let mut field = line.to_vec();
        while let Some(more) = lines.next_if(|line| matches!(line, [b' ' | b'\t', ..])) {
            field.extend_from_slice(more);
        }
        if !header::is_encoded(&field) {
            decoded.extend(field);
            continue;
        }
        match unfolded(&field).as_slice() {
            [(name, value)] => {
                let value = header::decode(value, charset).into_bytes();
                decoded.extend([name.as_slice(), b": ", &value, b"\n"].concat());
            }
            _ => decoded.extend(field),
        }
    }
    decoded
}

/// A media type in small letters; nothing if it is invalid.
fn media_type(value: &[u8]) -> Option<String> {
    let is_token = |octet: u8| octet.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(&octet);
    let (main, sub) = octets::split_once(value, b'/')?;
    let is_valid = |part: &[u8]| !part.is_empty() && part.iter().all(|&octet| is_token(octet));
    let kind = String::from_utf8_lossy(value).to_ascii_lowercase();
    (is_valid(main) && is_valid(sub)).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_ends_before_a_line_that_is_no_header() {
        for (octets, head, body) in [
            ("A: b\n c\n\nd\n", "A: b\n c\n", "d\n"),
            ("A: b\nno header\nd: e\n", "A: b\n", "no header\nd: e\n"),
            ("A : b\n", "A : b\n", ""),
            ("From x\nA: b\n\nd", "From x\nA: b\n", "d"),
            ("\nd", "", "d"),
            ("words\nA: b\n", "", "words\nA: b\n"),
            (" A: b\n", "", " A: b\n"),
        ] {
            assert_eq!(
                split(octets.as_bytes()),
                (head.as_bytes(), body.as_bytes()),
                "{octets:?}"
            );
        }
    }

    #[test]
    fn long_head_is_read_up_to_its_limit() {
        let line = b" a folded line\n";
        let head = [
            b"A: b\n".as_slice(),
            &line.repeat(3 * MAX_HEAD_BYTES / line.len()),
        ]
        .concat();
        let headers = unfolded(&head);
        assert_eq!(headers.len(), 1);
        assert!((MAX_HEAD_BYTES / 2..=MAX_HEAD_BYTES).contains(&headers[0].1.len()));
    }

    #[test]
    fn invalid_media_types_are_plain_text() {
        for (field, kind) in [
            ("TEXT/html; charset=x", "text/html"),
            ("text", "text/plain"),
            ("text/", "text/plain"),
            ("/plain", "text/plain"),
            ("image/png/x", "text/plain"),
            ("image /png", "text/plain"),
            ("", "text/plain"),
            ("(note) image/png", "image/png"),
        ] {
            let head = format!("Content-Type: {field}\n");
            assert_eq!(
                PartHead::new(head.as_bytes(), "message/rfc822").kind,
                kind,
                "{field}"
            );
        }
        assert_eq!(PartHead::new(b"", "message/rfc822").kind, "message/rfc822");
    }

    proptest::proptest! {
        #[test]
        fn any_head_is_split(octets: Vec<u8>) {
            let (head, body) = split(&octets);
            proptest::prop_assert!(octets.starts_with(head) && octets.ends_with(body));
        }
    }
}
