//! What is let through to a session's terminal.
//!
//! The emulator does what it is told, and some of that takes long or harms it: a letter repeated 65,535 times for eight octets,
//! and the sign that makes the letter before it a picture, which may be two columns wide then. Numbers of control sequences are
//! cut down to what a screen has room for, and that sign is left out; nothing that is seen changes.

/// Digits of a number in a control sequence that are looked at.
const DIGITS: usize = 9;

/// The sign that wants the letter before it shown as a picture (U+FE0F), in UTF-8.
const PICTURE: [u8; 3] = [0xEF, 0xB8, 0x8F];

/// What is let through, however the octets are cut.
#[derive(Clone, Debug, Default)]
pub(super) struct Tame {
    state: State,
    /// Octets of the sign that may have begun.
    sign: usize,
}

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// In the parameters of a control sequence: the digits of the last one.
    Parameters(Vec<u8>),
    /// In those of one that sets a mode, whose numbers are names.
    Private,
}

impl Tame {
    /// The octets that the terminal may have; no number in them is larger than `most`.
    pub(super) fn octets(&mut self, octets: &[u8], most: u16) -> Vec<u8> {
        let mut tamed = Vec::with_capacity(octets.len());
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
                self.octet(*held, most, &mut tamed);
            }
            if PICTURE.first() == Some(&octet) {
                self.sign = 1;
            } else {
                self.octet(octet, most, &mut tamed);
            }
        }
        tamed
    }

    fn octet(&mut self, octet: u8, most: u16, tamed: &mut Vec<u8>) {
        self.state = match (std::mem::take(&mut self.state), octet) {
            (_, 0x1B) => {
                tamed.push(octet);
                State::Escape
            }
            (State::Escape, b'[') => {
                tamed.push(octet);
                State::Parameters(Vec::new())
            }
            (State::Parameters(mut digits), b'0'..=b'9') => {
                if digits.len() < DIGITS {
                    digits.push(octet);
                }
                State::Parameters(digits)
            }
            (State::Parameters(digits), b';' | b':') => {
                cut_down(&digits, most, tamed);
                tamed.push(octet);
                State::Parameters(Vec::new())
            }
            (State::Parameters(_), b'<'..=b'?') | (State::Private, 0..=0x3F) => {
                tamed.push(octet);
                State::Private
            }
            // Controls are carried out within a sequence.
            (State::Parameters(digits), 0..=0x1F) => {
                tamed.push(octet);
                State::Parameters(digits)
            }
            (State::Parameters(digits), _) => {
                cut_down(&digits, most, tamed);
                tamed.push(octet);
                State::Text
            }
            (State::Escape | State::Text | State::Private, _) => {
                tamed.push(octet);
                State::Text
            }
        };
    }
}

fn cut_down(digits: &[u8], most: u16, tamed: &mut Vec<u8>) {
    let number = std::str::from_utf8(digits)
        .ok()
        .and_then(|digits| digits.parse().ok());
    match number {
        Some(number) if u32::from(most) < number => {
            tamed.extend_from_slice(most.to_string().as_bytes());
        }
        Some(_) | None => tamed.extend_from_slice(digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_cut_down_and_nothing_else() {
        for (octets, tamed) in [
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
            let read = Tame::default().octets(octets.as_bytes(), 300);
            assert_eq!(String::from_utf8_lossy(&read), tamed);
        }
    }

    proptest::proptest! {
        #[test]
        fn it_does_not_matter_where_octets_are_cut(octets: Vec<u8>, cut in 0..100_usize) {
            let (first, second) = octets.split_at(cut.min(octets.len()));
            let mut tame = Tame::default();
            let both = [tame.octets(first, 80), tame.octets(second, 80)].concat();
            proptest::prop_assert_eq!(both, Tame::default().octets(&octets, 80));
        }
    }
}
