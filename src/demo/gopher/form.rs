//! Filled forms: the data block that follows a request, and a reply that reads it back (Gopher+, section 2.8).
//!
//! ```text
//! datablock = "+-1" CRLF *( answer CRLF ) "." CRLF
//! ```
//! Left out: blocks by count or up to the close, which the servers of Minnesota do not take either.

use std::io;

use tokio::io::AsyncRead;

use super::closed;
use crate::demo::wire::{self, Line, Lines};
use crate::protocol::gopher::form::{Answer, Form, Kind};

/// The longest form that is read, in octets.
const LONGEST: usize = 256 * 1024;

/// What follows a request line.
pub(super) enum Data {
    /// Nothing, and nothing was said to.
    None,
    /// Something that is no form.
    Odd,
    /// The lines of a form.
    Lines(Vec<Vec<u8>>),
}

impl Data {
    /// Reads what a request with these fields says will follow: a `1` after the Gopher+ string says so.
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
                    if octets > LONGEST {
                        return Ok(Self::Odd);
                    }
                    data.push(line);
                }
                Line::TooLong | Line::End => return Ok(Self::Odd),
            }
        }
    }
}

/// The reply to a form filled with these lines: each question with its answer.
pub(super) fn receipt(form: &[u8], data: &[Vec<u8>]) -> Vec<u8> {
    let lines: Vec<&[u8]> = data.iter().map(Vec::as_slice).collect();
    let form = Form::parse(wire::lines(form));
    let mut text = b"TELEGRAM, as the clerk took it down\n\n".to_vec();
    for (field, answer) in form.fields.iter().zip(form.answers(&lines)) {
        let mut line = |answer: &[u8]| {
            text.extend_from_slice(answer);
            text.push(b'\n');
        };
        if field.kind == Kind::Note {
            continue;
        }
        line(field.prompt);
        match answer {
            Answer::Nothing => line(b"    (nothing)"),
            // The clerk is discreet.
            Answer::Line(word) if matches!(field.kind, Kind::AskP(_)) => {
                line(format!("    {} octets, since forgotten", word.len()).as_bytes());
            }
            Answer::Line(answer) => line(&[b"    ", answer.as_slice()].concat()),
            Answer::Lines(many) => {
                let s = if many.len() == 1 { "" } else { "s" };
                line(format!("    {} line{s}:", many.len()).as_bytes());
                for one in many {
                    line(&[b"    ", one.as_slice()].concat());
                }
            }
            Answer::Select(true) => line(b"    yes"),
            Answer::Select(false) => line(b"    no"),
            Answer::File(octets) => {
                line(format!("    a file of {} octets:", octets.len()).as_bytes());
                wire::lines(&octets).for_each(line);
            }
        }
    }
    let mut reply = b"+-1\r\n".to_vec();
    wire::stuff(&text, &mut reply);
    closed(reply)
}
