//! The defaults of the configuration files.

/// The names and default contents of the configuration files.
pub const CONFIG_FILES: [(&str, &str); 3] = [
    ("settings.toml", SETTINGS),
    ("keys.toml", KEYS),
    ("theme.toml", THEME),
];

/// The names and contents of the key presets. The first one is the default.
pub const KEY_PRESETS: [(&str, &str); 3] =
    [("vi", KEYS), ("emacs", KEYS_EMACS), ("lynx", KEYS_LYNX)];

pub(super) const SETTINGS: &str = include_str!("../../config/settings.toml");
pub(super) const KEYS: &str = include_str!("../../config/keys.toml");
const KEYS_EMACS: &str = include_str!("../../config/keys-emacs.toml");
const KEYS_LYNX: &str = include_str!("../../config/keys-lynx.toml");
pub(super) const THEME: &str = include_str!("../../config/theme.toml");
