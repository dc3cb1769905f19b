//! The character sets of a terminal (ECMA-35, DEC STD 070): ASCII and the line drawing of the VT100.
//!
//! ```text
//! ESC ( F    designates a set as G0, which is used at first and after SI
//! ESC ) F    designates a set as G1, which is used after SO
//! ESC 7      saves the sets with the cursor; ESC 8 restores them
//! ```
//!
//! `F` is `0` for line drawing; every other set is taken for ASCII. Left out: G2, G3 and national sets.

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
