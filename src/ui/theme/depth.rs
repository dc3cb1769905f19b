//! The colours that a terminal can show, and the nearest of them to a colour.

use geomys_page::document::picture::Rgb;
use ratatui::style::{Color, Style};

/// The shares of red, green or blue in the cube of the 256-colour table.
const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The sixteen colours of a terminal, as xterm has them.
const SIXTEEN: [(Color, Rgb); 16] = [
    (Color::Black, [0x00, 0x00, 0x00]),
    (Color::Red, [0xcd, 0x00, 0x00]),
    (Color::Green, [0x00, 0xcd, 0x00]),
    (Color::Yellow, [0xcd, 0xcd, 0x00]),
    (Color::Blue, [0x00, 0x00, 0xee]),
    (Color::Magenta, [0xcd, 0x00, 0xcd]),
    (Color::Cyan, [0x00, 0xcd, 0xcd]),
    (Color::Gray, [0xe5, 0xe5, 0xe5]),
    (Color::DarkGray, [0x7f, 0x7f, 0x7f]),
    (Color::LightRed, [0xff, 0x00, 0x00]),
    (Color::LightGreen, [0x00, 0xff, 0x00]),
    (Color::LightYellow, [0xff, 0xff, 0x00]),
    (Color::LightBlue, [0x5c, 0x5c, 0xff]),
    (Color::LightMagenta, [0xff, 0x00, 0xff]),
    (Color::LightCyan, [0x00, 0xff, 0xff]),
    (Color::White, [0xff, 0xff, 0xff]),
];

/// The number of colours that a terminal can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColourDepth {
    /// No colours.
    Mono,
    /// The sixteen colours of the terminal.
    Sixteen,
    /// The 256-colour table.
    #[default]
    Table,
    /// All colours of 24 bits.
    All,
}

impl ColourDepth {
    /// The names in settings.toml.
    pub const NAMES: [&str; 4] = ["none", "16", "256", "24bit"];

    /// The depth with this name in settings.toml.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Mono, Self::Sixteen, Self::Table, Self::All];
        let named = Self::NAMES.into_iter().zip(all);
        named
            .into_iter()
            .find(|(one, _)| *one == name)
            .map(|(_, depth)| depth)
    }

    /// The depth of a terminal by `$TERM` and `$COLORTERM`.
    ///
    /// All colours only where they are offered: GNU screen and others drop what they do not know, and the text would
    /// have no colour at all.
    pub fn of_terminal(term: &str, colorterm: &str) -> Self {
        let is_vt = term.starts_with("vt")
            && term
                .get(2..3)
                .is_some_and(|digit| digit.parse::<u8>().is_ok());
        if matches!(colorterm, "truecolor" | "24bit") || term.ends_with("-direct") {
            Self::All
        } else if term.contains("-mono") || term.ends_with("-m") || is_vt {
            Self::Mono
        } else if term.contains("256color") || SHOW_THE_TABLE.contains(&term) || term.is_empty() {
            Self::Table
        } else {
            Self::Sixteen
        }
    }

    /// The nearest colour that the terminal can show.
    pub fn nearest(self, colour: Color) -> Color {
        match (self, colour) {
            (Self::Mono, _) => Color::Reset,
            (Self::Table, Color::Rgb(red, green, blue)) => of_table([red, green, blue]),
            (Self::Sixteen, Color::Rgb(red, green, blue)) => of_sixteen([red, green, blue]),
            (Self::Sixteen, Color::Indexed(index)) => {
                rgb_of_table(index).map_or(colour, of_sixteen)
            }
            _ => colour,
        }
    }

    /// The style with colours that the terminal can show.
    pub(super) fn fit(self, style: Style) -> Style {
        Style {
            fg: style.fg.map(|colour| self.nearest(colour)),
            bg: style.bg.map(|colour| self.nearest(colour)),
            ..style
        }
    }
}

/// Terminals that have the 256-colour table without saying so by their name.
const SHOW_THE_TABLE: [&str; 7] = [
    "alacritty",
    "foot",
    "ghostty",
    "wezterm",
    "xterm-ghostty",
    "xterm-kitty",
    "contour",
];

