//! The settings for terminal sessions.

/// The most octets in the name of a terminal type (RFC 1091, section 5).
const MAX_NAME_BYTES: usize = 40;

/// The telnet settings of settings.toml.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelnetSettings {
    /// The terminal type, which becomes `$TERM` on the server.
    pub terminal: String,
}

impl Default for TelnetSettings {
    fn default() -> Self {
        Self {
            terminal: "xterm-256color".to_owned(),
        }
    }
}

impl TelnetSettings {
    /// Returns true if this can be the name of a terminal type: letters, digits and `+-./_`, at most 40.
    pub fn is_terminal_name(name: &str) -> bool {
        let is_allowed = |octet: u8| octet.is_ascii_alphanumeric() || b"+-./_".contains(&octet);
        (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(is_allowed)
    }
}
