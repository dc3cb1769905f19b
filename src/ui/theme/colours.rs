//! The colours of a theme, chosen by the background of the terminal.
//!
//! The sixteen colours of a terminal belong to its user, and some are invisible on some backgrounds. Where the
//! background is known, text has colours of the fixed part of the 256-colour table (16 to 255): accents with a contrast
//! of at least 4.5, secondary text of at least 3.5 (WCAG 2.1, section 1.4.3). Where it is unknown, text has attributes
//! only, and the terminal's colours 1 to 6 are used for glyphs.

use ratatui::style::{Color, Modifier, Style};

use geomys_app::theme::ThemeName;

/// The lightness of the terminal's background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// White text is easier to read on it than black text.
    Dark,
    /// Black text is easier to read on it than white text.
    Light,
}

impl Background {
    /// The background with these shares of red, green and blue, 0 to 255 each.
    pub fn of(rgb: [u8; 3]) -> Self {
        // White and black have the same contrast to a background of the luminance 0.179.
        if luminance(rgb) < 0.179 {
            Self::Dark
        } else {
            Self::Light
        }
    }
}

/// The relative luminance of a colour, 0 to 1 (WCAG 2.1, "relative luminance").
fn luminance(rgb: [u8; 3]) -> f64 {
    let [red, green, blue] = rgb.map(|share| {
        let share = f64::from(share) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The contrast of two colours, 1 to 21 (WCAG 2.1, "contrast ratio").
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// A hue that a style names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hue {
    /// Faults only.
    Red,
    /// Quotations; nothing on a menu.
    Green,
    /// Files.
    Yellow,
    /// Menus, groups and links.
    Blue,
    /// Tags and searches.
    Magenta,
    /// Links out of the page's own protocol.
    Cyan,
}

impl Hue {
    /// The name in a style.
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "red" => Self::Red,
            "green" => Self::Green,
            "yellow" => Self::Yellow,
            "blue" => Self::Blue,
            "magenta" => Self::Magenta,
            "cyan" => Self::Cyan,
            _ => return None,
        })
    }

    /// The terminal's own colour.
    fn of_terminal(self) -> Color {
        match self {
            Self::Red => Color::Red,
            Self::Green => Color::Green,
            Self::Yellow => Color::Yellow,
            Self::Blue => Color::Blue,
            Self::Magenta => Color::Magenta,
            Self::Cyan => Color::Cyan,
        }
    }
}

/// The colours of secondary text and of the hues on one background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalPalette {
    secondary: Color,
    hues: [Color; 6],
}

impl TerminalPalette {
    const fn indexed(secondary: u8, [red, green, yellow, blue, magenta, cyan]: [u8; 6]) -> Self {
        Self {
            secondary: Color::Indexed(secondary),
            hues: [
                Color::Indexed(red),
                Color::Indexed(green),
                Color::Indexed(yellow),
                Color::Indexed(blue),
                Color::Indexed(magenta),
                Color::Indexed(cyan),
            ],
        }
    }

    const fn rgb(secondary: u32, [red, green, yellow, blue, magenta, cyan]: [u32; 6]) -> Self {
        Self {
            secondary: Color::from_u32(secondary),
            hues: [
                Color::from_u32(red),
                Color::from_u32(green),
                Color::from_u32(yellow),
                Color::from_u32(blue),
                Color::from_u32(magenta),
                Color::from_u32(cyan),
            ],
        }
    }

    /// Those of the terminal's sixteen colours that are readable on its background: green, yellow and cyan are too
    /// light for text on a light one.
    fn of_sixteen(background: Background) -> Self {
        match background {
            Background::Dark => Self {
                secondary: Color::Gray,
                hues: [
                    Color::LightRed,
                    Color::LightGreen,
                    Color::LightYellow,
                    Color::LightBlue,
                    Color::LightMagenta,
                    Color::LightCyan,
                ],
            },
            Background::Light => Self {
                secondary: Color::DarkGray,
                hues: [
                    Color::Red,
                    Color::Reset,
                    Color::Reset,
                    Color::Blue,
                    Color::Magenta,
                    Color::Reset,
                ],
            },
        }
    }

    fn hue(&self, hue: Hue) -> Color {
        let [red, green, yellow, blue, magenta, cyan] = self.hues;
        match hue {
            Hue::Red => red,
            Hue::Green => green,
            Hue::Yellow => yellow,
            Hue::Blue => blue,
            Hue::Magenta => magenta,
            Hue::Cyan => cyan,
        }
    }
}

