//! Line ends. Texts of old Macs end their lines in CR alone.
//!
//! For those the first line end decides. If it is CRs without an LF after them, every such CR becomes an LF: the number
//! of octets is unchanged, and the text has lines. Nothing else is changed: CR CR LF, which a server makes of CRLF that
//! writes every LF as CRLF, is one line end.

/// The most CRs that are buffered while their line end is unknown.
const MAX_CRS: usize = 64;

use std::borrow::Cow;

/// The kind of line end found so far.
#[derive(Clone, Debug, Default)]
pub enum LineEnding {
    /// No line end so far.
    #[default]
    Unseen,
    /// Only this number of CRs, the last octets so far: the next octet decides.
    AtCr(usize),
    /// LF, CRLF or CR CR LF, also in UTF-16: unchanged.
    Lf,
    /// CR alone: becomes LF.
    Cr {
        /// True if the last octet was a CR, which was sent as an LF.
        after_cr: bool,
    },
}

impl LineEnding {
    /// Takes the octets that have arrived, and returns them with converted line ends.
    pub fn push<'a>(&mut self, mut octets: Cow<'a, [u8]>) -> Cow<'a, [u8]> {
        if let Self::AtCr(count) = *self
            && !octets.is_empty()
        {
            octets = Cow::Owned([vec![b'\r'; count].as_slice(), &octets].concat());
            *self = Self::Unseen;
        }
        if matches!(self, Self::Unseen)
            && let Some(at) = memchr::memchr2(b'\n', b'\r', &octets)
        {
            let end = octets.get(at..).unwrap_or_default();
            let count = end.iter().take_while(|&&octet| octet == b'\r').count();
            *self = match end.get(count) {
                None if count <= MAX_CRS => {
                    octets.to_mut().truncate(at);
                    Self::AtCr(count)
                }
                // Behind a CR of UTF-16 stands the other half of it, or of the next letter.
                Some(b'\n' | 0) => Self::Lf,
                None | Some(_) => Self::Cr { after_cr: false },
            };
        }
        match self {
            Self::Unseen | Self::AtCr(_) | Self::Lf => octets,
            Self::Cr { after_cr } => {
                let mut lines = Vec::with_capacity(octets.len());
                for &octet in octets.as_ref() {
                    match octet {
                        b'\r' => lines.push(b'\n'),
                        // It belongs to the CR before it, which has already ended the line.
                        b'\n' if *after_cr => {}
                        other => lines.push(other),
                    }
                    *after_cr = octet == b'\r';
                }
                Cow::Owned(lines)
            }
        }
    }

    /// Returns true if these octets may be changed when they are pushed.
    pub(super) fn changes(&self, octets: &[u8]) -> bool {
        match self {
            Self::Unseen => memchr::memchr(b'\r', octets).is_some(),
            Self::AtCr(_) | Self::Cr { .. } => true,
            Self::Lf => false,
        }
    }

    /// Returns true if octets were changed, or wait.
    pub(super) fn has_changed(&self) -> bool {
        matches!(self, Self::AtCr(_) | Self::Cr { .. })
    }

    /// Returns true if CRs wait for the octet that tells what they are.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self, Self::AtCr(_))
    }

    /// Returns the kind after the end of the text: whether octets were changed stays known.
    pub(super) fn finished(&self) -> Self {
        match self {
            Self::AtCr(_) | Self::Cr { .. } => Self::Cr { after_cr: false },
            Self::Unseen | Self::Lf => Self::Unseen,
        }
    }

    /// Returns the buffered octets at the end of the text.
    pub fn finish(&self) -> Vec<u8> {
        match self {
            Self::AtCr(count) => vec![b'\n'; *count],
            Self::Unseen | Self::Lf | Self::Cr { .. } => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the converted octets when they arrive in pieces of this size.
    fn ends(octets: &[u8], piece: usize) -> Vec<u8> {
        let mut ends = LineEnding::default();
        let mut got: Vec<u8> = octets
            .chunks(piece)
            .flat_map(|piece| ends.push(Cow::Borrowed(piece)).into_owned())
            .collect();
        got.extend(ends.finish());
        got
    }

    #[test]
    fn the_first_line_end_tells_and_pieces_do_not_matter() {
        for (octets, expected) in [
            (b"a\rb\rc".as_slice(), b"a\nb\nc".as_slice()),
            (b"a\r", b"a\n"),
            (b"a\rb\r\nc\r", b"a\nb\nc\n"),
            (b"a\r\nb\rc\r\n", b"a\r\nb\rc\r\n"),
            (b"a\nb\rc", b"a\nb\rc"),
            (b"\r\r", b"\n\n"),
            (b"a\r\rb\rc", b"a\n\nb\nc"),
            (b"a\r\r\nb\rc\r\r\n", b"a\r\r\nb\rc\r\r\n"),
            (b"no end", b"no end"),
            (b"", b""),
        ] {
            for piece in 1..=octets.len().max(1) {
                assert_eq!(ends(octets, piece), expected, "{}", octets.escape_ascii());
            }
        }
    }
}
