//! The names of the built-in themes.

/// A named set of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// Colours that fit the terminal's background.
    #[default]
    Terminal,
    /// The colours of Gruvbox.
    Gruvbox,
    /// The colours of Solarized.
    Solarized,
    /// The colours of Nord.
    Nord,
    /// Few colours with a contrast of at least 7.
    HighContrast,
    /// No colours.
    Mono,
}

impl ThemeName {
    /// All named themes.
    pub const ALL: [Self; 6] = [
        Self::Terminal,
        Self::Gruvbox,
        Self::Solarized,
        Self::Nord,
        Self::HighContrast,
        Self::Mono,
    ];

    /// The name in settings.toml.
    pub fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Gruvbox => "gruvbox",
            Self::Solarized => "solarized",
            Self::Nord => "nord",
            Self::HighContrast => "high-contrast",
            Self::Mono => "mono",
        }
    }

    /// The theme with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}
