//! The charsets of the WHATWG list, as octets come and go: in pieces, with byte order marks, and with characters that
//! they do not have.

use encoding_rs::{
    Decoder, DecoderResult, EncoderResult, Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

use super::Charset;

/// A decoder for octets that arrive in pieces; characters may be split anywhere.
pub struct CharsetDecoder(pub(super) PieceDecoder);

/// How the pieces of a text are decoded.
pub(super) enum PieceDecoder {
    /// As UTF-8 whose malformed octets are windows-1252, with the beginning of a letter that is not complete.
    Utf8(Vec<u8>),
    /// By the decoder of a charset of the WHATWG list.
    Listed(Decoder),
    /// Each by itself.
    Each(Charset),
}

impl CharsetDecoder {
    /// Decodes the next octets. Like that of [`Charset::decode`], the result is not safe to show.
    pub fn decode(&mut self, octets: &[u8]) -> String {
        let decoder = match &mut self.0 {
            PieceDecoder::Utf8(begun) => return decode_utf8(begun, octets),
            PieceDecoder::Listed(decoder) => decoder,
            PieceDecoder::Each(charset) => return charset.decode(octets).into_owned(),
        };
        let most = decoder.max_utf8_buffer_length(octets.len());
        let mut decoded = String::with_capacity(most.unwrap_or(octets.len()));
        // The capacity is that of the worst case, so all octets are read.
        let _ = decoder.decode_to_string(octets, &mut decoded, false);
        decoded
    }
}

/// Decodes UTF-8 behind the beginning of a letter, which the next one replaces; malformed octets as windows-1252.
fn decode_utf8(begun: &mut Vec<u8>, octets: &[u8]) -> String {
    begun.extend_from_slice(octets);
    let all = std::mem::take(begun);
    let mut text = String::with_capacity(all.len());
    let mut chunks = all.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        text.push_str(chunk.valid());
        let malformed = chunk.invalid();
        let is_cut = chunks.peek().is_none()
            && std::str::from_utf8(malformed).is_err_and(|error| error.error_len().is_none());
        if is_cut {
            malformed.clone_into(begun);
        } else {
            text.push_str(&WINDOWS_1252.decode_without_bom_handling(malformed).0);
        }
    }
    text
}

/// The encoding that a byte order mark of UTF-16 says, and the octets behind the mark.
pub(super) fn by_mark<'a>(
    encoding: &'static Encoding,
    octets: &'a [u8],
) -> (&'static Encoding, &'a [u8]) {
    match octets {
        [0xff, 0xfe, rest @ ..] if is_utf_16(encoding) => (UTF_16LE, rest),
        [0xfe, 0xff, rest @ ..] if is_utf_16(encoding) => (UTF_16BE, rest),
        _ => (encoding, octets),
    }
}

pub(super) fn is_utf_16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

pub(super) fn decode_without_replacement(encoding: &'static Encoding, octets: &[u8]) -> String {
    let fallback = |octets| WINDOWS_1252.decode_without_bom_handling(octets).0;
    if encoding == encoding_rs::REPLACEMENT {
        return fallback(octets).into_owned();
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut decoded = String::with_capacity(octets.len());
    let mut at = 0;
    loop {
        let rest = octets.get(at..).unwrap_or_default();
        let room = decoder.max_utf8_buffer_length_without_replacement(rest.len());
        decoded.reserve(room.unwrap_or(rest.len()));
        let (result, read) = decoder.decode_to_string_without_replacement(rest, &mut decoded, true);
        at += read;
        match result {
            DecoderResult::Malformed(length, after) => {
                let end = at.saturating_sub(usize::from(after));
                let start = end.saturating_sub(usize::from(length));
                decoded.push_str(&fallback(octets.get(start..end).unwrap_or_default()));
            }
            DecoderResult::OutputFull => {}
            DecoderResult::InputEmpty => return decoded,
        }
    }
}

pub(super) fn encode(
    encoding: &'static Encoding,
    text: &str,
    unmappable: impl Fn(char) -> String,
) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut encoded = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        encoded.reserve(room.unwrap_or(rest.len()));
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut encoded, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::Unmappable(letter) => encoded.extend(unmappable(letter).bytes()),
            EncoderResult::InputEmpty => return encoded,
            EncoderResult::OutputFull => {}
        }
    }
}