/// The colours of a theme on a background; `None` if they would not be readable for certain.
fn palette(theme: ThemeName, background: Option<Background>) -> Option<TerminalPalette> {
    use Background::{Dark, Light};
    let background = background?;
    Some(match (theme, background) {
        (ThemeName::Mono, _) => return None,
        (ThemeName::Terminal, Dark) => TerminalPalette::indexed(247, [210, 107, 179, 75, 176, 73]),
        (ThemeName::Terminal, Light) => TerminalPalette::indexed(242, [160, 22, 94, 25, 127, 23]),
        (ThemeName::Gruvbox, Dark) => TerminalPalette::rgb(
            0x00a8_9984,
            [
                0x00fb_6a58,
                0x00b8_bb26,
                0x00fa_bd2f,
                0x0083_a598,
                0x00d3_869b,
                0x008e_c07c,
            ],
        ),
        (ThemeName::Gruvbox, Light) => TerminalPalette::rgb(
            0x006a_5d53,
            [
                0x009d_0006,
                0x005c_5a0b,
                0x0087_560d,
                0x0007_6678,
                0x008f_3f71,
                0x0035_6a4b,
            ],
        ),
        (ThemeName::Solarized, Dark) => TerminalPalette::rgb(
            0x0083_9496,
            [
                0x00f0_7a77,
                0x0085_9c00,
                0x00c4_9a18,
                0x0048_a5e6,
                0x00e8_7eb2,
                0x002a_a198,
            ],
        ),
        (ThemeName::Solarized, Light) => TerminalPalette::rgb(
            0x005f_7178,
            [
                0x00c0_2522,
                0x0058_6500,
                0x0083_6200,
                0x001c_669c,
                0x00b0_2369,
                0x0019_6f69,
            ],
        ),
        (ThemeName::Nord, Dark) => TerminalPalette::rgb(
            0x00a3_abba,
            [
                0x00e4_979f,
                0x00a3_be8c,
                0x00eb_cb8b,
                0x0088_b6da,
                0x00c9_a6c3,
                0x0088_c0d0,
            ],
        ),
        (ThemeName::Nord, Light) => TerminalPalette::rgb(
            0x005a_6375,
            [
                0x00a3_2f46,
                0x0048_6a30,
                0x0080_5a0c,
                0x003b_628c,
                0x0083_4d7a,
                0x002a_6a7a,
            ],
        ),
        (ThemeName::HighContrast, Dark) => {
            TerminalPalette::indexed(252, [217, 157, 228, 159, 225, 159])
        }
        (ThemeName::HighContrast, Light) => TerminalPalette::indexed(236, [88, 22, 58, 18, 53, 18]),
    })
}

/// A colour as a style writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    /// One of the terminal's colours, or a fixed one.
    Own(Color),
    /// `secondary`: text that matters less.
    Secondary,
    /// `accent-blue`: text in a hue, in no colour while the background is unknown.
    Accent(Hue),
    /// `mark-blue`: a glyph in a hue, in the terminal's own colour while the background is unknown.
    Mark(Hue),
}

/// The colour with a name, a number or `#rrggbb`.
fn colour(word: &str) -> Option<Color> {
    match word {
        "default" => Some(Color::Reset),
        _ => word.parse().ok(),
    }
}

impl Paint {
    fn parse(word: &str) -> Option<Self> {
        if word == "secondary" {
            return Some(Self::Secondary);
        }
        if let Some(hue) = word.strip_prefix("accent-") {
            return Hue::named(hue).map(Self::Accent);
        }
        match word.strip_prefix("mark-") {
            Some(hue) => Hue::named(hue).map(Self::Mark),
            None => colour(word).map(Self::Own),
        }
    }
}

/// A style as theme.toml writes it, as in `accent-blue underlined`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StyleRule {
    foreground: Option<Paint>,
    background: Option<Color>,
    modifiers: Modifier,
}

impl StyleRule {
    /// Parses a style; `None` if a word is neither a colour nor an attribute.
    pub fn parse(written: &str) -> Option<Self> {
        let mut rule = Self::default();
        for word in written.split_whitespace() {
            rule.modifiers |= match word {
                "bold" => Modifier::BOLD,
                "dim" => Modifier::DIM,
                "italic" => Modifier::ITALIC,
                "underline" | "underlined" => Modifier::UNDERLINED,
                "reverse" | "reversed" => Modifier::REVERSED,
                colour => {
                    match colour.strip_prefix("on-") {
                        Some(colour) => rule.background = Some(self::colour(colour)?),
                        None => rule.foreground = Some(Paint::parse(colour)?),
                    }
                    Modifier::empty()
                }
            };
        }
        Some(rule)
    }
}

/// The choice of colours: a theme, the background, and whether there are colours at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Colours {
    /// The named theme.
    pub theme: ThemeName,
    /// The background; `None` while it is unknown.
    pub background: Option<Background>,
    /// True if there are no colours at all (`NO_COLOR`).
    pub are_disabled: bool,
    /// True if the terminal has its sixteen colours alone.
    pub has_sixteen: bool,
}

impl Colours {
    /// True if text has attributes only.
    pub fn is_mono(&self) -> bool {
        self.are_disabled || self.theme == ThemeName::Mono
    }

    /// The text, the background and the row of the cursor of the theme that sets all of them: black or white, and a
    /// yellow row.
    pub(super) fn ground(self) -> Option<(Color, Color, Style)> {
        const BLACK: Color = Color::Indexed(16);
        const WHITE: Color = Color::Indexed(231);
        const YELLOW: Color = Color::Indexed(226);
        if self.theme != ThemeName::HighContrast || self.are_disabled {
            return None;
        }
        let (ink, ground) = match self.background() {
            Some(Background::Light) => (BLACK, WHITE),
            Some(Background::Dark) | None => (WHITE, BLACK),
        };
        Some((ink, ground, Style::new().fg(BLACK).bg(YELLOW).bold()))
    }

