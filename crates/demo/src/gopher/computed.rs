//! Pages that cannot or should not be files: very long, very slow, unlimited, broken. They are streamed as they are
//! computed.
//!
//! `/big/N` (a menu of N items), `/row/I` (their targets), `/slow/N` (a row every 50 ms), `/endless` (one line
//! without end), `/forever` (a menu without end), `/nodot` (a menu without its final dot), `/cut` (a menu that stops
//! in the middle of a row), `/silent` (no answer at all).
//!
//! Filled forms are read back (Gopher+, section 2.8): a data block follows the request.
//!
//! ```text
//! datablock = "+-1" CRLF *( answer CRLF ) "." CRLF
//! ```
//! Not implemented: blocks by count or up to the close, which the servers of Minnesota do not accept either.

use std::io;
use std::time::Duration;

use geomys_wire::protocol::gopher::form::{FieldKind, Form, FormAnswer};
use tokio::io::AsyncRead;
use tokio::net::tcp::OwnedWriteHalf;

use super::{World, closed, info};
use crate::wire;
use crate::wire::{Line, Lines, PIECE, number, send};

/// The largest computed menu, in items.
const MAX_ITEMS: u64 = 100_000_000;
const PAUSE: Duration = Duration::from_millis(50);
/// The time for which `/silent` sends nothing.
const SILENCE: Duration = Duration::from_mins(5);

/// A computed page.
pub(super) enum Computed {
    Big(u64),
    Row(u64),
    Slow(u64),
    Endless,
    Forever,
    NoDot,
    Cut,
    Silent,
}

impl Computed {
    /// The computed page at `selector`, if there is one.
    pub(super) fn at(selector: &[u8]) -> Option<Self> {
        let count = |prefix: &[u8]| {
            number(selector.strip_prefix(prefix)?).filter(|&count| count <= MAX_ITEMS)
        };
        match selector {
            b"/endless" => Some(Self::Endless),
            b"/forever" => Some(Self::Forever),
            b"/nodot" => Some(Self::NoDot),
            b"/cut" => Some(Self::Cut),
            b"/silent" => Some(Self::Silent),
            _ => count(b"/big/")
                .map(Self::Big)
                .or_else(|| count(b"/row/").map(Self::Row))
                .or_else(|| count(b"/slow/").map(Self::Slow)),
        }
    }

    /// Computes and sends the page.
    pub(super) async fn send(self, world: &World, out: &mut OwnedWriteHalf) -> io::Result<()> {
        match self {
            Self::Big(count) => {
                items(world, count, out).await?;
                send(out, b".\r\n").await
            }
            Self::Row(number) => {
                let text = format!(
                    "This is room {number} of the long corridor.\r\nThe carpet is the same as in all the others.\r\n.\r\n"
                );
                send(out, text.as_bytes()).await
            }
            Self::Slow(count) => {
                for number in 1..=count {
                    send(out, &item(world, number)).await?;
                    tokio::time::sleep(PAUSE).await;
                }
                send(out, b".\r\n").await
            }
            Self::Endless => {
                let piece = vec![b'a'; PIECE];
                loop {
                    send(out, &piece).await?;
                }
            }
            Self::Forever => items(world, u64::MAX, out).await,
            Self::NoDot => {
                let note = info("This menu ends where the connection does: no dot follows.");
                let rows = [note, item(world, 1), item(world, 2)];
                send(out, &rows.concat()).await
            }
            Self::Cut => {
                let note = info("This menu stops in the middle of its third row.");
                let rows = [note, item(world, 1), b"0Room 2 of the long corr".to_vec()];
                send(out, &rows.concat()).await
            }
            Self::Silent => {
                tokio::time::sleep(SILENCE).await;
                Ok(())
            }
        }
    }
}

fn item(world: &World, number: u64) -> Vec<u8> {
    let (host, port) = (world.addresses.gopher.ip(), world.addresses.gopher.port());
    let row = format!("0Room {number} of the long corridor\t/row/{number}\t{host}\t{port}\r\n");
    row.into_bytes()
}

/// Sends rows 1 to `count` in pieces. No menu is ever completely in memory here.
async fn items(world: &World, count: u64, out: &mut OwnedWriteHalf) -> io::Result<()> {
    let here = format!(
        "\t{}\t{}\r\n",
        world.addresses.gopher.ip(),
        world.addresses.gopher.port()
    );
    let mut piece = Vec::with_capacity(PIECE + 128);
    for number in 1..=count {
        let digits = number.to_string();
        for part in [
            "0Room ",
            &digits,
            " of the long corridor\t/row/",
            &digits,
            &here,
        ] {
            piece.extend_from_slice(part.as_bytes());
        }
        if piece.len() >= PIECE {
            send(out, &piece).await?;
            piece.clear();
        }
    }
    send(out, &piece).await
}

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
