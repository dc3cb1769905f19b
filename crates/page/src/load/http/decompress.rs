//! Decompression of a body: gzip (RFC 1952), the only compression that is requested.

use std::io::Write;

use flate2::write::GzDecoder;
use geomys_wire::net::{Stream, TransferEnd};
use geomys_wire::protocol::http::{Body, ResponseHead};

use super::response::stop;
use crate::load::words::trimmed;
use crate::load::{Failure, FailureKind, Stop};

/// The most compressed octets that are decompressed at once: the result is a few MiB at most.
const PIECE: usize = 4 * 1024;

/// A body that is decompressed while it arrives.
pub(super) struct Decompressed<'a> {
    body: Body<Stream>,
    authority: &'a str,
    encoding: Encoding,
}

enum Encoding {
    Plain,
    /// The decoder, and the compressed octets that are not decoded yet.
    Gzip(Box<GzDecoder<Vec<u8>>>, Vec<u8>),
    /// The end of the body.
    Over,
}

impl<'a> Decompressed<'a> {
    /// Creates the decoder for the body of a response with this head.
    ///
    /// # Errors
    /// The body has another compression.
    pub(super) fn new(
        body: Body<Stream>,
        head: &ResponseHead,
        authority: &'a str,
    ) -> Result<Self, Failure> {
        let encoding = trimmed(head.field("content-encoding").unwrap_or_default());
        let encoding = match encoding.to_ascii_lowercase().as_str() {
            "" | "identity" => Encoding::Plain,
            "gzip" | "x-gzip" => Encoding::Gzip(Box::new(GzDecoder::new(Vec::new())), Vec::new()),
            _ => {
                let sentence =
                    format!("{authority} sent the encoding {encoding}, which was not requested");
                return Err(Failure::new(sentence).with_advice("`geomys get` saves it unchanged"));
            }
        };
        Ok(Self {
            body,
            authority,
            encoding,
        })
    }

    pub(super) fn is_compressed(&self) -> bool {
        !matches!(self.encoding, Encoding::Plain)
    }

    /// Returns the end of a body that has ended.
    pub(super) fn end(&self) -> TransferEnd {
        match self.encoding {
            Encoding::Plain => self.body.end(),
            // The stream of gzip has a terminator of its own, with a checksum.
            Encoding::Gzip(..) | Encoding::Over => TransferEnd::Confirmed,
        }
    }

    /// Returns the next octets; None at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<u8>>, Stop> {
        loop {
            let (decoder, compressed) = match &mut self.encoding {
                Encoding::Plain => return self.body.next().await.map_err(stop),
                Encoding::Over => return Ok(None),
                Encoding::Gzip(decoder, compressed) => (decoder, compressed),
            };
            if compressed.is_empty() {
                match self.body.next().await.map_err(stop)? {
                    Some(octets) => *compressed = octets,
                    None => {
                        let finished = decoder.try_finish();
                        finished.map_err(|_| decompress_failure(self.authority))?;
                        let rest = std::mem::take(decoder.get_mut());
                        self.encoding = Encoding::Over;
                        return Ok(Some(rest).filter(|rest| !rest.is_empty()));
                    }
                }
            }
            let piece = compressed.get(..PIECE).unwrap_or(compressed);
            let taken = decoder.write(piece);
            let taken = taken.map_err(|_| decompress_failure(self.authority))?;
            if taken == 0 {
                // Data after the end of the gzip stream is ignored.
                compressed.clear();
            }
            compressed.drain(..taken);
            let decoded = std::mem::take(decoder.get_mut());
            if !decoded.is_empty() {
                return Ok(Some(decoded));
            }
        }
    }
}

fn decompress_failure(authority: &str) -> Failure {
    let sentence = format!("{authority} sent malformed compressed data");
    Failure::new(sentence).with_kind(FailureKind::Malformed)
}