    /// The background; dark in the theme that sets it, where that of the terminal is unknown.
    fn background(self) -> Option<Background> {
        let own = Some(Background::Dark).filter(|_| self.theme == ThemeName::HighContrast);
        self.background.or(own)
    }

    /// The style of a rule.
    pub fn style(&self, rule: &StyleRule) -> Style {
        let mut style = Style::new().add_modifier(rule.modifiers);
        if self.is_mono() {
            // A style that differs by its background only would be lost.
            if rule.background.is_some() {
                style = style.add_modifier(Modifier::REVERSED);
            }
            // Dim text has too little contrast on half of the usual backgrounds.
            return style;
        }
        let palette = if self.has_sixteen {
            self.background().map(TerminalPalette::of_sixteen)
        } else {
            palette(self.theme, self.background())
        };
        style.bg = rule.background;
        match (rule.foreground, palette) {
            // Dim text may be invisible on a background that is not known.
            (None, _) | (Some(Paint::Accent(_) | Paint::Secondary), None) => style,
            (Some(Paint::Own(colour)), _) => style.fg(colour),
            (Some(Paint::Mark(hue)), None) => style.fg(hue.of_terminal()),
            (Some(Paint::Mark(hue)), Some(_)) if self.has_sixteen => style.fg(hue.of_terminal()),
            (Some(Paint::Secondary), Some(palette)) => style.fg(palette.secondary),
            (Some(Paint::Accent(hue) | Paint::Mark(hue)), Some(palette)) => {
                style.fg(palette.hue(hue))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::depth::{ColourDepth, rgb_of_table};
    use super::*;

    #[test]
    fn contrast_of_black_and_white_is_21() {
        let ratio = contrast([0; 3], [255; 3]);
        assert!((ratio - 21.0).abs() < 0.001, "{ratio}");
    }

    #[test]
    fn background_is_dark_or_light_by_its_luminance() {
        assert_eq!(Background::of([0x2e, 0x34, 0x40]), Background::Dark);
        assert_eq!(Background::of([0xfd, 0xf6, 0xe3]), Background::Light);
        assert_eq!(Background::of([0, 0, 0xff]), Background::Dark);
        assert_eq!(Background::of([0, 0xff, 0]), Background::Light);
    }

    #[test]
    fn unknown_background_leaves_attributes_and_glyph_colours() {
        let colours = Colours::default();
        let style = |written| colours.style(&StyleRule::parse(written).unwrap());
        assert_eq!(style("secondary"), Style::new());
        assert_eq!(style("accent-red bold"), Style::new().bold());
        assert_eq!(style("mark-red"), Style::new().fg(Color::Red));
    }

    #[test]
    fn mono_has_no_colour_but_shows_a_background() {
        let colours = Colours {
            are_disabled: true,
            background: Some(Background::Dark),
            ..Colours::default()
        };
        let style = |written| colours.style(&StyleRule::parse(written).unwrap());
        assert_eq!(style("mark-red"), Style::new());
        assert_eq!(style("secondary"), Style::new());
        assert_eq!(
            style("black on-yellow bold"),
            Style::new().bold().reversed()
        );
    }

    fn rgb_of(colour: Color) -> [u8; 3] {
        let Color::Indexed(index) = colour else {
            panic!("{colour} is not of the table");
        };
        rgb_of_table(index).unwrap()
    }

    /// The backgrounds that the named themes are made for.
    #[test]
    fn named_themes_are_readable_on_their_backgrounds() {
        let own = [
            (ThemeName::Gruvbox, [0x28, 0x28, 0x28], [0xfb, 0xf1, 0xc7]),
            (ThemeName::Solarized, [0x00, 0x2b, 0x36], [0xfd, 0xf6, 0xe3]),
            (ThemeName::Nord, [0x2e, 0x34, 0x40], [0xec, 0xef, 0xf4]),
        ];
        let mut faults = Vec::new();
        for (theme, dark, light) in own {
            for background in [dark, light] {
                let palette = palette(theme, Some(Background::of(background))).unwrap();
                let colours = std::iter::once((3.5, palette.secondary))
                    .chain(palette.hues.map(|hue| (4.5, hue)));
                for (least, colour) in colours {
                    let Color::Rgb(red, green, blue) = colour else {
                        panic!("{colour} is not fixed");
                    };
                    let own = [red, green, blue];
                    let table = rgb_of(ColourDepth::Table.nearest(colour));
                    for (depth, colour) in [("24 bits", own), ("table", table)] {
                        let ratio = contrast(colour, background);
                        if ratio < least {
                            let theme = theme.name();
                            faults
                                .push(format!("{theme}, {depth}: {own:x?} {colour:x?} {ratio:.2}"));
                        }
                    }
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
    }
}
