//! The encodings of the answers to a form.
//!
//! ```text
//! urlencoded = name "=" value *( "&" name "=" value )          in a URL (GET), or as the body of a request (POST)
//! multipart  = *( "--" boundary CRLF head CRLF value CRLF ) "--" boundary "--" CRLF
//! ```
//!
//! Names and values are sent in the charset of the form.

use std::fmt::Write;

use geomys_wire::text::Charset;

/// The pairs as a query.
pub(super) fn urlencoded(pairs: &[(String, String)], charset: Charset) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        if !query.is_empty() {
            query.push('&');
        }
        encode(&charset.encode_answer(name), &mut query);
        query.push('=');
        encode(&charset.encode_answer(value), &mut query);
    }
    query
}

fn encode(octets: &[u8], query: &mut String) {
    for &octet in octets {
        match octet {
            b' ' => query.push('+'),
            b'*' | b'-' | b'.' | b'_' => query.push(char::from(octet)),
            octet if octet.is_ascii_alphanumeric() => query.push(char::from(octet)),
            octet => {
                let _ = write!(query, "%{octet:02X}");
            }
        }
    }
}

/// The pairs as a body of several parts, with its media type.
pub(super) fn multipart(pairs: &[(String, String)], charset: Charset) -> (String, Vec<u8>) {
    let is_inside = |boundary: &str| pairs.iter().any(|(_, value)| value.contains(boundary));
    let mut number = 0_u32;
    let mut boundary = "geomys-0".to_owned();
    while is_inside(&boundary) {
        number += 1;
        boundary = format!("geomys-{number}");
    }
    let mut body = Vec::new();
    for (name, value) in pairs {
        let name = name
            .replace('"', "%22")
            .replace('\r', "%0D")
            .replace('\n', "%0A");
        let part = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        body.extend(charset.encode_answer(&part));
    }
    body.extend(format!("--{boundary}--\r\n").bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}
