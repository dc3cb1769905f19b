//! Local line editing, for servers that do not echo: the line is shown and edited locally, and sent with its Enter.

use geomys_wire::text;

/// The most octets of a line; further input is ignored.
const MAX_LINE_BYTES: usize = 4096;

/// The line that is being typed.
#[derive(Debug, Default)]
pub(super) struct Line {
    typed: Vec<u8>,
}

/// The result of some keys.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LineEdit {
    /// The octets for the terminal.
    pub(super) echo: Vec<u8>,
    /// The octets for the server.
    pub(super) to_send: Vec<u8>,
}

impl Line {
    /// Handles keys as a terminal sends them. Backspace deletes a letter, Ctrl-U the line; any other control character
    /// is sent at once.
    pub(super) fn input(&mut self, octets: &[u8]) -> LineEdit {
        let mut typed = LineEdit::default();
        if let [0x1B, ..] = octets {
            // A key that is not a letter is sent whole: parts of an arrow key would be letters.
            typed.to_send.extend_from_slice(octets);
            return typed;
        }
        for &octet in octets {
            match octet {
                b'\r' => {
                    typed.echo.extend_from_slice(b"\r\n");
                    typed.to_send.append(&mut self.typed);
                    typed.to_send.push(octet);
                }
                0x08 | 0x7F => self.delete_last(&mut typed.echo),
                0x15 => {
                    while !self.typed.is_empty() {
                        self.delete_last(&mut typed.echo);
                    }
                }
                b'\t' | b' '.. => {
                    if self.typed.len() < MAX_LINE_BYTES {
                        self.typed.push(octet);
                        typed.echo.push(if octet == b'\t' { b' ' } else { octet });
                    }
                }
                _ => typed.to_send.push(octet),
            }
        }
        typed
    }

    /// Returns the input that is not sent yet.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.typed)
    }

    /// Deletes the last letter.
    fn delete_last(&mut self, echo: &mut Vec<u8>) {
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
            echo.extend_from_slice(b"\x08 \x08");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[&[u8]]) -> LineEdit {
        let mut line = Line::default();
        let mut all = LineEdit::default();
        for keys in keys {
            let typed = line.input(keys);
            all.echo.extend(typed.echo);
            all.to_send.extend(typed.to_send);
        }
        all
    }

    #[test]
    fn a_line_goes_out_with_its_enter() {
        let to_send = |keys: &[&[u8]]| typed(keys).to_send;
        assert_eq!(to_send(&[b"loo", b"k\r", b"not yet"]), b"look\r");
        assert_eq!(to_send(&[b"lok\x7fok\x08\x08\x08ook\r"]), b"look\r");
        assert_eq!(to_send(&[b"nothing of it\x15look\r"]), b"look\r");
        assert_eq!(to_send(&[b"\x08\x7f\x15\r"]), b"\r");
        assert_eq!(to_send(&[b"ab", b"\x03", b"c\r"]), b"\x03abc\r");
        assert_eq!(to_send(&[b"a", b"\x1b[A", b"b\r"]), b"\x1b[Aab\r");
        assert_eq!(
            to_send(&["caf\u{e9}\u{4e2d}\u{7f}\u{7f}e\r".as_bytes()]),
            b"cafe\r"
        );
    }

    #[test]
    fn typed_input_is_shown_and_deleted_input_is_not() {
        assert_eq!(typed(&[b"ab\x7f\r"]).echo, b"ab\x08 \x08\r\n");
        let wide = "\u{4e2d}\u{7f}".as_bytes();
        assert_eq!(typed(&[wide]).echo, "\u{4e2d}\x08 \x08\x08 \x08".as_bytes());
    }

    proptest::proptest! {
        #[test]
        fn any_keys_are_taken(keys: Vec<Vec<u8>>) {
            let mut line = Line::default();
            for keys in keys {
                line.input(&keys);
                proptest::prop_assert!(line.typed.len() <= MAX_LINE_BYTES);
            }
        }
    }
}
