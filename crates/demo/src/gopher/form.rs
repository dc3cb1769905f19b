//! Filled forms: the data block that follows a request, and a reply that reads it back (Gopher+, section 2.8).
//!
//! ```text
//! datablock = "+-1" CRLF *( answer CRLF ) "." CRLF
//! ```
//! Not implemented: blocks by count or up to the close, which the servers of Minnesota do not accept either.

use std::io;

use geomys_wire::protocol::gopher::form::{FieldKind, Form, FormAnswer};
use tokio::io::AsyncRead;

use super::row::closed;
use crate::wire::{self, Line, Lines};

/// The longest accepted form, in octets.
const MAX_FORM_BYTES: usize = 256 * 1024;

/// The data after a request line.
pub(super) enum Data {
    /// There are no data, as announced.
    None,
    /// The data are not a form.
    Odd,
    /// The lines of a form.
    Lines(Vec<Vec<u8>>),
}

impl Data {
    /// Reads the data announced by a request with these fields: a `1` after the Gopher+ string.
    pub(super) async fn read<R: AsyncRead + Unpin>(
        lines: &mut Lines<R>,
        fields: &[&[u8]],
    ) -> io::Result<Self> {
        match fields {
            [.., plus, b"1"] if plus.starts_with(b"+") => {}
            _ => return Ok(Self::None),
        }
        match lines.next().await? {
            Line::Whole(header) if header == b"+-1" => {}
            Line::Whole(_) | Line::TooLong | Line::End => return Ok(Self::Odd),
        }
        let (mut data, mut octets) = (Vec::new(), 0);
        loop {
            match lines.next().await? {
                Line::Whole(line) if line == b"." => return Ok(Self::Lines(data)),
                Line::Whole(line) => {
                    octets += line.len() + 2;
                    if octets > MAX_FORM_BYTES {
                        return Ok(Self::Odd);
                    }
                    data.push(line);
                }
                Line::TooLong | Line::End => return Ok(Self::Odd),
            }
        }
    }
}

/// The reply to a filled form: each question with its answer.
pub(super) fn receipt(form: &[u8], data: &[Vec<u8>]) -> Vec<u8> {
    let lines: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    let form = Form::parse(wire::lines(form));
    let mut text = b"TELEGRAM, as the clerk took it down\n\n".to_vec();
    for (field, answer) in form.fields.iter().zip(form.answers(&lines)) {
        let mut line = |answer: &[u8]| {
            text.extend_from_slice(answer);
            text.push(b'\n');
        };
        if field.kind == FieldKind::Note {
            continue;
        }
        line(field.prompt);
        match answer {
            FormAnswer::Nothing => line(b"    (nothing)"),
            // A password is not shown.
            FormAnswer::Line(word) if matches!(field.kind, FieldKind::AskP(_)) => {
                line(format!("    {} octets, since forgotten", word.len()).as_bytes());
            }
            FormAnswer::Line(answer) => line(&[b"    ", answer.as_slice()].concat()),
            FormAnswer::Lines(many) => {
                let s = if many.len() == 1 { "" } else { "s" };
                line(format!("    {} line{s}:", many.len()).as_bytes());
                for one in many {
                    line(&[b"    ", one.as_slice()].concat());
                }
            }
            FormAnswer::Select(true) => line(b"    yes"),
            FormAnswer::Select(false) => line(b"    no"),
            FormAnswer::File(octets) => {
                line(format!("    a file of {} octets:", octets.len()).as_bytes());
                wire::lines(&octets).for_each(line);
            }
        }
    }
    let mut reply = b"+-1\r\n".to_vec();
    wire::stuff(&text, &mut reply);
    closed(reply)
}
