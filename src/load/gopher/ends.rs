//! Line ends: texts of old Macs end their lines in CR alone.
//!
//! The first line end tells. If it is a CR with no LF behind it, every such CR becomes an LF: the same count of octets,
//! and lines where else there would be one. Nothing else is ever touched.

/// What the ends of lines have turned out to be.
#[derive(Debug, Default)]
pub(super) enum Ends {
    /// No line has ended yet.
    #[default]
    Unseen,
    /// None has, but for a CR that came last: what follows it tells.
    AtCr,
    /// LF, or CR and LF: as they are.
    Lf,
    /// CR.
    Cr {
        /// The last octet was one, and has gone on as an LF.
        after_cr: bool,
    },
}

impl Ends {
    /// What has arrived, with ends that a line can be cut at.
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
                        // It belongs to the CR before it, which has ended the line already.
                        b'\n' if *after_cr => {}
                        other => lines.push(other),
                    }
                    *after_cr = octet == b'\r';
                }
                lines
            }
        }
    }

    /// What was held back, now that nothing follows.
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

    /// The octets after they came in pieces of this size.
    fn ends(octets: &[u8], piece: usize) -> Vec<u8> {
        let mut ends = Ends::default();
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
