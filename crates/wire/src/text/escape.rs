//! Escaping: shows all bytes on a terminal, with harmful characters written as escapes.

use std::fmt::Write;

use super::is_harmful;

/// A converter from bytes that arrive in pieces to text for a terminal: lines and tabs stay; control characters, bidi
/// controls and bytes that are not UTF-8 become `\x1b` or `\u{202e}`.
#[derive(Debug, Default)]
pub struct Escape {
    /// The start of a character, or a CR, whose rest has not arrived yet.
    rest: Vec<u8>,
    has_escaped: bool,
}

impl Escape {
    /// The text of the next piece.
    pub fn text(&mut self, octets: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(octets);
        let mut text = String::with_capacity(all.len());
        let mut left = all.as_slice();
        while !left.is_empty() {
            let (valid, after) = match std::str::from_utf8(left) {
                Ok(valid) => (valid, &[][..]),
                Err(error) => {
                    let (valid, after) = left.split_at(error.valid_up_to());
                    (std::str::from_utf8(valid).unwrap_or_default(), after)
                }
            };
            let is_last = after.is_empty();
            self.escape(valid, is_last, &mut text);
            left = after;
            let broken = match std::str::from_utf8(left) {
                Ok(_) => 0,
                Err(error) => match error.error_len() {
                    Some(broken) => broken,
                    None => {
                        self.rest = left.to_vec();
                        return text;
                    }
                },
            };
            let (broken, after) = left.split_at(broken);
            self.escape_octets(broken, &mut text);
            left = after;
        }
        text
    }

    /// The text of an incomplete rest, at the end.
    pub fn end(&mut self) -> String {
        let mut text = String::new();
        let rest = std::mem::take(&mut self.rest);
        self.escape_octets(&rest, &mut text);
        text
    }

    /// Returns true if anything was escaped.
    pub fn has_escaped(&self) -> bool {
        self.has_escaped
    }

    fn escape(&mut self, valid: &str, is_last: bool, text: &mut String) {
        let mut chars = valid.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' | '\t' => text.push(c),
                // A CR before a line feed has no visible effect.
                '\r' if chars.peek() == Some(&'\n') => {}
                '\r' if chars.peek().is_none() && is_last => self.rest.push(b'\r'),
                c if is_harmful(c) => {
                    self.has_escaped = true;
                    let code = u32::from(c);
                    // Writing to a text cannot fail.
                    let _ = if c.is_ascii() {
                        write!(text, "\\x{code:02x}")
                    } else {
                        write!(text, "\\u{{{code:x}}}")
                    };
                }
                c => text.push(c),
            }
        }
    }

    fn escape_octets(&mut self, octets: &[u8], text: &mut String) {
        for octet in octets {
            self.has_escaped = true;
            let _ = write!(text, "\\x{octet:02x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escaped(octets: &[u8]) -> String {
        let mut escape = Escape::default();
        escape.text(octets) + &escape.end()
    }

    #[test]
    fn escapes_are_shown_and_lines_stay() {
        for (octets, expected) in [
            (b"a\tb\r\nc\n".as_slice(), "a\tb\nc\n"),
            (b"\x1b[2J\x07", "\\x1b[2J\\x07"),
            ("\u{202e}é\u{9b}".as_bytes(), "\\u{202e}é\\u{9b}"),
            (b"caf\xe9 \xff", "caf\\xe9 \\xff"),
            (b"over\rwritten\r", "over\\x0dwritten\\x0d"),
        ] {
            assert_eq!(escaped(octets), expected);
        }
        let mut escape = Escape::default();
        escape.text("plain é\r\n".as_bytes());
        assert!(!escape.has_escaped());
    }

    proptest! {
        #[test]
        fn nothing_reaches_the_terminal_and_pieces_change_nothing(
            octets in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), Just(0xc3), Just(0xa9)], 0..60),
            at in any::<proptest::sample::Index>(),
        ) {
            let whole = escaped(&octets);
            prop_assert!(!whole.chars().any(|c| is_harmful(c) && !matches!(c, '\n' | '\t')));
            let (one, other) = octets.split_at(at.index(octets.len() + 1));
            let mut escape = Escape::default();
            let pieces = escape.text(one) + &escape.text(other) + &escape.end();
            prop_assert_eq!(pieces, whole);
        }
    }
}
