//! The filter of octets for a session's terminal.
//!
//! Some input is slow for the emulator or harms it: a control sequence of eight octets repeats a letter 65,535 times, and the
//! variation selector U+FE0F turns the letter before it into an emoji, which may be two columns wide. So numbers in control
//! sequences are reduced to the size of a screen, and that selector is removed. The visible result is the same.

/// The maximum number of digits of a number in a control sequence that are evaluated.
const DIGITS: usize = 9;

/// The variation selector for emoji presentation (U+FE0F), in UTF-8.
const PICTURE: [u8; 3] = [0xEF, 0xB8, 0x8F];

/// The state of the filter between two pieces of input.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionFilter {
    state: State,
    /// The number of octets of a selector that may have begun.
    sign: usize,
}

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// Within the parameters of a control sequence: the digits of the last one.
    Parameters(Vec<u8>),
    /// Within the parameters of a sequence that sets a mode: the numbers are names, not counts.
    Private,
}

impl SessionFilter {
    /// Returns the octets for the terminal. No number in a control sequence is larger than `most`.
    pub(crate) fn octets(&mut self, octets: &[u8], most: u16) -> Vec<u8> {
        let mut filtered = Vec::with_capacity(octets.len());
        for &octet in octets {
            if PICTURE.get(self.sign) == Some(&octet) {
                self.sign += 1;
                if self.sign == PICTURE.len() {
                    self.sign = 0;
                }
                continue;
            }
            let begun = std::mem::take(&mut self.sign);
            for held in PICTURE.iter().take(begun) {
                self.octet(*held, most, &mut filtered);
            }
            if PICTURE.first() == Some(&octet) {
                self.sign = 1;
            } else {
                self.octet(octet, most, &mut filtered);
            }
        }
        filtered
    }

    fn octet(&mut self, octet: u8, most: u16, filtered: &mut Vec<u8>) {
        self.state = match (std::mem::take(&mut self.state), octet) {
            (_, 0x1B) => {
                filtered.push(octet);
                State::Escape
            }
            (State::Escape, b'[') => {
                filtered.push(octet);
                State::Parameters(Vec::new())
            }
            (State::Parameters(mut digits), b'0'..=b'9') => {
                if digits.len() < DIGITS {
                    digits.push(octet);
                }
                State::Parameters(digits)
            }
            (State::Parameters(digits), b';' | b':') => {
                limit_number(&digits, most, filtered);
                filtered.push(octet);
                State::Parameters(Vec::new())
            }
            (State::Parameters(_), b'<'..=b'?') | (State::Private, 0..=0x3F) => {
                filtered.push(octet);
                State::Private
            }
            // Control characters are executed within a sequence.
            (State::Parameters(digits), 0..=0x1F) => {
                filtered.push(octet);
                State::Parameters(digits)
            }
            (State::Parameters(digits), _) => {
                limit_number(&digits, most, filtered);
                filtered.push(octet);
                State::Text
            }
            (State::Escape | State::Text | State::Private, _) => {
                filtered.push(octet);
                State::Text
            }
        };
    }
}

fn limit_number(digits: &[u8], most: u16, filtered: &mut Vec<u8>) {
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok());
    match number {
        Some(number) if u32::from(most) < number => {
            filtered.extend_from_slice(most.to_string().as_bytes());
        }
        Some(_) | None => filtered.extend_from_slice(digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_down_and_nothing_else() {
        for (octets, filtered) in [
            ("plain 65535b", "plain 65535b"),
            ("\x1b[65535b", "\x1b[300b"),
            ("\x1b[999;999H\x1b[6n", "\x1b[300;300H\x1b[6n"),
            ("\x1b[1;38;5;255mx", "\x1b[1;38;5;255mx"),
            ("\x1b[?1049h\x1b[>0c", "\x1b[?1049h\x1b[>0c"),
            ("\x1b[99999999999999999999A", "\x1b[300A"),
            ("\x1b[\x1b[5A", "\x1b[\x1b[5A"),
            ("❤\u{fe0f}!", "❤!"),
            ("ﷺ\u{fe0e}", "ﷺ\u{fe0e}"),
        ] {
            let read = SessionFilter::default().octets(octets.as_bytes(), 300);
            assert_eq!(String::from_utf8_lossy(&read), filtered);
        }
    }

    proptest::proptest! {
        #[test]
        fn it_does_not_matter_where_octets_are_cut(octets: Vec<u8>, cut in 0..100_usize) {
            let (first, second) = octets.split_at(cut.min(octets.len()));
            let mut filter = SessionFilter::default();
            let both = [filter.octets(first, 80), filter.octets(second, 80)].concat();
            proptest::prop_assert_eq!(both, SessionFilter::default().octets(&octets, 80));
        }
    }
}
