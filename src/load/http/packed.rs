//! A body without its compression: gzip (RFC 1952), which is all that is asked for.

use std::io::Write;

use flate2::write::GzDecoder;

use super::{stop, text};
use crate::load::{Failure, FailureKind, Stop};
use crate::net::Stream;
use crate::protocol::http::{Body, Head};

/// Compressed octets that are unpacked at once: what comes of them is a few MiB at the most.
const PIECE: usize = 4 * 1024;

/// A body while it arrives.
pub(super) struct Unpacked<'a> {
    body: Body<Stream>,
    place: &'a str,
    packing: Packing,
}

enum Packing {
    Plain,
    /// What unpacks it, and what has come and is not unpacked yet.
    Gzip(Box<GzDecoder<Vec<u8>>>, Vec<u8>),
    /// It has ended.
    Over,
}

impl<'a> Unpacked<'a> {
    /// The body of an answer with this head.
    ///
    /// # Errors
    /// It is packed in another way.
    pub(super) fn new(body: Body<Stream>, head: &Head, place: &'a str) -> Result<Self, Failure> {
        let encoding = text(head.field("content-encoding").unwrap_or_default());
        let packing = match encoding.to_ascii_lowercase().as_str() {
            "" | "identity" => Packing::Plain,
            "gzip" | "x-gzip" => Packing::Gzip(Box::new(GzDecoder::new(Vec::new())), Vec::new()),
            _ => {
                let sentence =
                    format!("{place} sent it packed by {encoding}, which nobody asked for");
                return Err(Failure {
                    advice: Some("`geomys get` saves it as it comes"),
                    ..Failure::new(sentence)
                });
            }
        };
        Ok(Self {
            body,
            place,
            packing,
        })
    }

    pub(super) fn is_packed(&self) -> bool {
        !matches!(self.packing, Packing::Plain)
    }

    /// The next octets; nothing at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        loop {
            let (decoder, waiting) = match &mut self.packing {
                Packing::Plain => return self.body.next().await.map_err(stop),
                Packing::Over => return Ok(None),
                Packing::Gzip(decoder, waiting) => (decoder, waiting),
            };
            if waiting.is_empty() {
                match self.body.next().await.map_err(stop)? {
                    Some(octets) => *waiting = octets,
                    None => {
                        decoder.try_finish().map_err(|_| broken(self.place))?;
                        let rest = std::mem::take(decoder.get_mut());
                        self.packing = Packing::Over;
                        return Ok(Some(rest).filter(|rest| !rest.is_empty()));
                    }
                }
            }
            let piece = waiting.get(..PIECE).unwrap_or(waiting);
            let taken = decoder.write(piece).map_err(|_| broken(self.place))?;
            if taken == 0 {
                // What stands behind its end is none of it.
                waiting.clear();
            }
            waiting.drain(..taken);
            let unpacked = std::mem::take(decoder.get_mut());
            if !unpacked.is_empty() {
                return Ok(Some(unpacked));
            }
        }
    }
}

fn broken(place: &str) -> Failure {
    Failure {
        kind: FailureKind::Transient,
        ..Failure::new(format!(
            "{place} sent it packed, and its compression is broken"
        ))
    }
}
