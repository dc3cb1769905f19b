//! Texts of WAIS as texts of today: without the codes that the first clients marked words by, and with line ends.

/// What is taken out of a text while it comes.
#[derive(Debug, Default)]
pub(super) struct Clean {
    /// Octets of an escape that are still to be left out; the first of them says how many they are.
    escape: Escape,
    /// A CR came last, and was told as a line's end.
    ended: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum Escape {
    #[default]
    None,
    Begun,
    /// So many more octets belong to it.
    Within(u8),
}

impl Clean {
    /// The next octets: an ESC with `(` or `)` goes, any other with four octets behind it; CR becomes LF, with the LF that may
    /// follow it.
    pub(super) fn text(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(octets.len());
        for &octet in octets {
            let ended = std::mem::take(&mut self.ended);
            if ended && octet == b'\n' {
                continue;
            }
            self.escape = match (self.escape, octet) {
                (Escape::None, 0x1B) => Escape::Begun,
                (Escape::None, b'\r') => {
                    text.push(b'\n');
                    self.ended = true;
                    Escape::None
                }
                (Escape::None, octet) => {
                    text.push(octet);
                    Escape::None
                }
                (Escape::Begun, b'(' | b')') | (Escape::Within(1), _) => Escape::None,
                (Escape::Begun, _) => Escape::Within(3),
                (Escape::Within(left), _) => Escape::Within(left.saturating_sub(1)),
            };
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_go_and_lines_end() {
        let text = |octets: &[u8]| Clean::default().text(octets);
        assert_eq!(text(b"a\x1b(bold\x1b) b\rc\r\nd\n"), b"abold b\nc\nd\n");
        assert_eq!(text(b"a\x1bABCDb\n"), b"ab\n");
        assert_eq!(text(b"a\x1bAB"), b"a");
    }

    proptest::proptest! {
        #[test]
        fn it_does_not_matter_where_they_are_cut(octets in "[a\x1b()\r\n]{0,40}", cut in 0..40_usize) {
            let (first, second) = octets.as_bytes().split_at(cut.min(octets.len()));
            let mut clean = Clean::default();
            let both = [clean.text(first), clean.text(second)].concat();
            proptest::prop_assert_eq!(both, Clean::default().text(octets.as_bytes()));
        }
    }
}
