//! The defaults of the configuration files.

/// The names and default contents of the configuration files.
pub const CONFIG_FILES: [(&str, &str); 3] = [
    ("settings.toml", SETTINGS),
    ("keys.toml", KEYS),
    ("theme.toml", THEME),
];

pub(super) const SETTINGS: &str = include_str!("../../config/settings.toml");
pub(super) const KEYS: &str = include_str!("../../config/keys.toml");
pub(super) const THEME: &str = include_str!("../../config/theme.toml");
