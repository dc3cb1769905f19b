//! The filter of octets for a session's terminal.
//!
//! Some input is slow for the emulator or harms it: a control sequence of eight octets repeats a letter 65,535 times,
//! and the variation selector U+FE0F turns the letter before it into an emoji, which may be two columns wide. So
//! numbers in control sequences are reduced to the size of a screen, and that selector is removed. The visible result
//! is the same.
//!
//! The emulator has no character sets and no cursor that ANSI.SYS saves. So line drawing is replaced by the characters
//! of Unicode, and `ESC [ s` and `ESC [ u` by `ESC 7` and `ESC 8`. The sets (ECMA-35, DEC STD 070) are ASCII and the
//! line drawing of the VT100:
//!
//! ```text
//! ESC ( F    designates a set as G0, which is used at first and after SI
//! ESC ) F    designates a set as G1, which is used after SO
//! ESC 7      saves the sets with the cursor; ESC 8 restores them
//! ```
//!
//! `F` is `0` for line drawing; every other set is taken for ASCII. Left out: G2, G3 and national sets.

/// The maximum number of digits of a number in a control sequence that are evaluated.
const DIGITS: usize = 9;

/// The control character that ends a control sequence without effect (CAN).
const CANCEL: u8 = 0x18;

/// The variation selector for emoji presentation (U+FE0F), in UTF-8.
const PICTURE: [u8; 3] = [0xEF, 0xB8, 0x8F];

/// The state of the filter between two pieces of input.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionFilter {
    state: State,
    sets: CharacterSets,
    /// The number of octets of a selector that may have begun.
    sign: usize,
}

#[derive(Clone, Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    /// After `ESC (` or `ESC )`: the next octet names a character set.
    Designation(Slot),
    /// After other octets between an ESC and its last one.
    Intermediate,
    /// Directly after `ESC [`.
    Control,
    /// After `ESC [ !`, which may become a soft reset.
    Reset,
    /// Within a string for the terminal, as a title; it is not drawn.
    String,
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
            (state @ (State::Text | State::Escape | State::Control), 0x0E | 0x0F) => {
                self.sets
                    .shift(if octet == 0x0E { Slot::G1 } else { Slot::G0 });
                state
            }
            (State::Escape, _) => {
                filtered.push(octet);
                self.escape(octet)
            }
            (State::Designation(slot), b'0'..=b'~') => {
                self.sets.designate(slot, octet);
                filtered.push(octet);
                State::Text
            }
            (State::Designation(_) | State::Intermediate, b' '..=b'/') => {
                filtered.push(octet);
                State::Intermediate
            }
            (State::Control, b's' | b'u') => {
                // The save and the restore of ANSI.SYS.
                let (save, letter) = (octet == b's', if octet == b's' { b'7' } else { b'8' });
                filtered.extend_from_slice(&[CANCEL, 0x1B, letter]);
                if save {
                    self.sets.save();
                } else {
                    self.sets.restore();
                }
                State::Text
            }
            (State::Control, b'!') => {
                filtered.push(octet);
                State::Reset
            }
            (State::Reset, _) => {
                if octet == b'p' {
                    self.sets.reset();
                }
                filtered.push(octet);
                State::Text
            }
            (State::Control, _) => parameter(Vec::new(), octet, most, filtered),
            (State::Parameters(digits), _) => parameter(digits, octet, most, filtered),
            (State::Private, 0..=0x3F) => {
                filtered.push(octet);
                State::Private
            }
            (State::String, _) => {
                filtered.push(octet);
                // BEL and CAN end a string; ESC \ does too, as a sequence of its own.
                if matches!(octet, 0x07 | CANCEL | 0x1A) {
                    State::Text
                } else {
                    State::String
                }
            }
            (State::Text, _) => {
                match self.sets.character(octet) {
                    Some(letter) => {
                        filtered.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                    }
                    None => filtered.push(octet),
                }
                State::Text
            }
            (State::Designation(_) | State::Intermediate | State::Private, _) => {
                filtered.push(octet);
                State::Text
            }
        };
    }

    /// Handles the octet after an ESC.
    fn escape(&mut self, octet: u8) -> State {
        match octet {
            b'[' => return State::Control,
            b'(' => return State::Designation(Slot::G0),
            b')' => return State::Designation(Slot::G1),
            b' '..=b'/' => return State::Intermediate,
            b']' | b'P' | b'X' | b'^' | b'_' => return State::String,
            b'7' => self.sets.save(),
            b'8' => self.sets.restore(),
            b'c' => self.sets.reset(),
            _ => {}
        }
        State::Text
    }
}

