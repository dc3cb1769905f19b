//! The encodings of the answers to a form.
//!
//! ```text
//! urlencoded = name "=" value *( "&" name "=" value )          in a URL (GET), or as the body of a request (POST)
//! multipart  = *( "--" boundary CRLF head CRLF value CRLF ) "--" boundary "--" CRLF
//! ```
//!
//! Names and values are sent as UTF-8.

use std::fmt::Write;

/// The pairs as a query.
pub fn urlencoded(pairs: &[(String, String)]) -> String {
    let mut query = String::new();
    for (name, value) in pairs {
        if !query.is_empty() {
            query.push('&');
        }
        encode(name, &mut query);
        query.push('=');
        encode(value, &mut query);
    }
    query
}

fn encode(text: &str, query: &mut String) {
    for octet in text.bytes() {
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
pub(super) fn multipart(pairs: &[(String, String)]) -> (String, Vec<u8>) {
    let is_inside = |boundary: &str| pairs.iter().any(|(_, value)| value.contains(boundary));
    let mut number = 0_u32;
    let mut boundary = "geomys-0".to_owned();
    while is_inside(&boundary) {
        number += 1;
        boundary = format!("geomys-{number}");
    }
    let mut body = String::new();
    for (name, value) in pairs {
        let name = name
            .replace('"', "%22")
            .replace('\r', "%0D")
            .replace('\n', "%0A");
        let _ = write!(
            body,
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
    }
    let _ = write!(body, "--{boundary}--\r\n");
    (
        format!("multipart/form-data; boundary={boundary}"),
        body.into_bytes(),
    )
}
