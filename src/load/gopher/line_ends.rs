//! Line ends: texts of old Macs end their lines in CR alone.
//!
//! The first line end decides. If it is a CR without an LF after it, every such CR becomes an LF: the number of octets
//! is unchanged, and the text has lines. Nothing else is changed.

/// The kind of line end found so far.
#[derive(Debug, Default)]
pub(super) enum LineEnding {
    /// No line end so far.
    #[default]
    Unseen,
    /// Only a CR as the last octet so far: the next octet decides.
    AtCr,
    /// LF or CRLF: unchanged.
    Lf,
    /// CR alone: becomes LF.
    Cr {
        /// True if the last octet was a CR, which was sent as an LF.
        after_cr: bool,
    },
}

impl LineEnding {
    /// Takes the octets that have arrived, and returns them with converted line ends.
    pub(super) fn push(&mut self, mut octets: Vec<u8>) -> Vec<u8> {
        if matches!(self, Self::AtCr) && !octets.is_empty() {
            octets.insert(0, b'\r');
            *self = Self::Unseen;
        }
        if matches!(self, Self::Unseen) {
            *self = match memchr::memchr2(b'\n', b'\r', &octets) {
                None => Self::Unseen,
                Some(at) => match octets.get(at..) {
                    Some([b'\r']) => {
                        octets.pop();
                        Self::AtCr
                    }
                    Some([b'\n', ..] | [b'\r', b'\n', ..]) => Self::Lf,
                    _ => Self::Cr { after_cr: false },
                },
            };
        }
        match self {
            Self::Unseen | Self::AtCr | Self::Lf => octets,
            Self::Cr { after_cr } => {
                let mut lines = Vec::with_capacity(octets.len());
                for octet in octets {
                    match octet {
                        b'\r' => lines.push(b'\n'),
                        // It belongs to the CR before it, which has already ended the line.
                        b'\n' if *after_cr => {}
                        other => lines.push(other),
                    }
                    *after_cr = octet == b'\r';
                }
                lines
            }
        }
    }

    /// Returns the buffered octets at the end of the reply.
    pub(super) fn finish(&self) -> Vec<u8> {
        match self {
            Self::AtCr => b"\n".to_vec(),
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
            .flat_map(|piece| ends.push(piece.to_vec()))
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
            (b"no end", b"no end"),
            (b"", b""),
        ] {
            for piece in 1..=octets.len().max(1) {
                assert_eq!(ends(octets, piece), expected, "{}", octets.escape_ascii());
            }
        }
    }
}