/// Handles an octet within the parameters of a control sequence.
fn parameter(mut digits: Vec<u8>, octet: u8, most: u16, filtered: &mut Vec<u8>) -> State {
    match octet {
        b'0'..=b'9' => {
            if digits.len() < DIGITS {
                digits.push(octet);
            }
            State::Parameters(digits)
        }
        b';' | b':' => {
            limit_number(&digits, most, filtered);
            filtered.push(octet);
            State::Parameters(Vec::new())
        }
        b'<'..=b'?' => {
            filtered.push(octet);
            State::Private
        }
        // Control characters are executed within a sequence.
        0..=0x1F if octet != CANCEL => {
            filtered.push(octet);
            State::Parameters(digits)
        }
        _ => {
            limit_number(&digits, most, filtered);
            filtered.push(octet);
            State::Text
        }
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

/// The line drawing of the VT100, from the octet 0x5F.
const LINE_DRAWING: [char; 32] = [
    ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─',
    '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
];

/// The octet of the first character of [`LINE_DRAWING`].
const FIRST: u8 = 0x5F;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Glyphs {
    #[default]
    Ascii,
    LineDrawing,
}

/// The place for a character set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Slot {
    #[default]
    G0,
    G1,
}

/// The designated sets, and the one in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sets {
    g0: Glyphs,
    g1: Glyphs,
    used: Slot,
}

/// The character sets of a terminal.
#[derive(Clone, Debug, Default)]
pub(super) struct CharacterSets {
    now: Sets,
    saved: Sets,
}

impl CharacterSets {
    /// Designates the set with this final octet.
    pub(super) fn designate(&mut self, slot: Slot, name: u8) {
        let glyphs = match name {
            b'0' => Glyphs::LineDrawing,
            _ => Glyphs::Ascii,
        };
        match slot {
            Slot::G0 => self.now.g0 = glyphs,
            Slot::G1 => self.now.g1 = glyphs,
        }
    }

    /// Uses a set from now on (SI, SO).
    pub(super) fn shift(&mut self, slot: Slot) {
        self.now.used = slot;
    }

    /// Saves the sets.
    pub(super) fn save(&mut self) {
        self.saved = self.now;
    }

    /// Restores the saved sets.
    pub(super) fn restore(&mut self) {
        self.now = self.saved;
    }

    /// Returns to ASCII.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Returns the character of an octet if it is not that of ASCII.
    pub(super) fn character(&self, octet: u8) -> Option<char> {
        let glyphs = match self.now.used {
            Slot::G0 => self.now.g0,
            Slot::G1 => self.now.g1,
        };
        match glyphs {
            Glyphs::Ascii => None,
            Glyphs::LineDrawing => LINE_DRAWING
                .get(usize::from(octet.checked_sub(FIRST)?))
                .copied(),
        }
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
            ("\x1b]0;65535 lqqk\x07plain", "\x1b]0;65535 lqqk\x07plain"),
        ] {
            let read = SessionFilter::default().octets(octets.as_bytes(), 300);
            assert_eq!(String::from_utf8_lossy(&read), filtered);
        }
    }

    #[test]
    fn line_drawing_becomes_unicode() {
        for (octets, filtered) in [
            ("\x1b(0lqk\x1b(Blqk", "\x1b(0┌─┐\x1b(Blqk"),
            ("\x1b)0x\x0ex\x0fx", "\x1b)0x│x"),
            ("\x1b(0\x1b[1;31mx\x1b[m", "\x1b(0\x1b[1;31m│\x1b[m"),
            ("\x1b(0 A_é", "\x1b(0 A é"),
            ("\x1b(0\x1b7\x1b(Bx\x1b8x", "\x1b(0\x1b7\x1b(Bx\x1b8│"),
            ("\x1b(0\x1bcx", "\x1b(0\x1bcx"),
            ("\x1b(0\x1b[!px", "\x1b(0\x1b[!px"),
            ("\x1b*0\x1b#8x", "\x1b*0\x1b#8x"),
            (
                "\x1b[sx\x1b[u\x1b[1;5s",
                "\x1b[\x18\x1b7x\x1b[\x18\x1b8\x1b[1;5s",
            ),
        ] {
            let read = SessionFilter::default().octets(octets.as_bytes(), 300);
            assert_eq!(String::from_utf8_lossy(&read), filtered, "{octets:?}");
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