fn distance(one: Rgb, other: Rgb) -> u32 {
    let parts = one.into_iter().zip(other);
    parts
        .map(|(one, other)| u32::from(one.abs_diff(other)).pow(2))
        .sum()
}

/// The nearest colour of the fixed part of the 256-colour table.
fn of_table(dot: Rgb) -> Color {
    let nearest = dot.map(|part| {
        let levels = (0_u8..).zip(LEVELS);
        levels
            .min_by_key(|(_, level)| level.abs_diff(part))
            .unwrap_or_default()
    });
    let [(red, r), (green, g), (blue, b)] = nearest;
    let cube = (distance(dot, [r, g, b]), 16 + 36 * red + 6 * green + blue);
    let greys = (232_u8..=255).zip((8_u8..).step_by(10));
    let greys = greys.map(|(index, level)| (distance(dot, [level; 3]), index));
    let (_, index) = greys.fold(cube, Ord::min);
    Color::Indexed(index)
}

fn of_sixteen(dot: Rgb) -> Color {
    let nearest = SIXTEEN.iter().min_by_key(|(_, rgb)| distance(dot, *rgb));
    nearest.map_or(Color::Reset, |(colour, _)| *colour)
}

/// A colour of the sixteen, as xterm has it; `None` for any other.
pub(in crate::ui) fn rgb_of_sixteen(colour: Color) -> Option<Rgb> {
    let mut named = SIXTEEN.into_iter();
    named.find(|(name, _)| *name == colour).map(|(_, rgb)| rgb)
}

/// The colour of an index of the fixed part of the 256-colour table; `None` below it.
pub(in crate::ui) fn rgb_of_table(index: u8) -> Option<Rgb> {
    if index >= 232 {
        return Some([8 + 10 * (index - 232); 3]);
    }
    let cube = index.checked_sub(16)?;
    let level = |at: u8| LEVELS.get(usize::from(at)).copied().unwrap_or_default();
    Some([level(cube / 36), level(cube / 6 % 6), level(cube % 6)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_the_one_that_the_terminal_offers() {
        for (term, colorterm, depth) in [
            ("xterm-256color", "", ColourDepth::Table),
            ("xterm-256color", "truecolor", ColourDepth::All),
            ("screen", "", ColourDepth::Sixteen),
            ("screen.xterm-256color", "", ColourDepth::Table),
            ("screen-256color", "24bit", ColourDepth::All),
            ("tmux-direct", "", ColourDepth::All),
            ("xterm-kitty", "", ColourDepth::Table),
            ("xterm", "", ColourDepth::Sixteen),
            ("linux", "", ColourDepth::Sixteen),
            ("vt100", "", ColourDepth::Mono),
            ("vt220", "", ColourDepth::Mono),
            ("xterm-mono", "", ColourDepth::Mono),
        ] {
            assert_eq!(ColourDepth::of_terminal(term, colorterm), depth, "{term}");
        }
    }

    #[test]
    fn nearest_colour_is_one_of_the_depth() {
        let rgb = Color::Rgb(0xfa, 0xbd, 0x2f);
        assert_eq!(ColourDepth::All.nearest(rgb), rgb);
        assert_eq!(ColourDepth::Table.nearest(rgb), Color::Indexed(214));
        assert_eq!(ColourDepth::Sixteen.nearest(rgb), Color::Yellow);
        assert_eq!(
            ColourDepth::Sixteen.nearest(Color::Indexed(160)),
            Color::Red
        );
        assert_eq!(
            ColourDepth::Sixteen.nearest(Color::Indexed(9)),
            Color::Indexed(9)
        );
        assert_eq!(ColourDepth::Mono.nearest(rgb), Color::Reset);
    }

    #[test]
    fn table_colours_are_nearest_to_themselves() {
        for index in 16..=255 {
            let [red, green, blue] = rgb_of_table(index).unwrap();
            let nearest = ColourDepth::Table.nearest(Color::Rgb(red, green, blue));
            let Color::Indexed(nearest) = nearest else {
                panic!("{index}");
            };
            assert_eq!(rgb_of_table(nearest), rgb_of_table(index));
        }
    }
}
