//! Graphics protocols of terminals: pixels instead of half-blocks.
//!
//! - Kitty: "Terminal graphics protocol" of kitty, with the pixels in the escape sequence, compressed by zlib.
//! - iTerm2: "Inline Images Protocol" (OSC 1337) of iTerm2, with a PNG file in the escape sequence.
//! - Sixel: DEC STD 070, chapter 10.

/// The size of a cell where the terminal does not tell it, in pixels: width and height.
const USUAL_CELL: (u16, u16) = (10, 20);

/// A graphics protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// That of kitty.
    Kitty,
    /// That of iTerm2.
    Iterm2,
    /// Sixel.
    Sixel,
}

/// The graphics of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graphics {
    /// The protocol.
    pub protocol: Protocol,
    /// The width and height of a cell in pixels.
    pub cell: (u16, u16),
}

impl Graphics {
    /// Returns the graphics of a terminal with this protocol and this size of a cell in pixels. Returns `None` if the protocol
    /// needs a size that is unknown.
    pub fn new(protocol: Protocol, cell: Option<(u16, u16)>) -> Option<Self> {
        let usual = (protocol != Protocol::Sixel).then_some(USUAL_CELL);
        let cell = cell.filter(|(width, height)| *width > 0 && *height > 0);
        let cell = cell.or(usual)?;
        Some(Self { protocol, cell })
    }
}

impl Protocol {
    /// Returns the protocol of a terminal that answers XTVERSION with this name.
    pub fn of_terminal(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is = |names: &[&str]| names.iter().any(|known| name.starts_with(known));
        if is(&["kitty", "ghostty", "konsole"]) {
            Some(Self::Kitty)
        } else if is(&["iterm2", "wezterm"]) {
            Some(Self::Iterm2)
        } else if is(&["foot", "mlterm", "contour"]) {
            Some(Self::Sixel)
        } else {
            None
        }
    }

    /// The sequence that removes all pictures from the screen; `None` if only text written over them does.
    pub fn removal(self) -> Option<&'static str> {
        (self == Self::Kitty).then_some("\x1b_Ga=d,d=A,q=2\x1b\\")
    }
}
