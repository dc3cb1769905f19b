//! The line of an overview that an article's headers would make (RFC 3977, section 8.3.2), for servers that keep none.
//!
//! ```text
//! header = name ":" value CRLF *( WS value CRLF )          ; unfolded: the line ends go, the blanks stay
//! ```
//!
//! Tabs, line ends and NUL in a value become blanks, as RFC 3977 has servers do it. Bytes are not known.

/// The headers that an overview has, in its order.
const FIELDS: [&[u8]; 5] = [b"subject", b"from", b"date", b"message-id", b"references"];

/// The line for the article `number`, with its CRLF. Of a header that is there twice the first counts.
pub fn overview_line(number: u64, head: &[u8]) -> Vec<u8> {
    let mut line = number.to_string().into_bytes();
    for name in FIELDS {
        line.push(b'\t');
        push_value(&mut line, head, name);
    }
    line.extend_from_slice(b"\t\t");
    push_value(&mut line, head, b"lines");
    line.extend_from_slice(b"\r\n");
    line
}

/// Appends a header's value, unfolded.
fn push_value(line: &mut Vec<u8>, head: &[u8], name: &[u8]) {
    let lines = head.split(|&octet| octet == b'\n');
    let mut is_wanted = false;
    for octets in lines {
        let octets = octets.strip_suffix(b"\r").unwrap_or(octets);
        let value = if octets.starts_with(b" ") || octets.starts_with(b"\t") {
            octets
        } else if is_wanted {
            return;
        } else {
            let named = octets.split_at_checked(name.len());
            let Some((_, rest)) = named.filter(|(head, _)| head.eq_ignore_ascii_case(name)) else {
                continue;
            };
            let Some(value) = rest.strip_prefix(b":") else {
                continue;
            };
            is_wanted = true;
            value.trim_ascii_start()
        };
        if is_wanted {
            let blank = |&octet: &u8| if octet < b' ' { b' ' } else { octet };
            line.extend(value.iter().map(blank));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::nntp::overview;

    #[test]
    fn headers_make_a_line() {
        let head =
            b"Path: x!y\r\nSUBJECT:  A\tlong\r\n one\r\nFrom: caf\xe9@x\r\nMessage-ID: <1@x>\r\n\
            Subject: another\r\nReferences: <a@x>\r\n\t<b@x>\r\nLines: 7\r\n";
        let line = overview_line(12, head);
        assert_eq!(
            line.escape_ascii().to_string(),
            "12\\tA long one\\tcaf\\xe9@x\\t\\t<1@x>\\t<a@x> <b@x>\\t\\t7\\r\\n"
        );
        let read = overview(line.trim_ascii_end()).unwrap();
        assert_eq!(
            (read.number, read.lines, read.references),
            (12, Some(7), b"<a@x> <b@x>".as_slice())
        );
    }

    proptest::proptest! {
        #[test]
        fn any_octets_make_one_line(number: u64, head: Vec<u8>) {
            let line = overview_line(number, &head);
            proptest::prop_assert_eq!(memchr::memchr_iter(b'\n', &line).count(), 1);
            proptest::prop_assert_eq!(memchr::memchr_iter(b'\t', &line).count(), 7);
            proptest::prop_assert_eq!(overview(line.strip_suffix(b"\r\n").unwrap()).map(|read| read.number), Some(number));
        }
    }
}
