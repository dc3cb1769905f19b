//! Texts of WAIS as modern texts: without the codes of the first clients for marked words, and with converted line
//! ends.

/// A filter for a text while it arrives.
#[derive(Debug, Default)]
pub(super) struct TextCleaner {
    /// The state of an escape sequence, whose octets are removed.
    escape: EscapeState,
    /// True if the last octet was a CR, which was sent as a line end.
    ended: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum EscapeState {
    #[default]
    None,
    Begun,
    /// The number of octets that still belong to the escape sequence.
    Within(u8),
}

impl TextCleaner {
    /// Filters the next octets: removes ESC with `(` or `)`, and any other ESC with the four octets after it; converts
    /// CR, and CRLF, to LF.
    pub(super) fn text(&mut self, octets: &[u8]) -> Vec<u8> {
        let mut text = Vec::with_capacity(octets.len());
        for &octet in octets {
            let ended = std::mem::take(&mut self.ended);
            if ended && octet == b'\n' {
                continue;
            }
            self.escape = match (self.escape, octet) {
                (EscapeState::None, 0x1B) => EscapeState::Begun,
                (EscapeState::None, b'\r') => {
                    text.push(b'\n');
                    self.ended = true;
                    EscapeState::None
                }
                (EscapeState::None, octet) => {
                    text.push(octet);
                    EscapeState::None
                }
                (EscapeState::Begun, b'(' | b')') | (EscapeState::Within(1), _) => {
                    EscapeState::None
                }
                (EscapeState::Begun, _) => EscapeState::Within(3),
                (EscapeState::Within(left), _) => EscapeState::Within(left.saturating_sub(1)),
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
        let text = |octets: &[u8]| TextCleaner::default().text(octets);
        assert_eq!(text(b"a\x1b(bold\x1b) b\rc\r\nd\n"), b"abold b\nc\nd\n");
        assert_eq!(text(b"a\x1bABCDb\n"), b"ab\n");
        assert_eq!(text(b"a\x1bAB"), b"a");
    }

    proptest::proptest! {
        #[test]
        fn the_result_is_the_same_for_any_split(octets in "[a\x1b()\r\n]{0,40}", cut in 0..40_usize) {
            let (first, second) = octets.as_bytes().split_at(cut.min(octets.len()));
            let mut clean = TextCleaner::default();
            let both = [clean.text(first), clean.text(second)].concat();
            proptest::prop_assert_eq!(both, TextCleaner::default().text(octets.as_bytes()));
        }
    }
}
