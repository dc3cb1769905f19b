//! The encodings of the answers to a form.
//!
//! ```text
//! urlencoded = name "=" value *( "&" name "=" value )          in a URL (GET), or as the body of a request (POST)
//! index      = value                                           of the only field of an `isindex` element
//! plain      = *( name "=" value CRLF )                        as the body, for `enctype=text/plain`
//! multipart  = *( "--" boundary CRLF head CRLF value CRLF ) "--" boundary "--" CRLF
//! ```
//!
//! Names and values are sent in the charset of the form.

use std::fmt::Write;

use geomys_wire::text::Charset;

use super::{BodyEncoding, FieldAnswer, WebFieldKind, WebForm};

impl WebForm {
    /// The names and values to send, for the answers to the shown fields in their order.
    pub fn pairs(&self, answers: &[FieldAnswer]) -> Vec<(String, String)> {
        let mut answers = answers.iter();
        let mut pairs = Vec::new();
        for field in self.fields.iter().filter(|field| field.is_sent()) {
            let name = field.name.clone();
            let answer = if field.is_shown() {
                answers.next()
            } else {
                None
            };
            match (&field.kind, answer) {
                // The field that a page has for the name of the charset.
                (WebFieldKind::Hidden(_), _) if name == "_charset_" => {
                    pairs.push((name, self.charset.name().to_owned()));
                }
                (WebFieldKind::Hidden(_), _) if name.is_empty() => {}
                (WebFieldKind::Hidden(value), _) => pairs.push((name, value.clone())),
                (WebFieldKind::Check(value, _), Some(FieldAnswer::Check(true)))
                    if !name.is_empty() =>
                {
                    pairs.push((name, value.clone()));
                }
                (WebFieldKind::Choice(choices, chosen), answer) => {
                    let index = match answer {
                        Some(FieldAnswer::Choice(index)) => *index,
                        _ => *chosen,
                    };
                    if let Some(choice) = choices.get(index) {
                        let name = if field.is_button {
                            choice.label.clone()
                        } else {
                            name
                        };
                        if choice.is_picture {
                            // The point in the picture that was chosen.
                            let prefix = if name.is_empty() { name } else { name + "." };
                            let point =
                                ["x", "y"].map(|axis| (format!("{prefix}{axis}"), "0".to_owned()));
                            pairs.extend(point);
                        } else if !name.is_empty() {
                            // A button without a name only sends the form.
                            pairs.push((name, choice.value().to_owned()));
                        }
                    }
                }
                (_, Some(FieldAnswer::Text(text))) if !name.is_empty() => {
                    pairs.push((name, text.clone()));
                }
                // Nobody edits it.
                (
                    WebFieldKind::Line(text)
                    | WebFieldKind::Secret(text)
                    | WebFieldKind::Lines(text),
                    None,
                ) if !name.is_empty() => pairs.push((name, text.clone())),
                (_, _) => {}
            }
        }
        pairs
    }

    /// The query of a GET request.
    pub fn query(&self, pairs: &[(String, String)]) -> String {
        urlencoded(pairs, self.charset)
    }

    /// The body of a POST request, with its media type.
    pub fn body(&self, pairs: &[(String, String)]) -> (String, Vec<u8>) {
        match self.encoding {
            BodyEncoding::Multipart => multipart(pairs, self.charset),
            BodyEncoding::UrlEncoded => {
                let media = "application/x-www-form-urlencoded".to_owned();
                (media, self.query(pairs).into_bytes())
            }
            BodyEncoding::Plain => {
                let lines = pairs
                    .iter()
                    .map(|(name, value)| format!("{name}={value}\r\n"));
                let lines: String = lines.collect();
                ("text/plain".to_owned(), self.charset.encode_answer(&lines))
            }
        }
    }
}

/// The name of the field of an `isindex` element, whose value is the whole query (HTML 2.0, section 7.5).
pub(in crate::document::web) const ISINDEX: &str = "isindex";

/// The pairs as a query.
fn urlencoded(pairs: &[(String, String)], charset: Charset) -> String {
    let mut query = String::new();
    if let [(name, value)] = pairs
        && name == ISINDEX
    {
        encode(&charset.encode_answer(value), &mut query);
        return query;
    }
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
fn multipart(pairs: &[(String, String)], charset: Charset) -> (String, Vec<u8>) {
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
