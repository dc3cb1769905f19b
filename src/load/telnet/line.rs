//! A line that is typed where the other end does not show it: shown here, mended here, and sent with its Enter.

use crate::text;

/// Octets of a line; what is typed beyond them is not taken.
const LONGEST: usize = 4096;

/// The line as far as it is typed.
#[derive(Debug, Default)]
pub(super) struct Line {
    typed: Vec<u8>,
}

/// What keys come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    /// For the terminal.
    pub(super) shown: Vec<u8>,
    /// For the other end.
    pub(super) said: Vec<u8>,
}

impl Line {
    /// Takes keys as a terminal sends them. Backspace takes a letter back, Ctrl-U the line; any other control is for the
    /// other end, at once.
    pub(super) fn type_in(&mut self, octets: &[u8]) -> Typed {
        let mut typed = Typed::default();
        if let [0x1B, ..] = octets {
            // A key that is no letter, whole: an arrow in pieces would be letters.
            typed.said.extend_from_slice(octets);
            return typed;
        }
        for &octet in octets {
            match octet {
                b'\r' => {
                    typed.shown.extend_from_slice(b"\r\n");
                    typed.said.append(&mut self.typed);
                    typed.said.push(octet);
                }
                0x08 | 0x7F => self.rub_out(&mut typed.shown),
                0x15 => {
                    while !self.typed.is_empty() {
                        self.rub_out(&mut typed.shown);
                    }
                }
                b'\t' | b' '.. => {
                    if self.typed.len() < LONGEST {
                        self.typed.push(octet);
                        typed.shown.push(if octet == b'\t' { b' ' } else { octet });
                    }
                }
                _ => typed.said.push(octet),
            }
        }
        typed
    }

    /// What was typed and not sent.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.typed)
    }

    /// Takes the last letter back.
    fn rub_out(&mut self, shown: &mut Vec<u8>) {
        let Some(last) = self.typed.utf8_chunks().last() else {
            return;
        };
        let letter = last.valid().chars().next_back();
        let (octets, width) = match letter.filter(|_| last.invalid().is_empty()) {
            Some(letter) => (
                letter.len_utf8(),
                text::width(letter.encode_utf8(&mut [0; 4])),
            ),
            None => (1, 1),
        };
        let rest = self.typed.len().saturating_sub(octets);
        self.typed.truncate(rest);
        for _ in 0..width {
            shown.extend_from_slice(b"\x08 \x08");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[&[u8]]) -> Typed {
        let mut line = Line::default();
        let mut all = Typed::default();
        for keys in keys {
            let typed = line.type_in(keys);
            all.shown.extend(typed.shown);
            all.said.extend(typed.said);
        }
        all
    }

    #[test]
    fn a_line_goes_out_with_its_enter() {
        let said = |keys: &[&[u8]]| typed(keys).said;
        assert_eq!(said(&[b"loo", b"k\r", b"not yet"]), b"look\r");
        assert_eq!(said(&[b"lok\x7fok\x08\x08\x08ook\r"]), b"look\r");
        assert_eq!(said(&[b"nothing of it\x15look\r"]), b"look\r");
        assert_eq!(said(&[b"\x08\x7f\x15\r"]), b"\r");
        assert_eq!(said(&[b"ab", b"\x03", b"c\r"]), b"\x03abc\r");
        assert_eq!(said(&[b"a", b"\x1b[A", b"b\r"]), b"\x1b[Aab\r");
        assert_eq!(
            said(&["caf\u{e9}\u{4e2d}\u{7f}\u{7f}e\r".as_bytes()]),
            b"cafe\r"
        );
    }

    #[test]
    fn what_is_typed_is_shown_and_what_is_taken_back_is_not() {
        assert_eq!(typed(&[b"ab\x7f\r"]).shown, b"ab\x08 \x08\r\n");
        let wide = "\u{4e2d}\u{7f}".as_bytes();
        assert_eq!(
            typed(&[wide]).shown,
            "\u{4e2d}\x08 \x08\x08 \x08".as_bytes()
        );
    }

    proptest::proptest! {
        #[test]
        fn any_keys_are_taken(keys: Vec<Vec<u8>>) {
            let mut line = Line::default();
            for keys in keys {
                line.type_in(&keys);
                proptest::prop_assert!(line.typed.len() <= LONGEST);
            }
        }
    }
}
